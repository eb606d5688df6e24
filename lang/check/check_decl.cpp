#include <algorithm>

#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/check/labels.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/empirical.hpp"

namespace credence::lang {

void Checker::announce(const Program& program) {
    if (has_word(source_->text(), "load") || has_word(source_->text(), "train_text")) scope_.await_data();
    for (const auto& statement : program.statements) {
        for (auto& label : labels_written(*statement)) scope_.know_label(std::move(label));
        if (const auto* fn = std::get_if<FnStmt>(&statement->node); fn && !forward_.contains(fn->name.text))
            forward_.emplace(fn->name.text, new_slot());
    }
    for (const Span span : program.unparsed) gaps_.push_back(source_->text(span));
}

void Checker::declare(Statement& statement, const Word& name, Symbol::Kind kind, std::optional<ModelShape> shape,
                      std::vector<std::string> parameters) {
    // Builtins may be shadowed, and so may earlier declarations; a note says so (the library's own names aside).
    const Symbol* const earlier = scope_.peek(name.text);
    if (earlier && earlier->source == source_)
        note(fmt::format("'{}' was declared before (line {}); from here on it has this new meaning", name.text,
                         source_->position(earlier->span.begin).line),
             name.span);
    else if (world_.registry.find(name.text))
        note(fmt::format("'{}' now means this and no longer the builtin", name.text), name.span);
    else if (earlier && earlier->source && earlier->source->name() == "--set " + name.text)
        note(fmt::format("'{}' was given by --set; from here on it has this new meaning", name.text), name.span);
    if (const auto forward = forward_.find(name.text); kind == Symbol::Kind::function && forward != forward_.end()) {
        statement.slot = forward->second;
        forward_.erase(forward);
    } else {
        statement.slot = new_slot();
    }
    record_global(statement, name, kind, kind == Symbol::Kind::model || (kind == Symbol::Kind::function && shape));
    scope_.declare({name.text, kind, statement.slot, std::move(shape), std::move(parameters), statement.doc, source_, name.span});
}

void Checker::check_let(Statement& statement, LetStmt& let) {
    resolve(let.value);
    std::vector<std::string> parameters;
    Symbol::Kind kind = Symbol::Kind::value;
    if (const auto* lambda = std::get_if<Lambda>(&let.value->node)) {
        kind = Symbol::Kind::function;
        for (const auto& p : lambda->params) parameters.push_back(p.text);
    }
    const auto* alias = std::get_if<NameExpr>(&let.value->node);
    const Symbol* symbol = alias && alias->resolved.kind == Resolution::Kind::global ? scope_.find(alias->name) : nullptr;
    const bool function = kind == Symbol::Kind::function || (alias && alias->resolved.kind == Resolution::Kind::builtin) ||
                          (symbol && symbol->kind == Symbol::Kind::function);
    if (function && let.name.text.size() == 1 && std::string_view("PEHIL").find(let.name.text) != std::string_view::npos)
        report("E-RESERVED", fmt::format("{}( starts a query and cannot be defined", let.name.text), let.name.span, "choose another name",
               "P, E, H, I and L before ( are queries");
    // Another name for a declared model, or a net with its arguments: its variables are known as well.
    std::optional<ModelShape> shape;
    if (const Symbol* net = called_net(*let.value)) shape = net->shape;
    if (const auto* name = std::get_if<NameExpr>(&let.value->node); name && name->resolved.kind == Resolution::Kind::model)
        if (const Symbol* model = scope_.find_kind(name->name, Symbol::Kind::model)) shape = model->shape;
    declare(statement, let.name, kind, std::move(shape), std::move(parameters));
    if (!recorder_) return;
    if (const auto model = recorder_->model_of(*let.value)) recorder_->bind_model(statement.slot, *model);
    if (const auto* lambda = std::get_if<Lambda>(&let.value->node)) recorder_->add_parameters(statement.slot, lambda->params);
}

void Checker::check_fn(Statement& statement, FnStmt& fn) {
    Locals inner;
    std::vector<std::string> parameters;
    for (const auto& p : fn.params) {
        if (rt::contains(parameters, p.text))
            report("E-DUPLICATE", fmt::format("two parameters are named {}", p.text), p.span, "given already");
        parameters.push_back(p.text);
        inner.add(p.text, define_local(p, "parameter of " + fn.name.text));
    }
    declare(statement, fn.name, Symbol::Kind::function, std::nullopt, std::move(parameters));
    if (recorder_) recorder_->add_parameters(statement.slot, fn.params);
    locals_ = &inner;
    for (auto& binding : fn.where) {
        resolve(binding.value);
        binding.slot = inner.add(binding.name.text, define_local(binding.name, "named in " + fn.name.text));
    }
    resolve(fn.body);
    locals_ = nullptr;
    fn.frame = {inner.next, {}};
}

void Checker::outcome_word(Expr& expr) {
    if (auto* choice = std::get_if<If>(&expr.node)) {
        resolve(choice->condition);
        for (auto* branch : {choice->then_.get(), choice->else_.get()}) {
            // A variable of the net is not a new label.
            const auto* word = std::get_if<NameExpr>(&branch->node);
            if (word && nodes_.contains(word->name) && !visible_.contains(word->name) && !find_local(word->name))
                report("E-VARIABLE", fmt::format("{} is a variable of the net, but not a parent of this one", word->name), branch->span, {},
                       "list the parents after the |");
            else
                outcome_word(*branch);
        }
        return;
    }
    auto* name = std::get_if<NameExpr>(&expr.node);
    if (!name) {
        resolve(expr);
        return;
    }
    // A name of the script first; otherwise the word is a label that this very place declares.
    using Kind = Resolution::Kind;
    if (const auto slot = find_local(name->name)) return mean(*name, expr.span, {Kind::local, *slot});
    if (visible_.contains(name->name)) return mean(*name, expr.span, {Kind::unresolved, 0});  // a variable of the net
    const Symbol* symbol = scope_.find(name->name);
    const bool of_script = symbol && symbol->kind != Symbol::Kind::model && (symbol->source == source_ || !is_library(*symbol));
    mean(*name, expr.span, of_script ? Resolution{Kind::global, symbol->slot} : Resolution{Kind::label, 0});
}

void Checker::check_node(NetNodeDecl& node, const std::vector<Local>& outer) {
    Locals inner;
    for (const auto& local : outer) inner.add(local.name, local.meaning);
    locals_ = &inner;
    if (node.name.index) resolve(node.name.index);
    for (auto& parent : node.parents) {
        if (parent.index) resolve(parent.index);
        refer(parent.name);
    }
    const auto has_slot = [&](const VariableRef& parent) { return !parent.index && !plates_.contains(parent.name.text); };
    for (const auto& parent : node.parents)
        inner.add(has_slot(parent) ? parent.name.text : std::string(), recorder_ ? recorder_->variable(parent.name.text, model_) : 0);
    if (node.domain)
        for (auto& item : *node.domain) resolve_quietly(*item);
    holes_allowed_ = true;
    // Without a bar its parents are the variables named in it. Behind one, a plate or one of its variables has no slot: the expression
    // finds it by its name.
    if (node.parents.empty()) visible_ = nodes_;
    for (const auto& parent : node.parents)
        if (!has_slot(parent)) visible_.insert(parent.name.text);
    // `rain : rain` with a number of that name in the script does not mean itself.
    if (!node.distributed && !node.name.index && scope_.find(node.name.name.text)) visible_.erase(node.name.name.text);
    if (auto* expr = std::get_if<ExprPtr>(&node.table)) {
        if (node.distributed)
            resolve(*expr);
        else
            outcome_word(**expr);
        // noisy_or(leak: p, Parent: p): its names are the parents.
        if (const auto* call = std::get_if<Call>(&(*expr)->node))
            for (const auto& argument : call->arguments)
                if (argument.name && std::any_of(node.parents.begin(), node.parents.end(),
                                                 [&](const VariableRef& parent) { return parent.name.text == argument.name->text; }))
                    refer(*argument.name);
    } else {
        for (auto& row : std::get<CptBlock>(node.table).rows) {
            for (auto& key : row.keys)
                if (key.computed) resolve(key.computed);
            outcome_word(*row.value);
        }
    }
    visible_.clear();
    holes_allowed_ = false;
    locals_ = nullptr;
    const auto* table = std::get_if<ExprPtr>(&node.table);
    const auto* word = table && node.parents.empty() && !node.distributed ? std::get_if<NameExpr>(&(*table)->node) : nullptr;
    const bool die = word && word->name.size() > 1 && (word->name[0] == 'd' || word->name[0] == 'D') &&
                     word->name.find_first_not_of("0123456789", 1) == std::string::npos && !is_script_value(word->name);
    if (die)
        note(fmt::format("{0} always has the value '{1}' here; a die is written {0} : uniform(1..{2})", node.name.name.text, word->name,
                         word->name.substr(1)),
             (*table)->span);
}

void Checker::check_net_items(std::vector<NetItem>& items, std::vector<Local>& outer) {
    for (auto& item : items) {
        if (auto* plate = std::get_if<std::unique_ptr<Plate>>(&item)) {
            Locals inner;
            for (const auto& local : outer) inner.add(local.name, local.meaning);
            locals_ = &inner;
            resolve_base(*(*plate)->range);  // a table comes before a label of its name
            locals_ = nullptr;
            outer.push_back({(*plate)->variable.text, 0, define_local((*plate)->variable, "counts a plate")});
            check_net_items((*plate)->items, outer);
            outer.pop_back();
        } else {
            check_node(std::get<NetNodeDecl>(item), outer);
        }
    }
}

void Checker::gather_nodes(const std::string& net, const std::vector<NetItem>& items) {
    for (const auto& item : items) {
        if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item)) {
            gather_nodes(net, (*plate)->items);
            continue;
        }
        const auto& node = std::get<NetNodeDecl>(item);
        nodes_.insert(node.name.name.text);
        if (node.name.index) plates_.insert(node.name.name.text);
        define_variable(node.name.name, "variable of net " + net, node.span, node.doc);
    }
}

