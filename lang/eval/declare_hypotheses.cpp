// Hypothesis spaces, explicit and parametric.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/eval/hypothesis_terms.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/declared/hypotheses.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_hypotheses = 5'000'000;

/// Sets the slots of the parameters to those of hypothesis h; the last parameter goes fastest.
void bind_parameters(std::span<const rt::Variable> parameters, std::size_t h, Frame& frame) {
    for (std::size_t k = parameters.size(); k-- > 0;) {
        const auto& domain = *parameters[k].domain;
        frame[k] = Value::label(domain[h % domain.size()]);
        h /= domain.size();
    }
}

std::string point_text(std::span<const rt::Variable> parameters, const Frame& frame) {
    std::string out;
    for (std::size_t k = 0; k < parameters.size(); ++k)
        out += fmt::format("{}{} = {}", k ? ", " : "", parameters[k].name, frame[k].as_label()->text());
    return out;
}

/// The name that is used twice, and its two meanings. (A parameter may have the name of its space.)
struct NameClash {
    const Word* word;
    std::string_view first;
    std::string_view second;
};
std::optional<NameClash> clash_in(const HypothesesStmt& statement) {
    std::vector<std::pair<const Word*, std::string_view>> named{{&statement.name, "the space"}};
    const auto find = [&](const Word& word) {
        return std::find_if(named.begin(), named.end(), [&](const auto& n) { return n.first->text == word.text; });
    };
    for (const auto& parameter : statement.parameters) named.emplace_back(&parameter.name, "a parameter");
    std::vector<std::pair<const Word*, std::string_view>> others{{&statement.outcome, "the outcome"}};
    for (const auto& input : statement.inputs) others.emplace_back(&input, "an input");
    for (const auto& other : others) {
        if (const auto found = find(*other.first); found != named.end()) return NameClash{other.first, found->second, other.second};
        named.push_back(other);
    }
    return std::nullopt;
}

/// A bare number that reads as P(true) at every point.
std::optional<rt::OutcomeTerms> truth_terms(Evaluator& evaluator, const Expr& expr, std::span<const rt::Variable> parameters) {
    const auto term = grid_term(evaluator, expr, parameters.size());
    const auto values = term ? rt::values_on_grid(*term, parameters) : std::nullopt;
    if (!values) return std::nullopt;
    NumberReading reading;
    for (const auto& value : *values) reading.number(value);
    if (reading.meaning() != NumberMeans::probability) return std::nullopt;
    return rt::OutcomeTerms{.family = rt::Family::bernoulli, .parameters = {*term}, .labels = {}};
}

}  // namespace

Result<Value> Evaluator::declare_model(const HypothesesStmt& statement) {
    if (const auto clash = clash_in(statement))
        return fault("E-DUPLICATE", fmt::format("{} is both {} and {}", clash->word->text, clash->first, clash->second), clash->word->span,
                     "choose another name");
    rt::HypothesisSpace space;
    space.name = statement.name.text;
    space.outcome.name = statement.outcome.text;
    space.parametric = statement.parametric;
    TRY(statement.parametric ? declare_parametric(statement, space) : declare_explicit(statement, space));
    return Value(Value::Node(ModelValue{rt::make_hypotheses_model(std::move(space)), statement.name.text}));
}

Status Evaluator::declare_explicit(const HypothesesStmt& statement, rt::HypothesisSpace& space) {
    std::vector<rt::Label> labels;
    std::vector<rt::Number> priors;
    SaidOutcomes said;
    Frame frame;
    for (const auto& h : statement.hypotheses) {
        const auto label = rt::Label::of_text(h.label.text);
        if (rt::contains(labels, label))
            return fault("E-DUPLICATE", fmt::format("the hypothesis {} is declared twice", h.label.text), h.label.span);
        labels.push_back(label);
        if (h.prior) {
            auto p = TRY(number(*h.prior, frame));
            if (p.sign() < 0) return fault("E-NEGATIVE", fmt::format("the prior of {} is negative", h.label.text), h.prior->span);
            priors.push_back(std::move(p));
        }
        if (!statement.inputs.empty()) continue;
        auto value = TRY(eval(*h.outcome, frame));
        if (Status fine = said.add(value); !fine) return at(std::move(fine).fault(), h.outcome->span);
    }
    if (labels.empty()) return fault("E-DOMAIN", fmt::format("the space {} has no hypotheses", space.name), statement.name.span);
    if (Status fine = complete_prior(statement, std::move(priors), space); !fine) return fine;
    space.parameters.push_back({space.name, rt::make_domain(std::move(labels))});
    if (!statement.inputs.empty()) {
        for (const auto& input : statement.inputs) space.inputs.push_back(input.text);
        declare_outcome_of_inputs(statement, space);
        return rt::Done{};
    }
    Status done = rt::tabulate(space, std::move(said).take());
    if (!done) return at(std::move(done).fault(), statement.name.span);
    return rt::Done{};
}

