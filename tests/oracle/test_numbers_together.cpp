// Functions of two or three random numbers: probabilities, means and conditional means by integrals, against many plain draws.

#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/continuous/density.hpp"
#include "tests/support/continuous_nets.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

namespace {

double between(Rng& rng, double low, double high) { return std::round((low + (high - low) * rng.uniform()) * 100) / 100; }

struct RandomFamily {
    Family family{};
    std::vector<double> parameters;
};

RandomFamily random_family(Rng& rng) {
    switch (rng.below(8)) {
        case 0:
            return {Family::normal, {between(rng, -2, 2), between(rng, 0.5, 2)}};
        case 1:
            return {Family::gamma, {between(rng, 0.6, 4), between(rng, 0.5, 2)}};
        case 2:
            return {Family::beta, {between(rng, 0.6, 4), between(rng, 0.6, 4)}};
        case 3:
            return {Family::exponential, {between(rng, 0.5, 2)}};
        case 4:
            return {Family::uniform, {between(rng, -2, 0), between(rng, 0.5, 3)}};
        case 5:
            return {Family::laplace, {between(rng, -1, 1), between(rng, 0.5, 1.5)}};
        case 6:
            return {Family::student_t, {between(rng, 3, 8), between(rng, -1, 1), between(rng, 0.5, 1.5)}};
        default:
            return {Family::lognormal, {between(rng, -0.5, 0.5), between(rng, 0.3, 0.8)}};
    }
}

Term random_term(Rng& rng, std::size_t numbers, int depth) {
    if (depth == 0 || rng.uniform() < 0.15) return var(static_cast<VarId>(rng.below(numbers)));
    const auto inner = [&] { return random_term(rng, numbers, depth - 1); };
    switch (rng.below(8)) {
        case 0:
            return inner() + inner();
        case 1:
            return make_term(TermOp::subtract, {inner(), inner()});
        case 2:
            return inner() * inner();
        case 3:
            return make_term(TermOp::max, {inner(), inner()});
        case 4:
            return make_term(TermOp::min, {inner(), inner()});
        case 5:
            return make_term(TermOp::abs, {inner()});
        case 6:
            return make_term(TermOp::divide, {inner(), make_term(TermOp::add, {num(1), make_term(TermOp::abs, {inner()})})});
        default:
            return make_term(TermOp::choose, {make_term(TermOp::less, {inner(), inner()}), inner(), inner()});
    }
}

}  // namespace

TEST_CASE("functions of several numbers agree with draws") {
    Rng rng(16);
    constexpr std::size_t draws = 60'000;
    std::size_t integrated = 0;
    for (int round = 0; round < 120; ++round) {
        const std::size_t numbers = round % 4 == 3 ? 3 : 2;
        NetWriter writer;
        std::vector<DistributionPtr> families;
        for (std::size_t i = 0; i < numbers; ++i) {
            const auto chosen = random_family(rng);
            std::vector<Term> parameters;
            std::vector<Number> values;
            for (const double p : chosen.parameters) {
                parameters.push_back(num(p));
                values.push_back(Number::real(p));
            }
            writer.drawn("x" + std::to_string(i), chosen.family, parameters);
            families.push_back(*make_distribution(chosen.family, values));
        }
        const Term about = random_term(rng, numbers, 2);
        if (variables_of(about).size() < 2) continue;
        ContinuousNet net = writer.net();
        ContinuousNode computed;
        computed.kind = ContinuousNode::Kind::computed;
        computed.variable = {"t", nullptr};
        computed.value = about;
        net.nodes.push_back(computed);
        const auto t = static_cast<VarId>(numbers);

        std::vector<double> sample(draws);
        std::vector<double> first(draws);
        Rng own = rng.child("draws").child(static_cast<std::uint64_t>(round));
        for (std::size_t d = 0; d < draws; ++d) {
            std::vector<double> x;
            for (const auto& f : families) x.push_back(std::get<Number>(f->sample(own)).real());
            first[d] = x[0];
            sample[d] = evaluate(about, [&](const TermNode& leaf) { return x[index(leaf.variable)]; });
        }
        auto sorted = sample;
        std::nth_element(sorted.begin(), sorted.begin() + draws / 3, sorted.end());
        const double mark = std::round(sorted[draws / 3] * 1000) / 1000;
        INFO("round " << round << ": " << term_text(about, [](VarId v) { return "x" + std::to_string(index(v)); }) << " > " << mark);

        Event above;
        above.atom = {t, Compare::greater, {Label::of_number(Rational::from_decimal(mark))}, Origin::none};
        const auto model = make_continuous_model(net);
        Run run;
        run.rng = Rng(3);
        Query query;
        query.targets.events = {above};
        auto answer = model->ask(query, run);
        REQUIRE(answer);
        const double p = std::get<Number>(answer->value).real();
        double hits = 0;
        double sum = 0;
        double squares = 0;
        for (std::size_t d = 0; d < draws; ++d)
            if (sample[d] > mark) {
                hits += 1;
                sum += first[d];
                squares += first[d] * first[d];
            }
        const double seen = hits / static_cast<double>(draws);
        const double own_error = answer->standard_error ? answer->standard_error->real() : 0;
        const double error = std::sqrt(seen * (1 - seen) / static_cast<double>(draws) + own_error * own_error) + 1e-9;
        CHECK(std::abs(p - seen) < 5 * error);
        if (answer->standard_error) continue;
        ++integrated;
        if (hits < 100) continue;  // impossible, or close to it: there is no mean to compare

        Query given;
        given.given.events = {above};
        auto mean = model->expectation(var(VarId{0}), given, run);
        REQUIRE(mean);
        if (mean->standard_error) continue;
        const double average = sum / hits;
        const double spread = std::sqrt((squares / hits - average * average) / hits);
        CHECK(std::abs(std::get<Number>(mean->value).real() - average) < 6 * spread + 1e-9);
    }
    CHECK(integrated > 50);
}
