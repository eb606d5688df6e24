#include "lang/eval/hypothesis_terms.hpp"

#include "lang/eval/lower_term.hpp"
#include "runtime/core/contains.hpp"

namespace credence::lang {

namespace {

class OutcomeLowering {
public:
    OutcomeLowering(Evaluator& evaluator, std::size_t variables)
        : lowering_(evaluator, [](const std::string&) { return std::optional<rt::Term>(); }) {
        for (std::size_t v = 0; v < variables; ++v) frame_.push_back(Symbolic{rt::variable_term(static_cast<rt::VarId>(v))});
    }

    std::optional<rt::Term> number(const Expr& expr) {
        auto out = lowering_.number(expr, frame_);
        return out ? std::optional(*std::move(out)) : std::nullopt;
    }

    std::optional<rt::OutcomeTerms> outcome(const Expr& expr, NumberMeans numbers) {
        if (std::holds_alternative<RecordLit>(expr.node)) return record(expr);
        if (const auto* call = std::get_if<Call>(&expr.node)) {
            const auto* callee = std::get_if<NameExpr>(&call->callee->node);
            if (callee && callee->resolved.kind == Resolution::Kind::builtin)
                if (const auto* info = rt::find_family(callee->name)) return family(*info, *call);
        }
        if (numbers != NumberMeans::probability) return std::nullopt;
        auto lowered = lowering_.lower(expr, frame_);
        const auto* term = lowered ? std::get_if<rt::Term>(&lowered->node) : nullptr;
        if (!term) return std::nullopt;
        return rt::OutcomeTerms{.family = rt::Family::bernoulli, .parameters = {*term}, .labels = {}};
    }

private:
    std::optional<rt::OutcomeTerms> record(const Expr& expr) {
        auto lowered = lowering_.lower(expr, frame_);
        const auto* entries = lowered ? std::get_if<Symbolic::Record>(&lowered->node) : nullptr;
        if (!entries) return std::nullopt;
        rt::OutcomeTerms out{.family = rt::Family::categorical, .parameters = {}, .labels = {}};
        for (const auto& [key, value] : *entries) {
            auto term = lowering_.as_number(value, expr.span);
            const auto label = rt::Label::of_text(key);
            if (!term || rt::contains(out.labels, label)) return std::nullopt;
            out.labels.push_back(label);
            out.parameters.push_back(*std::move(term));
        }
        return out;
    }

    std::optional<rt::OutcomeTerms> family(const rt::FamilyInfo& info, const Call& call) {
        if (rt::Family(info) == rt::Family::categorical && call.arguments.size() == 1 && !call.arguments[0].name)
            return record(*call.arguments[0].value);
        if (!info.log_density || call.arguments.size() != info.parameters.size()) return std::nullopt;
        rt::OutcomeTerms out{.family = info, .parameters = {}, .labels = {}};
        for (const auto& argument : call.arguments) {
            if (argument.name) return std::nullopt;
            auto term = number(*argument.value);
            if (!term) return std::nullopt;
            out.parameters.push_back(*std::move(term));
        }
        return out;
    }

    TermLowering lowering_;
    SymbolicFrame frame_;
};

}  // namespace

std::optional<rt::Term> grid_term(Evaluator& evaluator, const Expr& expr, std::size_t variables) {
    return OutcomeLowering(evaluator, variables).number(expr);
}

std::optional<rt::OutcomeTerms> outcome_terms(Evaluator& evaluator, const Expr& expr, std::size_t variables, NumberMeans numbers) {
    return OutcomeLowering(evaluator, variables).outcome(expr, numbers);
}

}  // namespace credence::lang
