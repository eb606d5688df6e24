#pragma once
// The operations of terms. Each is one line of term_ops.def.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/core/number.hpp"

namespace credence::rt {

enum class TermOp {
#define TERM_OP(op, ...) op,
#include "runtime/prob/terms/term_ops.def"
};

/// How an operation is written. Those of lists are not: only declarations make them.
enum class TermForm { leaf, call, prefix, infix, choice, list };

inline constexpr std::size_t any_number = 100;  ///< of parts

struct TermOperation {
    /// Of one or two numbers; NaN of leaves, of the choice and of lists.
    using Value = double (*)(double a, double b);
    using Exact = std::optional<Number> (*)(const Number& a, const Number& b);

    TermOp op;
    std::string_view name;  ///< in files, and in scripts where it is a call
    std::size_t arity;      ///< or any_number
    TermForm form;
    std::string_view symbol;     ///< of a prefix or an infix operator
    int binding;                 ///< parts that bind less need parentheses
    bool truth;                  ///< its value is 0 or 1
    std::optional<int> neutral;  ///< x op neutral is x
    bool commutes;
    Value value;
    Exact exact;  ///< may be null
};

/// In the order of TermOp.
std::span<const TermOperation> term_operations();
inline const TermOperation& operation_of(TermOp op) { return term_operations()[static_cast<std::size_t>(op)]; }

/// The operation that is written as a call of this name, as an operator with this symbol; null if there is none.
const TermOperation* term_call(std::string_view name);
const TermOperation* term_infix(std::string_view symbol);

}  // namespace credence::rt
