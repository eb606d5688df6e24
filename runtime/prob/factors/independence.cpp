#include "runtime/prob/factors/independence.hpp"

#include <algorithm>
#include <cmath>

namespace credence::rt {

namespace {

/// A marginal of the joint, and for every entry of the joint its entry there.
struct Projection {
    std::vector<std::size_t> entry_of;
    std::vector<Number> sums;
};

Projection projected(const Factor& joint, std::initializer_list<std::span<const std::size_t>> kept) {
    const auto& variables = joint.variables();
    std::vector<char> in(variables.size(), 0);
    for (const auto positions : kept)
        for (const auto position : positions) in[position] = 1;
    std::vector<std::size_t> step(variables.size(), 0);
    std::size_t size = 1;
    for (std::size_t i = variables.size(); i-- > 0;) {
        if (!in[i]) continue;
        step[i] = size;
        size *= variables[i].size();
    }
    Projection out{{}, std::vector<Number>(size, Number(0))};
    out.entry_of.resize(joint.size());
    for (std::size_t entry = 0; entry < joint.size(); ++entry) {
        std::size_t rest = entry;
        std::size_t at = 0;
        for (std::size_t i = variables.size(); i-- > 0;) {
            at += step[i] * (rest % variables[i].size());
            rest /= variables[i].size();
        }
        out.entry_of[entry] = at;
        out.sums[at] += joint.at(entry);
    }
    return out;
}

bool same(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) return a == b;
    constexpr double rounding = 1e-12;
    return std::abs(a.real() - b.real()) <= rounding * std::max(std::abs(a.real()), std::abs(b.real()));
}

}  // namespace

bool independent_by_numbers(const Factor& joint, std::span<const std::size_t> x, std::span<const std::size_t> y,
                            std::span<const std::size_t> z) {
    const Projection all = projected(joint, {x, y, z});
    const Projection with_x = projected(joint, {x, z});
    const Projection with_y = projected(joint, {y, z});
    const Projection given = projected(joint, {z});
    for (std::size_t i = 0; i < joint.size(); ++i)
        if (!same(all.sums[all.entry_of[i]] * given.sums[given.entry_of[i]],
                  with_x.sums[with_x.entry_of[i]] * with_y.sums[with_y.entry_of[i]]))
            return false;
    return true;
}

}  // namespace credence::rt
