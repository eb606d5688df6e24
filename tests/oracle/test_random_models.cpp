// Random small models of numbers, each of a structure whose posterior this file computes on its own: by the conditional of a joint normal,
// or on a dense grid. Every engine that answers must agree with it, exact ones to rounding and NUTS within five of its standard errors.
// `oracle_tests "[long]"` runs 500.

#include <cmath>
#include <functional>
#include <numeric>

#include <catch2/catch.hpp>

#include "runtime/core/linalg.hpp"
#include "tests/support/continuous_nets.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

namespace {

struct Moments {
    double mean = 0;
    double sd = 0;
};

struct Problem {
    std::string text;  ///< what it is, for messages
    NetWriter net;
    std::vector<Event> seen;
    std::vector<VarId> asked;
    std::vector<Moments> reference;  ///< of the asked ones
    double tolerance = 1e-8;         ///< of the reference, relative to the sd
    bool has_exact = true;           ///< an exact engine is expected to answer

    void observe(VarId v, double x) { seen.push_back(observed(v, x)); }
    void observe(VarId v, bool x) { seen.push_back(observed(v, x)); }
};

double rounded(double x) { return std::round(100 * x) / 100; }

// --- densities, written out once more

double ln_normal(double x, double m, double s) { return -0.5 * (x - m) * (x - m) / (s * s) - std::log(s); }
double ln_gamma_density(double x, double a, double b) { return (a - 1) * std::log(x) - b * x; }
double ln_beta_density(double x, double a, double b) { return (a - 1) * std::log(x) + (b - 1) * std::log(1 - x); }
double ln_poisson(double k, double rate) { return k * std::log(rate) - rate; }
double ln_student(double x, double nu, double m, double s) {
    return -0.5 * (nu + 1) * std::log1p((x - m) * (x - m) / (nu * s * s)) - std::log(s);
}

/// Moments on a grid of one number, by the midpoint rule; `x` maps 0 … 1 to its range, `slope` is the derivative.
struct Axis {
    std::function<double(double)> x;
    std::function<double(double)> slope;
};
Axis line(double centre, double scale) {
    // x = centre + scale · t / (1 − t²): all of the line.
    return {[=](double u) {
                const double t = 2 * u - 1;
                return centre + scale * t / (1 - t * t);
            },
            [=](double u) {
                const double t = 2 * u - 1;
                return 2 * scale * (1 + t * t) / ((1 - t * t) * (1 - t * t));
            }};
}
Axis half_line(double scale) {
    return {[=](double u) { return scale * u * u / ((1 - u) * (1 - u)); },
            [=](double u) { return 2 * scale * u / ((1 - u) * (1 - u) * (1 - u)); }};
}
Axis unit() {
    // Smooth at both ends, so that the midpoint rule loses nothing there.
    return {[](double u) { return u * u * u * (10 - 15 * u + 6 * u * u); }, [](double u) { return 30 * u * u * (1 - u) * (1 - u); }};
}

/// Several numbers on a grid, with ln of their joint density: the moments of each.
std::vector<Moments> on_grid(const std::vector<Axis>& axes, std::size_t points,
                             const std::function<double(const std::vector<double>&)>& ln) {
    std::vector<std::vector<double>> at(axes.size());
    std::vector<std::vector<double>> slopes(axes.size());
    for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t i = 0; i < points; ++i) {
            const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
            at[a].push_back(axes[a].x(u));
            slopes[a].push_back(std::log(axes[a].slope(u)));
        }
    std::size_t cells = 1;
    for (std::size_t a = 0; a < axes.size(); ++a) cells *= points;
    std::vector<double> logs(cells);
    std::vector<double> x(axes.size());
    const auto place = [&](std::size_t cell, std::size_t a) { return a == 0 ? cell % points : cell / points; };
    for (std::size_t cell = 0; cell < cells; ++cell) {
        double log = 0;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            x[a] = at[a][place(cell, a)];
            log += slopes[a][place(cell, a)];
        }
        log += ln(x);
        logs[cell] = std::isnan(log) ? -INFINITY : log;
    }
    const double high = *std::max_element(logs.begin(), logs.end());
    std::vector<Moments> out(axes.size());
    double total = 0;
    for (auto& log : logs) total += (log = std::exp(log - high));
    for (std::size_t a = 0; a < axes.size(); ++a) {
        for (std::size_t cell = 0; cell < cells; ++cell) out[a].mean += logs[cell] * at[a][place(cell, a)] / total;
        double square = 0;
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const double away = at[a][place(cell, a)] - out[a].mean;
            square += logs[cell] * away * away / total;
        }
        out[a].sd = std::sqrt(square);
    }
    return out;
}

