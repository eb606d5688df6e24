#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

template <class Text>
std::string joined_texts(std::span<const Text> texts, std::string_view separator) {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i > 0) out += separator;
        out += texts[i];
    }
    return out;
}

}  // namespace

std::string joined(std::span<const std::string> texts, std::string_view separator) { return joined_texts(texts, separator); }
std::string joined(std::span<const std::string_view> texts, std::string_view separator) { return joined_texts(texts, separator); }

std::string listed(std::span<const std::string> texts, std::string_view last) {
    if (texts.size() < 2) return joined(texts, "");
    return joined(texts.first(texts.size() - 1), ", ") + " " + std::string(last) + " " + texts.back();
}

std::string counted(std::int64_t n, std::string_view one) { return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s"); }

}  // namespace credence::rt
