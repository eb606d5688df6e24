#include "runtime/nets/search/marginal_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/nets/triangulate.hpp"

namespace credence::rt {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Elimination of all variables one after the other, each by its own sum or maximum, in whatever order keeps the tables small. Where a
/// maximum is taken below a sum, the result is an upper bound: sums of maxima are larger than maxima of sums. What is known is told by
/// the variable, and only the way from its bucket to the root is computed again.
class MixedElimination {
public:
    MixedElimination(const Sizes& sizes, std::span<const WeightTable> tables, const std::vector<char>& maximised) : sizes_(sizes) {
        std::vector<std::vector<Slot>> scopes;
        for (const auto& t : tables) scopes.emplace_back(t.variables.begin(), t.variables.end());
        const Triangulation found = triangulate(scopes, sizes);
        bucket_of_.assign(sizes.size(), none);
        for (std::size_t i = 0; i < found.order.size(); ++i) {
            const auto members = found.members(i);
            Bucket b;
            b.variable = members.back();
            b.separator.assign(members.begin(), members.end() - 1);
            b.maximises = maximised[b.variable] != 0;
            b.entries = table_size(b.separator, sizes);
            b.parent = b.separator.empty() ? none : found.position[b.separator.back()];
            largest = std::max(largest, b.entries * static_cast<double>(sizes[b.variable]));
            bucket_of_[b.variable] = buckets_.size();
            buckets_.push_back(std::move(b));
        }
        for (std::size_t i = buckets_.size(); i-- > 0;) {  // parents come first
            auto& b = buckets_[i];
            b.below_sum = b.parent != none && (buckets_[b.parent].below_sum || !buckets_[b.parent].maximises);
        }
        for (const auto& t : tables) {
            if (t.variables.empty()) {
                constant_ += std::log(t.weights[0]);
                continue;
            }
            std::size_t first = none;
            for (const auto v : t.variables) first = std::min(first, bucket_of_[v]);
            add_input(buckets_[first], t.variables, t.weights.data());
        }
    }

    double largest = 1;  ///< entries of a bucket
    double effort = 0;

    /// The variables that are to be maximised but lie below a sum, nearest to the root first. Until all of them are known, the result is
    /// only a bound; then it is the maximum.
    std::vector<Slot> to_branch_on() const {
        std::vector<Slot> out;
        for (std::size_t i = buckets_.size(); i-- > 0;)
            if (buckets_[i].maximises && buckets_[i].below_sum) out.push_back(buckets_[i].variable);
        return out;
    }

    void compute_all() {
        for (auto& b : buckets_) b.message.resize(static_cast<std::size_t>(b.entries));
        for (std::size_t i = 0; i < buckets_.size(); ++i)
            if (buckets_[i].parent != none) add_input(buckets_[buckets_[i].parent], buckets_[i].separator, buckets_[i].message.data());
        for (auto& b : buckets_) compute(b);
    }
    void set(Slot variable, std::int64_t value) {
        known(variable) = value;
        for (std::size_t i = bucket_of_[variable]; i != none; i = buckets_[i].parent) compute(buckets_[i]);
    }
    double log_total() const {
        double out = constant_;
        for (const auto& b : buckets_) out += b.log_scale;
        return out;
    }
    /// The values that the maximum is at, once there is nothing left to branch on.
    void read_off(std::vector<std::uint32_t>& values) const {
        for (std::size_t i = buckets_.size(); i-- > 0;) {
            const auto& b = buckets_[i];
            if (!b.maximises) continue;
            if (b.known >= 0) {
                values[b.variable] = static_cast<std::uint32_t>(b.known);
                continue;
            }
            std::vector<std::size_t> at(b.inputs.size(), 0);
            for (std::size_t f = 0; f < b.inputs.size(); ++f)
                for (std::size_t k = 0; k < b.separator.size(); ++k) at[f] += b.inputs[f].strides[k] * values[b.separator[k]];
            double best = -1;
            for (std::uint32_t a = 0; a < sizes_[b.variable]; ++a) {
                const double weight = product(b, at, a);
                if (weight <= best) continue;
                best = weight;
                values[b.variable] = a;
            }
        }
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct Input {
        const double* values;
        std::vector<std::size_t> strides;  // by variable of the separator
        std::size_t own;                   // of the bucket's variable
    };
    struct Bucket {
        Slot variable = 0;
        std::vector<Slot> separator;
        bool maximises = false;
        bool below_sum = false;  // a sum is taken on the way to the root
        double entries = 1;
        std::size_t parent = none;
        std::int64_t known = -1;
        std::vector<Input> inputs;
        std::vector<double> message;
        double log_scale = 0;
    };

    std::int64_t& known(Slot variable) { return buckets_[bucket_of_[variable]].known; }

    void add_input(Bucket& b, std::span<const Slot> scope, const double* values) {
        Input input{values, strides_in(scope, b.separator, sizes_), strides_in(scope, std::vector<Slot>{b.variable}, sizes_)[0]};
        b.inputs.push_back(std::move(input));
    }

    static double product(const Bucket& b, std::span<const std::size_t> at, std::size_t own) {
        double out = 1;
        for (std::size_t f = 0; f < b.inputs.size(); ++f) out *= b.inputs[f].values[at[f] + b.inputs[f].own * own];
        return out;
    }

    void compute(Bucket& b) {
        const std::size_t from = b.known >= 0 ? static_cast<std::size_t>(b.known) : 0;
        const std::size_t to = b.known >= 0 ? from + 1 : sizes_[b.variable];
        effort += b.entries * static_cast<double>((to - from) * b.inputs.size());
        std::vector<std::size_t> at(b.inputs.size(), 0);
        std::vector<std::size_t> value(b.separator.size(), 0);
        double high = 0;
        for (auto& entry : b.message) {
            entry = 0;
            for (std::size_t a = from; a < to; ++a) {
                const double weight = product(b, at, a);
                entry = b.maximises ? std::max(entry, weight) : entry + weight;
            }
            high = std::max(high, entry);
            for (std::size_t k = value.size(); k-- > 0;) {
                const bool carry = ++value[k] == sizes_[b.separator[k]];
                for (std::size_t f = 0; f < at.size(); ++f) {
                    at[f] += b.inputs[f].strides[k];
                    if (carry) at[f] -= b.inputs[f].strides[k] * value[k];
                }
                if (!carry) break;
                value[k] = 0;
            }
        }
        b.log_scale = std::log(high);
        if (high > 0)
            for (auto& entry : b.message) entry /= high;
    }

    const Sizes& sizes_;
    std::vector<Bucket> buckets_;  // in the order of elimination
    std::vector<std::size_t> bucket_of_;
    double constant_ = 0;
};

class MapSearch {
public:
    MapSearch(MixedElimination& elimination, const Sizes& sizes, const MapLimits& limits)
        : elimination_(elimination), sizes_(sizes), limits_(limits), order_(elimination.to_branch_on()) {}

