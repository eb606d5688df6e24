// What is computed from the answers of P: expectations and samples.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/eval/lower_query.hpp"
#include "lang/eval/lower_term.hpp"
#include "lang/eval/nested_query.hpp"
#include "lang/syntax/walk.hpp"
#include "lang/value/table_value.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/distributions/expectation.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::lang {

namespace {

/// Whether a plate's variables are meant together somewhere in the expression: sum(R), R[2..4].
bool as_a_whole(const Expr& expr, std::uint32_t slot) {
    std::set<const Expr*> single;  // the base of R[3]
    bool out = false;
    walk(expr, [&](const Expr& part) {
        if (const auto* index = std::get_if<Index>(&part.node))
            if (std::none_of(index->indices.begin(), index->indices.end(), [](const ExprPtr& i) {
                    return std::holds_alternative<Range>(i->node) || std::holds_alternative<ListLit>(i->node);
                }))
                single.insert(index->base.get());
        const auto* name = std::get_if<NameExpr>(&part.node);
        out = out || (name && name->resolved.kind == Resolution::Kind::local && name->resolved.slot == slot && !single.contains(&part));
        if (const auto* lambda = std::get_if<Lambda>(&part.node))
            for (const auto& capture : lambda->frame.captures) out = out || capture.from == slot;
        return !out && !std::holds_alternative<Lambda>(part.node);
    });
    return out;
}

bool has_plate(const rt::Model& model, const std::string& name) {
    const auto& variables = model.variables();
    return std::any_of(variables.begin(), variables.end(), [&](const auto& v) { return is_member(v, name); });
}

/// What was observed in a list, in counts or in a table. One more draw of these is what is still uncertain; the other variables stay what
/// they are.
std::vector<std::string> observed_many_times(const rt::Clause& given, const ModelValue& model) {
    std::vector<std::string> out;
    for (const auto& o : given.observations) out.push_back(model.model->variables()[rt::index(o.variable)].variable.name);
    for (const auto& data : given.data)
        for (const auto& column : data.table->columns) out.push_back(column->name);
    return out;
}

/// Whether a variable over numbers is among the symbols, alone or in a plate.
bool speaks_of_numbers(const SymbolicFrame& symbols, const rt::Variables& variables) {
    return std::any_of(symbols.begin(), symbols.end(), [&](const Symbolic& symbol) {
        if (const auto* plate = std::get_if<Symbolic::PlateName>(&symbol.node))
            return std::any_of(variables.begin(), variables.end(),
                               [&](const rt::ModelVariable& v) { return !v.variable.is_discrete() && is_member(v, plate->name); });
        const auto* term = std::get_if<rt::Term>(&symbol.node);
        return term && !variables[rt::index((*term)->variable)].variable.is_discrete();
    });
}

}  // namespace

Fault Evaluator::not_a_mean(const Expr& of, const rt::Label& value) {
    const std::string text(source_->text(of.span));
    return fault("E-TYPE", fmt::format("an expectation needs numbers, and '{}' is not one", value.text()), of.span, "its values are labels",
                 fmt::format("P({0}) is its distribution; a share is E({0} == {1})", text, value.text()));
}

