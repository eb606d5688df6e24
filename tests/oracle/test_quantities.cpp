// Quantities against enumeration: random expressions over random small nets, in events, as evidence and free. The expected numbers are
// computed here, from the tables and the expressions themselves, in fractions; nothing of the language's own evaluation takes part.

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "runtime/core/rng.hpp"
#include "tests/support/expectations.hpp"

using namespace credence;

namespace {

using Integers = std::vector<std::int64_t>;

struct Node {
    std::vector<std::int64_t> values;
    std::vector<std::size_t> parents;
    std::vector<std::vector<std::int64_t>> rows;  ///< weights, by configuration of the parents, the last fastest
};

struct RandomNet {
    std::vector<Node> nodes;

    explicit RandomNet(rt::Rng& rng) {
        const std::size_t size = 2 + rng.below(3);
        for (std::size_t i = 0; i < size; ++i) {
            Node node;
            const std::size_t labels = 2 + rng.below(3);
            for (std::int64_t v = static_cast<std::int64_t>(rng.below(3)) - 1; node.values.size() < labels;
                 v += 1 + static_cast<int>(rng.below(2)))
                node.values.push_back(v);
            for (std::size_t p = 0; p < i && node.parents.size() < 2; ++p)
                if (rng.below(2) == 0) node.parents.push_back(p);
            std::size_t rows = 1;
            for (const auto p : node.parents) rows *= nodes[p].values.size();
            for (std::size_t r = 0; r < rows; ++r) {
                std::vector<std::int64_t> weights(labels);
                do {
                    for (auto& w : weights) w = static_cast<std::int64_t>(rng.below(4));
                } while (std::all_of(weights.begin(), weights.end(), [](std::int64_t w) { return w == 0; }));
                node.rows.push_back(std::move(weights));
            }
            nodes.push_back(std::move(node));
        }
    }

    static std::string row_text(const Node& node, const std::vector<std::int64_t>& weights) {
        std::int64_t total = 0;
        for (const auto w : weights) total += w;
        std::string out = "{ ";
        for (std::size_t k = 0; k < weights.size(); ++k)
            out += (k ? ", " : "") + std::to_string(node.values[k]) + ": " + std::to_string(weights[k]) + "/" + std::to_string(total);
        return out + " }";
    }

    std::string text() const {
        std::string out = "net N {\n";
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node& node = nodes[i];
            out += "  X" + std::to_string(i);
            if (node.parents.empty()) {
                out += " : " + row_text(node, node.rows[0]) + "\n";
                continue;
            }
            for (std::size_t k = 0; k < node.parents.size(); ++k) out += (k ? ", X" : " | X") + std::to_string(node.parents[k]);
            out += " : {\n";
            for (std::size_t r = 0; r < node.rows.size(); ++r) {
                std::string keys;
                std::size_t rest = r;
                for (std::size_t k = node.parents.size(); k-- > 0;) {
                    const auto& values = nodes[node.parents[k]].values;
                    keys = std::to_string(values[rest % values.size()]) + (keys.empty() ? "" : ", ") + keys;
                    rest /= values.size();
                }
                out += "    " + keys + " : " + row_text(node, node.rows[r]) + "\n";
            }
            out += "  }\n";
        }
        return out + "}\n";
    }

    /// Every assignment with its probability.
    std::vector<std::pair<Integers, rt::Rational>> joint() const {
        std::vector<std::pair<Integers, rt::Rational>> out{{{}, rt::Rational(1)}};
        for (const auto& node : nodes) {
            std::vector<std::pair<Integers, rt::Rational>> next;
            for (const auto& [values, p] : out) {
                std::size_t r = 0;
                for (const auto parent : node.parents) {
                    const auto& domain = nodes[parent].values;
                    r = r * domain.size() +
                        static_cast<std::size_t>(std::find(domain.begin(), domain.end(), values[parent]) - domain.begin());
                }
                std::int64_t total = 0;
                for (const auto w : node.rows[r]) total += w;
                for (std::size_t k = 0; k < node.values.size(); ++k) {
                    if (node.rows[r][k] == 0) continue;
                    Integers longer = values;
                    longer.push_back(node.values[k]);
                    next.emplace_back(std::move(longer), p * rt::Rational(node.rows[r][k], total));
                }
            }
            out = std::move(next);
        }
        return out;
    }
};

/// An expression: how it is written, and what it is worth.
struct Expression {
    std::string text;
    std::function<std::int64_t(const Integers&)> worth;
};

struct Condition {
    std::string text;
    std::function<bool(const Integers&)> holds;
};

