#include "runtime/nets/propagation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/core/contains.hpp"
#include "runtime/core/parallel.hpp"

namespace credence::rt {

namespace {

/// From this many entries on a clique is gone through in two halves, which two threads may share. The cut does not depend on
/// how many threads there are, so neither do the bits.
constexpr double large_clique = 100'000;

struct Axis {
    std::size_t size;
    std::size_t stride;
};

/// to[i] = f or to[i] *= f, walking `to` in order and f by the strides of its axes.
template <class Apply>
void walk_axes(std::vector<Axis>& axes, double* to, const double* f, const Apply& apply) {
    // axes that f has side by side, or not at all, are one
    std::size_t count = 0;
    for (const auto& axis : axes) {
        if (axis.size == 1) continue;
        if (count > 0 && axes[count - 1].stride == axis.stride * axis.size) {
            axes[count - 1] = {axes[count - 1].size * axis.size, axis.stride};
            continue;
        }
        axes[count++] = axis;
    }
    const Axis inner = count > 0 ? axes[count - 1] : Axis{1, 0};
    const std::size_t outer = count > 0 ? count - 1 : 0;
    std::size_t value[64] = {};
    assert(outer < 64);
    while (true) {
        for (std::size_t i = 0; i < inner.size; ++i) apply(to[i], f[i * inner.stride]);
        to += inner.size;
        std::size_t at = outer;
        while (at > 0) {
            --at;
            f += axes[at].stride;
            if (++value[at] < axes[at].size) break;
            f -= axes[at].stride * axes[at].size;
            value[at] = 0;
            if (at == 0) return;
        }
        if (outer == 0) return;
    }
}

void divide_message(double* raw, const double* by, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) raw[i] = by[i] > 0 ? raw[i] / by[i] : 0;
}

void scale_message(double* values, double by, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] *= by;
}

/// Beside a largest value of 1: the next product may be too small for a double, or stay at the smallest there is.
bool fades(const double* values, std::size_t n) {
    constexpr double faint = 1e-280;
    bool out = false;
    for (std::size_t i = 0; i < n; ++i) out |= values[i] < faint && values[i] > 0;
    return out;
}

/// A product of many factors entry by entry, as numbers from 1/2 to 1 and powers of two.
class LongProduct {
public:
    explicit LongProduct(std::span<double> values) : values_(values), powers_(values.size(), 0) {}

    void rescale() {
        constexpr double small = 1e-100;
        constexpr double large = 1e100;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (values_[i] == 0 || (values_[i] > small && values_[i] < large)) continue;
            int power = 0;
            values_[i] = std::frexp(values_[i], &power);
            powers_[i] += power;
        }
    }
    /// The largest is from 1 to 2 afterwards: ln of what all were divided by. `faded`: some other has become too small.
    double finish(bool& faded) {
        double high = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < values_.size(); ++i)
            if (values_[i] > 0) high = std::max(high, std::log2(values_[i]) + static_cast<double>(powers_[i]));
        if (std::isinf(high)) return 0;  // all zero
        constexpr std::int64_t least_power = -2000;
        const auto top = static_cast<std::int64_t>(std::floor(high));
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const bool possible = values_[i] > 0;
            values_[i] = std::ldexp(values_[i], static_cast<int>(std::max(powers_[i] - top, least_power)));
            faded = faded || (possible && fades(&values_[i], 1)) || (possible && values_[i] == 0);
        }
        return static_cast<double>(top) * std::log(2.0);
    }

private:
    std::span<double> values_;
    std::vector<std::int64_t> powers_;
};

void normalise(std::span<double> values) {
    const double total = sum_of(values.data(), values.size());
    if (total > 0)
        for (auto& v : values) v /= total;
}

}  // namespace

Propagation::Propagation(JunctionTreePtr tree)
    : tree_(std::move(tree)),
      tables_(tree_->tables_size_),
      up_(tree_->messages_size_),
      down_(tree_->messages_size_),
      marginals_(tree_->marginals_size_),
      family_values_(tree_->families_size_),
      likelihoods_(tree_->marginals_size_, 1),
      observed_(tree_->sizes_.size(), 0),
      state_(tree_->sizes_.size(), -1),
      log_scale_(tree_->cliques_.size(), 0),
      stale_(tree_->cliques_.size(), 1),
      up_faded_(tree_->cliques_.size(), 0),
      silent_(tree_->cliques_.size(), 0),
      evidence_at_(tree_->cliques_.size(), 0) {}

