#pragma once
// The labels of rows and their probabilities, asked for together.

#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// A classifier whose work is done when it is asked, by a search or by a local model: one of it serves both.
class AnswersTogether {
public:
    virtual ~AnswersTogether() = default;
    virtual Status answer(const TableView& rows, std::span<std::int32_t> labels, std::span<double> probabilities, Run& run) const = 0;
};

/// The results of classify() and probabilities() for the rows.
Status answers_of(const Classifier& model, const TableView& rows, std::span<std::int32_t> labels, std::span<double> probabilities,
                  Run& run);

/// The most probable label of each row, the first declared among equals.
void most_probable(std::span<const double> probabilities, std::span<std::int32_t> labels);

}  // namespace credence::rt
