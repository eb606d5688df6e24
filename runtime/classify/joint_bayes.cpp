#include "runtime/classify/joint_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/design.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/independent_rows.hpp"
#include "runtime/prob/queries/measure.hpp"
#include "runtime/prob/queries/row_events.hpp"

namespace credence::rt {

namespace {

constexpr std::string_view joint_kind = "joint_bayes";
using Codes = std::vector<std::int32_t>;

/// How often each different row was seen in each class.
struct JointCounts {
    std::map<Codes, std::vector<Number>> rows;  ///< features → weight by class
    std::vector<Number> classes;

    void add(const Codes& row, std::size_t label, const Number& weight) {
        auto& cells = rows[row];
        cells.resize(classes.size());
        cells[label] += weight;
        classes[label] += weight;
    }
};

/// Counts whole rows of label columns; those with a missing cell are left out, and their number is given.
std::size_t count_rows(JointCounts& counts, std::span<const ColumnPtr> features, const Column& target, const TableView& rows,
                       std::span<const double> weights, const Run& run) {
    std::size_t left_out = 0;
    Codes row(features.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows.row(i);
        for (std::size_t f = 0; f < features.size(); ++f) row[f] = features[f]->codes[r];
        if (contains(row, -1)) {
            ++left_out;
            continue;
        }
        const Number weight = weights.empty()                 ? Number(1)
                              : rows.size() <= max_exact_rows ? Number(Rational::from_decimal(weights[i]))
                                                              : Number::real(weights[i]);
        counts.add(row, static_cast<std::size_t>(target.codes[r]), weight);
    }
    if (left_out > 0 && run.note)
        run.note(fmt::format("{} with missing cells {} left out", counted(left_out, "row"), left_out == 1 ? "was" : "were"));
    return left_out;
}

/// The counted rows as a table with a row for each row and class seen, and the measure of each.
struct WeightedRows {
    Table table;
    std::vector<Number> weights;
};

struct JointInput {
    const Variables* variables;
    const Query* query;
    const WeightedRows* rows;
    std::vector<Number> uniform;  ///< by class; all zero where m is 0
    Sizes sizes;
    SlotNames names;
};

/// μ(x, c) = P(c) · n_xc / (n_c + m), and beside it the uniform part P(c) · m / (n_c + m) · Π 1/k.
template <Prob P>
class JointMeasure final : public Measure<P> {
public:
    explicit JointMeasure(const JointInput& input) : in_(&input) {}
    void weigh(Potential<P> weights) override { weights_.push_back(std::move(weights)); }
    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override {
        auto seen = eliminate(counted(keep, side), keep, work);
        if (!seen) return seen;
        if (std::all_of(in_->uniform.begin(), in_->uniform.end(), [](const Number& n) { return n.is_zero(); })) return seen;
        auto problem = TRY(unseen(keep, side, work));
        auto rest = eliminate(std::move(problem), keep, work);
        if (!rest) return rest;
        for (std::size_t i = 0; i < seen->values.size(); ++i) {
            seen->values[i] += rest->values[i];
            work.count(seen->values[i]);
        }
        return seen;
    }

private:
    std::vector<Event> events(Side side) const {
        auto out = in_->query->given.events;
        if (side == Side::all) out.insert(out.end(), in_->query->targets.events.begin(), in_->query->targets.events.end());
        return out;
    }
    Problem<P> counted(std::span<const Slot> keep, Side side) const {
        std::vector<Slot> over(keep.begin(), keep.end());
        for (const auto& w : weights_)
            for (const auto slot : w.variables)
                if (!contains(over, slot)) over.push_back(slot);
        const Table& table = in_->rows->table;
        RowMask mask(table.rows(), 1);
        for (const auto& event : events(side)) {
            const RowMask where = rows_where(event, table);
            for (std::size_t r = 0; r < mask.size(); ++r) mask[r] = static_cast<char>(mask[r] & where[r]);
        }
        Potential<P> f{over, std::vector<P>(static_cast<std::size_t>(table_size(over, in_->sizes)))};
        for (std::size_t r = 0; r < mask.size(); ++r) {
            if (!mask[r]) continue;
            std::size_t at = 0;
            for (const auto slot : over) at = at * in_->sizes[slot] + static_cast<std::size_t>(table.columns[slot]->codes[r]);
            f.values[at] += prob_of<P>(in_->rows->weights[r]);
        }
        Problem<P> out{&in_->sizes, &in_->names, weights_};
        out.potentials.push_back(std::move(f));
        return out;
    }
    Result<Problem<P>> unseen(std::span<const Slot> keep, Side side, Work& work) const {
        Problem<P> out{&in_->sizes, &in_->names, weights_};
        std::vector<Slot> named(keep.begin(), keep.end());
        for (const auto& event : conjuncts(events(side))) {
            auto table = TRY(table_of(event, *in_->variables, work.run()));
            named.insert(named.end(), table.variables.begin(), table.variables.end());
            out.potentials.push_back(indicator<P>(table));
        }
        for (const auto& w : weights_) named.insert(named.end(), w.variables.begin(), w.variables.end());
        std::sort(named.begin(), named.end());
        named.erase(std::unique(named.begin(), named.end()), named.end());
        const auto target = static_cast<Slot>(in_->variables->size() - 1);
        for (const auto slot : named) {
            if (slot == target) continue;
            const auto k = static_cast<std::int64_t>(in_->sizes[slot]);
            out.potentials.push_back({{slot}, std::vector<P>(in_->sizes[slot], prob_of<P>(Number(Rational(1, k))))});
        }
        Potential<P> classes{{target}, {}};
        for (const auto& n : in_->uniform) classes.values.push_back(prob_of<P>(n));
        out.potentials.push_back(std::move(classes));
        return out;
    }

