#pragma once
// From the tree of a net to rt::Net, with every check of language.md §6. Used before the run, for what is known then, and in it.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "lang/eval/evaluator.hpp"
#include "lang/eval/lower_term.hpp"
#include "lang/world/scope.hpp"
#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/declared/net.hpp"

namespace credence::lang {

class NetDeclaration {
public:
    /// Before the run, without values for its parameters: checks what does not depend on them.
    NetDeclaration(Evaluator& evaluator, const NetStmt& statement)
        : self_(evaluator),
          statement_(statement),
          arguments_(statement.params.size()),
          unknown_(statement.params.size()),
          before_run_(true) {}
    NetDeclaration(Evaluator& evaluator, const NetStmt& statement, std::vector<Value> arguments)
        : self_(evaluator), statement_(statement), arguments_(std::move(arguments)) {}

    /// Checks names, plates, parents and cycles, then domains and tables. Nodes whose expressions use names without a value yet are
    /// left out of the later checks, together with everything that needs their labels.
    void build();
    const std::vector<Fault>& faults() const { return faults_; }
    /// What is known of its variables, faults or not.
    ModelShape shape() const;
    /// The model, when there was no fault and nothing was left out: of tables alone, or with real-valued nodes.
    std::optional<rt::ModelPtr> model() const;

private:
    /// `X ~ family(parameters)`.
    struct Drawn {
        rt::Family family = rt::Family::normal;
        std::vector<rt::Term> parameters = {};  ///< over positions in nodes_; of a categorical one for each label
        std::vector<rt::Label> labels = {};     ///< of a categorical
        std::vector<Span> spans = {};           ///< one for each parameter
        bool holes = false;                     ///< some of it is to be learned
        rt::Term most = {};                     ///< of counts: a constant that they do not exceed
    };
    /// `X ~ multinormal(mean, covariance)` or another family with parts: X[1] … X[k], each drawn given those before it.
    struct Joint {
        const rt::FamilyInfo* family = nullptr;
        std::vector<const Expr*> arguments;          ///< by parameter; null: 0, the mean of a process
        std::vector<std::vector<rt::Number>> known;  ///< its covariance
        std::vector<std::size_t> nodes;              ///< positions of the parts
        std::vector<rt::VectorPart> parts;           ///< once they were lowered
        const Call* uncertain = nullptr;             ///< its covariance, or of lkj the whole matrix, depends on variables
        const Expr* mean = nullptr;                  ///< then; null: 0
        /// Then: positions of the Cholesky factor L, row by row up to the diagonal; or one of it as a list, with those of the means of the
        /// parts given the parts before them.
        std::vector<std::size_t> factor;
        bool whole = false;
        std::vector<std::size_t> centre;
        std::vector<std::size_t> standard;  ///< and of z, with X - mean = L z
        std::vector<std::size_t> partial;   ///< of lkj: positions of the partial correlations, row by row below the diagonal
        std::int64_t rows = 0;              ///< of lkj
        std::vector<std::vector<rt::Term>> covariance = {};  ///< the lower triangle, once it was lowered
    };
    /// What a node of a joint is.
    enum class Part { whole, factor, centre, standard, partial, correlation };
    struct Node {
        const NetNodeDecl* decl = nullptr;
        std::string name;
        std::vector<Value> outer;  ///< the net's arguments, then the values of the plates round it, outermost first
        std::vector<std::size_t> parents;
        std::vector<std::size_t> slots;     ///< of parents after the bar: the place of each one's name there
        std::vector<std::string> together;  ///< plates that it names without an index: a list of their variables
        rt::DomainPtr domain;               ///< null: not known (yet)
        std::vector<rt::Number> table;
        bool hole = false;
        bool step = false;                   ///< of a chain: only helps to build up another node
        std::vector<char> known_rows;        ///< of a table with holes in some rows
        bool known = false;                  ///< its expressions can be evaluated now
        bool continuous = false;             ///< its values cannot be listed
        bool lowered = false;                ///< its expression has been made terms, or could not be
        std::optional<Drawn> drawn;          ///< not once it has become a table
        std::vector<Drawn> drawn_rows = {};  ///< of a table whose rows are draws of numbers
        std::size_t dimension = 0;           ///< of a vector that is one variable
        rt::Term computed;                   ///< a function of real-valued parents
        std::shared_ptr<Joint> joint = nullptr;
        Part part = Part::whole;
        std::size_t position = 0;  ///< in the joint: its row
        std::size_t column = 0;
    };
    using Row = std::vector<rt::Number>;  ///< one number for each label of the domain

