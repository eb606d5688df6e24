// Function graphs and case libraries.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/declared/cases.hpp"

namespace credence::lang {

Result<Value> Evaluator::eval_graph(const GraphBody& body) {
    auto graph = std::make_shared<rt::FunctionGraph>();
    const auto quantity = [&](const Word& word) {
        auto& all = graph->quantities;
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& q) { return q.name == word.text; });
        const auto at = static_cast<std::size_t>(found - all.begin());
        if (at == all.size()) all.push_back({word.text, ""});
        return at;
    };
    for (const auto& item : body.items) {
        if (const auto* kinds = std::get_if<KindDecl>(&item)) {
            for (const auto& word : kinds->quantities) {
                auto& kind = graph->quantities[quantity(word)].kind;
                if (!kind.empty() && kind != kinds->kind.text)
                    return fault("E-DUPLICATE", fmt::format("{} is already {}; it cannot also be {}", word.text, kind, kinds->kind.text),
                                 word.span);
                kind = kinds->kind.text;
            }
            continue;
        }
        const auto& chain = std::get<InfluenceChain>(item);
        for (std::size_t i = 0; i + 1 < chain.quantities.size(); ++i) {
            const rt::FunctionGraph::Influence arc{quantity(chain.quantities[i]), quantity(chain.quantities[i + 1]),
                                                   chain.signs[i] == '+' ? 1 : -1};
            if (rt::contains(graph->influences, arc))
                return fault("E-DUPLICATE", fmt::format("{} is given twice", rt::arc_text(*graph, arc)), chain.quantities[i + 1].span);
            graph->influences.push_back(arc);
        }
    }
    return Value(Value::Node(rt::FunctionGraphPtr(std::move(graph))));
}

Result<Value> Evaluator::declare_model(const CasesStmt& statement) {
    auto library = std::make_shared<rt::CaseLibrary>();
    for (const auto& one : statement.cases) {
        for (const auto& other : library->cases)
            if (other.label == one.label.text)
                return fault("E-DUPLICATE", fmt::format("there are two cases named {}", one.label.text), one.label.span);
        rt::StoredCase out;
        out.label = one.label.text;
        if (one.structure) out.structure = *one.structure;
        if (one.function) {
            auto graph = eval_graph(*one.function);
            if (!graph) return graph;
            out.function = *graph->get<rt::FunctionGraphPtr>();
        }
        for (const auto& attribute : one.attributes) {
            Frame frame;
            auto value = eval_label(*attribute.value, frame);
            if (!value) return value;
            const auto label = value->as_label();
            if (!label)
                return fault("E-TYPE", fmt::format("an attribute of a case is a label or a number, not {}", value->kind()),
                             attribute.value->span);
            for (const auto& [name, other] : out.attributes)
                if (name == attribute.key.text) return fault("E-DUPLICATE", fmt::format("{} is given twice", name), attribute.key.span);
            out.attributes.emplace_back(attribute.key.text, *label);
        }
        library->cases.push_back(std::move(out));
    }
    return Value(Value::Node(ModelValue{std::make_shared<const rt::CaseModel>(std::move(library)), statement.name.text}));
}

}  // namespace credence::lang
