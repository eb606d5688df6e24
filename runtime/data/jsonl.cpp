#include "runtime/data/jsonl.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "runtime/data/columns.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/reading.hpp"

namespace credence::rt {

namespace {

struct Pair {
    std::string key;
    std::optional<Label> cell;
};

/// Takes the events of one line's parse; by events, since they carry the digits of a number and not only its double.
class LineReader : public nlohmann::json_sax<nlohmann::json> {
public:
    const std::vector<Pair>& pairs() const { return pairs_; }
    const std::string& problem() const { return problem_; }

    bool null() override { return add(std::nullopt); }
    bool boolean(bool value) override { return add(Label::of_bool(value)); }
    bool number_integer(number_integer_t value) override { return add(Label::of_text(std::to_string(value))); }
    bool number_unsigned(number_unsigned_t value) override { return add(Label::of_text(std::to_string(value))); }
    bool number_float(number_float_t /*value*/, const string_t& digits) override { return add(Label::of_text(digits)); }
    bool string(string_t& text) override { return add(Label::of_text(text)); }
    bool binary(binary_t& /*value*/) override { return stop("has binary data"); }
    bool start_object(std::size_t /*size*/) override { return ++depth_ == 1 || stop("has an object inside '" + key_ + "'"); }
    bool end_object() override { return true; }
    bool start_array(std::size_t /*size*/) override {
        return stop(depth_ == 0 ? "is a list, not an object" : "has a list inside '" + key_ + "'");
    }
    bool end_array() override { return true; }

    bool key(string_t& name) override {
        if (name.empty()) return stop("has a key without a name");
        const bool twice = std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) { return pair.key == name; });
        key_ = name;
        return !twice || stop("has the key '" + name + "' twice");
    }

    bool parse_error(std::size_t position, const std::string& /*last_token*/, const nlohmann::detail::exception& error) override {
        constexpr int number_overflow = 406;  // the library's number for a finite decimal whose double is infinite
        if (error.id == number_overflow) return stop("has a number in '" + key_ + "' that is " + std::string(out_of_range));
        return stop("is not valid JSON at character " + std::to_string(position));
    }

private:
    bool add(std::optional<Label> cell) {
        if (depth_ == 0) return stop("is a single value, not an object");
        pairs_.push_back({key_, std::move(cell)});
        return true;
    }
    bool stop(std::string problem) {
        problem_ = std::move(problem);
        return false;
    }

    std::vector<Pair> pairs_;
    std::string key_;
    std::string problem_;
    int depth_ = 0;
};

/// Columns that may begin at any row.
class Columns {
public:
    void add(const std::vector<Pair>& pairs) {
        for (const auto& pair : pairs) {
            const auto [found, is_new] = index_.try_emplace(pair.key, columns_.size());
            if (is_new) {
                names_.push_back(pair.key);
                columns_.push_back({ColumnBuilder(pair.key), 0});
            }
            auto& column = columns_[found->second];
            fill(column, rows_);
            if (pair.cell)
                column.builder.add(*pair.cell);
            else
                column.builder.add_missing();
            ++column.rows;
        }
        ++rows_;
    }

    Result<TablePtr> finish(const JsonlOptions& options) && {
        std::vector<std::optional<ColumnKind>> forced(columns_.size());
        for (const auto& [name, kind] : options.types) {
            const auto found = index_.find(name);
            if (found == index_.end()) return no_such_column(name, names_);
            forced[found->second] = kind;
        }
        std::vector<ColumnPtr> out;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            fill(columns_[c], rows_);
            auto column = TRY(std::move(columns_[c].builder).finish(forced[c]));
            out.push_back(column);
        }
        return make_table(std::move(out), std::nullopt, rows_);
    }

private:
    struct Growing {
        ColumnBuilder builder;
        std::size_t rows = 0;
    };
    static void fill(Growing& column, std::size_t rows) {
        for (; column.rows < rows; ++column.rows) column.builder.add_missing();
    }

    std::vector<Growing> columns_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::size_t> index_;
    std::size_t rows_ = 0;
};

}  // namespace

Result<TablePtr> read_jsonl(std::string_view text, const JsonlOptions& options) {
    text = without_bom(text);
    TRY(check_utf8(text));
    Columns columns;
    std::size_t number = 0;
    std::size_t rows = 0;
    Reading reading(options.run, text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (!reading.advance(end + 1)) return stopped_fault();
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        LineReader reader;
        ++rows;
        if (!nlohmann::json::sax_parse(line.begin(), line.end(), &reader))
            return Fault{.code = "E-TABLE",
                         .message = "row " + std::to_string(rows) + " (line " + std::to_string(number) + ") " + reader.problem(),
                         .hint = "each line is an object of numbers, texts, true, false and null, such as {\"x\": 1, \"class\": \"yes\"}"};
        columns.add(reader.pairs());
    }
    if (rows == 0) return Fault{.code = "E-TABLE", .message = "the table is empty", .hint = "each line is an object, such as {\"x\": 1}"};
    return std::move(columns).finish(options);
}

Result<TablePtr> load_jsonl(const FilePath& path, const JsonlOptions& options) {
    const auto file = TRY(read_data_file(path));
    auto table = read_jsonl(file.view(), options);
    if (!table) return in_file(path, std::move(table).fault());
    return table;
}

}  // namespace credence::rt
