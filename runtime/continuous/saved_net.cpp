// Nets with real-valued nodes in files: their nodes, and terms as nested lists ["add", ["variable", 0], ["number", "1/2"]].

#include "runtime/continuous/saved_net.hpp"

#include <algorithm>

#include "runtime/core/triangle.hpp"
#include "runtime/prob/distributions/by_cases.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

Json saved_term(const Term& term) {
    const auto at = index(term->variable);
    switch (term->op) {
        case TermOp::constant:
            return Json::array({"number", saved(term->value)});
        case TermOp::variable:
            return Json::array({"variable", at});
        case TermOp::component:
            return Json::array({"component", at, term->component});
        case TermOp::is:
            return Json::array({"is", at, term->label.text()});
        default:
            break;
    }
    Json out = Json::array({operation_of(term->op).name});
    for (const auto& part : term->parts) out.push_back(saved_term(part));
    return out;
}

class TermReader {
public:
    TermReader(std::size_t nodes, std::size_t holes) : variables_(nodes + holes) {}

    Result<Term> read(const Json& json, std::size_t depth = 0) const {
        constexpr std::size_t deepest = 1000;
        if (!json.is_array() || json.empty() || !json[0].is_string() || depth > deepest)
            return damaged("a term is not a list with its name first");
        const auto name = json[0].text();
        if (name == "number" && json.size() == 2) {
            auto number = TRY(read_number(json[1]));
            return constant_term(std::move(number));
        }
        if (name == "variable" || name == "component" || name == "is") {
            const bool whole = json.size() > 1 && json[1].is_count() && static_cast<std::size_t>(json[1].integer()) < variables_;
            if (!whole || json.size() != (name == "variable" ? 2U : 3U)) return damaged("a term names a variable that there is not");
            const auto id = static_cast<VarId>(json[1].integer());
            if (name == "variable") return variable_term(id);
            if (name == "is" && json[2].is_string()) return is_term(id, Label::of_text(json[2].text()));
            if (name == "component" && json[2].is_count()) return component_term(id, static_cast<std::size_t>(json[2].integer()));
            return damaged("a term about a variable does not use it");
        }
        const auto all = term_operations();
        const auto found = std::find_if(all.begin(), all.end(), [&](const TermOperation& o) { return o.arity > 0 && o.name == name; });
        if (found == all.end() || !has_parts(*found, json.size() - 1)) return damaged("a term is of no kind that is known");
        std::vector<Term> parts;
        for (std::size_t i = 1; i < json.size(); ++i) {
            auto part = read(json[i], depth + 1);
            if (!part) return part;
            parts.push_back(*std::move(part));
        }
        return make_term(found->op, std::move(parts));
    }

private:
    static bool has_parts(const TermOperation& operation, std::size_t count) {
        if (operation.op == TermOp::factor) return count > 0 && triangle_rows(count).has_value();
        if (operation.op == TermOp::entry) return count == 2;
        return operation.arity == any_number ? count > 0 : count == operation.arity;
    }

    std::size_t variables_;
};

Json saved_node(const ContinuousNode& node) {
    Json out{{"name", node.variable.name}};
    if (node.variable.domain) out.set("values", saved(*node.variable.domain));
    if (node.table.step && node.kind != ContinuousNode::Kind::table) out.set("step", true);
    switch (node.kind) {
        case ContinuousNode::Kind::computed:
            out.set("value", saved_term(node.value));
            return out;
        case ContinuousNode::Kind::drawn: {
            Json parameters = Json::array();
            for (const auto& term : node.parameters) parameters.push_back(saved_term(term));
            Json labels = Json::array();
            for (const auto& label : node.labels) labels.push_back(label.text());
            out.set("family", node.family->name);
            out.set("parameters", std::move(parameters));
            if (!labels.empty()) out.set("labels", std::move(labels));
            return out;
        }
        case ContinuousNode::Kind::table: {
            Json parents = Json::array();
            for (const auto parent : node.table.parents) parents.push_back(index(parent));
            out.set("parents", std::move(parents));
            out.set("hole", node.table.hole);
            out.set("known", std::vector<int>(node.table.known.begin(), node.table.known.end()));
            std::vector<Number> entries;
            const std::size_t size = std::visit([](const auto& t) { return t.size(); }, node.table.table);
            for (std::size_t i = 0; i < size; ++i) entries.push_back(node.table.entry(i));
            out.set("table", saved(std::span<const Number>(entries)));
            return out;
        }
    }
    return out;
}

