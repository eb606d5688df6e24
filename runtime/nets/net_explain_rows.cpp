// Derivations of queries with lists, counts and tables: rows are independent given what they share, so their probabilities multiply, and
// equal ones make a power.

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_case.hpp"
#include "runtime/nets/net_explain_rows.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

class RowsExplainer {
public:
    RowsExplainer(const Net& net, const Variables& variables, const Query& query, const Answer& answer, const NetCase& net_case, Run& run)
        : net_(net), variables_(variables), query_(query), answer_(answer), case_(net_case), run_(run) {}

    Result<Derivation> explain() {
        const std::string shared = shared_names();
        const std::string product = "the product over the rows";
        out_.formula(fmt::format("{} = {}", query_text(query_, variables_),
                                 has_evidence()   ? "P(targets, evidence) / P(evidence)"
                                 : shared.empty() ? product
                                                  : fmt::format("the sum over {0} of P({0}) times {1}", shared, product)));
        if (!case_.rows.empty()) out_.note(independence(shared));
        auto targets = TRY(ways(query_.targets.events, variables_, run_).or_nothing());
        auto evidence = TRY(ways(query_.given.events, variables_, run_).or_nothing());
        written_out_ = targets && evidence && query_.doing.empty() && query_.given.soft.empty() && answer_.exact;
        if (targets && evidence) {
            target_ways_ = *targets;
            evidence_ways_ = *evidence;
        }
        if (!answer_.exact) out_.note("the products are too long for fractions; their logarithms were added up");
        const auto cells = configurations(case_.shape.targets, case_.sizes);
        const auto givens = configurations(case_.shape.given, case_.sizes);
        std::vector<double> weights(cells.size() * givens.size(), 1);
        if (const auto* factor = std::get_if<Factor>(&answer_.value); factor != nullptr && factor->size() == weights.size())
            weights = factor->doubles();
        const auto shown = shown_cases(weights);
        for (const auto i : shown)
            if (auto both = merged(cells[i / givens.size()], givens[i % givens.size()])) TRY(write_case(*both, givens[i % givens.size()]));
        if (shown.size() < weights.size())
            out_.note(fmt::format("{} of {} cases are shown, the most probable", shown.size(), weights.size()));
        return std::move(out_).take();
    }

private:
    bool has_evidence() const {
        const auto& given = query_.given;
        return !given.events.empty() || !given.free.empty() || !given.observations.empty() || !given.data.empty() || !given.soft.empty() ||
               !query_.doing.empty();
    }

    std::string shared_names() const {
        std::vector<Slot> shared;
        for (const auto& group : case_.rows.all)
            for (const auto slot : shared_by_row(net_, case_.rows.by_row, group))
                if (!contains(shared, slot)) shared.push_back(slot);
        std::string names;
        for (const auto slot : shared) names += (names.empty() ? "" : ", ") + case_.names[slot];
        return names;
    }

    std::string independence(const std::string& shared) const {
        std::int64_t rows = 0;
        for (const auto& group : case_.rows.all) rows += group.count;
        return fmt::format("{}, {} of them different; they are independent{}", counted(rows, "row"), case_.rows.all.size(),
                           shared.empty() ? "" : " given " + shared);
    }

    /// The probability of these values together with the rows and events of one or both sides.
    Result<Number> probability(const Pairs& values, bool with_targets) {
        Query q;
        q.targets = query_.given;
        q.targets.free.clear();
        q.targets.soft.clear();
        q.given.soft = query_.given.soft;
        q.doing = query_.doing;
        if (with_targets) {
            const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
            add(q.targets.events, query_.targets.events);
            add(q.targets.observations, query_.targets.observations);
            add(q.targets.data, query_.targets.data);
        }
        for (const auto& [slot, value] : values)
            q.targets.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
        if (q.targets.events.empty() && q.targets.observations.empty() && q.targets.data.empty()) return Number(1);
        auto answer = TRY(ask_net(net_, variables_, q, run_));
        return std::get<Number>(answer.value);
    }

    Status write_case(const Pairs& both, const Pairs& given) {
        auto above = TRY(probability(both, true));
        auto below = TRY(has_evidence() ? probability(given, false) : Result<Number>(Number(1)));
        const bool quotient_known = answer_.exact && !below.is_zero();
        if (has_evidence()) out_.note(given.empty() ? "targets and evidence" : "targets and evidence, at " + text_of(given, variables_));
        if (Status status = write_sum(both, true, above); !status) return status;
        if (!has_evidence() || !quotient_known) return Done{};
        if (told_ != given || !told_any_) {
            out_.note("the evidence alone");
            if (Status status = write_sum(given, false, below); !status) return status;
            told_ = given;
            told_any_ = true;
        }
        out_.heading(case_text(both));
        out_.begin(quotient(above, below));
        out_.result(above / below);
        return Done{};
    }

    std::string case_text(const Pairs& values) const {
        Query q = query_;
        q.targets.free.clear();
        q.given.free.clear();
        for (const auto& [slot, value] : values) {
            const bool target = contains(case_.shape.targets, slot);
            (target ? q.targets : q.given)
                .events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
        }
        return query_text(q, variables_);
    }

