#include "runtime/margin/text_svm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/design.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

std::string_view cell_text(const Column& column, std::size_t row) {
    const auto code = column.codes[row];
    return code < 0 ? std::string_view{} : std::string_view((*column.domain)[static_cast<std::size_t>(code)].text());
}

/// Numbers and single letters are rarely worth a weight.
const WordRule svm_words{.kind = WordRule::Kind::letters};

double inverse_frequency(double texts, double with_word) { return 1 + std::log((1 + texts) / (1 + with_word)); }

/// Words and how often they occur in each text.
struct CountedTexts {
    std::vector<std::string> words;
    std::vector<std::uint32_t> texts_with;
    std::vector<std::size_t> begin{0};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;  ///< word, times; text after text
};

CountedTexts counted_texts(const TableView& rows, const Column& column) {
    CountedTexts out;
    TextIndex index;
    Tokenizer tokenizer(svm_words);
    std::vector<std::uint32_t> times;
    std::vector<std::uint32_t> seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        seen.clear();
        tokenizer.each(cell_text(column, rows.row(i)), [&](std::string_view word) {
            std::int32_t code = index.find(word);
            if (code == TextIndex::unknown) {
                code = static_cast<std::int32_t>(out.words.size());
                index.insert(word, code);
                out.words.emplace_back(word);
                out.texts_with.push_back(0);
                times.push_back(0);
            }
            const auto w = static_cast<std::uint32_t>(code);
            if (times[w]++ == 0) seen.push_back(w);
        });
        for (const auto w : seen) {
            out.counts.emplace_back(w, times[w]);
            ++out.texts_with[w];
            times[w] = 0;
        }
        out.begin.push_back(out.counts.size());
    }
    return out;
}

constexpr std::uint32_t left_out = 0xffffffffU;

/// Each text as a vector of length 1: (1 + ln n) · idf of each word that is kept. `kept`: the column of a word.
SparseRows weighted_texts(const CountedTexts& texts, std::span<const std::uint32_t> kept, std::span<const double> idf) {
    SparseRows out;
    for (std::size_t i = 0; i + 1 < texts.begin.size(); ++i) {
        const std::size_t from = out.value.size();
        double square = 0;
        for (std::size_t k = texts.begin[i]; k < texts.begin[i + 1]; ++k) {
            const auto [word, times] = texts.counts[k];
            if (kept[word] == left_out) continue;
            const double v = (1 + std::log(static_cast<double>(times))) * idf[kept[word]];
            out.column.push_back(kept[word]);
            out.value.push_back(static_cast<float>(v));
            square += v * v;
        }
        const auto scale = static_cast<float>(square > 0 ? 1 / std::sqrt(square) : 0);
        for (std::size_t k = from; k < out.value.size(); ++k) out.value[k] *= scale;
        out.begin.push_back(out.value.size());
    }
    return out;
}

class TextSvm final : public Learner {
public:
    explicit TextSvm(TextSvmOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "svm_text"; }
    TargetKind target() const override { return TargetKind::label; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        const std::string name_of_text = TRY(name_of_column(*rows.table));
        auto at = TRY(find_column(*rows.table, name_of_text));
        if (at == *rows.table->target)
            return Fault{.code = "E-ARGUMENT", .message = fmt::format("{} is the target, not the text", name_of_text)};
        const ColumnPtr& given = rows.table->columns[at];
        const ColumnPtr column = given->kind == ColumnKind::numeric ? as_labels(given) : given;
        const Column& target = *rows.table->columns[*rows.table->target];
        if (target.domain->size() < 2)
            return Fault{.code = "E-TRAIN", .message = fmt::format("svm_text needs at least two labels, and {} has only one", target.name)};

        const CountedTexts texts = counted_texts(rows, *column);
        const auto n = static_cast<double>(rows.size());
        std::vector<std::uint32_t> kept(texts.words.size(), 0);
        std::vector<std::string> words;
        std::vector<double> idf;
        for (std::size_t w = 0; w < texts.words.size(); ++w) {
            kept[w] = left_out;
            if (texts.texts_with[w] < options_.min_count) continue;
            kept[w] = static_cast<std::uint32_t>(words.size());
            words.push_back(texts.words[w]);
            idf.push_back(inverse_frequency(n, texts.texts_with[w]));
        }
        if (words.empty())
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("no word is in {} texts or more", options_.min_count),
                         .hint = "svm_text(min_count: 1)"};
        const SparseRows sparse = weighted_texts(texts, kept, idf);
        std::vector<std::int32_t> labels;
        std::vector<double> weight_of(target.domain->size(), 0.0);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            labels.push_back(target.codes[rows.row(i)]);
            weight_of[static_cast<std::size_t>(labels.back())] += row_weights.empty() ? 1.0 : row_weights[i];
        }
        const auto commonest = std::max_element(weight_of.begin(), weight_of.end()) - weight_of.begin();
        SparseOptions options;
        options.c = options_.c;
        auto machines = TRY(train_sparse(sparse, words.size(), labels, target.domain->size(), row_weights, options, run));
        Schema schema;
        schema.features = {{name_of_text, ColumnKind::label, nullptr}};  // no domain: any text
        schema.target = {target.name, ColumnKind::label, target.domain};
        return ModelPtr(std::make_shared<const TextSvmModel>(std::move(schema), rows.size(), TextWeights(std::move(words), std::move(idf)),
                                                             std::move(machines), static_cast<std::size_t>(commonest)));
    }

