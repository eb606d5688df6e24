// Training, learning on, saving and loading naive Bayes.

#include "runtime/classify/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/design.hpp"
#include "runtime/prob/learning/block_training.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// Prior estimates of the values of each feature, checked against what the user gave.
Result<std::vector<std::vector<Number>>> prior_estimates(const Schema& schema, const NaiveBayesSettings& settings,
                                                         const NaiveBayesCounts& counts) {
    std::vector<std::vector<Number>> out(schema.features.size());
    std::vector<std::string> names;
    for (const auto& f : schema.features) names.push_back(f.name);
    for (const auto& [name, given] : settings.p)
        if (!contains(names, name)) {
            Fault fault{.code = "E-COLUMN",
                        .message = fmt::format("p names {}, which is not a feature column", name),
                        .label = fmt::format("the columns are {}", joined(names, ", "))};
            if (const auto near = nearest(name, names)) fault.hint = fmt::format("did you mean '{}'?", *near);
            return fault;
        }
    for (std::size_t f = 0; f < out.size(); ++f) {
        const auto& values = counts.features[f].values;
        const auto given = settings.p.find(names[f]);
        if (!values) {
            if (given != settings.p.end())
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("p has an entry for {}, which is numeric and modelled as normal", names[f]),
                             .hint = "numeric: bins(k) turns its numbers into values"};
            continue;
        }
        if (settings.each) {
            out[f].assign(values->size(), *settings.each);
            continue;
        }
        if (given == settings.p.end()) {
            out[f].assign(values->size(), Number(Rational(1, static_cast<std::int64_t>(std::max<std::size_t>(1, values->size())))));
            continue;
        }
        out[f].assign(values->size(), Number(0));
        Number total = 0;
        for (const auto& [label, share] : given->second) {
            const auto at = values->find(label);
            if (!at) {
                std::vector<std::string> known;
                for (const auto& l : values->labels()) known.push_back(l.text());
                return Fault{.code = "E-LABEL",
                             .message = fmt::format("p: {} has no value '{}'", names[f], label.text()),
                             .label = fmt::format("its values are {}", joined(known, ", "))};
            }
            if (share.sign() < 0)
                return Fault{.code = "E-PARAMETER", .message = fmt::format("p of {} = {} is negative", names[f], label.text())};
            out[f][*at] = share;
            total += share;
        }
        if (!sums_to_one(total))
            return Fault{.code = "E-SUM", .message = fmt::format("p of {} sums to {}, not 1", names[f], label_text(total))};
    }
    return out;
}

/// The features alone, in the order of the schema.
Table features_of(const Table& table) {
    Table out;
    out.columns = feature_columns(table);
    out.row_count = table.row_count;
    return out;
}

/// What a stretch of rows adds up to.
struct CountedRows {
    NaiveBayesCounts counts;
    std::size_t rows = 0;
    std::size_t left_out = 0;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.counts);
        visit(self.rows);
        visit(self.left_out);
    }
};

class NaiveBayes final : public Learner, public LearnsFromBlocks {
public:
    explicit NaiveBayes(NaiveBayesSettings settings) : settings_(std::move(settings)) {}
    std::string_view name() const override { return "naive_bayes"; }
    TargetKind target() const override { return TargetKind::label; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        Schema schema = schema_of(*rows.table);
        const Table features = features_of(*rows.table);
        TableView view = rows;
        view.table = &features;
        NaiveBayesCounts counts = empty_counts(schema, settings_.bins, view, weights);
        auto p = TRY(prior_estimates(schema, settings_, counts));
        count_into(counts, schema, view, *rows.table->columns[*rows.table->target], weights, run);
        return ModelPtr(
            std::make_shared<const NaiveBayesModel>(std::move(schema), rows.size(), settings_, std::move(counts), std::move(p)));
    }

