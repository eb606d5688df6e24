#pragma once
// What a long session gives up: values that no name means any more, and texts that no value points into.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/world/scope.hpp"
#include "lang/world/world.hpp"

namespace credence::lang {

/// A global stays while a name means it, or while a text may be run again whose names may mean it. A text may be run again while a
/// closure or a model points into it: each holds its program.
class Reachable {
public:
    /// What is there at this moment is there for good.
    void begin(const World& world) { first_ = world.programs.size(); }
    /// After a text has run. Over many texts, the work is in proportion to what they declare.
    void tidy(World& world, Scope& scope);

private:
    void take_in(World& world);
    void release(World& world, std::uint32_t slot);
    void look_at_programs(World& world);
    std::vector<std::uint32_t> only_holders(const World& world, const std::shared_ptr<Program>& program) const;

    std::size_t first_ = 0;                                ///< of the programs, those of the library
    std::size_t known_ = 0;                                ///< programs after these whose uses are counted
    std::unordered_map<std::uint32_t, std::size_t> used_;  ///< by how many programs
    std::unordered_set<std::uint32_t> hidden_;             ///< slots that no name means, and that have a value
    std::size_t changes_ = 0;                              ///< slots hidden or released since the programs were looked at
};

}  // namespace credence::lang
