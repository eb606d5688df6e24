// Quantities in a query: expressions over the variables become variables that stand for them, or events about such variables.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/lower_query.hpp"
#include "lang/syntax/walk.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/lookup.hpp"
#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::lang {

namespace {

constexpr double most_cases = 200'000;  // that an expression without structure is worked out in

std::optional<BinaryOp> binary_op(EventOp op) {
    static constexpr std::pair<EventOp, BinaryOp> operators[] = {
        {EventOp::equal, BinaryOp::equal},     {EventOp::not_equal, BinaryOp::not_equal},
        {EventOp::less, BinaryOp::less},       {EventOp::less_equal, BinaryOp::less_equal},
        {EventOp::greater, BinaryOp::greater}, {EventOp::greater_equal, BinaryOp::greater_equal}};
    if (op == EventOp::distributed || op == EventOp::likelihood) return std::nullopt;
    return rt::value_for(op, operators, BinaryOp::in);
}

rt::Event always(bool holds) {  // all of nothing, or any of nothing
    rt::Event out;
    out.kind = holds ? rt::Event::Kind::all : rt::Event::Kind::any;
    return out;
}

/// The operator that compares two values so.
BinaryOp step_of(rt::Compare compare) {
    static constexpr std::pair<rt::Compare, BinaryOp> operators[] = {
        {rt::Compare::equal, BinaryOp::equal},     {rt::Compare::not_equal, BinaryOp::not_equal},
        {rt::Compare::less, BinaryOp::less},       {rt::Compare::less_equal, BinaryOp::less_equal},
        {rt::Compare::greater, BinaryOp::greater}, {rt::Compare::greater_equal, BinaryOp::greater_equal}};
    return rt::value_for(compare, operators, BinaryOp::in);
}

}  // namespace

QueryLowering::~QueryLowering() {
    self_.variable_of_ = outer_variables_;
    for (const auto& list : plates_) self_.plates_.erase(list.get());
}

bool QueryLowering::is_number(rt::VarId id) const {
    if (is_own(id)) return !var(id).is_discrete();
    const auto& quantity = quantities_[rt::index(id) - model_.model->variables().size()];
    const auto ids = rt::variables_of(*quantity.quantity);
    return !quantity.is_event && std::any_of(ids.begin(), ids.end(), [&](rt::VarId own) { return !var(own).is_discrete(); });
}

bool QueryLowering::is_numeric_model() const { return model_.model->numeric() != nullptr; }

/// One quantity for each variable, however often it is mentioned: quantities that share a variable are then dependent.
const rt::QuantityPtr& QueryLowering::variable_quantity(rt::VarId id) {
    auto& out = variable_quantities_[id];
    if (!out) out = rt::variable_quantity(id);
    return out;
}

Value QueryLowering::plate_list(const std::string& name) {
    List items;
    std::vector<std::string> indices;
    for (const auto id : plate(name)) {
        const std::string& own = var(id).name;
        items.emplace_back(Value::Node(variable_quantity(id)));
        indices.push_back(own.substr(name.size() + 1, own.size() - name.size() - 2));
    }
    Value out = Value::list(std::move(items));
    plates_.push_back(*out.get<ListPtr>());
    self_.plates_[plates_.back().get()] = std::move(indices);
    return out;
}

Status QueryLowering::bind() {
    outer_variables_ =
        std::exchange(self_.variable_of_, [model = model_.model](rt::VarId id) { return model->variables()[rt::index(id)].variable; });
    for (const auto& bound : written_.bound) {
        if (frame_.size() <= bound.slot) frame_.resize(bound.slot + 1);
        // The name of a list of numbers stands for them, as that of a plate does.
        if (const auto id = find(bound.name); id && (var(*id).is_discrete() || plate(bound.name).empty())) {
            frame_[bound.slot] = Value(Value::Node(variable_quantity(*id)));
            bound_.emplace_back(&bound, std::vector{*id});
        } else if (auto ids = plate(bound.name); !ids.empty()) {
            frame_[bound.slot] = plate_list(bound.name);
            bound_.emplace_back(&bound, std::move(ids));
        } else if (bound.otherwise.kind != Resolution::Kind::unresolved) {
            frame_[bound.slot] = TRY(self_.resolved(bound.otherwise, bound.name, bound.span, frame_));
        } else {
            return unknown_variable(bound.name, bound.span);
        }
    }
    return rt::Done{};
}

