// What the program says fits the terminal, from the narrowest on, and loses no word.

#include <sstream>

#include <catch2/catch.hpp>

#include "lang/cli/progress.hpp"
#include "lang/cli/usage.hpp"
#include "lang/service/help.hpp"
#include "lang/text/width.hpp"
#include "lang/value/show.hpp"
#include "tests/support/session.hpp"

using namespace credence;

namespace {

std::size_t widest(const std::string& text) {
    std::istringstream lines(text);
    std::size_t out = 0;
    for (std::string line; std::getline(lines, line);) out = std::max(out, lang::display_width(line));
    return out;
}

std::string words(const std::string& text) {
    std::istringstream in(text);
    std::string out;
    for (std::string word; in >> word;) out += word + " ";
    return out;
}

}  // namespace

TEST_CASE("options and their descriptions fit the screen") {
    const std::string text =
        "Credence: a small declarative language for probabilistic modelling\n"
        "Options:\n"
        "  -h,--help                   Print this help message and exit\n"
        "  --max-memory TEXT           Memory for data and answers, such as 512M or 2G; the program itself may use up to 768M more\n"
        "                              a line that goes on under the description of the option above it, as some do\n";
    for (const std::size_t columns : {40U, 60U, 80U, 100U, 200U}) {
        const std::string fitted = cli::fitted_usage(text, columns);
        INFO(fitted);
        CHECK(widest(fitted) <= columns);
        CHECK(words(fitted) == words(text));
    }
    CHECK(cli::fitted_usage(text, 200) == text);
    CHECK(cli::fitted_usage(text, 80).find("\n                              the program itself") != std::string::npos);
}

TEST_CASE("what a search of the help finds is wrapped") {
    for (const std::size_t width : {40U, 80U, 120U}) {
        const std::string found = lang::search_help(test::registry(), "confidence interval", width);
        CHECK(widest(found) <= width);
        CHECK(found.find("compare") != std::string::npos);
    }
}

TEST_CASE("models and records fit a terminal of 40 columns") {
    lang::Session session(test::registry(), {});
    test::Recorder output;
    test::run(session,
              "table t { first second -> decided\n aaaa bbbb -> undoubtedly\n aaaa cccc -> questionable\n dddd bbbb -> questionable\n}\n"
              "train c45(min_rows: 1) on t\n"
              "{numbers: [x / 7 for x in 1..30], words: \"a text that is longer than forty columns can hold in one line\"}\n",
              output);
    REQUIRE(output.codes() == "");
    REQUIRE(output.values.size() == 2);
    for (const auto& event : output.values) {
        const std::string text = lang::show_block(event.value, {.line_width = 40, .table_width = 40, .wraps = true});
        INFO(text);
        CHECK(widest(text) <= 40);
    }
}

TEST_CASE("a rate of thousands is shown in thousands") {
    const std::string line = cli::progress_line({.name = "nuts", .done = 5060, .total = 10000, .units = "draws"}, 1, true, 100);
    CHECK(line.find("5.1k draws/s") != std::string::npos);
    CHECK(line.find("e+") == std::string::npos);
}
