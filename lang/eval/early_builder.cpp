#include "lang/eval/early_builder.hpp"

#include "lang/eval/declare_net.hpp"
#include "lang/eval/evaluator.hpp"

namespace credence::lang {

namespace {

/// Drops all output, and knows whether there would have been any.
class Unheard final : public Output {
public:
    void value(const ValueEvent&) override {}
    void derivation(const DerivationEvent&) override {}
    void diagnostic(const Diagnostic&) override { said = true; }
    bool said = false;
};

}  // namespace

Declared EarlyBuilder::declare(const Statement& statement, Span name) {
    Unheard unheard;
    Output* const output = std::exchange(world_.output, &unheard);
    const rt::Rng rng = world_.rng;
    Evaluator evaluator(world_, source_, folder_);
    Declared out;
    std::vector<rt::Fault> faults;
    if (const auto* net = std::get_if<NetStmt>(&statement.node)) {
        NetDeclaration declaration(evaluator, *net);
        declaration.build();
        faults = declaration.faults();
        out.shape = declaration.shape();
        if (net->params.empty())
            if (auto model = declaration.model()) out.value = Value(Value::Node(ModelValue{*std::move(model), net->name.text}));
    } else if (is_evaluable(statement, world_)) {
        auto value = evaluator.declare(statement);
        if (value)
            out.value = *std::move(value);
        else
            faults.push_back(std::move(value).fault());
    }
    for (auto& fault : faults) {
        const Span where = evaluator.place_of(fault, name).span;
        out.faults.emplace_back(std::move(fault), where);
    }
    evaluator.tell_notes();
    // A statement with output or random draws runs in its turn.
    if (out.value && !unheard.said && world_.rng == rng) world_.declared.insert_or_assign(&statement, *out.value);
    world_.output = output;
    world_.rng = rng;
    return out;
}

}  // namespace credence::lang
