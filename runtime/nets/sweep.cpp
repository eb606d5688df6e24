#include "runtime/nets/sweep.hpp"

#include <algorithm>

namespace credence::rt {

namespace {

/// Entries of a block: four of them fit the first-level cache.
constexpr std::size_t most_block = 1024;

struct Stretch {
    std::size_t size;
    bool present;
};

using Part = SweepSpace::Part;
using Level = SweepSpace::Level;

Segments segments_of(const Operand& operand, const Numbers& numbers) {
    return {numbers.data() + operand.segments, operand.segment_count, operand.m, operand.n};
}

/// Cuts the parts, which are sorted by level, into levels, each with a block of its own where it may need one.
void cut(const std::vector<Part>& parts, std::vector<Level>& levels) {
    levels.clear();
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
        if (levels.empty() || levels.back().level != parts[i].operand->level) levels.push_back({.level = parts[i].operand->level});
        levels.back().end = i + 1;
    }
}

class Sweeper {
public:
    Sweeper(const CliqueLayout& layout, const Numbers& numbers, Gather gather, SweepSpace& space)
        : layout_(layout), numbers_(numbers), gather_(gather), s_(space) {}

    void run() {
        prepare();
        std::int32_t changed = -1;
        const auto last = static_cast<std::int32_t>(layout_.outer) - 1;
        while (true) {
            const std::int32_t zero_at = multiply(changed);
            std::int32_t at = last;
            if (zero_at >= -1)
                at = zero_at;  // everything below that variable's value is zero
            else
                gather(last);
            while (at >= 0 && s_.value[static_cast<std::size_t>(at)] + 1 >= s_.to[static_cast<std::size_t>(at)]) --at;
            flush(at);
            if (at < 0) return;
            advance(static_cast<std::size_t>(at));
            changed = at;
        }
    }

private:
    static constexpr std::int32_t not_zero = -2;

    void prepare() {
        cut(s_.inputs, s_.levels);
        cut(s_.outputs, s_.sums);
        const std::size_t needed = (s_.levels.size() + s_.sums.size() + 1) * layout_.block;
        if (s_.blocks.size() < needed) s_.blocks.resize(needed);
        double* next = s_.blocks.data();
        ones_ = next;
        next += layout_.block;
        for (auto* levels : {&s_.levels, &s_.sums})
            for (auto& level : *levels) {
                level.own = next;
                level.filled = false;
                next += layout_.block;
            }
        for (auto& part : s_.inputs) part.kernels = &kernels_for(part.operand->fit, part.operand->n);
        for (auto& part : s_.outputs) part.kernels = &kernels_for(part.operand->fit, part.operand->n);
        std::fill_n(ones_, layout_.block, 1.0);
        if (s_.value.size() < layout_.outer) s_.value.resize(layout_.outer);
        for (std::size_t v = 0; v < layout_.outer; ++v) {
            s_.value[v] = s_.from[v];
            for (auto* parts : {&s_.inputs, &s_.outputs})
                for (auto& part : *parts) move(part, static_cast<std::ptrdiff_t>(step(part, v)) * static_cast<std::ptrdiff_t>(s_.from[v]));
        }
    }

    std::uint32_t step(const Part& part, std::size_t v) const { return numbers_[part.operand->strides + v]; }
    static void move(Part& part, std::ptrdiff_t by) {
        if (part.in != nullptr)
            part.in += by;
        else
            part.out += by;
    }

    /// Makes the products of all levels again that depend on what changed. The variable below which all is zero, or not_zero.
    std::int32_t multiply(std::int32_t changed) {
        std::size_t begin = 0;
        double scale = 1;
        const double* block = nullptr;
        for (auto& level : s_.levels) {
            if (level.level >= changed) {
                level.scale = scale;
                level.block = block;
                for (std::size_t i = begin; i < level.end; ++i) {
                    const Part& part = s_.inputs[i];
                    if (part.operand->fit == Fit::scalar) {
                        level.scale *= *part.in;
                        if (level.scale == 0) return level.level;
                        continue;
                    }
                    const Segments segments = segments_of(*part.operand, numbers_);
                    if (level.block == nullptr)
                        part.kernels->set(level.own, part.in, segments);
                    else
                        part.kernels->multiply(level.own, level.block, part.in, segments);
                    level.block = level.own;
                }
            }
            scale = level.scale;
            block = level.block;
            begin = level.end;
        }
        scale_ = scale;
        block_ = block == nullptr ? ones_ : block;
        return not_zero;
    }

    /// The block into the outputs that have the last outer variable, and into the first sum of the others.
    void gather(std::int32_t last) {
        std::size_t next = 0;
        if (!s_.sums.empty() && s_.sums[0].level == last) {
            emit(0, s_.sums[0].end, block_, scale_);
            next = 1;
        }
        if (next < s_.sums.size()) pour(s_.sums[next], block_, scale_);
    }

    void pour(Level& into, const double* block, double scale) {
        if (!into.filled)
            set_scaled(into.own, block, scale, layout_.block);
        else if (gather_ == Gather::sum)
            add_scaled(into.own, block, scale, layout_.block);
        else
            raise_scaled(into.own, block, scale, layout_.block);
        into.filled = true;
    }

