#include "runtime/data/arff.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

#include "runtime/core/suggest.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/reading.hpp"

namespace credence::rt {

namespace {

struct Token {
    std::string text;
    bool quoted = false;
};

enum class TypeKind { number, text, nominal };

struct Attribute {
    std::string name;
    TypeKind type = TypeKind::text;
    DomainPtr values;  ///< nominal only
};

Fault at_line(std::size_t line, std::string message, std::string hint = {}) {
    return {.code = "E-TABLE", .message = "line " + std::to_string(line) + ": " + std::move(message), .hint = std::move(hint)};
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

/// One line, word by word. Words end at blanks and at the characters , { } unless they are quoted.
class Line {
public:
    Line(std::string_view text, std::size_t number) : text_(text), number_(number) { skip_blanks(); }

    bool at_end() const { return position_ >= text_.size() || text_[position_] == '%'; }
    char peek() const { return at_end() ? '\0' : text_[position_]; }
    std::size_t number() const { return number_; }

    bool take(char c) {
        if (peek() != c) return false;
        ++position_;
        skip_blanks();
        return true;
    }

    /// The next word; a fault where a quote is not closed or there is none.
    Result<Token> word() {
        Token token;
        if (peek() == '\'' || peek() == '"') {
            token.quoted = true;
            const char quote = text_[position_++];
            while (position_ < text_.size() && text_[position_] != quote) {
                if (text_[position_] == '\\' && position_ + 1 < text_.size())
                    token.text += unescaped(text_[++position_]);
                else
                    token.text += text_[position_];
                ++position_;
            }
            if (position_ >= text_.size()) return at_line(number_, "a quote is never closed", "write a quote inside a text as \\' or \\\"");
            ++position_;
        } else {
            while (position_ < text_.size() && !is_blank(text_[position_]) &&
                   std::string_view(",{}").find(text_[position_]) == std::string_view::npos)
                token.text += text_[position_++];
            if (token.text.empty())
                return at_line(number_, at_end() ? "the line ends too early" : std::string("a value is missing before '") + peek() + "'",
                               "write an unknown cell as ?");
        }
        skip_blanks();
        return token;
    }

private:
    static char unescaped(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c; }
    void skip_blanks() {
        while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    }

    std::string_view text_;
    std::size_t number_;
    std::size_t position_ = 0;
};

Result<DomainPtr> read_values(Line& line, const std::string& attribute) {
    std::vector<Label> labels;
    std::unordered_set<std::string> seen;
    while (!line.take('}')) {
        if (!labels.empty() && !line.take(','))
            return at_line(line.number(), "the values of '" + attribute + "' are separated by commas and end with }");
        auto value = TRY(line.word());
        Label label = Label::of_text(value.text);
        if (!seen.insert(label.text()).second)
            return at_line(line.number(), "'" + attribute + "' lists the value '" + label.text() + "' twice");
        labels.push_back(std::move(label));
    }
    return make_domain(std::move(labels));
}

Result<Attribute> read_attribute(Line& line) {
    Attribute out;
    auto name = TRY(line.word());
    out.name = name.text;
    if (out.name.empty()) return at_line(line.number(), "an attribute needs a name");
    if (line.take('{')) {
        auto values = TRY(read_values(line, out.name));
        out.type = TypeKind::nominal;
        out.values = values;
        return out;
    }
    auto type = TRY(line.word());
    const std::string word = lower(type.text);
    if (word == "numeric" || word == "real" || word == "integer")
        out.type = TypeKind::number;
    else if (word != "string" && word != "date")
        return at_line(line.number(), "'" + out.name + "' has the type '" + type.text + "'",
                       "types are numeric, real, integer, string, date and lists such as {yes, no}");
    return out;  // a date may have a format, which its labels do not need
}

/// A cell as it enters its column; nullopt when it is missing.
Result<std::optional<Label>> read_cell(const Token& token, const Attribute& attribute, std::size_t line) {
    if (!token.quoted && token.text == "?") return std::optional<Label>();
    Label label = Label::of_text(token.text);
    if (attribute.type == TypeKind::number && !label.is_number())
        return at_line(line, "'" + token.text + "' of attribute '" + attribute.name + "' is not a number");
    if (attribute.type == TypeKind::number && !std::isfinite(label.number()->real()))
        return at_line(line, "a number of attribute '" + attribute.name + "' is " + std::string(out_of_range));
    if (attribute.type == TypeKind::nominal && !attribute.values->find(label)) {
        Fault fault = at_line(line, "'" + attribute.name + "' has no value '" + token.text + "'");
        std::vector<std::string> known;
        for (const auto& value : attribute.values->labels()) known.push_back(value.text());
        if (const auto near = nearest(token.text, known)) fault.hint = "did you mean '" + *near + "'?";
        return fault;
    }
    return std::optional(std::move(label));
}

/// One row into the builders.
Status read_row(Line& line, const std::vector<Attribute>& attributes, std::vector<ColumnBuilder>& builders) {
    if (line.peek() == '{')
        return at_line(line.number(), "this row is sparse, which is not supported",
                       "write every cell: Weka's filter SparseToNonSparse does it");
    std::vector<Token> cells;
    while (!line.at_end()) {
        if (!cells.empty()) line.take(',');  // blanks alone separate too
        auto cell = TRY(line.word());
        cells.push_back(std::move(cell));
    }
    if (cells.size() != attributes.size())
        return at_line(line.number(), "the row has " + std::to_string(cells.size()) + (cells.size() == 1 ? " cell" : " cells") +
                                          ", there are " + std::to_string(attributes.size()) + " attributes");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto cell = TRY(read_cell(cells[i], attributes[i], line.number()));
        if (cell)
            builders[i].add(*cell);
        else
            builders[i].add_missing();
    }
    return Done{};
}

/// The column with the declared values as its domain, in place of those that were seen.
ColumnPtr with_declared(const ColumnPtr& seen, const DomainPtr& declared) {
    auto out = std::make_shared<Column>(*seen);
    for (auto& code : out->codes)
        if (code >= 0) code = static_cast<std::int32_t>(*declared->find((*seen->domain)[static_cast<std::size_t>(code)]));
    out->domain = declared;
    return out;
}

Result<TablePtr> finish(const std::vector<Attribute>& attributes, std::vector<ColumnBuilder> builders) {
    auto table = std::make_shared<Table>();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        auto column = TRY(std::move(builders[i]).finish(attributes[i].type == TypeKind::number ? ColumnKind::numeric : ColumnKind::label));
        table->columns.push_back(attributes[i].values ? with_declared(column, attributes[i].values) : column);
    }
    table->row_count = table->columns.front()->rows();
    return TablePtr(std::move(table));
}

}  // namespace

