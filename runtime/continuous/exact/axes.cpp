#include "runtime/continuous/exact/axes.hpp"

#include <algorithm>
#include <map>

#include "runtime/continuous/exact/extremes.hpp"
#include "runtime/continuous/exact/plane.hpp"
#include "runtime/core/contains.hpp"

namespace credence::rt::continuous {

bool is_truth(const Term& term) {
    if (is_constant(term)) return term->value == Number(0) || term->value == Number(1);
    if (term->op == TermOp::choose) return is_truth(term->parts[1]) && is_truth(term->parts[2]);
    return operation_of(term->op).truth;
}

namespace {

bool is_comparison(const Term& term) { return term->op == TermOp::less || term->op == TermOp::less_equal || term->op == TermOp::equal; }

Term sum_of(const LinearTerm& linear) {
    Term out = constant_term(linear.constant);
    for (const auto& [v, coefficient] : linear.coefficients)
        out = make_term(TermOp::add, {out, make_term(TermOp::multiply, {constant_term(coefficient), variable_term(v)})});
    return out;
}

/// How often each variable occurs in a term.
void count_leaves(const Term& term, std::map<VarId, std::size_t>& into) {
    if (!term->has_variables) return;
    if (term->parts.empty()) ++into[term->variable];
    for (const auto& part : term->parts) count_leaves(part, into);
}

Term replaced(const Term& term, const Term& what, const Term& by) {
    if (term == what) return by;
    if (!term->has_variables || term->parts.empty()) return term;
    std::vector<Term> parts;
    for (const auto& part : term->parts) parts.push_back(replaced(part, what, by));
    return make_term(term->op, std::move(parts));
}

class Reducer {
public:
    Reducer(const Subproblem& subproblem, const Posterior& posterior, const Run& run)
        : subproblem_(subproblem), posterior_(posterior), run_(run) {
        for (const auto& joint : posterior.normals)
            for (const auto v : joint.variables()) normal_.push_back(v);
        std::sort(normal_.begin(), normal_.end());
        next_ = static_cast<std::size_t>(subproblem.problem->instances.size());
        const auto pieces = connected(subproblem);
        for (std::size_t k = 0; k < pieces.size(); ++k)
            for (const auto v : pieces[k].latents) piece_[v] = k;
    }

    /// What numbers may be made one of on the way.
    enum class Collapse { none, extremes, pairs };

    std::optional<OnAxes> operator()(std::span<const Term> terms, Collapse collapse) {
        for (const auto& term : terms)
            terms_.push_back(forms_taken(collapse == Collapse::extremes && is_truth(term) ? with_extremes_apart(term) : term));
        turn_forms();
        while (true) {
            std::map<VarId, std::size_t> all;
            for (const auto& term : terms_) count_leaves(term, all);
            if (all.size() <= 2) break;
            if (run_.stopped() || collapse == Collapse::none) return std::nullopt;
            if (collapse == Collapse::extremes && collapse_extreme(all)) continue;
            if (!collapse_one(all)) return std::nullopt;
        }
        return finished();
    }

private:
    bool is_normal(VarId v) const { return std::binary_search(normal_.begin(), normal_.end(), v); }

