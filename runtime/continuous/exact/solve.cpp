// Which engine solves a subproblem, and what a solved subproblem says of its numbers.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/continuous/exact/plane.hpp"
#include "runtime/continuous/exact/quadrature.hpp"
#include "runtime/continuous/exact/regions.hpp"
#include "runtime/continuous/unroll/subproblem.hpp"
#include "runtime/prob/distributions/expectation.hpp"
#include "runtime/prob/terms/term_evaluation.hpp"

namespace credence::rt::continuous {

namespace {

std::vector<VarId> numbers_in(const DensityFactor& factor) {
    std::vector<VarId> out;
    for (const auto& term : factor.parameters)
        for (const auto v : variables_of(term)) out.push_back(v);
    for (const auto& term : {factor.weight, factor.x})
        if (term)
            for (const auto v : variables_of(term)) out.push_back(v);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

std::vector<Subproblem> connected(const Subproblem& subproblem) {
    std::vector<std::size_t> group(subproblem.latents.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
        while (group[i] != i) i = group[i] = group[group[i]];
        return i;
    };
    const auto position = [&](VarId v) {
        return static_cast<std::size_t>(std::lower_bound(subproblem.latents.begin(), subproblem.latents.end(), v) -
                                        subproblem.latents.begin());
    };
    for (const auto& factor : subproblem.factors) {
        const auto all = numbers_in(factor);
        for (std::size_t i = 1; i < all.size(); ++i) {
            const auto a = find(position(all[0]));
            const auto b = find(position(all[i]));
            group[std::max(a, b)] = std::min(a, b);
        }
    }
    std::vector<Subproblem> out;
    std::vector<std::size_t> of_root(subproblem.latents.size(), subproblem.latents.size());
    for (std::size_t i = 0; i < subproblem.latents.size(); ++i) {
        const auto root = find(i);
        if (of_root[root] == subproblem.latents.size()) {
            of_root[root] = out.size();
            out.push_back({subproblem.problem, {}, {}});
        }
        out[of_root[root]].latents.push_back(subproblem.latents[i]);
    }
    for (const auto& factor : subproblem.factors) {
        const auto all = numbers_in(factor);
        if (!all.empty()) out[of_root[find(position(all[0]))]].factors.push_back(factor);
    }
    return out;
}

namespace {

void merge(Posterior& into, Posterior&& from) {
    into.log_evidence += from.log_evidence;
    into.evidence = into.evidence && from.evidence ? std::optional(*into.evidence * *from.evidence) : std::nullopt;
    into.marginals.merge(from.marginals);
    for (auto& n : from.normals) into.normals.push_back(std::move(n));
    for (auto& n : from.normal_gammas) into.normal_gammas.push_back(std::move(n));
    for (auto& pair : from.pairs) into.pairs.push_back(std::move(pair));
    into.engine = std::max(into.engine, from.engine);
    for (auto& line : from.story) into.story.push_back(std::move(line));
}

Number root(const Number& square) { return make_term(TermOp::sqrt, {constant_term(square)})->value; }

DistributionPtr normal_or_null(const Number& mean, const Number& variance) {
    if (variance.sign() <= 0) return nullptr;
    auto made = make_normal(mean, root(variance));
    return made ? *made : nullptr;
}

/// What a leaf is, given what it is drawn from.
Result<DistributionPtr> predictive(const DensityFactor& leaf, const Posterior& core, const Unrolled& problem, Engine& engine) {
    std::vector<VarId> from;
    for (const auto& term : leaf.parameters)
        for (const auto v : variables_of(term)) from.push_back(v);
    std::sort(from.begin(), from.end());
    from.erase(std::unique(from.begin(), from.end()), from.end());
    std::vector<Number> numbers;
    if (from.empty()) {
        if (auto fault = impossible_parameters(leaf, problem)) return *std::move(fault);
        for (const auto& term : leaf.parameters) numbers.push_back(term->value);
        return make_distribution(leaf.family, numbers);
    }
    if (leaf.family == Family::normal) {
        const auto mean = as_linear(leaf.parameters[0]);
        if (mean && is_constant(leaf.parameters[1]))
            for (const auto& joint : core.normals)
                if (joint.knows(*mean)) {
                    const Number& sd = leaf.parameters[1]->value;
                    return normal_or_null(joint.mean(*mean), joint.covariance(*mean, *mean) + sd * sd);
                }
        const auto scale = as_monomial(leaf.parameters[1]);
        const bool precision =
            scale && scale->powers.size() == 1 && scale->powers[0].own == Rational(-1, 2) && scale->powers[0].complement.is_zero();
        for (const auto& joint : core.normal_gammas) {
            if (!precision || scale->powers[0].variable != joint.tau || !mean || mean->coefficients.size() != 1 ||
                mean->coefficients[0].first != joint.mu || mean->coefficients[0].second != Number(1))
                continue;
            // Its own variance c²/τ, and that of the mean, 1/(count · τ).
            const Number square = joint.rate / joint.shape * (scale->coefficient * scale->coefficient + Number(1) / joint.count);
            return make_student_t(joint.shape * Number(2), joint.mean + mean->constant, root(square));
        }
    }
    if (from.size() != 1) return DistributionPtr();
    const DistributionPtr parent = marginal_of(core, variable_term(from[0]));
    if (!parent) return DistributionPtr();
    if ((leaf.family == Family::uniform || leaf.family == Family::laplace) && parent->support() == Support::reals) {
        // Their densities have corners that move with the parameters: points of a fixed rule would miss them.
        OnAxes on{{Axis{parent}, Axis{parent}}, {}};
        on.axes[1].given = drawn_given(leaf);
        engine = Engine::quadrature;
        return distribution_on(on, variable_term(static_cast<VarId>(1)), constant_term(1));
    }
    std::vector<Number> weights;
    std::vector<DistributionPtr> components;
    const bool counts = parent->support() == Support::integers;
    double total = 0;
    for (const auto& [x, weight] : quadrature_nodes(*parent)) {
        numbers.clear();
        const Term at = constant_term(counts ? Number(Rational(static_cast<std::int64_t>(x))) : Number::real(x));
        for (const auto& term : leaf.parameters) numbers.push_back(rewrite(term, [&](const TermNode&) { return at; })->value);
        auto made = make_distribution(leaf.family, numbers);
        if (!made) continue;
        components.push_back(*std::move(made));
        weights.push_back(Number::real(weight));
        total += weight;
    }
    constexpr double tolerated = 1e-9;
    if (total < 1 - tolerated) return DistributionPtr();  // its parameters are impossible for some values: draws will say so
    for (auto& weight : weights) weight = Number::real(weight.real() / total);
    engine = Engine::quadrature;
    return make_mixture(std::move(weights), std::move(components));
}

/// theta[j] of a dirichlet: a product over its sticks.
DistributionPtr stick_product(const Posterior& posterior, const Term& term) {
    auto m = as_monomial(term);
    if (!m || m->powers.empty() || !(m->coefficient == Number(1))) return nullptr;
    std::sort(m->powers.begin(), m->powers.end(), [](const auto& a, const auto& b) { return a.variable < b.variable; });
    std::vector<std::pair<Number, Number>> sticks;
    for (std::size_t i = 0; i < m->powers.size(); ++i) {
        const auto& power = m->powers[i];
        const bool last = i + 1 == m->powers.size();
        const bool passed = power.own.is_zero() && power.complement == Rational(1);
        const bool taken = power.own == Rational(1) && power.complement.is_zero();
        if (!(passed || (last && taken))) return nullptr;
        const auto at = posterior.marginals.find(power.variable);
        if (at == posterior.marginals.end() || at->second->name() != "beta") return nullptr;
        const auto p = at->second->parameters();
        sticks.emplace_back(std::get<Number>(p[0].value), std::get<Number>(p[1].value));
    }
    for (std::size_t i = 0; i + 1 < sticks.size(); ++i)
        if (!(sticks[i].second == sticks[i + 1].first + sticks[i + 1].second)) return nullptr;
    const Number total = sticks[0].first + sticks[0].second;
    const Number own = m->powers.back().own.is_zero() ? sticks.back().second : sticks.back().first;
    auto made = make_beta(own, total - own);
    return made ? *made : nullptr;
}

}  // namespace

std::string_view engine_name(Engine engine) {
    switch (engine) {
        case Engine::none:
            return "variable_elimination";
        case Engine::conjugate:
            return "conjugate";
        case Engine::linear_gaussian:
            return "linear_gaussian";
        case Engine::quadrature:
            return "quadrature";
    }
    return "";
}

std::optional<Fault> impossible_parameters(const DensityFactor& factor, const Unrolled& problem) {
    if (factor.kind == DensityFactor::Kind::weight || factor.family == Family::categorical) return std::nullopt;
    // What is not known counts as harmless, where each parameter has a range of its own.
    const bool apart = std::all_of(factor.family->parameters.begin(), factor.family->parameters.end(), [](const FamilyParameter& p) {
        return p.learnable() && p.role != Role::low_end && p.role != Role::high_end;
    });
    std::vector<Number> numbers;
    bool any = false;
    for (const auto& term : factor.parameters) {
        any = any || is_constant(term);
        if (!is_constant(term) && (!apart || factor.parameters.size() != factor.family->parameters.size())) return std::nullopt;
        numbers.push_back(is_constant(term) ? term->value : Number(Rational(1, 2)));
    }
    if (!any) return std::nullopt;
    auto made = make_distribution(factor.family, numbers);
    if (made) return std::nullopt;
    Fault fault = std::move(made).fault();
    const Instance& own = problem.instances[factor.instance];
    fault.message = fmt::format("{}: {}", own.name, fault.message);
    for (const auto& term : own.parameters)
        for (const auto v : variables_of(term)) {
            const Instance& parent = problem.instances[index(v)];
            if (!parent.table || !parent.latent() || !parent.domain->find(Label::of_text("true")) || !parent.table_parents.empty())
                continue;
            fault.hint = fmt::format(
                "{0} is true or false: a number after a colon is the probability of true; a number that is certain is "
                "a table with one entry, {0} : {{ 2: 1 }}",
                parent.name);
        }
    return fault;
}

namespace {

/// The distribution of a term where it is one of a known family; null if not.
DistributionPtr family_of(const Posterior& posterior, const Term& term) {
    if (term->op == TermOp::variable) {
        if (const auto at = posterior.marginals.find(term->variable); at != posterior.marginals.end()) return at->second;
        for (const auto& pair : posterior.pairs) {
            if (pair.first == term->variable) return pair.of_first;
            if (pair.second == term->variable) return pair.of_second();
        }
    }
    if (const auto linear = as_linear(term); linear && !linear->coefficients.empty())
        for (const auto& joint : posterior.normals)
            if (joint.knows(*linear)) return normal_or_null(joint.mean(*linear), joint.covariance(*linear, *linear));
    return stick_product(posterior, term);
}

}  // namespace

namespace {

/// E of v^a (1 - v)^b under beta(alpha, beta): rising factorials, alpha^(a) beta^(b) / (alpha + beta)^(a + b).
std::optional<Number> beta_moment(const Distribution& beta, const Rational& own, const Rational& complement) {
    const auto a = own.to_int64();
    const auto b = complement.to_int64();
    constexpr std::int64_t most = 64;
    if (!a || !b || *a < 0 || *b < 0 || *a + *b > most) return std::nullopt;
    const auto p = beta.parameters();
    const Number alpha = std::get<Number>(p[0].value);
    const Number rest = std::get<Number>(p[1].value);
    Number out = 1;
    for (std::int64_t i = 0; i < *a + *b; ++i) {
        const Number over = i < *a ? alpha + Number(Rational(i)) : rest + Number(Rational(i - *a));
        out = out * over / (alpha + rest + Number(Rational(i)));
    }
    return out;
}

}  // namespace

std::optional<Number> mean_of_polynomial(const Posterior& posterior, const Term& term) {
    if (term->op == TermOp::constant) return term->value;
    if (term->op == TermOp::negate) {
        const auto part = mean_of_polynomial(posterior, term->parts[0]);
        return part ? std::optional(Number(0) - *part) : std::nullopt;
    }
    if (const auto monomial = as_monomial(term)) {
        Number out = monomial->coefficient;
        for (const auto& power : monomial->powers) {
            const auto at = posterior.marginals.find(power.variable);
            if (at == posterior.marginals.end() || at->second->name() != "beta") return std::nullopt;
            const auto moment = beta_moment(*at->second, power.own, power.complement);
            if (!moment) return std::nullopt;
            out = out * *moment;
        }
        return out;
    }
    if (term->op != TermOp::add && term->op != TermOp::subtract) return std::nullopt;
    const auto left = mean_of_polynomial(posterior, term->parts[0]);
    const auto right = mean_of_polynomial(posterior, term->parts[1]);
    if (!left || !right) return std::nullopt;
    return term->op == TermOp::add ? *left + *right : *left - *right;
}

Attempt<Number> mass_of(const Posterior& posterior, const Term& term, std::span<const Number> marks,
                        const std::function<bool(double)>& holds) {
    if (const auto d = family_of(posterior, term)) return mass_by_marks(*d, {marks.begin(), marks.end()}, holds);
    const auto from = variables_of(term);
    const DistributionPtr parent = from.size() == 1 ? family_of(posterior, variable_term(from[0])) : nullptr;
    if (!parent) return not_applicable;
    const auto f = [&](double x) { return evaluate(term, [x](const TermNode&) { return x; }); };
    const auto linear = as_linear(term);
    const bool moves = linear && linear->coefficients.size() == 1 && !linear->coefficients[0].second.is_zero();  // not y - y
    if (moves && parent->support() == Support::reals) {
        std::vector<Number> own;
        for (const auto& mark : marks) own.push_back((mark - linear->constant) / linear->coefficients[0].second);
        return mass_by_marks(*parent, std::move(own), [&](double x) { return holds(f(x)); });
    }
    const Curve curve{f, {marks.begin(), marks.end()}};
    return mass_of_region(*parent, std::span(&curve, 1), [&](double x) {
        const double value = f(x);
        return !std::isnan(value) && holds(value);
    });
}

DistributionPtr marginal_of(const Posterior& posterior, const Term& term) {
    if (auto known = family_of(posterior, term)) return known;
    const auto from = variables_of(term);
    if (from.size() != 1 || term->op == TermOp::variable) return nullptr;
    const DistributionPtr parent = marginal_of(posterior, variable_term(from[0]));
    if (!parent) return nullptr;
    const Term here = rewrite(term, [](const TermNode&) { return variable_term(static_cast<VarId>(0)); });
    return distribution_on(OnAxes{{Axis{parent}}, {here}}, here, constant_term(1));
}

Solved solve_quadrature(const Subproblem& subproblem, const Allowed&) {
    if (subproblem.latents.size() != 1) return not_applicable;
    const VarId v = subproblem.latents[0];
    const DensityFactor* prior = nullptr;
    for (const auto& factor : subproblem.factors) {
        if (factor.is_prior()) prior = &factor;
        if (auto fault = impossible_parameters(factor, *subproblem.problem)) return *std::move(fault);
    }
    if (!prior || !has_axis(prior->family)) return not_applicable;
    std::vector<Number> numbers;
    for (const auto& term : prior->parameters) numbers.push_back(term->value);
    auto base = TRY(make_distribution(prior->family, numbers));
    const auto known = Coordinate::of(prior->family, prior->parameters);
    if (!known) return not_applicable;
    const Coordinate coordinate = *known;
    std::vector<double> scan;
    for (int i = -60; i <= 60; ++i) {
        // Levels from 1e-15 to 1 − 1e-15, dense in the middle.
        const double z = static_cast<double>(i) / 60 * 34.5;
        const auto q = base->quantile(Number::real(1 / (1 + std::exp(-z))));
        if (!q) continue;
        const double u = coordinate.u(q->real());
        if (std::isfinite(u) && (scan.empty() || u > scan.back())) scan.push_back(u);
    }
    if (scan.empty()) return not_applicable;
    const auto factors = subproblem.factors;
    const auto log_weight = [factors, coordinate](double u) {
        const double x = coordinate.x(u);
        TermEvaluation value([x](const TermNode&) { return x; });
        double sum = coordinate.log_slope(u);
        for (const auto& factor : factors) {
            if (factor.kind == DensityFactor::Kind::weight) {
                sum += std::log(value(factor.weight));
                continue;
            }
            double p[most_parameters] = {};
            for (std::size_t k = 0; k < factor.parameters.size(); ++k) p[k] = value(factor.parameters[k]);
            sum += factor.kind == DensityFactor::Kind::interval ? log_mass(*factor.family, factor.region, p).value
                                                                : log_density(factor.family, value(factor.x), p).value;
        }
        return sum;
    };
    auto density = numeric_density(log_weight, coordinate, scan);
    if (!density) return not_applicable;
    Posterior out;
    out.engine = Engine::quadrature;
    out.log_evidence = density->log_total;
    out.marginals.emplace(v, density->distribution);
    const auto name = [&](VarId id) { return subproblem.problem->name(id); };
    out.story.push_back(fmt::format("No conjugate form is known for {}; one number is left, so its posterior is integrated:", name(v)));
    out.story.push_back(
        fmt::format("  prior times likelihood, {} factors, over {} by adaptive Gauss-Kronrod panels", subproblem.factors.size(), name(v)));
    return out;
}

namespace {

/// Factors in which the configuration has left no unknown number: constants of the evidence. They are taken out of the subproblem.
Status take_constants(Subproblem& subproblem, Posterior& into) {
    const auto is_settled = [](const DensityFactor& f) { return numbers_in(f).empty(); };
    for (const auto& factor : subproblem.factors) {
        if (!is_settled(factor)) continue;
        Number density;
        if (factor.kind == DensityFactor::Kind::weight) {
            density = factor.weight->value;
        } else {
            if (auto fault = impossible_parameters(factor, *subproblem.problem)) return *std::move(fault);
            std::vector<Number> numbers;
            for (const auto& term : factor.parameters) numbers.push_back(term->value);
            auto made = TRY(make_distribution(factor.family, numbers));
            const bool censored = factor.kind == DensityFactor::Kind::interval;
            density = TRY(censored ? mass_of(*made, factor.region) : made->pdf(factor.x->value));
            if (!density.is_exact() && !censored) {
                into.log_evidence += made->log_pdf(factor.x->value);
                into.evidence.reset();
                continue;
            }
        }
        into.log_evidence += density.sign() > 0 ? density.log() : -INFINITY;
        into.evidence = into.evidence && density.is_exact() ? std::optional(*into.evidence * density.exact()) : std::nullopt;
    }
    std::erase_if(subproblem.factors, is_settled);
    return Done{};
}

}  // namespace

Solved solve(const Subproblem& whole, const Allowed& allowed, const Run& run) {
    if (run.stopped()) return stopped_fault();
    Subproblem subproblem = whole;
    Posterior out;
    out.evidence = Rational(1);
    TRY(take_constants(subproblem, out));
    std::vector<VarId> leaned_on;  // numbers in the parameters of others
    for (const auto& factor : subproblem.factors) {
        for (const auto& term : factor.parameters)
            for (const auto v : variables_of(term)) leaned_on.push_back(v);
        if (factor.weight)
            for (const auto v : variables_of(factor.weight)) leaned_on.push_back(v);
        if (!factor.is_prior())
            for (const auto v : variables_of(factor.x)) leaned_on.push_back(v);
    }
    std::sort(leaned_on.begin(), leaned_on.end());
    const auto leaf_of = [&](const DensityFactor& factor) {
        return factor.is_prior() && !std::binary_search(leaned_on.begin(), leaned_on.end(), factor.x->variable);
    };
    Subproblem core{subproblem.problem, {}, {}};
    std::vector<const DensityFactor*> leaves;
    for (const auto& factor : subproblem.factors) {
        if (leaf_of(factor)) {
            leaves.push_back(&factor);
        } else {
            core.factors.push_back(factor);
        }
    }
    for (const auto v : subproblem.latents)
        if (std::binary_search(leaned_on.begin(), leaned_on.end(), v)) core.latents.push_back(v);
    // Normal-normal is the conjugate pair that elimination covers too.
    const bool one_mean = allowed.conjugate && core.latents.size() <= 1;
    if (allowed.linear_gaussian || one_mean) {
        auto joint = solve_linear_gaussian(subproblem, allowed);
        if (joint.failed()) return joint;
        if (joint) {
            if (core.latents.size() <= 1) joint->engine = Engine::conjugate;
            merge(out, *std::move(joint));
            return out;
        }
    }
    for (const auto& piece : connected(core)) {
        Solved solved = not_applicable;
        if (allowed.conjugate) solved = solve_conjugate(piece, allowed);
        if (!solved.is_applicable() && (allowed.linear_gaussian || (allowed.conjugate && piece.latents.size() == 1))) {
            solved = solve_linear_gaussian(piece, allowed);
            if (solved && piece.latents.size() == 1) solved->engine = Engine::conjugate;
        }
        if (!solved.is_applicable() && allowed.quadrature) solved = solve_quadrature(piece, allowed);
        if (!solved.is_applicable() && allowed.quadrature) solved = solve_pair(piece, run);
        auto found = TRY(std::move(solved));
        merge(out, std::move(found));
    }
    for (const auto* leaf : leaves) {
        Engine engine = core.latents.empty() ? Engine::conjugate : out.engine;
        auto marginal = TRY(predictive(*leaf, out, *subproblem.problem, engine));
        if (!marginal || (engine == Engine::quadrature && !allowed.quadrature)) return not_applicable;
        out.engine = std::max(out.engine, engine);
        out.marginals.emplace(leaf->x->variable, std::move(marginal));
    }
    return out;
}

}  // namespace credence::rt::continuous
