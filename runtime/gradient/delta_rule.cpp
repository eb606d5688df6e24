// The linear unit: gradient descent on E = ½ Σ (t − o)², with o = intercept + Σ w·x. Widrow & Hoff 1960 (the delta rule).

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/text.hpp"
#include "runtime/gradient/linear.hpp"

namespace credence::rt {

namespace {

struct Descent {
    std::vector<double> weights;  ///< the intercept first
    std::vector<double> history;
    std::size_t epochs = 0;
};

/// Rows with a 1 before them, so that the intercept is a weight like the others.
Matrix with_one(const Matrix& x) {
    Matrix out(x.rows, x.columns + 1);
    for (std::size_t i = 0; i < x.rows; ++i) {
        out(i, 0) = 1;
        std::copy(x.row(i).begin(), x.row(i).end(), out.row(i).begin() + 1);
    }
    return out;
}

double half_squares(const Matrix& x, std::span<const double> t, std::span<const double> row_weights, std::span<const double> w) {
    double out = 0;
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double e = t[i] - dot(w.data(), x.row(i).data(), x.columns);
        out += 0.5 * row_weights[i] * e * e;
    }
    return out;
}

/// The largest eigenvalue of Σ weight·x·xᵀ: batch steps settle below 2 over it, and 1 over it is a good rate.
double largest_curvature(const Matrix& x, std::span<const double> row_weights) {
    Matrix gram(x.columns, x.columns);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t a = 0; a < x.columns; ++a) add_scaled(gram.row(a).data(), row_weights[i] * x(i, a), x.row(i).data(), x.columns);
    return symmetric_eigen(gram).values[0];
}

/// The length of the longest row, squared: single steps settle below 2 over it.
double longest_row(const Matrix& x, std::span<const double> row_weights) {
    double out = 0;
    for (std::size_t i = 0; i < x.rows; ++i) out = std::max(out, row_weights[i] * dot(x.row(i).data(), x.row(i).data(), x.columns));
    return out;
}

Fault too_fast(double rate, double first, double last, std::size_t epochs, double limit, Steps steps) {
    return {.code = "E-TRAIN",
            .message = fmt::format("the rate {:.6g} is too large: the loss went from {:.6g} to {:.6g} in {}", rate, first, last,
                                   counted(epochs, "epoch")),
            .hint = fmt::format("{} steps on these rows converge with a rate below {:.3g}; leave out rate to have one chosen",
                                steps == Steps::batch ? "batch" : "stochastic", limit)};
}

struct Pace {
    double rate = 0;
    std::size_t epochs = 0;
    Steps steps = Steps::batch;
    double tolerance = 0;
};

Result<Descent> descend(const Matrix& x, std::span<const double> t, std::span<const double> row_weights, std::vector<double> w,
                        const Pace& pace, const Run& run, DerivationWriter* told, std::span<const DesignTerm> terms) {
    Descent out;
    out.history.push_back(half_squares(x, t, row_weights, w));
    const std::size_t width = x.columns;
    std::vector<double> change(width);
    std::vector<double> before(width);
    const auto limit = [&] { return 2 / (pace.steps == Steps::batch ? largest_curvature(x, row_weights) : longest_row(x, row_weights)); };
    constexpr std::size_t epochs_told = 6;
    Progress progress(run, "linear_unit", pace.epochs, "epochs", x.rows * width * 3);
    for (; out.epochs < pace.epochs; ++out.epochs) {
        if (run.stopped()) return stopped_fault();
        before = w;
        std::fill(change.begin(), change.end(), 0.0);
        for (std::size_t i = 0; i < x.rows; ++i) {
            const double e = t[i] - dot(w.data(), x.row(i).data(), width);
            const bool tells = told && pace.steps == Steps::stochastic && out.epochs == 0 && i < row_steps_told;
            if (tells) tell_row(*told, i, x.row(i).subspan(1), w);
            auto& to = pace.steps == Steps::batch ? change : w;
            add_scaled(to.data(), pace.rate * row_weights[i] * e, x.row(i).data(), width);
            if (tells)
                told->note(fmt::format("The target is {:.6g}: w changes by {:.6g} * {:.6g} * x, now {}.", t[i], pace.rate * row_weights[i],
                                       e, weights_text(as_numbers(w), terms)));
        }
        if (pace.steps == Steps::batch) add_scaled(w.data(), 1.0, change.data(), width);
        out.history.push_back(half_squares(x, t, row_weights, w));
        const double loss = out.history.back();
        progress.reach(out.epochs + 1, "loss", loss);
        if (told && out.epochs < epochs_told)
            told->note(fmt::format("Epoch {}: loss {:.6g}; {}.", out.epochs + 1, loss, weights_text(as_numbers(w), terms)));
        if (!std::isfinite(loss) || loss > 1e6 * (out.history[0] + 1e-300))
            return too_fast(pace.rate, out.history[0], loss, out.epochs + 1, limit(), pace.steps);
        double moved = 0;
        for (std::size_t k = 0; k < width; ++k) moved = std::max(moved, std::abs(w[k] - before[k]));
        if (moved <= pace.tolerance) {
            ++out.epochs;
            break;
        }
    }
    // On a quadratic a stable batch step never climbs, so a loss above the first one is a rate beyond the limit.
    if (out.history.back() > out.history[0] * (1 + 1e-9) && pace.steps == Steps::batch && out.epochs > 0)
        return too_fast(pace.rate, out.history[0], out.history.back(), out.epochs, limit(), pace.steps);
    out.weights = std::move(w);
    return out;
}

