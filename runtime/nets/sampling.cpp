#include "runtime/nets/sampling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

/// A tally as a measure: its cells are all there is.
class TallyMeasure : public Measure<LogProb> {
public:
    TallyMeasure(const ApproximateCase& c, const Tally& tally, std::span<const double> weights)
        : case_(&c), tally_(&tally), weights_(weights.begin(), weights.end()) {}

    Result<Potential<LogProb>> marginal(std::span<const Slot> keep, Side side, Work&) override {
        const auto steps = strides_in(keep, tally_->slots(), case_->sizes);
        std::vector<double> sums(static_cast<std::size_t>(table_size(keep, case_->sizes)), 0.0);
        const bool events_only = side == Side::all && tally_->flag() > 0;
        each_cell([&](std::size_t cell, std::span<const std::size_t> value) {
            if (events_only && cell < tally_->flag()) return;
            std::size_t at = 0;
            for (std::size_t i = 0; i < value.size(); ++i) at += steps[i] * value[i];
            sums[at] += weights_[cell];
        });
        Potential<LogProb> out{{keep.begin(), keep.end()}, {}};
        for (const double sum : sums) out.values.push_back(prob_of<LogProb>(Number::real(sum)));
        return out;
    }

    void weigh(Potential<LogProb> by) override {
        const auto steps = strides_in(by.variables, tally_->slots(), case_->sizes);
        each_cell([&](std::size_t cell, std::span<const std::size_t> value) {
            std::size_t at = 0;
            for (std::size_t i = 0; i < value.size(); ++i) at += steps[i] * value[i];
            weights_[cell] *= by.values[at].is_zero() ? 0.0 : std::exp(by.values[at].log());
        });
    }

private:
    template <class Body>
    void each_cell(const Body& body) const {
        const auto& slots = tally_->slots();
        std::vector<std::size_t> value(slots.size(), 0);
        for (std::size_t cell = 0; cell < tally_->cells(); ++cell) {
            body(cell, std::span<const std::size_t>(value));
            next_configuration(value, [&](std::size_t i) { return case_->sizes[slots[i]]; });
        }
    }

    const ApproximateCase* case_;
    const Tally* tally_;
    std::vector<double> weights_;
};

Fault no_sample_fault(const ApproximateCase& c, const Variables& variables, const Query& query,
                      std::span<const std::pair<Slot, std::size_t>> configuration) {
    std::string where;
    for (const auto& [slot, value] : configuration)
        where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", c.names[slot], (*variables[slot].variable.domain)[value].text());
    return {.code = "E-ZERO",
            .message = where.empty() ? "no sample agrees with the evidence: it is impossible, or too rare for this many samples"
                                     : fmt::format("no sample has {}: it is impossible, or too rare for this many samples", where),
            .origin = query.origin,
            .hint = "use more samples, likelihood_weighting or gibbs instead of rejection, or an exact engine"};
}

std::vector<double> numbers_of(const Answer& answer) {
    if (const auto* number = std::get_if<Number>(&answer.value)) return {number->real()};
    return std::get<Factor>(answer.value).doubles();
}

/// A number or a factor, whatever the goal.
Result<Answer> answer_of(const ApproximateCase& c, const Variables& variables, const Query& query, const Tally& tally,
                         std::span<const double> weights, const ZeroFault& zero, const Run& run) {
    Query rest = query;
    rest.goal = Goal::probability;
    std::erase_if(rest.given.soft, [](const SoftEvidence& soft) { return soft.kind == SoftEvidence::Kind::likelihood; });
    TallyMeasure measure(c, tally, weights);
    Work work(run, false);
    auto answer = answer_query<LogProb>(measure, rest, variables, zero, work);
    if (answer) answer->exact = false;
    return answer;
}

/// The entry of a factor that argmax means, in place of the factor.
std::size_t choose_most_probable(Answer& answer) {
    const Factor f = std::get<Factor>(std::move(answer.value));
    const auto best = argmax(f);
    const auto labels = f.labels(best.entry);
    Assignment out{.values = {}, .probability = f.at(best.entry), .ties = best.ties.size()};
    for (std::size_t i = 0; i < labels.size(); ++i) out.values.emplace_back(f.variables()[i], labels[i]);
    answer.value = std::move(out);
    return best.entry;
}

