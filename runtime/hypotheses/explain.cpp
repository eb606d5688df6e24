// Prior times likelihood for each hypothesis, their sum, and the quotients; predictions as sums over the posterior.

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/case.hpp"
#include "runtime/prob/derivation.hpp"

namespace credence::rt {

namespace {

/// A fraction too long to read is shown as a decimal.
Number readable(const Number& n) {
    constexpr std::size_t longest = 200;
    return n.is_exact() && n.exact().bits() > longest ? Number::real(n.real()) : n;
}

/// P(value | h, inputs) as it is written and as it is.
struct Written {
    std::vector<Parts> names;  // factors
    std::vector<Parts> numbers;
    Number value = 1;
};

class SpaceExplainer {
public:
    SpaceExplainer(const HypothesisSpace& space, const Variables& variables, const Query& query, const Answer& answer, Run& run)
        : space_(space), variables_(variables), query_(query), answer_(answer), run_(run) {}

    Result<Derivation> explain() {
        auto c = digest(space_, variables_, query_, run_);
        if (!c) return std::move(c).fault();
        case_ = *std::move(c);
        collect_groups();
        if (auto status = write(); !status) return std::move(status).fault();
        return std::move(out_).take();
    }

private:
    /// Evidence and target as groups of observations, where that is what they are.
    void collect_groups() {
        evidence_ = case_.evidence_groups;
        expressible_ = query_.given.soft.empty();
        std::map<Slot, std::size_t> fixed;  // parameters that the target sets, by their value
        std::map<Slot, std::size_t> known;  // and the evidence
        const auto add = [&](std::span<const Event> events, std::vector<ObservationGroup>& to, bool target) {
            for (const auto& event : conjuncts(events)) {
                const auto about = variables_of(event);
                const auto slot = static_cast<Slot>(index(about[0]));
                if (about.size() == 1 && case_.layout.is_input(slot)) continue;
                if (about.size() == 1 && case_.layout.is_parameter(slot) && event.kind == Event::Kind::atom &&
                    event.atom.compare == Compare::equal) {
                    (target ? fixed : known)[slot] = *space_.parameters[slot].domain->find(event.atom.values[0]);
                    continue;
                }
                const bool single =
                    event.kind == Event::Kind::atom && event.atom.compare == Compare::equal && case_.layout.is_outcome(slot);
                if (!single)
                    expressible_ = false;
                else
                    to.push_back({case_.draws[case_.layout.is_next(slot) ? 1 : 0].inputs, event.atom.values[0], 1});
                if (target && !case_.layout.is_outcome(slot)) expressible_ = false;
            }
        };
        add(query_.given.events, evidence_, false);
        targets_ = case_.target_groups;
        add(query_.targets.events, targets_, true);
        const auto hypothesis = [&](const std::map<Slot, std::size_t>& values) -> std::optional<std::size_t> {
            if (values.size() != case_.layout.parameters) return std::nullopt;
            std::size_t h = 0;
            for (const auto& [slot, value] : values) h = h * case_.sizes[slot] + value;
            return h;
        };
        only_ = hypothesis(fixed);
        known_ = hypothesis(known);
        expressible_ = expressible_ && (fixed.empty() || only_) && (known.empty() || (known_ && evidence_.empty()));
        // the same draw on both sides of the bar is no product of independent draws
        const bool both =
            std::any_of(query_.given.events.begin(), query_.given.events.end(), [&](const Event& e) { return names_outcome(e); }) &&
            (std::any_of(query_.targets.events.begin(), query_.targets.events.end(), [&](const Event& e) { return names_outcome(e); }) ||
             asked(case_.layout.outcome()));
        same_draw_ = both;
        expressible_ = expressible_ && !both;
    }

    bool names_outcome(const Event& event) const {
        const auto about = variables_of(event);
        return std::find(about.begin(), about.end(), static_cast<VarId>(case_.layout.outcome())) != about.end();
    }

    bool asked(Slot slot) const {
        return std::find(case_.shape.answer.begin(), case_.shape.answer.end(), slot) != case_.shape.answer.end();
    }

