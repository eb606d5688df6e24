#pragma once
// A clique's table is never stored. A sweep makes it block by block, the product of what is known about its variables,
// and adds each block into what is wanted: a message, a marginal. Only tables over fewer variables are ever kept.

#include <span>
#include <vector>

#include "runtime/nets/sweep_kernels.hpp"
#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

/// The variables of a clique in their order: the outer ones are walked, the inner ones make up a block.
struct CliqueLayout {
    std::uint32_t outer = 0;  ///< how many variables are outer
    std::uint32_t sizes = 0;  ///< where the sizes of the outer ones begin among the numbers
    std::uint32_t block = 1;  ///< entries of a block
};

/// A table as the blocks of a clique see it. Its variables come in the clique's order.
struct Operand {
    Fit fit = Fit::scalar;
    std::int32_t level = -1;  ///< the last outer variable it has; −1: none
    std::uint32_t m = 1;
    std::uint32_t n = 1;
    std::uint32_t strides = 0;   ///< where its steps along the outer variables begin among the numbers
    std::uint32_t segments = 0;  ///< where its offsets inside a block begin
    std::uint32_t segment_count = 0;
};

using Numbers = std::vector<std::uint32_t>;

CliqueLayout layout_of(std::span<const Slot> clique, const Sizes& sizes, Numbers& numbers);
/// `has[i]` says whether the table has variable i of the clique.
Operand operand_of(const CliqueLayout& layout, std::span<const Slot> clique, std::span<const char> has, const Sizes& sizes,
                   Numbers& numbers);

enum class Gather { sum, maximum };

/// What a sweep writes to while it runs; made once, used for many sweeps.
struct SweepSpace {
    struct Part {
        const Operand* operand = nullptr;
        const double* in = nullptr;
        double* out = nullptr;
        const Kernels* kernels = nullptr;
    };
    struct Level {
        std::int32_t level = -1;
        std::uint32_t end = 0;  // of its parts
        double scale = 1;       // product of the scalars so far
        const double* block = nullptr;
        double* own = nullptr;
        bool filled = false;
    };
    std::vector<Part> inputs;   // ascending by level, scalars first
    std::vector<Part> outputs;  // descending by level
    std::vector<Level> levels;
    std::vector<Level> sums;
    std::vector<std::uint32_t> value;
    std::vector<std::uint32_t> from;  ///< by outer variable: the first value …
    std::vector<std::uint32_t> to;    ///< … and the one after the last that is walked
    std::vector<double> blocks;

    // inputs are added ascending by level, scalars first; outputs descending
    void clear() {
        inputs.clear();
        outputs.clear();
    }
    void add_input(const Operand& operand, const double* table) { inputs.push_back({&operand, table, nullptr, nullptr}); }
    void add_output(const Operand& operand, double* table) { outputs.push_back({&operand, nullptr, table, nullptr}); }
};

/// Multiplies the inputs of the space and gathers into its outputs, over the values `from` … `to` of the outer variables.
void sweep(const CliqueLayout& layout, const Numbers& numbers, Gather gather, SweepSpace& space);

}  // namespace credence::rt
