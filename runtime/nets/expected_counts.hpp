#pragma once
// Counts of families under data with missing cells, expected ones where cells are missing: the E-step of EM and the gradient.

#include <memory>
#include <vector>

#include "runtime/nets/junction_tree.hpp"
#include "runtime/nets/learn.hpp"

namespace credence::rt {

class Propagation;

/// Given the observed cells of a row, its missing cells fall into groups that share no table: each is summed over by itself, and rows
/// that agree on all a group can see of them share the sum. Small groups are enumerated; larger ones have a junction tree over the missing
/// cells alone where enough rows need it, else the row goes through the tree of the whole net.
class ExpectedCounts {
public:
    static Result<ExpectedCounts> make(const Net& net, NetData data, const Run& run);
    /// ln P(data | tables); counts get the expected number of each entry of each table.
    Result<double> count(const NetTables& tables, NetTables& counts, Run& run);
    const NetData& data() const { return data_; }

private:
    /// Missing cells that depend on each other, with all the ways in which the rows have their surroundings.
    struct Group {
        std::vector<Slot> hidden;               ///< ascending
        std::vector<std::uint32_t> families;    ///< the nodes whose table has one of them
        std::vector<std::vector<Slot>> scopes;  ///< by family: the hidden ones in its table
        std::vector<std::vector<std::size_t>> strides;
        std::size_t combinations = 0;      ///< of the hidden values; 0: too many, there is a tree
        std::vector<std::uint32_t> steps;  ///< family by family, by combination: from the base to the entry
        JunctionTreePtr tree;
        std::vector<std::size_t>
            bases;                    ///< surroundings by surroundings, by family: the entry where all hidden ones have their first value
        std::vector<double> weights;  ///< of the surroundings
    };
    struct Piece {  ///< a stretch of surroundings of one group
        std::uint32_t group;
        std::uint32_t begin;
        std::uint32_t end;
    };
    struct Tally {  ///< what one chunk of the work adds up
        std::vector<double> counts;
        double log = 0;
        std::optional<Fault> fault;

        template <class Self, class Visit>
        static void fields(Self& self, Visit&& visit) {
            visit(self.counts);
            visit(self.log);
            visit(self.fault);
        }
    };
    struct Sorter;

    void by_enumeration(const Group& group, Piece piece, const NetTables& tables, Tally& tally) const;
    void by_tree(const Group& group, Piece piece, const NetTables& tables, const Run& run, Tally& tally) const;
    void by_whole_tree(std::size_t begin, std::size_t end, const NetTables& tables, const Run& run, Tally& tally) const;
    Fault impossible_row() const;
    double cost() const;  ///< of counting once, in elementary operations, roughly
    /// ln P of the evidence; nothing, and the fault in the tally, if there is none.
    std::optional<double> calibrated(Propagation& propagation, const Run& run, Tally& tally) const;

    const Net* net_ = nullptr;
    NetData data_;
    NetTables fixed_;  ///< counts of the families without a missing cell
    std::vector<Group> groups_;
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> whole_rows_;  ///< rows for the tree of the whole net
    JunctionTreePtr whole_;
};

}  // namespace credence::rt
