// Logistic regression for two labels and several (softmax; the first declared label is the reference with weights 0), and for frequencies
// (numbers from 0 to 1, fitted by cross-entropy). The log-likelihood is concave: Newton's method (iteratively reweighted least squares) by
// default, gradient ascent where a rate is given. Where labels can be separated it has no maximum, and a ridge gives it one.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/products.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/gradient/linear.hpp"

namespace credence::rt {

namespace {

enum class Separation { none, complete, partial };

/// If labels are separated and no ridge was given: small enough to leave the boundary where the likelihood wants it.
constexpr double separated_ridge = 0.1;

struct Ascent {
    std::vector<std::vector<double>> units;  ///< the intercept first
    std::vector<double> history;             ///< −log-likelihood, with the penalty of a ridge
    double loss = 0;                         ///< −log-likelihood at the end
    std::size_t steps = 0;
    bool converged = false;
    Separation separation = Separation::none;
    double ridge = 0;
};

/// The share of a row that is the label's: 1 or 0, or the frequency of the second.
double share_of(const TrainingRows& data, std::size_t row, std::size_t label) {
    if (!data.codes.empty()) return static_cast<std::size_t>(data.codes[row]) == label ? 1.0 : 0.0;
    return label == 1 ? data.values[row] : 1 - data.values[row];
}

/// Rows × labels of P and the −log-likelihood; `correct` where each row's own label is strictly the most probable (of a frequency other
/// than 0 and 1: never).
struct Likelihood {
    std::vector<double> p;
    double loss = 0;
    bool correct = true;
};

Likelihood likelihood(const Matrix& x, const TrainingRows& data, const std::vector<std::vector<double>>& units) {
    const std::size_t labels = units.size() + 1;
    Likelihood out;
    out.p.resize(x.rows * labels);
    std::vector<double> s(labels);
    for (std::size_t i = 0; i < x.rows; ++i) {
        s[0] = 0;
        for (std::size_t u = 0; u < units.size(); ++u) s[u + 1] = units[u][0] + dot(units[u].data() + 1, x.row(i).data(), x.columns);
        const double largest = *std::max_element(s.begin(), s.end());
        double total = 0;
        for (std::size_t k = 0; k < labels; ++k) total += out.p[i * labels + k] = std::exp(s[k] - largest);
        for (std::size_t k = 0; k < labels; ++k) out.p[i * labels + k] /= total;
        for (std::size_t own = 0; own < labels; ++own) {
            const double share = share_of(data, i, own);
            if (share == 0) continue;
            out.loss -= data.weights[i] * share * (s[own] - largest - std::log(total));
            for (std::size_t k = 0; k < labels; ++k) out.correct = out.correct && share == 1 && (k == own || s[k] < s[own]);
        }
    }
    return out;
}

/// ½·ridge·Σ w², the intercepts left out.
double penalty(const std::vector<std::vector<double>>& units, double ridge) {
    double out = 0;
    for (const auto& unit : units) out += dot(unit.data() + 1, unit.data() + 1, unit.size() - 1);
    return 0.5 * ridge * out;
}

/// Gradient of the log-likelihood, unit after unit.
std::vector<double> slope_of(const Matrix& x, const TrainingRows& data, const Likelihood& at, std::size_t units) {
    const std::size_t width = x.columns + 1;
    std::vector<double> out(units * width, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t u = 0; u < units; ++u) {
            const double e = data.weights[i] * (share_of(data, i, u + 1) - at.p[i * (units + 1) + u + 1]);
            out[u * width] += e;
            add_scaled(out.data() + u * width + 1, e, x.row(i).data(), x.columns);
        }
    return out;
}

/// −Hessian: blocks Σ weight·p_u·(δ_uv − p_v)·x·xᵀ. All of them are one product of matrices: the factors by pairs of units, a row of the
/// data each, with the products of pairs of columns; some rows at a time, so that both stay in the cache.
Matrix curvature_of(const Matrix& x, const TrainingRows& data, const Likelihood& at, std::size_t units) {
    const std::size_t width = x.columns + 1;
    const std::size_t unit_pairs = units * (units + 1) / 2;
    const std::size_t column_pairs = width * (width + 1) / 2;
    const std::size_t at_once = std::clamp<std::size_t>(32768 / (unit_pairs + column_pairs), 8, 256);
    std::vector<double> factors(at_once * unit_pairs);
    std::vector<double> products(at_once * column_pairs);
    std::vector<double> sums(unit_pairs * column_pairs, 0.0);
    std::vector<double> row(width, 1.0);
    for (std::size_t first = 0; first < x.rows; first += at_once) {
        const std::size_t n = std::min(at_once, x.rows - first);
        double* factor = factors.data();
        double* product_of = products.data();
        for (std::size_t i = first; i < first + n; ++i) {
            std::copy(x.row(i).begin(), x.row(i).end(), row.begin() + 1);
            const double* p = at.p.data() + i * (units + 1) + 1;
            for (std::size_t u = 0; u < units; ++u)
                for (std::size_t v = 0; v <= u; ++v) *factor++ = data.weights[i] * p[u] * ((u == v ? 1.0 : 0.0) - p[v]);
            for (std::size_t a = 0; a < width; ++a)
                for (std::size_t b = 0; b <= a; ++b) *product_of++ = row[a] * row[b];
        }
        add_transposed_product({factors.data(), n, unit_pairs, unit_pairs}, {products.data(), n, column_pairs, column_pairs},
                               {sums.data(), unit_pairs, column_pairs, column_pairs});
    }
    Matrix out(units * width, units * width);
    const double* sum = sums.data();
    for (std::size_t u = 0; u < units; ++u)
        for (std::size_t v = 0; v <= u; ++v)
            for (std::size_t a = 0; a < width; ++a)
                for (std::size_t b = 0; b <= a; ++b, ++sum) {
                    out(u * width + a, v * width + b) = out(u * width + b, v * width + a) = *sum;
                    out(v * width + b, u * width + a) = out(v * width + a, u * width + b) = *sum;
                }
    return out;
}

/// (H + εI)⁻¹ g with the least ε that makes H positive definite: dependent columns then share their weight.
std::vector<double> newton_step(Matrix h, std::vector<double> g) {
    double size = 0;
    for (std::size_t k = 0; k < h.rows; ++k) size = std::max(size, h(k, k));
    double ridge = 0;
    std::optional<Matrix> lower = cholesky(h);
    while (!lower) {
        const double more = ridge == 0 ? std::max(size, 1e-300) * 1e-12 : ridge * 10;
        for (std::size_t k = 0; k < h.rows; ++k) h(k, k) += more - ridge;
        ridge = more;
        lower = cholesky(h);
    }
    for (std::size_t r = 0; r < g.size(); ++r) g[r] = (g[r] - dot(lower->row(r).data(), g.data(), r)) / (*lower)(r, r);
    for (std::size_t r = g.size(); r-- > 0;) {
        g[r] /= (*lower)(r, r);
        for (std::size_t c = 0; c < r; ++c) g[c] -= (*lower)(r, c) * g[r];
    }
    return g;
}

std::vector<std::vector<double>> moved(std::vector<std::vector<double>> units, std::span<const double> step, double share) {
    for (std::size_t u = 0; u < units.size(); ++u) add_scaled(units[u].data(), share, step.data() + u * units[u].size(), units[u].size());
    return units;
}

double largest_of(std::span<const double> xs) {
    double out = 0;
    for (const double x : xs) out = std::max(out, std::abs(x));
    return out;
}

using Teller = std::function<void(std::size_t step, double loss, const std::vector<std::vector<double>>& units)>;

Result<Ascent> newton(const Matrix& x, const TrainingRows& data, std::vector<std::vector<double>> units, double ridge, std::size_t most,
                      double tolerance, const Run& run, const Teller& tell) {
    Ascent out;
    out.ridge = ridge;
    const std::size_t width = x.columns + 1;
    const auto penalised = [&](const std::vector<std::vector<double>>& w) {
        Likelihood l = likelihood(x, data, w);
        l.loss += penalty(w, ridge);
        return l;
    };
    Likelihood at = penalised(units);
    out.history.push_back(at.loss);
    double total = 0;
    for (const double w : data.weights) total += w;
    for (; out.steps < most && !out.converged; ++out.steps) {
        if (run.stopped()) return stopped_fault();
        Matrix curvature = curvature_of(x, data, at, units.size());
        auto slope = slope_of(x, data, at, units.size());
        for (std::size_t u = 0; ridge > 0 && u < units.size(); ++u)
            for (std::size_t k = 1; k < width; ++k) {
                curvature(u * width + k, u * width + k) += ridge;
                slope[u * width + k] -= ridge * units[u][k];
            }
        const auto step = newton_step(std::move(curvature), std::move(slope));
        double share = 1;
        auto next = moved(units, step, share);
        Likelihood reached = penalised(next);
        // Far from the maximum a whole step may overshoot; halves of it climb in the end.
        while (!(reached.loss <= at.loss * (1 + 1e-14)) && share > 1e-10) {
            share /= 2;
            next = moved(units, step, share);
            reached = penalised(next);
        }
        if (share <= 1e-10) {
            out.converged = true;
            break;
        }
        const double gained = at.loss - reached.loss;
        units = std::move(next);
        at = std::move(reached);
        out.history.push_back(at.loss);
        if (tell) tell(out.steps + 1, at.loss, units);
        const double largest = share * largest_of(step);
        out.converged = largest <= tolerance;
        if (ridge > 0) continue;  // which gives the loss its minimum
        // Weights that put every row strictly on its own side prove that the likelihood has no maximum: their multiples are ever better.
        if (at.correct && at.loss < 1e-4 * total) {
            out.separation = Separation::complete;
            ++out.steps;
            break;
        }
        if (!out.converged && out.steps > 12 && gained < 1e-6 * (1 + at.loss) && largest > 1e-2) {
            out.separation = Separation::partial;
            ++out.steps;
            break;
        }
    }
    out.loss = at.loss - penalty(units, ridge);
    out.units = std::move(units);
    return out;
}

Result<Ascent> climb(const Matrix& x, const TrainingRows& data, std::vector<std::vector<double>> units, double rate, Steps steps,
                     std::size_t epochs, double tolerance, const Run& run, const Teller& tell, DerivationWriter* rows) {
    Ascent out;
    const std::size_t labels = units.size() + 1;
    const std::size_t width = x.columns + 1;
    Likelihood at = likelihood(x, data, units);
    out.history.push_back(at.loss);
    std::vector<double> p(labels);
    Progress progress(run, "logistic", epochs, "epochs", x.rows * width * labels * 3);
    for (; out.steps < epochs && !out.converged; ++out.steps) {
        if (run.stopped()) return stopped_fault();
        const auto before = units;
        if (steps == Steps::batch) {
            units = moved(std::move(units), slope_of(x, data, at, labels - 1), rate);
        } else {
            for (std::size_t i = 0; i < x.rows; ++i) {
                double largest = 0;
                for (std::size_t u = 0; u + 1 < labels; ++u) {
                    p[u + 1] = units[u][0] + dot(units[u].data() + 1, x.row(i).data(), x.columns);
                    largest = std::max(largest, p[u + 1]);
                }
                const bool tells = rows && labels == 2 && out.steps == 0 && i < row_steps_told;
                if (tells) tell_row(*rows, i, x.row(i), units[0]);
                p[0] = 0;
                double total = 0;
                for (double& v : p) total += v = std::exp(v - largest);
                if (tells)
                    rows->note(fmt::format("P is {:.6g}, the target {}: w changes by {:.6g} * {:.6g} * x.", p[1] / total,
                                           share_of(data, i, 1), rate * data.weights[i], share_of(data, i, 1) - p[1] / total));
                for (std::size_t u = 0; u + 1 < labels; ++u) {
                    const double e = rate * data.weights[i] * (share_of(data, i, u + 1) - p[u + 1] / total);
                    units[u][0] += e;
                    add_scaled(units[u].data() + 1, e, x.row(i).data(), width - 1);
                }
            }
        }
        at = likelihood(x, data, units);
        out.history.push_back(at.loss);
        if (tell) tell(out.steps + 1, at.loss, units);
        progress.reach(out.steps + 1, "loss", at.loss);
        if (!std::isfinite(at.loss) || at.loss > 100 * out.history[0])
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("the rate {:.6g} is too large: the loss went from {:.6g} to {:.6g} in {} epochs", rate,
                                                out.history[0], at.loss, out.steps + 1),
                         .hint = "use a smaller rate, or leave out rate to use Newton's method"};
        double change = 0;
        for (std::size_t u = 0; u < units.size(); ++u)
            for (std::size_t k = 0; k < width; ++k) change = std::max(change, std::abs(units[u][k] - before[u][k]));
        out.converged = change <= tolerance;
    }
    if (at.correct) out.separation = Separation::complete;
    out.loss = at.loss;
    out.units = std::move(units);
    return out;
}

/// Of the weights in the units of the table: the roots of the diagonal of the inverse curvature, which is found for columns of spread 1.
/// Nothing if dependent columns leave it without an inverse.
std::vector<std::vector<double>> standard_errors_at(const TrainingRows& data, const std::vector<std::vector<double>>& units) {
    const Standard by = standard_of(data.x, data.weights);
    const Matrix x = standardised(data.x, by);
    std::vector<std::vector<double>> spread;
    for (const auto& unit : units) spread.push_back(in_spreads(unit, by));
    const auto lower = cholesky(curvature_of(x, data, likelihood(x, data, spread), units.size()));
    if (!lower) return {};
    const std::size_t width = x.columns + 1;
    // aᵀ H⁻¹ a = |L⁻¹ a|², with a the row that takes weights of standardised columns to one weight of the table.
    const auto root = [&](std::vector<double> a) {
        double sum = 0;
        for (std::size_t r = 0; r < a.size(); ++r) {
            a[r] = (a[r] - dot(lower->row(r).data(), a.data(), r)) / (*lower)(r, r);
            sum += a[r] * a[r];
        }
        return std::sqrt(sum);
    };
    std::vector<std::vector<double>> out;
    for (std::size_t u = 0; u < units.size(); ++u) {
        auto& errors = out.emplace_back();
        std::vector<double> a(units.size() * width, 0.0);
        a[u * width] = 1;
        for (std::size_t k = 0; k + 1 < width; ++k) a[u * width + k + 1] = -by.mean[k] / by.spread[k];
        errors.push_back(root(std::move(a)));
        for (std::size_t k = 0; k + 1 < width; ++k) {
            std::vector<double> one(units.size() * width, 0.0);
            one[u * width + k + 1] = 1 / by.spread[k];
            errors.push_back(root(std::move(one)));
        }
    }
    return out;
}

/// A hundredth of the rate that suits the steepest row alone, whose curvature is at most |x|² / 4: rows pull against each other, and how
/// far from the maximum the steps settle is in proportion to the rate.
double chosen_rate(const Matrix& x, std::span<const double> row_weights) {
    double longest = 0;
    for (std::size_t i = 0; i < x.rows; ++i)
        longest = std::max(longest, row_weights[i] * (1 + dot(x.row(i).data(), x.row(i).data(), x.columns)));
    return 0.04 / longest;
}

class Logistic final : public Learner {
public:
    explicit Logistic(LinearOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "logistic"; }
    TargetKind target() const override { return TargetKind::label; }
    /// Numbers from 0 to 1 that are not all 0 or 1 are frequencies.
    TargetKind target_for(const Column& numbers) const override {
        bool between = false;
        for (const double v : numbers.values) {
            if (std::isnan(v)) continue;
            if (v < 0 || v > 1) return TargetKind::label;
            between = between || (v > 0 && v < 1);
        }
        return between ? TargetKind::number : TargetKind::label;
    }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(prepared(rows, weights, run));
        auto done = TRY(trained(data, run, {}));
        if (run.note) tell_end(done, data.schema.target.name, run);
        LinearFit fit{{}, done.loss, std::move(done.history)};
        if (done.converged && done.separation == Separation::none && done.ridge == 0)
            fit.standard_errors = standard_errors_at(data, done.units);
        for (const auto& unit : done.units) fit.units.push_back(as_numbers(unit));
        if (data.codes.empty())
            return ModelPtr(
                std::make_shared<const LinearRegressor>(LinearRegressor::Link::logistic, data.schema, data.size(), std::move(fit)));
        return ModelPtr(
            std::make_shared<const LinearClassifier>(LinearClassifier::Kind::logistic, data.schema, data.size(), std::move(fit)));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model&, Run& run) const override {
        auto data = TRY(prepared(rows, weights, run));
        DerivationWriter out;
        if (data.codes.empty())
            out.formula(
                "cross-entropy = -the sum of t ln P + (1 - t) ln(1 - P), t the frequency;  P = 1 / (1 + exp(-s)), "
                "s = intercept + the sum of w * x");
        else
            out.formula("log-likelihood = the sum of ln P(label | row);  P = 1 / (1 + exp(-s)), s = intercept + the sum of w * x");
        if (by_gradient() && labels_of(data) == 2) {
            out.formula("P(label | row) = P^t * (1 - P)^(1 - t), t being 1 or 0;  its logarithm is t * ln(P) + (1 - t) * ln(1 - P)");
            out.formula("d/dP = t / P - (1 - t) / (1 - P) = (t - P) / (P * (1 - P));  dP/ds = P * (1 - P);  ds/dw = x");
            out.formula("by the chain rule d/dw = (t - P) / (P * (1 - P)) * P * (1 - P) * x = (t - P) * x");
        }
        if (stochastic())
            out.formula("gradient ascent: after each row w changes by rate * (t - P) * x");
        else if (options_.rate)
            out.formula("gradient ascent: w changes by rate * the sum of (t - P) * x");
        else
            out.note("Newton's method: each step solves a least-squares problem weighted by P * (1 - P).");
        const std::size_t labels = labels_of(data);
        if (options_.rate && !stochastic() && labels == 2) {
            auto units = TRY(starting_units(data));
            std::vector<double> targets;
            for (std::size_t i = 0; i < data.size(); ++i) targets.push_back(share_of(data, i, 1));
            const Link share{"P", [](double s) { return 1 / (1 + std::exp(-s)); },
                             [](double s) {
                                 return Parts{std::string("1 / (1 + exp(-"), Number::real(s), std::string("))")};
                             }};
            tell_batch_step(out, data, *options_.rate, units[0], targets, share);
        }
        constexpr std::size_t told = 12;
        const auto tell = [&](std::size_t step, double loss, const std::vector<std::vector<double>>& units) {
            if (step > told) return;
            std::string text = fmt::format("{} {}: log-likelihood {:.6g};", by_gradient() ? "Epoch" : "Step", step, -loss);
            for (std::size_t u = 0; u < units.size(); ++u)
                text += fmt::format(" {}{}{}", units.size() > 1 ? (*data.schema.target.domain)[u + 1].text() + ": " : "",
                                    weights_text(as_numbers(units[u]), data.terms), u + 1 < units.size() ? ";" : "");
            out.note(text + ".");
        };
        auto done = TRY(trained(data, run, tell, &out));
        if (done.steps > told) out.note(fmt::format("… {} steps in all; log-likelihood {:.6g}.", done.steps, -done.history.back()));
        return std::move(out).take();
    }

private:
    bool stochastic() const { return options_.steps == Steps::stochastic; }
    bool by_gradient() const { return options_.rate || stochastic(); }

