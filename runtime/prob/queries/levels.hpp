#pragma once
// Statistics of a list whose members are independent. The values are gone through one after the other; at each some of the members that
// are left take it, c of r in binomial(r, c) ways. A state is how many members are left and what the statistics have come to, so the
// work grows with the number of members and of values, not with the number of lists. Members with the same probabilities are not told
// apart; each kind of member has a count of its own.

#include <unordered_map>

#include "runtime/core/log_prob.hpp"
#include "runtime/prob/factors/work.hpp"
#include "runtime/prob/queries/list_statistic.hpp"

namespace credence::rt {

/// Members with the same weights, one for each value.
template <Prob P>
struct LevelMembers {
    std::vector<P> weights;
    std::size_t count = 0;
};

class Levels {
public:
    /// `values` are all those that a member can have, in any order. Nothing if the statistics cannot be read off them one by one, such
    /// as a sum of numbers that are not exact.
    static std::optional<Levels> make(std::span<const ListStatistic> statistics, std::vector<Label> values);

    const std::vector<Label>& values() const { return values_; }  ///< in the order in which weights are given
    /// Steps that it takes for so many members of each kind, roughly.
    double cost(std::span<const std::size_t> counts) const;

    /// The statistics, in order, with their weights.
    template <Prob P>
    using Outcomes = std::vector<std::pair<std::vector<Label>, P>>;
    template <Prob P>
    Result<Outcomes<P>> outcomes(std::span<const LevelMembers<P>> members, Work& work);

private:
    using State = std::int64_t;

    /// One statistic as it is read.
    struct Reader {
        ListStatistic::Kind kind;
        std::size_t rank = 0;             // picked: in the order of reading
        std::vector<State> weights = {};  // ranked: sums of the weights of the first so many ranks read
        std::vector<State> scaled = {};   // ranked: the values as whole multiples of 1 / scale
        Rational scale = 1;
        std::size_t needed = 0;                      // members after which it is settled; all where it never is before
        Fold fold = Fold::sum;                       // counted
        std::vector<std::vector<State>> worth = {};  // counted: by value and count
        std::vector<Label> pool = {};                // counted: what the states stand for
        std::unordered_map<std::string, State> state_of = {};
        std::unordered_map<std::uint64_t, State> known = {};
        State start = 0;

        State number(const Label& label);
        Result<State> folded(State a, State b);
    };

    std::optional<Reader> ranked_reader(const ListStatistic& statistic, bool from_top) const;
    std::optional<Reader> counted_reader(const ListStatistic& statistic) const;
    /// After so many of the members that are left have taken a value.
    static Result<State> step(Reader& reader, State state, std::size_t level, std::size_t used, std::size_t count);
    Label label(const Reader& reader, State state) const;

    std::size_t members_ = 0;
    std::size_t needed_ = 0;  // members after which everything is settled
    std::vector<Label> values_;
    std::vector<Reader> readers_;

    template <Prob P>
    class Pass;
};

extern template Result<Levels::Outcomes<Rational>> Levels::outcomes(std::span<const LevelMembers<Rational>>, Work&);
extern template Result<Levels::Outcomes<LogProb>> Levels::outcomes(std::span<const LevelMembers<LogProb>>, Work&);

}  // namespace credence::rt
