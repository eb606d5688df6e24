#pragma once
// Runs checked trees. Split by subject over eval*.cpp, call.cpp, query*.cpp, declare_*.cpp and explain.cpp.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lang/builtin/signature.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/value/function.hpp"
#include "lang/world/output.hpp"
#include "lang/world/world.hpp"
#include "runtime/core/attempt.hpp"
#include "runtime/prob/declared/hmm.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {
struct MixturePart;
struct HypothesisSpace;
class NumericModel;
class RowBlocks;
}  // namespace credence::rt

namespace credence::lang {

class AskedOnce;
class DerivationLines;
class Machine;
class QueryLowering;
using Frame = std::vector<Value>;
using rt::Attempt;
using rt::Fault;
using rt::not_applicable;
using rt::Result;
using rt::Status;

/// A place in a text that an Origin stands for.
struct Place {
    SourcePtr source;
    Span span;
};

/// Which of a plate's variables an index names: X[2], or several of them, X[1..3].
struct PlateIndices {
    std::vector<std::string> texts;
    bool several = false;
};

class Evaluator : public CallContext {
public:
    explicit Evaluator(World& world, SourcePtr source, std::string folder);
    ~Evaluator() override;

    /// Runs one statement; prints what a bare expression prints (unless `quiet`).
    Status execute(const Statement& statement, bool quiet);
    Result<Value> eval(const Expr& expr, Frame& frame);

    /// The model that a declaration describes: as it was built before the run, or built now.
    Result<Value> declare(const Statement& statement);

    /// The place a fault points at, or the given one where it has none.
    Place place_of(const Fault& fault, Span otherwise) const;
    /// What goes wrong inside a function of the library is the matter of the script's call.
    void blame_call(Fault& fault, const std::string& function, Span call);

    // CallContext
    Result<Value> call(const Value& function, std::span<const Value> arguments) override;
    rt::Run& run() override { return run_; }
    const ShowOptions& show() const override { return show_; }
    void note(std::string text) override { add_note(std::move(text), false); }
    /// Says what was noted since the last time: each thing once, with how often it was noted.
    void tell_notes();
    Result<rt::FilePath> file(const std::string& path) override;
    rt::Origin argument(std::size_t i) override;
    std::string argument_text(std::size_t i) override;
    Result<ModelValue> model_with(std::span<const std::string> variables) override;
    const Registry& registry() const override { return world_.registry; }
    rt::Rng& rng() override { return world_.rng; }
    std::function<Result<Value>(std::span<const Value>)> kept(const Value& function) override;

private:
    friend class AskedOnce;
    friend class Machine;
    friend class QueryLowering;
    friend class NetDeclaration;
    friend class TermLowering;

    rt::Origin origin(Span span);
    Fault fault(rt::FaultCode code, std::string message, Span span, std::string label = {}, std::string hint = {});
    /// The fault with this place, unless it has one.
    Fault at(Fault fault, Span span);

    /// Whether it is from the part of the standard library that is written in the language.
    bool is_standard(const SourcePtr& source) const;
    /// As `eval` with nothing in the frame; by compiled code where that pays.
    Result<Value> eval_statement(const Expr& expr);
    Machine& machine();

