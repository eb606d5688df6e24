#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/check/labels.hpp"
#include "lang/syntax/chunk.hpp"
#include "lang/syntax/habits.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/suggest.hpp"

namespace credence::lang {

void Checker::report(rt::FaultCode code, std::string message, Span span, std::string label, std::string help) {
    if (diagnostics_->size() > max_problems) return;  // garbage would have millions
    Diagnostic d;
    d.code = code;
    d.message = std::move(message);
    d.source = source_;
    d.span = span;
    d.label = std::move(label);
    if (!help.empty()) d.help.push_back(std::move(help));
    diagnostics_->push_back(std::move(d));
}

void Checker::report(const rt::Fault& fault, Span span) { report(fault.code, fault.message, span, fault.label, fault.hint); }

void Checker::note(std::string message, Span span) {
    Diagnostic d;
    d.severity = Severity::note;
    d.code = "N-SHADOW";
    d.message = std::move(message);
    d.source = source_;
    d.span = span;
    diagnostics_->push_back(std::move(d));
}

std::uint32_t Checker::new_slot() { return world_.new_slot(); }

std::optional<std::uint32_t> Checker::find_in(Locals* locals, std::string_view name, const QueryExpr* around) {
    if (!locals) return std::nullopt;
    for (auto it = locals->names.rbegin(); it != locals->names.rend(); ++it)
        if (it->name == name && (around ? it->query != around : !it->around)) return it->slot;
    const auto outside = find_in(locals->outer, name, around);
    if (!outside) return std::nullopt;
    const std::uint32_t inside = locals->next++;
    locals->captures.push_back({*outside, inside});
    const auto& known = locals->outer->names;
    const auto captured = std::find_if(known.begin(), known.end(), [&](const Local& l) { return l.slot == *outside; });
    locals->names.insert(locals->names.begin(), {std::string(name), inside, captured->meaning, captured->query, around != nullptr});
    return inside;
}

void Checker::Locals::end(std::uint32_t slot) {
    std::erase_if(names, [&](const Local& l) { return l.slot == slot; });
}

std::optional<std::uint32_t> Checker::find_local(std::string_view name) { return find_in(locals_, name); }

bool Checker::is_value(const Resolution& meaning) {
    return meaning.kind == Resolution::Kind::local || meaning.kind == Resolution::Kind::global;
}

bool Checker::is_library(const Symbol& symbol) const {
    const auto& preludes = world_.registry.preludes();
    return symbol.source && std::any_of(preludes.begin(), preludes.end(),
                                        [&](const auto& prelude) { return prelude.automatic && prelude.name == symbol.source->name(); });
}

/// The order of language.md §3: names of the script, labels, variables, models, builtins.
std::optional<Resolution> Checker::look_up(std::string_view name, const QueryExpr* around) {
    using Kind = Resolution::Kind;
    if (const auto slot = find_in(locals_, name, around)) return Resolution{Kind::local, *slot};
    if (visible_.contains(std::string(name))) return Resolution{Kind::unresolved, 0};  // a variable: no value, its own place in a term
    const Symbol* symbol = scope_.find(name);
    // A function of the library that is written in Credence comes as late as the builtins do.
    const bool label = scope_.knows_label(name) && symbol && symbol->source != source_ && is_library(*symbol);
    if (symbol && symbol->kind != Symbol::Kind::model && !label) return Resolution{Kind::global, symbol->slot};
    if (const auto forward = forward_.find(name); forward != forward_.end()) return Resolution{Kind::global, forward->second};
    if (scope_.knows_label(name) || scope_.knows_variable(name)) {
        // A model's own name is often a variable of it (hypotheses H): as a bare word it is then the label.
        return Resolution{Kind::label, 0};
    }
    if (symbol) return Resolution{Kind::model, symbol->slot};
    if (world_.registry.find(name)) return Resolution{Kind::builtin, 0};
    return std::nullopt;
}

std::optional<Resolution> Checker::look_up(const NameExpr& name, bool parenthesised) {
    if (parenthesised && query_)
        if (const auto found = look_up(name.name, query_); found && is_value(*found)) return found;
    return look_up(name.name);
}

/// Where a model is due (after `in`, `from`, `train`, as a model argument) models come before everything but locals and `let`.
std::optional<Resolution> Checker::look_up_model(std::string_view name) {
    using Kind = Resolution::Kind;
    if (const auto slot = find_local(name)) return Resolution{Kind::local, *slot};
    const Symbol* symbol = scope_.find(name);
    if (!symbol) return std::nullopt;
    return Resolution{symbol->kind == Symbol::Kind::model ? Kind::model : Kind::global, symbol->slot};
}

bool Checker::in_gap(std::string_view name) const {
    return std::any_of(gaps_.begin(), gaps_.end(),
                       [&](std::string_view gap) { return declared_in_text(gap, name) || (is_model(gap) && has_word(gap, name)); });
}

namespace {

/// `data.csv` written without quotes: the whole name, or nothing.
std::string file_name_at(std::string_view text, Span span) {
    if (span.end >= text.size() || text[span.end] != '.') return "";
    std::size_t end = span.end + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '.' || text[end] == '_')) ++end;
    const std::string_view name = text.substr(span.begin, end - span.begin);
    for (const std::string_view ending :
         {".csv", ".tsv", ".txt", ".json", ".jsonl", ".arff", ".gz", ".bif", ".xml", ".cred", ".svg", ".png"})
        if (name.ends_with(ending)) return std::string(name);
    return "";
}

}  // namespace

