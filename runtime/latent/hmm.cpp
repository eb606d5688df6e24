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
            .message = fmt::format("the observations are impossible under {}: no state that can be reached at step {} emits observation {}",
                                   hmm.name, t + 1, t + 1)};
}

/// The forward pass in fractions, normalised a step; `scale` gets P(o_t | o_1 … o_t−1).
struct ExactPass {
    std::vector<std::vector<Rational>> filtered;
    std::vector<Rational> scale;
    std::size_t bits = 0;
};

std::vector<Rational> exact_emission(const Hmm& hmm, const Sequence& s, std::size_t t) {
    std::vector<Rational> out(hmm.states->size(), Rational(1));
    for (std::size_t j = 0; s.codes[t] >= 0 && j < out.size(); ++j)
        out[j] = hmm.emit[j].shares[static_cast<std::size_t>(s.codes[t])].exact();
    for (std::size_t j = 0; j < out.size(); ++j)
        if (!s.can_be(t, j)) out[j] = Rational(0);
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

HmmShares flattened(std::size_t k, std::vector<std::vector<Rational>>&& steps) {
    HmmShares out;
    out.states = k;
    for (auto& step : steps)
        for (auto& p : step) out.exact.push_back(std::move(p));
    return out;
}

/// The emissions of a sequence: rows of the table of symbols where they are, computed step by step otherwise.
class EmissionRows {
public:
    EmissionRows(const Hmm& hmm, const HmmArrays& a, const Sequence& s) : arrays_(&a), sequence_(&s), ones_(a.states, 1.0) {
        if (hmm.symbols && s.states.empty()) return;
        densities_.resize(s.size() * a.states);
        for (std::size_t t = 0; t < s.size(); ++t)
            emission_row(hmm, a, s, t, std::span(densities_).subspan(t * a.states, a.states), shift_);
    }
    EmissionRow row() const {
        const std::size_t k = arrays_->states;
        if (!densities_.empty()) return [this, k](std::size_t t) { return densities_.data() + t * k; };
        return [this, k](std::size_t t) {
            const auto code = sequence_->codes[t];
            return code < 0 ? ones_.data() : arrays_->emit.data() + static_cast<std::size_t>(code) * k;
        };
    }
    double shift() const { return shift_; }

private:
    const HmmArrays* arrays_;
    const Sequence* sequence_;
    std::vector<double> ones_;
    std::vector<double> densities_;
    double shift_ = 0;
};

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

namespace {

void any_state(const Hmm& hmm, const HmmArrays& arrays, const Sequence& sequence, std::size_t t, std::span<double> out, double& shift) {
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
        out[j] = hmm.emit[j].density.given->log_pdf(Outcome(Number::real(sequence.values[t])));
        largest = std::max(largest, out[j]);
    }
    if (std::isinf(largest)) {
        std::fill(out.begin(), out.end(), 0.0);
        return;
    }
    for (double& p : out) p = std::exp(p - largest);
    shift += largest;
}

}  // namespace

void emission_row(const Hmm& hmm, const HmmArrays& arrays, const Sequence& sequence, std::size_t t, std::span<double> out, double& shift) {
    any_state(hmm, arrays, sequence, t, out, shift);
    for (std::size_t j = 0; j < out.size(); ++j)
        if (!sequence.can_be(t, j)) out[j] = 0;
}

Factor HmmShares::step(std::size_t t, const Variable& state) const {
    const auto from = static_cast<std::ptrdiff_t>(t * states);
    const auto to = static_cast<std::ptrdiff_t>((t + 1) * states);
    if (!exact.empty()) return Factor({state}, std::vector<Rational>(exact.begin() + from, exact.begin() + to));
    return Factor({state}, std::vector<double>(real.begin() + from, real.begin() + to));
}

Result<HmmShares> hmm_filter(const Hmm& hmm, const Sequence& sequence, Run& run) {
    const std::size_t k = hmm.states->size();
    if (solve_exactly(hmm, sequence, run)) {
        auto pass = TRY(exact_forward(hmm, sequence));
        if (run.numbers == NumberMode::exact || pass.bits <= run.limits.exact_bits) return flattened(k, std::move(pass.filtered));
    }
    const HmmArrays a = arrays_of(hmm);
    const EmissionRows emissions(hmm, a, sequence);
    HmmShares out;
    out.states = k;
    out.real.resize(sequence.size() * k);
    const HmmForward pass = hmm_forward(a, sequence.size(), emissions.row(), out.real, {});
    if (pass.impossible) return impossible_at(hmm, *pass.impossible);
    return out;
}

Result<HmmShares> hmm_smooth(const Hmm& hmm, const Sequence& sequence, Run& run) {
    const std::size_t k = hmm.states->size();
    if (solve_exactly(hmm, sequence, run)) {
        auto pass = TRY(exact_forward(hmm, sequence));
        std::vector<Rational> back(k, Rational(1));
        std::vector<std::vector<Rational>> out = pass.filtered;
        for (std::size_t t = sequence.size(); t-- > 0;) {
            for (std::size_t j = 0; j < k; ++j) out[t][j] *= back[j];
            if (t == 0) break;
            const auto emission = exact_emission(hmm, sequence, t);
            std::vector<Rational> before(k);
            for (std::size_t i = 0; i < k; ++i) {
                for (std::size_t j = 0; j < k; ++j) before[i] += hmm.move[i][j].exact() * emission[j] * back[j];
                before[i] /= pass.scale[t];
            }
            back = std::move(before);
        }
        return flattened(k, std::move(out));
    }
    const HmmArrays a = arrays_of(hmm);
    const EmissionRows emissions(hmm, a, sequence);
    const EmissionRow row = emissions.row();
    HmmShares out;
    out.states = k;
    out.real.resize(sequence.size() * k);
    std::vector<double> scale(sequence.size());
    const HmmForward pass = hmm_forward(a, sequence.size(), row, out.real, scale);
    if (pass.impossible) return impossible_at(hmm, *pass.impossible);
    hmm_backward(a, sequence.size(), row, scale, out.real, {});
    return out;
}

Result<std::vector<Number>> hmm_ahead(const Hmm& hmm, const Sequence& sequence, std::size_t steps, Run& run) {
    const std::size_t k = hmm.states->size();
    std::vector<Number> now = hmm.start;
    std::size_t moves = steps == 0 ? 0 : steps - 1;  // before anything was seen, the first step is the start
    if (sequence.size() > 0) {
        auto filtered = TRY(hmm_filter(hmm, sequence, run));
        for (std::size_t j = 0; j < k; ++j) now[j] = filtered[filtered.size() - k + j];
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
    const HmmArrays a = arrays_of(hmm);
    const EmissionRows emissions(hmm, a, sequence);
    std::vector<double> filtered(sequence.size() * a.states);
    out.log = hmm_forward(a, sequence.size(), emissions.row(), filtered, {}).log + emissions.shift();
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

}  // namespace credence::rt
