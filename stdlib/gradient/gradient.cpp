// Learners that follow a gradient: perceptron, linear unit, logistic regression.

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/gradient/linear.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

Result<rt::LinearStart> start_of(CallContext& c, const std::optional<Value>& init, std::size_t argument) {
    rt::LinearStart out;
    if (!init) return out;
    const auto number = [&](const Value& v) -> Result<rt::Number> {
        if (const auto* n = v.get<rt::Number>()) return *n;
        return Fault{.code = "E-TYPE", .message = fmt::format("a weight is a number, not {}", v.kind()), .origin = c.argument(argument)};
    };
    using Named = std::vector<std::pair<std::string, rt::Number>>;
    const auto named = [&](const Record& record) -> Result<Named> {
        Named weights;
        for (const auto& [name, v] : record.entries) {
            auto n = TRY(number(v));
            weights.emplace_back(name, n);
        }
        return weights;
    };
    if (const auto* record = init->get<RecordPtr>()) {
        const bool by_label = !(*record)->entries.empty() && (*record)->entries[0].second.is<RecordPtr>();
        if (!by_label) {
            out.named = TRY(named(**record));
            return out;
        }
        for (const auto& [label, v] : (*record)->entries) {
            const auto* unit = v.get<RecordPtr>();
            if (!unit)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("init has a record of weights for a label, and {} for {}", v.kind(), label),
                             .origin = c.argument(argument)};
            auto weights = TRY(named(**unit));
            out.by_label.emplace_back(label, std::move(weights));
        }
        return out;
    }
    const List* items = init->items();
    if (!items)
        return Fault{
            .code = "E-TYPE",
            .message = fmt::format("init is a record of weights by column, or a list with the intercept first, not {}", init->kind()),
            .origin = c.argument(argument)};
    for (const auto& item : *items) {
        auto n = TRY(number(item));
        out.in_order.push_back(n);
    }
    return out;
}

Result<rt::LinearOptions> options_of(CallContext& c, const std::optional<Positive>& rate, const std::optional<Count>& epochs,
                                     const std::optional<Choice>& mode, const std::optional<Value>& init,
                                     const std::optional<rt::Number>& tolerance, const std::optional<Choice>& scale) {
    rt::LinearOptions out;
    out.scale = scaling_of(scale);
    if (rate) out.rate = rate->value;
    if (epochs) out.epochs = epochs->value;
    if (mode) out.steps = mode->text == "batch" ? rt::Steps::batch : rt::Steps::stochastic;
    out.start = TRY(start_of(c, init, 3));
    if (tolerance && tolerance->sign() < 0)
        return Fault{.code = "E-PARAMETER", .message = "tolerance is a number, 0 or more", .origin = c.argument(4)};
    if (tolerance) out.tolerance = tolerance->real();
    return out;
}

Value unit_record(const rt::LinearPart& part, std::size_t unit) {
    Record out;
    out.entries.emplace_back("intercept", Value(part.fit().units[unit][0]));
    for (std::size_t t = 0; t < part.terms().size(); ++t)
        out.entries.emplace_back(part.terms()[t].name, Value(part.fit().units[unit][t + 1]));
    return Value::record(std::move(out));
}

Result<Value> weights_of(const ModelValue& m) {
    auto part = TRY(model_as<rt::LinearPart>(m, "weights"));
    if (part->fit().units.size() == 1) return unit_record(*part, 0);
    Record by_label;
    for (std::size_t u = 0; u < part->fit().units.size(); ++u)
        by_label.entries.emplace_back((*m.model->predictor()->schema().target.domain)[u + 1].text(), unit_record(*part, u));
    return Value::record(std::move(by_label));
}

using LinearForm = Result<Value> (*)(CallContext&, std::optional<Positive>, std::optional<Count>, std::optional<Choice>,
                                     std::optional<Value>, std::optional<rt::Number>, std::optional<Choice>);

std::vector<ParameterDoc> linear_parameters(const char* rate, const char* epochs, const char* mode, const char* tolerance) {
    return {{"rate", rate},    {"epochs", epochs},       {"mode", mode, {"batch", "stochastic"}},
            {"init", "zeros"}, {"tolerance", tolerance}, scale_parameter()};
}

/// A perceptron counts its rows.
Value loss_value(const ModelValue& m, double loss) {
    return m.model->kind() == "perceptron" ? Value(rt::counted_weight(loss)) : number_value(loss);
}

