// mu[z], means[z], theta[k + 1]: an index that is a variable picks one of several terms.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/lower_term.hpp"

namespace credence::lang {

namespace {

using rt::Term;
using rt::TermOp;

/// The terms with that variable at that value; a constant has become its number.
Symbolic with_value(const Symbolic& at, rt::VarId variable, const rt::Label& value) {
    const auto* term = std::get_if<Term>(&at.node);
    if (!term) return at;
    if ((*term)->op == TermOp::variable && (*term)->variable == variable) return Symbolic{Value::label(value)};
    const Term put = rt::rewrite(
        *term, [&](const rt::TermNode& leaf) -> Term { return leaf.variable == variable ? rt::leaf_value(leaf, value) : nullptr; });
    return rt::is_constant(put) ? Symbolic{Value(put->value)} : Symbolic{put};
}

}  // namespace

Symbolic TermLowering::together(Symbolic value) const {
    const auto* plate = std::get_if<Symbolic::PlateName>(&value.node);
    if (!plate || !members_) return value;
    Symbolic::List out;
    for (auto& term : members_(plate->name)) out.push_back(Symbolic{std::move(term)});
    return Symbolic{std::move(out)};
}

Result<Symbolic> TermLowering::element(const Index& index, const Symbolic& base, const std::vector<std::string>& labels, Span span) {
    const auto missing = [&](std::string_view what) {
        return self_.fault("E-INDEX", fmt::format("there is no {} in {}", labels[0], what), span, {},
                           "each value of the variable between the brackets picks one");
    };
    if (!base.is_value() && !std::holds_alternative<Symbolic::List>(base.node) && !std::holds_alternative<Symbolic::Record>(base.node)) {
        std::string inside;
        for (const auto& label : labels) inside += (inside.empty() ? "" : ", ") + label;
        const auto* written = std::get_if<NameExpr>(&index.base->node);
        const auto* plate = std::get_if<Symbolic::PlateName>(&base.node);
        const std::string full = (plate ? plate->name : written ? written->name : std::string()) + "[" + inside + "]";
        if (auto found = find_(full)) return Symbolic{*std::move(found)};
        return self_.fault("E-VARIABLE", fmt::format("there is no variable {}", full), span,
                           "the variable between the brackets can have that value");
    }
    if (labels.size() != 1 && !(base.is_value() && base.value().is<FactorPtr>()))
        return self_.fault("E-INDEX", fmt::format("one index is needed here, found {}", labels.size()), span);
    const auto number = rt::Rational::parse(labels[0]);
    const auto position = number ? number->to_int64() : std::nullopt;
    const auto in = [&](std::size_t size) { return position && *position >= 1 && static_cast<std::size_t>(*position) <= size; };
    if (const auto* list = std::get_if<Symbolic::List>(&base.node)) {
        if (!in(list->size())) return missing(fmt::format("a list of {}", list->size()));
        return (*list)[static_cast<std::size_t>(*position - 1)];
    }
    if (const auto* record = std::get_if<Symbolic::Record>(&base.node)) {
        for (const auto& [key, value] : *record)
            if (key == labels[0]) return value;
        return missing("the record");
    }
    const Value& value = base.value();
    if (const auto* record = value.get<RecordPtr>()) {
        const Value* found = (*record)->find(labels[0]);
        return found ? Result<Symbolic>(Symbolic{*found}) : missing("the record");
    }
    if (const auto* factor = value.get<FactorPtr>(); factor && (*factor)->variables().size() == labels.size()) {
        std::vector<rt::Label> named;
        for (const auto& label : labels) named.push_back(rt::Label::of_text(label));
        auto out = rt::fix_leading(**factor, named);
        if (!out) return self_.at(std::move(out).fault(), span);
        return Symbolic{Value(out->at(0))};
    }
    if (const List* items = value.items(); items && !value.is<SetPtr>()) {
        if (!in(items->size())) return missing(fmt::format("a list of {}", items->size()));
        return Symbolic{(*items)[static_cast<std::size_t>(*position - 1)]};
    }
    return self_.fault("E-TYPE", fmt::format("[ ] looks into lists, records and factors here, not into {}", value.kind()), span);
}

/// One variable after the other: if z is a then x[a] else if z is b then x[b] … The last value needs no condition.
Result<Symbolic> TermLowering::index_by_variable(const Index& index, const Symbolic& base, std::vector<Symbolic> at, Span span) {
    std::optional<rt::VarId> variable;
    for (const auto& one : at)
        if (const auto* term = std::get_if<Term>(&one.node); term && !variable) variable = rt::variables_of(*term).front();
    if (!variable) {
        std::vector<std::string> labels;
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (!at[i].is_value()) return self_.fault("E-TYPE", "the index of a variable is a number or a label", index.indices[i]->span);
            auto text = TRY(self_.index_text(at[i].value(), index.indices[i]->span));
            labels.push_back(std::move(text));
        }
        return element(index, base, labels, span);
    }
    const rt::DomainPtr domain = domain_of_(*variable);
    if (!domain)
        return self_.fault("E-TYPE", "the values of an index must be known", index.indices[0]->span,
                           "this variable is a number, or its values come later", "an index is a variable with listed values");
    std::optional<Symbolic> out;
    for (std::size_t v = domain->size(); v-- > 0;) {
        std::vector<Symbolic> here;
        for (const auto& one : at) here.push_back(with_value(one, *variable, (*domain)[v]));
        auto picked = index_by_variable(index, base, std::move(here), span);
        if (!picked || !out) {
            if (!picked) return picked;
            out = *std::move(picked);
            continue;
        }
        out = TRY(chosen(rt::is_term(*variable, (*domain)[v]), *picked, span, *out, span));
    }
    return *std::move(out);
}

}  // namespace credence::lang
