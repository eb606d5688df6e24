// Matching against exhaustive search on small graphs, and the index against matching every case.

#include <catch2/catch.hpp>

#include <algorithm>

#include "runtime/core/rng.hpp"
#include "runtime/instance/casebase/compose.hpp"
#include "runtime/instance/casebase/match.hpp"

using namespace credence::rt;

namespace {

FunctionGraph random_graph(Rng& rng, std::size_t quantities, std::size_t arcs, std::size_t kinds, bool some_without) {
    FunctionGraph out;
    for (std::size_t q = 0; q < quantities; ++q) {
        const bool without = some_without && rng.below(4) == 0;
        out.quantities.push_back({"q" + std::to_string(q), without ? "" : std::string(1, static_cast<char>('a' + rng.below(kinds)))});
    }
    for (std::size_t i = 0; i < arcs; ++i) {
        const FunctionGraph::Influence a{rng.below(quantities), rng.below(quantities), rng.below(2) == 0 ? -1 : 1};
        if (a.from != a.to && std::find(out.influences.begin(), out.influences.end(), a) == out.influences.end())
            out.influences.push_back(a);
    }
    return out;
}

/// Every way to give the case's quantities to the goal's (or to none); then every way to cover each influence of the goal by an influence
/// or a chain through one quantity that is given to none and used once.
struct Exhaustive {
    const FunctionGraph& stored;
    const FunctionGraph& goal;
    bool chains;
    std::vector<int> of;
    long best = 0;

    bool match(std::size_t q, std::size_t g) const {
        const auto& a = stored.quantities[q].kind;
        const auto& b = goal.quantities[g].kind;
        return a == b || a.empty() || b.empty();
    }
    void assign(std::size_t q) {
        if (q == stored.quantities.size()) {
            cover(0, 0, 0);
            return;
        }
        of[q] = -1;
        assign(q + 1);
        for (std::size_t g = 0; g < goal.quantities.size(); ++g) {
            if (!match(q, g) || std::find(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(q), static_cast<int>(g)) !=
                                    of.begin() + static_cast<std::ptrdiff_t>(q))
                continue;
            of[q] = static_cast<int>(g);
            assign(q + 1);
            of[q] = -1;
        }
    }
    void cover(std::size_t arc, unsigned used, long value) {
        if (arc == goal.influences.size()) {
            best = std::max(best, value);
            return;
        }
        cover(arc + 1, used, value);
        const auto& wanted = goal.influences[arc];
        for (const auto& a : stored.influences) {
            if (of[a.from] != static_cast<int>(wanted.from)) continue;
            if (of[a.to] == static_cast<int>(wanted.to) && a.sign == wanted.sign) cover(arc + 1, used, value + 64);
            if (!chains || of[a.to] >= 0 || (used >> a.to & 1U) != 0) continue;
            for (const auto& b : stored.influences)
                if (b.from == a.to && of[b.to] == static_cast<int>(wanted.to) && a.sign * b.sign == wanted.sign)
                    cover(arc + 1, used | 1U << a.to, value + 63);
        }
    }
};

}  // namespace

TEST_CASE("the largest common part is what exhaustive search finds") {
    Rng rng(5);
    for (int round = 0; round < 120; ++round) {
        const FunctionGraph stored = random_graph(rng, 4, 5, 2, round % 3 == 0);
        const FunctionGraph goal = random_graph(rng, 4, 6, 2, round % 5 == 0);
        for (const bool chains : {false, true}) {
            KindNames names;
            const CompiledGraph a = compile_graph(stored, names);
            const CompiledGraph b = compile_graph(goal, names);
            MatchOptions options;
            options.inserted = chains ? 1 : 0;
            const Match found = best_match(a, b, options, 0);
            Exhaustive truth{stored, goal, chains, std::vector<int>(stored.quantities.size(), -1)};
            truth.assign(0);
            INFO("round " << round << ", chains " << chains);
            CHECK(found.value == truth.best);
            CHECK(GoalSignature(b, names.size(), options).bound(a) >= truth.best);
            CHECK(static_cast<long>(found.covers.size()) * 64 - static_cast<long>(found.rewrites) == found.value);
        }
    }
}

