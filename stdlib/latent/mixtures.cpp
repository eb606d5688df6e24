// Mixtures: what training found, and which component an observation came from.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/latent/gaussian_mixture.hpp"
#include "runtime/latent/mixture.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "stdlib/latent/latent.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

/// So many values get their fractions; the shares of more are real.
constexpr std::size_t most_exact_values = 1000;

Result<std::vector<rt::Label>> values_of(CallContext& c, const List& items) {
    std::vector<rt::Label> out;
    for (const auto& item : items) {
        const auto label = item.as_label();
        if (!label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("the x of a mixture is a number or a label, and this has {}", item.kind()),
                         .origin = c.argument(1)};
        out.push_back(*label);
    }
    return out;
}

/// P(component | x = value), as a query would say it.
Result<Value> share_of(CallContext& c, const rt::Model& model, const rt::Label& value) {
    rt::Query query;
    query.targets.free = {static_cast<rt::VarId>(0)};
    rt::Event event;
    event.atom = {static_cast<rt::VarId>(1), rt::Compare::equal, {value}, c.argument(1)};
    event.origin = c.argument(1);
    query.given.events.push_back(std::move(event));
    query.origin = c.argument(1);
    auto answer = TRY(model.ask(query, c.run()));
    return Value::factor(std::get<rt::Factor>(answer.value));
}

Result<Value> shares_of_mixture(CallContext& c, const rt::MixtureModel& m, const Value& data) {
    if (const auto label = data.as_label()) return share_of(c, m, *label);
    const List* items = data.items();
    std::shared_ptr<const List> column;
    if (const auto* table = data.get<rt::TablePtr>()) {
        const auto found = (*table)->find("x");
        if (!found && (*table)->columns.size() != 1)
            return Fault{.code = "E-COLUMN",
                         .message = "a mixture needs a column x, and the table has none",
                         .origin = c.argument(1),
                         .hint = "give the column itself: t.Column"};
        const auto& x = *(*table)->columns[found.value_or(0)];
        List cells;
        for (std::size_t r = 0; r < x.rows(); ++r) {
            if (x.is_missing(r))
                return Fault{.code = "E-MISSING", .message = fmt::format("row {} has no {}", r + 1, x.name), .origin = c.argument(1)};
            cells.push_back(Value::label(x.label(r)));
        }
        column = std::make_shared<const List>(std::move(cells));
        items = column.get();
    }
    if (!items)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("observations are a number, a label, a list or a table, not {}", data.kind()),
                     .origin = c.argument(1)};
    auto values = TRY(values_of(c, *items));
    List out;
    if (values.size() <= most_exact_values) {
        for (const auto& value : values) {
            auto share = share_of(c, m, value);
            if (!share) return share;
            out.push_back(*std::move(share));
        }
        return Value::list(std::move(out));
    }
    auto scores = TRY(rt::mixture_scores(m.mixture(), values));
    const std::size_t k = m.mixture().parts.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::span<const double> row = std::span(scores.responsibilities).subspan(i * k, k);
        out.push_back(Value::factor(rt::Factor({m.variables()[0].variable}, std::vector<double>(row.begin(), row.end()))));
    }
    return Value::list(std::move(out));
}

/// The same for learners whose models predict a component.
Result<Value> shares_of_classifier(CallContext& c, const rt::Classifier& model, const Value& data) {
    const auto& schema = model.schema();
    const bool rows = data.is<rt::TablePtr>();
    const List* items = data.items();
    const bool list = !rows && items && !data.is<SetPtr>() && schema.features.size() == 1;
    const auto share = [&](const Value& one) -> Result<List> {
        auto table = TRY(rows_for(c, schema, one, c.argument(1)));
        const rt::TableView view{.table = table.get(), .rows = {}};
        TRY(model.check_cells(view));
        const std::size_t k = schema.target.domain->size();
        std::vector<double> shares(view.size() * k);
        TRY(model.probabilities(view, shares, c.run()));
        List out;
        for (std::size_t i = 0; i < view.size(); ++i)
            out.push_back(Value::factor(rt::Factor({{schema.target.name, schema.target.domain}},
                                                   std::vector<double>(shares.begin() + static_cast<std::ptrdiff_t>(i * k),
                                                                       shares.begin() + static_cast<std::ptrdiff_t>((i + 1) * k)))));
        return out;
    };
    if (!list) {
        auto out = TRY(share(data));
        return rows ? Value::list(std::move(out)) : out[0];
    }
    List out;
    for (const auto& item : *items) {
        auto one = TRY(share(item));
        out.push_back(one[0]);
    }
    return Value::list(std::move(out));
}

