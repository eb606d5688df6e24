#pragma once
// Columns in the making whose cells come with their types, as those of a database do.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/data/table.hpp"
#include "runtime/data/text_index.hpp"

namespace credence::rt {

/// A column of numbers until a text comes; from then on one of labels. Labels keep the order of first appearance.
class TypedCells {
public:
    explicit TypedCells(std::string name, std::optional<ColumnKind> forced = std::nullopt);

    const std::string& name() const { return name_; }
    void add_missing();
    void add_integer(std::int64_t value);
    Status add_real(double value);            ///< E-TABLE if it is infinite
    Status add_exact(const Rational& value);  ///< E-TABLE if it is beyond the range of a double
    Status add_text(std::string_view text);   ///< E-TABLE if the column has to be numeric and the text is not a number
    ColumnPtr finish() &&;

private:
    void add_number(const Rational& value);
    void add_label(const Label& label);
    void become_labels();

    std::string name_;
    std::optional<ColumnKind> forced_;
    bool labels_ = false;
    bool any_present_ = false;
    std::vector<double> values_;
    std::vector<std::pair<std::size_t, Rational>> fractions_;  ///< of cells that doubles cannot hold; by row, ascending
    std::vector<std::int32_t> codes_;
    std::vector<Label> known_;
    TextIndex index_;
};

}  // namespace credence::rt
