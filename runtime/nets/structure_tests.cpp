// Structure from dependence: Chow–Liu trees (1968), tree-augmented naive Bayes (Friedman et al. 1997), and the PC algorithm (Spirtes et
// al.).

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/special.hpp"
#include "runtime/nets/structure.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// Counts over x, y and a configuration of z; what both mutual information and the tests need.
class Contingency {
public:
    Contingency(const DiscreteData& data, std::size_t x, std::size_t y, std::span<const std::size_t> z)
        : kx_(data.size(x)), ky_(data.size(y)), total_(data.total) {
        std::size_t slices = 1;
        std::vector<std::uint32_t> slice(data.rows, 0);
        for (const auto v : z) {
            for (std::size_t r = 0; r < data.rows; ++r) slice[r] = slice[r] * static_cast<std::uint32_t>(data.size(v)) + data.codes[v][r];
            slices *= data.size(v);
        }
        slices_ = slices;
        counts_.assign(slices * kx_ * ky_, 0.0);
        for (std::size_t r = 0; r < data.rows; ++r)
            counts_[(slice[r] * kx_ + data.codes[x][r]) * ky_ + data.codes[y][r]] += data.weights.empty() ? 1.0 : data.weights[r];
    }

    /// I(X; Y | Z) in nats.
    double information() const { return statistic(false) / (2 * total_); }

    /// The probability of so strong a dependence if there is none. Cells whose margins are empty have no say in the degrees of freedom.
    double p_value(bool chi_square) const {
        double degrees = 0;
        for (std::size_t s = 0; s < slices_; ++s) {
            std::size_t rows = 0;
            std::size_t columns = 0;
            for (std::size_t i = 0; i < kx_; ++i) rows += row_sum(s, i) > 0;
            for (std::size_t j = 0; j < ky_; ++j) columns += column_sum(s, j) > 0;
            if (rows > 1 && columns > 1) degrees += static_cast<double>((rows - 1) * (columns - 1));
        }
        return degrees == 0 ? 1.0 : gamma_upper(degrees / 2, statistic(chi_square) / 2);
    }

private:
    double at(std::size_t s, std::size_t i, std::size_t j) const { return counts_[(s * kx_ + i) * ky_ + j]; }
    double row_sum(std::size_t s, std::size_t i) const {
        double out = 0;
        for (std::size_t j = 0; j < ky_; ++j) out += at(s, i, j);
        return out;
    }
    double column_sum(std::size_t s, std::size_t j) const {
        double out = 0;
        for (std::size_t i = 0; i < kx_; ++i) out += at(s, i, j);
        return out;
    }
    double statistic(bool chi_square) const {
        double out = 0;
        for (std::size_t s = 0; s < slices_; ++s) {
            double all = 0;
            for (std::size_t i = 0; i < kx_; ++i) all += row_sum(s, i);
            if (all == 0) continue;
            for (std::size_t i = 0; i < kx_; ++i)
                for (std::size_t j = 0; j < ky_; ++j) {
                    const double expected = row_sum(s, i) * column_sum(s, j) / all;
                    const double n = at(s, i, j);
                    if (expected == 0) continue;
                    if (chi_square)
                        out += (n - expected) * (n - expected) / expected;
                    else if (n > 0)
                        out += 2 * n * std::log(n / expected);
                }
        }
        return out;
    }

    std::size_t kx_, ky_;
    std::size_t slices_ = 1;
    double total_;
    std::vector<double> counts_;
};

using Parents = std::vector<std::vector<std::size_t>>;

/// The tree of greatest total weight over these variables (Prim), its arcs led away from the first.
Result<Parents> spanning_tree(const DiscreteData& data, std::span<const std::size_t> variables, std::span<const std::size_t> given,
                              const Run& run) {
    Parents out(data.names.size());
    const std::size_t n = variables.size();
    std::vector<double> best(n, -1.0);
    std::vector<std::size_t> from(n, 0);
    std::vector<char> in(n, 0);
    for (std::size_t step = 0, now = 0; step < n; ++step) {
        in[now] = 1;
        if (step > 0) out[variables[now]].push_back(variables[from[now]]);
        std::size_t next = n;
        for (std::size_t v = 0; v < n; ++v) {
            if (in[v]) continue;
            if (run.stopped()) return stopped_fault();
            const double information = Contingency(data, variables[now], variables[v], given).information();
            if (information > best[v]) {
                best[v] = information;
                from[v] = now;
            }
            if (next == n || best[v] > best[next]) next = v;
        }
        now = next;
    }
    return out;
}

