#include "lang/cli/run.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "lang/cli/limits.hpp"
#include "lang/cli/screen.hpp"
#include "lang/driver/json_output.hpp"
#include "lang/driver/plain_output.hpp"
#include "lang/syntax/parse.hpp"
#include "lang/text/render_json.hpp"
#include "lang/text/render_text.hpp"
#include "runtime/core/parallel.hpp"
#include "runtime/core/ranks.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 20U;

void to_stdout(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// Only errors, whatever the form they are written in.
class QuietOutput : public lang::Output {
public:
    explicit QuietOutput(std::unique_ptr<lang::Output> to) : to_(std::move(to)) {}
    void value(const lang::ValueEvent&) override {}
    void derivation(const lang::DerivationEvent&) override {}
    void diagnostic(const lang::Diagnostic& d) override {
        if (d.severity == lang::Severity::error) to_->diagnostic(d);
    }

private:
    std::unique_ptr<lang::Output> to_;
};

/// Keeps the first error that it passes on.
class ErrorKeeper : public lang::Output {
public:
    ErrorKeeper(std::unique_ptr<lang::Output> to, std::optional<lang::Diagnostic>& first) : to_(std::move(to)), first_(first) {}
    void value(const lang::ValueEvent& event) override { to_->value(event); }
    void derivation(const lang::DerivationEvent& event) override { to_->derivation(event); }
    void diagnostic(const lang::Diagnostic& d) override {
        if (!first_ && d.severity == lang::Severity::error) first_ = d;
        to_->diagnostic(d);
    }

private:
    std::unique_ptr<lang::Output> to_;
    std::optional<lang::Diagnostic>& first_;
};

int run_source(const lang::Registry& registry, const Options& options, const lang::SourcePtr& source, const std::string& folder,
               lang::Session::Mode mode) {
    lang::Session session(registry, options.settings);
    const auto output = make_output(session, options);
    bool ok = false;
    bool in_time = true;
    {
        ProgressOutput shown(*output, shows_progress(options), to_stderr);
        in_time = supervised(
            session, options.timeout, [&] { ok = define_names(session, options, shown) && session.run(source, folder, shown, mode); },
            [&] { end_overrun(options); });
    }
    if (!in_time) output->diagnostic(timeout_diagnostic(options));
    return ok && in_time ? fine : failed;
}

int each_file(const lang::Registry& registry, const Options& options, lang::Session::Mode mode) {
    int status = fine;
    for (const auto& path : options.paths) {
        const auto source = read_script(path, options.settings.ranks);
        if (!source) {
            const lang::Session session(registry, options.settings);
            make_output(session, options)->diagnostic(placeless(source.fault()));
            status = failed;
            continue;
        }
        status = std::max(status, run_source(registry, options, *source, folder_of(path), mode));
    }
    return status;
}

/// Open MPI gives the processes that it starts a terminal of its own, whatever its output goes to.
bool is_terminal(int descriptor) { return isatty(descriptor) != 0 && std::getenv("OMPI_COMM_WORLD_RANK") == nullptr; }

/// All as wide as the terminal, in ASCII where the locale does not say UTF-8.
void fit_terminal(lang::PlainStyle& style) {
    constexpr std::size_t narrowest = 40;
    constexpr std::size_t widest = 200;
    if (const auto size = screen_size(STDOUT_FILENO); size && size->columns >= 24)
        style.columns = std::clamp<std::size_t>(size->columns, narrowest, widest);
    style.unicode = unicode_locale();
}

}  // namespace

void to_stderr(std::string_view text) {
    std::fflush(stdout);  // what came before the error is seen before it
    std::fwrite(text.data(), 1, text.size(), stderr);
}

lang::Diagnostic placeless(const rt::Fault& fault) {
    lang::Diagnostic d;
    d.code = fault.code;
    d.message = fault.message;
    if (!fault.hint.empty()) d.help.push_back(fault.hint);
    return d;
}

lang::Diagnostic timeout_diagnostic(const Options& options) {
    return placeless({.code = "E-TIMEOUT", .message = fmt::format("stopped after {} seconds (--timeout)", *options.timeout)});
}

void say_error(const lang::Diagnostic& diagnostic, const Options& options) {
    to_stderr(options.json ? lang::render_json(diagnostic) + "\n" : lang::render_text(diagnostic, {}));
}

rt::Result<lang::SourcePtr> read_script(const std::string& path, rt::Ranks* ranks) {
    if (path == "-") {
        std::string text;
        if (!ranks || ranks->is_first()) {
            std::array<char, std::size_t{1} << 16U> block;
            while (text.size() <= rt::most_script_bytes && (std::cin.read(block.data(), block.size()), std::cin.gcount() > 0))
                text.append(block.data(), static_cast<std::size_t>(std::cin.gcount()));
        }
        if (ranks) text = ranks->from_first(text, rt::purpose_of("standard input"));
        if (text.size() > rt::most_script_bytes)
            return rt::Fault{
                .code = "E-FILE",
                .message = fmt::format("standard input has more than {} MB, which is the most that is read", rt::most_script_bytes >> 20U)};
        return std::make_shared<const lang::Source>("standard input", std::move(text));
    }
    const auto text = TRY(rt::read_file({path, {}, ranks}, rt::Readable::anything, rt::most_script_bytes));
    return std::make_shared<const lang::Source>(path, std::string(text.view()));
}

