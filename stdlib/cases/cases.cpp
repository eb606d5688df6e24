// Searching case libraries: retrieve, compose, elaborate.

#include <algorithm>

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/instance/casebase/compose.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "stdlib/cases/shared.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"
#include "stdlib/told_result.hpp"

namespace credence::std_ {

namespace {

Result<rt::RewriteRule> rule_of(CallContext& c, const Value& v, std::size_t parameter) {
    const auto* record = v.get<RecordPtr>();
    const Value* from = record ? (*record)->find("from") : nullptr;
    const Value* to = record ? (*record)->find("to") : nullptr;
    if (!from || !to || !from->is<rt::FunctionGraphPtr>() || !to->is<rt::FunctionGraphPtr>())
        return Fault{.code = "E-TYPE",
                     .message = "a rewrite rule is a record of two graphs, from and to",
                     .origin = c.argument(parameter),
                     .hint = "as in {from: graph { A ->+ B }, to: graph { A ->+ x ->+ B }}"};
    rt::RewriteRule out{**from->get<rt::FunctionGraphPtr>(), **to->get<rt::FunctionGraphPtr>()};
    if (out.from.influences.empty())
        return Fault{.code = "E-EMPTY", .message = "the from graph of a rule has no influence", .origin = c.argument(parameter)};
    return out;
}

/// `rewrite: true | false | [rules]`, `steps: n`.
rt::Status read_rewriting(CallContext& c, const std::optional<Value>& rewrite, std::size_t parameter, const std::optional<Count>& steps,
                          rt::RetrieveOptions& options) {
    options.inserted = steps ? steps->value : 2;
    if (!rewrite) return rt::Done{};
    if (const auto* flag = rewrite->get<bool>()) {
        if (!*flag) options.inserted = 0;
        return rt::Done{};
    }
    const List* items = rewrite->items();
    if (!items)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("rewrite is true, false or a list of rules, not {}", rewrite->kind()),
                     .origin = c.argument(parameter)};
    for (const auto& item : *items) {
        auto rule = TRY(rule_of(c, item, parameter));
        options.rules.push_back(std::move(rule));
    }
    if (options.rules.empty()) options.inserted = 0;
    return rt::Done{};
}

Result<rt::RetrieveOptions> options_of(CallContext& c, const std::optional<Value>& rewrite, const std::optional<Count>& top,
                                       const std::optional<Count>& steps) {
    rt::RetrieveOptions options;
    options.top = top ? top->value : 5;
    if (options.top < 1) return Fault{.code = "E-PARAMETER", .message = "top is 1 or more", .origin = c.argument(3)};
    TRY(read_rewriting(c, rewrite, 2, steps, options));
    return options;
}

/// Where nothing can be found since goal and cases use different words.
void note_unlike(CallContext& c, const rt::CaseLibrary& library, const Value& goal) {
    if (library.cases.empty()) return;
    const auto* record = goal.get<RecordPtr>();
    std::vector<std::string> attributes;
    bool graphs = false;
    for (const auto& one : library.cases) {
        graphs = graphs || (one.function && !one.function->influences.empty());
        for (const auto& [name, value] : one.attributes) {
            if (record && (*record)->find(name)) return;
            if (!rt::contains(attributes, name)) attributes.push_back(name);
        }
    }
    if (!record && !graphs) c.note("no case has a function to compare with a graph: the goal is a record of attributes here");
    if (record && attributes.empty()) c.note("no case has attributes to compare with a record: the goal is a graph here");
    if (record && !attributes.empty())
        c.note(fmt::format("no case has an attribute of the goal; theirs are {}", rt::joined(attributes, ", ")));
}

/// Attributes of the goal that no case has: most likely they are misspelt.
void note_unknown_attributes(CallContext& c, const rt::CaseLibrary& library, const Value& goal, bool others_match) {
    const auto* record = goal.get<RecordPtr>();
    if (!record || !others_match) return;
    std::vector<std::string> known;
    for (const auto& one : library.cases)
        for (const auto& [name, value] : one.attributes)
            if (!rt::contains(known, name)) known.push_back(name);
    for (const auto& [name, value] : (*record)->entries) {
        if (rt::contains(known, name)) continue;
        const auto near = rt::nearest(name, known);
        c.note(fmt::format("no case has the attribute {}{}", name, near ? fmt::format(": did you mean {}?", *near) : ""));
    }
}

Result<Value> retrieve(CallContext& c, ModelValue m, Value goal, std::optional<Value> rewrite, std::optional<Count> top,
                       std::optional<Count> steps) {
    auto library = TRY(library_in(c, m));
    auto options = TRY(options_of(c, rewrite, top, steps));
    auto found = TRY(retrieve_any(c, *library, goal, options));
    if (!found.complete) c.note("a search was cut short: a larger common part may exist");
    if (found.hits.empty()) note_unlike(c, *library, goal);
    note_unknown_attributes(c, *library, goal, !found.hits.empty());
    List out;
    for (const auto& hit : found.hits) out.push_back(hit_value(*library, hit));
    return Value::list(std::move(out));
}

/// Each attribute's similarity, and their weighted mean.
void tell_similarities(const rt::Hit& hit, rt::DerivationWriter& out) {
    std::vector<rt::Parts> terms;
    int total = 0;
    const bool weighted =
        std::any_of(hit.attributes.begin(), hit.attributes.end(), [&](const auto& a) { return a.weight != hit.attributes[0].weight; });
    for (const auto& a : hit.attributes) {
        const rt::Number alike(a.similarity);
        std::string how = !a.own ? "not known: 0" : rt::fraction_told(alike);
        if (a.own && a.own->is_number() && a.wanted.is_number() && !a.range.is_zero())
            how = fmt::format("1 - |{} - {}| / {} = {}", a.wanted.text(), a.own->text(), rt::Label::of_number(a.range).text(),
                              rt::fraction_told(alike));
        out.note(fmt::format("  {}: wanted {}, has {}; similarity {}", a.name, a.wanted.text(), a.own ? a.own->text() : "nothing", how));
        total += weighted ? a.weight : 1;
        rt::Parts term;
        if (weighted) term = {rt::Number(a.weight), std::string(" * ")};
        append(term, rt::operand(alike));
        terms.push_back(std::move(term));
    }
    out.formula(weighted ? "score = the weighted mean of the similarities" : "score = the mean of the similarities");
    rt::Parts mean{std::string("(")};
    append(mean, rt::joined(terms, " + "));
    append(mean, {std::string(") / "), rt::Number(total)});
    out.begin(std::move(mean));
    out.result(rt::Number(hit.score));
}

Result<rt::Derivation> explain_retrieve(CallContext& c, Arguments arguments) {
    auto library = TRY(library_in(c, *arguments[0]->get<ModelValue>()));
    const auto count = [&](std::size_t i) -> std::optional<Count> {
        if (!arguments[i]) return std::nullopt;
        return Count{static_cast<std::size_t>(arguments[i]->get<rt::Number>()->real())};
    };
    auto options = TRY(options_of(c, arguments[2], count(3), count(4)));
    auto found = TRY(retrieve_any(c, *library, *arguments[1], options));
    rt::DerivationWriter out;
    const auto* goal = arguments[1]->get<rt::FunctionGraphPtr>();
    const std::size_t all = library->cases.size();
    out.note(fmt::format("{} of {} cases were matched{}.", found.matched, all,
                         found.matched < all ? "; the others' signatures rule them out" : ""));
    if (found.hits.empty()) out.note("No case has anything in common with the goal.");
    for (const auto& hit : found.hits) {
        const rt::StoredCase& one = library->cases[hit.place];
        out.note(fmt::format("{}{}", one.label, one.structure.empty() ? "" : ": " + one.structure));
        if (!goal) {
            tell_similarities(hit, out);
            continue;
        }
        for (std::size_t i = 0; i < hit.arcs.size(); ++i)
            out.note(fmt::format("  {} covers {}", hit.how[i], rt::arc_text(**goal, (*goal)->influences[hit.arcs[i]])));
        for (const auto& rewrite : hit.rewrites) out.note(fmt::format("  rewritten: {}", rewrite));
        out.formula("score = what is covered / what was asked for");
        const bool plain = library->arc_weights.empty();
        if (plain)
            out.begin(rt::quotient(rt::Number(rt::Rational(static_cast<std::int64_t>(hit.covered))),
                                   rt::Number(rt::Rational(static_cast<std::int64_t>((*goal)->influences.size())))));
        else
            out.begin({rt::Number(hit.score)});
        out.result(rt::Number(hit.score));
    }
    return std::move(out).take();
}

Result<Value> compose(CallContext& c, ModelValue m, Value goal, std::optional<Value> rewrite, std::optional<Count> pieces,
                      std::optional<Count> steps) {
    auto library = TRY(library_in(c, m));
    auto graph = TRY(graph_in(c, goal, 1));
    rt::RetrieveOptions options;
    TRY(read_rewriting(c, rewrite, 2, steps, options));
    auto found = TRY(rt::compose(*library, *graph, std::move(options), pieces ? pieces->value : 8, c.run()));
    List told;
    for (const auto& piece : found.pieces) {
        Record one = **hit_value(*library, piece).get<RecordPtr>();
        std::vector<std::string> arcs;
        for (const auto a : piece.arcs) arcs.push_back(rt::arc_text(*graph, graph->influences[a]));
        one.entries.emplace_back("arcs", texts_value(arcs));
        told.push_back(Value::record(std::move(one)));
    }
    const std::size_t all = graph->influences.size();
    std::vector<rt::FunctionGraph::Influence> open;
    for (const auto a : found.open) open.push_back(graph->influences[a]);
    std::vector<std::string> effects;
    for (const auto& a : found.side_effects) effects.push_back(rt::arc_text(*graph, a));
    Record out;
    out.entries.emplace_back("pieces", Value::list(std::move(told)));
    out.entries.emplace_back("covered", whole_value(all - found.open.size()));
    out.entries.emplace_back("score", Value(rt::Number(rt::Rational(static_cast<std::int64_t>(all - found.open.size()),
                                                                    static_cast<std::int64_t>(std::max<std::size_t>(all, 1))))));
    out.entries.emplace_back("open", graph_value(part_of(*graph, open)));
    out.entries.emplace_back("side_effects", texts_value(effects));
    return Value::record(std::move(out));
}

/// "A ->+ B ->- C" into its quantities and signs; nothing if it is no such text.
std::optional<std::pair<std::vector<std::string>, std::vector<int>>> chain_in(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    for (const char ch : text + " ") {
        if (ch != ' ') {
            word += ch;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    std::pair<std::vector<std::string>, std::vector<int>> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool arrow = words[i] == "->+" || words[i] == "->-";
        if (arrow != (i % 2 == 1)) return std::nullopt;
        if (arrow)
            out.second.push_back(words[i] == "->+" ? 1 : -1);
        else
            out.first.push_back(words[i]);
    }
    if (out.first.size() < 2 || out.first.size() != out.second.size() + 1) return std::nullopt;
    return out;
}

Result<Value> graph_from(CallContext& c, const Items& arcs, const std::optional<Value>& kinds) {
    rt::FunctionGraph out;
    const auto place = [&](const std::string& name) {
        std::size_t at = 0;
        while (at < out.quantities.size() && out.quantities[at].name != name) ++at;
        if (at == out.quantities.size()) out.quantities.push_back({name, ""});
        return at;
    };
    for (const auto& item : *arcs.items) {
        const auto label = item.as_label();
        const auto chain = label ? chain_in(label->text()) : std::nullopt;
        if (!chain)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("an influence is a text such as \"A ->+ B\", not {}",
                                                label ? "'" + label->text() + "'" : std::string(item.kind())),
                         .origin = c.argument(0)};
        for (std::size_t i = 0; i < chain->second.size(); ++i) {
            const std::size_t from = place(chain->first[i]);
            const rt::FunctionGraph::Influence arc{from, place(chain->first[i + 1]), chain->second[i]};
            if (!rt::contains(out.influences, arc)) out.influences.push_back(arc);
        }
    }
    if (!kinds) return graph_value(std::move(out));
    const auto* record = kinds->get<RecordPtr>();
    const auto one = kinds->as_label();
    if (!record && !one)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("kinds is a kind for all, or a record by quantity, not {}", kinds->kind()),
                     .origin = c.argument(1)};
    for (auto& q : out.quantities) {
        const Value* own = record ? (*record)->find(q.name) : nullptr;
        if (one) q.kind = one->text();
        if (own && own->as_label()) q.kind = own->as_label()->text();
    }
    return graph_value(std::move(out));
}

