#include "runtime/gradient/linear.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// A cell as the number of a term: exact where the cell is.
Number term_value(const TableView& rows, const DesignTerm& term, std::size_t i) {
    const Column& c = *rows.table->columns[term.column];
    if (term.label < 0) return c.number(rows.row(i));
    return Number(c.codes[rows.row(i)] == term.label ? 1 : 0);
}

/// P(label) by unit sums: the first label's is 0.
void soft_maximum(std::span<const double> sums, std::span<double> out) {
    double largest = 0;
    for (const double s : sums) largest = std::max(largest, s);
    out[0] = std::exp(-largest);
    double total = out[0];
    for (std::size_t u = 0; u < sums.size(); ++u) total += out[u + 1] = std::exp(sums[u] - largest);
    for (double& p : out) p /= total;
}

}  // namespace

LinearPart::LinearPart(const Schema& schema, LinearFit fit) : terms_(terms_of(schema, Coding::reference)), fit_(std::move(fit)) {
    for (const auto& unit : fit_.units) {
        auto& reals = reals_.emplace_back();
        for (const auto& w : unit) reals.push_back(w.real());
    }
}

double LinearPart::sum(const Matrix& x, std::size_t i, std::size_t u) const {
    return reals_[u][0] + dot(reals_[u].data() + 1, x.row(i).data(), terms_.size());
}

Json LinearPart::saved_fit() const {
    Json units = Json::array();
    for (const auto& unit : fit_.units) units.push_back(saved(std::span<const Number>(unit)));
    Json errors = Json::array();
    for (const auto& unit : fit_.standard_errors) errors.push_back(saved(std::span<const double>(unit)));
    return Json{{"units", std::move(units)},
                {"loss", fit_.loss},
                {"history", saved(std::span<const double>(fit_.history))},
                {"standard_errors", std::move(errors)},
                {"ridge", fit_.ridge}};
}

Parts LinearPart::sum_written(const TableView& row, std::size_t unit) const {
    Parts out{fit_.units[unit][0]};
    for (std::size_t t = 0; t < terms_.size(); ++t) append(out, {" + ", fit_.units[unit][t + 1], " * ", term_value(row, terms_[t], 0)});
    return out;
}

// --- classifiers ------------------------------------------------------------------------------------------------------

LinearClassifier::LinearClassifier(Kind kind, Schema schema, std::size_t rows, LinearFit fit)
    : Classifier(std::move(schema), rows), LinearPart(schema_, std::move(fit)), kind_(kind) {}

/// Where rounding could decide, the sum is taken in fractions: on the boundary itself a perceptron says −1.
bool LinearClassifier::positive(const TableView& rows, const Matrix& x, std::size_t i) const {
    const double s = sum(x, i, 0);
    double size = std::abs(reals_[0][0]);
    for (std::size_t t = 0; t < terms_.size(); ++t) size += std::abs(reals_[0][t + 1] * x(i, t));
    if (std::abs(s) > 1e-9 * size) return s > 0;
    Number exact = fit_.units[0][0];
    for (std::size_t t = 0; t < terms_.size(); ++t) exact += fit_.units[0][t + 1] * term_value(rows, terms_[t], i);
    return exact.sign() > 0;
}

Status LinearClassifier::probabilities(const TableView& rows, std::span<double> out, Run&) const {
    const Matrix x = numbers_of(rows, terms_);
    const std::size_t labels = schema_.target.domain->size();
    std::vector<double> sums(labels - 1);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const auto row = out.subspan(i * labels, labels);
        if (kind_ == Kind::perceptron) {
            row[1] = positive(rows, x, i) ? 1.0 : 0.0;
            row[0] = 1.0 - row[1];
            continue;
        }
        for (std::size_t u = 0; u < sums.size(); ++u) sums[u] = sum(x, i, u);
        soft_maximum(sums, row);
    }
    return Done{};
}

