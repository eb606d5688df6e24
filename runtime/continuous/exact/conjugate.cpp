// Conjugate pairs, recognised by the kernels that the families' records declare: θ^a (1 − θ)^b for probabilities, λ^a e^(−bλ) for rates.
// A normal with unknown mean and precision is a normal-gamma. Likelihoods may be products over several numbers, so a dirichlet (by its
// sticks) is among the priors.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/unroll/subproblem.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double log_2pi = 1.8378770664093454836;
constexpr std::int64_t longest_product = 2000;  // factors of an exact evidence

const Rational one_half(1, 2);

Term one_minus(const Term& p) {
    if (p->op == TermOp::subtract && is_constant(p->parts[0]) && p->parts[0]->value == Number(1)) return p->parts[1];
    return make_term(TermOp::subtract, {constant_term(1), p});
}

/// The evidence as a product of constants: exact as long as all of them are.
class Evidence {
public:
    void multiply(const Number& factor) {
        log_ += factor.log();
        if (factor.is_exact() && exact_ && exact_->bits() < 1U << 16U)
            exact_ = *exact_ * factor.exact();
        else
            exact_.reset();
    }
    void multiply_log(double log) {
        log_ += log;
        exact_.reset();
    }
    /// x(x + 1) … (x + n − 1)
    void multiply_rising(const Number& x, const Rational& n, bool divide) {
        const auto whole = n.to_int64();
        const double log = log_gamma(x.real() + n.to_double()) - log_gamma(x.real());
        log_ += divide ? -log : log;
        if (!exact_ || !x.is_exact() || !whole || *whole > longest_product || *whole < 0) {
            exact_.reset();
            return;
        }
        Rational product = 1;
        for (std::int64_t i = 0; i < *whole; ++i) product *= x.exact() + Rational(i);
        exact_ = divide ? *exact_ / product : *exact_ * product;
    }
    double log() const { return log_; }
    const std::optional<Rational>& exact() const { return exact_; }

private:
    double log_ = 0;
    std::optional<Rational> exact_ = Rational(1);
};

struct Candidate {
    VarId variable{};
    const DensityFactor* prior = nullptr;
    std::optional<ConjugatePrior> form = std::nullopt;  ///< nothing if no likelihood is conjugate to it
    bool is_mean = false;                               ///< a normal whose precision has a prior of its own
    // what the likelihood adds
    Number add_first = 0;
    Number add_second = 0;
    std::size_t terms = 0;  ///< factors of the likelihood
    // of a mean with a precision of its own
    VarId precision{};
    Number centre;
    Number count;
    Number sum_weights = 0;
    Number sum_weighted = 0;
    Number sum_squares = 0;
};

class Conjugate {
public:
    explicit Conjugate(const Subproblem& subproblem) : subproblem_(subproblem) {}

    Solved operator()() {
        if (!find_priors()) return not_applicable;
        for (const auto& factor : subproblem_.factors) {
            if (is_prior(factor)) continue;
            if (auto fault = impossible_parameters(factor, *subproblem_.problem)) return *std::move(fault);
            if (!absorb(factor)) return not_applicable;
        }
        return finish();
    }

private:
    Candidate* find(VarId v) {
        for (auto& c : candidates_)
            if (c.variable == v) return &c;
        return nullptr;
    }

    static bool is_prior(const DensityFactor& factor) { return factor.is_prior(); }

    bool find_priors() {
        for (const auto& factor : subproblem_.factors) {
            if (!is_prior(factor)) continue;
            Candidate c;
            c.variable = factor.x->variable;
            c.prior = &factor;
            const auto& p = factor.parameters;
            const bool constant = std::all_of(p.begin(), p.end(), [](const Term& t) { return is_constant(t); });
            if (constant) {
                std::vector<Number> numbers;
                for (const auto& term : p) numbers.push_back(term->value);
                if (factor.family->prior) c.form = factor.family->prior(numbers);
            } else if (factor.family == Family::normal && is_constant(p[0])) {
                const auto scale = scale_of(p[1]);
                if (!scale) return false;
                c.is_mean = true;
                c.precision = scale->first;
                c.centre = p[0]->value;
                c.count = Number(1) / (scale->second * scale->second);
            } else {
                return false;
            }
            candidates_.push_back(std::move(c));
        }
        for (auto& c : candidates_) {
            if (!c.is_mean) continue;
            const auto* precision = find(c.precision);
            if (!precision || !is_rate(*precision)) return false;
            for (const auto& other : candidates_)
                if (&other != &c && other.is_mean && other.precision == c.precision) return false;
        }
        return candidates_.size() == subproblem_.latents.size();
    }