// --- structures

/// Normals with linear means and known spreads, some of them observed: the conditional of the joint normal.
Problem linear_normals(Rng& rng) {
    Problem out;
    out.text = "linear normals";
    const std::size_t n = 3 + rng.below(6);
    Matrix cov(n, n);
    std::vector<double> m(n);
    for (std::size_t i = 0; i < n; ++i) {
        m[i] = rounded(2 * rng.normal());
        Term location = num(m[i]);
        const double s = 0.3 + rounded(2 * rng.uniform());
        std::vector<double> b(i, 0.0);
        for (std::size_t j = 0; j < i; ++j) {
            if (rng.uniform() < 0.4) continue;
            b[j] = rounded(rng.normal());
            location = location + num(b[j]) * var(static_cast<VarId>(j));
            m[i] += b[j] * m[j];
        }
        for (std::size_t k = 0; k < i; ++k) {
            for (std::size_t j = 0; j < i; ++j) cov(i, k) += b[j] * cov(j, k);
            cov(k, i) = cov(i, k);
        }
        cov(i, i) = s * s;
        for (std::size_t j = 0; j < i; ++j) cov(i, i) += b[j] * cov(i, j);
        out.net.drawn("x" + std::to_string(i), Family::normal, {location, num(s)});
    }
    // The last ones are observed: m_a + C_ab C_bb⁻¹ (x − m_b), by the Cholesky factor of C_bb.
    const std::size_t hidden = 1 + rng.below(n - 1);
    const std::size_t known = n - hidden;
    Matrix c(known, known);
    std::vector<double> away;
    for (std::size_t i = 0; i < known; ++i) {
        const double x = rounded(m[hidden + i] + std::sqrt(cov(hidden + i, hidden + i)) * rng.normal());
        out.observe(static_cast<VarId>(hidden + i), x);
        away.push_back(x - m[hidden + i]);
        for (std::size_t j = 0; j < known; ++j) c(i, j) = cov(hidden + i, hidden + j);
    }
    const auto root = cholesky(c);
    REQUIRE(root);
    const auto solved = [&](std::vector<double> v) {  // L⁻¹ v
        for (std::size_t i = 0; i < known; ++i) {
            for (std::size_t j = 0; j < i; ++j) v[i] -= (*root)(i, j) * v[j];
            v[i] /= (*root)(i, i);
        }
        return v;
    };
    const auto z = solved(away);
    for (std::size_t a = 0; a < hidden; ++a) {
        std::vector<double> row(known);
        for (std::size_t i = 0; i < known; ++i) row[i] = cov(a, hidden + i);
        const auto w = solved(row);
        out.asked.push_back(static_cast<VarId>(a));
        out.reference.push_back({m[a] + std::inner_product(w.begin(), w.end(), z.begin(), 0.0),
                                 std::sqrt(cov(a, a) - std::inner_product(w.begin(), w.end(), w.begin(), 0.0))});
    }
    return out;
}