    void emit(std::size_t begin, std::size_t end, const double* block, double scale) {
        for (std::size_t i = begin; i < end; ++i) {
            const Part& part = s_.outputs[i];
            const Segments segments = segments_of(*part.operand, numbers_);
            if (gather_ == Gather::sum) {
                if (part.operand->fit == Fit::scalar)
                    *part.out += scale * sum_of(block, layout_.block);
                else
                    part.kernels->add(part.out, block, scale, segments);
            } else {
                if (part.operand->fit == Fit::scalar)
                    *part.out = std::max(*part.out, scale * largest_of(block, layout_.block));
                else
                    part.kernels->raise(part.out, block, scale, segments);
            }
        }
    }

    /// The sums that are complete once variable `at` moves on.
    void flush(std::int32_t at) {
        for (std::size_t k = 0; k < s_.sums.size(); ++k) {
            Level& level = s_.sums[k];
            if (level.level < at) return;
            if (!level.filled) continue;
            emit(k == 0 ? 0 : s_.sums[k - 1].end, level.end, level.own, 1);
            if (k + 1 < s_.sums.size()) pour(s_.sums[k + 1], level.own, 1);
            level.filled = false;
        }
    }

    void advance(std::size_t at) {
        ++s_.value[at];
        for (auto* parts : {&s_.inputs, &s_.outputs}) {
            for (auto& part : *parts) {
                if (part.operand->level < static_cast<std::int32_t>(at)) continue;
                std::ptrdiff_t by = step(part, at);
                for (std::size_t v = at + 1; v < layout_.outer; ++v)
                    by -= static_cast<std::ptrdiff_t>(step(part, v)) * static_cast<std::ptrdiff_t>(s_.value[v] - s_.from[v]);
                move(part, by);
            }
        }
        for (std::size_t v = at + 1; v < layout_.outer; ++v) s_.value[v] = s_.from[v];
    }

    const CliqueLayout& layout_;
    const Numbers& numbers_;
    Gather gather_;
    SweepSpace& s_;
    double* ones_ = nullptr;
    double scale_ = 1;
    const double* block_ = nullptr;
};

}  // namespace

CliqueLayout layout_of(std::span<const Slot> clique, const Sizes& sizes, Numbers& numbers) {
    CliqueLayout out;
    std::size_t outer = clique.size();
    std::size_t block = 1;
    while (outer > 0 && (block == 1 || block * sizes[clique[outer - 1]] <= most_block)) block *= sizes[clique[--outer]];
    out.outer = static_cast<std::uint32_t>(outer);
    out.block = static_cast<std::uint32_t>(block);
    out.sizes = static_cast<std::uint32_t>(numbers.size());
    for (std::size_t i = 0; i < outer; ++i) numbers.push_back(static_cast<std::uint32_t>(sizes[clique[i]]));
    return out;
}

Operand operand_of(const CliqueLayout& layout, std::span<const Slot> clique, std::span<const char> has, const Sizes& sizes,
                   Numbers& numbers) {
    Operand out;
    // the inner variables, neighbours joined where the table has both or neither
    std::vector<Stretch> stretches;
    std::uint32_t step = 1;
    for (std::size_t i = clique.size(); i-- > layout.outer;) {
        const std::size_t size = sizes[clique[i]];
        if (has[i]) step *= static_cast<std::uint32_t>(size);
        if (size == 1) continue;
        if (!stretches.empty() && stretches.back().present == (has[i] != 0))
            stretches.back().size *= size;
        else
            stretches.push_back({size, has[i] != 0});
    }
    out.strides = static_cast<std::uint32_t>(numbers.size());
    numbers.resize(numbers.size() + layout.outer, 0);
    for (std::size_t i = layout.outer; i-- > 0;) {
        if (!has[i]) continue;
        out.level = std::max(out.level, static_cast<std::int32_t>(i));
        numbers[out.strides + i] = step;
        step *= static_cast<std::uint32_t>(sizes[clique[i]]);
    }
    const bool any = std::any_of(stretches.begin(), stretches.end(), [](const Stretch& s) { return s.present; });
    if (!any) return out;

    out.fit = stretches[0].present ? Fit::vector : Fit::repeat;
    out.n = static_cast<std::uint32_t>(stretches[0].size);
    out.m = stretches.size() > 1 ? static_cast<std::uint32_t>(stretches[1].size) : 1;
    out.segments = static_cast<std::uint32_t>(numbers.size());
    // offsets of the segments: the remaining stretches, innermost first
    std::uint32_t inner = 1;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, stretches.size()); ++i)
        if (stretches[i].present) inner *= static_cast<std::uint32_t>(stretches[i].size);
    numbers.push_back(0);
    std::uint32_t along = inner;
    for (std::size_t i = 2; i < stretches.size(); ++i) {
        const std::size_t count = numbers.size() - out.segments;
        for (std::size_t v = 1; v < stretches[i].size; ++v)
            for (std::size_t k = 0; k < count; ++k)
                numbers.push_back(numbers[out.segments + k] + (stretches[i].present ? along * static_cast<std::uint32_t>(v) : 0));
        if (stretches[i].present) along *= static_cast<std::uint32_t>(stretches[i].size);
    }
    out.segment_count = static_cast<std::uint32_t>(numbers.size()) - out.segments;
    return out;
}

void sweep(const CliqueLayout& layout, const Numbers& numbers, Gather gather, SweepSpace& space) {
    Sweeper(layout, numbers, gather, space).run();
}

}  // namespace credence::rt
