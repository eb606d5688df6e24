// Entropies and mutual information: of labels from their joint table, of numbers from the entropies of densities.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/eval/lower_query.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/factors/information.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::lang {

namespace {

std::vector<std::size_t> sizes_of(const rt::Factor& f) {
    std::vector<std::size_t> out;
    for (const auto& v : f.variables()) out.push_back(v.size());
    return out;
}

using VarIds = std::vector<rt::VarId>;

VarIds united(VarIds first, const VarIds& second) {
    for (const auto id : second)
        if (!rt::contains(first, id)) first.push_back(id);
    return first;
}

}  // namespace

std::optional<std::size_t> position_in(const rt::Factor& f, const std::string& name) {
    constexpr std::string_view next = "next ";
    const auto position = f.find(name);
    return position || !name.starts_with(next) ? position : f.find(name.substr(next.size()));
}

Result<Evaluator::Joint> Evaluator::joint_of_sides(const QueryExpr& query, Span span, Frame& frame) {
    rt::Query lowered;
    ModelValue model;
    auto answer = TRY(ask(query, span, frame, rt::Goal::probability, &lowered, &model));
    QueryLowering evidence(*this, model, query, frame);
    TRY(evidence.bind());
    TRY(evidence.given(query.given));
    const auto& conditions = evidence.query().given.free;  // also where they are targets too
    Joint out;
    if (const auto* d = std::get_if<rt::DistributionPtr>(&answer.value)) {
        out.drawn = *d;
        return out;
    }
    const auto* f = std::get_if<rt::Factor>(&answer.value);
    if (!f) return fault("E-QUERY", "an entropy needs a variable", span);
    out.table = *f;
    out.sizes = sizes_of(*f);
    const auto positions = [&](const std::vector<QueryItem>& items, std::vector<std::size_t>& to) -> Status {
        QueryLowering side(*this, model, query, frame);
        Status done = side.bind();
        if (!done) return done;
        done = side.targets(items);
        if (!done) return done;
        side.expand_star();
        for (const auto id : side.query().targets.free)
            if (const auto position = position_in(*f, side.name(id))) to.push_back(*position);
        return rt::Done{};
    };
    TRY(positions(query.targets, out.x));
    TRY(positions(query.second, out.y));
    // Only bare variables are positions of the joint: events among the evidence have conditioned it already.
    for (const auto id : conditions)
        if (const auto position = position_in(*f, evidence.name(id))) out.z.push_back(*position);
    return out;
}

/// h(numbers | given, labels), averaged over the values of the labels. Not applicable where the model lists the values of its numbers, as a
/// table does.
Attempt<double> Evaluator::mean_entropy(const ModelValue& model, const rt::Query& query, const std::vector<rt::VarId>& numbers,
                                        const std::optional<rt::Factor>& labels, std::span<const rt::VarId> over, Span span) {
    const auto entropy_given = [&](rt::Query one) -> Attempt<double> {
        one.targets.free = numbers;
        run_.rng = world_.rng.child("query");
        auto answer = model.model->ask(one, run_);
        if (!answer) return at(std::move(answer).fault(), span);
        last_answer_ = AnswerInfo{answer->engine, answer->exact, answer->counts, answer->standard_error};
        const auto* d = std::get_if<rt::DistributionPtr>(&answer->value);
        if (!d) return rt::not_applicable;
        auto bits = (*d)->entropy();
        if (!bits) return at(std::move(bits).fault(), span);
        return bits->real();
    };
    if (!labels) return entropy_given(query);
    double sum = 0;
    for (std::size_t i = 0; i < labels->size(); ++i) {
        if (labels->at(i).is_zero()) continue;
        rt::Query one = query;
        const auto values = labels->labels(i);
        for (std::size_t v = 0; v < over.size(); ++v) one.given.events.push_back(rt::event_equal(over[v], values[v], one.origin));
        sum += labels->at(i).real() * TRY(entropy_given(std::move(one)));
    }
    return sum;
}

