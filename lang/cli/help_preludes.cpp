// Help on the part of the library that is written in the language itself: from its `##` lines.

#include <fmt/format.h>

#include "lang/cli/help.hpp"
#include "lang/syntax/parse.hpp"

namespace credence::cli {

namespace {

template <class F>
void each_function(const lang::Prelude& prelude, F f) {
    lang::Diagnostics diagnostics;
    const auto program = lang::parse(std::make_shared<lang::Source>(prelude.name, prelude.text), diagnostics);
    for (const auto& statement : program.statements)
        if (const auto* fn = std::get_if<lang::FnStmt>(&statement->node)) f(*fn, statement->doc);
}

}  // namespace

std::vector<std::string> defined_in(const lang::Prelude& prelude) {
    std::vector<std::string> out;
    each_function(prelude, [&](const lang::FnStmt& fn, const std::string&) { out.push_back(fn.name.text); });
    return out;
}

std::optional<std::string> documentation_in(const lang::Prelude& prelude, std::string_view name) {
    std::optional<std::string> out;
    each_function(prelude, [&](const lang::FnStmt& fn, const std::string& doc) {
        if (fn.name.text != name) return;
        std::vector<std::string> parameters;
        for (const auto& p : fn.params) parameters.push_back(p.text);
        out = fmt::format("{}({})\n  {}\n", fn.name.text, fmt::join(parameters, ", "), doc);
    });
    return out;
}

}  // namespace credence::cli