double binomial_error(double p, double n) {
    const double shrunk = (p * n + 1) / (n + 2);  // Laplace's estimate: not zero where nothing was seen
    return std::sqrt(shrunk * (1 - shrunk) / n);
}

}  // namespace

Number count_of(std::size_t n) { return Number(Rational(static_cast<std::int64_t>(n))); }

PlainTable restricted(std::span<const Slot> variables, const std::function<double(std::size_t)>& entry, std::span<const std::int64_t> fixed,
                      const Sizes& sizes) {
    PlainTable out;
    std::size_t base = 0;
    std::vector<std::size_t> steps;
    std::size_t stride = 1;
    std::vector<std::size_t> strides(variables.size());
    for (std::size_t i = variables.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= sizes[variables[i]];
    }
    std::size_t entries = 1;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (fixed[variables[i]] >= 0) {
            base += strides[i] * static_cast<std::size_t>(fixed[variables[i]]);
        } else {
            out.variables.push_back(variables[i]);
            steps.push_back(strides[i]);
            entries *= sizes[variables[i]];
        }
    }
    out.values.reserve(entries);
    std::vector<std::size_t> value(steps.size(), 0);
    std::size_t at = base;
    for (std::size_t e = 0; e < entries; ++e) {
        out.values.push_back(entry(at));
        next_configuration(
            value, [&](std::size_t i) { return sizes[out.variables[i]]; }, steps, at);
    }
    return out;
}

void add_likelihoods(ApproximateCase& c, const Query& query) {
    for (const auto& soft : query.given.soft) {
        if (soft.kind != SoftEvidence::Kind::likelihood) continue;
        const auto variable = static_cast<Slot>(index(soft.variable));
        c.tables.push_back(restricted(
            std::span(&variable, 1), [&](std::size_t i) { return soft.weights[i].real(); }, c.fixed, c.sizes));
    }
}

ApproximateCase approximate_case(const NetCase& c, const Query& query) {
    ApproximateCase out = without_tables(c);
    out.active.assign(c.sizes.size(), 0);
    for (Slot slot = 0; slot < c.sizes.size(); ++slot) out.active[slot] = c.relevant[slot] && c.fixed[slot] < 0 ? 1 : 0;
    for (Slot slot = 0; slot < c.sizes.size(); ++slot) {
        if (!c.relevant[slot] || c.done[slot] >= 0) continue;
        const NetNode& node = c.net->nodes[slot];
        std::vector<Slot> variables;
        for (const auto parent : node.parents) variables.push_back(static_cast<Slot>(index(parent)));
        variables.push_back(slot);
        out.tables.push_back(restricted(
            variables, [&](std::size_t i) { return node.entry(i).real(); }, c.fixed, c.sizes));
    }
    for (const auto& t : c.evidence) {
        if (t.variables.size() == 1 && c.fixed[t.variables[0]] >= 0 && t.only_value() == c.fixed[t.variables[0]]) continue;
        out.tables.push_back(restricted(
            t.variables, [&](std::size_t i) { return t.truth[i] ? 1.0 : 0.0; }, c.fixed, c.sizes));
    }
    add_likelihoods(out, query);
    return out;
}

Result<Tally> Tally::make(const ApproximateCase& c, const Query& query, const Run& run) {
    Tally out;
    out.slots_ = c.shape.answer;
    for (const auto& soft : query.given.soft) {
        const auto slot = static_cast<Slot>(index(soft.variable));
        if (soft.kind == SoftEvidence::Kind::jeffrey && !contains(out.slots_, slot)) out.slots_.push_back(slot);
    }
    out.has_flag_ = c.shape.target_events;
    const double size = table_size(out.slots_, c.sizes) * (out.has_flag_ ? 2 : 1);
    const double limit = static_cast<double>(run.limits.table_entries) / static_cast<double>(sample_blocks);
    if (size > limit) {
        SlotNames names;
        for (const auto slot : out.slots_) names.push_back(c.names[slot]);
        if (names.size() > 8) names.resize(8);
        return Fault{.code = "E-COST",
                     .message = fmt::format("samples would be counted in {:.3g} cells over {} and others", size, joined(names, ", ")),
                     .origin = query.origin,
                     .label = fmt::format("the limit is {:.3g} cells", limit),
                     .hint = "ask for fewer variables at once"};
    }
    std::size_t stride = 1;
    out.strides_.assign(out.slots_.size(), 0);
    for (std::size_t i = out.slots_.size(); i-- > 0;) {
        out.strides_[i] = stride;
        stride *= c.sizes[out.slots_[i]];
    }
    out.flag_ = stride;
    out.cells_ = stride * (out.has_flag_ ? 2 : 1);
    out.events_ = &c.target_events;
    out.sizes_ = &c.sizes;
    return out;
}

