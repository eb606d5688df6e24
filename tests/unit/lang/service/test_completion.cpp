// Completion and hints from a text and a cursor: `|` in the texts below is the cursor.

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "lang/service/completion.hpp"
#include "lang/syntax/token.hpp"
#include "lang/value/show.hpp"
#include "tests/support/session.hpp"

using namespace credence;

namespace {

const std::string world =
    "net Clinic { Diagnosis : { cancer: 0.008, healthy: 0.992 }\n Test | Diagnosis : { cancer: { pos: 0.98, neg: 0.02 }, healthy: { pos: "
    "0.03, "
    "neg: 0.97 } } }\n"
    "table tennis { Outlook Wind -> Play\n Sunny Weak -> No\n Rain Strong -> Yes\n }\n"
    "let loaded = tennis\nlet answer = P(Diagnosis | Test = pos)\nlet settings = {alpha: 1, beta: 2}\n"
    "fn odds(chance, base) = chance / base\n";

struct Offered {
    std::vector<std::string> texts;
    std::string replaced;
    bool has(const std::string& text) const { return std::find(texts.begin(), texts.end(), text) != texts.end(); }
};

Offered offered(std::string text, const std::string& folder = "") {
    static lang::Session session(test::registry(), {});
    static const bool ready = [] {
        test::Recorder out;
        return test::run(session, world, out);
    }();
    REQUIRE(ready);
    const auto cursor = text.find('@');
    text.erase(cursor, 1);
    const auto found = lang::complete(lang::known_in(session, folder), text, cursor);
    Offered out;
    for (const auto& item : found.items) out.texts.push_back(item.text);
    out.replaced = text.substr(found.start, cursor - found.start);
    return out;
}

std::optional<lang::SignatureHint> hint(std::string text) {
    static const lang::Session session(test::registry(), {});
    const auto cursor = text.find('@');
    text.erase(cursor, 1);
    return lang::signature_at(lang::known_in(session), text, cursor);
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("names of the script, of the library and words of the language") {
    CHECK(offered("answ@").texts == Texts{"answer"});
    CHECK(offered("1 + od@").texts == Texts{"odds"});
    CHECK(offered("naive_bayes_t@").texts == Texts{"naive_bayes_text"});
    CHECK(offered("hypo@").texts == Texts{"hypotheses"});
    CHECK(offered("let x = 3\nansw@").replaced == "answ");
}

TEST_CASE("every reserved word is offered, and written in backticks as a name") {
    for (const auto word : lang::reserved_words()) {
        if (word.size() > 2) CHECK(offered("1 + " + std::string(word.substr(0, word.size() - 1)) + "@").has(std::string(word)));
        CHECK(lang::show_name(std::string(word)) == "`" + std::string(word) + "`");
    }
}

TEST_CASE("labels after a variable, inside sets and lists, in quotes and after a table's column") {
    CHECK(offered("P(Diagnosis | Test = @").texts == Texts{"pos", "neg"});
    CHECK(offered("P(Diagnosis = can@").texts == Texts{"cancer"});
    CHECK(offered("P(Diagnosis | Test in {pos, @").texts == Texts{"pos", "neg"});
    CHECK(offered("P(Diagnosis | Test != n@").texts == Texts{"neg"});
    CHECK(offered("P(Diagnosis | Test ~ {p@").texts == Texts{"pos"});
    CHECK(offered("P(Play | Outlook = \"Su@").texts == Texts{"Sunny"});
    CHECK(offered("loaded.Outlook == R@").texts == Texts{"Rain"});
    CHECK(offered("answer[@").texts == Texts{"cancer", "healthy"});
    CHECK(offered("settings[a@").texts == Texts{"alpha"});
}

TEST_CASE("variables inside a query, models after in, data after on, engines after by") {
    CHECK(offered("P(Dia@").texts == Texts{"Diagnosis"});
    CHECK(offered("P(Diagnosis) in C@").texts == Texts{"Clinic"});
    CHECK(offered("let m = train naive_bayes() on ten@").texts == Texts{"tennis"});
    CHECK(offered("train decision_t@").texts == Texts{"decision_tree"});
    CHECK(offered("P(Diagnosis) by gib@").texts == Texts{"gibbs"});
    CHECK(offered("train Clinic on tennis by e@").texts == Texts{"em"});
    CHECK(offered("set n@").texts == Texts{"numbers"});
    CHECK(offered("set numbers ex@").texts == Texts{"exact"});
}

TEST_CASE("after by: what the models of the script have, and the parameters of what was named") {
    CHECK(offered("P(Diagnosis) by belief@").texts == Texts{"belief_propagation"});
    CHECK(offered("P(Diagnosis) by nut@").texts.empty());  // Clinic has no real-valued nodes
    CHECK_FALSE(offered("P(Diagnosis) by @").has("em"));
    CHECK(offered("train Clinic on tennis by @").texts == Texts{"counting", "em", "gradient"});
    CHECK(offered("P(Diagnosis) by gibbs(bu@").texts == Texts{"burn: "});
    CHECK_FALSE(offered("P(Diagnosis) by gibbs(100, burn: 3, @").has("burn: "));
    CHECK(offered("train Clinic on tennis by gradient(rule: te@").texts == Texts{"textbook"});
    CHECK(offered("train Clinic on tennis by em(counts: Win@").texts == Texts{"Wind"});
}

TEST_CASE("members by the kind of value: keys, columns, members of nets") {
    CHECK(offered("settings.@").texts == Texts{"alpha", "beta"});
    CHECK(offered("tennis.Out@").texts == Texts{"Outlook"});
    CHECK(offered("Clinic.mark@").texts == Texts{"markov_blanket"});
    CHECK_FALSE(offered("Clinic.@").has("support"));
    CHECK(offered("(train svm() on tennis).supp@").has("support"));
    CHECK(offered("1..@").has("answer"));
}

TEST_CASE("parameters after ( and what they take") {
    CHECK(offered("knn(met@").texts == Texts{"metric: "});
    CHECK(offered("knn(metric: man@").texts == Texts{"manhattan"});
    CHECK_FALSE(offered("knn(k: 3, @").has("k: "));
    CHECK(offered("knn(k: 3, @").has("weight: "));
    CHECK(offered("select(tennis, [W@").texts == Texts{"Wind"});
    CHECK(offered("odds(bas@").has("base: "));
    CHECK(offered("load(\"x.csv\", targ@").texts == Texts{"target: "});
}

TEST_CASE("file names inside quotes") {
    const auto folder = std::filesystem::temp_directory_path() / "credence_completion";
    std::filesystem::create_directories(folder / "data");
    std::ofstream(folder / "weather.csv") << "a\n";
    std::ofstream(folder / "data" / "x.csv") << "a\n";
    CHECK(offered("load(\"we@", folder.string()).texts == Texts{"weather.csv"});
    CHECK(offered("let t = load(\"da@", folder.string()).texts == Texts{"data/"});
    CHECK(offered("import \"data/@", folder.string()).texts == Texts{"data/x.csv"});
    CHECK(offered("load(\"data/x@", folder.string()).replaced == "data/x");
    std::filesystem::remove_all(folder);
}

TEST_CASE("a backslash and a name of TeX become the sign") {
    CHECK(offered("let \\theta@").texts == Texts{"θ"});
    CHECK(offered("let \\theta@").replaced == "\\theta");
    CHECK(offered("\\thet@").texts == Texts{"θ"});
    CHECK(offered("\\emp@").texts == Texts{"∅"});
    CHECK(offered("\\s@").has("\\sigma"));
    CHECK(offered("\"\\pi@").texts == Texts{"π"});
}

TEST_CASE("nothing is offered in comments and numbers, and no text is too broken") {
    CHECK(offered("# answ@").texts.empty());
    CHECK(offered("let x = 12@").texts.empty());
    for (const std::string broken : {")@", "}}}@", "P(((@", "\"{@", "let let let @", "net {{{ x : @", "`@", "@"})
        CHECK_NOTHROW(offered(broken));
    CHECK(offered("\"n = {answ@").texts == Texts{"answer"});
}

TEST_CASE("hints name the call around the cursor and the parameter it is at") {
    const auto choose = hint("1 + choose(5, @");
    REQUIRE(choose.has_value());
    CHECK(choose->forms.front().text == "choose(n, k)");
    CHECK(choose->parameter == 1);
    const auto named = hint("knn(weight: @");
    REQUIRE(named.has_value());
    CHECK(named->forms.front().parameters.at(named->parameter) == "weight");
    CHECK(hint("P(@")->forms.front().text.starts_with("P(targets"));
    const auto engine = hint("P(X) by gibbs(1000, @");
    REQUIRE(engine.has_value());
    CHECK(engine->forms.front().text == "gibbs(n: 100000, burn: 1000)");
    CHECK(engine->parameter == 1);
    const auto method = hint("train M on t by em(restarts: @");
    REQUIRE(method.has_value());
    CHECK(method->forms.front().parameters.at(method->parameter) == "restarts");
    CHECK_FALSE(hint("P(X) by em(@").has_value());
    CHECK_FALSE(hint("choose(5, 2) + @").has_value());
    CHECK_FALSE(hint("(1 + @").has_value());
}
