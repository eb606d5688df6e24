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

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (static_cast<unsigned char>(c) & 0x80U) != 0; }

/// Whether a word of the text begins so; a short one has to be the whole word: "em" is not in "them" nor in "empty".
bool says(std::string_view text, std::string_view word) {
    constexpr std::size_t shortest_beginning = 4;
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !is_letter(text[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (word.size() >= shortest_beginning || end == text.size() || !is_letter(text[end]))) return true;
    }
    return false;
}

std::ptrdiff_t count_said(std::string_view text, std::span<const std::string> words) {
    return std::count_if(words.begin(), words.end(), [&](const auto& w) { return says(text, w); });
}

/// What a form can be asked for by: its parameters and their alternatives.
std::string parameter_words(const Builtin& form) {
    std::string out;
    for (const auto& p : form.parameters) {
        out += " " + p.name;
        for (const auto& word : p.words) out += " " + word;
        for (const auto& option : p.options) out += " " + option.name;
    }
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
        const auto said = count_said(lower_case(sentence), words);
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
    struct Found {
        std::string sentence;  ///< that tells why
        std::ptrdiff_t in_name = 0;
    };
    std::map<std::string, Found> found;  // those that say the most of the words
    std::ptrdiff_t most = 1;
    const auto look_at = [&](const std::string& name, std::string_view summary, std::string_view more = {}) {
        const auto said = count_said(lower_case(fmt::format("{} {} {}", name, summary, more)), words);
        if (said < most) return;
        if (said > most) found.clear();
        most = said;
        found.try_emplace(name, Found{telling_sentence(summary, words), count_said(lower_case(name), words)});
    };
    if (words.empty()) return {};
    for (const auto& [name, overloads] : registry.builtins())
        for (const auto& form : overloads.forms) look_at(name, form.summary, parameter_words(form));
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
    constexpr std::size_t most_shown = 20;
    std::vector<std::pair<std::string, Found>> shown(found.begin(), found.end());
    std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) { return a.second.in_name > b.second.in_name; });
    if (shown.size() > most_shown) shown.resize(most_shown);
    std::size_t names = 0;
    for (const auto& [name, why] : shown) names = std::max(names, name.size());
    const std::string indent(std::min(names + 2, width / 3), ' ');
    const bool all = static_cast<std::size_t>(most) == words.size();
    std::string out = fmt::format("texts that say {}'{}':\n", all ? "" : "some of ", query);
    for (const auto& [name, why] : shown)
        out += wrapped_words(fmt::format("  {:<{}}  {}", name, names, why.sentence), width, indent) + '\n';
    if (found.size() > shown.size()) out += fmt::format("  … {} more\n", found.size() - shown.size());
    return out + "`help NAME` has the details.\n";
}

}  // namespace credence::lang
