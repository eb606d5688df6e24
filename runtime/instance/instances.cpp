// The stored rows: encoding, neighbours, weights.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/data/design.hpp"
#include "runtime/instance/bounded_kernels.hpp"
#include "runtime/instance/knn.hpp"
#include "runtime/prob/learning/filled_rows.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

Result<std::shared_ptr<const Instances>> Instances::build(const TableView& rows, std::span<const double> weights, const KnnOptions& options,
                                                          std::optional<MetricSpace> space, Run& run, std::vector<std::size_t> numbers) {
    auto out = std::make_shared<Instances>();
    out->options_ = options;
    const bool gaps = options.space.metric == Metric::gower;  // it compares the cells that both rows have
    std::vector<ColumnPtr> columns =
        gaps ? feature_columns(*rows.table) : TRY(filled_features(rows, schema_with_fills(rows, weights), run));
    columns.push_back(rows.table->columns[*rows.table->target]);
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        places.push_back(static_cast<std::uint32_t>(rows.row(i)));
        out->numbers_.push_back(rows.row(i) + 1);
        if (!weights.empty()) out->weights_.push_back(weights[i]);
    }
    if (numbers.size() == places.size()) out->numbers_ = std::move(numbers);
    const bool all = places.size() == rows.table->row_count && rows.all;
    for (auto& column : columns)
        if (!all) column = take_rows(*column, places);
    const std::size_t target = columns.size() - 1;
    out->data_ = make_table(std::move(columns), target, places.size());
    const TableView stored{.table = out->data_.get(), .rows = {}};
    if (!space) { space = TRY(MetricSpace::fit(schema_of(*out->data_), stored, options.space, out->weights_)); }
    auto points = space->encode(stored);
    auto index = TRY(NeighbourIndex::build(*std::move(space), std::move(points), options.index));
    out->index_.emplace(std::move(index));
    return std::shared_ptr<const Instances>(std::move(out));
}

std::size_t Instances::reach() const {
    if (!options_.k) return size();
    if (weights_.empty()) return *options_.k;
    const double least = *std::min_element(weights_.begin(), weights_.end());
    return static_cast<std::size_t>(std::min(static_cast<double>(size()), std::ceil(static_cast<double>(*options_.k) / least)));
}

namespace {

/// The rows as near as the k-th get what the nearer ones leave of k, each the same part of its weight: the mean over the orders in which
/// they might be. `left`: k without all votes, negative.
void share_last(NeighbourVotes& votes, double left) {
    const double last = votes.votes.back().distance;
    auto first = votes.votes.size();
    double tied = 0;
    while (first > 0 && as_near(last, votes.votes[first - 1].distance)) tied += votes.votes[--first].count;
    for (std::size_t i = first; i < votes.votes.size(); ++i) votes.votes[i].weight = votes.votes[i].count *= (tied + left) / tied;
    votes.counted = false;
}

}  // namespace

