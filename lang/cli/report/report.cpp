// `credence report FILE -o page.html`.

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "lang/cli/options.hpp"
#include "lang/cli/report/drawings.hpp"
#include "lang/cli/report/page.hpp"
#include "lang/cli/run.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

int refuse(const rt::Fault& fault, const Options& options) {
    say_error(placeless(fault), options);
    return failed;
}

/// What errors mean for the page: found by the checks, nothing ran; else, all ran up to the first.
bool is_sound(const lang::Registry& registry, const Options& options, const lang::SourcePtr& source, const std::string& folder) {
    struct Silent : lang::Output {
        void value(const lang::ValueEvent&) override {}
        void derivation(const lang::DerivationEvent&) override {}
        void diagnostic(const lang::Diagnostic&) override {}
    } silent;
    lang::Session session(registry, options.settings);
    return define_names(session, options, silent) && session.run(source, folder, silent, lang::Session::Mode::check);
}

/// Runs the script once and writes the page. `last` is the page as it was written last: the same page is not written again.
int write_report(const lang::Registry& registry, const Options& options, int reload, std::string* last = nullptr) {
    const std::string& path = options.paths.front();
    const auto script = read_script(path);
    if (!script) return refuse(script.fault(), options);
    const lang::SourcePtr source = *script;
    lang::Session session(registry, options.settings);
    ReportOutput output(source, session.world().settings.digits);
    bool ok = false;
    bool sound = true;
    const bool in_time = supervised(
        session, options.timeout,
        [&] {
            sound = is_sound(registry, options, source, folder_of(path));
            ok = define_names(session, options, output) && session.run(source, folder_of(path), output);
        },
        [&] { end_overrun(options); });
    std::string page = report_page(source, output,
                                   {.version = "Credence " + version_number(),
                                    .seed = options.settings.seed,
                                    .last_seed = session.world().settings.seed,
                                    .expectations_met = session.expectations_met(),
                                    .expectations_failed = session.expectations_failed(),
                                    .ran = sound,
                                    .in_time = in_time,
                                    .reload = reload,
                                    .nets = drawings_of(session)});
    for (const auto& d : output.diagnostics())
        if (d.severity == lang::Severity::error) say_error(d, options);
    if (!in_time) say_error(timeout_diagnostic(options), options);
    if (options.output.empty() || options.output == "-") {
        std::fwrite(page.data(), 1, page.size(), stdout);
    } else if (!last || page != *last) {
        const auto allowed = rt::inside(options.settings.root, "", options.output);
        if (!allowed) return refuse(allowed.fault(), options);
        if (const rt::Status written = rt::write_file(*allowed, page); !written) return refuse(written.fault(), options);
        if (last) *last = std::move(page);
    }
    return ok && in_time ? fine : failed;
}

}  // namespace

int report(const lang::Registry& registry, const Options& options) {
    if (!options.watch) return write_report(registry, options, 0);
    namespace fs = std::filesystem;
    const std::string& path = options.paths.front();
    if (path == "-" || options.output.empty() || options.output == "-")
        return refuse({.code = "E-ARGUMENT", .message = "--watch needs a script and -o, the page that it writes again"}, options);
    const auto time_of_script = [&] {
        std::error_code missing;
        return fs::last_write_time(path, missing);
    };
    // Files of the script count too: tables that it loads, modules that it imports.
    const auto newest_beside = [&] {
        std::error_code ignored;
        auto out = fs::file_time_type::min();
        const auto folder = fs::path(path).parent_path();
        for (const auto& file : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, ignored)) {
            if (fs::equivalent(file.path(), options.output, ignored) || !file.is_regular_file(ignored)) continue;
            const auto time = file.last_write_time(ignored);
            if (!ignored) out = std::max(out, time);
        }
        return out;
    };
    std::string page;
    for (;;) {
        const auto script = time_of_script();
        const std::string last = page;
        constexpr int reload_seconds = 2;
        const int status = write_report(registry, options, reload_seconds, &page);
        const auto beside = newest_beside();  // after the run, so that files which the script saves do not count as changes
        if (page != last)
            to_stderr(fmt::format("{} {}; waiting for changes, Ctrl-C ends\n", options.output,
                                  status == fine ? "written" : "written, with errors"));
        while (time_of_script() == script && newest_beside() == beside) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
}

}  // namespace credence::cli
