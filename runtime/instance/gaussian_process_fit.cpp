#include "runtime/instance/gaussian_process_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "runtime/core/climb.hpp"
#include "runtime/core/parallel.hpp"

namespace credence::rt {

namespace {

using Eigen::Index;
using Dense = Eigen::MatrixXd;

constexpr Index block = 128;  ///< columns between two looks at the stop request
constexpr double log_two_pi = 1.8378770664093453;

/// A kernel of alpha 1 at the squared distance s in units of rho, and what −∂/∂ ln rho_d makes of it: `slope` times the part of s that
/// coordinate d has.
struct KernelAt {
    double value;
    double slope;
};

KernelAt kernel_at(GpKernel kernel, double s) {
    if (kernel == GpKernel::rbf) {
        const double k = std::exp(-0.5 * s);
        return {k, k};
    }
    const double root = kernel == GpKernel::matern32 ? std::numbers::sqrt3 : 2.23606797749979;
    const double r = root * std::sqrt(s);
    const double fall = std::exp(-r);
    if (kernel == GpKernel::matern32) return {(1 + r) * fall, 3 * fall};
    return {(1 + r + r * r / 3) * fall, 5.0 / 3 * (1 + r) * fall};
}

double length(const GpParameters& p, std::size_t coordinate) { return p.rho.size() == 1 ? p.rho[0] : p.rho[coordinate]; }

/// Squared differences in units of rho, coordinate by coordinate; returns their sum.
double parts_of_distance(std::span<const double> a, std::span<const double> b, const GpParameters& p, std::span<double> parts) {
    double sum = 0;
    for (std::size_t c = 0; c < a.size(); ++c) {
        const double z = (a[c] - b[c]) / length(p, c);
        parts[c] = z * z;
        sum += parts[c];
    }
    return sum;
}

double weight_of(const GpRows& rows, std::size_t i) { return rows.weights.empty() ? 1 : rows.weights[i]; }

double noise_of(const GpRows& rows, const GpParameters& p, std::size_t i) { return p.sigma * p.sigma / weight_of(rows, i); }

/// The lower triangle of K + sigma² I.
Dense covariance(const GpRows& rows, GpKernel kernel, const GpParameters& p, const Run& run) {
    const std::size_t n = rows.points.rows;
    Dense out(static_cast<Index>(n), static_cast<Index>(n));
    parallel_chunks(n, block, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> parts(rows.points.columns);
        for (std::size_t j = begin; j < end && !run.stopped(); ++j) {
            double* column = out.data() + j * n;
            for (std::size_t i = j; i < n; ++i)
                column[i] =
                    p.alpha * p.alpha * kernel_at(kernel, parts_of_distance(rows.points.row(i), rows.points.row(j), p, parts)).value;
            column[j] += noise_of(rows, p, j);
        }
    });
    return out;
}

/// L of a = L Lᵀ in its lower triangle, block by block; false if a is not positive definite, or the run was stopped.
bool factorise(Dense& a, const Run& run) {
    const Index n = a.rows();
    for (Index k = 0; k < n; k += block) {
        if (run.stopped()) return false;
        const Index size = std::min(block, n - k);
        Eigen::Ref<Dense> diagonal = a.block(k, k, size, size);
        const Eigen::LLT<Eigen::Ref<Dense>> llt(diagonal);
        if (llt.info() != Eigen::Success) return false;
        const Index rest = n - k - size;
        if (rest == 0) break;
        auto panel = a.block(k + size, k, rest, size);
        diagonal.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(panel);
        parallel_chunks(static_cast<std::size_t>(rest), block, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
            const auto first = static_cast<Index>(begin);
            const auto columns = static_cast<Index>(end - begin);
            if (run.stopped()) return;
            a.block(k + size + first, k + size + first, rest - first, columns).noalias() -=
                panel.bottomRows(rest - first) * panel.middleRows(first, columns).transpose();
        });
    }
    return !run.stopped();
}

/// Rows that a weight stands for, beyond the rows that are there.
double repeated_rows(const GpRows& rows) {
    double sum = 0;
    for (const double w : rows.weights) sum += w - 1;
    return sum;
}

/// The log density of w equal rows, less that of their mean, which is what the covariance is of.
double evidence_of_repeats(const GpRows& rows, const GpParameters& p) {
    double logs = 0;
    for (const double w : rows.weights) logs += std::log(w);
    return -0.5 * (repeated_rows(rows) * (log_two_pi + 2 * std::log(p.sigma)) + logs);
}

struct Factor {
    Dense lower;
    Eigen::VectorXd pull;
    double log_evidence;
};

