#pragma once
// How the checker has declarations built before the run, without knowing who evaluates.

#include <optional>
#include <utility>
#include <vector>

#include "lang/syntax/ast.hpp"
#include "lang/value/value.hpp"
#include "lang/world/scope.hpp"
#include "runtime/core/result.hpp"

namespace credence::lang {

/// What is known of a declaration before the run.
struct Declared {
    std::vector<std::pair<rt::Fault, Span>> faults = {};
    std::optional<Value> value = {};       ///< nothing if a name in it has no value yet, or it is wrong
    std::optional<ModelShape> shape = {};  ///< of a net: what is known of its variables in any case
};

class Declarer {
public:
    virtual ~Declarer() = default;
    /// Builds what can be built now; nothing is printed, and nothing drawn. Faults without a place of their own are at `name`.
    virtual Declared declare(const Statement& statement, Span name) = 0;
};

}  // namespace credence::lang