Result<Value> QueryLowering::traced(const Expr& expr) {
    auto out = self_.traced(expr, frame_);
    if (out || out.fault().code == "E-STOP") return out;
    return casewise(expr, std::move(out).fault());
}

/// An expression that cannot be taken apart (a list of uncertain length, a recursion that ends at an uncertain number) is worked out in
/// every case of the variables it names.
Result<Value> QueryLowering::casewise(const Expr& expr, Fault otherwise) {
    std::vector<rt::VarId> ids;
    std::vector<const QueryExpr::Bound*> words;
    for (const auto& [word, variables] : bound_) {
        if (!mentions_local(expr, word->slot)) continue;
        words.push_back(word);
        ids.insert(ids.end(), variables.begin(), variables.end());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    double cases = 1;
    for (const auto id : ids) cases *= static_cast<double>(var(id).is_discrete() ? var(id).size() : 1);
    const bool finite = std::all_of(ids.begin(), ids.end(), [&](rt::VarId id) { return var(id).is_discrete(); });
    if (ids.empty() || !finite) return otherwise;
    std::vector<rt::QuantityPtr> parts;
    for (const auto id : ids) parts.push_back(variable_quantity(id));
    // What the function needs is copied: it may be asked after this lowering has ended.
    struct Filled {
        std::uint32_t slot;
        std::vector<rt::VarId> ids;
        std::optional<std::vector<std::string>> indices;  // of a plate
    };
    std::vector<Filled> filled;
    for (const auto* word : words) {
        const auto* list = frame_[word->slot].get<ListPtr>();
        filled.push_back({word->slot, std::find_if(bound_.begin(), bound_.end(), [&](const auto& b) { return b.first == word; })->second,
                          list ? std::optional(self_.plates_.at(list->get())) : std::nullopt});
    }
    const auto function = [self = &self_, &expr, ids, filled, start = frame_](std::span<const rt::Label> labels) -> Result<rt::Label> {
        Frame frame = start;
        std::vector<ListPtr> plates;
        for (const auto& [slot, own, indices] : filled) {
            List items;
            for (const auto id : own)
                items.push_back(Value::label(labels[static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin())]));
            frame[slot] = indices ? Value::list(std::move(items)) : items[0];
            if (!indices) continue;
            plates.push_back(*frame[slot].get<ListPtr>());
            self->plates_[plates.back().get()] = *indices;
        }
        const int tracing = std::exchange(self->tracing_, 0);
        auto out = self->eval(expr, frame);
        self->tracing_ = tracing;
        for (const auto& one : plates) self->plates_.erase(one.get());
        if (!out) return std::move(out).fault();
        if (auto label = out->as_label()) return *std::move(label);
        return self->fault("E-TYPE", fmt::format("a quantity is a number or a label in every case, and this is {}", out->kind()),
                           expr.span);
    };
    std::vector<rt::Label> first;
    for (const auto id : ids) first.push_back(*example_value(*var(id).domain));
    const auto example = function(first);
    if (!example && (cases > most_cases || example.fault().code == "E-TYPE")) return otherwise;  // it is wrong in any case
    if (cases > most_cases) {
        return self_.fault(
            "E-COST", fmt::format("this would have to be computed in {:.3g} cases", cases), expr.span,
            fmt::format("the limit is {:.0f}", most_cases),
            "sum, count, max, min, all and any over a plate need no cases, and neither does a chain of nodes, one for each step");
    }
    return Value(Value::Node(rt::function_quantity(std::move(parts), function)));
}

bool QueryLowering::index_is_uncertain(const VariableRef& ref) {
    const auto at = ref.index ? self_.traced(*ref.index, frame_) : Result<Value>(Value());
    return at && holds_quantity(*at);
}

bool QueryLowering::is_computed(const VariableRef& ref, bool next) {
    if (next || (!ref.index && find(ref.name.text))) return false;
    if (index_is_uncertain(ref)) return true;
    return is_script_name(ref.resolved) && plate(ref.name.text).empty();
}

