#include "runtime/hypotheses/space_learners.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/case.hpp"
#include "runtime/hypotheses/space_explainer.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// A space whose prior is the posterior after the rows seen so far: learning on starts from it.
struct Believed {
    ConceptMethod method{};
    HypothesisSpace space;
    Factor posterior;
    std::size_t hypothesis = 0;
    std::size_t rows_seen = 0;

    bool by_all() const { return method == ConceptMethod::bayes_optimal; }
};

std::string text_of(const HypothesisSpace& space, std::span<const Label> values) {
    if (!space.parametric) return values[0].text();
    std::string out;
    for (std::size_t k = 0; k < values.size(); ++k)
        out += fmt::format("{}{} = {}", k ? ", " : "", space.parameters[k].name, values[k].text());
    return out;
}

/// The columns of the inputs and of the outcome, each row as often as its weight says.
Result<TablePtr> observed_rows(const HypothesisSpace& space, const TableView& rows, std::span<const double> weights) {
    std::vector<std::uint32_t> taken;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double times = weights.empty() ? 1 : weights[i];
        if (times != std::floor(times) || times > 1e6)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("row {} counts {} times: observations of {} are whole in number", rows.row(i) + 1, times,
                                                space.outcome.name)};
        taken.insert(taken.end(), static_cast<std::size_t>(times), static_cast<std::uint32_t>(rows.row(i)));
    }
    std::vector<std::string> wanted = space.inputs;
    wanted.push_back(space.outcome.name);
    std::vector<ColumnPtr> columns;
    for (const auto& name : wanted) {
        auto at = find_column(*rows.table, name);
        if (!at) {
            Fault fault = std::move(at).fault();
            fault.message = fmt::format("the table has no column {}, {} of {}", name,
                                        name == space.outcome.name ? "the outcome" : "an input", space.name);
            return fault;
        }
        columns.push_back(take_rows(*rows.table->columns[*at], taken));
    }
    return make_table(std::move(columns), std::nullopt, taken.size());
}

Query posterior_query(const HypothesisSpace& space, TablePtr rows) {
    Query out;
    for (std::size_t p = 0; p < space.parameters.size(); ++p) out.targets.free.push_back(static_cast<VarId>(p));
    out.given.data.push_back({std::move(rows), Origin::none});
    return out;
}

HypothesisSpace without_prior(HypothesisSpace space) {
    space.prior = Prior::uniform(space.prior.size());
    return space;
}

std::size_t drawn_from(const Factor& posterior, Run& run) {
    double left = run.rng.child("gibbs").uniform();
    std::size_t h = 0;
    while (h + 1 < posterior.size() && (left -= posterior.at(h).real()) >= 0) ++h;
    return h;
}

/// What is believed after more rows.
Result<Believed> learn_space(ConceptMethod method, HypothesisSpace space, const TablePtr& rows, std::size_t seen, Run& run) {
    const Variables variables = variables_of(space);
    const Query query = posterior_query(space, rows);
    auto answer = TRY(posterior_of(space, variables, query.given, Origin::none, run));
    for (auto& note : answer.notes)
        if (run.note) run.note(std::move(note));
    Believed out{.method = method, .space = std::move(space), .posterior = std::get<Factor>(std::move(answer.value)), .rows_seen = seen};
    std::vector<Number> believed;
    for (std::size_t h = 0; h < out.space.prior.size(); ++h) believed.push_back(out.posterior.at(h));
    out.space.prior = std::move(believed);
    const Extreme best = argmax(out.posterior);
    out.hypothesis = method == ConceptMethod::gibbs_classifier ? drawn_from(out.posterior, run) : best.entry;
    const bool chosen = method == ConceptMethod::map_learner || method == ConceptMethod::ml_learner;
    if (chosen && best.ties.size() > 1 && run.note)
        run.note(fmt::format("{} hypotheses of {} are equally probable; {}, the first declared, is used", best.ties.size(), out.space.name,
                             text_of(out.space, out.posterior.labels(best.entry))));
    return out;
}

