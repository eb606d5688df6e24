// Naive Bayes over texts, and how good the top of a ranking is.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/classify/naive_bayes_text.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "stdlib/bayes/text_bayes.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::Fault;
using rt::Result;

constexpr const char* pattern_example = "as in words: pattern(\"[a-z]+\")";

/// `words:` as a word, a pattern, or a function from a text to a list of words.
Result<rt::WordRule> word_rule(CallContext& c, const std::optional<Setting>& words, std::size_t at) {
    using Kind = rt::WordRule::Kind;
    if (!words || words->name == "words") return rt::WordRule{};
    if (words->name == "letters") return rt::WordRule{.kind = Kind::letters};
    if (words->name == "tokens") return rt::WordRule{.kind = Kind::tokens};
    if (words->name == "pattern") {
        const auto* text = words->arguments[0] ? words->arguments[0]->get<TextPtr>() : nullptr;
        auto checked =
            text ? rt::check_pattern(**text) : Fault{.code = "E-TYPE", .message = "a pattern is a text", .hint = pattern_example};
        if (checked) return rt::WordRule{.kind = Kind::pattern, .pattern = **text};
        Fault fault = std::move(checked).fault();
        fault.origin = c.argument(at);
        return fault;
    }
    if (!words->value->is<FunctionPtr>())
        return Fault{
            .code = "E-TYPE",
            .message = fmt::format("words: takes words, letters, tokens, pattern(\"…\"), or a function from a text to a list, not {}",
                                   words->value->kind()),
            .origin = c.argument(at)};
    rt::WordRule out{.kind = Kind::function};
    out.function = [kept = c.kept(*words->value)](std::string_view text) -> Result<std::vector<std::string>> {
        const Value argument = Value::text(std::string(text));
        const Value found = TRY(kept(std::span(&argument, 1)));
        const List* list = found.items();
        std::vector<std::string> texts;
        for (std::size_t i = 0; list && i < list->size(); ++i) {
            const auto* word = (*list)[i].get<TextPtr>();
            if (!word) break;
            texts.push_back(**word);
        }
        if (!list || texts.size() != list->size())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("the words function gives a list of texts, and here it gave {}", found.kind())};
        return texts;
    };
    return out;
}

Result<rt::TextSettings> text_settings(CallContext& c, const std::optional<Count>& drop_top, const std::optional<Count>& min_count,
                                       const std::optional<rt::Number>& alpha, const std::optional<Setting>& words, std::size_t alpha_at) {
    rt::TextSettings out;
    if (drop_top) out.drop_top = drop_top->value;
    if (min_count) out.min_count = min_count->value;
    out.words = TRY(word_rule(c, words, alpha_at + 1));
    if (alpha) {
        if (alpha->sign() <= 0 || alpha->is_nan())
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("alpha is {}: it must be above 0, or a word not seen in a class makes the class impossible",
                                                label_text(*alpha)),
                         .origin = c.argument(alpha_at)};
        out.alpha = *alpha;
    }
    return out;
}

Value words_value(const std::vector<std::string>& words) {
    List out;
    for (const auto& w : words) out.push_back(Value::text(w));
    return Value::list(std::move(out));
}

Result<std::size_t> class_of(const rt::Schema& schema, const rt::Label& label, rt::Origin origin) {
    if (const auto found = schema.target.domain->find(label)) return *found;
    std::vector<std::string> known;
    for (const auto& l : schema.target.domain->labels()) known.push_back(l.text());
    return Fault{.code = "E-LABEL",
                 .message = fmt::format("{} has no value '{}'", schema.target.name, label.text()),
                 .origin = origin,
                 .label = fmt::format("its values are {}", rt::joined(known, ", "))};
}

/// Rows by falling P(target = label | row), and what their labels are.
struct Ranking {
    std::vector<std::uint32_t> order;
    std::vector<double> probability;  ///< by row
    std::vector<char> wanted;         ///< by row: has the label
    std::size_t labelled = 0;
};

