// The tables of a net's nodes: domains, rows, configurations.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

Frame NetDeclaration::frame_of(const Node& node) const {
    Frame frame = node.outer;
    frame.resize(node.outer.size() + node.decl->parents.size());
    return frame;
}

bool NetDeclaration::has_slot(const Node& node, std::size_t parent) {
    if (node.slots.empty()) return false;
    const VariableRef& ref = node.decl->parents[node.slots[parent]];
    return !ref.index && !rt::contains(node.together, ref.name.text);
}

bool NetDeclaration::parents_known(const Node& node) {
    for (const auto p : node.parents)
        if (is_open(nodes_[p])) report(open_fault(nodes_[p], fmt::format("the table of {} needs them", node.name)));
    const bool known = std::all_of(node.parents.begin(), node.parents.end(), [&](std::size_t p) { return nodes_[p].domain != nullptr; });
    whole_ = whole_ && known;
    return known;
}

bool NetDeclaration::is_open(const Node& node) { return node.hole && !node.domain; }

Fault NetDeclaration::open_fault(const Node& node, std::string why) const {
    return self_.fault("E-DOMAIN", fmt::format("the values of {} are not known", node.name), node.decl->name.span, std::move(why),
                       fmt::format("write {} in {{…}} : ?", node.name));
}

std::size_t NetDeclaration::configurations(const Node& node) const {
    std::size_t out = 1;
    for (const auto p : node.parents) {
        out *= nodes_[p].domain->size();
        if (out > 50'000'000) return out;
    }
    return out;
}

void NetDeclaration::bind_parents(const Node& node, std::size_t configuration, Frame& frame, Evaluator::Indexed& named) const {
    for (std::size_t k = node.parents.size(); k-- > 0;) {
        const Node& parent = nodes_[node.parents[k]];
        Value value = Value::label((*parent.domain)[configuration % parent.domain->size()]);
        configuration /= parent.domain->size();
        if (has_slot(node, k))
            frame[node.outer.size() + node.slots[k]] = std::move(value);
        else
            named.values[parent.name] = std::move(value);
    }
    bind_together(node, named);
}

/// Plates that it names as lists, from the values of their variables.
void NetDeclaration::bind_together(const Node& node, Evaluator::Indexed& named) const {
    for (const auto& plate : node.together) {
        List together;
        for (const auto member : plates_.find(plate)->second)
            if (&nodes_[member] != &node) together.push_back(named.values[nodes_[member].name]);
        named.values[plate] = Value::list(std::move(together));
    }
}

std::string NetDeclaration::configuration_text(const Node& node, std::size_t configuration) const {
    std::string out;
    for (std::size_t k = node.parents.size(); k-- > 0;) {
        const auto& parent = nodes_[node.parents[k]];
        const auto& label = (*parent.domain)[configuration % parent.domain->size()];
        configuration /= parent.domain->size();
        out = parent.name + " = " + label.text() + (out.empty() ? "" : ", " + out);
    }
    return out;
}

void NetDeclaration::add_labels(std::vector<rt::Label>& labels, const Value& value) {
    add_labels_of(value, [&](const rt::Label& label) {
        if (!rt::contains(labels, label)) labels.push_back(label);
    });
}

void NetDeclaration::add_labels_of(const Value& value, const std::function<void(const rt::Label&)>& add) {
    if (const auto* record = value.get<RecordPtr>()) {
        for (const auto& [key, weight] : (*record)->entries) add(rt::Label::of_text(key));
    } else if (const auto* factor = value.get<FactorPtr>(); factor && (*factor)->variables().size() == 1) {
        for (const auto& label : (*factor)->variables()[0].domain->labels()) add(label);
    } else if (const auto* d = value.get<rt::DistributionPtr>()) {
        if (const auto finite = (*d)->finite_values())
            for (const auto& label : finite->labels()) add(label);
    } else if (value.is<rt::Number>()) {
        add(rt::Label::of_bool(true));
        add(rt::Label::of_bool(false));
    } else if (const auto label = value.as_label()) {
        add(*label);
    }
}

