// The bar of shades beside a surface or a heat map.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/plot/chart_render.hpp"
#include "runtime/plot/svg.hpp"

namespace credence::rt {

namespace {

constexpr double shade_width = 14;
constexpr std::size_t shade_steps = 24;
constexpr std::size_t shade_ticks = 6;

}  // namespace

double shade_bar_room(Range range) {
    double text = 0;
    for (const auto& tick : ticks_on(range, shade_ticks).text) text = std::max(text, svg_text_width(tick, 11));
    return 12 + shade_width + 7 + text;
}

void draw_shade_bar(Svg& svg, double left, double top, double bottom, Range range) {
    const double step = (bottom - top) / static_cast<double>(shade_steps);
    for (std::size_t i = 0; i < shade_steps; ++i) {
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(shade_steps);
        svg.rect(left, bottom - static_cast<double>(i + 1) * step, shade_width, step, "cell",
                 fmt::format("fill=\"{}\" shape-rendering=\"crispEdges\"", heat_shade(share).fill));
    }
    const Ticks ticks = ticks_on(range, shade_ticks);
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
        const double y = bottom - (ticks.at[i] - range.low) / (range.high - range.low) * (bottom - top);
        svg.line(left + shade_width, y, left + shade_width + 4, y, "ax");
        svg.text(left + shade_width + 7, y + 4, Anchor::start, "n", ticks.text[i]);
    }
}

}  // namespace credence::rt
