// load and save, by the formats in the registry; those of tables join it here.

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/gzip.hpp"
#include "runtime/data/table_formats.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

using rt::TablePtr;

/// Messages name the file as the script does, not as it was found.
Fault as_written(Fault fault, const std::string& resolved, const std::string& written, rt::Origin origin) {
    for (std::string* text : {&fault.message, &fault.label, &fault.hint})
        if (const auto at = text->find(resolved); at != std::string::npos && !resolved.empty()) text->replace(at, resolved.size(), written);
    if (fault.origin == rt::Origin::none) fault.origin = origin;
    return fault;
}

Fault unknown_format(const Registry& r, const std::string& path, rt::Origin origin) {
    return {.code = "E-FILE",
            .message = fmt::format("the extension '{}' is not a known file format", rt::file_ending(path)),
            .origin = origin,
            .label = fmt::format("known are {}", r.endings(&FileFormat::is_read))};
}

/// What takes such a value under some other ending.
Fault not_saved_so(const Registry& r, const Value& value, const std::string& ending, rt::Origin origin) {
    const auto fitting = r.endings([&](const FileFormat& format) { return format.save && format.saves(value); });
    return {.code = "E-FILE",
            .message = fmt::format("{} cannot be saved as '{}'", value.kind(), ending),
            .origin = origin,
            .label = fitting.empty() ? "tables, models and plots are saved" : fmt::format("the extension must be one of {}", fitting)};
}

Result<std::vector<std::pair<std::string, rt::ColumnKind>>> column_types(const RecordPtr& types, rt::Origin origin) {
    std::vector<std::pair<std::string, rt::ColumnKind>> out;
    if (!types) return out;
    for (const auto& [name, kind] : types->entries) {
        const auto label = kind.as_label();
        const std::string word = label ? label->text() : "";
        if (word != "label" && word != "number")
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("types: {} is label or number, not {}", name, show_inline(kind, {})),
                         .origin = origin};
        out.emplace_back(name, word == "label" ? rt::ColumnKind::label : rt::ColumnKind::numeric);
    }
    return out;
}

/// "a table of 3 rows and 2 columns", "the net Clinic", "a plot".
std::string saved_text(const Value& x) {
    if (const auto* t = x.get<TablePtr>())
        return fmt::format("a table of {} and {}", rt::counted((*t)->rows(), "row"), rt::counted((*t)->columns.size(), "column"));
    if (const auto* m = x.get<ModelValue>())
        return fmt::format("{} {}{}", m->name.empty() ? "a" : "the", m->model->kind(), m->name.empty() ? "" : " " + m->name);
    return x.is<rt::PicturePtr>() ? "a plot" : std::string(x.kind());
}

Result<Value> save_value(CallContext& c, Value x, std::string path) {
    auto file = c.file(path);
    if (!file) {
        Fault fault = std::move(file).fault();
        fault.origin = c.argument(1);
        return fault;
    }
    const std::string ending = rt::file_ending(*file);
    const FileFormat* format = c.registry().format_of(ending);
    if (!format || !format->save || !format->saves(x)) return not_saved_so(c.registry(), x, ending, c.argument(1));
    auto done = format->save(c, x, *file);
    if (!done) return as_written(std::move(done).fault(), file->path, path, c.argument(1));
    c.note(fmt::format("saved {} to {}", saved_text(x), path));
    return x;
}

}  // namespace

