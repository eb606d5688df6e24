#pragma once
// Functions, and the expressions of statements that call some, as trees of small objects that compute on cells. Compiled once for each
// evaluator. What is not worth a node of its own is left to Evaluator::eval, with a frame of values made for it: queries, training, sets.
// Expressions over quantities (while they are traced) and over the variables of nets are always evaluated, never run as code.

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "lang/eval/cell.hpp"
#include "lang/eval/evaluator.hpp"

namespace credence::lang {

class Machine;

/// One expression. `run` stores its value in `out` and returns true, or leaves a fault with the machine and returns false.
class CodeNode {
public:
    explicit CodeNode(const Expr& expr) : expr_(&expr) {}
    CodeNode(const CodeNode&) = delete;
    CodeNode& operator=(const CodeNode&) = delete;
    virtual ~CodeNode() = default;
    virtual bool run(Machine& m, Cell* frame, Cell& out) const = 0;
    /// As the last thing that a function does. A call of the function that is running sets `again`: its arguments are then in the frame.
    virtual bool finish(Machine& m, Cell* frame, const Closure&, Cell& out, bool& /*again*/) const { return run(m, frame, out); }
    /// As a condition.
    virtual bool test(Machine& m, Cell* frame, bool& truth) const;
    /// The value where it is, in the frame or among the constants, or else in `room`, where it was worked out. Null after a fault.
    const Cell* seen(Machine& m, Cell* frame, Cell& room) const {
        if (constant_) return constant_;
        if (slot_ >= 0) return frame + slot_;
        return run(m, frame, room) ? &room : nullptr;
    }
    /// Whether nothing of it is compiled: it might as well be evaluated.
    virtual bool is_evaluated() const { return false; }

    const Expr& expr() const { return *expr_; }
    Span span() const { return expr_->span; }

protected:
    const Cell* constant_ = nullptr;
    std::int32_t slot_ = -1;  ///< of the frame

private:
    const Expr* expr_;
};
using CodePtr = std::unique_ptr<const CodeNode>;

/// A function of the script, or the expression of a statement.
struct Code {
    std::uint32_t size = 0;  ///< of its frame
    std::size_t parameters = 0;
    const FrameLayout* layout = nullptr;  ///< of a function
    std::vector<std::pair<std::uint32_t, CodePtr>> where;
    CodePtr body;
};

class Machine {
public:
    using Passed = Evaluator::Passed;
    explicit Machine(Evaluator& evaluator) : evaluator_(evaluator) {}

    /// The value of an expression of a statement, with nothing in its frame.
    Result<Value> eval(const Expr& expr);
    /// A function applied to values; `span` is the call's.
    Result<Value> call(const Closure& closure, std::span<const Value> arguments, Span span);

    // For nodes.
    bool run(const Closure& closure, const Code& code, Cell* frame, Span span, Cell& out);
    /// Applies any function value to cells, which are used up.
    bool apply(const Cell& function, std::span<Cell> arguments, Span span, Cell& out);
    bool apply(const Closure& closure, const Code& code, std::span<Cell> arguments, Span span, Cell& out);
    const Code& code_of(const Closure& closure);
    bool fail(Fault fault) {
        fault_ = std::make_unique<Fault>(std::move(fault));
        return false;
    }
    bool take(Result<Value> result, Cell& out) {
        if (!result) return fail(std::move(result).fault());
        out.own(*std::move(result));
        return true;
    }
    /// Gives a fault without a place this one.
    bool fail_at(Span span);
    bool wrong_count(std::size_t wanted, std::size_t found, Span span);
    bool stopped() const { return evaluator_.run_.stopped(); }
    Status add_entry(Record& record, std::string key, Value value, Span span) {
        return evaluator_.add_entry(record, std::move(key), std::move(value), span);
    }
    /// `set numbers real` rounds what arithmetic gives.
    bool rounds() const { return evaluator_.run_.numbers == rt::NumberMode::real; }

    // What Evaluator does, on values.
    bool evaluate(const Expr& expr, const Cell* frame, std::uint32_t size, Cell& out);
    bool global(const NameExpr& name, Span span, Cell& out);
    bool arithmetic(BinaryOp op, const Cell& a, const Cell& b, Span span, Cell& out);
    bool compare(BinaryOp op, const Cell& a, const Cell& b, Span span, bool& truth);
    bool negate(const Cell& a, Span span, Cell& out);
    bool condition(const Cell& value, Span span, bool& out);
    bool number(const Cell& value, Span span, rt::Number& out);
    bool range(const Range& range, const rt::Number& from, const rt::Number& to, const rt::Number* step, Cell& out);
    bool item(const Cell& base, const Cell& at, const Index& index, Span span, Cell& out);
    bool index_into(const Cell& base, const Index& index, Span span, const Cell* frame, std::uint32_t size, Cell& out);
    bool has_plates() const { return !evaluator_.plates_.empty(); }
    bool member(const Cell& base, const Member& member, Span span, Cell& out);
    /// E-DEPTH and E-COST if a value reaches too far.
    bool bounded(Cell& value, Span span);
    void append_text(const Cell& value, std::string& to) const;
    /// The name of a preparation in front of |> is a call of it.
    bool prepare(Cell& value);
    Fault fault(rt::FaultCode code, std::string message, Span span, std::string label = {}) {
        return evaluator_.fault(code, std::move(message), span, std::move(label));
    }
    bool builtin(const Overloads& overloads, std::span<const Builtin* const> forms,
                 std::span<const std::variant<Matching, Mismatch>> matched, Passed passed, Span span, Cell& out);
    bool apply_values(const Cell& function, Passed passed, Span span, Cell& out);
    const SourcePtr& source() const { return evaluator_.source_; }
    std::size_t most_items() const { return evaluator_.run_.limits.list_items; }
    Span statement_span() const { return evaluator_.statement_span_; }
    const Registry& registry() const { return evaluator_.world_.registry; }

private:
    Evaluator& evaluator_;
    std::unique_ptr<Fault> fault_;
    std::unordered_map<const void*, std::unique_ptr<const Code>> codes_;  // by lambda, function or expression of the tree
};

std::unique_ptr<const Code> compiled(const Lambda& lambda, const Registry& registry);
std::unique_ptr<const Code> compiled(const FnStmt& fn, const Registry& registry);
std::unique_ptr<const Code> compiled(const Expr& expr, const Registry& registry);

/// A call of a builtin: map, fold and their like go through lists of whole numbers, and call functions, without making values.
CodePtr builtin_call_code(const Expr& expr, const Overloads& overloads, std::vector<CodePtr> arguments, std::vector<std::string> names);

}  // namespace credence::lang
