#include "lang/text/render_text.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "lang/text/width.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t widest_line = 160;  // characters of a source line shown

/// Bytes of the UTF-8 character at the start of the text; 0 if there is none.
std::size_t character_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 0;
    return length;
}

/// Tabs become four spaces; control bytes and bytes that are not UTF-8 become one sign each, so that the caret is where the eye expects
/// it.
std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const char c = text[0];
        if (c == '\t')
            out += "    ";
        else if (length == 0)
            out += "\uFFFD";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            out += '.';
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return out;
}

std::string painted(std::string_view text, std::string_view code, bool color) {
    return color ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

/// The part of a line around the span, cut at character borders where the line is very long.
struct Excerpt {
    std::string before, marked, after;
    bool cut_left = false, cut_right = false;
};

Excerpt excerpt(const Source& source, Span span, std::size_t line_number, std::size_t widest) {
    const std::string_view line = source.line(line_number);
    const std::size_t start = source.line_start(line_number);
    const std::size_t begin = std::min<std::size_t>(span.begin - start, line.size());
    const std::size_t end = std::clamp<std::size_t>(span.end > start ? span.end - start : 0, begin, line.size());
    Excerpt out;
    std::size_t left = 0;
    std::size_t right = line.size();
    const auto border = [&](std::size_t i) {
        while (i > 0 && i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0U) == 0x80U) --i;
        return i;
    };
    if (line.size() > widest) {
        left = border(begin > widest / 2 ? begin - widest / 2 : 0);
        right = border(std::min(line.size(), left + widest));
        out.cut_left = left > 0;
        out.cut_right = right < line.size();
    }
    const std::size_t stop = std::min(end, right);
    out.before = printable(line.substr(left, begin - left));
    out.marked = printable(line.substr(begin, stop > begin ? stop - begin : 0));
    out.after = printable(line.substr(std::max(begin, stop), right - std::max(begin, stop)));
    return out;
}

/// "note: …" with the first word painted, broken to fit.
std::string headed(std::string_view head, std::string_view color_of_head, const std::string& text, std::string_view color_of_text,
                   const RenderStyle& style) {
    const std::string whole = fmt::format("{} {}", head, text);
    const std::string lines = style.width ? wrapped_words(whole, *style.width, "  ") : whole;
    const std::string rest = lines.substr(head.size() + 1);
    return fmt::format("{} {}\n", painted(head, color_of_head, style.color),
                       color_of_text.empty() ? rest : painted(rest, color_of_text, style.color));
}

/// The carets with their label to the right, or below if it does not fit.
std::string marked_line(const Diagnostic& d, std::string_view margin, std::string_view bar, const Excerpt& part, const RenderStyle& style) {
    const std::size_t indent = display_width(part.before) + (part.cut_left ? 1 : 0);
    const std::string carets(std::max<std::size_t>(1, display_width(part.marked)), '^');
    const std::string label = printable(d.label);
    const std::size_t before = margin.size() + 2;
    const bool fits = !style.width || label.empty() || before + indent + carets.size() + 1 + display_width(label) <= *style.width;
    std::string out = fmt::format("{}{} {}{}\n", margin, bar, std::string(indent, ' '),
                                  painted(fits && !label.empty() ? carets + " " + label : carets, "1;31", style.color));
    if (fits) return out;
    const std::string lines = wrapped_words(label, *style.width > before + 20 ? *style.width - before : 20);
    for (std::size_t at = 0; at <= lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        out += fmt::format("{}{} {}\n", margin, bar, painted(lines.substr(at, end - at), "1;31", style.color));
        at = end + 1;
    }
    return out;
}

}  // namespace

std::string render_text(const Diagnostic& d, const RenderStyle& style) {
    if (d.severity == Severity::note) {
        const std::string place = d.source ? fmt::format(" (line {})", d.source->position(d.span.begin).line) : "";
        return headed("note:", "1;36", d.message + place, "", style);
    }
    const auto fitted = [&](std::string text, std::string_view indent) {
        return style.width ? wrapped_words(text, *style.width, indent) : text;
    };
    std::string out = headed(fmt::format("error[{}]:", d.code.text()), "1;31", printable(d.message), "1", style);
    if (d.source) {
        const Position at = d.source->position(d.span.begin);
        const std::string number = std::to_string(at.line);
        const std::string margin(number.size() + 2, ' ');
        const auto blue = [&](std::string_view text) { return painted(text, "1;34", style.color); };
        const std::size_t widest =
            style.width ? std::max<std::size_t>(30, *style.width - std::min(*style.width, margin.size() + 4)) : widest_line;
        const Excerpt part = excerpt(*d.source, d.span, at.line, std::min(widest, widest_line));
        out += fmt::format("{}{} {}:{}:{}\n", std::string(number.size() + 1, ' '), blue("-->"), d.source->name(), at.line, at.column);
        out += fmt::format("{}{}\n", margin, blue("|"));
        out += fmt::format(" {} {} {}{}{}{}{}\n", blue(number), blue("|"), part.cut_left ? "…" : "", part.before, part.marked, part.after,
                           part.cut_right ? "…" : "");
        out += marked_line(d, margin, blue("|"), part, style);
        for (const auto& help : d.help) out += fitted(fmt::format("{}= help: {}", margin, printable(help)), "        ") + "\n";
        return out;
    }
    if (!d.label.empty()) out += fitted(fmt::format("  {}", d.label), "") + "\n";
    for (const auto& help : d.help) out += fitted(fmt::format("  = help: {}", help), "        ") + "\n";
    return out;
}

void sort_diagnostics(Diagnostics& diagnostics) {
    std::map<const Source*, std::size_t> order;  // files in the order they were read
    for (const auto& d : diagnostics) order.emplace(d.source.get(), order.size());
    const auto key = [&](const Diagnostic& d) { return std::tuple(order.at(d.source.get()), d.span.begin, d.severity); };
    std::stable_sort(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
    const auto same = [](const Diagnostic& a, const Diagnostic& b) {
        return a.code == b.code && a.message == b.message && a.span == b.span && a.source == b.source;
    };
    diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), same), diagnostics.end());
}

}  // namespace credence::lang