    // eval.cpp
    Result<Value> eval_truncated(const rt::DistributionPtr& whole, const Range& limits, Span span, Frame& frame);
    Result<Value> eval_name(const NameExpr& name, Span span, const Frame& frame);
    Result<Value> resolved(const Resolution& resolution, const std::string& name, Span span, const Frame& frame);
    Result<Value> data_label(const Resolution& resolution, const std::string& name, Span span);  ///< of a table that was loaded
    Result<Value> eval_text(const TextLit& text, Frame& frame);
    Result<Value> eval_comprehension(const Comprehension& c, Frame& frame);
    Result<Value> ends_of(const Range& range, Frame& frame);  ///< the list of a range, or its two ends where they are fractional
    Result<Value> eval_range(const Range& range, Frame& frame);
    Result<Value> range_between(const Range& range, const rt::Number& from, const rt::Number& to, const rt::Number* step);
    Result<Value> eval_if(const If& node, Frame& frame);
    Result<Value> eval_index(const Index& index, Span span, Frame& frame);
    Result<Value> index_into(const Value& base, const Index& index, Span span, Frame& frame);
    Result<Value> eval_plate_index(const ListPtr& plate, const Index& index, Span span, Frame& frame);
    /// The item at a position, or the part at a list of positions: of a list or instance, a table's rows, a record's keys.
    Result<Value> item_at(const Value& base, const Value& at, const Expr& written, Span span);
    static std::string column_hint(const Value& base, const Value& key);
    Result<Value> part_at(const Value& base, const List& positions, const Expr& written, Span span);
    /// The index in the brackets of a plate's variable: a label, a number, a row of a table (its position), several with commas.
    Result<std::string> index_text(const Expr& index, Frame& frame);
    Result<std::string> index_text(const Value& index, Span span);
    Result<PlateIndices> plate_indices(const Index& index, Frame& frame);
    Result<PlateIndices> plate_indices(const Value& at, Span span);
    Result<Value> eval_indexed(const std::string& plate, const Index& index, Span span, Frame& frame);
    Result<Value> eval_member(const Member& member, Span span, Frame& frame);
    Result<Value> eval_unary(const Unary& unary, Span span, Frame& frame);
    Result<Value> negated(const Value& value, Span span);
    Result<Value> eval_binary(const Binary& binary, Span span, Frame& frame);
    Result<Value> eval_sample(const Sample& sample, Span span, Frame& frame);
    Result<List> eval_all(const std::vector<ExprPtr>& items, Frame& frame);
    Result<bool> condition(const Expr& expr, Frame& frame);
    Result<rt::Number> number(const Expr& expr, Frame& frame);
    /// The expression where a bare word is a label (after `X =`, in a factor's index, in their lists).
    Result<Value> eval_label(const Expr& expr, Frame& frame);
    Result<std::string> key_of(const RecordEntry& entry, Frame& frame);
    Result<Value> closure(const Lambda& lambda, const Frame& frame) const;
    /// A new value, or E-DEPTH and E-COST where it reaches too far to be shown, compared and destroyed.
    Result<Value> bounded(Value value, Span span);

    // arithmetic.cpp
    Result<Value> arithmetic(BinaryOp op, const Value& a, const Value& b, Span span);
    Result<rt::Number> arithmetic(BinaryOp op, const rt::Number& a, const rt::Number& b, Span span);
    Fault never_equal(const Value& a, const Value& b, Span span);
    Result<bool> compare(BinaryOp op, const Value& a, const Value& b, Span span);
    Result<bool> contains(const Value& item, const Value& collection, Span span);

    // call.cpp
    struct Passed {
        std::vector<Value> values;
        std::vector<std::string> names;
        std::vector<Span> spans;
    };
    Result<Passed> pass(const std::vector<Argument>& arguments, Frame& frame, const Value* first, Span first_span,
                        const Overloads* builtin = nullptr);
    Result<Value> eval_call(const Call& call, Span span, Frame& frame, const Value* piped, Span piped_span);
    Result<Value> eval_pipe(const Pipe& pipe, Span span, Frame& frame);
    Result<Value> apply(const Value& function, Passed passed, Span span);
    Result<Value> apply_closure(const Closure& closure, std::span<Value> arguments, Span span);
    Result<Value> apply_net(const NetFunction& function, std::span<Value> arguments, Span span);
    /// Calls the first form that takes the arguments; `derivation` gets what it has to explain. `matched`: how the arguments go to the
    /// parameters of each form, where that is known.
    struct BoundArguments {
        std::vector<std::optional<Value>> arguments;
        std::vector<Span> spans;
        std::optional<Fault> refused;  ///< of the first that does not fit its parameter
    };
    Result<BoundArguments> bound_arguments(const Builtin& form, const Matching& matching, const Passed& passed, std::string_view name,
                                           Span span);
    Result<Value> apply_builtin(std::span<const Builtin* const> forms, std::string_view name, const Passed& passed, Span span,
                                rt::Derivation* derivation = nullptr, std::span<const std::variant<Matching, Mismatch>> matched = {});
    Result<Value> member_of(const Value& base, const Word& name, Span span, const std::vector<Argument>* arguments, Frame& frame);

