// Words, and naive Bayes over them against published examples.

#include <filesystem>
#include <fstream>

#include <unistd.h>
#include <catch2/catch.hpp>

#include "runtime/classify/naive_bayes_text.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/saved.hpp"

using namespace credence::rt;

namespace {

std::vector<std::string> words_of(std::string_view text, WordRule::Kind kind = WordRule::Kind::letters) {
    Tokenizer tokenizer(WordRule{.kind = kind});
    std::vector<std::string> out;
    tokenizer.each(text, [&](std::string_view w) { out.emplace_back(w); });
    return out;
}

std::shared_ptr<TextCounts> sentiment() {
    auto counts = std::make_shared<TextCounts>();
    Tokenizer tokenizer(WordRule{});
    const auto add = [&](const char* label, const char* text) { counts->add(counts->class_of(Label::of_text(label)), text, 1, tokenizer); };
    add("-", "just plain boring");
    add("-", "entirely predictable and lacks energy");
    add("-", "no surprises and very few laughs");
    add("+", "very powerful");
    add("+", "the most fun film of the summer");
    return counts;
}

}  // namespace

TEST_CASE("words are runs of letters and digits") {
    using Words = std::vector<std::string>;
    constexpr auto words = WordRule::Kind::words;
    CHECK(words_of("Don't PANIC, it's 42°C", words) == Words{"don", "t", "panic", "it", "s", "42", "c"});
    CHECK(words_of("mp3 snake_case X² ٤٢", words) == Words{"mp3", "snake_case", "x²", "٤٢"});
    CHECK(words_of("É\xff"
                   "7",
                   words) == Words{"é", "7"});
    CHECK(words_of("(a) — «b»!", WordRule::Kind::tokens) == Words{"(", "a", ")", "—", "«", "b", "»", "!"});
}

TEST_CASE("plain letters: two at least, in lower case") {
    using Words = std::vector<std::string>;
    CHECK(words_of("Don't PANIC, it's 42°C") == Words{"don", "panic", "it"});
    CHECK(words_of("").empty());
    CHECK(words_of("a b c").empty());
    CHECK(words_of("on 12.5.1993 mp3 snake_case x² an") == Words{"on", "an"});
    CHECK(words_of("ÜBER Straße — ÉTÉ") == Words{"über", "straße", "été"});
    CHECK(words_of("ПРИВЕТ мир, ΑΘΗΝΑ") == Words{"привет", "мир", "αθηνα"});
    CHECK(words_of("日本 「東京」") == Words{"日本", "東京"});
    CHECK(words_of("ab\xff"
                   "cd\xc3") == Words{"ab", "cd"});
    CHECK(words_of("end") == Words{"end"});
}

TEST_CASE("sentiment of five reviews: Jurafsky & Martin, chapter 4") {
    const NaiveBayesTextModel model({.column = "text"}, "class", sentiment());
    CHECK(model.vocabulary().size() == 20);
    Tokenizer tokenizer(WordRule{});
    std::vector<double> scores(2);
    model.score("predictable with no fun", tokenizer, scores);  // "with" was never seen
    CHECK(scores[0] == Approx(-9.703612836494584).epsilon(1e-12));
    CHECK(scores[1] == Approx(-10.325031041273633).epsilon(1e-12));
}

TEST_CASE("drop_top, min_count and alpha change the model; saving does not") {
    const NaiveBayesTextModel plain({.column = "text"}, "class", sentiment());
    const NaiveBayesTextModel dropped({.column = "text", .drop_top = 3}, "class", sentiment());
    const NaiveBayesTextModel common({.column = "text", .min_count = 2}, "class", sentiment());
    CHECK(dropped.vocabulary().size() == 17);
    CHECK(common.vocabulary() == std::vector<std::string>{"and", "the", "very"});
    const NaiveBayesTextModel sharp({.column = "text", .alpha = Number(Rational(1, 10))}, "class", sentiment());
    Tokenizer tokenizer(WordRule{});
    std::vector<double> a(2);
    std::vector<double> b(2);
    plain.score("fun", tokenizer, a);
    sharp.score("fun", tokenizer, b);
    CHECK(a[1] - a[0] < b[1] - b[0]);
    const auto json = dropped.save();
    REQUIRE(json);
    const auto back = load_naive_bayes_text(*Json::parse(json->dump()));
    REQUIRE(back);
    CHECK(dynamic_cast<const NaiveBayesTextModel&>(**back).vocabulary() == dropped.vocabulary());
    CHECK((*back)->save()->dump() == json->dump());
    CHECK(!load_naive_bayes_text(*Json::parse("{}")));
}

TEST_CASE("documents are read one by one from files and folders") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("credence_texts_" + std::to_string(::getpid()));
    fs::create_directories(folder / "set" / "pos");
    fs::create_directories(folder / "set" / "neg");
    std::ofstream(folder / "a.tsv") << "class\ttext\npos\tvery \"good\nneg\tvery bad\n";
    std::ofstream(folder / "b.csv") << "text,class\n\"very, good\",pos\n\"very\nbad\",neg\n";
    std::ofstream(folder / "c.jsonl") << R"({"class": "pos", "text": "very good"})"
                                      << "\n"
                                      << R"({"class": "neg", "text": "very bad"})"
                                      << "\n";
    std::ofstream(folder / "d.tsv") << "pos\tvery good\nneg\tvery bad\n";
    std::ofstream(folder / "set" / "pos" / "1") << "very good";
    std::ofstream(folder / "set" / "neg" / "1") << "very bad";
    Run run;
    for (const std::string name : {"a.tsv", "b.csv", "c.jsonl", "d.tsv", "set"}) {
        TextSource source{.path = (folder / name).string()};
        if (name == "d.tsv") source.columns = {"class", "text"};
        const auto model = train_text(source, {}, run);
        INFO(name);
        REQUIRE(model);
        const auto& text = dynamic_cast<const NaiveBayesTextModel&>(**model);
        CHECK(text.vocabulary() == std::vector<std::string>{"very", "bad", "good"});
        CHECK(text.rows_seen() == 2);
    }
    CHECK(!train_text({.path = (folder / "none.tsv").string()}, {}, run));
    CHECK(!train_text({.path = (folder / "a.tsv").string(), .target = "topic"}, {}, run));
    fs::remove_all(folder);
}
