#pragma once
// The events of a run as the page gets them: each at once, as JSON.

#include <functional>

#include <nlohmann/json.hpp>

#include "lang/world/output.hpp"

namespace credence::web {

using Json = nlohmann::json;

class EventOutput : public lang::Output {
public:
    using Send = std::function<void(const Json& event)>;
    /// `digits` is read at each event: `set digits` may change it.
    EventOutput(lang::SourcePtr source, const int& digits, Send send)
        : source_(std::move(source)), digits_(digits), send_(std::move(send)) {}

    void value(const lang::ValueEvent& event) override;
    void derivation(const lang::DerivationEvent& event) override;
    void diagnostic(const lang::Diagnostic& diagnostic) override;
    void progress(const rt::ProgressReport& report) override;

private:
    /// As `credence FILE` prints it.
    template <class Tell>
    std::string plain(Tell tell) const;

    lang::SourcePtr source_;
    const int& digits_;
    Send send_;
    int shown_percent_ = -1;
    std::string work_;
};

}  // namespace credence::web
