#pragma once
// A model of all its variables alike (a net, a table), asked for one of them given the cells of a row.

#include <string>
#include <utility>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

struct OpenQuestion {
    const Model* model = nullptr;
    VarId target{};
    std::vector<std::pair<VarId, const Column*>> given = {};

    /// Cells that are missing, or whose label the model does not know, are left open.
    Query at(std::size_t row) const;
    Query alone() const;  ///< P(target)
    /// P(target | the row's cells). A row that the model holds for impossible gets P(target), and `impossible` counts it: held-out rows
    /// meet combinations that training never saw.
    Result<Answer> answer(std::size_t row, std::size_t& impossible, Run& run) const;
};

/// The other variables are given where the table has a column of their name.
OpenQuestion question_of(const Model& model, const Table& table, const std::string& target);

/// Tells of the rows that got P(target) alone.
void note_impossible(std::size_t rows, const std::string& target, Run& run);

}  // namespace credence::rt
