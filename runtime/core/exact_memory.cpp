#include "runtime/core/exact_memory.hpp"

#if !defined(CREDENCE_WITHOUT_GMP)

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <gmp.h>
#include <pthread.h>

namespace credence::rt {

namespace {

constexpr std::size_t alignment = 16;
/// Bytes for a byte of the operands: gcd, the largest products and the digits of a number need up to 12 in all, and what has been
/// given back is not used again.
constexpr std::size_t reserve_share = 32;
constexpr std::size_t least_reserve = std::size_t{1} << 16U;  // kept from one operation to the next
constexpr std::size_t most_kept = std::size_t{1} << 20U;

struct Reserve {
    char* block = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;
    unsigned depth = 0;

    bool has(const void* p) const {
        const auto* at = static_cast<const char*>(p);
        return used > 0 && !std::less<>{}(at, static_cast<const char*>(block)) && std::less<>{}(at, static_cast<const char*>(block + size));
    }
    void give_back() {
        std::free(block);
        block = nullptr;
        size = 0;
    }
};

thread_local constinit Reserve reserve;

/// Gives the reserve back when its thread ends. Numbers that are freed later still go through the reserve, which has no destructor. A
/// thread_local with a destructor would not do: registering one takes memory, and glibc ends the process if there is none.
void give_back_at_end() {
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        pthread_key_create(&made, [](void*) { reserve.give_back(); });
        return made;
    }();
    pthread_setspecific(key, &reserve);
}

void* from_reserve(std::size_t bytes) {
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    if (reserve.size - reserve.used < rounded) {
        std::fputs("credence: an exact number needed more memory than was set aside for it\n", stderr);
        std::abort();
    }
    void* out = reserve.block + reserve.used;
    reserve.used += rounded;
    return out;
}

void* allocate(std::size_t bytes) {
    void* out = std::malloc(bytes);
    return out ? out : from_reserve(bytes);
}

void release(void* p, std::size_t) {
    if (!reserve.has(p)) std::free(p);
}

void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes) {
    const bool reserved = reserve.has(p);
    if (void* out = reserved ? nullptr : std::realloc(p, new_bytes)) return out;
    void* out = from_reserve(new_bytes);
    std::memcpy(out, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (!reserved) std::free(p);
    return out;
}

/// Numbers made before this came from malloc too, so that it does not matter which static is initialised first.
[[maybe_unused]] const bool installed = [] {
    mp_set_memory_functions(allocate, reallocate, release);
    return true;
}();

}  // namespace

ExactMemory::ExactMemory(std::size_t bits) {
    constexpr std::size_t byte = 8;
    const std::size_t wanted = bits / byte * reserve_share + least_reserve;
    if (reserve.size < wanted) {
        if (reserve.used > 0) throw std::bad_alloc();  // inside an operation that has failed already
        give_back_at_end();
        reserve.give_back();
        reserve.block = static_cast<char*>(std::malloc(wanted));
        if (!reserve.block) throw std::bad_alloc();
        reserve.size = wanted;
    }
    ++reserve.depth;
}

ExactMemory::~ExactMemory() {
    if (--reserve.depth > 0) return;
    reserve.used = 0;
    if (reserve.size > most_kept) reserve.give_back();
}

void ExactMemory::check() const {
    if (reserve.used > 0) throw std::bad_alloc();
}

}  // namespace credence::rt

#else

namespace credence::rt {

// The numbers of Boost report a failed allocation themselves.
ExactMemory::ExactMemory(std::size_t) {}
ExactMemory::~ExactMemory() = default;
void ExactMemory::check() const {}

}  // namespace credence::rt

#endif
