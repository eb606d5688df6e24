#pragma once
// Which chart a value is shown as.

#include <optional>
#include <string>
#include <vector>

#include "lang/builtin/bind.hpp"
#include "runtime/plot/chart.hpp"
#include "runtime/plot/ticks.hpp"

namespace credence::std_ {

/// The parameters of `plot`.
struct PlotOptions {
    std::string title;
    std::string kind;              ///< empty: by the value
    std::optional<std::string> x;  ///< columns of a table, features of a model
    std::vector<std::string> y;
    std::optional<std::size_t> bins;
    rt::TablePtr data;            ///< the examples beside a model
    bool data_is_list = false;    ///< given as numbers without the name of a column
    std::optional<double> width;  ///< none: as wide as what shows it
    double height = 0;
    std::vector<std::string> bands;      ///< two columns of a table: the ends of a band
    std::optional<double> interval;      ///< of a density: the share that is set off; of a forest the outer interval
    std::string variable;                ///< what a distribution is of, where the script says so
    std::optional<std::string> x_label;  ///< in place of those that the value suggests
    std::optional<std::string> y_label;
    std::string log;             ///< x, y or both: axes of logarithms
    std::vector<double> levels;  ///< lines to compare with: at these heights, of a forest at these places
    std::string compared_line;   ///< fit or identity
    double scale = 1;            ///< of marks and lines
    rt::Origin at_value = rt::Origin::none;
    rt::Origin at_kind = rt::Origin::none;
    rt::Origin at_x = rt::Origin::none;
    rt::Origin at_y = rt::Origin::none;
    rt::Origin at_data = rt::Origin::none;
    rt::Origin at_bands = rt::Origin::none;
    rt::Origin at_log = rt::Origin::none;
    rt::Origin at_line = rt::Origin::none;
};

using ChartBody = decltype(rt::Chart::body);

/// A chart with the options' title and size.
rt::Chart chart_with(const PlotOptions& options, ChartBody body, std::string x_label = {}, std::string y_label = {});
/// With the lines to compare with and the axes of logarithms that the options ask for. E-PARAMETER if the chart has no place for them.
rt::Result<rt::Chart> finished_chart(rt::Chart chart, const PlotOptions& options);
/// E-PARAMETER: such a value is not shown in that kind; `kinds` lists those it can be shown in.
rt::Fault not_that_kind(const PlotOptions& options, std::string_view what, std::string_view kinds);

rt::Result<rt::Chart> chart_of(lang::CallContext& context, const lang::Value& value, const PlotOptions& options);
rt::Result<rt::Chart> chart_of_factor(const rt::Factor& factor, const PlotOptions& options);
rt::Result<rt::Chart> chart_of_distribution(const rt::Distribution& distribution, const PlotOptions& options);
/// The density between two numbers.
rt::Result<rt::XySeries> density_curve(const rt::Distribution& distribution, rt::Range range, std::size_t points);
/// The area under the density where its middle share lies.
rt::Result<rt::XySeries> interval_band(const rt::Distribution& distribution, double share);
/// A ROC curve, a calibration, a learning curve or the scores of a grid; nothing if the table is another one, or the options say how to
/// show it.
std::optional<rt::Chart> chart_of_scores(const rt::Table& table, const PlotOptions& options);
rt::Result<rt::Chart> chart_of_table(const rt::Table& table, const PlotOptions& options);
/// The density of a mixture, or of a gaussian_mixture over one column, with its components; nothing where the model is another one.
rt::Result<std::optional<rt::Chart>> chart_of_mixture(lang::CallContext& context, const lang::ModelValue& model,
                                                      const PlotOptions& options);
/// What a trained model says over one or two of its number features, with the examples of `data`.
rt::Result<rt::Chart> chart_of_model(lang::CallContext& context, const lang::ModelValue& model, const PlotOptions& options);
/// Bars of labels, cut to what a reader takes in.
rt::BarChart bars_of(std::vector<std::string> labels, std::vector<rt::BarChart::Series> series);

}  // namespace credence::std_
