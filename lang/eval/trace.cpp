// Expressions over uncertain quantities: while a query is worked out its variables have quantities for values, and what is computed
// from a quantity is a quantity. Whatever has no structure that matters is a function of its values, computed case by case.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/eval/lower_term.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

using rt::Fold;
using rt::Label;
using rt::QuantityPtr;
using rt::TermOp;

Value quantity_value(QuantityPtr quantity) {
    if (quantity->kind == rt::Quantity::Kind::constant) return Value::label(quantity->constant);
    return Value(Value::Node(std::move(quantity)));
}

void collect(const Value& value, std::vector<QuantityPtr>& out) {
    if (const auto* q = value.get<QuantityPtr>()) {
        if (!rt::contains(out, *q)) out.push_back(*q);
    } else if (const List* items = value.items()) {
        for (const auto& item : *items) collect(item, out);
    } else if (const auto* record = value.get<RecordPtr>()) {
        for (const auto& [key, item] : (*record)->entries) collect(item, out);
    }
}

/// The value with the quantities replaced by these labels.
Value settled(const Value& value, const std::vector<QuantityPtr>& quantities, std::span<const Label> labels) {
    if (const auto* q = value.get<QuantityPtr>())
        return Value::label(labels[static_cast<std::size_t>(std::find(quantities.begin(), quantities.end(), *q) - quantities.begin())]);
    const auto all = [&](const List& items) {
        List out;
        out.reserve(items.size());
        for (const auto& item : items) out.push_back(settled(item, quantities, labels));
        return out;
    };
    if (const auto* l = value.get<ListPtr>()) return Value::list(all(**l));
    if (const auto* s = value.get<SetPtr>()) return Value::set(all((*s)->items));
    if (const auto* i = value.get<InstancePtr>()) return Value::instance(all((*i)->elements));
    if (const auto* r = value.get<RecordPtr>()) {
        Record out;
        for (const auto& [key, item] : (*r)->entries) out.entries.emplace_back(key, settled(item, quantities, labels));
        return Value::record(std::move(out));
    }
    return value;
}

/// A quantity, or what names an outcome; nothing of lists, tables and the like.
QuantityPtr as_quantity(const Value& value) {
    if (const auto* q = value.get<QuantityPtr>()) return *q;
    if (auto label = value.as_label()) return rt::constant_quantity(*std::move(label));
    return nullptr;
}

/// Functions that only move the items of lists about, or hand them to a function of the script.
bool moves_items(std::string_view name) {
    static constexpr std::array<std::string_view, 11> names = {"map",  "fold", "zip",    "reverse", "concat", "first",
                                                               "last", "keys", "values", "at",      "repeat"};
    return rt::contains(names, name);
}

}  // namespace

std::optional<rt::Label> example_value(const rt::Domain& domain) {
    if (domain.size() == 0) return std::nullopt;
    const auto& labels = domain.labels();
    const auto number = std::find_if(labels.begin(), labels.end(), [](const Label& l) { return l.is_number(); });
    return number == labels.end() ? labels[0] : *number;
}

bool holds_quantity(const Value& value) {
    if (value.is<QuantityPtr>()) return true;
    if (const List* items = value.items()) return std::any_of(items->begin(), items->end(), holds_quantity);
    if (const auto* record = value.get<RecordPtr>())
        return std::any_of((*record)->entries.begin(), (*record)->entries.end(), [](const auto& e) { return holds_quantity(e.second); });
    return false;
}

Status Evaluator::numbers_only(const Value& value, std::string_view what, Span span) {
    if (const List* items = value.items()) {
        for (const auto& item : *items) TRY(numbers_only(item, what, span));
        return rt::Done{};
    }
    const auto* quantity = value.get<QuantityPtr>();
    std::optional<Label> label = quantity ? std::nullopt : value.as_label();
    if (quantity && (*quantity)->kind == rt::Quantity::Kind::variable && variable_of_)
        if (const auto variable = variable_of_((*quantity)->variable); variable.is_discrete()) label = example_value(*variable.domain);
    if (!label || label->is_number() || label->text() == "true" || label->text() == "false") return rt::Done{};
    const std::string text(source_->text(span));
    return fault("E-TYPE", fmt::format("{} needs numbers, and '{}' is not one", what, label->text()), span,
                 quantity ? "its values are labels" : "a label",
                 value.items() ? fmt::format("those with one value are counted by count({}, {})", text, label->text())
                 : quantity    ? fmt::format("a number for each label: (if {} == {} then 1 else 0)", text, label->text())
                               : "");
}

