#include "lang/builtin/signature.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/lookup.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

OptionForm::OptionForm(const char* form, std::initializer_list<const char*> its_parameters)
    : name(form), parameters(its_parameters.begin(), its_parameters.end()) {}
OptionForm::OptionForm(const OptionForm&) = default;
OptionForm::OptionForm(OptionForm&&) noexcept = default;
OptionForm& OptionForm::operator=(const OptionForm&) = default;
OptionForm& OptionForm::operator=(OptionForm&&) noexcept = default;
OptionForm::~OptionForm() = default;

Builtin::Builtin() = default;
Builtin::Builtin(const Builtin&) = default;
Builtin::Builtin(Builtin&&) noexcept = default;
Builtin& Builtin::operator=(const Builtin&) = default;
Builtin& Builtin::operator=(Builtin&&) noexcept = default;
Builtin::~Builtin() = default;

std::string_view type_name(Type type) {
    static constexpr auto names = std::to_array<std::string_view>({
        "a value",
        "a number",
        "a number or a factor",
        "a whole number",
        "a whole number, 0 or more",
        "a number above 0",
        "a number from 0 to 1",
        "true or false",
        "a label",
        "a text",
        "a list",
        "a list of numbers",
        "an interval a..b or a list of numbers",
        "a record",
        "a set",
        "an instance",
        "a factor",
        "a distribution",
        "a table",
        "a model",
        "a learner",
        "a function",
        "a word",
        "a variable",
        "a list of variables",
        "a column",
        "a list of columns",
        "one of its alternatives",
        "a record of lists, one for each parameter",
        "a list of numbers or a model",
    });
    static_assert(names.size() == static_cast<std::size_t>(Type::start) + 1);
    return rt::value_of(type, names);
}

std::string takes_text(const Parameter& parameter) {
    return parameter.range ? parameter.range->text() : std::string(type_name(parameter.type));
}

bool takes_words(Type type) {
    return type == Type::word || type == Type::variable || type == Type::variables || type == Type::column || type == Type::columns;
}

std::string alternatives_text(const Parameter& parameter) {
    std::vector<std::string> out;
    for (const auto& o : parameter.options)
        out.push_back(o.parameters.empty() ? o.name : fmt::format("{}({})", o.name, rt::joined(o.parameters, ", ")));
    if (!parameter.other.empty()) out.push_back(parameter.other);
    const std::string last = out.back();
    out.pop_back();
    return out.empty() ? last : fmt::format("{} or {}", rt::joined(out, ", "), last);
}

std::string signature_text(const Builtin& builtin) {
    std::string out = builtin.name + "(";
    bool first = true;
    for (const auto& p : builtin.parameters) {
        out += first ? "" : ", ";
        first = false;
        if (p.rest)
            out += p.name + ", …";
        else if (!p.optional)
            out += p.name;
        else
            out += p.fallback.empty() ? "[" + p.name + "]" : p.name + ": " + p.fallback;
    }
    return out + ")";
}

std::variant<Matching, Mismatch> match_arguments(const Builtin& builtin, std::size_t positional, std::span<const std::string> names) {
    const auto& parameters = builtin.parameters;
    Matching out;
    out.argument_of.resize(parameters.size());
    const std::string form = signature_text(builtin);
    for (std::size_t i = 0; i < positional; ++i) {
        if (i < parameters.size() && !parameters[i].rest) {
            out.argument_of[i] = i;
        } else if (!parameters.empty() && parameters.back().rest) {
            if (!out.rest_from) out.rest_from = i;
        } else {
            return Mismatch{{.code = "E-ARGUMENT",
                             .message = fmt::format("{} takes {}, found {}", builtin.name, rt::counted(parameters.size(), "argument"),
                                                    positional + names.size()),
                             .label = "one too many",
                             .hint = "its form is " + form},
                            i};
        }
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == names[k]; });
        if (found == parameters.end()) {
            std::vector<std::string> known;
            for (const auto& p : parameters) known.push_back(p.name);
            rt::Fault fault{.code = "E-PARAMETER", .message = fmt::format("{} has no parameter '{}'", builtin.name, names[k])};
            fault.label = known.empty() ? "it takes none" : fmt::format("its parameters are {}", rt::joined(known, ", "));
            const auto settings =
                std::find_if(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.type == Type::settings; });
            if (const auto near = rt::nearest(names[k], known))
                fault.hint = fmt::format("did you mean '{}'?", *near);
            else if (names[k] == "seed" || names[k] == "random_state")
                fault.hint = "the seed is set for the whole script: set seed 1";
            else if (settings != parameters.end())
                fault.hint = fmt::format("write the values to try in a record: {}: {{{}: [1, 2]}}", settings->name, names[k]);
            return Mismatch{std::move(fault), positional + k};
        }
        const auto index = static_cast<std::size_t>(found - parameters.begin());
        if (out.argument_of[index])
            return Mismatch{
                {.code = "E-ARGUMENT", .message = fmt::format("{} is given '{}' twice", builtin.name, names[k]), .label = "given already"},
                positional + k};
        out.argument_of[index] = positional + k;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (out.argument_of[i] || parameters[i].optional || parameters[i].rest) continue;
        return Mismatch{
            {.code = "E-ARGUMENT",
             .message = fmt::format("{} needs the argument '{}' ({})", builtin.name, parameters[i].name, takes_text(parameters[i])),
             .hint = "its form is " + form},
            std::nullopt};
    }
    return out;
}

}  // namespace credence::lang
