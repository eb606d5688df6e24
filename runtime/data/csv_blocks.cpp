#include "runtime/data/csv_blocks.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/csv_parts.hpp"
#include "runtime/data/row_windows.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 20U;   // about: what a thread takes at a time
constexpr std::size_t most_parts = 256;                     // of which each keeps its sums until the end of a pass
constexpr std::size_t most_labels = 1'000'000;              // of a column
constexpr std::size_t first_bytes = std::size_t{4} << 20U;  // to plan by

/// Labels in the order of their first appearance.
struct LabelOrder {
    std::vector<Label> labels;
    std::unordered_map<std::string, std::size_t> places = {};

    void add(const Label& label) {
        if (places.try_emplace(label.text(), labels.size()).second) labels.push_back(label);
    }
};

/// What a part of the file has in one column.
struct FoundColumn {
    std::vector<Label> labels;
    bool numeric = true;  ///< all that is present is a number; of a column that is looked through for numbers
    bool any_present = false;
    std::vector<MissingWord> words;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.labels);
        visit(self.numeric);
        visit(self.any_present);
        visit(self.words);
    }
};

struct FoundPart {
    std::vector<FoundColumn> columns;
    std::size_t rows = 0;
    bool any_quotes = false;
    std::optional<CsvPartProblem> problem;
    std::optional<Fault> fault;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.columns);
        visit(self.rows);
        visit(self.any_quotes);
        visit(self.problem);
        visit(self.fault);
    }
};

/// The file, and where its parts begin.
struct CsvFile {
    FilePath path;
    Descriptor descriptor;
    std::size_t size = 0;
    timespec changed = {};
    CsvPlan plan;
    std::vector<std::size_t> borders;  ///< one more than parts

    bool packed() const { return is_compressed(path.path); }
    std::size_t parts() const { return borders.size() - 1; }
    Result<RowWindows> windows(std::size_t part) const {
        if (packed()) {
            auto bytes = TRY(ByteRange::unpacked(path, borders[part]));
            return RowWindows(std::move(bytes), plan.separator);
        }
        return RowWindows(ByteRange(descriptor, path.path, borders[part], borders[part + 1]), plan.separator);
    }
    /// E-FILE where another program has written to it.
    Status check_unchanged() const {
        struct stat info = {};
        if (::fstat(descriptor.get(), &info) != 0) return file_fault("read", path, errno);
        if (static_cast<std::size_t>(info.st_size) == size && info.st_mtim.tv_sec == changed.tv_sec &&
            info.st_mtim.tv_nsec == changed.tv_nsec)
            return Done{};
        return Fault{.code = "E-FILE",
                     .message = fmt::format("'{}' was changed after it was opened", path.path),
                     .hint = "a table with stream: true reads the file again for each pass; load it again"};
    }
};

/// The first bytes, up to the end of a line where there are more.
Result<std::string> beginning(const CsvFile& file) {
    std::string out(first_bytes, '\0');
    if (file.packed()) {
        auto bytes = TRY(ByteRange::unpacked(file.path, 0));
        const std::size_t got = TRY(bytes.read(out));
        out.resize(got);
    } else {
        ByteRange bytes(file.descriptor, file.path.path, 0, file.size);
        const std::size_t got = TRY(bytes.read(out));
        out.resize(got);
    }
    if (out.size() == first_bytes) out.resize(out.rfind('\n') + 1);
    return out;
}

/// The place behind the next line end.
Result<std::size_t> line_behind(const CsvFile& file, std::size_t at) {
    char piece[4096];
    while (at < file.size) {
        ByteRange bytes(file.descriptor, file.path.path, at, file.size);
        const std::size_t got = TRY(bytes.read(piece));
        const std::string_view text(piece, got);
        if (const auto end = text.find('\n'); end != std::string_view::npos) return at + end + 1;
        at += got;
    }
    return file.size;
}

std::size_t wanted_parts(const CsvFile& file) { return std::clamp<std::size_t>(file.size / part_bytes, 1, most_parts); }

/// At line ends: for a file without quotes.
Status cut_at_lines(CsvFile& file) {
    const std::size_t parts = wanted_parts(file);
    file.borders = {file.plan.header_size};
    for (std::size_t i = 1; i < parts; ++i) {
        const std::size_t at = TRY(line_behind(file, file.size / parts * i));
        if (at > file.borders.back() && at < file.size) file.borders.push_back(at);
    }
    file.borders.push_back(std::max(file.size, file.borders.back()));
    return Done{};
}

