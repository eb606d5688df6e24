#include "runtime/prob/queries/levels.hpp"

#include <algorithm>
#include <cmath>

namespace credence::rt {

Levels::State Levels::Reader::number(const Label& label) {
    const auto [found, fresh] = state_of.try_emplace(label.text(), static_cast<State>(pool.size()));
    if (fresh) pool.push_back(label);
    return found->second;
}

/// State 0 is a fold of nothing.
Result<Levels::State> Levels::Reader::folded(State a, State b) {
    if (a == 0) return b;
    if (b == 0) return a;
    const auto key = (static_cast<std::uint64_t>(a) << 32U) | static_cast<std::uint64_t>(b);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const auto value = TRY(fold_step(fold, pool[static_cast<std::size_t>(a)], pool[static_cast<std::size_t>(b)]));
    return known[key] = number(value);
}

std::optional<Levels::Reader> Levels::ranked_reader(const ListStatistic& statistic, bool from_top) const {
    Reader out{.kind = statistic.kind};
    if (statistic.kind == ListStatistic::Kind::picked) {
        out.rank = from_top ? members_ - 1 - statistic.rank : statistic.rank;
        out.needed = out.rank + 1;
        return out;
    }
    std::vector<Rational> numbers;
    for (const auto& value : values_) {
        const auto number = as_count(value);
        if (!number || !number->is_exact()) return std::nullopt;
        numbers.push_back(number->exact());
        const Rational own = numbers.back().denominator();
        out.scale *= (own / out.scale).numerator();
    }
    for (const auto& number : numbers) {
        const auto whole = (number * out.scale).to_int64();
        constexpr State most = 1'000'000'000'000;  // so that no sum of them overflows
        if (!whole || std::abs(*whole) > most) return std::nullopt;
        out.scaled.push_back(*whole);
    }
    std::vector<State> weights = statistic.rank_weights;
    if (from_top) std::reverse(weights.begin(), weights.end());
    out.weights.push_back(0);
    for (std::size_t r = 0; r < weights.size(); ++r) {
        out.weights.push_back(out.weights.back() + weights[r]);
        if (weights[r] != 0) out.needed = r + 1;
    }
    return out;
}

std::optional<Levels::Reader> Levels::counted_reader(const ListStatistic& statistic) const {
    Reader out{.kind = statistic.kind, .needed = members_, .fold = statistic.fold};
    out.pool.emplace_back();
    // A truth that is added counts 1 or 0, as in the fold itself.
    const auto start = fold_start(statistic.fold);
    const auto add = [&](State& to, const Result<Label>& value) {
        if (!value) return false;
        auto first = start ? fold_step(statistic.fold, *start, *value) : Result<Label>(*value);
        auto sum = first ? out.folded(to, out.number(*first)) : Result<State>(std::move(first).fault());
        if (sum) to = *sum;
        return static_cast<bool>(sum);
    };
    if (start) out.start = out.number(*start);
    for (const auto& constant : statistic.constants)
        if (!add(out.start, constant)) return std::nullopt;
    for (const auto& [value, worth] : statistic.by_value)
        if (std::none_of(values_.begin(), values_.end(), [&](const Label& own) { return same_value(own, value); }) &&
            !add(out.start, worth(0)))
            return std::nullopt;
    for (const auto& value : values_) {
        auto& row = out.worth.emplace_back();
        for (std::size_t count = 0; count <= members_; ++count) {
            row.push_back(0);
            if (statistic.any_value && !add(row.back(), statistic.any_value(count))) return std::nullopt;
            for (const auto& [judged, worth] : statistic.by_value)
                if (same_value(judged, value) && !add(row.back(), worth(count))) return std::nullopt;
        }
    }
    return out;
}

std::optional<Levels> Levels::make(std::span<const ListStatistic> statistics, std::vector<Label> values) {
    Levels out;
    out.members_ = statistics[0].list.size();
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    // From the end at which fewer members settle it.
    std::size_t lowest = out.members_;
    std::size_t highest = 0;
    for (const auto& statistic : statistics) {
        if (statistic.kind == ListStatistic::Kind::counted) continue;
        for (std::size_t r = 0; r < out.members_; ++r) {
            const bool read = statistic.kind == ListStatistic::Kind::picked ? r == statistic.rank : statistic.rank_weights[r] != 0;
            if (!read) continue;
            lowest = std::min(lowest, r);
            highest = std::max(highest, r);
        }
    }
    const bool from_top = out.members_ - lowest < highest + 1;
    if (from_top) std::reverse(values.begin(), values.end());
    out.values_ = std::move(values);
    for (const auto& statistic : statistics) {
        auto reader =
            statistic.kind == ListStatistic::Kind::counted ? out.counted_reader(statistic) : out.ranked_reader(statistic, from_top);
        if (!reader) return std::nullopt;
        out.needed_ = std::max(out.needed_, reader->needed);
        out.readers_.push_back(*std::move(reader));
    }
    return out;
}

double Levels::cost(std::span<const std::size_t> counts) const {
    double left = 1;
    double taken = 1;
    for (const auto count : counts) {
        const auto most = static_cast<double>(std::min(count, needed_) + 1);
        left *= most;
        taken *= (most + 1) / 2;
    }
    double states = 1;
    std::size_t picked = 0;
    for (const auto& reader : readers_) {
        if (reader.kind == ListStatistic::Kind::picked) {
            if (picked++ > 0) states *= static_cast<double>(values_.size());  // one that is settled is no longer carried
        } else if (reader.kind == ListStatistic::Kind::ranked) {
            const auto [least, greatest] = std::minmax_element(reader.scaled.begin(), reader.scaled.end());
            double weights = 0;
            for (std::size_t r = 1; r < reader.weights.size(); ++r)
                weights += std::abs(static_cast<double>(reader.weights[r] - reader.weights[r - 1]));
            states *= 1 + weights * static_cast<double>(*greatest - *least) / 2;
        } else {
            states *= reader.fold == Fold::all || reader.fold == Fold::any ? 2 : static_cast<double>(members_ + 1) / 2;
        }
    }
    return static_cast<double>(values_.size()) * left * taken * states;
}

Result<Levels::State> Levels::step(Reader& reader, State state, std::size_t level, std::size_t used, std::size_t count) {
    switch (reader.kind) {
        case ListStatistic::Kind::picked:
            return used <= reader.rank && reader.rank < used + count ? static_cast<State>(level + 1) : state;
        case ListStatistic::Kind::ranked:
            return state + reader.scaled[level] * (reader.weights[used + count] - reader.weights[used]);
        case ListStatistic::Kind::counted:
            return reader.folded(state, reader.worth[level][count]);
    }
    return state;
}

Label Levels::label(const Reader& reader, State state) const {
    switch (reader.kind) {
        case ListStatistic::Kind::picked:
            return values_[static_cast<std::size_t>(state - 1)];
        case ListStatistic::Kind::ranked:
            return Label::of_number(Rational(state) / reader.scale);
        case ListStatistic::Kind::counted:
            return reader.pool[static_cast<std::size_t>(state)];
    }
    return {};
}

/// One pass over the values.
template <Prob P>
class Levels::Pass {
public:
    Pass(Levels& levels, std::span<const LevelMembers<P>> members, Work& work) : levels_(levels), members_(members), work_(work) {
        std::size_t most = 0;
        for (const auto& kind : members) most = std::max(most, kind.count);
        for (std::size_t n = 0; n <= most; ++n) {  // Pascal's triangle
            auto& row = choices_.emplace_back(n + 1, one<P>());
            for (std::size_t k = 1; k < n; ++k) {
                row[k] = choices_[n - 1][k - 1];
                row[k] += choices_[n - 1][k];
            }
        }
    }

