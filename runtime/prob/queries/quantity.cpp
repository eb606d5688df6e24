#include "runtime/prob/queries/quantity.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace credence::rt {

namespace {

bool is_truth(const Label& label) { return label.text() == "true" || label.text() == "false"; }

std::string_view fold_name(Fold fold) {
    switch (fold) {
        case Fold::sum:
            return "a sum";
        case Fold::product:
            return "a product";
        case Fold::least:
            return "min";
        case Fold::greatest:
            return "max";
        case Fold::all:
            return "all";
        case Fold::any:
            return "any";
    }
    return {};
}

/// Visits every node once, parts before what they are part of.
void collect(const Quantity& quantity, std::unordered_set<const Quantity*>& seen, std::vector<const Quantity*>& out) {
    if (!seen.insert(&quantity).second) return;
    for (const auto& part : quantity.parts) collect(*part, seen, out);
    out.push_back(&quantity);
}

std::vector<const Quantity*> nodes_of(const Quantity& quantity) {
    std::unordered_set<const Quantity*> seen;
    std::vector<const Quantity*> out;
    collect(quantity, seen, out);
    return out;
}

Label counted(const Label& truth) { return Label::of_number(truth.text() == "true" ? 1 : 0); }

Result<Label> ranked(std::vector<Label> values, std::size_t rank) {
    std::sort(values.begin(), values.end(), value_before);
    return values[rank];
}

std::int64_t different(std::span<const Label> values) {
    std::unordered_set<std::string_view> seen;
    for (const auto& value : values) {
        const std::string_view text = value.text();
        seen.insert(text == "true" ? "1" : text == "false" ? "0" : text);
    }
    return static_cast<std::int64_t>(seen.size());
}

/// A comparison of two exact numbers, which needs no function of the script.
std::optional<bool> compared_exactly(const std::optional<TermOp>& op, std::span<const Label> values) {
    if (op != TermOp::equal && op != TermOp::less && op != TermOp::less_equal) return std::nullopt;
    for (const auto& value : values)
        if (!value.is_number() || !value.number()->is_exact()) return std::nullopt;
    if (op == TermOp::equal) return values[0] == values[1];
    const auto& a = values[0].number()->exact();
    const auto& b = values[1].number()->exact();
    return op == TermOp::less ? a < b : !(b < a);
}

}  // namespace

std::optional<Number> as_count(const Label& label) {
    if (label.is_number()) return *label.number();
    if (is_truth(label)) return Number(label.text() == "true" ? 1 : 0);
    return std::nullopt;
}

bool same_value(const Label& a, const Label& b) {
    if (a == b) return true;
    const bool truth = is_truth(a);
    if (a.is_number() == b.is_number() || truth == is_truth(b)) return false;
    return truth ? counted(a) == b : a == counted(b);
}

bool value_before(const Label& a, const Label& b) {
    if (!is_truth(a) && !is_truth(b)) return a < b;
    return (is_truth(a) ? counted(a) : a) < (is_truth(b) ? counted(b) : b);
}

bool has_numbers(std::span<const std::optional<Label>> values) {
    return std::any_of(values.begin(), values.end(), [](const auto& value) { return value && value->is_number(); });
}

void count_truths(std::span<std::optional<Label>> values) {
    for (auto& value : values)
        if (value && is_truth(*value)) value = counted(*value);
}

Label label_in(const Domain& domain, const Label& label) {
    if (domain.find(label)) return label;
    if (is_truth(label)) return domain.find(counted(label)) ? counted(label) : label;
    const auto truth = truth_of(label);
    return truth && domain.find(Label::of_bool(*truth)) ? Label::of_bool(*truth) : label;
}

QuantityPtr variable_quantity(VarId variable) {
    return std::make_shared<const Quantity>(Quantity{.kind = Quantity::Kind::variable, .variable = variable});
}

QuantityPtr constant_quantity(Label value) {
    return std::make_shared<const Quantity>(Quantity{.kind = Quantity::Kind::constant, .constant = std::move(value)});
}

QuantityPtr function_quantity(std::vector<QuantityPtr> parts, Quantity::Function function, std::optional<TermOp> op) {
    if (std::all_of(parts.begin(), parts.end(), [](const QuantityPtr& p) { return p->kind == Quantity::Kind::constant; })) {
        std::vector<Label> values;
        for (const auto& part : parts) values.push_back(part->constant);
        if (auto value = function(values)) return constant_quantity(*std::move(value));
    }
    return std::make_shared<const Quantity>(
        Quantity{.kind = Quantity::Kind::function, .parts = std::move(parts), .function = std::move(function), .op = op});
}

QuantityPtr fold_quantity(Fold fold, std::vector<QuantityPtr> parts) {
    Quantity out{.kind = Quantity::Kind::fold, .fold = fold};
    for (auto& part : parts) {
        if (part->kind == Quantity::Kind::fold && part->fold == fold)
            out.parts.insert(out.parts.end(), part->parts.begin(), part->parts.end());
        else
            out.parts.push_back(std::move(part));
    }
    if (out.parts.empty())
        if (const auto start = fold_start(fold)) return constant_quantity(*start);
    return std::make_shared<const Quantity>(std::move(out));
}

