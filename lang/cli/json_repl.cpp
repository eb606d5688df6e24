// `credence --json-repl`: one request and one reply a line, for programs that hold a conversation, such as notebooks.
//
//   {"id": 1, "op": "execute", "code": "…"}                 → {"id": 1, "status": "ok", "outputs": […]}
//   {"id": 2, "op": "complete", "code": "…", "cursor": 5}   → {"id": 2, "status": "ok", "start": …, "end": …, "matches": […]}
//   {"id": 3, "op": "inspect", "code": "…", "cursor": 5}    → {"id": 3, "status": "ok", "found": true, "text": "…"}
//   {"id": 4, "op": "is_complete", "code": "…"}             → {"id": 4, "status": "complete" | "incomplete" | "invalid"}
//   {"id": 5, "op": "info"}, {"id": 6, "op": "shutdown"}
//
// Cursors count characters (code points). SIGINT stops the running statement; the names stay.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <new>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lang/cli/json_depth.hpp"
#include "lang/cli/options.hpp"
#include "lang/cli/repl_entry.hpp"
#include "lang/cli/repl_interrupt.hpp"
#include "lang/cli/report/notebook_html.hpp"
#include "lang/cli/run.hpp"
#include "lang/driver/json_output.hpp"
#include "lang/driver/plain_output.hpp"
#include "lang/service/completion.hpp"
#include "lang/service/help.hpp"
#include "lang/syntax/parse.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Each event as an object with its text, its JSON and, of a picture, its SVG.
class Collected : public lang::Output {
public:
    explicit Collected(std::shared_ptr<const lang::Session> session) : session_(std::move(session)) {}

    void value(const lang::ValueEvent& event) override {
        Json object = rendered("value", [&](lang::Output& o) { o.value(event); });
        if (const auto* picture = event.value.get<rt::PicturePtr>()) {
            object["svg"] = (*picture)->svg();
            object["json"].erase("svg");
        }
        if (auto html = notebook_html(event, session_->world().settings.digits); !html.empty()) object["html"] = std::move(html);
        add(std::move(object), event.value);
    }
    void derivation(const lang::DerivationEvent& event) override {
        Json object = rendered("derivation", [&](lang::Output& o) { o.derivation(event); });
        object["html"] = notebook_html(event, session_->world().settings.digits);
        add(std::move(object), event.value);
    }
    void diagnostic(const lang::Diagnostic& d) override {
        add(rendered("diagnostic", [&](lang::Output& o) { o.diagnostic(d); }), std::nullopt);
    }

    /// What there is so far: another thread may still be adding to it.
    std::pair<Json, std::optional<lang::Value>> so_far() {
        const std::lock_guard lock(mutex_);
        return {outputs_, last_};
    }

private:
    void add(Json object, std::optional<lang::Value> value) {
        const std::lock_guard lock(mutex_);
        outputs_.push_back(std::move(object));
        if (value) last_ = std::move(value);
    }

    template <class F>
    Json rendered(const char* kind, F tell) const {
        std::string text;
        std::string json;
        const auto to_text = [&](std::string_view piece) { text += piece; };
        const auto to_json = [&](std::string_view piece) { json += piece; };
        lang::PlainOutput plain(to_text, to_text, session_->world().settings.digits, {});
        lang::JsonOutput objects(to_json, to_json);
        tell(plain);
        tell(objects);
        return {{"kind", kind}, {"text", std::move(text)}, {"json", Json::parse(json)}};
    }

    std::shared_ptr<const lang::Session> session_;
    std::mutex mutex_;
    Json outputs_ = Json::array();
    std::optional<lang::Value> last_;
};

std::size_t bytes_of(std::string_view text, std::size_t characters) {
    std::size_t at = 0;
    for (; characters > 0 && at < text.size(); --characters) {
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
    }
    return at;
}

