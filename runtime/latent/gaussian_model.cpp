// What a mixture of normals answers: components given columns (missing ones are summed out), densities, draws, files.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/latent/as_net.hpp"
#include "runtime/latent/gaussian_mixture.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/independent_rows.hpp"

namespace credence::rt {

namespace {

constexpr double ln_two_pi = 1.8378770664093454836;

/// A component over some of the columns.
struct Marginal {
    Matrix factor;  ///< L with L Lᵀ = covariance
    double constant = 0;
};

Result<Marginal> marginal_of(const GaussianMixture& m, std::size_t c, std::span<const std::size_t> columns) {
    const std::size_t d = columns.size();
    Matrix covariance(d, d);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) covariance(i, j) = m.covariances[c](columns[i], columns[j]);
    // Scaled to ones on the diagonal, so that columns of very different sizes do not drown each other.
    std::vector<double> scale;
    for (std::size_t i = 0; i < d; ++i) scale.push_back(std::sqrt(covariance(i, i)));
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) covariance(i, j) = covariance(i, j) / scale[i] / scale[j];
    auto factor = cholesky(covariance);
    if (!factor)
        return Fault{.code = "E-UNDEFINED", .message = fmt::format("the covariance of component {} has no width in some direction", c + 1)};
    Marginal out;
    out.factor = *std::move(factor);
    out.constant = std::log(m.weights[c]) - 0.5 * static_cast<double>(d) * ln_two_pi;
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j <= i; ++j) out.factor(i, j) *= scale[i];
        out.constant -= std::log(out.factor(i, i));
    }
    return out;
}

double log_of(const GaussianMixture& m, const Marginal& part, std::size_t c, std::span<const std::size_t> columns,
              std::span<const double> row, std::vector<double>& y) {
    const std::size_t d = columns.size();
    y.resize(d);
    double square = 0;
    for (std::size_t i = 0; i < d; ++i) {
        double v = row[columns[i]] - m.means(c, columns[i]);
        for (std::size_t j = 0; j < i; ++j) v -= part.factor(i, j) * y[j];
        y[i] = v / part.factor(i, i);
        square += y[i] * y[i];
    }
    return part.constant - 0.5 * square;
}

class GaussianClassifier final : public GaussianMixtureModel, public NumericModel {
public:
    GaussianClassifier(Schema schema, std::size_t rows, GaussianMixture mixture)
        : GaussianMixtureModel(std::move(schema), rows), mixture_(std::move(mixture)) {
        for (std::size_t j = 0; j < schema_.features.size(); ++j) all_.push_back(j);
        for (std::size_t c = 0; c < mixture_.weights.size(); ++c)
            if (auto part = marginal_of(mixture_, c, all_)) whole_.push_back(*std::move(part));
    }
    bool sound() const { return whole_.size() == mixture_.weights.size(); }
    const GaussianMixture& mixture() const override { return mixture_; }
    std::string_view kind() const override { return "gaussian_mixture"; }
    bool takes_missing() const override { return true; }
    std::string description() const override {
        return fmt::format("{} over {} ({} rows)", counted(mixture_.weights.size(), "component"),
                           counted(schema_.features.size(), "column"), rows_seen_);
    }

    /// Weight, means and standard deviations of each component; the covariances beside them in the summary.
    ModelParts parts() const override {
        const std::size_t k = mixture_.weights.size();
        PartTable components;
        components.names("component", numbered(k)).numbers("weight", mixture_.weights);
        for (const auto j : all_) {
            std::vector<double> mean;
            std::vector<double> sd;
            for (std::size_t c = 0; c < k; ++c) {
                mean.push_back(mixture_.means(c, j));
                sd.push_back(std::sqrt(mixture_.covariances[c](j, j)));
            }
            const std::string& name = schema_.features[j].name;
            components.numbers("mean " + name, mean).numbers("sd " + name, sd);
        }
        const auto free = static_cast<double>(mixture_.free_parameters);
        ModelParts out{std::move(components).part("components"), words_part("covariance", std::string(covariance_name(mixture_.kind))),
                       figure("log_likelihood", mixture_.log_likelihood()), count_part("rows", rows_seen_),
                       figure("BIC", free * std::log(mixture_.rows) - 2 * mixture_.log_likelihood(), true)};
        std::vector<std::string> names;
        for (const auto& f : schema_.features) names.push_back(f.name);
        for (std::size_t c = 0; c < k && all_.size() > 1; ++c) {
            PartTable covariance;
            covariance.names("column", names);
            for (const auto j : all_) covariance.numbers(names[j], mixture_.covariances[c].row(j));
            out.push_back(std::move(covariance).part(fmt::format("covariance {}", c + 1), true));
        }
        return out;
    }

