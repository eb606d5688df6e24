// The mixture as a Model. With all its numbers known, one draw of it is a hypothesis space: the components are the hypotheses, their
// weights the prior, x the outcome. So queries, their exactness, their derivations and samples are those of spaces.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/latent/as_net.hpp"
#include "runtime/latent/mixture.hpp"
#include "runtime/latent/mixture_em.hpp"
#include "runtime/latent/saved_distribution.hpp"
#include "runtime/prob/declared/hypotheses.hpp"
#include "runtime/prob/learning/training_methods.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/distribution_words.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/independent_rows.hpp"

namespace credence::rt {

namespace {

DomainPtr component_numbers(std::size_t k) {
    std::vector<Label> labels;
    for (std::size_t j = 1; j <= k; ++j) labels.push_back(Label::of_number(Rational(static_cast<std::int64_t>(j))));
    return make_domain(std::move(labels));
}

Fault untrained_mixture(const Mixture& mixture, Origin origin = Origin::none) {
    return {.code = "E-HOLE",
            .message = fmt::format("{} has unknown numbers (?): train it first", mixture.name),
            .origin = origin,
            .hint = fmt::format("let fitted = train {} on observations, then ask … in fitted", mixture.name)};
}

Outcome outcome_of_label(const Distribution& d, const Label& value) {
    if (d.support() == Support::labels || !value.number()) return value;
    return *value.number();
}

/// P(component | x) as a classifier: what predict and evaluate go through.
class ComponentClassifier final : public Classifier {
public:
    ComponentClassifier(const Mixture& mixture, Schema schema, std::size_t rows)
        : Classifier(std::move(schema), rows), mixture_(&mixture) {}
    std::string_view kind() const override { return "mixture"; }
    bool takes_missing() const override { return true; }  // without x, the weights
    Status probabilities(const TableView& rows, std::span<double> out, Run&) const override {
        const std::size_t k = mixture_->parts.size();
        const Column& x = *rows.table->columns[0];
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (x.is_missing(rows.row(i))) {
                for (std::size_t j = 0; j < k; ++j) out[i * k + j] = mixture_->weights[j]->real();
                continue;
            }
            const Label value = x.label(rows.row(i));
            auto scores = TRY(mixture_scores(*mixture_, {&value, 1}));
            std::copy(scores.responsibilities.begin(), scores.responsibilities.end(), out.begin() + static_cast<std::ptrdiff_t>(i * k));
        }
        return Done{};
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override {
        const Column& x = *rows.table->columns[0];
        if (x.is_missing(rows.row(0))) return Classifier::explain_prediction(rows, run);
        const Label value = x.label(rows.row(0));
        const auto scores = TRY(mixture_scores(*mixture_, {&value, 1}));
        DerivationWriter out;
        out.formula(
            "P(component = j | x) = P(component = j) * P(x | component = j) / sum over n of P(component = n) * P(x | component = n)");
        out.note("at x = " + value.text());
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j) {
            const Distribution& d = *mixture_->parts[j].given;
            const double weight = mixture_->weights[j]->real();
            const double density = std::exp(d.log_pdf(outcome_of_label(d, value)));
            out.note(fmt::format("component {}: {:.6g} * {:.6g} = {:.6g}, share {:.6g}", j + 1, weight, density, weight * density,
                                 scores.responsibilities[j]));
        }
        return std::move(out).take();
    }

private:
    const Mixture* mixture_;
};

class DeclaredMixture : public MixtureModel {
    static constexpr std::size_t most_written = 5;  // components with their numbers in the description

public:
    DeclaredMixture(Mixture mixture, std::optional<MixtureFit> fit, std::shared_ptr<const HypothesesModel> space)
        : mixture_(std::move(mixture)), fit_(std::move(fit)), space_(std::move(space)) {
        if (!space_) {
            variables_ = {{.variable = {"component", component_numbers(mixture_.parts.size())}}, {.variable = {"x", nullptr}}};
            return;
        }
        variables_ = {space_->variables()[0], space_->variables()[1]};
        const Variable& x = variables_[1].variable;
        const bool numeric =
            !x.domain || std::all_of(x.domain->labels().begin(), x.domain->labels().end(), [](const Label& l) { return l.is_number(); });
        Schema schema;
        schema.features = {{"x", numeric ? ColumnKind::numeric : ColumnKind::label, numeric ? nullptr : x.domain}};
        schema.target = {"component", ColumnKind::label, variables_[0].variable.domain};
        classifier_.emplace(mixture_, std::move(schema), fit_ ? static_cast<std::size_t>(fit_->rows) : 0);
    }
    const Mixture& mixture() const override { return mixture_; }
    const std::optional<MixtureFit>& fit() const override { return fit_; }
    std::string_view kind() const override { return "mixture"; }
    const Variables& variables() const override { return variables_; }
    std::vector<MethodInfo> engines() const override { return {exact_engine, enumeration_engine}; }
    std::vector<MethodInfo> training_methods() const override { return training_methods_of_parts(); }
    const Predictor* predictor() const override { return classifier_ ? &*classifier_ : nullptr; }
    /// The parts with their numbers where they are known and few: "0.5 normal(0, 1), 0.5 normal(4, 1)".
    std::string description() const override {
        std::vector<std::string> parts;
        for (std::size_t j = 0; j < mixture_.parts.size(); ++j) {
            const auto& part = mixture_.parts[j];
            std::string text = part.shares_hole ? "categorical" : std::string(part.given ? part.given->name() : part.family->name);
            std::string numbers;
            for (const auto& p : part.given ? part.given->parameters() : std::vector<Parameter>{})
                if (const auto* n = std::get_if<Number>(&p.value))
                    numbers += fmt::format("{}{:.4g}", numbers.empty() ? "" : ", ", n->real());
            if (!numbers.empty() && mixture_.parts.size() <= most_written) text += "(" + numbers + ")";
            if (mixture_.weights[j] && mixture_.parts.size() <= most_written)
                text = fmt::format("{:.4g} {}", mixture_.weights[j]->real(), text);
            parts.push_back(std::move(text));
        }
        return fmt::format("{}: {}", counted(parts.size(), "component"), joined(parts, ", "));
    }

