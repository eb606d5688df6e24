#include "runtime/instance/casebase/retrieve.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/instance/casebase/match.hpp"

namespace credence::rt {

namespace {

constexpr int feedback_step = 4;

int weight_in(const std::map<std::string, int>& weights, const std::string& name) {
    const auto found = weights.find(name);
    return found == weights.end() ? CaseLibrary::usual_weight : found->second;
}

Status small_enough(const FunctionGraph& graph, const std::string& what) {
    if (graph.quantities.size() <= most_quantities && graph.influences.size() <= most_quantities) return Done{};
    return Fault{.code = "E-COST",
                 .message = fmt::format("{} has {} quantities and {} influences: graphs of up to {} are matched", what,
                                        graph.quantities.size(), graph.influences.size(), most_quantities)};
}

/// What orders the answers: more weight first, fewer rewrites, the order of the library.
struct Ranked {
    long value = 0;
    std::size_t place = 0;
    Match match;
    bool before(long other_value, std::size_t other_place) const {
        return value > other_value || (value == other_value && place < other_place);
    }
};

struct Compiled {
    KindNames names;
    std::vector<CompiledGraph> cases;
    std::vector<std::size_t> places;
};

Result<Compiled> compile_library(const CaseLibrary& library) {
    Compiled out;
    for (std::size_t i = 0; i < library.cases.size(); ++i) {
        const auto& c = library.cases[i];
        if (!c.function || c.function->influences.empty()) continue;
        TRY(small_enough(*c.function, "case " + c.label));
        out.cases.push_back(compile_graph(*c.function, out.names));
        out.places.push_back(i);
    }
    return out;
}

/// The best `top` matches of one goal graph.
std::vector<Ranked> best_cases(const Compiled& library, const CompiledGraph& goal, const MatchOptions& how, const RetrieveOptions& options,
                               Retrieval& told, Run& run) {
    const std::size_t n = library.cases.size();
    std::vector<std::pair<long, std::size_t>> order;
    const GoalSignature signature(goal, library.names.size(), how);
    for (std::size_t i = 0; i < n; ++i) order.emplace_back(options.index ? signature.bound(library.cases[i]) : 0, i);
    if (options.index) std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Ranked> best;
    for (const auto& [bound, i] : order) {
        if (run.stopped()) break;
        const bool full = best.size() == options.top;
        if (options.index) {
            if (bound <= 0 || (full && bound < best.back().value)) break;
            // what has the same bound could still take the place of one further back in the library
            if (full && bound == best.back().value && best.back().place < library.places[i]) continue;
        }
        ++told.matched;
        Match match = best_match(library.cases[i], goal, how, options.index && full ? best.back().value : 0);
        told.complete = told.complete && match.complete;
        if (match.value <= 0) continue;
        const std::size_t place = library.places[i];
        const auto at = std::find_if(best.begin(), best.end(), [&](const Ranked& r) { return !r.before(match.value, place); });
        if (at == best.end() && full) continue;
        best.insert(at, {match.value, place, std::move(match)});
        if (best.size() > options.top) best.pop_back();
    }
    return best;
}

/// "Q1 ->+ Q3 ->+ Q4"
std::string chain_text(const FunctionGraph& graph, const std::vector<std::uint8_t>& path) {
    std::string out = graph.quantities[path[0]].name;
    for (std::size_t i = 1; i < path.size(); ++i) {
        int sign = 1;
        for (const auto& a : graph.influences)
            if (a.from == path[i - 1] && a.to == path[i]) {
                sign = a.sign;
                break;
            }
        out += fmt::format(" ->{} {}", sign > 0 ? '+' : '-', graph.quantities[path[i]].name);
    }
    return out;
}

/// The match in the user's names; the goal may be an elaborated one, covered influences are those of the original.
Hit told_hit(const CaseLibrary& library, const Ranked& ranked, const FunctionGraph& goal, const Elaboration& variant, long total_weight) {
    Hit out;
    out.place = ranked.place;
    const FunctionGraph& graph = *library.cases[ranked.place].function;
    std::vector<std::size_t> parts(goal.influences.size(), 0);
    std::vector<std::size_t> found(goal.influences.size(), 0);
    std::vector<std::string> how(goal.influences.size());
    for (const auto& origins : variant.origins)
        for (const auto o : origins) ++parts[o];
    std::vector<std::string> chains;
    for (const auto& cover : ranked.match.covers) {
        const std::string text = chain_text(graph, cover.through);
        for (const auto o : variant.origins[cover.arc]) {
            ++found[o];
            how[o] += (how[o].empty() ? "" : "; ") + text;
        }
        // One application a quantity put in, from the left: A ->s B into A ->s1 x ->s2 B, then x ->s2 B again.
        const auto& arc = variant.graph.influences[cover.arc];
        const std::string head = variant.graph.quantities[arc.to].name;
        std::string tail = variant.graph.quantities[arc.from].name;
        int sign = arc.sign;
        for (std::size_t i = 1; i + 1 < cover.through.size(); ++i) {
            int first = 1;
            for (const auto& a : graph.influences)
                if (a.from == cover.through[i - 1] && a.to == cover.through[i]) {
                    first = a.sign;
                    break;
                }
            const int second = sign * first;
            const std::string& middle = graph.quantities[cover.through[i]].name;
            const auto mark = [](int s) { return s > 0 ? '+' : '-'; };
            chains.push_back(
                fmt::format("{} ->{} {} into {} ->{} {} ->{} {}", tail, mark(sign), head, tail, mark(first), middle, mark(second), head));
            tail = middle;
            sign = second;
        }
    }
    long weight = 0;
    for (std::size_t a = 0; a < goal.influences.size(); ++a) {
        if (parts[a] == 0 || found[a] < parts[a]) continue;
        out.arcs.push_back(a);
        out.how.push_back(how[a]);
        weight += weight_in(library.arc_weights, arc_class(goal, goal.influences[a]));
    }
    out.covered = out.arcs.size();
    out.score = Rational(weight, total_weight);
    for (std::size_t q = 0; q < ranked.match.goal_of.size(); ++q)
        if (ranked.match.goal_of[q] >= 0)
            out.mapping.emplace_back(graph.quantities[q].name,
                                     variant.graph.quantities[static_cast<std::size_t>(ranked.match.goal_of[q])].name);
    out.rewrites = variant.steps;
    out.rewrites.insert(out.rewrites.end(), chains.begin(), chains.end());
    return out;
}

bool better(const Hit& a, const Hit& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.rewrites.size() != b.rewrites.size()) return a.rewrites.size() < b.rewrites.size();
    return a.place < b.place;
}

Rational exact(const Number& number) { return number.is_exact() ? number.exact() : Rational::from_decimal(number.real()); }

/// The range of a numeric attribute over the library and the goal.
Rational range_of(const CaseLibrary& library, const std::string& name, const Rational& value) {
    Rational low = value;
    Rational high = value;
    for (const auto& c : library.cases)
        for (const auto& [key, label] : c.attributes)
            if (key == name && label.is_number()) {
                low = std::min(low, exact(*label.number()));
                high = std::max(high, exact(*label.number()));
            }
    return high - low;
}

const Label* attribute(const StoredCase& c, const std::string& name) {
    for (const auto& [key, value] : c.attributes)
        if (key == name) return &value;
    return nullptr;
}

Rational similarity(const Label& a, const Label& b, const Rational& range) {
    if (a == b) return 1;
    if (!a.is_number() || !b.is_number() || range.is_zero()) return 0;
    const Rational x = exact(*a.number());
    const Rational y = exact(*b.number());
    return 1 - (x < y ? y - x : x - y) / range;
}

}  // namespace

