#include "runtime/classify/naive_bayes_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/classify/naive_bayes_scores.hpp"
#include "runtime/core/parallel.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/design.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

Schema text_schema(const std::string& column, const std::string& target, const TextCounts& counts) {
    Schema out;
    out.features = {{column, ColumnKind::label, nullptr}};  // no domain: any text
    out.target = {target, ColumnKind::label, make_domain(counts.classes())};
    return out;
}

}  // namespace

Result<RowTexts> RowTexts::of(const Column& column, const TableView& rows, const WordRule& words) {
    RowTexts out(column, rows);
    if (words.kind != WordRule::Kind::function) return out;
    std::vector<std::string> prepared;
    for (std::size_t i = 0; i < rows.size(); ++i) prepared.push_back(TRY(words.prepared(out[i])));
    out.prepared_ = std::move(prepared);
    return out;
}

std::string_view RowTexts::operator[](std::size_t i) const {
    if (!prepared_.empty()) return prepared_[i];
    const auto code = column_->codes[rows_.row(i)];
    return code < 0 ? std::string_view{} : std::string_view((*column_->domain)[static_cast<std::size_t>(code)].text());
}

// --- counting ---------------------------------------------------------------------------------------------------------

std::size_t TextCounts::class_of(const Label& label) {
    for (std::size_t c = 0; c < classes_.size(); ++c)
        if (classes_[c] == label) return c;
    put_class(label, 0);
    return classes_.size() - 1;
}

void TextCounts::put_class(const Label& label, double documents) {
    classes_.push_back(label);
    documents_.push_back(documents);
    counts_.emplace_back(words_.size(), 0.0);
}

std::size_t TextCounts::word_of(std::string_view word) {
    const std::int32_t code = index_.find(word);
    if (code != TextIndex::unknown) return static_cast<std::size_t>(code);
    index_.insert(word, static_cast<std::int32_t>(words_.size()));
    words_.emplace_back(word);
    return words_.size() - 1;
}

void TextCounts::add(std::size_t label, std::string_view text, double weight, Tokenizer& tokenizer) {
    documents_[label] += weight;
    ++texts_;
    auto& counts = counts_[label];
    tokenizer.each(text, [&](std::string_view word) {
        const std::size_t w = word_of(word);
        if (w >= counts.size()) counts.resize(std::max(w + 1, counts.size() * 2), 0.0);
        counts[w] += weight;
    });
}

void TextCounts::put(std::string word, std::span<const double> by_class) {
    const std::size_t w = word_of(word);
    for (std::size_t c = 0; c < by_class.size(); ++c) {
        if (w >= counts_[c].size()) counts_[c].resize(std::max(w + 1, counts_[c].size() * 2), 0.0);
        counts_[c][w] += by_class[c];
    }
}

// --- the model --------------------------------------------------------------------------------------------------------

NaiveBayesTextModel::NaiveBayesTextModel(TextSettings settings, std::string target, std::shared_ptr<const TextCounts> counts)
    : Classifier(text_schema(settings.column, target, *counts), counts->texts()),
      settings_(std::move(settings)),
      counts_(std::move(counts)) {
    const std::size_t labels = counts_->classes().size();
    const auto& words = counts_->words();
    std::vector<double> frequency(words.size(), 0);
    for (std::size_t c = 0; c < labels; ++c)
        for (std::size_t w = 0; w < words.size(); ++w) frequency[w] += counts_->count(w, c);
    std::vector<std::size_t> order(words.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return frequency[a] != frequency[b] ? frequency[a] > frequency[b] : words[a] < words[b];
    });
    for (std::size_t i = std::min(dropped(), order.size()); i < order.size(); ++i) {
        if (frequency[order[i]] < static_cast<double>(least_count())) break;
        word_of_.push_back(order[i]);
        index_.insert(words[order[i]], static_cast<std::int32_t>(vocabulary_.size()));
        vocabulary_.push_back(words[order[i]]);
    }
    totals_.assign(labels, 0);
    double documents = 0;
    for (const double n : counts_->documents()) documents += n;
    for (std::size_t c = 0; c < labels; ++c) {
        for (const auto w : word_of_) totals_[c] += counts_->count(w, c);
        log_prior_.push_back(std::log(counts_->documents()[c] / documents));
    }
    const double alpha = settings_.alpha.real();
    log_word_.resize(vocabulary_.size() * labels);
    for (std::size_t c = 0; c < labels; ++c) {
        const double below = std::log(totals_[c] + alpha * static_cast<double>(vocabulary_.size()));
        for (std::size_t v = 0; v < vocabulary_.size(); ++v)
            log_word_[v * labels + c] = std::log(counts_->count(word_of_[v], c) + alpha) - below;
    }
}