bool define_names(lang::Session& session, const Options& options, lang::Output& output) {
    for (const auto& [name, value] : options.definitions) {
        const auto source = std::make_shared<lang::Source>("--set " + name, "let " + name + " = " + value);
        lang::Diagnostics ignored;  // the session reports them
        if (lang::parse(source, ignored).statements.size() > 1) {
            output.diagnostic(
                placeless({.code = "E-SYNTAX", .message = fmt::format("--set {} takes one expression, found {}", name, value)}));
            return false;
        }
        if (!session.run(source, "", output)) return false;
    }
    return true;
}

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

bool use_color(Color choice, int descriptor) {
    if (choice != Color::automatic) return choice == Color::always;
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal && std::string_view(terminal) == "dumb";
    return !(no_color && *no_color) && !dumb && is_terminal(descriptor);
}

ProgressOutput::Show shows_progress(const Options& options) {
    return !options.quiet && !options.json && is_terminal(STDERR_FILENO) ? ProgressOutput::Show::yes : ProgressOutput::Show::no;
}

std::unique_ptr<lang::Output> make_output(const lang::Session& session, const Options& options, Write write, Write write_error) {
    if (!write) write = to_stdout;
    const auto kept = [&](std::unique_ptr<lang::Output> output) -> std::unique_ptr<lang::Output> {
        if (options.quiet) output = std::make_unique<QuietOutput>(std::move(output));
        if (options.first_error) output = std::make_unique<ErrorKeeper>(std::move(output), *options.first_error);
        return output;
    };
    if (options.json) return kept(std::make_unique<lang::JsonOutput>(std::move(write), std::move(write_error)));
    lang::PlainStyle style{.color = use_color(options.color, STDERR_FILENO),
                           .picture_colors = use_color(options.color, STDOUT_FILENO),
                           .bars = is_terminal(STDOUT_FILENO)};
    if (style.bars) fit_terminal(style);  // elsewhere the text must not depend on where it is made
    return kept(std::make_unique<lang::PlainOutput>(std::move(write), std::move(write_error), session.world().settings.digits, style));
}

void end_overrun(const Options& options) {
    // The script's own thread may hold a stream, and write to a pipe that nobody reads.
    if (ftrylockfile(stdout) == 0) std::fflush(stdout);
    const auto late = timeout_diagnostic(options);
    const std::string text = options.json ? lang::render_json(late) + "\n" : lang::render_text(late, {});
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
    ::_exit(failed);
}

bool supervised(lang::Session& session, const std::optional<double>& timeout, const std::function<void()>& body,
                const std::function<void()>& overrun) {
    restore_limit();
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;
    bool in_time = true;
    std::thread clock;
    if (timeout) {
        constexpr double longest = 1e9;  // 30 years: more would not fit the clock's own count
        const std::chrono::duration<double> limit(std::min(*timeout, longest));
        clock = std::thread([&, limit] {
            std::unique_lock lock(mutex);
            if (finished.wait_for(lock, limit, [&] { return done; })) return;
            in_time = false;
            session.request_stop();
            constexpr std::chrono::milliseconds patience{60};
            if (overrun && !finished.wait_for(lock, patience, [&] { return done; })) overrun();
        });
    }
    const auto end = [&] {
        {
            const std::lock_guard lock(mutex);
            done = true;
        }
        finished.notify_all();
        if (clock.joinable()) clock.join();
    };
    try {
        rt::run_with_stack(stack_bytes, body);
    } catch (...) {  // no thread could be made, or memory ended outside of the session
        end();
        throw;
    }
    end();
    return in_time;
}

int run_files(const lang::Registry& registry, const Options& options) { return each_file(registry, options, lang::Session::Mode::run); }

int check_files(const lang::Registry& registry, const Options& options) { return each_file(registry, options, lang::Session::Mode::check); }

int run_expression(const lang::Registry& registry, const Options& options) {
    const auto source = std::make_shared<const lang::Source>("-e", *options.expression + "\n");
    return run_source(registry, options, source, "", lang::Session::Mode::run);
}

int run_standard_input(const lang::Registry& registry, const Options& options) {
    const auto source = read_script("-", options.settings.ranks);
    if (source) return run_source(registry, options, *source, "", lang::Session::Mode::run);
    say_error(placeless(source.fault()), options);
    return 1;
}

}  // namespace credence::cli
