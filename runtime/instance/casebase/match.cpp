#include "runtime/instance/casebase/match.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "runtime/core/contains.hpp"

namespace credence::rt {

int KindNames::number(const std::string& kind) {
    if (kind.empty()) return -1;
    return numbers_.try_emplace(kind, static_cast<int>(numbers_.size())).first->second;
}

CompiledGraph compile_graph(const FunctionGraph& graph, KindNames& names) {
    CompiledGraph out;
    for (const auto& q : graph.quantities) {
        out.kinds.push_back(names.number(q.kind));
        out.kindless = out.kindless || q.kind.empty();
    }
    for (const auto& a : graph.influences)
        out.arcs.push_back({static_cast<std::uint8_t>(a.from), static_cast<std::uint8_t>(a.to), static_cast<std::int8_t>(a.sign), 1});
    return out;
}

namespace {

constexpr std::uint8_t nobody = 255;

/// A way from one quantity of the case to another: an influence, or a chain of them.
struct Link {
    std::uint8_t from = 0;
    std::uint8_t to = 0;
    std::int8_t sign = 1;
    std::uint64_t through = 0;  ///< the quantities between
    std::vector<std::uint8_t> path;
};

/// Chains without repetition of up to `inserted` quantities between their ends; shorter ones first.
std::vector<Link> links_of(const CompiledGraph& g, std::size_t inserted) {
    std::vector<Link> out;
    for (const auto& a : g.arcs) out.push_back({a.from, a.to, a.sign, 0, {a.from, a.to}});
    std::size_t begin = 0;
    for (std::size_t round = 0; round < inserted; ++round) {
        const std::size_t end = out.size();
        for (std::size_t i = begin; i < end; ++i)
            for (const auto& a : g.arcs) {
                if (a.from != out[i].to) continue;
                const auto& path = out[i].path;
                if (contains(path, a.to)) continue;
                Link longer = out[i];
                longer.through |= std::uint64_t{1} << longer.to;
                longer.to = a.to;
                longer.sign = static_cast<std::int8_t>(longer.sign * a.sign);
                longer.path.push_back(a.to);
                out.push_back(std::move(longer));
            }
        begin = end;
    }
    return out;
}

/// One search: quantities of the case are given to quantities of the goal, or to none, in a fixed order.
class Search {
public:
    Search(const CompiledGraph& stored, const CompiledGraph& goal, const MatchOptions& options, long floor)
        : case_(stored), goal_(goal), options_(options), best_value_(std::max(floor - 1, 0L)) {
        links_ = links_of(case_, options.inserted);
        ways_.resize(goal_.arcs.size());
        for (std::size_t a = 0; a < goal_.arcs.size(); ++a) {
            const auto& arc = goal_.arcs[a];
            for (std::uint32_t l = 0; l < links_.size(); ++l)
                if (links_[l].sign == arc.sign && (links_[l].from == links_[l].to) == (arc.from == arc.to) &&
                    kinds_match(case_.kinds[links_[l].from], goal_.kinds[arc.from]) &&
                    kinds_match(case_.kinds[links_[l].to], goal_.kinds[arc.to]))
                    ways_[a].push_back(l);
        }
        goal_of_.assign(case_.kinds.size(), nobody);
        decided_.assign(case_.kinds.size(), 0);
        taken_.assign(goal_.kinds.size(), nobody);
        candidates_.resize(case_.kinds.size());
        find_candidates();
        order_quantities();
        classify();
        match_.goal_of.assign(case_.kinds.size(), -1);
    }
    Match run() {
        descend(0);
        match_.complete = steps_ <= options_.budget;
        return std::move(match_);
    }

private:
    /// A quantity of the case is worth giving to one of the goal only where some link of it could cover an influence there.
    void find_candidates() {
        std::vector<std::uint64_t> worth(case_.kinds.size(), 0);
        for (std::size_t a = 0; a < ways_.size(); ++a)
            for (const auto l : ways_[a]) {
                worth[links_[l].from] |= std::uint64_t{1} << goal_.arcs[a].from;
                worth[links_[l].to] |= std::uint64_t{1} << goal_.arcs[a].to;
            }
        for (std::size_t q = 0; q < worth.size(); ++q)
            for (std::size_t g = 0; g < goal_.kinds.size(); ++g)
                if (worth[q] >> g & 1U) candidates_[q].push_back(static_cast<std::uint8_t>(g));
    }
    /// Those with most influences first, then their neighbours: conflicts show early.
    void order_quantities() {
        const std::size_t n = case_.kinds.size();
        std::vector<std::size_t> degree(n, 0);
        std::vector<std::size_t> near(n, 0);
        for (const auto& a : case_.arcs) {
            ++degree[a.from];
            ++degree[a.to];
        }
        std::vector<char> placed(n, 0);
        for (std::size_t step = 0; step < n; ++step) {
            std::size_t pick = n;
            for (std::size_t q = 0; q < n; ++q)
                if (!placed[q] && (pick == n || std::pair(near[q], degree[q]) > std::pair(near[pick], degree[pick]))) pick = q;
            placed[pick] = 1;
            order_.push_back(static_cast<std::uint8_t>(pick));
            for (const auto& a : case_.arcs) {
                if (a.from == pick) ++near[a.to];
                if (a.to == pick) ++near[a.from];
            }
        }
    }
    /// Whether the link could still cover the goal's influence.
    bool open(const Link& link, const CompiledGraph::Arc& arc) const {
        if (decided_[link.from] ? goal_of_[link.from] != arc.from : taken_[arc.from] != nobody) return false;
        if (decided_[link.to] ? goal_of_[link.to] != arc.to : taken_[arc.to] != nobody) return false;
        return (link.through & given_) == 0;
    }
    /// Influences of one class can cover each other; where a quantity has no kind, all of one sign are a class.
    void classify() {
        const bool by_sign = case_.kindless || goal_.kindless;
        std::vector<std::tuple<int, int, int>> names;
        const auto number = [&](const CompiledGraph& g, const CompiledGraph::Arc& a) {
            const std::tuple name(by_sign ? 0 : g.kinds[a.from], by_sign ? 0 : g.kinds[a.to], int{a.sign});
            const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
            if (at == names.size()) names.push_back(name);
            return at;
        };
        for (const auto& arc : goal_.arcs) goal_class_.push_back(number(goal_, arc));
        const std::size_t known = names.size();
        for (const auto& arc : case_.arcs) case_class_.push_back(std::min(number(case_, arc), known));
        goal_open_.resize(known + 1);
        case_open_.resize(known + 1);
        for (const auto& arc : goal_.arcs) heaviest_.push_back(arc.weight);
        std::sort(heaviest_.rbegin(), heaviest_.rend());
    }
    /// What can still be covered at most. Directly: in each class, no more than the goal has open and the case can still use. By chains:
    /// each takes two influences of the case at least.
    long bound() {
        std::fill(goal_open_.begin(), goal_open_.end(), 0U);
        std::fill(case_open_.begin(), case_open_.end(), 0U);
        long sum = 0;
        std::size_t coverable = 0;
        for (std::size_t a = 0; a < ways_.size(); ++a) {
            bool any = false;
            for (const auto l : ways_[a]) {
                if (!open(links_[l], goal_.arcs[a])) continue;
                any = true;
                if (links_[l].through != 0) break;  // shorter links come first
                ++goal_open_[goal_class_[a]];
                break;
            }
            if (!any) continue;
            sum += goal_.arcs[a].weight;
            ++coverable;
        }
        if (sum * rewrite_unit <= best_value_) return sum * rewrite_unit;
        for (std::size_t c = 0; c < case_.arcs.size(); ++c) {
            for (std::size_t a = 0; a < goal_.arcs.size(); ++a)
                if (goal_class_[a] == case_class_[c] && open(links_[c], goal_.arcs[a])) {
                    ++case_open_[case_class_[c]];
                    break;
                }
        }
        std::size_t direct = 0;
        for (std::size_t k = 0; k < goal_open_.size(); ++k) direct += std::min(goal_open_[k], case_open_[k]);
        std::size_t most = direct;
        if (options_.inserted > 0) most += (case_.arcs.size() - direct) / 2;
        if (most >= coverable) return sum * rewrite_unit;
        long capped = 0;
        for (std::size_t i = 0; i < most; ++i) capped += heaviest_[i];
        return std::min(sum, capped) * rewrite_unit;
    }
    bool runs_against_goal(std::uint8_t q, std::uint8_t g) const {
        for (const auto& c : case_.arcs) {
            if (c.from != q && c.to != q) continue;
            const std::uint8_t from = c.from == q ? g : goal_of_[c.from];
            const std::uint8_t to = c.to == q ? g : goal_of_[c.to];
            if (from == nobody || to == nobody) continue;
            bool same = false;
            bool opposite = false;
            for (const auto& arc : goal_.arcs)
                if (arc.from == from && arc.to == to) (arc.sign == c.sign ? same : opposite) = true;
            if (opposite && !same) return true;
        }
        return false;
    }
    void descend(std::size_t depth) {
        if (++steps_ > options_.budget) return;
        if (bound() <= best_value_) return;
        if (depth == order_.size()) return settle();
        const std::uint8_t q = order_[depth];
        decided_[q] = 1;
        for (const auto g : candidates_[q]) {
            if (taken_[g] != nobody || (options_.consistent && runs_against_goal(q, g))) continue;
            goal_of_[q] = g;
            taken_[g] = q;
            given_ |= std::uint64_t{1} << q;
            descend(depth + 1);
            given_ &= ~(std::uint64_t{1} << q);
            taken_[g] = nobody;
            goal_of_[q] = nobody;
        }
        descend(depth + 1);
        decided_[q] = 0;
    }
    /// All are given: influences that the case has are covered; chains through quantities given to none cover more, each quantity in one.
    void settle() {
        std::vector<Match::Cover> covers;
        std::vector<std::size_t> rest;
        long value = 0;
        for (std::size_t a = 0; a < ways_.size(); ++a) {
            const Link* direct = nullptr;
            bool chain = false;
            for (const auto l : ways_[a]) {
                if (!open(links_[l], goal_.arcs[a])) continue;
                if (links_[l].through == 0) {
                    direct = &links_[l];
                    break;
                }
                chain = true;
            }
            if (direct) {
                value += goal_.arcs[a].weight * rewrite_unit;
                covers.push_back({a, direct->path});
            } else if (chain) {
                rest.push_back(a);
            }
        }
        chains(rest, 0, 0, value, 0, covers);
    }
    void chains(const std::vector<std::size_t>& rest, std::size_t at, std::uint64_t used, long value, std::size_t rewrites,
                std::vector<Match::Cover>& covers) {
        if (at == rest.size()) {
            if (value <= best_value_) return;
            best_value_ = value;
            match_.value = value;
            match_.rewrites = rewrites;
            match_.covers = covers;
            std::sort(match_.covers.begin(), match_.covers.end(), [](const auto& a, const auto& b) { return a.arc < b.arc; });
            for (std::size_t q = 0; q < goal_of_.size(); ++q) match_.goal_of[q] = goal_of_[q] == nobody ? -1 : goal_of_[q];
            drop_unused();
            return;
        }
        const auto& arc = goal_.arcs[rest[at]];
        for (const auto l : ways_[rest[at]]) {
            const Link& link = links_[l];
            if (link.through == 0 || (link.through & used) != 0 || !open(link, arc)) continue;
            const std::size_t inserted = link.path.size() - 2;
            covers.push_back({rest[at], link.path});
            chains(rest, at + 1, used | link.through, value + arc.weight * rewrite_unit - static_cast<long>(inserted), rewrites + inserted,
                   covers);
            covers.pop_back();
        }
        chains(rest, at + 1, used, value, rewrites, covers);
    }
    /// Quantities that no covered influence needs stay unmapped.
    void drop_unused() {
        std::vector<char> needed(goal_of_.size(), 0);
        for (const auto& c : match_.covers) needed[c.through.front()] = needed[c.through.back()] = 1;
        for (std::size_t q = 0; q < needed.size(); ++q)
            if (!needed[q]) match_.goal_of[q] = -1;
    }

