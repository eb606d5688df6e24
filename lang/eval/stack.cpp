#include "lang/eval/stack.hpp"

#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#include <emscripten/stack.h>
#else
#include <pthread.h>
#endif

namespace credence::lang {

#if defined(__EMSCRIPTEN__)

namespace {

// clang-format off
EM_JS(int, credence_stack_kilobytes, (), { return Module.stackKilobytes || 1024; });
// clang-format on

}  // namespace

/// Of two stacks, the browser's own ends first, and ends the program: it has about a megabyte and cannot be asked how much is left. So much
/// of this one may be used that the other does not end before it; the two grow at the same rate.
std::uintptr_t stack_floor() { return emscripten_stack_get_base() - static_cast<std::uintptr_t>(credence_stack_kilobytes()) * 1024; }

#else

std::uintptr_t stack_floor() {
    constexpr std::uintptr_t margin = 512 * 1024;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    void* lowest = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(lowest) + margin;
}

#endif

}  // namespace credence::lang