Status LinearClassifier::classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const {
    if (kind_ == Kind::logistic) return Classifier::classify(rows, out, run);
    const Matrix x = numbers_of(rows, terms_);
    for (std::size_t i = 0; i < x.rows; ++i) out[i] = positive(rows, x, i) ? 1 : 0;
    return Done{};
}

Result<Answer> LinearClassifier::ask(const Query& query, Run& run) const {
    if (kind_ == Kind::perceptron && query.goal == Goal::probability)
        return Fault{.code = "E-QUERY",
                     .message = "a perceptron predicts a label, not a probability",
                     .origin = query.origin,
                     .hint = "predict(model, …) gives the label; logistic() has probabilities"};
    return Classifier::ask(query, run);
}

Result<Derivation> LinearClassifier::explain_prediction(const TableView& rows, Run& run) const {
    const Domain& labels = *schema_.target.domain;
    DerivationWriter out;
    const Matrix x = numbers_of(rows, terms_);
    std::vector<double> sums;
    for (std::size_t u = 0; u < fit_.units.size(); ++u) {
        if (fit_.units.size() > 1) out.note(fmt::format("For {} against {}:", labels[u + 1].text(), labels[0].text()));
        out.formula("s = intercept + the sum of weight * value");
        const Parts written = sum_written(rows, u);
        out.begin(written);
        Number s = fit_.units[u][0];
        for (std::size_t t = 0; t < terms_.size(); ++t) s += fit_.units[u][t + 1] * term_value(rows, terms_[t], 0);
        out.result(s);
        sums.push_back(s.real());
    }
    std::vector<double> p(labels.size());
    TRY(probabilities(rows, p, run));
    if (kind_ == Kind::perceptron) {
        out.note(fmt::format("{}: {}.", p[1] > 0 ? "Above 0" : "Not above 0", labels[p[1] > 0 ? 1 : 0].text()));
        return std::move(out).take();
    }
    if (sums.size() == 1) {
        out.formula(fmt::format("P({} = {}) = 1 / (1 + exp(-s))", schema_.target.name, labels[1].text()));
        out.begin({"1 / (1 + exp(-", Number::real(sums[0]), "))"});
        out.result(Number::real(p[1]));
        return std::move(out).take();
    }
    out.formula(fmt::format("P(label) = exp(s of the label) / the sum of all exp(s); s of {} is 0", labels[0].text()));
    Parts below{"1"};
    for (const double s : sums) append(below, {" + exp(", Number::real(s), ")"});
    for (std::size_t k = 0; k < p.size(); ++k) {
        out.note(fmt::format("{} = {}:", schema_.target.name, labels[k].text()));
        Parts line{"exp(", Number::real(k == 0 ? 0.0 : sums[k - 1]), ") / ("};
        append(line, below);
        append(line, {")"});
        out.begin(line);
        out.result(Number::real(p[k]));
    }
    return std::move(out).take();
}

Result<Json> LinearClassifier::save() const { return Json{{"schema", saved(schema_)}, {"rows", rows_seen_}, {"fit", saved_fit()}}; }

// --- the linear unit --------------------------------------------------------------------------------------------------

LinearRegressor::LinearRegressor(Link link, Schema schema, std::size_t rows, LinearFit fit)
    : Regressor(std::move(schema), rows), LinearPart(schema_, std::move(fit)), link_(link) {}

Status LinearRegressor::predict(const TableView& rows, std::span<double> out, Run&) const {
    const Matrix x = numbers_of(rows, terms_);
    for (std::size_t i = 0; i < x.rows; ++i) out[i] = link_ == Link::identity ? sum(x, i, 0) : 1 / (1 + std::exp(-sum(x, i, 0)));
    return Done{};
}

