#include "runtime/data/csv.hpp"

#include <algorithm>
#include <future>
#include <limits>
#include <utility>

#include "runtime/data/columns.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/csv_parts.hpp"
#include "runtime/data/load_notes.hpp"
#include "runtime/data/reading.hpp"

namespace credence::rt {

namespace {

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

std::vector<CsvPart> read_parts(const std::vector<std::string_view>& texts, const CsvPlan& plan, const WantedKinds& kinds,
                                Reading& reading) {
    std::vector<std::future<CsvPart>> others;
    for (std::size_t i = 1; i < texts.size(); ++i)
        others.push_back(std::async(std::launch::async, [&, i] { return read_csv_part(texts[i], plan, kinds, reading); }));
    std::vector<CsvPart> parts;
    parts.push_back(read_csv_part(texts[0], plan, kinds, reading));
    for (auto& other : others) parts.push_back(other.get());
    return parts;
}

/// The first problem in the order of the file, whichever part met it first.
Status first_problem(const std::vector<CsvPart>& parts, const std::vector<std::string_view>& texts, std::string_view whole) {
    std::size_t rows = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (const auto& problem = parts[i].problem) {
            const std::size_t offset = static_cast<std::size_t>(texts[i].data() - whole.data()) + problem->offset;
            return csv_fault(*problem, rows + problem->row + 1, line_of(whole, offset));
        }
        rows += parts[i].rows;
    }
    if (rows > std::numeric_limits<std::uint32_t>::max())
        return Fault{.code = "E-TABLE", .message = "the table has more than 4294967295 rows"};
    return Done{};
}

/// One column out of the shares of all parts; the words in it that were taken as missing go to `words`.
template <class SomeCells>
ColumnPtr joined(std::vector<CsvPart>& parts, std::size_t c, const CsvPlan& plan, std::vector<MissingWord>& words) {
    auto all = std::get<SomeCells>(std::move(parts[0].columns[c]));
    for (std::size_t i = 1; i < parts.size(); ++i) all.append(std::get<SomeCells>(parts[i].columns[c]));
    add_missing_words(all, c, plan, words);
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
    auto plan = TRY(make_csv_plan(text, options));
    const auto rows = text.substr(plan.header_size);
    const auto guessed = guess_csv_kinds(rows, plan);
    const auto texts = cut(rows, options.threads);
    Reading reading(options.run, rows.size());
    auto parts = read_parts(texts, plan, {guessed.begin(), guessed.end()}, reading);
    if (reading.stopped()) return stopped_fault();
    TRY(first_problem(parts, texts, text));

    auto table = std::make_shared<Table>();
    for (const auto& part : parts) table->row_count += part.rows;
    const std::size_t width = plan.names.size();
    // columns that looked numeric in the first rows and met a word later: read again, all at once
    WantedKinds again(width);
    for (std::size_t c = 0; c < width; ++c)
        for (const auto& part : parts)
            if (std::holds_alternative<std::monostate>(part.columns[c])) again[c] = ColumnKind::label;
    std::vector<CsvPart> second;
    if (std::any_of(again.begin(), again.end(), [](const auto& kind) { return kind.has_value(); }))
        second = read_parts(texts, plan, again, reading);
    if (reading.stopped()) return stopped_fault();

    std::vector<MissingWord> words;
    for (std::size_t c = 0; c < width; ++c) {
        const auto any_present = [c](const CsvPart& part) { return std::get<NumberCells>(part.columns[c]).any_present(); };
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
        for (auto& note : notes_on_columns(*table, options.types)) options.note(std::move(note));
    }
    return TablePtr(std::move(table));
}

Result<TablePtr> load_csv(const FilePath& path, const CsvOptions& options) {
    const auto file = TRY(read_data_file(path));
    CsvOptions chosen = options;
    if (!chosen.separator && data_ending(path.path) == ".tsv") chosen.separator = '\t';
    auto table = read_csv(file.view(), chosen);
    if (!table) return in_file(path, std::move(table).fault());
    return table;
}

}  // namespace credence::rt