    Result<Outcomes<P>> run() {
        Key start;
        for (const auto& kind : members_) start.push_back(static_cast<State>(kind.count));
        for (const auto& reader : levels_.readers_) start.push_back(reader.start);
        add(open_, std::move(start), one<P>());
        for (std::size_t level = 0; level < levels_.values_.size(); ++level) {
            prepare(level);
            Frontier now = std::exchange(open_, {});
            for (const auto& [key, total] : now.entries) TRY(spread(key, total.get(), level));
            if (auto fault = work_.interrupted()) return *std::move(fault);
        }
        Outcomes<P> out;
        for (const auto& [states, total] : done_.entries) {
            std::vector<Label> labels;
            for (std::size_t s = 0; s < states.size(); ++s) labels.push_back(levels_.label(levels_.readers_[s], states[s]));
            out.emplace_back(std::move(labels), total.get());
        }
        return out;
    }

private:
    using Key = std::vector<State>;  // members left of each kind, then the statistics
    struct HashOfKey {
        std::size_t operator()(const Key& key) const {
            std::size_t out = 1469598103934665603U;
            for (const auto part : key) out = (out ^ static_cast<std::size_t>(part)) * 1099511628211U;
            return out;
        }
    };
    struct Frontier {
        std::unordered_map<Key, std::size_t, HashOfKey> place;
        std::vector<std::pair<Key, Total<P>>> entries;
    };

