#include "runtime/prob/mixture.hpp"

#include <algorithm>

namespace credence::rt {

namespace {

using Parameters = std::span<const Number>;

const std::vector<MixtureFamily>& families() {
    static const std::optional<Number> none;
    // clang-format off
    static const std::vector<MixtureFamily> all = {
        {"bernoulli",   {"p"},                            {true},              {none},                       Support::labels,   +[](Parameters p) { return make_bernoulli(p[0]); }},
        {"binomial",    {"n", "p"},                       {false, true},       {none, none},                 Support::integers, +[](Parameters p) { return make_binomial(p[0], p[1]); }},
        {"poisson",     {"rate"},                         {true},              {none},                       Support::integers, +[](Parameters p) { return make_poisson(p[0]); }},
        {"geometric",   {"p"},                            {true},              {none},                       Support::integers, +[](Parameters p) { return make_geometric(p[0]); }},
        {"uniform",     {"low", "high"},                  {true, true},        {none, none},                 Support::reals,    +[](Parameters p) { return make_uniform(p[0], p[1]); }},
        {"normal",      {"mean", "sd"},                   {true, true},        {none, none},                 Support::reals,    +[](Parameters p) { return make_normal(p[0], p[1]); }},
        {"lognormal",   {"mu", "sigma"},                  {true, true},        {none, none},                 Support::reals,    +[](Parameters p) { return make_lognormal(p[0], p[1]); }},
        {"beta",        {"a", "b"},                       {true, true},        {none, none},                 Support::reals,    +[](Parameters p) { return make_beta(p[0], p[1]); }},
        {"gamma",       {"shape", "rate"},                {true, true},        {none, none},                 Support::reals,    +[](Parameters p) { return make_gamma(p[0], p[1]); }},
        {"exponential", {"rate"},                         {true},              {none},                       Support::reals,    +[](Parameters p) { return make_exponential(p[0]); }},
        {"laplace",     {"location", "scale"},            {true, true},        {none, none},                 Support::reals,    +[](Parameters p) { return make_laplace(p[0], p[1]); }},
        {"student_t",   {"degrees", "location", "scale"}, {true, true, true},  {none, Number(0), Number(1)}, Support::reals,    +[](Parameters p) { return make_student_t(p[0], p[1], p[2]); }},
    };
    // clang-format on
    return all;
}

}  // namespace

std::span<const MixtureFamily> mixture_families() { return families(); }

const MixtureFamily* mixture_family(std::string_view name) {
    for (const auto& family : families())
        if (family.name == name) return &family;
    return nullptr;
}

Status check_part(const MixturePart& part) {
    if (!part.family || !part.has_holes()) return Done{};
    // The holes are filled with something that no family refuses, so that what is left to complain of is what was given.
    std::vector<Number> numbers;
    for (const auto& p : part.parameters) numbers.push_back(p.value_or(Number(Rational(1, 2))));
    if (part.family->name == "uniform") {
        if (!part.parameters[0] && part.parameters[1]) numbers[0] = *part.parameters[1] - Number(1);
        if (!part.parameters[1]) numbers[1] = numbers[0] + Number(1);
    }
    if (auto made = part.family->make(numbers); !made) return std::move(made).fault();
    return Done{};
}

bool Mixture::has_holes() const {
    return std::any_of(weights.begin(), weights.end(), [](const auto& w) { return !w.has_value(); }) ||
           std::any_of(parts.begin(), parts.end(), [](const MixturePart& p) { return p.has_holes(); });
}

}  // namespace credence::rt