Result<Ranking> ranked(CallContext& c, const ModelValue& m, const rt::TablePtr& table, const rt::Label& label, bool judged) {
    const auto* classifier = dynamic_cast<const rt::Classifier*>(m.model.get());
    if (!classifier) return Fault{.code = "E-TYPE", .message = "a ranking needs a trained classifier", .origin = c.argument(0)};
    auto at = TRY(class_of(classifier->schema(), label, c.argument(2)));
    auto rows = TRY(rows_for(c, classifier->schema(), Value(Value::Node(table)), c.argument(1)));
    const rt::TableView view{.table = rows.get(), .rows = {}};
    TRY(classifier->check_cells(view));
    const std::size_t labels = classifier->schema().target.domain->size();
    std::vector<double> shares(table->row_count * labels);
    TRY(classifier->probabilities(view, shares, c.run()));
    Ranking out;
    for (std::size_t r = 0; r < table->row_count; ++r) out.probability.push_back(shares[r * labels + at]);
    out.order.resize(table->row_count);
    std::iota(out.order.begin(), out.order.end(), 0U);
    std::stable_sort(out.order.begin(), out.order.end(), [&](auto a, auto b) { return out.probability[a] > out.probability[b]; });
    if (!judged) return out;
    const auto target = table->find(classifier->schema().target.name);
    if (!target)
        return Fault{.code = "E-COLUMN",
                     .message = fmt::format("the table has no column {} to compare with", classifier->schema().target.name),
                     .origin = c.argument(1)};
    for (std::size_t r = 0; r < table->row_count; ++r) {
        const bool missing = table->columns[*target]->is_missing(r);
        out.wanted.push_back(!missing && table->columns[*target]->label(r) == label);
        out.labelled += static_cast<std::size_t>(out.wanted.back());
    }
    return out;
}

/// How many of the first rows: a whole number, or a share of them below 1.
Result<std::size_t> first_rows(CallContext& c, const rt::Number& n, std::size_t rows) {
    const bool share = n < rt::Number(1);
    const double wanted = share ? std::ceil(n.real() * static_cast<double>(rows) - 1e-9) : n.real();
    if (n.sign() <= 0 || wanted != std::floor(wanted) || wanted > static_cast<double>(rows))
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("n must be a whole number of rows from 1 to {1}, or a share below 1", rows, rows),
                     .origin = c.argument(3)};
    return static_cast<std::size_t>(wanted);
}

Result<rt::Rational> precision(CallContext& c, const ModelValue& m, const rt::TablePtr& table, const rt::Label& label, const rt::Number& n,
                               bool lift) {
    auto r = TRY(ranked(c, m, table, label, true));
    auto top = TRY(first_rows(c, n, table->row_count));
    std::int64_t found = 0;
    for (std::size_t i = 0; i < top; ++i) found += r.wanted[r.order[i]];
    const rt::Rational share(found, static_cast<std::int64_t>(top));
    if (!lift) return share;
    if (r.labelled == 0)
        return Fault{.code = "E-EMPTY", .message = fmt::format("no row has the label {}", label.text()), .origin = c.argument(1)};
    return share * rt::Rational(static_cast<std::int64_t>(table->row_count), static_cast<std::int64_t>(r.labelled));
}

Result<Value> ranking_table(CallContext& c, const ModelValue& m, const rt::TablePtr& table, const rt::Label& label) {
    auto r = TRY(ranked(c, m, table, label, false));
    rt::Table out;
    auto p = std::make_shared<rt::Column>();
    p->name = "probability";
    p->kind = rt::ColumnKind::numeric;
    p->real = true;
    for (const auto row : r.order) p->values.push_back(r.probability[row]);
    for (const auto& column : table->columns)
        if (column->name != p->name) out.columns.push_back(rt::take_rows(*column, r.order));
    if (table->target) out.target = std::min(*table->target, out.columns.size() - 1);
    out.columns.push_back(std::move(p));
    out.row_count = table->row_count;
    return Value(Value::Node(std::make_shared<const rt::Table>(std::move(out))));
}

}  // namespace

