#include "runtime/core/suggest.hpp"

#include <algorithm>
#include <vector>

namespace credence::rt {

namespace {

constexpr std::size_t whole_edit = 10;
constexpr std::size_t other_case = 1;

/// The characters of a UTF-8 text; stray bytes stand for themselves.
std::vector<std::string_view> characters(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t length = 1;
        while (i + length < text.size() && (static_cast<unsigned char>(text[i + length]) & 0xC0U) == 0x80U) ++length;
        out.push_back(text.substr(i, length));
        i += length;
    }
    return out;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The cost of putting b in the place of a: nothing, a change of case (ASCII), or a whole edit.
std::size_t replacement(std::string_view a, std::string_view b) {
    if (a == b) return 0;
    return a.size() == 1 && b.size() == 1 && lower(a[0]) == lower(b[0]) ? other_case : whole_edit;
}

/// Insertions, deletions, replacements and swaps of neighbouring characters that turn one word into the other: Damerau–Levenshtein in the
/// form "optimal string alignment", where no piece is edited twice (Boytsov 2011, section 2.1), in tenths of an edit.
std::size_t distance(std::string_view from, std::string_view to) {
    const auto a = characters(from);
    const auto b = characters(to);
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> two_before(width);
    std::vector<std::size_t> before(width);
    std::vector<std::size_t> row(width);
    for (std::size_t j = 0; j < width; ++j) row[j] = j * whole_edit;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        two_before.swap(before);
        before.swap(row);
        row[0] = i * whole_edit;
        for (std::size_t j = 1; j < width; ++j) {
            row[j] = std::min({before[j] + whole_edit, row[j - 1] + whole_edit, before[j - 1] + replacement(a[i - 1], b[j - 1])});
            if (i < 2 || j < 2) continue;
            const std::size_t crossed = replacement(a[i - 1], b[j - 2]) + replacement(a[i - 2], b[j - 1]);
            if (crossed < whole_edit) row[j] = std::min(row[j], two_before[j - 2] + whole_edit + crossed);
        }
    }
    return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 200;  // nobody mistypes a word that long, and the table grows with its square
    const std::size_t length = characters(word).size();
    if (length > longest) return std::nullopt;
    // a third, but one edit in words of two or three letters; a change of case alone is always near
    const std::size_t threshold = std::max<std::size_t>(length * whole_edit / 3, length >= 2 ? whole_edit : 0) + length * other_case;
    const std::string* best = nullptr;
    std::size_t best_distance = threshold + 1;
    for (const auto& candidate : candidates) {
        const std::size_t size = candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
        if (size > word.size() + 8 || candidate.size() > 4 * longest) continue;  // much longer or shorter: not worth the table
        // Each character of 1 to 4 bytes that the longer word has beyond the shorter one is an edit.
        if ((size + 3) / 4 * whole_edit >= best_distance) continue;
        const std::size_t d = distance(word, candidate);
        if (d < best_distance) {
            best = &candidate;
            best_distance = d;
        }
    }
    if (best) return *best;
    // A word and its abbreviation are near however many letters lie between: pos and positive.
    for (const auto& candidate : candidates) {
        const std::size_t shared = std::min(candidate.size(), word.size());
        if (shared >= 3 && distance(word.substr(0, shared), std::string_view(candidate).substr(0, shared)) < whole_edit) return candidate;
    }
    return std::nullopt;
}

}  // namespace credence::rt
