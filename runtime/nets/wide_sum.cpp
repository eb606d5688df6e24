#include "runtime/nets/wide_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/nets/circuit/compile.hpp"
#include "runtime/nets/net_junction.hpp"
#include "runtime/nets/triangulate.hpp"

namespace credence::rt {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Counted, so that an answer does not depend on the machine: up to about half a minute on that of 2026.
constexpr std::size_t first_steps = 200'000'000;  // of the search for a circuit, before cases are considered
constexpr std::size_t all_steps = 2'000'000'000;
constexpr double most_entries_of_cases = 3e10;  // of cliques, all cases together

Number number_of(double n) { return Rational(static_cast<std::int64_t>(n)); }

// --- circuits ---

class CircuitSum : public WideSum {
public:
    CircuitSum(Circuit circuit, Sizes sizes, std::vector<char> in_tables)
        : circuit_(std::move(circuit)), sizes_(std::move(sizes)), in_tables_(std::move(in_tables)) {
        for (const auto size : sizes_) all_.push_back((ValueBits{1} << size) - 1);
        flow_ = circuit_.flow(all_);
        log_total = flow_.log_total;
        by = SumBy::circuit;
        counts = {{"nodes", number_of(static_cast<double>(circuit_.nodes()))},
                  {"branches", number_of(static_cast<double>(circuit_.branches()))}};
    }

private:
    bool has(Slot variable) const override { return in_tables_[variable] != 0; }

    /// One flow for each configuration of all variables but the last.
    Result<std::vector<double>> joint_of(std::span<const Slot> variables, const Run& run) const override {
        if (variables.empty() || log_total == minus_infinity)
            return std::vector<double>(static_cast<std::size_t>(table_size(variables, sizes_)), 1.0);
        const Slot last = variables.back();
        const auto others = variables.first(variables.size() - 1);
        const double cases = table_size(others, sizes_);
        constexpr double most_work = 2e9;
        if (cases * static_cast<double>(circuit_.size()) > most_work)
            return Fault{.code = "E-COST",
                         .message = fmt::format("the joint distribution of so many variables needs {:.3g} passes over a circuit", cases),
                         .label = fmt::format("the circuit has {} nodes", circuit_.nodes()),
                         .hint = "ask for fewer variables at once"};
        std::vector<double> out;
        auto allowed = all_;
        std::vector<std::size_t> value(others.size(), 0);
        for (std::size_t c = 0; c < static_cast<std::size_t>(cases); ++c) {
            if (run.stopped()) return stopped_fault();
            for (std::size_t i = 0; i < others.size(); ++i) allowed[others[i]] = ValueBits{1} << value[i];
            const auto flow = others.empty() ? flow_ : circuit_.flow(allowed);
            const double share = flow.marginals.empty() ? 0 : std::exp(flow.log_total - log_total);
            for (std::size_t k = 0; k < sizes_[last]; ++k)
                out.push_back(share == 0 ? 0 : share * flow.marginals[circuit_.offset(last) + k]);
            next_configuration(value, [&](std::size_t i) { return sizes_[others[i]]; });
        }
        return out;
    }

