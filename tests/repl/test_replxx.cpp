// What only replxx does: colours while typing, hints below the line, pastes that stay one entry. Skipped by name where the build has
// another line editor; ./dev replxx builds with it.

#include <iostream>

#include <catch2/catch.hpp>

#include "tests/repl/terminal.hpp"

using namespace credence::test;

namespace {

const std::string ctrl_l = "\x0c";
const std::string marks_pastes = "\x1b[?2004h";
const std::string resets_terminal = "\033c";
const std::string clears_below = "\x1b[J";

bool skipped(const std::string& name) {
    if (has_line_editor("replxx")) return false;
    std::cout << "skipped, the line editor is not replxx: " << name << '\n';
    return true;
}

}  // namespace

TEST_CASE("replxx: words have colours while they are typed") {
    if (skipped("colours")) return;
    const Folder folder;
    Terminal t(folder, {}, true);
    t.type("let abc = \"xyz\" # note");
    const std::string seen = t.glance("# note");
    CHECK(seen.find("34mlet") != std::string::npos);
    CHECK(seen.find("32m\"xyz\"") != std::string::npos);
    CHECK(seen.find("m# note") != std::string::npos);
}

TEST_CASE("replxx: colours fall on their words behind letters of other scripts") {
    if (skipped("colours behind other scripts")) return;
    const Folder folder;
    Terminal t(folder, {}, true);
    t.type("\"größe θ\" + P(");
    CHECK(t.glance("P(targets").find("35mP\x1b") != std::string::npos);
}

TEST_CASE("replxx: NO_COLOR leaves out colours and hints") {
    if (skipped("NO_COLOR")) return;
    const Folder folder;
    Terminal t(folder);
    t.type("choose(5, 2)\r");
    t.sees("\n10");
    CHECK(t.raw().find("choose(n, k)") == std::string::npos);
    CHECK(t.raw().find("36m") == std::string::npos);
}

TEST_CASE("replxx: the hint is gone when its line is entered") {
    if (skipped("hints")) return;
    const Folder folder;
    Terminal t(folder, {}, true);
    t.type("choose(");
    t.sees("choose(n, k)");
    t.press("\r");
    const std::string drawn = t.until("… ");  // the bracket is open: the entry goes on
    CHECK(drawn.find(clears_below) != std::string::npos);
    CHECK(drawn.find("n, k") == std::string::npos);
    t.press("5, 2)\r");
    t.sees("\n10");
}

TEST_CASE("replxx: pastes are marked again after Ctrl-L resets the terminal") {
    if (skipped("pastes after Ctrl-L")) return;
    const Folder folder;
    Terminal t(folder);
    CHECK(t.raw().find(marks_pastes) != std::string::npos);
    t.type("12 * 12");
    t.glance("12 * 12");
    t.press(ctrl_l + "\r");
    t.sees("\n144");
    t.sees("\n> ");
    const auto reset = t.raw().rfind(resets_terminal);
    REQUIRE(reset != std::string::npos);
    CHECK(t.raw().find(marks_pastes, reset) != std::string::npos);
    t.type(paste_begin + "let pasted = 21\rpasted * 2" + paste_end);
    t.press("\r");
    t.sees("\n42");
}

TEST_CASE("replxx: history comes back in the next session, an entry of several lines in one piece") {
    if (skipped("history")) return;
    const Folder folder;
    {
        Terminal t(folder);
        t.enter("sum([1,");
        t.sees("… ");
        t.enter("2000])");
        t.sees("\n2001");
        t.type(ctrl_d);
        CHECK(t.leaves() == 0);
    }
    Terminal t(folder);
    t.type(up);
    t.glance("2000])");
    t.press(" * 2\r");
    t.sees("\n4002");
}

TEST_CASE("replxx: several completions are listed below the line") {
    if (skipped("completions")) return;
    const Folder folder;
    Terminal t(folder, {}, true);
    t.enter("net Clinic { Diagnosis : { cancer: 0.25, cold: 0.25, healthy: 0.5 } }");
    t.type("P(Diagnosis = c\t");
    t.sees("cancer");
    t.sees("cold");
    t.press("o\t) * 8\r");
    t.sees("\n2");
}

TEST_CASE("replxx: Ctrl-C leaves the line and the session goes on") {
    if (skipped("Ctrl-C")) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("let kept = 77");
    t.type("choose(5," + ctrl_c);
    t.enter("kept * 10");
    t.sees("\n770");
}