    // query.cpp
    Result<Value> eval_query(const QueryExpr& query, Span span, Frame& frame);
    Attempt<Value> number_by_values(const rt::Query& query, const ModelValue& model, Span span);
    Result<Value> answered(const QueryExpr& query, Span span, Frame& frame);
    Result<ModelValue> model_of(const QueryExpr& query, Span span, Frame& frame);
    Result<ModelValue> known_model(Result<ModelValue> model, Span span);
    Result<ModelValue> as_model(const Value& value, Span span);
    /// `open`: the variables of do(X) without a value.
    Result<rt::Answer> ask(const QueryExpr& query, Span span, Frame& frame, rt::Goal goal, rt::Query* lowered, ModelValue* model,
                           std::vector<rt::VarId>* open = nullptr);
    /// E(f | e): what f is worth in each possible case, and how probable that is. `over`: what was free in the evidence.
    struct Expectation {
        struct Term {
            rt::Number worth;
            rt::Number weight;
            std::size_t slot = 0;
            std::string name;
        };
        std::vector<Term> terms;
        std::vector<rt::Variable> over;
        bool integral = false;  ///< of a real-valued variable: its value is the one term of each slot
    };
    Result<Expectation> expectation(const QueryExpr& query, Span span, Frame& frame);
    Result<Expectation> weighed(const QueryExpr& query, Span span, Frame& frame, const ModelValue& model, const rt::Query& lowered,
                                const std::vector<std::uint32_t>& slots);
    static rt::Number error_of_mean(const Expectation& of, const rt::Number& error);
    Result<rt::Number> mean_under(const rt::Distribution& d, const QueryExpr& query, Span span, Frame& frame, std::uint32_t slot,
                                  const std::function<Result<rt::Number>()>& worth);
    Attempt<Expectation> real_expectation(const QueryExpr& query, Span span, Frame& frame, const ModelValue& model,
                                          const ModelValue& extended, QueryLowering& lowering);
    Attempt<Expectation> mean_of_quantity(const QueryExpr& query, Span span, Frame& frame, const ModelValue& model, QueryLowering& lowering,
                                          bool anyway);
    Result<Value> eval_expectation(const QueryExpr& query, Span span, Frame& frame);
    // query_entropy.cpp
    Attempt<double> mean_entropy(const ModelValue& model, const rt::Query& query, const std::vector<rt::VarId>& numbers,
                                 const std::optional<rt::Factor>& labels, std::span<const rt::VarId> over, Span span);
    Attempt<double> joint_entropy(const ModelValue& model, const rt::Query& query, const std::vector<rt::VarId>& of,
                                  const std::function<bool(rt::VarId)>& is_number, Span span);
    Attempt<rt::Number> entropy_of_numbers(const QueryExpr& query, Span span, Frame& frame);
    /// Of H and I: the joint over all they name, and the positions of the first side, the second, and what is free in the evidence.
    struct Joint {
        rt::Factor table;
        std::vector<std::size_t> sizes;
        std::vector<std::size_t> x, y, z;
        rt::DistributionPtr drawn;  ///< instead of a table: of one number
    };
    Result<Joint> joint_of_sides(const QueryExpr& query, Span span, Frame& frame);
    Result<Value> eval_entropy(const QueryExpr& query, Span span, Frame& frame);
    // posterior.cpp
    Result<Value> eval_posterior(const QueryExpr& query, Span span, Frame& frame);
    Attempt<ModelValue> posterior(const QueryExpr& query, Span span, Frame& frame, bool& small);
    Result<Value> eval_argmax(const Expr& operand, bool largest, Span span, Frame& frame);
    Result<Value> extreme_of(const Value& value, bool largest, Span span);
    // method_call.cpp
    /// What follows `by`, which must be one of the methods that the model has.
    Result<rt::MethodCall> method_call(const Expr& by, MethodUse use, const rt::Model& model, Frame& frame);
    Result<rt::EngineChoice> engine_of(const QueryExpr& query, const rt::Model& model, Frame& frame);
    // query.cpp
    Result<rt::Answer> ask_for_each(const rt::Model& model, const rt::Query& query, std::span<const rt::VarId> open);
    void note_answer(const rt::Answer& answer, Span span);

