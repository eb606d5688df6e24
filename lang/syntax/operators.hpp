#pragma once
// The binary operators, one line each: token, node, spelling. How tightly they bind is the order of the rules in grammar.hpp.

#include <array>
#include <string_view>

#include "lang/syntax/ast.hpp"
#include "lang/syntax/token.hpp"

namespace credence::lang {

struct OperatorEntry {
    Tok token{};
    BinaryOp op{};
    std::string_view spelling;
};

constexpr std::array<OperatorEntry, 15> operators = {{
    {Tok::or_, BinaryOp::or_, "or"},
    {Tok::and_, BinaryOp::and_, "and"},
    {Tok::equal_equal, BinaryOp::equal, "=="},
    {Tok::not_equal, BinaryOp::not_equal, "!="},
    {Tok::less, BinaryOp::less, "<"},
    {Tok::less_equal, BinaryOp::less_equal, "<="},
    {Tok::greater, BinaryOp::greater, ">"},
    {Tok::greater_equal, BinaryOp::greater_equal, ">="},
    {Tok::in, BinaryOp::in, "in"},
    {Tok::plus, BinaryOp::add, "+"},
    {Tok::minus, BinaryOp::subtract, "-"},
    {Tok::star, BinaryOp::multiply, "*"},
    {Tok::slash, BinaryOp::divide, "/"},
    {Tok::mod, BinaryOp::modulo, "mod"},
    {Tok::caret, BinaryOp::power, "^"},
}};

constexpr BinaryOp operator_of(Tok token) {
    for (const auto& entry : operators)
        if (entry.token == token) return entry.op;
    return BinaryOp::add;
}

constexpr std::string_view spelling_of(BinaryOp op) {
    for (const auto& entry : operators)
        if (entry.op == op) return entry.spelling;
    return "";
}

}  // namespace credence::lang
