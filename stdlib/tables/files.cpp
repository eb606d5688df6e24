// Tables in files: CSV, TSV, ARFF, JSON lines.

#include <filesystem>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/data/arff.hpp"
#include "runtime/data/csv.hpp"
#include "runtime/data/jsonl.hpp"
#include "runtime/data/table_ops.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::Fault;
using rt::Result;
using rt::TablePtr;

constexpr const char* subject = "tables";

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
    fault.origin = origin;
    return fault;
}

Fault unknown_format(const std::string& path, rt::Origin origin) {
    const std::string ending = extension(path);
    for (const std::string_view net : {".bif", ".xml", ".net", ".uai", ".dsc"})
        if (ending == net)
            return {.code = "E-UNAVAILABLE",
                    .message = fmt::format("network files ({}) are not available in this version", ending),
                    .origin = origin};
    return {.code = "E-FILE",
            .message = fmt::format("the ending '{}' says nothing of the file's format", ending),
            .origin = origin,
            .label = "known are .csv, .tsv, .txt, .arff, .jsonl, .ndjson"};
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

}  // namespace

void add_table_files(Registry& r) {
    using V = Value;
    r.add(bind(
        {subject,
         "load",
         {{"path"}, {"target", "none"}, {"types", "inferred"}, {"header", "true"}, {"separator", "inferred"}, {"missing", "[\"?\", \"\"]"}},
         "Reads a table from a CSV, TSV, ARFF or JSON-lines file; `types` is a record of label or number by column.",
         "rows(load(\"sample.csv\", target: Play)) == 3"},
        +[](CallContext& c, std::string path, std::optional<ColumnName> target, std::optional<RecordPtr> types, std::optional<bool> header,
            std::optional<std::string> separator, std::optional<Items> missing) -> Result<V> {
            auto file = c.file(path);
            if (!file) {
                Fault fault = std::move(file).fault();
                fault.origin = c.argument(0);
                return fault;
            }
            auto kinds = column_types(types.value_or(nullptr), c.argument(2));
            if (!kinds) return std::move(kinds).fault();
            const std::string ending = extension(*file);
            Result<TablePtr> table = Fault{};
            if (ending == ".csv" || ending == ".tsv" || ending == ".txt" || ending == ".data") {
                rt::CsvOptions options;
                options.types = *std::move(kinds);
                options.header = header.value_or(true);
                options.threads = c.run().threads;
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
                table = rt::load_arff(*file);
            } else if (ending == ".jsonl" || ending == ".ndjson") {
                table = rt::load_jsonl(*file);
            } else {
                return unknown_format(*file, c.argument(0));
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
    r.add(bind(
        {subject,
         "save",
         {{"t"}, {"path"}},
         "Writes a table to a .csv or .tsv file, whole or not at all.",
         "rows(save(load(\"sample.csv\"), \"copy.csv\")) == 3"},
        +[](CallContext& c, TablePtr t, std::string path) -> Result<V> {
            auto file = c.file(path);
            if (!file) {
                Fault fault = std::move(file).fault();
                fault.origin = c.argument(1);
                return fault;
            }
            const std::string ending = extension(*file);
            if (ending != ".csv" && ending != ".tsv")
                return Fault{.code = "E-FILE",
                             .message = fmt::format("a table is not saved as '{}'", ending),
                             .origin = c.argument(1),
                             .label = "tables are saved as .csv or .tsv"};
            rt::Status done = rt::save_csv(*t, *file, ending == ".tsv" ? '\t' : ',');
            if (!done) return as_written(std::move(done).fault(), *file, path, c.argument(1));
            return V(V::Node(t));
        }));
}

}  // namespace credence::std_
