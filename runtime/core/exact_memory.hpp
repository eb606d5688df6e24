#pragma once
// Memory for exact numbers. GMP ends the program where an allocation fails, so each operation on long numbers first sets memory aside
// that is enough for it: what malloc refuses is taken from there, and afterwards the operation fails as any other allocation would.

#include <cstddef>
#include <new>

namespace credence::rt {

/// Numerator and denominator together: some 630,000 digits. One operation on numbers of that size still ends within a tenth of a second.
inline constexpr std::size_t most_exact_bits = std::size_t{1} << 21U;

/// An exact number that would have more than most_exact_bits.
struct ExactNumberTooLong : std::bad_alloc {
    const char* what() const noexcept override { return "an exact number has too many digits to be written out"; }
};

/// Stands before an operation of GMP, and lives longer than the numbers that it makes. May be nested.
class ExactMemory {
public:
    /// Sets aside what operations on numbers of so many bits can need; std::bad_alloc where that is not there.
    explicit ExactMemory(std::size_t bits);
    ExactMemory(const ExactMemory&) = delete;
    ExactMemory& operator=(const ExactMemory&) = delete;
    ~ExactMemory();

    /// std::bad_alloc where malloc failed meanwhile: the numbers made since lie in memory that is about to go.
    void check() const;
};

}  // namespace credence::rt
