// Answers from draws: frequencies, means and their standard errors, with what the reader should know of the chains.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/density.hpp"
#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/sample/draws.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/core/importance.hpp"
#include "runtime/prob/distributions/joint.hpp"
#include "runtime/prob/distributions/samples.hpp"
#include "runtime/prob/queries/measure.hpp"

namespace credence::rt::continuous {

namespace {

Number whole(std::size_t n) { return Rational(static_cast<std::int64_t>(n)); }

/// A quantity draw by draw, without the draws that do not meet the evidence.
struct KeptQuantity {
    std::vector<double> values;  ///< chains of equal length
    std::size_t chains = 1;
    std::size_t kept = 0;
    std::size_t drawn = 0;

    KeptQuantity(const Draws& draws, std::span<const double> all, std::span<const char> keep)
        : values(kept_draws({all, draws.chains}, keep)),
          chains(draws.chains),
          kept(static_cast<std::size_t>(std::count(keep.begin(), keep.end(), 1))),
          drawn(draws.count) {}
    ChainView view() const { return {values, chains}; }
    double share() const { return static_cast<double>(kept) / static_cast<double>(drawn); }
    /// What one of the kept draws is worth.
    double worth(const Draws& draws) const {
        if (draws.approximate) return std::min(1.0, draws.effective / static_cast<double>(draws.count));
        if (draws.engine != "nuts" || values.empty()) return 1;
        return std::min(1.0, effective_sample_size(view()) / static_cast<double>(values.size()));
    }
};

constexpr double least_energy_fraction = 0.3;  // Betancourt (2016)

/// The figures of the run, and what they mean for the reader.
void report(Answer& answer, const Draws& draws, const KeptQuantity& quantity) {
    answer.engine = draws.engine;
    answer.exact = false;
    answer.counts = {{"draws", whole(draws.count)}};
    if (quantity.kept < quantity.drawn) {
        answer.counts.emplace_back("kept", whole(quantity.kept));
        answer.notes.push_back(
            fmt::format("{} of {} draws meet the evidence, and only these count: it has a part that the sampler cannot follow, such as a "
                        "comparison of products",
                        quantity.kept, quantity.drawn));
    }
    if (draws.approximate) {
        answer.counts.emplace_back("ess", Number::real(std::round(draws.effective)));
        answer.counts.emplace_back("pareto_k", Number::real(draws.pareto_k));
        if (const double limit = largest_reliable_k(draws.count); draws.pareto_k > limit)
            answer.notes.push_back(fmt::format(
                "the normal approximation is too far from the posterior to be mended by weights (Pareto k {:.2f}, above {:.2f}): "
                "ask by nuts({})",
                draws.pareto_k, limit, draws.count));
    }
    if (draws.engine != "nuts") return;
    const double kept = quantity.share();
    const double r_hat = split_r_hat(quantity.view());
    answer.counts.emplace_back("chains", whole(draws.chains));
    answer.counts.emplace_back("divergences", whole(draws.divergences));
    answer.counts.emplace_back("max_treedepth", whole(draws.longest));
    answer.counts.emplace_back("e_bfmi", Number::real(draws.least_energy_fraction));
    if (!std::isnan(r_hat)) answer.counts.emplace_back("r_hat", Number::real(r_hat));
    answer.counts.emplace_back("ess_bulk", Number::real(std::round(bulk_effective_sample_size(quantity.view()))));
    answer.counts.emplace_back("ess_tail", Number::real(std::round(tail_effective_sample_size(quantity.view()))));
    if (draws.lesser_chain)
        answer.notes.push_back(
            fmt::format("chain {} of {} stayed where the density is about e^{:.0f} times less than where chain {} was: the "
                        "posterior has several modes, and these draws mix them in the wrong proportion",
                        *draws.lesser_chain + 1, draws.chains, draws.log_gap, draws.best_chain + 1));
    const double worst = std::max(draws.worst_r_hat, std::isnan(r_hat) ? 1 : r_hat);
    if (worst > 1.01)
        answer.notes.push_back(
            fmt::format("the chains do not agree yet (R-hat {:.3f}, above 1.01): draw more, as in by nuts({}, warmup: {})", worst,
                        draws.count * 4, 4000));
    else if (kept * draws.least_effective < 400)
        answer.notes.push_back(fmt::format("the draws are equivalent to only {:.0f} independent ones: draw more, as in by nuts({})",
                                           kept * draws.least_effective, draws.count * 4));
    else if (kept * draws.least_tail_effective < 400)
        answer.notes.push_back(
            fmt::format("in the tails the draws are equivalent to only {:.0f} independent ones: draw more for quantiles "
                        "and intervals, as in by nuts({})",
                        kept * draws.least_tail_effective, draws.count * 4));
    if (draws.scaled > 0 && !draws.kept_before)  // reported once
        answer.notes.push_back(
            fmt::format("{} drawn from normal(m, s) with an s that is not known {} sampled as m + s * z, since the data "
                        "say less of {} than that does",
                        draws.scaled == draws.with_spread && draws.scaled == 1 ? std::string("the number")
                        : draws.scaled == draws.with_spread                    ? fmt::format("the {} numbers", draws.scaled)
                                                            : fmt::format("{} of the {} numbers", draws.scaled, draws.with_spread),
                        draws.scaled == 1 ? "was" : "were", draws.scaled == 1 ? "it" : "them"));
    const std::string_view rewrite = draws.with_spread > 0 ? "" : ", or draw a scaled number, m + s * z with z ~ normal(0, 1)";
    if (draws.least_energy_fraction < least_energy_fraction)
        answer.notes.push_back(
            fmt::format("E-BFMI is {:.2f}, below {}: the sampler moves slowly between the middle and the tails of the "
                        "posterior; draw more{}",
                        draws.least_energy_fraction, least_energy_fraction, rewrite));
    if (draws.divergences > 0)
        answer.notes.push_back(
            fmt::format("{} of {} trajectories diverged, so some region may be missed: take smaller steps, as in by nuts({}, target: {}){}",
                        draws.divergences, draws.count, draws.count, draws.target < 0.98 ? "0.99" : "0.999", rewrite));
    if (draws.longest * 10 > draws.count)
        answer.notes.push_back(
            fmt::format("{} of {} trajectories reached the maximum length: numbers on very different scales slow the sampler down",
                        draws.longest, draws.count));
}

class Sampled {
public:
    Sampled(const Draws& draws, const Query& query) : draws_(draws), problem_(*draws.problem), query_(query) {}