void add_table_files(Registry& r) {
    using V = Value;
    std::vector<std::string> names, written;
    for (const auto& format : rt::table_formats()) {
        if (!format.name.empty()) names.emplace_back(format.name);
        if (!format.name.empty() && format.write) written.emplace_back(format.ending);
        FileFormat out{.endings = {std::string(format.ending)}, .table = &format, .load = {}, .saves = {}, .save = {}};
        if (format.write) {
            out.saves = [](const Value& v) { return v.is<TablePtr>(); };
            out.save = [&format](CallContext&, const Value& v, const rt::FilePath& path) {
                return format.write(**v.get<TablePtr>(), path);
            };
        }
        r.add_format(std::move(out));
    }
    std::vector<std::string> nets_read, nets_written;
    for (const auto& format : rt::net_formats()) {
        if (format.read) nets_read.emplace_back(format.ending);
        nets_written.emplace_back(format.ending);
    }
    const std::string load_help = fmt::format(
        "Reads a table from a {} file (`types` is a record of label or number by column), or what save wrote: a model from .json, a net "
        "from {}. A table may be compressed by gzip: .csv.gz.",
        rt::listed(names, "or"), rt::listed(nets_read, "or"));
    const std::string save_table_help =
        fmt::format("Writes a table ({}) to a file and returns it. If writing fails, the file does not change.", rt::joined(written, ", "));
    const std::string save_model_help =
        fmt::format("Writes a net ({}) or a trained model (.json) to a file and returns it. If writing fails, the file does not change.",
                    rt::joined(nets_written, ", "));
    std::string missing_default = "\"\" ?";
    for (const auto word : rt::words_for_missing()) missing_default += fmt::format(" {}", word);
    r.add(bind(
        {subject::tables,
         "load",
         {{"path"}, {"target", "none"}, {"types", "inferred"}, {"header", "true"}, {"separator", "inferred"}, {"missing", missing_default}},
         load_help,
         "rows(load(\"sample.csv\", target: Play)) == 3"},
        +[](CallContext& c, std::string path, std::optional<ColumnName> target, std::optional<RecordPtr> types, std::optional<bool> header,
            std::optional<std::string> separator, std::optional<Items> missing) -> Result<V> {
            auto file = c.file(path);
            if (!file) {
                Fault fault = std::move(file).fault();
                fault.origin = c.argument(0);
                return fault;
            }
            auto kinds = TRY(column_types(types.value_or(nullptr), c.argument(2)));
            const bool compressed = rt::file_ending(*file) == ".gz";
            const std::string ending = rt::data_ending(file->path);
            const FileFormat* format = c.registry().format_of(ending);
            if (format && format->load && !compressed) {
                if (target || types || header || separator || missing)
                    return Fault{.code = "E-ARGUMENT",
                                 .message = fmt::format("load of a {} file takes only the path", ending),
                                 .origin = c.argument(target ? 1 : 2)};
                auto value = format->load(c, *file);
                if (!value) return as_written(std::move(value).fault(), file->path, path, c.argument(0));
                return value;
            }
            if (!format || !format->table) return unknown_format(c.registry(), file->path, c.argument(0));
            rt::CsvOptions options;
            options.types = std::move(kinds);
            if (target) options.target = target->text;
            options.header = header.value_or(true);
            options.threads = c.run().threads;
            options.run = &c.run();
            options.note = [&c](std::string text) { c.note(std::move(text)); };
            if (separator) {
                if (separator->size() != 1)
                    return Fault{.code = "E-PARAMETER", .message = "load: the separator is one character", .origin = c.argument(4)};
                options.separator = (*separator)[0];
            }
            if (missing) {
                options.missing.emplace();
                for (const auto& m : *missing->items) options.missing->push_back(show_plain(m, c.show()));
            }
            auto table = format->table->read(*file, options);
            if (!table) {
                Fault fault = as_written(std::move(table).fault(), file->path, path, c.argument(0));
                if (fault.message.starts_with("there is no file") && fault.hint.empty() && !path.starts_with('/'))
                    fault.hint = "a path starts in the folder of the script";
                return fault;
            }
            if (target) {
                table = rt::with_target(**table, target->text);
                if (!table) {
                    Fault fault = std::move(table).fault();
                    fault.origin = c.argument(1);
                    return fault;
                }
            }
            return V(V::Node(*std::move(table)));
        }));
    // Tables first: a table can stand for a model too, and would be taken for one.
    r.add(bind(
        {subject::tables, "save", {{"table"}, {"path"}}, save_table_help, "rows(save(load(\"sample.csv\"), \"copy.csv\")) == 3"},
        +[](CallContext& c, rt::TablePtr table, std::string path) {
            return save_value(c, Value(Value::Node(std::move(table))), std::move(path));
        }));
    r.add(bind(
        {subject::tables,
         "save",
         {{"model"}, {"path"}},
         save_model_help,
         "(P(Rain) in save(Weather, \"weather.bif\")) == (P(Rain) in Weather)"},
        +[](CallContext& c, ModelValue model, std::string path) {
            return save_value(c, Value(Value::Node(std::move(model))), std::move(path));
        }));
    r.add(bind({subject::tables,
                "save",
                {{"x"}, {"path"}},
                "Writes a plot or a drawing (.svg or .png) to a file and returns it. If writing fails, the file does not change.",
                "length(save(plot([1, 3, 2]), \"line.svg\").svg) > 100"},
               save_value));
}

}  // namespace credence::std_
