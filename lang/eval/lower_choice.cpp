// if … then … else where the condition is a matter of variables: one of two numbers, of two labels, or of two records of numbers.

#include <algorithm>

#include "lang/eval/lower_term.hpp"

namespace credence::lang {

namespace {

using Cases = std::vector<std::pair<rt::Label, rt::Term>>;

rt::Term of_label(const Cases& cases, const rt::Label& label) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const auto& one) { return one.first == label; });
    return found == cases.end() ? nullptr : found->second;
}

/// The labels of a label or of a choice among labels. A number is a label where the other side is one, true and false are numbers.
std::optional<Cases> labels_of(const Symbolic& value, bool numbers) {
    if (const auto* labels = std::get_if<Symbolic::Labels>(&value.node)) return labels->cases;
    if (!value.is_value()) return std::nullopt;
    const Value& plain = value.value();
    const bool number = plain.is<rt::Number>() || plain.is<bool>();
    const auto label = number == numbers || !number ? plain.as_label() : std::nullopt;
    if (!label) return std::nullopt;
    return Cases{{*label, rt::constant_term(1)}};
}

bool is_record(const Symbolic& value) {
    return std::holds_alternative<Symbolic::Record>(value.node) || (value.is_value() && value.value().is<RecordPtr>());
}

}  // namespace

Result<Symbolic> TermLowering::choice(const If& choice, SymbolicFrame& frame) {
    auto condition = TRY(number(*choice.condition, frame));
    if (rt::is_constant(condition)) return lower(condition->value.is_zero() ? *choice.else_ : *choice.then_, frame);
    auto yes = TRY(lower(*choice.then_, frame));
    auto no = TRY(lower(*choice.else_, frame));
    return chosen(condition, yes, choice.then_->span, no, choice.else_->span);
}

Result<Symbolic> TermLowering::chosen(const rt::Term& condition, const Symbolic& yes, Span yes_span, const Symbolic& no, Span no_span) {
    const bool label = labels_of(yes, false) || labels_of(no, false);
    if (!label && !is_record(yes) && !is_record(no)) {
        auto a = TRY(as_number(yes, yes_span));
        auto b = TRY(as_number(no, no_span));
        return Symbolic{rt::make_term(rt::TermOp::choose, {condition, a, b})};
    }
    const auto read = [&](const Symbolic& value, Span span) -> Result<Cases> {
        if (label)
            if (auto number = labels_of(value, true)) return *std::move(number);
        auto cases = TRY(probabilities(value, span).or_nothing());
        if (cases) return *std::move(cases);
        return self_.fault("E-TYPE", "a label or a record is needed here, as on the other side of this if", span);
    };
    const auto a = TRY(read(yes, yes_span));
    const auto b = TRY(read(no, no_span));
    Cases out;
    const rt::Term nothing = rt::constant_term(0);
    const auto add = [&](const rt::Label& label_of_case) {
        if (of_label(out, label_of_case)) return;
        const auto first = of_label(a, label_of_case);
        const auto second = of_label(b, label_of_case);
        out.emplace_back(label_of_case, rt::make_term(rt::TermOp::choose, {condition, first ? first : nothing, second ? second : nothing}));
    };
    for (const auto& [one, term] : a) add(one);
    for (const auto& [one, term] : b) add(one);
    if (!is_record(yes) && !is_record(no)) return Symbolic{Symbolic::Labels{std::move(out)}};
    Symbolic::Record record;
    for (auto& [one, term] : out) record.emplace_back(one.text(), Symbolic{std::move(term)});
    return Symbolic{std::move(record)};
}

Attempt<std::vector<std::pair<rt::Label, rt::Term>>> TermLowering::probabilities(const Symbolic& value, Span span) {
    if (auto labels = labels_of(value, false)) return *std::move(labels);
    Cases out;
    if (const auto* record = std::get_if<Symbolic::Record>(&value.node)) {
        for (const auto& [key, entry] : *record) out.emplace_back(rt::Label::of_text(key), TRY(as_number(entry, span)));
        return out;
    }
    const auto* plain = value.is_value() ? value.value().get<RecordPtr>() : nullptr;
    if (!plain) return not_applicable;
    for (const auto& [key, entry] : (*plain)->entries) out.emplace_back(rt::Label::of_text(key), TRY(as_number(Symbolic{entry}, span)));
    return out;
}

std::optional<rt::Term> TermLowering::same_label(const Symbolic& left, const Symbolic& right) const {
    if (!std::holds_alternative<Symbolic::Labels>(left.node) && !std::holds_alternative<Symbolic::Labels>(right.node)) return std::nullopt;
    const auto a = labels_of(left, true);
    const auto b = labels_of(right, true);
    if (!a || !b) return std::nullopt;
    rt::Term out = rt::constant_term(0);
    for (const auto& [label, term] : *a)
        if (const auto other = of_label(*b, label))
            out = rt::make_term(rt::TermOp::add, {out, rt::make_term(rt::TermOp::multiply, {term, other})});
    return out;
}

}  // namespace credence::lang
