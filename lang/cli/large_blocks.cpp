// Large blocks of memory in large pages. Where the system has them, a table of a gigabyte is there sooner, and a program that is stopped
// has ended at once: it need not give back a quarter of a million pages one by one.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t large = std::size_t{32} << 20U;  // malloc maps blocks of this size one by one, so the advice ends with the block

void advise(void* block, std::size_t size) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t first = (begin + page - 1) / page * page;
    madvise(reinterpret_cast<void*>(first), begin + size - first, MADV_HUGEPAGE);  // refused by some systems, which changes nothing
}

}  // namespace

void* operator new(std::size_t size) {
    for (;;) {
        if (void* const block = std::malloc(size == 0 ? 1 : size)) {
            if (size >= large) advise(block, size);
            return block;
        }
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