    ModelParts parts() const override {
        ModelPart::NamedDistributions known;
        std::vector<Number> weights;
        for (std::size_t j = 0; j < mixture_.parts.size(); ++j) {
            if (mixture_.weights[j]) weights.push_back(*mixture_.weights[j]);
            if (mixture_.parts[j].given) known.emplace_back(std::to_string(j + 1), mixture_.parts[j].given);
        }
        ModelParts out;
        const bool described = mixture_.parts.size() <= most_written;
        if (weights.size() == mixture_.parts.size())
            out.push_back({"weights", factor_over("component", variables_[0].variable.domain, weights), described});
        if (!known.empty()) out.push_back({"components", std::move(known), described});
        if (!fit_) return out;
        out.push_back(figure("log_likelihood", fit_->log_likelihood()));
        out.push_back(figure("rows", fit_->rows));
        out.push_back(figure("BIC", static_cast<double>(fit_->free_parameters) * std::log(fit_->rows) - 2 * fit_->log_likelihood(), true));
        return out;
    }

    Result<Answer> ask(const Query& query, Run& run) const override {
        if (!space_) return untrained_mixture(mixture_, query.origin);
        TRY(check(query));
        if (asks_for_rows(query) && !names_component(query)) return ask_rows(*space_, over_x(query), run);
        auto answer = space_->ask(query, run);
        if (answer) answer->counts = {{"components", Number(Rational(static_cast<std::int64_t>(mixture_.parts.size())))}};
        return answer;
    }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        if (!space_) return untrained_mixture(mixture_);
        return space_->sample(n, given, run);
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        if (asks_for_rows(query) && !names_component(query)) return explain_likelihood(query, answer, run);
        return space_->explain(query, answer, run);
    }
    Result<LearnerPtr> trainer(const MethodCall& by) const override { return mixture_trainer(mixture_, by); }
    Result<Json> save() const override;
    /// Of numbers as the net that the mixture is; of labels by their joint table.
    Result<ModelPtr> with_quantities(const ModelPtr& self, const std::vector<NamedQuantity>& quantities, Run& run) const override {
        if (!space_) return untrained_mixture(mixture_);
        if (variables_[1].variable.is_discrete()) return Model::with_quantities(self, quantities, run);
        std::vector<Number> weights;
        std::vector<DistributionPtr> parts;
        for (std::size_t j = 0; j < mixture_.parts.size(); ++j) {
            weights.push_back(*mixture_.weights[j]);
            parts.push_back(mixture_.parts[j].given);
        }
        const auto net = net_of_mixture(variables_[0].variable, weights, parts);
        if (!net)
            return Fault{.code = "E-QUERY",
                         .message = "quantities are computed in mixtures whose parts are all of one family",
                         .hint = "ask for events of x itself, as in x > 3, or sample"};
        return extend_by_net(self, *net, quantities);
    }

private:
    /// Of each draw the component is its own: a list of them has no one component.
    Status check(const Query& query) const {
        if (query.given.observations.empty() && query.given.data.empty()) return Done{};
        return Fault{.code = "E-QUERY",
                     .message = "each observation of a mixture has a component of its own, so a list of them has no single one",
                     .origin = query.given.observations.empty() ? query.given.data[0].origin : query.given.observations[0].origin,
                     .hint = "responsibilities(model, [..]) gives P(component | x) for each of them"};
    }
    /// The only column of a table is x, whatever its name, as it is in training.
    static Query over_x(Query query) {
        for (auto& data : query.targets.data) {
            const Table& table = *data.table;
            const auto component = table.find("component");
            if (table.find("x") || table.columns.size() != (component ? 2U : 1U)) continue;
            auto renamed = std::make_shared<Table>(table);
            auto& column = renamed->columns[component && *component == 0 ? 1 : 0];
            if (column->name == "component") continue;
            auto x = std::make_shared<Column>(*column);
            x->name = "x";
            column = std::move(x);
            data.table = std::move(renamed);
        }
        return query;
    }
    static bool names_component(const Query& query) {
        const auto is_component = [](VarId v) { return index(v) == 0; };
        for (const auto* clause : {&query.targets, &query.given}) {
            if (std::any_of(clause->free.begin(), clause->free.end(), is_component)) return true;
            for (const auto& event : clause->events) {
                const auto about = variables_of(event);
                if (std::any_of(about.begin(), about.end(), is_component)) return true;
            }
        }
        return false;
    }
    /// The sum over components for each different value, and the product of these.
    Result<Derivation> explain_likelihood(const Query& query, const Answer& answer, Run& run) const {
        DerivationWriter out;
        out.formula("P(x_1, …, x_n) = product over i of sum over j of P(component = j) * P(x_i | component = j)");
        std::vector<std::pair<Label, std::int64_t>> counted;
        const auto rows = TRY(rows_of_data(variables_, over_x(query)));
        for (const auto& row : rows) counted.emplace_back(row.asked.back().second, row.count);
        const bool written = counted.size() <= longest_sum && mixture_.parts.size() <= longest_sum;
        std::vector<Parts> factors;
        for (std::size_t i = 0; written && i < counted.size(); ++i) {
            const auto& [value, count] = counted[i];
            const auto p = TRY(explain_draw(value, run, out));
            factors.push_back(count == 1 ? Parts{p} : operand(p));
            if (count > 1) append(factors.back(), {std::string("^"), Number(Rational(count))});
        }
        const Number& value = std::get<Number>(answer.value);
        out.heading(query_text(query, variables_));
        out.begin(written && !factors.empty() ? joined(factors, " * ") : Parts{value});
        out.result(value);
        return std::move(out).take();
    }
    /// P(x = value) as a sum over the components.
    Result<Number> explain_draw(const Label& value, Run& run, DerivationWriter& out) const {
        const ProbabilityTerm whole{.event = {{variables_[1].variable.name, value}}, .given = {}};
        std::vector<Parts> names;
        std::vector<Parts> numbers;
        Number total = 0;
        for (std::size_t j = 0; j < mixture_.parts.size(); ++j) {
            const Label component = Label::of_number(Number(Rational(static_cast<std::int64_t>(j + 1))));
            Query q;
            q.targets.events.push_back(event_equal(VarId{1}, value, Origin::none));
            q.given.events.push_back(event_equal(VarId{0}, component, Origin::none));
            const auto density = TRY(space_->ask(q, run));
            const Number& p = std::get<Number>(density.value);
            const Number& weight = *mixture_.weights[j];
            const std::pair<std::string, Label> of_component{variables_[0].variable.name, component};
            names.push_back({ProbabilityTerm{.event = {of_component}, .given = {}}, std::string(" * "),
                             ProbabilityTerm{.event = whole.event, .given = {of_component}}});
            numbers.push_back({weight, std::string(" * "), p});
            total += weight * p;
        }
        out.begin({whole});
        out.step(joined(names, " + "));
        out.step(joined(numbers, " + "));
        out.result(total);
        return total;
    }
    Mixture mixture_;
    std::optional<MixtureFit> fit_;
    std::shared_ptr<const HypothesesModel> space_;  ///< null: it has holes
    Variables variables_;
    std::optional<ComponentClassifier> classifier_;
};