Result<Retrieval> retrieve(const CaseLibrary& library, const FunctionGraph& goal, const RetrieveOptions& options, Run& run,
                           const std::vector<char>& wanted) {
    TRY(small_enough(goal, "the goal"));
    auto compiled = TRY(compile_library(library));
    auto variants = TRY(elaborations(goal, options.rules, options.rules.empty() ? 0 : options.inserted, run));
    long total = 0;
    for (const auto& a : goal.influences) total += weight_in(library.arc_weights, arc_class(goal, a));
    MatchOptions how;
    how.inserted = options.rules.empty() ? options.inserted : 0;
    how.consistent = options.consistent;
    Retrieval out;
    for (const auto& variant : variants) {
        if (!small_enough(variant.graph, "the goal")) continue;
        CompiledGraph compiled_goal = compile_graph(variant.graph, compiled.names);
        for (std::size_t a = 0; a < compiled_goal.arcs.size(); ++a) {
            const bool counts = wanted.empty() || wanted[variant.origins[a][0]];
            compiled_goal.arcs[a].weight =
                counts ? weight_in(library.arc_weights, arc_class(variant.graph, variant.graph.influences[a])) : 0;
        }
        for (auto& ranked : best_cases(compiled, compiled_goal, how, options, out, run)) {
            std::erase_if(ranked.match.covers, [&](const auto& c) { return compiled_goal.arcs[c.arc].weight == 0; });
            Hit hit = told_hit(library, ranked, goal, variant, total);
            if (hit.covered == 0) continue;
            const auto same = std::find_if(out.hits.begin(), out.hits.end(), [&](const Hit& h) { return h.place == hit.place; });
            if (same == out.hits.end())
                out.hits.push_back(std::move(hit));
            else if (better(hit, *same))
                *same = std::move(hit);
        }
    }
    if (run.stopped()) return stopped_fault();
    std::sort(out.hits.begin(), out.hits.end(), better);
    if (out.hits.size() > options.top) out.hits.resize(options.top);
    return out;
}

