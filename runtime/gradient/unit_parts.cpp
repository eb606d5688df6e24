// What units and networks of them show: weights, with Wald tests where the likelihood was maximised; layers.

#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/gradient/linear.hpp"
#include "runtime/gradient/neural.hpp"
#include "runtime/prob/models/model_parts.hpp"

namespace credence::rt {

Number counted_weight(double sum) {
    constexpr double largest = 1e15;
    return sum == std::floor(sum) && sum < largest ? Number(Rational(static_cast<std::int64_t>(sum))) : Number::real(sum);
}

ModelPart LinearPart::weights_part(const Schema& schema) const {
    std::vector<std::string> labels;
    std::vector<std::string> names;
    std::vector<double> weights;
    std::vector<double> errors;
    std::vector<double> z;
    std::vector<double> p;
    for (std::size_t u = 0; u < fit_.units.size(); ++u)
        for (std::size_t t = 0; t < fit_.units[u].size(); ++t) {
            if (fit_.units.size() > 1) labels.push_back((*schema.target.domain)[u + 1].text());
            names.push_back(t == 0 ? "intercept" : terms_[t - 1].name);
            weights.push_back(fit_.units[u][t].real());
            if (fit_.standard_errors.empty()) continue;
            errors.push_back(fit_.standard_errors[u][t]);
            z.push_back(weights.back() / errors.back());
            p.push_back(2 * normal_lower(-std::abs(z.back())));
        }
    PartTable out;
    if (!labels.empty()) out.names(schema.target.name, labels);
    out.names("term", names).numbers("weight", weights);
    if (!errors.empty()) out.numbers("standard_error", errors).numbers("z", z).numbers("p", p);
    return std::move(out).part("weights");
}

ModelParts LinearClassifier::parts() const {
    ModelParts out{weights_part(schema_)};
    const Domain& labels = *schema_.target.domain;
    if (kind_ == Kind::perceptron) {
        out.push_back(words_part("positive", labels[1].text()));
        out.push_back(ModelPart{"rows_wrong", counted_weight(fit_.loss)});
        out.push_back(count_part("epochs", fit_.history.size()));
        out.push_back(count_part("rows", rows_seen_));
        return out;
    }
    if (labels.size() == 2)
        out.push_back(words_part("weights_for", labels[1].text()));
    else
        out.push_back(words_part("compared_with", labels[0].text()));
    const std::size_t free = fit_.units.size() * (terms_.size() + 1);
    out.push_back(figure("log_likelihood", -fit_.loss));
    if (fit_.ridge > 0) out.push_back(figure("ridge", fit_.ridge));
    out.push_back(count_part("rows", rows_seen_));
    out.push_back(figure("deviance", 2 * fit_.loss, true));
    out.push_back(figure("AIC", 2 * fit_.loss + 2 * static_cast<double>(free), true));
    out.push_back(count_part("steps", fit_.history.size() - 1, true));
    return out;
}

ModelParts LinearRegressor::parts() const {
    if (link_ == Link::logistic) {
        ModelParts out{weights_part(schema_), figure("cross_entropy", fit_.loss)};
        if (fit_.ridge > 0) out.push_back(figure("ridge", fit_.ridge));
        out.push_back(count_part("rows", rows_seen_));
        out.push_back(count_part("steps", fit_.history.size() - 1, true));
        return out;
    }
    return {weights_part(schema_), figure("squared_error", 2 * fit_.loss), count_part("rows", rows_seen_),
            count_part("epochs", fit_.history.size() - 1, true)};
}

ModelParts NetworkPart::listed_parts(const Schema&, std::size_t rows) const {
    std::vector<std::string> names;
    std::vector<double> units;
    std::vector<double> weights;
    std::vector<std::string> activations;
    for (std::size_t l = 0; l < network_.shape.layers.size(); ++l) {
        const auto& layer = network_.shape.layers[l];
        const bool last = l + 1 == network_.shape.layers.size();
        names.push_back(last ? "output" : "hidden " + std::to_string(l + 1));
        units.push_back(static_cast<double>(layer.units));
        activations.emplace_back(activation_name(layer.activation));
        weights.push_back(static_cast<double>(layer.units * layer.width()));
    }
    PartTable layers;
    layers.names("layer", names).numbers("units", units).names("activation", activations).numbers("weights", weights);
    ModelParts out{std::move(layers).part("layers"), count_part("inputs", network_.terms.size()), figure("loss", network_.loss)};
    if (!network_.history.empty()) out.push_back(count_part("epochs", network_.history.size()));
    if (!network_.validation.empty()) out.push_back(figure("validation_loss", network_.validation.back()));
    out.push_back(count_part("rows", rows));
    std::vector<std::string> inputs;
    for (const auto& term : network_.terms) inputs.push_back(term.name);
    const auto by_layer = network_.layers();
    for (std::size_t l = 0; l < by_layer.size(); ++l) {
        inputs.insert(inputs.begin(), "bias");
        PartTable table;
        table.names("from", inputs);
        inputs.clear();
        for (std::size_t u = 0; u < by_layer[l].size(); ++u) {
            inputs.push_back("unit " + std::to_string(u + 1));
            table.numbers(inputs.back(), by_layer[l][u]);
        }
        out.push_back(std::move(table).part("weights of " + names[l], true));
    }
    return out;
}

}  // namespace credence::rt
