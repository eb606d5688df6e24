// Training a mixture, and the trace of it: E[z_ij] and the new parameters by iteration, as in Mitchell's example of two means (1997,
// §6.12.1).

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/latent/mixture_counting.hpp"
#include "runtime/latent/mixture_em.hpp"
#include "runtime/latent/mixture_gradient.hpp"
#include "runtime/latent/part_climb.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/learning/training_methods.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t usual_starts = 5;
constexpr std::size_t more_starts = 10;
/// What a trace writes out: all rows of small data, all iterations of short runs.
constexpr std::size_t rows_told = 10;
constexpr std::size_t detailed_iterations = 2;
constexpr std::size_t iterations_told = 40;

std::string numbered(std::span<const std::string> names, std::span<const double> values) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) out += fmt::format("{}{} = {:.6g}", i ? ", " : "", names[i], values[i]);
    return out;
}

class MixtureLearner final : public Learner {
public:
    MixtureLearner(Mixture mixture, TrainingOptions options, std::optional<MixtureParameters> init)
        : mixture_(std::move(mixture)), options_(std::move(options)), init_(std::move(init)) {}
    std::string_view name() const override { return "mixture"; }
    TargetKind target() const override { return TargetKind::none; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(mixture_data(mixture_, rows, weights, run));
        if (options_.way == TrainingWay::counting && !data.complete())
            return Fault{
                .code = "E-TRAIN",
                .message = fmt::format("counting trains {} only if each row names its component, and these rows do not", mixture_.name),
                .hint = "give a column component with 1, 2, …, or train by em"};
        MixtureProblem problem(mixture_, data, init_);
        auto best = TRY(search(problem, data, run));
        if (run.note) report(best, data, run);
        MixtureFit fit;
        fit.history = std::move(best.history);
        MixtureNumbers numbers = numbers_of(best.parameters);
        if (counts(data)) {
            numbers = counted_numbers(mixture_, data, best.parameters, options_.m, run);
            for (std::size_t j = 0; j < numbers.weights.size(); ++j) best.parameters.weights[j] = numbers.weights[j].real();
            std::vector<double> z;
            auto likelihood = TRY(problem.responsibilities(best.parameters, z));
            fit.history = {likelihood};
        }
        auto learned = TRY(filled(mixture_, numbers, data.domain));
        fit.parameters = hole_values(mixture_, numbers);
        fit.rows = data.total;
        fit.free_parameters = free_parameters(mixture_, data.domain ? data.domain->size() : 0);
        return make_mixture_model(std::move(learned), std::move(fit));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        auto data = TRY(mixture_data(mixture_, rows, weights, run));
        if (counts(data)) return tell_counts(data, fitted);
        MixtureProblem problem(mixture_, data, init_);
        auto best = TRY(search(problem, data, run));
        if (options_.way == TrainingWay::gradient) return tell_gradient(data, best);
        return trace(problem, data, best, run);
    }

private:
    bool counts(const MixtureData& data) const {
        return options_.way == TrainingWay::counting || (options_.way == TrainingWay::chosen_by_data && data.complete());
    }

    Result<EmOutcome<MixtureParameters>> search(MixtureProblem& problem, const MixtureData& data, Run& run) const {
        TrainingOptions options = options_;
        options.em = options_for(data);
        if (options_.way == TrainingWay::gradient) return climb_mixture(mixture_, data, problem, options, run);
        return run_em<MixtureParameters>(problem, options.em, run);
    }

    /// With every component seen there is one answer, and one step finds it (a few for Student's t, whose own step is a search).
    EmOptions options_for(const MixtureData& data) const {
        EmOptions out = options_.em;
        if (data.complete()) out.restarts = 1;
        return out;
    }

    /// Parts that started alike have the same shares of every value, and so stay alike.
    void report_saddle(const EmOutcome<MixtureParameters>& best, Run& run) const {
        const auto& theta = best.parameters.theta;
        for (std::size_t j = 0; j < mixture_.parts.size(); ++j)
            for (std::size_t l = 0; l < j; ++l) {
                const bool learned = mixture_.parts[j].has_holes() && mixture_.parts[l].has_holes();
                if (!learned || mixture_.parts[j].family != mixture_.parts[l].family || theta[j].empty() || theta[j] != theta[l]) continue;
                run.note(
                    fmt::format("components {} and {} are alike: training started at a saddle, where nothing tells them apart; give "
                                "them different numbers in init",
                                l + 1, j + 1));
                return;
            }
    }

