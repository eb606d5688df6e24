#include "runtime/continuous/sample/draws.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/sample/exact_draws.hpp"
#include "runtime/continuous/sample/forms.hpp"
#include "runtime/continuous/sample/kept_chains.hpp"
#include "runtime/continuous/sample/log_posterior.hpp"
#include "runtime/continuous/sample/normal_approximation.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/spread.hpp"

namespace credence::rt::continuous {

namespace {

double leaf_in(const TermNode& leaf, const Unrolled& problem, std::span<const double> row) {
    const auto& instance = problem.instances[index(leaf.variable)];
    const double value = row[index(leaf.variable)];
    if (!instance.domain) return value;
    return leaf_value(leaf, (*instance.domain)[static_cast<std::size_t>(value)])->value.real();
}

/// Observed values once, in every row.
void put_observed(Draws& out) {
    const auto& instances = out.problem->instances;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (!instances[i].value) continue;
        const double value = observed_value(instances[i]);
        for (std::size_t d = 0; d < out.count; ++d) out.values[d * instances.size() + i] = value;
    }
}

std::size_t pick_by_logs(std::span<const double> logs, Rng& rng) {
    const double high = *std::max_element(logs.begin(), logs.end());
    double total = 0;
    for (const double log : logs) total += std::exp(log - high);
    double u = rng.uniform() * total;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        u -= std::exp(logs[i] - high);
        if (u < 0) return i;
    }
    return static_cast<std::size_t>(std::max_element(logs.begin(), logs.end()) - logs.begin());
}

/// The discrete variables given the numbers: those that were summed out last come first.
Status draw_labels(const LogPosterior& target, const Tape::Workspace& work, std::span<double> row, Rng& rng) {
    const auto& instances = target.problem->instances;
    std::vector<double> logs;
    for (std::size_t s = target.labels.size(); s-- > 0;) {
        const LabelStep& step = target.labels[s];
        std::size_t at = 0;
        for (const auto v : step.given) at = at * instances[index(v)].domain->size() + static_cast<std::size_t>(row[index(v)]);
        const std::size_t size = instances[index(step.label)].domain->size();
        logs.clear();
        for (std::size_t k = 0; k < size; ++k) logs.push_back(work.values[step.weights[at * size + k]]);
        if (*std::max_element(logs.begin(), logs.end()) == -INFINITY)
            return Fault{.code = "E-ZERO", .message = "the evidence has probability zero"};
        row[index(step.label)] = static_cast<double>(pick_by_logs(logs, rng));
    }
    return Done{};
}

/// ln of the density has a mean of its maximum less half the dimension, give or take the root of that, in any mode: chains whose means are
/// further apart are in different ones.
void compare_chains(const KeptChains::Chains& chains, std::size_t dimension, Draws& out) {
    for (std::size_t c = 1; c < chains.size(); ++c)
        if (chains[c].mean_log_density > chains[out.best_chain].mean_log_density) out.best_chain = c;
    const double tolerated = 7 + 3 * std::sqrt(0.5 * static_cast<double>(dimension));
    for (std::size_t c = 0; c < chains.size(); ++c) {
        const double gap = chains[out.best_chain].mean_log_density - chains[c].mean_log_density;
        if (!(gap > tolerated) || gap < out.log_gap) continue;
        out.lesser_chain = c;
        out.log_gap = gap;
    }
}

/// Of the numbers themselves, as queries ask for them; many of them cost more than they tell. A few numbers at a time, so that the memory
/// that millions of draws take stays bounded.
ChainFigures figures_of(const LogPosterior& target, const KeptChains::Chains& chains, const Run& run) {
    constexpr std::size_t most_checked = 200;
    constexpr std::size_t most_values = 20'000'000;
    const std::size_t n = target.numbers.size();
    const std::size_t checked = std::min(n, most_checked);
    const std::size_t total = chains.size() * chains.front().draws.size() / n;
    const std::size_t block = std::clamp<std::size_t>(most_values / std::max<std::size_t>(total, 1), 1, checked);
    auto work = target.tape.workspace();
    ChainFigures out;
    out.least_effective = out.least_tail_effective = static_cast<double>(total);
    for (std::size_t first = 0; first < checked; first += block) {
        std::vector<std::vector<double>> values(std::min(block, checked - first));
        for (const auto& chain : chains)
            for (std::size_t d = 0; d < chain.draws.size(); d += n) {
                if (d % (256 * n) == 0 && run.stopped()) return out;  // who asked for the chains says so
                (void)target.tape.value(std::span(chain.draws).subspan(d, n), target.output, work);
                for (std::size_t k = 0; k < values.size(); ++k) values[k].push_back(work.values[target.x[first + k]]);
            }
        for (const auto& column : values) {
            const ChainView view{column, chains.size()};
            const double r = split_r_hat(view);
            if (!std::isnan(r)) out.worst_r_hat = std::max(out.worst_r_hat, r);
            out.least_effective = std::min(out.least_effective, bulk_effective_sample_size(view));
            out.least_tail_effective = std::min(out.least_tail_effective, tail_effective_sample_size(view));
        }
    }
    return out;
}

}  // namespace

