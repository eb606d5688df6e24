#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/case.hpp"
#include "runtime/prob/declared/hypotheses.hpp"
#include "runtime/prob/models/model_parts.hpp"

namespace credence::rt {

namespace {

class DeclaredSpace : public HypothesesModel {
public:
    explicit DeclaredSpace(HypothesisSpace space) : space_(std::move(space)), variables_(variables_of(space_)) {}
    const HypothesisSpace& space() const override { return space_; }
    std::string_view kind() const override { return "hypotheses"; }
    const Variables& variables() const override { return variables_; }
    Result<Answer> ask(const Query& query, Run& run) const override { return ask_space(space_, variables_, query, run); }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        return sample_space(space_, variables_, n, given, run);
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        return explain_space(space_, variables_, query, answer, run);
    }
    std::vector<MethodInfo> engines() const override { return {exact_engine, enumeration_engine}; }
    /// The prior, and each hypothesis's distribution of the outcome.
    ModelParts parts() const override {
        constexpr std::size_t most = 200;
        const std::size_t count = space_.prior.size();
        ModelParts out{count_part("hypotheses", count)};
        if (space_.prior.is_uniform()) {
            out.push_back(words_part("prior", "uniform"));
        } else if (count <= most) {
            std::vector<Number> prior;
            for (std::size_t h = 0; h < count; ++h) prior.push_back(space_.prior[h]);
            out.push_back({"prior", Factor::of_numbers(space_.parameters, prior)});
        }
        if (!space_.table.empty() && count <= most) {
            std::vector<Variable> variables = space_.parameters;
            variables.push_back(space_.outcome);
            out.push_back({space_.outcome.name, Factor::of_numbers(std::move(variables), space_.table)});
        }
        return out;
    }

private:
    HypothesisSpace space_;
    Variables variables_;
};

}  // namespace

std::shared_ptr<const HypothesesModel> make_hypotheses_model(HypothesisSpace space) {
    return std::make_shared<const DeclaredSpace>(std::move(space));
}

}  // namespace credence::rt
