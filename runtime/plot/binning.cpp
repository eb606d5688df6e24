#include "runtime/plot/binning.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/plot/ticks.hpp"

namespace credence::rt {

namespace {

Binned counted(std::span<const double> values, std::vector<double> edges) {
    Binned out{std::move(edges), {}};
    out.counts.assign(out.edges.size() - 1, 0);
    for (const double v : values) {
        const auto after = std::upper_bound(out.edges.begin(), out.edges.end(), v);
        const auto bin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - out.edges.begin() - 1));
        out.counts[std::min(bin, out.counts.size() - 1)] += 1;
    }
    return out;
}

std::vector<double> equal_edges(double low, double high, std::size_t bins) {
    std::vector<double> out;
    for (std::size_t i = 0; i <= bins; ++i)
        out.push_back(i == bins ? high : low + (high - low) * static_cast<double>(i) / static_cast<double>(bins));
    return out;
}

double quartile_distance(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto at = [&](double p) {
        const double place = p * static_cast<double>(values.size() - 1);
        const auto i = static_cast<std::size_t>(place);
        const double t = place - static_cast<double>(i);
        return i + 1 < values.size() ? values[i] + t * (values[i + 1] - values[i]) : values[i];
    };
    return at(0.75) - at(0.25);
}

}  // namespace

Binned binned(std::span<const double> given, std::optional<std::size_t> bins) {
    std::vector<double> values(given.begin(), given.end());
    for (double& v : values) v = drawable(v);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const Range range = widened({*least, *most});
    if (bins) return counted(values, equal_edges(range.low, range.high, *bins));
    constexpr double whole_bins = 40;
    constexpr double countable = 4503599627370496;  // 2^52: beyond it numbers have no halves
    const bool whole = std::max(std::abs(*least), std::abs(*most)) < countable &&
                       std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
    if (whole && *most - *least < whole_bins) {
        std::vector<double> edges;
        for (double e = *least - 0.5; e < *most + 1; e += 1) edges.push_back(e);
        return counted(values, std::move(edges));
    }
    const auto n = static_cast<double>(values.size());
    const double sturges = std::log2(n) + 1;
    const double spread = quartile_distance({values.begin(), values.end()});
    const double freedman = spread > 0 ? (range.high - range.low) / (2 * spread / std::cbrt(n)) : 1;
    const double number = std::clamp(std::ceil(std::max(sturges, freedman)), 1.0, 60.0);
    const double step = ticks_on(range, static_cast<std::size_t>(number) + 1).step;
    const double first = std::floor(range.low / step + 1e-9);
    const double last = std::ceil(range.high / step - 1e-9);
    if (!(std::max(std::abs(first), std::abs(last)) < countable))
        return counted(values, equal_edges(range.low, range.high, static_cast<std::size_t>(number)));
    std::vector<double> edges;
    for (double i = first; i <= last; i += 1) edges.push_back(i * step);
    return counted(values, std::move(edges));
}

}  // namespace credence::rt
