// Statements: let, fn, set, expect, bare expressions.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/derivation_lines.hpp"
#include "lang/eval/evaluator.hpp"
#include "lang/value/factor_names.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/prob/distributions/family.hpp"
#include "runtime/prob/queries/conditioned.hpp"

namespace credence::lang {

namespace {

bool is_query(const Expr& expr) {
    if (std::holds_alternative<QueryExpr>(expr.node)) return true;
    if (const auto* u = std::get_if<Unary>(&expr.node)) return (u->op == UnaryOp::argmax || u->op == UnaryOp::argmin);
    if (const auto* i = std::get_if<Index>(&expr.node)) return is_query(*i->base);
    return false;
}

/// save(t, "t.csv"), also at the end of a pipe: a note says what it did, and what it returns is not printed.
bool is_save(const Expr& expr) {
    if (const auto* pipe = std::get_if<Pipe>(&expr.node)) return is_save(*pipe->right);
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* name = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    return name && name->resolved.kind == Resolution::Kind::builtin && name->name == "save";
}

}  // namespace

Status Evaluator::execute(const Statement& statement, bool quiet) {
    statement_span_ = statement.span;
    notes_.clear();
    last_answer_.reset();
    Frame frame;
    struct Visitor {
        Evaluator& self;
        const Statement& statement;
        Frame& frame;
        bool quiet;
        Status define(Value value) const {
            const std::lock_guard lock(self.world_.globals_mutex);
            self.world_.globals[statement.slot] = std::move(value);
            return rt::Done{};
        }
        Status declared() const {
            auto value = TRY(self.declare(statement));
            return define(std::move(value));
        }
        Status operator()(const LetStmt& let) const {
            auto value = TRY(self.eval_statement(*let.value));
            return define(std::move(value));
        }
        Status operator()(const FnStmt& fn) const {
            Closure closure;
            closure.fn = &fn;
            closure.source = self.source_;
            return define(Value(Value::Node(std::make_shared<const Function>(Function{std::move(closure)}))));
        }
        Status operator()(const SetStmt& set) const { return self.execute_set(set, frame); }
        Status operator()(const ImportStmt&) const { return rt::Done{}; }  // the session runs what is imported
        Status operator()(const NetStmt& net) const {
            if (net.params.empty()) return declared();
            return define(Value(Value::Node(std::make_shared<const Function>(Function{NetFunction{&net, self.source_}}))));
        }
        Status operator()(const ExpectErrorStmt&) const { return rt::Done{}; }  // the session runs and judges the inner statement
        Status operator()(const ExpectStmt& expect) const { return self.execute_expect(expect, statement, frame); }
        Status operator()(const ExprStmt& e) const {
            if (const auto* explain = std::get_if<Explain>(&e.value->node)) {
                if (quiet) return rt::Done{};
                return self.explain(*explain->operand, self.source_->position(statement.span.begin).line, frame);
            }
            auto value = TRY(self.eval_statement(*e.value));
            if (!quiet && !is_save(*e.value)) self.print(e, value);
            return rt::Done{};
        }
    };
    const Visitor visitor{*this, statement, frame, quiet};
    Status out = std::visit(
        [&](const auto& node) -> Status {
            if constexpr (std::is_invocable_v<const Visitor&, decltype(node)>)
                return visitor(node);
            else
                return visitor.declared();  // a model
        },
        statement.node);
    tell_notes();
    if (out) places_.clear();
    return out;
}

/// A posterior that is not a table is shown by its summary.
Value Evaluator::shown_value(const Value& value) {
    const auto* m = value.get<ModelValue>();
    if (!m || m->model->kind() != "posterior") return value;
    run_.rng = world_.rng.child("query");
    auto summary = rt::summarize(*m->model, rt::open_variables(*m->model), run_);
    return summary ? Value(Value::Node(*std::move(summary))) : value;
}

/// The name of a hypothesis space is one of its variables too, and as such a word: by itself it means the space.
Value Evaluator::named_space(const Expr& expr, const Value& value) const {
    const auto* name = std::get_if<NameExpr>(&expr.node);
    if (!name || !value.is<TextPtr>() || !world_.scope) return value;
    for (const Symbol* symbol : world_.scope->models())
        if (symbol->name == name->name && world_.globals[symbol->slot]) return *world_.globals[symbol->slot];
    return value;
}

void Evaluator::print(const ExprStmt& statement, const Value& value) {
    ValueEvent event;
    event.line = source_->position(statement.value->span.begin).line;
    if (is_query(*statement.value)) {
        event.query = folded(source_->text(statement.value->span));
        event.answer = last_answer_;
    } else if (value.is<FactorPtr>()) {
        event.query = folded(source_->text(statement.value->span));
    }
    event.value = shown_value(named_space(*statement.value, value));
    tell_notes();
    if (world_.output) world_.output->value(event);
    if (const auto* f = event.value.get<FactorPtr>(); f && !(*f)->logs().empty())
        note("values below 1e-308 are shown as 0; argmax and normalize still distinguish them, and L(…) gives their size in bits");
}

Status Evaluator::execute_set(const SetStmt& set, Frame& frame) {
    world_.declared.clear();
    if (set.name.text == "numbers") {
        const std::string& text = std::get<NameExpr>(set.value->node).name;  // one of these: it was checked
        world_.settings.numbers = text == "exact"  ? rt::NumberMode::exact
                                  : text == "real" ? rt::NumberMode::real
                                                   : rt::NumberMode::automatic;
        run_.numbers = world_.settings.numbers;
        return rt::Done{};
    }
    if (const auto* word = std::get_if<NameExpr>(&set.value->node); word && set.name.text == "lines" && !word->quoted) {
        if (const auto lines = lines_named(word->name)) {
            world_.settings.lines = *lines;
            return rt::Done{};
        }
    }
    auto n = TRY(number(*set.value, frame));
    if (auto wrong = setting_fault(set.name.text, n)) return at(*std::move(wrong), set.value->span);
    const std::int64_t whole = *n.exact().to_int64();
    if (set.name.text == "seed") {
        world_.settings.seed = static_cast<std::uint64_t>(whole);
        world_.rng = rt::Rng(world_.settings.seed);
    } else if (set.name.text == "digits") {
        world_.settings.digits = static_cast<int>(whole);
        show_.digits = world_.settings.digits;
    } else if (set.name.text == "lines") {
        world_.settings.lines = static_cast<std::size_t>(whole);
    } else {
        world_.settings.threads = static_cast<unsigned>(whole);
        run_.threads = world_.settings.threads;
    }
    return rt::Done{};
}

namespace {

bool near(const rt::Number& a, const rt::Number& b, const rt::Number& tolerance) {
    if (a == b) return true;  // also ∞ and ∞
    const rt::Number difference = a - b;
    return (difference.sign() < 0 ? -difference : difference) <= tolerance;
}

template <typename T>
bool near(const std::vector<T>& a, const std::vector<T>& b, const rt::Number& tolerance) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const T& x, const T& y) {
        if constexpr (std::is_same_v<T, std::pair<rt::Label, rt::Number>>)
            return x.first == y.first && near(x.second, y.second, tolerance);
        else
            return near(x, y, tolerance);
    });
}