private:
    /// The one that was named, or the only column besides the target.
    Result<std::string> name_of_column(const Table& table) const {
        if (!options_.column.empty()) return options_.column;
        const auto features = feature_columns(table);
        if (features.size() == 1) return features[0]->name;
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("the table has {} columns besides the target: which one is the text?", features.size()),
                     .hint = "svm_text(column: Text)"};
    }

    TextSvmOptions options_;
};

}  // namespace

TextWeights::TextWeights(std::vector<std::string> words, std::vector<double> idf) : words_(std::move(words)), idf_(std::move(idf)) {
    for (std::size_t w = 0; w < words_.size(); ++w) index_.insert(words_[w], static_cast<std::int32_t>(w));
}

std::vector<std::pair<std::uint32_t, double>> TextWeights::of(std::string_view text, Tokenizer& tokenizer) const {
    std::vector<std::uint32_t> found;
    tokenizer.each(text, [&](std::string_view word) {
        if (const std::int32_t code = index_.find(word); code != TextIndex::unknown) found.push_back(static_cast<std::uint32_t>(code));
    });
    std::sort(found.begin(), found.end());
    std::vector<std::pair<std::uint32_t, double>> out;
    double square = 0;
    for (std::size_t k = 0; k < found.size();) {
        std::size_t end = k;
        while (end < found.size() && found[end] == found[k]) ++end;
        const double v = (1 + std::log(static_cast<double>(end - k))) * idf_[found[k]];
        out.emplace_back(found[k], v);
        square += v * v;
        k = end;
    }
    for (auto& [word, v] : out) v /= std::sqrt(square);
    return out;
}

TextSvmModel::TextSvmModel(Schema schema, std::size_t texts, TextWeights weights, Matrix machines, std::size_t commonest)
    : Classifier(std::move(schema), texts), weights_(std::move(weights)), machines_(std::move(machines)), commonest_(commonest) {}

std::size_t TextSvmModel::best_of(std::span<const double> scores) const {
    // Machines without a bias give 0 for a text without a word they know.
    if (std::all_of(scores.begin(), scores.end(), [](double d) { return d == 0; })) return commonest_;
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

ModelParts TextSvmModel::parts() const {
    constexpr std::size_t most = 8;
    const Domain& labels = *schema_.target.domain;
    std::vector<std::string> telling;
    for (std::size_t k = 0; k < labels.size(); ++k) telling.push_back(joined(top(k, most), " "));
    PartTable words;
    words.names(schema_.target.name, labels).names("words", telling);
    return {std::move(words).part("telling"), count_part("vocabulary", weights_.words().size())};
}

std::string TextSvmModel::description() const {
    return fmt::format("{} from {} ({}, {} words)", schema_.target.name, schema_.features[0].name, counted(rows_seen_, "text"),
                       weights_.words().size());
}

double TextSvmModel::weight(std::size_t label, std::size_t word) const {
    if (machines_.rows > 1) return machines_(label, word);
    return label == 1 ? machines_(0, word) : -machines_(0, word);
}

void TextSvmModel::decide(std::string_view text, Tokenizer& tokenizer, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (const auto& [word, v] : weights_.of(text, tokenizer))
        for (std::size_t k = 0; k < out.size(); ++k) out[k] += weight(k, word) * v;
}

Status TextSvmModel::classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const {
    const std::size_t labels = schema_.target.domain->size();
    parallel_chunks(rows.size(), 256, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        Tokenizer tokenizer(svm_words);
        std::vector<double> scores(labels);
        for (std::size_t i = begin; i < end; ++i) {
            decide(cell_text(*rows.table->columns[0], rows.row(i)), tokenizer, scores);
            out[i] = static_cast<std::int32_t>(best_of(scores));
        }
    });
    return Done{};
}

