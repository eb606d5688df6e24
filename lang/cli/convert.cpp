// `credence convert IN OUT`: load and save, as a script would.

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "lang/cli/run.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli {

namespace {

constexpr std::string_view table_endings[] = {".csv", ".tsv", ".arff", ".jsonl", ".ndjson"};

std::string ending_of(const std::string& path) {
    std::string out = std::filesystem::path(path).extension().string();
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

bool is_table(const std::string& ending) {
    return std::find(std::begin(table_endings), std::end(table_endings), ending) != std::end(table_endings);
}

const lang::FileFormat* format_named(const lang::Registry& registry, const std::string& ending) {
    for (const auto& format : registry.formats())
        if (std::find(format.endings.begin(), format.endings.end(), ending) != format.endings.end()) return &format;
    return nullptr;
}

std::string known_endings(const lang::Registry& registry, bool to_write) {
    std::vector<std::string> out(std::begin(table_endings), std::end(table_endings));
    for (const auto& format : registry.formats())
        if (to_write ? static_cast<bool>(format.save) : static_cast<bool>(format.load))
            out.insert(out.end(), format.endings.begin(), format.endings.end());
    if (!to_write) out.emplace_back(".cred");
    return rt::joined(out, ", ");
}

/// A path as a text of the language.
std::string as_text(const std::string& path) {
    std::string out = "\"";
    for (const char c : path) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
        if (c == '{' || c == '}') out += c;
    }
    return out + '"';
}

/// The last net or table that a script declares, as the format to write takes it; nothing where there is none.
const lang::Value* last_declared(const lang::Session& session, const std::string& ending, const lang::FileFormat* format) {
    const auto& symbols = session.scope().symbols();
    for (auto symbol = symbols.rbegin(); symbol != symbols.rend(); ++symbol) {
        if (symbol->kind != lang::Symbol::Kind::model && symbol->kind != lang::Symbol::Kind::value) continue;
        const lang::Value* value = session.value_of(symbol->name);
        if (!value) continue;
        const bool fits = is_table(ending) ? value->is<rt::TablePtr>() : format && format->save && format->saves(*value);
        if (fits) return value;
    }
    return nullptr;
}

/// What is wrong with a conversion is said without the line of Credence that does it: nobody wrote that line.
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
    const std::string from = ending_of(in);
    const std::string to = ending_of(out);
    const lang::FileFormat* reads = format_named(registry, from);
    const lang::FileFormat* writes = format_named(registry, to);
    if (from != ".cred" && !is_table(from) && !(reads && reads->load))
        return usage_error(fmt::format("convert: '{}' is not read: the ending is one of {}", in, known_endings(registry, false)));
    if (!is_table(to) && !(writes && writes->save))
        return usage_error(fmt::format("convert: '{}' is not written: the ending is one of {}", out, known_endings(registry, true)));
    if (from != ".cred" && is_table(from) != is_table(to))
        return usage_error(fmt::format("convert: {} holds a {}, and {} holds a {}", from, is_table(from) ? "table" : "model", to,
                                       is_table(to) ? "table" : "model"));

    lang::Session session(registry, options.settings);
    Options silent = options;
    silent.quiet = true;
    const auto output = make_output(session, silent);
    bool ok = false;
    const auto body = [&] {
        std::string what = fmt::format("load({})", as_text(in));
        if (from == ".cred") {
            const auto source = read_script(in);
            if (!source) return output->diagnostic(placeless(source.fault()));
            if (!session.run(*source, folder_of(in), *output)) return;
            const lang::Value* declared = last_declared(session, to, writes);
            if (!declared) {
                std::fprintf(stderr, "credence: convert: %s declares nothing that %s holds\n", in.c_str(), to.c_str());
                return;
            }
            what = "converted from";  // no script can name it so: a variable may be called as its net
            session.define(what, lang::Value(*declared));
            what = "`" + what + "`";
        }
        const auto script = fmt::format("let converted = save({}, {})", what, as_text(out));
        WithoutPlace conversion(*output);
        ok = session.run(std::make_shared<lang::Source>("convert", script), "", conversion);
    };
    const bool in_time = supervised(session, options.timeout, body);
    if (!in_time) output->diagnostic(timeout_diagnostic(options));
    return ok && in_time ? fine : failed;
}

}  // namespace credence::cli
