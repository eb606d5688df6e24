#pragma once
// Sums and products of series: what the elimination in accumulate.cpp computes with.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "runtime/prob/queries/accumulate.hpp"

namespace credence::rt {

/// A series for each configuration of the scope, the last variable fastest.
template <Prob P>
struct SeriesTable {
    std::vector<Slot> scope;
    std::vector<Series<P>> entries;
    std::optional<std::size_t> list = std::nullopt;  ///< the carrier of a list of which one member is in it
};

/// Products of series, added up by state.
template <Prob P>
class SeriesSum {
public:
    explicit SeriesSum(Accumulators& states, Work& work) : states_(states), work_(work) {}

    /// Adds the product of all of them.
    void add_product(std::span<const Series<P>* const> factors) {
        if (factors.empty()) {
            add(Accumulators::start, one<P>());
            return;
        }
        if (factors.size() == 1) {
            for (const auto& [state, weight] : factors[0]->terms) add(state, weight);
            return;
        }
        Series<P> product = *factors[0];
        for (std::size_t i = 1; i < factors.size() && !product.terms.empty() && !work_.exceeded(); ++i) {
            const bool last = i + 1 == factors.size();
            if (!last && !inner_) inner_ = std::make_unique<SeriesSum>(states_, work_);
            SeriesSum& into = last ? *this : *inner_;
            // The longer one inside: its combinations lie side by side.
            const bool swapped = product.terms.size() > factors[i]->terms.size();
            const Series<P>& outer = swapped ? *factors[i] : product;
            const Series<P>& rest = swapped ? product : *factors[i];
            into.add_product_of_two(outer, rest);
            if (!last) product = inner_->take();
        }
    }

    Series<P> take() {
        Series<P> out;
        out.terms.reserve(totals_.size());
        for (const auto& [state, total] : totals_) {
            P weight = total.get();
            if (!weight.is_zero()) out.terms.emplace_back(state, std::move(weight));
            if (state != Accumulators::broken) place_[state] = nowhere;
        }
        broken_place_ = nowhere;
        totals_.clear();
        return out;
    }

private:
    static constexpr double widest = 300;  // in natural logarithms, of either factor: products stay above 1e-261
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

    void add_product_of_two(const Series<P>& outer, const Series<P>& rest) {
        constexpr std::size_t few = 8;  // terms, of which all pairs are gone through as quickly
        const bool many = outer.terms.size() > few && rest.terms.size() > few;
        if (many && !states_.ranks().empty() && add_by_ranks(outer, rest)) return;
        if constexpr (std::same_as<P, LogProb>)
            if ((many && add_by_convolution(outer, rest)) || add_by_doubles(outer, rest)) return;
        for (const auto& [a, x] : outer.terms)
            for (const auto& [b, y] : rest.terms) {
                const P weight = x * y;
                work_.count(weight);
                add(states_.combine(a, b), weight);
            }
    }

    /// The higher ranked of two: a(v) (B(before v) + b(v)) + A(before v) b(v), with running sums A and B.
    bool add_by_ranks(const Series<P>& outer, const Series<P>& rest) {
        const auto ranks = states_.ranks();
        const auto ordered = [&](const Series<P>& series, std::vector<const std::pair<StateId, P>*>& out) {
            out.clear();
            for (const auto& term : series.terms) {
                if (term.first == Accumulators::broken) return false;
                out.push_back(&term);
            }
            std::sort(out.begin(), out.end(), [&](const auto* x, const auto* y) { return ranks[x->first] < ranks[y->first]; });
            return true;
        };
        std::vector<const std::pair<StateId, P>*> as;
        std::vector<const std::pair<StateId, P>*> bs;
        if (!ordered(outer, as) || !ordered(rest, bs)) return false;
        P before_a{};
        P before_b{};
        for (std::size_t i = 0, j = 0; i < as.size() || j < bs.size();) {
            const auto rank_a = i < as.size() ? ranks[as[i]->first] : std::numeric_limits<std::uint32_t>::max();
            const auto rank_b = j < bs.size() ? ranks[bs[j]->first] : std::numeric_limits<std::uint32_t>::max();
            const P a = rank_a <= rank_b ? as[i]->second : P{};
            const P b = rank_b <= rank_a ? bs[j]->second : P{};
            const StateId state = rank_a <= rank_b ? as[i]->first : bs[j]->first;
            P weight = before_b;
            weight += b;
            weight *= a;
            weight += before_a * b;
            work_.count(weight);
            if (!weight.is_zero()) add(state, weight);
            before_a += a;
            before_b += b;
            i += rank_a <= rank_b ? 1 : 0;
            j += rank_b <= rank_a ? 1 : 0;
        }
        return true;
    }

    /// A stretch of a series of sums: weights of consecutive states, relative to the largest.
    struct Stretch {
        StateId first = 0;
        double scale = 0;
        std::vector<double> weights;
    };