    bool holds(const Event& event, std::size_t d) const {
        const auto number = [&](VarId id) {
            const Term& term = problem_.of_variable[index(id)];
            return evaluate(term, [&](const TermNode& leaf) {
                const auto& instance = problem_.instances[index(leaf.variable)];
                const double value = draws_.row(d)[index(leaf.variable)];
                return instance.domain ? leaf_value(leaf, (*instance.domain)[static_cast<std::size_t>(value)])->value.real() : value;
            });
        };
        const auto label = [&](VarId id) { return draws_.label(d, problem_.of_variable[index(id)]->variable); };
        return holds_with(event, problem_.net->variables, number, label);
    }

    /// Draws under the evidence that was not put in before: events of numbers.
    Result<std::vector<char>> kept() const {
        std::vector<char> out(draws_.count, 1);
        for (const auto& event : problem_.real_events)
            if (event.evidence)
                for (std::size_t d = 0; d < draws_.count; ++d) out[d] = static_cast<char>(out[d] && holds(event.event, d));
        if (std::none_of(out.begin(), out.end(), [](char k) { return k != 0; }))
            return Fault{.code = "E-ZERO",
                         .message = fmt::format("none of {} draws meets the evidence", draws_.count),
                         .hint = "it is very improbable, or impossible; draw more: by nuts(100000)"};
        return out;
    }

