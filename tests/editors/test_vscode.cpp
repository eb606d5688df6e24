// The folder for VS Code: its files are sound and keep up with the language.

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "lang/cli/options.hpp"
#include "lang/syntax/parse.hpp"
#include "lang/syntax/token.hpp"
#include "lang/text/render_text.hpp"
#include "runtime/core/words.hpp"
#include "tests/support/folder.hpp"

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
using namespace credence;
using test::contents;

const fs::path root = CREDENCE_SOURCE_DIR;
const fs::path folder = root / "lang/editors/vscode";

Json json_of(const fs::path& path) { return Json::parse(contents(path)); }

template <class F>
void each_pattern(const Json& node, F f) {
    if (node.is_array())
        for (const auto& item : node) each_pattern(item, f);
    if (!node.is_object()) return;
    for (const auto& [key, value] : node.items()) {
        if ((key == "match" || key == "begin") && value.is_string())
            f(value.template get<std::string>());
        else
            each_pattern(value, f);
    }
}

/// Words that the grammar knows: alternatives in groups of nothing but words, and single words between \b.
std::set<std::string> words_in_grammar() {
    std::set<std::string> out;
    const std::regex group(R"(\((?:\?:)?([a-z]+(?:\|[a-z]+)*)\))");
    const std::regex single(R"(\\b([a-z]+)(?:\\b|\())");
    each_pattern(json_of(folder / "syntaxes/credence.tmLanguage.json"), [&](const std::string& pattern) {
        for (auto it = std::sregex_iterator(pattern.begin(), pattern.end(), group); it != std::sregex_iterator(); ++it) {
            std::istringstream alternatives((*it)[1].str());
            for (std::string word; std::getline(alternatives, word, '|');) out.insert(word);
        }
        for (auto it = std::sregex_iterator(pattern.begin(), pattern.end(), single); it != std::sregex_iterator(); ++it)
            out.insert((*it)[1]);
    });
    return out;
}

/// A snippet with its placeholders taken as they stand: ${1:name} is name, also inside another, $1 what it was first.
std::string expanded(const std::string& text, std::map<std::string, std::string>& known) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$') {
            out += text[i];
            continue;
        }
        std::size_t at = i + 1;
        const bool braced = text[at] == '{';
        if (braced) ++at;
        std::string number;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') number += text[at++];
        if (!braced) {
            out += known[number];
            i = at - 1;
            continue;
        }
        REQUIRE(text[at] == ':');
        std::size_t end = ++at;
        for (int depth = 1; depth > 0; ++end) {
            if (text[end] == '{' && text[end - 1] == '$') ++depth;
            if (text[end] == '}') --depth;
        }
        const std::string inner = expanded(text.substr(at, end - 1 - at), known);
        known.emplace(number, inner);
        out += inner;
        i = end - 1;
    }
    return out;
}

}  // namespace

TEST_CASE("the files that the extension names are there and are JSON") {
    const Json package = json_of(folder / "package.json");
    CHECK(package["version"] == cli::version_number());
    for (const auto& language : package["contributes"]["languages"])
        CHECK_NOTHROW(json_of(folder / language["configuration"].get<std::string>()));
    for (const auto& grammar : package["contributes"]["grammars"])
        CHECK(json_of(folder / grammar["path"].get<std::string>())["scopeName"] == grammar["scopeName"]);
    for (const auto& snippets : package["contributes"]["snippets"]) CHECK_NOTHROW(json_of(folder / snippets["path"].get<std::string>()));
    CHECK(fs::exists(folder / package["main"].get<std::string>()));
    CHECK_NOTHROW(json_of(root / "lang/editors/jupyter/kernel.json"));
}

TEST_CASE("the grammar knows the words of the parser") {
    const auto grammar = words_in_grammar();
    std::set<std::string> parser;
    for (const auto& word : rt::words) parser.emplace(word.text);
    for (const auto& word : parser) {
        INFO(word);
        CHECK(lang::word_kind(word) != lang::Tok::name);
        CHECK(grammar.contains(word));
    }
    const std::set<std::string> settings{"seed", "digits", "numbers", "threads", "lines"};
    for (const auto& word : grammar) {
        INFO(word);
        CHECK((parser.contains(word) || settings.contains(word)));
    }
}

TEST_CASE("what the grammar includes is there") {
    const Json grammar = json_of(folder / "syntaxes/credence.tmLanguage.json");
    std::set<std::string> included;
    const std::function<void(const Json&)> collect = [&](const Json& node) {
        if (node.is_object() && node.contains("include")) included.insert(node["include"].get<std::string>());
        if (node.is_structured())
            for (const auto& part : node) collect(part);
    };
    collect(grammar);
    for (const auto& name : included) {
        INFO(name);
        CHECK(grammar["repository"].contains(name.substr(1)));
    }
    for (const auto& [name, rule] : grammar["repository"].items()) {
        INFO(name);
        CHECK(included.contains("#" + name));
    }
}

TEST_CASE("snippets parse") {
    const Json snippets = json_of(folder / "snippets/credence.json");
    CHECK(snippets.size() >= 10);
    std::set<std::string> prefixes;
    for (const auto& [name, snippet] : snippets.items()) {
        INFO(name);
        CHECK(prefixes.insert(snippet["prefix"].get<std::string>()).second);
        std::string body;
        for (const auto& line : snippet["body"]) body += line.get<std::string>() + "\n";
        std::map<std::string, std::string> known;
        const std::string text = expanded(body, known);
        INFO(text);
        lang::Diagnostics problems;
        const auto program = lang::parse(std::make_shared<lang::Source>(name, text), problems);
        for (const auto& p : problems) FAIL_CHECK(lang::render_text(p, {}));
        CHECK(program.statements.size() == 1);
    }
}
