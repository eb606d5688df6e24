#pragma once
// The space of conjunctive concepts, and its version space without listing it. Mitchell, Machine Learning, chapter 2.

#include "runtime/hypotheses/concepts.hpp"

namespace credence::rt {

/// How hypotheses are weighed before the data. `specific`: twice the weight for each column that a hypothesis constrains, and again for ∅.
enum class ConceptPrior { uniform, specific, given };

struct ConjunctionSettings {
    ConceptPrior prior = ConceptPrior::uniform;
    std::function<Result<Number>(const Concept&)> weight = {};  ///< of ConceptPrior::given
    Number noise = 0;
};

class Conjunctions final : public ConceptSpace {
public:
    Conjunctions(ConceptSchema concepts, ConjunctionSettings settings)
        : ConceptSpace(std::move(concepts)), settings_(std::move(settings)) {}
    std::string_view kind() const override { return "conjunctions"; }
    /// Of those that differ in some instance: a column with one value is not constrained, and all that have an ∅ are one.
    Rational size() const;
    Rational syntactic() const;
    const Number& noise() const override { return settings_.noise; }
    bool is_uniform() const override { return settings_.prior == ConceptPrior::uniform; }
    Result<Number> weight(const Concept& hypothesis) const override;
    Result<VersionSpacePtr> version_space(std::span<const ConceptExample> examples, const Run& run) const override;
    ConceptSpacePtr over(const Schema& wider) const override {
        return std::make_shared<const Conjunctions>(ConceptSchema{wider, positive_}, settings_);
    }
    Result<Json> save() const override;

private:
    ConjunctionSettings settings_;
};

/// Schema, prior and noise of a space; E-FILE if the prior is a function.
Result<Json> saved_space(const ConceptSpace& space, const ConjunctionSettings& settings);

/// S and G after each example. S is one conjunction at most.
class Boundary {
public:
    explicit Boundary(const Schema& schema);
    Status add(const ConceptExample& example, const Run& run);  ///< E-COST if G grows beyond limits
    bool collapsed() const { return general_.empty(); }
    const Cells& specific() const { return specific_; }
    const std::vector<Cells>& general() const { return general_; }

private:
    void specialise(const Cells& g, const Cells& negative, std::vector<Cells>& out) const;

    const Schema* schema_;
    Cells specific_;
    std::vector<Cells> general_;
};

/// The least conjunction that covers both.
void generalise(Cells& conjunction, const Cells& instance);

}  // namespace credence::rt
