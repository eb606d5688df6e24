#pragma once
// The seam between the language and every engine: a Query goes to a Model, an Answer comes back.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/core/method.hpp"
#include "runtime/core/run.hpp"
#include "runtime/data/table.hpp"
#include "runtime/prob/distributions/distribution.hpp"
#include "runtime/prob/factors/factor.hpp"

namespace credence::rt {

struct ModelVariable {
    Variable variable;
    /// `next Candy` is a variable of its own beside Candy: one more draw of the same i.i.d. outcome. Its name is "next Candy".
    bool next = false;
    std::string space = {};  ///< parameters of a parametric space carry the space's name
    /// A quantity that is true or false (D1 > D2): its name reads as an event by itself.
    bool is_event = false;
    bool is_step = false;   ///< only helps to build up another variable, such as a sum over a plate: nobody sees it
    bool is_input = false;  ///< of a hypothesis space: the query gives its value, a word as well as a number
};
using Variables = std::vector<ModelVariable>;

enum class Compare { equal, not_equal, less, less_equal, greater, greater_equal, one_of };

/// X = v, X != v, X < v, X in {…}. Labels are known to be in the domain when the variable is discrete and the operator
/// is equal, not_equal or one_of; order comparisons need numeric labels and were checked for that.
struct Atom {
    VarId variable{};
    Compare compare = Compare::equal;
    std::vector<Label> values;
    Origin origin = Origin::none;
};

/// A boolean combination of atoms.
struct Event {
    enum class Kind { atom, all, any, negation };
    Kind kind = Kind::atom;
    Atom atom;
    std::vector<Event> parts;  ///< of all, any; one for negation
    Origin origin = Origin::none;
};

/// `Candy = [lime, lime]` or `Candy = {lime: 700, cherry: 300}`: independent draws of an i.i.d. outcome. Lists of several variables are
/// read side by side: the i-th values of all of them were seen together.
struct Observations {
    VarId variable{};
    std::vector<Label> values;
    Origin origin = Origin::none;
    std::vector<std::int64_t> counts = {};  ///< how often each value was seen; empty: once each, and in this order

    std::int64_t count(std::size_t i) const { return counts.empty() ? 1 : counts[i]; }
};

/// `Y ~ {a: 0.7, b: 0.3}` (Jeffrey's rule: the new marginal) or `Y likelihood {a: 3, b: 1}` (virtual evidence).
struct SoftEvidence {
    enum class Kind { jeffrey, likelihood };
    Kind kind = Kind::jeffrey;
    VarId variable{};
    std::vector<Number> weights;  ///< one for each label of the variable's domain
    Origin origin = Origin::none;
};

/// A table whose rows are i.i.d. draws (columns matched to the model's variables by name).
struct DataEvidence {
    TablePtr table;
    Origin origin = Origin::none;
};

/// One side of the bar.
struct Clause {
    std::vector<VarId> free;    ///< bare variables, in the order written
    std::vector<Event> events;  ///< and
    std::vector<Observations> observations;
    std::vector<DataEvidence> data;
    std::vector<SoftEvidence> soft;  ///< evidence only
};

struct Intervention {
    VarId variable{};
    Label value;
    Origin origin = Origin::none;
};

/// The engine that a query names, which is one of Model::engines().
struct EngineChoice : MethodCall {
    EngineChoice() : MethodCall{"exact", {}, Origin::none} {}
    bool kept = false;  ///< was chosen for the posterior that is asked, in a statement whose places are gone

