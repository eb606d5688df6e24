// The cycle of reuse: adapt, revise, retain, feedback; members of libraries and graphs.

#include <algorithm>

#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "stdlib/cases/shared.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

Value case_value(const rt::StoredCase& one) {
    Record out;
    out.entries.emplace_back("case", Value::label(rt::Label::of_text(one.label)));
    if (!one.structure.empty()) out.entries.emplace_back("structure", Value::text(one.structure));
    if (one.function) out.entries.emplace_back("function", graph_value(*one.function));
    for (const auto& [name, value] : one.attributes) out.entries.emplace_back(name, Value::label(value));
    return Value::record(std::move(out));
}

/// The case that is adapted to a goal: the one named, or the best.
struct AdaptedHit {
    const rt::CaseLibrary* library = nullptr;
    rt::Hit hit;
};

Result<AdaptedHit> hit_to_adapt(CallContext& c, const ModelValue& m, const Value& goal, const std::optional<rt::Label>& label) {
    auto library = TRY(library_in(c, m));
    rt::RetrieveOptions options;
    options.top = std::max<std::size_t>(library->cases.size(), 1);
    if (!label) options.top = 1;
    auto found = TRY(retrieve_any(c, *library, goal, options));
    std::size_t place = 0;
    const rt::Hit* hit = found.hits.empty() ? nullptr : &found.hits[0];
    if (label) {
        place = TRY(case_place(c, *library, label->text(), 2));
        const auto here = std::find_if(found.hits.begin(), found.hits.end(), [&](const rt::Hit& h) { return h.place == place; });
        hit = here == found.hits.end() ? nullptr : &*here;
    }
    if (!hit)
        return Fault{
            .code = "E-EMPTY", .message = "no case has anything in common with the goal, so none can be adapted", .origin = c.argument(1)};
    return AdaptedHit{library, *hit};
}

/// The case in the goal's words: quantities renamed by the mapping, attributes replaced by the goal's.
Result<Value> adapt(CallContext& c, ModelValue m, Value goal, std::optional<rt::Label> label) {
    const auto adapted = TRY(hit_to_adapt(c, m, goal, label));
    const auto* hit = &adapted.hit;
    const rt::StoredCase& from = adapted.library->cases[hit->place];
    Record out;
    out.entries.emplace_back("case", Value::text(from.label + "_adapted"));
    if (!from.structure.empty()) out.entries.emplace_back("structure", Value::text(from.structure));
    if (const auto* wanted = goal.get<rt::FunctionGraphPtr>()) {
        rt::FunctionGraph graph = *from.function;
        for (auto& q : graph.quantities) {
            const auto to = std::find_if(hit->mapping.begin(), hit->mapping.end(), [&](const auto& p) { return p.first == q.name; });
            if (to != hit->mapping.end()) q.name = to->second;
        }
        std::vector<rt::FunctionGraph::Influence> missing;
        for (std::size_t a = 0; a < (*wanted)->influences.size(); ++a)
            if (!rt::contains(hit->arcs, a)) missing.push_back((*wanted)->influences[a]);
        out.entries.emplace_back("function", graph_value(std::move(graph)));
        out.entries.emplace_back("missing", graph_value(part_of(**wanted, missing)));
        return Value::record(std::move(out));
    }
    const Record& asked = **goal.get<RecordPtr>();
    for (const auto& [name, value] : from.attributes)
        out.entries.emplace_back(name, asked.find(name) ? *asked.find(name) : Value::label(value));
    for (const auto& [name, value] : asked.entries)
        if (std::none_of(out.entries.begin(), out.entries.end(), [&, &key = name](const auto& e) { return e.first == key; }))
            out.entries.emplace_back(name, value);
    return Value::record(std::move(out));
}

