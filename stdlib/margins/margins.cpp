// svm and svr: machines of the largest margin.

#include <cmath>

#include <fmt/format.h>

#include "runtime/margin/svm.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/margins/text_margins.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

const Options kernels{{"linear"}, {"polynomial", {"d"}}, {"rbf", {"sigma"}}, {"gaussian", {"sigma"}}, {"sigmoid", {"b0", "b1"}}};

Result<double> number_of(const std::optional<Value>& v, double fallback, const char* what, rt::Origin origin) {
    if (!v) return fallback;
    if (const auto* n = v->get<rt::Number>()) return n->real();
    return Fault{.code = "E-TYPE", .message = fmt::format("{} is a number, not {}", what, v->kind()), .origin = origin};
}

Result<rt::Kernel> kernel_of(CallContext& c, const std::optional<Setting>& setting) {
    rt::Kernel out;
    if (!setting) return out;
    const rt::Origin origin = c.argument(0);
    if (setting->value) {
        if (!setting->value->is<FunctionPtr>())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("a kernel is a function of two lists of numbers, not {}", setting->value->kind()),
                         .origin = origin};
        out.kind = rt::Kernel::Kind::custom;
        out.function = [call = c.kept(*setting->value), origin](std::span<const double> x, std::span<const double> y) -> Result<double> {
            const Value points[] = {numbers_value(x), numbers_value(y)};
            auto value = TRY(call(points));
            if (const auto* n = value.get<rt::Number>()) return n->real();
            return Fault{.code = "E-TYPE", .message = fmt::format("a kernel gives a number, not {}", value.kind()), .origin = origin};
        };
        return out;
    }
    const auto argument = [&](std::size_t i) { return i < setting->arguments.size() ? setting->arguments[i] : std::nullopt; };
    if (setting->name == "polynomial") {
        out.kind = rt::Kernel::Kind::polynomial;
        auto d = TRY(number_of(argument(0), 2, "the degree", origin));
        if (!(d >= 1) || d != std::floor(d) || d > 1000)
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("the degree of a polynomial kernel is a whole number, 1 or more, not {:.6g}", d),
                         .origin = origin,
                         .hint = "with another degree (1 + x * y)^d is not a kernel, and has no value where 1 + x * y is negative"};
        out.degree = d;
    } else if (setting->name == "rbf" || setting->name == "gaussian") {
        out.kind = rt::Kernel::Kind::rbf;
        auto sigma = TRY(number_of(argument(0), 0, "sigma", origin));
        if (argument(0) && !(sigma > 0)) return Fault{.code = "E-PARAMETER", .message = "sigma is above 0", .origin = origin};
        out.sigma = sigma;
    } else if (setting->name == "sigmoid") {
        out.kind = rt::Kernel::Kind::sigmoid;
        auto b0 = TRY(number_of(argument(0), 1, "b0", origin));
        auto b1 = TRY(number_of(argument(1), 0, "b1", origin));
        out.b0 = b0;
        out.b1 = b1;
    }
    return out;
}

Result<Value> svm(CallContext& c, std::optional<Setting> kernel, std::optional<Positive> cost, std::optional<Choice> multiclass,
                  std::optional<bool> probability, std::optional<RecordPtr> class_weights, std::optional<Positive> tolerance,
                  std::optional<Choice> scale) {
    rt::SvmOptions o;
    o.kernel = TRY(kernel_of(c, kernel));
    if (cost) o.c = cost->value.real();
    if (multiclass) o.multiclass = multiclass->text == "one_vs_one" ? rt::Multiclass::one_vs_one : rt::Multiclass::one_vs_rest;
    o.probability = probability.value_or(false);
    if (class_weights)
        for (const auto& [label, weight] : (*class_weights)->entries) {
            const auto* n = weight.get<rt::Number>();
            if (!n || n->sign() <= 0)
                return Fault{
                    .code = "E-PARAMETER", .message = fmt::format("the weight of {} is a number above 0", label), .origin = c.argument(4)};
            o.class_weights.emplace_back(label, n->real());
        }
    if (tolerance) o.tolerance = tolerance->value.real();
    o.scale = scaling_of(scale);
    return learner_value(rt::make_svm(std::move(o)));
}