void NetDeclaration::tabulate(Node& node) {
    const NetNodeDecl& decl = *node.decl;
    if (decl.distributed) {
        tabulate_drawn(node);
        return;
    }
    if (is_drawn_by_rows(decl)) return tabulate_drawn_rows(node);
    if (is_drawn_by_expression(node)) return draw_by_expression(node);
    const auto real = std::find_if(node.parents.begin(), node.parents.end(), [&](std::size_t p) { return nodes_[p].continuous; });
    if (real != node.parents.end()) {
        if (const auto* block = std::get_if<CptBlock>(&decl.table)) return tabulate_label_rows(node, *block);
        const Expr& expr = *std::get<ExprPtr>(decl.table);
        if (std::holds_alternative<HoleLit>(expr.node)) {
            report(self_.fault(
                "E-TYPE",
                fmt::format("{} cannot be learned as a table: its parent {} has no finite list of values", node.name, nodes_[*real].name),
                decl.name.span, fmt::format("{} is a number", nodes_[*real].name),
                fmt::format("draw it instead, as in {} ~ bernoulli(1 / (1 + exp(? + ? * {})))", node.name, nodes_[*real].name)));
            node.known = false;
            return;
        }
        return compute(node, expr);
    }
    Frame frame = frame_of(node);
    if (decl.domain && !declare_domain(node, frame)) return;
    if (!node.known) {
        whole_ = false;
        return;
    }
    if (const auto* block = std::get_if<CptBlock>(&decl.table)) {
        tabulate_block(node, *block, frame);
        return;
    }
    const Expr& expr = *std::get<ExprPtr>(decl.table);
    if (std::holds_alternative<HoleLit>(expr.node)) {
        node.hole = true;  // without a domain the data bring the values
        return;
    }
    if (const Call* call = noisy_call(decl)) return tabulate_noisy(node, *call, frame);
    if (!partial_hole(expr)) tabulate_expression(node, expr, frame);
}

bool NetDeclaration::declare_domain(Node& node, Frame& frame) {
    const NetNodeDecl& decl = *node.decl;
    std::vector<rt::Label> labels;
    for (const auto& item : *decl.domain) {
        if (!evaluable(*item)) {
            whole_ = false;
            return false;
        }
        auto value = self_.eval_label(*item, frame);
        if (!value) {
            report(std::move(value).fault());
            return false;
        }
        const List* many = std::holds_alternative<Range>(item->node) ? value->items() : nullptr;  // in {1..6}
        const List one{*value};
        for (const auto& v : many ? *many : one) {
            const auto label = v.as_label();
            if (!label) {
                report(self_.fault("E-TYPE", fmt::format("a value of a variable is a label or a number, not {}", v.kind()), item->span));
                return false;
            }
            if (rt::contains(labels, *label)) {
                report(self_.fault("E-DUPLICATE", fmt::format("{} has the value {} twice", node.name, label->text()), item->span));
                return false;
            }
            labels.push_back(*label);
        }
    }
    if (labels.empty()) {
        report(self_.fault("E-DOMAIN", fmt::format("{} has no values", node.name), decl.span));
        return false;
    }
    node.domain = rt::make_domain(std::move(labels));
    return true;
}

bool NetDeclaration::partial_hole(const Expr& row) {
    const auto* record = std::get_if<RecordLit>(&row.node);
    for (std::size_t i = 0; record && i < record->entries.size(); ++i) {
        if (!std::holds_alternative<HoleLit>(record->entries[i].value->node)) continue;
        report(self_.fault("E-HOLE", "a row must be known or unknown as a whole", record->entries[i].value->span,
                           "one part cannot be a hole", "write ? in place of the whole row"));
        return true;
    }
    return false;
}

/// One row of a table, from whatever may be written there. What is wrong is reported.
class NetDeclaration::RowReader {
public:
    RowReader(NetDeclaration& net, const Node& node, const Expr& written, const Where& where)
        : net_(net),
          node_(node),
          written_(written),
          literal_(std::get_if<RecordLit>(&written.node)),
          where_(where),
          row_(node.domain->size(), rt::Number(0)) {}

    std::optional<Row> operator()(const Value& value) && {
        if (!read(value) || !sums_to_one()) return std::nullopt;
        return std::move(row_);
    }

private:
    bool read(const Value& value) {
        if (const auto* record = value.get<RecordPtr>()) return read_record(**record);
        if (const auto* factor = value.get<FactorPtr>(); factor && (*factor)->variables().size() == 1) return read_factor(**factor);
        if (const auto* d = value.get<rt::DistributionPtr>()) return read_distribution(**d);
        if (const auto* p = value.get<rt::Number>(); p && !node_.domain->find(rt::Label::of_number(*p))) return read_probability(*p);
        if (const auto label = value.as_label()) return set(*label, rt::Number(1));
        return wrong_kind(value);
    }

    bool fail(rt::FaultCode code, std::string message, Span span, std::string label = {}, std::string hint = {}) {
        net_.report(net_.self_.fault(code, std::move(message), span, std::move(label), std::move(hint)));
        return false;
    }

