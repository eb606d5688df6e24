#include "lang/cli/report/value_html.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "lang/cli/report/html.hpp"
#include "lang/cli/report/math_html.hpp"
#include "lang/cli/report/model_html.hpp"
#include "lang/value/layout.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli {

namespace {

using namespace lang;

constexpr std::size_t most_rows = 200;
constexpr std::size_t most_table_rows = 40;

std::string row_of_words(const std::string& words, std::size_t columns) {
    return fmt::format("<tr><td class=\"more\" colspan=\"{}\">{}</td></tr>", columns, words);
}

std::string more_rows(std::size_t left_out, std::size_t columns) { return row_of_words(fmt::format("… ({} more)", left_out), columns); }

/// Wide tables scroll inside their own box, which the keyboard reaches.
std::string scrolling(std::string_view what, std::string_view table) {
    return fmt::format("<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">{}</div>", html_escaped(what), table);
}

std::string decimal_cell(const rt::Number& n, int digits) {
    const bool fraction = n.is_exact() && !n.exact().is_integer();
    return html_element("td", "number", fraction ? html_escaped(show_decimal(n, digits)) : "");
}

/// A bar beside a probability; its width is all that is styled in place. The number is next to it, so the bar adds nothing for screen
/// readers.
std::string bar_cell(const rt::Number& n) {
    const double share = std::clamp(n.real(), 0.0, 1.0);
    return fmt::format("<td class=\"bar\" aria-hidden=\"true\"><span style=\"width:{:.1f}%\"></span></td>", share * 100);
}

std::string factor_list_html(const rt::Factor& f, const std::string& what, int digits) {
    bool fractions = false;
    bool probabilities = true;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const rt::Number x = f.at(i);
        fractions = fractions || (x.is_exact() && !x.exact().is_integer());
        probabilities = probabilities && x.sign() >= 0 && x.real() <= 1;
    }
    std::string head;
    for (const auto& v : f.variables()) head += "<th scope=\"col\">" + html_escaped(v.name) + "</th>";
    head += fmt::format("<th scope=\"col\" class=\"number\" colspan=\"{}\">value</th>", fractions ? 2 : 1);
    if (probabilities) head += "<td></td>";
    std::string body;
    const FactorCut cut = factor_cut(f, most_rows, digits);
    const std::size_t columns = f.variables().size() + 1 + (fractions ? 1 : 0) + (probabilities ? 1 : 0);
    if (!cut.before.empty()) body += row_of_words(html_escaped(cut.before), columns);
    for (std::size_t i = cut.begin; i < cut.end; ++i) {
        std::string cells;
        for (const auto& label : f.labels(i))
            cells += (cells.empty() ? "<th scope=\"row\">" + html_escaped(label.text()) + "</th>"
                                    : html_element("td", "", html_escaped(label.text())));
        const rt::Number x = f.at(i);
        cells += html_element("td", "number", number_html(x, digits));
        if (fractions) cells += decimal_cell(x, digits);
        if (probabilities) cells += bar_cell(x);
        body += html_element("tr", "", cells) + "\n";
    }
    if (!cut.after.empty()) body += row_of_words(html_escaped(cut.after), columns);
    return scrolling(what,
                     html_element("table", "factor", "<thead>" + html_element("tr", "", head) + "</thead>\n<tbody>" + body + "</tbody>"));
}

/// One variable across, the others at the side, as on a terminal.
std::string factor_matrix_html(const rt::Factor& f, const std::string& what, int digits) {
    const FactorMatrix matrix = factor_matrix_of(f, most_rows);
    const NumberForm form = matrix_numbers(f, digits);
    bool rounded = false;
    for (std::size_t i = 0; i < f.size(); ++i) rounded = rounded || form.rounds(f.at(i));
    std::string above = fmt::format("<td colspan=\"{}\">{}</td><th scope=\"colgroup\" colspan=\"{}\" class=\"number\">{}</th>",
                                    matrix.side.size(), rounded ? "≈" : "", matrix.columns.size(), html_escaped(matrix.across));
    std::string names;
    for (const auto& name : matrix.side) names += "<th scope=\"col\">" + html_escaped(name) + "</th>";
    for (const auto& label : matrix.columns) names += "<th scope=\"col\" class=\"number\">" + html_escaped(label) + "</th>";
    std::string body;
    for (const auto& row : matrix.rows) {
        std::string cells;
        for (std::size_t v = 0; v < row.labels.size(); ++v)
            cells += "<th scope=\"row\">" + (v < row.repeated ? "" : html_escaped(row.labels[v])) + "</th>";
        for (const auto& x : row.cells) {
            const std::string text = form(x);
            cells += html_element("td", "number", text.find('/') == std::string::npos ? html_escaped(text) : number_html(x, digits));
        }
        // A new value of the first variable begins a group.
        const bool group = matrix.side.size() > 1 && row.repeated == 0 && &row != &matrix.rows.front();
        body += html_element("tr", group ? "group" : "", cells) + "\n";
    }
    if (matrix.left_out > 0) body += more_rows(matrix.left_out, matrix.side.size() + matrix.columns.size());
    return scrolling(what, html_element("table", matrix.totals ? "factor matrix totals" : "factor matrix",
                                        "<thead>" + html_element("tr", "", above) + html_element("tr", "", names) + "</thead>\n<tbody>" +
                                            body + "</tbody>"));
}

std::string number_line(const rt::Number& n, int digits) {
    std::string out = number_html(n, digits);
    if (n.is_exact() && !n.exact().is_integer()) {
        const std::string decimal = show_decimal(n, digits);
        const bool whole = rt::Rational::parse(decimal) == n.exact();
        out += html_element("span", "decimal", html_escaped((whole ? "= " : "≈ ") + decimal));
    }
    return html_element("p", "single", out);
}

std::string engine_line(const AnswerInfo& answer) {
    if (!answer.standard_error) return "";
    return html_element("p", "aside",
                        html_escaped(fmt::format("by {}, standard error {}", answer.engine, show_decimal(*answer.standard_error, 2))));
}

bool is_set(const Value& value) { return value.is<FactorPtr>() || value.is<rt::TablePtr>(); }

/// Some fields of a record as lines of text, without the braces or the indent of a whole record.
std::string field_lines(const Record& fields, int digits) {
    std::string text = show_block(Value::record(fields), {.digits = digits});
    if (text.starts_with('{')) return text.substr(1, text.size() - 2);
    constexpr std::string_view indent = "  ";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        const auto line = std::string_view(text).substr(at, end - at);
        out += (out.empty() ? "" : "\n") + std::string(line.starts_with(indent) ? line.substr(indent.size()) : line);
        at = end + 1;
    }
    return out;
}

