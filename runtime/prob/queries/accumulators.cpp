#include "runtime/prob/queries/accumulators.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::rt {

namespace {

constexpr double most_local = 4096;       // configurations of what could be built up part by part
constexpr double most_at_once = 200'000;  // of what cannot
constexpr double most_states = 20'000'000;

std::vector<Slot> slots_of(const Quantity& quantity) {
    std::vector<Slot> out;
    for (const auto v : variables_of(quantity)) out.push_back(static_cast<Slot>(index(v)));
    return out;
}

double cases_of(std::span<const Slot> scope, const Variables& variables) {
    double out = 1;
    for (const auto slot : scope) out *= static_cast<double>(variables[slot].variable.size());
    return out;
}

/// Whether there is something in it that can be built up part by part.
bool is_built_up(const Quantity& quantity) {
    if (quantity.kind == Quantity::Kind::function)
        return std::any_of(quantity.parts.begin(), quantity.parts.end(), [](const QuantityPtr& part) { return is_built_up(*part); });
    return quantity.kind != Quantity::Kind::variable && quantity.kind != Quantity::Kind::constant;
}

/// What a label counts in a sum, if that is a whole number.
std::optional<std::int64_t> whole_number(const Label& label) {
    const auto count = as_count(label);
    return count && count->is_exact() ? count->exact().to_int64() : std::nullopt;
}

/// n over k, as far as a double goes.
double choices(double n, double k) { return std::exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)); }

}  // namespace

/// Whether a quantity is worked out by going through the configurations of its variables.
bool Accumulators::is_local(const Quantity& quantity) const {
    if (at_once_) return cases_of(slots_of(quantity), *variables_) <= most_at_once;
    if (quantity.kind == Quantity::Kind::order || quantity.kind == Quantity::Kind::distinct) return false;
    return cases_of(slots_of(quantity), *variables_) <= (is_built_up(quantity) ? most_local : most_at_once);
}

bool Accumulators::all_local(const std::vector<QuantityPtr>& parts) const {
    return std::all_of(parts.begin(), parts.end(), [&](const QuantityPtr& part) { return is_local(*part); });
}

void Accumulators::carry_as(const QuantityPtr& quantity, Carrier carrier) {
    carrier_of_[quantity.get()] = carriers_.size();
    carriers_.push_back(std::move(carrier));
}

/// Finds what has to be carried so that the quantity is known at the end.
void Accumulators::carry(const QuantityPtr& quantity) {
    if (quantity->kind == Quantity::Kind::constant || carrier_of_.contains(quantity.get())) return;
    if (const auto other = rewritten_.find(quantity.get()); other != rewritten_.end()) {
        const auto pieces = other->second->parts;
        for (const auto& piece : pieces) carry(piece);
        return;
    }
    if (is_local(*quantity)) return carry_as(quantity, {.kind = Carrier::Kind::single, .parts = {quantity}});
    if (lists_) {
        if (auto other = pairs_as_distinct(*quantity); other && all_local(other->parts[0]->parts)) {
            rewritten_[quantity.get()] = other;
            return carry(other->parts[0]);
        }
        if (carry_list(quantity)) return;
    }
    const bool parts_are_local = all_local(quantity->parts);
    if (quantity->kind == Quantity::Kind::order && parts_are_local) return carry_sorted(quantity);
    if (quantity->kind == Quantity::Kind::distinct && parts_are_local)
        return carry_as(quantity, {.kind = Carrier::Kind::seen, .parts = quantity->parts});
    if (quantity->kind == Quantity::Kind::fold) {
        if (parts_are_local)
            return carry_as(quantity, {.kind = Carrier::Kind::fold, .fold = quantity->fold, .parts = quantity->parts, .whole = quantity});
        if (carry_grouped(quantity)) return;
    }
    for (const auto& part : quantity->parts) carry(part);
}

/// All statistics of one list share a carrier.
bool Accumulators::carry_list(const QuantityPtr& quantity) {
    auto statistic = list_statistic(quantity);
    if (!statistic || !all_local(statistic->list)) return false;
    carry_statistic(quantity, *std::move(statistic));
    return true;
}

