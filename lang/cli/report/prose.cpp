#include "lang/cli/report/prose.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "lang/cli/report/html.hpp"
#include "lang/cli/report/math_html.hpp"

namespace credence::cli {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Only addresses that cannot run anything: of the web, of mail, places on the page and files in its folder.
bool is_safe_address(std::string_view address) {
    const auto colon = address.find(':');
    const auto slash = address.find_first_of("/#?");
    if (colon == std::string_view::npos || (slash != std::string_view::npos && slash < colon)) return !address.starts_with("//");
    return address.starts_with("https:") || address.starts_with("http:") || address.starts_with("mailto:");
}

/// The position of the closing mark, not directly after a blank; npos if nothing closes it.
std::size_t closing(std::string_view text, std::size_t from, std::string_view mark) {
    for (std::size_t at = text.find(mark, from); at != std::string_view::npos; at = text.find(mark, at + 1))
        if (at > from && text[at - 1] != ' ') return at;
    return std::string_view::npos;
}

bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || (static_cast<unsigned char>(c) & 0x80U) != 0; }

struct Piece {
    std::size_t length = 0;  ///< of the text that it takes; 0: nothing begins here
    std::string html;
};

Piece link_at(std::string_view rest) {
    const auto bracket = rest.find("](");
    const auto end = bracket == std::string_view::npos ? bracket : rest.find(')', bracket);
    if (end == std::string_view::npos) return {};
    const auto address = trimmed(rest.substr(bracket + 2, end - bracket - 2));
    if (!is_safe_address(address)) return {};
    return {end + 1, fmt::format("<a href=\"{}\">{}</a>", html_escaped(address), prose_inline(rest.substr(1, bracket - 1)))};
}

Piece piece_at(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    const char c = rest.front();
    if (c == '\\' && rest.size() > 1 && std::ispunct(static_cast<unsigned char>(rest[1]))) return {2, html_escaped(rest.substr(1, 1))};
    if (c == '`') {
        const auto end = rest.find('`', 1);
        if (end == std::string_view::npos || end == 1) return {};
        return {end + 1, html_element("code", "", html_escaped(rest.substr(1, end - 1)))};
    }
    if (c == '$' && rest.size() > 1 && rest[1] != ' ') {
        const auto end = closing(rest, 1, "$");
        const bool amount =
            end != std::string_view::npos && end + 1 < rest.size() && std::isdigit(static_cast<unsigned char>(rest[end + 1]));
        if (end == std::string_view::npos || amount) return {};
        return {end + 1, math_html(rest.substr(1, end - 1))};
    }
    if (c == '[') return link_at(rest);
    if (c != '*' && c != '_') return {};
    if (c == '_' && at > 0 && continues_word(text[at - 1])) return {};
    const bool strong = rest.size() > 1 && rest[1] == c;
    const std::string mark(strong ? 2 : 1, c);
    if (rest.size() <= mark.size() || rest[mark.size()] == ' ') return {};
    const auto end = closing(rest, mark.size(), mark);
    if (end == std::string_view::npos) return {};
    if (c == '_' && end + mark.size() < rest.size() && continues_word(rest[end + mark.size()])) return {};
    return {end + mark.size(), html_element(strong ? "strong" : "em", "", prose_inline(rest.substr(mark.size(), end - mark.size())))};
}

/// The mark of an item with the blanks after it: "- ", "* " or "1. "; 0 if the line begins none.
std::size_t item_mark(std::string_view line) {
    if (line.starts_with("- ") || line.starts_with("* ")) return 2;
    const auto digits = line.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || digits > 3 || !line.substr(digits).starts_with(". ")) return 0;
    return digits + 2;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool is_rule(std::string_view line) { return line.size() >= 3 && line.find_first_not_of('-') == std::string_view::npos; }

/// Whether a line ends the paragraph before it.
bool begins_block(std::string_view line) {
    const auto text = trimmed(line);
    return text.empty() || text.starts_with('#') || text.starts_with("> ") || text.starts_with("```") || item_mark(text) > 0 ||
           is_rule(text);
}

