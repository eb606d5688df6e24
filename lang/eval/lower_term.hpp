#pragma once
// Expressions of the script over the variables of a model become terms of the runtime. What names no variable is evaluated on the spot.

#include <functional>
#include <variant>
#include <vector>

#include "lang/eval/evaluator.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::lang {

/// A value that may depend on variables: a plain value, a term, a list of such, a record of such, a label that variables decide, a
/// function that has captured such, or the name of a plate's variables that still waits for its index.
struct Symbolic {
    struct PlateName {
        std::string name;
    };
    /// Each label with the term that is 1 where it is that label, and else 0.
    struct Labels {
        std::vector<std::pair<rt::Label, rt::Term>> cases;
    };
    using List = std::vector<Symbolic>;
    using Record = std::vector<std::pair<std::string, Symbolic>>;
    struct Function {
        const Lambda* lambda = nullptr;  ///< one of the two
        const FnStmt* fn = nullptr;
        List captured;
        SourcePtr source;
    };
    std::variant<Value, rt::Term, List, Record, Labels, PlateName, Function> node;

    bool is_value() const { return std::holds_alternative<Value>(node); }
    const Value& value() const { return std::get<Value>(node); }
};
using SymbolicFrame = std::vector<Symbolic>;

/// What a builtin of one number is as an operation of terms.
std::optional<rt::TermOp> term_function(std::string_view name);

/// What an operator of the language is as an operation of terms: a > b is b < a, a != b is not a == b.
struct TermOperator {
    rt::TermOp op{};
    BinaryOp step{};  ///< the operator of the language that `op` is
    bool swapped = false;
    bool negated = false;
};
std::optional<TermOperator> term_operator(BinaryOp op);

class TermLowering {
public:
    /// The variable of that name, `theta[2]` included; nothing if there is none.
    using Find = std::function<std::optional<rt::Term>(const std::string& name)>;
    /// What a `?` becomes; left out, it is a fault.
    using Hole = std::function<rt::Term()>;
    /// The values of a variable where they can be listed: what an index that is a variable goes through.
    using DomainOf = std::function<rt::DomainPtr(rt::VarId)>;
    /// The variables of a plate, in their order: what its name means where a list is due.
    using Members = std::function<std::vector<rt::Term>(const std::string& plate)>;
    TermLowering(Evaluator& evaluator, Find find, Hole hole = {}, DomainOf domain_of = {}, Members members = {})
        : self_(evaluator),
          find_(std::move(find)),
          hole_(std::move(hole)),
          domain_of_(std::move(domain_of)),
          members_(std::move(members)) {}

    Result<Symbolic> lower(const Expr& expr, SymbolicFrame& frame);
    /// As a number: E-TYPE if it is something else.
    Result<rt::Term> number(const Expr& expr, SymbolicFrame& frame);
    Result<rt::Term> as_number(const Symbolic& value, Span span);
    /// The probability of each label, where the value is a label or a record of probabilities. Not applicable to other values.
    Attempt<std::vector<std::pair<rt::Label, rt::Term>>> probabilities(const Symbolic& value, Span span);
    /// What a function makes of these arguments; E-TYPE where it is none.
    Result<Symbolic> applied(const Symbolic& function, std::vector<Symbolic> arguments, Span span);

private:
    bool depends(const Expr& expr, const SymbolicFrame& frame) const;
    Result<Symbolic> name(const NameExpr& name, Span span, const SymbolicFrame& frame);
    Result<Symbolic> index(const Index& index, Span span, SymbolicFrame& frame);
    // lower_choice.cpp
    Result<Symbolic> choice(const If& choice, SymbolicFrame& frame);
    /// One of two values, as a condition decides: numbers, labels, or records of numbers.
    Result<Symbolic> chosen(const rt::Term& condition, const Symbolic& yes, Span yes_span, const Symbolic& no, Span no_span);
    /// Where one side is a label: a term that is 1 where both are the same.
    std::optional<rt::Term> same_label(const Symbolic& left, const Symbolic& right) const;
    // lower_index.cpp
    Symbolic together(Symbolic value) const;  ///< a plate by its name is the list of its variables
    Result<Symbolic> index_by_variable(const Index& index, const Symbolic& base, std::vector<Symbolic> at, Span span);
    Result<Symbolic> members(const std::string& name, const Index& index, const std::vector<Symbolic>& at, Span span);
    Result<Symbolic> element(const Index& index, const Symbolic& base, const std::vector<std::string>& labels, Span span);
    Result<Symbolic> call(const Call& call, Span span, SymbolicFrame& frame, const Symbolic* piped);
    /// dot, softmax, … of the standard library, whose terms are shorter than what its definition in the language makes; nothing for others.
    std::optional<Result<Symbolic>> vector_call(const NameExpr& name, const Closure& closure, const std::vector<Symbolic>& arguments,
                                                std::span<const Span> spans);  // lower_vectors.cpp
    Result<Symbolic> lambda(const Lambda& lambda, const SymbolicFrame& frame) const;
    Result<Symbolic> function_call(const Symbolic::Function& function, std::vector<Symbolic> arguments, Span span);
    Result<Symbolic> comprehension(const Comprehension& c, SymbolicFrame& frame);
    Result<Symbolic> binary(const Binary& binary, Span span, SymbolicFrame& frame);
    Result<Symbolic> evaluated(const Expr& expr, const SymbolicFrame& frame);

    Evaluator& self_;
    Find find_;
    Hole hole_;
    DomainOf domain_of_;
    Members members_;
    int depth_ = 0;
};

}  // namespace credence::lang