/// A variable as a quantity, all variables of a plate, what an index picks, or the value of a name of the script.
Result<Value> QueryLowering::value_of(const VariableRef& ref, bool next) {
    if (index_is_uncertain(ref)) {
        auto at = traced(*ref.index);
        const bool members = !plate(ref.name.text).empty();
        auto base = members ? Result<Value>(plate_list(ref.name.text)) : self_.resolved(ref.resolved, ref.name.text, ref.name.span, frame_);
        if (!base) return base;
        return self_.chosen(*base, *at, *ref.index, ref.span);
    }
    auto name = TRY(name_of(ref, next));
    if (const auto id = find(name)) return Value(Value::Node(variable_quantity(*id)));
    if (!next && !ref.index && !plate(name).empty()) return plate_list(name);
    if (next || ref.resolved.kind == Resolution::Kind::unresolved || ref.resolved.kind == Resolution::Kind::label)
        return unknown_variable(name, ref.span);
    auto base = self_.resolved(ref.resolved, ref.name.text, ref.name.span, frame_);
    if (!base || !ref.index) return base;
    auto at = self_.eval(*ref.index, frame_);
    if (!at) return at;
    return self_.item_at(*base, *at, *ref.index, ref.span);
}

/// The right side of `X =`: a value of X, else a variable, else the value of a name; in lists and sets alike.
Result<Value> QueryLowering::right_side(const EventAtom& atom, rt::VarId id) {
    const auto value_for = [&](const Expr& expr) -> Result<Value> {
        const auto* word = expr.parenthesised ? nullptr : std::get_if<NameExpr>(&expr.node);
        const auto label = word ? rt::Label::of_text(word->name) : rt::Label();
        if (word && var(id).is_discrete() && var(id).domain->find(label)) return Value::label(label);
        // Nobody compares a variable with itself: k = k means the k of the script.
        if (word && find(word->name) == id && is_script_name(word->resolved)) return self_.eval(expr, frame_);
        return word_value(expr);
    };
    if (!atom.value->parenthesised) {
        const auto* list = std::get_if<ListLit>(&atom.value->node);
        const auto* set = std::get_if<SetLit>(&atom.value->node);
        if (list || set) {
            List out;
            for (const auto& item : list ? list->items : set->items) {
                auto value = value_for(*item);
                if (!value) return value;
                out.push_back(*std::move(value));
            }
            return list ? Value::list(std::move(out)) : Value::set(std::move(out));
        }
    }
    return value_for(*atom.value);
}

/// A bare word is a variable, else a name of the script, else a label.
Result<Value> QueryLowering::word_value(const Expr& expr) {
    const auto* word = expr.parenthesised ? nullptr : std::get_if<NameExpr>(&expr.node);
    if (!word) return traced(expr);
    const auto label = rt::Label::of_text(word->name);
    if (const auto other = find(word->name)) return Value(Value::Node(variable_quantity(*other)));
    if (!plate(word->name).empty()) return plate_list(word->name);
    if (is_script_name(word->resolved)) return self_.eval(expr, frame_);
    return Value::label(label);
}

rt::VarId QueryLowering::derive(rt::QuantityPtr quantity, std::string name, bool is_event) {
    const std::size_t own = model_.model->variables().size();
    for (std::size_t k = 0; k < quantities_.size(); ++k)
        if (quantities_[k].quantity == quantity && quantities_[k].name == name) return static_cast<rt::VarId>(own + k);
    quantities_.push_back({std::move(name), std::move(quantity), is_event});
    return static_cast<rt::VarId>(own + quantities_.size() - 1);
}

Attempt<rt::VarId> QueryLowering::quantity(const Expr& expr, std::string name) {
    auto value = TRY(traced(expr));
    const auto* quantity = value.get<rt::QuantityPtr>();
    if (!quantity) return not_applicable;
    if ((*quantity)->kind == rt::Quantity::Kind::variable) return (*quantity)->variable;
    return derive(*quantity, std::move(name), false);
}

Status QueryLowering::bare_quantity(const Expr& expr, const std::optional<Word>& as, rt::Clause& clause, bool evidence) {
    auto value = TRY(traced(expr));
    if (const auto* table = value.get<rt::TablePtr>()) return data(*table, expr.span, clause);
    if (const auto* row = value.get<RecordPtr>(); row && evidence && !as) return record(**row, expr.span, clause);
    if (const auto* row = value.get<InstancePtr>(); row && evidence && !as) return instance(**row, expr.span, clause);
    const auto text = as ? as->text : std::string(self_.source_->text(expr.span));
    const auto add = [&](rt::VarId id) {
        if (!rt::contains(clause.free, id)) clause.free.push_back(id);
    };
    if (const auto* quantity = value.get<rt::QuantityPtr>()) {
        if (!as && (*quantity)->kind == rt::Quantity::Kind::variable)
            add((*quantity)->variable);
        else
            add(derive(*quantity, text, false));
        return rt::Done{};
    }
    // A part of a plate: P(R[1..3]).
    if (const List* items = value.items();
        items && !items->empty() && !as && std::all_of(items->begin(), items->end(), [](const Value& item) {
            const auto* q = item.get<rt::QuantityPtr>();
            return q && (*q)->kind == rt::Quantity::Kind::variable;
        })) {
        for (const auto& item : *items) add((*item.get<rt::QuantityPtr>())->variable);
        return rt::Done{};
    }
    if (value.is<bool>()) {
        clause.events.push_back(always(*value.get<bool>()));
        return rt::Done{};
    }
    return self_.fault("E-QUERY", fmt::format("this is {}, not a quantity over the variables of the model", value.kind()), expr.span,
                       holds_quantity(value) ? "a quantity is a number or a label in each case" : "it contains no variable of the model",
                       evidence ? "an event is written X = a" : "");
}