    Circuit circuit_;
    Sizes sizes_;
    std::vector<char> in_tables_;
    std::vector<ValueBits> all_;
    Circuit::Flow flow_;
};

std::vector<char> in_scopes(const JunctionScopes& scopes) {
    std::vector<char> out(scopes.sizes.size(), 0);
    for (const auto& scope : scopes.scopes)
        for (const auto slot : scope) out[slot] = 1;
    return out;
}

std::unique_ptr<WideSum> circuit_sum(const NetTrees::Part& part, std::size_t steps, const Run& run) {
    const auto in_tables = in_scopes(part.scopes);
    Sizes sizes = part.scopes.sizes;
    for (std::size_t v = 0; v < sizes.size(); ++v) {
        if (!in_tables[v]) sizes[v] = 1;
        if (sizes[v] > most_value_bits) return nullptr;
    }
    std::vector<CircuitTable> tables;
    for (std::size_t f = 0; f < part.scopes.scopes.size(); ++f) tables.push_back({part.scopes.scopes[f], table_values(part, f)});
    auto most_size = run.limits.table_entries / 4;  // of which each takes up to sixteen bytes
    if (run.limits.memory_bytes != 0) most_size = std::min(most_size, run.limits.memory_bytes / 64);
    auto circuit =
        compile_circuit(sizes, std::move(tables), {.steps = steps, .size = most_size, .stopped = [&run] { return run.stopped(); }});
    if (!circuit) return nullptr;
    return std::make_unique<CircuitSum>(*std::move(circuit), std::move(sizes), in_tables);
}

// --- cases ---

/// A few variables, so that with them fixed there is a tree.
struct Cutset {
    std::vector<Slot> variables;
    double cases = 1;
    JunctionTreePtr tree;
};

/// The variable whose cliques have the most entries.
Slot widest_variable(const JunctionScopes& scopes) {
    const Triangulation found = triangulate(scopes.scopes, scopes.sizes);
    std::vector<double> entries(scopes.sizes.size(), 0.0);
    for (std::size_t i = 0; i < found.order.size(); ++i) {
        const double size = table_size(found.members(i), scopes.sizes);
        for (const auto slot : found.members(i)) entries[slot] += size;
    }
    return static_cast<Slot>(std::max_element(entries.begin(), entries.end()) - entries.begin());
}

/// Variables are fixed one after the other until the rest fits; empty where that takes too many cases.
Result<std::optional<Cutset>> find_cutset(const NetTrees& trees, const std::vector<char>& in, std::span<const Slot> together,
                                          const Run& run) {
    constexpr double most_cases = 4096;
    Cutset out;
    NetEvidence evidence = trees.evidence();
    while (out.cases <= most_cases) {
        if (run.stopped()) return stopped_fault();
        std::vector<Slot> open;
        for (const auto slot : together)
            if (evidence.fixed[slot] < 0) open.push_back(slot);
        const NetTrees rest(trees.model(), evidence);
        const auto part = rest.part(in, open);
        if (auto tree = JunctionTree::compile(part.scopes, run)) {
            if (out.cases * (*tree)->counts().entries > most_entries_of_cases) return std::optional<Cutset>();
            out.tree = *std::move(tree);
            return std::optional<Cutset>(std::move(out));
        }
        const Slot cut = widest_variable(part.scopes);
        out.variables.push_back(cut);
        out.cases *= static_cast<double>(part.scopes.sizes[cut]);
        evidence.fixed[cut] = 0;
    }
    return std::optional<Cutset>();
}

/// Calls `body` for each case that is possible, with the numbers on the tree and the logarithm of their sum.
template <class Body>
Status each_case(const NetTrees& trees, const std::vector<char>& in, std::span<const Slot> together, const Cutset& cutset, const Run& run,
                 const Body& body) {
    Propagation numbers(cutset.tree);
    NetEvidence evidence = trees.evidence();
    std::vector<std::size_t> value(cutset.variables.size(), 0);
    for (std::size_t c = 0; c < static_cast<std::size_t>(cutset.cases); ++c) {
        for (std::size_t i = 0; i < value.size(); ++i) evidence.fixed[cutset.variables[i]] = static_cast<std::int64_t>(value[i]);
        const NetTrees rest(trees.model(), evidence);
        numbers.set_tables(rest.part(in, together).data);
        const double log_total = TRY(numbers.calibrate(run));
        if (log_total != minus_infinity) body(numbers, std::span<const std::size_t>(value), log_total);
        next_configuration(value, [&](std::size_t i) { return trees.model().sizes[cutset.variables[i]]; });
    }
    return Done{};
}

/// Sums of exponentials, the largest kept apart.
struct LogTotal {
    double largest = minus_infinity;
    double sum = 0;
    /// The factor for what was added before, where the new one is larger.
    double add(double x) {
        if (x <= largest) {
            sum += std::exp(x - largest);
            return 1;
        }
        const double shrink = largest == minus_infinity ? 0 : std::exp(largest - x);
        sum = sum * shrink + 1;
        largest = x;
        return shrink;
    }
    double log() const { return sum > 0 ? largest + std::log(sum) : minus_infinity; }
};

void scale(std::vector<double>& values, double by) {
    for (auto& v : values) v *= by;
}

class ConditionedSum : public WideSum {
public:
    static Result<std::unique_ptr<WideSum>> make(const NetTrees& trees, std::vector<char> in, Cutset cutset, const Run& run) {
        auto out = std::make_unique<ConditionedSum>(trees, std::move(in));
        TRY(out->gather(cutset, run));
        const auto& tree = cutset.tree->counts();
        out->by = SumBy::conditioning;
        out->counts = {{"cut_variables", number_of(static_cast<double>(cutset.variables.size()))},
                       {"cases", number_of(cutset.cases)},
                       {"largest_clique", number_of(tree.largest)},
                       {"table_entries", number_of(tree.entries)}};
        return std::unique_ptr<WideSum>(std::move(out));
    }
    ConditionedSum(const NetTrees& trees, std::vector<char> in) : trees_(trees), in_(std::move(in)) {
        const auto& sizes = trees.model().sizes;
        for (const auto size : sizes) offsets_.push_back(offsets_.back() + size);
        has_ = in_scopes(trees.part(in_, {}).scopes);
    }

private:
    bool has(Slot variable) const override { return has_[variable] != 0; }

