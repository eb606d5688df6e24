// Conjugate pairs, recognised by the form of the likelihood: θ^a (1 − θ)^b meets a beta, λ^a e^(−bλ) a gamma, and a normal with unknown
// mean and precision a normal-gamma. Products over several numbers fall apart, so a dirichlet (by its sticks) is among them.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/unroll/part.hpp"
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

enum class PriorRole { beta, gamma, mean, prior };

struct Candidate {
    VarId variable{};
    PriorRole role = PriorRole::prior;
    const PartFactor* prior = nullptr;
    Number first;   ///< a of a beta, shape of a gamma
    Number second;  ///< b, rate
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
    explicit Conjugate(const Part& part) : part_(part) {}

    Solved operator()() {
        if (!find_priors()) return std::optional<Posterior>();
        for (const auto& factor : part_.factors) {
            if (is_prior(factor)) continue;
            if (auto fault = impossible_parameters(factor, *part_.problem)) return *std::move(fault);
            if (!absorb(factor)) return std::optional<Posterior>();
        }
        return finish();
    }

private:
    Candidate* find(VarId v) {
        for (auto& c : candidates_)
            if (c.variable == v) return &c;
        return nullptr;
    }

    static bool is_prior(const PartFactor& factor) { return factor.is_prior(); }

    bool find_priors() {
        for (const auto& factor : part_.factors) {
            if (!is_prior(factor)) continue;
            Candidate c;
            c.variable = factor.x->variable;
            c.prior = &factor;
            const auto& p = factor.parameters;
            const bool constant = std::all_of(p.begin(), p.end(), [](const Term& t) { return is_constant(t); });
            if (constant && factor.family == Family::beta) {
                c.role = PriorRole::beta;
                c.first = p[0]->value;
                c.second = p[1]->value;
            } else if (constant && factor.family == Family::uniform && p[0]->value == Number(0) && p[1]->value == Number(1)) {
                c.role = PriorRole::beta;
                c.first = c.second = 1;
            } else if (constant && factor.family == Family::gamma) {
                c.role = PriorRole::gamma;
                c.first = p[0]->value;
                c.second = p[1]->value;
            } else if (constant && factor.family == Family::exponential) {
                c.role = PriorRole::gamma;
                c.first = 1;
                c.second = p[0]->value;
            } else if (!constant && factor.family == Family::normal && is_constant(p[0])) {
                const auto scale = scale_of(p[1]);
                if (!scale) return false;
                c.role = PriorRole::mean;
                c.precision = scale->first;
                c.centre = p[0]->value;
                c.count = Number(1) / (scale->second * scale->second);
            } else if (!constant) {
                return false;
            }
            candidates_.push_back(std::move(c));
        }
        for (auto& c : candidates_) {
            if (c.role != PriorRole::mean) continue;
            const auto* precision = find(c.precision);
            if (!precision || precision->role != PriorRole::gamma) return false;
            for (const auto& other : candidates_)
                if (&other != &c && other.role == PriorRole::mean && other.precision == c.precision) return false;
        }
        return candidates_.size() == part_.latents.size();
    }

    /// sd = c · v^(−1/2): the variable and c.
    std::optional<std::pair<VarId, Number>> scale_of(const Term& sd) const {
        const auto m = as_monomial(sd);
        if (!m || m->powers.size() != 1 || m->powers[0].own != -one_half || !m->powers[0].complement.is_zero()) return std::nullopt;
        if (m->coefficient.sign() <= 0) return std::nullopt;
        return std::pair(m->powers[0].variable, m->coefficient);
    }

    /// rate = c · v for a gamma's v.
    std::optional<std::pair<Candidate*, Number>> rate_of(const Term& rate) {
        const auto m = as_monomial(rate);
        if (!m || m->powers.size() != 1 || m->powers[0].own != Rational(1) || !m->powers[0].complement.is_zero()) return std::nullopt;
        Candidate* c = find(m->powers[0].variable);
        if (!c || c->role != PriorRole::gamma || m->coefficient.sign() <= 0) return std::nullopt;
        return std::pair(c, m->coefficient);
    }