/// Of many words the commonest carry little information and the rarest are chance; the figures are those of Mitchell's experiment with
/// newsgroups.
bool NaiveBayesTextModel::has_many_words() const { return counts_->words().size() >= 10'000; }
std::size_t NaiveBayesTextModel::dropped() const { return settings_.drop_top.value_or(has_many_words() ? 100 : 0); }
std::size_t NaiveBayesTextModel::least_count() const { return settings_.min_count.value_or(has_many_words() ? 3 : 1); }

std::string NaiveBayesTextModel::left_out_note() const {
    if (!has_many_words()) return {};
    std::vector<std::string> out;
    if (!settings_.drop_top) out.push_back(fmt::format("the {} commonest (drop_top: 0 keeps them)", dropped()));
    if (!settings_.min_count) out.push_back(fmt::format("those seen fewer than {} times (min_count: 1 keeps them)", least_count()));
    return out.empty() ? "" : fmt::format("of {} different words, {} are left out", counts_->words().size(), joined(out, " and "));
}

std::string NaiveBayesTextModel::description() const {
    return fmt::format("{} from {} ({}, {} words)", schema_.target.name, settings_.column, counted(rows_seen_, "text"), vocabulary_.size());
}

void NaiveBayesTextModel::score(std::string_view text, Tokenizer& tokenizer, std::span<double> out) const {
    const std::size_t labels = out.size();
    std::copy(log_prior_.begin(), log_prior_.end(), out.begin());
    tokenizer.each(text, [&](std::string_view word) {
        const std::int32_t v = index_.find(word);
        if (v == TextIndex::unknown) return;
        const double* from = log_word_.data() + static_cast<std::size_t>(v) * labels;
        for (std::size_t c = 0; c < labels; ++c) out[c] += from[c];
    });
}

namespace {

constexpr std::size_t texts_a_task = 64;

}  // namespace

Status NaiveBayesTextModel::classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const {
    const std::size_t labels = log_prior_.size();
    const auto texts = TRY(RowTexts::of(*rows.table->columns[0], rows, settings_.words));
    parallel_chunks(rows.size(), texts_a_task, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        Tokenizer tokenizer(settings_.words);
        std::vector<double> scores(labels);
        for (std::size_t i = begin; i < end; ++i) {
            score(texts[i], tokenizer, scores);
            out[i] = std::max(0, best_class(scores));
        }
    });
    return Done{};
}

Status NaiveBayesTextModel::probabilities(const TableView& rows, std::span<double> out, Run& run) const {
    const std::size_t labels = log_prior_.size();
    const auto texts = TRY(RowTexts::of(*rows.table->columns[0], rows, settings_.words));
    parallel_chunks(rows.size(), texts_a_task, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        Tokenizer tokenizer(settings_.words);
        for (std::size_t i = begin; i < end; ++i) {
            const auto shares = out.subspan(i * labels, labels);
            score(texts[i], tokenizer, shares);
            const double high = *std::max_element(shares.begin(), shares.end());
            double total = 0;
            for (double& s : shares) total += s = std::exp(s - high);
            for (double& s : shares) s /= total;
        }
    });
    return Done{};
}