    bool is_chosen() const { return kept || origin != Origin::none; }
};

enum class Goal {
    probability,   ///< the numbers
    most_probable  ///< argmax over the free targets, summing out the rest (MAP; MPE when nothing is left)
};

struct Query {
    Clause targets;
    Clause given;
    std::vector<Intervention> doing;
    EngineChoice by;
    Goal goal = Goal::probability;
    Origin origin = Origin::none;
};

/// A joint assignment with its (conditional) probability.
struct Assignment {
    std::vector<std::pair<Variable, Label>> values;
    Number probability;
    std::size_t ties = 1;  ///< how many assignments share the maximum, where known
};

struct Answer {
    std::variant<Number, Factor, DistributionPtr, Assignment> value;
    std::string engine;  ///< what really ran, such as "variable_elimination"
    bool exact = true;
    std::vector<std::pair<std::string, Number>> counts;  ///< that engine's own figures, in a fixed order
    std::optional<Number> standard_error;                ///< of a sampled number (the largest of a sampled factor)
    std::vector<std::string> notes;                      ///< one line each: ties, missing cells left out …
    std::optional<double> log;                           ///< of a number that is not 0 and too small for a double
};

// --- derivations: what `explain` prints -------------------------------------------------------------------------

/// P(event | given), rendered by the language with its own quoting.
struct ProbabilityTerm {
    std::vector<std::pair<std::string, Label>> event;
    std::vector<std::pair<std::string, Label>> given;
};
using DerivationPart = std::variant<std::string, Number, Label, ProbabilityTerm>;  ///< strings are operators, names and prose

struct DerivationLine {
    enum class Kind {
        note,     ///< prose
        formula,  ///< an identity in names, for reading: not evaluated
        heading,  ///< names what the calculation below it is of, where that is not a sum of plain terms: not evaluated
        begin,    ///< opens a calculation: an expression of the language that names what is computed
        step,     ///< "= …": an expression of the language with the same value as the `begin` above
        result,   ///< "= 49/235": the number, shown as fraction and decimal
    };
    Kind kind = Kind::note;
    std::vector<DerivationPart> parts;
};
using Derivation = std::vector<DerivationLine>;

// --- models ---------------------------------------------------------------------------------------------------------

class Json;
class Model;
class Learner;
class NumericModel;
class Predictor;
struct NamedQuantity;
using LearnerPtr = std::shared_ptr<const Learner>;

/// A part of what a model has learned or declares, for people: shown below its description, and a field of `summary`.
struct ModelPart {
    using NamedDistributions = std::vector<std::pair<std::string, DistributionPtr>>;
    std::string name;
    std::variant<Number, std::string, TablePtr, Factor, NamedDistributions> value;
    bool only_in_summary = false;  ///< too much for the model itself
};
using ModelParts = std::vector<ModelPart>;

class Model {
public:
    virtual ~Model() = default;
    virtual std::string_view kind() const = 0;  ///< "net", "hypotheses", "table", …, or the name of the learner that made it
    virtual const Variables& variables() const = 0;
    virtual Result<Answer> ask(const Query& query, Run& run) const = 0;
    /// n rows over all variables (only those not `next`), drawn under the evidence.
    virtual Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const = 0;
    virtual Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const = 0;
    /// The engines that `by` may name here, the default first.
    virtual std::vector<MethodInfo> engines() const = 0;

    // What not every model can: the defaults say so (learning.cpp).
    virtual const Predictor* predictor() const { return nullptr; }   ///< the model as one that predicts a target column
    virtual std::string description() const { return {}; }           ///< one line for people: "PlayTennis from Outlook, Wind (14 rows)"
    virtual ModelParts parts() const { return {}; }                  ///< what it has learned, the main thing first
    virtual const NumericModel* numeric() const { return nullptr; }  ///< the model as one that E can ask for a term (continuous_net.hpp)
    virtual Status check_trained() const { return Done{}; }          ///< E-HOLE if nothing can be asked before it is trained
    virtual std::vector<MethodInfo> training_methods() const { return {}; }
    /// A learner that fills this model's holes, by one of training_methods(); without a name the data decide.
    virtual Result<LearnerPtr> trainer(const MethodCall& by) const;
    virtual Result<ModelPtr> update(const TableView& rows, std::span<const double> row_weights, Run& run) const;  ///< learns on
    virtual Result<Json> save() const;  ///< what a loader registered under kind() makes the same model of
    /// This model (which `self` holds) with a variable for each quantity after its own; by default through its joint table (extended.hpp).
    virtual Result<ModelPtr> with_quantities(const ModelPtr& self, const std::vector<NamedQuantity>& quantities, Run& run) const;
};

/// What column after `->` a learner needs.
enum class TargetKind {
    none,    ///< models all columns alike
    label,   ///< a numeric target's numbers are taken as labels
    number,  ///< a label target is an error
    either,  ///< classifies labels, regresses numbers
};

class Learner {
public:
    virtual ~Learner() = default;
    virtual std::string_view name() const = 0;
    virtual TargetKind target() const = 0;
    /// The same of this numeric column, for one whose needs depend on the numbers.
    virtual TargetKind target_for(const Column& numbers) const;
    /// Whether fitting, or what was fitted, calls back into the script: then folds and the like are not done side by side.
    virtual bool single_threaded() const { return false; }
    /// Called through `train` (learning.hpp), which has seen to it that there are rows, that the target is there, of the right kind and
    /// nowhere missing, and that the weights (one for each row of the view, or none: all 1) are finite and positive. Feature cells may be
    /// missing.
    virtual Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const = 0;
    /// The trace that `explain train …` prints; `fitted` is what fit gave for the same rows. Default: no lines.
    virtual Result<Derivation> explain_fit(const TableView& rows, std::span<const double> row_weights, const Model& fitted, Run& run) const;
};

}  // namespace credence::rt