    void build_nodes();
    void expand(const std::vector<NetItem>& items, std::vector<Value>& outer);
    void expand_plate(const Plate& plate, std::vector<Value>& outer);
    void expand_node(const NetNodeDecl& decl, const std::vector<Value>& outer);
    void link();
    void link_listed(Node& node);  ///< the parents after the bar
    /// Adds one, or all variables of a plate. False if there are none of that name, or one is there already.
    bool link_named(Node& node, const VariableRef& ref, std::size_t slot, const std::string& name);
    /// Whether the name after the bar stands for one variable, with the value in its slot; the expression finds all others by their names.
    static bool has_slot(const Node& node, std::size_t parent);
    // declare_net_parents.cpp
    class ParentReader;
    void read_parents(Node& node);  ///< those that its expression names
    bool mentions_parents(const Node& node, const Expr& expr) const;
    /// Reports `sky == rain` if rain is a number of the script and sky has no such value; true if nothing was reported.
    bool check_comparisons(const Node& node, const Expr& expr);
    const Node* parent_named(const Node& node, const Expr& expr) const;
    bool names_known(const Expr& expr) const;  ///< those of the script
    bool is_constant(const Expr& expr) const;  ///< and it names no variable
    bool evaluable(const Expr& expr) const;    ///< its names have values, and so have the net's parameters
    bool evaluable(const Node& node) const;
    static bool slots_for_parents(const Node& node) { return !node.decl->parents.empty(); }
    void order();  ///< topological, without what depends on a cycle; reports each cycle
    void tabulate(Node& node);
    bool declare_domain(Node& node, Frame& frame);  ///< in { … }
    void tabulate_block(Node& node, const CptBlock& block, Frame& frame);
    std::optional<std::vector<std::optional<Value>>> values_of_rows(Node& node, const CptBlock& block, Frame& frame);
    bool infer_domain(Node& node, const std::vector<std::optional<Value>>& values);
    std::string given_text(const Node& node, const CptRow& row) const;
    std::optional<std::vector<std::optional<std::size_t>>> rows_of_configurations(const Node& node, const CptBlock& block, Frame& frame);
    // declare_net_rows.cpp
    /// The value of a node's expression in one configuration of its parents.
    struct Said {
        std::optional<Value> value;  ///< nothing: a hole, or it failed
        const Expr* written = nullptr;
        std::optional<std::size_t> failure;  ///< in a list of faults
        void keep(Result<Value> said, std::vector<Fault>& failures) {
            if (said) {
                value = *std::move(said);
            } else {
                failure = failures.size();
                failures.push_back(std::move(said).fault());
            }
        }
    };
    bool tabulate_expression(Node& node, const Expr& expr, Frame& frame);  ///< false: after a ~ it gives no draw with listed values
    void tabulate_rows(Node& node, const CptBlock& block, Frame& frame);   ///< some of them name parents
    bool is_record(const Node& node, const CptBlock& block) const;         ///< {heads: Bias, tails: 1 - Bias}: not rows
    void tabulate_record(Node& node, const CptBlock& block, Frame& frame);
    void tabulate_said(Node& node, std::vector<Said> said, std::vector<Fault> failures, Span span);
    bool has_room(Node& node, std::size_t rows, Span span);
    bool share_table(Node& node, const Expr& expr);
    bool tabulate_ranges(Node& node, const Expr& expr, Frame& frame);
    rt::DomainPtr domain_said(const Node& node, std::vector<Said>& said, std::optional<rt::Factor>& joint);
    Result<Value> eval_in(const Expr& expr, Frame& frame, Evaluator::Indexed& named);
    bool too_many_rows(const Node& node, Span span);
    void refuse_rows(const Node& node, Span span);
    /// A later variable of the same plate whose table has too many rows, where this node has at least so many values.
    const Node* outgrown(const Node& node, std::size_t values) const;
    /// Whether this configuration of its parents has a probability above zero, as far as the tables show.
    bool can_be_reached(const Node& node, std::size_t configuration, std::optional<rt::Factor>& joint);
    std::optional<rt::Factor> joint_of_parents(const Node& node);
    // declare_net_chain.cpp
    rt::QuantityPtr quantity_of(const Node& node, const Expr& expr);
    bool tabulate_chain(Node& node, const Expr& expr);
    // declare_net_drawn.cpp
    TermLowering lowering(const Node& node, bool holes);
    SymbolicFrame symbolic_frame(const Node& node) const;
    void adopt(Node& node, const rt::Term& term);  ///< its variables as parents, its holes as holes of the draw
    std::optional<Fault> lower_drawn(Node& node);  ///< why it cannot be a draw by terms, where it cannot
    void lower_first(Node& node);
    // declare_net_draw_tables.cpp
    void tabulate_drawn(Node& node);
    void finish_drawn(Node& node);          ///< once its parameters are terms
    bool list_values(Node& node);           ///< its domain, where it has one; false after a fault
    void tabulate_finite_draw(Node& node);  ///< all its values can be listed, and those of its parents
    std::optional<std::vector<rt::Number>> drawn_row(const Node& node, std::size_t configuration, std::optional<Fault>& wrong) const;
    void tabulate_draws(Node& node, Fault otherwise);
    bool can_be(const Node& node, std::size_t configuration) const;  ///< each of these labels has a probability in some row
    // declare_net_hybrid.cpp
    static bool is_condition(const Expr& expr);  ///< its value is true or false
    void compute(Node& node, const Expr& expr);
    static bool is_drawn_by_rows(const NetNodeDecl& decl);  ///< { man: normal(178, 7), woman: … }
    void lower_rows(Node& node);
    static bool fit_together(const Drawn& a, const Drawn& b);  ///< as rows of one node
    Drawn joined_rows(const Node& node, const Node& keyed, const std::vector<std::size_t>& row_of) const;
    void tabulate_drawn_rows(Node& node);
    bool is_drawn_by_expression(const Node& node) const;  ///< `: poisson(a + b)`
    void draw_by_expression(Node& node);
    Result<rt::Term> drawn_case(Node& node, const Expr& expr, const rt::Term& condition, TermLowering& terms, SymbolicFrame& frame);
    std::optional<Node> keyed_parents(const Node& node);
    rt::Term by_configuration(const std::vector<std::size_t>& parents, const std::function<rt::Term(std::size_t)>& term_at,
                              std::size_t k = 0, std::size_t configuration = 0) const;
    using LabelCases = std::vector<std::pair<rt::Label, rt::Term>>;
    /// Labels with their probabilities. Not applicable where the value is a number.
    Attempt<LabelCases> label_cases(const Node& node, const Symbolic& value, Span span, TermLowering& terms);
    Result<LabelCases> cases_of_record(const Node& node, const CptBlock& block, TermLowering& terms);
    Result<LabelCases> cases_of_row(const Node& node, const Expr& row, TermLowering& terms);
    void draw_labels(Node& node, const LabelCases& cases, Span span);
    void tabulate_label_rows(Node& node, const CptBlock& block);
    bool only_parents(const Node& node, const rt::Term& term, Span span);  ///< reports other variables, and labels that are none of theirs
    Result<Drawn> drawn(const Expr& expr, TermLowering& lowering, SymbolicFrame& frame);
    Result<Drawn> drawn_call(const rt::FamilyInfo& info, const Call& call, Span span, TermLowering& lowering, SymbolicFrame& frame);
    Result<Drawn> drawn_value(const rt::Distribution& d, Span span);
    // declare_net_limits.cpp
    static const Call* ordered_call(const Expr& expr);
    Result<Drawn> drawn_within(const Binary& binary, Span span, TermLowering& lowering, SymbolicFrame& frame);
    Result<Drawn> drawn_in_order(const Node& node, const Call& call, Span span, TermLowering& lowering, SymbolicFrame& frame);
    std::optional<rt::Term> variable_named(const std::string& name) const;
    std::vector<rt::Term> members_of(const Node& node, const std::string& plate) const;  ///< without itself
    bool check_leaves(const Node& node, const rt::Term& term, Span span);
    void check_constants(const Node& node);
    rt::ContinuousNet continuous_net() const;
    // declare_net_joint.cpp
    static const Call* drawn_call_of(const NetNodeDecl& decl);  ///< the call of a builtin after ~; null: something else
    static const Call* drawn_from(const NetNodeDecl& decl, std::string_view family);
    static const rt::FamilyInfo* family_of(const NetNodeDecl& decl);  ///< after ~, where that is a call of one
    static const Expr* argument_of(const Call& call, std::string_view name, std::size_t position);
    bool expand_joint(const NetNodeDecl& decl, const Node& like);  ///< whether it is one; `like`: its name and plates
    void expand_list(std::shared_ptr<Joint> joint, const Expr& list, const NetNodeDecl& decl, const Node& like);
    void expand_known(std::shared_ptr<Joint> joint, const Expr& covariance, const NetNodeDecl& decl, const Node& like);
    void add_parts(std::shared_ptr<Joint> joint, std::size_t k, const NetNodeDecl& decl, const Node& like);
    Result<std::size_t> entries_of(const Expr& list, const rt::FamilyInfo& family, const Node& like);
    Result<Drawn> drawn_part(const Node& node, TermLowering& lowering, SymbolicFrame& frame);
    Result<std::vector<rt::VectorPart>> parts_of(const Joint& joint, TermLowering& lowering, SymbolicFrame& frame);
    /// One entry for each part; 0 where nothing is written.
    Result<std::vector<rt::Term>> list_of(const Joint& joint, const Expr* list, TermLowering& lowering, SymbolicFrame& frame);
    // declare_net_covariance.cpp
    void add_factored(const Call& call, const Expr* mean, std::size_t k, const NetNodeDecl& decl, const Node& like);
    void expand_uncertain(const Call& call, const Expr* mean, const NetNodeDecl& decl, const Node& like);
    void expand_process(const Call& call, const NetNodeDecl& decl, const Node& like);
    void expand_correlations(const Call& call, const NetNodeDecl& decl, const Node& like);
    bool add_factors(const std::shared_ptr<Joint>& joint, std::size_t k, const NetNodeDecl& decl, const Node& like);
    std::size_t add_part(const std::shared_ptr<Joint>& joint, Part part, std::size_t row, std::size_t column, std::string name,
                         const Node& like);
    std::size_t dimension_of(const Expr& list, const Node& like);
    Status lower_covariance(const Node& node, TermLowering& lowering, SymbolicFrame& frame);
    Status lower_process(Joint& joint, TermLowering& lowering, SymbolicFrame& frame);
    std::optional<Fault> lower_part(Node& node, TermLowering& lowering, SymbolicFrame& frame);
    rt::Term factor_term(const Joint& joint, std::size_t row, std::size_t column) const;
    rt::Term centre_term(const Joint& joint, const std::vector<rt::Term>& means, std::size_t row) const;
    rt::Term standard_term(const Joint& joint, const std::vector<rt::Term>& means, std::size_t row) const;
    rt::Term correlation_factor(const Joint& joint, std::size_t row, std::size_t column) const;
    rt::NetNode table_of(const Node& node) const;
    void tabulate_noisy(Node& node, const Call& call, Frame& frame);
    /// Causes that act independently on the levels of an effect.
    struct NoisyCauses {
        std::vector<std::size_t> levels;  ///< positions in the effect's domain from the lowest up
        /// [k][v][level]: P(contribution ≤ level) of parent k at its value v; the leak comes last.
        std::vector<std::vector<std::vector<rt::Number>>> below;
        std::vector<std::vector<char>> learned;  ///< [k][v]: the contribution is a `?`
        std::vector<std::string> names;          ///< the leak's first, then the parents'
        std::vector<bool> given;
    };
    struct NoisyLink {
        std::optional<std::size_t> cause;  ///< a node; none: the leak, where it is known
        std::vector<std::vector<rt::Number>> below;
    };
    static const Call* noisy_call(const NetNodeDecl& decl);  ///< noisy_or(…) or noisy_max(…) in the place of its table
    bool noisy_levels(Node& node, bool maximum, NoisyCauses& causes);
    bool noisy_argument(Node& node, const Argument& argument, std::string_view form, NoisyCauses& causes, Frame& frame);
    bool noisy_strength(Node& node, std::size_t place, const Value& value, const Expr& written, NoisyCauses& causes);
    bool noisy_hole(const Node& node, std::size_t place, const Expr& written, NoisyCauses& causes);
    std::optional<std::size_t> noisy_presence(const Node& node, std::size_t place, const Expr& written, const NoisyCauses& causes);
    void multiply_noisy(Node& node, const NoisyCauses& causes);
    NoisyLink noisy_contribution(const Node& node, std::size_t k, const NoisyCauses& causes);
    static void append_levels(Node& step, const NoisyCauses& causes, const std::vector<rt::Number>& below);
    void chain_noisy(Node& node, const NoisyCauses& causes);
    Node& add_step(const Node& node, std::string name);  ///< with the same values
    std::optional<std::vector<std::size_t>> row_matches(const Node& node, const CptRow& row, Frame& frame);
    static void add_labels(std::vector<rt::Label>& labels, const Value& value);
    static void add_labels_of(const Value& value, const std::function<void(const rt::Label&)>& add);
    using Where = std::function<std::string()>;  ///< " given A = a", for messages
    class RowReader;
    std::optional<Row> row_of(const Node& node, const Value& value, const Expr& written, const Where& where);
    bool partial_hole(const Expr& row);
    Frame frame_of(const Node& node) const;
    bool parents_known(const Node& node);   ///< their values; reports those that only data can determine
    static bool is_open(const Node& node);  ///< a `?` whose values come with the data
    Fault open_fault(const Node& node, std::string why) const;
    std::size_t configurations(const Node& node) const;
    std::string configuration_text(const Node& node, std::size_t configuration) const;
    void bind_together(const Node& node, Evaluator::Indexed& named) const;
    void bind_parents(const Node& node, std::size_t configuration, Frame& frame, Evaluator::Indexed& named) const;
    void report(Fault fault) { faults_.push_back(std::move(fault)); }
    void drop_repeated();  ///< what a plate repeats for each of its variables