    Result<ModelPtr> fit_blocks(const RowBlocks& rows, Run& run) const override {
        Schema schema = schema_of(rows.head());
        const auto number =
            std::find_if(schema.features.begin(), schema.features.end(), [](const Field& f) { return f.kind == ColumnKind::numeric; });
        if (settings_.bins > 0 && number != schema.features.end())
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format(
                             "bins of equally many rows need all numbers of {} at once, and these rows are read in blocks", number->name),
                         .hint = "naive_bayes() takes numbers as normal in each class"};
        const Table none = features_of(rows.head());
        CountedRows all{empty_counts(schema, 0, {.table = &none, .rows = {}}, {})};
        auto p = TRY(prior_estimates(schema, settings_, all.counts));
        const std::size_t target[] = {*rows.head().target};
        const auto parts = TRY(pass(rows, {}, all, run, [&](CountedRows& part, const Table& block, std::size_t) -> Status {
            const KnownRows known(block, target);
            const Table features = features_of(block);
            count_into(part.counts, schema, known.view(features), *block.columns[target[0]], {}, run);
            part.rows += known.size();
            part.left_out += known.left_out();
            return Done{};
        }));
        for (const auto& part : parts) {
            all.counts.add(part.counts);
            all.rows += part.rows;
            all.left_out += part.left_out;
        }
        TRY(note_left_out(name(), schema.target.name, all.left_out, all.rows, run));
        return ModelPtr(
            std::make_shared<const NaiveBayesModel>(std::move(schema), all.rows, settings_, std::move(all.counts), std::move(p)));
    }

    /// Every estimate with the counts it comes from.
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        const auto& model = dynamic_cast<const NaiveBayesModel&>(fitted);
        const Field& target = model.schema().target;
        DerivationWriter out;
        out.formula(fmt::format("P({} = c) = n(c) / n", target.name));
        const Factor priors = model.priors();
        for (std::size_t c = 0; c < target.domain->size(); ++c)
            out.note(fmt::format("  P({} = {}) = {}", target.name, (*target.domain)[c].text(), fraction_told(priors.at(c))));
        out.formula(settings_.m.is_zero() ? "P(v | c) = n(v, c) / n(c)" : "P(v | c) = (n(v, c) + m * p) / (n(c) + m)");
        for (std::size_t f = 0; f < model.schema().features.size(); ++f) {
            const FeatureCounts& counts = model.counts(f);
            const std::string& name = model.schema().features[f].name;
            for (std::size_t c = 0; c < target.domain->size(); ++c) {
                const std::string given = fmt::format("{} = {}", target.name, (*target.domain)[c].text());
                if (counts.is_normal()) {
                    auto d = model.normal(f, c);
                    if (!d) continue;
                    auto spread = TRY((*d)->variance());
                    out.note(fmt::format("  {} | {} ~ normal({:.6g}, {:.6g}), by {:.6g} row{}", name, given, counts.spreads[c].mean,
                                         std::sqrt(std::get<Number>(spread).real()), counts.spreads[c].weight,
                                         counts.spreads[c].weight == 1 ? "" : "s"));
                    continue;
                }
                const Factor shares = model.conditionals(f);
                const std::size_t k = counts.values->size();
                Number all = 0;
                for (std::size_t v = 0; v < k; ++v) all += counts.cells[c * k + v];
                for (std::size_t v = 0; v < k; ++v)
                    out.note(fmt::format("  P({} = {} | {}): {} of {}, {}", name, (*counts.values)[v].text(), given,
                                         fraction_told(counts.cells[c * k + v]), fraction_told(all), fraction_told(shares.at(c * k + v))));
            }
        }
        return std::move(out).take();
    }

private:
    NaiveBayesSettings settings_;
};

/// The domain with the labels of another that it lacks at its end.
DomainPtr extended(const DomainPtr& domain, const Column& column) {
    std::vector<Label> labels = domain->labels();
    if (column.kind == ColumnKind::label) {
        for (const auto& l : column.domain->labels())
            if (!domain->find(l)) labels.push_back(l);
    } else {
        std::unordered_set<std::string> added;
        for (std::size_t r = 0; r < column.rows(); ++r) {
            if (column.is_missing(r)) continue;
            Label label = column.label(r);
            if (!domain->find(label) && added.insert(label.text()).second) labels.push_back(std::move(label));
        }
    }
    return labels.size() == domain->size() ? domain : make_domain(std::move(labels));
}