/// One whose x takes any number. Where x is bounded, or something is computed from it, every component is asked by itself:
/// P(x | e) = Σ P(component = j | e) P(x | component = j, e), and expectations likewise.
class RealMixture final : public DeclaredMixture, public NumericModel {
public:
    RealMixture(Mixture mixture, std::optional<MixtureFit> fit, std::shared_ptr<const HypothesesModel> space,
                std::vector<std::shared_ptr<const ContinuousModel>> parts)
        : DeclaredMixture(std::move(mixture), std::move(fit), std::move(space)), parts_(std::move(parts)) {}

    Result<Answer> ask(const Query& query, Run& run) const override {
        if (!is_bounded_x(query)) return DeclaredMixture::ask(query, run);
        std::vector<Number> weights;
        std::vector<DistributionPtr> distributions;
        auto out = by_component(query, run, [&](const Number& weight, const ContinuousModel& part, const Query& one) -> Result<Answer> {
            auto answer = part.ask(one, run);
            if (!answer) return answer;
            weights.push_back(weight);
            distributions.push_back(std::get<DistributionPtr>(answer->value));
            return answer;
        });
        if (!out) return out;
        out->value = TRY(distributions.size() == 1 ? Result(distributions[0]) : make_mixture(std::move(weights), std::move(distributions)));
        return out;
    }
    const NumericModel* numeric() const override { return this; }
    Result<Answer> expectation(const Term& term, const Query& query, Run& run) const override {
        Number sum = 0;
        auto out = by_component(query, run, [&](const Number& weight, const ContinuousModel& part, const Query& one) {
            auto answer = part.expectation(term, one, run);
            if (answer) sum += weight * std::get<Number>(answer->value);
            return answer;
        });
        if (!out) return out;
        out->value = sum;
        out->exact = sum.is_exact();
        return out;
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        if (!is_bounded_x(query)) return DeclaredMixture::explain(query, answer, run);
        DerivationWriter out;
        out.formula("P(x | e) = sum over j of P(component = j | e) * P(x | component = j, e)");
        Query who = query;
        who.targets = {};
        who.targets.free = {component_};
        const Answer shares = TRY(DeclaredMixture::ask(who, run));
        const auto& factor = std::get<Factor>(shares.value);
        for (std::size_t j = 0; j < parts_.size(); ++j) {
            const auto words = distribution_words(*mixture().parts[j].given);
            if (!factor.at(j).is_zero())
                out.note(fmt::format("  component = {}: weight {}, x ~ {}, where the evidence holds", factor.labels(j)[0].text(),
                                     number_words(factor.at(j)), words.empty() ? "a distribution of its own" : words));
        }
        return std::move(out).take();
    }

private:
    /// x alone, under evidence that restricts x without giving its value.
    static bool is_bounded_x(const Query& query) {
        if (query.targets.free != std::vector{x_} || !query.targets.events.empty() || !query.targets.observations.empty()) return false;
        return std::any_of(query.given.events.begin(), query.given.events.end(), [](const Event& event) {
            const auto about = variables_of(event);
            return contains(about, x_);
        });
    }

