#include "lang/cli/report/math_html.hpp"

#include <fmt/format.h>

#include "lang/cli/report/html.hpp"
#include "lang/syntax/parse.hpp"
#include "lang/value/show.hpp"

namespace credence::cli {

namespace {

using namespace lang;

constexpr std::size_t longest_fraction = 24;  // digits that a reader still compares

std::string math(std::string_view inner) { return html_element("math", "", inner); }
std::string mo(std::string_view sign) { return html_element("mo", "", sign); }
/// Between two operands that are separate formulas: as much space on the right as the blank before the formula leaves on the left.
std::string between(std::string_view sign) { return fmt::format("<mo form=\"infix\" lspace=\"0\" rspace=\"0.25em\">{}</mo>", sign); }
/// Between two sides, with a blank on both.
std::string relation_sign(std::string_view sign) { return fmt::format("<math><mo lspace=\"0\" rspace=\"0\">{}</mo></math>", sign); }
std::string row(std::string_view inner) { return html_element("mrow", "", inner); }
std::string paren(std::string_view inner) { return "<mo stretchy=\"false\">(</mo>" + std::string(inner) + "<mo stretchy=\"false\">)</mo>"; }

/// Presentation MathML of a tree; whatever has no form of its own is set as it was written.
class Setter {
public:
    explicit Setter(const Source& source) : source_(source) {}

    std::string set(const Expr& e, bool drop_parentheses = false) const {
        const std::string inner = bare(e);
        return e.parenthesised && !drop_parentheses ? row(paren(inner)) : inner;
    }

    /// The terms of a sum and the factors of a product, each with the sign before it.
    void pieces(const Expr& e, std::string_view sign, std::vector<std::string>& out) const {
        const auto* b = e.parenthesised ? nullptr : std::get_if<Binary>(&e.node);
        if (!b || (b->op != BinaryOp::add && b->op != BinaryOp::subtract && b->op != BinaryOp::multiply)) {
            out.push_back(std::string(sign) + set(e));
            return;
        }
        pieces(*b->left, sign, out);
        pieces(*b->right, between(b->op == BinaryOp::add ? "+" : b->op == BinaryOp::subtract ? "−" : "·"), out);
    }

private:
    std::string written(Span span) const { return html_element("mtext", "", html_escaped(source_.text(span))); }

    static std::string identifier(std::string_view name) { return html_element("mi", "", html_escaped(name)); }

    std::string bare(const Expr& e) const {
        if (std::holds_alternative<NumberLit>(e.node)) return html_element("mn", "", html_escaped(source_.text(e.span)));
        if (const auto* n = std::get_if<NameExpr>(&e.node)) return identifier(n->name);
        if (const auto* q = std::get_if<QueryExpr>(&e.node)) return query(*q, e);
        if (const auto* b = std::get_if<Binary>(&e.node)) return binary(*b, e);
        if (const auto* u = std::get_if<Unary>(&e.node); u && u->op == UnaryOp::negate) return row(mo("−") + set(*u->operand));
        if (const auto* c = std::get_if<Call>(&e.node)) return call(*c, e);
        return written(e.span);
    }

    std::string binary(const Binary& b, const Expr& e) const {
        switch (b.op) {
            case BinaryOp::divide:
                return html_element("mfrac", "", row(set(*b.left, true)) + row(set(*b.right, true)));
            case BinaryOp::power:
                return html_element("msup", "", row(set(*b.left)) + row(set(*b.right, true)));
            case BinaryOp::multiply:
                return row(set(*b.left) + mo("·") + set(*b.right));
            case BinaryOp::add:
                return row(set(*b.left) + mo("+") + set(*b.right));
            case BinaryOp::subtract:
                return row(set(*b.left) + mo("−") + set(*b.right));
            default:
                break;
        }
        return written({e.span.begin, e.span.end});
    }

