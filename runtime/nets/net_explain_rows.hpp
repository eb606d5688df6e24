#pragma once
// Derivations of queries on nets with lists, counts and tables among the targets or the evidence.

#include "runtime/nets/net_case.hpp"

namespace credence::rt {

Result<Derivation> explain_rows(const Net& net, const Variables& variables, const Query& query, const Answer& answer,
                                const NetCase& net_case, Run& run);

}  // namespace credence::rt
