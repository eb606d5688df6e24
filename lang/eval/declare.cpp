// Declarations become values: tables here, the others in files of their own.

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/eval/evaluator.hpp"

namespace credence::lang {

Result<Value> Evaluator::declare_table(const TableStmt& statement) {
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

std::optional<Value> Evaluator::try_declare(const Statement& statement, std::vector<Fault>& faults) {
    statement_span_ = statement.span;
    const auto keep = [&](Result<Value> value) -> std::optional<Value> {
        if (value) return *std::move(value);
        faults.push_back(std::move(value).fault());
        return std::nullopt;
    };
    if (const auto* net = std::get_if<NetStmt>(&statement.node)) { return keep(declare_net(*net, {})); }
    if (const auto* h = std::get_if<HypothesesStmt>(&statement.node))
        return is_evaluable(*h, world_) ? keep(declare_hypotheses(*h)) : std::nullopt;
    if (const auto* t = std::get_if<TableStmt>(&statement.node)) return keep(declare_table(*t));
    if (const auto* m = std::get_if<MixtureStmt>(&statement.node))
        return is_evaluable(*m, world_) ? keep(declare_mixture(*m)) : std::nullopt;
    if (const auto* h = std::get_if<HmmStmt>(&statement.node)) return is_evaluable(*h, world_) ? keep(declare_hmm(*h)) : std::nullopt;
    if (const auto* g = std::get_if<GrammarStmt>(&statement.node))
        return is_evaluable(*g, world_) ? keep(declare_grammar(*g)) : std::nullopt;
    if (const auto* c = std::get_if<CasesStmt>(&statement.node)) return is_evaluable(*c, world_) ? keep(declare_cases(*c)) : std::nullopt;
    return std::nullopt;
}

Result<Value> Evaluator::declare(const Statement& statement) {
    std::vector<Fault> faults;
    auto value = try_declare(statement, faults);
    if (!faults.empty()) return std::move(faults.front());
    if (value) return *std::move(value);
    return fault("E-NAME", "a name in this declaration has no value yet", statement.span);
}

}  // namespace credence::lang
