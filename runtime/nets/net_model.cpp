#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/nets/learn.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_junction.hpp"
#include "runtime/nets/net_quantities.hpp"
#include "runtime/nets/net_rows.hpp"
#include "runtime/nets/trained_net.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

namespace {

class DiscreteNetModel : public NetModel, public TrainedNet {
public:
    explicit DiscreteNetModel(NetPtr net, TrainedColumns trained = {}, std::optional<TrainedCounts> counts = std::nullopt)
        : net_(std::move(net)), trained_(std::move(trained)), counts_(std::move(counts)), memory_(*net_) {
        variables_ = variables_of(*net_);
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
    Result<LearnerPtr> trainer(const MethodCall& by) const override { return net_trainer(net_, by); }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override;
    Result<ModelPtr> with_quantities(const ModelPtr& self, const std::vector<NamedQuantity>& quantities, Run&) const override {
        return extend_net(self, net_, quantities);
    }
    std::vector<MethodInfo> engines() const override { return net_engine_methods(); }
    std::vector<MethodInfo> training_methods() const override { return training_methods_of_net(); }
    ModelParts parts() const override { return parts_of(*net_); }
    Status check_trained() const override { return check_known(*net_); }

private:
    NetPtr net_;
    TrainedColumns trained_;
    std::optional<TrainedCounts> counts_;
    Variables variables_;
    mutable NetMemory memory_;  // of queries answered before; guards itself
};

/// The rows of the view in which no variable of the net is missing.
std::vector<std::size_t> complete_places(const Net& net, const TableView& rows) {
    std::vector<const Column*> columns;
    for (const auto& node : net.nodes)
        if (const auto at = rows.table->find(node.variable.name)) columns.push_back(rows.table->columns[*at].get());
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (std::none_of(columns.begin(), columns.end(), [&](const Column* c) { return c->is_missing(rows.row(i)); })) out.push_back(i);
    return out;
}

/// Adds the rows to the counts of the tables that were learned.
Result<ModelPtr> DiscreteNetModel::update(const TableView& rows, std::span<const double> weights, Run& run) const {
    if (!counts_)
        return Fault{.code = "E-TRAIN",
                     .message = "this net cannot be updated: its tables were not learned by counting",
                     .hint = "train it again on all the rows: concat(a, b)"};
    TableView used = rows;
    std::vector<std::uint32_t> kept;
    std::vector<double> kept_weights;
    if (counts_->missing == MissingFamilies::rows_left_out) {
        const auto places = complete_places(*net_, rows);
        for (const auto i : places) {
            kept.push_back(static_cast<std::uint32_t>(rows.row(i)));
            if (!weights.empty()) kept_weights.push_back(weights[i]);
        }
        if (kept.size() < rows.size() && run.note)
            run.note(fmt::format("{} with missing cells left out", counted(rows.size() - kept.size(), "row")));
        used = {.table = rows.table, .rows = kept, .all = false};
        weights = kept_weights;
    }
    auto data = TRY(net_data(*net_, used, weights));
    TrainedCounts counts = *counts_;
    for (std::size_t v = 0; v < net_->nodes.size(); ++v) {
        auto& sum = counts.nodes[v].counts;
        if (sum.empty()) continue;
        std::vector<VarId> family = net_->nodes[v].parents;
        family.push_back(static_cast<VarId>(v));
        for (const auto member : family) {
            const bool lacking = data.hidden[index(member)] || (data.holes[index(member)] && counts.missing == MissingFamilies::refused);
            if (lacking)
                return Fault{.code = "E-MISSING",
                             .message = fmt::format("updating the counts needs {} in every row", net_->nodes[index(member)].variable.name),
                             .hint = "train the net with holes on all the rows: EM fills the missing cells"};
        }
        const auto more = family_counts(*net_, data, v, sum.size() / net_->nodes[v].variable.size());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    }
    auto net = std::make_shared<Net>(*net_);
    net->score.reset();
    net->history.clear();
    fill_counted(*net, counts);
    return ModelPtr(std::make_shared<const DiscreteNetModel>(std::move(net), trained_, std::move(counts)));
}

}  // namespace

std::size_t fill_counted(Net& net, const TrainedCounts& counts) {
    std::size_t unseen = 0;
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        const auto& [n, given] = counts.nodes[v];
        if (n.empty()) continue;
        auto& table = std::get<std::vector<Rational>>(net.nodes[v].table);
        const std::size_t k = net.nodes[v].variable.size();
        const Rational labels(static_cast<std::int64_t>(k));
        for (std::size_t r = 0; r * k < n.size(); ++r) {
            if (!given.empty() && given[r]) continue;
            Rational total = counts.m;
            for (std::size_t j = 0; j < k; ++j) total += Rational::from_decimal(n[r * k + j]);
            unseen += total.is_zero();
            for (std::size_t j = 0; j < k; ++j)
                table[r * k + j] =
                    total.is_zero() ? Rational(1) / labels : (Rational::from_decimal(n[r * k + j]) + counts.m / labels) / total;
        }
    }
    return unseen;
}

std::shared_ptr<const NetModel> make_net_model(NetPtr net) { return std::make_shared<const DiscreteNetModel>(std::move(net)); }

std::shared_ptr<const NetModel> make_trained_net(NetPtr net, const Table& table, std::optional<TrainedCounts> counts) {
    TrainedColumns trained;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const std::string& column = table.columns[c]->name;
        if (!net->find(column)) continue;
        if (table.target == c)
            trained.target = column;
        else
            trained.columns.push_back(column);
    }
    auto learned = std::make_shared<Net>(*net);
    learned->learned = true;
    return std::make_shared<const DiscreteNetModel>(std::move(learned), std::move(trained), std::move(counts));
}

}  // namespace credence::rt
