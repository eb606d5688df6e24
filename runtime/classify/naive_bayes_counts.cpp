#include "runtime/classify/naive_bayes_counts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "runtime/core/spread.hpp"
#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t rows_a_chunk = 1U << 16U;

/// Cut points with as many rows (by weight) between them as can be, half-way between neighbours and never between equal numbers.
std::vector<double> even_cuts(const Column& column, const TableView& rows, std::span<const double> weights, std::size_t bins) {
    std::vector<std::pair<double, double>> sorted;  // numbers and their weights
    double all = 0;
    bool whole = true;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (const double x = column.values[rows.row(i)]; !std::isnan(x)) {
            sorted.emplace_back(x, weights.empty() ? 1.0 : weights[i]);
            all += sorted.back().second;
            whole = whole && sorted.back().second == std::floor(sorted.back().second);
        }
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> cuts;
    double below = 0;
    std::size_t at = 0;
    for (std::size_t b = 1; b < bins; ++b) {
        double want = static_cast<double>(b) * all / static_cast<double>(bins);
        if (whole) want = std::floor(want);
        if (want <= 0) continue;
        while (at < sorted.size() && (below < want || (at > 0 && sorted[at].first == sorted[at - 1].first))) below += sorted[at++].second;
        if (at >= sorted.size()) break;
        const double cut = sorted[at - 1].first + (sorted[at].first - sorted[at - 1].first) / 2;
        if (cuts.empty() || cuts.back() < cut) cuts.push_back(cut);
    }
    return cuts;
}

DomainPtr bin_names(std::span<const double> cuts) {
    if (cuts.empty()) return make_domain({Label::of_text("all")});
    std::vector<std::string> texts;
    for (int digits = 6; digits <= 17; ++digits) {  // as many digits as tell the cuts apart
        texts.clear();
        for (const double cut : cuts) texts.push_back(fmt::format("{:.{}g}", cut, digits));
        if (std::adjacent_find(texts.begin(), texts.end()) == texts.end()) break;
    }
    std::vector<Label> out{Label::of_text("<= " + texts.front())};
    for (std::size_t i = 1; i < texts.size(); ++i) out.push_back(Label::of_text(texts[i - 1] + " .. " + texts[i]));
    out.push_back(Label::of_text("> " + texts.back()));
    return make_domain(std::move(out));
}

/// The cells of one chunk, by value then class, so that a cell's place needs one multiplication by a constant of the column. Slot 0 is for
/// missing cells. Four tables in turn: neighbouring rows often hit the same cell, and an addition need not wait for the last.
void count_codes(const std::int32_t* codes, const std::int32_t* classes, std::size_t begin, std::size_t end, std::size_t labels,
                 std::span<std::uint32_t> tables) {
    const std::size_t size = tables.size() / 4;
    std::uint32_t* t0 = tables.data();
    std::uint32_t* t1 = t0 + size;
    std::uint32_t* t2 = t1 + size;
    std::uint32_t* t3 = t2 + size;
    const auto k = static_cast<std::int32_t>(labels);
    const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>((codes[i] + 1) * k + classes[i]); };
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4) {
        ++t0[at(i)];
        ++t1[at(i + 1)];
        ++t2[at(i + 2)];
        ++t3[at(i + 3)];
    }
    for (; i < end; ++i) ++t0[at(i)];
}

/// Cells of a column by value (0: missing) and class, unweighted.
std::vector<std::int64_t> counted_cells(const std::vector<std::int32_t>& codes, std::size_t values, const TableView& rows,
                                        const Column& target, std::size_t labels, const Run& run) {
    constexpr std::size_t largest_copied = 1U << 14U;  // beyond that, tables of their own cost the threads more than they save
    const std::size_t size = (values + 1) * labels;
    std::vector<std::int64_t> out(size, 0);
    if (!rows.all || size > largest_copied) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t r = rows.row(i);
            ++out[static_cast<std::size_t>(codes[r] + 1) * labels + static_cast<std::size_t>(target.codes[r])];
        }
        return out;
    }
    std::vector<std::vector<std::uint32_t>> parts((rows.size() + rows_a_chunk - 1) / rows_a_chunk);
    const SpreadLoop loop{.n = rows.size(), .chunk = rows_a_chunk, .cost = static_cast<double>(rows.size())};
    spread_chunks(run, loop, parts, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        parts[chunk].assign(4 * size, 0);
        count_codes(codes.data(), target.codes.data(), begin, end, labels, parts[chunk]);
    });
    for (const auto& tables : parts)
        for (std::size_t k = 0; k < tables.size(); ++k) out[k % size] += tables[k];
    return out;
}

/// The same with weights; in fractions where there are not too many rows.
std::vector<Number> weighted_cells(const std::vector<std::int32_t>& codes, std::size_t values, const TableView& rows, const Column& target,
                                   std::size_t labels, std::span<const double> weights) {
    std::vector<Number> out((values + 1) * labels);
    const bool whole = std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::floor(w) && w < 1e9; });
    const auto at = [&](std::size_t i) {
        const std::size_t r = rows.row(i);
        return static_cast<std::size_t>(codes[r] + 1) * labels + static_cast<std::size_t>(target.codes[r]);
    };
    if (!whole && rows.size() <= max_exact_rows) {
        for (std::size_t i = 0; i < rows.size(); ++i) out[at(i)] += Number(Rational::from_decimal(weights[i]));
        return out;
    }
    std::vector<double> sums(out.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) sums[at(i)] += weights[i];
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = whole ? Number(Rational(static_cast<std::int64_t>(sums[k]))) : Number::real(sums[k]);
    return out;
}

