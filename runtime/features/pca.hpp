#pragma once
// Principal components: the directions in which the rows of a table spread most.

#include <optional>

#include "runtime/core/linalg.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct PcaOptions {
    std::optional<std::size_t> k;  ///< components to keep
    std::optional<double> share;   ///< or as many as explain this share of the variance; neither: all
    bool standard = false;         ///< columns divided by their standard deviations first
    bool whiten = false;           ///< transformed columns have variance 1
};

class PrincipalComponents final : public Model {
public:
    std::string_view kind() const override { return "pca"; }
    const Variables& variables() const override { return variables_; }
    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override;
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override;
    std::vector<MethodInfo> engines() const override { return {MethodInfo{.name = "pca"}}; }
    std::string description() const override;
    Result<Json> save() const override;
    Json saved_components() const;
    ModelParts parts() const override;

    std::size_t kept() const { return components.rows; }
    /// Columns pc1 … pck in the place of the columns that were analysed; all others stay.
    Result<TablePtr> transform(const Table& table) const;
    /// The analysed columns again, from pc1 … pck.
    Result<TablePtr> back(const Table& table) const;

    std::vector<std::string> columns;
    std::vector<double> mean;
    std::vector<double> spread;       ///< what columns were divided by
    std::vector<double> eigenvalues;  ///< all of them, descending; of the sample covariance (n − 1)
    std::vector<double> explained;    ///< each one's share of their sum
    Matrix components;                ///< kept × columns; unit length, the entry of largest size positive
    bool whiten = false;
    std::size_t rows = 0;

private:
    Variables variables_;
};

/// Of the numeric columns but the target. Label columns and rows with missing cells are left out, with a note.
Result<std::shared_ptr<const PrincipalComponents>> principal_components(const Table& table, const PcaOptions& options, Run& run);
/// The means, the covariances, and for each component its direction, its variance and its share.
Result<Derivation> explain_components(const Table& table, const PcaOptions& options, Run& run);
Result<ModelPtr> load_pca(const Json& json);

}  // namespace credence::rt
