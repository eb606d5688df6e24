#include "runtime/judge/trials.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/parallel.hpp"
#include "runtime/core/parcels.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/learning/learning.hpp"

namespace credence::rt {

namespace {

std::vector<double> weights_at(std::span<const double> weights, std::span<const std::uint32_t> rows) {
    std::vector<double> out;
    if (!weights.empty())
        for (const auto r : rows) out.push_back(weights[r]);
    return out;
}

/// How a trial travels: what came of it, and what its learner had to say.
struct Tried {
    TrialResult result;
    std::vector<std::string> notes;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.result.outcomes);
        visit(self.result.fault);
        visit(self.notes);
    }
};

TrialResult run_trial(const Trial& trial, const Table& table, std::span<const double> weights, Run& run) {
    if (run.stopped()) return {{}, stopped_fault()};
    auto model = train(*trial.learner, {.table = &table, .rows = trial.train, .all = false}, {}, run);
    if (!model) return {{}, std::move(model).fault()};
    TrialResult out;
    for (const auto rows : trial.judged) {
        auto outcomes = evaluate(**model, {.table = &table, .rows = rows, .all = false}, weights_at(weights, rows), run);
        if (!outcomes) return {{}, std::move(outcomes).fault()};
        out.outcomes.push_back(*std::move(outcomes));
    }
    return out;
}

/// The notes of several trials, each once.
void tell_notes(const std::vector<Tried>& trials, const Run& run) {
    if (!run.note) return;
    std::vector<std::pair<std::string, std::size_t>> told;
    for (const auto& trial : trials)
        for (auto note = trial.notes.begin(); note != trial.notes.end(); ++note) {
            const std::string& text = *note;
            if (std::find(trial.notes.begin(), note, text) != note) continue;  // noted twice for one training
            const auto at = std::find_if(told.begin(), told.end(), [&](const auto& t) { return t.first == text; });
            if (at == told.end())
                told.emplace_back(text, 1);
            else
                ++at->second;
        }
    for (const auto& [text, times] : told)
        run.note(times == 1 ? text : fmt::format("{} (in {} of {} trainings)", text, times, trials.size()));
}

/// Outcomes of several folds as one, over the labels of all of them.
Outcomes pooled(std::span<const Outcomes* const> parts) {
    if (std::holds_alternative<NumberOutcomes>(*parts[0])) {
        NumberOutcomes out;
        for (const auto* part : parts) {
            const auto& p = std::get<NumberOutcomes>(*part);
            out.actual.insert(out.actual.end(), p.actual.begin(), p.actual.end());
            out.predicted.insert(out.predicted.end(), p.predicted.begin(), p.predicted.end());
            out.weights.insert(out.weights.end(), p.weights.begin(), p.weights.end());
        }
        return out;
    }
    std::vector<Label> labels = std::get<LabelOutcomes>(*parts[0]).labels->labels();
    for (const auto* part : parts)
        for (const auto& label : std::get<LabelOutcomes>(*part).labels->labels())
            if (!contains(labels, label)) labels.push_back(label);
    LabelOutcomes out;
    out.labels = make_domain(std::move(labels));
    for (const auto* part : parts) {
        const auto& p = std::get<LabelOutcomes>(*part);
        out.only_labels = p.only_labels;
        std::vector<std::size_t> code;
        for (const auto& label : p.labels->labels()) code.push_back(*out.labels->find(label));
        for (std::size_t i = 0; i < p.rows(); ++i) {
            out.actual.push_back(static_cast<std::int32_t>(code[static_cast<std::size_t>(p.actual[i])]));
            out.predicted.push_back(static_cast<std::int32_t>(code[static_cast<std::size_t>(p.predicted[i])]));
            const std::size_t begin = out.probabilities.size();
            out.probabilities.resize(begin + out.labels->size(), 0.0);
            for (std::size_t k = 0; k < code.size(); ++k) out.probabilities[begin + code[k]] = p.probabilities[i * code.size() + k];
        }
        out.weights.insert(out.weights.end(), p.weights.begin(), p.weights.end());
    }
    return out;
}

/// Fractions are for tables that a reader can follow. In the trials of a larger one they only cost time: 40 s for 506 rows left out one by
/// one from a regression, against 0.04 s.
bool fit_in_fractions(std::span<const Trial> trials, const Table& table) {
    constexpr std::size_t most_products = 50'000;
    std::size_t rows = 0;
    for (const auto& trial : trials) rows += trial.train.size();
    return rows * table.columns.size() * table.columns.size() <= most_products;
}

}  // namespace

std::vector<TrialResult> run_trials(std::span<const Trial> trials, const Table& table, std::span<const double> weights,
                                    std::string_view what, Run& run) {
    std::vector<Tried> tried(trials.size());
    const bool alone = std::any_of(trials.begin(), trials.end(), [](const Trial& t) { return t.learner->single_threaded(); });
    const unsigned threads = alone ? 1 : run.threads;
    const bool fractions = run.numbers != NumberMode::automatic || fit_in_fractions(trials, table);
    Progress progress(run, what, trials.size(), "trials", 10'000'000);
    progress.within(0);
    const auto one = [&](std::size_t i, std::size_t, std::size_t) {
        Run own = run;
        own.rng = run.rng.child(trials[i].stream);
        if (threads > 1) own.threads = 1;
        if (!fractions) own.numbers = NumberMode::real;
        // The learner's own notes are part of its trial.
        own.progress = nullptr;
        if (run.progress) own.progress = [&](const ProgressReport& inner) { progress.within(std::clamp(inner.share(), 0.0, 1.0)); };
        own.note = [&tried, i](std::string text) { tried[i].notes.push_back(std::move(text)); };
        tried[i].result = run_trial(trials[i], table, weights, own);
        progress.advance();
    };
    if (alone)  // what the script does in one of them, all ranks have to see
        parallel_chunks(trials.size(), 1, 1, one);
    else
        spread_chunks(run, {.n = trials.size()}, tried, one);
    tell_notes(tried, run);
    std::vector<TrialResult> out;
    for (auto& trial : tried) out.push_back(std::move(trial.result));
    return out;
}

