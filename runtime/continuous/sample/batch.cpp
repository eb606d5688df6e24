#include "runtime/continuous/sample/batch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <Eigen/Core>

#include "runtime/continuous/density.hpp"
#include "runtime/core/lanes.hpp"
#include "runtime/core/special.hpp"
#include "runtime/core/tall_triangle.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double half_ln_2pi = 0.91893853320467274178;

using RowValues = Eigen::Map<Eigen::ArrayXd>;
using ConstRowValues = Eigen::Map<const Eigen::ArrayXd>;

using Values = Eigen::ArrayXd;

Eigen::Index places(std::size_t n) { return static_cast<Eigen::Index>(n); }
RowValues array_of(std::vector<double>& values) { return {values.data(), places(values.size())}; }
ConstRowValues array_of(const std::vector<double>& values) { return {values.data(), places(values.size())}; }

// Eigen's own sums and functions have other last digits on other processors. Its sums, products and quotients of single numbers have not.
double total(const Values& x) { return sum(x.data(), static_cast<std::size_t>(x.size())); }
template <class F>
Values mapped(Values x, F f) {
    map_lanes(x.data(), static_cast<std::size_t>(x.size()), f);
    return x;
}
Values exponentials(Values x) {
    return mapped(std::move(x), [](const Lanes& v) { return exp_lanes(v); });
}
/// ln(1 + x) where 0 ≤ x: what 1 + x lost is added.
Values logs_above_one(Values x) {
    return mapped(std::move(x), [](const Lanes& v) {
        const Lanes above = 1.0 + v;
        const Lanes lost = v - (above - 1.0);
        return log_lanes(above) + (lost > 0.0 || lost < 0.0 ? lost / above : Lanes{});
    });
}

double sum_of_squares(const Batch& batch, const double* values, BatchWork& work) {
    auto& residuals = work.values[0];
    batch.arguments[0].rows.evaluate(values, residuals);
    const double sd = values[*batch.arguments[1].shared];
    if (!(sd > 0)) return std::nan("");
    const auto r = array_of(residuals);
    const auto w = array_of(batch.weights);
    const double squares = total(w * r * r) + batch.rest;
    const double precision = 1 / (sd * sd);
    array_of(work.slopes[0]) = -precision * w * r;
    work.shared_slopes[1] = (squares * precision - batch.count) / sd;
    return -batch.count * (std::log(sd) + half_ln_2pi) - 0.5 * squares * precision;
}

/// Student's t of residuals r: −(ν + 1)/2 · ln(1 + r²/(ν s²)) and what depends on ν and s alone.
double sum_of_tails(const Batch& batch, const double* values, BatchWork& work) {
    auto& residuals = work.values[0];
    batch.arguments[0].rows.evaluate(values, residuals);
    const double nu = values[*batch.arguments[1].shared];
    const double scale = values[*batch.arguments[2].shared];
    if (!(nu > 0 && scale > 0)) return std::nan("");
    if (nu != work.degrees) {
        work.degrees = nu;
        work.log_constant = log_gamma(0.5 * (nu + 1)) - log_gamma(0.5 * nu) - 0.5 * std::log(nu) - 0.57236494292470008707;  // ½ ln π
        work.slope_of_constant = digamma(0.5 * (nu + 1)) - digamma(0.5 * nu) - 1 / nu;
    }
    const auto w = array_of(batch.weights);
    auto r = array_of(residuals);
    auto share = array_of(work.slopes[0]);
    const double below = nu * scale * scale;
    share = r * r / below;
    const double logs = total(w * logs_above_one(share));
    // By r: −(ν + 1) r / (ν s² + r²).
    const double pulls = total(w * share / (1 + share));
    share = -(nu + 1) / below * w * r / (1 + share);
    work.shared_slopes[1] = 0.5 * (batch.count * work.slope_of_constant - logs + (nu + 1) / nu * pulls);
    work.shared_slopes[2] = ((nu + 1) * pulls - batch.count) / scale;
    return batch.count * (work.log_constant - std::log(scale)) - 0.5 * (nu + 1) * logs;
}

