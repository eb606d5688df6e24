// The learner: from the units of the table to scaled rows, EM, and back.

#include "runtime/latent/gaussian_mixture.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/latent/numeric_rows.hpp"
#include "runtime/prob/learning/block_sample.hpp"
#include "runtime/prob/learning/block_training.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t more_gaussian_starts = 10;
constexpr std::string_view hidden = "component";

bool matrix_kind(CovarianceKind kind) { return kind == CovarianceKind::full || kind == CovarianceKind::tied; }

/// Covariance matrices of every component in the table's units, whatever the kind keeps of them.
std::vector<Matrix> covariances_of(const GaussianParameters& p, const GaussianRows& rows, const GaussianSettings& s) {
    const std::size_t d = rows.dims;
    std::vector<Matrix> out;
    for (std::size_t c = 0; c < s.k; ++c) {
        Matrix m(d, d);
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = 0; j < d; ++j) {
                double v = 0;
                if (matrix_kind(s.kind))
                    v = p.covariances[(s.kind == CovarianceKind::tied ? 0 : c) * d * d + i * d + j];
                else if (i == j)
                    v = s.kind == CovarianceKind::diagonal ? p.covariances[c * d + i] : p.covariances[c];
                m(i, j) = v * rows.scale[i] * rows.scale[j];
            }
        out.push_back(std::move(m));
    }
    return out;
}

Matrix means_of(const GaussianParameters& p, const GaussianRows& rows, std::size_t k) {
    Matrix out(k, rows.dims);
    for (std::size_t c = 0; c < k; ++c)
        for (std::size_t j = 0; j < rows.dims; ++j) out(c, j) = p.means[c * rows.dims + j] * rows.scale[j] + rows.centre[j];
    return out;
}

class GaussianMixtureLearner final : public Learner, public LearnsFromBlocks {
public:
    explicit GaussianMixtureLearner(GaussianMixtureOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "gaussian_mixture"; }
    TargetKind target() const override { return TargetKind::none; }

    Result<ModelPtr> fit(const TableView& view, std::span<const double> weights, Run& run) const override {
        auto rows = TRY(numeric_rows(view, weights, name(), hidden, options_.k, run));
        auto found = TRY(search(rows, run));
        if (run.note) report(found.best, run);
        return finished(std::move(rows.schema), rows.values.rows, found);
    }

    /// The starts are tried on some of the rows; EM goes on from the best of them over all rows.
    Result<ModelPtr> fit_blocks(const RowBlocks& blocks, Run& run) const override {
        constexpr std::size_t tried_on = 20'000;
        const auto some = TRY(sampled_numbers(blocks, tried_on, hidden, run));
        auto rows = TRY(numeric_rows({.table = some.get(), .rows = {}}, {}, name(), hidden, options_.k, run));
        auto found = TRY(search(rows, run));
        const auto columns = number_columns(blocks.head(), hidden);
        const GaussianPass over_all = [&](const GaussianParameters& now, Run& own) -> Result<GaussianSums> {
            const auto add = [&](GaussianSums& sums, const Table& part, std::size_t first) -> Status {
                const Matrix numbers = TRY(numbers_of(part, columns, first));
                if (numbers.rows > 0) sums.add(gaussian_sums(scaled_alike(numbers, found.points), now, found.settings, own));
                return Done{};
            };
            const auto parts = TRY(pass(blocks, {}, GaussianSums{}, own, add));
            GaussianSums all;
            for (const auto& part : parts) all.add(part);
            found.points.total = all.total;
            return all;
        };
        EmOptions em;
        em.iterations = options_.iterations;
        em.tolerance = options_.tolerance;
        GaussianProblem problem(found.points, found.settings, found.best.parameters, over_all);
        const std::size_t spurious = found.best.spurious;
        found.best = TRY(run_em<GaussianParameters>(problem, em, run));
        found.best.spurious += spurious;
        const auto used = static_cast<std::size_t>(found.points.total);
        const std::size_t gaps = blocks.rows() - used;
        if (gaps > 0 && run.note)
            run.note(fmt::format("{} with a missing cell {} left out", counted(gaps, "row"), gaps == 1 ? "was" : "were"));
        if (run.note) report(found.best, run);
        return finished(std::move(rows.schema), used, found);
    }

