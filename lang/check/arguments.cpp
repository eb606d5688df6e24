#include "lang/check/arguments.hpp"

namespace credence::lang {

std::optional<Type> literal_type(const Expr& expr) {
    if (std::holds_alternative<NumberLit>(expr.node)) return Type::number;
    if (std::holds_alternative<BoolLit>(expr.node)) return Type::boolean;
    if (std::holds_alternative<TextLit>(expr.node)) return Type::text;
    if (std::holds_alternative<ListLit>(expr.node) || std::holds_alternative<Comprehension>(expr.node)) return Type::list;
    if (std::holds_alternative<RecordLit>(expr.node)) return Type::record;
    if (std::holds_alternative<SetLit>(expr.node)) return Type::set;
    if (std::holds_alternative<InstanceLit>(expr.node)) return Type::instance;
    if (std::holds_alternative<Lambda>(expr.node)) return Type::function;
    return std::nullopt;
}

bool fits(Type found, Type wanted) {
    switch (wanted) {
        case Type::any:
            return true;
        case Type::number:
            return found == Type::number || found == Type::boolean;
        case Type::integer:
        case Type::count:
        case Type::positive:
        case Type::probability:
            return found == Type::number;
        case Type::quantity:
            return found == Type::number || found == Type::boolean || found == Type::record;
        case Type::boolean:
            return found == Type::boolean;
        case Type::label:
        case Type::text:
        case Type::word:
        case Type::variable:
        case Type::column:
            return found == Type::text || found == Type::number || found == Type::boolean;
        case Type::list:
        case Type::numbers:
        case Type::interval:
        case Type::start:
            return found == Type::list || found == Type::set || found == Type::instance;
        case Type::variables:
        case Type::columns:
            return found == Type::list || found == Type::set || found == Type::text;
        case Type::record:
            return found == Type::record;
        case Type::factor:
        case Type::distribution:
            return found == Type::record;
        case Type::set:
            return found == Type::set;
        case Type::instance:
            return found == Type::instance;
        case Type::function:
            return found == Type::function;
        case Type::settings:
            return found == Type::record;
        case Type::option:
            return true;
        case Type::table:
        case Type::model:
        case Type::learner:
            return false;
    }
    return true;
}

bool names_variable(Type type) {
    return type == Type::variable || type == Type::variables || type == Type::column || type == Type::columns;
}

/// scale(foo): the word is a table that was not found, not the one column of a preparation.
static bool takes_lone_word_for_columns(const Builtin& form, const Call& call) {
    return form.preparation && !form.parameters.empty() && form.parameters.front().type == Type::columns && !call.arguments.empty() &&
           !call.arguments.front().name && std::holds_alternative<NameExpr>(call.arguments.front().value->node);
}

FittingForms fitting_forms(std::span<const Builtin> forms, const Call& call, std::size_t piped) {
    std::size_t positional = piped;
    std::vector<std::string> names;
    for (const auto& argument : call.arguments) {
        if (argument.name)
            names.push_back(argument.name->text);
        else
            ++positional;
    }
    FittingForms out;
    for (const auto& form : forms) {
        if (takes_lone_word_for_columns(form, call)) continue;
        auto matched = match_arguments(form, positional, names);
        if (std::holds_alternative<Matching>(matched))
            out.forms.push_back(&form);
        else if (!out.mismatch)
            out.mismatch = std::get<Mismatch>(std::move(matched));
    }
    return out;
}

const Parameter* parameter_of(const Builtin& form, const Argument& argument, std::size_t position) {
    if (argument.name) {
        for (const auto& p : form.parameters)
            if (p.name == argument.name->text) return &p;
        return nullptr;
    }
    if (position < form.parameters.size()) return &form.parameters[position];
    return !form.parameters.empty() && form.parameters.back().rest ? &form.parameters.back() : nullptr;
}

std::optional<Value> literal_value(const Expr& expr) {
    if (const auto* n = std::get_if<NumberLit>(&expr.node)) return Value(Value::Node(n->value));
    const auto* minus = std::get_if<Unary>(&expr.node);
    const auto* n = minus && minus->op == UnaryOp::negate ? std::get_if<NumberLit>(&minus->operand->node) : nullptr;
    if (n) return Value(Value::Node(-n->value));
    return std::nullopt;
}

}  // namespace credence::lang