    Status write() {
        const bool for_each = !case_.shape.given.empty();
        bool over_parameters = !case_.shape.targets.empty();
        bool over_outcome = !case_.shape.targets.empty();
        for (const auto slot : case_.shape.targets) {
            over_parameters = over_parameters && case_.layout.is_parameter(slot);
            over_outcome = over_outcome && case_.layout.is_outcome(slot) && space_.outcome.is_discrete();
        }
        const bool all_parameters = case_.shape.targets.size() == case_.layout.parameters;
        const bool each_hypothesis = case_.shape.given.size() == case_.layout.parameters;
        if (expressible_ && known_) {
            if (case_.shape.targets.empty() && !for_each && !targets_.empty() && !only_) return write_likelihoods();
            if (over_outcome && case_.shape.targets.size() == 1 && !for_each && targets_.empty()) return write_prediction(*known_);
            return write_over_hypotheses();
        }
        if (expressible_ && over_parameters && all_parameters && !for_each && targets_.empty()) return write_posterior();
        if (expressible_ && case_.shape.targets.empty() && each_hypothesis && evidence_.empty() && !targets_.empty())
            return write_likelihoods();
        if (expressible_ && over_outcome && case_.shape.targets.size() == 1 && !for_each && targets_.empty()) return write_predictive(true);
        if (expressible_ && !only_ && case_.shape.targets.empty() && !for_each && targets_.size() == 1) return write_predictive(false);
        const bool one = expressible_ && only_ && case_.shape.targets.empty() && !for_each;
        if (one && targets_.empty()) return write_posterior();
        if (one && evidence_.empty() && few(targets_)) return write_joint(*only_);
        return write_over_hypotheses();
    }

    /// What has no shorter way: the posterior of each hypothesis, and for each case of the targets the sum over them.
    Status write_over_hypotheses() {
        const bool each_alone = case_.shape.given.size() == case_.layout.parameters && !has_evidence();
        if (each_alone && case_.shape.targets.size() > 0)
            out_.note("once the hypothesis is known, the answer is what it says");
        else if (!only_hypotheses() && !only_)
            out_.formula(query_text(query_, variables_) + " = sum over hypotheses of P(targets | h) * P(h | evidence)");
        const auto* factor = std::get_if<Factor>(&answer_.value);
        if (!query_.given.soft.empty() || same_draw_ || !(factor || std::holds_alternative<Number>(answer_.value))) {
            out_.note(fmt::format("{} hypotheses were weighed by prior times likelihood and added up", space_.prior.size()));
            if (const auto* number = std::get_if<Number>(&answer_.value)) {
                out_.formula(query_text(query_, variables_));
                out_.begin({readable(*number)});
                out_.result(readable(*number));
            }
            return Done{};
        }
        const auto cells = configurations(case_.shape.targets, case_.sizes);
        const auto givens = configurations(case_.shape.given, case_.sizes);
        for (std::size_t g = 0; g < givens.size() && g < cases_shown; ++g) {
            if (!givens[g].empty() && !each_alone) out_.note("for " + text_of(givens[g], variables_));
            Clause given = query_.given;
            given.free.clear();
            fix(given, givens[g]);
            const auto posterior = posterior_of(space_, variables_, given, query_.origin, run_);
            if (!posterior) return posterior.fault();
            const Factor& of_h = std::get<Factor>(posterior->value);
            std::vector<double> weights;
            for (std::size_t x = 0; x < cells.size(); ++x) weights.push_back(factor ? factor->at(x * givens.size() + g).real() : 1);
            const auto shown = shown_cases(weights);
            if (each_alone) {
                write_entries(cells, shown, g, givens);
            } else {
                const auto live = write_weights(given, of_h);
                if (!live) return live.fault();
                for (const auto x : shown)
                    if (!only_hypotheses() && !(only_ && targets_.empty()))
                        if (auto status = write_sum(cells[x], of_h, *live); !status) return status;
            }
            if (shown.size() < cells.size() && !only_hypotheses())
                out_.note(fmt::format("{} of {} cases are shown, the most probable", shown.size(), cells.size()));
        }
        if (givens.size() > cases_shown) out_.note(fmt::format("{} of {} conditions are shown", cases_shown, givens.size()));
        return Done{};
    }