void Propagation::set_tables(std::span<const FactorData> factors) {
    constexpr std::size_t few = 8;
    std::vector<Axis> axes;
    log_constant_ = 0;
    tables_faded_ = false;
    for (const auto& table : tree_->tables_) {
        const auto over = tree_->scope(table);
        double* const to = tables_.data() + table.offset;
        std::optional<LongProduct> product;  // a class with a thousand observed features
        if (table.factors.size() > few) product.emplace(std::span(to, table.entries));
        bool first = true;
        for (const auto f : table.factors) {
            const auto& scope = tree_->scopes_[f];
            axes.clear();
            for (const auto slot : over) {
                const auto at = std::find(scope.begin(), scope.end(), slot);
                axes.push_back(
                    {tree_->sizes_[slot], at == scope.end() ? 0 : factors[f].strides[static_cast<std::size_t>(at - scope.begin())]});
            }
            if (first)
                walk_axes(axes, to, factors[f].base, [](double& a, double b) { a = b; });
            else
                walk_axes(axes, to, factors[f].base, [](double& a, double b) { a *= b; });
            if (product) product->rescale();
            first = false;
        }
        if (product) log_constant_ += product->finish(tables_faded_);
    }
    for (std::size_t f = 0; f < factors.size(); ++f)
        if (tree_->scopes_[f].empty()) log_constant_ += std::log(*factors[f].base);
    std::fill(stale_.begin(), stale_.end(), 1);
}

void Propagation::set_tables(const Net& net) {
    std::vector<FactorData> factors;
    std::vector<std::vector<double>> converted;
    converted.reserve(net.nodes.size());
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        const auto& node = net.nodes[i];
        FactorData data;
        if (const auto* real = std::get_if<std::vector<double>>(&node.table)) {
            data.base = real->data();
        } else {
            auto& values = converted.emplace_back();
            for (const auto& value : std::get<std::vector<Rational>>(node.table)) values.push_back(value.to_double());
            data.base = values.data();
        }
        const auto& scope = tree_->scopes_[i];
        data.strides.assign(scope.size(), 0);
        std::size_t step = 1;
        for (std::size_t k = scope.size(); k-- > 0; step *= tree_->sizes_[scope[k]]) data.strides[k] = step;
        factors.push_back(std::move(data));
    }
    set_tables(factors);
}

void Propagation::evidence_changed(Slot variable) {
    // Above a stale clique all are stale already: many observations in a long chain cost no more than its length.
    for (auto k = tree_->home_[variable]; k >= 0 && !stale_[static_cast<std::size_t>(k)];
         k = tree_->cliques_[static_cast<std::size_t>(k)].parent)
        stale_[static_cast<std::size_t>(k)] = 1;
}

void Propagation::set_state(Slot variable, std::size_t state) {
    const auto value = static_cast<std::int64_t>(state);
    if (tree_->home_[variable] < 0 || state_[variable] == value) return;
    double* own = likelihoods_.data() + tree_->marginal_offset_[variable];
    std::fill_n(own, tree_->sizes_[variable], 0.0);
    own[state] = 1;
    if (!observed_[variable]) ++evidence_at_[static_cast<std::size_t>(tree_->home_[variable])];
    observed_[variable] = 1;
    state_[variable] = value;
    evidence_changed(variable);
}

void Propagation::forget(Slot variable) {
    if (!observed_[variable]) return;
    --evidence_at_[static_cast<std::size_t>(tree_->home_[variable])];
    observed_[variable] = 0;
    state_[variable] = -1;
    evidence_changed(variable);
}

void Propagation::fill_inputs(std::size_t k, SweepSpace& space, Direction direction) const {
    using From = JunctionTree::From;
    const Clique& clique = tree_->cliques_[k];
    space.clear();
    for (std::size_t i = clique.inputs; i < clique.inputs_end; ++i) {
        const auto& input = tree_->inputs_[i];
        switch (input.from) {
            case From::table:
                space.add_input(input.operand, tables_.data() + tree_->tables_[input.index].offset);
                break;
            case From::likelihood:
                if (observed_[input.index]) space.add_input(input.operand, likelihoods_.data() + tree_->marginal_offset_[input.index]);
                break;
            case From::above:
                if (direction == Direction::down) space.add_input(input.operand, down_.data() + clique.message);
                break;
            case From::below:
                if (!silent_[input.index]) space.add_input(input.operand, up_.data() + tree_->cliques_[input.index].message);
                break;
        }
    }
}

/// Known outer variables at home here take that value alone. Elsewhere they are free, so that a message depends on the evidence of its
/// own subtree and nothing else.
void Propagation::fill_ranges(std::size_t k, SweepSpace& space) const {
    const Clique& clique = tree_->cliques_[k];
    const auto members = tree_->members(clique);
    space.from.resize(clique.layout.outer);
    space.to.resize(clique.layout.outer);
    for (std::size_t v = 0; v < clique.layout.outer; ++v) {
        const auto state = tree_->home_[members[v]] == static_cast<std::int32_t>(k) ? state_[members[v]] : -1;
        space.from[v] = state < 0 ? 0 : static_cast<std::uint32_t>(state);
        space.to[v] = state < 0 ? static_cast<std::uint32_t>(tree_->sizes_[members[v]]) : static_cast<std::uint32_t>(state) + 1;
    }
}

