#pragma once
// The holes of a net with real-valued nodes: in the terms of its parameters, variables beyond its nodes.

#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt::continuous {

bool is_normal(Family family);  ///< normal, or lognormal, which is normal on logarithms

/// Numbers of the holes in a term of a net with so many nodes, ascending.
std::vector<std::size_t> holes_of(const Term& term, std::size_t nodes);
bool has_holes(const Term& term, std::size_t nodes);
/// Whatever the parents are, one hole or none: ?, 3, if C == a then ? else ?.
bool is_bare(const Term& term, std::size_t nodes);
/// Whatever the parents are, c + Σ f · hole with numbers c and f.
bool is_linear(const Term& term, std::size_t nodes);

/// The net with numbers in the place of its holes; those of its tables stay.
ContinuousNet filled(const ContinuousNet& net, std::vector<Number> numbers);

}  // namespace credence::rt::continuous