    std::string call(const Call& c, const Expr& e) const {
        const auto* name = std::get_if<NameExpr>(&c.callee->node);
        if (!name) return written(e.span);
        std::string arguments;
        for (const auto& a : c.arguments) {
            if (a.name) return written(e.span);
            if (!arguments.empty()) arguments += mo(",");
            arguments += set(*a.value);
        }
        if (name->name == "sqrt" && c.arguments.size() == 1) return html_element("msqrt", "", arguments);
        if (name->name == "log2" || name->name == "log10")
            return row(html_element("msub", "", "<mi>log</mi>" + html_element("mn", "", name->name.substr(3))) + paren(arguments));
        return row(identifier(name->name) + paren(arguments));
    }

    std::string query(const QueryExpr& q, const Expr& e) const {
        if (q.expectation || !q.second.empty() || q.engine) return written(e.span);
        static constexpr std::string_view heads = "PEHIL";
        std::string inside = items(q.targets);
        if (!q.given.empty()) inside += "<mo lspace=\"0.3em\" rspace=\"0.3em\" stretchy=\"false\">|</mo>" + items(q.given);
        std::string out = html_element("mi", "", heads.substr(static_cast<std::size_t>(q.head), 1));
        if (q.model) out = html_element("msub", "", out + set(*q.model));
        return row(out + paren(inside));
    }

    std::string items(const std::vector<QueryItem>& all) const {
        std::string out;
        for (const auto& item : all) {
            if (!out.empty()) out += mo(",");
            const auto* event = std::get_if<EventItem>(&item.node);
            const auto* atom = event ? std::get_if<EventAtom>(&event->event->node) : nullptr;
            if (atom && atom->op == EventOp::equal && !event->next)
                out += html_element("mi", "", html_escaped(source_.text(atom->variable.span))) + mo("=") + written(atom->value->span);
            else
                out += written(item.span);
        }
        return out;
    }

    const Source& source_;
};

/// One expression: its terms and factors as formulas of their own. Empty if it does not parse.
std::string expression_html(std::string_view text) {
    Diagnostics diagnostics;
    const auto source = std::make_shared<Source>("", std::string(text));
    const Program program = parse(source, diagnostics);
    if (!diagnostics.empty() || program.statements.size() != 1) return "";
    const auto* statement = std::get_if<ExprStmt>(&program.statements[0]->node);
    if (!statement) return "";
    std::vector<std::string> parts;
    Setter(*source).pieces(*statement->value, "", parts);
    std::string out;
    for (const auto& part : parts) out += (out.empty() ? "" : " ") + math(part);
    return out;
}

/// The position of the next = or ≈ between two sides: outside brackets and texts, with blanks round it.
struct Sign {
    std::size_t at = std::string_view::npos;
    std::size_t length = 0;
};
Sign next_sign(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth != 0) continue;
        for (const std::string_view sign : {" = ", " ≈ "})
            if (text.substr(i).starts_with(sign)) return {i, sign.size()};
    }
    return {};
}

}  // namespace

std::string math_html(std::string_view text) {
    std::string out;
    std::string_view rest = text;
    for (;;) {
        const Sign sign = next_sign(rest);
        const std::string side = expression_html(rest.substr(0, sign.at));
        if (side.empty()) return html_element("span", "as-written", html_escaped(text));
        out += side;
        if (sign.at == std::string_view::npos) return out;
        out += " " + relation_sign(html_escaped(rest.substr(sign.at + 1, sign.length - 2))) + " ";
        rest.remove_prefix(sign.at + sign.length);
    }
}

std::string number_html(const rt::Number& number, int digits) {
    if (!number.is_exact()) return html_element("span", "real", "≈ " + html_escaped(show_decimal(number, digits)));
    const std::string text = number.exact().text();
    const auto slash = text.find('/');
    if (slash == std::string::npos && text.size() <= longest_fraction) return math(html_element("mn", "", html_escaped(text)));
    if (text.size() > longest_fraction) return html_element("span", "as-written", html_escaped(text));
    const bool negative = text.front() == '-';
    return math((negative ? mo("−") : "") + html_element("mfrac", "",
                                                         html_element("mn", "", text.substr(negative ? 1 : 0, slash - (negative ? 1 : 0))) +
                                                             html_element("mn", "", text.substr(slash + 1))));
}

}  // namespace credence::cli
