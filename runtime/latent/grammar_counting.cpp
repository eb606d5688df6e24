#include "runtime/latent/grammar_counting.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

namespace {

/// A node of a tree whose bracket is still open: its symbol, and the children so far.
struct OpenNode {
    std::string label;
    std::vector<std::pair<bool, std::string>> children;  ///< whether it is a word, and its text
};

/// Brackets, and the words between them and blanks.
std::vector<std::string> tree_tokens(const std::string& text) {
    std::vector<std::string> out;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) out.push_back(std::exchange(word, {}));
    };
    for (const char c : text) {
        if (c != '(' && c != ')' && c != ' ' && c != '\t' && c != '\n') {
            word += c;
            continue;
        }
        end_word();
        if (c == '(' || c == ')') out.emplace_back(1, c);
    }
    end_word();
    return out;
}

std::string node_text(const OpenNode& node) {
    std::string out = node.label + " ->";
    for (const auto& [word, text] : node.children) out += word ? " \"" + text + "\"" : " " + text;
    return out;
}

std::optional<std::size_t> rule_of(const Grammar& g, const OpenNode& node) {
    for (std::size_t r = 0; r < g.rules.size(); ++r) {
        const auto& rule = g.rules[r];
        if (g.nonterminals[rule.left] != node.label || rule.right.size() != node.children.size()) continue;
        bool same = true;
        for (std::size_t i = 0; same && i < rule.right.size(); ++i) {
            const auto& s = rule.right[i];
            same = s.terminal == node.children[i].first && (s.terminal ? g.words : g.nonterminals)[s.index] == node.children[i].second;
        }
        if (same) return r;
    }
    return std::nullopt;
}

/// Adds the weight to each rule that the tree uses.
Status count_tree(const Grammar& g, const std::string& text, std::size_t number, const Rational& weight, std::vector<Rational>& uses) {
    const auto fault = [&](std::string message) {
        return Fault{.code = "E-LABEL",
                     .message = fmt::format("tree {}: {}", number, message),
                     .hint = "a tree is written as parse(…).text gives it: \"(S (NP she) (VP (V saw) (NP stars)))\""};
    };
    const auto tokens = tree_tokens(text);
    std::vector<OpenNode> open;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == "(") {
            if (i + 1 == tokens.size() || tokens[i + 1] == "(" || tokens[i + 1] == ")") return fault("a bracket opens without a symbol");
            if (open.empty() && i > 0) return fault("there is text after its last bracket");
            open.push_back({tokens[++i], {}});
            continue;
        }
        if (open.empty()) return fault("there is text after its last bracket");
        if (tokens[i] != ")") {
            open.back().children.emplace_back(true, tokens[i]);
            continue;
        }
        const OpenNode node = std::move(open.back());
        open.pop_back();
        const auto rule = rule_of(g, node);
        if (!rule) return fault(fmt::format("{} has no rule {}", g.name, node_text(node)));
        uses[*rule] += weight;
        if (!open.empty())
            open.back().children.emplace_back(false, node.label);
        else if (node.label != g.nonterminals[g.start])
            return fault(fmt::format("it begins with {}, and {} with {}", node.label, g.name, g.nonterminals[g.start]));
    }
    if (!open.empty()) return fault("a bracket does not close");
    return Done{};
}

}  // namespace

const Column* tree_column(const TableView& rows, const Grammar& grammar) {
    if (rows.table->columns.size() != 1 || rows.size() == 0) return nullptr;
    const Column& column = *rows.table->columns[0];
    if (column.kind != ColumnKind::label) return nullptr;
    if (std::any_of(grammar.words.begin(), grammar.words.end(), [](const std::string& word) { return word[0] == '('; })) return nullptr;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (column.is_missing(rows.row(i)) || !column.label(rows.row(i)).text().starts_with('(')) return nullptr;
    return &column;
}

Result<Grammar> counted_grammar(const Grammar& grammar, const Column& trees, const TableView& rows, std::span<const double> weights,
                                const Rational& m, Run& run) {
    std::vector<Rational> uses(grammar.rules.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Rational weight = weights.empty() ? Rational(1) : Rational::from_decimal(weights[i]);
        TRY(count_tree(grammar, trees.label(rows.row(i)).text(), rows.row(i) + 1, weight, uses));
    }
    Grammar out = grammar;
    for (std::size_t symbol = 0; symbol < grammar.nonterminals.size(); ++symbol) {
        Number open = 1;
        std::vector<std::size_t> holes;
        std::vector<Rational> counts;
        for (std::size_t r = 0; r < grammar.rules.size(); ++r) {
            const auto& rule = grammar.rules[r];
            if (rule.left != symbol) continue;
            if (rule.probability) {
                open = open - *rule.probability;
                continue;
            }
            holes.push_back(r);
            counts.push_back(uses[r]);
        }
        if (holes.empty()) continue;
        if (m.is_zero() && run.note && std::all_of(counts.begin(), counts.end(), [](const Rational& n) { return n.is_zero(); }))
            run.note(fmt::format("no tree uses an open rule of {}, so these rules are all equally likely", grammar.nonterminals[symbol]));
        const auto shares = m_estimates(counts, m);
        for (std::size_t h = 0; h < holes.size(); ++h) out.rules[holes[h]].probability = open * Number(shares[h]);
    }
    return out;
}

std::string rule_text(const Grammar& grammar, const Grammar::Rule& rule) {
    std::string out = grammar.nonterminals[rule.left] + " ->";
    for (const auto& s : rule.right) out += " " + (s.terminal ? "\"" + grammar.words[s.index] + "\"" : grammar.nonterminals[s.index]);
    return out;
}

}  // namespace credence::rt
