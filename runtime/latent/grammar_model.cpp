// The grammar as a Model: sampling sentences, saving, and training by inside–outside (EM over the trees of sentences), by gradient ascent
// on the same expectations, or by counting where the trees were seen.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/core/words.hpp"
#include "runtime/latent/grammar_counting.hpp"
#include "runtime/latent/pcfg.hpp"
#include "runtime/latent/sequence_data.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/learning/training_methods.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

bool Grammar::has_holes() const {
    return std::any_of(rules.begin(), rules.end(), [](const Rule& r) { return !r.probability; });
}

bool Grammar::is_exact() const {
    return std::all_of(rules.begin(), rules.end(), [](const Rule& r) { return r.probability && r.probability->is_exact(); });
}

namespace {

using RuleProbabilities = std::vector<double>;

class InsideOutside {
public:
    InsideOutside(const Grammar& g, std::vector<Sentence> sentences, std::vector<double> weights, std::optional<RuleProbabilities> init)
        : g_(&g), sentences_(std::move(sentences)), weights_(std::move(weights)), init_(std::move(init)) {
        open_.assign(g.nonterminals.size(), 1.0);
        for (const auto& rule : g.rules)
            if (rule.probability) open_[rule.left] -= rule.probability->real();
    }

    RuleProbabilities start(std::size_t restart, Rng& rng) const {
        if (init_ && restart == 0) return *init_;
        RuleProbabilities out;
        std::vector<double> total(g_->nonterminals.size());
        for (const auto& rule : g_->rules) {
            out.push_back(rule.probability ? rule.probability->real() : 1 + rng.uniform());  // about uniform: equal rules would never part
            if (!rule.probability) total[rule.left] += out.back();
        }
        for (std::size_t r = 0; r < out.size(); ++r)
            if (!g_->rules[r].probability) out[r] *= open_[g_->rules[r].left] / total[g_->rules[r].left];
        return out;
    }

    /// The expected uses of each rule under `now`; gives ln P(sentences).
    Result<double> expect(const RuleProbabilities& now, std::vector<double>& counts, Run& run) const {
        counts.assign(now.size(), 0.0);
        double log = 0;
        for (std::size_t s = 0; s < sentences_.size(); ++s) {
            if (run.stopped()) return stopped_fault();
            const double w = weights_.empty() ? 1.0 : weights_[s];
            const double likelihood = expected_uses(*g_, now, sentences_[s], w, counts);
            if (std::isinf(likelihood))
                return Fault{.code = "E-ZERO", .message = fmt::format("{} has no tree for sentence {}", g_->name, s + 1)};
            log += w * likelihood;
        }
        return log;
    }

    Result<double> step(const RuleProbabilities& now, RuleProbabilities& next, Run& run) const {
        std::vector<double> counts;
        auto log = expect(now, counts, run);
        if (!log) return log;
        std::vector<double> total(g_->nonterminals.size());
        for (std::size_t r = 0; r < now.size(); ++r)
            if (!g_->rules[r].probability) total[g_->rules[r].left] += counts[r];
        next = now;
        for (std::size_t r = 0; r < now.size(); ++r) {
            const std::size_t left = g_->rules[r].left;
            if (!g_->rules[r].probability && total[left] > 0) next[r] = open_[left] * counts[r] / total[left];
        }
        return log;
    }

