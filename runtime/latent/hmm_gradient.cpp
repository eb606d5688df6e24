#include "runtime/latent/hmm_gradient.hpp"

namespace credence::rt {

namespace {

class HmmClimb {
public:
    HmmClimb(const Hmm& hmm, const HmmExpectation& expect, EmittedNumbers* numbers)
        : hmm_(&hmm), expect_(&expect), numbers_(numbers), k_(hmm.states->size()) {}

    /// In order: starts, moves, emissions, and the parameters of each state; what is known is left out.
    Result<double> slope(const HmmParameters& now, std::vector<double>& out, Run&) {
        auto likelihood = (*expect_)(now, counts_);
        if (!likelihood) return likelihood;
        out.clear();
        const auto row = [&](std::span<const double> n, std::span<const double> w) {
            out.resize(out.size() + w.size());
            row_slope(n, w, std::span(out).last(w.size()));
        };
        if (hmm_->start.empty()) row(counts_.start, now.start);
        for (std::size_t i = 0; i < k_; ++i)
            if (hmm_->move[i].empty()) row(std::span(counts_.move).subspan(i * k_, k_), std::span(now.move).subspan(i * k_, k_));
        for (std::size_t j = 0; j < k_; ++j)
            if (hmm_->emit[j].hole) row(emissions(counts_.emit, j), emissions(now.emit, j));
        if (numbers_) numbers_->slope(counts_.emit, now.theta, out);
        return likelihood;
    }

    void move(const HmmParameters& from, std::span<const double> slope, double rate, HmmParameters& to) const {
        to = from;
        const auto row = [&](std::span<double> w) {
            move_row(w, slope.first(w.size()), rate);
            slope = slope.subspan(w.size());
        };
        if (hmm_->start.empty()) row(to.start);
        for (std::size_t i = 0; i < k_; ++i)
            if (hmm_->move[i].empty()) row(std::span(to.move).subspan(i * k_, k_));
        for (std::size_t j = 0; j < k_; ++j) {
            if (!hmm_->emit[j].hole) continue;
            std::vector<double> shares = emissions(from.emit, j);
            row(shares);
            for (std::size_t s = 0; s < shares.size(); ++s) to.emit[s * k_ + j] = shares[s];
        }
        if (numbers_) numbers_->move(slope, rate, to.theta);
    }

private:
    std::vector<double> emissions(const std::vector<double>& table, std::size_t state) const {
        std::vector<double> out;
        for (std::size_t c = state; c < table.size(); c += k_) out.push_back(table[c]);
        return out;
    }

    const Hmm* hmm_;
    const HmmExpectation* expect_;
    EmittedNumbers* numbers_;
    std::size_t k_;
    HmmCounts counts_;
};

}  // namespace

Result<EmOutcome<HmmParameters>> climb_hmm(const Hmm& hmm, HmmParameters start, const HmmExpectation& expect, EmittedNumbers* numbers,
                                           double steps, const GradientOptions& options, Run& run) {
    HmmClimb climb(hmm, expect, numbers);
    return run_gradient<HmmParameters>(climb, std::move(start), options, steps, run);
}

}  // namespace credence::rt
