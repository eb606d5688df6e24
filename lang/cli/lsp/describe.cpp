#include "lang/cli/lsp/describe.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lang/service/help.hpp"
#include "lang/value/show.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli::lsp {

namespace {

using namespace lang;

std::string code_block(std::string_view text, std::string_view language) { return fmt::format("```{}\n{}\n```", language, text); }

const Symbol* symbol_of(const Analysis& analysis, const Statement* statement) {
    for (const auto& symbol : analysis.session->scope().symbols())
        if (statement && symbol.slot == statement->slot) return &symbol;
    return nullptr;
}

std::string values_of(const VariableShape& variable) {
    if (!variable.labels) return variable.numeric ? " : a number" : "";
    constexpr std::size_t most = 24;
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(most, variable.labels->size()); ++i) shown.push_back(show_label((*variable.labels)[i]));
    if (variable.labels->size() > most) shown.push_back(fmt::format("… ({} in all)", variable.labels->size()));
    return fmt::format(" in {{{}}}", rt::joined(shown, ", "));
}

const VariableShape* variable_of(const Analysis& analysis, const Definition& definition) {
    if (!definition.statement) return nullptr;
    const Symbol* model = symbol_of(analysis, definition.statement);
    if (!model || !model->shape) return nullptr;
    if (const auto* exact = model->shape->find(definition.name)) return exact;
    // One of a plate stands for all of them.
    for (const auto& v : model->shape->variables)
        if (v.name.starts_with(definition.name + "[")) return &v;
    return nullptr;
}

std::string parameters_of(const Analysis& analysis, const Definition& definition) {
    if (definition.statement) {
        if (const auto* fn = std::get_if<FnStmt>(&definition.statement->node)) {
            std::vector<std::string> names;
            for (const auto& p : fn->params) names.push_back(p.text);
            return fmt::format("({})", rt::joined(names, ", "));
        }
        if (const auto* symbol = symbol_of(analysis, definition.statement))
            return fmt::format("({})", rt::joined(symbol->parameters, ", "));
        return "";
    }
    for (const auto& symbol : analysis.session->scope().symbols())
        if (symbol.name == definition.name && symbol.source == definition.source)
            return fmt::format("({})", rt::joined(symbol.parameters, ", "));
    return "";
}

/// The first line of a declaration.
std::string first_line(const Analysis& analysis, Span span) {
    std::string_view text = analysis.source->text(span);
    const auto end = text.find('\n');
    const bool more = end != std::string_view::npos;
    if (more) text = text.substr(0, end);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    return std::string(text) + (more ? " …" : "");
}

}  // namespace

std::string headline(const Analysis& analysis, const Definition& definition) {
    switch (definition.kind) {
        case Definition::Kind::function:
            return "fn " + definition.name + parameters_of(analysis, definition);
        case Definition::Kind::value:
        case Definition::Kind::module:
            return definition.source ? definition.name : first_line(analysis, definition.whole);
        case Definition::Kind::model: {
            const Symbol* symbol = symbol_of(analysis, definition.statement);
            std::string out = definition.what + " " + show_name(definition.name);
            if (!symbol || !symbol->shape || symbol->shape->variables.empty()) return out;
            out += " {";
            for (const auto& v : symbol->shape->variables)
                if (!v.next) out += "\n  " + show_name(v.name) + values_of(v);
            return out + "\n}";
        }
        case Definition::Kind::variable: {
            const auto* shape = variable_of(analysis, definition);
            return show_name(definition.name) + (shape ? values_of(*shape) : "");
        }
        case Definition::Kind::parameter:
        case Definition::Kind::symbol:
            return definition.name;
    }
    return definition.name;
}

std::string description(const Analysis& analysis, const Definition& definition) {
    std::string out = code_block(headline(analysis, definition), "credence");
    if (definition.kind == Definition::Kind::variable || definition.kind == Definition::Kind::parameter ||
        definition.kind == Definition::Kind::symbol)
        out += "\n" + definition.what;
    if (definition.source) out += "\nfrom " + definition.source->name();
    if (!definition.doc.empty()) out += "\n\n" + definition.doc;
    return out;
}

std::string label_description(const Analysis& analysis, const std::string& label) {
    std::string out;
    for (const auto& symbol : analysis.session->scope().symbols()) {
        if (!symbol.shape) continue;
        for (const auto& v : symbol.shape->variables) {
            if (v.next || !v.labels || !rt::contains(*v.labels, label)) continue;
            out += fmt::format("{}{} of {} {}", out.empty() ? "a value of " : ", ", show_name(v.name), symbol.shape->kind, symbol.name);
        }
    }
    return out;
}

std::optional<std::string> help_markdown(const Registry& registry, std::string_view topic) {
    auto text = topic.empty() ? std::nullopt : help_text(registry, topic);
    if (!text) return std::nullopt;
    while (!text->empty() && text->back() == '\n') text->pop_back();
    return code_block(*text, "text");
}

}  // namespace credence::cli::lsp
