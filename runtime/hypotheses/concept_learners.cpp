#include "runtime/hypotheses/concept_learners.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include "runtime/core/json.hpp"

#include "runtime/hypotheses/concept_learning.hpp"
#include "runtime/hypotheses/listed_concepts.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// How often the examples agree and disagree with a hypothesis: P(D | h) = (1 − ε)^agree · ε^disagree.
struct Agreement {
    double agree = 0;
    double disagree = 0;
};

Number power(const Number& base, double exponent) {
    const bool whole = exponent == std::floor(exponent) && exponent < 1e6;
    if (base.is_exact() && whole) return Number(base.exact().pow(static_cast<std::int64_t>(exponent)));
    return Number::real(std::pow(base.real(), exponent));
}

/// Finds out at which example the version space came to nothing, and suggests the reason.
Result<std::optional<std::size_t>> collapse(const ConceptSpace& space, std::span<const ConceptExample> examples, const Run& run) {
    auto all = TRY(space.version_space(examples, run));
    auto n = TRY(all->size());
    if (!n.is_zero()) return std::optional<std::size_t>{};
    std::size_t low = 0;  // consistent with so many
    std::size_t high = examples.size();
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        auto some = TRY(space.version_space(examples.first(middle), run));
        auto left = TRY(some->size());
        (left.is_zero() ? high : low) = middle;
    }
    return std::optional(high - 1);
}

std::string collapse_text(const ConceptSpace& space, const ConceptExample& e, std::size_t at) {
    return fmt::format("no hypothesis of the {} is left after example {}, {}: a label is wrong, or the concept is not in the space",
                       space.kind(), at + 1, example_text(space, e));
}

Result<Concept> find_specific(const ConceptSpace& space, std::span<const ConceptExample> examples, const Run& run) {
    std::vector<ConceptExample> positive;
    for (const auto& e : examples)
        if (e.positive) positive.push_back(e);
    auto versions = TRY(space.version_space(positive, run));
    auto s = TRY(versions->specific());
    if (s.empty()) return Fault{.code = "E-TRAIN", .message = "no hypothesis of the space holds for all the positive examples"};
    return s[0];
}

}  // namespace

bool is_bayesian(ConceptMethod m) {
    return m == ConceptMethod::map_learner || m == ConceptMethod::ml_learner || m == ConceptMethod::bayes_optimal ||
           m == ConceptMethod::gibbs_classifier;
}

Result<std::vector<Weighted>> concept_posterior(const ConceptSpace& space, std::span<const ConceptExample> examples, bool with_prior,
                                                const Run& run) {
    const Number& noise = space.noise();
    auto versions = TRY(space.version_space(noise.is_zero() ? examples : std::span<const ConceptExample>{}, run));
    auto members = TRY(versions->members());
    std::vector<Weighted> out;
    for (auto& h : members) {
        Number w = 1;
        if (with_prior) {
            auto given = TRY(space.weight(h));
            if (given.sign() < 0) return Fault{.code = "E-PARAMETER", .message = "the prior weight of a hypothesis is negative"};
            w = given;
        }
        if (!w.is_zero()) out.push_back({std::move(h), std::move(w)});
    }
    if (!noise.is_zero()) {
        std::vector<Agreement> counts(out.size());
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < out.size(); ++i) {
            for (const auto& e : examples) {
                auto held = TRY(space.holds(out[i].hypothesis, e.cells));
                (held == e.positive ? counts[i].agree : counts[i].disagree) += e.weight;
            }
            least = std::min(least, counts[i].disagree);
            if (run.stopped()) return stopped_fault();
        }
        // P(D | h) up to a factor common to all: odds^(disagreements beyond the fewest)
        const Number odds = noise / (Number(1) - noise);
        const bool exact = run.numbers != NumberMode::real && noise.is_exact() && examples.size() <= 400 && out.size() <= 50'000;
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].probability *= power(exact ? odds : Number::real(odds.real()), counts[i].disagree - least);
    }
    Number total = 0;
    for (const auto& w : out) total += w.probability;
    if (out.empty() || total.is_zero()) return std::vector<Weighted>{};
    for (auto& w : out) w.probability = w.probability / total;
    return out;
}

const Weighted& most_probable_of(const std::vector<Weighted>& all) {
    const Weighted* best = &all[0];
    for (const auto& w : all)
        if (best->probability < w.probability) best = &w;
    return *best;
}

