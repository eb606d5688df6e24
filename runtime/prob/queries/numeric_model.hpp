#pragma once
// Expectations of terms: what models of real numbers answer besides P.

#include "runtime/prob/model.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

/// A model of numbers, some of them drawn from densities: what E asks it for, besides what P does.
class NumericModel {
public:
    virtual ~NumericModel() = default;
    /// E(term | evidence of the query), the term over the variables of the model.
    virtual Result<Answer> expectation(const Term& term, const Query& query, Run& run) const = 0;
};

}  // namespace credence::rt
