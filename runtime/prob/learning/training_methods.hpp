#pragma once
// `train MODEL on DATA by METHOD(…)`: the methods that nets, mixtures, hidden Markov models and grammars share.

#include "runtime/prob/learning/climb.hpp"
#include "runtime/prob/learning/em.hpp"

namespace credence::rt {

enum class TrainingWay { chosen_by_data, counting, em, gradient };

/// The arguments of any of the methods.
struct TrainingOptions {
    TrainingWay way = TrainingWay::chosen_by_data;
    Rational m;                           ///< counting: the m-estimate's equivalent sample size
    EmOptions em;                         ///< its restarts are those of gradient ascent too
    std::optional<std::size_t> restarts;  ///< as written; the model decides what else may be there
    GradientOptions gradient;
    std::optional<MethodArgument> init;  ///< where learning begins
    std::string counts;                  ///< the column that counts the rows; empty: each counts once
    double pseudo = 0;                   ///< EM of a net: added to each expected count
    std::string rule = "simplex";        ///< gradient ascent of a net
};

/// Says so where the search ended before it had settled.
void note_unsettled(bool converged, const TrainingOptions& options, const Run& run);

/// Of a mixture, a hidden Markov model or a grammar: counting, em, gradient.
std::vector<MethodInfo> training_methods_of_parts();
/// The same of a net, where em and gradient have an argument more.
std::vector<MethodInfo> training_methods_of_net();
/// Of a net with real-valued nodes.
std::vector<MethodInfo> training_methods_of_real_net();

TrainingOptions training_options(const MethodCall& by);

/// (n + m / k) / (N + m) of each count, as fractions; all alike if there is nothing to divide.
std::vector<Rational> m_estimates(std::span<const Rational> counts, const Rational& m);

/// The note if counting met rows of a table that never occur in the data.
void note_unseen_rows(std::size_t rows, const Run& run);

}  // namespace credence::rt
