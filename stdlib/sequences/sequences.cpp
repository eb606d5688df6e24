// Hidden Markov models and grammars: what is asked of them by functions.

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/latent/hmm.hpp"
#include "runtime/latent/hmm_explain.hpp"
#include "runtime/latent/pcfg.hpp"
#include "runtime/latent/pcfg_explain.hpp"
#include "stdlib/latent/latent.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/sequences/data_probability.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "sequences";

Fault untrained(const std::string& name, rt::Origin origin) {
    return {.code = "E-HOLE",
            .message = fmt::format("{} has unknown numbers (?): train it first", name),
            .origin = origin,
            .hint = fmt::format("train {} on observations", name)};
}

Result<const rt::Hmm*> hmm_of(CallContext& c, const ModelValue& m) {
    const auto* model = dynamic_cast<const rt::HmmModel*>(m.model.get());
    if (!model)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a hidden Markov model is needed here, not a {}", m.model->kind()),
                     .origin = c.argument(0)};
    if (model->hmm().has_holes()) return untrained(model->hmm().name, c.argument(0));
    return &model->hmm();
}

Result<const rt::Grammar*> grammar_of(CallContext& c, const ModelValue& m) {
    const auto* model = dynamic_cast<const rt::GrammarModel*>(m.model.get());
    if (!model)
        return Fault{
            .code = "E-TYPE", .message = fmt::format("a grammar is needed here, not a {}", m.model->kind()), .origin = c.argument(0)};
    if (model->grammar().has_holes()) return untrained(model->grammar().name, c.argument(0));
    return &model->grammar();
}

/// The observation in a row of a table: as in training, in the one column beside `state` and `sequence`.
Result<Value> observation_in(CallContext& c, const Record& row) {
    const Value* out = nullptr;
    std::vector<std::string> names;
    for (const auto& [name, value] : row.entries) {
        if (row.entries.size() > 1 && (name == "state" || name == "sequence")) continue;
        out = &value;
        names.push_back(name);
    }
    if (names.size() == 1) return *out;
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("observations are one column of a table, and this one has {}", rt::joined(names, ", ")),
                 .origin = c.argument(1),
                 .hint = names.empty() ? "" : fmt::format("take one column, as in t.{}", names.back())};
}

rt::Status one_sequence(CallContext& c, const Items& items) {
    std::optional<rt::Label> first;
    for (const auto& item : *items.items) {
        const auto* row = item.get<RecordPtr>();
        const Value* number = row ? (*row)->find("sequence") : nullptr;
        const auto label = number ? number->as_label() : std::nullopt;
        if (first && label && *label != *first)
            return Fault{.code = "E-TYPE",
                         .message = "the table has several sequences, and this takes one at a time",
                         .origin = c.argument(1),
                         .hint = fmt::format("where(t, r -> r.sequence == {})", first->text())};
        if (label) first = label;
    }
    return rt::Done{};
}

Result<rt::Sequence> observed(CallContext& c, const rt::Hmm& hmm, const Items& items) {
    rt::Sequence out;
    TRY(one_sequence(c, items));
    for (const auto& given : *items.items) {
        const auto* row = given.get<RecordPtr>();
        const Value item = row ? TRY(observation_in(c, **row)) : given;
        const bool missing = item.is<AnyMark>();
        const auto label = item.as_label();
        if (!missing && !label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("observations are labels or numbers, and this has {}", item.kind()),
                         .origin = c.argument(1)};
        if (hmm.symbols) {
            const auto code = missing ? std::optional<std::size_t>{} : hmm.symbols->find(*label);
            if (!missing && !code) {
                std::vector<std::string> known;
                for (const auto& s : hmm.symbols->labels()) known.push_back(s.text());
                return Fault{.code = "E-LABEL",
                             .message = fmt::format("{} does not emit '{}'", hmm.name, label->text()),
                             .origin = c.argument(1),
                             .label = fmt::format("it emits {}", rt::joined(known, ", "))};
            }
            out.codes.push_back(missing ? -1 : static_cast<std::int32_t>(*code));
            continue;
        }
        if (!missing && !label->number())
            return Fault{
                .code = "E-TYPE", .message = fmt::format("{} emits numbers, not '{}'", hmm.name, label->text()), .origin = c.argument(1)};
        out.values.push_back(missing ? std::nan("") : label->number()->real());
    }
    return out;
}

