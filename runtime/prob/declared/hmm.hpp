#pragma once
// A hidden Markov model as it is declared: states, where it starts, how it moves, what it emits. `?` leaves a part to be learned.

#include <optional>
#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

struct HmmEmission {
    std::vector<Number> shares;  ///< one for each symbol; empty where it is a hole or a density
    DistributionPtr density;     ///< real-valued emissions
    bool hole = false;           ///< symbols: all shares unknown
    // normal(?, …): what is known of a density with holes
    bool normal_hole = false;
    std::optional<Number> mean;
    std::optional<Number> sd;
};

struct Hmm {
    std::string name;
    DomainPtr states;
    DomainPtr symbols;                      ///< null: emissions are real-valued
    std::vector<Number> start;              ///< one for each state; empty: a hole
    std::vector<std::vector<Number>> move;  ///< from, to; an empty row is a hole
    std::vector<HmmEmission> emit;          ///< one for each state

    bool has_holes() const;
    bool is_exact() const;  ///< all numbers are fractions, and the emissions symbols
};

/// A model of kind "hmm". It answers through functions (runtime/latent/hmm.hpp), and learns by Baum–Welch, gradient ascent or counting.
class HmmModel : public Model {
public:
    virtual const Hmm& hmm() const = 0;
    virtual const std::vector<double>& history() const = 0;  ///< log-likelihood by iteration, where it was trained
};
ModelPtr make_hmm_model(Hmm hmm, std::vector<double> history = {});

}  // namespace credence::rt
