#pragma once
// The integers and fractions behind long exact numbers: GMP, or Boost's own where there is no GMP (in the browser). For rational.cpp alone.

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(CREDENCE_WITHOUT_GMP)
#include <boost/multiprecision/cpp_int.hpp>
#else
#include <boost/multiprecision/gmp.hpp>
#endif

namespace credence::rt::big {

namespace mp = boost::multiprecision;

#if defined(CREDENCE_WITHOUT_GMP)

using Integer = mp::cpp_int;
using Fraction = mp::cpp_rational;

inline const Integer& above(const Fraction& x) { return x.backend().data().numerator(); }
inline const Integer& below(const Fraction& x) { return x.backend().data().denominator(); }
inline int sign(const Fraction& x) { return above(x).sign(); }
inline bool below_is_one(const Fraction& x) { return below(x) == 1; }
inline std::size_t bits(const Integer& x) { return x == 0 ? 1 : static_cast<std::size_t>(msb(x < 0 ? Integer(-x) : x)) + 1; }

/// In lowest terms already.
inline Fraction fraction(std::int64_t numerator, std::int64_t denominator) { return Fraction(Integer(numerator), Integer(denominator)); }

inline Fraction from_double(double x) {
    constexpr int mantissa_bits = 53;
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), mantissa_bits));
    exponent -= mantissa_bits;
    if (exponent >= 0) return Fraction(Integer(mantissa) << exponent);
    return Fraction(Integer(mantissa), Integer(1) << -exponent);
}

inline Integer floor(const Fraction& x) {
    Integer quotient;
    Integer remainder;
    mp::divide_qr(above(x), below(x), quotient, remainder);  // towards zero
    return remainder < 0 ? Integer(quotient - 1) : quotient;
}

/// x = mantissa × 2^exponent, 0.5 <= |mantissa| < 1; truncated, as GMP does it.
inline double mantissa(const Integer& x, long& exponent) {
    constexpr long kept = 53;
    const bool negative = x < 0;
    const Integer magnitude = negative ? Integer(-x) : x;
    const auto size = static_cast<long>(bits(magnitude));
    const Integer top = size > kept ? Integer(magnitude >> (size - kept)) : Integer(magnitude << (kept - size));
    exponent = size;
    const double out = std::ldexp(static_cast<double>(top.convert_to<std::int64_t>()), static_cast<int>(-kept));
    return negative ? -out : out;
}

#else

using Integer = mp::mpz_int;
using Fraction = mp::mpq_rational;

inline auto above(const Fraction& x) { return mpq_numref(x.backend().data()); }
inline auto below(const Fraction& x) { return mpq_denref(x.backend().data()); }
inline int sign(const Fraction& x) { return mpq_sgn(x.backend().data()); }
inline bool below_is_one(const Fraction& x) { return mpz_cmp_ui(below(x), 1) == 0; }
inline std::size_t bits(mpz_srcptr x) { return mpz_sizeinbase(x, 2); }
inline std::size_t bits(const Integer& x) { return bits(x.backend().data()); }

/// In lowest terms already.
inline Fraction fraction(std::int64_t numerator, std::int64_t denominator) {
    if constexpr (sizeof(long) == sizeof(std::int64_t)) {
        Fraction out;
        mpq_set_si(out.backend().data(), numerator, static_cast<std::uint64_t>(denominator));
        return out;
    } else {
        return Fraction(Integer(numerator), Integer(denominator));
    }
}

inline Fraction from_double(double x) { return Fraction(x); }

inline Integer floor(const Fraction& x) {
    Integer out;
    mpz_fdiv_q(out.backend().data(), above(x), below(x));
    return out;
}

/// x = mantissa × 2^exponent, 0.5 <= |mantissa| < 1; truncated.
inline double mantissa(mpz_srcptr x, long& exponent) { return mpz_get_d_2exp(&exponent, x); }

#endif

}  // namespace credence::rt::big
