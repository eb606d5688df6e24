// Declarations become values: tables here, the others in files of their own.

#include <stdexcept>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/eval/evaluator.hpp"

namespace credence::lang {

Result<Value> Evaluator::declare_model(const TableStmt& statement) {
    auto table = std::make_shared<rt::Table>();
    table->row_count = statement.rows.size();
    for (std::size_t c = 0; c < statement.columns.size(); ++c) {
        for (std::size_t other = 0; other < c; ++other)
            if (statement.columns[other].text == statement.columns[c].text)
                return fault("E-DUPLICATE", fmt::format("the table has two columns named {}", statement.columns[c].text),
                             statement.columns[c].span);
        rt::ColumnBuilder column(statement.columns[c].text);
        for (const auto& row : statement.rows) {
            const auto& cell = row.cells[c];
            if (cell.missing) {
                column.add_missing();
                continue;
            }
            if (cell.computed) {
                Frame frame;
                const auto value = TRY(eval(*cell.computed, frame));
                const auto label = value.as_label();
                if (label)
                    column.add(*label);
                else if (value.is<AnyMark>())
                    column.add_missing();
                else
                    return fault("E-TYPE", fmt::format("a cell is a number or a label, not {}", value.kind()), cell.span);
                continue;
            }
            const auto number = cell.quoted ? std::nullopt : rt::Rational::parse(cell.text);  // also 1/3 and 98%
            column.add(number ? rt::Label::of_number(*number) : rt::Label::of_text(cell.text));
        }
        auto built = std::move(column).finish();
        if (!built) return at(std::move(built).fault(), statement.columns[c].span);
        table->columns.push_back(*std::move(built));
    }
    if (statement.has_target) table->target = statement.columns.size() - 1;
    return Value(Value::Node(rt::TablePtr(std::move(table))));
}

Result<Value> Evaluator::declare_net(const NetStmt& statement, std::vector<Value> arguments) {
    NetDeclaration declaration(*this, statement, std::move(arguments));
    declaration.build();
    if (!declaration.faults().empty()) return declaration.faults().front();
    if (auto built = declaration.model()) return Value(Value::Node(ModelValue{*std::move(built), statement.name.text}));
    return fault("E-NAME", "a name in this declaration has no value yet", statement.name.span);
}

Result<Value> Evaluator::declare(const Statement& statement) {
    if (auto kept = world_.declared.extract(&statement)) return std::move(kept.mapped());
    statement_span_ = statement.span;
    return std::visit(
        [&](const auto& node) -> Result<Value> {
            if constexpr (requires { declare_model(node); })
                return declare_model(node);
            else
                throw std::logic_error("this statement declares no model");
        },
        statement.node);
}

}  // namespace credence::lang
