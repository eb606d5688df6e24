// load and save: tables in CSV, TSV, ARFF and JSON lines here, all else by the registry's formats.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/arff.hpp"
#include "runtime/data/csv.hpp"
#include "runtime/data/jsonl.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/data/text_file.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/tables/subject.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::Fault;
using rt::Result;
using rt::TablePtr;

std::string extension(const std::string& path) {
    std::string out = std::filesystem::path(path).extension().string();
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

/// Messages name the file as the script does, not as it was found.
Fault as_written(Fault fault, const std::string& resolved, const std::string& written, rt::Origin origin) {
    for (std::string* text : {&fault.message, &fault.label, &fault.hint})
        if (const auto at = text->find(resolved); at != std::string::npos && !resolved.empty()) text->replace(at, resolved.size(), written);
    if (fault.origin == rt::Origin::none) fault.origin = origin;
    return fault;
}

const FileFormat* format_of(const Registry& r, const std::string& ending) {
    for (const auto& format : r.formats())
        if (std::find(format.endings.begin(), format.endings.end(), ending) != format.endings.end()) return &format;
    return nullptr;
}

Fault unknown_format(const Registry& r, const std::string& path, rt::Origin origin) {
    std::vector<std::string> known{".csv", ".tsv", ".txt", ".arff", ".jsonl", ".ndjson"};
    for (const auto& format : r.formats())
        if (format.load) known.insert(known.end(), format.endings.begin(), format.endings.end());
    return {.code = "E-FILE",
            .message = fmt::format("the ending '{}' says nothing of the file's format", extension(path)),
            .origin = origin,
            .label = fmt::format("known are {}", rt::joined(known, ", "))};
}

/// What takes such a value under some other ending.
Fault not_saved_so(const Registry& r, const Value& value, const std::string& ending, rt::Origin origin) {
    std::vector<std::string> fitting;
    if (value.is<TablePtr>()) fitting = {".csv", ".tsv", ".arff", ".jsonl"};
    for (const auto& format : r.formats())
        if (format.save && format.saves(value)) fitting.insert(fitting.end(), format.endings.begin(), format.endings.end());
    return {.code = "E-FILE",
            .message = fmt::format("{} is not saved as '{}'", value.kind(), ending),
            .origin = origin,
            .label =
                fitting.empty() ? "tables, models and plots are saved" : fmt::format("the ending is one of {}", rt::joined(fitting, ", "))};
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

Result<Value> save_value(CallContext& c, Value x, std::string path) {
    auto file = c.file(path);
    if (!file) {
        Fault fault = std::move(file).fault();
        fault.origin = c.argument(1);
        return fault;
    }
    const std::string ending = extension(*file);
    const auto* table = x.get<TablePtr>();
    const FileFormat* format = format_of(c.registry(), ending);
    rt::Status done = rt::Done{};
    if (table && (ending == ".csv" || ending == ".tsv"))
        done = rt::save_csv(**table, *file, ending == ".tsv" ? '\t' : ',');
    else if (table && ending == ".arff")
        done = rt::write_file(*file, rt::write_arff(**table, std::filesystem::path(*file).stem().string()));
    else if (table && (ending == ".jsonl" || ending == ".ndjson"))
        done = rt::write_file(*file, rt::write_jsonl(**table));
    else if (format && format->save && format->saves(x))
        done = format->save(c, x, *file);
    else
        return not_saved_so(c.registry(), x, ending, c.argument(1));
    if (!done) return as_written(std::move(done).fault(), *file, path, c.argument(1));
    return x;
}

}  // namespace

void add_table_files(Registry& r) {
    using V = Value;
    r.add(bind(
        {subject,
         "load",
         {{"path"}, {"target", "none"}, {"types", "inferred"}, {"header", "true"}, {"separator", "inferred"}, {"missing", "[\"?\", \"\"]"}},
         "Reads a table from a CSV, TSV, ARFF or JSON-lines file (`types` is a record of label or number by column), or what save wrote: a "
         "model from .json, a net from .bif, .xml, .net, .uai or .dsc.",
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
            const std::string ending = extension(*file);
            if (const FileFormat* format = format_of(c.registry(), ending); format && format->load) {
                if (target || types || header || separator || missing)
                    return Fault{.code = "E-ARGUMENT",
                                 .message = fmt::format("load of a {} file takes the path alone", ending),
                                 .origin = c.argument(target ? 1 : 2)};
                auto value = format->load(c, *file);
                if (!value) return as_written(std::move(value).fault(), *file, path, c.argument(0));
                return value;
            }
            Result<TablePtr> table = Fault{};
            if (ending == ".csv" || ending == ".tsv" || ending == ".txt" || ending == ".data") {
                rt::CsvOptions options;
                options.types = std::move(kinds);
                options.header = header.value_or(true);
                options.threads = c.run().threads;
                options.run = &c.run();
                if (separator) {
                    if (separator->size() != 1)
                        return Fault{.code = "E-PARAMETER", .message = "load: the separator is one character", .origin = c.argument(4)};
                    options.separator = (*separator)[0];
                }
                if (missing) {
                    options.missing.clear();
                    for (const auto& m : *missing->items) options.missing.push_back(show_plain(m, c.show()));
                }
                table = rt::load_csv(*file, options);
            } else if (ending == ".arff") {
                table = rt::load_arff(*file, &c.run());
            } else if (ending == ".jsonl" || ending == ".ndjson") {
                table = rt::load_jsonl(*file, {.run = &c.run()});
            } else {
                return unknown_format(c.registry(), *file, c.argument(0));
            }
            if (!table) return as_written(std::move(table).fault(), *file, path, c.argument(0));
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
        {subject,
         "save",
         {{"table"}, {"path"}},
         "Writes a table (.csv, .tsv, .arff, .jsonl) to a file, whole or not at all; gives it back.",
         "rows(save(load(\"sample.csv\"), \"copy.csv\")) == 3"},
        +[](CallContext& c, rt::TablePtr table, std::string path) {
            return save_value(c, Value(Value::Node(std::move(table))), std::move(path));
        }));
    r.add(bind(
        {subject,
         "save",
         {{"model"}, {"path"}},
         "Writes a net (.bif, .xml, .net, .uai, .dsc, .cred) or a trained model (.json) to a file, whole or not at all; gives back what it "
         "wrote.",
         "(P(Rain) in save(Weather, \"weather.bif\")) == (P(Rain) in Weather)"},
        +[](CallContext& c, ModelValue model, std::string path) {
            return save_value(c, Value(Value::Node(std::move(model))), std::move(path));
        }));
    r.add(bind({subject,
                "save",
                {{"x"}, {"path"}},
                "Writes a plot or what can be drawn (.svg) to a file, whole or not at all; gives back what it wrote.",
                "length(save(plot([1, 3, 2]), \"line.svg\").svg) > 100"},
               save_value));
}

}  // namespace credence::std_
