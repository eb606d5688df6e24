#include "runtime/prob/queries/averaged.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/distributions/family.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/numeric_model.hpp"

namespace credence::rt {

namespace {

using AnswerValue = decltype(Answer::value);

constexpr double left_out = 1e-13;  // of the probability, at each end
constexpr double most_values = 2000;

/// What the evidence says of which number.
struct GivenNumber {
    VarId variable{};
    DistributionPtr distribution;
    Origin origin = Origin::none;
};
/// The base's answer to a query that gives the number a value.
using AskOfValue = std::function<Result<Answer>(const Query&)>;

std::string measurement_hint(const std::string& name) {
    return fmt::format("a measurement is a node of its own: seen ~ normal({0}, 0.5) in the net, and seen = 3 as evidence", name);
}

struct Point {
    Number value;
    double weight = 0;
};

/// Counts one by one; of a density the points of the double exponential rule (Takahasi and Mori 1974) on the scale of its quantiles, which
/// converges fast although the quantiles have no bound at the ends.
Result<std::vector<Point>> points_of(const Distribution& d, Origin origin) {
    std::vector<Point> out;
    const auto quantile = [&](double p) { return d.quantile(Number::real(p)); };
    if (d.support() == Support::integers) {
        const double first = TRY(quantile(left_out)).real();
        const double last = TRY(quantile(1 - left_out)).real();
        if (last - first > most_values)
            return Fault{
                .code = "E-COST", .message = fmt::format("this {} has more than {:.0f} values", d.name(), most_values), .origin = origin};
        for (double k = first; k <= last; ++k) {
            const Number value(Rational(static_cast<std::int64_t>(k)));
            out.push_back({value, TRY(d.pdf(Outcome(value))).real()});
        }
    } else {
        constexpr double step = 1.0 / 12;
        const double most = std::asinh(-std::log(left_out) / M_PI);
        const int steps = static_cast<int>(most / step);
        for (int k = -steps; k <= steps; ++k) {
            const double t = step * k;
            const double p = 1 / (1 + std::exp(-M_PI * std::sinh(t)));
            out.push_back({TRY(quantile(p)), p * (1 - p) * std::cosh(t)});
        }
    }
    double total = 0;
    for (const auto& point : out) total += point.weight;
    for (auto& point : out) point.weight /= total;
    return out;
}

class Averager {
public:
    Averager(const Query& query, const GivenNumber& soft, const AskOfValue& ask) : query_(query), soft_(soft), ask_(ask) {}

    Result<Answer> operator()() const {
        const auto middle = TRY(soft_.distribution->quantile(Number(Rational(1, 2))));
        auto first = TRY(ask_at(middle));
        if (first.standard_error || (!std::holds_alternative<Number>(first.value) && is_drawn(first)))
            return Fault{.code = "E-ENGINE",
                         .message = "only exact engines average over the values of a number, and this query needs draws",
                         .origin = soft_.origin,
                         .hint = "observe a value, or declare a measurement of it: a node drawn round it, with a value as evidence"};
        if (std::holds_alternative<DistributionPtr>(first.value))
            if (auto normal = TRY(jointly_normal(first))) return *std::move(normal);
        std::vector<Answer> answers;
        std::vector<Number> weights;
        const auto points = TRY(points_of(*soft_.distribution, soft_.origin));
        for (const auto& point : points) {
            answers.push_back(TRY(ask_at(point.value)));
            weights.push_back(Number::real(point.weight));
        }
        first.exact = false;
        first.log.reset();
        first.value = TRY(average(answers, weights));
        return first;
    }

private:
    static bool is_drawn(const Answer& answer) {
        const auto* d = std::get_if<DistributionPtr>(&answer.value);
        return d && (*d)->name() == "samples";
    }

    Result<Answer> ask_at(const Number& value) const {
        Query query = query_;
        query.given.events.push_back(event_equal(soft_.variable, Label::of_number(value), soft_.origin));
        return ask_(query);
    }

    struct NormalAt {
        Number mean;
        Number sd;
    };
    Result<std::optional<NormalAt>> normal_at(const Number& value) const {
        const auto answer = TRY(ask_at(value));
        const auto* d = std::get_if<DistributionPtr>(&answer.value);
        if (!d || (*d)->name() != "normal") return std::optional<NormalAt>();
        const auto p = (*d)->parameters();
        return std::optional(NormalAt{std::get<Number>(p[0].value), std::get<Number>(p[1].value)});
    }