/// The mutual information of all pairs, in bits: what the tree is chosen by.
void tell_information(const DiscreteData& data, std::optional<std::size_t> target, DerivationWriter& out) {
    std::vector<std::size_t> given;
    if (target) given.push_back(*target);
    out.formula("the arcs are the tree with the greatest sum of mutual information");
    for (std::size_t a = 0; a < data.names.size(); ++a)
        for (std::size_t b = a + 1; b < data.names.size(); ++b) {
            if (target == a || target == b) continue;
            out.note(fmt::format("  I({}; {}{}) = {:.6g} bits", data.names[a], data.names[b],
                                 target ? fmt::format(" | {}", data.names[*target]) : "",
                                 Contingency(data, a, b, given).information() / std::log(2.0)));
        }
}

double score_of(const DiscreteData& data, const Parents& parents, const Score& kind) {
    FamilyScores scores(data, kind);
    double out = 0;
    for (std::size_t v = 0; v < parents.size(); ++v) out += scores.of(v, parents[v]);
    return out;
}

class ChowLiu final : public Learner {
public:
    explicit ChowLiu(StructureOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "chow_liu"; }
    TargetKind target() const override { return TargetKind::none; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        std::vector<std::size_t> all(data.names.size());
        for (std::size_t v = 0; v < all.size(); ++v) all[v] = v;
        const auto parents = TRY(spanning_tree(data, all, {}, run));
        return counted_net(data, parents, "chow_liu", score_of(data, parents, options_.score), {}, options_.m, run);
    }
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        DerivationWriter out;
        tell_information(data, {}, out);
        tell_structure(data, options_.score, *dynamic_cast<const NetModel&>(fitted).net(), out);
        return std::move(out).take();
    }

private:
    StructureOptions options_;
};

class Tan final : public Learner {
public:
    explicit Tan(StructureOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "tan"; }
    TargetKind target() const override { return TargetKind::label; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        const std::size_t target = *rows.table->target;
        std::vector<std::size_t> features;
        for (std::size_t v = 0; v < data.names.size(); ++v)
            if (v != target) features.push_back(v);
        const std::size_t given[] = {target};
        auto parents = TRY(spanning_tree(data, features, given, run));
        for (const auto v : features) parents[v].insert(std::upper_bound(parents[v].begin(), parents[v].end(), target), target);
        return counted_net(data, parents, "tan", score_of(data, parents, options_.score), {}, options_.m, run);
    }
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        DerivationWriter out;
        tell_information(data, *rows.table->target, out);
        tell_structure(data, options_.score, *dynamic_cast<const NetModel&>(fitted).net(), out);
        return std::move(out).take();
    }

private:
    StructureOptions options_;
};

/// Edges with marks: undirected where both ways are set.
class Pattern {
public:
    explicit Pattern(std::size_t n) : n_(n), to_(n * n, 0) {}
    bool adjacent(std::size_t a, std::size_t b) const { return to_[a * n_ + b] || to_[b * n_ + a]; }
    bool undirected(std::size_t a, std::size_t b) const { return to_[a * n_ + b] && to_[b * n_ + a]; }
    bool arrow(std::size_t a, std::size_t b) const { return to_[a * n_ + b] && !to_[b * n_ + a]; }
    void join(std::size_t a, std::size_t b) { to_[a * n_ + b] = to_[b * n_ + a] = 1; }
    void part(std::size_t a, std::size_t b) { to_[a * n_ + b] = to_[b * n_ + a] = 0; }
    void direct(std::size_t a, std::size_t b) {
        to_[a * n_ + b] = 1;
        to_[b * n_ + a] = 0;
    }
    std::size_t size() const { return n_; }

private:
    std::size_t n_;
    std::vector<char> to_;
};

/// Meek's rules (1995): what follows from no new collider and no cycle.
void complete(Pattern& g, const Run& run) {
    const std::size_t n = g.size();
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < n; ++b) {
                if (run.stopped()) return;
                if (a == b || !g.undirected(a, b)) continue;
                bool forced = false;
                for (std::size_t c = 0; c < n && !forced; ++c) {
                    if (c == a || c == b) continue;
                    forced = (g.arrow(c, a) && !g.adjacent(c, b)) || (g.arrow(a, c) && g.arrow(c, b));
                    for (std::size_t d = 0; d < n && !forced; ++d)
                        forced = d != a && d != b && d != c && g.undirected(a, c) && g.undirected(a, d) && g.arrow(c, b) && g.arrow(d, b) &&
                                 !g.adjacent(c, d);
                }
                if (forced) {
                    g.direct(a, b);
                    changed = true;
                }
            }
    }
}

