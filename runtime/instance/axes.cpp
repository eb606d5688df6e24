#include "runtime/instance/axes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/design.hpp"

namespace credence::rt {

namespace {

constexpr double pairs_and_axes = 1e7;  ///< rows are sampled so that trying every axis once costs about this many steps

std::vector<std::uint32_t> shuffled(std::size_t n, Rng rng) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    return order;
}

/// Squared distances of all pairs as a sum over axes, so that one axis can be stretched without the others.
class PairErrors {
public:
    PairErrors(Matrix points, std::vector<char> labels, const Column& target, std::size_t k)
        : points_(std::move(points)), labels_(std::move(labels)), target_(target), k_(std::min(k, points_.rows - 1)) {}
    /// Sums again rather than by differences: equal distances must stay equal.
    void stretch(const std::vector<double>& axes) {
        const std::size_t n = points_.rows;
        sums_.assign(n * n, 0.0);
        for (std::size_t c = 0; c < axes.size(); ++c)
            if (axes[c] > 0)
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < n; ++j) sums_[i * n + j] += axes[c] * axes[c] * part(c, i, j);
    }
    /// The mean squared error of leave-one-out predictions when the axis counts `more` than now: of the votes for each label, or of
    /// numbers.
    double error(std::size_t axis, double more, unsigned threads) const {
        const std::size_t n = points_.rows;
        std::vector<double> errors(n);
        parallel_chunks(n, 64, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
            Nearest best(k_);
            std::vector<double> squares(n);
            std::vector<std::size_t> near;
            for (std::size_t i = begin; i < end; ++i) {
                best.clear();
                for (std::size_t j = 0; j < n; ++j) {
                    if (j == i) continue;
                    squares[j] = sums_[i * n + j] + (more == 0 ? 0 : more * part(axis, i, j));
                    if (squares[j] <= best.worst()) best.offer(squares[j], static_cast<std::uint32_t>(j));
                }
                near.clear();
                for (std::size_t j = 0; j < n; ++j)
                    if (j != i && as_near(squares[j], best.worst())) near.push_back(j);
                errors[i] = error_at(i, near);
            }
        });
        return std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(n);
    }

private:
    double part(std::size_t axis, std::size_t i, std::size_t j) const {
        const double e = points_(i, axis) - points_(j, axis);
        return labels_[axis] ? (e != 0 ? 1.0 : 0.0) : e * e;
    }
    double error_at(std::size_t i, const std::vector<std::size_t>& near) const {
        const auto k = static_cast<double>(near.size());
        if (target_.kind == ColumnKind::numeric) {
            double sum = 0;
            for (const auto j : near) sum += target_.values[j];
            const double e = sum / k - target_.values[i];
            return e * e;
        }
        // Brier's score of the shares of votes: (1 − p)² for the true label and p² for each other
        std::vector<double> shares(target_.domain->size(), 0.0);
        for (const auto j : near) shares[static_cast<std::size_t>(target_.codes[j])] += 1 / k;
        double out = 0;
        for (std::size_t c = 0; c < shares.size(); ++c) {
            const double e = shares[c] - (target_.codes[i] == static_cast<std::int32_t>(c) ? 1.0 : 0.0);
            out += e * e;
        }
        return out;
    }
    Matrix points_;
    std::vector<char> labels_;
    const Column& target_;
    std::size_t k_;
    std::vector<double> sums_;
};

/// The best single change of one axis, again and again, until none lowers the error: it is dropped or taken in, halved or doubled, in the
/// end moved by a quarter.
Result<double> climb(PairErrors& pairs, std::vector<double>& axes, std::vector<double>& history, Run& run) {
    pairs.stretch(axes);
    double error = pairs.error(0, 0, run.threads);
    history.push_back(error);
    const std::vector<double> coarse{0.0, 0.5, 2.0};
    const std::vector<double> fine{0.8, 1.25};
    bool coarsely = true;
    for (std::size_t step = 0; step < 6 * axes.size() + 6; ++step) {
        double least = error;
        std::size_t which = axes.size();
        double to = 0;
        for (std::size_t c = 0; c < axes.size(); ++c) {
            if (run.stopped()) return stopped_fault();
            const double now = axes[c];
            std::vector<double> tries;
            for (const double f : coarsely ? coarse : fine) tries.push_back(f * now);
            if (now == 0) tries = coarsely ? std::vector<double>{1.0} : std::vector<double>{};
            const bool alone = std::count_if(axes.begin(), axes.end(), [](double a) { return a > 0; }) == 1;
            for (const double z : tries) {
                if (z == 0 && alone) continue;  // without any axis all rows are equally near
                const double e = pairs.error(c, z * z - now * now, run.threads);
                if (!(e < least - 1e-12)) continue;
                least = e;
                which = c;
                to = z;
            }
        }
        if (which == axes.size()) {
            if (!coarsely) break;
            coarsely = false;
            continue;
        }
        axes[which] = to;
        pairs.stretch(axes);
        error = pairs.error(0, 0, run.threads);
        history.push_back(error);
    }
    return error;
}

