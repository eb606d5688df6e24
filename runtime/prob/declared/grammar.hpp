#pragma once
// A probabilistic context-free grammar as it is declared: rules with their probabilities, `?` where one is to be learned.

#include <optional>
#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

struct Grammar {
    struct Symbol {
        bool terminal = false;
        std::size_t index = 0;  ///< into words or nonterminals
    };
    struct Rule {
        std::size_t left = 0;
        std::vector<Symbol> right;          ///< one symbol at least
        std::optional<Number> probability;  ///< none: a hole
    };
    std::string name;
    std::vector<std::string> nonterminals;
    std::vector<std::string> words;
    std::size_t start = 0;
    std::vector<Rule> rules;

    bool has_holes() const;
    bool is_exact() const;
};

/// A model of kind "grammar". It answers through functions (runtime/latent/pcfg.hpp), and learns by inside–outside, gradient ascent or
/// counting.
class GrammarModel : public Model {
public:
    virtual const Grammar& grammar() const = 0;
    virtual const std::vector<double>& history() const = 0;  ///< log-likelihood by iteration, where it was trained
};
ModelPtr make_grammar_model(Grammar grammar, std::vector<double> history = {});

}  // namespace credence::rt
