// The hidden Markov model as a Model: sampling and saving; hmm_learner.cpp trains it.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/latent/hmm_init.hpp"
#include "runtime/latent/hmm_learner.hpp"
#include "runtime/latent/saved_distribution.hpp"
#include "runtime/latent/sequence_data.hpp"
#include "runtime/latent/sequences.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

bool Hmm::has_holes() const {
    return start.empty() || std::any_of(move.begin(), move.end(), [](const auto& row) { return row.empty(); }) ||
           std::any_of(emit.begin(), emit.end(), [](const HmmEmission& e) { return e.hole || e.density_has_holes(); });
}

bool Hmm::is_exact() const {
    const auto exact = [](const std::vector<Number>& ps) {
        return std::all_of(ps.begin(), ps.end(), [](const Number& p) { return p.is_exact(); });
    };
    return symbols && exact(start) && std::all_of(move.begin(), move.end(), exact) &&
           std::all_of(emit.begin(), emit.end(), [&](const HmmEmission& e) { return exact(e.shares); });
}

namespace {

std::size_t drawn(std::span<const Number> shares, Rng& rng) {
    double u = rng.uniform();
    for (std::size_t i = 0; i + 1 < shares.size(); ++i) {
        u -= shares[i].real();
        if (u < 0) return i;
    }
    return shares.size() - 1;
}

/// The tables that are known: a row for each state.
ModelParts hmm_parts(const Hmm& hmm, const std::vector<double>& history) {
    ModelParts out;
    if (!hmm.start.empty()) out.push_back({"start", factor_over("state", hmm.states, hmm.start)});
    std::vector<Number> move;
    for (const auto& row : hmm.move) move.insert(move.end(), row.begin(), row.end());
    const std::size_t states = hmm.states->size();
    if (move.size() == states * states) out.push_back({"move", Factor::of_numbers({{"state", hmm.states}, {"next", hmm.states}}, move)});
    std::vector<Number> emit;
    ModelPart::NamedDistributions densities;
    for (std::size_t s = 0; s < states; ++s) {
        emit.insert(emit.end(), hmm.emit[s].shares.begin(), hmm.emit[s].shares.end());
        if (hmm.emit[s].density.given) densities.emplace_back((*hmm.states)[s].text(), hmm.emit[s].density.given);
    }
    if (hmm.symbols && emit.size() == states * hmm.symbols->size())
        out.push_back({"emit", Factor::of_numbers({{"state", hmm.states}, {"symbol", hmm.symbols}}, emit)});
    if (!densities.empty()) out.push_back({"emit", std::move(densities)});
    if (!history.empty()) out.push_back(figure("log_likelihood", history.back()));
    return out;
}

class DeclaredHmm final : public HmmModel {
public:
    DeclaredHmm(Hmm hmm, std::vector<double> history) : hmm_(std::move(hmm)), history_(std::move(history)) {}
    const Hmm& hmm() const override { return hmm_; }
    const std::vector<double>& history() const override { return history_; }
    std::string_view kind() const override { return "hmm"; }
    const Variables& variables() const override { return none_; }
    std::vector<MethodInfo> engines() const override { return {}; }
    std::vector<MethodInfo> training_methods() const override { return training_methods_of_parts(); }
    std::string description() const override {
        return fmt::format("{} states{}", hmm_.states->size(),
                           hmm_.symbols ? fmt::format(", {} symbols", hmm_.symbols->size()) : ", real-valued emissions");
    }
    ModelParts parts() const override { return hmm_parts(hmm_, history_); }
    /// P of tables of observations; where a table has a column `state`, of these together with the observations.
    Result<Answer> ask(const Query& query, Run& run) const override {
        if (!asks_for_tables(query))
            return Fault{.code = "E-QUERY",
                         .message = "a hidden Markov model is queried with functions",
                         .origin = query.origin,
                         .hint = "filter, smooth, viterbi, likelihood or ahead (model, observations); P(t) takes a table of observations"};
        if (hmm_.has_holes()) return untrained(query.origin);
        SequenceProduct product;
        for (const auto& data : query.targets.data) {
            const auto found = TRY(sequences_of({.table = data.table.get(), .rows = {}}, {}, hmm_));
            for (const auto& sequence : found.sequences) {
                const auto p = TRY(hmm_likelihood(hmm_, sequence, run));
                product.multiply(p.exact, p.log);
            }
        }
        return std::move(product).answer("forward");
    }
    Result<Derivation> explain(const Query&, const Answer&, Run&) const override { return Derivation{}; }

    Result<TablePtr> sample(std::size_t n, const Clause&, Run& run) const override {
        if (hmm_.has_holes()) return untrained();
        ColumnBuilder states("state");
        ColumnBuilder observations("observation");
        std::size_t state = 0;
        for (std::size_t t = 0; t < n; ++t) {
            state = drawn(t == 0 ? hmm_.start : hmm_.move[state], run.rng);
            states.add((*hmm_.states)[state]);
            if (hmm_.symbols) {
                observations.add((*hmm_.symbols)[drawn(hmm_.emit[state].shares, run.rng)]);
                continue;
            }
            const Outcome x = hmm_.emit[state].density.given->sample(run.rng);
            observations.add(Label::of_number(std::get<Number>(x)));
        }
        auto out = std::make_shared<Table>();
        out->row_count = n;
        for (auto* builder : {&states, &observations}) {
            auto column = TRY(std::move(*builder).finish());
            out->columns.push_back(std::move(column));
        }
        return TablePtr(std::move(out));
    }

