// The densities of a tape gathered into batches, and what nothing needs any longer left out.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "runtime/continuous/sample/tape.hpp"
#include "runtime/core/special.hpp"
#include "runtime/core/triangle.hpp"

namespace credence::rt::continuous {

template <class Visit>
void Tape::each_operand(const Op& op, const Visit& visit) const {
    switch (op.kind) {
        case Kind::constant:
        case Kind::input:
            return;
        case Kind::term:
            visit(op.operand[0]);
            if (op.operand[1] != op.operand[0]) visit(op.operand[1]);  // of one part, both are the same
            return;
        case Kind::choose:
            for (std::size_t k = 0; k < 3; ++k) visit(op.operand[k]);
            return;
        case Kind::sigmoid:
        case Kind::softplus:
        case Kind::entry:
            visit(op.operand[0]);
            return;
        case Kind::density:
            for (std::size_t k = 0; k <= op.family->parameters.size(); ++k) visit(op.operand[k]);
            return;
        case Kind::mass:
            for (std::size_t k = 1; k <= op.family->parameters.size(); ++k) visit(op.operand[k]);
            return;
        case Kind::sum:
        case Kind::linear:
        case Kind::log_sum_exp:
        case Kind::factor:
            for (std::uint32_t k = 0; k < op.operand[1]; ++k) visit(lists_[op.operand[0] + k]);
            return;
        case Kind::batch:
            for (const auto& argument : batches_[op.operand[0]].arguments) {
                if (argument.shared) visit(*argument.shared);
                for (const auto node : argument.rows.nodes) visit(node);
            }
            return;
    }
}

/// factor · node as a linear function. Sums that nothing else refers to are taken apart; shared ones to a few levels, since a recurrence
/// written out doubles with every step, and long ones where `all` asks for it.
void Tape::gather_linear(Node node, double factor, Gathering how, LinearRow& into) const {
    const Op& op = ops_[node];
    if (op.kind == Kind::constant) {
        into.offset += factor * op.constant;
        return;
    }
    if (how.uses[node] > 1) {
        const bool is_long = op.kind == Kind::linear || op.kind == Kind::sum;
        if (how.levels == 0 || (is_long && !how.all)) return into.add(node, factor);
        --how.levels;
    }
    if (op.kind == Kind::linear || op.kind == Kind::sum) {
        const bool weighted = op.kind == Kind::linear;
        if (weighted) into.offset += factor * op.constant;
        for (std::uint32_t k = 0; k < op.operand[1]; ++k)
            gather_linear(lists_[op.operand[0] + k], factor * (weighted ? coefficients_[op.place + k] : 1), how, into);
        return;
    }
    if (op.kind != Kind::term) return into.add(node, factor);
    const Node a = op.operand[0];
    const Node b = op.operand[1];
    switch (op.term) {
        case TermOp::negate:
            return gather_linear(a, -factor, how, into);
        case TermOp::add:
            gather_linear(a, factor, how, into);
            return gather_linear(b, factor, how, into);
        case TermOp::subtract:
            gather_linear(a, factor, how, into);
            return gather_linear(b, -factor, how, into);
        case TermOp::multiply:
            if (is_constant(a)) return gather_linear(b, factor * constant_value(a), how, into);
            if (is_constant(b)) return gather_linear(a, factor * constant_value(b), how, into);
            break;
        case TermOp::divide:
            if (is_constant(b)) return gather_linear(a, factor / constant_value(b), how, into);
            break;
        default:
            break;
    }
    into.add(node, factor);
}

BatchArgument Tape::batch_argument(std::span<const Node> nodes, std::span<const std::uint32_t> uses, BatchArgument::Link link) const {
    BatchArgument out;
    if (std::all_of(nodes.begin(), nodes.end(), [&](Node node) { return node == nodes[0]; })) {
        out.shared = nodes[0];
        return out;
    }
    out.link = link;
    std::vector<LinearRow> rows(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        gather_linear(link == BatchArgument::Link::identity ? nodes[i] : ops_[nodes[i]].operand[0], 1, {uses}, rows[i]);
    out.rows = linear_rows(rows);
    return out;
}

BatchArgument::Link Tape::link_of(Node node, std::span<const std::uint32_t> uses) const {
    const Op& op = ops_[node];
    if (uses[node] > 1) return BatchArgument::Link::identity;
    if (op.kind == Kind::sigmoid) return BatchArgument::Link::logistic;
    return op.kind == Kind::term && op.term == TermOp::exp ? BatchArgument::Link::exp : BatchArgument::Link::identity;
}

Tape::Node Tape::add_batch(std::span<const Node> densities, std::span<const double> weights, std::span<const std::uint32_t> uses) {
    const Op first = ops_[densities[0]];
    const std::size_t parameters = first.family->parameters.size();
    Batch batch;
    batch.family = first.family;
    batch.weights.assign(weights.begin(), weights.end());
    for (const double weight : weights) batch.count += weight;
    const auto operands = [&](std::size_t k) {
        std::vector<Node> out;
        for (const auto node : densities) out.push_back(ops_[node].operand[k]);
        return out;
    };
    const auto is_shared = [&](std::size_t k) {
        return std::all_of(densities.begin(), densities.end(), [&](Node node) { return ops_[node].operand[k] == first.operand[k]; });
    };
    const auto residuals = [&](std::size_t mean) {
        std::vector<LinearRow> rows(densities.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            gather_linear(ops_[densities[i]].operand[0], 1, {.uses = uses, .all = true}, rows[i]);
            gather_linear(ops_[densities[i]].operand[mean], -1, {.uses = uses, .all = true}, rows[i]);
        }
        return rows;
    };
    if (first.family == Family::normal && is_shared(2)) {
        batch.form = Batch::Form::squares;
        batch.arguments = {squares_of(residuals(1), batch), {.shared = first.operand[2]}};
    } else if (first.family == Family::student_t && is_shared(1) && is_shared(3)) {
        batch.form = Batch::Form::tails;
        batch.arguments = {{.rows = linear_rows(residuals(2))}, {.shared = first.operand[1]}, {.shared = first.operand[3]}};
    } else {
        for (std::size_t k = 0; k <= parameters; ++k) {
            const auto nodes = operands(k);
            batch.arguments.push_back(batch_argument(nodes, uses, k == 0 ? BatchArgument::Link::identity : link_of(nodes[0], uses)));
        }
        specialise(batch);
    }
    Op op;
    op.kind = Kind::batch;
    op.operand[0] = static_cast<std::uint32_t>(batches_.size());
    batches_.push_back(std::move(batch));
    return append(op);
}

BatchArgument Tape::squares_of(const std::vector<LinearRow>& rows, Batch& batch) const {
    std::vector<LinearRow> weighted = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double root = std::sqrt(batch.weights[i]);
        weighted[i].offset *= root;
        for (auto& part : weighted[i].parts) part.second *= root;
    }
    auto fewer = reduced_squares(weighted);
    if (!fewer) return {.rows = linear_rows(rows)};
    batch.rest = fewer->rest;
    batch.weights.assign(fewer->rows.rows(), 1.0);
    return {.rows = std::move(fewer->rows)};
}

/// Forms of families whose data are known, where what depends on these alone is added up once.
void Tape::specialise(Batch& batch) const {
    const std::size_t n = batch.weights.size();
    // Its value in each row; nothing if it is not known.
    const auto known = [&](const BatchArgument& argument) -> std::vector<double> {
        if (argument.shared)
            return is_constant(*argument.shared) ? std::vector<double>(n, constant_value(*argument.shared)) : std::vector<double>();
        return argument.rows.nodes.empty() && argument.link == BatchArgument::Link::identity ? argument.rows.offsets
                                                                                             : std::vector<double>();
    };
    if (batch.family == Family::normal) {
        batch.form = Batch::Form::spreads;
        return;
    }
    const BatchArgument& last = batch.arguments.back();
    const auto link = last.shared ? BatchArgument::Link::identity : last.link;
    const auto x = known(batch.arguments[0]);
    const auto is_count = [](double value) { return value >= 0 && value == std::floor(value); };
    if (x.empty() || !std::all_of(x.begin(), x.end(), is_count)) return;
    if (batch.family == Family::bernoulli && link == BatchArgument::Link::logistic) {
        batch.form = Batch::Form::logits;
    } else if (batch.family == Family::binomial && link == BatchArgument::Link::logistic) {
        const auto trials = known(batch.arguments[1]);
        for (std::size_t i = 0; i < trials.size(); ++i)
            if (!is_count(trials[i]) || x[i] > trials[i]) return;
        if (trials.empty()) return;
        batch.form = Batch::Form::logits;
        for (std::size_t i = 0; i < n; ++i)
            batch.rest += batch.weights[i] * (log_gamma(trials[i] + 1) - log_gamma(x[i] + 1) - log_gamma(trials[i] - x[i] + 1));
        batch.trials = trials;
    } else if (batch.family == Family::poisson && link == BatchArgument::Link::exp) {
        batch.form = Batch::Form::rates;
        for (std::size_t i = 0; i < n; ++i) batch.rest -= batch.weights[i] * log_gamma(x[i] + 1);
    } else {
        return;
    }
    batch.arguments[0].shared.reset();
    batch.arguments[0].rows = {};
    batch.arguments[0].rows.offsets = x;
}

std::vector<Tape::Node> Tape::batched(std::span<const Node> parts) {
    constexpr std::size_t least_rows = 4;
    std::vector<std::uint32_t> uses(ops_.size(), 0);
    for (const auto& op : ops_) each_operand(op, [&](Node node) { ++uses[node]; });
    // A density that is a part several times is one row with that weight.
    std::map<Node, double> times;
    for (const auto part : parts) times[part] += 1;
    using Shape = std::tuple<const FamilyInfo*, std::uint64_t, Node>;
    struct Group {
        std::vector<Node> densities;
        std::vector<double> weights;
    };
    constexpr Node any = std::numeric_limits<Node>::max();
    std::map<Node, std::size_t> with_spread;  // normal densities
    for (const auto& [part, count] : times)
        if (const Op& op = ops_[part]; op.kind == Kind::density && op.family == Family::normal) ++with_spread[op.operand[2]];
    std::map<Shape, Group> groups;
    std::vector<Shape> order;  // as they come: pointers have no order of their own that is the same in each run
    std::map<Node, Shape> shape_of;
    for (const auto part : parts) {
        const Op& op = ops_[part];
        if (op.kind != Kind::density || shape_of.contains(part)) continue;
        std::uint64_t links = 0;
        const std::size_t parameters = op.family->parameters.size();
        for (std::size_t k = 1; k <= parameters; ++k) links = links * 4 + static_cast<std::uint64_t>(link_of(op.operand[k], uses));
        const bool one_spread = op.family == Family::normal && with_spread[op.operand[2]] >= least_rows;
        Shape shape{&*op.family, one_spread ? 0 : links, one_spread ? op.operand[2] : any};
        if (!groups.contains(shape)) order.push_back(shape);
        groups[shape].densities.push_back(part);
        groups[shape].weights.push_back(times[part]);
        shape_of.emplace(part, shape);
    }
    std::vector<Node> out;
    std::map<Shape, bool> done;
    for (const auto& shape : order)
        if (const auto& group = groups[shape]; group.densities.size() >= least_rows) {
            out.push_back(add_batch(group.densities, group.weights, uses));
            done[shape] = true;
        }
    for (const auto part : parts)
        if (const auto at = shape_of.find(part); at == shape_of.end() || !done.contains(at->second)) out.push_back(part);
    return out;
}

void Tape::compact(std::span<Node* const> kept) {
    std::vector<bool> needed(ops_.size(), false);
    for (const Node* node : kept) needed[*node] = true;
    for (std::size_t i = ops_.size(); i-- > 0;)
        if (needed[i]) each_operand(ops_[i], [&](Node node) { needed[node] = true; });
    std::vector<Node> place(ops_.size(), 0);
    Tape out;
    out.inputs_ = inputs_;
    out.regions_ = std::move(regions_);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
        if (!needed[i]) continue;
        Op op = ops_[i];
        place[i] = static_cast<Node>(out.ops_.size());
        switch (op.kind) {
            case Kind::constant:
            case Kind::input:
                break;
            case Kind::term:
            case Kind::choose:
            case Kind::sigmoid:
            case Kind::softplus:
            case Kind::entry: {
                const std::size_t count = op.kind == Kind::term ? 2 : op.kind == Kind::choose ? 3 : 1;
                for (std::size_t k = 0; k < count; ++k) op.operand[k] = place[op.operand[k]];
                break;
            }
            case Kind::density:
            case Kind::mass:
                for (std::size_t k = op.kind == Kind::mass ? 1 : 0; k <= op.family->parameters.size(); ++k)
                    op.operand[k] = place[op.operand[k]];
                op.place = out.densities_++;
                break;
            case Kind::sum:
            case Kind::linear:
            case Kind::log_sum_exp:
            case Kind::factor: {
                const auto first = static_cast<std::uint32_t>(out.lists_.size());
                for (std::uint32_t k = 0; k < op.operand[1]; ++k) out.lists_.push_back(place[lists_[op.operand[0] + k]]);
                if (op.kind == Kind::linear) {
                    const auto from = coefficients_.begin() + op.place;
                    op.place = static_cast<std::uint32_t>(out.coefficients_.size());
                    out.coefficients_.insert(out.coefficients_.end(), from, from + op.operand[1]);
                }
                if (op.kind == Kind::factor) op.place = out.factors_++;
                op.operand[0] = first;
                break;
            }
            case Kind::batch: {
                Batch batch = std::move(batches_[op.operand[0]]);
                for (auto& argument : batch.arguments) {
                    if (argument.shared) argument.shared = place[*argument.shared];
                    for (auto& node : argument.rows.nodes) node = place[node];
                }
                op.operand[0] = static_cast<std::uint32_t>(out.batches_.size());
                out.batches_.push_back(std::move(batch));
                break;
            }
        }
        out.ops_.push_back(op);
    }
    for (Node* node : kept) *node = place[*node];
    *this = std::move(out);
}

std::size_t Tape::cost() const {
    std::size_t out = ops_.size();
    for (const auto& batch : batches_) out += batch.entries();
    for (const auto& op : ops_)
        if (op.kind == Kind::factor) out += op.operand[1] * *triangle_rows(op.operand[1]);
    return out;
}

}  // namespace credence::rt::continuous