/// 1 and 0 in the data are true and false of the outcome: the model then speaks of 1 and 0 too.
DomainPtr outcome_as_seen(const HypothesisSpace& space, const Column& seen) {
    std::size_t row = 0;
    while (row < seen.rows() && seen.is_missing(row)) ++row;
    if (!space.outcome.is_discrete() || row == seen.rows() || space.outcome.domain->find(seen.label(row))) return space.outcome.domain;
    std::vector<Label> labels;
    for (const auto& label : space.outcome.domain->labels())
        labels.push_back(label == Label::of_bool(true)    ? Label::of_number(1)
                         : label == Label::of_bool(false) ? Label::of_number(0)
                                                          : label);
    return make_domain(std::move(labels));
}

Schema schema_of_space(const HypothesisSpace& space, const Table& rows) {
    Schema out;
    for (std::size_t k = 0; k < space.inputs.size(); ++k) {
        const Column& column = *rows.columns[k];
        out.features.push_back({column.name, column.kind, column.domain});
    }
    const bool labels = space.outcome.is_discrete();
    out.target = {space.outcome.name, labels ? ColumnKind::label : ColumnKind::numeric, outcome_as_seen(space, *rows.columns.back())};
    return out;
}

std::vector<Label> inputs_at(const Table& table, std::size_t row) {
    std::vector<Label> out;
    for (const auto& column : table.columns) out.push_back(column->label(row));
    return out;
}

/// P(value | h, inputs) for each value of a discrete outcome.
Status add_outcomes(const Believed& in, std::size_t h, const Number& weight, std::span<const Label> inputs, std::span<Number> out) {
    const HypothesisSpace& space = in.space;
    const std::size_t values = space.outcome.size();
    if (!space.table.empty()) {
        for (std::size_t k = 0; k < values; ++k) out[k] += weight * space.table[h * values + k];
        return Done{};
    }
    auto said = TRY(space.outcome_of(h, inputs));
    for (std::size_t k = 0; k < values; ++k) {
        auto p = TRY(said->pdf(outcome_value(*said, (*space.outcome.domain)[k])));
        out[k] += weight * p;
    }
    return Done{};
}

/// By the one hypothesis, or by all, weighed by the posterior.
Result<std::vector<Number>> outcome_shares(const Believed& in, std::span<const Label> inputs) {
    std::vector<Number> out(in.space.outcome.size(), Number(0));
    if (!in.by_all()) {
        TRY(add_outcomes(in, in.hypothesis, Number(1), inputs, out));
        return out;
    }
    for (std::size_t h = 0; h < in.posterior.size(); ++h) {
        const Number weight = in.posterior.at(h);
        if (weight.is_zero()) continue;
        TRY(add_outcomes(in, h, weight, inputs, out));
    }
    return out;
}

std::string chosen_text(ConceptMethod method, const HypothesisSpace& space, const Factor& posterior, std::size_t hypothesis) {
    return fmt::format("h is {}{}", text_of(space, posterior.labels(hypothesis)),
                       method == ConceptMethod::gibbs_classifier ? ", drawn from the posterior" : "");
}

/// The sum that makes the share of one value, written out where it is short: P(h1 | D) * P(value | h1) + …
void write_share(const Believed& in, const std::string& value, std::span<const std::pair<Number, Number>> terms, const Number& total,
                 DerivationWriter& out) {
    if (terms.size() > longest_sum) {
        out.note(fmt::format("P({} = {}) = {:.6g}, over {} hypotheses", in.space.outcome.name, value, total.real(), terms.size()));
        return;
    }
    out.note(fmt::format("{} = {}:", in.space.outcome.name, value));
    std::vector<Parts> products;
    for (const auto& [weight, said] : terms) {
        Parts product = operand(weight);
        product.emplace_back(std::string(" * "));
        append(product, operand(said));
        products.push_back(std::move(product));
    }
    out.begin(joined(products, " + "));
    out.result(total);
}