void Checker::check_net(NetStmt& net) {
    in_net_ = true;
    gather_nodes(net.name.text, net.items);
    std::vector<Local> outer;
    for (const auto& p : net.params) {
        if (std::any_of(outer.begin(), outer.end(), [&](const Local& l) { return l.name == p.text; }))
            report("E-DUPLICATE", fmt::format("two parameters are named {}", p.text), p.span, "given already");
        else if (nodes_.contains(p.text))
            report("E-DUPLICATE", fmt::format("{} is both a parameter of net {} and a variable in it", p.text, net.name.text), p.span,
                   "another name is needed");
        outer.push_back({p.text, 0, define_local(p, "parameter of net " + net.name.text)});
    }
    check_net_items(net.items, outer);
    in_net_ = false;
    nodes_.clear();
    plates_.clear();
}

void Checker::check_hypotheses(HypothesesStmt& statement) {
    for (auto& p : statement.parameters) resolve(p.range);
    Locals inner;
    const std::string& space = statement.name.text;
    for (const auto& p : statement.parameters)
        inner.add(p.name.text, define_variable(p.name, "parameter of hypotheses " + space, p.name.span));
    for (const auto& input : statement.inputs) inner.add(input.text, define_variable(input, "input of hypotheses " + space, input.span));
    define_variable(statement.outcome, "outcome of hypotheses " + space, statement.outcome.span);
    for (auto& h : statement.hypotheses) {
        resolve(h.prior);
        if (!statement.inputs.empty()) locals_ = &inner;
        outcome_word(*h.outcome);
        locals_ = nullptr;
    }
    if (!statement.parametric) return;
    locals_ = &inner;
    resolve(statement.prior);
    outcome_word(*statement.outcome_value);
    locals_ = nullptr;
}

