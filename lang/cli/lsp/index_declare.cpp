// Declarations: what each brings into the script, and the names inside it.

#include <fmt/format.h>

#include "lang/cli/lsp/index_builder.hpp"

namespace credence::cli::lsp {

using namespace lang;

std::size_t IndexBuilder::add(Entity entity) {
    index_.entities.push_back(std::move(entity));
    return index_.entities.size() - 1;
}

std::size_t IndexBuilder::add_global(const Statement& statement, const Word& name, Entity::Kind kind, std::string what) {
    const std::size_t entity = add({.name = name.text,
                                    .kind = kind,
                                    .what = std::move(what),
                                    .declared = name.span,
                                    .whole = statement.span,
                                    .doc = statement.doc,
                                    .statement = &statement});
    global_[statement.slot] = entity;
    index_.occurrences.push_back({name.span, entity});
    return entity;
}

std::size_t IndexBuilder::add_local(const Word& name, std::string what) {
    const std::size_t entity = add({.name = name.text,
                                    .kind = Entity::Kind::parameter,
                                    .what = std::move(what),
                                    .declared = name.span,
                                    .whole = name.span,
                                    .statement = statement_});
    index_.occurrences.push_back({name.span, entity});
    locals_.push_back({name.text, entity});
    return entity;
}

void IndexBuilder::add_variable(std::size_t model, const Statement& statement, const Word& name, std::string what, Span whole,
                                std::string doc) {
    variable_names_.insert(name.text);
    // Q[i] of a plate and Q[1] beside it are one name.
    for (const auto& [known, entity] : models_[model].variables)
        if (known == name.text) {
            index_.occurrences.push_back({name.span, entity});
            return;
        }
    const std::size_t entity = add({.name = name.text,
                                    .kind = Entity::Kind::variable,
                                    .what = std::move(what),
                                    .declared = name.span,
                                    .whole = whole,
                                    .doc = std::move(doc),
                                    .statement = &statement});
    index_.occurrences.push_back({name.span, entity});
    models_[model].variables.emplace_back(name.text, entity);
}

void IndexBuilder::declare_items(std::size_t model, const Statement& statement, const std::vector<NetItem>& items, const std::string& net) {
    for (const auto& item : items) {
        if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item))
            declare_items(model, statement, (*plate)->items, net);
        else if (const auto* node = std::get_if<NetNodeDecl>(&item))
            add_variable(model, statement, node->name.name, "variable of net " + net, node->span, node->doc);
    }
}

void IndexBuilder::declare(const Statement& statement) {
    if (const auto* expected = std::get_if<ExpectErrorStmt>(&statement.node)) return declare(*expected->statement);
    const auto model = [&](const Word& name, const char* what) {
        const std::size_t entity = add_global(statement, name, Entity::Kind::model, what);
        return std::pair(add_model(statement.slot), entity);
    };
    if (const auto* let = std::get_if<LetStmt>(&statement.node)) {
        const auto* lambda = std::get_if<Lambda>(&let->value->node);
        add_global(statement, let->name, lambda ? Entity::Kind::function : Entity::Kind::value, "let");
        if (const auto same = model_of(*let->value)) model_of_slot_[statement.slot] = *same;
    } else if (const auto* fn = std::get_if<FnStmt>(&statement.node)) {
        add_global(statement, fn->name, Entity::Kind::function, "fn");
        for (const auto& p : fn->params) {
            const std::size_t entity = add({.name = p.text,
                                            .kind = Entity::Kind::parameter,
                                            .what = "parameter of " + fn->name.text,
                                            .declared = p.span,
                                            .whole = p.span,
                                            .statement = &statement});
            index_.occurrences.push_back({p.span, entity});
            parameters_[statement.slot].emplace(p.text, entity);
        }
    } else if (const auto* net = std::get_if<NetStmt>(&statement.node)) {
        declare_items(model(net->name, "net").first, statement, net->items, net->name.text);
    } else if (const auto* h = std::get_if<HypothesesStmt>(&statement.node)) {
        // The space is a variable too, of its own name.
        const auto [at, entity] = model(h->name, "hypotheses");
        models_[at].variables.emplace_back(h->name.text, entity);
        variable_names_.insert(h->name.text);
        for (const auto& p : h->parameters) add_variable(at, statement, p.name, "parameter of hypotheses " + h->name.text, p.name.span);
        add_variable(at, statement, h->outcome, "outcome of hypotheses " + h->name.text, h->outcome.span);
        for (const auto& input : h->inputs) add_variable(at, statement, input, "input of hypotheses " + h->name.text, input.span);
    } else if (const auto* table = std::get_if<TableStmt>(&statement.node)) {
        const std::size_t at = model(table->name, "table").first;
        for (const auto& column : table->columns) add_variable(at, statement, column, "column of table " + table->name.text, column.span);
    } else if (const auto* m = std::get_if<MixtureStmt>(&statement.node)) {
        model(m->name, "mixture");
    } else if (const auto* hmm = std::get_if<HmmStmt>(&statement.node)) {
        model(hmm->name, "hmm");
    } else if (const auto* g = std::get_if<GrammarStmt>(&statement.node)) {
        model(g->name, "grammar");
    } else if (const auto* c = std::get_if<CasesStmt>(&statement.node)) {
        model(c->name, "cases");
    } else if (const auto* import = std::get_if<ImportStmt>(&statement.node); import && import->as) {
        add_global(statement, *import->as, Entity::Kind::module, "import");
    }
}

