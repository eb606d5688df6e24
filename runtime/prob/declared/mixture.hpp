#pragma once
// A mixture as it is declared: weights and distributions, any of whose numbers may be unknown (`?`).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/prob/distributions/family.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct MixturePart {
    const FamilyInfo* family = nullptr;             ///< null: `given` is all there is to it
    std::vector<std::optional<Number>> parameters;  ///< of the family; nothing: a hole
    bool shares_hole = false;                       ///< categorical(?): all shares unknown, over the labels of the data
    DistributionPtr given;                          ///< where there is no hole

    bool has_holes() const { return given == nullptr; }
};
/// E-PARAMETER if what is known of a part with holes is out of its range.
Status check_part(const MixturePart& part);

struct Mixture {
    std::string name;
    std::vector<std::optional<Number>> weights;
    std::vector<MixturePart> parts;

    bool has_holes() const;
};

/// What training left behind.
struct MixtureFit {
    std::vector<Number> parameters;  ///< the learned numbers in the order of the holes
    std::vector<double> history;     ///< log-likelihood by iteration
    double rows = 0;                 ///< observations, by weight
    std::size_t free_parameters = 0;

    double log_likelihood() const { return history.back(); }
};

/// A model of kind "mixture" over `component` (1 … k) and `x`.
class MixtureModel : public Model {
public:
    virtual const Mixture& mixture() const = 0;
    virtual const std::optional<MixtureFit>& fit() const = 0;  ///< where it was trained
};
Result<ModelPtr> make_mixture_model(Mixture mixture, std::optional<MixtureFit> fit = std::nullopt);

}  // namespace credence::rt
