// What is believed of the variables of a net or a posterior: bars in its nodes, densities, intervals, traces.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/plot/diagram.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/distributions/samples.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "stdlib/plots/picture_of.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Attempt;
using rt::Fault;
using rt::Result;
using rt::XySeries;

namespace {

constexpr double usual_interval = 0.95;

/// A variable that the evidence leaves open, with the answer to P(X).
struct Belief {
    rt::VarId id{};
    std::string name;
    rt::Answer answer;

    const rt::Factor* factor() const { return std::get_if<rt::Factor>(&answer.value); }
    const rt::Distribution* distribution() const {
        const auto* d = std::get_if<rt::DistributionPtr>(&answer.value);
        return d ? d->get() : nullptr;
    }
    /// Whether it is a number with a density.
    bool is_real() const { return distribution() && distribution()->support() == rt::Support::reals; }
};

Result<rt::Answer> answer_for(CallContext& c, const rt::Model& model, rt::VarId id) {
    if (c.run().stopped()) return rt::stopped_fault();
    rt::Query query;
    query.targets.free.push_back(id);
    c.run().rng = c.rng().child("query");
    return model.ask(query, c.run());
}

Result<std::vector<Belief>> beliefs_of(CallContext& c, const rt::Model& model, const std::vector<rt::VarId>& ids) {
    std::vector<Belief> out;
    for (const auto id : ids) {
        auto answer = TRY(answer_for(c, model, id));
        for (const auto& note : answer.notes) c.note(note);
        out.push_back({id, model.variables()[rt::index(id)].variable.name, std::move(answer)});
    }
    return out;
}

/// The variable of the same name in the model without the evidence.
std::optional<rt::VarId> same_variable(const rt::Model& model, const std::string& name) {
    for (std::size_t i = 0; i < model.variables().size(); ++i)
        if (model.variables()[i].variable.name == name) return static_cast<rt::VarId>(i);
    return std::nullopt;
}

double number_of(const Result<rt::Number>& number) { return number ? number->real() : std::nan(""); }

// --- one variable -----------------------------------------------------------------------------------------------------

/// The density, with the middle share of it set off and the prior behind it.
Result<rt::Chart> density_with_prior(CallContext& c, const rt::Model& model, const Belief& belief, const PlotOptions& options) {
    const auto& d = *belief.distribution();
    auto low = TRY(d.quantile(rt::Number::real(0.001)));
    auto high = TRY(d.quantile(rt::Number::real(0.999)));
    rt::Range range = rt::widened({low.real(), high.real()});
    const double pad = (range.high - range.low) * 0.15;
    range = {range.low - pad, range.high + pad};
    rt::XyChart body{.series = {}, .from_zero = true};
    const auto prior = rt::prior_of(model);
    std::optional<rt::Answer> before;
    if (prior)
        if (const auto id = same_variable(*prior, belief.name))
            if (auto answer = answer_for(c, *prior, *id)) before = *std::move(answer);  // an improper prior has no curve
    if (const auto* p = before ? std::get_if<rt::DistributionPtr>(&before->value) : nullptr; p && (*p)->support() == rt::Support::reals) {
        // A bounded number, such as a probability, has no density beyond its ends.
        const auto least = (*p)->quantile(rt::Number(0));
        const auto most = (*p)->quantile(rt::Number(1));
        if (least && std::isfinite(least->real())) range.low = std::max(range.low, least->real());
        if (most && std::isfinite(most->real())) range.high = std::min(range.high, most->real());
        auto curve = TRY(density_curve(**p, range, 241));
        curve.name = "prior";
        curve.color = rt::quiet_color;
        curve.dashed = true;
        body.series.push_back(std::move(curve));
    }
    auto curve = TRY(density_curve(d, range, 241));
    curve.name = prior ? "posterior" : "density";
    curve.color = 0;
    body.series.push_back(std::move(curve));
    auto band = TRY(interval_band(d, options.interval.value_or(usual_interval)));
    body.series.push_back(std::move(band));
    return chart_with(options, std::move(body), belief.name, "density");
}

/// The probabilities of a label beside those before the evidence.
Result<rt::Chart> bars_with_prior(CallContext& c, const rt::Model& model, const Belief& belief, const PlotOptions& options) {
    auto chart = TRY(chart_of_factor(*belief.factor(), options));
    auto* bars = std::get_if<rt::BarChart>(&chart.body);
    const auto prior = rt::prior_of(model);
    const auto id = prior ? same_variable(*prior, belief.name) : std::nullopt;
    if (!bars || !id) return chart;
    auto before = TRY(answer_for(c, *prior, *id));
    const auto* factor = std::get_if<rt::Factor>(&before.value);
    if (!factor || factor->size() != belief.factor()->size()) return chart;
    auto values = factor->doubles();
    values.resize(bars->labels.size());
    bars->series.front().name = "posterior";
    bars->series.push_back({"prior", std::move(values)});
    return chart;
}

Result<rt::Chart> chart_of_belief(CallContext& c, const rt::Model& model, const Belief& belief, const PlotOptions& options) {
    const bool plain = !options.kind.empty() && options.kind != "lines";
    if (belief.is_real() && !plain) return density_with_prior(c, model, belief, options);
    if (belief.factor() && belief.factor()->variables().size() == 1 && (options.kind.empty() || options.kind == "bars"))
        return bars_with_prior(c, model, belief, options);
    PlotOptions named = options;
    named.variable = belief.name;
    if (belief.factor()) return chart_of_factor(*belief.factor(), named);
    if (belief.distribution()) return chart_of_distribution(*belief.distribution(), named);
    return Fault{.code = "E-TYPE", .message = fmt::format("{} is neither a label nor a number", belief.name), .origin = options.at_x};
}

// --- several numbers --------------------------------------------------------------------------------------------------

Result<rt::Chart> forest_of(const std::vector<const Belief*>& numbers, const PlotOptions& options) {
    const double outer = options.interval.value_or(usual_interval);
    rt::IntervalChart body;
    for (const auto* belief : numbers) {
        const auto at = [&](double p) { return number_of(belief->distribution()->quantile(rt::Number::real(p))); };
        body.rows.push_back({.label = belief->name,
                             .low = at((1 - outer) / 2),
                             .inner_low = at(0.25),
                             .middle = at(0.5),
                             .inner_high = at(0.75),
                             .high = at((1 + outer) / 2)});
    }
    return chart_with(options, std::move(body), fmt::format("median, 50 % and {:.6g} % intervals", outer * 100));
}

/// The draws of each number in the order of drawing, a line for each chain.
Result<rt::PicturePtr> traces_of(const std::vector<const Belief*>& numbers, const PlotOptions& options) {
    constexpr std::size_t most_points = 500;
    std::vector<rt::Chart> charts;
    for (const auto* belief : numbers) {
        const auto* drawn = rt::drawn_values(*belief->distribution());
        std::size_t chains = 1;
        for (const auto& [name, value] : belief->answer.counts)
            if (name == "chains") chains = static_cast<std::size_t>(value.real());
        if (!drawn || belief->answer.engine != "nuts") continue;
        const std::size_t length = drawn->size() / chains;
        const std::size_t every = (length + most_points - 1) / most_points;
        rt::XyChart body;
        for (std::size_t k = 0; k < chains; ++k) {
            XySeries line{.name = fmt::format("chain {}", k + 1), .x = {}, .y = {}};
            for (std::size_t i = 0; i < length; i += every) {
                line.x.push_back(static_cast<double>(i + 1));
                line.y.push_back((*drawn)[k * length + i]);
            }
            body.series.push_back(std::move(line));
        }
        charts.push_back({.x_label = "draw", .y_label = belief->name, .scale = 0.5 * options.scale, .body = std::move(body)});
    }
    if (charts.empty())
        return Fault{
            .code = "E-TYPE",
            .message = "no number was sampled, so there are no chains to trace",
            .origin = options.at_kind,
            .hint = "the answer is exact; plot(post, kind: forest) shows intervals. A query can be sampled: P(* | …) by nuts(4000)"};
    return rt::make_panels(options.title, std::move(charts));
}

// --- a net with its probabilities -------------------------------------------------------------------------------------

constexpr std::size_t most_bars = 8;

std::vector<rt::Diagram::Bar> bars_in_node(const rt::Factor& f) {
    std::vector<rt::Diagram::Bar> out;
    const auto values = f.doubles();
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (values.size() > most_bars) {  // the most probable ones, in their own order
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
        order.resize(most_bars - 1);
        std::sort(order.begin(), order.end());
    }
    double rest = 1;
    for (const auto i : order) {
        rest -= values[i];
        out.push_back({f.labels(i)[0].text(), values[i], fmt::format("{:.1f}%", values[i] * 100)});
    }
    if (order.size() < values.size()) {
        const double share = std::max(0.0, rest);
        out.push_back({fmt::format("{} more", values.size() - order.size()), share, fmt::format("{:.1f}%", share * 100)});
    }
    return out;
}

rt::Diagram::Node node_of(const Belief& belief) {
    rt::Diagram::Node out{belief.name};
    if (const auto* f = belief.factor(); f && f->variables().size() == 1) out.bars = bars_in_node(*f);
    const auto* d = belief.distribution();
    if (!d || !(d->support() == rt::Support::reals || d->support() == rt::Support::integers)) return out;
    const auto real = [](const Result<rt::Outcome>& outcome) {
        const auto* n = outcome ? std::get_if<rt::Number>(&*outcome) : nullptr;
        return n ? n->real() : std::nan("");
    };
    const double mean = real(d->mean());
    const double variance = real(d->variance());
    if (std::isfinite(mean) && std::isfinite(variance))
        out.label += fmt::format("\n{} ± {}", rt::short_number(mean), rt::short_number(std::sqrt(variance)));
    else
        out.label += fmt::format("\nmedian {}", rt::short_number(number_of(d->quantile(rt::Rational(1, 2)))));
    return out;
}

rt::Diagram net_with_beliefs(const rt::Model& model, const rt::GraphicalModel& graph, const std::vector<Belief>& beliefs,
                             const PlotOptions& options) {
    rt::Diagram out{.title = options.title, .nodes = {}, .arcs = {}};
    const rt::Net net = rt::without_steps(*graph.net());
    for (const auto& node : net.nodes) {
        const auto belief = std::find_if(beliefs.begin(), beliefs.end(), [&](const Belief& b) { return b.name == node.variable.name; });
        const auto id = same_variable(model, node.variable.name);
        const auto value = id ? rt::observed_value(model, *id) : std::nullopt;
        if (value) {
            out.nodes.push_back({.label = fmt::format("{} = {}", node.variable.name, value->text()), .observed = true});
        } else if (belief != beliefs.end()) {
            out.nodes.push_back(node_of(*belief));
        } else {
            out.nodes.push_back({node.variable.name});
        }
    }
    for (std::size_t n = 0; n < net.nodes.size(); ++n)
        for (const auto parent : net.nodes[n].parents) out.arcs.push_back({rt::index(parent), n});
    return out;
}

Fault choose_one(const std::vector<Belief>& beliefs, const PlotOptions& options) {
    std::vector<std::string> names;
    for (const auto& b : beliefs) names.push_back(b.name);
    constexpr std::size_t most_names = 8;
    if (names.size() > most_names) names.resize(most_names);
    return {.code = "E-ARGUMENT",
            .message = fmt::format("the model has {}, and a plot shows one of them", rt::counted(beliefs.size(), "variable")),
            .origin = options.at_value,
            .hint = fmt::format("name one: plot(…, x: {}); there are {}", names.front(), rt::joined(names, ", "))};
}

bool has_beliefs(const rt::Model& model) {
    constexpr std::array<std::string_view, 4> kinds = {"net", "markov", "hypotheses", "posterior"};
    return rt::contains(kinds, model.kind()) && !model.predictor();
}

/// Null if the model has no arcs to draw, or is one node.
const rt::GraphicalModel* graph_of(const rt::Model& model) {
    const auto base = rt::prior_of(model);
    const auto* graph = dynamic_cast<const rt::GraphicalModel*>(base ? base.get() : &model);
    return graph && model.variables().size() > 1 ? graph : nullptr;
}

}  // namespace