void IndexBuilder::walk_fn(const Statement& statement, const FnStmt& fn) {
    for (const auto& p : fn.params) locals_.push_back({p.text, parameters_[statement.slot].at(p.text)});
    for (const auto& binding : fn.where) {
        walk(binding.value);
        add_local(binding.name, "named in " + fn.name.text);
    }
    walk(fn.body);
}

void IndexBuilder::walk_node(std::size_t model, const NetNodeDecl& node) {
    walk(node.name.index);
    for (const auto& parent : node.parents) {
        walk(parent.index);
        use_variable(parent.name.text, parent.name.span, model);
    }
    const std::size_t before = locals_.size();
    for (const auto& parent : node.parents)
        if (!parent.index) locals_.push_back({parent.name.text, std::nullopt, model});
    if (node.parents.empty())
        for (const auto& [name, entity] : models_[model].variables) locals_.push_back({name, std::nullopt, model});
    if (node.domain)
        for (const auto& item : *node.domain) walk(item);
    if (const auto* expr = std::get_if<ExprPtr>(&node.table)) {
        walk(*expr);
        // noisy_or(leak: p, Parent: p): its names are the parents.
        if (const auto* call = *expr ? std::get_if<Call>(&(*expr)->node) : nullptr)
            for (const auto& argument : call->arguments)
                if (argument.name)
                    for (const auto& parent : node.parents)
                        if (parent.name.text == argument.name->text) use_variable(parent.name.text, argument.name->span, model);
    } else {
        for (const auto& row : std::get<CptBlock>(node.table).rows) {
            for (const auto& key : row.keys) walk(key.computed);
            walk(row.value);
        }
    }
    locals_.resize(before);
}

void IndexBuilder::walk_net(std::size_t model, const std::vector<NetItem>& items) {
    for (const auto& item : items) {
        if (const auto* node = std::get_if<NetNodeDecl>(&item)) {
            walk_node(model, *node);
            continue;
        }
        const auto& plate = *std::get<std::unique_ptr<Plate>>(item);
        walk(plate.range);
        const std::size_t before = locals_.size();
        add_local(plate.variable, "counts a plate");
        walk_net(model, plate.items);
        locals_.resize(before);
    }
}

void IndexBuilder::walk_hypotheses(std::size_t model, const HypothesesStmt& h) {
    for (const auto& one : h.hypotheses) walk(one.prior);
    for (const auto& p : h.parameters) walk(p.range);
    for (const auto& p : h.parameters) locals_.push_back({p.name.text, std::nullopt, model});
    for (const auto& input : h.inputs) locals_.push_back({input.text, std::nullopt, model});
    for (const auto& one : h.hypotheses) walk(one.outcome);
    walk(h.prior);
    walk(h.outcome_value);
}

void IndexBuilder::walk_grammar(const Statement& statement, const GrammarStmt& g) {
    std::map<std::string, std::size_t> symbols;
    for (const auto& p : g.productions) {
        const auto [known, fresh] = symbols.emplace(p.left.text, index_.entities.size());
        if (fresh)
            add({.name = p.left.text,
                 .kind = Entity::Kind::symbol,
                 .what = "symbol of grammar " + g.name.text,
                 .declared = p.left.span,
                 .whole = p.left.span,
                 .statement = &statement});
        index_.occurrences.push_back({p.left.span, known->second});
    }
    const auto use = [&](const Word& word) {
        if (const auto known = symbols.find(word.text); known != symbols.end()) index_.occurrences.push_back({word.span, known->second});
    };
    if (g.start) use(*g.start);
    for (const auto& p : g.productions)
        for (const auto& rule : p.rules) {
            walk(rule.probability);
            for (const auto& symbol : rule.right)
                if (!symbol.terminal) use(symbol.word);
        }
}

void IndexBuilder::walk_statement(const Statement& statement) {
    statement_ = &statement;
    locals_.clear();
    const auto entries = [&](const std::vector<RecordEntry>& all) {
        for (const auto& entry : all) walk(entry.value);
    };
    if (const auto* let = std::get_if<LetStmt>(&statement.node)) {
        walk(let->value);
    } else if (const auto* fn = std::get_if<FnStmt>(&statement.node)) {
        walk_fn(statement, *fn);
    } else if (const auto* set = std::get_if<SetStmt>(&statement.node)) {
        walk(set->value);
    } else if (const auto* net = std::get_if<NetStmt>(&statement.node)) {
        for (const auto& p : net->params) add_local(p, "parameter of net " + net->name.text);
        walk_net(model_of_slot_.at(statement.slot), net->items);
    } else if (const auto* h = std::get_if<HypothesesStmt>(&statement.node)) {
        walk_hypotheses(model_of_slot_.at(statement.slot), *h);
    } else if (const auto* m = std::get_if<MixtureStmt>(&statement.node)) {
        for (const auto& c : m->components) {
            walk(c.weight);
            walk(c.distribution);
        }
    } else if (const auto* hmm = std::get_if<HmmStmt>(&statement.node)) {
        walk(hmm->start);
        entries(hmm->move);
        entries(hmm->emit);
    } else if (const auto* g = std::get_if<GrammarStmt>(&statement.node)) {
        walk_grammar(statement, *g);
    } else if (const auto* c = std::get_if<CasesStmt>(&statement.node)) {
        for (const auto& one : c->cases) entries(one.attributes);
    } else if (const auto* expected = std::get_if<ExpectErrorStmt>(&statement.node)) {
        walk_statement(*expected->statement);
    } else if (const auto* expect = std::get_if<ExpectStmt>(&statement.node)) {
        walk(expect->condition);
        walk(expect->within);
    } else if (const auto* e = std::get_if<ExprStmt>(&statement.node)) {
        walk(e->value);
    }
}

}  // namespace credence::cli::lsp
