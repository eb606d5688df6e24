// Properties over generated nets, asked through scripts: order and names do not matter, marginals sum to one, exact and real agree,
// engines agree; and over all scripts of the project: formatting keeps the meaning.

#include <filesystem>
#include <numeric>

#include <catch2/catch.hpp>

#include "lang/syntax/format.hpp"
#include "lang/syntax/parse.hpp"
#include "runtime/core/rng.hpp"
#include "tests/support/dump.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/session.hpp"

using namespace credence;

namespace {

/// A random net as text: nodes v0 … with up to two parents among the earlier ones, two or three labels, some zeros.
struct RandomNet {
    struct Node {
        std::size_t labels = 2;
        std::vector<std::size_t> parents;
        std::vector<std::vector<int>> rows;  ///< weights out of their sum
    };
    std::vector<Node> nodes;

    explicit RandomNet(rt::Rng& rng) {
        const std::size_t size = 3 + rng.below(4);
        for (std::size_t i = 0; i < size; ++i) {
            Node node;
            node.labels = 2 + rng.below(2);
            for (std::size_t p = 0; p < i && node.parents.size() < 2; ++p)
                if (rng.below(2) == 0) node.parents.push_back(p);
            std::size_t rows = 1;
            for (const auto p : node.parents) rows *= nodes[p].labels;
            for (std::size_t r = 0; r < rows; ++r) {
                std::vector<int> weights(node.labels);
                do {
                    for (auto& w : weights) w = static_cast<int>(rng.below(5));
                } while (std::accumulate(weights.begin(), weights.end(), 0) == 0);
                node.rows.push_back(std::move(weights));
            }
            nodes.push_back(std::move(node));
        }
    }

    std::string row(const std::vector<int>& weights, const std::string& label) const {
        const int total = std::accumulate(weights.begin(), weights.end(), 0);
        std::string out = "{ ";
        for (std::size_t k = 0; k < weights.size(); ++k)
            out += (k ? ", " : "") + label + std::to_string(k) + ": " + std::to_string(weights[k]) + "/" + std::to_string(total);
        return out + " }";
    }

    std::string declaration(std::size_t i, const std::string& name, const std::string& label) const {
        const Node& node = nodes[i];
        std::string out = name + std::to_string(i);
        if (node.parents.empty()) return out + " : " + row(node.rows[0], label) + "\n";
        for (std::size_t k = 0; k < node.parents.size(); ++k) out += (k ? ", " : " | ") + name + std::to_string(node.parents[k]);
        out += " : {\n";
        for (std::size_t r = 0; r < node.rows.size(); ++r) {
            std::string keys;
            std::size_t rest = r;
            for (std::size_t k = node.parents.size(); k-- > 0;) {
                const std::size_t labels = nodes[node.parents[k]].labels;
                keys = label + std::to_string(rest % labels) + (keys.empty() ? "" : ", " + keys);
                rest /= labels;
            }
            out += "  " + keys + " : " + row(node.rows[r], label) + "\n";
        }
        return out + "}\n";
    }

    std::string text(const std::string& name, const std::string& label, bool reversed) const {
        std::string out = "net M {\n";
        for (std::size_t i = 0; i < nodes.size(); ++i) out += declaration(reversed ? nodes.size() - 1 - i : i, name, label);
        return out + "}\n";
    }
};

/// The number that the last statement prints; NaN where it is an error.
double value(const std::string& script) {
    lang::Session session(test::registry(), {});
    test::Recorder out;
    if (!test::run(session, script, out) || out.values.empty()) return NAN;
    return out.values.back().value.get<rt::Number>()->real();
}

void same(double a, double b) { CHECK(((std::isnan(a) && std::isnan(b)) || a == Approx(b).margin(1e-12))); }

}  // namespace

TEST_CASE("order of declarations and of evidence, names, engines and number modes do not change an answer") {
    rt::Rng rng(2024);
    std::size_t answered = 0;
    for (int round = 0; round < 60; ++round) {
        const RandomNet net(rng);
        const std::size_t last = net.nodes.size() - 1;
        const auto query = [&](const std::string& n, const std::string& l) {
            return "P(" + n + "0 = " + l + "0 | " + n + std::to_string(last) + " = " + l + "1, " + n + "1 = " + l + "0)";
        };
        const std::string plain = net.text("v", "a", false);
        const double reference = value(plain + query("v", "a"));
        INFO(plain << query("v", "a"));
        same(reference, value(net.text("v", "a", true) + query("v", "a")));
        same(reference, value(net.text("node", "label", false) + query("node", "label")));
        same(reference, value(plain + "P(v0 = a0 | v1 = a0, v" + std::to_string(last) + " = a1)"));
        same(reference, value(plain + query("v", "a") + " by enumeration"));
        same(reference, value("set numbers real\n" + plain + query("v", "a")));
        same(1, value(plain + "sum(P(v" + std::to_string(last) + "))"));
        answered += std::isnan(reference) ? 0 : 1;
    }
    CHECK(answered > 20);
}

TEST_CASE("formatting keeps the meaning of every script of the project and is done in one step") {
    std::size_t scripts = 0;
    for (const std::string folder : {"examples", "tests/golden/language", "stdlib"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(CREDENCE_SOURCE_DIR) / folder)) {
            if (entry.path().extension() != ".cred") continue;
            const std::string text = test::contents(entry.path());
            lang::Diagnostics diagnostics;
            const auto before = lang::dump(lang::parse(std::make_shared<lang::Source>("a", text), diagnostics));
            if (!diagnostics.empty()) continue;
            const std::string formatted = lang::format(text);
            INFO(entry.path());
            CHECK(lang::dump(lang::parse(std::make_shared<lang::Source>("b", formatted), diagnostics)) == before);
            CHECK(lang::format(formatted) == formatted);
            ++scripts;
        }
    CHECK(scripts > 30);
}