    Result<TrainingRows> prepared(const TableView& rows, std::span<const double> weights, Run& run) const {
        const bool labels = rows.table->columns[*rows.table->target]->kind == ColumnKind::label;
        return labels ? labelled_rows(rows, weights, name(), run, options_.scale)
                      : training_rows(rows, weights, Coding::reference, run, options_.scale);
    }

    static std::size_t labels_of(const TrainingRows& data) { return data.codes.empty() ? 2 : data.labels(); }

    void tell_end(const Ascent& done, const std::string& target, const Run& run) const {
        if (done.separation != Separation::none && done.ridge > 0)
            run.note(
                fmt::format("{} of {} are perfectly separated: the likelihood has no maximum, so a ridge of {} was added to the loss "
                            "(ridge: 0 leaves it out)",
                            done.separation == Separation::complete ? "the labels" : "some labels", target, separated_ridge));
        else if (done.separation == Separation::complete)
            run.note(
                fmt::format("the labels of {} are perfectly separated: the likelihood has no maximum, and the weights grow as long as "
                            "training goes on",
                            target));
        else if (done.separation == Separation::partial)
            run.note(fmt::format("some labels of {} are perfectly separated: some weights grow as long as training goes on", target));
        else if (!done.converged && !by_gradient())
            run.note(fmt::format("Newton's method was stopped after {} steps", done.steps));
    }

