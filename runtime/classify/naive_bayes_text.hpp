#pragma once
// Naive Bayes over texts: P(class | text) ∝ P(class) · Π P(word | class), the multinomial model with
// P(word | class) = (n_word + alpha) / (n + alpha · |vocabulary|). Words that training never saw are left out.
// Mitchell, table 6.2; Manning, Raghavan & Schütze, chapter 13.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/data/file_path.hpp"
#include "runtime/data/text_index.hpp"
#include "runtime/data/tokenize.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

struct TextSettings {
    std::string column = {};                    ///< empty: the only column besides the target
    std::optional<std::size_t> drop_top = {};   ///< the most frequent words are left out of the vocabulary
    std::optional<std::size_t> min_count = {};  ///< and those seen less often
    Number alpha = 1;
    WordRule words = {};
};

/// All words counted, by class. Classes and words may come as they please: texts are counted one after the other.
class TextCounts {
public:
    /// A new class where the label is new.
    std::size_t class_of(const Label& label);
    void add(std::size_t label, std::string_view text, double weight, Tokenizer& tokenizer);

    const std::vector<Label>& classes() const { return classes_; }
    const std::vector<double>& documents() const { return documents_; }  ///< by class
    const std::vector<std::string>& words() const { return words_; }
    double count(std::size_t word, std::size_t label) const { return word < counts_[label].size() ? counts_[label][word] : 0; }
    std::size_t texts() const { return texts_; }
    void set_texts(std::size_t n) { texts_ = n; }
    /// For loading: a word with its counts by class.
    void put(std::string word, std::span<const double> by_class);
    void put_class(const Label& label, double documents);

private:
    std::size_t word_of(std::string_view word);

    std::vector<Label> classes_;
    std::vector<double> documents_;
    TextIndex index_;
    std::vector<std::string> words_;
    std::vector<std::vector<double>> counts_;  ///< by class, then word
    std::size_t texts_ = 0;
};

/// The texts of some rows, empty if the cell is missing, as a tokenizer takes them.
class RowTexts {
public:
    static Result<RowTexts> of(const Column& column, const TableView& rows, const WordRule& words);
    std::string_view operator[](std::size_t i) const;  ///< of the i-th row of the view

private:
    RowTexts(const Column& column, const TableView& rows) : column_(&column), rows_(rows) {}
    const Column* column_;
    TableView rows_;
    std::vector<std::string> prepared_;  ///< where a function makes the words
};

class NaiveBayesTextModel final : public Classifier {
public:
    /// `target`: the name of the class column.
    NaiveBayesTextModel(TextSettings settings, std::string target, std::shared_ptr<const TextCounts> counts);

    std::string_view kind() const override { return "naive_bayes_text"; }
    std::string description() const override;
    bool takes_missing() const override { return true; }  ///< a missing text has no influence
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override;
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run& run) const override;
    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Derivation explain_counts() const;  ///< the vocabulary, the texts and words of each class, and its most typical words
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;

    /// How many of the most frequent words are left out, and how often the others were seen at least.
    std::size_t dropped() const;
    std::size_t least_count() const;
    /// What the vocabulary leaves out although nobody asked for it; empty if that is nothing.
    std::string left_out_note() const;
    /// The most frequent first.
    const std::vector<std::string>& vocabulary() const { return vocabulary_; }
    /// The most typical words of a class: the largest P(w | c) · ln(P(w | c) / P(w)).
    std::vector<std::string> top(std::size_t label, std::size_t n) const;
    /// ln P(class) + Σ ln P(word | class), one for each class.
    void score(std::string_view text, Tokenizer& tokenizer, std::span<double> out) const;

private:
    Number conditional(std::size_t word, std::size_t label) const;
    std::optional<std::vector<Rational>> exact_products(std::string_view text) const;           ///< Π P(word | class), one for each class
    std::vector<std::pair<std::size_t, std::size_t>> known_words(std::string_view text) const;  ///< word of the vocabulary, how often

    bool has_many_words() const;

    TextSettings settings_;
    std::shared_ptr<const TextCounts> counts_;
    std::vector<std::string> vocabulary_;
    std::vector<std::size_t> word_of_;  ///< of the vocabulary → in counts
    TextIndex index_;                   ///< of the vocabulary
    std::vector<double> totals_;        ///< words of the vocabulary by class
    std::vector<double> log_prior_;
    std::vector<double> log_word_;  ///< word · classes + class
};

LearnerPtr make_naive_bayes_text(TextSettings settings);
Result<ModelPtr> load_naive_bayes_text(const Json& json);

/// Where documents lie that are read one by one, so that they need not fit into memory.
struct TextSource {
    FilePath path;                 ///< .csv, .tsv, .jsonl, or a folder with a folder of files for each class
    std::string target = "class";  ///< columns, or keys of a JSON line
    std::string column = "text";
    std::vector<std::string> columns = {};  ///< of a file without a header
};
/// Calls use(label, text) for each; until it returns a fault. Lines without label or text are skipped and counted.
Status each_document(const TextSource& source, const std::function<Status(std::string_view label, std::string_view text)>& use,
                     std::size_t& skipped);
Result<ModelPtr> train_text(const TextSource& source, TextSettings settings, Run& run);

}  // namespace credence::rt
