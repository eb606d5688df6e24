// `credence fmt`: canonical formatting in place, or only a check.

#include <algorithm>
#include <cstdio>

#include "lang/cli/run.hpp"
#include "lang/syntax/format.hpp"
#include "lang/syntax/parse.hpp"
#include "lang/text/render_text.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

/// The formatted text, or nothing when it does not parse (which is reported).
std::optional<std::string> formatted(const lang::SourcePtr& source, const Options& options) {
    lang::Diagnostics diagnostics;
    lang::parse(source, diagnostics);
    lang::sort_diagnostics(diagnostics);
    for (const auto& d : diagnostics) say_error(d, options);
    if (std::any_of(diagnostics.begin(), diagnostics.end(), [](const lang::Diagnostic& d) { return d.severity == lang::Severity::error; }))
        return std::nullopt;
    return lang::format(source->text());
}

int format_one(const std::string& path, const Options& options) {
    const auto source = read_script(path);
    if (!source) {
        say_error(placeless(source.fault()), options);
        return failed;
    }
    const auto out = formatted(*source, options);
    if (!out) return failed;
    const bool same = *out == (*source)->text();
    if (options.check) {
        if (!same) std::printf("%s would change\n", (*source)->name().c_str());
        return same ? fine : failed;
    }
    if (path == "-") std::fwrite(out->data(), 1, out->size(), stdout);
    if (path == "-" || same) return fine;
    const auto allowed = rt::inside(options.settings.root, "", path);
    const rt::Status written = allowed ? rt::write_file(*allowed, *out) : rt::Status(allowed.fault());
    if (!written) say_error(placeless(written.fault()), options);
    return written ? fine : failed;
}

}  // namespace

int format_files(const Options& options) {
    int status = fine;
    for (const auto& path : options.paths) status = std::max(status, format_one(path, options));
    return status;
}

}  // namespace credence::cli