    void report(const EmOutcome<MixtureParameters>& best, const MixtureData& data, Run& run) const {
        note_unsettled(best.converged, options_, run);
        if (!data.complete()) report_saddle(best, run);
        if (best.spurious > 0 && !best.is_spurious) {
            run.note(fmt::format("{} ended with a component that had shrunk onto a single value, and {} discarded",
                                 counted(best.spurious, "start"), best.spurious == 1 ? "was" : "were"));
            return;
        }
        for (std::size_t j = 0; j < mixture_.parts.size(); ++j)
            if (at_bound(mixture_.parts[j], data, best.parameters.theta[j]))
                run.note(
                    fmt::format("component {} has shrunk onto a single value, where the likelihood has no bound: its spread is held at a "
                                "thousandth of the data's. Fewer components, or a known spread, fit these data better",
                                j + 1));
    }

    /// Shares and averages of the rows of each component.
    Derivation tell_counts(const MixtureData& data, const Model& fitted) const {
        DerivationWriter out;
        out.formula(options_.m.is_zero() ? "P(component = j) = n_j / n" : "P(component = j) = (n_j + m / k) / (n + m)");
        out.note("n_j counts the rows of component j; its parameters are those that make these rows most probable.");
        if (!options_.m.is_zero()) out.note("Shares of labels within a component are estimated like those of the components.");
        std::vector<double> rows(mixture_.parts.size());
        for (std::size_t i = 0; i < data.values.size(); ++i) rows[static_cast<std::size_t>(data.known[i])] += data.weights[i];
        for (std::size_t j = 0; j < rows.size(); ++j) out.note(fmt::format("n_{} = {:.6g}", j + 1, rows[j]));
        std::vector<double> values;
        for (const auto& n : dynamic_cast<const MixtureModel&>(fitted).fit()->parameters) values.push_back(n.real());
        out.note("in the end: " + numbered(hole_names(mixture_, data.domain), values));
        return std::move(out).take();
    }

    Derivation tell_gradient(const MixtureData& data, const EmOutcome<MixtureParameters>& best) const {
        DerivationWriter out;
        out.formula("d ln P(D) / d weight_j = sum over i of E[z_ij] / weight_j, without what would change the sum of the weights");
        out.formula("d ln P(D) / d theta_j = sum over i of E[z_ij] * d ln P(x_i | component = j) / d theta_j");
        tell_starts(options_.em.restarts, best.start, out);
        tell_climb(best.history, out);
        out.note("in the end: " + numbered(hole_names(mixture_, data.domain), hole_values(mixture_, best.parameters)));
        return std::move(out).take();
    }

    Result<Derivation> trace(const MixtureProblem& problem, const MixtureData& data, const EmOutcome<MixtureParameters>& best,
                             Run& run) const {
        const auto names = hole_names(mixture_, data.domain);
        const std::size_t k = mixture_.parts.size();
        const std::size_t steps = best.history.size() - 1;
        DerivationWriter out;
        out.formula("E[z_ij] = P(component = j) * P(x_i | component = j) / sum over n of P(component = n) * P(x_i | component = n)");
        out.formula("new parameters of j: those that make the x_i most probable, each counted E[z_ij] times");
        tell_starts(std::max(options_.em.restarts, best.start + 1), best.start, out);
        Rng rng = run.rng.child("em").child(best.start);
        MixtureParameters now = problem.start(best.start, rng);
        MixtureParameters next = now;
        out.note("start: " + numbered(names, hole_values(mixture_, now)));
        for (std::size_t i = 0; i < steps; ++i) {
            TRY(problem.step(now, next, run));
            const bool told = steps <= iterations_told || i < iterations_told / 2 || i + iterations_told / 2 >= steps;
            if (i < detailed_iterations) {
                TRY(tell_expectations(problem, data, now, i + 1, out));
                tell_maximisation(problem, data, now, next, out);
            }
            if (told)
                out.note(fmt::format("iteration {}: {}; ln P(data) = {:.6f}", i + 1, numbered(names, hole_values(mixture_, next)),
                                     best.history[i + 1]));
            else if (i == iterations_told / 2)
                out.note(fmt::format("… {} iterations …", steps - 2 * (iterations_told / 2)));
            std::swap(now, next);
        }
        if (steps > detailed_iterations && k > 0) TRY(tell_expectations(problem, data, now, steps, out, "in the end"));
        out.note(fmt::format("ln P(data) rose from {:.6f} to {:.6f} in {}{}", best.history.front(), best.history.back(),
                             counted(steps, "iteration"), best.converged ? ", and then no more" : ""));
        return std::move(out).take();
    }

