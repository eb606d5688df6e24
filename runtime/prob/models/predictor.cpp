#include "runtime/prob/models/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/models/answers.hpp"
#include "runtime/prob/models/features_given.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/independent_rows.hpp"

namespace credence::rt {

namespace {

Field field_of(const Column& c) { return {c.name, c.kind, c.domain}; }

Variable variable_of(const Field& f) { return {f.name, f.kind == ColumnKind::label ? f.domain : nullptr}; }

ColumnPtr missing_column(const Field& field, std::size_t rows) {
    auto out = std::make_shared<Column>();
    out->name = field.name;
    out->kind = field.kind;
    out->domain = field.domain;
    if (field.kind == ColumnKind::label)
        out->codes.assign(rows, -1);
    else
        out->values.assign(rows, std::numeric_limits<double>::quiet_NaN());
    return out;
}

/// Label cells in the codes of another domain.
ColumnPtr recoded(const Column& column, const Field& field, std::size_t& unseen) {
    auto out = std::make_shared<Column>();
    out->name = field.name;
    out->kind = ColumnKind::label;
    out->domain = field.domain;
    out->codes.resize(column.rows());
    if (column.kind == ColumnKind::label) {
        std::vector<std::int32_t> code_of(column.domain->size(), -1);
        for (std::size_t k = 0; k < code_of.size(); ++k)
            if (const auto found = field.domain->find((*column.domain)[k])) code_of[k] = static_cast<std::int32_t>(*found);
        for (std::size_t r = 0; r < out->codes.size(); ++r) {
            const auto code = column.codes[r];
            out->codes[r] = code < 0 ? -1 : code_of[static_cast<std::size_t>(code)];
            unseen += code >= 0 && out->codes[r] < 0;
        }
        return out;
    }
    for (std::size_t r = 0; r < out->codes.size(); ++r) {
        out->codes[r] = -1;
        if (column.is_missing(r)) continue;
        const auto found = field.domain->find(column.label(r));
        if (found)
            out->codes[r] = static_cast<std::int32_t>(*found);
        else
            ++unseen;
    }
    return out;
}

/// Codes or values of one row of features, as a table.
struct RowBuilder {
    explicit RowBuilder(const Schema& s) : schema(&s) {
        for (const auto& f : s.features) columns.push_back(std::make_shared<Column>(*missing_column(f, 1)));
    }
    Table table() const {
        Table out;
        for (std::size_t f = 0; f < columns.size(); ++f) out.columns.push_back(scaled(columns[f], schema->features[f]));
        out.row_count = 1;
        return out;
    }
    const Schema* schema;
    std::vector<std::shared_ptr<Column>> columns;
};

Status set_cell(RowBuilder& row, std::size_t feature, const Atom& atom) {
    Column& c = *row.columns[feature];
    const Label& value = atom.values[0];
    if (!c.is_missing(0)) return Fault{.code = "E-QUERY", .message = fmt::format("{} is given twice", c.name), .origin = atom.origin};
    if (c.kind == ColumnKind::label) {
        if (!row.schema->features[feature].domain) c.domain = make_domain({value});
        if (!c.domain->find(value)) {  // of a model that judges what it has not seen
            auto labels = c.domain->labels();
            labels.push_back(value);
            c.domain = make_domain(std::move(labels));
        }
        c.codes[0] = static_cast<std::int32_t>(*c.domain->find(value));
        return Done{};
    }
    if (!value.number())
        return Fault{.code = "E-TYPE", .message = fmt::format("{} is a number, not '{}'", c.name, value.text()), .origin = atom.origin};
    c.values[0] = value.number()->real();
    if (value.number()->is_exact()) c.exact = {value.number()->exact()};
    return Done{};
}

/// Rows of features for every value of what is free in the evidence, the last of them fastest.
Result<std::vector<Table>> rows_of_evidence(const Predictor& p, const Query& query) {
    const auto& given = query.given;
    const std::size_t target = p.schema().features.size();
    const auto refuse = [&](std::string what, Origin origin) {
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("a {} answers for given values of its columns, not {}", p.kind(), what),
                     .origin = origin,
                     .hint = "give each column as X = value"};
    };
    if (!query.doing.empty()) return refuse("do(…)", query.doing[0].origin);
    if (!given.observations.empty()) return refuse("lists of them", given.observations[0].origin);
    if (!given.data.empty()) return refuse("tables: predict takes those", given.data[0].origin);
    if (!given.soft.empty()) return refuse("uncertain ones", given.soft[0].origin);
    RowBuilder row(p.schema());
    for (const auto& event : conjuncts(given.events)) {
        if (event.kind != Event::Kind::atom || event.atom.compare != Compare::equal) return refuse("events of them", event.origin);
        if (index(event.atom.variable) == target)
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("a {} predicts {}, which cannot be evidence", p.kind(), p.schema().target.name),
                         .origin = event.atom.origin};
        TRY(set_cell(row, index(event.atom.variable), event.atom));
    }
    std::vector<Table> out;
    std::vector<std::size_t> at(given.free.size(), 0);
    for (const auto id : given.free) {
        if (index(id) == target) return refuse("its target after the bar", query.origin);
        const Field& field = p.schema().features[index(id)];
        if (field.kind == ColumnKind::numeric) return refuse(fmt::format("every {}: it is real-valued", field.name), query.origin);
        if (!field.domain) return refuse(fmt::format("every {}: it is a text", field.name), query.origin);
    }
    do {
        for (auto& column : row.columns) column = std::make_shared<Column>(*column);
        for (std::size_t k = 0; k < at.size(); ++k) row.columns[index(given.free[k])]->codes[0] = static_cast<std::int32_t>(at[k]);
        out.push_back(row.table());
    } while (next_configuration(at, [&](std::size_t k) { return p.schema().features[index(given.free[k])].domain->size(); }));
    return out;
}

