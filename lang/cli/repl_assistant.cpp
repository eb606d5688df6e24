#include "lang/cli/repl_assistant.hpp"

#include <algorithm>

#include "lang/service/help.hpp"

namespace credence::cli {

namespace {

using Kind = lang::Completion::Kind;

/// Where the argument of a command or of `help` begins, if the text has come so far.
std::optional<std::size_t> after_word(std::string_view text, std::string_view word) {
    if (!text.starts_with(word) || text.size() == word.size() || (text[word.size()] != ' ' && text[word.size()] != '\t'))
        return std::nullopt;
    return std::min(text.find_first_not_of(" \t", word.size()), text.size());
}

}  // namespace

lang::Completions ReplAssistant::complete(std::string_view line, std::size_t cursor) {
    const std::string_view before = line.substr(0, cursor);
    const auto& session = session_();
    if (above_.empty()) {
        if (before.starts_with('?')) return complete_topic(before, 1);
        if (const auto topic = after_word(before, "help")) return complete_topic(before, *topic);
        if (const auto timed = after_word(before, ":time")) {
            auto out = lang::complete(lang::known_in(session), before.substr(*timed), before.size() - *timed);
            out.start += *timed;
            return out;
        }
        if (before.starts_with(':')) return complete_command(before);
    }
    const std::string whole = above_ + std::string(line);
    auto out = lang::complete(lang::known_in(session), whole, above_.size() + cursor);
    out.start = out.start < above_.size() ? cursor : out.start - above_.size();
    return out;
}

lang::Completions ReplAssistant::complete_command(std::string_view before) const {
    for (const auto* command : {":load", ":save"})
        if (const auto start = after_word(before, command)) {
            // A file name is completed as inside quotes, written with them or not.
            const bool quoted = *start < before.size() && before[*start] == '"';
            const std::size_t name = *start + (quoted ? 1 : 0);
            const std::string text = "\"" + std::string(before.substr(name));
            return {name, lang::complete(lang::known_in(session_()), text, text.size()).items};
        }
    if (const auto start = after_word(before, ":set")) {
        const std::string text = "set " + std::string(before.substr(*start));
        auto out = lang::complete(lang::known_in(session_()), text, text.size());
        out.start = out.start + *start - 4;
        return out;
    }
    lang::Completions out;
    for (const auto& command : commands_)
        if (command.starts_with(before) && command.size() > before.size()) out.items.push_back({command, Kind::keyword});
    return out;
}

lang::Completions ReplAssistant::complete_topic(std::string_view before, std::size_t start) const {
    const auto& session = session_();
    const std::string_view typed = before.substr(start);
    auto topics = lang::help_topics(session.world().registry);
    for (const auto& symbol : session.scope().symbols()) topics.push_back(symbol.name);
    std::sort(topics.begin(), topics.end());
    topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
    lang::Completions out{start, {}};
    for (auto& topic : topics)
        if (topic.starts_with(typed) && topic.size() > typed.size()) out.items.push_back({std::move(topic), Kind::name});
    return out;
}

std::vector<std::string> ReplAssistant::hints(std::string_view line, std::size_t cursor) {
    std::vector<std::string> out;
    const std::string whole = above_ + std::string(line);
    const auto hint = lang::signature_at(lang::known_in(session_()), whole, above_.size() + cursor);
    if (!hint) return out;
    for (const auto& form : hint->forms) out.push_back(form.text);
    return out;
}

std::vector<lang::PaintedSpan> ReplAssistant::paint(std::string_view line) {
    if (above_.empty() && line.starts_with(':')) {
        const auto end = static_cast<std::uint32_t>(std::min(line.find_first_of(" \t"), line.size()));
        return {{{0, end}, lang::Paint::keyword}};
    }
    const std::string whole = above_ + std::string(line);
    auto out = lang::highlight(whole, session_().world().registry);
    const auto offset = static_cast<std::uint32_t>(above_.size());
    std::erase_if(out, [&](const lang::PaintedSpan& s) { return s.span.end <= offset; });
    for (auto& s : out) s.span = {s.span.begin < offset ? 0 : s.span.begin - offset, s.span.end - offset};
    return out;
}

}  // namespace credence::cli