/// Between rows, for which everything before has to be looked at.
Status cut_between_rows(CsvFile& file, const Run& run) {
    const std::size_t parts = wanted_parts(file);
    file.borders = {file.plan.header_size, file.size};
    auto windows = TRY(file.windows(0));
    std::vector<std::size_t> borders{file.plan.header_size};
    for (;;) {
        const auto rows = TRY(windows.next());
        if (rows.empty()) break;
        if (run.stopped()) return stopped_fault();
        const std::size_t at = file.plan.header_size + windows.position();
        if (at >= file.size / parts * borders.size() && at > borders.back()) borders.push_back(at);
    }
    borders.push_back(file.size);
    file.borders = std::move(borders);
    return Done{};
}

/// The line of a place in a part: what only a message needs to know.
Result<std::size_t> line_at(const CsvFile& file, std::size_t part, std::size_t offset) {
    const std::size_t end = file.borders[part] + offset;
    std::vector<char> piece(std::size_t{1} << 20U);
    auto bytes = file.packed() ? ByteRange::unpacked(file.path, 0) : Result<ByteRange>(ByteRange(file.descriptor, file.path.path, 0, end));
    if (!bytes) return std::move(bytes).fault();
    std::size_t line = 1;
    for (std::size_t at = 0; at < end;) {
        const std::size_t got = TRY(bytes->read(piece));
        if (got == 0) break;
        const auto used = static_cast<std::ptrdiff_t>(std::min(got, end - at));
        line += static_cast<std::size_t>(std::count(piece.begin(), piece.begin() + used, '\n'));
        at += got;
    }
    return line;
}

Fault too_many_labels(const std::string& column) {
    return {.code = "E-COST",
            .message =
                fmt::format("{} has more than {} different labels, which are too many for a table with stream: true", column, most_labels),
            .hint = fmt::format("numbers need no labels: types: {{{}: number}}; or leave the column out of the file", column)};
}

/// Looks through a part for the columns that `kinds` names.
class PartSearch {
public:
    PartSearch(const CsvFile& file, const WantedKinds& kinds, Reading& reading) : file_(file), kinds_(kinds), reading_(reading) {}

    FoundPart run(std::size_t part) {
        FoundPart out;
        out.columns.resize(kinds_.size());
        orders_.assign(kinds_.size(), {});
        if (const Status done = look_through(part, out); !done) out.fault = done.fault();
        for (std::size_t c = 0; c < kinds_.size(); ++c) out.columns[c].labels = std::move(orders_[c].labels);
        return out;
    }

private:
    Status look_through(std::size_t part, FoundPart& out) {
        auto windows = TRY(file_.windows(part));
        for (;;) {
            const auto text = TRY(windows.next());
            if (text.empty()) break;
            if (const auto bad = first_invalid_utf8(text)) {
                out.problem = CsvPartProblem{out.rows, windows.position() + *bad, "is not UTF-8", "save the file as UTF-8"};
                break;
            }
            auto found = read_csv_part(text, file_.plan, kinds_, reading_);
            if (reading_.stopped()) return stopped_fault();
            if (found.problem) {
                out.problem = std::move(found.problem);
                out.problem->row += out.rows;
                out.problem->offset += windows.position();
                break;
            }
            out.rows += found.rows;
            for (std::size_t c = 0; c < kinds_.size(); ++c) TRY(take(std::move(found.columns[c]), c, out.columns[c]));
        }
        out.any_quotes = windows.any_quotes();
        return Done{};
    }

    Status take(ColumnCells cells, std::size_t c, FoundColumn& out) {
        if (!kinds_[c]) return Done{};
        std::vector<MissingWord> words;
        if (auto* labels = std::get_if<LabelCells>(&cells)) {
            add_missing_words(*labels, c, file_.plan, words);
            const ColumnPtr column = std::move(*labels).finish("");
            for (const auto& label : column->domain->labels()) orders_[c].add(label);
            if (orders_[c].labels.size() > most_labels) return too_many_labels(file_.plan.names[c]);
        } else if (const auto* numbers = std::get_if<NumberCells>(&cells)) {
            add_missing_words(*numbers, c, file_.plan, words);
            out.any_present = out.any_present || numbers->any_present();
        } else {
            out.numeric = false;
        }
        for (auto& word : words) add_word(std::move(word), out.words);
        return Done{};
    }

public:
    static void add_word(MissingWord word, std::vector<MissingWord>& to) {
        const auto known =
            std::find_if(to.begin(), to.end(), [&](const MissingWord& w) { return w.column == word.column && w.text == word.text; });
        if (known == to.end())
            to.push_back(std::move(word));
        else
            known->cells += word.cells;
    }

private:
    const CsvFile& file_;
    const WantedKinds& kinds_;
    Reading& reading_;
    std::vector<LabelOrder> orders_;
};