    const JointInput* in_;
    std::vector<Potential<P>> weights_;
};

class JointBayesModel final : public Classifier {
public:
    JointBayesModel(Schema schema, std::size_t rows, Number m, JointCounts counts)
        : Classifier(std::move(schema), rows), m_(std::move(m)), counts_(std::move(counts)) {
        for (const auto& n : counts_.classes) total_ += n;
        for (const auto& [codes, cells] : counts_.rows) {
            listed_.insert(listed_.end(), codes.begin(), codes.end());
            listed_cells_.push_back(&cells);
        }
        make_rows();
    }
    std::string_view kind() const override { return joint_kind; }
    ModelParts parts() const override {
        std::vector<Number> shares;
        for (const auto& n : counts_.classes) shares.push_back(n / total_);
        return {{"priors", factor_over(schema_.target.name, schema_.target.domain, shares)},
                count_part("distinct_rows", counts_.rows.size())};
    }
    bool takes_missing() const override { return true; }

    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override {
        const std::size_t labels = counts_.classes.size();
        std::size_t unseen = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (run.stopped()) return stopped_fault();
            auto weights = weights_of(codes_of(*rows.table, rows.row(i)));
            Number sum = 0;
            for (const auto& w : weights) sum += w;
            if (sum.is_zero()) {
                ++unseen;
                for (std::size_t c = 0; c < labels; ++c) weights[c] = counts_.classes[c] / total_;
                sum = 1;
            }
            for (std::size_t c = 0; c < labels; ++c) out[i * labels + c] = (weights[c] / sum).real();
        }
        if (unseen > 0 && run.note)
            run.note(fmt::format("{} row{} never seen in training and {} the shares of the classes; m: 1 smooths the counts", unseen,
                                 unseen == 1 ? " was" : "s were", unseen == 1 ? "gets" : "get"));
        return Done{};
    }

