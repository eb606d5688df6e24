#include "runtime/ensembles/bins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/data/design.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

double between(double a, double b) {
    const double middle = a / 2 + b / 2;
    return middle >= a && middle < b ? middle : a;
}

FeatureBins numeric_bins(const Column& column, const TableView& rows, std::span<const double> weights) {
    struct Cell {
        double value = 0;
        double weight = 1;
    };
    std::vector<Cell> cells;
    cells.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (const double x = column.values[rows.row(i)]; !std::isnan(x)) cells.push_back({x, weights.empty() ? 1.0 : weights[i]});
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.value < b.value; });
    std::vector<Cell> distinct;
    double total = 0;
    for (const auto& cell : cells) {
        total += cell.weight;
        if (distinct.empty() || distinct.back().value != cell.value)
            distinct.push_back(cell);
        else
            distinct.back().weight += cell.weight;
    }
    FeatureBins out;
    const bool few = distinct.size() <= most_bins;
    double weight = 0;
    double left = total;
    for (std::size_t k = 0; k + 1 < distinct.size(); ++k) {
        weight += distinct[k].weight;
        const auto room = static_cast<double>(most_bins - out.cuts.size());
        if (!few && (weight < left / room || out.cuts.size() + 1 == most_bins)) continue;
        out.cuts.push_back(between(distinct[k].value, distinct[k + 1].value));
        left -= weight;
        weight = 0;
    }
    out.count = out.cuts.size() + 1;
    return out;
}

FeatureBins label_bins(const Column& column, const TableView& rows, std::span<const double> weights) {
    FeatureBins out;
    out.labels = true;
    const std::size_t labels = column.domain->size();
    out.of_label.resize(labels);
    out.count = std::max<std::size_t>(1, std::min(labels, most_bins));
    std::vector<std::size_t> order(labels);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (labels > most_bins) {
        std::vector<double> seen(labels, 0.0);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (const auto code = column.codes[rows.row(i)]; code >= 0)
                seen[static_cast<std::size_t>(code)] += weights.empty() ? 1.0 : weights[i];
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return seen[a] > seen[b]; });
    }
    for (std::size_t k = 0; k < labels; ++k) out.of_label[order[k]] = static_cast<std::uint8_t>(std::min(k, most_bins - 1));
    return out;
}

}  // namespace

std::uint8_t FeatureBins::of(const Column& column, std::size_t row) const {
    if (labels) {
        const auto code = column.codes[row];
        return code < 0 || static_cast<std::size_t>(code) >= of_label.size() ? missing_bin : of_label[static_cast<std::size_t>(code)];
    }
    const double x = column.values[row];
    if (std::isnan(x)) return missing_bin;
    return static_cast<std::uint8_t>(std::lower_bound(cuts.begin(), cuts.end(), x) - cuts.begin());
}

Bins Bins::learn(const TableView& rows, std::span<const double> weights) {
    Bins out;
    for (const auto& column : feature_columns(*rows.table))
        out.features.push_back(column->kind == ColumnKind::numeric ? numeric_bins(*column, rows, weights)
                                                                   : label_bins(*column, rows, weights));
    return out;
}

BinnedRows binned(const Bins& binning, std::span<const ColumnPtr> features, const TableView& rows) {
    BinnedRows out;
    out.rows = rows.size();
    out.columns.resize(features.size());
    for (std::size_t f = 0; f < features.size(); ++f) {
        out.columns[f].resize(out.rows);
        for (std::size_t i = 0; i < out.rows; ++i) out.columns[f][i] = binning.features[f].of(*features[f], rows.row(i));
    }
    return out;
}

std::vector<std::uint8_t> binned_by_row(const Bins& binning, std::span<const ColumnPtr> features, const TableView& rows, std::size_t begin,
                                        std::size_t end) {
    std::vector<std::uint8_t> out((end - begin) * features.size());
    for (std::size_t f = 0; f < features.size(); ++f)
        for (std::size_t i = begin; i < end; ++i)
            out[(i - begin) * features.size() + f] = binning.features[f].of(*features[f], rows.row(i));
    return out;
}

Json Bins::save() const {
    Json out = Json::array();
    for (const auto& f : features) {
        std::vector<double> bins(f.of_label.begin(), f.of_label.end());
        out.push_back(f.labels ? Json{{"bins", saved(std::span<const double>(bins))}}
                               : Json{{"cuts", saved(std::span<const double>(f.cuts))}});
    }
    return out;
}

Result<Bins> read_binning(const Json& json, const Schema& schema) {
    if (!json.is_array() || json.size() != schema.features.size()) return damaged("there are not bins for each column");
    Bins out;
    std::size_t f = 0;
    for (const auto& item : json) {
        const Field& field = schema.features[f++];
        FeatureBins bins;
        bins.labels = field.kind == ColumnKind::label;
        if (bins.labels) {
            const auto of_label = TRY(read_reals(item, "bins"));
            if (of_label.size() != field.domain->size()) return damaged(fmt::format("there is not a bin for each label of {}", field.name));
            bins.count = std::max<std::size_t>(1, std::min(of_label.size(), most_bins));
            for (const double b : of_label) {
                if (!(b >= 0 && b < static_cast<double>(bins.count))) return damaged(fmt::format("a bin of {} is invalid", field.name));
                bins.of_label.push_back(static_cast<std::uint8_t>(b));
            }
        } else {
            bins.cuts = TRY(read_reals(item, "cuts"));
            if (bins.cuts.size() >= most_bins || !std::is_sorted(bins.cuts.begin(), bins.cuts.end()) ||
                std::any_of(bins.cuts.begin(), bins.cuts.end(), [](double c) { return !std::isfinite(c); }))
                return damaged(fmt::format("the bins of {} are invalid", field.name));
            bins.count = bins.cuts.size() + 1;
        }
        out.features.push_back(std::move(bins));
    }
    return out;
}

}  // namespace credence::rt
