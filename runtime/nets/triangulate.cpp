#include "runtime/nets/triangulate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/core/rng.hpp"

namespace credence::rt {

namespace {

using Word = std::uint64_t;
constexpr std::size_t word_bits = 64;

/// The graph whose edges join variables of one table, as rows of bits. Vertices are the variables that have a table.
struct MoralGraph {
    std::size_t words = 0;
    std::vector<Slot> slots;  // by vertex
    std::vector<double> size;
    std::vector<Word> bits;

    std::size_t count() const { return slots.size(); }
    Word* row(std::size_t v) { return bits.data() + v * words; }
    const Word* row(std::size_t v) const { return bits.data() + v * words; }
};

template <class Visit>
void each_bit(const Word* row, std::size_t words, const Visit& visit) {
    for (std::size_t w = 0; w < words; ++w)
        for (Word rest = row[w]; rest != 0; rest &= rest - 1) visit(w * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
}

MoralGraph moral_graph(std::span<const std::vector<Slot>> scopes, const Sizes& sizes) {
    MoralGraph g;
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> vertex(sizes.size(), none);
    for (const auto& scope : scopes)
        for (const auto slot : scope) vertex[slot] = 0;
    for (Slot slot = 0; slot < sizes.size(); ++slot) {
        if (vertex[slot] == none) continue;
        vertex[slot] = static_cast<std::uint32_t>(g.slots.size());
        g.slots.push_back(slot);
        g.size.push_back(static_cast<double>(sizes[slot]));
    }
    g.words = (g.count() + word_bits - 1) / word_bits;
    g.bits.assign(g.count() * g.words, 0);
    for (const auto& scope : scopes)
        for (const auto a : scope)
            for (const auto b : scope)
                if (a != b) g.row(vertex[a])[vertex[b] / word_bits] |= Word{1} << (vertex[b] % word_bits);
    return g;
}

/// The last two are not greedy rules: nets that repeat themselves, slice by slice or row by row, are often declared in a good order.
enum class GreedyRule { min_fill, min_weight, weighted_fill, as_declared, from_the_end };

struct GreedyScore {
    double first = 0;
    double second = 0;
    friend bool operator<(const GreedyScore& a, const GreedyScore& b) {
        return a.first != b.first ? a.first < b.first : a.second < b.second;
    }
};

/// One greedy elimination. `effort` counts the words looked at.
class Greedy {
public:
    Greedy(MoralGraph& g, GreedyRule rule) : g_(&g), rule_(rule), score_(g.count()), affected_(g.words), near_(g.words) {}

    std::size_t effort = 0;
    double entries = 0;
    std::vector<std::uint32_t> order;

    /// Eliminates until nothing is left or the entries pass the limit; what `gone` marks is no longer there. False: gave up.
    bool run(std::vector<char>& gone, std::span<const double> luck, double limit) {
        const std::size_t n = g_->count();
        std::vector<std::uint32_t> left;
        for (std::size_t v = 0; v < n; ++v) {
            if (gone[v]) continue;
            left.push_back(static_cast<std::uint32_t>(v));
            score_[v] = score(v, luck);
        }
        while (!left.empty()) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < left.size(); ++i)
                if (score_[left[i]] < score_[left[best]]) best = i;
            effort += left.size() / 8;
            const std::size_t v = left[best];
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
            entries += table(v);
            if (entries > limit) return false;
            eliminate(v, luck);
            gone[v] = 1;
        }
        return true;
    }

