// `credence test`: runs each x.cred and compares its output, values and diagnostics together, with x.out.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "lang/cli/diff.hpp"
#include "lang/cli/options.hpp"
#include "lang/cli/run.hpp"
#include "lang/driver/plain_output.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

namespace fs = std::filesystem;

struct Outcome {
    bool passed = false;
    bool without_golden = false;
    std::string report;  ///< printed when it failed
    std::size_t met = 0;
    std::size_t failed = 0;
};

std::vector<std::string> scripts_in(const std::vector<std::string>& paths, std::vector<std::string>& problems) {
    std::vector<std::string> out;
    for (const auto& path : paths) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            for (const auto& entry : fs::recursive_directory_iterator(path, error))
                if (entry.is_regular_file() && entry.path().extension() == ".cred") out.push_back(entry.path().string());
        } else if (!fs::exists(path, error)) {
            problems.push_back(fmt::format("'{}' does not exist", path));
        } else if (fs::path(path).extension() != ".cred") {
            problems.push_back(fmt::format("'{}' is not a script: the names of scripts end in .cred", path));
        } else {
            out.push_back(path);
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Outcome run_one(const lang::Registry& registry, const Options& options, const std::string& path) {
    Outcome out;
    const auto text = rt::read_file(path, rt::Readable::files, rt::most_script_bytes);
    if (!text) {
        out.report = text.fault().message + "\n";
        return out;
    }
    lang::Session session(registry, options.settings);
    std::string said;
    const auto write = [&](std::string_view part) { said += part; };
    // The name in diagnostics is the file's own, so that a golden does not depend on where the tests were started.
    const std::string name = fs::path(path).filename().string();
    lang::PlainOutput output(write, write, session.world().settings.digits, {});
    bool ok = false;
    const bool in_time = supervised(session, options.timeout, [&] {
        ok = define_names(session, options, output) &&
             session.run(std::make_shared<lang::Source>(name, std::string(text->view())), folder_of(path), output);
    });
    out.met = session.expectations_met();
    out.failed = session.expectations_failed();
    if (!in_time) {
        out.report = fmt::format("stopped after {} seconds\n", *options.timeout);
        return out;
    }
    const std::string golden_path = fs::path(path).replace_extension(".out").string();
    const auto golden = rt::read_file(golden_path);
    const std::string wanted = golden ? std::string(golden->view()) : "";
    if (out.failed > 0) {
        out.report = fmt::format("{} of {} expectations failed\n{}", out.failed, out.met + out.failed, said);
        return out;
    }
    if (golden && wanted == said) {
        out.passed = true;
        return out;
    }
    if (options.update) {
        const auto allowed = rt::inside(options.settings.root, "", golden_path);
        const rt::Status written = allowed ? rt::write_file(*allowed, said) : rt::Status(allowed.fault());
        out.passed = static_cast<bool>(written);
        out.report = written ? fmt::format("{} written\n", golden_path) : written.fault().message + "\n";
        return out;
    }
    // A script without a golden passes when it runs clean: that is what an acceptance script is.
    if (!golden) {
        out.without_golden = true;
        out.passed = ok && !options.complete;
        if (!out.passed) out.report = ok ? fmt::format("there is no {}\n", golden_path) : said;
        return out;
    }
    out.report = diff(wanted, said);
    return out;
}

}  // namespace

int test_paths(const lang::Registry& registry, const Options& options) {
    std::vector<std::string> problems;
    const auto scripts = scripts_in(options.paths, problems);
    for (const auto& problem : problems) std::fprintf(stderr, "credence: %s\n", problem.c_str());
    std::vector<Outcome> outcomes(scripts.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < scripts.size(); i = next++) outcomes[i] = run_one(registry, options, scripts[i]);
    };
    {
        std::vector<std::jthread> workers;
        for (unsigned t = 1; t < options.threads.value_or(std::thread::hardware_concurrency()); ++t) workers.emplace_back(work);
        work();
    }
    std::size_t passed = 0;
    std::size_t without_golden = 0;
    std::size_t met = 0;
    std::size_t expectations = 0;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        passed += outcomes[i].passed ? 1 : 0;
        without_golden += outcomes[i].without_golden ? 1 : 0;
        met += outcomes[i].met;
        expectations += outcomes[i].met + outcomes[i].failed;
        if (!outcomes[i].passed)
            std::printf("FAIL %s\n%s", scripts[i].c_str(), outcomes[i].report.c_str());
        else if (!outcomes[i].report.empty() && !options.quiet)
            std::printf("%s", outcomes[i].report.c_str());
    }
    const std::size_t failures = scripts.size() - passed + problems.size();
    const std::string incomplete = without_golden > 0 ? fmt::format(", {} without an .out file", without_golden) : "";
    std::printf("%zu of %zu expectations met%s\n%zu passed, %zu failed\n", met, expectations, incomplete.c_str(), passed, failures);
    if (scripts.empty() && problems.empty()) std::fprintf(stderr, "credence: no .cred file found\n");
    return failures == 0 && !scripts.empty() ? fine : failed;
}

}  // namespace credence::cli
