// What naive Bayes over texts answers, and how it explains it.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/classify/naive_bayes_text.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt {

namespace {

std::string as_written(double n) { return n == std::floor(n) ? fmt::format("{}", static_cast<std::int64_t>(n)) : fmt::format("{:.9g}", n); }

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> NaiveBayesTextModel::known_words(std::string_view text) const {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    Tokenizer tokenizer(settings_.words);
    tokenizer.each(text, [&](std::string_view word) {
        const std::int32_t v = index_.find(word);
        if (v == TextIndex::unknown) return;
        const auto found = std::find_if(out.begin(), out.end(), [&](const auto& p) { return p.first == static_cast<std::size_t>(v); });
        if (found == out.end())
            out.emplace_back(static_cast<std::size_t>(v), 1);
        else
            ++found->second;
    });
    return out;
}

Number NaiveBayesTextModel::conditional(std::size_t word, std::size_t label) const {
    const auto number = [](double n) { return Number(Rational::from_decimal(n)); };
    const Number size(Rational(static_cast<std::int64_t>(vocabulary_.size())));
    return (number(counts_->count(word_of_[word], label)) + settings_.alpha) / (number(totals_[label]) + settings_.alpha * size);
}

std::optional<std::vector<Rational>> NaiveBayesTextModel::exact_products(std::string_view text) const {
    constexpr std::size_t most_words = 40;  // beyond that the fractions are too long to be of use
    const auto words = known_words(text);
    std::size_t n = 0;
    for (const auto& [word, times] : words) n += times;
    if (!settings_.alpha.is_exact() || n > most_words || rows_seen_ > max_exact_rows) return std::nullopt;
    std::vector<Rational> out(log_prior_.size(), Rational(1));
    for (std::size_t c = 0; c < out.size(); ++c)
        for (const auto& [word, times] : words) out[c] *= conditional(word, c).exact().pow(static_cast<std::int64_t>(times));
    return out;
}

Attempt<std::vector<Rational>> NaiveBayesTextModel::exact_probabilities(const TableView& rows, Run&) const {
    const auto texts = TRY(RowTexts::of(*rows.table->columns[0], rows, settings_.words));
    auto out = exact_products(texts[0]);
    if (!out) return not_applicable;
    Rational total = 0;
    for (std::size_t c = 0; c < out->size(); ++c) total += (*out)[c] *= Rational::from_decimal(counts_->documents()[c]);
    if (total.is_zero()) return not_applicable;
    for (auto& share : *out) share /= total;
    return *std::move(out);
}

/// P(class, text = "…") and P(text = "…" | class) are the products that a prediction compares: P(c) · Π P(word | c) over the words of the
/// vocabulary, at their positions. The model does not describe the text's length.
Result<Answer> NaiveBayesTextModel::ask(const Query& query, Run& run) const {
    const auto text_id = static_cast<VarId>(0);
    const auto class_id = static_cast<VarId>(1);
    std::vector<Event> of_text;
    std::vector<Event> of_class;
    for (const auto& event : conjuncts(query.targets.events)) {
        const auto named = variables_of(event);
        const bool text = contains(named, text_id);
        (text ? of_text : of_class).push_back(event);
    }
    if (of_text.empty()) return Classifier::ask(query, run);
    const auto refuse = [&](Origin origin) {
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("a {} answers P({} | {} = …), P({}, {} = …) and P({} = … | {})", kind(), schema_.target.name,
                                            settings_.column, schema_.target.name, settings_.column, settings_.column, schema_.target.name),
                     .origin = origin};
    };
    const Clause& given = query.given;
    const bool is_text = of_text[0].kind == Event::Kind::atom && of_text[0].atom.compare == Compare::equal;
    if (of_text.size() > 1 || !is_text) return refuse(of_text.back().origin);
    if (!query.doing.empty() || !query.targets.observations.empty() || !query.targets.data.empty() || !given.observations.empty() ||
        !given.data.empty() || !given.soft.empty())
        return refuse(query.origin);
    const std::size_t labels = log_prior_.size();
    const auto class_mask = [&](std::span<const Event> events) -> Result<std::vector<char>> {
        std::vector<char> out(labels, 1);
        for (const auto& event : events) {
            if (const auto named = variables_of(event); named.size() != 1 || named[0] != class_id) return refuse(event.origin);
            auto table = TRY(table_of(event, variables(), run));
            for (std::size_t c = 0; c < labels; ++c) out[c] = out[c] && table.truth[c];
        }
        return out;
    };
    auto wanted = TRY(class_mask(of_class));
    auto known = TRY(class_mask(given.events));
    for (const auto& free : {query.targets.free, given.free})
        for (const auto id : free)
            if (id != class_id) return refuse(query.origin);

