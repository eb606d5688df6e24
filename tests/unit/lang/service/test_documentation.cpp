// Docs are tests: every example of a builtin, a member, a statement and an error code runs, and so does every block of the README and the
// language reference.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include <catch2/catch.hpp>

#include "lang/service/help.hpp"
#include "lang/syntax/parse.hpp"
#include "lang/text/codes.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/session.hpp"

using namespace credence;
using test::Recorder;
using test::run;

namespace {

/// The net that examples of nets speak of.
const std::string weather =
    "net Weather { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
    "net Cough { Cold : 0.5; Flu : 0.5; Fever | Cold, Flu : noisy_or(Cold: 0.4, Flu: 0.8) }\n"
    "net Weighing { load ~ normal(0, 10); for i in 1..4 { Reading[i] ~ normal(load, 1) } }\n"
    "let weighed = P(* | Reading = [1, 2, 0, 3]) in Weighing\n"
    "table weather { sky -> play\n hot -> yes\n hot -> no\n cold -> yes\n }\n"
    "table line { x -> y\n 1 -> 3\n 2 -> 5\n 3 -> 7\n }\n"
    "table noisy { x -> y\n 1 -> 1\n 2 -> 3\n 3 -> 2\n 4 -> 4\n }\n"
    "net Levels { for k in 1..2 { a[k] ~ ordered(normal(0, 1)) } }\n"
    "hmm Umbrella { states { rain, dry }\n move { rain: { rain: 0.7, dry: 0.3 }, dry: { rain: 0.3, dry: 0.7 } }\n"
    " emit { rain: { up: 0.9, none: 0.1 }, dry: { up: 0.2, none: 0.8 } } }\n"
    "hmm Spells { states { rain, dry }\n start ?\n move ?\n"
    " emit { rain: { up: 0.9, none: 0.1 }, dry: { up: 0.2, none: 0.8 } } }\n"
    "grammar Tiny { start S\n S -> S S: 1/2 | \"a\": 1/2 }\n"
    "mixture Dice { 1/2: binomial(2, 1/2), 1/2: binomial(2, 1/4) }\n"
    "mixture Coins { 1/2: binomial(10, ?), 1/2: binomial(10, ?) }\n"
    "let coins = train Coins on [5, 9, 8, 4, 7] by em(init: [0.6, 0.5], iterations: 1)\n"
    "let cloud = train gaussian_mixture(k: 2) on [1, 2, 3, 8, 9, 10]\n";

void must_run(const std::string& script, const std::string& folder = "") {
    lang::Session session(test::registry(), {});
    Recorder out;
    const bool ok = run(session, script, out, folder);
    INFO(script << "\n" << out.messages());
    CHECK(ok);
}

/// LANGUAGE.md and the pages that it leads to.
std::vector<std::filesystem::path> guide_pages() {
    const std::filesystem::path root = std::filesystem::path(CREDENCE_SOURCE_DIR) / "lang";
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(root / "guide")) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    out.push_back(root / "LANGUAGE.md");
    return out;
}