/// One number and data that it is conjugate to, or nearly.
Problem one_number(Rng& rng) {
    Problem out;
    const std::size_t n = 1 + rng.below(6);
    const double a = 1 + rounded(4 * rng.uniform());
    const double b = 1 + rounded(4 * rng.uniform());
    std::vector<double> y;
    const auto kind = rng.below(5);
    const auto plate = [&](Family family, const std::function<std::vector<Term>()>& parameters, const std::function<double()>& draw) {
        for (std::size_t i = 0; i < n; ++i) {
            const VarId v = out.net.drawn("y" + std::to_string(i), family, parameters());
            y.push_back(draw());
            out.observe(v, y.back());
        }
    };
    constexpr std::size_t points = 20'000;
    VarId x{};
    if (kind == 0) {
        out.text = "beta and binomial";
        x = out.net.drawn("x", Family::beta, {num(a), num(b)});
        plate(
            Family::binomial,
            [&] {
                return std::vector{num(10), var(x)};
            },
            [&] { return static_cast<double>(rng.below(11)); });
        out.reference = on_grid({unit()}, points, [&](const auto& at) {
            double log = ln_beta_density(at[0], a, b);
            for (const double k : y) log += k * std::log(at[0]) + (10 - k) * std::log(1 - at[0]);
            return log;
        });
    } else if (kind == 1) {
        out.text = "gamma and poisson";
        x = out.net.drawn("x", Family::gamma, {num(a), num(b)});
        plate(
            Family::poisson, [&] { return std::vector{var(x)}; }, [&] { return static_cast<double>(rng.below(6)); });
        out.reference = on_grid({half_line(1)}, points, [&](const auto& at) {
            double log = ln_gamma_density(at[0], a, b);
            for (const double k : y) log += ln_poisson(k, at[0]);
            return log;
        });
    } else if (kind == 2) {
        out.text = "gamma and exponential";
        x = out.net.drawn("x", Family::gamma, {num(a), num(b)});
        plate(
            Family::exponential, [&] { return std::vector{var(x)}; }, [&] { return 0.1 + rounded(3 * rng.uniform()); });
        out.reference = on_grid({half_line(1)}, points, [&](const auto& at) {
            double log = ln_gamma_density(at[0], a, b);
            for (const double t : y) log += std::log(at[0]) - at[0] * t;
            return log;
        });
    } else if (kind == 3) {
        out.text = "lognormal and poisson";
        x = out.net.drawn("x", Family::lognormal, {num(rounded(rng.normal())), num(b)});
        const double m = out.net.net().nodes[0].parameters[0]->value.real();
        plate(
            Family::poisson, [&] { return std::vector{var(x)}; }, [&] { return static_cast<double>(rng.below(6)); });
        out.reference = on_grid({half_line(1)}, points, [&](const auto& at) {
            double log = ln_normal(std::log(at[0]), m, b) - std::log(at[0]);
            for (const double k : y) log += ln_poisson(k, at[0]);
            return log;
        });
    } else {
        out.text = "normal and student_t";
        const double m = rounded(rng.normal());
        x = out.net.drawn("x", Family::normal, {num(m), num(a)});
        plate(
            Family::student_t,
            [&] {
                return std::vector{num(4), var(x), num(b)};
            },
            [&] { return rounded(m + 3 * rng.normal()); });
        out.reference = on_grid({line(m, a)}, points, [&](const auto& at) {
            double log = ln_normal(at[0], m, a);
            for (const double v : y) log += ln_student(v, 4, at[0], b);
            return log;
        });
    }
    out.asked = {x};
    return out;
}

/// A mean and a spread, with data.
Problem mean_and_spread(Rng& rng) {
    Problem out;
    out.text = "mean and spread";
    const std::size_t n = 3 + rng.below(6);
    const double m = rounded(2 * rng.normal());
    const double wide = 1 + rounded(3 * rng.uniform());
    const double shape = 2 + rounded(2 * rng.uniform());
    const bool heavy = rng.uniform() < 0.3;
    const VarId mu = out.net.drawn("mu", Family::normal, {num(m), num(wide)});
    const VarId s = out.net.drawn("s", Family::gamma, {num(shape), num(1)});
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) {
        const std::string name = "y" + std::to_string(i);
        y.push_back(rounded(m + 2 * rng.normal()));
        out.observe(heavy ? out.net.drawn(name, Family::student_t, {num(5), var(mu), var(s)})
                          : out.net.drawn(name, Family::normal, {var(mu), var(s)}),
                    y.back());
    }
    out.reference = on_grid({line(m, wide), half_line(1)}, 700, [&](const auto& at) {
        double log = ln_normal(at[0], m, wide) + ln_gamma_density(at[1], shape, 1);
        for (const double v : y) log += heavy ? ln_student(v, 5, at[0], at[1]) : ln_normal(v, at[0], at[1]);
        return log;
    });
    out.asked = {mu, s};
    out.tolerance = 1e-6;
    return out;
}