/// The pieces of a composition in the order in which they were chosen, what is left open, and the share that is covered.
Result<rt::Derivation> tell_composition(CallContext& c, Arguments arguments, const Value& result) {
    const auto* goal = TRY(graph_in(c, *arguments[1], 1));
    const Record& found = **result.get<RecordPtr>();
    rt::DerivationWriter out;
    const auto texts = [](const Value& list) {
        std::string all;
        for (const auto& text : *list.items()) all += (all.empty() ? "" : ", ") + text.as_label()->text();
        return all;
    };
    out.formula(
        "each piece is the case that covers most of what is still open; a piece that runs against the goal or another piece is left out");
    std::size_t n = 0;
    for (const auto& item : *found.find("pieces")->items()) {
        const Record& piece = **item.get<RecordPtr>();
        out.note(fmt::format("{}. {} covers {}", ++n, piece.find("case")->as_label()->text(), texts(*piece.find("arcs"))));
        for (const auto& [from, to] : (*piece.find("mapping")->get<RecordPtr>())->entries)
            out.note(fmt::format("   {} of the case is {}", from, to.as_label()->text()));
        for (const auto& rewrite : *piece.find("rewrites")->items()) out.note("   rewritten: " + rewrite.as_label()->text());
    }
    if (n == 0) out.note("no case covers any part of the goal");
    const auto& open = **found.find("open")->get<rt::FunctionGraphPtr>();
    for (const auto& arc : open.influences) out.note(fmt::format("open: {}", rt::arc_text(open, arc)));
    for (const auto& effect : *found.find("side_effects")->items()) out.note("side effect: " + effect.as_label()->text());
    out.formula("score = what is covered / what was asked for");
    out.begin(rt::quotient(*found.find("covered")->get<rt::Number>(),
                           rt::Number(rt::Rational(static_cast<std::int64_t>(goal->influences.size())))));
    out.result(*found.find("score")->get<rt::Number>());
    return std::move(out).take();
}

