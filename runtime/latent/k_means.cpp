// k-means as a learner and its model: the nearest centre of a row.

#include "runtime/latent/k_means.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/latent/numeric_rows.hpp"
#include "runtime/prob/learning/block_sample.hpp"
#include "runtime/prob/learning/block_training.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

std::string point_text(std::span<const double> point) {
    std::string out;
    for (const double x : point) out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", x);
    return point.size() == 1 ? out : "(" + out + ")";
}

class KMeansClassifier final : public KMeansModel {
public:
    KMeansClassifier(Schema schema, std::size_t rows, KMeansFit fit) : KMeansModel(std::move(schema), rows), fit_(std::move(fit)) {}
    const KMeansFit& fit() const override { return fit_; }
    std::string_view kind() const override { return "k_means"; }
    ModelParts parts() const override {
        PartTable clusters;
        clusters.names("cluster", numbered(fit_.centers.rows)).numbers("rows", fit_.sizes);
        for (std::size_t c = 0; c < fit_.centers.columns; ++c) {
            std::vector<double> column;
            for (std::size_t r = 0; r < fit_.centers.rows; ++r) column.push_back(fit_.centers(r, c));
            clusters.numbers(schema_.features[c].name, column);
        }
        return {std::move(clusters).part("clusters"), figure("inertia", fit_.inertia()), count_part("rows", rows_seen_),
                count_part("iterations", fit_.history.size(), true)};
    }

    Status probabilities(const TableView& rows, std::span<double> out, Run&) const override {
        const std::size_t k = fit_.centers.rows;
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t i = 0; i < rows.size(); ++i) out[i * k + nearest(rows, rows.row(i), nullptr)] = 1;
        return Done{};
    }
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run&) const override {
        std::vector<Rational> out(fit_.centers.rows, Rational(0));
        out[nearest(rows, rows.row(0), nullptr)] = Rational(1);
        return out;
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override {
        DerivationWriter out;
        out.formula("the cluster of x is that of the nearest centre");
        std::vector<double> squares;
        const std::size_t best = nearest(rows, rows.row(0), &squares);
        for (std::size_t c = 0; c < squares.size(); ++c)
            out.note(fmt::format("cluster {}, centre {}: distance {:.6g}{}", c + 1, point_text(fit_.centers.row(c)), std::sqrt(squares[c]),
                                 c == best ? ", the nearest" : ""));
        return std::move(out).take();
    }
    Result<Json> save() const override {
        return Json{{"schema", saved(schema_)},
                    {"rows", rows_seen_},
                    {"centers", saved(fit_.centers)},
                    {"sizes", saved(std::span<const double>(fit_.sizes))},
                    {"history", saved(std::span<const double>(fit_.history))}};
    }

private:
    std::size_t nearest(const TableView& rows, std::size_t row, std::vector<double>* squares) const {
        std::size_t best = 0;
        double least = INFINITY;
        for (std::size_t c = 0; c < fit_.centers.rows; ++c) {
            double sum = 0;
            for (std::size_t j = 0; j < fit_.centers.columns; ++j) {
                const double gap = rows.table->columns[j]->values[row] - fit_.centers(c, j);
                sum += gap * gap;
            }
            if (squares) squares->push_back(sum);
            if (sum < least) {
                least = sum;
                best = c;
            }
        }
        return best;
    }
    KMeansFit fit_;
};

class KMeans final : public Learner, public LearnsFromBlocks {
public:
    explicit KMeans(KMeansSettings settings) : settings_(std::move(settings)) {}
    std::string_view name() const override { return "k_means"; }
    TargetKind target() const override { return TargetKind::none; }

    Result<ModelPtr> fit(const TableView& view, std::span<const double> weights, Run& run) const override {
        auto rows = TRY(numeric_rows(view, weights, "k_means", "cluster", settings_.k, run));
        auto best = TRY(search(gaussian_rows(rows.values, rows.weights, CovarianceKind::spherical), run));
        if (best.converged) centre_exactly(rows, best);
        number_clusters(best);
        if (!best.converged && run.note)
            run.note(fmt::format("k_means stopped after {} iterations before it converged", settings_.iterations));
        const std::size_t n = rows.values.rows;
        return ModelPtr(std::make_shared<const KMeansClassifier>(std::move(rows.schema), n, std::move(best)));
    }