void Checker::check_own(const HmmStmt& hmm) {
    std::vector<std::string> states;
    for (const auto& s : hmm.states) states.push_back(s.text);
    for (const auto* section : {&hmm.move, &hmm.emit})
        for (const auto& entry : *section) {
            if (rt::contains(states, entry.key.text)) continue;
            const auto near = rt::nearest(entry.key.text, states);
            report("E-LABEL", fmt::format("{} has no state '{}'", hmm.name.text, entry.key.text), entry.key.span,
                   fmt::format("its states are {}", rt::joined(states, ", ")), near ? fmt::format("did you mean '{}'?", *near) : "");
        }
}

void Checker::check_own(const GrammarStmt& grammar) {
    record_symbols(grammar);
    std::vector<std::string> left;
    for (const auto& p : grammar.productions) left.push_back(p.left.text);
    for (const auto& p : grammar.productions)
        for (const auto& rule : p.rules)
            for (const auto& symbol : rule.right) {
                if (symbol.terminal && symbol.word.text.empty())
                    report("E-EMPTY", "a rule gives words, and \"\" is not a word", symbol.word.span, {},
                           "list both cases: if A may be empty, write S -> A B | B");
                if (!symbol.terminal && !rt::contains(left, symbol.word.text)) {
                    const auto near = rt::nearest(symbol.word.text, left);
                    report("E-NAME", fmt::format("the grammar has no rule for '{}'", symbol.word.text), symbol.word.span,
                           "words of the language are written in quotes", near ? fmt::format("did you mean '{}'?", *near) : "");
                }
            }
}