/// E of an expression in which a number takes part; not applicable where all its variables have labels.
Attempt<Evaluator::Expectation> Evaluator::real_expectation(const QueryExpr& query, Span span, Frame& frame, const ModelValue& model,
                                                            const ModelValue& extended, QueryLowering& lowering) {
    rt::Query& lowered = lowering.query();
    const auto repeated = observed_many_times(lowered.given, model);
    const auto find = [&](const std::string& name) -> std::optional<rt::Term> {
        const bool next = query.next || rt::contains(repeated, name);
        const auto id = lowering.find(next ? "next " + name : name);
        return id ? std::optional(rt::variable_term(*id)) : std::nullopt;
    };
    SymbolicFrame symbols;
    for (const auto& value : frame) symbols.push_back(Symbolic{value});
    for (const auto& bound : query.bound) {
        if (!mentions_local(*query.expectation, bound.slot)) continue;
        if (symbols.size() <= bound.slot) symbols.resize(bound.slot + 1);
        if (auto term = find(bound.name)) {
            symbols[bound.slot] = Symbolic{*std::move(term)};
        } else if (bound.otherwise.kind == Resolution::Kind::unresolved || has_plate(*model.model, bound.name)) {
            symbols[bound.slot] = Symbolic{Symbolic::PlateName{bound.name}};
        } else {
            auto value = TRY(resolved(bound.otherwise, bound.name, bound.span, frame));
            symbols[bound.slot] = Symbolic{std::move(value)};
        }
    }
    if (!speaks_of_numbers(symbols, model.model->variables())) return not_applicable;
    TermLowering terms(*this, find);
    auto written = terms.number(*query.expectation, symbols);
    ModelValue larger = extended;
    if (!written && !query.next && repeated.empty()) {
        // max(X), sort(X)[2], a list made by a comprehension: a quantity, which the model is extended by.
        auto id = lowering.quantity(*query.expectation, std::string(source_->text(query.expectation->span)));
        if (id) {
            auto more = lowering.extended();
            if (!more) return at(std::move(more).fault(), span);
            if (more->model->numeric()) {
                larger = *std::move(more);
                written = rt::variable_term(*id);
            }
        }
    }
    if (!written) return std::move(written).fault();
    const rt::Term term = *std::move(written);
    lowered.by = TRY(engine_of(query, *model.model, frame));
    lowered.origin = origin(span);
    // What is free in the evidence has a value in each case.
    const auto conditions = std::exchange(lowered.given.free, {});
    Expectation out;
    out.integral = true;
    std::size_t cases = 1;
    for (const auto id : conditions) {
        const rt::Variable& v = larger.model->variables()[rt::index(id)].variable;  // of the model, or a quantity
        if (!v.is_discrete())
            return fault("E-QUERY", fmt::format("{} is a number: the expectation would differ for each of its values", v.name), span, {},
                         fmt::format("give {} a value", v.name));
        out.over.push_back(v);
        cases *= v.size();
    }
    for (std::size_t i = 0; i < cases; ++i) {
        rt::Query one = lowered;
        std::size_t rest = i;
        for (std::size_t c = conditions.size(); c-- > 0; rest /= out.over[c].size())
            one.given.events.push_back(rt::event_equal(conditions[c], (*out.over[c].domain)[rest % out.over[c].size()], one.origin));
        run_.rng = world_.rng.child("query");
        auto answer = larger.model->numeric()->expectation(term, one, run_);
        if (!answer) return at(std::move(answer).fault(), span);
        note_answer(*answer, span);
        last_answer_ = AnswerInfo{answer->engine, answer->exact, answer->counts, answer->standard_error};
        out.terms.push_back({std::get<rt::Number>(answer->value), rt::Number(1), i, "answered by " + answer->engine});
    }
    return out;
}

/// E of a quantity from its distribution, where the cases of its variables would be too many: E(max(R)) of twenty dice.
Attempt<Evaluator::Expectation> Evaluator::mean_of_quantity(const QueryExpr& query, Span span, Frame& frame, const ModelValue& model,
                                                            QueryLowering& lowering, bool anyway) {
    constexpr double few = 20'000;
    double cases = 1;
    for (const auto& bound : query.bound) {
        if (!mentions_local(*query.expectation, bound.slot)) continue;
        for (const auto& v : model.model->variables()) {
            if (v.variable.name != bound.name && !is_member(v, bound.name)) continue;
            if (!v.variable.is_discrete()) return not_applicable;
            cases *= static_cast<double>(v.variable.size());
        }
    }
    const bool together = std::any_of(query.bound.begin(), query.bound.end(), [&](const QueryExpr::Bound& bound) {
        return !lowering.find(bound.name) && has_plate(*model.model, bound.name) && as_a_whole(*query.expectation, bound.slot);
    });
    if (cases <= few && !together && !anyway) return not_applicable;
    auto id = TRY(lowering.quantity(*query.expectation, std::string(source_->text(query.expectation->span))));
    auto extended = lowering.extended();
    if (!extended) return at(std::move(extended).fault(), span);
    rt::Query lowered = lowering.query();
    lowered.by = TRY(engine_of(query, *model.model, frame));
    lowered.origin = origin(span);
    lowered.targets.free.push_back(id);
    run_.rng = world_.rng.child("query");
    auto answer = extended->model->ask(lowered, run_);
    if (!answer) return at(std::move(answer).fault(), span);
    note_answer(*answer, span);
    last_answer_ = AnswerInfo{answer->engine, answer->exact, answer->counts, answer->standard_error};
    const auto* f = std::get_if<rt::Factor>(&answer->value);
    if (!f) return not_applicable;
    Expectation out;
    for (std::size_t v = 1; v < f->variables().size(); ++v) out.over.push_back(f->variables()[v]);
    std::size_t rest = 1;
    for (const auto& v : out.over) rest *= v.size();
    for (std::size_t i = 0; i < f->size(); ++i) {
        if (f->at(i).is_zero()) continue;
        const auto value = Value::label(f->labels(i)[0]);
        const auto* number = value.get<rt::Number>();
        const auto* truth = value.get<bool>();
        if (!number && !truth) return not_a_mean(*query.expectation, f->labels(i)[0]);
        out.terms.push_back({number ? *number : rt::Number(*truth ? 1 : 0), f->at(i), i % rest,
                             fmt::format("{} = {}", f->variables()[0].name, f->labels(i)[0].text())});
    }
    return out;
}

