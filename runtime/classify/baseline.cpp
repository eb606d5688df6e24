// The baseline for other learners: the most frequent label, or the mean, regardless of the row.

#include <cmath>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/learner_info.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::string_view name_of_kind = "baseline";

/// Rows of each label, or their weights: exact, since what is counted is exact.
std::vector<Rational> label_counts(const TableView& rows, const Column& target, std::span<const double> weights) {
    std::vector<Rational> out(target.domain->size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        out[static_cast<std::size_t>(target.codes[rows.row(i)])] += weights.empty() ? Rational(1) : Rational::from_decimal(weights[i]);
    return out;
}

/// Weight, sum and sum of squares about the mean: all that a mean and a spread need, and what can be added to.
struct Totals {
    Number weight;
    Number sum;
    double squares = 0;

    Number mean() const { return sum / weight; }
    double sd() const { return weight.real() > 1 ? std::sqrt(squares / (weight.real() - 1)) : 0.0; }
};

Totals totals(const TableView& rows, const Column& target, std::span<const double> weights, const Run& run) {
    const bool exact = !target.real && rows.size() <= max_exact_rows && run.numbers != NumberMode::real;
    Totals out;
    if (!exact) out = {Number::real(0), Number::real(0)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double w = weights.empty() ? 1 : weights[i];
        const Number weight = exact ? Number(Rational::from_decimal(w)) : Number::real(w);
        out.weight += weight;
        out.sum += (exact ? target.number(rows.row(i)) : Number::real(target.values[rows.row(i)])) * weight;
    }
    const double mean = out.mean().real();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double e = target.values[rows.row(i)] - mean;
        out.squares += (weights.empty() ? 1 : weights[i]) * e * e;
    }
    return out;
}

class MajorityModel final : public Classifier {
public:
    MajorityModel(Schema schema, std::size_t rows, std::vector<Rational> counts)
        : Classifier(std::move(schema), rows), counts_(std::move(counts)) {
        for (const auto& c : counts_) total_ += c;
    }
    std::string_view kind() const override { return name_of_kind; }
    ModelParts parts() const override {
        std::vector<Number> shares;
        for (const auto& c : counts_) shares.emplace_back(c / total_);
        return {{"shares", factor_over(schema_.target.name, schema_.target.domain, shares)}};
    }
    bool takes_missing() const override { return true; }
    Status probabilities(const TableView& rows, std::span<double> out, Run&) const override {
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t k = 0; k < counts_.size(); ++k) out[i * counts_.size() + k] = (counts_[k] / total_).to_double();
        return Done{};
    }
    Attempt<std::vector<Rational>> exact_probabilities(const TableView&, Run&) const override {
        std::vector<Rational> out;
        for (const auto& c : counts_) out.push_back(c / total_);
        return out;
    }
    Result<Derivation> explain_prediction(const TableView&, Run&) const override {
        DerivationWriter out;
        out.note("The row is ignored: each label has its share of the rows.");
        for (std::size_t k = 0; k < counts_.size(); ++k) {
            out.formula(fmt::format("P({} = {})", schema_.target.name, (*schema_.target.domain)[k].text()));
            out.begin(quotient(Number(counts_[k]), Number(total_)));
            out.result(Number(counts_[k] / total_));
        }
        return std::move(out).take();
    }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run&) const override {
        auto counts = counts_;
        const auto more = label_counts(rows, *rows.table->columns[*rows.table->target], weights);
        for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += more[k];
        return ModelPtr(std::make_shared<const MajorityModel>(schema_, rows_seen_ + rows.size(), std::move(counts)));
    }
    Result<Json> save() const override {
        std::vector<Number> counts(counts_.begin(), counts_.end());
        return Json{{"schema", saved(schema_)}, {"rows", rows_seen_}, {"counts", saved(std::span<const Number>(counts))}};
    }

private:
    std::vector<Rational> counts_;  ///< one for each label
    Rational total_;
};

