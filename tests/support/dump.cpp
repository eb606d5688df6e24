#include "tests/support/dump.hpp"

#include <fmt/format.h>

#include "lang/syntax/operators.hpp"

namespace credence::lang {

namespace {

template <class... Fs>
struct overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

/// Words and texts in quotes, so that no two trees look the same.
std::string quote(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out += '\'';
}

std::string_view head_name(QueryHead head) {
    switch (head) {
        case QueryHead::P:
            return "P";
        case QueryHead::E:
            return "E";
        case QueryHead::H:
            return "H";
        case QueryHead::I:
            return "I";
        case QueryHead::L:
            return "L";
    }
    return "";
}

std::string_view event_name(EventOp op) {
    switch (op) {
        case EventOp::equal:
            return "=";
        case EventOp::not_equal:
            return "!=";
        case EventOp::less:
            return "<";
        case EventOp::less_equal:
            return "<=";
        case EventOp::greater:
            return ">";
        case EventOp::greater_equal:
            return ">=";
        case EventOp::in:
            return "in";
        case EventOp::distributed:
            return "~";
        case EventOp::likelihood:
            return "likelihood";
    }
    return "";
}

std::string_view unary_name(UnaryOp op) {
    switch (op) {
        case UnaryOp::negate:
            return "-";
        case UnaryOp::not_:
            return "not";
        case UnaryOp::argmax:
            return "argmax";
        case UnaryOp::argmin:
            return "argmin";
    }
    return "";
}

class Dumper {
public:
    std::string out;

    void statement(const Statement& s) {
        open("");
        if (!s.doc.empty()) form("doc", s.doc);
        std::visit([&](const auto& node) { put(node); }, s.node);
        close();
    }

private:
    // --- pieces: an atom or a form, with one blank between ------------------------------------------------------------

    void blank() {
        if (!out.empty() && out.back() != '(' && out.back() != '\n') out += ' ';
    }
    void open(std::string_view head) {
        blank();
        out += '(';
        out += head;
    }
    void close() { out += ')'; }
    void atom(std::string_view text) {
        blank();
        out += text;
    }
    template <class... Parts>
    void form(std::string_view head, const Parts&... parts) {
        open(head);
        (put(parts), ...);
        close();
    }
    /// A part that may be missing.
    template <class Part>
    void maybe(std::string_view head, const Part& part) {
        if (part) form(head, *part);
    }

    void put(const std::string& text) { atom(quote(text)); }
    void put(const Word& word) { atom(quote(word.text)); }
    void put(bool value) { atom(value ? "true" : "false"); }
    template <class T>
    void put(const std::vector<T>& parts) {
        open("");
        for (const auto& part : parts) put(part);
        close();
    }
    void put(const ExprPtr& e) {
        if (!e) return atom("none");
        put(*e);
    }
    void put(const Expr& e) {
        if (e.parenthesised) open("paren");
        std::visit([&](const auto& node) { put(node); }, e.node);
        if (e.parenthesised) close();
    }

    // --- expressions ----------------------------------------------------------------------------------------------

