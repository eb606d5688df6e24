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

/// A record by term, with `intercept`.
lang::Value by_term(const rt::RegressionFit& fit, std::span<const lang::Value> values);
/// A λ: E-PARAMETER where it is below 0.
rt::Result<rt::Number> not_negative(lang::CallContext& c, const std::optional<rt::Number>& given, const rt::Number& otherwise,
                                    std::string_view name, std::size_t parameter);
rt::Products products_of(const std::optional<bool>& products);

}  // namespace credence::std_
