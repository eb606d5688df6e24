#include "stdlib/cases/shared.hpp"

#include "runtime/core/suggest.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

Value whole_value(std::size_t n) { return Value(rt::Number(rt::Rational(static_cast<std::int64_t>(n)))); }
Value graph_value(rt::FunctionGraph g) {
    return Value(Value::Node(rt::FunctionGraphPtr(std::make_shared<const rt::FunctionGraph>(std::move(g)))));
}
Value texts_value(const std::vector<std::string>& all) {
    List out;
    for (const auto& t : all) out.push_back(Value::text(t));
    return Value::list(std::move(out));
}
Value library_value(rt::CaseLibrary library, const std::string& name) {
    return Value(
        Value::Node(ModelValue{std::make_shared<const rt::CaseModel>(std::make_shared<const rt::CaseLibrary>(std::move(library))), name}));
}

Result<const rt::CaseLibrary*> library_in(CallContext& c, const ModelValue& m) {
    if (const auto* cases = dynamic_cast<const rt::CaseModel*>(m.model.get())) return cases->library().get();
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("this is a {}, not a case library", m.model->kind()),
                 .origin = c.argument(0),
                 .hint = "cases NAME { … } declares one"};
}

Result<const rt::FunctionGraph*> graph_in(CallContext& c, const Value& v, std::size_t parameter) {
    if (const auto* g = v.get<rt::FunctionGraphPtr>()) return g->get();
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("a graph is needed here, not {}", v.kind()),
                 .origin = c.argument(parameter),
                 .hint = "as in graph { A ->+ B }"};
}

Result<CaseAttributes> attributes_in(CallContext& c, const Record& record, std::size_t parameter) {
    CaseAttributes out;
    for (const auto& [name, value] : record.entries) {
        const auto label = value.as_label();
        if (!label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("attribute {} is a label or a number, not {}", name, value.kind()),
                         .origin = c.argument(parameter)};
        out.emplace_back(name, *label);
    }
    if (out.empty())
        return Fault{.code = "E-EMPTY", .message = "a record without attributes matches nothing", .origin = c.argument(parameter)};
    return out;
}

Value hit_value(const rt::CaseLibrary& library, const rt::Hit& hit) {
    const rt::StoredCase& found = library.cases[hit.place];
    Record mapping;
    for (const auto& [from, to] : hit.mapping) mapping.entries.emplace_back(from, Value::text(to));
    Record out;
    out.entries.emplace_back("case", Value::label(rt::Label::of_text(found.label)));
    out.entries.emplace_back("covered", whole_value(hit.covered));
    out.entries.emplace_back("score", Value(rt::Number(hit.score)));
    if (hit.attributes.empty()) {  // the goal was a graph
        out.entries.emplace_back("mapping", Value::record(std::move(mapping)));
        out.entries.emplace_back("rewrites", texts_value(hit.rewrites));
    }
    return Value::record(std::move(out));
}

/// A goal is a graph, or a record of attributes.
Result<rt::Retrieval> retrieve_any(CallContext& c, const rt::CaseLibrary& library, const Value& goal, const rt::RetrieveOptions& options) {
    if (const auto* g = goal.get<rt::FunctionGraphPtr>()) {
        if ((*g)->influences.empty())
            return Fault{.code = "E-EMPTY", .message = "the goal has no influence to look for", .origin = c.argument(1)};
        return rt::retrieve(library, **g, options, c.run());
    }
    const auto* record = goal.get<RecordPtr>();
    if (!record)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a goal is a graph or a record of attributes, not {}", goal.kind()),
                     .origin = c.argument(1),
                     .hint = "as in graph { A ->+ B }"};
    auto attributes = TRY(attributes_in(c, **record, 1));
    return rt::retrieve(library, attributes, options.top);
}

/// The graph of some influences of another, with the quantities they need.
rt::FunctionGraph part_of(const rt::FunctionGraph& graph, const std::vector<rt::FunctionGraph::Influence>& arcs) {
    rt::FunctionGraph out;
    std::vector<std::size_t> place(graph.quantities.size(), graph.quantities.size());
    const auto at = [&](std::size_t q) {
        if (place[q] == graph.quantities.size()) {
            place[q] = out.quantities.size();
            out.quantities.push_back(graph.quantities[q]);
        }
        return place[q];
    };
    for (const auto& a : arcs) {
        const std::size_t from = at(a.from);
        out.influences.push_back({from, at(a.to), a.sign});
    }
    return out;
}

Result<std::size_t> case_place(CallContext& c, const rt::CaseLibrary& library, const std::string& label, std::size_t parameter) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < library.cases.size(); ++i) {
        if (library.cases[i].label == label) return i;
        names.push_back(library.cases[i].label);
    }
    const auto near = rt::nearest(label, names);
    return Fault{.code = "E-LABEL",
                 .message = fmt::format("the library has no case '{}'", label),
                 .origin = c.argument(parameter),
                 .hint = near ? fmt::format("did you mean '{}'?", *near) : ""};
}

}  // namespace credence::std_
