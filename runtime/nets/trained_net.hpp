#pragma once
// Nets that were learned from a table: they remember its columns, so that rows can be given in their order and the target is known.

#include <string>
#include <vector>

#include "runtime/prob/net.hpp"

namespace credence::rt {

/// Those that are variables of the net.
struct TrainedColumns {
    std::string target = {};                ///< empty: the table had none
    std::vector<std::string> columns = {};  ///< the others, in order
};

class TrainedNet {
public:
    virtual ~TrainedNet() = default;
    virtual const TrainedColumns& trained_on() const = 0;
};

/// A NetModel that is a TrainedNet too.
std::shared_ptr<const NetModel> make_trained_net(NetPtr net, const Table& table);

}  // namespace credence::rt
