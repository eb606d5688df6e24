#include "runtime/latent/pcfg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

/// Rules as pairs, unaries and words. Nonterminals come first, then one symbol for each word inside a longer rule, then the rests of long
/// rules. `rule`: the rule whose probability is used; −1: certain.
struct NormalForm {
    struct Pair {
        std::size_t left, first, second;
        std::int64_t rule;
    };
    struct Unary {
        std::size_t left, right;
        std::int64_t rule;
    };
    struct Lexical {
        std::size_t left;
        std::int32_t word;
        std::int64_t rule;
    };
    std::size_t symbols = 0;
    std::vector<Pair> pairs;
    std::vector<Unary> unaries;
    std::vector<Lexical> lexicals;
};

NormalForm normal_form(const Grammar& g) {
    NormalForm out;
    out.symbols = g.nonterminals.size();
    std::map<std::size_t, std::size_t> symbol_of_word;
    const auto symbol = [&](const Grammar::Symbol& s) {
        if (!s.terminal) return s.index;
        const auto [at, is_new] = symbol_of_word.emplace(s.index, out.symbols);
        if (is_new) {
            out.lexicals.push_back({out.symbols, static_cast<std::int32_t>(s.index), -1});
            ++out.symbols;
        }
        return at->second;
    };
    for (std::size_t r = 0; r < g.rules.size(); ++r) {
        const auto& rule = g.rules[r];
        const auto id = static_cast<std::int64_t>(r);
        if (rule.right.size() == 1) {
            if (rule.right[0].terminal)
                out.lexicals.push_back({rule.left, static_cast<std::int32_t>(rule.right[0].index), id});
            else
                out.unaries.push_back({rule.left, rule.right[0].index, id});
            continue;
        }
        std::size_t left = rule.left;
        for (std::size_t k = 0; k + 2 < rule.right.size(); ++k) {
            const std::size_t first = symbol(rule.right[k]);
            const std::size_t rest = out.symbols++;
            out.pairs.push_back({left, first, rest, k == 0 ? id : -1});
            left = rest;
        }
        const std::size_t first = symbol(rule.right[rule.right.size() - 2]);
        const std::size_t second = symbol(rule.right.back());
        out.pairs.push_back({left, first, second, rule.right.size() == 2 ? id : -1});
    }
    return out;
}

template <class S>
S weight_of(std::span<const S> probabilities, std::int64_t rule) {
    return rule < 0 ? S(1) : probabilities[static_cast<std::size_t>(rule)];
}

bool is_nought(const Rational& x) { return x.is_zero(); }
bool is_nought(double x) { return x == 0; }

/// (I − R)⁻¹ of the unary rules R: all chains at once. Only symbols that have unary rules differ from the identity.
template <class S>
std::vector<S> closure_of(const NormalForm& f, std::span<const S> probabilities) {
    const std::size_t n = f.symbols;
    std::vector<S> a(n * n, S(0));
    std::vector<S> inverse(n * n, S(0));
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] = inverse[i * n + i] = S(1);
    for (const auto& u : f.unaries) a[u.left * n + u.right] -= weight_of(probabilities, u.rule);
    for (std::size_t k = 0; k < n; ++k) {  // the diagonal dominates: 1 minus a probability of coming back
        const S pivot = a[k * n + k];
        if (is_nought(pivot)) continue;
        if (!(pivot == S(1)))
            for (std::size_t c = 0; c < n; ++c) {
                a[k * n + c] /= pivot;
                inverse[k * n + c] /= pivot;
            }
        for (std::size_t r = 0; r < n; ++r) {
            const S factor = a[r * n + k];
            if (r == k || is_nought(factor)) continue;
            for (std::size_t c = 0; c < n; ++c) {
                a[r * n + c] -= factor * a[k * n + c];
                inverse[r * n + c] -= factor * inverse[k * n + c];
            }
        }
    }
    return inverse;
}

/// Inside probabilities of every span, before and after the unary chains.
template <class S>
struct Chart {
    std::size_t words = 0;
    std::size_t symbols = 0;
    std::vector<S> base;
    std::vector<S> full;
    std::size_t at(std::size_t from, std::size_t to) const { return (from * (words + 1) + to) * symbols; }
};