Result<std::vector<FoundPart>> search(const CsvFile& file, const WantedKinds& kinds, const Run& run) {
    std::vector<FoundPart> found(file.parts());
    Reading reading(&run, file.size);
    spread_chunks(run, {.n = found.size()}, found,
                  [&](std::size_t part, std::size_t, std::size_t) { found[part] = PartSearch(file, kinds, reading).run(part); });
    std::size_t rows = 0;
    for (std::size_t part = 0; part < found.size(); ++part) {
        if (found[part].fault) return *std::move(found[part].fault);
        if (const auto& problem = found[part].problem) {
            const std::size_t line = TRY(line_at(file, part, problem->offset));
            return csv_fault(*problem, rows + problem->row + 1, line);
        }
        rows += found[part].rows;
    }
    return found;
}

class CsvBlocks final : public RowBlocks {
public:
    CsvBlocks(std::shared_ptr<const CsvFile> file, WantedKinds kinds, TablePtr head, std::vector<std::size_t> first_rows)
        : RowBlocks(std::filesystem::path(file->path.path).filename().string(), std::move(head), first_rows.back(), file->parts(),
                    file->size),
          file_(std::move(file)),
          kinds_(std::move(kinds)),
          first_rows_(std::move(first_rows)) {}

    Status read(std::size_t part, std::span<const char> wanted, Progress& progress, const Run& run, const Use& use) const override {
        TRY(file_->check_unchanged());
        WantedKinds kinds = kinds_;
        for (std::size_t c = 0; c < wanted.size(); ++c)
            if (!wanted[c]) kinds[c].reset();
        auto windows = TRY(file_->windows(part));
        std::size_t first = first_rows_[part];
        Reading reading(nullptr, 0);
        for (;;) {
            const auto text = TRY(windows.next());
            if (text.empty()) return Done{};
            if (run.stopped()) return stopped_fault();
            auto found = read_csv_part(text, file_->plan, kinds, reading);
            if (found.problem) return changed();
            const Table block = TRY(block_of(std::move(found)));
            TRY(use(block, first));
            first += block.row_count;
            progress.advance(text.size());
        }
    }

    RowBlocksPtr with_target(TablePtr head) const override {
        return std::make_shared<const CsvBlocks>(file_, kinds_, std::move(head), first_rows_);
    }

private:
    Result<Table> block_of(CsvPart part) const {
        Table out;
        out.target = head().target;
        out.row_count = part.rows;
        for (std::size_t c = 0; c < kinds_.size(); ++c) {
            const Column& kind = *head().columns[c];
            if (auto* labels = std::get_if<LabelCells>(&part.columns[c])) {
                auto column = TRY(with_known_codes(*std::move(*labels).finish(kind.name), kind.domain));
                out.columns.push_back(std::move(column));
            } else if (auto* numbers = std::get_if<NumberCells>(&part.columns[c])) {
                out.columns.push_back(std::move(*numbers).finish(kind.name));
            } else {
                out.columns.push_back(missing_column(kind, part.rows));
            }
        }
        return out;
    }

    Result<ColumnPtr> with_known_codes(const Column& own, const DomainPtr& domain) const {
        std::vector<std::int32_t> known(own.domain->size() + 1, -1);  // shifted by one: −1 stays −1
        for (std::size_t k = 0; k < own.domain->size(); ++k) {
            const auto code = domain->find((*own.domain)[k]);
            if (!code) return changed();
            known[k + 1] = static_cast<std::int32_t>(*code);
        }
        auto out = std::make_shared<Column>();
        out->name = own.name;
        out->domain = domain;
        out->codes.resize(own.codes.size());
        for (std::size_t i = 0; i < own.codes.size(); ++i) out->codes[i] = known[static_cast<std::size_t>(own.codes[i] + 1)];
        return ColumnPtr(std::move(out));
    }

    static ColumnPtr missing_column(const Column& kind, std::size_t rows) {
        auto out = std::make_shared<Column>();
        out->name = kind.name;
        out->kind = kind.kind;
        out->domain = kind.domain;
        if (kind.kind == ColumnKind::label)
            out->codes.assign(rows, -1);
        else
            out->values.assign(rows, missing_value);
        return out;
    }

    Fault changed() const { return {.code = "E-FILE", .message = fmt::format("'{}' was changed after it was opened", file_->path.path)}; }

    std::shared_ptr<const CsvFile> file_;
    WantedKinds kinds_;
    std::vector<std::size_t> first_rows_;  ///< rows before each part; the last: all rows
};

/// The columns without rows, the kinds to read them by, and what there is to note.
struct Columns {
    TablePtr head;
    WantedKinds kinds;
    std::vector<MissingWord> words;
};

