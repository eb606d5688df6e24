// Learners over spaces of hypotheses, and what is asked of a version space.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/hypotheses/concept_learners.hpp"
#include "runtime/hypotheses/space_learners.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "stdlib/concepts/concepts.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* learner_subject = "concepts";

List values_of(std::span<const rt::Concept> all, const rt::ConceptSpace& space) {
    List out;
    for (const auto& h : all) out.push_back(value_of(h, space));
    return out;
}

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

enum class Part { specific, general, members };

template <Part part>
Result<Value> set_of(CallContext&, ModelValue m) {
    auto model = TRY(model_as<rt::ConceptModel>(m, "version space"));
    auto versions = TRY(model->versions());
    auto all = TRY(part == Part::specific ? versions->specific() : part == Part::general ? versions->general() : versions->members());
    List out = values_of(all, *model->space());
    return part == Part::members ? Value::list(std::move(out)) : Value::set(std::move(out));
}

Result<Value> size_of(CallContext&, ModelValue m) {
    auto model = TRY(model_as<rt::ConceptModel>(m, "size"));
    auto versions = TRY(model->versions());
    auto n = TRY(versions->size());
    return Value(rt::Number(n));
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
    auto model = TRY(model_as<rt::ConceptModel>(m, "h"));
    auto h = TRY(model->hypothesis());
    return value_of(h, *model->space());
}

