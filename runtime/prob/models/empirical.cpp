#include "runtime/prob/models/empirical.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/models/empirical_counts.hpp"
#include "runtime/prob/queries/independent_rows.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

namespace {

template <Prob P>
class CountMeasure : public Measure<P> {
public:
    explicit CountMeasure(const EmpiricalCounts& counts) : counts_(&counts) {}
    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override {
        Problem<P> problem{&counts_->sizes, &counts_->names, weights_};
        Potential<P> f{counts_->over, {}};
        for (const auto n : side == Side::all ? counts_->under_all : counts_->under_evidence)
            f.values.push_back(prob_of<P>(Number(Rational(n))));
        problem.potentials.push_back(std::move(f));
        return eliminate(std::move(problem), keep, work);
    }
    void weigh(Potential<P> weights) override { weights_.push_back(std::move(weights)); }

private:
    const EmpiricalCounts* counts_;
    std::vector<Potential<P>> weights_;
};

Fault no_row(const Table& table, const EmpiricalCounts& counts, const Query& query,
             std::span<const std::pair<Slot, std::size_t>> configuration) {
    if (table.rows() == 0) return {.code = "E-ZERO", .message = "the table has no rows", .origin = query.origin};
    Clause given = query.given;
    for (const auto& [slot, value] : configuration)
        given.events.push_back(event_equal(static_cast<VarId>(slot), (*counts.variables[slot].variable.domain)[value], Origin::none));
    given.soft.clear();
    const auto items = items_of(given, counts.variables);
    if (items.empty())
        return {.code = "E-ZERO", .message = "every row has a missing cell in a column that the query names", .origin = query.origin};
    Fault fault = zero_fault(items, query.origin, [&](const Clause& subset) -> Result<bool> {
        Query part;
        part.given = subset;
        const auto rows = evidence_rows(table, part);
        return std::none_of(rows.mask.begin(), rows.mask.end(), [](char in) { return in != 0; });
    });
    fault.label = fault.label.empty() ? "" : "no row has this together: " + fault.label;
    return fault;
}

/// Soft evidence as a weight for each row: likelihoods first, then new marginals in the order written.
void weigh_rows(const Table& table, const Query& query, std::vector<double>& weights) {
    for (const auto kind : {SoftEvidence::Kind::likelihood, SoftEvidence::Kind::jeffrey}) {
        for (const auto& soft : query.given.soft) {
            if (soft.kind != kind) continue;
            const auto column = coded(*table.columns[index(soft.variable)]);
            const auto& codes = column.codes != nullptr ? *column.codes : column.own;
            std::vector<double> factor;
            for (const auto& weight : soft.weights) factor.push_back(weight.real());
            if (kind == SoftEvidence::Kind::jeffrey) {
                std::vector<double> now(factor.size(), 0);
                for (std::size_t row = 0; row < weights.size(); ++row)
                    if (weights[row] > 0) now[static_cast<std::size_t>(codes[row])] += weights[row];
                for (std::size_t y = 0; y < now.size(); ++y) factor[y] = now[y] > 0 ? factor[y] / now[y] : 0;
            }
            for (std::size_t row = 0; row < weights.size(); ++row)
                if (weights[row] > 0) weights[row] *= factor[static_cast<std::size_t>(codes[row])];
        }
    }
}

ColumnPtr gather(const Column& column, std::span<const std::uint32_t> rows) {
    Column out;
    out.name = column.name;
    out.kind = column.kind;
    out.domain = column.domain;
    out.real = column.real;
    for (const auto row : rows) {
        if (column.kind == ColumnKind::label)
            out.codes.push_back(column.codes[row]);
        else
            out.values.push_back(column.values[row]);
        if (!column.exact.empty()) out.exact.push_back(column.exact[row]);
    }
    return std::make_shared<const Column>(std::move(out));
}

class EmpiricalModel : public Model {
public:
    EmpiricalModel(TablePtr table, std::vector<std::int64_t> times) : table_(std::move(table)), times_(std::move(times)) {
        for (const auto& column : table_->columns) variables_.push_back({.variable = {.name = column->name, .domain = column->domain}});
    }
    std::string_view kind() const override { return "table"; }
    const Variables& variables() const override { return variables_; }
    std::vector<MethodInfo> engines() const override { return table_engines(); }

