// Concept learning: spaces of hypotheses, the learners over them, and what is asked of a version space.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/hypotheses/concept_learners.hpp"
#include "runtime/hypotheses/listed_concepts.hpp"
#include "runtime/hypotheses/space_learners.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::Fault;
using rt::Result;

constexpr const char* subject = "concepts";

// --- hypotheses as values ---------------------------------------------------------------------------------------------

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

/// A conjunction is an instance, a disjunction or a subset a set of them, a predicate its name.
Value value_of(const rt::Concept& h, const rt::ConceptSpace& space) {
    if (!h.name.empty()) return Value::text(h.name);
    if (h.terms.size() == 1 && space.kind() != "powerset") return value_of(h.terms[0], space.schema());
    List out;
    for (const auto& t : h.terms) out.push_back(value_of(t, space.schema()));
    return Value::set(std::move(out));
}

List values_of(std::span<const rt::Concept> all, const rt::ConceptSpace& space) {
    List out;
    for (const auto& h : all) out.push_back(value_of(h, space));
    return out;
}

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
        auto out = c.call(h, arguments);
        if (!out) return std::move(out).fault();
        const auto* b = out->get<bool>();
        if (!b)
            return Fault{
                .code = "E-TYPE", .message = fmt::format("a hypothesis says true or false, not {}", out->kind()), .origin = origin};
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
        auto held = holds(c, h, instance, record, c.argument(0));
        if (!held) return std::move(held).fault();
        const rt::Column& target = *table->columns[*table->target];
        if (!target.is_missing(r) && *held != (target.label(r) == wanted)) return Value::boolean(false);
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
    auto named = domains_of(domains, c.argument(at));
    if (!named) return std::move(named).fault();
    auto out = rt::concept_schema(*table, *named, positive);
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
        auto weight = f(arguments);
        if (!weight) return std::move(weight).fault();
        const auto* n = weight->get<rt::Number>();
        if (!n || n->sign() < 0 || n->is_nan())
            return Fault{.code = "E-PARAMETER", .message = fmt::format("the prior of {} is not a weight from 0 on", rt::text_of(h, *keep))};
        return *n;
    };
    return out;
}

Value space_value(rt::ConceptSpacePtr space) { return Value(Value::Node(ModelValue{rt::make_concept_space_model(std::move(space)), {}})); }

const ParameterDoc prior_doc{"prior", "uniform", {}, {{"uniform"}, {"specific"}}, "a function of the hypothesis"};
const ParameterDoc plain_prior_doc{"prior", "uniform", {}, {{"uniform"}}, "a function of the hypothesis"};

Result<Value> conjunctions(CallContext& c, rt::TablePtr table, std::optional<RecordPtr> domains, std::optional<Setting> prior,
                           std::optional<rt::Number> noise, std::optional<rt::Label> positive) {
    auto schema = schema_for(c, table, domains, 1, positive);
    if (!schema) return std::move(schema).fault();
    auto settings = settings_of(c, prior, 2, noise, 3, schema->schema, "conjunctions");
    if (!settings) return std::move(settings).fault();
    return space_value(std::make_shared<const rt::Conjunctions>(*std::move(schema), *std::move(settings)));
}

Result<Value> disjunctions(CallContext& c, rt::TablePtr table, Count terms, std::optional<RecordPtr> domains, std::optional<Setting> prior,
                           std::optional<rt::Number> noise, std::optional<rt::Label> positive) {
    if (terms.value < 1) return Fault{.code = "E-PARAMETER", .message = "a disjunction has one term or more", .origin = c.argument(1)};
    auto schema = schema_for(c, table, domains, 2, positive);
    if (!schema) return std::move(schema).fault();
    auto settings = settings_of(c, prior, 3, noise, 4, schema->schema, "disjunctions");
    if (!settings) return std::move(settings).fault();
    auto space = rt::make_disjunctions(*std::move(schema), terms.value, *std::move(settings));
    if (!space) return std::move(space).fault();
    return space_value(*std::move(space));
}