/// The arguments of all functions on sequences: the model and what was observed.
struct Observed {
    const rt::Hmm* hmm = nullptr;
    rt::Sequence sequence;
};
Result<Observed> take(CallContext& c, const ModelValue& m, const Items& items) {
    auto hmm = TRY(hmm_of(c, m));
    auto sequence = TRY(observed(c, *hmm, items));
    return Observed{hmm, std::move(sequence)};
}

Value state_factor(const rt::Hmm& hmm, std::span<const rt::Number> shares) {
    return Value::factor(rt::Factor::of_numbers({rt::Variable{"state", hmm.states}}, shares));
}

Value factor_a_step(const rt::Hmm& hmm, const rt::HmmShares& shares) {
    List out;
    const rt::Variable state{"state", hmm.states};
    for (std::size_t t = 0; t < shares.steps(); ++t) out.push_back(Value::factor(shares.step(t, state)));
    return Value::list(std::move(out));
}

/// A probability known by its logarithm; too small for a double is an error, not 0.
Result<Value> from_log(double log, const char* hint) {
    const double p = std::exp(log);
    if (p == 0 && !std::isinf(log))
        return Fault{
            .code = "E-RANGE", .message = fmt::format("the probability is e^{:.6g}, too small for a real number", log), .hint = hint};
    return Value(rt::Number::real(p));
}

Result<rt::Sentence> sentence(CallContext& c, const rt::Grammar& g, const Items& items) {
    std::vector<std::string> words;
    for (const auto& item : *items.items) {
        const auto label = item.as_label();
        if (!label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("a sentence is a list of words, and this has {}", item.kind()),
                         .origin = c.argument(1)};
        words.push_back(label->text());
    }
    return rt::sentence_of(g, words);
}

Value tree_value(const rt::ParseTree& tree) {
    if (tree.word) return Value::text(tree.label);
    List out{Value::text(tree.label)};
    for (const auto& child : tree.children) out.push_back(tree_value(child));
    return Value::list(std::move(out));
}

Value parse_value(const rt::Parse& parse) {
    Record out;
    out.entries.emplace_back("tree", tree_value(parse.tree));
    out.entries.emplace_back("text", Value::text(rt::bracketed(parse.tree)));
    out.entries.emplace_back("probability", Value(parse.probability));
    return Value::record(std::move(out));
}

Result<std::vector<rt::Parse>> best_trees(CallContext& c, const ModelValue& m, const Items& words, std::size_t top) {
    auto g = TRY(grammar_of(c, m));
    auto s = TRY(sentence(c, *g, words));
    auto trees = TRY(rt::parses(*g, s, top, c.run()));
    if (trees.empty()) {
        std::string strange;
        for (std::size_t i = 0; i < s.size() && strange.empty(); ++i)
            if (s[i] < 0) strange = (*words.items)[i].as_label()->text();
        return Fault{.code = "E-ZERO",
                     .message = fmt::format("{} has no tree for this sentence", g->name),
                     .origin = c.argument(1),
                     .label = strange.empty() ? "" : fmt::format("no rule gives the word '{}'", strange)};
    }
    return trees;
}

