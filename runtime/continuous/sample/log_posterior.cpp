#include "runtime/continuous/sample/log_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "runtime/continuous/exact/ties.hpp"
#include "runtime/continuous/unroll/censoring.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/distributions/by_cases.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double most_factor_entries = 200'000;
constexpr std::size_t longest_tape = 20'000'000;

class Compiler {
public:
    Compiler(const Unrolled& problem, const Run& run, const DensityForm& form) : problem_(problem), run_(run) {
        out_.problem = &problem;
        out_.form = form;
    }

    Result<LogPosterior> operator()() {
        read_conditions();
        find_core();
        for (std::size_t i = 0; i < problem_.instances.size(); ++i) {
            if (!out_.core[i] || !problem_.instances[i].is_real_latent()) continue;
            TRY(add_number(i));
        }
        for (std::size_t i = 0; i < problem_.instances.size(); ++i) {
            if (!counts(i)) continue;
            if (run_.stopped()) return stopped_fault();
            const auto over = discretes(i);
            if (over.empty()) {
                const auto factor = TRY(factor_node(i, {}));
                parts_.push_back(factor);
                if (is_observation(i)) out_.observations.push_back({i, factor});
            } else {
                TRY(add_factor(i, over));
            }
            if (out_.tape.size() > longest_tape) return too_long();
        }
        TRY(add_label_evidence());
        TRY(check_faults());
        observe_through_labels();
        TRY(sum_out());
        if (out_.form.together) parts_ = out_.tape.batched(parts_);
        out_.output = out_.tape.finish(out_.tape.sum(parts_));
        if (out_.form.together) drop_unneeded();
        return std::move(out_);
    }

private:
    /// What is part of a batch is not needed individually; only the numbers, the labels and the output are.
    void drop_unneeded() {
        std::vector<Tape::Node*> kept{&out_.output};
        for (auto& node : out_.x) kept.push_back(&node);
        for (auto& step : out_.labels)
            for (auto& node : step.weights) kept.push_back(&node);
        for (auto& observation : out_.observations) observation.log_density.reset();
        out_.tape.compact(kept);
    }

    static Fault too_long() { return {.code = "E-COST", .message = "the density has too many factors to be sampled"}; }

    const Instance& instance(VarId v) const { return problem_.instances[index(v)]; }

    std::vector<VarId> parents(std::size_t i) const {
        std::vector<VarId> out = problem_.instances[i].table_parents;
        for (const auto& term : problem_.instances[i].parameters)
            for (const auto v : variables_of(term)) out.push_back(v);
        if (problem_.instances[i].tied)
            for (const auto v : variables_of(problem_.instances[i].tied)) out.push_back(v);
        return out;
    }

    /// A limit of a number: x > at, or x < at.
    struct Limit {
        Term at;
        bool lower = true;
    };

    /// The evidence about numbers besides their values, as limits of each of them: where a condition is about one number, a region;
    /// where it is about several and linear in the last, a limit that moves with the others. What is left is checked draw by draw.
    void read_conditions() {
        const auto conditions = evidence_conditions(problem_);
        std::map<VarId, std::vector<const Condition*>> by_number;
        std::vector<std::size_t> left;  // booleans that were observed and are not expressed by limits
        for (const auto& condition : conditions) {
            const auto from = variables_of(condition.truth);
            const bool one = from.size() == 1 && is_limited(from[0]);
            if (one) by_number[from[0]].push_back(&condition);
            if (!one && !add_limit(condition.truth, from) && condition.instance) left.push_back(*condition.instance);
        }
        for (const auto& [v, own] : by_number) {
            std::vector<Term> terms;
            for (const auto* condition : own) terms.push_back(condition->truth);
            auto region = region_of(instance(v), v, terms);
            if (region && !region->empty()) {
                regions_.emplace(index(v), *std::move(region));
                continue;
            }
            for (const auto* condition : own)
                if (condition->instance) left.push_back(*condition->instance);
        }
        for (const auto& condition : conditions)
            if (condition.instance && !contains(left, *condition.instance)) settled_.insert(*condition.instance);
    }

    bool is_limited(VarId v) const { return instance(v).is_real_latent() && !instance(v).set; }

