// A derivation as a textbook prints it: the identity, the joint probabilities as sums of products of table entries,
// the probability of the evidence, and their quotients.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_case.hpp"
#include "runtime/prob/derivation.hpp"

namespace credence::rt {

namespace {

std::string list_names(std::span<const Slot> slots, const Variables& variables) {
    std::string out;
    for (const auto slot : slots) out += (out.empty() ? "" : ", ") + variables[slot].variable.name;
    return out;
}

/// A sum of products of table entries, in names and in numbers.
struct Expansion {
    std::vector<Parts> names;
    std::vector<Parts> numbers;
    std::vector<Slot> hidden;  // summed out
    double terms = 1;          // configurations of the hidden variables
    std::size_t zeros = 0;     // products left out because they are zero
};

class NetExplainer {
public:
    NetExplainer(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run)
        : net_(net), variables_(variables), query_(query), answer_(answer), run_(run) {}

    Result<Derivation> explain() {
        if (const auto* best = std::get_if<Assignment>(&answer_.value)) become_event(*best);
        auto c = digest(net_, variables_, query_, run_);
        if (!c) return std::move(c).fault();
        case_ = *std::move(c);
        auto targets = ways(query_.targets.events, variables_, run_);
        if (!targets) return std::move(targets).fault();
        auto evidence = ways(query_.given.events, variables_, run_);
        if (!evidence) return std::move(evidence).fault();
        const bool twice = case_.shape.answer.size() != case_.shape.targets.size() + case_.shape.given.size();
        const bool listed = *targets && *evidence && !twice;
        if (listed) {
            target_ways_ = **std::move(targets);
            evidence_ways_ = **std::move(evidence);
        }
        const bool simple_soft = query_.given.soft.size() == 1 && query_.doing.empty() && case_.shape.given.empty();
        Status status = Done{};
        if (!query_.given.soft.empty())
            status = listed && simple_soft && evidence_ways_.size() == 1 ? write_soft() : write_uncertain();
        else
            status = listed ? write() : write_sums();
        if (!status) return std::move(status).fault();
        return std::move(out_).take();
    }

private:
    /// The most probable assignment is explained as the probability of that assignment.
    void become_event(const Assignment& best) {
        query_.goal = Goal::probability;
        query_.targets.free.clear();
        for (const auto& [v, label] : best.values)
            if (const auto id = net_.find(v.name)) query_.targets.events.push_back(event_equal(*id, label, Origin::none));
        std::string found;
        for (const auto& [v, label] : best.values) found += (found.empty() ? "" : ", ") + v.name + " = " + label.text();
        out_.note("the most probable assignment is " + found);
    }

    bool has_evidence() const { return !query_.given.events.empty() || !case_.shape.given.empty(); }

    Status write() {
        write_identity();
        const auto cells = configurations(case_.shape.targets, case_.sizes);
        const auto givens = configurations(case_.shape.given, case_.sizes);
        std::vector<double> weights(cells.size() * givens.size(), 1);
        if (const auto* factor = std::get_if<Factor>(&answer_.value); factor != nullptr && factor->size() == weights.size())
            weights = factor->doubles();
        const auto shown = shown_cases(weights);
        for (std::size_t g = 0; g < givens.size(); ++g) {
            std::vector<Pairs> some;
            for (std::size_t x = 0; x < cells.size(); ++x)
                if (std::binary_search(shown.begin(), shown.end(), x * givens.size() + g)) some.push_back(cells[x]);
            if (some.empty()) continue;
            if (auto status = write_given(givens[g], some, some.size() == cells.size()); !status) return status;
        }
        if (shown.size() < weights.size())
            out_.note(fmt::format("{} of {} cases are shown, the most probable", shown.size(), weights.size()));
        return Done{};
    }

