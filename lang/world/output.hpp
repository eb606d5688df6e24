#pragma once
// The output of a run, as events: plain text, a terminal, JSON and reports are renderers of the same events.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/text/diagnostic.hpp"
#include "lang/value/value.hpp"

namespace credence::lang {

/// How a printed query was answered.
struct AnswerInfo {
    std::string engine;
    bool exact = true;
    std::vector<std::pair<std::string, rt::Number>> counts;
    std::optional<rt::Number> standard_error;
};

struct ValueEvent {
    std::size_t line = 0;
    std::string query;  ///< the text of the query, where the statement is one
    Value value;
    std::optional<AnswerInfo> answer;
};

/// One line of a derivation, rendered; `expression` lines are valid Credence with the value of the calculation they belong to.
struct DerivationText {
    enum class Kind { note, formula, heading, begin, step, result };  // as in rt::DerivationLine
    Kind kind = Kind::note;
    std::string text;
    std::optional<rt::Number> value = {};  ///< of a result
};

struct DerivationEvent {
    std::size_t line = 0;
    std::string query;
    std::vector<DerivationText> lines;
    Value value;
    std::optional<AnswerInfo> answer;
};

class Output {
public:
    virtual ~Output() = default;
    virtual void value(const ValueEvent& event) = 0;
    virtual void derivation(const DerivationEvent& event) = 0;
    virtual void diagnostic(const Diagnostic& diagnostic) = 0;  ///< errors, failed expectations and notes, as they arise
    /// From the thread that runs the statement. Progress reports are not part of a script's output; most renderers leave them out.
    virtual void progress(const rt::ProgressReport&) {}
};

}  // namespace credence::lang
