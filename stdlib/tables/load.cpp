// load: tables by the formats in the registry, and what save wrote.

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/stack.hpp"
#include "runtime/data/stacked_blocks.hpp"
#include "runtime/data/table_formats.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "runtime/prob/models/blocks_model.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"
#include "stdlib/tables/files.hpp"

namespace credence::std_ {

namespace {

using rt::TablePtr;

/// The parameters of load behind the path, in their order.
struct LoadArguments {
    std::optional<ColumnName> target;
    std::optional<RecordPtr> types;
    std::optional<bool> header;
    std::optional<std::string> separator;
    std::optional<Items> missing;
    std::optional<std::string> query;
    std::optional<ColumnName> table;
    std::optional<Items> parameters;
    std::optional<bool> stream;

    bool in_blocks() const { return stream.value_or(false); }
    bool of_texts() const { return header || separator || missing; }
    bool of_databases() const { return query || table || parameters; }
};
enum Place : std::size_t {
    path_place,
    target_place,
    types_place,
    header_place,
    separator_place,
    missing_place,
    query_place,
    table_place,
    parameters_place,
    stream_place
};

Fault placed(Fault fault, rt::Origin origin) {
    if (fault.origin == rt::Origin::none) fault.origin = origin;
    return fault;
}

Fault unknown_format(const Registry& r, const std::string& path, rt::Origin origin) {
    return {.code = "E-FILE",
            .message = fmt::format("the extension '{}' is not a known file format", rt::file_ending(path)),
            .origin = origin,
            .label = fmt::format("known are {}", r.endings(&FileFormat::is_read))};
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

Result<rt::DatabaseValue> database_value(const Value& value, rt::Origin origin) {
    if (value.is<AnyMark>()) return rt::DatabaseValue();
    if (const auto* truth = value.get<bool>()) return rt::DatabaseValue(std::int64_t{*truth});
    if (const auto* text = value.get<TextPtr>()) return rt::DatabaseValue(**text);
    if (const auto* number = value.get<rt::Number>()) {
        const auto whole = number->is_exact() ? number->exact().to_int64() : std::nullopt;
        return whole ? rt::DatabaseValue(*whole) : rt::DatabaseValue(number->real());
    }
    return Fault{.code = "E-PARAMETER",
                 .message = fmt::format("parameters: a value is a number, a text, true, false or ?, not {}", value.kind()),
                 .origin = origin};
}

using NoteTaker = std::function<void(std::string)>;

Result<rt::CsvOptions> text_options(CallContext& c, const LoadArguments& a, const NoteTaker& note) {
    rt::CsvOptions options;
    options.types = TRY(column_types(a.types.value_or(nullptr), c.argument(types_place)));
    if (a.target) options.target = a.target->text;
    options.header = a.header.value_or(true);
    options.threads = c.run().threads;
    options.run = &c.run();
    options.note = note;
    if (a.separator) {
        if (a.separator->size() != 1)
            return Fault{.code = "E-PARAMETER", .message = "load: the separator is one character", .origin = c.argument(separator_place)};
        options.separator = (*a.separator)[0];
    }
    if (a.missing) {
        options.missing.emplace();
        for (const auto& m : *a.missing->items) options.missing->push_back(show_plain(m, c.show()));
    }
    return options;
}

Result<TablePtr> from_database(CallContext& c, decltype(rt::DatabaseFormat::read) read, const rt::FilePath& file, const LoadArguments& a) {
    if (a.query && a.table)
        return Fault{.code = "E-ARGUMENT", .message = "load takes a query or a table, not both", .origin = c.argument(table_place)};
    if (a.parameters && !a.query)
        return Fault{.code = "E-ARGUMENT", .message = "parameters are those of a query", .origin = c.argument(parameters_place)};
    rt::DatabaseQuery query{.query = a.query.value_or(""), .table = a.table ? a.table->text : ""};
    query.types = TRY(column_types(a.types.value_or(nullptr), c.argument(types_place)));
    query.run = &c.run();
    if (a.parameters)
        for (const auto& value : *a.parameters->items) {
            auto bound = TRY(database_value(value, c.argument(parameters_place)));
            query.parameters.push_back(std::move(bound));
        }
    auto table = read(file, query);
    if (!table && table.fault().code == "E-PARAMETER" && (a.query || a.table)) {
        Fault fault = std::move(table).fault();
        fault.origin = c.argument(a.query ? query_place : table_place);
        return fault;
    }
    return table;
}

/// The argument that a file of this ending has no use for.
std::optional<Fault> unused(CallContext& c, const rt::TableFormat& format, const LoadArguments& a) {
    if (format.database ? !a.of_texts() : !a.of_databases()) return std::nullopt;
    const std::size_t place = format.database ? a.header      ? header_place
                                                : a.separator ? separator_place
                                                              : missing_place
                              : a.query       ? query_place
                              : a.table       ? table_place
                                              : parameters_place;
    return Fault{.code = "E-ARGUMENT",
                 .message = format.database ? "header, separator and missing are for files of text"
                                            : fmt::format("query, table and parameters are for databases, not for {} files", format.ending),
                 .origin = c.argument(place)};
}

Result<TablePtr> load_table(CallContext& c, const rt::TableFormat& format, const rt::FilePath& file, const LoadArguments& a,
                            const NoteTaker& note) {
    if (auto fault = unused(c, format, a)) return *std::move(fault);
    if (format.database) return from_database(c, format.database->read, file, a);
    const auto options = TRY(text_options(c, a, note));
    return format.read(file, options);
}

/// The table of one file. Its target is not set.
Result<TablePtr> table_of_file(CallContext& c, const std::string& path, const LoadArguments& a, const NoteTaker& note) {
    auto file = c.file(path);
    if (!file) return placed(std::move(file).fault(), c.argument(path_place));
    const FileFormat* format = c.registry().format_of(rt::data_ending(file->path));
    if (!format || !format->table || (format->table->database && rt::is_compressed(file->path)))
        return unknown_format(c.registry(), file->path, c.argument(path_place));
    auto table = load_table(c, *format->table, *file, a, note);
    if (table) return table;
    Fault fault = as_written(std::move(table).fault(), file->path, path, c.argument(path_place));
    if (fault.message.starts_with("there is no file") && fault.hint.empty() && !path.starts_with('/'))
        fault.hint = "a path starts in the folder of the script";
    return fault;
}

Result<Value> with_its_target(CallContext& c, TablePtr table, const LoadArguments& a) {
    if (!a.target) return Value(Value::Node(std::move(table)));
    auto out = rt::with_target(*table, a.target->text);
    if (!out) return placed(std::move(out).fault(), c.argument(target_place));
    return Value(Value::Node(*std::move(out)));
}

/// A server in place of a file.
Result<Value> load_server(CallContext& c, const std::string& address, const LoadArguments& a) {
    const auto here = TRY(c.file("."));
    if (!here.root.empty())
        return Fault{.code = "E-FILE",
                     .message = "a script that may only read files of one folder cannot ask a server",
                     .origin = c.argument(path_place),
                     .label = "refused by --root"};
    if (a.of_texts() || a.stream)
        return Fault{.code = "E-ARGUMENT",
                     .message = "header, separator, missing and stream are for files of text",
                     .origin = c.argument(a.header      ? header_place
                                          : a.separator ? separator_place
                                          : a.missing   ? missing_place
                                                        : stream_place)};
    auto table = from_database(c, rt::load_postgres, {address, {}, here.ranks}, a);
    if (!table) return placed(std::move(table).fault(), c.argument(path_place));
    return with_its_target(c, *std::move(table), a);
}

/// What a file holds that is not a table; nothing for other files.
Result<std::optional<Value>> other_than_table(CallContext& c, const std::string& path, const LoadArguments& a) {
    auto file = c.file(path);
    if (!file) return placed(std::move(file).fault(), c.argument(path_place));
    const std::string ending = rt::file_ending(*file);
    const FileFormat* format = c.registry().format_of(ending);
    if (!format || !format->load) return std::optional<Value>();
    if (a.target || a.types || a.of_texts() || a.of_databases())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("load of a {} file takes only the path", ending),
                     .origin = c.argument(a.target ? target_place : types_place)};
    auto value = format->load(c, *file);
    if (!value) return as_written(std::move(value).fault(), file->path, path, c.argument(path_place));
    return std::optional(*std::move(value));
}

/// The notes on many files: which file each is about, and no more than some.
class NotesOnFiles {
public:
    explicit NotesOnFiles(CallContext& c) : c_(c) {}
    NotesOnFiles(const NotesOnFiles&) = delete;
    NotesOnFiles& operator=(const NotesOnFiles&) = delete;
    ~NotesOnFiles() {
        if (more_ > 0) c_.note(fmt::format("{} on these files", rt::counted(more_, "more note")));
    }
    NoteTaker of(const std::string& path) {
        return [this, path](const std::string& text) {
            constexpr std::size_t most = 5;
            if (++told_ <= most)
                c_.note(fmt::format("{}: {}", path, text));
            else
                ++more_;
        };
    }

private:
    CallContext& c_;
    std::size_t told_ = 0;
    std::size_t more_ = 0;
};

/// The rows of one file, which stay in it.
Result<rt::RowBlocksPtr> blocks_of_file(CallContext& c, const std::string& path, const LoadArguments& a, const NoteTaker& note) {
    auto file = c.file(path);
    if (!file) return placed(std::move(file).fault(), c.argument(path_place));
    const FileFormat* format = c.registry().format_of(rt::data_ending(file->path));
    if (!format || !format->table || !format->table->blocks)
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("stream: true reads files of rows as text, such as .csv, not {}", rt::data_ending(file->path)),
                     .origin = c.argument(stream_place)};
    if (auto fault = unused(c, *format->table, a)) return *std::move(fault);
    const auto options = TRY(text_options(c, a, note));
    auto blocks = format->table->blocks(*file, options);
    if (!blocks) return as_written(std::move(blocks).fault(), file->path, path, c.argument(path_place));
    return blocks;
}

/// stream: true: a model of the rows of the files, which it reads again for each pass.
Result<Value> in_blocks(CallContext& c, const std::vector<std::string>& paths, const LoadArguments& a) {
    std::vector<rt::RowBlocksPtr> files;
    NotesOnFiles notes(c);
    for (const auto& path : paths) {
        const NoteTaker note = paths.size() > 1 ? notes.of(path) : NoteTaker([&c](std::string text) { c.note(std::move(text)); });
        auto blocks = TRY(blocks_of_file(c, path, a, note));
        files.push_back(std::move(blocks));
    }
    auto all = files.size() == 1 ? Result<rt::RowBlocksPtr>(files[0]) : rt::stacked_blocks(std::move(files), paths);
    if (!all) return placed(std::move(all).fault(), c.argument(path_place));
    if (a.target) {
        auto head = rt::with_target((*all)->head(), a.target->text);
        if (!head) return placed(std::move(head).fault(), c.argument(target_place));
        all = (*all)->with_target(*std::move(head));
    }
    return Value(Value::Node(ModelValue{rt::make_blocks_model(*std::move(all)), {}}));
}

/// Where a column holds labels in one file, it holds them in all: its numbers are read again, as they are written.
rt::Status read_as_labels(CallContext& c, const std::vector<std::string>& columns, const std::vector<std::string>& paths,
                          const LoadArguments& a, std::vector<TablePtr>& tables) {
    Record types = a.types ? **a.types : Record{};
    for (const auto& name : columns) types.entries.emplace_back(name, Value::text("label"));
    LoadArguments again = a;
    again.types = std::make_shared<const Record>(std::move(types));
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto numeric = [&](const auto& name) { return tables[i]->columns[*tables[i]->find(name)]->kind == rt::ColumnKind::numeric; };
        if (std::none_of(columns.begin(), columns.end(), numeric)) continue;
        tables[i] = TRY(table_of_file(c, paths[i], again, [](const std::string&) {}));
    }
    return rt::Done{};
}