    void write_identity() {
        const std::string asked = query_text(query_, variables_);
        if (!has_evidence() && query_.doing.empty()) {
            out_.formula(asked + " = " + chain_rule());
            return;
        }
        write_cut();
        if (is_table_entry()) {
            out_.note("the answer stands in the table of the node: its parents are known, and nothing below it is");
            return;
        }
        Query evidence;
        evidence.targets = query_.given;
        Query joint;
        joint.targets = query_.targets;
        joint.targets.free.insert(joint.targets.free.end(), query_.given.free.begin(), query_.given.free.end());
        joint.targets.events.insert(joint.targets.events.end(), query_.given.events.begin(), query_.given.events.end());
        if (targets_are_causes()) {
            Query swapped;
            swapped.targets = query_.given;
            swapped.given = query_.targets;
            Query prior;
            prior.targets = query_.targets;
            out_.note("Bayes' theorem");
            out_.formula(fmt::format("{} = {} * {} / {}", asked, query_text(swapped, variables_), query_text(prior, variables_),
                                     query_text(evidence, variables_)));
        } else if (query_.doing.empty()) {
            out_.note("the definition of conditional probability");
            out_.formula(fmt::format("{} = {} / {}", asked, query_text(joint, variables_), query_text(evidence, variables_)));
        }
        if (query_.doing.empty()) out_.formula(query_text(joint, variables_) + " = " + chain_rule());
    }

    void write_cut() {
        if (query_.doing.empty()) return;
        std::string cut;
        for (const auto& doing : query_.doing) cut += (cut.empty() ? "" : ", ") + variables_[index(doing.variable)].variable.name;
        out_.note(fmt::format("do cuts the arcs into {}: its table leaves the product", cut));
    }

    /// The chain rule over the nodes that matter, with a sum over those the query does not name.
    std::string chain_rule() const {
        std::string product;
        std::vector<Slot> hidden;
        for (const auto id : net_.topological_order()) {
            const auto slot = static_cast<Slot>(index(id));
            if (!case_.relevant[slot]) continue;
            std::vector<Slot> parents;
            for (const auto parent : net_.nodes[slot].parents) parents.push_back(static_cast<Slot>(index(parent)));
            product += fmt::format("{}P({}{})", product.empty() ? "" : " * ", variables_[slot].variable.name,
                                   parents.empty() ? "" : " | " + list_names(parents, variables_));
            if (!is_named(slot)) hidden.push_back(slot);
        }
        return hidden.empty() ? product : fmt::format("sum over {} of {}", list_names(hidden, variables_), product);
    }

    bool is_named(Slot slot) const {
        const auto& answer = case_.shape.answer;
        if (std::find(answer.begin(), answer.end(), slot) != answer.end()) return true;
        for (const auto* tables : {&case_.evidence, &case_.target_events})
            for (const auto& t : *tables)
                if (std::find(t.variables.begin(), t.variables.end(), slot) != t.variables.end()) return true;
        return false;
    }

    bool targets_are_causes() const {
        if (!query_.doing.empty() || case_.evidence.empty() || !case_.shape.given.empty()) return false;
        std::vector<Slot> targets = case_.shape.targets;
        for (const auto& t : case_.target_events) targets.insert(targets.end(), t.variables.begin(), t.variables.end());
        for (const auto& t : case_.evidence) {
            for (const auto slot : t.variables) {
                const auto above = ancestors(case_, std::span(&slot, 1));
                for (const auto target : targets)
                    if (!above[target] || target == slot) return false;
            }
        }
        return !targets.empty();
    }

    /// One target variable, all its parents known, and nothing known below it: the answer stands in its table.
    bool is_table_entry() const {
        std::vector<Slot> targets = case_.shape.targets;
        for (const auto& t : case_.target_events) targets.insert(targets.end(), t.variables.begin(), t.variables.end());
        std::sort(targets.begin(), targets.end());
        targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
        if (targets.size() != 1 || !query_.doing.empty() || evidence_ways_.size() != 1) return false;
        std::vector<Slot> known = case_.shape.given;
        for (const auto& t : case_.evidence) known.insert(known.end(), t.variables.begin(), t.variables.end());
        for (const auto parent : net_.nodes[targets[0]].parents)
            if (std::find(known.begin(), known.end(), static_cast<Slot>(index(parent))) == known.end()) return false;
        for (const auto slot : known)
            if (ancestors(case_, std::span(&slot, 1))[targets[0]]) return false;
        return true;
    }