    /// The starts are tried on some of the rows; passes over all rows go on from the best of them.
    Result<ModelPtr> fit_blocks(const RowBlocks& blocks, Run& run) const override {
        constexpr std::size_t tried_on = 20'000;
        const auto some = TRY(sampled_numbers(blocks, tried_on, "cluster", run));
        auto rows = TRY(numeric_rows({.table = some.get(), .rows = {}}, {}, "k_means", "cluster", settings_.k, run));
        const GaussianRows points = gaussian_rows(rows.values, {}, CovarianceKind::spherical);
        const KMeansFit tried = TRY(search(points, run));
        const std::size_t d = points.dims;
        const double unit = points.scale[0] * points.scale[0];
        const auto columns = number_columns(blocks.head(), "cluster");
        std::vector<double> centres;
        for (std::size_t i = 0; i < tried.centers.values.size(); ++i)
            centres.push_back((tried.centers.values[i] - points.centre[i % d]) / points.scale[i % d]);
        KMeansFit best;
        for (std::size_t i = 0; i < settings_.iterations && !best.converged; ++i) {
            const std::vector<double> before = centres;
            const auto add = [&](LloydSums& sums, const Table& block, std::size_t first) -> Status {
                const Matrix numbers = TRY(numbers_of(block, columns, first));
                if (numbers.rows > 0) sums.add(lloyd_sums(scaled_alike(numbers, points), before, run));
                return Done{};
            };
            const auto parts = TRY(pass(blocks, {}, LloydSums{}, run, add));
            LloydSums all;
            for (const auto& part : parts) all.add(part);
            move_centres(all, centres);
            best.sizes = all.sizes;
            best.converged = centres == before || (i > 0 && !(all.inertia * unit < best.history.back()));
            best.history.push_back(all.inertia * unit);
        }
        best.centers = Matrix(settings_.k, d);
        for (std::size_t i = 0; i < centres.size(); ++i) best.centers.values[i] = centres[i] * points.scale[i % d] + points.centre[i % d];
        number_clusters(best);
        const auto used = static_cast<std::size_t>(std::accumulate(best.sizes.begin(), best.sizes.end(), 0.0));
        const std::size_t gaps = blocks.rows() - used;
        if (gaps > 0 && run.note)
            run.note(fmt::format("{} with a missing cell {} left out", counted(gaps, "row"), gaps == 1 ? "was" : "were"));
        if (!best.converged && run.note)
            run.note(fmt::format("k_means stopped after {} iterations before it converged", settings_.iterations));
        return ModelPtr(std::make_shared<const KMeansClassifier>(std::move(rows.schema), used, std::move(best)));
    }

    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        const auto& fit = dynamic_cast<const KMeansModel&>(fitted).fit();
        DerivationWriter out;
        out.formula("inertia = sum over rows of the squared distance to the nearest centre");
        out.note("each row goes to its nearest centre, each centre to the mean of its rows, until nothing moves:");
        for (std::size_t i = 0; i < fit.history.size(); ++i) out.note(fmt::format("iteration {}: inertia {:.6g}", i + 1, fit.history[i]));
        for (std::size_t c = 0; c < fit.centers.rows; ++c)
            out.note(fmt::format("cluster {}: centre {}, {:.6g} rows", c + 1, point_text(fit.centers.row(c)), fit.sizes[c]));
        return std::move(out).take();
    }

