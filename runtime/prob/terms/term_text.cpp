// A term as it would be written, with the parentheses it needs.

#include <fmt/format.h>

#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

namespace {

std::string leaf_text(const TermNode& leaf, const std::function<std::string(VarId)>& name) {
    if (leaf.op == TermOp::constant) return label_text(leaf.value);
    if (leaf.op == TermOp::component) return fmt::format("{}[{}]", name(leaf.variable), leaf.component);
    return leaf.op == TermOp::is ? fmt::format("{} == {}", name(leaf.variable), leaf.label.text()) : name(leaf.variable);
}

}  // namespace

std::string term_text(const Term& term, const std::function<std::string(VarId)>& name) {
    const auto& operation = operation_of(term->op);
    const auto plain = [&](std::size_t part) { return term_text(term->parts[part], name); };
    const auto wrapped = [&](std::size_t at, int least) {
        const Term& part = term->parts[at];
        std::string inner = plain(at);
        const bool negative = is_constant(part) && (part->value.sign() < 0 || inner.find('/') != std::string::npos) && least > 4;
        return operation_of(part->op).binding < least || negative ? "(" + inner + ")" : inner;
    };
    switch (operation.form) {
        case TermForm::leaf:
            return leaf_text(*term, name);
        case TermForm::prefix:
            return std::string(operation.symbol) + wrapped(0, std::min(operation.binding, 8));
        case TermForm::call:
            return fmt::format("{}({}{})", operation.name, plain(0), operation.arity == 2 ? ", " + plain(1) : "");
        case TermForm::list: {
            std::string inner;
            for (std::size_t part = 0; part < term->parts.size(); ++part) inner += (part == 0 ? "" : ", ") + plain(part);
            return fmt::format("{}({})", operation.name, inner);
        }
        case TermForm::choice:
            return fmt::format("if {} then {} else {}", plain(0), plain(1), plain(2));
        case TermForm::infix:
            break;
    }
    const std::string_view space = term->op == TermOp::power ? "" : " ";
    return fmt::format("{}{}{}{}{}", wrapped(0, operation.binding), space, operation.symbol, space, wrapped(1, operation.binding + 1));
}

}  // namespace credence::rt
