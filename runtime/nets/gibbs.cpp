// Gibbs sampling (Geman & Geman 1984) in four chains, block by block.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/parcels.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/nets/gibbs_blocks.hpp"
#include "runtime/nets/net_engine.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t chains = 4;
constexpr std::size_t parts = sample_blocks / chains;  // of each chain
constexpr std::size_t halves = chains * 2;
constexpr double suspicious_r_hat = 1.05;

/// The tables raised to a power, and with them the weights of the states of each block.
struct Tempered {
    std::vector<PlainTable> tables;
    std::vector<std::vector<double>> weights;
};

Tempered tempered(const ApproximateCase& c, const GibbsBlocks& blocks, double power) {
    Tempered out;
    out.tables = c.tables;
    for (const auto& block : blocks.blocks) out.weights.push_back(block.weights);
    if (power == 1) return out;
    for (auto& table : out.tables)
        for (auto& v : table.values) v = v > 0 ? std::pow(v, power) : 0;
    for (auto& weights : out.weights)
        for (auto& w : weights) w = std::pow(w, power);
    return out;
}

class GibbsChain {
public:
    GibbsChain(const ApproximateCase& c, const GibbsBlocks& blocks, const Tempered& measure, Rng rng, const Run& run)
        : c_(c),
          blocks_(blocks.blocks),
          possible_(blocks.possible),
          measure_(&measure),
          rng_(rng),
          work_(run, false),
          value_(c.sizes.size(), 0),
          entry_(c.tables.size(), 0) {
        std::size_t most = 1;
        for (const auto& block : blocks_) most = std::max(most, block.count);
        weights_.resize(most);
        state_.assign(blocks_.size(), 0);
        whole_.resize(blocks_.size());
        for (Slot slot = 0; slot < c.sizes.size(); ++slot)
            if (c.fixed[slot] >= 0) value_[slot] = static_cast<std::uint32_t>(c.fixed[slot]);
    }

    /// Each block begins in a possible state of its own: the tables between the blocks have no zeros, so the whole is possible too.
    Status begin() {
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const GibbsBlock& block = blocks_[b];
            if (block.wide()) {
                if (auto done = draw_wide(b, false); !done) return done;
                continue;
            }
            state_[b] = rng_.below(block.count);
            set_values(block, state_[b]);
        }
        place_entries();
        return Done{};
    }

    Status sweep() {
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (!blocks_[b].wide()) {
                draw(b);
            } else {
                if (auto done = draw_wide(b, true); !done) return done;
                place_entries();
            }
        }
        return Done{};
    }

    /// From now on the chain has this measure, of the same blocks.
    void follow(const Tempered& measure) {
        measure_ = &measure;
        for (auto& whole : whole_) whole.reset();
    }

    std::span<const std::uint32_t> value() const { return value_; }