    const std::string text = TRY(settings_.words.prepared(of_text[0].atom.values[0].text()));
    auto exact = run.numbers == NumberMode::real ? std::nullopt : exact_products(text);
    std::vector<Number> entries(labels, Number(0));
    Number documents = 0;
    for (std::size_t c = 0; c < labels; ++c) {
        const Number own(Rational::from_decimal(counts_->documents()[c]));
        if (known[c]) documents += own;
        if (!known[c] || !wanted[c]) continue;
        double log_product = 0;
        if (!exact)
            for (const auto& [word, times] : known_words(text)) log_product += static_cast<double>(times) * log_word_[word * labels + c];
        const Number product = exact ? Number((*exact)[c]) : Number::real(std::exp(log_product));
        entries[c] = given.free.empty() ? product * own : product;
    }
    if (given.free.empty()) {
        if (documents.is_zero()) return Fault{.code = "E-ZERO", .message = "the evidence has probability zero", .origin = query.origin};
        for (auto& entry : entries) entry = entry / documents;
    }
    Answer answer;
    answer.engine = kind();
    answer.exact = exact.has_value();
    const Variable& of = variables()[index(class_id)].variable;
    if (query.targets.free.empty() && given.free.empty()) {
        Number total = 0;
        for (const auto& entry : entries) total += entry;
        answer.value = total;
    } else if (query.goal == Goal::most_probable && given.free.empty()) {
        const Extreme best = argmax(Factor::of_numbers({of}, entries));
        answer.value = Assignment{{{of, (*of.domain)[best.entry]}}, entries[best.entry], best.ties.size()};
    } else {
        answer.value = Factor::of_numbers({of}, entries);
    }
    return answer;
}

Derivation NaiveBayesTextModel::explain_counts() const {
    DerivationWriter out;
    const std::string& target = schema_.target.name;
    double documents = 0;
    for (const double n : counts_->documents()) documents += n;
    out.formula(fmt::format("P({} = c) = texts of c / all texts", target));
    out.formula("P(word | c) = (n_word + alpha) / (n + alpha * words of the vocabulary)");
    out.note(fmt::format("{} words in the vocabulary, alpha = {:.6g}", vocabulary_.size(), settings_.alpha.real()));
    for (std::size_t c = 0; c < log_prior_.size(); ++c) {
        const std::string label = (*schema_.target.domain)[c].text();
        out.note(fmt::format("P({} = {}): {} of {} texts; n = {} words", target, label, as_written(counts_->documents()[c]),
                             as_written(documents), as_written(totals_[c])));
        for (const auto& word : top(c, cases_shown)) {
            const auto found = std::find(vocabulary_.begin(), vocabulary_.end(), word);
            const auto w = static_cast<std::size_t>(found - vocabulary_.begin());
            out.note(fmt::format("  P({} | {}): n_word = {}, {}", word, label, as_written(counts_->count(word_of_[w], c)),
                                 fraction_told(conditional(w, c))));
        }
    }
    return std::move(out).take();
}