void Propagation::sweep_clique(std::size_t k, Direction direction, const Run& run) {
    using To = JunctionTree::To;
    const Clique& clique = tree_->cliques_[k];
    fill_inputs(k, space_, direction);
    fill_ranges(k, space_);
    std::size_t second_size = 0;
    const auto each_output = [&](auto&& visit) {
        for (std::size_t i = clique.outputs; i < clique.outputs_end; ++i) {
            const auto& output = tree_->outputs_[i];
            switch (output.to) {
                case To::above:
                    if (direction == Direction::up) visit(output, up_.data() + clique.message, clique.message_size);
                    break;
                case To::below:
                    if (direction == Direction::down) {
                        const auto& child = tree_->cliques_[output.index];
                        visit(output, down_.data() + child.message, child.message_size);
                    }
                    break;
                case To::marginal:
                    if (direction == Direction::down)
                        visit(output, marginals_.data() + tree_->marginal_offset_[output.index], tree_->sizes_[output.index]);
                    break;
                case To::family:
                    if (direction == Direction::down) {
                        const std::size_t next = output.index + 1 < tree_->family_offset_.size() ? tree_->family_offset_[output.index + 1]
                                                                                                 : tree_->families_size_;
                        visit(output, family_values_.data() + tree_->family_offset_[output.index],
                              next - tree_->family_offset_[output.index]);
                    }
                    break;
            }
        }
    };
    each_output([&](const JunctionTree::Output& output, double* to, std::size_t n) {
        std::fill_n(to, n, 0.0);
        space_.add_output(output.operand, to);
        second_size += n;
    });
    std::size_t cut = 0;  // the first variable that can be cut in two
    while (cut < clique.layout.outer && space_.to[cut] - space_.from[cut] < 2) ++cut;
    if (clique.entries < large_clique || cut == clique.layout.outer) {
        sweep(clique.layout, tree_->numbers_, gather_, space_);
        return;
    }
    // what has the cut variable is written to in different places by the halves; the rest is added up afterwards
    if (second_half_.size() < second_size) second_half_.resize(second_size);
    other_space_.inputs = space_.inputs;
    other_space_.outputs.clear();
    other_space_.from = space_.from;
    other_space_.to = space_.to;
    double* next = second_half_.data();
    each_output([&](const JunctionTree::Output& output, double* to, std::size_t n) {
        const bool apart = tree_->numbers_[output.operand.strides + cut] != 0;
        other_space_.add_output(output.operand, apart ? to : next);
        if (apart) return;
        std::fill_n(next, n, 0.0);
        next += n;
    });
    const std::uint32_t middle = (space_.from[cut] + space_.to[cut]) / 2;
    space_.to[cut] = middle;
    other_space_.from[cut] = middle;
    parallel_chunks(2, 1, run.threads, [&](std::size_t half, std::size_t, std::size_t) {
        sweep(clique.layout, tree_->numbers_, gather_, half == 0 ? space_ : other_space_);
    });
    next = second_half_.data();
    each_output([&](const JunctionTree::Output& output, double* to, std::size_t n) {
        if (tree_->numbers_[output.operand.strides + cut] != 0) return;
        if (gather_ == Gather::sum)
            add_scaled(to, next, 1, n);
        else
            raise_scaled(to, next, 1, n);
        next += n;
    });
}

void Propagation::collect(std::size_t k, const Run& run) {
    const Clique& clique = tree_->cliques_[k];
    silent_[k] = gather_ == Gather::sum && clique.vacuous && evidence_below_[k] == 0;
    log_scale_[k] = silent_[k] ? 0 : log_scale_[k];
    up_faded_[k] = silent_[k] ? 0 : up_faded_[k];
    if (silent_[k] || !stale_[k]) return;
    sweep_clique(k, Direction::up, run);
    double* message = up_.data() + clique.message;
    const double largest = largest_of(message, clique.message_size);
    log_scale_[k] = std::log(largest);
    if (largest > 0) scale_message(message, 1 / largest, clique.message_size);
    up_faded_[k] = fades(message, clique.message_size);
}

bool Propagation::faded() const {
    return tables_faded_ || down_faded_ || std::any_of(up_faded_.begin(), up_faded_.end(), [](char faded) { return faded != 0; });
}

double Propagation::root_total(std::size_t k) const {
    const Clique& root = tree_->cliques_[k];
    const auto gathered = gather_ == Gather::sum ? sum_of : largest_of;
    if (root.end > k + 1) {
        const auto& child = tree_->cliques_[k + 1];
        return gathered(down_.data() + child.message, child.message_size);
    }
    const Slot any = tree_->members(root)[0];  // a clique by itself is the home of all its variables
    return gathered(marginals_.data() + tree_->marginal_offset_[any], tree_->sizes_[any]);
}

