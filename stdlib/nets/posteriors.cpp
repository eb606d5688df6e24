// Models given evidence: their summary and their draws.

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "lang/value/layout.hpp"
#include "lang/world/messages.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/queries/best_assignments.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "runtime/prob/queries/numeric_model.hpp"
#include "stdlib/sequences/data_probability.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::Result;
using V = Value;

Result<V> table_value(Result<rt::TablePtr> table) {
    if (!table) return std::move(table).fault();
    return V(V::Node(*std::move(table)));
}

/// Whether its variables have distributions of their own, before any row is given.
bool answers_for_variables(const rt::Model& model) {
    constexpr std::array<std::string_view, 5> kinds = {"net", "markov", "hypotheses", "posterior", "table"};
    return std::find(kinds.begin(), kinds.end(), model.kind()) != kinds.end();
}

V parts_record(const rt::Model& model) {
    Record out;
    for (const auto& part : model.parts()) out.entries.emplace_back(part.name, part_value(part));
    return V::record(std::move(out));
}

Result<std::vector<rt::VarId>> variables_of(const rt::Model& model, const std::optional<VariableNames>& names, rt::Origin origin) {
    if (!names) return rt::open_variables(model);
    std::vector<std::string> known;
    for (const auto& v : model.variables()) known.push_back(v.variable.name);
    std::vector<rt::VarId> out;
    for (const auto& name : names->texts) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            Fault fault = no_such_variable("this model", known, name);
            fault.origin = origin;
            return fault;
        }
        out.push_back(static_cast<rt::VarId>(found - known.begin()));
    }
    return out;
}

/// The engine that answers for the numbers of a posterior, and its figures; those of single numbers are in the summary.
Result<V> figures_of_engine(CallContext& c, const ModelValue& m) {
    const auto open = rt::open_variables(*m.model);
    const auto is_number = [&](rt::VarId id) { return !m.model->variables()[rt::index(id)].variable.is_discrete(); };
    const auto first = std::find_if(open.begin(), open.end(), is_number);
    if (first == open.end() && open.empty())
        return Fault{.code = "E-TYPE", .message = "nothing of this posterior is open", .origin = c.argument(0)};
    rt::Query query;
    query.targets.free = {first == open.end() ? open.front() : *first};
    query.origin = c.argument(0);
    c.run().rng = c.rng().child("query");
    const auto answer = TRY(m.model->ask(query, c.run()));
    Record out;
    out.entries.emplace_back("engine", V::label(rt::Label::of_text(answer.engine)));
    for (const auto& [name, value] : answer.counts)
        if (name != "r_hat" && name != "ess_bulk" && name != "ess_tail") out.entries.emplace_back(name, V(V::Node(value)));
    return V::record(std::move(out));
}

/// Records of an assignment and its probability, the most probable first.
Result<V> most_probable(CallContext& c, const ModelValue& m, const Count& k, const std::optional<VariableNames>& over) {
    const auto variables = TRY(variables_of(*m.model, over, c.argument(2)));
    for (const auto id : variables) {
        const auto& v = m.model->variables()[rt::index(id)].variable;
        if (!v.is_discrete())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} is a number, and has no most probable values to list", v.name),
                         .origin = c.argument(over ? 2 : 0),
                         .hint = "name the variables with labels: over: [A, B]"};
    }
    const auto found = TRY(rt::best_assignments(*m.model, variables, k.value, c.argument(0), c.run()));
    List out;
    for (const auto& assignment : found.assignments) {
        Record values;
        for (const auto& [variable, label] : assignment.values) values.entries.emplace_back(variable.name, V::label(label));
        Record entry;
        entry.entries.emplace_back("assignment", V::record(std::move(values)));
        entry.entries.emplace_back("probability", V(V::Node(assignment.probability)));
        out.push_back(V::record(std::move(entry)));
    }
    return V::list(std::move(out));
}

