#include <catch2/catch.hpp>

#include <vector>

#include "runtime/core/suggest.hpp"

using namespace credence::rt;

TEST_CASE("suggest: edit distances", "[suggest]") {
    CHECK(edit_distance("kitten", "sitting") == 3);  // the textbook pair
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "abc") == 0);
    CHECK(edit_distance("abc", "acb") == 1);      // neighbours swapped
    CHECK(edit_distance("ca", "abc") == 3);       // optimal string alignment, where unrestricted Damerau has 2
    CHECK(edit_distance("naïve", "naive") == 1);  // a character, not its bytes
    CHECK(edit_distance("Sky", "sky") == 1);
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