    /// The expected uses over the probabilities, along the simplex of each symbol's open rules.
    Result<double> slope(const RuleProbabilities& now, std::vector<double>& out, Run& run) const {
        std::vector<double> counts;
        auto log = expect(now, counts, run);
        if (!log) return log;
        out.assign(now.size(), 0.0);
        each_row([&](std::span<const std::size_t> rules) {
            std::vector<double> slope(rules.size());
            row_slope(taken(counts, rules), taken(now, rules), slope);
            for (std::size_t i = 0; i < rules.size(); ++i) out[rules[i]] = slope[i];
        });
        return log;
    }
    void move(const RuleProbabilities& from, std::span<const double> slope, double rate, RuleProbabilities& to) const {
        to = from;
        each_row([&](std::span<const std::size_t> rules) {
            std::vector<double> row = taken(from, rules);
            move_row(row, taken(slope, rules), rate);
            for (std::size_t i = 0; i < rules.size(); ++i) to[rules[i]] = row[i];
        });
    }
    /// Numbers of an init as probabilities: the open rules of a symbol have what the given ones leave.
    RuleProbabilities on_simplex(RuleProbabilities p) const {
        each_row([&](std::span<const std::size_t> rules) {
            double sum = 0;
            for (const auto r : rules) sum += p[r];
            for (const auto r : rules) p[r] *= open_[g_->rules[r].left] / sum;
        });
        return p;
    }
    double total() const {
        double out = weights_.empty() ? static_cast<double>(sentences_.size()) : 0;
        for (const double w : weights_) out += w;
        return out;
    }

private:
    /// The open rules of each symbol.
    template <class F>
    void each_row(F visit) const {
        std::vector<std::vector<std::size_t>> open(g_->nonterminals.size());
        for (std::size_t r = 0; r < g_->rules.size(); ++r)
            if (!g_->rules[r].probability) open[g_->rules[r].left].push_back(r);
        for (const auto& rules : open)
            if (!rules.empty()) visit(rules);
    }
    static std::vector<double> taken(std::span<const double> from, std::span<const std::size_t> rules) {
        std::vector<double> out;
        for (const auto r : rules) out.push_back(from[r]);
        return out;
    }

    const Grammar* g_;
    std::vector<Sentence> sentences_;
    std::vector<double> weights_;
    std::optional<RuleProbabilities> init_;
    std::vector<double> open_;  ///< by nonterminal: what its given rules leave
};

/// The words between blanks.
std::vector<std::string> words_in(const std::string& text) {
    std::istringstream from(text);
    return {std::istream_iterator<std::string>(from), {}};
}

/// The sentences of a table; the first word that no rule has.
struct Sentences {
    std::vector<Sentence> codes;
    std::vector<double> weights;
    std::optional<std::string> unknown;
};

/// One column of words, and a column `sequence` separates sentences; or one column `sentence`, as samples have it.
Result<Sentences> sentences_in(const TableView& rows, std::span<const double> weights, const Grammar& g) {
    const Table& table = *rows.table;
    const auto divider = table.find("sequence");
    if (table.columns.size() != (divider ? 2U : 1U))
        return Fault{.code = "E-COLUMN",
                     .message = fmt::format("{} takes one column of words and a column `sequence` that numbers the sentences", g.name),
                     .hint = "or a list of sentences, each a list of words; by counting from trees, as parse(…) gives them"};
    const Column& words = *table.columns[divider && *divider == 0 ? 1 : 0];
    const bool whole = !divider && words.name == "sentence";
    Sentences out;
    std::optional<Label> last;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows.row(i);
        if (words.is_missing(r)) return Fault{.code = "E-MISSING", .message = fmt::format("row {} has no word", r + 1)};
        std::optional<Label> here;
        if (divider && !table.columns[*divider]->is_missing(r)) here = table.columns[*divider]->label(r);
        if (i == 0 || here != last || whole) {
            out.codes.emplace_back();
            if (!weights.empty()) out.weights.push_back(weights[i]);
            last = here;
        }
        const std::string text = words.label(r).text();
        const auto own = whole ? words_in(text) : std::vector{text};
        const Sentence codes = sentence_of(g, own);
        const auto unknown = std::find_if(codes.begin(), codes.end(), [](auto code) { return code < 0; });
        if (unknown != codes.end() && !out.unknown) out.unknown = own[static_cast<std::size_t>(unknown - codes.begin())];
        out.codes.back().insert(out.codes.back().end(), codes.begin(), codes.end());
    }
    return out;
}