    Result<Answer> ask(const Query& query, Run& run) const override {
        if (!query.doing.empty())
            return Fault{.code = "E-DO", .message = "do is for nets: counts have no causes", .origin = query.doing[0].origin};
        TRY(check_soft(query.given.soft, variables_));
        if (asks_for_rows(query)) return ask_rows(*this, query, run);
        for (const auto* clause : {&query.targets, &query.given})
            if (!clause->observations.empty() || !clause->data.empty())
                return Fault{.code = "E-QUERY", .message = "joint Bayes predicts one row at a time", .origin = query.origin};
        const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
            return never_seen(query, configuration, run);
        };
        auto answer = in_best_numbers(run, exact(query), [&]<Prob P>(Work& work) -> Result<Answer> {
            const auto input = input_of(query);
            JointMeasure<P> measure(input);
            return answer_query<P>(measure, query, variables_, zero, work);
        });
        if (!answer) {
            Fault fault = std::move(answer).fault();
            if (fault.origin == Origin::none) fault.origin = query.origin;
            return fault;
        }
        answer->engine = joint_kind;
        return answer;
    }

    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override {
        const Codes row = codes_of(*rows.table, rows.row(0));
        DerivationWriter out;
        const std::string& target = schema_.target.name;
        out.formula(fmt::format("P({} = c | x) = P({} = c) * P(x | {} = c) / the sum over all c", target, target, target));
        const auto weights = weights_of(row);
        const auto seen = seen_of(row);
        Number sum = 0;
        const Number p = share_of(row);
        for (std::size_t c = 0; c < weights.size(); ++c) {
            sum += weights[c];
            const std::string label = (*schema_.target.domain)[c].text();
            if (counts_.classes[c].is_zero()) continue;
            out.formula(fmt::format("P({} = {}) * P(x | {} = {})", target, label, target, label));
            Parts line{counts_.classes[c], std::string("/"), total_, std::string(" * ")};
            if (m_.is_zero())
                append(line, {seen[c], std::string("/"), counts_.classes[c]});
            else
                append(line, {std::string("("), seen[c], std::string(" + "), m_, std::string(" * "), p, std::string(")/("),
                              counts_.classes[c], std::string(" + "), m_, std::string(")")});
            out.begin(std::move(line));
            out.result(weights[c]);
        }
        if (sum.is_zero()) {
            out.note("No such row was seen, so only the shares of the classes are known. m: 1 smooths the counts.");
            return std::move(out).take();
        }
        for (std::size_t c = 0; c < weights.size(); ++c) {
            out.formula(fmt::format("P({} = {} | x)", target, (*schema_.target.domain)[c].text()));
            out.begin(quotient(weights[c], sum));
            out.result(weights[c] / sum);
        }
        return std::move(out).take();
    }

    /// The rows counted, class by class.
    Derivation explain_counts() const {
        DerivationWriter out;
        const std::string& target = schema_.target.name;
        out.formula(m_.is_zero() ? fmt::format("P(x | {} = c) = n(x, c) / n(c)", target)
                                 : fmt::format("P(x | {} = c) = (n(x, c) + m * p) / (n(c) + m)", target));
        for (std::size_t c = 0; c < counts_.classes.size(); ++c) {
            const std::string label = (*schema_.target.domain)[c].text();
            out.note(fmt::format("P({} = {}): {:.6g} of {:.6g} rows", target, label, counts_.classes[c].real(), total_.real()));
            for (const auto& [codes, cells] : counts_.rows) {
                if (cells[c].is_zero()) continue;
                std::vector<std::string> labels;
                for (std::size_t f = 0; f < codes.size(); ++f)
                    labels.push_back((*schema_.features[f].domain)[static_cast<std::size_t>(codes[f])].text());
                const Number p = (cells[c] + (m_.is_zero() ? Number(0) : m_ * share_of(codes))) / (counts_.classes[c] + m_);
                out.note(fmt::format("  P(<{}> | {}): {:.6g} of {:.6g}, {}", joined(labels, ", "), label, cells[c].real(),
                                     counts_.classes[c].real(), fraction_told(p)));
            }
        }
        return std::move(out).take();
    }

    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        if (asks_for_rows(query)) return explain_row_product(*this, query, answer, run);
        const bool prediction = query.targets.events.empty() && query.targets.free.size() == 1 &&
                                index(query.targets.free[0]) == schema_.features.size() && query.given.free.empty();
        if (prediction) return Predictor::explain(query, answer, run);
        DerivationWriter out;
        out.note("The shares of the rows counted in training, class by class.");
        return std::move(out).take();
    }

    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        if (!m_.is_zero())
            return Fault{
                .code = "E-QUERY", .message = "rows are drawn from counts: sample a joint_bayes() with m: 0", .origin = Origin::none};
        Query query;
        query.given = given;
        RowMask mask(rows_.table.rows(), 1);
        for (const auto& event : given.events) {
            const RowMask where = rows_where(event, rows_.table);
            for (std::size_t r = 0; r < mask.size(); ++r) mask[r] = static_cast<char>(mask[r] & where[r]);
        }
        std::vector<double> sums;
        double running = 0;
        for (std::size_t r = 0; r < mask.size(); ++r) sums.push_back(running += mask[r] ? rows_.weights[r].real() : 0.0);
        if (!(running > 0)) return never_seen(query, {}, run);
        std::vector<std::uint32_t> drawn(n);
        for (auto& r : drawn) {
            const auto found = std::upper_bound(sums.begin(), sums.end(), run.rng.uniform() * running);
            r = static_cast<std::uint32_t>((found == sums.end() ? found - 1 : found) - sums.begin());
        }
        std::vector<ColumnPtr> columns;
        for (const auto& column : rows_.table.columns) columns.push_back(take_rows(*column, drawn));
        const std::size_t last = columns.size() - 1;
        return make_table(std::move(columns), last, n);
    }

    /// Rows come in the codes of the schema, the target last.
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override {
        JointCounts counts = counts_;
        const std::size_t left_out = count_rows(counts, feature_columns(*rows.table), *rows.table->columns.back(), rows, weights, run);
        return ModelPtr(std::make_shared<const JointBayesModel>(schema_, rows_seen_ + rows.size() - left_out, m_, std::move(counts)));
    }
    Result<Json> save() const override {
        Json rows = Json::array();
        for (const auto& [codes, cells] : counts_.rows)
            rows.push_back(Json{{"codes", codes}, {"counts", saved(std::span<const Number>(cells))}});
        return Json{{"schema", saved(schema_)}, {"rows", rows_seen_}, {"m", saved(m_)}, {"counts", std::move(rows)}};
    }

