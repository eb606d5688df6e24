#include "runtime/latent/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace credence::rt {

namespace {

/// Fractions pay up to here: products of one pass over the sequence.
constexpr std::size_t most_exact_hmm_products = 20'000;

bool solve_exactly(const Hmm& hmm, const Sequence& sequence, const Run& run) {
    const std::size_t k = hmm.states->size();
    return run.numbers != NumberMode::real && hmm.is_exact() && sequence.size() * k * k <= most_exact_hmm_products;
}

Fault impossible_at(const Hmm& hmm, std::size_t t) {
    return {.code = "E-ZERO",
            .message = fmt::format("the observations are impossible in {}: none of its states can give number {} after the ones before",
                                   hmm.name, t + 1)};
}

/// The forward pass in fractions, normalised a step; `scale` gets P(o_t | o_1 … o_t−1).
struct ExactPass {
    std::vector<std::vector<Rational>> filtered;
    std::vector<Rational> scale;
    std::size_t bits = 0;
};

std::vector<Rational> exact_emission(const Hmm& hmm, const Sequence& s, std::size_t t) {
    std::vector<Rational> out(hmm.states->size(), Rational(1));
    if (s.codes[t] < 0) return out;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = hmm.emit[j].shares[static_cast<std::size_t>(s.codes[t])].exact();
    return out;
}

Result<ExactPass> exact_forward(const Hmm& hmm, const Sequence& s) {
    const std::size_t k = hmm.states->size();
    ExactPass out;
    for (std::size_t t = 0; t < s.size(); ++t) {
        std::vector<Rational> now(k);
        for (std::size_t j = 0; j < k; ++j) {
            if (t == 0) {
                now[j] = hmm.start[j].exact();
                continue;
            }
            for (std::size_t i = 0; i < k; ++i) now[j] += out.filtered[t - 1][i] * hmm.move[i][j].exact();
        }
        const auto emission = exact_emission(hmm, s, t);
        Rational sum;
        for (std::size_t j = 0; j < k; ++j) {
            now[j] *= emission[j];
            sum += now[j];
        }
        if (sum.is_zero()) return impossible_at(hmm, t);
        for (auto& p : now) {
            p /= sum;
            out.bits = std::max(out.bits, p.bits());
        }
        out.filtered.push_back(std::move(now));
        out.scale.push_back(std::move(sum));
    }
    return out;
}

std::vector<Number> flattened(const std::vector<std::vector<Rational>>& steps) {
    std::vector<Number> out;
    for (const auto& step : steps)
        for (const auto& p : step) out.emplace_back(p);
    return out;
}

std::vector<Number> reals(std::span<const double> values) {
    std::vector<Number> out;
    out.reserve(values.size());
    for (const double v : values) out.push_back(Number::real(v));
    return out;
}

/// The forward pass in doubles; ln P(observations), or the step at which they became impossible.
struct RealPass {
    std::vector<double> filtered;
    double log = 0;
    std::optional<std::size_t> impossible;
};

RealPass real_forward(const Hmm& hmm, const HmmArrays& a, const Sequence& s) {
    const std::size_t k = a.states;
    RealPass out;
    out.filtered.resize(s.size() * k);
    std::vector<double> emission(k);
    for (std::size_t t = 0; t < s.size(); ++t) {
        double* now = &out.filtered[t * k];
        if (t == 0) {
            std::copy(a.start.begin(), a.start.end(), now);
        } else {
            const double* before = now - k;
            std::fill(now, now + k, 0.0);
            for (std::size_t i = 0; i < k; ++i) {
                const double p = before[i];
                const double* row = &a.move[i * k];
                for (std::size_t j = 0; j < k; ++j) now[j] += p * row[j];
            }
        }
        emission_row(hmm, a, s, t, emission, out.log);
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += now[j] *= emission[j];
        if (!(sum > 0)) {
            out.impossible = t;
            return out;
        }
        for (std::size_t j = 0; j < k; ++j) now[j] /= sum;
        out.log += std::log(sum);
    }
    return out;
}

}  // namespace

HmmArrays arrays_of(const Hmm& hmm) {
    HmmArrays out;
    out.states = hmm.states->size();
    for (const auto& p : hmm.start) out.start.push_back(p.real());
    for (const auto& row : hmm.move)
        for (const auto& p : row) out.move.push_back(p.real());
    for (std::size_t s = 0; hmm.symbols && s < hmm.symbols->size(); ++s)
        for (const auto& e : hmm.emit) out.emit.push_back(e.shares[s].real());
    return out;
}

