// A learned concept: what it predicts, what is left of the space, and what to ask next.

#include <algorithm>

#include <fmt/format.h>
#include "runtime/core/json.hpp"

#include "runtime/hypotheses/concept_learning.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

class LearnedConcept final : public ConceptModel {
public:
    explicit LearnedConcept(Learned learned) : ConceptModel(learned.space->schema(), learned.examples.size()), in_(std::move(learned)) {}
    std::string_view kind() const override { return name_of(in_.method); }
    bool judges_unseen() const override { return true; }
    const ConceptSpacePtr& space() const override { return in_.space; }

    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override {
        const Judges judges = TRY(judges_of(rows, run));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (run.stopped()) return stopped_fault();
            auto p = TRY(positive_share(cells_of(*rows.table, rows.row(i)), judges));
            out[2 * i + in_.space->positive()] = p.real();
            out[2 * i + 1 - in_.space->positive()] = 1 - p.real();
        }
        return Done{};
    }
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run& run) const override {
        const Judges judges = TRY(judges_of(rows, run));
        auto p = TRY(positive_share(cells_of(*rows.table, rows.row(0)), judges));
        if (!p.is_exact()) return not_applicable;
        std::vector<Rational> out(2);
        out[in_.space->positive()] = p.exact();
        out[1 - in_.space->positive()] = Rational(1) - p.exact();
        return out;
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override;
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override;
    Result<Json> save() const override { return saved(in_); }
    ModelParts parts() const override;

    Result<Concept> hypothesis() const override {
        if (in_.hypothesis) return *in_.hypothesis;
        if (!is_bayesian(in_.method))
            return Fault{
                .code = "E-MEMBER", .message = fmt::format("a {} keeps many hypotheses, not one h", kind()), .hint = ".S, .G and .members"};
        auto all = TRY(posterior());
        return most_probable_of(all).hypothesis;
    }
    Result<VersionSpacePtr> versions() const override {
        if (in_.versions) return in_.versions;
        const Run run;
        return in_.space->version_space(in_.examples, run);
    }
    Result<std::vector<Weighted>> posterior() const override {
        if (in_.listed) return in_.posterior;
        const Run run;
        auto out = concept_posterior(*in_.space, in_.examples, in_.method != ConceptMethod::ml_learner, run);
        if (out && out->empty()) return collapsed_fault(*in_.space);
        return out;
    }
    Result<Question> best_question(Run& run) const override {
        auto v = TRY(versions());
        auto all = TRY(v->size());
        if (all <= Rational(1))
            return Fault{
                .code = "E-QUERY",
                .message = all.is_zero() ? "no hypothesis is left to ask about" : "one hypothesis is left: there is nothing to ask"};
        std::optional<Question> best;
        std::optional<Fault> fault;
        const auto uneven = [&](const Rational& n) { return n * Rational(2) < all ? all - n * Rational(2) : n * Rational(2) - all; };
        TRY(each_instance(in_.space->schema(), [&](const Cells& x) {
            if (run.stopped()) {
                fault = stopped_fault();
                return false;
            }
            auto n = v->holding(x);
            if (!n) {
                fault = std::move(n).fault();
                return false;
            }
            if (!best || uneven(*n) < uneven(best->holding)) best = Question{x, *n, all};
            return !uneven(best->holding).is_zero();
        }));
        if (fault) return *std::move(fault);
        return *best;
    }

private:
    /// The space that the rows are judged in, and their columns: with the values that training did not have.
    struct Judges {
        ConceptSpacePtr space;
        Schema schema;
        VersionSpacePtr versions;  ///< what is left in that space after the examples; null for methods that keep none
    };
    Result<Judges> judges_of(const TableView& rows, const Run& run) const {
        Judges out{in_.space, schema_, in_.versions};
        bool more = false;
        for (std::size_t i = 0; i < out.schema.features.size(); ++i) {
            const DomainPtr& own = rows.table->columns[i]->domain;
            more = more || own->size() > schema_.features[i].domain->size();
            out.schema.features[i].domain = own;
        }
        if (auto over = more ? in_.space->over(out.schema) : nullptr) {
            out.space = std::move(over);
            if (in_.versions) out.versions = TRY(out.space->version_space(in_.examples, run));
        }
        return out;
    }

    Result<Number> positive_share(const Cells& x, const Judges& judges) const {
        const Number& noise = in_.space->noise();
        const auto told = [&](bool held) { return held ? Number(1) - noise : noise; };
        if (in_.hypothesis) {
            auto held = TRY(judges.space->holds(*in_.hypothesis, x));
            return is_bayesian(in_.method) ? told(held) : Number(held ? 1 : 0);
        }
        if (in_.listed) {
            Number out = 0;
            for (const auto& w : in_.posterior) {
                auto held = TRY(judges.space->holds(w.hypothesis, x));
                out += w.probability * told(held);
            }
            return out;
        }
        auto all = TRY(judges.versions->size());
        if (all.is_zero()) return collapsed_fault(*in_.space);
        auto n = TRY(judges.versions->holding(x));
        return Number(n / all);
    }
    Learned in_;
};

