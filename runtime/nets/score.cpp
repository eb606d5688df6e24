#include "runtime/nets/score.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/design.hpp"
#include "runtime/nets/trained_net.hpp"
#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_numbers_as_labels = 30;
/// A family's table has at most so many cells while it is scored.
constexpr std::size_t most_cells = 1U << 24U;

}  // namespace

Result<DiscreteData> discrete_data(const TableView& rows, std::span<const double> weights, Run& run) {
    DiscreteData out;
    out.table = rows.table;
    std::vector<ColumnPtr> columns;
    for (const auto& column : rows.table->columns) {
        ColumnPtr labels = as_labels(column);
        if (column->kind == ColumnKind::numeric && labels->domain->size() > most_numbers_as_labels)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} has {} different numbers: a net of tables needs few values", column->name,
                                                labels->domain->size()),
                         .hint = fmt::format("discretize(t, {}, bins: 4) first", column->name)};
        out.names.push_back(column->name);
        out.domains.push_back(labels->domain);
        columns.push_back(std::move(labels));
    }
    const auto kept = complete_rows(columns, rows);
    if (kept.empty())
        return Fault{.code = "E-MISSING", .message = "every row has a missing cell: the structure is learned from whole rows"};
    if (kept.size() < rows.size() && run.note)
        run.note(fmt::format("{} with a missing cell {} left out", counted(rows.size() - kept.size(), "row"),
                             rows.size() - kept.size() == 1 ? "was" : "were"));
    out.rows = kept.size();
    for (const auto& column : columns) {
        auto& codes = out.codes.emplace_back();
        codes.reserve(kept.size());
        for (const auto i : kept) codes.push_back(static_cast<std::uint16_t>(column->codes[rows.row(i)]));
    }
    out.total = static_cast<double>(kept.size());
    if (!weights.empty()) {
        out.total = 0;
        for (const auto i : kept) {
            out.weights.push_back(weights[i]);
            out.total += weights[i];
        }
    }
    return out;
}

double FamilyScores::of(std::size_t node, const std::vector<std::size_t>& parents) {
    const auto key = std::make_pair(node, parents);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    const double score = counted(node, parents);
    known_.emplace(key, score);
    return score;
}

/// Rows that fall into one cell again and again would wait for each other: neighbours are counted in tables of their own.
void FamilyScores::tally(std::size_t cells) {
    constexpr std::size_t lanes = 4;
    constexpr std::size_t most = 4096;
    if (cells > most) {
        for (const auto c : cell_) counts_[c] += 1;
        return;
    }
    tallies_.assign(lanes * cells, 0);
    std::uint32_t* lane[lanes];
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = tallies_.data() + l * cells;
    std::size_t r = 0;
    for (; r + lanes <= cell_.size(); r += lanes)
        for (std::size_t l = 0; l < lanes; ++l) ++lane[l][cell_[r + l]];
    for (; r < cell_.size(); ++r) ++lane[0][cell_[r]];
    for (std::size_t c = 0; c < cells; ++c) counts_[c] = static_cast<double>(lane[0][c] + lane[1][c] + lane[2][c] + lane[3][c]);
}

/// ln Γ(x), remembered where x is whole: the K2 score of counts asks for nothing else.
double FamilyScores::log_gamma(double x) {
    const auto whole = static_cast<std::size_t>(x);
    if (static_cast<double>(whole) != x || whole > 2 * data_->rows + 1000) return rt::log_gamma(x);
    while (log_gammas_.size() <= whole) log_gammas_.push_back(rt::log_gamma(static_cast<double>(log_gammas_.size())));
    return log_gammas_[whole];
}

double FamilyScores::counted(std::size_t node, const std::vector<std::size_t>& parents) {
    const std::size_t k = data_->size(node);
    std::size_t cells = k;
    for (const auto p : parents) {
        cells *= data_->size(p);
        if (cells > most_cells) return -std::numeric_limits<double>::infinity();
    }
    counts_.assign(cells, 0.0);
    cell_.assign(data_->codes[node].begin(), data_->codes[node].end());
    std::size_t stride = k;
    for (const auto p : parents) {
        const auto& codes = data_->codes[p];
        const auto step = static_cast<std::uint32_t>(stride);
        for (std::size_t r = 0; r < cell_.size(); ++r) cell_[r] += step * codes[r];
        stride *= data_->size(p);
    }
    if (data_->weights.empty())
        tally(cells);
    else
        for (std::size_t r = 0; r < cell_.size(); ++r) counts_[cell_[r]] += data_->weights[r];

    const std::size_t rows = cells / k;
    const auto q = static_cast<double>(rows);
    const auto labels = static_cast<double>(k);
    double score = 0;
    const double row_prior = score_.kind == ScoreKind::k2 ? labels : score_.sample / q;
    const double cell_prior = score_.kind == ScoreKind::k2 ? 1.0 : score_.sample / (q * labels);
    const bool bayes = score_.kind == ScoreKind::k2 || score_.kind == ScoreKind::bdeu;
    for (std::size_t j = 0; j < rows; ++j) {
        double total = 0;
        for (std::size_t i = 0; i < k; ++i) total += counts_[j * k + i];
        if (total == 0) continue;  // nothing seen: every score is 0
        if (bayes) {
            score += log_gamma(row_prior) - log_gamma(total + row_prior);
            for (std::size_t i = 0; i < k; ++i)
                if (counts_[j * k + i] > 0) score += log_gamma(counts_[j * k + i] + cell_prior) - log_gamma(cell_prior);
        } else {
            for (std::size_t i = 0; i < k; ++i)
                if (counts_[j * k + i] > 0) score += counts_[j * k + i] * std::log(counts_[j * k + i] / total);
        }
    }
    if (score_.kind == ScoreKind::bic) score -= 0.5 * std::log(data_->total) * q * (labels - 1);
    if (score_.kind == ScoreKind::aic) score -= q * (labels - 1);
    return score;
}

Result<ModelPtr> counted_net(const DiscreteData& data, const std::vector<std::vector<std::size_t>>& parents, std::string name, double score,
                             std::vector<double> history, const Rational& m, Run& run) {
    auto net = std::make_shared<Net>();
    TrainedCounts trained{.m = m, .missing = MissingFamilies::rows_left_out, .nodes = {}};
    net->name = std::move(name);
    net->score = score;
    net->history = std::move(history);
    for (std::size_t v = 0; v < data.names.size(); ++v) {
        NetNode node;
        node.variable = {data.names[v], data.domains[v]};
        std::size_t rows = 1;
        for (const auto p : parents[v]) {
            node.parents.push_back(static_cast<VarId>(p));
            rows *= data.size(p);
        }
        const std::size_t k = data.size(v);
        if (rows * k > run.limits.table_entries)
            return Fault{.code = "E-COST",
                         .message = fmt::format("the table of {} would have {} entries", data.names[v], rows * k),
                         .hint = "max_parents limits the parents"};
        std::vector<double> counts(rows * k, 0.0);
        for (std::size_t r = 0; r < data.rows; ++r) {
            std::size_t row = 0;
            for (const auto p : parents[v]) row = row * data.size(p) + data.codes[p][r];
            counts[row * k + data.codes[v][r]] += data.weights.empty() ? 1.0 : data.weights[r];
        }
        node.table = std::vector<Rational>(rows * k);
        net->nodes.push_back(std::move(node));
        trained.nodes.push_back({std::move(counts), {}});
    }
    fill_counted(*net, trained);
    return ModelPtr(data.table ? make_trained_net(std::move(net), *data.table, std::move(trained)) : make_net_model(std::move(net)));
}

}  // namespace credence::rt