class GrammarLearner final : public Learner {
public:
    GrammarLearner(Grammar g, TrainingOptions options, std::optional<RuleProbabilities> init)
        : g_(std::move(g)), options_(std::move(options)), init_(std::move(init)) {}
    std::string_view name() const override { return "grammar"; }
    TargetKind target() const override { return TargetKind::none; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto found = TRY(search(rows, weights, run));
        if (found.counted) return make_grammar_model(*std::move(found.counted));
        auto& best = found.best;
        note_unsettled(best.converged, options_, run);
        Grammar learned = g_;
        for (std::size_t r = 0; r < learned.rules.size(); ++r)
            if (!learned.rules[r].probability) learned.rules[r].probability = Number::real(best.parameters[r]);
        return make_grammar_model(std::move(learned), std::move(best.history));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model&, Run& run) const override {
        auto found = TRY(search(rows, weights, run));
        std::vector<std::size_t> open;
        for (std::size_t r = 0; r < g_.rules.size(); ++r)
            if (!g_.rules[r].probability) open.push_back(r);
        DerivationWriter out;
        if (found.counted) {
            out.formula(options_.m.is_zero() ? "P(rule) = n(rule) / n(symbol)" : "P(rule) = (n(rule) + m / k) / (n(symbol) + m)");
            out.note("n counts the uses in the trees, of a rule and of all open rules for the same symbol.");
            for (const auto r : open)
                out.note(fmt::format("{}: {:.6g}", rule_text(g_, g_.rules[r]), found.counted->rules[r].probability->real()));
            return std::move(out).take();
        }
        const auto& best = found.best;
        if (options_.way == TrainingWay::gradient) {
            out.formula("d ln P(D) / d p = the expected number of uses of the rule / p, without what would change the sum for its symbol");
            tell_starts(options_.em.restarts, best.start, out);
            tell_climb(best.history, out);
            for (const auto r : open) out.note(fmt::format("{}: {:.6g}", rule_text(g_, g_.rules[r]), best.parameters[r]));
            return std::move(out).take();
        }
        out.formula("E: expected uses of each rule, summed over the trees of each sentence in proportion to their probability");
        out.formula("M: the uses of a rule as a share of those of all rules for the same symbol");
        tell_starts(options_.em.restarts, best.start, out);
        std::vector<std::string> names;
        for (const auto r : open) names.push_back(rule_text(g_, g_.rules[r]));
        const auto values = [&](const RuleProbabilities& now) {
            std::vector<double> numbers;
            for (const auto r : open) numbers.push_back(now[r]);
            return numbers;
        };
        TRY(tell_iterations(*found.problem, best, names, values, out, run));
        return std::move(out).take();
    }

private:
    struct Search {
        std::shared_ptr<InsideOutside> problem;
        EmOutcome<RuleProbabilities> best;
        std::optional<Grammar> counted;  ///< where the data are trees, in place of the rest
    };

    Result<Search> search(const TableView& rows, std::span<const double> weights, Run& run) const {
        Search out;
        const Column* trees = tree_column(rows, g_);
        if (options_.way == TrainingWay::counting && !trees)
            return Fault{.code = "E-MISSING",
                         .message = fmt::format("counting needs the trees of the sentences, and {} got words", g_.name),
                         .hint = "give a list of trees, as parse(…) or \"(S (NP she) (VP left))\", or say by em()"};
        if (trees && options_.way != TrainingWay::counting && options_.way != TrainingWay::chosen_by_data)
            return Fault{.code = "E-TRAIN",
                         .message = "these data are trees, and only counting learns from them",
                         .hint = "leave `by` out, or give sentences, each a list of words"};
        if (trees) {
            out.counted = TRY(counted_grammar(g_, *trees, rows, weights, options_.m, run));
            return out;
        }
        auto read = TRY(sentences_in(rows, weights, g_));
        if (const auto& word = read.unknown)
            return Fault{
                .code = "E-LABEL",
                .message = fmt::format("{} has no rule for the word '{}'", g_.name, *word),
                .hint = word->find(' ') == std::string::npos ? "" : "a sentence is a list of words: words(\"…\") makes one from a text"};
        out.problem = std::make_shared<InsideOutside>(g_, std::move(read.codes), std::move(read.weights), init_);
        out.best = TRY(options_.way == TrainingWay::gradient
                           ? best_of_starts<RuleProbabilities>(*out.problem, options_.em, run,
                                                               [&](std::size_t, RuleProbabilities start) {
                                                                   return run_gradient<RuleProbabilities>(
                                                                       *out.problem, out.problem->on_simplex(std::move(start)),
                                                                       options_.gradient, out.problem->total(), run);
                                                               })
                           : run_em<RuleProbabilities>(*out.problem, options_.em, run));
        return out;
    }

    Grammar g_;
    TrainingOptions options_;
    std::optional<RuleProbabilities> init_;
};

constexpr std::size_t longest_expansion = 100'000;