    double log_density(std::span<const double> row, std::span<double> shares) const override {
        std::vector<std::size_t> there;
        for (const auto j : all_)
            if (!std::isnan(row[j])) there.push_back(j);
        std::vector<double> y;
        for (std::size_t c = 0; c < shares.size(); ++c) {
            if (there.size() == all_.size()) {
                shares[c] = log_of(mixture_, whole_[c], c, there, row, y);
            } else if (there.empty()) {
                shares[c] = std::log(mixture_.weights[c]);
            } else {
                const auto part = marginal_of(mixture_, c, there);  // a part of a positive definite matrix is one
                shares[c] = part ? log_of(mixture_, *part, c, there, row, y) : -std::numeric_limits<double>::infinity();
            }
        }
        const double top = *std::max_element(shares.begin(), shares.end());
        double sum = 0;
        for (double& s : shares) sum += s = std::exp(s - top);
        for (double& s : shares) s /= sum;
        return top + std::log(sum);
    }

    Status probabilities(const TableView& rows, std::span<double> out, Run&) const override {
        const std::size_t k = mixture_.weights.size();
        std::vector<double> row(all_.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (const auto j : all_) row[j] = rows.table->columns[j]->values[rows.row(i)];
            const double log = log_density(row, out.subspan(i * k, k));
            if (std::isnan(
                    log)) {  // so far away that every density is 0: the nearest component, relative to its spread, cannot be determined
                for (std::size_t c = 0; c < k; ++c) out[i * k + c] = mixture_.weights[c];
            }
        }
        return Done{};
    }

