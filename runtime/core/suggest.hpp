#pragma once
// "Did you mean …?": the known word nearest to one that is not known.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace credence::rt {

/// The candidate with the fewest edits (insertions, deletions, replacements and swaps of neighbouring characters), at most about a third of
/// the word's length; nothing when all are further. A letter in the other case counts as a tenth of an edit, so `sky` finds `Sky` before
/// `ski`. Ties go to the first candidate. Where none is so near, the first that begins with the word, or the word with it (three letters at
/// least).
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace credence::rt
