#pragma once
// An undirected model: a product of tables over discrete variables, which P divides by its sum.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/prob/factors/potential.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct MarkovTable {
    std::vector<Slot> variables;
    std::variant<std::vector<Rational>, std::vector<double>> values;  ///< row-major, the last variable fastest; not negative
};

struct MarkovNet {
    std::string name;
    std::vector<Variable> variables;
    std::vector<MarkovTable> tables;
};
using MarkovNetPtr = std::shared_ptr<const MarkovNet>;

class MarkovModel : public Model {
public:
    virtual const MarkovNetPtr& markov() const = 0;
    /// The natural logarithm of the sum of the product over all assignments.
    virtual Result<Number> log_partition(Run& run) const = 0;
};
std::shared_ptr<const MarkovModel> make_markov_model(MarkovNetPtr net);
ModelParts parts_of(const MarkovNet& net);  ///< its tables, named after their variables

}  // namespace credence::rt
