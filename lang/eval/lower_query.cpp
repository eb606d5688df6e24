#include "lang/eval/lower_query.hpp"

#include <fmt/format.h>

#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/lookup.hpp"
#include "runtime/prob/declared/hypotheses.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::lang {

namespace {

void collect(const rt::Event& event, std::vector<bool>& seen) {
    if (event.kind == rt::Event::Kind::atom && rt::index(event.atom.variable) < seen.size()) seen[rt::index(event.atom.variable)] = true;
    for (const auto& part : event.parts) collect(part, seen);
}

/// The variables that an event gives a value. What it only restricts, as X > 3 does, is still uncertain.
void collect_known(const rt::Event& event, std::vector<bool>& seen) {
    const bool value =
        event.atom.values.size() == 1 && (event.atom.compare == rt::Compare::equal || event.atom.compare == rt::Compare::one_of);
    if (event.kind == rt::Event::Kind::atom && value) collect(event, seen);
    if (event.kind == rt::Event::Kind::all)
        for (const auto& part : event.parts) collect_known(part, seen);
}

}  // namespace

bool is_order(rt::Compare c) {
    return c == rt::Compare::less || c == rt::Compare::less_equal || c == rt::Compare::greater || c == rt::Compare::greater_equal;
}

std::optional<rt::Compare> comparison(EventOp op) {
    using rt::Compare;
    static constexpr std::pair<EventOp, Compare> comparisons[] = {
        {EventOp::equal, Compare::equal},     {EventOp::not_equal, Compare::not_equal},
        {EventOp::less, Compare::less},       {EventOp::less_equal, Compare::less_equal},
        {EventOp::greater, Compare::greater}, {EventOp::greater_equal, Compare::greater_equal}};
    if (op == EventOp::distributed || op == EventOp::likelihood) return std::nullopt;
    return rt::value_for(op, comparisons, Compare::one_of);
}

bool is_member(const rt::ModelVariable& variable, std::string_view plate) {
    std::string_view name = variable.variable.name;
    if (variable.is_step || !name.starts_with(plate)) return false;
    name.remove_prefix(plate.size());
    return name.size() > 1 && name.front() == '[' && name.find(']') == name.size() - 1;
}

bool is_script_name(const Resolution& resolution) {
    return resolution.kind == Resolution::Kind::local || resolution.kind == Resolution::Kind::global ||
           resolution.kind == Resolution::Kind::model;
}

QueryLowering::QueryLowering(Evaluator& evaluator, const ModelValue& model, const QueryExpr& query, Frame& frame)
    : self_(evaluator), model_(model), written_(query), frame_(frame) {
    const auto& variables = model_.model->variables();
    for (std::size_t i = 0; i < variables.size(); ++i) ids_.try_emplace(variables[i].variable.name, static_cast<rt::VarId>(i));
}

