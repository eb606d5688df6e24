// What `explain train` shows of a learned structure: the score, how it rose, and each variable with and without its parents.

#include <fmt/format.h>

#include "runtime/nets/structure.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

std::string_view score_formula(ScoreKind kind) {
    switch (kind) {
        case ScoreKind::k2:
            return "score(X | U) = ln of the product over u of (r - 1)! / (n(u) + r - 1)! * product over x of n(x, u)!, r the values of X";
        case ScoreKind::bdeu:
            return "score(X | U) = ln P(the column X | the columns U), the tables averaged over Dirichlet priors of one sample size";
        case ScoreKind::bic:
            return "score(X | U) = sum of n(x, u) * ln(n(x, u) / n(u)) - 1/2 * ln(rows) * parameters";
        case ScoreKind::aic:
            return "score(X | U) = sum of n(x, u) * ln(n(x, u) / n(u)) - parameters";
    }
    return {};
}

}  // namespace

void tell_structure(const DiscreteData& data, const Score& score, const Net& net, DerivationWriter& out) {
    out.formula("score of the net = the sum over its variables of score(X | U), U the parents of X");
    out.formula(std::string(score_formula(score.kind)));
    FamilyScores scores(data, score);
    for (std::size_t i = 0; i < net.history.size(); ++i) out.note(fmt::format("step {}: score {:.6f}", i, net.history[i]));
    out.note("The variables with their parents:");
    double total = 0;
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        std::vector<std::size_t> parents;
        std::string names;
        for (const auto p : net.nodes[v].parents) {
            parents.push_back(index(p));
            names += fmt::format("{}{}", names.empty() ? "" : ", ", net.nodes[index(p)].variable.name);
        }
        const double own = scores.of(v, parents);
        total += own;
        out.note(parents.empty() ? fmt::format("  score({}) = {:.6f}", net.nodes[v].variable.name, own)
                                 : fmt::format("  score({} | {}) = {:.6f}, without parents {:.6f}", net.nodes[v].variable.name, names, own,
                                               scores.of(v, {})));
    }
    out.note(fmt::format("Their sum: {:.6f}", total));
}

}  // namespace credence::rt