    bool has_evidence() const {
        const bool bound =
            std::all_of(query_.given.events.begin(), query_.given.events.end(), [&](const Event& e) { return is_binding(e); });
        return !bound || !query_.given.observations.empty() || !query_.given.data.empty();
    }

    /// Whether it only gives inputs their values.
    bool is_binding(const Event& event) const {
        const auto about = variables_of(event);
        return std::all_of(about.begin(), about.end(), [&](VarId v) { return case_.layout.is_input(static_cast<Slot>(index(v))); });
    }

    /// Whether the hypotheses themselves are asked for: then their posterior is the answer.
    bool only_hypotheses() const {
        return query_.targets.events.empty() && query_.targets.observations.empty() && query_.targets.data.empty() &&
               case_.shape.given.empty() && case_.shape.targets.size() == case_.layout.parameters &&
               std::all_of(case_.shape.targets.begin(), case_.shape.targets.end(), [&](Slot s) { return case_.layout.is_parameter(s); });
    }

    void write_entries(std::span<const Pairs> cells, std::span<const std::size_t> shown, std::size_t g, std::span<const Pairs> givens) {
        const auto* factor = std::get_if<Factor>(&answer_.value);
        for (const auto x : shown) {
            const Number p = factor ? factor->at(x * givens.size() + g) : std::get<Number>(answer_.value);
            if (cells[x].empty())
                out_.begin({readable(p)});
            else
                out_.begin({term_of(cells[x], givens[g], variables_)});
            out_.result(readable(p));
        }
    }

    void fix(Clause& clause, const Pairs& pairs) const {
        for (const auto& [slot, value] : pairs)
            clause.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
    }

    /// P(h | evidence), for the hypotheses that are possible; those are returned.
    Result<std::vector<std::size_t>> write_weights(const Clause& given, const Factor& of_h) {
        std::vector<std::size_t> live;
        std::vector<double> weights;
        for (std::size_t h = 0; h < of_h.size(); ++h) {
            if (of_h.at(h).is_zero()) continue;
            live.push_back(h);
            weights.push_back(of_h.at(h).real());
        }
        const auto shown = shown_cases(weights);
        std::vector<Parts> products;
        Number total = 0;
        if (has_evidence()) {
            out_.formula("P(h | evidence) = P(h) * P(evidence | h) / P(evidence)");
            for (const auto h : live) {
                auto l = likelihood_of(given, h);
                if (!l) return std::move(l).fault();
                products.push_back({readable(space_.prior[h]), std::string(" * "), readable(*l)});
                total += space_.prior[h] * *l;
            }
            total = readable(total);
            out_.formula("P(evidence)");
            out_.begin(products.size() <= longest_sum ? joined(products, " + ") : Parts{total});
            out_.result(total);
        }
        for (const auto i : shown) {
            const Number p = readable(of_h.at(live[i]));
            out_.formula(fmt::format("P({}{})", text_of(pairs_of(live[i]), variables_), has_evidence() ? " | evidence" : ""));
            Parts steps{p};
            if (has_evidence()) {
                steps = products[i];
                append(steps, {std::string(" / ")});
                append(steps, operand(total));
            }
            out_.begin(std::move(steps));
            out_.result(p);
        }
        if (shown.size() < live.size())
            out_.note(fmt::format("{} of {} possible hypotheses are shown, the most probable", shown.size(), live.size()));
        return live;
    }

    /// P(evidence | h), whatever the evidence says.
    Result<Number> likelihood_of(const Clause& given, std::size_t hypothesis) const {
        Query q;
        for (const auto& event : given.events) (is_binding(event) ? q.given : q.targets).events.push_back(event);
        for (const auto& list : given.observations) {
            const bool input = case_.layout.is_input(static_cast<Slot>(index(list.variable)));
            (input ? q.given : q.targets).observations.push_back(list);
        }
        q.targets.data = given.data;
        fix(q.given, pairs_of(hypothesis));
        auto answer = ask_space(space_, variables_, q, run_);
        if (!answer) return std::move(answer).fault();
        return std::get<Number>(answer->value);
    }