struct Score {
    double sum = 0;
    std::size_t count = 0;
};

/// Errors of predicting held-out rows by their k nearest neighbours and those as near as the last of them, added to the scores by k.
void score_prefixes(const Instances& stored, const NeighbourLists& found, const Column& truth, std::span<const std::size_t> rows,
                    std::span<const std::size_t> counts, std::vector<Score>& scores) {
    const Column& target = stored.target();
    const bool labels = target.kind == ColumnKind::label;
    std::vector<double> votes(labels ? target.domain->size() : 0);
    for (std::size_t q = 0; q < rows.size(); ++q) {
        std::fill(votes.begin(), votes.end(), 0.0);
        double sum = 0;
        const auto& near = found[q];
        std::size_t taken = 0;
        for (std::size_t c = 0; c < counts.size() && counts[c] <= near.size(); ++c) {
            for (; taken < near.size() && as_near(near[taken].distance, near[counts[c] - 1].distance); ++taken) {
                if (labels)
                    votes[static_cast<std::size_t>(target.codes[near[taken].row])] += 1;
                else
                    sum += target.values[near[taken].row];
            }
            double error = 0;
            if (labels) {
                const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
                error = best == truth.codes[rows[q]] ? 0 : 1;
            } else {
                const double e = sum / static_cast<double>(taken) - truth.values[rows[q]];
                error = e * e;
            }
            scores[c].sum += error;
            ++scores[c].count;
        }
    }
}

/// The largest odd number whose square is below n; 1 if there is none.
std::size_t odd_below_root(std::size_t n) {
    std::size_t odd = 1;
    while ((odd + 2) * (odd + 2) < n) odd += 2;
    return odd;
}

std::size_t elbow_of(const std::vector<std::pair<std::size_t, double>>& curve) {
    const auto [k0, e0] = curve.front();
    const auto [k1, e1] = *std::min_element(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::size_t best = k1;
    double farthest = 0;
    for (const auto& [k, e] : curve) {
        if (k >= k1) break;
        const double share = static_cast<double>(k - k0) / static_cast<double>(k1 - k0);
        const double below = e0 + share * (e1 - e0) - e;
        if (below > farthest + 1e-15) {
            farthest = below;
            best = k;
        }
    }
    return best;
}

}  // namespace

Result<AxesFound> learn_axes(const TableView& rows, const KnnOptions& options, Run& run) {
    const Metric metric = options.space.metric;
    if (metric != Metric::euclidean)
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("axes are learned for the euclidean metric, not for {}", name_of(metric)),
                     .hint = "give them: axes: [1, 0, 2]"};
    KnnOptions plain = options;
    plain.space.axes.clear();
    std::vector<std::uint32_t> picked;
    TableView view = rows;
    const double columns = std::max<double>(1, static_cast<double>(rows.table->columns.size()) - 1);
    const auto most_rows = static_cast<std::size_t>(std::min(1000.0, std::sqrt(pairs_and_axes / columns)));
    if (rows.size() > most_rows) {
        const auto order = shuffled(rows.size(), run.rng.child("axes"));
        for (std::size_t i = 0; i < most_rows; ++i) picked.push_back(static_cast<std::uint32_t>(rows.row(order[i])));
        std::sort(picked.begin(), picked.end());
        view.rows = picked;
        view.all = false;
    }
    auto stored = TRY(Instances::build(view, {}, plain, std::nullopt, run));
    if (stored->size() < 3) return Fault{.code = "E-EMPTY", .message = "axes are learned from three rows or more"};
    const Matrix& points = stored->index().points();
    std::vector<char> labels;
    for (const auto& f : schema_of(stored->data()).features) labels.push_back(f.kind == ColumnKind::label);
    PairErrors pairs(points, labels, stored->target(), options.k.value_or(stored->size() - 1));

    // From all axes alike, and from none at all: among many uninformative columns, the first way is caught in their noise.
    AxesFound all{std::vector<double>(points.columns, 1.0), {}};
    auto error_all = TRY(climb(pairs, all.axes, all.history, run));
    AxesFound none{std::vector<double>(points.columns, 0.0), {}};
    auto error_none = TRY(climb(pairs, none.axes, none.history, run));
    const bool some = std::any_of(none.axes.begin(), none.axes.end(), [](double a) { return a > 0; });
    return some && error_none < error_all ? none : all;
}

