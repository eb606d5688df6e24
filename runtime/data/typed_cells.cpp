#include "runtime/data/typed_cells.hpp"

#include <cmath>

#include "runtime/core/code_text.hpp"

namespace credence::rt {

namespace {

constexpr std::int64_t exact_in_doubles = std::int64_t{1} << 53U;

}  // namespace

TypedCells::TypedCells(std::string name, std::optional<ColumnKind> forced)
    : name_(std::move(name)), forced_(forced), labels_(forced == ColumnKind::label) {}

void TypedCells::add_missing() {
    if (labels_)
        codes_.push_back(-1);
    else
        values_.push_back(missing_value);
}

void TypedCells::add_number(const Rational& value) {
    any_present_ = true;
    if (labels_) return add_label(Label::of_number(Number(value)));
    values_.push_back(value.to_double());
    if (Rational::from_decimal(values_.back()) != value) fractions_.emplace_back(values_.size() - 1, value);
}

void TypedCells::add_integer(std::int64_t value) {
    if (labels_ || value > exact_in_doubles || value < -exact_in_doubles) return add_number(Rational(value));
    any_present_ = true;
    values_.push_back(static_cast<double>(value));
}

Status TypedCells::add_real(double value) {
    if (!std::isfinite(value))
        return Fault{.code = "E-TABLE", .message = "column '" + name_ + "' has a number " + std::string(out_of_range)};
    any_present_ = true;
    if (labels_)
        add_label(Label::of_number(Number(Rational::from_decimal(value))));
    else
        values_.push_back(value);
    return Done{};
}

Status TypedCells::add_exact(const Rational& value) {
    if (!std::isfinite(value.to_double())) return add_real(value.to_double());
    add_number(value);
    return Done{};
}

Status TypedCells::add_text(std::string_view text) {
    const auto padded = forced_ == ColumnKind::numeric && has_leading_zero(text) ? Rational::parse(text) : std::nullopt;
    const Label label = padded ? Label::of_number(*padded) : Label::of_text(text);
    if (forced_ == ColumnKind::numeric) {
        if (!label.is_number() || !std::isfinite(label.number()->real()))
            return Fault{.code = "E-TABLE",
                         .message = "row " + std::to_string(values_.size() + 1) + " has '" + label.text() + "' in column '" + name_ +
                                    "', which is not a number",
                         .hint = "leave out the type of '" + name_ + "', or make it a label"};
        add_number(label.number()->exact());
        return Done{};
    }
    if (!labels_) become_labels();
    any_present_ = true;
    const std::int32_t code = index_.find(text);
    if (code == TextIndex::unknown)
        add_label(label);
    else
        codes_.push_back(code);
    return Done{};
}

void TypedCells::add_label(const Label& label) {
    std::int32_t code = index_.find(label.text());
    if (code == TextIndex::unknown) {
        code = static_cast<std::int32_t>(known_.size());
        index_.insert(label.text(), code);
        known_.push_back(label);
    }
    codes_.push_back(code);
}

void TypedCells::become_labels() {
    labels_ = true;
    auto fraction = fractions_.begin();
    for (std::size_t row = 0; row < values_.size(); ++row) {
        if (fraction != fractions_.end() && fraction->first == row)
            add_label(Label::of_number(Number((fraction++)->second)));
        else if (std::isnan(values_[row]))
            codes_.push_back(-1);
        else
            add_label(Label::of_number(Number(Rational::from_decimal(values_[row]))));
    }
    values_ = {};
    fractions_ = {};
}

ColumnPtr TypedCells::finish() && {
    if (!labels_ && !any_present_ && !forced_) become_labels();
    auto column = std::make_shared<Column>();
    column->name = std::move(name_);
    if (labels_) {
        column->domain = make_domain(std::move(known_));
        column->codes = std::move(codes_);
        return column;
    }
    column->kind = ColumnKind::numeric;
    if (!fractions_.empty()) {
        column->exact.resize(values_.size());
        for (std::size_t row = 0; row < values_.size(); ++row)
            if (!std::isnan(values_[row])) column->exact[row] = Rational::from_decimal(values_[row]);
        for (auto& [row, fraction] : fractions_) column->exact[row] = std::move(fraction);
    }
    column->values = std::move(values_);
    return column;
}

}  // namespace credence::rt
