#include "lang/eval/hypothesis_outcomes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lang/syntax/walk.hpp"
#include "lang/value/function.hpp"
#include "runtime/core/contains.hpp"

namespace credence::lang {

namespace {

class WrittenOutcomes {
public:
    WrittenOutcomes(const World& world, std::span<const rt::Variable> parameters) : world_(world), parameters_(parameters) {}

    WrittenOutcome of(std::span<const Expr* const> said) {
        WrittenOutcome out;
        const bool readable = std::all_of(said.begin(), said.end(), [&](const Expr* expr) { return leaf(*expr, false); });
        out.numbers = numbers_.meaning();
        if (!readable) return out;
        if (out.numbers == NumberMeans::label && computed_) return out;
        if (out.numbers == NumberMeans::label)
            for (const auto& n : written_) add(rt::Label::of_number(n));
        else if (computed_ || !written_.empty())
            add_all(*rt::boolean_domain());
        if (labels_.empty()) return out;
        if (std::all_of(labels_.begin(), labels_.end(), [](const rt::Label& l) { return l.is_number(); }))
            std::sort(labels_.begin(), labels_.end());
        out.values = rt::make_domain(std::move(labels_));
        return out;
    }

private:
    bool add(const rt::Label& label) {
        numbers_.beside(label);
        if (!rt::contains(labels_, label)) labels_.push_back(label);
        return true;
    }
    bool add_all(const rt::Domain& domain) {
        for (const auto& label : domain.labels()) add(label);
        return true;
    }
    bool truth() { return add_all(*rt::boolean_domain()); }
    bool number(const rt::Number& n) {
        numbers_.number(n);
        written_.push_back(n);
        return true;
    }
    bool computed() {
        numbers_.computed();
        return computed_ = true;
    }

    bool leaf(const Expr& expr, bool in_function) {
        if (const auto* choice = std::get_if<If>(&expr.node)) return leaf(*choice->then_, in_function) && leaf(*choice->else_, in_function);
        if (const auto* record = std::get_if<RecordLit>(&expr.node)) {
            for (const auto& entry : record->entries) {
                if (entry.computed) return false;
                add(rt::Label::of_text(entry.key.text));
            }
            return true;
        }
        if (const auto* sign = std::get_if<SignLit>(&expr.node)) return add(rt::Label::of_text(std::string(1, sign->sign)));
        if (const auto* text = std::get_if<TextLit>(&expr.node)) {
            const auto* plain = text->parts.size() == 1 ? std::get_if<std::string>(&text->parts[0]) : nullptr;
            return plain && add(rt::Label::of_text(*plain));
        }
        if (std::holds_alternative<BoolLit>(expr.node)) return truth();
        if (const auto* n = std::get_if<NumberLit>(&expr.node)) return number(n->value);
        if (const auto* name = std::get_if<NameExpr>(&expr.node)) return word(*name, in_function);
        if (const auto* unary = std::get_if<Unary>(&expr.node)) {
            if (unary->op == UnaryOp::not_) return truth();
            const auto* n = std::get_if<NumberLit>(&unary->operand->node);
            return unary->op == UnaryOp::negate && (n ? number(-rt::Number(n->value)) : computed());
        }
        if (const auto* binary = std::get_if<Binary>(&expr.node)) {
            const bool arithmetic = binary->op >= BinaryOp::add;
            if (!arithmetic) return truth();
            return is_number(*binary->left) && is_number(*binary->right) && computed();
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
            for (const auto& label : parameters_[name.resolved.slot].domain->labels())
                label.number() ? number(*label.number()) : add(label);
            return true;
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
        if (const auto* n = value->get<rt::Number>()) return number(*n);
        const auto label = value->as_label();
        return label && add(*label);
    }

    bool called(const Call& call, bool in_function) {
        const auto* name = std::get_if<NameExpr>(&call.callee->node);
        if (!name) return false;
        if (name->resolved.kind == Resolution::Kind::builtin) {
            if (name->name == "bernoulli") return truth();
            if ((name->name == "categorical" || name->name == "normalize") && !call.arguments.empty())
                return leaf(*call.arguments[0].value, in_function);
            const Overloads* builtin = world_.registry.find(name->name);
            return builtin && !builtin->forms.empty() && builtin->forms[0].subject == "numbers" && computed();
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
    std::vector<rt::Number> written_;
    NumberReading numbers_;
    bool computed_ = false;
    int calls_ = 0;
};

}  // namespace

void NumberReading::number(const rt::Number& n) {
    const rt::Number one(1);
    outside_ = outside_ || n.sign() < 0 || n > one;
    between_ = between_ || (n.sign() > 0 && n < one);
    some_ = true;
}

void NumberReading::beside(const rt::Label& label) { (rt::boolean_domain()->find(label) ? truths_ : labels_) = true; }

NumberMeans NumberReading::meaning() const {
    if (outside_ || labels_) return NumberMeans::label;
    return some_ && !between_ && !truths_ ? NumberMeans::label : NumberMeans::probability;
}

Status SaidOutcomes::add(const Value& value) {
    if (const auto* n = value.get<rt::Number>()) {
        reading_.number(*n);
        numbers_.push_back(*n);
        said_.push_back(nullptr);
        return rt::Done{};
    }
    auto d = TRY(outcome_distribution(value, NumberMeans::label));
    if (const auto values = d->finite_values())
        for (const auto& label : values->labels()) reading_.beside(label);
    said_.push_back(std::move(d));
    return rt::Done{};
}

std::vector<rt::DistributionPtr> SaidOutcomes::take() && {
    auto next = numbers_.begin();
    for (auto& d : said_)
        if (!d) d = *outcome_distribution(Value(*next++), reading_.meaning());
    return std::move(said_);
}

Result<rt::DistributionPtr> outcome_distribution(const Value& value, NumberMeans numbers) {
    if (const auto* d = value.get<rt::DistributionPtr>()) return *d;
    if (const auto* n = value.get<rt::Number>(); n && numbers == NumberMeans::probability) {
        if (n->sign() >= 0 && *n <= rt::Number(1)) return rt::make_bernoulli(*n);
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("a number here is P(true), and {} is not a probability", rt::label_text(*n)),
                     .hint = "a number with noise is normal(mean, sd)"};
    }
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
        return Fault{
            .code = "E-TYPE",
            .message = fmt::format("a hypothesis gives a distribution, a number or a label for its outcome, not {}", value.kind())};
    }
    rt::Number total = 0;
    for (const auto& [label, weight] : weights) total += weight;
    if (!rt::sums_to_one(total))
        return Fault{.code = "E-SUM",
                     .message = "the probabilities of the outcome do not sum to 1",
                     .label = fmt::format("they sum to {}", rt::label_text(total))};
    return rt::make_categorical(std::move(weights));
}

WrittenOutcome written_outcome(const World& world, std::span<const rt::Variable> parameters, std::span<const Expr* const> said) {
    return WrittenOutcomes(world, parameters).of(said);
}

}  // namespace credence::lang