    /// Cut where the weights differ so much that products of them would get lost. Nothing if some state is not a sum yet.
    static std::optional<std::vector<Stretch>> stretches(const Series<LogProb>& series) {
        auto terms = series.terms;
        std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        if (terms[0].first == Accumulators::start || terms.back().first == Accumulators::broken) return std::nullopt;
        std::vector<Stretch> out;
        for (std::size_t i = 0; i < terms.size();) {
            double low = terms[i].second.log();
            double high = low;
            std::size_t end = i;
            for (; end < terms.size(); ++end) {
                const double log = terms[end].second.log();
                if (std::max(high, log) - std::min(low, log) > widest) break;
                low = std::min(low, log);
                high = std::max(high, log);
            }
            Stretch one{terms[i].first, high, std::vector<double>(terms[end - 1].first - terms[i].first + 1, 0)};
            for (; i < end; ++i) one.weights[terms[i].first - one.first] = std::exp(terms[i].second.log() - high);
            out.push_back(std::move(one));
        }
        return out;
    }

    /// Sums of whole numbers: a convolution of arrays.
    bool add_by_convolution(const Series<LogProb>& outer, const Series<LogProb>& rest) {
        const auto zero = states_.zero_of_sums();
        if (!zero) return false;
        const auto as = stretches(outer);
        const auto bs = stretches(rest);
        if (!as || !bs) return false;
        for (const auto& a : *as)
            for (const auto& b : *bs) {
                xs_.assign(a.weights.size() + b.weights.size() - 1, 0);
                for (std::size_t i = 0; i < a.weights.size(); ++i) {
                    const double x = a.weights[i];
                    if (x == 0) continue;  // of several sums most combinations of a part do not occur
                    for (std::size_t j = 0; j < b.weights.size(); ++j) xs_[i + j] += x * b.weights[j];
                }
                for (std::size_t k = 0; k < xs_.size(); ++k)
                    if (xs_[k] > 0)
                        add(static_cast<StateId>(a.first + b.first + k - *zero), LogProb::of_log(a.scale + b.scale + std::log(xs_[k])));
            }
        return true;
    }

    /// In doubles, relative to the largest weights: an exponential for each term, not for each product. False where some would get lost.
    bool add_by_doubles(const Series<LogProb>& outer, const Series<LogProb>& rest) {
        const auto scaled = [](const Series<LogProb>& series, std::vector<double>& out) -> std::optional<double> {
            double high = series.terms[0].second.log();
            double low = high;
            for (const auto& [state, weight] : series.terms) {
                high = std::max(high, weight.log());
                low = std::min(low, weight.log());
            }
            if (high - low > widest) return std::nullopt;
            out.clear();
            for (const auto& [state, weight] : series.terms) out.push_back(std::exp(weight.log() - high));
            return high;
        };
        const auto x_scale = scaled(outer, xs_);
        const auto y_scale = x_scale ? scaled(rest, ys_) : std::nullopt;
        if (!y_scale) return false;
        touched_.clear();
        for (std::size_t i = 0; i < xs_.size(); ++i) {
            const StateId a = outer.terms[i].first;
            auto known = states_.combinations(a);
            for (std::size_t j = 0; j < ys_.size(); ++j) {
                const StateId b = rest.terms[j].first;
                StateId state = b < known.size() ? known[b] : Accumulators::unknown;
                if (state == Accumulators::unknown) {
                    state = states_.combine(a, b);
                    known = states_.combinations(a);
                }
                if (state == Accumulators::dropped) continue;
                if (state == Accumulators::broken) {
                    add(state, outer.terms[i].second * rest.terms[j].second);
                    continue;
                }
                if (state >= sums_.size()) sums_.resize(std::max<std::size_t>(state + 1, sums_.size() * 2), 0);
                if (sums_[state] == 0) touched_.push_back(state);
                sums_[state] += xs_[i] * ys_[j];
            }
        }
        for (const auto state : touched_) add(state, LogProb::of_log(*x_scale + *y_scale + std::log(std::exchange(sums_[state], 0))));
        return true;
    }

    void add(StateId state, const P& weight) {
        if (state == Accumulators::dropped) return;
        if (state != Accumulators::broken && state >= place_.size())
            place_.resize(std::max<std::size_t>(state + 1, place_.size() * 2), nowhere);
        std::uint32_t& place = state == Accumulators::broken ? broken_place_ : place_[state];
        if (place == nowhere) {
            place = static_cast<std::uint32_t>(totals_.size());
            totals_.emplace_back(state, Total<P>());
        }
        totals_[place].second.add(weight);
    }

    Accumulators& states_;
    Work& work_;
    std::vector<std::pair<StateId, Total<P>>> totals_;
    std::vector<std::uint32_t> place_;  // in totals_, by state
    std::uint32_t broken_place_ = nowhere;
    std::unique_ptr<SeriesSum> inner_;  // for the products on the way
    std::vector<double> xs_, ys_, sums_;
    std::vector<StateId> touched_;
};

}  // namespace credence::rt
