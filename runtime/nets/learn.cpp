// Training a net with holes: counting, EM and gradient ascent.

#include "runtime/nets/learn.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/nets/expected_counts.hpp"
#include "runtime/nets/trained_net.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/learning/em.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/learning/training_methods.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

struct LearnOptions : TrainingOptions {
    bool textbook = false;
    std::optional<NetTables> start;
};

Fault not_a(const MethodArgument& argument, std::string_view name, std::string_view what) {
    return {.code = "E-PARAMETER", .message = fmt::format("{} is {}", name, what), .origin = argument.origin};
}

/// A net with the same shape and numbers, or the numbers of the holes in order.
Result<NetTables> tables_from(const Net& net, const MethodArgument& argument) {
    NetTables out = start_tables(net, nullptr);
    if (const auto* model = std::get_if<ModelPtr>(&argument.value)) {
        const auto* from = dynamic_cast<const NetModel*>(model->get());
        const auto fits = [&] {
            if (!from || from->net()->nodes.size() != net.nodes.size()) return false;
            for (std::size_t v = 0; v < net.nodes.size(); ++v) {
                const auto& a = net.nodes[v];
                const auto& b = from->net()->nodes[v];
                if (b.hole || a.variable.name != b.variable.name || !(*a.variable.domain == *b.variable.domain) || a.parents != b.parents)
                    return false;
            }
            return true;
        };
        if (!fits()) return not_a(argument, "init", "a net with the same variables, values and parents, and numbers in place of the holes");
        for (std::size_t v = 0; v < net.nodes.size(); ++v)
            for (std::size_t i = 0; i < out.of(v).size(); ++i) out.of(v)[i] = from->net()->nodes[v].entry(i).real();
        return out;
    }
    const auto* numbers = std::get_if<std::vector<Number>>(&argument.value);
    if (!numbers) return not_a(argument, "init", "a net with numbers, or the list of the holes' numbers in order");
    std::size_t next = 0;
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        const std::size_t k = net.nodes[v].variable.size();
        for (std::size_t r = 0; r * k < out.of(v).size(); ++r) {
            if (!is_learned(net.nodes[v], r)) continue;
            double sum = 0;
            for (std::size_t j = 0; j < k; ++j) {
                if (next >= numbers->size() || (*numbers)[next].sign() < 0)
                    return not_a(argument, "init", fmt::format("too short, or has a number below 0: entry {} is missing", next + 1));
                sum += out.of(v)[r * k + j] = (*numbers)[next++].real();
            }
            if (std::abs(sum - 1) > 1e-6)
                return not_a(argument, "init",
                             fmt::format("no list of rows that sum to 1 (a row of {} sums to {})", net.nodes[v].variable.name, sum));
        }
    }
    if (next != numbers->size()) return not_a(argument, "init", fmt::format("too long: the holes have {} numbers", next));
    return out;
}

Result<LearnOptions> options_of(const Net& net, const MethodCall& by) {
    LearnOptions out{training_options(by), false, std::nullopt};
    out.textbook = out.rule == "textbook";
    out.gradient.halving = !out.textbook;  // it does not climb to the top
    if (out.init) { out.start = TRY(tables_from(net, *out.init)); }
    return out;
}

/// Shares of the counts in each row that is learned. A row never seen keeps what it had.
void maximise(const Net& net, const NetTables& counts, double pseudo, const NetTables& before, NetTables& out) {
    out = before;
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        const std::size_t k = net.nodes[v].variable.size();
        const auto n = counts.of(v);
        const auto table = out.of(v);
        for (std::size_t r = 0; r * k < n.size(); ++r) {
            if (!is_learned(net.nodes[v], r)) continue;
            double total = 0;
            for (std::size_t j = 0; j < k; ++j) total += n[r * k + j] + pseudo;
            for (std::size_t j = 0; total > 0 && j < k; ++j) table[r * k + j] = (n[r * k + j] + pseudo) / total;
        }
    }
}

