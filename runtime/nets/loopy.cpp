// Loopy belief propagation (Pearl 1988; sum-product on the factor graph, Kschischang et al. 2001), all messages at once in each iteration.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/disjoint_sets.hpp"
#include "runtime/nets/net_engine.hpp"

namespace credence::rt {

namespace {

struct BeliefSettings {
    std::size_t iterations = 1000;
    double damping = 0.3;
    double tolerance = 1e-10;
};

class BeliefGraph {
public:
    explicit BeliefGraph(const ApproximateCase& c) : c_(c), edges_of_(c.sizes.size()), allowed_(c.sizes.size()) {
        DisjointSets sets(c.sizes.size());
        for (std::uint32_t t = 0; t < c.tables.size(); ++t) {
            tables_.push_back(static_cast<std::uint32_t>(edges_.size()));
            const auto& scope = c.tables[t].variables;
            for (const auto slot : scope) {
                edges_of_[slot].push_back(static_cast<std::uint32_t>(edges_.size()));
                edges_.push_back({slot, messages_});
                messages_ += c.sizes[slot];
            }
            // two ways between the same variables are a loop
            for (std::size_t i = 1; i < scope.size(); ++i) loops_ = !sets.join(scope[0], scope[i]) || loops_;
            largest_ = std::max(largest_, scope.size());
        }
        tables_.push_back(static_cast<std::uint32_t>(edges_.size()));
        for (Slot slot = 0; slot < c.sizes.size(); ++slot) {
            allowed_[slot].assign(c.sizes[slot], 1.0);
            if (c.fixed[slot] < 0) continue;
            allowed_[slot].assign(c.sizes[slot], 0.0);
            allowed_[slot][static_cast<std::size_t>(c.fixed[slot])] = 1;
        }
        to_variable_.resize(messages_);
        to_table_.resize(messages_);
        fresh_.resize(messages_);
    }

    bool loops() const { return loops_; }

    /// Takes the variable as known; nothing: as open again.
    void clamp(Slot slot, std::optional<std::size_t> value) {
        if (c_.fixed[slot] >= 0) return;
        for (std::size_t k = 0; k < c_.sizes[slot]; ++k) allowed_[slot][k] = !value || *value == k ? 1 : 0;
    }

    /// False where the messages say that the evidence is impossible.
    bool run(const BeliefSettings& settings, const Run& stop) {
        iterations = 0;
        residual = 0;
        for (const auto& edge : edges_)
            std::fill_n(to_variable_.begin() + static_cast<std::ptrdiff_t>(edge.begin), c_.sizes[edge.slot],
                        1.0 / static_cast<double>(c_.sizes[edge.slot]));
        for (const auto& table : c_.tables)
            if (table.variables.empty() && table.values[0] == 0) return false;
        const double damping = loops_ ? settings.damping : 0;
        do {
            if (!update_to_tables()) return false;
            if (!update_to_variables(iterations == 0 ? 0 : damping)) return false;
            ++iterations;
        } while (residual > settings.tolerance && iterations < settings.iterations && !stop.stopped());
        converged = residual <= settings.tolerance;
        return true;
    }

    /// Normalised; empty if everything is impossible.
    std::vector<double> belief(Slot slot) const {
        std::vector<double> out = allowed_[slot];
        for (const auto e : edges_of_[slot])
            for (std::size_t k = 0; k < out.size(); ++k) out[k] *= to_variable_[edges_[e].begin + k];
        return normalised(out.data(), out.size()) ? out : std::vector<double>{};
    }

    std::size_t iterations = 0;
    double residual = 0;
    bool converged = false;

private:
    struct Edge {
        Slot slot = 0;
        std::size_t begin = 0;  // of its messages
    };

    static bool normalised(double* values, std::size_t n) {
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) total += values[k];
        if (!(total > 0)) return false;
        for (std::size_t k = 0; k < n; ++k) values[k] /= total;
        return true;
    }

