#include "tests/support/derivations.hpp"

using namespace credence::test;

namespace {

Derivation derived(const Model& model, const Query& query) {
    Run run;
    const auto answer = model.ask(query, run);
    REQUIRE(answer);
    auto lines = model.explain(query, *answer, run);
    REQUIRE(lines);
    return *std::move(lines);
}

bool has(const std::vector<Number>& results, const Number& wanted) {
    return std::find(results.begin(), results.end(), wanted) != results.end();
}

}  // namespace

TEST_CASE("burglary: the derivation multiplies the tables out") {
    const auto model = make_net_model(burglary());
    Query query;
    query.targets.free = {var(*model, "Burglary")};
    query.given.events = {is(var(*model, "JohnCalls"), "true"), is(var(*model, "MaryCalls"), "true")};
    const auto lines = derived(*model, query);
    const auto results = check_derivation(*model, lines);
    REQUIRE(results.size() == 5);  // two joints, the evidence, two quotients
    CHECK(results[3] == Number(Rational(592242590, 2084100239)));
    CHECK(shown(lines).find("Bayes' theorem") != std::string::npos);
    CHECK(shown(lines).find("P(Burglary = true) * P(Earthquake = true) * P(Alarm = true | Burglary = true, Earthquake = true)") !=
          std::string::npos);
}

TEST_CASE("every line of a derivation is an expression of the same value") {
    std::size_t with_results = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed + 70);
        const NetPtr net = random_net(random, 3 + seed % 4, seed % 2 == 1);
        const auto model = make_net_model(net);
        const auto any = [&] { return static_cast<VarId>(random() % net->nodes.size()); };
        const auto label = [&](VarId v) { return std::to_string(random() % net->nodes[index(v)].variable.size()); };
        for (int kind = 0; kind < 10; ++kind) {
            Query query;
            const VarId x = any();
            const VarId y = any();
            if (kind != 1) query.targets.free = {x};
            if (kind == 1 || kind == 2) query.targets.events = {is(y, label(y))};
            if (kind == 7) query.targets.events = {combined(Event::Kind::any, {is(y, label(y)), is(x, label(x))})};
            const VarId e = any();
            if (kind == 3 || kind == 4 || kind == 1) query.given.events = {is(e, label(e))};
            if (kind == 5) query.given.events = {compare(e, Compare::not_equal, {label(e)})};
            if (kind == 4 || kind == 6) query.given.free = {any()};
            if (kind == 8) query.doing = {{e, Label::of_text(label(e))}};
            if (kind == 8 && y != e) query.given.events = {is(y, label(y))};
            if (kind == 9) {
                std::vector<Number> weights;
                const auto size = static_cast<std::int64_t>(net->nodes[index(e)].variable.size());
                for (std::int64_t i = 0; i < size; ++i) weights.emplace_back(seed % 2 == 0 ? Rational(1, size) : Rational(i + 1));
                query.given.soft = {{.kind = seed % 2 == 0 ? SoftEvidence::Kind::jeffrey : SoftEvidence::Kind::likelihood,
                                     .variable = e,
                                     .weights = weights}};
            }
            Run run;
            const auto answer = model->ask(query, run);
            if (!answer) continue;  // impossible evidence
            const auto lines = model->explain(query, *answer, run);
            INFO("seed " << seed << " kind " << kind);
            REQUIRE(lines);
            const auto results = check_derivation(*model, *lines);
            INFO(shown(*lines));
            if (results.empty()) continue;
            ++with_results;
            // what was asked for stands among the results
            if (const auto* f = std::get_if<Factor>(&answer->value)) {
                if (f->size() > 6 || f->variables().size() != query.targets.free.size()) continue;
                for (std::size_t i = 0; i < f->size(); ++i)
                    if (!f->at(i).is_zero()) CHECK(has(results, f->at(i)));
            } else {
                CHECK((number(*answer).is_zero() || has(results, number(*answer))));
            }
        }
    }
    CHECK(with_results > 200);
}

TEST_CASE("a long sum is counted, not written") {
    Net net;
    net.name = "Wide";
    for (int i = 0; i < 5; ++i) net.nodes.push_back(node(variable("C" + std::to_string(i), {"true", "false"}), {}, {"0.5", "0.5"}));
    std::vector<std::string> rows;
    for (int i = 0; i < 32; ++i) rows.insert(rows.end(), {"0.25", "0.75"});
    net.nodes.push_back(node(variable("E", {"true", "false"}), {0, 1, 2, 3, 4}, rows));
    const auto model = make_net_model(std::make_shared<const Net>(std::move(net)));
    Query query;
    query.targets.free = {var(*model, "C0")};
    query.given.events = {is(var(*model, "E"), "true")};
    const auto lines = derived(*model, query);
    CHECK(shown(lines).find("16 products are summed over C1, C2, C3, C4") != std::string::npos);
    CHECK(has(check_derivation(*model, lines), Number(Rational(1, 2))));
}

TEST_CASE("real tables give real lines") {
    Net net = *burglary();
    net.nodes[0].table = std::vector<double>{0.001, 0.999};
    const auto model = make_net_model(std::make_shared<const Net>(std::move(net)));
    Query query;
    query.targets.free = {var(*model, "Burglary")};
    query.given.events = {is(var(*model, "Alarm"), "true")};
    const auto results = check_derivation(*model, derived(*model, query));
    CHECK(results.size() == 5);
}

TEST_CASE("the most probable assignment is explained by its probability") {
    const auto model = make_net_model(burglary());
    Query query;
    query.targets.free = {var(*model, "Burglary"), var(*model, "Alarm")};
    query.given.events = {is(var(*model, "JohnCalls"), "true")};
    query.goal = Goal::most_probable;
    Run run;
    const auto answer = model->ask(query, run);
    REQUIRE(answer);
    const auto lines = model->explain(query, *answer, run);
    REQUIRE(lines);
    CHECK(has(check_derivation(*model, *lines), std::get<Assignment>(answer->value).probability));
}