/// Functions of a row, by name or as a list (then h1, h2, …).
Result<Value> predicates(CallContext& c, rt::TablePtr table, Value hypotheses, std::optional<RecordPtr> domains,
                         std::optional<Setting> prior, std::optional<rt::Number> noise, std::optional<rt::Label> positive) {
    auto schema = schema_for(c, table, domains, 2, positive);
    if (!schema) return std::move(schema).fault();
    auto settings = settings_of(c, prior, 3, noise, 4, schema->schema, "predicates");
    if (!settings) return std::move(settings).fault();
    std::vector<std::pair<std::string, Value>> given;
    if (const auto* record = hypotheses.get<RecordPtr>())
        given = (*record)->entries;
    else if (const List* items = hypotheses.items())
        for (const auto& f : *items) given.emplace_back(fmt::format("h{}", given.size() + 1), f);
    std::vector<rt::Predicate> out;
    auto keep = std::make_shared<const rt::Schema>(schema->schema);
    for (const auto& [name, f] : given) {
        if (!f.is<FunctionPtr>())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} is {}, and hypotheses are functions of a row", name, f.kind()),
                         .origin = c.argument(1),
                         .hint = "as in {warm: r -> r.AirTemp == Warm}"};
        out.push_back({name, [call = c.kept(f), keep, name = name](const rt::Cells& x) -> Result<bool> {
                           Record row;
                           for (std::size_t i = 0; i < x.size(); ++i)
                               row.entries.emplace_back(keep->features[i].name,
                                                        Value::label((*keep->features[i].domain)[static_cast<std::size_t>(x[i])]));
                           const Value arguments[] = {Value::record(std::move(row))};
                           auto said = call(arguments);
                           if (!said) return std::move(said).fault();
                           const auto* b = said->get<bool>();
                           if (!b)
                               return Fault{.code = "E-TYPE", .message = fmt::format("{} says {}, not true or false", name, said->kind())};
                           return *b;
                       }});
    }
    if (out.empty())
        return Fault{.code = "E-TYPE",
                     .message = "predicates takes a record or a list of functions",
                     .origin = c.argument(1),
                     .hint = "as in {warm: r -> r.AirTemp == Warm}"};
    auto space = rt::make_predicates(*std::move(schema), std::move(out), *std::move(settings));
    if (!space) return std::move(space).fault();
    return space_value(*std::move(space));
}

// --- learners and members ---------------------------------------------------------------------------------------------

Fault no_concept_space(const rt::Model& model, bool bayesian, rt::Origin origin) {
    const bool declared = model.kind() == "hypotheses";
    return {.code = "E-TYPE",
            .message = bayesian ? fmt::format("space is a space of hypotheses, not a {}", model.kind())
                                : fmt::format("space is a space of concepts, not a {}", model.kind()),
            .origin = origin,
            .hint = declared   ? "a declared space is for map_learner, ml_learner, bayes_optimal and gibbs_classifier"
                    : bayesian ? "a declared hypotheses space, or conjunctions(t), disjunctions(t, 2), powerset(t), predicates(t, {…})"
                               : "conjunctions(t), disjunctions(t, 2), powerset(t) or predicates(t, {…})"};
}

template <rt::ConceptMethod method>
Result<Value> concept_learner(CallContext& c, std::optional<ModelValue> space) {
    if (!space) return learner_value(rt::make_concept_learner(method, nullptr));
    auto concepts = rt::space_of(*space->model);
    if (!concepts) return no_concept_space(*space->model, false, c.argument(0));
    return learner_value(rt::make_concept_learner(method, std::move(concepts)));
}

/// Over a space of concepts or a declared one.
template <rt::ConceptMethod method>
Result<Value> bayesian_learner(CallContext& c, std::optional<ModelValue> space) {
    if (space)
        if (auto declared = std::dynamic_pointer_cast<const rt::HypothesesModel>(space->model))
            return learner_value(rt::make_space_learner(method, std::move(declared)));
    if (space && !rt::space_of(*space->model)) return no_concept_space(*space->model, true, c.argument(0));
    return concept_learner<method>(c, std::move(space));
}

void add_space_members(Registry& r, const char* kind, const std::string& example) {
    r.add_member(kind, bind(
                           {subject, "size", {{"m"}}, "The number of hypotheses that differ in some instance.", example},
                           +[](CallContext&, ModelValue m) -> Result<Value> {
                               const rt::Run run;
                               const auto space = rt::space_of(*m.model);
                               auto all = space->version_space({}, run);
                               if (!all) return std::move(all).fault();
                               auto n = (*all)->size();
                               if (!n) return std::move(n).fault();
                               return Value(rt::Number(*n));
                           }));
}