void Checker::unknown_name(const std::string& name, Span span, bool callee) {
    // Each word is looked for in the text and compared with all that are known. A text with more unknown words than that has another
    // problem.
    constexpr std::size_t most_looks = 20'000'000;
    looked_at_ += source_->text().size() + scope_.size();
    if (diagnostics_->size() > max_problems || in_gap(name)) return;
    const bool searched = looked_at_ <= most_looks;
    if (searched && declared_in_text(source_->text().substr(std::min<std::size_t>(span.end, source_->text().size())), name)) {
        report("E-NAME", fmt::format("'{}' has no value yet", name), span, "it is declared further down",
               "a name is declared above its first use; only functions may come later");
        return;
    }
    std::vector<std::string> known;
    if (searched)
        for (const auto& symbol : scope_.symbols()) known.push_back(symbol.name);
    if (!callee && searched) known.insert(known.end(), scope_.labels().begin(), scope_.labels().end());
    for (const Locals* l = locals_; l; l = l->outer)
        for (const auto& local : l->names) known.push_back(local.name);
    std::vector<std::string> builtins;
    if (searched)
        for (const auto& entry : world_.registry.builtins()) builtins.push_back(entry.first);
    // A short word that is not called is rarely a misspelt builtin: `treat` does not mean `real`.
    constexpr std::size_t short_word = 6;
    auto near = rt::nearest(name, known);
    if (!near && (callee || name.size() > short_word)) near = rt::nearest(name, builtins);
    const auto after = source_->text().find_first_not_of(' ', span.end);
    const bool assigned = after != std::string_view::npos && source_->text().substr(after).starts_with("<-");
    const bool head = name.size() == 1 && std::string_view("PEHIL").find(name[0]) != std::string_view::npos &&
                      after != std::string_view::npos && source_->text()[after] == '[';
    const std::string file = callee ? "" : file_name_at(source_->text(), span);
    const std::string hint = !file.empty() ? fmt::format("the name of a file is a text: \"{}\"", file)
                             : callee      ? foreign_function(name)
                             : assigned    ? "values are named with let x = …"
                             : head        ? fmt::format("a query takes parentheses: {}(…)", name)
                                           : std::string(foreign_value(name));
    if (!hint.empty()) {
        report("E-NAME", callee ? fmt::format("there is no function '{}'", name) : fmt::format("'{}' is not known here", name), span,
               callee ? "not a builtin and not defined above" : "no name, label, variable or model has this spelling", hint);
        return;
    }
    report("E-NAME", callee ? fmt::format("there is no function '{}'", name) : fmt::format("'{}' is not known here", name), span,
           callee ? "not a builtin and not defined above" : "no name, label, variable or model has this spelling",
           near     ? fmt::format("did you mean '{}'?{}", *near, callee ? "" : " A new label is written in quotes.")
           : callee ? ""
                    : fmt::format("a new label is written in quotes: \"{}\"", name));
}

