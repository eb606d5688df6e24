#include "runtime/prob/declared/cases.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

Fault no_probabilities(Origin origin) {
    return {.code = "E-QUERY",
            .message = "a case library has no probabilities",
            .origin = origin,
            .hint = "retrieve(Lib, goal) and compose(Lib, goal) search it"};
}

Json saved_weights(const std::map<std::string, int>& weights) {
    Json out = Json::object();
    for (const auto& [name, weight] : weights) out.set(name, weight);
    return out;
}

Json saved_graph(const FunctionGraph& g) {
    Json quantities = Json::array();
    for (const auto& q : g.quantities) quantities.push_back({{"name", q.name}, {"kind", q.kind}});
    Json arcs = Json::array();
    for (const auto& a : g.influences) arcs.push_back({a.from, a.to, a.sign});
    return {{"quantities", std::move(quantities)}, {"influences", std::move(arcs)}};
}

Result<FunctionGraphPtr> read_graph(const Json& json) {
    auto quantities = TRY(read_member(json, "quantities"));
    auto arcs = TRY(read_member(json, "influences"));
    if (!quantities->is_array() || !arcs->is_array()) return damaged("a graph is invalid");
    auto out = std::make_shared<FunctionGraph>();
    for (const auto& q : *quantities) {
        auto name = TRY(read_text(q, "name"));
        auto kind = TRY(read_text(q, "kind"));
        out->quantities.push_back({std::move(name), std::move(kind)});
    }
    for (const auto& a : *arcs) {
        if (!a.is_array() || a.size() != 3 || !a[0].is_count() || !a[1].is_count() || !a[2].is_integer())
            return damaged("an influence is invalid");
        const FunctionGraph::Influence arc{static_cast<std::size_t>(a[0].integer()), static_cast<std::size_t>(a[1].integer()),
                                           static_cast<int>(a[2].integer())};
        if (arc.from >= out->quantities.size() || arc.to >= out->quantities.size() || (arc.sign != 1 && arc.sign != -1))
            return damaged("an influence is invalid");
        out->influences.push_back(arc);
    }
    return FunctionGraphPtr(std::move(out));
}

}  // namespace

std::string arc_class(const FunctionGraph& graph, const FunctionGraph::Influence& arc) {
    const auto kind = [&](std::size_t q) { return graph.quantities[q].kind.empty() ? "any" : graph.quantities[q].kind; };
    return fmt::format("{} ->{} {}", kind(arc.from), arc.sign > 0 ? '+' : '-', kind(arc.to));
}

std::string arc_text(const FunctionGraph& graph, const FunctionGraph::Influence& arc) {
    return fmt::format("{} ->{} {}", graph.quantities[arc.from].name, arc.sign > 0 ? '+' : '-', graph.quantities[arc.to].name);
}

Result<Answer> CaseModel::ask(const Query& query, Run&) const { return no_probabilities(query.origin); }
Result<TablePtr> CaseModel::sample(std::size_t, const Clause&, Run&) const { return no_probabilities(Origin::none); }
Result<Derivation> CaseModel::explain(const Query& query, const Answer&, Run&) const { return no_probabilities(query.origin); }

/// In the order in which the cases name them.
static std::vector<std::string> attribute_names(const CaseLibrary& library) {
    std::vector<std::string> out;
    for (const auto& c : library.cases)
        for (const auto& [name, value] : c.attributes)
            if (!contains(out, name)) out.push_back(name);
    return out;
}

ModelParts CaseModel::parts() const {
    std::vector<std::string> names;
    std::vector<std::string> arcs;
    std::vector<std::string> structures;
    for (const auto& c : library_->cases) {
        names.push_back(c.label);
        structures.push_back(c.structure);
        std::vector<std::string> function;
        if (c.function)
            for (const auto& arc : c.function->influences) function.push_back(arc_text(*c.function, arc));
        arcs.push_back(joined(function, "; "));
    }
    PartTable table;
    table.names("case", names);
    if (std::any_of(arcs.begin(), arcs.end(), [](const auto& text) { return !text.empty(); })) table.names("function", arcs);
    for (const auto& name : attribute_names(*library_)) {
        std::vector<std::string> cells;
        for (const auto& c : library_->cases) {
            const auto has = [&](const auto& attribute) { return attribute.first == name; };
            const auto found = std::find_if(c.attributes.begin(), c.attributes.end(), has);
            cells.push_back(found == c.attributes.end() ? "" : found->second.text());
        }
        table.names(name, cells);
    }
    PartTable described;
    described.names("case", names).names("structure", structures);
    return {std::move(table).part("cases"), std::move(described).part("structures", true)};
}

std::string CaseModel::description() const {
    const std::size_t n = library_->cases.size();
    return counted(n, "case");
}

Result<Json> CaseModel::save() const {
    Json cases = Json::array();
    for (const auto& c : library_->cases) {
        Json one{{"label", c.label}, {"structure", c.structure}};
        if (c.function) one.set("function", saved_graph(*c.function));
        Json attributes = Json::array();
        for (const auto& [name, value] : c.attributes) attributes.push_back({name, value.text()});
        one.set("attributes", std::move(attributes));
        cases.push_back(std::move(one));
    }
    return Json{{"cases", std::move(cases)},
                {"arc_weights", saved_weights(library_->arc_weights)},
                {"attribute_weights", saved_weights(library_->attribute_weights)}};
}

Result<ModelPtr> load_cases(const Json& json) {
    auto cases = TRY(read_member(json, "cases"));
    if (!cases->is_array()) return damaged("'cases' is not a list");
    auto out = std::make_shared<CaseLibrary>();
    for (const auto& item : *cases) {
        StoredCase one;
        one.label = TRY(read_text(item, "label"));
        one.structure = TRY(read_text(item, "structure"));
        if (item.contains("function")) { one.function = TRY(read_graph(*item.find("function"))); }
        auto attributes = TRY(read_member(item, "attributes"));
        if (!attributes->is_array()) return damaged("'attributes' is not a list");
        for (const auto& a : *attributes) {
            if (!a.is_array() || a.size() != 2 || !a[0].is_string() || !a[1].is_string()) return damaged("an attribute is invalid");
            one.attributes.emplace_back(a[0].text(), Label::of_text(a[1].text()));
        }
        out->cases.push_back(std::move(one));
    }
    const auto read_weights = [&](const char* key, std::map<std::string, int>& to) {
        const Json* weights = json.find(key);
        if (!weights || !weights->is_object()) return false;
        for (std::size_t i = 0; i < weights->size(); ++i) {
            const Json& weight = (*weights)[i];
            if (!weight.is_integer() || weight.integer() < 1 || weight.integer() > std::numeric_limits<int>::max()) return false;
            to[weights->keys()[i]] = static_cast<int>(weight.integer());
        }
        return true;
    };
    if (!read_weights("arc_weights", out->arc_weights) || !read_weights("attribute_weights", out->attribute_weights))
        return damaged("a weight is invalid");
    return ModelPtr(std::make_shared<const CaseModel>(std::move(out)));
}

}  // namespace credence::rt
