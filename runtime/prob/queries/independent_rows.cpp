#include "runtime/prob/queries/independent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/prob/factors/power.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

class RowCollector {
public:
    RowCollector(const Variables& variables, const Query& query, std::optional<VarId> predicted)
        : variables_(variables), query_(query), predicted_(predicted) {}

    Result<std::vector<IndependentRow>> collect() {
        if (!query_.targets.free.empty() || !query_.targets.events.empty())
            return Fault{
                .code = "E-QUERY",
                .message = "rows of data are independent of each other and of everything else: nothing can be asked for together with them",
                .origin = query_.origin,
                .hint = "ask for the data alone"};
        if (!query_.given.data.empty())
            return Fault{.code = "E-QUERY",
                         .message = "the rows of this model are independent: a table gives no information about them",
                         .origin = query_.given.data[0].origin,
                         .hint = "train a model on the table: train … on …"};
        TRY(read_lists());
        for (const auto& data : query_.targets.data) TRY(read_table(data));
        return std::move(rows_);
    }

private:
    const std::string& name(VarId id) const { return variables_[index(id)].variable.name; }

    void add(IndependentRow row) {
        std::string key;
        for (const auto* side : {&row.asked, &row.given}) {
            for (const auto& [id, label] : *side) key += fmt::format("{}\x1f{}\x1e", index(id), label.text());
            key += '\x1d';
        }
        if (row.count == 0 || row.asked.empty()) return;
        const auto [at, fresh] = places_.emplace(std::move(key), rows_.size());
        if (fresh)
            rows_.push_back(std::move(row));
        else
            rows_[at->second].count += row.count;
    }

    Status read_lists() {
        const Observations* first = nullptr;
        bool counted = false;
        std::size_t lists = 0;
        for (const auto* clause : {&query_.given, &query_.targets}) {
            for (const auto& list : clause->observations) {
                ++lists;
                counted = counted || !list.counts.empty();
                if (first == nullptr) first = &list;
                if (counted && lists > 1)
                    return Fault{.code = "E-QUERY",
                                 .message = fmt::format("counts do not say which values of {} and {} were seen together",
                                                        name(first->variable), name(list.variable)),
                                 .origin = list.origin,
                                 .hint = "give two lists of the same length, or a table"};
                if (list.values.size() != first->values.size())
                    return Fault{.code = "E-QUERY",
                                 .message = fmt::format("{} has {} values, {} has {}", name(first->variable), first->values.size(),
                                                        name(list.variable), list.values.size()),
                                 .origin = list.origin,
                                 .label = "lists are read side by side: one value of each for every row"};
            }
        }
        for (std::size_t r = 0; first != nullptr && r < first->values.size(); ++r) {
            IndependentRow row;
            row.count = first->count(r);
            for (const auto& list : query_.targets.observations) row.asked.emplace_back(list.variable, list.values[r]);
            for (const auto& list : query_.given.observations) row.given.emplace_back(list.variable, list.values[r]);
            add(std::move(row));
        }
        return Done{};
    }

    Status read_table(const DataEvidence& data) {
        std::vector<std::pair<VarId, const Column*>> columns;
        bool tells = !predicted_;
        for (std::size_t v = 0; v < variables_.size(); ++v) {
            const auto found = data.table->find(variables_[v].variable.name);
            if (!found || variables_[v].next) continue;
            columns.emplace_back(static_cast<VarId>(v), data.table->columns[*found].get());
            tells = tells || predicted_ == static_cast<VarId>(v);
        }
        if (columns.empty() || !tells) {
            std::string there;
            for (const auto& c : data.table->columns) there += (there.empty() ? "" : ", ") + c->name;
            return Fault{.code = "E-COLUMN",
                         .message = predicted_ ? fmt::format("the table has no column {}, which the model needs", name(*predicted_))
                                               : "no column of the table is a variable of the model",
                         .origin = data.origin,
                         .label = "its columns are " + there};
        }
        for (std::size_t r = 0; r < data.table->rows(); ++r) {
            IndependentRow row;
            for (const auto& [id, column] : columns) {
                if (column->is_missing(r)) continue;  // summed out
                Label label = column->label(r);
                const Variable& v = variables_[index(id)].variable;
                if (v.is_discrete()) {
                    const auto place = value_place(v, label);
                    if (!place && !(predicted_ && id != *predicted_))
                        return Fault{.code = "E-LABEL",
                                     .message = fmt::format("{} has no value '{}'", v.name, label.text()),
                                     .origin = data.origin,
                                     .label = fmt::format("row {} of the table", r + 1)};
                    if (!place) continue;  // a label that training never saw is a missing cell
                    label = (*v.domain)[*place];
                }
                (predicted_ && id != *predicted_ ? row.given : row.asked).emplace_back(id, std::move(label));
            }
            add(std::move(row));
        }
        return Done{};
    }