    /// a < b, linear in the number drawn last.
    bool add_limit(const Term& truth, const std::vector<VarId>& from) {
        if (truth->op != TermOp::less && truth->op != TermOp::less_equal) return false;
        if (from.empty() || !std::all_of(from.begin(), from.end(), [&](VarId v) { return is_limited(v); })) return false;
        const VarId v = from.back();
        if (range_of(instance(v).family) == Range::counts) return false;
        const Term difference = make_term(TermOp::subtract, {truth->parts[0], truth->parts[1]});
        const auto slope = coefficient_of(difference, v);
        if (!slope || slope->is_zero()) return false;
        const Term rest = rewrite(difference, [&](const TermNode& leaf) { return leaf.variable == v ? constant_term(0) : nullptr; });
        const Term at = make_term(TermOp::divide, {make_term(TermOp::negate, {rest}), constant_term(*slope)});
        limits_[index(v)].push_back({at, slope->sign() < 0});
        return true;
    }

    /// Everything that evidence bears on: observed instances, those of discrete events and soft evidence, and their ancestors. A number of
    /// which only a region is known, and on which nothing of this depends, stays outside.
    void find_core() {
        out_.core.assign(problem_.instances.size(), false);
        for (std::size_t i = 0; i < problem_.instances.size(); ++i)
            if (!problem_.instances[i].latent() && !problem_.instances[i].set && !settled_.contains(i)) out_.core[i] = true;
        for (const auto& [i, limits] : limits_) {
            out_.core[i] = true;
            for (const auto& limit : limits)
                for (const auto v : variables_of(limit.at)) out_.core[index(v)] = true;
        }
        const auto mark = [&](VarId variable) {
            const Term& term = problem_.of_variable[index(variable)];
            if (term)
                for (const auto v : variables_of(term)) out_.core[index(v)] = true;
        };
        for (const auto& event : problem_.discrete_evidence)
            for (const auto v : variables_of(event)) mark(v);
        for (const auto& soft : problem_.soft) mark(soft.variable);
        for (std::size_t i = problem_.instances.size(); i-- > 0;) {
            const auto region = regions_.find(i);
            if (region != regions_.end() && !out_.core[i]) out_.regions.insert(*region);
            if (out_.core[i] || region != regions_.end())
                for (const auto parent : parents(i)) out_.core[index(parent)] = true;
        }
    }

    /// Whether an instance's own distribution is a factor of the density.
    bool counts(std::size_t i) const {
        return (out_.core[i] || out_.regions.contains(i)) && !problem_.instances[i].set && !settled_.contains(i);
    }

