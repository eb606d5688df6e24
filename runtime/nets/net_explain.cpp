#include "runtime/nets/net_ask.hpp"

namespace credence::rt {

Result<Derivation> explain_net(const Net&, const Variables&, const Query&, const Answer&, Run&) { return Derivation{}; }

}  // namespace credence::rt