    static bool is_probability(const Candidate& c) { return c.form && c.form->kernel == ConjugateKernel::beta; }
    static bool is_rate(const Candidate& c) { return c.form && c.form->kernel == ConjugateKernel::gamma && c.form->power == Rational(1); }

    /// sd = c · v^(−1/2): the variable and c.
    std::optional<std::pair<VarId, Number>> scale_of(const Term& sd) const {
        const auto m = as_monomial(sd);
        if (!m || m->powers.size() != 1 || m->powers[0].own != -one_half || !m->powers[0].complement.is_zero()) return std::nullopt;
        if (m->coefficient.sign() <= 0) return std::nullopt;
        return std::pair(m->powers[0].variable, m->coefficient);
    }

    /// A parameter that is c · θ^power for the θ of a gamma kernel: whose θ, and c^(1 / power).
    std::optional<std::pair<Candidate*, Number>> rate_of(const Term& parameter, const Rational& power) {
        const auto m = as_monomial(parameter);
        if (!m || m->powers.size() != 1 || !m->powers[0].complement.is_zero()) return std::nullopt;
        Candidate* c = find(m->powers[0].variable);
        if (!c || !c->form || c->form->kernel != ConjugateKernel::gamma || m->coefficient.sign() <= 0) return std::nullopt;
        if (m->powers[0].own * c->form->power != power) return std::nullopt;
        const Rational inverse = Rational(1) / power;
        const auto whole = inverse.to_int64();
        if (whole && m->coefficient.is_exact()) return std::pair(c, Number(m->coefficient.exact().pow(*whole)));
        return std::pair(c, Number::real(std::pow(m->coefficient.real(), inverse.to_double())));
    }

    /// p^times as powers of betas.
    bool absorb_probability(const Term& p, const Rational& times) {
        if (times.is_zero()) return true;
        const auto m = as_monomial(p);
        if (!m || m->coefficient.sign() < 0) return false;
        for (const auto& power : m->powers) {
            Candidate* c = find(power.variable);
            if (!c || !is_probability(*c) || power.own.sign() < 0 || power.complement.sign() < 0) return false;
        }
        for (const auto& power : m->powers) {
            Candidate* c = find(power.variable);
            c->add_first += power.own * times;
            c->add_second += power.complement * times;
            ++c->terms;
        }
        if (const auto n = times.to_int64(); n && m->coefficient.is_exact() && *n <= longest_product)
            evidence_.multiply(m->coefficient.exact().pow(*n));
        else
            evidence_.multiply_log(m->coefficient.log() * times.to_double());
        return true;
    }

    void add_to_gamma(Candidate& c, const Number& shape, const Number& rate) {
        c.add_first += shape;
        c.add_second += rate;
        ++c.terms;
    }

    bool absorb(const DensityFactor& f) {
        if (f.kind == DensityFactor::Kind::weight) return absorb_probability(f.weight, 1);
        if (f.kind == DensityFactor::Kind::interval) {
            const bool cut_off = f.region.size() == 1 && f.region[0].low && !f.region[0].high;
            return cut_off && absorb_form(f.family->conjugate_above, *f.region[0].low, f.parameters);
        }
        if (!is_constant(f.x)) return false;
        const Number& x = f.x->value;
        return absorb_form(f.family->conjugate, x, f.parameters) || (f.family == Family::normal && absorb_with_mean(x, f.parameters));
    }

    using Form = std::optional<ConjugateForm> (*)(const Number&, std::span<const std::optional<Number>>);

