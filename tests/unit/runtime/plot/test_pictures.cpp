// Ticks, bins, and what every picture promises: well-formed SVG, lines within the width, the same bytes each time.

#include <algorithm>
#include <cmath>
#include <sstream>

#include <catch2/catch.hpp>

#include "runtime/plot/binning.hpp"
#include "runtime/plot/chart.hpp"
#include "runtime/plot/diagram.hpp"
#include "runtime/plot/svg.hpp"
#include "runtime/plot/text_grid.hpp"
#include "runtime/plot/ticks.hpp"

using namespace credence::rt;

namespace {

/// Empty where the text is a well-formed XML element with only the entities of XML, else what is wrong.
std::string xml_problem(const std::string& text) {
    std::vector<std::string> open;
    std::size_t i = 0;
    const auto entity_ok = [&](std::size_t at) {
        for (const std::string name : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
            if (text.compare(at, name.size(), name) == 0) return true;
        return false;
    };
    bool closed_root = false;
    while (i < text.size()) {
        if (text[i] == '&' && !entity_ok(i)) return "bare & at " + std::to_string(i);
        if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n') return "control character at " + std::to_string(i);
        if (text[i] != '<') {
            if (open.empty() && text[i] != '\n') return "text outside the root";
            if (text[i] == '>') return "bare > at " + std::to_string(i);
            ++i;
            continue;
        }
        if (closed_root) return "a second root";
        std::size_t end = i + 1;
        char quote = 0;
        while (end < text.size() && (quote != 0 || text[end] != '>')) {
            if (text[end] == '<') return "< inside a tag at " + std::to_string(end);
            if (text[end] == '&' && !entity_ok(end)) return "bare & at " + std::to_string(end);
            if (text[end] == '"') quote = quote == 0 ? '"' : 0;
            ++end;
        }
        if (end == text.size()) return "a tag that does not end";
        const std::string tag = text.substr(i + 1, end - i - 1);
        const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
        if (tag[0] == '/') {
            if (open.empty() || open.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
            open.pop_back();
            closed_root = open.empty();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
        i = end + 1;
    }
    return open.empty() && closed_root ? "" : "not closed";
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

const std::string hostile = "a<b & \"c\"\x1b[31m 'd'> a label much longer than any axis has room for, on and on";

void check_picture(const PicturePtr& picture) {
    const std::string svg = picture->svg();
    CHECK(xml_problem(svg) == "");
    CHECK(svg == picture->svg());
    CHECK(svg.find("\"nan") == std::string::npos);
    CHECK(svg.find("\"inf") == std::string::npos);
    for (const bool unicode : {true, false})
        for (const std::size_t width : {40U, 80U, 120U}) {
            const std::string text = picture->text({.unicode = unicode, .width = width});
            CHECK(text == picture->text({.unicode = unicode, .width = width}));
            REQUIRE(!text.empty());
            CHECK(text.back() == '\n');
            for (const auto& line : lines_of(text)) {
                INFO(text);
                CHECK(columns_of(line) <= width);
                CHECK((line.empty() || line.back() != ' '));
                CHECK(line.find('\x1b') == std::string::npos);
                if (!unicode) CHECK(std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
            }
        }
}

std::vector<double> range(double from, double to, std::size_t n) {
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(n - 1));
    return out;
}

}  // namespace

TEST_CASE("ticks are 1, 2 or 5 times a power of ten, within the range and few enough") {
    CHECK(ticks_on({0, 1}, 6).text == std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
    CHECK(ticks_on({0, 10}, 6).text == std::vector<std::string>{"0", "2", "4", "6", "8", "10"});
    CHECK(ticks_on({-3, 47}, 6).text == std::vector<std::string>{"0", "10", "20", "30", "40"});
    CHECK(ticks_on({0, 0.3}, 4).at == std::vector<double>{0, 0.1, 0.2, 0.3});  // 3/10, not 3 times 0.1
    for (const double low : {-1e9, -12.5, -1e-7, 0.0, 3.14159, 9.99e5})
        for (const double width : {1e-8, 0.07, 1.0, 6.66, 1234.5, 2e12})
            for (const std::size_t most : {2U, 5U, 9U}) {
                const Range r{low, low + width};
                if (!(r.high > r.low)) continue;
                if (width < std::abs(low) * 1e-9) continue;
                const Ticks t = ticks_on(r, most);
                INFO(low << " " << width << " " << most);
                CHECK(t.at.size() <= most);
                CHECK(t.at.size() == t.text.size());
                const double mantissa = t.step / std::pow(10.0, std::floor(std::log10(t.step) + 1e-9));
                CHECK((mantissa == Approx(1) || mantissa == Approx(2) || mantissa == Approx(5)));
                for (const double at : t.at) CHECK((at >= r.low - t.step * 1e-6 && at <= r.high + t.step * 1e-6));
                auto texts = t.text;
                CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
                const Range out = out_to_ticks(r, most);
                CHECK((out.low <= r.low + t.step * 1e-6 && out.high >= r.high - t.step * 1e-6));
            }
    CHECK(widened({2, 2}).low < 2);
    CHECK(widened({0, 0}).high > 0);
}

TEST_CASE("bins count every value once") {
    const std::vector<double> values{1, 2, 2, 3, 3, 3, 10};
    const Binned whole = binned(values, std::nullopt);
    CHECK(whole.counts == std::vector<double>{1, 2, 3, 0, 0, 0, 0, 0, 0, 1});
    CHECK(whole.edges.front() == 0.5);
    const Binned three = binned(values, 3);  // [1, 4) [4, 7) [7, 10], as numpy.histogram(values, 3) has it
    CHECK(three.edges == std::vector<double>{1, 4, 7, 10});
    CHECK(three.counts == std::vector<double>{6, 0, 1});
    const Binned one = binned(std::vector<double>{0.25, 0.25}, std::nullopt);
    CHECK(one.counts.size() + 1 == one.edges.size());
    double total = 0;
    for (const double c : binned(range(0, 1, 333), std::nullopt).counts) total += c;
    CHECK(total == 333);
}

TEST_CASE("every chart is well-formed and keeps to its width, also with hostile labels") {
    const double nan = std::nan("");
    Chart chart{.title = hostile, .x_label = hostile, .y_label = "y & <y>"};
    SECTION("bars") {
        chart.body = BarChart{{"a", hostile, "日本語"}, {{"first", {0.2, 0.5, 0.3}}}};
        check_picture(make_picture(chart));
        chart.body = BarChart{{"a", "b"}, {{hostile, {-1, 2}}, {"second", {3, nan}}, {"third", {0, INFINITY}}}, 7};
        check_picture(make_picture(chart));
    }
    SECTION("lines, steps and points") {
        chart.body = XyChart{.series = {{"one", range(0, 1, 50), range(5, -3, 50)},
                                        {hostile, {0, 1}, {nan, 1}, XySeries::Mark::steps},
                                        {"three", {0.5}, {2}, XySeries::Mark::points}}};
        check_picture(make_picture(chart));
        XySeries band{"band", {0, 1, 2}, {0, -1, nan}, XySeries::Mark::band};
        band.y_high = {1, 2, 3};
        XySeries compared{hostile, {0, 2}, {1, 1}};
        compared.dashed = true;
        chart.body = XyChart{.series = {band, compared, {"line", {0, 1, 2}, {1, 3, 2}}}};
        check_picture(make_picture(chart));
        chart.body = XyChart{.series = {{"", {0.001, 1, 1000, -3}, {1, 0, 1e5, 4}}}, .from_zero = true, .log_x = true, .log_y = true};
        check_picture(make_picture(chart));
        chart.body = XyChart{.series = {{"", {3}, {3}}}};
        check_picture(make_picture(chart));
        chart.body = XyChart{.series = {{"", {1, 2}, {nan, nan}}}};
        check_picture(make_picture(chart));
    }
    SECTION("columns") {
        chart.body = ColumnChart{range(0, 10, 11), {1, 2, 3, 4, 5, 4, 3, 2, 1, 0}};
        check_picture(make_picture(chart));
        chart.body = ColumnChart{{0, 1, 2}, {-1, 3}, true};
        check_picture(make_picture(chart));
    }
    SECTION("shares by step") {
        chart.body = StackedChart{{{"a", {0.2, 0.5, 1}}, {hostile, {0.8, 0.5, 0}}}};
        check_picture(make_picture(chart));
        chart.body = StackedChart{{{"a", {nan}}}};
        check_picture(make_picture(chart));
        chart.body = StackedChart{{{"a", std::vector<double>(1000, 0.25)}, {"b", std::vector<double>(1000, 0.75)}}};
        check_picture(make_picture(chart));
    }
    SECTION("intervals") {
        chart.body = IntervalChart{{{"a", -1, 0, 0.5, 1, 2}, {hostile, 0, 0, 0, 0, 0}, {"c", 1, 1.5, 2, nan, nan}}, 0.25};
        check_picture(make_picture(chart));
    }
    SECTION("panels") {
        chart.body = XyChart{.series = {{"one", {0, 1, 2}, {3, 1, 2}}}};
        check_picture(make_panels(hostile, {chart, chart, chart}));
        check_picture(make_panels("", {chart}));
    }
    SECTION("heat maps") {
        chart.body = HeatMap{hostile, "columns", {"a", hostile}, {"x", "y", hostile}, {1, 2, 3, 4, 5, nan}};
        check_picture(make_picture(chart));
        HeatMap wide{"", "", {"r"}, {}, {}};
        for (int i = 0; i < 300; ++i) {
            wide.columns.push_back("column " + std::to_string(i));
            wide.values.push_back(i);
        }
        chart.body = wide;
        check_picture(make_picture(chart));
    }
    SECTION("surfaces") {
        SurfaceChart surface{.x_cells = 3, .y_cells = 2, .values = {0, 1, 1, 0, 0, 1}, .classes = {"no", hostile}};
        surface.points = {{"no", {0.1}, {0.1}, XySeries::Mark::points}, {hostile, {0.9}, {0.2}, XySeries::Mark::points}};
        chart.body = surface;
        check_picture(make_picture(chart));
        surface.classes.clear();
        surface.points.clear();
        surface.values = {0.5, 1.5, -2, nan, 3, 4};
        chart.body = surface;
        check_picture(make_picture(chart));
    }
}

TEST_CASE("every diagram is well-formed and keeps to its width") {
    Diagram diagram{
        .title = hostile, .nodes = {{"A"}, {"two\nlines", Diagram::Shape::box}, {hostile}, {"leaf", Diagram::Shape::plain}}, .arcs = {}};
    diagram.arcs = {{0, 1, "yes"}, {0, 2, hostile}, {1, 3}, {2, 3, "", Diagram::Stroke::dashed}, {3, 0}, {1, 1, "again"}, {0, 1}};
    check_picture(draw_diagram(diagram));
    check_picture(draw_diagram({.title = "", .nodes = {{"alone"}}, .arcs = {}}));
    Diagram wide;
    for (std::size_t i = 0; i < 40; ++i) {
        wide.nodes.push_back({"node " + std::to_string(i)});
        if (i > 0) wide.arcs.push_back({(i - 1) / 9, i, "branch"});
    }
    check_picture(draw_diagram(wide));  // a tree too wide for boxes
    wide.arcs.push_back({0, 39});
    check_picture(draw_diagram(wide));
}

TEST_CASE("bars in the nodes of a diagram") {
    Diagram diagram;
    diagram.nodes = {{.label = hostile, .bars = {{"yes", 0.25, "25.0%"}, {hostile, 0.75, "75.0%"}}},
                     {.label = "seen = yes", .observed = true}};
    diagram.arcs = {{0, 1}};
    check_picture(draw_diagram(diagram));
    const auto text =
        draw_diagram({.title = "", .nodes = {{.label = "A", .bars = {{"yes", 0.25, "25.0%"}, {"no", 1, "75.0%"}}}}, .arcs = {}})
            ->text({.unicode = true, .width = 80});
    CHECK(text ==
          "┌────────────────────┐\n"
          "│         A          │\n"
          "│ yes ██       25.0% │\n"
          "│ no  ████████ 75.0% │\n"
          "└────────────────────┘\n");
}

TEST_CASE("colours take no room, and nothing else of the text changes") {
    const Chart chart{.title = "t", .body = XyChart{.series = {{"one", range(0, 1, 50), range(5, -3, 50)}, {"two", {0, 1}, {0, 1}}}}};
    const Chart bars{.body = BarChart{{"a", "b"}, {{"first", {1, 2}}, {"second", {2, 1}}}}};
    for (const auto& picture : {make_picture(chart), make_picture(bars), make_panels("", {chart, chart})}) {
        const std::string plain = picture->text({.width = 120});
        const std::string colored = picture->text({.width = 120, .color = true});
        CHECK(colored != plain);
        std::string without;
        for (std::size_t i = 0; i < colored.size(); ++i)
            if (colored[i] == '\x1b')
                i = colored.find('m', i);
            else
                without += colored[i];
        CHECK(without == plain);
    }
}

TEST_CASE("ticks of an axis of logarithms") {
    CHECK(log_ticks_on({0, 3}, 6).text == std::vector<std::string>{"1", "10", "100", "1000"});
    CHECK(log_ticks_on({0, 1}, 8).text == std::vector<std::string>{"1", "2", "5", "10"});
    CHECK(log_ticks_on({-6, 6}, 5).text.size() <= 5);
    for (const double at : log_ticks_on({std::log10(20.0), std::log10(80.0)}, 5).at)
        CHECK((at >= std::log10(20.0) - 1e-9 && at <= std::log10(80.0) + 1e-9));
    CHECK(log_ticks_on({std::log10(20.0), std::log10(80.0)}, 5).at.size() >= 2);
}

TEST_CASE("a diagram in characters shows junctions and heads") {
    Diagram d{.title = "", .nodes = {{"B"}, {"E"}, {"Alarm"}}, .arcs = {{0, 2}, {1, 2}}};
    CHECK(draw_diagram(d)->text({.unicode = true, .width = 80}) ==
          "┌───┐  ┌───┐\n"
          "│ B │  │ E │\n"
          "└─┬─┘  └─┬─┘\n"
          "  └──┐ ┌─┘\n"
          "     ▼ ▼\n"
          "  ┌───────┐\n"
          "  │ Alarm │\n"
          "  └───────┘\n");
    const DiagramPicture dot{{.title = "N", .nodes = {{"a \"b\""}, {"c"}}, .arcs = {{0, 1, "x"}}}};
    CHECK(dot.dot() ==
          "digraph \"N\" {\n"
          "  n1 [label=\"a \\\"b\\\"\", shape=ellipse];\n"
          "  n2 [label=\"c\", shape=ellipse];\n"
          "  n1 -> n2 [label=\"x\"];\n"
          "}\n");
}

TEST_CASE("texts are cut by columns, not by bytes") {
    CHECK(columns_of("日本") == 4);
    CHECK(columns_of("e\xCC\x81t\xC3\xA9") == 3);
    CHECK(shortened("abcdef", 4, true) == "abc…");
    CHECK(shortened("abcdef", 4, false) == "ab..");
    CHECK(shortened("naïve", 5, false) == "na?ve");
    CHECK(svg_number(-0.001) == "0");
    CHECK(svg_number(2.50) == "2.5");
}
