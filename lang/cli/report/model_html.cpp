#include "lang/cli/report/model_html.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lang/cli/report/html.hpp"
#include "lang/cli/report/value_html.hpp"
#include "lang/value/layout.hpp"
#include "runtime/core/text.hpp"
#include "stdlib/plots/drawing.hpp"

namespace credence::cli {

namespace {

using namespace lang;

constexpr std::size_t most_distributions = 24;

std::string distributions_html(const rt::ModelPart::NamedDistributions& all, const ShowOptions& options) {
    std::string body;
    const std::size_t shown = std::min(all.size(), most_distributions);
    for (std::size_t i = 0; i < shown; ++i)
        body += html_element("tr", "",
                             "<th scope=\"row\">" + html_escaped(all[i].first) + "</th>" +
                                 html_element("td", "", html_escaped(show_inline(Value(Value::Node(all[i].second)), options))));
    if (shown < all.size()) body += fmt::format("<tr><td class=\"more\" colspan=\"2\">{}</td></tr>", more_text(all.size() - shown));
    return html_element("table", "data", "<tbody>" + body + "</tbody>");
}

std::string part_html(const rt::ModelPart& part, const ShowOptions& options) {
    if (const auto* t = std::get_if<rt::TablePtr>(&part.value)) return table_html(**t, part.name, options.digits, TableForm::part);
    if (const auto* f = std::get_if<rt::Factor>(&part.value)) return factor_html(*f, part.name, options.digits);
    if (const auto* d = std::get_if<rt::ModelPart::NamedDistributions>(&part.value)) return distributions_html(*d, options);
    return text_html(first_lines(std::get<std::string>(part.value), 60));
}

/// A text of one line follows its name: "kernel: rbf(1)", "x ~ normal(0, 1)".
std::optional<std::string> named_text(const rt::ModelPart& part) {
    const auto* text = std::get_if<std::string>(&part.value);
    if (!text || text->find('\n') != std::string::npos) return std::nullopt;
    const bool reads_on = text->starts_with('~') || text->starts_with('=') || *text == "?";
    return fmt::format("{}{} {}", part.name, reads_on ? "" : ":", *text);
}

std::string parts_html(const ModelValue& m, const rt::ModelParts& parts, const ShowOptions& options) {
    std::string out = html_element("p", "single", html_escaped(show_inline(Value(Value::Node(m)), options)));
    const auto is_block = [&](const rt::ModelPart& part) { return !part.only_in_summary && !part_in_line(part, options); };
    const bool headed = std::count_if(parts.begin(), parts.end(), is_block) > 1;
    std::vector<std::string> line;
    const auto flush = [&] {
        if (!line.empty()) out += html_element("p", "aside", html_escaped(rt::joined(line, ", ")));
        line.clear();
    };
    for (const auto& part : parts) {
        if (part.only_in_summary) continue;
        if (auto text = part_in_line(part, options)) {
            line.push_back(*std::move(text));
            continue;
        }
        flush();
        if (const auto text = named_text(part)) {
            out += html_element("p", "aside", html_escaped(*text));
            continue;
        }
        const auto* factor = std::get_if<rt::Factor>(&part.value);
        if (headed && !(factor && factor->variables().size() > 1)) out += html_element("p", "part", html_escaped(part.name));
        out += part_html(part, options);
    }
    flush();
    return out;
}

}  // namespace

std::string model_html(const ModelValue& m, int digits) {
    constexpr std::size_t most_nodes = 40;
    const ShowOptions options{.digits = digits};
    const Value value{Value::Node(m)};
    const auto picture = std_::drawing_of(value, most_nodes);
    const auto parts = m.model->parts();
    if (!picture && !parts.empty()) return parts_html(m, parts, options);
    const std::string text = text_html(show_block(value, options));
    if (!picture) return text;
    return html_element("figure", "", picture_html(**picture)) + "<details><summary>as text</summary>\n" + text + "</details>\n";
}

}  // namespace credence::cli
