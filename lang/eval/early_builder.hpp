#pragma once
// Declarations built before the run: what needs only values that are there already is built once, and kept for the statement.

#include "lang/world/declarer.hpp"
#include "lang/world/world.hpp"

namespace credence::lang {

class EarlyBuilder final : public Declarer {
public:
    EarlyBuilder(World& world, SourcePtr source, std::string folder)
        : world_(world), source_(std::move(source)), folder_(std::move(folder)) {}
    Declared declare(const Statement& statement, Span name) override;

private:
    World& world_;
    SourcePtr source_;
    std::string folder_;
};

}  // namespace credence::lang