std::optional<rt::VarId> QueryLowering::find(std::string_view name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string& QueryLowering::name(rt::VarId id) const {
    return is_own(id) ? var(id).name : quantities_[rt::index(id) - model_.model->variables().size()].name;
}

Fault QueryLowering::unknown_variable(const std::string& name, Span span) {
    std::vector<std::string> known;
    bool any_next = false;
    std::string parameters;  // of a space of that name
    for (const auto& v : model_.model->variables()) {
        if (v.space == name && !v.space.empty()) parameters += (parameters.empty() ? "" : ", ") + v.variable.name;
        any_next = any_next || v.next;
    }
    for (const auto id : rt::listed_variables(*model_.model)) known.push_back(var(id).name);
    if (!parameters.empty())
        return self_.fault("E-QUERY", fmt::format("{} stands for its parameters and has no single value", name), span,
                           fmt::format("its parameters are {}", parameters));
    if (name.starts_with("next ") && !any_next)
        return self_.fault(
            "E-QUERY", fmt::format("{} has no i.i.d. outcome, so there is no next one", model_.name.empty() ? "this model" : model_.name),
            span, {}, "`next` asks a net or a hypothesis space for one more draw");
    return self_.at(no_such_variable(model_.name.empty() ? "the model" : model_.name, known, name), span);
}

Result<std::string> QueryLowering::name_of(const VariableRef& ref, bool next) {
    std::string name = ref.name.text;
    if (ref.index) {
        auto index = self_.index_text(*ref.index, frame_);
        if (!index) return index;
        name += "[" + *index + "]";
    }
    return next ? "next " + name : name;
}

Result<rt::VarId> QueryLowering::variable(const VariableRef& ref, bool next) {
    auto name = TRY(name_of(ref, next));
    if (const auto id = find(name)) return *id;
    return unknown_variable(name, ref.span);
}

Status QueryLowering::targets(const std::vector<QueryItem>& items) { return side(items, query_.targets, false); }

Status QueryLowering::given(const std::vector<QueryItem>& items) { return side(items, query_.given, true); }

Status QueryLowering::side(const std::vector<QueryItem>& items, rt::Clause& clause, bool evidence) {
    for (const auto& it : items) {
        Status done = rt::Done{};
        if (std::holds_alternative<StarItem>(it.node)) {
            if (evidence) return self_.fault("E-QUERY", "* stands for all the other variables and is a target, not evidence", it.span);
            star_ = true;
        } else if (const auto* intervention = std::get_if<DoItem>(&it.node)) {
            if (!evidence) return self_.fault("E-QUERY", "do(…) is part of the evidence, after the bar", it.span);
            done = doing(*intervention);
        } else {
            done = item(std::get<EventItem>(it.node), it.span, clause, evidence);
        }
        if (!done) return done;
    }
    return rt::Done{};
}

std::vector<rt::VarId> QueryLowering::unmentioned() const {
    const auto& variables = model_.model->variables();
    std::vector<bool> seen(variables.size());
    for (const auto* clause : {&query_.targets, &query_.given}) {
        for (const auto id : clause->free)
            if (is_own(id)) seen[rt::index(id)] = true;
        for (const auto& o : clause->observations) seen[rt::index(o.variable)] = true;
        for (const auto& data : clause->data)
            for (const auto& column : data.table->columns)
                if (const auto id = find(column->name); id && is_own(*id)) seen[rt::index(*id)] = true;
    }
    for (const auto& event : query_.targets.events) collect(event, seen);
    for (const auto& event : query_.given.events) collect_known(event, seen);
    for (const auto& d : query_.doing) seen[rt::index(d.variable)] = true;
    for (const auto id : open_doing_) seen[rt::index(id)] = true;
    std::vector<rt::VarId> out;
    for (const auto id : rt::open_variables(*model_.model))
        if (!seen[rt::index(id)]) out.push_back(id);
    return out;
}

void QueryLowering::expand_star() {
    if (!star_) return;
    const bool counted = model_.model->kind() == "table";  // there the numbers that occur are values like any others
    std::string numbers;
    for (const auto id : unmentioned()) {
        if (counted || var(id).is_discrete())
            query_.targets.free.push_back(id);
        else
            numbers += (numbers.empty() ? "" : ", ") + var(id).name;
    }
    if (!numbers.empty()) self_.note(fmt::format("* leaves out unknown numbers: {}", numbers));
}

Status QueryLowering::item(const EventItem& item, Span span, rt::Clause& clause, bool evidence) {
    if (const auto* name = std::get_if<EventName>(&item.event->node)) {
        const bool chosen = index_is_uncertain(name->variable);  // prizes[Slot]
        if (!item.as && !chosen) return bare(*name, item.next, clause, evidence);
        auto value = TRY(value_of(name->variable, item.next));
        const auto* quantity = value.get<rt::QuantityPtr>();
        if (!quantity) return self_.fault("E-QUERY", "`as` names a free variable or quantity", item.as ? item.as->span : span);
        clause.free.push_back(derive(*quantity, item.as ? item.as->text : std::string(self_.source_->text(span)), false));
        return rt::Done{};
    }
    if (const auto* q = std::get_if<EventQuantity>(&item.event->node)) return bare_quantity(*q->quantity, item.as, clause, evidence);
    if (item.as) return self_.fault("E-QUERY", "`as` names a free variable or quantity, not an event", item.as->span);
    if (const auto* a = std::get_if<EventAtom>(&item.event->node)) {
        if (a->op == EventOp::distributed || a->op == EventOp::likelihood) {
            if (!evidence) return self_.fault("E-QUERY", "~ and likelihood are evidence, after the bar", span);
            return soft(*a, span, clause);
        }
        if (a->op == EventOp::equal && !item.next && !a->variable.index && !find(a->variable.name.text))
            if (const auto members = plate(a->variable.name.text); !members.empty()) return plate_values(*a, members, clause, evidence);
        if (a->op == EventOp::equal && !is_computed(a->variable, item.next)) {
            auto id = TRY(variable(a->variable, item.next));
            auto value = TRY(right_side(*a, id));
            if (value.is<ListPtr>() && !holds_quantity(value)) {
                rt::Observations observations{id, {}, self_.origin(span)};
                for (const auto& one : *value.items()) {
                    auto label = TRY(label_for(id, one, a->value->span, true, a->value.get()));
                    observations.values.push_back(std::move(label));
                }
                clause.observations.push_back(std::move(observations));
                return rt::Done{};
            }
            if (const auto* record = value.get<RecordPtr>()) return counts(id, **record, *a->value, span, clause);
            // A single value of a real number has the probability 0; its length in bits is that of its density, as of a list of one.
            if (!evidence && written_.head == QueryHead::L && value.is<rt::Number>() && is_own(id) && !var(id).is_discrete()) {
                auto label = TRY(label_for(id, value, a->value->span, true, a->value.get()));
                clause.observations.push_back({id, {std::move(label)}, self_.origin(span)});
                return rt::Done{};
            }
        }
    }
    auto out = TRY(event(*item.event, item.next));
    // Entropies are of variables: an event there is the variable that is true where it happens.
    if (!evidence && (written_.head == QueryHead::H || written_.head == QueryHead::I))
        clause.free.push_back(TRY(variable_of_event(out, span)));
    else
        clause.events.push_back(std::move(out));
    return rt::Done{};
}

/// `Candy = {lime: 700, cherry: 300}`: how often each value was seen.
Status QueryLowering::counts(rt::VarId id, const Record& record, const Expr& written, Span span, rt::Clause& clause) {
    rt::Observations observations{id, {}, self_.origin(span)};
    for (const auto& [key, value] : record.entries) {
        auto label = TRY(label_for(id, Value::label(rt::Label::of_text(key)), written.span, true, &written));
        const auto* n = value.get<rt::Number>();
        const auto count = n && n->is_exact() && n->sign() >= 0 ? n->exact().to_int64() : std::nullopt;
        if (!count)
            return self_.fault(n ? rt::FaultCode("E-PARAMETER") : rt::FaultCode("E-TYPE"),
                               n ? fmt::format("{} = {} was seen {} times", var(id).name, key, rt::label_text(*n))
                                 : fmt::format("the count of {} = {} is {}", var(id).name, key, value.kind()),
                               written.span, "counts are whole numbers, 0 or more",
                               fmt::format("probabilities are uncertain evidence: {} ~ {{…}}", var(id).name));
        observations.values.push_back(std::move(label));
        observations.counts.push_back(*count);
    }
    if (observations.values.empty()) return self_.fault("E-EMPTY", fmt::format("no counts of {} are given", var(id).name), written.span);
    clause.observations.push_back(std::move(observations));
    return rt::Done{};
}

Status QueryLowering::bare(const EventName& name, bool next, rt::Clause& clause, bool evidence) {
    auto text = TRY(name_of(name.variable, next));
    const auto add = [&](rt::VarId id) {
        if (!rt::contains(clause.free, id)) clause.free.push_back(id);
    };
    if (const auto id = find(text)) {
        add(*id);
        return rt::Done{};
    }
    bool space = false;
    const auto& variables = model_.model->variables();
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (variables[i].space != text || variables[i].space.empty()) continue;
        space = true;
        add(static_cast<rt::VarId>(i));
        through_space_.emplace_back(static_cast<rt::VarId>(i), text);
    }
    if (space) return rt::Done{};
    // The name of a plate stands for all its variables.
    if (!next && !name.variable.index) {
        const auto members = plate(text);
        for (const auto id : members) add(id);
        if (!members.empty()) return rt::Done{};
    }
    if (name.variable.resolved.kind != Resolution::Kind::unresolved && !next && !name.variable.index) {
        auto value = TRY(self_.resolved(name.variable.resolved, name.variable.name.text, name.variable.span, frame_));
        if (const auto* table = value.get<rt::TablePtr>()) { return data(*table, name.variable.span, clause); }
        if (const auto* row = value.get<RecordPtr>(); row && evidence) return record(**row, name.variable.span, clause);
        if (const auto* row = value.get<InstancePtr>(); row && evidence) return instance(**row, name.variable.span, clause);
        if (name.variable.resolved.kind != Resolution::Kind::label)
            return self_.fault("E-QUERY", fmt::format("'{}' is {}, not a variable or a table of data", text, value.kind()),
                               name.variable.span, {}, evidence ? fmt::format("write Variable = ({}) to observe its value", text) : "");
    }
    if (evidence && name.variable.index && is_computed(name.variable, next)) {  // a row of a table: t[3]
        auto value = TRY(value_of(name.variable, next));
        if (const auto* row = value.get<RecordPtr>()) return record(**row, name.variable.span, clause);
        if (const auto* row = value.get<InstancePtr>()) return instance(**row, name.variable.span, clause);
    }
    return unknown_variable(text, name.variable.span);
}

