#pragma once
// The probability of data under any model, as P(data) in the language asks for it.

#include "lang/builtin/bind.hpp"

namespace credence::std_ {

/// ln P(data): a table, or a list or counts (a record) of the one variable that the others are seen by. −∞ where it is impossible.
rt::Result<double> log_probability_of_data(lang::CallContext& context, const lang::ModelValue& model, const lang::Value& data,
                                           std::size_t argument);

/// ln of the probability or density of what a posterior was given; a note tells where draws know it badly.
rt::Result<double> log_evidence_of(lang::CallContext& context, const lang::ModelValue& posterior, std::size_t argument);

}  // namespace credence::std_
