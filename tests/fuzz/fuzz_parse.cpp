// Any bytes: parsing and formatting must end, and what parses must come out of the formatter as the same program.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "lang/syntax/format.hpp"
#include "lang/syntax/parse.hpp"
#include "tests/support/dump.hpp"

using namespace credence::lang;

namespace {

struct Parsed {
    bool sound = false;
    std::string dump;
};

Parsed parsed(const std::string& text) {
    Diagnostics problems;
    const auto program = parse(std::make_shared<const Source>("fuzz", text), problems);
    for (const auto& p : problems)
        if (p.span.begin > p.span.end || p.span.end > text.size() || p.message.empty()) std::abort();
    return {problems.empty(), dump(program)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    const auto before = parsed(text);
    static_cast<void>(is_incomplete(text));
    const auto tidy = format(text);
    if (!before.sound) return 0;
    const auto after = parsed(tidy);
    if (!after.sound || after.dump != before.dump || format(tidy) != tidy) std::abort();
    return 0;
}