Status QueryLowering::doing(const DoItem& item) {
    for (const auto& e : item.events) {
        if (const auto* name = std::get_if<EventName>(&e->node)) {
            auto id = TRY(variable(name->variable, false));
            if (!var(id).is_discrete())
                return self_.fault("E-QUERY", fmt::format("{} is a number: do(…) sets it to one", var(id).name), e->span, {},
                                   fmt::format("as in do({} = 1)", var(id).name));
            open_doing_.push_back(id);
            continue;
        }
        const auto* a = std::get_if<EventAtom>(&e->node);
        if (!a || a->op != EventOp::equal) return self_.fault("E-QUERY", "do(…) sets variables: do(X = v)", e->span);
        auto id = TRY(variable(a->variable, false));
        auto value = TRY(right_side(*a, id));
        auto label = TRY(label_for(id, value, a->value->span, true, a->value.get()));
        query_.doing.push_back({id, std::move(label), self_.origin(e->span)});
    }
    return rt::Done{};
}

Result<rt::Label> QueryLowering::label_for(rt::VarId id, const Value& value, Span span, bool must_be_known, const Expr* written) {
    auto label = value.as_label();
    if (!label) return self_.fault("E-TYPE", fmt::format("{} takes a label or a number here, not {}", var(id).name, value.kind()), span);
    if (var(id).is_discrete()) label = rt::truth_of_number(*var(id).domain, *label);
    const rt::Predictor* predictor = model_.model->predictor();
    const bool any_text = predictor && rt::index(id) < predictor->schema().features.size() &&
                          predictor->schema().features[rt::index(id)].kind == rt::ColumnKind::label;
    const bool input = model_.model->variables()[rt::index(id)].is_input;
    if (!var(id).is_discrete() && !label->is_number() && !any_text && !input)
        return self_.fault("E-TYPE", fmt::format("{} is a number, and '{}' is not", var(id).name, label->text()), span);
    const bool judged = predictor && predictor->judges_unseen() && rt::index(id) < predictor->schema().features.size();
    if (must_be_known && !judged && var(id).is_discrete() && !var(id).domain->find(*label)) {
        Fault unknown = no_such_label(var(id), *label);
        if (const auto* name = written ? std::get_if<NameExpr>(&written->node) : nullptr; name && name->name != label->text())
            unknown.hint = fmt::format("{} is {} here", name->name, show_inline(value, self_.show_));
        return self_.at(std::move(unknown), span);
    }
    return *label;
}

