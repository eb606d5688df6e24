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
#include "runtime/gradient/newton_rows.hpp"
#include "runtime/prob/learning/block_training.hpp"

namespace credence::rt {

namespace {

enum class Separation { none, complete, partial };

/// If labels are separated and no ridge was given: small enough to leave the boundary where the likelihood wants it.
constexpr double separated_ridge = 0.1;

struct Ascent {
    Units units;                  ///< the intercept first
    std::vector<double> history;  ///< −log-likelihood, with the penalty of a ridge
    double loss = 0;              ///< −log-likelihood at the end
    std::size_t steps = 0;
    bool converged = false;
    Separation separation = Separation::none;
    double ridge = 0;
};

/// ½·ridge·Σ w², the intercepts left out.
double penalty(const Units& units, double ridge) {
    double out = 0;
    for (const auto& unit : units) out += dot(unit.data() + 1, unit.data() + 1, unit.size() - 1);
    return 0.5 * ridge * out;
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

Units moved(Units units, std::span<const double> step, double share) {
    for (std::size_t u = 0; u < units.size(); ++u) add_scaled(units[u].data(), share, step.data() + u * units[u].size(), units[u].size());
    return units;
}

double largest_of(std::span<const double> xs) {
    double out = 0;
    for (const double x : xs) out = std::max(out, std::abs(x));
    return out;
}

using Teller = std::function<void(std::size_t step, double loss, const Units& units)>;

Result<Ascent> newton(NewtonRows& rows, Units units, double ridge, std::size_t most, double tolerance, const Run& run, const Teller& tell) {
    Ascent out;
    out.ridge = ridge;
    const std::size_t width = units[0].size();
    const auto penalised = [&](const Units& w) -> Result<Reached> {
        auto reached = TRY(rows.look(w));
        reached.loss += penalty(w, ridge);
        return reached;
    };
    Reached at = TRY(penalised(units));
    rows.accept();
    out.history.push_back(at.loss);
    for (; out.steps < most && !out.converged; ++out.steps) {
        if (run.stopped()) return stopped_fault();
        Matrix curvature = rows.curvature();
        auto slope = rows.slope();
        for (std::size_t u = 0; ridge > 0 && u < units.size(); ++u)
            for (std::size_t k = 1; k < width; ++k) {
                curvature(u * width + k, u * width + k) += ridge;
                slope[u * width + k] -= ridge * units[u][k];
            }
        const auto step = newton_step(std::move(curvature), std::move(slope));
        double share = 1;
        auto next = moved(units, step, share);
        Reached reached = TRY(penalised(next));
        // Far from the maximum a whole step may overshoot; halves of it climb in the end.
        while (!(reached.loss <= at.loss * (1 + 1e-14)) && share > 1e-10) {
            share /= 2;
            next = moved(units, step, share);
            reached = TRY(penalised(next));
        }
        if (share <= 1e-10) {
            out.converged = true;
            break;
        }
        const double gained = at.loss - reached.loss;
        units = std::move(next);
        at = reached;
        rows.accept();
        out.history.push_back(at.loss);
        if (tell) tell(out.steps + 1, at.loss, units);
        const double largest = share * largest_of(step);
        out.converged = largest <= tolerance;
        if (ridge > 0) continue;  // which gives the loss its minimum
        // Weights that put every row strictly on its own side prove that the likelihood has no maximum: their multiples are ever better.
        if (at.correct && at.loss < 1e-4 * rows.total()) {
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

/// With the small ridge where labels are separated and nobody said which.
Result<Ascent> newton_or_ridge(NewtonRows& rows, const Units& start, std::optional<double> ridge, std::size_t most, double tolerance,
                               const Run& run, const Teller& tell) {
    auto done = newton(rows, start, ridge.value_or(0), most, tolerance, run, tell);
    if (!done || ridge || done->separation == Separation::none) return done;
    const auto separation = done->separation;
    done = newton(rows, start, separated_ridge, most, tolerance, run, tell);
    if (done) done->separation = separation;
    return done;
}

Result<Ascent> climb(const Matrix& x, const TrainingRows& data, Units units, double rate, Steps steps, std::size_t epochs, double tolerance,
                     const Run& run, const Teller& tell, DerivationWriter* rows) {
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

/// Of the weights in the units of the table: the roots of the diagonal of the inverse curvature, which is that of columns of spread 1.
/// Nothing if dependent columns leave it without an inverse.
Units standard_errors_of(const Matrix& curvature, std::size_t units, const Standard& by) {
    const auto lower = cholesky(curvature);
    if (!lower) return {};
    const std::size_t width = by.mean.size() + 1;
    // aᵀ H⁻¹ a = |L⁻¹ a|², with a the row that takes weights of standardised columns to one weight of the table.
    const auto root = [&](std::vector<double> a) {
        double sum = 0;
        for (std::size_t r = 0; r < a.size(); ++r) {
            a[r] = (a[r] - dot(lower->row(r).data(), a.data(), r)) / (*lower)(r, r);
            sum += a[r] * a[r];
        }
        return std::sqrt(sum);
    };
    Units out;
    for (std::size_t u = 0; u < units; ++u) {
        auto& errors = out.emplace_back();
        std::vector<double> a(units * width, 0.0);
        a[u * width] = 1;
        for (std::size_t k = 0; k + 1 < width; ++k) a[u * width + k + 1] = -by.mean[k] / by.spread[k];
        errors.push_back(root(std::move(a)));
        for (std::size_t k = 0; k + 1 < width; ++k) {
            std::vector<double> one(units * width, 0.0);
            one[u * width + k + 1] = 1 / by.spread[k];
            errors.push_back(root(std::move(one)));
        }
    }
    return out;
}

Units standard_errors_at(const TrainingRows& data, const Units& units) {
    const Standard by = standard_of(data.x, data.weights);
    const Matrix x = standardised(data.x, by);
    Units spread;
    for (const auto& unit : units) spread.push_back(in_spreads(unit, by));
    return standard_errors_of(curvature_of(x, data, likelihood(x, data, spread), units.size()), units.size(), by);
}

/// A hundredth of the rate that suits the steepest row alone, whose curvature is at most |x|² / 4: rows pull against each other, and how
/// far from the maximum the steps settle is in proportion to the rate.
double chosen_rate(const Matrix& x, std::span<const double> row_weights) {
    double longest = 0;
    for (std::size_t i = 0; i < x.rows; ++i)
        longest = std::max(longest, row_weights[i] * (1 + dot(x.row(i).data(), x.row(i).data(), x.columns)));
    return 0.04 / longest;
}

class Logistic final : public Learner, public LearnsFromBlocks {
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
        fit.ridge = done.ridge;
        if (done.converged && done.separation == Separation::none && done.ridge == 0)
            fit.standard_errors = standard_errors_at(data, done.units);
        for (const auto& unit : done.units) fit.units.push_back(as_numbers(unit));
        if (data.codes.empty())
            return ModelPtr(
                std::make_shared<const LinearRegressor>(LinearRegressor::Link::logistic, data.schema, data.size(), std::move(fit)));
        return ModelPtr(
            std::make_shared<const LinearClassifier>(LinearClassifier::Kind::logistic, data.schema, data.size(), std::move(fit)));
    }

    Result<ModelPtr> fit_blocks(const RowBlocks& blocks, Run& run) const override {
        if (by_gradient() || options_.scale)
            return Fault{.code = "E-TRAIN",
                         .message = "logistic learns from rows that are read in blocks by Newton's method only",
                         .hint = "leave out rate, steps and scale, or load the table without stream: true"};
        BlockRows rows = TRY(BlockRows::prepared(blocks, name(), run));
        Units start = TRY(starting_units(rows.schema(), rows.terms()));
        for (auto& unit : start) unit = in_spreads(unit, rows.standard());
        auto done =
            TRY(newton_or_ridge(rows, start, options_.ridge, options_.epochs.value_or(100), options_.tolerance.value_or(1e-9), run, {}));
        if (run.note) tell_end(done, rows.schema().target.name, run);
        LinearFit fit{{}, done.loss, std::move(done.history)};
        fit.ridge = done.ridge;
        if (done.converged && done.separation == Separation::none && done.ridge == 0)
            fit.standard_errors = standard_errors_of(rows.curvature(), done.units.size(), rows.standard());
        for (const auto& unit : done.units) fit.units.push_back(as_numbers(in_units(unit, rows.standard())));
        return ModelPtr(std::make_shared<const LinearClassifier>(LinearClassifier::Kind::logistic, rows.schema(),
                                                                 static_cast<std::size_t>(rows.total()), std::move(fit)));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model&, Run& run) const override {
        auto data = TRY(prepared(rows, weights, run));
        DerivationWriter out;
        if (data.codes.empty())
            out.formula(
                "cross-entropy = -the sum of t ln P + (1 - t) ln(1 - P), t the frequency;  P = 1 / (1 + exp(-s)), "
                "s = intercept + the sum of w * x");
        else if (labels_of(data) > 2)
            out.formula(
                "log-likelihood = the sum of ln P(label | row);  P(k) = exp(s_k) / the sum of exp(s_j) over the labels, s_k = "
                "intercept_k + the sum of w_k * x, and s = 0 for " +
                (*data.schema.target.domain)[0].text());
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
            tell_batch_steps(out, data, {*options_.rate, targets, share, options_.epochs.value_or(1000)}, units[0]);
        }
        constexpr std::size_t told = 12;
        const auto less = [](double ridge) {
            return fmt::format("{:.6g} / 2 * the sum of w^2, the intercept left out and the columns scaled to spread 1", ridge);
        };
        const char* const penalised = "penalised log-likelihood";
        std::string value = "log-likelihood";
        if (options_.ridge.value_or(0) > 0) {
            value = penalised;
            out.formula(value + " = log-likelihood - " + less(*options_.ridge));
        }
        bool begun = false;
        const auto tell = [&](std::size_t step, double loss, const Units& units) {
            if (step == 1 && begun) {
                out.note(
                    "Labels are separated: the likelihood has no maximum. So the steps begin again, for the penalised log-likelihood, "
                    "which is the log-likelihood less " +
                    less(separated_ridge) + ".");
                value = penalised;
            }
            begun = true;
            if (step > told) return;
            std::string text = fmt::format("{} {}: {} {:.6g};", by_gradient() ? "Epoch" : "Step", step, value, -loss);
            for (std::size_t u = 0; u < units.size(); ++u)
                text += fmt::format(" {}{}{}", units.size() > 1 ? (*data.schema.target.domain)[u + 1].text() + ": " : "",
                                    weights_text(as_numbers(units[u]), data.terms), u + 1 < units.size() ? ";" : "");
            out.note(text + ".");
        };
        auto done = TRY(trained(data, run, tell, &out));
        if (done.steps > told) out.note(fmt::format("… {} steps in all; {} {:.6g}.", done.steps, value, -done.history.back()));
        if (done.ridge > 0) out.note(fmt::format("At these weights the log-likelihood is {:.6g}.", -done.loss));
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
    Result<Units> starting_units(const TrainingRows& data) const { return starting_units(data.schema, data.terms); }
    Result<Units> starting_units(const Schema& schema, std::span<const DesignTerm> terms) const {
        Units out;
        if (schema.target.kind == ColumnKind::numeric) {
            auto start = TRY(starting_weights(options_.start, terms));
            auto& unit = out.emplace_back();
            for (const auto& s : start) unit.push_back(s.real());
            return out;
        }
        const Domain& labels = *schema.target.domain;
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
            auto start = TRY(starting_weights(own, terms));
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
        const Teller scaled = [&](std::size_t step, double loss, const Units& units) {
            Units in;
            for (const auto& u : units) in.push_back(in_units(u, by));
            tell(step, loss, in);
        };
        for (auto& unit : start) unit = in_spreads(unit, by);
        const Matrix x = standardised(data.x, by);
        const Teller& told = tell ? scaled : tell;
        const std::size_t steps = options_.epochs.value_or(100);
        const double tolerance = options_.tolerance.value_or(1e-9);
        MemoryRows rows_in_memory(x, data, start.size());
        auto done = stochastic() ? climb(x, data, start, chosen_rate(x, data.weights), Steps::stochastic,
                                         options_.epochs.value_or(std::clamp<std::size_t>(2'000'000 / x.rows, 100, 20'000)),
                                         options_.tolerance.value_or(1e-10), run, told, nullptr)
                                 : newton_or_ridge(rows_in_memory, start, options_.ridge, steps, tolerance, run, told);
        if (done)
            for (auto& unit : done->units) unit = in_units(unit, by);
        return done;
    }

    LinearOptions options_;
};

}  // namespace

LearnerPtr make_logistic(LinearOptions options) { return std::make_shared<const Logistic>(std::move(options)); }

}  // namespace credence::rt
