#include "runtime/gradient/newton_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/products.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/learning/block_training.hpp"

namespace credence::rt {

double share_of(const TrainingRows& data, std::size_t row, std::size_t label) {
    if (!data.codes.empty()) return static_cast<std::size_t>(data.codes[row]) == label ? 1.0 : 0.0;
    return label == 1 ? data.values[row] : 1 - data.values[row];
}

Likelihood likelihood(const Matrix& x, const TrainingRows& data, const Units& units) {
    const std::size_t labels = units.size() + 1;
    Likelihood out;
    out.p.resize(x.rows * labels);
    std::vector<double> s(labels);
    for (std::size_t i = 0; i < x.rows; ++i) {
        s[0] = 0;
        for (std::size_t u = 0; u < units.size(); ++u) s[u + 1] = units[u][0] + dot(units[u].data() + 1, x.row(i).data(), x.columns);
        const double largest = *std::max_element(s.begin(), s.end());
        double total = 0;
        for (std::size_t k = 0; k < labels; ++k) total += out.p[i * labels + k] = std::exp(s[k] - largest);
        for (std::size_t k = 0; k < labels; ++k) out.p[i * labels + k] /= total;
        for (std::size_t own = 0; own < labels; ++own) {
            const double share = share_of(data, i, own);
            if (share == 0) continue;
            out.loss -= data.weights[i] * share * (s[own] - largest - std::log(total));
            for (std::size_t k = 0; k < labels; ++k) out.correct = out.correct && share == 1 && (k == own || s[k] < s[own]);
        }
    }
    return out;
}

std::vector<double> slope_of(const Matrix& x, const TrainingRows& data, const Likelihood& at, std::size_t units) {
    const std::size_t width = x.columns + 1;
    std::vector<double> out(units * width, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t u = 0; u < units; ++u) {
            const double e = data.weights[i] * (share_of(data, i, u + 1) - at.p[i * (units + 1) + u + 1]);
            out[u * width] += e;
            add_scaled(out.data() + u * width + 1, e, x.row(i).data(), x.columns);
        }
    return out;
}

/// All of them are one product of matrices: the factors by pairs of units, a row of the data each, with the products of pairs of columns;
/// some rows at a time, so that both stay in the cache.
Matrix curvature_of(const Matrix& x, const TrainingRows& data, const Likelihood& at, std::size_t units) {
    const std::size_t width = x.columns + 1;
    const std::size_t unit_pairs = units * (units + 1) / 2;
    const std::size_t column_pairs = width * (width + 1) / 2;
    const std::size_t at_once = std::clamp<std::size_t>(32768 / (unit_pairs + column_pairs), 8, 256);
    std::vector<double> factors(at_once * unit_pairs);
    std::vector<double> products(at_once * column_pairs);
    std::vector<double> sums(unit_pairs * column_pairs, 0.0);
    std::vector<double> row(width, 1.0);
    for (std::size_t first = 0; first < x.rows; first += at_once) {
        const std::size_t n = std::min(at_once, x.rows - first);
        double* factor = factors.data();
        double* product_of = products.data();
        for (std::size_t i = first; i < first + n; ++i) {
            std::copy(x.row(i).begin(), x.row(i).end(), row.begin() + 1);
            const double* p = at.p.data() + i * (units + 1) + 1;
            for (std::size_t u = 0; u < units; ++u)
                for (std::size_t v = 0; v <= u; ++v) *factor++ = data.weights[i] * p[u] * ((u == v ? 1.0 : 0.0) - p[v]);
            for (std::size_t a = 0; a < width; ++a)
                for (std::size_t b = 0; b <= a; ++b) *product_of++ = row[a] * row[b];
        }
        add_transposed_product({factors.data(), n, unit_pairs, unit_pairs}, {products.data(), n, column_pairs, column_pairs},
                               {sums.data(), unit_pairs, column_pairs, column_pairs});
    }
    Matrix out(units * width, units * width);
    const double* sum = sums.data();
    for (std::size_t u = 0; u < units; ++u)
        for (std::size_t v = 0; v <= u; ++v)
            for (std::size_t a = 0; a < width; ++a)
                for (std::size_t b = 0; b <= a; ++b, ++sum) {
                    out(u * width + a, v * width + b) = out(u * width + b, v * width + a) = *sum;
                    out(v * width + b, u * width + a) = out(v * width + a, u * width + b) = *sum;
                }
    return out;
}

Result<Reached> MemoryRows::look(const Units& units) {
    seen_ = likelihood(x_, data_, units);
    return Reached{seen_.loss, seen_.correct};
}

double MemoryRows::total() const {
    double out = 0;
    for (const double w : data_.weights) out += w;
    return out;
}

// --- rows in blocks ---------------------------------------------------------------------------------------------------

namespace {

/// Of a column in the rows with a target: what its cells are.
struct ColumnSums {
    double present = 0;
    double mean = 0;
    double squares = 0;
    std::vector<double> counts;  ///< by label