Result<Value> likelihood(CallContext& c, const ModelValue& m, const Items& items, bool log) {
    rt::HmmLikelihood out;
    if (dynamic_cast<const rt::GrammarModel*>(m.model.get())) {
        auto g = TRY(grammar_of(c, m));
        auto s = TRY(sentence(c, *g, items));
        auto p = TRY(rt::inside(*g, s, c.run()));
        if (!log) return Value(p);
        return number_value(p.is_zero() ? -INFINITY : p.log());
    }
    if (!log)
        if (auto exact = exact_mixture_likelihood(c, m, items)) return Value(*std::move(exact));
    if (const auto mixed = mixture_log_likelihood(c, m, items)) {
        if (!*mixed) return mixed->fault();
        if (log) return number_value(**mixed);
        return from_log(**mixed, "ask for its logarithm: log_likelihood(model, observations)");
    }
    if (m.model->kind() != "hmm")
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("likelihood takes a hidden Markov model, a grammar or a mixture, not a {}", m.model->kind()),
                     .origin = c.argument(0),
                     .hint = "log_likelihood(model, data) takes any model, P(data) in model too"};
    auto given = TRY(take(c, m, items));
    auto p = TRY(rt::hmm_likelihood(*given.hmm, given.sequence, c.run()));
    if (log) return number_value(p.log);
    if (p.exact) return Value(rt::Number(*p.exact));
    return from_log(p.log, "ask for its logarithm: log_likelihood(model, observations)");
}

/// Those that take a list by functions of their own. Tables, and counts of a mixture, are data as in every model.
bool has_own_likelihood(const rt::Model& model, const Value& data) {
    const auto kind = model.kind();
    if (kind == "gaussian_mixture") return true;
    const bool counts = data.is<RecordPtr>() && kind == "mixture";
    return (kind == "hmm" || kind == "grammar" || kind == "mixture") && !counts && !data.is<rt::TablePtr>();
}

Result<Value> log_likelihood(CallContext& c, const ModelValue& m, const Value& data) {
    if (has_own_likelihood(*m.model, data)) {
        const auto items = TRY(Take<Items>::from(data, {.name = "observations"}));
        return likelihood(c, m, items, true);
    }
    const double log = TRY(log_probability_of_data(c, m, data, 1));
    return number_value(log);
}

using SentenceExplanation = Result<rt::Derivation> (*)(const rt::Grammar&, const rt::Sentence&, const std::string&, rt::Run&);

Result<rt::Derivation> tell_sentence(CallContext& c, const ModelValue& m, const Items& items, SentenceExplanation tell,
                                     const std::string& function) {
    auto g = TRY(grammar_of(c, m));
    auto s = TRY(sentence(c, *g, items));
    std::string words;
    for (const auto& item : *items.items) words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", item.as_label()->text());
    return tell(*g, s, fmt::format("{}({}, [{}])", function, show_name(m.name), words), c.run());
}

/// A function of a grammar and a sentence that can also be explained.
void add_told(Registry& r, Builtin builtin, SentenceExplanation tell) {
    builtin.explain = [tell, name = builtin.name](CallContext& c, Arguments arguments) -> Result<rt::Derivation> {
        auto items = TRY(Take<Items>::from(*arguments[1], {}));
        return tell_sentence(c, *arguments[0]->get<ModelValue>(), items, tell, name);
    };
    r.add(std::move(builtin));
}

using HmmExplanation = Result<rt::Derivation> (*)(CallContext&, const ModelValue&, const Observed&);

/// A function of a model and observations that can also be explained.
void add_told(Registry& r, Builtin builtin, HmmExplanation tell) {
    builtin.explain = [tell](CallContext& c, Arguments arguments) -> Result<rt::Derivation> {
        const auto& m = *arguments[0]->get<ModelValue>();
        auto items = TRY(Take<Items>::from(*arguments[1], {}));
        if (dynamic_cast<const rt::GrammarModel*>(m.model.get())) return tell_sentence(c, m, items, rt::explain_inside, "likelihood");
        auto given = TRY(take(c, m, items));
        return tell(c, m, given);
    };
    r.add(std::move(builtin));
}