    /// Sums of normal numbers are numbers of their own; comparisons become comparisons of a difference with 0.
    Term forms_taken(const Term& term) {
        if (!term->has_variables) return term;
        if (is_comparison(term) && term->parts[0]->has_variables && term->parts[1]->has_variables) {
            const Term difference = make_term(TermOp::subtract, {term->parts[0], term->parts[1]});
            if (as_linear(difference)) return make_term(term->op, {forms_taken(difference), constant_term(0)});
        }
        if (auto linear = as_linear(term)) {
            LinearTerm form;
            LinearTerm rest;
            rest.constant = linear->constant;
            for (const auto& c : linear->coefficients) (is_normal(c.first) ? form : rest).coefficients.push_back(c);
            if (form.coefficients.empty()) return sum_of(rest);
            std::sort(form.coefficients.begin(), form.coefficients.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            const Number unit = form.coefficients[0].second;
            if (unit.is_zero()) return sum_of(rest);
            for (auto& c : form.coefficients) c.second = c.second / unit;
            return make_term(TermOp::add, {sum_of(rest), make_term(TermOp::multiply, {constant_term(unit), variable_term(form_id(form))})});
        }
        if (term->parts.empty()) return term;
        std::vector<Term> parts;
        for (const auto& part : term->parts) parts.push_back(forms_taken(part));
        return make_term(term->op, std::move(parts));
    }

    VarId form_id(const LinearTerm& form) {
        for (std::size_t i = 0; i < forms_.size(); ++i) {
            const auto& own = forms_[i].second.coefficients;
            const bool same = own.size() == form.coefficients.size() &&
                              std::equal(own.begin(), own.end(), form.coefficients.begin(),
                                         [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; });
            if (same) return forms_[i].first;
        }
        forms_.emplace_back(static_cast<VarId>(next_++), form);
        return forms_.back().first;
    }

    Number covariance(const LinearTerm& a, const LinearTerm& b) const {
        Number sum = 0;
        for (const auto& joint : posterior_.normals) sum += joint.covariance(own_part(joint, a), own_part(joint, b));
        return sum;
    }
    Number mean(const LinearTerm& a) const {
        Number sum = a.constant;
        for (const auto& joint : posterior_.normals) sum += joint.mean(own_part(joint, a));
        return sum;
    }
    static LinearTerm own_part(const JointNormal& joint, const LinearTerm& a) {
        LinearTerm out;
        for (const auto& c : a.coefficients)
            if (std::binary_search(joint.variables().begin(), joint.variables().end(), c.first)) out.coefficients.push_back(c);
        return out;
    }

    /// Gram–Schmidt: each form is a combination of the earlier ones, and a remainder that is independent of them.
    void turn_forms() {
        struct Turned {
            VarId id{};
            LinearTerm form;
            Number variance;
        };
        std::vector<Turned> turned;
        std::map<VarId, Term> meaning;
        for (const auto& [id, form] : forms_) {
            LinearTerm rest = form;
            Term means = constant_term(0);
            const Number whole = covariance(form, form);
            for (const auto& axis : turned) {
                const Number share = covariance(form, axis.form) / axis.variance;
                if (share.is_zero()) continue;
                means = make_term(TermOp::add, {means, make_term(TermOp::multiply, {constant_term(share), variable_term(axis.id)})});
                for (const auto& [v, coefficient] : axis.form.coefficients) add_to(rest, v, -(share * coefficient));
            }
            const Number left = covariance(rest, rest);
            if (!(left.real() > 1e-13 * whole.real())) {
                meaning[id] = make_term(TermOp::add, {means, constant_term(mean(rest))});
                continue;
            }
            auto made = make_normal(mean(rest), make_term(TermOp::sqrt, {constant_term(left)})->value);
            if (!made) continue;
            turned.push_back({id, rest, left});
            known_[id] = {*made, {}, sum_text(rest)};
            for (const auto& [v, coefficient] : rest.coefficients)
                if (!coefficient.is_zero()) from_[id].push_back(v);
            meaning[id] = make_term(TermOp::add, {means, variable_term(id)});
        }
        for (auto& term : terms_)
            term = rewrite(term, [&](const TermNode& leaf) -> Term {
                const auto at = meaning.find(leaf.variable);
                return at == meaning.end() ? nullptr : at->second;
            });
    }

    static void add_to(LinearTerm& to, VarId v, const Number& coefficient) {
        for (auto& c : to.coefficients)
            if (c.first == v) {
                c.second += coefficient;
                return;
            }
        to.coefficients.emplace_back(v, coefficient);
    }

    std::string sum_text(const LinearTerm& form) const {
        LinearTerm shown;
        for (const auto& c : form.coefficients)
            if (!c.second.is_zero()) shown.coefficients.push_back(c);
        return term_text(sum_of(shown), [&](VarId v) { return subproblem_.problem->name(v); });
    }

    /// A number's own distribution; null if it is not known.
    const Axis* axis(VarId v) {
        if (const auto at = known_.find(v); at != known_.end()) return &at->second;
        if (index(v) >= subproblem_.problem->instances.size()) return nullptr;
        auto own = marginal_of(posterior_, variable_term(v));
        if (!own) return nullptr;
        return &known_.emplace(v, Axis{std::move(own), {}, subproblem_.problem->name(v)}).first->second;
    }

    /// Whether two numbers are connected: they share a piece of the subproblem. Turned sums of normal numbers are independent of each
    /// other, and what was made here of two numbers is independent of all else.
    bool dependent(VarId v, VarId w) const {
        const auto a = from_.find(v);
        const auto b = from_.find(w);
        if (a != from_.end() && b != from_.end()) return false;
        const auto pieces = [&](VarId id, decltype(a) at) {
            std::vector<std::size_t> out;
            for (const auto own : at == from_.end() ? std::vector<VarId>{id} : at->second)
                if (const auto found = piece_.find(own); found != piece_.end()) out.push_back(found->second);
            return out;
        };
        const auto left = pieces(v, a);
        const auto right = pieces(w, b);
        return std::any_of(left.begin(), left.end(), [&](std::size_t k) { return contains(right, k); });
    }

    /// The number of the subproblem that an axis is; the axis itself where it is a sum of several.
    VarId latent(VarId v) const {
        const auto at = from_.find(v);
        return at != from_.end() && at->second.size() == 1 ? at->second[0] : v;
    }

    /// An extreme of independent numbers that occur nowhere else becomes one number.
    bool collapse_extreme(const std::map<VarId, std::size_t>& all) {
        for (const auto& term : terms_) {
            Axis made;
            Term kept;
            const Term found = extreme_in(term, all, made, kept);
            if (!found) continue;
            const auto id = static_cast<VarId>(next_++);
            known_.emplace(id, std::move(made));
            const Term by = kept ? make_term(found->op, {kept, variable_term(id)}) : variable_term(id);
            for (auto& own : terms_) own = replaced(own, found, by);
            return true;
        }
        return false;
    }

    /// The outermost one in a term that can be made a number, and that number; null if there is none. `kept`: what stays beside it,
    /// if only some of its numbers occur nowhere else.
    Term extreme_in(const Term& term, const std::map<VarId, std::size_t>& all, Axis& made, Term& kept) {
        if (!term->has_variables) return nullptr;
        const auto name = [&](VarId v) { return known_.at(v).name; };
        if (is_extreme(term)) {
            if (auto own = distribution_of_extreme(term, all)) {
                made = {std::move(own), {}, term_text(term, name)};
                return term;
            }
            Term alone;
            std::size_t joined = 0;
            for (const auto& part : parts_under(term, term->op)) {
                const bool single = part->op == TermOp::variable && distribution_of_extreme(part, all);
                Term& side = single ? alone : kept;
                side = side ? make_term(term->op, {side, part}) : part;
                joined += single ? 1 : 0;
            }
            if (joined > 1 && kept)
                if (auto own = distribution_of_extreme(alone, all)) {
                    made = {std::move(own), {}, term_text(alone, name)};
                    return term;
                }
            kept = nullptr;
        }
        for (const auto& part : term->parts)
            if (Term found = extreme_in(part, all, made, kept)) return found;
        return nullptr;
    }

    DistributionPtr distribution_of_extreme(const Term& term, const std::map<VarId, std::size_t>& all) {
        std::map<VarId, std::size_t> here;
        count_leaves(term, here);
        for (const auto& [v, count] : here)
            for (const auto& [other, times] : all)
                if (other == v ? times != count : dependent(other, v)) return nullptr;
        const auto parts = parts_of_extreme(term);
        if (!parts) return nullptr;
        std::vector<DistributionPtr> own;
        std::vector<VarId> used;
        for (const auto& part : parts->parts) {
            const auto from = variables_of(part);
            if (from.size() != 1 || std::find(used.begin(), used.end(), from[0]) != used.end()) return nullptr;
            used.push_back(from[0]);
            const Axis* one = axis(from[0]);
            if (!one || one->own->support() != Support::reals) return nullptr;
            if (part->op == TermOp::variable) {
                own.push_back(one->own);
                continue;
            }
            const Term inside = rewrite(part, [](const TermNode&) { return variable_term(static_cast<VarId>(0)); });
            OnAxes alone;
            alone.axes.push_back(*one);
            own.push_back(distribution_on(alone, inside, constant_term(1)));
            if (!own.back() || own.back()->support() != Support::reals) return nullptr;
        }
        return make_extreme(std::move(own), parts->holds);
    }

    /// Two numbers that occur in one term only, and nowhere else, become one number.
    bool collapse_one(const std::map<VarId, std::size_t>& all) {
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            const Term found = collapsible(terms_[i], all);
            if (!found) continue;
            std::vector<VarId> pair = variables_of(found);
            OnAxes on;
            for (const auto v : pair) on.axes.push_back(known_.at(v));
            const auto position = [&](VarId v) { return static_cast<VarId>(v == pair[0] ? 0 : 1); };
            const Term inside = rewrite(found, [&](const TermNode& leaf) { return variable_term(position(leaf.variable)); });
            on.terms.push_back(inside);
            auto made = distribution_on(on, inside, constant_term(1));
            if (!made) return false;
            const auto id = static_cast<VarId>(next_++);
            const auto name = [&](VarId v) { return known_.at(v).name; };
            std::string text = term_text(found, name);
            known_.emplace(id, Axis{std::move(made), {}, std::move(text)});
            const Term by = variable_term(id);
            for (auto& term : terms_) term = replaced(term, found, by);
            return true;
        }
        return false;
    }