/// An intercept and a slope, with labels or counts.
Problem regression(Rng& rng) {
    Problem out;
    const bool labels = rng.uniform() < 0.5;
    out.text = labels ? "logistic regression" : "rates";
    const std::size_t n = 4 + rng.below(8);
    const double wide = 0.5 + rounded(rng.uniform());
    const VarId a = out.net.drawn("a", Family::normal, {num(0), num(wide)});
    const VarId b = out.net.drawn("b", Family::normal, {num(0), num(wide)});
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) {
        x.push_back(rounded(rng.normal()));
        const Term eta = var(a) + num(x[i]) * var(b);
        const std::string name = "y" + std::to_string(i);
        if (labels) {
            const bool value = rng.uniform() < 0.5;
            out.observe(out.net.drawn(name, Family::bernoulli, {make_term(TermOp::logistic, {eta})}), value);
            y.push_back(value ? 1 : 0);
        } else {
            y.push_back(static_cast<double>(rng.below(4)));
            out.observe(out.net.drawn(name, Family::poisson, {make_term(TermOp::exp, {eta})}), y.back());
        }
    }
    out.reference = on_grid({line(0, wide), line(0, wide)}, 500, [&](const auto& at) {
        double log = ln_normal(at[0], 0, wide) + ln_normal(at[1], 0, wide);
        for (std::size_t i = 0; i < n; ++i) {
            const double eta = at[0] + at[1] * x[i];
            log += labels ? -std::log1p(std::exp(y[i] == 1 ? -eta : eta)) : y[i] * eta - std::exp(eta);
        }
        return log;
    });
    out.asked = {a, b};
    out.tolerance = 1e-6;
    out.has_exact = labels;  // quadrature refuses some of the rates, which grow without bound
    return out;
}

/// Two levels, and for each observation a hidden label that says which: both summed over on the grid.
Problem hidden_labels(Rng& rng) {
    Problem out;
    out.text = "labels with numbers";
    const std::size_t n = 2 + rng.below(4);
    const double share = 0.2 + rounded(0.6 * rng.uniform());
    const double s = 0.5 + rounded(rng.uniform());
    const VarId low = out.net.drawn("low", Family::normal, {num(-1), num(1)});
    const VarId high = out.net.drawn("high", Family::normal, {num(1.5), num(1)});
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) {
        const VarId z = out.net.drawn("z" + std::to_string(i), Family::bernoulli, {num(share)});
        const VarId v =
            out.net.drawn("y" + std::to_string(i), Family::normal, {make_term(TermOp::choose, {var(z), var(high), var(low)}), num(s)});
        y.push_back(rounded(2 * rng.normal()));
        out.observe(v, y.back());
    }
    out.reference = on_grid({line(0, 1.5), line(0, 1.5)}, 500, [&](const auto& at) {
        double log = ln_normal(at[0], -1, 1) + ln_normal(at[1], 1.5, 1);
        for (const double v : y) log += std::log(share * std::exp(ln_normal(v, at[1], s)) + (1 - share) * std::exp(ln_normal(v, at[0], s)));
        return log;
    });
    out.asked = {low, high};
    out.tolerance = 1e-6;
    return out;
}

/// Groups round a common level with a spread that is not known: the groups integrated by hand, level and spread on the grid.
Problem groups(Rng& rng) {
    Problem out;
    out.text = "groups";
    const std::size_t count = 3 + rng.below(4);
    const double wide = 1 + rounded(2 * rng.uniform());
    const VarId mu = out.net.drawn("mu", Family::normal, {num(0), num(wide)});
    const VarId tau = out.net.drawn("tau", Family::gamma, {num(3), num(2)});
    std::vector<double> y;
    std::vector<double> s;
    for (std::size_t g = 0; g < count; ++g) {
        const VarId level = out.net.drawn("level" + std::to_string(g), Family::normal, {var(mu), var(tau)});
        s.push_back(0.5 + rounded(rng.uniform()));
        y.push_back(rounded(2 * rng.normal()));
        out.observe(out.net.drawn("y" + std::to_string(g), Family::normal, {var(level), num(s[g])}), y[g]);
    }
    out.reference = on_grid({line(0, wide), half_line(1)}, 500, [&](const auto& at) {
        double log = ln_normal(at[0], 0, wide) + ln_gamma_density(at[1], 3, 2);
        for (std::size_t g = 0; g < count; ++g) log += ln_normal(y[g], at[0], std::hypot(at[1], s[g]));
        return log;
    });
    out.asked = {mu, tau};
    out.tolerance = 1e-6;
    out.has_exact = false;  // more than two numbers
    return out;
}

Problem random_problem(std::uint64_t seed) {
    Rng rng(seed);
    switch (rng.below(6)) {
        case 0:
            return linear_normals(rng);
        case 1:
            return one_number(rng);
        case 2:
            return mean_and_spread(rng);
        case 3:
            return regression(rng);
        case 4:
            return hidden_labels(rng);
        default:
            return groups(rng);
    }
}

