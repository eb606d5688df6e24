#include "runtime/prob/learning/em.hpp"

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

constexpr std::string_view em_positions[] = {"iterations", "tolerance", "restarts"};

/// The parameters of each method that may be given without their names, in order.
std::span<const std::string_view> positions_of(std::string_view method) {
    static constexpr std::string_view counting[] = {"m"};
    static constexpr std::string_view gradient[] = {"rate", "iterations", "rule"};
    if (method == "counting") return counting;
    if (method == "gradient") return gradient;
    return em_positions;
}

std::string_view argument_name_at(const TrainingMethod& method, std::size_t i) {
    if (!method.arguments[i].name.empty()) return method.arguments[i].name;
    const auto names = positions_of(method.name);
    return i < names.size() ? names[i] : std::string_view{};
}

}  // namespace

const TrainingMethod::Argument* find_argument(const TrainingMethod& method, std::string_view name) {
    for (std::size_t i = 0; i < method.arguments.size(); ++i)
        if (argument_name_at(method, i) == name) return &method.arguments[i];
    return nullptr;
}

Result<EmOptions> em_options(const TrainingMethod& method, std::span<const std::string_view> more) {
    std::vector<std::string> known(std::begin(em_positions), std::end(em_positions));
    known.insert(known.end(), more.begin(), more.end());
    EmOptions out;
    for (std::size_t i = 0; i < method.arguments.size(); ++i) {
        const auto& argument = method.arguments[i];
        const std::string name(argument_name_at(method, i));
        if (!contains(known, name)) {
            Fault fault{.code = "E-PARAMETER",
                        .message = fmt::format("{} has no parameter '{}'", method.name, name),
                        .origin = argument.origin,
                        .label = fmt::format("its parameters are {}", joined(known, ", "))};
            if (const auto near = nearest(name, known)) fault.hint = fmt::format("did you mean '{}'?", *near);
            return fault;
        }
        if (!contains(em_positions, name)) continue;
        const auto* number = std::get_if<Number>(&argument.value);
        const bool whole = number && number->is_exact() && number->exact().is_integer();
        const bool fine = number && (name == "tolerance" ? number->sign() >= 0 : whole && number->sign() > 0 && number->real() <= 1e9);
        if (!fine)
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("{} is {}", name, name == "tolerance" ? "a number from 0 on" : "a whole number from 1 on"),
                         .origin = argument.origin};
        if (name == "tolerance")
            out.tolerance = number->real();
        else
            (name == "iterations" ? out.iterations : out.restarts) = static_cast<std::size_t>(number->real());
        if (name == "restarts") out.restarts_given = true;
    }
    return out;
}

}  // namespace credence::rt