/// left op right, at least one of which depends on variables.
Result<rt::Event> QueryLowering::compared(const Value& left, EventOp op, const Value& right, Sides sides) {
    const Span span = join(sides.left, sides.right);
    const auto step = binary_op(op);
    if (!step) return self_.fault("E-QUERY", "~ and likelihood must each be a whole piece of evidence", span);
    if (!holds_quantity(left) && !holds_quantity(right)) {
        auto holds = TRY(self_.compare(*step, left, right, span));
        return always(holds);
    }
    // Lists side by side: all their items.
    if (left.items() && right.items() && op == EventOp::equal) {
        const List& a = *left.items();
        const List& b = *right.items();
        if (a.size() != b.size())
            return self_.fault("E-TYPE", fmt::format("a list of {} is compared with one of {}", a.size(), b.size()), span);
        rt::Event out = always(true);
        for (std::size_t i = 0; i < a.size(); ++i) {
            auto part = compared(a[i], op, b[i], sides);
            if (!part) return part;
            out.parts.push_back(*std::move(part));
        }
        return out;
    }
    if ((left.items() && !right.items()) || (right.items() && !left.items() && op != EventOp::in))
        return self_.fault(
            "E-TYPE", fmt::format("{} is compared with {}", (left.items() ? left : right).kind(), (left.items() ? right : left).kind()),
            left.items() ? sides.left : sides.right, "two lists can only be equal if they have the same length",
            "for every item: all(xs, x -> x == 1); for one of several values: X in {1, 2}");
    const auto* quantity = left.get<rt::QuantityPtr>();
    if (quantity && !holds_quantity(right)) {
        const bool own = (*quantity)->kind == rt::Quantity::Kind::variable;
        std::string name(self_.source_->text(sides.left));
        const auto id = own ? (*quantity)->variable : derive(*quantity, std::move(name), false);
        return compared_with(id, *comparison(op), right, span);
    }
    auto value = TRY(self_.trace_binary(*step, left, right, span));
    if (is_numeric_model() && left.is<rt::QuantityPtr>() && right.is<rt::QuantityPtr>() && op != EventOp::in) {
        // Of numbers the difference is compared with 0, which the engines for numbers know.
        const auto real = [&](const Value& side) {
            const auto ids = rt::variables_of(**side.get<rt::QuantityPtr>());
            return std::any_of(ids.begin(), ids.end(), [&](rt::VarId id) { return !var(id).is_discrete(); });
        };
        if (real(left) || real(right)) {
            auto difference = TRY(self_.trace_binary(BinaryOp::subtract, left, right, span));
            const auto id = derive(*difference.get<rt::QuantityPtr>(),
                                   fmt::format("{} - {}", self_.source_->text(sides.left), self_.source_->text(sides.right)), false);
            return compared_with(id, *comparison(op), Value(rt::Number(0)), span);
        }
    }
    return truth(value, span);
}

Result<rt::Event> QueryLowering::compared_with(rt::VarId id, rt::Compare compare, const Value& value, Span span) {
    rt::Event out;
    out.atom = {id, compare, {}, self_.origin(span)};
    out.origin = out.atom.origin;
    const bool order = is_order(compare);
    const rt::DomainPtr own = is_own(id) ? var(id).domain : nullptr;
    if (compare == rt::Compare::one_of) {
        const List* items = value.items();
        if (!items) return self_.fault("E-TYPE", fmt::format("in takes a set, a list or a range, not {}", value.kind()), span);
        for (const auto& item : *items) {
            auto label = item.as_label();
            if (!label) return self_.fault("E-TYPE", fmt::format("a quantity is a number or a label, not {}", item.kind()), span);
            out.atom.values.push_back(own ? rt::label_in(*own, *label) : *std::move(label));
        }
        return out;
    }
    auto label = value.as_label();
    if (!label || (order && !label->is_number()))
        return self_.fault(
            "E-TYPE",
            order ? fmt::format("an order comparison needs a number, not {}", label ? "'" + label->text() + "'" : std::string(value.kind()))
                  : fmt::format("a quantity is compared with a number or a label, not with {}", value.kind()),
            span);
    if (order && own)
        if (auto truths = ordered_truths(id, compare, *label->number())) {
            out.atom = {id, rt::Compare::one_of, *std::move(truths), out.atom.origin};
            return out;
        }
    out.atom.values.push_back(own ? rt::label_in(*own, *label) : *std::move(label));
    return out;
}