Result<Retrieval> retrieve(const CaseLibrary& library, const std::vector<std::pair<std::string, Label>>& goal, std::size_t top) {
    Retrieval out;
    for (std::size_t i = 0; i < library.cases.size(); ++i) {
        Hit hit;
        hit.place = i;
        Rational sum;
        std::int64_t total = 0;
        for (const auto& [name, value] : goal) {
            const int weight = weight_in(library.attribute_weights, name);
            total += weight;
            const Label* own = attribute(library.cases[i], name);
            hit.attributes.push_back({name, value, own ? std::optional(*own) : std::nullopt, 0, weight, Rational(0)});
            if (!own) continue;
            AttributeSimilarity& part = hit.attributes.back();
            part.range = value.is_number() ? range_of(library, name, exact(*value.number())) : Rational(0);
            part.similarity = similarity(value, *own, part.range);
            sum += part.similarity * Rational(weight);
            hit.covered += value == *own;
        }
        if (sum.is_zero()) continue;
        hit.score = sum / Rational(total);
        out.hits.push_back(std::move(hit));
        ++out.matched;
    }
    std::stable_sort(out.hits.begin(), out.hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
    if (out.hits.size() > top) out.hits.resize(top);
    return out;
}

namespace {

void shift_weight(std::map<std::string, int>& weights, const std::string& name, bool up) {
    weights[name] = std::max(1, weight_in(weights, name) + (up ? feedback_step : -feedback_step));
}

}  // namespace

CaseLibrary with_feedback(const CaseLibrary& library, const FunctionGraph& goal, const Hit& hit, bool accepted) {
    CaseLibrary out = library;
    std::vector<std::pair<std::string, bool>>
        classes;  // each once, in the order of the goal; those with a covered influence count as shared
    for (std::size_t a = 0; a < goal.influences.size(); ++a) {
        const bool shared = contains(hit.arcs, a);
        const std::string name = arc_class(goal, goal.influences[a]);
        const auto known = std::find_if(classes.begin(), classes.end(), [&](const auto& c) { return c.first == name; });
        if (known == classes.end())
            classes.emplace_back(name, shared);
        else
            known->second = known->second || shared;
    }
    for (const auto& [name, shared] : classes) shift_weight(out.arc_weights, name, shared == accepted);
    return out;
}

CaseLibrary with_feedback(const CaseLibrary& library, const std::vector<std::pair<std::string, Label>>& goal, std::size_t place,
                          bool accepted) {
    CaseLibrary out = library;
    for (const auto& [name, value] : goal) {
        const Label* own = attribute(library.cases[place], name);
        shift_weight(out.attribute_weights, name, (own && *own == value) == accepted);
    }
    return out;
}

}  // namespace credence::rt
