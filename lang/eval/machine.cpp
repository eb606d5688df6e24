// Runs code: frames, calls, and what it asks the evaluator for.

#include <alloca.h>

#include <fmt/format.h>

#include "lang/eval/cell_frame.hpp"
#include "lang/eval/code.hpp"
#include "lang/eval/stack.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_repeats = 20'000'000;

}  // namespace

Result<Value> Machine::eval(const Expr& expr) {
    const Code& code = [&]() -> const Code& {
        auto& made = codes_[&expr];
        if (!made) made = compiled(expr, registry());
        return *made;
    }();
    std::vector<Cell> frame(code.size);
    Cell out;
    if (!code.body->run(*this, frame.data(), out)) return *std::exchange(fault_, nullptr);
    return out.value();
}

Result<Value> Machine::call(const Closure& closure, std::span<const Value> arguments, Span span) {
    std::vector<Cell> cells(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) cells[i].borrow(arguments[i]);
    Cell out;
    if (!apply(closure, code_of(closure), cells, span, out)) return *std::exchange(fault_, nullptr);
    return out.value();
}

const Code& Machine::code_of(const Closure& closure) {
    const void* key = closure.lambda ? static_cast<const void*>(closure.lambda) : closure.fn;
    auto& made = codes_[key];
    if (!made) made = closure.lambda ? compiled(*closure.lambda, registry()) : compiled(*closure.fn, registry());
    return *made;
}

bool Machine::wrong_count(std::size_t wanted, std::size_t found, Span span) {
    return fail(fault("E-ARGUMENT", fmt::format("the function takes {}, found {}", rt::counted(wanted, "argument"), found), span));
}

bool Machine::apply(const Closure& closure, const Code& code, std::span<Cell> arguments, Span span, Cell& out) {
    if (arguments.size() != code.parameters) {
        if (stopped()) return fail(rt::stopped_fault());
        return wrong_count(code.parameters, arguments.size(), span);
    }
    CellFrame frame(alloca(code.size * sizeof(Cell)), code.size);
    for (std::size_t i = 0; i < arguments.size(); ++i) frame.cells()[i] = std::move(arguments[i]);
    return run(closure, code, frame.cells(), span, out);
}

/// The arguments are in the first cells of the frame.
bool Machine::run(const Closure& closure, const Code& code, Cell* frame, Span span, Cell& out) {
    if (stopped()) return fail(rt::stopped_fault());
    // Looked at a little before any expression would be, so that the call is named and not some part of its arguments.
    if (!stack_left(evaluator_.world_.stack_floor + 256 * 1024))
        return fail(fault("E-DEPTH", "too many nested calls: does a function call itself without end?", span));
    const auto& captures = code.layout->captures;
    for (std::size_t i = 0; i < closure.captured.size(); ++i) frame[captures[i].to].borrow(closure.captured[i]);
    const bool elsewhere = closure.source != evaluator_.source_;
    const SourcePtr here = elsewhere ? std::exchange(evaluator_.source_, closure.source) : nullptr;
    bool good = true;
    bool again = true;
    for (std::size_t times = 0; good && again; ++times) {
        again = false;
        for (std::size_t i = 0; good && i < code.where.size(); ++i)
            good = code.where[i].second->run(*this, frame, frame[code.where[i].first]);
        good = good && code.body->finish(*this, frame, closure, out, again);
        if (again && stopped()) good = fail(rt::stopped_fault());
        if (again && times == most_repeats)
            good = fail(fault("E-DEPTH", fmt::format("a function called itself {} times in a row: does it end?", most_repeats), span));
    }
    if (good) out.keep();
    if (elsewhere) evaluator_.source_ = here;
    if (elsewhere && !good && closure.fn) evaluator_.blame_call(*fault_, closure.fn->name.text, span);
    return good;
}

bool Machine::apply(const Cell& function, std::span<Cell> arguments, Span span, Cell& out) {
    const auto* f = function.get<FunctionPtr>();
    if (const auto* closure = f ? std::get_if<Closure>(&(*f)->node) : nullptr)
        return apply(*closure, code_of(*closure), arguments, span, out);
    Passed passed;
    for (const auto& cell : arguments) {
        passed.values.push_back(cell.value());
        passed.spans.push_back(span);
    }
    return apply_values(function, std::move(passed), span, out);
}

