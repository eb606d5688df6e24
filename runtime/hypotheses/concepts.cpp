#include "runtime/hypotheses/concepts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_instances = 1'000'000;

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// What the field writes for "in the concept", and the other label it goes with where only one was seen.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> positive_words{
    {{"yes", "No"}, {"true", "false"}, {"+", "-"}, {"positive", "negative"}, {"pos", "neg"}, {"1", "0"}, {"y", "n"}}};

bool says_positive(const Label& label) {
    const std::string text = lower(label.text());
    return std::any_of(positive_words.begin(), positive_words.end(), [&](const auto& words) { return words.first == text; });
}

/// The label of the other side, where the table has one label only.
Label other_label(const Label& label) {
    const std::string text = lower(label.text());
    for (const auto& [positive, negative] : positive_words) {
        if (positive == text) return Label::of_text(negative);
        if (lower(std::string(negative)) == text) return Label::of_text(positive);
    }
    return Label::of_text("not " + label.text());
}

Status set_target(ConceptSchema& out, const std::optional<Label>& positive) {
    Field& target = out.schema.target;
    std::vector<Label> labels = target.domain->labels();
    if (positive && !contains(labels, *positive)) {
        if (labels.size() > 1)
            return Fault{.code = "E-LABEL",
                         .message = fmt::format("{} has no value '{}' to use as the positive label", target.name, positive->text())};
        labels.push_back(*positive);
    }
    if (labels.size() == 1) labels.push_back(other_label(labels[0]));
    if (labels.size() != 2) {
        std::vector<std::string> texts;
        for (const auto& l : labels) texts.push_back(l.text());
        return Fault{
            .code = "E-TRAIN",
            .message = fmt::format("a concept has two sides, and {} has {} labels: {}", target.name, labels.size(), joined(texts, ", ")),
            .hint = "naive_bayes and decision_tree take any number of labels"};
    }
    out.positive = 1;
    if (positive)
        out.positive = labels[0] == *positive ? 0 : 1;
    else if (says_positive(labels[0]) && !says_positive(labels[1]))
        out.positive = 0;
    target.domain = make_domain(std::move(labels));
    return Done{};
}

}  // namespace

bool covers(const Cells& conjunction, const Cells& instance) {
    for (std::size_t i = 0; i < conjunction.size(); ++i)
        if (conjunction[i] != any_value && conjunction[i] != instance[i]) return false;
    return true;
}

bool more_general(const Cells& a, const Cells& b) {
    if (contains(b, no_value)) return true;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != any_value && a[i] != b[i]) return false;
    return true;
}

Result<bool> ConceptSpace::holds(const Concept& hypothesis, const Cells& instance) const {
    return std::any_of(hypothesis.terms.begin(), hypothesis.terms.end(), [&](const Cells& t) { return covers(t, instance); });
}

std::shared_ptr<const ConceptSpace> ConceptSpace::over(const Schema&) const { return nullptr; }

Result<ConceptSchema> concept_schema(const Table& table, std::span<const NamedDomain> domains, const std::optional<Label>& positive) {
    if (!table.target)
        return Fault{.code = "E-TRAIN",
                     .message = "a concept is learned from labelled examples, and this table has no target column",
                     .hint = "with_target(t, Column), or `->` before it in a table block"};
    Table labelled = table;
    for (auto& column : labelled.columns)
        if (column->kind == ColumnKind::numeric) column = as_labels(column);
    ConceptSchema out{schema_of(labelled), 0};
    for (const auto& given : domains) {
        Field* field = out.schema.target.name == given.column ? &out.schema.target : nullptr;
        for (auto& f : out.schema.features)
            if (f.name == given.column) field = &f;
        if (!field) {
            Fault fault = no_such_column(given.column, column_names(table));
            fault.origin = given.origin;
            return fault;
        }
        for (const auto& label : field->domain->labels())
            if (!contains(given.values, label))
                return Fault{.code = "E-LABEL",
                             .message = fmt::format("the table has {} = {}, which the domain given for {} leaves out", given.column,
                                                    label.text(), given.column),
                             .origin = given.origin};
        field->domain = make_domain(given.values);
    }
    for (const auto& f : out.schema.features)
        if (f.domain->size() == 0)
            return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no values", f.name), .hint = "give them: domains: {…}"};
    if (out.schema.target.domain->size() > 2) out.schema.target.domain = make_domain(seen_labels(*labelled.columns[*labelled.target]));
    TRY(set_target(out, positive));
    return out;
}

Cells cells_of(const Table& aligned, std::size_t row) {
    Cells out;
    out.reserve(aligned.columns.size());
    for (const auto& column : aligned.columns) out.push_back(column->codes[row]);
    return out;
}