Result<Value> load_files(CallContext& c, const std::vector<std::string>& paths, const LoadArguments& a) {
    std::vector<TablePtr> tables;
    NotesOnFiles notes(c);
    for (const auto& path : paths) {
        auto table = TRY(table_of_file(c, path, a, notes.of(path)));
        tables.push_back(std::move(table));
    }
    if (auto same = rt::check_same_columns(tables, paths); !same) return placed(std::move(same).fault(), c.argument(path_place));
    if (const auto mixed = rt::mixed_columns(tables); !mixed.empty()) TRY(read_as_labels(c, mixed, paths, a, tables));
    return with_its_target(c, rt::stacked(tables), a);
}

/// The paths that a pattern means; a path that names a file is taken as it is.
Result<std::vector<std::string>> paths_of(CallContext& c, const std::string& path) {
    if (!rt::is_pattern(path)) return std::vector{path};
    if (const auto file = c.file(path); file && rt::open_data(*file)) return std::vector{path};
    auto paths = rt::matching_paths(path, [&c](const std::string& p) { return c.file(p); });
    if (!paths) return placed(std::move(paths).fault(), c.argument(path_place));
    return paths;
}

Result<Value> load_path(CallContext& c, const std::string& path, const LoadArguments& a) {
    if (rt::is_server_address(path)) return load_server(c, path, a);
    const auto paths = TRY(paths_of(c, path));
    if (a.in_blocks()) return in_blocks(c, paths, a);
    if (paths.size() > 1) return load_files(c, paths, a);
    auto other = TRY(other_than_table(c, paths[0], a));
    if (other) return *std::move(other);
    auto table = TRY(table_of_file(c, paths[0], a, [&c](std::string text) { c.note(std::move(text)); }));
    return with_its_target(c, std::move(table), a);
}

