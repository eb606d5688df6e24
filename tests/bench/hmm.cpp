// Hidden Markov models over long sequences: filter and smooth of 1,000,000 steps with 10 states, and an iteration of Baum–Welch at three
// lengths, which must grow in proportion. hmm → a line each; ends with status 1 where filter and smooth take more than half a second.

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "runtime/latent/hmm.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

namespace {

constexpr std::size_t states = 10;
constexpr std::size_t symbols = 20;

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<Number> shares(std::size_t n, Rng& rng) {
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        weights.push_back(0.05 + rng.uniform());
        sum += weights.back();
    }
    std::vector<Number> out;
    for (const double w : weights) out.push_back(Number::real(w / sum));
    return out;
}

DomainPtr numbered(std::size_t n) {
    std::vector<Label> labels;
    for (std::size_t i = 0; i < n; ++i) labels.push_back(Label::of_number(Rational(static_cast<std::int64_t>(i))));
    return make_domain(std::move(labels));
}

TablePtr observed(const Sequence& s, const DomainPtr& domain) {
    auto column = std::make_shared<Column>();
    column->name = "observation";
    column->domain = domain;
    column->codes = s.codes;
    auto out = std::make_shared<Table>();
    out->row_count = s.size();
    out->columns = {column};
    return out;
}

}  // namespace

int main() {
    Rng rng(1);
    Hmm hmm;
    hmm.name = "H";
    hmm.states = numbered(states);
    hmm.symbols = numbered(symbols);
    hmm.start = shares(states, rng);
    for (std::size_t i = 0; i < states; ++i) {
        hmm.move.push_back(shares(states, rng));
        hmm.emit.emplace_back().shares = shares(symbols, rng);
    }
    Sequence s;
    for (std::size_t t = 0; t < 1'000'000; ++t) s.codes.push_back(static_cast<std::int32_t>(rng.below(symbols)));
    Run run;
    double best = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
        const auto begin = std::chrono::steady_clock::now();
        const auto filtered = hmm_filter(hmm, s, run);
        const double first = seconds_since(begin);
        const auto smoothed = hmm_smooth(hmm, s, run);
        const double both = seconds_since(begin);
        if (!filtered || !smoothed) return 1;
        best = std::min(best, both);
        std::printf("filter %.3f s, smooth %.3f s, together %.3f s\n", first, both - first, both);
    }
    Hmm open = hmm;
    open.start.clear();
    for (auto& row : open.move) row.clear();
    for (auto& e : open.emit) e = {.shares = {}, .hole = true, .density = {}};
    MethodCall by{.name = "em", .arguments = {}, .origin = Origin::none};
    by.arguments.push_back({"iterations", Number(3), Origin::none});
    by.arguments.push_back({"restarts", Number(1), Origin::none});
    for (const std::size_t length : {100'000U, 300'000U, 1'000'000U}) {
        Sequence part;
        part.codes.assign(s.codes.begin(), s.codes.begin() + static_cast<std::ptrdiff_t>(length));
        const TablePtr table = observed(part, open.symbols);
        auto learner = make_hmm_model(open)->trainer(by);
        if (!learner) return 1;
        const auto begin = std::chrono::steady_clock::now();
        auto model = train(**learner, {.table = table.get(), .rows = {}}, {}, run);
        if (!model) return 1;
        const double took = seconds_since(begin);
        std::printf("Baum-Welch, %zu steps: %.3f s for 4 passes, %.1f ns a step and pass\n", length, took,
                    took / 4 / static_cast<double>(length) * 1e9);
    }
    return best < 0.5 ? 0 : 1;
}