std::vector<QuantityPtr> sorted_quantities(const std::vector<QuantityPtr>& parts) {
    std::vector<QuantityPtr> out;
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
        out.push_back(std::make_shared<const Quantity>(Quantity{.kind = Quantity::Kind::order, .parts = parts, .rank = rank}));
    return out;
}

QuantityPtr distinct_quantity(std::vector<QuantityPtr> parts) {
    return std::make_shared<const Quantity>(Quantity{.kind = Quantity::Kind::distinct, .parts = std::move(parts)});
}

QuantityPtr negated_quantity(const QuantityPtr& quantity) {
    if (quantity->kind == Quantity::Kind::fold && quantity->fold == Fold::sum) {
        std::vector<QuantityPtr> parts;
        for (const auto& part : quantity->parts) parts.push_back(negated_quantity(part));
        return fold_quantity(Fold::sum, std::move(parts));
    }
    const auto negate = [](std::span<const Label> values) -> Result<Label> {
        if (const auto number = as_count(values[0])) return Label::of_number(-*number);
        return Fault{.code = "E-TYPE", .message = fmt::format("- works on numbers, and '{}' is not one", values[0].text())};
    };
    return function_quantity({quantity}, negate, TermOp::negate);
}

std::optional<bool> truth_of(const Label& label) {
    if (is_truth(label)) return label.text() == "true";
    if (label.is_number() && *label.number() == Number(1)) return true;
    if (label.is_number() && label.number()->is_zero()) return false;
    return std::nullopt;
}

std::optional<Label> fold_start(Fold fold) {
    switch (fold) {
        case Fold::sum:
            return Label::of_number(0);
        case Fold::product:
            return Label::of_number(1);
        case Fold::all:
            return Label::of_bool(true);
        case Fold::any:
            return Label::of_bool(false);
        case Fold::least:
        case Fold::greatest:
            return std::nullopt;
    }
    return std::nullopt;
}

Result<Label> fold_step(Fold fold, const Label& a, const Label& b) {
    if (fold == Fold::all || fold == Fold::any) {
        for (const auto* label : {&a, &b})
            if (!truth_of(*label))
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("{} takes true or false, and '{}' is neither", fold_name(fold), label->text())};
        const bool left = *truth_of(a);
        const bool right = *truth_of(b);
        return Label::of_bool(fold == Fold::all ? left && right : left || right);
    }
    const auto x = as_count(a);
    const auto y = as_count(b);
    if (!x || !y)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} needs numbers, and '{}' is not one", fold_name(fold), x ? b.text() : a.text())};
    switch (fold) {
        case Fold::sum:
            return Label::of_number(*x + *y);
        case Fold::product:
            return Label::of_number(*x * *y);
        case Fold::least:
            return Label::of_number(*y < *x ? *y : *x);
        case Fold::greatest:
            return Label::of_number(*x < *y ? *y : *x);
        case Fold::all:
        case Fold::any:
            break;
    }
    return a;
}

Result<Label> combined(const Quantity& quantity, const std::function<Result<Label>(std::size_t)>& part) {
    if (quantity.kind == Quantity::Kind::fold) {
        const auto start = fold_start(quantity.fold);
        Result<Label> out = start ? Result<Label>(*start) : part(0);
        for (std::size_t i = start ? 0 : 1; i < quantity.parts.size() && out; ++i) {
            if (quantity.fold == Fold::all && out->text() == "false") break;  // as `and` and `or` stop at what decides them
            if (quantity.fold == Fold::any && out->text() == "true") break;
            auto next = part(i);
            if (!next) return next;
            out = fold_step(quantity.fold, *out, *next);
        }
        return out;
    }
    std::vector<Label> values(quantity.parts.size());
    const bool chooses = quantity.op == TermOp::choose;
    for (std::size_t i = 0; i < values.size(); ++i) {
        // Only the branch that is taken has to have a value.
        if (chooses && i > 0 && truth_of(values[0]).value_or(false) != (i == 1)) continue;
        auto value = part(i);
        if (!value) return value;
        values[i] = *std::move(value);
    }
    if (quantity.kind == Quantity::Kind::order) return ranked(std::move(values), quantity.rank);
    if (quantity.kind == Quantity::Kind::distinct) return Label::of_number(Rational(different(values)));
    if (const auto truth = compared_exactly(quantity.op, values)) return Label::of_bool(*truth);
    return quantity.function(values);
}