/// What find_s finds; a note where it holds for a negative example too.
static Result<Concept> specific_with_note(const ConceptSpace& space, const std::vector<ConceptExample>& examples, Run& run) {
    auto h = TRY(find_specific(space, examples, run));
    for (std::size_t i = 0; run.note && i < examples.size(); ++i) {
        if (examples[i].positive) continue;
        auto held = TRY(space.holds(h, examples[i].cells));
        if (!held) continue;
        run.note(fmt::format("h = {} holds for the negative example {}, {}: a label is wrong, or the concept is not in the space",
                             text_of(h, space.schema()), i + 1, example_text(space, examples[i])));
        break;
    }
    return h;
}

Result<ModelPtr> learn_concept(ConceptMethod method, ConceptSpacePtr space, std::vector<ConceptExample> examples, Run& run,
                               std::optional<Concept> drawn) {
    Learned out{.method = method, .space = space, .examples = std::move(examples), .versions = nullptr};
    if (!is_bayesian(method) && !space->noise().is_zero())
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("{} assumes that every label is right, but the space has noise {}", name_of(method),
                                            label_text(space->noise())),
                     .hint = "map_learner, bayes_optimal and gibbs_classifier allow for noise"};
    if (method == ConceptMethod::find_s) {
        out.hypothesis = TRY(specific_with_note(*space, out.examples, run));
        return make_learned_concept(std::move(out));
    }
    const bool countable = space->noise().is_zero() && (space->is_uniform() || method == ConceptMethod::ml_learner);
    if (!is_bayesian(method) || countable) {
        auto versions = TRY(method == ConceptMethod::list_then_eliminate ? eliminate_listed(space, out.examples, run)
                                                                         : space->version_space(out.examples, run));
        auto n = TRY(versions->size());
        if (n.is_zero()) {
            auto at = TRY(collapse(*space, out.examples, run));
            if (is_bayesian(method))
                return Fault{.code = "E-TRAIN",
                             .message = collapse_text(*space, out.examples[*at], *at),
                             .hint = "noise: 0.1 in the space allows for wrong labels"};
            if (run.note) run.note(collapse_text(*space, out.examples[*at], *at));
        }
        out.versions = std::move(versions);
        if (!is_bayesian(method) || method == ConceptMethod::bayes_optimal) return make_learned_concept(std::move(out));
        if (method != ConceptMethod::gibbs_classifier) {  // all are equally probable: the first of the most specific
            auto s = TRY(out.versions->specific());
            out.hypothesis = s[0];
            return make_learned_concept(std::move(out));
        }
    }
    auto posterior = TRY(concept_posterior(*space, out.examples, method != ConceptMethod::ml_learner, run));
    if (posterior.empty()) {
        auto at = collapse(*space, out.examples, run);
        if (at && *at) return Fault{.code = "E-TRAIN", .message = collapse_text(*space, out.examples[**at], **at)};
        return Fault{.code = "E-PARAMETER", .message = "the prior gives no weight to any hypothesis that agrees with the examples"};
    }
    out.posterior = std::move(posterior);
    out.listed = true;
    if (drawn) {
        out.hypothesis = *std::move(drawn);
    } else if (method == ConceptMethod::gibbs_classifier) {
        double left = run.rng.child("gibbs").uniform();
        std::size_t i = 0;
        while (i + 1 < out.posterior.size() && (left -= out.posterior[i].probability.real()) >= 0) ++i;
        out.hypothesis = out.posterior[i].hypothesis;
    } else if (method != ConceptMethod::bayes_optimal) {
        out.hypothesis = most_probable_of(out.posterior).hypothesis;
    }
    return make_learned_concept(std::move(out));
}

namespace {

class ConceptLearner final : public Learner {
public:
    ConceptLearner(ConceptMethod method, ConceptSpacePtr space) : method_(method), space_(std::move(space)) {}
    std::string_view name() const override { return name_of(method_); }
    TargetKind target() const override { return TargetKind::label; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto space = TRY(space_for(rows));
        auto examples = TRY(examples_of(*space, rows, weights));
        return learn_concept(method_, std::move(space), std::move(examples), run);
    }
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override;

private:
    Result<ConceptSpacePtr> space_for(const TableView& rows) const {
        if (space_) return space_;
        auto schema = TRY(concept_schema(*rows.table, {}, std::nullopt));
        return ConceptSpacePtr(std::make_shared<const Conjunctions>(std::move(schema), ConjunctionSettings{}));
    }
    Status trace_versions(const ConceptSpace& space, std::span<const ConceptExample> examples, Run& run, DerivationWriter& out) const;
    Status trace_posterior(const ConceptSpace& space, std::span<const ConceptExample> examples, Run& run, DerivationWriter& out) const;

