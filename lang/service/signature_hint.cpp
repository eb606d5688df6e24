// The forms of the call around a cursor.

#include <algorithm>

#include <fmt/format.h>

#include "lang/service/calls.hpp"
#include "lang/service/completion.hpp"
#include "lang/service/help.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

SignatureHint::Form form_of(const Builtin& builtin, bool member) {
    SignatureHint::Form out{signature_text(builtin), {}, builtin.summary};
    for (std::size_t i = member ? 1 : 0; i < builtin.parameters.size(); ++i) out.parameters.push_back(builtin.parameters[i].name);
    if (member) {
        Builtin shown = builtin;
        shown.parameters.erase(shown.parameters.begin());
        out.text = "." + signature_text(shown);
    }
    return out;
}

}  // namespace

std::optional<SignatureHint> signature_at(const Known& known, std::string_view text, std::size_t at) {
    const Cursor cursor = cursor_at(text, at);
    if (!cursor.call) return std::nullopt;
    const OpenCall& call = *cursor.call;
    SignatureHint out;
    if (call.query) {
        for (const auto& s : statements())
            if (s.name == call.function) out.forms.push_back({std::string(s.form), {}, std::string(s.text)});
    } else if (const Symbol* own = known.scope.find(call.function);
               own && own->kind == Symbol::Kind::function && !call.member && !call.method) {
        out.forms.push_back({fmt::format("{}({})", own->name, rt::joined(own->parameters, ", ")), own->parameters, own->doc});
    } else {
        for (const Builtin* form : forms_of(known.registry, call)) out.forms.push_back(form_of(*form, call.member));
    }
    if (out.forms.empty()) return std::nullopt;
    out.parameter = call.position;
    if (!call.parameter.empty()) {
        const auto& names = out.forms.front().parameters;
        out.parameter = static_cast<std::size_t>(std::find(names.begin(), names.end(), call.parameter) - names.begin());
    }
    return out;
}

}  // namespace credence::lang
