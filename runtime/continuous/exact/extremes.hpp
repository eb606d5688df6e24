#pragma once
// The least, the greatest and those in between of independent numbers: from their distribution functions, without an integral.

#include <functional>

#include "runtime/prob/distributions/distribution.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt::continuous {

/// x = max(x, y, z) as max(y, z) <= x, and x > y and x > z as x > max(y, z), and so on: conditions in which each number occurs once, as
/// far as that can be had.
Term with_extremes_apart(const Term& condition);

/// max(a, max(b, c)) as a, b, c.
std::vector<Term> parts_under(const Term& term, TermOp op);

/// Whether a term is made of min and max; the terms under them are its parts.
bool is_extreme(const Term& term);

/// The parts of such a term, each once; equal ones by their text.
struct ExtremeParts {
    std::vector<Term> parts;
    std::vector<char> holds;  ///< by which parts (bits, the first the lowest) are at most z: whether the term is
};
/// Nothing if there are too many.
std::optional<ExtremeParts> parts_of_extreme(const Term& term);

/// "density": of the term whose parts have these distributions, independent of each other and over the reals.
DistributionPtr make_extreme(std::vector<DistributionPtr> parts, std::vector<char> holds);

}  // namespace credence::rt::continuous