Fault Evaluator::not_a_quantity(const Value& value, Span span) {
    return fault("E-TYPE", fmt::format("a quantity is a number or a label in every case, and this is {}", value.kind()), span);
}

std::optional<std::vector<rt::Label>> Evaluator::example_of(const std::vector<rt::QuantityPtr>& quantities) const {
    if (!variable_of_) return std::nullopt;
    std::vector<Label> out;
    for (const auto& quantity : quantities) {
        for (const auto id : rt::variables_of(*quantity))
            if (const auto variable = variable_of_(id); !variable.is_discrete() || variable.size() == 0) return std::nullopt;
        auto value = rt::evaluate(*quantity, [&](rt::VarId id) { return *example_value(*variable_of_(id).domain); });
        if (!value) return std::nullopt;
        out.push_back(*std::move(value));
    }
    return out;
}

/// A label that a variable does not have is nearly always a slip; in a list of several variables some may have it, so it is only noted.
void Evaluator::note_never_equal(const QuantityPtr& a, const QuantityPtr& b) {
    if (!variable_of_) return;
    if (a->kind == rt::Quantity::Kind::constant) return b->kind == rt::Quantity::Kind::constant ? void() : note_never_equal(b, a);
    if (a->kind != rt::Quantity::Kind::variable || b->kind != rt::Quantity::Kind::constant || b->constant.is_number()) return;
    const rt::Variable variable = variable_of_(a->variable);
    if (!variable.is_discrete() || variable.domain->find(b->constant)) return;
    std::vector<std::string> values;
    for (const auto& label : variable.domain->labels()) values.push_back(label.text());
    const std::string plate = variable.name.substr(0, variable.name.find('['));
    note(fmt::format("{} never has the value '{}': its values are {}", plate, b->constant.text(), rt::joined(values, ", ")));
}

/// A constant as the variable that it is compared with has it: A == 1 is A == true.
QuantityPtr Evaluator::as_value_of(const QuantityPtr& variable, QuantityPtr constant) const {
    if (!variable_of_ || variable->kind != rt::Quantity::Kind::variable || constant->kind != rt::Quantity::Kind::constant) return constant;
    const auto domain = variable_of_(variable->variable).domain;
    return domain ? rt::constant_quantity(rt::label_in(*domain, constant->constant)) : constant;
}

Result<Value> Evaluator::pointwise(std::vector<Value> values, std::function<Result<Value>(std::vector<Value>)> compute,
                                   std::optional<TermOp> op, Span span) {
    std::vector<QuantityPtr> quantities;
    for (const auto& value : values) collect(value, quantities);
    // One case shows whether it gives a number or a label at all: a list cannot be decomposed, only computed case by case.
    if (const auto labels = example_of(quantities)) {
        std::vector<Value> now;
        for (const auto& value : values) now.push_back(settled(value, quantities, *labels));
        const int tracing = std::exchange(tracing_, 0);
        const auto out = compute(std::move(now));
        tracing_ = tracing;
        if (out && !out->as_label()) return not_a_quantity(*out, span);
    }
    auto function = [this, values = std::move(values), quantities, compute = std::move(compute), span,
                     source = source_](std::span<const Label> labels) -> Result<Label> {
        std::vector<Value> now;
        now.reserve(values.size());
        for (const auto& value : values) now.push_back(settled(value, quantities, labels));
        const SourcePtr here = std::exchange(source_, source);
        const int tracing = std::exchange(tracing_, 0);
        auto out = compute(std::move(now));
        tracing_ = tracing;
        if (!out) {
            source_ = here;
            return std::move(out).fault();
        }
        auto label = out->as_label();
        Result<Label> result = label ? Result<Label>(*std::move(label)) : not_a_quantity(*out, span);
        source_ = here;
        return result;
    };
    // As a term its parts are the values in order, so constants stay parts there.
    return quantity_value(rt::function_quantity(std::move(quantities), std::move(function), op));
}

