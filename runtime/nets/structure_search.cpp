// K2 (Cooper & Herskovits 1992), and hill climbing over arcs with tabu search and restarts.

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/structure.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

using Parents = std::vector<std::vector<std::size_t>>;

Result<std::size_t> variable_named(const DiscreteData& data, const std::string& name) {
    const auto found = std::find(data.names.begin(), data.names.end(), name);
    if (found != data.names.end()) return static_cast<std::size_t>(found - data.names.begin());
    Fault fault{.code = "E-COLUMN",
                .message = fmt::format("the table has no column {}", name),
                .label = fmt::format("its columns are {}", joined(data.names, ", "))};
    if (const auto near = nearest(name, data.names)) fault.hint = fmt::format("did you mean '{}'?", *near);
    return fault;
}

/// Which arcs must be there and which must not, as tables from × to.
struct ArcRules {
    std::size_t n = 0;
    std::vector<char> required;
    std::vector<char> forbidden;
};
Result<ArcRules> arc_rules(const DiscreteData& data, const StructureOptions& options) {
    const std::size_t n = data.names.size();
    ArcRules out{n, std::vector<char>(n * n, 0), std::vector<char>(n * n, 0)};
    for (const auto* list : {&options.require, &options.forbid})
        for (const auto& [from, to] : *list) {
            auto a = TRY(variable_named(data, from));
            auto b = TRY(variable_named(data, to));
            (list == &options.require ? out.required : out.forbidden)[a * n + b] = 1;
        }
    for (std::size_t i = 0; i < n * n; ++i)
        if (out.required[i] && out.forbidden[i])
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("the arc {} -> {} is both required and forbidden", data.names[i / n], data.names[i % n])};
    return out;
}

std::vector<std::size_t> with(std::vector<std::size_t> parents, std::size_t p) {
    parents.insert(std::upper_bound(parents.begin(), parents.end(), p), p);
    return parents;
}
std::vector<std::size_t> without(std::vector<std::size_t> parents, std::size_t p) {
    std::erase(parents, p);
    return parents;
}
bool has(const std::vector<std::size_t>& parents, std::size_t p) { return std::binary_search(parents.begin(), parents.end(), p); }

double total_score(FamilyScores& scores, const Parents& parents) {
    double out = 0;
    for (std::size_t v = 0; v < parents.size(); ++v) out += scores.of(v, parents[v]);
    return out;
}

/// A learner that searches by scores.
class ScoreSearch : public Learner {
public:
    explicit ScoreSearch(StructureOptions options) : options_(std::move(options)) {}
    TargetKind target() const override { return TargetKind::none; }
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        DerivationWriter out;
        tell_structure(data, options_.score, *dynamic_cast<const NetModel&>(fitted).net(), out);
        return std::move(out).take();
    }

protected:
    StructureOptions options_;
};

class K2 final : public ScoreSearch {
public:
    using ScoreSearch::ScoreSearch;
    std::string_view name() const override { return "k2"; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        std::vector<std::size_t> order;
        for (const auto& name : options_.order) {
            auto v = TRY(variable_named(data, name));
            if (contains(order, v)) return Fault{.code = "E-PARAMETER", .message = fmt::format("order names {} twice", name)};
            order.push_back(v);
        }
        for (std::size_t v = 0; v < data.names.size() && options_.order.empty(); ++v) order.push_back(v);
        if (order.size() != data.names.size())
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("order names {} of {} columns", order.size(), data.names.size()),
                         .hint = "every column has a place in it"};
        FamilyScores scores(data, options_.score);
        Parents parents(data.names.size());
        std::vector<double> history;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (run.stopped()) return stopped_fault();
            const std::size_t v = order[i];
            double now = scores.of(v, parents[v]);
            // Parents are added while that helps, and taken away again where later ones made them superfluous: plain K2 would keep those.
            while (true) {
                double best = now;
                std::optional<std::vector<std::size_t>> choice;
                for (std::size_t j = 0; j < i; ++j) {
                    const bool there = has(parents[v], order[j]);
                    if (!there && options_.max_parents && parents[v].size() >= *options_.max_parents) continue;
                    auto changed = there ? without(parents[v], order[j]) : with(parents[v], order[j]);
                    const double score = scores.of(v, changed);
                    if (score > best) {
                        best = score;
                        choice = std::move(changed);
                    }
                }
                if (!choice) break;
                parents[v] = *std::move(choice);
                now = best;
            }
            history.push_back(total_score(scores, parents));
        }
        return counted_net(data, parents, "k2", history.back(), history, options_.m, run);
    }
};

