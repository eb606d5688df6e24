#include "runtime/prob/queries/conditioned.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/extended.hpp"
#include "runtime/prob/queries/numeric_model.hpp"

namespace credence::rt {

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// Places in the text belong to the statement that is running: later ones have places of their own.
void forget_places(Event& event) {
    event.origin = event.atom.origin = Origin::none;
    for (auto& part : event.parts) forget_places(part);
}

void forget_places(Condition& condition) {
    for (auto& event : condition.given.events) forget_places(event);
    for (auto& list : condition.given.observations) list.origin = Origin::none;
    for (auto& data : condition.given.data) data.origin = Origin::none;
    for (auto& soft : condition.given.soft) soft.origin = Origin::none;
    for (auto& doing : condition.doing) doing.origin = Origin::none;
    condition.by.kept = condition.by.is_chosen();
    condition.by.origin = Origin::none;
}

bool has_list(const Clause& clause) {
    return std::any_of(clause.observations.begin(), clause.observations.end(), [](const Observations& o) { return o.counts.empty(); });
}

/// Lists are read side by side, and a table has rows of its own: so these lists stand beside those of another clause. Lists of unequal
/// length stay, for whoever reads them to complain of.
void move_lists_to_table(Clause& clause, const Variables& variables) {
    auto table = std::make_shared<Table>();
    Origin origin = Origin::none;
    std::vector<Observations> counts;
    for (const auto& list : clause.observations) {
        if (!list.counts.empty()) {
            counts.push_back(list);
            continue;
        }
        if (table->columns.empty()) table->row_count = list.values.size();
        if (list.values.size() != table->row_count) return;
        ColumnBuilder cells(variables[index(list.variable)].variable.name);
        for (const auto& value : list.values) cells.add(value);
        auto column = std::move(cells).finish();
        if (!column) return;
        table->columns.push_back(*std::move(column));
        origin = list.origin;
    }
    clause.observations = std::move(counts);
    clause.data.push_back({std::move(table), origin});
}

class Conditioned : public Model {
public:
    /// `asked` has the variables of the base, then `added` quantities, then those of the condition.
    Conditioned(ModelPtr base, Condition condition, ModelPtr asked, std::size_t added)
        : base_(std::move(base)), condition_(std::move(condition)), asked_(std::move(asked)) {
        const std::size_t own = base_->variables().size();
        variables_.assign(asked_->variables().begin(), asked_->variables().begin() + static_cast<std::ptrdiff_t>(own + added));
        std::vector<VarId> places(own + condition_.quantities.size());
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<VarId>(i < own ? i : i + added);
        Query query;
        query.given = condition_.given;
        query.doing = condition_.doing;
        evidence_ = renumbered(std::move(query), places);
        find_drawn_again();
    }

    std::string_view kind() const override { return "posterior"; }
    const Variables& variables() const override { return variables_; }
    std::vector<MethodInfo> engines() const override { return base_->engines(); }
    std::string description() const override {
        std::vector<std::string> given;
        for (const auto& item : items_of(evidence_.given, asked_->variables())) given.push_back(item.text);
        for (const auto& d : evidence_.doing)
            given.push_back(fmt::format("do({} = {})", asked_->variables()[index(d.variable)].variable.name, d.value.text()));
        return given.empty() ? std::string(base_->kind()) : fmt::format("{} given {}", base_->kind(), joined(given, ", "));
    }

    Result<Answer> ask(const Query& query, Run& run) const override { return asked_->ask(with_evidence(query), run); }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        return asked_->explain(with_evidence(query), answer, run);
    }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        if (!evidence_.doing.empty())
            return Fault{.code = "E-QUERY",
                         .message = "rows cannot be drawn under do(…)",
                         .hint = "draw from the distribution of some of the variables: sample 10 from P(X | do(Y = y))"};
        Query query;
        query.given = given;
        return asked_->sample(n, with_evidence(query).given, run);
    }
    Result<ModelPtr> with_quantities(const ModelPtr&, const std::vector<NamedQuantity>& quantities, Run& run) const override {
        return make(base_, condition_, quantities, run);
    }

    static Result<ModelPtr> make(const ModelPtr& base, const Condition& condition, const std::vector<NamedQuantity>& quantities, Run& run);

    /// Whether the evidence says what value it has.
    bool is_observed(VarId id) const {
        const auto fixed = [&](const Event& event) {
            return event.kind == Event::Kind::atom && event.atom.variable == id && event.atom.compare == Compare::equal;
        };
        const auto events = conjuncts(evidence_.given.events);
        return std::any_of(events.begin(), events.end(), fixed) ||
               std::any_of(evidence_.doing.begin(), evidence_.doing.end(), [&](const Intervention& d) { return d.variable == id; });
    }

    const ModelPtr& base() const { return base_; }
    /// Of the evidence, given that of the base.
    Result<double> log_probability(Run& run) const {
        Query query;
        query.targets = evidence_.given;
        query.doing = evidence_.doing;
        const auto answer = TRY(asked_->ask(query, run));
        const auto* p = std::get_if<Number>(&answer.value);
        if (!p) return Fault{.code = "E-QUERY", .message = "this model gives no probability of its evidence"};
        return answer.log.value_or(p->is_zero() ? -INFINITY : p->log());
    }
    std::optional<Label> observed(VarId id) const {
        for (const auto& event : conjuncts(evidence_.given.events))
            if (event.kind == Event::Kind::atom && event.atom.variable == id && event.atom.compare == Compare::equal &&
                event.atom.values.size() == 1)
                return event.atom.values.front();
        for (const auto& d : evidence_.doing)
            if (d.variable == id) return d.value;
        return std::nullopt;
    }

