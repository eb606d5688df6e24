#include "lang/text/source.hpp"

#include <algorithm>

namespace credence::lang {

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

std::string_view Source::text(Span span) const {
    const auto begin = std::min<std::size_t>(span.begin, text_.size());
    const auto end = std::clamp<std::size_t>(span.end, begin, text_.size());
    return std::string_view(text_).substr(begin, end - begin);
}

Position Source::position(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    const auto line = static_cast<std::size_t>(after - line_starts_.begin());
    std::size_t column = 1;
    for (std::size_t i = line_starts_[line - 1]; i < offset; ++i)
        if ((static_cast<unsigned char>(text_[i]) & 0xC0U) != 0x80U) ++column;  // continuation bytes do not count
    return {line, column};
}

std::string_view Source::line(std::size_t n) const {
    const std::size_t begin = line_starts_[n - 1];
    std::size_t end = n < line_starts_.size() ? line_starts_[n] - 1 : text_.size();
    if (end > begin && text_[end - 1] == '\r') --end;
    return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace credence::lang