Result<Value> svr(CallContext& c, std::optional<Setting> kernel, std::optional<Positive> cost, std::optional<rt::Number> epsilon,
                  std::optional<Positive> tolerance, std::optional<Choice> scale) {
    rt::SvmOptions o;
    o.kernel = TRY(kernel_of(c, kernel));
    if (cost) o.c = cost->value.real();
    if (epsilon && epsilon->sign() < 0)
        return Fault{.code = "E-PARAMETER", .message = "epsilon is a number, 0 or more", .origin = c.argument(2)};
    if (epsilon) o.epsilon = epsilon->real();
    if (tolerance) o.tolerance = tolerance->value.real();
    o.scale = scaling_of(scale);
    return learner_value(rt::make_svr(std::move(o)));
}

/// A member of each machine: the value itself where there is one machine, else a record by machine ("b against a").
template <class F>
Result<Value> by_machine(const ModelValue& m, std::string_view member, F value) {
    auto part = TRY(model_as<rt::MarginPart>(m, member));
    const rt::MarginModel& model = part->margin_model();
    if (model.machines.size() == 1) return value(model, 0);
    Record out;
    for (std::size_t k = 0; k < model.machines.size(); ++k) {
        Result<Value> one = value(model, k);
        if (!one) return one;
        out.entries.emplace_back(part->machine_name(k), *std::move(one));
    }
    return Value::record(std::move(out));
}

Result<Value> w_of(const rt::MarginModel& model, std::size_t k) {
    if (model.machines[k].w.empty() && !model.terms.empty())
        return Fault{
            .code = "E-MEMBER",
            .message = fmt::format("with the kernel {} w is a vector in the kernel's own space, not one of columns", model.kernel.text()),
            .hint = "kernel: linear() has one; .support gives the support vectors"};
    Record out;
    for (std::size_t t = 0; t < model.terms.size(); ++t)
        out.entries.emplace_back(model.terms[t].name, number_value(model.machines[k].w[t]));
    return Value::record(std::move(out));
}

void add_margin_members(Registry& r, const std::string& kind, const std::string& trained) {
    r.add_member(kind, bind(
                           {subject::learning,
                            "w",
                            {{"model"}},
                            "The weights of a linear machine, by column. With several machines, it is a record of these.",
                            "abs(" + trained + (kind == "svm" ? ".w[\"sky=cold\"]) < 100" : ".w.x) < 100")},
                           +[](CallContext&, ModelValue m) -> Result<Value> { return by_machine(m, "w", w_of); }));
    r.add_member(kind, bind(
                           {subject::learning, "b", {{"model"}}, "The bias: the decision is w * x + b.", "abs(" + trained + ".b) < 100"},
                           +[](CallContext&, ModelValue m) -> Result<Value> {
                               return by_machine(m, "b", [](const rt::MarginModel& model, std::size_t k) -> Result<Value> {
                                   return number_value(model.machines[k].bias);
                               });
                           }));
    r.add_member(kind, bind(
                           {subject::learning,
                            "support",
                            {{"model"}},
                            "The support vectors: their rows in the table, with alpha. With several machines, alpha is the largest one.",
                            "rows(" + trained + ".support) > 0"},
                           +[](CallContext&, ModelValue m) -> Result<Value> {
                               auto part = TRY(model_as<rt::MarginPart>(m, "support"));
                               return Value(Value::Node(part->margin_model().support));
                           }));
    r.add_member(kind, bind(
                           {subject::learning,
                            "kkt",
                            {{"model"}},
                            "The largest violation of the optimality conditions (Karush, Kuhn and Tucker).",
                            trained + ".kkt < 1e-3"},
                           +[](CallContext&, ModelValue m) -> Result<Value> {
                               return by_machine(m, "kkt", [](const rt::MarginModel& model, std::size_t k) -> Result<Value> {
                                   return number_value(model.machines[k].kkt);
                               });
                           }));
    r.add_member(kind,
                 bind(
                     {subject::learning, "objective", {{"model"}}, "The maximised value of the dual problem.", trained + ".objective > 0"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         return by_machine(m, "objective", [](const rt::MarginModel& model, std::size_t k) -> Result<Value> {
                             return number_value(model.machines[k].objective);
                         });
                     }));
    r.add_member(kind, bind(
                           {subject::learning,
                            "decision",
                            {{"model"}, {"x"}},
                            "The decision value of a row. It is above 0 on the side of the positive label.",
                            "abs(" + trained + (kind == "svm" ? ".decision(<cold>)) < 100" : ".decision(<2>)) < 100")},
                           +[](CallContext& c, ModelValue m, Value x) -> Result<Value> {
                               auto rows = TRY(rows_for(c, m.model->predictor()->schema(), x, c.argument(1)));
                               if (rows->row_count != 1)
                                   return Fault{.code = "E-PARAMETER", .message = "one row is needed here", .origin = c.argument(1)};
                               const rt::TableView view{.table = rows.get(), .rows = {}};
                               TRY(m.model->predictor()->check_cells(view));
                               auto part = TRY(model_as<rt::MarginPart>(m, "decision"));
                               auto values = TRY(part->margin_model().decisions(view, c.run()));
                               return by_machine(m, "decision", [&](const rt::MarginModel&, std::size_t k) -> Result<Value> {
                                   return number_value(values(0, k));
                               });
                           }));
}

}  // namespace