Result<Derivation> LinearRegressor::explain_prediction(const TableView& rows, Run&) const {
    DerivationWriter out;
    const double s = sum(numbers_of(rows, terms_), 0, 0);
    out.formula(fmt::format("{} = intercept + the sum of weight * value", link_ == Link::identity ? schema_.target.name : "s"));
    out.begin(sum_written(rows, 0));
    out.result(Number::real(s));
    if (link_ == Link::identity) return std::move(out).take();
    out.formula(fmt::format("{} = 1 / (1 + exp(-s))", schema_.target.name));
    out.begin({"1 / (1 + exp(-", Number::real(s), "))"});
    out.result(Number::real(1 / (1 + std::exp(-s))));
    return std::move(out).take();
}

Result<Json> LinearRegressor::save() const { return Json{{"schema", saved(schema_)}, {"rows", rows_seen_}, {"fit", saved_fit()}}; }

Result<ModelPtr> load_linear(std::string_view kind, const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    auto part = TRY(read_member(json, "fit"));
    auto units = TRY(read_member(*part, "units"));
    LinearFit fit;
    fit.loss = TRY(read_real(*part, "loss"));
    fit.history = TRY(read_reals(*part, "history"));
    const std::size_t terms = terms_of(schema, Coding::reference).size();
    for (const auto& unit : *units) {
        auto numbers = TRY(read_numbers(Json{{"unit", unit}}, "unit"));
        if (numbers.size() != terms + 1) return damaged("there is not one weight for each column");
        constexpr double largest = 1e150;  // times a cell of that size it is still a number
        if (std::any_of(numbers.begin(), numbers.end(), [](const Number& w) { return !(std::abs(w.real()) <= largest); }))
            return damaged("a weight is too large");
        fit.units.push_back(std::move(numbers));
    }
    // Older files have neither.
    if (part->find("ridge")) fit.ridge = TRY(read_real(*part, "ridge"));
    if (const Json* errors = part->find("standard_errors"))
        for (const auto& unit : *errors) {
            auto numbers = TRY(read_reals(Json{{"unit", unit}}, "unit"));
            if (numbers.size() != terms + 1) return damaged("there is not one standard error a weight");
            fit.standard_errors.push_back(std::move(numbers));
        }
    if (!fit.standard_errors.empty() && fit.standard_errors.size() != fit.units.size())
        return damaged("there are not standard errors for each label");
    const bool labels = schema.target.kind == ColumnKind::label;
    if (labels ? kind == "linear_unit" : kind == "perceptron") return damaged("the target is of another kind");
    if (fit.units.size() != (labels ? schema.target.domain->size() - 1 : 1)) return damaged("there is not one unit for each label");
    if (!labels) {
        const auto link = kind == "logistic" ? LinearRegressor::Link::logistic : LinearRegressor::Link::identity;
        return ModelPtr(std::make_shared<const LinearRegressor>(link, std::move(schema), rows, std::move(fit)));
    }
    const auto which = kind == "logistic" ? LinearClassifier::Kind::logistic : LinearClassifier::Kind::perceptron;
    return ModelPtr(std::make_shared<const LinearClassifier>(which, std::move(schema), rows, std::move(fit)));
}

// --- what the trainers share ------------------------------------------------------------------------------------------

Result<std::vector<Number>> starting_weights(const LinearStart& start, std::span<const DesignTerm> terms) {
    std::vector<std::string> names{"intercept"};
    for (const auto& t : terms) names.push_back(t.name);
    std::vector<Number> out(names.size(), Number(0));
    if (!start.by_label.empty())
        return Fault{.code = "E-PARAMETER",
                     .message = "init has weights by label, and only logistic has them",
                     .label = fmt::format("the weights are {}", joined(names, ", "))};
    if (!start.in_order.empty()) {
        if (start.in_order.size() != names.size())
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("init has {} numbers for {} weights", start.in_order.size(), names.size()),
                         .label = fmt::format("they are {}", joined(names, ", "))};
        return start.in_order;
    }
    for (const auto& [name, value] : start.named) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            Fault fault{.code = "E-PARAMETER",
                        .message = fmt::format("init names {}, which is not a weight", name),
                        .label = fmt::format("they are {}", joined(names, ", "))};
            if (const auto near = nearest(name, names)) fault.hint = fmt::format("did you mean '{}'?", *near);
            return fault;
        }
        out[static_cast<std::size_t>(found - names.begin())] = value;
    }
    return out;
}