const rt::MixtureModel& mixture_of(const ModelValue& m) { return dynamic_cast<const rt::MixtureModel&>(*m.model); }

Result<const rt::MixtureFit*> fit_of(const ModelValue& m, std::string_view member) {
    const auto& fit = mixture_of(m).fit();
    if (fit) return &*fit;
    return Fault{
        .code = "E-TRAIN",
        .message = fmt::format("{} was not trained, so it has no {}", mixture_of(m).mixture().name, member),
        .hint = mixture_of(m).mixture().has_holes() ? "train it first: train M on data" : "log_likelihood(model, data) takes any data"};
}

Result<double> log_likelihood_of_normals(CallContext& c, const rt::GaussianMixtureModel& model, const List& rows) {
    double sum = 0;
    std::vector<double> shares(model.mixture().weights.size());
    for (const auto& row : rows) {
        auto table = TRY(rows_for(c, model.schema(), row, c.argument(1)));
        std::vector<double> values;
        for (const auto& column : table->columns) values.push_back(column->values[0]);
        sum += model.log_density(values, shares);
    }
    return sum;
}

Result<const rt::Mixture*> known_mixture(const ModelValue& m, std::string_view member) {
    const auto& mixture = mixture_of(m).mixture();
    if (!mixture.has_holes()) return &mixture;
    return Fault{.code = "E-HOLE",
                 .message = fmt::format("{} has unknown numbers (?), and so no {} yet: train it first", mixture.name, member)};
}

}  // namespace

std::optional<rt::Number> exact_mixture_likelihood(CallContext& c, const ModelValue& m, const Items& observations) {
    const auto* model = dynamic_cast<const rt::MixtureModel*>(m.model.get());
    const rt::DomainPtr domain = model ? model->variables()[1].variable.domain : nullptr;
    auto values = values_of(c, *observations.items);
    if (!domain || !values || !std::all_of(values->begin(), values->end(), [&](const auto& v) { return domain->find(v).has_value(); }))
        return std::nullopt;
    rt::Query query;
    query.targets.observations = {{static_cast<rt::VarId>(1), *std::move(values)}};
    const auto answer = model->ask(query, c.run());
    const auto* number = answer ? std::get_if<rt::Number>(&answer->value) : nullptr;
    return number && number->is_exact() ? std::optional(*number) : std::nullopt;
}

std::optional<Result<double>> mixture_log_likelihood(CallContext& c, const ModelValue& m, const Items& observations) {
    if (const auto* normals = dynamic_cast<const rt::GaussianMixtureModel*>(m.model.get()))
        return log_likelihood_of_normals(c, *normals, *observations.items);
    const auto* model = dynamic_cast<const rt::MixtureModel*>(m.model.get());
    if (!model) return std::nullopt;
    auto values = values_of(c, *observations.items);
    if (!values) return Result<double>(std::move(values).fault());
    auto scores = rt::mixture_scores(model->mixture(), *values);
    if (!scores) {
        Fault fault = std::move(scores).fault();
        if (fault.code == "E-ZERO") return Result<double>(-INFINITY);
        fault.origin = c.argument(0);
        return Result<double>(std::move(fault));
    }
    double sum = 0;
    for (const double log : scores->log_densities) sum += log;
    return Result<double>(sum);
}

namespace {

void add_responsibilities(Registry& r) {
    r.add(bind(
        {subject::mixtures,
         "responsibilities",
         {{"model"}, {"x"}},
         "The probability P(component | x) of each component of a mixture for an observation, as a factor. For a list or a table, it is a "
         "list of factors.",
         "responsibilities(Dice, [2])[1][1] == 4/5"},
        +[](CallContext& c, ModelValue m, Value x) -> Result<Value> {
            if (const auto* mixture = dynamic_cast<const rt::MixtureModel*>(m.model.get())) return shares_of_mixture(c, *mixture, x);
            const auto* classifier = dynamic_cast<const rt::Classifier*>(m.model->predictor());
            if (!classifier)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("a {} has no components", m.model->kind()),
                             .origin = c.argument(0),
                             .hint = "mixtures and gaussian_mixture have them"};
            return shares_of_classifier(c, *classifier, x);
        }));
}