/// A factor over h. Named hypotheses are all there; of the others those that are possible.
Result<Value> posterior_of(CallContext&, ModelValue m) {
    if (const auto* belief = dynamic_cast<const rt::SpaceBelief*>(m.model.get())) return Value::factor(belief->posterior());
    auto model = TRY(model_as<rt::ConceptModel>(m, "posterior"));
    auto all = TRY(model->posterior());
    const rt::ConceptSpace& space = *model->space();
    std::vector<rt::Label> labels;
    std::vector<rt::Number> shares;
    for (const auto& w : all) {
        labels.push_back(rt::Label::of_text(rt::text_of(w.hypothesis, space.schema())));
        shares.push_back(w.probability);
    }
    if (space.kind() == "predicates") {
        const rt::Run run;
        auto versions = TRY(space.version_space({}, run));
        auto every = TRY(versions->members());
        std::vector<rt::Label> names;
        std::vector<rt::Number> padded;
        for (const auto& h : every) {
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
    auto rows = TRY(rows_for(c, model.schema(), x, c.argument(1)));
    TRY(model.check_cells({.table = rows.get(), .rows = {}}));
    return rt::cells_of(*rows, 0);
}

void add_learners(Registry& r) {
    using Method = rt::ConceptMethod;
    const std::vector<ParameterDoc> space{{"space", "the conjunctions over the table's columns"}};
    const std::string declared = " The space may also be a declared one; the table then has columns for its outcome and inputs.";
    r.add_learner(bind({learner_subject, "find_s", space,
                        "A learner: the most specific hypothesis that covers all positive examples. Negative examples are ignored.",
                        "predict(train find_s() on weather, <hot>) == \"yes\""},
                       concept_learner<Method::find_s>));
    r.add_learner(bind({learner_subject, "list_then_eliminate", space,
                        "A learner: lists the hypotheses of the space and removes those that an example contradicts.",
                        "(train list_then_eliminate() on head(weather, 1)).size > 0"},
                       concept_learner<Method::list_then_eliminate>));
    r.add_learner(bind({learner_subject, "candidate_elimination", space,
                        "A learner: keeps the version space as its most specific (S) and most general (G) hypotheses, and predicts by "
                        "vote. explain train shows S and G after each example.",
                        "(train candidate_elimination() on head(weather, 1)).size > 0"},
                       concept_learner<Method::candidate_elimination>));
    r.add_learner(bind({learner_subject, "map_learner", space,
                        "A learner: the hypothesis with the largest posterior P(h | D); in a tie, the most specific one." + declared,
                        "max((train map_learner(space: conjunctions(weather, noise: 0.1)) on weather).posterior) > 0"},
                       bayesian_learner<Method::map_learner>));
    r.add_learner(bind({learner_subject, "ml_learner", space,
                        "A learner: the hypothesis with the largest likelihood P(D | h), regardless of the prior." + declared,
                        "max((train ml_learner(space: conjunctions(weather, noise: 0.1)) on weather).posterior) > 0"},
                       bayesian_learner<Method::ml_learner>));
    r.add_learner(bind({learner_subject, "bayes_optimal", space,
                        "A learner: all hypotheses vote, weighted by their posterior. No other learner does better on average." + declared,
                        "predict(train bayes_optimal(space: conjunctions(weather, noise: 0.1)) on weather, <hot>) == \"yes\""},
                       bayesian_learner<Method::bayes_optimal>));
    r.add_learner(bind({learner_subject, "gibbs_classifier", space,
                        "A learner: draws one hypothesis (.h) from the posterior and predicts with it. Its error is on average at most "
                        "twice that of bayes_optimal." +
                            declared,
                        "(train gibbs_classifier(space: powerset(weather)) on head(weather, 1)).h != {}"},
                       bayesian_learner<Method::gibbs_classifier>));
}

void add_members(Registry& r) {
    const std::string trained = "(train candidate_elimination() on head(weather, 1))";
    for (const char* kind : {"candidate_elimination", "list_then_eliminate"}) {
        r.add_member(kind, bind({learner_subject, "S", {{"m"}}, "The most specific remaining hypotheses.", "count(" + trained + ".S) == 1"},
                                set_of<Part::specific>));
        r.add_member(kind, bind({learner_subject, "G", {{"m"}}, "The most general remaining hypotheses.", "count(" + trained + ".G) == 1"},
                                set_of<Part::general>));
        r.add_member(kind, bind({learner_subject,
                                 "members",
                                 {{"m"}},
                                 "All remaining hypotheses, the more specific first.",
                                 "count(" + trained + ".members) == " + trained + ".size"},
                                set_of<Part::members>));
        r.add_member(kind, bind({learner_subject,
                                 "size",
                                 {{"m"}},
                                 "The number of remaining hypotheses. They are counted without being listed.",
                                 trained + ".size > 0"},
                                size_of));
    }
    const std::string found = "(train map_learner(space: conjunctions(weather, noise: 0.1)) on weather)";
    for (const char* kind : {"find_s", "map_learner", "ml_learner", "bayes_optimal", "gibbs_classifier"}) {
        r.add_member(kind, bind({learner_subject,
                                 "h",
                                 {{"m"}},
                                 "The hypothesis that was found: the one that predicts, or the most probable.",
                                 "satisfies(<cold>, " + found + ".h)"},
                                hypothesis_of));
        if (std::string_view(kind) != "find_s")
            r.add_member(kind, bind({learner_subject,
                                     "posterior",
                                     {{"m"}},
                                     "P(h | D) of the hypotheses that are still possible.",
                                     "sum(" + found + ".posterior) == 1"},
                                    posterior_of));
    }
}

Result<rt::Derivation> explain_best_query(CallContext& c, Arguments arguments) {
    const auto* model = TRY(model_as<rt::ConceptModel>(*arguments[0]->get<ModelValue>(), "version space"));
    const auto question = TRY(model->best_question(c.run()));
    rt::DerivationWriter out;
    const std::string x = rt::text_of(question.instance, model->schema());
    out.formula("the label of the best instance leaves as close to half of the remaining hypotheses as possible, whatever it is");
    out.note(fmt::format("{} of {} remaining hypotheses hold for {}, the others do not:", rt::label_text(rt::Number(question.holding)),
                         rt::label_text(rt::Number(question.of)), x));
    out.begin(rt::quotient(rt::Number(question.holding), rt::Number(question.of)));
    out.result(rt::Number(question.holding / question.of));
    return std::move(out).take();
}

Result<rt::Derivation> explain_unanimous(CallContext& c, Arguments arguments) {
    const auto* model = TRY(model_as<rt::ConceptModel>(*arguments[0]->get<ModelValue>(), "version space"));
    const auto cells = TRY(instance_for(c, *model, *arguments[1]));
    const auto versions = TRY(model->versions());
    const auto& space = *model->space();
    rt::DerivationWriter out;
    const std::string x = rt::text_of(cells, model->schema());
    for (const bool specific : {true, false}) {
        const auto members = TRY(specific ? versions->specific() : versions->general());
        for (const auto& h : members) {
            const bool held = TRY(space.holds(h, cells));
            out.note(fmt::format("{} of {} {} for {}", rt::text_of(h, model->schema()), specific ? "S" : "G",
                                 held ? "holds" : "does not hold", x));
        }
    }
    const int sure = TRY(rt::unanimous(*versions, space, cells));
    out.note(sure > 0   ? "Every member of S holds, and whatever remains is at least as general: all agree."
             : sure < 0 ? "No member of G holds, and whatever remains is at most as general: all agree."
                        : "Some member of G holds and some member of S does not: the remaining hypotheses differ.");
    return std::move(out).take();
}

void add_questions(Registry& r) {
    Builtin asking = bind(
        {learner_subject,
         "best_query",
         {{"model"}},
         "The best instance to ask about next: its label would come closest to halving the version space.",
         "count(best_query(train candidate_elimination(space: powerset(weather)) on head(weather, 1))) == 1"},
        +[](CallContext& c, ModelValue m) -> Result<Value> {
            auto model = TRY(model_as<rt::ConceptModel>(m, "version space"));
            auto question = TRY(model->best_question(c.run()));
            return value_of(question.instance, model->schema());
        });
    asking.explain = explain_best_query;
    r.add(std::move(asking));
    Builtin agreeing = bind(
        {learner_subject,
         "unanimous",
         {{"model"}, {"x"}},
         "Whether all remaining hypotheses agree on the instance. S and G are enough to decide it.",
         "unanimous(train candidate_elimination() on head(weather, 1), head(weather, 1)[1])"},
        +[](CallContext& c, ModelValue m, Value x) -> Result<Value> {
            auto model = TRY(model_as<rt::ConceptModel>(m, "version space"));
            auto cells = TRY(instance_for(c, *model, x));
            auto versions = TRY(model->versions());
            auto sure = TRY(rt::unanimous(*versions, *model->space(), cells));
            return Value::boolean(sure != 0);
        });
    agreeing.explain = explain_unanimous;
    r.add(std::move(agreeing));
}

}  // namespace

void add_concept_learners(Registry& r) {
    add_learners(r);
    add_members(r);
    add_questions(r);
}

}  // namespace credence::std_
