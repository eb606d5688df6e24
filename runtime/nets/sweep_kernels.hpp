#pragma once
// The loops inside a block of a clique: a table with fewer variables multiplied in, or added up into. Compiled for vectors.

#include <cstddef>
#include <cstdint>

namespace credence::rt {

/// A block is cut into segments of m·n entries. A `vector` table has n entries a segment, the same for each of its m parts;
/// a `repeat` table has m, each standing for n neighbours. Where each segment finds its part of the table is in `segments`.
enum class Fit : std::uint8_t { scalar, vector, repeat };

struct Segments {
    const std::uint32_t* offsets = nullptr;
    std::size_t count = 0;
    std::size_t m = 1;
    std::size_t n = 1;
};

using SetKernel = void (*)(double* block, const double* table, const Segments& s);                         ///< block = table
using MultiplyKernel = void (*)(double* block, const double* by, const double* table, const Segments& s);  ///< block = by · table
using AddKernel = void (*)(double* table, const double* block, double scale, const Segments& s);           ///< table += scale · Σ block

/// The loops for a fit and a length n; short lengths have loops of their own.
struct Kernels {
    SetKernel set;
    MultiplyKernel multiply;
    AddKernel add;
    AddKernel raise;  ///< table = max(table, scale · max block)
};
const Kernels& kernels_for(Fit fit, std::size_t n);

double sum_of(const double* values, std::size_t n);
double largest_of(const double* values, std::size_t n);
void add_scaled(double* to, const double* block, double scale, std::size_t n);
void set_scaled(double* to, const double* block, double scale, std::size_t n);
void raise_scaled(double* to, const double* block, double scale, std::size_t n);

}  // namespace credence::rt
