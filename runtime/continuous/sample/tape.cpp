#include "runtime/continuous/sample/tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/special.hpp"

namespace credence::rt::continuous {

namespace {

std::size_t parameter_count(Family family) { return family->parameters.size(); }

double term_value(TermOp op, double a, double b, double c) {
    if (op == TermOp::choose) return a != 0 ? b : c;
    return real_value(op, a, b);
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
    op.operand[0] = op.operand[1] = op.operand[2] = a;
    return add(op);
}

Tape::Node Tape::binary(TermOp term, Node a, Node b) {
    Op op;
    op.kind = Kind::term;
    op.term = term;
    op.operand[0] = a;
    op.operand[1] = op.operand[2] = b;
    return add(op);
}

Tape::Node Tape::choose(Node condition, Node yes, Node no) {
    Op op;
    op.kind = Kind::term;
    op.term = TermOp::choose;
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

Tape::Node Tape::term(const Term& t, const std::map<VarId, Node>& leaves) {
    if (is_constant(t)) return constant(t->value.real());
    if (t->op == TermOp::variable) return leaves.at(t->variable);
    if (t->op == TermOp::choose) {
        const Node condition = term(t->parts[0], leaves);
        const Node yes = term(t->parts[1], leaves);
        return choose(condition, yes, term(t->parts[2], leaves));
    }
    if (const Term logit = logit_of(t)) return sigmoid(term(logit, leaves));
    const Node a = term(t->parts[0], leaves);
    if (t->parts.size() == 1) return unary(t->op, a);
    return binary(t->op, a, term(t->parts[1], leaves));
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
                v[i] = term_value(op.term, v[op.operand[0]], v[op.operand[1]], v[op.operand[2]]);
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
        case Kind::sum:
            for (std::uint32_t k = 0; k < b; ++k) adj[lists_[a + k]] += adjoint;
            return;
        case Kind::log_sum_exp:
            if (!std::isfinite(own)) return;
            for (std::uint32_t k = 0; k < b; ++k) adj[lists_[a + k]] += adjoint * std::exp(v[lists_[a + k]] - own);
            return;
        case Kind::term:
            back_term(op, own, adjoint, work);
            return;
    }
}

void Tape::back_term(const Op& op, double own, double adjoint, Workspace& work) const {
    const double* v = work.values.data();
    double* adj = work.adjoints.data();
    const auto a = op.operand[0];
    const auto b = op.operand[1];
    switch (op.term) {
        case TermOp::negate:
            adj[a] -= adjoint;
            return;
        case TermOp::add:
            adj[a] += adjoint;
            adj[b] += adjoint;
            return;
        case TermOp::subtract:
            adj[a] += adjoint;
            adj[b] -= adjoint;
            return;
        case TermOp::multiply:
            adj[a] += adjoint * v[b];
            adj[b] += adjoint * v[a];
            return;
        case TermOp::divide:
            adj[a] += adjoint / v[b];
            adj[b] -= adjoint * own / v[b];
            return;
        case TermOp::power:
            if (v[b] != 0) adj[a] += adjoint * v[b] * (v[b] == 2 ? v[a] : std::pow(v[a], v[b] - 1));
            if (v[a] > 0 && ops_[b].kind != Kind::constant) adj[b] += adjoint * own * std::log(v[a]);
            return;
        case TermOp::exp:
            adj[a] += adjoint * own;
            return;
        case TermOp::ln:
            adj[a] += adjoint / v[a];
            return;
        case TermOp::sqrt:
            adj[a] += adjoint * 0.5 / own;
            return;
        case TermOp::abs:
            adj[a] += v[a] > 0 ? adjoint : v[a] < 0 ? -adjoint : 0;
            return;
        case TermOp::sin:
            adj[a] += adjoint * std::cos(v[a]);
            return;
        case TermOp::cos:
            adj[a] -= adjoint * std::sin(v[a]);
            return;
        case TermOp::tan:
            adj[a] += adjoint * (1 + own * own);
            return;
        case TermOp::log_gamma:
            adj[a] += adjoint * digamma(v[a]);
            return;
        case TermOp::min:
            adj[v[b] < v[a] ? b : a] += adjoint;
            return;
        case TermOp::max:
            adj[v[a] < v[b] ? b : a] += adjoint;
            return;
        case TermOp::mod:
            adj[a] += adjoint;
            adj[b] -= adjoint * std::floor(v[a] / v[b]);
            return;
        case TermOp::floor:
        case TermOp::ceil:
        case TermOp::round:
        case TermOp::choose:
            adj[v[a] != 0 ? op.operand[1] : op.operand[2]] += adjoint;
            return;
        case TermOp::less:
        case TermOp::less_equal:
        case TermOp::equal:
        case TermOp::not_:
        case TermOp::and_:
        case TermOp::or_:
        case TermOp::constant:
        case TermOp::variable:
        case TermOp::component:
        case TermOp::is:
            return;
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