    static void add(Frontier& to, Key key, const P& weight) {
        const auto [found, fresh] = to.place.try_emplace(key, to.entries.size());
        if (fresh) to.entries.emplace_back(std::move(key), Total<P>());
        to.entries[found->second].second.add(weight);
    }

    /// ways_[k][r][c]: the weight of c of r members of kind k taking this value; rest_[k][r]: of r members all taking later ones.
    void prepare(std::size_t level) {
        ways_.assign(members_.size(), {});
        rest_.assign(members_.size(), {});
        for (std::size_t k = 0; k < members_.size(); ++k) {
            const auto& [weights, count] = members_[k];
            Total<P> later;
            for (std::size_t v = level + 1; v < weights.size(); ++v) later.add(weights[v]);
            std::vector<P> power{one<P>()};
            rest_[k].push_back(one<P>());
            for (std::size_t c = 1; c <= count; ++c) {
                power.push_back(power.back() * weights[level]);
                rest_[k].push_back(rest_[k].back() * later.get());
            }
            for (std::size_t r = 0; r <= count; ++r) {
                auto& row = ways_[k].emplace_back();
                for (std::size_t c = 0; c <= r; ++c) row.push_back(choices_[r][c] * power[c]);
            }
        }
    }

    /// All the ways in which members that are left can take the value.
    Status spread(const Key& key, const P& weight, std::size_t level) {
        const std::size_t kinds = members_.size();
        const bool last = level + 1 == levels_.values_.size();
        std::size_t left = 0;
        for (std::size_t k = 0; k < kinds; ++k) left += static_cast<std::size_t>(key[k]);
        const std::size_t used = levels_.members_ - left;
        std::vector<std::size_t> taken(kinds, 0);
        if (last)
            for (std::size_t k = 0; k < kinds; ++k) taken[k] = static_cast<std::size_t>(key[k]);
        for (bool more = true; more && !work_.exceeded();) {
            P share = weight;
            std::size_t count = 0;
            for (std::size_t k = 0; k < kinds; ++k) {
                share *= ways_[k][static_cast<std::size_t>(key[k])][taken[k]];
                count += taken[k];
            }
            if (!share.is_zero()) {
                work_.count(share);
                TRY(arrive(key, taken, share, level, used, count));
            }
            more = false;
            for (std::size_t k = kinds; !last && k-- > 0;) {
                const bool possible = !members_[k].weights[level].is_zero();
                if (possible && ++taken[k] <= static_cast<std::size_t>(key[k])) {
                    more = true;
                    break;
                }
                taken[k] = 0;
            }
        }
        return Done{};
    }

    Status arrive(const Key& from, std::span<const std::size_t> taken, P share, std::size_t level, std::size_t used, std::size_t count) {
        const std::size_t kinds = members_.size();
        Key key = from;
        for (std::size_t k = 0; k < kinds; ++k) key[k] -= static_cast<State>(taken[k]);
        for (std::size_t s = 0; s < levels_.readers_.size(); ++s)
            key[kinds + s] = TRY(step(levels_.readers_[s], from[kinds + s], level, used, count));
        const bool settled = used + count >= levels_.needed_ && levels_.needed_ < levels_.members_;
        if (!settled && level + 1 < levels_.values_.size()) {
            add(open_, std::move(key), share);
            return Done{};
        }
        for (std::size_t k = 0; k < kinds; ++k) share *= rest_[k][static_cast<std::size_t>(key[k])];
        if (!share.is_zero()) add(done_, Key(key.begin() + static_cast<std::ptrdiff_t>(kinds), key.end()), share);
        return Done{};
    }

    Levels& levels_;
    std::span<const LevelMembers<P>> members_;
    Work& work_;
    std::vector<std::vector<P>> choices_;
    std::vector<std::vector<std::vector<P>>> ways_;
    std::vector<std::vector<P>> rest_;
    Frontier open_;
    Frontier done_;
};

template <Prob P>
Result<Levels::Outcomes<P>> Levels::outcomes(std::span<const LevelMembers<P>> members, Work& work) {
    return Pass<P>(*this, members, work).run();
}

template Result<Levels::Outcomes<Rational>> Levels::outcomes(std::span<const LevelMembers<Rational>>, Work&);
template Result<Levels::Outcomes<LogProb>> Levels::outcomes(std::span<const LevelMembers<LogProb>>, Work&);

}  // namespace credence::rt
