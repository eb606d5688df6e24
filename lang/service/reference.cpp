// All help as one page of Markdown; lang/REFERENCE.md is this page, and a test holds it to it.

#include <map>

#include <fmt/format.h>

#include "lang/service/help.hpp"
#include "lang/text/codes.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

std::string block(std::string_view code) {
    while (!code.empty() && code.back() == '\n') code.remove_suffix(1);
    return fmt::format("```\n{}\n```\n\n", code);
}

/// Signs that Markdown would take for its own.
std::string plain(std::string_view text) {
    std::string out;
    bool code = false;
    for (const char c : text) {
        if (c == '`') code = !code;
        if (!code && (c == '*' || c == '_' || c == '<' || c == '|')) out += '\\';
        out += c;
    }
    return out;
}

std::string entry(const Builtin& b, std::string_view prefix, const Registry& registry) {
    std::string out = fmt::format("### `{}{}`\n\n{}\n\n", prefix, signature_text(b), plain(b.summary));
    const std::size_t self = prefix.empty() ? 0 : 1;
    for (std::size_t i = self; i < b.parameters.size(); ++i)
        out += fmt::format("- `{}`: {}\n", b.parameters[i].name, plain(parameter_text(b.parameters[i])));
    if (b.parameters.size() > self) out += "\n";
    if (!b.example.empty()) out += block(b.example);
    if (!prefix.empty()) return out;
    std::vector<std::string> links;
    for (const auto& name : related_names(registry, b.name)) links.push_back("`" + name + "`");
    if (!links.empty()) out += fmt::format("See also {}.\n\n", rt::joined(links, ", "));
    return out;
}

std::string method_entries(const Registry& registry, MethodUse use) {
    std::string out;
    for (const auto& [name, forms] : registry.methods(use)) {
        for (const auto& [form, models] : forms) {
            out += fmt::format("### `{}`\n\n{} For {}.\n\n", method_text(use, form), plain(form.summary), rt::joined(models, ", "));
            for (const auto& p : form.parameters) out += fmt::format("- `{}`: {}\n", p.name, plain(parameter_text(p)));
            if (!form.parameters.empty()) out += "\n";
        }
        out += block(forms.front().form.example);
    }
    return out;
}

}  // namespace

std::string reference_markdown(const Registry& registry) {
    std::string out =
        "# Reference\n\nEverything that `credence help NAME` knows, on one page: made by `credence help --reference`, so change the help "
        "texts and not this "
        "page. [LANGUAGE.md](LANGUAGE.md) explains how it all fits together.\n\n";
    std::map<std::string, std::vector<const Builtin*>> subjects;
    for (const auto& [name, overloads] : registry.builtins())
        for (const auto& form : overloads.forms) subjects[form.subject].push_back(&form);
    std::map<std::string, std::vector<const Builtin*>> kinds;
    for (const auto& [key, member] : registry.members()) kinds[key.first].push_back(&member);

    out += "## Statements and queries\n\n";
    for (const auto& s : statements()) {
        out += fmt::format("### `{}`\n\n", s.name) + block(s.form) + plain(s.text) + "\n\n";
        if (!s.example.empty()) out += block(s.example);
    }
    out += "## Engines\n\n" + method_entries(registry, MethodUse::answering);
    out += "## Training methods\n\n" + method_entries(registry, MethodUse::training);
    for (const auto& [subject, forms] : subjects) {
        out += fmt::format("## Builtins: {}\n\n", subject);
        for (const Builtin* form : forms) out += entry(*form, "", registry);
    }
    for (const auto& prelude : registry.preludes()) {
        out += fmt::format("## Written in Credence: {}\n\n", prelude.name);
        for (const auto& name : defined_in(prelude)) out += fmt::format("### `{}`\n\n", name) + block(*documentation_in(prelude, name));
    }
    for (const auto& [kind, members] : kinds) {
        out += fmt::format("## Members: {}\n\n", kind);
        for (const Builtin* member : members) out += entry(*member, ".", registry);
    }
    out += "## Error codes\n\n";
    for (const auto& code : all_codes()) {
        out += fmt::format("### {}: {}\n\n{}\n\n", code.code.text(), code.title, plain(code.text));
        if (!code.example.empty()) out += block(code.example);
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
}

}  // namespace credence::lang
