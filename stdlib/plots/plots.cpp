// plot and draw, and the files that pictures are saved in.

#include <algorithm>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/data/text_file.hpp"
#include "runtime/plot/diagram.hpp"
#include "runtime/plot/png.hpp"
#include "runtime/prob/declared/hmm.hpp"
#include "runtime/prob/declared/net.hpp"
#include "stdlib/plots/chart_of.hpp"
#include "stdlib/plots/diagram_of_tree.hpp"
#include "stdlib/plots/drawing.hpp"
#include "stdlib/plots/picture_of.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "plots";

Value picture_value(rt::PicturePtr picture) { return Value(Value::Node(std::move(picture))); }

rt::Diagram diagram_of(const rt::Net& whole, std::string title) {
    rt::Diagram out{.title = std::move(title), .nodes = {}, .arcs = {}};
    const rt::Net net = rt::without_steps(whole);
    for (const auto& node : net.nodes) out.nodes.push_back({node.variable.name});
    for (std::size_t n = 0; n < net.nodes.size(); ++n)
        for (const auto parent : net.nodes[n].parents) out.arcs.push_back({rt::index(parent), n});
    return out;
}

rt::Diagram diagram_of(const rt::FunctionGraph& graph, std::string title) {
    rt::Diagram out{.title = std::move(title), .nodes = {}, .arcs = {}};
    for (const auto& q : graph.quantities) out.nodes.push_back({q.kind.empty() ? q.name : q.name + "\n" + q.kind});
    for (const auto& i : graph.influences) {
        out.arcs.push_back({i.from, i.to, i.sign > 0 ? "+" : "-"});
        if (i.sign < 0) out.arcs.back().stroke = rt::Diagram::Stroke::dashed;
    }
    return out;
}

/// States and the moves between them; what is not known has a question mark.
rt::Diagram diagram_of(const rt::Hmm& hmm, std::string title) {
    rt::Diagram out{.title = std::move(title), .nodes = {}, .arcs = {}};
    const std::size_t k = hmm.states->size();
    for (std::size_t s = 0; s < k; ++s) out.nodes.push_back({(*hmm.states)[s].text()});
    for (std::size_t from = 0; from < k; ++from)
        for (std::size_t to = 0; to < k; ++to) {
            if (hmm.move[from].empty())
                out.arcs.push_back({from, to, "?"});
            else if (!hmm.move[from][to].is_zero())
                out.arcs.push_back({from, to, fmt::format("{:.3g}", hmm.move[from][to].real())});
        }
    return out;
}

/// Whether a list is a tree as `parse` gives it: a name, then at least one branch, each a tree or a word.
bool is_tree(const Value& value) {
    const List* items = value.is<ListPtr>() ? value.items() : nullptr;
    if (!items || items->size() < 2 || !(*items)[0].as_label()) return false;
    return std::all_of(items->begin() + 1, items->end(),
                       [](const Value& v) { return v.is<ListPtr>() ? is_tree(v) : v.as_label().has_value(); });
}

std::size_t add_tree(const Value& value, rt::Diagram& out) {
    const std::size_t at = out.nodes.size();
    const List* items = value.is<ListPtr>() ? value.items() : nullptr;
    if (!items) {
        out.nodes.push_back({value.as_label()->text(), rt::Diagram::Shape::plain});
        return at;
    }
    out.nodes.push_back({(*items)[0].as_label()->text(), rt::Diagram::Shape::round});
    for (std::size_t i = 1; i < items->size(); ++i) {
        const std::size_t branch = add_tree((*items)[i], out);
        out.arcs.push_back({.from = at, .to = branch, .arrow = false});
    }
    return at;
}

/// A parse: its tree, or the record that holds it.
std::optional<rt::Diagram> tree_diagram(const Value& value, std::string title) {
    const Value* tree = &value;
    if (const auto* record = value.get<RecordPtr>()) tree = (*record)->find("tree");
    if (!tree || !is_tree(*tree)) return std::nullopt;
    rt::Diagram out;
    out.title = std::move(title);
    add_tree(*tree, out);
    return out;
}

