// Hypothesis spaces, explicit and parametric.

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "runtime/prob/hypotheses.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_hypotheses = 5'000'000;

/// What a hypothesis says of the outcome, as a distribution: a record or a label is categorical, a number P(true).
Result<rt::DistributionPtr> outcome_distribution(const Value& value) {
    if (const auto* d = value.get<rt::DistributionPtr>()) return *d;
    if (const auto* n = value.get<rt::Number>()) return rt::make_bernoulli(*n);
    std::vector<std::pair<rt::Label, rt::Number>> weights;
    if (const auto* record = value.get<RecordPtr>()) {
        for (const auto& [key, weight] : (*record)->entries) {
            const auto* p = weight.get<rt::Number>();
            if (!p) return Fault{.code = "E-TYPE", .message = fmt::format("a probability is a number, not {}", weight.kind())};
            if (p->sign() < 0) return Fault{.code = "E-NEGATIVE", .message = fmt::format("the probability of {} is negative", key)};
            weights.emplace_back(rt::Label::of_text(key), *p);
        }
    } else if (const auto* factor = value.get<FactorPtr>(); factor && (*factor)->variables().size() == 1) {
        for (std::size_t i = 0; i < (*factor)->size(); ++i) weights.emplace_back((*factor)->labels(i)[0], (*factor)->at(i));
    } else if (const auto label = value.as_label()) {
        weights.emplace_back(*label, rt::Number(1));
    } else {
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a hypothesis says a distribution, a number or a label of its outcome, not {}", value.kind())};
    }
    rt::Number total = 0;
    for (const auto& [label, weight] : weights) total += weight;
    if (!rt::sums_to_one(total))
        return Fault{.code = "E-SUM",
                     .message = "the probabilities of the outcome do not sum to 1",
                     .label = fmt::format("they sum to {}", rt::label_text(total))};
    return rt::make_categorical(std::move(weights));
}

}  // namespace