Result<Derivation> NaiveBayesTextModel::explain_prediction(const TableView& rows, Run& run) const {
    const auto texts = TRY(RowTexts::of(*rows.table->columns[0], rows, settings_.words));
    const std::string_view text = texts[0];
    const auto words = known_words(text);
    const std::string& target = schema_.target.name;
    const std::size_t labels = log_prior_.size();
    DerivationWriter out;
    out.formula(fmt::format("P({} = c | text) = P(c) * product of P(word | c) / the sum over all c", target));
    out.formula("P(word | c) = (n_word + alpha) / (n + alpha * words of the vocabulary)");
    std::vector<double> shares(labels);
    TRY(probabilities(rows, shares, run));
    auto exact = TRY(exact_probabilities(rows, run).or_nothing());
    if (words.empty()) out.note("No word of the text is in the vocabulary: P(c) alone decides.");
    double documents = 0;
    for (const double n : counts_->documents()) documents += n;
    if (words.size() <= longest_sum && labels <= cases_shown && exact) {
        std::vector<Number> weights;
        for (std::size_t c = 0; c < labels; ++c) {
            std::string names = fmt::format("P({})", (*schema_.target.domain)[c].text());
            std::string line = fmt::format("{}/{}", as_written(counts_->documents()[c]), as_written(documents));
            Number weight(Rational::from_decimal(counts_->documents()[c]) / Rational::from_decimal(documents));
            for (const auto& [word, times] : words)
                for (std::size_t k = 0; k < times; ++k) {
                    names += fmt::format(" * P({} | {})", vocabulary_[word], (*schema_.target.domain)[c].text());
                    line += fmt::format(" * ({} + {})/({} + {} * {})", as_written(counts_->count(word_of_[word], c)),
                                        settings_.alpha.exact().text(), as_written(totals_[c]), settings_.alpha.exact().text(),
                                        vocabulary_.size());
                    weight *= conditional(word, c);
                }
            out.formula(names);
            out.begin({line});
            out.result(weight);
            weights.push_back(std::move(weight));
        }
        Number sum = 0;
        for (const auto& w : weights) sum += w;
        for (std::size_t c = 0; c < labels; ++c) {
            out.formula(fmt::format("P({} = {} | text)", target, (*schema_.target.domain)[c].text()));
            Parts line{std::string("("), weights[c], std::string(") / (")};
            for (std::size_t k = 0; k < labels; ++k) {
                if (k > 0) line.emplace_back(std::string(" + "));
                line.emplace_back(weights[k]);
            }
            line.emplace_back(std::string(")"));
            out.begin(std::move(line));
            out.result(weights[c] / sum);
        }
        return std::move(out).take();
    }
    // Too long to write out: the words that part the first class from the second.
    std::vector<std::size_t> order(labels);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
    for (std::size_t i = 0; i < std::min(cases_shown, labels); ++i)
        out.note(fmt::format("P({} = {} | text) = {:.6g}", target, (*schema_.target.domain)[order[i]].text(), shares[order[i]]));
    if (labels < 2) return std::move(out).take();
    std::vector<std::pair<double, std::string>> telling;
    for (const auto& [word, times] : words)
        telling.emplace_back(static_cast<double>(times) * (log_word_[word * labels + order[0]] - log_word_[word * labels + order[1]]),
                             vocabulary_[word]);
    std::stable_sort(telling.begin(), telling.end(), [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
    out.note(fmt::format("{} known words; the strongest evidence for {} (+) against {} (-), in bits:", words.size(),
                         (*schema_.target.domain)[order[0]].text(), (*schema_.target.domain)[order[1]].text()));
    for (std::size_t i = 0; i < std::min<std::size_t>(10, telling.size()); ++i)
        out.note(fmt::format("  {:+.2f}  {}", telling[i].first / std::log(2.0), telling[i].second));
    return std::move(out).take();
}

}  // namespace credence::rt