std::string names_text(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < 6; ++i) out += (i ? ", " : "") + names[i];
    return names.size() > 6 ? fmt::format("{} and {} more", out, names.size() - 6) : out;
}

Fault columns_missing(std::string_view kind, const std::vector<std::string>& names, std::optional<std::size_t> first_row) {
    return {.code = "E-MISSING",
            .message = fmt::format("a {} needs a value of {}{}", kind, names_text(names),
                                   first_row ? fmt::format(" (first in row {})", *first_row + 1) : ""),
            .hint = kind == "decision_tree"
                        ? "its rules need all columns that they test: a tree without rules does not, as c45(prune: none) grows it"
                        : "give all columns; nets, tables and Bayes classifiers need only some of them"};
}

}  // namespace

std::vector<char> features_given(const Schema& schema, const Clause& given) {
    std::vector<char> out(schema.features.size(), 0);
    const auto mark = [&](VarId v) {
        if (index(v) < out.size()) out[index(v)] = 1;
    };
    for (const auto& event : conjuncts(given.events))
        for (const auto v : variables_of(event)) mark(v);
    for (const auto v : given.free) mark(v);
    return out;
}

Schema schema_of(const Table& table) {
    Schema out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.target == c)
            out.target = field_of(*table.columns[c]);
        else
            out.features.push_back(field_of(*table.columns[c]));
    }
    return out;
}

ColumnPtr filled(const ColumnPtr& column, const Field& field) {
    if (!field.fill || column->missing_count() == 0) return column;
    auto out = std::make_shared<Column>(*column);
    for (auto& code : out->codes)
        if (code < 0) code = static_cast<std::int32_t>(*field.fill);
    const auto exact = Rational::from_decimal(*field.fill);
    for (std::size_t row = 0; row < out->values.size(); ++row) {
        if (!std::isnan(out->values[row])) continue;
        out->values[row] = *field.fill;
        if (!out->exact.empty()) out->exact[row] = exact;
    }
    return out;
}

ColumnPtr scaled(const ColumnPtr& column, const Field& field) {
    if (!field.scale) return column;
    auto out = std::make_shared<Column>(*column);
    for (double& v : out->values) v = (v - field.scale->offset) / field.scale->unit;
    out->exact.clear();
    out->real = true;
    return out;
}

Result<Table> align(const Schema& schema, const Table& table, std::size_t* unseen, std::size_t* filled_in) {
    Table out;
    out.row_count = table.row_count;
    std::size_t strange = 0;
    const auto add = [&](const Field& field, const ColumnPtr& column) {
        if (filled_in && field.fill) *filled_in += column->missing_count();
        out.columns.push_back(scaled(filled(column, field), field));
    };
    for (const auto& field : schema.features) {
        const auto found = table.find(field.name);
        if (!found) {
            out.columns.push_back(missing_column(field, table.row_count));
            continue;
        }
        const ColumnPtr& column = table.columns[*found];
        if (field.kind == ColumnKind::numeric) {
            const bool empty = column->kind == ColumnKind::label && column->missing_count() == column->rows();
            if (column->kind == ColumnKind::label && !empty)
                return Fault{.code = "E-TYPE", .message = fmt::format("{} was numeric in training, and has labels here", field.name)};
            add(field, empty ? missing_column(field, table.row_count) : column);
            continue;
        }
        if (!field.domain) {  // any text
            out.columns.push_back(column->kind == ColumnKind::numeric ? as_labels(column) : column);
            continue;
        }
        const bool same =
            column->kind == ColumnKind::label && (column->domain == field.domain || column->domain->labels() == field.domain->labels());
        add(field, same ? column : recoded(*column, field, strange));
    }
    if (unseen) *unseen += strange;
    return out;
}