    Span entry_span(const rt::Label& label, bool key) const {
        for (std::size_t i = 0; literal_ && i < literal_->entries.size(); ++i)
            if (literal_->entries[i].key.text == label.text())
                return key ? literal_->entries[i].key.span : literal_->entries[i].value->span;
        return written_.span;
    }

    bool set(const rt::Label& label, const rt::Number& p) {
        const auto position = node_.domain->find(label);
        if (!position && p.is_zero() && !node_.decl->domain) return true;  // a value that is never reached is left out
        if (!position) {
            net_.report(net_.self_.at(no_such_label({node_.name, node_.domain}, label), entry_span(label, true)));
            return false;
        }
        if (p.sign() < 0)
            return fail(
                "E-NEGATIVE",
                fmt::format("the probability of {} = {}{} is negative ({})", node_.name, label.text(), where_(), show_inline(Value(p), {})),
                entry_span(label, false));
        row_[*position] = p;
        return true;
    }

    bool read_record(const Record& record) {
        for (const auto& [key, weight] : record.entries) {
            const auto* p = weight.get<rt::Number>();
            if (!p)
                return fail("E-TYPE", fmt::format("a probability is a number, not {}", weight.kind()), written_.span, {},
                            weight.is<RecordPtr>() && !node_.parents.empty()
                                ? fmt::format("a record of rows is indexed by the parent: {}[{}]", net_.self_.source_->text(written_.span),
                                              net_.nodes_[node_.parents[0]].name)
                                : "");
            if (record.find(key) != &weight) return fail("E-DUPLICATE", fmt::format("{} is given twice{}", key, where_()), written_.span);
            if (!set(rt::Label::of_text(key), *p)) return false;
        }
        return true;
    }

    bool read_factor(const rt::Factor& factor) {
        for (std::size_t i = 0; i < factor.size(); ++i)
            if (!set(factor.labels(i)[0], factor.at(i))) return false;
        return true;
    }

    bool read_distribution(const rt::Distribution& d) {
        const auto finite = d.finite_values();
        if (!finite)
            return fail("E-TYPE", fmt::format("{} has infinitely many values: use {} ~ {}(…)", d.name(), node_.name, d.name()),
                        written_.span);
        for (const auto& label : finite->labels()) {
            auto p = d.pdf(label.number() && d.support() != rt::Support::labels ? rt::Outcome(*label.number()) : rt::Outcome(label));
            if (!p) {
                net_.report(net_.self_.at(std::move(p).fault(), written_.span));
                return false;
            }
            if (!set(label, *p)) return false;
        }
        return true;
    }

    /// A number alone: P(true).
    bool read_probability(const rt::Number& p) {
        const auto& domain = *node_.domain;
        const auto yes = domain.find(rt::Label::of_bool(true));
        const auto no = domain.find(rt::Label::of_bool(false));
        if (!yes || !no || domain.size() != 2)
            return fail("E-TYPE", fmt::format("a single number is P(true) of a boolean, and {} is not a boolean", node_.name),
                        written_.span, fmt::format("its values are {}", listed(label_texts(domain))));
        if (p.sign() < 0 || p > rt::Number(1)) {
            const std::string text = show_inline(Value(p), {});
            const bool is_value = net_.arguments_.empty() && p.is_exact() && p.exact().to_int64();
            const std::string certain = node_.parents.empty() ? fmt::format("{0} with the value {1} is {0} : {{{1}: 1}}", node_.name, text)
                                                              : fmt::format("a row with the value {0} is {{{0}: 1}}", text);
            return fail(p.sign() < 0 ? rt::FaultCode("E-NEGATIVE") : rt::FaultCode("E-SUM"),
                        fmt::format("P({} = true){} is {}, which is not a probability", node_.name, where_(), text), written_.span,
                        "a probability lies between 0 and 1", is_value ? "a number alone is P(true); " + certain : "");
        }
        row_[*yes] = p;
        row_[*no] = rt::Number(1) - p;
        return true;
    }

    bool wrong_kind(const Value& value) {
        const List* items = value.items();
        const bool shares = items && value.is<ListPtr>() && std::any_of(items->begin(), items->end(), [](const Value& item) {
                                const auto* n = item.get<rt::Number>();
                                return n && n->is_exact() && !n->exact().to_int64();
                            });
        return fail("E-TYPE", fmt::format("a row is a distribution, a number or a label, not {}", value.kind()), written_.span,
                    items ? "these values have no probabilities" : "",
                    shares ? "give each value its probability: { heads: 0.5, tails: 0.5 }"
                    : items && node_.parents.empty()
                        ? fmt::format("values that are equally likely are written uniform({})", net_.self_.source_->text(written_.span))
                        : "");
    }

