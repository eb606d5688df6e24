#include <catch2/catch.hpp>

#include "runtime/core/stop.hpp"

using namespace credence::rt;

TEST_CASE("a stop reaches the tokens of its source, and no others", "[stop]") {
    StopSource source;
    StopSource other;
    const StopToken token = source.get_token();
    CHECK_FALSE(token.stop_requested());
    CHECK_FALSE(StopToken().stop_requested());
    source.request_stop();
    CHECK(token.stop_requested());
    CHECK(source.get_token().stop_requested());
    CHECK_FALSE(other.get_token().stop_requested());
    source = StopSource();  // what ran under the old one stays stopped
    CHECK(token.stop_requested());
    CHECK_FALSE(source.get_token().stop_requested());
}
