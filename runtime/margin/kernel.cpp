#include "runtime/margin/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"

namespace credence::rt {

namespace {

double power(double base, double degree) {
    if (degree == std::floor(degree) && degree >= 0 && degree <= 16) {
        double out = 1;
        for (int k = 0; k < static_cast<int>(degree); ++k) out *= base;
        return out;
    }
    return std::pow(base, degree);
}

double of_product(const Kernel& kernel, double product) {
    switch (kernel.kind) {
        case Kernel::Kind::polynomial:
            return power(1 + product, kernel.degree);
        case Kernel::Kind::sigmoid:
            return std::tanh(kernel.b0 * product + kernel.b1);
        case Kernel::Kind::linear:
        case Kernel::Kind::rbf:
        case Kernel::Kind::custom:
            return product;
    }
    return product;
}

void store_cells(double* to, const Lanes& v) { store_lanes(to, v); }
void store_cells(float* to, const Lanes& v) {
    typedef float Four __attribute__((vector_size(16)));
    const Four four = __builtin_convertvector(v, Four);
    std::memcpy(to, &four, sizeof four);
}

}  // namespace

Result<double> Kernel::at(std::span<const double> x, std::span<const double> y) const {
    if (kind == Kind::custom) return function(x, y);
    if (kind != Kind::rbf) return of_product(*this, dot(x.data(), y.data(), x.size()));
    double distance = 0;
    for (std::size_t k = 0; k < x.size(); ++k) distance += (x[k] - y[k]) * (x[k] - y[k]);
    return std::exp(-distance / (2 * sigma * sigma));
}

std::string Kernel::text() const {
    switch (kind) {
        case Kind::linear:
            return "linear()";
        case Kind::polynomial:
            return fmt::format("polynomial({:.6g})", degree);
        case Kind::rbf:
            return fmt::format("rbf({:.6g})", sigma);
        case Kind::sigmoid:
            return fmt::format("sigmoid({:.6g}, {:.6g})", b0, b1);
        case Kind::custom:
            return "a function";
    }
    return {};
}

Points::Points(const Matrix& rows, std::span<const std::uint32_t> which)
    : size_(which.size()), features_(rows.columns), values_(which.size() * rows.columns), squares_(which.size(), 0.0) {
    for (std::size_t k = 0; k < size_; ++k)
        for (std::size_t f = 0; f < features_; ++f) {
            const double v = rows(which[k], f);
            values_[f * size_ + k] = v;
            squares_[k] += v * v;
        }
}

Points::Points(const Matrix& rows) {
    std::vector<std::uint32_t> all(rows.rows);
    std::iota(all.begin(), all.end(), 0U);
    *this = Points(rows, all);
}

std::vector<double> Points::point(std::size_t i) const {
    std::vector<double> out(features_);
    for (std::size_t f = 0; f < features_; ++f) out[f] = values_[f * size_ + i];
    return out;
}

void Points::reorder(std::span<const std::uint32_t> order) {
    std::vector<double> old(size_);
    const auto move = [&](double* values) {
        std::copy(values, values + size_, old.begin());
        for (std::size_t k = 0; k < size_; ++k) values[k] = old[order[k]];
    };
    for (std::size_t f = 0; f < features_; ++f) move(values_.data() + f * size_);
    move(squares_.data());
}

template <class Cell>
void Points::fill(const Kernel& kernel, std::span<const double> x, std::size_t begin, std::size_t end, Cell* out) const {
    constexpr std::size_t block = 256;  // products of a block stay in the first cache
    constexpr ExpDigits digits = sizeof(Cell) == sizeof(double) ? ExpDigits::to_double : ExpDigits::to_float;
    alignas(32) double products[block];
    double own = 0;
    for (const double v : x) own += v * v;
    const double scale = kernel.kind == Kernel::Kind::rbf ? 1 / (2 * kernel.sigma * kernel.sigma) : 0;
    for (std::size_t from = begin; from < end; from += block) {
        const std::size_t n = std::min(block, end - from);
        std::fill(products, products + n, 0.0);
        std::size_t f = 0;
        for (; f + 4 <= features_; f += 4) {  // four features a pass: the running sums are read and written a quarter as often
            const double* v0 = values_.data() + f * size_ + from;
            const double* v1 = v0 + size_;
            const double* v2 = v1 + size_;
            const double* v3 = v2 + size_;
            const Lanes k0 = {x[f], x[f], x[f], x[f]}, k1 = {x[f + 1], x[f + 1], x[f + 1], x[f + 1]};
            const Lanes k2 = {x[f + 2], x[f + 2], x[f + 2], x[f + 2]}, k3 = {x[f + 3], x[f + 3], x[f + 3], x[f + 3]};
            Lanes a, b, c, d, s;
            std::size_t k = 0;
            for (; k + 4 <= n; k += 4) {
                load_lanes(a, v0 + k);
                load_lanes(b, v1 + k);
                load_lanes(c, v2 + k);
                load_lanes(d, v3 + k);
                load_lanes(s, products + k);
                s += (k0 * a + k1 * b) + (k2 * c + k3 * d);
                store_lanes(products + k, s);
            }
            for (; k < n; ++k) products[k] += (x[f] * v0[k] + x[f + 1] * v1[k]) + (x[f + 2] * v2[k] + x[f + 3] * v3[k]);
        }
        for (; f < features_; ++f) add_scaled(products, x[f], values_.data() + f * size_ + from, n);
        Cell* to = out + (from - begin);
        if (kernel.kind == Kernel::Kind::rbf) {
            const double* squares = squares_.data() + from;
            Lanes p, q;
            std::size_t k = 0;
            for (; k + 4 <= n; k += 4) {
                load_lanes(p, products + k);
                load_lanes(q, squares + k);
                Lanes distance = own + q - 2.0 * p;
                distance = distance > 0.0 ? distance : Lanes{};
                store_cells(to + k, exp_lanes<digits>(distance * -scale));
            }
            for (; k < n; ++k) {
                const double distance = std::max(0.0, own + squares[k] - 2 * products[k]);
                to[k] = static_cast<Cell>(exp_lanes<digits>(Lanes{} + distance * -scale)[0]);
            }
            continue;
        }
        for (std::size_t k = 0; k < n; ++k) to[k] = static_cast<Cell>(of_product(kernel, products[k]));
    }
}

void Points::row(const Kernel& kernel, std::span<const double> x, std::size_t begin, std::size_t end, double* out) const {
    fill(kernel, x, begin, end, out);
}
void Points::row(const Kernel& kernel, std::span<const double> x, std::size_t begin, std::size_t end, float* out) const {
    fill(kernel, x, begin, end, out);
}

}  // namespace credence::rt
