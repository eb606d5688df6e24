#pragma once
// Support vector machines as learners and models of tables.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/margin/kernel.hpp"
#include "runtime/margin/platt.hpp"
#include "runtime/prob/learning/training_rows.hpp"

namespace credence::rt {

enum class Multiclass { one_vs_one, one_vs_rest };

struct SvmOptions {
    Kernel kernel;
    double c = 1;
    double epsilon = 0.1;  ///< half the width of the tube, regression only
    Multiclass multiclass = Multiclass::one_vs_one;
    bool probability = false;
    std::vector<std::pair<std::string, double>> class_weights;
    std::optional<Scaling> scale;     ///< of the numeric columns
    std::optional<double> tolerance;  ///< of the KKT conditions; none: 1e-8 up to 1,000 rows, 1e-3 beyond
};

/// One decision function: Σ coefficient·K(support vector, x) + bias.
struct Machine {
    std::size_t positive = 0;             ///< label whose side is above 0
    std::optional<std::size_t> negative;  ///< none: all other labels
    std::vector<std::uint32_t> support;   ///< positions in the model's support vectors
    std::vector<double> coefficients;     ///< sign·α (regression: α − α*)
    double bias = 0;
    double objective = 0;  ///< of the dual, maximised
    double kkt = 0;        ///< largest violation of the conditions of optimality
    PlattSigmoid platt;
    std::vector<double> w;  ///< of a linear kernel
};

struct MarginModel {
    Kernel kernel;
    std::vector<DesignTerm> terms;
    Matrix vectors;  ///< the support vectors of all machines
    Points points;
    TablePtr support;  ///< their rows of the table, with α
    std::vector<Machine> machines;
    bool probability = false;
    Multiclass multiclass = Multiclass::one_vs_one;

    void prepare();  ///< points and w, from the rest
    /// rows × machines. E-… only where a kernel of the script fails.
    Result<Matrix> decisions(const TableView& rows, Run& run) const;
    double margin(const Machine& machine) const;  ///< 2/|w|, |w|² = Σ Σ coefficients·K
};

class MarginPart {
public:
    explicit MarginPart(MarginModel model) : margin_(std::move(model)) {}
    virtual ~MarginPart() = default;
    const MarginModel& margin_model() const { return margin_; }
    virtual std::string machine_name(std::size_t machine) const = 0;  ///< "b against a"

protected:
    Result<Json> saved_margin() const;
    ModelParts margin_parts() const;
    Result<Derivation> told_decisions(const TableView& rows, Run& run) const;
    MarginModel margin_;
};

class SvmClassifier final : public Classifier, public MarginPart {
public:
    SvmClassifier(Schema schema, std::size_t rows, MarginModel model) : Classifier(std::move(schema), rows), MarginPart(std::move(model)) {}
    std::string_view kind() const override { return "svm"; }
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
    bool gives_probabilities() const override { return margin_.probability; }
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override;
    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override { return margin_parts(); }
    std::string machine_name(std::size_t machine) const override;
};

class SvmRegressor final : public Regressor, public MarginPart {
public:
    SvmRegressor(Schema schema, std::size_t rows, MarginModel model) : Regressor(std::move(schema), rows), MarginPart(std::move(model)) {}
    std::string_view kind() const override { return "svr"; }
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override { return told_decisions(rows, run); }
    Result<Json> save() const override;
    ModelParts parts() const override { return margin_parts(); }
    std::string machine_name(std::size_t) const override { return schema_.target.name; }
};

LearnerPtr make_svm(SvmOptions options);
LearnerPtr make_svr(SvmOptions options);
Result<ModelPtr> load_svm(std::string_view kind, const Json& json);

}  // namespace credence::rt
