// Several charts in one picture.

#include <algorithm>

#include "runtime/plot/chart_render.hpp"
#include "runtime/plot/svg.hpp"
#include "runtime/plot/text_grid.hpp"

namespace credence::rt {

namespace {

constexpr double panel_width = narrow_width;
constexpr double panel_height = 260;

std::vector<std::string> panel_lines(const std::string& text) {
    std::vector<std::string> out(1);
    for (const char c : text)
        if (c == '\n')
            out.emplace_back();
        else
            out.back() += c;
    out.pop_back();
    return out;
}

/// Columns that a line takes, its escapes not counted.
std::size_t shown_columns(const std::string& line) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] == '\x1b')
            i = line.find('m', i);
        else
            plain += line[i];
    return columns_of(plain);
}

class Panels final : public Picture {
public:
    Panels(std::string title, std::vector<Chart> charts) : title_(std::move(title)), charts_(std::move(charts)) {
        for (auto& chart : charts_) {
            chart.as_wide_as_the_text = true;
            chart.height = panel_height - 40;
        }
    }

    std::string text(const TextStyle& style) const override {
        std::string out = title_.empty() ? "" : shortened(title_, style.width, style.unicode) + "\n";
        constexpr std::size_t gap = 3;
        constexpr std::size_t least = 48;  // columns of a chart that stands beside another
        const std::size_t half = (style.width - std::min(style.width, gap)) / 2;
        if (half < least || charts_.size() < 2) {
            for (const auto& chart : charts_) out += plane_text(chart, style);
            return out;
        }
        TextStyle narrow = style;
        narrow.width = half;
        for (std::size_t i = 0; i < charts_.size(); i += 2) {
            auto left = panel_lines(plane_text(charts_[i], narrow));
            auto right = i + 1 < charts_.size() ? panel_lines(plane_text(charts_[i + 1], narrow)) : std::vector<std::string>{};
            left.resize(std::max(left.size(), right.size()));
            right.resize(left.size());
            for (std::size_t l = 0; l < left.size(); ++l) {
                const std::size_t used = shown_columns(left[l]);
                out += left[l] + (right[l].empty() ? "" : std::string(half + gap - std::min(half + gap, used), ' ') + right[l]) + "\n";
            }
        }
        return out;
    }

    std::string svg() const override { return svg_of(charts_.size() > 1 ? 2 : 1); }
    std::string narrow_svg() const override { return svg_of(1); }

private:
    std::string svg_of(std::size_t across) const {
        const std::size_t down = (charts_.size() + across - 1) / across;
        const double head = title_.empty() ? 0 : 34;
        Svg svg(panel_width * static_cast<double>(across), head + panel_height * static_cast<double>(down), title_);
        if (!title_.empty())
            svg.text(16, 26, Anchor::start, "tt", svg_shortened(title_, panel_width * static_cast<double>(across) - 32, 16));
        for (std::size_t i = 0; i < charts_.size(); ++i) {
            svg.begin_part(panel_width * static_cast<double>(i % across), head + panel_height * static_cast<double>(i / across));
            draw_plane(svg, charts_[i], panel_width, panel_height);
            svg.end_part();
        }
        return std::move(svg).finished();
    }

    std::string title_;
    std::vector<Chart> charts_;
};

}  // namespace

PicturePtr make_panels(std::string title, std::vector<Chart> charts) {
    for (auto& chart : charts) make_drawable(chart);
    return std::make_shared<const Panels>(std::move(title), std::move(charts));
}

}  // namespace credence::rt
