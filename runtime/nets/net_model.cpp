#include "runtime/nets/learn.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_junction.hpp"
#include "runtime/nets/trained_net.hpp"
#include "runtime/prob/net.hpp"

namespace credence::rt {

namespace {

class DiscreteNetModel : public NetModel, public TrainedNet {
public:
    explicit DiscreteNetModel(NetPtr net, TrainedColumns trained = {})
        : net_(std::move(net)), trained_(std::move(trained)), memory_(*net_) {
        for (const auto& node : net_->nodes) variables_.push_back({.variable = node.variable});
    }
    const NetPtr& net() const override { return net_; }
    const TrainedColumns& trained_on() const override { return trained_; }
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
    TrainedColumns trained_;
    Variables variables_;
    mutable NetMemory memory_;  // of queries answered before; guards itself
};

}  // namespace

std::shared_ptr<const NetModel> make_net_model(NetPtr net) { return std::make_shared<const DiscreteNetModel>(std::move(net)); }

std::shared_ptr<const NetModel> make_trained_net(NetPtr net, const Table& table) {
    TrainedColumns trained;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const std::string& column = table.columns[c]->name;
        if (!net->find(column)) continue;
        if (table.target == c)
            trained.target = column;
        else
            trained.columns.push_back(column);
    }
    return std::make_shared<const DiscreteNetModel>(std::move(net), std::move(trained));
}

}  // namespace credence::rt
