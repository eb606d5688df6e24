// `credence fmt`: canonical formatting in place, or only a check.

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "lang/cli/options.hpp"
#include "lang/syntax/format.hpp"
#include "lang/syntax/parse.hpp"
#include "lang/text/render_text.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

int complain(const rt::Fault& fault) {
    lang::Diagnostic d;
    d.code = fault.code;
    d.message = fault.message;
    std::fputs(lang::render_text(d, {}).c_str(), stderr);
    return failed;
}

/// The formatted text, or nothing when it does not parse (which is reported).
std::optional<std::string> formatted(const std::string& name, const std::string& text) {
    lang::Diagnostics diagnostics;
    lang::parse(std::make_shared<lang::Source>(name, text), diagnostics);
    lang::sort_diagnostics(diagnostics);
    for (const auto& d : diagnostics) std::fputs(lang::render_text(d, {}).c_str(), stderr);
    if (std::any_of(diagnostics.begin(), diagnostics.end(), [](const lang::Diagnostic& d) { return d.severity == lang::Severity::error; }))
        return std::nullopt;
    return lang::format(text);
}

int format_file(const std::string& path, bool check) {
    const auto file = rt::read_file(path);
    if (!file) return complain(file.fault());
    const std::string text(file->view());
    const auto out = formatted(path, text);
    if (!out) return failed;
    if (*out == text) return fine;
    if (check) {
        std::printf("%s would change\n", path.c_str());
        return failed;
    }
    const rt::Status written = rt::write_file(path, *out);
    return written ? fine : complain(written.fault());
}

}  // namespace

int format_files(const Options& options) {
    int status = fine;
    for (const auto& path : options.paths) {
        if (path != "-") {
            status = std::max(status, format_file(path, options.check));
            continue;
        }
        std::ostringstream text;
        text << std::cin.rdbuf();
        const auto out = formatted("standard input", text.str());
        if (!out) return failed;
        std::fwrite(out->data(), 1, out->size(), stdout);
        if (options.check && *out != text.str()) status = failed;
    }
    return status;
}

}  // namespace credence::cli