    // trace.cpp
    /// The value of an expression in which variables of the model have quantities for values.
    Result<Value> traced(const Expr& expr, Frame& frame);
    /// One more entry, whose key was computed.
    Status add_entry(Record& record, std::string key, Value value, Span span);
    Result<rt::Label> value_in_case(BinaryOp op, const Value& left, const Value& right, Span span);
    Result<Value> trace_binary(BinaryOp op, const Value& left, const Value& right, Span span);
    Result<Value> trace_not(const Value& operand, Span span);
    Result<Value> trace_if(const Value& condition, const If& node, Frame& frame);
    Result<Value> trace_equal(const Value& a, const Value& b, Span span);
    Result<Value> trace_median(const std::vector<rt::QuantityPtr>& sorted, Span span);
    Attempt<Value> trace_distinct(const Call& call, Frame& frame);
    Attempt<Value> trace_call(std::span<const Builtin* const> forms, std::string_view name, const Passed& passed, Span span);
    /// xs[z], R[z]: which item or variable of a plate it is depends on a quantity.
    Result<Value> chosen(const Value& base, const Value& index, const Expr& written, Span span);
    std::optional<std::string> variable_named(const Value& value) const;  ///< a label that is the name of a variable
    Fault not_a_mean(const Expr& of, const rt::Label& value);             ///< E of labels
    /// E-TYPE if a quantity, or one of a list, never has a number or a truth for its value; `what`: "a sum".
    Status numbers_only(const Value& value, std::string_view what, Span span);
    Fault not_a_quantity(const Value& value, Span span);
    rt::QuantityPtr as_value_of(const rt::QuantityPtr& variable, rt::QuantityPtr constant) const;
    void note_never_equal(const rt::QuantityPtr& a, const rt::QuantityPtr& b);
    /// A case in which the quantities have these values; nothing if a variable is a number.
    std::optional<std::vector<rt::Label>> example_of(const std::vector<rt::QuantityPtr>& quantities) const;
    /// A quantity that is computed from the values case by case; `op` is what that is on numbers.
    Result<Value> pointwise(std::vector<Value> values, std::function<Result<Value>(std::vector<Value>)> compute,
                            std::optional<rt::TermOp> op, Span span);

    // train.cpp
    /// What is trained, on what.
    struct Training {
        rt::LearnerPtr learner;
        rt::TablePtr table;
        std::shared_ptr<const rt::RowBlocks> blocks = {};  ///< in place of the table, where its rows are read in blocks
    };
    Result<Training> training_of(const Train& train, Span span, Frame& frame);
    Result<rt::ModelPtr> fit(const Training& training, Span span);
    Result<Value> eval_train(const Train& train, Span span, Frame& frame);

    // explain.cpp, explain_query.cpp, explain_expression.cpp
    const Overloads* overloads_of(const Call& call) const;
    static bool is_of_queries(const Expr& expr);
    /// Of an argmax over many variables: the probability of the best assignment; no lines if its cases can be shown one by one.
    Result<std::vector<DerivationText>> derive_most_probable(const QueryExpr& query, const Expr& expr, Frame& frame, Value& value);
    /// Whether argmax asks the model itself, for the joint table of the targets may be too large.
    static bool maximises_together(const QueryExpr& query);
    Result<std::vector<DerivationText>> derive_queries(const Expr& expr, Frame& frame);
    Result<std::vector<DerivationText>> derive_expression(const Expr& expr, Frame& frame, Value& value);
    Result<std::vector<DerivationText>> derive_query(const QueryExpr& query, Span span, Frame& frame, Value& value);
    Status derive_probability(const QueryExpr& query, Span span, Frame& frame, Value& value, DerivationLines& out);
    Status derive_expectation(const QueryExpr& query, Span span, Frame& frame, const Value& value, DerivationLines& out);
    static void derive_mean(const std::vector<Expectation::Term>& terms, std::string what, const rt::Number& value, DerivationLines& out);
    Status tell(const rt::Model& model, const rt::Query& lowered, const rt::Answer& answer, Span span, DerivationLines& out);
    Status derive_entropy(const QueryExpr& query, Span span, Frame& frame, const Value& value, DerivationLines& out);
    Result<std::vector<DerivationText>> derive_training(const Train& train, Span span, Frame& frame, Value& value);
    Result<std::vector<DerivationText>> derive_call(const Call& call, Span span, Frame& frame, Value& value);
    Status explain(const Expr& operand, std::size_t line, Frame& frame);
    Attempt<std::vector<DerivationText>> derive_best(const Expr& expr, Frame& frame, Value& value);
    Result<std::vector<DerivationText>> derive(const Expr& expr, Frame& frame, Value& value);

