#pragma once
// What `draw` makes of a value.

#include <optional>
#include <string>

#include "lang/value/value.hpp"
#include "runtime/core/picture.hpp"

namespace credence::std_ {

/// A net, a decision tree, a hidden Markov model, a graph or a parse as boxes and arrows; nothing of other values, and of those with more
/// than `most_nodes` nodes.
std::optional<rt::PicturePtr> drawing_of(const lang::Value& value, std::size_t most_nodes);

}  // namespace credence::std_
