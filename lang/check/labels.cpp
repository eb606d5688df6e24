#include "lang/check/labels.hpp"

#include <algorithm>
#include <cctype>
#include <span>

#include "lang/syntax/token.hpp"
#include "lang/syntax/walk.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/label.hpp"

namespace credence::lang {

namespace {

using Labels = std::vector<std::string>;

/// A word that stands for an outcome, the keys of a distribution, the items of a domain.
void outcome_labels(const Expr& expr, Labels& out) {
    if (const auto* choice = std::get_if<If>(&expr.node)) {
        outcome_labels(*choice->then_, out);
        outcome_labels(*choice->else_, out);
    }
    if (const auto* name = std::get_if<NameExpr>(&expr.node)) out.push_back(name->name);
    if (const auto* record = std::get_if<RecordLit>(&expr.node))
        for (const auto& entry : record->entries)
            if (!entry.computed) out.push_back(entry.key.text);
    if (const auto* set = std::get_if<SetLit>(&expr.node))
        for (const auto& item : set->items) outcome_labels(*item, out);
    if (const auto* list = std::get_if<ListLit>(&expr.node))
        for (const auto& item : list->items) outcome_labels(*item, out);
}

/// The labels that an expression over variables can give: not the variables themselves, which it may give too.
void computed(const Expr& expr, std::span<const std::string> variables, Labels& out) {
    if (std::holds_alternative<NameExpr>(expr.node)) return;
    Labels words;
    outcome_labels(expr, words);
    for (auto& word : words)
        if (!rt::contains(variables, word)) out.push_back(std::move(word));
}

/// The same where a single word is a label too, unless it is an input.
void said(const Expr& expr, std::span<const std::string> inputs, Labels& out) {
    const auto* word = std::get_if<NameExpr>(&expr.node);
    if (word && !rt::contains(inputs, word->name)) out.push_back(word->name);
    computed(expr, inputs, out);
}

void node_names(const std::vector<NetItem>& items, Labels& out) {
    for (const auto& item : items) {
        if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item))
            node_names((*plate)->items, out);
        else
            out.push_back(std::get<NetNodeDecl>(item).name.name.text);
    }
}

/// `names`: words that are not labels where they occur in an expression.
void net_items(const std::vector<NetItem>& items, const Labels& names, Labels& out) {
    for (const auto& item : items) {
        if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item)) {
            const Expr& range = *(*plate)->range;  // for d in {mon, tue}
            if (!std::holds_alternative<NameExpr>(range.node)) outcome_labels(range, out);
            net_items((*plate)->items, names, out);
            continue;
        }
        const auto& node = std::get<NetNodeDecl>(item);
        if (node.domain)
            for (const auto& value : *node.domain) outcome_labels(*value, out);
        if (const auto* expr = std::get_if<ExprPtr>(&node.table))  // uniform([heads, tails])
            walk(**expr, [&](const Expr& part) {
                const auto* call = std::get_if<Call>(&part.node);
                const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
                if (callee && callee->name == "uniform" && call->arguments.size() == 1) {
                    const Expr& values = *call->arguments[0].value;
                    if (std::holds_alternative<ListLit>(values.node) || std::holds_alternative<SetLit>(values.node))
                        outcome_labels(values, out);
                }
                return true;
            });
        if (const auto* expr = std::get_if<ExprPtr>(&node.table); expr && node.distributed) {
            // X ~ categorical({red: p, blue: 1 - p}), also inside an if.
            walk(**expr, [&](const Expr& part) {
                if (std::holds_alternative<RecordLit>(part.node)) outcome_labels(part, out);
                return true;
            });
            continue;
        }
        if (const auto* expr = std::get_if<ExprPtr>(&node.table)) {
            // Inside a deterministic expression records write labels, and the branches of an if; other words are parents and names.
            std::vector<std::string> parents;
            for (const auto& parent : node.parents) parents.push_back(parent.name.text);
            computed(**expr, parents.empty() ? names : parents, out);
            continue;
        }
        for (const auto& row : std::get<CptBlock>(node.table).rows) {
            for (const auto& key : row.keys)
                if (!key.any && !key.computed) out.push_back(key.label.text);
            outcome_labels(*row.value, out);
        }
    }
}

void graph_labels(const GraphBody& body, Labels& out) {
    for (const auto& item : body.items) {
        const auto& words =
            std::holds_alternative<KindDecl>(item) ? std::get<KindDecl>(item).quantities : std::get<InfluenceChain>(item).quantities;
        for (const auto& word : words) out.push_back(word.text);
    }
}