bool is_drawn_with_beliefs(const rt::Model& model) { return has_beliefs(model) && graph_of(model); }

Attempt<rt::PicturePtr> picture_of_beliefs(CallContext& c, const rt::Model& model, const PlotOptions& options) {
    if (!has_beliefs(model) || options.data) return rt::not_applicable;
    if (auto ready = model.check_trained(); !ready) return std::move(ready).fault();
    const auto finished = [&](Result<rt::Chart> chart) -> Attempt<rt::PicturePtr> {
        auto made = TRY(std::move(chart));
        auto whole = TRY(finished_chart(std::move(made), options));
        return rt::make_picture(std::move(whole));
    };
    if (options.x) {
        const auto id = same_variable(model, *options.x);
        if (!id || !rt::is_listed(model, *id)) {
            std::vector<std::string> names;
            for (const auto v : rt::open_variables(model)) names.push_back(model.variables()[rt::index(v)].variable.name);
            return Fault{.code = "E-NAME",
                         .message = fmt::format("the model has no variable {}", *options.x),
                         .origin = options.at_x,
                         .label = fmt::format("it has {}", rt::joined(names, ", "))};
        }
        auto beliefs = TRY(beliefs_of(c, model, {*id}));
        if (options.kind == "traces") {
            if (!beliefs[0].is_real()) return not_that_kind(options, beliefs[0].name + " is not a number and", "bars");
            return traces_of({&beliefs[0]}, options);
        }
        return finished(chart_of_belief(c, model, beliefs[0], options));
    }
    const auto ids = rt::open_variables(model);
    constexpr std::size_t most_variables = 150;
    if (ids.empty()) return Fault{.code = "E-EMPTY", .message = "the evidence leaves nothing open to plot", .origin = options.at_value};
    if (ids.size() > most_variables)
        return Fault{.code = "E-COST",
                     .message = fmt::format("a picture of {} variables cannot be read", ids.size()),
                     .origin = options.at_value,
                     .hint = "name one: plot(…, x: NAME); draw(NET) shows the arcs alone"};
    auto beliefs = TRY(beliefs_of(c, model, ids));
    std::vector<const Belief*> numbers;
    for (const auto& b : beliefs)
        if (b.is_real()) numbers.push_back(&b);
    if (options.kind == "forest" || options.kind == "traces") {
        if (numbers.empty())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("a plot of kind {} shows numbers with a density, and the model has none", options.kind),
                         .origin = options.at_kind};
        if (options.kind == "traces") return traces_of(numbers, options);
        return finished(forest_of(numbers, options));
    }
    const auto* graph = graph_of(model);
    if (beliefs.size() == 1 && (!graph || !numbers.empty() || !options.kind.empty()))
        return finished(chart_of_belief(c, model, beliefs[0], options));
    if (!options.kind.empty()) return choose_one(beliefs, options);
    if (numbers.size() == beliefs.size()) return finished(forest_of(numbers, options));
    if (!graph) return choose_one(beliefs, options);
    return rt::draw_diagram(net_with_beliefs(model, *graph, beliefs, options));
}

}  // namespace credence::std_
