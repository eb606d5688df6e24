// Messages along a junction tree, in fractions: for nets that are small enough to be answered exactly.

#include <algorithm>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_measure.hpp"

namespace credence::rt {

namespace {

struct CliqueTree {
    std::vector<std::vector<Slot>> cliques;            ///< variables ascending
    std::vector<std::vector<std::size_t>> neighbours;  ///< by clique
};

/// The cliques that eliminating in this order makes, joined where their separators lead.
CliqueTree clique_tree(std::vector<std::vector<Slot>> scopes, std::span<const Slot> order) {
    CliqueTree out;
    std::vector<std::int64_t> position(order.empty() ? 0 : *std::max_element(order.begin(), order.end()) + 1, -1);
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<std::int64_t>(i);
    for (const auto v : order) {
        std::vector<Slot> clique{v};
        for (const auto& scope : scopes)
            if (contains(scope, v)) clique.insert(clique.end(), scope.begin(), scope.end());
        std::sort(clique.begin(), clique.end());
        clique.erase(std::unique(clique.begin(), clique.end()), clique.end());
        std::erase_if(scopes, [&](const auto& scope) { return contains(scope, v); });
        std::vector<Slot> rest = clique;
        std::erase(rest, v);
        if (!rest.empty()) scopes.push_back(rest);
        out.cliques.push_back(std::move(clique));
    }
    out.neighbours.resize(out.cliques.size());
    for (std::size_t i = 0; i + 1 < out.cliques.size(); ++i) {
        std::size_t to = out.cliques.size() - 1;  // a component without a separator is attached to the last clique: its message is a number
        for (const auto v : out.cliques[i])
            if (v != order[i]) to = std::min(to, static_cast<std::size_t>(position[v]));
        out.neighbours[i].push_back(to);
        out.neighbours[to].push_back(i);
    }
    return out;
}

bool includes(const std::vector<Slot>& clique, std::span<const Slot> variables) {
    return std::all_of(variables.begin(), variables.end(), [&](Slot v) { return std::binary_search(clique.begin(), clique.end(), v); });
}

/// The first clique that has them all.
std::size_t home_of(const CliqueTree& tree, std::span<const Slot> variables) {
    std::size_t at = 0;
    while (!includes(tree.cliques[at], variables)) ++at;
    return at;
}

template <Prob P>
class Collector {
public:
    Collector(const Problem<P>& problem, const CliqueTree& tree, std::vector<std::vector<Potential<P>>> tables, Work& work)
        : problem_(&problem), tree_(&tree), tables_(std::move(tables)), work_(&work) {}

    /// The product of a clique's tables and of the messages from all neighbours but one, summed down to `keep`.
    Result<Potential<P>> collect(std::size_t clique, std::size_t except, std::span<const Slot> keep) {
        Problem<P> local{problem_->sizes, problem_->names, tables_[clique]};
        for (const auto other : tree_->neighbours[clique]) {
            if (other == except) continue;
            std::vector<Slot> separator;
            std::set_intersection(tree_->cliques[clique].begin(), tree_->cliques[clique].end(), tree_->cliques[other].begin(),
                                  tree_->cliques[other].end(), std::back_inserter(separator));
            auto message = collect(other, clique, separator);
            if (!message) return message;
            local.potentials.push_back(*std::move(message));
        }
        return eliminate(std::move(local), keep, *work_);
    }

private:
    const Problem<P>* problem_;
    const CliqueTree* tree_;
    std::vector<std::vector<Potential<P>>> tables_;
    Work* work_;
};

}  // namespace

template <Prob P>
Result<Potential<P>> collect_messages(Problem<P> problem, std::span<const Slot> keep, std::size_t& cliques, Work& work) {
    std::vector<std::vector<Slot>> scopes;
    std::vector<Slot> all(keep.begin(), keep.end());
    for (const auto& f : problem.potentials) {
        scopes.push_back(f.variables);
        all.insert(all.end(), f.variables.begin(), f.variables.end());
    }
    scopes.emplace_back(keep.begin(), keep.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.empty()) return eliminate(std::move(problem), keep, work);  // numbers alone: there is no tree
    const std::vector<std::vector<Slot>> stages{all};
    const Plan plan = plan_elimination(scopes, stages, *problem.sizes);
    const CliqueTree tree = clique_tree(scopes, plan.order);
    cliques = tree.cliques.size();
    std::vector<std::vector<Potential<P>>> tables(tree.cliques.size());
    for (auto& f : problem.potentials) {
        const std::size_t at = home_of(tree, f.variables);
        tables[at].push_back(std::move(f));
    }
    problem.potentials.clear();
    return Collector<P>(problem, tree, std::move(tables), work).collect(home_of(tree, keep), tree.cliques.size(), keep);
}

template Result<Potential<Rational>> collect_messages(Problem<Rational>, std::span<const Slot>, std::size_t&, Work&);
template Result<Potential<LogProb>> collect_messages(Problem<LogProb>, std::span<const Slot>, std::size_t&, Work&);

}  // namespace credence::rt