    /// The first (deepest) part of a term with exactly two independent numbers, which occur nowhere else.
    Term collapsible(const Term& term, const std::map<VarId, std::size_t>& all) {
        if (!term->has_variables || term->parts.empty()) return nullptr;
        for (const auto& part : term->parts)
            if (Term found = collapsible(part, all)) return found;
        std::map<VarId, std::size_t> here;
        count_leaves(term, here);
        if (here.size() != 2) return nullptr;
        for (const auto& [v, count] : here) {
            if (all.at(v) != count || !axis(v)) return nullptr;
            for (const auto& [other, times] : all)
                if (other != v && dependent(other, v)) return nullptr;
        }
        return term;
    }

    std::optional<OnAxes> finished() {
        std::vector<VarId> order;
        for (const auto& term : terms_)
            for (const auto v : variables_of(term)) order.push_back(v);
        std::sort(order.begin(), order.end());
        order.erase(std::unique(order.begin(), order.end()), order.end());
        OnAxes out;
        if (order.size() == 2 && dependent(order[0], order[1])) {
            auto pair = hanging_together(order);
            if (!pair) return std::nullopt;
            out.axes = *std::move(pair);
        } else {
            for (const auto v : order) {
                const Axis* own = axis(v);
                if (!own) return std::nullopt;
                out.axes.push_back(*own);
            }
        }
        for (const auto& term : terms_)
            out.terms.push_back(rewrite(term, [&](const TermNode& leaf) {
                return variable_term(static_cast<VarId>(std::find(order.begin(), order.end(), leaf.variable) - order.begin()));
            }));
        return out;
    }

