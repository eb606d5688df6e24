// Engines against the truth: rows are small models, columns the engines, the truth a brute-force sum written here.

#include <catch2/catch.hpp>

#include <map>

#include "runtime/nets/markov.hpp"
#include "runtime/prob/declared/hypotheses.hpp"
#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

using Values = std::vector<std::size_t>;

bool atom_holds(const Net& net, const Atom& atom, const Values& values) {
    const auto& label = (*net.nodes[index(atom.variable)].variable.domain)[values[index(atom.variable)]];
    const auto numbers = [&](auto compare) { return compare(label.number()->real(), atom.values[0].number()->real()); };
    switch (atom.compare) {
        case Compare::equal:
            return label.text() == atom.values[0].text();
        case Compare::not_equal:
            return label.text() != atom.values[0].text();
        case Compare::less:
            return numbers(std::less<>());
        case Compare::less_equal:
            return numbers(std::less_equal<>());
        case Compare::greater:
            return numbers(std::greater<>());
        case Compare::greater_equal:
            return numbers(std::greater_equal<>());
        case Compare::one_of:
            for (const auto& v : atom.values)
                if (v.text() == label.text()) return true;
            return false;
    }
    return false;
}

bool event_holds(const Net& net, const Event& event, const Values& values) {
    switch (event.kind) {
        case Event::Kind::atom:
            return atom_holds(net, event.atom, values);
        case Event::Kind::negation:
            return !event_holds(net, event.parts[0], values);
        case Event::Kind::all:
            for (const auto& part : event.parts)
                if (!event_holds(net, part, values)) return false;
            return true;
        case Event::Kind::any:
            for (const auto& part : event.parts)
                if (event_holds(net, part, values)) return true;
            return false;
    }
    return false;
}

/// Every assignment of the net with its probability under the interventions.
struct World {
    Values values;
    Rational probability;
};

std::vector<World> worlds(const Net& net, const std::vector<Intervention>& doing) {
    std::vector<World> out{{Values(net.nodes.size(), 0), 1}};
    for (const auto id : net.topological_order()) {
        const NetNode& n = net.nodes[index(id)];
        std::vector<World> next;
        for (const auto& world : out) {
            std::size_t row = 0;
            for (const auto parent : n.parents) row = row * net.nodes[index(parent)].variable.size() + world.values[index(parent)];
            for (std::size_t v = 0; v < n.variable.size(); ++v) {
                Rational p = std::get<std::vector<Rational>>(n.table)[row * n.variable.size() + v];
                for (const auto& d : doing)
                    if (d.variable == id) p = (*n.variable.domain)[v] == d.value ? 1 : 0;
                World extended = world;
                extended.values[index(id)] = v;
                extended.probability *= p;
                next.push_back(std::move(extended));
            }
        }
        out = std::move(next);
    }
    return out;
}

using Key = std::vector<std::size_t>;

/// P(T, t | G, e) as a map from (values of answer variables) to the number; nothing where the evidence is impossible.
std::map<Key, std::optional<Rational>> truth(const Net& net, const Query& query) {
    auto all = worlds(net, query.doing);
    for (auto& world : all)
        for (const auto& e : query.given.events)
            if (!event_holds(net, e, world.values)) world.probability = 0;
    for (const auto& soft : query.given.soft)
        if (soft.kind == SoftEvidence::Kind::likelihood)
            for (auto& world : all) world.probability *= soft.weights[world.values[index(soft.variable)]].exact();
    const auto key_of = [&](const std::vector<VarId>& over, const World& world) {
        Key key;
        for (const auto v : over) key.push_back(world.values[index(v)]);
        return key;
    };
    for (const auto& soft : query.given.soft) {
        if (soft.kind != SoftEvidence::Kind::jeffrey) continue;
        std::map<Key, Rational> of_y_and_g, of_g;
        const auto with_y = [&](const World& world) {
            Key key = key_of(query.given.free, world);
            key.push_back(world.values[index(soft.variable)]);
            return key;
        };
        for (const auto& world : all) {
            of_y_and_g[with_y(world)] += world.probability;
            of_g[key_of(query.given.free, world)] += world.probability;
        }
        for (auto& world : all) {
            const Rational joint = of_y_and_g[with_y(world)];
            if (joint.is_zero()) continue;
            world.probability *= soft.weights[world.values[index(soft.variable)]].exact() * of_g[key_of(query.given.free, world)] / joint;
        }
    }
    std::vector<VarId> answer = query.targets.free;
    for (const auto v : query.given.free)
        if (std::find(answer.begin(), answer.end(), v) == answer.end()) answer.push_back(v);
    std::map<Key, Rational> num, den;
    for (const auto& world : all) {
        den[key_of(query.given.free, world)] += world.probability;
        bool hit = true;
        for (const auto& t : query.targets.events) hit = hit && event_holds(net, t, world.values);
        num[key_of(answer, world)] += hit ? world.probability : Rational(0);
    }
    std::map<Key, std::optional<Rational>> out;
    for (const auto& world : all) {
        const Key key = key_of(answer, world);
        const Rational below = den[key_of(query.given.free, world)];
        if (below.is_zero())
            out[key] = std::nullopt;
        else
            out[key] = num[key] / below;
    }
    return out;
}

