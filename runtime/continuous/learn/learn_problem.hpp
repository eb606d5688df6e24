#pragma once
// A net with real-valued nodes and the rows to learn it from: densities, expected counts and their maximum; and EM over both.

#include "runtime/continuous/learn/fit_drawn.hpp"
#include "runtime/core/rng.hpp"

namespace credence::rt::continuous {

struct Learned {
    std::vector<double> holes;
    std::vector<std::vector<double>> tables;  ///< by node; of those that are not tables empty
};

bool row_is_hole(const NetNode& node, std::size_t row);

class RealNetProblem {
public:
    /// `least_spread`: of a learned normal, as a share of the data's.
    static Result<RealNetProblem> make(const ContinuousNet& net, LearningRows rows, double least_spread);

    const LearningRows& rows() const { return rows_; }
    Learned beginning() const;
    /// The most probable numbers when each completion counts r times.
    void maximise(std::span<const double> r, Learned& out) const;
    /// How often each entry of the node's table was seen.
    std::vector<double> counts(std::size_t node, std::span<const double> r) const;
    /// ln P(data), and how much each completion counts.
    Result<double> expect(const Learned& now, std::vector<double>& r) const;
    bool at_bound(const Learned& p) const;

private:
    RealNetProblem(const ContinuousNet& net, LearningRows rows) : net_(&net), rows_(std::move(rows)) {}
    std::size_t table_size(std::size_t node) const;
    std::size_t entry_at(std::size_t node, std::span<const double> cells) const;

    const ContinuousNet* net_;
    LearningRows rows_;
    std::vector<std::unique_ptr<DrawnFit>> drawn_;
    std::vector<double> known_;  ///< ln of what needs no learning, by completion
};

/// For run_em.
struct RealNetEm {
    const RealNetProblem* problem;
    const ContinuousNet* net;
    std::optional<Learned> init;
    std::vector<double> r = {};

    Learned start(std::size_t restart, Rng& rng) const;
    Result<double> step(const Learned& now, Learned& next, Run& run);
    bool spurious(const Learned& p) const { return problem->at_bound(p); }
};

}  // namespace credence::rt::continuous