class Writer {
public:
    Writer(const RandomNet& net, rt::Rng& rng) : net_(net), rng_(rng) {}

    Expression number(int depth) {
        const std::size_t kind = depth == 0 ? rng_.below(3) : rng_.below(14);
        if (kind < 2 || (kind == 2 && depth > 0)) {
            const std::size_t i = rng_.below(net_.nodes.size());
            return {"X" + std::to_string(i), [i](const Integers& v) { return v[i]; }};
        }
        if (kind == 2) {
            const auto c = static_cast<std::int64_t>(rng_.below(4));
            return {std::to_string(c), [c](const Integers&) { return c; }};
        }
        const Expression a = number(depth - 1);
        const Expression b = number(depth - 1);
        const auto both = [&](const std::string& text, std::int64_t (*op)(std::int64_t, std::int64_t)) {
            return Expression{text, [a, b, op](const Integers& v) { return op(a.worth(v), b.worth(v)); }};
        };
        switch (kind) {
            case 3:
                return both("(" + a.text + " + " + b.text + ")", [](std::int64_t x, std::int64_t y) { return x + y; });
            case 4:
                return both("(" + a.text + " - " + b.text + ")", [](std::int64_t x, std::int64_t y) { return x - y; });
            case 5:
                return both("(" + a.text + " * " + b.text + ")", [](std::int64_t x, std::int64_t y) { return x * y; });
            case 6:
                return both("max(" + a.text + ", " + b.text + ")", [](std::int64_t x, std::int64_t y) { return std::max(x, y); });
            case 7:
                return both("min([" + a.text + ", " + b.text + "])", [](std::int64_t x, std::int64_t y) { return std::min(x, y); });
            case 8:
                return {"abs(" + a.text + ")", [a](const Integers& v) { return std::abs(a.worth(v)); }};
            case 9:
                return {"(" + a.text + " mod 3)", [a](const Integers& v) { return ((a.worth(v) % 3) + 3) % 3; }};
            case 10:
            case 11:
            case 12:
                return of_list({a, b, number(depth - 1)}, kind - 10);
            default: {
                const Condition c = condition(depth - 1);
                return {"(if " + c.text + " then " + a.text + " else " + b.text + ")",
                        [a, b, c](const Integers& v) { return c.holds(v) ? a.worth(v) : b.worth(v); }};
            }
        }
    }

    /// A sorted value, the sum of the two highest, or how many are different.
    Expression of_list(const std::vector<Expression>& items, std::size_t kind) {
        std::string list;
        for (const auto& item : items) list += (list.empty() ? "[" : ", ") + item.text;
        list += "]";
        const auto sorted = [items](const Integers& v) {
            Integers out;
            for (const auto& item : items) out.push_back(item.worth(v));
            std::sort(out.begin(), out.end());
            return out;
        };
        const std::size_t rank = rng_.below(items.size());
        if (kind == 0) return {"sort(" + list + ")[" + std::to_string(rank + 1) + "]", [=](const Integers& v) { return sorted(v)[rank]; }};
        if (kind == 1) return {"sum(sort(" + list + ")[2..3])", [=](const Integers& v) { return sorted(v)[1] + sorted(v)[2]; }};
        return {"count(unique(" + list + "))", [=](const Integers& v) {
                    const auto all = sorted(v);
                    return static_cast<std::int64_t>(std::set<std::int64_t>(all.begin(), all.end()).size());
                }};
    }

    /// As it stands inside an expression, with == for equality.
    Condition condition(int depth) {
        const Expression a = number(depth);
        const Expression b = number(depth);
        switch (rng_.below(depth > 0 ? 7 : 5)) {
            case 0:
                return {"(" + a.text + " < " + b.text + ")", [a, b](const Integers& v) { return a.worth(v) < b.worth(v); }};
            case 1:
                return {"(" + a.text + " >= " + b.text + ")", [a, b](const Integers& v) { return a.worth(v) >= b.worth(v); }};
            // 0 + …, because a variable by itself is only compared with values that it has.
            case 2:
                return {"(0 + " + a.text + " == " + b.text + ")", [a, b](const Integers& v) { return a.worth(v) == b.worth(v); }};
            case 3:
                return {"(0 + " + a.text + " != " + b.text + ")", [a, b](const Integers& v) { return a.worth(v) != b.worth(v); }};
            case 4:
                return {"(0 + " + a.text + " in {0, 2, 3})", [a](const Integers& v) {
                            const auto x = a.worth(v);
                            return x == 0 || x == 2 || x == 3;
                        }};
            case 5: {
                const Condition c = condition(depth - 1);
                const Condition d = condition(depth - 1);
                return {"(" + c.text + " or " + d.text + ")", [c, d](const Integers& v) { return c.holds(v) || d.holds(v); }};
            }
            default: {
                const Condition c = condition(depth - 1);
                const Condition d = condition(depth - 1);
                return {"(" + c.text + " and not " + d.text + ")", [c, d](const Integers& v) { return c.holds(v) && !d.holds(v); }};
            }
        }
    }

