#include "runtime/prob/queries/numeric_model.hpp"

namespace credence::rt {

Result<PointwiseLikelihood> NumericModel::pointwise_likelihood(const Query&, Run&) const {
    return Fault{.code = "E-ENGINE",
                 .message = "this model has no draws of its numbers to be judged by",
                 .hint = "give evidence to a net with real-valued nodes: let post = P(* | y = […]) in Net"};
}

}  // namespace credence::rt