template <class S>
Chart<S> inside_chart(const NormalForm& f, std::span<const S> probabilities, std::span<const S> closure, const Sentence& sentence) {
    const std::size_t n = sentence.size();
    Chart<S> chart{n, f.symbols, std::vector<S>(n * (n + 1) * f.symbols, S(0)), std::vector<S>(n * (n + 1) * f.symbols, S(0))};
    for (std::size_t length = 1; length <= n; ++length)
        for (std::size_t i = 0; i + length <= n; ++i) {
            const std::size_t cell = chart.at(i, i + length);
            if (length == 1)
                for (const auto& l : f.lexicals)
                    if (l.word == sentence[i]) chart.base[cell + l.left] += weight_of(probabilities, l.rule);
            for (std::size_t k = i + 1; k < i + length; ++k) {
                const std::size_t one = chart.at(i, k);
                const std::size_t two = chart.at(k, i + length);
                for (const auto& p : f.pairs) {
                    const S& a = chart.full[one + p.first];
                    const S& b = chart.full[two + p.second];
                    if (!is_nought(a) && !is_nought(b)) chart.base[cell + p.left] += weight_of(probabilities, p.rule) * a * b;
                }
            }
            for (std::size_t r = 0; r < f.symbols; ++r)
                for (std::size_t c = 0; c < f.symbols; ++c)
                    if (!is_nought(closure[r * f.symbols + c]) && !is_nought(chart.base[cell + c]))
                        chart.full[cell + r] += closure[r * f.symbols + c] * chart.base[cell + c];
        }
    return chart;
}

template <class S>
std::vector<S> probabilities_of(const Grammar& g) {
    std::vector<S> out;
    for (const auto& rule : g.rules) {
        if constexpr (std::is_same_v<S, double>)
            out.push_back(rule.probability->real());
        else
            out.push_back(rule.probability->exact());
    }
    return out;
}

/// Fractions pay for sentences of up to so many words.
constexpr std::size_t longest_exact_sentence = 40;

bool can_be_fractions(const Grammar& g, const Sentence& s, const Run& run) {
    return run.numbers != NumberMode::real && g.is_exact() && s.size() <= longest_exact_sentence;
}

template <class S>
S inside_of(const Grammar& g, const Sentence& s) {
    const NormalForm f = normal_form(g);
    const auto p = probabilities_of<S>(g);
    const auto closure = closure_of<S>(f, p);
    const auto chart = inside_chart<S>(f, p, closure, s);
    return chart.full[chart.at(0, s.size()) + g.start];
}

// --- the best trees ---------------------------------------------------------------------------------------------------

/// One way to make a symbol over a span: by a word, by one symbol of the same span, or by two.
struct Making {
    enum class Kind { word, unary, pair } kind = Kind::word;
    std::size_t first = 0, first_rank = 0;
    std::size_t second = 0, second_rank = 0;
    std::size_t middle = 0;
    double probability = 0;
    Rational exact;
};

class BestTrees {
public:
    BestTrees(const Grammar& g, const Sentence& s, std::size_t top, bool exact)
        : g_(&g), f_(normal_form(g)), s_(&s), top_(top), exact_(exact) {
        if (exact)
            fractions_ = probabilities_of<Rational>(g);
        else
            reals_ = probabilities_of<double>(g);
        cells_.resize((s.size() + 1) * (s.size() + 1) * f_.symbols);
        fill();
    }

    std::vector<Parse> roots() const {
        std::vector<Parse> out;
        const auto& cell = cells_[at(0, s_->size(), g_->start)];
        for (std::size_t r = 0; r < cell.size(); ++r) {
            std::vector<ParseTree> trees;
            build(0, s_->size(), g_->start, r, trees);
            out.push_back({std::move(trees[0]), exact_ ? Number(cell[r].exact) : Number::real(cell[r].probability)});
        }
        return out;
    }

private:
    std::size_t at(std::size_t i, std::size_t j, std::size_t symbol) const { return (i * (s_->size() + 1) + j) * f_.symbols + symbol; }
    bool better(const Making& a, const Making& b) const { return exact_ ? b.exact < a.exact : a.probability > b.probability; }

    /// Keeps the best few, the first found among equals; whether it was kept.
    bool offer(std::vector<Making>& cell, Making d) {
        if (exact_ ? d.exact.is_zero() : d.probability <= 0) return false;
        const auto place = std::find_if(cell.begin(), cell.end(), [&](const Making& other) { return better(d, other); });
        if (place == cell.end() && cell.size() >= top_) return false;
        cell.insert(place, std::move(d));
        if (cell.size() > top_) cell.pop_back();
        return true;
    }

