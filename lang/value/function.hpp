#pragma once
// Functions as values: closures of the script and builtins.

#include <memory>
#include <string>
#include <vector>

#include "lang/value/value.hpp"

namespace credence::lang {

struct FnStmt;
struct Lambda;
struct NetStmt;
struct Overloads;
class Source;

/// A function of the script with the values it captured.
struct Closure {
    const Lambda* lambda = nullptr;  ///< one of the two
    const FnStmt* fn = nullptr;
    std::vector<Value> captured;
    Extent extent = {};                    ///< of what it captured
    std::shared_ptr<const Source> source;  ///< of its text, for spans
};

/// A net with parameters: a call of it declares the net.
struct NetFunction {
    const NetStmt* net = nullptr;
    std::shared_ptr<const Source> source;
};

struct Function {
    std::variant<Closure, const Overloads*, NetFunction> node;
};

Extent extent(const Function& function);

/// "function double(x)": for printing.
std::string describe(const Function& function);

}  // namespace credence::lang
