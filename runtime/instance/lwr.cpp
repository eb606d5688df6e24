#include "runtime/instance/lwr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/instance/bounded_kernels.hpp"
#include "runtime/instance/coordinates.hpp"
#include "runtime/instance/index.hpp"
#include "runtime/prob/learning/filled_rows.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_gradient_steps = 100'000;

/// The rows that count for a query: their weights, at most 1, and the regression's design about the query.
struct LocalRows {
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;  ///< relative to the largest
    double bandwidth = 0;
};

std::string kernel_text(const LocalKernel& kernel) {
    const auto of_width = [&](std::string_view name) {
        return kernel.width ? fmt::format("{}({:.6g})", name, *kernel.width) : std::string(name);
    };
    switch (kernel.kind) {
        case LocalKernel::Kind::none:
            return "none";
        case LocalKernel::Kind::gaussian:
            return of_width("gaussian");
        case LocalKernel::Kind::tricube:
            return of_width("tricube");
        case LocalKernel::Kind::epanechnikov:
            return of_width("epanechnikov");
        case LocalKernel::Kind::inverse_square:
            return "inverse_square";
        case LocalKernel::Kind::function:
            return "a function";
    }
    return {};
}

class LocalModel final : public Regressor {
public:
    LocalModel(TablePtr data, std::vector<double> weights, Coordinates coordinates, NeighbourIndex index, LwrOptions options)
        : Regressor(schema_with_fills({.table = data.get(), .rows = {}}, weights), data->row_count),
          data_(std::move(data)),
          row_weights_(std::move(weights)),
          coordinates_(std::move(coordinates)),
          index_(std::move(index)),
          options_(std::move(options)) {
        x_ = coordinates_.raw({.table = data_.get(), .rows = {}});
        if (options_.default_k) {
            options_.k.reset();
            const bool by_neighbour = !options_.kernel.width && (options_.kernel.kind == LocalKernel::Kind::tricube ||
                                                                 options_.kernel.kind == LocalKernel::Kind::epanechnikov);
            double rows = static_cast<double>(data_->row_count);
            if (!row_weights_.empty()) rows = std::accumulate(row_weights_.begin(), row_weights_.end(), 0.0);
            if (by_neighbour)
                options_.k = static_cast<std::size_t>(std::max(rows * 2 / 3 + 1e-7, std::min(rows, static_cast<double>(x_.columns + 3))));
            if (options_.k == 0) options_.k = 1;
        }
    }
    std::string_view kind() const override { return "lwr"; }
    ModelParts parts() const override {
        ModelParts out{words_part("kernel", kernel_text(options_.kernel))};
        if (options_.k) out.push_back(count_part("k", *options_.k));
        out.push_back(count_part("degree", options_.degree));
        out.push_back(words_part("scale", std::string(name_of(options_.scaling))));
        out.push_back(count_part("rows", rows_seen_));
        return out;
    }