    void score(Making& d, std::int64_t rule, const Making* a, const Making* b) const {
        if (exact_) {
            d.exact = weight_of<Rational>(fractions_, rule);
            if (a) d.exact *= a->exact;
            if (b) d.exact *= b->exact;
            return;
        }
        d.probability = weight_of<double>(reals_, rule) * (a ? a->probability : 1) * (b ? b->probability : 1);
    }

    void fill() {
        const std::size_t n = s_->size();
        for (std::size_t length = 1; length <= n; ++length)
            for (std::size_t i = 0; i + length <= n; ++i) {
                const std::size_t j = i + length;
                for (const auto& l : f_.lexicals) {
                    if (length != 1 || l.word != (*s_)[i]) continue;
                    Making d;
                    score(d, l.rule, nullptr, nullptr);
                    offer(cells_[at(i, j, l.left)], std::move(d));
                }
                for (std::size_t k = i + 1; k < j; ++k)
                    for (const auto& p : f_.pairs) {
                        const auto& firsts = cells_[at(i, k, p.first)];
                        const auto& seconds = cells_[at(k, j, p.second)];
                        for (std::size_t a = 0; a < firsts.size(); ++a)
                            for (std::size_t b = 0; b < seconds.size() && (a + 1) * (b + 1) <= top_; ++b) {
                                Making d{Making::Kind::pair, p.first, a, p.second, b, k, 0, {}};
                                score(d, p.rule, &firsts[a], &seconds[b]);
                                offer(cells_[at(i, j, p.left)], std::move(d));
                            }
                    }
                unary_chains(i, j);
            }
    }

    /// Chains of unary rules, none through a symbol twice: from what words and pairs gave, a link longer a round.
    void unary_chains(std::size_t i, std::size_t j) {
        if (f_.unaries.empty()) return;
        struct Link {
            std::size_t symbol;
            Making d;
            std::vector<std::size_t> seen;
        };
        std::vector<Link> now;
        for (std::size_t s = 0; s < f_.symbols; ++s)
            for (std::size_t r = 0; r < cells_[at(i, j, s)].size(); ++r) now.push_back({s, cells_[at(i, j, s)][r], {s}});
        std::vector<std::vector<Making>> found(f_.symbols);
        for (std::size_t s = 0; s < f_.symbols; ++s) found[s] = cells_[at(i, j, s)];
        while (!now.empty()) {
            std::vector<Link> next;
            for (const auto& link : now)
                for (const auto& u : f_.unaries) {
                    if (u.right != link.symbol || contains(link.seen, u.left)) continue;
                    Making d;
                    d.kind = Making::Kind::unary;
                    d.first = u.right;
                    d.first_rank = chains_.size();
                    score(d, u.rule, &link.d, nullptr);
                    if (!offer(found[u.left], d)) continue;
                    chains_.push_back(link.d);
                    auto seen = link.seen;
                    seen.push_back(u.left);
                    next.push_back({u.left, std::move(d), std::move(seen)});
                }
            now = std::move(next);
        }
        for (std::size_t s = 0; s < f_.symbols; ++s) cells_[at(i, j, s)] = std::move(found[s]);
    }

    void build(std::size_t i, std::size_t j, std::size_t symbol, std::size_t rank, std::vector<ParseTree>& out) const {
        build(i, j, symbol, cells_[at(i, j, symbol)][rank], out);
    }

    /// Symbols that only normal form has are not shown: their parts are shown instead.
    void build(std::size_t i, std::size_t j, std::size_t symbol, const Making& d, std::vector<ParseTree>& out) const {
        std::vector<ParseTree> parts;
        switch (d.kind) {
            case Making::Kind::word:
                parts.push_back({g_->words[static_cast<std::size_t>((*s_)[i])], true, {}});
                break;
            case Making::Kind::unary:
                build(i, j, d.first, chains_[d.first_rank], parts);
                break;
            case Making::Kind::pair:
                build(i, d.middle, d.first, d.first_rank, parts);
                build(d.middle, j, d.second, d.second_rank, parts);
                break;
        }
        if (symbol < g_->nonterminals.size()) {
            out.push_back({g_->nonterminals[symbol], false, std::move(parts)});
            return;
        }
        for (auto& part : parts) out.push_back(std::move(part));
    }

