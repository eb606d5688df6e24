#include "runtime/features/pca.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/parallel.hpp"
#include "runtime/core/products.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/design.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t rows_at_once = 2048;

/// Σ (x − mean)(x − mean)ᵀ, in chunks of rows that are added in their order: one pass of products, cheaper than a decomposition of all rows
/// where these are many more than the columns.
Matrix scatter(std::span<const ColumnPtr> columns, std::span<const std::uint32_t> rows, std::span<const double> mean,
               std::span<const double> spread, const Run& run) {
    const std::size_t p = columns.size();
    const std::size_t chunks = (rows.size() + rows_at_once - 1) / rows_at_once;
    std::vector<Matrix> parts(chunks);
    const SpreadLoop loop{.n = rows.size(), .chunk = rows_at_once, .cost = static_cast<double>(rows.size() * p) * static_cast<double>(p)};
    spread_chunks(run, loop, parts, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        std::vector<double> block(p * n);  // column after column
        for (std::size_t c = 0; c < p; ++c)
            for (std::size_t i = 0; i < n; ++i) block[c * n + i] = (columns[c]->values[rows[begin + i]] - mean[c]) / spread[c];
        parts[chunk] = Matrix(p, p);
        product_transposed({block.data(), p, n, n}, {block.data(), p, n, n}, {parts[chunk].values.data(), p, p, p});
    });
    Matrix out(p, p);
    for (const auto& part : parts)
        for (std::size_t k = 0; k < out.values.size(); ++k) out.values[k] += part.values[k];
    return out;
}

Fault no_queries() {
    return {.code = "E-QUERY", .message = "principal components transform tables and cannot be queried", .hint = "pc.transform(t)"};
}

ColumnPtr real_column(std::string name, std::vector<double> values) {
    auto out = std::make_shared<Column>();
    out->name = std::move(name);
    out->kind = ColumnKind::numeric;
    out->values = std::move(values);
    out->real = true;
    return out;
}

std::string component_name(std::size_t k) { return fmt::format("pc{}", k + 1); }

/// Columns of a table by name, numeric; E-COLUMN and E-TABLE if they are not.
Result<std::vector<ColumnPtr>> columns_named(const Table& table, std::span<const std::string> names) {
    std::vector<ColumnPtr> out;
    for (const auto& name : names) {
        auto found = TRY(find_numeric(table, name, "only numbers can be transformed"));
        out.push_back(table.columns[found]);
    }
    return out;
}

/// The table with new columns in the place of the first of the old ones.
TablePtr replaced(const Table& table, std::span<const std::string> old, std::vector<ColumnPtr> fresh) {
    std::vector<ColumnPtr> columns;
    std::optional<std::size_t> target;
    bool placed = false;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (contains(old, table.columns[c]->name)) {
            if (!placed) columns.insert(columns.end(), fresh.begin(), fresh.end());
            placed = true;
            continue;
        }
        if (table.target == c) target = columns.size();
        columns.push_back(table.columns[c]);
    }
    return make_table(std::move(columns), target, table.row_count);
}

}  // namespace

Result<Answer> PrincipalComponents::ask(const Query&, Run&) const { return no_queries(); }
Result<TablePtr> PrincipalComponents::sample(std::size_t, const Clause&, Run&) const { return no_queries(); }
Result<Derivation> PrincipalComponents::explain(const Query&, const Answer&, Run&) const { return no_queries(); }

ModelParts PrincipalComponents::parts() const {
    std::vector<std::string> names;
    std::vector<double> sd;
    std::vector<double> cumulative;
    double sum = 0;
    for (std::size_t k = 0; k < kept(); ++k) {
        names.push_back("pc" + std::to_string(k + 1));
        sd.push_back(std::sqrt(std::max(0.0, eigenvalues[k])));
        cumulative.push_back(sum += explained[k]);
    }
    PartTable variance;
    variance.names("component", names)
        .numbers("sd", sd)
        .numbers("share", std::span(explained).first(kept()))
        .numbers("cumulative", cumulative);
    PartTable loadings;
    loadings.names("column", columns);
    for (std::size_t k = 0; k < kept(); ++k) loadings.numbers(names[k], components.row(k));
    return {std::move(variance).part("variance"), std::move(loadings).part("loadings"), count_part("rows", rows)};
}

std::string PrincipalComponents::description() const {
    double share = 0;
    for (std::size_t k = 0; k < kept(); ++k) share += explained[k];
    const std::string of_all = kept() == columns.size() ? "all" : fmt::format("{:.4g} %", 100 * share);
    return fmt::format("{} of {} components, {} of the variance ({} rows)", kept(), columns.size(), of_all, rows);
}

