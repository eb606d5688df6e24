#include "lang/eval/lower_term.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lang/syntax/operators.hpp"
#include "lang/syntax/walk.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/distributions/family.hpp"

namespace credence::lang {

namespace {

using rt::Term;
using rt::TermOp;

/// "exp, ln, …": what can be called with variables.
std::string functions_text() {
    std::string out;
    for (const auto& operation : rt::term_operations())
        if (operation.form == rt::TermForm::call) out += std::string(operation.name) + ", ";
    return out + "log2, log10, sum, mean and functions of the script";
}

}  // namespace

std::optional<rt::TermOp> term_function(std::string_view name) {
    const auto* found = rt::term_call(name);
    return found && found->arity == 1 ? std::optional(found->op) : std::nullopt;
}

std::optional<TermOperator> term_operator(BinaryOp op) {
    if (op == BinaryOp::greater) return TermOperator{.op = TermOp::less, .step = BinaryOp::less, .swapped = true};
    if (op == BinaryOp::greater_equal) return TermOperator{.op = TermOp::less_equal, .step = BinaryOp::less_equal, .swapped = true};
    if (op == BinaryOp::not_equal) return TermOperator{.op = TermOp::equal, .step = BinaryOp::equal, .negated = true};
    const auto* found = rt::term_infix(spelling_of(op));
    return found ? std::optional(TermOperator{.op = found->op, .step = op}) : std::nullopt;
}

bool TermLowering::depends(const Expr& expr, const SymbolicFrame& frame) const {
    bool out = false;
    walk(expr, [&](const Expr& part) {
        if (hole_ && std::holds_alternative<HoleLit>(part.node)) out = true;
        if (const auto* function = std::get_if<Lambda>(&part.node)) {  // its own locals live in another frame
            for (const auto& capture : function->frame.captures)
                if (capture.from < frame.size() && !frame[capture.from].is_value()) out = true;
            walk(*function->body, [&](const Expr& inner) {
                const auto* name = std::get_if<NameExpr>(&inner.node);
                out = out || (name && name->resolved.kind == Resolution::Kind::unresolved);
                return !out;
            });
            return false;
        }
        if (const auto* name = std::get_if<NameExpr>(&part.node)) {
            if (name->resolved.kind == Resolution::Kind::unresolved) out = true;
            if (name->resolved.kind == Resolution::Kind::local && name->resolved.slot < frame.size() &&
                !frame[name->resolved.slot].is_value())
                out = true;
        }
        return !out;
    });
    return out;
}

Result<Symbolic> TermLowering::evaluated(const Expr& expr, const SymbolicFrame& frame) {
    Frame plain;
    for (const auto& slot : frame) plain.push_back(slot.is_value() ? slot.value() : Value());
    auto value = TRY(self_.eval(expr, plain));
    return Symbolic{std::move(value)};
}

Result<Term> TermLowering::as_number(const Symbolic& value, Span span) {
    if (const auto* term = std::get_if<Term>(&value.node)) return *term;
    if (const auto* plain = std::get_if<Value>(&value.node)) {
        if (const auto* n = plain->get<rt::Number>()) return rt::constant_term(*n);
        if (const auto* b = plain->get<bool>()) return rt::constant_term(*b ? 1 : 0);
        if (const auto label = plain->as_label(); label && find_(label->text()))
            return self_.fault("E-VARIABLE", fmt::format("{} is a variable of the net, but not a parent here", label->text()), span, {},
                               "list the parents after the |");
        return self_.fault("E-TYPE", fmt::format("a number is needed here, not {}", plain->kind()), span);
    }
    if (const auto* plate = std::get_if<Symbolic::PlateName>(&value.node))
        return self_.fault("E-VARIABLE", fmt::format("{} has an index: it is declared in a plate", plate->name), span, {},
                           fmt::format("write {}[…]", plate->name));
    const bool label = std::holds_alternative<Symbolic::Labels>(value.node);
    return self_.fault("E-TYPE", label ? "a number is needed here, not a label" : "a number is needed here, not a list or a record", span);
}

Result<Term> TermLowering::number(const Expr& expr, SymbolicFrame& frame) {
    auto value = TRY(lower(expr, frame));
    return as_number(value, expr.span);
}

Result<Symbolic> TermLowering::name(const NameExpr& name, Span span, const SymbolicFrame& frame) {
    if (name.resolved.kind == Resolution::Kind::local) return frame[name.resolved.slot];
    if (name.resolved.kind == Resolution::Kind::unresolved) {
        if (auto found = find_(name.name)) return Symbolic{*std::move(found)};
        return Symbolic{Symbolic::PlateName{name.name}};
    }
    auto value = TRY(self_.resolved(name.resolved, name.name, span, {}));
    return Symbolic{std::move(value)};
}

Result<Symbolic> TermLowering::index(const Index& index, Span span, SymbolicFrame& frame) {
    auto base = lower(*index.base, frame);
    if (!base) return base;
    std::vector<Symbolic> all;
    bool by_variable = false;
    for (const auto& one : index.indices) {
        auto at = lower(*one, frame);
        if (!at) return at;
        by_variable = by_variable || std::holds_alternative<Term>(at->node);
        all.push_back(*std::move(at));
    }
    if (by_variable && domain_of_) return index_by_variable(index, *base, std::move(all), span);
    const auto* plate = std::get_if<Symbolic::PlateName>(&base->node);
    const auto* vector = std::get_if<Term>(&base->node);
    if (plate || (vector && (*vector)->op == TermOp::variable)) {
        const auto* written = std::get_if<NameExpr>(&index.base->node);
        return members(plate ? plate->name : written ? written->name : std::string(), index, all, span);
    }
    if (const auto* list = std::get_if<Symbolic::List>(&base->node)) {
        const auto* n = all[0].is_value() ? all[0].value().get<rt::Number>() : nullptr;
        const auto whole = n && n->is_exact() ? n->exact().to_int64() : std::nullopt;
        if (!whole || *whole < 1 || static_cast<std::size_t>(*whole) > list->size() || index.indices.size() != 1)
            return self_.fault("E-INDEX", fmt::format("positions go from 1 to {} here", list->size()), index.indices[0]->span);
        return (*list)[static_cast<std::size_t>(*whole - 1)];
    }
    return self_.fault("E-TYPE", "this cannot be indexed in an expression with variables", span, {},
                       "a value that depends on a variable is chosen with if … then … else");
}

/// x[2], x[1..3] of a plate's variables or of the components of one.
Result<Symbolic> TermLowering::members(const std::string& name, const Index& index, const std::vector<Symbolic>& at, Span span) {
    PlateIndices indices;
    std::string joined;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const Span here = index.indices[i]->span;
        if (!at[i].is_value())
            return self_.fault("E-TYPE", "the index of a variable is a number or a label that is known", here, {},
                               "a variable that picks another is written with if … then … else");
        if (at.size() == 1) {
            indices = TRY(self_.plate_indices(at[i].value(), here));
            break;
        }
        auto text = TRY(self_.index_text(at[i].value(), here));
        joined += (joined.empty() ? "" : ", ") + text;
        indices.texts = {joined};
    }
    Symbolic::List out;
    for (const auto& inside : indices.texts) {
        const std::string full = name + "[" + inside + "]";
        auto found = find_(full);
        if (!found) return self_.fault("E-VARIABLE", fmt::format("there is no variable {}", full), span, "the net does not declare it");
        out.push_back(Symbolic{*std::move(found)});
    }
    return indices.several ? Symbolic{std::move(out)} : out[0];
}