void add_text_bayes(Registry& r) {
    using V = Value;
    const std::string trained = "(train naive_bayes_text(alpha: 1) on weather)";
    const ParameterDoc drop_top_doc{"drop_top", "0, or 100 with 10,000 or more different words"};
    const ParameterDoc min_count_doc{"min_count", "1, or 3 with 10,000 or more different words"};
    const ParameterDoc words_doc{
        "words", "words", {}, {{"words"}, {"letters"}, {"tokens"}, {"pattern", {"regex"}}}, "a function from a text to a list"};
    const std::string what_words_are =
        "Case is ignored. words: the longest runs of letters, digits and underscores, so \"It's 42°C\" gives it, s, 42 and c. letters: "
        "runs of two or more characters without digits. tokens: words, plus every other character except spaces as a token of its own. "
        "pattern: the matches of a regular expression in RE2 syntax.";
    r.add_learner(bind(
        {subject::bayes,
         "naive_bayes_text",
         {{"column", "the only column besides the target"}, drop_top_doc, min_count_doc, {"alpha", "1"}, words_doc},
         "A learner for texts: P(class) times P(word | class) = (n_word + alpha) / (n + alpha |V|) for each word. The drop_top most "
         "frequent words and those seen fewer than min_count times are left out of the vocabulary V. Unknown words are ignored. " +
             what_words_are,
         "predict(" + trained + ", \"hot, hot\") == \"yes\""},
        +[](CallContext& c, std::optional<ColumnName> column, std::optional<Count> drop_top, std::optional<Count> min_count,
            std::optional<rt::Number> alpha, std::optional<Setting> words) -> Result<V> {
            auto settings = TRY(text_settings(c, drop_top, min_count, alpha, words, 3));
            if (column) settings.column = column->text;
            return learner_value(rt::make_naive_bayes_text(std::move(settings)));
        }));
    r.add_loader("naive_bayes_text", rt::load_naive_bayes_text);
    r.add_member("naive_bayes_text", bind(
                                         {subject::bayes,
                                          "vocabulary",
                                          {{"m"}},
                                          "The words of the model, the most frequent first.",
                                          "count(" + trained + ".vocabulary) == 2"},
                                         +[](CallContext&, ModelValue m) -> Result<V> {
                                             auto model = TRY(model_as<rt::NaiveBayesTextModel>(m, "vocabulary"));
                                             return words_value(model->vocabulary());
                                         }));
    r.add_member("naive_bayes_text",
                 bind(
                     {subject::bayes,
                      "top",
                      {{"m"}, {"class"}, {"n", "10"}},
                      "The most characteristic words of a class: those with the largest P(w | class) ln(P(w | class) / P(w)).",
                      "count(" + trained + ".top(\"yes\", 2)) == 2"},
                     +[](CallContext& c, ModelValue m, rt::Label label, std::optional<Count> n) -> Result<V> {
                         auto model = TRY(model_as<rt::NaiveBayesTextModel>(m, "top"));
                         auto at = TRY(class_of(model->schema(), label, c.argument(1)));
                         return words_value(model->top(at, n ? n->value : 10));
                     }));
    r.add(bind(
        {subject::bayes,
         "train_text",
         {{"path"},
          {"target", "class"},
          {"column", "text"},
          {"columns", "the file's header"},
          drop_top_doc,
          min_count_doc,
          {"alpha", "1"},
          words_doc},
         "Naive Bayes over the texts of a file that need not fit into memory. The file is .csv, .tsv or .jsonl, or a folder with one "
         "subfolder of text files for each class. `columns` names the columns of a file without a header. The other parameters are those "
         "of naive_bayes_text.",
         "train_text(\"sample.csv\", target: Play, column: Wind).vocabulary == [\"weak\", \"strong\"]"},
        +[](CallContext& c, std::string path, std::optional<ColumnName> target, std::optional<ColumnName> column,
            std::optional<ColumnNames> columns, std::optional<Count> drop_top, std::optional<Count> min_count,
            std::optional<rt::Number> alpha, std::optional<Setting> words) -> Result<V> {
            auto settings = TRY(text_settings(c, drop_top, min_count, alpha, words, 6));
            auto found = TRY(c.file(path));
            rt::TextSource source{.path = std::move(found)};
            if (target) source.target = target->text;
            if (column) source.column = column->text;
            if (columns) source.columns = columns->texts;
            auto model = TRY(rt::train_text(source, std::move(settings), c.run()));
            return V(V::Node(ModelValue{std::move(model), {}}));
        }));
    r.add(bind(
        {subject::bayes,
         "rank",
         {{"model"}, {"table"}, {"label"}},
         "The rows of a table in descending order of P(target = label | row). The probability is added as a column.",
         "rank(train naive_bayes() on weather, weather, \"yes\")[1].sky == \"cold\""},
        +[](CallContext& c, ModelValue m, rt::TablePtr t, rt::Label label) -> Result<V> { return ranking_table(c, m, t, label); }));
    r.add(bind(
        {subject::bayes,
         "precision_at",
         {{"model"}, {"table"}, {"label"}, {"n"}},
         "The share of rows with the label among the n rows that the model ranks first. An n below 1 is a share of the rows.",
         "precision_at(train naive_bayes() on weather, weather, \"yes\", 1) == 1"},
        +[](CallContext& c, ModelValue m, rt::TablePtr t, rt::Label label, rt::Number n) -> Result<V> {
            auto out = TRY(precision(c, m, t, label, n, false));
            return V(rt::Number(out));
        }));
    r.add(bind(
        {subject::bayes,
         "lift_at",
         {{"model"}, {"table"}, {"label"}, {"n"}},
         "How many times more frequent the label is among the n top-ranked rows than among all rows.",
         "lift_at(train naive_bayes() on weather, weather, \"yes\", 1) == 3/2"},
        +[](CallContext& c, ModelValue m, rt::TablePtr t, rt::Label label, rt::Number n) -> Result<V> {
            auto out = TRY(precision(c, m, t, label, n, true));
            return V(rt::Number(out));
        }));
}

}  // namespace credence::std_