    /// The weights at the start, one vector a label but the first.
    Result<std::vector<std::vector<double>>> starting_units(const TrainingRows& data) const {
        std::vector<std::vector<double>> out;
        if (data.codes.empty()) {
            auto start = TRY(starting_weights(options_.start, data.terms));
            auto& unit = out.emplace_back();
            for (const auto& s : start) unit.push_back(s.real());
            return out;
        }
        const Domain& labels = *data.schema.target.domain;
        for (const auto& [name, weights] : options_.start.by_label)
            if (const auto found = labels.find(Label::of_text(name)); !found || *found == 0)
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("init names {}, which is not a label with weights of its own", name),
                             .label = fmt::format("{} is the label that the others are compared with", labels[0].text())};
        for (std::size_t k = 1; k < labels.size(); ++k) {
            LinearStart own = options_.start;
            for (const auto& [name, weights] : options_.start.by_label)
                if (Label::of_text(name) == labels[k]) own.named = weights;
            own.by_label.clear();
            auto start = TRY(starting_weights(own, data.terms));
            auto& unit = out.emplace_back();
            for (const auto& s : start) unit.push_back(s.real());
        }
        return out;
    }

    Result<Ascent> trained(const TrainingRows& data, const Run& run, const Teller& tell, DerivationWriter* rows = nullptr) const {
        auto start = TRY(starting_units(data));
        if (options_.rate)
            return climb(data.x, data, std::move(start), options_.rate->real(), options_.steps.value_or(Steps::batch),
                         options_.epochs.value_or(1000), options_.tolerance.value_or(1e-10), run, tell, rows);
        // Spreads of 1 keep the Hessian well conditioned, and one rate suits all columns; the maximum is the same.
        const Standard by = standard_of(data.x, data.weights);
        const Teller scaled = [&](std::size_t step, double loss, const std::vector<std::vector<double>>& units) {
            std::vector<std::vector<double>> in;
            for (const auto& u : units) in.push_back(in_units(u, by));
            tell(step, loss, in);
        };
        for (auto& unit : start) unit = in_spreads(unit, by);
        const Matrix x = standardised(data.x, by);
        const Teller& told = tell ? scaled : tell;
        const std::size_t steps = options_.epochs.value_or(100);
        const double tolerance = options_.tolerance.value_or(1e-9);
        auto done = stochastic() ? climb(x, data, start, chosen_rate(x, data.weights), Steps::stochastic,
                                         options_.epochs.value_or(std::clamp<std::size_t>(2'000'000 / x.rows, 100, 20'000)),
                                         options_.tolerance.value_or(1e-10), run, told, nullptr)
                                 : newton(x, data, start, options_.ridge.value_or(0), steps, tolerance, run, told);
        if (done && !by_gradient() && !options_.ridge && done->separation != Separation::none) {
            const auto separation = done->separation;
            done = newton(x, data, std::move(start), separated_ridge, steps, tolerance, run, told);
            if (done) done->separation = separation;
        }
        if (done)
            for (auto& unit : done->units) unit = in_units(unit, by);
        return done;
    }

    LinearOptions options_;
};

}  // namespace

LearnerPtr make_logistic(LinearOptions options) { return std::make_shared<const Logistic>(std::move(options)); }

}  // namespace credence::rt