std::vector<std::string> NaiveBayesTextModel::top(std::size_t label, std::size_t n) const {
    const std::size_t labels = log_prior_.size();
    std::vector<double> weight(vocabulary_.size());
    for (std::size_t v = 0; v < vocabulary_.size(); ++v) {
        double any = 0;  // P(w), whatever the class
        for (std::size_t c = 0; c < labels; ++c) any += std::exp(log_prior_[c] + log_word_[v * labels + c]);
        const double p = std::exp(log_word_[v * labels + label]);
        weight[v] = p * (log_word_[v * labels + label] - std::log(any));
    }
    std::vector<std::size_t> order(vocabulary_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::min(n, order.size()); ++i) out.push_back(vocabulary_[order[i]]);
    return out;
}

// --- training ---------------------------------------------------------------------------------------------------------

namespace {

Result<ColumnPtr> text_column(const Table& table, const std::string& name) {
    const auto found = table.find(name);
    if (!found) return no_such_column(name, column_names(table));
    if (table.target == found)
        return Fault{.code = "E-TRAIN", .message = fmt::format("{} is the target and cannot also be the text", name)};
    const ColumnPtr& column = table.columns[*found];
    return column->kind == ColumnKind::numeric ? as_labels(column) : column;
}

Status count_rows_of(TextCounts& counts, const TableView& rows, const Column& column, const Column& target, std::span<const double> weights,
                     const WordRule& words) {
    const auto texts = TRY(RowTexts::of(column, rows, words));
    Tokenizer tokenizer(words);
    std::vector<std::int64_t> class_of(target.domain->size(), -1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows.row(i);
        if (target.codes[r] < 0) continue;
        auto& c = class_of[static_cast<std::size_t>(target.codes[r])];
        if (c < 0) c = static_cast<std::int64_t>(counts.class_of((*target.domain)[static_cast<std::size_t>(target.codes[r])]));
        counts.add(static_cast<std::size_t>(c), texts[i], weights.empty() ? 1 : weights[i], tokenizer);
    }
    return Done{};
}

class NaiveBayesText final : public Learner {
public:
    explicit NaiveBayesText(TextSettings settings) : settings_(std::move(settings)) {}
    std::string_view name() const override { return "naive_bayes_text"; }
    TargetKind target() const override { return TargetKind::label; }
    bool single_threaded() const override { return settings_.words.kind == WordRule::Kind::function; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        TextSettings settings = settings_;
        if (settings.column.empty()) {
            const auto features = feature_columns(*rows.table);
            if (features.size() != 1)
                return Fault{.code = "E-ARGUMENT",
                             .message = fmt::format("the table has {} columns besides the target: which one is the text?", features.size()),
                             .hint = "naive_bayes_text(column: Text)"};
            settings.column = features[0]->name;
        }
        auto texts = TRY(text_column(*rows.table, settings.column));
        const Column& target = *rows.table->columns[*rows.table->target];
        auto counts = std::make_shared<TextCounts>();
        for (const auto& label : target.domain->labels()) counts->class_of(label);
        TRY(count_rows_of(*counts, rows, *texts, target, weights, settings.words));
        auto model = std::make_shared<const NaiveBayesTextModel>(std::move(settings), target.name, std::move(counts));
        if (model->vocabulary().empty() && run.note)
            run.note(fmt::format("no word of {} is in the vocabulary: every text gets the most frequent class",
                                 model->schema().features[0].name));
        if (const std::string note = model->left_out_note(); !note.empty() && run.note) run.note(note);
        return ModelPtr(std::move(model));
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        return dynamic_cast<const NaiveBayesTextModel&>(fitted).explain_counts();
    }

private:
    TextSettings settings_;
};

}  // namespace

Result<ModelPtr> NaiveBayesTextModel::update(const TableView& rows, std::span<const double> weights, Run&) const {
    auto texts = TRY(text_column(*rows.table, settings_.column));
    const auto at = rows.table->find(schema_.target.name);
    if (!at) return no_such_column(schema_.target.name, column_names(*rows.table));
    const ColumnPtr& column = rows.table->columns[*at];
    const ColumnPtr target = column->kind == ColumnKind::numeric ? as_labels(column) : column;
    auto counts = std::make_shared<TextCounts>(*counts_);
    TRY(count_rows_of(*counts, rows, *texts, *target, weights, settings_.words));
    return ModelPtr(std::make_shared<const NaiveBayesTextModel>(settings_, schema_.target.name, std::move(counts)));
}