/// H(numbers, labels) = H(labels) + h(numbers | labels).
Attempt<double> Evaluator::joint_entropy(const ModelValue& model, const rt::Query& query, const std::vector<rt::VarId>& of,
                                         const std::function<bool(rt::VarId)>& is_number, Span span) {
    VarIds numbers;
    VarIds over;
    for (const auto id : of) (is_number(id) ? numbers : over).push_back(id);
    std::optional<rt::Factor> labels;
    double bits = 0;
    if (!over.empty()) {
        rt::Query one = query;
        one.targets.free = over;
        run_.rng = world_.rng.child("query");
        auto answer = model.model->ask(one, run_);
        if (!answer) return at(std::move(answer).fault(), span);
        labels = std::get<rt::Factor>(answer->value);
        bits = rt::entropy_bits(labels->doubles());
    }
    if (numbers.empty()) return bits;
    return bits + TRY(mean_entropy(model, query, numbers, labels, over, span));
}

/// H(X | Z) = H(X, Z) - H(Z) and I(X; Y | Z) = H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z) where numbers are among X, Y and Z. Not applicable
/// to the entropy of one number, and where all have labels or listed values.
Attempt<rt::Number> Evaluator::entropy_of_numbers(const QueryExpr& query, Span span, Frame& frame) {
    auto model = TRY(model_of(query, span, frame));
    QueryLowering lowering(*this, model, query, frame);
    TRY(lowering.bind());
    TRY(lowering.targets(query.targets));
    const auto x = std::exchange(lowering.query().targets, {});
    TRY(lowering.targets(query.second));
    const auto y = std::exchange(lowering.query().targets, {});
    TRY(lowering.given(query.given));
    auto extended = lowering.extended();
    if (!extended) return at(std::move(extended).fault(), span);
    const auto is_number = [&](rt::VarId id) { return lowering.is_number(id); };
    rt::Query like = lowering.query();
    const VarIds z = std::exchange(like.given.free, {});
    const VarIds both = united(x.free, y.free);
    const VarIds all = united(both, z);
    const bool plain = x.events.empty() && y.events.empty() && !lowering.has_star() && lowering.open_doing().empty();
    if (!plain || std::none_of(all.begin(), all.end(), is_number) || (all.size() == 1 && query.head == QueryHead::H)) return not_applicable;
    like.by = TRY(engine_of(query, *model.model, frame));
    like.origin = origin(span);
    const auto bits = [&](const VarIds& of) { return joint_entropy(*extended, like, of, is_number, span); };
    const bool mutual = query.head == QueryHead::I;
    // A number that is on both sides of the question tells all of itself: infinitely many bits.
    for (const auto id : x.free)
        if (is_number(id) && rt::contains(mutual ? y.free : z, id))
            return fault("E-UNDEFINED",
                         fmt::format("{} is a number and stands on both sides, so the answer is {}", show_name(lowering.name(id)),
                                     mutual ? "infinite" : "minus infinity"),
                         span);
    double out = TRY(bits(united(x.free, z)));
    if (mutual) out += TRY(bits(united(y.free, z))) - TRY(bits(all));
    if (!z.empty()) out -= TRY(bits(z));
    return rt::Number::real(out);
}

Result<Value> Evaluator::eval_entropy(const QueryExpr& query, Span span, Frame& frame) {
    auto number = TRY(entropy_of_numbers(query, span, frame).or_nothing());
    if (number) return Value(*number);
    auto joint = TRY(joint_of_sides(query, span, frame));
    if (joint.drawn) {
        auto entropy = joint.drawn->entropy();
        if (!entropy) return at(std::move(entropy).fault(), span);
        return Value(*std::move(entropy));
    }
    const auto table = joint.table.doubles();
    const double value = query.head == QueryHead::H ? rt::conditional_entropy(table, joint.sizes, joint.x, joint.z)
                                                    : rt::mutual_information(table, joint.sizes, joint.x, joint.y, joint.z);
    return Value(rt::Number::real(value));
}

}  // namespace credence::lang
