#include "runtime/prob/learning/training_methods.hpp"

#include <fmt/format.h>

namespace credence::rt {

namespace {

constexpr double most_steps = 1e9;

// clang-format off
using O = TrainingOptions;
constexpr auto m_option = option<O, &O::m>("m", {.least = 0});
constexpr auto iterations_option = option<O, [](O& o) -> auto& { return o.em.iterations; }>("iterations", {.least = 1, .most = most_steps});
constexpr auto tolerance_option = option<O, [](O& o) -> auto& { return o.em.tolerance; }>("tolerance", {.least = 0});
constexpr auto rate_option = option<O, [](O& o) -> auto& { return o.gradient.rate; }>("rate", {.least = 0, .above = true});
constexpr auto steps_option = option<O, [](O& o) -> auto& { return o.gradient.iterations; }>("iterations", {.least = 1, .most = most_steps});
constexpr auto restarts_option = option<O, &O::restarts>("restarts", {.least = 1, .most = most_steps});
constexpr auto init_option = option<O, &O::init>("init");
constexpr auto counts_option = option<O, &O::counts>("counts");
constexpr auto pseudo_option = option<O, &O::pseudo>("pseudo", {.least = 0});
constexpr std::string_view rules[] = {"simplex", "textbook"};
constexpr auto rule_option = option<O, &O::rule>("rule", {}, rules);

constexpr std::string_view em_summary =
    "Learns the holes by expectation maximisation, for data with hidden variables or missing cells. The log-likelihood never falls. Training stops when a step gains less than the tolerance, relative to the log-likelihood. The best of several random starts is kept. `init` replaces them with one start: the numbers of the holes in order, or a model with numbers in their place. `counts` names a column that gives how often each row counts.";
constexpr std::string_view em_example =
    "net Coin { Face in {heads, tails} : ? }\ntable t { Face ; heads ; heads ; tails }\nlet c = train Coin on t by em(iterations: 5)\n"
    "expect P(Face = heads) in c == 2/3 within 1e-9";
constexpr std::string_view gradient_summary =
    "Learns the holes by following the gradient of the log-likelihood. Probabilities stay on their simplex. A step that would lower the log-likelihood is halved. Without a rate, each step chooses its own.";
constexpr std::string_view gradient_example =
    "net Coin { Face in {heads, tails} : ? }\ntable t { Face ; heads ; heads ; tails }\n"
    "let c = train Coin on t by gradient(rate: 0.01, iterations: 2000)\nexpect P(Face = heads) in c == 2/3 within 1e-3";

constexpr MethodRecord counting_method(
    "counting", {m_option, counts_option},
    "Learns the holes as relative frequencies, in exact fractions. m adds the weight of m cases, spread evenly. The data must be complete: all variables for a net, a column component for a mixture, a column state for an hmm, trees for a grammar.",
    "net Coin { Face in {heads, tails} : ? }\ntable t { Face ; heads ; heads ; tails }\nlet c = train Coin on t by counting(m: 0)\n"
    "expect P(Face = heads) in c == 2/3");
constexpr MethodRecord em_method("em", {iterations_option, tolerance_option, restarts_option, init_option, counts_option}, em_summary,
                                 em_example);
constexpr MethodRecord net_em_method(
    "em", {iterations_option, tolerance_option, restarts_option, init_option, counts_option, pseudo_option},
    "Expectation maximisation for a net. `pseudo` is added to each expected count. Everything else is as for other models.", em_example);
constexpr MethodRecord gradient_method("gradient", {rate_option, steps_option, restarts_option, init_option, counts_option},
                                       gradient_summary, gradient_example);
constexpr MethodRecord net_gradient_method(
    "gradient", {rate_option, steps_option, rule_option, restarts_option, init_option, counts_option},
    "Gradient ascent for a net. `rule: textbook` adds the gradient and normalises the rows. Everything else is as for other models.",
    gradient_example);
// clang-format on

}  // namespace

std::vector<MethodInfo> training_methods_of_parts() { return {counting_method.info(), em_method.info(), gradient_method.info()}; }
std::vector<MethodInfo> training_methods_of_net() { return {counting_method.info(), net_em_method.info(), net_gradient_method.info()}; }
std::vector<MethodInfo> training_methods_of_real_net() { return {counting_method.info(), em_method.info()}; }

TrainingOptions training_options(const MethodCall& by) {
    TrainingOptions out;
    if (by.name == "counting") {
        out = counting_method.options(by);
        out.way = TrainingWay::counting;
    } else if (by.name == "em") {
        out = net_em_method.options(by);
        out.way = TrainingWay::em;
    } else if (by.name == "gradient") {
        out = net_gradient_method.options(by);
        out.way = TrainingWay::gradient;
    }
    if (out.restarts) out.em.restarts = *out.restarts;
    return out;
}

std::vector<Rational> m_estimates(std::span<const Rational> counts, const Rational& m) {
    const Rational k(static_cast<std::int64_t>(counts.size()));
    Rational total = m;
    for (const auto& n : counts) total += n;
    std::vector<Rational> out;
    for (const auto& n : counts) out.push_back(total.is_zero() ? Rational(1) / k : (n + m / k) / total);
    return out;
}

void note_unseen_rows(std::size_t rows, const Run& run) {
    if (rows == 0 || !run.note) return;
    run.note(
        fmt::format("{} of the tables {} never seen in the data; all values are equally likely there (by counting(m: 1) smooths all rows)",
                    counted(rows, "row"), rows == 1 ? "was" : "were"));
}

void note_unsettled(bool converged, const TrainingOptions& options, const Run& run) {
    if (options.way == TrainingWay::gradient) return note_unsettled(converged, options.gradient, run);
    if (!converged && options.em.iterations > 1 && run.note)
        run.note(fmt::format("EM stopped after {} iterations before it converged", options.em.iterations));
}

}  // namespace credence::rt