Result<std::vector<ConceptExample>> examples_of(const ConceptSpace& space, const TableView& rows, std::span<const double> weights) {
    const Table& table = *rows.table;
    Schema wanted = space.schema();
    wanted.features.push_back(wanted.target);
    for (const auto& f : wanted.features)
        if (!table.find(f.name)) return no_such_column(f.name, column_names(table));
    for (const auto& column : table.columns)
        if (std::none_of(wanted.features.begin(), wanted.features.end(), [&](const Field& f) { return f.name == column->name; }))
            return Fault{.code = "E-COLUMN",
                         .message = fmt::format("the space has no column {}", column->name),
                         .hint = "make the space from a table with the same columns"};
    auto aligned = TRY(align(wanted, table));
    std::vector<ConceptExample> out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows.row(i);
        for (std::size_t f = 0; f < wanted.features.size(); ++f) {
            if (aligned.columns[f]->codes[r] >= 0) continue;
            const Field& field = wanted.features[f];
            const Column& original = *table.columns[*table.find(field.name)];
            if (original.is_missing(r))
                return Fault{
                    .code = "E-MISSING",
                    .message = fmt::format("{1} is missing in row {0}: concepts are learned from complete instances", r + 1, field.name)};
            std::vector<std::string> known;
            for (const auto& l : field.domain->labels()) known.push_back(l.text());
            return Fault{.code = "E-LABEL",
                         .message = fmt::format("row {} has {} = {}, a value that the space does not have", r + 1, field.name,
                                                original.label(r).text()),
                         .label = fmt::format("its values are {}", joined(known, ", ")),
                         .hint = fmt::format("name them all: domains: {{{}: {{…}}}}", field.name)};
        }
        Cells cells = cells_of(aligned, r);
        const bool positive = static_cast<std::size_t>(cells.back()) == space.positive();
        cells.pop_back();
        out.push_back({std::move(cells), positive, weights.empty() ? 1 : weights[i], r});
    }
    return out;
}

Rational instance_count(const Schema& schema) {
    Rational out = 1;
    for (const auto& f : schema.features) out *= Rational(static_cast<std::int64_t>(f.domain->size()));
    return out;
}

Status each_instance(const Schema& schema, const std::function<bool(const Cells&)>& use) {
    if (const Rational n = instance_count(schema); n > Rational(static_cast<std::int64_t>(most_instances)))
        return Fault{.code = "E-COST",
                     .message = fmt::format("there are {} instances, too many to enumerate", n.text()),
                     .hint = "fewer columns, or columns with fewer values"};
    Cells cells(schema.features.size(), 0);
    do
        if (!use(cells)) return Done{};
    while (next_configuration(cells, [&](std::size_t i) { return schema.features[i].domain->size(); }));
    return Done{};
}

std::string text_of(const Cells& cells, const Schema& schema) {
    std::string out = "<";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) out += ", ";
        if (cells[i] == any_value)
            out += "?";
        else if (cells[i] == no_value)
            out += "∅";
        else
            out += (*schema.features[i].domain)[static_cast<std::size_t>(cells[i])].text();
    }
    return out + ">";
}

std::string text_of(const Concept& hypothesis, const Schema& schema) {
    if (!hypothesis.name.empty()) return hypothesis.name;
    if (hypothesis.terms.size() == 1) return text_of(hypothesis.terms[0], schema);
    std::string out;
    for (const auto& t : hypothesis.terms) out += (out.empty() ? "" : ", ") + text_of(t, schema);
    return "{" + out + "}";
}

std::string text_of(std::span<const Concept> hypotheses, const Schema& schema) {
    constexpr std::size_t shown = 20;
    std::string out;
    for (std::size_t i = 0; i < std::min(shown, hypotheses.size()); ++i) out += (out.empty() ? "" : ", ") + text_of(hypotheses[i], schema);
    if (hypotheses.size() > shown) out += fmt::format(", … {} in all", hypotheses.size());
    return "{" + out + "}";
}

Result<Boundaries> boundaries_of(const ConceptSpace& space, std::span<const Concept> members) {
    const Schema& schema = space.schema();
    constexpr double most_work = 4e9;  // bits compared
    const double instances = instance_count(schema).to_double();
    const auto n = static_cast<double>(members.size());
    if (n * n * instances > most_work * 64 || n * instances > most_work)
        return Fault{.code = "E-COST", .message = fmt::format("{} hypotheses are too many to compare in generality", members.size())};
    std::vector<std::vector<std::uint64_t>> sets(members.size());
    for (std::size_t m = 0; m < members.size(); ++m) {
        std::uint64_t word = 0;
        unsigned at = 0;
        std::optional<Fault> fault;
        TRY(each_instance(schema, [&](const Cells& x) {
            auto in = space.holds(members[m], x);
            if (!in) {
                fault = std::move(in).fault();
                return false;
            }
            word |= static_cast<std::uint64_t>(*in) << at;
            if (++at == 64) {
                sets[m].push_back(word);
                word = 0;
                at = 0;
            }
            return true;
        }));
        if (fault) return *std::move(fault);
        sets[m].push_back(word);
    }
    const auto inside = [&](std::size_t a, std::size_t b) {  // a a proper part of b
        bool proper = false;
        for (std::size_t w = 0; w < sets[a].size(); ++w) {
            if (sets[a][w] & ~sets[b][w]) return false;
            proper = proper || sets[a][w] != sets[b][w];
        }
        return proper;
    };
    Boundaries out;
    for (std::size_t a = 0; a < members.size(); ++a) {
        bool smallest = true;
        bool largest = true;
        for (std::size_t b = 0; b < members.size() && (smallest || largest); ++b) {
            smallest = smallest && !inside(b, a);
            largest = largest && !inside(a, b);
        }
        if (smallest) out.specific.push_back(members[a]);
        if (largest) out.general.push_back(members[a]);
    }
    return out;
}

}  // namespace credence::rt
