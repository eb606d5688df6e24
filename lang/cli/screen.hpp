#pragma once
// The terminal as a surface of limited size.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace credence::cli {

struct ScreenSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
};
/// Of the terminal behind a descriptor; nothing if there is none or it does not say.
std::optional<ScreenSize> screen_size(int descriptor);
/// Of help texts: that of the terminal, and no more than is easily read.
std::size_t help_width();
/// Whether the locale says that the terminal takes more than ASCII.
bool unicode_locale();

/// Writes blocks of text to standard output; what is longer than the screen is cut, with a line saying how much, and kept for later.
class Screen {
public:
    /// Lines of a block that are shown: as many as fit, a number, or all.
    enum class Cut { to_fit, to_number, never };
    void set_cut(Cut cut, std::size_t lines = 0) {
        cut_ = cut;
        lines_ = lines;
    }
    std::string cut_text() const;  ///< "auto", "40", "all"

    void write(std::string_view block);
    /// Writes what the last cut left out; false if there is nothing.
    bool write_rest();

private:
    std::optional<std::size_t> most_lines() const;

    Cut cut_ = Cut::to_fit;
    std::size_t lines_ = 0;
    std::string rest_;
};

}  // namespace credence::cli
