#pragma once
// Events as JSON: one object on each line.

#include <functional>
#include <string_view>

#include "lang/world/output.hpp"

namespace credence::lang {

class JsonOutput : public Output {
public:
    using Write = std::function<void(std::string_view)>;
    JsonOutput(Write out, Write err) : out_(std::move(out)), err_(std::move(err)) {}

    void value(const ValueEvent& event) override;
    void derivation(const DerivationEvent& event) override;
    void diagnostic(const Diagnostic& diagnostic) override;

private:
    Write out_;
    Write err_;
};

}  // namespace credence::lang
