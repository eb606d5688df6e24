#pragma once
// How well a family (a node with its parents) fits the data: the scores that structure search adds up.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

enum class ScoreKind {
    k2,    ///< ln of the Cooper–Herskovits measure: uniform Dirichlet priors
    bdeu,  ///< ln of the Dirichlet measure with an equivalent sample size spread evenly
    bic,   ///< log-likelihood − ½ ln N × parameters
    aic,   ///< log-likelihood − parameters
};
struct Score {
    ScoreKind kind = ScoreKind::bic;
    double sample = 1;  ///< BDeu: the equivalent sample size
};

/// Complete rows as codes, column by column.
struct DiscreteData {
    std::vector<std::string> names;
    std::vector<DomainPtr> domains;
    std::vector<std::vector<std::uint16_t>> codes;
    std::vector<double> weights;  ///< one for each row, or none
    std::size_t rows = 0;
    double total = 0;
    const Table* table = nullptr;  ///< that they come from

    std::size_t size(std::size_t v) const { return domains[v]->size(); }
};
/// All columns (the target like the others). Rows with a missing cell are left out with a note; a numeric column's numbers are labels where
/// they are few, else E-TYPE with the advice to discretize.
Result<DiscreteData> discrete_data(const TableView& rows, std::span<const double> weights, Run& run);

class FamilyScores {
public:
    FamilyScores(const DiscreteData& data, Score score) : data_(&data), score_(score) {}
    /// Parents ascending. Remembered.
    double of(std::size_t node, const std::vector<std::size_t>& parents);
    const DiscreteData& data() const { return *data_; }

private:
    double counted(std::size_t node, const std::vector<std::size_t>& parents);
    void tally(std::size_t cells);
    double log_gamma(double x);

    const DiscreteData* data_;
    Score score_;
    std::map<std::pair<std::size_t, std::vector<std::size_t>>, double> known_;
    std::vector<std::uint32_t> cell_;
    std::vector<double> counts_;
    std::vector<std::uint32_t> tallies_;
    std::vector<double> log_gammas_;  // by whole number
};

/// The net of these parents (lists by node) with tables counted from the data: (n + m/k) / (N + m). Learning on keeps the arcs.
Result<ModelPtr> counted_net(const DiscreteData& data, const std::vector<std::vector<std::size_t>>& parents, std::string name, double score,
                             std::vector<double> history, const Rational& m, Run& run);

}  // namespace credence::rt
