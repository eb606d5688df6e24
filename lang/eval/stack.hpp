#pragma once
// How far recursion may go: measured in bytes of the running thread's stack, so that frame sizes do not matter.

#include <cstdint>

namespace credence::lang {

/// The lowest address that recursion may reach: the end of this thread's stack and a margin for what a builtin needs.
std::uintptr_t stack_floor();

inline bool stack_left(std::uintptr_t floor) { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > floor; }

}  // namespace credence::lang