Result<KeptChains::ChainsPtr> chains_of(const LogPosterior& target, const SamplerOptions& options, std::size_t length, const Run& run,
                                        bool* kept_before) {
    KeptChains* kept = target.problem->net->net.chains.get();
    KeptChains::Key key{target.tape, target.output, options, run.rng.child("nuts")};
    if (auto known = kept ? kept->find(key) : nullptr) {
        if (kept_before) *kept_before = true;
        return known;
    }
    std::vector<std::optional<NutsChain>> chains(options.chains);
    constexpr std::size_t cost_of_node = 100;  // some steps of a trajectory, forward and back
    Progress progress(run, "nuts", options.chains * (options.warmup + length), "draws", target.tape.cost() * cost_of_node);
    progress.within(0);
    spread_chunks(run, {.n = chains.size()}, chains, [&](std::size_t c, std::size_t, std::size_t) {
        auto work = target.tape.workspace();
        const LogGradient gradient = [&](std::span<const double> x, std::span<double> g) {
            return target.tape.gradient(x, target.output, work, g);
        };
        const auto stopped = [&] { return run.stopped(); };
        if (options.sampler == Sampler::laplace) {
            chains[c] = run_laplace(target.numbers.size(), gradient, length, key.rng.child(c), stopped);
            return;
        }
        if (options.sampler != Sampler::nuts) {
            chains[c] =
                run_variational(target.numbers.size(), gradient, options.sampler == Sampler::full_rank, length, key.rng.child(c), stopped);
            return;
        }
        chains[c] = run_nuts(target.numbers.size(), gradient, {options.warmup, length, options.target, 10, target.tape.cost()},
                             key.rng.child(c), [&] {
                                 progress.advance(1, "chain", static_cast<double>(c + 1));
                                 return run.stopped();
                             });
    });
    if (run.stopped()) return stopped_fault();
    auto out = std::make_shared<KeptChains::Chains>();
    for (auto& chain : chains) {
        if (!chain && options.sampler == Sampler::laplace)
            return Fault{.code = "E-ENGINE",
                         .message = "the posterior has no highest point round which it is curved downwards in every direction",
                         .hint = "by nuts(4000) needs none"};
        if (!chain && options.sampler == Sampler::full_rank && target.numbers.size() > most_full_rank)
            return Fault{.code = "E-COST",
                         .message = fmt::format("a full covariance of {} numbers is too large to be fitted", target.numbers.size()),
                         .hint = fmt::format("the limit is {} numbers; covariance: mean_field has none", most_full_rank)};
        if (!chain)
            return Fault{.code = "E-ZERO",
                         .message = "no starting point was found at which the evidence has a positive density",
                         .hint = "check the ranges: an observation may be impossible for every value of the parameters"};
        out->push_back(*std::move(chain));
    }
    if (options.sampler == Sampler::nuts) out->front().together = figures_of(target, *out, run);
    if (run.stopped()) return stopped_fault();
    if (kept) kept->keep(std::move(key), out);
    return KeptChains::ChainsPtr(std::move(out));
}

std::string_view sampler_name(Sampler sampler) {
    switch (sampler) {
        case Sampler::nuts:
            return "nuts";
        case Sampler::laplace:
            return "laplace";
        case Sampler::mean_field:
        case Sampler::full_rank:
            return "variational";
    }
    return "";
}

double observed_value(const Instance& instance) {
    if (!instance.value) return 0;
    if (instance.domain) return static_cast<double>(*instance.domain->find(std::get<Label>(*instance.value)));
    return std::get<Number>(*instance.value).real();
}