/// Counts moved to larger domains.
void widen(NaiveBayesCounts& counts, const Schema& schema) {
    const std::size_t before = counts.classes.size();
    const std::size_t labels = schema.target.domain->size();
    counts.classes.resize(labels);
    for (std::size_t f = 0; f < counts.features.size(); ++f) {
        FeatureCounts& feature = counts.features[f];
        if (feature.is_normal()) {
            feature.spreads.resize(labels);
            continue;
        }
        const std::size_t old_values = feature.values->size();
        if (schema.features[f].kind == ColumnKind::label) feature.values = schema.features[f].domain;
        std::vector<Number> cells(labels * feature.values->size());
        for (std::size_t c = 0; c < before; ++c)
            for (std::size_t v = 0; v < old_values; ++v) cells[c * feature.values->size() + v] = feature.cells[c * old_values + v];
        feature.cells = std::move(cells);
    }
}

}  // namespace

Result<ModelPtr> NaiveBayesModel::update(const TableView& rows, std::span<const double> weights, Run& run) const {
    const auto at = rows.table->find(schema_.target.name);
    if (!at) return Fault{.code = "E-COLUMN", .message = fmt::format("the rows have no column {} to learn from", schema_.target.name)};
    Schema schema = schema_;
    for (auto& field : schema.features)
        if (const auto found = rows.table->find(field.name); found && field.kind == ColumnKind::label)
            field.domain = extended(field.domain, *rows.table->columns[*found]);
    schema.target.domain = extended(schema.target.domain, *rows.table->columns[*at]);
    NaiveBayesCounts counts = counts_;
    widen(counts, schema);
    auto aligned = TRY(align(schema, *rows.table));
    Schema target_only;
    target_only.features = {schema.target};
    auto target = TRY(align(target_only, *rows.table));
    const Column& classes = *target.columns[0];
    std::vector<std::uint32_t> kept;
    std::vector<double> kept_weights;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (classes.is_missing(rows.row(i))) continue;
        kept.push_back(static_cast<std::uint32_t>(rows.row(i)));
        if (!weights.empty()) kept_weights.push_back(weights[i]);
    }
    count_into(counts, schema, {.table = &aligned, .rows = kept, .all = false}, classes, kept_weights, run);
    auto p = TRY(prior_estimates(schema, settings_, counts));
    return ModelPtr(
        std::make_shared<const NaiveBayesModel>(std::move(schema), rows_seen_ + kept.size(), settings_, std::move(counts), std::move(p)));
}

// --- files ------------------------------------------------------------------------------------------------------------

Result<Json> NaiveBayesModel::save() const {
    Json features = Json::array();
    for (std::size_t f = 0; f < schema_.features.size(); ++f) {
        const FeatureCounts& counts = counts_.features[f];
        Json entry;
        if (counts.is_normal()) {
            std::vector<double> flat;
            for (const auto& s : counts.spreads) flat.insert(flat.end(), {s.weight, s.mean, s.squares});
            entry.set("spreads", saved(std::span<const double>(flat)));
        } else {
            entry.set("values", saved(*counts.values));
            entry.set("cells", saved(std::span<const Number>(counts.cells)));
            entry.set("cuts", saved(std::span<const double>(counts.cuts)));
            entry.set("p", saved(std::span<const Number>(p_[f])));
        }
        features.push_back(std::move(entry));
    }
    Json p = Json::object();
    for (const auto& [name, entries] : settings_.p) {
        Json list = Json::array();
        for (const auto& [label, share] : entries) list.push_back(Json{{"label", label.text()}, {"p", saved(share)}});
        p.set(name, std::move(list));
    }
    return Json{{"schema", saved(schema_)},       {"rows", rows_seen_},
                {"m", saved(settings_.m)},        {"p", settings_.each ? saved(*settings_.each) : std::move(p)},
                {"bins", settings_.bins},         {"classes", saved(std::span<const Number>(counts_.classes))},
                {"features", std::move(features)}};
}