void emission_row(const Hmm& hmm, const HmmArrays& arrays, const Sequence& sequence, std::size_t t, std::span<double> out, double& shift) {
    if (hmm.symbols) {
        const auto code = sequence.codes[t];
        if (code < 0)
            std::fill(out.begin(), out.end(), 1.0);
        else
            std::copy_n(arrays.emit.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(code) * arrays.states), arrays.states,
                        out.begin());
        return;
    }
    if (std::isnan(sequence.values[t])) {
        std::fill(out.begin(), out.end(), 1.0);
        return;
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] = hmm.emit[j].density->log_pdf(Outcome(Number::real(sequence.values[t])));
        largest = std::max(largest, out[j]);
    }
    if (std::isinf(largest)) {
        std::fill(out.begin(), out.end(), 0.0);
        return;
    }
    for (double& p : out) p = std::exp(p - largest);
    shift += largest;
}

Result<std::vector<Number>> hmm_filter(const Hmm& hmm, const Sequence& sequence, Run& run) {
    if (solve_exactly(hmm, sequence, run)) {
        auto pass = exact_forward(hmm, sequence);
        if (!pass) return std::move(pass).fault();
        if (run.numbers == NumberMode::exact || pass->bits <= run.limits.exact_bits) return flattened(pass->filtered);
    }
    const RealPass pass = real_forward(hmm, arrays_of(hmm), sequence);
    if (pass.impossible) return impossible_at(hmm, *pass.impossible);
    return reals(pass.filtered);
}

Result<std::vector<Number>> hmm_smooth(const Hmm& hmm, const Sequence& sequence, Run& run) {
    const std::size_t k = hmm.states->size();
    if (solve_exactly(hmm, sequence, run)) {
        auto pass = exact_forward(hmm, sequence);
        if (!pass) return std::move(pass).fault();
        std::vector<Rational> back(k, Rational(1));
        std::vector<std::vector<Rational>> out = pass->filtered;
        for (std::size_t t = sequence.size(); t-- > 0;) {
            for (std::size_t j = 0; j < k; ++j) out[t][j] *= back[j];
            if (t == 0) break;
            const auto emission = exact_emission(hmm, sequence, t);
            std::vector<Rational> before(k);
            for (std::size_t i = 0; i < k; ++i) {
                for (std::size_t j = 0; j < k; ++j) before[i] += hmm.move[i][j].exact() * emission[j] * back[j];
                before[i] /= pass->scale[t];
            }
            back = std::move(before);
        }
        return flattened(out);
    }
    const HmmArrays a = arrays_of(hmm);
    std::vector<double> emissions(sequence.size() * k);
    double shift = 0;
    for (std::size_t t = 0; t < sequence.size(); ++t) emission_row(hmm, a, sequence, t, std::span(emissions).subspan(t * k, k), shift);
    std::vector<double> posterior(sequence.size() * k);
    const double log = forward_backward(a, emissions, sequence.size(), posterior, {});
    if (std::isinf(log)) return impossible_at(hmm, *real_forward(hmm, a, sequence).impossible);
    return reals(posterior);
}

Result<std::vector<Number>> hmm_ahead(const Hmm& hmm, const Sequence& sequence, std::size_t steps, Run& run) {
    const std::size_t k = hmm.states->size();
    std::vector<Number> now = hmm.start;
    std::size_t moves = steps == 0 ? 0 : steps - 1;  // before anything was seen, the first step is the start
    if (sequence.size() > 0) {
        auto filtered = hmm_filter(hmm, sequence, run);
        if (!filtered) return filtered;
        now.assign(filtered->end() - static_cast<std::ptrdiff_t>(k), filtered->end());
        moves = steps;
    }
    for (std::size_t s = 0; s < moves; ++s) {
        std::vector<Number> next(k);
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j) next[j] += now[i] * hmm.move[i][j];
        now = std::move(next);
        if (now[0].is_exact() && now[0].exact().bits() > run.limits.exact_bits && run.numbers != NumberMode::exact)
            for (auto& p : now) p = Number::real(p.real());
    }
    return now;
}

Result<HmmLikelihood> hmm_likelihood(const Hmm& hmm, const Sequence& sequence, Run& run) {
    HmmLikelihood out;
    if (solve_exactly(hmm, sequence, run)) {
        auto pass = exact_forward(hmm, sequence);
        if (!pass && pass.fault().code != "E-ZERO") return std::move(pass).fault();
        Rational product(pass ? 1 : 0);
        for (std::size_t t = 0; pass && t < pass->scale.size(); ++t) product *= pass->scale[t];
        out.log = product.is_zero() ? -std::numeric_limits<double>::infinity() : product.log();
        out.exact = std::move(product);
        return out;
    }
    const RealPass pass = real_forward(hmm, arrays_of(hmm), sequence);
    out.log = pass.impossible ? -std::numeric_limits<double>::infinity() : pass.log;
    return out;
}

