// A net with real-valued nodes as a model.

#include <fmt/format.h>

#include "runtime/continuous/ask.hpp"
#include "runtime/continuous/learn/learn.hpp"
#include "runtime/continuous/sample/kept_chains.hpp"
#include "runtime/continuous/saved_net.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/json.hpp"
#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

namespace {

class RealNetModel final : public ContinuousModel {
public:
    explicit RealNetModel(ContinuousNet net) : declared_(std::move(net)), expanded_(continuous::expand(declared_)) {
        // Its structure alone: for .parents, .arcs, draw and d-separation.
        auto structure = std::make_shared<Net>();
        structure->name = expanded_.net.name;
        structure->history = declared_.history;
        for (std::size_t i = 0; i < expanded_.declared; ++i) {
            const auto& node = expanded_.net.nodes[i];
            NetNode out = node.kind == ContinuousNode::Kind::table ? node.table : NetNode{};
            out.variable = node.variable;
            out.origin = node.origin;
            out.step = node.table.step;
            out.parents.clear();
            for (const auto parent : expanded_.parents[i]) {
                const auto declared = index(parent) < expanded_.declared ? parent : owner(parent);
                if (index(declared) != i && !contains(out.parents, declared)) out.parents.push_back(declared);
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
    Result<PointwiseLikelihood> pointwise_likelihood(const Query& query, Run& run) const override {
        return continuous::pointwise_likelihood(expanded_, query, run);
    }
    Result<LogEvidence> log_evidence(const Query& query, Run& run) const override {
        return continuous::log_evidence(expanded_, query, run);
    }
    Result<TablePtr> replicate(std::size_t n, const Query& query, Run& run) const override {
        return continuous::replicate(expanded_, n, query, run);
    }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        return continuous::draw_table(expanded_, n, given, run);
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        return continuous::explain(expanded_, query, answer, run);
    }
    std::vector<MethodInfo> engines() const override { return continuous::engine_methods(); }
    std::vector<MethodInfo> training_methods() const override { return training_methods_of_real_net(); }
    std::string description() const override {
        std::size_t numbers = 0;
        for (std::size_t i = 0; i < expanded_.declared; ++i)
            if (!expanded_.net.nodes[i].variable.is_discrete()) ++numbers;
        return fmt::format("{} variables, {} of them numbers", expanded_.declared, numbers);
    }
    const ContinuousNet& declared() const override { return declared_; }
    ModelParts parts() const override { return parts_of(declared_); }
    Result<ModelPtr> with_quantities(const ModelPtr& self, const std::vector<NamedQuantity>& quantities, Run&) const override {
        return extend_by_net(self, declared_, quantities);
    }
    Result<Json> save() const override { return save_real_net(declared_); }
    Result<LearnerPtr> trainer(const MethodCall& by) const override {
        return continuous::real_net_trainer(std::make_shared<const ContinuousNet>(declared_), by);
    }

    Result<ModelPtr> update(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        auto net = TRY(continuous::updated(expanded_, declared_, rows, row_weights, run));
        return ModelPtr(make_continuous_model(std::move(net)));
    }

private:
    /// The declared dirichlet that a stick or component belongs to.
    VarId owner(VarId part) const {
        for (std::size_t i = 0; i < expanded_.declared; ++i)
            if (contains(expanded_.parts[i], part)) return static_cast<VarId>(i);
        return part;
    }

    ContinuousNet declared_;
    continuous::Expanded expanded_;
    NetPtr structure_;
};

/// One that has holes: it can be trained, and drawn as a graph.
class OpenNetModel final : public ContinuousModel {
public:
    explicit OpenNetModel(ContinuousNet net) : net_(std::make_shared<const ContinuousNet>(std::move(net))) {
        auto structure = std::make_shared<Net>();
        structure->name = net_->name;
        for (const auto& node : net_->nodes) {
            variables_.push_back({.variable = node.variable, .is_step = node.table.step});
            NetNode out = node.kind == ContinuousNode::Kind::table ? node.table : NetNode{};
            out.variable = node.variable;
            out.origin = node.origin;
            out.parents.clear();
            for (const auto parent : node.parents())
                if (index(parent) < net_->nodes.size()) out.parents.push_back(parent);
            structure->nodes.push_back(std::move(out));
        }
        structure_ = std::move(structure);
    }

    std::string_view kind() const override { return "net"; }
    const Variables& variables() const override { return variables_; }
    const NetPtr& net() const override { return structure_; }
    const ContinuousNet& declared() const override { return *net_; }
    ModelParts parts() const override { return parts_of(*net_); }
    Result<Json> save() const override { return save_real_net(*net_); }
    Result<Answer> ask(const Query& query, Run&) const override { return untrained(query.origin); }
    Result<Answer> expectation(const Term&, const Query& query, Run&) const override { return untrained(query.origin); }
    Result<TablePtr> sample(std::size_t, const Clause&, Run&) const override { return untrained(Origin::none); }
    Result<Derivation> explain(const Query& query, const Answer&, Run&) const override { return untrained(query.origin); }
    std::vector<MethodInfo> engines() const override { return continuous::engine_methods(); }
    std::vector<MethodInfo> training_methods() const override { return training_methods_of_real_net(); }
    std::string description() const override { return fmt::format("{} variables, with holes", net_->nodes.size()); }
    Result<LearnerPtr> trainer(const MethodCall& by) const override { return continuous::real_net_trainer(net_, by); }

private:
    Fault untrained(Origin origin) const {
        return {.code = "E-HOLE",
                .message = fmt::format("{} has numbers that are not known yet", net_->name),
                .origin = origin,
                .hint = fmt::format("train {} on data and query the resulting model", net_->name)};
    }

    std::shared_ptr<const ContinuousNet> net_;
    NetPtr structure_;
    Variables variables_;
};

}  // namespace

std::shared_ptr<const ContinuousModel> make_continuous_model(ContinuousNet net) {
    for (auto& node : net.nodes) node.origin = Origin::none;  // a place of the declaring statement: later ones have places of their own
    if (!net.chains) net.chains = std::make_shared<KeptChains>();
    if (net.is_open()) return std::make_shared<const OpenNetModel>(std::move(net));
    return std::make_shared<const RealNetModel>(std::move(net));
}

}  // namespace credence::rt
