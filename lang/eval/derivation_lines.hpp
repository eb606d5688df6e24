#pragma once
// Lines of a derivation as they are written one after the other.

#include <string>
#include <vector>

#include "lang/value/show.hpp"
#include "lang/world/output.hpp"
#include "runtime/prob/model.hpp"

namespace credence::lang {

/// A line of the runtime in the words of the language; `in_model` follows each query that it evaluates.
DerivationText rendered(const rt::DerivationLine& line, std::string_view in_model, const ShowOptions& options);

/// One line of source, without comments and with single blanks, none inside brackets: the heading over a printed query.
std::string folded(std::string_view text);

/// At most so many lines, cut in the middle, between two steps of the trace.
std::vector<DerivationText> shortened(std::vector<DerivationText> lines, std::size_t most);

/// A number as it is written in a calculation.
std::string plain_number(const rt::Number& n, int digits);

class DerivationLines {
public:
    DerivationLines(std::string asked, std::string in_model, const ShowOptions& options)
        : asked_(std::move(asked)), in_model_(std::move(in_model)), options_(options) {}

    const std::string& asked() const { return asked_; }        ///< the query as it was written
    const std::string& in_model() const { return in_model_; }  ///< " in M", where that was written
    void note(std::string text) { add(DerivationText::Kind::note, std::move(text)); }
    void formula(std::string text) { add(DerivationText::Kind::formula, std::move(text)); }
    void begin(std::string text) { add(DerivationText::Kind::begin, std::move(text)); }
    void step(std::string text) { add(DerivationText::Kind::step, std::move(text)); }
    void sum(const std::vector<std::string>& terms, std::string_view before = {}, std::string_view after = {});
    void result(const rt::Number& n);
    void told(const rt::Derivation& derivation);
    std::string number(const rt::Number& n) const { return plain_number(n, options_.digits); }
    std::vector<DerivationText> take() && { return std::move(lines_); }

private:
    void add(DerivationText::Kind kind, std::string text) { lines_.push_back({kind, std::move(text)}); }

    std::string asked_;
    std::string in_model_;
    const ShowOptions& options_;
    std::vector<DerivationText> lines_;
};

}  // namespace credence::lang