    MapResult run() {
        out_.values.assign(sizes_.size(), 0);
        out_.log_weight = impossible;
        out_.branched = order_.size();
        elimination_.compute_all();
        out_.log_bound = descend(0, elimination_.log_total());
        out_.proved = !cut_short_;
        out_.log_bound = out_.proved ? out_.log_weight : std::max(out_.log_bound, out_.log_weight);
        return std::move(out_);
    }

private:
    bool worth(double bound) const { return bound > out_.log_weight + std::max(limits_.gap, rounding); }

    /// The best bound of what was left out below this node; minus infinity if nothing was.
    double descend(std::size_t depth, double bound) {
        ++out_.nodes;
        if (!worth(bound)) return limits_.gap > 0 && bound > out_.log_weight ? left_out(bound) : impossible;
        if (depth == order_.size()) {
            out_.found = true;
            out_.log_weight = bound;
            elimination_.read_off(out_.values);
            return impossible;
        }
        if (given_up()) return left_out(bound);
        const Slot variable = order_[depth];
        std::vector<std::pair<double, std::uint32_t>> children;
        for (std::uint32_t a = 0; a < sizes_[variable]; ++a) {
            elimination_.set(variable, a);
            children.emplace_back(elimination_.log_total(), a);
        }
        std::stable_sort(children.begin(), children.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        double left = impossible;
        for (const auto& [weight, a] : children) {
            if (weight == impossible) break;
            elimination_.set(variable, a);
            left = std::max(left, descend(depth + 1, weight));
        }
        elimination_.set(variable, -1);
        return left;
    }

    double left_out(double bound) {
        cut_short_ = true;
        return bound;
    }

    bool given_up() const {
        if (limits_.progress && limits_.nodes > 0)
            limits_.progress({.name = "branch and bound",
                              .done = std::min(out_.nodes, limits_.nodes),
                              .total = limits_.nodes,
                              .units = "nodes",
                              .figure = "",
                              .value = 0});
        return (limits_.nodes > 0 && out_.nodes >= limits_.nodes) || (limits_.effort > 0 && elimination_.effort > limits_.effort) ||
               (limits_.stopped && limits_.stopped());
    }

    static constexpr double rounding = 1e-10;  // of sums of logarithms
    MixedElimination& elimination_;
    const Sizes& sizes_;
    const MapLimits& limits_;
    std::vector<Slot> order_;
    bool cut_short_ = false;
    MapResult out_;
};

}  // namespace

MapResult marginal_map(const Sizes& sizes, std::span<const WeightTable> tables, const std::vector<char>& maximised,
                       const MapLimits& limits) {
    MixedElimination elimination(sizes, tables, maximised);
    if (elimination.largest > limits.largest) {
        MapResult out;
        out.too_large = true;
        return out;
    }
    return MapSearch(elimination, sizes, limits).run();
}

}  // namespace credence::rt
