// Declarations of hidden Markov models and grammars.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/eval/evaluator.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/declared/grammar.hpp"
#include "runtime/prob/declared/hmm.hpp"

namespace credence::lang {

namespace {

bool is_mark(const Expr& expr) { return std::holds_alternative<HoleLit>(expr.node); }

/// `?`, or a record that names the labels and nothing of their shares: { a: ?, b: ? }.
bool is_hole(const Expr& expr) {
    const auto* record = std::get_if<RecordLit>(&expr.node);
    return is_mark(expr) || (record && !record->entries.empty() &&
                             std::all_of(record->entries.begin(), record->entries.end(), [](const auto& e) { return is_mark(*e.value); }));
}

std::vector<std::string> texts_of(const rt::Domain& domain) {
    std::vector<std::string> out;
    for (const auto& label : domain.labels()) out.push_back(label.text());
    return out;
}

/// `normal(?, 1)`: a density that is learned has no value yet.
bool has_holes(const Expr& expr) {
    const auto* call = std::get_if<Call>(&expr.node);
    return call && std::any_of(call->arguments.begin(), call->arguments.end(), [](const Argument& a) { return is_hole(*a.value); });
}

}  // namespace

/// The symbols that the emissions name, in their order: keys of records, labels that are certain. Nothing if one is a density.
Result<rt::DomainPtr> Evaluator::emitted_symbols(const HmmStmt& hmm, Frame& frame) {
    std::vector<rt::Label> labels;
    const auto add = [&](const rt::Label& label) {
        if (!rt::contains(labels, label)) labels.push_back(label);
    };
    for (const auto& entry : hmm.emit) {
        if (is_hole(*entry.value)) continue;
        if (has_holes(*entry.value)) return rt::DomainPtr();
        const auto* written = std::get_if<RecordLit>(&entry.value->node);
        if (written &&
            std::none_of(written->entries.begin(), written->entries.end(), [](const RecordEntry& e) { return e.computed != nullptr; })) {
            for (const auto& one : written->entries) add(rt::Label::of_text(one.key.text));
            continue;
        }
        auto value = TRY(eval(*entry.value, frame));
        const auto* d = value.get<rt::DistributionPtr>();
        if (const auto* record = value.get<RecordPtr>())
            for (const auto& [key, share] : (*record)->entries) add(rt::Label::of_text(key));
        else if (const auto label = value.as_label())
            add(*label);
        else if (d && (*d)->support() == rt::Support::labels)
            for (const auto& one : (*d)->finite_values()->labels()) add(one);
        else
            return rt::DomainPtr();
    }
    return labels.empty() ? rt::DomainPtr() : rt::make_domain(std::move(labels));
}

Result<std::vector<rt::Number>> Evaluator::shares_over(const Expr& expr, const rt::Domain& domain, std::string_view what, Frame& frame) {
    if (const auto* written = std::get_if<RecordLit>(&expr.node))
        for (const auto& entry : written->entries)
            if (is_mark(*entry.value))
                return fault("E-HOLE", "a row must be known or unknown as a whole", entry.value->span, "one part cannot be a hole",
                             "write ? in place of the whole row");
    auto value = TRY(eval(expr, frame));
    std::vector<rt::Number> out(domain.size());
    const auto* record = value.get<RecordPtr>();
    if (const auto label = value.as_label(); !record && label) {  // a label alone is certain
        const auto found = domain.find(*label);
        if (!found) return at(no_such_label(what, texts_of(domain), label->text()), expr.span);
        out[*found] = rt::Number(1);
        return out;
    }
    if (const auto* d = value.get<rt::DistributionPtr>(); d && (*d)->support() == rt::Support::labels) {
        for (std::size_t i = 0; i < domain.size(); ++i) {
            auto p = (*d)->pdf(domain[i]);
            if (!p) return at(std::move(p).fault(), expr.span);
            out[i] = *std::move(p);
        }
        return out;
    }
    if (!record) return fault("E-TYPE", fmt::format("{} is a record of probabilities, not {}", what, value.kind()), expr.span);
    rt::Number total = 0;
    for (const auto& [key, entry] : (*record)->entries) {
        const auto found = domain.find(rt::Label::of_text(key));
        if (!found) return at(no_such_label(what, texts_of(domain), key), expr.span);
        const auto* p = entry.get<rt::Number>();
        if (!p) return fault("E-TYPE", fmt::format("{} of {} is a probability, not {}", key, what, entry.kind()), expr.span);
        if (p->sign() < 0) return fault("E-NEGATIVE", fmt::format("{} of {} is {}, below 0", key, what, show_number(*p, show_)), expr.span);
        out[*found] = *p;
        total += *p;
    }
    if (!rt::sums_to_one(total))
        return fault("E-SUM", fmt::format("the probabilities of {} do not sum to 1", what), expr.span,
                     fmt::format("their sum is {}", show_number(total, show_)));
    return out;
}

Result<rt::HmmEmission> Evaluator::emission(const Expr& expr, const HmmStmt& hmm, const rt::Domain& symbols, Frame& frame) {
    rt::HmmEmission out;
    if (is_hole(expr)) {
        out.hole = true;
        return out;
    }
    if (symbols.size() > 0) {
        out.shares = TRY(shares_over(expr, symbols, "an emission of " + hmm.name.text, frame));
        return out;
    }
    if (has_holes(expr)) {
        out.density = TRY(part_with_holes(std::get<Call>(expr.node), expr.span, frame));
        if (out.density.shares_hole || out.density.family->support == rt::Support::labels)
            return fault("E-HOLE", "the probabilities of labels are learned as a row", expr.span, {},
                         "write ? in place of it, or { true: ?, false: ? }");
        return out;
    }
    auto value = TRY(eval(expr, frame));
    const auto* d = value.get<rt::DistributionPtr>();
    if (!d || (*d)->support() == rt::Support::labels || (*d)->support() == rt::Support::vectors)
        return fault("E-TYPE", fmt::format("an emission is a record over symbols, or a distribution over numbers, not {}", value.kind()),
                     expr.span, {}, "either all states emit symbols, or all emit numbers");
    out.density.given = *d;
    return out;
}

Result<Value> Evaluator::declare_model(const HmmStmt& statement) {
    rt::Hmm hmm;
    hmm.name = statement.name.text;
    Frame frame;
    std::vector<rt::Label> states;
    for (const auto& s : statement.states) {
        const auto label = rt::Label::of_text(s.text);
        if (rt::contains(states, label)) return fault("E-DUPLICATE", fmt::format("{} has two states named {}", hmm.name, s.text), s.span);
        states.push_back(label);
    }
    if (states.empty()) return fault("E-EMPTY", fmt::format("{} has no states", hmm.name), statement.name.span, {}, "states { a, b }");
    hmm.states = rt::make_domain(std::move(states));
    if (!statement.start) {  // left out: all states equally likely
        hmm.start.assign(hmm.states->size(), rt::Number(rt::Rational(1, static_cast<std::int64_t>(hmm.states->size()))));
    } else if (!is_hole(*statement.start)) {
        hmm.start = TRY(shares_over(*statement.start, *hmm.states, "the start of " + hmm.name, frame));
    }
    hmm.move.resize(hmm.states->size());
    hmm.emit.resize(hmm.states->size());
    hmm.symbols = TRY(emitted_symbols(statement, frame));
    const rt::Domain none({});
    std::vector<char> moved(hmm.states->size(), statement.move_hole ? 1 : 0);
    std::vector<char> emitted(hmm.states->size(), statement.emit_hole ? 1 : 0);
    for (const auto& entry : statement.move) {
        const std::size_t i = *hmm.states->find(rt::Label::of_text(entry.key.text));
        if (moved[i]) return fault("E-DUPLICATE", fmt::format("there are two rows for the moves from {}", entry.key.text), entry.key.span);
        moved[i] = 1;
        if (is_hole(*entry.value)) continue;
        hmm.move[i] = TRY(shares_over(*entry.value, *hmm.states, fmt::format("the moves from {}", entry.key.text), frame));
    }
    for (const auto& entry : statement.emit) {
        const std::size_t i = *hmm.states->find(rt::Label::of_text(entry.key.text));
        if (emitted[i]) return fault("E-DUPLICATE", fmt::format("there are two rows for what {} emits", entry.key.text), entry.key.span);
        emitted[i] = 1;
        hmm.emit[i] = TRY(emission(*entry.value, statement, hmm.symbols ? *hmm.symbols : none, frame));
    }
    if (statement.emit_hole)
        for (auto& e : hmm.emit) e.hole = true;
    for (std::size_t i = 0; i < hmm.states->size(); ++i) {
        if (!moved[i])
            return fault("E-ROW", fmt::format("{} has no row for the moves from {}", hmm.name, (*hmm.states)[i].text()),
                         statement.name.span, {}, fmt::format("add it to move: {}: {{ … }}, or ? to learn it", (*hmm.states)[i].text()));
        if (!emitted[i])
            return fault("E-ROW", fmt::format("{} has no row for what {} emits", hmm.name, (*hmm.states)[i].text()), statement.name.span,
                         {}, fmt::format("add it to emit: {}: {{ … }}, or ? to learn it", (*hmm.states)[i].text()));
    }
    return Value(Value::Node(ModelValue{rt::make_hmm_model(std::move(hmm)), statement.name.text}));
}

Result<Value> Evaluator::declare_model(const GrammarStmt& statement) {
    rt::Grammar grammar;
    grammar.name = statement.name.text;
    Frame frame;
    const auto index_in = [](std::vector<std::string>& names, const std::string& name) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        names.push_back(name);
        return names.size() - 1;
    };
    for (const auto& production : statement.productions) index_in(grammar.nonterminals, production.left.text);
    if (grammar.nonterminals.empty()) return fault("E-EMPTY", fmt::format("{} has no rules", grammar.name), statement.name.span);
    std::vector<rt::Number> given(grammar.nonterminals.size(), rt::Number(0));
    std::vector<std::size_t> left_out(grammar.nonterminals.size(), 0);
    std::vector<char> holes(grammar.nonterminals.size(), 0);
    std::vector<char> plain;  // by rule: no probability was written
    for (const auto& production : statement.productions) {
        const std::size_t left = index_in(grammar.nonterminals, production.left.text);
        for (const auto& written : production.rules) {
            rt::Grammar::Rule rule{left, {}, std::nullopt};
            for (const auto& symbol : written.right)
                rule.right.push_back({symbol.terminal, index_in(symbol.terminal ? grammar.words : grammar.nonterminals, symbol.word.text)});
            if (rule.right.empty()) return fault("E-SYNTAX", "a rule needs something on its right side", written.span);
            plain.push_back(!written.probability);
            if (!written.probability) {
                ++left_out[left];
            } else if (is_hole(*written.probability)) {
                holes[left] = 1;
            } else {
                auto p = TRY(number(*written.probability, frame));
                if (p.sign() < 0)
                    return fault("E-NEGATIVE", fmt::format("the probability of a rule is {}, below 0", show_number(p, show_)),
                                 written.probability->span);
                given[left] += p;
                rule.probability = std::move(p);
            }
            grammar.rules.push_back(std::move(rule));
        }
    }
    for (std::size_t left = 0; left < given.size(); ++left) {
        const bool open = holes[left] || left_out[left] > 0;
        const bool fine = open ? given[left] <= rt::Number(1) : rt::sums_to_one(given[left]);
        if (!fine)
            return fault("E-SUM", fmt::format("the rules of {} do not sum to 1", grammar.nonterminals[left]), statement.name.span,
                         fmt::format("their sum is {}", show_number(given[left], show_)));
    }
    // Rules without a number share what is left, unless some are to be learned: then those are learned too.
    for (std::size_t r = 0; r < grammar.rules.size(); ++r) {
        const std::size_t left = grammar.rules[r].left;
        if (plain[r] && !holes[left])
            grammar.rules[r].probability =
                (rt::Number(1) - given[left]) / rt::Number(rt::Rational(static_cast<std::int64_t>(left_out[left])));
    }
    if (statement.start) {
        const auto found = std::find(grammar.nonterminals.begin(), grammar.nonterminals.end(), statement.start->text);
        if (found == grammar.nonterminals.end())
            return fault("E-NAME", fmt::format("the grammar has no rule for '{}'", statement.start->text), statement.start->span);
        grammar.start = static_cast<std::size_t>(found - grammar.nonterminals.begin());
    }
    return Value(Value::Node(ModelValue{rt::make_grammar_model(std::move(grammar)), statement.name.text}));
}

}  // namespace credence::lang
