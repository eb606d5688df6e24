#include "runtime/classify/gain_text.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace credence::rt {

std::string gain_text(std::string_view measure, std::span<const BranchCounts> branches, double at_node) {
    constexpr std::size_t most_branches = 8;
    constexpr std::size_t most_labels = 6;
    double known = 0;
    std::size_t taken = 0;
    for (const auto& counts : branches) {
        const double here = std::accumulate(counts.begin(), counts.end(), 0.0);
        known += here;
        taken += here > 0 ? 1 : 0;
    }
    if (taken > most_branches || branches.empty() || branches[0].size() > most_labels) return {};
    const auto impurity_of = [&](const BranchCounts& counts) {
        std::string numbers;
        for (const double n : counts) numbers += fmt::format("{}{:.6g}", numbers.empty() ? "" : ", ", n);
        return fmt::format("{}({})", measure, numbers);
    };
    BranchCounts total(branches[0].size());
    std::string out;
    for (const auto& counts : branches) {
        const double here = std::accumulate(counts.begin(), counts.end(), 0.0);
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += counts[k];
        if (here > 0) out += fmt::format(" − {:.6g}/{:.6g}·{}", here, known, impurity_of(counts));
    }
    if (known > at_node - 1e-9) return std::string(measure) + out;
    return fmt::format("{:.6g}/{:.6g}·({}{})", known, at_node, impurity_of(total), out);
}

double entropy_of_counts(std::span<const double> counts) {
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    double out = 0;
    for (const double n : counts)
        if (n > 0) out -= n / all * std::log2(n / all);
    return out;
}

}  // namespace credence::rt
