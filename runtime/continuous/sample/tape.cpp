#include "runtime/continuous/sample/tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/bits.hpp"
#include "runtime/core/special.hpp"
#include "runtime/core/triangle.hpp"

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

double logistic(double a) { return 1 / (1 + std::exp(-a)); }
double log_one_plus_exp(double a) { return a > 0 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a)); }

template <class Kind>
std::size_t hash_of(Kind kind, TermOp term, const FamilyInfo* family, const std::uint32_t (&operands)[1 + most_parameters],
                    double constant) {
    std::size_t out = static_cast<std::size_t>(kind) * 64 + static_cast<std::size_t>(term);
    const auto mix = [&](std::size_t part) { out = (out ^ part) * 0x9E3779B97F4A7C15U + (out >> 29U); };
    mix(std::hash<const FamilyInfo*>()(family));
    for (const auto operand : operands) mix(operand);
    mix(bits_of(constant));
    return out;
}

bool is_one(const Term& term) { return rt::is_constant(term) && term->value == Number(1); }

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

/// What a sum adds up, each with a constant factor: a + 2 * b - c / 3 + 1.
struct LinearParts {
    double constant = 0;
    std::vector<std::pair<Term, double>> parts;

    /// The parts of a shared sum are not taken out of it.
    void gather(const Term& t, double factor, bool top) {
        const auto number = [](const Term& part) { return part->value.real(); };
        if (is_constant(t)) {
            constant += factor * number(t);
        } else if (!top && is_shared_part(t)) {
            parts.emplace_back(t, factor);
        } else if (t->op == TermOp::add || t->op == TermOp::subtract) {
            gather(t->parts[0], factor, false);
            gather(t->parts[1], t->op == TermOp::add ? factor : -factor, false);
        } else if (t->op == TermOp::negate) {
            gather(t->parts[0], -factor, false);
        } else if (t->op == TermOp::multiply && is_constant(t->parts[0])) {
            gather(t->parts[1], factor * number(t->parts[0]), false);
        } else if ((t->op == TermOp::multiply || t->op == TermOp::divide) && is_constant(t->parts[1])) {
            gather(t->parts[0], t->op == TermOp::multiply ? factor * number(t->parts[1]) : factor / number(t->parts[1]), false);
        } else {
            parts.emplace_back(t, factor);
        }
    }
};

}  // namespace

bool Tape::has_constant_operands(const Op& op) const {
    std::size_t first = 0;
    std::size_t count = 1;
    if (op.kind == Kind::constant || op.kind == Kind::input || op.kind == Kind::entry) return false;
    if (op.kind == Kind::term) count = 2;
    if (op.kind == Kind::density) count = 1 + parameter_count(op.family);
    if (op.kind == Kind::mass) {
        first = 1;
        count = parameter_count(op.family);
    }
    for (std::size_t k = first; k < first + count; ++k)
        if (!is_constant(op.operand[k])) return false;
    return true;
}

double Tape::folded(const Op& op) const {
    const auto at = [&](std::size_t k) { return ops_[op.operand[k]].constant; };
    double parameters[most_parameters] = {};
    if (op.kind == Kind::density || op.kind == Kind::mass)
        for (std::size_t k = 0; k < parameter_count(op.family); ++k) parameters[k] = at(k + 1);
    if (op.kind == Kind::sigmoid) return logistic(at(0));
    if (op.kind == Kind::softplus) return log_one_plus_exp(at(0));
    if (op.kind == Kind::density) return log_density(op.family, at(0), parameters).value;
    if (op.kind == Kind::mass) return log_mass(*op.family, regions_[op.operand[0]], parameters).value;
    return term_value(op.term, at(0), at(1));
}

Tape::Node Tape::append(Op op) {
    if (op.kind == Kind::density || op.kind == Kind::mass) op.place = densities_++;
    ops_.push_back(op);
    return static_cast<Node>(ops_.size() - 1);
}

