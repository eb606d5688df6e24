// "See also", found rather than written: so that it is never out of date.

#include <algorithm>
#include <set>

#include "lang/service/help.hpp"
#include "runtime/core/contains.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_related = 8;
constexpr std::size_t with_neighbours = 5;  // of the same subject, where little else is near

bool in_name(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The words of a text that name something.
std::vector<std::string> names_in(std::string_view text, const Registry& registry) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && in_name(text[end])) ++end;
        const auto word = text.substr(at, end - at);
        // A word of plain English is not a name unless it is called.
        const bool called = end < text.size() && text[end] == '(';
        if (end > at && registry.find(word) && (called || word.find('_') != std::string_view::npos)) out.emplace_back(word);
        at = std::max(end, at + 1);
    }
    return out;
}

std::set<std::string> parts_of(std::string_view name) {
    std::set<std::string> out;
    while (!name.empty()) {
        const auto end = std::min(name.find('_'), name.size());
        if (end >= 3) out.emplace(name.substr(0, end));
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return out;
}

bool share_part(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& part) { return b.contains(part); });
}

}  // namespace

std::vector<std::string> related_names(const Registry& registry, std::string_view name) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& other) {
        if (other != name && out.size() < most_related && !rt::contains(out, other)) out.push_back(other);
    };
    const Overloads* own = registry.find(name);
    std::string text;
    if (own)
        for (const auto& form : own->forms) text += form.summary + " " + form.example + " ";
    for (const auto& s : statements())
        if (s.name == name) text += std::string(s.text) + " " + std::string(s.example);
    for (const auto& [key, member] : registry.members())
        if (key.second == name) text += member.summary + " " + member.example + " ";
    for (const auto use : {MethodUse::answering, MethodUse::training})
        for (const Builtin* form : registry.methods_named(use, name)) text += form->summary + " " + form->example + " ";
    for (const auto& other : names_in(text, registry)) add(other);
    if (!own) return out;
    const auto parts = parts_of(name);
    for (const auto& [other, overloads] : registry.builtins())
        if (share_part(parts, parts_of(other))) add(other);
    // Its neighbours on the page of its subject, learners beside learners.
    const Builtin& first = own->forms.front();
    for (const auto& [other, overloads] : registry.builtins()) {
        const Builtin& form = overloads.forms.front();
        if (out.size() < with_neighbours && form.subject == first.subject && form.learner == first.learner) add(other);
    }
    return out;
}

}  // namespace credence::lang
