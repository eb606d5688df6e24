#pragma once
// Values computed from many finite variables and counts, such as the sum of a plate: they are carried along the elimination of these, so
// that twenty counts take twenty convolutions and no table over all of them.

#include "runtime/continuous/ask.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt::continuous {

/// What a query may name: the variables of a net, and after them the quantities that are computed from these.
struct Computed {
    const Expanded& net;
    const Variables& variables;
    std::span<const NamedQuantity> quantities = {};
};

inline constexpr std::string_view chains_engine = "variable_elimination";  ///< as answers name it

/// Not applicable where nothing that is computed matters to the query, where it has few configurations anyway, and where it depends on
/// numbers that are not finite.
Attempt<Answer> ask_by_chains(const Computed& computed, const Query& query, const Run& run);

/// E of a term over the variables; not applicable likewise, and where it is a sum of means.
Attempt<Answer> expectation_by_chains(const Computed& computed, const Term& term, const Query& query, const Run& run);

}  // namespace credence::rt::continuous