/// The fields of a record: factors and tables set, what stands between them as lines.
std::string record_html(const Record& record, const std::string& what, int digits) {
    std::string out;
    Record lines;
    const auto flush = [&] {
        if (!lines.entries.empty()) out += text_html(field_lines(lines, digits));
        lines.entries.clear();
    };
    for (const auto& [key, value] : record.entries) {
        if (!is_set(value)) {
            lines.entries.emplace_back(key, value);
            continue;
        }
        flush();
        out += html_element("p", "part", html_escaped(key));
        out += value.is<FactorPtr>() ? factor_html(**value.get<FactorPtr>(), what, digits)
                                     : table_html(**value.get<rt::TablePtr>(), what, digits, TableForm::part);
    }
    flush();
    return out;
}

/// Lines that are aligned by blanks keep them.
bool is_aligned(const std::string& text) { return text.starts_with(' ') || text.find("  ") != std::string::npos; }

}  // namespace

std::string factor_html(const rt::Factor& f, const std::string& what, int digits) {
    return f.variables().size() < 2 ? factor_list_html(f, what, digits) : factor_matrix_html(f, what, digits);
}

std::string table_html(const rt::Table& t, const std::string& what, int digits, TableForm form) {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < t.columns.size(); ++c)
        if (t.target != c) order.push_back(c);
    if (t.target) order.push_back(*t.target);
    const auto classes = [&](std::size_t c) {
        const bool number = t.columns[c]->kind == rt::ColumnKind::numeric;
        return std::string(number ? "number" : "") + (t.target == c ? number ? " target" : "target" : "");
    };
    std::string head;
    for (const std::size_t c : order)
        head += fmt::format("<th scope=\"col\"{}>{}{}</th>", classes(c).empty() ? "" : " class=\"" + classes(c) + "\"",
                            t.target == c ? "→ " : "", html_escaped(t.columns[c]->name));
    std::string kinds;
    for (const std::size_t c : order)
        kinds += html_element("td", classes(c), t.columns[c]->kind == rt::ColumnKind::numeric ? "number" : "label");
    std::string body;
    const std::size_t shown = t.rows() > most_table_rows ? most_table_rows / 2 : t.rows();
    std::vector<std::vector<std::string>> texts;
    for (const auto& column : t.columns) texts.push_back(cell_texts(*column, shown, {.digits = digits}));
    for (std::size_t r = 0; r < shown; ++r) {
        std::string cells;
        for (const std::size_t c : order) cells += html_element("td", classes(c), html_escaped(texts[c][r]));
        body += html_element("tr", "", cells) + "\n";
    }
    if (shown < t.rows()) body += more_rows(t.rows() - shown, order.size());
    const bool whole = form == TableForm::whole;
    const std::string above = html_element("tr", "", head) + (whole ? html_element("tr", "kinds", kinds) : "");
    const std::string table = scrolling(what, html_element("table", "data", "<thead>" + above + "</thead>\n<tbody>" + body + "</tbody>"));
    if (!whole) return table;
    return table +
           html_element("p", "aside", fmt::format("{} × {}", rt::counted(t.rows(), "row"), rt::counted(t.columns.size(), "column")));
}