    Status tell_expectations(const MixtureProblem& problem, const MixtureData& data, const MixtureParameters& now, std::size_t iteration,
                             DerivationWriter& out, std::string_view when = {}) const {
        std::vector<double> z;
        TRY(problem.responsibilities(now, z));
        const std::size_t k = mixture_.parts.size();
        out.note(when.empty() ? fmt::format("iteration {}, E[z_ij]:", iteration) : fmt::format("{}, E[z_ij]:", when));
        for (std::size_t row = 0; row < std::min(data.value_of_row.size(), rows_told); ++row) {
            const std::size_t i = data.value_of_row[row];
            const std::string value =
                data.domain ? (*data.domain)[static_cast<std::size_t>(data.values[i])].text() : fmt::format("{:.6g}", data.values[i]);
            std::string line = fmt::format("  x_{} = {}:", row + 1, value);
            for (std::size_t j = 0; j < k; ++j) line += fmt::format(" {:.6f}", z[j * data.values.size() + i]);
            out.note(std::move(line));
        }
        if (data.value_of_row.size() > rows_told) out.note(fmt::format("  … and {} more", data.value_of_row.size() - rows_told));
        return Done{};
    }

    /// The sums that the new means and weights are quotients of.
    void tell_maximisation(const MixtureProblem& problem, const MixtureData& data, const MixtureParameters& now, const MixtureParameters&,
                           DerivationWriter& out) const {
        std::vector<double> z;
        if (!problem.responsibilities(now, z)) return;
        const std::size_t k = mixture_.parts.size();
        for (std::size_t j = 0; j < k; ++j) {
            double count = 0;
            double sum = 0;
            for (std::size_t i = 0; i < data.values.size(); ++i) {
                count += data.weights[i] * z[j * data.values.size() + i];
                sum += data.weights[i] * z[j * data.values.size() + i] * data.values[i];
            }
            std::string line = fmt::format("  component {}: sum of E[z] = {:.6g}", j + 1, count);
            if (!data.domain && count > 0) line += fmt::format(", sum of E[z] x = {:.6g}, quotient {:.6g}", sum, sum / count);
            out.note(std::move(line));
        }
    }

    Mixture mixture_;
    TrainingOptions options_;
    std::optional<MixtureParameters> init_;
};

}  // namespace

Result<LearnerPtr> mixture_trainer(const Mixture& mixture, const MethodCall& by) {
    if (!mixture.has_holes())
        return Fault{
            .code = "E-TRAIN", .message = fmt::format("{} has no holes (?): there is nothing to learn", mixture.name), .origin = by.origin};
    auto options = training_options(by);
    for (std::size_t j = 0; options.way == TrainingWay::gradient && j < mixture.parts.size(); ++j)
        TRY(check_slopes(mixture.parts[j], fmt::format("component {} of {}", j + 1, mixture.name), by.origin));
    std::optional<MixtureParameters> init;
    if (const auto& argument = options.init) {
        Result<MixtureParameters> start = Fault{.code = "E-PARAMETER",
                                                .message = "init is a list of numbers, one for each hole, or a mixture with numbers",
                                                .origin = argument->origin};
        if (const auto* numbers = std::get_if<std::vector<Number>>(&argument->value)) {
            std::vector<double> holes;
            for (const auto& n : *numbers) holes.push_back(n.real());
            start = mixture_start(mixture, holes, argument->origin);
        } else if (const auto* model = std::get_if<ModelPtr>(&argument->value)) {
            if (const auto* from = dynamic_cast<const MixtureModel*>(model->get()))
                start = mixture_start(mixture, from->mixture(), argument->origin);
        }
        if (!start) return std::move(start).fault();
        init = *std::move(start);
    }
    if (!init) {
        options.em.more_starts = more_starts;
        if (!options.restarts) options.em.restarts = usual_starts;
    }
    std::string counts = options.counts;
    LearnerPtr learner = std::make_shared<const MixtureLearner>(mixture, std::move(options), std::move(init));
    return counts.empty() ? learner : weighted_by(std::move(learner), std::move(counts));
}

}  // namespace credence::rt