    Status predict(const TableView& rows, std::span<double> out, Run& run) const override {
        const Matrix raw = coordinates_.raw(rows);
        const std::size_t m = neighbours();
        const auto found = index_.nearest(coordinates_.scaled(raw), m, run);
        if (run.stopped()) return stopped_fault();
        constexpr std::size_t chunk = 64;
        std::vector<std::optional<Fault>> faults((rows.size() + chunk - 1) / chunk);
        const unsigned threads = options_.kernel.kind == LocalKernel::Kind::function ? 1 : run.threads;
        parallel_chunks(rows.size(), chunk, threads, [&](std::size_t i, std::size_t begin, std::size_t end) {
            for (std::size_t q = begin; q < end; ++q) {
                auto value = value_at(raw.row(q), std::span(found).subspan(q * m, m));
                if (!value) {
                    faults[i] = std::move(value).fault();
                    return;
                }
                out[q] = *value;
            }
        });
        for (auto& f : faults)
            if (f) return *std::move(f);
        return Done{};
    }
    Result<DistributionPtr> distribution(const TableView& rows, Run& run) const override {
        auto fit = TRY(fit_at(rows, run));
        if (!fit.sigma || !(*fit.sigma > 0))
            return Fault{
                .code = "E-QUERY",
                .message = fmt::format("the rows around this query show no noise in {}, so the spread is unknown", schema_.target.name),
                .hint = "predict(model, …) gives the number"};
        return make_normal(Number::real(fit.value), Number::real(std::hypot(*fit.sigma, *fit.standard_error)));
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override {
        auto fit = TRY(fit_at(rows, run));
        DerivationWriter out;
        out.note(fmt::format("{} of {} rows have weight around this query{}, the nearest first; weights relative to the largest:", fit.rows,
                             data_->row_count, fit.bandwidth > 0 ? fmt::format(" (bandwidth {:.6g})", fit.bandwidth) : ""));
        const auto found = index_.nearest(coordinates_.scaled(coordinates_.raw(rows)), neighbours(), run);
        auto local = TRY(weighted(found));
        for (std::size_t i = 0; i < local.rows.size(); ++i) {
            const auto at = std::find_if(found.begin(), found.end(), [&](const Neighbour& n) { return n.row == local.rows[i]; });
            out.note(fmt::format("  row {}: distance {:.6g}, {} {:.6g}, weight {:.6g}", local.rows[i] + 1, at->distance,
                                 schema_.target.name, data_->columns.back()->values[local.rows[i]], local.weights[i]));
        }
        if (options_.rate) TRY(tell_descent(local, out));
        out.note(options_.rate ? "The line that the descent ends with:" : "The weighted least squares of these rows:");
        std::string names = schema_.target.name + " =";
        std::vector<Parts> terms;
        const Matrix raw = coordinates_.raw(rows);
        for (std::size_t i = 0; i < fit.coefficients.size(); ++i) {
            const auto& [name, b] = fit.coefficients[i];
            names += i == 0 ? fmt::format(" {:.6g}", b) : fmt::format(" + {:.6g} {}", b, name);
            Parts term = operand(Number::real(b));
            if (i > 0) append(term, {std::string(" * "), Number::real(term_value(i, raw.row(0)))});
            terms.push_back(std::move(term));
        }
        out.formula(names);
        if (terms.size() <= longest_sum) out.begin(joined(terms, " + "));
        if (terms.size() <= longest_sum) out.result(Number::real(fit.value));
        if (fit.standard_error) out.note(fmt::format("standard error {:.6g}", *fit.standard_error));
        return std::move(out).take();
    }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto table = TRY(with_more_rows(*data_, rows));
        const auto all = with_more_weights(row_weights_, data_->row_count, weights, rows.size());
        return train(*make_lwr(options_), {.table = table.get(), .rows = {}}, all, run);
    }
    Result<Json> save() const override {
        if (options_.kernel.kind == LocalKernel::Kind::function)
            return Fault{.code = "E-FILE", .message = "a kernel that is a function of the script cannot be saved"};
        return Json{{"data", saved(*data_)},
                    {"robustness", saved(std::span<const double>(robust_))},
                    {"given", saved(std::span<const double>(row_weights_))},
                    {"kernel", static_cast<int>(options_.kernel.kind)},
                    {"width", options_.kernel.width.value_or(0)},
                    {"k", options_.k.value_or(0)},
                    {"usual", options_.default_k},
                    {"degree", options_.degree},
                    {"rate", options_.rate.value_or(0)},
                    {"robust", options_.robust},
                    {"scale", name_of(options_.scaling)}};
    }