Result<Evaluator::Expectation> Evaluator::expectation(const QueryExpr& query, Span span, Frame& frame) {
    const AskedOnce once(*this, query);
    auto model = TRY(model_of(query, span, frame));
    QueryLowering lowering(*this, model, query, frame);
    Status done = lowering.bind();
    if (!done) return std::move(done).fault();
    done = lowering.given(query.given);
    if (!done) return std::move(done).fault();
    if (!lowering.open_doing().empty())
        return at(open_doing_fault(model.model->variables()[rt::index(lowering.open_doing()[0])].variable.name), span);
    rt::Query& lowered = lowering.query();
    const auto repeated = observed_many_times(lowered.given, model);
    auto extended = lowering.extended();
    if (!extended) return at(std::move(extended).fault(), span);

    if (extended->model->numeric()) {
        auto whole = TRY(real_expectation(query, span, frame, model, *extended, lowering).or_nothing());
        if (whole) return *std::move(whole);
    }
    auto large = TRY(mean_of_quantity(query, span, frame, model, lowering, false).or_nothing());
    if (large) return *std::move(large);
    const Frame traced = frame;        // in which the variables are quantities
    std::vector<std::uint32_t> slots;  // of the variables the expression speaks of, in the order asked
    Indexed indexed;
    for (const auto& bound : query.bound) {
        if (!mentions_local(*query.expectation, bound.slot)) continue;
        if (frame.size() <= bound.slot) frame.resize(bound.slot + 1);
        auto id = lowering.find(bound.name);
        if (query.next || rt::contains(repeated, bound.name))
            if (const auto next = lowering.find("next " + bound.name)) id = next;
        if (id) {
            lowered.targets.free.push_back(*id);
            slots.push_back(bound.slot);
            continue;
        }
        if (has_plate(*model.model, bound.name)) {
            indexed.plates.insert(bound.name);
            frame[bound.slot] = Value::label(rt::Label::of_text(bound.name));
            continue;
        }
        frame[bound.slot] = TRY(resolved(bound.otherwise, bound.name, bound.span, frame));
    }
    lowered.by = TRY(engine_of(query, *model.model, frame));
    lowered.origin = origin(span);
    auto* outer = std::exchange(indexed_, &indexed);
    auto out = weighed(query, span, frame, *extended, lowered, slots);
    // Which variables of a plate it speaks of is known when it is worked out: one more each time, until none is missed.
    while (!out && !indexed.missed.empty()) {
        const auto id = lowering.find(std::exchange(indexed.missed, {}));
        if (!id || rt::contains(lowered.targets.free, *id)) break;
        lowered.targets.free.push_back(*id);
        out = weighed(query, span, frame, *extended, lowered, slots);
    }
    indexed_ = outer;
    if (!out && (out.fault().code == "E-TYPE" || out.fault().code == "E-ARGUMENT")) {
        // A + B of what is true or false: as a quantity, in which true is 1.
        lowered.targets.free.clear();
        frame = traced;
        auto counted = mean_of_quantity(query, span, frame, model, lowering, true);
        if (counted) return *std::move(counted);
    }
    return out;
}

/// The standard error of a sampled table is that of one of its probabilities, √(p (1 − p) / n): this gives the number of draws n behind
/// the mean too.
rt::Number Evaluator::error_of_mean(const Expectation& of, const rt::Number& error) {
    double spread = 0;
    double mean = 0;
    double squares = 0;
    for (const auto& term : of.terms) {
        const double p = term.weight.real();
        spread = std::max(spread, p * (1 - p));
        mean += p * term.worth.real();
        squares += p * term.worth.real() * term.worth.real();
    }
    return rt::Number::real(error.real() * std::sqrt(std::max(0.0, squares - mean * mean) / spread));
}

