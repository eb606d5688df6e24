#include "runtime/core/method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/label.hpp"

namespace credence::rt {

namespace {

/// 1000000 rather than 1e+06.
std::string bound_text(double bound) { return std::floor(bound) == bound ? fmt::format("{:.0f}", bound) : fmt::format("{}", bound); }

}  // namespace

bool NumberRange::covers(const Number& number) const {
    const double value = number.real();
    if (whole && !(number.is_exact() ? number.exact().is_integer() : std::floor(value) == value)) return false;
    return (above ? value > least : value >= least) && (below ? value < most : value <= most);
}

std::string NumberRange::text() const {
    const std::string what = whole ? "a whole number" : "a number";
    const bool low = std::isfinite(least);
    const bool high = std::isfinite(most);
    if (low && high && above)
        return fmt::format("{} above {} and {} {}", what, bound_text(least), below ? "below" : "at most", bound_text(most));
    if (low && high) return fmt::format("{} from {} to {}{}", what, bound_text(least), below ? "below " : "", bound_text(most));
    if (low) return above ? fmt::format("{} above {}", what, bound_text(least)) : fmt::format("{}, {} or more", what, bound_text(least));
    if (high) return below ? fmt::format("{} below {}", what, bound_text(most)) : fmt::format("{}, {} or less", what, bound_text(most));
    return what;
}

const MethodInfo* find_method(std::span<const MethodInfo> methods, std::string_view name) {
    const auto found = std::find_if(methods.begin(), methods.end(), [&](const MethodInfo& m) { return m.name == name; });
    return found == methods.end() ? nullptr : &*found;
}

namespace method_detail {

std::string text_of(double number) {
    std::string out = fmt::format("{:g}", number);
    if (const auto at = out.find("e-0"); at != std::string::npos) out.erase(at + 2, 1);  // 1e-9, as scripts write it
    return out;
}
std::string text_of(const Rational& number) { return Label::of_number(Number(number)).text(); }
std::size_t whole_number(const Number& number) {  // an option may allow more than 32 bits hold
    return static_cast<std::size_t>(std::min(number.real(), static_cast<double>(std::numeric_limits<std::size_t>::max())));
}
Rational exact_number(const Number& number) { return number.is_exact() ? number.exact() : Rational::from_decimal(number.real()); }

}  // namespace method_detail

}  // namespace credence::rt