Result<rt::Event> QueryLowering::event(const EventExpr& expr, bool next) {
    struct Visitor {
        QueryLowering& self;
        const EventExpr& expr;
        bool next;
        Result<rt::Event> many(const std::vector<EventPtr>& parts, rt::Event::Kind kind) const {
            rt::Event out;
            out.kind = kind;
            for (const auto& part : parts) {
                auto lowered = self.event(*part, next);
                if (!lowered) return lowered;
                out.parts.push_back(*std::move(lowered));
            }
            return out;
        }
        Result<rt::Event> operator()(const EventAtom& a) const { return self.atom(a, expr.span, next); }
        Result<rt::Event> operator()(const EventCompare& c) const {
            auto left = TRY(self.traced(*c.left));
            auto right = TRY(self.traced(*c.right));
            return self.compared(left, c.op, right, {c.left->span, c.right->span});
        }
        Result<rt::Event> operator()(const EventQuantity& q) const {
            auto value = TRY(self.traced(*q.quantity));
            return self.truth(value, expr.span);
        }
        Result<rt::Event> operator()(const EventName& n) const {
            if (!next && !n.variable.index && !self.find(n.variable.name.text) &&
                n.variable.resolved.kind != Resolution::Kind::unresolved && n.variable.resolved.kind != Resolution::Kind::label) {
                auto value = TRY(self.value_of(n.variable, next));
                return self.truth(value, expr.span);
            }
            auto id = TRY(self.variable(n.variable, next));
            const auto yes = rt::Label::of_bool(true);
            if (!self.var(id).is_discrete() || !self.var(id).domain->find(yes))
                return self.self_.fault(
                    "E-QUERY", fmt::format("{} is not boolean: give a value, as in {} = …", n.variable.name.text, n.variable.name.text),
                    n.variable.span);
            rt::Event out;
            out.atom = {id, rt::Compare::equal, {yes}, self.self_.origin(expr.span)};
            return out;
        }
        Result<rt::Event> operator()(const EventNot& n) const {
            auto inner = self.event(*n.operand, next);
            if (!inner) return inner;
            rt::Event out;
            out.kind = rt::Event::Kind::negation;
            out.parts.push_back(*std::move(inner));
            return out;
        }
        Result<rt::Event> operator()(const EventAnd& a) const { return many(a.parts, rt::Event::Kind::all); }
        Result<rt::Event> operator()(const EventOr& o) const { return many(o.parts, rt::Event::Kind::any); }
    };
    auto out = std::visit(Visitor{*this, expr, next}, expr.node);
    if (out) out->origin = self_.origin(expr.span);
    return out;
}