    Result<Answer> ask(const Query& query, Run& run) const override {
        TRY(check_doing(query));
        if (is_for_net(query)) return as_net()->ask(query, run);
        const bool density =
            std::any_of(query.targets.events.begin(), query.targets.events.end(), [&](const auto& e) { return of_columns(e); });
        if (asks_for_rows(query)) return ask_rows(*this, query, run);
        if (!density) return Classifier::ask(query, run);
        return ask_density(query);
    }
    const NumericModel* numeric() const override { return this; }
    Result<Answer> expectation(const Term& term, const Query& query, Run& run) const override {
        TRY(check_doing(query));
        return as_net()->expectation(term, query, run);
    }

    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        if (asks_for_rows(query)) return explain_row_product(*this, query, answer, run);
        if (is_for_net(query)) return as_net()->explain(query, answer, run);
        for (const auto& e : query.targets.events)
            for (const auto v : variables_of(e))
                if (index(v) != all_.size()) {
                    DerivationWriter out;
                    out.formula("P(x) = sum over j of weight_j * N(x; mean_j, covariance_j)");
                    return std::move(out).take();
                }
        return Classifier::explain(query, answer, run);
    }
    Result<ModelPtr> with_quantities(const ModelPtr& self, const std::vector<NamedQuantity>& quantities, Run&) const override {
        return extend_by_net(self, as_net()->declared(), quantities);
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override {
        std::vector<double> row(all_.size());
        std::vector<std::size_t> there;
        std::string at;
        for (const auto j : all_) {
            row[j] = rows.table->columns[j]->values[rows.row(0)];
            if (std::isnan(row[j])) continue;
            there.push_back(j);
            at += fmt::format("{}{} = {:.6g}", at.empty() ? "" : ", ", schema_.features[j].name, row[j]);
        }
        DerivationWriter out;
        out.formula("P(component = j | x) = weight_j * N(x; mean_j, covariance_j) / sum over n of weight_n * N(x; mean_n, covariance_n)");
        if (there.size() < all_.size()) out.note("columns that are not given are summed out: the means and covariances of the others");
        out.note("at " + (at.empty() ? "no column" : at));
        const std::size_t k = mixture_.weights.size();
        std::vector<double> shares(k);
        log_density(row, shares);
        std::vector<double> y;
        for (std::size_t c = 0; c < k; ++c) {
            double log = 0;
            if (!there.empty()) {
                auto part = TRY(marginal_of(mixture_, c, there));
                log = log_of(mixture_, part, c, there, row, y) - std::log(mixture_.weights[c]);
            }
            out.note(fmt::format("component {}: weight {:.6g}, density {:.6g}, product {:.6g}, share {:.6g}", c + 1, mixture_.weights[c],
                                 std::exp(log), mixture_.weights[c] * std::exp(log), shares[c]));
        }
        return std::move(out).take();
    }

    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        if (!given.events.empty() || !given.observations.empty() || !given.soft.empty() || !given.data.empty())
            return Fault{.code = "E-QUERY", .message = "a gaussian_mixture is drawn from as a whole, without evidence"};
        std::vector<std::shared_ptr<Column>> columns;
        auto component = std::make_shared<Column>();
        component->name = schema_.target.name;
        component->kind = ColumnKind::numeric;
        for (const auto& f : schema_.features) {
            columns.push_back(std::make_shared<Column>());
            columns.back()->name = f.name;
            columns.back()->kind = ColumnKind::numeric;
            columns.back()->real = true;
        }
        std::vector<double> z(all_.size());
        for (std::size_t r = 0; r < n; ++r) {
            double u = run.rng.uniform();
            std::size_t c = 0;
            while (c + 1 < mixture_.weights.size() && (u -= mixture_.weights[c]) >= 0) ++c;
            component->values.push_back(static_cast<double>(c + 1));
            for (double& v : z) v = run.rng.normal();
            for (const auto i : all_) {
                double x = mixture_.means(c, i);
                for (std::size_t j = 0; j <= i; ++j) x += whole_[c].factor(i, j) * z[j];
                columns[i]->values.push_back(x);
            }
        }
        auto out = std::make_shared<Table>();
        out->row_count = n;
        out->columns.push_back(std::move(component));
        out->columns.insert(out->columns.end(), columns.begin(), columns.end());
        return TablePtr(std::move(out));
    }

    Result<Json> save() const override {
        Json covariances = Json::array();
        for (const auto& m : mixture_.covariances) covariances.push_back(saved(m));
        return Json{{"schema", saved(schema_)},
                    {"rows", rows_seen_},
                    {"covariance", covariance_name(mixture_.kind)},
                    {"weights", saved(std::span<const double>(mixture_.weights))},
                    {"means", saved(mixture_.means)},
                    {"covariances", std::move(covariances)},
                    {"history", saved(std::span<const double>(mixture_.history))},
                    {"total", mixture_.rows},
                    {"free", mixture_.free_parameters}};
    }