void Accumulators::carry_statistic(const QuantityPtr& quantity, ListStatistic statistic) {
    std::size_t at = 0;
    while (at < carriers_.size() && (carriers_[at].kind != Carrier::Kind::list || carriers_[at].parts != statistic.list)) ++at;
    if (at == carriers_.size()) carriers_.push_back({.kind = Carrier::Kind::list, .parts = statistic.list});
    carrier_of_[quantity.get()] = at;
    statistic_of_[quantity.get()] = carriers_[at].statistics.size();
    carriers_[at].statistics.push_back(std::move(statistic));
}

/// A sum of all members of a list of which something else is asked is a statistic of that list as well: all ranks count alike.
void Accumulators::carry_all() {
    for (const auto& one : quantities_) carry(one.quantity);
    std::vector<std::pair<QuantityPtr, ListStatistic>> sums;
    for (const auto& fold : carriers_) {
        const bool shared = std::any_of(carriers_.begin(), carriers_.end(),
                                        [&](const Carrier& list) { return list.kind == Carrier::Kind::list && list.parts == fold.parts; });
        if (!shared || fold.kind != Carrier::Kind::fold || fold.fold != Fold::sum) continue;
        sums.emplace_back(fold.whole, ListStatistic{.kind = ListStatistic::Kind::ranked,
                                                    .list = fold.parts,
                                                    .rank_weights = std::vector<std::int64_t>(fold.parts.size(), 1)});
    }
    if (sums.empty()) return;
    carriers_.clear();
    carrier_of_.clear();
    statistic_of_.clear();
    for (auto& [quantity, statistic] : sums) carry_statistic(quantity, std::move(statistic));
    for (const auto& one : quantities_) carry(one.quantity);
}

/// All ranks of one list share a carrier, which keeps the lowest or the highest values as far as a rank needs them.
void Accumulators::carry_sorted(const QuantityPtr& quantity) {
    const std::size_t n = quantity->parts.size();
    const std::size_t low = quantity->rank + 1;
    const std::size_t high = n - quantity->rank;
    for (auto& carrier : carriers_) {
        if (carrier.kind != Carrier::Kind::lowest || carrier.parts != quantity->parts) continue;
        // `kept` is how many of the lowest are needed, `of` how many of the highest, until contribute() decides.
        carrier.kept = std::max(carrier.kept, low);
        carrier.of = std::max(carrier.of, high);
        carrier_of_[quantity.get()] = static_cast<std::size_t>(&carrier - carriers_.data());
        return;
    }
    carry_as(quantity, {.kind = Carrier::Kind::lowest, .kept = low, .of = high, .parts = quantity->parts});
}

/// A fold of which some parts belong together: those that are worked out at once, and the sorted values of one list. They become folds
/// of their own.
bool Accumulators::carry_grouped(const QuantityPtr& quantity) {
    std::vector<std::vector<QuantityPtr>> groups(1);  // the first: of local parts
    std::vector<const std::vector<QuantityPtr>*> lists{nullptr};
    std::vector<QuantityPtr> pieces;
    for (const auto& part : quantity->parts) {
        const auto sorted = lists_ && quantity->fold == Fold::sum ? sorted_term(*part) : std::nullopt;
        if (is_local(*part)) {
            groups[0].push_back(part);
        } else if (sorted) {
            std::size_t g = 1;
            while (g < groups.size() && *lists[g] != sorted->order->parts) ++g;
            if (g == groups.size()) {
                groups.emplace_back();
                lists.push_back(&sorted->order->parts);
            }
            groups[g].push_back(part);
        } else {
            pieces.push_back(part);
        }
    }
    if (std::all_of(groups.begin(), groups.end(), [](const auto& group) { return group.size() < 2; })) return false;
    // Not through fold_quantity, which would flatten it again.
    const auto folded = [&](std::vector<QuantityPtr> parts) {
        return std::make_shared<const Quantity>(Quantity{.kind = Quantity::Kind::fold, .parts = std::move(parts), .fold = quantity->fold});
    };
    for (auto& group : groups) {
        if (group.size() > 1)
            pieces.push_back(folded(std::move(group)));
        else
            pieces.insert(pieces.end(), group.begin(), group.end());
    }
    rewritten_[quantity.get()] = folded(pieces);
    for (const auto& piece : pieces) carry(piece);
    return true;
}

