#include "lang/value/value.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "lang/value/factor_names.hpp"
#include "lang/value/function.hpp"
#include "runtime/core/json.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::lang {

namespace {

bool equal_lists(const List& a, const List& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Value& x, const Value& y) { return equal(x, y); });
}

bool equal_named(const std::vector<std::pair<std::string, Value>>& a, const std::vector<std::pair<std::string, Value>>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && equal(x.second, y.second); });
}

/// The same quantities and influences, in whatever order they were written.
bool equal_graphs(const rt::FunctionGraph& a, const rt::FunctionGraph& b) {
    const auto quantities = [](const rt::FunctionGraph& g) {
        std::multiset<std::pair<std::string_view, std::string_view>> out;
        for (const auto& q : g.quantities) out.emplace(q.name, q.kind);
        return out;
    };
    const auto influences = [](const rt::FunctionGraph& g) {
        std::multiset<std::tuple<std::string_view, std::string_view, int>> out;
        for (const auto& i : g.influences) out.emplace(g.quantities[i.from].name, g.quantities[i.to].name, i.sign);
        return out;
    };
    return quantities(a) == quantities(b) && influences(a) == influences(b);
}

bool equal_sets(const Set& a, const Set& b) {
    return a.items.size() == b.items.size() && std::all_of(a.items.begin(), a.items.end(), [&](const Value& x) { return b.contains(x); });
}

bool equal_records(const Record& a, const Record& b) {
    if (a.entries.size() != b.entries.size()) return false;
    return std::all_of(a.entries.begin(), a.entries.end(), [&](const auto& entry) {
        const Value* other = b.find(entry.first);
        return other && equal(entry.second, *other);
    });
}

/// Over one variable a factor is its labels and numbers, as a record is; the variable's name tells only factors over several apart.
bool equal_factors(const rt::Factor& f, const rt::Factor& g) {
    if (f.variables().size() != 1 || g.variables().size() != 1) return rt::equal(f, g);
    return rt::equal(f, renamed(g, f.variables()[0].name));
}

bool equal_factor_record(const rt::Factor& f, const Record& r) {
    const auto g = record_as_factor(r, "value");
    return g && equal_factors(f, *g);
}

bool equal_tables(const rt::Table& a, const rt::Table& b) {
    if (a.rows() != b.rows() || a.columns.size() != b.columns.size()) return false;
    for (std::size_t c = 0; c < a.columns.size(); ++c) {
        const auto& x = *a.columns[c];
        const auto& y = *b.columns[c];
        if (x.name != y.name) return false;
        for (std::size_t r = 0; r < a.rows(); ++r) {
            if (x.is_missing(r) != y.is_missing(r)) return false;
            if (!x.is_missing(r) && x.label(r) != y.label(r)) return false;
        }
    }
    return true;
}

bool equal_parameters(const rt::Distribution& a, const rt::Distribution& b) {
    const auto p = a.parameters();
    const auto q = b.parameters();
    return a.name() == b.name() && p.size() == q.size() &&
           std::equal(p.begin(), p.end(), q.begin(), [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; });
}

/// The same model, or one that was learned to be the same: of models that can be saved, what save writes.
bool equal_models(const rt::Model& a, const rt::Model& b) {
    if (&a == &b) return true;
    if (a.kind() != b.kind()) return false;
    const auto one = a.save();
    const auto other = b.save();
    return one && other && one->dump() == other->dump();
}

}  // namespace

const Value* Record::find(std::string_view key) const {
    for (const auto& [name, value] : entries)
        if (name == key) return &value;
    return nullptr;
}

