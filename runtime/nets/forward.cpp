// Rejection sampling and likelihood weighting (Fung & Chang 1989; Shachter & Peot 1989): draws along the arcs.

#include <algorithm>

#include "runtime/core/progress.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/nets/net_engine.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t stop_check = 4096;  // samples between two looks at the stop request

/// The relevant nodes in an order along the arcs, with running sums of their rows.
class ForwardCase {
public:
    /// With `weighted`, evidence about a single variable is not left to chance: its value is drawn among those allowed, and the
    /// share of the row that they hold is the sample's weight.
    ForwardCase(const NetCase& c, const Query& query, bool weighted) : start_(c.sizes.size(), 0) {
        std::vector<std::size_t> position(c.sizes.size(), 0);
        std::vector<std::vector<double>> chance(c.sizes.size());  // by slot: what evidence makes of each value, or nothing
        const auto weigh = [&](Slot slot, std::size_t value, double by) {
            if (chance[slot].empty()) chance[slot].assign(c.sizes[slot], 1.0);
            chance[slot][value] *= by;
        };
        for (const auto& soft : query.given.soft) {
            if (soft.kind != SoftEvidence::Kind::likelihood) continue;
            double largest = 0;
            for (const auto& w : soft.weights) largest = std::max(largest, w.real());
            for (std::size_t k = 0; k < soft.weights.size(); ++k)
                weigh(static_cast<Slot>(index(soft.variable)), k, soft.weights[k].real() / largest);
        }
        for (const auto& t : c.evidence)
            if (t.variables.size() == 1)
                for (std::size_t k = 0; k < t.truth.size(); ++k) weigh(t.variables[0], k, t.truth[k] ? 1.0 : 0.0);

        for (const auto id : c.net->topological_order()) {
            const auto slot = static_cast<Slot>(index(id));
            if (!c.relevant[slot]) continue;
            if (c.done[slot] >= 0) {
                start_[slot] = static_cast<std::uint32_t>(c.done[slot]);
                continue;
            }
            position[slot] = nodes_.size();
            add(c, slot, chance[slot], weighted);
        }
        for (const auto& t : c.evidence) {
            if (t.variables.size() == 1) continue;
            Check check;
            std::size_t last = 0;
            std::size_t stride = t.truth.size();
            for (const auto slot : t.variables) {
                stride /= c.sizes[slot];
                check.parts.emplace_back(slot, stride);
                last = std::max(last, position[slot]);
            }
            check.truth = t.truth;
            nodes_[last].checks.push_back(static_cast<std::uint32_t>(checks_.size()));
            checks_.push_back(std::move(check));
        }
    }

    std::vector<std::uint32_t> start() const { return start_; }

    /// The weight of the sample: 0 if the evidence was missed.
    double draw(Rng& rng, std::uint32_t* value) const {
        double weight = 1;
        for (const auto& node : nodes_) {
            std::size_t row = 0;
            for (std::uint32_t p = node.parents; p < node.parents_end; ++p) row += steps_[p] * value[parents_[p]];
            if (node.fixed >= 0) {
                const double chance = sums_[node.sums + row];
                if (chance == 0) return 0;
                weight *= chance;
                value[node.slot] = static_cast<std::uint32_t>(node.fixed);
            } else {
                const double* sums = sums_.data() + node.sums + row * node.size;
                const double at = rng.uniform();
                std::uint32_t k = 0;
                while (k + 1 < node.size && at >= sums[k]) ++k;
                value[node.slot] = k;
                if (node.weights != none) {
                    const double chance = weights_[node.weights + (node.by_row ? row : k)];
                    if (node.by_row) {
                        weight *= chance;
                        if (chance == 0) return 0;
                    } else if (chance < 1 && rng.uniform() >= chance) {
                        return 0;
                    }
                }
            }
            for (const auto check : node.checks) {
                std::size_t entry = 0;
                for (const auto& [slot, stride] : checks_[check].parts) entry += stride * value[slot];
                if (checks_[check].truth[entry] == 0) return 0;
            }
        }
        return weight;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct Check {
        std::vector<std::pair<Slot, std::size_t>> parts;
        std::vector<char> truth;
    };
    struct Node {
        Slot slot = 0;
        std::uint32_t size = 0;
        std::uint32_t parents = 0;
        std::uint32_t parents_end = 0;
        std::int64_t fixed = -1;  // weighted: the one value left; its sums are then one probability a row
        std::size_t sums = 0;
        std::size_t weights = none;  // weighted: one for each row (by_row); else the chance of acceptance, one for each value
        bool by_row = false;
        std::vector<std::uint32_t> checks;
    };

    void add(const NetCase& c, Slot slot, const std::vector<double>& chance, bool weighted) {
        const NetNode& source = c.net->nodes[slot];
        Node node;
        node.slot = slot;
        node.size = static_cast<std::uint32_t>(c.sizes[slot]);
        node.parents = static_cast<std::uint32_t>(parents_.size());
        std::size_t rows = 1;
        for (std::size_t k = source.parents.size(); k-- > 0;) {
            parents_.push_back(static_cast<Slot>(index(source.parents[k])));
            steps_.push_back(rows);
            rows *= c.sizes[parents_.back()];
        }
        node.parents_end = static_cast<std::uint32_t>(parents_.size());
        node.sums = sums_.size();
        if (weighted && c.fixed[slot] >= 0) {
            node.fixed = c.fixed[slot];
            const auto at = static_cast<std::size_t>(node.fixed);
            for (std::size_t r = 0; r < rows; ++r)
                sums_.push_back(source.entry(r * node.size + at).real() * (chance.empty() ? 1 : chance[at]));
            nodes_.push_back(std::move(node));
            return;
        }
        node.by_row = weighted;
        if (!chance.empty()) node.weights = weights_.size();
        if (!chance.empty() && !weighted) weights_.insert(weights_.end(), chance.begin(), chance.end());
        std::vector<double> row(node.size);
        for (std::size_t r = 0; r < rows; ++r) {
            double total = 0;
            std::size_t last = 0;
            for (std::size_t k = 0; k < node.size; ++k) {
                row[k] = source.entry(r * node.size + k).real() * (weighted && !chance.empty() ? chance[k] : 1);
                total += row[k];
                if (row[k] > 0) last = k;
            }
            if (!chance.empty() && weighted) weights_.push_back(total);
            double running = 0;
            for (std::size_t k = 0; k < node.size; ++k) {
                running += row[k];
                sums_.push_back(k >= last ? 1.0 : running / total);  // rounding must not reach a value of probability zero
            }
        }
        nodes_.push_back(std::move(node));
    }

    std::vector<Node> nodes_;
    std::vector<Check> checks_;
    std::vector<Slot> parents_;
    std::vector<std::size_t> steps_;
    std::vector<double> sums_;
    std::vector<double> weights_;
    std::vector<std::uint32_t> start_;
};

struct ForwardOptions {
    std::size_t n = 100'000;
};
constexpr auto samples_option = option<ForwardOptions, &ForwardOptions::n>("n", {.least = 1, .most = 1e10});
constexpr MethodRecord rejection_method(
    "rejection", {samples_option},
    "Draws n samples along the arcs and keeps those that match the evidence. The answer comes with a standard error.",
    "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Wet = true) by rejection(20000) == 0.26 within 0.02");
constexpr MethodRecord likelihood_weighting_method(
    "likelihood_weighting", {samples_option},
    "Draws n samples with the evidence held fixed. Each sample is weighted by the probability of the evidence.",
    "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
    "expect P(Rain = true | Wet = true) by likelihood_weighting(20000) == 9/13 within 0.02");

/// The sums of some of the samples.
struct SampleBlock {
    std::vector<double> weights;
    double sum = 0;
    double squares = 0;
    std::size_t accepted = 0;
    bool stopped = false;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.weights);
        visit(self.sum);
        visit(self.squares);
        visit(self.accepted);
        visit(self.stopped);
    }
};

