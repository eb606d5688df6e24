#include "lang/cli/report/html.hpp"

namespace credence::cli {

std::string html_escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            case '\n':
            case '\t':
                out += c;
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
                    out += "\xEF\xBF\xBD";
                else
                    out += c;
        }
    }
    return out;
}

std::string html_element(std::string_view tag, std::string_view classes, std::string_view inner) {
    std::string out = "<" + std::string(tag);
    if (!classes.empty()) out += " class=\"" + std::string(classes) + "\"";
    out += ">";
    out += inner;
    out += "</" + std::string(tag) + ">";
    return out;
}

}  // namespace credence::cli