Result<Symbolic> TermLowering::comprehension(const Comprehension& c, SymbolicFrame& frame) {
    auto source = lower(*c.source, frame);
    if (!source) return source;
    source = together(*std::move(source));
    Symbolic::List items;
    if (const auto* list = std::get_if<Symbolic::List>(&source->node)) {
        items = *list;
    } else if (const auto* plain = source->is_value() ? source->value().items() : nullptr) {
        for (const auto& item : *plain) items.push_back(Symbolic{item});
    } else {
        return self_.fault("E-TYPE", "for … in runs over a list or a range here", c.source->span);
    }
    if (frame.size() <= c.slot) frame.resize(c.slot + 1);
    Symbolic::List out;
    for (auto& item : items) {
        frame[c.slot] = std::move(item);
        if (c.condition) {
            auto keep = lower(*c.condition, frame);
            if (!keep) return keep;
            const auto* b = keep->is_value() ? keep->value().get<bool>() : nullptr;
            if (!b) return self_.fault("E-TYPE", "this condition must not depend on a variable", c.condition->span);
            if (!*b) continue;
        }
        auto value = lower(*c.body, frame);
        if (!value) return value;
        if (const auto* inner = c.flatten ? std::get_if<Symbolic::List>(&value->node) : nullptr) {
            out.insert(out.end(), inner->begin(), inner->end());
        } else if (c.flatten) {
            for (const auto& one : *value->value().items()) out.push_back(Symbolic{one});
        } else {
            out.push_back(*std::move(value));
        }
    }
    return Symbolic{std::move(out)};
}

