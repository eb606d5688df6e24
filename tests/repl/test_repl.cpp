// Sessions on a pseudo-terminal. What is waited for is never what was typed: the terminal echoes that.

#include <catch2/catch.hpp>

#include "tests/repl/terminal.hpp"

using namespace credence::test;

namespace {

const std::string net =
    "net Clinic {\r  Diagnosis : { cancer: 0.008, healthy: 0.992 }\r  Test | Diagnosis : {\r"
    "    cancer : { pos: 0.98, neg: 0.02 }\r    healthy : { pos: 0.03, neg: 0.97 }\r  }\r}\r";
const std::string long_work = "sum(map(1..1000000, x -> sum(map(1..10000, y -> x * y))))";

}  // namespace

TEST_CASE("arithmetic is answered and Ctrl-D leaves with status 0") {
    const Folder folder;
    Terminal t(folder);
    t.enter("1/3 + 1/4");
    t.sees("7/12");
    t.enter("2 ^ 10");
    t.sees("1024");
    t.type(ctrl_d);
    CHECK(t.leaves() == 0);
}

TEST_CASE("a declaration over several lines is one entry, and queries on it have bars") {
    const Folder folder;
    Terminal t(folder);
    t.type(net);
    t.sees("… ");
    t.enter("P(Diagnosis | Test = pos)");
    t.sees("49/235");  // 0.008 * 0.98 / (0.008 * 0.98 + 0.992 * 0.03)
    t.sees("186/235");
    t.sees("█");
    t.enter(":quit");
    CHECK(t.leaves() == 0);
}

TEST_CASE("an open bracket, an operator and a lonely doc line go on") {
    const Folder folder;
    Terminal t(folder);
    t.enter("sum([100,");
    t.sees("… ");
    t.enter("23])");
    t.sees("123");
    t.enter("400 +");
    t.sees("… ");
    t.enter("56");
    t.sees("456");
    t.enter("## Twice as much.");
    t.sees("… ");
    t.enter("fn twice(x) = 2 * x");
    t.sees("> ");
    t.enter("?twice");
    t.sees("\nTwice as much.");  // a line of its own: the echo had ## before it
}

TEST_CASE("an error before the run leaves the session and its names") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let kept = 20");
    t.enter("keptt + 1");
    t.sees("error[E-NAME]");
    t.sees("did you mean 'kept'");
    t.enter("let = 3");
    t.sees("error[");
    t.enter("kept + 501");
    t.sees("521");
}

TEST_CASE("an error in the run leaves the session and its names") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let zero = 0");
    t.enter("let lost = 1 / zero");
    t.sees("error[");
    t.enter("lost");
    t.sees("error[E-NAME]");
    t.enter("zero + 733");
    t.sees("\n733");
}

TEST_CASE("endless recursion is an error, not the end") {
    const Folder folder;
    Terminal t(folder);
    t.enter("fn down(n) = 1 + down(n + 1)");
    t.enter("down(1)");
    t.sees("error[");
    t.enter("600 + 6");
    t.sees("606");
}

TEST_CASE("Ctrl-C stops a long computation soon and keeps every name") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let before = 41");
    for (int round = 0; round < 2; ++round) {
        t.enter("before + 1000; " + long_work);
        t.sees("\n1041");  // it is running now
        t.press(ctrl_c);
        t.sees("E-STOP", 5);  // about a second on an idle machine; others may be at work on this one
        t.enter("before + 2");
        t.sees("\n43");
    }
    t.type(ctrl_d);
    CHECK(t.leaves() == 0);
}

TEST_CASE("Ctrl-C also stops a comprehension and a range of millions") {
    const Folder folder;
    Terminal t(folder);
    t.enter("7 * 111; [sum([x * y for y in 1..10000]) for x in 1..1000000]");
    t.sees("\n777");
    t.press(ctrl_c);
    t.sees("E-STOP", 5);
    t.enter("7 * 100");
    t.sees("\n700");
}

TEST_CASE("Ctrl-C at the prompt discards what was typed") {
    const Folder folder;
    Terminal t(folder);
    t.type("let typed = 5" + ctrl_c);
    t.sees("^C");
    t.enter(":vars");
    t.sees("no names yet");
    t.type(ctrl_c);
    t.sees("^C");
    t.enter("80 + 8");
    t.sees("88");
}

TEST_CASE("Ctrl-C in the middle of an entry discards all its lines") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let pair = [1,");
    t.sees("… ");
    t.type("2" + ctrl_c);
    t.sees("^C");
    t.sees("> ");
    t.enter(":vars");
    t.sees("no names yet");
}

TEST_CASE("an interrupt from outside at the prompt is harmless") {
    const Folder folder;
    Terminal t(folder);
    t.signal(SIGINT);
    t.enter("900 + 9");
    t.sees("909");
    t.type(ctrl_d);
    CHECK(t.leaves() == 0);
}