/// The values of all parts, in each configuration of the variables that they depend on.
Status Accumulators::work_out(const Run& run) {
    for (const auto& carrier : carriers_) {
        for (const auto& part : carrier.parts) {
            if (run.stopped()) return stopped_fault();
            if (part_values_.contains(part.get())) continue;
            PartValues out{slots_of(*part), {}, {}};
            const auto n = static_cast<std::size_t>(cases_of(out.scope, *variables_));
            out.values.reserve(n);
            std::vector<std::size_t> at(out.scope.size(), 0);
            Evaluation evaluation(*part);
            for (std::size_t i = 0; i < n; ++i) {
                const auto value_here = [&](VarId v) {
                    const auto k = std::lower_bound(out.scope.begin(), out.scope.end(), index(v)) - out.scope.begin();
                    return (*(*variables_)[index(v)].variable.domain)[at[static_cast<std::size_t>(k)]];
                };
                auto value = evaluation.at(value_here);
                if (!value && !out.fault) out.fault = with_case(value.fault(), *part, *variables_, value_here);
                out.values.push_back(value ? std::optional(*std::move(value)) : std::nullopt);
                for (std::size_t k = at.size(); k-- > 0;) {
                    if (++at[k] < (*variables_)[out.scope[k]].variable.size()) break;
                    at[k] = 0;
                }
            }
            part_values_.emplace(part.get(), std::move(out));
        }
        if (std::any_of(carrier.parts.begin(), carrier.parts.end(), [&](const auto& part) { return has_numbers(values_of(part).values); }))
            for (const auto& part : carrier.parts) count_truths(part_values_.at(part.get()).values);
    }
    return Done{};
}

/// How many values a fold can have, at most.
double Accumulators::expected_states(const Carrier& carrier) const {
    double all = 1;     // one for each configuration of its parts' values
    double widest = 1;  // distinct values of one part
    double span = 1;    // of a sum of whole numbers: from the least to the greatest
    bool whole = carrier.kind == Carrier::Kind::fold && carrier.fold == Fold::sum;
    bool alike = true;  // all parts have the same values, so that only how often each occurs matters
    DomainPtr common;
    std::vector<Label> everywhere;
    for (const auto& part : carrier.parts) {
        std::vector<Label> values;
        double least = 0;
        double greatest = 0;
        for (const auto& value : values_of(part).values) {
            if (!value) continue;
            const auto number = value->number();
            const bool integer = number && number->is_exact() && number->exact().is_integer();
            whole = whole && (integer || value->text() == "true" || value->text() == "false");
            const double x = integer ? number->real() : value->text() == "true" ? 1 : 0;
            least = values.empty() ? x : std::min(least, x);
            greatest = values.empty() ? x : std::max(greatest, x);
            values.push_back(*value);
        }
        const auto domain = domain_of_values(std::move(values));
        alike = alike && (!common || *common == *domain);
        if (!common || !alike) everywhere.insert(everywhere.end(), domain->labels().begin(), domain->labels().end());
        common = domain;
        const auto distinct = static_cast<double>(domain->size());
        all *= std::max(1.0, distinct);
        widest = std::max(widest, distinct);
        span += greatest - least;
    }
    const auto parts = static_cast<double>(carrier.parts.size());
    const auto different = static_cast<double>(domain_of_values(std::move(everywhere))->size());
    switch (carrier.kind) {
        case Carrier::Kind::single:
            return all;
        case Carrier::Kind::fold:
            if (whole) return std::min(all, span);
            if (carrier.fold != Fold::sum && carrier.fold != Fold::product) return parts * widest;
            return alike ? std::min(all, choices(parts + widest, widest)) : all;
        case Carrier::Kind::lowest:
        case Carrier::Kind::highest:  // a state is a whole list here
            return std::min(all, choices(static_cast<double>(carrier.kept) + different - 1, different - 1)) * 50;
        case Carrier::Kind::seen:
            return std::min(all, different <= parts ? std::exp2(different) : parts * choices(different, parts)) * 50;
        case Carrier::Kind::list:
        case Carrier::Kind::beyond:
            return 1;  // counted elsewhere
    }
    return all;
}