    Result<Number> probability(const Pairs& event, const Pairs& given) {
        if (event.empty()) return Number(1);
        Query q;
        for (const auto& [slot, value] : event)
            q.targets.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
        for (const auto& [slot, value] : given)
            q.given.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
        q.doing = query_.doing;
        auto answer = ask_net(net_, variables_, q, run_);
        if (!answer) return std::move(answer).fault();
        return std::get<Number>(answer->value);
    }

    Result<Number> total_probability(std::span<const Pairs> worlds) {
        Number total = 0;
        for (const auto& world : worlds) {
            auto p = probability(world, {});
            if (!p) return p;
            total += *p;
        }
        return total;
    }

    /// P(assignment) as a sum of products of table entries; the hidden variables are those above the assigned ones.
    Expansion expand(const Pairs& assignment) const {
        Expansion out;
        std::vector<Slot> seeds;
        std::vector<std::int64_t> value(case_.sizes.size(), -1);
        for (const auto& [slot, v] : assignment) {
            seeds.push_back(slot);
            value[slot] = static_cast<std::int64_t>(v);
        }
        const auto relevant = ancestors(case_, seeds);
        for (Slot slot = 0; slot < relevant.size(); ++slot) {
            if (!relevant[slot]) continue;
            if (case_.done[slot] >= 0) value[slot] = case_.done[slot];
            if (value[slot] < 0) out.hidden.push_back(slot);
        }
        out.terms = table_size(out.hidden, case_.sizes);
        if (out.terms > static_cast<double>(longest_sum)) return out;
        for (const auto& configuration : configurations(out.hidden, case_.sizes)) {
            for (const auto& [slot, v] : configuration) value[slot] = static_cast<std::int64_t>(v);
            std::vector<Parts> names;
            std::vector<Parts> numbers;
            bool zero = false;
            for (const auto id : net_.topological_order()) {
                const auto slot = static_cast<Slot>(index(id));
                if (!relevant[slot] || case_.done[slot] >= 0) continue;
                Pairs given;
                std::size_t row = 0;
                for (const auto parent : net_.nodes[slot].parents) {
                    const auto p = static_cast<Slot>(index(parent));
                    given.emplace_back(p, static_cast<std::size_t>(value[p]));
                    row = row * case_.sizes[p] + static_cast<std::size_t>(value[p]);
                }
                const auto v = static_cast<std::size_t>(value[slot]);
                const Number entry = net_.nodes[slot].entry(row * case_.sizes[slot] + v);
                zero = zero || entry.is_zero();
                names.push_back({term_of({{slot, v}}, given, variables_)});
                numbers.push_back({entry});
            }
            if (zero) {
                ++out.zeros;
                continue;
            }
            if (names.empty()) names.push_back({Number(1)});  // nothing but what do has set
            if (numbers.empty()) numbers.push_back({Number(1)});
            out.names.push_back(joined(names, " * "));
            out.numbers.push_back(joined(numbers, " * "));
        }
        return out;
    }

    /// The calculation of the probability of a few disjoint assignments.
    Status write_joint(std::span<const Pairs> worlds, const Number& value) {
        std::vector<Parts> named_terms;
        std::vector<Parts> names;
        std::vector<Parts> numbers;
        std::vector<Slot> hidden;
        double terms = 0;
        std::size_t zeros = 0;
        for (const auto& world : worlds) {
            named_terms.push_back({term_of(world, {}, variables_)});
            const auto e = expand(world);
            terms += e.terms;
            zeros += e.zeros;
            hidden = e.hidden;
            names.insert(names.end(), e.names.begin(), e.names.end());
            numbers.insert(numbers.end(), e.numbers.begin(), e.numbers.end());
        }
        const bool written_out = terms <= static_cast<double>(longest_sum);
        if (!written_out) {
            out_.note(fmt::format("{:.0f} products are summed over {}", terms, list_names(hidden, variables_)));
        } else if (zeros > 0) {
            out_.note(fmt::format("{} product{} that {} zero {} left out", zeros, zeros == 1 ? "" : "s", zeros == 1 ? "is" : "are",
                                  zeros == 1 ? "is" : "are"));
        }
        const Parts in_numbers = numbers.empty() ? Parts{Number(0)} : joined(numbers, " + ");
        if (!query_.doing.empty()) {
            if (!written_out) return Done{};
            if (auto status = begin_after_cut(worlds, names, in_numbers); !status) return status;
            out_.result(value);
            return Done{};
        }
        out_.begin(joined(named_terms, " + "));
        if (written_out) {
            const bool repeats = named_terms.size() == 1 && names.size() == 1 && names[0].size() == 1;
            if (!names.empty() && !repeats) out_.step(joined(names, " + "));
            out_.step(in_numbers);
        }
        out_.result(value);
        return Done{};
    }