/// h where one hypothesis predicts; the boundaries of the version space; the hypotheses that are possible, the most probable first.
ModelParts LearnedConcept::parts() const {
    ModelParts out;
    if (in_.hypothesis) out.push_back(words_part("h", text_of(*in_.hypothesis, schema_)));
    if (in_.versions) {
        if (const auto s = in_.versions->specific()) out.push_back(words_part("S", text_of(*s, schema_)));
        if (const auto g = in_.versions->general()) out.push_back(words_part("G", text_of(*g, schema_)));
        if (const auto n = in_.versions->size()) out.push_back({"hypotheses", Number(*n)});
    }
    if (in_.listed) {
        auto sorted = in_.posterior;
        std::stable_sort(sorted.begin(), sorted.end(), [](const Weighted& a, const Weighted& b) { return b.probability < a.probability; });
        std::vector<std::string> names;
        std::vector<Number> shares;
        for (const auto& w : sorted) {
            names.push_back(text_of(w.hypothesis, schema_));
            shares.push_back(w.probability);
        }
        PartTable table;
        table.names("hypothesis", names).numbers("probability", shares);
        out.push_back(std::move(table).part("posterior"));
    }
    return out;
}

Result<ModelPtr> LearnedConcept::update(const TableView& rows, std::span<const double> weights, Run& run) const {
    auto more = TRY(examples_of(*in_.space, rows, weights));
    auto all = in_.examples;
    all.insert(all.end(), more.begin(), more.end());
    return learn_concept(in_.method, in_.space, std::move(all), run);
}