Result<NeighbourCount> choose_count(const TableView& given, CountMethod method, std::size_t most, KnnOptions options, Run& run) {
    NeighbourCount out;
    auto complete = complete_rows(feature_columns(*given.table), given);
    for (auto& row : complete) row = static_cast<std::uint32_t>(given.row(row));
    const TableView rows{.table = given.table, .rows = complete, .all = false};
    const std::size_t n = rows.size();
    if (n < given.size() && run.note) run.note(fmt::format("{} with missing cells left out", counted(given.size() - n, "row")));
    if (n < 2)
        return Fault{.code = "E-EMPTY",
                     .message = fmt::format("k is chosen from two complete rows or more, and here {}", n == 0 ? "are none" : "is one")};
    if (method == CountMethod::sqrt) {
        out.k = odd_below_root(n);
        return out;
    }
    std::vector<std::size_t> folds(n, 0);  // the part each row is held out in; 0 of a validation: never
    std::size_t parts = n;
    if (method != CountMethod::elbow) {
        const auto order = shuffled(n, run.rng.child("folds"));
        parts = method == CountMethod::validation ? 1 : std::min<std::size_t>(10, n);
        for (std::size_t i = 0; i < n; ++i) folds[order[i]] = method == CountMethod::validation ? (3 * i < n ? 0 : 1) : i % parts;
    }
    const std::size_t smallest = method == CountMethod::elbow        ? n - 1
                                 : method == CountMethod::validation ? n - (n + 2) / 3
                                                                     : n - (n + parts - 1) / parts;
    std::vector<std::size_t> counts;
    for (std::size_t k = 1; k <= std::min(most, smallest); k += 2) counts.push_back(k);
    std::vector<Score> scores(counts.size());
    const Column& truth = *rows.table->columns[*rows.table->target];
    options.k = counts.back();
    if (method == CountMethod::elbow) {
        auto stored = TRY(Instances::build(rows, {}, options, std::nullopt, run));
        const auto found = stored->index().nearest_others_with_ties(counts.back(), run);
        std::vector<std::size_t> all(stored->size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        score_prefixes(*stored, found, stored->target(), all, counts, scores);
    }
    for (std::size_t part = 0; method != CountMethod::elbow && part < parts; ++part) {
        if (run.stopped()) return stopped_fault();
        std::vector<std::uint32_t> kept;
        std::vector<std::uint32_t> held;
        std::vector<std::size_t> held_rows;
        for (std::size_t i = 0; i < n; ++i) {
            if (folds[i] != part) {
                kept.push_back(static_cast<std::uint32_t>(rows.row(i)));
                continue;
            }
            held.push_back(static_cast<std::uint32_t>(rows.row(i)));
            held_rows.push_back(rows.row(i));
        }
        auto stored = TRY(Instances::build({.table = rows.table, .rows = kept, .all = false}, {}, options, std::nullopt, run));
        auto aligned = TRY(align(schema_of(*rows.table), *rows.table));
        const auto queries = stored->index().space().encode({.table = &aligned, .rows = held, .all = false});
        score_prefixes(*stored, stored->index().nearest_with_ties(queries, counts.back(), run), truth, held_rows, counts, scores);
    }
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (scores[c].count == 0) continue;
        const double mean = scores[c].sum / static_cast<double>(scores[c].count);
        out.curve.emplace_back(counts[c], truth.kind == ColumnKind::label ? mean : std::sqrt(mean));
    }
    out.k = out.curve.front().first;
    double least = out.curve.front().second;
    for (const auto& [k, e] : out.curve)
        if (e < least - 1e-15) {
            least = e;
            out.k = k;
        }
    if (method == CountMethod::elbow) out.k = elbow_of(out.curve);
    return out;
}

}  // namespace credence::rt
