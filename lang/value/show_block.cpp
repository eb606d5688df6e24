// A value as a statement prints it: records and lists in lines once they are too long for one.

#include <algorithm>

#include <fmt/format.h>

#include "lang/text/width.hpp"
#include "lang/value/layout.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_rows = 200;  // of a list

}  // namespace

std::string indented(const std::string& text, std::string_view by) {
    std::string out(by);
    for (const char c : text) {
        out += c;
        if (c == '\n') out += by;
    }
    return out;
}

std::string more_text(std::size_t count, std::string_view of_what) {
    return fmt::format("… {} more{}", count, of_what.empty() ? "" : fmt::format(" {}{}", of_what, count == 1 ? "" : "s"));
}

std::string first_lines(const std::string& text, std::size_t most) {
    std::size_t at = 0;
    for (std::size_t n = 0; n < most; ++n) {
        at = text.find('\n', at);
        if (at == std::string::npos) return text;
        ++at;
    }
    const auto more = static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n')) + 1;
    return text.substr(0, at) + more_text(more, "line");
}

namespace {

/// What an item of a list looks like as a row: the fields of a record, the entries of a factor over one variable.
std::optional<Record> row_of(const Value& item) {
    if (const auto* r = item.get<RecordPtr>()) return **r;
    const auto* f = item.get<FactorPtr>();
    if (!f || (*f)->variables().size() != 1) return std::nullopt;
    Record out;
    for (std::size_t i = 0; i < (*f)->size(); ++i) out.entries.emplace_back((*f)->labels(i)[0].text(), Value((*f)->at(i)));
    return out;
}

/// Rows of values under the keys they share: numbers of a column in one form.
std::optional<std::string> show_columns(std::vector<std::string> names, const std::vector<Record>& rows, std::string_view heading,
                                        const ShowOptions& options) {
    Grid grid;
    grid.fixed = names.empty() ? 0 : 1;
    auto& head = grid.rows.emplace_back();
    if (!names.empty()) {
        head.emplace_back(heading);
        grid.align += 'l';
    }
    for (const auto& [key, value] : rows[0].entries) {
        head.push_back(key);
        grid.align += value.get<rt::Number>() ? 'r' : 'l';
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        auto& row = grid.rows.emplace_back();
        if (!names.empty()) row.push_back(names[r]);
    }
    ShowOptions in_cells = options;
    in_cells.marks = false;  // a table has none either
    for (std::size_t k = 0; k < rows[0].entries.size(); ++k) {
        List column;
        for (const auto& row : rows) column.push_back(row.entries[k].second);
        const NumberForm form = form_of(column, options.digits);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const auto label = column[r].get<rt::Number>() ? std::nullopt : column[r].as_label();
            grid.rows[r + 1].push_back(label ? label_cell(label->text()) : show_item(column[r], form, in_cells));
        }
    }
    std::size_t width = 0;
    for (std::size_t c = 0; c < grid.align.size(); ++c) {
        std::size_t widest = 0;
        for (const auto& row : grid.rows) widest = std::max(widest, display_width(row[c]));
        width += widest + 2;
    }
    if (width > options.table_width) return std::nullopt;
    return show_grid(std::move(grid), options.table_width);
}

bool same_keys(const Record& a, const Record& b) {
    return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
}

/// The items in columns, where they have the same keys and are short enough for that; else nothing.
std::optional<std::string> show_rows(const List& items, const ShowOptions& options) {
    if (items.size() < 2) return std::nullopt;
    std::vector<Record> rows;
    const std::size_t shown = items.size() > most_rows ? most_rows / 2 : items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto row = row_of(items[i]);
        if (!row || row->entries.empty() || (!rows.empty() && !same_keys(*row, rows[0]))) return std::nullopt;
        if (i < shown) rows.push_back(*std::move(row));
    }
    auto out = show_columns({}, rows, "", options);
    if (out && shown < items.size()) *out += "\n  " + more_text(items.size() - shown);
    return out;
}

/// A record of records with the same keys, such as scores by class: a row for each.
std::optional<std::string> show_named_rows(const Record& r, const ShowOptions& options) {
    std::vector<std::string> names;
    std::vector<Record> rows;
    for (const auto& [key, value] : r.entries) {
        const auto* row = value.get<RecordPtr>();
        if (!row || (*row)->entries.empty() || (!rows.empty() && !same_keys(**row, rows[0]))) return std::nullopt;
        names.push_back(key);
        rows.push_back(**row);
    }
    return rows.size() < 2 ? std::nullopt : show_columns(std::move(names), rows, "", options);
}

/// As many items a line as fit, lists and records one by one.
std::string show_filled(const List& items, ShowOptions options, std::string open, std::string_view close) {
    const NumberForm form = form_of(items, options.digits);
    if (take_mark(items, options)) open = "≈ " + open;
    std::string out = open;
    std::size_t column = text_width(open);
    const std::size_t shown = items.size() > most_rows ? most_rows / 2 : items.size();
    const auto broken = [&](const std::string& text) {
        const std::string blanks(text_width(open), ' ');
        return wrapped_words(blanks + text, options.line_width).substr(blanks.size());
    };
    for (std::size_t i = 0; i < shown; ++i) {
        const bool nested = items[i].get<ListPtr>() || items[i].get<RecordPtr>() || items[i].get<InstancePtr>();
        std::string text = show_item(items[i], form, options) + (i + 1 < items.size() ? "," : "");
        const std::size_t width = text_width(text);
        if (options.wraps && !nested && text_width(open) + width > options.line_width) text = broken(text);
        if (i > 0 && (nested || column + 1 + width > options.line_width)) {
            out += "\n" + std::string(text_width(open), ' ');
            column = text_width(open);
        } else if (i > 0) {
            out += ' ';
            ++column;
        }
        out += text;
        column += width;
    }
    if (shown < items.size()) out += "\n" + std::string(text_width(open), ' ') + more_text(items.size() - shown);
    return out + std::string(close);
}

