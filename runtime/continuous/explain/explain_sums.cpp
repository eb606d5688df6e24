#include "runtime/continuous/explain/explain_sums.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/density.hpp"
#include "runtime/prob/queries/distribution_words.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

constexpr std::size_t most_written = 12;  // configurations

/// Words of an event about one number with a known distribution: the distribution function, below or above a mark.
std::string mass_words(const Event& event, const Distribution& distribution) {
    const std::string family = distribution_words(distribution);
    if (event.kind != Event::Kind::atom || family.empty() || distribution.support() != Support::reals) return {};
    const std::string mark = number_words(*event.atom.values[0].number());
    switch (event.atom.compare) {
        case Compare::less:
        case Compare::less_equal:
            return fmt::format("cdf({}, {})", family, mark);
        case Compare::greater:
        case Compare::greater_equal:
            return fmt::format("(1 - cdf({}, {}))", family, mark);
        case Compare::equal:
        case Compare::not_equal:
        case Compare::one_of:
            break;
    }
    return {};
}

/// One configuration of all discrete variables that count, with the factors of its weight.
struct Case {
    std::vector<std::size_t> values;  ///< by position in Sums::slots_
    Parts words;                      ///< the product as it is written
    Number weight = 1;
    std::string given;  ///< "Sex = woman"
};

class Sums {
public:
    Sums(const Hybrid& hybrid, const Query& query, const Answer& answer, DerivationWriter& out, const Run& run)
        : hybrid_(hybrid), problem_(*hybrid.problem), query_(query), answer_(answer), out_(out), run_(run) {}

    Result<bool> operator()() {
        if (!query_.given.free.empty() || !query_.given.soft.empty() || query_.goal != Goal::probability) return false;
        if (!find_slots()) return false;
        auto given = TRY(cases(Side::evidence));
        if (const auto* d = std::get_if<DistributionPtr>(&answer_.value)) return distribution(**d, given);
        auto asked = TRY(cases(Side::all));
        if (const auto* number = std::get_if<Number>(&answer_.value)) return probability(*number, asked, given);
        if (const auto* factor = std::get_if<Factor>(&answer_.value)) return table(*factor, asked);
        return false;
    }

private:
    static bool counts(const Hybrid::Table& table, Side side) {
        using When = Hybrid::Table::When;
        return !((table.when == When::evidence && side == Side::all) || (table.when == When::all && side == Side::evidence));
    }

    /// The discrete variables that some table speaks of; false if they have too many configurations to be written.
    bool find_slots() {
        for (const auto& table : hybrid_.tables) slots_.insert(slots_.end(), table.slots.begin(), table.slots.end());
        for (const auto id : query_.targets.free)
            if (problem_.net->variables[index(id)].variable.is_discrete()) slots_.push_back(static_cast<Slot>(index(id)));
        std::sort(slots_.begin(), slots_.end());
        slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
        std::size_t all = 1;
        for (const auto slot : slots_) {
            all *= problem_.sizes[slot];
            if (all > 4096) return false;
        }
        for (const auto slot : slots_) {
            const auto found = std::find_if(problem_.instances.begin(), problem_.instances.end(), [&](const Instance& i) {
                return i.discrete() && problem_.slots[static_cast<std::size_t>(&i - problem_.instances.data())] == slot;
            });
            if (found == problem_.instances.end()) return false;
            instances_.push_back(static_cast<VarId>(found - problem_.instances.begin()));
        }
        return true;
    }

    const Label& label(std::size_t k, std::size_t value) const { return (*problem_.instances[index(instances_[k])].domain)[value]; }

    /// Those of positive weight.
    Result<std::vector<Case>> cases(Side side) const {
        std::vector<EventTable> events;
        const auto add = [&](const std::vector<Event>& more) -> Status {
            for (const auto& event : more) {
                auto table = TRY(table_of(event, problem_.net->variables, run_));
                events.push_back(std::move(table));
            }
            return Done{};
        };
        TRY(add(problem_.discrete_evidence));
        if (side == Side::all) TRY(add(problem_.discrete_targets));
        std::vector<Case> out;
        for (const auto& pairs : configurations(slots_, problem_.sizes)) {
            Case one;
            for (const auto& [slot, value] : pairs) one.values.push_back(value);
            bool possible = true;
            for (const auto& event : events) possible = possible && event.truth[position(event.variables, one)] != 0;
            for (const auto& table : hybrid_.tables) {
                if (!possible || !counts(table, side)) continue;
                const auto& weight = table.weights[position(table.slots, one)];
                const Number factor = weight.exact ? Number(*weight.exact) : Number::real(std::exp(weight.log));
                possible = factor.sign() > 0;
                if (factor == Number(1) && weight.exact) continue;
                one.weight = one.weight * factor;
                if (!one.words.empty()) one.words.emplace_back(std::string(" * "));
                append(one.words, factor_words(table, one, factor));
            }
            if (!possible) continue;
            if (one.words.empty()) one.words.emplace_back(Number(1));
            if (auto* alone = one.words.size() == 1 ? std::get_if<std::string>(&one.words[0]) : nullptr; alone && alone->front() == '(')
                *alone = alone->substr(1, alone->size() - 2);
            for (std::size_t k = 0; k < slots_.size(); ++k) {
                const auto& instance = problem_.instances[index(instances_[k])];
                if (instance.latent())
                    one.given += fmt::format("{}{} = {}", one.given.empty() ? "" : ", ", instance.name, label(k, one.values[k]).text());
            }
            out.push_back(std::move(one));
        }
        return out;
    }

