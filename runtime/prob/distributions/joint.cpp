#include "runtime/prob/distributions/joint.hpp"

#include <cmath>

#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/samples.hpp"

namespace credence::rt {

namespace {

class JointSamples final : public Distribution {
public:
    JointSamples(std::vector<std::string> names, std::vector<std::vector<double>> columns)
        : names_(std::move(names)), columns_(std::move(columns)) {
        for (const auto& column : columns_) {
            const auto own = make_samples(column);
            coordinates_.push_back(own);
            mean_.push_back(std::get<Number>(*own->mean()));
            variance_.push_back(std::get<Number>(*own->variance()));
        }
    }

    const std::vector<std::string>& names() const { return names_; }
    const std::vector<std::vector<double>>& columns() const { return columns_; }
    const DistributionPtr& part(std::size_t i) const { return coordinates_[i]; }

    std::string_view name() const override { return "samples"; }
    std::vector<Parameter> parameters() const override {
        std::vector<Number> sd;
        for (const auto& v : variance_) sd.push_back(Number::real(std::sqrt(v.real())));
        return {{"n", Number(Rational(static_cast<std::int64_t>(columns_[0].size())))}, {"mean", mean_}, {"sd", std::move(sd)}};
    }
    Support support() const override { return Support::vectors; }
    Result<Number> pdf(const Outcome&) const override { return unknown("the density"); }
    double log_pdf(const Outcome&) const override { return std::nan(""); }
    Result<Number> cdf(const Number&) const override { return unordered_fault(name(), "cdf", "vectors"); }
    Result<Number> quantile(const Number&) const override { return unordered_fault(name(), "quantile", "vectors"); }
    Result<Outcome> mean() const override { return Outcome(mean_); }
    Result<Outcome> variance() const override { return Outcome(variance_); }
    Result<Number> entropy() const override { return unknown("the entropy"); }
    Outcome sample(Rng& rng) const override {
        const std::size_t row = rng.below(columns_[0].size());
        Point out;
        for (const auto& column : columns_) out.push_back(Number::real(column[row]));
        return out;
    }

private:
    static Fault unknown(std::string what) {
        return {.code = "E-UNDEFINED", .message = "samples: " + std::move(what) + " of several numbers known by draws is not estimated"};
    }

    std::vector<std::string> names_;
    std::vector<std::vector<double>> columns_;
    std::vector<DistributionPtr> coordinates_;
    Point mean_;
    Point variance_;
};

class Named final : public Distribution {
public:
    Named(DistributionPtr inner, std::vector<std::string> names) : inner_(std::move(inner)), names_(std::move(names)) {}

    const std::vector<std::string>& names() const { return names_; }
    const Distribution& inner() const { return *inner_; }

    std::string_view name() const override { return inner_->name(); }
    std::vector<Parameter> parameters() const override { return inner_->parameters(); }
    Support support() const override { return inner_->support(); }
    Result<Number> pdf(const Outcome& x) const override { return inner_->pdf(x); }
    double log_pdf(const Outcome& x) const override { return inner_->log_pdf(x); }
    Result<Number> cdf(const Number& x) const override { return inner_->cdf(x); }
    Result<Number> quantile(const Number& p) const override { return inner_->quantile(p); }
    Result<Outcome> mean() const override { return inner_->mean(); }
    Result<Outcome> variance() const override { return inner_->variance(); }
    Result<Outcome> mode() const override { return inner_->mode(); }
    Result<Number> entropy() const override { return inner_->entropy(); }
    Outcome sample(Rng& rng) const override { return inner_->sample(rng); }

private:
    DistributionPtr inner_;
    std::vector<std::string> names_;
};

}  // namespace

DistributionPtr make_joint_samples(std::vector<std::string> names, std::vector<std::vector<double>> columns) {
    return std::make_shared<const JointSamples>(std::move(names), std::move(columns));
}

DistributionPtr with_names(DistributionPtr distribution, std::vector<std::string> names) {
    return std::make_shared<const Named>(std::move(distribution), std::move(names));
}

std::span<const std::string> coordinate_names(const Distribution& distribution) {
    if (const auto* named = dynamic_cast<const Named*>(&distribution)) return named->names();
    if (const auto* samples = dynamic_cast<const JointSamples*>(&distribution)) return samples->names();
    return {};
}

const std::vector<std::vector<double>>* joint_draws(const Distribution& distribution) {
    const auto* samples = dynamic_cast<const JointSamples*>(&distribution);
    return samples ? &samples->columns() : nullptr;
}

std::size_t dimension_of(const Distribution& distribution) {
    if (distribution.support() != Support::vectors) return 0;
    const auto mean = distribution.mean();
    const auto* point = mean ? std::get_if<Point>(&*mean) : nullptr;
    return point ? point->size() : 0;
}

DistributionPtr coordinate(const Distribution& distribution, std::size_t i) {
    if (const auto* named = dynamic_cast<const Named*>(&distribution)) return coordinate(named->inner(), i);
    if (const auto* samples = dynamic_cast<const JointSamples*>(&distribution)) return samples->part(i);
    const auto* family = find_family(distribution.name());
    if (family && family->vector && family->vector->entry)
        if (auto made = family->vector->entry(distribution.parameters(), i)) return *std::move(made);
    return nullptr;
}

}  // namespace credence::rt
