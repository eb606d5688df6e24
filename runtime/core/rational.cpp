#include "runtime/core/rational.hpp"

#include <atomic>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/core/big_numbers.hpp"
#include "runtime/core/chars.hpp"
#include "runtime/core/exact_memory.hpp"

namespace credence::rt {

struct BigRational {
    explicit BigRational(big::Fraction number) : value(std::move(number)) {}
    BigRational(const BigRational& other) : value(other.value) {}
    BigRational(BigRational&& other) noexcept : value(std::move(other.value)) {}

    big::Fraction value;
    mutable std::atomic<std::size_t> holders = 1;
};

void Rational::share() const { big_->holders.fetch_add(1, std::memory_order_relaxed); }

void Rational::leave() const {
    if (big_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete big_;
}

namespace {

__extension__ typedef __int128 Wide;                   // NOLINT: `using` would warn under -Wpedantic
__extension__ typedef unsigned __int128 UnsignedWide;  // NOLINT

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

bool fits(Wide v) { return v >= -int64_max && v <= int64_max; }

Wide wide_abs(Wide v) { return v < 0 ? -v : v; }

Wide wide_gcd(Wide a, Wide b) {
    a = wide_abs(a);
    b = wide_abs(b);
    while (b != 0) {
        constexpr Wide word = std::numeric_limits<std::int64_t>::max();
        if (a <= word && b <= word) return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
        a = std::exchange(b, a % b);
    }
    return a;
}

big::Integer wide_to_mpz(Wide v) {
    const bool negative = v < 0;
    auto magnitude = static_cast<UnsignedWide>(wide_abs(v));
    big::Integer out = static_cast<std::uint64_t>(magnitude >> 64);
    out <<= 64;
    out += static_cast<std::uint64_t>(magnitude);
    return negative ? big::Integer(-out) : out;
}

bool fits_small(const big::Integer& v) { return v >= -int64_max && v <= int64_max; }

/// What `make` gives, with memory set aside for numbers of so many bits.
template <typename Make>
auto made(std::size_t bits, Make&& make) {
    const ExactMemory memory(bits);
    auto out = make();
    memory.check();
    return out;
}

constexpr std::size_t word_bits = 256;     // of the numerator and denominator of a few small numbers
constexpr std::size_t double_bits = 4096;  // of any double

big::Integer power_of_ten(std::size_t n) { return big::mp::pow(big::Integer(10), static_cast<unsigned>(n)); }

bool all_digits(std::string_view s) {
    for (const char c : s)
        if (c < '0' || c > '9') return false;
    return true;
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
    assert(denominator != 0);
    Wide n = numerator;
    Wide d = denominator;
    const Wide g = wide_gcd(n, d);
    n /= g;
    d /= g;
    if (d < 0) {
        n = -n;
        d = -d;
    }
    if (fits(n) && fits(d)) {
        num_ = static_cast<std::int64_t>(n);
        den_ = static_cast<std::int64_t>(d);
    } else {
        *this = made(word_bits, [&] { return from_big(BigRational{big::Fraction(wide_to_mpz(n), wide_to_mpz(d))}); });
    }
}

namespace {

/// The big form of a number, made where it has none; one that is there is not copied.
class Wider {
public:
    Wider(std::optional<BigRational> made, const BigRational* there) : made_(std::move(made)), there_(there) {}
    const big::Fraction& value() const { return made_ ? made_->value : there_->value; }

private:
    std::optional<BigRational> made_;
    const BigRational* there_;
};

}  // namespace

Rational Rational::from_big(BigRational&& big_form) {
    constexpr std::size_t word = 64;  // a number of so many bits may still be too long; one of more is
    const std::size_t bits_above = big::bits(big::above(big_form.value));
    const std::size_t bits_below = big::bits(big::below(big_form.value));
    if (bits_above + bits_below > most_exact_bits) throw ExactNumberTooLong();
    if (bits_above > word || bits_below > word) return Rational(new BigRational(std::move(big_form)));
    const big::Integer n = big::mp::numerator(big_form.value);
    const big::Integer d = big::mp::denominator(big_form.value);
    if (fits_small(n) && fits_small(d)) {
        Rational out;
        out.num_ = n.convert_to<std::int64_t>();
        out.den_ = d.convert_to<std::int64_t>();
        return out;
    }
    return Rational(new BigRational(std::move(big_form)));
}

BigRational Rational::to_big() const {
    if (!is_small()) return *big_;
    return BigRational{big::fraction(num_, den_)};
}

std::optional<Rational> Rational::parse(std::string_view text) {
    if (const auto slash = text.find('/'); slash != std::string_view::npos) {
        const auto above = parse(text.substr(0, slash));
        const auto below = parse(text.substr(slash + 1));
        if (!above || !below || below->is_zero()) return std::nullopt;
        return *above / *below;
    }
    bool negative = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    bool percent = false;
    if (!text.empty() && text.back() == '%') {
        percent = true;
        text.remove_suffix(1);
    }
    long exponent = 0;
    if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
        auto digits = text.substr(e + 1);
        if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
        if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
        if (exponent > 100'000 || exponent < -100'000) return std::nullopt;
        text = text.substr(0, e);
    }
    std::string digits;
    const auto dot = text.find('.');
    const auto whole = text.substr(0, dot);
    const auto fraction = dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
    if (whole.empty() && fraction.empty()) return std::nullopt;
    if (dot != std::string_view::npos && fraction.empty()) return std::nullopt;
    if (!all_digits(whole) || !all_digits(fraction)) return std::nullopt;
    digits.append(whole).append(fraction);
    exponent -= static_cast<long>(fraction.size());
    if (percent) exponent -= 2;

    if (digits.size() <= 18 && exponent <= 0 && exponent >= -18) {
        std::int64_t n = 0;
        for (const char c : digits) n = n * 10 + (c - '0');
        std::int64_t d = 1;
        for (long i = exponent; i < 0; ++i) d *= 10;
        return Rational(negative ? -n : n, d);
    }
    const auto first = digits.find_first_not_of('0');
    if (first == std::string::npos) return Rational(0);
    constexpr std::size_t digit_bits = 4;  // rounded up from 3.33
    const std::size_t bits = digit_bits * (digits.size() + static_cast<std::size_t>(std::abs(exponent)));
    if (bits > most_exact_bits) return std::nullopt;
    return made(bits, [&] {
        big::Integer n(digits.substr(first));
        if (negative) n = -n;
        if (exponent >= 0) return from_big(BigRational{big::Fraction(big::Integer(n * power_of_ten(static_cast<std::size_t>(exponent))))});
        return from_big(BigRational{big::Fraction(n, power_of_ten(static_cast<std::size_t>(-exponent)))});
    });
}

Rational Rational::from_decimal(double value) {
    assert(std::isfinite(value));
    char buffer[64];
    const auto [end, error] = to_chars(buffer, buffer + sizeof buffer, value);
    assert(error == std::errc{});
    return *parse(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

Rational Rational::from_binary(double value) {
    assert(std::isfinite(value));
    return made(double_bits, [&] { return from_big(BigRational{big::from_double(value)}); });
}

Rational Rational::operator-() const {
    if (is_small()) {
        Rational out;
        out.num_ = -num_;
        out.den_ = den_;
        return out;
    }
    return made(bits(), [&] { return from_big(BigRational{big::Fraction(-big_->value)}); });
}

Rational& Rational::operator+=(const Rational& other) {
    if (is_small() && other.is_small()) {
        if (den_ == 1 && other.den_ == 1) {
            const Wide n = Wide{num_} + other.num_;
            if (fits(n)) {
                num_ = static_cast<std::int64_t>(n);
                return *this;
            }
        }
        // Knuth, TAOCP 4.5.1: reduce by gcd(d1, d2) first so that everything fits in 128 bits.
        const Wide g = std::gcd(den_, other.den_);
        const auto by = static_cast<std::int64_t>(g);
        const Wide t = Wide{num_} * (other.den_ / by) + Wide{other.num_} * (den_ / by);
        if (t == 0) {
            *this = Rational();
            return *this;
        }
        const Wide g2 = wide_gcd(t, g);
        const Wide n = fits(t) ? Wide{static_cast<std::int64_t>(t) / static_cast<std::int64_t>(g2)} : t / g2;
        const Wide d = Wide{den_ / static_cast<std::int64_t>(g)} * (other.den_ / static_cast<std::int64_t>(g2));
        if (fits(n) && fits(d)) {
            num_ = static_cast<std::int64_t>(n);
            den_ = static_cast<std::int64_t>(d);
            return *this;
        }
    }
    return *this = made(bits() + other.bits(), [&] {
        const Wider left(is_small() ? std::optional(to_big()) : std::nullopt, big_);
        const Wider right(other.is_small() ? std::optional(other.to_big()) : std::nullopt, other.big_);
        return from_big(BigRational{big::Fraction(left.value() + right.value())});
    });
}

Rational& Rational::operator-=(const Rational& other) { return *this += -other; }

Rational& Rational::operator*=(const Rational& other) {
    if (other.den_ == 1 && other.num_ == 1) return *this;  // the big form has no inline denominator
    if (is_small() && other.is_small()) {
        if (den_ == 1 && other.den_ == 1) {
            const Wide n = Wide{num_} * other.num_;
            if (fits(n)) {
                num_ = static_cast<std::int64_t>(n);
                return *this;
            }
        }
        const std::int64_t g1 = std::gcd(num_, other.den_);
        const std::int64_t g2 = std::gcd(other.num_, den_);
        const Wide n = Wide{num_ / g1} * (other.num_ / g2);
        const Wide d = Wide{den_ / g2} * (other.den_ / g1);
        if (fits(n) && fits(d)) {
            num_ = static_cast<std::int64_t>(n);
            den_ = static_cast<std::int64_t>(d);
            return *this;
        }
    }
    return *this = made(bits() + other.bits(), [&] {
        const Wider left(is_small() ? std::optional(to_big()) : std::nullopt, big_);
        const Wider right(other.is_small() ? std::optional(other.to_big()) : std::nullopt, other.big_);
        return from_big(BigRational{big::Fraction(left.value() * right.value())});
    });
}

Rational& Rational::operator/=(const Rational& other) {
    assert(!other.is_zero());
    if (other.is_small()) {
        Rational inverse;
        inverse.num_ = other.num_ < 0 ? -other.den_ : other.den_;
        inverse.den_ = other.num_ < 0 ? -other.num_ : other.num_;
        return *this *= inverse;
    }
    return *this = made(bits() + other.bits(), [&] {
        const Wider left(is_small() ? std::optional(to_big()) : std::nullopt, big_);
        const Wider right(other.is_small() ? std::optional(other.to_big()) : std::nullopt, other.big_);
        return from_big(BigRational{big::Fraction(left.value() / right.value())});
    });
}

bool operator==(const Rational& a, const Rational& b) {
    if (a.is_small() != b.is_small()) return false;  // one form per value: what fits is always small
    if (a.is_small()) return a.num_ == b.num_ && a.den_ == b.den_;
    return a.big_ == b.big_ || a.big_->value == b.big_->value;
}

bool operator<(const Rational& a, const Rational& b) {
    if (a.is_small() && b.is_small()) return Wide{a.num_} * b.den_ < Wide{b.num_} * a.den_;
    return made(a.bits() + b.bits(), [&] {
        if (!a.is_small() && !b.is_small()) return a.big_->value < b.big_->value;
        return a.to_big().value < b.to_big().value;
    });
}

Rational Rational::pow(std::int64_t exponent) const {
    if (exponent < 0) {
        assert(!is_zero());
        return (Rational(1) / *this).pow(-exponent);
    }
    // Every factor but a last bit is in the power, so this many bits are sure.
    const auto sure = static_cast<double>(bits() < 2 ? 0 : bits() - 2) * static_cast<double>(exponent);
    if (sure > static_cast<double>(most_exact_bits)) throw ExactNumberTooLong();
    Rational out = 1;
    Rational base = *this;
    for (auto e = static_cast<std::uint64_t>(exponent); e != 0; e >>= 1) {
        if (e & 1U) out *= base;
        if (e > 1) base *= base;
    }
    return out;
}

Rational Rational::floor() const {
    if (is_small()) {
        const std::int64_t q = num_ / den_;
        return Rational(num_ % den_ < 0 ? q - 1 : q);
    }
    return made(bits(), [&] { return from_big(BigRational{big::Fraction(big::floor(big_->value))}); });
}

int Rational::sign() const {
    if (is_small()) return (num_ > 0) - (num_ < 0);
    return big::sign(big_->value);
}

bool Rational::is_integer() const { return is_small() ? den_ == 1 : big::below_is_one(big_->value); }

std::optional<std::int64_t> Rational::to_int64() const {
    if (is_small() && den_ == 1) return num_;
    return std::nullopt;
}

namespace {

double rounded(const big::Fraction& q) {
    // GMP truncates, so round by hand: 64 quotient bits hold 53 and a sticky remainder.
    big::Integer n = big::mp::numerator(q);
    const big::Integer d = big::mp::denominator(q);
    if (n == 0) return 0;
    const bool negative = n < 0;
    if (negative) n = -n;
    const long shift = 64 - (static_cast<long>(big::bits(n)) - static_cast<long>(big::bits(d)));
    big::Integer scaled_n = n;
    big::Integer scaled_d = d;
    if (shift > 0)
        scaled_n <<= shift;
    else
        scaled_d <<= -shift;
    big::Integer quotient;
    big::Integer remainder;
    big::mp::divide_qr(scaled_n, scaled_d, quotient, remainder);
    // 64 or 65 bits: keep 62 plus a sticky bit, which the conversion to double then rounds correctly.
    const auto extra = static_cast<long>(big::bits(quotient)) - 62;
    const big::Integer kept = quotient >> extra;
    const bool sticky = remainder != 0 || (kept << extra) != quotient;
    const auto mantissa = (kept.convert_to<std::uint64_t>() << 1U) | (sticky ? 1U : 0U);
    const long exponent = extra - 1 - shift;
    double out;
    if (exponent + 63 < -1021) {  // subnormal: ldexp would round a second time, so round once in extended precision
        out = static_cast<double>(std::ldexp(static_cast<long double>(mantissa), static_cast<int>(std::max(exponent, -20000L))));
    } else {
        out = std::ldexp(static_cast<double>(mantissa), static_cast<int>(std::min(exponent, 20000L)));
    }
    return negative ? -out : out;
}

}  // namespace

double Rational::to_double() const {
    constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
    if (is_small() && num_ <= exact_in_double && num_ >= -exact_in_double && den_ <= exact_in_double)
        return static_cast<double>(num_) / static_cast<double>(den_);
    return made(2 * bits() + word_bits, [&] { return rounded(to_big().value); });
}

double Rational::log() const {
    assert(sign() > 0);
    if (is_small()) {
        // near 1 the difference of two logarithms would cancel
        if (num_ > den_ / 2 && num_ / 2 < den_) return std::log1p((Rational(*this) - Rational(1)).to_double());
        return std::log(static_cast<double>(num_)) - std::log(static_cast<double>(den_));
    }
    const double direct = to_double();
    if (direct > 1e-300 && direct < 1e300)
        return direct > 0.5 && direct < 2 ? std::log1p((*this - Rational(1)).to_double()) : std::log(direct);
    long exponent_n = 0;
    long exponent_d = 0;
    const double mantissa_n = big::mantissa(big::above(big_->value), exponent_n);
    const double mantissa_d = big::mantissa(big::below(big_->value), exponent_d);
    return std::log(mantissa_n / mantissa_d) + static_cast<double>(exponent_n - exponent_d) * std::log(2.0);
}

std::size_t Rational::bits() const {
    if (is_small()) {
        const auto magnitude = static_cast<std::uint64_t>(num_ < 0 ? -num_ : num_);
        return static_cast<std::size_t>(std::bit_width(magnitude)) +
               static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(den_)));
    }
    return big::bits(big::above(big_->value)) + big::bits(big::below(big_->value));
}

std::size_t Rational::hash() const {
    if (is_small()) return std::hash<std::int64_t>{}(num_)*1000003U ^ std::hash<std::int64_t>{}(den_);
    return std::hash<std::string>{}(text());
}

std::string Rational::text() const {
    if (is_small()) return den_ == 1 ? std::to_string(num_) : std::to_string(num_) + "/" + std::to_string(den_);
    return made(bits(), [&] { return big_->value.str(); });
}

Rational Rational::numerator() const {
    if (is_small()) return Rational(num_);
    return made(bits(), [&] { return from_big(BigRational{big::Fraction(big::Integer(big::mp::numerator(big_->value)))}); });
}

Rational Rational::denominator() const {
    if (is_small()) return Rational(den_);
    return made(bits(), [&] { return from_big(BigRational{big::Fraction(big::Integer(big::mp::denominator(big_->value)))}); });
}

std::optional<std::string> Rational::decimal(std::size_t max_digits) const {
    if (is_integer()) return text();
    constexpr std::size_t digit_bits = 4;
    const ExactMemory memory(bits() + digit_bits * max_digits + word_bits);
    // The expansion ends after max(twos, fives) places when the denominator is 2^twos 5^fives.
    const auto places_of = [max_digits](auto d) -> std::optional<std::size_t> {
        std::size_t twos = 0;
        std::size_t fives = 0;
        while (twos <= max_digits && d % 2 == 0) {
            d /= 2;
            ++twos;
        }
        while (fives <= max_digits && d % 5 == 0) {
            d /= 5;
            ++fives;
        }
        if (d != 1 || std::max(twos, fives) > max_digits) return std::nullopt;
        return std::max(twos, fives);
    };
    const auto found = is_small() ? places_of(den_) : places_of(big::Integer(big::mp::denominator(to_big().value)));
    memory.check();
    if (!found) return std::nullopt;
    const std::size_t places = *found;
    constexpr std::size_t short_enough = 18;
    Wide scale = 1;
    for (std::size_t i = 0; i < std::min(places, short_enough); ++i) scale *= 10;
    const Wide whole = is_small() && places <= short_enough ? Wide{num_} * (scale / den_) : Wide{0};
    std::string digits = whole != 0 && fits(whole)
                             ? std::to_string(static_cast<std::int64_t>(whole))
                             : big::Integer(big::mp::numerator(to_big().value * big::Fraction(power_of_ten(places)))).str();
    memory.check();
    const bool negative = digits[0] == '-';
    if (negative) digits.erase(0, 1);
    if (digits.size() <= places) digits.insert(0, places - digits.size() + 1, '0');
    digits.insert(digits.size() - places, 1, '.');
    return (negative ? "-" : "") + digits;
}

}  // namespace credence::rt
