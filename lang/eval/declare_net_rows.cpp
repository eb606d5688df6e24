// Tables by expressions over the parents: a value for each of their configurations, worked out once.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/eval/hypothesis_outcomes.hpp"
#include "lang/syntax/walk.hpp"
#include "lang/world/messages.hpp"

namespace credence::lang {

Result<Value> NetDeclaration::eval_in(const Expr& expr, Frame& frame, Evaluator::Indexed& named) {
    auto* outer = std::exchange(self_.indexed_, &named);
    const bool added = std::exchange(self_.keys_add_up_, true);
    auto value = self_.eval(expr, frame);
    self_.indexed_ = outer;
    self_.keys_add_up_ = added;
    return value;
}

namespace {

constexpr std::size_t most_rows = 1'000'000;  // each is an evaluation of the expression

bool is_listed_draw(const Value& value) {
    const auto* d = value.get<rt::DistributionPtr>();
    return d && (*d)->finite_values();
}

}  // namespace

bool NetDeclaration::too_many_rows(const Node& node, Span span) {
    if (configurations(node) <= most_rows) return false;
    refuse_rows(node, span);
    return true;
}

void NetDeclaration::refuse_rows(const Node& node, Span span) {
    report(self_.fault(
        "E-COST", fmt::format("the table of {} would have more than 1,000,000 rows", node.name), span,
        fmt::format("it has {} parents", node.parents.size()),
        node.together.empty()
            ? "a node that keeps a count as it goes needs only the one before it; hypergeometric(…) counts draws without replacement"
            : fmt::format("ask for it in the query, P({} = …): a quantity needs no table", self_.source_->text(span))));
}

const NetDeclaration::Node* NetDeclaration::outgrown(const Node& node, std::size_t values) const {
    for (const auto& other : nodes_) {
        if (other.decl != node.decl || &other == &node) continue;
        double rows = 1;
        bool is_parent = false;
        for (const auto p : other.parents) {
            is_parent = is_parent || &nodes_[p] == &node;
            if (&nodes_[p] == &node)
                rows *= static_cast<double>(values);
            else if (nodes_[p].domain)
                rows *= static_cast<double>(nodes_[p].domain->size());
        }
        if (is_parent && rows > static_cast<double>(most_rows)) return &other;
    }
    return nullptr;
}

bool NetDeclaration::tabulate_expression(Node& node, const Expr& expr, Frame& frame) {
    if (!parents_known(node) || !check_comparisons(node, expr)) return true;
    if (share_table(node, expr) || tabulate_chain(node, expr) || too_many_rows(node, expr.span)) return true;
    if (tabulate_ranges(node, expr, frame)) return true;
    constexpr std::size_t worth_a_look = 1000;
    const std::size_t count = configurations(node);
    std::vector<Said> said(count);
    std::vector<Fault> failures;
    Evaluator::Indexed named;
    for (std::size_t c = 0; c < count; ++c) {
        if (self_.run_.stopped()) {
            report(rt::stopped_fault());
            return true;
        }
        bind_parents(node, c, frame, named);
        auto value = eval_in(expr, frame, named);
        said[c].written = &expr;
        if (value && node.decl->distributed && !is_listed_draw(*value)) return false;
        if (c == 0 && value && count > worth_a_look) {
            std::set<std::string> values;
            add_labels_of(*value, [&](const rt::Label& label) { values.insert(label.text()); });
            // Cards dealt one by one: impossible values of the last card are reported before the table of the previous card is computed.
            if (const Node* later = outgrown(node, values.size())) {
                refuse_rows(*later, expr.span);
                return true;
            }
        }
        said[c].keep(std::move(value), failures);
    }
    tabulate_said(node, std::move(said), std::move(failures), expr.span);
    return true;
}

void NetDeclaration::tabulate_rows(Node& node, const CptBlock& block, Frame& frame) {
    for (const auto& row : block.rows) {
        if (partial_hole(*row.value) || !check_comparisons(node, *row.value)) return;
        for (const auto& key : row.keys)
            if (key.computed && mentions_parents(node, *key.computed))
                return report(self_.fault("E-ROW", "the key of a row is a value of a parent and cannot depend on one", key.computed->span,
                                          {}, "the row itself can: else : {(X - 1): 1/2, (X + 1): 1/2}"));
    }
    const auto rows = rows_of_configurations(node, block, frame);
    if (!rows) return;
    std::vector<Said> said(rows->size());
    std::vector<Fault> failures;
    Evaluator::Indexed named;
    for (std::size_t c = 0; c < said.size(); ++c) {
        if (self_.run_.stopped()) return report(rt::stopped_fault());
        const Expr& written = *block.rows[*(*rows)[c]].value;
        said[c].written = &written;
        if (std::holds_alternative<HoleLit>(written.node)) {
            node.hole = true;
            continue;
        }
        bind_parents(node, c, frame, named);
        auto value = eval_in(written, frame, named);
        said[c].keep(std::move(value), failures);
    }
    tabulate_said(node, std::move(said), std::move(failures), node.decl->span);
}

/// Braces after a bar are rows, whose keys are values of the parents, unless they cannot be that: one key for each line that depends on a
/// parent, or that the only parent does not have as a value, or too few keys.
bool NetDeclaration::is_record(const Node& node, const CptBlock& block) const {
    bool computed = false;
    bool value_of_parent = false;
    for (const auto& row : block.rows) {
        if (row.is_else || row.keys.size() != 1 || row.keys[0].any) return false;
        const RowKey& key = row.keys[0];
        if (key.computed)
            computed = computed || mentions_parents(node, *key.computed);
        else
            value_of_parent = value_of_parent || nodes_[node.parents[0]].domain->find(rt::Label::of_text(key.label.text)).has_value();
    }
    return computed || node.parents.size() > 1 || !value_of_parent;
}

void NetDeclaration::tabulate_record(Node& node, const CptBlock& block, Frame& frame) {
    std::vector<Said> said(configurations(node));
    std::vector<Fault> failures;
    Evaluator::Indexed named;
    const auto record = [&]() -> Result<Value> {
        Record out;
        for (const auto& row : block.rows) {
            std::string key = row.keys[0].label.text;
            if (const auto& computed = row.keys[0].computed) {
                auto value = eval_in(*computed, frame, named);
                if (!value) return value;
                const auto label = value->as_label();
                if (!label) return self_.fault("E-TYPE", fmt::format("a key is a label, not {}", value->kind()), computed->span);
                key = label->text();
            }
            auto weight = TRY(eval_in(*row.value, frame, named));
            TRY(self_.add_entry(out, std::move(key), std::move(weight), row.value->span));
        }
        return Value::record(std::move(out));
    };
    for (std::size_t c = 0; c < said.size(); ++c) {
        if (self_.run_.stopped()) return report(rt::stopped_fault());
        bind_parents(node, c, frame, named);
        auto value = record();
        said[c].written = block.rows[0].value.get();
        said[c].keep(std::move(value), failures);
    }
    tabulate_said(node, std::move(said), std::move(failures), node.decl->span);
}

namespace {

/// The values to which the row gives a probability above 0. Words are values in any case: a number may be computed, a word is written.
void reached(const Value& value, const std::function<void(const rt::Label&)>& add) {
    const auto possible = [](const rt::Label& label, const rt::Number& p) { return !p.is_zero() || !label.is_number(); };
    if (const auto* record = value.get<RecordPtr>()) {
        for (const auto& [key, weight] : (*record)->entries) {
            const auto label = rt::Label::of_text(key);
            if (const auto* p = weight.get<rt::Number>(); !p || possible(label, *p)) add(label);
        }
    } else if (const auto* factor = value.get<FactorPtr>(); factor && (*factor)->variables().size() == 1) {
        for (std::size_t i = 0; i < (*factor)->size(); ++i)
            if (const auto label = (*factor)->labels(i)[0]; possible(label, (*factor)->at(i))) add(label);
    } else if (const auto* d = value.get<rt::DistributionPtr>()) {
        const auto finite = (*d)->finite_values();
        for (std::size_t i = 0; finite && i < finite->size(); ++i) {
            const auto& label = (*finite)[i];
            const auto p = (*d)->pdf((*d)->support() != rt::Support::labels ? rt::Outcome(*label.number()) : rt::Outcome(label));
            if (!p || possible(label, rt::Number(*p))) add(label);
        }
    } else if (const auto label = value.as_label()) {
        add(*label);
    }
}

}  // namespace

/// The values that can be reached: numbers ascending, labels as they appear. A number is a label unless all rows can be read as P(true).
rt::DomainPtr NetDeclaration::domain_said(const Node& node, std::vector<Said>& said, std::optional<rt::Factor>& joint) {
    const auto read = [&] {
        NumberReading out;
        for (const auto& one : said) {
            if (!one.value) continue;
            if (const auto* n = one.value->get<rt::Number>())
                out.number(*n);
            else
                reached(*one.value, [&](const rt::Label& label) { out.beside(label); });
        }
        return out;
    };
    NumberReading reading = read();
    if (reading.is_mixed()) {
        // What nothing reaches does not decide: (2 - drawn) / left is a probability, also where more than 2 cannot have been drawn.
        for (std::size_t c = 0; c < said.size(); ++c) {
            const auto* n = said[c].value ? said[c].value->get<rt::Number>() : nullptr;
            if (n && (n->sign() < 0 || *n > rt::Number(1)) && !can_be_reached(node, c, joint)) said[c].value.reset();
        }
        reading = read();
    }
    const bool probability = node.parents.empty() || reading.meaning() == NumberMeans::probability;
    const rt::DomainPtr truths = rt::boolean_domain();
    std::vector<rt::Label> labels;
    std::set<rt::Label> seen;
    const auto add = [&](const rt::Label& label) {
        if (seen.insert(label).second) labels.push_back(label);
    };
    for (const auto& one : said) {
        if (!one.value) continue;
        const bool truth = one.value->is<bool>() || (probability && one.value->is<rt::Number>());
        if (truth)
            for (const auto& label : truths->labels()) add(label);
        else if (node.parents.empty())
            add_labels_of(*one.value, add);
        else
            reached(*one.value, add);
    }
    if (labels.empty()) return nullptr;
    const bool numeric = std::all_of(labels.begin(), labels.end(), [](const rt::Label& l) { return l.is_number(); });
    if (numeric && !node.parents.empty()) std::sort(labels.begin(), labels.end());
    const bool boolean = std::all_of(labels.begin(), labels.end(), [&](const rt::Label& l) { return truths->find(l); });
    return boolean ? truths : rt::make_domain(std::move(labels));
}

/// Whether its table, and all tables so far, stay within the limits; reports it if they do not.
bool NetDeclaration::has_room(Node& node, std::size_t rows, Span span) {
    const std::string cases = fmt::format("it has {} values in {} cases", node.domain->size(), rows);
    if (rows * node.domain->size() > 20'000'000) {
        report(self_.fault("E-COST", fmt::format("the table of {} would have more than 20,000,000 numbers", node.name), span, cases));
        return false;
    }
    // A count that is kept along a chain has tables that grow with every step.
    constexpr std::size_t most_numbers = 50'000'000;
    numbers_ += rows * node.domain->size();
    if (numbers_ <= most_numbers) return true;
    report(self_.fault("E-COST", fmt::format("up to {}, the tables of this net would have more than 50,000,000 numbers", node.name), span,
                       cases, "a quantity in a query needs no table: P(sum(X) = …), P(count(X) >= …)"));
    node.domain = nullptr;  // what depends on it is not tabulated either
    return false;
}

/// In a plate whose variables have the same parents, and whose expression does not name the plate's values, all tables are the same.
bool NetDeclaration::share_table(Node& node, const Expr& expr) {
    for (std::size_t slot = arguments_.size(); slot < node.outer.size(); ++slot)
        if (mentions_local(expr, static_cast<std::uint32_t>(slot))) return false;
    if (node.outer.size() == arguments_.size() || node.domain || node.parents.empty()) return false;
    const auto& members = plates_.find(node.decl->name.name.text);
    if (members == plates_.end()) return false;
    const Node& first = nodes_[members->second.front()];
    if (&first == &node || first.decl != node.decl || first.parents != node.parents || first.step || first.table.empty()) return false;
    node.domain = first.domain;
    if (!has_room(node, configurations(node), expr.span)) return true;
    node.table = first.table;
    return true;
}

/// X | n : uniform(1..n). The rows are written at once, without a distribution for each. False if it is something else, or goes wrong.
bool NetDeclaration::tabulate_ranges(Node& node, const Expr& expr, Frame& frame) {
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const bool uniform = callee && callee->name == "uniform" && callee->resolved.kind == Resolution::Kind::builtin;
    if (!uniform || call->arguments.size() != 1 || call->arguments[0].name || node.domain || node.parents.empty()) return false;
    const auto* range = std::get_if<Range>(&call->arguments[0].value->node);
    if (!range || range->step) return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> rows(configurations(node));
    Evaluator::Indexed named;
    const auto bound = [&](const Expr& of) -> std::optional<std::int64_t> {
        const auto value = eval_in(of, frame, named);
        const auto* number = value ? value->get<rt::Number>() : nullptr;
        return number && number->is_exact() ? number->exact().to_int64() : std::nullopt;
    };
    constexpr std::int64_t widest = 20'000'000;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t c = 0; c < rows.size(); ++c) {
        if (self_.run_.stopped()) return false;
        bind_parents(node, c, frame, named);
        const auto from = bound(*range->from);
        const auto to = bound(*range->to);
        if (!from || !to || *to < *from || std::abs(*from) > widest || std::abs(*to) > widest) return false;
        rows[c] = {*from, *to};
        least = std::min(least, *from);
        greatest = std::max(greatest, *to);
    }
    std::vector<std::int32_t> steps(static_cast<std::size_t>(greatest - least) + 2, 0);  // how many rows begin less how many have ended
    for (const auto& [from, to] : rows) {
        ++steps[static_cast<std::size_t>(from - least)];
        --steps[static_cast<std::size_t>(to - least) + 1];
    }
    std::vector<rt::Label> labels;
    std::vector<std::size_t> place(steps.size());
    std::int32_t open = 0;
    for (std::size_t v = 0; v + 1 < steps.size(); ++v) {
        open += steps[v];
        place[v] = labels.size();
        if (open > 0) labels.push_back(rt::Label::of_number(rt::Number(rt::Rational(least + static_cast<std::int64_t>(v)))));
    }
    node.domain = rt::make_domain(std::move(labels));
    if (!has_room(node, rows.size(), expr.span)) return true;
    const std::size_t size = node.domain->size();
    node.table.assign(rows.size() * size, rt::Number(0));
    for (std::size_t c = 0; c < rows.size(); ++c) {
        const auto [from, to] = rows[c];
        const auto first = node.table.begin() + static_cast<std::ptrdiff_t>(c * size + place[static_cast<std::size_t>(from - least)]);
        std::fill_n(first, to - from + 1, rt::Number(rt::Rational(1, to - from + 1)));
    }
    return true;
}