/// All hypotheses have a prior, and they sum to one, or none has: then it is uniform.
Status Evaluator::complete_prior(const HypothesesStmt& statement, std::vector<rt::Number> priors, rt::HypothesisSpace& space) {
    const std::size_t count = statement.hypotheses.size();
    if (priors.empty()) {
        space.prior = rt::Prior::uniform(count);
        return rt::Done{};
    }
    if (priors.size() != count) {
        const auto bare =
            std::find_if(statement.hypotheses.begin(), statement.hypotheses.end(), [](const HypothesisDecl& h) { return !h.prior; });
        return fault("E-PRIOR", fmt::format("{} of the {} hypotheses of {} have no prior", count - priors.size(), count, space.name),
                     bare->label.span, "give all a prior, or none (then it is uniform)");
    }
    rt::Number total = 0;
    for (const auto& p : priors) total += p;
    if (!rt::sums_to_one(total))
        return fault("E-SUM", fmt::format("the priors of {} do not sum to 1", space.name), statement.name.span,
                     fmt::format("they sum to {}", rt::label_text(total)));
    space.prior = std::move(priors);
    return rt::Done{};
}

Status Evaluator::declare_parametric(const HypothesesStmt& statement, rt::HypothesisSpace& space) {
    auto count = TRY(declare_parameters(statement, space));
    for (const auto& input : statement.inputs) space.inputs.push_back(input.text);
    if (Status done = declare_prior(statement, space, count); !done) return done;
    if (!space.inputs.empty()) {
        declare_outcome_of_inputs(statement, space);
        return rt::Done{};
    }
    if (declare_outcome_by_terms(statement, space)) return rt::Done{};
    Frame frame(space.parameters.size());
    SaidOutcomes said;
    for (std::size_t h = 0; h < count; ++h) {
        if (run_.stopped()) return rt::stopped_fault();
        bind_parameters(space.parameters, h, frame);
        auto value = TRY(eval(*statement.outcome_value, frame));
        if (Status fine = said.add(value); !fine) {
            Fault f = std::move(fine).fault();
            f.label = fmt::format("{}{}where {}", f.label, f.label.empty() ? "" : " ", point_text(space.parameters, frame));
            return at(std::move(f), statement.outcome_value->span);
        }
    }
    Status done = rt::tabulate(space, std::move(said).take());
    if (!done) return at(std::move(done).fault(), statement.name.span);
    return rt::Done{};
}

/// The weights that the prior's expression gives, normalised; without one, all equal.
Status Evaluator::declare_prior(const HypothesesStmt& statement, rt::HypothesisSpace& space, std::size_t count) {
    if (!statement.prior) {
        space.prior = rt::Prior::uniform(count);
        return rt::Done{};
    }
    const auto term = grid_term(*this, *statement.prior, space.parameters.size());
    auto weights = term ? rt::values_on_grid(*term, space.parameters) : std::nullopt;
    if (!weights) {
        weights.emplace();
        Frame frame(space.parameters.size() + space.inputs.size());
        for (std::size_t h = 0; h < count; ++h) {
            if (run_.stopped()) return rt::stopped_fault();
            bind_parameters(space.parameters, h, frame);
            auto w = TRY(number(*statement.prior, frame));
            weights->push_back(std::move(w));
        }
    }
    rt::Number total = 0;
    for (const auto& weight : *weights) {
        if (weight.sign() < 0) return fault("E-NEGATIVE", "a prior weight is negative", statement.prior->span);
        total += weight;
    }
    if (total.is_zero()) return fault("E-PRIOR", fmt::format("all prior weights of {} are zero", space.name), statement.prior->span);
    for (auto& weight : *weights) weight = weight / total;
    space.prior = *std::move(weights);
    return rt::Done{};
}