std::vector<VarId> variables_of(const Quantity& quantity) {
    std::vector<VarId> out;
    for (const auto* node : nodes_of(quantity))
        if (node->kind == Quantity::Kind::variable) out.push_back(node->variable);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Evaluation::Evaluation(const Quantity& quantity) {
    std::unordered_map<const Quantity*, std::size_t> place;
    for (const auto* node : nodes_of(quantity)) {
        Step step{node, {}};
        for (const auto& part : node->parts) step.parts.push_back(place.at(part.get()));
        place.emplace(node, steps_.size());
        steps_.push_back(std::move(step));
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) values_.emplace_back(Label());
}

Result<Label> Evaluation::at(const std::function<Label(VarId)>& value_of) {
    const auto copied = [](const Result<Label>& value) { return value ? Result<Label>(*value) : Result<Label>(value.fault()); };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Quantity& node = *steps_[i].node;
        if (node.kind == Quantity::Kind::constant)
            values_[i] = node.constant;
        else if (node.kind == Quantity::Kind::variable)
            values_[i] = value_of(node.variable);
        else
            values_[i] = combined(node, [&](std::size_t k) { return copied(values_[steps_[i].parts[k]]); });
    }
    return copied(values_.back());
}

Result<Label> evaluate(const Quantity& quantity, const std::function<Label(VarId)>& value_of) { return Evaluation(quantity).at(value_of); }

std::optional<Term> as_term(const Quantity& quantity, const std::function<std::optional<Term>(const Quantity&)>& leaf) {
    std::unordered_map<const Quantity*, Term> known;
    const auto fold_terms = [](Fold fold, const std::vector<Term>& terms) {
        Term out = terms[0];
        for (std::size_t i = 1; i < terms.size(); ++i) {
            const Term& next = terms[i];
            switch (fold) {
                case Fold::sum:
                    out = next->op == TermOp::negate ? make_term(TermOp::subtract, {out, next->parts[0]})
                                                     : make_term(TermOp::add, {out, next});
                    break;
                case Fold::product:
                    out = make_term(TermOp::multiply, {out, next});
                    break;
                case Fold::least:
                    out = make_term(TermOp::min, {out, next});
                    break;
                case Fold::greatest:
                    out = make_term(TermOp::max, {out, next});
                    break;
                case Fold::all:
                    out = make_term(TermOp::and_, {out, next});
                    break;
                case Fold::any:
                    out = make_term(TermOp::or_, {out, next});
                    break;
            }
        }
        return out;
    };
    // A comparison of a variable with a label is a term of its own.
    const auto is_label = [&](const Quantity& node) -> std::optional<Term> {
        if (node.op != TermOp::equal) return std::nullopt;
        for (int k = 0; k < 2; ++k) {
            const Quantity& variable = *node.parts[static_cast<std::size_t>(k)];
            const Quantity& value = *node.parts[static_cast<std::size_t>(1 - k)];
            if (variable.kind == Quantity::Kind::variable && value.kind == Quantity::Kind::constant && !value.constant.is_number())
                return is_term(variable.variable, value.constant);
        }
        return std::nullopt;
    };
    std::vector<const Quantity*> open{&quantity};
    while (!open.empty()) {
        const Quantity* node = open.back();
        if (known.contains(node)) {
            open.pop_back();
            continue;
        }
        auto term = leaf(*node);
        if (!term) term = is_label(*node);
        if (!term && node->kind == Quantity::Kind::variable) term = variable_term(node->variable);
        if (!term && node->kind == Quantity::Kind::constant) {
            const auto number = as_count(node->constant);
            if (!number) return std::nullopt;
            term = constant_term(*number);
        }
        if (!term) {
            const bool operation = node->kind == Quantity::Kind::fold || (node->kind == Quantity::Kind::function && node->op);
            if (!operation || node->parts.empty()) return std::nullopt;
            std::vector<Term> parts;
            for (const auto& part : node->parts) {
                if (const auto found = known.find(part.get()); found != known.end())
                    parts.push_back(found->second);
                else
                    open.push_back(part.get());
            }
            if (parts.size() < node->parts.size()) continue;
            term = node->kind == Quantity::Kind::fold ? fold_terms(node->fold, parts) : make_term(*node->op, std::move(parts));
        }
        known.emplace(node, *std::move(term));
        open.pop_back();
    }
    return known.at(&quantity);
}

DomainPtr domain_of_values(std::vector<Label> values) {
    std::unordered_set<std::string> seen;
    std::vector<Label> distinct;
    for (auto& value : values)
        if (seen.insert(value.text()).second) distinct.push_back(std::move(value));
    if (!distinct.empty() && std::all_of(distinct.begin(), distinct.end(), is_truth)) return boolean_domain();
    const bool numbers = std::any_of(distinct.begin(), distinct.end(), [](const Label& l) { return l.is_number(); });
    if (numbers && std::any_of(distinct.begin(), distinct.end(), is_truth)) {
        for (auto& label : distinct)
            if (is_truth(label)) label = counted(label);
        return domain_of_values(std::move(distinct));
    }
    if (std::all_of(distinct.begin(), distinct.end(), [](const Label& l) { return l.is_number(); }))
        std::sort(distinct.begin(), distinct.end());
    return make_domain(std::move(distinct));
}

}  // namespace credence::rt
