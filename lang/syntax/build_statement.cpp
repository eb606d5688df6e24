// Statements and declarations. One unit, because every unit that builds nodes pays for their variants.

#include <fmt/format.h>

#include "lang/syntax/build.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang::build {

void let(Frame& f) {
    LetStmt node;
    node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push_statement(std::move(node));
}

void where_binding(Frame& f) {
    WhereBinding node;
    node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push(std::move(node));
}

void fn(Frame& f) {
    FnStmt node;
    node.name = f.take<Word>();
    node.params = f.take_all<Word>();
    node.body = f.take<ExprPtr>();
    node.where = f.take_all<WhereBinding>();
    f.push_statement(std::move(node));
}

void set_statement(Frame& f) {
    SetStmt node;
    node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push_statement(std::move(node));
}

void import(Frame& f) {
    ImportStmt node;
    auto path = f.take<Word>();
    node.path = std::move(path.text);
    node.path_span = path.span;
    if (f.is<Word>()) node.as = f.take<Word>();
    f.push_statement(std::move(node));
}

void expect_error(Frame& f) {
    ExpectErrorStmt node;
    if (f.is<Word>()) node.text = f.take<Word>().text;
    node.statement = f.take<StatementPtr>();
    f.push_statement(std::move(node));
}

void expect(Frame& f) {
    ExpectStmt node;
    node.condition = f.take<ExprPtr>();
    node.within = f.take(ClauseKind::within);
    if (f.is<Word>()) node.from = f.take<Word>().text;
    f.push_statement(std::move(node));
}

void expression(Frame& f) { f.push_statement(ExprStmt{f.take<ExprPtr>()}); }

// --- net --------------------------------------------------------------------------------------------------------

void domain(Frame& f) { f.push(Domain{f.take_all<ExprPtr>()}); }

void row_key(Frame& f) {
    RowKey node;
    if (f.is<ExprPtr>()) {
        node.computed = f.take<ExprPtr>();
    } else {
        node.label = f.take<Word>();
        node.any = f.token().kind == Tok::name && node.label.text == "_";
    }
    f.push(std::move(node));
}

void row(Frame& f) {
    CptRow node;
    node.keys = f.take_all<RowKey>();
    node.is_else = node.keys.empty();
    node.value = f.take<ExprPtr>();
    node.span = f.span();
    f.push(std::move(node));
}

void cpt(Frame& f) { f.push(CptBlock{f.take_all<CptRow>()}); }

void node(Frame& f) {
    NetNodeDecl node;
    node.name = f.take<VariableRef>();
    if (f.is<Domain>()) node.domain = f.take<Domain>().labels;
    node.distributed = f.take(Mark::tilde);
    if (f.take(Mark::bar)) node.parents = f.take_all<VariableRef>();
    if (f.is<CptBlock>())
        node.table = f.take<CptBlock>();
    else
        node.table = f.take<ExprPtr>();
    node.span = f.span();
    node.doc = doc_before(f.builder().chunks.docs, node.span.begin);
    f.push(std::make_unique<NetItem>(std::move(node)));
}

namespace {

std::vector<NetItem> net_items(Frame& f) {
    std::vector<NetItem> items;
    while (f.is<std::unique_ptr<NetItem>>()) items.push_back(std::move(*f.take<std::unique_ptr<NetItem>>()));
    return items;
}

}  // namespace

void plate(Frame& f) {
    auto node = std::make_unique<Plate>();
    node->variable = f.take<Word>();
    node->range = f.take<ExprPtr>();
    node->items = net_items(f);
    node->span = f.span();
    f.push(std::make_unique<NetItem>(std::move(node)));
}

void net(Frame& f) {
    NetStmt node;
    node.name = f.take<Word>();
    node.params = f.take_all<Word>();
    node.items = net_items(f);
    f.push_statement(std::move(node));
}

// --- hypotheses -------------------------------------------------------------------------------------------------

void hypothesis(Frame& f) {
    HypothesisDecl node;
    node.label = f.take<Word>();
    auto first = f.take<ExprPtr>();
    if (f.done()) {
        node.outcome = std::move(first);
    } else {
        node.prior = std::move(first);
        node.outcome = f.take<ExprPtr>();
    }
    node.span = f.span();
    f.push(std::move(node));
}

