#include "runtime/latent/hmm_learner.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/latent/hmm_counting.hpp"
#include "runtime/latent/hmm_gradient.hpp"
#include "runtime/latent/sequences.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

class BaumWelch {
public:
    BaumWelch(const Hmm& hmm, std::vector<Sequence> sequences, std::vector<double> weights, std::optional<HmmParameters> init)
        : hmm_(&hmm), sequences_(std::move(sequences)), weights_(std::move(weights)), init_(std::move(init)), k_(hmm.states->size()) {
        if (!hmm.symbols) numbers_.emplace(hmm, sequences_, weights_);
    }

    HmmParameters start(std::size_t restart, Rng& rng) const {
        if (init_ && restart == 0) return *init_;
        HmmParameters p;
        const auto draw = [&](std::size_t n) {  // about uniform: equal rows would never part
            std::vector<double> row(n);
            double sum = 0;
            for (double& x : row) sum += x = 1 + rng.uniform();
            for (double& x : row) x /= sum;
            return row;
        };
        const auto given = [](const std::vector<Number>& row) {
            std::vector<double> out;
            for (const auto& x : row) out.push_back(x.real());
            return out;
        };
        p.start = hmm_->start.empty() ? draw(k_) : given(hmm_->start);
        for (const auto& row : hmm_->move) {
            const auto values = row.empty() ? draw(k_) : given(row);
            p.move.insert(p.move.end(), values.begin(), values.end());
        }
        if (hmm_->symbols) {
            const std::size_t m = hmm_->symbols->size();
            p.emit.resize(m * k_);
            for (std::size_t j = 0; j < k_; ++j) {
                const auto values = hmm_->emit[j].hole ? draw(m) : given(hmm_->emit[j].shares);
                for (std::size_t s = 0; s < m; ++s) p.emit[s * k_ + j] = values[s];
            }
            return p;
        }
        p.theta = numbers_->start(restart, rng);
        return p;
    }

    /// Expected counts of starts, moves and emissions under `now`.
    Result<double> expect(const HmmParameters& now, HmmCounts& counts) {
        const HmmArrays a{k_, now.start, now.move, {}};
        if (numbers_) numbers_->rows(now.theta, rows_, shift_);
        const std::vector<double>& rows = numbers_ ? rows_ : now.emit;
        counts.start.assign(k_, 0.0);
        counts.move.assign(k_ * k_, 0.0);
        counts.emit.assign(rows.size(), 0.0);
        double log = 0;
        for (std::size_t q = 0; q < sequences_.size(); ++q) {
            const Sequence& s = sequences_[q];
            const std::size_t n = s.size();
            const double w = weights_.empty() ? 1.0 : weights_[q];
            auto& emissions = emissions_;
            auto& posterior = posterior_;
            emissions.resize(n * k_);
            posterior.resize(n * k_);
            double shift = 0;
            for (std::size_t t = 0; t < n; ++t) {
                const auto code = s.codes[t];
                double* const emission = emissions.data() + t * k_;
                if (code < 0)
                    std::fill_n(emission, k_, 1.0);
                else
                    std::copy_n(rows.data() + static_cast<std::size_t>(code) * k_, k_, emission);
                if (code >= 0 && numbers_) shift += shift_[static_cast<std::size_t>(code)];
                for (std::size_t j = 0; !s.states.empty() && s.states[t] >= 0 && j < k_; ++j)  // what was seen is certain
                    if (static_cast<std::size_t>(s.states[t]) != j) emissions[t * k_ + j] = 0;
            }
            std::vector<double> expected(k_ * k_);
            const double likelihood = forward_backward(a, emissions, n, posterior, expected);
            if (std::isinf(likelihood))
                return Fault{.code = "E-ZERO",
                             .message = fmt::format("sequence {} is impossible under the numbers that {} starts from", q + 1, hmm_->name)};
            log += w * (likelihood + shift);
            for (std::size_t j = 0; j < k_; ++j) counts.start[j] += w * posterior[j];
            for (std::size_t i = 0; i < expected.size(); ++i) counts.move[i] += w * expected[i];
            for (std::size_t t = 0; t < n; ++t)
                for (std::size_t j = 0; s.codes[t] >= 0 && j < k_; ++j)
                    counts.emit[static_cast<std::size_t>(s.codes[t]) * k_ + j] += w * posterior[t * k_ + j];
        }
        return log;
    }