private:
    void set_values(const GibbsBlock& block, std::size_t state) {
        const std::size_t size = block.variables.size();
        for (std::size_t i = 0; i < size; ++i) value_[block.variables[i]] = block.states[state * size + i];
    }

    void place_entries() {
        for (std::size_t t = 0; t < c_.tables.size(); ++t) {
            std::size_t at = 0;
            for (const auto slot : c_.tables[t].variables) at = at * c_.sizes[slot] + value_[slot];
            entry_[t] = at;
        }
    }

    void draw(std::size_t b) {
        const GibbsBlock& block = blocks_[b];
        const auto& tables = measure_->tables;
        const auto& weights = measure_->weights[b];
        const std::size_t width = block.tables.size();
        const std::size_t* now = block.offsets.data() + state_[b] * width;
        for (std::size_t k = 0; k < width; ++k) entry_[block.tables[k]] -= now[k];
        double total = 0;
        const std::size_t* offsets = block.offsets.data();
        for (std::size_t s = 0; s < block.count; ++s, offsets += width) {
            double weight = weights[s];
            for (std::size_t k = 0; k < width; ++k) {
                const auto t = block.tables[k];
                weight *= tables[t].values[entry_[t] + offsets[k]];
            }
            weights_[s] = total += weight;
        }
        std::size_t s = state_[b];
        if (total > 0) {  // else everything underflowed: the block stays
            const double at = rng_.uniform() * total;
            s = 0;
            while (s + 1 < block.count && at >= weights_[s]) ++s;
        }
        if (s != state_[b]) {
            state_[b] = s;
            set_values(block, s);
        }
        const std::size_t* then = block.offsets.data() + s * width;
        for (std::size_t k = 0; k < width; ++k) entry_[block.tables[k]] += then[k];
    }

    /// A block with too many states to list: eliminated, then drawn backwards. One that nothing outside touches is eliminated once.
    Status draw_wide(std::size_t b, bool with_neighbours) {
        const GibbsBlock& block = blocks_[b];
        if (!whole_[b]) {
            auto fixed = std::vector<std::int64_t>(c_.sizes.size(), -1);
            for (std::size_t slot = 0; slot < value_.size(); ++slot) fixed[slot] = static_cast<std::int64_t>(value_[slot]);
            for (const auto slot : block.variables) fixed[slot] = -1;
            Problem<LogProb> problem{&c_.sizes, &c_.names, {}};
            const auto add = [&](std::uint32_t t) {
                const auto& table = measure_->tables[t];
                const auto part = restricted(
                    table.variables, [&](std::size_t i) { return table.values[i]; }, fixed, c_.sizes);
                Potential<LogProb> f{part.variables, {}};
                for (const double v : part.values) f.values.push_back(prob_of<LogProb>(Number::real(v)));
                problem.potentials.push_back(std::move(f));
            };
            for (const auto t : block.inside) add(t);
            if (with_neighbours)
                for (const auto t : block.tables) add(t);
            for (const auto slot : block.variables) {
                if (!contains(possible_[slot], 0)) continue;
                Potential<LogProb> f{{slot}, {}};
                for (const char possible : possible_[slot]) f.values.push_back(possible != 0 ? one<LogProb>() : LogProb());
                problem.potentials.push_back(std::move(f));
            }
            auto made = TRY(BackwardSampler<LogProb>::make(std::move(problem), block.variables, work_));
            if (made.impossible()) return Fault{.code = "E-ZERO", .message = "the evidence has probability zero"};
            whole_[b] = std::move(made);
        }
        drawn_.resize(c_.sizes.size());
        whole_[b]->draw(rng_, drawn_);
        for (const auto slot : block.variables) value_[slot] = static_cast<std::uint32_t>(drawn_[slot]);
        if (!block.tables.empty()) whole_[b].reset();
        return Done{};
    }

    const ApproximateCase& c_;
    const std::vector<GibbsBlock>& blocks_;
    const std::vector<std::vector<char>>& possible_;
    const Tempered* measure_;
    Rng rng_;
    Work work_;
    std::vector<std::uint32_t> value_;
    std::vector<std::size_t> entry_;  // by table: where its entry of the moment is
    std::vector<std::size_t> state_;  // by block
    std::vector<double> weights_;
    std::vector<std::optional<BackwardSampler<LogProb>>> whole_;
    std::vector<std::size_t> drawn_;
};

/// What the chains saw: by part of a chain the cells of the tally, by half of a chain how often each variable had each value.
struct Seen {
    std::vector<std::vector<double>> cells;
    std::vector<std::vector<double>> values;
    std::vector<double> lengths;  // of the halves
};

struct Agreement {
    double r_hat = 1;       ///< the largest, of all cells and all values of all variables
    std::size_t stuck = 0;  ///< values that some chains always had, and the others never
};

/// Adds the split R-hat (Gelman & Rubin 1992; halves as in Gelman et al. 2013) of one frequency. False where it is infinite.
bool add_r_hat(std::span<const double> hits, std::span<const double> lengths, Agreement& agreement) {
    const double n = *std::min_element(lengths.begin(), lengths.end());
    if (n < 2) return true;
    double mean = 0;
    double within = 0;
    double squares = 0;
    for (std::size_t h = 0; h < halves; ++h) {
        const double p = hits[h] / lengths[h];
        mean += p;
        squares += p * p;
        within += p * (1 - p) * n / (n - 1);
    }
    mean /= halves;
    within /= halves;
    const double between = std::max(0.0, (squares - halves * mean * mean) / (halves - 1));  // of the means: B / n
    constexpr double rounding = 1e-14;
    if (between <= rounding) return true;
    const double r = within > 0 ? std::sqrt((n - 1) / n + between / within) : std::numeric_limits<double>::infinity();
    agreement.r_hat = std::max(agreement.r_hat, r);
    return within > 0;
}