class MeanModel final : public Regressor {
public:
    MeanModel(Schema schema, std::size_t rows, Totals t) : Regressor(std::move(schema), rows), totals_(std::move(t)) {}
    std::string_view kind() const override { return name_of_kind; }
    ModelParts parts() const override { return {{"mean", totals_.mean()}, figure("sd", totals_.sd())}; }
    bool takes_missing() const override { return true; }
    Status predict(const TableView&, std::span<double> out, Run&) const override {
        for (double& y : out) y = totals_.mean().real();
        return Done{};
    }
    Attempt<Rational> exact_prediction(const TableView&, Run&) const override {
        const Number mean = totals_.mean();
        return mean.is_exact() ? Attempt<Rational>(mean.exact()) : not_applicable;
    }
    Result<DistributionPtr> distribution(const TableView&, Run&) const override {
        if (!(totals_.sd() > 0))
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("all values of {} were equal, so the spread is unknown", schema_.target.name)};
        return make_normal(totals_.mean(), Number::real(totals_.sd()));
    }
    Result<Derivation> explain_prediction(const TableView&, Run&) const override {
        DerivationWriter out;
        out.note(fmt::format("The row is ignored: the mean of {} over the rows.", schema_.target.name));
        out.begin(quotient(totals_.sum, totals_.weight));
        out.result(totals_.mean());
        return std::move(out).take();
    }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override {
        const Totals more = totals(rows, *rows.table->columns[*rows.table->target], weights, run);
        const double apart = more.mean().real() - totals_.mean().real();
        const double w = totals_.weight.real();
        const double v = more.weight.real();
        Totals all{totals_.weight + more.weight, totals_.sum + more.sum, totals_.squares + more.squares + apart * apart * w * v / (w + v)};
        return ModelPtr(std::make_shared<const MeanModel>(schema_, rows_seen_ + rows.size(), std::move(all)));
    }
    Result<Json> save() const override {
        return Json{{"schema", saved(schema_)},
                    {"rows", rows_seen_},
                    {"weight", saved(totals_.weight)},
                    {"sum", saved(totals_.sum)},
                    {"squares", totals_.squares}};
    }

private:
    Totals totals_;
};

class Baseline final : public Learner {
public:
    std::string_view name() const override { return name_of_kind; }
    TargetKind target() const override { return TargetKind::either; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        const Column& target = *rows.table->columns[*rows.table->target];
        if (target.kind == ColumnKind::label)
            return ModelPtr(
                std::make_shared<const MajorityModel>(schema_of(*rows.table), rows.size(), label_counts(rows, target, weights)));
        return ModelPtr(std::make_shared<const MeanModel>(schema_of(*rows.table), rows.size(), totals(rows, target, weights, run)));
    }
    /// What it predicts is all that it learned.
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double>, const Model& fitted, Run& run) const override {
        return fitted.predictor()->explain_prediction(rows, run);
    }
};

Result<ModelPtr> load_baseline(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    if (schema.target.kind == ColumnKind::label) {
        auto counts = TRY(read_numbers(json, "counts"));
        if (counts.size() != schema.target.domain->size()) return damaged("there is not one count for each label");
        std::vector<Rational> exact;
        Rational total;
        for (const auto& c : counts) {
            if (!c.is_exact() || c.sign() < 0) return damaged("a count is invalid");
            exact.push_back(c.exact());
            total += c.exact();
        }
        if (total.sign() <= 0) return damaged("nothing was counted");
        return ModelPtr(std::make_shared<const MajorityModel>(std::move(schema), rows, std::move(exact)));
    }
    auto weight = TRY(read_member(json, "weight"));
    auto sum = TRY(read_member(json, "sum"));
    auto total = TRY(read_number(*weight));
    auto added = TRY(read_number(*sum));
    auto squares = TRY(read_real(json, "squares"));
    if (total.sign() <= 0) return damaged("the weight is invalid");
    return ModelPtr(std::make_shared<const MeanModel>(std::move(schema), rows, Totals{total, added, squares}));
}

}  // namespace

const LearnerInfo baseline_learner{
    .call = {.name = name_of_kind,
             .summary =
                 "A learner that uses only the target: it predicts the most frequent label, or the mean. Any other learner should do "
                 "better.",
             .example = "predict(train baseline() on weather, <hot>) == \"yes\""},
    .make = [](const MethodCall&) -> Result<LearnerPtr> { return LearnerPtr(std::make_shared<const Baseline>()); },
    .load = load_baseline,
};

}  // namespace credence::rt
