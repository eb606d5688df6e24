// What naive Bayes shows of itself: the priors, and for each column its table or its moments by class.

#include "runtime/classify/naive_bayes.hpp"
#include "runtime/classify/naive_bayes_text.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/model_parts.hpp"

namespace credence::rt {

ModelParts NaiveBayesModel::parts() const {
    ModelParts out{{"priors", priors()}};
    const Domain& labels = *schema_.target.domain;
    for (std::size_t f = 0; f < schema_.features.size(); ++f) {
        const auto& counts = counts_.features[f];
        const std::string& name = schema_.features[f].name;
        if (!counts.is_normal()) {
            if (counts.values->size() > 0) out.push_back({name, conditionals(f)});
            continue;
        }
        std::vector<double> mean;
        std::vector<double> spread;
        for (std::size_t c = 0; c < labels.size(); ++c) {
            const bool seen = counts.spreads[c].weight > 0;
            mean.push_back(seen ? counts.spreads[c].mean : missing_value);
            spread.push_back(seen ? sd(f, c) : missing_value);
        }
        PartTable moments;
        moments.names(schema_.target.name, labels).numbers("mean", mean).numbers("sd", spread);
        out.push_back(std::move(moments).part(name));
    }
    return out;
}

/// For each class its share of the texts, its words, and its most typical words.
ModelParts NaiveBayesTextModel::parts() const {
    constexpr std::size_t most = 8;
    const Domain& labels = *schema_.target.domain;
    double all = 0;
    for (const double n : counts_->documents()) all += n;
    std::vector<double> texts;
    std::vector<double> priors;
    std::vector<double> words;
    std::vector<std::string> telling;
    for (std::size_t c = 0; c < labels.size(); ++c) {
        texts.push_back(counts_->documents()[c]);
        priors.push_back(texts[c] / all);
        words.push_back(totals_[c]);
        telling.push_back(joined(top(c, most), " "));
    }
    PartTable classes;
    classes.names(schema_.target.name, labels).numbers("texts", texts).numbers("prior", priors).numbers("words", words);
    PartTable words_by_class;
    words_by_class.names(schema_.target.name, labels).names("words", telling);
    return {std::move(classes).part("classes"), std::move(words_by_class).part("telling"), count_part("vocabulary", vocabulary_.size())};
}

}  // namespace credence::rt