/// The mean of the expression where the answer is a distribution of the variable in `slot`.
Result<rt::Number> Evaluator::mean_under(const rt::Distribution& d, const QueryExpr& query, Span span, Frame& frame, std::uint32_t slot,
                                         const std::function<Result<rt::Number>()>& worth) {
    if (!std::holds_alternative<NameExpr>(query.expectation->node)) {
        std::optional<Fault> failed;
        const double mean = rt::expected_value(d, [&](double x) {
            frame[slot] = Value(rt::Number::real(x));
            auto value = worth();
            if (!value && !failed) failed = std::move(value).fault();
            return failed ? 0 : value->real();
        });
        if (failed) return *std::move(failed);
        if (!std::isfinite(mean)) return fault("E-UNDEFINED", "this expectation is not finite", query.expectation->span);
        return rt::Number::real(mean);
    }
    auto mean = d.mean();
    if (!mean) return at(std::move(mean).fault(), span);
    if (const auto* n = std::get_if<rt::Number>(&*mean)) return *n;
    return fault("E-TYPE", "this distribution has no single number as its mean", span);
}

/// The expression in each case that the answer to `lowered` allows. Its first targets have slots; those after them are in plates.
Result<Evaluator::Expectation> Evaluator::weighed(const QueryExpr& query, Span span, Frame& frame, const ModelValue& model,
                                                  const rt::Query& lowered, const std::vector<std::uint32_t>& slots) {
    const auto worth = [&]() -> Result<rt::Number> {
        auto value = TRY(eval(*query.expectation, frame));
        if (const auto* n = value.get<rt::Number>()) return *n;
        if (const auto* b = value.get<bool>()) return rt::Number(*b ? 1 : 0);
        const auto label = value.as_label();
        if (label && indexed_ && indexed_->plates.contains(label->text()))
            return fault("E-TYPE", fmt::format("{} stands for several variables, but an expectation is of one number", label->text()),
                         query.expectation->span, "no number",
                         fmt::format("ask for one of them, E({0}[1]), or for their sum: E(sum({0}))", label->text()));
        if (label) return not_a_mean(*query.expectation, *label);
        return fault("E-TYPE", fmt::format("an expectation needs numbers, not {}", value.kind()), query.expectation->span);
    };
    Expectation out;
    if (lowered.targets.free.empty()) {
        auto constant = TRY(worth());
        out.terms.push_back({std::move(constant), rt::Number(1), 0, "always"});
        return out;
    }
    run_.rng = world_.rng.child("query");
    auto answer = model.model->ask(lowered, run_);
    if (!answer) return at(std::move(answer).fault(), span);
    note_answer(*answer, span);
    const AnswerInfo own{answer->engine, answer->exact, answer->counts, answer->standard_error};
    last_answer_ = own;

    if (const auto* d = std::get_if<rt::DistributionPtr>(&answer->value)) {
        out.integral = true;
        auto mean = TRY(mean_under(**d, query, span, frame, slots[0], worth));
        last_answer_ = own;
        out.terms.push_back({std::move(mean), rt::Number(1), 0, "the mean"});
        return out;
    }
    const auto& f = std::get<rt::Factor>(answer->value);
    const std::size_t inner = lowered.targets.free.size();
    std::vector<std::size_t> conditions;  // the axes of the answer that are free in the evidence, perhaps also restricted there
    for (const auto id : lowered.given.free) {
        conditions.push_back(*position_in(f, model.model->variables()[rt::index(id)].variable.name));
        out.over.push_back(f.variables()[conditions.back()]);
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
        const rt::Number p = f.at(i);
        if (p.is_zero()) continue;  // never asked what an impossible case is worth
        const auto labels = f.labels(i);
        std::string name;
        for (std::size_t v = 0; v < inner; ++v) {
            (v < slots.size() ? frame[slots[v]] : indexed_->values[f.variables()[v].name]) = Value::label(labels[v]);
            name += (v ? ", " : "") + f.variables()[v].name + " = " + labels[v].text();
        }
        auto value = TRY(worth());
        std::size_t slot = 0;
        for (const auto v : conditions) slot = slot * f.variables()[v].size() + *f.variables()[v].domain->find(labels[v]);
        out.terms.push_back({std::move(value), p, slot, std::move(name)});
    }
    last_answer_ = own;  // queries within the expression had answers of their own
    if (answer->standard_error && answer->standard_error->sign() > 0 && conditions.empty())
        last_answer_->standard_error = error_of_mean(out, *answer->standard_error);
    return out;
}

