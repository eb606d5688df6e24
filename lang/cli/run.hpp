#pragma once
// Running one script with the outside world attached.

#include <functional>
#include <memory>
#include <string>

#include "lang/cli/options.hpp"
#include "lang/cli/progress.hpp"

namespace credence::cli {

/// The folder that a script's relative paths start at.
std::string folder_of(const std::string& path);

/// A script by its path; - is standard input, which the first of several ranks reads for all.
rt::Result<lang::SourcePtr> read_script(const std::string& path, rt::Ranks* ranks = nullptr);

/// What went wrong outside of any script.
lang::Diagnostic placeless(const rt::Fault& fault);
lang::Diagnostic timeout_diagnostic(const Options& options);
/// On standard error, in the form that --json asks for.
void say_error(const lang::Diagnostic& diagnostic, const Options& options);

/// Applies `--set name=value` before the script runs.
bool define_names(lang::Session& session, const Options& options, lang::Output& output);

/// Calls body on a thread with a large stack (deep recursion is the script's right) and, with a timeout, stops the session when it is over.
/// False when the time ran out. Where the body has not ended soon after that, `overrun` is called on another thread.
bool supervised(lang::Session& session, const std::optional<double>& timeout, const std::function<void()>& body,
                const std::function<void()>& overrun = {});
/// Says that the time ran out and ends the program: nothing that the script was doing can keep it.
void end_overrun(const Options& options);

using Write = std::function<void(std::string_view)>;
void to_stderr(std::string_view text);

/// `write` takes values, `write_error` diagnostics; standard output and standard error where they are left out.
std::unique_ptr<lang::Output> make_output(const lang::Session& session, const Options& options, Write write = {},
                                          Write write_error = to_stderr);

/// Only on a terminal, and unless an option forbids it.
ProgressOutput::Show shows_progress(const Options& options);

}  // namespace credence::cli