std::vector<char> features_in(const Schema& schema, const Table& table) {
    std::vector<char> out;
    for (const auto& field : schema.features) out.push_back(table.find(field.name) ? 1 : 0);
    return out;
}

namespace {

/// "normal(2.75, 1.0987)": for people.
std::string text_of(const Distribution& distribution) {
    std::vector<std::string> numbers;
    for (const auto& p : distribution.parameters())
        if (const auto* n = std::get_if<Number>(&p.value)) numbers.push_back(fmt::format("{:.6g}", n->real()));
    return fmt::format("{}({})", distribution.name(), joined(numbers, ", "));
}

}  // namespace

// --- Predictor --------------------------------------------------------------------------------------------------------

Predictor::Predictor(Schema schema, std::size_t rows_seen) : schema_(std::move(schema)), rows_seen_(rows_seen) {
    for (const auto& f : schema_.features) variables_.push_back({variable_of(f)});
    variables_.push_back({variable_of(schema_.target)});
}

std::string Predictor::description() const {
    std::vector<std::string> names;
    for (const auto& f : schema_.features) names.push_back(f.name);
    return fmt::format("{} from {} ({})", schema_.target.name, names.empty() ? "nothing" : names_text(names), counted(rows_seen_, "row"));
}

Result<TablePtr> Predictor::sample(std::size_t, const Clause&, Run&) const {
    return Fault{
        .code = "E-QUERY",
        .message = fmt::format("a {} predicts {} from the rest: it has no joint distribution to draw from", kind(), schema_.target.name)};
}

Result<Derivation> Predictor::explain(const Query& query, const Answer& answer, Run& run) const {
    if (asks_for_rows(query)) return explain_row_product(*this, query, answer, run, static_cast<VarId>(schema_.features.size()));
    auto row = TRY(row_of_evidence(query));
    const TableView view{.table = &row, .rows = {}};
    TRY(check_given(view, features_given(schema_, query.given)));
    auto out = explain_prediction(view, run);
    const auto* regressor = dynamic_cast<const Regressor*>(this);
    if (!out || !regressor) return out;
    auto spread = TRY(regressor->distribution(view, run));
    DerivationWriter more;
    more.note(fmt::format("{} ~ {}", schema_.target.name, text_of(*spread)));
    if (const auto* mass = std::get_if<Number>(&answer.value)) {
        std::vector<std::string> events;
        for (const auto& e : query.targets.events) events.push_back(event_text(e, variables_));
        more.note(fmt::format("P({} | …)", joined(events, ", ")));
        more.result(*mass);
    }
    for (auto& line : std::move(more).take()) out->push_back(std::move(line));
    return out;
}

Result<Table> Predictor::row_of_evidence(const Query& query) const {
    auto rows = TRY(rows_of_evidence(*this, query));
    if (rows.size() != 1) return Fault{.code = "E-QUERY", .message = "this needs one value for each column", .origin = query.origin};
    return std::move(rows[0]);
}

Status Predictor::check_cells(const TableView& rows) const {
    if (takes_missing()) return Done{};
    std::vector<std::string> missing;
    std::optional<std::size_t> first;
    for (const auto& column : rows.table->columns)
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (column->is_missing(rows.row(i))) {
                missing.push_back(column->name);
                if (!first || rows.row(i) < *first) first = rows.row(i);
                break;
            }
    if (missing.empty()) return Done{};
    return columns_missing(kind(), missing, rows.size() > 1 ? first : std::nullopt);
}

std::vector<std::size_t> Predictor::columns_needed(const Table&, std::size_t, std::span<const char>) const { return {}; }

Status Predictor::check_given(const TableView& rows, std::span<const char> given) const {
    if (!contains(given, char{0})) return Done{};
    std::vector<char> needed(given.size(), 0);
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const auto c : columns_needed(*rows.table, rows.row(i), given)) {
            needed[c] = 1;
            if (!first) first = rows.row(i);
        }
    if (!first) return Done{};
    std::vector<std::string> missing;
    for (std::size_t c = 0; c < needed.size(); ++c)
        if (needed[c]) missing.push_back(schema_.features[c].name);
    return columns_missing(kind(), missing, rows.size() > 1 ? first : std::nullopt);
}