Result<TablePtr> PrincipalComponents::transform(const Table& table) const {
    auto from = TRY(columns_named(table, columns));
    std::vector<ColumnPtr> fresh;
    for (std::size_t k = 0; k < kept(); ++k) {
        const double unit = whiten && eigenvalues[k] > 0 ? 1 / std::sqrt(eigenvalues[k]) : 1;
        std::vector<double> values(table.row_count, 0.0);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const double weight = components(k, c) * unit / spread[c];
            const double* x = from[c]->values.data();
            for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * (x[i] - mean[c]);
        }
        fresh.push_back(real_column(component_name(k), std::move(values)));
    }
    return replaced(table, columns, std::move(fresh));
}

Result<TablePtr> PrincipalComponents::back(const Table& table) const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < kept(); ++k) names.push_back(component_name(k));
    auto from = TRY(columns_named(table, names));
    std::vector<ColumnPtr> fresh;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        std::vector<double> values(table.row_count, mean[c]);
        for (std::size_t k = 0; k < kept(); ++k) {
            const double unit = whiten && eigenvalues[k] > 0 ? std::sqrt(eigenvalues[k]) : 1;
            const double weight = components(k, c) * unit * spread[c];
            for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * from[k]->values[i];
        }
        fresh.push_back(real_column(columns[c], std::move(values)));
    }
    return replaced(table, names, std::move(fresh));
}

Result<Json> PrincipalComponents::save() const { return saved_components(); }

Json PrincipalComponents::saved_components() const {
    return Json{{"columns", columns},
                {"mean", saved(std::span<const double>(mean))},
                {"spread", saved(std::span<const double>(spread))},
                {"eigenvalues", saved(std::span<const double>(eigenvalues))},
                {"components", saved(components)},
                {"whiten", whiten ? 1 : 0},
                {"rows", rows}};
}

namespace {

void share_out(PrincipalComponents& pc) {
    double total = 0;
    for (double& v : pc.eigenvalues) total += v = std::max(v, 0.0);  // rounding may leave a −1e-17
    for (const double v : pc.eigenvalues) pc.explained.push_back(total > 0 ? v / total : 0.0);
}

}  // namespace

Result<std::shared_ptr<const PrincipalComponents>> principal_components(const Table& table, const PcaOptions& options, Run& run) {
    std::vector<ColumnPtr> columns;
    std::vector<std::string> labels;
    for (const auto& column : feature_columns(table)) {
        if (column->kind == ColumnKind::numeric)
            columns.push_back(column);
        else
            labels.push_back(column->name);
    }
    if (columns.empty())
        return Fault{.code = "E-TABLE",
                     .message = "pca needs numeric columns, and there are none",
                     .hint = "encode(t) turns label columns into numeric ones"};
    if (!labels.empty() && run.note) run.note(fmt::format("label columns are left out: {}", joined(labels, ", ")));
    const auto rows = complete_rows(columns, {.table = &table, .rows = {}});
    if (rows.size() < table.row_count && run.note)
        run.note(fmt::format("{} rows with missing cells were left out", table.row_count - rows.size()));
    if (rows.size() < 2) return Fault{.code = "E-EMPTY", .message = "pca needs two rows or more"};
    const std::size_t p = columns.size();
    if (options.k && (*options.k == 0 || *options.k > p))
        return Fault{.code = "E-PARAMETER", .message = fmt::format("k is from 1 to the number of columns, {}", p)};

    auto out = std::make_shared<PrincipalComponents>();
    out->rows = rows.size();
    out->whiten = options.whiten;
    out->mean.resize(p);
    out->spread.assign(p, 1.0);
    parallel_chunks(p, 1, run.threads, [&](std::size_t c, std::size_t, std::size_t) {
        double sum = 0;
        for (const auto r : rows) sum += columns[c]->values[r];
        out->mean[c] = sum / static_cast<double>(rows.size());
        if (!options.standard) return;
        double squares = 0;
        for (const auto r : rows) squares += (columns[c]->values[r] - out->mean[c]) * (columns[c]->values[r] - out->mean[c]);
        const double sd = std::sqrt(squares / static_cast<double>(rows.size() - 1));
        if (sd > 0) out->spread[c] = sd;
    });
    Matrix covariance = scatter(columns, rows, out->mean, out->spread, run);
    for (double& v : covariance.values) v /= static_cast<double>(rows.size() - 1);
    for (const double v : covariance.values)
        if (!std::isfinite(v)) return Fault{.code = "E-TABLE", .message = "a column holds numbers too large to square"};
    auto eigen = symmetric_eigen(covariance);
    for (const auto& column : columns) out->columns.push_back(column->name);
    out->eigenvalues = std::move(eigen.values);
    share_out(*out);
    std::size_t kept = options.k.value_or(p);
    if (!options.k && options.share) {
        double sum = 0;
        for (kept = 0; kept < p && sum < *options.share * (1 - 1e-12); ++kept) sum += out->explained[kept];
        kept = std::max<std::size_t>(kept, 1);
    }
    out->components = Matrix(kept, p);
    std::copy(eigen.vectors.values.begin(), eigen.vectors.values.begin() + static_cast<std::ptrdiff_t>(kept * p),
              out->components.values.begin());
    return std::shared_ptr<const PrincipalComponents>(std::move(out));
}

