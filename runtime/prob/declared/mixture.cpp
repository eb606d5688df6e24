#include "runtime/prob/declared/mixture.hpp"

#include <algorithm>

namespace credence::rt {

Status check_part(const MixturePart& part) {
    if (!part.family || !part.has_holes()) return Done{};
    // The holes are filled with something that no family refuses, so that what is left to complain of is what was given.
    std::vector<Number> numbers;
    for (const auto& p : part.parameters) numbers.push_back(p.value_or(Number(Rational(1, 2))));
    for (std::size_t p = 0; p < numbers.size(); ++p) {
        if (part.family->parameters[p].role != Role::high_end) continue;
        if (!part.parameters[p - 1] && part.parameters[p]) numbers[p - 1] = numbers[p] - Number(1);
        if (!part.parameters[p]) numbers[p] = numbers[p - 1] + Number(1);
    }
    TRY(part.family->make(numbers, {}));
    return Done{};
}

bool Mixture::has_holes() const {
    return std::any_of(weights.begin(), weights.end(), [](const auto& w) { return !w.has_value(); }) ||
           std::any_of(parts.begin(), parts.end(), [](const MixturePart& p) { return p.has_holes(); });
}

}  // namespace credence::rt
