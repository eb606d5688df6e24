#pragma once
// Quantities of a list in which the order of the list does not matter: its sorted values, how many of them differ, how often a value
// occurs. They can be read off the values one after the other, from the least to the greatest, given how often each occurs; so the
// lists themselves never have to be distinguished (levels.hpp).

#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

struct ListStatistic {
    enum class Kind {
        picked,  ///< the value at one rank
        ranked,  ///< the sum of the sorted values, each times the weight of its rank
        counted  ///< a fold over the values, of something that depends on how often each occurs
    };
    Kind kind = Kind::picked;
    std::vector<QuantityPtr> list = {};
    std::size_t rank = 0;                         ///< picked: from 0, the least
    std::vector<std::int64_t> rank_weights = {};  ///< ranked: one for each rank
    Fold fold = Fold::sum;                        ///< counted

    /// What a value adds to the fold when it occurs so often.
    using Worth = std::function<Result<Label>(std::size_t count)>;
    Worth any_value = {};                                ///< counted: of every value alike,
    std::vector<std::pair<Label, Worth>> by_value = {};  ///< or of some values; a value may stand here more than once
    std::vector<Label> constants = {};                   ///< in the fold whatever the values are
};

/// The quantity as a statistic of one list, where it is one.
std::optional<ListStatistic> list_statistic(const QuantityPtr& quantity);

/// The list and the sign of a term X or -X where X is a sorted value.
struct SortedTerm {
    const Quantity* order;
    int sign;
};
std::optional<SortedTerm> sorted_term(const Quantity& quantity);

/// "Some two of them are equal", written with all the pairs, as a statement about how many are different; likewise "no two". Null if
/// the quantity is neither.
QuantityPtr pairs_as_distinct(const Quantity& quantity);

}  // namespace credence::rt
