#pragma once
// Runs a text in a session of its own and keeps what it said.

#include <string>
#include <vector>

#include "lang/driver/plain_output.hpp"
#include "lang/driver/session.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::test {

inline const lang::Registry& registry() {
    static const lang::Registry all = std_::make_registry();
    return all;
}

struct Recorder : lang::Output {
    std::vector<lang::ValueEvent> values;
    std::vector<lang::DerivationEvent> derivations;
    lang::Diagnostics diagnostics;
    void value(const lang::ValueEvent& event) override { values.push_back(event); }
    void derivation(const lang::DerivationEvent& event) override { derivations.push_back(event); }
    void diagnostic(const lang::Diagnostic& d) override { diagnostics.push_back(d); }

    std::string codes() const {
        std::string out;
        for (const auto& d : diagnostics)
            if (d.severity == lang::Severity::error) out += (out.empty() ? "" : " ") + std::string(d.code.text());
        return out;
    }
    std::string messages() const {
        std::string out;
        for (const auto& d : diagnostics) out += std::string(d.code.text()) + ": " + d.message + " (" + d.label + ")\n";
        return out;
    }
};

inline bool run(lang::Session& session, const std::string& text, lang::Output& output, const std::string& folder = "") {
    return session.run(std::make_shared<lang::Source>("test", text), folder, output);
}

/// What a script prints, diagnostics included.
inline std::string said(const std::string& text, const lang::Settings& settings = {}) {
    lang::Session session(registry(), settings);
    std::string out;
    const auto write = [&](std::string_view part) { out += part; };
    lang::PlainOutput output(write, write, session.world().settings.digits, {});
    run(session, text, output);
    return out;
}

}  // namespace credence::test