private:
    void make_rows() {
        const std::size_t features = schema_.features.size();
        std::vector<std::shared_ptr<Column>> columns;
        for (std::size_t f = 0; f <= features; ++f) {
            const Field& field = f < features ? schema_.features[f] : schema_.target;
            auto column = std::make_shared<Column>();
            column->name = field.name;
            column->domain = field.domain;
            columns.push_back(std::move(column));
        }
        for (const auto& [codes, cells] : counts_.rows)
            for (std::size_t c = 0; c < cells.size(); ++c) {
                if (cells[c].is_zero()) continue;
                for (std::size_t f = 0; f < features; ++f) columns[f]->codes.push_back(codes[f]);
                columns[features]->codes.push_back(static_cast<std::int32_t>(c));
                rows_.weights.push_back(counts_.classes[c] / total_ * cells[c] / (counts_.classes[c] + m_));
            }
        rows_.table.row_count = rows_.weights.size();
        rows_.table.columns.assign(columns.begin(), columns.end());
        rows_.table.target = features;
    }
    bool exact(const Query& query) const {
        const auto is_exact = [](const Number& n) { return n.is_exact(); };
        return m_.is_exact() && std::all_of(counts_.classes.begin(), counts_.classes.end(), is_exact) &&
               std::all_of(query.given.soft.begin(), query.given.soft.end(),
                           [&](const SoftEvidence& s) { return std::all_of(s.weights.begin(), s.weights.end(), is_exact); });
    }
    JointInput input_of(const Query& query) const {
        JointInput in{&variables_, &query, &rows_, {}, {}, {}};
        for (const auto& v : variables_) {
            in.sizes.push_back(v.variable.size());
            in.names.push_back(v.variable.name);
        }
        for (const auto& n : counts_.classes) in.uniform.push_back(n.is_zero() || m_.is_zero() ? Number(0) : n / total_ * m_ / (n + m_));
        return in;
    }
    Fault never_seen(const Query& query, std::span<const std::pair<Slot, std::size_t>> configuration, Run& run) const {
        Clause given = query.given;
        for (const auto& [slot, value] : configuration)
            given.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
        Fault fault = zero_fault(items_of(given, variables_), query.origin, [&](const Clause& subset) -> Result<bool> {
            Query part;
            part.given = subset;
            return in_best_numbers(run, exact(part), [&]<Prob P>(Work& work) -> Result<bool> {
                const auto input = input_of(part);
                JointMeasure<P> measure(input);
                auto total = TRY(measure.marginal({}, Side::evidence, work));
                return total.values[0].is_zero();
            });
        });
        if (m_.is_zero()) fault.hint = "no row of the training table matches; with m: 1 nothing is impossible";
        return fault;
    }
    Codes codes_of(const Table& table, std::size_t row) const {
        Codes out;
        for (const auto& column : table.columns) out.push_back(column->codes[row]);
        return out;
    }
    /// Rows of each class that agree with what is known of a row.
    std::vector<Number> seen_of(const Codes& row) const {
        std::vector<Number> out(counts_.classes.size());
        if (!contains(row, -1)) {
            const auto found = counts_.rows.find(row);
            return found == counts_.rows.end() ? out : found->second;
        }
        std::vector<std::size_t> known;
        for (std::size_t f = 0; f < row.size(); ++f)
            if (row[f] >= 0) known.push_back(f);
        const std::int32_t* codes = listed_.data();
        for (std::size_t r = 0; r < listed_cells_.size(); ++r, codes += row.size()) {
            if (!std::all_of(known.begin(), known.end(), [&](std::size_t f) { return row[f] == codes[f]; })) continue;
            for (std::size_t c = 0; c < out.size(); ++c) out[c] += (*listed_cells_[r])[c];
        }
        return out;
    }
    /// The share of all possible rows that agree with what is known of it.
    Number share_of(const Codes& row) const {
        Rational out = 1;
        for (std::size_t f = 0; f < row.size(); ++f)
            if (row[f] >= 0) out /= Rational(static_cast<std::int64_t>(schema_.features[f].domain->size()));
        return out;
    }
    std::vector<Number> weights_of(const Codes& row) const {
        auto out = seen_of(row);
        const Number p = m_.is_zero() ? Number(0) : share_of(row);
        for (std::size_t c = 0; c < out.size(); ++c)
            out[c] = counts_.classes[c].is_zero() ? Number(0) : counts_.classes[c] / total_ * (out[c] + m_ * p) / (counts_.classes[c] + m_);
        return out;
    }

    Number m_;
    JointCounts counts_;
    std::vector<std::int32_t> listed_;                      ///< the rows of counts_ one after the other, for scanning
    std::vector<const std::vector<Number>*> listed_cells_;  ///< their weights by class
    Number total_ = 0;
    WeightedRows rows_;
};

