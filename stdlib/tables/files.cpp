// save, by the formats in the registry; those of tables join it here.

#include <filesystem>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/table_formats.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"
#include "stdlib/tables/files.hpp"

namespace credence::std_ {

namespace {

using rt::TablePtr;

/// What takes such a value under some other ending.
Fault not_saved_so(const Registry& r, const Value& value, const std::string& ending, rt::Origin origin) {
    const auto fitting = r.endings([&](const FileFormat& format) { return format.save && format.saves(value); });
    return {.code = "E-FILE",
            .message = fmt::format("{} cannot be saved as '{}'", value.kind(), ending),
            .origin = origin,
            .label = fitting.empty() ? "tables, models and plots are saved" : fmt::format("the extension must be one of {}", fitting)};
}

/// "a table of 3 rows and 2 columns", "the net Clinic", "a plot".
std::string saved_text(const Value& x) {
    if (const auto* t = x.get<TablePtr>())
        return fmt::format("a table of {} and {}", rt::counted((*t)->rows(), "row"), rt::counted((*t)->columns.size(), "column"));
    if (const auto* m = x.get<ModelValue>())
        return fmt::format("{} {}{}", m->name.empty() ? "a" : "the", m->model->kind(), m->name.empty() ? "" : " " + m->name);
    return x.is<rt::PicturePtr>() ? "a plot" : std::string(x.kind());
}

/// `table`: the name under which a database keeps it, in place of that of the file.
Result<Value> save_as(CallContext& c, const Value& x, const std::string& path, const std::optional<ColumnName>& table) {
    auto file = c.file(path);
    if (!file) {
        Fault fault = std::move(file).fault();
        fault.origin = c.argument(1);
        return fault;
    }
    const bool compressed = rt::is_compressed(file->path);
    const std::string ending = rt::data_ending(file->path);
    const FileFormat* format = c.registry().format_of(ending);
    const bool packed_so = format && format->table && format->table->write;
    if (!format || !format->save || !format->saves(x) || (compressed && !packed_so))
        return not_saved_so(c.registry(), x, compressed ? rt::file_ending(*file) : ending, c.argument(1));
    const rt::DatabaseFormat* database = format->table ? format->table->database : nullptr;
    if (table && !database)
        return Fault{
            .code = "E-ARGUMENT", .message = fmt::format("a {} file holds one table, which has no name", ending), .origin = c.argument(2)};
    auto done = table ? database->write(**x.get<TablePtr>(), *file, table->text, &c.run()) : format->save(c, x, *file);
    if (!done) return as_written(std::move(done).fault(), file->path, path, c.argument(1));
    c.note(fmt::format("saved {} to {}", saved_text(x), path));
    return x;
}

Result<Value> save_value(CallContext& c, Value x, std::string path) { return save_as(c, x, path, std::nullopt); }

std::string stem(const rt::FilePath& file) { return std::filesystem::path(file.path).stem().string(); }

}  // namespace

Fault as_written(Fault fault, const std::string& resolved, const std::string& written, rt::Origin origin) {
    for (std::string* text : {&fault.message, &fault.label, &fault.hint})
        if (const auto at = text->find(resolved); at != std::string::npos && !resolved.empty()) text->replace(at, resolved.size(), written);
    if (fault.origin == rt::Origin::none) fault.origin = origin;
    return fault;
}

void add_table_files(Registry& r) {
    std::vector<std::string> written;
    for (const auto& format : rt::table_formats()) {
        if (!format.name.empty()) written.emplace_back(format.ending);
        FileFormat out{.endings = {std::string(format.ending)}, .table = &format, .load = {}, .saves = {}, .save = {}};
        if (format.write || format.database) {
            out.saves = [](const Value& v) { return v.is<TablePtr>(); };
            out.save = [&format](CallContext& c, const Value& v, const rt::FilePath& path) {
                const rt::Table& table = **v.get<TablePtr>();
                return format.database ? format.database->write(table, path, stem(path), &c.run()) : format.write(table, path);
            };
        }
        r.add_format(std::move(out));
    }
    std::vector<std::string> nets_written;
    for (const auto& format : rt::net_formats()) nets_written.emplace_back(format.ending);
    const std::string save_table_help = fmt::format(
        "Writes a table ({}) to a file and returns the table; as a statement, only a note is printed. If writing fails, the file does not "
        "change. With .gz or .zst at its end, it is "
        "compressed. In a database, the table of that name is replaced, and the others stay.",
        rt::joined(written, ", "));
    const std::string save_model_help = fmt::format(
        "Writes a net ({}) or a trained model (.json) to a file and returns the model. If writing fails, the file does not change.",
        rt::joined(nets_written, ", "));
    add_load(r);
    // Tables first: a table can stand for a model too, and would be taken for one.
    r.add(bind(
        {subject::tables,
         "save",
         {{"t"}, {"path"}, {"table", "the file's name"}},
         save_table_help,
         "rows(save(load(\"sample.csv\"), \"copy.csv\")) == 3"},
        +[](CallContext& c, rt::TablePtr t, std::string path, std::optional<ColumnName> table) {
            return save_as(c, Value(Value::Node(std::move(t))), path, table);
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
                "Writes a plot or a drawing (.svg or .png) to a file and returns the picture. If writing fails, the file does not change.",
                "length(save(plot([1, 3, 2]), \"line.svg\").svg) > 100"},
               save_value));
}

}  // namespace credence::std_
