// Jointly normal numbers by elimination of the precision matrix.

#include <algorithm>
#include <cmath>

#include "runtime/continuous/unroll/subproblem.hpp"

namespace credence::rt::continuous {

namespace {

constexpr std::size_t longest_number = 4096;  // bits; beyond it the elimination is done in doubles

double as_double(const Number& x) { return x.real(); }
bool positive(double x) { return x > 0; }
bool positive(const Number& x) { return x.sign() > 0; }
bool zero(double x) { return x == 0; }
bool zero(const Number& x) { return x.is_zero(); }
bool too_long(double) { return false; }
bool too_long(const Number& x) { return !x.is_exact() || x.exact().bits() > longest_number; }

/// Λ = L D Lᵀ in place. Zeros are skipped, so a chain costs what its band costs.
template <class T>
bool decompose(std::vector<T>& a, std::size_t n) {
    std::vector<std::size_t> below;
    for (std::size_t k = 0; k < n; ++k) {
        if (!positive(a[k * n + k])) return false;
        below.clear();
        for (std::size_t i = k + 1; i < n; ++i)
            if (!zero(a[i * n + k])) below.push_back(i);
        for (const auto i : below) {
            const T factor = a[i * n + k] / a[k * n + k];
            for (const auto j : below) {
                if (j > i) break;
                a[i * n + j] = a[i * n + j] - factor * a[j * n + k];
                if (too_long(a[i * n + j])) return false;
            }
        }
        for (const auto i : below) a[i * n + k] = a[i * n + k] / a[k * n + k];
    }
    return true;
}

template <class T>
std::vector<T> solved(const std::vector<T>& l, std::size_t n, std::vector<T> b) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!zero(l[i * n + j]) && !zero(b[j])) b[i] = b[i] - l[i * n + j] * b[j];
    for (std::size_t i = 0; i < n; ++i) b[i] = b[i] / l[i * n + i];
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t j = i + 1; j < n; ++j)
            if (!zero(l[j * n + i]) && !zero(b[j])) b[i] = b[i] - l[j * n + i] * b[j];
    return b;
}

}  // namespace

std::optional<JointNormal> JointNormal::make(std::vector<VarId> variables, std::vector<std::vector<Number>> precision,
                                             std::vector<Number> shift) {
    JointNormal out;
    const std::size_t n = variables.size();
    out.variables_ = std::move(variables);
    for (const auto& row : precision) out.exact_lower_.insert(out.exact_lower_.end(), row.begin(), row.end());
    if (!decompose(out.exact_lower_, n)) return std::nullopt;
    out.exact_mean_ = solved(out.exact_lower_, n, shift);
    Number form = 0;
    for (std::size_t i = 0; i < n; ++i) {
        out.log_determinant_ += out.exact_lower_[i * n + i].log();
        form += shift[i] * out.exact_mean_[i];
        if (too_long(out.exact_mean_[i])) return std::nullopt;
    }
    out.quadratic_ = form.real();
    return out;
}

std::optional<JointNormal> JointNormal::make(std::vector<VarId> variables, Matrix precision, std::vector<double> shift) {
    JointNormal out;
    const std::size_t n = variables.size();
    out.variables_ = std::move(variables);
    out.lower_ = std::move(precision.values);
    if (!decompose(out.lower_, n)) return std::nullopt;
    out.mean_ = solved(out.lower_, n, shift);
    for (std::size_t i = 0; i < n; ++i) {
        out.log_determinant_ += std::log(out.lower_[i * n + i]);
        out.quadratic_ += shift[i] * out.mean_[i];
    }
    return out;
}

bool JointNormal::knows(const LinearTerm& term) const {
    return std::all_of(term.coefficients.begin(), term.coefficients.end(),
                       [&](const auto& c) { return std::binary_search(variables_.begin(), variables_.end(), c.first); });
}

template <class T>
std::vector<T> JointNormal::coefficients(const LinearTerm& term) const {
    std::vector<T> out(variables_.size(), T(0));
    for (const auto& [variable, coefficient] : term.coefficients) {
        const auto at = std::lower_bound(variables_.begin(), variables_.end(), variable);
        if constexpr (std::is_same_v<T, double>)
            out[static_cast<std::size_t>(at - variables_.begin())] = as_double(coefficient);
        else
            out[static_cast<std::size_t>(at - variables_.begin())] = coefficient;
    }
    return out;
}

Number JointNormal::mean(const LinearTerm& term) const {
    Number out = term.constant;
    for (const auto& [variable, coefficient] : term.coefficients) {
        const auto i = static_cast<std::size_t>(std::lower_bound(variables_.begin(), variables_.end(), variable) - variables_.begin());
        out += coefficient * (is_exact() ? exact_mean_[i] : Number::real(mean_[i]));
    }
    return out;
}

Number JointNormal::covariance(const LinearTerm& a, const LinearTerm& b) const {
    const std::size_t n = variables_.size();
    const auto product = [n](const auto& x, const auto& y) {
        auto sum = x[0] * y[0];
        for (std::size_t i = 1; i < n; ++i) sum = sum + x[i] * y[i];
        return sum;
    };
    if (is_exact()) return product(coefficients<Number>(a), solved(exact_lower_, n, coefficients<Number>(b)));
    return Number::real(product(coefficients<double>(a), solved(lower_, n, coefficients<double>(b))));
}

}  // namespace credence::rt::continuous
