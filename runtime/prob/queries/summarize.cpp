// The variables of a model in a table, one in each row.

#include <array>
#include <cmath>

#include "runtime/prob/queries/conditioned.hpp"

namespace credence::rt {

namespace {

enum Figure : std::size_t { mean, sd, low, median, high, r_hat, ess_bulk, ess_tail, figures };
constexpr std::array<const char*, figures> figure_names = {"mean", "sd", "q5", "median", "q95", "r_hat", "ess_bulk", "ess_tail"};

struct Row {
    std::string variable;
    std::optional<Label> value;  ///< the most probable one
    std::optional<Number> probability;
    std::array<std::optional<Number>, figures> figure;
};

std::optional<Number> number_of(const Result<Outcome>& outcome) {
    const auto* number = outcome ? std::get_if<Number>(&*outcome) : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}

void describe_number(const Distribution& d, const Answer& answer, Row& row) {
    row.figure[mean] = number_of(d.mean());
    if (const auto variance = number_of(d.variance())) row.figure[sd] = Number::real(std::sqrt(variance->real()));
    const std::array<std::pair<Figure, Number>, 3> quantiles = {
        {{low, Rational(1, 20)}, {median, Rational(1, 2)}, {high, Rational(19, 20)}}};
    for (const auto& [at, share] : quantiles)
        if (auto q = d.quantile(share)) row.figure[at] = *std::move(q);
    for (const auto& [name, value] : answer.counts) {
        if (name == "r_hat") row.figure[r_hat] = value;
        if (name == "ess_bulk") row.figure[ess_bulk] = value;
        if (name == "ess_tail") row.figure[ess_tail] = value;
    }
}

/// A column of what some rows have; null if none has it.
template <class Cell>
Result<ColumnPtr> column(std::string name, const std::vector<Row>& rows, const Cell& cell) {
    ColumnBuilder out(std::move(name), ColumnBuilder::Range::with_infinity);
    bool any = false;
    for (const auto& row : rows) {
        const std::optional<Label> label = cell(row);
        any = any || label;
        if (label)
            out.add(*label);
        else
            out.add_missing();
    }
    return any ? std::move(out).finish() : Result<ColumnPtr>(ColumnPtr());
}

/// A fraction too long for a cell becomes its decimal.
std::optional<Label> label_of(const std::optional<Number>& number) {
    constexpr std::size_t most_characters = 12;
    if (!number) return std::nullopt;
    Label out = Label::of_number(*number);
    return out.text().size() <= most_characters ? out : Label::of_number(Number::real(number->real()));
}

}  // namespace

Result<TablePtr> summarize(const Model& model, std::span<const VarId> variables, Run& run) {
    std::vector<Row> rows;
    for (const auto id : variables) {
        if (run.stopped()) return stopped_fault();
        Query query;
        query.targets.free.push_back(id);
        auto answer = TRY(model.ask(query, run));
        Row row;
        row.variable = model.variables()[index(id)].variable.name;
        if (const auto* f = std::get_if<Factor>(&answer.value)) {
            const auto best = argmax(*f);
            row.value = f->labels(best.entry)[0];
            row.probability = f->at(best.entry);
        } else if (const auto* d = std::get_if<DistributionPtr>(&answer.value)) {
            describe_number(**d, answer, row);
        }
        rows.push_back(std::move(row));
    }
    Table out;
    out.row_count = rows.size();
    const auto add = [&](Result<ColumnPtr> made) -> Status {
        if (!made) return std::move(made).fault();
        if (*made) out.columns.push_back(*std::move(made));
        return Done{};
    };
    Status done = add(column("variable", rows, [](const Row& row) { return std::optional(Label::of_text(row.variable)); }));
    if (done) done = add(column("value", rows, [](const Row& row) { return row.value; }));
    if (done) done = add(column("probability", rows, [](const Row& row) { return label_of(row.probability); }));
    for (std::size_t k = 0; done && k < figures; ++k)
        done = add(column(figure_names[k], rows, [k](const Row& row) { return label_of(row.figure[k]); }));
    if (!done) return std::move(done).fault();
    return std::make_shared<const Table>(std::move(out));
}

}  // namespace credence::rt
