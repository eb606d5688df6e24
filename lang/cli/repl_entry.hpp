#pragma once
// An entry that runs, with all that it touches: when it is stopped and does not end at once, it is left alone with it.

#include <memory>
#include <mutex>
#include <optional>

#include "lang/cli/progress.hpp"
#include "lang/cli/run.hpp"
#include "lang/driver/session.hpp"

namespace credence::cli {

/// Passes everything on until it is closed, and keeps the last value, which `_` names.
class RunningEntry : public lang::Output {
public:
    RunningEntry(std::shared_ptr<lang::Session> of, const Options& options, Write write);

    void value(const lang::ValueEvent& event) override;
    void derivation(const lang::DerivationEvent& event) override;
    void diagnostic(const lang::Diagnostic& diagnostic) override { progress_.diagnostic(diagnostic); }
    void progress(const rt::ProgressReport& report) override { progress_.progress(report); }

    /// Nothing is written any more; what has begun to be written is first written whole.
    void close();
    bool is_open();

    const std::shared_ptr<lang::Session> session;
    std::optional<lang::Value> last;
    bool ok = false;

private:
    Write while_open(Write write);

    std::mutex mutex_;
    bool open_ = true;
    std::unique_ptr<lang::Output> rendered_;
    ProgressOutput::Show show_;
    ProgressOutput progress_;
};

/// The diagnostic for a statement that was stopped but has not ended yet.
lang::Diagnostic stopped_diagnostic(const lang::Session::Running& running);

}  // namespace credence::cli
