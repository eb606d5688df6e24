#include "lang/cli/repl_complete.hpp"

#include <set>

#include "lang/cli/help.hpp"
#include "lang/cli/line_editor.hpp"
#include "lang/value/show.hpp"

namespace credence::cli {

namespace {

bool in_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool only_blanks(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

std::size_t completion_start(std::string_view before_cursor) {
    std::size_t at = before_cursor.size();
    while (at > 0 && in_word(before_cursor[at - 1])) --at;
    if (at > 0 && before_cursor[at - 1] == ':' && only_blanks(before_cursor.substr(0, at - 1))) --at;
    return at;
}

std::vector<std::string> completions(const lang::Session& session, const std::vector<std::string>& commands,
                                     std::string_view before_cursor) {
    const std::size_t start = completion_start(before_cursor);
    const std::string_view word = before_cursor.substr(start);
    std::set<std::string> found;
    const auto offer = [&](std::string_view name) {
        if (name.starts_with(word) && name.size() > word.size()) found.emplace(name);
    };
    const auto& registry = session.world().registry;
    if (start > 0 && before_cursor[start - 1] == '.' && !(start > 1 && before_cursor[start - 2] == '.')) {
        for (const auto& [key, member] : registry.members()) offer(key.second);
        return {found.begin(), found.end()};
    }
    if (only_blanks(before_cursor.substr(0, start)))
        for (const auto& command : commands) offer(command);
    if (word.starts_with(':')) return {found.begin(), found.end()};
    for (const auto& symbol : session.scope().symbols()) {
        offer(symbol.name);
        if (!symbol.shape) continue;
        for (const auto& variable : symbol.shape->variables) {
            offer(variable.name);
            for (const auto& label : variable.labels.value_or(std::vector<std::string>{}))
                if (lang::is_identifier(label)) offer(label);
        }
    }
    for (const auto& label : session.scope().labels())
        if (lang::is_identifier(label)) offer(label);
    for (const auto& [name, forms] : registry.builtins()) offer(name);
    for (const auto& statement : statements()) offer(statement.name);
    return {found.begin(), found.end()};
}

}  // namespace credence::cli
