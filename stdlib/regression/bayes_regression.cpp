// Regression with a prior, and models weighed against each other.

#include "runtime/regression/bayes_regression.hpp"

#include <cmath>

#include "stdlib/regression/shared.hpp"
#include "stdlib/sequences/data_probability.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

const std::string trained = "(train bayes_regression(lambda: 3, scale: none) on noisy)";

Result<rt::BayesOptions> bayes_options(CallContext& c, const std::optional<rt::Number>& lambda, const std::optional<Choice>& scale,
                                       const std::optional<Count>& degree, const std::optional<bool>& products,
                                       const std::optional<rt::Number>& intercept_lambda, const std::optional<Positive>& sigma,
                                       const std::optional<rt::Number>& shape, const std::optional<rt::Number>& rate) {
    rt::BayesOptions out;
    if (degree) out.degree = degree->value;
    out.products = products_of(products);
    out.penalty.standard = !scale || scale->text == "standard";
    if (sigma) out.sigma = sigma->value;
    struct Wanted {
        const std::optional<rt::Number>& given;
        rt::Number& into;
        const char* name;
        std::size_t parameter;
    };
    for (const auto& w :
         {Wanted{lambda, out.penalty.lambda, "lambda", 0}, Wanted{intercept_lambda, out.intercept_lambda, "intercept_lambda", 4},
          Wanted{shape, out.shape, "shape", 6}, Wanted{rate, out.rate, "rate", 7}}) {
        w.into = TRY(not_negative(c, w.given, w.into, w.name, w.parameter));
    }
    if (sigma && (shape || rate))
        return Fault{.code = "E-PARAMETER",
                     .message = "sigma is given, so shape and rate have no effect",
                     .origin = c.argument(shape ? 6 : 7),
                     .hint = "give sigma, or shape and rate of the prior of 1 / sigma^2"};
    if (out.shape.sign() != out.rate.sign())
        return Fault{
            .code = "E-PARAMETER", .message = "shape and rate go together: both above 0, or both 0", .origin = c.argument(shape ? 6 : 7)};
    return out;
}

void add_bayes_learner(Registry& r) {
    r.add_learner(bind(
        {subject::regression,
         "bayes_regression",
         {{"lambda", "0.01"},
          {"scale", "standard", {"standard", "none"}},
          {"degree", "1"},
          {"products", "true"},
          {"intercept_lambda", "0, a flat prior"},
          {"sigma", "unknown"},
          {"shape", "0"},
          {"rate", "0"}},
         "A learner: linear regression with the prior w ~ normal(0, sigma / sqrt(lambda)). Columns are scaled to variance 1, or left as "
         "they are with scale: none. sigma is given, or 1 / sigma^2 ~ gamma(shape, rate). The model holds the posterior; P(y | x) includes "
         "its uncertainty.",
         "mean(" + trained + ".posterior.x) == 1/2"},
        +[](CallContext& c, std::optional<rt::Number> lambda, std::optional<Choice> scale, std::optional<Count> degree,
            std::optional<bool> products, std::optional<rt::Number> intercept_lambda, std::optional<Positive> sigma,
            std::optional<rt::Number> shape, std::optional<rt::Number> rate) -> Result<Value> {
            auto options = TRY(bayes_options(c, lambda, scale, degree, products, intercept_lambda, sigma, shape, rate));
            return learner_value(rt::make_bayes_regression(std::move(options)));
        }));
    r.add_loader("bayes_regression", rt::load_bayes_regression);
    add_linear_members(r, "bayes_regression", trained);
}

