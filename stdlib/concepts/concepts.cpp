// Concept learning: spaces of hypotheses, and hypotheses as values.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/hypotheses/concept_learners.hpp"
#include "runtime/hypotheses/listed_concepts.hpp"
#include "runtime/hypotheses/space_learners.hpp"
#include "stdlib/concepts/concepts.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "concepts";

/// Whether a cell of a hypothesis takes the cell of an instance.
bool takes(const Value& h, const Value& x) { return h.is<AnyMark>() || (!h.is<EmptyMark>() && equal(h, x)); }

Result<bool> conjunction_holds(const List& h, const List& x, rt::Origin origin) {
    if (h.size() != x.size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("the hypothesis has {} places and the instance {}", h.size(), x.size()),
                     .origin = origin};
    for (std::size_t i = 0; i < h.size(); ++i)
        if (!takes(h[i], x[i])) return false;
    return true;
}

/// h: an instance with ? and ∅, a set of them (one must hold), or a function of the row.
Result<bool> holds(CallContext& c, const Value& h, const Value& x, const Value& row, rt::Origin origin) {
    if (h.is<FunctionPtr>()) {
        const Value arguments[] = {row};
        auto out = TRY(c.call(h, arguments));
        const auto* b = out.get<bool>();
        if (!b)
            return Fault{
                .code = "E-TYPE", .message = fmt::format("a hypothesis must return true or false, not {}", out.kind()), .origin = origin};
        return *b;
    }
    const List* cells = x.items();
    if (h.is<InstancePtr>() && cells) return conjunction_holds(*h.items(), *cells, origin);
    if (const List* terms = h.items(); terms && cells) {
        for (const auto& t : *terms) {
            if (!t.is<InstancePtr>()) break;
            auto one = conjunction_holds(*t.items(), *cells, origin);
            if (!one || *one) return one;
        }
        if (std::all_of(terms->begin(), terms->end(), [](const Value& t) { return t.is<InstancePtr>(); })) return false;
    }
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("a hypothesis is an instance such as <Sunny, ?, ∅>, a set of them or a function, not {}", h.kind()),
                 .origin = origin};
}

Result<bool> more_general(const Value& a, const Value& b, rt::Origin origin) {
    const List* general = a.is<InstancePtr>() ? a.items() : nullptr;
    const List* special = b.is<InstancePtr>() ? b.items() : nullptr;
    if (!general || !special)
        return Fault{.code = "E-TYPE", .message = "more_general compares conjunctions: instances such as <Sunny, ?, ?>", .origin = origin};
    if (general->size() != special->size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("one hypothesis has {} places, the other {}", general->size(), special->size()),
                     .origin = origin};
    const auto empty = [](const Value& v) { return v.is<EmptyMark>(); };
    if (std::any_of(special->begin(), special->end(), empty)) return true;
    for (std::size_t i = 0; i < general->size(); ++i)
        if (!(*general)[i].is<AnyMark>() && !equal((*general)[i], (*special)[i])) return false;
    return true;
}

/// Features of a row as an instance and as a record.
std::pair<Value, Value> row_values(const rt::Table& table, std::size_t row) {
    List cells;
    Record record;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
        if (table.target == k) continue;
        Value v = table.columns[k]->is_missing(row) ? Value(Value::Node(AnyMark{})) : Value::label(table.columns[k]->label(row));
        record.entries.emplace_back(table.columns[k]->name, v);
        cells.push_back(std::move(v));
    }
    return {Value::instance(std::move(cells)), Value::record(std::move(record))};
}

Result<Value> consistent(CallContext& c, const Value& h, const rt::TablePtr& table, const std::optional<rt::Label>& positive) {
    auto schema = rt::concept_schema(*table, {}, positive);
    if (!schema) {
        Fault fault = std::move(schema).fault();
        fault.origin = c.argument(1);
        return fault;
    }
    const rt::Label& wanted = (*schema->schema.target.domain)[schema->positive];
    for (std::size_t r = 0; r < table->row_count; ++r) {
        const auto [instance, record] = row_values(*table, r);
        auto held = TRY(holds(c, h, instance, record, c.argument(0)));
        const rt::Column& target = *table->columns[*table->target];
        if (!target.is_missing(r) && held != (target.label(r) == wanted)) return Value::boolean(false);
    }
    return Value::boolean(true);
}

// --- spaces -----------------------------------------------------------------------------------------------------------

