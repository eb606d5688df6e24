// Go to definition, and rename.

#include <cctype>
#include <filesystem>

#include "lang/cli/lsp/server.hpp"
#include "lang/value/show.hpp"

namespace credence::cli::lsp {

namespace {

using namespace lang;

std::string file_beside(const Document& document, const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(path_of(document.uri()).value_or("")).parent_path();
    return (folder / name).lexically_normal().string();
}

std::string bare_word_at(std::string_view text, std::size_t offset) {
    const auto in_word = [&](std::size_t i) {
        const auto c = static_cast<unsigned char>(text[i]);
        return c >= 0x80 || c == '_' || std::isalnum(c) != 0;
    };
    std::size_t begin = std::min(offset, text.size());
    std::size_t end = begin;
    while (begin > 0 && in_word(begin - 1)) --begin;
    while (end < text.size() && in_word(end)) ++end;
    return std::string(text.substr(begin, end - begin));
}

const Reference& renameable(const Analysis& analysis, std::size_t offset) {
    const Reference* found = analysis.names().at(offset);
    if (!found) {
        const std::string word = bare_word_at(analysis.program->source->text(), offset);
        if (analysis.session->scope().knows_label(word))
            throw Refusal{request_failed,
                          "'" + word + "' is a label: a text, which files of data and other texts may hold too, so it is not renamed"};
        throw Refusal{request_failed, "this is not a name that the script declares"};
    }
    const Definition& definition = analysis.names().definitions[found->definition];
    if (definition.source)
        throw Refusal{request_failed, definition.name + " is declared in " + definition.source->name() + ": it is renamed there"};
    return *found;
}

/// The name as it has to be written, or why it cannot be one.
std::string written_name(const std::string& name) {
    if (name.empty()) throw Refusal{invalid_params, "a name is not empty"};
    if (name.find_first_of("`\n\r") != std::string::npos) throw Refusal{invalid_params, "a name has no backticks and no line ends"};
    return show_name(name);
}

/// A name that would now mean something else, or catch what meant something else.
void refuse_clash(const Analysis& analysis, std::size_t definition, const std::string& name) {
    const NameTable& names = analysis.names();
    const Definition& renamed = names.definitions[definition];
    for (std::size_t d = 0; d < names.definitions.size(); ++d) {
        const Definition& other = names.definitions[d];
        if (other.name != name || names.same(d, definition)) continue;
        const bool both_local = other.kind == Definition::Kind::parameter && renamed.kind == Definition::Kind::parameter;
        if (both_local && other.statement != renamed.statement) continue;
        throw Refusal{request_failed, "'" + name + "' is already the name of something else here"};
    }
    if (analysis.session->scope().knows_label(name)) throw Refusal{request_failed, "'" + name + "' is a label of this script"};
}

}  // namespace

Json definition_json(const Document& document, const Analysis& analysis, std::size_t offset) {
    for (const auto& statement : analysis.program->statements)
        if (const auto* import = std::get_if<ImportStmt>(&statement->node);
            import && import->path_span.begin <= offset && offset <= import->path_span.end) {
            const std::string path = file_beside(document, import->path);
            if (!std::filesystem::exists(path)) return nullptr;
            return {{"uri", uri_of(path)}, {"range", TextMap("").range({})}};
        }
    const Reference* found = analysis.names().at(offset);
    if (!found) return nullptr;
    const Definition& definition = analysis.names().definitions[found->definition];
    if (!definition.source) return {{"uri", document.uri()}, {"range", document.map().range(definition.declared)}};
    const std::string path = file_beside(document, definition.source->name());
    if (!std::filesystem::exists(path)) return nullptr;  // the library is inside the program
    return {{"uri", uri_of(path)}, {"range", TextMap(std::string(definition.source->text())).range(definition.declared)}};
}

Json rename_range_json(const Document& document, const Analysis& analysis, std::size_t offset) {
    const Reference& found = renameable(analysis, offset);
    return {{"range", document.map().range(found.span)}, {"placeholder", analysis.names().definitions[found.definition].name}};
}

Json rename_json(const Document& document, const Analysis& analysis, std::size_t offset, const std::string& name) {
    const std::size_t definition = renameable(analysis, offset).definition;
    if (name == analysis.names().definitions[definition].name) return {{"changes", Json::object()}};
    const std::string written = written_name(name);
    refuse_clash(analysis, definition, name);
    Json edits = Json::array();
    for (const Span place : analysis.names().places(definition))
        edits.push_back({{"range", document.map().range(place)}, {"newText", written}});
    return {{"changes", {{document.uri(), std::move(edits)}}}};
}

}  // namespace credence::cli::lsp