void add_bayes_members(Registry& r) {
    r.add_member("bayes_regression", bind(
                                         {subject::regression,
                                          "posterior",
                                          {{"model"}},
                                          "The distribution of each weight given the rows: Student's t, or normal where sigma was given.",
                                          "mean(" + trained + ".posterior.intercept) == 5/4"},
                                         +[](CallContext&, ModelValue m) -> Result<Value> {
                                             auto model = TRY(model_as<rt::BayesRegression>(m, "posterior"));
                                             std::vector<Value> values;
                                             for (std::size_t j = 0; j < model->fit().weights.size(); ++j) {
                                                 auto d = TRY(model->weight(j));
                                                 values.push_back(Value(std::move(d)));
                                             }
                                             return by_term(model->fit(), values);
                                         }));
    r.add_member("bayes_regression", bind(
                                         {subject::regression,
                                          "precision",
                                          {{"model"}},
                                          "The distribution of 1 / sigma^2 given the rows: gamma.",
                                          "mean(" + trained + ".precision) > 0"},
                                         +[](CallContext&, ModelValue m) -> Result<Value> {
                                             auto model = TRY(model_as<rt::BayesRegression>(m, "precision"));
                                             auto d = TRY(model->precision());
                                             return Value(std::move(d));
                                         }));
    r.add_member("bayes_regression", bind(
                                         {subject::regression,
                                          "log_evidence",
                                          {{"model"}},
                                          "ln P(D), averaged over all weights and noise levels. With improper priors it is known up to a "
                                          "constant that models of the same rows share.",
                                          trained + ".log_evidence < 0"},
                                         +[](CallContext&, ModelValue m) -> Result<Value> {
                                             auto model = TRY(model_as<rt::BayesRegression>(m, "log_evidence"));
                                             auto out = TRY(model->log_evidence());
                                             return number_value(out);
                                         }));
}

void add_bayes_factors(Registry& r) {
    r.add(bind(
        {subject::regression,
         "bayes_factor",
         {{"a"}, {"b"}},
         "P(D | a) / P(D | b) of two bayes_regression models trained on the same rows, or of two posteriors of nets given the same "
         "observations: how strongly the data support the first. What no exact engine integrates is estimated by bridge sampling.",
         "bayes_factor(" + trained + ", " + trained + ") == 1"},
        +[](CallContext& c, ModelValue a, ModelValue b) -> Result<Value> {
            if (a.model->kind() == "posterior" && b.model->kind() == "posterior") {
                const double first = TRY(log_evidence_of(c, a, 0));
                const double second = TRY(log_evidence_of(c, b, 1));
                return number_value(std::exp(first - second));
            }
            const rt::BayesRegression* models[2];
            for (std::size_t i = 0; i < 2; ++i) {
                const ModelValue& m = i == 0 ? a : b;
                models[i] = dynamic_cast<const rt::BayesRegression*>(m.model.get());
                if (!models[i])
                    return Fault{
                        .code = "E-TYPE",
                        .message = fmt::format("bayes_factor compares models of bayes_regression, and this is a {}", m.model->kind()),
                        .origin = c.argument(i)};
            }
            auto out = TRY(rt::BayesRegression::log_bayes_factor(*models[0], *models[1]));
            return number_value(std::exp(out));
        }));
    r.add(bind(
        {subject::regression,
         "bayes_factor",
         {{"a"}, {"b"}, {"data"}},
         "P(data | a) / P(data | b) of any two models, averaged over their parameters. The data are a table, a row such as {Rain: true}, a "
         "list or counts.",
         "bayes_factor(Weather, Weather, {Rain: true}) == 1"},
        +[](CallContext& c, ModelValue a, ModelValue b, Value data) -> Result<Value> {
            double logs[2];
            for (std::size_t i = 0; i < 2; ++i) { logs[i] = TRY(log_probability_of_data(c, i == 0 ? a : b, data, 2)); }
            if (logs[1] == -INFINITY)
                return Fault{.code = "E-ZERO",
                             .message = logs[0] == -INFINITY ? "the data are impossible under both models"
                                                             : "the data are impossible under the second model",
                             .origin = c.argument(2)};
            return number_value(std::exp(logs[0] - logs[1]));
        }));
}

}  // namespace

void add_bayes_regression(Registry& r) {
    add_bayes_learner(r);
    add_bayes_members(r);
    add_bayes_factors(r);
}

}  // namespace credence::std_