protected:
    Query with_evidence(const Query& query) const {
        Query out = renumbered(query, drawn_again_);
        // Lists are more rows of what was observed before; only single values are of the next draw.
        for (std::size_t i = 0; i < out.given.observations.size(); ++i)
            out.given.observations[i].variable = query.given.observations[i].variable;
        if (has_list(evidence_.given) && has_list(out.given)) move_lists_to_table(out.given, asked_->variables());
        append(out.given.events, evidence_.given.events);
        append(out.given.observations, evidence_.given.observations);
        append(out.given.data, evidence_.given.data);
        append(out.given.soft, evidence_.given.soft);
        append(out.doing, evidence_.doing);
        if (!out.by.is_chosen()) out.by = condition_.by;
        return out;
    }
    VarId place(VarId id) const { return drawn_again_[index(id)]; }
    const Model& asked() const { return *asked_; }

private:
    /// After i.i.d. observations of Flip, Flip is the next flip.
    void find_drawn_again() {
        drawn_again_.resize(asked_->variables().size());
        for (std::size_t i = 0; i < drawn_again_.size(); ++i) drawn_again_[i] = static_cast<VarId>(i);
        const auto next_of = [&](const std::string& name) {
            const auto& all = asked_->variables();
            const auto own = std::find_if(all.begin(), all.end(), [&](const auto& v) { return !v.next && v.variable.name == name; });
            const auto next =
                std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.next && v.variable.name == "next " + name; });
            if (own != all.end() && next != all.end())
                drawn_again_[static_cast<std::size_t>(own - all.begin())] = static_cast<VarId>(next - all.begin());
        };
        for (const auto& list : evidence_.given.observations) next_of(asked_->variables()[index(list.variable)].variable.name);
        for (const auto& data : evidence_.given.data)
            for (const auto& column : data.table->columns) next_of(column->name);
    }

    ModelPtr base_;
    Condition condition_;
    ModelPtr asked_;
    Query evidence_;  // the condition over the variables of `asked_`
    Variables variables_;
    std::vector<VarId> drawn_again_;  // by variable of `asked_`: itself, or one more draw of it
};

class NumericConditioned final : public Conditioned, public NumericModel {
public:
    using Conditioned::Conditioned;
    const NumericModel* numeric() const override { return this; }
    Result<Answer> expectation(const Term& term, const Query& query, Run& run) const override {
        const auto moved = with_variables(term, [&](VarId id) { return place(id); });
        return asked().numeric()->expectation(moved, with_evidence(query), run);
    }
    Result<PointwiseLikelihood> pointwise_likelihood(const Query& query, Run& run) const override {
        return asked().numeric()->pointwise_likelihood(with_evidence(query), run);
    }
    Result<LogEvidence> log_evidence(const Query& query, Run& run) const override {
        return asked().numeric()->log_evidence(with_evidence(query), run);
    }
    Result<TablePtr> replicate(std::size_t n, const Query& query, Run& run) const override {
        return asked().numeric()->replicate(n, with_evidence(query), run);
    }
};

Result<ModelPtr> Conditioned::make(const ModelPtr& base, const Condition& condition, const std::vector<NamedQuantity>& quantities,
                                   Run& run) {
    std::vector<NamedQuantity> all = quantities;
    append(all, condition.quantities);
    ModelPtr asked = base;
    if (!all.empty()) { asked = TRY(extend(base, all, run)); }
    if (asked->numeric()) return ModelPtr(std::make_shared<const NumericConditioned>(base, condition, std::move(asked), quantities.size()));
    return ModelPtr(std::make_shared<const Conditioned>(base, condition, std::move(asked), quantities.size()));
}

}  // namespace

std::vector<VarId> open_variables(const Model& model) {
    const auto* conditioned = dynamic_cast<const Conditioned*>(&model);
    std::vector<VarId> out;
    for (std::size_t i = 0; i < model.variables().size(); ++i) {
        const auto id = static_cast<VarId>(i);
        if (is_listed(model, id) && !(conditioned && conditioned->is_observed(id))) out.push_back(id);
    }
    return out;
}

ModelPtr prior_of(const Model& model) {
    const auto* conditioned = dynamic_cast<const Conditioned*>(&model);
    if (!conditioned) return nullptr;
    auto further = prior_of(*conditioned->base());
    return further ? further : conditioned->base();
}

Result<double> log_probability_given(const Model& model, Run& run) {
    const auto* conditioned = dynamic_cast<const Conditioned*>(&model);
    if (!conditioned)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a {} is not a model given evidence", model.kind()),
                     .hint = "bayes_factor(a, b, data) compares models by data"};
    double out = TRY(conditioned->log_probability(run));
    if (prior_of(*conditioned->base())) {
        const double before = TRY(log_probability_given(*conditioned->base(), run));
        out += before;
    }
    return out;
}

std::optional<Label> observed_value(const Model& model, VarId id) {
    const auto* conditioned = dynamic_cast<const Conditioned*>(&model);
    if (!conditioned) return std::nullopt;
    if (auto value = conditioned->observed(id)) return value;
    return index(id) < conditioned->base()->variables().size() ? observed_value(*conditioned->base(), id) : std::nullopt;
}

bool is_listed(const Model& model, VarId id) {
    const auto& variable = model.variables()[index(id)];
    return !variable.next && !variable.is_step;
}

std::vector<VarId> listed_variables(const Model& model) {
    std::vector<VarId> out;
    for (std::size_t i = 0; i < model.variables().size(); ++i)
        if (is_listed(model, static_cast<VarId>(i))) out.push_back(static_cast<VarId>(i));
    return out;
}

Result<ModelPtr> condition(ModelPtr base, Condition condition, Run& run) {
    forget_places(condition);
    return Conditioned::make(base, condition, {}, run);
}

}  // namespace credence::rt