/// y η − n ln(1 + e^η), with y hits in n trials; of labels n is 1.
double sum_of_logits(const Batch& batch, const double* values, BatchWork& work) {
    const std::size_t last = batch.arguments.size() - 1;
    auto& logits = work.values[last];
    batch.arguments[last].rows.evaluate(values, logits);
    const auto eta = array_of(logits);
    const ConstRowValues y = array_of(batch.arguments[0].rows.offsets);
    const auto w = array_of(batch.weights);
    const Values small = exponentials(-eta.abs());
    auto slopes = array_of(work.slopes[last]);
    const Values softplus = eta.max(0.0) + mapped(small, [](const Lanes& v) { return log1p_lanes(v); });
    const auto p = (eta < 0).select(small, 1.0) / (1 + small);
    if (batch.trials.empty()) {
        slopes = w * (y - p);
        return batch.rest + total(w * (y * eta - softplus));
    }
    const auto n = array_of(batch.trials);
    slopes = w * (y - n * p);
    return batch.rest + total(w * (y * eta - n * softplus));
}

/// y η − e^η
double sum_of_rates(const Batch& batch, const double* values, BatchWork& work) {
    auto& logs = work.values[1];
    batch.arguments[1].rows.evaluate(values, logs);
    const auto eta = array_of(logs);
    const ConstRowValues y = array_of(batch.arguments[0].rows.offsets);
    const auto w = array_of(batch.weights);
    const Values rate = exponentials(eta);
    array_of(work.slopes[1]) = w * (y - rate);
    return batch.rest + total(w * (y * eta - rate));
}

/// −½ z² − ln s with z = (x − m) / s
double sum_of_spreads(const Batch& batch, const double* values, BatchWork& work) {
    Values at[3];
    for (std::size_t a = 0; a < 3; ++a) {
        const auto& argument = batch.arguments[a];
        if (argument.shared) {
            at[a] = Values::Constant(places(batch.weights.size()), values[*argument.shared]);
            continue;
        }
        argument.rows.evaluate(values, work.values[a]);
        at[a] = array_of(work.values[a]);
        if (argument.link == BatchArgument::Link::exp) at[a] = exponentials(std::move(at[a]));
        if (argument.link == BatchArgument::Link::logistic) at[a] = 1 / (1 + exponentials(-at[a]));
    }
    const auto& s = at[2];
    const auto w = array_of(batch.weights);
    if (!(s > 0).all()) return std::nan("");
    const Values z = (at[0] - at[1]) / s;
    const Values logs = mapped(s, [](const Lanes& v) { return log_lanes(v); });
    const double out = -total(w * (0.5 * z.square() + logs)) - batch.count * half_ln_2pi;
    const Values slopes[3] = {-w * z / s, w * z / s, w * (z.square() - 1) / s};
    for (std::size_t a = 0; a < 3; ++a) {
        const auto& argument = batch.arguments[a];
        if (argument.shared) {
            work.shared_slopes[a] = total(slopes[a]);
            continue;
        }
        auto own = array_of(work.slopes[a]);
        own = slopes[a];
        if (argument.link == BatchArgument::Link::exp) own *= at[a];
        if (argument.link == BatchArgument::Link::logistic) own *= at[a] * (1 - at[a]);
    }
    return out;
}

double linked(BatchArgument::Link link, double eta) {
    if (link == BatchArgument::Link::exp) return std::exp(eta);
    return link == BatchArgument::Link::logistic ? 1 / (1 + std::exp(-eta)) : eta;
}

double link_slope(BatchArgument::Link link, double value) {
    if (link == BatchArgument::Link::exp) return value;
    return link == BatchArgument::Link::logistic ? value * (1 - value) : 1;
}