double term_in(const Unrolled& problem, const Term& term, std::span<const double> row) {
    return evaluate(term, [&](const TermNode& leaf) { return leaf_in(leaf, problem, row); });
}

TermEvaluation terms_in(const Unrolled& problem, std::span<const double> row) {
    return TermEvaluation([&problem, row](const TermNode& leaf) { return leaf_in(leaf, problem, row); });
}

Status draw_forward(const Unrolled& problem, std::size_t i, const Region* region, std::span<double> row, TermEvaluation& terms, Rng& rng) {
    const auto& instance = problem.instances[i];
    if (instance.table) {
        const auto& table = problem.net->node(instance.node).table;
        std::size_t at = 0;
        for (const auto parent : instance.table_parents)
            at = at * problem.instances[index(parent)].domain->size() + static_cast<std::size_t>(row[index(parent)]);
        double u = rng.uniform();
        const std::size_t size = instance.domain->size();
        std::size_t chosen = size - 1;
        for (std::size_t v = 0; v < size; ++v) {
            const double p = table.entry(at * size + v).real();
            if (p > 0) chosen = v;
            u -= p;
            if (u < 0) break;
        }
        row[i] = static_cast<double>(chosen);
        return Done{};
    }
    std::vector<Number> numbers;
    for (const auto& term : instance.parameters) numbers.push_back(is_constant(term) ? term->value : Number::real(terms(term)));
    if (const auto top = instance.family->top; top && !numbers[*top].is_exact() && numbers[*top].real() == std::floor(numbers[*top].real()))
        numbers[*top] = Rational::from_binary(numbers[*top].real());
    auto made = make_distribution(instance.family, numbers, instance.labels);
    if (!made) {
        Fault fault = std::move(made).fault();
        fault.message = fmt::format("{}: {}", instance.name, fault.message);
        fault.hint = "a parameter drawn from a prior must stay in range: exp(x) is positive, 1 / (1 + exp(-x)) a probability";
        return fault;
    }
    if (region) {
        row[i] = TRY(sample_from(**made, *region, rng));
        return Done{};
    }
    const Outcome value = (*made)->sample(rng);
    if (instance.domain) {
        const Label label = std::holds_alternative<Label>(value) ? std::get<Label>(value) : Label::of_number(std::get<Number>(value));
        row[i] = static_cast<double>(instance.domain->find(label).value_or(instance.domain->size() - 1));  // of a cut count: its end
    } else {
        row[i] = std::get<Number>(value).real();
    }
    return Done{};
}

std::vector<double> Draws::of(const Term& term) const {
    std::vector<double> out(count);
    for (std::size_t d = 0; d < count; ++d) out[d] = term_in(*problem, term, row(d));
    return out;
}

Label Draws::label(std::size_t d, VarId instance) const {
    return (*problem->instances[index(instance)].domain)[static_cast<std::size_t>(row(d)[index(instance)])];
}

Result<ObservedDensities> observed_densities(const Unrolled& problem, const SamplerOptions& options, const Run& run) {
    const LogPosterior drawn_from = TRY(posterior_for_chains(problem, run));
    DensityForm apart = drawn_from.form;
    apart.together = false;
    const LogPosterior target = TRY(log_posterior(problem, run, apart));
    ObservedDensities out;
    for (const auto& observation : target.observations) {
        if (!observation.log_density)
            return Fault{
                .code = "E-ENGINE",
                .message = fmt::format("a hidden label joins {} with other observations, so it has no density of its own given the "
                                       "numbers",
                                       problem.instances[observation.instance].name),
                .hint = "labels that belong to one observation each, as in a mixture, are summed out"};
        out.instances.push_back(observation.instance);
    }
    out.logs.resize(out.instances.size());
    const std::size_t dimension = target.numbers.size();
    const std::size_t chains = dimension == 0 ? 1 : options.chains;
    const std::size_t length = (options.draws + chains - 1) / chains;
    KeptChains::ChainsPtr drawn;
    if (dimension > 0) { drawn = TRY(chains_of(drawn_from, options, length, run)); }
    auto work = target.tape.workspace();
    for (std::size_t c = 0; c < chains; ++c)
        for (std::size_t d = 0; d < length; ++d) {
            if ((d & 0xFFU) == 0 && run.stopped()) return stopped_fault();
            const auto u = dimension == 0 ? std::span<const double>() : std::span((*drawn)[c].draws).subspan(d * dimension, dimension);
            (void)target.tape.value(u, target.output, work);
            for (std::size_t i = 0; i < out.logs.size(); ++i) out.logs[i].push_back(work.values[*target.observations[i].log_density]);
        }
    return out;
}