void add_mixture_members(Registry& r) {
    const auto member = [&](const char* name, const char* summary, const char* example, auto function) {
        r.add_member("mixture", bind({subject::mixtures, name, {{"m"}}, summary, example}, +function));
    };
    member("parameters", "The learned numbers in the order of the holes.", "abs(coins.parameters[1] - 0.7130122354) < 1e-9",
           [](CallContext&, ModelValue m) -> Result<Value> {
               auto fit = TRY(fit_of(m, "parameters"));
               return Value::list(List(fit->parameters.begin(), fit->parameters.end()));
           });
    member("means", "The mean of each component.", "Dice.means == [1, 1/2]", [](CallContext&, ModelValue m) -> Result<Value> {
        auto mixture = TRY(known_mixture(m, "means"));
        List out;
        for (const auto& part : mixture->parts) {
            if (part.given->support() == rt::Support::labels && part.given->name() != "bernoulli")
                return Fault{.code = "E-UNDEFINED", .message = "the components are over labels, which have no mean"};
            auto mean = TRY(part.given->mean());
            const auto* n = std::get_if<rt::Number>(&mean);
            if (!n) return Fault{.code = "E-UNDEFINED", .message = fmt::format("a {} has no single mean", part.given->name())};
            out.emplace_back(*n);
        }
        return Value::list(std::move(out));
    });
    member("weights", "The weight of each component.", "Dice.weights == [1/2, 1/2]", [](CallContext&, ModelValue m) -> Result<Value> {
        auto mixture = TRY(known_mixture(m, "weights"));
        List out;
        for (const auto& w : mixture->weights) out.emplace_back(*w);
        return Value::list(std::move(out));
    });
    member("components", "The distribution of each component.", "mean(Dice.components[2]) == 1/2",
           [](CallContext&, ModelValue m) -> Result<Value> {
               auto mixture = TRY(known_mixture(m, "components"));
               List out;
               for (const auto& part : mixture->parts) out.push_back(Value(Value::Node(part.given)));
               return Value::list(std::move(out));
           });
    member("history", "The log-likelihood after each training iteration. It never falls.", "nondecreasing(coins.history)",
           [](CallContext&, ModelValue m) -> Result<Value> {
               const auto& fit = mixture_of(m).fit();
               return numbers_value(fit ? fit->history : std::vector<double>{});
           });
    member("log_likelihood", "ln P(data) of the training data.", "coins.log_likelihood == coins.history[2]",
           [](CallContext&, ModelValue m) -> Result<Value> {
               auto fit = TRY(fit_of(m, "log_likelihood"));
               return number_value(fit->log_likelihood());
           });
    member("bic", "The Bayesian information criterion -2 ln P(data) + parameters * ln(rows): the smaller the better.",
           "abs(coins.bic - (2 * ln(5) - 2 * coins.log_likelihood)) < 1e-9", [](CallContext&, ModelValue m) -> Result<Value> {
               auto fit = TRY(fit_of(m, "bic"));
               return number_value(-2 * fit->log_likelihood() + static_cast<double>(fit->free_parameters) * std::log(fit->rows));
           });
    member("aic", "Akaike's information criterion -2 ln P(data) + 2 * parameters: the smaller the better.",
           "abs(coins.aic - (4 - 2 * coins.log_likelihood)) < 1e-9", [](CallContext&, ModelValue m) -> Result<Value> {
               auto fit = TRY(fit_of(m, "aic"));
               return number_value(-2 * fit->log_likelihood() + 2 * static_cast<double>(fit->free_parameters));
           });
}

}  // namespace

void add_mixtures(Registry& r) {
    add_responsibilities(r);
    add_mixture_members(r);
    r.add_loader("mixture", rt::load_mixture);
}

}  // namespace credence::std_