class JointBayes final : public Learner {
public:
    explicit JointBayes(Number m) : m_(std::move(m)) {}
    std::string_view name() const override { return joint_kind; }
    TargetKind target() const override { return TargetKind::label; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        Table table = *rows.table;  // numbers are values like any other here
        for (auto& column : table.columns)
            if (column->kind == ColumnKind::numeric) column = as_labels(column);
        Schema schema = schema_of(table);
        JointCounts counts;
        counts.classes.resize(schema.target.domain->size());
        const auto features = feature_columns(table);
        const std::size_t left_out = count_rows(counts, features, *table.columns[*table.target], rows, weights, run);
        if (left_out == rows.size())
            return Fault{.code = "E-EMPTY",
                         .message = "every row has a missing cell: joint_bayes counts whole rows",
                         .hint = "naive_bayes takes missing cells"};
        return ModelPtr(std::make_shared<const JointBayesModel>(std::move(schema), rows.size() - left_out, m_, std::move(counts)));
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        return dynamic_cast<const JointBayesModel&>(fitted).explain_counts();
    }

private:
    Number m_;
};

}  // namespace

LearnerPtr make_joint_bayes(const Number& m) { return std::make_shared<const JointBayes>(m); }

Result<ModelPtr> load_joint_bayes(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    auto member = TRY(read_member(json, "m"));
    auto m = TRY(read_number(*member));
    if (!(m >= Number(0))) return damaged("'m' is below 0");
    auto list = TRY(read_member(json, "counts"));
    if (schema.target.kind != ColumnKind::label) return damaged("the target is not a label");
    for (const auto& f : schema.features)
        if (f.kind != ColumnKind::label) return damaged("a column is not a label");
    JointCounts counts;
    counts.classes.resize(schema.target.domain->size());
    for (const auto& entry : *list) {
        auto codes = TRY(read_reals(entry, "codes"));
        auto cells = TRY(read_numbers(entry, "counts"));
        if (codes.size() != schema.features.size() || cells.size() != counts.classes.size()) return damaged("a row is too short");
        Codes row;
        for (std::size_t f = 0; f < codes.size(); ++f) {
            if (!(codes[f] >= 0 && codes[f] < static_cast<double>(schema.features[f].domain->size())))
                return damaged("a row has an unknown value");
            row.push_back(static_cast<std::int32_t>(codes[f]));
        }
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (cells[c].sign() < 0) return damaged("a count is negative");
            counts.add(row, c, cells[c]);
        }
    }
    if (counts.rows.empty()) return damaged("nothing was counted");
    return ModelPtr(std::make_shared<const JointBayesModel>(std::move(schema), rows, m, std::move(counts)));
}

}  // namespace credence::rt
