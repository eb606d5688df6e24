#include "runtime/latent/mixture_gradient.hpp"

#include "runtime/latent/part_climb.hpp"

namespace credence::rt {

namespace {

class MixtureClimb {
public:
    MixtureClimb(const Mixture& mixture, const MixtureData& data, const MixtureProblem& problem)
        : mixture_(&mixture), data_(&data), problem_(&problem), parts_(data) {}

    /// In order: the open weights, then of each component its holes.
    Result<double> slope(const MixtureParameters& now, std::vector<double>& out, Run&) {
        auto likelihood = problem_->responsibilities(now, z_);
        if (!likelihood) return likelihood;
        const std::size_t n = data_->values.size();
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j)
            for (std::size_t i = 0; i < n; ++i) z_[j * n + i] *= data_->weights[i];
        out.clear();
        std::vector<double> counts;
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j) {
            if (mixture_->weights[j]) continue;
            double count = 0;
            for (std::size_t i = 0; i < n; ++i) count += z_[j * n + i];
            counts.push_back(count);
        }
        out.resize(counts.size());
        row_slope(counts, open_weights(now), out);
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j)
            parts_.slope(mixture_->parts[j], now.theta[j], std::span(z_).subspan(j * n, n), out);
        return likelihood;
    }

    void move(const MixtureParameters& from, std::span<const double> slope, double rate, MixtureParameters& to) const {
        to = from;
        std::vector<double> row = open_weights(from);
        move_row(row, slope.first(row.size()), rate);
        slope = slope.subspan(row.size());
        std::size_t at = 0;
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j)
            if (!mixture_->weights[j]) to.weights[j] = row[at++];
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j) parts_.move(mixture_->parts[j], slope, rate, to.theta[j]);
    }

private:
    std::vector<double> open_weights(const MixtureParameters& p) const {
        std::vector<double> out;
        for (std::size_t j = 0; j < p.weights.size(); ++j)
            if (!mixture_->weights[j]) out.push_back(p.weights[j]);
        return out;
    }

    const Mixture* mixture_;
    const MixtureData* data_;
    const MixtureProblem* problem_;
    PartClimb parts_;
    std::vector<double> z_;
};

}  // namespace

Result<EmOutcome<MixtureParameters>> climb_mixture(const Mixture& mixture, const MixtureData& data, const MixtureProblem& problem,
                                                   const TrainingOptions& options, Run& run) {
    MixtureClimb climb(mixture, data, problem);
    return best_of_starts<MixtureParameters>(problem, options.em, run, [&](std::size_t, MixtureParameters start) {
        return run_gradient<MixtureParameters>(climb, std::move(start), options.gradient, data.total, run);
    });
}

}  // namespace credence::rt