Result<Symbolic> TermLowering::binary(const Binary& binary, Span span, SymbolicFrame& frame) {
    auto left = lower(*binary.left, frame);
    if (!left) return left;
    auto right = lower(*binary.right, frame);
    if (!right) return right;
    if (binary.op == BinaryOp::equal || binary.op == BinaryOp::not_equal) {
        // A variable against a label.
        const Symbolic* sides[] = {&*left, &*right};
        for (int k = 0; k < 2; ++k) {
            const auto* variable = std::get_if<Term>(&sides[k]->node);
            const auto* other = sides[1 - k]->is_value() ? &sides[1 - k]->value() : nullptr;
            if (!variable || !other || (*variable)->op != TermOp::variable || other->is<rt::Number>()) continue;
            const auto label = other->as_label();
            if (!label)
                return self_.fault("E-TYPE", fmt::format("a variable is compared with a label or a number, not {}", other->kind()), span);
            Term is = rt::is_term((*variable)->variable, *label);
            return Symbolic{binary.op == BinaryOp::equal ? is : rt::make_term(TermOp::not_, {is})};
        }
        if (const auto same = same_label(*left, *right))
            return Symbolic{binary.op == BinaryOp::equal ? *same : rt::make_term(TermOp::not_, {*same})};
    }
    auto a = TRY(as_number(*left, binary.left->span));
    auto b = TRY(as_number(*right, binary.right->span));
    const auto op = term_operator(binary.op);
    if (!op) return self_.fault("E-TYPE", "this operator does not work on variables of a net", binary.op_span);
    if (op->swapped) std::swap(a, b);
    Term out = rt::make_term(op->op, {a, b});
    return Symbolic{op->negated ? rt::make_term(TermOp::not_, {out}) : out};
}

namespace {

/// A function of the script as one that may capture variables.
Symbolic::Function function_of(const Closure& closure) {
    Symbolic::Function out{closure.lambda, closure.fn, {}, closure.source};
    for (const auto& value : closure.captured) out.captured.push_back(Symbolic{value});
    return out;
}

}  // namespace

Result<Symbolic> TermLowering::lambda(const Lambda& lambda, const SymbolicFrame& frame) const {
    Symbolic::Function out{&lambda, nullptr, {}, self_.source_};
    for (const auto& capture : lambda.frame.captures) out.captured.push_back(frame[capture.from]);
    return Symbolic{std::move(out)};
}

Result<Symbolic> TermLowering::applied(const Symbolic& function, std::vector<Symbolic> arguments, Span span) {
    if (const auto* own = std::get_if<Symbolic::Function>(&function.node)) return function_call(*own, std::move(arguments), span);
    const auto* f = function.is_value() ? function.value().get<FunctionPtr>() : nullptr;
    const auto* closure = f ? std::get_if<Closure>(&(*f)->node) : nullptr;
    if (closure) return function_call(function_of(*closure), std::move(arguments), span);
    return self_.fault("E-CALL", "only functions of the script and of numbers can be called with variables", span);
}

