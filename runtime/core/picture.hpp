#pragma once
// What `plot` and `draw` make: something that can be shown on a terminal and written as SVG.

#include <cstddef>
#include <memory>
#include <string>

namespace credence::rt {

struct TextStyle {
    bool unicode = true;     ///< false: ASCII only
    std::size_t width = 80;  ///< columns of the terminal
    bool color = false;      ///< series in colours of the terminal
};

class Picture {
public:
    virtual ~Picture() = default;
    virtual std::string text(const TextStyle& style) const = 0;  ///< lines, each ended by a line end
    virtual std::string svg() const = 0;                         ///< a whole document, stable to the byte
    virtual std::string narrow_svg() const { return svg(); }     ///< for a page as wide as a telephone
};
using PicturePtr = std::shared_ptr<const Picture>;

}  // namespace credence::rt