    /// `tell` for each component that is possible under the evidence: its probability, its net, and the query given that component.
    template <class Tell>
    Result<Answer> by_component(const Query& query, Run& run, const Tell& tell) const {
        Query who = query;
        who.targets = {};
        who.targets.free = {component_};
        auto out = DeclaredMixture::ask(who, run);
        if (!out) return out;
        const Factor shares = std::get<Factor>(out->value);
        double squares = 0;  // of the standard errors of what was sampled
        for (std::size_t j = 0; j < parts_.size(); ++j) {
            if (shares.at(j).is_zero()) continue;
            Query one = query;
            one.given.soft.clear();  // of the component, which is known here: x has no labels to be uncertain of
            one.given.events.push_back(event_equal(component_, shares.labels(j)[0], Origin::none));
            auto answer = tell(shares.at(j), *parts_[j], one);
            if (!answer) return answer;
            out->engine = answer->engine;
            if (answer->standard_error) squares += std::pow(shares.at(j).real() * answer->standard_error->real(), 2);
        }
        if (squares > 0) out->standard_error = Number::real(std::sqrt(squares));
        return out;
    }

    static constexpr VarId component_{0};
    static constexpr VarId x_{1};
    std::vector<std::shared_ptr<const ContinuousModel>> parts_;
};