/// One change of the net: add, delete or turn round an arc.
struct Move {
    enum class Kind { add, remove, reverse } kind = Kind::add;
    std::size_t from = 0;
    std::size_t to = 0;
    double gain = 0;
};

class Climber {
public:
    /// After a stop its gains mean nothing.
    Climber(FamilyScores& scores, const ArcRules& rules, const StructureOptions& options, const Run& run)
        : scores_(&scores), rules_(&rules), options_(&options), run_(&run), n_(rules.n), parents_(n_), gain_(n_ * n_, 0.0) {
        for (std::size_t a = 0; a < n_; ++a)
            for (std::size_t b = 0; b < n_; ++b)
                if (rules.required[a * n_ + b]) parents_[b] = with(parents_[b], a);
        for (std::size_t v = 0; v < n_; ++v) refresh(v);
    }

    const Parents& parents() const { return parents_; }
    void set(Parents parents) {
        parents_ = std::move(parents);
        for (std::size_t v = 0; v < n_; ++v) refresh(v);
    }

    /// The best change that is allowed; `tabu` says which are not.
    template <class Tabu>
    std::optional<Move> best(Tabu tabu) const {
        std::optional<Move> out;
        const auto offer = [&](Move m) {
            if ((!out || m.gain > out->gain + 1e-12) && !tabu(m)) out = m;
        };
        const std::size_t most = options_->max_parents.value_or(n_);
        for (std::size_t a = 0; a < n_ && !run_->stopped(); ++a)
            for (std::size_t b = 0; b < n_; ++b) {
                if (a == b) continue;
                if (has(parents_[b], a)) {
                    if (rules_->required[a * n_ + b]) continue;
                    offer({Move::Kind::remove, a, b, gain_[a * n_ + b]});
                    const double gain = gain_[a * n_ + b] + gain_[b * n_ + a];
                    if ((!out || gain > out->gain + 1e-12) && !rules_->forbidden[b * n_ + a] && parents_[a].size() < most &&
                        !reaches(a, b, true))
                        offer({Move::Kind::reverse, a, b, gain});
                } else if (!has(parents_[a], b)) {
                    if (rules_->forbidden[a * n_ + b] || parents_[b].size() >= most) continue;
                    if ((!out || gain_[a * n_ + b] > out->gain + 1e-12) && !reaches(b, a, false))
                        offer({Move::Kind::add, a, b, gain_[a * n_ + b]});
                }
            }
        return out;
    }

    void apply(const Move& m) {
        if (m.kind == Move::Kind::add)
            parents_[m.to] = with(parents_[m.to], m.from);
        else
            parents_[m.to] = without(parents_[m.to], m.from);
        if (m.kind == Move::Kind::reverse) {
            parents_[m.from] = with(parents_[m.from], m.to);
            refresh(m.from);
        }
        refresh(m.to);
    }

private:
    /// gain_[p, v]: of adding the arc p → v, or of taking it away where it is there.
    void refresh(std::size_t v) {
        const double now = scores_->of(v, parents_[v]);
        const std::size_t most = options_->max_parents.value_or(n_);
        for (std::size_t p = 0; p < n_ && !run_->stopped(); ++p) {
            if (p == v) continue;
            const bool there = has(parents_[v], p);
            if (!there && (parents_[v].size() >= most || rules_->forbidden[p * n_ + v])) {
                gain_[p * n_ + v] = -std::numeric_limits<double>::infinity();
                continue;
            }
            gain_[p * n_ + v] = scores_->of(v, there ? without(parents_[v], p) : with(parents_[v], p)) - now;
        }
    }

