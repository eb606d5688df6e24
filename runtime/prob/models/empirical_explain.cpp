// Frequencies explained by the counts they come from.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/models/empirical_counts.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/explain_soft.hpp"

namespace credence::rt {

namespace {

using NamedValues = std::vector<std::pair<std::string, Label>>;

/// The events as name = value pairs, where all of them are equalities.
std::optional<NamedValues> equalities(std::span<const Event> events, const Variables& variables) {
    NamedValues out;
    for (const auto& event : conjuncts(events)) {
        if (event.kind != Event::Kind::atom || event.atom.compare != Compare::equal) return std::nullopt;
        out.emplace_back(variables[index(event.atom.variable)].variable.name, event.atom.values[0]);
    }
    return out;
}

std::string described(const Pairs& pairs, std::span<const Event> events, const Variables& variables) {
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : " and ") + text; };
    for (const auto& pair : pairs) add(text_of({pair}, variables));
    for (const auto& event : conjuncts(events)) add(event_text(event, variables));
    return out;
}

Number whole(std::int64_t n) { return Rational(n); }

/// Uncertain evidence, from the frequencies without it. Where cells are missing those are over different rows, and only the values are
/// told.
Status explain_weighed(const Model& model, const Query& query, const EmpiricalCounts& counts, const Answer& answer, Run& run,
                       DerivationWriter& out) {
    const QueryCases cases = query_cases(shape_of(query), counts.sizes, answer);
    if (cases.size() > longest_sum || counts.left_out > 0) {
        out.note("the rows are weighed by the uncertain evidence before they are counted");
        if (const auto* number = std::get_if<Number>(&answer.value)) out.calculation(query_text(query, counts.variables), {}, *number);
        return Done{};
    }
    const auto ask = [&](const Query& q) -> Result<Number> {
        auto found = TRY(model.ask(q, run));
        return std::get<Number>(found.value);
    };
    return explain_soft(query, counts.variables, cases, ask, out);
}

}  // namespace

Result<Derivation> explain_table(const Model& model, const Table& table, const Query& query, const Answer& answer, Run& run) {
    const Variables& variables = model.variables();
    DerivationWriter out;
    const auto counts = TRY(count_rows(table, variables, query, run));
    const Shape shape = shape_of(query);
    if (!query.given.soft.empty()) {
        TRY(explain_weighed(model, query, counts, answer, run, out));
        return std::move(out).take();
    }
    const bool conditional = !query.given.events.empty() || !shape.given.empty();
    out.formula(query_text(query, variables) +
                (conditional ? " = rows with targets and evidence / rows with evidence" : " = rows with targets / all rows"));
    const auto cells = configurations(shape.answer, counts.sizes);
    std::vector<double> weights(counts.under_all.begin(), counts.under_all.end());
    const auto shown = shown_cases(weights);
    const auto target = equalities(query.targets.events, variables);
    const auto evidence = equalities(query.given.events, variables);
    const auto is_given = [&](Slot slot) { return contains(shape.given, slot); };
    for (const auto i : shown) {
        Pairs asked;
        Pairs given;
        for (const auto& pair : cells[i]) {
            if (is_given(pair.first)) given.push_back(pair);
            if (!is_given(pair.first) || contains(shape.targets, pair.first)) asked.push_back(pair);
        }
        std::int64_t below = 0;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const bool same = std::all_of(given.begin(), given.end(), [&](const auto& pair) { return contains(cells[k], pair); });
            if (same) below += counts.under_evidence[k];
        }
        const std::int64_t above = counts.under_all[i];
        if (below == 0) continue;
        const auto all = merged(asked, given);
        auto both = query.targets.events;
        both.insert(both.end(), query.given.events.begin(), query.given.events.end());
        const std::string condition = described(given, query.given.events, counts.variables);
        out.note(condition.empty()
                     ? fmt::format("rows with {}: {}, rows in all: {}", described(*all, both, counts.variables), above, below)
                     : fmt::format("rows with {}: {}, with {}: {}", described(*all, both, counts.variables), above, condition, below));
        Parts name;
        if (target && evidence) {
            ProbabilityTerm term{.event = named(asked, counts.variables), .given = named(given, counts.variables)};
            term.event.insert(term.event.end(), target->begin(), target->end());
            term.given.insert(term.given.end(), evidence->begin(), evidence->end());
            name.emplace_back(std::move(term));
        }
        out.calculation(
            name.empty() ? query_text(in_case(query, asked, given, counts.variables), counts.variables) : "",
            {name, quotient(whole(above), whole(below))},
            answer.exact ? Number(Rational(above, below)) : Number::real(static_cast<double>(above) / static_cast<double>(below)));
    }
    if (shown.size() < cells.size()) out.note(fmt::format("{} of {} cases are shown, the most frequent", shown.size(), cells.size()));
    if (counts.left_out > 0)
        out.note(fmt::format("{} row{} left out because of missing cells", counts.left_out, counts.left_out == 1 ? " is" : "s are"));
    return std::move(out).take();
}

}  // namespace credence::rt
