#include <catch2/catch.hpp>

#include "runtime/core/json.hpp"

#include <limits>

#include <nlohmann/json.hpp>

using namespace credence::rt;

namespace {

/// Read and written by both: the library's own writer is the judge.
void as_nlohmann(const std::string& text) {
    INFO(text);
    const auto ours = Json::parse(text);
    REQUIRE(ours);
    CHECK(ours->dump() == nlohmann::ordered_json::parse(text).dump(1));
}

}  // namespace

TEST_CASE("saved JSON reads and writes as nlohmann's") {
    as_nlohmann("null");
    as_nlohmann("[]");
    as_nlohmann("{}");
    as_nlohmann("[[], {}, [[1]]]");
    as_nlohmann(R"({"b": 1, "a": [true, false, null], "z": {"y": "ü \"q\" \\ \n \u0001", "x": -3}})");
    as_nlohmann("[0.1, 1.0, -0.0, 1e300, 5e-324, 123456789.123, 1e22, 9007199254740993, -9223372036854775808]");
}

TEST_CASE("JSON is built from braces: pairs of a text and a value make an object") {
    const Json object{{"a", 1}, {"b", {1, 2, 3}}, {"c", Json{{"d", "x"}}}};
    REQUIRE(object.is_object());
    CHECK(object.find("b")->is_array());
    CHECK(object.find("c")->find("d")->text() == "x");
    CHECK(object.find("nothing") == nullptr);
    const Json words{"a", "b"};
    REQUIRE(words.is_array());
    CHECK(words[1].text() == "b");
    const Json numbers(std::vector<double>{1, 2.5});
    CHECK(numbers[0].real() == 1);
    CHECK_FALSE(numbers[0].is_integer());
    Json later;
    later.set("flag", true);
    CHECK(later.flag("flag", false));
    CHECK(later.flag("other", true));
    const Json copy = object;
    CHECK(copy.dump() == object.dump());
}

TEST_CASE("what is no JSON gives nothing") {
    for (const char* text : {"", "{", "[1,]", "{\"a\"}", "nul", "[1] 2", "\"\xff\""}) {
        INFO(text);
        CHECK_FALSE(Json::parse(text));
    }
    CHECK(Json::parse(std::string(4000, '[') + std::string(4000, ']')));
    CHECK_FALSE(Json::parse(std::string(4001, '[') + std::string(4001, ']')));
}

TEST_CASE("whole numbers keep their kind up to 64 bits") {
    CHECK(Json::parse("9223372036854775807")->integer() == std::numeric_limits<std::int64_t>::max());
    CHECK_FALSE(Json::parse("9223372036854775808")->is_integer());
    CHECK(Json::parse("9223372036854775808")->real() == 9223372036854775808.0);
    CHECK_FALSE(Json(-1).is_count());
    CHECK(Json(std::size_t{3}).is_count());
}