Result<std::vector<rt::NamedDomain>> domains_of(const std::optional<RecordPtr>& record, rt::Origin origin) {
    std::vector<rt::NamedDomain> out;
    if (!record) return out;
    for (const auto& [column, values] : (*record)->entries) {
        rt::NamedDomain domain{column, {}, origin};
        const List* items = values.items();
        for (std::size_t i = 0; items && i < items->size(); ++i) {
            const auto label = (*items)[i].as_label();
            if (!label) {
                items = nullptr;
                break;
            }
            domain.values.push_back(*label);
        }
        if (!items || items->empty())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("domains gives the values of {} as a set of labels", column),
                         .origin = origin,
                         .hint = "as in domains: {Sky: {Sunny, Cloudy, Rainy}}"};
        out.push_back(std::move(domain));
    }
    return out;
}

Result<rt::ConceptSchema> schema_for(CallContext& c, const rt::TablePtr& table, const std::optional<RecordPtr>& domains, std::size_t at,
                                     const std::optional<rt::Label>& positive) {
    auto named = TRY(domains_of(domains, c.argument(at)));
    auto out = rt::concept_schema(*table, named, positive);
    if (out) return out;
    Fault fault = std::move(out).fault();
    if (fault.origin == rt::Origin::none) fault.origin = c.argument(0);
    return fault;
}

Result<rt::ConjunctionSettings> settings_of(CallContext& c, const std::optional<Setting>& prior, std::size_t at,
                                            const std::optional<rt::Number>& noise, std::size_t noise_at, const rt::Schema& schema,
                                            std::string kind) {
    rt::ConjunctionSettings out;
    if (noise) {
        if (noise->sign() < 0 || !(*noise < rt::Number(rt::Rational(1, 2))))
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("noise is {}: the probability of a wrong label is from 0 to below 1/2", label_text(*noise)),
                         .origin = c.argument(noise_at)};
        out.noise = *noise;
    }
    if (!prior) return out;
    if (prior->name == "specific") out.prior = rt::ConceptPrior::specific;
    if (!prior->value) return out;
    if (!prior->value->is<FunctionPtr>())
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("prior is a word or a function of the hypothesis, not {}", prior->value->kind()),
                     .origin = c.argument(at)};
    out.prior = rt::ConceptPrior::given;
    auto keep = std::make_shared<const rt::Schema>(schema);
    out.weight = [f = c.kept(*prior->value), keep, kind = std::move(kind)](const rt::Concept& h) -> Result<rt::Number> {
        Value shown = Value::text(h.name);
        if (h.name.empty() && h.terms.size() == 1 && kind != "powerset") {
            shown = value_of(h.terms[0], *keep);
        } else if (h.name.empty()) {
            List terms;
            for (const auto& t : h.terms) terms.push_back(value_of(t, *keep));
            shown = Value::set(std::move(terms));
        }
        const Value arguments[] = {shown};
        auto weight = TRY(f(arguments));
        const auto* n = weight.get<rt::Number>();
        if (!n || n->sign() < 0 || n->is_nan())
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("the prior of {} is not a number, 0 or more", rt::text_of(h, *keep))};
        return *n;
    };
    return out;
}

Value space_value(rt::ConceptSpacePtr space) { return Value(Value::Node(ModelValue{rt::make_concept_space_model(std::move(space)), {}})); }

const ParameterDoc prior_doc{"prior", "uniform", {}, {{"uniform"}, {"specific"}}, "a function of the hypothesis"};
const ParameterDoc plain_prior_doc{"prior", "uniform", {}, {{"uniform"}}, "a function of the hypothesis"};

Result<Value> conjunctions(CallContext& c, rt::TablePtr table, std::optional<RecordPtr> domains, std::optional<Setting> prior,
                           std::optional<rt::Number> noise, std::optional<rt::Label> positive) {
    auto schema = TRY(schema_for(c, table, domains, 1, positive));
    auto settings = TRY(settings_of(c, prior, 2, noise, 3, schema.schema, "conjunctions"));
    return space_value(std::make_shared<const rt::Conjunctions>(std::move(schema), std::move(settings)));
}