    /// Takes away what has all its neighbours joined already: no order does better (simplicial vertices).
    void reduce(std::vector<char>& gone) {
        std::vector<std::uint32_t> queue;
        for (std::size_t v = g_->count(); v-- > 0;) queue.push_back(static_cast<std::uint32_t>(v));
        std::vector<char> queued(g_->count(), 1);
        while (!queue.empty()) {
            const std::size_t v = queue.back();
            queue.pop_back();
            queued[v] = 0;
            if (gone[v] || !simplicial(v)) continue;
            gone[v] = 1;
            entries += table(v);
            order.push_back(static_cast<std::uint32_t>(v));
            each_bit(g_->row(v), g_->words, [&](std::size_t u) {
                g_->row(u)[v / word_bits] &= ~(Word{1} << (v % word_bits));
                if (!queued[u]) queue.push_back(static_cast<std::uint32_t>(u));
                queued[u] = 1;
            });
        }
    }

private:
    double table(std::size_t v) const {
        double size = g_->size[v];
        each_bit(g_->row(v), g_->words, [&](std::size_t u) { size *= g_->size[u]; });
        return size;
    }
    /// The words of a row that are not empty: neighbours lie close together in most nets.
    void find_words(const Word* row) {
        words_.clear();
        for (std::size_t w = 0; w < g_->words; ++w)
            if (row[w] != 0) words_.push_back(static_cast<std::uint32_t>(w));
        effort += g_->words / 4;
    }
    bool simplicial(std::size_t v) {
        const Word* near = g_->row(v);
        find_words(near);
        for (const auto w : words_)
            for (Word rest = near[w]; rest != 0; rest &= rest - 1) {
                const std::size_t u = w * word_bits + static_cast<std::size_t>(std::countr_zero(rest));
                const Word* other = g_->row(u);
                effort += words_.size();
                for (const auto k : words_)
                    if (const Word missing = near[k] & ~other[k];
                        missing != 0 && !(k == u / word_bits && missing == Word{1} << (u % word_bits)))
                        return false;
            }
        return true;
    }
    GreedyScore score(std::size_t v, std::span<const double> luck) {
        if (rule_ == GreedyRule::as_declared) return {static_cast<double>(v), 0};
        if (rule_ == GreedyRule::from_the_end) return {-static_cast<double>(v), 0};
        const Word* near = g_->row(v);
        double fill = 0;
        double size = g_->size[v];
        find_words(near);
        for (const auto own : words_)
            for (Word all = near[own]; all != 0; all &= all - 1) {
                const std::size_t u = own * word_bits + static_cast<std::size_t>(std::countr_zero(all));
                size *= g_->size[u];
                const Word* other = g_->row(u);
                effort += words_.size() + 1;
                if (rule_ == GreedyRule::weighted_fill) {
                    double missing = -g_->size[u];
                    for (const auto w : words_)
                        for (Word rest = near[w] & ~other[w]; rest != 0; rest &= rest - 1)
                            missing += g_->size[w * word_bits + static_cast<std::size_t>(std::countr_zero(rest))];
                    fill += missing * g_->size[u];
                } else if (rule_ == GreedyRule::min_fill) {
                    int missing = -1;  // u is not its own neighbour, and no edge is missing there
                    for (const auto w : words_) missing += std::popcount(near[w] & ~other[w]);
                    fill += missing;
                }
            }
        const double chance = luck.empty() ? 1 : luck[v];
        if (rule_ == GreedyRule::min_weight) return {size * chance, 0};
        return {fill * chance, size * chance};
    }
    void eliminate(std::size_t v, std::span<const double> luck) {
        order.push_back(static_cast<std::uint32_t>(v));
        const std::size_t words = g_->words;
        std::copy_n(g_->row(v), words, near_.begin());
        affected_ = near_;
        find_words(near_.data());
        // an edge more changes the fill of those who see both its ends
        if (rule_ == GreedyRule::min_fill || rule_ == GreedyRule::weighted_fill)
            each_bit(near_.data(), words, [&](std::size_t u) {
                const Word* row = g_->row(u);
                effort += words_.size();
                for (const auto w : words_)
                    for (Word fresh = near_[w] & ~row[w]; fresh != 0; fresh &= fresh - 1) {
                        const std::size_t other = w * word_bits + static_cast<std::size_t>(std::countr_zero(fresh));
                        if (other <= u) continue;
                        const Word* end = g_->row(other);
                        effort += words;
                        for (std::size_t k = 0; k < words; ++k) affected_[k] |= row[k] & end[k];
                    }
            });
        each_bit(near_.data(), words, [&](std::size_t u) {
            Word* row = g_->row(u);
            for (const auto w : words_) row[w] |= near_[w];
            row[u / word_bits] &= ~(Word{1} << (u % word_bits));
            row[v / word_bits] &= ~(Word{1} << (v % word_bits));
        });
        affected_[v / word_bits] &= ~(Word{1} << (v % word_bits));
        effort += words * 2;
        each_bit(affected_.data(), words, [&](std::size_t u) { score_[u] = score(u, luck); });
    }