std::optional<std::vector<rt::Label>> QueryLowering::ordered_truths(rt::VarId id, rt::Compare compare, const rt::Number& than) {
    const auto& labels = var(id).domain->labels();
    if (!std::all_of(labels.begin(), labels.end(), rt::truth_of)) return std::nullopt;
    std::vector<rt::Label> out;
    std::copy_if(labels.begin(), labels.end(), std::back_inserter(out),
                 [&](const rt::Label& label) { return rt::ordered(compare, *rt::as_count(label), than); });
    return out;
}

const rt::QuantityPtr& QueryLowering::quantity_of(rt::VarId id) {
    return is_own(id) ? variable_quantity(id) : quantities_[rt::index(id) - model_.model->variables().size()].quantity;
}

Result<rt::VarId> QueryLowering::variable_of_event(const rt::Event& event, Span span) {
    const std::string text(self_.source_->text(span));
    const rt::Atom& atom = event.atom;
    const bool plain = event.kind == rt::Event::Kind::atom && atom.values.size() == 1 && atom.compare != rt::Compare::one_of;
    if (plain && !is_own(atom.variable) && atom.compare == rt::Compare::equal && atom.values[0] == rt::Label::of_bool(true))
        return atom.variable;  // A > B is a quantity already
    if (plain && is_number(atom.variable) && atom.values[0].is_number()) {
        const auto value = TRY(self_.trace_binary(step_of(atom.compare), Value(Value::Node(quantity_of(atom.variable))),
                                                  Value(*atom.values[0].number()), span));
        if (const auto* quantity = value.get<rt::QuantityPtr>()) return derive(*quantity, text, true);
    }
    return derive(truth_of_event(event), text, true);
}

rt::QuantityPtr QueryLowering::truth_of_event(const rt::Event& event) {
    const auto ids = rt::variables_of(event);
    std::vector<rt::QuantityPtr> parts;
    for (const auto id : ids) parts.push_back(quantity_of(id));
    auto holds = [event, ids](std::span<const rt::Label> labels) -> Result<rt::Label> {
        return rt::Label::of_bool(rt::holds_with(event, [&](rt::VarId id) -> const rt::Label& {
            return labels[static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin())];
        }));
    };
    return rt::function_quantity(std::move(parts), std::move(holds));
}

/// A quantity that is true.
Result<rt::Event> QueryLowering::truth(const Value& value, Span span) {
    if (const auto* b = value.get<bool>()) return always(*b);
    const auto* quantity = value.get<rt::QuantityPtr>();
    if (!quantity)
        return self_.fault("E-QUERY", fmt::format("this is {}, not an event", value.kind()), span, {},
                           "an event is written X = a; one of several values is written X in {a, b}");
    const auto id = (*quantity)->kind == rt::Quantity::Kind::variable ? (*quantity)->variable
                                                                      : derive(*quantity, std::string(self_.source_->text(span)), true);
    rt::Event out;
    out.atom = {id, rt::Compare::equal, {rt::Label::of_bool(true)}, self_.origin(span)};
    out.origin = out.atom.origin;
    return out;
}

const std::vector<rt::NamedQuantity>& QueryLowering::named_quantities() {
    for (std::size_t k = 0; k < quantities_.size(); ++k) {
        const auto same = [&](const rt::NamedQuantity& other) { return other.name == quantities_[k].name; };
        if (find(quantities_[k].name) || std::any_of(quantities_.begin(), quantities_.begin() + static_cast<std::ptrdiff_t>(k), same))
            quantities_[k].name += fmt::format(" ({})", k + 1);
    }
    return quantities_;
}

Result<ModelValue> QueryLowering::extended() {
    if (quantities_.empty()) return model();
    auto model = TRY(rt::extend(this->model().model, named_quantities(), self_.run_));
    return ModelValue{std::move(model), model_.name};
}

}  // namespace credence::lang
