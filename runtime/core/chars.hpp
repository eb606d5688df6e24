#pragma once
// std::to_chars and std::from_chars of doubles, and the same bytes from fmt and strtod where the standard library lacks them.

#include <charconv>
#include <version>

namespace credence::rt {

namespace portable {

enum class chars_format { scientific, fixed, general };

/// The shortest text that gives the value again, fixed or scientific, whichever is shorter.
std::to_chars_result to_chars(char* first, char* last, double value);
std::to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision);
/// Of digits with a point and an exponent; std::errc::result_out_of_range beyond the doubles.
std::from_chars_result from_chars(const char* first, const char* last, double& value);

}  // namespace portable

#if defined(__cpp_lib_to_chars)
using std::chars_format;
using std::from_chars;
using std::to_chars;
#else
using portable::chars_format;
using portable::from_chars;
using portable::to_chars;
#endif

}  // namespace credence::rt
