// Mixtures of normals: a step equals the textbook's formulas in plain loops, and the ends equal scikit-learn's.

#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/latent/gaussian_mixture.hpp"
#include "runtime/latent/k_means.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

namespace {

const std::vector<std::vector<double>> twelve = {{1, 2},     {1.5, 1.8}, {2, 2.9},   {.7, .9},   {3.6, 2.4}, {4.1, 4.7},
                                                 {5.2, 3.8}, {4.8, 5.5}, {2.6, 4.4}, {6.1, 4.9}, {3.4, 3.9}, {5.7, 6.2}};

TablePtr table_of(const std::vector<std::vector<double>>& rows) {
    auto out = std::make_shared<Table>();
    out->row_count = rows.size();
    for (std::size_t j = 0; j < rows[0].size(); ++j) {
        auto column = std::make_shared<Column>();
        column->name = std::string(1, static_cast<char>('a' + j));
        column->kind = ColumnKind::numeric;
        for (const auto& row : rows) column->values.push_back(row[j]);
        out->columns.push_back(column);
    }
    return out;
}

Matrix matrix_of(const std::vector<std::vector<double>>& rows) {
    Matrix out(rows.size(), rows[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows[i].size(); ++j) out(i, j) = rows[i][j];
    return out;
}

GaussianMixture fitted(const GaussianMixtureOptions& options, unsigned threads = 1, std::span<const double> weights = {},
                       const std::vector<std::vector<double>>& rows = twelve) {
    Run run;
    run.threads = threads;
    const TablePtr table = table_of(rows);
    auto model = train(*make_gaussian_mixture(options), {.table = table.get(), .rows = {}}, weights, run);
    if (!model) FAIL(model.fault().message);
    return dynamic_cast<const GaussianMixtureModel&>(**model).mixture();
}

std::vector<std::vector<double>> random_rows(std::size_t n, std::size_t d) {
    Rng rng(9);
    std::vector<std::vector<double>> out(n, std::vector<double>(d));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j) out[i][j] = rng.normal() + (i % 2 ? 3.0 : 0.0) + (j > 0 ? 0.5 * out[i][j - 1] : 0);
    return out;
}

}  // namespace

TEST_CASE("a step of EM is what the formulas say", "[gaussian]") {
    constexpr std::size_t n = 150;
    constexpr std::size_t d = 5;
    constexpr std::size_t k = 3;
    const Matrix rows = matrix_of(random_rows(n, d));
    for (const auto kind : {CovarianceKind::full, CovarianceKind::diagonal, CovarianceKind::spherical, CovarianceKind::tied}) {
        INFO(std::string(covariance_name(kind)));
        const GaussianRows points = gaussian_rows(rows, {}, kind);
        const GaussianSettings settings{.k = k, .kind = kind, .weights = {}, .variance = {}, .floor = 1e-9};
        GaussianParameters now;
        now.weights = {0.2, 0.3, 0.5};
        Rng rng(1);
        for (std::size_t i = 0; i < k * d; ++i) now.means.push_back(rng.normal());
        const std::size_t matrices = kind == CovarianceKind::full ? k : 1;
        if (kind == CovarianceKind::full || kind == CovarianceKind::tied) {
            for (std::size_t m = 0; m < matrices; ++m)
                for (std::size_t i = 0; i < d; ++i)
                    for (std::size_t j = 0; j < d; ++j) now.covariances.push_back(i == j ? 1.0 + 0.1 * static_cast<double>(i) : 0.2);
        } else {
            now.covariances.assign(kind == CovarianceKind::diagonal ? k * d : k, 0.7);
        }
        GaussianParameters next;
        Run run;
        const double log = *GaussianProblem(points, settings, now).step(now, next, run);

        // the same in plain loops
        const GaussianFactors f = gaussian_factors(now, k, d, kind);
        std::vector<double> z(n * k);
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t c = 0; c < k; ++c) {
                double square = 0;
                for (std::size_t r = 0; r < d; ++r) {
                    double y = 0;
                    if (kind == CovarianceKind::full || kind == CovarianceKind::tied) {
                        for (std::size_t j = 0; j <= r; ++j)
                            y += f.inverse[c * d * d + r * d + j] * (points.at(i, j) - now.means[c * d + j]);
                    } else {
                        y = f.inverse[c * d + r] * (points.at(i, r) - now.means[c * d + r]);
                    }
                    square += y * y;
                }
                sum += z[i * k + c] = std::exp(f.constant[c] - square / 2);
            }
            for (std::size_t c = 0; c < k; ++c) z[i * k + c] /= sum;
            expected += std::log(sum) - points.log_scale;
        }
        CHECK(log == Approx(expected).epsilon(1e-12));
        std::vector<double> tied(d * d, 0.0);
        for (std::size_t c = 0; c < k; ++c) {
            double count = 0;
            std::vector<double> mean(d, 0.0);
            for (std::size_t i = 0; i < n; ++i) {
                count += z[i * k + c];
                for (std::size_t j = 0; j < d; ++j) mean[j] += z[i * k + c] * points.at(i, j);
            }
            CHECK(next.weights[c] == Approx(count / n).epsilon(1e-12));
            std::vector<double> covariance(d * d, 0.0);
            for (std::size_t j = 0; j < d; ++j) {
                mean[j] /= count;
                CHECK(next.means[c * d + j] == Approx(mean[j]).margin(1e-12));
            }
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t a = 0; a < d; ++a)
                    for (std::size_t b = 0; b < d; ++b) {
                        const double v = z[i * k + c] * (points.at(i, a) - mean[a]) * (points.at(i, b) - mean[b]);
                        covariance[a * d + b] += v / count;
                        tied[a * d + b] += v / n;
                    }
            double round = 0;
            for (std::size_t a = 0; a < d; ++a) {
                round += covariance[a * d + a] / d;
                if (kind == CovarianceKind::diagonal) CHECK(next.covariances[c * d + a] == Approx(covariance[a * d + a]).epsilon(1e-11));
            }
            if (kind == CovarianceKind::spherical) CHECK(next.covariances[c] == Approx(round).epsilon(1e-11));
            for (std::size_t i = 0; kind == CovarianceKind::full && i < d * d; ++i)
                CHECK(next.covariances[c * d * d + i] == Approx(covariance[i]).margin(1e-11));
        }
        for (std::size_t i = 0; kind == CovarianceKind::tied && i < d * d; ++i) CHECK(next.covariances[i] == Approx(tied[i]).margin(1e-11));
    }
}