    Result<Derivation> explain_fit(const TableView& view, std::span<const double> weights, const Model&, Run& run) const override {
        auto rows = TRY(numeric_rows(view, weights, name(), hidden, options_.k, run));
        auto found = TRY(search(rows, run));
        auto& [points, settings, best] = found;
        DerivationWriter out;
        out.formula("E[z_ij] = weight_j * N(x_i; mean_j, covariance_j) / sum over n of weight_n * N(x_i; mean_n, covariance_n)");
        out.formula("weight_j = mean of E[z_ij]; mean_j = sum of E[z_ij] x_i / sum of E[z_ij]; covariance_j likewise");
        if (options_.restarts > 1 && !options_.init) out.note(fmt::format("start {} gave the best result", best.start + 1));
        GaussianProblem problem(points, settings, start_of(points, settings));
        Rng rng = run.rng.child("em").child(best.start);
        GaussianParameters now = problem.start(best.start, rng);
        GaussianParameters next = now;
        const std::size_t steps = best.history.size() - 1;
        constexpr std::size_t told = 10;
        for (std::size_t i = 0;; ++i) {
            if (i < told || i + told >= steps) {
                const Matrix means = means_of(now, points, settings.k);
                std::string line;
                for (std::size_t c = 0; c < settings.k; ++c) {
                    std::string mean;
                    for (const double m : means.row(c)) mean += fmt::format("{}{:.6g}", mean.empty() ? "" : ", ", m);
                    line += fmt::format("{}{:.4f} at ({})", c ? "; " : "", now.weights[c], mean);
                }
                out.note(
                    fmt::format("{}: {}; ln P(data) = {:.6f}", i == 0 ? "start" : fmt::format("iteration {}", i), line, best.history[i]));
            } else if (i == told) {
                out.note(fmt::format("… {} iterations …", steps - 2 * told));
            }
            if (i == steps) break;
            TRY(problem.step(now, next, run));
            std::swap(now, next);
        }
        return std::move(out).take();
    }

private:
    struct Search {
        GaussianRows points;
        GaussianSettings settings;
        EmOutcome<GaussianParameters> best;
    };

    ModelPtr finished(Schema schema, std::size_t n, Search& found) const {
        auto& [points, settings, best] = found;
        GaussianMixture out;
        out.kind = settings.kind;
        const Matrix means = means_of(best.parameters, points, settings.k);
        const auto covariances = covariances_of(best.parameters, points, settings);
        auto order = ascending_rows(means);  // numbers of components that were drawn mean nothing: they follow the first column
        if (options_.init || options_.weights)
            for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
        out.means = means;
        for (std::size_t c = 0; c < settings.k; ++c) {
            std::copy(means.row(order[c]).begin(), means.row(order[c]).end(), out.means.row(c).begin());
            out.weights.push_back(best.parameters.weights[order[c]]);
            out.covariances.push_back(covariances[order[c]]);
        }
        out.history = std::move(best.history);
        out.rows = points.total;
        out.free_parameters = gaussian_free_parameters(settings, points.dims);
        return make_gaussian_mixture_model(std::move(schema), n, std::move(out));
    }

