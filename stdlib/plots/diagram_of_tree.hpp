#pragma once
// A decision tree as boxes and arrows.

#include "runtime/classify/tree_model.hpp"
#include "runtime/plot/diagram.hpp"

namespace credence::std_ {

/// Tests as boxes, their outcomes on the arrows, leaves with their label and the rows that came there. E-COST for trees of more nodes than
/// a picture can hold.
rt::Result<rt::Diagram> diagram_of_tree(const rt::DecisionTree& model, std::string title);

}  // namespace credence::std_
