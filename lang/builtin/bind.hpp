#pragma once
// A C++ function becomes a builtin: its parameter types are the signature, their conversions the argument checks.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lang/builtin/registry.hpp"

namespace credence::lang {

// Refined types: the domain of an argument is part of the C++ signature.
struct Quantity {
    Value value;
};  ///< a number or a factor
struct Integer {
    std::int64_t value = 0;
};
struct Count {
    std::size_t value = 0;
};
struct Positive {
    rt::Number value;
};
struct Probability {
    rt::Number value;
};
struct Numbers {
    std::vector<rt::Number> values;
};
/// Numbers, or the two ends of `a..b`, which need not be whole numbers here.
struct Interval {
    std::vector<rt::Number> values;
};
struct Choice {
    std::string text;
};  ///< one of the parameter's `words`
/// One of an `option` parameter's alternatives with its arguments (one for each parameter of it; what was left out is empty), or a value of
/// the script's own in its place.
struct Setting {
    std::string name;  ///< empty: see value
    std::vector<std::optional<Value>> arguments = {};
    std::optional<Value> value = {};
};
/// Lists of alternatives by parameter name, as `grid` tries them.
struct SettingLists {
    RecordPtr lists;
};
struct VariableName {
    std::string text;
};
struct VariableNames {
    std::vector<std::string> texts;
};
struct ColumnName {
    std::string text;
};
struct ColumnNames {
    std::vector<std::string> texts;
};
struct Callable {
    Value function;
};
struct Items {
    std::shared_ptr<const List> items;
};  ///< of a list, set or instance; the rows of a table
/// Where learning begins: a list of numbers, or a model.
struct Start {
    Value value;
};
struct Rest {
    std::vector<Value> values;
};  ///< all remaining arguments
struct RestColumns {
    std::vector<std::string> texts;
};  ///< all remaining arguments, columns

template <class T>
using Taken = rt::Result<T>;

/// Conversion of a value to T, or a Fault that says what was needed.
template <class T>
struct Take;

// clang-format off
template <> struct Take<Value>               { static constexpr Type type = Type::any;          static Taken<Value> from(const Value& v, const Parameter&) { return v; } };
template <> struct Take<rt::Number>          { static constexpr Type type = Type::number;       static Taken<rt::Number> from(const Value&, const Parameter&); };
template <> struct Take<Quantity>            { static constexpr Type type = Type::quantity;     static Taken<Quantity> from(const Value&, const Parameter&); };
template <> struct Take<Integer>             { static constexpr Type type = Type::integer;      static Taken<Integer> from(const Value&, const Parameter&); };
template <> struct Take<Count>               { static constexpr Type type = Type::count;        static Taken<Count> from(const Value&, const Parameter&); };
template <> struct Take<Positive>            { static constexpr Type type = Type::positive;     static Taken<Positive> from(const Value&, const Parameter&); };
template <> struct Take<Probability>         { static constexpr Type type = Type::probability;  static Taken<Probability> from(const Value&, const Parameter&); };
template <> struct Take<bool>                { static constexpr Type type = Type::boolean;      static Taken<bool> from(const Value&, const Parameter&); };
template <> struct Take<rt::Label>           { static constexpr Type type = Type::label;        static Taken<rt::Label> from(const Value&, const Parameter&); };
template <> struct Take<std::string>         { static constexpr Type type = Type::text;         static Taken<std::string> from(const Value&, const Parameter&); };
template <> struct Take<Items>               { static constexpr Type type = Type::list;         static Taken<Items> from(const Value&, const Parameter&); };
template <> struct Take<Interval>            { static constexpr Type type = Type::interval;     static Taken<Interval> from(const Value&, const Parameter&); };
template <> struct Take<Numbers>             { static constexpr Type type = Type::numbers;      static Taken<Numbers> from(const Value&, const Parameter&); };
template <> struct Take<RecordPtr>           { static constexpr Type type = Type::record;       static Taken<RecordPtr> from(const Value&, const Parameter&); };
template <> struct Take<FactorPtr>           { static constexpr Type type = Type::factor;       static Taken<FactorPtr> from(const Value&, const Parameter&); };
template <> struct Take<rt::DistributionPtr> { static constexpr Type type = Type::distribution; static Taken<rt::DistributionPtr> from(const Value&, const Parameter&); };
template <> struct Take<rt::TablePtr>        { static constexpr Type type = Type::table;        static Taken<rt::TablePtr> from(const Value&, const Parameter&); };
template <> struct Take<ModelValue>          { static constexpr Type type = Type::model;        static Taken<ModelValue> from(const Value&, const Parameter&); };
template <> struct Take<Callable>            { static constexpr Type type = Type::function;     static Taken<Callable> from(const Value&, const Parameter&); };
template <> struct Take<Choice>                { static constexpr Type type = Type::word;         static Taken<Choice> from(const Value&, const Parameter&); };
template <> struct Take<Setting>             { static constexpr Type type = Type::option;       static Taken<Setting> from(const Value&, const Parameter&); };
template <> struct Take<SettingLists>        { static constexpr Type type = Type::settings;     static Taken<SettingLists> from(const Value&, const Parameter&); };
template <> struct Take<Start>               { static constexpr Type type = Type::start;        static Taken<Start> from(const Value&, const Parameter&); };
template <> struct Take<LearnerValuePtr>     { static constexpr Type type = Type::learner;      static Taken<LearnerValuePtr> from(const Value&, const Parameter&); };
template <> struct Take<VariableName>        { static constexpr Type type = Type::variable;     static Taken<VariableName> from(const Value&, const Parameter&); };
template <> struct Take<VariableNames>       { static constexpr Type type = Type::variables;    static Taken<VariableNames> from(const Value&, const Parameter&); };
template <> struct Take<ColumnName>          { static constexpr Type type = Type::column;       static Taken<ColumnName> from(const Value&, const Parameter&); };
template <> struct Take<ColumnNames>         { static constexpr Type type = Type::columns;      static Taken<ColumnNames> from(const Value&, const Parameter&); };
// clang-format on

/// The documentation of a function: name, parameter names (with default and, for a Choice, its alternatives), summary, an example that is
/// true. Out of line, because hundreds of these are written as lists in braces.
struct Words {
    Words(std::initializer_list<const char*> words = {});
    Words(const Words&);
    Words(Words&&) noexcept;
    ~Words();
    std::vector<const char*> list;
};
struct Options {
    Options(std::initializer_list<OptionForm> forms = {});
    Options(const Options&);
    Options(Options&&) noexcept;
    ~Options();
    std::vector<OptionForm> list;
};
struct ParameterDoc {
    ParameterDoc(std::string_view name, std::string_view fallback = {}, Words words = {}, Options options = {},
                 std::string_view other = {});
    ParameterDoc(const ParameterDoc&);
    ParameterDoc(ParameterDoc&&) noexcept;
    ~ParameterDoc();