    /// The parameters that the expected counts under `now` make most probable.
    Result<double> step(const HmmParameters& now, HmmParameters& next, Run&) {
        auto log = expect(now, counts_);
        if (!log) return log;
        const auto& [start_count, moves, emit_count] = counts_;
        next = now;
        if (hmm_->start.empty()) normalised(start_count, now.start, next.start);
        for (std::size_t i = 0; i < k_; ++i)
            if (hmm_->move[i].empty())
                normalised(std::span(moves).subspan(i * k_, k_), std::span(now.move).subspan(i * k_, k_),
                           std::span(next.move).subspan(i * k_, k_));
        for (std::size_t j = 0; j < k_; ++j) {
            const HmmEmission& e = hmm_->emit[j];
            if (e.hole) {
                double total = 0;
                for (std::size_t c = j; c < emit_count.size(); c += k_) total += emit_count[c];
                for (std::size_t c = j; total > 0 && c < emit_count.size(); c += k_) next.emit[c] = emit_count[c] / total;
            }
        }
        if (numbers_) numbers_->maximise(emit_count, next.theta);
        return log;
    }

    Result<EmOutcome<HmmParameters>> climb(HmmParameters start, const GradientOptions& options, Run& run) {
        double steps = 0;
        for (std::size_t q = 0; q < sequences_.size(); ++q)
            steps += static_cast<double>(sequences_[q].size()) * (weights_.empty() ? 1.0 : weights_[q]);
        return climb_hmm(
            *hmm_, std::move(start), [this](const HmmParameters& now, HmmCounts& counts) { return expect(now, counts); },
            numbers_ ? &*numbers_ : nullptr, steps, options, run);
    }

    bool collapsed(const HmmParameters& p) const { return numbers_ && numbers_->collapsed(p.theta); }

private:
    /// Counts as shares; what was never visited keeps what it had.
    static void normalised(std::span<const double> counts, std::span<const double> before, std::span<double> out) {
        double total = 0;
        for (const double c : counts) total += c;
        for (std::size_t i = 0; i < counts.size(); ++i) out[i] = total > 0 ? counts[i] / total : before[i];
    }

    const Hmm* hmm_;
    std::vector<Sequence> sequences_;
    std::vector<double> weights_;
    std::optional<HmmParameters> init_;
    std::size_t k_;
    std::optional<EmittedNumbers> numbers_;
    std::vector<double> rows_;  ///< P(value | state) of numbers, value × state, with what was taken out of each row
    std::vector<double> shift_;
    std::vector<double> emissions_;  ///< steps × states, kept from one iteration to the next
    std::vector<double> posterior_;
    HmmCounts counts_;
};

std::vector<Number> reals_of(std::span<const double> values) {
    std::vector<Number> out;
    for (const double v : values) out.push_back(Number::real(v));
    return out;
}

Result<Hmm> filled(const Hmm& hmm, const HmmParameters& p) {
    Hmm out = hmm;
    const std::size_t k = hmm.states->size();
    if (out.start.empty()) out.start = reals_of(p.start);
    for (std::size_t i = 0; i < k; ++i)
        if (out.move[i].empty()) out.move[i] = reals_of(std::span(p.move).subspan(i * k, k));
    for (std::size_t j = 0; j < k; ++j) {
        HmmEmission& e = out.emit[j];
        if (e.hole) {
            for (std::size_t c = j; c < p.emit.size(); c += k) e.shares.push_back(Number::real(p.emit[c]));
            e.hole = false;
        }
    }
    MixtureParameters densities{std::vector<double>(k), p.theta};
    if (!hmm.symbols) TRY(fill_densities(out, numbers_of(densities)));
    return out;
}

