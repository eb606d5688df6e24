// Hypothesis spaces, explicit and parametric.

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/syntax/walk.hpp"
#include "lang/value/function.hpp"
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

/// The values an outcome with inputs can take, where its text shows them: labels, keys of records, true and false of conditions and of
/// probabilities. Nothing where only a run could tell, or where a number is drawn.
class WrittenOutcomes {
public:
    WrittenOutcomes(const World& world, std::span<const rt::Variable> parameters) : world_(world), parameters_(parameters) {}

    rt::DomainPtr of(const Expr& expr) {
        if (!leaf(expr, false) || labels_.empty()) return nullptr;
        if (std::all_of(labels_.begin(), labels_.end(), [](const rt::Label& l) { return l.is_number(); }))
            std::sort(labels_.begin(), labels_.end());
        return rt::make_domain(std::move(labels_));
    }

private:
    bool add(const rt::Label& label) {
        if (std::find(labels_.begin(), labels_.end(), label) == labels_.end()) labels_.push_back(label);
        return true;
    }
    bool add_all(const rt::Domain& domain) {
        for (const auto& label : domain.labels()) add(label);
        return true;
    }
    bool boolean() { return add_all(*rt::boolean_domain()); }

    bool leaf(const Expr& expr, bool in_function) {
        if (const auto* choice = std::get_if<If>(&expr.node)) return leaf(*choice->then_, in_function) && leaf(*choice->else_, in_function);
        if (const auto* record = std::get_if<RecordLit>(&expr.node)) {
            for (const auto& entry : record->entries) add(rt::Label::of_text(entry.key.text));
            return true;
        }
        if (const auto* sign = std::get_if<SignLit>(&expr.node)) return add(rt::Label::of_text(std::string(1, sign->sign)));
        if (const auto* text = std::get_if<TextLit>(&expr.node)) {
            const auto* plain = text->parts.size() == 1 ? std::get_if<std::string>(&text->parts[0]) : nullptr;
            return plain && add(rt::Label::of_text(*plain));
        }
        if (std::holds_alternative<BoolLit>(expr.node) || std::holds_alternative<NumberLit>(expr.node)) return boolean();
        if (const auto* name = std::get_if<NameExpr>(&expr.node)) return word(*name, in_function);
        if (const auto* unary = std::get_if<Unary>(&expr.node))
            return (unary->op == UnaryOp::not_ || unary->op == UnaryOp::negate) && boolean();
        if (const auto* binary = std::get_if<Binary>(&expr.node)) {
            const bool arithmetic = binary->op >= BinaryOp::add;
            return (!arithmetic || (is_number(*binary->left) && is_number(*binary->right))) && boolean();
        }
        if (const auto* call = std::get_if<Call>(&expr.node)) return called(*call, in_function);
        return false;
    }

    /// Of an operand: not a record or factor by its looks.
    static bool is_number(const Expr& expr) {
        bool out = true;
        walk(expr, [&](const Expr& part) {
            if (std::holds_alternative<RecordLit>(part.node) || std::holds_alternative<QueryExpr>(part.node)) out = false;
            return out;
        });
        return out;
    }

    bool word(const NameExpr& name, bool in_function) {
        if (name.resolved.kind == Resolution::Kind::label) return add(rt::Label::of_text(name.name));
        if (name.resolved.kind == Resolution::Kind::local) {
            if (in_function || name.resolved.slot >= parameters_.size()) return false;
            const auto& domain = *parameters_[name.resolved.slot].domain;
            const bool numbers = std::all_of(domain.labels().begin(), domain.labels().end(), [](const auto& l) { return l.is_number(); });
            return numbers ? boolean() : add_all(domain);
        }
        const auto* value = global(name);
        if (!value) return false;
        if (const auto* d = value->get<rt::DistributionPtr>()) {
            const auto finite = (*d)->finite_values();
            return finite && (*d)->support() == rt::Support::labels && add_all(*finite);
        }
        if (const auto* record = value->get<RecordPtr>()) {
            for (const auto& entry : (*record)->entries) add(rt::Label::of_text(entry.first));
            return true;
        }
        if (value->is<rt::Number>()) return boolean();
        const auto label = value->as_label();
        return label && add(*label);
    }

    bool called(const Call& call, bool in_function) {
        const auto* name = std::get_if<NameExpr>(&call.callee->node);
        if (!name) return false;
        if (name->resolved.kind == Resolution::Kind::builtin) {
            if (name->name == "bernoulli") return boolean();
            if ((name->name == "categorical" || name->name == "normalize") && !call.arguments.empty())
                return leaf(*call.arguments[0].value, in_function);
            const Overloads* builtin = world_.registry.find(name->name);
            return builtin && !builtin->forms.empty() && builtin->forms[0].subject == "numbers" && boolean();
        }
        const auto* value = global(*name);
        const auto* function = value ? value->get<FunctionPtr>() : nullptr;
        const auto* closure = function ? std::get_if<Closure>(&(*function)->node) : nullptr;
        if (!closure || ++calls_ > 100) return false;  // a function that calls itself shows its outcomes at the first look
        return leaf(closure->fn ? *closure->fn->body : *closure->lambda->body, true);
    }

    const Value* global(const NameExpr& name) const {
        if (name.resolved.kind != Resolution::Kind::global || !world_.globals[name.resolved.slot]) return nullptr;
        return &*world_.globals[name.resolved.slot];
    }

    const World& world_;
    std::span<const rt::Variable> parameters_;
    std::vector<rt::Label> labels_;
    int calls_ = 0;
};

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
            space.outcome.domain = WrittenOutcomes(world_, space.parameters).of(*statement.outcome_value);
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
