#pragma once
// The table of all diagnostic codes: what each means, an example that gives it, and what to do.

#include <span>
#include <string_view>

#include "runtime/core/fault_code.hpp"

namespace credence::lang {

struct CodeInfo {
    rt::FaultCode code;
    std::string_view title;
    std::string_view text;     ///< a paragraph for `credence help CODE`
    std::string_view example;  ///< a script that gives it
};

std::span<const CodeInfo> all_codes();
const CodeInfo* find_code(std::string_view code);  ///< any case

}  // namespace credence::lang