/// Whether a decimal next to a number is informative.
bool has_fractions(const Record& r, int digits) {
    return std::any_of(r.entries.begin(), r.entries.end(), [&](const auto& entry) {
        const auto* n = entry.second.template get<rt::Number>();
        return n && n->is_exact() && !is_whole_decimal(n->exact(), digits);
    });
}

/// Whether a record is shown by its fields: a line would only name a table, or write braces in quotes.
bool needs_lines(const Record& r) {
    return std::any_of(r.entries.begin(), r.entries.end(), [](const auto& entry) {
        const auto* text = entry.second.template get<TextPtr>();
        return entry.second.template is<rt::TablePtr>() || (text && (*text)->find_first_of("{\n") != std::string::npos);
    });
}

/// A field of a record: a short fraction with its decimal.
std::string show_field(const Value& value, const ShowOptions& options) {
    const auto* n = value.get<rt::Number>();
    if (!n || !n->is_exact() || n->exact().is_integer() || n->exact().text().size() > longest_cell_fraction) {
        if (const auto* r = value.get<RecordPtr>()) {
            std::string line = show_inline(value, options);
            const bool fits = display_width(line) + (options.wraps ? 4 : 8) <= options.line_width;
            return fits && !needs_lines(**r) ? line : show_block(Value(*r), options);
        }
        if (const auto* t = value.get<rt::TablePtr>()) return show_table(**t, options, {.footer = false});
        if (const auto* text = value.get<TextPtr>()) {
            const bool plain = (*text)->find('{') != std::string::npos;
            const std::string line = plain ? **text : show_inline(value, options);
            return options.wraps ? wrapped_words(line, options.line_width) : line;
        }
        return n ? show_brief(*n, options) : show_block(value, options);
    }
    return n->exact().text() + "  " + show_decimal(*n, options.digits);
}

std::string show_fields(const Record& r, const ShowOptions& options) {
    if (auto rows = show_named_rows(r, options)) return *std::move(rows);
    ShowOptions inner = options;
    inner.table_width -= std::min<std::size_t>(2, options.table_width);
    if (options.wraps) inner.line_width -= std::min<std::size_t>(4, options.line_width);  // what takes several lines is indented
    std::string out;
    for (const auto& [key, value] : r.entries) {
        const auto* text = value.get<TextPtr>();
        const bool lines = text && (*text)->find('\n') != std::string::npos;
        const std::string block = lines ? **text : show_field(value, inner);
        out += (out.empty() ? "  " : "\n  ") + show_label(key) + ":";
        if (block.find('\n') == std::string::npos)
            out += " " + block.substr(std::min(block.find_first_not_of(' '), block.size()));
        else
            out += "\n" + indented(block, block.starts_with(' ') ? "  " : "    ");
    }
    return out;
}

/// Records too wide for columns, one after the other under their positions.
std::string show_numbered(const List& items, const ShowOptions& options) {
    constexpr std::size_t most = 20;
    std::string out;
    const std::size_t shown = items.size() > most ? most / 2 : items.size();
    for (std::size_t i = 0; i < shown; ++i)
        out += fmt::format("{}  [{}]\n{}", i > 0 ? "\n" : "", i + 1, indented(show_fields(**items[i].get<RecordPtr>(), options), "  "));
    if (shown < items.size()) out += "\n  " + more_text(items.size() - shown);
    return out;
}

}  // namespace

std::string show_block(const Value& value, const ShowOptions& options) {
    if (const auto* t = value.get<TextPtr>()) return options.wraps ? wrapped_words(**t, options.line_width) : **t;
    if (const auto* n = value.get<rt::Number>()) {
        if (!n->is_exact() || n->exact().is_integer()) return show_number(*n, options);
        if (const std::string fraction = fraction_text(n->exact()); !fraction.empty())
            return fraction + "  " + show_decimal(*n, options.digits);
        return "≈ " + show_decimal(*n, options.digits);
    }
    if (const auto* f = value.get<FactorPtr>()) return show_factor(**f, options);
    if (const auto* t = value.get<rt::TablePtr>()) return show_table(**t, options);
    if (const auto* m = value.get<ModelValue>()) return show_model_block(*m, options);
    if (const auto* p = value.get<rt::PicturePtr>()) {
        std::string text = (*p)->text({.unicode = options.unicode, .width = options.width, .color = options.color});
        if (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    }
    std::string line = show_inline(value, options);
    const auto* r = value.get<RecordPtr>();
    const auto in_lines = [&](const Value& v) {
        const auto* record = v.get<RecordPtr>();
        return record && (has_fractions(**record, options.digits) || needs_lines(**record));
    };
    const List* items = value.is<ListPtr>() ? value.items() : nullptr;
    if (items && std::any_of(items->begin(), items->end(), in_lines))
        if (auto rows = show_rows(*items, options)) return *std::move(rows);
    if (display_width(line) <= options.line_width && !in_lines(value)) return line;
    if (r) return show_fields(**r, options);
    if (const auto* l = value.get<ListPtr>()) {
        if (auto rows = show_rows(**l, options)) return *std::move(rows);
        if (!(*l)->empty() && std::all_of((*l)->begin(), (*l)->end(), [](const Value& item) { return item.get<RecordPtr>() != nullptr; }))
            return show_numbered(**l, options);
        return show_filled(**l, options, "[", "]");
    }
    if (const auto* s = value.get<SetPtr>()) return show_filled((*s)->items, options, "{", "}");
    return line;
}

}  // namespace credence::lang
