#include "lang/cli/limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <new>

#include <fmt/format.h>

namespace credence::cli {

namespace {

std::atomic<std::size_t> allowed = 0;   // bytes of address space; 0: no limit
std::atomic<std::size_t> failures = 0;  // since the last run began

void set_limit() {
    constexpr std::size_t for_each = std::size_t{64} << 20U;
    constexpr std::size_t most_failures = 16;
    constexpr std::size_t hard = most_failures * for_each;
    const rlimit limit{allowed + std::min<std::size_t>(failures, most_failures) * for_each, allowed + hard};
    if (setrlimit(RLIMIT_AS, &limit) == 0) return;
    const rlimit alone{limit.rlim_cur, limit.rlim_cur};  // where the system allows less than the most
    setrlimit(RLIMIT_AS, &alone);
}

/// Values of JSON need memory to be destroyed: so an allocation that fails leaves some for what is given up because of it.
[[noreturn]] void out_of_memory() {
    ++failures;
    set_limit();
    throw std::bad_alloc();
}

}  // namespace

std::optional<std::size_t> parse_size(const std::string& text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || !std::isfinite(number) || end - rest > 1) return std::nullopt;
    const char unit = rest == end ? 'b' : *rest;
    const double factor = unit == 'b'                  ? 1
                          : unit == 'k' || unit == 'K' ? 1024.0
                          : unit == 'm' || unit == 'M' ? 1048576.0
                          : unit == 'g' || unit == 'G' ? 1073741824.0
                                                       : 0;
    constexpr double most = 4611686018427387904.0;  // 2^62: what is added to it is still a size
    const double bytes = number * factor;
    if (!(bytes >= 1 && bytes <= most)) return std::nullopt;
    return static_cast<std::size_t>(bytes);
}

std::string wrong_seed(const std::string& text) {
    const bool whole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (!whole) return fmt::format("'{}' is not a whole number, 0 or more", text);
    std::uint64_t seed = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seed);
    return parsed.ec == std::errc{} ? "" : fmt::format("{} is too large: the largest seed is {}", text, UINT64_MAX);
}

std::string wrong_seconds(const std::string& text) {
    double seconds = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool fits = error == std::errc{} && rest == text.data() + text.size() && std::isfinite(seconds) && seconds > 0;
    return fits ? "" : fmt::format("'{}' is not a positive number of seconds", text);
}

void limit_memory(std::size_t bytes) {
    allowed = bytes + own_memory;
    std::set_new_handler(out_of_memory);
    restore_limit();
}

void restore_limit() {
    if (allowed == 0) return;
    failures = 0;
    set_limit();
}

}  // namespace credence::cli