void parameter(Frame& f) {
    ParameterDecl node;
    node.name = f.take<Word>();
    node.range = f.take<ExprPtr>();
    f.push(std::move(node));
}

void hypotheses(Frame& f) {
    HypothesesStmt node;
    node.name = f.take<Word>();
    node.parameters = f.take_all<ParameterDecl>();
    node.parametric = !node.parameters.empty();
    node.prior = f.take(ClauseKind::prior);
    node.outcome = f.take<Word>();
    if (f.take(Mark::bar)) node.inputs = f.take_all<Word>();
    if (node.parametric)
        node.outcome_value = f.take<ExprPtr>();
    else
        node.hypotheses = f.take_all<HypothesisDecl>();
    f.push_statement(std::move(node));
}

// --- mixture, hmm, grammar ----------------------------------------------------------------------------------------

void component(Frame& f) {
    MixtureComponent node;
    node.weight = f.take<ExprPtr>();
    node.distribution = f.take<ExprPtr>();
    node.span = f.span();
    f.push(std::move(node));
}

void mixture(Frame& f) {
    MixtureStmt node;
    node.name = f.take<Word>();
    node.components = f.take_all<MixtureComponent>();
    f.push_statement(std::move(node));
}

void section(Frame& f) {
    Section node{.kind = f.token().kind, .body = std::vector<Word>{}, .span = f.span()};
    if (f.is<Entries>())
        node.body = f.take<Entries>().entries;
    else if (f.is<ExprPtr>())
        node.body = f.take<ExprPtr>();
    else
        node.body = f.take_all<Word>();
    f.push(std::move(node));
}

namespace {

/// A section's entries, or the news that it is a hole.
void fill(Frame& f, Section& section, std::vector<RecordEntry>& entries, bool& hole) {
    auto* given = std::get_if<std::vector<RecordEntry>>(&section.body);
    hole = hole || !given;
    if (!given) return;
    for (const auto& entry : *given)
        if (entry.computed)
            f.builder().report("E-SYNTAX", "a state in parentheses", entry.computed->span, "write the name of a state without parentheses");
    entries = std::move(*given);
}

}  // namespace

void hmm(Frame& f) {
    HmmStmt node;
    node.name = f.take<Word>();
    while (f.is<Section>()) {
        auto section = f.take<Section>();
        Span& place = section.kind == Tok::states  ? node.states_span
                      : section.kind == Tok::start ? node.start_span
                      : section.kind == Tok::move  ? node.move_span
                                                   : node.emit_span;
        if (place != Span{}) {
            f.builder().report("E-SYNTAX", "a section that was given before", section.span,
                               "states, start, move and emit may each occur only once");
            continue;
        }
        place = section.span;
        if (section.kind == Tok::states)
            node.states = std::get<std::vector<Word>>(std::move(section.body));
        else if (section.kind == Tok::start)
            node.start = std::get<ExprPtr>(std::move(section.body));
        else if (section.kind == Tok::move)
            fill(f, section, node.move, node.move_hole);
        else
            fill(f, section, node.emit, node.emit_hole);
    }
    f.push_statement(std::move(node));
}

void start_symbol(Frame& f) {
    std::vector<Word> words;
    words.push_back(f.take<Word>());
    f.push(Section{Tok::start, std::move(words), f.span()});
}

void symbol(Frame& f) {
    const bool terminal = f.token().kind == Tok::text;
    f.push(GrammarSymbol{word_of(f, f.token()), terminal});
}

void alternative(Frame& f) {
    GrammarRule node;
    node.right = f.take_all<GrammarSymbol>();
    if (!f.done()) node.probability = f.take<ExprPtr>();
    node.span = f.span();
    f.push(std::move(node));
}

void production(Frame& f) {
    GrammarProduction node;
    node.left = f.take<Word>();
    node.rules = f.take_all<GrammarRule>();
    f.push(std::move(node));
}

