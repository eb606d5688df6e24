// Nets: their structure, and independence by d-separation. Members that every model has.

#include <algorithm>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "lang/world/messages.hpp"
#include "runtime/nets/noisy.hpp"
#include "runtime/nets/separation.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/factors/independence.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

Result<const rt::Net*> net_of(const ModelValue& m, rt::Origin origin) {
    if (const auto* net = dynamic_cast<const rt::GraphicalModel*>(m.model.get())) return net->net().get();
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("a net is needed here, and {} is {} {}", m.name.empty() ? "this" : m.name,
                                        m.model->kind() == "hypotheses" ? "a space of" : "a", m.model->kind()),
                 .origin = origin};
}

Result<rt::VarId> node_of(const rt::Net& net, const std::string& name, rt::Origin origin) {
    if (const auto id = net.find(name)) return *id;
    std::vector<std::string> known;
    for (const auto& node : net.nodes)
        if (!node.step) known.push_back(node.variable.name);
    Fault fault = no_such_variable("net " + net.name, known, name);
    fault.origin = origin;
    return fault;
}

Result<std::vector<rt::VarId>> nodes_of(const rt::Net& net, const std::vector<std::string>& names, rt::Origin origin) {
    std::vector<rt::VarId> out;
    for (const auto& name : names) {
        auto id = TRY(node_of(net, name, origin));
        out.push_back(id);
    }
    return out;
}

Value names_of(const rt::Net& net, const std::vector<rt::VarId>& ids) {
    List out;
    for (const auto id : ids) out.push_back(Value::text(net.nodes[rt::index(id)].variable.name));
    return Value::list(std::move(out));
}

/// A member that answers with nodes round one node.
template <class F>
Result<Value> around(CallContext& c, const ModelValue& m, const VariableName& name, F f) {
    auto net = TRY(net_of(m, c.argument(0)));
    const rt::Net shown = rt::without_steps(*net);
    auto id = TRY(node_of(shown, name.text, c.argument(1)));
    return names_of(shown, f(shown, id));
}

Result<Value> table_of(CallContext& c, const ModelValue& m, const VariableName& name) {
    auto net = TRY(net_of(m, c.argument(0)));
    auto id = TRY(node_of(*net, name.text, c.argument(1)));
    const auto& node = net->nodes[rt::index(id)];
    const bool tabulated = node.variable.is_discrete() && std::visit([](const auto& table) { return !table.empty(); }, node.table);
    if (!tabulated && !node.hole)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} is drawn from a distribution and has no table", name.text),
                     .origin = c.argument(1),
                     .hint = fmt::format("ask for its distribution: P({} | …)", name.text)};
    if (node.hole)
        return Fault{.code = "E-HOLE",
                     .message = fmt::format("the table of {} is unknown (?)", name.text),
                     .origin = c.argument(1),
                     .hint = "train the net first"};
    if (std::any_of(node.parents.begin(), node.parents.end(), [&](rt::VarId parent) { return net->nodes[rt::index(parent)].step; })) {
        if (auto table = rt::noisy_table(*net, id)) return Value::factor(*std::move(table));
        return Fault{.code = "E-COST",
                     .message = fmt::format("{} is computed from its parents step by step and has no table over all of them", name.text),
                     .origin = c.argument(1),
                     .hint = fmt::format("ask for its distribution: P({} | …)", name.text)};
    }
    std::vector<rt::Variable> variables;
    for (const auto parent : node.parents) variables.push_back(net->nodes[rt::index(parent)].variable);
    variables.push_back(node.variable);
    if (node.is_exact()) return Value::factor(rt::Factor(std::move(variables), std::get<0>(node.table)));
    return Value::factor(rt::Factor(std::move(variables), std::get<1>(node.table)));
}

Result<Value> strengths_of(CallContext& c, const ModelValue& m, const VariableName& name) {
    auto net = TRY(net_of(m, c.argument(0)));
    auto id = TRY(node_of(*net, name.text, c.argument(1)));
    const auto noisy = rt::noisy_strengths(*net, id);
    if (!noisy)
        return Fault{
            .code = "E-TYPE",
            .message = fmt::format("{} has no strengths: they belong to a trained or known noisy_or of boolean parents", name.text),
            .origin = c.argument(1),
            .hint = fmt::format("ask for its distribution: P({} | …)", name.text)};
    Record out;
    out.entries.emplace_back("leak", Value(noisy->leak));
    for (std::size_t k = 0; k < noisy->causes.size(); ++k)
        out.entries.emplace_back(net->nodes[rt::index(noisy->causes[k])].variable.name, Value(noisy->strengths[k]));
    return Value::record(std::move(out));
}