/// An operation on the values that two quantities have in one case.
Result<Label> Evaluator::value_in_case(BinaryOp op, const Value& left, const Value& right, Span span) {
    if (op >= BinaryOp::equal && op <= BinaryOp::in) {
        const bool truth = TRY(compare(op, left, right, span));
        return Label::of_bool(truth);
    }
    auto value = arithmetic(op, left, right, span);
    if (!value) {
        Fault failed = std::move(value).fault();
        if (failed.code == "E-ARITHMETIC" && (op == BinaryOp::divide || op == BinaryOp::modulo)) {
            failed.label = "the divisor is 0 in a case that can happen";
            failed.hint = "exclude this case after the bar, or give it a value: (if d == 0 then 0 else n / d)";
        }
        return failed;
    }
    if (auto label = value->as_label()) return *std::move(label);
    return fault("E-TYPE", fmt::format("a quantity cannot be {}", value->kind()), span);
}

Result<Value> Evaluator::trace_binary(BinaryOp op, const Value& left, const Value& right, Span span) {
    const auto fold = [&](Fold kind, QuantityPtr a, QuantityPtr b) {
        return quantity_value(rt::fold_quantity(kind, {std::move(a), std::move(b)}));
    };
    QuantityPtr a = as_quantity(left);
    QuantityPtr b = as_quantity(right);
    const auto numeric = [](const QuantityPtr& q) { return q && (q->kind != rt::Quantity::Kind::constant || q->constant.is_number()); };
    if (numeric(a) && numeric(b)) {
        if (op == BinaryOp::add) return fold(Fold::sum, a, b);
        if (op == BinaryOp::subtract) return fold(Fold::sum, a, rt::negated_quantity(b));
        if (op == BinaryOp::multiply) return fold(Fold::product, a, b);
    }
    if (op == BinaryOp::in && a && right.items() && holds_quantity(right)) {  // x in [X, Y]: it is one of them
        std::vector<QuantityPtr> tests;
        for (const auto& item : *right.items()) {
            const auto same = TRY(trace_equal(left, item, span));
            tests.push_back(as_quantity(same));
        }
        return quantity_value(rt::fold_quantity(Fold::any, std::move(tests)));
    }
    if (a && b && op == BinaryOp::and_) return fold(Fold::all, a, b);
    if (a && b && op == BinaryOp::or_) return fold(Fold::any, a, b);
    const auto compute = [this, op, span](std::span<const Value> values) -> Result<Value> {
        if (op >= BinaryOp::equal && op <= BinaryOp::in) {
            auto truth = TRY(compare(op, values[0], values[1], span));
            return Value::boolean(truth);
        }
        return arithmetic(op, values[0], values[1], span);
    };
    for (const Value* side : {&left, &right}) {
        const auto* list = side->get<ListPtr>();
        if (op <= BinaryOp::in || !list || !variable_of_ || !plates_.contains(list->get()) || (*list)->empty()) continue;
        const auto first = variable_of_((*(**list)[0].get<QuantityPtr>())->variable);
        return fault("E-TYPE", fmt::format("{} has several numbers, and one is needed here", first.name.substr(0, first.name.find('['))),
                     span, {}, fmt::format("name one of them: {}", first.name));
    }
    if (!a || !b)
        return pointwise(
            {left, right}, [compute](std::vector<Value> values) { return compute(values); }, std::nullopt, span);
    const auto two = [&](BinaryOp step, QuantityPtr x, QuantityPtr y, std::optional<TermOp> term) {
        auto function = [this, step, span, source = source_](std::span<const Label> labels) -> Result<Label> {
            const SourcePtr here = std::exchange(source_, source);
            auto out = value_in_case(step, Value::label(labels[0]), Value::label(labels[1]), span);
            source_ = here;
            return out;
        };
        return rt::function_quantity({std::move(x), std::move(y)}, std::move(function), term);
    };
    if (op == BinaryOp::equal || op == BinaryOp::not_equal) {
        a = as_value_of(b, std::move(a));
        b = as_value_of(a, std::move(b));
        note_never_equal(a, b);
    }
    const bool plain = op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply;  // of labels that are not numbers
    const auto operation = plain ? std::nullopt : term_operator(op);
    if (!operation) return quantity_value(two(op, a, b, std::nullopt));
    if (operation->swapped) std::swap(a, b);
    const Value out = quantity_value(two(operation->step, a, b, operation->op));
    return operation->negated ? trace_not(out, span) : out;
}

/// Whether two values are the same; of values that no case changes it is known.
Result<Value> Evaluator::trace_equal(const Value& a, const Value& b, Span span) {
    if (holds_quantity(a) || holds_quantity(b)) return trace_binary(BinaryOp::equal, a, b, span);
    const auto same = TRY(compare(BinaryOp::equal, a, b, span));
    return Value::boolean(same);
}

