// What linear models show.

#include <cmath>

#include "runtime/core/special.hpp"
#include "stdlib/regression/shared.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

template <class F>
Builtin member(const char* name, const char* summary, const std::string& example, F) {
    return bind(
        {subject::regression, name, {{"model"}}, summary, example}, +[](CallContext&, ModelValue m) -> Result<Value> {
            auto model = TRY(model_as<rt::LinearModel>(m, "linear weights"));
            return F{}(*model);
        });
}

/// 0 is exact: nothing was rounded.
Value spread_value(double x) { return x == 0 ? Value(rt::Number(0)) : number_value(x); }

Result<Value> interval_at(CallContext& c, const ModelValue& m, const Value& x, const std::optional<Probability>& level, rt::IntervalOf of) {
    auto model = TRY(model_as<rt::LinearModel>(m, "intervals"));
    return interval_records(c, *model, x, level,
                            [&](const rt::TableView& row, double share) { return model->interval(row, share, of, c.run()); });
}

/// w / its standard error; a fault if there is none.
Result<std::vector<double>> t_values(const rt::LinearModel& m) {
    std::vector<double> out;
    const auto errors = m.standard_errors();
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (!(errors[i] > 0) || m.fit().degrees.sign() <= 0)
            return Fault{.code = "E-UNDEFINED", .message = "there is no noise to test a weight against"};
        out.push_back(m.fit().weights[i].real() / errors[i]);
    }
    return out;
}

}  // namespace

Value by_term(const rt::RegressionFit& fit, std::span<const Value> values) {
    Record out;
    out.entries.emplace_back("intercept", values[0]);
    for (std::size_t t = 0; t < fit.terms.size(); ++t) out.entries.emplace_back(fit.terms[t].name, values[t + 1]);
    return Value::record(std::move(out));
}

void add_linear_members(Registry& r, const char* kind, const std::string& at) {
    r.add_member(kind, member("weights", "The weight of each term, and the intercept.", at + ".weights.x > 0",
                              [](const rt::LinearModel& m) -> Result<Value> {
                                  std::vector<Value> values;
                                  for (const auto& w : m.fit().weights) values.emplace_back(w);
                                  return by_term(m.fit(), values);
                              }));
    r.add_member(kind, member("residuals", "The residual y − prediction of each training row.", "abs(sum(" + at + ".residuals)) < 1e-9",
                              [](const rt::LinearModel& m) -> Result<Value> {
                                  List out(m.fit().residuals.begin(), m.fit().residuals.end());
                                  return Value::list(std::move(out));
                              }));
    r.add_member(kind, member("sigma",
                              "The noise level. For normal noise it is the standard deviation of the residuals, using the remaining "
                              "degrees of freedom. For laplace and student_t noise it is the scale.",
                              at + ".sigma > 0", [](const rt::LinearModel& m) -> Result<Value> { return spread_value(m.sigma()); }));
    r.add_member(kind, member("r2", "The share of the target's variance that the terms explain.", at + ".r2 <= 16/25 + 1e-9",
                              [](const rt::LinearModel& m) -> Result<Value> {
                                  if (const auto r2 = m.fit().r2()) return Value(*r2);
                                  return Fault{.code = "E-UNDEFINED", .message = "the target is constant: there is no variance to explain"};
                              }));
    r.add_member(
        kind, member("standard_errors", "The standard error of each weight. For laplace and student_t noise it is the large-sample value.",
                     at + ".standard_errors.x > 0", [](const rt::LinearModel& m) -> Result<Value> {
                         std::vector<Value> values;
                         for (const double e : m.standard_errors()) values.push_back(spread_value(e));
                         return by_term(m.fit(), values);
                     }));
    r.add_member(kind, member("log_likelihood", "ln P(D | weights) at the most probable noise level. Use it to compare kinds of noise.",
                              at + ".log_likelihood < 0", [](const rt::LinearModel& m) -> Result<Value> {
                                  if (std::isfinite(m.fit().log_likelihood)) return number_value(m.fit().log_likelihood);
                                  return Fault{.code = "E-UNDEFINED", .message = "the rows lie exactly on the plane, so there is no noise"};
                              }));
    r.add_member(kind, bind(
                           {subject::regression,
                            "interval",
                            {{"model"}, {"x"}, {"level", "0.95"}},
                            "The interval in which one more observation at x lies with probability `level`, including the uncertainty of "
                            "the weights. It is a record .low .high, or a list of records for a table.",
                            at + ".interval(<2.5>).low < " + at + ".interval(<2.5>, 0.5).low"},
                           +[](CallContext& c, ModelValue m, Value x, std::optional<Probability> level) -> Result<Value> {
                               return interval_at(c, m, x, level, rt::IntervalOf::observation);
                           }));
    r.add_member(kind, bind(
                           {subject::regression,
                            "mean_interval",
                            {{"model"}, {"x"}, {"level", "0.95"}},
                            "The interval in which the mean of the observations at x lies with probability `level`: a record .low .high.",
                            at + ".mean_interval(<2.5>, 0.8).low > " + at + ".interval(<2.5>, 0.8).low"},
                           +[](CallContext& c, ModelValue m, Value x, std::optional<Probability> level) -> Result<Value> {
                               return interval_at(c, m, x, level, rt::IntervalOf::mean);
                           }));
}

void add_test_members(Registry& r, const char* kind, const std::string& at) {
    r.add_member(kind, member("t_values", "Each weight divided by its standard error.", "abs(" + at + ".t_values.x) > 0",
                              [](const rt::LinearModel& m) -> Result<Value> {
                                  auto ts = TRY(t_values(m));
                                  std::vector<Value> values;
                                  for (const double t : ts) values.push_back(number_value(t));
                                  return by_term(m.fit(), values);
                              }));
    r.add_member(kind, member("p_values",
                              "The p-value of each weight: the probability of a weight at least as far from 0 if the true weight is 0. It "
                              "is from a t test, or from a large-sample normal test for laplace and student_t noise.",
                              at + ".p_values.x < 1", [](const rt::LinearModel& m) -> Result<Value> {
                                  auto ts = TRY(t_values(m));
                                  const bool normal = m.fit().noise.kind == rt::Noise::Kind::normal;
                                  std::vector<Value> values;
                                  for (const double t : ts)
                                      values.push_back(number_value(2 * (normal ? rt::student_t_lower(m.fit().degrees.real(), -std::abs(t))
                                                                                : rt::normal_lower(-std::abs(t)))));
                                  return by_term(m.fit(), values);
                              }));
}

}  // namespace credence::std_