    ConceptMethod method_;
    ConceptSpacePtr space_;
};

Status ConceptLearner::trace_versions(const ConceptSpace& space, std::span<const ConceptExample> examples, Run& run,
                                      DerivationWriter& out) const {
    std::string last_s;
    std::string last_g;
    for (std::size_t n = 0; n <= examples.size(); ++n) {
        if (n > 0) out.note(fmt::format("{}. {}", n, example_text(space, examples[n - 1])));
        auto versions = TRY(space.version_space(examples.first(n), run));
        auto left = TRY(versions->size());
        if (left.is_zero()) {
            out.note("   " + collapse_text(space, examples[n - 1], n - 1));
            return Done{};
        }
        if (method_ == ConceptMethod::list_then_eliminate) {
            out.note(fmt::format("   {} hypotheses {}", left.text(), n == 0 ? "in the space" : "left"));
            continue;
        }
        auto s = TRY(versions->specific());
        auto g = TRY(versions->general());
        const std::string now_s = text_of(s, space.schema());
        const std::string now_g = text_of(g, space.schema());
        if (n == 0 || now_s != last_s) out.note(fmt::format("   S{}: {}", n, now_s));
        if (n == 0 || now_g != last_g) out.note(fmt::format("   G{}: {}", n, now_g));
        if (n > 0 && now_s == last_s && now_g == last_g) out.note("   S and G stay");
        last_s = now_s;
        last_g = now_g;
    }
    return Done{};
}

/// P(h | D) of what is left, where every hypothesis agrees with all examples or none: (1/|H|) / (|VS|/|H|) if all had equal priors.
void write_shares_left(std::span<const Weighted> before, const std::vector<Weighted>& left, const Schema& schema, DerivationWriter& out) {
    const auto alike = [](std::span<const Weighted> all) {
        return std::all_of(all.begin(), all.end(), [&](const Weighted& w) { return w.probability == all[0].probability; });
    };
    const Number all(Rational(static_cast<std::int64_t>(before.size())));
    const Number kept(Rational(static_cast<std::int64_t>(left.size())));
    if (alike(before)) {
        out.formula("P(h | D) = P(D | h) * P(h) / P(D) = 1 * (1/|H|) / (|VS|/|H|) = 1/|VS|, VS being the hypotheses that agree with D");
        out.begin({std::string("(1 / "), all, std::string(") / ("), kept, std::string(" / "), all, std::string(")")});
        out.result(Number(1) / kept);
        return;
    }
    const auto prior = [&](const Concept& h) {
        const std::string name = text_of(h, schema);
        const auto found =
            std::find_if(before.begin(), before.end(), [&](const Weighted& w) { return text_of(w.hypothesis, schema) == name; });
        return found == before.end() ? Number(0) : found->probability;
    };
    const Weighted& best = most_probable_of(left);
    out.formula("P(h | D) = P(D | h) * P(h) / P(D), P(D | h) = 1 for what agrees with D, and P(D) the sum of P(h) over that");
    std::vector<Parts> sum;
    for (std::size_t i = 0; i < left.size() && left.size() <= longest_sum; ++i) sum.push_back(operand(prior(left[i].hypothesis)));
    if (sum.empty()) return;
    out.note(fmt::format("P({} | D):", text_of(best.hypothesis, schema)));
    Parts line = operand(prior(best.hypothesis));
    append(line, {std::string(" / (")});
    append(line, joined(sum, " + "));
    append(line, {std::string(")")});
    out.begin(std::move(line));
    out.result(best.probability);
}

Status ConceptLearner::trace_posterior(const ConceptSpace& space, std::span<const ConceptExample> examples, Run& run,
                                       DerivationWriter& out) const {
    constexpr std::size_t hypotheses_shown = 6;
    if (method_ == ConceptMethod::ml_learner)
        out.formula(
            space.noise().is_zero()
                ? "P(D | h) is 1 where h agrees with every example, else 0; the prior is left out, so P(h | D) is P(D | h) normalised"
                : "P(D | h) = (1 - noise)^agreements * noise^disagreements; the prior is left out, so P(h | D) is P(D | h) normalised");
    else
        out.formula(space.noise().is_zero() ? "P(h | D) is proportional to P(h) where h agrees with every example, else 0"
                                            : "P(h | D) is proportional to P(h) * (1 - noise)^agreements * noise^disagreements");
    std::vector<Weighted> before;
    for (std::size_t n = 0; n <= examples.size(); ++n) {
        auto all = TRY(concept_posterior(space, examples.first(n), method_ != ConceptMethod::ml_learner, run));
        if (n == 0) before = all;
        if (n > 0) out.note(fmt::format("{}. {}", n, example_text(space, examples[n - 1])));
        if (all.empty()) {
            out.note("   no hypothesis is possible any longer");
            return Done{};
        }
        const Weighted& best = most_probable_of(all);
        std::string text = fmt::format("   {} possible", all.size());
        if (all.size() <= hypotheses_shown) {
            text.clear();
            for (const auto& w : all)
                text +=
                    fmt::format("{}{} {}", text.empty() ? "   " : ", ", text_of(w.hypothesis, space.schema()), label_text(w.probability));
        } else {
            text +=
                fmt::format(", the largest P(h | D) is {} of {}", label_text(best.probability), text_of(best.hypothesis, space.schema()));
        }
        out.note(std::move(text));
        if (n > 0 && n == examples.size() && space.noise().is_zero()) write_shares_left(before, all, space.schema(), out);
    }
    return Done{};
}

Result<Derivation> ConceptLearner::explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted,
                                               Run& run) const {
    auto space = TRY(space_for(rows));
    auto examples = TRY(examples_of(*space, rows, weights));
    DerivationWriter out;
    const auto& learned = dynamic_cast<const ConceptModel&>(fitted);
    Status done = Done{};
    if (method_ == ConceptMethod::find_s) {
        for (std::size_t n = 0; n <= examples.size(); ++n) {
            auto h = TRY(find_specific(*space, std::span(examples).first(n), run));
            if (n > 0)
                out.note(fmt::format("{}. {}{}", n, example_text(*space, examples[n - 1]),
                                     examples[n - 1].positive ? "" : " (negative: ignored)"));
            if (n == 0 || examples[n - 1].positive) out.note(fmt::format("   h{}: {}", n, text_of(h, space->schema())));
        }
    } else if (is_bayesian(method_)) {
        done = trace_posterior(*space, examples, run, out);
        auto h = learned.hypothesis();
        if (done && h)
            out.note(fmt::format("h = {}{}", text_of(*h, space->schema()),
                                 method_ == ConceptMethod::gibbs_classifier ? ", drawn from the posterior" : ""));
    } else {
        done = trace_versions(*space, examples, run, out);
    }
    if (!done) return std::move(done).fault();
    return std::move(out).take();
}

