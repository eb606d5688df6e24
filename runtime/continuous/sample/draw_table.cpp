// Rows of draws: of the variables of a model, and of observations drawn again.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/continuous/density.hpp"
#include "runtime/continuous/sample/draws.hpp"
#include "runtime/continuous/sample/prior_check.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/prob/models/sampled_column.hpp"

namespace credence::rt::continuous {

namespace {

/// Numbers that may be counts, as a column.
ColumnPtr number_column(std::string name, bool real, std::vector<double> values) {
    Column out;
    out.name = std::move(name);
    out.kind = ColumnKind::numeric;
    out.real = real;
    out.values = std::move(values);
    return std::make_shared<const Column>(std::move(out));
}

ColumnPtr label_column(Variable variable, std::string name, const std::vector<double>& places) {
    variable.name = std::move(name);
    std::vector<std::uint32_t> values;
    for (const double place : places) values.push_back(static_cast<std::uint32_t>(place));
    return column_of_values(variable, values);
}

}  // namespace

Result<TablePtr> draw_table(const Expanded& net, std::size_t n, const Clause& given, Run& run) {
    Query query;
    query.given = given;
    std::vector<std::string> names;
    const auto by_row = nodes_by_row(net, given);
    for (std::size_t v = 0; v < net.variables.size(); ++v) {
        const auto at = net.visible[v];
        if (net.is_vector(at.node)) continue;
        // What a list or a table has rows of is drawn once more; computed from such it has no row to be computed in.
        if (at.next != by_row[at.node]) continue;
        query.targets.free.push_back(static_cast<VarId>(v));
        names.push_back(net.node(at.node).variable.name);
    }
    auto problem = TRY(prepare(net, query, run));
    TRY(check_probabilities(problem, run));
    SamplerOptions options;
    options.draws = std::max<std::size_t>(1, n);
    auto draws = TRY(draw(problem, options, run, Prefer::independent));
    // What the sampler cannot follow leaves some of them out: then more are drawn.
    std::vector<std::size_t> rows;
    for (int attempt = 0;; ++attempt) {
        constexpr int most_attempts = 6;
        constexpr std::size_t most_draws = 2'000'000;
        auto keep = draws_kept(draws, query);
        const bool none = !keep && keep.fault().code == "E-ZERO" && draws.count < most_draws;
        if (!keep && !none) return std::move(keep).fault();
        rows.clear();
        for (std::size_t d = 0; keep && d < draws.count; ++d)
            if ((*keep)[d]) rows.push_back(d);
        if (rows.size() >= n) break;
        if (attempt == most_attempts)
            return Fault{.code = "E-ZERO", .message = fmt::format("only {} of {} draws meet the evidence", rows.size(), draws.count)};
        // Where none did, far more may be needed: the evidence is improbable, or impossible.
        options.draws = rows.empty() ? std::max<std::size_t>(10 * draws.count, 1000)
                                     : std::max(2 * draws.count, draws.count * n / rows.size() * 3 / 2 + n);
        draws = TRY(draw(problem, options, run, Prefer::independent));
    }
    std::vector<ColumnPtr> columns;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto id = query.targets.free[k];
        const Variable& variable = net.variables[index(id)].variable;
        const Term& term = problem.of_variable[index(id)];
        std::vector<double> values;
        if (variable.is_discrete()) {
            for (std::size_t d = 0; d < n; ++d) values.push_back(draws.row(rows[d])[index(term->variable)]);
            columns.push_back(label_column(variable, names[k], values));
            continue;
        }
        const auto& node = net.node(net.visible[index(id)].node);
        const bool real = node.kind == ContinuousNode::Kind::computed || range_of(node.family) != Range::counts;
        const auto all = draws.of(term);
        for (std::size_t d = 0; d < n; ++d) values.push_back(all[rows[d]]);
        columns.push_back(number_column(names[k], real, std::move(values)));
    }
    return table_of_columns(std::move(columns), n);
}

Result<TablePtr> replicate(const Expanded& net, std::size_t n, const Query& query, Run& run) {
    auto problem = TRY(prepare(net, query, run));
    TRY(check_probabilities(problem, run));
    const auto named = TRY(unroll(net, query, nullptr, Observed::named));
    const bool counted = problem.log_orders > 0 || named.instances.size() != problem.instances.size();
    std::vector<std::size_t> observed;
    for (std::size_t i = 0; i < problem.instances.size(); ++i)
        if (problem.instances[i].value && !problem.instances[i].set) observed.push_back(i);
    if (counted || observed.empty())
        return Fault{
            .code = "E-QUERY",
            .message = counted ? "observations that were read as counts cannot be drawn again one by one"
                               : "the evidence has no observation to draw again",
            .hint = counted ? "declare a plate: for i in 1..n { y[i] ~ … }" : "give evidence about what was drawn: P(* | y = […])"};
    SamplerOptions options = choice_of(query, run).sampler;
    options.draws = std::max(options.draws, n);
    const auto draws = TRY(draw(problem, options, run));
    const auto keep = TRY(draws_kept(draws, query));
    std::vector<std::size_t> kept;
    for (std::size_t d = 0; d < draws.count; ++d)
        if (keep[d]) kept.push_back(d);
    const Rng rng = run.rng.child("replicate");
    std::vector<std::vector<double>> values(observed.size());
    for (std::size_t r = 0; r < n; ++r) {
        if ((r & 0xFFU) == 0 && run.stopped()) return stopped_fault();
        const auto drawn = draws.row(kept[r * kept.size() / n]);  // evenly over the chains
        std::vector<double> row(drawn.begin(), drawn.end());
        Rng own = rng.child(r);
        TermEvaluation terms = terms_in(named, row);
        for (std::size_t k = 0; k < observed.size(); ++k) {
            TRY(draw_forward(named, observed[k], nullptr, row, terms, own));
            values[k].push_back(row[observed[k]]);
        }
    }
    std::vector<ColumnPtr> columns;
    for (std::size_t k = 0; k < observed.size(); ++k) {
        const Instance& instance = problem.instances[observed[k]];
        if (instance.domain)
            columns.push_back(label_column({instance.name, instance.domain}, instance.name, values[k]));
        else
            columns.push_back(number_column(instance.name, range_of(instance.family) != Range::counts, std::move(values[k])));
    }
    return table_of_columns(std::move(columns), n);
}

}  // namespace credence::rt::continuous
