#pragma once
// `train MODEL on DATA by METHOD(…)`: the methods that nets, mixtures, hidden Markov models and grammars share, with their arguments.

#include "runtime/prob/learning/climb.hpp"
#include "runtime/prob/learning/em.hpp"

namespace credence::rt {

enum class TrainingWay { chosen_by_data, counting, em, gradient };

struct TrainingOptions {
    TrainingWay way = TrainingWay::chosen_by_data;
    Rational m;    ///< counting: the m-estimate's equivalent sample size
    EmOptions em;  ///< its restarts are those of gradient ascent too
    GradientOptions gradient;
    std::string counts;  ///< the column that counts the rows; empty: each counts once
};

/// Says so where the search ended before it had settled.
void note_unsettled(bool converged, const TrainingOptions& options, const Run& run);

/// counting(m, counts), em(iterations, tolerance, restarts, init, counts) or gradient(rate, iterations, restarts, init, counts); `init`
/// is left to the caller, and so are the arguments `more` that the method of that name has here. `model`: "a net".
struct MoreArguments {
    std::vector<std::string_view> em;
    std::vector<std::string_view> gradient;
};
Result<TrainingOptions> training_options(const TrainingMethod& by, std::string_view model, const MoreArguments& more = {});

/// (n + m / k) / (N + m) of each count, as fractions; all alike where there is nothing to divide.
std::vector<Rational> m_estimates(std::span<const Rational> counts, const Rational& m);

/// What is said where counting met rows of a table that the data never show.
void note_unseen_rows(std::size_t rows, const Run& run);

}  // namespace credence::rt
