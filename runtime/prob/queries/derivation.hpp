#pragma once
// Writing derivations: lines that a reader follows and the language can evaluate.

#include "runtime/core/attempt.hpp"
#include "runtime/prob/model.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/measure.hpp"

namespace credence::rt {

using Parts = std::vector<DerivationPart>;

/// A sum longer than this is not written out, a longer list of cases is cut.
constexpr std::size_t longest_sum = 12;
constexpr std::size_t cases_shown = 6;

class DerivationWriter {
public:
    void note(std::string text);
    void formula(std::string text);
    void heading(std::string text);
    void begin(Parts parts);
    /// A single number is not a step: the result shows it.
    void step(Parts parts);
    void result(const Number& number);
    /// What is calculated (nothing if the first step shows it), the steps from names to numbers (the empty ones are left out), the value.
    void calculation(std::string what, std::span<const Parts> steps, const Number& value);
    void calculation(std::string what, std::initializer_list<Parts> steps, const Number& value);
    /// "6 of 20 cases are shown, the most probable", where those are not all.
    void note_shown(std::size_t shown, std::size_t all, std::string_view what = "cases");
    Derivation take() &&;

private:
    void add(DerivationLine::Kind kind, Parts parts);
    Derivation lines_;
};

/// A product of named factors, as it is named, as it is in numbers, and its value.
struct Product {
    std::vector<Parts> names = {};
    std::vector<Parts> numbers = {};
    Number value = 1;

    void times(Parts name, const Number& number, std::int64_t count = 1);  ///< count: the factor is a power
    void times(const Product& more);
};
Parts in_names(std::span<const Product> sum);
Parts in_numbers(std::span<const Product> sum);

/// A fraction too long to read is shown as a decimal.
Number readable(const Number& number);
/// A number as an operand of / or ^: a fraction in parentheses.
Parts operand(const Number& number);
Parts quotient(const Number& above, const Number& below);
Parts joined(std::span<const Parts> parts, std::string_view separator);
void append(Parts& to, const Parts& more);
/// "5/9 ≈ 0.555556", "3/4 = 0.75", "2": a number inside a note.
std::string fraction_told(const Number& number);

/// Values of variables, by slot.
using Pairs = std::vector<std::pair<Slot, std::size_t>>;

/// Both, or nothing where they contradict each other. Each variable once, in the order of first mention.
std::optional<Pairs> merged(const Pairs& a, const Pairs& b);
std::vector<std::pair<std::string, Label>> named(const Pairs& pairs, const Variables& variables);
std::string text_of(const Pairs& pairs, const Variables& variables);
ProbabilityTerm term_of(const Pairs& event, const Pairs& given, const Variables& variables);

/// A query that says X = v throughout, as the language writes it.
std::optional<ProbabilityTerm> plain_term(const Query& query, const Variables& variables);

/// Every way in which all the events hold, as values of the variables they name; not applicable when there are too many to list.
Attempt<std::vector<Pairs>> ways(std::span<const Event> events, const Variables& variables, const Run& run);

/// Adds that these variables have these values.
void fix(Clause& clause, const Pairs& pairs, const Variables& variables);
/// The query where these are the values of what is free in the targets and in the evidence.
Query in_case(const Query& query, const Pairs& target, const Pairs& given, const Variables& variables);

/// The values of what is free in the targets and in the evidence, and which pairs of them (targets first) are worth showing.
struct QueryCases {
    std::vector<Pairs> targets;
    std::vector<Pairs> givens;
    std::vector<std::size_t> shown;

    std::size_t size() const { return targets.size() * givens.size(); }
    const Pairs& target(std::size_t i) const { return targets[i / givens.size()]; }
    const Pairs& given(std::size_t i) const { return givens[i % givens.size()]; }
};
QueryCases query_cases(const Shape& shape, const Sizes& sizes, const Answer& answer);

/// All configurations of the slots, last fastest.
std::vector<Pairs> configurations(std::span<const Slot> slots, const Sizes& sizes);

/// The cases of a list to show: all, or the largest few in their order.
std::vector<std::size_t> shown_cases(std::span<const double> weights);

/// "Y ~ {a: 0.7, b: 0.3}", "Y likelihood {a: 3, b: 1}".
std::string soft_text(const SoftEvidence& soft, const Variables& variables);

/// "P(A, B = b | C = c)", for reading.
std::string query_text(const Query& query, const Variables& variables);

}  // namespace credence::rt