void NetDeclaration::tabulate_said(Node& node, std::vector<Said> said, std::vector<Fault> failures, Span span) {
    std::optional<rt::Factor> joint;
    for (std::size_t c = 0; c < said.size(); ++c) {
        if (!said[c].failure || !can_be_reached(node, c, joint)) continue;
        Fault fault = std::move(failures[*said[c].failure]);
        if (!node.parents.empty()) fault.label += (fault.label.empty() ? "where " : " where ") + configuration_text(node, c);
        for (const auto p : node.parents) {
            const auto* written = std::get_if<ExprPtr>(&nodes_[p].decl->table);
            const auto* number = written ? std::get_if<NumberLit>(&(*written)->node) : nullptr;
            if (number && nodes_[p].domain->find(rt::Label::of_bool(true)) && fault.code == "E-TYPE" && fault.hint.empty())
                fault.hint = fmt::format("{0} : {1} says P({0} = true); for the value {1} write {0} : {{{1}: 1}}", nodes_[p].name,
                                         self_.source_->text((*written)->span));
        }
        report(std::move(fault));
        return;
    }
    if (!node.domain) node.domain = domain_said(node, said, joint);
    if (!node.domain) {
        // No row has values to list: the first row's fault explains why.
        const auto some = std::find_if(said.begin(), said.end(), [](const Said& one) { return one.value.has_value(); });
        if (some == said.end()) return report(self_.fault("E-DOMAIN", fmt::format("{} has no values", node.name), span));
        node.domain = rt::boolean_domain();
        row_of(node, *some->value, *some->written, [] { return std::string(); });
        node.domain = nullptr;
        return;
    }
    if (!has_room(node, said.size(), span)) return;
    node.table.reserve(said.size() * node.domain->size());
    // The contents of an unreachable row make no difference.
    const Row any(node.domain->size(), rt::Number(rt::Rational(1, static_cast<std::int64_t>(node.domain->size()))));
    for (std::size_t c = 0; c < said.size(); ++c) {
        std::optional<Row> row = any;
        if (said[c].value) {
            const std::size_t before = faults_.size();
            const Where where = [&] { return node.parents.empty() ? std::string() : " given " + configuration_text(node, c); };
            row = row_of(node, *said[c].value, *said[c].written, where);
            if (!row && can_be_reached(node, c, joint)) {
                // A number outside 0 to 1 was meant as a value: what depends on it is not checked with true and false.
                if (node.parents.empty() && !node.decl->domain && said[c].value->is<rt::Number>()) node.domain = nullptr;
                return;
            }
            faults_.resize(before);
            if (!row) row = any;
        }
        node.table.insert(node.table.end(), row->begin(), row->end());
        if (node.hole) node.known_rows.push_back(std::holds_alternative<HoleLit>(said[c].written->node) ? 0 : 1);
    }
}