    Result<Answer> ask(const Query& query, Run& run) const override {
        TRY(has_values(query));
        if (asks_for_rows(query)) return ask_rows(*this, query, run);
        const auto counts = count_rows(*table_, times_, variables_, query, run);
        if (!counts) return with_origin(counts.fault(), query);
        const bool exact = std::all_of(query.given.soft.begin(), query.given.soft.end(), [](const SoftEvidence& soft) {
            return std::all_of(soft.weights.begin(), soft.weights.end(), [](const Number& n) { return n.is_exact(); });
        });
        const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
            return no_row(*table_, *counts, query, configuration);
        };
        auto answer = in_best_numbers(run, exact, [&]<Prob P>(Work& work) -> Result<Answer> {
            CountMeasure<P> measure(*counts);
            return answer_query<P>(measure, query, counts->variables, zero, work);
        });
        if (!answer) return with_origin(std::move(answer).fault(), query);
        answer->engine = "counting";
        answer->counts = {{"rows", Number(Rational(static_cast<std::int64_t>(counts->rows)))}};
        if (counts->left_out > 0)
            answer->notes.push_back(fmt::format("{} left out because of missing cells", counted(counts->left_out, "row")));
        return answer;
    }

    /// Frequencies need rows, and a free column at least one cell.
    Status has_values(const Query& query) const {
        if (table_->rows() == 0) return Fault{.code = "E-ZERO", .message = "the table has no rows", .origin = query.origin};
        for (const auto* clause : {&query.targets, &query.given})
            for (const auto id : clause->free)
                if (const auto& variable = variables_[index(id)].variable; variable.is_discrete() && variable.size() == 0)
                    return Fault{
                        .code = "E-ZERO", .message = fmt::format("all cells of {} are missing", variable.name), .origin = query.origin};
        return Done{};
    }

    /// Rows with replacement.
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        Query query;
        query.given = given;
        const auto counts = TRY(count_rows(*table_, times_, variables_, query, run));
        if (counts.rows == 0) return no_row(*table_, counts, query, {});
        const auto evidence = evidence_rows(*table_, query);
        std::vector<double> weights(evidence.mask.begin(), evidence.mask.end());
        for (std::size_t row = 0; row < times_.size(); ++row) weights[row] *= static_cast<double>(times_[row]);
        weigh_rows(*table_, query, weights);
        std::partial_sum(weights.begin(), weights.end(), weights.begin());
        if (weights.back() <= 0) return Fault{.code = "E-ZERO", .message = "the evidence has probability zero"};
        std::vector<std::uint32_t> rows(n);
        for (auto& row : rows) {
            const auto found = std::upper_bound(weights.begin(), weights.end(), run.rng.uniform() * weights.back());
            row = static_cast<std::uint32_t>((found == weights.end() ? found - 1 : found) - weights.begin());
        }
        Table out;
        for (const auto& column : table_->columns) out.columns.push_back(gather(*column, rows));
        out.target = table_->target;
        out.row_count = n;
        return std::make_shared<const Table>(std::move(out));
    }

    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        if (asks_for_rows(query)) return explain_row_product(*this, query, answer, run);
        return explain_table(*this, *table_, query, answer, run);
    }

    /// The table with a column for each quantity; a cell is missing where one that it is computed from is.
    Result<ModelPtr> with_quantities(const ModelPtr&, const std::vector<NamedQuantity>& quantities, Run& run) const override {
        auto larger = std::make_shared<Table>(*table_);
        for (const auto& one : quantities) {
            const auto needed = rt::variables_of(*one.quantity);
            std::vector<std::optional<Label>> cells(table_->rows());
            for (std::size_t row = 0; row < cells.size(); ++row) {
                if ((row & 0x3FFU) == 0 && run.stopped()) return stopped_fault();
                if (std::any_of(needed.begin(), needed.end(), [&](VarId id) { return table_->columns[index(id)]->is_missing(row); }))
                    continue;
                cells[row] = TRY(evaluate(*one.quantity, [&](VarId id) { return table_->columns[index(id)]->label(row); }));
            }
            if (has_numbers(cells)) count_truths(cells);
            ColumnBuilder column(one.name);
            for (const auto& cell : cells) cell ? column.add(*cell) : column.add_missing();
            auto made = TRY(std::move(column).finish());
            larger->columns.push_back(std::move(made));
        }
        return make_empirical_model(std::move(larger), times_);
    }

private:
    static Fault with_origin(Fault fault, const Query& query) {
        if (fault.origin == Origin::none) fault.origin = query.origin;
        return fault;
    }
    TablePtr table_;
    std::vector<std::int64_t> times_;  ///< how often each row stands for one; none: once
    Variables variables_;
};

}  // namespace

std::vector<MethodInfo> table_engines() {
    static constexpr MethodInfo counting{"counting",
                                         {},
                                         "Counts the rows of a table that match the query.",
                                         "table t { Wind ; Weak ; Strong ; Weak }\nexpect P(Wind = Weak) in t by counting == 2/3"};
    return {exact_engine, counting};
}

ModelPtr make_empirical_model(TablePtr table, std::vector<std::int64_t> times) {
    return std::make_shared<const EmpiricalModel>(std::move(table), std::move(times));
}

}  // namespace credence::rt
