// Declarations of models: net, hypotheses, mixture, hmm, grammar.

#include "lang/syntax/build.hpp"

namespace credence::lang::build {

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
    if (f.is<CptBlock>()) node.table = f.take<CptBlock>();
    else node.table = f.take<ExprPtr>();
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
    if (node.parametric) node.outcome_value = f.take<ExprPtr>();
    else node.hypotheses = f.take_all<HypothesisDecl>();
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
    if (f.is<Entries>()) node.body = f.take<Entries>().entries;
    else if (f.is<ExprPtr>()) node.body = f.take<ExprPtr>();
    else node.body = f.take_all<Word>();
    f.push(std::move(node));
}

namespace {

/// A section's entries, or the news that it is a hole.
void fill(Section& section, std::vector<RecordEntry>& entries, bool& hole) {
    if (auto* given = std::get_if<std::vector<RecordEntry>>(&section.body)) entries = std::move(*given);
    else hole = true;
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
            f.builder().report("E-SYNTAX", "a section that was given before", section.span, "each of states, start, move, emit stands once");
            continue;
        }
        place = section.span;
        if (section.kind == Tok::states) node.states = std::get<std::vector<Word>>(std::move(section.body));
        else if (section.kind == Tok::start) node.start = std::get<ExprPtr>(std::move(section.body));
        else if (section.kind == Tok::move) fill(section, node.move, node.move_hole);
        else fill(section, node.emit, node.emit_hole);
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

}  // namespace credence::lang::build
