#include "runtime/regression/regression.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/learning/block_training.hpp"
#include "runtime/regression/block_fit.hpp"

namespace credence::rt {

namespace {

Result<RegressionFit> fit_of(const Observed& data, const RegressionOptions& options, const Run& run) {
    switch (options.noise.kind) {
        case Noise::Kind::normal:
            break;
        case Noise::Kind::laplace:
            return least_absolute_fit(data, run);
        case Noise::Kind::student_t:
            return student_t_fit(data, options.noise.degrees, run);
    }
    if (!options.penalty) return least_squares_fit(data, {}, run);
    return least_squares_fit(data, penalties_of(data, *options.penalty, Number(0), run), run);
}

class Regression final : public Learner, public LearnsFromBlocks {
public:
    explicit Regression(RegressionOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return options_.kind; }
    TargetKind target() const override { return TargetKind::number; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(observe_noting(rows, weights, options_.degree, options_.products, run));
        RegressionFit fitted = TRY(fit_of(data, options_, run));
        remember_rows(data, fitted);
        TRY(within_range(fitted, data));
        note_left_out(fitted, run);
        if (run.note && !fitted.only_one)
            run.note("other weights have the same sum of absolute errors; these are one of several solutions");
        if (run.note && !fitted.converged) run.note(fmt::format("not converged after {} steps", fitted.steps));
        if (run.note && fitted.noise.kind == Noise::Kind::student_t && fitted.scale == 0 && fitted.squared_error.sign() > 0)
            run.note("the spread shrank to 0, because the rows on one plane outweigh the others; use a larger nu");
        return ModelPtr(std::make_shared<const LinearModel>(schema_of(*rows.table), data.rows.size(), options_.kind, std::move(fitted)));
    }

    Result<ModelPtr> fit_blocks(const RowBlocks& rows, Run& run) const override {
        if (options_.noise.kind != Noise::Kind::normal)
            return Fault{.code = "E-TRAIN",
                         .message = "only normal noise is learned from rows that are read in blocks",
                         .hint = "leave out noise, or load the table without stream: true"};
        std::size_t left_out = 0;
        RegressionFit fitted = TRY(least_squares_fit(rows, options_, left_out, run));
        TRY(within_range(fitted));
        if (left_out > 0 && run.note)
            run.note(fmt::format("{} with a missing cell {} left out", counted(left_out, "row"), left_out == 1 ? "was" : "were"));
        note_left_out(fitted, run);
        return ModelPtr(
            std::make_shared<const LinearModel>(schema_of(rows.head()), rows.rows() - left_out, options_.kind, std::move(fitted)));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run&) const override {
        auto data = TRY(observe(rows, weights, options_.degree, options_.products));
        return explain_regression(data, dynamic_cast<const LinearModel&>(fitted).fit(), options_);
    }

private:
    RegressionOptions options_;
};

}  // namespace

std::vector<Number> penalties_of(const Observed& data, const Penalty& penalty, const Number& intercept, const Run& run) {
    std::vector<Number> out(data.terms.size() + 1, penalty.lambda);
    if (penalty.standard) {
        const auto variances = term_variances(data, run);
        for (std::size_t t = 1; t < out.size(); ++t) out[t] = penalty.lambda * variances[t];
    }
    out[0] = intercept;
    return out;
}

Result<Observed> observe_noting(const TableView& rows, std::span<const double> weights, std::size_t degree, Products products, Run& run) {
    auto data = TRY(observe(rows, weights, degree, products));
    const std::size_t without = rows.size() - data.rows.size();
    if (data.rows.empty())
        return Fault{.code = "E-MISSING",
                     .message = "every row has a missing cell: regression needs all columns of a row",
                     .hint = "drop the columns that are mostly missing"};
    if (without > 0 && run.note)
        run.note(fmt::format("{} with a missing cell {} left out", counted(without, "row"), without == 1 ? "was" : "were"));
    return data;
}

void note_left_out(const RegressionFit& fit, const Run& run) {
    if (!run.note || fit.left_out.empty()) return;
    constexpr std::size_t most_names = 6;
    std::vector<std::string> names;
    for (const auto t : fit.left_out) names.push_back(fit.terms[t].name);
    if (names.size() == 1) {
        run.note(fmt::format("{} is determined by the columns before it: its weight is 0", names[0]));
        return;
    }
    const std::size_t all = names.size();
    if (all > most_names) {
        names.resize(most_names - 1);
        names.push_back(fmt::format("{} more", all - names.size()));
    }
    run.note(fmt::format("{} terms are determined by the columns before them: their weights are 0 ({})", all, joined(names, ", ")));
}

LearnerPtr make_regression(RegressionOptions options) { return std::make_shared<const Regression>(std::move(options)); }

}  // namespace credence::rt