void add_searching(Registry& r) {
    r.add(bind(
        {subject::cases,
         "graph_of",
         {{"arcs"}, {"kinds", "none"}},
         "A graph from texts such as \"A ->+ B ->- C\", as given by .arcs. `kinds` is one kind for all quantities, or a record by "
         "quantity.",
         "graph_of([\"A ->+ B\"]) == graph { A ->+ B }"},
        +[](CallContext& c, Items arcs, std::optional<Value> kinds) -> Result<Value> { return graph_from(c, arcs, kinds); }));
    Builtin retrieving = bind(
        {subject::cases,
         "retrieve",
         {{"library"}, {"goal"}, {"rewrite", "true"}, {"top", "5"}, {"steps", "2"}},
         "The cases that share most with a goal, as records .case .covered .score .mapping .rewrites. The goal is a graph (largest common "
         "part) or a record of attributes (weighted similarity). With rewrite: true, a chain with up to `steps` extra quantities matches A "
         "->s B. `rewrite` may also be a list of rules {from: graph, to: graph}.",
         "retrieve(retain(library(), {case: \"pump\", function: graph { P ->+ Q }}), graph { A ->+ B })[1].covered == 1"},
        +[](CallContext& c, ModelValue m, Value goal, std::optional<Value> rewrite, std::optional<Count> top, std::optional<Count> steps)
            -> Result<Value> { return retrieve(c, std::move(m), std::move(goal), std::move(rewrite), top, steps); });
    retrieving.explain = explain_retrieve;
    r.add(std::move(retrieving));
    r.add(told_by_result(
        bind(
            {subject::cases,
             "compose",
             {{"library"}, {"goal"}, {"rewrite", "true"}, {"pieces", "8"}, {"steps", "2"}},
             "Several cases that together cover a goal. The result has .pieces (records as from retrieve, with the .arcs that each adds), "
             ".covered, .score, .open (a graph of the uncovered part) and .side_effects. Pieces that contradict the goal or each other are "
             "not "
             "combined.",
             "compose(retain(library(), {case: \"pump\", function: graph { P ->+ Q }}), graph { A ->+ B ->+ C }, rewrite: false).covered "
             "== 2"},
            +[](CallContext& c, ModelValue m, Value goal, std::optional<Value> rewrite, std::optional<Count> pieces,
                std::optional<Count> steps) -> Result<Value> {
                return compose(c, std::move(m), std::move(goal), std::move(rewrite), pieces, steps);
            }),
        tell_composition));
    r.add(bind(
        {subject::cases,
         "elaborate",
         {{"goal"}, {"rules", "chains"}, {"steps", "1"}},
         "A list of graphs: the goal, and everything that up to `steps` applications of rewrite rules turn it into. Without rules, A ->s B "
         "becomes A ->s1 x ->s2 B.",
         "count(elaborate(graph { A ->+ B })) == 3"},
        +[](CallContext& c, Value goal, std::optional<Items> rules, std::optional<Count> steps) -> Result<Value> {
            auto graph = TRY(graph_in(c, goal, 0));
            std::vector<rt::RewriteRule> all = rt::chain_rules();
            if (rules) {
                all.clear();
                for (const auto& item : *rules->items) {
                    auto rule = TRY(rule_of(c, item, 1));
                    all.push_back(std::move(rule));
                }
            }
            auto found = TRY(rt::elaborations(*graph, all, steps ? steps->value : 1, c.run()));
            List out;
            for (auto& e : found) out.push_back(graph_value(std::move(e.graph)));
            return Value::list(std::move(out));
        }));
}

}  // namespace

void add_cases(Registry& r) {
    add_searching(r);
    add_case_cycle(r);
    add_case_members(r);
}

}  // namespace credence::std_
