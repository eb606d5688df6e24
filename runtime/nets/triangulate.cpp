#include "runtime/nets/triangulate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "runtime/core/rng.hpp"
#include "runtime/prob/factors/elimination_graph.hpp"

namespace credence::rt {

namespace {

using Word = std::uint64_t;
constexpr std::size_t word_bits = 64;
using Vertex = EliminationGraph::Vertex;
constexpr std::size_t most_neighbours = 128;  // a clique of more variables is out of reach anyway

/// What is left of a graph when the simplicial vertices are gone, as rows of bits.
struct Kernel {
    std::size_t words = 0;
    std::vector<double> size;  // by vertex
    std::vector<Word> bits;

    std::size_t count() const { return size.size(); }
    Word* row(std::size_t v) { return bits.data() + v * words; }
    const Word* row(std::size_t v) const { return bits.data() + v * words; }
};

template <class Visit>
void each_bit(const Word* row, std::size_t words, const Visit& visit) {
    for (std::size_t w = 0; w < words; ++w)
        for (Word rest = row[w]; rest != 0; rest &= rest - 1) visit(w * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
}

Kernel kernel_of(const EliminationGraph& g) {
    Kernel out;
    out.words = (g.count() + word_bits - 1) / word_bits;
    out.bits.assign(g.count() * out.words, 0);
    for (Vertex v = 0; v < g.count(); ++v) {
        out.size.push_back(g.size(v));
        g.each_neighbour(v, [&](Vertex u) { out.row(v)[u / word_bits] |= Word{1} << (u % word_bits); });
    }
    return out;
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

/// One greedy elimination of a kernel. `effort` counts the words looked at.
class DenseGreedy {
public:
    DenseGreedy(const Kernel& kernel, GreedyRule rule)
        : effort(kernel.bits.size()), g_(kernel), rule_(rule), score_(kernel.count()), affected_(kernel.words), near_(kernel.words) {}

    std::size_t effort;
    double entries = 0;
    std::vector<Vertex> order;

    /// Eliminates until nothing is left or the entries pass the limit. False: gave up.
    bool run(std::span<const double> luck, double limit) {
        std::vector<std::uint32_t> left;
        for (std::size_t v = 0; v < g_.count(); ++v) {
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
        }
        return true;
    }

private:
    double table(std::size_t v) const {
        double size = g_.size[v];
        each_bit(g_.row(v), g_.words, [&](std::size_t u) { size *= g_.size[u]; });
        return size;
    }
    /// The words of a row that are not empty: neighbours lie close together in most nets.
    void find_words(const Word* row) {
        words_.clear();
        for (std::size_t w = 0; w < g_.words; ++w)
            if (row[w] != 0) words_.push_back(static_cast<std::uint32_t>(w));
        effort += g_.words / 4;
    }
    GreedyScore score(std::size_t v, std::span<const double> luck) {
        if (rule_ == GreedyRule::as_declared) return {static_cast<double>(v), 0};
        if (rule_ == GreedyRule::from_the_end) return {-static_cast<double>(v), 0};
        const Word* near = g_.row(v);
        double fill = 0;
        double size = g_.size[v];
        find_words(near);
        for (const auto own : words_)
            for (Word all = near[own]; all != 0; all &= all - 1) {
                const std::size_t u = own * word_bits + static_cast<std::size_t>(std::countr_zero(all));
                size *= g_.size[u];
                const Word* other = g_.row(u);
                effort += words_.size() + 1;
                if (rule_ == GreedyRule::weighted_fill) {
                    double missing = -g_.size[u];
                    for (const auto w : words_)
                        for (Word rest = near[w] & ~other[w]; rest != 0; rest &= rest - 1)
                            missing += g_.size[w * word_bits + static_cast<std::size_t>(std::countr_zero(rest))];
                    fill += missing * g_.size[u];
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
        const std::size_t words = g_.words;
        std::copy_n(g_.row(v), words, near_.begin());
        affected_ = near_;
        find_words(near_.data());
        // an edge more changes the fill of those who see both its ends
        if (rule_ == GreedyRule::min_fill || rule_ == GreedyRule::weighted_fill)
            each_bit(near_.data(), words, [&](std::size_t u) {
                const Word* row = g_.row(u);
                effort += words_.size();
                for (const auto w : words_)
                    for (Word fresh = near_[w] & ~row[w]; fresh != 0; fresh &= fresh - 1) {
                        const std::size_t other = w * word_bits + static_cast<std::size_t>(std::countr_zero(fresh));
                        if (other <= u) continue;
                        const Word* end = g_.row(other);
                        effort += words;
                        for (std::size_t k = 0; k < words; ++k) affected_[k] |= row[k] & end[k];
                    }
            });
        each_bit(near_.data(), words, [&](std::size_t u) {
            Word* row = g_.row(u);
            for (const auto w : words_) row[w] |= near_[w];
            row[u / word_bits] &= ~(Word{1} << (u % word_bits));
            row[v / word_bits] &= ~(Word{1} << (v % word_bits));
        });
        affected_[v / word_bits] &= ~(Word{1} << (v % word_bits));
        effort += words * 2;
        each_bit(affected_.data(), words, [&](std::size_t u) { score_[u] = score(u, luck); });
    }

    Kernel g_;
    GreedyRule rule_;
    std::vector<GreedyScore> score_;
    std::vector<Word> affected_;
    std::vector<Word> near_;
    std::vector<std::uint32_t> words_;
};

/// The same on lists of neighbours, for kernels whose rows of bits would be mostly empty. `effort` counts pairs of neighbours.
class SparseGreedy {
public:
    SparseGreedy(const EliminationGraph& kernel, GreedyRule rule)
        : effort(kernel.count()), g_(kernel), rule_(rule), score_(kernel.count()) {}

    std::size_t effort;
    double entries = 0;
    std::vector<Vertex> order;

    bool run(std::span<const double> luck, double limit) {
        const auto before = [&](Vertex a, Vertex b) {
            if (score_[a] < score_[b]) return true;
            return !(score_[b] < score_[a]) && a < b;
        };
        std::set<Vertex, decltype(before)> left(before);
        for (Vertex v = 0; v < g_.count(); ++v) {
            score_[v] = score(v, luck);
            left.insert(v);
        }
        const auto consider_again = [&](Vertex u) {
            left.erase(u);
            score_[u] = score(u, luck);
            left.insert(u);
        };
        while (!left.empty()) {
            const Vertex best = *left.begin();
            left.erase(left.begin());
            order.push_back(best);
            g_.eliminate(best);
            double table = g_.size(best);
            for (const auto u : g_.last_neighbours()) table *= g_.size(u);
            entries += table;
            if (entries > limit) return false;
            effort += g_.last_neighbours().size() * g_.last_neighbours().size();
            for (const auto u : g_.last_neighbours()) consider_again(u);
            if (rule_ == GreedyRule::min_fill || rule_ == GreedyRule::weighted_fill) g_.each_witness(consider_again);
        }
        return true;
    }

private:
    GreedyScore score(Vertex v, std::span<const double> luck) {
        if (rule_ == GreedyRule::as_declared) return {static_cast<double>(v), 0};
        if (rule_ == GreedyRule::from_the_end) return {-static_cast<double>(v), 0};
        const auto degree = static_cast<double>(g_.degree(v));
        if (g_.degree(v) > most_neighbours) return {std::exp2(static_cast<double>(most_neighbours)) * degree, degree};
        constexpr std::size_t a_score = 10;  // of effort, with its place in the queue
        effort += a_score + g_.degree(v) * g_.degree(v);
        double size = g_.size(v);
        g_.each_neighbour(v, [&](Vertex u) { size *= g_.size(u); });
        const double chance = luck.empty() ? 1 : luck[v];
        if (rule_ == GreedyRule::min_weight) return {size * chance, 0};
        double fill = 0;
        g_.each_missing_edge(v, [&](Vertex a, Vertex b) { fill += rule_ == GreedyRule::weighted_fill ? g_.size(a) * g_.size(b) : 1; });
        return {fill * chance, size * chance};
    }

    EliminationGraph g_;
    GreedyRule rule_;
    std::vector<GreedyScore> score_;
};

struct Found {
    std::vector<std::uint32_t> order;
    double entries = std::numeric_limits<double>::infinity();
    double effort = 0;
};

/// The best order of the kernel found within an effort that the tables to come are worth.
template <class Greedy, class Graph>
Found search(const Graph& kernel, std::size_t most_tries) {
    // A unit of effort takes about four nanoseconds, an entry of a table two or three (both passes): a sixth of the time may go into the
    // search. Measured on the classic networks: more of it gains less than it costs.
    constexpr double share = 0.1;
    constexpr double most_effort = 2e7;
    // Where the tables pass what can be held, a better order decides whether there is an answer at all; far beyond, none does.
    constexpr double large = 2e8;
    constexpr double hopeless = 1e12;
    constexpr double more_effort = 2e8;
    constexpr std::uint64_t seed = 1988;
    const Rng base(seed);
    Found best;
    std::vector<double> luck;
    for (std::size_t attempt = 0; attempt < most_tries; ++attempt) {
        const double affordable = best.entries > large && best.entries < hopeless ? more_effort : most_effort;
        if (attempt > 0 && best.effort * (1 + 1 / static_cast<double>(attempt)) > std::min(share * best.entries, affordable)) break;
        constexpr GreedyRule rules[] = {GreedyRule::min_fill, GreedyRule::weighted_fill, GreedyRule::min_weight};
        constexpr std::size_t fixed_tries = 5;
        const GreedyRule rule = attempt == 3   ? GreedyRule::as_declared
                                : attempt == 4 ? GreedyRule::from_the_end
                                               : rules[(attempt < fixed_tries ? attempt : attempt - 2) % 3];
        if (attempt >= fixed_tries) {
            Rng rng = base.child(attempt);
            // a little luck breaks ties, more of it leaves the beaten path
            const double spread = attempt % 2 == 0 ? 1e-6 : 0.2;
            luck.resize(kernel.count());
            for (auto& l : luck) l = 1 + spread * rng.uniform();
        }
        Greedy greedy(kernel, rule);
        const bool done = greedy.run(luck, best.entries);
        best.effort += static_cast<double>(greedy.effort);
        if (!done) continue;
        best.entries = greedy.entries;
        best.order = std::move(greedy.order);
    }
    return best;
}

/// Takes away what has all its neighbours joined already: no order does better (simplicial vertices).
Found simplicial_first(EliminationGraph& g) {
    Found out{{}, 0, 0};
    std::vector<Vertex> stack(g.count());
    std::iota(stack.rbegin(), stack.rend(), Vertex{0});
    std::vector<char> waiting(g.count(), 1);
    while (!stack.empty()) {
        const Vertex v = stack.back();
        stack.pop_back();
        waiting[v] = 0;
        if (g.gone(v)) continue;
        constexpr std::size_t shortly = 16;  // a vertex that is not simplicial shows it soon
        out.effort += static_cast<double>(1 + std::min(g.degree(v) * g.degree(v), shortly));
        if (!g.simplicial(v, most_neighbours)) continue;
        g.take_away(v);
        double table = g.size(v);
        for (const auto u : g.last_neighbours()) {
            table *= g.size(u);
            if (!waiting[u]) stack.push_back(u);
            waiting[u] = 1;
        }
        out.entries += table;
        out.order.push_back(v);
    }
    return out;
}

/// What is left, part by part where no edge joins them; the vertices of a part ascending.
std::vector<std::vector<Vertex>> connected_parts(const EliminationGraph& g) {
    std::vector<std::vector<Vertex>> out;
    std::vector<char> seen(g.count(), 0);
    for (Vertex first = 0; first < g.count(); ++first) {
        if (seen[first] || g.gone(first)) continue;
        auto& part = out.emplace_back(1, first);
        seen[first] = 1;
        for (std::size_t i = 0; i < part.size(); ++i)
            g.each_neighbour(part[i], [&](Vertex u) {
                if (!seen[u]) part.push_back(u);
                seen[u] = 1;
            });
        std::sort(part.begin(), part.end());
    }
    return out;
}

/// An order of all vertices: the simplicial ones first, then what the search found for the rest.
Found order_of(EliminationGraph g, std::size_t most_tries) {
    constexpr std::size_t most_in_bits = 2048;  // vertices; their rows take half a megabyte
    Found out = simplicial_first(g);
    for (const auto& part : connected_parts(g)) {
        const EliminationGraph kernel = g.part(part);
        const Found rest =
            part.size() > most_in_bits ? search<SparseGreedy>(kernel, most_tries) : search<DenseGreedy>(kernel_of(kernel), most_tries);
        for (const auto v : rest.order) out.order.push_back(part[v]);
        out.entries += rest.entries;
        out.effort += rest.effort;
    }
    return out;
}

}  // namespace

Triangulation estimate_triangulation(std::span<const std::vector<Slot>> scopes, const Sizes& sizes) {
    constexpr std::size_t tries = 2;
    constexpr double a_scope = 40;  // of effort, to gather it and to join its variables
    const Found found = order_of(EliminationGraph(scopes, {}, sizes), tries);
    Triangulation out;
    out.entries = found.entries;
    out.effort = found.effort + a_scope * static_cast<double>(scopes.size());
    return out;
}

Triangulation triangulate(std::span<const std::vector<Slot>> scopes, const Sizes& sizes) {
    constexpr std::size_t tries = 1000;
    constexpr Vertex unused = UINT32_MAX;
    const EliminationGraph g(scopes, {}, sizes);
    const Found found = order_of(g, tries);
    Triangulation out;
    out.effort = found.effort;
    out.position.assign(sizes.size(), UINT32_MAX);
    std::vector<std::uint32_t> position(g.count());
    for (std::uint32_t i = 0; i < found.order.size(); ++i) {
        position[found.order[i]] = i;
        out.position[g.slot(found.order[i])] = i;
    }
    // Along the order, the clique of a vertex is itself, its later neighbours, and what the cliques of its children in the elimination
    // tree have besides: the child of a clique is the first to go of its members (Liu, 1990, "The role of elimination trees").
    std::vector<Vertex> child(g.count(), unused);    // the last one, by parent
    std::vector<Vertex> sibling(g.count(), unused);  // the one before
    std::vector<Vertex> taken(g.count(), unused);    // by vertex: the clique that has it already
    out.begins.push_back(0);
    for (std::uint32_t i = 0; i < found.order.size(); ++i) {
        const Vertex v = found.order[i];
        const std::size_t begin = out.cliques.size();
        const auto take = [&](std::uint32_t at) {
            if (at <= i || taken[at] == i) return;
            taken[at] = i;
            out.cliques.push_back(at);
        };
        g.each_neighbour(v, [&](Vertex u) { take(position[u]); });
        for (Vertex c = child[i]; c != unused; c = sibling[c])
            for (std::size_t k = out.begins[c]; k < out.begins[c + 1]; ++k) take(out.cliques[k]);
        std::sort(out.cliques.begin() + static_cast<std::ptrdiff_t>(begin), out.cliques.end(), std::greater<>());
        if (out.cliques.size() > begin) sibling[i] = std::exchange(child[out.cliques.back()], i);
        out.cliques.push_back(i);
        out.begins.push_back(static_cast<std::uint32_t>(out.cliques.size()));
        double size = 1;
        for (std::size_t k = begin; k < out.cliques.size(); ++k) size *= g.size(found.order[out.cliques[k]]);
        out.entries += size;
    }
    for (auto& at : out.cliques) at = g.slot(found.order[at]);
    for (const auto v : found.order) out.order.push_back(g.slot(v));
    return out;
}

}  // namespace credence::rt