    void put(const NumberLit& n) { atom(n.value.text()); }
    void put(const BoolLit& b) { atom(b.value ? "true" : "false"); }
    void put(const SignLit& s) { form("sign", std::string(1, s.sign)); }
    void put(const NameExpr& n) { form(n.quoted ? "quoted" : "name", n.name); }
    void put(const HoleLit&) { atom("?"); }
    void put(const TextLit& t) {
        open("text");
        for (const auto& part : t.parts) std::visit([&](const auto& p) { put(p); }, part);
        close();
    }
    void put(const ListLit& l) { form("list", l.items); }
    void put(const Comprehension& c) { form("comprehension", c.body, c.variable, c.source, c.condition); }
    void put(const RecordEntry& e) { e.computed ? form("entry", e.computed, e.value) : form("entry", e.key, e.value); }
    void put(const RecordLit& r) { form("record", r.entries); }
    void put(const SetLit& s) { form("set", s.items); }
    void put(const InstanceElement& e) {
        std::visit(
            overloaded{[&](const AnyValue&) { atom("any"); }, [&](const NoValue&) { atom("nothing"); }, [&](const ExprPtr& p) { put(p); }},
            e.value);
    }
    void put(const InstanceLit& i) { form("instance", i.elements); }
    void put(const Unary& u) { form(unary_name(u.op), u.operand); }
    void put(const Binary& b) { form(spelling_of(b.op), b.left, b.right); }
    void put(const Range& r) { form("range", r.from, r.to, r.step); }
    void put(const If& i) { form("if", i.condition, i.then_, i.else_); }
    void put(const Lambda& l) { form("lambda", l.params, l.body); }
    void put(const Argument& a) {
        if (a.index)
            form("named", *a.name, a.index, a.value);
        else if (a.name)
            form("named", *a.name, a.value);
        else
            put(a.value);
    }
    void put(const Call& c) { form("call", c.callee, c.arguments); }
    void put(const Index& i) { form("index", i.base, i.indices); }
    void put(const Member& m) { form("member", m.base, m.name); }
    void put(const Pipe& p) { form("pipe", p.left, p.right); }
    void put(const Explain& e) { form("explain", e.operand); }
    void put(const Train& t) { form("train", t.learner, t.data, t.by); }
    void put(const Sample& s) { form("sample", s.count, s.source, s.by); }

    // --- queries --------------------------------------------------------------------------------------------------

    void put(const VariableRef& v) {
        if (v.index)
            form("variable", v.name, v.index);
        else
            form("variable", v.name);
    }
    void put(const EventPtr& e) {
        std::visit(
            overloaded{[&](const EventAtom& a) { form(event_name(a.op), a.variable, a.value); },
                       [&](const EventName& n) { put(n.variable); },
                       [&](const EventCompare& c) { form(event_name(c.op), c.left, c.right); },
                       [&](const EventQuantity& q) { form("quantity", q.quantity); }, [&](const EventNot& n) { form("not", n.operand); },
                       [&](const EventAnd& a) { form("and", a.parts); }, [&](const EventOr& o) { form("or", o.parts); }},
            e->node);
    }
    void put(const QueryItem& i) {
        std::visit(overloaded{[&](const StarItem&) { atom("*"); }, [&](const DoItem& d) { form("do", d.events); },
                              [&](const EventItem& e) { form(e.next ? "next" : "item", e.event); }},
                   i.node);
    }
    void put(const QueryExpr& q) {
        open(head_name(q.head));
        if (q.expectation)
            put(q.expectation);
        else
            put(q.targets);
        if (!q.second.empty()) form("second", q.second);
        if (!q.given.empty()) form("given", q.given);
        maybe("in", q.model);
        maybe("by", q.engine);
        close();
    }

    // --- graphs ---------------------------------------------------------------------------------------------------

    void put(const GraphBody& g) {
        open("graph");
        for (const auto& item : g.items)
            std::visit(
                overloaded{[&](const KindDecl& k) { form("kind", k.quantities, k.kind); },
                           [&](const InfluenceChain& c) { form("chain", c.quantities, std::string(c.signs.begin(), c.signs.end())); }},
                item);
        close();
    }
    void put(const GraphLit& g) { put(g.body); }

    // --- statements -------------------------------------------------------------------------------------------------

    void put(const LetStmt& s) { form("let", s.name, s.value); }
    void put(const WhereBinding& b) { form("where", b.name, b.value); }
    void put(const FnStmt& s) { form("fn", s.name, s.params, s.body, s.where); }
    void put(const SetStmt& s) { form("set", s.name, s.value); }
    void put(const ImportStmt& s) {
        open("import");
        put(s.path);
        maybe("as", s.as);
        close();
    }
    void put(const StatementPtr& s) { statement(*s); }
    void put(const ExpectErrorStmt& s) {
        open("expect_error");
        maybe("text", s.text);
        put(s.statement);
        close();
    }
    void put(const ExpectStmt& s) {
        open("expect");
        put(s.condition);
        maybe("within", s.within);
        maybe("from", s.from);
        close();
    }
    void put(const ExprStmt& s) { form("show", s.value); }

    // --- declarations -----------------------------------------------------------------------------------------------