class LinearUnit final : public Learner {
public:
    explicit LinearUnit(LinearOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "linear_unit"; }
    TargetKind target() const override { return TargetKind::number; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(training_rows(rows, weights, Coding::reference, run, options_.scale));
        auto done = TRY(trained(data, run, nullptr));
        LinearFit fit{{as_numbers(done.weights)}, done.history.back(), std::move(done.history)};
        return ModelPtr(std::make_shared<const LinearRegressor>(LinearRegressor::Link::identity, data.schema, data.size(), std::move(fit)));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model&, Run& run) const override {
        auto data = TRY(training_rows(rows, weights, Coding::reference, run, options_.scale));
        DerivationWriter out;
        const bool batch = steps() == Steps::batch;
        out.formula(batch ? "E = 1/2 * the sum of (t - o)^2;  w changes by rate * the sum of (t - o) * x"
                          : "E = 1/2 * the sum of (t - o)^2;  after each row w changes by rate * (t - o) * x");
        if (options_.rate && batch) {
            auto start = TRY(starting_weights(options_.start, data.terms));
            std::vector<double> w;
            for (const auto& one : start) w.push_back(one.real());
            tell_batch_steps(out, data,
                             {*options_.rate, data.values, {"o", [](double sum) { return sum; }}, options_.epochs.value_or(1000)},
                             std::move(w));
        }
        auto done = TRY(trained(data, run, &out));
        out.note(fmt::format("After {}: loss {:.6g}; {}.", counted(done.epochs, "epoch"), done.history.back(),
                             weights_text(as_numbers(done.weights), data.terms)));
        return std::move(out).take();
    }

private:
    Steps steps() const { return options_.steps.value_or(Steps::batch); }

    Result<Descent> trained(const TrainingRows& data, const Run& run, DerivationWriter* told) const {
        auto start = TRY(starting_weights(options_.start, data.terms));
        std::vector<double> w;
        for (const auto& s : start) w.push_back(s.real());
        Pace pace{0, options_.epochs.value_or(1000), steps(), options_.tolerance.value_or(1e-12)};
        if (options_.rate) {
            pace.rate = options_.rate->real();
            return descend(with_one(data.x), data.values, data.weights, std::move(w), pace, run, told, data.terms);
        }
        // No rate given: columns are brought to mean 0 and spread 1, where one rate suits all, and the weights come back in their units.
        const Standard by = standard_of(data.x, data.weights);
        const Matrix x = with_one(standardised(data.x, by));
        pace.epochs = options_.epochs.value_or(20'000);
        pace.rate = pace.steps == Steps::batch ? 1 / largest_curvature(x, data.weights) : 0.1 / longest_row(x, data.weights);
        if (told)
            told->note(fmt::format(
                "The columns are scaled to mean 0 and standard deviation 1; rate {:.6g}; the weights here are for the scaled columns.",
                pace.rate));
        auto done = descend(x, data.values, data.weights, in_spreads(w, by), pace, run, told, data.terms);
        if (done) done->weights = in_units(done->weights, by);
        return done;
    }

    LinearOptions options_;
};

}  // namespace

LearnerPtr make_linear_unit(LinearOptions options) { return std::make_shared<const LinearUnit>(std::move(options)); }

}  // namespace credence::rt