std::uint32_t Accumulators::number(Carrier& carrier, std::vector<Label> value) {
    std::string key;
    for (const auto& label : value) key += label.text() + '\x1f';
    const auto [found, fresh] = carrier.number_of.try_emplace(std::move(key), static_cast<std::uint32_t>(carrier.values.size()));
    if (fresh) carrier.values.push_back(std::move(value));
    return found->second;
}

std::uint32_t Accumulators::broken_by(Fault fault) {
    if (!fault_) fault_ = std::move(fault);
    return broken;
}

std::uint32_t Accumulators::combine_in(Carrier& carrier, std::uint32_t a, std::uint32_t b) {
    if (a == 0) return b;
    if (b == 0) return a;
    std::uint32_t out = broken;
    if (carrier.kind == Carrier::Kind::fold) {
        auto value = fold_step(carrier.fold, carrier.values[a][0], carrier.values[b][0]);
        out = value ? number(carrier, {*std::move(value)}) : broken_by(std::move(value).fault());
    } else if (carrier.kind == Carrier::Kind::beyond) {
        std::vector<Label> sums;
        for (std::size_t k = 0; k < carrier.values[a].size(); ++k)
            sums.push_back(Label::of_number(*carrier.values[a][k].number() + *carrier.values[b][k].number()));
        const Number most(Rational(static_cast<std::int64_t>(carrier.cut->rank + 1)));
        if (*sums[0].number() >= most) return dropped;
        if (*sums[1].number() > most) sums[1] = Label::of_number(most);
        out = number(carrier, std::move(sums));
    } else if (carrier.kind == Carrier::Kind::seen) {
        std::vector<Label> merged;
        std::set_union(carrier.values[a].begin(), carrier.values[a].end(), carrier.values[b].begin(), carrier.values[b].end(),
                       std::back_inserter(merged));
        out = number(carrier, std::move(merged));
    } else {
        std::vector<Label> merged;
        std::merge(carrier.values[a].begin(), carrier.values[a].end(), carrier.values[b].begin(), carrier.values[b].end(),
                   std::back_inserter(merged));
        if (merged.size() > carrier.kept) {
            const auto extra = static_cast<std::ptrdiff_t>(merged.size() - carrier.kept);
            if (carrier.kind == Carrier::Kind::lowest)
                merged.erase(merged.end() - extra, merged.end());
            else
                merged.erase(merged.begin(), merged.begin() + extra);
        }
        out = number(carrier, std::move(merged));
    }
    return out;
}

StateId Accumulators::state_of(std::size_t carrier, std::uint32_t value) {
    if (!several_ || value == broken) return value;
    Tuple tuple(carriers_.size(), 0);
    tuple[carrier] = value;
    const auto [found, fresh] = state_of_tuple_.try_emplace(tuple, static_cast<StateId>(tuples_.size()));
    if (fresh) tuples_.push_back(std::move(tuple));
    return found->second;
}

std::uint32_t Accumulators::value_in(StateId state, std::size_t carrier) const {
    if (zero_ && state != start) return 1 + (state - 1) / strides_[carrier] % static_cast<StateId>(carriers_[carrier].values.size() - 1);
    return several_ ? tuples_[state][carrier] : state;
}

StateId Accumulators::combine_first(StateId a, StateId b) {
    if (a == broken || b == broken) return broken;
    const StateId out = combine_states(a, b);
    if (rows_.size() <= a) rows_.resize(a + 1);
    if (rows_[a].size() <= b) rows_[a].resize(b + 1, unknown);
    return rows_[a][b] = out;
}

StateId Accumulators::combine_states(StateId a, StateId b) {
    if (!several_) return combine_in(carriers_[0], a, b);
    if (a == start) return b;
    if (b == start) return a;
    Tuple tuple(carriers_.size());
    for (std::size_t c = 0; c < carriers_.size(); ++c) {
        tuple[c] = combine_in(carriers_[c], tuples_[a][c], tuples_[b][c]);
        if (tuple[c] == broken || tuple[c] == dropped) return tuple[c];
    }
    const auto [found, fresh] = state_of_tuple_.try_emplace(tuple, static_cast<StateId>(tuples_.size()));
    if (fresh) tuples_.push_back(std::move(tuple));
    return found->second;
}