    void put(const RowKey& k) {
        if (k.any)
            atom("_");
        else if (k.computed)
            form("computed", k.computed);
        else
            put(k.label);
    }
    void put(const CptRow& r) {
        if (r.is_else)
            form("else", r.value);
        else
            form("row", r.keys, r.value);
    }
    void put(const CptBlock& b) { form("cpt", b.rows); }
    void put(const NetNodeDecl& n) {
        open("node");
        if (!n.doc.empty()) form("doc", n.doc);
        put(n.name);
        if (n.domain) form("domain", *n.domain);
        if (!n.parents.empty()) form("parents", n.parents);
        if (n.distributed) atom("~");
        std::visit([&](const auto& table) { put(table); }, n.table);
        close();
    }
    void put(const NetItem& i) {
        std::visit(overloaded{[&](const NetNodeDecl& n) { put(n); },
                              [&](const std::unique_ptr<Plate>& p) { form("plate", p->variable, p->range, p->items); }},
                   i);
    }
    void put(const NetStmt& s) {
        if (s.params.empty())
            form("net", s.name, s.items);
        else
            form("net", s.name, s.params, s.items);
    }

    void put(const HypothesisDecl& h) { form("hypothesis", h.label, h.prior, h.outcome); }
    void put(const ParameterDecl& p) { form("parameter", p.name, p.range); }
    void put(const HypothesesStmt& s) {
        if (s.parametric)
            form("parametric", s.name, s.parameters, s.prior, s.outcome, s.inputs, s.outcome_value);
        else if (!s.inputs.empty())
            form("hypotheses", s.name, s.outcome, s.inputs, s.hypotheses);
        else
            form("hypotheses", s.name, s.outcome, s.hypotheses);
    }
    void put(const MixtureComponent& c) { form("component", c.weight, c.distribution); }
    void put(const MixtureStmt& s) { form("mixture", s.name, s.components); }
    void put(const HmmStmt& s) {
        open("hmm");
        put(s.name);
        form("states", s.states);
        form("start", s.start);
        if (s.move_hole)
            form("move", std::string("?"));
        else
            form("move", s.move);
        if (s.emit_hole)
            form("emit", std::string("?"));
        else
            form("emit", s.emit);
        close();
    }
    void put(const GrammarSymbol& s) { form(s.terminal ? "terminal" : "symbol", s.word); }
    void put(const GrammarRule& r) { form("rule", r.right, r.probability); }
    void put(const GrammarProduction& p) { form("production", p.left, p.rules); }
    void put(const GrammarStmt& s) {
        open("grammar");
        put(s.name);
        maybe("start", s.start);
        put(s.productions);
        close();
    }
    void put(const TableCell& c) {
        if (c.missing)
            atom("?");
        else if (c.quoted)
            form("quoted", c.text);
        else
            put(c.text);
    }
    void put(const TableRow& r) { put(r.cells); }
    void put(const TableStmt& s) { form("table", s.name, s.columns, s.has_target, s.rows); }
    void put(const CaseDecl& c) {
        open("case");
        put(c.label);
        maybe("structure", c.structure);
        maybe("function", c.function);
        put(c.attributes);
        close();
    }
    void put(const CasesStmt& s) { form("cases", s.name, s.cases); }

    /// Any other declaration: the parts that it names.
    template <DeclaredByParts S>
    void put(const S& s) {
        open("declared");
        put(s.name);
        S::parts(s, Parts{*this});
        close();
    }
    struct Parts {
        Dumper& to;
        void variable(std::string_view name) const { to.put(std::string(name)); }
        void label(const Word& word) const { to.put(word); }
        void number(const ExprPtr& e) const { to.put(e); }
        void distribution(const ExprPtr& e) const { to.put(e); }
        void outcome(const ExprPtr& e) const { to.put(e); }
        void graph(const GraphBody& g) const { to.put(g); }
    };
};

}  // namespace

std::string dump(const Program& program) {
    Dumper dumper;
    for (const auto& statement : program.statements) {
        dumper.statement(*statement);
        dumper.out += '\n';
    }
    return std::move(dumper.out);
}

}  // namespace credence::lang