enum class Part { specific, general, members };

template <Part part>
Result<Value> set_of(CallContext&, ModelValue m) {
    auto model = model_as<rt::ConceptModel>(m, "version space");
    if (!model) return std::move(model).fault();
    auto versions = (*model)->versions();
    if (!versions) return std::move(versions).fault();
    auto all = part == Part::specific ? (*versions)->specific() : part == Part::general ? (*versions)->general() : (*versions)->members();
    if (!all) return std::move(all).fault();
    List out = values_of(*all, *(*model)->space());
    return part == Part::members ? Value::list(std::move(out)) : Value::set(std::move(out));
}

Result<Value> size_of(CallContext&, ModelValue m) {
    auto model = model_as<rt::ConceptModel>(m, "size");
    if (!model) return std::move(model).fault();
    auto versions = (*model)->versions();
    if (!versions) return std::move(versions).fault();
    auto n = (*versions)->size();
    if (!n) return std::move(n).fault();
    return Value(rt::Number(*n));
}

/// As argmax P(space | …) gives it: the label of an explicit space, the record of a parametric one.
Value hypothesis_value(const rt::SpaceBelief& belief) {
    const auto labels = belief.posterior().labels(belief.hypothesis());
    if (!belief.space().parametric) return Value::label(labels[0]);
    Record out;
    for (std::size_t k = 0; k < labels.size(); ++k) out.entries.emplace_back(belief.space().parameters[k].name, Value::label(labels[k]));
    return Value::record(std::move(out));
}

Result<Value> hypothesis_of(CallContext&, ModelValue m) {
    if (const auto* belief = dynamic_cast<const rt::SpaceBelief*>(m.model.get())) return hypothesis_value(*belief);
    auto model = model_as<rt::ConceptModel>(m, "h");
    if (!model) return std::move(model).fault();
    auto h = (*model)->hypothesis();
    if (!h) return std::move(h).fault();
    return value_of(*h, *(*model)->space());
}

/// A factor over h. Named hypotheses are all there; of the others those that are possible.
Result<Value> posterior_of(CallContext&, ModelValue m) {
    if (const auto* belief = dynamic_cast<const rt::SpaceBelief*>(m.model.get())) return Value::factor(belief->posterior());
    auto model = model_as<rt::ConceptModel>(m, "posterior");
    if (!model) return std::move(model).fault();
    auto all = (*model)->posterior();
    if (!all) return std::move(all).fault();
    const rt::ConceptSpace& space = *(*model)->space();
    std::vector<rt::Label> labels;
    std::vector<rt::Number> shares;
    for (const auto& w : *all) {
        labels.push_back(rt::Label::of_text(rt::text_of(w.hypothesis, space.schema())));
        shares.push_back(w.probability);
    }
    if (space.kind() == "predicates") {
        const rt::Run run;
        auto versions = space.version_space({}, run);
        if (!versions) return std::move(versions).fault();
        auto every = (*versions)->members();
        if (!every) return std::move(every).fault();
        std::vector<rt::Label> names;
        std::vector<rt::Number> padded;
        for (const auto& h : *every) {
            const auto found = std::find(labels.begin(), labels.end(), rt::Label::of_text(h.name));
            names.push_back(rt::Label::of_text(h.name));
            padded.push_back(found == labels.end() ? rt::Number(0) : shares[static_cast<std::size_t>(found - labels.begin())]);
        }
        labels = std::move(names);
        shares = std::move(padded);
    }
    return Value::factor(rt::Factor::of_numbers({{"h", rt::make_domain(std::move(labels))}}, shares));
}

Result<rt::Cells> instance_for(CallContext& c, const rt::ConceptModel& model, const Value& x) {
    auto rows = rows_for(c, model.schema(), x, c.argument(1));
    if (!rows) return std::move(rows).fault();
    if (rt::Status cells = model.check_cells({.table = rows->get(), .rows = {}}); !cells) return std::move(cells).fault();
    return rt::cells_of(**rows, 0);
}