    std::size_t below(std::size_t n) { return rng_.below(n); }

private:
    const RandomNet& net_;
    rt::Rng& rng_;
};

std::string fraction(const rt::Rational& r) { return "(" + r.text() + ")"; }

/// One query with the answer it must have.
std::string expectation(const RandomNet& net, const std::vector<std::pair<Integers, rt::Rational>>& joint, Writer& writer) {
    const auto mass = [&](const auto& holds) {
        rt::Rational out = 0;
        for (const auto& [values, p] : joint)
            if (holds(values)) out += p;
        return out;
    };
    Expression a = writer.number(2);
    const auto varies = [&](const Expression& e) {
        return std::any_of(joint.begin(), joint.end(), [&](const auto& one) { return e.worth(one.first) != e.worth(joint[0].first); });
    };
    for (int tries = 0; tries < 100 && !varies(a); ++tries) a = writer.number(2);  // a constant is not asked for
    if (!varies(a)) a = {"X0", [](const Integers& v) { return v[0]; }};
    const Condition given = writer.condition(1);
    const rt::Rational total = mass(given.holds);
    const auto k = a.worth(joint[writer.below(joint.size())].first);  // a value that it can have
    const auto is_k = [&](const Integers& v) { return a.worth(v) == k; };
    const std::string equal = a.text + " = " + std::to_string(k);
    switch (writer.below(6)) {
        case 0:
            return "expect P(" + equal + ") == " + fraction(mass(is_k));
        case 1: {
            const Condition c = writer.condition(2);
            return "expect P(" + c.text + ") == " + fraction(mass(c.holds));
        }
        case 2: {
            if (total.is_zero()) return "expect error \"E-ZERO\": P(" + equal + " | " + given.text + ")";
            const auto both = mass([&](const Integers& v) { return is_k(v) && given.holds(v); });
            return "expect P(" + equal + " | " + given.text + ") == " + fraction(both / total);
        }
        case 3: {
            const std::size_t i = writer.below(net.nodes.size());
            const auto& domain = net.nodes[i].values;
            const auto x = domain[writer.below(domain.size())];
            const auto both = mass([&](const Integers& v) { return v[i] == x && is_k(v); });
            return "expect P(X" + std::to_string(i) + " = " + std::to_string(x) + " | " + equal + ") == " + fraction(both / mass(is_k));
        }
        case 4: {
            rt::Rational mean = 0;
            for (const auto& [values, p] : joint) mean += p * rt::Rational(a.worth(values));
            return "expect E(" + a.text + ") == " + fraction(mean);
        }
        default: {
            std::map<std::int64_t, rt::Rational> spread;
            for (const auto& [values, p] : joint) {
                if (!given.holds(values)) continue;
                auto [entry, fresh] = spread.try_emplace(a.worth(values), rt::Rational(0));
                entry->second += p / total;
            }
            if (total.is_zero()) return "expect error \"E-ZERO\": P(" + a.text + " as Q | " + given.text + ")";
            std::string record;
            for (const auto& [value, p] : spread) record += (record.empty() ? "" : ", ") + std::to_string(value) + ": " + p.text();
            // Values that the evidence excludes stay in the table with probability 0.
            std::string out = "let spread = P((" + a.text + ") as Q | " + given.text + ")\nexpect sum(spread) == 1";
            for (const auto& [value, p] : spread) out += "\nexpect spread[" + std::to_string(value) + "] == " + fraction(p);
            return out;
        }
    }
}

}  // namespace

TEST_CASE("quantities agree with enumeration on random nets", "[oracle]") {
    constexpr std::size_t nets = 400;
    constexpr std::size_t queries = 25;
    rt::Rng rng(20'261'118);
    std::size_t met = 0;
    for (std::size_t n = 0; n < nets; ++n) {
        const RandomNet net(rng);
        const auto joint = net.joint();
        Writer writer(net, rng);
        std::string script = net.text();
        for (std::size_t q = 0; q < queries; ++q) script += expectation(net, joint, writer) + "\n";
        met += test::met_expectations(script);
    }
    CHECK(met >= nets * queries);
}