void add_states_in_time(Registry& r) {
    add_told(
        r,
        bind(
            {subject,
             "filter",
             {{"model"}, {"observations"}},
             "The distribution of the state of a hidden Markov model at each step, given the observations up to that step. The result is a "
             "list with one factor for each step. `?` is a step without an observation.",
             "filter(Umbrella, [up, up])[1][rain] == 9/11"},
            +[](CallContext& c, ModelValue m, Items items) -> Result<Value> {
                auto given = TRY(take(c, m, items));
                auto shares = TRY(rt::hmm_filter(*given.hmm, given.sequence, c.run()));
                return factor_a_step(*given.hmm, shares);
            }),
        +[](CallContext& c, const ModelValue& m, const Observed& o) {
            return rt::explain_hmm_filter(*o.hmm, m.name, o.sequence, c.run());
        });
    add_told(
        r,
        bind(
            {subject,
             "smooth",
             {{"model"}, {"observations"}},
             "The distribution of the state of a hidden Markov model at each step, given all observations. The result is a list with one "
             "factor for each step.",
             "smooth(Umbrella, [up, up])[2] == filter(Umbrella, [up, up])[2]"},
            +[](CallContext& c, ModelValue m, Items items) -> Result<Value> {
                auto given = TRY(take(c, m, items));
                auto shares = TRY(rt::hmm_smooth(*given.hmm, given.sequence, c.run()));
                return factor_a_step(*given.hmm, shares);
            }),
        +[](CallContext& c, const ModelValue& m, const Observed& o) {
            return rt::explain_hmm_smooth(*o.hmm, m.name, o.sequence, c.run());
        });
    r.add(bind(
        {subject,
         "ahead",
         {{"model"}, {"observations"}, {"steps", "1"}},
         "The distribution of the state of a hidden Markov model, `steps` steps after the last observation.",
         "ahead(Umbrella, [up])[rain] == 69/110"},
        +[](CallContext& c, ModelValue m, Items items, std::optional<Count> steps) -> Result<Value> {
            auto given = TRY(take(c, m, items));
            auto shares = TRY(rt::hmm_ahead(*given.hmm, given.sequence, steps ? steps->value : 1, c.run()));
            return state_factor(*given.hmm, shares);
        }));
}

void add_paths_and_likelihoods(Registry& r) {
    add_told(
        r,
        bind(
            {subject,
             "viterbi",
             {{"model"}, {"observations"}},
             "The most probable sequence of states of a hidden Markov model, and its joint probability with the observations.",
             "viterbi(Umbrella, [up, none]).path == [\"rain\", \"dry\"]"},
            +[](CallContext& c, ModelValue m, Items items) -> Result<Value> {
                auto given = TRY(take(c, m, items));
                auto best = TRY(rt::hmm_viterbi(*given.hmm, given.sequence, c.run()));
                List path;
                for (const auto s : best.states) path.push_back(Value::label((*given.hmm->states)[static_cast<std::size_t>(s)]));
                Record out;
                out.entries.emplace_back("path", Value::list(std::move(path)));
                out.entries.emplace_back("probability", best.exact ? Value(rt::Number(*best.exact)) : number_value(std::exp(best.log)));
                out.entries.emplace_back("log_probability", number_value(best.log));
                return Value::record(std::move(out));
            }),
        +[](CallContext& c, const ModelValue&, const Observed& o) { return rt::explain_hmm_viterbi(*o.hmm, o.sequence, c.run()); });
    add_told(
        r,
        bind(
            {subject,
             "likelihood",
             {{"model"}, {"observations"}},
             "The probability of the observations under a hidden Markov model, of a sentence under a grammar, or of independent draws "
             "under a mixture.",
             "likelihood(Umbrella, [up]) == 11/20"},
            +[](CallContext& c, ModelValue m, Items items) -> Result<Value> { return likelihood(c, m, items, false); }),
        +[](CallContext&, const ModelValue& m, const Observed& o) { return rt::explain_hmm_likelihood(*o.hmm, m.name, o.sequence); });
    r.add(bind(
        {subject,
         "log_likelihood",
         {{"model"}, {"observations"}},
         "The natural logarithm of the probability of a list, counts or a table under a model, averaged over its parameters. It works even "
         "if the probability itself is too small to represent. For a predictive model, it is that of the target given the other columns.",
         "abs(log_likelihood(Umbrella, [up]) - ln(11/20)) < 1e-12"},
        +[](CallContext& c, ModelValue m, Value data) -> Result<Value> { return log_likelihood(c, m, data); }));
}

