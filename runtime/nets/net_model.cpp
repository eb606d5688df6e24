#include "runtime/nets/learn.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_junction.hpp"
#include "runtime/prob/net.hpp"

namespace credence::rt {

namespace {

class DiscreteNetModel : public NetModel {
public:
    explicit DiscreteNetModel(NetPtr net) : net_(std::move(net)), memory_(*net_) {
        for (const auto& node : net_->nodes) variables_.push_back({.variable = node.variable});
    }
    const NetPtr& net() const override { return net_; }
    std::string_view kind() const override { return "net"; }
    const Variables& variables() const override { return variables_; }
    Result<Answer> ask(const Query& query, Run& run) const override { return ask_net(*net_, variables_, query, memory_, run); }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        return sample_net(*net_, variables_, n, given, run);
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        return explain_net(*net_, variables_, query, answer, run);
    }
    Result<LearnerPtr> trainer(const TrainingMethod& by) const override { return net_trainer(net_, by); }
    std::vector<std::string_view> engines() const override {
        std::vector<std::string_view> out;
        for (const auto& engine : net_engines()) out.push_back(engine.name);
        return out;
    }

private:
    NetPtr net_;
    Variables variables_;
    mutable NetMemory memory_;  // of queries answered before; guards itself
};

}  // namespace

std::shared_ptr<const NetModel> make_net_model(NetPtr net) { return std::make_shared<const DiscreteNetModel>(std::move(net)); }

}  // namespace credence::rt
