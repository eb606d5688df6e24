#pragma once
// exp, log, sin and their like are our own: the files elementary_*.cpp define them under the names of the C library, so the linker takes
// them wherever we, Boost or the standard library call std::exp and so on. Their results have the same bits with every C library and on
// every processor. Those of the libraries differ in the last bit, and glibc's also between processors with and without fused operations.
//
// Errors are below 0.8 units in the last place, those of exp, log and pow below 0.53 where the result is a normal number
// (tests/unit/runtime/core/test_elementary.cpp).

#include "runtime/core/pair.hpp"

namespace credence::rt {

double exp_of(Pair x);  ///< eˣ, rounded once; 0 or infinite beyond the doubles

}  // namespace credence::rt
