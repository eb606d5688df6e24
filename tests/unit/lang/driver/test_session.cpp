#include <thread>

#include <catch2/catch.hpp>

#include "lang/builtin/bind.hpp"
#include "tests/support/session.hpp"

using namespace credence;
using test::Recorder;
using test::run;

TEST_CASE("names survive from one text to the next, and those of failed statements do not") {
    lang::Session session(test::registry(), {});
    Recorder out;
    REQUIRE(run(session, "let x = 2\nfn double(n) = 2 * n", out));
    REQUIRE(run(session, "let y = double(x)", out));
    REQUIRE(session.value_of("y"));
    CHECK(lang::equal(*session.value_of("y"), lang::Value(rt::Number(4))));
    CHECK_FALSE(run(session, "let z = 5\nlet w = 1 / 0\nlet v = 6", out));
    CHECK(session.value_of("z"));
    CHECK_FALSE(session.value_of("w"));
    CHECK_FALSE(session.value_of("v"));
    CHECK_FALSE(run(session, "w", out));
    CHECK(run(session, "x + y + z", out));
}

TEST_CASE("nothing runs when anything is wrong before the run") {
    lang::Session session(test::registry(), {});
    Recorder out;
    CHECK_FALSE(run(session, "1 + 1\nlet x = unknown_word\n2 + 2\nnet A { X : { a: 0.5, b: 0.4 } }", out));
    CHECK(out.values.empty());
    CHECK(out.codes() == "E-NAME E-SUM");
}

TEST_CASE("failed expectations are counted and the script goes on") {
    lang::Session session(test::registry(), {});
    Recorder out;
    CHECK_FALSE(run(session, "expect 1 == 2\nexpect 1 == 1\nexpect 0.3333 == 1/3 within 1e-4\nexpect 0.3 == 1/3 within 1e-4", out));
    CHECK(session.expectations_met() == 2);
    CHECK(session.expectations_failed() == 2);
    CHECK(out.codes() == "E-EXPECT E-EXPECT");
}

TEST_CASE("expected errors count from both stages, and the text must match") {
    lang::Session session(test::registry(), {});
    Recorder out;
    CHECK(run(session, "expect error \"E-ARITHMETIC\": 1 / 0\nexpect error \"NOT KNOWN\": nobody\nexpect error: let x = [", out) == false);
    lang::Session again(test::registry(), {});
    CHECK(run(again, "expect error \"E-ARITHMETIC\": 1 / 0\nexpect error \"NOT KNOWN\": nobody", out));
    CHECK_FALSE(run(again, "expect error \"something else\": 1 / 0", out));
    CHECK_FALSE(run(again, "expect error: 1 + 1", out));
}

TEST_CASE("a hundred sessions, two at a time, say the same bytes") {
    const std::string text =
        "net A { X : { a: 1/3, b: 2/3 }; Y | X : { a: 0.9, b: 0.2 } }\nset seed 5\nP(X | Y = true)\nsample 20 from P(X)\nsample 3 from "
        "A\nsample 5 from normal(0, 1)";
    const std::string wanted = test::said(text);
    REQUIRE(wanted.find("27/67") == std::string::npos);
    REQUIRE(wanted.find("9/13") != std::string::npos);  // (1/3 * 0.9) / (1/3 * 0.9 + 2/3 * 0.2) = 0.3 / 0.4333…
    std::vector<std::string> got(100);
    {
        std::jthread first([&] {
            for (std::size_t i = 0; i < 50; ++i) got[i] = test::said(text);
        });
        std::jthread second([&] {
            for (std::size_t i = 50; i < 100; ++i) got[i] = test::said(text);
        });
    }
    for (const auto& one : got) CHECK(one == wanted);
}

TEST_CASE("a running statement can be stopped from another thread") {
    lang::Session session(test::registry(), {});
    Recorder out;
    REQUIRE(run(session, "let kept = 7", out));
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        session.request_stop();
    });
    CHECK_FALSE(run(session, "count(map(1..40000000, x -> x * x))", out));
    CHECK(out.codes() == "E-STOP");
    CHECK(run(session, "kept", out));
}

TEST_CASE("the same numbers give the same answers in all three number modes") {
    const std::string net = "net A { X : { a: 1/3, b: 2/3 }; Y | X : { a: 0.9, b: 0.2 } }\n";
    const std::string check = "expect P(X = a | Y = true) == 9/13 within 1e-12\n";
    for (const std::string mode : {"automatic", "exact", "real"}) {
        lang::Session session(test::registry(), {});
        Recorder out;
        INFO(mode);
        CHECK(run(session, "set numbers " + mode + "\n" + net + check, out));
    }
    CHECK(test::said("set numbers real\n" + net + "P(X = a | Y = true)").find("≈ 0.692308") != std::string::npos);
}

TEST_CASE("recursion without end is an error, not a crash") {
    lang::Session session(test::registry(), {});
    Recorder out;
    CHECK_FALSE(run(session, "fn f(n) = 1 + f(n + 1)\nf(1)", out));
    CHECK(out.codes() == "E-DEPTH");
}

TEST_CASE("a declaration is built once, before the run; again where settings change before its turn, or a name has no value yet") {
    static int built = 0;
    lang::Registry registry = std_::make_registry();
    registry.add(lang::bind(
        {"test", "half", {}, "1/2, and counts how often it was asked.", "half() == 1/2"},
        +[](lang::CallContext&) -> rt::Result<lang::Value> {
            ++built;
            return lang::Value(rt::Number(rt::Rational(1, 2)));
        }));
    const auto times = [&](const std::string& text) {
        lang::Session session(registry, {});
        Recorder out;
        built = 0;
        INFO(text << "\n" << out.messages());
        CHECK(run(session, text, out));
        return built;
    };
    CHECK(times("net A { X : half() }\nexpect P(X = true) == 1/2") == 1);
    CHECK(times("mixture M { half(): normal(0, 1), half(): normal(1, 1) }") == 2);  // one for each component
    CHECK(times("hypotheses H -> Y { a: half() -> x, b: half() -> y }\nexpect P(Y = x) == 1/2") == 2);
    CHECK(times("set digits 3\nnet A { X : half() }") == 2);
    CHECK(times("let p = half()\nnet A { X : p }\nexpect P(X = true) == 1/2") == 1);
}