double sum_of_densities(const Batch& batch, const double* values, BatchWork& work) {
    const std::size_t arguments = batch.arguments.size();
    double at[1 + most_parameters] = {};
    for (std::size_t a = 0; a < arguments; ++a) {
        work.shared_slopes[a] = 0;
        if (batch.arguments[a].shared)
            at[a] = values[*batch.arguments[a].shared];
        else
            batch.arguments[a].rows.evaluate(values, work.values[a]);
    }
    double out = 0;
    for (std::size_t i = 0; i < batch.weights.size(); ++i) {
        for (std::size_t a = 0; a < arguments; ++a)
            if (const auto& argument = batch.arguments[a]; !argument.shared) at[a] = linked(argument.link, work.values[a][i]);
        const DensityValue density = log_density(batch.family, at[0], at + 1);
        const double weight = batch.weights[i];
        out += weight * density.value;
        for (std::size_t a = 0; a < arguments; ++a) {
            const auto& argument = batch.arguments[a];
            const double slope = weight * (a == 0 ? density.dx : density.dp[a - 1]);
            if (argument.shared)
                work.shared_slopes[a] += slope;
            else
                work.slopes[a][i] = slope * link_slope(argument.link, at[a]);
        }
    }
    return out;
}

std::vector<std::uint32_t> columns_of(std::span<const LinearRow> rows) {
    std::vector<std::uint32_t> out;
    for (const auto& row : rows)
        for (const auto& [node, coefficient] : row.parts) out.push_back(node);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::uint32_t column_in(const std::vector<std::uint32_t>& nodes, std::uint32_t node) {
    return static_cast<std::uint32_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
}

std::size_t entries_in(std::span<const LinearRow> rows) {
    std::size_t out = 0;
    for (const auto& row : rows) out += row.parts.size();
    return out;
}

/// The squares of some rows about the same nodes as those of their triangle, if these are fewer.
void add_triangle(std::span<const LinearRow> rows, const std::vector<std::uint32_t>& nodes, const std::vector<std::size_t>& members,
                  std::vector<LinearRow>& left, double& rest) {
    const std::size_t k = nodes.size();
    if (members.size() <= k) {
        for (const auto i : members) left.push_back(rows[i]);
        return;
    }
    Matrix x(members.size(), k);
    std::vector<double> offsets;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto& row = rows[members[i]];
        offsets.push_back(row.offset);
        for (const auto& [node, coefficient] : row.parts) x(i, column_in(nodes, node)) += coefficient;
    }
    const Matrix triangle = *tall_triangle(x, std::vector<double>(k, 1.0), offsets, {});
    for (std::size_t i = 0; i < k; ++i) {
        LinearRow row{triangle(i, k)};
        for (std::size_t j = i; j < k; ++j)
            if (triangle(i, j) != 0) row.parts.emplace_back(nodes[j], triangle(i, j));
        left.push_back(std::move(row));
    }
    rest += triangle(k, k) * triangle(k, k);
}

}  // namespace

void LinearRow::add(std::uint32_t node, double coefficient) {
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == node; });
    if (at == parts.end())
        parts.emplace_back(node, coefficient);
    else
        at->second += coefficient;
}

