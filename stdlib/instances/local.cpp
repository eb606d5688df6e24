// lwr and rbf_network.

#include "runtime/instance/lwr.hpp"
#include "runtime/instance/rbf.hpp"
#include "stdlib/instances/options.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

const Words scale_words = {"none", "standard", "range"};

Result<rt::LocalKernel> kernel_of(CallContext& c, const std::optional<Setting>& setting, std::size_t parameter) {
    rt::LocalKernel out;
    if (!setting) return out;
    if (setting->name.empty()) {
        out.kind = rt::LocalKernel::Kind::function;
        out.function = TRY(distance_function(c, *setting->value, parameter));
        return out;
    }
    if (setting->name == "none" || setting->name == "inverse_square") {
        out.kind = setting->name == "none" ? rt::LocalKernel::Kind::none : rt::LocalKernel::Kind::inverse_square;
        return out;
    }
    if (setting->name == "gaussian") out.kind = rt::LocalKernel::Kind::gaussian;
    if (setting->name == "epanechnikov") out.kind = rt::LocalKernel::Kind::epanechnikov;
    if (setting->name == "gaussian" || setting->arguments[0]) { out.width = TRY(positive_argument(c, *setting, 0, parameter, "width")); }
    return out;
}

/// The one row that a member of a model is asked at.
Result<rt::TablePtr> asked_row(CallContext& c, const ModelValue& m, const Value& x, std::string_view member) {
    auto rows = rows_for(c, m.model->predictor()->schema(), x, c.argument(1));
    if (!rows) return rows;
    if ((*rows)->row_count != 1)
        return Fault{
            .code = "E-ARGUMENT", .message = fmt::format("{} takes one row", member), .origin = c.argument(1), .hint = "take one: t[1]"};
    TRY(m.model->predictor()->check_cells({.table = rows->get(), .rows = {}}));
    return rows;
}

Result<Value> fit_at(CallContext& c, ModelValue m, Value x) {
    auto row = TRY(asked_row(c, m, x, "fit_at"));
    auto fit = TRY(rt::local_fit(*m.model, {.table = row.get(), .rows = {}}, c.run()));
    Record weights;
    for (const auto& [name, b] : fit.coefficients) weights.entries.emplace_back(name, number_value(b));
    Record out;
    out.entries.emplace_back("value", number_value(fit.value));
    out.entries.emplace_back("weights", Value::record(std::move(weights)));
    if (fit.standard_error) {
        out.entries.emplace_back("standard_error", number_value(*fit.standard_error));
        out.entries.emplace_back("sigma", number_value(*fit.sigma));
    }
    out.entries.emplace_back("rows", Value(rt::Number(rt::Rational(static_cast<std::int64_t>(fit.rows)))));
    if (fit.bandwidth > 0) out.entries.emplace_back("bandwidth", number_value(fit.bandwidth));
    return Value::record(std::move(out));
}

/// Lists of numbers, one for each centre; a bare number where there is one coordinate.
Result<std::vector<std::vector<double>>> centers_in(CallContext& c, const Value& given, std::size_t parameter) {
    std::vector<std::vector<double>> out;
    const List* items = given.items();
    for (std::size_t i = 0; items && i < items->size(); ++i) {
        const Value& item = (*items)[i];
        std::vector<double> center;
        if (const auto* n = item.get<rt::Number>()) center.push_back(n->real());
        if (const List* parts = item.items())
            for (const auto& part : *parts)
                if (const auto* n = part.get<rt::Number>()) center.push_back(n->real());
        if (center.empty() || (item.items() && center.size() != item.items()->size())) break;
        out.push_back(std::move(center));
    }
    if (!items || out.size() != items->size() || out.empty())
        return Fault{.code = "E-TYPE",
                     .message = "centers is all, a number of them, or a list of points",
                     .origin = c.argument(parameter),
                     .hint = "as in centers: [<0, 0>, <1, 1>]"};
    return out;
}

/// What each output unit has, by column; of labels a record by label.
template <class OfUnit>
Record by_output(const rt::RbfParts& parts, OfUnit of_unit) {
    Record columns;
    for (const auto& output : parts.outputs) {
        if (output.field.kind == rt::ColumnKind::numeric) {
            columns.entries.emplace_back(output.field.name, of_unit(output.first));
            continue;
        }
        Record labels;
        for (std::size_t k = 0; k < output.count; ++k)
            labels.entries.emplace_back((*output.field.domain)[k].text(), of_unit(output.first + k));
        columns.entries.emplace_back(output.field.name, Value::record(std::move(labels)));
    }
    return columns;
}