Result<Draws> draw(const Unrolled& problem, const SamplerOptions& options, Run& run, Prefer prefer) {
    const LogPosterior target = TRY(posterior_for_chains(problem, run));
    const std::size_t n = problem.instances.size();
    const std::size_t dimension = target.numbers.size();
    Draws out;
    out.problem = &problem;
    out.target = options.target;
    out.chains = dimension == 0 ? 1 : options.chains;
    const std::size_t length = (options.draws + out.chains - 1) / out.chains;
    out.count = length * out.chains;
    out.engine = dimension == 0 ? "forward" : sampler_name(options.sampler);
    out.approximate = dimension > 0 && options.sampler != Sampler::nuts;
    if (static_cast<double>(out.count) * static_cast<double>(n) > static_cast<double>(run.limits.table_entries))
        return Fault{.code = "E-COST",
                     .message = fmt::format("{} draws of {} variables are too many to keep", out.count, n),
                     .hint = "draw fewer: by nuts(4000)"};
    out.values.assign(out.count * n, 0.0);
    put_observed(out);
    KeptChains::ChainsPtr chains;
    std::optional<std::vector<double>> exact;
    if (dimension > 0 && prefer == Prefer::independent) exact = TRY(draw_exactly(target, out.count, run).or_nothing());
    if (exact) {
        out.engine = "exact";
        out.approximate = false;
    } else if (dimension > 0) {
        chains = TRY(chains_of(target, options, length, run, &out.kept_before));
        for (const auto& chain : *chains) {
            out.divergences += chain.divergences;
            out.longest += chain.longest;
            out.leapfrogs += chain.leapfrogs;
            out.least_energy_fraction = std::min(out.least_energy_fraction, chain.energy_fraction);
        }
        compare_chains(*chains, dimension, out);
        out.pareto_k = chains->front().pareto_k;
        out.effective = chains->front().effective;
        out.with_spread = target.with_spread.size();
        for (const auto k : target.with_spread)
            if (target.form.scaled && !target.form.centred.contains(index(target.numbers[k]))) ++out.scaled;
    }
    auto work = target.tape.workspace();
    const Rng after = run.rng.child("after");
    for (std::size_t d = 0; d < out.count; ++d) {
        if ((d & 0xFFU) == 0 && run.stopped()) return stopped_fault();
        Rng rng = after.child(d);
        const std::span<double> row(out.values.data() + d * n, n);
        const std::size_t chain = d / length;
        if (exact) {
            for (std::size_t k = 0; k < dimension; ++k) row[index(target.numbers[k])] = (*exact)[d * dimension + k];
        } else if (dimension > 0 || !target.labels.empty()) {
            const std::span<const double> u =
                dimension == 0 ? std::span<const double>()
                               : std::span<const double>((*chains)[chain].draws).subspan((d % length) * dimension, dimension);
            (void)target.tape.value(u, target.output, work);
            for (std::size_t k = 0; k < dimension; ++k) row[index(target.numbers[k])] = work.values[target.x[k]];
        }
        TRY(draw_labels(target, work, row, rng));
        TermEvaluation terms = terms_in(problem, row);
        for (std::size_t i = 0; i < n; ++i) {
            const auto& own = problem.instances[i];
            if (own.tied) row[i] = terms(own.tied);
            if (target.core[i] || !own.latent()) continue;
            const auto region = target.regions.find(i);
            TRY(draw_forward(problem, i, region == target.regions.end() ? nullptr : &region->second, row, terms, rng));
        }
    }
    out.least_effective = out.least_tail_effective = static_cast<double>(out.count);
    if (out.engine == "nuts") {
        const ChainFigures& figures = chains->front().together;
        out.worst_r_hat = figures.worst_r_hat;
        out.least_effective = figures.least_effective;
        out.least_tail_effective = figures.least_tail_effective;
    }
    return out;
}

}  // namespace credence::rt::continuous