    Result<LearnerPtr> trainer(const MethodCall& by) const override {
        if (!hmm_.has_holes())
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("{} has no holes (?): there is nothing to learn", hmm_.name),
                         .origin = by.origin};
        auto options = training_options(by);
        std::optional<Hmm> init;
        const auto& argument = options.init;
        if (const auto* numbers = argument ? std::get_if<std::vector<Number>>(&argument->value) : nullptr) {
            init = TRY(with_numbers(hmm_, *numbers, argument->origin));
        } else if (argument) {
            const auto* model = std::get_if<ModelPtr>(&argument->value);
            const auto* from = model ? dynamic_cast<const HmmModel*>(model->get()) : nullptr;
            const bool any_symbols = !hmm_.symbols && hmm_.emit[0].hole;
            const bool fits = from && !from->hmm().has_holes() && *from->hmm().states == *hmm_.states &&
                              (any_symbols ? from->hmm().symbols != nullptr
                                           : (from->hmm().symbols != nullptr) == (hmm_.symbols != nullptr) &&
                                                 (!hmm_.symbols || *from->hmm().symbols == *hmm_.symbols));
            if (!fits || (!from->hmm().symbols && !parameters_in(hmm_, from->hmm())))
                return Fault{.code = "E-PARAMETER",
                             .message =
                                 "init is a list of the numbers of the holes in order, or an hmm with the same states, symbols and "
                                 "families and numbers there",
                             .origin = argument->origin};
            init = from->hmm();
        }
        for (std::size_t j = 0; options.way == TrainingWay::gradient && !hmm_.symbols && j < hmm_.emit.size(); ++j)
            TRY(check_slopes(hmm_.emit[j].density, fmt::format("what {} emits", (*hmm_.states)[j].text()), by.origin));
        if (!options.restarts && !init) options.em.restarts = 5;
        return make_hmm_learner(hmm_, std::move(options), std::move(init));
    }

    Result<Json> save() const override {
        if (hmm_.has_holes()) return untrained();
        Json move = Json::array();
        Json emit = Json::array();
        for (const auto& row : hmm_.move) move.push_back(saved(std::span<const Number>(row)));
        for (const auto& e : hmm_.emit) {
            if (!e.density.given) {
                emit.push_back(saved(std::span<const Number>(e.shares)));
                continue;
            }
            auto density = saved_distribution(*e.density.given);
            if (!density) return density;
            emit.push_back(*std::move(density));
        }
        return Json{{"name", hmm_.name},
                    {"states", saved(*hmm_.states)},
                    {"symbols", hmm_.symbols ? saved(*hmm_.symbols) : Json()},
                    {"start", saved(std::span<const Number>(hmm_.start))},
                    {"move", std::move(move)},
                    {"emit", std::move(emit)},
                    {"history", saved(std::span<const double>(history_))}};
    }

private:
    Fault untrained(Origin origin = Origin::none) const {
        return {.code = "E-HOLE", .message = fmt::format("{} has unknown numbers (?): train it first", hmm_.name), .origin = origin};
    }

    Hmm hmm_;
    std::vector<double> history_;
    Variables none_;
};

}  // namespace

ModelPtr make_hmm_model(Hmm hmm, std::vector<double> history) {
    return std::make_shared<const DeclaredHmm>(std::move(hmm), std::move(history));
}

Result<ModelPtr> load_hmm(const Json& json) {
    Hmm hmm;
    hmm.name = TRY(read_text(json, "name"));
    for (const auto& [key, into] : {std::pair{"states", &hmm.states}, {"symbols", &hmm.symbols}}) {
        auto member = TRY(read_member(json, key));
        if (key[1] == 'y' && member->is_null()) continue;  // numbers are emitted
        auto domain = TRY(read_domain(*member));
        *into = std::move(domain);
    }
    hmm.start = TRY(read_numbers(json, "start"));
    const std::size_t k = hmm.states->size();
    for (const char* key : {"move", "emit"}) {
        auto rows = TRY(read_member(json, key));
        if (!rows->is_array() || rows->size() != k) return damaged(fmt::format("'{}' does not have one row for each state", key));
        for (const auto& row : *rows) {
            if (!hmm.symbols && key[0] == 'e') {
                auto density = TRY(load_distribution(row));
                hmm.emit.emplace_back().density.given = std::move(density);
                continue;
            }
            auto numbers = TRY(read_numbers(Json{{"row", row}}, "row"));
            const bool moves = key[0] == 'm';
            if (numbers.size() != (moves ? k : hmm.symbols->size())) return damaged(fmt::format("a row of '{}' has the wrong length", key));
            if (moves)
                hmm.move.push_back(std::move(numbers));
            else
                hmm.emit.emplace_back().shares = std::move(numbers);
        }
    }
    if (k == 0 || hmm.start.size() != k) return damaged("'start' does not have one number for each state");
    auto history = TRY(read_reals(json, "history"));
    return make_hmm_model(std::move(hmm), std::move(history));
}

}  // namespace credence::rt