/// A net of the pattern (Dor & Tarsi 1992): again and again a node without outgoing arrows whose undirected neighbours see all its others.
Parents extension(Pattern g, bool& consistent) {
    const std::size_t n = g.size();
    Parents out(n);
    std::vector<char> gone(n, 0);
    consistent = true;
    for (std::size_t step = 0; step < n; ++step) {
        std::size_t chosen = n;
        std::size_t last = 0;
        for (std::size_t v = n; v-- > 0 && chosen == n;) {
            if (gone[v]) continue;
            last = v;
            bool fine = true;
            for (std::size_t u = 0; u < n && fine; ++u) {
                if (gone[u] || u == v) continue;
                if (g.arrow(v, u)) fine = false;
                for (std::size_t w = 0; w < n && fine && g.undirected(v, u); ++w)
                    fine = gone[w] || w == v || w == u || !g.adjacent(v, w) || g.adjacent(u, w);
            }
            if (fine) chosen = v;
        }
        if (chosen == n) {  // the tests contradict each other: the latest column gives way
            consistent = false;
            chosen = last;
        }
        for (std::size_t u = 0; u < n; ++u)
            if (!gone[u] && u != chosen && g.adjacent(u, chosen)) out[chosen].push_back(u);
        gone[chosen] = 1;
    }
    return out;
}

class Pc final : public Learner {
public:
    explicit Pc(StructureOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "pc"; }
    TargetKind target() const override { return TargetKind::none; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        const std::size_t n = data.names.size();
        Pattern g(n);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a + 1; b < n; ++b) g.join(a, b);
        std::vector<std::vector<std::size_t>> apart(n * n);  // the set that separated a pair
        const std::size_t most = options_.max_parents.value_or(n);
        for (std::size_t size = 0; size + 2 <= n && size <= most; ++size) {
            const Pattern before = g;  // neighbours are those at the start of the round: the order of the columns has no say
            bool any = false;
            for (std::size_t a = 0; a < n; ++a)
                for (std::size_t b = 0; b < n; ++b) {
                    if (run.stopped()) return stopped_fault();
                    if (a == b || !g.adjacent(a, b)) continue;
                    std::vector<std::size_t> others;
                    for (std::size_t c = 0; c < n; ++c)
                        if (c != a && c != b && before.adjacent(a, c)) others.push_back(c);
                    if (others.size() < size) continue;
                    any = true;
                    if (separated(data, a, b, others, size, apart[a * n + b])) {
                        apart[b * n + a] = apart[a * n + b];
                        g.part(a, b);
                    }
                }
            if (!any) break;
        }
        for (std::size_t c = 0; c < n; ++c)
            for (std::size_t a = 0; a < n; ++a)
                for (std::size_t b = a + 1; b < n; ++b) {
                    if (run.stopped()) return stopped_fault();
                    if (a == c || b == c || !g.adjacent(a, c) || !g.adjacent(b, c) || g.adjacent(a, b)) continue;
                    const auto& set = apart[a * n + b];
                    if (contains(set, c) || g.arrow(c, a) || g.arrow(c, b)) continue;
                    g.direct(a, c);
                    g.direct(b, c);
                }
        complete(g, run);
        if (run.stopped()) return stopped_fault();
        bool consistent = true;
        const Parents parents = extension(g, consistent);
        if (!consistent && run.note) run.note("the tests of independence contradict each other: some arcs follow the order of the columns");
        return counted_net(data, parents, "pc", score_of(data, parents, options_.score), {}, options_.m, run);
    }
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        DerivationWriter out;
        out.formula(fmt::format("two variables are joined unless a test, p > {:.6g}, finds them independent given some of the others",
                                options_.alpha));
        for (std::size_t a = 0; a < data.names.size(); ++a)
            for (std::size_t b = a + 1; b < data.names.size(); ++b)
                out.note(fmt::format("  {} and {}, given nothing: p = {:.6g}", data.names[a], data.names[b],
                                     Contingency(data, a, b, {}).p_value(options_.chi_square)));
        tell_structure(data, options_.score, *dynamic_cast<const NetModel&>(fitted).net(), out);
        return std::move(out).take();
    }

private:
    /// Some set of that size among the others that makes a and b independent.
    bool separated(const DiscreteData& data, std::size_t a, std::size_t b, const std::vector<std::size_t>& others, std::size_t size,
                   std::vector<std::size_t>& found) const {
        std::vector<std::size_t> pick(size);
        for (std::size_t i = 0; i < size; ++i) pick[i] = i;
        while (true) {
            std::vector<std::size_t> z;
            for (const auto i : pick) z.push_back(others[i]);
            if (Contingency(data, a, b, z).p_value(options_.chi_square) > options_.alpha) {
                found = std::move(z);
                return true;
            }
            std::size_t k = size;
            while (k > 0 && pick[k - 1] == others.size() - size + k - 1) --k;
            if (k == 0) return false;
            ++pick[k - 1];
            for (std::size_t i = k; i < size; ++i) pick[i] = pick[i - 1] + 1;
        }
    }

    StructureOptions options_;
};

}  // namespace

LearnerPtr make_chow_liu(StructureOptions options) { return std::make_shared<const ChowLiu>(std::move(options)); }
LearnerPtr make_tan(StructureOptions options) { return std::make_shared<const Tan>(std::move(options)); }
LearnerPtr make_pc(StructureOptions options) { return std::make_shared<const Pc>(std::move(options)); }

}  // namespace credence::rt
