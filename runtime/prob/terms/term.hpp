#pragma once
// Expressions over the variables of a model, as the runtime sees them: small enough to be recognised (linear? conjugate?), folded
// where they are constant, and differentiated.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/label.hpp"
#include "runtime/core/number.hpp"
#include "runtime/core/variable.hpp"
#include "runtime/prob/terms/term_op.hpp"

namespace credence::rt {

struct TermNode;
/// Immutable and shared.
using Term = std::shared_ptr<const TermNode>;

struct TermNode {
    TermOp op = TermOp::constant;
    Number value = 0;           ///< constant
    VarId variable{};           ///< variable, component, is
    std::size_t component = 0;  ///< component
    Label label = {};           ///< is
    std::vector<Term> parts = {};
    bool has_variables = false;
    std::uint32_t size = 1;  ///< operations and leaves, those of a shared part as often as it occurs in the term; at most most_term_size
};
inline constexpr std::uint32_t most_term_size = 1U << 30U;

/// Whether a part may occur in several places of a large term: functions of terms look at it once. Recurrences share their steps, and
/// written out they would double with every step.
inline bool is_shared_part(const Term& term) {
    constexpr std::uint32_t small = 32;
    return term->size > small && term.use_count() > 1;
}

Term constant_term(Number value);
Term variable_term(VarId variable);
Term component_term(VarId variable, std::size_t component);
Term is_term(VarId variable, Label label);
/// Folds constants (exactly while that is possible) and drops what changes nothing: x + 0, 1 · x, --x.
Term make_term(TermOp op, std::vector<Term> parts);

inline bool is_constant(const Term& term) { return term->op == TermOp::constant; }

/// Variables in it, ascending, each once.
std::vector<VarId> variables_of(const Term& term);

/// Each leaf that is not a constant replaced by what `leaf` gives for it (null: it stays), folding on the way.
Term rewrite(const Term& term, const std::function<Term(const TermNode&)>& leaf);

/// The term with `place(v)` in place of each variable v.
Term with_variables(const Term& term, const std::function<VarId(VarId)>& place);

/// What a leaf is worth when its variable has that value: a constant.
Term leaf_value(const TermNode& leaf, const Outcome& value);

/// What an operation makes of one or two numbers: exact where it keeps exact numbers exact.
Number number_value(TermOp op, const Number& a, const Number& b);
/// The number of a term with these values; by variable number. Labels that are not numbers count by `is` alone.
double evaluate(const Term& term, const std::function<double(const TermNode&)>& leaf);

/// c + Σ b·v where it is that: coefficients in order of variables.
struct LinearTerm {
    Number constant = 0;
    std::vector<std::pair<VarId, Number>> coefficients;
};
std::optional<LinearTerm> as_linear(const Term& term);

/// c · Π v^a (1 − v)^b where it is that.
struct MonomialTerm {
    struct Power {
        VarId variable{};
        Rational own;         ///< a
        Rational complement;  ///< b
    };
    Number coefficient = 1;
    std::vector<Power> powers;
};
std::optional<MonomialTerm> as_monomial(const Term& term);

/// "a + 2 * b": for people.
std::string term_text(const Term& term, const std::function<std::string(VarId)>& name);

}  // namespace credence::rt
