#pragma once
// A factor: numbers over the values of named discrete variables. What a query with free variables answers,
// and a value of the language with an algebra of its own.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "runtime/core/attempt.hpp"
#include "runtime/core/number.hpp"
#include "runtime/core/variable.hpp"

namespace credence::rt {

class Model;

/// Dense, row-major: the last variable runs fastest. No variables: one entry.
/// All entries exact, or all double: one real entry makes the whole factor real.
class Factor {
public:
    using Exact = std::vector<Rational>;
    using Real = std::vector<double>;

    Factor() : values_(Exact{Rational(0)}) {}
    Factor(std::vector<Variable> variables, Exact values);
    Factor(std::vector<Variable> variables, Real values);
    static Factor of_numbers(std::vector<Variable> variables, std::span<const Number> values);
    /// exp of the logarithms, which are kept where one of a number above 0 is too small for a double.
    static Factor of_logs(std::vector<Variable> variables, Real logs);

    const std::vector<Variable>& variables() const { return variables_; }
    std::size_t size() const;
    bool is_exact() const { return values_.index() == 0; }
    const Exact& exact() const { return std::get<Exact>(values_); }
    const Real& real() const { return std::get<Real>(values_); }
    Number at(std::size_t entry) const;
    std::vector<double> doubles() const;
    /// Of all entries, where one that is not 0 is too small for a double (and is 0 in real()); else empty.
    const Real& logs() const { return logs_; }
    /// The same numbers over variables of the same sizes.
    Factor over(std::vector<Variable> variables) const;

    /// A joint distribution P(* | e) also stands for the model given e; null for every other factor.
    const std::shared_ptr<const Model>& model() const { return model_; }
    void set_model(std::shared_ptr<const Model> model) { model_ = std::move(model); }

    /// How its numbers are best laid out.
    struct Layout {
        std::size_t conditions = 0;  ///< so many of the last variables are conditions, as in P(X | Y): their values are the rows
        bool totals = false;         ///< it counts: sums of rows and columns belong to it
    };
    const Layout& layout() const { return layout_; }
    void set_layout(Layout layout) { layout_ = layout; }

    /// Labels of an entry, one for each variable.
    std::vector<Label> labels(std::size_t entry) const;
    /// Position of a variable by name.
    std::optional<std::size_t> find(std::string_view variable) const;

private:
    std::vector<Variable> variables_;
    std::variant<Exact, Real> values_;
    Real logs_;
    std::shared_ptr<const Model> model_;
    Layout layout_;
};

/// Aligns by variable name and label, broadcasts over missing variables. Variables of a come first, then those only b has.
/// A variable in both must have the same set of labels (any order; a's order is kept), else E-LABEL.
Result<Factor> combine(const Factor& a, const Factor& b, const std::function<Result<Number>(const Number&, const Number&)>& op);
/// a · b, or a / b, in logarithms: where an entry of them is too small for a double. Not applicable where an entry is negative, or b's is
/// 0.
enum class LogStep { multiply, divide };
Attempt<Factor> combine_logs(const Factor& a, const Factor& b, LogStep step);
Result<Factor> map_entries(const Factor& f, const std::function<Result<Number>(const Number&)>& op);
Number sum(const Factor& f);
Number max_entry(const Factor& f);
Number min_entry(const Factor& f);
/// Sums out the named variable (which must be there).
Factor sum_out(const Factor& f, std::size_t variable);
Factor max_out(const Factor& f, std::size_t variable);
/// Divides by the sum; E-NORMALIZE when the sum is zero, an entry is negative or not finite.
Result<Factor> normalize(const Factor& f);
/// Fixes the first labels.size() variables; what is left is a factor over the others (over none: one entry).
Result<Factor> fix_leading(const Factor& f, std::span<const Label> labels);
/// The same numbers with the variables in the given order of positions.
Factor reorder(const Factor& f, std::span<const std::size_t> order);
/// Same variables (any order), same labels (any order), same numbers.
bool equal(const Factor& a, const Factor& b);

/// First entry with the largest (smallest) number, and how many share it.
struct Extreme {
    std::size_t entry = 0;
    std::vector<std::size_t> ties;  ///< all entries with that number, the first included
};
Extreme argmax(const Factor& f);
Extreme argmin(const Factor& f);

}  // namespace credence::rt