    /// Under do there is no name for the left side, so the product begins; in numbers where an entry's condition is impossible without do.
    Status begin_after_cut(std::span<const Pairs> worlds, std::span<const Parts> names, const Parts& in_numbers) {
        for (const auto& world : worlds) out_.formula(fmt::format("P({} | {})", text_of(world, variables_), done_text()));
        bool expressible = !names.empty();
        for (const auto& product : names) {
            for (const auto& part : product) {
                const auto* term = std::get_if<ProbabilityTerm>(&part);
                if (term == nullptr || term->given.empty()) continue;
                Query q;
                for (const auto& [name, label] : term->given)
                    q.targets.events.push_back(event_equal(*net_.find(name), label, Origin::none));
                const auto p = ask_net(net_, variables_, q, run_);
                if (!p) return p.fault();
                expressible = expressible && !std::get<Number>(p->value).is_zero();
            }
        }
        if (expressible) out_.begin(joined(names, " + "));
        if (expressible)
            out_.step(in_numbers);
        else
            out_.begin(in_numbers);
        return Done{};
    }

    std::string done_text() const {
        std::string out;
        for (const auto& doing : query_.doing)
            out +=
                fmt::format("{}do({} = {})", out.empty() ? "" : ", ", variables_[index(doing.variable)].variable.name, doing.value.text());
        return out;
    }

    /// All cells of the targets under one configuration of the free evidence variables.
    Status write_given(const Pairs& g, std::span<const Pairs> cells, bool all_cells) {
        std::vector<Pairs> evidence;
        for (const auto& way : evidence_ways_)
            if (auto both = merged(way, g)) evidence.push_back(*std::move(both));
        const bool conditional = has_evidence();
        if (conditional) {
            const auto possible = total_probability(evidence);
            if (!possible) return possible.fault();
            if (possible->is_zero()) {
                out_.note(fmt::format("{} has probability zero; the answer there is the entry of the table", text_of(g, variables_)));
                return Done{};
            }
            if (is_table_entry()) return write_entries(evidence[0], cells);
        }
        std::vector<Number> joint;
        for (const auto& cell : cells) {
            const auto worlds = worlds_of(cell, evidence);
            auto value = total_probability(worlds);
            if (!value) return std::move(value).fault();
            joint.push_back(*value);
            if (worlds.empty()) continue;
            if (auto status = write_joint(worlds, *value); !status) return status;
        }
        if (!conditional) return Done{};
        auto below = total_probability(evidence);
        if (!below) return std::move(below).fault();
        if (auto status = write_evidence(evidence, joint, all_cells, *below); !status) return status;
        for (std::size_t i = 0; i < cells.size(); ++i) write_quotient(cells[i], evidence, joint[i], *below);
        return Done{};
    }

    std::vector<Pairs> worlds_of(const Pairs& cell, std::span<const Pairs> evidence) const {
        std::vector<Pairs> out;
        for (const auto& target : target_ways_) {
            const auto both = merged(cell, target);
            if (!both) continue;
            for (const auto& way : evidence)
                if (auto all = merged(*both, way); all && agrees_with_do(*all)) out.push_back(*std::move(all));
        }
        return out;
    }