class HmmLearner final : public Learner {
public:
    HmmLearner(Hmm hmm, TrainingOptions options, std::optional<Hmm> init)
        : hmm_(std::move(hmm)), options_(std::move(options)), init_(std::move(init)) {}
    std::string_view name() const override { return "hmm"; }
    TargetKind target() const override { return TargetKind::none; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto found = TRY(search(rows, weights, run));
        if (found.counted) return make_hmm_model(*std::move(found.counted));
        note_unsettled(found.best.converged, options_, run);
        if (run.note && found.problem->collapsed(found.best.parameters))
            run.note(
                "a state has shrunk onto a single value: its spread is held at a thousandth of the data's. Fewer states, or a known "
                "spread, fit these data better");
        report_saddle(*found.hmm, found.best.parameters, run);
        auto learned = TRY(filled(*found.hmm, found.best.parameters));
        return make_hmm_model(std::move(learned), std::move(found.best.history));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model&, Run& run) const override {
        auto found = TRY(search(rows, weights, run));
        DerivationWriter out;
        if (found.counted) {
            out.formula(options_.m.is_zero() ? "P(x | u) = n(x, u) / n(u)" : "P(x | u) = (n(x, u) + m / k) / (n(u) + m)");
            out.note(
                "n counts starts, moves from u to x, and observations x of the state u; densities are fitted to the observations of "
                "theirs.");
            tell_learned(*found.hmm, parameters_of(*found.hmm, *found.counted), out);
            return std::move(out).take();
        }
        if (options_.way == TrainingWay::gradient) {
            out.formula("d ln P(D) / d w = the expected number of its uses / w, without what would change the sum of a row");
            tell_starts(options_.em.restarts, found.best.start, out);
            tell_climb(found.best.history, out);
            tell_learned(*found.hmm, found.best.parameters, out);
            return std::move(out).take();
        }
        out.formula("E: expected starts, moves and emissions, P(state at t | all observations) summed over t (forward and backward)");
        out.formula("M: shares of these counts; the parameters of a density maximise the likelihood of its weighted observations");
        tell_starts(options_.em.restarts, found.best.start, out);
        const auto values = [&](const HmmParameters& now) { return learned_values(*found.hmm, now); };
        TRY(tell_iterations(*found.problem, found.best, learned_names(*found.hmm), values, out, run));
        return std::move(out).take();
    }

private:
    /// Two states that started with the same emissions and moves have the same share of every step, and so stay alike.
    static void report_saddle(const Hmm& hmm, const HmmParameters& p, Run& run) {
        const std::size_t k = hmm.states->size();
        for (std::size_t b = 1; run.note && b < k; ++b)
            for (std::size_t a = 0; a < b; ++a) {
                bool alike = hmm.symbols || (!p.theta[a].empty() && p.theta[a] == p.theta[b]);  // given densities differ
                for (std::size_t at = 0; alike && at < p.emit.size(); at += k) alike = p.emit[at + a] == p.emit[at + b];
                for (std::size_t to = 0; alike && to < k; ++to) alike = p.move[a * k + to] == p.move[b * k + to];
                if (!alike) continue;
                return run.note(
                    fmt::format("the states {} and {} are alike: training started at a saddle, where nothing tells them apart; give them "
                                "different numbers in init",
                                (*hmm.states)[a].text(), (*hmm.states)[b].text()));
            }
    }

    struct Search {
        std::shared_ptr<Hmm> hmm;
        std::shared_ptr<BaumWelch> problem;
        EmOutcome<HmmParameters> best;
        std::optional<Hmm> counted;  ///< where all states were seen, in place of the rest
    };