    /// One case of the targets: Σ P(case | h) P(h | evidence).
    Status write_sum(const Pairs& cell, const Factor& of_h, std::span<const std::size_t> live) {
        Query q;
        q.targets = query_.targets;
        q.targets.free.clear();
        fix(q.targets, cell);
        std::vector<Parts> terms;
        Number total = 0;
        for (const auto h : live) {
            q.given = {};
            q.given.events = case_.bindings;
            fix(q.given, pairs_of(h));
            for (const auto& list : query_.given.observations)
                if (case_.layout.is_input(static_cast<Slot>(index(list.variable)))) q.given.observations.push_back(list);
            const auto answer = ask_space(space_, variables_, q, run_);
            if (!answer) return answer.fault();
            const Number p = std::get<Number>(answer->value);
            if (p.is_zero()) continue;
            const Number weight_of_h = readable(of_h.at(h));
            total += p * of_h.at(h);
            terms.push_back(p == Number(1) ? Parts{weight_of_h} : Parts{readable(p), std::string(" * "), weight_of_h});
        }
        Query asked;
        asked.targets = q.targets;
        out_.formula(fmt::format("P({} | evidence)", sides_text(asked)));
        out_.begin(terms.empty() || terms.size() > longest_sum ? Parts{readable(total)} : joined(terms, " + "));
        out_.result(readable(total));
        return Done{};
    }

    /// "O = a, q = 1/3": the targets of a query, without the P(…).
    std::string sides_text(const Query& asked) const {
        const std::string text = query_text(asked, variables_);
        return text.substr(2, text.size() - 3);
    }

    /// P(h, D) = P(h) P(D | h), for one hypothesis.
    Status write_joint(std::size_t hypothesis) {
        const auto l = likelihood(hypothesis, targets_);
        if (!l) return l.fault();
        const Number prior = readable(space_.prior[hypothesis]);
        out_.formula("P(h, D) = P(h) * P(D | h)");
        std::vector<Parts> names{{term_of(pairs_of(hypothesis), {}, variables_)}};
        std::vector<Parts> numbers{{prior}};
        names.insert(names.end(), l->names.begin(), l->names.end());
        numbers.insert(numbers.end(), l->numbers.begin(), l->numbers.end());
        out_.begin(joined(names, " * "));
        out_.step(joined(numbers, " * "));
        out_.result(readable(space_.prior[hypothesis] * l->value));
        return Done{};
    }

    Pairs pairs_of(std::size_t hypothesis) const {
        Pairs out(case_.layout.parameters);
        for (std::size_t p = out.size(); p-- > 0;) {
            out[p] = {static_cast<Slot>(p), hypothesis % case_.sizes[p]};
            hypothesis /= case_.sizes[p];
        }
        return out;
    }

    Result<Number> weight(std::size_t hypothesis, const ObservationGroup& group) const {
        if (space_.table.empty()) {
            const auto distribution = space_.outcome_of(hypothesis, group.inputs);
            if (!distribution) return distribution.fault();
            return (*distribution)->pdf(outcome_value(**distribution, group.value));
        }
        const auto at = space_.outcome.domain->find(group.value);
        return at ? space_.table[hypothesis * space_.outcome.size() + *at] : Number(0);
    }

    ProbabilityTerm outcome_term(std::size_t hypothesis, const ObservationGroup& group) const {
        ProbabilityTerm out{.event = {{space_.outcome.name, group.value}}, .given = named(pairs_of(hypothesis), variables_)};
        for (std::size_t k = 0; k < group.inputs.size(); ++k) out.given.emplace_back(space_.inputs[k], group.inputs[k]);
        return out;
    }

    static Number power(const Number& base, std::int64_t exponent) {
        if (base.is_exact()) return base.exact().pow(exponent);
        return Number::real(std::pow(base.real(), static_cast<double>(exponent)));
    }