Result<HmmPath> hmm_viterbi(const Hmm& hmm, const Sequence& sequence, Run& run) {
    const std::size_t k = hmm.states->size();
    const std::size_t n = sequence.size();
    const bool exact = solve_exactly(hmm, sequence, run);
    const HmmArrays a = arrays_of(hmm);
    constexpr double never = -std::numeric_limits<double>::infinity();
    std::vector<double> log_move(k * k);
    for (std::size_t i = 0; i < k * k; ++i) log_move[i] = std::log(a.move[i]);
    std::vector<std::uint32_t> from(n * k);
    std::vector<double> best(k);
    std::vector<double> next(k);
    std::vector<Rational> exact_best(exact ? k : 0);
    std::vector<Rational> exact_next(exact ? k : 0);
    std::vector<double> emission(k);
    double shift = 0;
    for (std::size_t t = 0; t < n; ++t) {
        emission_row(hmm, a, sequence, t, emission, shift);
        const auto fractions = exact ? exact_emission(hmm, sequence, t) : std::vector<Rational>{};
        for (std::size_t j = 0; j < k; ++j) {
            if (t == 0) {
                next[j] = std::log(a.start[j]) + std::log(emission[j]);
                if (exact) exact_next[j] = hmm.start[j].exact() * fractions[j];
                continue;
            }
            std::size_t arg = 0;
            if (exact) {
                Rational top = exact_best[0] * hmm.move[0][j].exact();
                for (std::size_t i = 1; i < k; ++i) {
                    Rational p = exact_best[i] * hmm.move[i][j].exact();
                    if (top < p) {
                        top = std::move(p);
                        arg = i;
                    }
                }
                exact_next[j] = top * fractions[j];
            } else {
                for (std::size_t i = 1; i < k; ++i)
                    if (best[i] + log_move[i * k + j] > best[arg] + log_move[arg * k + j]) arg = i;
            }
            next[j] = best[arg] + log_move[arg * k + j] + std::log(emission[j]);
            from[t * k + j] = static_cast<std::uint32_t>(arg);
        }
        std::swap(best, next);
        std::swap(exact_best, exact_next);
        if (std::all_of(best.begin(), best.end(), [](double p) { return p == never; })) return impossible_at(hmm, t);
    }
    HmmPath out;
    if (n == 0) {
        out.exact = Rational(1);
        return out;
    }
    std::size_t last = 0;
    for (std::size_t j = 1; j < k; ++j)
        if (exact ? exact_best[last] < exact_best[j] : best[j] > best[last]) last = j;
    out.log = best[last] + shift;
    if (exact) out.exact = exact_best[last];
    out.states.resize(n);
    for (std::size_t t = n; t-- > 0;) {
        out.states[t] = static_cast<std::int32_t>(last);
        last = from[t * k + last];
    }
    return out;
}

double forward_backward(const HmmArrays& a, std::span<const double> emissions, std::size_t steps, std::span<double> posterior,
                        std::span<double> expected_moves) {
    const std::size_t k = a.states;
    std::vector<double> scale(steps);
    double log = 0;
    for (std::size_t t = 0; t < steps; ++t) {
        double* now = &posterior[t * k];
        const double* emission = &emissions[t * k];
        if (t == 0) {
            std::copy(a.start.begin(), a.start.end(), now);
        } else {
            const double* before = now - k;
            std::fill(now, now + k, 0.0);
            for (std::size_t i = 0; i < k; ++i) {
                const double p = before[i];
                const double* row = &a.move[i * k];
                for (std::size_t j = 0; j < k; ++j) now[j] += p * row[j];
            }
        }
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += now[j] *= emission[j];
        if (!(sum > 0)) return -std::numeric_limits<double>::infinity();
        const double inverse = 1 / sum;
        for (std::size_t j = 0; j < k; ++j) now[j] *= inverse;
        scale[t] = sum;
        log += std::log(sum);
    }
    std::vector<double> back(k, 1.0);
    std::vector<double> weighted(k);
    std::vector<double> before(k);
    for (std::size_t t = steps; t-- > 0;) {
        double* now = &posterior[t * k];
        if (t + 1 < steps) {
            const double* emission = &emissions[(t + 1) * k];
            const double inverse = 1 / scale[t + 1];
            for (std::size_t j = 0; j < k; ++j) weighted[j] = emission[j] * back[j] * inverse;
            for (std::size_t i = 0; i < k; ++i) {
                const double* row = &a.move[i * k];
                double sum = 0;
                for (std::size_t j = 0; j < k; ++j) sum += row[j] * weighted[j];
                before[i] = sum;
            }
            if (!expected_moves.empty())
                for (std::size_t i = 0; i < k; ++i)
                    for (std::size_t j = 0; j < k; ++j) expected_moves[i * k + j] += now[i] * a.move[i * k + j] * weighted[j];
            std::swap(back, before);
        }
        for (std::size_t j = 0; j < k; ++j) now[j] *= back[j];
    }
    return log;
}

}  // namespace credence::rt
