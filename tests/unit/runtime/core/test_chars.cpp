// The stand-ins for std::to_chars and std::from_chars of doubles against the originals.

#include <catch2/catch.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "runtime/core/chars.hpp"

#if defined(__cpp_lib_to_chars)

namespace {

namespace portable = credence::rt::portable;

template <class... Format>
std::string text_of(std::to_chars_result (*write)(char*, char*, double, Format...), double value, Format... format) {
    std::array<char, 400> buffer{};
    const auto [end, error] = write(buffer.data(), buffer.data() + buffer.size(), value, format...);
    return error == std::errc{} ? std::string(buffer.data(), end) : "too long";
}

std::vector<double> many_doubles() {
    std::vector<double> out{0.0,
                            -0.0,
                            1.0,
                            -1.0,
                            0.1,
                            1e5,
                            1e16,
                            123456789012345680.0,
                            1e22,
                            1e23,
                            1.5e300,
                            5e-324,
                            2.2250738585072014e-308,
                            1e-5,
                            1e-4,
                            0.001,
                            99999,
                            1e21,
                            12345e15,
                            9007199254740993.0,
                            0.30000000000000004,
                            1.7976931348623157e308};
    std::mt19937_64 bits(1);
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t word = bits();
        double value = 0;
        std::memcpy(&value, &word, sizeof value);
        if (std::isfinite(value)) out.push_back(value);
    }
    std::uniform_real_distribution<double> plain(-1e6, 1e6);
    for (int i = 0; i < 20'000; ++i) out.push_back(plain(bits));
    for (int i = 0; i < 5000; ++i) out.push_back(std::round(plain(bits)) / 1000);
    for (int i = 0; i < 5000; ++i) out.push_back(std::round(plain(bits)) * 1e14);
    return out;
}

}  // namespace

TEST_CASE("the portable to_chars writes the bytes of std::to_chars", "[chars]") {
    for (const double value : many_doubles()) {
        INFO(value);
        REQUIRE(text_of<>(portable::to_chars, value) == text_of<>(std::to_chars, value));
        for (const int precision : {0, 3, 5, 16}) {
            REQUIRE(text_of<portable::chars_format, int>(portable::to_chars, value, portable::chars_format::scientific, precision) ==
                    text_of<std::chars_format, int>(std::to_chars, value, std::chars_format::scientific, precision));
            REQUIRE(text_of<portable::chars_format, int>(portable::to_chars, value, portable::chars_format::general, precision) ==
                    text_of<std::chars_format, int>(std::to_chars, value, std::chars_format::general, precision));
        }
    }
}

TEST_CASE("the portable from_chars reads what std::from_chars reads", "[chars]") {
    const auto same = [](const std::string& text) {
        double wanted = 7;
        double got = 7;
        const auto a = std::from_chars(text.data(), text.data() + text.size(), wanted);
        const auto b = portable::from_chars(text.data(), text.data() + text.size(), got);
        INFO(text);
        CHECK(a.ec == b.ec);
        if (a.ec != std::errc::result_out_of_range) CHECK(a.ptr == b.ptr);
        CHECK(std::memcmp(&wanted, &got, sizeof got) == 0);
    };
    for (const double value : many_doubles()) same(text_of<>(std::to_chars, value));
    for (const char* text : {"", "+1", " 1", "x", "1e400", "1e-400", "1.", ".5", "1e", "1x", "-", "0e99999", "9007199254740993", "1.5.2"})
        same(text);
}

#endif
