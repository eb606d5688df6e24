#include "runtime/prob/mode.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/golden_section.hpp"

namespace credence::rt {

namespace {

Fault no_mode(const Distribution& d, std::string_view why) {
    return {.code = "E-UNDEFINED", .message = fmt::format("no value of this {} is the most probable: it {}", d.name(), why)};
}

Number number_in(const Distribution& d, std::size_t i) { return std::get<Number>(d.parameters()[i].value); }

Number floor_of(const Number& x) { return x.is_exact() ? Number(x.exact().floor()) : Number::real(std::floor(x.real())); }
bool is_whole(const Number& x) { return x == floor_of(x); }

Result<Outcome> beta_mode(const Distribution& d) {
    const Number a = number_in(d, 0);
    const Number b = number_in(d, 1);
    const Number one(1);
    if (a == one && b == one) return no_mode(d, "is flat");
    if (one < a && one < b) return Outcome((a - one) / (a + b - Number(2)));
    if (a < one && b < one) return no_mode(d, "grows without bound at 0 and at 1");
    return Outcome(Number(a < b ? 0 : 1));
}

/// The largest of many places between the outer quantiles, and then between its neighbours, by the golden section.
Result<Outcome> searched_mode(const Distribution& d) {
    constexpr int quantiles = 64;  // each may cost an integral of its own
    constexpr int places = 512;
    std::vector<double> at;
    for (int i = 0; i <= quantiles; ++i) {
        auto x = d.quantile(Number::real(0.001 + 0.998 * i / quantiles));
        if (!x) return std::move(x).fault();
        at.push_back(x->real());
    }
    // Evenly between the ends too: a narrow component far out has few quantiles.
    const double first = at.front();
    const double last = at.back();
    for (int i = 1; i < places; ++i) at.push_back(first + (last - first) * i / places);
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    const auto height = [&](double x) { return d.log_pdf(Outcome(Number::real(x))); };
    std::vector<double> heights;
    for (const double x : at) heights.push_back(height(x));
    const auto best = static_cast<std::size_t>(std::max_element(heights.begin(), heights.end()) - heights.begin());
    const double low = at[best == 0 ? 0 : best - 1];
    const double high = at[std::min(best + 1, at.size() - 1)];
    return Outcome(Number::real(golden_section_maximum(height, low, high, 1e-12, 1e-12)));
}

}  // namespace

Result<Outcome> mode(const Distribution& d) {
    const std::string_view name = d.name();
    const Number one(1);
    if (name == "normal" || name == "laplace") return Outcome(number_in(d, 0));
    if (name == "student_t") return Outcome(number_in(d, 1));
    if (name == "multinormal") return d.mean();
    if (name == "beta") return beta_mode(d);
    if (name == "exponential" || name == "geometric") return Outcome(Number(0));
    if (name == "uniform") return no_mode(d, "is flat");
    if (name == "gamma") {
        const Number shape = number_in(d, 0);
        if (shape < one) return no_mode(d, "grows without bound at 0");
        return Outcome((shape - one) / number_in(d, 1));
    }
    if (name == "lognormal") {
        const double sigma = number_in(d, 1).real();
        return Outcome(Number::real(std::exp(number_in(d, 0).real() - sigma * sigma)));
    }
    if (name == "binomial" || name == "poisson") {
        const Number above = name == "poisson" ? number_in(d, 0) : (number_in(d, 0) + one) * number_in(d, 1);
        if (name == "binomial" && number_in(d, 1) == one) return Outcome(number_in(d, 0));
        return Outcome(is_whole(above) && above.sign() > 0 ? above - one : floor_of(above));
    }
    if (name == "dirichlet") {
        const auto a = std::get<std::vector<Number>>(d.parameters()[0].value);
        Number total = 0;
        for (const auto& x : a) {
            if (!(one < x)) return no_mode(d, "is flat, or largest at an edge");
            total += x - one;
        }
        Point out;
        for (const auto& x : a) out.push_back((x - one) / total);
        return Outcome(std::move(out));
    }
    if (const auto values = d.finite_values()) {
        std::size_t best = 0;
        const auto height = [&](std::size_t i) {
            const Label& label = (*values)[i];
            return d.log_pdf(d.support() == Support::labels || !label.is_number() ? Outcome(label) : Outcome(*label.number()));
        };
        for (std::size_t i = 1; i < values->size(); ++i)
            if (height(i) > height(best)) best = i;
        return Outcome((*values)[best]);
    }
    if (name == "samples" || d.support() == Support::vectors)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("of {} only draws are known, and not where they are most dense", name),
                     .hint = "mean, median and quantiles describe them"};
    return searched_mode(d);
}

}  // namespace credence::rt
