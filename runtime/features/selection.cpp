#include "runtime/features/selection.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

FeatureSet with(const FeatureSet& set, std::size_t feature) {
    FeatureSet out = set;
    out.insert(std::lower_bound(out.begin(), out.end(), feature), feature);
    return out;
}

FeatureSet lacking(const FeatureSet& set, std::size_t feature) {
    FeatureSet out = set;
    out.erase(std::find(out.begin(), out.end(), feature));
    return out;
}

bool has_feature(const FeatureSet& set, std::size_t feature) { return std::binary_search(set.begin(), set.end(), feature); }

FeatureSet all_columns(std::size_t columns) {
    FeatureSet out(columns);
    for (std::size_t c = 0; c < columns; ++c) out[c] = c;
    return out;
}

class SubsetSearch {
public:
    SubsetSearch(std::size_t columns, const SubsetErrors& error, const Run& run) : columns_(columns), error_(error), run_(run) {}

    /// The best way to add a column (or remove one), the first among equals.
    Result<SelectionStep> best_change(const FeatureSet& from, bool adding) {
        std::vector<FeatureSet> sets;
        std::vector<std::size_t> changed;
        for (std::size_t c = 0; c < columns_; ++c) {
            if (has_feature(from, c) == adding) continue;
            sets.push_back(adding ? with(from, c) : lacking(from, c));
            changed.push_back(c);
        }
        auto errors = TRY(errors_of(sets));
        SelectionStep out;
        out.added = adding;
        std::size_t best = 0;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (errors[i] < errors[best]) best = i;
            out.tried.emplace_back(sets[i], errors[i]);
        }
        out.feature = changed[best];
        out.features = sets[best];
        out.error = errors[best];
        return out;
    }

    Result<std::vector<Number>> errors_of(std::span<const FeatureSet> sets) {
        if (run_.stopped()) return stopped_fault();
        evaluations_ += sets.size();
        auto out = error_(sets);
        if (!out) return out;
        for (const auto& e : *out)
            if (e.is_nan()) return Fault{.code = "E-TRAIN", .message = "the error of a set of columns is not a number"};
        return out;
    }
    Result<Number> error_of(const FeatureSet& set) {
        auto out = TRY(errors_of(std::span(&set, 1)));
        return out[0];
    }
    std::size_t columns() const { return columns_; }

    Selection finish(Selection s) const {
        s.evaluations = evaluations_;
        return s;
    }

private:
    std::size_t columns_;
    const SubsetErrors& error_;
    const Run& run_;
    std::size_t evaluations_ = 0;
};

/// Whether the error falls by more than the threshold.
bool gains(const Number& before, const Number& after, const Number& threshold) { return before - after > threshold; }

void take(Selection& s, SelectionStep step) {
    s.features = step.features;
    s.error = step.error;
    s.history.push_back(std::move(step));
}

/// The best column more; false, and kept as refused, where it does not gain enough.
Result<bool> take_best_addition(SubsetSearch& search, const Number& threshold, Selection& s) {
    auto step = TRY(search.best_change(s.features, true));
    if (!s.history.empty() && !gains(s.error, step.error, threshold)) {
        s.refused = std::move(step);
        return false;
    }
    take(s, std::move(step));
    return true;
}

/// The step that opens a search from a whole set.
Result<SelectionStep> start_from(SubsetSearch& search, FeatureSet set) {
    auto error = TRY(search.error_of(set));
    SelectionStep out;
    out.features = std::move(set);
    out.error = error;
    out.tried = {{out.features, error}};
    return out;
}

}  // namespace

Result<Selection> forward_selection(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run) {
    SubsetSearch search(columns, error, run);
    Selection out;
    bool going = true;
    while (going && out.features.size() < columns) going = TRY(take_best_addition(search, threshold, out));
    return search.finish(std::move(out));
}

Result<Selection> backward_elimination(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run) {
    SubsetSearch search(columns, error, run);
    Selection out;
    auto start = TRY(start_from(search, all_columns(columns)));
    out.features = start.features;
    out.error = start.error;
    out.start = std::move(start);
    while (out.features.size() > 1) {
        auto step = TRY(search.best_change(out.features, false));
        if (step.error - out.error > threshold) {
            out.refused = std::move(step);
            break;
        }
        take(out, std::move(step));
    }
    return search.finish(std::move(out));
}

Result<Selection> stepwise_selection(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run) {
    SubsetSearch search(columns, error, run);
    Selection out;
    std::vector<std::optional<Number>> best_of_size(columns + 1);
    while (out.features.size() < columns) {
        const bool taken = TRY(take_best_addition(search, threshold, out));
        if (!taken) break;
        best_of_size[out.features.size()] = out.error;
        while (out.features.size() > 2) {
            auto back = TRY(search.best_change(out.features, false));
            const auto& known = best_of_size[back.features.size()];
            // Falling below what that many columns had is what keeps this from going round in circles.
            if (back.error - out.error > threshold || (known && !(back.error < *known))) break;
            take(out, std::move(back));
            best_of_size[out.features.size()] = out.error;
        }
    }
    return search.finish(std::move(out));
}

