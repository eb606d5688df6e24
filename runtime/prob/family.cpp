#include "runtime/prob/family.hpp"

#include <cassert>

namespace credence::rt {

const std::vector<FamilyInfo>& all_families() {
    static const std::vector<FamilyInfo> families = {
        {Family::bernoulli, "bernoulli", {"p"}},
        {Family::binomial, "binomial", {"n", "p"}},
        {Family::categorical, "categorical", {"weights"}},
        {Family::poisson, "poisson", {"rate"}},
        {Family::geometric, "geometric", {"p"}},
        {Family::uniform, "uniform", {"low", "high"}},
        {Family::normal, "normal", {"mean", "sd"}},
        {Family::lognormal, "lognormal", {"mu", "sigma"}},
        {Family::beta, "beta", {"a", "b"}},
        {Family::gamma, "gamma", {"shape", "rate"}},
        {Family::exponential, "exponential", {"rate"}},
        {Family::laplace, "laplace", {"location", "scale"}},
        {Family::student_t, "student_t", {"degrees", "location", "scale"}},
        {Family::dirichlet, "dirichlet", {"concentration"}},
        {Family::multinormal, "multinormal", {"mean", "covariance"}},
    };
    return families;
}

const FamilyInfo* find_family(std::string_view name) {
    for (const auto& info : all_families())
        if (info.name == name) return &info;
    return nullptr;
}

const FamilyInfo& family_info(Family family) { return all_families()[static_cast<std::size_t>(family)]; }

Result<DistributionPtr> make_distribution(Family family, std::span<const Number> p, std::span<const Label> labels) {
    switch (family) {
        case Family::bernoulli:
            return make_bernoulli(p[0]);
        case Family::binomial:
            return make_binomial(p[0], p[1]);
        case Family::categorical: {
            std::vector<std::pair<Label, Number>> weights;
            for (std::size_t i = 0; i < labels.size(); ++i) weights.emplace_back(labels[i], p[i]);
            return make_categorical(std::move(weights));
        }
        case Family::poisson:
            return make_poisson(p[0]);
        case Family::geometric:
            return make_geometric(p[0]);
        case Family::uniform:
            return make_uniform(p[0], p[1]);
        case Family::normal:
            return make_normal(p[0], p[1]);
        case Family::lognormal:
            return make_lognormal(p[0], p[1]);
        case Family::beta:
            return make_beta(p[0], p[1]);
        case Family::gamma:
            return make_gamma(p[0], p[1]);
        case Family::exponential:
            return make_exponential(p[0]);
        case Family::laplace:
            return make_laplace(p[0], p[1]);
        case Family::student_t:
            return make_student_t(p[0], p[1], p[2]);
        case Family::dirichlet:
            return make_dirichlet({p.begin(), p.end()});
        case Family::multinormal:
            break;
    }
    assert(false && "a multinormal's parameters are no list of numbers");
    return Fault{.code = "E-PARAMETER", .message = "multinormal: its parameters are a mean and a covariance"};
}

}  // namespace credence::rt