    /// A likelihood that is a kernel in one of the parameters.
    bool absorb_form(Form form_of, const Number& x, const std::vector<Term>& p) {
        if (!form_of) return false;
        std::vector<std::optional<Number>> constants;
        for (const auto& term : p) constants.push_back(is_constant(term) ? std::optional(term->value) : std::nullopt);
        const auto form = form_of(x, constants);
        if (!form) return false;
        for (std::size_t k = 0; k < p.size(); ++k)
            if (k != form->parameter && !constants[k]) return false;
        const Term& own = p[form->parameter];
        if (form->kernel == ConjugateKernel::beta) {
            if (!absorb_probability(own, rational(form->first)) || !absorb_probability(one_minus(own), rational(form->second)))
                return false;
        } else {
            const auto rate = rate_of(own, form->power);
            if (!rate) return false;
            add_to_gamma(*rate->first, form->first, rate->second * form->second);
            const auto power = rational(form->first).to_int64();
            if (power && *power <= longest_product && rate->second.is_exact())
                evidence_.multiply(rate->second.exact().pow(*power));
            else
                evidence_.multiply_log(form->first.real() * rate->second.log());
        }
        if (form->constant)
            evidence_.multiply(*form->constant);
        else
            evidence_.multiply_log(form->log_constant);
        return true;
    }

    /// With a mean that has its own prior, and sd = c / sqrt(precision).
    bool absorb_with_mean(const Number& x, const std::vector<Term>& p) {
        const auto scale = scale_of(p[1]);
        if (!scale) return false;
        Candidate* tau = find(scale->first);
        if (!tau || !is_rate(*tau)) return false;
        const Number weight = Number(1) / (scale->second * scale->second);
        const auto mean = as_linear(p[0]);
        if (!mean || mean->coefficients.size() != 1 || mean->coefficients[0].second != Number(1)) return false;
        Candidate* mu = find(mean->coefficients[0].first);
        if (!mu || !mu->is_mean || mu->precision != tau->variable) return false;
        evidence_.multiply_log(0.5 * weight.log() - 0.5 * log_2pi);
        const Number shifted = x - mean->constant;
        mu->sum_weights += weight;
        mu->sum_weighted += weight * shifted;
        mu->sum_squares += weight * shifted * shifted;
        ++mu->terms;
        add_to_gamma(*tau, one_half, 0);
        return true;
    }

    std::string shown(const Number& n) const {
        if (!n.is_exact()) return fmt::format("{:.6g}", n.real());
        const std::string text = label_text(n);
        return text.size() <= 20 ? text : fmt::format("{:.6g}", n.real());
    }
    std::string name(const Candidate& c) const { return subproblem_.problem->name(c.variable); }

    Solved finish() {
        Posterior out;
        out.engine = Engine::conjugate;
        for (auto& c : candidates_) {
            if (!c.is_mean) continue;
            Candidate& tau = *find(c.precision);
            const Number count = c.count + c.sum_weights;
            const Number mean = (c.count * c.centre + c.sum_weighted) / count;
            const Number spread = (c.count * c.centre * c.centre + c.sum_squares - count * mean * mean) * Number(one_half);
            tau.add_second += spread;
            evidence_.multiply_log(0.5 * (c.count.log() - count.log()));
            out.story.push_back(fmt::format("Prior: {} ~ normal({}, 1 / sqrt({} * {})), {} ~ gamma({}, {})", name(c), shown(c.centre),
                                            shown(c.count), name(tau), name(tau), shown(tau.form->first), shown(tau.form->second)));
            out.story.push_back(fmt::format("{} observations with mean {} and sum of squares {}: normal-gamma again,", c.terms,
                                            c.sum_weights.is_zero() ? "-" : shown(c.sum_weighted / c.sum_weights), shown(c.sum_squares)));
            out.story.push_back(
                fmt::format("  mean {}, weight {} + {} = {}", shown(mean), shown(c.count), shown(c.sum_weights), shown(count)));
            NormalGamma joint{c.variable, tau.variable, mean, count, 0, 0};
            out.normal_gammas.push_back(std::move(joint));
        }
        for (auto& c : candidates_) {
            if (c.is_mean) continue;
            if (auto fault = impossible_parameters(*c.prior, *subproblem_.problem)) return *std::move(fault);
            if (!c.form || c.terms == 0) {
                std::vector<Number> numbers;
                for (const auto& term : c.prior->parameters) numbers.push_back(term->value);
                auto prior = TRY(make_distribution(c.prior->family, numbers));
                if (!c.form) {
                    // Something else leans on it, of which nothing here knows.
                    for (const auto& factor : subproblem_.factors) {
                        if (&factor == c.prior) continue;
                        for (const auto& term : factor.parameters)
                            for (const auto v : variables_of(term))
                                if (v == c.variable) return not_applicable;
                    }
                }
                out.marginals.emplace(c.variable, std::move(prior));
                out.story.push_back(fmt::format("Nothing observed bears on {}: it keeps its prior.", name(c)));
                if (!c.form) continue;
            }
            const Number first = c.form->first + c.add_first;
            const Number second = c.form->second + c.add_second;
            if (is_probability(c)) {
                evidence_.multiply_rising(c.form->first, rational(c.add_first), false);
                evidence_.multiply_rising(c.form->second, rational(c.add_second), false);
                evidence_.multiply_rising(c.form->first + c.form->second, rational(c.add_first + c.add_second), true);
            } else {
                rising_gamma(c, second);
            }
            const Number both[] = {first, second};
            auto posterior = TRY(make_distribution(*c.form->posterior, both));
            if (c.terms > 0) tell(c, first, second, out.story);
            out.marginals.insert_or_assign(c.variable, std::move(posterior));
            for (auto& joint : out.normal_gammas)
                if (joint.tau == c.variable) {
                    joint.shape = first;
                    joint.rate = second;
                }
        }
        for (const auto& joint : out.normal_gammas) {
            const Number square = joint.rate / (joint.shape * joint.count);
            const Number scale = make_term(TermOp::sqrt, {constant_term(square)})->value;
            auto t = TRY(make_student_t(joint.shape * Number(2), joint.mean, scale));
            out.marginals.insert_or_assign(joint.mu, std::move(t));
        }
        out.log_evidence = evidence_.log();
        out.evidence = evidence_.exact();
        return out;
    }