    const Grammar* g_;
    NormalForm f_;
    const Sentence* s_;
    std::size_t top_;
    bool exact_;
    std::vector<Rational> fractions_;
    std::vector<double> reals_;
    std::vector<std::vector<Making>> cells_;
    std::vector<Making> chains_;  ///< the probabilities behind unary links
};

}  // namespace

Sentence sentence_of(const Grammar& grammar, std::span<const std::string> words) {
    Sentence out;
    for (const auto& word : words) {
        const auto found = std::find(grammar.words.begin(), grammar.words.end(), word);
        out.push_back(found == grammar.words.end() ? -1 : static_cast<std::int32_t>(found - grammar.words.begin()));
    }
    return out;
}

Result<Number> inside(const Grammar& grammar, const Sentence& sentence, Run& run) {
    if (sentence.empty()) return Number(0);
    if (can_be_fractions(grammar, sentence, run)) return Number(inside_of<Rational>(grammar, sentence));
    return Number::real(inside_of<double>(grammar, sentence));
}

Result<std::vector<Parse>> parses(const Grammar& grammar, const Sentence& sentence, std::size_t top, Run& run) {
    if (sentence.empty() || top == 0) return std::vector<Parse>{};
    return BestTrees(grammar, sentence, top, can_be_fractions(grammar, sentence, run)).roots();
}

double expected_uses(const Grammar& grammar, std::span<const double> probabilities, const Sentence& sentence, double weight,
                     std::span<double> counts) {
    // The number of uses of rule r is p_r ∂ ln Z / ∂ p_r: the derivative of the inside pass, taken backwards, is the outside pass.
    const NormalForm f = normal_form(grammar);
    const auto closure = closure_of<double>(f, probabilities);
    const auto chart = inside_chart<double>(f, probabilities, closure, sentence);
    const std::size_t n = sentence.size();
    const std::size_t m = f.symbols;
    const double z = n == 0 ? 0.0 : chart.full[chart.at(0, n) + grammar.start];
    if (!(z > 0)) return -std::numeric_limits<double>::infinity();
    std::vector<double> outside(chart.full.size());
    std::vector<double> chains(m * m);
    std::vector<double> below(m);
    outside[chart.at(0, n) + grammar.start] = 1 / z;
    for (std::size_t length = n; length >= 1; --length)
        for (std::size_t i = 0; i + length <= n; ++i) {
            const std::size_t cell = chart.at(i, i + length);
            std::fill(below.begin(), below.end(), 0.0);
            for (std::size_t r = 0; r < m; ++r) {
                const double o = outside[cell + r];
                if (o == 0) continue;
                for (std::size_t c = 0; c < m; ++c) {
                    below[c] += closure[r * m + c] * o;
                    chains[r * m + c] += o * chart.base[cell + c];
                }
            }
            if (length == 1)
                for (const auto& l : f.lexicals)
                    if (l.word == sentence[i] && l.rule >= 0)
                        counts[static_cast<std::size_t>(l.rule)] +=
                            weight * probabilities[static_cast<std::size_t>(l.rule)] * below[l.left];
            for (std::size_t k = i + 1; k < i + length; ++k) {
                const std::size_t one = chart.at(i, k);
                const std::size_t two = chart.at(k, i + length);
                for (const auto& p : f.pairs) {
                    const double a = chart.full[one + p.first];
                    const double b = chart.full[two + p.second];
                    const double w = weight_of<double>(probabilities, p.rule) * below[p.left];
                    if (w == 0) continue;
                    outside[one + p.first] += w * b;
                    outside[two + p.second] += w * a;
                    if (p.rule >= 0) counts[static_cast<std::size_t>(p.rule)] += weight * w * a * b;
                }
            }
        }
    // U = (I − R)⁻¹, so ∂Z/∂R = Uᵀ (∂Z/∂U) Uᵀ.
    for (const auto& u : f.unaries) {
        double derivative = 0;
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b) derivative += closure[a * m + u.left] * chains[a * m + b] * closure[u.right * m + b];
        counts[static_cast<std::size_t>(u.rule)] += weight * probabilities[static_cast<std::size_t>(u.rule)] * derivative;
    }
    return std::log(z);
}

}  // namespace credence::rt
