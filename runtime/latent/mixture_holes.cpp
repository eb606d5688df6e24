// The holes of a mixture in their order: names, numbers put in and taken out.

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/latent/mixture_em.hpp"

namespace credence::rt {

namespace {

/// Visits the holes in the order they are written: the weight of a component, then its parameters.
template <class W, class P, class S>
void each_hole(const Mixture& mixture, W weight, P parameter, S shares) {
    for (std::size_t j = 0; j < mixture.parts.size(); ++j) {
        if (!mixture.weights[j]) weight(j);
        const auto& part = mixture.parts[j];
        if (part.shares_hole) {
            shares(j);
            continue;
        }
        for (std::size_t p = 0; part.has_holes() && p < part.parameters.size(); ++p)
            if (!part.parameters[p]) parameter(j, p);
    }
}

template <class P, class N>
void take_holes(const Mixture& mixture, const P& p, std::vector<N>& out) {
    each_hole(
        mixture, [&](std::size_t j) { out.push_back(p.weights[j]); }, [&](std::size_t j, std::size_t i) { out.push_back(p.theta[j][i]); },
        [&](std::size_t j) { out.insert(out.end(), p.theta[j].begin(), p.theta[j].end()); });
}

/// The numbers that are written; 1 in place of the holes.
MixtureParameters written(const Mixture& mixture) {
    MixtureParameters out;
    for (std::size_t j = 0; j < mixture.parts.size(); ++j) {
        out.weights.push_back(mixture.weights[j] ? mixture.weights[j]->real() : 1);
        out.theta.emplace_back();
        for (const auto& p : mixture.parts[j].parameters) out.theta[j].push_back(p ? p->real() : 1);
    }
    return out;
}

/// Weights sum to one and parameters are in their range, or a fault says which is not.
Status check_start(const Mixture& mixture, const MixtureParameters& p, Origin origin) {
    double sum = 0;
    for (const double w : p.weights) sum += w;
    for (const double w : p.weights)
        if (!(w >= 0) || std::abs(sum - 1) > 1e-6)
            return Fault{.code = "E-SUM",
                         .message = fmt::format("the weights that init gives sum to {:.6g}, and weights are from 0 on and sum to 1", sum),
                         .origin = origin};
    for (std::size_t j = 0; j < p.theta.size(); ++j) {
        if (!mixture.parts[j].has_holes() || mixture.parts[j].shares_hole) continue;
        std::vector<Number> numbers;
        for (std::size_t i = 0; i < p.theta[j].size(); ++i)
            numbers.push_back(mixture.parts[j].parameters[i].value_or(Number::real(p.theta[j][i])));
        auto made = mixture.parts[j].family->make(numbers, {});
        if (made) continue;
        Fault fault = std::move(made).fault();
        fault.origin = origin;
        return fault;
    }
    return Done{};
}

}  // namespace

std::vector<double> hole_values(const Mixture& mixture, const MixtureParameters& p) {
    std::vector<double> out;
    take_holes(mixture, p, out);
    return out;
}

std::vector<Number> hole_values(const Mixture& mixture, const MixtureNumbers& p) {
    std::vector<Number> out;
    take_holes(mixture, p, out);
    return out;
}

MixtureNumbers numbers_of(const MixtureParameters& p) {
    MixtureNumbers out;
    for (const double w : p.weights) out.weights.push_back(Number::real(w));
    for (const auto& theta : p.theta) {
        out.theta.emplace_back();
        for (const double t : theta) out.theta.back().push_back(Number::real(t));
    }
    return out;
}

std::vector<std::string> hole_names(const Mixture& mixture, const DomainPtr& labels) {
    std::vector<std::string> out;
    each_hole(
        mixture, [&](std::size_t j) { out.push_back(fmt::format("weight_{}", j + 1)); },
        [&](std::size_t j, std::size_t i) { out.push_back(fmt::format("{}_{}", mixture.parts[j].family->parameters[i].name, j + 1)); },
        [&](std::size_t j) {
            for (const auto& label : labels->labels()) out.push_back(fmt::format("P({})_{}", label.text(), j + 1));
        });
    return out;
}

std::size_t free_parameters(const Mixture& mixture, std::size_t labels) {
    std::size_t weights = 0;
    std::size_t others = 0;
    each_hole(
        mixture, [&](std::size_t) { ++weights; }, [&](std::size_t, std::size_t) { ++others; }, [&](std::size_t) { others += labels - 1; });
    return others + (weights > 0 ? weights - 1 : 0);  // the weights sum to one
}

Result<MixtureParameters> mixture_start(const Mixture& mixture, std::span<const double> holes, Origin origin) {
    MixtureParameters out = written(mixture);
    std::size_t expected = 0;
    bool shares = false;
    const auto take = [&](double& into) {
        if (expected < holes.size()) into = holes[expected];
        ++expected;
    };
    each_hole(
        mixture, [&](std::size_t j) { take(out.weights[j]); }, [&](std::size_t j, std::size_t i) { take(out.theta[j][i]); },
        [&](std::size_t) { shares = true; });
    if (shares)
        return Fault{
            .code = "E-PARAMETER", .message = "categorical(?) learns its labels from the data, and takes no init", .origin = origin};
    if (expected != holes.size())
        return Fault{
            .code = "E-PARAMETER",
            .message = fmt::format("init has {}, and {} has {}", counted(holes.size(), "number"), mixture.name, counted(expected, "hole")),
            .origin = origin,
            .label = fmt::format("in order: {}", joined(hole_names(mixture, nullptr), ", "))};
    TRY(check_start(mixture, out, origin));
    return out;
}

Result<MixtureParameters> mixture_start(const Mixture& mixture, const Mixture& from, Origin origin) {
    const auto unfit = [&] {
        return Fault{.code = "E-PARAMETER",
                     .message = "init is a mixture of the same families in the same order, with numbers in place of the holes",
                     .origin = origin};
    };
    if (from.has_holes() || from.parts.size() != mixture.parts.size()) return unfit();
    MixtureParameters out = written(mixture);
    for (std::size_t j = 0; j < mixture.parts.size(); ++j) {
        if (!mixture.weights[j]) out.weights[j] = from.weights[j]->real();
        const auto& part = mixture.parts[j];
        if (!part.has_holes()) continue;
        if (part.shares_hole)
            return Fault{
                .code = "E-PARAMETER", .message = "categorical(?) learns its labels from the data, and takes no init", .origin = origin};
        if (from.parts[j].given->name() != part.family->name) return unfit();
        const auto parameters = from.parts[j].given->parameters();
        for (std::size_t i = 0; i < part.parameters.size(); ++i) {
            if (part.parameters[i]) continue;
            const auto* number = std::get_if<Number>(&parameters[i].value);
            if (!number) return unfit();
            out.theta[j][i] = number->real();
        }
    }
    TRY(check_start(mixture, out, origin));
    return out;
}

Result<Mixture> filled(const Mixture& mixture, const MixtureNumbers& p, const DomainPtr& labels) {
    Mixture out = mixture;
    for (std::size_t j = 0; j < out.parts.size(); ++j) {
        if (!out.weights[j]) out.weights[j] = p.weights[j];
        auto& part = out.parts[j];
        if (!part.has_holes()) continue;
        Result<DistributionPtr> made = DistributionPtr();
        if (part.shares_hole) {
            std::vector<std::pair<Label, Number>> shares;
            for (std::size_t c = 0; c < labels->size(); ++c) shares.emplace_back((*labels)[c], p.theta[j][c]);
            made = make_categorical(std::move(shares));
        } else {
            std::vector<Number> numbers;
            for (std::size_t i = 0; i < part.parameters.size(); ++i) numbers.push_back(part.parameters[i].value_or(p.theta[j][i]));
            made = part.family->make(numbers, {});
        }
        if (!made) return std::move(made).fault();
        part = MixturePart{};
        part.given = *std::move(made);
    }
    return out;
}

}  // namespace credence::rt
