#pragma once
// Concepts: subsets of the instances that a table's columns allow, and spaces of them to learn in.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// One cell for each column: the code of a value, `any_value` (?) or `no_value` (∅).
using Cells = std::vector<std::int32_t>;
constexpr std::int32_t any_value = -1;
constexpr std::int32_t no_value = -2;

bool covers(const Cells& conjunction, const Cells& instance);
/// More general or equal: every instance that b covers is covered by a.
bool more_general(const Cells& a, const Cells& b);

/// A hypothesis: it holds for an instance that one of its terms covers. A hypothesis given by a function has a name and no terms.
struct Concept {
    std::string name = {};
    std::vector<Cells> terms = {};

    friend bool operator==(const Concept& a, const Concept& b) { return a.name == b.name && a.terms == b.terms; }
};

/// A labelled instance.
struct ConceptExample {
    Cells cells;
    bool positive = false;
    double weight = 1;
    std::size_t row = 0;  ///< of the table, from 0
};

/// The hypotheses of a space that agree with all the examples.
class VersionSpace {
public:
    virtual ~VersionSpace() = default;
    virtual Result<Rational> size() const = 0;
    /// How many of them hold for the instance.
    virtual Result<Rational> holding(const Cells& instance) const = 0;
    virtual Result<std::vector<Concept>> specific() const = 0;  ///< S: the most specific ones
    virtual Result<std::vector<Concept>> general() const = 0;   ///< G: the most general ones
    virtual Result<std::vector<Concept>> members() const = 0;   ///< E-COST if they are too many to list
};
using VersionSpacePtr = std::shared_ptr<const VersionSpace>;

/// The columns of a concept as labels, two labels of the target, and which of them is in the concept.
struct ConceptSchema {
    Schema schema;
    std::size_t positive = 0;
};

/// A space of concepts over the columns of a table.
class ConceptSpace {
public:
    explicit ConceptSpace(ConceptSchema concepts) : schema_(std::move(concepts.schema)), positive_(concepts.positive) {}
    virtual ~ConceptSpace() = default;
    const Schema& schema() const { return schema_; }  ///< label columns; a target of two labels
    std::size_t positive() const { return positive_; }
    virtual std::string_view kind() const = 0;
    virtual const Number& noise() const = 0;                             ///< the probability that an example has the wrong label
    virtual bool is_uniform() const = 0;                                 ///< the prior
    virtual Result<Number> weight(const Concept& hypothesis) const = 0;  ///< before the data, not normalised
    /// Default: by its terms. A value beyond those of the schema's column equals none of them.
    virtual Result<bool> holds(const Concept& hypothesis, const Cells& instance) const;
    /// The same hypotheses over columns with more values; null if they need not know what these are.
    virtual std::shared_ptr<const ConceptSpace> over(const Schema& wider) const;
    /// What is left after the examples, in order; after none, the whole space. Nothing is listed unless it must be. Members come in the
    /// order in which ties are broken: the more specific first.
    virtual Result<std::shared_ptr<const VersionSpace>> version_space(std::span<const ConceptExample> examples, const Run& run) const = 0;
    /// What `load_concept_space` makes the same space of; E-FILE if functions of the script are part of it.
    virtual Result<Json> save() const = 0;

protected:
    Schema schema_;
    std::size_t positive_;
};
using ConceptSpacePtr = std::shared_ptr<const ConceptSpace>;

struct NamedDomain {
    std::string column;
    std::vector<Label> values;
    Origin origin = Origin::none;
};
/// The schema of the table with its columns as labels, the values of columns that `domains` names as given there, and the label that is
/// positive: the one given, or the one that says so (yes, true, +, positive, pos, 1), or else the last declared. E-TRAIN if the target
/// has more than two labels.
Result<ConceptSchema> concept_schema(const Table& table, std::span<const NamedDomain> domains, const std::optional<Label>& positive);

/// The rows as examples of the space; E-LABEL, E-MISSING or E-COLUMN if a cell is none of its values.
Result<std::vector<ConceptExample>> examples_of(const ConceptSpace& space, const TableView& rows, std::span<const double> weights);
Cells cells_of(const Table& aligned, std::size_t row);

Rational instance_count(const Schema& schema);
/// Calls use for every instance in the order of the values, the last column fastest, until it says stop. E-COST beyond the limit.
Status each_instance(const Schema& schema, const std::function<bool(const Cells&)>& use);

std::string text_of(const Cells& cells, const Schema& schema);         ///< <Sunny, ?, ∅>
std::string text_of(const Concept& hypothesis, const Schema& schema);  ///< a term; several in braces; a name
std::string text_of(std::span<const Concept> hypotheses, const Schema& schema);

/// Most general and most specific hypotheses of a list, by the instances they hold for.
struct Boundaries {
    std::vector<Concept> specific;
    std::vector<Concept> general;
};
Result<Boundaries> boundaries_of(const ConceptSpace& space, std::span<const Concept> members);

}  // namespace credence::rt
