#pragma once
// The most probable assignment by search, for models whose tables grow too large for elimination.

#include "runtime/nets/sampling.hpp"

namespace credence::rt {

/// Why branch and bound cannot answer; empty if it can.
std::optional<Fault> beyond_search(const ApproximateCase& c, const Query& query);

/// What a search finds with less work than elimination would be, where no engine is chosen. Its probability is the one together with the
/// evidence. Nothing where tables are small, or where the search takes longer.
Result<std::optional<Answer>> searched_where_faster(const ApproximateCase& c, const Variables& variables, const Query& query,
                                                    const ZeroFault& zero, Run& run);

/// In place of an answer that costs too much, where a search can give it; else that answer.
Result<Answer> searched_where_too_large(Result<Answer> answer, const std::function<ApproximateCase()>& make_case,
                                        const Variables& variables, const Query& query, const ZeroFault& zero, Run& run);

}  // namespace credence::rt