    bool update_to_tables() {
        for (Slot slot = 0; slot < c_.sizes.size(); ++slot) {
            const auto& edges = edges_of_[slot];
            const std::size_t n = c_.sizes[slot];
            for (const auto e : edges) {
                double* out = to_table_.data() + edges_[e].begin;
                std::copy(allowed_[slot].begin(), allowed_[slot].end(), out);
                for (const auto other : edges) {
                    if (other == e) continue;
                    const double* in = to_variable_.data() + edges_[other].begin;
                    for (std::size_t k = 0; k < n; ++k) out[k] *= in[k];
                    // many neighbours: keep the product away from underflow
                    if (edges.size() > 16 && !normalised(out, n)) return false;
                }
                if (!normalised(out, n)) return false;
            }
        }
        return true;
    }

    /// All messages of a table in one walk over its entries: before[i] and after[i] are the products of the messages on either side of i.
    bool update_to_variables(double damping) {
        residual = 0;
        std::fill(fresh_.begin(), fresh_.end(), 0.0);
        std::vector<std::size_t> value(largest_, 0);
        std::vector<double> before(largest_ + 1, 1.0);
        for (std::uint32_t t = 0; t < c_.tables.size(); ++t) {
            const auto& table = c_.tables[t];
            const std::size_t m = table.variables.size();
            const Edge* edges = edges_.data() + tables_[t];
            std::fill_n(value.begin(), m, std::size_t{0});
            for (const double entry : table.values) {
                if (entry != 0) {
                    for (std::size_t i = 0; i < m; ++i) before[i + 1] = before[i] * to_table_[edges[i].begin + value[i]];
                    double after = entry;
                    for (std::size_t i = m; i-- > 0;) {
                        fresh_[edges[i].begin + value[i]] += before[i] * after;
                        after *= to_table_[edges[i].begin + value[i]];
                    }
                }
                next_configuration(std::span(value).first(m), [&](std::size_t i) { return c_.sizes[table.variables[i]]; });
            }
            for (std::size_t i = 0; i < m; ++i) {
                const std::size_t n = c_.sizes[edges[i].slot];
                double* out = fresh_.data() + edges[i].begin;
                if (!normalised(out, n)) return false;
                double* old = to_variable_.data() + edges[i].begin;
                for (std::size_t k = 0; k < n; ++k) {
                    const double mixed = (1 - damping) * out[k] + damping * old[k];
                    residual = std::max(residual, std::abs(out[k] - old[k]));
                    old[k] = mixed;
                }
            }
        }
        return true;
    }

    const ApproximateCase& c_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> tables_;                 // by table: its first edge; one more than there are tables
    std::vector<std::vector<std::uint32_t>> edges_of_;  // by variable
    std::vector<std::vector<double>> allowed_;          // by variable: 1 for the values that are possible
    std::vector<double> to_variable_;
    std::vector<double> to_table_;
    std::vector<double> fresh_;
    std::size_t messages_ = 0;
    std::size_t largest_ = 1;
    bool loops_ = false;
};

/// The joint over several variables by the chain rule: each value of the first is clamped for the belief of the second, and so on.
class ChainRule {
public:
    ChainRule(const ApproximateCase& c, std::vector<Slot> slots, const BeliefSettings& settings, const Run& run)
        : graph_(c), slots_(std::move(slots)), settings_(settings), run_(run), value_(c.sizes.size(), 0) {
        for (Slot slot = 0; slot < c.sizes.size(); ++slot)
            if (c.fixed[slot] >= 0) value_[slot] = static_cast<std::uint32_t>(c.fixed[slot]);
    }

    /// Calls body(values by slot, probability) for each joint value of the slots that is possible; false: the evidence is not.
    template <class Body>
    bool each(const Body& body) {
        return step(0, 1.0, body);
    }