bool Machine::apply_values(const Cell& function, Passed passed, Span span, Cell& out) {
    return take(evaluator_.apply(*CellValue(function), std::move(passed), span), out);
}

bool Machine::fail_at(Span span) {
    fault_ = std::make_unique<Fault>(evaluator_.at(*std::exchange(fault_, nullptr), span));
    return false;
}

bool Machine::evaluate(const Expr& expr, const Cell* frame, std::uint32_t size, Cell& out) {
    Frame values;
    values.reserve(size);
    for (std::uint32_t i = 0; i < size; ++i) values.push_back(frame[i].value());
    return take(evaluator_.eval(expr, values), out);
}

bool Machine::global(const NameExpr& name, Span span, Cell& out) {
    const auto& value = evaluator_.world_.globals[name.resolved.slot];
    if (!value) return fail(fault("E-NAME", fmt::format("'{}' is used before it has a value", name.name), span));
    out.borrow(*value);
    return true;
}

bool Machine::arithmetic(BinaryOp op, const Cell& a, const Cell& b, Span span, Cell& out) {
    return take(evaluator_.arithmetic(op, *CellValue(a), *CellValue(b), span), out);
}

bool Machine::compare(BinaryOp op, const Cell& a, const Cell& b, Span span, bool& truth) {
    const auto found = evaluator_.compare(op, *CellValue(a), *CellValue(b), span);
    if (!found) return fail(found.fault());
    truth = *found;
    return true;
}

bool Machine::negate(const Cell& a, Span span, Cell& out) { return take(evaluator_.negated(*CellValue(a), span), out); }

bool Machine::condition(const Cell& value, Span span, bool& out) {
    const CellValue seen(value);
    const auto truth = (*seen).as_truth();
    if (!truth) return fail(fault("E-TYPE", fmt::format("a condition is true or false, not {}", (*seen).kind()), span));
    out = *truth;
    return true;
}

bool Machine::number(const Cell& value, Span span, rt::Number& out) {
    const CellValue seen(value);
    const auto* n = (*seen).get<rt::Number>();
    if (!n) return fail(fault("E-TYPE", fmt::format("a number is needed here, not {}", (*seen).kind()), span));
    out = *n;
    return true;
}

bool Machine::range(const Range& range, const rt::Number& from, const rt::Number& to, const rt::Number* step, Cell& out) {
    return take(evaluator_.range_between(range, from, to, step), out);
}

bool Machine::item(const Cell& base, const Cell& at, const Index& index, Span span, Cell& out) {
    return take(evaluator_.item_at(*CellValue(base), *CellValue(at), *index.indices[0], span), out);
}

bool Machine::index_into(const Cell& base, const Index& index, Span span, const Cell* frame, std::uint32_t size, Cell& out) {
    Frame values;
    for (std::uint32_t i = 0; i < size; ++i) values.push_back(frame[i].value());
    return take(evaluator_.index_into(*CellValue(base), index, span, values), out);
}

bool Machine::member(const Cell& base, const Member& member, Span span, Cell& out) {
    Frame none;
    return take(evaluator_.member_of(*CellValue(base), member.name, span, nullptr, none), out);
}

bool Machine::bounded(Cell& value, Span span) {
    const Value* seen = value.look();
    if (seen == nullptr) return true;
    const Extent extent = seen->extent();
    return (extent.depth <= deepest_value && extent.size <= largest_value) || take(evaluator_.bounded(*seen, span), value);
}

void Machine::append_text(const Cell& value, std::string& to) const { to += show_plain(*CellValue(value), evaluator_.show_); }

bool Machine::prepare(Cell& value) {
    const Value* seen = value.look();
    return !seen || !makes_preparation(*seen) || take(evaluator_.call(Value(*seen), {}), value);
}

bool Machine::builtin(const Overloads& overloads, std::span<const Builtin* const> forms,
                      std::span<const std::variant<Matching, Mismatch>> matched, Passed passed, Span span, Cell& out) {
    return take(evaluator_.apply_builtin(forms, overloads.name, passed, span, nullptr, matched), out);
}

}  // namespace credence::lang
