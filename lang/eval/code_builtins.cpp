// Calls of builtins in compiled code. Those that are used in loops have a way of their own over lists of cells; it gives what the builtin
// gives, and leaves everything else to it.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/eval/code_nodes.hpp"

namespace credence::lang {

namespace {

class BuiltinCallNode : public CodeNode {
public:
    BuiltinCallNode(const Expr& expr, const Overloads& overloads, std::vector<CodePtr> arguments, std::vector<std::string> names)
        : CodeNode(expr), overloads_(&overloads), arguments_(std::move(arguments)), names_(std::move(names)) {
        for (const auto& form : overloads.forms) {
            forms_.push_back(&form);
            matched_.push_back(match_arguments(form, arguments_.size() - names_.size(), names_));
        }
    }

    bool run(Machine& m, Cell* frame, Cell& out) const override {
        if (arguments_.size() > most_cells || !names_.empty()) return run_on_values(m, frame, out);
        Cell cells[most_cells];
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (!arguments_[i]->run(m, frame, cells[i])) return false;
        const std::span<Cell> given(cells, arguments_.size());
        bool done = false;
        if (!at_once(m, given, done, out)) return m.fail_at(span());
        if (done) return m.bounded(out, span());
        Machine::Passed passed;
        passed.values.reserve(given.size());
        passed.spans.reserve(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) {
            passed.values.push_back(given[i].value());
            passed.spans.push_back(arguments_[i]->span());
        }
        return m.builtin(*overloads_, forms_, matched_, std::move(passed), span(), out);
    }

protected:
    /// `done`: `out` has the value; otherwise the builtin itself is asked. False: a fault.
    virtual bool at_once(Machine&, std::span<Cell>, bool&, Cell&) const { return true; }
    Span argument_span(std::size_t i) const { return arguments_[i]->span(); }

private:
    static constexpr std::size_t most_cells = 4;

    bool run_on_values(Machine& m, Cell* frame, Cell& out) const {
        Machine::Passed passed;
        passed.names = names_;
        if (!pass_arguments(arguments_, m, frame, passed)) return false;
        return m.builtin(*overloads_, forms_, matched_, std::move(passed), span(), out);
    }

    const Overloads* overloads_;
    std::vector<CodePtr> arguments_;
    std::vector<std::string> names_;
    std::vector<const Builtin*> forms_;
    std::vector<std::variant<Matching, Mismatch>> matched_;
};

/// Visits the items of a list until `visit` returns false; then returns false as well.
template <class Visit>
bool each_item(const Cell& list, const Visit& visit) {
    Cell item;
    if (list.is_wholes()) {
        for (std::size_t i = 0; i < list.wholes().size(); ++i) {
            item.set_whole(list.wholes()[i]);
            if (!visit(item)) return false;
        }
        return true;
    }
    for (const auto& value : **list.get<ListPtr>()) {
        item.borrow(value);
        if (!visit(item)) return false;
    }
    return true;
}

bool is_list(const Cell& cell) { return cell.is_wholes() || cell.get<ListPtr>(); }
std::size_t count_of(const Cell& list) { return list.is_wholes() ? list.wholes().size() : (*list.get<ListPtr>())->size(); }

/// A function of the script that is called again and again.
struct Called {
    Machine& m;
    const Closure* closure;
    const Code* code;

    static std::optional<Called> of(Machine& m, const Cell& cell) {
        const auto* f = cell.get<FunctionPtr>();
        const auto* closure = f ? std::get_if<Closure>(&(*f)->node) : nullptr;
        return closure ? std::optional(Called{m, closure, &m.code_of(*closure)}) : std::nullopt;
    }
    bool operator()(std::span<Cell> arguments, Cell& out) const { return m.apply(*closure, *code, arguments, m.statement_span(), out); }
    /// On one item, which stays.
    bool on(const Cell& item, Cell& out) const {
        Cell argument;
        argument.borrow(item);
        return (*this)(std::span(&argument, 1), out);
    }
};

class MapNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine& m, std::span<Cell> given, bool& done, Cell& out) const override {
        if (given.size() != 2 || !is_list(given[0])) return true;
        const auto f = Called::of(m, given[1]);
        if (!f) return true;
        ListBuilder items;
        items.reserve(count_of(given[0]));
        const bool good = each_item(given[0], [&](const Cell& item) {
            Cell value;
            if (!f->on(item, value)) return false;
            items.push(std::move(value));
            return true;
        });
        if (!good) return false;
        out = items.finish();
        done = true;
        return true;
    }
};

class FoldNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine& m, std::span<Cell> given, bool& done, Cell& out) const override {
        if (given.size() != 3 || !is_list(given[0])) return true;
        const auto f = Called::of(m, given[2]);
        if (!f) return true;
        Cell so_far = std::move(given[1]);
        so_far.keep();
        const bool good = each_item(given[0], [&](const Cell& item) {
            Cell both[2];
            both[0] = std::move(so_far);
            both[1].borrow(item);
            return (*f)(both, so_far);
        });
        if (!good) return false;
        out = std::move(so_far);
        done = true;
        return true;
    }
};

enum class Asked { keep, count, all, any };