Tape::Node Tape::add(Op op) {
    if (has_constant_operands(op)) return constant(folded(op));
    const std::size_t hash = hash_of(op.kind, op.term, &*op.family, op.operand, op.constant);
    const auto [first, last] = known_.nodes.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        op.place = ops_[at->second].place;
        if (ops_[at->second] == op) return at->second;
    }
    const Node out = append(op);
    known_.nodes.emplace(hash, out);
    return out;
}

bool Tape::is_impossible(Node node) const { return is_constant(node) && ops_[node].constant == -std::numeric_limits<double>::infinity(); }

Tape::Node Tape::constant(double value) {
    Op op;
    op.constant = value;
    return add(op);
}

Tape::Node Tape::input() {
    Op op;
    op.kind = Kind::input;
    op.operand[0] = static_cast<std::uint32_t>(inputs_++);
    return append(op);
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
    if (is_constant(condition)) return ops_[condition].constant != 0 ? yes : no;
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
    return has_constant_operands(op) ? constant(folded(op)) : append(op);
}

Tape::Node Tape::list(Kind kind, std::span<const Node> parts, std::span<const double> coefficients, double constant) {
    Op op;
    op.kind = kind;
    op.operand[1] = static_cast<std::uint32_t>(parts.size());
    op.constant = constant;
    std::size_t hash = hash_of(op.kind, op.term, &*op.family, op.operand, op.constant);
    const auto mix = [&](std::size_t part) { hash = (hash ^ part) * 0x9E3779B97F4A7C15U + (hash >> 29U); };
    for (const auto part : parts) mix(part);
    for (const auto coefficient : coefficients) mix(bits_of(coefficient));
    const auto [first, last] = known_.nodes.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        const Op& other = ops_[at->second];
        if (other.kind == kind && other.operand[1] == op.operand[1] && other.constant == constant &&
            std::equal(parts.begin(), parts.end(), lists_.begin() + other.operand[0]) &&
            std::equal(coefficients.begin(), coefficients.end(), coefficients_.begin() + other.place))
            return at->second;
    }
    op.operand[0] = static_cast<std::uint32_t>(lists_.size());
    op.place = kind == Kind::factor ? factors_++ : static_cast<std::uint32_t>(coefficients_.size());
    lists_.insert(lists_.end(), parts.begin(), parts.end());
    coefficients_.insert(coefficients_.end(), coefficients.begin(), coefficients.end());
    const Node out = append(op);
    known_.nodes.emplace(hash, out);
    return out;
}

Tape::Node Tape::sum(std::span<const Node> parts) {
    double known = 0;
    std::vector<Node> open;
    for (const auto part : parts) {
        if (is_impossible(part)) return part;
        if (is_constant(part))
            known += ops_[part].constant;
        else
            open.push_back(part);
    }
    if (open.empty() || known != 0) open.push_back(constant(known));
    if (open.size() == 1) return open[0];
    return open.size() == 2 ? binary(TermOp::add, open[0], open[1]) : list(Kind::sum, open);
}

Tape::Node Tape::log_sum_exp(std::span<const Node> parts) {
    std::vector<Node> open;
    for (const auto part : parts)
        if (!is_impossible(part)) open.push_back(part);
    if (open.empty()) return constant(-std::numeric_limits<double>::infinity());
    if (open.size() == 1) return open[0];
    if (!std::all_of(open.begin(), open.end(), [&](Node part) { return is_constant(part); })) return list(Kind::log_sum_exp, open);
    double high = ops_[open[0]].constant;
    for (const auto part : open) high = std::max(high, ops_[part].constant);
    double total = 0;
    for (const auto part : open) total += std::exp(ops_[part].constant - high);
    return constant(high + std::log(total));
}

Tape::Node Tape::factor(std::span<const Node> covariance) { return list(Kind::factor, covariance); }

Tape::Node Tape::entry(Node factor, std::size_t place) {
    Op op;
    op.kind = Kind::entry;
    op.operand[0] = factor;
    op.operand[1] = static_cast<std::uint32_t>(place);
    return add(op);
}

