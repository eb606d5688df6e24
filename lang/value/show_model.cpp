// Models as a statement prints them: what they are in one line, and below it what they have learned.

#include <algorithm>

#include <fmt/format.h>

#include "lang/text/width.hpp"
#include "lang/value/layout.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

constexpr BlockLimits limits{.rows = 24, .table_rows = 24, .footer = false};
constexpr std::size_t most_text_lines = 60;
constexpr std::size_t most_blocks = 12;

/// A member's name as words: "log likelihood"; r2 as it is written in books.
std::string spoken(std::string_view name) {
    if (name == "r2") return "R²";
    if (name == "adjusted_r2") return "adjusted R²";
    std::string out(name);
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
}

/// A figure or a few words go into a line with their neighbours.
bool goes_in_line(const rt::ModelPart& part) {
    if (std::holds_alternative<rt::Number>(part.value)) return true;
    const auto* text = std::get_if<std::string>(&part.value);
    return text && text->find_first_of(" \n") == std::string::npos && *text != "?";
}

std::string line_item(const rt::ModelPart& part, const ShowOptions& options) {
    if (const auto* n = std::get_if<rt::Number>(&part.value)) {
        const bool whole = n->is_exact() && n->exact().is_integer();
        return spoken(part.name) + " " + (whole ? n->exact().text() : show_decimal(*n, options.digits));
    }
    return spoken(part.name) + " " + std::get<std::string>(part.value);
}

std::string distributions_text(const rt::ModelPart::NamedDistributions& all, const ShowOptions& options) {
    std::vector<std::vector<std::string>> rows;
    const std::size_t shown = all.size() > limits.rows ? limits.rows / 2 : all.size();
    for (std::size_t i = 0; i < shown; ++i) rows.push_back({all[i].first, show_inline(Value(Value::Node(all[i].second)), options)});
    std::string out = align_columns(rows, "l", "  ");
    return shown < all.size() ? out + "\n  " + more_text(all.size() - shown) : out;
}

/// A table of results loses digits before it loses columns.
std::string narrow_table(const rt::Table& table, ShowOptions options) {
    constexpr int least_digits = 4;
    std::string out = show_table(table, options, limits);
    while (out.find("…") < out.find('\n') && options.digits > least_digits) {
        --options.digits;
        out = show_table(table, options, limits);
    }
    return out;
}

bool is_matrix(const rt::ModelPart& part) {
    const auto* f = std::get_if<rt::Factor>(&part.value);
    return f && f->variables().size() > 1;
}

/// Lines of the part, indented by two; a heading where it would not be clear what they are.
std::string part_block(const rt::ModelPart& part, bool headed, const ShowOptions& options) {
    if (const auto* text = std::get_if<std::string>(&part.value)) {
        if (text->find('\n') == std::string::npos) {
            const bool reads_on = text->starts_with('~') || text->starts_with('=') || *text == "?";
            return fmt::format("  {}{} {}", part.name, reads_on ? "" : ":", *text);
        }
        std::string lines = indented(first_lines(*text, most_text_lines), headed ? "    " : "  ");
        if (options.wraps) lines = wrapped_words(lines, options.line_width, "    ");
        return headed ? fmt::format("  {}\n{}", part.name, lines) : lines;
    }
    const bool indents = headed && !is_matrix(part);
    ShowOptions inner = options;
    if (indents) inner.table_width -= 2;
    std::string block;
    if (const auto* t = std::get_if<rt::TablePtr>(&part.value)) block = narrow_table(**t, inner);
    if (const auto* f = std::get_if<rt::Factor>(&part.value)) block = show_factor(*f, inner, limits);
    if (const auto* d = std::get_if<rt::ModelPart::NamedDistributions>(&part.value)) block = distributions_text(*d, inner);
    return indents ? fmt::format("  {}\n{}", part.name, indented(block, "  ")) : block;
}

}  // namespace

std::optional<std::string> part_in_line(const rt::ModelPart& part, const ShowOptions& options) {
    if (!goes_in_line(part)) return std::nullopt;
    return line_item(part, options);
}

Value part_value(const rt::ModelPart& part) {
    if (const auto* n = std::get_if<rt::Number>(&part.value)) return *n;
    if (const auto* text = std::get_if<std::string>(&part.value)) return Value::text(*text);
    if (const auto* t = std::get_if<rt::TablePtr>(&part.value)) return Value(Value::Node(*t));
    if (const auto* f = std::get_if<rt::Factor>(&part.value)) return Value::factor(*f);
    Record out;
    for (const auto& [name, d] : std::get<rt::ModelPart::NamedDistributions>(part.value)) out.entries.emplace_back(name, Value::Node(d));
    return Value::record(std::move(out));
}

std::string show_model_block(const ModelValue& m, const ShowOptions& options) {
    auto parts = m.model->parts();
    std::erase_if(parts, [](const rt::ModelPart& part) { return part.only_in_summary; });
    const auto is_block = [](const rt::ModelPart& part) { return !goes_in_line(part); };
    const auto needs_heading = [&](const rt::ModelPart& part) { return is_block(part) && !is_matrix(part); };
    const bool headed = std::count_if(parts.begin(), parts.end(), is_block) > 1 && std::any_of(parts.begin(), parts.end(), needs_heading);
    const std::size_t width = options.wraps ? options.line_width : std::string::npos;
    std::string out = wrapped_words(show_inline(Value(Value::Node(m)), options), width, "  ");
    std::vector<std::string> line;
    const auto flush = [&] {
        if (!line.empty()) out += "\n" + wrapped_words("  " + rt::joined(line, ", "), width, "  ");
        line.clear();
    };
    std::size_t blocks = 0;
    std::size_t left_out = 0;
    for (const auto& part : parts) {
        if (goes_in_line(part)) {
            line.push_back(line_item(part, options));
            continue;
        }
        if (++blocks > most_blocks) {
            ++left_out;
            continue;
        }
        flush();
        out += "\n" + part_block(part, headed, options);
    }
    if (left_out > 0) out += "\n  " + more_text(left_out);
    flush();
    return out;
}

}  // namespace credence::lang
