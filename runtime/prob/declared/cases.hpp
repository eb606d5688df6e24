#pragma once
// What a `cases` declaration describes: devices or episodes with their function graphs or attributes. Retrieval is
// runtime/instance/casebase.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/function_graph.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct StoredCase {
    std::string label;
    std::string structure;      ///< what it is, in words
    FunctionGraphPtr function;  ///< may be null
    std::vector<std::pair<std::string, Label>> attributes;
};

struct CaseLibrary {
    std::vector<StoredCase> cases;
    /// What feedback has made of the similarity: the weight of an influence by its kinds and sign (arc_class), and of an attribute. What is
    /// not named weighs usual_weight.
    static constexpr int usual_weight = 16;
    std::map<std::string, int> arc_weights;
    std::map<std::string, int> attribute_weights;
};
using CaseLibraryPtr = std::shared_ptr<const CaseLibrary>;

/// "flow ->+ temperature"; a quantity without a kind is "any".
std::string arc_class(const FunctionGraph& graph, const FunctionGraph::Influence& arc);
/// "Q1 ->+ Q3"
std::string arc_text(const FunctionGraph& graph, const FunctionGraph::Influence& arc);

/// A library as a value of the language. It answers retrieve and compose, not P.
class CaseModel final : public Model {
public:
    explicit CaseModel(CaseLibraryPtr library) : library_(std::move(library)) {}
    const CaseLibraryPtr& library() const { return library_; }

    std::string_view kind() const override { return "cases"; }
    const Variables& variables() const override { return variables_; }
    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override;
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override;
    std::vector<MethodInfo> engines() const override { return {}; }
    std::string description() const override;
    Result<Json> save() const override;
    ModelParts parts() const override;

private:
    CaseLibraryPtr library_;
    Variables variables_;
};
Result<ModelPtr> load_cases(const Json& json);

}  // namespace credence::rt
