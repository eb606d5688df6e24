#pragma once
// Classifiers and regressors that differ only in what they predict, around one part that is the same in both.

#include <utility>

#include "runtime/prob/models/predictor.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

/// `Base` is Classifier or Regressor. The part has `part_kind`, the kind of both models; `part_key`, the member of a file that holds it;
/// saved_part(), listed_parts() and explained(). A part that needs every cell says so by `needs_all_cells`.
template <class Base, class Part>
class PredictorOf : public Base, public Part {
public:
    template <class... Rest>
    PredictorOf(Schema schema, std::size_t rows, Rest&&... rest) : Base(std::move(schema), rows), Part(std::forward<Rest>(rest)...) {}
    std::string_view kind() const override { return Part::part_kind; }
    bool takes_missing() const override {
        return !requires { Part::needs_all_cells; };
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override { return this->explained(*this, rows, run); }
    Result<Json> save() const override {
        auto part = TRY(this->saved_part());
        return Json{{"schema", saved(this->schema_)}, {"rows", this->rows_seen_}, {Part::part_key, std::move(part)}};
    }
    ModelParts parts() const override { return this->listed_parts(this->schema_, this->rows_seen_); }
};

/// The classifier where the target has labels, else the regressor.
template <class Labels, class Numbers, class... Rest>
ModelPtr predictor_for(Schema schema, std::size_t rows, Rest&&... rest) {
    if (schema.target.kind == ColumnKind::label)
        return std::make_shared<const Labels>(std::move(schema), rows, std::forward<Rest>(rest)...);
    return std::make_shared<const Numbers>(std::move(schema), rows, std::forward<Rest>(rest)...);
}

}  // namespace credence::rt