    Result<Answer> operator()() const {
        auto keep = TRY(kept());
        const auto& variables = problem_.net->variables;
        if (asks_for_numbers_alone()) return several_numbers_drawn(keep);
        for (const auto id : query_.targets.free) {
            const auto& name = variables[index(id)].variable.name;
            if (variables[index(id)].variable.is_discrete()) continue;
            if (problem_.net->is_vector(problem_.net->visible[index(id)].node))
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} is a list of numbers, but draws are reported one number at a time", name),
                             .origin = query_.origin,
                             .hint = fmt::format("ask for {}[1]", name)};
            if (query_.targets.free.size() > 1 || !query_.targets.events.empty() || !query_.given.free.empty())
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} is a number: it is asked for alone", name),
                             .origin = query_.origin,
                             .hint = "for several numbers ask for an event of them, or for an expectation: E(X * Y | …)"};
            return distribution(problem_.of_variable[index(id)], keep);
        }
        return frequencies(keep);
    }

    /// P(mu, tau | …): nothing but numbers, and more than one of them.
    bool asks_for_numbers_alone() const {
        const auto& free = query_.targets.free;
        return free.size() > 1 && query_.targets.events.empty() && query_.given.free.empty() &&
               std::all_of(free.begin(), free.end(), [&](VarId id) {
                   return !problem_.net->variables[index(id)].variable.is_discrete() &&
                          !problem_.net->is_vector(problem_.net->visible[index(id)].node);
               });
    }

    Result<Answer> several_numbers_drawn(const std::vector<char>& keep) const {
        std::vector<std::string> names;
        std::vector<std::vector<double>> columns;
        Answer out;
        for (const auto id : query_.targets.free) {
            const auto all = draws_.of(problem_.of_variable[index(id)]);
            const KeptQuantity quantity(draws_, all, keep);
            if (quantity.kept < 2) return too_few();
            if (columns.empty()) report(out, draws_, quantity);
            names.push_back(problem_.net->variables[index(id)].variable.name);
            columns.emplace_back();
            for (std::size_t d = 0; d < all.size(); ++d)
                if (keep[d]) columns.back().push_back(all[d]);
        }
        out.value = make_joint_samples(std::move(names), std::move(columns));
        return out;
    }

    static Fault too_few() {
        return {.code = "E-ZERO", .message = "too few draws meet the evidence", .hint = "draw more: by nuts(100000)"};
    }

    Result<Answer> distribution(const Term& term, const std::vector<char>& keep) const {
        const auto all = draws_.of(term);
        std::vector<double> values;
        for (std::size_t d = 0; d < all.size(); ++d)
            if (keep[d]) values.push_back(all[d]);
        if (values.size() < 2) return too_few();
        Answer out;
        report(out, draws_, KeptQuantity(draws_, all, keep));
        out.value = make_samples(std::move(values));
        return out;
    }

    Result<Answer> frequencies(const std::vector<char>& keep) const {
        const auto& variables = problem_.net->variables;
        const Shape shape = shape_of(query_);
        std::vector<Variable> over;
        std::size_t entries = 1;
        for (const auto slot : shape.answer) {
            over.push_back(variables[slot].variable);
            if (!over.back().is_discrete())
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} is a number, so its values cannot be enumerated", over.back().name),
                             .origin = query_.origin};
            entries *= over.back().size();
        }
        const auto position = [&](std::size_t d, std::span<const Slot> slots) {
            std::size_t at = 0;
            for (const auto slot : slots) {
                const VarId v = problem_.of_variable[slot]->variable;
                at = at * variables[slot].variable.size() + static_cast<std::size_t>(draws_.row(d)[index(v)]);
            }
            return at;
        };
        std::size_t groups = 1;
        for (const auto slot : shape.given) groups *= variables[slot].variable.size();
        std::vector<double> counts(entries, 0);
        std::vector<double> totals(groups, 0);
        std::vector<std::size_t> group_of(entries, 0);
        std::vector<double> indicator(draws_.count, 0);
        for (std::size_t d = 0; d < draws_.count; ++d) {
            if (!keep[d]) continue;
            const auto entry = position(d, shape.answer);
            const auto g = position(d, shape.given);
            group_of[entry] = g;
            totals[g] += 1;
            bool met = true;
            for (const auto& event : problem_.discrete_targets) met = met && holds(event, d);
            for (const auto& event : problem_.real_events) met = met && (event.evidence || holds(event.event, d));
            if (met) counts[entry] += 1;
            indicator[d] = met && entry == 0 ? 1 : 0;
        }
        // The digits of an entry name its group if no draw has shown it.
        for (std::size_t e = 0; e < entries; ++e) {
            std::size_t rest = e;
            std::vector<std::size_t> digit(shape.answer.size());
            for (std::size_t k = shape.answer.size(); k-- > 0;) {
                digit[k] = rest % over[k].size();
                rest /= over[k].size();
            }
            std::size_t g = 0;
            for (const auto slot : shape.given)
                g = g * variables[slot].variable.size() +
                    digit[static_cast<std::size_t>(std::find(shape.answer.begin(), shape.answer.end(), slot) - shape.answer.begin())];
            group_of[e] = g;
        }
        Answer out;
        const KeptQuantity quantity(draws_, indicator, keep);
        report(out, draws_, quantity);
        const double worth = quantity.worth(draws_);
        double worst = 0;
        std::vector<double> values(entries);
        for (std::size_t e = 0; e < entries; ++e) {
            const double total = totals[group_of[e]];
            if (total == 0)
                return Fault{.code = "E-ZERO",
                             .message = "some value of the evidence was never drawn",
                             .hint = "draw more, or ask for one value of it"};
            values[e] = counts[e] / total;
            worst = std::max(worst, std::sqrt(values[e] * (1 - values[e]) / (total * worth)));
        }
        out.standard_error = Number::real(worst);
        if (over.empty())
            out.value = Number::real(values[0]);
        else
            out.value = Factor(std::move(over), std::move(values));
        return out;
    }

