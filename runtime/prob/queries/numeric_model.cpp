#include "runtime/prob/queries/numeric_model.hpp"

namespace credence::rt {

Result<PointwiseLikelihood> NumericModel::pointwise_likelihood(const Query&, Run&) const {
    return Fault{.code = "E-ENGINE",
                 .message = "this model has no draws of its numbers to be judged by",
                 .hint = "give evidence to a net with real-valued nodes: let post = P(* | y = […]) in Net"};
}

Result<LogEvidence> NumericModel::log_evidence(const Query&, Run&) const {
    return Fault{.code = "E-ENGINE",
                 .message = "this model does not give the probability of evidence",
                 .hint = "give evidence to a net with real-valued nodes: let post = P(* | y = […]) in Net"};
}

Result<TablePtr> NumericModel::replicate(std::size_t, const Query&, Run&) const {
    return Fault{.code = "E-ENGINE",
                 .message = "the observations of this model cannot be drawn again",
                 .hint = "give evidence to a net with real-valued nodes: let post = P(* | y = […]) in Net"};
}

}  // namespace credence::rt