// --- Classifier -------------------------------------------------------------------------------------------------------

Status Classifier::classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const {
    const std::size_t labels = schema_.target.domain->size();
    std::vector<double> shares(rows.size() * labels);
    Status done = probabilities(rows, shares, run);
    if (done) most_probable(shares, out);
    return done;
}

Attempt<std::vector<Rational>> Classifier::exact_probabilities(const TableView&, Run&) const { return not_applicable; }

namespace {

/// Which labels of the target the query's events allow; it must be about the target alone.
Result<std::vector<char>> labels_asked_for(const Classifier& model, const Query& query, Run& run) {
    const Schema& schema = model.schema();
    const VarId target = static_cast<VarId>(schema.features.size());
    for (const auto id : query.targets.free)
        if (id != target)
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("a {} answers only P({} | …), not queries about {}", model.kind(), schema.target.name,
                                                schema.features[index(id)].name),
                         .origin = query.origin};
    std::vector<char> out(schema.target.domain->size(), 1);
    for (const auto& event : query.targets.events) {
        if (const auto named = variables_of(event); named.size() != 1 || named[0] != target)
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("a {} answers only P({} | …), not queries about its other columns", model.kind(),
                                                schema.target.name),
                         .origin = event.origin};
        auto table = TRY(table_of(event, model.variables(), run));
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = out[k] && table.truth[k];
    }
    return out;
}

}  // namespace

Result<Answer> Classifier::ask(const Query& query, Run& run) const {
    const VarId target = static_cast<VarId>(schema_.features.size());
    if (asks_for_rows(query)) return ask_rows(*this, query, run, target);
    const Variables& all = variables();
    const auto wanted = TRY(labels_asked_for(*this, query, run));
    auto rows = TRY(rows_of_evidence(*this, query));

    Answer answer;
    answer.engine = kind();
    const std::size_t labels = wanted.size();
    std::vector<std::vector<Number>> shares;
    const auto given = features_given(schema_, query.given);
    for (const auto& row : rows) {
        const TableView view{.table = &row, .rows = {}};
        Status cells = check_cells(view);
        if (cells) cells = check_given(view, given);
        if (!cells) return std::move(cells).fault();
        std::vector<Number> share(labels);
        auto exact = run.numbers == NumberMode::real ? Attempt<std::vector<Rational>>(not_applicable) : exact_probabilities(view, run);
        if (exact.failed()) return exact.reason();
        if (exact) {
            for (std::size_t k = 0; k < labels; ++k) share[k] = Number((*exact)[k]);
        } else {
            std::vector<double> real(labels);
            TRY(probabilities(view, real, run));
            for (std::size_t k = 0; k < labels; ++k) share[k] = Number::real(real[k]);
            answer.exact = false;
        }
        for (std::size_t k = 0; k < labels; ++k)
            if (!wanted[k]) share[k] = Number(0);
        shares.push_back(std::move(share));
    }
    const bool free = !query.targets.free.empty();
    std::vector<Variable> over;
    if (free) over.push_back(all[index(target)].variable);
    for (const auto id : query.given.free) over.push_back(all[index(id)].variable);
    std::vector<Number> entries;
    for (std::size_t k = 0; k < (free ? labels : 1); ++k)
        for (const auto& share : shares) {
            Number entry = free ? share[k] : Number(0);
            for (std::size_t j = 0; !free && j < labels; ++j) entry += share[j];
            entries.push_back(entry);
        }
    if (over.empty())
        answer.value = entries[0];
    else
        answer.value = Factor::of_numbers(std::move(over), entries);
    if (query.goal == Goal::most_probable && free && query.given.free.empty()) {
        const Extreme best = argmax(std::get<Factor>(answer.value));
        answer.value =
            Assignment{{{all[index(target)].variable, (*schema_.target.domain)[best.entry]}}, entries[best.entry], best.ties.size()};
    }
    return answer;
}

Result<Derivation> Classifier::explain_prediction(const TableView& rows, Run& run) const {
    std::vector<double> shares(schema_.target.domain->size());
    TRY(probabilities(rows, shares, run));
    DerivationWriter out;
    for (std::size_t k = 0; k < shares.size(); ++k)
        out.note(fmt::format("P({} = {}) = {:.6g}", schema_.target.name, (*schema_.target.domain)[k].text(), shares[k]));
    return std::move(out).take();
}

}  // namespace credence::rt
