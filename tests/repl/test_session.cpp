// Commands, the start-up file, long output, progress, interruptions: the session around the entries.

#include <catch2/catch.hpp>

#include "tests/repl/terminal.hpp"

using namespace credence::test;

namespace {

void write_startup(const Folder& folder, const std::string& text) {
    std::filesystem::create_directories(folder.path() / "credence");
    std::ofstream(folder / "credence/startup.cred") << text;
}

double seconds_to_stop(Terminal& t) {
    const auto begin = std::chrono::steady_clock::now();
    t.press(ctrl_c);
    t.sees("E-STOP", 5);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Others may be at work on this machine: alone it is under 50 ms.
constexpr double soon = 1.0;

}  // namespace

TEST_CASE("a start-up file is run first, and again by :reset") {
    const Folder folder;
    write_startup(folder, "let greeting = 404\nset digits 3\n");
    Terminal t(folder);
    t.enter("greeting + 1");
    t.sees("405");
    t.enter("sqrt(2)");
    t.sees("1.41\r");
    t.enter(":reset");
    t.enter("greeting + 2");
    t.sees("406");
}

TEST_CASE("an error in the start-up file is told and the session begins all the same") {
    const Folder folder;
    write_startup(folder, "let broken = unknown_word\n");
    Terminal t(folder);
    t.sees("startup.cred:1:14");
    t.enter("10 + 11");
    t.sees("21");
}

TEST_CASE("--no-startup leaves the start-up file alone") {
    const Folder folder;
    write_startup(folder, "let greeting = 404\n");
    Terminal t(folder, {"--no-startup"});
    t.enter("greeting");
    t.sees("error[E-NAME]");
}

TEST_CASE(":set shows and changes settings") {
    const Folder folder;
    Terminal t(folder);
    t.enter(":set");
    t.sees("numbers  automatic");
    t.sees("lines    auto");
    t.enter(":set digits 3");
    t.enter("sqrt(2)");
    t.sees("1.41\r");
    t.enter(":set digits many");
    t.sees("error[");
    t.enter(":set lines none");
    t.sees("lines is a number above 0");
}

TEST_CASE("output over a screen is cut with a note, and :more shows the rest") {
    const Folder folder;
    Terminal t(folder);
    t.enter("join_text([\"row {n}\" for n in 1..200], \"\\n\")");
    t.sees("row 40");
    t.sees("more lines; :more shows them");
    t.enter(":more");
    t.sees("row 200");
    t.enter(":more");
    t.sees("nothing was cut");
    t.enter(":set lines 12");
    t.enter("join_text([\"line {n}\" for n in 1..200], \"\\n\")");
    CHECK(t.until("… 188 more lines").find("line 13") == std::string::npos);
    t.enter(":set lines all");
    t.enter("join_text([\"item {n}\" for n in 1..200], \"\\n\")");
    t.sees("item 200\r");
}

TEST_CASE("help alone is a map, and :help NAME is help") {
    const Folder folder;
    Terminal t(folder);
    t.enter("help");
    t.sees("distributions  ");
    t.enter(":help choose");
    t.sees("choose(n, k)");
    t.enter("help knn");
    t.sees("See also");
}

TEST_CASE("Ctrl-D in the middle of a line deletes, at its start leaves") {
    if (!edits_lines()) return;
    const Folder folder;
    Terminal t(folder);
    t.enter("77" + arrow_left + ctrl_d + " * 3");  // 7 * 3: what is under the cursor goes
    t.sees("\n21");
    t.type(ctrl_d);
    CHECK(t.leaves() == 0);
}

TEST_CASE("Ctrl-C stops an exact computation") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let kept = 7");
    t.enter("kept * 111; fold([1/n for n in 1..200000], 0, (a, b) -> a + b)");
    t.sees("\n777");
    CHECK(seconds_to_stop(t) < soon);
    t.enter("kept * 3");
    t.sees("\n21");
}

TEST_CASE("Ctrl-C stops training") {
    const Folder folder;
    Terminal t(folder);
    t.enter("table t { x -> y ; 1 -> 3 ; 2 -> 5 ; 3 -> 8 }");
    t.enter("7 * 111; train neural(hidden: [20], epochs: 100000000) on t");
    t.sees("\n777");
    CHECK(seconds_to_stop(t) < soon);
    t.enter("count(t)");
    t.sees("\n3");
}

TEST_CASE("Ctrl-C stops sampling") {
    const Folder folder;
    Terminal t(folder);
    t.enter("net N { A : 0.5; B | A : { true: 0.9, false: 0.2 } }");
    t.enter("7 * 111; P(A | B = true) by gibbs(2000000000)");
    t.sees("\n777");
    CHECK(seconds_to_stop(t) < soon);
    t.enter("P(A = true) * 10");
    t.sees("\n5");
}