/// A graph, or that of a case: the record that holds it as its function.
const rt::FunctionGraphPtr* graph_in(const Value& value) {
    const Value* graph = &value;
    if (const auto* record = value.get<RecordPtr>()) graph = (*record)->find("function");
    return graph ? graph->get<rt::FunctionGraphPtr>() : nullptr;
}

/// The title of a case that is drawn without one.
std::string own_title(const Value& value) {
    std::string out;
    for (const char* key : {"case", "structure"}) {
        const auto* record = value.get<RecordPtr>();
        const Value* part = record ? (*record)->find(key) : nullptr;
        const auto text = part ? part->as_label() : std::nullopt;
        if (text) out += (out.empty() ? "" : ": ") + text->text();
    }
    return out;
}

bool has_diagram(const Value& value) {
    const auto* model = value.get<ModelValue>();
    return graph_in(value) || tree_diagram(value, "") ||
           (model && (dynamic_cast<const rt::GraphicalModel*>(model->model.get()) != nullptr ||
                      dynamic_cast<const rt::HmmModel*>(model->model.get()) != nullptr ||
                      dynamic_cast<const rt::DecisionTree*>(model->model.get()) != nullptr));
}

/// Of a value that has one.
Result<rt::Diagram> diagram_of(const Value& value, std::string title) {
    if (const auto* graph = graph_in(value)) return diagram_of(**graph, std::move(title));
    if (auto parse = tree_diagram(value, title)) return *std::move(parse);
    const rt::Model* model = value.get<ModelValue>()->model.get();
    if (const auto* tree = dynamic_cast<const rt::DecisionTree*>(model)) return diagram_of_tree(*tree, std::move(title));
    if (const auto* hmm = dynamic_cast<const rt::HmmModel*>(model)) return diagram_of(hmm->hmm(), std::move(title));
    return diagram_of(*dynamic_cast<const rt::GraphicalModel&>(*model).net(), std::move(title));
}

Result<Value> draw(CallContext& c, Value value, std::optional<std::string> title) {
    if (!has_diagram(value)) {
        const auto* model = value.get<ModelValue>();
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} cannot be drawn",
                                            model ? "a model of kind " + std::string(model->model->kind()) : std::string(value.kind())),
                     .origin = c.argument(0),
                     .label = "nets, decision trees, hidden Markov models, graphs, cases with a function and parse trees can be drawn",
                     .hint = model && model->model->kind() == "cases" ? "one case at a time: draw(Library.case(\"name\"))"
                             : model                                  ? ""
                                                                      : "numbers are shown by plot(…)"};
    }
    auto diagram = TRY(diagram_of(value, title ? *title : own_title(value)));
    return picture_value(rt::draw_diagram(std::move(diagram)));
}

/// What a distribution is of, where the argument is a query that says so: `P(mu | e)`.
std::string asked_variable(std::string_view text) {
    if (!text.starts_with("P(")) return {};
    text.remove_prefix(2);
    const auto end = text.find_first_of("|,()=<>+-*/");
    if (end == std::string_view::npos || text[end] == '(' || (text[end] != '|' && text[end] != ')')) return {};
    text = text.substr(0, end);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

/// Which line the chart is compared with.
rt::Status read_line(CallContext& c, const std::optional<Setting>& line, PlotOptions& options) {
    if (!line) return rt::Done{};
    options.compared_line = line->name;
    if (!line->value) return rt::Done{};
    const auto refused = [&] {
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("plot: line is fit, identity, a number or a list of numbers, not {}", line->value->kind()),
                     .origin = c.argument(12)};
    };
    if (const auto* number = line->value->get<rt::Number>()) {
        options.levels = {number->real()};
        return rt::Done{};
    }
    const List* items = line->value->items();
    if (!items || items->empty()) return refused();
    for (const auto& item : *items) {
        const auto* number = item.get<rt::Number>();
        if (!number) return refused();
        options.levels.push_back(number->real());
    }
    return rt::Done{};
}

