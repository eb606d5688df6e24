#pragma once
// k nearest neighbours: votes for labels, means for numbers; Shepard's method is the same with all rows.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/instance/index.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// What a neighbour weighs at its distance.
struct NeighbourWeight {
    enum class Kind { none, inverse_square, gaussian, function, tricube, epanechnikov };  ///< in this order in files
    Kind kind = Kind::none;
    double width = 1;                                         ///< s of gaussian: exp(−d²/2s²); where the bounded ones end
    std::function<Result<double>(double distance)> function;  ///< the user's; called from one thread
};

/// Of rows as near as the k-th: all vote; only the first of them, k in all; or all, and they share what is left of k.
enum class TieVotes { all, first, shared };

struct KnnOptions {
    std::string name = "knn";      ///< "knn" or "shepard": the kind of the model
    std::optional<std::size_t> k;  ///< none: all rows
    NeighbourWeight weight;
    bool unit_when_equal = false;  ///< a row equal to the query weighs 1; otherwise such rows alone decide where their weight is infinite
    TieVotes ties = TieVotes::all;
    MetricOptions space;
    bool learn_axes = false;
    IndexKind index = IndexKind::automatic;
};

LearnerPtr make_knn(KnnOptions options);
Result<ModelPtr> load_knn(const Json& json, std::string_view kind);

/// A stored row as a query sees it.
struct NeighbourVote {
    std::size_t place = 0;  ///< among the stored rows
    double distance = 0;
    double count = 1;   ///< how much of the row is among the k: less than its weight for the last one
    double weight = 1;  ///< count times what the distance makes of it, relative to the others
};
struct NeighbourVotes {
    std::vector<NeighbourVote> votes;  ///< nearest first
    bool counted = true;               ///< all distances weigh alike: weights are counts
    bool equal_only = false;           ///< the query equals stored rows, and they alone decide
};

/// The stored rows, with their index: what models of this kind share.
class Instances {
public:
    /// `space` and `numbers` (of the rows) are given where they are known already, from a file.
    static Result<std::shared_ptr<const Instances>> build(const TableView& rows, std::span<const double> weights, const KnnOptions& options,
                                                          std::optional<MetricSpace> space, Run& run,
                                                          std::vector<std::size_t> numbers = {});

    /// The neighbours of rows (aligned) that count, weighed.
    Result<std::vector<NeighbourVotes>> votes(const TableView& rows, Run& run) const;
    /// Of every stored row, as if it had not been stored.
    Result<std::vector<NeighbourVotes>> votes_without_self(Run& run) const;

    const KnnOptions& options() const { return options_; }
    const NeighbourIndex& index() const { return *index_; }
    const Column& target() const { return *data_->columns[*data_->target]; }
    const Table& data() const { return *data_; }
    std::size_t row_number(std::size_t place) const { return numbers_[place]; }  ///< of the table that was trained on, from 1
    std::size_t size() const { return data_->row_count; }
    std::span<const double> row_weights() const { return weights_; }
    Json save(const Schema& schema) const;

private:
    Result<NeighbourVotes> weigh(std::span<const Neighbour> found) const;
    Result<std::vector<NeighbourVotes>> weigh_all(const NeighbourLists& found) const;
    std::size_t reach() const;  ///< how many neighbours hold a weight of k

    KnnOptions options_;
    TablePtr data_;  ///< the features in their order, the target last
    std::vector<std::size_t> numbers_;
    std::vector<double> weights_;  ///< empty: all 1
    std::optional<NeighbourIndex> index_;
};

/// The model's stored rows; null for models of other kinds.
const Instances* instances_of(const Model& model);

}  // namespace credence::rt