void Checker::resolve_name(NameExpr& name, Span span, bool parenthesised) {
    if (const auto found = look_up(name, parenthesised)) {
        mean(name, span, *found);
    } else if (nodes_.contains(name.name)) {
        report("E-VARIABLE", fmt::format("{} is a variable of the net, but not a parent of this one", name.name), span, {},
               "list the parents after the |");
    } else {
        unknown_name(name.name, span, false);
    }
}

void Checker::resolve_label(Expr& expr) {
    auto* name = std::get_if<NameExpr>(&expr.node);
    const bool declaring = holes_allowed_ || in_net_;
    const bool open = name && !expr.parenthesised && !declaring && scope_.awaits_data();
    const auto found = open ? look_up(name->name) : std::nullopt;
    // Labels come before what the library defines: then the data decide.
    const Symbol* symbol = found && found->kind == Resolution::Kind::global ? scope_.find(name->name) : nullptr;
    const bool of_library = found && (found->kind == Resolution::Kind::builtin || (symbol && is_library(*symbol)));
    const auto rest = source_->text().substr(std::min<std::size_t>(expr.span.end, source_->text().size()));
    if (open && (of_library || (!found && !declared_in_text(rest, name->name))))
        name->resolved = {Resolution::Kind::data_label, symbol ? symbol->slot : no_slot};
    else
        resolve(expr);
}

void Checker::resolve_callee(NameExpr& name, Span span) {
    using Kind = Resolution::Kind;
    if (const auto slot = find_local(name.name)) return mean(name, span, {Kind::local, *slot});
    const Symbol* symbol = scope_.find(name.name);
    if (symbol && symbol->kind != Symbol::Kind::model) return mean(name, span, {Kind::global, symbol->slot});
    if (const auto forward = forward_.find(name.name); forward != forward_.end()) return mean(name, span, {Kind::global, forward->second});
    if (world_.registry.find(name.name)) return mean(name, span, {Kind::builtin, 0});
    if (name.name == "noisy_or" || name.name == "noisy_max") {
        if (!in_net_) report("E-NAME", fmt::format("{} can only be the table of a node in a net", name.name), span);
        return;
    }
    if (symbol && symbol->kind == Symbol::Kind::model) {
        report("E-NAME", fmt::format("{} is a model, not a function", name.name), span, "there is no function of that name",
               fmt::format("ask P(X | Y = a) in {0}; net {0}(x) {{ … }} would take arguments", name.name));
        return;
    }
    unknown_name(name.name, span, true);
}

void Checker::resolve_quietly(Expr& expr) {
    if (auto* name = std::get_if<NameExpr>(&expr.node)) {
        const auto found = look_up(*name, expr.parenthesised);
        mean(*name, expr.span, found ? *found : Resolution{Resolution::Kind::label, 0});
        if (expr.parenthesised && !found) unknown_name(name->name, expr.span, false);
        return;
    }
    if (auto* list = std::get_if<ListLit>(&expr.node)) {
        for (auto& item : list->items) resolve_quietly(*item);
        return;
    }
    if (auto* set = std::get_if<SetLit>(&expr.node)) {
        for (auto& item : set->items) resolve_quietly(*item);
        return;
    }
    if (auto* record = std::get_if<RecordLit>(&expr.node)) {
        record_keys(*record);
        for (auto& entry : record->entries) resolve_quietly(*entry.value);
        return;
    }
    resolve(expr);
}

void Checker::resolve_method(Expr& expr) {
    if (auto* name = std::get_if<NameExpr>(&expr.node)) {
        name->resolved = {Resolution::Kind::label, 0};
        return;
    }
    auto* call = std::get_if<Call>(&expr.node);
    auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    if (!callee) {
        resolve(expr);
        return;
    }
    callee->resolved = {Resolution::Kind::option, 0};
    for (auto& argument : call->arguments) {
        auto* word = std::get_if<NameExpr>(&argument.value->node);
        if (word && look_up_model(word->name))
            resolve_model(*argument.value);
        else
            resolve_quietly(*argument.value);
    }
}