    bool sums_to_one() {
        rt::Number total = 0;
        for (const auto& p : row_) total += p;
        if (rt::sums_to_one(total)) return true;
        return fail("E-SUM", fmt::format("the probabilities of {}{} do not sum to 1", node_.name, where_()), written_.span,
                    fmt::format("they sum to {}", total.is_exact() ? rt::label_text(total) : show_inline(Value(total), {})),
                    total == rt::Number(100) ? "percentages are written with their sign, as in 50%" : "");
    }

    NetDeclaration& net_;
    const Node& node_;
    const Expr& written_;
    const RecordLit* literal_;
    const Where& where_;
    Row row_;
};

std::optional<NetDeclaration::Row> NetDeclaration::row_of(const Node& node, const Value& value, const Expr& written, const Where& where) {
    return RowReader(*this, node, written, where)(value);
}

std::optional<std::vector<std::size_t>> NetDeclaration::row_matches(const Node& node, const CptRow& row, Frame& frame) {
    std::vector<std::size_t> out;
    if (row.is_else) {
        out.resize(configurations(node));
        for (std::size_t c = 0; c < out.size(); ++c) out[c] = c;
        return out;
    }
    if (row.keys.size() != node.parents.size()) {
        report(self_.fault("E-ROW",
                           fmt::format("a row of {} has {}, found {}", node.name, rt::counted(node.parents.size(), "key"), row.keys.size()),
                           row.span, "one for each parent, in their order"));
        return std::nullopt;
    }
    out.push_back(0);
    for (std::size_t k = 0; k < row.keys.size(); ++k) {
        const auto& parent = nodes_[node.parents[k]];
        std::vector<std::size_t> values;
        if (row.keys[k].any) {
            for (std::size_t v = 0; v < parent.domain->size(); ++v) values.push_back(v);
        } else {
            rt::Label label = rt::Label::of_text(row.keys[k].label.text);
            Span span = row.keys[k].label.span;
            if (row.keys[k].computed) {
                auto value = self_.eval(*row.keys[k].computed, frame);
                if (!value) {
                    report(std::move(value).fault());
                    return std::nullopt;
                }
                span = row.keys[k].computed->span;
                const auto computed = value->as_label();
                if (!computed) {
                    report(self_.fault("E-TYPE", fmt::format("a key is a label, not {}", value->kind()), span));
                    return std::nullopt;
                }
                label = *computed;
            }
            const auto position = parent.domain->find(label);
            if (!position && node.outer.size() == arguments_.size()) {
                report(self_.at(no_such_label({parent.name, parent.domain}, label), span));
                return std::nullopt;
            }
            // In a plate the key may be a value of another parent in this place: X[3] can be 0, X[1] cannot.
            if (!position) {
                unmatched_.try_emplace(&row.keys[k], self_.at(no_such_label({parent.name, parent.domain}, label), span));
            } else {
                unmatched_[&row.keys[k]] = std::nullopt;
                values.push_back(*position);
            }
        }
        std::vector<std::size_t> next;
        for (const auto c : out)
            for (const auto v : values) next.push_back(c * parent.domain->size() + v);
        out = std::move(next);
    }
    return out;
}

/// Which row each configuration has; nothing if some have none or a row is wrong, which is reported.
std::optional<std::vector<std::optional<std::size_t>>> NetDeclaration::rows_of_configurations(const Node& node, const CptBlock& block,
                                                                                              Frame& frame) {
    std::vector<std::optional<std::size_t>> out(configurations(node));
    const std::size_t faults_before = faults_.size();
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
        const auto matches = row_matches(node, block.rows[r], frame);
        if (!matches) continue;
        std::size_t fresh = 0;
        for (const auto c : *matches) {
            if (out[c]) continue;
            out[c] = r;
            ++fresh;
        }
        if (fresh == 0 && !matches->empty() && !block.rows[r].is_else)
            report(self_.fault("E-DUPLICATE", fmt::format("this row of {} only repeats earlier rows", node.name), block.rows[r].span,
                               "earlier rows cover all its configurations"));
    }
    std::vector<std::string> missing;
    for (std::size_t c = 0; c < out.size(); ++c)
        if (!out[c] && missing.size() < 13) missing.push_back("(" + configuration_text(node, c) + ")");
    if (!missing.empty() && faults_.size() == faults_before)
        report(self_.fault("E-MISSING", fmt::format("the table of {} leaves out {}", node.name, listed(missing)), node.decl->name.span,
                           "every configuration of the parents needs a row", "add an `else : …` row for the rest"));
    if (faults_.size() != faults_before) return std::nullopt;
    return out;
}

