// A value as a statement prints it: factors and tables in columns, and records and lists in lines once they are too long for one.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "lang/value/show.hpp"
#include "runtime/core/words.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_rows = 200;  // of a factor
constexpr std::size_t most_table_rows = 40;
constexpr std::size_t longest_fraction = 24;  // characters; of a longer one the decimal says more
constexpr std::size_t line_width = 88;        // of what is still shown in one line; fixed, so that the output does not depend on a terminal

/// Empty where it is too long to be read.
std::string fraction_text(const rt::Rational& x) {
    std::string text = x.text();
    return text.size() > longest_fraction ? "" : text;
}

std::string bar(double share) {
    static constexpr std::array<std::string_view, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int width = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 160));  // twenty cells of eight steps
    std::string out;
    for (int i = 0; i < width / 8; ++i) out += "█";
    return out + std::string(eighths[static_cast<std::size_t>(width % 8)]);
}

std::string show_factor(const rt::Factor& f, const ShowOptions& options) {
    std::vector<std::vector<std::string>> rows;
    const std::size_t n = f.variables().size();
    bool fractions = false;  // so that decimals stand beside them
    bool readable = false;
    bool probabilities = options.bars;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const rt::Number x = f.at(i);
        const bool fraction = x.is_exact() && !x.exact().is_integer();
        fractions = fractions || fraction;
        readable = readable || !fraction || !fraction_text(x.exact()).empty();
        probabilities = probabilities && x.sign() >= 0 && x.real() <= 1;
    }
    if (n > 1) {
        std::vector<std::string> header;
        for (const auto& v : f.variables()) header.push_back(show_name(v.name));
        rows.push_back(std::move(header));
    }
    const std::size_t shown = f.size() > most_rows ? most_rows / 2 : f.size();
    for (std::size_t i = 0; i < shown; ++i) {
        std::vector<std::string> row;
        for (const auto& label : f.labels(i)) row.push_back(label.text());
        const rt::Number x = f.at(i);
        if (x.is_exact()) {
            if (readable) row.push_back(fraction_text(x.exact()));
            if (!readable)
                row.push_back("≈ " + show_decimal(x, options.digits));
            else if (fractions)
                row.push_back(show_decimal(x, options.digits));
        } else {
            row.push_back(show_number(x, options));
        }
        if (probabilities) row.push_back(bar(x.real()));
        rows.push_back(std::move(row));
    }
    std::string align(n, 'l');
    align += f.is_exact() && readable ? "r" : "l";
    std::string out = align_columns(rows, align, "  ");
    if (shown < f.size()) out += fmt::format("\n  … ({} more)", f.size() - shown);
    return out;
}

std::string show_cell(const rt::Column& column, std::size_t row, const ShowOptions& options) {
    if (column.is_missing(row)) return "?";
    if (column.kind == rt::ColumnKind::label) {
        const std::string text = column.label(row).text();
        const bool plain = !text.empty() && text != "?" && text.find_first_of(" \t\r\n,;\"") == std::string::npos;
        return plain ? text : rt::quoted_text(text, false);
    }
    const rt::Number n = column.number(row);
    if (!n.is_exact()) return show_decimal(n, options.digits);
    return rt::label_text(n);
}

std::string show_table(const rt::Table& t, const ShowOptions& options) {
    std::vector<std::vector<std::string>> rows;
    std::string align;
    const auto add = [&](const auto& cell_of) {
        std::vector<std::string> row;
        for (std::size_t c = 0; c < t.columns.size(); ++c) {
            if (t.target == c) continue;
            row.push_back(cell_of(c));
        }
        if (t.target) {
            if (t.columns.size() > 1) row.emplace_back("->");
            row.push_back(cell_of(*t.target));
        }
        rows.push_back(std::move(row));
    };
    for (std::size_t c = 0; c < t.columns.size(); ++c)
        if (t.target != c) align += t.columns[c]->kind == rt::ColumnKind::numeric ? 'r' : 'l';
    if (t.target) {
        if (t.columns.size() > 1) align += 'l';
        align += t.columns[*t.target]->kind == rt::ColumnKind::numeric ? 'r' : 'l';
    }
    if (t.columns.empty()) return "  a table without columns";
    add([&](std::size_t c) { return show_name(t.columns[c]->name); });
    const std::size_t shown = t.rows() > most_table_rows ? most_table_rows / 2 : t.rows();
    for (std::size_t r = 0; r < shown; ++r) add([&](std::size_t c) { return show_cell(*t.columns[c], r, options); });
    std::string out = align_columns(rows, align, "  ");
    if (shown < t.rows()) out += fmt::format("\n  … ({} more rows)", t.rows() - shown);
    return out;
}

std::string indented(const std::string& text, std::string_view by) {
    std::string out(by);
    for (const char c : text) {
        out += c;
        if (c == '\n') out += by;
    }
    return out;
}

