// `credence convert IN OUT`: load and save, as a script would.

#include <cstdio>

#include <fmt/format.h>

#include "lang/cli/run.hpp"
#include "runtime/core/words.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

std::string known_endings(const lang::Registry& registry, bool to_write) {
    if (!to_write) return registry.endings(&lang::FileFormat::is_read) + ", .cred";
    return registry.endings([](const lang::FileFormat& format) { return static_cast<bool>(format.save); });
}

/// The last net or table that a script declares, as the format to write takes it; nothing if there is none.
const lang::Value* last_declared(const lang::Session& session, const lang::FileFormat& format) {
    const auto& symbols = session.scope().symbols();
    for (auto symbol = symbols.rbegin(); symbol != symbols.rend(); ++symbol) {
        if (symbol->kind != lang::Symbol::Kind::model && symbol->kind != lang::Symbol::Kind::value) continue;
        const lang::Value* value = session.value_of(symbol->name);
        if (!value) continue;
        if (format.saves(*value)) return value;
    }
    return nullptr;
}

/// Errors of a conversion are shown without the line of Credence that does it: nobody wrote that line.
class WithoutPlace : public lang::Output {
public:
    explicit WithoutPlace(lang::Output& to) : to_(to) {}
    void value(const lang::ValueEvent&) override {}
    void derivation(const lang::DerivationEvent&) override {}
    void diagnostic(const lang::Diagnostic& found) override {
        lang::Diagnostic d = found;
        d.source = nullptr;
        if (!d.label.empty()) d.help.insert(d.help.begin(), d.label);
        to_.diagnostic(d);
    }

private:
    lang::Output& to_;
};

int usage_error(const std::string& message) {
    std::fprintf(stderr, "credence: %s\n", message.c_str());
    return usage;
}

}  // namespace

int convert(const lang::Registry& registry, const Options& options) {
    const std::string& in = options.paths[0];
    const std::string& out = options.paths[1];
    const std::string from = rt::file_ending(in);
    const std::string to = rt::file_ending(out);
    const lang::FileFormat* reads = registry.format_of(from);
    const lang::FileFormat* writes = registry.format_of(to);
    if (from != ".cred" && !(reads && reads->is_read()))
        return usage_error(fmt::format("convert: cannot read '{}': the extension must be one of {}", in, known_endings(registry, false)));
    if (!writes || !writes->save)
        return usage_error(fmt::format("convert: cannot write '{}': the extension must be one of {}", out, known_endings(registry, true)));
    const auto held = [](const lang::FileFormat& format) { return format.table ? "table" : "model"; };
    if (from != ".cred" && !reads->table != !writes->table)
        return usage_error(fmt::format("convert: {} holds a {}, and {} holds a {}", from, held(*reads), to, held(*writes)));

    lang::Session session(registry, options.settings);
    Options silent = options;
    silent.quiet = true;
    const auto output = make_output(session, silent);
    bool ok = false;
    const auto body = [&] {
        std::string what = fmt::format("load({})", rt::quoted_text(in, true));
        if (from == ".cred") {
            const auto source = read_script(in);
            if (!source) return output->diagnostic(placeless(source.fault()));
            if (!session.run(*source, folder_of(in), *output)) return;
            const lang::Value* declared = last_declared(session, *writes);
            if (!declared) {
                std::fprintf(stderr, "credence: convert: %s declares nothing that %s can hold\n", in.c_str(), to.c_str());
                return;
            }
            what = "converted from";  // no script can name it so: a variable may be called as its net
            session.define(what, lang::Value(*declared));
            what = "`" + what + "`";
        }
        const auto script = fmt::format("let converted = save({}, {})", what, rt::quoted_text(out, true));
        WithoutPlace conversion(*output);
        ok = session.run(std::make_shared<lang::Source>("convert", script), "", conversion);
    };
    const bool in_time = supervised(session, options.timeout, body, [&] { end_overrun(options); });
    if (!in_time) output->diagnostic(timeout_diagnostic(options));
    return ok && in_time ? fine : failed;
}

}  // namespace credence::cli