    std::size_t position(std::span<const Slot> of, const Case& at) const {
        std::size_t out = 0;
        for (const auto slot : of) {
            const auto k = static_cast<std::size_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) - slots_.begin());
            out = out * problem_.sizes[slot] + at.values[k];
        }
        return out;
    }

    std::map<VarId, Label> labels(const Case& at) const {
        std::map<VarId, Label> out;
        for (std::size_t k = 0; k < slots_.size(); ++k) out[instances_[k]] = label(k, at.values[k]);
        return out;
    }

    Parts factor_words(const Hybrid::Table& table, const Case& at, const Number& factor) const {
        if (table.component) {
            const auto& component = hybrid_.components[*table.component];
            const auto& posterior = component.posteriors[position(table.slots, at)];
            // Without discrete variables a component's evidence only scales the measure: the weight is the event's alone.
            if (component.events.size() == 1 && (component.discrete.empty() || posterior.evidence == Rational(1))) {
                const auto& event = problem_.real_events[component.events[0]].event;
                const auto about =
                    event.kind == Event::Kind::atom ? with_labels(problem_.of_variable[index(event.atom.variable)], labels(at)) : nullptr;
                const auto d = about && about->has_variables ? marginal_of(posterior, about) : nullptr;
                if (auto words = d ? mass_words(event, *d) : std::string(); !words.empty()) return {words};
            }
        }
        if (table.instance) {
            const auto& instance = problem_.instances[*table.instance];
            if (const auto* value = instance.value ? std::get_if<Number>(&*instance.value) : nullptr) {
                std::vector<Number> numbers;
                for (const auto& term : instance.parameters) numbers.push_back(with_labels(term, labels(at))->value);
                const auto made = make_distribution(instance.family, numbers, instance.labels);
                const auto family = made ? distribution_words(**made) : std::string();
                if (!family.empty()) return {fmt::format("pdf({}, {})", family, number_words(*value))};
            }
        }
        return {factor};
    }

    static Number sum_of(std::span<const Case> all) {
        Number sum = 0;
        for (const auto& one : all) sum += one.weight;
        return sum;
    }

    bool anything_given() const {
        return problem_.observed > 0 || !problem_.discrete_evidence.empty() ||
               std::any_of(problem_.real_events.begin(), problem_.real_events.end(), [](const RealEvent& e) { return e.evidence; });
    }

    void write_case(const Case& one) {
        if (one.words.size() == 1 && std::holds_alternative<Number>(one.words[0])) {
            out_.note(fmt::format("{}: {}", one.given, number_words(one.weight)));
            return;
        }
        if (!one.given.empty()) out_.note(one.given + ":");
        out_.begin(one.words);
        out_.result(one.weight);
    }

    /// "density" where a number was observed, else "probability".
    std::string_view measure_of_evidence() const {
        return std::any_of(problem_.instances.begin(), problem_.instances.end(),
                           [](const Instance& i) { return i.value && !i.set && !i.discrete() && range_of(i.family) != Range::counts; })
                   ? "density"
                   : "probability";
    }

    std::string_view sign_of_evidence() const { return measure_of_evidence() == "density" ? "p" : "P"; }

    /// The latent discrete variables but for some, by name.
    std::string hidden(std::span<const VarId> without = {}) const {
        std::string names;
        for (std::size_t k = 0; k < instances_.size(); ++k) {
            const auto v = instances_[k];
            const bool left_out = std::any_of(without.begin(), without.end(), [&](VarId w) { return index(w) == slots_[k]; });
            if (problem_.instances[index(v)].latent() && !left_out)
                names += (names.empty() ? "" : ", ") + problem_.instances[index(v)].name;
        }
        return names;
    }

    /// Whether the events of the target are about discrete variables alone: then their cases are some of those of the evidence.
    bool within_given() const {
        return std::none_of(hybrid_.tables.begin(), hybrid_.tables.end(),
                            [](const Hybrid::Table& t) { return t.when == Hybrid::Table::When::all; });
    }

    /// The weights of some cases, over the sum of all.
    static Parts share_of(std::span<const Case> own, const Number& total) {
        std::vector<Parts> parts;
        for (const auto& one : own) parts.push_back({one.weight});
        Parts out = joined(parts, " + ");
        if (own.size() > 1) {
            out.insert(out.begin(), std::string("("));
            out.emplace_back(std::string(")"));
        }
        out.emplace_back(std::string(" / "));
        append(out, operand(total));
        return out;
    }

    /// "The sum", where it is one, of weights that were written before.
    void write_sum(std::span<const Case> all) {
        if (all.size() < 2) return;
        out_.note("Their sum:");
        std::vector<Parts> parts;
        for (const auto& one : all) parts.push_back({one.weight});
        out_.begin(joined(parts, " + "));
        out_.result(sum_of(all));
    }

    /// What names the query in a line of the language; empty if that takes more than single values.
    Parts query_words() const {
        const auto plain = [](const std::string& name) {
            return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                   std::all_of(name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
        };
        if (!query_.given.observations.empty() || !query_.given.data.empty() || !query_.doing.empty()) return {};
        for (const auto* clause : {&query_.targets, &query_.given})
            for (const auto& event : clause->events)
                for (const auto v : variables_of(event))
                    if (!plain(problem_.net->variables[index(v)].variable.name)) return {};
        return {query_text(query_, problem_.net->variables)};
    }

    /// The value under the query's own name, with what it was computed from.
    void write_value(const Number& answer, const Parts& words) {
        Parts name = query_words();
        if (name.empty()) {
            out_.note(query_text(query_, problem_.net->variables) + ":");
            out_.begin(words.empty() ? Parts{answer} : words);
        } else {
            out_.begin(std::move(name));
            if (!words.empty()) out_.step(words);
        }
        out_.result(answer);
    }

    Result<bool> probability(const Number& answer, const std::vector<Case>& asked, const std::vector<Case>& given) {
        const std::string text = query_text(query_, problem_.net->variables);
        const std::string over = hidden();
        const bool divided = anything_given() && !(given.size() == 1 && given[0].weight == Number(1));
        if (!over.empty())
            out_.formula(divided ? fmt::format("{0} = {1}({2}, {3}) / {1}({3}), both summed over {4}", text, sign_of_evidence(),
                                               text_of_items(query_.targets), text_of_items(query_.given), over)
                                 : fmt::format("{0} = sum over {1} of P({1}) * P({2} | {1})", text, over, text_of_items(query_.targets)));
        if (asked.size() > most_written || (divided && given.size() > most_written)) {
            out_.note(fmt::format("{} configurations are too many to be written out.", std::max(asked.size(), given.size())));
            write_value(answer, {});
            return true;
        }
        if (!divided) {
            std::vector<Parts> parts;
            for (const auto& one : asked) parts.push_back(one.words);
            write_value(answer, joined(parts, " + "));
            return true;
        }
        if (within_given()) {
            out_.note(fmt::format("Each configuration counts by its probability times the {} of the evidence:", measure_of_evidence()));
            for (const auto& one : given) write_case(one);
            write_sum(given);
            write_value(answer, asked.empty() ? Parts{} : share_of(asked, sum_of(given)));
            return true;
        }
        out_.note(fmt::format("Each configuration counts by its probability times the {} of the evidence; with what is asked for:",
                              measure_of_evidence()));
        for (const auto& one : asked) write_case(one);
        write_sum(asked);
        out_.note("and without it:");
        for (const auto& one : given) write_case(one);
        write_sum(given);
        write_value(answer, quotient(sum_of(asked), sum_of(given)));
        return true;
    }

    Result<bool> table(const Factor& factor, const std::vector<Case>& asked) {
        if (asked.size() > most_written || factor.size() > most_written || !query_.targets.events.empty()) return false;
        const Number total = sum_of(asked);
        const bool divided = anything_given();
        if (divided) {
            const std::string others = hidden(query_.targets.free);
            out_.formula(fmt::format("{0} = {1}P({2}) * {3}({4} | {2}) / {3}({4})", query_text(query_, problem_.net->variables),
                                     others.empty() ? "" : fmt::format("sum over {} of ", others), hidden(), sign_of_evidence(),
                                     text_of_items(query_.given)));
            out_.note(fmt::format("Each configuration counts by its probability times the {} of the evidence:", measure_of_evidence()));
            for (const auto& one : asked) write_case(one);
            write_sum(asked);
        }
        const auto over = factor.variables();
        const bool single = given_by_values();
        for (std::size_t e = 0; e < factor.size(); ++e) {
            std::vector<Case> own;
            ProbabilityTerm term;
            std::size_t rest = e;
            std::vector<std::size_t> digits(over.size());
            for (std::size_t k = over.size(); k-- > 0;) {
                digits[k] = rest % over[k].size();
                rest /= over[k].size();
            }
            for (std::size_t k = 0; k < over.size(); ++k) term.event.emplace_back(over[k].name, (*over[k].domain)[digits[k]]);
            for (const auto& one : asked) {
                bool mine = true;
                for (std::size_t k = 0; k < over.size(); ++k) {
                    const auto slot = static_cast<Slot>(index(query_.targets.free[k]));
                    const auto at = static_cast<std::size_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) - slots_.begin());
                    mine = mine && one.values[at] == digits[k];
                }
                if (mine) own.push_back(one);
            }
            std::vector<Parts> parts;
            for (const auto& one : own) parts.push_back({one.weight});
            const Parts share = own.empty() ? Parts{Number(0)} : divided ? share_of(own, total) : joined(parts, " + ");
            if (single) {
                for (const auto& event : conjuncts(query_.given.events))
                    term.given.emplace_back(problem_.net->variables[index(event.atom.variable)].variable.name, event.atom.values[0]);
                out_.begin({term});
                out_.step(share);
            } else {
                std::string name;
                for (const auto& [variable, value] : term.event)
                    name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", variable, value.text());
                out_.note(name + ":");
                out_.begin(share);
            }
            out_.result(factor.at(e));
        }
        return true;
    }

    std::string text_of_items(const Clause& clause) const {
        std::string out;
        for (const auto& item : items_of(clause, problem_.net->variables)) out += (out.empty() ? "" : ", ") + item.text;
        return out;
    }

    /// Whether the evidence is a list of single values and nothing else.
    bool given_by_values() const {
        if (!query_.given.observations.empty() || !query_.given.data.empty() || !query_.doing.empty()) return false;
        const auto all = conjuncts(query_.given.events);
        return std::all_of(all.begin(), all.end(),
                           [](const Event& e) { return e.kind == Event::Kind::atom && e.atom.compare == Compare::equal; });
    }

    Result<bool> distribution(const Distribution& answer, const std::vector<Case>& given) {
        const auto& name = problem_.net->variables[index(query_.targets.free[0])].variable.name;
        const Term& term = problem_.of_variable[index(query_.targets.free[0])];
        const Component* component = nullptr;
        for (const auto v : variables_of(term))
            if (!component && !problem_.instances[index(v)].discrete()) component = hybrid_.of(v);
        if (const auto words = distribution_words(answer); !words.empty()) {
            bool told = false;  // as the posterior of a conjugate pair
            if (component && component->posteriors.size() == 1 && anything_given())
                for (const auto& line : component->posteriors[0].story)
                    told = told || (line.find(name + " ~ ") != std::string::npos && line.find(words) != std::string::npos);
            if (!told) out_.note(fmt::format("So {} ~ {}.", name, words));
            return true;
        }
        if (component && !component->events.empty() && answer.name() == "density") {
            const auto p = answer.parameters();
            out_.note(
                fmt::format("{} is that on the part of the line where the evidence holds, divided by its probability: mean {}, sd {}.",
                            name, number_words(std::get<Number>(p[0].value)), number_words(std::get<Number>(p[1].value))));
            return true;
        }
        if (!component || answer.name() != "mixture" || given.size() > most_written || component->posteriors.empty()) return false;
        const Number total = sum_of(given);
        if (anything_given()) {
            out_.note(fmt::format("Each configuration counts by its probability times the {} of the evidence:", measure_of_evidence()));
            for (const auto& one : given) write_case(one);
            write_sum(given);
        }
        out_.note(fmt::format("{} is a mixture of what it is in each configuration:", name));
        std::vector<Slot> own_slots;
        for (const auto v : component->discrete) own_slots.push_back(problem_.slots[index(v)]);
        for (const auto& one : given) {
            const auto d = marginal_of(component->posteriors[position(own_slots, one)], with_labels(term, labels(one)));
            const auto words = d ? distribution_words(*d) : std::string();
            out_.note(fmt::format("  {}: weight {}, {} ~ {}", one.given, number_words(one.weight / total), name,
                                  words.empty() ? std::string("a density of its own") : words));
        }
        return true;
    }

    const Hybrid& hybrid_;
    const Unrolled& problem_;
    const Query& query_;
    const Answer& answer_;
    DerivationWriter& out_;
    const Run& run_;
    std::vector<Slot> slots_;
    std::vector<VarId> instances_;  // by slot of slots_
};

}  // namespace

Result<bool> tell_sums(const Hybrid& hybrid, const Query& query, const Answer& answer, DerivationWriter& out, const Run& run) {
    return Sums(hybrid, query, answer, out, run)();
}

}  // namespace credence::rt::continuous