    Result<LocalFit> fit_at(const TableView& row, Run& run) const;
    /// Lowess (Cleveland 1979): bisquare weights of the residuals at six times their median.
    Status make_robust(Run& run) {
        const TableView all{.table = data_.get(), .rows = {}};
        const std::size_t n = data_->row_count;
        const auto& y = data_->columns.back()->values;
        std::vector<double> fitted(n);
        for (std::size_t pass = 0; pass < options_.robust; ++pass) {
            Status done = predict(all, fitted, run);
            if (!done) return done;
            std::vector<double> sizes(n);
            double total = 0;
            for (std::size_t i = 0; i < n; ++i) total += sizes[i] = std::abs(y[i] - fitted[i]);
            std::vector<double> sorted = sizes;
            std::sort(sorted.begin(), sorted.end());
            const double six = n % 2 == 1 ? 6 * sorted[n / 2] : 3 * (sorted[n / 2 - 1] + sorted[n / 2]);
            if (six < 1e-7 * total / static_cast<double>(n)) break;
            robust_.assign(n, 0.0);
            for (std::size_t i = 0; i < n; ++i) {
                const double u = sizes[i] / six;
                robust_[i] = u <= 0.001 ? 1 : u <= 0.999 ? (1 - u * u) * (1 - u * u) : 0;
            }
        }
        return Done{};
    }
    void set_robust(std::vector<double> robust) { robust_ = std::move(robust); }

private:
    /// How many rows hold a weight of k.
    std::size_t neighbours() const {
        const std::size_t n = data_->row_count;
        if (!options_.k) return n;
        if (row_weights_.empty()) return std::min(*options_.k, n);
        const double least = *std::min_element(row_weights_.begin(), row_weights_.end());
        return static_cast<std::size_t>(std::min(static_cast<double>(n), std::ceil(static_cast<double>(*options_.k) / least)));
    }
    Result<LocalRows> weighted(std::span<const Neighbour> found) const;
    std::vector<double> center_of(const LocalRows& local) const;
    std::vector<double> terms_at(std::span<const double> point, std::span<const double> center) const;
    Matrix design(std::span<const double> center, const LocalRows& local) const;
    Result<std::vector<double>> descend(const Matrix& a, std::span<const double> y, DerivationWriter* told = nullptr) const;
    /// The first steps of the descent for a query, number by number.
    Status tell_descent(const LocalRows& local, DerivationWriter& out) const;
    Result<double> value_at(std::span<const double> query, std::span<const Neighbour> found) const;
    std::vector<double> scaled_target(const LocalRows& local) const {
        std::vector<double> out;
        for (std::size_t i = 0; i < local.rows.size(); ++i)
            out.push_back(std::sqrt(local.weights[i]) * data_->columns.back()->values[local.rows[i]]);
        return out;
    }
    std::size_t term_count() const {
        const std::size_t d = x_.columns;
        return options_.degree == 0 ? 1 : options_.degree == 1 ? 1 + d : 1 + d + d * (d + 1) / 2;
    }
    /// The i-th term of the regression at a point.
    double term_value(std::size_t i, std::span<const double> at) const {
        const std::size_t d = x_.columns;
        if (i == 0) return 1;
        if (i <= d) return at[i - 1];
        std::size_t k = 1 + d;
        for (std::size_t a = 0; a < d; ++a)
            for (std::size_t b = a; b < d; ++b, ++k)
                if (k == i) return at[a] * at[b];
        return 0;
    }

    TablePtr data_;
    std::vector<double> row_weights_;  ///< a row of weight w stands for w rows; empty: all 1
    std::vector<double> robust_;       ///< what residuals leave of each row; empty: all of it
    Coordinates coordinates_;
    NeighbourIndex index_;
    LwrOptions options_;
    Matrix x_;
};

Result<LocalRows> LocalModel::weighted(std::span<const Neighbour> found) const {
    LocalRows out;
    const LocalKernel& kernel = options_.kernel;
    // Towards k a row counts with its weight, the last one with what is left.
    std::vector<double> counts;
    double left = options_.k ? static_cast<double>(*options_.k) : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < found.size() && left > 0; ++i) {
        counts.push_back(std::min(left, row_weights_.empty() ? 1.0 : row_weights_[found[i].row]));
        left -= counts.back();
    }
    found = found.first(counts.size());
    const double nearest = found.front().distance;
    const bool bounded = kernel.kind == LocalKernel::Kind::tricube || kernel.kind == LocalKernel::Kind::epanechnikov;
    const double h = bounded ? kernel.width.value_or(found.back().distance) : kernel.width.value_or(0);
    out.bandwidth = h;
    // Where the k-th neighbour sets the width and none is nearer, all count equally.
    const bool ring = bounded && !kernel.width && nearest > 0.999 * h;
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Neighbour& n = found[i];
        double w = 1;
        switch (ring ? LocalKernel::Kind::none : kernel.kind) {
            case LocalKernel::Kind::none:
                break;
            case LocalKernel::Kind::inverse_square:  // relative to the nearest; a stored row is met exactly
                w = nearest > 0 ? nearest * nearest / (n.distance * n.distance) : n.distance > 0 ? 0 : 1;
                break;
            case LocalKernel::Kind::gaussian:  // relative to the nearest, so that it cannot underflow
                w = std::exp(-(n.distance - nearest) * (n.distance + nearest) / (2 * h * h));
                break;
            case LocalKernel::Kind::tricube:
                w = tricube_weight(h > 0 ? n.distance / h : 0);
                break;
            case LocalKernel::Kind::epanechnikov:
                w = epanechnikov_weight(h > 0 ? n.distance / h : 0);
                break;
            case LocalKernel::Kind::function: {
                auto given = TRY(kernel.function(n.distance));
                if (!std::isfinite(given) || given < 0)
                    return Fault{.code = "E-PARAMETER",
                                 .message = fmt::format("the kernel at distance {:.6g} is {:.6g}: weights are numbers, 0 or more",
                                                        n.distance, given)};
                w = given;
            }
        }
        w *= counts[i];
        if (!robust_.empty()) w *= robust_[n.row];
        if (!(w > 0)) continue;
        out.rows.push_back(n.row);
        out.weights.push_back(w);
        largest = std::max(largest, w);
    }
    if (out.rows.empty())
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("no row has weight around this query (the nearest is {:.6g} away)", nearest),
                     .hint = bounded && !kernel.width ? "use more neighbours: k" : "use a wider kernel, or gaussian(s)"};
    for (double& w : out.weights) w /= largest;
    return out;
}