    void tell(const Candidate& c, const Number& first, const Number& second, std::vector<std::string>& story) const {
        const ConjugatePrior& form = *c.form;
        const std::string_view family = form.posterior->name;
        story.push_back(fmt::format("Prior: {} ~ {}({}, {})", name(c), family, shown(form.first), shown(form.second)));
        const std::string theta = form.power == Rational(1) ? name(c) : fmt::format("(1 / {})", name(c));
        const std::string_view kernel = is_probability(c) ? "Likelihood: {0}^{2} * (1 - {0})^{3}, times what {1} is not in"
                                                          : "Likelihood: {0}^{2} * exp(-{3} * {0}), times what {1} is not in";
        story.push_back(fmt::format(fmt::runtime(kernel), theta, name(c), shown(c.add_first), shown(c.add_second)));
        story.push_back(fmt::format("Posterior: {} ~ {}({} + {}, {} + {}) = {}({}, {})", name(c), family, shown(form.first),
                                    shown(c.add_first), shown(form.second), shown(c.add_second), family, shown(first), shown(second)));
    }

    static Rational rational(const Number& n) { return n.is_exact() ? n.exact() : Rational::from_decimal(n.real()); }

    /// Γ(a + s) / Γ(a) · r^a / (r + t)^(a + s)
    void rising_gamma(const Candidate& c, const Number& rate) {
        evidence_.multiply_rising(c.form->first, rational(c.add_first), false);
        const auto shape = c.form->first.is_exact() ? c.form->first.exact().to_int64() : std::nullopt;
        const auto added = c.add_first.is_exact() ? c.add_first.exact().to_int64() : std::nullopt;
        if (shape && added && *shape + *added <= longest_product && c.form->second.is_exact() && rate.is_exact()) {
            evidence_.multiply((c.form->second.exact() / rate.exact()).pow(*shape));
            evidence_.multiply(rate.exact().pow(-*added));
        } else {
            evidence_.multiply_log(c.form->first.real() * (c.form->second.log() - rate.log()) - c.add_first.real() * rate.log());
        }
    }

    const Subproblem& subproblem_;
    std::vector<Candidate> candidates_;
    Evidence evidence_;
};

}  // namespace

Solved solve_conjugate(const Subproblem& subproblem, const Allowed&) { return Conjugate(subproblem)(); }

const RealEngine conjugate_real_engine{
    .method =
        {"conjugate",
         {},
         "Prior and likelihood whose product is of the prior's family again, such as beta with binomial, gamma with poisson, normal with "
         "normal.",
         "net Coin { theta ~ beta(2, 2); Heads ~ binomial(10, theta) }\nexpect P(theta | Heads = 7) by conjugate == beta(9, 5)"},
    .allowed = {.conjugate = true, .linear_gaussian = false, .quadrature = false},
    .refusal = "no conjugate pair covers this query"};

}  // namespace credence::rt::continuous