    /// The likelihood of all groups under a hypothesis, P(lime | h)^3 * P(cherry | h).
    Result<Written> likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const {
        Written out;
        for (const auto& group : groups) {
            const auto p = weight(hypothesis, group);
            if (!p) return p.fault();
            const Number shown = readable(*p);
            Parts name{outcome_term(hypothesis, group)};
            Parts number{shown};
            if (group.count > 1) {
                const Number count = Rational(group.count);
                append(name, {std::string("^"), count});
                number = operand(shown);
                append(number, {std::string("^"), count});
            }
            out.names.push_back(std::move(name));
            out.numbers.push_back(std::move(number));
            out.value *= power(*p, group.count);
        }
        return out;
    }

    bool few(std::span<const ObservationGroup> groups) const { return groups.size() <= longest_sum; }

    std::string data_text() const {
        std::int64_t n = 0;
        for (const auto& group : evidence_) n += group.count;
        return fmt::format("{} observation{}", n, n == 1 ? "" : "s");
    }

    struct Joint {
        std::vector<std::size_t> shown;  // hypotheses
        std::vector<Number> products;    // prior times likelihood, by position in shown
        Number total = 0;                // P(D), over all hypotheses
    };

    /// Prior times likelihood, by hypothesis.
    Result<std::vector<Number>> products() const {
        std::vector<Number> out;
        for (std::size_t h = 0; h < space_.prior.size(); ++h) {
            const auto l = likelihood(h, evidence_);
            if (!l) return l.fault();
            out.push_back(readable(space_.prior[h] * l->value));
            if (run_.stopped()) return stopped_fault();
        }
        return out;
    }

    /// Prior times likelihood, written for the hypotheses worth showing.
    Result<Joint> write_products(const std::vector<Number>& products) {
        Joint out;
        std::vector<double> weights;
        for (const auto& p : products) weights.push_back(p.real());
        std::size_t impossible = 0;
        for (const auto h : shown_cases(weights)) {
            if (!space_.prior[h].is_zero())
                out.shown.push_back(h);
            else
                ++impossible;
        }
        if (only_ && !space_.prior[*only_].is_zero() && std::find(out.shown.begin(), out.shown.end(), *only_) == out.shown.end())
            out.shown.push_back(*only_);
        for (const auto& p : products) out.total += p;
        out.total = readable(out.total);
        for (const auto h : out.shown) {
            const auto l = likelihood(h, evidence_);
            if (!l) return l.fault();
            out.products.push_back(products[h]);
            const Number prior = readable(space_.prior[h]);
            if (few(evidence_)) {
                std::vector<Parts> names{{term_of(pairs_of(h), {}, variables_)}};
                std::vector<Parts> numbers{{prior}};
                names.insert(names.end(), l->names.begin(), l->names.end());
                numbers.insert(numbers.end(), l->numbers.begin(), l->numbers.end());
                out_.begin(joined(names, " * "));
                out_.step(joined(numbers, " * "));
            } else {
                out_.begin({prior, std::string(" * "), readable(l->value)});
            }
            out_.result(products[h]);
        }
        if (impossible > 0) out_.note(fmt::format("{} hypotheses of prior zero are left out", impossible));
        if (out.shown.size() + impossible < space_.prior.size())
            out_.note(fmt::format("{} of {} hypotheses are shown, the most probable", out.shown.size(), space_.prior.size()));
        return out;
    }

    bool complete(const Joint& joint) const {
        Number sum = 0;
        for (const auto& p : joint.products) sum += p;
        return sum == joint.total;
    }

    void write_total(const Joint& joint) {
        if (!complete(joint)) {
            out_.note(fmt::format("P(D), the sum over all {} hypotheses, is the divisor below", space_.prior.size()));
            return;
        }
        out_.formula("P(D) = sum over hypotheses of P(D | h) * P(h)");
        std::vector<Parts> numbers;
        for (const auto& p : joint.products) numbers.push_back({p});
        out_.begin(joined(numbers, " + "));
        out_.result(joint.total);
    }

    /// Whether P(h | D) can be written: one observation, not a list.
    std::optional<Pairs> single_observation() const {
        if (evidence_.size() != 1 || !case_.evidence_groups.empty() || !space_.outcome.is_discrete() || !evidence_[0].inputs.empty())
            return std::nullopt;
        const auto value = space_.outcome.domain->find(evidence_[0].value);
        if (!value) return std::nullopt;
        return Pairs{{case_.layout.outcome(), *value}};
    }

