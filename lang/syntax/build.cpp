#include "lang/syntax/build.hpp"

#include "lang/syntax/literal.hpp"
#include "lang/syntax/operators.hpp"
#include "runtime/core/label.hpp"

namespace credence::lang {

void Builder::report(rt::FaultCode code, std::string message, Span span, std::string label, std::vector<std::string> help) {
    problems.push_back(
        {.code = code, .message = std::move(message), .source = nullptr, .span = span, .label = std::move(label), .help = std::move(help)});
}

Item::Item() = default;
Item::Item(Item&& other) noexcept = default;
Item& Item::operator=(Item&& other) noexcept = default;
Item::~Item() = default;

void Builder::drop(std::size_t mark) { stack.resize(mark); }

void Frame::push_item(Item item) {
    builder_.drop(mark_);
    builder_.stack.push_back(std::move(item));
    deepen();
}

bool Frame::deepen() {
    if (++depth_ <= max_depth) return true;
    if (std::exchange(builder_.gave_up, true)) return false;
    builder_.report("E-DEPTH", "nested too deeply", span(), "this has more than " + std::to_string(max_depth) + " levels",
                    {"name the inner parts with let, or use sum, map and lists instead of long chains"});
    return false;
}

namespace {

/// The text between quotes, with a report when an escape is unknown.
std::string decoded(Frame& frame, std::string_view raw, std::uint32_t offset, Braces braces) {
    auto result = decode_text(raw, braces);
    if (result.bad_escape) {
        const auto at = offset + static_cast<std::uint32_t>(*result.bad_escape);
        frame.builder().report("E-TEXT", "unknown escape sequence in a text", {at, at + 2}, R"(known are \n \t \" \\ and \u{hex digits})",
                               {R"(a backslash itself is written \\)"});
    }
    return std::move(result.text);
}

std::string quoted(Frame& frame, const Token& token, Braces braces) {
    const auto raw = frame.text(token);
    return decoded(frame, raw.substr(1, raw.size() - 2), token.span.begin + 1, braces);
}

}  // namespace

Word word_of(Frame& frame, const Token& token) {
    const auto raw = frame.text(token);
    switch (token.kind) {
        case Tok::quoted_name:
            return {std::string(raw.substr(1, raw.size() - 2)), token.span};
        case Tok::text:
            return {rt::Label::of_text(quoted(frame, token, Braces::doubled)).text(), token.span};
        case Tok::cell_text:
            if (raw.front() == '`') return {std::string(raw.substr(1, raw.size() - 2)), token.span};
            return {quoted(frame, token, Braces::plain), token.span};
        default:
            return {std::string(raw), token.span};
    }
}

namespace build {

void name(Frame& f) { f.push(word_of(f, f.token())); }

/// One token, or a sign and a number. A number is written in its canonical form, so 1.0 and 1 are one key.
void key(Frame& f) {
    const auto span = f.span();
    if (f.last_token().kind != Tok::number) return f.push(word_of(f, f.token()));
    const auto digits = f.text(f.last_token());
    auto value = number_value(digits);
    if (digits == "∞") {
        f.builder().report("E-NUMBER", "∞ cannot be a key", span);
        value = rt::Rational();
    } else if (!value) {
        f.builder().report("E-NUMBER", "this number is too large", span);
        value = rt::Rational();
    }
    if (f.token().kind == Tok::minus_prefix) value = -*value;
    f.push(Word{rt::label_text(*value), span});
}

void plain_text(Frame& f) { f.push(Word{quoted(f, f.token(), Braces::doubled), f.span()}); }
void text_run(Frame& f) { f.push(decoded(f, f.text(f.token()), f.token().span.begin, Braces::doubled)); }

/// ∞ has no fraction: it is what the function of that name gives.
void infinity(Frame& f) {
    Call call;
    call.callee = std::make_unique<Expr>(NameExpr{"infinity"}, f.span());
    f.push_expr(std::move(call));
}

void number(Frame& f) {
    if (f.text(f.token()) == "∞") return infinity(f);
    auto value = number_value(f.text(f.token()));
    if (!value)
        f.builder().report("E-NUMBER", "this number is too large", f.span(), "exact numbers end at about 100,000 digits",
                           {"write it as a power, or work with its logarithm"});
    f.push_expr(NumberLit{value.value_or(rt::Rational())});
}

void text(Frame& f) {
    TextLit text;
    if (auto piece = quoted(f, f.token(), Braces::doubled); !piece.empty()) text.parts.emplace_back(std::move(piece));
    f.push_expr(std::move(text));
}

void spliced_text(Frame& f) {
    TextLit text;
    while (!f.done()) {
        if (f.is<std::string>())
            text.parts.emplace_back(f.take<std::string>());
        else
            text.parts.emplace_back(f.take<ExprPtr>());
    }
    f.push_expr(std::move(text));
}

void boolean(Frame& f) { f.push_expr(BoolLit{f.token().kind == Tok::true_}); }
void sign_label(Frame& f) { f.push_expr(SignLit{f.token().kind == Tok::plus_label ? '+' : '-'}); }
void hole(Frame& f) { f.push_expr(HoleLit{}); }
void name_expr(Frame& f) { f.push_expr(NameExpr{word_of(f, f.token()).text, f.token().kind == Tok::quoted_name}); }
void operator_(Frame& f) { f.push(Operator{operator_of(f.token().kind), f.span()}); }
void mark(Frame& f) {
    const Tok kind = f.token().kind;
    f.push(kind == Tok::bar ? Mark::bar : kind == Tok::tilde ? Mark::tilde : kind == Tok::next ? Mark::next : Mark::semicolon);
}

}  // namespace build

}  // namespace credence::lang
