#pragma once
// Small nets by hand and at random, and short ways to write queries, for tests.

#include <random>
#include <string>
#include <vector>

#include "runtime/prob/declared/net.hpp"

namespace credence::test {

using namespace credence::rt;

inline Variable variable(std::string name, const std::vector<std::string>& labels) {
    std::vector<Label> out;
    for (const auto& text : labels) out.push_back(Label::of_text(text));
    return {.name = std::move(name), .domain = make_domain(std::move(out))};
}

inline std::vector<Rational> fractions(const std::vector<std::string>& texts) {
    std::vector<Rational> out;
    for (const auto& text : texts) out.push_back(*Rational::parse(text));
    return out;
}

inline NetNode node(Variable v, std::vector<unsigned> parents, const std::vector<std::string>& table) {
    NetNode out;
    out.variable = std::move(v);
    for (const auto parent : parents) out.parents.push_back(static_cast<VarId>(parent));
    out.table = fractions(table);
    return out;
}

inline VarId var(const Model& model, std::string_view name) {
    for (std::size_t i = 0; i < model.variables().size(); ++i)
        if (model.variables()[i].variable.name == name) return static_cast<VarId>(i);
    throw std::runtime_error("no variable " + std::string(name));
}

inline Event is(VarId variable, const std::string& value) {
    Event out;
    out.atom = {.variable = variable, .compare = Compare::equal, .values = {Label::of_text(value)}};
    return out;
}

inline Event compare(VarId variable, Compare how, const std::vector<std::string>& values) {
    Event out;
    out.atom = {.variable = variable, .compare = how, .values = {}};
    for (const auto& value : values) out.atom.values.push_back(Label::of_text(value));
    return out;
}

inline Event combined(Event::Kind kind, std::vector<Event> parts) {
    Event out;
    out.kind = kind;
    out.parts = std::move(parts);
    return out;
}

/// Russell & Norvig's burglary net: nodes Burglary, Earthquake, Alarm, JohnCalls, MaryCalls.
inline NetPtr burglary() {
    const std::vector<std::string> yes_no{"true", "false"};
    Net net;
    net.name = "Alarm";
    net.nodes = {node(variable("Burglary", yes_no), {}, {"0.001", "0.999"}), node(variable("Earthquake", yes_no), {}, {"0.002", "0.998"}),
                 node(variable("Alarm", yes_no), {0, 1}, {"0.95", "0.05", "0.94", "0.06", "0.29", "0.71", "0.001", "0.999"}),
                 node(variable("JohnCalls", yes_no), {2}, {"0.9", "0.1", "0.05", "0.95"}),
                 node(variable("MaryCalls", yes_no), {2}, {"0.7", "0.3", "0.01", "0.99"})};
    return std::make_shared<const Net>(std::move(net));
}

/// A random net of n nodes with up to three parents each; every fifth table entry or so is zero.
inline NetPtr random_net(std::mt19937& random, unsigned n, bool zeros) {
    const auto below = [&](unsigned k) { return static_cast<unsigned>(random() % k); };
    Net net;
    net.name = "Random";
    for (unsigned i = 0; i < n; ++i) {
        std::vector<std::string> labels;
        for (unsigned k = 0, size = 2 + below(2); k < size; ++k) labels.push_back(std::to_string(k));
        NetNode out;
        out.variable = variable("V" + std::to_string(i), labels);
        std::size_t rows = 1;
        for (unsigned tries = 0; i > 0 && tries < below(4); ++tries) {
            const auto parent = static_cast<VarId>(below(i));
            if (std::find(out.parents.begin(), out.parents.end(), parent) != out.parents.end()) continue;
            out.parents.push_back(parent);
            rows *= net.nodes[index(parent)].variable.size();
        }
        std::vector<Rational> table;
        for (std::size_t r = 0; r < rows; ++r) {
            std::vector<std::int64_t> weights;
            std::int64_t total = 0;
            for (std::size_t k = 0; k < labels.size(); ++k) {
                weights.push_back(zeros && below(5) == 0 ? 0 : 1 + below(9));
                total += weights.back();
            }
            if (total == 0) weights[0] = total = 1;
            for (const auto w : weights) table.emplace_back(w, total);
        }
        out.table = std::move(table);
        net.nodes.push_back(std::move(out));
    }
    return std::make_shared<const Net>(std::move(net));
}

inline const Factor& factor(const Answer& answer) { return std::get<Factor>(answer.value); }
inline const Number& number(const Answer& answer) { return std::get<Number>(answer.value); }

}  // namespace credence::test