Tape::Node Tape::finish(Node output) {
    const Node out = output + 1 == ops_.size() ? output : list(Kind::sum, std::span(&output, 1));
    known_.nodes.clear();
    return out;
}

Tape::Node Tape::linear(double constant, std::span<const Weighted> parts) {
    std::vector<Node> nodes;
    std::vector<double> coefficients;
    for (const auto& [node, coefficient] : parts) {
        nodes.push_back(node);
        coefficients.push_back(coefficient);
    }
    return list(Kind::linear, nodes, coefficients, constant);
}

std::optional<Tape::Node> Tape::special_term(const Term& t, const std::map<VarId, Node>& leaves, Shared& shared) {
    const auto part = [&](const Term& inner) { return term(inner, leaves, shared); };
    if (t->op == TermOp::choose) {
        const Node condition = part(t->parts[0]);
        const Node yes = part(t->parts[1]);
        return choose(condition, yes, part(t->parts[2]));
    }
    if (t->op == TermOp::logistic) return sigmoid(part(t->parts[0]));
    if (const Term logit = logit_of(t)) return sigmoid(part(logit));
    if (t->op == TermOp::factor) {
        std::vector<Node> covariance;
        for (const auto& entry : t->parts) covariance.push_back(part(entry));
        return factor(covariance);
    }
    if (t->op == TermOp::entry) {
        const Term& of = t->parts[0];
        const double place = rt::is_constant(t->parts[1]) ? t->parts[1]->value.real() : -1;
        const bool known = of->op == TermOp::factor && place >= 0 && place < static_cast<double>(of->parts.size());
        return known ? entry(part(of), static_cast<std::size_t>(place)) : constant(std::nan(""));
    }
    if (operation_of(t->op).form == TermForm::list) return constant(std::nan(""));
    if (t->op == TermOp::divide && t->parts[0]->op == TermOp::subtract && t->parts[0]->parts[0]->op == TermOp::variable) {
        const auto own = shared.standard.find(t->parts[0]->parts[0]->variable);
        if (own != shared.standard.end() && part(t->parts[0]->parts[1]) == own->second.mean && part(t->parts[1]) == own->second.spread)
            return own->second.z;
    }
    if (t->op == TermOp::add || t->op == TermOp::subtract) {
        LinearParts sum;
        sum.gather(t, 1, true);
        if (sum.parts.size() <= 2) return std::nullopt;
        std::vector<Weighted> parts;
        for (const auto& [inner, factor] : sum.parts) parts.emplace_back(part(inner), factor);
        return linear(sum.constant, parts);
    }
    return std::nullopt;
}

