#pragma once
// Independent draws from a posterior that is known in closed form.

#include "runtime/continuous/sample/log_posterior.hpp"
#include "runtime/core/attempt.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt::continuous {

/// `count` independent draws of the numbers that evidence bears on, row by row, where their posterior is conjugate or jointly normal. Not
/// applicable to others, or where labels, inequalities or booleans are part of the evidence.
Attempt<std::vector<double>> draw_exactly(const LogPosterior& target, std::size_t count, Run& run);

}  // namespace credence::rt::continuous