    // statements.cpp
    void add_note(std::string text, bool counted);
    Status execute_set(const SetStmt& set, Frame& frame);
    Status execute_expect(const ExpectStmt& expect, const Statement& statement, Frame& frame);
    Result<bool> within(const Value& a, const Value& b, const rt::Number& tolerance, Span span);
    Value shown_value(const Value& value);
    void print(const ExprStmt& statement, const Value& value);
    Value named_space(const Expr& expr, const Value& value) const;

    // declare_*.cpp
    Result<Value> declare_net(const NetStmt& net, std::vector<Value> arguments);
    Result<Value> declare_model(const NetStmt& net) { return declare_net(net, {}); }
    Result<Value> declare_model(const HypothesesStmt& hypotheses);
    Status declare_explicit(const HypothesesStmt& statement, rt::HypothesisSpace& space);
    Status declare_prior(const HypothesesStmt& statement, rt::HypothesisSpace& space, std::size_t count);
    bool declare_outcome_by_terms(const HypothesesStmt& statement, rt::HypothesisSpace& space);
    Status complete_prior(const HypothesesStmt& statement, std::vector<rt::Number> priors, rt::HypothesisSpace& space);
    Status declare_parametric(const HypothesesStmt& statement, rt::HypothesisSpace& space);
    Result<std::size_t> declare_parameters(const HypothesesStmt& statement, rt::HypothesisSpace& space);
    void declare_outcome_of_inputs(const HypothesesStmt& statement, rt::HypothesisSpace& space);
    Result<Value> declare_model(const TableStmt& table);
    Result<Value> declare_model(const HmmStmt& hmm);
    Result<rt::DomainPtr> emitted_symbols(const HmmStmt& hmm, Frame& frame);
    Result<std::vector<rt::Number>> shares_over(const Expr& expr, const rt::Domain& domain, std::string_view what, Frame& frame);
    Result<rt::HmmEmission> emission(const Expr& expr, const HmmStmt& hmm, const rt::Domain& symbols, Frame& frame);
    Result<Value> declare_model(const MixtureStmt& mixture);
    Result<rt::MixturePart> mixture_part(const Expr& expr, Frame& frame);
    Result<rt::MixturePart> part_with_holes(const Call& call, Span span, Frame& frame);
    Result<Value> declare_model(const GrammarStmt& grammar);
    Result<Value> declare_model(const CasesStmt& cases);
    Result<Value> eval_graph(const GraphBody& body);

    World& world_;
    SourcePtr source_;
    std::string folder_;  ///< relative paths start here
    rt::Run run_;
    ShowOptions show_;
    std::vector<Place> places_;         ///< by Origin, from 1
    std::vector<Span> argument_spans_;  ///< of the running builtin's parameters
    Span statement_span_;
    std::vector<std::pair<Diagnostic, std::size_t>> notes_;  // in this statement, with how often learners noted them
    std::optional<AnswerInfo> last_answer_;
    /// What the variables of plates (`Q[2]`) stand for while an expression over them is worked out; `missed` is one it has no value for.
    struct Indexed {
        std::map<std::string, Value> values;
        std::set<std::string> plates = {};
        std::string missed = {};
    };
    Indexed* indexed_ = nullptr;
    /// The variables that quantities are over, while expressions with them are worked out.
    std::function<rt::Variable(rt::VarId)> variable_of_;
    int trace_depth_ = 0;               ///< calls of functions within each other while tracing
    std::unique_ptr<Machine> machine_;  ///< with the code of what has run
    bool keys_add_up_ = false;          ///< in a row of a net: the probabilities of one value are added
    int tracing_ = 0;                   ///< how many expressions over quantities are being worked out
    /// Queries within an expectation that are the same in all its cases, with their values once they are known.
    std::map<const QueryExpr*, std::optional<Value>> asked_once_;
    std::map<const List*, std::vector<std::string>> plates_;  ///< lists that stand for a plate's variables: what is in the brackets of each
};

/// P(*) or P(* | e): the model given e.
bool asks_for_everything(const QueryExpr& query);

/// One of the values, a number where there is one; nothing if there are none.
std::optional<rt::Label> example_value(const rt::Domain& domain);

/// Whether it contains a quantity.
bool holds_quantity(const Value& value);

/// The query with each value of what do(X) leaves open, the last one fastest.
Status each_doing(const rt::Model& model, rt::Query query, std::span<const rt::VarId> open,
                  const std::function<Status(const rt::Query&, std::size_t)>& visit);

}  // namespace credence::lang
