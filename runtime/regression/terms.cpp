#include "runtime/regression/terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace credence::rt {

namespace {

/// Least squares costs rows × terms²: beyond this a regression is no longer the tool.
constexpr std::size_t most_terms = 2'000;

/// Column, label, power of each part: what makes two terms the same.
using TermKey = std::vector<std::tuple<std::size_t, std::int32_t, std::size_t>>;

TermKey key_of(std::span<const TermPart> parts) {
    TermKey out;
    for (const auto& p : parts)
        if (p.power > 0) out.emplace_back(p.column, p.label, p.power);
    return out;
}

std::string part_text(const DesignTerm& single, std::size_t power) {
    return power == 1 ? single.name : fmt::format("{}^{}", single.name, power);
}

/// All products of `left` more factors from `first` on.
void extend(std::span<const DesignTerm> singles, std::size_t first, std::size_t left, Products products, const Term& so_far,
            std::vector<Term>& out) {
    if (left == 0) {
        out.push_back(so_far);
        return;
    }
    for (std::size_t s = first; s < singles.size() && out.size() <= most_terms; ++s) {
        const DesignTerm& single = singles[s];
        if (products == Products::none && !so_far.parts.empty()) return;
        // Two labels of one column are never there together, and an indicator is its own square.
        if (single.label >= 0 && !so_far.parts.empty() && so_far.parts.back().column == single.column) continue;
        for (std::size_t power = single.label >= 0 ? 1 : left; power >= 1; --power) {
            if (products == Products::none && power < left) break;
            Term next = so_far;
            next.parts.push_back({single.column, single.label, power});
            next.name += (next.name.empty() ? "" : "*") + part_text(single, power);
            extend(singles, s + 1, left - power, products, next, out);
        }
    }
}

}  // namespace

std::size_t Term::degree() const {
    std::size_t out = 0;
    for (const auto& p : parts) out += p.power;
    return out;
}

Result<std::vector<Term>> polynomial_terms(std::span<const ColumnPtr> features, std::size_t degree, Products products) {
    const auto singles = design_terms(features, Coding::reference);
    std::vector<Term> out;
    if (degree == 1) {
        for (const auto& s : singles) out.push_back({{{s.column, s.label, 1}}, s.name});
        return out;
    }
    for (std::size_t d = 1; d <= degree && out.size() <= most_terms; ++d) extend(singles, 0, d, products, {}, out);
    if (out.size() > most_terms)
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("a polynomial of degree {} in these columns has more than {} terms", degree, most_terms),
                     .hint = "take fewer columns, a lower degree, or products: false"};
    return out;
}

Basis basis_for(std::span<const Term> terms, std::span<const ColumnPtr> features, const TableView& rows) {
    Basis out;
    if (std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.degree() <= 1; })) return out;
    out.centre.assign(features.size(), 0.0);
    out.scale.assign(features.size(), 1.0);
    for (std::size_t c = 0; c < features.size(); ++c) {
        if (features[c]->kind != ColumnKind::numeric || rows.size() == 0) continue;
        double low = features[c]->values[rows.row(0)];
        double high = low;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            low = std::min(low, features[c]->values[rows.row(i)]);
            high = std::max(high, features[c]->values[rows.row(i)]);
        }
        out.centre[c] = low / 2 + high / 2;
        out.scale[c] = high > low ? high / 2 - low / 2 : 1.0;
    }
    return out;
}

Matrix term_matrix(std::span<const Term> terms, const Basis& basis, std::span<const ColumnPtr> features, const TableView& rows) {
    constexpr std::size_t block = 128;  // rows at a time, so that a row's cells are written while they are in the cache
    Matrix out(rows.size(), 1 + terms.size());
    double values[block];
    for (std::size_t first = 0; first < rows.size(); first += block) {
        const std::size_t last = std::min(first + block, rows.size());
        for (std::size_t i = first; i < last; ++i) out(i, 0) = 1.0;
        for (std::size_t t = 0; t < terms.size(); ++t) {
            bool begun = false;
            for (const auto& part : terms[t].parts) {
                const Column& column = *features[part.column];
                if (part.label >= 0) {
                    for (std::size_t i = first; i < last; ++i) values[i - first] = column.codes[rows.row(i)] == part.label ? 1.0 : 0.0;
                } else if (basis.is_raw()) {
                    for (std::size_t i = first; i < last; ++i) values[i - first] = column.values[rows.row(i)];
                } else {
                    const double centre = basis.centre[part.column];
                    const double scale = basis.scale[part.column];
                    for (std::size_t i = first; i < last; ++i) values[i - first] = (column.values[rows.row(i)] - centre) / scale;
                }
                for (std::size_t i = first; i < last; ++i) {
                    double x = values[i - first];
                    for (std::size_t k = 1; k < part.power; ++k) x *= values[i - first];
                    out(i, 1 + t) = begun ? out(i, 1 + t) * x : x;
                }
                begun = true;
            }
        }
    }
    return out;
}

Number term_value(const Term& term, std::span<const ColumnPtr> features, std::size_t row) {
    Number out(1);
    for (const auto& part : term.parts) {
        const Column& column = *features[part.column];
        if (part.label >= 0) {
            if (column.codes[row] != part.label) return Number(0);
            continue;
        }
        const Number x = column.number(row);
        for (std::size_t k = 0; k < part.power; ++k) out *= x;
    }
    return out;
}

std::vector<long double> to_raw(std::span<const Term> terms, const Basis& basis) {
    const std::size_t p = terms.size() + 1;
    std::vector<long double> out(p * p, 0.0L);
    std::map<TermKey, std::size_t> place{{TermKey{}, 0}};
    for (std::size_t t = 0; t < terms.size(); ++t) place.emplace(key_of(terms[t].parts), t + 1);
    out[0] = 1;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        // ((x − m) / s)^k = Σ_j C(k, j) x^j (−m)^(k−j) / s^k, multiplied out over the parts.
        std::vector<std::pair<std::vector<TermPart>, long double>> sum{{{}, 1.0L}};
        for (const auto& part : terms[t].parts) {
            std::vector<std::pair<std::vector<TermPart>, long double>> next;
            const bool moved = part.label < 0 && !basis.is_raw();
            const long double m = moved ? basis.centre[part.column] : 0.0;
            const long double s = moved ? basis.scale[part.column] : 1.0;
            for (const auto& [parts, factor] : sum) {
                long double choose = 1;
                for (std::size_t j = part.power + 1; j-- > 0;) {  // x^j, from the highest power down
                    const auto low = static_cast<int>(part.power - j);
                    const long double c = choose * std::pow(-m, low) / std::pow(s, static_cast<int>(part.power));
                    if (c != 0) {
                        auto more = parts;
                        more.push_back({part.column, part.label, j});
                        next.emplace_back(std::move(more), factor * c);
                    }
                    choose = choose * static_cast<long double>(j) / static_cast<long double>(low + 1);
                    if (!moved) break;
                }
            }
            sum = std::move(next);
        }
        for (const auto& [parts, factor] : sum) out[place.at(key_of(parts)) * p + t + 1] += factor;
    }
    return out;
}

double log_determinant_to_raw(std::span<const Term> terms, const Basis& basis) {
    double out = 0;
    if (basis.is_raw()) return out;
    for (const auto& term : terms)
        for (const auto& part : term.parts)
            if (part.label < 0) out -= static_cast<double>(part.power) * std::log(basis.scale[part.column]);
    return out;
}

}  // namespace credence::rt