/// The probability of each value under h, or the sum of the hypotheses' shares.
Result<Derivation> explain_shares(const Believed& in, std::span<const Label> inputs) {
    DerivationWriter out;
    const std::size_t values = in.space.outcome.size();
    if (!in.by_all()) {
        out.note(chosen_text(in.method, in.space, in.posterior, in.hypothesis));
        auto shares = TRY(outcome_shares(in, inputs));
        for (std::size_t k = 0; k < values; ++k)
            out.note(
                fmt::format("P({} = {} | h) = {}", in.space.outcome.name, (*in.space.outcome.domain)[k].text(), label_text(shares[k])));
        return std::move(out).take();
    }
    out.formula(fmt::format("P({0} | D) = sum over hypotheses of P(h | D) * P({0} | h)", in.space.outcome.name));
    std::vector<std::vector<std::pair<Number, Number>>> terms(values);
    for (std::size_t h = 0; h < in.posterior.size(); ++h) {
        const Number weight = in.posterior.at(h);
        if (weight.is_zero()) continue;
        std::vector<Number> said(values, Number(0));
        TRY(add_outcomes(in, h, Number(1), inputs, said));
        if (in.posterior.size() <= longest_sum)
            out.note(fmt::format("P({} | D) = {}", text_of(in.space, in.posterior.labels(h)), label_text(weight)));
        for (std::size_t k = 0; k < values; ++k) terms[k].emplace_back(weight, std::move(said[k]));
    }
    for (std::size_t k = 0; k < values; ++k) {
        Number total = 0;
        for (const auto& [weight, said] : terms[k]) total += weight * said;
        write_share(in, (*in.space.outcome.domain)[k].text(), terms[k], total, out);
    }
    return std::move(out).take();
}

Result<ModelPtr> space_model(Believed believed, Schema schema);

Result<ModelPtr> learned_on(const Believed& in, const Schema& schema, const TableView& rows, std::span<const double> weights, Run& run) {
    auto data = TRY(observed_rows(in.space, rows, weights));
    auto next = TRY(learn_space(in.method, in.space, data, in.rows_seen + rows.size(), run));
    return space_model(std::move(next), schema);
}

/// The hypothesis that is chosen, and the posterior where it can be read.
ModelParts belief_parts(const Believed& in) {
    constexpr std::size_t most = 200;
    ModelParts out;
    if (!in.by_all()) out.push_back(words_part("h", text_of(in.space, in.posterior.labels(in.hypothesis))));
    if (in.posterior.size() <= most) out.push_back({"posterior", in.posterior});
    out.push_back(count_part("hypotheses", in.posterior.size()));
    return out;
}

/// The outcome has finitely many values.
class SpaceClassifier final : public Classifier, public SpaceBelief {
public:
    SpaceClassifier(Believed in, Schema schema) : Classifier(std::move(schema), in.rows_seen), in_(std::move(in)) {}
    std::string_view kind() const override { return name_of(in_.method); }
    const HypothesisSpace& space() const override { return in_.space; }
    const Factor& posterior() const override { return in_.posterior; }
    std::size_t hypothesis() const override { return in_.hypothesis; }
    ModelParts parts() const override { return belief_parts(in_); }

    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override {
        const std::size_t values = schema_.target.domain->size();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (run.stopped()) return stopped_fault();
            auto shares = TRY(outcome_shares(in_, inputs_at(*rows.table, rows.row(i))));
            for (std::size_t k = 0; k < values; ++k) out[i * values + k] = shares[k].real();
        }
        return Done{};
    }
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run&) const override {
        auto shares = TRY(outcome_shares(in_, inputs_at(*rows.table, rows.row(0))));
        std::vector<Rational> out;
        for (const auto& p : shares) {
            if (!p.is_exact()) return not_applicable;
            out.push_back(p.exact());
        }
        return out;
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override {
        return explain_shares(in_, inputs_at(*rows.table, rows.row(0)));
    }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override {
        return learned_on(in_, schema_, rows, weights, run);
    }

private:
    Believed in_;
};

/// The outcome is a number: predicted by the mean under h, or of the mixture of all.
class SpaceRegressor final : public Regressor, public SpaceBelief {
public:
    SpaceRegressor(Believed in, Schema schema) : Regressor(std::move(schema), in.rows_seen), in_(std::move(in)) {}
    std::string_view kind() const override { return name_of(in_.method); }
    const HypothesisSpace& space() const override { return in_.space; }
    const Factor& posterior() const override { return in_.posterior; }
    std::size_t hypothesis() const override { return in_.hypothesis; }
    ModelParts parts() const override { return belief_parts(in_); }