/// Nothing, after a report, if one of them has none; a hole is an empty one.
std::optional<std::vector<std::optional<Value>>> NetDeclaration::values_of_rows(Node& node, const CptBlock& block, Frame& frame) {
    std::vector<std::optional<Value>> out;
    for (const auto& row : block.rows) {
        if (std::holds_alternative<HoleLit>(row.value->node)) {
            out.emplace_back(std::nullopt);
            node.hole = true;
            continue;
        }
        if (partial_hole(*row.value)) return std::nullopt;
        auto value = self_.eval(*row.value, frame);
        if (!value) {
            report(std::move(value).fault());
            return std::nullopt;
        }
        out.emplace_back(*std::move(value));
    }
    return out;
}

/// The labels that the rows name.
bool NetDeclaration::infer_domain(Node& node, const std::vector<std::optional<Value>>& values) {
    std::vector<rt::Label> labels;
    // Beside rows over numbers, {1: 0.5, 3: 0.5}, a number is the value that is certain; else it is P(true).
    const bool over_numbers = std::any_of(values.begin(), values.end(), [](const auto& value) {
        const auto* record = value ? value->template get<RecordPtr>() : nullptr;
        return record && !(*record)->entries.empty() && rt::Label::of_text((*record)->entries[0].first).is_number();
    });
    for (const auto& value : values) {
        if (!value) continue;
        if (over_numbers && value->is<rt::Number>()) {
            const auto label = *value->as_label();
            if (!rt::contains(labels, label)) labels.push_back(label);
        } else {
            add_labels(labels, *value);
        }
    }
    if (labels.empty()) {
        report(self_.fault("E-DOMAIN", fmt::format("the values of {} are not known", node.name), node.decl->name.span, {},
                           fmt::format("write {} in {{…}}", node.name)));
        return false;
    }
    const bool boolean = labels.size() == 1 && (labels[0].text() == "true" || labels[0].text() == "false");
    if (boolean) labels = {rt::Label::of_bool(true), rt::Label::of_bool(false)};
    // The members of a plate mostly have the same values: they share them.
    auto& last = last_domains_[node.decl];
    if (!last || last->labels() != labels) last = rt::make_domain(std::move(labels));
    node.domain = last;
    return true;
}

/// " given A = a, B = …": the keys of a row.
std::string NetDeclaration::given_text(const Node& node, const CptRow& row) const {
    std::string out;
    for (std::size_t k = 0; k < row.keys.size() && k < node.parents.size(); ++k) {
        if (row.keys[k].any) continue;
        const std::string key = row.keys[k].computed ? "…" : row.keys[k].label.text;
        out += (out.empty() ? " given " : ", ") + nodes_[node.parents[k]].name + " = " + key;
    }
    return out;
}

void NetDeclaration::tabulate_block(Node& node, const CptBlock& block, Frame& frame) {
    const bool by_expressions = std::any_of(block.rows.begin(), block.rows.end(), [&](const CptRow& row) {
        return mentions_parents(node, *row.value) || std::any_of(row.keys.begin(), row.keys.end(), [&](const RowKey& key) {
                   return key.computed && mentions_parents(node, *key.computed);
               });
    });
    if (by_expressions) {
        if (!parents_known(node) || too_many_rows(node, node.decl->span)) return;
        if (is_record(node, block))
            tabulate_record(node, block, frame);
        else
            tabulate_rows(node, block, frame);
        return;
    }
    const auto evaluated = values_of_rows(node, block, frame);
    if (!evaluated) return;
    const auto& values = *evaluated;
    if (!node.domain && !infer_domain(node, values)) return;
    if (!parents_known(node) || too_many_rows(node, node.decl->span)) return;
    const std::size_t count = configurations(node);
    const std::size_t faults_before = faults_.size();
    const auto row_of_configuration = rows_of_configurations(node, block, frame);
    std::vector<std::optional<Row>> rows(block.rows.size());
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
        if (!values[r]) continue;
        rows[r] = row_of(node, *values[r], *block.rows[r].value, [&] { return given_text(node, block.rows[r]); });
    }
    if (!row_of_configuration || faults_.size() != faults_before) return;
    node.table.reserve(count * node.domain->size());
    const Row unknown(node.domain->size());
    for (std::size_t c = 0; c < count; ++c) {
        const bool given = values[*(*row_of_configuration)[c]].has_value();
        const auto& row = given ? *rows[*(*row_of_configuration)[c]] : unknown;
        node.table.insert(node.table.end(), row.begin(), row.end());
        if (node.hole) node.known_rows.push_back(given ? 1 : 0);
    }
}

}  // namespace credence::lang