Result<Value> disjunctions(CallContext& c, rt::TablePtr table, Count terms, std::optional<RecordPtr> domains, std::optional<Setting> prior,
                           std::optional<rt::Number> noise, std::optional<rt::Label> positive) {
    if (terms.value < 1) return Fault{.code = "E-PARAMETER", .message = "a disjunction has one term or more", .origin = c.argument(1)};
    auto schema = TRY(schema_for(c, table, domains, 2, positive));
    auto settings = TRY(settings_of(c, prior, 3, noise, 4, schema.schema, "disjunctions"));
    auto space = TRY(rt::make_disjunctions(std::move(schema), terms.value, std::move(settings)));
    return space_value(std::move(space));
}

/// Functions of a row, by name or as a list (then h1, h2, …).
Result<Value> predicates(CallContext& c, rt::TablePtr table, Value hypotheses, std::optional<RecordPtr> domains,
                         std::optional<Setting> prior, std::optional<rt::Number> noise, std::optional<rt::Label> positive) {
    auto schema = TRY(schema_for(c, table, domains, 2, positive));
    auto settings = TRY(settings_of(c, prior, 3, noise, 4, schema.schema, "predicates"));
    std::vector<std::pair<std::string, Value>> given;
    if (const auto* record = hypotheses.get<RecordPtr>())
        given = (*record)->entries;
    else if (const List* items = hypotheses.items())
        for (const auto& f : *items) given.emplace_back(fmt::format("h{}", given.size() + 1), f);
    std::vector<rt::Predicate> out;
    auto keep = std::make_shared<const rt::Schema>(schema.schema);
    for (const auto& [name, f] : given) {
        if (!f.is<FunctionPtr>())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} is {}, and hypotheses are functions of a row", name, f.kind()),
                         .origin = c.argument(1),
                         .hint = "as in {warm: r -> r.AirTemp == Warm}"};
        out.push_back({name, [call = c.kept(f), keep, name = name](std::span<const rt::Label> x) -> Result<bool> {
                           Record row;
                           for (std::size_t i = 0; i < x.size(); ++i) row.entries.emplace_back(keep->features[i].name, Value::label(x[i]));
                           const Value arguments[] = {Value::record(std::move(row))};
                           auto said = TRY(call(arguments));
                           const auto* b = said.get<bool>();
                           if (!b)
                               return Fault{.code = "E-TYPE",
                                            .message = fmt::format("{} returns {}, not true or false", name, said.kind())};
                           return *b;
                       }});
    }
    if (out.empty())
        return Fault{.code = "E-TYPE",
                     .message = "predicates takes a record or a list of functions",
                     .origin = c.argument(1),
                     .hint = "as in {warm: r -> r.AirTemp == Warm}"};
    auto space = TRY(rt::make_predicates(std::move(schema), std::move(out), std::move(settings)));
    return space_value(std::move(space));
}

void add_space_members(Registry& r, const char* kind, const std::string& example) {
    r.add_member(kind, bind(
                           {subject,
                            "size",
                            {{"m"}},
                            std::string_view(kind) == "predicates"
                                ? "The number of hypotheses, by name. Two names for the same instances are two hypotheses."
                                : "The number of hypotheses that differ on at least one instance.",
                            example},
                           +[](CallContext&, ModelValue m) -> Result<Value> {
                               const rt::Run run;
                               const auto space = rt::space_of(*m.model);
                               auto all = TRY(space->version_space({}, run));
                               auto n = TRY(all->size());
                               return Value(rt::Number(n));
                           }));
}

}  // namespace

Value value_of(const rt::Cells& cells, const rt::Schema& schema) {
    List out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i] == rt::any_value)
            out.emplace_back(Value::Node(AnyMark{}));
        else if (cells[i] == rt::no_value)
            out.emplace_back(Value::Node(EmptyMark{}));
        else
            out.push_back(Value::label((*schema.features[i].domain)[static_cast<std::size_t>(cells[i])]));
    }
    return Value::instance(std::move(out));
}

Value value_of(const rt::Concept& h, const rt::ConceptSpace& space) {
    if (!h.name.empty()) return Value::text(h.name);
    if (h.terms.size() == 1 && space.kind() != "powerset") return value_of(h.terms[0], space.schema());
    List out;
    for (const auto& t : h.terms) out.push_back(value_of(t, space.schema()));
    return Value::set(std::move(out));
}