Result<NeighbourVotes> Instances::weigh(std::span<const Neighbour> found) const {
    NeighbourVotes out;
    double left = options_.k ? static_cast<double>(*options_.k) : std::numeric_limits<double>::infinity();
    for (const auto& n : found) {
        if (!(left > 0) && !(options_.ties != TieVotes::first && as_near(n.distance, out.votes.back().distance))) break;
        // A row of weight w stands for w equal rows; without ties the last one counts for what is left of k.
        const double weight = weights_.empty() ? 1.0 : weights_[n.row];
        const double count = options_.ties != TieVotes::first ? weight : std::min(left, weight);
        left -= count;
        out.votes.push_back({n.row, n.distance, count, count});
    }
    if (options_.ties == TieVotes::shared && left < 0) share_last(out, left);
    const NeighbourWeight& by = options_.weight;
    if (by.kind == NeighbourWeight::Kind::none || out.votes.empty()) return out;
    out.counted = false;
    const bool equal = out.votes[0].distance == 0;
    if (by.kind == NeighbourWeight::Kind::gaussian) {
        // relative to the nearest, so that far queries do not underflow
        const double nearest = out.votes[0].distance;
        for (auto& v : out.votes)
            v.weight = v.count * std::exp(-(v.distance - nearest) * (v.distance + nearest) / (2 * by.width * by.width));
        return out;
    }
    bool infinite = by.kind == NeighbourWeight::Kind::inverse_square;
    for (auto& v : out.votes) {
        if (by.kind == NeighbourWeight::Kind::inverse_square) {
            // relative to the nearest that is not equal; where equal ones weigh 1, as it is
            v.weight = v.count / (v.distance * v.distance);
            continue;
        }
        if (by.kind == NeighbourWeight::Kind::tricube || by.kind == NeighbourWeight::Kind::epanechnikov) {
            const double u = v.distance / by.width;
            v.weight = v.count * (by.kind == NeighbourWeight::Kind::tricube ? tricube_weight(u) : epanechnikov_weight(u));
            continue;
        }
        if (v.distance == 0 && options_.unit_when_equal) continue;
        auto w = by.function(v.distance);
        const bool undefined = !w && v.distance == 0 && w.fault().code == "E-ARITHMETIC";
        if (!w && !undefined) return std::move(w).fault();
        if (v.distance == 0 && (undefined || std::isinf(*w))) {
            infinite = true;
            continue;
        }
        if (!std::isfinite(*w) || *w < 0)
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("the weight at distance {:.6g} is {:.6g}: weights are numbers, 0 or more", v.distance, *w)};
        v.weight = v.count * *w;
    }
    if (equal && options_.unit_when_equal) {
        for (auto& v : out.votes)
            if (v.distance == 0) v.weight = v.count;
    } else if (equal && infinite) {
        out.equal_only = true;
        out.counted = true;
        for (auto& v : out.votes) v.weight = v.distance == 0 ? v.count : 0;
    }
    double total = 0;
    for (const auto& v : out.votes) total += v.weight;
    if (std::isinf(total)) {  // squares of tiny distances: only their proportions matter
        for (auto& v : out.votes) {
            const double ratio = out.votes[0].distance / v.distance;
            v.weight = v.count * ratio * ratio;
        }
    } else if (!(total > 0)) {
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("every neighbour has weight 0 (the nearest is {:.6g} away)", out.votes[0].distance),
                     .hint = "use a weight that falls more slowly, or gaussian(s), which is never 0"};
    }
    return out;
}

Result<std::vector<NeighbourVotes>> Instances::weigh_all(const NeighbourLists& found) const {
    std::vector<NeighbourVotes> out;
    out.reserve(found.size());
    for (const auto& list : found) {
        auto votes = TRY(weigh(list));
        out.push_back(std::move(votes));
    }
    return out;
}

Result<std::vector<NeighbourVotes>> Instances::votes(const TableView& rows, Run& run) const {
    const auto found = index_->nearest_with_ties(index_->space().encode(rows), reach(), run);
    if (run.stopped()) return stopped_fault();
    return weigh_all(found);
}

Result<std::vector<NeighbourVotes>> Instances::votes_without_self(Run& run) const {
    if (size() < 2) return Fault{.code = "E-EMPTY", .message = "leave-one-out needs at least two rows"};
    const auto found = index_->nearest_others_with_ties(reach(), run);
    if (run.stopped()) return stopped_fault();
    return weigh_all(found);
}

Json Instances::save(const Schema& schema) const {
    Json out{{"schema", saved(schema)},
             {"k", options_.k.value_or(0)},
             {"weight", static_cast<int>(options_.weight.kind)},
             {"width", options_.weight.width},
             {"unit", options_.unit_when_equal},
             {"ties", options_.ties != TieVotes::first},
             {"shared", options_.ties == TieVotes::shared},
             {"index", static_cast<int>(options_.index)},
             {"space", index_->space().save()},
             {"numbers", numbers_},
             {"weights", saved(std::span<const double>(weights_))},
             {"learned", options_.learn_axes},
             {"data", saved(*data_)}};
    return out;
}

}  // namespace credence::rt
