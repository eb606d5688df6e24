#include "runtime/continuous/sample/tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/special.hpp"

namespace credence::rt::continuous {

namespace {

std::size_t parameter_count(Family family) { return family->parameters.size(); }

/// Both switches are made from the table of operations, so that the loops below call nothing for a sum or a product.
double term_value(TermOp op, double a, [[maybe_unused]] double b) {
    switch (op) {
#define TERM_OP(op, name, arity, form, symbol, binding, truth, neutral, commutes, value, first, second, exact) \
    case TermOp::op:                                                                                           \
        return value;
#include "runtime/prob/terms/term_ops.def"
    }
    return NAN;
}

bool is_one(const Term& term) { return is_constant(term) && term->value == Number(1); }

/// 1 / (1 + e^z): what it is the logistic function of, −z; else null.
Term logit_of(const Term& term) {
    if (term->op != TermOp::divide) return nullptr;
    const Term& above = term->parts[0];
    const Term& below = term->parts[1];
    if (below->op != TermOp::add) return nullptr;
    const bool first = is_one(below->parts[0]) && below->parts[1]->op == TermOp::exp;
    const bool second = is_one(below->parts[1]) && below->parts[0]->op == TermOp::exp;
    if (!first && !second) return nullptr;
    const Term& exponential = below->parts[first ? 1 : 0];
    if (is_one(above)) return make_term(TermOp::negate, {exponential->parts[0]});
    constexpr std::uint32_t longest_text = 10'000;
    if (above->size > longest_text) return nullptr;
    const auto text = [](const Term& t) { return term_text(t, [](VarId v) { return std::to_string(index(v)); }); };
    if (above->op == TermOp::exp && text(above) == text(exponential)) return exponential->parts[0];
    return nullptr;
}

}  // namespace

Tape::Node Tape::add(const Op& op) {
    ops_.push_back(op);
    return static_cast<Node>(ops_.size() - 1);
}

Tape::Node Tape::constant(double value) {
    Op op;
    op.constant = value;
    return add(op);
}

Tape::Node Tape::input() {
    Op op;
    op.kind = Kind::input;
    op.operand[0] = static_cast<std::uint32_t>(inputs_++);
    return add(op);
}

Tape::Node Tape::unary(TermOp term, Node a) {
    Op op;
    op.kind = Kind::term;
    op.term = term;
    op.operand[0] = op.operand[1] = a;
    return add(op);
}

Tape::Node Tape::binary(TermOp term, Node a, Node b) {
    Op op;
    op.kind = Kind::term;
    op.term = term;
    op.operand[0] = a;
    op.operand[1] = b;
    return add(op);
}

Tape::Node Tape::choose(Node condition, Node yes, Node no) {
    Op op;
    op.kind = Kind::choose;
    op.operand[0] = condition;
    op.operand[1] = yes;
    op.operand[2] = no;
    return add(op);
}

Tape::Node Tape::sigmoid(Node a) {
    Op op;
    op.kind = Kind::sigmoid;
    op.operand[0] = a;
    return add(op);
}

Tape::Node Tape::softplus(Node a) {
    Op op;
    op.kind = Kind::softplus;
    op.operand[0] = a;
    return add(op);
}

Tape::Node Tape::density(Family family, Node x, std::span<const Node> parameters) {
    Op op;
    op.kind = Kind::density;
    op.family = family;
    op.operand[0] = x;
    for (std::size_t i = 0; i < parameters.size(); ++i) op.operand[i + 1] = parameters[i];
    return add(op);
}

Tape::Node Tape::mass(Family family, Region region, std::span<const Node> parameters) {
    Op op;
    op.kind = Kind::mass;
    op.family = family;
    op.operand[0] = static_cast<std::uint32_t>(regions_.size());
    regions_.push_back(std::move(region));
    for (std::size_t i = 0; i < parameters.size(); ++i) op.operand[i + 1] = parameters[i];
    return add(op);
}

Tape::Node Tape::sum(std::span<const Node> parts) {
    Op op;
    op.kind = Kind::sum;
    op.operand[0] = static_cast<std::uint32_t>(lists_.size());
    op.operand[1] = static_cast<std::uint32_t>(parts.size());
    lists_.insert(lists_.end(), parts.begin(), parts.end());
    return add(op);
}

Tape::Node Tape::log_sum_exp(std::span<const Node> parts) {
    if (parts.size() == 1) return parts[0];
    const Node out = sum(parts);
    ops_[out].kind = Kind::log_sum_exp;
    return out;
}

Tape::Node Tape::term(const Term& t, const std::map<VarId, Node>& leaves, SharedParts& shared) {
    if (is_constant(t)) return constant(t->value.real());
    if (t->op == TermOp::variable) return leaves.at(t->variable);
    const bool once = is_shared_part(t);
    if (once)
        if (const auto known = shared.find(t); known != shared.end()) return known->second;
    const auto part = [&](const Term& inner) { return term(inner, leaves, shared); };
    const auto made = [&]() -> Node {
        if (t->op == TermOp::choose) {
            const Node condition = part(t->parts[0]);
            const Node yes = part(t->parts[1]);
            return choose(condition, yes, part(t->parts[2]));
        }
        if (const Term logit = logit_of(t)) return sigmoid(part(logit));
        const Node a = part(t->parts[0]);
        if (t->parts.size() == 1) return unary(t->op, a);
        return binary(t->op, a, part(t->parts[1]));
    };
    const Node out = made();
    if (once) shared.emplace(t, out);
    return out;
}

void Tape::run(std::span<const double> x, Workspace& work, Node last) const {
    double* v = work.values.data();
    for (std::size_t i = 0; i <= last; ++i) {
        const Op& op = ops_[i];
        switch (op.kind) {
            case Kind::constant:
                v[i] = op.constant;
                break;
            case Kind::input:
                v[i] = x[op.operand[0]];
                break;
            case Kind::term:
                v[i] = term_value(op.term, v[op.operand[0]], v[op.operand[1]]);
                break;
            case Kind::choose:
                v[i] = v[op.operand[v[op.operand[0]] != 0 ? 1 : 2]];
                break;
            case Kind::sigmoid:
                v[i] = 1 / (1 + std::exp(-v[op.operand[0]]));
                break;
            case Kind::softplus: {
                const double a = v[op.operand[0]];
                v[i] = a > 0 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a));
                break;
            }
            case Kind::density: {
                // A probability that is a logistic function keeps its digits on the scale of the logit.
                const Op& p = ops_[op.operand[1]];
                if (op.family == Family::bernoulli && p.kind == Kind::sigmoid) {
                    const double eta = v[p.operand[0]];
                    const double away = v[op.operand[0]] == 1 ? -eta : eta;  // ln(1 + e^away) = −ln P(x)
                    v[i] = -(away > 0 ? away + std::log1p(std::exp(-away)) : std::log1p(std::exp(away)));
                    break;
                }
                double parameters[most_parameters] = {};
                for (std::size_t k = 0; k < parameter_count(op.family); ++k) parameters[k] = v[op.operand[k + 1]];
                v[i] = log_density(op.family, v[op.operand[0]], parameters).value;
                break;
            }
            case Kind::mass: {
                double parameters[most_parameters] = {};
                for (std::size_t k = 0; k < parameter_count(op.family); ++k) parameters[k] = v[op.operand[k + 1]];
                v[i] = log_mass(*op.family, regions_[op.operand[0]], parameters).value;
                break;
            }
            case Kind::sum: {
                double total = 0;
                for (std::uint32_t k = 0; k < op.operand[1]; ++k) total += v[lists_[op.operand[0] + k]];
                v[i] = total;
                break;
            }
            case Kind::log_sum_exp: {
                double high = -std::numeric_limits<double>::infinity();
                for (std::uint32_t k = 0; k < op.operand[1]; ++k) high = std::max(high, v[lists_[op.operand[0] + k]]);
                double total = 0;
                for (std::uint32_t k = 0; k < op.operand[1]; ++k) total += std::exp(v[lists_[op.operand[0] + k]] - high);
                v[i] = std::isfinite(high) ? high + std::log(total) : high;
                break;
            }
        }
    }
}