namespace {

void add_spaces(Registry& r) {
    const ParameterDoc positive{"positive", "yes, true, + …, or the label declared last"};
    const ParameterDoc noise{"noise", "0"};
    const ParameterDoc domains{"domains", "the values seen"};
    r.add(bind({subject,
                "conjunctions",
                {{"table"}, domains, prior_doc, noise, positive},
                "The space of conjunctive concepts over a table's columns, with a value, ? (any) or ∅ (none) for each column. prior: "
                "specific doubles the weight of a hypothesis for each column it constrains. noise is the probability of a wrong label.",
                "conjunctions(weather).syntactic == count(unique(weather.sky)) + 2"},
               conjunctions));
    r.add(bind({subject,
                "disjunctions",
                {{"table"}, {"k"}, domains, plain_prior_doc, noise, positive},
                "The space of unions of at most k conjunctions, each counted once.",
                "disjunctions(weather, 2).size >= conjunctions(weather).size"},
               disjunctions));
    r.add(bind(
        {subject,
         "powerset",
         {{"table"}, domains, positive},
         "The space of all subsets of the instances. It has no bias, so it cannot generalise: its votes on new instances are even.",
         "powerset(weather).size == 2 ^ count(unique(weather.sky))"},
        +[](CallContext& c, rt::TablePtr table, std::optional<RecordPtr> values, std::optional<rt::Label> label) -> Result<Value> {
            auto schema = TRY(schema_for(c, table, values, 1, label));
            return space_value(rt::make_powerset(std::move(schema)));
        }));
    r.add(bind({subject,
                "predicates",
                {{"table"}, {"hypotheses"}, domains, plain_prior_doc, noise, positive},
                "A space of user-defined hypotheses: a record or list of functions that map a row to true or false.",
                "predicates(weather, {all: r -> true, none: r -> false}).size == 2"},
               predicates));
    for (const char* kind : {"conjunctions", "disjunctions", "powerset", "predicates"})
        add_space_members(r, kind, "powerset(weather).size > 1");
    for (const char* kind : {"conjunctions", "disjunctions", "powerset"}) r.add_loader(kind, rt::load_concept_space);
    for (const auto method : {rt::ConceptMethod::find_s, rt::ConceptMethod::list_then_eliminate, rt::ConceptMethod::candidate_elimination,
                              rt::ConceptMethod::map_learner, rt::ConceptMethod::ml_learner, rt::ConceptMethod::bayes_optimal,
                              rt::ConceptMethod::gibbs_classifier})
        r.add_loader(std::string(rt::name_of(method)), rt::load_learned_concept);
    r.add_member("conjunctions", bind(
                                     {subject,
                                      "syntactic",
                                      {{"m"}},
                                      "The number of syntactically different conjunctions, including those with ∅.",
                                      "conjunctions(weather).syntactic == 4"},
                                     +[](CallContext&, ModelValue m) -> Result<Value> {
                                         const auto space = rt::space_of(*m.model);
                                         return Value(rt::Number(dynamic_cast<const rt::Conjunctions&>(*space).syntactic()));
                                     }));
}

void add_concept_relations(Registry& r) {
    const ParameterDoc positive{"positive", "yes, true, + …, or the label declared last"};
    r.add(bind(
        {subject,
         "satisfies",
         {{"x"}, {"h"}},
         "Whether the hypothesis holds for the instance: every entry of h is ? or equals the instance's value.",
         "satisfies(<hot>, <?>)"},
        +[](CallContext& c, Value x, Value h) -> Result<Value> {
            auto held = TRY(holds(c, h, x, x, c.argument(1)));
            return Value::boolean(held);
        }));
    r.add(bind(
        {subject,
         "more_general",
         {{"h1"}, {"h2"}},
         "Whether h1 is at least as general as h2: it holds wherever h2 does.",
         "more_general(<?>, <∅>)"},
        +[](CallContext& c, Value a, Value b) -> Result<Value> {
            auto out = TRY(more_general(a, b, c.argument(0)));
            return Value::boolean(out);
        }));
    r.add(bind(
        {subject,
         "consistent",
         {{"h"}, {"table"}, positive},
         "Whether the hypothesis gives every row of the table its label.",
         "not consistent(<∅>, weather)"},
        +[](CallContext& c, Value h, rt::TablePtr table, std::optional<rt::Label> label) -> Result<Value> {
            return consistent(c, h, table, label);
        }));
}

}  // namespace

void add_concepts(Registry& r) {
    add_spaces(r);
    add_concept_relations(r);
    add_concept_learners(r);
}

}  // namespace credence::std_