private:
    const Draws& draws_;
    const Unrolled& problem_;
    const Query& query_;
};

Status no_jeffrey(const Query& query) {
    for (const auto& soft : query.given.soft)
        if (soft.kind == SoftEvidence::Kind::jeffrey)
            return Fault{.code = "E-ENGINE",
                         .message = "draws cannot impose a new marginal (~)",
                         .origin = soft.origin,
                         .hint = "virtual evidence can be used: likelihood {…}"};
    return Done{};
}

}  // namespace

Result<std::vector<char>> draws_kept(const Draws& draws, const Query& query) { return Sampled(draws, query).kept(); }

Result<Answer> ask_by_draws(const Unrolled& problem, const Query& query, const SamplerOptions& options, Run& run) {
    TRY(no_jeffrey(query));
    auto draws = TRY(draw(problem, options, run));
    return Sampled(draws, query)();
}

Result<Answer> expectation_by_draws(const Unrolled& problem, const Term& term, const Query& query, const SamplerOptions& options,
                                    Run& run) {
    TRY(no_jeffrey(query));
    auto draws = TRY(draw(problem, options, run));
    auto keep = TRY(Sampled(draws, query).kept());
    const auto values = draws.of(term);
    double sum = 0;
    double count = 0;
    for (std::size_t d = 0; d < values.size(); ++d)
        if (keep[d]) {
            sum += values[d];
            count += 1;
        }
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t d = 0; d < values.size(); ++d)
        if (keep[d]) squares += (values[d] - mean) * (values[d] - mean);
    const KeptQuantity quantity(draws, values, keep);
    Answer out;
    report(out, draws, quantity);
    out.value = Number::real(mean);
    out.standard_error = Number::real(std::sqrt(squares / std::max(1.0, count - 1) / (count * quantity.worth(draws))));
    return out;
}

namespace {

using S = SamplerOptions;
constexpr MethodRecord nuts_method(
    "nuts",
    {option<S, &S::draws>("n", {.least = 100, .most = 50'000'000}), option<S, &S::warmup>("warmup", {.least = 20, .most = 50'000'000}),
     option<S, &S::chains>("chains", {.least = 1, .most = 1000}),
     option<S, &S::target>("target", {.least = 0.5, .most = 1, .below = true})},
    "Draws n times from the posterior with the No-U-Turn sampler; n is the total over all chains. Each chain starts with a warm-up. target "
    "is the acceptance rate aimed at. Reports R-hat, the effective number of draws and divergences.",
    "net Coin { theta ~ beta(2, 2); Heads ~ binomial(10, theta) }\n"
    "expect E(theta | Heads = 7) by nuts(2000, warmup: 300) == 9/14 within 0.03");

}  // namespace

const RealEngine nuts_real_engine{
    .method = nuts_method.info(), .exact = false, .sampler = +[](const MethodCall& by) { return nuts_method.options(by); }};

}  // namespace credence::rt::continuous