/// The word that touches the cursor.
std::string word_at(std::string_view text, std::size_t cursor) {
    const auto in_word = [&](std::size_t i) {
        const auto c = static_cast<unsigned char>(text[i]);
        return c >= 0x80 || c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::size_t begin = std::min(cursor, text.size());
    std::size_t end = begin;
    while (begin > 0 && in_word(begin - 1)) --begin;
    while (end < text.size() && in_word(end)) ++end;
    std::string_view word = text.substr(begin, end - begin);
    // Codes have a - inside (E-SUM); in all else it is an operator.
    if (!word.starts_with("E-") && !word.starts_with("N-")) {
        const auto before = word.substr(0, std::min(cursor - begin, word.size())).rfind('-');
        if (before != std::string_view::npos) word.remove_prefix(before + 1);
        word = word.substr(0, word.find('-'));
    }
    return std::string(word);
}

class JsonRepl {
public:
    JsonRepl(const lang::Registry& registry, const Options& options)
        : registry_(registry), options_(options), session_(std::make_shared<lang::Session>(registry, options.settings)) {
        Collected output(session_);
        define_names(*session_, options_, output);
    }

    /// Whether something that was stopped has not ended yet.
    bool busy() const { return interrupts_.busy(); }

    void loop() {
        std::string line;
        while (!leaving_ && std::getline(std::cin, line)) {
            if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
            const std::string text = replied(line);
            std::fwrite(text.data(), 1, text.size(), stdout);
            std::fflush(stdout);
        }
    }

private:
    using Operation = Json (JsonRepl::*)(const Json& request);

    /// What was stopped and has not ended yet may hold all memory: then a request is refused, in words that take none.
    std::string replied(const std::string& line) {
        try {
            return reply(line).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        } catch (const std::bad_alloc&) {
            return R"({"id":null,"status":"error","error":"out of memory"})"
                   "\n";
        }
    }

    static Json refused(std::string message) { return {{"status", "error"}, {"error", std::move(message)}}; }

    /// A stopped statement that has not ended yet keeps its session. Where there is no memory for another one, the next request tries
    /// again.
    void leave_abandoned() {
        if (abandoned_) session_ = session_->successor();
        abandoned_ = false;
    }

    Json reply(const std::string& line) {
        leave_abandoned();
        Json out{{"id", nullptr}};
        if (nests_deeply(line)) {
            out.update(refused("the request is nested too deeply"));
            return out;
        }
        const Json request = Json::parse(line, nullptr, false);
        if (request.is_discarded() || !request.is_object()) {
            out.update(refused("a request is one JSON object on one line"));
            return out;
        }
        if (request.contains("id")) out["id"] = request["id"];
        const auto op = request.find("op");
        static const std::pair<std::string_view, Operation> operations[] = {
            {"execute", &JsonRepl::execute},         {"complete", &JsonRepl::complete}, {"inspect", &JsonRepl::inspect},
            {"is_complete", &JsonRepl::is_complete}, {"info", &JsonRepl::info},         {"shutdown", &JsonRepl::shutdown}};
        for (const auto& [name, operation] : operations)
            if (op != request.end() && *op == name) {
                out.update((this->*operation)(request));
                return out;
            }
        out.update(refused("op is execute, complete, inspect, is_complete, info or shutdown"));
        return out;
    }

    /// Nothing if the request lacks it.
    static std::optional<std::string> code_of(const Json& request) {
        const auto code = request.find("code");
        return code != request.end() && code->is_string() ? std::optional(code->get<std::string>()) : std::nullopt;
    }
    static std::size_t cursor_of(const Json& request, const std::string& code) {
        const auto cursor = request.find("cursor");
        return cursor != request.end() && cursor->is_number_unsigned() ? bytes_of(code, cursor->get<std::size_t>()) : code.size();
    }

    Json execute(const Json& request) {
        const auto code = code_of(request);
        if (!code) return refused("execute needs code");
        struct Entry {
            explicit Entry(const std::shared_ptr<lang::Session>& of) : session(of), output(of) {}
            std::shared_ptr<lang::Session> session;
            Collected output;
            bool ok = false;
        };
        const auto entry = std::make_shared<Entry>(session_);
        const auto source = std::make_shared<lang::Source>(fmt::format("entry {}", ++entries_), *code);
        const bool ended = interrupts_.during(*session_, options_.timeout, [entry, source] {
            supervised(*entry->session, {}, [&] { entry->ok = entry->session->run(source, "", entry->output); });
        });
        abandoned_ = !ended;
        leave_abandoned();
        if (!ended && interrupts_.in_time()) {
            entry->output.diagnostic(stopped_diagnostic(session_->stopped_in()));
        } else if (!interrupts_.in_time()) {
            lang::Diagnostic late;
            late.code = "E-TIMEOUT";
            late.message = fmt::format("stopped after {} seconds (--timeout)", *options_.timeout);
            entry->output.diagnostic(late);
        } else if (interrupts_.out_of_memory()) {
            entry->output.diagnostic(placeless(rt::Fault{.code = "E-MEMORY", .message = "out of memory"}));
        }
        auto [outputs, last] = entry->output.so_far();
        if (last) session_->define("_", *last);
        const bool ok = ended && entry->ok && interrupts_.in_time();
        return {{"status", ok ? "ok" : "error"}, {"entry", entries_}, {"outputs", std::move(outputs)}};
    }

    Json complete(const Json& request) {
        const auto code = code_of(request);
        if (!code) return refused("complete needs code");
        const std::size_t cursor = cursor_of(request, *code);
        const auto found = lang::complete(lang::known_in(*session_), *code, cursor);
        Json matches = Json::array();
        for (const auto& item : found.items) {
            Json match{{"text", item.text}};
            if (!item.detail.empty()) match["detail"] = item.detail;
            matches.push_back(std::move(match));
        }
        return {{"status", "ok"},
                {"start", lang::text_width(std::string_view(*code).substr(0, found.start))},
                {"end", lang::text_width(std::string_view(*code).substr(0, cursor))},
                {"matches", std::move(matches)}};
    }

    Json inspect(const Json& request) {
        const auto code = code_of(request);
        if (!code) return refused("inspect needs code");
        const std::string word = word_at(*code, cursor_of(request, *code));
        std::string text;
        if (const auto* symbol = word.empty() ? nullptr : session_->scope().find(word)) {
            if (symbol->kind == lang::Symbol::Kind::function)
                text += fmt::format("{}({})\n", symbol->name, rt::joined(symbol->parameters, ", "));
            if (!symbol->doc.empty()) text += symbol->doc + "\n";
            const lang::Value* value = session_->value_of(word);
            if (value && symbol->kind != lang::Symbol::Kind::function)
                text += lang::show_block(*value, {.digits = session_->world().settings.digits}) + "\n";
        }
        if (text.empty() && !word.empty()) text = lang::help_text(registry_, word).value_or("");
        return {{"status", "ok"}, {"found", !text.empty()}, {"text", text}};
    }

    Json is_complete(const Json& request) {
        const auto code = code_of(request);
        if (!code) return refused("is_complete needs code");
        if (lang::is_incomplete(*code)) return {{"status", "incomplete"}, {"indent", "  "}};
        lang::Diagnostics found;
        lang::parse(std::make_shared<lang::Source>("", *code), found);
        const bool wrong = std::any_of(found.begin(), found.end(), [](const auto& d) { return d.severity == lang::Severity::error; });
        return {{"status", wrong ? "invalid" : "complete"}};
    }

    Json info(const Json&) { return {{"status", "ok"}, {"name", "credence"}, {"version", version_number()}}; }

    Json shutdown(const Json&) {
        leaving_ = true;
        return {{"status", "ok"}};
    }

    const lang::Registry& registry_;
    const Options& options_;
    Interrupts interrupts_;  ///< before all that starts threads
    std::shared_ptr<lang::Session> session_;
    std::size_t entries_ = 0;
    bool abandoned_ = false;  ///< the session belongs to what was stopped
    bool leaving_ = false;
};

}  // namespace

int json_repl(const lang::Registry& registry, const Options& options) {
    JsonRepl conversation(registry, options);
    conversation.loop();
    if (conversation.busy()) {  // what was stopped and still ends by itself may touch anything: nothing is destroyed
        std::fflush(nullptr);
        std::_Exit(fine);
    }
    return fine;
}

}  // namespace credence::cli
