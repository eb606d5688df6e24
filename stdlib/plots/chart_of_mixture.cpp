// A mixture of densities: its density and those of its components, each times its weight, over the histogram of the data.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "runtime/latent/gaussian_mixture.hpp"
#include "runtime/plot/binning.hpp"
#include "runtime/prob/declared/mixture.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "stdlib/plots/chart_of.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;
using rt::XySeries;

namespace {

constexpr std::size_t most_components = 6;  // more curves cannot be told apart

using Density = std::function<double(double)>;  ///< of a component, times its weight

std::vector<Density> densities_of(const rt::Mixture& mixture) {
    std::vector<Density> out;
    for (std::size_t j = 0; j < mixture.parts.size(); ++j)
        out.push_back([weight = mixture.weights[j]->real(), part = mixture.parts[j].given](double x) {
            const auto p = part->pdf(rt::Outcome(rt::Number::real(x)));
            return p ? weight * p->real() : 0;
        });
    return out;
}

std::vector<Density> densities_of(const rt::GaussianMixture& mixture) {
    std::vector<Density> out;
    for (std::size_t j = 0; j < mixture.weights.size(); ++j)
        out.push_back([weight = mixture.weights[j], mean = mixture.means(j, 0), variance = mixture.covariances[j](0, 0)](double x) {
            return weight * std::exp(-(x - mean) * (x - mean) / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance);
        });
    return out;
}

/// The histogram of the data as an area of size 1, behind the curves.
XySeries histogram_band(std::span<const double> values, std::optional<std::size_t> bins) {
    const auto counted = rt::binned(values, bins);
    XySeries out{.name = "data", .x = {}, .y = {}, .mark = XySeries::Mark::band, .color = rt::quiet_color};
    for (std::size_t b = 0; b < counted.counts.size(); ++b) {
        const double width = counted.edges[b + 1] - counted.edges[b];
        const double height = counted.counts[b] / (static_cast<double>(values.size()) * width);
        for (const double edge : {counted.edges[b], counted.edges[b + 1]}) {
            out.x.push_back(edge);
            out.y.push_back(0);
            out.y_high.push_back(height);
        }
    }
    return out;
}

Result<std::vector<double>> data_values(const rt::Table& data, const std::string& column, const PlotOptions& options) {
    const auto at = options.data_is_list ? std::optional<std::size_t>(0) : data.find(column);
    if (!at || data.columns[*at]->kind != rt::ColumnKind::numeric)
        return Fault{.code = "E-COLUMN", .message = fmt::format("data has no column {} of numbers", column), .origin = options.at_data};
    std::vector<double> out = data.columns[*at]->values;
    std::erase_if(out, [](double v) { return !std::isfinite(v); });
    if (out.empty())
        return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no number to count", column), .origin = options.at_data};
    return out;
}

/// The sum over the points of `xs`, the components, and the data below them.
Result<rt::Chart> chart_of_densities(std::span<const Density> parts, std::vector<double> xs, const std::string& column,
                                     const PlotOptions& options) {
    rt::XyChart body{.series = {}, .from_zero = true};
    XySeries sum{.name = "mixture", .x = std::move(xs), .y = {}};
    for (const double x : sum.x) {
        double all = 0;
        for (const auto& part : parts) all += part(x);
        sum.y.push_back(all);
    }
    body.series.push_back(sum);
    for (std::size_t j = 0; j < parts.size() && parts.size() <= most_components; ++j) {
        XySeries part{.name = fmt::format("component {}", j + 1), .x = sum.x, .y = {}};
        for (const double x : sum.x) part.y.push_back(parts[j](x));
        body.series.push_back(std::move(part));
    }
    if (options.data) {
        const auto values = TRY(data_values(*options.data, column, options));
        body.series.push_back(histogram_band(values, options.bins));
    }
    return chart_with(options, std::move(body), column, "density");
}

std::vector<double> evenly(double low, double high) {
    constexpr int steps = 200;
    std::vector<double> out;
    for (int i = 0; i <= steps; ++i) out.push_back(low + (high - low) * i / steps);
    return out;
}

Result<std::optional<rt::Chart>> chart_of_gaussians(const rt::GaussianMixtureModel& model, const PlotOptions& options) {
    constexpr double reach = 3.5;  // standard deviations
    const auto& mixture = model.mixture();
    if (mixture.means.columns != 1) return std::optional<rt::Chart>();
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t j = 0; j < mixture.weights.size(); ++j) {
        const double sd = std::sqrt(mixture.covariances[j](0, 0));
        low = std::min(low, mixture.means(j, 0) - reach * sd);
        high = std::max(high, mixture.means(j, 0) + reach * sd);
    }
    const auto parts = densities_of(mixture);
    return std::optional(TRY(chart_of_densities(parts, evenly(low, high), model.schema().features[0].name, options)));
}

}  // namespace

Result<std::optional<rt::Chart>> chart_of_mixture(CallContext& c, const ModelValue& m, const PlotOptions& options) {
    if (const auto* gaussians = dynamic_cast<const rt::GaussianMixtureModel*>(m.model.get()))
        return chart_of_gaussians(*gaussians, options);
    const auto* mixture = dynamic_cast<const rt::MixtureModel*>(m.model.get());
    if (!mixture) return std::optional<rt::Chart>();
    rt::Query query;
    for (std::size_t v = 0; v < m.model->variables().size(); ++v)
        if (m.model->variables()[v].variable.name == "x") query.targets.free = {static_cast<rt::VarId>(v)};
    auto answer = TRY(m.model->ask(query, c.run()));
    if (const auto* shares = std::get_if<rt::Factor>(&answer.value)) return std::optional(TRY(chart_of_factor(*shares, options)));
    const auto* density = std::get_if<rt::DistributionPtr>(&answer.value);
    if (!density) return std::optional<rt::Chart>();
    rt::Chart alone = TRY(chart_of_distribution(**density, options));
    const auto* body = std::get_if<rt::XyChart>(&alone.body);
    if (!body || mixture->mixture().has_holes()) return std::optional(std::move(alone));
    const auto parts = densities_of(mixture->mixture());
    return std::optional(TRY(chart_of_densities(parts, body->series[0].x, "x", options)));
}

}  // namespace credence::std_
