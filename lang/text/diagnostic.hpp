#pragma once
// Messages about a script: typed values, turned into text or JSON only at the end.

#include <string>
#include <vector>

#include "lang/text/source.hpp"
#include "lang/text/span.hpp"
#include "runtime/core/fault_code.hpp"

namespace credence::lang {

enum class Severity { error, note };

struct Diagnostic {
    Severity severity = Severity::error;
    rt::FaultCode code;
    std::string message;  ///< what is wrong: one line, no full stop
    SourcePtr source;     ///< null: no place (a file that cannot be read)
    Span span;
    std::string label = {};              ///< under the caret: what was possible
    std::vector<std::string> help = {};  ///< what to do, one line each
};

/// Collects; sorted and printed once.
using Diagnostics = std::vector<Diagnostic>;

}  // namespace credence::lang
