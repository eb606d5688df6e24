#include "runtime/nets/circuit/compile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/nets/triangulate.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t deepest = 4000;  // decisions above each other

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}

/// What a part of the problem is, in 128 bits: the sum of its tables' residuals, mixed in two ways. That two different parts among 10^8
/// have the same is less likely than 10^-22.
struct PartKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    void add(std::uint32_t table, std::uint32_t residual) {
        constexpr std::uint64_t other = 0x5851F42D4C957F2DULL;
        const std::uint64_t both = (std::uint64_t{table} << 32U) | residual;
        first += mixed(both);
        second += mixed(both ^ other);
    }
    friend bool operator==(const PartKey&, const PartKey&) = default;
};
struct PartKeyHash {
    std::size_t operator()(const PartKey& key) const { return static_cast<std::size_t>(key.first); }
};

/// Variables that tables still tie together.
struct Part {
    std::vector<Slot> variables;
    std::vector<std::uint32_t> tables;
    PartKey key;
};

class Compiler {
public:
    Compiler(const Sizes& sizes, PartialProblem problem, const CompileLimits& limits)
        : problem_(std::move(problem)), limits_(limits), circuit_(sizes), seen_(sizes.size(), 0), used_(problem_.tables(), 0) {}

    bool run(double log_constant) {
        std::vector<Circuit::Branch> root;
        if (problem_.begin()) {
            place_by_elimination();
            std::vector<Slot> all(problem_.variables());
            for (Slot v = 0; v < all.size(); ++v) all[v] = v;
            Circuit::Branch branch{.log_weight = log_constant, .literals = {}, .nodes = {}};
            for (std::uint32_t t = 0; t < problem_.tables(); ++t) branch.log_weight += problem_.state(t).log_scale;
            if (split(all, branch)) root.push_back(std::move(branch));
        }
        if (exhausted_) return false;
        circuit_.add_node(root);
        return true;
    }
    Circuit take() { return std::move(circuit_); }

private:
    /// Which variable is decided first: the one that an elimination in a good order would keep the longest.
    void place_by_elimination() {
        std::vector<std::vector<Slot>> scopes;
        Sizes left;
        for (Slot v = 0; v < problem_.variables(); ++v) left.push_back(static_cast<std::size_t>(std::popcount(problem_.values(v))));
        for (std::uint32_t t = 0; t < problem_.tables(); ++t) {
            auto& scope = scopes.emplace_back();
            for (std::uint32_t rest = problem_.state(t).matters; rest != 0; rest &= rest - 1)
                scope.push_back(problem_.scope(t)[static_cast<std::size_t>(std::countr_zero(rest))]);
        }
        position_ = triangulate(scopes, left).position;
    }

    /// Adds what is left of the variables to the branch: those with one value or none that ties them are literals, the others nodes. False:
    /// their sum is zero, or the search is exhausted.
    bool split(std::span<const Slot> variables, Circuit::Branch& branch) {
        const std::uint32_t mark = ++stamp_;
        std::vector<Part> parts;
        for (const auto v : variables) {
            if (seen_[v] == mark) continue;
            if (std::has_single_bit(problem_.values(v))) {
                branch.literals.push_back({v, problem_.values(v)});
                continue;
            }
            Part part = part_of(v, mark);
            if (part.tables.empty())
                branch.literals.push_back({v, problem_.values(v)});
            else
                parts.push_back(std::move(part));
        }
        for (const auto& part : parts) {
            const auto found = known_.find(part.key);
            const std::uint32_t node = found != known_.end() ? found->second : decide(part);
            if (exhausted_ || node == impossible) return false;
            branch.nodes.push_back(node);
        }
        return true;
    }

    Part part_of(Slot first, std::uint32_t mark) {
        Part out;
        out.variables.push_back(first);
        seen_[first] = mark;
        for (std::size_t i = 0; i < out.variables.size(); ++i) {
            const auto occurrences = problem_.occurrences(out.variables[i]);
            steps_ += occurrences.size();
            for (const auto [table, place] : occurrences) {
                const auto& state = problem_.state(table);
                if (used_[table] == mark || (state.matters >> place & 1U) == 0) continue;
                used_[table] = mark;
                out.tables.push_back(table);
                out.key.add(table, state.residual);
                for (std::uint32_t rest = state.matters; rest != 0; rest &= rest - 1) {
                    const Slot next = problem_.scope(table)[static_cast<std::size_t>(std::countr_zero(rest))];
                    if (seen_[next] == mark) continue;
                    seen_[next] = mark;
                    out.variables.push_back(next);
                }
            }
        }
        return out;
    }

    std::uint32_t decide(const Part& part) {
        if (out_of_limits()) return impossible;
        const Slot variable =
            *std::max_element(part.variables.begin(), part.variables.end(), [&](Slot a, Slot b) { return position_[a] < position_[b]; });
        std::vector<double> scale;
        for (const auto t : part.tables) scale.push_back(problem_.state(t).log_scale);
        std::vector<Circuit::Branch> branches;
        ++depth_;
        for (ValueBits rest = problem_.values(variable); rest != 0 && !exhausted_; rest &= rest - 1) {
            const std::size_t mark = problem_.mark();
            if (problem_.assign(variable, rest & (~rest + 1))) {
                Circuit::Branch branch;
                for (std::size_t i = 0; i < scale.size(); ++i) branch.log_weight += problem_.state(part.tables[i]).log_scale - scale[i];
                if (split(part.variables, branch)) branches.push_back(std::move(branch));
            }
            problem_.undo(mark);
        }
        --depth_;
        if (exhausted_) return impossible;
        const std::uint32_t node = branches.empty() ? impossible : circuit_.add_node(branches);
        known_.emplace(part.key, node);
        return node;
    }

    bool out_of_limits() {
        constexpr std::size_t decisions_a_look = 256;
        if (depth_ > deepest) exhausted_ = true;
        if (decisions_++ % decisions_a_look == 0)
            exhausted_ = exhausted_ || steps_ + problem_.work() > limits_.steps || circuit_.size() > limits_.size ||
                         (limits_.stopped && limits_.stopped());
        return exhausted_;
    }

    static constexpr std::uint32_t impossible = UINT32_MAX;

    PartialProblem problem_;
    const CompileLimits& limits_;
    Circuit circuit_;
    std::vector<std::uint32_t> position_;
    std::unordered_map<PartKey, std::uint32_t, PartKeyHash> known_;
    std::vector<std::uint32_t> seen_;  // by variable and table: the split that has met it
    std::vector<std::uint32_t> used_;
    std::uint32_t stamp_ = 0;
    std::size_t depth_ = 0;
    std::size_t decisions_ = 0;
    std::size_t steps_ = 0;
    bool exhausted_ = false;
};

}  // namespace

std::optional<Circuit> compile_circuit(const Sizes& sizes, std::vector<CircuitTable> tables, const CompileLimits& limits) {
    double log_constant = 0;
    bool zero = false;
    for (const auto& table : tables) {
        if (!table.variables.empty()) continue;
        zero = zero || table.values[0] <= 0;
        if (!zero) log_constant += std::log(table.values[0]);
    }
    if (zero) {
        Circuit out(sizes);
        out.add_node({});
        return out;
    }
    std::erase_if(tables, [](const auto& table) { return table.variables.empty(); });
    auto problem = PartialProblem::make(sizes, std::move(tables));
    if (!problem) return std::nullopt;
    Compiler compiler(sizes, *std::move(problem), limits);
    if (!compiler.run(log_constant)) return std::nullopt;
    return compiler.take();
}

}  // namespace credence::rt