private:
    Result<KMeansFit> search(const GaussianRows& points, Run& run) const {
        const std::size_t d = points.dims;
        if (settings_.init && settings_.init->columns != d)
            return Fault{
                .code = "E-PARAMETER",
                .message = fmt::format("init gives centres of {} numbers, and the table has {} columns", settings_.init->columns, d)};
        const double unit = points.scale[0] * points.scale[0];
        KMeansFit best;
        for (std::size_t r = 0; r < (settings_.init ? 1 : settings_.restarts); ++r) {
            Rng rng = run.rng.child("k_means").child(r);
            std::vector<double> centres;
            if (settings_.init)
                for (std::size_t c = 0; c < settings_.k; ++c)
                    for (std::size_t j = 0; j < d; ++j) centres.push_back(((*settings_.init)(c, j) - points.centre[j]) / points.scale[j]);
            else
                centres = spread_seeds(points, settings_.k, rng);
            KMeansFit now;
            for (std::size_t i = 0; i < settings_.iterations; ++i) {
                if (run.stopped()) return stopped_fault();
                const std::vector<double> before = centres;
                const double inertia = lloyd_pass(points, centres, now.sizes, run) * unit;
                now.history.push_back(inertia);
                now.converged = centres == before || (i > 0 && !(inertia < now.history[i - 1]));
                if (now.converged) break;
            }
            if (r > 0 && !(now.history.back() < best.inertia())) continue;
            now.centers = Matrix(settings_.k, d);
            for (std::size_t c = 0; c < settings_.k; ++c)
                for (std::size_t j = 0; j < d; ++j) now.centers(c, j) = centres[c * d + j] * points.scale[j] + points.centre[j];
            best = std::move(now);
        }
        return best;
    }

    /// Numbers of clusters that were drawn mean nothing: they follow the first column.
    void number_clusters(KMeansFit& best) const {
        if (settings_.init) return;
        const auto order = ascending_rows(best.centers);
        const KMeansFit drawn = best;
        for (std::size_t c = 0; c < order.size(); ++c) {
            std::copy(drawn.centers.row(order[c]).begin(), drawn.centers.row(order[c]).end(), best.centers.row(c).begin());
            best.sizes[c] = drawn.sizes[order[c]];
        }
    }
    /// The means once more, from the rows as they are: scaling leaves no trace of rounding in them.
    static void centre_exactly(const NumericRows& rows, KMeansFit& fit) {
        const std::size_t d = rows.values.columns;
        const std::size_t k = fit.centers.rows;
        Matrix sums(k, d);
        std::vector<double> sizes(k, 0.0);
        for (std::size_t i = 0; i < rows.values.rows; ++i) {
            std::size_t own = 0;
            double least = INFINITY;
            for (std::size_t c = 0; c < k; ++c) {
                double square = 0;
                for (std::size_t j = 0; j < d; ++j)
                    square += (rows.values(i, j) - fit.centers(c, j)) * (rows.values(i, j) - fit.centers(c, j));
                if (square < least) {
                    least = square;
                    own = c;
                }
            }
            const double w = rows.weights.empty() ? 1.0 : rows.weights[i];
            sizes[own] += w;
            for (std::size_t j = 0; j < d; ++j) sums(own, j) += w * rows.values(i, j);
        }
        if (sizes != fit.sizes) return;  // a row as near to one as to the other
        for (std::size_t c = 0; c < k; ++c)
            for (std::size_t j = 0; j < d; ++j)
                if (sizes[c] > 0 && std::isfinite(sums(c, j))) fit.centers(c, j) = sums(c, j) / sizes[c];
    }

    KMeansSettings settings_;
};

}  // namespace

LearnerPtr make_k_means(KMeansSettings settings) { return std::make_shared<const KMeans>(std::move(settings)); }

Result<ModelPtr> load_k_means(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    KMeansFit fit;
    fit.centers = TRY(read_matrix(json, "centers"));
    fit.sizes = TRY(read_reals(json, "sizes"));
    fit.history = TRY(read_reals(json, "history"));
    if (!schema.target.domain || fit.centers.rows != schema.target.domain->size() || fit.centers.columns != schema.features.size() ||
        fit.sizes.size() != fit.centers.rows || fit.history.empty())
        return damaged("the centres do not fit the columns");
    fit.converged = true;
    return ModelPtr(std::make_shared<const KMeansClassifier>(std::move(schema), rows, std::move(fit)));
}

}  // namespace credence::rt