/// The middle one of the sorted values, or the mean of the two in the middle.
Result<Value> Evaluator::trace_median(const std::vector<QuantityPtr>& sorted, Span span) {
    const std::size_t middle = sorted.size() / 2;
    if (sorted.size() % 2 == 1) return quantity_value(sorted[middle]);
    const auto sum = rt::fold_quantity(Fold::sum, {sorted[middle - 1], sorted[middle]});
    return trace_binary(BinaryOp::divide, quantity_value(sum), Value(rt::Number(2)), span);
}

Result<Value> Evaluator::trace_not(const Value& operand, Span span) {
    const auto quantity = as_quantity(operand);
    auto function = [this, span](std::span<const Label> labels) -> Result<Label> {
        const auto truth = rt::truth_of(labels[0]);
        if (!truth) return fault("E-TYPE", fmt::format("not takes true or false, and '{}' is neither", labels[0].text()), span);
        return Label::of_bool(!*truth);
    };
    return quantity_value(rt::function_quantity({quantity}, std::move(function), TermOp::not_));
}

Result<Value> Evaluator::trace_if(const Value& condition, const If& node, Frame& frame) {
    auto yes = eval(*node.then_, frame);
    if (!yes) return yes;
    auto no = eval(*node.else_, frame);
    if (!no) return no;
    const auto a = as_quantity(*yes);
    const auto b = as_quantity(*no);
    if (!a || !b)
        return fault("E-TYPE", fmt::format("an uncertain condition must choose between numbers or labels, not {}", (a ? no : yes)->kind()),
                     (a ? node.else_ : node.then_)->span);
    auto function = [this, span = node.condition->span](std::span<const Label> labels) -> Result<Label> {
        if (const auto truth = rt::truth_of(labels[0])) return labels[*truth ? 1 : 2];
        return fault("E-TYPE", fmt::format("a condition is true or false, not '{}'", labels[0].text()), span);
    };
    return quantity_value(rt::function_quantity({as_quantity(condition), a, b}, std::move(function), TermOp::choose));
}

/// A builtin whose arguments hold quantities; not applicable where it is called as it is (it only moves items about).
Attempt<Value> Evaluator::trace_call(std::span<const Builtin* const> forms, std::string_view name, const Passed& passed, Span span) {
    if (moves_items(name)) return not_applicable;
    const auto& given = passed.values;
    const List* list = given.size() >= 1 ? given[0].items() : nullptr;
    const auto parts_of = [&](const List& items) -> Result<std::vector<QuantityPtr>> {
        std::vector<QuantityPtr> out;
        for (const auto& item : items) {
            out.push_back(as_quantity(item));
            if (!out.back()) return fault("E-TYPE", fmt::format("{} takes numbers here, not {}", name, item.kind()), span);
        }
        return out;
    };
    const auto folded = [&](Fold kind, const List& items) -> Attempt<Value> {
        auto parts = TRY(parts_of(items));
        if (parts.empty()) return not_applicable;
        return quantity_value(rt::fold_quantity(kind, std::move(parts)));
    };
    /// What the function makes of the items.
    const auto mapped = [&]() -> Result<List> {
        List out;
        for (const auto& item : *list) {
            auto value = TRY(call(given[1], std::span(&item, 1)));
            out.push_back(std::move(value));
        }
        return out;
    };
    const bool judged = given.size() == 2 && given[1].is<FunctionPtr>();
    if (name == "count" && list && given.size() == 2 && passed.names.empty() && !given[1].is<FunctionPtr>()) {
        List equal;
        for (const auto& item : *list) {
            auto one = TRY(trace_binary(BinaryOp::equal, item, given[1], span));
            equal.push_back(std::move(one));
        }
        return folded(Fold::sum, equal);
    }
    if (judged && list && (name == "all" || name == "any" || name == "count")) {
        auto items = TRY(mapped());
        if (std::none_of(items.begin(), items.end(), holds_quantity)) return not_applicable;
        return folded(name == "all" ? Fold::all : name == "any" ? Fold::any : Fold::sum, items);
    }
    if (std::none_of(given.begin(), given.end(), holds_quantity)) return not_applicable;
    if (passed.names.empty()) {
        if ((name == "sum" || name == "product" || name == "mean") && list && given.size() == 1)
            TRY(numbers_only(given[0], name == "product" ? "a product" : name == "mean" ? "a mean" : "a sum", passed.spans[0]));
        if (name == "sum" && list && given.size() == 1) return folded(Fold::sum, *list);
        if (name == "product" && list && given.size() == 1) return folded(Fold::product, *list);
        if (name == "min") return folded(Fold::least, list && given.size() == 1 ? *list : given);
        if (name == "max") return folded(Fold::greatest, list && given.size() == 1 ? *list : given);
        if ((name == "all" || name == "any") && list && given.size() == 1) return folded(name == "all" ? Fold::all : Fold::any, *list);
        if (name == "count" && list && given.size() == 1) {
            if (!is_standard(source_)) note("count(xs) is the length of the list; count(xs, x -> x) counts the items that are true");
            return Value(rt::Number(rt::Rational(static_cast<std::int64_t>(list->size()))));
        }
        if (name == "mean" && list && given.size() == 1 && !list->empty()) {
            const auto total = TRY(folded(Fold::sum, *list));
            return trace_binary(BinaryOp::divide, total, Value(rt::Number(rt::Rational(static_cast<std::int64_t>(list->size())))), span);
        }
        if ((name == "sort" || name == "median") && list && given.size() == 1) {
            const auto parts = TRY(parts_of(*list));
            const auto sorted = rt::sorted_quantities(parts);
            if (name == "median") return trace_median(sorted, span);
            List out;
            for (const auto& quantity : sorted) out.push_back(quantity_value(quantity));
            return Value::list(std::move(out));
        }
    }
    std::vector<const Builtin*> kept(forms.begin(), forms.end());
    const auto compute = [this, kept, name = std::string(name), names = passed.names, spans = passed.spans,
                          span](std::vector<Value> values) {
        return apply_builtin(kept, name, {std::move(values), names, spans}, span);
    };
    const auto op = given.size() == 1 ? term_function(name) : std::nullopt;
    return pointwise(given, compute, op, span);
}

