#pragma once
// Peaks and roots of functions of one number, as Boost.Math finds them.

#include <functional>

namespace credence::rt {

/// Where a function with one peak in an interval has it (Brent 1973), to half the digits of a double: values that differ by less than
/// their last digit carry no information.
double peak_between(const std::function<double(double)>& f, double low, double high);

/// Where a function passes 0 between two points at which it has different signs (Alefeld, Potra and Shi 1995), to the last digits. Where
/// the signs do not differ it is the end that is nearer to 0; a point without a value counts as a root.
double root_between(const std::function<double(double)>& f, double low, double at_low, double high, double at_high);
inline double root_between(const std::function<double(double)>& f, double low, double high) {
    return root_between(f, low, f(low), high, f(high));
}

}  // namespace credence::rt
