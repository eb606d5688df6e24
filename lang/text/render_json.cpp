#include "lang/text/render_json.hpp"

#include <nlohmann/json.hpp>

namespace credence::lang {

std::string render_json(const Diagnostic& d) {
    nlohmann::ordered_json out;
    out["severity"] = d.severity == Severity::error ? "error" : "note";
    out["code"] = std::string(d.code.text());
    out["message"] = d.message;
    if (d.source) {
        const Position begin = d.source->position(d.span.begin);
        const Position end = d.source->position(d.span.end);
        out["file"] = d.source->name();
        out["line"] = begin.line;
        out["column"] = begin.column;
        out["end_line"] = end.line;
        out["end_column"] = end.column;
    }
    if (!d.label.empty()) out["label"] = d.label;
    if (!d.help.empty()) out["help"] = d.help;
    // Bytes that are no UTF-8 come from the script itself; JSON cannot hold them.
    return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace credence::lang