std::vector<Number> as_numbers(std::span<const double> xs) {
    std::vector<Number> out;
    for (const double x : xs) out.push_back(Number::real(x));
    return out;
}

std::string short_number(const Number& n) {
    if (n.is_exact())
        if (auto decimal = n.exact().decimal(8)) return *decimal;
    return fmt::format("{:.6g}", n.real());
}

std::string weights_text(std::span<const Number> weights, std::span<const DesignTerm> terms) {
    std::string out = "intercept " + short_number(weights[0]);
    for (std::size_t t = 0; t < terms.size(); ++t) out += fmt::format(", {} {}", terms[t].name, short_number(weights[t + 1]));
    return out;
}

namespace {

/// One batch step: each row's sum, output and error, then each new weight, w + rate * Σ error * x, number by number.
void tell_batch_step(DerivationWriter& out, const TrainingRows& data, const BatchTrace& told, std::vector<double>& weights,
                     std::size_t step) {
    const Link& output = told.output;
    std::vector<double> errors;
    for (std::size_t i = 0; i < data.size(); ++i) {
        double sum = weights[0];
        for (std::size_t t = 0; t < data.terms.size(); ++t) sum += weights[t + 1] * data.x(i, t);
        tell_row(out, i, data.x.row(i), weights);
        if (output.written) {
            out.begin(output.written(sum));
            out.result(Number::real(output.value(sum)));
        }
        errors.push_back(data.weights[i] * (told.targets[i] - output.value(sum)));
        out.note(fmt::format(
            "The target is {:.6g}: t - {} = {:.6g}{}.", told.targets[i], output.name, told.targets[i] - output.value(sum),
            data.weights[i] == 1 ? "" : fmt::format("; times the weight {:.6g} of the row, {:.6g}", data.weights[i], errors[i])));
    }
    out.heading(fmt::format("Step {}, for each weight:", step));
    const std::vector<double> before = weights;
    for (std::size_t k = 0; k <= data.terms.size(); ++k) {
        Parts sum{Number::real(before[k]), " + ", told.rate, " * ("};
        double total = 0;
        for (std::size_t i = 0; i < data.size(); ++i) {
            const double x = k == 0 ? 1.0 : data.x(i, k - 1);
            total += errors[i] * x;
            append(sum, {i == 0 ? "" : " + ", Number::real(errors[i]), " * ", Number::real(x)});
        }
        append(sum, {")"});
        out.note(fmt::format("{}:", k == 0 ? "intercept" : data.terms[k - 1].name));
        out.begin(sum);
        weights[k] += told.rate.real() * total;
        out.result(Number::real(weights[k]));
    }
}

}  // namespace

void tell_batch_steps(DerivationWriter& out, const TrainingRows& data, const BatchTrace& told, std::vector<double> weights) {
    constexpr std::size_t steps_told = 2;
    if (data.size() > longest_sum) return;
    for (std::size_t step = 1; step <= std::min(steps_told, told.steps); ++step) tell_batch_step(out, data, told, weights, step);
}

void tell_row(DerivationWriter& out, std::size_t row, std::span<const double> x, std::span<const double> weights) {
    std::string cells;
    Parts sum{Number::real(weights[0])};
    double total = weights[0];
    for (std::size_t k = 0; k < x.size(); ++k) {
        cells += fmt::format("{}{:.6g}", k == 0 ? "" : ", ", x[k]);
        append(sum, {" + ", Number::real(weights[k + 1]), " * ", Number::real(x[k])});
        total += weights[k + 1] * x[k];
    }
    out.heading(fmt::format("Row {}, <{}>:", row + 1, cells));
    out.begin(sum);
    out.result(Number::real(total));
}

}  // namespace credence::rt
