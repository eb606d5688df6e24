#pragma once
// SVG, element by element. Numbers have at most two decimals, so the same picture is the same bytes everywhere.

#include <cstddef>
#include <string>
#include <string_view>

namespace credence::rt {

constexpr std::size_t palette_size = 8;  ///< classes f0 … f7 fill, l0 … l7 draw lines

std::string svg_number(double x);
std::string svg_escaped(std::string_view text);
/// An upper estimate for common sans-serif fonts: the reader's font is not known here.
double svg_text_width(std::string_view text, double size);
/// Cut to a width, with "…" at the end.
std::string svg_shortened(std::string_view text, double width, double size);
/// From light to dark for 0 … 1, and whether text on it is better light.
struct Shade {
    std::string fill;
    bool dark = false;
};
Shade heat_shade(double fraction);

enum class Anchor { start, middle, end };

/// Classes: "t" text, "n" small numbers, "tt" title; "ax" axes, "gr" grid lines, "fN" and "lN" of series, "node" and "arc" of diagrams.
class Svg {
public:
    Svg(double width, double height, std::string_view title);

    void rect(double x, double y, double width, double height, std::string_view classes, std::string_view more = {});
    void line(double x1, double y1, double x2, double y2, std::string_view classes, std::string_view more = {});
    void path(std::string_view data, std::string_view classes, std::string_view more = {});
    void text(double x, double y, Anchor anchor, std::string_view classes, std::string_view text, std::string_view more = {});
    /// What follows lies in a part of the picture, its corner at (x, y), until the part ends.
    void begin_part(double x, double y);
    void end_part();
    /// The mark of a series: circle, square, triangle or diamond, so that they do not differ by colour alone.
    void mark(double x, double y, std::size_t series, double size);
    std::string finished() &&;

private:
    std::string out_;
};

}  // namespace credence::rt