    /// Whether a path leads from → to; with `beside`, one that is not the arc itself.
    bool reaches(std::size_t from, std::size_t to, bool beside) const {
        std::vector<char> seen(n_, 0);
        std::vector<std::size_t> stack{to};
        seen[to] = 1;
        while (!stack.empty()) {
            const std::size_t v = stack.back();
            stack.pop_back();
            for (const auto p : parents_[v]) {
                if (beside && v == to && p == from) continue;
                if (p == from) return true;
                if (!seen[p]) {
                    seen[p] = 1;
                    stack.push_back(p);
                }
            }
        }
        return false;
    }

    FamilyScores* scores_;
    const ArcRules* rules_;
    const StructureOptions* options_;
    const Run* run_;
    std::size_t n_;
    Parents parents_;
    std::vector<double> gain_;
};

class HillClimb final : public ScoreSearch {
public:
    using ScoreSearch::ScoreSearch;
    std::string_view name() const override { return options_.tabu ? "tabu" : "hill_climb"; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(discrete_data(rows, weights, run));
        auto rules = TRY(arc_rules(data, options_));
        FamilyScores scores(data, options_.score);
        Climber climber(scores, rules, options_, run);
        Parents best = climber.parents();
        std::vector<double> history{total_score(scores, best)};
        double best_score = history[0];
        Rng rng = run.rng.child("structure");
        for (std::size_t round = 0; round <= options_.restarts; ++round) {
            if (round > 0) {
                climber.set(best);
                for (std::size_t k = 0; k < std::max<std::size_t>(3, data.names.size() / 4); ++k) shake(climber, data.names.size(), rng);
            }
            std::vector<double> here{total_score(scores, climber.parents())};
            if (!climb(climber, scores, here, best, best_score, run)) return stopped_fault();
            if (round == 0) history = here;
        }
        if (run.stopped()) return stopped_fault();
        if (history.back() < best_score) history.push_back(best_score);
        return counted_net(data, best, std::string(name()), best_score, std::move(history), options_.m, run);
    }

private:
    /// A change at random, where one is allowed.
    static void shake(Climber& climber, std::size_t n, Rng& rng) {
        const std::size_t a = rng.below(n);
        const std::size_t b = rng.below(n);
        const auto chosen = climber.best([&](const Move& m) { return m.from != a && m.to != b; });
        if (chosen && !std::isinf(chosen->gain)) climber.apply(*chosen);
    }

    /// Up to a top; a tabu search goes on past it, never back at once, until nothing better came for a while.
    bool climb(Climber& climber, FamilyScores& scores, std::vector<double>& history, Parents& best, double& best_score, Run& run) const {
        std::deque<Move> forbidden;
        std::size_t idle = 0;
        double now = history.back();
        const auto undoes = [](const Move& m, const Move& earlier) {
            if (m.kind == Move::Kind::reverse || earlier.kind == Move::Kind::reverse)
                return m.kind == earlier.kind && m.from == earlier.to && m.to == earlier.from;
            return m.kind != earlier.kind && m.from == earlier.from && m.to == earlier.to;
        };
        if (now > best_score) {
            best_score = now;
            best = climber.parents();
        }
        while (true) {
            if (run.stopped()) return false;
            const auto move = climber.best([&](const Move& m) {
                return std::any_of(forbidden.begin(), forbidden.end(), [&](const Move& f) { return undoes(m, f); });
            });
            if (!move || (options_.tabu == 0 && move->gain <= 1e-9) || std::isinf(move->gain)) return true;
            climber.apply(*move);
            now += move->gain;
            history.push_back(now);
            if (options_.tabu > 0) {
                forbidden.push_back(*move);
                if (forbidden.size() > options_.tabu) forbidden.pop_front();
            }
            if (now > best_score + 1e-9) {
                best_score = total_score(scores, climber.parents());
                best = climber.parents();
                idle = 0;
            } else if (++idle > 2 * options_.tabu) {
                return true;
            }
        }
    }
};

}  // namespace

LearnerPtr make_k2(StructureOptions options) { return std::make_shared<const K2>(std::move(options)); }
LearnerPtr make_hill_climb(StructureOptions options) { return std::make_shared<const HillClimb>(std::move(options)); }

}  // namespace credence::rt
