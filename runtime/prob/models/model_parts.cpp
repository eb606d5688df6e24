#include "runtime/prob/models/model_parts.hpp"

#include "runtime/data/columns.hpp"

namespace credence::rt {

PartTable& PartTable::names(std::string column, std::span<const std::string> cells) {
    std::vector<Label> labels;
    Column out;
    out.name = std::move(column);
    for (const auto& cell : cells) {
        const Label label = Label::of_text(cell);
        std::size_t code = 0;
        while (code < labels.size() && labels[code] != label) ++code;
        if (code == labels.size()) labels.push_back(label);
        out.codes.push_back(static_cast<std::int32_t>(code));
    }
    out.domain = make_domain(std::move(labels));
    columns_.push_back(std::make_shared<const Column>(std::move(out)));
    return *this;
}

PartTable& PartTable::names(std::string column, const Domain& labels) {
    std::vector<std::string> cells;
    for (const auto& label : labels.labels()) cells.push_back(label.text());
    return names(std::move(column), cells);
}

PartTable& PartTable::numbers(std::string column, std::span<const double> cells) {
    Column out;
    out.name = std::move(column);
    out.kind = ColumnKind::numeric;
    out.values.assign(cells.begin(), cells.end());
    out.real = true;
    columns_.push_back(std::make_shared<const Column>(std::move(out)));
    return *this;
}

PartTable& PartTable::numbers(std::string column, std::span<const Number> cells) {
    std::vector<double> reals;
    bool exact = true;
    for (const auto& n : cells) {
        reals.push_back(n.real());
        exact = exact && n.is_exact();
    }
    if (!exact) return numbers(std::move(column), reals);
    Column out;
    out.name = std::move(column);
    out.kind = ColumnKind::numeric;
    out.values = std::move(reals);
    for (const auto& n : cells) out.exact.push_back(n.exact());
    columns_.push_back(std::make_shared<const Column>(std::move(out)));
    return *this;
}

ModelPart PartTable::part(std::string name, bool only_in_summary) && {
    const std::size_t rows = columns_.empty() ? 0 : columns_[0]->rows();
    return {std::move(name), make_table(std::move(columns_), std::nullopt, rows), only_in_summary};
}

ModelPart figure(std::string name, double value, bool only_in_summary) { return {std::move(name), Number::real(value), only_in_summary}; }

ModelPart count_part(std::string name, std::size_t value, bool only_in_summary) {
    return {std::move(name), Number(Rational(static_cast<std::int64_t>(value))), only_in_summary};
}

ModelPart words_part(std::string name, std::string text, bool only_in_summary) {
    return {std::move(name), std::move(text), only_in_summary};
}

Factor factor_over(std::string name, const DomainPtr& domain, std::span<const Number> values) {
    return Factor::of_numbers({{std::move(name), domain}}, values);
}

std::vector<std::string> numbered(std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t i = 1; i <= count; ++i) out.push_back(std::to_string(i));
    return out;
}

}  // namespace credence::rt
