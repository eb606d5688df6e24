#include "lang/world/messages.hpp"

#include <limits>

#include <fmt/format.h>

#include "lang/syntax/habits.hpp"
#include "lang/world/world.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

std::string did_you_mean(std::string_view found, std::span<const std::string> known) {
    const auto near = rt::nearest(found, known);
    return near ? fmt::format("did you mean '{}'?", *near) : "";
}

std::string listed(std::span<const std::string> words) {
    constexpr std::size_t most = 12;
    std::string out;
    for (std::size_t i = 0; i < words.size() && i < most; ++i) out += (i ? ", " : "") + words[i];
    if (words.size() > most) out += fmt::format(", … ({} more)", words.size() - most);
    return out;
}

std::vector<std::string> label_texts(const rt::Domain& domain) {
    std::vector<std::string> out;
    for (const auto& label : domain.labels()) out.push_back(label.text());
    return out;
}

rt::Fault no_such_label(std::string_view variable, std::span<const std::string> labels, std::string_view found) {
    return {.code = "E-LABEL",
            .message = fmt::format("{} has no value '{}'", variable, found),
            .label = fmt::format("its values are {}", listed(labels)),
            .hint = rt::Label::of_text(found).is_number() ? "" : did_you_mean(found, labels)};
}

rt::Fault no_such_label(const rt::Variable& variable, const rt::Label& label) {
    return no_such_label(variable.name, label_texts(*variable.domain), label.text());
}

rt::Fault no_such_key(const Record& record, std::string_view key) {
    std::vector<std::string> known;
    for (const auto& [name, value] : record.entries) known.push_back(name);
    return {.code = "E-KEY",
            .message = fmt::format("the record has no '{}'", key),
            .label = known.empty() ? "it is empty" : fmt::format("its keys are {}", listed(known)),
            .hint = did_you_mean(key, known)};
}

std::optional<rt::Fault> no_such_plate_member(std::span<const std::string> variables, std::string_view found) {
    const auto bracket = found.find('[');
    const std::string name(found.substr(0, bracket));
    std::vector<std::string> members;
    for (const auto& variable : variables)
        if (variable.starts_with(name + "[")) members.push_back(variable);
    if (members.empty()) return std::nullopt;
    if (bracket == std::string_view::npos)
        return rt::Fault{
            .code = "E-VARIABLE",
            .message = fmt::format("{} stands for {} variables, {} to {}", name, members.size(), members.front(), members.back()),
            .label = "all of them together have no single value",
            .hint = fmt::format("ask about one of them, {}, or about all: all({}, x -> …), any({}, x -> …), sum({})", members.front(), name,
                                name, name)};
    return rt::Fault{.code = "E-VARIABLE",
                     .message = fmt::format("there is no variable {}", found),
                     .label = fmt::format("{} goes from {} to {}", name, members.front(), members.back())};
}

rt::Fault no_such_variable(std::string_view model, std::span<const std::string> variables, std::string_view found) {
    if (auto plate = no_such_plate_member(variables, found)) return *std::move(plate);
    return {.code = "E-VARIABLE",
            .message = fmt::format("{} has no variable '{}'", model, found),
            .label = variables.empty() ? "it has none; query it with functions (filter, smooth, viterbi, likelihood, parse)"
                                       : fmt::format("its variables are {}", listed(variables)),
            .hint = did_you_mean(found, variables)};
}

rt::Fault no_such_member(std::string_view what, std::span<const std::string> known, std::string_view found) {
    rt::Fault out{.code = "E-MEMBER",
                  .message = fmt::format("{} has no member '{}'", what, found),
                  .label = known.empty() ? "it has none" : fmt::format("it has {}", listed(known)),
                  .hint = did_you_mean(found, known)};
    if (out.hint.empty()) out.hint = foreign_member(found);
    return out;
}

rt::Fault not_a_method(MethodUse use) {
    if (use == MethodUse::training)
        return {.code = "E-TRAIN", .message = "by takes the name of a training method", .hint = "as in by em(restarts: 5)"};
    return {.code = "E-ENGINE", .message = "by takes the name of an engine", .hint = "as in by variable_elimination"};
}