/// The rows beside a model; a list of numbers is a table with a column x, as in `train`.
Result<rt::TablePtr> data_table(CallContext& c, const std::optional<Value>& data) {
    if (!data) return rt::TablePtr();
    if (const auto* table = data->get<rt::TablePtr>()) return *table;
    const List* items = data->items();
    rt::ColumnBuilder column("x");
    for (std::size_t i = 0; items && i < items->size(); ++i) {
        const auto label = (*items)[i].is<rt::Number>() ? (*items)[i].as_label() : std::nullopt;
        if (!label) {
            items = nullptr;
            break;
        }
        column.add(*label);
    }
    if (!items)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("plot: data must be a table or a list of numbers, found {}", data->kind()),
                     .origin = c.argument(6),
                     .label = fmt::format("this is {}", data->kind())};
    rt::Table out;
    out.row_count = items->size();
    out.columns.push_back(TRY(std::move(column).finish()));
    return std::make_shared<const rt::Table>(std::move(out));
}

Result<Value> plot(CallContext& c, Value value, std::optional<std::string> title, std::optional<Choice> kind, std::optional<ColumnName> x,
                   std::optional<ColumnNames> y, std::optional<Count> bins, std::optional<Value> data, std::optional<Count> width,
                   std::optional<Count> height, std::optional<std::string> x_label, std::optional<std::string> y_label,
                   std::optional<Choice> log, std::optional<Setting> line, std::optional<ColumnNames> bands,
                   std::optional<Probability> interval, std::optional<Positive> size) {
    PlotOptions options;
    options.x_label = std::move(x_label);
    options.y_label = std::move(y_label);
    options.title = title.value_or("");
    options.variable = asked_variable(c.argument_text(0));
    if (kind) options.kind = kind->text;
    if (x) options.x = x->text;
    if (y) options.y = y->texts;
    if (bins) {
        if (bins->value == 0 || bins->value > 1000)
            return Fault{.code = "E-PARAMETER", .message = "plot: bins go from 1 to 1000", .origin = c.argument(5)};
        options.bins = bins->value;
        if (options.kind.empty() && !value.is<ModelValue>()) options.kind = "histogram";
    }
    options.data = TRY(data_table(c, data));
    options.data_is_list = data && !data->is<rt::TablePtr>();
    constexpr std::size_t smallest = 160;
    constexpr std::size_t largest = 4000;
    for (const auto& [extent, place, name] : {std::tuple{width, 7U, "width"}, std::tuple{height, 8U, "height"}})
        if (extent && (extent->value < smallest || extent->value > largest))
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("plot: {} goes from {} to {} (a terminal column is 8, a row 20)", name, smallest, largest),
                         .origin = c.argument(place)};
    if (width) options.width = static_cast<double>(width->value);
    if (height) options.height = static_cast<double>(height->value);
    if (log) options.log = log->text;
    TRY(read_line(c, line, options));
    if (bands) options.bands = bands->texts;
    if (bands && (bands->texts.size() != 2 || !value.is<rt::TablePtr>()))
        return Fault{.code = "E-PARAMETER",
                     .message = "plot: bands names two columns of a table, the lower and the upper end",
                     .origin = c.argument(13),
                     .hint = "plot(t, x: day, y: mean, bands: [low, high])"};
    if (interval && (interval->value.sign() == 0 || interval->value.real() >= 1))
        return Fault{.code = "E-PARAMETER", .message = "plot: an interval holds more than 0 and less than 1", .origin = c.argument(14)};
    if (interval) options.interval = interval->value.real();
    constexpr double largest_scale = 10;
    if (size && size->value.real() > largest_scale)
        return Fault{.code = "E-PARAMETER", .message = "plot: size is at most 10 times the usual one", .origin = c.argument(15)};
    if (size) options.scale = size->value.real();
    options.at_value = c.argument(0);
    options.at_kind = c.argument(2);
    options.at_x = c.argument(3);
    options.at_y = c.argument(4);
    options.at_data = c.argument(6);
    options.at_log = c.argument(11);
    options.at_line = c.argument(12);
    options.at_bands = c.argument(13);
    auto picture = picture_of(c, value, options);
    if (!picture) {
        Fault fault = std::move(picture).fault();
        if (fault.origin == rt::Origin::none) fault.origin = c.argument(0);
        return fault;
    }
    return picture_value(*std::move(picture));
}