struct NetEm {
    const Net* net;
    ExpectedCounts* expected;
    const LearnOptions* options;
    bool hidden = false;
    NetTables counts;

    NetTables start(std::size_t restart, Rng& rng) const {
        if (options->start && restart == 0) return *options->start;
        return start_tables(*net, hidden || restart > 0 ? &rng : nullptr);
    }
    Result<double> step(const NetTables& now, NetTables& next, Run& run) {
        auto log = expected->count(now, counts, run);
        if (!log) return log;
        maximise(*net, counts, options->pseudo, now, next);
        return log;
    }
};

/// ∂ ln P(D | w) / ∂ w_ijk = Σ_d P(y_ij, u_ik | d) / w_ijk (Russell et al. 1995): the expected counts over the entries themselves.
struct NetClimb {
    const Net* net;
    ExpectedCounts* expected;
    bool textbook = false;
    NetTables counts;

    Result<double> slope(const NetTables& now, std::vector<double>& out, Run& run) {
        auto log = expected->count(now, counts, run);
        if (!log) return log;
        out.assign(now.values.size(), 0.0);
        each_row([&](std::size_t at, std::size_t k) {
            const auto n = std::span(std::as_const(counts.values)).subspan(at, k);
            const auto row = std::span(now.values).subspan(at, k);
            const auto d = std::span(out).subspan(at, k);
            if (!textbook) return row_slope(n, row, d);
            for (std::size_t j = 0; j < k; ++j) d[j] = n[j] / std::max(row[j], least_climbing);
        });
        return log;
    }

    void move(const NetTables& from, std::span<const double> slope, double rate, NetTables& to) const {
        to = from;
        each_row([&](std::size_t at, std::size_t k) {
            const auto row = std::span(to.values).subspan(at, k);
            if (!textbook) return move_row(row, slope.subspan(at, k), rate);
            double sum = 0;  // add, then renormalise
            for (std::size_t j = 0; j < k; ++j) sum += row[j] = std::max(least_climbing, row[j] + rate * slope[at + j]);
            for (double& w : row) w /= sum;
        });
    }

private:
    /// The rows that are learned: where each begins, and how many values it has.
    template <class F>
    void each_row(F visit) const {
        for (std::size_t v = 0; v < net->nodes.size(); ++v) {
            const std::size_t k = net->nodes[v].variable.size();
            for (std::size_t r = 0; counts.offset[v] + r * k < counts.offset[v + 1]; ++r)
                if (is_learned(net->nodes[v], r)) visit(counts.offset[v] + r * k, k);
        }
    }
};

/// The counts of the families with holes.
TrainedCounts counts_of(const Net& net, const NetData& data, const Rational& m, MissingFamilies missing) {
    TrainedCounts out{.m = m, .missing = missing, .nodes = {}};
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        const NetNode& node = net.nodes[v];
        out.nodes.emplace_back();
        if (!node.hole) continue;
        std::size_t rows = 1;
        for (const auto parent : node.parents) rows *= net.nodes[index(parent)].variable.size();
        out.nodes.back().counts = family_counts(net, data, v, rows);
        for (std::size_t r = 0; r < rows && !node.known.empty(); ++r) out.nodes.back().given.push_back(!is_learned(node, r));
    }
    return out;
}

/// Tables of shares n / N as fractions.
std::shared_ptr<Net> filled_by_counts(const Net& net, const TrainedCounts& counts, Run& run) {
    auto out = std::make_shared<Net>(net);
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        NetNode& node = out->nodes[v];
        if (!node.hole) continue;
        std::vector<Rational> table(counts.nodes[v].counts.size());
        for (std::size_t i = 0; i < table.size(); ++i) {
            if (is_learned(node, i / node.variable.size())) continue;
            const Number known = net.nodes[v].entry(i);
            table[i] = known.is_exact() ? known.exact() : Rational::from_decimal(known.real());
        }
        node.table = std::move(table);
        node.hole = false;
        node.known.clear();
    }
    note_unseen_rows(fill_counted(*out, counts), run);
    return out;
}

