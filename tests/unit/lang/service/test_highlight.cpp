#include <catch2/catch.hpp>

#include "lang/service/highlight.hpp"
#include "tests/support/session.hpp"

using namespace credence;
using lang::Paint;

namespace {

/// One letter a byte: k q b n 0 t c l o ( ! and blank.
std::string painted(const std::string& text) {
    std::string out(text.size(), ' ');
    for (const auto& [span, paint] : lang::highlight(text, test::registry()))
        for (auto i = span.begin; i < span.end; ++i) out[i] = "kqbn0tclo(!"[static_cast<std::size_t>(paint)];
    return out;
}

}  // namespace

TEST_CASE("each kind of token has its paint") {
    CHECK(painted("let x = 3 # c") == "kkk n o 0 ccc");
    CHECK(painted("P(A | B = +)") == "q(n o n o l(");
    CHECK(painted("sqrt(2) + t.sqrt") == "bbbb(0( o nonnnn");
    CHECK(painted("\"a{x}b\"") == "tt(n(tt");
    CHECK(painted("1..9 step 2") == "0oo0 kkkk 0");
    CHECK(painted("load(\"abc") == "bbbb(tttt");
}

TEST_CASE("brackets know their partners, also through texts") {
    const std::string text = "f([1, \")\", {a: 2}])";
    CHECK(lang::matching_bracket(text, 1) == text.size() - 1);
    CHECK(lang::matching_bracket(text, text.size() - 1) == 1U);
    CHECK(lang::matching_bracket(text, 2) == text.size() - 2);
    CHECK_FALSE(lang::matching_bracket(text, 0).has_value());
    CHECK_FALSE(lang::matching_bracket("(((", 1).has_value());
}
