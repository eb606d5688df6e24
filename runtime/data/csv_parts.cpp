#include "runtime/data/csv_parts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/data/columns.hpp"
#include "runtime/data/csv_scan.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t cells_in_block = 2048;  // a block's cells stay in the inner caches
constexpr std::size_t rows_to_look_at = 100;  // to guess which columns are numeric

constexpr std::string_view missing_words[] = {"NA", "NaN", "nan", "null", "NULL", "N/A", "n/a", "none", "-"};  // the last two may be labels

std::vector<std::string> usual_missing() {
    std::vector<std::string> out{"?", ""};
    out.insert(out.end(), std::begin(missing_words), std::end(missing_words));
    return out;
}

char detect_separator(std::string_view text) {
    std::size_t commas = 0;
    std::size_t tabs = 0;
    std::size_t semicolons = 0;
    bool quoted = false;
    bool started = false;
    for (const char c : text) {
        if (c == '\n' && !quoted && started) break;
        started = started || (c != '\n' && c != '\r');
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        commas += c == ',';
        tabs += c == '\t';
        semicolons += c == ';';
    }
    if (commas > 0) return ',';
    if (tabs > 0) return '\t';
    return semicolons > 0 ? ';' : ',';
}

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 30;
    if (text.size() <= longest) return "'" + std::string(text) + "'";
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // not inside a character
    return "'" + std::string(text.substr(0, cut)) + "…'";
}

}  // namespace

Result<CsvPlan> make_csv_plan(std::string_view text, const CsvOptions& options) {
    CsvPlan plan;
    plan.separator = options.separator.value_or(detect_separator(text));
    plan.missing = MissingTexts(options.missing.value_or(usual_missing()));
    plan.target = options.target;
    auto fewer = plan.missing.texts();
    if (!options.missing) fewer.pop_back();
    plan.missing_among_signs = MissingTexts(fewer);
    if (!options.missing) fewer.pop_back();
    plan.missing_in_target = MissingTexts(std::move(fewer));
    plan.width_of_what = options.header ? "the header" : "the first row";
    CsvScanner scanner(text, plan.separator);
    std::vector<Cell> cells;
    if (scanner.read(1, 0, cells) == 0) {
        if (!scanner.problem())
            return Fault{.code = "E-TABLE", .message = "the table is empty: it has no header", .hint = "its first line names the columns"};
        return Fault{.code = "E-TABLE",
                     .message = plan.width_of_what + " (line " + std::to_string(line_of(text, scanner.problem()->offset)) + ") " +
                                scanner.problem()->message,
                     .hint = scanner.problem()->hint};
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
        plan.names.push_back(options.header ? std::string(cells[i].text) : "column" + std::to_string(i + 1));
    plan.header_size = options.header ? scanner.position() : 0;

    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < plan.names.size(); ++i) {
        if (plan.names[i].empty())
            return Fault{.code = "E-TABLE",
                         .message = "column " + std::to_string(i + 1) + " has no name",
                         .hint = "the first line names the columns"};
        if (!seen.insert(plan.names[i]).second)
            return Fault{.code = "E-TABLE",
                         .message = "two columns are named '" + plan.names[i] + "'",
                         .hint = "rename one of them in the first line"};
    }
    plan.forced.resize(plan.names.size());
    for (const auto& [name, kind] : options.types) {
        const auto found = std::find(plan.names.begin(), plan.names.end(), name);
        if (found == plan.names.end()) return no_such_column(name, plan.names);
        plan.forced[static_cast<std::size_t>(found - plan.names.begin())] = kind;
    }
    return plan;
}

std::vector<ColumnKind> guess_csv_kinds(std::string_view rows, CsvPlan& plan) {
    const std::size_t width = plan.names.size();
    CsvScanner scanner(rows, plan.separator);
    std::vector<Cell> cells;
    const std::size_t count = scanner.read(rows_to_look_at, width, cells);
    std::vector<ColumnKind> kinds(width, ColumnKind::numeric);
    plan.has_signs.assign(width, 0);
    for (std::size_t i = 0; i < count * width; ++i)
        if (cells[i].text == "+") plan.has_signs[i % width] = 1;
    for (std::size_t i = 0; i < count * width; ++i)
        if (!plan.missing_in(i % width).covers(cells[i]) && !is_number(cells[i].text)) kinds[i % width] = ColumnKind::label;
    for (std::size_t c = 0; c < width; ++c) kinds[c] = plan.forced[c].value_or(kinds[c]);
    return kinds;
}

CsvPart read_csv_part(std::string_view rows, const CsvPlan& plan, const WantedKinds& kinds, Reading& reading) {
    const std::size_t width = plan.names.size();
    const auto max_rows = static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')) + 1;
    CsvPart part;
    for (const auto& kind : kinds) {
        if (!kind)
            part.columns.emplace_back();
        else if (*kind == ColumnKind::label)
            part.columns.emplace_back(LabelCells(plan.missing_in(part.columns.size()), max_rows));
        else
            part.columns.emplace_back(
                NumberCells(plan.missing, max_rows, plan.forced[part.columns.size()] ? Codes::as_numbers : Codes::refused));
    }
    CsvScanner scanner(rows, plan.separator);
    std::vector<Cell> cells;
    cells.reserve(cells_in_block + width);
    const std::size_t block = std::max<std::size_t>(1, cells_in_block / width);
    std::size_t position = 0;
    while (const std::size_t count = scanner.read(block, width, cells)) {
        for (std::size_t c = 0; c < width; ++c) {
            const CellRun run{cells.data() + c, width, count};
            if (auto* labels = std::get_if<LabelCells>(&part.columns[c])) labels->add(run);
            auto* numbers = std::get_if<NumberCells>(&part.columns[c]);
            if (numbers == nullptr) continue;
            const auto stopped_at = numbers->add(run);
            if (!stopped_at) continue;
            const auto& text = run[*stopped_at].text;
            const bool beyond = Label::of_text(text).is_number();
            if ((plan.forced[c] || beyond) && (!part.problem || part.rows + *stopped_at < part.problem->row)) {
                part.problem = CsvPartProblem{part.rows + *stopped_at, scanner.row_offset(*stopped_at),
                                              "has " + shown(text) + " in column '" + plan.names[c] + "', which is " +
                                                  (beyond ? std::string(out_of_range) : "not a number"),
                                              beyond ? "read the column as labels: types: {" + plan.names[c] + ": label}"
                                                     : "leave out the type of '" + plan.names[c] + "', or make it a label"};
            }
            part.columns[c] = std::monostate{};
        }
        part.rows += count;
        if (part.problem || !reading.advance(scanner.position() - std::exchange(position, scanner.position()))) return part;
    }
    if (const auto& problem = scanner.problem()) {
        part.problem = CsvPartProblem{part.rows, problem->offset, problem->message, problem->hint};
        if (problem->wrong_width) part.problem->message += ", " + plan.width_of_what + " has " + std::to_string(width);
    }
    return part;
}

Fault csv_fault(const CsvPartProblem& problem, std::size_t row, std::size_t line) {
    return {.code = "E-TABLE",
            .message = "row " + std::to_string(row) + " (line " + std::to_string(line) + ") " + problem.message,
            .hint = problem.hint};
}

std::span<const std::string_view> words_for_missing() { return missing_words; }

}  // namespace credence::rt