Result<Derivation> explain_components(const Table& table, const PcaOptions& options, Run& run) {
    constexpr std::size_t most_columns = 6;
    const auto pc = TRY(principal_components(table, options, run));
    const std::size_t p = pc->columns.size();
    DerivationWriter out;
    out.formula("C v = λ v: the components are the eigenvectors of the covariance matrix C, the largest λ first");
    std::vector<ColumnPtr> columns;
    for (const auto& name : pc->columns) columns.push_back(table.columns[*table.find(name)]);
    const auto rows = complete_rows(columns, {.table = &table, .rows = {}});
    for (std::size_t c = 0; c < p && c < most_columns; ++c)
        out.note(fmt::format("{}: mean {:.6g}{}", pc->columns[c], pc->mean[c],
                             options.standard ? fmt::format(", divided by its standard deviation {:.6g}", pc->spread[c]) : ""));
    Matrix covariance = scatter(columns, rows, pc->mean, pc->spread, Run{});
    for (double& v : covariance.values) v /= static_cast<double>(rows.size() - 1);
    for (std::size_t a = 0; a < p && p <= most_columns; ++a) {
        std::string line;
        for (std::size_t b = 0; b < p; ++b) line += fmt::format("{}{:.6g}", b == 0 ? "" : ", ", covariance(a, b));
        out.note(fmt::format("C of {}: {}", pc->columns[a], line));
    }
    if (p == 2) {
        const double trace = covariance(0, 0) + covariance(1, 1);
        const double determinant = covariance(0, 0) * covariance(1, 1) - covariance(0, 1) * covariance(1, 0);
        out.formula("λ^2 - (C11 + C22) * λ + (C11 * C22 - C12^2) = 0");
        out.note("the larger λ:");
        out.begin({std::string("("), Number::real(trace), std::string(" + sqrt("), Number::real(trace), std::string("^2 - 4 * "),
                   Number::real(determinant), std::string(")) / 2")});
        out.result(Number::real(pc->eigenvalues[0]));
        out.note("the other, since their product is C11 * C22 - C12^2:");
        out.begin({Number::real(determinant), std::string(" / "), Number::real(pc->eigenvalues[0])});
        out.result(Number::real(pc->eigenvalues[1]));
    }
    for (std::size_t k = 0; k < pc->kept() && k < most_columns; ++k) {
        std::string direction;
        for (std::size_t c = 0; c < p; ++c) direction += fmt::format("{}{:.6g}", c == 0 ? "" : ", ", pc->components(k, c));
        out.note(fmt::format("{} = ({}), λ = {:.6g}; its share of the variance:", component_name(k), direction, pc->eigenvalues[k]));
        std::vector<Parts> all;
        for (const double v : pc->eigenvalues) all.push_back({Number::real(v)});
        Parts share{Number::real(pc->eigenvalues[k]), std::string(" / (")};
        append(share, joined(all, " + "));
        append(share, {std::string(")")});
        out.begin(std::move(share));
        out.result(Number::real(pc->explained[k]));
    }
    return std::move(out).take();
}

Result<ModelPtr> load_pca(const Json& json) {
    auto out = std::make_shared<PrincipalComponents>();
    auto columns = TRY(read_member(json, "columns"));
    for (const auto& name : *columns) {
        if (!name.is_string()) return damaged("a column has no name");
        out->columns.push_back(name.text());
    }
    for (const auto& [key, to] : {std::pair{"mean", &out->mean}, {"spread", &out->spread}, {"eigenvalues", &out->eigenvalues}}) {
        auto values = TRY(read_reals(json, key));
        if (values.size() != out->columns.size()) return damaged(fmt::format("there is not one {} for each column", key));
        *to = std::move(values);
    }
    auto components = TRY(read_matrix(json, "components"));
    if (components.columns != out->columns.size() || components.rows > out->columns.size() || components.rows == 0)
        return damaged("the components do not fit the columns");
    out->components = std::move(components);
    auto whiten = TRY(read_count(json, "whiten"));
    out->whiten = whiten == 1;
    out->rows = TRY(read_count(json, "rows"));
    share_out(*out);
    return ModelPtr(std::move(out));
}

}  // namespace credence::rt