class Generator {
public:
    Generator(const Net& net, unsigned seed) : net_(net), random_(seed) {}
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    VarId any() { return static_cast<VarId>(below(static_cast<unsigned>(net_.nodes.size()))); }
    std::string label(VarId v) { return std::to_string(below(static_cast<unsigned>(net_.nodes[index(v)].variable.size()))); }
    Event event(int depth) {
        const VarId v = any();
        const auto kind = below(depth > 0 ? 7 : 4);
        if (kind <= 1) return is(v, label(v));
        if (kind == 2) return compare(v, static_cast<Compare>(1 + below(5)), {label(v)});
        if (kind == 3) return compare(v, Compare::one_of, {label(v), label(v)});
        if (kind == 4) return combined(Event::Kind::negation, {event(depth - 1)});
        return combined(kind == 5 ? Event::Kind::any : Event::Kind::all, {event(depth - 1), event(depth - 1)});
    }
    Query query() {
        Query q;
        for (unsigned i = 0, n = below(3); i < n; ++i) add(q.targets.free, any());
        if (q.targets.free.empty() || below(3) == 0) q.targets.events.push_back(event(2));
        for (unsigned i = 0, n = below(4) / 2; i < n; ++i) add(q.given.free, any());
        for (unsigned i = 0, n = below(3); i < n; ++i) q.given.events.push_back(event(2));
        if (below(4) == 0) {
            const VarId v = any();
            const bool asked = std::find(q.given.free.begin(), q.given.free.end(), v) != q.given.free.end();
            if (!asked && !mentions(q.given, v)) q.doing.push_back({v, Label::of_text(label(v))});
        }
        if (below(3) == 0) {
            const VarId v = any();
            const bool set = !q.doing.empty() && q.doing[0].variable == v;
            const bool asked = std::find(q.given.free.begin(), q.given.free.end(), v) != q.given.free.end();
            if (!set && !asked) q.given.soft.push_back(soft(v));
        }
        return q;
    }
    SoftEvidence soft(VarId v) {
        SoftEvidence out;
        out.kind = below(2) == 0 ? SoftEvidence::Kind::jeffrey : SoftEvidence::Kind::likelihood;
        out.variable = v;
        std::vector<int> weights;
        int total = 0;
        for (std::size_t i = 0; i < net_.nodes[index(v)].variable.size(); ++i) {
            weights.push_back(1 + static_cast<int>(below(5)));
            total += weights.back();
        }
        for (const int w : weights) out.weights.emplace_back(out.kind == SoftEvidence::Kind::jeffrey ? Rational(w, total) : Rational(w));
        return out;
    }

private:
    static void add(std::vector<VarId>& to, VarId v) {
        if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
    }
    bool mentions(const Clause& clause, VarId v) {
        const auto in = [&](const auto& self, const Event& e) -> bool {
            if (e.kind == Event::Kind::atom) return e.atom.variable == v;
            for (const auto& part : e.parts)
                if (self(self, part)) return true;
            return false;
        };
        for (const auto& e : clause.events)
            if (in(in, e)) return true;
        return false;
    }
    const Net& net_;
    std::mt19937 random_;
};