    /// p^times as powers of betas.
    bool absorb_probability(const Term& p, const Rational& times) {
        if (times.is_zero()) return true;
        const auto m = as_monomial(p);
        if (!m || m->coefficient.sign() < 0) return false;
        for (const auto& power : m->powers) {
            Candidate* c = find(power.variable);
            if (!c || c->role != PriorRole::beta || power.own.sign() < 0 || power.complement.sign() < 0) return false;
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

    bool absorb(const PartFactor& f) {
        if (f.kind == PartFactor::Kind::weight) return absorb_probability(f.weight, 1);
        if (!is_constant(f.x)) return false;
        const Number& x = f.x->value;
        return f.family == Family::normal ? absorb_normal(x, f.parameters) : absorb_form(f.family, x, f.parameters);
    }

    /// A family whose likelihood is a beta's or a gamma's in one of its parameters.
    bool absorb_form(Family family, const Number& x, const std::vector<Term>& p) {
        if (!family->conjugate) return false;
        std::vector<std::optional<Number>> constants;
        for (const auto& term : p) constants.push_back(is_constant(term) ? std::optional(term->value) : std::nullopt);
        const auto form = family->conjugate(x, constants);
        if (!form) return false;
        for (std::size_t k = 0; k < p.size(); ++k)
            if (k != form->parameter && !constants[k]) return false;
        const Term& own = p[form->parameter];
        if (form->prior == ConjugateForm::Prior::beta) {
            if (!absorb_probability(own, rational(form->first)) || !absorb_probability(one_minus(own), rational(form->second)))
                return false;
        } else {
            const auto rate = rate_of(own);
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

    /// With a known mean, or one with its own prior, and sd = c / sqrt(precision).
    bool absorb_normal(const Number& x, const std::vector<Term>& p) {
        const auto scale = scale_of(p[1]);
        if (!scale) return false;
        Candidate* tau = find(scale->first);
        if (!tau || tau->role != PriorRole::gamma) return false;
        const Number weight = Number(1) / (scale->second * scale->second);
        evidence_.multiply_log(0.5 * weight.log() - 0.5 * log_2pi);
        if (is_constant(p[0])) {
            const Number d = x - p[0]->value;
            add_to_gamma(*tau, one_half, weight * d * d * Number(one_half));
            return true;
        }
        const auto mean = as_linear(p[0]);
        if (!mean || mean->coefficients.size() != 1 || mean->coefficients[0].second != Number(1)) return false;
        Candidate* mu = find(mean->coefficients[0].first);
        if (!mu || mu->role != PriorRole::mean || mu->precision != tau->variable) return false;
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
    std::string name(const Candidate& c) const { return part_.problem->name(c.variable); }

    Solved finish() {
        Posterior out;
        out.engine = Engine::conjugate;
        for (auto& c : candidates_) {
            if (c.role != PriorRole::mean) continue;
            Candidate& tau = *find(c.precision);
            const Number count = c.count + c.sum_weights;
            const Number mean = (c.count * c.centre + c.sum_weighted) / count;
            const Number spread = (c.count * c.centre * c.centre + c.sum_squares - count * mean * mean) * Number(one_half);
            tau.add_second += spread;
            evidence_.multiply_log(0.5 * (c.count.log() - count.log()));
            out.story.push_back(fmt::format("Prior: {} ~ normal({}, 1 / sqrt({} * {})), {} ~ gamma({}, {})", name(c), shown(c.centre),
                                            shown(c.count), name(tau), name(tau), shown(tau.first), shown(tau.second)));
            out.story.push_back(fmt::format("{} observations with mean {} and sum of squares {}: normal-gamma again,", c.terms,
                                            c.sum_weights.is_zero() ? "-" : shown(c.sum_weighted / c.sum_weights), shown(c.sum_squares)));
            out.story.push_back(
                fmt::format("  mean {}, weight {} + {} = {}", shown(mean), shown(c.count), shown(c.sum_weights), shown(count)));
            NormalGamma joint{c.variable, tau.variable, mean, count, 0, 0};
            out.normal_gammas.push_back(std::move(joint));
        }
        for (auto& c : candidates_) {
            if (c.role == PriorRole::mean) continue;
            if (auto fault = impossible_parameters(*c.prior, *part_.problem)) return *std::move(fault);
            if (c.role == PriorRole::prior || c.terms == 0) {
                std::vector<Number> numbers;
                for (const auto& term : c.prior->parameters) numbers.push_back(term->value);
                auto prior = TRY(make_distribution(c.prior->family, numbers));
                if (c.role == PriorRole::prior) {
                    // Something else leans on it, of which nothing here knows.
                    for (const auto& factor : part_.factors) {
                        if (&factor == c.prior) continue;
                        for (const auto& term : factor.parameters)
                            for (const auto v : variables_of(term))
                                if (v == c.variable) return std::optional<Posterior>();
                    }
                }
                out.marginals.emplace(c.variable, std::move(prior));
                out.story.push_back(fmt::format("No observation is relevant to {}: it keeps its prior.", name(c)));
                if (c.role == PriorRole::prior) continue;
            }
            const Number first = c.first + c.add_first;
            const Number second = c.second + c.add_second;
            if (c.role == PriorRole::beta) {
                evidence_.multiply_rising(c.first, rational(c.add_first), false);
                evidence_.multiply_rising(c.second, rational(c.add_second), false);
                evidence_.multiply_rising(c.first + c.second, rational(c.add_first + c.add_second), true);
            } else {
                rising_gamma(c, second);
            }
            auto posterior = TRY(c.role == PriorRole::beta ? make_beta(first, second) : make_gamma(first, second));
            if (c.terms > 0) {
                const std::string_view family = c.role == PriorRole::beta ? "beta" : "gamma";
                out.story.push_back(fmt::format("Prior: {} ~ {}({}, {})", name(c), family, shown(c.first), shown(c.second)));
                out.story.push_back(c.role == PriorRole::beta
                                        ? fmt::format("Likelihood: {0}^{1} * (1 - {0})^{2}, times what {0} is not in", name(c),
                                                      shown(c.add_first), shown(c.add_second))
                                        : fmt::format("Likelihood: {0}^{1} * exp(-{2} * {0}), times what {0} is not in", name(c),
                                                      shown(c.add_first), shown(c.add_second)));
                out.story.push_back(fmt::format("Posterior: {} ~ {}({} + {}, {} + {}) = {}({}, {})", name(c), family, shown(c.first),
                                                shown(c.add_first), shown(c.second), shown(c.add_second), family, shown(first),
                                                shown(second)));
            }
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
        return std::optional<Posterior>(std::move(out));
    }

    static Rational rational(const Number& n) { return n.is_exact() ? n.exact() : Rational::from_decimal(n.real()); }

    /// Γ(a + s) / Γ(a) · r^a / (r + t)^(a + s)
    void rising_gamma(const Candidate& c, const Number& rate) {
        evidence_.multiply_rising(c.first, rational(c.add_first), false);
        const auto shape = c.first.is_exact() ? c.first.exact().to_int64() : std::nullopt;
        const auto added = c.add_first.is_exact() ? c.add_first.exact().to_int64() : std::nullopt;
        if (shape && added && *shape + *added <= longest_product && c.second.is_exact() && rate.is_exact()) {
            evidence_.multiply((c.second.exact() / rate.exact()).pow(*shape));
            evidence_.multiply(rate.exact().pow(-*added));
        } else {
            evidence_.multiply_log(c.first.real() * (c.second.log() - rate.log()) - c.add_first.real() * rate.log());
        }
    }

    const Part& part_;
    std::vector<Candidate> candidates_;
    Evidence evidence_;
};

}  // namespace

Solved solve_conjugate(const Part& part, const Allowed&) { return Conjugate(part)(); }

const RealEngine conjugate_real_engine{
    .method = {"conjugate",
               {},
               "Uses priors that stay in their family after an observation, such as beta with binomial, gamma with poisson, and normal "
               "with normal.",
               "net Coin { theta ~ beta(2, 2); Heads ~ binomial(10, theta) }\nexpect P(theta | Heads = 7) by conjugate == beta(9, 5)"},
    .allowed = {.conjugate = true, .linear_gaussian = false, .quadrature = false},
    .refusal = "no conjugate pair covers this query"};

}  // namespace credence::rt::continuous