/// The numbers a curve is worked out at: those given, or of two an even grid between them.
std::vector<rt::Number> grid_of(const std::vector<rt::Number>& over) {
    if (over.size() != 2) return over;
    constexpr int steps = 100;
    std::vector<rt::Number> out;
    for (int i = 0; i <= steps; ++i) out.push_back(over[0] + (over[1] - over[0]) * rt::Number(rt::Rational(i, steps)));
    return out;
}

Result<Value> plot_function(CallContext& c, Callable f, Interval over, std::optional<std::string> title, std::optional<Count> width,
                            std::optional<Count> height) {
    PlotOptions options;
    options.title = title.value_or("");
    if (width) options.width = static_cast<double>(width->value);
    if (height) options.height = static_cast<double>(height->value);
    rt::XySeries series;
    std::optional<Fault> undefined;  // as P(A | B) where B has probability 0: the curve has a gap there
    const auto grid = grid_of(over.values);
    for (const auto& x : grid) {
        const Value argument(x);
        auto value = c.call(f.function, std::span(&argument, 1));
        if (!value && (value.fault().code == "E-ZERO" || value.fault().code == "E-ARITHMETIC")) {
            if (!undefined) undefined = std::move(value).fault();
            continue;
        }
        if (!value) return std::move(value).fault();
        const auto* y = value->get<rt::Number>();
        if (!y)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("plot draws a function whose values are numbers, and at {} it gives {}", rt::label_text(x),
                                                value->kind()),
                         .origin = c.argument(0)};
        series.x.push_back(x.real());
        series.y.push_back(y->real());
    }
    if (series.x.size() < 2 && undefined) return *std::move(undefined);
    if (series.x.size() < 2)
        return Fault{.code = "E-PARAMETER", .message = "plot: a curve needs at least two numbers to go through", .origin = c.argument(1)};
    constexpr std::size_t few = 30;
    const bool whole = std::all_of(grid.begin(), grid.end(), [](const rt::Number& x) { return x.is_exact() && x.exact().is_integer(); });
    if (whole && grid.size() > 2 && grid.size() <= few &&
        grid.back() - grid.front() == rt::Number(rt::Rational(static_cast<std::int64_t>(grid.size()) - 1)))
        c.note(fmt::format("the curve goes through {} whole numbers; over: [{}, {}] is the interval between them", grid.size(),
                           rt::label_text(grid.front()), rt::label_text(grid.back())));
    if (undefined) c.note(fmt::format("the function has no value at {} of {} points", grid.size() - series.x.size(), grid.size()));
    return picture_value(rt::make_picture(chart_with(options, rt::XyChart{.series = {std::move(series)}})));
}

const rt::DiagramPicture* diagram_picture(const Value& value) {
    const auto* picture = value.get<rt::PicturePtr>();
    return picture ? dynamic_cast<const rt::DiagramPicture*>(picture->get()) : nullptr;
}

void add_picture_formats(Registry& r) {
    r.add_format({.endings = {".svg"},
                  .load = {},
                  .saves = [](const Value& v) { return v.is<rt::PicturePtr>(); },
                  .save = [](CallContext&, const Value& v,
                             const rt::FilePath& path) { return rt::write_file(path, (*v.get<rt::PicturePtr>())->svg()); }});
    r.add_format({.endings = {".png"},
                  .load = {},
                  .saves = [](const Value& v) { return v.is<rt::PicturePtr>(); },
                  .save = [](CallContext&, const Value& v, const rt::FilePath& path) -> rt::Status {
                      const auto bytes = TRY(rt::png_of((*v.get<rt::PicturePtr>())->svg()));
                      return rt::write_file(path, bytes);
                  }});
    r.add_format({.endings = {".dot", ".gv"},
                  .load = {},
                  .saves = [](const Value& v) { return diagram_picture(v) != nullptr || has_diagram(v); },
                  .save = [](CallContext&, const Value& v, const rt::FilePath& path) -> rt::Status {
                      if (const auto* drawn = diagram_picture(v)) return rt::write_file(path, drawn->dot());
                      auto diagram = TRY(diagram_of(v, ""));
                      return rt::write_file(path, rt::DiagramPicture(std::move(diagram)).dot());
                  }});
}

}  // namespace