/// What an item of a list looks like as a row: the fields of a record, the entries of a factor over one variable.
std::optional<Record> row_of(const Value& item) {
    if (const auto* r = item.get<RecordPtr>()) return **r;
    const auto* f = item.get<FactorPtr>();
    if (!f || (*f)->variables().size() != 1) return std::nullopt;
    Record out;
    for (std::size_t i = 0; i < (*f)->size(); ++i) out.entries.emplace_back((*f)->labels(i)[0].text(), Value((*f)->at(i)));
    return out;
}

/// The items in columns, where they have the same keys and are short enough for that; else nothing.
std::optional<std::string> show_rows(const List& items, const ShowOptions& options) {
    constexpr std::size_t widest = line_width + 32;
    if (items.size() < 2) return std::nullopt;
    std::vector<std::vector<std::string>> rows(1);
    std::string align;
    std::size_t widths = 0;
    const std::size_t shown = items.size() > most_rows ? most_rows / 2 : items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto row = row_of(items[i]);
        if (!row || row->entries.empty()) return std::nullopt;
        if (i == 0)
            for (const auto& [key, value] : row->entries) {
                rows[0].push_back(show_label(key));
                align += value.get<rt::Number>() ? 'r' : 'l';
            }
        if (row->entries.size() != rows[0].size()) return std::nullopt;
        if (i < shown) rows.emplace_back();
        for (std::size_t k = 0; k < row->entries.size(); ++k) {
            if (show_label(row->entries[k].first) != rows[0][k]) return std::nullopt;
            if (i < shown) rows.back().push_back(show_inline(row->entries[k].second, options));
        }
    }
    for (std::size_t k = 0; k < rows[0].size(); ++k) {
        std::size_t width = 0;
        for (const auto& row : rows) width = std::max(width, text_width(row[k]));
        widths += width + 2;
    }
    if (widths > widest) return std::nullopt;
    std::string out = align_columns(rows, align, "  ");
    if (shown < items.size()) out += fmt::format("\n  … ({} more)", items.size() - shown);
    return out;
}

/// As many items a line as fit, lists and records one by one.
std::string show_filled(const List& items, const ShowOptions& options, std::string_view open, std::string_view close) {
    std::string out(open);
    std::size_t column = text_width(open);
    const std::size_t shown = items.size() > most_rows ? most_rows / 2 : items.size();
    for (std::size_t i = 0; i < shown; ++i) {
        const bool nested = items[i].get<ListPtr>() || items[i].get<RecordPtr>() || items[i].get<InstancePtr>();
        const std::string text = show_inline(items[i], options) + (i + 1 < items.size() ? "," : "");
        const std::size_t width = text_width(text);
        if (i > 0 && (nested || column + 1 + width > line_width)) {
            out += "\n" + std::string(text_width(open), ' ');
            column = text_width(open);
        } else if (i > 0) {
            out += ' ';
            ++column;
        }
        out += text;
        column += width;
    }
    if (shown < items.size()) out += fmt::format("\n{}… ({} more)", std::string(text_width(open), ' '), items.size() - shown);
    return out + std::string(close);
}

std::string show_fields(const Record& r, const ShowOptions& options) {
    std::string out;
    for (const auto& [key, value] : r.entries) {
        const std::string block = show_block(value, options);
        const std::string name = (out.empty() ? "  " : "\n  ") + show_label(key) + ":";
        if (block.find('\n') == std::string::npos)
            out += name + " " + (value.get<rt::Number>() && !block.starts_with('(') ? block : show_inline(value, options));
        else
            out += name + "\n" + indented(block, block.starts_with(' ') ? "  " : "    ");
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
    if (shown < items.size()) out += fmt::format("\n  … ({} more)", items.size() - shown);
    return out;
}

}  // namespace

std::string show_block(const Value& value, const ShowOptions& options) {
    if (const auto* t = value.get<TextPtr>()) return **t;
    if (const auto* n = value.get<rt::Number>()) {
        if (!n->is_exact() || n->exact().is_integer()) return show_number(*n, options);
        if (const std::string fraction = fraction_text(n->exact()); !fraction.empty())
            return fraction + "  " + show_decimal(*n, options.digits);
        return "≈ " + show_decimal(*n, options.digits);
    }
    if (const auto* f = value.get<FactorPtr>()) return show_factor(**f, options);
    if (const auto* t = value.get<rt::TablePtr>()) return show_table(**t, options);
    if (const auto* m = value.get<ModelValue>()) {
        // Some models have more to show than a line: a tree.
        const std::string text = m->model->description();
        if (text.find('\n') != std::string::npos) {
            std::string out = fmt::format("{}: ", m->model->kind());
            for (const char c : text) out += c == '\n' ? "\n  " : std::string(1, c);
            return out;
        }
    }
    if (const auto* p = value.get<rt::PicturePtr>()) {
        std::string text = (*p)->text({.unicode = options.unicode, .width = options.width});
        if (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    }
    std::string line = show_inline(value, options);
    if (text_width(line) <= line_width) return line;
    if (const auto* r = value.get<RecordPtr>()) return show_fields(**r, options);
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