    Result<Search> search(const TableView& rows, std::span<const double> weights, Run& run) const {
        Search out;
        out.hmm = std::make_shared<Hmm>(hmm_);
        Hmm& hmm = *out.hmm;
        if (!hmm.symbols && hmm.emit[0].hole && init_) {
            hmm.symbols = init_->symbols;
        } else if (!hmm.symbols && hmm.emit[0].hole) {  // `emit ?`: the symbols are those of the data
            hmm.symbols = TRY(symbols_in(rows, hmm.name));
        }
        auto data = TRY(sequences_of(rows, weights, hmm));
        if (options_.way == TrainingWay::counting || (options_.way == TrainingWay::chosen_by_data && data.hidden_states == 0)) {
            out.counted = TRY(counted_hmm(hmm, rows, data, options_.m, run));
            return out;
        }
        std::optional<HmmParameters> from;
        if (init_) from = parameters_of(hmm, *init_);
        out.problem = std::make_shared<BaumWelch>(hmm, std::move(data.sequences), std::move(data.weights), std::move(from));
        out.best = TRY(options_.way == TrainingWay::gradient
                           ? best_of_starts<HmmParameters>(*out.problem, options_.em, run,
                                                           [&](std::size_t, HmmParameters start) {
                                                               return out.problem->climb(std::move(start), options_.gradient, run);
                                                           })
                           : run_em<HmmParameters>(*out.problem, options_.em, run));
        return out;
    }

    /// The numbers that `known` has in the place of the holes.
    static HmmParameters parameters_of(const Hmm& hmm, const Hmm& known) {
        const HmmArrays a = arrays_of(known);
        return {a.start, a.move, a.emit, known.symbols ? StateParameters() : parameters_in(hmm, known).value_or(StateParameters())};
    }

    /// Each number that was learned on a line of its own.
    static void tell_learned(const Hmm& hmm, const HmmParameters& p, DerivationWriter& out) {
        const auto names = learned_names(hmm);
        const auto values = learned_values(hmm, p);
        for (std::size_t i = 0; i < names.size(); ++i) out.note(fmt::format("{} {:.6g}", names[i], values[i]));
    }

    /// The numbers that are learned, in the order of the declaration.
    template <class F>
    static void each_learned(const Hmm& hmm, F visit) {
        const std::size_t k = hmm.states->size();
        const auto state = [&](std::size_t j) { return (*hmm.states)[j].text(); };
        for (std::size_t j = 0; hmm.start.empty() && j < k; ++j)
            visit("start " + state(j), [j](const HmmParameters& p) { return p.start[j]; });
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; hmm.move[i].empty() && j < k; ++j)
                visit(state(i) + " to " + state(j), [=](const HmmParameters& p) { return p.move[i * k + j]; });
        for (std::size_t j = 0; j < k; ++j) {
            const HmmEmission& e = hmm.emit[j];
            for (std::size_t c = 0; e.hole && c < hmm.symbols->size(); ++c)
                visit(state(j) + " gives " + (*hmm.symbols)[c].text(), [=](const HmmParameters& p) { return p.emit[c * k + j]; });
            for (std::size_t p = 0; e.density_has_holes() && p < e.density.parameters.size(); ++p)
                if (!e.density.parameters[p])
                    visit(fmt::format("{} of {}", e.density.family->parameters[p].name, state(j)),
                          [=](const HmmParameters& all) { return all.theta[j][p]; });
        }
    }
    static std::vector<std::string> learned_names(const Hmm& hmm) {
        std::vector<std::string> out;
        each_learned(hmm, [&](std::string name, auto) { out.push_back(std::move(name)); });
        return out;
    }
    static std::vector<double> learned_values(const Hmm& hmm, const HmmParameters& p) {
        std::vector<double> out;
        each_learned(hmm, [&](const std::string&, auto value) { out.push_back(value(p)); });
        return out;
    }

    Hmm hmm_;
    TrainingOptions options_;
    std::optional<Hmm> init_;
};

}  // namespace

LearnerPtr make_hmm_learner(Hmm hmm, TrainingOptions options, std::optional<Hmm> init) {
    const std::string counts = options.counts;
    LearnerPtr learner = std::make_shared<const HmmLearner>(std::move(hmm), std::move(options), std::move(init));
    return counts.empty() ? learner : weighted_by(std::move(learner), counts);
}

}  // namespace credence::rt