    Status write_posterior() {
        if (evidence_.empty()) {
            out_.note("without evidence the answer is the prior");
            std::vector<double> weights;
            for (const auto& p : space_.prior) weights.push_back(p.real());
            auto shown = shown_cases(weights);
            if (only_) shown.assign(1, *only_);
            for (const auto h : shown) {
                out_.begin({term_of(pairs_of(h), {}, variables_)});
                out_.result(readable(space_.prior[h]));
            }
            if (shown.size() < weights.size() && !only_)
                out_.note(fmt::format("{} of {} hypotheses are shown, the most probable", shown.size(), weights.size()));
            return Done{};
        }
        out_.formula("P(h | D) = P(D | h) * P(h) / P(D)");
        out_.note("D is " + data_text());
        const auto all = products();
        if (!all) return all.fault();
        if (out_of_range(*all)) return write_posterior_alone();
        const auto joint = write_products(*all);
        if (!joint) return joint.fault();
        write_total(*joint);
        const auto single = single_observation();
        for (std::size_t i = 0; i < joint->shown.size(); ++i) {
            if (only_ && *only_ != joint->shown[i]) continue;
            const Pairs h = pairs_of(joint->shown[i]);
            if (single) {
                out_.begin({term_of(h, *single, variables_)});
                out_.step(quotient(joint->products[i], joint->total));
            } else {
                out_.formula(fmt::format("P({} | D)", text_of(h, variables_)));
                out_.begin(quotient(joint->products[i], joint->total));
            }
            out_.result(readable(joint->products[i] / joint->total));
        }
        return Done{};
    }

    /// Doubles end at 1e-308; products of many observations do not.
    static bool out_of_range(std::span<const Number> products) {
        constexpr double smallest = 1e-290;
        double largest = 0;
        for (const auto& p : products) largest = std::max(largest, p.real());
        return !(largest > smallest);
    }

    Status write_posterior_alone() {
        out_.note("the products are too small to write as decimals; they were added up as logarithms");
        const auto posterior = posterior_of(space_, variables_, query_.given, query_.origin, run_);
        if (!posterior) return posterior.fault();
        const Factor& of_h = std::get<Factor>(posterior->value);
        const auto shown = shown_cases(of_h.doubles());
        for (const auto h : shown) {
            out_.formula(fmt::format("P({} | D)", text_of(pairs_of(h), variables_)));
            out_.begin({readable(of_h.at(h))});
            out_.result(readable(of_h.at(h)));
        }
        if (shown.size() < of_h.size())
            out_.note(fmt::format("{} of {} hypotheses are shown, the most probable", shown.size(), of_h.size()));
        return Done{};
    }

    Status write_likelihoods() {
        out_.formula(query_text(query_, variables_) + " = product of the probabilities of the observations, independent once h is known");
        std::vector<double> weights;
        if (const auto* factor = std::get_if<Factor>(&answer_.value)) weights = factor->doubles();
        auto shown = shown_cases(weights);
        if (known_) shown.assign(1, *known_);
        for (const auto h : shown) {
            if (space_.prior[h].is_zero()) continue;
            const auto l = likelihood(h, targets_);
            if (!l) return l.fault();
            if (few(targets_)) {
                out_.begin(joined(l->names, " * "));
                out_.step(joined(l->numbers, " * "));
            } else {
                out_.formula("for " + text_of(pairs_of(h), variables_));
                out_.begin({readable(l->value)});
            }
            out_.result(readable(l->value));
        }
        if (shown.size() < weights.size())
            out_.note(fmt::format("{} of {} hypotheses are shown, the most probable", shown.size(), weights.size()));
        return Done{};
    }

