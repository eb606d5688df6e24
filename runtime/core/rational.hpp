#pragma once
// Exact fractions: a 64-bit numerator and denominator inline, long ones once they overflow.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace credence::rt {

struct BigRational;  // wraps a fraction of big_numbers.hpp; lives in rational.cpp

/// Always in lowest terms with a positive denominator. Copies are cheap (the big form is shared and immutable).
class Rational {
public:
    Rational() = default;
    Rational(const Rational& other) : num_(other.num_), den_(other.den_), big_(other.big_) {
        if (big_) share();
    }
    Rational(Rational&& other) noexcept : num_(other.num_), den_(other.den_), big_(std::exchange(other.big_, nullptr)) {}
    Rational& operator=(const Rational& other) { return *this = Rational(other); }
    Rational& operator=(Rational&& other) noexcept {
        num_ = other.num_;
        den_ = other.den_;
        std::swap(big_, other.big_);
        return *this;
    }
    ~Rational() {
        if (big_) leave();
    }
    Rational(int value) : num_(value) {}                         // NOLINT: implicit by design
    Rational(std::int64_t value) : num_(value) {}                // NOLINT: implicit by design
    Rational(std::int64_t numerator, std::int64_t denominator);  ///< denominator != 0

    /// "12", "-3.25", "1e-3", "98%", "1/125": decimals are exact. Nothing else is accepted (no spaces, no inf).
    /// Exponents beyond ±100,000 give nullopt.
    static std::optional<Rational> parse(std::string_view text);
    /// The exact value of the double's shortest decimal form: 0.1 gives 1/10. Finite doubles only.
    static Rational from_decimal(double value);
    /// The exact binary value of a double. Finite doubles only.
    static Rational from_binary(double value);

    Rational operator-() const;
    Rational& operator+=(const Rational& other);
    Rational& operator-=(const Rational& other);
    Rational& operator*=(const Rational& other);
    Rational& operator/=(const Rational& other);  ///< other != 0
    friend Rational operator+(Rational a, const Rational& b) { return a += b; }
    friend Rational operator-(Rational a, const Rational& b) { return a -= b; }
    friend Rational operator*(Rational a, const Rational& b) { return a *= b; }
    friend Rational operator/(Rational a, const Rational& b) { return a /= b; }
    friend bool operator==(const Rational& a, const Rational& b);
    friend bool operator<(const Rational& a, const Rational& b);
    friend bool operator!=(const Rational& a, const Rational& b) { return !(a == b); }
    friend bool operator>(const Rational& a, const Rational& b) { return b < a; }
    friend bool operator<=(const Rational& a, const Rational& b) { return !(b < a); }
    friend bool operator>=(const Rational& a, const Rational& b) { return !(a < b); }

    Rational pow(std::int64_t exponent) const;  ///< exponent < 0 needs *this != 0
    Rational floor() const;
    int sign() const;
    bool is_zero() const { return sign() == 0; }
    bool is_integer() const;
    std::optional<std::int64_t> to_int64() const;  ///< when it is an integer that fits
    double to_double() const;                      ///< correctly rounded; ±inf on overflow
    double log() const;                            ///< natural logarithm, also where to_double() under- or overflows; > 0 only
    std::size_t bits() const;                      ///< size of numerator plus denominator: what the exact budget counts
    std::size_t hash() const;

    std::string text() const;  ///< "3", "-1/125"
    Rational numerator() const;
    Rational denominator() const;
    /// "0.008" where the decimal expansion ends within max_digits places, else nullopt.
    std::optional<std::string> decimal(std::size_t max_digits) const;

private:
    explicit Rational(const BigRational* big) : den_(0), big_(big) {}
    void share() const;                           // one more holder of the big form; out of line, since nearly every number is small
    void leave() const;                           // one fewer; the last deletes it
    static Rational from_big(BigRational&& big);  // demotes what fits
    BigRational to_big() const;
    bool is_small() const { return big_ == nullptr; }

    std::int64_t num_ = 0;
    std::int64_t den_ = 1;
    const BigRational* big_ = nullptr;
};

}  // namespace credence::rt