Result<Value> Evaluator::declare_hypotheses(const HypothesesStmt& statement) {
    rt::HypothesisSpace space;
    space.name = statement.name.text;
    space.outcome.name = statement.outcome.text;
    space.parametric = statement.parametric;
    std::vector<rt::DistributionPtr> outcomes;

    if (!statement.parametric) {
        std::vector<rt::Label> labels;
        Frame frame;
        std::size_t priors = 0;
        for (const auto& h : statement.hypotheses) {
            const auto label = rt::Label::of_text(h.label.text);
            if (std::find(labels.begin(), labels.end(), label) != labels.end())
                return fault("E-DUPLICATE", fmt::format("the hypothesis {} is declared twice", h.label.text), h.label.span);
            labels.push_back(label);
            if (h.prior) {
                ++priors;
                auto p = number(*h.prior, frame);
                if (!p) return std::move(p).fault();
                if (p->sign() < 0) return fault("E-NEGATIVE", fmt::format("the prior of {} is negative", h.label.text), h.prior->span);
                space.prior.push_back(*std::move(p));
            }
            auto value = eval(*h.outcome, frame);
            if (!value) return value;
            auto d = outcome_distribution(*value);
            if (!d) return at(std::move(d).fault(), h.outcome->span);
            outcomes.push_back(*std::move(d));
        }
        if (labels.empty()) return fault("E-DOMAIN", fmt::format("the space {} has no hypotheses", space.name), statement.name.span);
        const auto bare =
            std::find_if(statement.hypotheses.begin(), statement.hypotheses.end(), [](const HypothesisDecl& h) { return !h.prior; });
        if (priors != 0 && priors != labels.size())
            return fault("E-PRIOR",
                         fmt::format("{} of the {} hypotheses of {} have no prior", labels.size() - priors, labels.size(), space.name),
                         bare->label.span, "give all a prior, or none (then it is uniform)");
        if (priors == 0) space.prior.assign(labels.size(), rt::Number(rt::Rational(1, static_cast<std::int64_t>(labels.size()))));
        rt::Number total = 0;
        for (const auto& p : space.prior) total += p;
        if (!rt::sums_to_one(total))
            return fault("E-SUM", fmt::format("the priors of {} do not sum to 1", space.name), statement.name.span,
                         fmt::format("they sum to {}", rt::label_text(total)));
        space.parameters.push_back({space.name, rt::make_domain(std::move(labels))});
    } else {
        std::size_t count = 1;
        for (const auto& parameter : statement.parameters) {
            Frame frame;
            auto range = eval(*parameter.range, frame);
            if (!range) return range;
            const List* items = range->items();
            if (!items)
                return fault("E-TYPE", fmt::format("a parameter goes through a range, a list or a set, not {}", range->kind()),
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
        for (const auto& input : statement.inputs) space.inputs.push_back(input.text);
        const auto bind = [parameters = space.parameters](std::size_t h, Frame& frame) {
            for (std::size_t k = parameters.size(); k-- > 0;) {
                const auto& domain = *parameters[k].domain;
                frame[k] = Value::label(domain[h % domain.size()]);
                h /= domain.size();
            }
        };
        Frame frame(space.parameters.size() + space.inputs.size());
        rt::Number total = 0;
        for (std::size_t h = 0; h < count; ++h) {
            if (run_.stopped()) return rt::stopped_fault();
            bind(h, frame);
            rt::Number weight = 1;
            if (statement.prior) {
                auto w = number(*statement.prior, frame);
                if (!w) return std::move(w).fault();
                weight = *std::move(w);
                if (weight.sign() < 0) return fault("E-NEGATIVE", "a prior weight is negative", statement.prior->span);
            }
            total += weight;
            space.prior.push_back(std::move(weight));
            if (!space.inputs.empty()) continue;
            auto value = eval(*statement.outcome_value, frame);
            if (!value) return value;
            auto d = outcome_distribution(*value);
            if (!d) {
                Fault f = std::move(d).fault();
                std::string point;
                for (std::size_t k = 0; k < space.parameters.size(); ++k)
                    point += fmt::format("{}{} = {}", k ? ", " : "", space.parameters[k].name, frame[k].as_label()->text());
                f.label = fmt::format("{}{}where {}", f.label, f.label.empty() ? "" : " ", point);
                return at(std::move(f), statement.outcome_value->span);
            }
            outcomes.push_back(*std::move(d));
        }
        if (total.is_zero())
            return fault("E-PRIOR", fmt::format("all prior weights of {} are zero", space.name),
                         statement.prior ? statement.prior->span : statement.name.span);
        for (auto& p : space.prior) p = p / total;
        if (!space.inputs.empty()) {
            // Asked at query time, a row of data at a time: the tree is evaluated with parameters and inputs in their slots.
            space.outcome_of = [this_world = &world_, source = source_, folder = folder_, expr = statement.outcome_value.get(), bind,
                                width = frame.size(), first = space.parameters.size()](
                                   std::size_t h, std::span<const rt::Label> inputs) -> Result<rt::DistributionPtr> {
                Evaluator inner(*this_world, source, folder);
                Frame slots(width);
                bind(h, slots);
                for (std::size_t i = 0; i < inputs.size(); ++i) slots[first + i] = Value::label(inputs[i]);
                auto value = inner.eval(*expr, slots);
                if (!value) {
                    Fault f = std::move(value).fault();
                    f.origin = rt::Origin::none;  // its marks end with the inner evaluator
                    return f;
                }
                return outcome_distribution(*value);
            };
        }
    }
    if (space.inputs.empty()) {
        Status done = rt::tabulate(space, std::move(outcomes));
        if (!done) return at(std::move(done).fault(), statement.name.span);
    }
    return Value(Value::Node(ModelValue{rt::make_hypotheses_model(std::move(space)), statement.name.text}));
}

}  // namespace credence::lang
