#include "runtime/latent/hmm_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace credence::rt {

Mixture densities_of(const Hmm& hmm) {
    Mixture out;
    out.name = hmm.name;
    out.weights.resize(hmm.emit.size());
    for (const auto& e : hmm.emit) out.parts.push_back(e.density);
    return out;
}

std::optional<StateParameters> parameters_in(const Hmm& hmm, const Hmm& known) {
    StateParameters out(hmm.emit.size());
    for (std::size_t j = 0; j < out.size(); ++j) {
        const MixturePart& part = hmm.emit[j].density;
        const auto& given = known.emit[j].density.given;
        if (!hmm.emit[j].density_has_holes()) continue;
        if (!given || given->name() != part.family->name) return std::nullopt;
        const auto parameters = given->parameters();
        for (std::size_t p = 0; p < part.parameters.size(); ++p) {
            const auto* number = std::get_if<Number>(&parameters[p].value);
            if (!number) return std::nullopt;
            out[j].push_back(part.parameters[p].value_or(*number).real());
        }
    }
    return out;
}

Status fill_densities(Hmm& hmm, const MixtureNumbers& numbers) {
    auto learned = TRY(filled(densities_of(hmm), numbers, nullptr));
    for (std::size_t j = 0; j < hmm.emit.size(); ++j)
        if (hmm.emit[j].density_has_holes()) hmm.emit[j].density = std::move(learned.parts[j]);
    return Done{};
}

EmittedNumbers::EmittedNumbers(const Hmm& hmm, std::vector<Sequence>& sequences, std::span<const double> weights)
    : densities_(densities_of(hmm)) {
    MixtureDataBuilder builder(false);
    for (std::size_t q = 0; q < sequences.size(); ++q)
        for (const double x : sequences[q].values)
            if (!std::isnan(x)) builder.add(x, weights.empty() ? 1.0 : weights[q]);
    data_ = std::move(builder).finish(nullptr);
    std::size_t next = 0;
    for (auto& s : sequences)
        for (const double x : s.values) s.codes.push_back(std::isnan(x) ? -1 : static_cast<std::int32_t>(data_.value_of_row[next++]));
}

StateParameters EmittedNumbers::start(std::size_t restart, Rng& rng) const {
    return MixtureProblem(densities_, data_, std::nullopt).start(restart, rng).theta;
}

void EmittedNumbers::rows(const StateParameters& now, std::vector<double>& out, std::vector<double>& shift) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    const std::size_t k = densities_.parts.size();
    const std::size_t n = size();
    out.resize(n * k);
    shift.assign(n, never);
    column_.resize(n);
    for (std::size_t j = 0; j < k; ++j) {
        log_densities(densities_.parts[j], now[j], data_, column_);
        for (std::size_t v = 0; v < n; ++v) {
            out[v * k + j] = column_[v];
            shift[v] = std::max(shift[v], column_[v]);
        }
    }
    for (std::size_t v = 0; v < n; ++v) {
        const bool possible = shift[v] > never;
        if (!possible) shift[v] = 0;
        for (std::size_t j = 0; j < k; ++j) out[v * k + j] = possible ? std::exp(out[v * k + j] - shift[v]) : 0.0;
    }
}

std::span<const double> EmittedNumbers::of_state(std::span<const double> counts, std::size_t state) {
    const std::size_t k = densities_.parts.size();
    column_.resize(size());
    for (std::size_t v = 0; v < column_.size(); ++v) column_[v] = counts[v * k + state];
    return column_;
}

void EmittedNumbers::maximise(std::span<const double> counts, StateParameters& theta) {
    for (std::size_t j = 0; j < theta.size(); ++j)
        if (densities_.parts[j].has_holes()) rt::maximise(densities_.parts[j], data_, of_state(counts, j), theta[j]);
}

void EmittedNumbers::slope(std::span<const double> counts, const StateParameters& now, std::vector<double>& out) {
    const PartClimb climb(data_);
    for (std::size_t j = 0; j < now.size(); ++j)
        if (densities_.parts[j].has_holes()) climb.slope(densities_.parts[j], now[j], of_state(counts, j), out);
}

void EmittedNumbers::move(std::span<const double>& slope, double rate, StateParameters& theta) const {
    const PartClimb climb(data_);
    for (std::size_t j = 0; j < theta.size(); ++j) climb.move(densities_.parts[j], slope, rate, theta[j]);
}

bool EmittedNumbers::collapsed(const StateParameters& theta) const {
    for (std::size_t j = 0; j < theta.size(); ++j)
        if (at_bound(densities_.parts[j], data_, theta[j])) return true;
    return false;
}

}  // namespace credence::rt
