#pragma once
// Where a function with one peak in an interval has it (Kiefer 1953).

#include <cmath>

namespace credence::rt {

/// Until the interval is no wider than absolute + relative · |x|, in 80 steps at most.
template <class F>
double golden_section_maximum(const F& f, double low, double high, double absolute, double relative) {
    constexpr double ratio = 0.6180339887498949;
    constexpr int most_steps = 80;
    double a = high - ratio * (high - low);
    double b = low + ratio * (high - low);
    double fa = f(a);
    double fb = f(b);
    for (int i = 0; i < most_steps && high - low > absolute + relative * std::abs(a); ++i) {
        if (fa >= fb) {
            high = b;
            b = a;
            fb = fa;
            a = high - ratio * (high - low);
            fa = f(a);
        } else {
            low = a;
            a = b;
            fa = fb;
            b = low + ratio * (high - low);
            fb = f(b);
        }
    }
    return (low + high) / 2;
}

}  // namespace credence::rt