void add_hmm_queries(Registry& r) {
    add_states_in_time(r);
    add_paths_and_likelihoods(r);
}

void add_parsing(Registry& r) {
    add_told(r,
             bind(
                 {subject,
                  "inside",
                  {{"grammar"}, {"words"}},
                  "The probability of a sentence under a grammar: the sum over all its trees.",
                  "inside(Tiny, [\"a\", \"a\"]) == 1/8"},
                 +[](CallContext& c, ModelValue m, Items words) -> Result<Value> {
                     TRY(grammar_of(c, m));
                     return likelihood(c, m, words, false);
                 }),
             rt::explain_inside);
    add_told(r,
             bind(
                 {subject,
                  "parse",
                  {{"grammar"}, {"words"}},
                  "The most probable tree of a sentence: .tree as lists, .text in brackets, .probability.",
                  "parse(Tiny, [\"a\", \"a\"]).text == \"(S (S a) (S a))\""},
                 +[](CallContext& c, ModelValue m, Items words) -> Result<Value> {
                     auto trees = TRY(best_trees(c, m, words, 1));
                     return parse_value(trees[0]);
                 }),
             rt::explain_parse);
    r.add(bind(
        {subject,
         "parses",
         {{"grammar"}, {"words"}, {"top", "10"}},
         "The most probable trees of an ambiguous sentence, best first.",
         "count(parses(Tiny, [\"a\", \"a\", \"a\"])) == 2"},
        +[](CallContext& c, ModelValue m, Items words, std::optional<Count> top) -> Result<Value> {
            auto trees = TRY(best_trees(c, m, words, top ? std::max<std::size_t>(1, top->value) : 10));
            List out;
            for (const auto& tree : trees) out.push_back(parse_value(tree));
            return Value::list(std::move(out));
        }));
}

void add_histories(Registry& r) {
    const auto history = +[](CallContext&, ModelValue m) -> Result<Value> {
        if (const auto* hmm = dynamic_cast<const rt::HmmModel*>(m.model.get())) return numbers_value(hmm->history());
        return numbers_value(dynamic_cast<const rt::GrammarModel&>(*m.model).history());
    };
    r.add_member(
        "hmm", bind({subject, "history", {{"m"}}, "The log-likelihood after each training iteration.", "Umbrella.history == []"}, history));
    r.add_member("hmm", bind(
                            {subject,
                             "log_likelihood",
                             {{"m"}},
                             "ln P(data) of the training data. Of other data, log_likelihood(m, observations) tells it.",
                             "(train Spells on [\"up\", \"none\", \"up\"]).log_likelihood < 0"},
                            +[](CallContext&, ModelValue m) -> Result<Value> {
                                const auto& told = dynamic_cast<const rt::HmmModel&>(*m.model).history();
                                if (!told.empty()) return number_value(told.back());
                                return Fault{.code = "E-MEMBER",
                                             .message = fmt::format("{} was not trained, so it has no training data", show_name(m.name)),
                                             .hint = "log_likelihood(model, observations) takes any data"};
                            }));
    r.add_member("grammar",
                 bind({subject, "history", {{"m"}}, "The log-likelihood after each training iteration.", "Tiny.history == []"}, history));
}

