// Categorical: named outcomes with probabilities. Where all names are numbers it also has an order and moments.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Categorical final : public Distribution {
public:
    explicit Categorical(std::vector<std::pair<Label, Number>> weights) : weights_(std::move(weights)), ascending_(weights_.size()) {
        std::vector<Label> labels;
        double sum = 0;
        for (const auto& [label, weight] : weights_) {
            labels.push_back(label);
            running_.push_back(sum += weight.real());
        }
        domain_ = make_domain(std::move(labels));
        std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
        const auto before = [this](std::size_t a, std::size_t b) { return weights_[a].first < weights_[b].first; };
        if (!std::is_sorted(ascending_.begin(), ascending_.end(), before)) std::sort(ascending_.begin(), ascending_.end(), before);
    }

    std::string_view name() const override { return "categorical"; }
    std::vector<Parameter> parameters() const override { return {{"weights", weights_}}; }
    Support support() const override { return Support::labels; }
    DomainPtr finite_values() const override { return domain_; }

    Result<Number> pdf(const Outcome& x) const override {
        if (std::holds_alternative<Point>(x)) return outcome_fault(name(), "a label", x);
        return weight_of(x);
    }
    double log_pdf(const Outcome& x) const override {
        const Number weight = weight_of(x);
        return weight.is_zero() ? -infinity : weight.log();
    }
    Result<Number> cdf(const Number& x) const override {
        if (auto fault = worded("cdf")) return *std::move(fault);
        if (x.is_nan()) return x;
        Number sum;
        for (const std::size_t i : ascending_) {
            if (*weights_[i].first.number() <= x) sum += weights_[i].second;
        }
        return sum;
    }
    Result<Number> quantile(const Number& p) const override {
        if (auto fault = worded("quantile")) return *std::move(fault);
        if (auto fault = level_fault(p)) return *std::move(fault);
        Number sum;
        Number last;
        for (const std::size_t i : ascending_) {
            const auto& [label, weight] = weights_[i];
            if (weight.is_zero()) continue;
            sum += weight;
            last = *label.number();
            if (sum >= p) break;
        }
        return last;
    }
    Result<Outcome> mean() const override {
        if (auto fault = worded("mean")) return *std::move(fault);
        return Outcome(expectation());
    }
    Result<Outcome> variance() const override {
        if (auto fault = worded("variance")) return *std::move(fault);
        const Number centre = expectation();
        Number sum;
        for (const auto& [label, weight] : weights_) {
            const Number gap = *label.number() - centre;
            sum += weight * gap * gap;
        }
        return Outcome(sum);
    }
    Result<Number> entropy() const override {
        CompensatedSum sum;
        for (const auto& [label, weight] : weights_) {
            if (!weight.is_zero()) sum.add(-weight.real() * std::log2(weight.real()));
        }
        return Number::real(sum.value());
    }
    Outcome sample(Rng& rng) const override { return weights_[pick(running_, rng)].first; }

private:
    Number weight_of(const Outcome& x) const {
        std::optional<std::size_t> at;
        if (const auto* label = std::get_if<Label>(&x)) at = domain_->find(*label);
        if (const auto* number = std::get_if<Number>(&x)) at = domain_->find(Label::of_number(*number));
        return at ? weights_[*at].second : Number(0);
    }
    Number expectation() const {
        Number sum;
        for (const auto& [label, weight] : weights_) sum += weight * *label.number();
        return sum;
    }
    /// E-TYPE if a label is a word.
    std::optional<Fault> worded(std::string_view function) const {
        const auto word = std::find_if(weights_.begin(), weights_.end(), [](const auto& entry) { return !entry.first.is_number(); });
        if (word == weights_.end()) return std::nullopt;
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("categorical: {} needs labels that are numbers, found '{}'", function, word->first.text()),
                     .label = "its values are words"};
    }

    std::vector<std::pair<Label, Number>> weights_;
    std::vector<std::size_t> ascending_;  // positions in the order of the labels
    std::vector<double> running_;
    DomainPtr domain_;
};

}  // namespace

Result<DistributionPtr> make_categorical(std::vector<std::pair<Label, Number>> weights) {
    std::vector<Number> numbers;
    for (const auto& [label, weight] : weights) numbers.push_back(weight);
    ParameterCheck check("categorical");
    const auto rises = [](const auto& a, const auto& b) { return a.first < b.first; };
    const bool differ = std::adjacent_find(weights.begin(), weights.end(), std::not_fn(rises)) == weights.end();  // as of a range
    std::vector<std::string_view> texts;
    if (!differ)
        for (const auto& [label, weight] : weights) texts.push_back(label.text());
    std::sort(texts.begin(), texts.end());
    const auto twice = std::adjacent_find(texts.begin(), texts.end());
    if (twice != texts.end()) check.require(false, "labels", "differ", fmt::format("'{}' twice", *twice), "each label once");
    check.probabilities("the probabilities", numbers);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Categorical>(std::move(weights)));
}

const FamilyInfo categorical_family{
    .name = "categorical",
    .parameters = {{.name = "weights", .form = Form::weights}},
    .support = Support::labels,
    .range = ValueRange::counts,
    .summary = "One of several labels with the given probabilities, which sum to 1. The items of a list are equally likely.",
    .example = "pdf(categorical({a: 1/3, b: 2/3}), \"b\") == 2/3",
    .make =
        [](Numbers p, Labels labels) {
            std::vector<std::pair<Label, Number>> weights;
            for (std::size_t i = 0; i < labels.size(); ++i) weights.emplace_back(labels[i], p[i]);
            return make_categorical(std::move(weights));
        },
};

}  // namespace credence::rt
