#include "runtime/nets/sweep_kernels.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace credence::rt {

namespace {

constexpr std::size_t lanes = 8;

/// N is n where it is short and so known to the compiler, 0 if it is long.
template <std::size_t N>
constexpr std::size_t length(const Segments& s) {
    return N == 0 ? s.n : N;
}

template <std::size_t N>
void set_vector(double* block, const double* table, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        const double* f = table + s.offsets[k];
        for (std::size_t j = 0; j < s.m; ++j, block += n) {
#pragma GCC ivdep
            for (std::size_t i = 0; i < n; ++i) block[i] = f[i];
        }
    }
}

template <std::size_t N>
void set_repeat(double* block, const double* table, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        const double* f = table + s.offsets[k];
        for (std::size_t j = 0; j < s.m; ++j, block += n) {
            const double value = f[j];
#pragma GCC ivdep
            for (std::size_t i = 0; i < n; ++i) block[i] = value;
        }
    }
}

template <std::size_t N>
void multiply_vector(double* block, const double* by, const double* table, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        const double* f = table + s.offsets[k];
        for (std::size_t j = 0; j < s.m; ++j, block += n, by += n) {
#pragma GCC ivdep
            for (std::size_t i = 0; i < n; ++i) block[i] = by[i] * f[i];
        }
    }
}

template <std::size_t N>
void multiply_repeat(double* block, const double* by, const double* table, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        const double* f = table + s.offsets[k];
        for (std::size_t j = 0; j < s.m; ++j, block += n, by += n) {
            const double value = f[j];
#pragma GCC ivdep
            for (std::size_t i = 0; i < n; ++i) block[i] = by[i] * value;
        }
    }
}

template <std::size_t N>
void add_vector(double* table, const double* block, double scale, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        double* f = table + s.offsets[k];
        if constexpr (N != 0) {
            std::array<double, N> sums{};
            for (std::size_t j = 0; j < s.m; ++j, block += N)
                for (std::size_t i = 0; i < N; ++i) sums[i] += block[i];
            for (std::size_t i = 0; i < N; ++i) f[i] += scale * sums[i];
        } else {
            for (std::size_t j = 0; j < s.m; ++j, block += n) {
#pragma GCC ivdep
                for (std::size_t i = 0; i < n; ++i) f[i] += scale * block[i];
            }
        }
    }
}

template <std::size_t N>
void add_repeat(double* table, const double* block, double scale, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        double* f = table + s.offsets[k];
        for (std::size_t j = 0; j < s.m; ++j, block += n) {
            if constexpr (N != 0) {
                double sum = block[0];
                for (std::size_t i = 1; i < N; ++i) sum += block[i];
                f[j] += scale * sum;
            } else {
                f[j] += scale * sum_of(block, n);
            }
        }
    }
}

template <std::size_t N>
void raise_vector(double* table, const double* block, double scale, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        double* f = table + s.offsets[k];
        for (std::size_t j = 0; j < s.m; ++j, block += n) {
#pragma GCC ivdep
            for (std::size_t i = 0; i < n; ++i) {
                const double value = scale * block[i];
                f[i] = f[i] < value ? value : f[i];
            }
        }
    }
}

template <std::size_t N>
void raise_repeat(double* table, const double* block, double scale, const Segments& s) {
    const std::size_t n = length<N>(s);
    for (std::size_t k = 0; k < s.count; ++k) {
        double* f = table + s.offsets[k];
        for (std::size_t j = 0; j < s.m; ++j, block += n) f[j] = std::max(f[j], scale * largest_of(block, n));
    }
}

constexpr std::size_t longest_short = 8;

template <std::size_t N>
constexpr Kernels vector_kernels{set_vector<N>, multiply_vector<N>, add_vector<N>, raise_vector<N>};
template <std::size_t N>
constexpr Kernels repeat_kernels{set_repeat<N>, multiply_repeat<N>, add_repeat<N>, raise_repeat<N>};

template <std::size_t... N>
constexpr std::array<std::array<Kernels, longest_short + 1>, 2> all_kernels(std::index_sequence<N...>) {
    return {{{vector_kernels<N>...}, {repeat_kernels<N>...}}};
}
constexpr auto kernels = all_kernels(std::make_index_sequence<longest_short + 1>());

}  // namespace

const Kernels& kernels_for(Fit fit, std::size_t n) { return kernels[fit == Fit::repeat ? 1 : 0][n <= longest_short ? n : 0]; }

double sum_of(const double* values, std::size_t n) {
    if (n < 2 * lanes) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += values[i];
        return sum;
    }
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t l = 0; l < lanes; ++l) sums[l] += values[i + l];
    double rest = 0;
    for (; i < n; ++i) rest += values[i];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

double largest_of(const double* values, std::size_t n) {
    double out = 0;
    for (std::size_t i = 0; i < n; ++i) out = out < values[i] ? values[i] : out;
    return out;
}

void add_scaled(double* to, const double* block, double scale, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) to[i] += scale * block[i];
}

void set_scaled(double* to, const double* block, double scale, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) to[i] = scale * block[i];
}

void raise_scaled(double* to, const double* block, double scale, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const double value = scale * block[i];
        to[i] = to[i] < value ? value : to[i];
    }
}

}  // namespace credence::rt
