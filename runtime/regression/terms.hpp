#pragma once
// What is summed up in a regression: columns, indicators of labels, their powers and products.

#include <span>
#include <string>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/core/result.hpp"
#include "runtime/data/design.hpp"

namespace credence::rt {

/// A column to a power, or the indicator of one of its labels.
struct TermPart {
    std::size_t column = 0;   ///< of the features
    std::int32_t label = -1;  ///< the label it indicates; −1: the number itself
    std::size_t power = 1;    ///< of an indicator: 1

    friend bool operator==(const TermPart&, const TermPart&) = default;
};

/// A product of parts, columns ascending: x, x^2, x*y, x*Colour=red.
struct Term {
    std::vector<TermPart> parts;
    std::string name;

    std::size_t degree() const;
};

enum class Products { none, all };  ///< whether terms multiply different columns

/// All terms up to the degree, lower degrees first. E-PARAMETER if they are more than can be fitted.
Result<std::vector<Term>> polynomial_terms(std::span<const ColumnPtr> features, std::size_t degree, Products products);

/// Columns moved and scaled before they are raised to powers: (x − centre) / scale. Powers of numbers far from 0 are nearly the same
/// column; of numbers between −1 and 1 they are not. Empty: columns as they are.
struct Basis {
    std::vector<double> centre;  ///< one for each feature; 0 for label columns
    std::vector<double> scale;   ///< one for each feature; 1 for label columns

    bool is_raw() const { return centre.empty(); }
};
/// The middle and half the range of each numeric column, where a term has a degree above 1; else the columns as they are.
Basis basis_for(std::span<const Term> terms, std::span<const ColumnPtr> features, const TableView& rows);

/// Rows × (1 + terms): a 1, then each term in the basis.
Matrix term_matrix(std::span<const Term> terms, const Basis& basis, std::span<const ColumnPtr> features, const TableView& rows);

/// One term of one row, in exact numbers where the cells are.
Number term_value(const Term& term, std::span<const ColumnPtr> features, std::size_t row);

/// Row by row, (1 + terms)²: what weights in the basis are as weights of the columns themselves.
std::vector<long double> to_raw(std::span<const Term> terms, const Basis& basis);
/// ln |det| of that matrix, which is triangular.
double log_determinant_to_raw(std::span<const Term> terms, const Basis& basis);

}  // namespace credence::rt