class DeclaredGrammar final : public GrammarModel {
public:
    DeclaredGrammar(Grammar g, std::vector<double> history) : g_(std::move(g)), history_(std::move(history)) {}
    const Grammar& grammar() const override { return g_; }
    const std::vector<double>& history() const override { return history_; }
    std::string_view kind() const override { return "grammar"; }
    const Variables& variables() const override { return none_; }
    std::vector<MethodInfo> engines() const override { return {}; }
    std::vector<MethodInfo> training_methods() const override { return training_methods_of_parts(); }
    std::string description() const override {
        return fmt::format("{} for {} and {}", counted(g_.rules.size(), "rule"), counted(g_.nonterminals.size(), "symbol"),
                           counted(g_.words.size(), "word"));
    }
    ModelParts parts() const override {
        std::vector<std::string> rules;
        std::vector<double> holes;
        std::vector<Number> known;
        for (const auto& rule : g_.rules) {
            std::string text = g_.nonterminals[rule.left] + " ->";
            for (const auto& s : rule.right) text += " " + (s.terminal ? quoted_text(g_.words[s.index], false) : g_.nonterminals[s.index]);
            rules.push_back(std::move(text));
            holes.push_back(rule.probability ? rule.probability->real() : missing_value);
            if (rule.probability) known.push_back(*rule.probability);
        }
        PartTable table;
        table.names("rule", rules);
        if (known.size() == rules.size())
            table.numbers("probability", known);
        else
            table.numbers("probability", holes);
        ModelParts out{words_part("start", g_.nonterminals[g_.start]), std::move(table).part("rules")};
        if (!history_.empty()) out.push_back(figure("log_likelihood", history_.back()));
        return out;
    }
    /// P of tables of sentences.
    Result<Answer> ask(const Query& query, Run& run) const override {
        if (!asks_for_tables(query))
            return Fault{.code = "E-QUERY",
                         .message = "a grammar is queried with functions",
                         .origin = query.origin,
                         .hint = "parse, parses, inside or likelihood (grammar, words); P(t) takes a table of sentences"};
        if (g_.has_holes())
            return Fault{
                .code = "E-HOLE", .message = fmt::format("{} has unknown numbers (?): train it first", g_.name), .origin = query.origin};
        SequenceProduct product;
        for (const auto& data : query.targets.data) {
            const TableView rows{.table = data.table.get(), .rows = {}};
            const auto read = TRY(sentences_in(rows, {}, g_));
            for (const auto& sentence : read.codes) {
                const Number p = TRY(inside(g_, sentence, run));
                product.multiply(p.is_exact() ? std::optional(p.exact()) : std::nullopt, p.is_zero() ? -INFINITY : p.log());
            }
        }
        return std::move(product).answer("inside");
    }
    Result<Derivation> explain(const Query&, const Answer&, Run&) const override { return Derivation{}; }

    /// One sentence a row, its words joined by blanks.
    Result<TablePtr> sample(std::size_t n, const Clause&, Run& run) const override {
        if (g_.has_holes()) return Fault{.code = "E-HOLE", .message = fmt::format("{} has unknown numbers (?): train it first", g_.name)};
        ColumnBuilder column("sentence");
        for (std::size_t i = 0; i < n; ++i) {
            std::string text;
            std::vector<Grammar::Symbol> open{{false, g_.start}};
            for (std::size_t steps = 0; !open.empty(); ++steps) {
                if (steps > longest_expansion)
                    return Fault{
                        .code = "E-COST",
                        .message = fmt::format("a sentence of {} does not end: its rules expand faster than they finish", g_.name)};
                const Grammar::Symbol s = open.back();
                open.pop_back();
                if (s.terminal) {
                    text += (text.empty() ? "" : " ") + g_.words[s.index];
                    continue;
                }
                double u = run.rng.uniform();
                const Grammar::Rule* chosen = nullptr;
                for (const auto& rule : g_.rules) {
                    if (rule.left != s.index) continue;
                    chosen = &rule;
                    u -= rule.probability->real();
                    if (u < 0) break;
                }
                open.insert(open.end(), chosen->right.rbegin(), chosen->right.rend());
            }
            column.add(Label::of_text(text));
        }
        auto built = TRY(std::move(column).finish(ColumnKind::label));
        auto out = std::make_shared<Table>();
        out->row_count = n;
        out->columns.push_back(std::move(built));
        return TablePtr(std::move(out));
    }

