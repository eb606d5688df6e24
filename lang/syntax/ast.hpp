#pragma once
// The tree of a script. Plain structs; sum types are variants. Every node has its span.
// The checker fills the `Resolution` of names; nothing else in a tree changes after parsing.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/text/source.hpp"
#include "lang/text/span.hpp"
#include "runtime/core/rational.hpp"

namespace credence::lang {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// A word where a name is declared or a member, parameter, key or label is written: the text without backticks or quotes.
struct Word {
    std::string text;
    Span span;
};

/// What a bare word means (language.md §3), decided by the checker.
inline constexpr std::uint32_t no_slot = UINT32_MAX;
struct Resolution {
    enum class Kind {
        unresolved,
        local,
        global,
        label,
        data_label,  ///< a word that nothing declares, where data may have brought it: known when the statement runs
        model,
        builtin,
        option
    };
    Kind kind = Kind::unresolved;
    std::uint32_t slot = 0;  ///< local: slot in the frame; data_label: of the library's value of that name, or no_slot
};

// --- expressions ----------------------------------------------------------------------------------------------

struct NumberLit {
    rt::Rational value;
};
struct BoolLit {
    bool value = false;
};
/// "n = {x}": pieces of text (escapes decoded) and expressions in turn.
struct TextLit {
    std::vector<std::variant<std::string, ExprPtr>> parts;
};
struct SignLit {
    char sign = '+';
};  ///< the label + or -
struct NameExpr {
    std::string name;
    bool quoted = false;
    Resolution resolved = {};
};                  ///< quoted: written in backticks
struct HoleLit {};  ///< ?
struct ListLit {
    std::vector<ExprPtr> items;
};
/// Of several `for`, the body of each is the comprehension of the next, whose items it takes one by one.
struct Comprehension {
    ExprPtr body;
    Word variable;
    ExprPtr source;
    ExprPtr condition;
    std::uint32_t slot = 0;
    bool flatten = false;
};  ///< condition may be null
struct RecordEntry {
    Word key;  ///< empty if it is computed
    ExprPtr value;
    ExprPtr computed = nullptr;  ///< `(x + 1)`: its value is the key
};
struct RecordLit {
    std::vector<RecordEntry> entries;
};
struct SetLit {
    std::vector<ExprPtr> items;
};
struct AnyValue {};  ///< ? in an instance
struct NoValue {};   ///< ∅ in an instance
struct InstanceElement {
    std::variant<AnyValue, NoValue, ExprPtr> value;
    Span span;
};
struct InstanceLit {
    std::vector<InstanceElement> elements;
};

enum class UnaryOp { negate, not_, argmax, argmin };
struct Unary {
    UnaryOp op{};
    ExprPtr operand;
};
enum class BinaryOp {
    or_,
    and_,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    in,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power
};
struct Binary {
    BinaryOp op{};
    ExprPtr left;
    ExprPtr right;
    Span op_span;
};
struct Range {
    ExprPtr from;
    ExprPtr to;
    ExprPtr step;
};  ///< step may be null
struct If {
    ExprPtr condition;
    ExprPtr then_;
    ExprPtr else_;
};
/// Locals live in numbered slots of a frame: parameters first, then captured values (copied when the closure is made: nothing is
/// ever assigned twice) and the variables of comprehensions, `where` and expectations. The checker counts them.
struct Capture {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};  ///< slot outside, slot inside
struct FrameLayout {
    std::uint32_t size = 0;
    std::vector<Capture> captures = {};
};
struct Lambda {
    std::vector<Word> params;
    ExprPtr body;
    bool parenthesised = false;
    FrameLayout frame = {};
};
struct Argument {
    std::optional<Word> name;
    ExprPtr value;
    ExprPtr index = nullptr;  ///< `C[i]: 0.8`: the parents of noisy_or in a plate
};
struct Call {
    ExprPtr callee;
    std::vector<Argument> arguments;
};
struct Index {
    ExprPtr base;
    std::vector<ExprPtr> indices;
};
struct Member {
    ExprPtr base;
    Word name;
};
struct Pipe {
    ExprPtr left;
    ExprPtr right;
};  ///< x |> f(a); right is a postfix expression, mostly a Call
struct Explain {
    ExprPtr operand;
};
struct Train {
    ExprPtr learner;
    ExprPtr data;
    ExprPtr by;
};  ///< by may be null
struct Sample {
    ExprPtr count;
    ExprPtr source;
    ExprPtr by;
};  ///< count and by may be null

// --- queries --------------------------------------------------------------------------------------------------

struct EventExpr;
using EventPtr = std::unique_ptr<EventExpr>;
enum class EventOp { equal, not_equal, less, less_equal, greater, greater_equal, in, distributed /* ~ */, likelihood };
/// A variable as written: `Test`, `Q[3]` (index not null) or in backticks.
struct VariableRef {
    Word name;
    ExprPtr index;
    Span span;
    Resolution resolved = {};
};  ///< resolved: a table of the script, where it is not a variable
struct EventAtom {
    VariableRef variable;
    EventOp op{};
    ExprPtr value;
};
struct EventName {
    VariableRef variable;
};  ///< a bare variable (free, or true inside a combination), or a table's name
/// D1 + D2 = 7, A > B: the sides are expressions over the variables.
struct EventCompare {
    ExprPtr left;
    EventOp op{};
    ExprPtr right;
};
/// An expression alone: a quantity (free, or true inside a combination), or one whose value is a table.
struct EventQuantity {
    ExprPtr quantity;
};
struct EventNot {
    EventPtr operand;
};
struct EventAnd {
    std::vector<EventPtr> parts;
};
struct EventOr {
    std::vector<EventPtr> parts;
};
struct EventExpr {
    std::variant<EventAtom, EventName, EventCompare, EventQuantity, EventNot, EventAnd, EventOr> node;
    Span span;
};

struct StarItem {};  ///< *
struct DoItem {
    std::vector<EventPtr> events;
};  ///< do(X = v, …)
struct EventItem {
    bool next = false;
    EventPtr event;
    std::optional<Word> as = std::nullopt;  ///< what the answer calls a free quantity
};
struct QueryItem {
    std::variant<StarItem, DoItem, EventItem> node;
    Span span;
};

enum class QueryHead { P, E, H, I, L };
struct QueryExpr {
    QueryHead head{};
    std::vector<QueryItem> targets;  ///< empty for E
    std::vector<QueryItem> second;   ///< of I, after ;
    ExprPtr expectation;             ///< of E
    bool next = false;               ///< E(next y | …)
    std::vector<QueryItem> given;
    ExprPtr model;   ///< after `in`; may be null
    ExprPtr engine;  ///< after `by`; may be null