Status TextSvmModel::probabilities(const TableView& rows, std::span<double> out, Run& run) const {
    std::vector<std::int32_t> codes(rows.size());
    Status done = classify(rows, codes, run);
    if (!done) return done;
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t i = 0; i < codes.size(); ++i) out[i * schema_.target.domain->size() + static_cast<std::size_t>(codes[i])] = 1;
    return Done{};
}

Result<Answer> TextSvmModel::ask(const Query& query, Run& run) const {
    if (query.goal == Goal::probability)
        return Fault{.code = "E-QUERY",
                     .message = "svm_text predicts labels, not probabilities",
                     .origin = query.origin,
                     .hint = "predict(model, …) gives the label; naive_bayes_text() has probabilities"};
    return Classifier::ask(query, run);
}

Result<Derivation> TextSvmModel::explain_prediction(const TableView& rows, Run&) const {
    Tokenizer tokenizer(svm_words);
    const Domain& labels = *schema_.target.domain;
    const std::string_view text = cell_text(*rows.table->columns[0], rows.row(0));
    std::vector<double> scores(labels.size());
    decide(text, tokenizer, scores);
    DerivationWriter out;
    out.formula("d = the sum of w * tf-idf over the words of the text");
    const auto words = weights_.of(text, tokenizer);
    for (std::size_t k = machines_.rows == 1 ? 1 : 0; k < labels.size(); ++k) {
        out.note(fmt::format("{} against the rest:", labels[k].text()));
        if (words.empty() || words.size() > longest_sum) {
            out.note(fmt::format("d = {:.6g} ({} words)", scores[k], words.size()));
            continue;
        }
        Parts sum;
        for (const auto& [word, v] : words) append(sum, {sum.empty() ? "" : " + ", Number::real(weight(k, word)), " * ", Number::real(v)});
        out.begin(sum);
        out.result(Number::real(scores[k]));
    }
    const std::string& best = labels[best_of(scores)].text();
    out.note(words.empty() ? fmt::format("No word of it is known: {}, the most frequent label.", best)
                           : fmt::format("The largest: {}.", best));
    return std::move(out).take();
}

std::vector<std::string> TextSvmModel::top(std::size_t label, std::size_t n) const {
    std::vector<std::uint32_t> order(weights_.words().size());
    std::iota(order.begin(), order.end(), 0U);
    n = std::min(n, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const double x = weight(label, a);
        const double y = weight(label, b);
        return x != y ? x > y : weights_.words()[a] < weights_.words()[b];
    });
    std::vector<std::string> out;
    for (std::size_t k = 0; k < n; ++k) out.push_back(weights_.words()[order[k]]);
    return out;
}

Result<Json> TextSvmModel::save() const {
    return Json{{"column", schema_.features[0].name},
                {"target", schema_.target.name},
                {"labels", saved(*schema_.target.domain)},
                {"texts", rows_seen_},
                {"words", weights_.words()},
                {"idf", saved(std::span<const double>(weights_.idf()))},
                {"machines", saved(machines_)},
                {"commonest", commonest_}};
}

LearnerPtr make_text_svm(TextSvmOptions options) { return std::make_shared<const TextSvm>(std::move(options)); }

Result<ModelPtr> load_text_svm(const Json& json) {
    auto column = TRY(read_text(json, "column"));
    auto target = TRY(read_text(json, "target"));
    auto labels = TRY(read_member(json, "labels"));
    auto domain = TRY(read_domain(*labels));
    auto texts = TRY(read_count(json, "texts"));
    auto list = TRY(read_member(json, "words"));
    std::vector<std::string> words;
    TextIndex known;
    for (const auto& word : *list) {
        if (!word.is_string() || known.find(word.text()) != TextIndex::unknown) return damaged("a word is invalid, or there twice");
        known.insert(word.text(), 0);
        words.push_back(word.text());
    }
    auto idf = TRY(read_reals(json, "idf"));
    auto machines = TRY(read_matrix(json, "machines"));
    auto commonest = TRY(read_count(json, "commonest"));
    const std::size_t needed = domain->size() == 2 ? 1 : domain->size();
    if (idf.size() != words.size() || machines.columns != words.size() || machines.rows != needed || domain->size() < 2 ||
        commonest >= domain->size())
        return damaged("words, labels and weights do not fit each other");
    Schema schema;
    schema.features = {{std::move(column), ColumnKind::label, nullptr}};
    schema.target = {std::move(target), ColumnKind::label, std::move(domain)};
    return ModelPtr(std::make_shared<const TextSvmModel>(std::move(schema), texts, TextWeights(std::move(words), std::move(idf)),
                                                         std::move(machines), commonest));
}

}  // namespace credence::rt