std::optional<Factor> factor_of(const GpRows& rows, GpKernel kernel, const GpParameters& p, const Run& run) {
    Factor out{covariance(rows, kernel, p, run), {}, 0};
    if (!factorise(out.lower, run)) return std::nullopt;
    const auto n = static_cast<Index>(rows.points.rows);
    const Eigen::Map<const Eigen::VectorXd> y(rows.targets.data(), n);
    const Eigen::VectorXd half = out.lower.triangularView<Eigen::Lower>().solve(y);
    out.pull = out.lower.transpose().triangularView<Eigen::Upper>().solve(half);
    out.log_evidence = -0.5 * half.squaredNorm() - out.lower.diagonal().array().log().sum() - 0.5 * static_cast<double>(n) * log_two_pi +
                       evidence_of_repeats(rows, p);
    if (!std::isfinite(out.log_evidence)) return std::nullopt;
    return out;
}

/// Slopes of the evidence over ln alpha, ln rho (one or each) and ln sigma: ½ Σ (pull_i pull_j − C⁻¹_ij) ∂C_ij.
std::vector<double> evidence_slopes(const GpRows& rows, GpKernel kernel, const GpParameters& p, const Factor& f, const Run& run) {
    const std::size_t n = rows.points.rows;
    const std::size_t lengths = p.rho.size();
    Dense inverse = Dense::Identity(static_cast<Index>(n), static_cast<Index>(n));  // of L
    parallel_chunks(n, block, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (run.stopped()) return;
        const auto first = static_cast<Index>(begin);
        const Index left = static_cast<Index>(n) - first;
        auto columns = inverse.block(first, first, left, static_cast<Index>(end - begin));
        f.lower.bottomRightCorner(left, left).triangularView<Eigen::Lower>().solveInPlace(columns);
    });
    std::vector<std::vector<double>> slots((n + block - 1) / block, std::vector<double>(lengths + 2));
    parallel_chunks(n, block, run.threads, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        if (run.stopped()) return;
        const auto first = static_cast<Index>(begin);
        const Index left = static_cast<Index>(n) - first;
        const auto corner = inverse.bottomRightCorner(left, left);
        const Dense precision = corner.transpose().triangularView<Eigen::Upper>() * corner.leftCols(static_cast<Index>(end - begin));
        std::vector<double>& out = slots[chunk];
        std::vector<double> parts(rows.points.columns);
        for (std::size_t j = begin; j < end; ++j)
            for (std::size_t i = j; i < n; ++i) {
                const auto row = static_cast<Index>(i);
                const auto column = static_cast<Index>(j);
                const double share = (f.pull(row) * f.pull(column) - precision(row - first, column - first)) * (i == j ? 0.5 : 1.0);
                const KernelAt k = kernel_at(kernel, parts_of_distance(rows.points.row(i), rows.points.row(j), p, parts));
                const double variance = share * p.alpha * p.alpha;
                out[0] += 2 * variance * k.value;
                for (std::size_t c = 0; c < parts.size(); ++c) out[1 + (lengths == 1 ? 0 : c)] += variance * k.slope * parts[c];
                if (i == j) out[lengths + 1] += 2 * share * noise_of(rows, p, i);
            }
    });
    std::vector<double> out(lengths + 2);
    for (const auto& slot : slots)
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += slot[i];
    out[lengths + 1] -= repeated_rows(rows);
    return out;
}

/// A parameter that is learned, between two bounds on the scale of its logarithm: ln x = low + (high − low) / (1 + exp(−u)).
struct Bounded {
    std::size_t place;  ///< among alpha, rho…, sigma
    double low;
    double high;

    double share(double u) const { return 1 / (1 + std::exp(-u)); }
    double value(double u) const { return std::exp(low + (high - low) * share(u)); }
    bool at_end(double x) const { return std::log(x) < low + 0.01 * (high - low) || std::log(x) > high - 0.01 * (high - low); }
    double slope(double u) const { return (high - low) * share(u) * (1 - share(u)); }
    double at(double x) const { return std::log((std::log(x) - low) / (high - std::log(x))); }
};

double& parameter(GpParameters& p, std::size_t place) {
    if (place == 0) return p.alpha;
    return place <= p.rho.size() ? p.rho[place - 1] : p.sigma;
}

double spread_of(const GpRows& rows) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.targets.size(); ++i) sum += weight_of(rows, i) * rows.targets[i] * rows.targets[i];
    const double out = std::sqrt(sum / (static_cast<double>(rows.targets.size()) + repeated_rows(rows)));
    return out > 0 ? out : 1;
}

/// Every k-th row, so that about `most` are left.
GpRows thinned(const GpRows& rows, std::size_t most) {
    const std::size_t step = (rows.points.rows + most - 1) / most;
    const std::size_t n = (rows.points.rows + step - 1) / step;
    GpRows out{Matrix(n, rows.points.columns), std::vector<double>(n), {}};
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(rows.points.row(i * step).begin(), rows.points.columns, out.points.row(i).begin());
        out.targets[i] = rows.targets[i * step];
        if (!rows.weights.empty()) out.weights.push_back(rows.weights[i * step]);
    }
    return out;
}

