// Least squares and what a linear model tells.

#include "runtime/regression/regression.hpp"

#include <cmath>

#include "runtime/core/special.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::Fault;
using rt::Result;

constexpr const char* subject = "regression";
constexpr const char* fitted = "(train regression() on line)";

Value by_term(const rt::LinearFit& fit, std::span<const Value> values) {
    Record out;
    out.entries.emplace_back("intercept", values[0]);
    for (std::size_t t = 0; t < fit.terms.size(); ++t) out.entries.emplace_back(fit.terms[t].name, values[t + 1]);
    return Value::record(std::move(out));
}

template <class F>
Builtin member(const char* name, const char* summary, const std::string& example, F) {
    return bind(
        {subject, name, {{"m"}}, summary, example}, +[](CallContext&, ModelValue m) -> Result<Value> {
            auto model = model_as<rt::LinearModel>(m, "linear weights");
            if (!model) return std::move(model).fault();
            return F{}((*model)->fit());
        });
}

}  // namespace

void add_linear_members(Registry& r, const char* kind) {
    const std::string at = fitted;
    r.add_member(kind, member("weights", "The weight of each column, and the intercept.", at + ".weights == {intercept: 1, x: 2}",
                              [](const rt::LinearFit& f) -> Result<Value> {
                                  std::vector<Value> values{Value(f.intercept)};
                                  for (const auto& w : f.coefficients) values.emplace_back(w);
                                  return by_term(f, values);
                              }));
    r.add_member(kind, member("residuals", "What the model leaves of the target in each row learned from: y − prediction.",
                              at + ".residuals == [0, 0, 0]", [](const rt::LinearFit& f) -> Result<Value> {
                                  List out(f.residuals.begin(), f.residuals.end());
                                  return Value::list(std::move(out));
                              }));
    r.add_member(kind, member("sigma", "The standard deviation of the residuals, by the degrees of freedom that are left.",
                              at + ".sigma == 0", [](const rt::LinearFit& f) -> Result<Value> {
                                  return f.squared_error.is_zero() ? Value(rt::Number(0)) : number_value(f.sigma());
                              }));
    r.add_member(kind, member("r2", "The share of the target's variance that the columns explain.", at + ".r2 == 1",
                              [](const rt::LinearFit& f) -> Result<Value> {
                                  if (const auto r2 = f.r2()) return Value(*r2);
                                  return Fault{.code = "E-UNDEFINED", .message = "the target is constant: there is no variance to explain"};
                              }));
    r.add_member(kind, member("standard_errors", "The standard error of each weight.", at + ".standard_errors.x == 0",
                              [](const rt::LinearFit& f) -> Result<Value> {
                                  std::vector<Value> values;
                                  for (const double e : f.standard_errors())
                                      values.push_back(e == 0 ? Value(rt::Number(0)) : number_value(e));
                                  return by_term(f, values);
                              }));
    r.add_member(kind, member("p_values", "The probability of a weight at least so far from 0 if the true one were 0 (t test).",
                              "abs((train regression() on noisy).p_values.x - 0.2) < 1e-9", [](const rt::LinearFit& f) -> Result<Value> {
                                  const auto errors = f.standard_errors();
                                  std::vector<Value> values;
                                  for (std::size_t i = 0; i < errors.size(); ++i) {
                                      const double w = i == 0 ? f.intercept.real() : f.coefficients[i - 1].real();
                                      if (!(errors[i] > 0) || f.degrees.sign() <= 0)
                                          return Fault{.code = "E-UNDEFINED", .message = "there is no noise to test a weight against"};
                                      const double t = std::abs(w / errors[i]);
                                      values.push_back(number_value(2 * rt::student_t_lower(f.degrees.real(), -t)));
                                  }
                                  return by_term(f, values);
                              }));
}

void add_regression(Registry& r) {
    r.add_learner(bind(
        {subject,
         "regression",
         {},
         "Least squares: the target as a weighted sum of the columns. Label columns become 0/1 indicators of all labels but the first.",
         "predict(train regression() on line, <4>) == 9"},
        +[](CallContext&) -> Result<Value> { return learner_value(rt::make_regression()); }));
    add_linear_members(r, "regression");
    r.add_loader("regression", rt::load_linear_model);
}

}  // namespace credence::std_
