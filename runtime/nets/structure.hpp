#pragma once
// Learning the arcs of a net from complete data: K2, hill climbing, tabu search, Chow–Liu trees, TAN and PC.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/nets/score.hpp"

namespace credence::rt {

class DerivationWriter;
struct Net;

using Arc = std::pair<std::string, std::string>;  ///< from, to

struct StructureOptions {
    Score score;
    std::vector<std::string> order;  ///< K2; empty: as the columns are
    std::optional<std::size_t> max_parents;
    std::size_t restarts = 0;  ///< hill climbing: from a net shaken at random
    std::size_t tabu = 0;      ///< tabu search: how many steps an undone change is forbidden; 0: plain hill climbing
    std::vector<Arc> require;
    std::vector<Arc> forbid;
    Rational m;               ///< the m-estimate of the tables: (n + m/k) / (N + m)
    double alpha = 0.05;      ///< PC: level of the tests
    bool chi_square = false;  ///< PC: Pearson's test instead of G²
};

/// The story of a structure that was learned from these data.
void tell_structure(const DiscreteData& data, const Score& score, const Net& net, DerivationWriter& out);

LearnerPtr make_k2(StructureOptions options);
LearnerPtr make_hill_climb(StructureOptions options);  ///< and tabu search
LearnerPtr make_chow_liu(StructureOptions options);    ///< the score is only shown: the arcs follow the information
LearnerPtr make_tan(StructureOptions options);
LearnerPtr make_pc(StructureOptions options);

}  // namespace credence::rt
