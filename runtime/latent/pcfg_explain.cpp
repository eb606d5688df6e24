#include "runtime/latent/pcfg_explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// The probability of the rule at the root of the tree.
Number rule_of(const Grammar& g, const ParseTree& tree) {
    const auto fits = [&](const Grammar::Rule& rule) {
        if (g.nonterminals[rule.left] != tree.label || rule.right.size() != tree.children.size()) return false;
        for (std::size_t i = 0; i < rule.right.size(); ++i) {
            const auto& symbol = rule.right[i];
            const auto& child = tree.children[i];
            if (symbol.terminal != child.word || (symbol.terminal ? g.words : g.nonterminals)[symbol.index] != child.label) return false;
        }
        return true;
    };
    const auto rule = std::find_if(g.rules.begin(), g.rules.end(), fits);
    return rule == g.rules.end() ? Number(1) : *rule->probability;
}

/// The rules of the tree from the root down, left to right.
void add_rules(const Grammar& g, const ParseTree& tree, std::vector<Parts>& out) {
    if (tree.word) return;
    out.push_back(operand(rule_of(g, tree)));
    for (const auto& child : tree.children) add_rules(g, child, out);
}

void write_tree(const Grammar& g, const Parse& parse, DerivationWriter& out) {
    std::vector<Parts> rules;
    add_rules(g, parse.tree, rules);
    out.formula("P(" + bracketed(parse.tree) + ")");
    out.begin(joined(rules, " * "));
    out.result(parse.probability);
}

Fault no_tree(const Grammar& g) { return {.code = "E-ZERO", .message = fmt::format("{} has no tree for this sentence", g.name)}; }

}  // namespace

std::string bracketed(const ParseTree& tree) {
    if (tree.word) return tree.label;
    std::string out = "(" + tree.label;
    for (const auto& child : tree.children) out += " " + bracketed(child);
    return out + ")";
}

Result<Derivation> explain_parse(const Grammar& grammar, const Sentence& sentence, const std::string& asked, Run& run) {
    const auto trees = TRY(parses(grammar, sentence, cases_shown, run));
    if (trees.empty()) return no_tree(grammar);
    DerivationWriter out;
    out.formula("P(tree) = the product of the probabilities of its rules");
    for (const auto& tree : trees) write_tree(grammar, tree, out);
    if (trees.size() == cases_shown) out.note(fmt::format("the {} most probable trees are shown", cases_shown));
    out.note(trees.size() == 1 ? "it is the only tree" : "the largest is the first: " + bracketed(trees[0].tree));
    out.begin({asked + ".probability"});
    out.result(trees[0].probability);
    return std::move(out).take();
}

Result<Derivation> explain_inside(const Grammar& grammar, const Sentence& sentence, const std::string& asked, Run& run) {
    const auto trees = TRY(parses(grammar, sentence, longest_sum, run));
    const auto total = TRY(inside(grammar, sentence, run));
    DerivationWriter out;
    out.formula("P(sentence) = sum over its trees of the product of the probabilities of their rules");
    Number sum = 0;
    std::vector<Parts> terms;
    for (const auto& tree : trees) {
        write_tree(grammar, tree, out);
        terms.push_back({tree.probability});
        sum += tree.probability;
    }
    const bool all = total.is_exact() && sum == total;
    if (trees.empty()) out.note("the sentence has no tree");
    if (!all && !trees.empty()) out.note("these are its most probable trees; the rest is in the sum too");
    out.formula("P(sentence)");
    out.begin({asked});
    if (all && !terms.empty()) out.step(joined(terms, " + "));
    out.result(total);
    return std::move(out).take();
}

}  // namespace credence::rt