const std::vector<std::string> engines{"exact", "variable_elimination", "enumeration", "junction_tree"};

/// These nets are small and exact: every exact engine answers in fractions unless it is told not to.
bool in_fractions(NumberMode mode) { return mode == NumberMode::automatic; }

/// Asks every engine, in fractions and in doubles.
template <class Judge>
void ask_every_engine(const Model& model, Query query, unsigned seed, int repeat, Judge judge) {
    for (const auto& engine : engines)
        for (const auto mode : {NumberMode::automatic, NumberMode::real}) {
            query.by.name = engine;
            Run run;
            run.numbers = mode;
            const auto answer = model.ask(query, run);
            INFO("seed " << seed << " repeat " << repeat << " engine " << engine << " mode " << static_cast<int>(mode)
                         << (answer ? "" : " fault " + std::string(answer.fault().code.text()) + ": " + answer.fault().message));
            if (!answer) REQUIRE(answer.fault().code.text() == "E-ZERO");
            judge(engine, mode, answer);
        }
}

/// The entries of the answer, or its one number, against those of brute force: keys ascend as the factor's entries do.
void require_values(const Query& query, const std::map<Key, std::optional<Rational>>& expected, const Answer& answer, NumberMode mode,
                    double tolerance = 1e-9) {
    std::size_t entry = 0;
    for (const auto& [key, value] : expected) {
        const Number got = query.targets.free.empty() && query.given.free.empty() ? number(answer) : factor(answer).at(entry);
        ++entry;
        if (!value) continue;
        if (in_fractions(mode))
            REQUIRE(got == Number(*value));
        else
            REQUIRE(got.real() == Approx(value->to_double()).epsilon(tolerance).margin(tolerance == 1e-9 ? 1e-13 : 1e-14));
    }
    if (!expected.begin()->first.empty()) REQUIRE(factor(answer).size() == entry);
}

}  // namespace

TEST_CASE("every engine agrees with brute force on random nets and queries") {
    std::size_t answered = 0;
    std::size_t refused = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const NetPtr net = random_net(random, 3 + seed % 5, seed % 2 == 1);
        const auto model = make_net_model(net);
        Generator generator(*net, seed + 1000);
        for (int repeat = 0; repeat < 25; ++repeat) {
            Query query = generator.query();
            const auto expected = truth(*net, query);
            bool all_defined = true;
            bool jeffrey = false;
            for (const auto& [key, value] : expected) all_defined = all_defined && value.has_value();
            for (const auto& soft : query.given.soft) jeffrey = jeffrey || soft.kind == SoftEvidence::Kind::jeffrey;
            ask_every_engine(*model, query, seed, repeat, [&](const std::string& engine, NumberMode mode, const Result<Answer>& answer) {
                if (!answer) {
                    REQUIRE((!all_defined || jeffrey));
                    ++refused;
                    return;
                }
                REQUIRE(answer->exact == in_fractions(mode));
                // a tree leaves to logarithms what has an empty configuration, which may be one that doubles cannot hold
                if (engine != "exact" && (engine != "junction_tree" || all_defined)) REQUIRE(answer->engine == engine);
                REQUIRE((!query.given.free.empty() || all_defined));
                ++answered;
                require_values(query, expected, *answer, mode, engine == "junction_tree" ? 1e-12 : 1e-9);
            });
        }
    }
    CHECK(answered > 3000);
    CHECK(refused > 50);
}