std::optional<rt::PicturePtr> drawing_of(const Value& value, std::size_t most_nodes) {
    if (!has_diagram(value)) return std::nullopt;
    auto diagram = diagram_of(value, "");
    if (!diagram || diagram->nodes.size() > most_nodes) return std::nullopt;
    return rt::draw_diagram(*std::move(diagram));
}

namespace {

void add_plot(Registry& r) {
    r.add(bind(
        {subject,
         "plot",
         {{"value"},
          {"title", "none"},
          {"kind", "by the value", {"bars", "lines", "steps", "scatter", "histogram", "heat", "stacked", "forest", "traces"}},
          {"x", "by the table"},
          {"y", "by the table"},
          {"bins", "by the data"},
          {"data", "none"},
          {"width", "640"},
          {"height", "by the chart"},
          {"x_label", "by the value"},
          {"y_label", "by the value"},
          {"log", "none", {"x", "y", "both"}},
          {"line", "none", {}, {{"fit"}, {"identity"}}, "a number or a list of numbers"},
          {"bands", "none"},
          {"interval", "95% of a posterior"},
          {"size", "1"}},
         "A picture of a value. Factors, records and distributions over labels are bars, densities and lists are lines, tables lines or "
         "points, factors over two variables heat maps, distributions step by step (smooth, filter) stacked shares. roc, calibration and "
         "learning_curve have charts of their own. A net or a posterior shows the probabilities in its nodes; of numbers it shows "
         "intervals (kind: forest) or chains (traces), and with x: NAME the density of one beside its prior. A regression shows its fit or "
         "its residuals, a mixture its density and components (with `data`, over their histogram), another trained model what it says over "
         "its number features (with the table `data` that gives the ranges). log: axes of logarithms; line: a line to compare with; bands: "
         "two columns of a table; interval: the share that is set off; size: of marks "
         "and lines. save(plot(…), \"x.svg\") writes the picture to a file, \"x.png\" as pixels.",
         "plot({a: 1, b: 3}) == plot({a: 1, b: 3}, kind: bars)"},
        plot));
    r.add(bind({subject,
                "plot",
                {{"f"}, {"over"}, {"title", "none"}, {"width", "640"}, {"height", "chosen by the chart"}},
                "The curve of a function of one number, over the numbers of a list. A list of two numbers, such as 0..1, means the "
                "interval between them.",
                "plot(x -> x^2, 0..1) == plot(x -> x^2, 0..1)"},
               plot_function));
}

void add_draw(Registry& r) {
    r.add(bind(
        {subject,
         "draw",
         {{"model"}, {"title", "none"}},
         "A picture of a net, a decision tree, the states of a hidden Markov model, a graph or a parse, laid out in layers. save(draw(…), "
         "\"x.svg\") writes it to a file; use \"x.dot\" for Graphviz.",
         "draw(Weather) == draw(Weather)"},
        +[](CallContext& c, ModelValue model, std::optional<std::string> title) {
            return draw(c, Value(Value::Node(std::move(model))), title);
        }));
    r.add(bind({subject,
                "draw",
                {{"value"}, {"title", "none"}},
                "A picture of a graph, a case's function or a parse tree, laid out in layers.",
                "draw(graph { A ->+ B }) == draw(graph { A ->+ B })"},
               draw));
}

}  // namespace

void add_plots(Registry& r) {
    add_plot(r);
    add_draw(r);
    r.add_member("plot", bind(
                             {subject, "svg", {{"p"}}, "The picture as the text of an SVG file.", "contains(plot([1, 2]).svg, \"<svg\")"},
                             +[](CallContext& c, Value v) -> Result<Value> {
                                 const auto* picture = v.get<rt::PicturePtr>();
                                 if (!picture) return Fault{.code = "E-TYPE", .message = "a plot is needed here", .origin = c.argument(0)};
                                 return Value::text((*picture)->svg());
                             }));
    add_picture_formats(r);
}

}  // namespace credence::std_
