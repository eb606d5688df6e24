// Search in the help texts, if no name fits: `help "confidence interval"`.

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "lang/service/help.hpp"
#include "lang/text/codes.hpp"
#include "lang/text/width.hpp"

namespace credence::lang {

namespace {

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

/// The words, without the endings that plurals and the like have: "intervals" finds "interval".
std::vector<std::string> stems(std::string_view query) {
    std::vector<std::string> out;
    std::string word;
    const auto end = [&] {
        if (word.size() > 4 && word.ends_with("s")) word.pop_back();
        if (!word.empty()) out.push_back(word);
        word.clear();
    };
    for (const char c : lower_case(query)) {
        if (c == ' ' || c == '"')
            end();
        else
            word += c;
    }
    end();
    return out;
}

/// The first of the sentences that say most of the words.
std::string telling_sentence(std::string_view text, std::span<const std::string> words) {
    constexpr std::size_t longest = 140;
    std::string_view best;
    std::ptrdiff_t most = -1;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(". "), text.size());
        const std::string_view sentence = text.substr(0, std::min(end + 1, text.size()));
        const std::string lower = lower_case(sentence);
        const auto said = std::count_if(words.begin(), words.end(), [&](const auto& w) { return lower.find(w) != std::string::npos; });
        if (said > most) {
            most = said;
            best = sentence;
        }
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    if (best.size() <= longest) return std::string(best);
    return std::string(best.substr(0, best.rfind(' ', longest))) + " …";
}

}  // namespace

std::string search_help(const Registry& registry, std::string_view query, std::size_t width) {
    const auto words = stems(query);
    std::map<std::string, std::string> found;  // by name: the sentence that tells why
    const auto look_at = [&](const std::string& name, std::string_view summary) {
        const std::string text = lower_case(name + " " + std::string(summary));
        if (std::all_of(words.begin(), words.end(), [&](const std::string& w) { return text.find(w) != std::string::npos; }))
            found.try_emplace(name, telling_sentence(summary, words));
    };
    if (words.empty()) return {};
    for (const auto& [name, overloads] : registry.builtins())
        for (const auto& form : overloads.forms) look_at(name, form.summary);
    for (const auto& [key, member] : registry.members()) look_at(key.second, member.summary);
    for (const auto use : {MethodUse::answering, MethodUse::training})
        for (const auto& [name, forms] : registry.methods(use))
            for (const auto& method : forms) look_at(name, method.form.summary);
    for (const auto& s : statements()) look_at(std::string(s.name), s.text);
    for (const auto& code : all_codes()) look_at(std::string(code.code.text()), std::string(code.title) + ". " + std::string(code.text));
    for (const auto& prelude : registry.preludes())
        for (const auto& name : defined_in(prelude))
            if (const auto doc = documentation_in(prelude, name)) look_at(name, doc->substr(doc->find("\n  ") + 3));
    if (found.empty()) return {};
    std::size_t names = 0;
    for (const auto& [name, text] : found) names = std::max(names, name.size());
    const std::string indent(std::min(names + 2, width / 3), ' ');
    std::string out = fmt::format("texts that say '{}':\n", query);
    for (const auto& [name, text] : found) out += wrapped_words(fmt::format("  {:<{}}  {}", name, names, text), width, indent) + '\n';
    return out + "`help NAME` has the details.\n";
}

}  // namespace credence::lang
