#pragma once
// Linear support vector machines over texts: words weighted by how often they occur in the text and how few texts have them.

#include <memory>
#include <string>
#include <vector>

#include "runtime/data/text_index.hpp"
#include "runtime/data/tokenize.hpp"
#include "runtime/margin/sparse_linear.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

struct TextSvmOptions {
    std::string column;  ///< empty: the only column besides the target
    double c = 1;
    std::size_t min_count = 2;  ///< words in fewer texts are left out
};

/// A word's number in a text is (1 + ln tf) · (1 + ln((1 + texts) / (1 + texts with it))); a text's numbers are brought to length 1
/// (Salton & Buckley 1988; the smoothed form that scikit-learn uses).
class TextWeights {
public:
    TextWeights() = default;
    TextWeights(std::vector<std::string> words, std::vector<double> idf);
    const std::vector<std::string>& words() const { return words_; }
    const std::vector<double>& idf() const { return idf_; }
    /// The words of a text with their numbers, ascending.
    std::vector<std::pair<std::uint32_t, double>> of(std::string_view text, Tokenizer& tokenizer) const;

private:
    std::vector<std::string> words_;
    std::vector<double> idf_;
    TextIndex index_;
};

class TextSvmModel final : public Classifier {
public:
    /// `commonest`: the label of a text none of whose words is known.
    TextSvmModel(Schema schema, std::size_t texts, TextWeights weights, Matrix machines, std::size_t commonest);
    std::string_view kind() const override { return "svm_text"; }
    std::string description() const override;
    bool takes_missing() const override { return true; }
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
    bool gives_probabilities() const override { return false; }
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override;
    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;  ///< the words that speak most for each label

    const TextWeights& weights() const { return weights_; }
    /// The n words that speak most for a label.
    std::vector<std::string> top(std::size_t label, std::size_t n) const;

private:
    /// One for each label; of two labels, the first has the negative of the other's.
    void decide(std::string_view text, Tokenizer& tokenizer, std::span<double> out) const;
    double weight(std::size_t label, std::size_t word) const;
    std::size_t best_of(std::span<const double> scores) const;
    TextWeights weights_;
    Matrix machines_;  ///< machines × words
    std::size_t commonest_;
};

LearnerPtr make_text_svm(TextSvmOptions options);
Result<ModelPtr> load_text_svm(const Json& json);

}  // namespace credence::rt
