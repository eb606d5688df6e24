// Documents read one by one: files larger than memory, and folders of files.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/classify/naive_bayes_text.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

using Use = std::function<Status(std::string_view label, std::string_view text)>;

/// Lines, or records whose quoted cells may hold line ends, through a buffer of its own.
class RecordReader {
public:
    RecordReader(const FilePath& path, Descriptor file, bool quotes) : path_(path), file_(std::move(file)), quotes_(quotes) {}
    /// The next record without its line end; false at the end of the file. The view lives until the next call.
    Result<bool> next(std::string_view& record) {
        bool quoted = false;
        std::size_t at = begin_;
        while (true) {
            for (; at < end_; ++at) {
                const char c = buffer_[at];
                if (quotes_ && c == '"') quoted = !quoted;
                if (c != '\n' || quoted) continue;
                record = cut(begin_, at);
                begin_ = at + 1;
                return true;
            }
            const bool more = TRY(fill());
            if (!more) break;
            at -= moved_;
        }
        if (begin_ == end_) return false;
        record = cut(begin_, end_);
        begin_ = end_;
        return true;
    }

private:
    std::string_view cut(std::size_t from, std::size_t to) const {
        if (to > from && buffer_[to - 1] == '\r') --to;
        return {buffer_.data() + from, to - from};
    }
    /// More bytes after those not yet used, which move to the front.
    Result<bool> fill() {
        constexpr std::size_t block = 1U << 20U;
        moved_ = begin_;
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
                  buffer_.begin());
        end_ -= begin_;
        begin_ = 0;
        if (buffer_.size() < end_ + block) buffer_.resize(2 * end_ + block);
        for (;;) {
            const ssize_t n = ::read(file_.get(), buffer_.data() + end_, block);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return file_fault("read", path_, errno);
            end_ += static_cast<std::size_t>(n);
            return n > 0;
        }
    }

    const FilePath& path_;
    Descriptor file_;
    bool quotes_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t moved_ = 0;
};

/// Cells of a record. Quotes count in comma-separated files alone: texts between tabs are as they are.
void cells_of_record(std::string_view record, char separator, bool quotes, std::vector<std::string>& out) {
    out.assign(1, {});
    bool quoted = false;
    for (std::size_t i = 0; i < record.size(); ++i) {
        const char c = record[i];
        if (quotes && c == '"') {
            if (quoted && i + 1 < record.size() && record[i + 1] == '"') {
                out.back() += '"';
                ++i;
            } else {
                quoted = !quoted;
            }
        } else if (c == separator && !quoted) {
            out.emplace_back();
        } else {
            out.back() += c;
        }
    }
}

Status each_record(const TextSource& source, char separator, const Use& use, std::size_t& skipped) {
    const bool quotes = separator == ',';
    auto file = TRY(open_data(source.path));
    RecordReader reader(source.path, std::move(file), quotes);
    std::string_view record;
    std::vector<std::string> cells = source.columns;
    if (cells.empty()) {
        const bool any = TRY(reader.next(record));
        if (!any) return Fault{.code = "E-EMPTY", .message = fmt::format("{} is empty", source.path.path)};
        cells_of_record(without_bom(record), separator, quotes, cells);
    }
    const auto column = [&](const std::string& name) -> Result<std::size_t> {
        const auto found = std::find(cells.begin(), cells.end(), name);
        if (found == cells.end()) return in_file(source.path, no_such_column(name, cells));
        return static_cast<std::size_t>(found - cells.begin());
    };
    auto label = TRY(column(source.target));
    auto text = TRY(column(source.column));
    const std::size_t expected = cells.size();
    for (;;) {
        const bool more = TRY(reader.next(record));
        if (!more) return Done{};
        if (record.empty()) continue;
        cells_of_record(record, separator, quotes, cells);
        if (cells.size() != expected || cells[label].empty()) {
            ++skipped;
            continue;
        }
        if (Status done = use(cells[label], cells[text]); !done) return done;
    }
}

Status each_json_line(const TextSource& source, const Use& use, std::size_t& skipped) {
    auto file = TRY(open_data(source.path));
    RecordReader reader(source.path, std::move(file), false);
    std::string_view line;
    std::size_t number = 0;
    for (;;) {
        const bool more = TRY(reader.next(line));
        if (!more) return Done{};
        ++number;
        if (line.empty()) continue;
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object())
            return Fault{.code = "E-TEXT", .message = fmt::format("{}: line {} is not a JSON object", source.path.path, number)};
        const auto label = json.find(source.target);
        const auto text = json.find(source.column);
        if (label == json.end() || text == json.end() || !text->is_string() || label->is_null()) {
            ++skipped;
            continue;
        }
        const std::string name = label->is_string() ? label->get<std::string>() : label->dump();
        if (Status done = use(name, text->get_ref<const std::string&>()); !done) return done;
    }
}

/// A folder for each class, a file for each document; in the order of their names.
Status each_file(const TextSource& source, const Use& use) {
    auto classes = TRY(folder_entries(source.path));
    for (const auto& label : classes) {
        const FilePath folder = source.path.within(label);
        auto names = folder_entries(folder);
        if (!names) {
            if (Descriptor file = open_path(folder, O_RDONLY | O_NONBLOCK); file.is_open()) continue;  // a file beside the folders
            return std::move(names).fault();
        }
        for (const auto& name : *names) {
            const FilePath file = folder.within(name);
            if (is_folder(file)) continue;
            auto text = TRY(read_file(file));
            if (Status done = use(label, text.view()); !done) return done;
        }
    }
    return Done{};
}

}  // namespace

Status each_document(const TextSource& source, const Use& use, std::size_t& skipped) {
    if (is_folder(source.path)) return each_file(source, use);
    const std::string ending = file_ending(source.path);
    if (ending == ".csv") return each_record(source, ',', use, skipped);
    if (ending == ".tsv" || ending == ".txt") return each_record(source, '\t', use, skipped);
    if (ending == ".jsonl" || ending == ".ndjson") return each_json_line(source, use, skipped);
    return Fault{.code = "E-FILE",
                 .message = fmt::format("{} is not a kind of file that holds documents", source.path.path),
                 .hint = ".csv, .tsv, .jsonl, or a folder with a folder of files for each class"};
}

Result<ModelPtr> train_text(const TextSource& source, TextSettings settings, Run& run) {
    auto counts = std::make_shared<TextCounts>();
    std::size_t skipped = 0;
    Tokenizer tokenizer(settings.words);
    TRY(each_document(
        source,
        [&](std::string_view label, std::string_view text) -> Status {
            if (run.stopped()) return stopped_fault();
            const std::string prepared = TRY(settings.words.prepared(text));
            counts->add(counts->class_of(Label::of_text(label)), prepared, 1, tokenizer);
            return Done{};
        },
        skipped));
    if (counts->texts() == 0) return Fault{.code = "E-EMPTY", .message = fmt::format("{} holds no documents", source.path.path)};
    if (skipped > 0 && run.note)
        run.note(fmt::format("{} without label or text {} left out", counted(skipped, "line"), skipped == 1 ? "was" : "were"));
    settings.column = source.column;
    auto model = std::make_shared<const NaiveBayesTextModel>(std::move(settings), source.target, std::move(counts));
    if (const std::string note = model->left_out_note(); !note.empty() && run.note) run.note(note);
    return ModelPtr(std::move(model));
}

}  // namespace credence::rt
