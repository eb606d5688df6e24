#pragma once
// What Newton's method asks of the rows of a logistic regression, wherever they are.

#include "runtime/data/row_blocks.hpp"
#include "runtime/prob/learning/training_rows.hpp"

namespace credence::rt {

using Units = std::vector<std::vector<double>>;  ///< weights, the intercept first: of each label but the first

/// The share of a row that is the label's: 1 or 0, or the frequency of the second.
double share_of(const TrainingRows& data, std::size_t row, std::size_t label);

/// Rows × labels of P and the −log-likelihood; `correct` where each row's own label is strictly the most probable (of a frequency other
/// than 0 and 1: never).
struct Likelihood {
    std::vector<double> p;
    double loss = 0;
    bool correct = true;
};
Likelihood likelihood(const Matrix& x, const TrainingRows& data, const Units& units);
/// Gradient of the log-likelihood, unit after unit.
std::vector<double> slope_of(const Matrix& x, const TrainingRows& data, const Likelihood& at, std::size_t units);
/// −Hessian: blocks Σ weight·p_u·(δ_uv − p_v)·x·xᵀ.
Matrix curvature_of(const Matrix& x, const TrainingRows& data, const Likelihood& at, std::size_t units);

/// How good some weights are.
struct Reached {
    double loss = 0;
    bool correct = true;  ///< as in Likelihood
};

class NewtonRows {
public:
    virtual ~NewtonRows() = default;
    virtual Result<Reached> look(const Units& units) = 0;
    virtual void accept() = 0;  ///< goes on from the weights that were looked at last; slope and curvature are at these
    virtual std::vector<double> slope() const = 0;
    virtual Matrix curvature() const = 0;
    virtual double total() const = 0;  ///< weight of all rows
};

class MemoryRows final : public NewtonRows {
public:
    /// Both outlive this.
    MemoryRows(const Matrix& x, const TrainingRows& data, std::size_t units) : x_(x), data_(data), units_(units) {}
    Result<Reached> look(const Units& units) override;
    void accept() override { at_ = std::move(seen_); }
    std::vector<double> slope() const override { return slope_of(x_, data_, at_, units_); }
    Matrix curvature() const override { return curvature_of(x_, data_, at_, units_); }
    double total() const override;

private:
    const Matrix& x_;
    const TrainingRows& data_;
    std::size_t units_;
    Likelihood seen_;
    Likelihood at_;
};

/// Rows in blocks, each look a pass. Columns have mean 0 and spread 1; missing cells are filled in as those in memory are.
class BlockRows final : public NewtonRows {
public:
    /// In one pass. `rows` and `run` outlive this. E-MISSING, E-TRAIN as labelled_rows.
    static Result<BlockRows> prepared(const RowBlocks& rows, std::string_view learner, Run& run);
    const Schema& schema() const { return schema_; }
    const std::vector<DesignTerm>& terms() const { return terms_; }
    const Standard& standard() const { return standard_; }

    Result<Reached> look(const Units& units) override;
    void accept() override { at_ = std::move(seen_); }
    std::vector<double> slope() const override { return at_.slope; }
    Matrix curvature() const override { return at_.curvature; }
    double total() const override { return total_; }

private:
    struct Sums {
        double loss = 0;
        bool correct = true;
        std::vector<double> slope;
        Matrix curvature;

        void add(const Sums& more);
        template <class Self, class Visit>
        static void fields(Self& self, Visit&& visit) {
            visit(self.loss);
            visit(self.correct);
            visit(self.slope);
            visit(self.curvature);
        }
    };
    BlockRows(const RowBlocks& rows, const Run& run) : rows_(&rows), run_(&run) {}
    Status add_block(const Table& block, std::size_t first, const Units& units, Sums& sums) const;

    const RowBlocks* rows_;
    const Run* run_;
    Schema schema_;
    std::vector<DesignTerm> terms_;
    Standard standard_;
    double total_ = 0;
    Sums seen_;
    Sums at_;
};

}  // namespace credence::rt