    Status predict(const TableView& rows, std::span<double> out, Run& run) const override {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (run.stopped()) return stopped_fault();
            auto mean = TRY(mean_at(*rows.table, rows.row(i)));
            out[i] = mean.real();
        }
        return Done{};
    }
    Attempt<Rational> exact_prediction(const TableView& rows, Run&) const override {
        auto mean = TRY(mean_at(*rows.table, rows.row(0)));
        return mean.is_exact() ? Attempt<Rational>(mean.exact()) : not_applicable;
    }
    Result<DistributionPtr> distribution(const TableView& rows, Run&) const override {
        const auto inputs = inputs_at(*rows.table, rows.row(0));
        if (!in_.by_all()) return in_.space.outcome_of(in_.hypothesis, inputs);
        std::vector<Number> weights;
        std::vector<DistributionPtr> parts;
        for (std::size_t h = 0; h < in_.posterior.size(); ++h) {
            if (in_.posterior.at(h).is_zero()) continue;
            auto said = in_.space.outcome_of(h, inputs);
            if (!said) return said;
            weights.push_back(in_.posterior.at(h));
            parts.push_back(*std::move(said));
        }
        if (parts.size() == 1) return parts[0];
        return make_mixture(std::move(weights), std::move(parts));
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override {
        DerivationWriter out;
        if (in_.by_all())
            out.formula(fmt::format("E({0} | D) = sum over hypotheses of P(h | D) * E({0} | h)", schema_.target.name));
        else
            out.note(chosen_text(in_.method, in_.space, in_.posterior, in_.hypothesis));
        auto mean = TRY(mean_at(*rows.table, rows.row(0)));
        out.note(fmt::format("E({} | {}) = {}", schema_.target.name, in_.by_all() ? "D" : "h",
                             mean.is_exact() ? label_text(mean) : fmt::format("{:.6g}", mean.real())));
        return std::move(out).take();
    }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override {
        return learned_on(in_, schema_, rows, weights, run);
    }

private:
    /// The mean of a mixture is the mixture of the means.
    Result<Number> mean_at(const Table& table, std::size_t row) const {
        const auto inputs = inputs_at(table, row);
        Number out = 0;
        for (std::size_t h = 0; h < in_.posterior.size(); ++h) {
            const Number weight = in_.by_all() ? in_.posterior.at(h) : Number(h == in_.hypothesis ? 1 : 0);
            if (weight.is_zero()) continue;
            auto said = TRY(in_.space.outcome_of(h, inputs));
            auto mean = TRY(said->mean());
            const auto* number = std::get_if<Number>(&mean);
            if (!number)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("{} is {} under {}: not a number to predict", schema_.target.name, said->name(),
                                                    text_of(in_.space, in_.posterior.labels(h)))};
            out += weight * *number;
        }
        return out;
    }
    Believed in_;
};

Result<ModelPtr> space_model(Believed believed, Schema schema) {
    if (believed.space.outcome.is_discrete())
        return ModelPtr(std::make_shared<const SpaceClassifier>(std::move(believed), std::move(schema)));
    return ModelPtr(std::make_shared<const SpaceRegressor>(std::move(believed), std::move(schema)));
}