    bool agrees_with_do(const Pairs& pairs) const {
        return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
            return case_.done[pair.first] < 0 || case_.done[pair.first] == static_cast<std::int64_t>(pair.second);
        });
    }

    Status write_entries(const Pairs& evidence, std::span<const Pairs> cells) {
        for (const auto& cell : cells) {
            std::vector<Parts> full;
            std::vector<Parts> entry;
            std::vector<Parts> numbers;
            Number value = 0;
            for (const auto& target : target_ways_) {
                const auto event = merged(cell, target);
                if (!event) continue;
                const auto p = probability(*event, evidence);
                if (!p) return p.fault();
                value += *p;
                Pairs parents;
                for (const auto& pair : evidence) {
                    const auto& of = net_.nodes[(*event)[0].first].parents;
                    if (std::find(of.begin(), of.end(), static_cast<VarId>(pair.first)) != of.end()) parents.push_back(pair);
                }
                full.push_back({term_of(*event, evidence, variables_)});
                if (parents.size() != evidence.size()) entry.push_back({term_of(*event, parents, variables_)});
                numbers.push_back({*p});
            }
            if (full.empty()) continue;
            if (!entry.empty()) out_.note("given its parents, nothing else that is known matters");
            out_.begin(joined(full, " + "));
            if (!entry.empty()) out_.step(joined(entry, " + "));
            out_.step(joined(numbers, " + "));
            out_.result(value);
        }
        return Done{};
    }

    Status write_evidence(std::span<const Pairs> evidence, std::span<const Number> joint, bool all_cells, const Number& value) {
        if (case_.shape.target_events || !all_cells || case_.shape.targets.empty()) return write_joint(evidence, value);
        std::vector<Parts> numbers;
        for (const auto& j : joint) numbers.push_back({j});
        const Parts sum = joined(numbers, " + ");
        if (query_.doing.empty()) {
            std::vector<Parts> terms;
            for (const auto& way : evidence) terms.push_back({term_of(way, {}, variables_)});
            out_.begin(joined(terms, " + "));
            out_.step(sum);
        } else {
            out_.begin(sum);
        }
        out_.result(value);
        return Done{};
    }

    void write_quotient(const Pairs& cell, std::span<const Pairs> evidence, const Number& above, const Number& below) {
        const Number value = above / below;
        std::vector<Parts> terms;
        for (const auto& target : target_ways_)
            if (const auto event = merged(cell, target)) terms.push_back({term_of(*event, evidence[0], variables_)});
        if (evidence.size() == 1 && query_.doing.empty() && !terms.empty()) {
            out_.begin(joined(terms, " + "));
            out_.step(quotient(above, below));
        } else {
            out_.formula(cell.empty() ? query_text(query_, variables_) : "for " + text_of(cell, variables_));
            out_.begin(quotient(above, below));
        }
        out_.result(value);
    }

    /// P(the events of the clause and these values), or given them: the engine adds up what is too long to write.
    Result<Number> added_up(Clause targets, Clause given, const Pairs& event, const Pairs& known) {
        const auto fix = [&](Clause& clause, const Pairs& pairs) {
            clause.free.clear();
            for (const auto& [slot, value] : pairs)
                clause.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
        };
        Query q;
        q.targets = std::move(targets);
        q.given = std::move(given);
        q.doing = query_.doing;
        fix(q.targets, event);
        fix(q.given, known);
        if (q.targets.events.empty()) return Number(1);
        auto answer = ask_net(net_, variables_, q, run_);
        if (!answer) return std::move(answer).fault();
        return std::get<Number>(answer->value);
    }

    /// Every case of the answer that is worth showing: the values of its targets and of what is free in the evidence.
    template <class F>
    Status for_shown_cases(F&& tell) {
        const auto cells = configurations(case_.shape.targets, case_.sizes);
        const auto givens = configurations(case_.shape.given, case_.sizes);
        std::vector<double> weights(cells.size() * givens.size(), 1);
        if (const auto* factor = std::get_if<Factor>(&answer_.value); factor != nullptr && factor->size() == weights.size())
            weights = factor->doubles();
        const auto shown = shown_cases(weights);
        for (const auto i : shown) {
            if (!merged(cells[i / givens.size()], givens[i % givens.size()])) continue;
            if (auto status = tell(cells[i / givens.size()], givens[i % givens.size()]); !status) return status;
        }
        if (shown.size() < weights.size())
            out_.note(fmt::format("{} of {} cases are shown, the most probable", shown.size(), weights.size()));
        return Done{};
    }

