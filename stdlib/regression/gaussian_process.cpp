// gp_regression.

#include "runtime/instance/gaussian_process.hpp"

#include "stdlib/regression/shared.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

const std::string process = "(train gp_regression(alpha: 2, rho: 1, sigma: 0.5, scale: none) on noisy)";

Result<Value> interval_of(CallContext& c, const ModelValue& m, const Value& x, const std::optional<Probability>& level, bool observation) {
    auto model = TRY(model_as<rt::GaussianProcess>(m, "intervals"));
    return interval_records(c, *model, x, level,
                            [&](const rt::TableView& row, double share) { return model->interval(row, share, observation, c.run()); });
}

/// A figure of the model as a member.
template <class F>
Builtin figure(const char* name, const char* summary, const std::string& example, F) {
    return bind(
        {subject::regression, name, {{"model"}}, summary, example}, +[](CallContext&, ModelValue m) -> Result<Value> {
            auto model = TRY(model_as<rt::GaussianProcess>(m, "a kernel"));
            return F{}(*model);
        });
}

void add_members(Registry& r) {
    const char* kind = "gp_regression";
    r.add_member(kind, figure("alpha", "The standard deviation of the function about its mean.", process + ".alpha == 2",
                              [](const rt::GaussianProcess& m) { return number_value(m.parameters().alpha); }));
    r.add_member(kind, figure("rho", "The length on which the function changes: a number, or a list of one for each coordinate.",
                              process + ".rho == 1", [](const rt::GaussianProcess& m) {
                                  const auto& rho = m.parameters().rho;
                                  if (rho.size() == 1) return number_value(rho[0]);
                                  List out;
                                  for (const double x : rho) out.push_back(number_value(x));
                                  return Value::list(std::move(out));
                              }));
    r.add_member(kind, figure("sigma", "The standard deviation of the noise.", process + ".sigma == 0.5",
                              [](const rt::GaussianProcess& m) { return number_value(m.parameters().sigma); }));
    r.add_member(kind, figure("log_evidence", "ln P(y): the function averaged out, with these values of alpha, rho and sigma.",
                              process + ".log_evidence < 0", [](const rt::GaussianProcess& m) { return number_value(m.log_evidence()); }));
    r.add_member(kind, bind(
                           {subject::regression,
                            "interval",
                            {{"model"}, {"x"}, {"level", "0.95"}},
                            "The interval in which one more observation at x lies with probability `level`. It is a record .low .high, or "
                            "a list of records for a table.",
                            process + ".interval(<2.5>).low < " + process + ".interval(<2.5>, 0.5).low"},
                           +[](CallContext& c, ModelValue m, Value x, std::optional<Probability> level) -> Result<Value> {
                               return interval_of(c, m, x, level, true);
                           }));
    r.add_member(kind, bind(
                           {subject::regression,
                            "mean_interval",
                            {{"model"}, {"x"}, {"level", "0.95"}},
                            "The interval in which the function at x lies with probability `level`: a record .low .high.",
                            process + ".mean_interval(<2.5>).low > " + process + ".interval(<2.5>).low"},
                           +[](CallContext& c, ModelValue m, Value x, std::optional<Probability> level) -> Result<Value> {
                               return interval_of(c, m, x, level, false);
                           }));
}

}  // namespace

void add_gaussian_process(Registry& r) {
    r.add_learner(bind(
        {subject::regression,
         "gp_regression",
         {{"kernel", "rbf", {"rbf", "matern32", "matern52"}},
          {"alpha", "learned"},
          {"rho", "learned", {}, {{"learned"}, {"each"}}, "a number greater than 0"},
          {"sigma", "learned"},
          {"scale", "standard", {"standard", "range", "none"}}},
         "A learner: Gaussian process regression. The target is its mean plus a smooth function of the columns plus normal noise. alpha "
         "and "
         "sigma are the standard deviations of function and noise; rho is the length on which the function changes, in units of the scaled "
         "columns. What is not given is learned: the values under which the rows are most probable. rho: each learns a length for each "
         "column. P(y | x) is normal and includes the uncertainty of the function. At most 5000 rows.",
         "abs(predict((train gp_regression(alpha: 10, rho: 2, sigma: 0.01, scale: none) on line), <2>) - 5) < 0.01"},
        +[](CallContext& c, std::optional<Choice> kernel, std::optional<Positive> alpha, std::optional<Setting> rho,
            std::optional<Positive> sigma, std::optional<Choice> scale) -> Result<Value> {
            rt::GpOptions options;
            if (kernel) options.kernel = *rt::gp_kernel_named(kernel->text);
            if (alpha) options.alpha = alpha->value.real();
            if (sigma) options.sigma = sigma->value.real();
            options.rho_each = rho && rho->name == "each";
            if (rho && rho->value) {
                const auto* n = rho->value->get<rt::Number>();
                if (!n || !(n->real() > 0))
                    return Fault{
                        .code = "E-PARAMETER", .message = "rho is a number greater than 0, learned or each", .origin = c.argument(2)};
                options.rho = n->real();
            }
            if (scale) options.scaling = *rt::scaling_named(scale->text);
            return learner_value(rt::make_gaussian_process(options));
        }));
    r.add_loader("gp_regression", rt::load_gaussian_process);
    add_members(r);
}

}  // namespace credence::std_
