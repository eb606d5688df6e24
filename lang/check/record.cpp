// What the checker passes to the recorder: which definition each name means, as soon as that is decided.

#include <algorithm>

#include "lang/check/checker.hpp"
#include "runtime/core/contains.hpp"

namespace credence::lang {

void Checker::mean(NameExpr& name, Span span, Resolution resolved) {
    name.resolved = resolved;
    if (recorder_) recorder_->refer(word_of(name, span), meaning_of(name.name, resolved));
}

/// The name without the parentheses round it, which belong to the expression.
Span Checker::word_of(const NameExpr& name, Span span) const {
    const std::string_view text = source_->text(span);
    if (!text.starts_with('(')) return span;
    const std::string word = name.quoted ? "`" + name.name + "`" : name.name;
    const auto at = text.find(word);
    if (at == std::string_view::npos) return span;
    const auto begin = static_cast<std::uint32_t>(span.begin + at);
    return {begin, begin + static_cast<std::uint32_t>(word.size())};
}

NameRecorder::Meaning Checker::meaning_of(const std::string& name, Resolution resolved) {
    switch (resolved.kind) {
        case Resolution::Kind::local: {
            const auto local =
                std::find_if(locals_->names.begin(), locals_->names.end(), [&](const Local& l) { return l.slot == resolved.slot; });
            return local == locals_->names.end() ? NameRecorder::nothing : local->meaning;
        }
        case Resolution::Kind::global:
        case Resolution::Kind::model:
            return recorder_->global(resolved.slot);
        case Resolution::Kind::unresolved:  // found by its name in the net that is being declared
            return recorder_->variable(name, model_);
        case Resolution::Kind::label:
        case Resolution::Kind::data_label:
        case Resolution::Kind::builtin:
        case Resolution::Kind::option:
            return NameRecorder::nothing;
    }
    return NameRecorder::nothing;
}

void Checker::refer(const Word& variable) {
    if (recorder_) recorder_->refer(variable.span, recorder_->variable(variable.text, model_));
}

NameRecorder::Meaning Checker::define_local(const Word& name, std::string what) {
    if (!recorder_) return NameRecorder::nothing;
    return recorder_->define({.name = name.text,
                              .kind = Definition::Kind::parameter,
                              .what = std::move(what),
                              .declared = name.span,
                              .whole = name.span,
                              .statement = statement_});
}

NameRecorder::Meaning Checker::define_variable(const Word& name, std::string what, Span whole, std::string doc) {
    if (!recorder_) return NameRecorder::nothing;
    return recorder_->define_variable(model_, {.name = name.text,
                                               .kind = Definition::Kind::variable,
                                               .what = std::move(what),
                                               .declared = name.span,
                                               .whole = whole,
                                               .doc = std::move(doc),
                                               .statement = statement_});
}

void Checker::record_global(const Statement& statement, const Word& name, Symbol::Kind kind, bool model) {
    if (!recorder_) return;
    using Named = Definition::Kind;
    const std::string_view text = source_->text(statement.span);
    const NameRecorder::Meaning meaning =
        recorder_->define_global(statement.slot, {.name = name.text,
                                                  .kind = model                            ? Named::model
                                                          : kind == Symbol::Kind::function ? Named::function
                                                          : kind == Symbol::Kind::module   ? Named::module
                                                                                           : Named::value,
                                                  .what = std::string(text.substr(0, text.find_first_of(" \t\r\n"))),
                                                  .declared = name.span,
                                                  .whole = statement.span,
                                                  .doc = statement.doc,
                                                  .statement = &statement});
    if (!model) return;
    recorder_->bind_model(statement.slot, model_);
    // A space of hypotheses is a variable too, of its own name.
    if (std::holds_alternative<HypothesesStmt>(statement.node)) recorder_->add_variable(model_, name.text, meaning);
}

void Checker::record_argument(const Word& name, std::uint32_t function) {
    if (recorder_) recorder_->refer(name.span, recorder_->parameter(function, name.text));
}

/// {Outlook: Sunny} names columns, {Sunny: 1/2} labels.
void Checker::record_keys(const RecordLit& record) {
    if (!recorder_) return;
    for (const auto& entry : record.entries)
        if (!entry.computed && !scope_.knows_label(entry.key.text))
            recorder_->refer(entry.key.span, recorder_->variable_of_any(entry.key.text));
}

void Checker::record_word(const std::string& name, Span span) {
    if (recorder_) recorder_->refer(span, asked_ ? recorder_->variable(name, *asked_) : recorder_->variable_of_any(name));
}

/// t.Column, and (argmax P(Coin | …)).theta
void Checker::record_member(const Member& member) {
    if (!recorder_) return;
    const Expr* base = member.base.get();
    auto model = recorder_->model_of(*base);
    while (const auto* unary = std::get_if<Unary>(&base->node)) base = unary->operand.get();
    const auto* query = std::get_if<QueryExpr>(&base->node);
    if (query) model = recorder_->model_of(*query);
    if (model)
        recorder_->refer(member.name.span, recorder_->variable(member.name.text, *model));
    else if (query)
        recorder_->refer(member.name.span, recorder_->variable_of_any(member.name.text));
}

void Checker::record_symbols(const GrammarStmt& grammar) {
    if (!recorder_) return;
    std::map<std::string, NameRecorder::Meaning> symbols;
    for (const auto& p : grammar.productions) {
        NameRecorder::Meaning& symbol = symbols[p.left.text];
        if (symbol != NameRecorder::nothing)
            recorder_->refer(p.left.span, symbol);
        else
            symbol = recorder_->define({.name = p.left.text,
                                        .kind = Definition::Kind::symbol,
                                        .what = "symbol of grammar " + grammar.name.text,
                                        .declared = p.left.span,
                                        .whole = p.left.span,
                                        .statement = statement_});
    }
    if (grammar.start) recorder_->refer(grammar.start->span, symbols[grammar.start->text]);
    for (const auto& p : grammar.productions)
        for (const auto& rule : p.rules)
            for (const auto& symbol : rule.right)
                if (!symbol.terminal) recorder_->refer(symbol.word.span, symbols[symbol.word.text]);
}

/// A word of a query that may be a variable of its model; `otherwise` is what it means where the model has none of that name.
NameRecorder::Meaning Checker::queried_variable(const QueryExpr& query, const std::string& name, Resolution otherwise) {
    if (!recorder_) return NameRecorder::nothing;
    const bool named = otherwise.kind == Resolution::Kind::global || otherwise.kind == Resolution::Kind::model;
    const NameRecorder::Meaning other = named ? recorder_->global(otherwise.slot) : NameRecorder::nothing;
    if (const auto model = recorder_->model_of(query)) return recorder_->variable(name, *model, other);
    return query.model ? recorder_->variable_of_any(name, other) : recorder_->variable_of_one(name, other);
}

/// Of the query's model; else a table among the evidence, whose columns are then variables of the model.
void Checker::record_variable(const QueryExpr& query, const VariableRef& ref) {
    if (!recorder_) return;
    const auto model = recorder_->model_of(query);
    const bool of_model = model && recorder_->has_variable(*model, ref.name.text);
    const bool named = ref.resolved.kind == Resolution::Kind::global || ref.resolved.kind == Resolution::Kind::model;
    if (!of_model && named) {
        const auto table = recorder_->model_of(ref.resolved.slot);
        if (table && model) recorder_->join(*table, *model);
    }
    if (!of_model && (named || ref.resolved.kind == Resolution::Kind::local))
        recorder_->refer(ref.name.span, meaning_of(ref.name.text, ref.resolved));
    else
        recorder_->refer(ref.name.span, queried_variable(query, ref.name.text, {}));
}

/// A bare word after `X =`: a value of X, else a variable, else a name of the script. Where the model is known only at run time, it is
/// taken for a value.
void Checker::record_value(const QueryExpr& query, const Expr& word, const VariableShape* variable, const ModelShape* shape) {
    const auto* name = std::get_if<NameExpr>(&word.node);
    if (!recorder_ || !name || !shape) return;
    if (variable && variable->labels && rt::contains(*variable->labels, name->name)) return;
    const auto model = recorder_->model_of(query);
    if (model && recorder_->has_variable(*model, name->name))
        recorder_->refer(word.span, recorder_->variable(name->name, *model));
    else
        recorder_->refer(word.span, meaning_of(name->name, name->resolved));
}

}  // namespace credence::lang
