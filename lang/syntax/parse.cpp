// The only unit that includes PEGTL (7 s to compile). The grammar reads the kinds of a statement's tokens, one byte each.

#include "lang/syntax/parse.hpp"

#include <algorithm>

#include "lang/syntax/actions.hpp"
#include "lang/syntax/grammar.hpp"
#include "lang/syntax/literal.hpp"
#include "lang/syntax/messages.hpp"

namespace credence::lang {

void too_deep(Builder& builder, std::size_t token) {
    builder.report("E-DEPTH", "nested too deeply", builder.chunks.tokens[std::min(token, builder.chunks.tokens.size() - 1)].span,
                   "nested too deeply here", {"name the inner parts with let"});
    throw GiveUp{};
}

namespace {

/// What was expected where a rule failed.
template <class Rule>
constexpr Expected expected = {};
#define EXPECTED(rule, kind, what) \
    template <>                    \
    constexpr Expected expected<grammar::rule> = {Expects::kind, what};
#include "lang/syntax/rules.def"

/// Where a `must` fails: the place and what was expected there.
struct Failure {
    std::size_t token = 0;
    Expected expected;
};

template <class Rule>
struct control : tao::pegtl::normal<Rule> {
    template <class Input>
    [[noreturn]] static void raise(const Input& in, Builder&) {
        static_assert(expected<Rule>.kind != Expects::nothing, "a rule under must needs a line in rules.def");
        throw Failure{in.byte(), expected<Rule>};
    }
};

/// Lines mean nothing in it: positions are bytes, that is, tokens from the start of the statement.
using Input = tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf, const char*>;

bool contains_any_case(std::string_view text, std::string_view part) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [&](char a, char b) { return lower(a) == lower(b); }) !=
               text.end() ||
           part.empty();
}

class Parser {
public:
    Parser(const Source& source, Diagnostics& problems) : text_(source.text()), chunks_(chunk(text_)), problems_(problems) {
        codes_.reserve(chunks_.tokens.size());
        for (const auto& token : chunks_.tokens) codes_ += static_cast<char>(token.kind);
        for (auto& problem : chunks_.problems) problems_.push_back(std::move(problem));
    }

    Program run(const SourcePtr& source) {
        Program out{.source = source, .statements = {}, .unparsed = {}};
        for (const auto& c : chunks_.chunks) {
            if (problems_.size() > max_problems) break;
            if (auto statement = c.broken ? expected_bracket(c) : parse_one(c))
                out.statements.push_back(std::move(statement));
            else if (c.first < c.last)
                out.unparsed.push_back(span_of(c));
        }
        return out;
    }

private:
    Span span_of(const Chunk& c) const { return {chunks_.tokens[c.first].span.begin, chunks_.tokens[c.last - 1].span.end}; }

    /// `expect error: f(1]`: unmatched brackets are reported before anything is parsed. Within a line only: one that is never closed takes
    /// in statements which nobody expects to be wrong.
    StatementPtr expected_bracket(const Chunk& c) {
        if (c.first == c.last) return nullptr;
        const Span span = span_of(c);
        const bool open = chunks_.unfinished && c.last == chunks_.tokens.size();
        if (open || text_.substr(span.begin, span.end - span.begin).find('\n') != std::string_view::npos) return nullptr;
        const auto own = std::stable_partition(problems_.begin(), problems_.end(),
                                               [&](const Diagnostic& p) { return p.span.begin < span.begin || p.span.begin >= span.end; });
        return own == problems_.end() ? nullptr : expected_failure(c, static_cast<std::size_t>(own - problems_.begin()));
    }

    StatementPtr parse_one(const Chunk& c) {
        const auto before = problems_.size();
        Builder builder{.text = text_, .chunks = chunks_, .chunk = c, .problems = problems_};
        Input in(codes_.data() + c.first, codes_.data() + c.last, "");
        try {
            if (!tao::pegtl::parse<grammar::whole_statement, action, control>(in, builder)) return nullptr;
        } catch (const Failure& failure) {
            problems_.push_back(syntax_error(text_, chunks_, c, c.first + failure.token, failure.expected));
        } catch (const GiveUp&) {}
        if (problems_.size() > before) return expected_failure(c, before);
        auto statement = std::get<StatementPtr>(std::move(builder.stack.front().value));
        statement->doc = doc_before(chunks_.docs, statement->span.begin);
        return statement;
    }

    /// `expect error "comma": table t { a, b }` is met by a statement that does not parse. It has no tree, so what is left
    /// of it is an expectation that holds; null when the problems found since `before` are not the expected ones.
    StatementPtr expected_failure(const Chunk& c, std::size_t before) {
        const auto kind = [&](std::size_t i) { return c.first + i < c.last ? chunks_.tokens[c.first + i].kind : Tok::newline; };
        if (kind(0) != Tok::expect || kind(1) != Tok::error) return nullptr;
        const std::size_t colon = kind(2) == Tok::text ? 3 : 2;
        if (kind(colon) != Tok::colon) return nullptr;
        const auto inner = chunks_.tokens[c.first + colon].span.end;
        std::string wanted;
        if (colon == 3) {
            const auto raw = chunks_.tokens[c.first + 2].span;
            wanted = decode_text(text_.substr(raw.begin + 1, raw.end - raw.begin - 2), Braces::doubled).text;
        }
        const auto meets = [&](const Diagnostic& p) {
            return p.span.begin >= inner &&
                   (p.code.text() == wanted || contains_any_case(p.message, wanted) || contains_any_case(p.label, wanted));
        };
        const auto found = problems_.begin() + static_cast<std::ptrdiff_t>(before);
        if (!std::all_of(found, problems_.end(), [&](const Diagnostic& p) { return p.span.begin >= inner; })) return nullptr;
        if (std::none_of(found, problems_.end(), meets)) return nullptr;
        problems_.erase(found, problems_.end());
        const Span span = span_of(c);
        ExpectStmt holds;
        holds.condition = std::make_unique<Expr>(BoolLit{true}, span);
        return std::make_unique<Statement>(std::move(holds), span);
    }

    std::string_view text_;
    Chunks chunks_;
    std::string codes_;
    Diagnostics& problems_;
};

}  // namespace

Program parse(const SourcePtr& source, Diagnostics& diagnostics) {
    Diagnostics problems;
    Program program = Parser(*source, problems).run(source);
    std::stable_sort(problems.begin(), problems.end(), [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
    if (problems.size() > max_problems) {
        problems.resize(max_problems);
        problems.push_back({.severity = Severity::note,
                            .code = "E-SYNTAX",
                            .message = "there are more errors; the rest of the script was not read",
                            .source = nullptr,
                            .span = problems.back().span});
    }
    for (auto& problem : problems) {
        problem.source = source;
        diagnostics.push_back(std::move(problem));
    }
    return program;
}

bool is_incomplete(std::string_view text) { return chunk(text).unfinished; }

}  // namespace credence::lang