    void write_case(const Pairs& cell, const Pairs& g) {
        const auto both = merged(cell, g);
        if (both && !both->empty()) out_.formula("for " + text_of(*both, variables_));
    }

    /// Events that hold in too many ways to list: the two sums, and their quotient.
    Status write_sums() {
        write_cut();
        const bool conditional = has_evidence();
        out_.formula(query_text(query_, variables_) + (conditional ? " = P(targets, evidence) / P(evidence)" : " = the sum of all ways"));
        out_.note(fmt::format("the products are too many to write out; {} added them up", answer_.engine));
        return for_shown_cases([&](const Pairs& cell, const Pairs& g) -> Status {
            Clause all = query_.targets;
            all.events.insert(all.events.end(), query_.given.events.begin(), query_.given.events.end());
            const auto above = added_up(std::move(all), {}, *merged(cell, g), {});
            if (!above) return above.fault();
            const auto below = added_up(query_.given, {}, g, {});
            if (!below) return below.fault();
            if (below->is_zero()) return Done{};
            write_case(cell, g);
            out_.begin(conditional ? quotient(*above, *below) : Parts{*above});
            out_.result(*above / *below);
            return Done{};
        });
    }

    /// Uncertain evidence is taken up one item after the other, likelihoods first: the rule of the last one, with the others
    /// inside its terms.
    Status write_uncertain() {
        auto& items = query_.given.soft;
        const auto last_jeffrey =
            std::find_if(items.rbegin(), items.rend(), [](const SoftEvidence& s) { return s.kind == SoftEvidence::Kind::jeffrey; });
        const auto at = last_jeffrey == items.rend() ? items.end() - 1 : last_jeffrey.base() - 1;
        const SoftEvidence soft = *at;
        write_cut();
        write_rule(soft);
        Clause rest = query_.given;
        rest.soft.erase(rest.soft.begin() + (at - items.begin()));
        if (!rest.soft.empty()) {
            std::string others;
            for (const auto& other : rest.soft)
                others += fmt::format("{}{} {} {{…}}", others.empty() ? "" : ", ", variables_[index(other.variable)].variable.name,
                                      other.kind == SoftEvidence::Kind::jeffrey ? "~" : "likelihood");
            out_.note(fmt::format("each of its terms is given {} already", others));
        }
        return for_shown_cases([&](const Pairs& cell, const Pairs& g) { return write_uncertain_case(soft, rest, cell, g); });
    }

    Status write_uncertain_case(const SoftEvidence& soft, const Clause& rest, const Pairs& cell, const Pairs& g) {
        const auto y = static_cast<Slot>(index(soft.variable));
        const bool jeffrey = soft.kind == SoftEvidence::Kind::jeffrey;
        std::vector<Parts> above;
        std::vector<Parts> below;
        Number total = 0;
        Number all = 0;
        for (std::size_t v = 0; v < case_.sizes[y]; ++v) {
            if (soft.weights[v].is_zero()) continue;
            const auto term = [&](Result<Number> p, std::vector<Parts>& terms, Number& sum) -> Status {
                if (!p) return std::move(p).fault();
                terms.push_back({soft.weights[v], std::string(" * ")});
                append(terms.back(), operand(*p));
                sum += soft.weights[v] * *p;
                return Done{};
            };
            const Pairs value{{y, v}};
            const auto event = jeffrey ? std::optional(cell) : merged(cell, value);
            const auto known = jeffrey ? merged(g, value) : std::optional(g);
            if (event && known)
                if (auto status = term(added_up(query_.targets, rest, *event, *known), above, total); !status) return status;
            if (!jeffrey)
                if (auto status = term(added_up({}, rest, value, g), below, all); !status) return status;
        }
        if (above.empty() || (!jeffrey && all.is_zero())) return Done{};
        write_case(cell, g);
        Parts sum = joined(above, " + ");
        if (!jeffrey) {
            sum.insert(sum.begin(), std::string("("));
            sum.emplace_back(std::string(") / ("));
            append(sum, joined(below, " + "));
            sum.emplace_back(std::string(")"));
            total = total / all;
        }
        out_.begin(std::move(sum));
        out_.result(total);
        return Done{};
    }