void Checker::resolve_lambda(Lambda& lambda) {
    Locals inner;
    inner.outer = locals_;
    for (const auto& p : lambda.params) {
        const bool again = std::any_of(inner.names.begin(), inner.names.end(), [&](const Local& l) { return l.name == p.text; });
        if (again) report("E-DUPLICATE", fmt::format("two parameters are named {}", p.text), p.span, "given already");
        inner.add(p.text, define_local(p, "parameter"));
    }
    locals_ = &inner;
    resolve(lambda.body);
    locals_ = inner.outer;
    lambda.frame = {inner.next, std::move(inner.captures)};
}

void Checker::resolve_comprehension(Comprehension& c) {
    resolve_base(*c.source);
    c.slot = locals_->add(c.variable.text, define_local(c.variable, "each of a list"));
    resolve(c.condition);
    resolve(c.body);
    locals_->end(c.slot);
}

void Checker::resolve_record(RecordLit& record) {
    record_keys(record);
    auto& entries = record.entries;
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        resolve(entry->computed);
        const auto same = [&](const RecordEntry& earlier) { return !earlier.computed && earlier.key.text == entry->key.text; };
        if (!entry->computed && std::any_of(entries.begin(), entry, same))
            report("E-DUPLICATE", fmt::format("the key {} is given twice", entry->key.text), entry->key.span, "given already");
        resolve_beside(entry->value, fmt::format("leave {} out: what a record does not name is unknown", entry->key.text));
    }
}

/// <Sunny, Cool> where `let Sunny = …` took the place of a label.
void Checker::note_named_label(const Expr& element) {
    const auto* name = std::get_if<NameExpr>(&element.node);
    if (!name || element.parenthesised || !scope_.knows_label(name->name)) return;
    if (name->resolved.kind != Resolution::Kind::global) return;
    note(fmt::format("{0} is the name declared above here, not the label; write \"{0}\" for the label", name->name), element.span);
}

/// variance(P(X)) in m, where the model belongs to the query: reported.
bool Checker::query_left_of_in(const Binary& binary, Span span) {
    const auto* call = std::get_if<Call>(&binary.left->node);
    const auto* model = std::get_if<NameExpr>(&binary.right->node);
    if (binary.op != BinaryOp::in || !call || !model || call->arguments.size() != 1) return false;
    const Expr& argument = *call->arguments[0].value;
    const auto* query = std::get_if<QueryExpr>(&argument.node);
    const Symbol* symbol = scope_.find(model->name);
    if (!query || query->model || !symbol) return false;
    if (!symbol->shape && !(symbol->kind == Symbol::Kind::value && scope_.models().empty())) return false;
    report("E-QUERY", "the model stands behind the query, inside the parentheses", span, {},
           fmt::format("{}({} in {})", source_->text(call->callee->span), source_->text(argument.span), model->name));
    return true;
}

void Checker::resolve_beside(ExprPtr& expr, std::string hole_hint) {
    const bool hole = expr && std::holds_alternative<HoleLit>(expr->node);
    auto outer = std::exchange(hole_hint_, hole ? std::move(hole_hint) : hole_hint_);
    if (expr) resolve_label(*expr);
    hole_hint_ = std::move(outer);
}

void Checker::resolve_base(Expr& base) {
    auto* name = std::get_if<NameExpr>(&base.node);
    const auto found = name ? look_up_model(name->name) : std::nullopt;
    if (found)
        mean(*name, base.span, *found);
    else
        resolve(base);
}

void Checker::resolve_member(Member& member) {
    resolve_base(*member.base);
    check_member(*member.base, member.name, false);
    record_member(member);
}

void Checker::resolve_pipe(Pipe& pipe) {
    resolve(pipe.left);
    const auto behind_preparations = [&](const Call& call) {  // a learner takes nothing from what precedes it
        const auto* callee = std::get_if<NameExpr>(&call.callee->node);
        const Overloads* builtin =
            callee && !scope_.find(callee->name) && !find_local(callee->name) ? world_.registry.find(callee->name) : nullptr;
        return builtin && builtin->forms[0].learner;
    };
    if (auto* call = std::get_if<Call>(&pipe.right->node))
        check_call(*call, pipe.right->span, !behind_preparations(*call));
    else if (auto* name = std::get_if<NameExpr>(&pipe.right->node))
        resolve_callee(*name, pipe.right->span);
    else
        resolve(pipe.right);
}

