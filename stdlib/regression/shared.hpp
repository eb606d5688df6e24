#pragma once
// What the regressions share in their parameters and members.

#include <optional>

#include "runtime/regression/regression.hpp"
#include "stdlib/learning/learner.hpp"

namespace credence::std_ {

/// .weights .residuals .sigma .r2 .standard_errors .interval .mean_interval .log_likelihood, of models of that kind. `trained`: an
/// expression for the example, of a model with the columns x -> y of the table `noisy`.
void add_linear_members(lang::Registry& r, const char* kind, const std::string& trained);
/// .t_values .p_values, where weights can be tested against 0.
void add_test_members(lang::Registry& r, const char* kind, const std::string& trained);
/// bayes_regression, its members, bayes_factor.
void add_bayes_regression(lang::Registry& r);

/// gp_regression and its members.
void add_gaussian_process(lang::Registry& r);

/// What .interval and .mean_interval answer: a record .low .high, or a list of them for a table. `at` gives both ends for one row.
template <class At>
rt::Result<lang::Value> interval_records(lang::CallContext& c, const rt::Predictor& model, const lang::Value& x,
                                         const std::optional<lang::Probability>& level, At at) {
    const double share = level ? level->value.real() : 0.95;
    if (!(share > 0 && share < 1))
        return rt::Fault{.code = "E-PARAMETER", .message = "level is a probability between 0 and 1", .origin = c.argument(2)};
    auto rows = TRY(rows_for(c, model.schema(), x, c.argument(1)));
    TRY(model.check_cells({.table = rows.get(), .rows = {}}));
    lang::List out;
    for (std::uint32_t r = 0; r < rows->row_count; ++r) {
        auto found = TRY(at(rt::TableView{.table = rows.get(), .rows = std::span(&r, 1), .all = false}, share));
        lang::Record record;
        record.entries.emplace_back("low", number_value(found.first));
        record.entries.emplace_back("high", number_value(found.second));
        out.push_back(lang::Value::record(std::move(record)));
    }
    if (x.is<rt::TablePtr>()) return lang::Value::list(std::move(out));
    return out[0];
}

/// A record by term, with `intercept`.
lang::Value by_term(const rt::RegressionFit& fit, std::span<const lang::Value> values);
/// A λ: E-PARAMETER if it is below 0.
rt::Result<rt::Number> not_negative(lang::CallContext& c, const std::optional<rt::Number>& given, const rt::Number& otherwise,
                                    std::string_view name, std::size_t parameter);
rt::Products products_of(const std::optional<bool>& products);

}  // namespace credence::std_