/// Chains may agree on what is asked by chance while they stand in different places: all that they draw is compared.
Agreement agreement(const Seen& seen) {
    Agreement out;
    std::vector<double> hits(halves);
    constexpr std::size_t in_half = parts / 2;
    for (std::size_t cell = 0; cell < seen.cells[0].size(); ++cell) {
        for (std::size_t h = 0; h < halves; ++h) {
            hits[h] = 0;
            for (std::size_t p = 0; p < in_half; ++p) hits[h] += seen.cells[h * in_half + p][cell];
        }
        add_r_hat(hits, seen.lengths, out);
    }
    for (std::size_t k = 0; k < seen.values[0].size(); ++k) {
        for (std::size_t h = 0; h < halves; ++h) hits[h] = seen.values[h][k];
        if (!add_r_hat(hits, seen.lengths, out)) ++out.stuck;
    }
    return out;
}

/// The parts of each chain together.
std::vector<std::vector<double>> by_chain(std::span<const std::vector<double>> cells) {
    std::vector<std::vector<double>> out;
    for (std::size_t p = 0; p < cells.size(); ++p) {
        if (p % parts == 0) out.emplace_back(cells[p].size(), 0.0);
        for (std::size_t k = 0; k < cells[p].size(); ++k) out.back()[k] += cells[p][k];
    }
    return out;
}

struct GibbsOptions {
    std::size_t n = 100'000;
    std::size_t burn = 1000;
};
constexpr MethodRecord gibbs_method(
    "gibbs",
    {option<GibbsOptions, &GibbsOptions::n>("n", {.least = 1, .most = 1e10}),
     option<GibbsOptions, &GibbsOptions::burn>("burn", {.least = 0, .most = 1e9})},
    "Draws each variable in turn, given all others. Four chains make n sweeps; the first `burn` sweeps of each chain are not used.",
    "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
    "expect P(Rain = true | Wet = true) by gibbs(20000) == 9/13 within 0.03");

/// What a chain gives: counts of the cells by part, and of all values by half.
struct ChainCounts {
    std::vector<std::vector<double>> parts;
    std::vector<std::vector<double>> values;
    std::vector<double> lengths;
    std::optional<Fault> fault;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.parts);
        visit(self.values);
        visit(self.lengths);
        visit(self.fault);
    }
};

/// The chains begin hot, where all is about equally likely, and cool down in the first half of the burn-in: more of them then find
/// the places with most of the probability (Geman & Geman 1984).
constexpr std::size_t stages = 16;

std::vector<Tempered> cooling_of(const ApproximateCase& c, const GibbsBlocks& blocks, std::size_t burn) {
    std::vector<Tempered> out;
    const bool independent = std::all_of(blocks.blocks.begin(), blocks.blocks.end(), [](const auto& b) { return b.tables.empty(); });
    for (std::size_t stage = independent || burn < stages * 2 ? stages : 0; stage <= stages; ++stage)
        out.push_back(tempered(c, blocks, static_cast<double>(stage) / stages));
    return out;
}

/// All that the chains of a query share.
struct GibbsWork {
    const ApproximateCase& c;
    const Tally& tally;
    const GibbsBlocks& blocks;
    GibbsOptions options;
    std::vector<Tempered> cooling;
    std::vector<std::size_t> offsets;  ///< of each variable's values
};

/// One chain: its burn-in, then its parts.
void run_chain(const GibbsWork& work, std::size_t chain, ChainCounts& out, Progress& progress, const Run& run) {
    auto& fault = out.fault;
    GibbsChain state(work.c, work.blocks, work.cooling.front(), run.rng.child(chain), run);
    const auto failed = [&](Status status) {
        if (!status) fault = std::move(status).fault();
        return fault.has_value();
    };
    if (failed(state.begin())) return;
    constexpr std::size_t sweeps_a_look = 1024;
    std::size_t sweeps = 0;
    const auto sweep = [&] {
        if (sweeps++ % sweeps_a_look == 0) {
            if (run.stopped()) fault = stopped_fault();
            progress.advance(sweeps_a_look);
        }
        return !fault && !failed(state.sweep());
    };
    const auto [n, burn] = work.options;
    const std::size_t a_stage = std::max<std::size_t>(1, burn / 2 / stages);
    for (std::size_t i = 0; i < burn; ++i) {
        if (i % a_stage == 0 && i / a_stage < work.cooling.size()) state.follow(work.cooling[i / a_stage]);
        if (!sweep()) return;
    }
    state.follow(work.cooling.back());
    out.parts.resize(parts);
    out.values.assign(2, std::vector<double>(work.offsets.back(), 0.0));
    out.lengths.assign(2, 0.0);
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t slot = chain * parts + part;
        const std::size_t half = part / (parts / 2);
        auto& own = out.parts[part];
        auto& values = out.values[half];
        own.assign(work.tally.cells(), 0.0);
        const std::size_t length = n / sample_blocks + (slot < n % sample_blocks ? 1 : 0);
        out.lengths[half] += static_cast<double>(length);
        for (std::size_t i = 0; i < length; ++i) {
            if (!sweep()) return;
            own[work.tally.cell(state.value())] += 1;
            for (std::size_t v = 0; v < work.c.sizes.size(); ++v) values[work.offsets[v] + state.value()[v]] += 1;
        }
    }
}

