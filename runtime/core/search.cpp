#include "runtime/core/search.hpp"

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace credence::rt {

double peak_between(const std::function<double(double)>& f, double low, double high) {
    constexpr int bits = std::numeric_limits<double>::digits / 2;
    std::uintmax_t most_steps = 100;
    return boost::math::tools::brent_find_minima([&](double x) { return -f(x); }, low, high, bits, most_steps).first;
}

double root_between(const std::function<double(double)>& f, double low, double at_low, double high, double at_high) {
    if (!(at_low < 0 && at_high > 0) && !(at_low > 0 && at_high < 0)) return std::abs(at_low) <= std::abs(at_high) ? low : high;
    if (!(low < high)) return low;
    const auto defined = [&](double x) {
        const double value = f(x);
        return std::isnan(value) ? 0 : value;
    };
    std::uintmax_t most_steps = 200;
    const boost::math::tools::eps_tolerance<double> tight(std::numeric_limits<double>::digits - 1);
    const auto found = boost::math::tools::toms748_solve(defined, low, high, at_low, at_high, tight, most_steps);
    return 0.5 * (found.first + found.second);
}

}  // namespace credence::rt