    Result<LearnerPtr> trainer(const MethodCall& by) const override {
        if (!g_.has_holes())
            return Fault{
                .code = "E-TRAIN", .message = fmt::format("{} has no holes (?): there is nothing to learn", g_.name), .origin = by.origin};
        auto options = training_options(by);
        std::optional<RuleProbabilities> init;
        if (options.init) { init = TRY(start_from(*options.init)); }
        if (!options.restarts && !init) options.em.restarts = 5;
        const std::string counts = options.counts;
        LearnerPtr learner = std::make_shared<const GrammarLearner>(g_, std::move(options), std::move(init));
        return counts.empty() ? learner : weighted_by(std::move(learner), counts);
    }

    Result<Json> save() const override {
        Json rules = Json::array();
        for (const auto& rule : g_.rules) {
            if (!rule.probability)
                return Fault{.code = "E-HOLE", .message = fmt::format("{} has unknown numbers (?): train it first", g_.name)};
            Json right = Json::array();
            for (const auto& s : rule.right)
                right.push_back({{s.terminal ? "word" : "symbol", s.terminal ? g_.words[s.index] : g_.nonterminals[s.index]}});
            rules.push_back({{"left", g_.nonterminals[rule.left]}, {"right", std::move(right)}, {"probability", saved(*rule.probability)}});
        }
        return Json{{"name", g_.name},
                    {"start", g_.nonterminals[g_.start]},
                    {"rules", std::move(rules)},
                    {"history", saved(std::span<const double>(history_))}};
    }

private:
    /// A list of the holes' numbers in order, or a grammar with the same rules and numbers.
    Result<RuleProbabilities> start_from(const MethodArgument& argument) const {
        RuleProbabilities out;
        const Fault wrong{
            .code = "E-PARAMETER",
            .message = "init is a list with a number above 0 for each hole in order, or a grammar with the same rules and numbers",
            .origin = argument.origin};
        if (const auto* model = std::get_if<ModelPtr>(&argument.value)) {
            const auto* from = dynamic_cast<const GrammarModel*>(model->get());
            if (!from || from->grammar().has_holes() || from->grammar().rules.size() != g_.rules.size()) return wrong;
            for (const auto& rule : from->grammar().rules) out.push_back(rule.probability->real());
            return out;
        }
        const auto* numbers = std::get_if<std::vector<Number>>(&argument.value);
        if (!numbers) return wrong;
        std::size_t next = 0;
        for (const auto& rule : g_.rules) {
            if (rule.probability) {
                out.push_back(rule.probability->real());
                continue;
            }
            if (next >= numbers->size() || (*numbers)[next].sign() <= 0) return wrong;
            out.push_back((*numbers)[next++].real());
        }
        if (next != numbers->size()) return wrong;
        return out;
    }

    Grammar g_;
    std::vector<double> history_;
    Variables none_;
};

}  // namespace

ModelPtr make_grammar_model(Grammar grammar, std::vector<double> history) {
    return std::make_shared<const DeclaredGrammar>(std::move(grammar), std::move(history));
}

Result<ModelPtr> load_grammar(const Json& json) {
    Grammar g;
    g.name = TRY(read_text(json, "name"));
    auto start = TRY(read_text(json, "start"));
    auto rules = TRY(read_member(json, "rules"));
    if (!rules->is_array()) return damaged("'rules' is not a list");
    const auto index_in = [](std::vector<std::string>& names, const std::string& text) {
        const auto found = std::find(names.begin(), names.end(), text);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        names.push_back(text);
        return names.size() - 1;
    };
    for (const auto& item : *rules) {
        auto left = TRY(read_text(item, "left"));
        auto right = TRY(read_member(item, "right"));
        auto written = TRY(read_member(item, "probability"));
        auto probability = TRY(read_number(*written));
        if (!right->is_array() || right->empty()) return damaged("a rule has no right side");
        Grammar::Rule rule{index_in(g.nonterminals, left), {}, std::move(probability)};
        for (const auto& symbol : *right) {
            const bool word = symbol.is_object() && symbol.contains("word");
            auto text = TRY(read_text(symbol, word ? "word" : "symbol"));
            rule.right.push_back({word, index_in(word ? g.words : g.nonterminals, text)});
        }
        g.rules.push_back(std::move(rule));
    }
    const auto first = std::find(g.nonterminals.begin(), g.nonterminals.end(), start);
    if (first == g.nonterminals.end()) return damaged("the start has no rule");
    g.start = static_cast<std::size_t>(first - g.nonterminals.begin());
    auto history = TRY(read_reals(json, "history"));
    return make_grammar_model(std::move(g), std::move(history));
}

}  // namespace credence::rt