TEST_CASE("the ends are those of scikit-learn", "[gaussian]") {
    // GaussianMixture(2, reg_covar=0, tol=0, max_iter=3000) from means (1, 1) and (5, 5), variances of the data, equal weights.
    const struct {
        CovarianceKind kind;
        double log;
        double mean;
        double weight;
    } peers[] = {{CovarianceKind::full, -34.64218086129611, 1.29447738, 0.32613434},
                 {CovarianceKind::tied, -37.61706262013856, 1.81211065, 0.41794866},
                 {CovarianceKind::diagonal, -39.65877751488748, 1.72867279, 0.40848725},
                 {CovarianceKind::spherical, -39.244231659127585, 1.25664408, 0.31318404}};
    for (const auto& peer : peers) {
        INFO(std::string(covariance_name(peer.kind)));
        GaussianMixtureOptions options;
        options.kind = peer.kind;
        options.iterations = 3000;
        options.tolerance = 0;
        options.init = GaussianStart{matrix_of({{1, 1}, {5, 5}}), {}, {}};
        const GaussianMixture m = fitted(options);
        CHECK(m.log_likelihood() == Approx(peer.log).epsilon(1e-9));
        CHECK(m.means(0, 0) == Approx(peer.mean).epsilon(1e-6));
        CHECK(m.weights[0] == Approx(peer.weight).epsilon(1e-6));
        for (std::size_t i = 1; i < m.history.size(); ++i) CHECK(m.history[i] >= m.history[i - 1] - 1e-9 * std::abs(m.history[i]));
    }
}

TEST_CASE("threads, scales and weights of rows change nothing", "[gaussian]") {
    const auto rows = random_rows(20'000, 3);
    GaussianMixtureOptions options;
    options.restarts = 2;
    const GaussianMixture one = fitted(options, 1, {}, rows);
    const GaussianMixture two = fitted(options, 2, {}, rows);
    CHECK(one.history == two.history);
    CHECK(one.means.values == two.means.values);
    auto far = twelve;
    for (auto& row : far) {
        row[0] = row[0] * 1e6 + 1e9;
        row[1] *= 1e-6;
    }
    const GaussianMixture near = fitted(options);
    const GaussianMixture moved = fitted(options, 1, {}, far);
    CHECK(moved.log_likelihood() == Approx(near.log_likelihood()).epsilon(1e-6));
    auto doubled = twelve;
    doubled.insert(doubled.end(), twelve.begin(), twelve.end());
    const std::vector<double> weights(12, 2.0);
    options.init = GaussianStart{matrix_of({{1, 1}, {5, 5}}), {}, {}};
    CHECK(fitted(options, 1, weights).log_likelihood() == Approx(fitted(options, 1, {}, doubled).log_likelihood()).epsilon(1e-9));
}

TEST_CASE("a known spread and known weights stay", "[gaussian]") {
    GaussianMixtureOptions options;
    options.sd = 0.5;
    options.weights = std::vector<double>{0.25, 0.75};
    const GaussianMixture m = fitted(options);
    CHECK(m.weights == std::vector<double>{0.25, 0.75});
    for (const auto& c : m.covariances) {
        CHECK(c(0, 0) == Approx(0.25));
        CHECK(c(0, 1) == 0);
    }
    CHECK(m.free_parameters == 4);
}

TEST_CASE("k-means ends where scikit-learn's does", "[gaussian]") {
    Run run;
    const TablePtr table = table_of(twelve);
    auto model = train(*make_k_means({.k = 2, .restarts = 10, .iterations = 300, .init = {}}), {.table = table.get(), .rows = {}}, {}, run);
    REQUIRE(model);
    const auto& fit = dynamic_cast<const KMeansModel&>(**model).fit();
    CHECK(fit.inertia() == Approx(21.403428571428574).epsilon(1e-12));
    CHECK(fit.centers(0, 0) == Approx(1.76).epsilon(1e-12));
    CHECK(fit.centers(1, 1) == Approx(4.77142857142857).epsilon(1e-12));
    for (std::size_t i = 1; i < fit.history.size(); ++i) CHECK(fit.history[i] <= fit.history[i - 1]);
    // No assignment of the twelve to two clusters is better: all 2^11 of them.
    double least = 1e300;
    for (unsigned mask = 1; mask < 1U << 11U; ++mask) {
        double inertia = 0;
        for (const unsigned side : {0U, 1U}) {
            double n = 0, a = 0, b = 0, squares = 0;
            for (unsigned i = 0; i < 12; ++i) {
                if ((i == 11 ? 0U : (mask >> i & 1U)) != side) continue;
                ++n;
                a += twelve[i][0];
                b += twelve[i][1];
                squares += twelve[i][0] * twelve[i][0] + twelve[i][1] * twelve[i][1];
            }
            if (n > 0) inertia += squares - (a * a + b * b) / n;
        }
        least = std::min(least, inertia);
    }
    CHECK(fit.inertia() == Approx(least).epsilon(1e-9));
}