private:
    /// The arrows of the net that answers are not causes.
    static Status check_doing(const Query& query) {
        if (query.doing.empty()) return Done{};
        return Fault{.code = "E-DO", .message = "a gaussian_mixture has no causes: do is for nets", .origin = query.doing[0].origin};
    }
    bool of_columns(const Event& event) const {
        const auto about = variables_of(event);
        return std::any_of(about.begin(), about.end(), [&](VarId v) { return index(v) != all_.size(); });
    }
    /// A column that is asked for, or bounded: more than components and densities at given values.
    bool is_for_net(const Query& query) const {
        const auto& free = query.targets.free;
        if (!query.given.soft.empty()) return true;
        if (std::any_of(free.begin(), free.end(), [&](VarId v) { return index(v) != all_.size(); })) return true;
        for (const auto* clause : {&query.targets, &query.given})
            for (const auto& e : conjuncts(clause->events))
                if (of_columns(e) && (e.kind != Event::Kind::atom || e.atom.compare != Compare::equal)) return true;
        return false;
    }
    std::shared_ptr<const ContinuousModel> as_net() const {
        std::vector<Matrix> factors;
        for (const auto& part : whole_) factors.push_back(part.factor);
        return net_of_gaussians(mixture_, schema_, factors);
    }

    /// P(x = v, … | y = w, …) as a density, and P(component = j, x = v).
    Result<Answer> ask_density(const Query& query) const {
        const auto refuse = [&](std::string what, Origin origin) {
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("a gaussian_mixture gives the density at given values of its columns, not {}", what),
                         .origin = origin == Origin::none ? query.origin : origin,
                         .hint = "as in P(x = 1.5) or P(component | x = 1.5)"};
        };
        if (!query.given.free.empty() || !query.given.soft.empty() || !query.given.observations.empty() || !query.given.data.empty() ||
            !query.doing.empty())
            return refuse("under such evidence", query.origin);
        const std::size_t k = mixture_.weights.size();
        std::vector<double> below(all_.size(), std::numeric_limits<double>::quiet_NaN());
        std::vector<char> allowed(k, 1);
        std::vector<char> allowed_below(k, 1);
        std::vector<double> row = below;
        for (const bool evidence : {true, false})
            for (const auto& e : conjuncts(evidence ? query.given.events : query.targets.events)) {
                if (e.kind != Event::Kind::atom) return refuse("of events like this", e.origin);
                if (index(e.atom.variable) == all_.size()) {
                    for (std::size_t c = 0; c < k; ++c)
                        if (!holds(e.atom, (*schema_.target.domain)[c])) {
                            allowed[c] = 0;
                            if (evidence) allowed_below[c] = 0;
                        }
                    continue;
                }
                if (e.atom.compare != Compare::equal) return refuse("of events like this", e.origin);
                row[index(e.atom.variable)] = e.atom.values[0].number()->real();
                if (evidence) below[index(e.atom.variable)] = row[index(e.atom.variable)];
            }
        const bool free =
            std::any_of(query.targets.free.begin(), query.targets.free.end(), [&](VarId v) { return index(v) == all_.size(); });
        if (query.targets.free.size() > (free ? 1U : 0U)) return refuse("over all values of a column", query.origin);
        std::vector<double> shares(k);
        std::vector<double> shares_below(k);
        const double log = log_density(row, shares);
        const double log_below = log_density(below, shares_below);
        double base = 0;
        for (std::size_t c = 0; c < k; ++c) base += allowed_below[c] ? shares_below[c] : 0;
        std::vector<double> entries;
        double sum = 0;
        for (std::size_t c = 0; c < k; ++c) {
            entries.push_back(allowed[c] ? shares[c] * std::exp(log - log_below) / base : 0.0);
            sum += entries.back();
        }
        Answer out;
        out.engine = kind();
        out.exact = false;
        if (free)
            out.value = Factor({variables_[all_.size()].variable}, std::move(entries));
        else
            out.value = Number::real(sum);
        return out;
    }

    GaussianMixture mixture_;
    std::vector<std::size_t> all_;  ///< the columns
    std::vector<Marginal> whole_;   ///< by component, over all columns
};

}  // namespace

ModelPtr make_gaussian_mixture_model(Schema schema, std::size_t rows, GaussianMixture mixture) {
    return std::make_shared<const GaussianClassifier>(std::move(schema), rows, std::move(mixture));
}

Result<ModelPtr> load_gaussian_mixture(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    GaussianMixture m;
    auto kind = TRY(read_text(json, "covariance"));
    const auto known = covariance_kind(kind);
    if (!known) return damaged(fmt::format("there is no covariance '{}'", kind));
    m.kind = *known;
    m.weights = TRY(read_reals(json, "weights"));
    m.means = TRY(read_matrix(json, "means"));
    auto covariances = TRY(read_member(json, "covariances"));
    if (!covariances->is_array()) return damaged("'covariances' is not a list");
    for (const auto& one : *covariances) {
        auto matrix = TRY(read_matrix(Json{{"matrix", one}}, "matrix"));
        m.covariances.push_back(std::move(matrix));
    }
    m.history = TRY(read_reals(json, "history"));
    m.rows = TRY(read_real(json, "total"));
    m.free_parameters = TRY(read_count(json, "free"));
    const std::size_t k = m.weights.size();
    const std::size_t d = schema.features.size();
    bool fits = k > 0 && schema.target.domain && schema.target.domain->size() == k && m.means.rows == k && m.means.columns == d &&
                m.covariances.size() == k && !m.history.empty();
    for (const auto& c : m.covariances) fits = fits && c.rows == d && c.columns == d;
    if (!fits) return damaged("the components do not fit the columns");
    auto out = std::make_shared<const GaussianClassifier>(std::move(schema), rows, std::move(m));
    if (!out->sound()) return damaged("a covariance has no width in some direction");
    return ModelPtr(std::move(out));
}

}  // namespace credence::rt
