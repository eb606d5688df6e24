// Statistics of plates against enumeration: sorted values, different values, how often values occur, and products as nodes. The members
// are alike, of several kinds, hang on a common parent or form a chain, so that each of the ways in which the program counts is met. The
// expected numbers are computed here, throw by throw.

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include <catch2/catch.hpp>

#include "runtime/core/rng.hpp"
#include "tests/support/expectations.hpp"

using namespace credence;

namespace {

using Throw = std::vector<std::int64_t>;
using Weights = std::vector<std::int64_t>;  // of the values 1, 2, 3

enum class Shape { alike, kinds, parent, chain };

/// A plate M of members with the values 1 to 3.
class Plate {
public:
    Plate(Shape shape, std::size_t members, rt::Rng& rng) : shape_(shape), members_(members) {
        for (int k = 0; k < 3; ++k) {
            Weights weights(3);
            do {
                for (auto& w : weights) w = static_cast<std::int64_t>(rng.below(4));
            } while (weights[0] + weights[1] + weights[2] == 0);
            rows_.push_back(weights);
        }
    }

    std::string text(const std::string& more) const {
        std::string out = "net N {\n";
        const auto row = [&](std::size_t k) {
            const auto& w = rows_[k];
            const auto total = "/" + std::to_string(w[0] + w[1] + w[2]);
            return "{ 1: " + std::to_string(w[0]) + total + ", 2: " + std::to_string(w[1]) + total + ", 3: " + std::to_string(w[2]) +
                   total + " }";
        };
        const std::string many = "  for i in 1.." + std::to_string(members_) + " { M[i] ";
        const std::string table = ": { 1: " + row(0) + "; 2: " + row(1) + "; 3: " + row(2) + " } }\n";
        switch (shape_) {
            case Shape::alike:
                out += many + ": " + row(0) + " }\n";
                break;
            case Shape::kinds:
                for (std::size_t i = 0; i < members_; ++i) out += "  M[" + std::to_string(i + 1) + "] : " + row(i % 3) + "\n";
                break;
            case Shape::parent:
                out += "  Z : uniform(1..3)\n" + many + "| Z " + table;
                break;
            case Shape::chain:
                out += "  M[0] : uniform(1..3)\n" + many + "| M[i - 1] " + table;
                break;
        }
        return out + more + "}\n";
    }

    std::string members() const { return shape_ == Shape::chain ? "M[1.." + std::to_string(members_) + "]" : "M"; }