Result<TablePtr> read_arff(std::string_view text, const Run* run) {
    text = without_bom(text);
    TRY(check_utf8(text));
    std::vector<Attribute> attributes;
    std::vector<ColumnBuilder> builders;
    std::unordered_set<std::string> names;
    bool in_data = false;
    std::size_t number = 0;
    Reading reading(run, text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        Line line(text.substr(0, end), ++number);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!reading.advance(end + 1)) return stopped_fault();
        if (line.at_end()) continue;
        if (in_data) {
            TRY(read_row(line, attributes, builders));
            continue;
        }
        const auto keyword = TRY(line.word());
        const std::string word = lower(keyword.text);
        if (word == "@attribute") {
            auto attribute = TRY(read_attribute(line));
            if (!names.insert(attribute.name).second) return at_line(number, "two attributes are named '" + attribute.name + "'");
            builders.emplace_back(attribute.name);
            attributes.push_back(std::move(attribute));
        } else if (word == "@data") {
            if (attributes.empty()) return at_line(number, "@data comes before any @attribute");
            in_data = true;
        } else if (word != "@relation") {
            return at_line(number, "'" + keyword.text + "' is not expected here",
                           "before @data there are @relation and @attribute lines, and % comments");
        }
    }
    if (!in_data) return at_line(std::max<std::size_t>(number, 1), "the file has no @data");
    return finish(attributes, std::move(builders));
}

Result<TablePtr> load_arff(const FilePath& path, const Run* run) {
    const auto file = TRY(read_data_file(path));
    auto table = read_arff(file.view(), run);
    if (!table) return in_file(path, std::move(table).fault());
    return table;
}

}  // namespace credence::rt