Columns columns_of(const CsvFile& file, const std::vector<ColumnKind>& guessed, const std::vector<FoundPart>& found,
                   const std::vector<FoundPart>& again) {
    Columns out;
    auto head = std::make_shared<Table>();
    const auto& names = file.plan.names;
    for (std::size_t c = 0; c < names.size(); ++c) {
        const auto all = [&](auto member) {
            return std::all_of(found.begin(), found.end(), [&](const FoundPart& part) { return part.columns[c].*member; });
        };
        const bool any_present =
            std::any_of(found.begin(), found.end(), [&](const FoundPart& part) { return part.columns[c].any_present; });
        const bool numeric = guessed[c] == ColumnKind::numeric && all(&FoundColumn::numeric);
        auto column = std::make_shared<Column>();
        column->name = names[c];
        if (numeric && (any_present || file.plan.forced[c])) {
            column->kind = ColumnKind::numeric;
        } else {
            LabelOrder order;
            const auto& parts = guessed[c] == ColumnKind::numeric && !numeric ? again : found;
            for (const auto& part : parts)
                for (const auto& label : part.columns[c].labels) order.add(label);
            column->domain = make_domain(std::move(order.labels));
        }
        const auto& parts = guessed[c] == ColumnKind::numeric && !numeric ? again : found;
        for (const auto& part : parts)
            for (const auto& word : part.columns[c].words) PartSearch::add_word(word, out.words);
        out.kinds.push_back(column->kind);
        head->columns.push_back(std::move(column));
    }
    out.head = std::move(head);
    return out;
}

Result<std::shared_ptr<const CsvFile>> planned(const FilePath& path, const CsvOptions& options, std::string& first) {
    auto descriptor = TRY(open_data(path));
    FilePath own = path;
    own.ranks = nullptr;
    auto file = std::make_shared<CsvFile>(CsvFile{.path = own, .descriptor = std::move(descriptor), .plan = {}, .borders = {}});
    struct stat info = {};
    if (::fstat(file->descriptor.get(), &info) != 0) return file_fault("read", path, errno);
    file->size = static_cast<std::size_t>(info.st_size);
    file->changed = info.st_mtim;
    first = TRY(beginning(*file));
    const std::string_view text = without_bom(first);
    file->plan = TRY(make_csv_plan(text, options));
    file->plan.header_size += first.size() - text.size();
    if (file->packed())
        file->borders = {file->plan.header_size, file->size};
    else
        TRY(cut_at_lines(*file));
    return std::shared_ptr<const CsvFile>(std::move(file));
}

}  // namespace

Result<RowBlocksPtr> open_csv_blocks(const FilePath& path, const CsvOptions& options) {
    const Run& run = *options.run;
    CsvOptions chosen = options;
    if (!chosen.separator && data_ending(path.path) == ".tsv") chosen.separator = '\t';
    std::string first;
    auto opened = planned(path, chosen, first);
    if (!opened && opened.fault().code == "E-FILE") return std::move(opened).fault();  // which names the file
    if (!opened) return in_file(path, std::move(opened).fault());
    const auto file = std::const_pointer_cast<CsvFile>(*opened);
    const auto guessed = guess_csv_kinds(std::string_view(first).substr(file->plan.header_size), file->plan);
    const auto look = [&]() -> Result<std::vector<FoundPart>> {
        auto found = search(*file, {guessed.begin(), guessed.end()}, run);
        const bool one = file->parts() == 1;
        const bool quotes = !found || std::any_of(found->begin(), found->end(), [](const FoundPart& part) { return part.any_quotes; });
        if (one || !quotes) return found;
        TRY(cut_between_rows(*file, run));  // a line end may have been inside quotes
        return search(*file, {guessed.begin(), guessed.end()}, run);
    };
    auto found = look();
    if (!found) return in_file(path, std::move(found).fault());
    WantedKinds again(guessed.size());
    for (std::size_t c = 0; c < guessed.size(); ++c)
        for (const auto& part : *found)
            if (guessed[c] == ColumnKind::numeric && !part.columns[c].numeric) again[c] = ColumnKind::label;
    std::vector<FoundPart> second(found->size(),
                                  FoundPart{.columns = std::vector<FoundColumn>(guessed.size()), .problem = {}, .fault = {}});
    if (std::any_of(again.begin(), again.end(), [](const auto& kind) { return kind.has_value(); })) {
        auto more = search(*file, again, run);
        if (!more) return in_file(path, std::move(more).fault());
        second = *std::move(more);
    }
    std::vector<std::size_t> first_rows{0};
    for (const auto& part : *found) first_rows.push_back(first_rows.back() + part.rows);
    Columns columns = columns_of(*file, guessed, *found, second);
    if (options.note && !options.missing)
        if (auto note = missing_words_note(columns.words); !note.empty()) options.note(std::move(note));
    return RowBlocksPtr(std::make_shared<const CsvBlocks>(file, std::move(columns.kinds), std::move(columns.head), std::move(first_rows)));
}

}  // namespace credence::rt