    /// Filled by the checker: the declared model meant where `in` is left out, and the words of its expressions that may be
    /// variables (each has a slot that the evaluator fills; `otherwise` is its meaning where the model has no such variable).
    struct Bound {
        std::string name;
        std::uint32_t slot = 0;
        Resolution otherwise;
        Span span;
    };
    Resolution resolved_model = {};
    std::vector<Bound> bound = {};
};

// --- graphs -----------------------------------------------------------------------------------------------------

/// `A ->+ x ->- B`: quantities and the signs between them.
struct InfluenceChain {
    std::vector<Word> quantities;
    std::vector<char> signs;
};
struct KindDecl {
    std::vector<Word> quantities;
    Word kind;
};  ///< Q1, Q2 : flow
struct GraphBody {
    std::vector<std::variant<KindDecl, InfluenceChain>> items;
};
struct GraphLit {
    GraphBody body;
};

struct Expr {
    using Node =
        std::variant<NumberLit, BoolLit, TextLit, SignLit, NameExpr, HoleLit, ListLit, Comprehension, RecordLit, SetLit, InstanceLit, Unary,
                     Binary, Range, If, Lambda, Call, Index, Member, Pipe, Explain, Train, Sample, QueryExpr, GraphLit>;
    Node node;
    Span span;
    bool parenthesised = false;  ///< written in ( ): `(x)` in a label position forces the name in scope

