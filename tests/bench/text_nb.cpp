// Times naive Bayes over texts: text_nb TRAIN TEST [alpha] [repeats]. The files have a label, a tab and a text a line. The 100 most
// frequent words and those seen less than 3 times are left out. Prints "tokenise + fit, tokenise + predict" in seconds, a line a repeat,
// then accuracy and vocabulary. With alpha 0, alpha is chosen by five folds of the training texts. text_nb.py runs it next to scikit-learn.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/classify/naive_bayes_scores.hpp"
#include "runtime/classify/naive_bayes_text.hpp"

namespace {

using namespace credence::rt;

struct Documents {
    std::vector<std::string> labels;
    std::vector<std::string> texts;
};

bool read(const std::string& path, Documents& out) {
    std::size_t skipped = 0;
    const TextSource source{.path = path, .target = "class", .column = "text", .columns = {"class", "text"}};
    const Status done = each_document(
        source,
        [&](std::string_view label, std::string_view text) -> Status {
            out.labels.emplace_back(label);
            out.texts.emplace_back(text);
            return Done{};
        },
        skipped);
    return static_cast<bool>(done);
}

const WordRule bench_words;  ///< runs of letters, digits and underscores, as the peer's pattern has it

NaiveBayesTextModel fit(const Documents& d, const Number& alpha, std::size_t fold, std::size_t folds) {
    auto counts = std::make_shared<TextCounts>();
    Tokenizer tokenizer(bench_words);
    for (std::size_t i = 0; i < d.texts.size(); ++i)
        if (folds == 0 || i % folds != fold) counts->add(counts->class_of(Label::of_text(d.labels[i])), d.texts[i], 1, tokenizer);
    return {TextSettings{.column = "text", .drop_top = 100, .min_count = 3, .alpha = alpha, .words = bench_words}, "class",
            std::move(counts)};
}

double accuracy(const NaiveBayesTextModel& model, const Documents& d, std::size_t fold, std::size_t folds) {
    Tokenizer tokenizer(bench_words);
    const Domain& classes = *model.schema().target.domain;
    std::vector<double> scores(classes.size());
    std::size_t right = 0;
    std::size_t all = 0;
    for (std::size_t i = 0; i < d.texts.size(); ++i) {
        if (folds > 0 && i % folds != fold) continue;
        model.score(d.texts[i], tokenizer, scores);
        right += classes[static_cast<std::size_t>(best_class(scores))].text() == d.labels[i] ? 1 : 0;
        ++all;
    }
    return static_cast<double>(right) / static_cast<double>(all);
}

Number chosen_alpha(const Documents& train) {
    constexpr std::size_t folds = 5;
    Number best;
    double highest = -1;
    for (const int n : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
        const Number alpha(Rational(n, 1000));
        double mean = 0;
        for (std::size_t f = 0; f < folds; ++f) mean += accuracy(fit(train, alpha, f, folds), train, f, folds) / folds;
        std::printf("alpha %s: %.4f\n", alpha.exact().text().c_str(), mean);
        if (mean > highest) {
            highest = mean;
            best = alpha;
        }
    }
    return best;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: text_nb TRAIN TEST [alpha] [repeats]\n", stderr);
        return 2;
    }
    Documents train;
    Documents test;
    if (!read(argv[1], train) || !read(argv[2], test)) {
        std::fputs("the files cannot be read\n", stderr);
        return 1;
    }
    Number alpha(argc > 3 ? Rational::parse(argv[3]).value_or(Rational(1)) : Rational(1));
    if (alpha.is_zero()) alpha = chosen_alpha(train);
    const int repeats = argc > 4 ? std::stoi(argv[4]) : 1;
    double right = 0;
    std::size_t words = 0;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const NaiveBayesTextModel model = fit(train, alpha, 0, 0);
        const auto middle = std::chrono::steady_clock::now();
        right = accuracy(model, test, 0, 0);
        const std::chrono::duration<double> fitting = middle - start;
        const std::chrono::duration<double> predicting = std::chrono::steady_clock::now() - middle;
        std::printf("%.4f %.4f\n", fitting.count(), predicting.count());
        words = model.vocabulary().size();
    }
    std::printf("accuracy %.4f vocabulary %zu alpha %s\n", right, words, alpha.exact().text().c_str());
    return 0;
}