Result<Symbolic> TermLowering::function_call(const Symbolic::Function& function, std::vector<Symbolic> arguments, Span span) {
    const auto& params = function.lambda ? function.lambda->params : function.fn->params;
    if (arguments.size() != params.size())
        return self_.fault("E-ARGUMENT",
                           fmt::format("the function takes {}, found {}", rt::counted(params.size(), "argument"), arguments.size()), span);
    if (depth_ > 200)
        return self_.fault("E-DEPTH", "too many nested calls: does a function of a variable call itself without end?", span, {},
                           "the condition that ends the recursion must not depend on a variable");
    const FrameLayout& layout = function.lambda ? function.lambda->frame : function.fn->frame;
    SymbolicFrame frame(layout.size);
    std::move(arguments.begin(), arguments.end(), frame.begin());
    for (std::size_t i = 0; i < function.captured.size(); ++i) frame[layout.captures[i].to] = function.captured[i];
    const SourcePtr here = std::exchange(self_.source_, function.source);
    ++depth_;
    const auto body = [&]() -> Result<Symbolic> {
        if (function.lambda) return lower(*function.lambda->body, frame);
        for (const auto& binding : function.fn->where) {
            auto value = lower(*binding.value, frame);
            if (!value) return value;
            frame[binding.slot] = *std::move(value);
        }
        return lower(*function.fn->body, frame);
    };
    auto out = body();
    --depth_;
    self_.source_ = here;
    return out;
}

Result<Symbolic> TermLowering::call(const Call& call, Span span, SymbolicFrame& frame, const Symbolic* piped) {
    std::vector<Symbolic> arguments;
    std::vector<Span> spans;
    if (piped) {
        arguments.push_back(*piped);
        spans.push_back(span);
    }
    for (const auto& argument : call.arguments) {
        if (argument.name)
            return self_.fault("E-ARGUMENT", "arguments that depend on a variable are given in order, without names", argument.name->span);
        auto value = lower(*argument.value, frame);
        if (!value) return value;
        arguments.push_back(together(*std::move(value)));
        spans.push_back(argument.value->span);
    }
    const auto* name = std::get_if<NameExpr>(&call.callee->node);
    if (!name || name->resolved.kind != Resolution::Kind::builtin) {
        auto function = lower(*call.callee, frame);
        if (!function) return function;
        const auto* f = function->is_value() ? function->value().get<FunctionPtr>() : nullptr;
        const auto* closure = f ? std::get_if<Closure>(&(*f)->node) : nullptr;
        if (name && closure)
            if (auto known = vector_call(*name, *closure, arguments, spans)) return *std::move(known);
        return applied(*function, std::move(arguments), span);
    }
    if (name->name == "count" && arguments.size() == 1)
        if (const auto* list = std::get_if<Symbolic::List>(&arguments[0].node))
            return Symbolic{Value(rt::Number(rt::Rational(static_cast<std::int64_t>(list->size()))))};
    const auto numbers = [&]() -> Result<std::vector<Term>> {
        std::vector<Term> out;
        const bool one_list = arguments.size() == 1;
        if (const auto* list = one_list ? std::get_if<Symbolic::List>(&arguments[0].node) : nullptr) {
            for (const auto& item : *list) {
                auto term = TRY(as_number(item, spans[0]));
                out.push_back(std::move(term));
            }
            return out;
        }
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            auto term = TRY(as_number(arguments[i], spans[i]));
            out.push_back(std::move(term));
        }
        return out;
    };
    auto terms = TRY(numbers());
    const auto total = [&] {
        Term sum = rt::constant_term(0);
        for (const auto& term : terms) sum = rt::make_term(TermOp::add, {sum, term});
        return sum;
    };
    // In a net the name of the learner is the function.
    if (const auto* op = rt::term_call(name->name == "logistic" ? "sigmoid" : name->name)) {
        if (op->arity == 1 && terms.size() == 1) return Symbolic{rt::make_term(op->op, {terms[0]})};
        if (op->arity == 2 && !terms.empty())
            return Symbolic{std::accumulate(terms.begin() + 1, terms.end(), terms[0], [&](const Term& a, const Term& b) {
                return rt::make_term(op->op, {a, b});
            })};
    }
    if ((name->name == "log2" || name->name == "log10") && terms.size() == 1)
        return Symbolic{rt::make_term(TermOp::divide, {rt::make_term(TermOp::ln, {terms[0]}),
                                                       rt::make_term(TermOp::ln, {rt::constant_term(name->name == "log2" ? 2 : 10)})})};
    if (name->name == "sum") return Symbolic{total()};
    if (name->name == "mean" && !terms.empty())
        return Symbolic{rt::make_term(TermOp::divide, {total(), rt::constant_term(rt::Rational(static_cast<std::int64_t>(terms.size())))})};
    return self_.fault("E-CALL", fmt::format("{} does not take variables of a net", name->name), span, {},
                       rt::find_family(name->name) ? fmt::format("a draw is written with ~, as in X ~ {}(…)", name->name)
                                                   : fmt::format("those that do: {}", functions_text()));
}

