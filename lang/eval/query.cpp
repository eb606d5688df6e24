// P, L, argmax and argmin; the model and the engine of a query.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/eval/lower_query.hpp"
#include "lang/eval/nested_query.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/models/empirical.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/numeric_model.hpp"

namespace credence::lang {

namespace {

/// −log2 of a probability, by its natural logarithm; of an impossible thing ∞.
rt::Number bits(double log) {
    const double value = -log / std::log(2.0);
    return rt::Number::real(value == 0 ? 0.0 : value);
}

Value value_of(const rt::Answer& answer) {
    if (const auto* n = std::get_if<rt::Number>(&answer.value)) return Value(*n);
    if (const auto* f = std::get_if<rt::Factor>(&answer.value)) return Value::factor(*f);
    if (const auto* d = std::get_if<rt::DistributionPtr>(&answer.value)) return Value(Value::Node(*d));
    return {};
}

void mark_spaces(std::vector<rt::Variable>& variables, const rt::Model& model,
                 const std::vector<std::pair<rt::VarId, std::string>>& through) {
    for (auto& variable : variables)
        for (const auto& [id, space] : through)
            if (model.variables()[rt::index(id)].variable.name == variable.name) variable.space = space;
}

rt::Factor with_variables(const rt::Factor& f, std::vector<rt::Variable> variables) { return f.over(std::move(variables)); }

Value assignment_value(const rt::Assignment& assignment) {
    if (assignment.values.size() == 1 && assignment.values[0].first.space.empty()) return Value::label(assignment.values[0].second);
    Record out;
    for (const auto& [variable, label] : assignment.values) out.entries.emplace_back(variable.name, Value::label(label));
    return Value::record(std::move(out));
}

}  // namespace

Result<ModelValue> Evaluator::as_model(const Value& value, Span span) {
    if (const auto* m = value.get<ModelValue>()) return *m;
    if (const auto* t = value.get<rt::TablePtr>()) return ModelValue{rt::make_empirical_model(*t), "the table"};
    if (const auto* f = value.get<FactorPtr>(); f && (*f)->model()) return ModelValue{(*f)->model(), {}};
    return fault("E-MODEL", fmt::format("{} is not a model", value.kind()), span,
                 "nets, hypothesis spaces, tables and trained models can be queried",
                 value.is<rt::DistributionPtr>()
                     ? "cdf(d, x) is the probability of at most x; or declare a node in a net: net N { X ~ normal(0, 1) }"
                     : "");
}

Result<ModelValue> Evaluator::model_of(const QueryExpr& query, Span span, Frame& frame) {
    if (query.model) {
        auto value = TRY(eval(*query.model, frame));
        auto model = as_model(value, query.model->span);
        const auto* name = std::get_if<NameExpr>(&query.model->node);
        if (model && name) model->name = name->name;
        return known_model(std::move(model), span);
    }
    auto value = TRY(resolved(query.resolved_model, "the model", span, frame));
    return known_model(as_model(value, span), span);
}

/// A net with holes cannot be queried; this is reported before anything about its variables.
Result<ModelValue> Evaluator::known_model(Result<ModelValue> model, Span span) {
    if (!model) return model;
    if (auto trained = model->model->check_trained(); !trained) return at(std::move(trained).fault(), span);
    return model;
}

Result<ModelValue> Evaluator::model_with(std::span<const std::string> variables) {
    std::vector<ModelValue> fitting;
    std::string names;
    for (const Symbol* symbol : world_.scope ? world_.scope->models() : std::vector<const Symbol*>{}) {
        const auto& value = world_.globals[symbol->slot];
        const auto* model = value ? value->get<ModelValue>() : nullptr;
        if (!model || !std::all_of(variables.begin(), variables.end(), [&](const std::string& v) { return symbol->shape->has(v); }))
            continue;
        fitting.push_back(*model);
        names += (names.empty() ? "" : ", ") + symbol->name;
    }
    if (fitting.size() == 1) return fitting[0];
    if (fitting.empty())
        return Fault{.code = "E-MODEL", .message = "no single declared model has all these variables", .hint = "name the model: in: …"};
    return Fault{.code = "E-AMBIGUOUS",
                 .message = fmt::format("{} models have all these variables", fitting.size()),
                 .label = "they are " + names,
                 .hint = "name one: in: …"};
}

Result<rt::Answer> Evaluator::ask(const QueryExpr& query, Span span, Frame& frame, rt::Goal goal, rt::Query* lowered, ModelValue* model,
                                  std::vector<rt::VarId>* open_doing) {
    auto found = TRY(model_of(query, span, frame));
    *model = std::move(found);
    QueryLowering lowering(*this, *model, query, frame);
    Status done = lowering.bind();
    if (!done) return std::move(done).fault();
    done = lowering.targets(query.targets);
    if (!done) return std::move(done).fault();
    done = lowering.given(query.given);
    if (!done) return std::move(done).fault();
    if (query.head == QueryHead::I) {
        done = lowering.targets(query.second);
        if (!done) return std::move(done).fault();
    }
    lowering.expand_star();
    auto engine = TRY(engine_of(query, *model->model, frame));
    auto extended = lowering.extended();
    if (!extended) return at(std::move(extended).fault(), span);
    *lowered = lowering.query();
    lowered->by = std::move(engine);
    lowered->goal = goal;
    lowered->origin = origin(span);
    if (query.head == QueryHead::H || query.head == QueryHead::I) {
        // Entropies come from the joint over both sides; what was free in the evidence is conditioned on afterwards.
        if (!lowered->targets.events.empty() || !lowered->targets.observations.empty())
            return fault("E-QUERY", fmt::format("{}(…) is over whole variables, not events", query.head == QueryHead::H ? "H" : "I"), span,
                         {}, "put the events after the bar");
        for (const auto id : lowered->given.free)
            if (!rt::contains(lowered->targets.free, id)) lowered->targets.free.push_back(id);
        lowered->given.free.clear();
    }
    run_.rng = world_.rng.child("query");
    const ModelValue declared = std::exchange(*model, *std::move(extended));
    const auto& open = lowering.open_doing();
    if (open_doing) *open_doing = open;
    if (!open.empty() && query.head != QueryHead::P && query.head != QueryHead::L)
        return at(open_doing_fault(model->model->variables()[rt::index(open[0])].variable.name), span);
    auto answer = open.empty() ? model->model->ask(*lowered, run_) : ask_for_each(*model->model, *lowered, open);
    if (!answer) return at(std::move(answer).fault(), span);
    if (auto* f = std::get_if<rt::Factor>(&answer->value)) {
        auto variables = f->variables();
        mark_spaces(variables, *declared.model, lowering.through_space());
        *f = with_variables(*f, std::move(variables));
        f->set_layout({.conditions = lowered->given.free.size() + open.size()});
    } else if (auto* a = std::get_if<rt::Assignment>(&answer->value)) {
        for (auto& [variable, label] : a->values) {
            std::vector<rt::Variable> one{variable};
            mark_spaces(one, *declared.model, lowering.through_space());
            variable = one[0];
        }
    }
    note_answer(*answer, span);
    last_answer_ = AnswerInfo{answer->engine, answer->exact, answer->counts, answer->standard_error};
    return answer;
}

Status each_doing(const rt::Model& model, rt::Query query, std::span<const rt::VarId> open,
                  const std::function<Status(const rt::Query&, std::size_t)>& visit) {
    std::vector<rt::Variable> set;
    std::size_t cases = 1;
    for (const auto id : open) {
        set.push_back(model.variables()[rt::index(id)].variable);
        cases *= set.back().size();
        query.doing.push_back({id, {}, query.origin});
    }
    const std::size_t first = query.doing.size() - open.size();
    for (std::size_t c = 0; c < cases; ++c) {
        for (std::size_t k = set.size(), rest = c; k-- > 0; rest /= set[k].size())
            query.doing[first + k].value = (*set[k].domain)[rest % set[k].size()];
        if (Status done = visit(query, c); !done) return done;
    }
    return rt::Done{};
}

/// P(… | do(X)): the answers for each value of X, which is the last variable of the table.
Result<rt::Answer> Evaluator::ask_for_each(const rt::Model& model, const rt::Query& query, std::span<const rt::VarId> open) {
    std::vector<rt::Variable> set;
    std::size_t cases = 1;
    for (const auto id : open) {
        set.push_back(model.variables()[rt::index(id)].variable);
        cases *= set.back().size();
    }
    std::optional<rt::Answer> out;
    std::vector<rt::Variable> variables;
    std::vector<rt::Number> entries;
    TRY(each_doing(model, query, open, [&](const rt::Query& one, std::size_t c) -> Status {
        auto answer = TRY(model.ask(one, run_));
        const auto* number = std::get_if<rt::Number>(&answer.value);
        const auto* factor = std::get_if<rt::Factor>(&answer.value);
        if (!number && !factor) return open_doing_fault(set[0].name);
        const std::size_t size = factor ? factor->size() : 1;
        if (!out) {
            if (factor) variables = factor->variables();
            entries.resize(size * cases);
            out = answer;
        }
        for (std::size_t i = 0; i < size; ++i) entries[i * cases + c] = factor ? factor->at(i) : *number;
        out->exact = out->exact && answer.exact;
        if (answer.standard_error && *answer.standard_error > out->standard_error.value_or(0)) out->standard_error = answer.standard_error;
        return rt::Done{};
    }));
    for (const auto& v : set) {
        if (std::any_of(variables.begin(), variables.end(), [&](const rt::Variable& known) { return known.name == v.name; }))
            return open_doing_fault(v.name);
        variables.push_back(v);
    }
    out->value = rt::Factor::of_numbers(std::move(variables), entries);
    out->log.reset();
    return *std::move(out);
}

namespace {

/// The real-valued variable of an event X = v; null of other events.
const rt::Variable* number_at_a_point(const rt::Model& model, const rt::Event& event) {
    if (event.kind != rt::Event::Kind::atom || event.atom.compare != rt::Compare::equal) return nullptr;
    const auto id = rt::index(event.atom.variable);
    if (id >= model.variables().size()) return nullptr;  // a quantity
    const auto& variable = model.variables()[id].variable;
    return variable.is_discrete() ? nullptr : &variable;
}

bool may_be_count(const rt::Label& value) {
    const auto& n = value.number();
    return n && n->is_exact() && n->exact().is_integer() && n->sign() >= 0;
}

/// Why an event X = v of a number has probability 0; empty where a count could have the value.
std::string impossible_point(const rt::Model& model, const rt::Variable& variable, const rt::Label& value) {
    if (model.numeric() && model.numeric()->is_count(variable))
        return may_be_count(value) ? ""
                                   : fmt::format("{} is a count, and {} is not a value of it: it is a whole number, 0 or more",
                                                 variable.name, value.text());
    return fmt::format(
        "{} is a real number, and a single value of it has probability 0: ask for an interval (the sides of a die are uniform(1..6))",
        variable.name);
}

}  // namespace

void Evaluator::note_answer(const rt::Answer& answer, Span span) {
    const Span outer = std::exchange(statement_span_, span);
    for (const auto& text : answer.notes) note(text);
    statement_span_ = outer;
}

/// P(Height | Sex): the distribution of a number for each value of the labels that are free in the evidence, by value. Not applicable to
/// other queries.
Attempt<Value> Evaluator::number_by_values(const rt::Query& query, const ModelValue& model, Span span) {
    const auto& free = query.given.free;
    if (free.empty() || query.targets.free.size() != 1) return not_applicable;
    const auto variable = [&](rt::VarId id) -> const rt::Variable& { return model.model->variables()[rt::index(id)].variable; };
    if (variable(query.targets.free[0]).is_discrete() ||
        !std::all_of(free.begin(), free.end(), [&](rt::VarId id) { return variable(id).is_discrete(); }))
        return not_applicable;
    rt::Query one = query;
    one.given.free.erase(one.given.free.begin());
    Record out;
    for (const auto& label : variable(free[0]).domain->labels()) {
        one.given.events = query.given.events;
        one.given.events.push_back(rt::event_equal(free[0], label, query.origin));
        if (auto inner = TRY(number_by_values(one, model, span).or_nothing())) {
            out.entries.emplace_back(label.text(), *std::move(inner));
            continue;
        }
        run_.rng = world_.rng.child("query");
        auto answer = model.model->ask(one, run_);
        if (!answer) return at(std::move(answer).fault(), span);
        note_answer(*answer, span);
        out.entries.emplace_back(label.text(), value_of(*answer));
    }
    return Value::record(std::move(out));
}

Result<Value> Evaluator::eval_query(const QueryExpr& query, Span span, Frame& frame) {
    if (run_.stopped()) return rt::stopped_fault();
    if (const auto known = asked_once_.find(&query); known != asked_once_.end() && known->second) return *known->second;
    const auto is_uncertain = [&](std::uint32_t slot) { return slot < frame.size() && holds_quantity(frame[slot]); };
    if (tracing_ > 0 && speaks_of(query, is_uncertain))
        return fault("E-TYPE", "this query differs from case to case of the query around it", span, {},
                     "where the variables of the outer query have listed values, each case is worked out");
    const int tracing = std::exchange(tracing_, 0);
    auto out = answered(query, span, frame);
    tracing_ = tracing;
    if (const auto known = asked_once_.find(&query); known != asked_once_.end() && out) known->second = *out;
    return out;
}

Result<Value> Evaluator::answered(const QueryExpr& query, Span span, Frame& frame) {
    if (query.head == QueryHead::E) return eval_expectation(query, span, frame);
    if (query.head == QueryHead::H || query.head == QueryHead::I) return eval_entropy(query, span, frame);
    if (asks_for_everything(query)) return eval_posterior(query, span, frame);
    rt::Query lowered;
    ModelValue model;
    auto asked = ask(query, span, frame, rt::Goal::probability, &lowered, &model);
    if (!asked && query.head == QueryHead::P)
        if (auto each = TRY(number_by_values(lowered, model, span).or_nothing())) return *std::move(each);
    const auto answer = TRY(std::move(asked));
    const Value out = value_of(answer);
    const auto* f = out.get<FactorPtr>();
    const auto* n = out.get<rt::Number>();
    if (query.head == QueryHead::P) {
        if (n && n->is_zero() && model.model->numeric())
            for (const auto& event : lowered.targets.events)
                if (const auto* v = number_at_a_point(*model.model, event)) {
                    auto why = impossible_point(*model.model, *v, event.atom.values[0]);
                    if (!why.empty()) note(std::move(why));
                }
        if (answer.log) note("probabilities below 1e-308 are 0 as numbers; L(…) gives their size in bits");
        return out;
    }
    if (n) return Value(bits(answer.log.value_or(n->log())));
    if (f) {
        std::size_t i = 0;
        const auto& logs = (*f)->logs();
        auto mapped =
            rt::map_entries(**f, [&](const rt::Number& p) -> Result<rt::Number> { return bits(logs.empty() ? p.log() : logs[i++]); });
        if (!mapped) return at(std::move(mapped).fault(), span);
        mapped->set_layout((*f)->layout());
        return Value::factor(*std::move(mapped));
    }
    return fault("E-QUERY", "L of a real-valued variable is not defined: ask for an event of it", span);
}

bool Evaluator::maximises_together(const QueryExpr& query) {
    if (query.engine && query.targets.size() > 1) {  // the search for an assignment has no joint table
        const Expr* engine = query.engine.get();
        if (const auto* call = std::get_if<Call>(&engine->node)) engine = call->callee.get();
        const auto* name = std::get_if<NameExpr>(&engine->node);
        if (name && name->name == "branch_and_bound") return true;
    }
    for (const auto& item : query.targets)
        if (std::holds_alternative<StarItem>(item.node)) return true;
    return query.targets.size() > 3;
}

Result<Value> Evaluator::eval_argmax(const Expr& operand, bool largest, Span span, Frame& frame) {
    // Over many variables at once the joint table would be too large: the model maximises itself.
    const auto* query = std::get_if<QueryExpr>(&operand.node);
    if (query && largest && query->head == QueryHead::P && maximises_together(*query)) {
        rt::Query lowered;
        ModelValue model;
        auto answer = TRY(ask(*query, span, frame, rt::Goal::most_probable, &lowered, &model));
        if (const auto* assignment = std::get_if<rt::Assignment>(&answer.value)) {
            if (assignment->ties > 1)
                note(fmt::format("{} assignments are equally probable; the first declared one is used", assignment->ties));
            return assignment_value(*assignment);
        }
    }
    auto value = eval(operand, frame);
    if (!value) return value;
    const auto* joint = value->get<rt::DistributionPtr>();
    if (joint && largest && query && query->targets.size() > 1) {  // of several numbers: where their density is largest, by name
        auto most = (**joint).mode();
        if (!most) return at(std::move(most).fault(), span);
        const auto* point = std::get_if<rt::Point>(&*most);
        if (point && point->size() == query->targets.size()) {
            Record out;
            for (std::size_t i = 0; i < point->size(); ++i) {
                const Span target = query->targets[i].span;
                std::string name(source_->text().substr(target.begin, target.end - target.begin));
                if (const auto as = name.rfind(" as "); as != std::string::npos) name.erase(0, as + 4);
                out.entries.emplace_back(std::move(name), Value((*point)[i]));
            }
            return Value::record(std::move(out));
        }
    }
    return extreme_of(*value, largest, span);
}

Result<Value> Evaluator::extreme_of(const Value& value, bool largest, Span span) {
    std::optional<rt::Factor> from_record;
    const rt::Factor* f = nullptr;
    if (const auto* p = value.get<FactorPtr>()) f = p->get();
    if (const auto* r = value.get<RecordPtr>()) {
        from_record = record_as_factor(**r, "value");
        if (from_record) f = &*from_record;
    }
    const std::string_view word = largest ? "argmax" : "argmin";
    if (const auto* d = value.get<rt::DistributionPtr>(); d && largest) {  // of a number: where its density is largest
        auto most = (**d).mode();
        if (!most) return at(std::move(most).fault(), span);
        return outcome_value(*most);
    }
    if (!f) {
        std::string hint;
        if (value.is<rt::Number>() || value.is<TextPtr>()) hint = "leave a variable free, as in argmax P(Diagnosis | Test = pos)";
        if (value.items()) hint = "best(options, f) is the option for which f is largest";
        if (const auto* r = value.get<RecordPtr>()) {
            const auto& entries = (*r)->entries;
            if (entries.empty()) return fault("E-EMPTY", fmt::format("an empty record has no {}", word), span);
            const auto other =
                std::find_if(entries.begin(), entries.end(), [](const auto& e) { return !e.second.template is<rt::Number>(); });
            return fault("E-TYPE", fmt::format("{} compares numbers, but {} is {}", word, other->first, other->second.kind()), span);
        }
        return fault("E-TYPE", fmt::format("{} looks for the best label of a factor or record, not of {}", word, value.kind()), span, {},
                     hint);
    }
    if (!f->is_exact() && std::any_of(f->real().begin(), f->real().end(), [](double x) { return std::isnan(x); }))
        return fault("E-ARITHMETIC", "an entry has no value", span);
    const rt::Extreme extreme = largest ? rt::argmax(*f) : rt::argmin(*f);
    if (extreme.ties.size() > 1) {
        std::string names;
        for (std::size_t k = 0; k < extreme.ties.size() && k < 6; ++k) {
            std::string one;
            for (const auto& label : f->labels(extreme.ties[k])) one += (one.empty() ? "" : ", ") + label.text();
            names += (k ? "; " : "") + one;
        }
        if (extreme.ties.size() > 6) names += "; …";
        const Span outer = std::exchange(statement_span_, span);
        note(fmt::format("{} has a tie between {} labels ({}); the first declared one is used", word, extreme.ties.size(), names));
        statement_span_ = outer;
    }
    rt::Assignment assignment;
    const auto labels = f->labels(extreme.entry);
    for (std::size_t i = 0; i < labels.size(); ++i) assignment.values.emplace_back(f->variables()[i], labels[i]);
    return assignment_value(assignment);
}

}  // namespace credence::lang