Result<Answer> ask_forward(const Net& net, const Variables& variables, const Query& query, Run& run, bool weighted) {
    const std::size_t n = (weighted ? likelihood_weighting_method : rejection_method).options(query.by).n;
    const auto digested = TRY(digest(net, variables, query, run));
    const auto c = approximate_case(digested, query);
    const auto tally = TRY(Tally::make(c, query, run));
    const ForwardCase forward(digested, query, weighted);

    std::vector<SampleBlock> blocks(sample_blocks);
    Progress progress(run, weighted ? "likelihood weighting" : "rejection sampling", n, "samples", c.sizes.size() * 4);
    const auto cost = static_cast<double>(n * c.sizes.size()) * 4;
    spread_chunks(run, {.n = sample_blocks, .cost = cost}, blocks, [&](std::size_t b, std::size_t, std::size_t) {
        SampleBlock& block = blocks[b];
        block.weights.assign(tally.cells(), 0.0);
        Rng rng = run.rng.child(b);
        auto value = forward.start();
        const std::size_t own = n / sample_blocks + (b < n % sample_blocks ? 1 : 0);
        for (std::size_t i = 0; i < own; ++i) {
            if (i % stop_check == 0) {
                if (run.stopped()) {
                    block.stopped = true;
                    return;
                }
                progress.advance(std::min(stop_check, own - i));
            }
            const double weight = forward.draw(rng, value.data());
            if (weight == 0) continue;
            ++block.accepted;
            block.sum += weight;
            block.squares += weight * weight;
            block.weights[tally.cell(value)] += weight;
        }
    });
    if (std::any_of(blocks.begin(), blocks.end(), [](const SampleBlock& b) { return b.stopped; })) return stopped_fault();
    std::vector<std::vector<double>> weights;
    double sum = 0;
    double squares = 0;
    std::size_t accepted = 0;
    for (auto& block : blocks) {
        weights.push_back(std::move(block.weights));
        sum += block.sum;
        squares += block.squares;
        accepted += block.accepted;
    }
    const double effective = squares > 0 ? sum * sum / squares : 0;
    auto answer = sampled_answer(c, variables, query, tally, weights, effective, run);
    if (!answer) return answer;
    answer->counts = {{"samples", count_of(n)}, {"accepted", count_of(accepted)}};
    if (weighted) answer->counts.emplace_back("effective_samples", Number::real(effective));
    answer->engine = weighted ? "likelihood_weighting" : "rejection";
    return answer;
}

}  // namespace

const NetEngine rejection_net_engine{.method = rejection_method.info(),
                                     .ask = +[](const Net& net, const Variables& variables, const Query& query, NetMemory&, Run& run) {
                                         return ask_forward(net, variables, query, run, false);
                                     }};
const NetEngine likelihood_weighting_net_engine{.method = likelihood_weighting_method.info(),
                                                .ask = +[](const Net& net, const Variables& variables, const Query& query, NetMemory&,
                                                           Run& run) { return ask_forward(net, variables, query, run, true); }};

}  // namespace credence::rt