/// The weighted mean of the rows. Terms are taken about it, so that what the rows leave undetermined is a slope of 0 and not less height.
std::vector<double> LocalModel::center_of(const LocalRows& local) const {
    std::vector<double> out(x_.columns, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < local.rows.size(); ++i) {
        total += local.weights[i];
        for (std::size_t a = 0; a < out.size(); ++a) out[a] += local.weights[i] * x_(local.rows[i], a);
    }
    for (double& c : out) c /= total;
    return out;
}

/// The terms at a point, about the centre.
std::vector<double> LocalModel::terms_at(std::span<const double> point, std::span<const double> center) const {
    std::vector<double> away(point.begin(), point.end());
    for (std::size_t a = 0; a < away.size(); ++a) away[a] -= center[a];
    std::vector<double> out(term_count());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = term_value(i, away);
    return out;
}

/// Rows × terms about the centre, times the root of the weight.
Matrix LocalModel::design(std::span<const double> center, const LocalRows& local) const {
    const std::size_t d = x_.columns;
    Matrix out(local.rows.size(), term_count());
    for (std::size_t i = 0; i < out.rows; ++i) {
        const double root = std::sqrt(local.weights[i]);
        const auto x = x_.row(local.rows[i]);
        auto to = out.row(i);
        to[0] = root;
        if (options_.degree == 0) continue;
        for (std::size_t a = 0; a < d; ++a) to[1 + a] = root * (x[a] - center[a]);
        std::size_t k = 1 + d;
        for (std::size_t a = 0; options_.degree == 2 && a < d; ++a)
            for (std::size_t b = a; b < d; ++b) to[k++] = root * (x[a] - center[a]) * (x[b] - center[b]);
    }
    return out;
}

std::string coefficients_text(std::span<const double> beta) {
    std::string out;
    for (const double b : beta) out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", b);
    return out;
}

/// Δβ = η Σ K(d) (y − β·x) x (Mitchell 1997, eq. 8.7), from zeros until nothing moves.
Result<std::vector<double>> LocalModel::descend(const Matrix& a, std::span<const double> y, DerivationWriter* told) const {
    constexpr std::size_t steps_written = 2;
    constexpr std::size_t steps_told = 6;
    std::vector<double> beta(a.columns, 0.0);
    std::vector<double> gradient(a.columns);
    std::size_t steps = 0;
    for (std::size_t step = 0; step < most_gradient_steps; ++step) {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        const bool written = told && step < steps_written && a.rows <= longest_sum && a.columns <= longest_sum;
        std::vector<Parts> sums(written ? a.columns : 0);
        for (std::size_t i = 0; i < a.rows; ++i) {
            double e = y[i];
            for (std::size_t c = 0; c < a.columns; ++c) e -= a(i, c) * beta[c];
            for (std::size_t c = 0; c < a.columns; ++c) gradient[c] += e * a(i, c);
            const double root = a(i, 0);  // of the weight: the first term is 1
            for (std::size_t c = 0; c < sums.size(); ++c)
                append(sums[c], {i == 0 ? "" : " + ", Number::real(root * root), " * ", Number::real(e / root), " * ",
                                 Number::real(a(i, c) / root)});
        }
        double moved = 0;
        double size = 1;
        for (std::size_t c = 0; c < a.columns; ++c) {
            const double change = *options_.rate * gradient[c];
            if (written) {
                Parts line{Number::real(beta[c]), " + ", Number::real(*options_.rate), " * ("};
                append(line, sums[c]);
                append(line, {")"});
                told->note(fmt::format("step {}, coefficient {}:", step + 1, c));
                told->begin(std::move(line));
                told->result(Number::real(beta[c] + change));
            }
            beta[c] += change;
            moved = std::max(moved, std::abs(change));
            size = std::max(size, std::abs(beta[c]));
        }
        if (!std::isfinite(size) || size > 1e100)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("gradient descent with rate {:.6g} diverges", *options_.rate),
                         .hint = "use a smaller rate, or method: direct"};
        steps = step + 1;
        if (told && !written && step < steps_told) told->note(fmt::format("step {}: {}", steps, coefficients_text(beta)));
        if (moved < 1e-13 * size) break;
    }
    if (told) told->note(fmt::format("after {}: {}", counted(steps, "step"), coefficients_text(beta)));
    return beta;
}

