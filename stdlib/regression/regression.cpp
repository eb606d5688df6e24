// Least squares, polynomials, ridge, and the noise that they are the most probable answers to.

#include "runtime/regression/regression.hpp"

#include <cmath>

#include "stdlib/regression/shared.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

const ParameterDoc noise_parameter{"noise", "normal", {}, {{"normal"}, {"laplace"}, {"student_t", {"nu"}}}, {}};
const ParameterDoc products_parameter{"products", "true"};

Result<rt::Noise> noise_of(CallContext& c, const std::optional<Setting>& setting, std::size_t parameter) {
    rt::Noise out;
    if (!setting || setting->name == "normal") return out;
    if (setting->name == "laplace") {
        out.kind = rt::Noise::Kind::laplace;
        return out;
    }
    out.kind = rt::Noise::Kind::student_t;
    const auto* nu = setting->arguments[0] ? setting->arguments[0]->get<rt::Number>() : nullptr;
    if (!nu || !(nu->real() > 0) || !std::isfinite(nu->real()))
        return Fault{.code = "E-PARAMETER",
                     .message = "student_t needs its degrees nu, a number above 0",
                     .origin = c.argument(parameter),
                     .hint = "as in student_t(4): the smaller, the heavier the tails"};
    out.degrees = *nu;
    return out;
}

}  // namespace

Result<rt::Number> not_negative(CallContext& c, const std::optional<rt::Number>& given, const rt::Number& otherwise, std::string_view name,
                                std::size_t parameter) {
    if (!given) return otherwise;
    if (given->real() >= 0 && std::isfinite(given->real())) return *given;
    return Fault{.code = "E-PARAMETER",
                 .message = fmt::format("{} is a number, 0 or more, not {}", name, rt::label_text(*given)),
                 .origin = c.argument(parameter)};
}

rt::Products products_of(const std::optional<bool>& products) { return products.value_or(true) ? rt::Products::all : rt::Products::none; }

void add_regression(Registry& r) {
    r.add_learner(bind(
        {subject::regression,
         "regression",
         {noise_parameter},
         "A learner: the target as a weighted sum of the columns, by maximum likelihood under the noise. normal gives least squares and "
         "laplace least absolute error; under student_t, rows farther off have less influence. A label column becomes 0/1 indicators of "
         "all its labels but the first.",
         "predict(train regression() on line, <4>) == 9"},
        +[](CallContext& c, std::optional<Setting> noise) -> Result<Value> {
            auto kind = TRY(noise_of(c, noise, 0));
            return learner_value(rt::make_regression({.kind = "regression", .noise = std::move(kind), .penalty = {}}));
        }));
    r.add_learner(bind(
        {subject::regression,
         "polynomial",
         {{"d"}, products_parameter, noise_parameter},
         "A learner: regression on the powers of the columns up to degree d and their products. products: false leaves the products out.",
         "(train polynomial(2) on line).weights == {intercept: 1, x: 2, \"x^2\": 0}"},
        +[](CallContext& c, Count d, std::optional<bool> products, std::optional<Setting> noise) -> Result<Value> {
            auto kind = TRY(noise_of(c, noise, 2));
            return learner_value(rt::make_regression(
                {.kind = "polynomial", .degree = d.value, .products = products_of(products), .noise = std::move(kind), .penalty = {}}));
        }));
    r.add_learner(bind(
        {subject::regression,
         "ridge",
         {{"lambda", "1"}, {"scale", "none", {"none", "standard"}}, {"degree", "1"}, products_parameter},
         "A learner: least squares plus the penalty lambda * the sum of w^2, without the intercept. These are the most probable weights "
         "(MAP) under the prior normal(0, sigma / sqrt(lambda)). scale: standard penalises as if each column had variance 1.",
         "(train ridge(3) on noisy).weights == {intercept: 5/4, x: 1/2}"},
        +[](CallContext& c, std::optional<rt::Number> lambda, std::optional<Choice> scale, std::optional<Count> degree,
            std::optional<bool> products) -> Result<Value> {
            auto strength = TRY(not_negative(c, lambda, rt::Number(1), "lambda", 0));
            return learner_value(rt::make_regression({.kind = "ridge",
                                                      .degree = degree ? degree->value : 1,
                                                      .products = products_of(products),
                                                      .noise = {},
                                                      .penalty = rt::Penalty{strength, scale && scale->text == "standard"}}));
        }));
    add_linear_members(r, "regression", "(train regression() on noisy)");
    add_linear_members(r, "polynomial", "(train polynomial(1) on noisy)");
    add_linear_members(r, "ridge", "(train ridge() on noisy)");
    add_test_members(r, "regression", "(train regression() on noisy)");
    add_test_members(r, "polynomial", "(train polynomial(1) on noisy)");
    for (const char* kind : {"regression", "polynomial", "ridge"}) r.add_loader(kind, rt::load_linear_model);
    add_bayes_regression(r);
    add_gaussian_process(r);
}

}  // namespace credence::std_
