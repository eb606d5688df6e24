// Texts. Characters are Unicode code points.

#include <algorithm>

#include "lang/builtin/bind.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/text/letter_case.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "text";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string trimmed(const std::string& text) {
    const auto begin = std::find_if_not(text.begin(), text.end(), is_blank);
    const auto end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), is_blank).base();
    return {begin, end};
}

void add_letters(Registry& r) {
    r.add(bind(
        {subject, "text", {{"x"}}, "A value as text.", "text(1/2) == \"1/2\""},
        +[](CallContext& c, Value x) -> Result<Value> { return Value::text(show_plain(x, c.show())); }));
    r.add(bind(
        {subject,
         "decimal",
         {{"x"}, {"digits", "6"}},
         "A number as a decimal text with `digits` significant digits.",
         "decimal(1/3, 3) == \"0.333\""},
        +[](CallContext& c, rt::Number x, std::optional<Count> digits) -> Result<Value> {
            const std::size_t n = digits ? digits->value : static_cast<std::size_t>(c.show().digits);
            if (n < 1 || n > 1000)
                return Fault{.code = "E-PARAMETER", .message = "decimal: digits go from 1 to 1000", .origin = c.argument(1)};
            return Value::text(show_decimal(x, static_cast<int>(n)));
        }));
    r.add(bind(
        {subject, "length", {{"s"}}, "How many characters a text has.", "length(\"naïve\") == 5"},
        +[](CallContext&, std::string s) -> Result<Value> {
            return Value(rt::Number(rt::Rational(static_cast<std::int64_t>(text_width(s)))));
        }));
    r.add(bind(
        {subject,
         "upper",
         {{"s"}},
         "The text in upper case. Latin, Greek and Cyrillic letters are converted one by one, so ß stays ß.",
         "upper(\"abc\") == \"ABC\""},
        +[](CallContext&, std::string s) -> Result<Value> { return Value::text(cased(s, LetterCase::upper)); }));
    r.add(bind(
        {subject,
         "lower",
         {{"s"}},
         "The text in lower case. Latin, Greek and Cyrillic letters are converted.",
         "lower(\"ABC\") == \"abc\""},
        +[](CallContext&, std::string s) -> Result<Value> { return Value::text(cased(s, LetterCase::lower)); }));
    r.add(bind(
        {subject, "trim", {{"s"}}, "The text without whitespace at its ends.", "trim(\" a b \") == \"a b\""},
        +[](CallContext&, std::string s) -> Result<Value> { return Value::text(trimmed(s)); }));
}

void add_parts_of_text(Registry& r) {
    r.add(bind(
        {subject,
         "words",
         {{"s"}},
         "The words of a text, separated by whitespace.",
         "words(\"the cat sat\") == [\"the\", \"cat\", \"sat\"]"},
        +[](CallContext&, std::string s) -> Result<Value> {
            List out;
            for (auto it = s.begin(); it != s.end();) {
                it = std::find_if_not(it, s.end(), is_blank);
                const auto end = std::find_if(it, s.end(), is_blank);
                if (it != end) out.push_back(Value::text({it, end}));
                it = end;
            }
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject,
         "split_text",
         {{"s"}, {"separator"}},
         "The parts of a text between separators.",
         "split_text(\"a,b,,c\", \",\") == [\"a\", \"b\", \"\", \"c\"]"},
        +[](CallContext& c, std::string s, std::string separator) -> Result<Value> {
            if (separator.empty())
                return Fault{.code = "E-PARAMETER", .message = "split_text: the separator is empty", .origin = c.argument(1)};
            List out;
            std::size_t from = 0;
            for (auto at = s.find(separator); at != std::string::npos; at = s.find(separator, from)) {
                out.push_back(Value::text(s.substr(from, at - from)));
                from = at + separator.size();
            }
            out.push_back(Value::text(s.substr(from)));
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject,
         "join_text",
         {{"xs"}, {"separator", "\"\""}},
         "The items as texts, joined with the separator between them.",
         "join_text([1, 2], \" + \") == \"1 + 2\""},
        +[](CallContext& c, Items xs, std::optional<std::string> separator) -> Result<Value> {
            std::string out;
            for (std::size_t i = 0; i < xs.items->size(); ++i)
                out += (i ? separator.value_or("") : "") + show_plain((*xs.items)[i], c.show());
            return Value::text(std::move(out));
        }));
}

void add_searches(Registry& r) {
    r.add(bind(
        {subject,
         "replace",
         {{"s"}, {"old"}, {"new"}},
         "The text with every `old` replaced by `new`.",
         "replace(\"banana\", \"an\", \"o\") == \"booa\""},
        +[](CallContext& c, std::string s, std::string old_part, std::string new_part) -> Result<Value> {
            if (old_part.empty())
                return Fault{.code = "E-PARAMETER", .message = "replace: the text to look for is empty", .origin = c.argument(1)};
            std::string out;
            std::size_t from = 0;
            for (auto at = s.find(old_part); at != std::string::npos; at = s.find(old_part, from)) {
                out += s.substr(from, at - from) + new_part;
                from = at + old_part.size();
            }
            return Value::text(out + s.substr(from));
        }));
    r.add(bind(
        {subject, "contains", {{"s"}, {"part"}}, "Whether a text contains another.", "contains(\"banana\", \"nan\")"},
        +[](CallContext&, std::string s, std::string part) -> Result<Value> { return Value::boolean(s.find(part) != std::string::npos); }));
}

void add_words(Registry& r) {
    add_parts_of_text(r);
    add_searches(r);
}

}  // namespace

void add_text(Registry& r) {
    add_letters(r);
    add_words(r);
}

}  // namespace credence::std_