TEST_CASE("Ctrl-C stops cross-validation") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let t = with_target(to_table([{x: n, y: n mod 3} for n in 1..400]), y)");
    t.enter("7 * 111; cross_validate(neural(hidden: [30], epochs: 1000000), t, folds: 10)");
    t.sees("\n777");
    CHECK(seconds_to_stop(t) < soon);
    t.enter("6 * 7");
    t.sees("\n42");
}

TEST_CASE("work over half a second shows its progress, and leaves no trace") {
    const Folder folder;
    Terminal t(folder);
    t.enter("table t { x -> y ; 1 -> 3 ; 2 -> 5 ; 3 -> 8 }");
    t.enter("let m = train neural(hidden: [20], epochs: 100000000) on t");
    t.sees("neural [");  // ASCII: the locale of these tests says nothing of UTF-8
    t.sees("epochs/s");
    t.sees(" left");
    t.sees("loss ");
    t.press(ctrl_c);
    t.sees("\r\x1b[K", 5);
    t.sees("E-STOP", 5);
}

TEST_CASE("a script shows progress too, but not with --quiet") {
    const Folder folder;
    std::ofstream(folder / "work.cred") << "table t { x -> y ; 1 -> 3 ; 2 -> 5 ; 3 -> 8 }\n"
                                           "let m = train neural(hidden: [20], epochs: 100000000) on t\n";
    Terminal loud(folder, {"--timeout", "1.5", "work.cred"}, false, "");
    Terminal quiet(folder, {"--quiet", "--timeout", "1.5", "work.cred"}, false, "");
    CHECK(loud.until("E-TIMEOUT").find("epochs/s") != std::string::npos);
    CHECK(quiet.until("E-TIMEOUT").find("epochs/s") == std::string::npos);
    CHECK(quiet.leaves() == 1);
}

TEST_CASE("a failed expectation is told and the session goes on") {
    const Folder folder;
    Terminal t(folder);
    t.enter("expect 1 + 1 == 3");
    t.sees("error[E-EXPECT]");
    t.enter("20 + 2");
    t.sees("22");
}

TEST_CASE("several statements on one line, and a comment alone") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let a = 100; let b = 11; a + b");
    t.sees("\n111");
    t.enter("# nothing");
    t.enter("a - b");
    t.sees("\n89");
}

TEST_CASE("files are found from where the session was started") {
    const Folder folder;
    std::ofstream(folder / "d.csv") << "v\n5\n6\n";
    Terminal t(folder);
    t.enter("let d = load(\"d.csv\")");
    t.enter("sum(d.v) * 10");
    t.sees("110");
    t.enter("save(d, \"copy.csv\")");
    t.enter("count(load(\"copy.csv\")) + 700");
    t.sees("702");
}

TEST_CASE("what cannot stop at once is left behind: the prompt comes, names and all that ran before stay") {
    const Folder folder;
    Terminal t(folder);
    t.enter("let kept = 41");
    // Seconds within one call of a builtin; what completed before it in the same entry is kept.
    t.enter("let done = kept + 1; let xs = sample 3000000 from uniform(0, 1); \"ready\"; let ys = sort(zip(xs, xs))");
    t.sees("\nready");
    CHECK(seconds_to_stop(t) < soon);
    t.enter("done + count(xs)");
    t.sees("\n3000042");
    t.enter("ys");
    t.sees("E-NAME");
    t.enter("fn twice(x) = 2 * x");
    t.enter("twice(_) - 6000000");
    t.sees("\n84");
    t.type(ctrl_d);
    CHECK(t.leaves() == 0);
}

TEST_CASE("a function that a model keeps works after a statement was left behind") {
    const Folder folder;
    Terminal t(folder);
    t.enter("table t { X -> Y; 1 -> 2; 2 -> 4; 3 -> 6 }");
    t.enter("let m = train lwr(kernel: d -> exp(-d)) on t");
    t.enter("\"ready\"; count(sort(zip(sample 3000000 from uniform(0, 1), 1..3000000)))");
    t.sees("\nready");
    CHECK(seconds_to_stop(t) < soon);
    t.enter("round(predict(m, <2>)) == 4");
    t.sees("\ntrue");
}

TEST_CASE("a long file is read with a bar, and the reading can be stopped") {
    const Folder folder;
    {
        std::ofstream file(folder / "long.jsonl");
        for (int i = 0; i < 1'000'000; ++i)
            file << R"({"a": )" << i << R"(, "b": "word)" << i % 1000 << R"(", "c": 0.25})"
                 << "\n";
    }
    Terminal t(folder);
    t.enter("let t = load(\"long.jsonl\")");
    t.sees("reading", 60);
    t.sees("bytes/s");
    t.sees(" left");
    CHECK(seconds_to_stop(t) < soon);
    t.enter("1 + 1");
    t.sees("\n2");
}