void Checker::resolve(Expr& expr) {
    struct Visitor {
        Checker& self;
        Expr& expr;
        void operator()(NumberLit&) const {}
        void operator()(BoolLit&) const {}
        void operator()(TextLit& t) const {
            for (auto& part : t.parts)
                if (auto* e = std::get_if<ExprPtr>(&part)) self.resolve(*e);
        }
        void operator()(SignLit&) const {}
        void operator()(NameExpr& n) const { self.resolve_name(n, expr.span, expr.parenthesised); }
        void operator()(HoleLit&) const {
            if (!self.holes_allowed_)
                self.report("E-HOLE", "? stands for something to be learned; it belongs in declarations, instances and table cells",
                            expr.span, "no value", self.hole_hint_);
        }
        void operator()(ListLit& l) const {
            for (auto& item : l.items) self.resolve_beside(item, "an instance may have unknown values: <0.1, ?, 3.2>");
        }
        void operator()(Comprehension& c) const { self.resolve_comprehension(c); }
        void operator()(RecordLit& r) const { self.resolve_record(r); }
        void operator()(SetLit& s) const {
            for (auto& item : s.items) self.resolve_label(*item);
        }
        void operator()(InstanceLit& i) const {
            for (auto& element : i.elements)
                if (auto* e = std::get_if<ExprPtr>(&element.value)) {
                    self.resolve_label(**e);
                    self.note_named_label(**e);
                }
        }
        void operator()(Unary& u) const { self.resolve(u.operand); }
        void operator()(Binary& b) const {
            if (self.query_left_of_in(b, expr.span)) return;
            if (b.op != BinaryOp::equal && b.op != BinaryOp::not_equal) {
                self.resolve(b.left);
                self.resolve(b.right);
                return;
            }
            const auto hint = [&](const ExprPtr& other) {
                return fmt::format("is_missing({}) is true where a cell is missing", self.source_->text(other->span));
            };
            self.resolve_beside(b.left, hint(b.right));
            self.resolve_beside(b.right, hint(b.left));
        }
        void operator()(Range& r) const {
            self.resolve(r.from);
            self.resolve(r.to);
            self.resolve(r.step);
        }
        void operator()(If& i) const {
            self.resolve(i.condition);
            self.resolve(i.then_);
            self.resolve(i.else_);
        }
        void operator()(Lambda& l) const { self.resolve_lambda(l); }
        void operator()(Call& c) const { self.check_call(c, expr.span, false); }
        void operator()(Index& i) const {
            self.resolve_base(*i.base);
            for (auto& index : i.indices) self.resolve_quietly(*index);
            if (const auto* query = std::get_if<QueryExpr>(&i.base->node)) self.check_query_index(*query, i.indices);
        }
        void operator()(Member& m) const { self.resolve_member(m); }
        void operator()(Pipe& p) const { self.resolve_pipe(p); }
        void operator()(Explain& e) const {
            self.report("E-EXPLAIN", "explain prints a derivation and has no value; put it at the start of a statement", expr.span);
            self.resolve(e.operand);
        }
        void operator()(Train& t) const {
            self.resolve_learner(*t.learner);
            self.resolve_model(*t.data);
            if (self.recorder_) self.recorder_->join_trained(t);
            if (t.by) self.check_method(*t.by, MethodUse::training, self.trained_shape(*t.learner));
        }
        void operator()(Sample& s) const {
            self.resolve(s.count);
            self.resolve_model(*s.source);
            if (s.by) self.resolve_quietly(*s.by);
        }
        void operator()(QueryExpr& q) const { self.check_query(q, expr.span); }
        void operator()(GraphLit&) const {}
    };
    Locals statement_level;
    const bool outermost = locals_ == nullptr;
    if (outermost) locals_ = &statement_level;
    std::visit(Visitor{*this, expr}, expr.node);
    if (outermost) locals_ = nullptr;
}

}  // namespace credence::lang