    const Variables& variables_;
    const Query& query_;
    std::optional<VarId> predicted_;
    std::vector<IndependentRow> rows_;
    std::unordered_map<std::string, std::size_t> places_;
};

Query query_of_row(const IndependentRow& row, const Query& query) {
    Query out;
    out.given.events = query.given.events;
    out.given.free = query.given.free;
    out.given.soft = query.given.soft;
    out.doing = query.doing;
    out.by = query.by;
    out.origin = query.origin;
    for (const auto& [id, label] : row.asked) out.targets.events.push_back(event_equal(id, label, query.origin));
    for (const auto& [id, label] : row.given) out.given.events.push_back(event_equal(id, label, query.origin));
    return out;
}

}  // namespace

bool asks_for_rows(const Query& query) { return !query.targets.observations.empty() || !query.targets.data.empty(); }

Result<std::vector<IndependentRow>> rows_of_data(const Variables& variables, const Query& query, std::optional<VarId> predicted) {
    return RowCollector(variables, query, predicted).collect();
}

Result<Answer> ask_rows(const Model& model, const Query& query, Run& run, std::optional<VarId> predicted, const RowAsker& of_row) {
    const auto rows = TRY(rows_of_data(model.variables(), query, predicted));
    if (!query.given.free.empty())
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("{} has no value", model.variables()[index(query.given.free[0])].variable.name),
                     .origin = query.origin,
                     .hint = "rows of data are asked for under given values"};
    Work work(run, run.numbers != NumberMode::exact);
    std::optional<Rational> product = run.numbers == NumberMode::real ? std::nullopt : std::optional(Rational(1));
    double log = 0;
    Answer out;
    for (const auto& row : rows) {
        if (run.stopped()) return stopped_fault();
        auto answer = of_row ? of_row(query_of_row(row, query)) : model.ask(query_of_row(row, query), run);
        if (!answer) return answer;
        const auto* number = std::get_if<Number>(&answer->value);
        if (number == nullptr)
            return Fault{.code = "E-QUERY", .message = "this model gives no probability of a row", .origin = query.origin};
        if (product && number->is_exact()) work.count(*product *= power(number->exact(), row.count, work));
        if (!number->is_exact() || work.exceeded()) product.reset();
        log += static_cast<double>(row.count) * answer->log.value_or(number->is_zero() ? -INFINITY : number->log());
        if (out.engine.empty()) out = *std::move(answer);
    }
    out.exact = product.has_value();
    out.value = product ? Number(*product) : Number::real(std::exp(log));
    out.log.reset();
    out.counts.clear();
    if (!product && std::isfinite(log) && std::exp(log) == 0) out.log = log;
    return out;
}

Result<Derivation> explain_row_product(const Model& model, const Query& query, const Answer& answer, Run& run,
                                       std::optional<VarId> predicted) {
    const auto& variables = model.variables();
    const auto rows = TRY(rows_of_data(variables, query, predicted));
    DerivationWriter out;
    out.formula(query_text(query, variables) + " = the product over the rows, which are independent of each other");
    std::vector<Parts> names;
    std::vector<Parts> numbers;
    for (const auto& row : rows) {
        if (names.size() == longest_sum || !answer.exact) break;
        const auto named = [&](const auto& cells) {
            std::vector<std::pair<std::string, Label>> pairs;
            for (const auto& [id, label] : cells) pairs.emplace_back(variables[index(id)].variable.name, label);
            return pairs;
        };
        auto one = TRY(model.ask(query_of_row(row, query), run));
        const Number p = std::get<Number>(one.value);
        Parts name{ProbabilityTerm{.event = named(row.asked), .given = named(row.given)}};
        Parts number = row.count > 1 ? operand(p) : Parts{p};
        if (row.count > 1)
            for (Parts* parts : {&name, &number}) parts->emplace_back(fmt::format("^{}", row.count));
        names.push_back(std::move(name));
        numbers.push_back(std::move(number));
    }
    const Number& value = std::get<Number>(answer.value);
    if (names.size() == rows.size() && query.given.events.empty() && !names.empty()) {
        out.begin(joined(names, " * "));
        out.step(joined(numbers, " * "));
    } else {
        if (answer.exact) out.note(fmt::format("{} different rows", rows.size()));
        out.begin({value});
    }
    out.result(value);
    return std::move(out).take();
}

}  // namespace credence::rt