    void add(double n, double average, double about) {
        if (n == 0) return;
        const double apart = average - mean;
        squares += about + apart * apart * present * n / (present + n);
        mean += apart * n / (present + n);
        present += n;
    }
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.present);
        visit(self.mean);
        visit(self.squares);
        visit(self.counts);
    }
};

struct RowSums {
    std::vector<ColumnSums> columns;
    std::size_t rows = 0;
    std::size_t left_out = 0;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.columns);
        visit(self.rows);
        visit(self.left_out);
    }
};

void add_column(const Column& column, const TableView& view, ColumnSums& out) {
    if (column.kind == ColumnKind::label) {
        for (std::size_t i = 0; i < view.size(); ++i)
            if (const auto code = column.codes[view.row(i)]; code >= 0) {
                out.counts[static_cast<std::size_t>(code)] += 1;
                out.present += 1;
            }
        return;
    }
    double n = 0;
    double mean = 0;
    double squares = 0;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (const double x = column.values[view.row(i)]; !std::isnan(x)) {
            n += 1;
            mean += x;
        }
    if (n == 0) return;
    mean /= n;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (const double e = column.values[view.row(i)] - mean; !std::isnan(e)) squares += e * e;
    out.add(n, mean, squares);
}

/// Mean and spread of the terms, missing cells filled in.
Standard standard_from(const std::vector<ColumnSums>& columns, const Schema& schema, std::span<const DesignTerm> terms, double total) {
    Standard out;
    for (const auto& term : terms) {
        const ColumnSums& sums = columns[term.column];
        double mean = sums.mean;
        double variance = sums.squares / total;
        if (term.label >= 0) {
            const bool filled = schema.features[term.column].fill == static_cast<double>(term.label);
            mean = (sums.counts[static_cast<std::size_t>(term.label)] + (filled ? total - sums.present : 0)) / total;
            variance = mean * (1 - mean);
        }
        const double sd = std::sqrt(variance);
        out.mean.push_back(mean);
        out.spread.push_back(sd > 1e-14 * (std::abs(mean) + 1e-300) ? sd : 1.0);
    }
    return out;
}

}  // namespace

void BlockRows::Sums::add(const Sums& more) {
    loss += more.loss;
    correct = correct && more.correct;
    if (more.slope.empty()) return;
    if (slope.empty()) {
        slope.assign(more.slope.size(), 0.0);
        curvature = Matrix(more.curvature.rows, more.curvature.columns);
    }
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] += more.slope[i];
    for (std::size_t i = 0; i < curvature.values.size(); ++i) curvature.values[i] += more.curvature.values[i];
}

