#pragma once
// pca() and filter_features() in front of a learner: components and columns come from its training rows alone.

#include "runtime/features/pca.hpp"
#include "runtime/features/scores.hpp"
#include "runtime/prob/learning/preparation.hpp"

namespace credence::rt {

LearnerPtr make_component_analysis(PcaOptions options);
/// `measure`: none filters by redundancy.
LearnerPtr make_feature_filter(std::optional<FeatureMeasure> measure, KeepRule keep);

/// What either learned, from a file; nothing if the kind is another's.
Result<std::optional<LearnedPreparationPtr>> load_feature_preparation(std::string_view kind, const Json& json);

}  // namespace credence::rt
