#pragma once
// The Q function of EM: Q(h' | h) = E[ln P(Y | h') | h, X], over what the data leave open (Dempster, Laird & Rubin 1977).

#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// A way to fill in what a row leaves open: P(z | x, h) and ln P(x, z | h').
struct FilledRow {
    std::string hidden;
    double share = 1;
    double log = 0;
};
struct ExpectedLogRow {
    std::string seen;
    std::vector<FilledRow> ways;  ///< those of share 0 are left out
};
struct ExpectedLogLikelihood {
    double value = 0;  ///< −∞ where `next` rules out what `now` holds possible
    std::vector<ExpectedLogRow> rows;
};

/// `now` is h, `next` h'. What is open are labels; E-TYPE if it is a number, or where the models have other variables, E-LABEL if a
/// cell is not a value of its variable.
Result<ExpectedLogLikelihood> expected_log_likelihood(const Model& next, const Model& now, const Table& data, Run& run);
Derivation told(const ExpectedLogLikelihood& q);

}  // namespace credence::rt
