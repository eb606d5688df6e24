#pragma once
// The values of the language. Immutable: what is large is shared, so copying a value is cheap.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/core/function_graph.hpp"
#include "runtime/core/label.hpp"
#include "runtime/core/number.hpp"
#include "runtime/core/picture.hpp"
#include "runtime/data/table.hpp"
#include "runtime/prob/distributions/distribution.hpp"
#include "runtime/prob/factors/factor.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {
struct Quantity;
using QuantityPtr = std::shared_ptr<const Quantity>;
}  // namespace credence::rt

namespace credence::lang {

class Value;
struct Function;

using List = std::vector<Value>;

/// The size of a value: levels of nesting, and the number of items including nested ones. Shared parts count each time they occur, as they
/// do when the value is shown, compared or destroyed.
struct Extent {
    std::uint32_t depth = 0;
    double size = 1;
    void contain(const Extent& item);
};
constexpr std::uint32_t deepest_value = 1000;  ///< values are walked by recursion
constexpr double largest_value = 1e8;

/// The items of a list as a value; Value::list makes it.
struct ListNode : List {
    explicit ListNode(List items);
    Extent extent;
};

/// Keys in the order written.
struct Record {
    std::vector<std::pair<std::string, Value>> entries;
    std::size_t row = 0;  ///< of a table's row its position, from 1: what it is as the index of a variable
    Extent extent = {};   ///< Value::record fills it in
    const Value* find(std::string_view key) const;
};

/// Distinct values in the order written; Value::set makes it.
struct Set {
    List items;
    std::unordered_multimap<std::size_t, std::size_t> places;  ///< of items by their hash; of few items: empty
    Extent extent = {};
    bool contains(const Value& item) const;
};

struct Instance {
    List elements;
    Extent extent = {};
};

struct AnyMark {
    friend bool operator==(AnyMark, AnyMark) { return true; }
};  ///< ? in an instance
struct EmptyMark {
    friend bool operator==(EmptyMark, EmptyMark) { return true; }
};  ///< ∅ in an instance

using TextPtr = std::shared_ptr<const std::string>;
using ListPtr = std::shared_ptr<const ListNode>;
using RecordPtr = std::shared_ptr<const Record>;
using SetPtr = std::shared_ptr<const Set>;
using InstancePtr = std::shared_ptr<const Instance>;
using FactorPtr = std::shared_ptr<const rt::Factor>;
using FunctionPtr = std::shared_ptr<const Function>;

/// A declared or trained model, with the name it was declared under (for messages).
struct ModelValue {
    rt::ModelPtr model;
    std::string name;
};

struct Option;
struct LearnerValue;
using OptionPtr = std::shared_ptr<const Option>;
using LearnerValuePtr = std::shared_ptr<const LearnerValue>;

class Value {
public:
    using Node =
        std::variant<rt::Number, bool, TextPtr, ListPtr, RecordPtr, SetPtr, InstancePtr, FactorPtr, rt::DistributionPtr, rt::TablePtr,
                     ModelValue, LearnerValuePtr, FunctionPtr, AnyMark, EmptyMark, OptionPtr, rt::PicturePtr, rt::FunctionGraphPtr,
                     rt::QuantityPtr>;  // a quantity stands for an uncertain value while a query is worked out
    // Out of line, because a variant of so many costs seconds in every unit that copies or destroys it.
    Value();
    Value(Node node);          // NOLINT: implicit by design
    Value(rt::Number number);  // NOLINT
    Value(const Value&);
    Value(Value&&) noexcept;
    Value& operator=(const Value&);
    Value& operator=(Value&&) noexcept;
    ~Value();
    static Value boolean(bool b);
    static Value text(std::string text);
    static Value list(List items);
    static Value record(Record record);
    static Value set(List items);  ///< drops repetitions
    static Value instance(List elements);
    static Value factor(rt::Factor f);
    /// A number label is a number, true and false are booleans, all else is text.
    static Value label(const rt::Label& label);

    const Node& node() const { return node_; }
    template <class T>
    const T* get() const {
        return std::get_if<T>(&node_);
    }
    template <class T>
    bool is() const {
        return std::holds_alternative<T>(node_);
    }

    /// "a number", "a list": for messages.
    std::string_view kind() const;
    /// Numbers, booleans and texts name outcomes; nothing else does.
    std::optional<rt::Label> as_label() const;
    /// A number; true and false count as 1 and 0.
    std::optional<rt::Number> as_number() const;
    /// true or false; 1 and 0 stand for them.
    std::optional<bool> as_truth() const;
    /// Items of a list, set or instance; null for everything else.
    const List* items() const;
    Extent extent() const;

private:
    Node node_;
};

/// An alternative of a parameter that carries arguments of its own: `bins(5)`, `rbf(sigma: 1)`.
struct Option {
    std::string name;
    List positional;
    std::vector<std::pair<std::string, Value>> named;
};

/// A learner with the call that made it: so that it can be shown, and made again with other parameters.
struct LearnerValue {
    rt::LearnerPtr learner;
    std::string name;                                         ///< of the builtin
    std::vector<std::pair<std::string, Value>> parameters{};  ///< those given, by name, in the order of the signature
    std::vector<LearnerValuePtr> before{};                    ///< what prepares its rows: `impute() |> scale() |> svm()`
};

/// Deep equality: exact numbers exactly; a label equals the text of its spelling; sets regardless of order; a factor over one variable
/// equals the record of the same labels and numbers. Functions and models are equal when they are the same object.
bool equal(const Value& a, const Value& b);

/// What a distribution gave: a number, a label or a list of numbers.
Value outcome_value(const rt::Outcome& outcome);

/// A record of numbers as a factor over one variable of the given name.
std::optional<rt::Factor> record_as_factor(const Record& record, std::string variable);

}  // namespace credence::lang