Status LocalModel::tell_descent(const LocalRows& local, DerivationWriter& out) const {
    const auto center = center_of(local);
    out.formula("b changes by rate * the sum over the rows of K * (y - b . x) * x, K the weight of a row");
    std::string about;
    for (std::size_t c = 0; c < center.size(); ++c)
        about += fmt::format("{}{} - {:.6g}", about.empty() ? "" : ", ", coordinates_.terms()[c].name, center[c]);
    out.note(fmt::format("x is 1, then {}{}; the descent starts at zeros", about, options_.degree == 2 ? ", then their products" : ""));
    TRY(descend(design(center, local), scaled_target(local), &out));
    return Done{};
}

Result<double> LocalModel::value_at(std::span<const double> query, std::span<const Neighbour> found) const {
    auto local = TRY(weighted(found));
    const auto center = center_of(local);
    const Matrix a = design(center, local);
    const auto y = scaled_target(local);
    const auto beta = TRY(options_.rate ? descend(a, y) : minimum_norm_least_squares(a, y));
    const auto terms = terms_at(query, center);
    return std::inner_product(terms.begin(), terms.end(), beta.begin(), 0.0);
}

Result<LocalFit> LocalModel::fit_at(const TableView& row, Run& run) const {
    const Matrix raw = coordinates_.raw(row);
    const auto query = raw.row(0);
    const auto found = index_.nearest(coordinates_.scaled(raw), neighbours(), run);
    auto local = TRY(weighted(found));
    const auto center = center_of(local);
    const Matrix a = design(center, local);
    const auto y = scaled_target(local);
    const auto beta = TRY(options_.rate ? descend(a, y) : minimum_norm_least_squares(a, y));
    LocalFit out;
    const auto at_query = terms_at(query, center);
    out.value = std::inner_product(at_query.begin(), at_query.end(), beta.begin(), 0.0);
    out.rows = local.rows.size();
    out.bandwidth = local.bandwidth;

    // Multiplied out: from differences to the centre to the columns themselves.
    const std::size_t d = x_.columns;
    std::vector<double> own = beta;
    if (options_.degree >= 1)
        for (std::size_t i = 0; i < d; ++i) own[0] -= beta[1 + i] * center[i];
    std::size_t k = 1 + d;
    for (std::size_t i = 0; options_.degree == 2 && i < d; ++i)
        for (std::size_t j = i; j < d; ++j, ++k) {
            own[0] += beta[k] * center[i] * center[j];
            own[1 + i] -= beta[k] * center[j];
            own[1 + j] -= beta[k] * center[i];
        }
    const auto& terms = coordinates_.terms();
    out.coefficients.emplace_back("intercept", own[0]);
    for (std::size_t i = 0; options_.degree >= 1 && i < d; ++i) out.coefficients.emplace_back(terms[i].name, own[1 + i]);
    k = 1 + d;
    for (std::size_t i = 0; options_.degree == 2 && i < d; ++i)
        for (std::size_t j = i; j < d; ++j, ++k)
            out.coefficients.emplace_back(i == j ? terms[i].name + "^2" : terms[i].name + "*" + terms[j].name, own[k]);

    // The value is Σ l y with l the pseudo-inverse at the query; the noise is the weighted residuals over the degrees of freedom that
    // the weights leave: Σ w − Σ w h with h the leverages (Schaal & Atkeson 1994).
    Matrix identity(a.rows, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i) identity(i, i) = 1;
    if (a.rows > 2'000) return out;
    const Matrix inverse = minimum_norm_least_squares(a, identity);
    double squares = 0;
    double freedom = 0;
    double sizes = 0;
    for (std::size_t i = 0; i < a.rows; ++i) {
        double e = y[i];
        double leverage = 0;
        for (std::size_t c = 0; c < a.columns; ++c) {
            e -= a(i, c) * beta[c];
            leverage += a(i, c) * inverse(c, i);
        }
        squares += e * e;
        freedom += local.weights[i] * (1 - leverage);
        double l = 0;
        for (std::size_t c = 0; c < a.columns; ++c) l += at_query[c] * inverse(c, i);
        l *= std::sqrt(local.weights[i]);
        sizes += l * l;
    }
    if (freedom > 1e-9) {
        out.sigma = std::sqrt(squares / freedom);
        out.standard_error = *out.sigma * std::sqrt(sizes);
    }
    return out;
}

Result<std::shared_ptr<LocalModel>> stored_model(const TablePtr& data, std::vector<double> weights, const LwrOptions& options) {
    const TableView view{.table = data.get(), .rows = {}};
    auto coordinates = TRY(Coordinates::fit(schema_of(*data), view, options.scaling, weights));
    auto points = coordinates.scaled(coordinates.raw(view));
    auto index = TRY(NeighbourIndex::build(coordinates.space(), std::move(points), IndexKind::automatic));
    return std::make_shared<LocalModel>(data, std::move(weights), std::move(coordinates), std::move(index), options);
}

class LwrLearner final : public Learner {
public:
    explicit LwrLearner(LwrOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "lwr"; }
    TargetKind target() const override { return TargetKind::number; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        if (rows.table->columns.size() < 2)
            return Fault{.code = "E-TRAIN", .message = "lwr needs a column besides the target to measure distances"};
        auto data = TRY(complete_table(rows, weights, run));
        auto model = TRY(stored_model(data, {weights.begin(), weights.end()}, options_));
        TRY(model->make_robust(run));
        return ModelPtr(std::move(model));
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        DerivationWriter out;
        out.note(fmt::format("{} rows are stored unchanged; each query has its own regression on the rows, weighted by distance.",
                             fitted.predictor()->rows_seen()));
        return std::move(out).take();
    }

private:
    LwrOptions options_;
};

}  // namespace

