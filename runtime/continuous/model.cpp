// A net with real-valued nodes as a model.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/continuous/ask.hpp"

namespace credence::rt {

namespace {

class RealNetModel final : public ContinuousModel {
public:
    explicit RealNetModel(ContinuousNet net) : declared_(std::move(net)), expanded_(continuous::expand(declared_)) {
        // Its structure alone: for .parents, .arcs, draw and d-separation.
        auto structure = std::make_shared<Net>();
        structure->name = expanded_.net.name;
        for (std::size_t i = 0; i < expanded_.declared; ++i) {
            const auto& node = expanded_.net.nodes[i];
            NetNode out = node.kind == ContinuousNode::Kind::table ? node.table : NetNode{};
            out.variable = node.variable;
            out.origin = node.origin;
            out.parents.clear();
            for (const auto parent : expanded_.parents[i]) {
                const auto declared = index(parent) < expanded_.declared ? parent : owner(parent);
                if (index(declared) != i && std::find(out.parents.begin(), out.parents.end(), declared) == out.parents.end())
                    out.parents.push_back(declared);
            }
            structure->nodes.push_back(std::move(out));
        }
        structure_ = std::move(structure);
    }

    std::string_view kind() const override { return "net"; }
    const Variables& variables() const override { return expanded_.variables; }
    const NetPtr& net() const override { return structure_; }
    Result<Answer> ask(const Query& query, Run& run) const override { return continuous::ask(expanded_, query, run); }
    Result<Answer> expectation(const Term& term, const Query& query, Run& run) const override {
        return continuous::ask_expectation(expanded_, term, query, run);
    }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        return continuous::draw_table(expanded_, n, given, run);
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        return continuous::explain(expanded_, query, answer, run);
    }
    std::vector<std::string_view> engines() const override { return continuous::engine_names(); }
    std::string description() const override {
        std::size_t numbers = 0;
        for (std::size_t i = 0; i < expanded_.declared; ++i)
            if (!expanded_.net.nodes[i].variable.is_discrete()) ++numbers;
        return fmt::format("{} variables, {} of them numbers", expanded_.declared, numbers);
    }
    Result<LearnerPtr> trainer(const TrainingMethod& by) const override {
        return Fault{.code = "E-TRAIN",
                     .message = "a net with real-valued nodes has no holes to train",
                     .origin = by.origin,
                     .hint = "what is unknown gets a prior, and data is evidence: P(theta | t)"};
    }

    Result<ModelPtr> update(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        auto net = continuous::updated(expanded_, declared_, rows, row_weights, run);
        if (!net) return std::move(net).fault();
        return ModelPtr(make_continuous_model(*std::move(net)));
    }

private:
    /// The declared dirichlet that a stick or component belongs to.
    VarId owner(VarId part) const {
        for (std::size_t i = 0; i < expanded_.declared; ++i)
            if (std::find(expanded_.parts[i].begin(), expanded_.parts[i].end(), part) != expanded_.parts[i].end())
                return static_cast<VarId>(i);
        return part;
    }

    ContinuousNet declared_;
    continuous::Expanded expanded_;
    NetPtr structure_;
};

}  // namespace

std::shared_ptr<const ContinuousModel> make_continuous_model(ContinuousNet net) {
    return std::make_shared<const RealNetModel>(std::move(net));
}

}  // namespace credence::rt
