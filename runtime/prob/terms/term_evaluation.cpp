#include "runtime/prob/terms/term_evaluation.hpp"

#include "runtime/core/triangle.hpp"

namespace credence::rt {

double TermEvaluation::operator()(const Term& term) {
    if (is_constant(term)) return term->value.real();
    if (term->parts.empty()) return leaf_(*term);
    if (!is_shared_part(term)) return computed(*term);
    if (const auto known = known_.find(term.get()); known != known_.end()) return known->second;
    const double out = computed(*term);
    known_.emplace(term.get(), out);
    return out;
}

double TermEvaluation::computed(const TermNode& term) {
    if (term.op == TermOp::choose) return (*this)(term.parts[(*this)(term.parts[0]) != 0 ? 1 : 2]);
    if (term.op == TermOp::entry) {
        const auto& list = list_of(term.parts[0]);
        const double at = (*this)(term.parts[1]);
        return at >= 0 && at < static_cast<double>(list.size()) ? list[static_cast<std::size_t>(at)] : std::nan("");
    }
    if (operation_of(term.op).form == TermForm::list) return std::nan("");
    const double a = (*this)(term.parts[0]);
    const double b = term.parts.size() > 1 ? (*this)(term.parts[1]) : 0;
    return operation_of(term.op).value(a, b);
}

const std::vector<double>& TermEvaluation::list_of(const Term& term) {
    if (const auto known = lists_.find(term.get()); known != lists_.end()) return known->second;
    std::vector<double> out;
    if (term->op == TermOp::factor || term->op == TermOp::list)
        for (const auto& part : term->parts) out.push_back((*this)(part));
    if (term->op == TermOp::factor) factor_triangle(out);
    return lists_.emplace(term.get(), std::move(out)).first->second;
}

double evaluate(const Term& term, const std::function<double(const TermNode&)>& leaf) { return TermEvaluation(leaf)(term); }

}  // namespace credence::rt