void Checker::check_set(SetStmt& set) {
    static const std::vector<std::string> names = {"seed", "digits", "numbers", "threads", "lines"};
    if (!rt::contains(names, set.name.text)) {
        const auto near = rt::nearest(set.name.text, names);
        report("E-SET", fmt::format("there is no setting '{}'", set.name.text), set.name.span,
               "settings are seed, digits, numbers, threads, lines", near ? fmt::format("did you mean '{}'?", *near) : "");
        return;
    }
    if (set.name.text == "numbers") {
        const auto* word = std::get_if<NameExpr>(&set.value->node);
        if (!word || (word->name != "exact" && word->name != "real" && word->name != "automatic"))
            report("E-SET", "numbers are exact, real or automatic", set.value->span, "one of exact, real, automatic");
        resolve_quietly(*set.value);
        return;
    }
    if (const auto* word = std::get_if<NameExpr>(&set.value->node); word && set.name.text == "lines" && lines_named(word->name)) {
        resolve_quietly(*set.value);
        return;
    }
    resolve(set.value);
    if (const auto* n = std::get_if<NumberLit>(&set.value->node))
        if (const auto wrong = setting_fault(set.name.text, n->value)) report(*wrong, set.value->span);
}

void Checker::check_expect_error(Statement& statement, ExpectErrorStmt& expect) {
    Diagnostics inner;
    Diagnostics* outer = std::exchange(diagnostics_, &inner);
    const std::size_t size = scope_.size();
    check(*expect.statement);
    scope_.rollback(size);
    diagnostics_ = outer;
    std::erase_if(inner, [](const Diagnostic& d) { return d.severity != Severity::error; });
    expected_[&statement] = std::move(inner);
}

namespace {

struct WrittenVariables : IgnoredParts {
    ModelShape& shape;
    explicit WrittenVariables(ModelShape& written) : shape(written) {}
    void variable(std::string_view name) const { shape.variables.push_back({.name = std::string(name), .labels = std::nullopt}); }
};

}  // namespace

ModelShape Checker::written_shape(const Statement& statement) const {
    ModelShape shape;
    const auto add = [&](const std::string& name) { shape.variables.push_back({.name = name, .labels = std::nullopt}); };
    if (const auto* net = std::get_if<NetStmt>(&statement.node)) {
        shape.kind = "net";
        for (const auto& item : net->items) {
            if (const auto* node = std::get_if<NetNodeDecl>(&item))
                add(node->name.name.text);
            else
                shape.complete = false;
        }
    } else if (const auto* h = std::get_if<HypothesesStmt>(&statement.node)) {
        shape.kind = "hypotheses";
        if (!h->parametric) add(h->name.text);
        for (const auto& p : h->parameters) shape.variables.push_back({.name = p.name.text, .labels = std::nullopt, .space = h->name.text});
        add(h->outcome.text);
        for (const auto& input : h->inputs) shape.variables.push_back({.name = input.text, .labels = std::nullopt, .numeric = false});
    } else {
        shape.kind = "other";
        std::visit(
            [&](const auto& declared) {
                if constexpr (DeclaredByParts<std::remove_cvref_t<decltype(declared)>>) {
                    const auto text = source_->text(statement.span);
                    shape.kind = text.substr(0, text.find_first_of(" \t\r\n"));
                    declared.parts(declared, WrittenVariables(shape));
                }
            },
            statement.node);
    }
    return shape;
}

