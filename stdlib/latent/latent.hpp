#pragma once
// Models with a hidden component, as other subjects see them.

#include <optional>

#include "lang/builtin/bind.hpp"

namespace credence::std_ {

void add_mixtures(lang::Registry& registry);
void add_clusters(lang::Registry& registry);

/// ln P of independent observations under a mixture; nothing if the model is none.
std::optional<rt::Result<double>> mixture_log_likelihood(lang::CallContext& context, const lang::ModelValue& model,
                                                         const lang::Items& observations);
/// P of them as a fraction, where a mixture over finitely many values gives one.
std::optional<rt::Number> exact_mixture_likelihood(lang::CallContext& context, const lang::ModelValue& model,
                                                   const lang::Items& observations);

}  // namespace credence::std_