    /// Every throw of the members that is possible, with its probability.
    std::map<Throw, rt::Rational> throws() const {
        std::map<Throw, rt::Rational> out;
        const bool hidden = shape_ == Shape::parent || shape_ == Shape::chain;
        for (std::size_t first = 0; first < (hidden ? 3U : 1U); ++first) {
            std::vector<std::pair<Throw, rt::Rational>> open{{{}, hidden ? rt::Rational(1, 3) : rt::Rational(1)}};
            for (std::size_t i = 0; i < members_; ++i) {
                std::vector<std::pair<Throw, rt::Rational>> next;
                for (const auto& [values, p] : open) {
                    std::size_t k = 0;
                    if (shape_ == Shape::kinds) k = i % 3;
                    if (shape_ == Shape::parent) k = first;
                    if (shape_ == Shape::chain) k = values.empty() ? first : static_cast<std::size_t>(values.back() - 1);
                    const auto& w = rows_[k];
                    for (std::size_t v = 0; v < 3; ++v) {
                        if (w[v] == 0) continue;
                        Throw longer = values;
                        longer.push_back(static_cast<std::int64_t>(v + 1));
                        next.emplace_back(std::move(longer), p * rt::Rational(w[v], w[0] + w[1] + w[2]));
                    }
                }
                open = std::move(next);
            }
            for (const auto& [values, p] : open) out.try_emplace(values, 0).first->second += p;
        }
        return out;
    }

private:
    Shape shape_;
    std::size_t members_;
    std::vector<Weights> rows_;
};

struct Statistic {
    std::string text;
    std::function<std::int64_t(const Throw&)> worth;
};

std::int64_t occurrences(const Throw& t, std::int64_t v) { return std::count(t.begin(), t.end(), v); }

std::vector<Statistic> statistics(const std::string& list, std::size_t members, rt::Rng& rng) {
    const auto sorted = [](Throw t) {
        std::sort(t.begin(), t.end());
        return t;
    };
    const std::size_t rank = rng.below(members);
    const std::size_t few = 1 + rng.below(members - 1);
    const auto from = std::to_string(members - few + 1);
    const auto last = std::to_string(members);
    const auto counts = "[count(" + list + ", m -> m == v) for v in 1..3]";
    return {
        {"sort(" + list + ")[" + std::to_string(rank + 1) + "]", [=](const Throw& t) { return sorted(t)[rank]; }},
        {"sum(sort(" + list + ")[" + from + ".." + last + "])",
         [=](const Throw& t) {
             const auto all = sorted(t);
             return std::accumulate(all.end() - static_cast<std::ptrdiff_t>(few), all.end(), std::int64_t{0});
         }},
        {"sum(sort(" + list + ")[1.." + std::to_string(few) + "]) - " + list + "[1]",
         [=](const Throw& t) {
             const auto all = sorted(t);
             return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(few), -t[0]);
         }},
        {"2 * median(" + list + ")",
         [=](const Throw& t) {
             const auto all = sorted(t);
             return all[(members - 1) / 2] + all[members / 2];
         }},
        {"count(unique(" + list + "))",
         [](const Throw& t) { return static_cast<std::int64_t>(std::set<std::int64_t>(t.begin(), t.end()).size()); }},
        {"max(" + counts + ")",
         [](const Throw& t) {
             return std::max({occurrences(t, 1), occurrences(t, 2), occurrences(t, 3)});
         }},
        {"count(" + counts + ", c -> c == 2)",
         [](const Throw& t) {
             std::int64_t out = 0;
             for (std::int64_t v = 1; v <= 3; ++v) out += occurrences(t, v) == 2;
             return out;
         }},
        {"product(" + list + ")", [](const Throw& t) { return std::accumulate(t.begin(), t.end(), std::int64_t{1}, std::multiplies<>()); }},
    };
}

/// The first few probabilities of a statistic, and that of the first member given a value that the statistic can have.
std::string expectations(const Statistic& statistic, const std::string& first, const std::map<Throw, rt::Rational>& throws, rt::Rng& rng) {
    std::map<std::int64_t, rt::Rational> spread;
    for (const auto& [values, p] : throws) spread.try_emplace(statistic.worth(values), 0).first->second += p;
    std::string out;
    std::size_t asked = 0;
    for (const auto& [value, p] : spread) {
        if (++asked > 4) break;
        out += "expect P(" + statistic.text + " = " + std::to_string(value) + ") == (" + p.text() + ")\n";
    }
    auto chosen = spread.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(rng.below(spread.size())));
    rt::Rational both = 0;
    for (const auto& [values, p] : throws)
        if (values[0] == 2 && statistic.worth(values) == chosen->first) both += p;
    return out + "expect P(" + first + " = 2 | " + statistic.text + " = " + std::to_string(chosen->first) + ") == (" +
           (both / chosen->second).text() + ")\n";
}

void check(const std::string& script) { REQUIRE(test::met_expectations(script) > 0); }

constexpr Shape shapes[] = {Shape::alike, Shape::kinds, Shape::parent, Shape::chain};

}  // namespace

TEST_CASE("statistics of plates agree with enumeration", "[oracle]") {
    rt::Rng rng(20'261'119);
    for (int n = 0; n < 32; ++n) {
        const std::size_t members = 3 + rng.below(4);
        const Plate plate(shapes[n % 4], members, rng);
        const auto throws = plate.throws();
        std::string script = plate.text("");
        for (const auto& statistic : statistics(plate.members(), members, rng)) script += expectations(statistic, "M[1]", throws, rng);
        check(script);
    }
}

TEST_CASE("products as nodes agree with enumeration", "[oracle]") {
    constexpr std::size_t members = 10;  // too many for one table
    rt::Rng rng(20'261'120);
    for (int n = 0; n < 6; ++n) {
        const Plate plate(shapes[n % 3], members, rng);
        const auto throws = plate.throws();
        const Statistic product{"S",
                                [](const Throw& t) { return std::accumulate(t.begin(), t.end(), std::int64_t{1}, std::multiplies<>()); }};
        check("set numbers exact\n" + plate.text("  S : product(M)\n") + expectations(product, "M[1]", throws, rng));
    }
}
