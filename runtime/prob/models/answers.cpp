#include "runtime/prob/models/answers.hpp"

#include <algorithm>

namespace credence::rt {

Status answers_of(const Classifier& model, const TableView& rows, std::span<std::int32_t> labels, std::span<double> probabilities,
                  Run& run) {
    if (const auto* together = dynamic_cast<const AnswersTogether*>(&model)) return together->answer(rows, labels, probabilities, run);
    Status done = model.probabilities(rows, probabilities, run);
    if (!done) return done;
    return model.classify(rows, labels, run);
}

void most_probable(std::span<const double> probabilities, std::span<std::int32_t> labels) {
    if (labels.empty()) return;
    const std::size_t each = probabilities.size() / labels.size();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto shares = probabilities.subspan(i * each, each);
        labels[i] = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    }
}

}  // namespace credence::rt