    /// One sum of products, or its value alone where it cannot be written out.
    Status write_sum(const Pairs& values, bool with_targets, const Number& value) {
        std::vector<Parts> names;
        std::vector<Parts> numbers;
        bool complete = written_out_;
        for (const auto& way : evidence_ways_) {
            for (const auto& target : with_targets ? target_ways_ : std::vector<Pairs>{{}}) {
                const auto first = merged(values, way);
                const auto world = first ? merged(*first, target) : std::nullopt;
                if (world) complete = complete && expand(*world, with_targets ? case_.rows.all : case_.rows.evidence, names, numbers);
            }
        }
        if (!complete || names.empty() || names.size() > longest_sum) {
            out_.begin({value});
            out_.result(value);
            return Done{};
        }
        out_.begin(joined(names, " + "));
        out_.step(joined(numbers, " + "));
        out_.result(value);
        return Done{};
    }

    /// P(values, rows) as a sum over what is hidden above them; false where a row has no simple entry or the sum is too long.
    bool expand(const Pairs& values, std::span<const RowGroup> groups, std::vector<Parts>& names, std::vector<Parts>& numbers) {
        std::vector<Slot> seeds;
        std::vector<std::int64_t> value(case_.sizes.size(), -1);
        for (const auto& [slot, v] : values) {
            seeds.push_back(slot);
            value[slot] = static_cast<std::int64_t>(v);
            if (slot >= net_.nodes.size()) return false;  // the next draw: its number alone
        }
        for (const auto& group : groups)
            for (const auto slot : shared_by_row(net_, case_.rows.by_row, group)) seeds.push_back(slot);
        const auto relevant = ancestors(case_, seeds);
        std::vector<Slot> hidden;
        for (Slot slot = 0; slot < relevant.size(); ++slot)
            if (relevant[slot] && value[slot] < 0) hidden.push_back(slot);
        if (table_size(hidden, case_.sizes) > static_cast<double>(longest_sum) || groups.size() > longest_sum) return false;
        for (const auto& configuration : configurations(hidden, case_.sizes)) {
            for (const auto& [slot, v] : configuration) value[slot] = static_cast<std::int64_t>(v);
            if (!add_product(relevant, value, groups, names, numbers)) return false;
        }
        return true;
    }

    bool add_product(std::span<const char> relevant, std::span<const std::int64_t> value, std::span<const RowGroup> groups,
                     std::vector<Parts>& names, std::vector<Parts>& numbers) {
        std::vector<Parts> factors;
        std::vector<Parts> in_numbers;
        const auto pairs_at = [&](const auto& slots) {
            Pairs out;
            for (const auto slot : slots)
                out.emplace_back(static_cast<Slot>(slot), static_cast<std::size_t>(value[static_cast<Slot>(slot)]));
            return out;
        };
        for (const auto id : net_.topological_order()) {
            const auto slot = static_cast<Slot>(index(id));
            if (!relevant[slot]) continue;
            const Pairs given = pairs_at(net_.nodes[slot].parents);
            std::size_t row = 0;
            for (const auto& [parent, v] : given) row = row * case_.sizes[parent] + v;
            const auto v = static_cast<std::size_t>(value[slot]);
            const Number entry = net_.nodes[slot].entry(row * case_.sizes[slot] + v);
            if (entry.is_zero()) return true;  // the whole product is
            factors.push_back({term_of({{slot, v}}, given, variables_)});
            in_numbers.push_back({entry});
        }
        for (const auto& group : groups) {
            const Pairs given = pairs_at(shared_by_row(net_, case_.rows.by_row, group));
            const Pairs cells(group.cells.begin(), group.cells.end());
            Query q;
            const auto add = [&](Clause& clause, const Pairs& pairs) {
                for (const auto& [slot, v] : pairs)
                    clause.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[v], Origin::none));
            };
            add(q.targets, cells);
            add(q.given, given);
            auto entry = ask_net(net_, variables_, q, run_);
            if (!entry) return false;
            Parts name{term_of(cells, given, variables_)};
            Parts number = group.count > 1 ? operand(std::get<Number>(entry->value)) : Parts{std::get<Number>(entry->value)};
            if (group.count > 1) {
                const std::string exponent = fmt::format("^{}", group.count);
                name.emplace_back(exponent);
                number.emplace_back(exponent);
            }
            factors.push_back(std::move(name));
            in_numbers.push_back(std::move(number));
        }
        names.push_back(joined(factors, " * "));
        numbers.push_back(joined(in_numbers, " * "));
        return true;
    }

    const Net& net_;
    const Variables& variables_;
    const Query& query_;
    const Answer& answer_;
    const NetCase& case_;
    Run& run_;
    bool written_out_ = false;
    Pairs told_;
    bool told_any_ = false;
    std::vector<Pairs> target_ways_;
    std::vector<Pairs> evidence_ways_;
    DerivationWriter out_;
};

}  // namespace

Result<Derivation> explain_rows(const Net& net, const Variables& variables, const Query& query, const Answer& answer,
                                const NetCase& net_case, Run& run) {
    return RowsExplainer(net, variables, query, answer, net_case, run).explain();
}

}  // namespace credence::rt
