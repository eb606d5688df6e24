#include "runtime/nets/circuit/circuit.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace credence::rt {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

double log_count(ValueBits values) {
    if (values == 0) return minus_infinity;
    return std::has_single_bit(values) ? 0.0 : std::log(static_cast<double>(std::popcount(values)));
}

template <class T>
std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& ends, std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(all).subspan(begin, ends[i] - begin);
}

}  // namespace

Circuit::Circuit(const Sizes& sizes) {
    offsets_.push_back(0);
    for (const auto size : sizes) offsets_.push_back(offsets_.back() + size);
}

std::span<const Circuit::Literal> Circuit::literals_of(std::size_t branch) const { return part(literals_, literals_end_, branch); }
std::span<const std::uint32_t> Circuit::children_of(std::size_t branch) const { return part(children_, children_end_, branch); }

std::uint32_t Circuit::add_node(std::span<const Branch> branches) {
    for (const auto& branch : branches) {
        log_weight_.push_back(branch.log_weight);
        literals_.insert(literals_.end(), branch.literals.begin(), branch.literals.end());
        children_.insert(children_.end(), branch.nodes.begin(), branch.nodes.end());
        literals_end_.push_back(literals_.size());
        children_end_.push_back(children_.size());
    }
    branches_end_.push_back(log_weight_.size());
    return static_cast<std::uint32_t>(branches_end_.size() - 1);
}

Circuit::Flow Circuit::flow(std::span<const ValueBits> allowed) const {
    std::vector<double> of_branch(log_weight_);
    std::vector<double> of_node(nodes(), minus_infinity);
    std::size_t b = 0;
    for (std::size_t node = 0; node < nodes(); ++node) {
        const std::size_t begin = b;
        double largest = minus_infinity;
        for (; b < branches_end_[node]; ++b) {
            for (const auto& literal : literals_of(b)) of_branch[b] += log_count(literal.values & allowed[literal.variable]);
            for (const auto child : children_of(b)) of_branch[b] += of_node[child];
            largest = std::max(largest, of_branch[b]);
        }
        if (largest == minus_infinity) continue;
        double sum = 0;
        for (std::size_t k = begin; k < b; ++k) sum += std::exp(of_branch[k] - largest);
        of_node[node] = largest + std::log(sum);
    }
    Flow out;
    out.log_total = of_node.back();
    if (out.log_total == minus_infinity) return out;

    // downwards: the share of the total that goes through each node
    out.marginals.assign(offsets_.back(), 0.0);
    std::vector<double> share(nodes(), 0.0);
    share.back() = 1;
    for (std::size_t node = nodes(); node-- > 0;) {
        const std::size_t begin = node == 0 ? 0 : branches_end_[node - 1];
        const double through = share[node];
        if (through == 0) continue;
        for (std::size_t k = begin; k < branches_end_[node]; ++k) {
            const double here = through * std::exp(of_branch[k] - of_node[node]);
            if (here == 0) continue;
            for (const auto child : children_of(k)) share[child] += here;
            for (const auto& literal : literals_of(k)) {
                ValueBits values = literal.values & allowed[literal.variable];
                const double each = here / static_cast<double>(std::popcount(values));
                for (; values != 0; values &= values - 1)
                    out.marginals[offsets_[literal.variable] + static_cast<std::size_t>(std::countr_zero(values))] += each;
            }
        }
    }
    return out;
}

}  // namespace credence::rt
