#pragma once
// Scripts whose expectations were worked out by the test itself.

#include <string>

#include <catch2/catch.hpp>

#include "tests/support/session.hpp"

namespace credence::test {

/// How many expectations of the script were met; all of them must be.
inline std::size_t met_expectations(const std::string& script) {
    lang::Session session(registry(), {});
    Recorder recorder;
    const bool fine = run(session, script, recorder);
    INFO(script);
    INFO(recorder.messages());
    REQUIRE(fine);
    REQUIRE(session.world().expectations_failed == 0);
    return session.world().expectations_met;
}

}  // namespace credence::test
