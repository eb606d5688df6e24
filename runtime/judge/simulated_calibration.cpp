#include "runtime/judge/simulated_calibration.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/special.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt {

namespace {

/// Numbers of the table's columns; nothing for columns of labels.
const Column* numbers_of(const Table& table, const std::string& name) {
    const auto at = table.find(name);
    if (!at || table.columns[*at]->kind != ColumnKind::numeric) return nullptr;
    return table.columns[*at].get();
}

class Simulation {
public:
    Simulation(ModelPtr model, std::span<const VarId> data, std::size_t draws) : model_(std::move(model)), data_(data), draws_(draws) {
        for (const auto id : listed_variables(*model_))
            if (!contains(data_, id)) others_.push_back(id);
    }

    /// The rank of each number that is not data; the first simulation finds which they are.
    Status run(SimulatedCalibration& out, Run& run) {
        const auto truth = TRY(model_->sample(1, {}, run));
        Condition condition;
        for (const auto id : data_) {
            const auto& name = model_->variables()[index(id)].variable.name;
            const auto at = truth->find(name);
            if (!at) return Fault{.code = "E-VARIABLE", .message = fmt::format("{} has no value in a draw of the model", name)};
            condition.given.events.push_back(event_equal(id, truth->columns[*at]->label(0), Origin::none));
        }
        const auto posterior = TRY(rt::condition(model_, std::move(condition), run));
        const auto drawn = TRY(posterior->sample(draws_ * thinning, {}, run));
        std::size_t k = 0;
        for (const auto id : others_) {
            const auto& name = model_->variables()[index(id)].variable.name;
            const Column* own = numbers_of(*truth, name);
            const Column* column = numbers_of(*drawn, name);
            if (!own || !column || own->is_missing(0)) continue;
            if (k == out.parameters.size()) {
                out.parameters.push_back(name);
                out.ranks.emplace_back();
            }
            const double value = own->number(0).real();
            std::size_t rank = 0;
            for (std::size_t d = 0; d < draws_; ++d) rank += column->number(d * thinning).real() < value ? 1 : 0;
            out.ranks[k++].push_back(rank);
        }
        return Done{};
    }

private:
    static constexpr std::size_t thinning = 10;  // neighbouring draws of a chain resemble each other

    ModelPtr model_;
    std::span<const VarId> data_;
    std::size_t draws_;
    std::vector<VarId> others_;
};

}  // namespace

std::vector<VarId> leaves_of(const Model& model) {
    const auto* graphical = dynamic_cast<const GraphicalModel*>(&model);
    if (!graphical) return {};
    const auto& nodes = graphical->net()->nodes;
    std::vector<bool> parent(nodes.size(), false);
    for (const auto& node : nodes)
        for (const auto id : node.parents) parent[index(id)] = true;
    std::vector<VarId> out;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!parent[i] && !nodes[i].parents.empty() && is_listed(model, static_cast<VarId>(i))) out.push_back(static_cast<VarId>(i));
    return out;
}

Result<SimulatedCalibration> simulate_calibration(const ModelPtr& model, std::span<const VarId> data, std::size_t simulations,
                                                  std::size_t draws, Run& run) {
    SimulatedCalibration out;
    out.draws = draws;
    Simulation simulation(model, data, draws);
    const Rng rng = run.rng.child("calibrate");
    Progress progress(run, "calibrate", simulations, "simulations", 1'000'000);
    for (std::size_t s = 0; s < simulations; ++s) {
        if (run.stopped()) return stopped_fault();
        Run own = run;
        own.rng = rng.child(s);
        own.progress = nullptr;
        TRY(simulation.run(out, own));
        progress.advance(1);
    }
    if (out.parameters.empty())
        return Fault{.code = "E-QUERY",
                     .message = "the model has no number that is not data",
                     .hint = "name the data: calibrate(Model, 99, observe: y)"};
    return out;
}

double uniformity(std::span<const std::size_t> ranks, std::size_t draws) {
    constexpr std::size_t least_in_bin = 5;
    constexpr std::size_t most_bins = 20;
    const std::size_t bins = std::clamp<std::size_t>(ranks.size() / least_in_bin, 2, most_bins);
    std::vector<double> counts(bins, 0.0);
    std::vector<double> expected(bins, 0.0);
    for (std::size_t rank = 0; rank <= draws; ++rank)
        expected[rank * bins / (draws + 1)] += static_cast<double>(ranks.size()) / static_cast<double>(draws + 1);
    for (const auto rank : ranks) counts[rank * bins / (draws + 1)] += 1;
    double statistic = 0;
    for (std::size_t b = 0; b < bins; ++b) statistic += (counts[b] - expected[b]) * (counts[b] - expected[b]) / expected[b];
    return gamma_upper(0.5 * static_cast<double>(bins - 1), 0.5 * statistic);
}

}  // namespace credence::rt
