#include "runtime/prob/queries/best_assignments.hpp"

#include <algorithm>

#include "runtime/prob/queries/events.hpp"

namespace credence::rt {

namespace {

/// Assignments that share the values of the first variables and have others than these in the next.
struct Region {
    Assignment best;
    std::size_t fixed = 0;        // so many variables have the values of `best`
    std::vector<Label> excluded;  // values of the variable after them
};

class Search {
public:
    Search(const Model& model, std::span<const VarId> over, Origin origin, Run& run) : model_(model), over_(over), run_(run) {
        query_.targets.free.assign(over.begin(), over.end());
        query_.goal = Goal::most_probable;
        query_.origin = origin;
        query_.by.kept = true;  // as if chosen: a search would give the probability together with the evidence
    }

    /// What is taken out of a region leaves one region for each variable that is not fixed there (Lawler 1972).
    Result<BestAssignments> run(std::size_t k) {
        BestAssignments out;
        TRY(add({}));
        while (!regions_.empty() && out.assignments.size() < k) {
            auto best = std::max_element(regions_.begin(), regions_.end(),
                                         [](const auto& a, const auto& b) { return a.best.probability < b.best.probability; });
            const Region region = std::move(*best);
            regions_.erase(best);
            out.assignments.push_back(region.best);
            if (out.assignments.size() == k) break;
            for (std::size_t i = region.fixed; i < over_.size(); ++i) {
                Region rest{.best = region.best, .fixed = i, .excluded = {}};
                if (i == region.fixed) rest.excluded = region.excluded;
                rest.excluded.push_back(region.best.values[i].second);
                if (rest.excluded.size() < region.best.values[i].first.size()) TRY(add(std::move(rest)));
            }
        }
        out.engine = engine_;
        return out;
    }

private:
    /// Finds the most probable assignment of the region, if one is possible.
    Status add(Region region) {
        auto& events = query_.targets.events;
        events.clear();
        for (std::size_t i = 0; i < region.fixed; ++i) events.push_back(event_equal(over_[i], region.best.values[i].second, query_.origin));
        for (const auto& label : region.excluded) {
            Event other;
            other.kind = Event::Kind::negation;
            other.parts.push_back(event_equal(over_[region.fixed], label, query_.origin));
            events.push_back(std::move(other));
        }
        auto answer = model_.ask(query_, run_);
        const bool first = engine_.empty();
        if (!answer) {
            if (!first && answer.fault().code == "E-ZERO") return Done{};
            return std::move(answer).fault();
        }
        auto* best = std::get_if<Assignment>(&answer->value);
        if (best == nullptr || best->values.size() != over_.size())
            return Fault{
                .code = "E-QUERY", .message = "the most probable values of these variables cannot be found", .origin = query_.origin};
        if (first) {
            engine_ = answer->engine;
            // it gives the probability together with the evidence, and numbers have to compare
            if (engine_ == "branch_and_bound") query_.by.name = engine_;
        }
        if (best->probability.is_zero()) return Done{};
        region.best = std::move(*best);
        regions_.push_back(std::move(region));
        return Done{};
    }

    const Model& model_;
    std::span<const VarId> over_;
    Run& run_;
    Query query_;
    std::vector<Region> regions_;
    std::string engine_;
};

}  // namespace

Result<BestAssignments> best_assignments(const Model& model, std::span<const VarId> over, std::size_t k, Origin origin, Run& run) {
    return Search(model, over, origin, run).run(k);
}

}  // namespace credence::rt
