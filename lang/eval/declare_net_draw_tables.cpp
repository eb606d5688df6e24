// Draws whose terms are known: what is checked of them, and the tables of those that have listed values.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/distributions/by_cases.hpp"

namespace credence::lang {

namespace {

constexpr std::int64_t most_listed_counts = 1000;  ///< a binomial of more trials is a number without listed values

}  // namespace

/// A draw that terms cannot express, such as uniform(1..n) with a variable n: if all parents have listed values, it has a list in each
/// configuration.
void NetDeclaration::tabulate_draws(Node& node, Fault otherwise) {
    const bool listed = std::all_of(node.parents.begin(), node.parents.end(), [&](std::size_t p) { return nodes_[p].domain != nullptr; });
    if (listed && !node.parents.empty()) {
        Frame frame = frame_of(node);
        node.drawn.reset();
        if (tabulate_expression(node, *std::get<ExprPtr>(node.decl->table), frame)) return;
    }
    report(std::move(otherwise));
    node.known = false;
    whole_ = false;
}

/// Labels of the right variable, numbers where numbers are due.
bool NetDeclaration::check_leaves(const Node& node, const rt::Term& term, Span span) {
    bool fine = true;
    rt::rewrite(term, [&](const rt::TermNode& leaf) -> rt::Term {
        if (rt::index(leaf.variable) >= nodes_.size()) return nullptr;  // a hole
        const Node& parent = nodes_[rt::index(leaf.variable)];
        if (!fine || !parent.known) {
            fine = false;
            return nullptr;
        }
        if (leaf.op == rt::TermOp::is) {
            if (!parent.domain) {
                report(self_.fault("E-TYPE", fmt::format("{} is a number, and '{}' is not", parent.name, leaf.label.text()), span));
                fine = false;
            } else if (!parent.domain->find(leaf.label)) {
                report(self_.at(no_such_label({parent.name, parent.domain}, leaf.label), span));
                fine = false;
            }
            return nullptr;
        }
        if (leaf.op == rt::TermOp::variable && parent.dimension > 0) {
            report(self_.fault("E-TYPE", fmt::format("{} is a list of {} numbers", parent.name, parent.dimension), span,
                               fmt::format("a number is needed for {}", node.name), fmt::format("write {}[1], …", parent.name)));
            fine = false;
        } else if (leaf.op == rt::TermOp::variable && parent.domain) {
            for (const auto& label : parent.domain->labels())
                if (!label.is_number() && label.text() != "true" && label.text() != "false" && fine) {
                    report(self_.fault("E-TYPE", fmt::format("the values of {} are not numbers ({})", parent.name, label.text()), span,
                                       "a number is needed here",
                                       fmt::format("write if {} == {} then … else …", parent.name, label.text())));
                    fine = false;
                }
        }
        return nullptr;
    });
    return fine;
}

/// The family's own complaint about parameters that are constant; those that are not count as harmless.
void NetDeclaration::check_constants(const Node& node) {
    const Drawn& d = *node.drawn;
    std::vector<rt::Number> numbers;
    bool any = false;
    for (const auto& term : d.parameters) {
        any = any || rt::is_constant(term);
        numbers.push_back(rt::is_constant(term) ? term->value : rt::Number(rt::Rational(1, 2)));
    }
    const bool all = std::all_of(d.parameters.begin(), d.parameters.end(), [](const rt::Term& t) { return rt::is_constant(t); });
    if (!any || (d.family == rt::Family::categorical && !all)) return;
    if (d.family == rt::Family(rt::by_cases_family)) return;  // its cases were checked one by one
    if ((d.family == rt::Family::uniform || d.family->within) && !all) return;
    // Counts that are not known yet: one alone may be any, several have to fit each other.
    const auto& declared = d.family->parameters;
    const auto counts = std::count_if(declared.begin(), declared.end(), [](const auto& p) { return !p.learnable(); });
    for (std::size_t i = 0; d.family->top && i < declared.size(); ++i) {
        if (declared[i].learnable() || rt::is_constant(d.parameters[i])) continue;
        if (counts > 1) return;
        numbers[i] = 1;
    }
    auto made = rt::make_distribution(d.family, numbers, d.labels);
    if (made) return;
    Fault fault = std::move(made).fault();
    Span where = node.decl->span;
    const auto names = d.family->names();
    for (std::size_t i = 0; i < names.size() && i < d.spans.size(); ++i)
        if (fault.message.find(fmt::format(": {} ", names[i])) != std::string::npos) where = d.spans[i];
    report(self_.at(std::move(fault), where));
}

void NetDeclaration::tabulate_drawn(Node& node) {
    if (node.known && !node.lowered) {
        // Lowering may leave out parents that make no difference; a draw by rows needs them all.
        const auto named = node.parents;
        if (auto wrong = lower_drawn(node)) {
            node.parents = named;
            return tabulate_draws(node, *std::move(wrong));
        }
    }
    if (node.computed) {  // a part of a covariance
        if (check_leaves(node, node.computed, node.decl->span)) return;
        node.known = false;
    }
    if (!node.known || !node.drawn) {
        whole_ = false;
        return;
    }
    finish_drawn(node);
}

void NetDeclaration::finish_drawn(Node& node) {
    const Drawn& d = *node.drawn;
    for (std::size_t i = 0; i < d.parameters.size(); ++i)
        if (!check_leaves(node, d.parameters[i], d.spans[i])) {
            node.known = false;
            whole_ = false;
            return;
        }
    const std::size_t before = faults_.size();
    check_constants(node);
    if (faults_.size() != before) {
        node.known = false;
        return;
    }
    if (!list_values(node)) return;
    const bool finite_parents =
        std::all_of(node.parents.begin(), node.parents.end(), [&](std::size_t p) { return nodes_[p].domain != nullptr; });
    if (!node.domain && d.family == rt::Family::binomial && finite_parents && !node.parents.empty() && !d.holes) {
        return tabulate_draws(node, {});  // of a number of trials that is a variable: it always has listed values
    }
    node.continuous = !node.domain;
    if (node.domain && finite_parents && !d.holes) tabulate_finite_draw(node);
}

bool NetDeclaration::list_values(Node& node) {
    const Drawn& d = *node.drawn;
    if (d.family == rt::Family::bernoulli) node.domain = rt::boolean_domain();
    if (d.family == rt::Family::categorical) {
        for (std::size_t i = 0; i < d.labels.size(); ++i)
            if (std::find(d.labels.begin(), d.labels.begin() + static_cast<std::ptrdiff_t>(i), d.labels[i]) !=
                d.labels.begin() + static_cast<std::ptrdiff_t>(i)) {
                report(self_.fault("E-DUPLICATE", fmt::format("{} has the value {} twice", node.name, d.labels[i].text()), d.spans[i]));
                return false;
            }
        node.domain = rt::make_domain(d.labels);
    }
    const rt::Term& most = d.most ? d.most : d.parameters[0];
    if (d.family != rt::Family::binomial || !rt::is_constant(most) || !most->value.is_exact()) return true;
    const auto n = most->value.exact().to_int64();
    if (!n || *n > most_listed_counts) return true;
    std::vector<rt::Label> labels;
    for (std::int64_t k = 0; k <= *n; ++k) labels.push_back(rt::Label::of_number(rt::Number(rt::Rational(k))));
    node.domain = rt::make_domain(std::move(labels));
    return true;
}

/// Its row in one configuration of its parents; nothing if the family refuses these parameters.
std::optional<std::vector<rt::Number>> NetDeclaration::drawn_row(const Node& node, std::size_t configuration,
                                                                 std::optional<Fault>& wrong) const {
    const Drawn& d = *node.drawn;
    std::vector<rt::Number> numbers;
    for (const auto& term : d.parameters) {
        const auto here = rt::rewrite(term, [&](const rt::TermNode& leaf) -> rt::Term {
            std::size_t rest = configuration;
            for (std::size_t k = node.parents.size(); k-- > 0;) {
                const auto& domain = *nodes_[node.parents[k]].domain;
                if (node.parents[k] == rt::index(leaf.variable)) return rt::leaf_value(leaf, domain[rest % domain.size()]);
                rest /= domain.size();
            }
            return nullptr;
        });
        numbers.push_back(here->value);
    }
    auto made = rt::make_distribution(d.family, numbers, d.labels);
    std::vector<rt::Number> row;
    for (std::size_t v = 0; made && v < node.domain->size(); ++v) {
        const auto& label = (*node.domain)[v];
        auto p = (*made)->pdf(d.family == rt::Family::binomial ? rt::Outcome(*label.number()) : rt::Outcome(label));
        if (!p)
            made = std::move(p).fault();
        else
            row.push_back(*std::move(p));
    }
    if (made) return row;
    wrong = std::move(made).fault();
    return std::nullopt;
}

/// An ordinary table, for the engines of discrete nets.
void NetDeclaration::tabulate_finite_draw(Node& node) {
    const std::size_t count = configurations(node);
    if (count * node.domain->size() > 20'000'000) {
        report(self_.fault("E-COST", fmt::format("the table of {} would have more than 20,000,000 rows", node.name), node.decl->span));
        return;
    }
    std::optional<rt::Factor> joint;
    for (std::size_t c = 0; c < count; ++c) {
        std::optional<Fault> wrong;
        if (const auto row = drawn_row(node, c, wrong)) {
            node.table.insert(node.table.end(), row->begin(), row->end());
            continue;
        }
        if (!can_be(node, c)) {
            node.table.clear();  // it stays drawn, and is checked where a query leads there
            return;
        }
        if (can_be_reached(node, c, joint)) {
            if (!node.parents.empty()) wrong->message += " given " + configuration_text(node, c);
            report(self_.at(*std::move(wrong), node.decl->span));
            return;
        }
        node.table.resize((c + 1) * node.domain->size(), rt::Number(rt::Rational(1, static_cast<std::int64_t>(node.domain->size()))));
    }
    node.drawn.reset();
}

bool NetDeclaration::can_be(const Node& node, std::size_t configuration) const {
    for (std::size_t k = node.parents.size(); k-- > 0;) {
        const auto& parent = nodes_[node.parents[k]];
        const std::size_t size = parent.domain->size();
        bool somewhere = parent.table.empty();
        for (std::size_t at = configuration % size; at < parent.table.size(); at += size)
            somewhere = somewhere || !parent.table[at].is_zero();
        if (!somewhere) return false;
        configuration /= size;
    }
    return true;
}

}  // namespace credence::lang