/// As GitHub makes them of headings: lower case, blanks as hyphens, no punctuation; or written out.
bool has_anchor(const std::string& text, const std::string& anchor) {
    if (text.find("<a id=\"" + anchor + "\">") != std::string::npos) return true;
    const std::regex heading("(^|\n)#+ ([^\n]+)");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), heading); it != std::sregex_iterator(); ++it) {
        std::string made;
        for (const char c : (*it)[2].str())
            if (c == ' ')
                made += '-';
            else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
                made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (made == anchor) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("the library loads and every function of it is documented with an example that is true") {
    for (const auto& prelude : test::registry().preludes())
        for (const auto& name : lang::defined_in(prelude)) {
            const auto doc = lang::documentation_in(prelude, name);
            REQUIRE(doc.has_value());
            const auto at = doc->find("Example: ");
            INFO(*doc);
            REQUIRE(at != std::string::npos);
            must_run("expect " + doc->substr(at + 9));
        }
}

TEST_CASE("every builtin has a summary, and its example is true") {
    const auto folder = std::filesystem::temp_directory_path() / ("credence_examples_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(std::filesystem::path(CREDENCE_SOURCE_DIR) / "tests/support/sample.csv", folder / "sample.csv",
                               std::filesystem::copy_options::overwrite_existing);
    for (const auto& [name, overloads] : test::registry().builtins())
        for (const auto& form : overloads.forms) {
            INFO(name);
            CHECK_FALSE(form.summary.empty());
            CHECK_FALSE(form.example.empty());
            must_run(weather + "expect " + form.example, folder.string());
        }
    std::filesystem::remove_all(folder);
}

TEST_CASE("every member has a summary, and its example is true") {
    for (const auto& [key, member] : test::registry().members()) {
        INFO(key.first << "." << key.second);
        CHECK_FALSE(member.summary.empty());
        REQUIRE_FALSE(member.example.empty());
        must_run(weather + "expect " + member.example, std::string(CREDENCE_SOURCE_DIR) + "/tests/support");
    }
}

TEST_CASE("every statement's example runs clean") {
    for (const auto& statement : lang::statements()) must_run(std::string(statement.example));
}

TEST_CASE("every engine and training method has a summary and an example that runs clean, with each default in its range") {
    for (const auto use : {lang::MethodUse::answering, lang::MethodUse::training})
        for (const auto& [name, forms] : test::registry().methods(use))
            for (const auto& method : forms) {
                INFO(name);
                CHECK_FALSE(method.form.summary.empty());
                CHECK_FALSE(method.models.empty());
                CHECK(method.form.example.find(" by " + name) != std::string::npos);
                must_run(method.form.example);
                for (const auto& p : method.form.parameters)
                    if (p.range && !p.fallback.empty()) CHECK(p.range->covers(rt::Number::real(std::stod(p.fallback))));
            }
}

TEST_CASE("every code's example gives that code") {
    for (const auto& code : lang::all_codes()) {
        if (code.example.empty()) continue;
        lang::Session session(test::registry(), {});
        Recorder out;
        run(session, std::string(code.example), out);
        INFO(code.code.text() << "\n" << code.example << "\n" << out.messages());
        const bool found =
            std::any_of(out.diagnostics.begin(), out.diagnostics.end(), [&](const lang::Diagnostic& d) { return d.code == code.code; });
        CHECK(found);
    }
}

TEST_CASE("every code that the sources name is in the table") {
    const std::regex code("\"([EN]-[A-Z]+)\"");
    for (const std::string room : {"lang", "runtime", "stdlib"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(CREDENCE_SOURCE_DIR) / room)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
            const std::string text = test::contents(entry.path());
            for (auto it = std::sregex_iterator(text.begin(), text.end(), code); it != std::sregex_iterator(); ++it) {
                INFO(entry.path() << " names " << (*it)[1]);
                CHECK(lang::find_code((*it)[1].str()) != nullptr);
            }
        }
}

TEST_CASE("every block of the README and of the reference runs clean") {
    const std::filesystem::path root = CREDENCE_SOURCE_DIR;
    std::size_t blocks = 0;
    std::size_t outputs = 0;
    std::vector<std::filesystem::path> pages = guide_pages();
    pages.push_back(root / "README.md");
    for (const auto& path : pages) {
        const std::string text = test::contents(path);
        const std::string fence = "```credence\n";
        for (auto at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
            const auto begin = at + fence.size();
            const auto end = text.find("```", begin);
            const std::string script = text.substr(begin, end - begin);
            INFO(path << " at byte " << at);
            must_run(script, root.string());
            ++blocks;
            // The output shown below a block is what it really prints.
            const std::string shown = "```\n\n```text\n";
            if (text.compare(end, shown.size(), shown) != 0) continue;
            const auto from = end + shown.size();
            CHECK(test::said(script) == text.substr(from, text.find("```", from) - from));
            ++outputs;
        }
    }
    CHECK(blocks >= 20);
    CHECK(outputs >= 8);
}

TEST_CASE("the tutorial is one session, and prints what it shows") {
    const std::string text = test::contents(std::filesystem::path(CREDENCE_SOURCE_DIR) / "TUTORIAL.md");
    const auto joined = [&](const std::string& fence) {
        std::string out;
        for (auto at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
            const auto begin = at + fence.size();
            out += text.substr(begin, text.find("```", begin) - begin);
        }
        return out;
    };
    const std::string script = joined("```credence\n");
    CHECK(script.size() > 1000);
    CHECK(test::said(script) == joined("```text\n"));
}

TEST_CASE("the guide names all its pages, and every link in it leads to a page and a heading") {
    const std::filesystem::path root = std::filesystem::path(CREDENCE_SOURCE_DIR) / "lang";
    const std::string contents = test::contents(root / "LANGUAGE.md");
    const std::regex link("\\]\\(([^)#:\\s]*)(#[^)\\s]+)?\\)");
    std::size_t links = 0;
    for (const auto& page : guide_pages()) {
        INFO(page);
        if (page.filename() != "LANGUAGE.md") CHECK(contents.find("](guide/" + page.filename().string() + ")") != std::string::npos);
        const std::string text = test::contents(page);
        for (auto it = std::sregex_iterator(text.begin(), text.end(), link); it != std::sregex_iterator(); ++it, ++links) {
            const std::filesystem::path to = (*it)[1].length() > 0 ? page.parent_path() / (*it)[1].str() : page;
            INFO((*it)[0]);
            REQUIRE(std::filesystem::exists(to));
            if ((*it)[2].length() > 0) CHECK(has_anchor(test::contents(to), (*it)[2].str().substr(1)));
        }
    }
    CHECK(links >= 20);
}

TEST_CASE("every diagnostic code that a script can cause has a golden") {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(CREDENCE_SOURCE_DIR) / "tests/golden"))
        if (entry.path().extension() == ".out") all += test::contents(entry.path());
    for (const auto& code : lang::all_codes()) {
        if (code.example.empty() || code.code.text().starts_with("N-")) continue;
        INFO(code.code.text());
        CHECK(all.find("error[" + std::string(code.code.text()) + "]") != std::string::npos);
    }
}

TEST_CASE("an error golden is in the folder of its code") {
    for (const auto& folder : std::filesystem::directory_iterator(std::filesystem::path(CREDENCE_SOURCE_DIR) / "tests/golden/errors")) {
        const std::string code = folder.path().filename().string();
        INFO(code);
        REQUIRE(folder.is_directory());
        if (code == "several" || code == "notes") continue;
        const auto known = lang::all_codes();
        CHECK(std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.code.text() == code; }));
        // Not in lib: what those files say belongs to the scripts that import them.
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() != ".out") continue;
            const std::string said = test::contents(entry.path());
            INFO(entry.path().string());
            CHECK(
                (said.find("error[" + code + "]") != std::string::npos || said.find("error[") == std::string::npos || code == "E-IMPORT"));
        }
    }
}