/// count(unique(xs)) of uncertain xs. The list of the different values has an uncertain length, and so is not a value here; how many there
/// are is a quantity. Not applicable where the call is another one.
Attempt<Value> Evaluator::trace_distinct(const Call& call, Frame& frame) {
    const auto calls = [](const Call& one, std::string_view name) {
        const auto* callee = std::get_if<NameExpr>(&one.callee->node);
        return callee && callee->resolved.kind == Resolution::Kind::builtin && callee->name == name && one.arguments.size() == 1;
    };
    if (!calls(call, "count")) return not_applicable;
    const auto* inner = std::get_if<Call>(&call.arguments[0].value->node);
    if (!inner || !calls(*inner, "unique")) return not_applicable;
    const auto value = TRY(eval(*inner->arguments[0].value, frame));
    if (!value.items() || !holds_quantity(value)) return not_applicable;
    std::vector<QuantityPtr> parts;
    for (const auto& item : *value.items()) {
        parts.push_back(as_quantity(item));
        if (!parts.back()) return not_applicable;
    }
    return quantity_value(rt::distinct_quantity(std::move(parts)));
}

Result<Value> Evaluator::chosen(const Value& base, const Value& index, const Expr& written, Span span) {
    const auto* list = base.get<ListPtr>();
    const auto plate = list ? plates_.find(list->get()) : plates_.end();
    if (plate == plates_.end()) {
        const auto pick = [this, &written, span](std::vector<Value> values) { return item_at(values[0], values[1], written, span); };
        return pointwise({base, index}, pick, std::nullopt, span);
    }
    const auto pick = [this, indices = plate->second, span](std::vector<Value> values) -> Result<Value> {
        const auto found = std::find(indices.begin(), indices.end(), values[1].as_label()->text());
        if (found != indices.end()) return (*values[0].items())[static_cast<std::size_t>(found - indices.begin())];
        return fault("E-VARIABLE", fmt::format("no variable of this plate has the index {}", values[1].as_label()->text()), span,
                     fmt::format("they go from {} to {}", indices.front(), indices.back()));
    };
    return pointwise({base, index}, pick, std::nullopt, span);
}

Result<Value> Evaluator::traced(const Expr& expr, Frame& frame) {
    ++tracing_;
    auto out = eval(expr, frame);
    --tracing_;
    return out;
}

}  // namespace credence::lang