LearnerPtr make_naive_bayes_text(TextSettings settings) { return std::make_shared<const NaiveBayesText>(std::move(settings)); }

// --- files ------------------------------------------------------------------------------------------------------------

Result<Json> NaiveBayesTextModel::save() const {
    if (settings_.words.kind == WordRule::Kind::function)
        return Fault{.code = "E-FILE",
                     .message = "a model whose words come from a function of the script cannot be saved",
                     .hint = "a pattern can: words: pattern(\"[a-z]+\")"};
    const std::size_t labels = log_prior_.size();
    Json classes = Json::array();
    for (const auto& l : counts_->classes()) classes.push_back(l.text());
    Json words = Json::object();
    std::vector<double> row(labels);
    for (std::size_t w = 0; w < counts_->words().size(); ++w) {
        for (std::size_t c = 0; c < labels; ++c) row[c] = counts_->count(w, c);
        words.set(std::string(counts_->words()[w]), saved(std::span<const double>(row)));
    }
    return Json{{"column", settings_.column},
                {"target", schema_.target.name},
                {"drop_top", dropped()},
                {"min_count", least_count()},
                {"words_by", static_cast<int>(settings_.words.kind)},
                {"pattern", settings_.words.pattern},
                {"alpha", saved(settings_.alpha)},
                {"texts", counts_->texts()},
                {"classes", std::move(classes)},
                {"documents", saved(std::span<const double>(counts_->documents()))},
                {"words", std::move(words)}};
}

Result<ModelPtr> load_naive_bayes_text(const Json& json) {
    TextSettings settings;
    settings.column = TRY(read_text(json, "column"));
    auto target = TRY(read_text(json, "target"));
    settings.drop_top = TRY(read_count(json, "drop_top"));
    settings.min_count = TRY(read_count(json, "min_count"));
    if (json.find("words_by")) {
        const auto kind = TRY(read_count(json, "words_by"));
        settings.words.pattern = TRY(read_text(json, "pattern"));
        if (kind > static_cast<std::size_t>(WordRule::Kind::pattern)) return damaged("the definition of a word is invalid");
        settings.words.kind = static_cast<WordRule::Kind>(kind);
        TRY(check_pattern(settings.words.pattern));
    } else {
        settings.words.kind = WordRule::Kind::letters;
    }
    auto member = TRY(read_member(json, "alpha"));
    auto alpha = TRY(read_number(*member));
    if (alpha.sign() <= 0) return damaged("alpha is not positive");
    settings.alpha = alpha;
    auto texts = TRY(read_count(json, "texts"));
    auto classes = TRY(read_member(json, "classes"));
    auto documents = TRY(read_reals(json, "documents"));
    auto words = TRY(read_member(json, "words"));
    if (!classes->is_array() || classes->empty() || classes->size() != documents.size() || !words->is_object())
        return damaged("there is not one count for each class");
    auto counts = std::make_shared<TextCounts>();
    for (std::size_t c = 0; c < documents.size(); ++c) {
        if (!(*classes)[c].is_string() || !(documents[c] >= 0)) return damaged("a class is invalid");
        counts->put_class(Label::of_text((*classes)[c].text()), documents[c]);
    }
    for (std::size_t w = 0; w < words->size(); ++w) {
        const Json& entry = (*words)[w];
        if (!entry.is_array() || entry.size() != documents.size()) return damaged("a word does not have one count for each class");
        std::vector<double> row;
        for (const auto& n : entry) {
            if (!n.is_number() || !(n.real() >= 0)) return damaged("a count is invalid");
            row.push_back(n.real());
        }
        counts->put(words->keys()[w], row);
    }
    counts->set_texts(texts);
    return ModelPtr(std::make_shared<const NaiveBayesTextModel>(std::move(settings), target, std::move(counts)));
}

}  // namespace credence::rt