void add_linear_members(Registry& r, const std::string& kind, const std::string& trained, const char* loss) {
    r.add_member(kind, bind(
                           {subject::learning,
                            "weights",
                            {{"model"}},
                            kind == "logistic" ? "The weights by column, with `intercept`. With more than two labels, there is such a "
                                                 "record for each label but the first."
                                               : "The weights by column, with `intercept`.",
                            fmt::format("abs(({}).weights.intercept) < 100", trained)},
                           +[](CallContext&, ModelValue m) -> Result<Value> { return weights_of(m); }));
    r.add_member(kind, bind(
                           {subject::learning, "loss", {{"model"}}, loss, fmt::format("({}).loss < 3", trained)},
                           +[](CallContext&, ModelValue m) -> Result<Value> {
                               auto part = TRY(model_as<rt::LinearPart>(m, "loss"));
                               return loss_value(m, part->fit().loss);
                           }));
    r.add_member(kind,
                 bind(
                     {subject::learning,
                      "history",
                      {{"model"}},
                      kind == "perceptron" ? "The number of misclassified rows in each epoch."
                      : kind == "logistic" ? "The loss at the start and after each step or epoch. It contains the penalty of the ridge, if "
                                             "there is one; .loss does not."
                                           : "The loss at the start and after each epoch.",
                      fmt::format("count(({}).history) > 1", trained)},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         auto part = TRY(model_as<rt::LinearPart>(m, "history"));
                         List out;
                         for (const double one : part->fit().history) out.push_back(loss_value(m, one));
                         return Value::list(std::move(out));
                     }));
}

/// A number for each weight, in the shape of .weights.
Value by_weight(const rt::LinearPart& part, const rt::Schema& schema, const std::vector<std::vector<double>>& numbers) {
    const auto unit = [&](std::size_t u) {
        Record out;
        out.entries.emplace_back("intercept", number_value(numbers[u][0]));
        for (std::size_t t = 0; t < part.terms().size(); ++t)
            out.entries.emplace_back(part.terms()[t].name, number_value(numbers[u][t + 1]));
        return Value::record(std::move(out));
    };
    if (numbers.size() == 1) return unit(0);
    Record by_label;
    for (std::size_t u = 0; u < numbers.size(); ++u) by_label.entries.emplace_back((*schema.target.domain)[u + 1].text(), unit(u));
    return Value::record(std::move(by_label));
}

/// The Wald tests of logistic regression, where training ended at the maximum of the likelihood.
template <class Figure>
Result<Value> wald(const ModelValue& m, const char* member, Figure figure) {
    auto part = TRY(model_as<rt::LinearPart>(m, member));
    const auto& fit = part->fit();
    if (fit.standard_errors.empty())
        return Fault{.code = "E-MEMBER",
                     .message = fmt::format("this model has no .{}: they come from the curvature at the maximum of the likelihood, and "
                                            "training did not end there",
                                            member),
                     .hint = fit.ridge > 0 ? "the weights are those of a ridge; where labels are separated, there is no maximum"
                                           : "train logistic() without rate, mode and epochs uses Newton's method until it has converged"};
    auto out = fit.standard_errors;
    for (std::size_t u = 0; u < out.size(); ++u)
        for (std::size_t t = 0; t < out[u].size(); ++t) out[u][t] = figure(fit.units[u][t].real(), out[u][t]);
    return by_weight(*part, m.model->predictor()->schema(), out);
}

void add_wald_members(Registry& r) {
    const auto member = [](const char* name, const char* summary, const char* example, auto function) {
        return bind({subject::learning, name, {{"model"}}, summary, example}, function);
    };
    r.add_member("logistic", member(
                                 "standard_errors", "The standard errors of the weights at the maximum of the likelihood.",
                                 "(train logistic() on with_column(noisy, y, r -> r.y > 2)).standard_errors.intercept > 0",
                                 +[](CallContext&, ModelValue m) -> Result<Value> {
                                     return wald(m, "standard_errors", [](double, double error) { return error; });
                                 }));
    r.add_member("logistic", member(
                                 "z_values", "The weights over their standard errors (Wald's z).",
                                 "abs((train logistic() on with_column(noisy, y, r -> r.y > 2)).z_values.intercept) < 3",
                                 +[](CallContext&, ModelValue m) -> Result<Value> {
                                     return wald(m, "z_values", [](double w, double error) { return w / error; });
                                 }));
    r.add_member("logistic", member(
                                 "p_values", "The two-sided p-value of each weight by Wald's test, that it is 0.",
                                 "(train logistic() on with_column(noisy, y, r -> r.y > 2)).p_values.intercept < 1",
                                 +[](CallContext&, ModelValue m) -> Result<Value> {
                                     return wald(m, "p_values",
                                                 [](double w, double error) { return 2 * rt::normal_lower(-std::abs(w / error)); });
                                 }));
}