LearnerPtr make_lwr(LwrOptions options) { return std::make_shared<const LwrLearner>(std::move(options)); }

Result<LocalFit> local_fit(const Model& model, const TableView& row, Run& run) {
    return dynamic_cast<const LocalModel&>(model).fit_at(row, run);
}

Result<ModelPtr> load_lwr(const Json& json) {
    auto data = TRY(read_table(json, "data"));
    auto weights = TRY(read_reals(json, "robustness"));
    auto given = TRY(read_reals(json, "given"));
    auto kernel = TRY(read_count(json, "kernel"));
    auto width = TRY(read_real(json, "width"));
    auto k = TRY(read_count(json, "k"));
    auto degree = TRY(read_count(json, "degree"));
    auto rate = TRY(read_real(json, "rate"));
    auto robust = TRY(read_count(json, "robust"));
    auto scale = TRY(read_text(json, "scale"));
    const auto scaling = scaling_named(scale);
    const Table& table = *data;
    if (kernel >= static_cast<std::size_t>(LocalKernel::Kind::function) || degree > 2 || !scaling || !(width >= 0) || !(rate >= 0))
        return damaged("a setting is invalid");
    if (!table.target || *table.target + 1 != table.columns.size() || table.columns.size() < 2 || table.row_count == 0 ||
        table.columns.back()->kind != ColumnKind::numeric)
        return damaged("the rows have no numeric target");
    for (const auto& column : table.columns)
        if (column->missing_count() > 0) return damaged("a row has a missing cell");
    for (const auto* list : {&weights, &given})
        if (!list->empty() && list->size() != table.row_count) return damaged("there is not one weight for each row");
    LwrOptions options;
    options.kernel.kind = static_cast<LocalKernel::Kind>(kernel);
    if (width > 0) options.kernel.width = width;
    if (k > 0) options.k = k;
    options.default_k = json.flag("usual", false);
    options.degree = degree;
    if (rate > 0) options.rate = rate;
    options.robust = robust;
    options.scaling = *scaling;
    auto model = TRY(stored_model(data, std::move(given), options));
    model->set_robust(std::move(weights));
    return ModelPtr(std::move(model));
}

}  // namespace credence::rt
