#include "runtime/plot/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "runtime/plot/text_grid.hpp"

namespace credence::rt {

namespace {

// After Okabe & Ito's palette, which people of all kinds of colour vision tell apart; the dark one is the same hues, lighter.
constexpr std::array<std::string_view, palette_size> on_light{"#0072b2", "#d55e00", "#009e73", "#b8589a",
                                                              "#d08f00", "#3a9bd9", "#7a6a00", "#666666"};
constexpr std::array<std::string_view, palette_size> on_dark{"#4fa9e6", "#ff8a4a", "#2fc79b", "#e39cc5",
                                                             "#f3b73c", "#93d2ff", "#d9c84a", "#b0b0b0"};

std::string palette_rules(const std::array<std::string_view, palette_size>& colours) {
    std::string out;
    for (std::size_t i = 0; i < colours.size(); ++i) out += fmt::format(".cr .f{0}{{fill:{1}}}.cr .l{0}{{stroke:{1}}}", i, colours[i]);
    return out;
}

std::string style_sheet() {
    std::string out =
        ".cr{color:#1b1f24;font-family:Inter,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:12px}"
        ".cr .bg{fill:#fff}.cr text{fill:currentColor}.cr .n{font-size:11px}.cr .tt{font-size:15px;font-weight:600}"
        ".cr .ax{stroke:currentColor;stroke-width:1;fill:none}.cr .gr{stroke:currentColor;stroke-opacity:.14;stroke-width:1;fill:none}"
        ".cr .ln{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.cr .pt{fill-opacity:.8}.cr .area{fill-opacity:.22}"
        ".cr .node{fill:#f1f5f9;stroke:currentColor;stroke-width:1.2}.cr .seen{fill:#fdeccf}.cr "
        ".rest{fill:currentColor;fill-opacity:.1}.cr "
        ".arc{fill:none;stroke:currentColor;stroke-opacity:.75;stroke-width:1.3}"
        ".cr .tip{fill:currentColor;fill-opacity:.85}";
    out += palette_rules(on_light);
    out += "@media(prefers-color-scheme:dark){.cr{color:#e6e8eb}.cr .bg{fill:#15181d}.cr .node{fill:#232a33}.cr .seen{fill:#4a3a1c}";
    out += palette_rules(on_dark);
    return out + "}";
}

std::string more_of(std::string_view more) { return more.empty() ? std::string() : " " + std::string(more); }

}  // namespace

std::string svg_number(double x) {
    if (!std::isfinite(x)) return "0";
    std::string out = fmt::format("{:.2f}", x);
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
    return out == "-0" ? "0" : out;
}

std::string svg_escaped(std::string_view text) {
    std::string out;
    for (const auto& c : characters_of(text)) {
        if (c == "&")
            out += "&amp;";
        else if (c == "<")
            out += "&lt;";
        else if (c == ">")
            out += "&gt;";
        else if (c == "\"")
            out += "&quot;";
        else if (c == "'")
            out += "&#39;";
        else
            out += c;
    }
    return out;
}

double svg_text_width(std::string_view text, double size) {
    double em = 0;
    for (const auto& c : characters_of(text)) {
        if (c.size() > 1)
            em += static_cast<double>(columns_of(c)) * 0.62;
        else if (std::string_view("iljtfI.,:;'|!() []").find(c[0]) != std::string_view::npos)
            em += 0.36;
        else if (std::string_view("mwMW@%").find(c[0]) != std::string_view::npos)
            em += 0.92;
        else
            em += c[0] >= 'A' && c[0] <= 'Z' ? 0.7 : 0.6;
    }
    return em * size;
}

std::string svg_shortened(std::string_view text, double width, double size) {
    const std::size_t all = columns_of(text);
    std::string out = shortened(text, all, true);
    for (std::size_t columns = all; columns > 1 && svg_text_width(out, size) > width; --columns) out = shortened(text, columns - 1, true);
    return out;
}

Shade heat_shade(double fraction) {
    // Five stops of a blue ramp whose lightness falls evenly, so that it also reads in grey.
    static constexpr std::array<std::array<double, 3>, 5> stops{
        {{240, 246, 252}, {189, 215, 238}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}}};
    const double at = std::clamp(std::isfinite(fraction) ? fraction : 0.0, 0.0, 1.0) * 4;
    const std::size_t i = std::min<std::size_t>(3, static_cast<std::size_t>(at));
    const double t = at - static_cast<double>(i);
    std::array<int, 3> rgb{};
    for (std::size_t k = 0; k < 3; ++k) rgb[k] = static_cast<int>(std::lround(stops[i][k] + t * (stops[i + 1][k] - stops[i][k])));
    return {fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]), at > 2.3};
}

Svg::Svg(double width, double height, std::string_view title) {
    const std::string w = svg_number(width);
    const std::string h = svg_number(height);
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cr\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n", w,
        h);
    if (!title.empty()) out_ += "<title>" + svg_escaped(title) + "</title>\n";
    out_ += "<style>" + style_sheet() + "</style>\n";
    rect(0, 0, width, height, "bg");
}

void Svg::rect(double x, double y, double width, double height, std::string_view classes, std::string_view more) {
    fmt::format_to(std::back_inserter(out_), "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>\n", classes,
                   svg_number(x), svg_number(y), svg_number(std::max(0.0, width)), svg_number(std::max(0.0, height)), more_of(more));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes, std::string_view more) {
    fmt::format_to(std::back_inserter(out_), "<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", classes, svg_number(x1),
                   svg_number(y1), svg_number(x2), svg_number(y2), more_of(more));
}

void Svg::path(std::string_view data, std::string_view classes, std::string_view more) {
    fmt::format_to(std::back_inserter(out_), "<path class=\"{}\" d=\"{}\"{}/>\n", classes, data, more_of(more));
}

void Svg::text(double x, double y, Anchor anchor, std::string_view classes, std::string_view text, std::string_view more) {
    const std::string_view side = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
    fmt::format_to(std::back_inserter(out_), "<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", classes,
                   svg_number(x), svg_number(y), side, more_of(more), svg_escaped(text));
}

void Svg::begin_part(double x, double y) {
    fmt::format_to(std::back_inserter(out_), "<g transform=\"translate({} {})\">\n", svg_number(x), svg_number(y));
}

void Svg::end_part() { out_ += "</g>\n"; }

void Svg::mark(double x, double y, std::size_t series, double size) {
    const std::string classes = fmt::format("pt f{}", series % palette_size);
    const auto n = [](double v) { return svg_number(v); };
    const double r = size;
    switch (series % 4) {
        case 0:
            fmt::format_to(std::back_inserter(out_), "<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", classes, n(x), n(y), n(r));
            break;
        case 1:
            path(fmt::format("M{} {}l{} {}h{}z", n(x), n(y - r * 1.2), n(r * 1.2), n(r * 2.1), n(-r * 2.4)), classes);
            break;
        case 2:
            rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8, classes);
            break;
        default:
            path(fmt::format("M{} {}l{} {}l{} {}l{} {}z", n(x), n(y - r * 1.3), n(r * 1.3), n(r * 1.3), n(-r * 1.3), n(r * 1.3),
                             n(-r * 1.3), n(-r * 1.3)),
                 classes);
            break;
    }
}

std::string Svg::finished() && { return std::move(out_) + "</svg>\n"; }

}  // namespace credence::rt
