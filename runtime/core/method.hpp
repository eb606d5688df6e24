#pragma once
// What may follow `by`: an engine that answers queries (`by gibbs(20000, burn: 500)`), or a method that fills the holes of a model
// (`by em(restarts: 5)`). Each is one record. The check before the run, hints, completion, help and the reference read it, and the
// algorithm gets an options value filled from what was written.

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/core/number.hpp"
#include "runtime/core/result.hpp"

namespace credence::rt {

class Model;
using ModelPtr = std::shared_ptr<const Model>;

/// The numbers that a parameter takes.
struct NumberRange {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool above = false;  ///< `least` itself is not one of them
    bool below = false;  ///< nor is `most`
    bool whole = false;

    bool covers(const Number& number) const;
    std::string text() const;  ///< "a whole number from 1 to 1000", "a number above 0"
};

/// An argument after `by`. Lists of numbers and models say where learning begins.
struct MethodArgument {
    std::string name;  ///< of its parameter
    std::variant<Number, std::string, std::vector<Number>, ModelPtr> value;
    Origin origin = Origin::none;
};

/// A call after `by` whose arguments were checked against the record of what it names.
struct MethodCall {
    std::string name;
    std::vector<MethodArgument> arguments;
    Origin origin = Origin::none;
};

struct MethodParameter {
    enum class Takes {
        number,
        word,    ///< one of `words`
        column,  ///< of the data
        start    ///< a list of numbers, or a model
    };
    std::string_view name;
    Takes takes = Takes::number;
    NumberRange range = {};
    std::span<const std::string_view> words = {};
    std::string (*fallback)() = nullptr;  ///< its default as help shows it; empty if the algorithm finds one
    void (*set)(void* options, const MethodArgument& argument) = nullptr;
};

struct MethodInfo {
    std::string_view name;
    std::span<const MethodParameter> parameters = {};
    std::string_view summary = {};
    std::string_view example = {};  ///< a script that runs clean
};

namespace method_detail {

std::string text_of(double number);
std::string text_of(const Rational& number);
std::size_t whole_number(const Number& number);
Rational exact_number(const Number& number);

/// What a member of the options has to do with a parameter.
template <class T>
struct Member;
template <>
struct Member<std::size_t> {
    static constexpr auto takes = MethodParameter::Takes::number;
    static constexpr bool whole = true;
    static void set(std::size_t& to, const MethodArgument& from) { to = whole_number(std::get<Number>(from.value)); }
    static std::string text(std::size_t value) { return std::to_string(value); }
};
template <>
struct Member<double> {
    static constexpr auto takes = MethodParameter::Takes::number;
    static constexpr bool whole = false;
    static void set(double& to, const MethodArgument& from) { to = std::get<Number>(from.value).real(); }
    static std::string text(double value) { return text_of(value); }
};
template <>
struct Member<Rational> {
    static constexpr auto takes = MethodParameter::Takes::number;
    static constexpr bool whole = false;
    static void set(Rational& to, const MethodArgument& from) { to = exact_number(std::get<Number>(from.value)); }
    static std::string text(const Rational& value) { return text_of(value); }
};
template <>
struct Member<std::string> {
    static constexpr auto takes = MethodParameter::Takes::column;
    static constexpr bool whole = false;
    static void set(std::string& to, const MethodArgument& from) { to = std::get<std::string>(from.value); }
    static std::string text(const std::string& value) { return value; }
};
template <class T>
struct Member<std::optional<T>> {  // what is left out, the algorithm finds
    static constexpr auto takes = Member<T>::takes;
    static constexpr bool whole = Member<T>::whole;
    static void set(std::optional<T>& to, const MethodArgument& from) { Member<T>::set(to.emplace(), from); }
    static std::string text(const std::optional<T>& value) { return value ? Member<T>::text(*value) : std::string(); }
};
template <>
struct Member<std::optional<MethodArgument>> {
    static constexpr auto takes = MethodParameter::Takes::start;
    static constexpr bool whole = false;
    static void set(std::optional<MethodArgument>& to, const MethodArgument& from) { to = from; }
    static std::string text(const std::optional<MethodArgument>&) { return {}; }
};

}  // namespace method_detail

/// A parameter that fills a member of O.
template <class O>
struct Option : MethodParameter {};

/// `member`: a member of O, or a function that leads to one. Its type says what the parameter takes, its value in O{} is the default.
template <class O, auto member>
constexpr Option<O> option(std::string_view name, NumberRange range = {}, std::span<const std::string_view> words = {}) {
    using T = std::remove_cvref_t<std::invoke_result_t<decltype(member), O&>>;
    using M = method_detail::Member<T>;
    Option<O> out;
    out.name = name;
    out.takes = words.empty() ? M::takes : MethodParameter::Takes::word;
    out.range = range;
    out.range.whole = M::whole;
    out.words = words;
    out.fallback = +[] {
        O options;
        return M::text(std::invoke(member, options));
    };
    out.set = +[](void* options, const MethodArgument& argument) { M::set(std::invoke(member, *static_cast<O*>(options)), argument); };
    return out;
}

/// A record with parameters, which are the members of O.
template <class O, std::size_t N>
class MethodRecord {
public:
    constexpr MethodRecord(std::string_view name, const Option<O> (&parameters)[N], std::string_view summary, std::string_view example)
        : name_(name), summary_(summary), example_(example) {
        for (std::size_t i = 0; i < N; ++i) parameters_[i] = parameters[i];
    }
    constexpr MethodInfo info() const { return {name_, parameters_, summary_, example_}; }
    O options(const MethodCall& call) const {
        O out;
        for (const auto& argument : call.arguments)
            for (const auto& p : parameters_)
                if (p.name == argument.name) p.set(&out, argument);
        return out;
    }

private:
    std::string_view name_;
    std::string_view summary_;
    std::string_view example_;
    std::array<MethodParameter, N> parameters_;
};

const MethodInfo* find_method(std::span<const MethodInfo> methods, std::string_view name);

// Engines that models of several rooms have.
inline constexpr MethodInfo exact_engine{
    "exact",
    {},
    "The best of the exact engines for the question; used when `by` is left out.",
    "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Rain = true | Wet = true) by exact == 9/13"};
inline constexpr MethodInfo enumeration_engine{
    "enumeration",
    {},
    "Sums over every combination of values: the definition itself, for small models.",
    "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Wet = true) by enumeration == 0.26"};

}  // namespace credence::rt
