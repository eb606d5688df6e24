#include "runtime/prob/queries/distribution_words.hpp"

#include <fmt/format.h>

#include "runtime/prob/distributions/family.hpp"

namespace credence::rt {

std::string number_words(const Number& n) {
    const std::string text = n.is_exact() ? label_text(n) : std::string();
    return !text.empty() && text.size() <= 12 ? text : fmt::format("{:.6g}", n.real());
}

std::string distribution_words(const Distribution& distribution) {
    if (!find_family(distribution.name())) return {};
    std::string out;
    for (const auto& parameter : distribution.parameters()) {
        const auto* number = std::get_if<Number>(&parameter.value);
        if (!number) return {};
        out += (out.empty() ? "" : ", ") + number_words(*number);
    }
    return fmt::format("{}({})", distribution.name(), out);
}

}  // namespace credence::rt
