#include "lang/cli/lsp/document.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"

namespace credence::cli::lsp {

namespace {

using namespace lang;

constexpr std::size_t stack_bytes = std::size_t{256} << 20U;

struct Collecting : Output {
    Diagnostics found;
    void value(const ValueEvent&) override {}
    void derivation(const DerivationEvent&) override {}
    void diagnostic(const Diagnostic& d) override { found.push_back(d); }
};

int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

}  // namespace

std::optional<std::string> path_of(const std::string& uri) {
    constexpr std::string_view scheme = "file://";
    if (!uri.starts_with(scheme)) return std::nullopt;
    std::string out;
    for (std::size_t i = std::min(uri.find('/', scheme.size()), uri.size()); i < uri.size(); ++i) {
        if (uri[i] == '%' && i + 2 < uri.size() && hex(uri[i + 1]) >= 0 && hex(uri[i + 2]) >= 0) {
            out += static_cast<char>(hex(uri[i + 1]) * 16 + hex(uri[i + 2]));
            i += 2;
        } else {
            out += uri[i];
        }
    }
    return out;
}

std::string uri_of(const std::string& path) {
    std::string out = "file://";
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("/-_.~").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

Document::Document(std::string uri, std::string text, std::int64_t version)
    : uri_(std::move(uri)), map_(std::move(text)), version_(version) {}

bool Document::change(const Json& change) {
    const auto text = change.is_object() ? change.find("text") : change.end();
    if (text == change.end() || !text->is_string()) return false;
    const auto range = change.find("range");
    if (range == change.end() || range->is_null()) {
        map_ = TextMap(text->get<std::string>());
    } else {
        Place begin;
        Place end;
        if (!range->is_object() || !range->contains("start") || !range->contains("end") || !TextMap::read((*range)["start"], begin) ||
            !TextMap::read((*range)["end"], end))
            return false;
        const std::size_t from = map_.offset(begin);
        const std::size_t to = std::max(from, map_.offset(end));
        std::string changed = map_.text();
        changed.replace(from, to - from, text->get<std::string>());
        map_ = TextMap(std::move(changed));
    }
    current_.reset();
    return true;
}

const Analysis& Document::analysis(const Registry& registry, const Settings& settings) {
    if (current_) return *current_;
    auto out = std::make_shared<Analysis>();
    const std::string path = path_of(uri_).value_or(uri_);
    out->source = std::make_shared<Source>(std::filesystem::path(path).filename().string(), text());
    const std::string folder = std::filesystem::path(path).parent_path().string();
    rt::run_with_stack(stack_bytes, [&] {
        Collecting output;
        out->session = std::make_unique<Session>(registry, settings);
        const std::size_t before = out->session->world().programs.size();
        out->session->run(out->source, folder, output, Session::Mode::look);
        out->diagnostics = std::move(output.found);
        const auto& programs = out->session->world().programs;
        out->program = before < programs.size() ? programs[before] : std::make_shared<Program>();
        out->chunks = chunk(out->source->text());
    });
    current_ = out;
    if (std::none_of(out->diagnostics.begin(), out->diagnostics.end(),
                     [](const Diagnostic& d) { return d.code == "E-SYNTAX" || d.code == "E-BRACKET"; }))
        sound_ = current_;
    return *current_;
}

}  // namespace credence::cli::lsp
