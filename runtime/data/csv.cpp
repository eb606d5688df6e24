#include "runtime/data/csv.hpp"

#include <algorithm>
#include <future>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "runtime/data/columns.hpp"
#include "runtime/data/csv_cells.hpp"
#include "runtime/data/csv_scan.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/load_notes.hpp"
#include "runtime/data/reading.hpp"

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

/// What is known before the rows are read.
struct Plan {
    char separator = ',';
    std::vector<std::string> names;
    std::vector<std::optional<ColumnKind>> forced;
    MissingTexts missing{{}};
    MissingTexts missing_among_signs{{}};  ///< without "-", which is a label where "+" is one
    MissingTexts missing_in_target{{}};    ///< without "none" and "-": the class of a row is rarely missing, and often called so
    std::vector<char> has_signs;           ///< of a column: "+" is among its first cells
    std::string target;

    const MissingTexts& missing_in(std::size_t column) const {
        return names[column] == target ? missing_in_target : has_signs[column] ? missing_among_signs : missing;
    }
    std::string width_of_what;  ///< "the header" or "the first row"
};

/// A part's share of a column; nothing if the column is not asked for, or turned out not to be numeric.
using Cells = std::variant<std::monostate, LabelCells, NumberCells>;

struct PartProblem {
    std::size_t row = 0;     ///< within the part, from 0
    std::size_t offset = 0;  ///< within the part
    std::string message;     ///< continues "row 17 (line 18) …"
    std::string hint;
};

struct Part {
    std::vector<Cells> columns;
    std::size_t rows = 0;
    std::optional<PartProblem> problem;
};

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

Result<Plan> make_plan(std::string_view text, const CsvOptions& options, std::size_t& header_size) {
    Plan plan;
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
    header_size = options.header ? scanner.position() : 0;

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

/// The kinds as the first rows have them. A column that is numeric here may turn out to hold labels; never the other way round.
std::vector<ColumnKind> guess_kinds(std::string_view rows, Plan& plan) {
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

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 30;
    if (text.size() <= longest) return "'" + std::string(text) + "'";
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // not inside a character
    return "'" + std::string(text.substr(0, cut)) + "…'";
}

/// Reads the rows into the columns that `kinds` names (nullopt: not wanted).
Part read_part(std::string_view rows, const Plan& plan, const std::vector<std::optional<ColumnKind>>& kinds, Reading& reading) {
    const std::size_t width = plan.names.size();
    const auto max_rows = static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')) + 1;
    Part part;
    for (const auto& kind : kinds) {
        if (!kind)
            part.columns.emplace_back();
        else if (*kind == ColumnKind::label)
            part.columns.emplace_back(LabelCells(plan.missing_in(part.columns.size()), max_rows));
        else
            part.columns.emplace_back(NumberCells(plan.missing, max_rows));
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
                part.problem = PartProblem{part.rows + *stopped_at, scanner.row_offset(*stopped_at),
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
        part.problem = PartProblem{part.rows, problem->offset, problem->message, problem->hint};
        if (problem->wrong_width) part.problem->message += ", " + plan.width_of_what + " has " + std::to_string(width);
    }
    return part;
}

/// Cuts the rows at line ends into about equal parts. A line end inside quotes does not end a row, so a text with quotes is one part.
std::vector<std::string_view> cut(std::string_view rows, unsigned threads) {
    constexpr std::size_t worth_a_thread = 1U << 20U;
    const std::size_t parts = std::min<std::size_t>(std::max(threads, 1U), rows.size() / worth_a_thread + 1);
    if (parts == 1 || rows.find('"') != std::string_view::npos) return {rows};
    std::vector<std::string_view> out;
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= parts; ++i) {
        std::size_t end = rows.size();
        if (i < parts) end = std::min(rows.find('\n', std::max(begin, rows.size() / parts * i)), rows.size() - 1) + 1;
        out.push_back(rows.substr(begin, end - begin));
        begin = end;
    }
    return out;
}

std::vector<Part> read_parts(const std::vector<std::string_view>& texts, const Plan& plan,
                             const std::vector<std::optional<ColumnKind>>& kinds, Reading& reading) {
    std::vector<std::future<Part>> others;
    for (std::size_t i = 1; i < texts.size(); ++i)
        others.push_back(std::async(std::launch::async, [&, i] { return read_part(texts[i], plan, kinds, reading); }));
    std::vector<Part> parts;
    parts.push_back(read_part(texts[0], plan, kinds, reading));
    for (auto& other : others) parts.push_back(other.get());
    return parts;
}

/// The first problem in the order of the file, whichever part met it first.
Status first_problem(const std::vector<Part>& parts, const std::vector<std::string_view>& texts, std::string_view whole) {
    std::size_t rows = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (const auto& problem = parts[i].problem) {
            const std::size_t offset = static_cast<std::size_t>(texts[i].data() - whole.data()) + problem->offset;
            return Fault{.code = "E-TABLE",
                         .message = "row " + std::to_string(rows + problem->row + 1) + " (line " + std::to_string(line_of(whole, offset)) +
                                    ") " + problem->message,
                         .hint = problem->hint};
        }
        rows += parts[i].rows;
    }
    if (rows > std::numeric_limits<std::uint32_t>::max())
        return Fault{.code = "E-TABLE", .message = "the table has more than 4294967295 rows"};
    return Done{};
}

