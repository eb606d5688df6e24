#pragma once
// What the learners from instances share in their parameters.

#include <functional>

#include "lang/builtin/bind.hpp"
#include "stdlib/learning/learner.hpp"

namespace credence::std_ {

void add_neighbours(lang::Registry& r);
void add_local(lang::Registry& r);

/// `k: 5 | all`: nothing for all, or where it was left out and `otherwise` is nothing.
rt::Result<std::optional<std::size_t>> neighbour_count(lang::CallContext& c, const std::optional<lang::Setting>& k, std::size_t parameter,
                                                       std::optional<std::size_t> otherwise);
/// An argument of an alternative, such as s of gaussian(s): a number > 0.
rt::Result<double> positive_argument(lang::CallContext& c, const lang::Setting& setting, std::size_t i, std::size_t parameter,
                                     std::string_view what, std::optional<double> otherwise = std::nullopt);
/// A function of the script that takes a distance and gives a weight.
rt::Result<std::function<rt::Result<double>(double)>> distance_function(lang::CallContext& c, const lang::Value& function,
                                                                        std::size_t parameter);

}  // namespace credence::std_