Result<Value> logistic(CallContext& c, std::optional<Positive> rate, std::optional<Count> epochs, std::optional<Choice> mode,
                       std::optional<Value> init, std::optional<rt::Number> tolerance, std::optional<Choice> scale,
                       std::optional<rt::Number> ridge) {
    auto options = TRY(options_of(c, rate, epochs, mode, init, tolerance, scale));
    if (ridge && ridge->sign() < 0) return Fault{.code = "E-PARAMETER", .message = "ridge is a number, 0 or more", .origin = c.argument(6)};
    if (ridge && (options.rate || options.steps == rt::Steps::stochastic))
        return Fault{.code = "E-PARAMETER",
                     .message = "ridge is for Newton's method, and a rate or mode: stochastic asks for gradient ascent",
                     .origin = c.argument(6)};
    if (ridge) options.ridge = ridge->real();
    return learner_value(rt::make_logistic(std::move(options)));
}

void add_linear(Registry& r) {
    r.add_learner(
        bind({subject::learning, "perceptron", linear_parameters("0.1", "1000", "stochastic", "0"),
              "A learner of a linear boundary between two labels. For each misclassified row, the weights change by rate * (t - "
              "o) * x. mode: batch sums the changes of an epoch. Training ends after an epoch without errors. Where none comes and "
              "neither epochs, mode nor tolerance is given, the rule goes on with standardised columns, and the best weights are "
              "kept.",
              "count((train perceptron(epochs: 10) on weather).history) == 10"},
             LinearForm(+[](CallContext& c, std::optional<Positive> rate, std::optional<Count> epochs, std::optional<Choice> mode,
                            std::optional<Value> init, std::optional<rt::Number> tolerance, std::optional<Choice> scale) -> Result<Value> {
                 auto options = TRY(options_of(c, rate, epochs, mode, init, tolerance, scale));
                 return learner_value(rt::make_perceptron(std::move(options)));
             })));
    r.add_learner(bind(
        {subject::learning, "linear_unit", linear_parameters("chosen from the rows", "1000, or 20000 without a rate", "batch", "1e-12"),
         "A learner of a linear function by gradient descent on 1/2 * the sum of (t - o)^2. A step uses all rows (batch) or one row "
         "(stochastic, the delta rule).",
         "abs((train linear_unit() on line).weights.x - 2) < 1e-6"},
        LinearForm(+[](CallContext& c, std::optional<Positive> rate, std::optional<Count> epochs, std::optional<Choice> mode,
                       std::optional<Value> init, std::optional<rt::Number> tolerance, std::optional<Choice> scale) -> Result<Value> {
            auto options = TRY(options_of(c, rate, epochs, mode, init, tolerance, scale));
            return learner_value(rt::make_linear_unit(std::move(options)));
        })));
    auto logistic_parameters = linear_parameters("none: Newton's method", "1000, or 100 Newton steps", "batch", "1e-9");
    logistic_parameters.push_back({"ridge", "0, or 0.1 where labels can be separated"});
    r.add_learner(
        bind({subject::learning, "logistic", std::move(logistic_parameters),
              "A learner of P(label | row) = 1 / (1 + exp(-s)) with s linear in the columns, or a softmax for more than two labels. A "
              "numeric target between 0 and 1 is a frequency, fitted by cross-entropy. It "
              "maximises the likelihood by Newton's method. With a rate or mode: stochastic it uses gradient ascent. Without a rate, "
              "gradient ascent standardises the columns and chooses the rate itself. `ridge` adds 1/2 * ridge * the sum of the squared "
              "weights of standardised columns to the loss. Without it, that is done only where labels can be separated, so that the "
              "likelihood has no maximum.",
              "argmax P(play | sky = cold) in train logistic() on weather == \"yes\""},
             logistic));
    add_linear_members(r, "perceptron", "train perceptron() on weather", "The number of rows that the weights misclassify.");
    add_linear_members(r, "linear_unit", "train linear_unit() on line", "1/2 * the sum of (t - o)^2 over the rows.");
    add_linear_members(r, "logistic", "train logistic(rate: 0.1, epochs: 5) on weather",
                       "The negative natural logarithm of the likelihood of the rows, without the penalty of a ridge.");
    add_wald_members(r);
    for (const char* kind : {"perceptron", "linear_unit", "logistic"})
        r.add_loader(kind, [kind](const rt::Json& json) { return rt::load_linear(kind, json); });
}

}  // namespace

void add_gradient(Registry& r) { add_linear(r); }

}  // namespace credence::std_
