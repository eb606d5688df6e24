#pragma once
// Nets that were learned from a table: they remember its columns, so that rows can be given in their order and the target is known.

#include <optional>
#include <string>
#include <vector>

#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

/// Those that are variables of the net.
struct TrainedColumns {
    std::string target = {};                ///< empty: the table had none
    std::vector<std::string> columns = {};  ///< the others, in order
};

/// How rows with missing cells were dealt with where tables were counted.
enum class MissingFamilies {
    refused,        ///< the data were complete: with missing cells it would have been EM
    left_out,       ///< a family counts the rows in which all of it is seen
    rows_left_out,  ///< only complete rows count
};

/// What tables were counted from, so that more rows can be added.
struct TrainedCounts {
    struct Node {
        std::vector<double> counts = {};  ///< by entry of its table; empty: the table was given, not learned
        std::vector<char> given = {};     ///< rows of its table that were given; empty: none
    };
    Rational m = {};  ///< of the m-estimate
    MissingFamilies missing = MissingFamilies::refused;
    std::vector<Node> nodes = {};
};
/// The tables as shares of the counts, (n + m/k) / (N + m), as fractions; a row without any is uniform, and how many there are is returned.
std::size_t fill_counted(Net& net, const TrainedCounts& counts);

class TrainedNet {
public:
    virtual ~TrainedNet() = default;
    virtual const TrainedColumns& trained_on() const = 0;
};

/// A NetModel that is a TrainedNet too. With counts it learns on: its arcs stay.
std::shared_ptr<const NetModel> make_trained_net(NetPtr net, const Table& table, std::optional<TrainedCounts> counts = std::nullopt);

}  // namespace credence::rt
