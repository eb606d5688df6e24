// Help from the same tables that the checker uses.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lang/service/help.hpp"
#include "lang/text/codes.hpp"
#include "lang/text/width.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
    std::string out(indent);
    std::size_t column = indent.size();
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        const auto word = text.substr(0, end);
        if (column + word.size() > width && column > indent.size()) {
            out += "\n" + std::string(indent);
            column = indent.size();
        } else if (column > indent.size()) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        text = end == text.size() ? std::string_view{} : text.substr(end + 1);
    }
    return out;
}

std::string indented(std::string_view text, std::string_view by) {
    std::string out(by);
    for (const char c : text) {
        out += c;
        if (c == '\n') out += by;
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
    return out;
}

/// The first line at `indent`, those that follow four blanks deeper.
std::string hanging(const std::string& text, std::size_t width, std::string_view indent) {
    return wrapped_words(std::string(indent) + text, width, "    ");
}

std::string of_parameters(const Builtin& b, std::size_t width) {
    std::string out;
    for (const auto& p : b.parameters) out += hanging(fmt::format("{}: {}", p.name, parameter_text(p)), width, "    ") + "\n";
    return out;
}

std::string of_builtin(const Builtin& b, std::string_view prefix, std::size_t width) {
    std::string out = hanging(std::string(prefix) + signature_text(b), width, "") + "\n" + wrapped(b.summary, width, "  ") + "\n" +
                      of_parameters(b, width);
    if (!b.example.empty()) out += hanging("Example: " + b.example, width, "  ") + "\n";
    return out;
}

std::string of_methods(const Registry& registry, MethodUse use, std::string_view topic, std::size_t width) {
    std::string out;
    const auto found = registry.methods(use).find(topic);
    if (found == registry.methods(use).end()) return out;
    for (const auto& [form, models] : found->second) {
        out += fmt::format("{}\n{}\n", method_text(use, form), wrapped(form.summary, width, "  ")) + of_parameters(form, width);
        out += wrapped("For " + rt::joined(models, ", ") + ".", width, "  ") + "\n";
    }
    return out + indented(found->second.front().form.example, "  ") + "\n";
}

/// What a model has that a learner of this name made.
std::vector<std::string> members_of_model(const Registry& registry, std::string_view learner) {
    std::vector<std::string> out;
    for (const auto& name : registry.member_names(learner)) out.push_back("." + name);
    return out;
}

/// The subject in a column of its own, its names beside it.
std::string named_line(std::string_view subject, const std::vector<std::string>& names, std::size_t width) {
    const std::string indent(15, ' ');
    std::string out = wrapped(rt::joined(names, " "), width, indent);
    return fmt::format("{:<14} {}\n", subject, out.substr(indent.size()));
}

std::string map_of_everything(const Registry& registry, std::size_t width) {
    width = std::min<std::size_t>(width, 79);
    std::map<std::string, std::vector<std::string>> subjects;
    for (const auto& [name, overloads] : registry.builtins()) subjects[overloads.forms.front().subject].push_back(name);
    std::string out = wrapped("Credence: an overview. `help NAME` has the details, `help CODE` explains an error.", width, "") + "\n\n";
    std::vector<std::string> names;
    for (const auto& s : statements()) names.emplace_back(s.name);
    out += named_line("language", names, width);
    for (const auto use : {MethodUse::answering, MethodUse::training}) {
        names.clear();
        for (const auto& [name, forms] : registry.methods(use)) names.push_back(name);
        out += named_line(use == MethodUse::training ? "training" : "engines", names, width);
    }
    for (const auto& [subject, all] : subjects) out += named_line(subject, all, width);
    for (const auto& prelude : registry.preludes()) out += named_line("in Credence", defined_in(prelude), width);
    std::size_t members = 0;
    std::set<std::string> kinds;
    for (const auto& [key, member] : registry.members()) {
        ++members;
        kinds.insert(key.first);
    }
    out += wrapped(fmt::format("Also: {} members of {} kinds of values (help cpt, help history), and {} error codes (help E-ZERO).",
                               members, kinds.size(), all_codes().size()),
                   width, "") +
           "\n";
    return out;
}

}  // namespace

std::string method_text(MethodUse use, const Builtin& method) {
    return fmt::format("{} by {}", use == MethodUse::training ? "train MODEL on DATA" : "QUERY",
                       method.parameters.empty() ? method.name : signature_text(method));
}

std::string parameter_text(const Parameter& p) {
    std::string out = takes_text(p);
    if (!p.words.empty()) out = rt::joined(p.words, " | ");
    if (!p.options.empty()) out = alternatives_text(p);
    if (p.optional && !p.fallback.empty()) out += fmt::format(" [{}]", p.fallback);
    return out;
}

std::optional<std::string> help_text(const Registry& registry, std::string_view topic, std::size_t width) {
    if (topic.empty()) return map_of_everything(registry, width);
    if (const auto* code = find_code(topic))
        return fmt::format("{}: {}\n{}\n{}", code->code.text(), code->title, wrapped(code->text, width, "  "),
                           code->example.empty() ? "" : fmt::format("  Example:\n{}\n", indented(code->example, "    ")));
    std::string out;
    if (const auto* overloads = registry.find(topic))
        for (const auto& form : overloads->forms) out += of_builtin(form, "", width);
    for (const auto& [key, member] : registry.members())
        if (key.second == topic) out += of_builtin(member, "member of a " + key.first + ": .", width);
    for (const auto use : {MethodUse::answering, MethodUse::training}) out += of_methods(registry, use, topic, width);
    for (const auto& s : statements())
        if (s.name == topic) out += fmt::format("{}\n{}\n{}\n", s.form, wrapped(s.text, width, "  "), indented(s.example, "  "));
    for (const auto& prelude : registry.preludes())
        if (const auto doc = documentation_in(prelude, topic)) out += *doc;
    if (out.empty()) return std::nullopt;
    if (const auto members = members_of_model(registry, topic); !members.empty())
        out += wrapped("Members of the model: " + rt::joined(members, " "), width, "  ") + "\n";
    if (const auto related = related_names(registry, topic); !related.empty())
        out += wrapped("See also: " + rt::joined(related, ", "), width, "  ") + "\n";
    return out;
}

std::vector<std::string> help_topics(const Registry& registry) {
    std::vector<std::string> out;
    for (const auto& entry : registry.builtins()) out.push_back(entry.first);
    for (const auto& entry : registry.members()) out.push_back(entry.first.second);
    for (const auto& s : statements()) out.emplace_back(s.name);
    for (const auto use : {MethodUse::answering, MethodUse::training})
        for (const auto& entry : registry.methods(use)) out.push_back(entry.first);
    for (const auto& prelude : registry.preludes())
        for (auto& name : defined_in(prelude)) out.push_back(std::move(name));
    for (const auto& code : all_codes()) out.emplace_back(code.code.text());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace credence::lang
