#pragma once
// Capital and small letters of the scripts that have them and are common: Latin, Greek, Cyrillic.

#include <string>
#include <string_view>

namespace credence::std_ {

enum class LetterCase { upper, lower };

/// Each character by itself (Unicode's simple mappings); what has no other case stays.
std::string cased(std::string_view text, LetterCase to);

}  // namespace credence::std_