Tape::Node Tape::term(const Term& t, const std::map<VarId, Node>& leaves, Shared& shared) {
    if (rt::is_constant(t)) return constant(t->value.real());
    if (t->op == TermOp::variable) return leaves.at(t->variable);
    const bool once = is_shared_part(t);
    if (once)
        if (const auto known = shared.parts.find(t); known != shared.parts.end()) return known->second;
    const auto made = [&]() -> Node {
        if (const auto special = special_term(t, leaves, shared)) return *special;
        const Node a = term(t->parts[0], leaves, shared);
        if (t->parts.size() == 1) return unary(t->op, a);
        return binary(t->op, a, term(t->parts[1], leaves, shared));
    };
    const Node out = made();
    if (once) shared.parts.emplace(t, out);
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
                v[i] = logistic(v[op.operand[0]]);
                break;
            case Kind::softplus:
                v[i] = log_one_plus_exp(v[op.operand[0]]);
                break;
            case Kind::density: {
                // A probability that is a logistic function keeps its digits on the scale of the logit.
                const Op& p = ops_[op.operand[1]];
                if (op.family == Family::bernoulli && p.kind == Kind::sigmoid) {
                    const double eta = v[p.operand[0]];
                    v[i] = -log_one_plus_exp(v[op.operand[0]] == 1 ? -eta : eta);
                    break;
                }
                double parameters[most_parameters] = {};
                for (std::size_t k = 0; k < parameter_count(op.family); ++k) parameters[k] = v[op.operand[k + 1]];
                work.densities[op.place] = log_density(op.family, v[op.operand[0]], parameters);
                v[i] = work.densities[op.place].value;
                break;
            }
            case Kind::mass: {
                double parameters[most_parameters] = {};
                for (std::size_t k = 0; k < parameter_count(op.family); ++k) parameters[k] = v[op.operand[k + 1]];
                work.densities[op.place] = log_mass(*op.family, regions_[op.operand[0]], parameters);
                v[i] = work.densities[op.place].value;
                break;
            }
            case Kind::sum: {
                double total = 0;
                for (std::uint32_t k = 0; k < op.operand[1]; ++k) total += v[lists_[op.operand[0] + k]];
                v[i] = total;
                break;
            }
            case Kind::linear: {
                double total = op.constant;
                const Node* part = lists_.data() + op.operand[0];
                const double* coefficient = coefficients_.data() + op.place;
                for (std::uint32_t k = 0; k < op.operand[1]; ++k) total += coefficient[k] * v[part[k]];
                v[i] = total;
                break;
            }
            case Kind::batch:
                v[i] = batch_value(batches_[op.operand[0]], v, work.batches[op.operand[0]]);
                break;
            case Kind::factor: {
                auto& values = work.lists[op.place].values;
                for (std::uint32_t k = 0; k < op.operand[1]; ++k) values[k] = v[lists_[op.operand[0] + k]];
                factor_triangle(values);
                v[i] = 0;
                break;
            }
            case Kind::entry:
                v[i] = work.lists[ops_[op.operand[0]].place].values[op.operand[1]];
                break;
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
            const DensityValue& d = work.densities[op.place];
            adj[a] += adjoint * d.dx;
            for (std::size_t k = 0; k < parameter_count(op.family); ++k) adj[op.operand[k + 1]] += adjoint * d.dp[k];
            return;
        }
        case Kind::mass: {
            const DensityValue& d = work.densities[op.place];
            for (std::size_t k = 0; k < parameter_count(op.family); ++k) adj[op.operand[k + 1]] += adjoint * d.dp[k];
            return;
        }
        case Kind::sum:
            for (std::uint32_t k = 0; k < b; ++k) adj[lists_[a + k]] += adjoint;
            return;
        case Kind::linear: {
            const Node* part = lists_.data() + a;
            const double* coefficient = coefficients_.data() + op.place;
            for (std::uint32_t k = 0; k < b; ++k) adj[part[k]] += adjoint * coefficient[k];
            return;
        }
        case Kind::batch:
            batch_back(batches_[a], adjoint, work.batches[a], adj);
            return;
        case Kind::log_sum_exp:
            if (!std::isfinite(own)) return;
            for (std::uint32_t k = 0; k < b; ++k) adj[lists_[a + k]] += adjoint * std::exp(v[lists_[a + k]] - own);
            return;
        case Kind::factor: {
            auto& list = work.lists[op.place];
            factor_slopes(list.values, list.slopes);
            for (std::uint32_t k = 0; k < b; ++k) adj[lists_[a + k]] += list.slopes[k];
            return;
        }
        case Kind::entry: {
            // The adjoint of a list says whether there are any of its entries.
            auto& slopes = work.lists[ops_[a].place].slopes;
            if (adj[a] == 0) std::fill(slopes.begin(), slopes.end(), 0.0);
            adj[a] = 1;
            slopes[b] += adjoint;
            return;
        }
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

Tape::Workspace Tape::workspace() const {
    Workspace out{std::vector<double>(ops_.size()), std::vector<double>(ops_.size()), std::vector<DensityValue>(densities_), {}, {}};
    for (const auto& batch : batches_) out.batches.push_back(work_of(batch));
    out.lists.resize(factors_);
    for (const auto& op : ops_)
        if (op.kind == Kind::factor) out.lists[op.place] = {std::vector<double>(op.operand[1]), std::vector<double>(op.operand[1])};
    return out;
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