Result<rt::Event> QueryLowering::atom(const EventAtom& a, Span span, bool next) {
    const auto compare = comparison(a.op);
    if (!compare) return self_.fault("E-QUERY", "~ and likelihood must each be a whole piece of evidence", span);
    const std::string& name = a.variable.name.text;
    const bool alone = !next && !a.variable.index && !find(name);
    if (alone && (a.op == EventOp::equal || a.op == EventOp::not_equal))
        if (const auto members = plate(name); !members.empty()) return plate_event(a, members, span);
    // a in K: a value, which one of a plate has.
    const auto* word = std::get_if<NameExpr>(&a.value->node);
    if (alone && a.op == EventOp::in && word && !is_script_name(a.variable.resolved) && !find(word->name) && !plate(word->name).empty())
        return compared(Value::label(rt::Label::of_text(name)), a.op, plate_list(word->name), {a.variable.span, a.value->span});
    if (is_computed(a.variable, next)) {
        auto left = TRY(value_of(a.variable, next));
        auto right = TRY(word_value(*a.value));
        return compared(left, a.op, right, {a.variable.span, a.value->span});
    }
    auto id = TRY(variable(a.variable, next));
    const auto* ends = a.op == EventOp::in && !a.value->parenthesised ? std::get_if<Range>(&a.value->node) : nullptr;
    if (ends && !ends->step && is_number(id)) return interval(id, *ends, span);
    auto value = TRY(right_side(a, id));
    if (holds_quantity(value)) return compared(Value(Value::Node(variable_quantity(id))), a.op, value, {a.variable.span, a.value->span});
    rt::Event out;
    out.atom.variable = id;
    out.atom.compare = *compare;
    out.atom.origin = self_.origin(span);
    if (is_order(*compare)) {
        const auto* n = value.get<rt::Number>();
        if (!n) return self_.fault("E-TYPE", fmt::format("an order comparison needs a number, not {}", value.kind()), a.value->span);
        if (var(id).is_discrete())
            if (auto truths = ordered_truths(id, *compare, *n)) {
                out.atom.compare = rt::Compare::one_of;
                out.atom.values = *std::move(truths);
                return out;
            }
        if (var(id).is_discrete())
            for (const auto& label : var(id).domain->labels())
                if (!rt::as_count(label))
                    return self_.fault(
                        "E-TYPE", fmt::format("the values of {} are not numbers ({}), so they have no order", var(id).name, label.text()),
                        span);
        out.atom.values.push_back(rt::Label::of_number(*n));
        return out;
    }
    if (*compare == rt::Compare::one_of) {
        const List* items = value.items();
        if (!items) return self_.fault("E-TYPE", fmt::format("in takes a set, a list or a range, not {}", value.kind()), a.value->span);
        const bool range = std::holds_alternative<Range>(a.value->node);  // 1..6 may reach beyond the values there are
        for (const auto& item : *items) {
            auto label = TRY(label_for(id, item, a.value->span, !range, a.value.get()));
            if (!range || !var(id).is_discrete() || var(id).domain->find(label)) out.atom.values.push_back(std::move(label));
        }
        return out;
    }
    const bool beside = is_number_beside(id, value);
    auto label = TRY(label_for(id, value, a.value->span, !beside, a.value.get()));
    if (beside) out.atom.compare = rt::Compare::one_of;
    if (!beside) out.atom.values.push_back(std::move(label));
    if (beside && *compare == rt::Compare::not_equal) {
        rt::Event other;
        other.kind = rt::Event::Kind::negation;
        other.origin = out.atom.origin;
        other.parts.push_back(std::move(out));
        return other;
    }
    return out;
}