void Tape::back(const Op& op, double own, double adjoint, Workspace& work) const {
    const double* v = work.values.data();
    double* adj = work.adjoints.data();
    const auto a = op.operand[0];
    const auto b = op.operand[1];
    switch (op.kind) {
        case Kind::constant:
        case Kind::input:
            return;
        case Kind::sigmoid:
            adj[a] += adjoint * own * (1 - own);
            return;
        case Kind::softplus:
            adj[a] += adjoint / (1 + std::exp(-v[a]));
            return;
        case Kind::density: {
            const Op& p = ops_[b];
            if (op.family == Family::bernoulli && p.kind == Kind::sigmoid) {
                // Straight to the logit: x − p.
                adj[p.operand[0]] += adjoint * (v[a] - v[b]);
                return;
            }
            double parameters[most_parameters] = {};
            const std::size_t count = parameter_count(op.family);
            for (std::size_t k = 0; k < count; ++k) parameters[k] = v[op.operand[k + 1]];
            const DensityValue d = log_density(op.family, v[a], parameters);
            adj[a] += adjoint * d.dx;
            for (std::size_t k = 0; k < count; ++k) adj[op.operand[k + 1]] += adjoint * d.dp[k];
            return;
        }
        case Kind::mass: {
            double parameters[most_parameters] = {};
            const std::size_t count = parameter_count(op.family);
            for (std::size_t k = 0; k < count; ++k) parameters[k] = v[op.operand[k + 1]];
            const DensityValue d = log_mass(*op.family, regions_[a], parameters);
            for (std::size_t k = 0; k < count; ++k) adj[op.operand[k + 1]] += adjoint * d.dp[k];
            return;
        }
        case Kind::sum:
            for (std::uint32_t k = 0; k < b; ++k) adj[lists_[a + k]] += adjoint;
            return;
        case Kind::log_sum_exp:
            if (!std::isfinite(own)) return;
            for (std::uint32_t k = 0; k < b; ++k) adj[lists_[a + k]] += adjoint * std::exp(v[lists_[a + k]] - own);
            return;
        case Kind::choose:
            adj[op.operand[v[a] != 0 ? 1 : 2]] += adjoint;
            return;
        case Kind::term:
            back_term(op, own, adjoint, work);
            return;
    }
}