    std::vector<VarId> discretes(std::size_t i) const {
        std::vector<VarId> out;
        const auto& own = problem_.instances[i];
        if (own.discrete() && own.latent()) out.push_back(static_cast<VarId>(i));
        for (const auto parent : parents(i))
            if (instance(parent).discrete() && instance(parent).latent()) out.push_back(parent);
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

    /// The ends of what a number can be: of its family, and of what the evidence leaves.
    struct Ends {
        std::optional<Tape::Node> low;
        std::optional<Tape::Node> high;
    };
    Result<Ends> ends_of(std::size_t i) {
        const auto& own = problem_.instances[i];
        Tape& tape = out_.tape;
        Ends out;
        const auto narrow = [&](Tape::Node at, bool lower) {
            auto& end = lower ? out.low : out.high;
            end = end ? tape.binary(lower ? TermOp::max : TermOp::min, *end, at) : at;
        };
        const auto by_term = [&](const Term& term, bool lower) -> Status {
            for (const auto v : variables_of(term))
                if (instance(v).discrete())
                    return Fault{.code = "E-ENGINE",
                                 .message = fmt::format("the ends of {} depend on the discrete variable {}, which nuts cannot follow",
                                                        own.name, instance(v).name)};
            if (!is_constant(term) || std::isfinite(term->value.real())) narrow(tape.term(term, leaves_, shared_), lower);
            return Done{};
        };
        constexpr double pi = 3.14159265358979323846;
        const Range range = range_of(own.family);
        const Range base = base_range(own.family);
        if (base == Range::positive || base == Range::unit) narrow(tape.constant(0), true);
        if (base == Range::unit) narrow(tape.constant(1), false);
        if (const FamilyInfo* within = own.family->within) {
            if (base == Range::above || base == Range::between) TRY(by_term(own.parameters[within->first_end], true));
            if (base == Range::between) TRY(by_term(own.parameters[within->first_end + 1], false));
        }
        if (range == Range::circle) {
            narrow(tape.constant(-pi), true);
            narrow(tape.constant(pi), false);
        }
        const std::size_t first = own.family->first_end;
        if (range == Range::above || range == Range::between) TRY(by_term(own.parameters[first], true));
        if (range == Range::between) TRY(by_term(own.parameters[first + 1], false));
        if (const auto region = regions_.find(i); region != regions_.end()) {
            // Of several pieces the whole from the first to the last; draws in the gaps are left out afterwards.
            if (region->second.front().low) narrow(tape.constant(region->second.front().from()), true);
            if (region->second.back().high) narrow(tape.constant(region->second.back().to()), false);
        }
        if (const auto limits = limits_.find(i); limits != limits_.end())
            for (const auto& limit : limits->second) TRY(by_term(limit.at, limit.lower));
        return out;
    }

    /// normal(m, s) with an s that is not known: it and the spread are hard to follow together if the data carry little information about
    /// it (Betancourt and Girolami 2015).
    bool has_open_spread(std::size_t i) const {
        const auto& own = problem_.instances[i];
        if (own.family != Family::normal || regions_.contains(i) || limits_.contains(i)) return false;
        const auto is_number = [&](const Term& term) {
            const auto from = variables_of(term);
            return std::all_of(from.begin(), from.end(), [&](VarId v) { return instance(v).is_real_latent(); });
        };
        return own.parameters[1]->has_variables && is_number(own.parameters[0]) && is_number(own.parameters[1]);
    }

    /// ln of how fast a number moves with its place on the unbounded scale.
    void add_slope(Tape::Node log) {
        if (out_.form.slopes) parts_.push_back(log);
    }

    Status add_number(std::size_t i) {
        const auto& own = problem_.instances[i];
        if (own.family == Family(by_cases_family))
            return Fault{
                .code = "E-ENGINE",
                .message = fmt::format("{} is an unobserved number whose family depends on labels: no sampler can follow it", own.name),
                .hint = "observe it or the labels; with few connected numbers the exact engines sum over the labels"};
        const Range range = range_of(own.family);
        if (range == Range::counts)
            return Fault{.code = "E-ENGINE",
                         .message = fmt::format("{} is an unobserved count with too many values to be summed over", own.name),
                         .hint = "observe it, or use a normal distribution instead, which is close for large counts"};
        Tape& tape = out_.tape;
        const Tape::Node u = tape.input();
        Tape::Node x = u;
        const auto logistic_slope = [&] {
            // ln σ(u) + ln σ(−u)
            const Tape::Node below = tape.softplus(tape.unary(TermOp::negate, u));  // apart: compilers order arguments as they like
            return tape.unary(TermOp::negate, tape.binary(TermOp::add, tape.softplus(u), below));
        };
        const bool narrowed = regions_.contains(i) || limits_.contains(i);
        if (has_open_spread(i)) {
            // Those of a process lie so close to each other that only z can be followed.
            const bool of_process = own.parameters[1]->op == TermOp::entry;
            if (!of_process) out_.with_spread.push_back(out_.numbers.size());
            if (out_.form.scaled && !out_.form.centred.contains(i)) {
                const Tape::Node mean = tape.term(own.parameters[0], leaves_, shared_);
                const Tape::Node spread = tape.term(own.parameters[1], leaves_, shared_);
                x = tape.binary(TermOp::add, mean, tape.binary(TermOp::multiply, spread, u));
                shared_.standard.emplace(static_cast<VarId>(i), Tape::Shared::Standard{mean, spread, u});
                scaled_.emplace(i, u);
            }
        }
        Ends ends;
        if (narrowed || (range != Range::positive && range != Range::unit)) ends = TRY(ends_of(i));
        if (!narrowed && range == Range::positive) {
            x = tape.unary(TermOp::exp, u);
            add_slope(u);
        } else if (!narrowed && range == Range::unit) {
            x = tape.sigmoid(u);
            add_slope(logistic_slope());
        } else if (ends.low && ends.high) {
            const Tape::Node width = tape.binary(TermOp::subtract, *ends.high, *ends.low);
            x = tape.binary(TermOp::add, *ends.low, tape.binary(TermOp::multiply, width, tape.sigmoid(u)));
            add_slope(logistic_slope());
            add_slope(tape.unary(TermOp::ln, width));
        } else if (ends.low || ends.high) {
            const Tape::Node away = tape.unary(TermOp::exp, u);
            x = ends.low ? tape.binary(TermOp::add, *ends.low, away) : tape.binary(TermOp::subtract, *ends.high, away);
            add_slope(u);
        }
        leaves_.emplace(static_cast<VarId>(i), x);
        out_.numbers.push_back(static_cast<VarId>(i));
        out_.x.push_back(x);
        return Done{};
    }

    Outcome value_with(std::size_t k, const std::map<VarId, Label>& labels) const {
        const auto& at = problem_.instances[k];
        return at.value ? *at.value : Outcome(labels.at(static_cast<VarId>(k)));
    }

    Number table_entry(std::size_t i, const std::map<VarId, Label>& labels) const {
        const auto& own = problem_.instances[i];
        const auto position = [&](std::size_t k) { return *problem_.instances[k].domain->find(std::get<Label>(value_with(k, labels))); };
        std::size_t at = 0;
        for (const auto parent : own.table_parents) at = at * instance(parent).domain->size() + position(index(parent));
        return problem_.net->node(own.node).table.entry(at * own.domain->size() + position(i));
    }

    /// ln of an instance's distribution at its value, with the discrete variables fixed.
    Result<Tape::Node> factor_node(std::size_t i, const std::map<VarId, Label>& labels) {
        const auto& own = problem_.instances[i];
        Tape& tape = out_.tape;
        if (own.table) {
            const Number p = table_entry(i, labels);
            return tape.constant(p.sign() > 0 ? p.log() : -INFINITY);
        }
        const auto value_of = [&](std::size_t k) { return value_with(k, labels); };
        DensityFactor check;
        check.family = own.family;
        check.instance = i;
        for (const auto& term : own.parameters) check.parameters.push_back(with_labels(term, labels));
        settle_case(check.family, check.parameters);
        if (auto fault = impossible_parameters(check, problem_)) return *std::move(fault);
        if (own.family == Family::categorical)
            return tape.unary(TermOp::ln, tape.term(check.parameters[*own.domain->find(std::get<Label>(value_of(i)))], leaves_, shared_));
        std::vector<Tape::Node> parameters;
        for (const auto& term : check.parameters) parameters.push_back(tape.term(term, leaves_, shared_));
        if (own.censored) return tape.mass(check.family, own.region, parameters);
        if (const auto z = scaled_.find(i); z != scaled_.end()) {
            const Tape::Node standard[] = {tape.constant(0), tape.constant(1)};
            return tape.density(Family::normal, z->second, standard);  // dx = s dz: the spread is gone
        }
        if (const auto region = out_.regions.find(i); region != out_.regions.end())
            return tape.mass(check.family, region->second, parameters);
        Tape::Node x = 0;
        if (own.is_real_latent()) {
            x = leaves_.at(static_cast<VarId>(i));
        } else if (own.tied) {
            x = tape.term(with_labels(own.tied, labels), leaves_, shared_);
        } else {
            TermNode leaf;
            leaf.op = TermOp::variable;
            x = tape.constant(leaf_value(leaf, value_of(i))->value.real());
        }
        const bool bounded = check.family->within && range_of(check.family) == Range::between && own.is_real_latent();
        if (bounded && std::all_of(parameters.begin(), parameters.end(), [&](Tape::Node p) { return tape.is_constant(p); })) {
            // Within limits that never move it is the density of the whole times a constant.
            double p[most_parameters] = {};
            for (std::size_t k = 0; k < parameters.size(); ++k) p[k] = tape.constant_value(parameters[k]);
            const FamilyInfo& base = *check.family->within;
            const std::size_t n = base.parameters.size();
            const Tape::Node whole = tape.density(Family(base), x, std::span(parameters).first(n));
            return tape.binary(TermOp::subtract, whole, tape.constant(log_mass_between(base, p[n], p[n + 1], p).value));
        }
        return tape.density(check.family, x, parameters);
    }

    std::map<VarId, Label> labels_at(std::span<const VarId> over, std::span<const std::size_t> at) const {
        std::map<VarId, Label> out;
        for (std::size_t k = 0; k < over.size(); ++k) out.emplace(over[k], (*instance(over[k]).domain)[at[k]]);
        return out;
    }

    void add_to_factors(LabelFactor factor, std::optional<std::size_t> instance) {
        factors_.push_back(std::move(factor));
        of_factor_.push_back(instance);
    }

    /// The distribution of one instance as a factor over discrete variables.
    Status add_factor(std::size_t i, const std::vector<VarId>& over) {
        double entries = 1;
        for (const auto v : over) entries *= static_cast<double>(instance(v).domain->size());
        if (entries > most_factor_entries)
            return Fault{.code = "E-COST",
                         .message = fmt::format("{} depends on {} discrete variables that are not known: {:.3g} configurations",
                                                problem_.instances[i].name, over.size(), entries),
                         .hint = "observe some of them"};
        LabelFactor out{over, {}};
        each_configuration(over, sizes(), [&](std::span<const std::size_t> at) {
            auto node = factor_node(i, labels_at(over, at));
            if (!node) faults_.push_back({factors_.size(), out.logs.size(), std::move(node).fault()});
            out.logs.push_back(node ? *node : out_.tape.constant(-INFINITY));
        });
        if (problem_.instances[i].table) excluding_.push_back(factors_.size());
        add_to_factors(std::move(out), i);
        return Done{};
    }

    /// Events over discrete variables, and weights of their values.
    Status add_label_evidence() {
        const auto here = [&](VarId id) { return problem_.of_variable[index(id)]->variable; };
        for (const auto& event : problem_.discrete_evidence) {
            LabelFactor out;
            double entries = 1;
            for (const auto id : variables_of(event))
                if (instance(here(id)).latent() && !contains(out.over, here(id))) {
                    out.over.push_back(here(id));
                    entries *= static_cast<double>(instance(here(id)).domain->size());
                }
            if (entries > most_factor_entries)
                return Fault{.code = "E-COST",
                             .message = fmt::format("the evidence is about {} discrete variables at once", out.over.size())};
            each_configuration(out.over, sizes(), [&](std::span<const std::size_t> at) {
                const auto labels = labels_at(out.over, at);
                const auto label = [&](VarId id) { return std::get<Label>(value_with(index(here(id)), labels)); };
                const bool holds = holds_with(
                    event, problem_.net->variables, [](VarId) { return 0.0; }, label);
                out.logs.push_back(out_.tape.constant(holds ? 0 : -INFINITY));
            });
            if (out.over.empty() && out_.tape.is_impossible(out.logs[0]))
                return Fault{.code = "E-ZERO", .message = "the evidence contradicts itself"};
            excluding_.push_back(factors_.size());
            add_to_factors(std::move(out), std::nullopt);
        }
        for (const auto& soft : problem_.soft) {
            const VarId v = here(soft.variable);
            if (!instance(v).latent()) continue;
            LabelFactor out{{v}, {}};
            for (const auto& weight : soft.weights) out.logs.push_back(out_.tape.constant(std::log(weight.real())));
            excluding_.push_back(factors_.size());
            add_to_factors(std::move(out), std::nullopt);
        }
        return Done{};
    }

    bool is_observation(std::size_t i) const { return !problem_.instances[i].latent() && !problem_.instances[i].set; }

    /// Observations that depend on labels of their own, as of a mixture: these are summed out for each of them.
    void observe_through_labels() {
        std::vector<std::vector<std::size_t>> with(problem_.instances.size());  // by label: the factors over it
        for (std::size_t f = 0; f < factors_.size(); ++f)
            for (const auto v : factors_[f].over) with[index(v)].push_back(f);
        for (std::size_t f = 0; f < factors_.size(); ++f) {
            if (!of_factor_[f] || !is_observation(*of_factor_[f])) continue;
            LogPosterior::Observation out{*of_factor_[f]};
            std::vector<std::size_t> priors;
            for (const auto v : factors_[f].over)
                for (const auto other : with[index(v)])
                    if (other != f && factors_[other].over.size() == 1 && of_factor_[other] == index(v)) priors.push_back(other);
            const auto is_own = [&](VarId v) { return with[index(v)].size() == 2; };
            if (priors.size() == factors_[f].over.size() && std::all_of(factors_[f].over.begin(), factors_[f].over.end(), is_own)) {
                std::vector<Tape::Node> cases;
                each_configuration(factors_[f].over, sizes(), [&](std::span<const std::size_t> at) {
                    std::vector<Tape::Node> parts;
                    for (std::size_t k = 0; k < at.size(); ++k) parts.push_back(factors_[priors[k]].logs[at[k]]);
                    parts.push_back(factors_[f].logs[cases.size()]);
                    cases.push_back(out_.tape.sum(parts));
                });
                out.log_density = out_.tape.log_sum_exp(cases);
            }
            out_.observations.push_back(out);
        }
    }

    std::vector<VarId> hidden_labels() const {
        std::vector<VarId> out;
        for (std::size_t i = 0; i < problem_.instances.size(); ++i)
            if (out_.core[i] && problem_.instances[i].discrete() && problem_.instances[i].latent()) out.push_back(static_cast<VarId>(i));
        return out;
    }

    /// Impossible parameters are a fault only where tables and evidence leave their labels any probability: with these entries alone open,
    /// something has to be left of the product of the tables.
    Status check_faults() {
        for (const auto& wrong : faults_) {
            Tape tape;
            std::vector<LabelFactor> factors;
            const auto copy = [&](std::size_t f, const std::function<bool(std::size_t)>& open) {
                LabelFactor one{factors_[f].over, {}};
                for (std::size_t e = 0; e < factors_[f].logs.size(); ++e) one.logs.push_back(tape.constant(open(e) ? 0 : -INFINITY));
                factors.push_back(std::move(one));
            };
            copy(wrong.factor, [&](std::size_t e) { return e == wrong.entry; });
            for (const auto f : excluding_)
                if (f != wrong.factor) copy(f, [&](std::size_t e) { return !out_.tape.is_impossible(factors_[f].logs[e]); });
            const auto left = TRY(sum_out_labels(tape, std::move(factors), hidden_labels(), sizes(), run_));
            if (!tape.is_impossible(tape.sum(left.log_sums))) return wrong.fault;
        }
        return Done{};
    }

    Status sum_out() {
        const auto hidden = hidden_labels();
        if (hidden.empty()) return Done{};
        auto left = TRY(sum_out_labels(out_.tape, std::move(factors_), hidden, sizes(), run_));
        for (const auto log_sum : left.log_sums)
            if (out_.tape.is_impossible(log_sum)) return Fault{.code = "E-ZERO", .message = "the evidence has probability zero"};
        if (out_.tape.size() > longest_tape) return too_long();
        out_.labels = std::move(left.steps);
        parts_.insert(parts_.end(), left.log_sums.begin(), left.log_sums.end());
        return Done{};
    }

    /// How many values each instance has; of a number, one.
    const Sizes& sizes() {
        if (sizes_.empty())
            for (const auto& own : problem_.instances) sizes_.push_back(own.domain ? own.domain->size() : 1);
        return sizes_;
    }

    /// An entry of a factor whose parameters are impossible.
    struct WrongEntry {
        std::size_t factor = 0;
        std::size_t entry = 0;
        Fault fault;
    };

    const Unrolled& problem_;
    const Run& run_;
    LogPosterior out_;
    std::map<std::size_t, Region> regions_;             // by instance: conditions about it alone
    std::map<std::size_t, std::vector<Limit>> limits_;  // and about it and numbers before it
    std::set<std::size_t> settled_;                     // booleans whose value the regions and limits imply
    std::map<VarId, Tape::Node> leaves_;
    std::map<std::size_t, Tape::Node> scaled_;  // instances moved as m + s · z: their z
    Tape::Shared shared_;
    std::vector<Tape::Node> parts_;
    std::vector<LabelFactor> factors_;                   // over hidden labels
    std::vector<std::optional<std::size_t>> of_factor_;  // the instance whose distribution it is
    std::vector<std::size_t> excluding_;                 // those of them that may exclude labels for good: tables and evidence
    std::vector<WrongEntry> faults_;
    Sizes sizes_;
};

}  // namespace

Result<LogPosterior> log_posterior(const Unrolled& problem, const Run& run, const DensityForm& form) {
    return Compiler(problem, run, form)();
}

}  // namespace credence::rt::continuous
