#include "lang/eval/derivation_lines.hpp"

#include <algorithm>

namespace credence::lang {

namespace {

using Kind = DerivationText::Kind;

std::string shown_variable(std::string_view name) {
    constexpr std::string_view next = "next ";
    if (name.starts_with(next)) return std::string(next) + show_name(name.substr(next.size()));
    return show_name(name);
}

std::string shown_events(const std::vector<std::pair<std::string, rt::Label>>& events) {
    std::string out;
    for (const auto& [name, label] : events)
        out += (out.empty() ? "" : ", ") + shown_variable(name) + " = " + (label.is_number() ? label.text() : show_label(label.text()));
    return out;
}

/// Drops the parentheses that a reader does not need: doubled ones, those round a plain number, and those round a fraction that
/// is part of a sum. The rest keeps its meaning.
std::string tidy(std::string text) {
    const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t open = 0; open < text.size() && !changed; ++open) {
            if (text[open] != '(' || (open > 0 && is_word(text[open - 1]))) continue;
            std::size_t close = open + 1;
            int depth = 1;
            for (; close < text.size() && depth > 0; ++close) depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
            if (depth != 0) continue;
            --close;
            const std::string_view inside = std::string_view(text).substr(open + 1, close - open - 1);
            const bool plain = inside == "∞" || (!inside.empty() && inside.find_first_not_of("0123456789.") == std::string_view::npos);
            const bool doubled = inside.size() > 1 && inside.front() == '(' && inside.find(')') == inside.size() - 1;
            const bool fraction = inside.find_first_not_of("0123456789/") == std::string_view::npos;
            const bool summand = (open == 0 || (open > 1 && text.compare(open - 2, 2, "+ ") == 0) || text[open - 1] == '(') &&
                                 (close + 1 == text.size() || text.compare(close + 1, 2, " +") == 0 || text[close + 1] == ')');
            if (!plain && !doubled && !(fraction && summand)) continue;
            text.erase(close, 1);
            text.erase(open, 1);
            changed = true;
        }
    }
    return text;
}

}  // namespace

std::string folded(std::string_view text) {
    std::string out;
    bool comment = false;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted || (c == '"' && !comment)) {
            if (c == '"' && (!quoted || text[i - 1] != '\\')) quoted = !quoted;
            out += c;
            continue;
        }
        if (c == '#') comment = true;
        if (c == '\n') comment = false;
        if (comment) continue;
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (blank && (out.empty() || out.back() == ' ' || out.back() == '(' || out.back() == '[')) continue;
        if ((c == ')' || c == ']' || c == ',') && !out.empty() && out.back() == ' ') out.pop_back();
        out += blank ? ' ' : c;
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

std::string plain_number(const rt::Number& n, int digits) {
    if (!n.is_exact()) return show_decimal(n, std::max(digits, 6));
    if (auto decimal = n.exact().decimal(8); decimal && !n.exact().is_integer()) return *decimal;
    const std::string fraction = n.exact().text();
    return fraction.size() <= 24 ? fraction : show_decimal(n, std::max(digits, 6));
}

DerivationText rendered(const rt::DerivationLine& line, std::string_view in_model, const ShowOptions& options) {
    DerivationText out;
    out.kind = static_cast<Kind>(line.kind);
    const bool expression = out.kind >= Kind::begin;
    for (const auto& part : line.parts) {
        if (const auto* text = std::get_if<std::string>(&part))
            out.text += *text;
        else if (const auto* label = std::get_if<rt::Label>(&part))
            out.text += show_label(label->text());
        else if (const auto* n = std::get_if<rt::Number>(&part)) {
            out.text +=
                expression && line.parts.size() > 1 ? "(" + plain_number(*n, options.digits) + ")" : plain_number(*n, options.digits);
            if (out.kind == Kind::result) {
                out.value = *n;
                out.text = n->is_exact() ? n->exact().text() : show_decimal(*n, options.digits);
            }
        } else {
            const auto& term = std::get<rt::ProbabilityTerm>(part);
            out.text += "P(" + shown_events(term.event) + (term.given.empty() ? "" : " | " + shown_events(term.given)) + ")";
            if (expression) out.text += in_model;
        }
    }
    if (expression) out.text = tidy(std::move(out.text));
    return out;
}

void DerivationLines::sum(const std::vector<std::string>& terms, std::string_view before, std::string_view after) {
    std::string text;
    for (const auto& t : terms) text += (text.empty() ? "" : " + ") + t;
    step(std::string(before) + tidy(std::move(text)) + std::string(after));
}

void DerivationLines::result(const rt::Number& n) {
    lines_.push_back({Kind::result, n.is_exact() ? n.exact().text() : show_decimal(n, options_.digits), n});
}

void DerivationLines::told(const rt::Derivation& derivation) {
    const std::size_t before = lines_.size();
    for (const auto& line : derivation) lines_.push_back(rendered(line, in_model_, options_));
    // Of several derivations, one for each value of do(X), each would open with the same words.
    const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(before);
    if (before > 0 && first != lines_.end() && first->kind == Kind::note && first->text == lines_[0].text) lines_.erase(first);
}

}  // namespace credence::lang