/// Whether a child's rows are the same under two values of one of its parents, whatever the others are.
bool same_rows(const Net& net, const NetTables& tables, std::size_t child, std::size_t parent, std::size_t a, std::size_t b) {
    const NetNode& node = net.nodes[child];
    const auto table = tables.of(child);
    const std::size_t k = node.variable.size();
    std::size_t stride = 1;  // between rows that differ in the parent alone
    for (std::size_t p = node.parents.size(); index(node.parents[p - 1]) != parent; --p)
        stride *= net.nodes[index(node.parents[p - 1])].variable.size();
    const std::size_t values = net.nodes[parent].variable.size();
    for (std::size_t r = 0; r * k < table.size(); ++r) {
        if (r / stride % values != a) continue;
        const auto other = (r + (b - a) * stride) * k;
        if (!std::equal(table.begin() + static_cast<std::ptrdiff_t>(r * k), table.begin() + static_cast<std::ptrdiff_t>(r * k + k),
                        table.begin() + static_cast<std::ptrdiff_t>(other)))
            return false;
    }
    return true;
}

/// Two values of a hidden variable that started alike have the same share of every row, and so stay alike.
void report_saddle(const Net& net, const NetTables& tables, std::span<const char> hidden, Run& run) {
    for (std::size_t v = 0; run.note && v < net.nodes.size(); ++v) {
        const auto children = net.children(static_cast<VarId>(v));
        const auto has_hole = [&](VarId child) { return net.nodes[index(child)].hole; };
        if (!hidden[v] || children.empty() || !std::all_of(children.begin(), children.end(), has_hole)) continue;
        const Variable& variable = net.nodes[v].variable;
        for (std::size_t b = 1; b < variable.size(); ++b)
            for (std::size_t a = 0; a < b; ++a) {
                const auto alike = [&](VarId child) { return same_rows(net, tables, index(child), v, a, b); };
                if (!std::all_of(children.begin(), children.end(), alike)) continue;
                return run.note(
                    fmt::format("the values {} and {} of {} are alike: training started at a saddle, where nothing tells them apart; give "
                                "them different numbers in init",
                                (*variable.domain)[a].text(), (*variable.domain)[b].text(), variable.name));
            }
    }
}