    // Out of line, because a variant of so many costs seconds in every unit that moves or destroys it.
    Expr(Node n, Span s);
    Expr(Expr&&) noexcept;
    Expr& operator=(Expr&&) noexcept;
    ~Expr();
};

// --- statements ---------------------------------------------------------------------------------------------------

struct LetStmt {
    Word name;
    ExprPtr value;
};
struct WhereBinding {
    Word name;
    ExprPtr value;
    std::uint32_t slot = 0;
};
struct FnStmt {
    Word name;
    std::vector<Word> params;
    ExprPtr body;
    std::vector<WhereBinding> where;
    FrameLayout frame = {};
};
struct SetStmt {
    Word name;
    ExprPtr value;
};
struct ImportStmt {
    std::string path;
    Span path_span;
    std::optional<Word> as;
};

/// A row of a conditional table: `label, _ : row`; `else : row` has no keys.
struct RowKey {
    bool any = false;
    Word label;
    ExprPtr computed;
};  ///< any: `_`; computed: `(x)`, else null
struct CptRow {
    std::vector<RowKey> keys;
    bool is_else = false;
    ExprPtr value;
    Span span;
};
struct CptBlock {
    std::vector<CptRow> rows;
};

/// Inside a node's expressions the net's parameters have the first slots, then the variables of the plates round it, outermost first,
/// then its parents. Parents that only the expression names have none: they are found by their names, as all with an index are.
struct NetNodeDecl {
    VariableRef name;                            ///< Q[i] inside a plate
    std::optional<std::vector<ExprPtr>> domain;  ///< in { … }
    std::vector<VariableRef> parents;
    bool distributed = false;               ///< X ~ expr
    std::variant<ExprPtr, CptBlock> table;  ///< a root's record is an ExprPtr (RecordLit); with parents a { } block is a CptBlock
    Span span;
    std::string doc;
};
struct Plate;
using NetItem = std::variant<NetNodeDecl, std::unique_ptr<Plate>>;
struct Plate {
    Word variable;
    ExprPtr range;
    std::vector<NetItem> items;
    Span span;
};
/// With parameters it is a function whose value is a net.
struct NetStmt {
    Word name;
    std::vector<Word> params;
    std::vector<NetItem> items;
};

struct HypothesisDecl {
    Word label;
    ExprPtr prior;
    ExprPtr outcome;
    Span span;
};  ///< prior may be null
struct ParameterDecl {
    Word name;
    ExprPtr range;
};
/// Inside the prior and the outcomes the parameters have the first slots, then the inputs.
struct HypothesesStmt {
    Word name;
    std::vector<ParameterDecl> parameters;  ///< empty: explicit
    bool parametric = false;
    Word outcome;
    std::vector<Word> inputs;
    std::vector<HypothesisDecl> hypotheses;  ///< explicit
    ExprPtr prior;                           ///< parametric; may be null
    ExprPtr outcome_value;                   ///< parametric
};

/// A declaration that is built as a whole says what it writes, by its `parts`:
///   variable(name)   a variable that the model has;
///   label(word)      a word that is a label from here on;
///   number(e), distribution(e), outcome(e)   expressions, null if they were left out. In the place of an outcome a word is a label,
///                    as are the keys of a record in that of a distribution;
///   graph(g)         quantities, whose names are labels.
/// The checks of names, the labels of rule 4 and the question whether all has values yet read these.
template <class S>
concept DeclaredByParts = requires(S& s, int& visitor) {
    S::parts(s, visitor);
};

/// For visitors that look at some parts only.
struct IgnoredParts {
    static void variable(std::string_view) {}
    static void label(const Word&) {}
    static void number(const ExprPtr&) {}
    static void distribution(const ExprPtr&) {}
    static void outcome(const ExprPtr&) {}
    static void graph(const GraphBody&) {}
};

struct MixtureComponent {
    ExprPtr weight;
    ExprPtr distribution;
    Span span;
};
struct MixtureStmt {
    Word name;
    std::vector<MixtureComponent> components;

