// Naive Bayes as it was learned: its tables, and what it predicts for rows.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "runtime/classify/naive_bayes.hpp"

namespace credence::rt {

namespace {

/// Smallest spread of a class, as a share of the largest column's: a class whose numbers are all equal is sure of them, but not beyond
/// measure. The square, 1e-9, is scikit-learn's var_smoothing.
const double least_share = std::sqrt(1e-9);

}  // namespace

NaiveBayesModel::NaiveBayesModel(Schema schema, std::size_t rows, NaiveBayesSettings settings, NaiveBayesCounts counts,
                                 std::vector<std::vector<Number>> p)
    : Classifier(std::move(schema), rows), settings_(std::move(settings)), counts_(std::move(counts)), p_(std::move(p)) {
    add_up();
    make_tables();
}

Number NaiveBayesModel::prior(std::size_t label) const { return counts_.classes[label] / class_total_; }

void NaiveBayesModel::add_up() {
    class_total_ = 0;
    for (const auto& n : counts_.classes) class_total_ += n;
    for (const auto& f : counts_.features) {
        auto& totals = cell_totals_.emplace_back();
        if (!f.values) continue;
        for (std::size_t c = 0; c < counts_.classes.size(); ++c) {
            Number& total = totals.emplace_back(0);
            for (std::size_t v = 0; v < f.values->size(); ++v) total += f.cells[c * f.values->size() + v];
        }
    }
}

/// (n_v + m·p) / (n + m), n the cells of the class that are there; p itself if there are none and m is 0.
Number NaiveBayesModel::conditional(std::size_t feature, std::size_t label, std::size_t value) const {
    const auto& f = counts_.features[feature];
    const Number& p = p_[feature][value];
    const Number below = cell_total(feature, label) + settings_.m;
    if (below.is_zero()) return p;
    return (f.cells[label * f.values->size() + value] + settings_.m * p) / below;
}

double NaiveBayesModel::sd(std::size_t feature, std::size_t label) const {
    const NormalCounts& s = counts_.features[feature].spreads[label];
    const double all = column_sd_[feature];
    const double own = s.weight > 1 ? std::sqrt(s.squares / (s.weight - 1)) : all;
    return std::max(own, largest_sd_ * least_share);
}

namespace {

/// Fractions where all are, else doubles.
std::variant<std::vector<Rational>, std::vector<double>> table_of_numbers(const std::vector<Number>& numbers) {
    if (std::all_of(numbers.begin(), numbers.end(), [](const Number& n) { return n.is_exact(); })) {
        std::vector<Rational> exact;
        for (const auto& n : numbers) exact.push_back(n.exact());
        return exact;
    }
    std::vector<double> real;
    for (const auto& n : numbers) real.push_back(n.real());
    return real;
}

double log_of(const Number& n) { return n.sign() > 0 ? n.log() : -std::numeric_limits<double>::infinity(); }

}  // namespace

void NaiveBayesModel::make_tables() {
    const std::size_t labels = counts_.classes.size();
    const auto target = static_cast<VarId>(schema_.features.size());
    auto net = std::make_shared<Net>();
    net->name = "naive Bayes";
    scores_.classes = labels;
    column_sd_.assign(schema_.features.size(), 0);
    largest_sd_ = 0;
    for (std::size_t f = 0; f < schema_.features.size(); ++f) {
        if (!counts_.features[f].is_normal()) continue;
        NormalCounts all;
        for (const auto& s : counts_.features[f].spreads) all.add(s);
        column_sd_[f] = all.weight > 1 ? std::sqrt(all.squares / (all.weight - 1)) : 0;
        largest_sd_ = std::max(largest_sd_, column_sd_[f]);
    }
    for (std::size_t f = 0; f < schema_.features.size(); ++f) {
        const FeatureCounts& counts = counts_.features[f];
        NetNode node;
        ScoreTable score;
        if (counts.is_normal()) {
            // The net has a node of one value in its place, so that its variables are numbered as the model's.
            node.variable = {schema_.features[f].name, make_domain({Label::of_text("any")})};
            node.table = std::vector<Rational>{1};
            score.mean.assign(labels, 0);
            score.inverse_sd.assign(labels, 0);
            score.log_norm.assign(labels, 0);
            for (std::size_t c = 0; c < labels && column_sd_[f] > 0; ++c) {
                if (counts.spreads[c].weight == 0) continue;
                score.mean[c] = counts.spreads[c].mean;
                score.inverse_sd[c] = 1 / sd(f, c);
                score.log_norm[c] = -std::log(sd(f, c)) - std::log(2 * std::numbers::pi) / 2;
            }
        } else if (counts.values->size() == 0) {  // all its cells are missing
            node.variable = {schema_.features[f].name, make_domain({Label::of_text("any")})};
            node.table = std::vector<Rational>{1};
            score.by_code.assign(labels, 0);
        } else {
            node.variable = {schema_.features[f].name, counts.values};
            node.parents = {target};
            std::vector<Number> entries;
            for (std::size_t c = 0; c < labels; ++c)
                for (std::size_t v = 0; v < counts.values->size(); ++v) entries.push_back(conditional(f, c, v));
            score.by_code.assign((counts.values->size() + 1) * labels, 0);
            for (std::size_t c = 0; c < labels; ++c)
                for (std::size_t v = 0; v < counts.values->size(); ++v)
                    score.by_code[(v + 1) * labels + c] = log_of(entries[c * counts.values->size() + v]);
            score.cuts = counts.cuts;
            node.table = table_of_numbers(entries);
        }
        scores_.features.push_back(std::move(score));
        net->nodes.push_back(std::move(node));
    }
    std::vector<Number> priors;
    for (std::size_t c = 0; c < labels; ++c) {
        priors.push_back(prior(c));
        scores_.prior.push_back(log_of(priors.back()));
    }
    NetNode root;
    root.variable = {schema_.target.name, schema_.target.domain};
    root.table = table_of_numbers(priors);
    net->nodes.push_back(std::move(root));
    net_ = make_net_model(std::move(net));
}

// --- rows -------------------------------------------------------------------------------------------------------------

Status NaiveBayesModel::classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const {
    const std::size_t k = scores_.classes;
    score_rows(scores_, rows, run.threads, [&](std::size_t first, std::span<const double> scores) {
        for (std::size_t i = 0; i * k < scores.size(); ++i) out[first + i] = best_class(scores.subspan(i * k, k));
    });
    std::size_t impossible = 0;
    const std::int32_t common = best_class(scores_.prior);
    for (auto& c : out)
        if (c < 0) {
            c = common;
            ++impossible;
        }
    if (impossible > 0 && run.note)
        run.note(fmt::format("{} row{} probability zero in every class and {} the most frequent one; with m: 1 nothing is impossible",
                             impossible, impossible == 1 ? " has" : "s have", impossible == 1 ? "gets" : "get"));
    return Done{};
}

void NaiveBayesModel::fall_back(std::span<double> shares) const {
    for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = std::exp(scores_.prior[c]);
}

Status NaiveBayesModel::probabilities(const TableView& rows, std::span<double> out, Run& run) const {
    const std::size_t k = scores_.classes;
    score_rows(scores_, rows, run.threads, [&](std::size_t first, std::span<const double> scores) {
        for (std::size_t i = 0; i * k < scores.size(); ++i) {
            const auto row = scores.subspan(i * k, k);
            const auto shares = out.subspan((first + i) * k, k);
            const double high = *std::max_element(row.begin(), row.end());
            if (!(high > -std::numeric_limits<double>::infinity())) {
                fall_back(shares);
                continue;
            }
            double total = 0;
            for (std::size_t c = 0; c < k; ++c) total += shares[c] = std::exp(row[c] - high);
            for (double& share : shares) share /= total;
        }
    });
    return Done{};
}

// --- members ----------------------------------------------------------------------------------------------------------

Factor NaiveBayesModel::priors() const {
    std::vector<Number> out;
    for (std::size_t c = 0; c < counts_.classes.size(); ++c) out.push_back(prior(c));
    return Factor::of_numbers({{schema_.target.name, schema_.target.domain}}, out);
}

Factor NaiveBayesModel::conditionals(std::size_t feature) const {
    const auto& values = counts_.features[feature].values;
    std::vector<Number> out;
    for (std::size_t c = 0; c < counts_.classes.size(); ++c)
        for (std::size_t v = 0; v < values->size(); ++v) out.push_back(conditional(feature, c, v));
    return Factor::of_numbers({{schema_.target.name, schema_.target.domain}, {schema_.features[feature].name, values}}, out);
}

Result<DistributionPtr> NaiveBayesModel::normal(std::size_t feature, std::size_t label) const {
    const NormalCounts& s = counts_.features[feature].spreads[label];
    if (s.weight == 0 || !(column_sd_[feature] > 0))
        return Fault{.code = "E-EMPTY",
                     .message = fmt::format("the spread of {} is unknown for {} = {}", schema_.features[feature].name, schema_.target.name,
                                            (*schema_.target.domain)[label].text())};
    return make_normal(Number::real(s.mean), Number::real(sd(feature, label)));
}

}  // namespace credence::rt