namespace {

/// What has no form for a telephone shrinks there as far as it can be read, and scrolls from there on.
std::string shrinking(const std::string& svg) {
    constexpr std::string_view tag = "<svg";
    constexpr std::string_view attribute = " width=\"";
    constexpr double readable = 0.7;
    const std::size_t at = svg.find(attribute);
    if (!svg.starts_with(tag) || at == std::string::npos) return svg;
    const double width = std::strtod(svg.c_str() + at + attribute.size(), nullptr);
    return fmt::format("{} style=\"min-width:min(32rem,{:.0f}px)\"{}", tag, readable * width, svg.substr(tag.size()));
}

}  // namespace

std::string picture_html(const rt::Picture& picture) {
    const std::string wide = picture.svg();
    const std::string narrow = picture.narrow_svg();
    if (wide == narrow) return shrinking(wide);
    return html_element("div", "wide", wide) + html_element("div", "narrow", narrow);
}

std::string text_html(const std::string& text) {
    return html_element("pre", is_aligned(text) ? "value aligned" : "value", html_escaped(text));
}

std::string heading_html(const std::string& query) {
    return query.empty() ? "" : html_element("p", "heading", html_element("code", "", html_escaped(query)));
}

bool has_set_fields(const Value& value) {
    const auto* record = value.get<RecordPtr>();
    return record && std::any_of((*record)->entries.begin(), (*record)->entries.end(), [](const auto& e) { return is_set(e.second); });
}

std::string value_html(const ValueEvent& event, int digits) {
    std::string out;
    const std::string what = event.query.empty() ? "result" : event.query;
    if (const auto* n = event.value.get<rt::Number>())
        out += number_line(*n, digits);
    else if (const auto* f = event.value.get<FactorPtr>())
        out += factor_html(**f, what, digits);
    else if (const auto* t = event.value.get<rt::TablePtr>())
        out += table_html(**t, what, digits);
    else if (const auto* p = event.value.get<rt::PicturePtr>())
        out += picture_html(**p);
    else if (event.value.is<ModelValue>())
        out += model_html(*event.value.get<ModelValue>(), digits);
    else if (has_set_fields(event.value))
        out += record_html(**event.value.get<RecordPtr>(), what, digits);
    else
        out += text_html(show_block(event.value, {.digits = digits}));
    if (event.answer) out += engine_line(*event.answer);
    return out;
}

std::string derivation_html(const DerivationEvent& event, int digits) {
    using Kind = DerivationText::Kind;
    std::string out;
    std::string aligned;
    const auto flush = [&] {
        if (!aligned.empty()) out += html_element("pre", "trace", html_escaped(aligned.substr(0, aligned.size() - 1)));
        aligned.clear();
    };
    bool headed = false;  // the line above names the calculation
    const std::string equals = "<math><mo lspace=\"0\" rspace=\"0\">=</mo></math> ";
    for (const auto& line : event.lines) {
        if (line.kind == Kind::note && is_aligned(line.text)) {
            aligned += line.text + "\n";
            continue;
        }
        flush();
        switch (line.kind) {
            case Kind::note:
                out += html_element("p", "", html_escaped(line.text));
                break;
            case Kind::formula:
            case Kind::heading:
                out += html_element("p", "formula", math_html(line.text));
                break;
            case Kind::begin: {
                const bool numbers = headed || line.text.find_first_of("PEHIL") == std::string::npos;
                out += html_element("p", numbers ? "step" : "formula", (numbers ? equals : "") + math_html(line.text));
                break;
            }
            case Kind::step:
                out += html_element("p", "step", equals + math_html(line.text));
                break;
            case Kind::result: {
                std::string text;
                if (!line.value) {
                    text = equals + math_html(line.text);
                } else if (!line.value->is_exact()) {
                    text = number_html(*line.value, digits);
                } else {
                    text = equals + number_html(*line.value, digits);
                    if (!line.value->exact().is_integer()) {
                        const std::string decimal = show_decimal(*line.value, digits);
                        text += html_element("span", "decimal",
                                             (rt::Rational::parse(decimal) == line.value->exact() ? "= " : "≈ ") + html_escaped(decimal));
                    }
                }
                out += html_element("p", "step result", text);
                break;
            }
        }
        headed = line.kind == Kind::heading;
    }
    flush();
    return html_element("div", "derivation", out);
}

std::string diagnostic_html(const Diagnostic& d) {
    const bool error = d.severity == Severity::error;
    std::string head = html_element("strong", "", html_escaped(error ? "error" : "note"));
    if (!d.code.empty()) head += " " + html_element("code", "", html_escaped(d.code.text()));
    std::string out = html_element("p", "", head + " " + html_escaped(d.message));
    if (!d.label.empty()) out += html_element("p", "label", html_escaped(d.label));
    for (const auto& help : d.help) out += html_element("p", "help", "help: " + html_escaped(help));
    return html_element("div", error ? "diagnostic error" : "diagnostic note", out);
}

}  // namespace credence::cli