void add_learners(Registry& r) {
    using Method = rt::ConceptMethod;
    const std::vector<ParameterDoc> space{{"space", "the conjunctions over the table's columns"}};
    const std::string declared = " The space may also be a declared one: the table then has columns of its outcome and inputs.";
    r.add_learner(bind({subject, "find_s", space,
                        "A learner: the most specific hypothesis that holds for all positive examples; negative ones are not looked at.",
                        "predict(train find_s() on weather, <hot>) == \"yes\""},
                       concept_learner<Method::find_s>));
    r.add_learner(bind({subject, "list_then_eliminate", space,
                        "A learner: lists the hypotheses of the space and strikes out those that an example contradicts.",
                        "(train list_then_eliminate() on head(weather, 1)).size > 0"},
                       concept_learner<Method::list_then_eliminate>));
    r.add_learner(bind({subject, "candidate_elimination", space,
                        "A learner: the version space by its most specific (S) and most general (G) hypotheses. Predicts by vote; explain "
                        "train shows S and G "
                        "after each example.",
                        "(train candidate_elimination() on head(weather, 1)).size > 0"},
                       concept_learner<Method::candidate_elimination>));
    r.add_learner(bind({subject, "map_learner", space,
                        "A learner: the hypothesis with the largest posterior P(h | D); of equal ones the most specific." + declared,
                        "max((train map_learner(space: conjunctions(weather, noise: 0.1)) on weather).posterior) > 0"},
                       bayesian_learner<Method::map_learner>));
    r.add_learner(bind(
        {subject, "ml_learner", space, "A learner: the hypothesis with the largest likelihood P(D | h), whatever the prior." + declared,
         "max((train ml_learner(space: conjunctions(weather, noise: 0.1)) on weather).posterior) > 0"},
        bayesian_learner<Method::ml_learner>));
    r.add_learner(bind({subject, "bayes_optimal", space,
                        "A learner: all hypotheses vote, weighed by their posterior. No other does better on average." + declared,
                        "predict(train bayes_optimal(space: conjunctions(weather, noise: 0.1)) on weather, <hot>) == \"yes\""},
                       bayesian_learner<Method::bayes_optimal>));
    r.add_learner(bind({subject, "gibbs_classifier", space,
                        "A learner: draws one hypothesis from the posterior (.h) and predicts by it; on average at most twice the error of "
                        "bayes_optimal." +
                            declared,
                        "(train gibbs_classifier(space: powerset(weather)) on head(weather, 1)).h != {}"},
                       bayesian_learner<Method::gibbs_classifier>));
}

void add_members(Registry& r) {
    const std::string trained = "(train candidate_elimination() on head(weather, 1))";
    for (const char* kind : {"candidate_elimination", "list_then_eliminate"}) {
        r.add_member(kind, bind({subject, "S", {{"m"}}, "The most specific hypotheses left.", "count(" + trained + ".S) == 1"},
                                set_of<Part::specific>));
        r.add_member(kind, bind({subject, "G", {{"m"}}, "The most general hypotheses left.", "count(" + trained + ".G) == 1"},
                                set_of<Part::general>));
        r.add_member(kind, bind({subject,
                                 "members",
                                 {{"m"}},
                                 "All hypotheses left, the more specific first.",
                                 "count(" + trained + ".members) == " + trained + ".size"},
                                set_of<Part::members>));
        r.add_member(
            kind, bind({subject, "size", {{"m"}}, "How many hypotheses are left: counted, not listed.", trained + ".size > 0"}, size_of));
    }
    const std::string found = "(train map_learner(space: conjunctions(weather, noise: 0.1)) on weather)";
    for (const char* kind : {"find_s", "map_learner", "ml_learner", "bayes_optimal", "gibbs_classifier"}) {
        r.add_member(kind, bind({subject,
                                 "h",
                                 {{"m"}},
                                 "The hypothesis found: the one that predicts, or the most probable.",
                                 "satisfies(<cold>, " + found + ".h)"},
                                hypothesis_of));
        if (std::string_view(kind) != "find_s")
            r.add_member(
                kind,
                bind({subject, "posterior", {{"m"}}, "P(h | D) of the hypotheses that are possible.", "sum(" + found + ".posterior) == 1"},
                     posterior_of));
    }
}

}  // namespace