Result<Table> table_for(const Learner& learner, const Table& table) {
    if (!table.target) {
        const std::string last = table.columns.empty() ? "Column" : table.columns.back()->name;
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} is evaluated on its predictions, and this table has no target column", learner.name()),
                     .hint = fmt::format("with_target(t, {}), load(…, target: {}), or `->` before it in a table block", last, last)};
    }
    const Column& target = *table.columns[*table.target];
    if (target.kind == ColumnKind::label || learner.target_for(target) != TargetKind::label) return table;
    auto labelled = TRY(as_labels(table, target.name));
    return *labelled;
}

Result<std::vector<RowList>> planned_folds(const Table& table, const FoldPlan& plan, const Run& run) {
    const RowList rows = rows_with_target(table);
    const std::size_t k = plan.leave_one_out ? rows.size() : plan.k.value_or(std::min<std::size_t>(10, rows.size()));
    return make_folds(table, rows, k, run.rng.child("folds"));
}

Result<std::vector<CrossValidation>> cross_validate(std::span<const LearnerPtr> learners, const Table& table, const FoldPlan& plan,
                                                    std::span<const double> weights, Run& run) {
    // Where one of them only classifies, all have to: a regression beside it reports that itself.
    const Column* target = table.target ? table.columns[*table.target].get() : nullptr;
    const auto classifies = std::find_if(learners.begin(), learners.end(), [&](const auto& l) {
        return target && target->kind == ColumnKind::numeric && l->target_for(*target) == TargetKind::label;
    });
    auto made = TRY(table_for(classifies == learners.end() ? *learners[0] : **classifies, table));
    const Table& judged = made;
    auto folds = TRY(planned_folds(judged, plan, run));
    const RowList rows = rows_with_target(judged);
    std::vector<RowList> others;
    for (const auto& fold : folds) others.push_back(rows_without(rows, fold));
    std::vector<Trial> trials;
    for (const auto& learner : learners)
        for (std::size_t f = 0; f < folds.size(); ++f) trials.push_back({learner.get(), others[f], {folds[f]}, f});
    auto results = run_trials(trials, judged, weights, "cross-validation", run);
    std::vector<CrossValidation> out;
    for (std::size_t l = 0; l < learners.size(); ++l) {
        std::vector<const Outcomes*> parts;
        CrossValidation one;
        for (std::size_t f = 0; f < folds.size(); ++f) {
            auto& result = results[l * folds.size() + f];
            if (result.fault) {
                if (result.fault->code != "E-STOP") result.fault->message += fmt::format(" (fold {} of {})", f + 1, folds.size());
                return *std::move(result.fault);
            }
            parts.push_back(&result.outcomes[0]);
            one.scores.push_back(score_of(result.outcomes[0]));
        }
        one.held_out = pooled(parts);
        out.push_back(std::move(one));
    }
    return out;
}

Result<LearningCurve> learning_curve(const Learner& learner, const Table& table, std::vector<std::size_t> sizes, const FoldPlan& plan,
                                     std::span<const double> weights, Run& run) {
    auto made = TRY(table_for(learner, table));
    const Table& judged = made;
    auto folds = TRY(planned_folds(judged, plan, run));
    const RowList rows = rows_with_target(judged);
    std::vector<RowList> orders;
    std::size_t most = rows.size();
    for (std::size_t f = 0; f < folds.size(); ++f) {
        orders.push_back(growing_order(judged, rows_without(rows, folds[f]), run.rng.child("growing").child(f)));
        most = std::min(most, orders.back().size());
    }
    if (sizes.empty())
        for (std::size_t step = 1; step <= 10; ++step)
            if (const std::size_t size = most * step / 10; size > 0 && (sizes.empty() || sizes.back() != size)) sizes.push_back(size);
    for (const auto size : sizes)
        if (size == 0 || size > most)
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("sizes must be from 1 to {}, the rows that {} folds leave for training; found {}", most,
                                                folds.size(), size)};
    std::vector<RowList> grown;  // ascending, so that the order of drawing reaches no learner
    for (const auto size : sizes)
        for (const auto& order : orders) {
            grown.emplace_back(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(size));
            std::sort(grown.back().begin(), grown.back().end());
        }
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < grown.size(); ++i) {
        const std::size_t f = i % folds.size();
        trials.push_back({&learner, grown[i], {grown[i], folds[f]}, f});
    }
    const auto results = run_trials(trials, judged, weights, "learning curve", run);
    LearningCurve out;
    std::optional<Fault> why;
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        CurvePoint point;
        point.size = sizes[s];
        std::vector<Number> train;
        std::vector<Number> test;
        for (std::size_t f = 0; f < folds.size(); ++f) {
            const auto& result = results[s * folds.size() + f];
            if (result.fault && result.fault->code == "E-STOP") return *result.fault;
            if (result.fault) {
                if (!why) why = result.fault;
                continue;
            }
            train.push_back(score_of(result.outcomes[0]));
            test.push_back(score_of(result.outcomes[1]));
            out.score = score_name(result.outcomes[0]);
        }
        point.trials = train.size();
        if (!train.empty()) {
            point.train = spread_of(train);
            point.test = spread_of(test);
        }
        out.points.push_back(std::move(point));
    }
    if (out.score.empty()) return *why;
    if (why && run.note) run.note(fmt::format("some training sets were too small: {}", why->message));
    return out;
}

}  // namespace credence::rt