TEST_CASE("most probable assignments agree with brute force, the first among equals") {
    std::size_t by_trees = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed + 500);
        const NetPtr net = random_net(random, 3 + seed % 5, seed % 2 == 1);
        const auto model = make_net_model(net);
        Generator generator(*net, seed + 2000);
        for (int repeat = 0; repeat < 10; ++repeat) {
            Query query = generator.query();
            query.given.free.clear();
            if (repeat % 2 == 0) query.given.soft.clear();
            if (query.targets.free.empty()) query.targets.free.push_back(generator.any());
            if (repeat == 0) {
                query.targets.free.clear();
                for (std::size_t i = 0; i < net->nodes.size(); ++i) query.targets.free.push_back(static_cast<VarId>(i));
            }
            const auto expected = truth(*net, query);
            std::optional<Rational> best;
            Key first;
            std::size_t ties = 0;
            for (const auto& [key, value] : expected) {
                if (!value) continue;
                if (!best || *best < *value) {
                    best = value;
                    first = key;
                    ties = 0;
                }
                ties += *value == *best ? 1 : 0;
            }
            query.goal = Goal::most_probable;
            for (const auto& engine : engines) {
                for (const auto mode : {NumberMode::automatic, NumberMode::real}) {
                    query.by.name = engine;
                    Run run;
                    run.numbers = mode;
                    const auto answer = model->ask(query, run);
                    INFO("seed " << seed << " repeat " << repeat << " engine " << engine << " mode " << static_cast<int>(mode));
                    if (!best || !answer) {  // a new distribution may want what the other evidence excludes
                        REQUIRE_FALSE(answer);
                        CHECK(answer.fault().code.text() == "E-ZERO");
                        CHECK((!best || !query.given.soft.empty()));
                        continue;
                    }
                    by_trees += answer->engine == "junction_tree" && !in_fractions(mode) ? 1 : 0;
                    const auto& assignment = std::get<Assignment>(answer->value);
                    REQUIRE(assignment.values.size() == first.size());
                    if (best->is_zero()) continue;
                    const bool brittle = mode == NumberMode::real && engine == "enumeration" && ties > 1;  // rounding breaks ties there
                    for (std::size_t i = 0; i < first.size() && !brittle; ++i)
                        CHECK(assignment.values[i].second == (*assignment.values[i].first.domain)[first[i]]);
                    if (in_fractions(mode)) {
                        CHECK(assignment.probability == Number(*best));
                        CHECK(assignment.ties == ties);
                    } else {
                        CHECK(assignment.probability.real() == Approx(best->to_double()).epsilon(1e-9));
                    }
                }
            }
        }
    }
    CHECK(by_trees > 50);
}

TEST_CASE("the tables of a net as an undirected model give the same answers, by every engine") {
    std::size_t answered = 0;
    std::size_t by_trees = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed + 40);
        const NetPtr net = random_net(random, 3 + seed % 5, seed % 2 == 1);
        auto undirected = std::make_shared<MarkovNet>();
        undirected->name = "U";
        for (std::size_t i = 0; i < net->nodes.size(); ++i) {
            const auto& n = net->nodes[i];
            undirected->variables.push_back(n.variable);
            MarkovTable table;
            for (const auto parent : n.parents) table.variables.push_back(static_cast<Slot>(index(parent)));
            table.variables.push_back(static_cast<Slot>(i));
            table.values = n.table;
            undirected->tables.push_back(std::move(table));
        }
        const auto model = make_markov_model(undirected);
        Generator generator(*net, seed + 5000);
        for (int repeat = 0; repeat < 20; ++repeat) {
            Query query = generator.query();
            query.doing.clear();
            const auto expected = truth(*net, query);
            bool all_defined = true;
            for (const auto& [key, value] : expected) all_defined = all_defined && value.has_value();
            ask_every_engine(*model, query, seed, repeat, [&](const std::string& engine, NumberMode mode, const Result<Answer>& answer) {
                if (!answer) {
                    REQUIRE((!all_defined || !query.given.soft.empty()));
                    return;
                }
                REQUIRE(all_defined);
                REQUIRE(answer->exact == in_fractions(mode));
                if (engine != "exact") REQUIRE(answer->engine == engine);
                ++answered;
                by_trees += answer->engine == "junction_tree" && !answer->exact ? 1 : 0;
                require_values(query, expected, *answer, mode);
            });
        }
    }
    CHECK(answered > 2000);
    CHECK(by_trees > 500);
}