    const BeliefGraph& graph() const { return graph_; }
    std::size_t runs = 0;
    std::size_t iterations = 0;
    double residual = 0;
    bool converged = true;

private:
    template <class Body>
    bool step(std::size_t depth, double probability, const Body& body) {
        if (run_.stopped()) return true;
        if (depth == slots_.size() && depth > 0) {
            body(value_, probability);
            return true;
        }
        const bool possible = graph_.run(settings_, run_);
        ++runs;
        iterations = std::max(iterations, graph_.iterations);
        if (!possible) return false;
        residual = std::max(residual, graph_.residual);
        converged = converged && graph_.converged;
        if (slots_.empty()) {
            body(value_, probability);
            return true;
        }
        const Slot slot = slots_[depth];
        const auto belief = graph_.belief(slot);
        if (belief.empty()) return false;
        for (std::size_t k = 0; k < belief.size(); ++k) {
            if (belief[k] == 0) continue;
            value_[slot] = static_cast<std::uint32_t>(k);
            graph_.clamp(slot, k);
            step(depth + 1, probability * belief[k], body);
        }
        graph_.clamp(slot, std::nullopt);
        return true;
    }

    BeliefGraph graph_;
    std::vector<Slot> slots_;
    BeliefSettings settings_;
    const Run& run_;
    std::vector<std::uint32_t> value_;
};

constexpr MethodRecord belief_propagation_method(
    "belief_propagation",
    {option<BeliefSettings, &BeliefSettings::iterations>("iterations", {.least = 1, .most = 1e9}),
     option<BeliefSettings, &BeliefSettings::damping>("damping", {.least = 0, .most = 0.99}),
     option<BeliefSettings, &BeliefSettings::tolerance>("tolerance", {.least = 0, .most = 1})},
    "Passes messages along the arcs until they converge. The answer is exact if the graph is a tree, and an approximation if it has loops.",
    "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Wet = true) by belief_propagation == 0.26 within 1e-9");

/// Exact where the graph is a tree, else a fixed point or what there is after the last iteration.
Result<Answer> ask_by_beliefs(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero, Run& run) {
    const BeliefSettings settings = belief_propagation_method.options(query.by);
    const auto tally = TRY(Tally::make(c, query, run));
    std::vector<Slot> slots = tally.slots();
    for (const auto& t : c.target_events)
        for (const auto slot : t.variables)
            if (!contains(slots, slot)) slots.push_back(slot);
    constexpr double most_runs = 20'000;
    const double runs = slots.empty() ? 1 : table_size(std::span(slots).first(slots.size() - 1), c.sizes);
    if (runs > most_runs)
        return Fault{.code = "E-COST",
                     .message = fmt::format("beliefs about {} variables together would take {:.3g} propagations", slots.size(), runs),
                     .origin = query.origin,
                     .hint = "ask for fewer variables at once"};
    ChainRule chain(c, slots, settings, run);
    std::vector<double> weights(tally.cells(), 0.0);
    const bool possible = chain.each([&](std::span<const std::uint32_t> value, double p) { weights[tally.cell(value)] += p; });
    if (run.stopped()) return stopped_fault();
    if (!possible) return zero({});
    auto answer = tallied_answer(c, variables, query, tally, weights, zero, run);
    if (!answer) return answer;
    answer->engine = "belief_propagation";
    answer->counts = {{"iterations", count_of(chain.iterations)},
                      {"converged", count_of(chain.converged ? 1 : 0)},
                      {"residual", Number::real(chain.residual)},
                      {"runs", count_of(chain.runs)},
                      {"loops", count_of(chain.graph().loops() ? 1 : 0)}};
    if (!chain.converged)
        answer->notes.push_back(
            fmt::format("belief propagation has not converged after {} iterations (the messages still change by {:.2g})", chain.iterations,
                        chain.residual));
    return answer;
}

}  // namespace

const NetEngine belief_propagation_net_engine{.method = belief_propagation_method.info(), .ask_tables = ask_by_beliefs};

}  // namespace credence::rt
