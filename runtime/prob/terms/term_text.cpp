// A term as it would be written, with the parentheses it needs.

#include <fmt/format.h>

#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

namespace {

int binding(TermOp op) {
    switch (op) {
        case TermOp::or_:
            return 1;
        case TermOp::and_:
            return 2;
        case TermOp::less:
        case TermOp::less_equal:
        case TermOp::equal:
        case TermOp::is:
            return 3;
        case TermOp::add:
        case TermOp::subtract:
            return 4;
        case TermOp::multiply:
        case TermOp::divide:
        case TermOp::mod:
            return 5;
        case TermOp::negate:
            return 6;
        case TermOp::power:
            return 7;
        case TermOp::choose:
            return 0;
        case TermOp::constant:
        case TermOp::variable:
        case TermOp::component:
        case TermOp::exp:
        case TermOp::ln:
        case TermOp::sqrt:
        case TermOp::abs:
        case TermOp::sin:
        case TermOp::cos:
        case TermOp::tan:
        case TermOp::log_gamma:
        case TermOp::min:
        case TermOp::max:
        case TermOp::floor:
        case TermOp::ceil:
        case TermOp::round:
        case TermOp::not_:
            break;
    }
    return 9;
}

std::string_view symbol(TermOp op) {
    switch (op) {
        case TermOp::or_:
            return " or ";
        case TermOp::and_:
            return " and ";
        case TermOp::less:
            return " < ";
        case TermOp::less_equal:
            return " <= ";
        case TermOp::equal:
            return " == ";
        case TermOp::add:
            return " + ";
        case TermOp::subtract:
            return " - ";
        case TermOp::multiply:
            return " * ";
        case TermOp::divide:
            return " / ";
        case TermOp::power:
            return "^";
        case TermOp::exp:
            return "exp";
        case TermOp::ln:
            return "ln";
        case TermOp::sqrt:
            return "sqrt";
        case TermOp::abs:
            return "abs";
        case TermOp::sin:
            return "sin";
        case TermOp::cos:
            return "cos";
        case TermOp::tan:
            return "tan";
        case TermOp::log_gamma:
            return "lgamma";
        case TermOp::min:
            return "min";
        case TermOp::max:
            return "max";
        case TermOp::mod:
            return " mod ";
        case TermOp::floor:
            return "floor";
        case TermOp::ceil:
            return "ceil";
        case TermOp::round:
            return "round";
        case TermOp::constant:
        case TermOp::variable:
        case TermOp::component:
        case TermOp::is:
        case TermOp::negate:
        case TermOp::not_:
        case TermOp::choose:
            break;
    }
    return "";
}

}  // namespace

std::string term_text(const Term& term, const std::function<std::string(VarId)>& name) {
    const auto wrapped = [&](const Term& part, int least) {
        std::string inner = term_text(part, name);
        const bool negative = is_constant(part) && (part->value.sign() < 0 || inner.find('/') != std::string::npos) && least > 4;
        return binding(part->op) < least || negative ? "(" + inner + ")" : inner;
    };
    const int own = binding(term->op);
    switch (term->op) {
        case TermOp::constant:
            return label_text(term->value);
        case TermOp::variable:
            return name(term->variable);
        case TermOp::component:
            return fmt::format("{}[{}]", name(term->variable), term->component);
        case TermOp::is:
            return fmt::format("{} == {}", name(term->variable), term->label.text());
        case TermOp::negate:
            return "-" + wrapped(term->parts[0], own);
        case TermOp::not_:
            return "not " + wrapped(term->parts[0], 8);
        case TermOp::choose:
            return fmt::format("if {} then {} else {}", term_text(term->parts[0], name), term_text(term->parts[1], name),
                               term_text(term->parts[2], name));
        case TermOp::exp:
        case TermOp::ln:
        case TermOp::sqrt:
        case TermOp::abs:
        case TermOp::sin:
        case TermOp::cos:
        case TermOp::tan:
        case TermOp::log_gamma:
        case TermOp::floor:
        case TermOp::ceil:
        case TermOp::round:
            return fmt::format("{}({})", symbol(term->op), term_text(term->parts[0], name));
        case TermOp::min:
        case TermOp::max:
            return fmt::format("{}({}, {})", symbol(term->op), term_text(term->parts[0], name), term_text(term->parts[1], name));
        case TermOp::mod:
        case TermOp::add:
        case TermOp::subtract:
        case TermOp::multiply:
        case TermOp::divide:
        case TermOp::power:
        case TermOp::less:
        case TermOp::less_equal:
        case TermOp::equal:
        case TermOp::and_:
        case TermOp::or_:
            break;
    }
    return wrapped(term->parts[0], own) + std::string(symbol(term->op)) + wrapped(term->parts[1], own + 1);
}

}  // namespace credence::rt
