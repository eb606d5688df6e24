#include <algorithm>

#include <fmt/format.h>

#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_measure.hpp"
#include "runtime/prob/models/sampled_column.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t check_every = 1024;
using Rows = std::vector<std::vector<std::uint32_t>>;  // by node

/// A forward (ancestral) sampler: running sums of every row of every table, made once.
class ForwardSampler {
public:
    explicit ForwardSampler(const Net& net) : net_(&net), order_(net.topological_order()) {
        for (const auto& node : net.nodes) {
            std::vector<double> sums;
            const std::size_t labels = node.variable.size();
            const std::size_t entries = std::visit([](const auto& table) { return table.size(); }, node.table);
            double running = 0;
            for (std::size_t i = 0; i < entries; ++i) {
                if (i % labels == 0) running = 0;
                sums.push_back(running += node.entry(i).real());
            }
            sums_.push_back(std::move(sums));
        }
    }
    void draw(Rng& rng, std::vector<std::size_t>& value) const {
        for (const auto id : order_) {
            const NetNode& node = net_->nodes[index(id)];
            std::size_t row = 0;
            for (const auto parent : node.parents) row = row * net_->nodes[index(parent)].variable.size() + value[index(parent)];
            const std::size_t labels = node.variable.size();
            const auto begin = sums_[index(id)].begin() + static_cast<std::ptrdiff_t>(row * labels);
            const auto end = begin + static_cast<std::ptrdiff_t>(labels);
            const double at = rng.uniform() * *(end - 1);
            const auto found = std::upper_bound(begin, end, at);
            value[index(id)] = static_cast<std::size_t>((found == end ? end - 1 : found) - begin);
        }
    }

private:
    const Net* net_;
    std::vector<VarId> order_;
    std::vector<std::vector<double>> sums_;
};

bool satisfied(const NetCase& c, std::span<const std::size_t> value) {
    return std::all_of(c.evidence.begin(), c.evidence.end(), [&](const EventTable& t) {
        std::size_t at = 0;
        for (const auto slot : t.variables) at = at * c.sizes[slot] + value[slot];
        return t.truth[at] != 0;
    });
}

/// Forward samples of which those that contradict the evidence are thrown away: for nets too wide to eliminate.
Status reject(const NetCase& c, std::size_t n, Run& run, Rows& rows) {
    constexpr std::size_t tries_a_row = 1000;
    constexpr std::size_t least_tries = 1'000'000;
    const std::size_t tries = std::max(least_tries, n * tries_a_row);
    const ForwardSampler sampler(*c.net);
    std::vector<std::size_t> value(c.sizes.size(), 0);
    std::size_t accepted = 0;
    for (std::size_t t = 0; t < tries && accepted < n; ++t) {
        if (t % check_every == 0 && run.stopped()) return stopped_fault();
        sampler.draw(run.rng, value);
        if (!satisfied(c, value)) continue;
        ++accepted;
        for (std::size_t i = 0; i < value.size(); ++i) rows[i].push_back(static_cast<std::uint32_t>(value[i]));
    }
    if (accepted == n) return Done{};
    return Fault{.code = "E-COST",
                 .message = fmt::format("only {} of {} rows agreed with the evidence in {} tries", accepted, n, tries),
                 .hint = "draw fewer rows, or sample under less evidence"};
}

/// `asked`: by column, the variable that is drawn for it.
template <Prob P>
Status draw_backwards(const NetCase& c, const Variables& variables, std::size_t n, const Clause& given, std::span<const Slot> asked,
                      Run& run, Work& work, Rows& rows) {
    NetMeasure<P> measure(c, Method::elimination);
    if (auto status = measure.observe_rows(work); !status) return status;
    Query query;
    query.given = given;
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return net_zero_fault(*c.declared, variables, query, configuration, run);
    };
    // soft evidence becomes weights exactly as in a query: the sampler sees them as tables more
    if (auto status = apply_soft_evidence<P>(measure, query, variables, zero, work); !status) return status;
    auto sampler = TRY(BackwardSampler<P>::make(measure.problem(asked, Side::evidence), asked, work));
    if (sampler.impossible()) { return zero({}); }
    std::vector<std::size_t> value(c.sizes.size(), 0);
    for (std::size_t r = 0; r < n; ++r) {
        if (r % check_every == 0 && run.stopped()) return stopped_fault();
        sampler.draw(run.rng, value);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(static_cast<std::uint32_t>(value[asked[i]]));
    }
    return Done{};
}

}  // namespace

Result<TablePtr> sample_net(const Net& net, const Variables& variables, std::size_t n, const Clause& given, Run& run) {
    Query query;
    query.given = given;
    if (!given.free.empty()) {
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("{} has no value to sample under", variables[index(given.free[0])].variable.name),
                     .hint = "evidence for sampling needs a value: X = a"};
    }
    // every node is sampled, so every node is a target: nothing cancels; what was observed in rows is drawn once more
    const auto observed = TRY(read_rows(net, variables, query));
    std::vector<Slot> asked;
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        asked.push_back(static_cast<Slot>(!observed.empty() && observed.by_row[i] ? net.nodes.size() + i : i));
        query.targets.free.push_back(static_cast<VarId>(asked.back()));
    }
    const auto c = TRY(digest(net, variables, query, run));

    Rows rows(net.nodes.size());
    if (c.evidence.empty() && c.soft.empty() && c.simple()) {
        const ForwardSampler sampler(net);
        std::vector<std::size_t> value(net.nodes.size(), 0);
        for (std::size_t r = 0; r < n; ++r) {
            if (r % check_every == 0 && run.stopped()) return stopped_fault();
            sampler.draw(run.rng, value);
            for (std::size_t i = 0; i < value.size(); ++i) rows[i].push_back(static_cast<std::uint32_t>(value[i]));
        }
    } else {
        Work work(run, false);
        auto status = draw_backwards<LogProb>(c, variables, n, given, asked, run, work, rows);
        if (!status && status.fault().code == "E-COST" && c.soft.empty() && c.simple()) status = reject(c, n, run, rows);
        if (!status) return std::move(status).fault();
    }
    std::vector<ColumnPtr> columns;
    for (std::size_t i = 0; i < net.nodes.size(); ++i)
        if (!net.nodes[i].step) columns.push_back(column_of_values(net.nodes[i].variable, rows[i]));
    return table_of_columns(std::move(columns), n);
}

}  // namespace credence::rt