    std::string_view name;
    std::string_view fallback;
    Words words;
    Options options;         ///< of a Setting
    std::string_view other;  ///< of a Setting: what else it may be
};
struct Doc {
    Doc(std::string_view subject, std::string_view name, std::vector<ParameterDoc> parameters, std::string_view summary,
        std::string_view example);
    Doc(const Doc&);
    Doc(Doc&&) noexcept;
    ~Doc();

    std::string_view subject;
    std::string_view name;
    std::vector<ParameterDoc> parameters;
    std::string_view summary;
    std::string_view example;
};

namespace detail {

template <class T>
struct Shape {
    using inner = T;
    static constexpr bool optional = false;
    static constexpr bool rest = false;
};
template <class T>
struct Shape<std::optional<T>> {
    using inner = T;
    static constexpr bool optional = true;
    static constexpr bool rest = false;
};
template <>
struct Shape<Rest> {
    using inner = Value;
    static constexpr bool optional = true;
    static constexpr bool rest = true;
};
template <>
struct Shape<RestColumns> {
    using inner = ColumnNames;
    static constexpr bool optional = true;
    static constexpr bool rest = true;
};

/// What the C++ type of a parameter determines.
struct Slot {
    Type type = Type::any;
    bool optional = false;
    bool rest = false;
};
Builtin described(const Doc& doc, std::span<const Slot> slots);  ///< all but what it does

template <class T>
T take_or_default(const std::optional<Value>& argument, const Parameter& parameter) {
    using S = Shape<T>;
    if constexpr (std::is_same_v<T, RestColumns>) {
        RestColumns out;
        if (argument) out.texts = Take<ColumnNames>::from(*argument, parameter)->texts;
        return out;
    } else if constexpr (S::rest) {
        Rest out;
        if (argument) out.values = **argument->get<ListPtr>();
        return out;
    } else if constexpr (S::optional) {
        if (!argument) return std::nullopt;
        return *Take<typename S::inner>::from(*argument, parameter);
    } else {
        return *Take<T>::from(*argument, parameter);
    }
}

template <class... A, std::size_t... I>
Native native(rt::Result<Value> (*function)(CallContext&, A...), std::shared_ptr<const std::vector<Parameter>> parameters,
              std::index_sequence<I...>) {
    return [function, parameters = std::move(parameters)](CallContext& context, [[maybe_unused]] Arguments arguments) -> rt::Result<Value> {
        return function(context, take_or_default<A>(arguments[I], (*parameters)[I])...);
    };
}

std::shared_ptr<const std::vector<Parameter>> shared(const std::vector<Parameter>& parameters);

}  // namespace detail

template <class... A>
Builtin bind(const Doc& doc, rt::Result<Value> (*function)(CallContext&, A...)) {
    static constexpr std::array<detail::Slot, sizeof...(A)> slots{
        detail::Slot{Take<typename detail::Shape<A>::inner>::type, detail::Shape<A>::optional, detail::Shape<A>::rest}...};
    Builtin out = detail::described(doc, slots);
    out.native = detail::native<A...>(function, detail::shared(out.parameters), std::index_sequence_for<A...>{});
    return out;
}

}  // namespace credence::lang
