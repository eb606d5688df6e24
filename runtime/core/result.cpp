#include "runtime/core/result.hpp"

namespace credence::rt {

void FaultDeleter::operator()(Fault* fault) const noexcept { delete fault; }

FaultPtr make_fault(Fault&& fault) { return FaultPtr(new Fault(std::move(fault))); }

}  // namespace credence::rt