Result<BlockRows> BlockRows::prepared(const RowBlocks& rows, std::string_view learner, Run& run) {
    BlockRows out(rows, run);
    out.schema_ = schema_of(rows.head());
    out.terms_ = terms_of(out.schema_, Coding::reference);
    if (out.schema_.target.domain->size() < 2)
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} needs at least two labels, and {} has only one", learner, out.schema_.target.name)};
    RowSums empty;
    for (const auto& field : out.schema_.features)
        empty.columns.push_back({.counts = std::vector<double>(field.domain ? field.domain->size() : 0, 0.0)});
    const std::size_t target[] = {*rows.head().target};
    const auto parts = TRY(pass(rows, {}, empty, run, [&](RowSums& sums, const Table& block, std::size_t) -> Status {
        const KnownRows known(block, target);
        const auto columns = feature_columns(block);
        for (std::size_t f = 0; f < columns.size(); ++f) add_column(*columns[f], known.view(block), sums.columns[f]);
        sums.rows += known.size();
        sums.left_out += known.left_out();
        return Done{};
    }));
    RowSums all = empty;
    for (const auto& part : parts) {
        for (std::size_t f = 0; f < all.columns.size(); ++f) {
            if (!out.schema_.features[f].domain)
                all.columns[f].add(part.columns[f].present, part.columns[f].mean, part.columns[f].squares);
            else
                all.columns[f].present += part.columns[f].present;
            for (std::size_t k = 0; k < all.columns[f].counts.size(); ++k) all.columns[f].counts[k] += part.columns[f].counts[k];
        }
        all.rows += part.rows;
        all.left_out += part.left_out;
    }
    TRY(note_left_out(learner, out.schema_.target.name, all.left_out, all.rows, run));
    out.total_ = static_cast<double>(all.rows);
    bool gaps = false;
    for (std::size_t f = 0; f < all.columns.size(); ++f) {
        const ColumnSums& sums = all.columns[f];
        if (sums.present == 0)
            return Fault{.code = "E-MISSING", .message = fmt::format("every cell of {} is missing", out.schema_.features[f].name)};
        gaps = gaps || sums.present < out.total_;
        out.schema_.features[f].fill =
            sums.counts.empty() ? sums.mean
                                : static_cast<double>(std::max_element(sums.counts.begin(), sums.counts.end()) - sums.counts.begin());
    }
    if (gaps && run.note) run.note("missing cells are filled in: numbers with the mean of their column, labels with the most common one");
    out.standard_ = standard_from(all.columns, out.schema_, out.terms_, out.total_);
    return out;
}

Status BlockRows::add_block(const Table& block, std::size_t first, const Units& units, Sums& sums) const {
    const std::size_t target[] = {*rows_->head().target};
    const KnownRows known(block, target);
    if (known.size() == 0) return Done{};
    const TableView view = known.view(block);
    auto columns = feature_columns(block);
    for (std::size_t f = 0; f < columns.size(); ++f) columns[f] = filled(columns[f], schema_.features[f]);
    const Matrix x = standardised(design_matrix(columns, terms_, view), standard_);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t t = 0; t < terms_.size(); ++t)
            if (!std::isfinite(x(i, t)))
                return Fault{.code = "E-TRAIN",
                             .message = fmt::format("{} is not finite in row {}", terms_[t].name, first + view.row(i) + 1)};
    TrainingRows data;
    data.weights.assign(x.rows, 1.0);
    for (std::size_t i = 0; i < x.rows; ++i) data.codes.push_back(block.columns[target[0]]->codes[view.row(i)]);
    const Likelihood at = likelihood(x, data, units);
    sums.add({at.loss, at.correct, slope_of(x, data, at, units.size()), curvature_of(x, data, at, units.size())});
    return Done{};
}

Result<Reached> BlockRows::look(const Units& units) {
    const auto parts = TRY(pass(*rows_, {}, Sums{}, *run_, [&](Sums& sums, const Table& block, std::size_t first) -> Status {
        return add_block(block, first, units, sums);
    }));
    seen_ = {};
    for (const auto& part : parts) seen_.add(part);
    return Reached{seen_.loss, seen_.correct};
}

}  // namespace credence::rt