    Evaluator& self_;
    const NetStmt& statement_;
    std::vector<Value> arguments_;
    std::size_t unknown_ = 0;  ///< how many parameters have no value yet: all or none
    bool before_run_ = false;  ///< names of the script may have no value yet
    std::deque<Node> nodes_;   ///< a node stays where it is when the steps of a chain are added
    std::unordered_map<std::string, std::size_t> by_name_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> plates_;  ///< the variables of each plate, in order
    std::set<std::string> open_;                                           ///< names of plates whose range is not known yet
    std::vector<std::size_t> order_;
    std::unordered_map<const NetNodeDecl*, rt::DomainPtr> last_domains_;  ///< of the node that each declaration made last
    std::size_t numbers_ = 0;                                             // in all tables so far
    std::vector<Fault> faults_;
    /// Keys of rows in plates: why no parent has that value, as long as none has.
    std::map<const RowKey*, std::optional<Fault>> unmatched_;
    std::size_t holes_ = 0;  ///< in terms: hole k is the variable nodes_.size() + k
    bool whole_ = true;
};

/// Whether all names that are not variables of a declaration have a value already. (Before the run most have none.)
bool names_have_values(const Expr& expr, const World& world);
/// Whether a declaration that is not a net can be built before the run.
bool is_evaluable(const Statement& statement, const World& world);

}  // namespace credence::lang