void add_lwr(Registry& r) {
    r.add_learner(bind(
        {subject::instances,
         "lwr",
         {{"kernel",
           "tricube",
           {},
           {{"none"}, {"gaussian", {"s"}}, {"tricube", {"h"}}, {"epanechnikov", {"h"}}, {"inverse_square"}},
           "a function of the distance"},
          {"k", "all, or 2/3 of the rows", {}, {{"all"}}, "a whole number"},
          {"degree", "1"},
          {"method", "direct", {}, {{"direct"}, {"gradient", {"rate"}}}, {}},
          {"robust", "0"},
          {"scale", "none", scale_words}},
         "A learner: locally weighted regression. It fits a constant, line or parabola (degree 0, 1, 2) around each query. Without a "
         "width, tricube and epanechnikov reach to the k-th neighbour; k is 2/3 of the rows by default. Other kernels use all rows. robust "
         "is the number of lowess iterations.",
         "predict(train lwr(kernel: gaussian(1)) on line, <2.5>) == 6 within 1e-9"},
        +[](CallContext& c, std::optional<Setting> kernel, std::optional<Setting> k, std::optional<Count> degree,
            std::optional<Setting> method, std::optional<Count> robust, std::optional<Choice> scale) -> Result<Value> {
            rt::LwrOptions options;
            options.kernel = TRY(kernel_of(c, kernel, 0));
            options.k = TRY(neighbour_count(c, k, 1, std::nullopt));
            options.default_k = !k;
            if (degree) options.degree = degree->value;
            if (options.degree > 2)
                return Fault{
                    .code = "E-PARAMETER", .message = fmt::format("degree is 0, 1 or 2, not {}", options.degree), .origin = c.argument(2)};
            if (method && method->name == "gradient") { options.rate = TRY(positive_argument(c, *method, 0, 3, "rate")); }
            if (robust) options.robust = robust->value;
            if (scale) options.scaling = *rt::scaling_named(scale->text);
            return learner_value(rt::make_lwr(std::move(options)));
        }));
    r.add_loader("lwr", rt::load_lwr);
    r.add_member("lwr", bind(
                            {subject::instances,
                             "fit_at",
                             {{"model"}, {"x"}},
                             "The regression around one query: .value, .weights by column with intercept, .standard_error and .sigma if "
                             "the rows are noisy, the .rows used, and .bandwidth.",
                             "(train lwr(kernel: gaussian(1)) on line).fit_at(<2>).weights.x == 2 within 1e-9"},
                            +[](CallContext& c, ModelValue m, Value x) -> Result<Value> { return fit_at(c, std::move(m), std::move(x)); }));
}