void add_margins(Registry& r) {
    r.add_learner(bind({subject::learning,
                        "svm",
                        {{"kernel", "linear()", {}, kernels, "a function of two lists of numbers"},
                         {"C", "1"},
                         {"multiclass", "one_vs_one", {"one_vs_one", "one_vs_rest"}},
                         {"probability", "false"},
                         {"class_weights", "1 each"},
                         {"tolerance", "1e-8, 1e-3 beyond 1000 rows"},
                         scale_parameter()},
                        "A learner of the boundary with the largest margin between labels: a support vector machine. rbf(sigma), also "
                        "called gaussian(sigma), "
                        "is exp(-|x - y|^2 / (2 sigma^2)), polynomial(d) (1 + x * y)^d, sigmoid(b0, b1) tanh(b0 * x * y + b1). A large C "
                        "allows no row inside the margin. "
                        "A row on the boundary belongs to the second label.",
                        "predict(train svm() on weather, <cold>) == \"yes\""},
                       svm));
    r.add_learner(bind({subject::learning,
                        "svr",
                        {{"kernel", "linear()", {}, kernels, "a function of two lists of numbers"},
                         {"C", "1"},
                         {"epsilon", "0.1"},
                         {"tolerance", "1e-8, or 1e-3 above 1000 rows"},
                         scale_parameter()},
                        "Support vector regression: a learner of the flattest function that stays within epsilon of the rows.",
                        "abs(predict(train svr(C: 100, epsilon: 0.01) on line, <2>) - 5) < 0.02"},
                       svr));
    add_margin_members(r, "svm", "(train svm() on weather)");
    add_margin_members(r, "svr", "(train svr() on line)");
    r.add_member(
        "svm",
        bind(
            {subject::learning, "margin", {{"model"}}, "The full width of the margin, 2 / |w|.", "(train svm() on weather).margin > 0"},
            +[](CallContext&, ModelValue m) -> Result<Value> {
                return by_machine(m, "margin", [](const rt::MarginModel& model, std::size_t k) -> Result<Value> {
                    return number_value(model.margin(model.machines[k]));
                });
            }));
    add_text_margins(r);
    r.add_loader("svm", [](const rt::Json& json) { return rt::load_svm("svm", json); });
    r.add_loader("svr", [](const rt::Json& json) { return rt::load_svm("svr", json); });
}

}  // namespace credence::std_
