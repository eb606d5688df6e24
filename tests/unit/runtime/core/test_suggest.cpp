#include <catch2/catch.hpp>

#include <vector>

#include "runtime/core/suggest.hpp"

using namespace credence::rt;

TEST_CASE("suggest: what an edit is", "[suggest]") {
    const auto is_near = [](const char* word, const char* candidate) {
        return nearest(word, std::vector<std::string>{candidate}).has_value();
    };
    CHECK(is_near("kitten", "mitten"));
    CHECK(is_near("abc", "acb"));        // neighbours swapped: one edit, where two replacements would be too far
    CHECK_FALSE(is_near("abc", "cba"));  // no swap of neighbours
    CHECK(is_near("naï", "nai"));        // a character, not its bytes
    CHECK_FALSE(is_near("kitten", "sitting"));
}

TEST_CASE("suggest: the nearest name", "[suggest]") {
    const std::vector<std::string> names = {"Outlook", "Temperature", "Humidity", "Wind", "PlayTennis"};
    CHECK(nearest("outlook", names) == "Outlook");
    CHECK(nearest("Temprature", names) == "Temperature");
    CHECK(nearest("Humidty", names) == "Humidity");
    CHECK(nearest("PLAYTENNIS", names) == "PlayTennis");
    CHECK(nearest("Widn", names) == "Wind");
    CHECK_FALSE(nearest("Pressure", names));
    CHECK_FALSE(nearest("x", names));
    CHECK_FALSE(nearest("", names));
    CHECK_FALSE(nearest("Wind", std::vector<std::string>{}));
}

TEST_CASE("suggest: case counts less than letters, and ties go to the first", "[suggest]") {
    CHECK(nearest("sky", std::vector<std::string>{"ski", "Sky"}) == "Sky");
    CHECK(nearest("cat", std::vector<std::string>{"bat", "hat"}) == "bat");
    CHECK(nearest("pos", std::vector<std::string>{"neg", "poss", "positive"}) == "poss");
    CHECK(nearest("a", std::vector<std::string>{"b", "A"}) == "A");
}