void Tape::back_term(const Op& op, [[maybe_unused]] double y, double g, Workspace& work) const {
    double* adj = work.adjoints.data();
    const double a = work.values[op.operand[0]];
    [[maybe_unused]] const double b = work.values[op.operand[1]];
    // The second part is often a constant, as in x^2, where its derivative would cost a logarithm.
    const bool both = ops_[op.operand[1]].kind != Kind::constant;
    switch (op.term) {
#define TERM_OP(op_, name, arity, form, symbol, binding, truth, neutral, commutes, value, first, second, exact) \
    case TermOp::op_:                                                                                           \
        adj[op.operand[0]] += first;                                                                            \
        if (arity == 2 && both) adj[op.operand[1]] += second;                                                   \
        return;
#include "runtime/prob/terms/term_ops.def"
    }
}

double Tape::value(std::span<const double> x, Node output, Workspace& work) const {
    run(x, work, output);
    return work.values[output];
}

double Tape::gradient(std::span<const double> x, Node output, Workspace& work, std::span<double> out) const {
    run(x, work, output);
    std::fill(work.adjoints.begin(), work.adjoints.begin() + output + 1, 0.0);
    work.adjoints[output] = 1;
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t i = output + 1; i-- > 0;) {
        const double adjoint = work.adjoints[i];
        if (adjoint == 0) continue;
        const Op& op = ops_[i];
        if (op.kind == Kind::input)
            out[op.operand[0]] += adjoint;
        else
            back(op, work.values[i], adjoint, work);
    }
    return work.values[output];
}

}  // namespace credence::rt::continuous