namespace {

std::string_view model_word(std::string_view kind) {
    if (kind == "hypotheses") return "hypothesis space";
    if (kind == "hmm") return "hidden Markov model";
    if (kind == "markov") return "undirected model";
    return kind.empty() || kind == "other" ? "model" : kind;
}

/// The models that do have it, where some have.
std::string home_of(MethodUse use, const Registry& registry, std::string_view method) {
    const auto found = registry.methods(use).find(method);
    return found == registry.methods(use).end() ? "" : fmt::format("{} is for {}", method, rt::joined(found->second.front().models, ", "));
}

}  // namespace

rt::Fault no_such_method(MethodUse use, const Registry& registry, std::string_view kind, std::span<const rt::MethodInfo> known,
                         std::string_view found) {
    const bool training = use == MethodUse::training;
    std::vector<std::string> names;
    for (const auto& method : known) names.emplace_back(method.name);
    rt::Fault out{.code = training ? rt::FaultCode("E-TRAIN") : rt::FaultCode("E-ENGINE"),
                  .message = training ? fmt::format("this {} is not trained by '{}'", model_word(kind), found)
                                      : fmt::format("this {} cannot answer by {}", model_word(kind), found),
                  .label = fmt::format("{} {}", training ? "it is trained by" : "it can answer by", rt::joined(names, ", ")),
                  .hint = home_of(use, registry, found)};
    if (out.hint.empty()) out.hint = did_you_mean(found, names);
    return out;
}

rt::Fault no_such_method(MethodUse use, const Registry& registry, std::string_view found) {
    std::vector<std::string> names;
    for (const auto& [name, forms] : registry.methods(use)) names.push_back(name);
    const bool training = use == MethodUse::training;
    return {.code = training ? rt::FaultCode("E-TRAIN") : rt::FaultCode("E-ENGINE"),
            .message = fmt::format("there is no {} '{}'", training ? "training method" : "engine", found),
            .label = fmt::format("there are {}", rt::joined(names, ", ")),
            .hint = did_you_mean(found, names)};
}

std::optional<std::size_t> lines_named(std::string_view word) {
    if (word == "all") return std::numeric_limits<std::size_t>::max();
    if (word == "auto") return Settings{}.lines;
    return std::nullopt;
}

std::optional<rt::Fault> setting_fault(std::string_view name, const rt::Number& value) {
    struct Setting {
        std::string_view name;
        std::int64_t low, high;
        std::string_view message;
    };
    static constexpr Setting settings[] = {{"seed", 0, INT64_MAX, "a seed is a whole number, 0 or more"},
                                           {"digits", 1, 17, "digits go from 1 to 17"},
                                           {"threads", 1, 256, "threads go from 1 to 256"},
                                           {"lines", 10, INT64_MAX, "lines is a number from 10, auto or all"}};
    const std::int64_t whole = (value.is_exact() ? value.exact().to_int64() : std::nullopt).value_or(-1);
    for (const auto& s : settings)
        if (s.name == name && (whole < s.low || whole > s.high)) return rt::Fault{.code = "E-SET", .message = std::string(s.message)};
    return std::nullopt;
}

rt::Fault table_goes_behind_on(std::string_view learner, std::span<const std::string> rest, std::string_view table) {
    return {.code = "E-ARGUMENT",
            .message = fmt::format("{} is a learner: its arguments say how it learns, and train gives it the table", learner),
            .label = "this is a table",
            .hint = fmt::format("train {}({}) on {}", learner, rt::joined(rest, ", "), table)};
}

std::string other_function(std::string_view called, Type found) {
    if (called == "count" && found == Type::text) return "length(s) counts the characters of a text, count(words(s)) its words";
    if (called == "length" && (found == Type::list || found == Type::table))
        return "count(xs) counts the items of a list or the rows of a table";
    return {};
}

rt::Fault open_doing_fault(std::string_view variable) {
    return {.code = "E-QUERY",
            .message = fmt::format("do({}) stands for each of its values, but one value is needed here", variable),
            .hint = fmt::format("do({} = …)", variable)};
}

}  // namespace credence::lang