Result<Answer> tallied_answer(const ApproximateCase& c, const Variables& variables, const Query& query, const Tally& tally,
                              std::span<const double> weights, const ZeroFault& zero, const Run& run) {
    auto answer = answer_of(c, variables, query, tally, weights, zero, run);
    if (answer && query.goal == Goal::most_probable && std::holds_alternative<Factor>(answer->value)) choose_most_probable(*answer);
    return answer;
}

Result<Answer> sampled_answer(const ApproximateCase& c, const Variables& variables, const Query& query, const Tally& tally,
                              std::span<const std::vector<double>> blocks, double effective_samples, const Run& run) {
    std::vector<double> total(tally.cells(), 0.0);
    for (const auto& block : blocks)
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += block[i];
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return no_sample_fault(c, variables, query, configuration);
    };
    auto answer = answer_of(c, variables, query, tally, total, zero, run);
    if (!answer) return answer;
    const auto estimate = numbers_of(*answer);

    // without one block after the other; a block that alone holds the evidence cannot be left out
    std::vector<double> sum(estimate.size(), 0.0);
    std::vector<double> squares(estimate.size(), 0.0);
    double used = 0;
    std::vector<double> others(total.size());
    for (const auto& block : blocks) {
        bool any = false;
        for (std::size_t i = 0; i < total.size(); ++i) {
            others[i] = std::max(0.0, total[i] - block[i]);
            any = any || block[i] > 0;
        }
        if (!any) {  // it changes nothing
            for (std::size_t k = 0; k < estimate.size(); ++k) sum[k] += estimate[k];
            for (std::size_t k = 0; k < estimate.size(); ++k) squares[k] += estimate[k] * estimate[k];
            ++used;
            continue;
        }
        const auto part = answer_of(c, variables, query, tally, others, zero, run);
        if (!part) continue;
        const auto values = numbers_of(*part);
        for (std::size_t k = 0; k < values.size(); ++k) {
            sum[k] += values[k];
            squares[k] += values[k] * values[k];
        }
        ++used;
    }
    double share = 1;  // of the rarest configuration that the answer conditions on
    if (!c.shape.given.empty()) {
        TallyMeasure measure(c, tally, total);
        Work work(run, false);
        const auto given = TRY(measure.marginal(c.shape.given, Side::evidence, work));
        double all = 0;
        for (const auto& p : given.values) all += p.is_zero() ? 0 : std::exp(p.log());
        for (const auto& p : given.values) share = std::min(share, p.is_zero() ? 0 : std::exp(p.log()) / all);
    }
    const double n = std::max(1.0, effective_samples * share);
    double worst = 0;
    std::vector<double> errors;
    for (std::size_t k = 0; k < estimate.size(); ++k) {
        const double spread = used > 1 ? std::max(0.0, squares[k] - sum[k] * sum[k] / used) : 0;
        const double jackknife = used > 1 ? std::sqrt((used - 1) / used * spread) : 1;
        errors.push_back(std::max(jackknife, binomial_error(std::min(1.0, estimate[k]), n)));
        worst = std::max(worst, errors.back());
    }
    answer->standard_error = Number::real(worst);
    if (query.goal == Goal::most_probable && std::holds_alternative<Factor>(answer->value))
        answer->standard_error = Number::real(errors[choose_most_probable(*answer)]);
    return answer;
}

}  // namespace credence::rt