void Checker::declare_model(Statement& statement, const Word& name) {
    std::vector<Span> said;
    for (const auto& d : *diagnostics_)
        if (d.severity == Severity::error && d.source == source_ && d.span.begin >= statement.span.begin &&
            d.span.end <= statement.span.end)
            said.push_back(d.span);
    const auto* net = std::get_if<NetStmt>(&statement.node);
    ModelShape shape = written_shape(statement);
    const bool functions_only = shape.kind != "other" && shape.variables.empty() && shape.complete;  // it answers through these
    // The nodes of a net that are free of faults are held to the rest of the checks; other declarations are whole or nothing.
    if (said.empty() || net) {
        // What has its values already is built now, so that its faults are known before the run.
        Declared declared = declarer_.declare(statement, name.span);
        for (const auto& [fault, where] : declared.faults) {
            const bool again = std::any_of(said.begin(), said.end(), [at = where](Span s) { return s.begin < at.end && at.begin < s.end; });
            if (!again) report(fault, where);
        }
        if (declared.shape) {
            shape = *std::move(declared.shape);
        } else if (const auto* m = declared.value ? declared.value->get<ModelValue>() : nullptr) {
            if (functions_only)
                shape.training_methods = m->model->training_methods();
            else
                shape = shape_of(*m->model);
        } else if (const auto* t = declared.value ? declared.value->get<rt::TablePtr>() : nullptr) {
            shape = shape_of(*rt::make_empirical_model(*t));
            shape.kind = "table";
        }
    }
    std::vector<std::string> parameters;
    for (std::size_t i = 0; net && i < net->params.size(); ++i) parameters.push_back(net->params[i].text);
    const auto kind = parameters.empty() ? Symbol::Kind::model : Symbol::Kind::function;
    declare(statement, name, kind, std::move(shape), std::move(parameters));
    if (net && recorder_) recorder_->add_parameters(statement.slot, net->params);
}

struct Checker::StatementCheck : IgnoredParts {
    Checker& self;
    Statement& statement;
    StatementCheck(Checker& checker, Statement& checked) : self(checker), statement(checked) {}
    void operator()(LetStmt& let) const { self.check_let(statement, let); }
    void operator()(FnStmt& fn) const { self.check_fn(statement, fn); }
    void operator()(SetStmt& set) const { self.check_set(set); }
    void operator()(ImportStmt& import) const {  // the session has read it already
        if (import.as) self.record_global(statement, *import.as, Symbol::Kind::module, false);
    }
    void operator()(NetStmt& net) const {
        self.check_net(net);
        self.declare_model(statement, net.name);
    }
    void operator()(HypothesesStmt& h) const {
        self.check_hypotheses(h);
        self.declare_model(statement, h.name);
    }
    template <DeclaredByParts S>
    void operator()(S& declared) const {
        self.holes_allowed_ = true;
        S::parts(declared, *this);
        self.holes_allowed_ = false;
        if constexpr (requires { self.check_own(declared); }) self.check_own(declared);
        self.declare_model(statement, declared.name);
    }
    void operator()(TableStmt& t) const {
        TableStmt::parts(t, *this);
        for (const auto& column : t.columns) self.define_variable(column, "column of table " + t.name.text, column.span);
        self.declare_model(statement, t.name);
    }
    void operator()(ExpectErrorStmt& e) const { self.check_expect_error(statement, e); }
    void operator()(ExpectStmt& e) const {
        self.resolve(e.condition);
        self.resolve(e.within);
        const auto* comparison = std::get_if<Binary>(&e.condition->node);
        if (e.within && (!comparison || comparison->op != BinaryOp::equal))
            self.report("E-EXPECT", "within goes with one ==", e.within->span, {}, "as in expect x == 0.5 within 1e-6");
    }
    void operator()(ExprStmt& e) const {
        if (auto* explain = std::get_if<Explain>(&e.value->node))
            self.resolve(explain->operand);
        else
            self.resolve(e.value);
    }

    // The parts of a declaration.
    void number(ExprPtr& e) const { self.resolve(e); }
    void distribution(ExprPtr& e) const { self.resolve(e); }
    void outcome(ExprPtr& e) const { self.outcome_word(*e); }
};

void Checker::check(Statement& statement) {
    statement_ = &statement;
    if (recorder_) model_ = recorder_->open_model();
    std::visit(StatementCheck(*this, statement), statement.node);
}

}  // namespace credence::lang
