#include "runtime/continuous/unroll/counts.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/continuous/density.hpp"
#include "runtime/continuous/exact/exact.hpp"
#include "runtime/continuous/unroll/censoring.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/special.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double log_negligible = -39.2;         // ln 1e-17
constexpr std::size_t most_counts = 1U << 14U;   // values of one count
constexpr std::size_t most_for_targets = 1024;   // of one count, in search of an event that may be impossible
constexpr std::size_t most_by_integrals = 2048;  // of a count that has to be solved for to see where it ends
constexpr std::size_t first_guess = 64;          // of a count whose parameters are real numbers

bool is_open_count(const Instance& instance) {
    return instance.is_real_latent() && !instance.table && !instance.set && instance.family->support == Support::integers;
}

/// ln P(X > k), from above.
double log_tail(Family family, const std::vector<Number>& parameters, const Distribution& d, double k) {
    if (family->log_tail) {
        std::vector<double> p;
        for (const auto& number : parameters) p.push_back(number.real());
        return family->log_tail(p.data(), k);
    }
    const auto above = d.above(Number::real(k));
    return above ? std::log(above->real()) : 0;
}

/// The least k with a tail below that; nothing if that is more than `most_counts`.
std::optional<std::size_t> last_count(Family family, const std::vector<Number>& parameters, const Distribution& d, double log_wanted) {
    const auto enough = [&](std::size_t k) { return log_tail(family, parameters, d, static_cast<double>(k)) <= log_wanted; };
    if (!enough(most_counts)) return std::nullopt;
    std::size_t low = 0;
    std::size_t high = most_counts;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (enough(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// ln of the largest density that an observed number can have, whatever the counts are; nothing if its spread depends on them.
std::optional<double> log_peak(const Instance& instance) {
    if (range_of(instance.family) == Range::counts) return 0.0;
    double p[most_parameters] = {};
    for (std::size_t k = 0; k < instance.parameters.size(); ++k) {
        const Term& term = instance.parameters[k];
        const Role role = instance.family->parameters[k].role;
        const bool known = is_constant(term) && term->value.sign() > 0;
        if ((role == Role::spread || role == Role::inverse_spread) && known)
            p[k] = term->value.real();
        else if (role == Role::degrees)
            p[k] = known ? term->value.real() : 1e9;  // the peak of a t grows with them
        else if (role != Role::place && role != Role::corner)
            return std::nullopt;
    }
    return log_density(instance.family, 0, p).value;  // such families are highest at their place
}

class Bounder {
public:
    Bounder(Unrolled& problem, const Query& query, const Carried& carried, const Run& run)
        : problem_(problem), query_(query), carried_(carried), run_(run) {}

    Status operator()(std::span<const Term> extra) {
        find(extra);
        if (counts_.empty()) return Done{};
        least_.assign(counts_.size(), 0);
        for (double wanted = log_negligible + carried_.log_share;;) {
            if (run_.stopped()) return stopped_fault();
            const bool set = set_domains(wanted);
            const auto hybrid = set ? solve_hybrid(problem_, {}, Allowed{}, run_) : Attempt<Hybrid>(Fault{.code = "E-COST", .message = {}});
            if (hybrid.failed() && hybrid.reason().code == "E-COST") leave_open();
            if (!hybrid) return Done{};  // the caller meets the same fault later, or draws
            auto more = TRY(wider(*hybrid, wanted));
            if (!more) return Done{};
        }
    }

private:
    const Instance& instance(VarId v) const { return problem_.instances[index(v)]; }

    /// A leaf that is asked for by its own name alone has its distribution function; all others are summed over.
    void find(std::span<const Term> extra) {
        std::vector<bool> summed(problem_.instances.size(), false);
        const auto mark = [&](const Term& term) {
            for (const auto v : variables_of(term)) summed[index(v)] = true;
        };
        for (const auto& own : problem_.instances)
            for (const auto& term : own.parameters) mark(term);
        const auto mark_computed = [&](VarId id) {
            const auto& term = problem_.of_variable[index(id)];
            if (term && term->op != TermOp::variable) mark(term);
        };
        for (const auto* clause : {&query_.targets, &query_.given}) {
            for (const auto id : clause->free) mark_computed(id);
            for (const auto& soft : clause->soft) mark_computed(soft.variable);
            for (const auto& event : clause->events)
                for (const auto id : variables_of(event)) mark_computed(id);
        }
        for (const auto id : carried_.variables) mark(problem_.of_variable[index(id)]);
        for (const auto& term : extra)
            if (!as_linear(term)) mark(term);
        for (const auto& event : problem_.real_events)
            if (event.over.size() > 1)
                for (const auto v : event.over) summed[index(v)] = true;
        for (std::size_t i = 0; i < problem_.instances.size(); ++i)
            if (summed[i] && is_open_count(problem_.instances[i])) counts_.push_back(static_cast<VarId>(i));
    }

    /// Parents come first, so that a count of counts finds their domains.
    bool set_domains(double wanted) {
        for (const auto v : counts_) problem_.instances[index(v)].domain = nullptr;
        open_ = false;
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            const auto last = last_value(counts_[c], wanted);
            if (!last) return false;
            Instance& own = problem_.instances[index(counts_[c])];
            const bool finite = own.family->top.has_value();
            const std::size_t size = finite ? *last + 1 : std::max(*last + 1, least_[c]);
            if (size > most_counts) return false;
            std::vector<Label> labels;
            for (std::size_t k = 0; k < size; ++k) labels.push_back(Label::of_number(Rational(static_cast<std::int64_t>(k))));
            own.domain = make_domain(std::move(labels));
            own.cut = !finite;
        }
        number_slots(problem_);
        return true;
    }

    std::optional<std::size_t> last_value(VarId v, double wanted) {
        const auto& own = instance(v);
        const auto& top = own.family->top;
        std::vector<VarId> over;
        std::size_t configurations = 1;
        for (std::size_t k = 0; k < own.parameters.size(); ++k) {
            if (top && k != *top) continue;
            for (const auto parent : variables_of(own.parameters[k])) {
                if (!instance(parent).discrete()) {
                    if (top) return std::nullopt;
                    open_ = true;
                    return first_guess - 1;
                }
                if (contains(over, parent)) continue;
                over.push_back(parent);
                configurations *= instance(parent).domain->size();
                if (configurations > most_counts) return std::nullopt;
            }
        }
        std::size_t last = 0;
        for (std::size_t c = 0; c < configurations; ++c) {
            std::map<VarId, Label> labels;
            std::size_t rest = c;
            for (const auto parent : over) {
                const auto& domain = *instance(parent).domain;
                labels[parent] = domain[rest % domain.size()];
                rest /= domain.size();
            }
            if (top) {
                const double value = with_labels(own.parameters[*top], labels)->value.real();
                if (!(value >= 0) || !std::isfinite(value)) continue;  // the caller meets the fault of its distribution
                if (value >= static_cast<double>(most_counts)) return std::nullopt;
                last = std::max(last, static_cast<std::size_t>(value));
                continue;
            }
            std::vector<Number> numbers;
            for (const auto& term : own.parameters) numbers.push_back(with_labels(term, labels)->value);
            const auto made = make_distribution(own.family, numbers);
            if (!made) continue;
            const auto here = last_count(own.family, numbers, **made, wanted);
            if (!here) return std::nullopt;
            last = std::max(last, *here);
        }
        return last;
    }

    /// Whether more values are asked for: improbable evidence or events make large counts matter, P(n > K, e) ≤ P(n > K) · max P(e | n).
    /// Where that bound is not known, the upper half of each domain has to be empty instead.
    Result<bool> wider(const Hybrid& hybrid, double& wanted) {
        Work work(run_, false);
        HybridMeasure<LogProb> measure(hybrid);
        auto all = TRY(measure.marginal({}, Side::evidence, work));
        double log_total = all.values[0].log();
        if (!std::isfinite(log_total)) return widen_all(most_counts);
        auto asked = TRY(measure.marginal({}, Side::all, work));
        const double log_asked = asked.values[0].log();
        if (!std::isfinite(log_asked) && widen_all(most_for_targets)) return true;
        if (std::isfinite(log_asked)) log_total = std::min(log_total, log_asked);
        log_total += carried_.log_share;
        const auto peak = log_peaks(hybrid);
        if (peak && !open_) {
            const double needed = log_negligible + std::min(0.0, log_total - *peak);
            if (needed >= wanted) return false;
            wanted = std::max(needed - 1, 2 * wanted);  // step by step: the next values may make the evidence far more probable
            return true;
        }
        bool more = false;
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            const Instance& own = instance(counts_[c]);
            if (!own.cut) continue;
            auto masses = TRY(measure.marginal(std::vector<Slot>{problem_.slots[index(counts_[c])]}, Side::evidence, work));
            const std::size_t size = own.domain->size();
            double upper = 0;
            for (std::size_t k = size / 2; k < size; ++k) upper += std::exp(masses.values[k].log() - log_total);
            if (upper <= 1e-15) continue;
            least_[c] = 2 * size;
            if (least_[c] > most_by_integrals) {
                leave_open();
                return false;
            }
            more = true;
        }
        return more;
    }

    /// What no value so far allows, larger ones may. Where none does, the domains grow to the limit and it is impossible.
    bool widen_all(std::size_t limit) {
        bool more = false;
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            const Instance& own = instance(counts_[c]);
            if (!own.cut || own.domain->size() >= limit) continue;
            least_[c] = std::min(limit, 2 * own.domain->size());
            more = true;
        }
        return more;
    }

    /// The bound of the density of everything that the measure counts.
    std::optional<double> log_peaks(const Hybrid& hybrid) const {
        std::vector<bool> counted(problem_.instances.size(), false);
        for (std::size_t i = 0; i < problem_.instances.size(); ++i)
            for (const auto& term : problem_.instances[i].parameters)
                for (const auto v : variables_of(term)) counted[i] = counted[i] || instance(v).discrete();
        for (const auto& component : hybrid.components)
            if (!component.discrete.empty())
                for (const auto i : component.factors) counted[i] = true;
        double sum = 0;
        for (std::size_t i = 0; i < problem_.instances.size(); ++i) {
            const auto& own = problem_.instances[i];
            if (!counted[i] || own.latent() || own.set || own.table || own.discrete()) continue;
            const auto peak = log_peak(own);
            if (!peak) return std::nullopt;
            sum += *peak;
        }
        return sum;
    }

    void leave_open() {
        for (const auto v : counts_) {
            problem_.instances[index(v)].domain = nullptr;
            problem_.instances[index(v)].cut = false;
        }
        number_slots(problem_);
    }

    Unrolled& problem_;
    const Query& query_;
    const Carried& carried_;
    const Run& run_;
    std::vector<VarId> counts_;
    std::vector<std::size_t> least_;  // sizes of their domains that were asked for
    bool open_ = false;               // some count's parameters are real numbers that are not known
};

