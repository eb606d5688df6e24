#include "lang/driver/json_output.hpp"

#include <nlohmann/json.hpp>

#include "lang/text/render_json.hpp"
#include "lang/value/json.hpp"

namespace credence::lang {

namespace {

using Json = nlohmann::ordered_json;

void put_answer(Json& out, const std::optional<AnswerInfo>& answer) {
    if (!answer) return;
    out["engine"] = answer->engine;
    out["exact"] = answer->exact;
    if (!answer->counts.empty()) {
        Json counts = Json::object();
        for (const auto& [name, n] : answer->counts) counts[name] = n.real();
        out["counts"] = std::move(counts);
    }
    if (answer->standard_error) out["standard_error"] = answer->standard_error->real();
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

void JsonOutput::value(const ValueEvent& event) {
    Json value = to_json(event.value);
    Json out;
    out["line"] = event.line;
    out["type"] = value["type"];
    if (!event.query.empty()) out["query"] = event.query;
    put_answer(out, event.answer);
    // The "exact" of a number is its fraction, of a table those of its cells; whether a number is exact shows in its being there.
    if (value["type"] == "number" || value.contains("exact")) out.erase("exact");
    for (auto& [key, part] : value.items())
        if (key != "type") out[key] = part;
    out_(dumped(out));
}

void JsonOutput::derivation(const DerivationEvent& event) {
    static constexpr std::string_view kinds[] = {"note", "formula", "heading", "begin", "step", "result"};
    Json out;
    out["line"] = event.line;
    out["type"] = "derivation";
    out["query"] = event.query;
    put_answer(out, event.answer);
    Json lines = Json::array();
    for (const auto& line : event.lines) lines.push_back({{"kind", kinds[static_cast<std::size_t>(line.kind)]}, {"text", line.text}});
    out["lines"] = std::move(lines);
    out["result"] = to_json(event.value);
    out_(dumped(out));
}

void JsonOutput::diagnostic(const Diagnostic& diagnostic) { err_(render_json(diagnostic) + "\n"); }

}  // namespace credence::lang
