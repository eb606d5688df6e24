// A function is called with values that fit its parameters: what does not fit is refused before.

#include <algorithm>

#include <catch2/catch.hpp>

#include "lang/value/value.hpp"
#include "tests/support/session.hpp"

using namespace credence;
using namespace credence::lang;

TEST_CASE("every parameter with a type refuses some value") {
    const Value odd[] = {Value(Value::Node(AnyMark{})), Value(rt::Number::real(-0.5)), Value(Value::Node(true))};
    for (const auto& [name, overloads] : test::registry().builtins())
        for (const auto& form : overloads.forms)
            for (const auto& p : form.parameters) {
                if (p.type == Type::any || p.type == Type::start || p.type == Type::option) continue;  // their functions look
                INFO(name << ", " << p.name);
                CHECK(std::any_of(std::begin(odd), std::end(odd), [&](const Value& v) { return refusal(v, p).has_value(); }));
            }
}