    /// The marginals of all variables in one go through the cases.
    Status gather(const Cutset& cutset, const Run& run) {
        const auto& sizes = trees_.model().sizes;
        marginals_.assign(offsets_.back(), 0.0);
        LogTotal total;
        std::vector<double> own;
        TRY(each_case(trees_, in_, {}, cutset, run, [&](const Propagation& numbers, std::span<const std::size_t> value, double log_case) {
            scale(marginals_, total.add(log_case));
            const double weight = std::exp(log_case - total.largest);
            for (Slot v = 0; v < sizes.size(); ++v) {
                if (!numbers.tree().has(v)) continue;
                own.resize(sizes[v]);
                numbers.marginal(v, own);
                for (std::size_t k = 0; k < own.size(); ++k) marginals_[offsets_[v] + k] += weight * own[k];
            }
            for (std::size_t i = 0; i < value.size(); ++i) marginals_[offsets_[cutset.variables[i]] + value[i]] += weight;
        }));
        if (total.sum > 0) scale(marginals_, 1 / total.sum);
        log_total = total.log();
        return Done{};
    }

    Result<std::vector<double>> joint_of(std::span<const Slot> variables, const Run& run) const override {
        const auto& sizes = trees_.model().sizes;
        if (variables.empty()) return std::vector<double>(1, 1.0);
        if (variables.size() == 1) {
            const auto begin = marginals_.begin() + static_cast<std::ptrdiff_t>(offsets_[variables[0]]);
            return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(sizes[variables[0]]));
        }
        auto cutset = TRY(find_cutset(trees_, in_, variables, run));
        if (!cutset)
            return Fault{.code = "E-COST",
                         .message = "the joint distribution of so many variables needs too many cases",
                         .hint = "ask for fewer variables at once"};
        std::vector<Slot> open;
        for (const auto slot : variables)
            if (!contains(cutset->variables, slot)) open.push_back(slot);
        const auto steps = strides_in(variables, open, sizes);
        const auto strides = strides_in(variables, variables, sizes);
        std::vector<double> out(static_cast<std::size_t>(table_size(variables, sizes)), 0.0);
        LogTotal total;
        std::vector<double> own(static_cast<std::size_t>(table_size(open, sizes)), 1.0);
        TRY(each_case(trees_, in_, open, *cutset, run,
                      [&](const Propagation& numbers, std::span<const std::size_t> value, double log_case) {
                          scale(out, total.add(log_case));
                          const double weight = std::exp(log_case - total.largest);
                          std::size_t at = 0;
                          for (std::size_t i = 0; i < variables.size(); ++i)
                              for (std::size_t k = 0; k < value.size(); ++k)
                                  if (cutset->variables[k] == variables[i]) at += strides[i] * value[k];
                          if (open.size() == 1)
                              numbers.marginal(open[0], own);
                          else if (!open.empty())
                              numbers.joint(open, own);
                          std::vector<std::size_t> configuration(open.size(), 0);
                          for (const double p : own) {
                              out[at] += weight * p;
                              next_configuration(
                                  configuration, [&](std::size_t i) { return sizes[open[i]]; }, steps, at);
                          }
                      }));
        if (total.sum > 0) scale(out, 1 / total.sum);
        return out;
    }

    const NetTrees& trees_;
    std::vector<char> in_;
    std::vector<char> has_;
    std::vector<std::size_t> offsets_ = {0};
    std::vector<double> marginals_;
};

}  // namespace

Result<std::vector<double>> WideSum::joint(std::span<const Slot> variables, const Sizes& sizes, const Run& run) const {
    std::vector<Slot> present;
    double absent = 1;
    for (const auto slot : variables) {
        if (has(slot))
            present.push_back(slot);
        else
            absent *= static_cast<double>(sizes[slot]);
    }
    auto values = TRY(joint_of(present, run));
    if (present.size() == variables.size()) return values;
    std::vector<double> out(static_cast<std::size_t>(table_size(variables, sizes)));
    const auto strides = strides_in(present, variables, sizes);
    std::vector<std::size_t> value(variables.size(), 0);
    std::size_t at = 0;
    for (auto& p : out) {
        p = values[at] / absent;
        next_configuration(
            value, [&](std::size_t i) { return sizes[variables[i]]; }, strides, at);
    }
    return out;
}

Result<std::unique_ptr<WideSum>> wide_sum(const NetTrees& trees, std::vector<char> covered, SumBy by, Fault too_large, const Run& run) {
    const auto ready = [&](std::unique_ptr<WideSum> sum) {
        sum->covered = covered;
        return sum;
    };
    const auto part = trees.part(covered, {});
    if (by != SumBy::conditioning)
        if (auto sum = circuit_sum(part, by == SumBy::circuit ? all_steps : first_steps, run)) return ready(std::move(sum));
    if (run.stopped()) return stopped_fault();
    if (by != SumBy::circuit) {
        if (auto cutset = TRY(find_cutset(trees, covered, {}, run)))
            return ready(TRY(ConditionedSum::make(trees, covered, *std::move(cutset), run)));
    }
    if (by == SumBy::any)
        if (auto sum = circuit_sum(part, all_steps, run)) return ready(std::move(sum));
    if (run.stopped()) return stopped_fault();
    return too_large;
}

}  // namespace credence::rt