    /// One drawn from the other, and nothing observed of it. `order` is turned so that the parent comes first.
    std::optional<std::vector<Axis>> hanging_together(std::vector<VarId>& order) {
        for (const auto& pair : posterior_.pairs) {
            if (!(order == std::vector{pair.first, pair.second}) && !(order == std::vector{pair.second, pair.first})) continue;
            order = {pair.first, pair.second};
            const auto name = [&](VarId v) { return subproblem_.problem->name(v); };
            return std::vector<Axis>{{pair.of_first, {}, name(pair.first)},
                                     {pair.of_first, pair.given_first, name(pair.second)}};  // the second is asked for by `given` alone
        }
        for (int turn = 0; turn < 2; ++turn, std::swap(order[0], order[1])) {
            const VarId parent = latent(order[0]);
            const VarId child = order[1];
            const DensityFactor* drawn = nullptr;
            bool leaned_on = false;
            for (const auto& factor : subproblem_.factors) {
                if (factor.is_prior() && factor.x->variable == child) {
                    drawn = &factor;
                    continue;
                }
                for (const auto& term : factor.parameters)
                    for (const auto v : variables_of(term)) leaned_on = leaned_on || v == child;
                if (factor.weight)
                    for (const auto v : variables_of(factor.weight)) leaned_on = leaned_on || v == child;
                for (const auto v : variables_of(factor.x)) leaned_on = leaned_on || v == child;
            }
            if (!drawn || leaned_on) continue;
            std::vector<VarId> from;
            for (const auto& term : drawn->parameters)
                for (const auto v : variables_of(term)) from.push_back(v);
            if (!std::all_of(from.begin(), from.end(), [&](VarId v) { return v == parent; })) continue;
            const Axis* own = axis(order[0]);
            const Axis* leaf = axis(child);
            if (!own || !leaf) continue;
            Axis second{leaf->own, {}, leaf->name};
            second.given = drawn_given(*drawn);
            return std::vector<Axis>{*own, std::move(second)};
        }
        return std::nullopt;
    }

    const Subproblem& subproblem_;
    const Posterior& posterior_;
    const Run& run_;
    std::vector<VarId> normal_;
    std::map<VarId, std::size_t> piece_;
    std::vector<std::pair<VarId, LinearTerm>> forms_;
    std::map<VarId, std::vector<VarId>> from_;  // of a turned sum: its numbers
    std::map<VarId, Axis> known_;
    std::vector<Term> terms_;
    std::size_t next_ = 0;
};

}  // namespace

std::function<Slice(double)> drawn_given(const DensityFactor& drawn) {
    return [parameters = drawn.parameters, family = drawn.family](double x) -> Slice {
        const Term at = constant_term(Number::real(x));
        std::vector<Number> numbers;
        for (const auto& term : parameters) numbers.push_back(rewrite(term, [&](const TermNode&) { return at; })->value);
        auto made = make_distribution(family, numbers);
        return {made ? *made : nullptr};
    };
}

std::optional<OnAxes> on_axes(const Subproblem& subproblem, const Posterior& posterior, std::span<const Term> terms, const Run& run) {
    for (const auto collapse : {Reducer::Collapse::none, Reducer::Collapse::extremes, Reducer::Collapse::pairs})
        if (auto found = Reducer(subproblem, posterior, run)(terms, collapse)) return found;
    return std::nullopt;
}

}  // namespace credence::rt::continuous