Result<Derivation> LearnedConcept::explain_prediction(const TableView& rows, Run& run) const {
    DerivationWriter out;
    const Cells x = cells_of(*rows.table, rows.row(0));
    const Judges judges = TRY(judges_of(rows, run));
    const auto& labels = *schema_.target.domain;
    const std::string yes = labels[in_.space->positive()].text();
    const std::string no = labels[1 - in_.space->positive()].text();
    const auto verdict = [&](const Number& p) {
        const Number half(Rational(1, 2));
        if (p == half) return fmt::format("The vote is even: {}, declared first.", labels[0].text());
        return fmt::format("The majority: {}.", half < p ? yes : no);
    };
    if (in_.hypothesis) {
        auto held = TRY(judges.space->holds(*in_.hypothesis, x));
        out.note(fmt::format("h = {} {} for {}: {}", text_of(*in_.hypothesis, schema_), held ? "holds" : "does not hold",
                             text_of(x, judges.schema), held ? yes : no));
        return std::move(out).take();
    }
    if (in_.listed) {
        out.formula(in_.space->noise().is_zero()
                        ? fmt::format("P({} = {} | x, D) = sum of P(h | D) over the h that hold for x", schema_.target.name, yes)
                        : fmt::format("P({} = {} | x, D) = sum of P(h | D) * (1 - noise where h holds for x, else noise)",
                                      schema_.target.name, yes));
        Parts sum;
        std::size_t terms = 0;
        for (const auto& w : in_.posterior) {
            auto held = TRY(judges.space->holds(w.hypothesis, x));
            if (in_.posterior.size() <= longest_sum) out.note(fmt::format("{} says {}", text_of(w.hypothesis, schema_), held ? yes : no));
            const Number part =
                in_.space->noise().is_zero() ? Number(held ? 1 : 0) : (held ? Number(1) - in_.space->noise() : in_.space->noise());
            if (part.is_zero()) continue;
            if (terms++ > 0) sum.emplace_back(std::string(" + "));
            append(sum, {w.probability, std::string(" * "), part});
        }
        auto p = TRY(positive_share(x, judges));
        if (terms > 0 && terms <= longest_sum) {
            out.begin(std::move(sum));
            out.result(p);
        } else {
            out.begin({fmt::format("the sum over {} hypotheses", in_.posterior.size())});
            out.result(p);
        }
        out.note(verdict(p));
        return std::move(out).take();
    }
    auto all = TRY(judges.versions->size());
    if (all.is_zero()) return collapsed_fault(*in_.space);
    auto n = TRY(judges.versions->holding(x));
    if (auto sure = unanimous(*judges.versions, *judges.space, x); sure && *sure != 0)
        out.note(
            *sure > 0
                ? fmt::format("Every member of S holds for {}, so all remaining hypotheses predict {}.", text_of(x, judges.schema), yes)
                : fmt::format("No member of G holds for {}, so all remaining hypotheses predict {}.", text_of(x, judges.schema), no));
    else
        out.note("S and G do not decide it, so the remaining hypotheses vote.");
    if (all <= Rational(static_cast<std::int64_t>(longest_sum))) {
        for (const auto& h : TRY(judges.versions->members())) {
            auto held = TRY(judges.space->holds(h, x));
            out.note(fmt::format("{} says {}", text_of(h, judges.schema), held ? yes : no));
        }
    }
    out.formula(fmt::format("P({} = {} | x, D) = remaining hypotheses that hold for x / remaining hypotheses", schema_.target.name, yes));
    out.begin(quotient(Number(n), Number(all)));
    out.result(Number(n / all));
    out.note(verdict(Number(n / all)));
    return std::move(out).take();
}

}  // namespace

ModelPtr make_learned_concept(Learned learned) { return std::make_shared<const LearnedConcept>(std::move(learned)); }

std::string example_text(const ConceptSpace& space, const ConceptExample& e) {
    const auto& target = *space.schema().target.domain;
    return fmt::format("{} {}", text_of(e.cells, space.schema()), target[e.positive ? space.positive() : 1 - space.positive()].text());
}

Fault collapsed_fault(const ConceptSpace& space) {
    return {
        .code = "E-EMPTY",
        .message = fmt::format("no hypothesis of the {} agrees with all the examples, so none is left to predict with", space.kind()),
        .hint =
            "a label is wrong (noise: 0.1 and bayes_optimal allow for that), or the concept is not in the space (disjunctions, powerset)"};
}

Result<int> unanimous(const VersionSpace& versions, const ConceptSpace& space, const Cells& instance) {
    auto s = TRY(versions.specific());
    auto g = TRY(versions.general());
    if (s.empty() || g.empty()) return collapsed_fault(space);
    bool every = true;
    bool some = false;
    for (const auto& h : s) {
        auto held = TRY(space.holds(h, instance));
        every = every && held;
    }
    for (const auto& h : g) {
        auto held = TRY(space.holds(h, instance));
        some = some || held;
    }
    return every ? 1 : some ? 0 : -1;
}

}  // namespace credence::rt