Result<Selection> floating_selection(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run) {
    SubsetSearch search(columns, error, run);
    Selection out;
    std::vector<std::optional<std::pair<FeatureSet, Number>>> best(columns + 1);
    const auto note = [&](const SelectionStep& step) {
        auto& known = best[step.features.size()];
        if (!known || step.error < known->second) known = {step.features, step.error};
    };
    while (out.features.size() < columns) {
        auto step = TRY(search.best_change(out.features, true));
        note(step);
        take(out, std::move(step));
        while (out.features.size() > 2) {
            auto back = TRY(search.best_change(out.features, false));
            const auto& known = best[back.features.size()];
            if (known && !(back.error < known->second)) break;
            note(back);
            take(out, std::move(back));
        }
    }
    std::size_t chosen = 1;
    for (std::size_t n = 2; n <= columns; ++n)
        if (best[n] && gains(best[chosen]->second, best[n]->second, threshold)) chosen = n;
    out.features = best[chosen]->first;
    out.error = best[chosen]->second;
    return search.finish(std::move(out));
}

// --- all sets ----------------------------------------------------------------------------------------------------------

namespace {

constexpr double most_sets = 1e6;

Fault too_many_sets(double sets) {
    return {.code = "E-COST",
            .message = fmt::format("{:.3g} sets of columns are more than a million", sets),
            .hint = "give a size, method: branch_and_bound, or use floating_selection"};
}

/// All sets of `size` of the columns in the order of their members.
std::vector<FeatureSet> sets_of_size(std::size_t columns, std::size_t size) {
    std::vector<FeatureSet> out;
    FeatureSet set = all_columns(size);
    while (true) {
        out.push_back(set);
        std::size_t i = size;
        while (i > 0 && set[i - 1] == columns - size + i - 1) --i;
        if (i == 0) return out;
        ++set[i - 1];
        for (std::size_t j = i; j < size; ++j) set[j] = set[j - 1] + 1;
    }
}

/// Removes columns in ascending order, so that each set is met once; goes below a set only while its error is under the best.
Status bound(SubsetSearch& search, const FeatureSet& from, std::size_t removable, std::size_t size, Selection& best) {
    std::vector<FeatureSet> sets;
    std::vector<std::size_t> next;
    for (std::size_t c = removable; c < search.columns(); ++c) {
        if (!has_feature(from, c)) continue;
        // Enough columns must be left to remove after this one.
        FeatureSet smaller = lacking(from, c);
        const auto later = static_cast<std::size_t>(smaller.end() - std::lower_bound(smaller.begin(), smaller.end(), c));
        if (smaller.size() - size > later) continue;
        sets.push_back(std::move(smaller));
        next.push_back(c + 1);
    }
    auto errors = TRY(search.errors_of(sets));
    std::vector<std::size_t> order(sets.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return errors[a] < errors[b]; });
    for (const auto i : order) {
        if (!best.features.empty() && !(errors[i] < best.error)) break;
        if (sets[i].size() == size) {
            SelectionStep step;
            step.features = sets[i];
            step.error = errors[i];
            take(best, std::move(step));
            continue;
        }
        Status done = bound(search, sets[i], next[i], size, best);
        if (!done) return done;
    }
    return Done{};
}

}  // namespace

Result<Selection> exhaustive_selection(std::size_t columns, std::optional<std::size_t> size, ExhaustiveMethod method,
                                       const SubsetErrors& error, const Run& run) {
    SubsetSearch search(columns, error, run);
    Selection out;
    if (method == ExhaustiveMethod::branch_and_bound && *size < columns) {
        TRY(bound(search, all_columns(columns), 0, *size, out));
        return search.finish(std::move(out));
    }
    double sets = 0;
    const std::size_t low = size.value_or(1);
    const std::size_t high = size.value_or(columns);
    for (std::size_t n = low; n <= high; ++n)
        sets += std::exp(log_gamma(static_cast<double>(columns) + 1) - log_gamma(static_cast<double>(n) + 1) -
                         log_gamma(static_cast<double>(columns - n) + 1));
    if (sets > most_sets) return too_many_sets(sets);
    for (std::size_t n = low; n <= high; ++n) {
        const auto of_size = sets_of_size(columns, n);
        auto errors = TRY(search.errors_of(of_size));
        const std::size_t best = static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
        SelectionStep step;
        step.features = of_size[best];
        step.error = errors[best];
        if (out.history.empty() || step.error < out.error) {
            out.features = step.features;
            out.error = step.error;
        }
        out.history.push_back(std::move(step));
    }
    return search.finish(std::move(out));
}

Result<Selection> random_selection(std::size_t columns, std::size_t tries, const SubsetErrors& error, Rng rng, const Run& run) {
    SubsetSearch search(columns, error, run);
    Selection out;
    for (std::size_t t = 0; t < tries; ++t) {
        Rng draw = rng.child(t);
        FeatureSet set;
        for (std::size_t c = 0; c < columns; ++c)
            if (draw.below(2) == 1) set.push_back(c);
        if (set.empty()) set.push_back(draw.below(columns));
        auto at = TRY(start_from(search, std::move(set)));
        while (true) {
            std::optional<SelectionStep> better;
            for (const bool adding : {true, false}) {
                if (adding ? at.features.size() == columns : at.features.size() < 2) continue;
                auto step = TRY(search.best_change(at.features, adding));
                if (step.error < at.error && (!better || step.error < better->error)) better = std::move(step);
            }
            if (!better) break;
            at = *std::move(better);
        }
        at.feature.reset();
        if (out.history.empty() || at.error < out.error) {
            out.features = at.features;
            out.error = at.error;
        }
        at.tried.clear();
        out.history.push_back(std::move(at));
    }
    return search.finish(std::move(out));
}

}  // namespace credence::rt