Result<Value> load_list(CallContext& c, const List& items, const LoadArguments& a) {
    std::vector<std::string> paths;
    for (const auto& item : items) {
        const auto* text = item.get<TextPtr>();
        if (!text)
            return Fault{
                .code = "E-TYPE", .message = fmt::format("a path is a text, not {}", item.kind()), .origin = c.argument(path_place)};
        const auto found = TRY(paths_of(c, **text));
        paths.insert(paths.end(), found.begin(), found.end());
    }
    if (paths.empty()) return Fault{.code = "E-PARAMETER", .message = "the list of files is empty", .origin = c.argument(path_place)};
    if (a.in_blocks()) return in_blocks(c, paths, a);
    return load_files(c, paths, a);
}

Result<Value> load(CallContext& c, Value path, std::optional<ColumnName> target, std::optional<RecordPtr> types, std::optional<bool> header,
                   std::optional<std::string> separator, std::optional<Items> missing, std::optional<std::string> query,
                   std::optional<ColumnName> table, std::optional<Items> parameters, std::optional<bool> stream) {
    const LoadArguments a{std::move(target), std::move(types),      header, std::move(separator), std::move(missing), std::move(query),
                          std::move(table),  std::move(parameters), stream};
    if (const auto* text = path.get<TextPtr>()) return load_path(c, **text, a);
    if (const auto* list = path.get<ListPtr>()) return load_list(c, **list, a);
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("path must be a text or a list of texts, found {}", path.kind()),
                 .origin = c.argument(path_place)};
}

}  // namespace