std::vector<Number> cells_of(const std::vector<std::int32_t>& codes, std::size_t values, const TableView& rows, const Column& target,
                             std::size_t labels, std::span<const double> weights, const Run& run) {
    if (!weights.empty()) return weighted_cells(codes, values, rows, target, labels, weights);
    std::vector<Number> out;
    for (const auto n : counted_cells(codes, values, rows, target, labels, run)) out.emplace_back(Rational(n));
    return out;
}

/// Mean first, then squares about it; chunk by chunk, put together in order.
std::vector<NormalCounts> spreads_of(const Column& column, const TableView& rows, const Column& target, std::size_t labels,
                                     std::span<const double> weights, const Run& run) {
    const std::size_t chunks = (rows.size() + rows_a_chunk - 1) / rows_a_chunk;
    std::vector<std::vector<NormalCounts>> parts(chunks);
    const SpreadLoop loop{.n = rows.size(), .chunk = rows_a_chunk, .cost = static_cast<double>(rows.size()) * 4};
    spread_chunks(run, loop, parts, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        auto& part = parts[chunk];
        part.resize(labels);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t r = rows.row(i);
                const double x = column.values[r];
                if (std::isnan(x)) continue;
                NormalCounts& s = part[static_cast<std::size_t>(target.codes[r])];
                const double w = weights.empty() ? 1 : weights[i];
                if (pass == 0) {
                    s.weight += w;
                    s.mean += w * x;
                } else {
                    s.squares += w * (x - s.mean) * (x - s.mean);
                }
            }
            if (pass == 0)
                for (auto& s : part)
                    if (s.weight > 0) s.mean /= s.weight;
        }
    });
    std::vector<NormalCounts> out(labels);
    for (const auto& part : parts)
        for (std::size_t c = 0; c < labels; ++c) out[c].add(part[c]);
    return out;
}

}  // namespace

void NormalCounts::add(const NormalCounts& more) {
    if (more.weight == 0) return;
    const double all = weight + more.weight;
    const double apart = more.mean - mean;
    squares += more.squares + apart * apart * weight * more.weight / all;
    mean += apart * more.weight / all;
    weight = all;
}

void FeatureCounts::add(const FeatureCounts& more) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] += more.cells[i];
    for (std::size_t c = 0; c < spreads.size(); ++c) spreads[c].add(more.spreads[c]);
}

void NaiveBayesCounts::add(const NaiveBayesCounts& more) {
    for (std::size_t c = 0; c < classes.size(); ++c) classes[c] += more.classes[c];
    for (std::size_t f = 0; f < features.size(); ++f) features[f].add(more.features[f]);
}

std::size_t bin_of(double value, std::span<const double> cuts) {
    return static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin());
}

NaiveBayesCounts empty_counts(const Schema& schema, std::size_t bins, const TableView& rows, std::span<const double> weights) {
    NaiveBayesCounts out;
    const std::size_t labels = schema.target.domain->size();
    out.classes.resize(labels);
    for (std::size_t f = 0; f < schema.features.size(); ++f) {
        FeatureCounts counts;
        const Field& field = schema.features[f];
        if (field.kind == ColumnKind::label) {
            counts.values = field.domain;
        } else if (bins > 0) {
            counts.cuts = even_cuts(*rows.table->columns[f], rows, weights, bins);
            counts.values = bin_names(counts.cuts);
        } else {
            counts.spreads.resize(labels);
        }
        if (counts.values) counts.cells.resize(labels * counts.values->size());
        out.features.push_back(std::move(counts));
    }
    return out;
}

void count_into(NaiveBayesCounts& counts, const Schema& schema, const TableView& rows, const Column& target,
                std::span<const double> weights, const Run& run) {
    const std::size_t labels = schema.target.domain->size();
    const std::vector<std::int32_t> missing(target.codes.size(), -1);  // an uninformative column: its cells are the classes alone
    const auto by_class = cells_of(missing, 0, rows, target, labels, weights, run);
    for (std::size_t c = 0; c < labels; ++c) counts.classes[c] += by_class[c];
    for (std::size_t f = 0; f < counts.features.size(); ++f) {
        FeatureCounts& feature = counts.features[f];
        const Column& column = *rows.table->columns[f];
        if (feature.is_normal()) {
            const auto more = spreads_of(column, rows, target, labels, weights, run);
            for (std::size_t c = 0; c < labels; ++c) feature.spreads[c].add(more[c]);
            continue;
        }
        std::vector<std::int32_t> binned;
        if (column.kind == ColumnKind::numeric) {
            binned.resize(column.values.size());
            for (std::size_t r = 0; r < binned.size(); ++r)
                binned[r] = std::isnan(column.values[r]) ? -1 : static_cast<std::int32_t>(bin_of(column.values[r], feature.cuts));
        }
        const std::size_t values = feature.values->size();
        const auto cells = cells_of(column.kind == ColumnKind::numeric ? binned : column.codes, values, rows, target, labels, weights, run);
        for (std::size_t v = 0; v < values; ++v)
            for (std::size_t c = 0; c < labels; ++c) feature.cells[c * values + v] += cells[(v + 1) * labels + c];
    }
}

}  // namespace credence::rt
