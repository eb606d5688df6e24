// A goal of 20 influences against 10,000 cases of 5 to 15: searched by signatures, and with every case matched.

#include <chrono>
#include <cstdio>

#include "runtime/core/rng.hpp"
#include "runtime/instance/casebase/retrieve.hpp"

using namespace credence::rt;

namespace {

FunctionGraph random_graph(Rng& rng, std::size_t arcs) {
    static const char* const kinds[] = {"flow", "temperature", "signal", "pressure", "force"};
    FunctionGraph out;
    const std::size_t n = std::max<std::size_t>(3, arcs * 3 / 4);
    for (std::size_t q = 0; q < n; ++q) out.quantities.push_back({"q" + std::to_string(q), kinds[rng.below(5)]});
    while (out.influences.size() < arcs) {
        const FunctionGraph::Influence a{rng.below(n), rng.below(n), rng.below(4) == 0 ? -1 : 1};
        bool fresh = a.from != a.to;
        for (const auto& b : out.influences) fresh = fresh && !(a.from == b.from && a.to == b.to);
        if (fresh) out.influences.push_back(a);
    }
    return out;
}

}  // namespace

int main() {
    Rng rng(8);
    CaseLibrary library;
    for (int i = 0; i < 10'000; ++i) {
        StoredCase one;
        one.label = "c" + std::to_string(i);
        one.function = std::make_shared<const FunctionGraph>(random_graph(rng, 5 + rng.below(11)));
        library.cases.push_back(std::move(one));
    }
    for (int g = 0; g < 5; ++g) {
        const FunctionGraph goal = random_graph(rng, 20);
        for (const std::size_t inserted : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
            std::vector<std::size_t> answers[2];
            double seconds[2];
            std::size_t matched[2];
            bool complete = true;
            for (int all = 0; all < 2; ++all) {
                Run run;
                RetrieveOptions options;
                options.inserted = inserted;
                options.index = all == 0;
                const auto start = std::chrono::steady_clock::now();
                const auto found = retrieve(library, goal, options, run);
                seconds[all] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                matched[all] = found->matched;
                complete = complete && found->complete;
                for (const auto& hit : found->hits) {
                    answers[all].push_back(hit.place);
                    answers[all].push_back(hit.covered);
                    answers[all].push_back(hit.rewrites.size());
                }
            }
            std::printf(
                "goal %d, up to %zu put in: %.3f s (%zu matched), all matched %.3f s, best covers %zu, same answers: %s, complete: %s\n",
                g + 1, inserted, seconds[0], matched[0], seconds[1], answers[0].size() > 1 ? answers[0][1] : 0,
                answers[0] == answers[1] ? "yes" : "NO", complete ? "yes" : "NO");
            std::fflush(stdout);
        }
    }
}
