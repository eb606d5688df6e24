#include "lang/cli/repl_entry.hpp"

#include "runtime/core/run.hpp"

namespace credence::cli {

RunningEntry::RunningEntry(std::shared_ptr<lang::Session> of, const Options& options, Write write)
    : session(std::move(of)),
      rendered_(make_output(*session, options, while_open(std::move(write)), while_open(to_stderr))),
      show_(shows_progress(options)),
      progress_(*rendered_, show_, while_open(to_stderr)) {}

/// Only the writing is guarded: a value may take long to render, and then nobody should wait for it.
Write RunningEntry::while_open(Write write) {
    return [this, write = std::move(write)](std::string_view text) {
        const std::lock_guard lock(mutex_);
        if (open_) write(text);
    };
}

void RunningEntry::value(const lang::ValueEvent& event) {
    last = event.value;
    progress_.value(event);
}

void RunningEntry::derivation(const lang::DerivationEvent& event) {
    last = event.value;
    progress_.derivation(event);
}

void RunningEntry::close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
    if (show_ == ProgressOutput::Show::yes) to_stderr(rubout);
}

bool RunningEntry::is_open() {
    const std::lock_guard lock(mutex_);
    return open_;
}

lang::Diagnostic stopped_diagnostic(const lang::Session::Running& running) {
    const rt::Fault fault = rt::stopped_fault();
    lang::Diagnostic d;
    d.code = fault.code;
    d.message = fault.message;
    d.source = running.source;
    d.span = running.span;
    return d;
}

}  // namespace credence::cli
