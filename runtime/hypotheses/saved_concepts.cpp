// Spaces of concepts and what was learned in them as JSON, and back. A learned concept keeps its examples: loading learns from them again.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/hypotheses/concept_learning.hpp"
#include "runtime/hypotheses/listed_concepts.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

constexpr std::array methods = {ConceptMethod::find_s,          ConceptMethod::list_then_eliminate, ConceptMethod::candidate_elimination,
                                ConceptMethod::map_learner,     ConceptMethod::ml_learner,          ConceptMethod::bayes_optimal,
                                ConceptMethod::gibbs_classifier};

Result<Cells> read_cells(const Json& value, const Schema& schema, std::int32_t least) {
    if (!value.is_array() || value.size() != schema.features.size()) return damaged("an instance does not have one value for each column");
    Cells out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const auto most = static_cast<std::int64_t>(schema.features[i].domain->size());
        if (!value[i].is_integer() || value[i].integer() < least || value[i].integer() >= most)
            return damaged("an instance has an unknown value");
        out.push_back(static_cast<std::int32_t>(value[i].integer()));
    }
    return out;
}

Result<ConceptExample> read_example(const Json& item, const Schema& schema) {
    auto cells = TRY(read_member(item, "cells"));
    auto read = TRY(read_cells(*cells, schema, 0));
    auto positive = TRY(read_member(item, "positive"));
    auto weight = TRY(read_real(item, "weight"));
    auto row = TRY(read_count(item, "row"));
    if (!positive->is_boolean() || !(weight > 0)) return damaged("an example has no label or no weight");
    return ConceptExample{std::move(read), positive->boolean(), weight, row};
}

}  // namespace

Result<Json> saved_space(const ConceptSpace& space, const ConjunctionSettings& settings) {
    if (settings.prior == ConceptPrior::given)
        return Fault{.code = "E-FILE",
                     .message = "a prior that is a function of the script cannot be saved",
                     .hint = "the priors uniform and specific can"};
    return Json{{"space", std::string(space.kind())},
                {"schema", saved(space.schema())},
                {"positive", space.positive()},
                {"specific", settings.prior == ConceptPrior::specific},
                {"noise", saved(settings.noise)}};
}

Result<Json> Conjunctions::save() const { return saved_space(*this, settings_); }

Result<ConceptSpacePtr> read_concept_space(const Json& json) {
    auto kind = TRY(read_text(json, "space"));
    auto schema = TRY(read_schema(json, "schema"));
    auto positive = TRY(read_count(json, "positive"));
    auto specific = TRY(read_member(json, "specific"));
    auto member = TRY(read_member(json, "noise"));
    auto noise = TRY(read_number(*member));
    for (const auto& field : schema.features)
        if (field.kind != ColumnKind::label || !field.domain) return damaged("a column is not a label");
    if (schema.target.kind != ColumnKind::label || !schema.target.domain || schema.target.domain->size() != 2 || positive > 1)
        return damaged("a concept has two labels");
    if (!specific->is_boolean() || noise.sign() < 0 || !(noise < Number(Rational(1, 2)))) return damaged("prior or noise is invalid");
    ConjunctionSettings settings;
    settings.noise = noise;
    if (specific->boolean()) settings.prior = ConceptPrior::specific;
    ConceptSchema concepts{std::move(schema), positive};
    if (kind == "powerset") return make_powerset(std::move(concepts));
    if (kind == "conjunctions") return ConceptSpacePtr(std::make_shared<const Conjunctions>(std::move(concepts), std::move(settings)));
    if (kind != "disjunctions") return damaged(fmt::format("'{}' is not a space of concepts", kind));
    auto terms = TRY(read_count(json, "terms"));
    if (terms == 0) return damaged("a disjunction has no terms");
    return make_disjunctions(std::move(concepts), terms, std::move(settings));
}

Result<Json> saved(const Learned& learned) {
    auto space = learned.space->save();
    if (!space) return space;
    Json examples = Json::array();
    for (const auto& e : learned.examples)
        examples.push_back({{"cells", e.cells}, {"positive", e.positive}, {"weight", e.weight}, {"row", e.row}});
    Json out{{"method", std::string(name_of(learned.method))}, {"in", *std::move(space)}, {"examples", std::move(examples)}};
    if (learned.method == ConceptMethod::gibbs_classifier && learned.hypothesis) out.set("drawn", learned.hypothesis->terms);
    return out;
}

Result<ModelPtr> load_learned_concept(const Json& json) {
    auto name = TRY(read_text(json, "method"));
    const auto method = std::find_if(methods.begin(), methods.end(), [&](ConceptMethod m) { return name_of(m) == name; });
    if (method == methods.end()) return damaged(fmt::format("'{}' learns no concepts", name));
    auto in = TRY(read_member(json, "in"));
    auto space = TRY(read_concept_space(*in));
    auto list = TRY(read_member(json, "examples"));
    if (!list->is_array()) return damaged("'examples' is not a list");
    std::vector<ConceptExample> examples;
    for (const auto& item : *list) {
        auto example = TRY(read_example(item, space->schema()));
        examples.push_back(std::move(example));
    }
    std::optional<Concept> drawn;
    if (*method == ConceptMethod::gibbs_classifier) {
        auto terms = TRY(read_member(json, "drawn"));
        if (!terms->is_array()) return damaged("'drawn' is not a hypothesis");
        drawn.emplace();
        for (const auto& item : *terms) {
            auto cells = TRY(read_cells(item, space->schema(), no_value));
            drawn->terms.push_back(std::move(cells));
        }
    }
    Run run;
    return learn_concept(*method, std::move(space), std::move(examples), run, std::move(drawn));
}

Result<ModelPtr> load_concept_space(const Json& json) {
    auto space = TRY(read_concept_space(json));
    return make_concept_space_model(std::move(space));
}

}  // namespace credence::rt