    void write_rule(const SoftEvidence& soft) {
        const std::string& name = variables_[index(soft.variable)].variable.name;
        out_.formula(
            soft.kind == SoftEvidence::Kind::jeffrey
                ? fmt::format("Jeffrey's rule: P(targets) = sum over {0} of q({0}) * P(targets | {0})", name)
                : fmt::format("virtual evidence: P(targets | w) is proportional to the sum over {0} of w({0}) * P(targets, {0})", name));
    }

    /// Jeffrey's rule and virtual evidence, for one soft variable and simple evidence.
    Status write_soft() {
        const SoftEvidence& soft = query_.given.soft[0];
        const auto y = static_cast<Slot>(index(soft.variable));
        const bool jeffrey = soft.kind == SoftEvidence::Kind::jeffrey;
        write_rule(soft);
        const Pairs& known = evidence_ways_[0];
        const auto cells = configurations(case_.shape.targets, case_.sizes);
        if (cells.size() > longest_sum) {
            out_.note(fmt::format("{} cases are not written out", cells.size()));
            return Done{};
        }
        std::vector<Number> weights;
        for (const auto& cell : cells) {
            std::vector<Parts> names;
            std::vector<Parts> numbers;
            Number total = 0;
            for (std::size_t v = 0; v < case_.sizes[y]; ++v) {
                if (soft.weights[v].is_zero()) continue;
                for (const auto& target : target_ways_) {
                    const auto event = merged(cell, target);
                    if (!event) continue;
                    const auto with_y = merged(jeffrey ? known : *event, {{y, v}});
                    if (!with_y) continue;
                    const Pairs& of = jeffrey ? *event : *with_y;
                    const Pairs& given = jeffrey ? *with_y : known;
                    const auto p = probability(of, given);
                    if (!p) return p.fault();
                    names.push_back({soft.weights[v], std::string(" * "), term_of(of, given, variables_)});
                    numbers.push_back({soft.weights[v], std::string(" * "), *p});
                    total += soft.weights[v] * *p;
                }
            }
            weights.push_back(total);
            if (names.empty()) continue;
            out_.begin(joined(names, " + "));
            out_.step(joined(numbers, " + "));
            out_.result(total);
        }
        if (jeffrey) return Done{};
        return write_normalised(cells, weights, soft, y, known);
    }

    Status write_normalised(std::span<const Pairs> cells, std::span<const Number> weights, const SoftEvidence& soft, Slot y,
                            const Pairs& known) {
        std::vector<Parts> terms;
        Number below = 0;
        for (std::size_t v = 0; v < case_.sizes[y]; ++v) {
            if (soft.weights[v].is_zero()) continue;
            const auto p = probability({{y, v}}, known);
            if (!p) return p.fault();
            terms.push_back({soft.weights[v], std::string(" * "), term_of({{y, v}}, known, variables_)});
            below += soft.weights[v] * *p;
        }
        out_.begin(joined(terms, " + "));
        out_.result(below);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!cells[i].empty()) out_.formula("for " + text_of(cells[i], variables_));
            out_.begin(quotient(weights[i], below));
            out_.result(weights[i] / below);
        }
        return Done{};
    }

    const Net& net_;
    const Variables& variables_;
    Query query_;
    const Answer& answer_;
    Run& run_;
    NetCase case_;
    std::vector<Pairs> target_ways_;
    std::vector<Pairs> evidence_ways_;
    DerivationWriter out_;
};

}  // namespace

Result<Derivation> explain_net(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run) {
    return NetExplainer(net, variables, query, answer, run).explain();
}

}  // namespace credence::rt
