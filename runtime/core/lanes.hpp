#pragma once
// Inner loops over contiguous doubles, four lanes at a time: the same order of additions on every machine, whatever the compiler's
// flags say about reordering sums.

#include <cstddef>
#include <cstring>

namespace credence::rt {

typedef double Lanes __attribute__((vector_size(32)));

inline void load_lanes(Lanes& out, const double* from) { std::memcpy(&out, from, sizeof out); }
inline void store_lanes(double* to, const Lanes& v) { std::memcpy(to, &v, sizeof v); }

/// Σ a[i]·b[i], in eight running sums that are added in a fixed order.
inline double dot(const double* a, const double* b, std::size_t n) {
    Lanes s0{}, s1{}, x, y, u, v;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        load_lanes(x, a + i);
        load_lanes(y, b + i);
        load_lanes(u, a + i + 4);
        load_lanes(v, b + i + 4);
        s0 += x * y;
        s1 += u * v;
    }
    const Lanes s = s0 + s1;
    double out = (s[0] + s[1]) + (s[2] + s[3]);
    for (; i < n; ++i) out += a[i] * b[i];
    return out;
}

/// to[i] += scale·from[i]
inline void add_scaled(double* to, double scale, const double* from, std::size_t n) {
    const Lanes k = {scale, scale, scale, scale};
    Lanes x, y;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        load_lanes(x, from + i);
        load_lanes(y, to + i);
        y += k * x;
        store_lanes(to + i, y);
    }
    for (; i < n; ++i) to[i] += scale * from[i];
}

/// to[i] = scale·from[i]
inline void set_scaled(double* to, double scale, const double* from, std::size_t n) {
    const Lanes k = {scale, scale, scale, scale};
    Lanes x;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        load_lanes(x, from + i);
        x *= k;
        store_lanes(to + i, x);
    }
    for (; i < n; ++i) to[i] = scale * from[i];
}

/// exp of four numbers, each within 2 units in the last place; arguments are held within ±700.
/// x = n·ln 2 + r with |r| ≤ ½ ln 2 (Cody & Waite), eʳ by its series, times 2ⁿ through the exponent bits. Up to r¹³ the rest is below
/// 2⁻⁵⁶; `to_float` stops at r⁸, where it is below 10⁻⁹: enough for a result that is kept as a float.
enum class ExpDigits { to_double, to_float };
template <ExpDigits digits = ExpDigits::to_double>
inline Lanes exp_lanes(Lanes x) {
    typedef long long Bits __attribute__((vector_size(32)));
    const Lanes high = {700, 700, 700, 700};
    x = x > high ? high : x;
    x = x < -high ? -high : x;
    const double shift = 0x1.8p52;  // a double this large holds n in its lowest bits
    const Lanes shifted = x * 0x1.71547652b82fep0 + shift;
    const Lanes n = shifted - shift;
    const Lanes r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    Lanes p{};
    if constexpr (digits == ExpDigits::to_double) {
        p = r * (1.0 / 6227020800) + 1.0 / 479001600;
        p = p * r + 1.0 / 39916800;
        p = p * r + 1.0 / 3628800;
        p = p * r + 1.0 / 362880;
        p = p * r + 1.0 / 40320;
    } else {
        p += 1.0 / 40320;
    }
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r * r + r + 1.0;
    Bits bits;
    Bits power;
    std::memcpy(&bits, &p, sizeof bits);
    std::memcpy(&power, &shifted, sizeof power);
    bits += power << 52;
    Lanes out;
    std::memcpy(&out, &bits, sizeof out);
    return out;
}