/// By the numbers of any model: of a table the frequencies, of a trained model its joint.
Result<Value> independent_in_numbers(CallContext& c, const ModelValue& m, const std::vector<std::string>& x,
                                     const std::vector<std::string>& y, const std::vector<std::string>& z) {
    rt::Query query;
    std::vector<std::string> known;
    for (const auto& v : m.model->variables()) known.push_back(v.variable.name);
    std::vector<std::vector<std::size_t>> positions(3);
    std::size_t side = 0;
    for (const auto* names : {&x, &y, &z}) {
        for (const auto& name : *names) {
            const auto found = std::find(known.begin(), known.end(), name);
            if (found == known.end()) {
                Fault fault = no_such_variable(m.name.empty() ? "this model" : m.name, known, name);
                fault.origin = c.argument(side);
                return fault;
            }
            const auto id = static_cast<rt::VarId>(found - known.begin());
            auto& free = query.targets.free;
            const auto at = std::find(free.begin(), free.end(), id);
            positions[side].push_back(static_cast<std::size_t>(at - free.begin()));
            if (at == free.end()) free.push_back(id);
        }
        ++side;
    }
    auto answer = TRY(m.model->ask(query, c.run()));
    const auto* joint = std::get_if<rt::Factor>(&answer.value);
    if (joint == nullptr)
        return Fault{.code = "E-QUERY", .message = "independence needs variables with finitely many values", .origin = c.argument(0)};
    return Value::boolean(rt::independent_by_numbers(*joint, positions[0], positions[1], positions[2]));
}

}  // namespace

Result<rt::Derivation> explain_independent(CallContext& c, Arguments arguments) {
    const auto x = TRY(Take<VariableNames>::from(*arguments[0], {}));
    const auto y = TRY(Take<VariableNames>::from(*arguments[1], {}));
    VariableNames given;
    if (arguments[2]) given = TRY(Take<VariableNames>::from(*arguments[2], {}));
    std::optional<ModelValue> in;
    if (arguments[3]) in = *arguments[3]->get<ModelValue>();
    if (!in) {
        std::vector<std::string> all = x.texts;
        all.insert(all.end(), y.texts.begin(), y.texts.end());
        all.insert(all.end(), given.texts.begin(), given.texts.end());
        in = TRY(c.model_with(all));
    }
    rt::DerivationWriter out;
    const auto* graph = dynamic_cast<const rt::GraphicalModel*>(in->model.get());
    if (graph == nullptr || in->model->kind() != "net") {
        out.note(graph ? "The observed variables cut every path between them in the graph, or they do not."
                       : "The joint probabilities are compared with the products of what each side has by itself.");
        return std::move(out).take();
    }
    const rt::Net net = rt::without_steps(*graph->net());
    const auto xs = TRY(nodes_of(net, x.texts, c.argument(0)));
    const auto ys = TRY(nodes_of(net, y.texts, c.argument(1)));
    const auto zs = TRY(nodes_of(net, given.texts, c.argument(2)));
    return rt::explain_separation(net, xs, ys, zs);
}