class CountTable final : public Distribution {
public:
    explicit CountTable(std::vector<std::pair<std::int64_t, Number>> masses) : masses_(std::move(masses)) {
        Number mean = 0;
        for (const auto& [k, mass] : masses_) mean += mass * Number(Rational(k));
        Number variance = 0;
        for (const auto& [k, mass] : masses_) variance += mass * (Number(Rational(k)) - mean) * (Number(Rational(k)) - mean);
        mean_ = mean;
        variance_ = variance;
    }

    std::string_view name() const override { return "counts"; }
    std::vector<Parameter> parameters() const override { return {{"mean", mean_}, {"sd", Number::real(std::sqrt(variance_.real()))}}; }
    Support support() const override { return Support::integers; }
    DomainPtr finite_values() const override {
        std::vector<Label> labels;
        for (const auto& [k, mass] : masses_) labels.push_back(Label::of_number(Rational(k)));
        return make_domain(std::move(labels));
    }
    Result<Number> pdf(const Outcome& x) const override {
        const auto* number = std::get_if<Number>(&x);
        const auto* label = std::get_if<Label>(&x);
        if (label && label->number()) return pdf(*label->number());
        if (!number) return Fault{.code = "E-TYPE", .message = "counts is over numbers"};
        for (const auto& [k, mass] : masses_)
            if (number->real() == static_cast<double>(k)) return mass;
        return Number(0);
    }
    double log_pdf(const Outcome& x) const override {
        const auto mass = pdf(x);
        return mass && mass->sign() > 0 ? mass->log() : -INFINITY;
    }
    Result<Number> cdf(const Number& x) const override {
        Number sum = 0;
        for (const auto& [k, mass] : masses_)
            if (static_cast<double>(k) <= x.real()) sum += mass;
        return sum > Number(1) ? Number(1) : sum;
    }
    Result<Number> quantile(const Number& p) const override {
        if (!(p.real() >= 0 && p.real() <= 1)) return Fault{.code = "E-PARAMETER", .message = "quantile: p must be between 0 and 1"};
        Number sum = 0;
        for (const auto& [k, mass] : masses_) {
            sum += mass;
            if (sum >= p) return Number(Rational(k));
        }
        return Number(Rational(masses_.back().first));
    }
    Result<Outcome> mean() const override { return Outcome(mean_); }
    Result<Outcome> variance() const override { return Outcome(variance_); }
    Result<Number> entropy() const override {
        double bits = 0;
        for (const auto& [k, mass] : masses_)
            if (mass.sign() > 0) bits -= mass.real() * mass.log() / std::log(2.0);
        return Number::real(bits);
    }
    Outcome sample(Rng& rng) const override {
        double u = rng.uniform();
        for (const auto& [k, mass] : masses_) {
            u -= mass.real();
            if (u < 0) return Number(Rational(k));
        }
        return Number(Rational(masses_.back().first));
    }

private:
    std::vector<std::pair<std::int64_t, Number>> masses_;
    Number mean_;
    Number variance_;
};

}  // namespace

Result<Unrolled> prepare(const Expanded& net, const Query& query, const Run& run, std::vector<Term>* extra, const Carried& carried) {
    auto problem = unroll(net, query, extra);
    if (!problem) return problem;
    censor(*problem, query, extra ? std::span<const Term>(*extra) : std::span<const Term>());
    number_slots(*problem);
    TRY(Bounder(*problem, query, carried, run)(extra ? std::span<const Term>(*extra) : std::span<const Term>()));
    return problem;
}

DistributionPtr make_count_table(std::vector<std::pair<std::int64_t, Number>> masses) {
    return std::make_shared<const CountTable>(std::move(masses));
}

}  // namespace credence::rt::continuous