class EvidencePeak {
public:
    EvidencePeak(const GpOptions& options, GpParameters start, const Run& run) : options_(options), start_(std::move(start)), run_(run) {
        const double spread = start_.alpha;
        if (!options.alpha) free_.push_back({0, std::log(spread * 1e-3), std::log(spread * 1e3)});
        if (!options.rho)
            for (std::size_t c = 0; c < start_.rho.size(); ++c) free_.push_back({c + 1, std::log(1e-3), std::log(1e3)});
        if (!options.sigma) free_.push_back({start_.rho.size() + 1, std::log(spread * 1e-4), std::log(spread * 10)});
    }

    /// Notes what the rows do not determine.
    void note_ends(GpParameters& found, const Run& run) const {
        if (!run.note) return;
        for (const Bounded& b : free_)
            if (b.at_end(parameter(found, b.place)))
                run.note(fmt::format("{} went to the end of its range: the rows do not determine it", b.place == 0 ? "alpha"
                                                                                                      : b.place <= found.rho.size()
                                                                                                          ? "rho"
                                                                                                          : "sigma"));
    }

    /// The highest of what is found from a few starts on a part of the rows, and from there on all of them.
    GpParameters on(const GpRows& rows) const {
        constexpr std::size_t few = 250;
        const GpRows part = thinned(rows, few);
        Summit best;
        for (const double rho : {0.3, 1.0, 3.0})
            for (const double sigma : {0.1, 0.5}) {
                GpParameters from = start_;
                for (const Bounded& b : free_) {
                    if (b.place > 0 && b.place <= from.rho.size()) from.rho[b.place - 1] = rho * std::sqrt(double(part.points.columns));
                    if (b.place == from.rho.size() + 1) from.sigma = sigma * spread_of(part);
                }
                Summit here = climbed(part, from);
                if (here.height > best.height) best = std::move(here);
            }
        if (best.at.empty()) return start_;
        if (part.points.rows == rows.points.rows) return parameters(best.at);
        return parameters(climbed(rows, parameters(best.at)).at);
    }

private:
    GpParameters parameters(std::span<const double> at) const {
        GpParameters out = start_;
        for (std::size_t i = 0; i < free_.size(); ++i) parameter(out, free_[i].place) = free_[i].value(at[i]);
        return out;
    }

    Summit climbed(const GpRows& rows, GpParameters from) const {
        const Slopes evidence = [&](std::span<const double> at, std::span<double> slopes) {
            const GpParameters p = parameters(at);
            const auto f = factor_of(rows, options_.kernel, p, run_);
            if (!f) return -HUGE_VAL;
            const auto all = evidence_slopes(rows, options_.kernel, p, *f, run_);
            for (std::size_t i = 0; i < free_.size(); ++i) slopes[i] = all[free_[i].place] * free_[i].slope(at[i]);
            return run_.stopped() ? -HUGE_VAL : f->log_evidence;
        };
        Summit here{std::vector<double>(free_.size()), std::vector<double>(free_.size())};
        for (std::size_t i = 0; i < free_.size(); ++i) here.at[i] = free_[i].at(parameter(from, free_[i].place));
        here.height = evidence(here.at, here.slopes);
        if (std::isfinite(here.height)) climb(here, evidence, [this] { return run_.stopped(); }, {.gain = 1e-10, .squared_slopes = 1e-4});
        return here;
    }

    const GpOptions& options_;
    GpParameters start_;
    const Run& run_;
    std::vector<Bounded> free_;
};

}  // namespace

Result<std::optional<GpFactor>> gp_factor(const GpRows& rows, GpKernel kernel, const GpParameters& parameters, const Run& run) {
    auto f = factor_of(rows, kernel, parameters, run);
    if (run.stopped()) return stopped_fault();
    if (!f) return std::optional<GpFactor>{};
    GpFactor out{Matrix(rows.points.rows, rows.points.rows), {f->pull.data(), f->pull.data() + f->pull.size()}, f->log_evidence};
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> lower(out.lower.values.data(), f->lower.rows(),
                                                                                             f->lower.cols());
    lower = f->lower.triangularView<Eigen::Lower>();
    return std::optional(std::move(out));
}

std::vector<double> gp_covariances(const GpRows& rows, GpKernel kernel, const GpParameters& p, std::span<const double> point) {
    std::vector<double> out(rows.points.rows);
    std::vector<double> parts(point.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = p.alpha * p.alpha * kernel_at(kernel, parts_of_distance(rows.points.row(i), point, p, parts)).value;
    return out;
}

Result<GpParameters> gp_learned(const GpRows& rows, const GpOptions& options, Run& run) {
    GpParameters start;
    const double spread = spread_of(rows);
    start.alpha = options.alpha.value_or(spread);
    start.rho.assign(options.rho_each ? rows.points.columns : 1, options.rho.value_or(1));
    start.sigma = options.sigma.value_or(0.3 * spread);
    const EvidencePeak peak(options, std::move(start), run);
    GpParameters out = peak.on(rows);
    if (run.stopped()) return stopped_fault();
    peak.note_ends(out, run);
    return out;
}

}  // namespace credence::rt