/// The vote of the space before any example.
class SpaceModel final : public Classifier {
public:
    explicit SpaceModel(ConceptSpacePtr space) : Classifier(space->schema(), 0), space_(std::move(space)) {}
    std::string_view kind() const override { return space_->kind(); }
    const ConceptSpacePtr& space() const { return space_; }
    std::string description() const override {
        const Run run;
        auto all = space_->version_space({}, run);
        auto n = all ? (*all)->size() : Result<Rational>(all.fault());
        return fmt::format("concepts over {} columns{}", schema_.features.size(), n ? fmt::format(", {} hypotheses", n->text()) : "");
    }
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override {
        auto model = TRY(learn_concept(ConceptMethod::bayes_optimal, space_, {}, run));
        return dynamic_cast<const Classifier&>(*model).probabilities(rows, out, run);
    }
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run& run) const override {
        auto model = TRY(learn_concept(ConceptMethod::bayes_optimal, space_, {}, run));
        return dynamic_cast<const Classifier&>(*model).exact_probabilities(rows, run);
    }
    Result<Json> save() const override { return space_->save(); }

private:
    ConceptSpacePtr space_;
};

}  // namespace

std::string_view name_of(ConceptMethod method) {
    switch (method) {
        case ConceptMethod::find_s:
            return "find_s";
        case ConceptMethod::list_then_eliminate:
            return "list_then_eliminate";
        case ConceptMethod::candidate_elimination:
            return "candidate_elimination";
        case ConceptMethod::map_learner:
            return "map_learner";
        case ConceptMethod::ml_learner:
            return "ml_learner";
        case ConceptMethod::bayes_optimal:
            return "bayes_optimal";
        case ConceptMethod::gibbs_classifier:
            return "gibbs_classifier";
    }
    return {};
}

LearnerPtr make_concept_learner(ConceptMethod method, ConceptSpacePtr space) {
    return std::make_shared<const ConceptLearner>(method, std::move(space));
}

ModelPtr make_concept_space_model(ConceptSpacePtr space) { return std::make_shared<const SpaceModel>(std::move(space)); }

ConceptSpacePtr space_of(const Model& model) {
    const auto* m = dynamic_cast<const SpaceModel*>(&model);
    return m ? m->space() : nullptr;
}

}  // namespace credence::rt