/// Of hypotheses that say normal(mean, s) with one s: the most likely one has the least sum of squares.
Status write_squares(const HypothesisSpace& space, std::span<const ObservationGroup> seen, std::size_t best, DerivationWriter& out) {
    constexpr std::size_t most_sums = 1'000'000;
    if (seen.empty() || seen.size() > longest_sum || space.prior.size() * seen.size() > most_sums || !space.table.empty()) return Done{};
    std::optional<Number> spread;
    std::vector<double> sums(space.prior.size(), 0.0);
    const auto mean_of = [&](std::size_t h, const ObservationGroup& group) -> Result<std::optional<Number>> {
        const auto said = TRY(space.outcome_of(h, group.inputs));
        const auto parameters = said->parameters();
        if (said->name() != "normal" || parameters.size() != 2) return std::optional<Number>();
        const auto* mean = std::get_if<Number>(&parameters[0].value);
        const auto* sd = std::get_if<Number>(&parameters[1].value);
        if (!mean || !sd || (spread && !(*spread == *sd))) return std::optional<Number>();
        spread = *sd;
        return std::optional<Number>(*mean);
    };
    for (std::size_t h = 0; h < sums.size(); ++h)
        for (const auto& group : seen) {
            const auto mean = TRY(mean_of(h, group));
            if (!mean || !group.value.is_number()) return Done{};
            const double e = group.value.number()->real() - mean->real();
            sums[h] += static_cast<double>(group.count) * e * e;
        }
    out.formula("p(D | h) = the product of 1 / (s * sqrt(2 * pi)) * exp(-(d - h(x))^2 / (2 * s^2))");
    out.formula("ln p(D | h) = the sum of -ln(s * sqrt(2 * pi)) - (d - h(x))^2 / (2 * s^2)");
    out.note(fmt::format("s is {} for every h, so ln p(D | h) is largest where the sum of (d - h(x))^2 is smallest:", label_text(*spread)));
    std::vector<double> closeness;
    for (const double s : sums) closeness.push_back(-s);
    auto shown = shown_cases(closeness);
    if (!contains(shown, best)) shown.push_back(best);
    for (const auto h : shown) {
        std::vector<std::string> names;
        std::size_t rest = h;
        for (std::size_t p = space.parameters.size(); p-- > 0;) {
            const auto& domain = *space.parameters[p].domain;
            names.insert(names.begin(), fmt::format("{} = {}", space.parameters[p].name, domain[rest % domain.size()].text()));
            rest /= domain.size();
        }
        out.note(fmt::format("{}:", joined(names, ", ")));
        std::vector<Parts> squares;
        Number total = 0;
        for (const auto& group : seen) {
            const auto said = TRY(mean_of(h, group));
            const Number& mean = *said;
            const Number e = *group.value.number() - mean;
            Parts square;
            if (group.count > 1) square = {Number(Rational(group.count)), std::string(" * ")};
            append(square, {std::string("("), *group.value.number(), std::string(" - "), mean, std::string(")^2")});
            squares.push_back(std::move(square));
            total += Number(Rational(group.count)) * e * e;
        }
        out.begin(joined(squares, " + "));
        out.result(total);
    }
    if (shown.size() < sums.size()) out.note(fmt::format("… of {} hypotheses, those with the smallest sums", sums.size()));
    return Done{};
}

class SpaceLearner final : public Learner {
public:
    SpaceLearner(ConceptMethod method, std::shared_ptr<const HypothesesModel> space) : method_(method), space_(std::move(space)) {}
    std::string_view name() const override { return name_of(method_); }
    TargetKind target() const override { return TargetKind::none; }
    bool single_threaded() const override { return !space_->space().inputs.empty(); }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        const HypothesisSpace start = starting_space();
        auto data = TRY(observed_rows(start, rows, weights));
        auto believed = TRY(learn_space(method_, start, data, rows.size(), run));
        return space_model(std::move(believed), schema_of_space(start, *data));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        const HypothesisSpace start = starting_space();
        auto data = TRY(observed_rows(start, rows, weights));
        const Query query = posterior_query(start, data);
        const Variables variables = variables_of(start);
        auto answer = TRY(ask_space(start, variables, query, run));
        auto lines = explain_space(start, variables, query, answer, run);
        if (!lines) return lines;
        DerivationWriter head;
        if (method_ == ConceptMethod::ml_learner) head.note("the prior makes no difference: every hypothesis has the same");
        Derivation out = std::move(head).take();
        out.insert(out.end(), lines->begin(), lines->end());
        const auto& belief = dynamic_cast<const SpaceBelief&>(fitted);
        DerivationWriter tail;
        if (method_ == ConceptMethod::ml_learner) {
            const auto question = TRY(read_question(start, variables, query, run));
            TRY(write_squares(start, question.evidence, belief.hypothesis(), tail));
        }
        if (method_ == ConceptMethod::bayes_optimal)
            tail.note(fmt::format("all predict together, weighted by P(h | D); the most probable single one is {}",
                                  text_of(start, belief.posterior().labels(belief.hypothesis()))));
        else
            tail.note(chosen_text(method_, start, belief.posterior(), belief.hypothesis()));
        const Derivation last = std::move(tail).take();
        out.insert(out.end(), last.begin(), last.end());
        return out;
    }

private:
    HypothesisSpace starting_space() const {
        return method_ == ConceptMethod::ml_learner ? without_prior(space_->space()) : space_->space();
    }
    ConceptMethod method_;
    std::shared_ptr<const HypothesesModel> space_;
};

}  // namespace

LearnerPtr make_space_learner(ConceptMethod method, std::shared_ptr<const HypothesesModel> space) {
    return std::make_shared<const SpaceLearner>(method, std::move(space));
}

}  // namespace credence::rt