    /// What one hypothesis says of the outcome.
    Status write_prediction(std::size_t hypothesis) {
        out_.note("once the hypothesis is known, the answer is what it says");
        const auto& draw = case_.draws[case_.layout.is_next(case_.shape.targets[0]) ? 1 : 0];
        for (const auto& label : space_.outcome.domain->labels()) {
            const ObservationGroup value{draw.inputs, label, 1};
            const auto p = weight(hypothesis, value);
            if (!p) return p.fault();
            out_.begin({outcome_term(hypothesis, value)});
            out_.result(readable(*p));
        }
        return Done{};
    }

    /// Σ P(y | h) P(h | D), for every value of the outcome or for the one asked for.
    Status write_predictive(bool every_value) {
        const std::string& y = space_.outcome.name;
        if (evidence_.empty()) {
            out_.formula(fmt::format("total probability: P({0}) = sum over hypotheses of P({0} | h) * P(h)", y));
        } else {
            out_.formula(fmt::format("P(next {0} | D) = sum over hypotheses of P({0} | h) * P(h | D)", y));
            out_.note("first the posterior");
        }
        auto posterior = posterior_of(space_, variables_, query_.given, query_.origin, run_);
        if (!posterior) return std::move(posterior).fault();
        const Factor& of_h = std::get<Factor>(posterior->value);
        if (!evidence_.empty())
            if (auto status = write_posterior(); !status) return status;

        std::vector<ObservationGroup> values;
        if (every_value) {
            const Slot slot = case_.shape.targets[0];
            for (const auto& label : space_.outcome.domain->labels())
                values.push_back({case_.draws[case_.layout.is_next(slot) ? 1 : 0].inputs, label, 1});
        } else {
            values = targets_;
        }
        std::vector<std::size_t> live;
        for (std::size_t h = 0; h < of_h.size(); ++h)
            if (!of_h.at(h).is_zero()) live.push_back(h);
        if (live.size() > longest_sum) out_.note(fmt::format("{} terms are summed over the hypotheses", live.size()));
        for (const auto& value : values)
            if (auto status = write_mixture(value, of_h, live); !status) return status;
        return Done{};
    }

    Status write_mixture(const ObservationGroup& value, const Factor& posterior, std::span<const std::size_t> live) {
        std::vector<Parts> names;
        std::vector<Parts> numbers;
        Number total = 0;
        for (const auto h : live) {
            const auto p = weight(h, value);
            if (!p) return p.fault();
            const auto l = power(*p, value.count);
            const Number weight_of_h = readable(posterior.at(h));
            Parts name{outcome_term(h, value)};
            Parts number{readable(*p)};
            if (value.count > 1) {
                append(name, {std::string("^"), Number(Rational(value.count))});
                number = operand(readable(*p));
                append(number, {std::string("^"), Number(Rational(value.count))});
            }
            append(name, {std::string(" * ")});
            append(number, {std::string(" * ")});
            if (evidence_.empty())
                append(name, {term_of(pairs_of(h), {}, variables_)});
            else
                append(name, {weight_of_h});
            append(number, {weight_of_h});
            names.push_back(std::move(name));
            numbers.push_back(std::move(number));
            total += l * weight_of_h;
        }
        if (live.size() > longest_sum) {
            out_.formula(fmt::format("{} = {}", space_.outcome.name, value.value.text()));
            out_.begin({readable(total)});
        } else {
            out_.begin(joined(names, " + "));
            out_.step(joined(numbers, " + "));
        }
        out_.result(readable(total));
        return Done{};
    }

    const HypothesisSpace& space_;
    const Variables& variables_;
    const Query& query_;
    const Answer& answer_;
    Run& run_;
    HypothesesCase case_;
    std::vector<ObservationGroup> evidence_;
    std::vector<ObservationGroup> targets_;
    std::optional<std::size_t> known_;  ///< the hypothesis that the evidence names, where it names one
    std::optional<std::size_t> only_;   ///< the hypothesis that the targets name, where they name one
    bool expressible_ = true;
    bool same_draw_ = false;  ///< one draw stands on both sides of the bar
    DerivationWriter out_;
};

}  // namespace

Result<Derivation> explain_space(const HypothesisSpace& space, const Variables& variables, const Query& query, const Answer& answer,
                                 Run& run) {
    return SpaceExplainer(space, variables, query, answer, run).explain();
}

}  // namespace credence::rt