void add_hmm_members(Registry& r) {
    r.add_member("hmm", bind(
                            {subject, "states", {{"m"}}, "The states of a hidden Markov model.", "Umbrella.states == [\"rain\", \"dry\"]"},
                            +[](CallContext&, ModelValue m) -> Result<Value> {
                                List out;
                                for (const auto& s : dynamic_cast<const rt::HmmModel&>(*m.model).hmm().states->labels())
                                    out.push_back(Value::label(s));
                                return Value::list(std::move(out));
                            }));
    r.add_member("hmm", bind(
                            {subject,
                             "start",
                             {{"m"}},
                             "The distribution of the first state of a hidden Markov model, as a factor.",
                             "Umbrella.start[rain] == 1/2"},
                            +[](CallContext& c, ModelValue m) -> Result<Value> {
                                auto hmm = TRY(hmm_of(c, m));
                                return state_factor(*hmm, hmm->start);
                            }));
    r.add_member(
        "hmm",
        bind(
            {subject,
             "move",
             {{"m"}},
             "The transition probabilities of a hidden Markov model: a factor over from and to.",
             "Umbrella.move[rain, dry] == 0.3"},
            +[](CallContext& c, ModelValue m) -> Result<Value> {
                auto hmm = TRY(hmm_of(c, m));
                std::vector<rt::Number> all;
                for (const auto& row : hmm->move) all.insert(all.end(), row.begin(), row.end());
                return Value::factor(rt::Factor::of_numbers({rt::Variable{"from", hmm->states}, rt::Variable{"to", hmm->states}}, all));
            }));
    r.add_member("hmm",
                 bind(
                     {subject,
                      "emit",
                      {{"m"}},
                      "The emission probabilities of a hidden Markov model: a factor over state and symbol, or a record of distributions.",
                      "Umbrella.emit[rain, up] == 0.9"},
                     +[](CallContext& c, ModelValue m) -> Result<Value> {
                         auto hmm = TRY(hmm_of(c, m));
                         std::vector<rt::Number> all;
                         Record densities;
                         for (std::size_t j = 0; j < hmm->emit.size(); ++j) {
                             const auto& e = hmm->emit[j];
                             all.insert(all.end(), e.shares.begin(), e.shares.end());
                             if (e.density.given)
                                 densities.entries.emplace_back((*hmm->states)[j].text(), Value(Value::Node(e.density.given)));
                         }
                         if (!hmm->symbols) return Value::record(std::move(densities));
                         return Value::factor(
                             rt::Factor::of_numbers({rt::Variable{"state", hmm->states}, rt::Variable{"symbol", hmm->symbols}}, all));
                     }));
}

void add_grammar_members(Registry& r) {
    r.add_member(
        "grammar",
        bind(
            {subject, "rules", {{"m"}}, "The rules of a grammar: records .left .right .probability.", "Tiny.rules[1].probability == 1/2"},
            +[](CallContext&, ModelValue m) -> Result<Value> {
                const auto& g = dynamic_cast<const rt::GrammarModel&>(*m.model).grammar();
                List out;
                for (const auto& rule : g.rules) {
                    List right;
                    for (const auto& s : rule.right) right.push_back(Value::text(s.terminal ? g.words[s.index] : g.nonterminals[s.index]));
                    Record record;
                    record.entries.emplace_back("left", Value::text(g.nonterminals[rule.left]));
                    record.entries.emplace_back("right", Value::list(std::move(right)));
                    record.entries.emplace_back("probability", rule.probability ? Value(*rule.probability) : Value(Value::Node(AnyMark{})));
                    out.push_back(Value::record(std::move(record)));
                }
                return Value::list(std::move(out));
            }));
}

}  // namespace

void add_sequences(Registry& r) {
    add_hmm_queries(r);
    add_parsing(r);
    add_histories(r);
    add_hmm_members(r);
    add_grammar_members(r);
    r.add_loader("hmm", rt::load_hmm);
    r.add_loader("grammar", rt::load_grammar);
}

}  // namespace credence::std_