class NetLearner final : public Learner {
public:
    NetLearner(NetPtr net, LearnOptions options) : net_(std::move(net)), options_(std::move(options)) {}
    std::string_view name() const override { return "net"; }
    TargetKind target() const override { return TargetKind::none; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        std::vector<double> own(weights.begin(), weights.end());
        if (!options_.counts.empty()) {
            auto counts = TRY(weights_in(rows, options_.counts));
            for (std::size_t i = 0; i < counts.size(); ++i) counts[i] *= weights.empty() ? 1.0 : weights[i];
            own = std::move(counts);
        }
        auto data = TRY(net_data(*net_, rows, own));
        TrainingWay way = options_.way;
        if (way == TrainingWay::chosen_by_data) way = families_complete(data) ? TrainingWay::counting : TrainingWay::em;
        if (way == TrainingWay::counting) {
            if (const auto* missing = unseen_family(data))
                return Fault{.code = "E-MISSING",
                             .message = fmt::format("counting needs {} observed, and it is hidden", missing->variable.name),
                             .hint = "leave `by` out, or say by em()"};
            const auto missing = options_.way == TrainingWay::counting ? MissingFamilies::left_out : MissingFamilies::refused;
            auto counts = counts_of(*net_, data, options_.m, missing);
            auto net = filled_by_counts(*net_, counts, run);
            return ModelPtr(make_trained_net(std::move(net), *rows.table, std::move(counts)));
        }
        const bool hidden = std::any_of(data.hidden.begin(), data.hidden.end(), [](char h) { return h != 0; });
        auto expected = TRY(ExpectedCounts::make(*net_, std::move(data), run));
        Result<EmOutcome<NetTables>> best = Fault{};
        if (way == TrainingWay::em) {
            NetEm problem{net_.get(), &expected, &options_, hidden, {}};
            EmOptions em = options_.em;
            if (hidden && !options_.restarts && !options_.start) em.restarts = 5;
            best = run_em<NetTables>(problem, em, run);
            if (best && !best->converged && run.note)
                run.note(fmt::format("EM stopped after {} before it converged", counted(em.iterations, "iteration")));
        } else {
            NetEm starts{net_.get(), &expected, &options_, hidden, {}};
            NetClimb problem{net_.get(), &expected, options_.textbook, {}};
            best = best_of_starts<NetTables>(starts, options_.em, run, [&](std::size_t, NetTables start) {
                return run_gradient<NetTables>(problem, std::move(start), options_.gradient, expected.data().total, run);
            });
            if (best) note_unsettled(best->converged || options_.textbook, options_.gradient, run);
        }
        if (!best) return std::move(best).fault();
        if (hidden) report_saddle(*net_, best->parameters, expected.data().hidden, run);
        auto net = with_tables(*net_, best->parameters);
        net->history = std::move(best->history);
        return ModelPtr(make_trained_net(std::move(net), *rows.table));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        const Net& net = *dynamic_cast<const NetModel&>(fitted).net();
        DerivationWriter out;
        std::vector<double> own(weights.begin(), weights.end());
        if (!options_.counts.empty()) { own = TRY(weights_in(rows, options_.counts)); }
        auto data = TRY(net_data(*net_, rows, own));
        if (net.history.empty()) {
            out.formula(options_.m.is_zero() ? "P(x | u) = n(x, u) / n(u)" : "P(x | u) = (n(x, u) + m / k) / (n(u) + m)");
            out.note("n counts the rows of the data, u is a configuration of the parents.");
            const auto counts = counted_from(*net_, data);
            tell_learned(*net_, net, &counts, out);
            return std::move(out).take();
        }
        out.formula(
            options_.way == TrainingWay::gradient ? std::string("d ln P(D) / d w = sum over rows of P(x, u | row) / w")
            : options_.pseudo > 0
                ? fmt::format("w = (sum over rows of P(x, u | row) + {0:.6g}) / (sum over rows of P(u | row) + {0:.6g} * values of x)",
                              options_.pseudo)
                : std::string("w = sum over rows of P(x, u | row) / sum over rows of P(u | row)"));
        TRY(tell_first_steps(std::move(data), net.history, out, run));
        for (std::size_t i = 0; i < net.history.size(); ++i) out.note(fmt::format("iteration {}: ln P(data) = {:.6f}", i, net.history[i]));
        out.note("In the end:");
        tell_learned(*net_, net, nullptr, out);
        return std::move(out).take();
    }

private:
    /// The first steps of EM or of the gradient, from the start that led to these likelihoods.
    Status tell_first_steps(NetData data, std::span<const double> history, DerivationWriter& out, Run& run) const {
        constexpr std::size_t steps_told = 2;
        const bool hidden = std::any_of(data.hidden.begin(), data.hidden.end(), [](char h) { return h != 0; });
        const bool climbs = options_.way == TrainingWay::gradient;
        auto expected = TRY(ExpectedCounts::make(*net_, std::move(data), run));
        NetEm problem{net_.get(), &expected, &options_, hidden, {}};
        std::optional<NetTables> now;
        const std::size_t starts = hidden && !options_.restarts && !options_.start ? 5 : options_.em.restarts;
        for (std::size_t r = 0; r < starts && !now; ++r) {
            Rng rng = run.rng.child("em").child(r);
            NetTables start = problem.start(r, rng);
            const auto likelihood = expected.count(start, problem.counts, run);
            if (likelihood && *likelihood == history[0]) now = std::move(start);
        }
        const double rows = expected.data().total;
        double rate = options_.gradient.rate.value_or(0.05 / std::max(1.0, rows));
        NetClimb climb{net_.get(), &expected, options_.textbook, {}};
        NetTables next;
        std::vector<double> slope;
        const std::size_t steps = climbs && !options_.gradient.rate ? 1 : steps_told;
        for (std::size_t i = 0; now && i < steps && i + 1 < history.size(); ++i) {
            const auto& holes = expected.data().holes;
            const bool missing = std::any_of(holes.begin(), holes.end(), [](char h) { return h != 0; });
            out.heading(fmt::format("Step {}{}:", i + 1, missing ? ", by the probabilities of what is missing" : ""));
            TRY(tell_missing(*net_, *now, expected.data(), out, run));
            if (!climbs) {
                TRY(problem.step(*now, next, run));
                const auto counts = expected_from(problem.counts);
                tell_learned(*net_, *with_tables(*net_, next), &counts, out);
            } else {
                const double here = TRY(climb.slope(*now, slope, run));
                const std::vector<double> counts = climb.counts.values;
                climb.move(*now, slope, rate, next);
                for (int halvings = 0; options_.gradient.halving && halvings < 60; ++halvings) {
                    const auto there = expected.count(next, problem.counts, run);
                    if (there && *there >= here) break;
                    rate /= 2;
                    climb.move(*now, slope, rate, next);
                }
                out.note(fmt::format("  slope = E n(x, u) / w, and the rate is {:.6g}", rate));
                tell_climb(*net_, *now, counts, next, rate, options_.textbook, out);
                if (options_.gradient.rate) rate = std::min(*options_.gradient.rate, 2 * rate);
            }
            now = next;
        }
        return Done{};
    }

