#pragma once
// From matched rules to the tree. A rule's children lie on one stack; when the rule has matched, its builder takes them from
// its frame and leaves what they make. A rule that fails drops its frame, so backtracking leaves nothing behind.

#include <cassert>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lang/syntax/ast.hpp"
#include "lang/syntax/chunk.hpp"

namespace credence::lang {

/// A separator whose place matters.
enum class Mark { bar, semicolon, tilde, next };
struct Operator {
    BinaryOp op{};
    Span span;
};
/// `in M`, `by em()`, `step 2`, `from P(X)`, `within 0.1`, `prior w`.
enum class ClauseKind { in, by, step, from, within, prior };
struct Clause {
    ClauseKind kind{};
    ExprPtr value;
};
struct Suffix {
    std::variant<std::vector<Argument>, std::vector<ExprPtr>, Word> node;
    Span span;
};
struct Domain {
    std::vector<ExprPtr> labels;
};
struct Entries {
    std::vector<RecordEntry> entries;
};
struct Section {
    Tok kind{};
    std::variant<std::vector<Word>, ExprPtr, std::vector<RecordEntry>> body;
    Span span;
};
struct TableLine {
    std::vector<TableCell> cells;
    std::size_t arrow = 0;
    std::size_t arrows = 0;
    Span span;
};  ///< arrow: cells before it
struct CaseSection {
    std::variant<std::string, GraphBody, RecordEntry> node;
    Span span;
};

struct Item {
    using Value =
        std::variant<ExprPtr, Word, Operator, Mark, Clause, Suffix, std::string, Argument, RecordEntry, Entries, InstanceElement, EventPtr,
                     EventOp, VariableRef, QueryItem, Domain, RowKey, CptRow, CptBlock, std::unique_ptr<NetItem>, HypothesisDecl,
                     ParameterDecl, MixtureComponent, Section, GrammarSymbol, GrammarRule, GrammarProduction, TableCell, TableLine,
                     GraphBody, InfluenceChain, KindDecl, CaseSection, std::unique_ptr<CaseDecl>, WhereBinding, StatementPtr>;
    template <class T>
    explicit Item(T made, std::uint32_t height) : value(std::in_place_type<T>, std::move(made)), depth(height) {}
    // Out of line, because a variant of so many costs seconds in every unit that moves or destroys it.
    Item();
    Item(Item&& other) noexcept;
    Item& operator=(Item&& other) noexcept;
    ~Item();

    Value value;
    std::uint32_t depth = 0;  ///< height of the tree: later passes recurse over it
};

constexpr std::uint32_t max_depth = 2000;  ///< of a tree; a sum of n terms is n deep
constexpr std::size_t max_frames = 4000;   ///< of rules in rules: bounds the parser's own stack

/// What the parser of one statement works on.
struct Builder {
    std::string_view text;
    const Chunks& chunks;
    const Chunk& chunk;
    Diagnostics& problems;
    std::vector<Item> stack = {};
    std::size_t frames = 0;
    bool gave_up = false;

    void drop(std::size_t mark);  ///< all items from there on
    void report(rt::FaultCode code, std::string message, Span span, std::string label = {}, std::vector<std::string> help = {});
};

/// The items of one rule, in order.
class Frame {
public:
    Frame(Builder& builder, std::size_t mark, std::size_t first, std::size_t last)
        : builder_(builder), mark_(mark), next_(mark), first_(first), last_(last) {}

    Builder& builder() { return builder_; }
    std::size_t size() const { return builder_.stack.size() - next_; }  ///< items left
    bool done() const { return size() == 0; }

    template <class T>
    bool is() const {
        return !done() && std::holds_alternative<T>(builder_.stack[next_].value);
    }
    template <class T>
    T take() {
        assert(is<T>());
        auto& item = builder_.stack[next_++];
        depth_ = std::max(depth_, item.depth);
        return std::get<T>(std::move(item.value));
    }
    /// All items of this type that come next.
    template <class T>
    std::vector<T> take_all() {
        std::vector<T> out;
        while (is<T>()) out.push_back(take<T>());
        return out;
    }
    bool take(Mark mark) {
        if (!is<Mark>() || std::get<Mark>(builder_.stack[next_].value) != mark) return false;
        ++next_;
        return true;
    }
    ExprPtr take(ClauseKind kind) {  ///< null when that clause does not come next
        if (!is<Clause>() || std::get<Clause>(builder_.stack[next_].value).kind != kind) return nullptr;
        return take<Clause>().value;
    }

    std::size_t token_count() const { return last_ - first_; }
    const Token& token(std::size_t i = 0) const { return builder_.chunks.tokens[first_ + i]; }
    const Token& last_token() const { return builder_.chunks.tokens[last_ - 1]; }
    std::string_view text(const Token& t) const { return builder_.text.substr(t.span.begin, t.span.end - t.span.begin); }
    Span span() const { return {token().span.begin, last_token().span.end}; }

    /// Replaces the frame's items.
    template <class T>
    void push(T made) {
        push_item(Item(std::move(made), depth_ + 1));
    }
    void push_expr(Expr::Node node) { push_expr(std::move(node), span()); }
    void push_expr(Expr::Node node, Span span) { push(std::make_unique<Expr>(std::move(node), span)); }
    void push_statement(Statement::Node node) { push(std::make_unique<Statement>(std::move(node), span())); }
    /// For folds: one more level on what has been built so far. False: too deep, stop building (a deeper tree could not
    /// even be destroyed).
    bool deepen();

private:
    void push_item(Item item);

    Builder& builder_;
    std::size_t mark_, next_, first_, last_;
    std::uint32_t depth_ = 0;
};

/// The word of a token: without backticks or quotes; numbers as labels.
Word word_of(Frame& frame, const Token& token);

// The builders of the rules.
namespace build {

#define RULE(rule, builder) void builder(Frame&);
#include "lang/syntax/rules.def"

}  // namespace build

}  // namespace credence::lang