// --- engines against the reference

Query query_about(const Problem& problem, std::size_t k, const char* by) {
    Query out;
    out.targets.free = {problem.asked[k]};
    out.given.events = problem.seen;
    if (*by != 0) {
        out.by.name = by;
        out.by.origin = Origin{1};
    }
    return out;
}

/// How far a distribution is from its reference, in sds.
double error_of(const Answer& answer, const Moments& reference) {
    const auto& d = *std::get<DistributionPtr>(answer.value);
    const double mean = std::get<Number>(*d.mean()).real();
    const double sd = std::sqrt(std::get<Number>(*d.variance()).real());
    return std::max(std::abs(mean - reference.mean), std::abs(sd - reference.sd)) / reference.sd;
}

struct Tally {
    std::size_t exact = 0;  ///< answers compared
    std::size_t drawn = 0;
};

void check_exact_engines(const Problem& problem, const ContinuousModel& model, Tally& tally) {
    std::size_t answered = 0;
    for (const char* by : {"", "conjugate", "linear_gaussian", "quadrature"})
        for (std::size_t k = 0; k < problem.asked.size(); ++k) {
            if (*by == 0 && !problem.has_exact) continue;  // it would be drawn
            Run run;
            const auto answer = model.ask(query_about(problem, k, by), run);
            if (!answer && answer.fault().code == FaultCode("E-ENGINE") && *by != 0) continue;  // not for this structure
            if (!answer) FAIL(by << ": " << answer.fault().message);
            INFO("engine " << answer->engine << ", number " << k + 1);
            CHECK(answer->engine != "nuts");
            CHECK(error_of(*answer, problem.reference[k]) < problem.tolerance);
            ++answered;
        }
    if (problem.has_exact) CHECK(answered >= problem.asked.size());
    tally.exact += answered;
}

/// Of the mean of a number, and of its square.
double errors_by_nuts(const Problem& problem, const ContinuousModel& model, std::size_t k, std::uint64_t seed) {
    double worst = 0;
    const Moments& reference = problem.reference[k];
    for (const bool square : {false, true}) {
        Run run;
        run.rng = Rng(seed);
        const Term x = var(problem.asked[k]);
        const auto answer = model.expectation(square ? x * x : x, query_about(problem, k, "nuts"), run);
        if (!answer) FAIL(answer.fault().message);
        REQUIRE(answer->standard_error);
        const double expected = square ? reference.mean * reference.mean + reference.sd * reference.sd : reference.mean;
        worst = std::max(worst, std::abs(std::get<Number>(answer->value).real() - expected) / answer->standard_error->real());
    }
    return worst;
}

void compare(std::size_t models) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= models; ++seed) {
        const Problem problem = random_problem(seed);
        INFO("model " << seed << ", " << problem.text);
        const auto model = make_continuous_model(problem.net.net());
        check_exact_engines(problem, *model, tally);
        for (std::size_t k = 0; k < problem.asked.size(); ++k) {
            INFO("number " << k + 1);
            CHECK(errors_by_nuts(problem, *model, k, seed) < 5);
            ++tally.drawn;
        }
    }
    CHECK(tally.exact > models);
    CHECK(tally.drawn > models);
}

}  // namespace

TEST_CASE("engines agree on random models of numbers") { compare(60); }
TEST_CASE("engines agree on 500 random models of numbers", "[.long]") { compare(500); }

TEST_CASE("the comparison notices one datum that was changed") {
    std::size_t noticed = 0;
    std::size_t tried = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Problem problem = random_problem(seed);
        auto& label = problem.seen.back().atom.values[0];
        if (!label.number() || problem.text == "groups") continue;
        const bool count = problem.text == "beta and binomial";
        label = Label::of_number(count ? Number(10) - *label.number() : *label.number() + Number(1));
        if (count && *label.number() == Number(5)) continue;
        ++tried;
        const auto model = make_continuous_model(problem.net.net());
        for (std::size_t k = 0; k < problem.asked.size(); ++k) {
            Run run;
            const auto answer = model->ask(query_about(problem, k, ""), run);
            REQUIRE(answer);
            if (error_of(*answer, problem.reference[k]) < problem.tolerance) continue;
            ++noticed;
            break;
        }
    }
    CHECK(tried > 10);
    CHECK(noticed + 2 >= tried);  // some data say nothing of the numbers asked
}