/// Without inputs: a table, or distributions over numbers made when they are asked for. False where the script has to speak for itself.
bool Evaluator::declare_outcome_by_terms(const HypothesesStmt& statement, rt::HypothesisSpace& space) {
    space.terms = outcome_terms(*this, *statement.outcome_value, space.parameters.size(), NumberMeans::label);
    if (!space.terms) space.terms = truth_terms(*this, *statement.outcome_value, space.parameters);
    if (!space.terms) return false;
    if (rt::tabulate_terms(space)) return true;
    if (rt::draws_numbers(space)) {
        space.outcome_of = rt::outcome_by_terms(*space.terms, space.parameters);
        return true;
    }
    space.terms.reset();
    return false;
}

/// How many points the grid of the parameters has.
Result<std::size_t> Evaluator::declare_parameters(const HypothesesStmt& statement, rt::HypothesisSpace& space) {
    std::size_t count = 1;
    for (const auto& parameter : statement.parameters) {
        Frame frame;
        auto range = TRY(eval(*parameter.range, frame));
        const List* items = range.items();
        if (!items)
            return fault("E-TYPE", fmt::format("a parameter runs over a range, a list or a set, not {}", range.kind()),
                         parameter.range->span);
        std::vector<rt::Label> labels;
        for (const auto& item : *items) {
            const auto label = item.as_label();
            if (!label)
                return fault("E-TYPE", fmt::format("a parameter's value is a number or a label, not {}", item.kind()),
                             parameter.range->span);
            labels.push_back(*label);
        }
        if (labels.empty())
            return fault("E-DOMAIN", fmt::format("the parameter {} has no values", parameter.name.text), parameter.range->span);
        count *= labels.size();
        if (count > most_hypotheses)
            return fault("E-COST", fmt::format("the space {} would have more than {} hypotheses", space.name, most_hypotheses),
                         parameter.range->span, {}, "use a larger step");
        auto domain = rt::make_domain(std::move(labels));
        if (std::any_of(space.parameters.begin(), space.parameters.end(),
                        [&](const rt::Variable& v) { return v.name == parameter.name.text; }))
            return fault("E-DUPLICATE", fmt::format("{} has two parameters named {}", space.name, parameter.name.text),
                         parameter.name.span);
        space.parameters.push_back({parameter.name.text, std::move(domain)});
    }
    return count;
}

/// Asked at query time, a row of data at a time: the tree is evaluated with parameters and inputs in their slots.
void Evaluator::declare_outcome_of_inputs(const HypothesesStmt& statement, rt::HypothesisSpace& space) {
    // A named hypothesis has an expression of its own and no parameters.
    std::vector<const Expr*> said;
    std::vector<rt::Variable> parameters;
    if (statement.parametric) {
        said.push_back(statement.outcome_value.get());
        parameters = space.parameters;
    }
    for (const auto& h : statement.hypotheses) said.push_back(h.outcome.get());
    const WrittenOutcome written = written_outcome(world_, parameters, said);
    space.outcome.domain = written.values;
    if (statement.parametric)
        space.terms = outcome_terms(*this, *statement.outcome_value, parameters.size() + space.inputs.size(), written.numbers);
    space.outcome_of = [by_terms = space.terms ? rt::outcome_by_terms(*space.terms, space.parameters) : rt::OutcomeOf(),
                        this_world = &world_, source = source_, folder = folder_, said, parameters,
                        width = parameters.size() + space.inputs.size(),
                        numbers = written.numbers](std::size_t h, std::span<const rt::Label> inputs) -> Result<rt::DistributionPtr> {
        if (by_terms)
            if (auto compiled = by_terms(h, inputs)) return compiled;
        Evaluator inner(*this_world, source, folder);
        Frame slots(width);
        bind_parameters(parameters, h, slots);
        for (std::size_t i = 0; i < inputs.size(); ++i) slots[parameters.size() + i] = Value::label(inputs[i]);
        auto value = inner.eval(parameters.empty() ? *said[h] : *said[0], slots);
        if (!value) {
            Fault f = std::move(value).fault();
            f.origin = rt::Origin::none;  // its marks end with the inner evaluator
            return f;
        }
        return outcome_distribution(*value, numbers);
    };
}

}  // namespace credence::lang