void Accumulators::begin() {
    several_ = carriers_.size() != 1;
    tuples_ = {Tuple(carriers_.size(), 0)};
    state_of_tuple_ = {{tuples_[0], start}};
    rows_.clear();
    zero_.reset();
    strides_.clear();
    contributions_.clear();
}

/// Sums of whole numbers that lie close together: the states are all combinations of numbers from the least to the greatest of each sum,
/// in order, so that states add as the sums do.
void Accumulators::number_sums() {
    constexpr double sparse = 4;  // numbers in the range for one value of a part
    constexpr double most_dense = 4'000'000;
    constexpr std::int64_t far = 1 << 24;  // from 0
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    double all = 1;
    for (const auto& carrier : carriers_) {
        if (carrier.kind != Carrier::Kind::fold || carrier.fold != Fold::sum) return;
        auto& [least, greatest] = ranges.emplace_back(0, 0);
        double values = 64;
        for (const auto& part : carrier.parts) {
            std::int64_t low = 0;
            std::int64_t high = 0;
            for (const auto& value : values_of(part).values) {
                const auto whole = value ? whole_number(*value) : std::nullopt;
                if (!whole || std::abs(*whole) > far) return;
                low = std::min(low, *whole);
                high = std::max(high, *whole);
            }
            values += static_cast<double>(values_of(part).values.size());
            least += low;
            greatest += high;
        }
        const auto span = static_cast<double>(greatest - least);
        all *= span + 1;
        if (span > sparse * values || all > most_dense) return;
    }
    StateId stride = 1;
    StateId zero = 1;
    for (std::size_t c = 0; c < carriers_.size(); ++c) {
        const auto [least, greatest] = ranges[c];
        auto& known = carriers_[c].values;
        known.resize(1);
        for (std::int64_t v = least; v <= greatest; ++v) known.push_back({Label::of_number(Rational(v))});
        strides_.push_back(stride);
        zero += stride * static_cast<StateId>(-least);
        stride *= static_cast<StateId>(greatest - least + 1);
    }
    if (!carriers_.empty()) zero_ = zero;
}

void Accumulators::contribute() {
    begin();
    number_sums();
    for (std::size_t c = 0; c < carriers_.size(); ++c) {
        Carrier& carrier = carriers_[c];
        if (carrier.kind == Carrier::Kind::lowest) {
            const std::size_t low = carrier.kept;
            const std::size_t high = carrier.of;
            if (high < low) carrier.kind = Carrier::Kind::highest;
            carrier.kept = std::min(low, high);
            carrier.of = carrier.parts.size();
        }
        const auto start_value = carrier.kind == Carrier::Kind::fold ? fold_start(carrier.fold) : std::nullopt;
        for (const auto& part : carrier.parts) {
            const PartValues& known = values_of(part);
            Contribution out{known.scope, {}, c};
            out.states.reserve(known.values.size());
            for (const auto& value : known.values) {
                if (zero_) {
                    out.states.push_back(static_cast<StateId>(*zero_ + *whole_number(*value) * strides_[c]));
                    continue;
                }
                auto first = !value        ? Result<Label>(*known.fault)
                             : start_value ? fold_step(carrier.fold, *start_value, *value)
                                           : Result<Label>(*value);
                if (!first)
                    out.states.push_back(broken_by(std::move(first).fault()));
                else if (carrier.kind == Carrier::Kind::beyond)
                    out.states.push_back(state_of(c, number(carrier, beyond(*carrier.cut, *first))));
                else
                    out.states.push_back(state_of(c, number(carrier, {*std::move(first)})));
            }
            contributions_.push_back(std::move(out));
        }
    }
    if (!carriers_.empty()) rank_states();
}

/// The greatest or least of many never has a value that no part has, so all states are known once the parts are.
void Accumulators::rank_states() {
    ranks_.clear();
    const Carrier& carrier = carriers_[0];
    if (several_ || carrier.kind != Carrier::Kind::fold || (carrier.fold != Fold::greatest && carrier.fold != Fold::least)) return;
    std::vector<std::uint32_t> order;
    for (std::uint32_t v = 1; v < carrier.values.size(); ++v) {
        if (!as_count(carrier.values[v][0])) return;
        order.push_back(v);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto x = *as_count(carrier.values[a][0]);
        const auto y = *as_count(carrier.values[b][0]);
        return carrier.fold == Fold::greatest ? x < y : y < x;
    });
    ranks_.assign(carrier.values.size(), 0);
    for (std::uint32_t k = 0; k < order.size(); ++k) ranks_[order[k]] = k + 1;
}