std::string heading_id(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!out.empty() && out.back() != '-')
            out += '-';
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out.empty() ? "section" : out;
}

/// A list from its first item to the line after it; items with more indentation are lists of their own.
std::string list_html(const std::vector<std::string>& lines, std::size_t& at) {
    const std::size_t indent = indent_of(lines[at]);
    const bool numbered = std::isdigit(static_cast<unsigned char>(trimmed(lines[at]).front())) != 0;
    std::string out;
    while (at < lines.size()) {
        const std::string_view line = lines[at];
        const auto text = trimmed(line);
        const std::size_t mark = item_mark(text);
        if (mark == 0 || indent_of(line) < indent) break;
        std::string item(trimmed(text.substr(mark)));
        ++at;
        while (at < lines.size() && !begins_block(lines[at])) item += " " + std::string(trimmed(lines[at++]));
        std::string inner = prose_inline(item);
        while (at < lines.size() && item_mark(trimmed(lines[at])) > 0 && indent_of(lines[at]) > indent) inner += list_html(lines, at);
        out += html_element("li", "", inner) + "\n";
    }
    return html_element(numbered ? "ol" : "ul", "", "\n" + out) + "\n";
}

}  // namespace

std::string prose_inline(std::string_view text) {
    std::string out;
    std::size_t plain = 0;  // where the text began that has no marks
    for (std::size_t at = 0; at < text.size();) {
        Piece piece = std::string_view("\\`$[*_").find(text[at]) == std::string_view::npos ? Piece{} : piece_at(text, at);
        if (piece.length == 0) {
            ++at;
            continue;
        }
        out += html_escaped(text.substr(plain, at - plain)) + piece.html;
        at += piece.length;
        plain = at;
    }
    return out + html_escaped(text.substr(plain));
}

std::string Prose::heading(std::string_view line) {
    const auto level = std::min<std::size_t>(3, line.find_first_not_of('#'));
    const auto text = trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size())));
    Heading out{static_cast<int>(level), heading_id(text), prose_inline(text), std::string(text)};
    if (headings_.empty() && level == 1 && text == title_) {
        title_.clear();
        return "";
    }
    const auto taken = [&](const std::string& id) {
        return std::any_of(headings_.begin(), headings_.end(), [&](const Heading& h) { return h.id == id; });
    };
    const std::string base = out.id;
    for (int n = 2; taken(out.id); ++n) out.id = fmt::format("{}-{}", base, n);
    headings_.push_back(out);
    const int tag = out.level + 1;  // the page's title is the only h1
    return fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", tag, out.id, out.html);
}

std::string Prose::html(const std::vector<std::string>& lines) {
    std::string out;
    for (std::size_t at = 0; at < lines.size();) {
        const auto text = trimmed(lines[at]);
        if (text.empty()) {
            ++at;
        } else if (text.starts_with('#') && text.find_first_not_of('#') != std::string_view::npos) {
            out += heading(text);
            ++at;
        } else if (is_rule(text)) {
            out += "<hr>\n";
            ++at;
        } else if (text.starts_with("```")) {
            std::string code;
            for (++at; at < lines.size() && !trimmed(lines[at]).starts_with("```"); ++at) code += lines[at] + "\n";
            if (at < lines.size()) ++at;
            out += html_element("pre", "sample", html_element("code", "", html_escaped(code))) + "\n";
        } else if (text.starts_with("> ")) {
            std::string quoted;
            for (; at < lines.size() && trimmed(lines[at]).starts_with('>'); ++at)
                quoted += (quoted.empty() ? "" : " ") + std::string(trimmed(trimmed(lines[at]).substr(1)));
            out += html_element("blockquote", "", html_element("p", "", prose_inline(quoted))) + "\n";
        } else if (item_mark(text) > 0) {
            out += list_html(lines, at);
        } else {
            std::string paragraph(text);
            for (++at; at < lines.size() && !begins_block(lines[at]); ++at) paragraph += " " + std::string(trimmed(lines[at]));
            out += html_element("p", "", prose_inline(paragraph)) + "\n";
        }
    }
    return out;
}

}  // namespace credence::cli
