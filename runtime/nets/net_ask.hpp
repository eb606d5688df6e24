#pragma once
// How a net answers.

#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

class NetMemory;

/// What `by` may name, the default first; and those of undirected models, which have no arcs to sample along.
std::vector<MethodInfo> net_engine_methods();
std::vector<MethodInfo> markov_engine_methods();

Result<Answer> ask_net(const Net& net, const Variables& variables, const Query& query, NetMemory& memory, Run& run);
Result<Answer> ask_net(const Net& net, const Variables& variables, const Query& query, Run& run);  ///< nothing is remembered

/// E-ZERO for the evidence of the query, with a configuration of its free evidence variables added.
Fault net_zero_fault(const Net& net, const Variables& variables, const Query& query,
                     std::span<const std::pair<std::uint32_t, std::size_t>> configuration, const Run& run);

/// n rows under the evidence: forward if there is none, else backwards through one elimination.
Result<TablePtr> sample_net(const Net& net, const Variables& variables, std::size_t n, const Clause& given, Run& run);

/// The derivation of an answer, as a textbook would print it.
Result<Derivation> explain_net(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run);

}  // namespace credence::rt
