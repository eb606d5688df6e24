#pragma once
// Draws whose family depends on labels: X | K : { a: normal(0, 1), b: exponential(1) }. Which case holds is a number, known once the labels
// are: the engines then see the family of that case.

#include "runtime/prob/distributions/family.hpp"

namespace credence::rt {

struct FamilyCase {
    Family family = Family::normal;
    std::vector<Term> parameters;
};

/// Its parameters are the number of the case, counted from 0, then for each case a code of its family, how many parameters it has, and
/// these. So they are numbers alone, as those of every family, and its `make` gives the distribution of the case that holds.
extern const FamilyInfo by_cases_family;

/// Whether it can be a case: over real numbers, and of one number.
bool can_be_case(const FamilyInfo& family);
std::vector<Term> parameters_of_cases(Term which, std::span<const FamilyCase> cases);
/// Whether a file's parameters are of that form.
bool are_cases(std::span<const Term> parameters);
/// The cases again; all parameters of other families are one case.
std::vector<FamilyCase> cases_of(Family family, std::span<const Term> parameters);
/// Puts the case that holds in the place of the whole, where its number is a constant. Other families stay as they are.
void settle_case(Family& family, std::vector<Term>& parameters);

}  // namespace credence::rt
