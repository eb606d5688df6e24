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
        CHECK(words(found).find("confidence interval") != words(found).rfind("confidence interval"));  // the sentence that says it
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

TEST_CASE("tables and lists of texts fit a terminal; long cells are cut before columns are left out") {
    lang::Session session(test::registry(), {});
    test::Recorder output;
    test::run(session,
              "let long = \"consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua\"\n"
              "to_table([{id: 1, title: \"short\", body: long, price: 5}, {id: 2, title: \"other\", body: \"brief\", price: 7}])\n"
              "[long, \"brief\"]\n"
              "to_table([{a_long_name_of_a_column: 1, the_name_of_another_one: 2, and_the_third_of_them: 3}])\n",
              output);
    REQUIRE(output.codes() == "");
    REQUIRE(output.values.size() == 3);
    for (const std::size_t columns : {40U, 60U, 80U, 120U, 200U})
        for (const auto& event : output.values) {
            const std::string text = lang::show_block(event.value, lang::fitted({}, columns));
            INFO(text);
            CHECK(widest(text) <= columns);
        }
    const std::string table = lang::show_block(output.values[0].value, lang::fitted({}, 80));
    INFO(table);
    CHECK(table.find("consectetur adipiscing elit sed") != std::string::npos);
    CHECK(table.find("magna aliqua") == std::string::npos);
    CHECK(table.find("price") != std::string::npos);
    CHECK(table.find("2 rows × 4 columns") != std::string::npos);
    CHECK(table.find("shown") == std::string::npos);  // all columns are there
    CHECK(words(lang::show_block(output.values[1].value, lang::fitted({}, 40))).find("dolore magna aliqua") != std::string::npos);
}

TEST_CASE("a text is cut to so many cells") {
    CHECK(lang::cut_to_width("abc", 3) == "abc");
    CHECK(lang::cut_to_width("abcd", 3) == "ab…");
    CHECK(lang::cut_to_width("größer", 4) == "grö…");
    CHECK(lang::cut_to_width("日本語", 5) == "日本…");
    CHECK(lang::cut_to_width("日本語", 4) == "日…");
    CHECK(lang::cut_to_width("ab cd", 4) == "ab…");
}

TEST_CASE("a rate of thousands is shown in thousands") {
    const std::string line = cli::progress_line({.name = "nuts", .done = 5060, .total = 10000, .units = "draws"}, 1, true, 100);
    CHECK(line.find("5.1k draws/s") != std::string::npos);
    CHECK(line.find("e+") == std::string::npos);
}