    const CompiledGraph& case_;
    const CompiledGraph& goal_;
    const MatchOptions& options_;
    std::vector<Link> links_;
    std::vector<std::vector<std::uint32_t>> ways_;  ///< links that could cover each of the goal's influences
    std::vector<std::vector<std::uint8_t>> candidates_;
    std::vector<std::uint8_t> order_;
    std::vector<std::uint8_t> goal_of_;
    std::vector<char> decided_;
    std::vector<std::uint8_t> taken_;
    std::vector<std::size_t> goal_class_;
    std::vector<std::size_t> case_class_;
    std::vector<unsigned> goal_open_;  ///< counts by class
    std::vector<unsigned> case_open_;
    std::vector<int> heaviest_;  ///< weights of the goal's influences, descending
    std::uint64_t given_ = 0;    ///< quantities of the case that are given to one of the goal
    long best_value_ = 0;
    std::size_t steps_ = 0;
    Match match_;
};

}  // namespace

Match best_match(const CompiledGraph& stored, const CompiledGraph& goal, const MatchOptions& options, long floor) {
    return Search(stored, goal, options, floor).run();
}

// --- signatures ---------------------------------------------------------------------------------------------------------

GoalSignature::GoalSignature(const CompiledGraph& goal, std::size_t kinds, const MatchOptions& options)
    : goal_(goal), kinds_(kinds + 1), chains_(options.inserted > 0), classes_(kinds_ * kinds_ * 2, 0), signs_(2, 0) {
    for (const auto& arc : goal.arcs) {
        ++classes_[class_of(goal, arc, false)];
        ++signs_[class_of(goal, arc, true)];
    }
    std::vector<int> weights;
    for (const auto& arc : goal.arcs) weights.push_back(arc.weight);
    std::sort(weights.rbegin(), weights.rend());
    best_weights_.push_back(0);
    for (const int w : weights) best_weights_.push_back(best_weights_.back() + w);
}

std::size_t GoalSignature::class_of(const CompiledGraph& graph, const CompiledGraph::Arc& arc, bool by_sign) const {
    const std::size_t positive = arc.sign > 0 ? 1 : 0;
    if (by_sign) return positive;
    const auto from = static_cast<std::size_t>(graph.kinds[arc.from] + 1);
    const auto to = static_cast<std::size_t>(graph.kinds[arc.to] + 1);
    return (from * kinds_ + to) * 2 + positive;
}

/// Each quantity of the goal can keep no more of its influences than the best quantity of the case offers it, sign by sign.
std::size_t GoalSignature::degree_bound(const CompiledGraph& stored, bool out) const {
    std::size_t sum = 0;
    for (std::size_t g = 0; g < goal_.kinds.size(); ++g) {
        std::array<int, 2> wanted{};
        for (const auto& arc : goal_.arcs)
            if ((out ? arc.from : arc.to) == g) ++wanted[arc.sign > 0 ? 1 : 0];
        if (wanted[0] + wanted[1] == 0) continue;
        int best = 0;
        for (std::size_t q = 0; q < stored.kinds.size(); ++q) {
            if (!kinds_match(stored.kinds[q], goal_.kinds[g])) continue;
            std::array<int, 2> offered{};
            for (const auto& arc : stored.arcs)
                if ((out ? arc.from : arc.to) == q) ++offered[arc.sign > 0 ? 1 : 0];
            best = std::max(best, std::min(wanted[0], offered[0]) + std::min(wanted[1], offered[1]));
        }
        sum += static_cast<std::size_t>(best);
    }
    return sum;
}

long GoalSignature::bound(const CompiledGraph& stored) const {
    const bool by_sign = goal_.kindless || stored.kindless;
    std::vector<int> left = by_sign ? signs_ : classes_;
    std::size_t direct = 0;
    for (const auto& arc : stored.arcs) {
        int& open = left[class_of(stored, arc, by_sign)];
        if (open == 0) continue;
        --open;
        ++direct;
    }
    if (!chains_) direct = std::min({direct, degree_bound(stored, true), degree_bound(stored, false)});
    return worth(direct + (chains_ ? (stored.arcs.size() - direct) / 2 : 0));
}

}  // namespace credence::rt