    bool families_complete(const NetData& data) const {
        for (std::size_t v = 0; v < net_->nodes.size(); ++v) {
            const auto& node = net_->nodes[v];
            if (!node.hole) continue;
            if (data.holes[v] || std::any_of(node.parents.begin(), node.parents.end(), [&](VarId p) { return data.holes[index(p)] != 0; }))
                return false;
        }
        return true;
    }

    /// A variable of a family to be learned that was never seen.
    const NetNode* unseen_family(const NetData& data) const {
        for (std::size_t v = 0; v < net_->nodes.size(); ++v) {
            if (!net_->nodes[v].hole) continue;
            if (data.hidden[v]) return &net_->nodes[v];
            for (const auto p : net_->nodes[v].parents)
                if (data.hidden[index(p)]) return &net_->nodes[index(p)];
        }
        return nullptr;
    }

    NetPtr net_;
    LearnOptions options_;
};

/// A net whose values come with the data: what learns is the trainer of the net that has them.
class OpenNetLearner final : public Learner {
public:
    OpenNetLearner(NetPtr net, MethodCall by) : net_(std::move(net)), by_(std::move(by)) {}
    std::string_view name() const override { return "net"; }
    TargetKind target() const override { return TargetKind::none; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto trainer = TRY(trainer_for(rows));
        return trainer->fit(rows, weights, run);
    }
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        auto trainer = TRY(trainer_for(rows));
        return trainer->explain_fit(rows, weights, fitted, run);
    }

private:
    Result<LearnerPtr> trainer_for(const TableView& rows) const {
        auto net = TRY(with_values_of(net_, *rows.table));
        return net_trainer(std::move(net), by_);
    }

    NetPtr net_;
    MethodCall by_;
};

}  // namespace

Result<LearnerPtr> net_trainer(NetPtr net, const MethodCall& by) {
    if (std::none_of(net->nodes.begin(), net->nodes.end(), [](const NetNode& n) { return n.hole; }))
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} has no holes (?): there is nothing to learn", net->name.empty() ? "the net" : net->name),
                     .origin = by.origin,
                     .hint = "write ? in the place of a table to learn it"};
    if (std::any_of(net->nodes.begin(), net->nodes.end(), [](const NetNode& n) { return !n.variable.is_discrete(); }))
        return LearnerPtr(std::make_shared<const OpenNetLearner>(std::move(net), by));
    auto options = TRY(options_of(*net, by));
    return LearnerPtr(std::make_shared<const NetLearner>(std::move(net), std::move(options)));
}

}  // namespace credence::rt
