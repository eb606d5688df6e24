#pragma once
// Expectations of terms: what models of real numbers answer besides P.

#include "runtime/prob/model.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

/// ln p(observation | draw) for draws from a posterior: what estimates of predictive accuracy are computed from.
struct PointwiseLikelihood {
    std::vector<std::string> observations;  ///< their names
    std::vector<std::vector<double>> logs;  ///< by observation: draw by draw
    std::vector<double> efficiency;         ///< by observation: what a draw is worth, compared with an independent one
    std::vector<std::string> notes;         ///< what the reader should know of the draws
};

/// ln of the probability or density of what a query gives.
struct LogEvidence {
    double log = 0;
    double standard_error = 0;  ///< of that logarithm; 0 where it was integrated exactly
    std::string engine;
};

/// A model of numbers, some of them drawn from densities: what E asks it for, besides what P does.
class NumericModel {
public:
    virtual ~NumericModel() = default;
    /// E(term | evidence of the query), the term over the variables of the model.
    virtual Result<Answer> expectation(const Term& term, const Query& query, Run& run) const = 0;
    /// Whether the values of a variable are whole numbers from 0 on.
    virtual bool is_count(const Variable&) const { return false; }
    /// Of each observation in the evidence of the query. E-ENGINE if the model does not draw numbers.
    virtual Result<PointwiseLikelihood> pointwise_likelihood(const Query& query, Run& run) const;
    /// Of the evidence of the query. E-ENGINE where the model does not integrate.
    virtual Result<LogEvidence> log_evidence(const Query& query, Run& run) const;
    /// The observations in the evidence of the query, drawn again for each of n draws of what it leaves open: a column for each. E-ENGINE
    /// where the model cannot.
    virtual Result<TablePtr> replicate(std::size_t n, const Query& query, Run& run) const;
};

}  // namespace credence::rt