/// Which numbers a node can reach may depend on the parameters of its net: another number is then impossible, not a mistake. The checker
/// has refused the numbers that stand in the query of a net without parameters.
bool QueryLowering::is_number_beside(rt::VarId id, const Value& value) const {
    if (!value.is<rt::Number>() || model_.model->kind() != "net" || !var(id).is_discrete()) return false;
    const auto label = rt::truth_of_number(*var(id).domain, *value.as_label());
    const auto& labels = var(id).domain->labels();
    return !var(id).domain->find(label) && std::all_of(labels.begin(), labels.end(), [](const rt::Label& l) { return l.is_number(); });
}

/// x in 3..4 of a real number: all of what lies between, and not the whole numbers alone.
Result<rt::Event> QueryLowering::interval(rt::VarId id, const Range& range, Span span) {
    rt::Event out;
    out.kind = rt::Event::Kind::all;
    out.origin = self_.origin(span);
    for (const bool lower : {true, false}) {
        const Expr& end = lower ? *range.from : *range.to;
        const auto value = TRY(self_.eval(end, frame_));
        auto part = TRY(compared_with(id, lower ? rt::Compare::greater_equal : rt::Compare::less_equal, value, end.span));
        out.parts.push_back(std::move(part));
    }
    return out;
}

}  // namespace credence::lang