/// What the chains saw, in their order; the first fault of them.
Result<Seen> together(std::vector<ChainCounts> drawn, const Query& query, const ZeroFault& zero) {
    Seen seen;
    for (auto& chain : drawn) {
        auto& fault = chain.fault;
        if (!fault) {
            std::move(chain.parts.begin(), chain.parts.end(), std::back_inserter(seen.cells));
            std::move(chain.values.begin(), chain.values.end(), std::back_inserter(seen.values));
            seen.lengths.insert(seen.lengths.end(), chain.lengths.begin(), chain.lengths.end());
            continue;
        }
        if (fault->code == "E-ZERO") return zero({});
        if (fault->origin == Origin::none) fault->origin = query.origin;
        if (fault->code == "E-COST") fault->hint = "zeros in the tables tie these variables together: try likelihood_weighting";
        return *std::move(fault);
    }
    return seen;
}

Result<Answer> ask_by_gibbs(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero, Run& run) {
    const auto options = gibbs_method.options(query.by);
    const auto [n, burn] = options;
    const auto tally = TRY(Tally::make(c, query, run));
    const auto blocks = gibbs_blocks(c);
    if (blocks.impossible) return zero({});
    std::size_t largest = 0;
    for (const auto& block : blocks.blocks) largest = std::max(largest, block.variables.size());

    std::vector<std::size_t> offsets{0};
    for (const auto size : c.sizes) offsets.push_back(offsets.back() + size);
    const GibbsWork work{c, tally, blocks, options, cooling_of(c, blocks, burn), std::move(offsets)};
    std::vector<ChainCounts> drawn(chains);
    Progress progress(run, "gibbs", n + chains * burn, "sweeps", blocks.blocks.size() * 8);
    const auto cost = static_cast<double>((n + chains * burn) * blocks.blocks.size()) * 8;
    spread_chunks(run, {.n = chains, .cost = cost}, drawn,
                  [&](std::size_t chain, std::size_t, std::size_t) { run_chain(work, chain, drawn[chain], progress, run); });
    const Seen seen = TRY(together(std::move(drawn), query, zero));
    const Agreement agreed = agreement(seen);
    const bool apart = agreed.r_hat > suspicious_r_hat;  // then a chain is one observation, not many
    const double excess = agreed.r_hat * agreed.r_hat - 1;
    const double effective = apart ? std::max(2.0, halves / excess) : static_cast<double>(n);
    auto answer = sampled_answer(c, variables, query, tally, apart ? by_chain(seen.cells) : seen.cells, effective, run);
    if (!answer) return answer;
    answer->engine = "gibbs";
    answer->counts = {{"sweeps", count_of(n)},
                      {"burn", count_of(burn)},
                      {"chains", count_of(chains)},
                      {"largest_block", count_of(largest)},
                      {"r_hat", Number::real(agreed.r_hat)}};
    if (agreed.stuck > 0)
        answer->notes.push_back("the four chains are stuck in different places and never move between them: use an exact engine");
    else if (apart)
        answer->notes.push_back(fmt::format(
            "the four chains do not agree yet (R-hat {:.3g}): use more sweeps, a longer burn-in or another engine", agreed.r_hat));
    return answer;
}

}  // namespace

const NetEngine gibbs_net_engine{.method = gibbs_method.info(), .ask_tables = ask_by_gibbs};

}  // namespace credence::rt