LinearRows linear_rows(std::span<const LinearRow> rows) {
    LinearRows out;
    out.nodes = columns_of(rows);
    const std::size_t n = rows.size();
    const std::size_t entries = entries_in(rows);
    constexpr double dense_share = 0.4;  // from here on zeros cost less than indices
    out.dense = !out.nodes.empty() && static_cast<double>(entries) > dense_share * static_cast<double>(n * out.nodes.size());
    if (out.dense) out.matrix.assign(n * out.nodes.size(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        out.offsets.push_back(rows[i].offset);
        if (!out.dense) out.starts.push_back(static_cast<std::uint32_t>(out.columns.size()));
        for (const auto& [node, coefficient] : rows[i].parts) {
            const auto column = column_in(out.nodes, node);
            if (out.dense) {
                out.matrix[column * n + i] += coefficient;
            } else {
                out.columns.push_back(column);
                out.coefficients.push_back(coefficient);
            }
        }
    }
    if (!out.dense) out.starts.push_back(static_cast<std::uint32_t>(out.columns.size()));
    return out;
}

std::optional<ReducedSquares> reduced_squares(std::span<const LinearRow> rows) {
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> about;  // rows, by their nodes
    for (std::size_t i = 0; i < rows.size(); ++i) about[columns_of(rows.subspan(i, 1))].push_back(i);
    const auto triangle = [](std::size_t k) { return k * (k + 1) / 2; };
    std::size_t by_nodes = 0;
    for (const auto& [nodes, members] : about) by_nodes += std::min(triangle(nodes.size()), members.size() * nodes.size());
    const std::size_t columns = columns_of(rows).size();
    constexpr std::size_t most_columns = 400;
    constexpr std::size_t most_entries = 40'000'000;
    const bool whole =
        columns <= most_columns && rows.size() > columns && rows.size() * columns <= most_entries && triangle(columns) <= by_nodes;
    if ((whole ? triangle(columns) : by_nodes) >= entries_in(rows)) return std::nullopt;
    if (whole) {
        std::vector<std::size_t> all(rows.size());
        std::iota(all.begin(), all.end(), 0);
        about = {{columns_of(rows), std::move(all)}};
    }
    std::vector<LinearRow> left;
    double rest = 0;
    for (const auto& [nodes, members] : about) add_triangle(rows, nodes, members, left, rest);
    return ReducedSquares{linear_rows(left), rest};
}

void LinearRows::evaluate(const double* values, std::span<double> out) const {
    std::copy(offsets.begin(), offsets.end(), out.begin());
    if (nodes.empty()) return;
    if (dense) {
        for (std::size_t j = 0; j < nodes.size(); ++j) add_scaled(out.data(), values[nodes[j]], matrix.data() + j * out.size(), out.size());
        return;
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        for (std::uint32_t k = starts[i]; k < starts[i + 1]; ++k) out[i] += coefficients[k] * values[nodes[columns[k]]];
}

void LinearRows::scatter(std::span<const double> slopes, double factor, double* adjoints) const {
    if (nodes.empty()) return;
    if (dense) {
        const std::size_t n = slopes.size();
        for (std::size_t j = 0; j < nodes.size(); ++j) adjoints[nodes[j]] += factor * dot(matrix.data() + j * n, slopes.data(), n);
        return;
    }
    for (std::size_t i = 0; i < slopes.size(); ++i)
        for (std::uint32_t k = starts[i]; k < starts[i + 1]; ++k) adjoints[nodes[columns[k]]] += factor * slopes[i] * coefficients[k];
}

std::size_t Batch::entries() const {
    std::size_t out = weights.size();
    for (const auto& argument : arguments) out += argument.rows.entries();
    return out;
}

BatchWork work_of(const Batch& batch) {
    BatchWork out;
    for (const auto& argument : batch.arguments) {
        const std::size_t n = argument.shared ? 0 : argument.rows.rows();
        out.values.emplace_back(n, 0.0);
        out.slopes.emplace_back(n, 0.0);
    }
    out.shared_slopes.assign(batch.arguments.size(), 0.0);
    return out;
}

double batch_value(const Batch& batch, const double* values, BatchWork& work) {
    switch (batch.form) {
        case Batch::Form::squares:
            return sum_of_squares(batch, values, work);
        case Batch::Form::tails:
            return sum_of_tails(batch, values, work);
        case Batch::Form::logits:
            return sum_of_logits(batch, values, work);
        case Batch::Form::rates:
            return sum_of_rates(batch, values, work);
        case Batch::Form::spreads:
            return sum_of_spreads(batch, values, work);
        case Batch::Form::general:
            break;
    }
    return sum_of_densities(batch, values, work);
}

void batch_back(const Batch& batch, double adjoint, const BatchWork& work, double* adjoints) {
    for (std::size_t a = 0; a < batch.arguments.size(); ++a) {
        if (const auto& argument = batch.arguments[a]; argument.shared)
            adjoints[*argument.shared] += adjoint * work.shared_slopes[a];
        else
            argument.rows.scatter(work.slopes[a], adjoint, adjoints);
    }
}

}  // namespace credence::rt::continuous