namespace {

bool not_negative(std::span<const Number> numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](const Number& n) { return n.sign() >= 0 && std::isfinite(n.real()); });
}

Result<FeatureCounts> read_feature(const Json& json, std::size_t labels, std::vector<Number>& p) {
    FeatureCounts out;
    if (json.contains("spreads")) {
        auto flat = TRY(read_reals(json, "spreads"));
        if (flat.size() != 3 * labels) return damaged("a column does not have three numbers for each class");
        for (std::size_t c = 0; c < labels; ++c) out.spreads.push_back({flat[3 * c], flat[3 * c + 1], flat[3 * c + 2]});
        for (const auto& s : out.spreads)
            if (!(s.weight >= 0) || !(s.squares >= 0) || !std::isfinite(s.mean)) return damaged("a spread is invalid");
        return out;
    }
    auto values = TRY(read_member(json, "values"));
    out.values = TRY(read_domain(*values));
    out.cells = TRY(read_numbers(json, "cells"));
    out.cuts = TRY(read_reals(json, "cuts"));
    p = TRY(read_numbers(json, "p"));
    if (out.cells.size() != labels * out.values->size() || p.size() != out.values->size())
        return damaged("a column does not have one count for each value");
    if (!not_negative(out.cells) || !not_negative(p)) return damaged("a count is negative");
    if (!out.cuts.empty() && out.cuts.size() + 1 != out.values->size()) return damaged("the bins do not fit their cuts");
    return out;
}

}  // namespace

Result<ModelPtr> load_naive_bayes(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    if (schema.target.kind != ColumnKind::label) return damaged("the target is not a label");
    auto rows = TRY(read_count(json, "rows"));
    NaiveBayesSettings settings;
    auto m = TRY(read_member(json, "m"));
    settings.m = TRY(read_number(*m));
    if (!(settings.m >= Number(0))) return damaged("'m' is below 0");
    settings.bins = TRY(read_count(json, "bins"));
    auto given = TRY(read_member(json, "p"));
    if (!given->is_object()) { settings.each = TRY(read_number(*given)); }
    const Json columns = settings.each ? Json::object() : *given;
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (const auto& entry : columns[i]) {
            auto label = TRY(read_text(entry, "label"));
            auto share = TRY(read_member(entry, "p"));
            auto value = TRY(read_number(*share));
            settings.p[columns.keys()[i]].emplace_back(Label::of_text(label), value);
        }
    NaiveBayesCounts counts;
    counts.classes = TRY(read_numbers(json, "classes"));
    Number total = 0;
    for (const auto& n : counts.classes) total += n;
    if (counts.classes.size() != schema.target.domain->size() || !not_negative(counts.classes) || total.is_zero())
        return damaged("there is not one count for each class");
    auto features = TRY(read_member(json, "features"));
    if (!features->is_array() || features->size() != schema.features.size()) return damaged("there are not counts of every column");
    std::vector<std::vector<Number>> p(schema.features.size());
    for (std::size_t f = 0; f < p.size(); ++f) {
        auto feature = TRY(read_feature((*features)[f], counts.classes.size(), p[f]));
        const bool numeric = schema.features[f].kind == ColumnKind::numeric;
        const bool as_number = feature.is_normal() || !feature.cuts.empty();
        if (numeric ? !as_number && settings.bins == 0 : as_number) return damaged("a column is of another kind than its counts");
        if (!numeric && feature.values->labels() != schema.features[f].domain->labels()) return damaged("a column's values differ");
        counts.features.push_back(std::move(feature));
    }
    return ModelPtr(std::make_shared<const NaiveBayesModel>(std::move(schema), rows, std::move(settings), std::move(counts), std::move(p)));
}

LearnerPtr make_naive_bayes(NaiveBayesSettings settings) { return std::make_shared<const NaiveBayes>(std::move(settings)); }

}  // namespace credence::rt