void grammar(Frame& f) {
    GrammarStmt node;
    node.name = f.take<Word>();
    while (!f.done()) {
        if (f.is<GrammarProduction>()) {
            node.productions.push_back(f.take<GrammarProduction>());
            continue;
        }
        auto start = f.take<Section>();
        if (node.start) f.builder().report("E-SYNTAX", "a start symbol was given before", start.span, "a grammar has one");
        node.start = std::get<std::vector<Word>>(std::move(start.body)).front();
    }
    f.push_statement(std::move(node));
}

// --- table --------------------------------------------------------------------------------------------------------

void cell(Frame& f) {
    if (f.is<ExprPtr>()) {
        auto computed = f.take<ExprPtr>();
        return f.push(TableCell{.computed = std::move(computed), .span = f.span()});
    }
    const auto kind = f.token().kind;
    auto word = word_of(f, f.token());
    if (kind == Tok::cell && word.text.find("->") != std::string::npos)
        f.builder().report("E-TABLE", "there is no space between an arrow and a cell", word.span, "put spaces around ->",
                           {"write a cell that contains an arrow in quotes"});
    f.push(
        TableCell{.missing = kind == Tok::cell_missing, .text = std::move(word.text), .quoted = kind == Tok::cell_text, .span = word.span});
}

void table_line(Frame& f) {
    TableLine line;
    line.span = f.span();
    line.cells = f.take_all<TableCell>();
    for (std::size_t i = 0; i < f.token_count(); ++i) {
        if (f.token(i).kind != Tok::cell_arrow) continue;
        const auto here = f.token(i).span.begin;
        line.arrow = static_cast<std::size_t>(
            std::count_if(line.cells.begin(), line.cells.end(), [&](const TableCell& cell) { return cell.span.begin < here; }));
        ++line.arrows;
    }
    f.push(std::move(line));
}

namespace {

void check_header(Builder& b, const TableLine& header) {
    for (const auto& cell : header.cells)
        if (cell.computed) b.report("E-TABLE", "the name of a column is not computed", cell.span, "a word, or a text in quotes");
    if (header.arrows > 1 || (header.arrows == 1 && header.arrow + 1 != header.cells.size()))
        b.report("E-TABLE", "-> comes only before the last column", header.span, "the column after -> is the target");
}

/// A row has the header's shape: as many cells, and the arrow in the same place.
void check_row(Builder& b, const TableLine& header, const TableLine& row) {
    const auto columns = header.cells.size();
    if (row.cells.size() != columns) {
        b.report("E-TABLE",
                 fmt::format("this row has {}, the header {}", rt::counted(row.cells.size(), "cell"), rt::counted(columns, "column")),
                 row.span, fmt::format("{} expected", rt::counted(columns, "cell")),
                 {row.cells.size() > columns ? "write a cell that contains spaces in quotes" : "write a missing value as ?"});
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
        if (f.is<KindDecl>())
            node.items.emplace_back(f.take<KindDecl>());
        else
            node.items.emplace_back(f.take<InfluenceChain>());
    }
    f.push(std::move(node));
}

void graph(Frame& f) { f.push_expr(GraphLit{f.take<GraphBody>()}); }

void case_section(Frame& f) {
    if (f.is<RecordEntry>()) return f.push(CaseSection{f.take<RecordEntry>(), f.span()});
    if (f.is<GraphBody>()) return f.push(CaseSection{f.take<GraphBody>(), f.span()});
    f.push(CaseSection{f.take<Word>().text, f.span()});
}

void case_(Frame& f) {
    auto node = std::make_unique<CaseDecl>();
    node->label = f.take<Word>();
    node->span = f.span();
    while (!f.done()) {
        auto section = f.take<CaseSection>();
        const bool twice = (std::holds_alternative<std::string>(section.node) && node->structure) ||
                           (std::holds_alternative<GraphBody>(section.node) && node->function);
        if (twice)
            f.builder().report("E-SYNTAX", "a section that was given before", section.span, "a case has one structure and one function");
        if (auto* text = std::get_if<std::string>(&section.node))
            node->structure = std::move(*text);
        else if (auto* graph = std::get_if<GraphBody>(&section.node))
            node->function = std::move(*graph);
        else
            node->attributes.push_back(std::get<RecordEntry>(std::move(section.node)));
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