/// P(parents), from the tables of all that they depend on; nothing if some of those have none.
std::optional<rt::Factor> NetDeclaration::joint_of_parents(const Node& node) {
    std::vector<std::size_t> ancestors = node.parents;
    std::set<std::size_t> seen(ancestors.begin(), ancestors.end());
    for (std::size_t i = 0; i < ancestors.size(); ++i)
        for (const auto parent : nodes_[ancestors[i]].parents)
            if (seen.insert(parent).second) ancestors.push_back(parent);
    ancestors.assign(seen.begin(), seen.end());
    std::map<std::size_t, rt::VarId> ids;
    for (std::size_t i = 0; i < ancestors.size(); ++i) ids.emplace(ancestors[i], static_cast<rt::VarId>(i));
    auto net = std::make_shared<rt::Net>();
    for (const auto ancestor : ancestors) {
        const Node& from = nodes_[ancestor];
        if (from.drawn || from.computed || from.hole || !from.domain) return std::nullopt;
        if (from.table.size() != configurations(from) * from.domain->size()) return std::nullopt;  // an error left it unfinished
        rt::NetNode out = table_of(from);
        for (auto& parent : out.parents) parent = ids.at(rt::index(parent));
        net->nodes.push_back(std::move(out));
    }
    rt::Query query;
    for (const auto parent : node.parents) query.targets.free.push_back(ids.at(parent));
    auto answer = rt::make_net_model(std::move(net))->ask(query, self_.run_);
    const auto* joint = answer ? std::get_if<rt::Factor>(&answer->value) : nullptr;
    if (!joint || joint->size() != configurations(node)) return std::nullopt;
    return *joint;
}

bool NetDeclaration::can_be_reached(const Node& node, std::size_t configuration, std::optional<rt::Factor>& joint) {
    if (node.parents.empty()) return true;
    if (!joint) joint = joint_of_parents(node);
    return !joint || !joint->at(configuration).is_zero();
}

}  // namespace credence::lang