void add_load(Registry& r) {
    std::vector<std::string> names, nets_read;
    for (const auto& format : rt::table_formats())
        if (!format.name.empty() && !format.database) names.emplace_back(format.name);
    for (const auto& format : rt::net_formats())
        if (format.read) nets_read.emplace_back(format.ending);
    const std::string help = fmt::format(
        "Reads a table from a {} file (`types` is a record of label or number by column), or what save wrote: a model from .json, a net "
        "from {}. A table may be compressed: .csv.gz, .csv.zst. From an SQLite database (.db) it reads a table by name, or what a query "
        "gives, whose ? take the `parameters`; from a PostgreSQL server likewise, with postgresql://… as the path. A pattern such as "
        "parts/*.csv, or a list of paths, gives the rows of all these files. "
        "With `stream: true` the rows of a text file stay in the file, which is read again for each pass: queries count them, and learners "
        "learn from them, in little memory.",
        rt::listed(names, "or"), rt::listed(nets_read, "or"));
    std::string missing_default = "\"\" ?";
    for (const auto word : rt::words_for_missing()) missing_default += fmt::format(" {}", word);
    r.add(bind({subject::tables,
                "load",
                {{"path"},
                 {"target", "none"},
                 {"types", "inferred"},
                 {"header", "true"},
                 {"separator", "inferred"},
                 {"missing", missing_default},
                 {"query", "none"},
                 {"table", "the only one"},
                 {"parameters", "[]"},
                 {"stream", "false"}},
                help,
                "rows(load(\"sample.csv\", target: Play)) == 3"},
               load));
    r.add_member(std::string(rt::blocks_kind),
                 bind(
                     {subject::tables, "rows", {{"m"}}, "How many rows the file has.", "load(\"sample.csv\", stream: true).rows == 3"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         return Value(rt::Number(rt::Rational(static_cast<std::int64_t>(rt::blocks_of(*m.model)->rows()))));
                     }));
    r.add_member(
        std::string(rt::blocks_kind),
        bind(
            {subject::tables, "columns", {{"m"}}, "The names of its columns.", "count(load(\"sample.csv\", stream: true).columns) == 2"},
            +[](CallContext&, ModelValue m) -> Result<Value> {
                List out;
                for (const auto& column : rt::blocks_of(*m.model)->head().columns) out.push_back(Value::text(column->name));
                return Value::list(std::move(out));
            }));
}

}  // namespace credence::std_