/// One family with parameters that differ by no more. What is known by draws, integrals or parts has no such parameters.
bool near_distributions(const rt::Distribution& a, const rt::Distribution& b, const rt::Number& tolerance) {
    const auto p = a.parameters();
    const auto q = b.parameters();
    if (a.name() != b.name() || !rt::find_family(a.name())) return false;
    return std::equal(p.begin(), p.end(), q.begin(), q.end(), [&](const rt::Parameter& x, const rt::Parameter& y) {
        return x.value.index() == y.value.index() &&
               std::visit([&](const auto& value) { return near(value, std::get<std::decay_t<decltype(value)>>(y.value), tolerance); },
                          x.value);
    });
}

}  // namespace

Result<bool> Evaluator::within(const Value& a, const Value& b, const rt::Number& tolerance, Span span) {
    const auto* x = a.get<rt::Number>();
    const auto* y = b.get<rt::Number>();
    if (x && y) return near(*x, *y, tolerance);
    const auto* d = a.get<rt::DistributionPtr>();
    const auto* e = b.get<rt::DistributionPtr>();
    if (d && e) return equal(a, b) || near_distributions(**d, **e, tolerance);
    const auto as_factor = [](const Value& v, const std::string& name) -> std::optional<rt::Factor> {
        if (const auto* f = v.get<FactorPtr>()) return (*f)->variables().size() == 1 ? renamed(**f, name) : **f;
        if (const auto* r = v.get<RecordPtr>()) return record_as_factor(**r, name);
        return std::nullopt;
    };
    if (a.is<FactorPtr>() || b.is<FactorPtr>()) {
        const auto* known = a.is<FactorPtr>() ? a.get<FactorPtr>() : b.get<FactorPtr>();
        const std::string name = (*known)->variables().empty() ? "value" : (*known)->variables()[0].name;
        const auto f = as_factor(a, name);
        const auto g = as_factor(b, name);
        if (!f || !g || f->size() != g->size()) return false;
        bool all = true;
        auto compared = rt::combine(*f, *g, [&](const rt::Number& p, const rt::Number& q) -> Result<rt::Number> {
            all = all && near(p, q, tolerance);
            return rt::Number(0);
        });
        return compared && compared->size() == f->size() && all;
    }
    const List* l = a.items();
    const List* m = b.items();
    if (l && m && !a.is<SetPtr>()) {
        if (l->size() != m->size()) return false;
        for (std::size_t i = 0; i < l->size(); ++i) {
            auto one = within((*l)[i], (*m)[i], tolerance, span);
            if (!one || !*one) return one;
        }
        return true;
    }
    const auto* r = a.get<RecordPtr>();
    const auto* s = b.get<RecordPtr>();
    if (r && s) {
        if ((*r)->entries.size() != (*s)->entries.size()) return false;
        for (const auto& [key, value] : (*r)->entries) {
            const Value* other = (*s)->find(key);
            if (!other) return false;
            auto one = within(value, *other, tolerance, span);
            if (!one || !*one) return one;
        }
        return true;
    }
    return equal(a, b);
}