    MoralGraph* g_;
    GreedyRule rule_;
    std::vector<GreedyScore> score_;
    std::vector<Word> affected_;
    std::vector<Word> near_;
    std::vector<std::uint32_t> words_;
};

/// The vertices that are left, renumbered: fewer words a row.
MoralGraph kernel_of(const MoralGraph& g, const std::vector<char>& gone, std::vector<std::uint32_t>& original) {
    std::vector<std::uint32_t> renumbered(g.count(), 0);
    for (std::size_t v = 0; v < g.count(); ++v) {
        if (gone[v]) continue;
        renumbered[v] = static_cast<std::uint32_t>(original.size());
        original.push_back(static_cast<std::uint32_t>(v));
    }
    MoralGraph k;
    k.words = (original.size() + word_bits - 1) / word_bits;
    k.bits.assign(original.size() * k.words, 0);
    for (const auto v : original) {
        k.slots.push_back(g.slots[v]);
        k.size.push_back(g.size[v]);
    }
    for (std::size_t i = 0; i < original.size(); ++i)
        each_bit(g.row(original[i]), g.words, [&](std::size_t u) {
            const std::size_t j = renumbered[u];
            k.row(i)[j / word_bits] |= Word{1} << (j % word_bits);
        });
    return k;
}

struct Found {
    std::vector<std::uint32_t> order;
    double entries = std::numeric_limits<double>::infinity();
    double effort = 0;
};

/// The best order of the kernel found within an effort that the tables to come are worth.
Found search(const MoralGraph& kernel, std::size_t most_tries) {
    // A unit of effort takes about four nanoseconds, an entry of a table two or three (both passes): a sixth of the time may go into the
    // search. Measured on the classic networks: more of it gains less than it costs.
    constexpr double share = 0.1;
    constexpr double most_effort = 2e7;
    constexpr std::uint64_t seed = 1988;
    const Rng base(seed);
    Found best;
    std::vector<double> luck;
    for (std::size_t attempt = 0; attempt < most_tries; ++attempt) {
        if (attempt > 0 && best.effort * (1 + 1 / static_cast<double>(attempt)) > std::min(share * best.entries, most_effort)) break;
        MoralGraph g = kernel;
        constexpr GreedyRule rules[] = {GreedyRule::min_fill, GreedyRule::weighted_fill, GreedyRule::min_weight};
        constexpr std::size_t fixed_tries = 5;
        const GreedyRule rule = attempt == 3   ? GreedyRule::as_declared
                                : attempt == 4 ? GreedyRule::from_the_end
                                               : rules[(attempt < fixed_tries ? attempt : attempt - 2) % 3];
        if (attempt >= fixed_tries) {
            Rng rng = base.child(attempt);
            // a little luck breaks ties, more of it leaves the beaten path
            const double spread = attempt % 2 == 0 ? 1e-6 : 0.2;
            luck.resize(g.count());
            for (auto& l : luck) l = 1 + spread * rng.uniform();
        }
        Greedy greedy(g, rule);
        std::vector<char> gone(g.count(), 0);
        const bool done = greedy.run(gone, luck, best.entries);
        best.effort += static_cast<double>(greedy.effort + g.bits.size());
        if (!done) continue;
        best.entries = greedy.entries;
        best.order = std::move(greedy.order);
    }
    return best;
}

/// An order of all vertices: the simplicial ones first, then what the search found for the rest.
Found order_of(const MoralGraph& whole, std::size_t most_tries) {
    MoralGraph g = whole;
    std::vector<char> gone(g.count(), 0);
    Greedy simplicial(g, GreedyRule::min_fill);
    simplicial.reduce(gone);
    Found out{std::move(simplicial.order), simplicial.entries, static_cast<double>(simplicial.effort)};
    if (out.order.size() == g.count()) return out;
    std::vector<std::uint32_t> original;
    const MoralGraph kernel = kernel_of(g, gone, original);
    const Found rest = search(kernel, most_tries);
    for (const auto v : rest.order) out.order.push_back(original[v]);
    out.entries += rest.entries;
    out.effort += rest.effort;
    return out;
}

}  // namespace

Triangulation estimate_triangulation(std::span<const std::vector<Slot>> scopes, const Sizes& sizes) {
    constexpr std::size_t tries = 2;
    constexpr double a_scope = 40;  // of effort, to gather it and to join its variables
    const Found found = order_of(moral_graph(scopes, sizes), tries);
    Triangulation out;
    out.entries = found.entries;
    out.effort = found.effort + a_scope * static_cast<double>(scopes.size());
    return out;
}

Triangulation triangulate(std::span<const std::vector<Slot>> scopes, const Sizes& sizes) {
    constexpr std::size_t tries = 200;
    const MoralGraph whole = moral_graph(scopes, sizes);
    const Found found = order_of(whole, tries);
    const auto& order = found.order;
    MoralGraph g = whole;

    // once more along the best order, this time with the cliques
    Triangulation out;
    out.effort = found.effort;
    out.position.assign(sizes.size(), UINT32_MAX);
    for (std::size_t i = 0; i < order.size(); ++i) out.position[whole.slots[order[i]]] = static_cast<std::uint32_t>(i);
    out.begins.push_back(0);
    std::vector<Word> near(g.words);
    for (const auto v : order) {
        out.order.push_back(g.slots[v]);
        std::copy_n(g.row(v), g.words, near.begin());
        double size = g.size[v];
        const auto begin = static_cast<std::ptrdiff_t>(out.cliques.size());
        each_bit(near.data(), g.words, [&](std::size_t u) {
            out.cliques.push_back(g.slots[u]);
            size *= g.size[u];
            Word* row = g.row(u);
            for (std::size_t w = 0; w < g.words; ++w) row[w] |= near[w];
            row[u / word_bits] &= ~(Word{1} << (u % word_bits));
            row[v / word_bits] &= ~(Word{1} << (v % word_bits));
        });
        std::sort(out.cliques.begin() + begin, out.cliques.end(), [&](Slot a, Slot b) { return out.position[a] > out.position[b]; });
        out.cliques.push_back(g.slots[v]);
        out.begins.push_back(static_cast<std::uint32_t>(out.cliques.size()));
        out.entries += size;
    }
    return out;
}

}  // namespace credence::rt