    /// normal(a + b y, s) for each y with y ~ normal(m, t) is normal(a + b m, √(s² + b² t²)). The answers of one engine of joint normals
    /// are of this form, and three of them show it.
    Result<std::optional<Answer>> jointly_normal(const Answer& first) const {
        const std::optional<Answer> none;
        const Distribution& d = *soft_.distribution;
        if (d.name() != "normal" || (first.engine != "linear_gaussian" && first.engine != "conjugate")) return none;
        const auto given = d.parameters();
        const Number mean = std::get<Number>(given[0].value);
        const Number sd = std::get<Number>(given[1].value);
        const auto at = TRY(normal_at(mean));
        const auto above = TRY(normal_at(mean + sd));
        const auto below = TRY(normal_at(mean - sd));
        if (!at || !above || !below) return none;
        const auto near = [](const Number& a, const Number& b) {
            return std::abs(a.real() - b.real()) <= 1e-12 * (1 + std::abs(a.real()));
        };
        if (!near(at->sd, above->sd) || !near(at->sd, below->sd) || !near(above->mean - at->mean, at->mean - below->mean)) return none;
        const Number moved = above->mean - at->mean;  // b t
        const Number variance = at->sd * at->sd + moved * moved;
        Answer out = first;
        out.exact = false;
        out.value = TRY(make_distribution(Family::normal, std::vector{at->mean, Number::real(std::sqrt(variance.real()))}));
        return std::optional(std::move(out));
    }

    Result<AnswerValue> average(const std::vector<Answer>& answers, const std::vector<Number>& weights) const {
        if (std::holds_alternative<DistributionPtr>(answers[0].value)) {
            std::vector<DistributionPtr> parts;
            for (const auto& answer : answers) parts.push_back(std::get<DistributionPtr>(answer.value));
            return AnswerValue(TRY(make_mixture(weights, std::move(parts))));
        }
        if (std::holds_alternative<Number>(answers[0].value)) {
            Number sum = 0;
            for (std::size_t k = 0; k < answers.size(); ++k) sum += weights[k] * std::get<Number>(answers[k].value);
            return AnswerValue(sum);
        }
        const auto* first = std::get_if<Factor>(&answers[0].value);
        if (!first)
            return Fault{.code = "E-QUERY",
                         .message = "the most probable values are not averaged over those of a number",
                         .origin = soft_.origin,
                         .hint = "ask for the distribution first: argmax of P(… | …)"};
        std::vector<Number> entries(first->size(), Number(0));
        for (std::size_t k = 0; k < answers.size(); ++k)
            for (std::size_t i = 0; i < entries.size(); ++i) entries[i] += weights[k] * std::get<Factor>(answers[k].value).at(i);
        Factor out = Factor::of_numbers(first->variables(), entries);
        out.set_layout(first->layout());
        return AnswerValue(std::move(out));
    }

    const Query& query_;
    const GivenNumber& soft_;
    const AskOfValue& ask_;
};

bool speaks_of(const Clause& clause, VarId v) {
    if (contains(clause.free, v)) return true;
    return std::any_of(clause.events.begin(), clause.events.end(), [&](const Event& event) { return contains(variables_of(event), v); });
}

class Averaged final : public Model, public NumericModel {
public:
    Averaged(ModelPtr base, GivenNumber given) : base_(std::move(base)), given_(std::move(given)) {}

    std::string_view kind() const override { return base_->kind(); }
    const Variables& variables() const override { return base_->variables(); }
    std::vector<MethodInfo> engines() const override { return base_->engines(); }
    std::string description() const override { return base_->description(); }
    const NumericModel* numeric() const override { return base_->numeric() ? this : nullptr; }
    Result<Answer> ask(const Query& query, Run& run) const override {
        return average(query, [&](const Query& one) { return base_->ask(one, run); });
    }
    Result<Answer> expectation(const Term& term, const Query& query, Run& run) const override {
        return average(query, [&](const Query& one) { return base_->numeric()->expectation(term, one, run); });
    }
    Result<TablePtr> sample(std::size_t, const Clause&, Run&) const override {
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("rows are not drawn where {} is given by a distribution", name()),
                     .origin = given_.origin,
                     .hint = measurement_hint(name())};
    }
    Result<Derivation> explain(const Query&, const Answer& answer, Run&) const override {
        DerivationWriter out;
        out.formula(fmt::format("P(… | {0} ~ q) = integral of P(… | {0} = v) q(v) dv", name()));
        out.note(fmt::format("after the evidence {} has the distribution q, whatever was believed of it before (Jeffrey's rule)", name()));
        if (const auto* number = std::get_if<Number>(&answer.value)) {
            out.begin({*number});
            out.result(*number);
        }
        return std::move(out).take();
    }
    Result<ModelPtr> with_quantities(const ModelPtr&, const std::vector<NamedQuantity>& quantities, Run& run) const override {
        auto larger = TRY(base_->with_quantities(base_, quantities, run));
        return averaged_over(std::move(larger), given_.variable, given_.distribution, given_.origin);
    }

private:
    const std::string& name() const { return variables()[index(given_.variable)].variable.name; }
    Result<Answer> average(const Query& query, const AskOfValue& ask) const {
        if (speaks_of(query.targets, given_.variable) || speaks_of(query.given, given_.variable))
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("{} has the distribution that the evidence gives it", name()),
                         .origin = given_.origin,
                         .hint = "ask that distribution itself, as in 1 - cdf(normal(3, 0.5), 4)"};
        return Averager(query, given_, ask)();
    }

    ModelPtr base_;
    GivenNumber given_;
};

}  // namespace

ModelPtr averaged_over(ModelPtr base, VarId given, DistributionPtr distribution, Origin origin) {
    return std::make_shared<const Averaged>(std::move(base), GivenNumber{given, std::move(distribution), origin});
}

}  // namespace credence::rt