TEST_CASE("signatures rule out only what cannot be among the answers") {
    Rng rng(9);
    CaseLibrary library;
    for (int i = 0; i < 300; ++i) {
        StoredCase one;
        one.label = "c" + std::to_string(i);
        one.function = std::make_shared<const FunctionGraph>(random_graph(rng, 6, 3 + rng.below(7), 3, i % 7 == 0));
        library.cases.push_back(std::move(one));
    }
    for (int round = 0; round < 6; ++round) {
        const FunctionGraph goal = random_graph(rng, 8, 10, 3, false);
        for (const std::size_t inserted : {std::size_t{0}, std::size_t{1}}) {
            Run run;
            RetrieveOptions options;
            options.inserted = inserted;
            const auto quick = retrieve(library, goal, options, run);
            options.index = false;
            const auto full = retrieve(library, goal, options, run);
            REQUIRE(quick);
            REQUIRE(full);
            REQUIRE(quick->hits.size() == full->hits.size());
            CHECK(quick->matched <= full->matched);
            for (std::size_t i = 0; i < quick->hits.size(); ++i) {
                CHECK(quick->hits[i].place == full->hits[i].place);
                CHECK(quick->hits[i].arcs == full->hits[i].arcs);
                CHECK(quick->hits[i].mapping == full->hits[i].mapping);
                CHECK(quick->hits[i].rewrites == full->hits[i].rewrites);
            }
        }
    }
}

TEST_CASE("pieces that contradict each other are given up") {
    // Both `a` and `b` would cover A -> B, but `a` brings A ->- C beside it, against the goal.
    const auto graph = [](std::vector<FunctionGraph::Quantity> quantities, std::vector<FunctionGraph::Influence> arcs) {
        return std::make_shared<const FunctionGraph>(FunctionGraph{std::move(quantities), std::move(arcs)});
    };
    CaseLibrary library;
    library.cases.push_back({"a", "", graph({{"p", "x"}, {"q", "y"}, {"r", "z"}}, {{0, 1, 1}, {0, 2, -1}}), {}});
    library.cases.push_back({"b", "", graph({{"p", "x"}, {"q", "y"}}, {{0, 1, 1}}), {}});
    library.cases.push_back({"c", "", graph({{"p", "x"}, {"r", "z"}}, {{0, 1, 1}}), {}});
    const FunctionGraph goal{{{"A", "x"}, {"B", "y"}, {"C", "z"}}, {{0, 1, 1}, {0, 2, 1}}};
    Run run;
    RetrieveOptions options;
    options.inserted = 0;
    const auto found = compose(library, goal, options, 8, run);
    REQUIRE(found);
    CHECK(found->open.empty());
    REQUIRE(found->pieces.size() == 2);
    for (const auto& piece : found->pieces)
        if (piece.place == 0) CHECK(piece.mapping.size() == 2);  // a may serve, but not with r as C
}

TEST_CASE("of pieces that cover as much the one that brings less is taken") {
    const auto graph = [](std::vector<FunctionGraph::Quantity> quantities, std::vector<FunctionGraph::Influence> arcs) {
        return std::make_shared<const FunctionGraph>(FunctionGraph{std::move(quantities), std::move(arcs)});
    };
    CaseLibrary library;
    library.cases.push_back({"junction", "", graph({{"p", ""}, {"q", ""}, {"r", ""}}, {{0, 2, 1}, {1, 2, 1}}), {}});
    library.cases.push_back({"pipe", "", graph({{"p", ""}, {"q", ""}}, {{0, 1, 1}}), {}});
    const FunctionGraph goal{{{"A", ""}, {"B", ""}, {"C", ""}, {"D", ""}, {"E", ""}}, {{0, 1, 1}, {2, 1, 1}, {3, 4, 1}}};
    Run run;
    RetrieveOptions options;
    options.inserted = 0;
    const auto found = compose(library, goal, options, 8, run);
    REQUIRE(found);
    REQUIRE(found->pieces.size() == 2);
    CHECK(found->pieces[0].place == 0);
    CHECK(found->pieces[1].place == 1);
}
