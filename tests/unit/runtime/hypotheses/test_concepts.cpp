// Version spaces of conjunctions against their definition: every hypothesis listed, every example checked.

#include <algorithm>

#include <catch2/catch.hpp>

#include "runtime/hypotheses/concept_learners.hpp"
#include "runtime/hypotheses/listed_concepts.hpp"

using namespace credence::rt;

namespace {

ConceptSchema schema_with(const std::vector<std::size_t>& sizes) {
    ConceptSchema out;
    for (std::size_t f = 0; f < sizes.size(); ++f) {
        std::vector<Label> labels;
        for (std::size_t v = 0; v < sizes[f]; ++v) labels.push_back(Label::of_text("v" + std::to_string(v)));
        out.schema.features.push_back({"x" + std::to_string(f), ColumnKind::label, make_domain(std::move(labels))});
    }
    out.schema.target = {"y", ColumnKind::label, make_domain({Label::of_text("No"), Label::of_text("Yes")})};
    out.positive = 1;
    return out;
}

/// All conjunctions without ∅, columns of one value left at ?, and one of ∅.
std::vector<Cells> all_conjunctions(const Schema& schema) {
    std::vector<Cells> out{{}};
    for (const auto& f : schema.features) {
        std::vector<Cells> longer;
        for (const auto& h : out)
            for (std::int32_t v = any_value; v < (f.domain->size() > 1 ? static_cast<std::int32_t>(f.domain->size()) : 0); ++v) {
                longer.push_back(h);
                longer.back().push_back(v);
            }
        out = std::move(longer);
    }
    out.emplace_back(schema.features.size(), no_value);
    return out;
}

std::vector<Cells> all_instances(const Schema& schema) {
    std::vector<Cells> out;
    REQUIRE(each_instance(schema, [&](const Cells& x) {
        out.push_back(x);
        return true;
    }));
    return out;
}

std::vector<Cells> sorted_terms(const Result<std::vector<Concept>>& concepts) {
    REQUIRE(concepts);
    std::vector<Cells> out;
    for (const auto& h : *concepts) out.push_back(h.terms[0]);
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

TEST_CASE("sizes of the conjunctive space") {
    const Conjunctions sport(schema_with({3, 2, 2, 2, 2, 2}), {});
    CHECK(sport.size() == Rational(973));  // Mitchell, section 2.3
    CHECK(sport.syntactic() == Rational(5120));
    const Conjunctions small(schema_with({2, 3}), {});
    CHECK(small.size() == Rational(13));
    CHECK(small.syntactic() == Rational(20));
    CHECK(instance_count(small.schema()) == Rational(6));
}

TEST_CASE("version spaces by boundaries and counting are those by listing") {
    Rng rng(23);
    int empty = 0;
    for (int round = 0; round < 60; ++round) {
        std::vector<std::size_t> sizes;
        for (std::size_t f = 0; f < 2 + rng.below(3); ++f) sizes.push_back(2 + rng.below(2));
        const auto space = std::make_shared<const Conjunctions>(schema_with(sizes), ConjunctionSettings{});
        const auto everything = all_conjunctions(space->schema());
        const auto instances = all_instances(space->schema());
        const Cells& truth = everything[rng.below(everything.size())];
        std::vector<ConceptExample> examples;
        for (std::size_t n = rng.below(6); n > 0; --n) {
            ConceptExample e;
            e.cells = instances[rng.below(instances.size())];
            e.positive = covers(truth, e.cells) != (rng.below(12) == 0);  // now and then a wrong label
            examples.push_back(e);
        }
        std::vector<Cells> left;
        for (const auto& h : everything)
            if (std::all_of(examples.begin(), examples.end(), [&](const auto& e) { return covers(h, e.cells) == e.positive; }))
                left.push_back(h);
        empty += left.empty() ? 1 : 0;
        const Run run;
        const auto versions = space->version_space(examples, run);
        REQUIRE(versions);
        CHECK(*(*versions)->size() == Rational(static_cast<std::int64_t>(left.size())));
        for (const auto& x : instances)
            CHECK(*(*versions)->holding(x) == Rational(static_cast<std::int64_t>(
                                                  std::count_if(left.begin(), left.end(), [&](const Cells& h) { return covers(h, x); }))));
        std::vector<Cells> specific;
        std::vector<Cells> general;
        for (const auto& a : left) {
            const auto above = [&](const Cells& b) { return a != b && more_general(b, a); };
            const auto below = [&](const Cells& b) { return a != b && more_general(a, b); };
            if (std::none_of(left.begin(), left.end(), below)) specific.push_back(a);
            if (std::none_of(left.begin(), left.end(), above)) general.push_back(a);
        }
        std::sort(specific.begin(), specific.end());
        std::sort(general.begin(), general.end());
        std::sort(left.begin(), left.end());
        CHECK(sorted_terms((*versions)->specific()) == specific);
        CHECK(sorted_terms((*versions)->general()) == general);
        CHECK(sorted_terms((*versions)->members()) == left);
        // and by the other learner
        const auto listed = eliminate_listed(space, examples, run);
        REQUIRE(listed);
        CHECK(sorted_terms((*listed)->members()) == left);
        CHECK(sorted_terms((*listed)->specific()) == specific);
        CHECK(sorted_terms((*listed)->general()) == general);
        if (left.empty()) continue;
        for (const auto& x : instances) {
            const auto n = std::count_if(left.begin(), left.end(), [&](const Cells& h) { return covers(h, x); });
            const int expected = n == static_cast<std::ptrdiff_t>(left.size()) ? 1 : n == 0 ? -1 : 0;
            CHECK(*unanimous(**versions, *space, x) == expected);
        }
    }
    CHECK(empty > 0);
    CHECK(empty < 60);
}

TEST_CASE("a version space too large to list is counted") {
    const auto space = std::make_shared<const Conjunctions>(schema_with(std::vector<std::size_t>(40, 2)), ConjunctionSettings{});
    CHECK(space->size() == Rational(3).pow(40) + Rational(1));
    ConceptExample positive{Cells(40, 0), true};
    ConceptExample negative{Cells(40, 0), false};
    negative.cells[0] = negative.cells[1] = 1;
    const std::vector<ConceptExample> examples{positive, negative};
    const Run run;
    const auto versions = space->version_space(examples, run);
    REQUIRE(versions);
    // subsets of 40 constraints with the first or the second among them
    CHECK(*(*versions)->size() == Rational(2).pow(40) - Rational(2).pow(38));
    CHECK(!(*versions)->members());
    Cells x(40, 1);
    x[0] = 0;
    CHECK(*(*versions)->holding(x) == Rational(1));  // <v0, ?, ?, …>
}

TEST_CASE("disjunctions and subsets") {
    const auto concepts = schema_with({2, 2});
    const auto all = make_disjunctions(concepts, 4, {});
    REQUIRE(all);
    const Run run;
    CHECK(*(*(*all)->version_space({}, run))->size() == Rational(16));  // four terms make every subset of four instances
    const auto two = make_disjunctions(concepts, 2, {});
    REQUIRE(two);
    // every subset of a 2 x 2 square is a union of two rectangles at most
    CHECK(*(*(*two)->version_space({}, run))->size() == Rational(16));
    const auto subsets = make_powerset(concepts);
    CHECK(*(*subsets->version_space({}, run))->size() == Rational(16));
    const std::vector<ConceptExample> examples{{{0, 0}, true}, {{1, 1}, false}};
    const auto by_count = subsets->version_space(examples, run);
    const auto by_list = eliminate_listed(subsets, examples, run);
    CHECK(*(*by_count)->size() == Rational(4));
    CHECK(*(*by_list)->size() == Rational(4));
    CHECK(*(*by_count)->holding({0, 1}) == Rational(2));
    CHECK(*(*by_count)->holding({0, 0}) == Rational(4));
    CHECK(*(*by_count)->holding({1, 1}) == Rational(0));
}
