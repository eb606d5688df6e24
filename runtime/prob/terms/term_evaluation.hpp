#pragma once
// The numbers of several terms with the same values of their variables: what they share is evaluated once.

#include <functional>
#include <unordered_map>
#include <vector>

#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

class TermEvaluation {
public:
    /// A variable must not change once a term with it was evaluated.
    explicit TermEvaluation(std::function<double(const TermNode&)> leaf) : leaf_(std::move(leaf)) {}
    double operator()(const Term& term);

private:
    double computed(const TermNode& term);
    const std::vector<double>& list_of(const Term& term);  ///< nothing of what is not one

    std::function<double(const TermNode&)> leaf_;
    std::unordered_map<const TermNode*, double> known_;
    std::unordered_map<const TermNode*, std::vector<double>> lists_;
};

}  // namespace credence::rt
