// Sorted values of lists whose members depend on one another: the k-th lowest is v where fewer than k members are below v and at least k
// are below or equal. Both are counts, which are built up along an elimination like any sum; there is one elimination for each value.

#include <algorithm>
#include <unordered_set>

#include "runtime/prob/queries/accumulators.hpp"

namespace credence::rt {

namespace {

constexpr double most_cut_states = 100'000;  // for one threshold

}  // namespace

std::optional<Accumulators::Cut> Accumulators::cut_of(const Carrier& carrier) const {
    if (carrier.kind != Carrier::Kind::list || carrier.statistics.size() != 1) return std::nullopt;
    const ListStatistic& statistic = carrier.statistics[0];
    const std::size_t n = statistic.list.size();
    if (statistic.kind == ListStatistic::Kind::picked) {
        const bool above = n - 1 - statistic.rank < statistic.rank;
        return Cut{above, above ? n - 1 - statistic.rank : statistic.rank, 0, {}};
    }
    if (statistic.kind != ListStatistic::Kind::ranked) return std::nullopt;
    // The sum of the lowest or of the highest so many.
    const auto& weights = statistic.rank_weights;
    const bool above = weights.front() == 0;
    const auto weight = above ? weights.back() : weights.front();
    if (weight != 1 && weight != -1) return std::nullopt;
    const auto summed = static_cast<std::size_t>(std::count(weights.begin(), weights.end(), weight));
    for (std::size_t r = 0; r < n; ++r) {
        const bool counts = (above ? n - 1 - r : r) < summed;
        if (weights[r] != (counts ? weight : 0)) return std::nullopt;
    }
    return Cut{above, summed - 1, static_cast<int>(weight), {}};
}

std::vector<Label> Accumulators::thresholds() const {
    const auto lists = std::count_if(carriers_.begin(), carriers_.end(), [](const Carrier& c) { return c.kind == Carrier::Kind::list; });
    const auto list = std::find_if(carriers_.begin(), carriers_.end(), [](const Carrier& c) { return c.kind == Carrier::Kind::list; });
    const auto cut = lists == 1 ? cut_of(*list) : std::nullopt;
    if (!cut) return {};
    std::unordered_set<std::string_view> seen;
    std::vector<Label> out;
    double least = 0;
    double greatest = 0;
    for (const auto& part : list->parts) {
        for (const auto& value : values_of(part).values) {
            const auto number = value ? as_count(*value) : std::nullopt;
            if (!value || (cut->weight != 0 && (!number || !number->is_exact()))) return {};
            if (number) least = std::min(least, number->real());
            if (number) greatest = std::max(greatest, number->real());
            if (seen.insert(value->text()).second) out.push_back(*value);
        }
    }
    const auto members = static_cast<double>(cut->rank + 1);
    const double states = members * members * (cut->weight == 0 ? 1 : members * (greatest - least + 1));
    return states <= most_cut_states ? out : std::vector<Label>();
}

Accumulators Accumulators::at_threshold(const Label& value) const {
    Accumulators out = *this;
    for (auto& carrier : out.carriers_) {
        carrier.values = {{}};
        carrier.number_of.clear();
        if (carrier.kind != Carrier::Kind::list) continue;
        carrier.cut = cut_of(carrier);
        carrier.cut->threshold = value;
        carrier.kind = Carrier::Kind::beyond;
    }
    out.contribute();
    return out;
}

/// How many are beyond, how many are at the threshold, and the sum of those beyond, of one member.
std::vector<Label> Accumulators::beyond(const Cut& cut, const Label& value) {
    const bool at = value == cut.threshold;
    const bool past = !at && (cut.above ? cut.threshold < value : value < cut.threshold);
    const Label zero = Label::of_number(0);
    return {Label::of_number(past ? 1 : 0), Label::of_number(at ? 1 : 0),
            past && cut.weight != 0 ? Label::of_number(*as_count(value)) : zero};
}

/// What the statistic is; nothing if the threshold is not at its rank.
std::optional<Label> Accumulators::cut_value(const Cut& cut, const std::vector<Label>& state) {
    const Number up_to(Rational(static_cast<std::int64_t>(cut.rank + 1)));
    const Number past = *state[0].number();
    if (past >= up_to || past + *state[1].number() < up_to) return std::nullopt;
    if (cut.weight == 0) return cut.threshold;
    return Label::of_number(Number(cut.weight) * (*state[2].number() + (up_to - past) * *as_count(cut.threshold)));
}

StateId Accumulators::adopted(const Accumulators& branch, StateId state) {
    if (state == broken) return broken_by(*branch.fault_);
    Tuple tuple;
    for (std::size_t c = 0; c < carriers_.size(); ++c) {
        const Carrier& from = branch.carriers_[c];
        const auto& value = from.values[branch.value_in(state, c)];
        if (from.kind != Carrier::Kind::beyond) {
            tuple.push_back(value.empty() ? 0 : number(carriers_[c], value));
            continue;
        }
        auto told = cut_value(*from.cut, value);
        if (!told) return dropped;
        tuple.push_back(number(carriers_[c], {*std::move(told)}));
    }
    if (!several_) return tuple[0];
    const auto [found, fresh] = state_of_tuple_.try_emplace(tuple, static_cast<StateId>(tuples_.size()));
    if (fresh) tuples_.push_back(std::move(tuple));
    return found->second;
}

}  // namespace credence::rt
