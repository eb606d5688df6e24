// The outline of a script, and what can be folded.

#include "lang/cli/lsp/server.hpp"

namespace credence::cli::lsp {

namespace {

using namespace lang;

// Of the protocol's SymbolKind.
constexpr int k_module = 2;
constexpr int k_class = 5;
constexpr int k_field = 8;
constexpr int k_enum_member = 22;
constexpr int k_function = 12;
constexpr int k_variable = 13;
constexpr int k_struct = 23;

struct Outline {
    const Document& document;

    Json symbol(const Word& name, int kind, std::string detail, Span whole, Json children = Json::array()) const {
        // The name must lie inside the whole.
        const Span range = join(whole, name.span);
        Json out{{"name", name.text.empty() ? "?" : name.text},
                 {"kind", kind},
                 {"range", document.map().range(range)},
                 {"selectionRange", document.map().range(name.span)}};
        if (!detail.empty()) out["detail"] = std::move(detail);
        if (!children.empty()) out["children"] = std::move(children);
        return out;
    }

    void nodes(const std::vector<NetItem>& items, Json& out) const {
        for (const auto& item : items) {
            if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item))
                nodes((*plate)->items, out);
            else if (const auto* node = std::get_if<NetNodeDecl>(&item)) {
                std::string parents;
                for (const auto& p : node->parents) parents += (parents.empty() ? "| " : ", ") + p.name.text;
                out.push_back(symbol(node->name.name, k_field, std::move(parents), node->span));
            }
        }
    }

    Json words(const std::vector<Word>& all, int kind) const {
        Json out = Json::array();
        for (const auto& word : all) out.push_back(symbol(word, kind, "", word.span));
        return out;
    }

    Json of(const Statement& s) const {
        if (const auto* let = std::get_if<LetStmt>(&s.node))
            return symbol(let->name, std::holds_alternative<Lambda>(let->value->node) ? k_function : k_variable, "let", s.span);
        if (const auto* fn = std::get_if<FnStmt>(&s.node)) {
            std::string parameters;
            for (const auto& p : fn->params) parameters += (parameters.empty() ? "" : ", ") + p.text;
            return symbol(fn->name, k_function, "(" + parameters + ")", s.span);
        }
        if (const auto* net = std::get_if<NetStmt>(&s.node)) {
            Json children = Json::array();
            nodes(net->items, children);
            return symbol(net->name, k_class, "net", s.span, std::move(children));
        }
        if (const auto* h = std::get_if<HypothesesStmt>(&s.node)) {
            Json children = Json::array();
            for (const auto& one : h->hypotheses) children.push_back(symbol(one.label, k_enum_member, "", one.span));
            for (const auto& p : h->parameters) children.push_back(symbol(p.name, k_field, "", p.name.span));
            return symbol(h->name, k_class, "hypotheses -> " + h->outcome.text, s.span, std::move(children));
        }
        if (const auto* t = std::get_if<TableStmt>(&s.node))
            return symbol(t->name, k_struct, "table, " + std::to_string(t->rows.size()) + " rows", s.span, words(t->columns, k_field));
        if (const auto* m = std::get_if<HmmStmt>(&s.node)) return symbol(m->name, k_class, "hmm", s.span, words(m->states, k_enum_member));
        if (const auto* c = std::get_if<CasesStmt>(&s.node)) {
            Json children = Json::array();
            for (const auto& one : c->cases) children.push_back(symbol(one.label, k_enum_member, "", one.span));
            return symbol(c->name, k_class, "cases", s.span, std::move(children));
        }
        if (const auto* import = std::get_if<ImportStmt>(&s.node); import && import->as)
            return symbol(*import->as, k_module, import->path, s.span);
        // Models without parts of their own.
        const std::string_view keyword = std::string_view(document.text()).substr(s.span.begin);
        return std::visit(
            [&](const auto& node) -> Json {
                if constexpr (requires { node.name; })
                    if (const auto word = keyword.substr(0, keyword.find_first_of(" \t\r\n")); declares_model(word_kind(word)))
                        return symbol(node.name, k_class, std::string(word), s.span);
                return nullptr;
            },
            s.node);
    }
};

}  // namespace

Json symbols_json(const Document& document, const Analysis& analysis) {
    Json out = Json::array();
    for (const auto& statement : analysis.program->statements)
        if (Json symbol = Outline{document}.of(*statement); !symbol.is_null()) out.push_back(std::move(symbol));
    return out;
}

Json folding_json(const Document& document, const Analysis& analysis) {
    Json out = Json::array();
    const auto add = [&](std::size_t first, std::size_t last, const char* kind) {
        if (last <= first) return;
        Json range{{"startLine", first}, {"endLine", last}};
        if (*kind) range["kind"] = kind;
        out.push_back(std::move(range));
    };
    for (const auto& c : analysis.chunks.chunks)
        if (c.last > c.first)
            add(document.map().place(analysis.chunks.tokens[c.first].span.begin).line,
                document.map().place(analysis.chunks.tokens[c.last - 1].span.end).line, "");
    // Comments on lines that follow each other are one block.
    const auto& comments = analysis.chunks.comments;
    for (std::size_t i = 0; i < comments.size();) {
        const std::size_t first = document.map().place(comments[i].begin).line;
        std::size_t last = first;
        std::size_t k = i + 1;
        while (k < comments.size() && document.map().place(comments[k].begin).line == last + 1) {
            ++last;
            ++k;
        }
        add(first, last, "comment");
        i = k;
    }
    return out;
}

}  // namespace credence::cli::lsp