Result<Accumulators> Accumulators::make(std::span<const NamedQuantity> quantities, const Variables& variables, const Run& run, bool lists) {
    auto out = attempt(quantities, variables, run, lists, false);
    if (out || out.fault().code != "E-COST") return out;
    // What is hard to build up may still have few cases: the patterns of five dice are 7,776 throws.
    const bool few = std::all_of(quantities.begin(), quantities.end(), [&](const NamedQuantity& named) {
        return cases_of(slots_of(*named.quantity), variables) <= most_at_once;
    });
    return few ? attempt(quantities, variables, run, lists, true) : std::move(out);
}

Result<Accumulators> Accumulators::attempt(std::span<const NamedQuantity> quantities, const Variables& variables, const Run& run,
                                           bool lists, bool at_once) {
    Accumulators out;
    out.variables_ = &variables;
    out.lists_ = lists;
    out.at_once_ = at_once;
    out.quantities_.assign(quantities.begin(), quantities.end());
    out.carry_all();
    TRY(out.work_out(run));
    double states = 1;
    for (auto& carrier : out.carriers_) {
        Carrier shape = carrier;
        shape.kept = carrier.kind == Carrier::Kind::lowest ? std::min(carrier.kept, carrier.of) : carrier.kept;
        states *= out.expected_states(shape);
    }
    if (states > most_states)
        return Fault{.code = "E-COST",
                     .message = fmt::format("this quantity has about {:.2g} different states", states),
                     .label = fmt::format("the limit is {:.2g}", most_states),
                     .hint = "ask for less at once, or sample: sample n from the model, and count"};
    out.contribute();
    return out;
}

Status Accumulators::leave_lists(const Run& run) {
    auto other = TRY(make(quantities_, *variables_, run, false));
    *this = std::move(other);
    return Done{};
}

bool Accumulators::has_lists() const {
    return std::any_of(carriers_.begin(), carriers_.end(), [](const Carrier& carrier) { return carrier.kind == Carrier::Kind::list; });
}

std::optional<Levels> Accumulators::levels(std::size_t carrier) const {
    std::vector<Label> values;
    std::unordered_set<std::string_view> seen;
    for (const auto& part : carriers_[carrier].parts) {
        for (const auto& value : values_of(part).values) {
            if (!value) return std::nullopt;
            if (seen.insert(value->text()).second) values.push_back(*value);
        }
    }
    return Levels::make(carriers_[carrier].statistics, std::move(values));
}

Result<Label> Accumulators::value_of(const Quantity& quantity, StateId state) const {
    if (quantity.kind == Quantity::Kind::constant) return quantity.constant;
    if (const auto found = carrier_of_.find(&quantity); found != carrier_of_.end()) {
        const Carrier& carrier = carriers_[found->second];
        const auto& value = carrier.values[value_in(state, found->second)];
        switch (carrier.kind) {
            case Carrier::Kind::lowest:
                return value[quantity.rank];
            case Carrier::Kind::highest:
                return value[quantity.rank - (carrier.of - carrier.kept)];
            case Carrier::Kind::seen:
                return Label::of_number(Rational(static_cast<std::int64_t>(value.size())));
            case Carrier::Kind::list:
                return value[statistic_of_.at(&quantity)];
            case Carrier::Kind::single:
            case Carrier::Kind::fold:
            case Carrier::Kind::beyond:
                return value[0];
        }
    }
    if (const auto found = rewritten_.find(&quantity); found != rewritten_.end()) return value_of(*found->second, state);
    return combined(quantity, [&](std::size_t i) { return value_of(*quantity.parts[i], state); });
}

Result<std::vector<Label>> Accumulators::values(StateId state) const {
    std::vector<Label> out;
    for (const auto& one : quantities_) {
        auto value = TRY(value_of(*one.quantity, state));
        out.push_back(std::move(value));
    }
    return out;
}

}  // namespace credence::rt
