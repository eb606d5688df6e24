// Help on the part of the library that is written in the language itself: from its `##` lines.

#include <fmt/format.h>

#include "lang/service/help.hpp"
#include "lang/syntax/parse.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

template <class F>
void each_function(const Prelude& prelude, F f) {
    Diagnostics diagnostics;
    const auto program = parse(std::make_shared<Source>(prelude.name, prelude.text), diagnostics);
    for (const auto& statement : program.statements)
        if (const auto* fn = std::get_if<FnStmt>(&statement->node)) f(*fn, statement->doc);
}

}  // namespace

std::vector<std::string> defined_in(const Prelude& prelude) {
    std::vector<std::string> out;
    each_function(prelude, [&](const FnStmt& fn, const std::string&) { out.push_back(fn.name.text); });
    return out;
}

std::optional<std::string> documentation_in(const Prelude& prelude, std::string_view name) {
    std::optional<std::string> out;
    each_function(prelude, [&](const FnStmt& fn, const std::string& doc) {
        if (fn.name.text != name) return;
        std::vector<std::string> parameters;
        for (const auto& p : fn.params) parameters.push_back(p.text);
        out = fmt::format("{}({})\n  {}\n", fn.name.text, rt::joined(parameters, ", "), doc);
    });
    return out;
}

}  // namespace credence::lang