namespace {

void add_independence(Registry& r) {
    Builtin separating = bind(
        {subject::nets,
         "independent",
         {{"x"}, {"y"}, {"given", "[]"}, {"in", "the net that has these variables"}},
         "Whether x and y are independent, given the observed variables. In a net the graph decides (d-separation); in a table or another "
         "model, the probabilities do.",
         "not independent(Rain, Wet)"},
        +[](CallContext& c, VariableNames x, VariableNames y, std::optional<VariableNames> given,
            std::optional<ModelValue> in) -> Result<Value> {
            if (!in) {
                std::vector<std::string> all = x.texts;
                all.insert(all.end(), y.texts.begin(), y.texts.end());
                if (given) all.insert(all.end(), given->texts.begin(), given->texts.end());
                in = TRY(c.model_with(all));
            }
            if (dynamic_cast<const rt::GraphicalModel*>(in->model.get()) == nullptr)
                return independent_in_numbers(c, *in, x.texts, y.texts, given ? given->texts : std::vector<std::string>{});
            auto net = TRY(net_of(*in, c.argument(3)));
            auto xs = TRY(nodes_of(*net, x.texts, c.argument(0)));
            auto ys = TRY(nodes_of(*net, y.texts, c.argument(1)));
            auto zs = TRY(nodes_of(*net, given ? given->texts : std::vector<std::string>{}, c.argument(2)));
            return Value::boolean(rt::d_separated(*net, xs, ys, zs));
        });
    separating.explain = explain_independent;
    r.add(std::move(separating));
}

namespace {

void add_variables_and_arcs(Registry& r) {
    r.add_member("model",
                 bind(
                     {subject::nets, "variables", {{"m"}}, "The names of a model's variables.", "Weather.variables == [\"Rain\", \"Wet\"]"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         List out;
                         for (const auto id : rt::listed_variables(*m.model))
                             out.push_back(Value::text(m.model->variables()[rt::index(id)].variable.name));
                         return Value::list(std::move(out));
                     }));
    r.add_member(
        "net",
        bind(
            {subject::nets, "arcs", {{"m"}}, "The arcs of a net, as lists [parent, child].", "Weather.arcs == [[\"Rain\", \"Wet\"]]"},
            +[](CallContext& c, ModelValue m) -> Result<Value> {
                auto net = TRY(net_of(m, c.argument(0)));
                const rt::Net shown = rt::without_steps(*net);
                List out;
                for (const auto& node : shown.nodes)
                    for (const auto parent : node.parents)
                        out.push_back(
                            Value::list({Value::text(shown.nodes[rt::index(parent)].variable.name), Value::text(node.variable.name)}));
                return Value::list(std::move(out));
            }));
}

void add_relatives(Registry& r) {
    r.add_member("net",
                 bind(
                     {subject::nets, "parents", {{"m"}, {"variable"}}, "The parents of a variable.", "Weather.parents(Wet) == [\"Rain\"]"},
                     +[](CallContext& c, ModelValue m, VariableName x) -> Result<Value> {
                         return around(c, m, x, [](const rt::Net& net, rt::VarId id) { return net.nodes[rt::index(id)].parents; });
                     }));
    r.add_member(
        "net", bind(
                   {subject::nets, "children", {{"m"}, {"variable"}}, "The children of a variable.", "Weather.children(Rain) == [\"Wet\"]"},
                   +[](CallContext& c, ModelValue m, VariableName x) -> Result<Value> {
                       return around(c, m, x, [](const rt::Net& net, rt::VarId id) { return net.children(id); });
                   }));
    r.add_member("net", bind(
                            {subject::nets,
                             "ancestors",
                             {{"m"}, {"variable"}},
                             "All variables from which a directed path leads to a variable.",
                             "Weather.ancestors(Wet) == [\"Rain\"]"},
                            +[](CallContext& c, ModelValue m, VariableName x) -> Result<Value> {
                                return around(c, m, x, [](const rt::Net& net, rt::VarId id) { return net.ancestors(id); });
                            }));
    r.add_member("net", bind(
                            {subject::nets,
                             "markov_blanket",
                             {{"m"}, {"variable"}},
                             "Parents, children and the children's other parents. Given these, the variable is independent of all others.",
                             "Weather.markov_blanket(Rain) == [\"Wet\"]"},
                            +[](CallContext& c, ModelValue m, VariableName x) -> Result<Value> {
                                return around(c, m, x, [](const rt::Net& net, rt::VarId id) { return net.markov_blanket(id); });
                            }));
    r.add_member("net", bind(
                            {subject::nets,
                             "cpt",
                             {{"m"}, {"variable"}},
                             "The table of a variable given its parents, as a factor.",
                             "Weather.cpt(Wet)[true, true] == 0.9"},
                            +[](CallContext& c, ModelValue m, VariableName x) -> Result<Value> { return table_of(c, m, x); }));
    r.add_member("net", bind(
                            {subject::nets,
                             "strengths",
                             {{"m"}, {"variable"}},
                             "The strengths of a noisy_or: the leak, and the probability with which each parent causes the node.",
                             "Cough.strengths(Fever) == {leak: 0, Cold: 0.4, Flu: 0.8}"},
                            +[](CallContext& c, ModelValue m, VariableName x) -> Result<Value> { return strengths_of(c, m, x); }));
}

}  // namespace

void add_structure_members(Registry& r) {
    add_variables_and_arcs(r);
    add_relatives(r);
}

}  // namespace

void add_nets(Registry& r) {
    add_independence(r);
    add_structure_members(r);
}

}  // namespace credence::std_