/// What asks a function for a truth about each item.
template <Asked asked>
class AskingNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine& m, std::span<Cell> given, bool& done, Cell& out) const override {
        if (asked == Asked::count && given.size() == 1 && is_list(given[0])) {
            out.set_whole(static_cast<std::int64_t>(count_of(given[0])));
            done = true;
            return true;
        }
        if (given.size() != 2 || !is_list(given[0])) return true;
        const auto f = Called::of(m, given[1]);
        if (!f) return true;
        ListBuilder kept;
        std::int64_t count = 0;
        bool failed = false;
        const bool to_the_end = each_item(given[0], [&](const Cell& item) {
            Cell truth;
            failed = !f->on(item, truth) || (!truth.is_truth() && no_truth(m, truth));
            if (failed) return false;
            if constexpr (asked == Asked::all) return truth.truth();
            if constexpr (asked == Asked::any) return !truth.truth();
            if (!truth.truth()) return true;
            ++count;
            if (asked == Asked::keep) {
                Cell own;
                own.borrow(item);
                kept.push(std::move(own));
            }
            return true;
        });
        if (failed) return false;
        if constexpr (asked == Asked::keep) out = kept.finish();
        if constexpr (asked == Asked::count) out.set_whole(count);
        if constexpr (asked == Asked::all) out.set_truth(to_the_end);
        if constexpr (asked == Asked::any) out.set_truth(!to_the_end);
        done = true;
        return true;
    }

private:
    bool no_truth(Machine& m, const Cell& found) const {
        m.fail(m.fault("E-TYPE", fmt::format("the function must return true or false, found {}", (*CellValue(found)).kind()),
                       argument_span(1)));
        return true;
    }
};

class SumNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine&, std::span<Cell> given, bool& done, Cell& out) const override {
        if (given.size() != 1 || !given[0].is_wholes()) return true;
        std::int64_t total = 0;
        for (const auto n : given[0].wholes())
            if (__builtin_add_overflow(total, n, &total) || total == INT64_MIN) return true;
        out.set_whole(total);
        done = true;
        return true;
    }
};

template <bool largest>
class ExtremeNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine&, std::span<Cell> given, bool& done, Cell& out) const override {
        if (given.size() == 2 && given[0].is_whole() && given[1].is_whole()) {
            const std::int64_t a = given[0].whole();
            const std::int64_t b = given[1].whole();
            out.set_whole(largest ? std::max(a, b) : std::min(a, b));
            done = true;
        } else if (given.size() == 1 && given[0].is_wholes() && !given[0].wholes().empty()) {
            const auto& items = given[0].wholes();
            out.set_whole(largest ? *std::max_element(items.begin(), items.end()) : *std::min_element(items.begin(), items.end()));
            done = true;
        }
        return true;
    }
};

class AbsNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine&, std::span<Cell> given, bool& done, Cell& out) const override {
        done = given.size() == 1 && given[0].is_whole();
        if (done) out.set_whole(std::abs(given[0].whole()));
        return true;
    }
};

class SortNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine&, std::span<Cell> given, bool& done, Cell& out) const override {
        done = given.size() == 1 && given[0].is_wholes();
        if (!done) return true;
        std::vector<std::int64_t> items = given[0].wholes();
        std::sort(items.begin(), items.end());
        out.own(std::move(items));
        return true;
    }
};

class ConcatNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine&, std::span<Cell> given, bool& done, Cell& out) const override {
        done = given.size() == 2 && given[0].is_wholes() && given[1].is_wholes();
        if (!done) return true;
        std::vector<std::int64_t> items;
        items.reserve(given[0].wholes().size() + given[1].wholes().size());
        for (const Cell& part : given) items.insert(items.end(), part.wholes().begin(), part.wholes().end());
        out.own(std::move(items));
        return true;
    }
};

/// floor, ceil: of a whole number the number itself.
template <bool up>
class FloorNode : public BuiltinCallNode {
public:
    using BuiltinCallNode::BuiltinCallNode;

protected:
    bool at_once(Machine&, std::span<Cell> given, bool& done, Cell& out) const override {
        if (given.size() != 1) return true;
        if (given[0].is_whole()) {
            out.set_whole(given[0].whole());
            done = true;
        } else if (given[0].is_real()) {
            const double x = up ? std::ceil(given[0].real()) : std::floor(given[0].real());
            done = std::abs(x) < 9007199254740992.0;  // 2^53
            if (done) out.set_whole(static_cast<std::int64_t>(x));
        }
        return true;
    }
};

template <class Node>
CodePtr made_call(const Expr& expr, const Overloads& overloads, std::vector<CodePtr> arguments, std::vector<std::string> names) {
    return std::make_unique<Node>(expr, overloads, std::move(arguments), std::move(names));
}

struct LoopBuiltin {
    std::string_view name;
    CodePtr (*make)(const Expr&, const Overloads&, std::vector<CodePtr>, std::vector<std::string>);
};
constexpr LoopBuiltin loop_builtins[] = {
    {"map", made_call<MapNode>},
    {"keep", made_call<AskingNode<Asked::keep>>},
    {"fold", made_call<FoldNode>},
    {"count", made_call<AskingNode<Asked::count>>},
    {"all", made_call<AskingNode<Asked::all>>},
    {"any", made_call<AskingNode<Asked::any>>},
    {"sum", made_call<SumNode>},
    {"min", made_call<ExtremeNode<false>>},
    {"max", made_call<ExtremeNode<true>>},
    {"abs", made_call<AbsNode>},
    {"sort", made_call<SortNode>},
    {"concat", made_call<ConcatNode>},
    {"floor", made_call<FloorNode<false>>},
    {"ceil", made_call<FloorNode<true>>},
};

}  // namespace

CodePtr builtin_call_code(const Expr& expr, const Overloads& overloads, std::vector<CodePtr> arguments, std::vector<std::string> names) {
    for (const auto& [name, make] : loop_builtins)
        if (name == overloads.name) return make(expr, overloads, std::move(arguments), std::move(names));
    return made_call<BuiltinCallNode>(expr, overloads, std::move(arguments), std::move(names));
}

}  // namespace credence::lang