/// One column out of the shares of all parts; the words in it that were taken as missing go to `words`.
template <class SomeCells>
ColumnPtr joined(std::vector<Part>& parts, std::size_t c, const Plan& plan, std::vector<MissingWord>& words) {
    auto all = std::get<SomeCells>(std::move(parts[0].columns[c]));
    for (std::size_t i = 1; i < parts.size(); ++i) all.append(std::get<SomeCells>(parts[i].columns[c]));
    const auto& texts = plan.missing.texts();
    for (std::size_t k = 0; k < all.missing_counts().size(); ++k)
        if (all.missing_counts()[k] > 0 && !texts[k].empty() && texts[k] != "?")
            words.push_back({plan.names[c], texts[k], all.missing_counts()[k]});
    return std::move(all).finish(plan.names[c]);
}

ColumnPtr all_missing(const std::string& name, std::size_t rows) {
    auto column = std::make_shared<Column>();
    column->name = name;
    column->domain = make_domain({});
    column->codes.assign(rows, -1);
    return column;
}

}  // namespace

Result<TablePtr> read_csv(std::string_view text, const CsvOptions& options) {
    text = without_bom(text);
    TRY(check_utf8(text));
    std::size_t header_size = 0;
    auto plan = TRY(make_plan(text, options, header_size));
    const auto rows = text.substr(header_size);
    const auto guessed = guess_kinds(rows, plan);
    const auto texts = cut(rows, options.threads);
    Reading reading(options.run, rows.size());
    auto parts = read_parts(texts, plan, {guessed.begin(), guessed.end()}, reading);
    if (reading.stopped()) return stopped_fault();
    TRY(first_problem(parts, texts, text));

    auto table = std::make_shared<Table>();
    for (const auto& part : parts) table->row_count += part.rows;
    const std::size_t width = plan.names.size();
    // columns that looked numeric in the first rows and met a word later: read again, all at once
    std::vector<std::optional<ColumnKind>> again(width);
    for (std::size_t c = 0; c < width; ++c)
        for (const auto& part : parts)
            if (std::holds_alternative<std::monostate>(part.columns[c])) again[c] = ColumnKind::label;
    std::vector<Part> second;
    if (std::any_of(again.begin(), again.end(), [](const auto& kind) { return kind.has_value(); }))
        second = read_parts(texts, plan, again, reading);
    if (reading.stopped()) return stopped_fault();

    std::vector<MissingWord> words;
    for (std::size_t c = 0; c < width; ++c) {
        const auto any_present = [c](const Part& part) { return std::get<NumberCells>(part.columns[c]).any_present(); };
        if (again[c]) {
            table->columns.push_back(joined<LabelCells>(second, c, plan, words));
        } else if (guessed[c] == ColumnKind::label) {
            table->columns.push_back(joined<LabelCells>(parts, c, plan, words));
        } else if (plan.forced[c] || std::any_of(parts.begin(), parts.end(), any_present)) {
            table->columns.push_back(joined<NumberCells>(parts, c, plan, words));
        } else {
            table->columns.push_back(all_missing(plan.names[c], table->row_count));
        }
    }
    if (options.note) {
        if (auto note = missing_words_note(words); !note.empty() && !options.missing) options.note(std::move(note));
        for (auto& note : notes_on_columns(*table)) options.note(std::move(note));
    }
    return TablePtr(std::move(table));
}

std::span<const std::string_view> words_for_missing() { return missing_words; }

Result<TablePtr> load_csv(const FilePath& path, const CsvOptions& options) {
    const auto file = TRY(read_data_file(path));
    CsvOptions chosen = options;
    if (!chosen.separator && data_ending(path.path) == ".tsv") chosen.separator = '\t';
    auto table = read_csv(file.view(), chosen);
    if (!table) return in_file(path, std::move(table).fault());
    return table;
}

}  // namespace credence::rt
