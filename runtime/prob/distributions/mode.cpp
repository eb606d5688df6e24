// The most probable value of a distribution that has no formula for it.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/search.hpp"
#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt {

namespace {

/// The largest of many places between the outer quantiles, and then between its neighbours, by Brent's method.
Result<Outcome> searched_mode(const Distribution& d) {
    constexpr int quantiles = 64;  // each may cost an integral of its own
    constexpr int places = 512;
    std::vector<double> at;
    for (int i = 0; i <= quantiles; ++i) {
        auto x = TRY(d.quantile(Number::real(0.001 + 0.998 * i / quantiles)));
        at.push_back(x.real());
    }
    // Evenly between the ends too: a narrow component far out has few quantiles.
    const double first = at.front();
    const double last = at.back();
    for (int i = 1; i < places; ++i) at.push_back(first + (last - first) * i / places);
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    const auto height = [&](double x) { return d.log_pdf(Outcome(Number::real(x))); };
    std::vector<double> heights;
    for (const double x : at) heights.push_back(height(x));
    const auto best = static_cast<std::size_t>(std::max_element(heights.begin(), heights.end()) - heights.begin());
    const double low = at[best == 0 ? 0 : best - 1];
    const double high = at[std::min(best + 1, at.size() - 1)];
    return Outcome(Number::real(peak_between(height, low, high)));
}

}  // namespace

Result<Outcome> Distribution::mode() const {
    if (const auto values = finite_values()) {
        std::size_t best = 0;
        const auto height = [&](std::size_t i) {
            const Label& label = (*values)[i];
            return log_pdf(support() == Support::labels || !label.is_number() ? Outcome(label) : Outcome(*label.number()));
        };
        for (std::size_t i = 1; i < values->size(); ++i)
            if (height(i) > height(best)) best = i;
        return Outcome((*values)[best]);
    }
    if (support() == Support::vectors)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("only draws of {} are available, so its mode is not known", name()),
                     .hint = "mean, median and quantiles describe them"};
    return searched_mode(*this);
}

}  // namespace credence::rt
