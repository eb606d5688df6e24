// Documents read one by one: files larger than memory, and folders of files.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

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
    RecordReader(const std::string& path, bool quotes) : file_(std::fopen(path.c_str(), "rb")), quotes_(quotes) {}
    bool is_open() const { return file_ != nullptr; }
    /// The next record without its line end; false at the end of the file. The view lives until the next call.
    bool next(std::string_view& record) {
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
            if (!fill()) break;
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
    bool fill() {
        constexpr std::size_t block = 1U << 20U;
        moved_ = begin_;
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
                  buffer_.begin());
        end_ -= begin_;
        begin_ = 0;
        if (buffer_.size() < end_ + block) buffer_.resize(2 * end_ + block);
        const std::size_t n = std::fread(buffer_.data() + end_, 1, block, file_.get());
        end_ += n;
        return n > 0;
    }

    struct Close {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    std::unique_ptr<std::FILE, Close> file_;
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
    RecordReader reader(source.path, quotes);
    if (!reader.is_open()) return Fault{.code = "E-FILE", .message = fmt::format("{} cannot be read", source.path)};
    std::string_view record;
    std::vector<std::string> cells = source.columns;
    if (cells.empty()) {
        if (!reader.next(record)) return Fault{.code = "E-EMPTY", .message = fmt::format("{} is empty", source.path)};
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
    while (reader.next(record)) {
        if (record.empty()) continue;
        cells_of_record(record, separator, quotes, cells);
        if (cells.size() != expected || cells[label].empty()) {
            ++skipped;
            continue;
        }
        if (Status done = use(cells[label], cells[text]); !done) return done;
    }
    return Done{};
}

Status each_json_line(const TextSource& source, const Use& use, std::size_t& skipped) {
    RecordReader reader(source.path, false);
    if (!reader.is_open()) return Fault{.code = "E-FILE", .message = fmt::format("{} cannot be read", source.path)};
    std::string_view line;
    std::size_t number = 0;
    while (reader.next(line)) {
        ++number;
        if (line.empty()) continue;
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object())
            return Fault{.code = "E-TEXT", .message = fmt::format("{}: line {} is not a JSON object", source.path, number)};
        const auto label = json.find(source.target);
        const auto text = json.find(source.column);
        if (label == json.end() || text == json.end() || !text->is_string() || label->is_null()) {
            ++skipped;
            continue;
        }
        const std::string name = label->is_string() ? label->get<std::string>() : label->dump();
        if (Status done = use(name, text->get_ref<const std::string&>()); !done) return done;
    }
    return Done{};
}

/// A folder for each class, a file for each document; in the order of their names.
Status each_file(const TextSource& source, const Use& use) {
    namespace fs = std::filesystem;
    const auto sorted = [](const fs::path& folder) {
        std::vector<fs::path> out;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) out.push_back(entry.path());
        std::sort(out.begin(), out.end());
        return out;
    };
    for (const auto& folder : sorted(source.path)) {
        if (!fs::is_directory(folder)) continue;
        for (const auto& file : sorted(folder)) {
            if (!fs::is_regular_file(file)) continue;
            std::string path = file.string();
            if (source.allowed) path = TRY(source.allowed(path));
            auto text = TRY(read_file(path));
            if (Status done = use(folder.filename().string(), text.view()); !done) return done;
        }
    }
    return Done{};
}

}  // namespace

Status each_document(const TextSource& source, const Use& use, std::size_t& skipped) {
    std::error_code error;
    if (std::filesystem::is_directory(source.path, error)) return each_file(source, use);
    const std::string ending = std::filesystem::path(source.path).extension().string();
    if (ending == ".csv") return each_record(source, ',', use, skipped);
    if (ending == ".tsv" || ending == ".txt") return each_record(source, '\t', use, skipped);
    if (ending == ".jsonl" || ending == ".ndjson") return each_json_line(source, use, skipped);
    return Fault{.code = "E-FILE",
                 .message = fmt::format("{} is not a kind of file that holds documents", source.path),
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
    if (counts->texts() == 0) return Fault{.code = "E-EMPTY", .message = fmt::format("{} holds no documents", source.path)};
    if (skipped > 0 && run.note)
        run.note(fmt::format("{} without label or text {} left out", counted(skipped, "line"), skipped == 1 ? "was" : "were"));
    settings.column = source.column;
    auto model = std::make_shared<const NaiveBayesTextModel>(std::move(settings), source.target, std::move(counts));
    if (const std::string note = model->left_out_note(); !note.empty() && run.note) run.note(note);
    return ModelPtr(std::move(model));
}

}  // namespace credence::rt