Result<Value> Evaluator::eval_expectation(const QueryExpr& query, Span span, Frame& frame) {
    auto found = TRY(expectation(query, span, frame));
    std::size_t rest = 1;
    for (const auto& v : found.over) rest *= v.size();
    std::vector<rt::Number> sums(rest, rt::Number(0));
    for (const auto& term : found.terms) {
        auto product = TRY(arithmetic(BinaryOp::multiply, term.worth, term.weight, span));
        sums[term.slot] = TRY(arithmetic(BinaryOp::add, sums[term.slot], product, span));
    }
    if (found.over.empty()) return Value(sums[0]);
    return Value::factor(rt::Factor::of_numbers(found.over, sums));
}

Result<Value> Evaluator::eval_sample(const Sample& sample, Span span, Frame& frame) {
    std::optional<std::size_t> count;
    if (sample.count) {
        auto n = TRY(number(*sample.count, frame));
        const auto whole = n.is_exact() ? n.exact().to_int64() : std::nullopt;
        if (!whole || *whole < 0 || static_cast<std::size_t>(*whole) > run_.limits.list_items)
            return fault("E-PARAMETER",
                         fmt::format("sample needs a whole number of draws, at most {} million, found {}",
                                     run_.limits.list_items / 1'000'000, show_number(n, show_)),
                         sample.count->span);
        count = static_cast<std::size_t>(*whole);
    }
    if (sample.by) return fault("E-ENGINE", "samples are drawn exactly here, so `by` has no effect", sample.by->span);
    auto source = eval(*sample.source, frame);
    if (!source) return source;
    const std::size_t n = count.value_or(1);
    rt::Rng& stream = world_.rng;

    if (const auto* d = source->get<rt::DistributionPtr>()) {
        List out;
        out.reserve(n);
        for (std::size_t i = 0; i < n; ++i) {
            if ((i & 0xFFFU) == 0 && run_.stopped()) return rt::stopped_fault();
            out.push_back(outcome_value((*d)->sample(stream)));
        }
        return count ? Value::list(std::move(out)) : out[0];
    }
    std::optional<rt::Factor> weights;
    if (const auto* f = source->get<FactorPtr>()) weights = **f;
    if (const auto* r = source->get<RecordPtr>()) weights = record_as_factor(**r, "value");
    if (weights) {
        auto normal = rt::normalize(*weights);
        if (!normal) return at(std::move(normal).fault(), sample.source->span);
        if (const auto total = rt::sum(*weights); source->is<FactorPtr>() && !rt::sums_to_one(total))
            note(fmt::format("the numbers sum to {}, not to 1; they are used as weights", rt::label_text(total)));
        std::vector<double> cumulative = normal->doubles();
        for (std::size_t i = 1; i < cumulative.size(); ++i) cumulative[i] += cumulative[i - 1];
        std::vector<std::size_t> drawn(n);
        for (auto& entry : drawn) {
            const double u = stream.uniform() * cumulative.back();
            entry = static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin());
        }
        if (normal->variables().size() == 1) {
            List out;
            out.reserve(n);
            for (const auto entry : drawn) out.push_back(Value::label((*normal->variables()[0].domain)[entry]));
            return count ? Value::list(std::move(out)) : out[0];
        }
        rt::Table table;
        table.row_count = n;
        for (std::size_t v = 0; v < normal->variables().size(); ++v) {
            rt::ColumnBuilder column(normal->variables()[v].name);
            for (const auto entry : drawn) column.add(normal->labels(entry)[v]);
            auto built = std::move(column).finish();
            if (!built) return at(std::move(built).fault(), span);
            table.columns.push_back(*std::move(built));
        }
        if (!count) return row_value(table, 0);
        return Value(Value::Node(std::make_shared<const rt::Table>(std::move(table))));
    }
    auto model = as_model(*source, sample.source->span);
    if (!model) {
        if (source->items())
            return fault("E-TYPE", "a list has no probabilities to draw with", sample.source->span, {},
                         "equally likely items are uniform([ … ]); weights are a record: sample 10 from {a: 1, b: 2}");
        return std::move(model).fault();
    }
    run_.rng = rt::Rng(stream.next());
    auto table = model->model->sample(n, {}, run_);
    if (!table) return at(std::move(table).fault(), span);
    if (!count) return row_value(**table, 0);
    return Value(Value::Node(*std::move(table)));
}

}  // namespace credence::lang