Value::Value() : node_(rt::Number(0)) {}
Value::Value(Node node) : node_(std::move(node)) {}
Value::Value(rt::Number number) : node_(std::move(number)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value Value::boolean(bool b) { return Value(Node(b)); }
Value Value::text(std::string text) { return Value(Node(std::make_shared<const std::string>(std::move(text)))); }
void Extent::contain(const Extent& item) {
    depth = std::max(depth, item.depth + 1);
    size += item.size;
}

namespace {

Extent extent_of(const List& items) {
    Extent out;
    for (const auto& item : items) out.contain(item.extent());
    return out;
}

}  // namespace

ListNode::ListNode(List items) : List(std::move(items)), extent(extent_of(*this)) {}

Extent extent(const Function& function) {
    const auto* closure = std::get_if<Closure>(&function.node);
    return closure ? closure->extent : Extent{};
}

Extent Value::extent() const {
    if (const auto* l = get<ListPtr>()) return (*l)->extent;
    if (const auto* r = get<RecordPtr>()) return (*r)->extent;
    if (const auto* s = get<SetPtr>()) return (*s)->extent;
    if (const auto* i = get<InstancePtr>()) return (*i)->extent;
    if (const auto* f = get<FunctionPtr>()) return lang::extent(**f);
    return {};
}

Value Value::list(List items) { return Value(Node(std::make_shared<const ListNode>(std::move(items)))); }
Value Value::record(Record record) {
    record.extent = {};
    for (const auto& [key, value] : record.entries) record.extent.contain(value.extent());
    return Value(Node(std::make_shared<const Record>(std::move(record))));
}
Value Value::instance(List elements) {
    const Extent extent = extent_of(elements);
    return Value(Node(std::make_shared<const Instance>(Instance{std::move(elements), extent})));
}
Value Value::factor(rt::Factor f) { return Value(Node(std::make_shared<const rt::Factor>(std::move(f)))); }

Value Value::label(const rt::Label& label) {
    if (label.number()) return Value(*label.number());
    if (label.text() == "true") return boolean(true);
    if (label.text() == "false") return boolean(false);
    return text(label.text());
}

std::string_view Value::kind() const {
    static constexpr std::string_view names[] = {"a number",
                                                 "a boolean",
                                                 "a label",
                                                 "a list",
                                                 "a record",
                                                 "a set",
                                                 "an instance",
                                                 "a factor",
                                                 "a distribution",
                                                 "a table",
                                                 "a model",
                                                 "a learner",
                                                 "a function",
                                                 "?",
                                                 "∅",
                                                 "an option",
                                                 "a plot",
                                                 "a graph",
                                                 "an uncertain quantity"};
    return names[node_.index()];
}

std::optional<rt::Label> Value::as_label() const {
    if (const auto* n = get<rt::Number>()) return rt::Label::of_number(*n);
    if (const auto* b = get<bool>()) return rt::Label::of_bool(*b);
    if (const auto* t = get<TextPtr>()) return rt::Label::of_text(**t);
    return std::nullopt;
}

std::optional<rt::Number> Value::as_number() const {
    if (const auto* n = get<rt::Number>()) return *n;
    if (const auto* b = get<bool>()) return rt::Number(*b ? 1 : 0);
    return std::nullopt;
}

std::optional<bool> Value::as_truth() const {
    if (const auto* b = get<bool>()) return *b;
    const auto* n = get<rt::Number>();
    if (n && *n == rt::Number(1)) return true;
    if (n && *n == rt::Number(0)) return false;
    return std::nullopt;
}

const List* Value::items() const {
    if (const auto* l = get<ListPtr>()) return l->get();
    if (const auto* s = get<SetPtr>()) return &(*s)->items;
    if (const auto* i = get<InstancePtr>()) return &(*i)->elements;
    return nullptr;
}

std::optional<rt::Factor> record_as_factor(const Record& record, std::string variable) {
    std::vector<rt::Label> labels;
    std::vector<rt::Number> numbers;
    for (const auto& [key, value] : record.entries) {
        const auto* number = value.get<rt::Number>();
        if (!number) return std::nullopt;
        labels.push_back(rt::Label::of_text(key));
        numbers.push_back(*number);
    }
    if (labels.empty()) return std::nullopt;
    return rt::Factor::of_numbers({rt::Variable{std::move(variable), rt::make_domain(std::move(labels))}}, numbers);
}

rt::Factor renamed(const rt::Factor& f, std::string name) {
    std::vector<rt::Variable> over{{std::move(name), f.variables()[0].domain}};
    return f.over(std::move(over));
}

Value outcome_value(const rt::Outcome& outcome) {
    if (const auto* n = std::get_if<rt::Number>(&outcome)) return Value(*n);
    if (const auto* l = std::get_if<rt::Label>(&outcome)) return Value::label(*l);
    List out;
    for (const auto& n : std::get<rt::Point>(outcome)) out.emplace_back(n);
    return Value::list(std::move(out));
}

bool equal(const Value& a, const Value& b) {
    if (a.items() && a.items() == b.items()) return true;  // shared
    if (const auto* x = a.get<rt::Number>())
        if (const auto* y = b.get<rt::Number>()) return *x == *y;
    if (const auto x = a.as_label()) {
        const auto y = b.as_label();
        return y && rt::same_value(*x, *y);
    }
    if (const auto* f = a.get<FactorPtr>()) {
        if (const auto* g = b.get<FactorPtr>()) return equal_factors(**f, **g);
        if (const auto* r = b.get<RecordPtr>()) return equal_factor_record(**f, **r);
        return false;
    }
    if (const auto* r = a.get<RecordPtr>()) {
        if (const auto* s = b.get<RecordPtr>()) return equal_records(**r, **s);
        if (const auto* f = b.get<FactorPtr>()) return equal_factor_record(**f, **r);
        return false;
    }
    if (a.node().index() != b.node().index()) return false;
    if (const auto* l = a.get<ListPtr>()) return equal_lists(**l, **b.get<ListPtr>());
    if (const auto* s = a.get<SetPtr>()) return equal_sets(**s, **b.get<SetPtr>());
    if (const auto* i = a.get<InstancePtr>()) return equal_lists((*i)->elements, (*b.get<InstancePtr>())->elements);
    if (const auto* t = a.get<rt::TablePtr>()) return equal_tables(**t, **b.get<rt::TablePtr>());
    if (const auto* d = a.get<rt::DistributionPtr>()) return equal_parameters(**d, **b.get<rt::DistributionPtr>());
    if (const auto* m = a.get<ModelValue>()) return equal_models(*m->model, *b.get<ModelValue>()->model);
    if (const auto* l = a.get<LearnerValuePtr>()) {
        const LearnerValue& x = **l;
        const LearnerValue& y = **b.get<LearnerValuePtr>();
        return x.name == y.name && equal_named(x.parameters, y.parameters) &&
               std::equal(x.before.begin(), x.before.end(), y.before.begin(), y.before.end(), [](const auto& one, const auto& other) {
                   return one->name == other->name && equal_named(one->parameters, other->parameters);
               });
    }
    if (const auto* o = a.get<OptionPtr>()) {
        const Option& x = **o;
        const Option& y = **b.get<OptionPtr>();
        return x.name == y.name && equal_lists(x.positional, y.positional) && equal_named(x.named, y.named);
    }
    if (const auto* p = a.get<rt::PicturePtr>()) return (*p)->svg() == (*b.get<rt::PicturePtr>())->svg();
    if (const auto* g = a.get<rt::FunctionGraphPtr>()) return equal_graphs(**g, **b.get<rt::FunctionGraphPtr>());
    if (const auto* f = a.get<FunctionPtr>()) return *f == *b.get<FunctionPtr>();
    if (const auto* q = a.get<rt::QuantityPtr>()) return *q == *b.get<rt::QuantityPtr>();
    return true;  // AnyMark, EmptyMark
}

}  // namespace credence::lang
