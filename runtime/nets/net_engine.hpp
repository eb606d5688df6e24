#pragma once
// An engine of nets is one record: what `by` calls it, with its parameters, and how it answers.

#include "runtime/nets/sampling.hpp"
#include "runtime/nets/wide_sum.hpp"

namespace credence::rt {

class NetMemory;

struct NetEngine {
    MethodInfo method;
    Result<Answer> (*ask)(const Net& net, const Variables& variables, const Query& query, NetMemory& memory, Run& run) = nullptr;
    /// In place of `ask`: an engine that needs tables alone, and so serves undirected models too. `zero` is the fault for impossible
    /// evidence.
    Result<Answer> (*ask_tables)(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero,
                                 Run& run) = nullptr;
    bool exact = false;                ///< takes lists, counts, tables and next draws as evidence too
    std::optional<SumBy> sum_by = {};  ///< in place of both: a way to sum over everything, of undirected models too
};

#define ENGINE(name) extern const NetEngine name##_net_engine;
#include "runtime/nets/engines.def"
#undef ENGINE

const NetEngine* find_net_engine(std::string_view name);

}  // namespace credence::rt