TEST_CASE("samples follow the exact answer within five standard errors") {
    for (unsigned seed = 0; seed < 6; ++seed) {
        std::mt19937 random(seed + 90);
        const NetPtr net = random_net(random, 5, true);
        const auto model = make_net_model(net);
        Generator generator(*net, seed + 3000);
        Clause given;
        if (seed % 3 != 0) given.events.push_back(generator.event(2));
        if (seed % 3 == 2) given.soft.push_back(generator.soft(generator.any()));
        Run run;
        constexpr std::size_t n = 20000;
        const auto table = model->sample(n, given, run);
        if (!table) {
            CHECK(table.fault().code.text() == "E-ZERO");
            continue;
        }
        REQUIRE((*table)->columns.size() == net->nodes.size());
        for (std::size_t v = 0; v < net->nodes.size(); ++v) {
            Query query;
            query.targets.free.push_back(static_cast<VarId>(v));
            query.given = given;
            const auto expected = truth(*net, query);
            for (const auto& [key, value] : expected) {
                std::size_t hits = 0;
                for (std::size_t r = 0; r < n; ++r) hits += (*table)->columns[v]->label(r).text() == std::to_string(key[0]) ? 1 : 0;
                const double p = value->to_double();
                INFO("seed " << seed << " variable " << v << " value " << key[0]);
                CHECK(std::abs(static_cast<double>(hits) / n - p) <= 5 * std::sqrt(p * (1 - p) / n) + 1e-12);
            }
        }
    }
}

TEST_CASE("a hypothesis space agrees with the net that draws every observation") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed + 7000);
        const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
        const unsigned a_size = 2 + below(2);
        const unsigned b_size = 1 + below(3);
        const unsigned y_size = 2 + below(2);
        const auto labels = [](unsigned n) {
            std::vector<std::string> out;
            for (unsigned i = 0; i < n; ++i) out.push_back(std::to_string(i));
            return out;
        };
        const auto row = [&](unsigned n) {
            std::vector<std::int64_t> weights;
            std::int64_t total = 0;
            for (unsigned i = 0; i < n; ++i) total += weights.emplace_back(below(4));
            if (total == 0) total = weights[0] = 1;
            std::vector<Rational> out;
            for (const auto w : weights) out.emplace_back(w, total);
            return out;
        };
        HypothesisSpace space;
        space.name = "S";
        space.parametric = true;
        space.parameters = {variable("a", labels(a_size)), variable("b", labels(b_size))};
        const auto prior = row(a_size * b_size);
        space.prior = std::vector<Number>(prior.begin(), prior.end());
        space.outcome = variable("y", labels(y_size));
        std::vector<Rational> table;
        for (unsigned h = 0; h < a_size * b_size; ++h)
            for (const auto& p : row(y_size)) table.push_back(p);
        space.table.assign(table.begin(), table.end());

        // the net: one node for (a, b), then four draws
        Net net;
        net.name = "N";
        NetNode h;
        h.variable = variable("h", labels(a_size * b_size));
        h.table = prior;
        net.nodes.push_back(h);
        const unsigned draws = 4;
        for (unsigned i = 0; i < draws; ++i) {
            NetNode y;
            y.variable = variable("y" + std::to_string(i), labels(y_size));
            y.parents = {static_cast<VarId>(0)};
            y.table = table;
            net.nodes.push_back(y);
        }
        Query in_net;
        Observations list;
        for (unsigned i = 1; i < draws; ++i) {
            const auto value = std::to_string(below(y_size));
            in_net.given.events.push_back(is(static_cast<VarId>(i), value));
            list.values.push_back(Label::of_text(value));
        }
        const auto model = make_hypotheses_model(space);
        list.variable = var(*model, "y");
        Query query;
        query.given.observations = {list};
        for (const bool predict : {false, true}) {
            in_net.targets.free = {static_cast<VarId>(predict ? draws : 0)};
            query.targets.free = predict ? std::vector{var(*model, "next y")} : std::vector{var(*model, "a"), var(*model, "b")};
            const auto expected = truth(net, in_net);
            for (const auto mode : {NumberMode::automatic, NumberMode::real}) {
                Run run;
                run.numbers = mode;
                const auto answer = model->ask(query, run);
                INFO("seed " << seed << " predict " << predict);
                if (!expected.begin()->second) {
                    REQUIRE_FALSE(answer);
                    CHECK(answer.fault().code.text() == "E-ZERO");
                    continue;
                }
                REQUIRE(answer);
                REQUIRE(factor(*answer).size() == expected.size());
                std::size_t entry = 0;
                for (const auto& [key, value] : expected)
                    CHECK(factor(*answer).at(entry++).real() == Approx(value->to_double()).epsilon(1e-12).margin(1e-300));
            }
        }
    }
}