/// ln(1 + e) of four numbers in [0, 1], each within 3 units in the last place: 2 artanh(z) with z = e / (2 + e) by its series, where z² ≤
/// 1/9. The terms z⁰, z⁴, … and z², z⁶, … are two sums, which the processor adds up side by side.
inline Lanes log1p_lanes(const Lanes& e) {
    const Lanes z = e / (e + 2.0);
    const Lanes square = z * z;
    const Lanes fourth = square * square;
    Lanes even = fourth * (1.0 / 33) + 1.0 / 29;
    Lanes odd = fourth * (1.0 / 31) + 1.0 / 27;
    even = even * fourth + 1.0 / 25;
    odd = odd * fourth + 1.0 / 23;
    even = even * fourth + 1.0 / 21;
    odd = odd * fourth + 1.0 / 19;
    even = even * fourth + 1.0 / 17;
    odd = odd * fourth + 1.0 / 15;
    even = even * fourth + 1.0 / 13;
    odd = odd * fourth + 1.0 / 11;
    even = even * fourth + 1.0 / 9;
    odd = odd * fourth + 1.0 / 7;
    even = even * fourth + 1.0 / 5;
    odd = odd * fourth + 1.0 / 3;
    even = even * fourth + 1.0;
    return 2.0 * z * (even + square * odd);
}

/// ln of four positive normal numbers, each within 3 units in the last place: x = 2ᵏ z with √½ ≤ z < √2, and ln z = 2 artanh(t) with
/// t = (z − 1) / (z + 1) by its series, where t² < 0.0295. Infinity and NaN stay what they are.
inline Lanes log_lanes(const Lanes& x) {
    typedef long long Bits __attribute__((vector_size(32)));
    constexpr long long root_of_half = 0x3fe6a09e667f3bcd;
    constexpr long long whole = 0x4338000000000000;  // 1.5 · 2⁵², which holds a whole number in its lowest bits
    Bits bits;
    std::memcpy(&bits, &x, sizeof bits);
    const Bits exponent = (bits - root_of_half) >> 52;
    bits -= exponent << 52;
    const Bits held = exponent + whole;
    Lanes z, k;
    std::memcpy(&z, &bits, sizeof z);
    std::memcpy(&k, &held, sizeof k);
    k -= 0x1.8p52;
    const Lanes t = (z - 1.0) / (z + 1.0);
    const Lanes square = t * t;
    Lanes p = square * (1.0 / 23) + 1.0 / 21;
    p = p * square + 1.0 / 19;
    p = p * square + 1.0 / 17;
    p = p * square + 1.0 / 15;
    p = p * square + 1.0 / 13;
    p = p * square + 1.0 / 11;
    p = p * square + 1.0 / 9;
    p = p * square + 1.0 / 7;
    p = p * square + 1.0 / 5;
    p = p * square + 1.0 / 3;
    const Lanes twice = t + t;
    const Lanes out = k * 0x1.62e42fee00000p-1 + (twice + (twice * square * p + k * 0x1.a39ef35793c76p-33));
    const Lanes beyond = Lanes{} + __builtin_inf();
    return x < beyond ? out : x;
}

/// Σ a[i], in eight running sums that are added in a fixed order.
inline double sum(const double* a, std::size_t n) {
    Lanes s0{}, s1{}, x, y;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        load_lanes(x, a + i);
        load_lanes(y, a + i + 4);
        s0 += x;
        s1 += y;
    }
    const Lanes s = s0 + s1;
    double out = (s[0] + s[1]) + (s[2] + s[3]);
    for (; i < n; ++i) out += a[i];
    return out;
}

/// Each value v becomes f(v), four at a time.
template <class F>
inline void map_lanes(double* values, std::size_t n, F f) {
    Lanes x{};
    for (std::size_t i = 0; i < n; i += 4) {
        const std::size_t here = n - i < 4 ? n - i : 4;
        if (here == 4)
            load_lanes(x, values + i);
        else
            for (std::size_t k = 0; k < here; ++k) x[k] = values[i + k];
        const Lanes y = f(x);
        if (here == 4)
            store_lanes(values + i, y);
        else
            for (std::size_t k = 0; k < here; ++k) values[i + k] = y[k];
    }
}

/// Each value becomes 1 / (1 + exp(−value)).
inline void sigmoid_all(double* values, std::size_t n) {
    map_lanes(values, n, [](const Lanes& x) { return 1.0 / (1.0 + exp_lanes(-x)); });
}

}  // namespace credence::rt
