// by map: the most probable point, and standard errors from the curvature of the log density there.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/sample/draws.hpp"
#include "runtime/continuous/sample/normal_approximation.hpp"
#include "runtime/prob/distributions/joint.hpp"

namespace credence::rt::continuous {

namespace {

class PeakAnswers {
public:
    PeakAnswers(const Unrolled& problem, const Query& query, Run& run) : problem_(problem), query_(query), run_(run) {}

    /// The density of the numbers themselves has to be highest somewhere, and curved downwards there.
    Status climb_up() {
        DensityForm form;
        form.slopes = false;
        target_ = TRY(log_posterior(problem_, run_, form));
        const std::size_t n = target_.numbers.size();
        if (n == 0)
            return Fault{.code = "E-ENGINE",
                         .message = "no unknown number has evidence here, so there is nothing to climb to",
                         .hint = "leave `by` out"};
        work_ = target_.tape.workspace();
        const LogGradient gradient = [&](std::span<const double> x, std::span<double> g) {
            return target_.tape.gradient(x, target_.output, work_, g);
        };
        Rng rng = run_.rng.child("map");
        auto summit = highest_point(n, gradient, rng, [&] { return run_.stopped(); });
        if (run_.stopped()) return stopped_fault();
        auto lower = summit ? cholesky(curvature_at(*summit, gradient)) : std::nullopt;
        if (!lower)
            return Fault{.code = "E-ENGINE",
                         .message = "the density has no highest point inside the ranges of the numbers",
                         .hint = "a spread of numbers that are unknown too can fall to 0, where their density has no bound: by nuts(4000)"};
        summit_ = *std::move(summit);
        lower_ = *std::move(lower);
        return Done{};
    }

    Result<Answer> number(const Term& term) {
        const auto slopes = TRY(slopes_of(term));
        Answer out = answer();
        out.value = Number::real(value_of(term, summit_.at));
        out.standard_error = Number::real(std::sqrt(covariance(slopes, slopes)));
        return out;
    }

    Result<Answer> distribution() {
        std::vector<Number> mean;
        std::vector<std::vector<double>> slopes;
        std::vector<std::string> names;
        for (const auto id : query_.targets.free) {
            const auto& variable = problem_.net->variables[index(id)].variable;
            const bool several = problem_.net->is_vector(problem_.net->visible[index(id)].node);
            if (variable.is_discrete() || several || !query_.targets.events.empty() || !query_.given.free.empty()) return no_answer();
            const Term& term = problem_.of_variable[index(id)];
            slopes.push_back(TRY(slopes_of(term)));
            mean.push_back(Number::real(value_of(term, summit_.at)));
            names.push_back(variable.name);
        }
        if (mean.empty()) return no_answer();
        Answer out = answer();
        if (mean.size() == 1) {
            out.value = TRY(make_normal(mean[0], Number::real(std::sqrt(covariance(slopes[0], slopes[0])))));
            return out;
        }
        std::vector<std::vector<Number>> matrix;
        for (const auto& a : slopes) {
            matrix.emplace_back();
            for (const auto& b : slopes) matrix.back().push_back(Number::real(covariance(a, b)));
        }
        auto made = TRY(make_multinormal(std::move(mean), std::move(matrix)));
        out.value = with_names(std::move(made), std::move(names));
        return out;
    }

private:
    Fault no_answer() const {
        return {.code = "E-ENGINE",
                .message = "by map estimates numbers, and this asks for something else",
                .origin = query_.origin,
                .label = "nuts can answer it",
                .hint = "ask for P(x | …) or E(x | …) of a number x"};
    }

    Answer answer() const {
        Answer out;
        out.engine = "map";
        out.exact = false;
        out.counts = {{"log_density", Number::real(summit_.height)}};
        return out;
    }

    double value_of(const Term& term, std::span<const double> u) {
        std::vector<double> row(problem_.instances.size(), 0.0);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = observed_value(problem_.instances[i]);
        (void)target_.tape.value(u, target_.output, work_);
        for (std::size_t k = 0; k < target_.numbers.size(); ++k) row[index(target_.numbers[k])] = work_.values[target_.x[k]];
        for (std::size_t i = 0; i < row.size(); ++i)
            if (problem_.instances[i].tied) row[i] = term_in(problem_, problem_.instances[i].tied, row);
        return term_in(problem_, term, row);
    }

    /// Along the unbounded scale, by central differences; a fault where the term depends on what the climb does not reach.
    Result<std::vector<double>> slopes_of(const Term& term) {
        for (const auto v : variables_of(term)) {
            const auto& instance = problem_.instances[index(v)];
            const bool reached = instance.tied || !instance.latent() ||
                                 std::find(target_.numbers.begin(), target_.numbers.end(), v) != target_.numbers.end();
            if (!reached)
                return Fault{.code = "E-ENGINE",
                             .message = fmt::format("by map estimates the numbers that the evidence bears on, and {} is not one of them",
                                                    instance.name),
                             .origin = query_.origin,
                             .hint = "by nuts(4000) draws it too"};
        }
        std::vector<double> out;
        std::vector<double> at = summit_.at;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double step = 1e-5 * (1 + std::abs(at[i]));
            at[i] = summit_.at[i] + step;
            const double more = value_of(term, at);
            at[i] = summit_.at[i] - step;
            const double less = value_of(term, at);
            at[i] = summit_.at[i];
            out.push_back((more - less) / (2 * step));
        }
        return out;
    }

    /// aᵀ H⁻¹ b with H = L Lᵀ.
    double covariance(std::span<const double> a, std::span<const double> b) const {
        const auto solved = [&](std::span<const double> x) {
            std::vector<double> out(x.begin(), x.end());
            for (std::size_t i = 0; i < out.size(); ++i) {
                for (std::size_t k = 0; k < i; ++k) out[i] -= lower_(i, k) * out[k];
                out[i] /= lower_(i, i);
            }
            return out;
        };
        const auto x = solved(a);
        const auto y = solved(b);
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
        return sum;
    }

    const Unrolled& problem_;
    const Query& query_;
    Run& run_;
    LogPosterior target_;
    Tape::Workspace work_;
    Summit summit_;
    Matrix lower_;  // of the curvature
};

}  // namespace

Result<Answer> ask_by_map(const Unrolled& problem, const Query& query, Run& run) {
    PeakAnswers peak(problem, query, run);
    TRY(peak.climb_up());
    return peak.distribution();
}

Result<Answer> expectation_by_map(const Unrolled& problem, const Term& term, const Query& query, Run& run) {
    PeakAnswers peak(problem, query, run);
    TRY(peak.climb_up());
    return peak.number(term);
}

const RealEngine map_real_engine{
    .method =
        {"map",
         {},
         "The most probable values of the unknown numbers, taken together, with standard errors from the curvature of the log density "
         "there. E gives the value, P the normal distribution with that mean and standard error.",
         "net Coin { theta ~ beta(2, 2); Heads ~ binomial(10, theta) }\n"
         "expect E(theta | Heads = 7) by map == 8/12 within 1e-6"},
    .exact = false,
    .peak = true};

}  // namespace credence::rt::continuous