Status Evaluator::execute_expect(const ExpectStmt& expect, const Statement& statement, Frame& frame) {
    const auto* comparison = std::get_if<Binary>(&expect.condition->node);
    bool met = false;
    std::string found;
    std::string hint;
    if (expect.within && (!comparison || comparison->op != BinaryOp::equal || expect.condition->parenthesised))
        return fault("E-EXPECT", "within goes with one ==", expect.within->span, {}, "as in expect x == 0.5 within 1e-6");
    if (comparison && comparison->op >= BinaryOp::equal && comparison->op <= BinaryOp::in) {
        auto left = TRY(eval(*comparison->left, frame));
        auto right = TRY(eval(*comparison->right, frame));
        Result<bool> outcome = false;
        if (expect.within) {
            auto tolerance = TRY(number(*expect.within, frame));
            if (tolerance.sign() < 0) return fault("E-EXPECT", "a tolerance is 0 or more", expect.within->span);
            outcome = within(left, right, tolerance, statement.span);
        } else {
            outcome = compare(comparison->op, left, right, expect.condition->span);
        }
        if (!outcome) return outcome.fault();
        met = *outcome;
        if (!met) {
            ShowOptions precise = show_;
            precise.digits = std::max(show_.digits, 10);
            const auto* x = left.get<rt::Number>();
            const auto* y = right.get<rt::Number>();
            const bool rounded = x && y && !expect.within && show_decimal(*x, precise.digits) == show_decimal(*y, precise.digits);
            if (rounded) {
                precise.digits = 17;
                hint = "compare rounded numbers with a tolerance: == … within 1e-9";
            }
            const auto shown = [&](const Value& v) {
                const auto* n = v.get<rt::Number>();
                if (!n) return show_inline(v, precise);
                const bool fraction = n->is_exact() && !n->exact().is_integer();
                return show_number(*n, precise) + (fraction ? " (" + show_decimal(*n, precise.digits) + ")" : "");
            };
            found = fmt::format("the left side is {}, the right side {}", shown(left), shown(right));
        }
    } else {
        met = TRY(condition(*expect.condition, frame));
        found = "it is false";
    }
    if (met) {
        ++world_.expectations_met;
        return rt::Done{};
    }
    ++world_.expectations_failed;
    Diagnostic d;
    d.code = "E-EXPECT";
    d.message = fmt::format("expectation failed: {}", folded(source_->text(expect.condition->span)));
    d.source = source_;
    d.span = expect.condition->span;
    d.label = found;
    if (expect.from) d.help.push_back("from " + *expect.from);
    if (!hint.empty()) d.help.push_back(std::move(hint));
    if (world_.output) world_.output->diagnostic(d);
    return rt::Done{};
}

}  // namespace credence::lang
