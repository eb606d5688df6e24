#include "runtime/prob/factors/information.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "runtime/core/configurations.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

using Positions = std::vector<std::size_t>;
using Span = std::span<const std::size_t>;

/// Ascending, each once.
Positions merged(std::initializer_list<Span> parts) {
    Positions out;
    for (const Span part : parts) out.insert(out.end(), part.begin(), part.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// For each entry of the table its entry in the marginal over the kept positions.
std::vector<std::size_t> projection(Span sizes, const Positions& kept, std::size_t entries) {
    std::vector<std::size_t> stride(sizes.size(), 0);
    std::size_t step = 1;
    for (std::size_t i = kept.size(); i-- > 0;) {
        stride[kept[i]] = step;
        step *= sizes[kept[i]];
    }
    std::vector<std::size_t> out(entries);
    std::vector<std::size_t> digits(sizes.size(), 0);
    std::size_t at = 0;
    for (std::size_t entry = 0; entry < entries; ++entry) {
        out[entry] = at;
        next_configuration(
            digits, [&](std::size_t i) { return sizes[i]; }, stride, at);
    }
    return out;
}

struct Marginal {
    std::vector<std::size_t> entry_of;  // by entry of the table
    std::vector<double> values;
};

Marginal marginal(std::span<const double> joint, Span sizes, const Positions& kept) {
    assert(kept.empty() || kept.back() < sizes.size());
    Marginal out{projection(sizes, kept, joint.size()), {}};
    std::size_t size = 1;
    for (const std::size_t position : kept) size *= sizes[position];
    std::vector<CompensatedSum> sums(size);
    for (std::size_t i = 0; i < joint.size(); ++i) sums[out.entry_of[i]].add(joint[i]);
    for (const auto& sum : sums) out.values.push_back(sum.value());
    return out;
}

}  // namespace

double entropy_bits(std::span<const double> probabilities) {
    CompensatedSum sum;
    for (const double p : probabilities) {
        if (p > 0) sum.add(-p * std::log2(p));
    }
    return std::max(0.0, sum.value());
}

double entropy(std::span<const double> joint, Span sizes, Span x) { return entropy_bits(marginal(joint, sizes, merged({x})).values); }

// Σ p(x,y) log(p(y) / p(x,y)): no term is negative, so nothing is lost as it is in H(X,Y) − H(Y).
double conditional_entropy(std::span<const double> joint, Span sizes, Span x, Span y) {
    const Positions all = merged({x, y});
    const Marginal both = marginal(joint, sizes, all);
    const Marginal given = marginal(joint, sizes, merged({y}));
    // Each entry of the joint marginal lies within one entry of y.
    std::vector<double> condition(both.values.size());
    for (std::size_t i = 0; i < joint.size(); ++i) condition[both.entry_of[i]] = given.values[given.entry_of[i]];
    CompensatedSum sum;
    for (std::size_t i = 0; i < both.values.size(); ++i) {
        if (both.values[i] > 0) sum.add(both.values[i] * std::log2(condition[i] / both.values[i]));
    }
    return std::max(0.0, sum.value());
}

// Σ p(x,y,z) log(p(x,y,z) p(z) / (p(x,z) p(y,z)))
double mutual_information(std::span<const double> joint, Span sizes, Span x, Span y, Span z) {
    const Marginal all = marginal(joint, sizes, merged({x, y, z}));
    const Marginal with_x = marginal(joint, sizes, merged({x, z}));
    const Marginal with_y = marginal(joint, sizes, merged({y, z}));
    const Marginal given = marginal(joint, sizes, merged({z}));
    std::vector<double> ratio(all.values.size(), 1);
    for (std::size_t i = 0; i < joint.size(); ++i) {
        const std::size_t entry = all.entry_of[i];
        const double p = all.values[entry];
        if (p > 0)
            ratio[entry] = (p / with_x.values[with_x.entry_of[i]]) * (given.values[given.entry_of[i]] / with_y.values[with_y.entry_of[i]]);
    }
    CompensatedSum sum;
    for (std::size_t i = 0; i < ratio.size(); ++i) {
        if (all.values[i] > 0) sum.add(all.values[i] * std::log2(ratio[i]));
    }
    // What independence leaves is rounding: ratios within a few units of the last place of 1.
    const double bits = sum.value();
    return bits < 1e-15 ? 0.0 : bits;
}

}  // namespace credence::rt