Status read_table_node(const Json& json, std::size_t nodes, ContinuousNode& out) {
    out.kind = ContinuousNode::Kind::table;
    auto parents = TRY(read_member(json, "parents"));
    for (const auto& parent : *parents) {
        if (!parent.is_count() || static_cast<std::size_t>(parent.integer()) >= nodes)
            return damaged("a table has a parent that there is not");
        out.table.parents.push_back(static_cast<VarId>(parent.integer()));
    }
    auto numbers = TRY(read_numbers(json, "table"));
    out.table.hole = json.flag("hole", false);
    if (const Json* known = json.find("known"))
        for (const auto& row : *known) out.table.known.push_back(row.is_integer() && row.integer() != 0);
    if (std::all_of(numbers.begin(), numbers.end(), [](const Number& n) { return n.is_exact(); })) {
        std::vector<Rational> exact;
        for (const auto& n : numbers) exact.push_back(n.exact());
        out.table.table = std::move(exact);
    } else {
        std::vector<double> real;
        for (const auto& n : numbers) real.push_back(n.real());
        out.table.table = std::move(real);
    }
    out.table.variable = out.variable;
    return Done{};
}

Result<ContinuousNode> read_node(const Json& json, std::size_t nodes, const TermReader& terms) {
    ContinuousNode out;
    out.variable.name = TRY(read_text(json, "name"));
    if (json.contains("values")) { out.variable.domain = TRY(read_domain(*json.find("values"))); }
    out.table.step = json.contains("step");
    if (json.contains("value")) {
        out.kind = ContinuousNode::Kind::computed;
        out.value = TRY(terms.read(*json.find("value")));
        return out;
    }
    if (!json.contains("family")) {
        if (!out.variable.domain) return damaged("a table without values");
        TRY(read_table_node(json, nodes, out));
        return out;
    }
    auto family = TRY(read_text(json, "family"));
    const auto* info = find_family(family);
    auto parameters = TRY(read_member(json, "parameters"));
    if (const Json* labels = json.find("labels"))
        for (const auto& label : *labels) {
            if (!label.is_string()) return damaged("a label is not text");
            out.labels.push_back(Label::of_text(label.text()));
        }
    const bool by_cases = info == &by_cases_family;
    const bool many = info && (Family(*info) == Family::categorical || info->has_sticks() || by_cases);
    if (!info || info->has_parts() || !parameters->is_array() || parameters->empty() ||
        (!many && parameters->size() != info->parameters.size()) ||
        (Family(*info) == Family::categorical && parameters->size() != out.labels.size()))
        return damaged("a node is drawn from nothing that is known");
    out.family = *info;
    for (const auto& parameter : *parameters) {
        auto term = TRY(terms.read(parameter));
        out.parameters.push_back(std::move(term));
    }
    if (by_cases && !are_cases(out.parameters)) return damaged("the cases of a node are of no known families");
    return out;
}

}  // namespace

Json save_real_net(const ContinuousNet& net) {
    Json nodes = Json::array();
    for (const auto& node : net.nodes) nodes.push_back(saved_node(node));
    return Json{{"net", net.name},
                {"nodes", std::move(nodes)},
                {"holes", net.holes},
                {"learned", saved(std::span<const Number>(net.learned))},
                {"history", saved(std::span<const double>(net.history))}};
}

Result<ModelPtr> load_real_net(const Json& json) {
    ContinuousNet net;
    net.name = TRY(read_text(json, "net"));
    net.holes = TRY(read_count(json, "holes"));
    auto nodes = TRY(read_member(json, "nodes"));
    if (!nodes->is_array() || nodes->empty()) return damaged("a net without nodes");
    const std::size_t count = nodes->size();
    const TermReader terms(count, net.holes);
    for (const auto& one : *nodes) {
        if (!one.is_object()) return damaged("a node is not an object");
        auto node = TRY(read_node(one, count, terms));
        net.nodes.push_back(std::move(node));
    }
    net.learned = TRY(read_numbers(json, "learned"));
    net.history = TRY(read_reals(json, "history"));

    Net structure;
    for (const auto& node : net.nodes) {
        NetNode out;
        out.variable = node.variable;
        for (const auto parent : node.parents())
            if (index(parent) < count) out.parents.push_back(parent);
        std::size_t size = node.variable.domain ? node.variable.size() : 1;
        if (node.kind == ContinuousNode::Kind::table) {
            for (const auto parent : out.parents) {
                if (!net.nodes[index(parent)].variable.domain) return damaged("a table has a parent without values");
                size *= net.nodes[index(parent)].variable.size();
            }
            const std::size_t entries = std::visit([](const auto& t) { return t.size(); }, node.table.table);
            if (entries != size && !(node.table.hole && node.table.known.empty()))
                return damaged("a table is not as large as its parents make it");
        }
        structure.nodes.push_back(std::move(out));
    }
    if (!find_cycle(structure).empty()) return damaged("its arcs form a cycle");
    return ModelPtr(make_continuous_model(std::move(net)));
}

}  // namespace credence::rt