void add_summaries(Registry& r) {
    // Before the form for models: a table can stand for one, and its shares are not what is asked for here.
    r.add(bind(
        {subject::nets,
         "summary",
         {{"t"}},
         "Of a table the same as describe(t): one row for each column with its kind, counts, moments, extremes, quartiles and most "
         "frequent value.",
         "summary(to_table([{x: 1}, {x: 3}])).mean == [2]"},
        +[](CallContext&, rt::TablePtr t) -> Result<Value> { return table_value(rt::describe(*t)); }));
    r.add(bind(
        {subject::nets,
         "summary",
         {{"m"}},
         "All that a model has to tell. Of a trained model a record: the table of its weights with standard errors and tests, its tables "
         "by "
         "class, its components, and how well it fits. Of a net, a hypothesis space or a posterior a table with a row for each variable "
         "that "
         "is open: its most probable value, or the mean, standard deviation, 5 % quantile, median and 95 % quantile of a number. Numbers "
         "that were sampled also have R-hat (r_hat) and the effective numbers of draws for the middle (ess_bulk) and the tails (ess_tail).",
         "summary(P(* | Wet = true) in Weather).variable == [\"Rain\"]"},
        +[](CallContext& c, ModelValue m) -> Result<Value> {
            if (!answers_for_variables(*m.model)) return parts_record(*m.model);
            c.run().rng = c.rng().child("query");
            return table_value(rt::summarize(*m.model, rt::open_variables(*m.model), c.run()));
        }));
    r.add(bind(
        {subject::nets,
         "most_probable",
         {{"m"}, {"k"}, {"over", "all that are open"}},
         "The k most probable joint assignments of a model's variables: records `.assignment .probability`, the most probable first. "
         "For a model given evidence write P(* | …) in its place. Variables that `over` leaves out are summed out.",
         "most_probable(Weather, 2)[1].assignment == (argmax P(*) in Weather)"},
        +[](CallContext& c, ModelValue m, Count k, std::optional<VariableNames> over) -> Result<Value> {
            return most_probable(c, m, k, over);
        }));
}

void add_posterior_members(Registry& r) {
    r.add_member("posterior", bind(
                                  {subject::nets,
                                   "draws",
                                   {{"m"}, {"n", "4000"}},
                                   "A table of draws from a posterior: the draws that sampled answers are computed from.",
                                   "rows((P(* | Wet = true) in Weather).draws(100)) == 100"},
                                  +[](CallContext& c, ModelValue m, std::optional<Count> n) -> Result<Value> {
                                      c.run().rng = c.rng().child("query");
                                      return table_value(m.model->sample(n ? n->value : 4000, {}, c.run()));
                                  }));
    r.add_member("posterior",
                 bind(
                     {subject::nets,
                      "diagnostics",
                      {{"m"}},
                      "The engine that answers for a posterior, and the figures of its run. Of the sampler NUTS: draws, chains, "
                      "divergences, the trajectories that were cut off (max_treedepth), and the least energy Bayesian fraction "
                      "of missing information of a chain (e_bfmi). R-hat and the effective numbers of draws are in summary(m).",
                      "weighed.diagnostics.engine != \"nuts\""},
                     +[](CallContext& c, ModelValue m) -> Result<Value> { return figures_of_engine(c, m); }));
    r.add_member("posterior", bind(
                                  {subject::nets,
                                   "log_evidence",
                                   {{"m"}},
                                   "The natural logarithm of the probability, or density, of the evidence of a posterior. It is exact where an "
                                   "exact engine can integrate, and otherwise estimated by bridge sampling. Compare it between models of "
                                   "the same data.",
                                   "abs(weighed.log_evidence + 9.18396) < 0.0001"},
                                  +[](CallContext& c, ModelValue m) -> Result<Value> {
                                      const double log = TRY(log_evidence_of(c, m, 0));
                                      return Value(rt::Number::real(log));
                                  }));
}

}  // namespace

void add_posteriors(Registry& r) {
    add_summaries(r);
    add_posterior_members(r);
    r.add(bind(
        {subject::nets,
         "replicate",
         {{"posterior"}, {"n", "1000"}},
         "Data as they could have been: for each of n draws of what the evidence leaves open, the observed variables drawn again. A table "
         "with "
         "a column for each observation. Where it does not look like the data, the model misses something: compare a statistic of the rows "
         "with that of the data.",
         "rows(replicate(weighed, 50)) == 50"},
        +[](CallContext& c, ModelValue m, std::optional<Count> n) -> Result<Value> {
            if (!m.model->numeric())
                return rt::Fault{.code = "E-TYPE",
                                 .message = fmt::format("replicate takes a posterior of a net with numbers, not a {}", m.model->kind()),
                                 .origin = c.argument(0),
                                 .hint = "let post = P(* | y = […]) in Net"};
            c.run().rng = c.rng().child("query");
            auto table = m.model->numeric()->replicate(std::max<std::size_t>(1, n ? n->value : 1000), {}, c.run());
            if (!table) {
                rt::Fault fault = std::move(table).fault();
                if (fault.origin == rt::Origin::none && fault.code != "E-STOP") fault.origin = c.argument(0);
                return fault;
            }
            return Value(Value::Node(*std::move(table)));
        }));
}

}  // namespace credence::std_
