// Trained models in files: one JSON object with the format's version, the kind of the model and what its save() gave.

#include <fmt/format.h>
#include "runtime/core/json.hpp"

#include "lang/builtin/bind.hpp"
#include "runtime/data/text_file.hpp"
#include "runtime/prob/models/saved.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

/// Raised when an older program could no longer read what this one writes.
constexpr std::size_t format_version = 1;

Result<Value> load_model(CallContext& c, const std::string& path) {
    auto text = TRY(rt::read_file(path));
    const auto parsed = rt::Json::parse(text.view());
    if (!parsed) return rt::damaged("it is not JSON, or it was cut off");
    const rt::Json& json = *parsed;
    const rt::Json* sort = json.find("credence");
    if (!sort || !sort->is_string() || sort->text() != "model")
        return Fault{.code = "E-FILE",
                     .message = fmt::format("'{}' does not contain a Credence model", path),
                     .hint = "JSON lines of data end in .jsonl"};
    auto version = TRY(rt::read_count(json, "version"));
    if (version > format_version)
        return Fault{.code = "E-FILE",
                     .message = fmt::format("'{}' has format version {}, and this program reads up to {}", path, version, format_version),
                     .hint = "a newer Credence wrote it: use that one, or train the model again"};
    auto kind = TRY(rt::read_text(json, "kind"));
    auto content = TRY(rt::read_member(json, "model"));
    const auto loader = c.registry().loaders().find(kind);
    if (loader == c.registry().loaders().end())
        return Fault{.code = "E-FILE",
                     .message = fmt::format("'{}' holds a model of kind '{}', which this program does not know", path, kind)};
    auto model = TRY(loader->second(*content));
    const rt::Json* name = json.find("name");
    return Value(Value::Node(ModelValue{std::move(model), name && name->is_string() ? name->text() : ""}));
}

rt::Status save_model(CallContext&, const Value& value, const std::string& path) {
    const auto& m = *value.get<ModelValue>();
    auto content = TRY(m.model->save());
    const rt::Json json{
        {"credence", "model"}, {"version", format_version}, {"kind", m.model->kind()}, {"name", m.name}, {"model", std::move(content)}};
    return rt::write_file(path, json.dump() + "\n");
}

}  // namespace

void add_model_files(Registry& r) {
    r.add_format(
        {.endings = {".json"}, .load = load_model, .saves = [](const Value& v) { return v.is<ModelValue>(); }, .save = save_model});
}

}  // namespace credence::std_