TEST_CASE(":vars lists names with kinds and values, the latest of each") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let rate = 1/3");
    t.enter("let rate = 1/8");
    t.enter("fn half(x) = x / 2");
    t.type(net);
    t.enter(":vars");
    t.sees(":vars");
    const auto listed = t.until("Clinic") + "Clinic";
    CHECK(listed.find("0.125") != std::string::npos);
    CHECK(listed.find("1/3") == std::string::npos);
    CHECK(listed.find("function  (x)") != std::string::npos);
    t.sees("net");
    t.sees("Diagnosis, Test");
}

TEST_CASE(":reset forgets names and the last value") {
    const Folder folder;
    Terminal t(folder, {"--set", "preset=64"});
    t.enter("let gone = 3");
    t.enter("gone * 111");
    t.sees("333");
    t.enter(":reset");
    t.enter("gone");
    t.sees("error[E-NAME]");
    t.enter("preset * 2");  // what the command line set is set again
    t.sees("128");
}

TEST_CASE(":load runs a script in the session; a missing one is an error") {
    const Folder folder;
    std::ofstream(folder / "part.cred") << "let loaded = 70\nloaded + 7\n";
    Terminal t(folder);
    t.enter(":load part.cred");
    t.sees("77");
    t.enter("loaded * 3");
    t.sees("210");
    t.enter(":load nowhere.cred");
    t.sees("error[E-FILE]");
    t.enter(":load");
    t.sees("needs an argument");
}

TEST_CASE(":save writes what ran well, and :load brings it back") {
    const Folder folder;
    {
        Terminal t(folder);
        t.enter("let a = 12");
        t.enter("wrong +");
        t.sees("… ");
        t.enter("a");
        t.sees("error[E-NAME]");
        t.enter("fn cube(x) =");
        t.sees("… ");
        t.enter("x ^ 3");
        t.enter(":save kept.cred");
        t.sees("2 entries in kept.cred");
    }
    CHECK(contents(folder / "kept.cred") == "let a = 12\nfn cube(x) =\nx ^ 3\n");
    Terminal t(folder);
    t.enter(":load kept.cred");
    t.enter("cube(a)");
    t.sees("1728");
    t.enter(":save no/such/folder.cred");
    t.sees("error[E-FILE]");
}

TEST_CASE("_ is the last value printed") {
    const Folder folder;
    Terminal t(folder);
    t.enter("6 * 7");
    t.sees("42");
    t.enter("_ * 2");
    t.sees("84");
    t.enter("let quiet = 5");  // prints nothing
    t.enter("_ + 1");
    t.sees("85");
}

TEST_CASE("help on builtins, statements, codes; a wrong topic gets a suggestion") {
    const Folder folder;
    Terminal t(folder);
    t.enter("help sqrt");
    t.sees("sqrt(");
    t.enter("?E-ZERO");
    t.sees("E-ZERO: ");
    t.enter("help sqrtt");
    t.sees("did you mean 'sqrt'?");
    t.enter(":help");
    t.sees("forget them all");
    t.enter(":varz");
    t.sees("did you mean :vars?");
}

TEST_CASE(":time says how long a statement took") {
    const Folder folder;
    Terminal t(folder);
    t.enter(":time 500 + 55");
    t.sees("555");
    t.sees(" s\r\n");
    t.enter("_ + 100");
    t.sees("655");
}

TEST_CASE("the up arrow recalls entries of an earlier run, also of several lines") {
    if (!edits_lines()) return;
    const Folder folder;
    {
        Terminal t(folder);
        t.enter("let base = [10, 20,");
        t.sees("… ");
        t.enter("3000]");
        t.enter("\"back\\\\slash\"");
        t.sees("back\\slash");
        t.type(ctrl_d);
        CHECK(t.leaves() == 0);
    }
    CHECK(contents(folder / "credence/history") == "let base = [10, 20,\\n3000]\n\"back\\\\\\\\slash\"\n");
    Terminal t(folder);
    t.type(up + up + "\r");
    t.enter("sum(base)");
    t.sees("3030");
}

TEST_CASE("UTF-8 is read, edited and printed in any locale") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let größe = 17");
    t.enter("größe * 3");
    t.sees("51");
    t.enter("\"x → {größe + 1} ∅\"");
    t.sees("x → 18 ∅");
    t.enter(
        "\"aé\x7f"
        "b\"");  // rubbing out takes the whole character
    t.sees("\nab");
}

TEST_CASE("the Tab key completes names, commands and labels") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("let prior_weight = 15");
    t.enter("prior_w\t * 3");
    t.sees("45");
    t.type(net);
    t.enter("P(Diagnosis = canc\t | Test = pos)");
    t.sees("49/235");
    t.enter(":res\t");
    t.enter("prior_weight");
    t.sees("error[E-NAME]");
}

TEST_CASE("--timeout stops a statement and the session goes on") {
    const Folder folder;
    Terminal t(folder, {"--timeout", "0.5"});
    t.enter(long_work);
    t.sees("E-TIMEOUT", 10);
    t.enter("300 + 3");
    t.sees("303");
}

TEST_CASE("errors have colour unless NO_COLOR says no") {
    const Folder folder;
    Terminal colourful(folder, {}, true);
    colourful.enter("unknown_name");
    CHECK(colourful.until("E-NAME").find("\x1b[1;31m") != std::string::npos);
}