void Propagation::distribute(std::size_t k, const Run& run) {
    const Clique& clique = tree_->cliques_[k];
    sweep_clique(k, Direction::down, run);
    if (clique.parent < 0) log_scale_[k] = std::log(root_total(k));
    for (std::size_t child = k + 1; child < clique.end; child = tree_->cliques_[child].end) {
        const Clique& below = tree_->cliques_[child];
        double* message = down_.data() + below.message;
        if (!silent_[child]) divide_message(message, up_.data() + below.message, below.message_size);
        const double largest = largest_of(message, below.message_size);
        if (largest > 0) scale_message(message, 1 / largest, below.message_size);
        down_faded_ = down_faded_ || fades(message, below.message_size);
    }
}

Result<double> Propagation::calibrate(Gather gather, const Run& run) {
    if (gather != gather_) std::fill(stale_.begin(), stale_.end(), 1);
    gather_ = gather;
    const std::size_t n = tree_->cliques_.size();
    constexpr double impossible = -std::numeric_limits<double>::infinity();
    evidence_below_ = evidence_at_;
    for (std::size_t k = n; k-- > 0;) {  // what stands below a clique comes after it
        if (run.stopped()) return stopped_fault();
        if (const auto parent = tree_->cliques_[k].parent; parent >= 0) {
            collect(k, run);
            evidence_below_[static_cast<std::size_t>(parent)] += evidence_below_[k];
        }
        stale_[k] = 0;
        if (log_scale_[k] == impossible && tree_->cliques_[k].parent >= 0) {
            std::fill(stale_.begin(), stale_.end(), 1);
            return impossible;
        }
    }
    double log_total = log_constant_;
    down_faded_ = false;
    for (std::size_t k = 0; k < n; ++k) {
        if (run.stopped()) return stopped_fault();
        distribute(k, run);
    }
    // A message that is 1 and was never made is 1 with all that stands below it: their scales went into nothing.
    for (std::size_t k = 0; k < n; k = silent_[k] ? tree_->cliques_[k].end : k + 1) log_total += log_scale_[k];
    return log_total;
}

void Propagation::marginal(Slot variable, std::span<double> out) const {
    std::copy_n(marginals_.data() + tree_->marginal_offset_[variable], tree_->sizes_[variable], out.begin());
    normalise(out);
}

void Propagation::family(std::size_t factor, std::span<double> out) const {
    const auto& scope = tree_->scopes_[factor];
    const auto members = tree_->members(tree_->cliques_[tree_->factor_clique_[factor]]);
    std::vector<Axis> axes(scope.size());
    std::size_t step = 1;
    for (std::size_t i = members.size(); i-- > 0;) {
        const auto at = std::find(scope.begin(), scope.end(), members[i]);
        if (at == scope.end()) continue;
        axes[static_cast<std::size_t>(at - scope.begin())] = {tree_->sizes_[*at], step};
        step *= tree_->sizes_[*at];
    }
    walk_axes(axes, out.data(), family_values_.data() + tree_->family_offset_[factor], [](double& a, double b) { a = b; });
    normalise(out);
}

void Propagation::joint(std::span<const Slot> variables, std::span<double> out) const {
    const auto k = static_cast<std::size_t>(tree_->clique_with(variables));
    const Clique& clique = tree_->cliques_[k];
    const auto members = tree_->members(clique);
    std::vector<char> has(members.size(), 0);
    for (std::size_t i = 0; i < members.size(); ++i) has[i] = contains(variables, members[i]);
    // the operand is not one of the tree's: its numbers follow a copy of those that the tree's operands need
    Numbers numbers = tree_->numbers_;
    const Operand operand = operand_of(clique.layout, members, has, tree_->sizes_, numbers);
    std::vector<double> values(out.size(), 0.0);
    SweepSpace space;
    fill_inputs(k, space, clique.parent < 0 ? Direction::up : Direction::down);
    fill_ranges(k, space);
    space.add_output(operand, values.data());
    sweep(clique.layout, numbers, Gather::sum, space);
    std::vector<Axis> axes(variables.size());
    std::size_t step = 1;
    for (std::size_t i = members.size(); i-- > 0;) {
        const auto at = std::find(variables.begin(), variables.end(), members[i]);
        if (at == variables.end()) continue;
        axes[static_cast<std::size_t>(at - variables.begin())] = {tree_->sizes_[*at], step};
        step *= tree_->sizes_[*at];
    }
    walk_axes(axes, out.data(), values.data(), [](double& a, double b) { a = b; });
    normalise(out);
}

}  // namespace credence::rt