Result<rt::Derivation> explain_adapt(CallContext& c, Arguments arguments) {
    const Value& goal = *arguments[1];
    const auto adapted =
        TRY(hit_to_adapt(c, *arguments[0]->get<ModelValue>(), goal, arguments[2] ? arguments[2]->as_label() : std::nullopt));
    const rt::StoredCase& from = adapted.library->cases[adapted.hit.place];
    rt::DerivationWriter out;
    out.note(fmt::format("{} is adapted: its score is {}", from.label, rt::fraction_told(rt::Number(adapted.hit.score))));
    if (const auto* wanted = goal.get<rt::FunctionGraphPtr>()) {
        for (const auto& [own, name] : adapted.hit.mapping) out.note(fmt::format("  its {} becomes {}", own, name));
        for (std::size_t i = 0; i < adapted.hit.arcs.size(); ++i)
            out.note(fmt::format("  {} covers {}", adapted.hit.how[i], rt::arc_text(**wanted, (*wanted)->influences[adapted.hit.arcs[i]])));
        for (std::size_t a = 0; a < (*wanted)->influences.size(); ++a)
            if (!rt::contains(adapted.hit.arcs, a))
                out.note(fmt::format("  missing: {}", rt::arc_text(**wanted, (*wanted)->influences[a])));
        return std::move(out).take();
    }
    for (const auto& [name, value] : (*goal.get<RecordPtr>())->entries) {
        const auto own =
            std::find_if(from.attributes.begin(), from.attributes.end(), [&, &key = name](const auto& a) { return a.first == key; });
        const std::string now = value.as_label() ? value.as_label()->text() : "";
        if (own == from.attributes.end())
            out.note(fmt::format("  {} is added: {}", name, now));
        else if (own->second.text() != now)
            out.note(fmt::format("  {} was {} and becomes {}", name, own->second.text(), now));
        else
            out.note(fmt::format("  {} stays {}", name, now));
    }
    return std::move(out).take();
}

Result<rt::StoredCase> stored_case(CallContext& c, const Record& record, std::size_t parameter) {
    rt::StoredCase out;
    for (const auto& [name, value] : record.entries) {
        if (name == "missing" && value.is<rt::FunctionGraphPtr>()) continue;  // what adapt returns beside the case
        if (name == "function") {
            TRY(graph_in(c, value, parameter));
            out.function = *value.get<rt::FunctionGraphPtr>();
            continue;
        }
        const auto label = value.as_label();
        if (!label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} of a case is a label or a number, not {}", name, value.kind()),
                         .origin = c.argument(parameter)};
        if (name == "case")
            out.label = label->text();
        else if (name == "structure")
            out.structure = label->text();
        else
            out.attributes.emplace_back(name, *label);
    }
    if (out.label.empty())
        return Fault{.code = "E-KEY",
                     .message = "a case needs a name of its own",
                     .origin = c.argument(parameter),
                     .hint = "as in {case: faucet, structure: \"…\", function: graph { … }}"};
    return out;
}

const char* const pump = "retain(library(), {case: \"pump\", structure: \"a pump\", function: graph { P ->+ Q }})";

void add_libraries(Registry& r) {
    r.add(bind(
        {subject::cases, "library", {}, "An empty case library, to which retain adds cases.", "library().size == 0"},
        +[](CallContext&) -> Result<Value> { return library_value({}, "library"); }));
    r.add(bind(
        {subject::cases,
         "retain",
         {{"library"}, {"case"}},
         "The library with one more case. The case is a record with the name .case, and .structure, .function (a graph) or attributes.",
         "retain(library(), {case: \"pump\", function: graph { P ->+ Q }}).size == 1"},
        +[](CallContext& c, ModelValue m, RecordPtr record) -> Result<Value> {
            auto library = TRY(library_in(c, m));
            auto one = TRY(stored_case(c, *record, 1));
            for (const auto& other : library->cases)
                if (other.label == one.label)
                    return Fault{.code = "E-DUPLICATE",
                                 .message = fmt::format("the library already has a case {}", one.label),
                                 .origin = c.argument(1),
                                 .hint = "give it another name: revise(case, {case: …})"};
            rt::CaseLibrary out = *library;
            out.cases.push_back(std::move(one));
            return library_value(std::move(out), m.name);
        }));
}

void add_adapting(Registry& r) {
    Builtin adapting = bind(
        {subject::cases,
         "adapt",
         {{"library"}, {"goal"}, {"case", "the best"}},
         "A case of the library, adapted to the goal. A graph gets the goal's quantities, and .missing is the part of the goal that it "
         "lacks. Attributes are replaced by those of the goal. Pass the result to revise and retain.",
         "count(adapt(retain(library(), {case: \"pump\", function: graph { P ->+ Q }}), graph { A ->+ B }).missing.arcs) == 0"},
        +[](CallContext& c, ModelValue m, Value goal, std::optional<rt::Label> label) -> Result<Value> {
            return adapt(c, std::move(m), std::move(goal), std::move(label));
        });
    adapting.explain = explain_adapt;
    r.add(std::move(adapting));
    r.add(bind(
        {subject::cases,
         "revise",
         {{"case"}, {"changes"}},
         "A case (a record) with some entries changed or added.",
         "revise({case: \"a\", price: 1}, {price: 2}).price == 2"},
        +[](CallContext&, RecordPtr one, RecordPtr changes) -> Result<Value> {
            Record out = *one;
            for (const auto& [name, value] : changes->entries) {
                const auto at =
                    std::find_if(out.entries.begin(), out.entries.end(), [&, key = name](const auto& e) { return e.first == key; });
                if (at == out.entries.end())
                    out.entries.emplace_back(name, value);
                else
                    at->second = value;
            }
            return Value::record(std::move(out));
        }));
}

