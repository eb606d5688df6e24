#pragma once
// A hidden Markov model as it is declared: states, where it starts, how it moves, what it emits. `?` leaves a part to be learned.

#include <string>
#include <vector>

#include "runtime/prob/declared/mixture.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct HmmEmission {
    std::vector<Number> shares;  ///< one for each symbol; empty if it is a hole or a density
    bool hole = false;           ///< symbols: all shares unknown
    MixturePart density;         ///< of numbers; its parameters may be holes

    bool density_has_holes() const { return density.family != nullptr && density.has_holes(); }
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