/// Literals inside expressions that declare labels: graphs, and the arguments `domains:` and `types:`.
void expression(const Expr& expr, Labels& out) {
    walk(expr, [&](const Expr& part) {
        if (const auto* g = std::get_if<GraphLit>(&part.node)) graph_labels(g->body, out);
        if (const auto* call = std::get_if<Call>(&part.node))
            for (const auto& argument : call->arguments) {
                if (!argument.name || (argument.name->text != "domains" && argument.name->text != "types")) continue;
                if (const auto* record = std::get_if<RecordLit>(&argument.value->node))
                    for (const auto& entry : record->entries) outcome_labels(*entry.value, out);
            }
        return true;
    });
}

struct Visitor : IgnoredParts {
    Labels& out;
    explicit Visitor(Labels& labels) : out(labels) {}
    void operator()(const LetStmt& s) const { expression(*s.value, out); }
    void operator()(const FnStmt& s) const { expression(*s.body, out); }
    void operator()(const SetStmt&) const {}
    void operator()(const ImportStmt&) const {}
    void operator()(const NetStmt& s) const {
        Labels names;
        node_names(s.items, names);
        for (const auto& p : s.params) names.push_back(p.text);
        net_items(s.items, names, out);
    }
    void operator()(const HypothesesStmt& s) const {
        std::vector<std::string> names;
        for (const auto& p : s.parameters) names.push_back(p.name.text);
        for (const auto& input : s.inputs) names.push_back(input.text);
        for (const auto& h : s.hypotheses) {
            out.push_back(h.label.text);
            if (s.inputs.empty())
                outcome_labels(*h.outcome, out);
            else
                said(*h.outcome, names, out);
        }
        for (const auto& p : s.parameters) outcome_labels(*p.range, out);
        if (s.outcome_value) computed(*s.outcome_value, names, out);
    }
    template <DeclaredByParts S>
    void operator()(const S& s) const {
        S::parts(s, *this);
    }
    void operator()(const TableStmt& s) const {
        for (const auto& row : s.rows)
            for (const auto& cell : row.cells)
                if (!cell.missing && !cell.computed) out.push_back(rt::Label::of_text(cell.text).text());
    }
    void operator()(const ExpectErrorStmt& s) const { std::visit(*this, s.statement->node); }
    void operator()(const ExpectStmt& s) const { expression(*s.condition, out); }
    void operator()(const ExprStmt& s) const { expression(*s.value, out); }

    void label(const Word& word) const { out.push_back(word.text); }
    void distribution(const ExprPtr& e) const {
        if (std::holds_alternative<RecordLit>(e->node)) outcome_labels(*e, out);
    }
    void outcome(const ExprPtr& e) const { outcome_labels(*e, out); }
    void graph(const GraphBody& g) const { graph_labels(g, out); }
};

}  // namespace

std::vector<std::string> labels_written(const Statement& statement) {
    Labels out;
    std::visit(Visitor(out), statement.node);
    return out;
}

namespace {

/// Whether the word that starts at `at` ends after `size` bytes and nothing runs into it from before.
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
    const auto part_of_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80); };
    return (at == 0 || !part_of_name(text[at - 1])) && (at + size == text.size() || !part_of_name(text[at + size]));
}

/// The word before one that starts at `at`, with a blank between them.
std::string_view word_before(std::string_view text, std::size_t at) {
    if (at == 0 || text[at - 1] != ' ') return {};
    std::size_t begin = at - 1;
    while (begin > 0 && text[begin - 1] >= 'a' && text[begin - 1] <= 'z') --begin;
    const auto word = text.substr(begin, at - 1 - begin);
    return stands_alone(text, begin, word.size()) ? word : std::string_view();
}

}  // namespace

bool is_model(std::string_view statement) { return declares_model(word_kind(statement.substr(0, statement.find(' ')))); }

bool has_word(std::string_view text, std::string_view name) {
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
        if (stands_alone(text, at, name.size())) return true;
    return false;
}

bool declared_in_text(std::string_view text, std::string_view name) {
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        if (!stands_alone(text, at, name.size())) continue;
        const Tok before = word_kind(word_before(text, at));
        if (before == Tok::let || before == Tok::fn || declares_model(before)) return true;
    }
    return false;
}

}  // namespace credence::lang
