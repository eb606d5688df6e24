#pragma once
// How a net answers: one line an engine.

#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

class NetMemory;

struct NetEngine {
    std::string_view name;
    Result<Answer> (*ask)(const Net& net, const Variables& variables, const Query& query, Run& run);
    /// In place of `ask`: an engine that uses what the model remembers of earlier queries.
    Result<Answer> (*ask_remembering)(const Net& net, const Variables& variables, const Query& query, NetMemory& memory,
                                      Run& run) = nullptr;
    bool takes_arguments = false;  ///< and checks them itself
};
/// The engines `by` may name, the default first.
std::span<const NetEngine> net_engines();

Result<Answer> ask_net(const Net& net, const Variables& variables, const Query& query, NetMemory& memory, Run& run);
Result<Answer> ask_net(const Net& net, const Variables& variables, const Query& query, Run& run);  ///< nothing is remembered

/// E-ZERO for the evidence of the query, with a configuration of its free evidence variables added.
Fault net_zero_fault(const Net& net, const Variables& variables, const Query& query,
                     std::span<const std::pair<std::uint32_t, std::size_t>> configuration, const Run& run);

/// n rows under the evidence: forward where there is none, else backwards through one elimination.
Result<TablePtr> sample_net(const Net& net, const Variables& variables, std::size_t n, const Clause& given, Run& run);

/// The derivation of an answer, as a textbook would print it.
Result<Derivation> explain_net(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run);

}  // namespace credence::rt
