#pragma once
// Quantities computed from the variables of a model: D1 + D2, max(A, B), sum(R), a function of the script. A model that is asked about
// them is extended by variables that stand for them (extended.hpp).

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/label.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/variable.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

/// Operations that can be built up one part at a time, in any order.
enum class Fold { sum, product, least, greatest, all, any };

struct Quantity;
/// Immutable and shared: a quantity that occurs in several places is one node.
using QuantityPtr = std::shared_ptr<const Quantity>;

struct Quantity {
    enum class Kind {
        variable,
        constant,
        function,  ///< of its parts
        fold,      ///< of its parts
        order,     ///< the part that is `rank`-th when they are sorted
        distinct   ///< how many different values its parts have
    };
    using Function = std::function<Result<Label>(std::span<const Label>)>;

    Kind kind = Kind::constant;
    VarId variable{};
    Label constant = {};
    std::vector<QuantityPtr> parts = {};
    Function function = {};                   ///< of the values of the parts
    std::optional<TermOp> op = std::nullopt;  ///< what the function is on numbers, where it is one of these
    Fold fold = Fold::sum;
    std::size_t rank = 0;  ///< from 0
};

QuantityPtr variable_quantity(VarId variable);
QuantityPtr constant_quantity(Label value);
/// Of constants the value, where the function has one.
QuantityPtr function_quantity(std::vector<QuantityPtr> parts, Quantity::Function function, std::optional<TermOp> op = std::nullopt);
/// A sum of sums is one sum, and so on.
QuantityPtr fold_quantity(Fold fold, std::vector<QuantityPtr> parts);
/// All ranks of the sorted parts, the smallest first.
std::vector<QuantityPtr> sorted_quantities(const std::vector<QuantityPtr>& parts);
QuantityPtr distinct_quantity(std::vector<QuantityPtr> parts);
/// -q; of a sum the sum of the negatives, so that a difference of sums is one sum.
QuantityPtr negated_quantity(const QuantityPtr& quantity);

/// true or false; 1 and 0 stand for them.
std::optional<bool> truth_of(const Label& label);
/// The number of a label; a truth counts 1 or 0. So 1 and true are the same value, in every comparison, and what is computed from numbers
/// and truths is a number. The functions up to `label_in` say what follows from that.
std::optional<Number> as_count(const Label& label);
bool same_value(const Label& a, const Label& b);
/// Numbers and truths before words.
bool value_before(const Label& a, const Label& b);
bool has_numbers(std::span<const std::optional<Label>> values);
/// true and false become 1 and 0: what they are where other values of the same quantity are numbers.
void count_truths(std::span<std::optional<Label>> values);
/// The label as this domain has it: 1 as true, or true as 1.
Label label_in(const Domain& domain, const Label& label);
/// What a fold of nothing is; nothing for the least and the greatest.
std::optional<Label> fold_start(Fold fold);
/// E-TYPE if the values are of the wrong kind.
Result<Label> fold_step(Fold fold, const Label& a, const Label& b);

/// The value of anything that has parts from those of its parts, which are asked for only where they matter.
Result<Label> combined(const Quantity& quantity, const std::function<Result<Label>(std::size_t)>& part);

/// Variables in it, ascending, each once.
std::vector<VarId> variables_of(const Quantity& quantity);

/// A quantity made ready to be evaluated many times.
class Evaluation {
public:
    explicit Evaluation(const Quantity& quantity);
    /// Its value where the variables have these.
    Result<Label> at(const std::function<Label(VarId)>& value_of);

private:
    struct Step {
        const Quantity* node;
        std::vector<std::size_t> parts;  // earlier steps
    };
    std::vector<Step> steps_;
    std::vector<Result<Label>> values_;
};
Result<Label> evaluate(const Quantity& quantity, const std::function<Label(VarId)>& value_of);

/// As a term over the variables; nothing if some part is not an operation on numbers.
std::optional<Term> as_term(const Quantity& quantity, const std::function<std::optional<Term>(const Quantity&)>& leaf);

/// The domain of a quantity with these values: numbers ascending (truths among them are 1 and 0), truths as {true, false}, labels in the
/// order given.
DomainPtr domain_of_values(std::vector<Label> values);

/// A quantity that a query asks about, under the name it has in the answer.
struct NamedQuantity {
    std::string name;
    QuantityPtr quantity;
    bool is_event = false;  ///< true or false: its name reads as an event
};

}  // namespace credence::rt
