#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "lang/eval/code.hpp"
#include "lang/eval/evaluator.hpp"
#include "lang/eval/stack.hpp"
#include "lang/value/table_value.hpp"
#include "runtime/prob/distributions/truncated.hpp"
#include "runtime/prob/factors/factor.hpp"

namespace credence::lang {

Evaluator::Evaluator(World& world, SourcePtr source, std::string folder)
    : world_(world), source_(std::move(source)), folder_(std::move(folder)) {
    run_.numbers = world.settings.numbers;
    run_.threads = world.settings.threads;
    run_.ranks = world.settings.ranks;
    run_.limits = world.settings.limits;
    run_.stop = world.stop;
    run_.progress = [&world, own = std::this_thread::get_id()](const rt::ProgressReport& report) {
        if (world.output && std::this_thread::get_id() == own) world.output->progress(report);
    };
    show_.digits = world.settings.digits;
}

Evaluator::~Evaluator() = default;

Machine& Evaluator::machine() {
    if (!machine_) machine_ = std::make_unique<Machine>(*this);
    return *machine_;
}

Result<Value> Evaluator::eval_statement(const Expr& expr) {
    Frame frame;
    if (const auto* query = std::get_if<QueryExpr>(&expr.node)) return eval_query(*query, expr.span, frame);
    if (tracing_ == 0 && indexed_ == nullptr) return machine().eval(expr);
    return eval(expr, frame);
}

rt::Origin Evaluator::origin(Span span) {
    places_.push_back({source_, span});
    return static_cast<rt::Origin>(places_.size());
}

Fault Evaluator::fault(rt::FaultCode code, std::string message, Span span, std::string label, std::string hint) {
    return {code, std::move(message), origin(span), std::move(label), std::move(hint)};
}

Fault Evaluator::at(Fault fault, Span span) {
    if (fault.origin == rt::Origin::none) fault.origin = origin(span);
    return fault;
}

void Evaluator::blame_call(Fault& fault, const std::string& function, Span call) {
    const auto of_library = [&](const SourcePtr& source) { return source && world_.registry.has_prelude(source->name()); };
    if (of_library(source_) || fault.origin == rt::Origin::none || !of_library(place_of(fault, call).source)) return;
    fault.origin = origin(call);
    fault.message = fmt::format("{}: {}", function, fault.message);
}

Status Evaluator::add_entry(Record& record, std::string key, Value value, Span span) {
    const auto known = std::find_if(record.entries.begin(), record.entries.end(), [&](const auto& entry) { return entry.first == key; });
    if (known == record.entries.end()) {
        record.entries.emplace_back(std::move(key), std::move(value));
        return rt::Done{};
    }
    if (!keys_add_up_) return fault("E-DUPLICATE", fmt::format("the key {} is given twice", key), span, "given already");
    known->second = TRY(arithmetic(BinaryOp::add, known->second, value, span));
    return rt::Done{};
}

Place Evaluator::place_of(const Fault& fault, Span otherwise) const {
    const auto index = static_cast<std::size_t>(fault.origin);
    if (index == 0 || index > places_.size()) return {source_, otherwise};
    return places_[index - 1];
}

Result<Value> Evaluator::bounded(Value value, Span span) {
    const Extent extent = value.extent();
    if (extent.depth > deepest_value)
        return fault("E-DEPTH", fmt::format("this value has more than {} levels", deepest_value), span,
                     "lists or functions are nested too deeply");
    if (extent.size > largest_value)
        return fault("E-COST", fmt::format("this value has more than {:.0f} items, including nested ones", largest_value), span);
    return value;
}

Result<Value> Evaluator::eval(const Expr& expr, Frame& frame) {
    if (!stack_left(world_.stack_floor))
        return fault("E-DEPTH", "too many nested calls: does a function call itself without end?", expr.span);
    struct Visitor {
        Evaluator& self;
        const Expr& expr;
        Frame& frame;
        Result<Value> operator()(const NumberLit& n) const {
            if (self.run_.numbers == rt::NumberMode::real && !n.value.is_integer()) return Value(rt::Number::real(n.value.to_double()));
            return Value(rt::Number(n.value));
        }
        Result<Value> operator()(const BoolLit& b) const { return Value::boolean(b.value); }
        Result<Value> operator()(const TextLit& t) const { return self.eval_text(t, frame); }
        Result<Value> operator()(const SignLit& s) const { return Value::text(std::string(1, s.sign)); }
        Result<Value> operator()(const NameExpr& n) const { return self.eval_name(n, expr.span, frame); }
        Result<Value> operator()(const HoleLit&) const {
            return self.fault("E-HOLE", "? stands for something to be learned and has no value here", expr.span, "not a value");
        }
        Result<Value> operator()(const ListLit& l) const {
            auto items = TRY(self.eval_all(l.items, frame));
            return self.bounded(Value::list(std::move(items)), expr.span);
        }
        Result<Value> operator()(const Comprehension& c) const {
            auto items = TRY(self.eval_comprehension(c, frame));
            return self.bounded(std::move(items), expr.span);
        }
        Result<Value> operator()(const RecordLit& r) const {
            Record out;
            for (const auto& entry : r.entries) {
                auto key = TRY(self.key_of(entry, frame));
                auto value = self.eval(*entry.value, frame);
                if (!value) return value;
                if (entry.computed && out.find(key))
                    return self.fault("E-DUPLICATE", fmt::format("the key {} is given twice", key), entry.computed->span, "given already");
                out.entries.emplace_back(std::move(key), *std::move(value));
            }
            return self.bounded(Value::record(std::move(out)), expr.span);
        }
        Result<Value> operator()(const SetLit& s) const {
            auto items = TRY(self.eval_all(s.items, frame));
            if (self.tracing_ > 0 && std::any_of(items.begin(), items.end(), holds_quantity))
                return self.fault("E-TYPE", "the number of members of a set of uncertain quantities is itself uncertain", expr.span, {},
                                  "a list keeps equal items: [A, B]");
            return self.bounded(Value::set(std::move(items)), expr.span);
        }
        Result<Value> operator()(const InstanceLit& i) const {
            List out;
            for (const auto& element : i.elements) {
                if (std::holds_alternative<AnyValue>(element.value)) {
                    out.emplace_back(Value::Node(AnyMark{}));
                    continue;
                }
                if (std::holds_alternative<NoValue>(element.value)) {
                    out.emplace_back(Value::Node(EmptyMark{}));
                    continue;
                }
                auto value = self.eval(*std::get<ExprPtr>(element.value), frame);
                if (!value) return value;
                out.push_back(*std::move(value));
            }
            return self.bounded(Value::instance(std::move(out)), expr.span);
        }
        Result<Value> operator()(const Unary& u) const { return self.eval_unary(u, expr.span, frame); }
        Result<Value> operator()(const Binary& b) const { return self.eval_binary(b, expr.span, frame); }
        Result<Value> operator()(const Range& r) const { return self.eval_range(r, frame); }
        Result<Value> operator()(const If& i) const { return self.eval_if(i, frame); }
        Result<Value> operator()(const Lambda& l) const {
            auto function = TRY(self.closure(l, frame));
            return self.bounded(std::move(function), expr.span);
        }
        Result<Value> operator()(const Call& c) const { return self.eval_call(c, expr.span, frame, nullptr, {}); }
        Result<Value> operator()(const Index& i) const { return self.eval_index(i, expr.span, frame); }
        Result<Value> operator()(const Member& m) const { return self.eval_member(m, expr.span, frame); }
        Result<Value> operator()(const Pipe& p) const { return self.eval_pipe(p, expr.span, frame); }
        Result<Value> operator()(const Explain&) const {
            return self.fault("E-EXPLAIN", "explain prints a derivation and has no value; put it at the start of a statement", expr.span);
        }
        Result<Value> operator()(const Train& t) const { return self.eval_train(t, expr.span, frame); }
        Result<Value> operator()(const Sample& s) const { return self.eval_sample(s, expr.span, frame); }
        Result<Value> operator()(const QueryExpr& q) const { return self.eval_query(q, expr.span, frame); }
        Result<Value> operator()(const GraphLit& g) const { return self.eval_graph(g.body); }
    };
    return std::visit(Visitor{*this, expr, frame}, expr.node);
}

Result<List> Evaluator::eval_all(const std::vector<ExprPtr>& items, Frame& frame) {
    List out;
    out.reserve(items.size());
    for (const auto& item : items) {
        auto value = TRY(eval(*item, frame));
        out.push_back(std::move(value));
    }
    return out;
}

Result<Value> Evaluator::resolved(const Resolution& resolution, const std::string& name, Span span, const Frame& frame) {
    switch (resolution.kind) {
        case Resolution::Kind::local:
            return frame[resolution.slot];
        case Resolution::Kind::global:
        case Resolution::Kind::model: {
            const auto& value = world_.globals[resolution.slot];
            if (!value) return fault("E-NAME", fmt::format("'{}' is used before it has a value", name), span);
            return *value;
        }
        case Resolution::Kind::label:
            return Value::label(rt::Label::of_text(name));
        case Resolution::Kind::data_label:
            return data_label(resolution, name, span);
        case Resolution::Kind::builtin:
            return Value(Value::Node(std::make_shared<const Function>(Function{world_.registry.find(name)})));
        case Resolution::Kind::option:
        case Resolution::Kind::unresolved:
            break;
    }
    return fault("E-NAME", fmt::format("'{}' is not known here", name), span);
}

Result<Value> Evaluator::eval_name(const NameExpr& name, Span span, const Frame& frame) {
    // In an expression of a net a variable that has no slot, or a plate's variables together.
    if (indexed_ && name.resolved.kind == Resolution::Kind::unresolved)
        if (const auto found = indexed_->values.find(name.name); found != indexed_->values.end()) return found->second;
    return resolved(name.resolved, name.name, span, frame);
}

Result<Value> Evaluator::eval_text(const TextLit& text, Frame& frame) {
    std::string out;
    for (const auto& part : text.parts) {
        if (const auto* piece = std::get_if<std::string>(&part)) {
            out += *piece;
            continue;
        }
        auto value = eval(*std::get<ExprPtr>(part), frame);
        if (!value) return value;
        out += show_plain(*value, show_);
    }
    return Value::text(std::move(out));
}

Result<Value> Evaluator::eval_comprehension(const Comprehension& c, Frame& frame) {
    auto source = eval(*c.source, frame);
    if (!source) return source;
    List from_table;
    const List* items = source->items();
    if (const auto* table = source->get<rt::TablePtr>()) {
        for (std::size_t r = 0; r < (*table)->rows(); ++r) from_table.push_back(row_value(**table, r));
        items = &from_table;
    }
    if (!items)
        return fault("E-TYPE", fmt::format("for … in runs over a list, a set or a table's rows, not {}", source->kind()), c.source->span);
    if (frame.size() <= c.slot) frame.resize(c.slot + 1);
    List out;
    for (const auto& item : *items) {
        if (run_.stopped()) return rt::stopped_fault();
        frame[c.slot] = item;
        if (c.condition) {
            const auto keep = TRY(condition(*c.condition, frame));
            if (!keep) continue;
        }
        auto value = eval(*c.body, frame);
        if (!value) return value;
        if (c.flatten)
            out.insert(out.end(), value->items()->begin(), value->items()->end());
        else
            out.push_back(*std::move(value));
    }
    return Value::list(std::move(out));
}

Result<Value> Evaluator::eval_range(const Range& range, Frame& frame) {
    const auto from = TRY(number(*range.from, frame));
    const auto to = TRY(number(*range.to, frame));
    if (!range.step) return range_between(range, from, to, nullptr);
    const auto step = TRY(number(*range.step, frame));
    return range_between(range, from, to, &step);
}

Result<Value> Evaluator::range_between(const Range& range, const rt::Number& from, const rt::Number& to, const rt::Number* given_step) {
    const std::size_t most = run_.limits.list_items;
    const rt::Number step = given_step ? *given_step : rt::Number(1);
    if (range.step) {
        if (step.is_zero()) return fault("E-RANGE", "the step of a range cannot be 0", range.step->span);
    } else if (!(from.is_exact() && from.exact().is_integer() && to.is_exact() && to.exact().is_integer())) {
        return fault("E-RANGE", "a range between fractional numbers needs a step", join(range.from->span, range.to->span), {},
                     "for example 0..1 step 1/10");
    }
    const double length = (to.real() - from.real()) / step.real();
    if (!(length < static_cast<double>(most)))
        return fault("E-COST", fmt::format("a range of more than {} numbers", most), join(range.from->span, range.to->span), {},
                     "use a larger step");
    List out;
    if (length >= 0) out.reserve(static_cast<std::size_t>(length) + 1);
    if (from.is_exact() && step.is_exact() && to.is_exact()) {
        const bool up = step.sign() > 0;
        for (rt::Rational x = from.exact(); up ? x <= to.exact() : x >= to.exact(); x += step.exact()) {
            if ((out.size() & 0xFFFFU) == 0 && run_.stopped()) return rt::stopped_fault();
            out.emplace_back(rt::Number(x));
        }
    } else {
        // Real steps: count first, so that rounding cannot drop the end point or add one.
        const auto count = static_cast<std::ptrdiff_t>(std::floor(length + 1e-9));
        for (std::ptrdiff_t i = 0; i <= count; ++i) out.emplace_back(rt::Number::real(from.real() + static_cast<double>(i) * step.real()));
    }
    return Value::list(std::move(out));
}

Result<Value> Evaluator::eval_truncated(const rt::DistributionPtr& whole, const Range& limits, Span span, Frame& frame) {
    const auto low = TRY(number(*limits.from, frame));
    const auto high = TRY(number(*limits.to, frame));
    if (limits.step) return fault("E-RANGE", "the limits of a distribution have no step", limits.step->span);
    auto out = rt::make_truncated(whole, low, high);
    if (!out) return at(std::move(out).fault(), span);
    return Value(Value::Node(*std::move(out)));
}

bool Evaluator::is_standard(const SourcePtr& source) const {
    const auto& preludes = world_.registry.preludes();
    return source && std::any_of(preludes.begin(), preludes.end(),
                                 [&](const auto& prelude) { return prelude.automatic && prelude.name == source->name(); });
}

Result<Value> Evaluator::ends_of(const Range& range, Frame& frame) {
    const auto from = TRY(number(*range.from, frame));
    const auto to = TRY(number(*range.to, frame));
    const auto whole = [](const rt::Number& x) { return x.is_exact() && x.exact().is_integer(); };
    return whole(from) && whole(to) ? eval_range(range, frame) : Value::list({Value(from), Value(to)});
}

Result<Value> Evaluator::eval_if(const If& node, Frame& frame) {
    if (tracing_ > 0) {
        auto choice = eval(*node.condition, frame);
        if (!choice) return choice;
        if (choice->is<rt::QuantityPtr>()) return trace_if(*choice, node, frame);
        if (const auto truth = choice->as_truth()) return eval(*truth ? *node.then_ : *node.else_, frame);
    }
    const auto choice = TRY(condition(*node.condition, frame));
    return eval(choice ? *node.then_ : *node.else_, frame);
}

Result<bool> Evaluator::condition(const Expr& expr, Frame& frame) {
    auto value = TRY(eval(expr, frame));
    if (const auto truth = value.as_truth()) return *truth;
    return fault("E-TYPE", fmt::format("a condition is true or false, not {}", value.kind()), expr.span);
}

Result<rt::Number> Evaluator::number(const Expr& expr, Frame& frame) {
    auto value = TRY(eval(expr, frame));
    if (const auto* n = value.get<rt::Number>()) return *n;
    return fault("E-TYPE", fmt::format("a number is needed here, not {}", value.kind()), expr.span);
}

Result<std::string> Evaluator::key_of(const RecordEntry& entry, Frame& frame) {
    if (!entry.computed) return entry.key.text;
    auto value = TRY(eval(*entry.computed, frame));
    if (const auto label = value.as_label()) return label->text();
    return fault("E-TYPE", fmt::format("a key is a label, not {}", value.kind()), entry.computed->span);
}

Result<Value> Evaluator::eval_label(const Expr& expr, Frame& frame) {
    if (!expr.parenthesised) {
        if (const auto* name = std::get_if<NameExpr>(&expr.node)) {
            // A variable of a net whose expression is worked out has a value here.
            const bool variable = indexed_ && name->resolved.kind == Resolution::Kind::unresolved && indexed_->values.contains(name->name);
            return variable ? indexed_->values.at(name->name) : Value::label(rt::Label::of_text(name->name));
        }
        const auto* list = std::get_if<ListLit>(&expr.node);
        const auto* set = std::get_if<SetLit>(&expr.node);
        if (list || set) {
            List out;
            for (const auto& item : list ? list->items : set->items) {
                auto value = eval_label(*item, frame);
                if (!value) return value;
                out.push_back(*std::move(value));
            }
            return list ? Value::list(std::move(out)) : Value::set(std::move(out));
        }
    }
    return eval(expr, frame);
}

Result<Value> Evaluator::closure(const Lambda& lambda, const Frame& frame) const {
    Closure out;
    out.lambda = &lambda;
    out.source = source_;
    for (const auto& capture : lambda.frame.captures) {
        out.captured.push_back(capture.from < frame.size() ? frame[capture.from] : Value());
        out.extent.contain(out.captured.back().extent());
    }
    return Value(Value::Node(std::make_shared<const Function>(Function{std::move(out)})));
}

Result<Value> Evaluator::eval_unary(const Unary& unary, Span span, Frame& frame) {
    if (unary.op == UnaryOp::argmax || unary.op == UnaryOp::argmin)
        return eval_argmax(*unary.operand, unary.op == UnaryOp::argmax, span, frame);
    if (tracing_ > 0) {
        auto value = eval(*unary.operand, frame);
        if (!value) return value;
        if (const auto* quantity = value->get<rt::QuantityPtr>())
            return unary.op == UnaryOp::not_ ? trace_not(*value, span) : Value(Value::Node(rt::negated_quantity(*quantity)));
    }
    if (unary.op == UnaryOp::not_) {
        const auto value = TRY(condition(*unary.operand, frame));
        return Value::boolean(!value);
    }
    auto value = TRY(eval(*unary.operand, frame));
    return negated(value, span);
}

Result<Value> Evaluator::negated(const Value& value, Span span) {
    if (const auto* n = value.get<rt::Number>()) return Value(-*n);
    if (const auto* f = value.get<FactorPtr>()) {
        auto out = rt::map_entries(**f, [](const rt::Number& x) -> Result<rt::Number> { return -x; });
        if (!out) return at(std::move(out).fault(), span);
        return Value::factor(*std::move(out));
    }
    return fault("E-TYPE", fmt::format("- works on numbers and factors, not on {}", value.kind()), span);
}

Result<Value> Evaluator::eval_binary(const Binary& binary, Span span, Frame& frame) {
    if (tracing_ > 0 && (binary.op == BinaryOp::and_ || binary.op == BinaryOp::or_)) {
        auto left = eval(*binary.left, frame);
        if (!left) return left;
        const auto* known = left->get<bool>();
        if (known && *known == (binary.op == BinaryOp::or_)) return left;
        auto right = eval(*binary.right, frame);
        if (!right) return right;
        if (left->is<rt::QuantityPtr>() || right->is<rt::QuantityPtr>()) return trace_binary(binary.op, *left, *right, span);
    }
    if (binary.op == BinaryOp::and_ || binary.op == BinaryOp::or_) {
        const auto left = TRY(condition(*binary.left, frame));
        if (left == (binary.op == BinaryOp::or_)) return Value::boolean(left);
        const auto right = TRY(condition(*binary.right, frame));
        return Value::boolean(right);
    }
    auto left = eval(*binary.left, frame);
    if (!left) return left;
    if (const auto* limits = binary.op == BinaryOp::in ? std::get_if<Range>(&binary.right->node) : nullptr)
        if (const auto* whole = left->get<rt::DistributionPtr>()) return eval_truncated(*whole, *limits, span, frame);
    auto right = eval(*binary.right, frame);
    if (!right) return right;
    if (tracing_ > 0 && (holds_quantity(*left) || holds_quantity(*right))) {
        if (binary.op >= BinaryOp::add && !left->items() && !right->items()) {
            const std::string_view what = binary.op == BinaryOp::add        ? "a sum"
                                          : binary.op == BinaryOp::subtract ? "a difference"
                                                                            : "arithmetic";
            TRY(numbers_only(*left, what, binary.left->span));
            TRY(numbers_only(*right, what, binary.right->span));
        }
        return trace_binary(binary.op, *left, *right, span);
    }
    if (binary.op >= BinaryOp::equal && binary.op <= BinaryOp::in) {
        const auto out = TRY(compare(binary.op, *left, *right, span));
        return Value::boolean(out);
    }
    return arithmetic(binary.op, *left, *right, span);
}

}  // namespace credence::lang
