#pragma once
// Naive Bayes: P(class | x) ∝ P(class) · Π P(x_i | class), the columns independent once the class is known.
// P(x_i = v | class) is the m-estimate (n_v + m·p) / (n + m); a numeric column is normal within each class, or cut into bins.

#include <map>
#include <string>
#include <vector>

#include "runtime/classify/naive_bayes_counts.hpp"
#include "runtime/classify/naive_bayes_scores.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

struct NaiveBayesSettings {
    Number m = 0;  ///< the equivalent sample size: m = 0 gives frequencies
    /// The prior estimates p of the columns that have their own; the others are uniform over their values.
    std::map<std::string, std::vector<std::pair<Label, Number>>> p = {};
    /// One p for every value of every column, as the formula is often worked by hand; it need not be a distribution then.
    std::optional<Number> each = {};
    std::size_t bins = 0;  ///< 0: numeric columns are normal
};

class NaiveBayesModel final : public Classifier {
public:
    /// `p`: one for each feature, one for each value; empty for a normal column.
    NaiveBayesModel(Schema schema, std::size_t rows, NaiveBayesSettings settings, NaiveBayesCounts counts,
                    std::vector<std::vector<Number>> p);

    std::string_view kind() const override { return "naive_bayes"; }
    bool takes_missing() const override { return true; }
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override;
    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override;
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;

    Factor priors() const;
    Factor conditionals(std::size_t feature) const;  ///< P(X | class) of a label or binned column, over class and X
    Result<DistributionPtr> normal(std::size_t feature, std::size_t label) const;
    const FeatureCounts& counts(std::size_t feature) const { return counts_.features[feature]; }

private:
    Number prior(std::size_t label) const;
    Number conditional(std::size_t feature, std::size_t label, std::size_t value) const;
    const Number& cell_total(std::size_t feature, std::size_t label) const { return cell_totals_[feature][label]; }
    void add_up();
    double sd(std::size_t feature, std::size_t label) const;
    void make_tables();
    Result<Query> without_numbers(const Query& query) const;
    Result<Answer> density_of_row(const Query& row, Run& run) const;
    Result<Answer> ask_ranges(Query query, std::span<const Event> ranges, Run& run) const;
    Result<DistributionPtr> number_given(std::size_t feature, const Query& query, Run& run) const;
    void fall_back(std::span<double> shares) const;

    NaiveBayesSettings settings_;
    NaiveBayesCounts counts_;
    std::vector<std::vector<Number>> p_;
    Number class_total_;
    std::vector<std::vector<Number>> cell_totals_;  ///< by feature and class; none for a normal column
    std::vector<double> column_sd_;                 ///< of a normal column over all classes
    double largest_sd_ = 0;                         ///< of these
    std::shared_ptr<const NetModel> net_;           ///< the discrete part, with the variables in the model's order
    Scores scores_;
};

LearnerPtr make_naive_bayes(NaiveBayesSettings settings);
Result<ModelPtr> load_naive_bayes(const Json& json);

}  // namespace credence::rt
