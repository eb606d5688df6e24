// Completion, hints, signs, search, pastes: what the line editors do with the help of the session.

#include <catch2/catch.hpp>

#include "tests/repl/terminal.hpp"

using namespace credence::test;

namespace {

const std::string small_net = "net Clinic { Diagnosis : { cancer: 0.25, healthy: 0.75 } }";

}  // namespace

TEST_CASE("labels are completed after their variable") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter(small_net);
    t.enter("P(Diagnosis = c\t) * 4");  // only one label of this variable begins so
    t.sees("\n1");
    t.enter("P(Diagnosis = h\t) * 400");
    t.sees("\n300");
}

TEST_CASE("variables are completed inside a query and columns of a table after its dot") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("table tennis { Outlook -> Play ; Sunny -> No ; Rain -> Yes }");
    t.enter("tennis.Outl\t");
    t.sees("[Sunny, Rain]");
    t.enter("P(Pl\t = Yes | Outlook = Ra\t) in ten\t");
    t.sees("\n  1");
}

TEST_CASE("parameters and their words are completed inside a call") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("round(2.345, dig\t 1) * 100");
    t.sees("\n230");
    t.enter("let learner = knn(k: 3, met\t man\t)");
    t.enter("learner");
    t.sees("metric: manhattan");
}

TEST_CASE("members are completed by what the value is") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("let settings = {alpha: 31, beta: 47}");
    t.enter("settings.be\t * 10");
    t.sees("470");
    t.enter(small_net);
    t.enter("Clinic.vari\t");
    t.sees("[Diagnosis]");
}

TEST_CASE("file names are completed inside quotes and after :load") {
    if (!edits_lines()) return;
    const Folder folder;
    std::ofstream(folder / "numbers_of_rain.csv") << "a\n1\n2\n";
    std::ofstream(folder / "preparation.cred") << "let prepared = 66\n";
    Terminal t(folder);
    t.enter("sum(load(\"numb\t\").a) * 111");
    t.sees("333");
    t.enter(":load prep\t");
    t.enter("prepared * 10");
    t.sees("660");
}

TEST_CASE("a backslash, a name and the Tab key give a sign") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("let \\theta\t = 12");
    t.enter("θ * 3");
    t.sees("36");
    t.enter("let \\Ome\t = 7");
    t.enter("Ω * 11");
    t.sees("77");
    t.enter("\"\\rightarrow\t\"");
    t.sees("\n→");
}

TEST_CASE("several possibilities are listed") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("let weight_first = 1; let weight_second = 2");
    t.type("weight_\t\t");
    t.sees("weight_first");
    t.sees("weight_second");
    t.type("s\t * 21\r");
    t.sees("42");
}

TEST_CASE("inside a call its form is shown") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder, {}, true);  // replxx shows hints only in colour
    t.type("choose(\t\t");
    t.sees("choose(n, k)");
    t.type("5, 2)\r");
    t.sees("10");
}

TEST_CASE("help topics are completed") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("help E-ZER\t");
    t.sees("E-ZERO: ");
    t.enter("?lgam\t");
    t.sees("lgamma(x)");
}

TEST_CASE("completion sees the lines above in an entry of several") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("knn(k: 3,");
    t.sees("… ");
    t.enter("met\tman\t)");
    t.sees("metric: manhattan");
}

TEST_CASE("a paste of several statements is one entry, and nothing runs before Enter") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.type(paste_begin + "let pasted = 21\rpasted * 2\rpasted * 3\r" + paste_end);
    t.press("\r");
    t.sees("\n42");
    t.sees("\n63");
}

TEST_CASE("a paste keeps tabulators and letters of other scripts") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.type(paste_begin + "let größe =\t17" + paste_end + "\r");
    t.enter("größe * 3");
    t.sees("51");
}

TEST_CASE("earlier entries are searched backwards") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("let needle = 505");
    t.enter("let other = 1");
    t.enter("let third = 2");
    t.type(ctrl_r + "needl");
    t.sees("needle = 505");
    t.press("\r");
    t.enter("needle + other");
    t.sees("506");
}

TEST_CASE("the cursor moves in the line") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("12" + arrow_left + "3");  // 132
    t.sees("\n132");
    t.enter("(1 + 2) * (3 + 4)");  // brackets that close others
    t.sees("\n21");
}

TEST_CASE("history is kept once for equal entries and survives a crash of nothing but the terminal") {
    if (!edits_lines()) return;
    const Folder folder;
    {
        Terminal t(folder);
        t.enter("1 + 1001");
        t.sees("1002");
        t.enter("1 + 1001");
        t.sees("1002");
    }  // killed
    CHECK(contents(folder / "credence/history") == "1 + 1001\n");
}