Result<Symbolic> TermLowering::lower(const Expr& expr, SymbolicFrame& frame) {
    if (!depends(expr, frame)) return evaluated(expr, frame);
    if (std::holds_alternative<HoleLit>(expr.node)) return Symbolic{hole_()};
    if (const auto* n = std::get_if<NameExpr>(&expr.node)) return name(*n, expr.span, frame);
    if (const auto* i = std::get_if<Index>(&expr.node)) return index(*i, expr.span, frame);
    if (const auto* b = std::get_if<Binary>(&expr.node)) return binary(*b, expr.span, frame);
    if (const auto* c = std::get_if<Call>(&expr.node)) return call(*c, expr.span, frame, nullptr);
    if (const auto* c = std::get_if<Comprehension>(&expr.node)) return comprehension(*c, frame);
    if (const auto* l = std::get_if<Lambda>(&expr.node)) return lambda(*l, frame);
    if (const auto* u = std::get_if<Unary>(&expr.node); u && (u->op == UnaryOp::negate || u->op == UnaryOp::not_)) {
        auto inner = TRY(number(*u->operand, frame));
        return Symbolic{rt::make_term(u->op == UnaryOp::negate ? TermOp::negate : TermOp::not_, {inner})};
    }
    if (const auto* c = std::get_if<If>(&expr.node)) return choice(*c, frame);
    if (const auto* l = std::get_if<ListLit>(&expr.node)) {
        Symbolic::List out;
        for (const auto& item : l->items) {
            auto value = lower(*item, frame);
            if (!value) return value;
            out.push_back(*std::move(value));
        }
        return Symbolic{std::move(out)};
    }
    if (const auto* r = std::get_if<RecordLit>(&expr.node)) {
        Symbolic::Record out;
        for (const auto& entry : r->entries) {
            std::string key = entry.key.text;
            if (entry.computed) {
                auto named = lower(*entry.computed, frame);
                if (!named) return named;
                const auto label = named->is_value() ? named->value().as_label() : std::nullopt;
                if (!label) return self_.fault("E-TYPE", "a key is a label", entry.computed->span);
                key = label->text();
            }
            auto value = lower(*entry.value, frame);
            if (!value) return value;
            out.emplace_back(std::move(key), *std::move(value));
        }
        return Symbolic{std::move(out)};
    }
    if (const auto* p = std::get_if<Pipe>(&expr.node)) {
        auto left = lower(*p->left, frame);
        if (!left) return left;
        if (const auto* c = std::get_if<Call>(&p->right->node)) return call(*c, expr.span, frame, &*left);
    }
    return self_.fault("E-TYPE", "this kind of expression does not work on variables of a net", expr.span, {},
                       "numbers, + - * / ^, comparisons, if, lists and the functions of numbers do");
}

}  // namespace credence::lang
