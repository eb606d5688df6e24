#pragma once
// Junction trees: the cliques of a triangulated net as a tree along which evidence travels (Lauritzen & Spiegelhalter 1988).
// A JunctionTree is the shape alone, shared by all who use it; a Propagation (propagation.hpp) has the numbers.

#include <memory>
#include <span>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/nets/sweep.hpp"
#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

/// Whether the joint distribution over each factor's scope is wanted as well (for learning).
enum class Families { no, yes };

/// The factors a tree is made for, known by their variables alone.
struct JunctionScopes {
    static constexpr Slot no_slot = UINT32_MAX;

    Sizes sizes;                              ///< by variable
    std::vector<std::vector<Slot>> scopes;    ///< of the factors
    std::vector<Slot> child;                  ///< by factor: the variable over which it sums to 1 whatever the others are, or no_slot
    std::vector<std::vector<Slot>> together;  ///< sets of variables that one clique must hold
    Families families = Families::no;
    const SlotNames* names = nullptr;  ///< for messages; may be null
};

struct JunctionCounts {
    std::size_t cliques = 0;
    double largest = 0;  ///< entries of the largest clique
    double entries = 0;  ///< of all cliques together
};

class JunctionTree {
public:
    /// E-COST, naming the largest clique, where it has more entries than the limits allow or the messages more bytes.
    static Result<std::shared_ptr<const JunctionTree>> compile(const JunctionScopes& scopes, const Run& run);
    /// Factor i is the table of node i, over its parents and itself.
    static Result<std::shared_ptr<const JunctionTree>> compile(const Net& net, Families families, const Run& run);

    const JunctionCounts& counts() const { return counts_; }
    const Sizes& sizes() const { return sizes_; }
    bool has(Slot variable) const { return home_[variable] >= 0; }
    /// Whether one clique holds all of them.
    bool holds(std::span<const Slot> variables) const { return clique_with(variables) >= 0; }

private:
    friend class Propagation;

    enum class From : std::uint8_t { table, likelihood, above, below };
    enum class To : std::uint8_t { above, below, marginal, family };
    struct Input {
        Operand operand;
        From from;
        std::uint32_t index;  // of the table, the variable or the clique
    };
    struct Output {
        Operand operand;
        To to;
        std::uint32_t index;  // of the clique, the variable or the factor
    };
    /// Cliques are in preorder: the subtree of clique k is k … end−1.
    struct Clique {
        std::uint32_t members = 0;  // begin; the latest eliminated first
        std::uint32_t size = 0;
        std::int32_t parent = -1;
        std::uint32_t end = 0;
        double entries = 1;
        std::uint32_t message = 0;  // offset of the message to and from the parent
        std::uint32_t message_size = 0;
        bool vacuous = false;  // without evidence in its subtree the message to the parent is 1
        CliqueLayout layout;
        std::uint32_t inputs = 0;
        std::uint32_t inputs_end = 0;
        std::uint32_t outputs = 0;
        std::uint32_t outputs_end = 0;
    };
    /// The product of factors of a clique whose joint scope is small beside it.
    struct Table {
        std::uint32_t scope = 0;  // begin among the members
        std::uint32_t scope_size = 0;
        std::uint32_t offset = 0;
        std::uint32_t entries = 0;
        std::vector<std::uint32_t> factors;
    };

    struct Builder;
    std::int32_t clique_with(std::span<const Slot> variables) const;
    std::span<const Slot> members(const Clique& clique) const { return std::span(members_).subspan(clique.members, clique.size); }
    std::span<const Slot> scope(const Table& table) const { return std::span(members_).subspan(table.scope, table.scope_size); }

    Sizes sizes_;
    std::vector<std::vector<Slot>> scopes_;
    std::vector<Slot> members_;
    std::vector<Clique> cliques_;
    std::vector<Table> tables_;
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    Numbers numbers_;
    std::vector<std::int32_t> home_;              // by variable: its smallest clique
    std::vector<std::uint32_t> factor_clique_;    // by factor
    std::vector<std::uint32_t> marginal_offset_;  // by variable
    std::vector<std::uint32_t> family_offset_;    // by factor
    std::size_t messages_size_ = 0;
    std::size_t tables_size_ = 0;
    std::size_t marginals_size_ = 0;
    std::size_t families_size_ = 0;
    JunctionCounts counts_;
};
using JunctionTreePtr = std::shared_ptr<const JunctionTree>;

}  // namespace credence::rt