    template <class Self>
    static void parts(Self& self, auto&& visit) {
        visit.variable("component");
        visit.variable("x");
        for (auto& c : self.components) {
            visit.number(c.weight);
            visit.distribution(c.distribution);
        }
    }
};

struct HmmStmt {
    Word name;
    std::vector<Word> states;
    ExprPtr start;  ///< record or hole; may be null
    std::vector<RecordEntry> move;
    std::vector<RecordEntry> emit;
    Span states_span, start_span, move_span, emit_span;
    bool move_hole = false;  ///< `move ?`
    bool emit_hole = false;

    template <class Self>
    static void parts(Self& self, auto&& visit) {
        for (auto& state : self.states) visit.label(state);
        visit.number(self.start);
        for (auto* section : {&self.move, &self.emit})
            for (auto& entry : *section) visit.outcome(entry.value);
    }
};

struct GrammarSymbol {
    Word word;
    bool terminal = false;
};
struct GrammarRule {
    std::vector<GrammarSymbol> right;
    ExprPtr probability;
    Span span;
};  ///< probability may be null
struct GrammarProduction {
    Word left;
    std::vector<GrammarRule> rules;
};
struct GrammarStmt {
    Word name;
    std::optional<Word> start;
    std::vector<GrammarProduction> productions;

    template <class Self>
    static void parts(Self& self, auto&& visit) {
        for (auto& production : self.productions)
            for (auto& rule : production.rules) {
                visit.number(rule.probability);
                for (auto& symbol : rule.right) visit.label(symbol.word);
            }
    }
};

struct TableCell {
    bool missing = false;
    std::string text = {};
    bool quoted = false;
    ExprPtr computed = {};  ///< of `(n + 1)`; null for others
    Span span;
};
struct TableRow {
    std::vector<TableCell> cells;
    Span span;
};
struct TableStmt {
    Word name;
    std::vector<Word> columns;
    bool has_target = false;
    std::vector<TableRow> rows;

    template <class Self>
    static void parts(Self& self, auto&& visit) {
        for (auto& row : self.rows)
            for (auto& cell : row.cells)
                if (cell.computed) visit.number(cell.computed);
    }
};  ///< the target is the last column

struct CaseDecl {
    Word label;
    std::optional<std::string> structure;
    std::optional<GraphBody> function;
    std::vector<RecordEntry> attributes;
    Span span;
};
struct CasesStmt {
    Word name;
    std::vector<CaseDecl> cases;

    template <class Self>
    static void parts(Self& self, auto&& visit) {
        for (auto& one : self.cases) {
            visit.label(one.label);
            if (one.function) visit.graph(*one.function);
            for (auto& attribute : one.attributes) visit.outcome(attribute.value);
        }
    }
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;
struct ExpectErrorStmt {
    std::optional<std::string> text;
    StatementPtr statement;
};
struct ExpectStmt {
    ExprPtr condition;
    ExprPtr within;
    std::optional<std::string> from;
};  ///< within may be null
struct ExprStmt {
    ExprPtr value;
};

struct Statement {
    using Node = std::variant<LetStmt, FnStmt, SetStmt, ImportStmt, NetStmt, HypothesesStmt, MixtureStmt, HmmStmt, GrammarStmt, TableStmt,
                              CasesStmt, ExpectErrorStmt, ExpectStmt, ExprStmt>;
    Node node;
    Span span;
    std::string doc;         ///< the `##` lines before it, without the marks
    std::uint32_t slot = 0;  ///< of the global it defines; filled by the checker

    Statement(Node n, Span s);  // out of line, as those of Expr
    Statement(Statement&&) noexcept;
    Statement& operator=(Statement&&) noexcept;
    ~Statement();
};

struct Program {
    SourcePtr source;
    std::vector<StatementPtr> statements;
    std::vector<Span> unparsed;         ///< statements that are left out because they did not parse
    std::set<std::uint32_t> uses = {};  ///< the slots of globals that its names may mean; filled by the session
};

}  // namespace credence::lang
