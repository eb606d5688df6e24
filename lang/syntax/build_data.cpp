// Declarations of data: tables, graphs, cases.

#include <fmt/format.h>

#include "lang/syntax/build.hpp"

namespace credence::lang::build {

// --- table --------------------------------------------------------------------------------------------------------

void cell(Frame& f) {
    const auto kind = f.token().kind;
    auto word = word_of(f, f.token());
    f.push(TableCell{.missing = kind == Tok::cell_missing, .text = std::move(word.text), .quoted = kind == Tok::cell_text, .span = word.span});
}

void table_line(Frame& f) {
    TableLine line;
    line.span = f.span();
    for (std::size_t i = 0; i < f.token_count(); ++i) {
        if (f.token(i).kind != Tok::cell_arrow) continue;
        line.arrow = i;
        ++line.arrows;
    }
    line.cells = f.take_all<TableCell>();
    f.push(std::move(line));
}

namespace {

std::string counted(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

void check_header(Builder& b, const TableLine& header) {
    if (header.arrows > 1 || (header.arrows == 1 && header.arrow + 1 != header.cells.size()))
        b.report("E-TABLE", "-> stands before the last column only", header.span, "the column after -> is the target");
}

/// A row has the header's shape: as many cells, and the arrow in the same place.
void check_row(Builder& b, const TableLine& header, const TableLine& row) {
    const auto columns = header.cells.size();
    if (row.cells.size() != columns) {
        b.report("E-TABLE", fmt::format("this row has {}, the header {}", counted(row.cells.size(), "cell"), counted(columns, "column")),
                 row.span, fmt::format("{} expected", counted(columns, "cell")),
                 {row.cells.size() > columns ? "a cell with blanks in it is written in quotes" : "a missing value is written ?"});
    } else if (header.arrows == 1 && (row.arrows != 1 || row.arrow != header.arrow)) {
        b.report("E-TABLE", "this row needs -> before its last cell", row.span, "as in the header");
    } else if (header.arrows == 0 && row.arrows > 0) {
        b.report("E-TABLE", "-> in a row, but not in the header", row.span, "the header says which column is the target");
    }
}

}  // namespace

void table(Frame& f) {
    TableStmt node;
    node.name = f.take<Word>();
    auto header = f.take<TableLine>();
    check_header(f.builder(), header);
    node.has_target = header.arrows > 0;
    while (f.is<TableLine>()) {
        auto line = f.take<TableLine>();
        check_row(f.builder(), header, line);
        node.rows.push_back({std::move(line.cells), line.span});
    }
    for (auto& cell : header.cells) node.columns.push_back({std::move(cell.text), cell.span});
    f.push_statement(std::move(node));
}

// --- graphs and cases -----------------------------------------------------------------------------------------------

void chain(Frame& f) {
    InfluenceChain node;
    node.quantities = f.take_all<Word>();
    for (std::size_t i = 1; i < f.token_count(); ++i) {
        if (f.token(i - 1).kind != Tok::arrow) continue;
        node.signs.push_back(f.text(f.token(i)).front());
    }
    f.push(std::move(node));
}

void kind(Frame& f) {
    KindDecl node;
    node.quantities = f.take_all<Word>();
    node.kind = std::move(node.quantities.back());
    node.quantities.pop_back();
    f.push(std::move(node));
}

void graph_body(Frame& f) {
    GraphBody node;
    while (!f.done()) {
        if (f.is<KindDecl>()) node.items.emplace_back(f.take<KindDecl>());
        else node.items.emplace_back(f.take<InfluenceChain>());
    }
    f.push(std::move(node));
}

void graph(Frame& f) { f.push_expr(GraphLit{f.take<GraphBody>()}); }

void case_section(Frame& f) {
    CaseSection node{.node = std::string(), .span = f.span()};
    if (f.is<RecordEntry>()) node.node = f.take<RecordEntry>();
    else if (f.is<GraphBody>()) node.node = f.take<GraphBody>();
    else node.node = f.take<Word>().text;
    f.push(std::move(node));
}

void case_(Frame& f) {
    auto node = std::make_unique<CaseDecl>();
    node->label = f.take<Word>();
    node->span = f.span();
    while (!f.done()) {
        auto section = f.take<CaseSection>();
        const bool twice = (std::holds_alternative<std::string>(section.node) && node->structure) ||
                           (std::holds_alternative<GraphBody>(section.node) && node->function);
        if (twice) f.builder().report("E-SYNTAX", "a section that was given before", section.span, "a case has one structure and one function");
        if (auto* text = std::get_if<std::string>(&section.node)) node->structure = std::move(*text);
        else if (auto* graph = std::get_if<GraphBody>(&section.node)) node->function = std::move(*graph);
        else node->attributes.push_back(std::get<RecordEntry>(std::move(section.node)));
    }
    f.push(std::move(node));
}

void cases(Frame& f) {
    CasesStmt node;
    node.name = f.take<Word>();
    while (!f.done()) node.cases.push_back(std::move(*f.take<std::unique_ptr<CaseDecl>>()));
    f.push_statement(std::move(node));
}

}  // namespace credence::lang::build