Result<Json> DeclaredMixture::save() const {
    if (mixture_.has_holes()) return untrained_mixture(mixture_);
    std::vector<Number> weights;
    Json parts = Json::array();
    for (std::size_t j = 0; j < mixture_.parts.size(); ++j) {
        weights.push_back(*mixture_.weights[j]);
        auto part = saved_distribution(*mixture_.parts[j].given);
        if (!part) return part;
        parts.push_back(*std::move(part));
    }
    Json out{{"name", mixture_.name}, {"weights", saved(std::span<const Number>(weights))}, {"components", std::move(parts)}};
    if (fit_)
        out.set("fit", Json{{"parameters", saved(std::span<const Number>(fit_->parameters))},
                            {"history", saved(std::span<const double>(fit_->history))},
                            {"rows", fit_->rows},
                            {"free", fit_->free_parameters}});
    return out;
}

}  // namespace

Result<MixtureScores> mixture_scores(const Mixture& mixture, std::span<const Label> values) {
    if (mixture.has_holes()) return untrained_mixture(mixture);
    const std::size_t k = mixture.parts.size();
    MixtureScores out;
    out.responsibilities.resize(values.size() * k);
    std::vector<double> log_weights;
    for (const auto& w : mixture.weights) log_weights.push_back(w->is_zero() ? -std::numeric_limits<double>::infinity() : w->log());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::span<double> row = std::span(out.responsibilities).subspan(i * k, k);
        for (std::size_t j = 0; j < k; ++j) {
            const Distribution& d = *mixture.parts[j].given;
            row[j] = log_weights[j] + d.log_pdf(outcome_of_label(d, values[i]));
        }
        const double largest = *std::max_element(row.begin(), row.end());
        if (!(largest > -std::numeric_limits<double>::infinity()))
            return Fault{.code = "E-ZERO",
                         .message = fmt::format("x = {} is impossible under every component of {}", values[i].text(), mixture.name)};
        double sum = 0;
        for (double& p : row) sum += p = std::exp(p - largest);
        for (double& p : row) p /= sum;
        out.log_densities.push_back(largest + std::log(sum));
    }
    return out;
}

Result<ModelPtr> make_mixture_model(Mixture mixture, std::optional<MixtureFit> fit) {
    if (mixture.has_holes()) return ModelPtr(std::make_shared<const DeclaredMixture>(std::move(mixture), std::nullopt, nullptr));
    HypothesisSpace space;
    space.name = mixture.name;
    space.parameters = {{"component", component_numbers(mixture.parts.size())}};
    space.outcome.name = "x";
    space.words = {.symbol = "component", .one = "component", .many = "components", .data = "x"};
    std::vector<DistributionPtr> outcomes;
    std::vector<Number> weights;
    for (std::size_t j = 0; j < mixture.parts.size(); ++j) {
        weights.push_back(*mixture.weights[j]);
        outcomes.push_back(mixture.parts[j].given);
    }
    space.prior = std::move(weights);
    TRY(tabulate(space, std::move(outcomes)));
    auto model = make_hypotheses_model(std::move(space));
    std::vector<std::shared_ptr<const ContinuousModel>> nets;
    if (!model->variables()[1].variable.is_discrete())
        for (const auto& part : mixture.parts)
            if (auto net = net_of_part(model->variables()[0].variable, *part.given)) nets.push_back(std::move(net));
    if (nets.size() == mixture.parts.size())
        return ModelPtr(std::make_shared<const RealMixture>(std::move(mixture), std::move(fit), std::move(model), std::move(nets)));
    return ModelPtr(std::make_shared<const DeclaredMixture>(std::move(mixture), std::move(fit), std::move(model)));
}

Result<ModelPtr> load_mixture(const Json& json) {
    Mixture out;
    out.name = TRY(read_text(json, "name"));
    auto weights = TRY(read_numbers(json, "weights"));
    auto parts = TRY(read_member(json, "components"));
    if (!parts->is_array() || parts->empty() || parts->size() != weights.size())
        return damaged("'components' does not have one for each weight");
    for (std::size_t j = 0; j < weights.size(); ++j) {
        out.weights.emplace_back(weights[j]);
        auto d = TRY(load_distribution((*parts)[j]));
        out.parts.emplace_back().given = std::move(d);
    }
    std::optional<MixtureFit> fit;
    if (json.contains("fit")) {
        const Json& saved_fit = *json.find("fit");
        auto parameters = TRY(read_numbers(saved_fit, "parameters"));
        auto history = TRY(read_reals(saved_fit, "history"));
        auto rows = TRY(read_real(saved_fit, "rows"));
        auto open = TRY(read_count(saved_fit, "free"));
        if (history.empty()) return damaged("'history' is empty");
        fit = MixtureFit{std::move(parameters), std::move(history), rows, open};
    }
    return make_mixture_model(std::move(out), std::move(fit));
}

}  // namespace credence::rt