void add_rbf_learner(Registry& r) {
    r.add_learner(bind(
        {subject::instances,
         "rbf_network",
         {{"centers", "all", {}, {{"all"}}, "a number of them or a list of points"},
          {"place", "random", {"random", "uniform", "em"}},
          {"width", "per_center", {}, {{"per_center", {"factor"}}, {"cross_validation"}}, "a number, or a list of one for each centre"},
          {"bias", "true"},
          {"scale", "none", scale_words},
          {"outputs", "only the target"}},
         "A learner: a radial basis function network with basis functions exp(-d²/2σ²) around centres. The centres are all rows, a number "
         "of rows, or given points. The output weights are the least-squares solution of least norm. With per_center(f), σ is f times the "
         "distance to the nearest other centre. `outputs` are further target columns, which share the basis functions and have their own "
         "weights. .outputs(x) gives all outputs.",
         "predict(train rbf_network(width: 1) on line, <2>) == 5 within 1e-6"},
        +[](CallContext& c, std::optional<Setting> centers, std::optional<Choice> place, std::optional<Setting> width,
            std::optional<bool> bias, std::optional<Choice> scale, std::optional<ColumnNames> outputs) -> Result<Value> {
            rt::RbfOptions options;
            if (centers && centers->value) {
                const auto* n = centers->value->get<rt::Number>();
                const auto count = n && n->is_exact() ? n->exact().to_int64() : std::nullopt;
                if (n && (!count || *count < 1))
                    return Fault{
                        .code = "E-PARAMETER", .message = "centers is a whole number, 1 or more, all, or a list", .origin = c.argument(0)};
                if (count) options.count = static_cast<std::size_t>(*count);
                if (!n) { options.centers = TRY(centers_in(c, *centers->value, 0)); }
            }
            if (place && !options.count)
                return Fault{.code = "E-PARAMETER",
                             .message = "place needs a number of centres, which is not given",
                             .origin = c.argument(1),
                             .hint = "as in centers: 10, place: em"};
            if (place && place->text == "uniform") options.place = rt::RbfOptions::Place::uniform;
            if (place && place->text == "em") options.place = rt::RbfOptions::Place::em;
            if (width && width->name == "cross_validation") options.width = rt::RbfOptions::Width::cross_validation;
            if (width && width->name == "per_center") { options.size = TRY(positive_argument(c, *width, 0, 2, "factor", 1.0)); }
            if (width && width->value) {
                const List one{*width->value};
                const List* given = width->value->items();
                for (const auto& item : given ? *given : one) {
                    const auto* n = item.get<rt::Number>();
                    if (!n || !(n->real() > 0))
                        return Fault{.code = "E-PARAMETER",
                                     .message = "width is a number greater than 0, a list of them, per_center(factor) or cross_validation",
                                     .origin = c.argument(2)};
                    options.size = n->real();
                    if (given) options.widths.push_back(options.size);
                }
                options.width = rt::RbfOptions::Width::given;
            }
            if (bias) options.bias = *bias;
            if (scale) options.scaling = *rt::scaling_named(scale->text);
            if (outputs) options.outputs = outputs->texts;
            return learner_value(rt::make_rbf_network(std::move(options)));
        }));
    r.add_loader("rbf_network", rt::load_rbf_network);
}

void add_rbf_members(Registry& r) {
    r.add_member("rbf_network", bind(
                                    {subject::instances,
                                     "centers",
                                     {{"model"}},
                                     "The centres: a list of records by column, each with its .width.",
                                     "(train rbf_network(width: 1) on line).centers[1].x == 1"},
                                    +[](CallContext&, ModelValue m) -> Result<Value> {
                                        const auto& parts = rt::rbf_parts(*m.model);
                                        List out;
                                        for (std::size_t k = 0; k < parts.centers.rows; ++k) {
                                            Record center;
                                            for (std::size_t c = 0; c < parts.columns.size(); ++c)
                                                center.entries.emplace_back(parts.columns[c], number_value(parts.centers(k, c)));
                                            center.entries.emplace_back("width", number_value(parts.widths[k]));
                                            out.push_back(Value::record(std::move(center)));
                                        }
                                        return Value::list(std::move(out));
                                    }));
    r.add_member("rbf_network", bind(
                                    {subject::instances,
                                     "weights",
                                     {{"model"}},
                                     "The output weights: the bias first, then one for each centre. For a label target it is a record of "
                                     "such lists by label, and for several outputs a record by column.",
                                     "count((train rbf_network(width: 1) on line).weights) == 4"},
                                    +[](CallContext&, ModelValue m) -> Result<Value> {
                                        const auto& parts = rt::rbf_parts(*m.model);
                                        Record columns =
                                            by_output(parts, [&](std::size_t unit) { return numbers_value(parts.weights.row(unit)); });
                                        if (columns.entries.size() == 1) return std::move(columns.entries[0].second);
                                        return Value::record(std::move(columns));
                                    }));
    r.add_member("rbf_network", bind(
                                    {subject::instances,
                                     "outputs",
                                     {{"model"}, {"x"}},
                                     "The values of the output units for a row, by target column (and label).",
                                     "(train rbf_network(width: 1) on line).outputs(<2>).y == 5 within 1e-6"},
                                    +[](CallContext& c, ModelValue m, Value x) -> Result<Value> {
                                        auto row = TRY(asked_row(c, m, x, "outputs"));
                                        const auto& parts = rt::rbf_parts(*m.model);
                                        const auto units = rt::rbf_outputs(*m.model, {.table = row.get(), .rows = {}});
                                        return Value::record(by_output(parts, [&](std::size_t unit) { return number_value(units[unit]); }));
                                    }));
}

void add_rbf(Registry& r) {
    add_rbf_learner(r);
    add_rbf_members(r);
}

}  // namespace

void add_local(Registry& r) {
    add_lwr(r);
    add_rbf(r);
}

}  // namespace credence::std_
