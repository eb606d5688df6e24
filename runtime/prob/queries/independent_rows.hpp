#pragma once
// The probability of a list, of counts or of a table under a model whose rows have nothing in common but the model itself: a table, a
// mixture, a trained model. It is the product over the rows; equal rows make a power.

#include <functional>
#include <optional>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// Whether a list, counts or a table stands among the targets.
bool asks_for_rows(const Query& query);

/// Equal rows: what is asked of each of them, and what is given for it.
struct IndependentRow {
    std::vector<std::pair<VarId, Label>> asked;
    std::vector<std::pair<VarId, Label>> given;
    std::int64_t count = 1;
};
/// `predicted`: the one variable that the model predicts from the others of its row.
Result<std::vector<IndependentRow>> rows_of_data(const Variables& variables, const Query& query, std::optional<VarId> predicted = {});

/// The probability of one row, or its density with the logarithm.
using RowAsker = std::function<Result<Answer>(const Query& row)>;
/// Each different row is asked of the model once, by `of_row` where that is given.
Result<Answer> ask_rows(const Model& model, const Query& query, Run& run, std::optional<VarId> predicted = {}, const RowAsker& of_row = {});
Result<Derivation> explain_row_product(const Model& model, const Query& query, const Answer& answer, Run& run,
                                       std::optional<VarId> predicted = {});

}  // namespace credence::rt
