#include <catch2/catch.hpp>

#include "lang/syntax/parse.hpp"

using namespace credence::lang;

namespace {

std::string dumped(std::string text) {
    Diagnostics problems;
    const auto program = parse(std::make_shared<const Source>("test", std::move(text)), problems);
    std::string out = dump(program);
    for (const auto& p : problems) out += p.code + ": " + p.message + "\n";
    return out;
}

}  // namespace

TEST_CASE("operators bind as the grammar says") {
    CHECK(dumped("a + b * c") == "((show (+ (name 'a') (* (name 'b') (name 'c')))))\n");
    CHECK(dumped("-a^2") == "((show (- (^ (name 'a') 2))))\n");
    CHECK(dumped("argmax P(D | h) * P(h) == a") ==
          "((show (== (argmax (* (P ((item (variable 'D'))) (given ((item (variable 'h'))))) (P ((item (variable 'h')))))) (name 'a'))))\n");
}