void add_concepts(Registry& r) {
    using V = Value;
    const ParameterDoc domains{"domains", "the values seen"};
    const ParameterDoc noise{"noise", "0"};
    const ParameterDoc positive{"positive", "yes, true, + … or the last declared"};
    r.add(bind({subject,
                "conjunctions",
                {{"table"}, domains, prior_doc, noise, positive},
                "The space of conjunctive concepts over a table's columns: a value, ? (any) or ∅ (none) for each. prior: specific doubles "
                "the weight of a "
                "hypothesis for each column it constrains; noise is the probability of a wrong label.",
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
         "The space of all subsets of the instances: without a bias, and so unable to generalise. Its votes on new instances are even.",
         "powerset(weather).size == 2 ^ count(unique(weather.sky))"},
        +[](CallContext& c, rt::TablePtr table, std::optional<RecordPtr> values, std::optional<rt::Label> label) -> Result<V> {
            auto schema = schema_for(c, table, values, 1, label);
            if (!schema) return std::move(schema).fault();
            return space_value(rt::make_powerset(*std::move(schema)));
        }));
    r.add(bind({subject,
                "predicates",
                {{"table"}, {"hypotheses"}, domains, plain_prior_doc, noise, positive},
                "A space of the script's own hypotheses: a record (or list) of functions of a row that say true or false.",
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
                                      "The number of conjunctions as they are written, ∅ included.",
                                      "conjunctions(weather).syntactic == 4"},
                                     +[](CallContext&, ModelValue m) -> Result<V> {
                                         const auto space = rt::space_of(*m.model);
                                         return V(rt::Number(dynamic_cast<const rt::Conjunctions&>(*space).syntactic()));
                                     }));
    r.add(bind(
        {subject,
         "satisfies",
         {{"x"}, {"h"}},
         "Whether the hypothesis holds for the instance: every place of h is ? or equal.",
         "satisfies(<hot>, <?>)"},
        +[](CallContext& c, Value x, Value h) -> Result<V> {
            auto held = holds(c, h, x, x, c.argument(1));
            if (!held) return std::move(held).fault();
            return V::boolean(*held);
        }));
    r.add(bind(
        {subject,
         "more_general",
         {{"h1"}, {"h2"}},
         "Whether h1 is more general than h2 or equal: it holds wherever h2 does.",
         "more_general(<?>, <∅>)"},
        +[](CallContext& c, Value a, Value b) -> Result<V> {
            auto out = more_general(a, b, c.argument(0));
            if (!out) return std::move(out).fault();
            return V::boolean(*out);
        }));
    r.add(bind(
        {subject,
         "consistent",
         {{"h"}, {"table"}, positive},
         "Whether the hypothesis gives every row of the table its label.",
         "not consistent(<∅>, weather)"},
        +[](CallContext& c, Value h, rt::TablePtr table, std::optional<rt::Label> label) -> Result<V> {
            return consistent(c, h, table, label);
        }));
    r.add(bind(
        {subject,
         "best_query",
         {{"model"}},
         "The instance whose label would halve the version space, or come nearest to that: the best to ask about next.",
         "count(best_query(train candidate_elimination(space: powerset(weather)) on head(weather, 1))) == 1"},
        +[](CallContext& c, ModelValue m) -> Result<V> {
            auto model = model_as<rt::ConceptModel>(m, "version space");
            if (!model) return std::move(model).fault();
            auto question = (*model)->best_question(c.run());
            if (!question) return std::move(question).fault();
            return value_of(question->instance, (*model)->schema());
        }));
    r.add(bind(
        {subject,
         "unanimous",
         {{"model"}, {"x"}},
         "Whether all hypotheses left say the same of the instance, as S and G alone decide it.",
         "unanimous(train candidate_elimination() on head(weather, 1), head(weather, 1)[1])"},
        +[](CallContext& c, ModelValue m, Value x) -> Result<V> {
            auto model = model_as<rt::ConceptModel>(m, "version space");
            if (!model) return std::move(model).fault();
            auto cells = instance_for(c, **model, x);
            if (!cells) return std::move(cells).fault();
            auto versions = (*model)->versions();
            if (!versions) return std::move(versions).fault();
            auto sure = rt::unanimous(**versions, *(*model)->space(), *cells);
            if (!sure) return std::move(sure).fault();
            return V::boolean(*sure != 0);
        }));
    add_learners(r);
    add_members(r);
}

}  // namespace credence::std_