    Result<Search> search(const NumericRows& rows, Run& run) const {
        Search out;
        out.settings = {.k = options_.k, .kind = options_.kind, .weights = options_.weights, .variance = {}, .floor = options_.regularise};
        out.points = gaussian_rows(rows.values, rows.weights, out.settings.kind);
        if (options_.sd) out.settings.variance = *options_.sd / out.points.scale[0] * (*options_.sd / out.points.scale[0]);
        if (options_.init && options_.init->means.columns != out.points.dims)
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("init gives means of {}, and there are {} columns",
                                                counted(options_.init->means.columns, "number"), out.points.dims)};
        EmOptions em;
        em.iterations = options_.iterations;
        em.tolerance = options_.tolerance;
        em.restarts = options_.init ? 1 : options_.restarts;
        em.more_starts = options_.init ? 0 : more_gaussian_starts;
        GaussianProblem problem(out.points, out.settings, start_of(out.points, out.settings));
        out.best = TRY(run_em<GaussianParameters>(problem, em, run));
        return out;
    }

    /// The given start in scaled units. Covariances that are not given are those of all the data, cut to the kind.
    std::optional<GaussianParameters> start_of(const GaussianRows& rows, const GaussianSettings& s) const {
        if (!options_.init) return std::nullopt;
        const GaussianStart& from = *options_.init;
        const std::size_t d = rows.dims;
        GaussianParameters p;
        for (std::size_t c = 0; c < s.k; ++c)
            for (std::size_t j = 0; j < d; ++j) p.means.push_back((from.means(c, j) - rows.centre[j]) / rows.scale[j]);
        p.weights = s.weights ? *s.weights : !from.weights.empty() ? from.weights : std::vector<double>(s.k, 1 / static_cast<double>(s.k));
        const auto entry = [&](std::size_t c, std::size_t i, std::size_t j) {
            if (from.covariances.empty()) return i == j ? 1.0 : 0.0;
            return from.covariances[c](i, j) / (rows.scale[i] * rows.scale[j]);
        };
        switch (s.kind) {
            case CovarianceKind::full:
            case CovarianceKind::tied:
                for (std::size_t c = 0; c < (s.kind == CovarianceKind::tied ? 1 : s.k); ++c)
                    for (std::size_t i = 0; i < d; ++i)
                        for (std::size_t j = 0; j < d; ++j) p.covariances.push_back(entry(c, i, j));
                break;
            case CovarianceKind::diagonal:
                for (std::size_t c = 0; c < s.k; ++c)
                    for (std::size_t i = 0; i < d; ++i) p.covariances.push_back(entry(c, i, i));
                break;
            case CovarianceKind::spherical:
                for (std::size_t c = 0; c < s.k; ++c) p.covariances.push_back(s.variance.value_or(entry(c, 0, 0)));
                break;
        }
        return p;
    }

    void report(const EmOutcome<GaussianParameters>& best, Run& run) const {
        if (!best.converged && options_.iterations > 1)
            run.note(fmt::format("EM stopped after {} iterations before it had settled", options_.iterations));
        const auto& means = best.parameters.means;
        for (std::size_t c = 1; c < options_.k; ++c)
            if (std::equal(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(means.size() / options_.k),
                           means.begin() + static_cast<std::ptrdiff_t>(c * (means.size() / options_.k)))) {
                run.note(
                    fmt::format("components 1 and {} have the same mean: EM started at a saddle, where nothing tells them apart; give "
                                "them different means in init",
                                c + 1));
                break;
            }
        if (best.spurious == 0) return;
        if (best.is_spurious)
            run.note(
                "a component has no width in some direction (it shrank onto few rows, or columns depend on each other), so its variance is "
                "held at the bound set by regularise. Fewer components or a simpler covariance would fit these data better");
        else
            run.note(fmt::format("{} ended with a component that had shrunk onto few rows, and {} discarded",
                                 counted(best.spurious, "start"), best.spurious == 1 ? "was" : "were"));
    }

    GaussianMixtureOptions options_;
};

}  // namespace

LearnerPtr make_gaussian_mixture(GaussianMixtureOptions options) {
    if (options.sd) options.kind = CovarianceKind::spherical;
    return std::make_shared<const GaussianMixtureLearner>(std::move(options));
}

std::string_view covariance_name(CovarianceKind kind) {
    switch (kind) {
        case CovarianceKind::full:
            return "full";
        case CovarianceKind::diagonal:
            return "diagonal";
        case CovarianceKind::spherical:
            return "spherical";
        case CovarianceKind::tied:
            return "tied";
    }
    return {};
}

std::optional<CovarianceKind> covariance_kind(std::string_view name) {
    for (const auto kind : {CovarianceKind::full, CovarianceKind::diagonal, CovarianceKind::spherical, CovarianceKind::tied})
        if (covariance_name(kind) == name) return kind;
    return std::nullopt;
}

}  // namespace credence::rt
