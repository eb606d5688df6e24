#pragma once
// Densities of one family that differ in their data alone, as one operation over arrays: the rows of a regression, the members of a plate.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/prob/distributions/family.hpp"

namespace credence::rt::continuous {

/// Linear functions of nodes of a tape, one for each row: offset + Σ coefficient · node.
struct LinearRows {
    std::vector<double> offsets;
    std::vector<std::uint32_t> nodes;  ///< the columns
    bool dense = false;
    std::vector<double> matrix;         ///< dense: column by column
    std::vector<std::uint32_t> starts;  ///< else: where each row begins in the two arrays, and their end
    std::vector<std::uint32_t> columns;
    std::vector<double> coefficients;

    std::size_t rows() const { return offsets.size(); }
    std::size_t entries() const { return dense ? matrix.size() : coefficients.size(); }
    void evaluate(const double* values, std::span<double> out) const;
    /// adjoint of each node += factor · Σ slope of the row · coefficient
    void scatter(std::span<const double> slopes, double factor, double* adjoints) const;
    friend bool operator==(const LinearRows&, const LinearRows&) = default;
};

/// One row of such functions while they are collected.
struct LinearRow {
    double offset = 0;
    std::vector<std::pair<std::uint32_t, double>> parts = {};

    void add(std::uint32_t node, double coefficient);
};
LinearRows linear_rows(std::span<const LinearRow> rows);

/// The squares of fewer rows with the same sum, but for `rest`: the triangles of the QR decompositions of the rows about the same nodes, or
/// of all. Nothing if these are not smaller.
struct ReducedSquares {
    LinearRows rows;
    double rest = 0;
};
std::optional<ReducedSquares> reduced_squares(std::span<const LinearRow> rows);

/// x, or a parameter of the densities.
struct BatchArgument {
    enum class Link : std::uint8_t { identity, exp, logistic };
    std::optional<std::uint32_t> shared = std::nullopt;  ///< one node for all rows
    Link link = Link::identity;                          ///< else a function of the linear one
    LinearRows rows = {};
    friend bool operator==(const BatchArgument&, const BatchArgument&) = default;
};

struct Batch {
    /// `squares`: normal with one spread; the first argument is x − mean, the second the spread. `tails`: the same of student_t, with the
    /// degrees between them. `logits`: labels or numbers of hits with the logit of their probability. `rates`: poisson with the logarithm
    /// of the rate. `spreads`: normal, each row with its own spread. `general`: any family, x and its parameters.
    enum class Form : std::uint8_t { squares, tails, logits, rates, spreads, general };
    Form form = Form::general;
    Family family = Family::normal;
    std::vector<double> weights = {};  ///< how often each row occurs
    double count = 0;                  ///< their sum
    double rest = 0;                   ///< squares: what is left of them when all rows are 0; logits and rates: what is the same everywhere
    std::vector<double> trials = {};   ///< logits of numbers of hits
    std::vector<BatchArgument> arguments = {};

    std::size_t entries() const;
    friend bool operator==(const Batch&, const Batch&) = default;
};

/// Room for one evaluation.
struct BatchWork {
    std::vector<std::vector<double>> values;  ///< by argument
    std::vector<std::vector<double>> slopes;
    std::vector<double> shared_slopes;
    /// tails: the degrees seen last, ln of the constant of their density, and its slope
    double degrees = 0;
    double log_constant = 0;
    double slope_of_constant = 0;
};
BatchWork work_of(const Batch& batch);

/// Σ weight · ln f, with its derivatives kept in `work` for `batch_back`.
double batch_value(const Batch& batch, const double* values, BatchWork& work);
void batch_back(const Batch& batch, double adjoint, const BatchWork& work, double* adjoints);

}  // namespace credence::rt::continuous
