#include "runtime/data/csv_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/code_text.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/data/decimal.hpp"

namespace credence::rt {

bool MissingTexts::lists(std::string_view text) const { return contains(texts_, text); }

std::optional<std::size_t> MissingTexts::place(std::string_view text) const {
    const auto found = std::find(texts_.begin(), texts_.end(), text);
    return found == texts_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - texts_.begin()));
}

bool is_number(std::string_view text) {
    return !has_leading_zero(text) && (parse_decimal(text).kind != Decimal::Kind::other || Label::of_text(text).is_number());
}

LabelCells::LabelCells(const MissingTexts& missing, std::size_t max_rows)
    : missing_(&missing), codes_(max_rows), missing_counts_(missing.texts().size(), 0) {
    index_.insert("", -1);
    for (const auto& text : missing.texts())
        if (index_.find(text) == TextIndex::unknown) index_.insert(text, -1);
}

std::int32_t LabelCells::new_code(Label label) {
    labels_.push_back(std::move(label));
    return static_cast<std::int32_t>(labels_.size() - 1);
}

/// The code of a text not met before: a new one, or that of a number which was spelled in another way.
std::int32_t LabelCells::learn(std::string_view text) {
    const Label label = Label::of_text(text);
    std::int32_t code = index_.find(label.text());
    if (code == TextIndex::unknown) {
        code = new_code(label);
        index_.insert(label.text(), code);
    }
    if (label.text() != text) index_.insert(text, code);
    return code;
}

std::int32_t LabelCells::lookalike(std::string_view text) {
    for (const auto& [known, code] : lookalikes_)
        if (known == text) return code;
    return lookalikes_.emplace_back(text, new_code(Label::of_text(text))).second;
}

void LabelCells::add(const CellRun& cells) {
    std::int32_t* out = codes_.data() + rows_;
    for (std::size_t i = 0; i < cells.count; ++i) {
        const Cell& cell = cells[i];
        std::int32_t code = index_.find(cell.text);
        if (code == TextIndex::unknown) code = learn(cell.text);
        if (code < 0) {
            if (!missing_->covers(cell))
                code = lookalike(cell.text);
            else if (const auto place = missing_->place(cell.text))
                ++missing_counts_[*place];
        }
        out[i] = code;
    }
    rows_ += cells.count;
}

void LabelCells::append(const LabelCells& other) {
    std::vector<std::int32_t> ours(other.labels_.size() + 1, -1);  // shifted by one: −1 stays −1
    for (std::size_t i = 0; i < other.labels_.size(); ++i) {
        const auto& label = other.labels_[i];
        std::int32_t code = index_.find(label.text());
        if (code == TextIndex::unknown) code = learn(label.text());
        ours[i + 1] = code < 0 ? lookalike(label.text()) : code;
    }
    codes_.resize(rows_ + other.rows_);
    for (std::size_t i = 0; i < other.rows_; ++i) codes_[rows_ + i] = ours[static_cast<std::size_t>(other.codes_[i] + 1)];
    rows_ += other.rows_;
    for (std::size_t k = 0; k < missing_counts_.size(); ++k) missing_counts_[k] += other.missing_counts_[k];
}

ColumnPtr LabelCells::finish(std::string name) && {
    auto column = std::make_shared<Column>();
    column->name = std::move(name);
    column->domain = make_domain(std::move(labels_));
    codes_.resize(rows_);
    column->codes = std::move(codes_);
    return column;
}

NumberCells::NumberCells(const MissingTexts& missing, std::size_t max_rows, Codes codes)
    : missing_(&missing), codes_(codes), values_(max_rows), missing_counts_(missing.texts().size(), 0) {}

/// A missing cell, or a number that a double does not hold exactly; false when it is neither, or beyond the range of doubles.
bool NumberCells::add_unusual(const Cell& cell, double& value) {
    if (missing_->covers(cell)) {
        if (const auto place = missing_->place(cell.text)) ++missing_counts_[*place];
        value = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    const bool code = codes_ == Codes::as_numbers && has_leading_zero(cell.text);
    const auto number = code ? Rational::parse(cell.text) : std::nullopt;
    const Label label = number ? Label::of_number(*number) : Label::of_text(cell.text);
    if (!label.is_number()) return false;
    const Rational& exact = label.number()->exact();
    value = exact.to_double();
    if (!std::isfinite(value)) return false;
    if (Rational::from_decimal(value) != exact) fractions_.emplace_back(rows_, exact);
    any_present_ = true;
    return true;
}

std::optional<std::size_t> NumberCells::add(const CellRun& cells) {
    const bool missing_numbers =
        std::any_of(missing_->texts().begin(), missing_->texts().end(), [](const auto& text) { return is_number(text); });
    for (std::size_t i = 0; i < cells.count; ++i) {
        const Cell& cell = cells[i];
        const Decimal decimal = parse_decimal(cell.text);
        const bool plain = decimal.kind == Decimal::Kind::shortest && !missing_numbers;
        if (plain && (codes_ == Codes::as_numbers || !has_leading_zero(cell.text))) {
            values_[rows_] = decimal.value;
            any_present_ = true;
        } else if (!add_unusual(cell, values_[rows_])) {
            return i;
        }
        ++rows_;
    }
    return std::nullopt;
}

void NumberCells::append(const NumberCells& other) {
    values_.resize(rows_);
    values_.insert(values_.end(), other.values_.begin(), other.values_.begin() + static_cast<std::ptrdiff_t>(other.rows_));
    for (const auto& [row, fraction] : other.fractions_) fractions_.emplace_back(rows_ + row, fraction);
    rows_ += other.rows_;
    any_present_ = any_present_ || other.any_present_;
    for (std::size_t k = 0; k < missing_counts_.size(); ++k) missing_counts_[k] += other.missing_counts_[k];
}

ColumnPtr NumberCells::finish(std::string name) && {
    auto column = std::make_shared<Column>();
    column->name = std::move(name);
    column->kind = ColumnKind::numeric;
    values_.resize(rows_);
    if (!fractions_.empty()) {
        column->exact.resize(rows_);
        for (std::size_t row = 0; row < rows_; ++row)
            if (std::isfinite(values_[row])) column->exact[row] = Rational::from_decimal(values_[row]);
        for (auto& [row, fraction] : fractions_) column->exact[row] = std::move(fraction);
    }
    column->values = std::move(values_);
    return column;
}

}  // namespace credence::rt