void add_feedback(Registry& r) {
    r.add(bind(
        {subject::cases,
         "feedback",
         {{"library"}, {"goal"}, {"case"}, {"accepted", "false"}},
         "The library after a retrieved case was rejected (or accepted). What the case shares with the goal gets less (more) weight, and "
         "what it lacks gets more (less).",
         "feedback(retain(library(), {case: \"a\", os: \"linux\"}), {os: \"linux\"}, \"a\").size == 1"},
        +[](CallContext& c, ModelValue m, Value goal, rt::Label label, std::optional<bool> accepted) -> Result<Value> {
            auto library = TRY(library_in(c, m));
            auto place = TRY(case_place(c, *library, label.text(), 2));
            const bool yes = accepted.value_or(false);
            rt::RetrieveOptions options;
            options.top = library->cases.size();
            auto found = TRY(retrieve_any(c, *library, goal, options));
            if (const auto* graph = goal.get<rt::FunctionGraphPtr>()) {
                const auto hit = std::find_if(found.hits.begin(), found.hits.end(), [&](const rt::Hit& h) { return h.place == place; });
                if (hit == found.hits.end())
                    return Fault{.code = "E-EMPTY",
                                 .message = fmt::format("{} shares nothing with this goal", label.text()),
                                 .origin = c.argument(2)};
                return library_value(rt::with_feedback(*library, **graph, *hit, yes), m.name);
            }
            auto attributes = TRY(attributes_in(c, **goal.get<RecordPtr>(), 1));
            return library_value(rt::with_feedback(*library, attributes, place, yes), m.name);
        }));
}

}  // namespace

void add_case_cycle(Registry& r) {
    add_libraries(r);
    add_adapting(r);
    add_feedback(r);
    r.add_loader("cases", rt::load_cases);
}

void add_case_members(Registry& r) {
    r.add_member("cases", bind(
                              {subject::cases, "size", {{"library"}}, "How many cases there are.", "library().size == 0"},
                              +[](CallContext& c, ModelValue m) -> Result<Value> {
                                  auto library = TRY(library_in(c, m));
                                  return whole_value(library->cases.size());
                              }));
    r.add_member(
        "cases",
        bind(
            {subject::cases, "cases", {{"library"}}, "The names of the cases, in their order.", std::string(pump) + ".cases == [\"pump\"]"},
            +[](CallContext& c, ModelValue m) -> Result<Value> {
                auto library = TRY(library_in(c, m));
                List out;
                for (const auto& one : library->cases) out.push_back(Value::label(rt::Label::of_text(one.label)));
                return Value::list(std::move(out));
            }));
    r.add_member("cases", bind(
                              {subject::cases,
                               "case",
                               {{"library"}, {"name"}},
                               "One case as a record: .case .structure .function and its attributes.",
                               std::string(pump) + ".case(\"pump\").structure == \"a pump\""},
                              +[](CallContext& c, ModelValue m, rt::Label name) -> Result<Value> {
                                  auto library = TRY(library_in(c, m));
                                  auto place = TRY(case_place(c, *library, name.text(), 1));
                                  return case_value(library->cases[place]);
                              }));
    r.add_member("graph", bind(
                              {subject::cases,
                               "quantities",
                               {{"graph"}},
                               "The names of a graph's quantities.",
                               "(graph { A ->+ B }).quantities == [\"A\", \"B\"]"},
                              +[](CallContext& c, Value g) -> Result<Value> {
                                  auto graph = TRY(graph_in(c, g, 0));
                                  std::vector<std::string> names;
                                  for (const auto& q : graph->quantities) names.push_back(q.name);
                                  return texts_value(names);
                              }));
    r.add_member("graph",
                 bind(
                     {subject::cases, "arcs", {{"graph"}}, "A graph's influences as texts.", "(graph { A ->+ B }).arcs == [\"A ->+ B\"]"},
                     +[](CallContext& c, Value g) -> Result<Value> {
                         auto graph = TRY(graph_in(c, g, 0));
                         std::vector<std::string> arcs;
                         for (const auto& a : graph->influences) arcs.push_back(rt::arc_text(*graph, a));
                         return texts_value(arcs);
                     }));
}

}  // namespace credence::std_
