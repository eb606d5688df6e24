#pragma once
// Small nets with real-valued nodes, written by hand.

#include <string>
#include <vector>

#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt::testing {

/// Nodes are named by their position as they are added.
class NetWriter {
public:
    VarId drawn(std::string name, Family family, std::vector<Term> parameters, DomainPtr domain = nullptr) {
        ContinuousNode node;
        node.variable = {std::move(name), std::move(domain)};
        node.family = family;
        node.parameters = std::move(parameters);
        if (family == Family::bernoulli) node.variable.domain = boolean_domain();
        net_.nodes.push_back(std::move(node));
        return static_cast<VarId>(net_.nodes.size() - 1);
    }
    ContinuousNet net() const { return net_; }

private:
    ContinuousNet net_;
};

inline Term num(double x) { return constant_term(Rational::from_decimal(x)); }
inline Term var(VarId v) { return variable_term(v); }
inline Term operator+(const Term& a, const Term& b) { return make_term(TermOp::add, {a, b}); }
inline Term operator*(const Term& a, const Term& b) { return make_term(TermOp::multiply, {a, b}); }

inline Event observed(VarId v, double x) {
    Event event;
    event.atom = {v, Compare::equal, {Label::of_number(Rational::from_decimal(x))}, Origin::none};
    return event;
}
inline Event observed(VarId v, bool x) {
    Event event;
    event.atom = {v, Compare::equal, {Label::of_bool(x)}, Origin::none};
    return event;
}

}  // namespace credence::rt::testing
