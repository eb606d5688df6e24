#include "runtime/prob/distributions/truncated.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/expectation.hpp"
#include "runtime/prob/distributions/region.hpp"

namespace credence::rt {

namespace {

/// The end below the smallest value: of counts, one less.
double open_end(const FamilyInfo& base, double low) { return base.support == Support::integers ? std::ceil(low) - 1 : low; }

/// ln f(x) − ln P(low ≤ X ≤ high).
DensityValue truncated_log_density(const FamilyInfo& base, double x, const double* p) {
    const std::size_t n = base.parameters.size();
    const double low = p[n];
    const double high = p[n + 1];
    if (!(low <= high)) return bad_parameters();
    if (!(x >= low && x <= high)) return outside_support();
    DensityValue out = base.log_density(x, p);
    if (!std::isfinite(out.value)) return out;
    const DensityValue mass = log_mass_between(base, open_end(base, low), high, p);
    if (!std::isfinite(mass.value)) return bad_parameters();
    out.value -= mass.value;
    for (std::size_t k = 0; k < n; ++k) out.dp[k] -= mass.dp[k];
    if (base.support == Support::integers) return out;
    const auto slope = [&](double end) { return std::isfinite(end) ? std::exp(base.log_density(end, p).value - mass.value) : 0.0; };
    out.dp[n] = slope(low);
    out.dp[n + 1] = -slope(high);
    return out;
}

/// ln (m f(x) S(x)^(m − 1) / S(low)^m), S the upper tail.
DensityValue ordered_log_density(const FamilyInfo& base, double x, const double* p) {
    const std::size_t n = base.parameters.size();
    const double low = p[n];
    const double left = p[n + 1];
    if (!(left >= 1) || std::isnan(low)) return bad_parameters();
    if (!(x >= low)) return outside_support();
    DensityValue out = base.log_density(x, p);
    if (!std::isfinite(out.value)) return out;
    const DensityValue all = log_mass_between(base, low, infinity, p);
    if (!std::isfinite(all.value)) return bad_parameters();
    if (left > 1) {
        const DensityValue above = log_mass_between(base, x, infinity, p);
        out.dx -= (left - 1) * std::exp(out.value - above.value);
        out.value += (left - 1) * above.value;
        for (std::size_t k = 0; k < n; ++k) out.dp[k] += (left - 1) * above.dp[k];
    }
    out.value += std::log(left) - left * all.value;
    for (std::size_t k = 0; k < n; ++k) out.dp[k] -= left * all.dp[k];
    if (std::isfinite(low)) out.dp[n] = left * std::exp(base.log_density(low, p).value - all.value);
    return out;
}

/// Where a distribution lies above a value, from the lower tail or the upper one, whichever is smaller.
double upper_point(const Distribution& base, double above) {
    if (above > 0.25) {
        const auto at = base.quantile(Number::real(std::clamp(1 - above, 0.0, 1.0)));
        return at ? at->real() : std::nan("");
    }
    const auto start = base.quantile(Number::real(0.75));
    const auto excess = [&](double x) {
        const auto tail = base.above(Number::real(x));
        return tail ? tail->real() - above : -above;
    };
    double low = start ? start->real() : 0;
    double high = low + 1;
    while (excess(high) > 0 && high < 1e300) high = low + 2 * (high - low);
    for (int i = 0; i < 200 && high - low > 1e-15 * (1 + std::abs(low)); ++i) {
        const double middle = 0.5 * (low + high);
        (excess(middle) > 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// What the two kinds share: the parameters of the base with two more, and moments by integration.
class Derived : public ScalarDistribution {
public:
    Derived(const FamilyInfo& family, DistributionPtr base, const Number& first, const Number& second)
        : family_(&family), base_(std::move(base)), first_(first), second_(second) {}

    std::string_view name() const override { return family_->name; }
    std::vector<Parameter> parameters() const override {
        auto out = base_->parameters();
        const std::size_t n = out.size();
        out.push_back({family_->parameters[n].name, first_});
        out.push_back({family_->parameters[n + 1].name, second_});
        return out;
    }
    Support support() const override { return base_->support(); }
    Result<Outcome> mean() const override {
        return Outcome(moment([](double x) { return x; }));
    }
    Result<Outcome> variance() const override {
        const double m = moment([](double x) { return x; }).real();
        return Outcome(moment([m](double x) { return (x - m) * (x - m); }));
    }
    Result<Number> entropy() const override {
        return Number::real(moment([this](double x) { return -log_density(x); }).real() * nats_to_bits);
    }
    Outcome sample(Rng& rng) const override {
        const double u = rng.uniform();
        return inverse(Number::real(u), Number::real(1 - u));
    }

protected:
    Number moment(const std::function<double(double)>& g) const { return Number::real(expected_value(*this, g)); }
    double log_density(double x) const override {
        double p[most_parameters] = {};
        const auto own = parameters();
        for (std::size_t k = 0; k < own.size(); ++k) p[k] = std::get<Number>(own[k].value).real();
        return family_->log_density(x, p).value;
    }

    const FamilyInfo* family_;
    DistributionPtr base_;
    Number first_;
    Number second_;
};

class Truncated final : public Derived {
public:
    Truncated(const FamilyInfo& family, DistributionPtr base, const Number& low, const Number& high, double mass)
        : Derived(family, std::move(base), low, high), low_(low.real()), high_(high.real()), total_(mass) {}

    Result<Outcome> mode() const override {
        auto top = TRY(base_->mode());
        const auto* at = std::get_if<Number>(&top);
        if (!at) return top;
        return Outcome(at->real() < low_ ? first_ : high_ < at->real() ? second_ : *at);
    }

protected:
    Number cumulative(const Number& x) const override {
        if (x.real() < low_) return Number(0);
        return Number::real(x.real() >= high_ ? 1 : std::min(1.0, between(first_, x) / total_));
    }
    double upper_tail(double x) const override {
        if (x < low_) return 1;
        return x >= high_ ? 0 : std::min(1.0, mass_above(x) / total_);
    }
    Number inverse(const Number& p, const Number& q) const override {
        const auto below = base_->cdf(before(first_));
        const auto above = base_->above(second_);
        if (!below || !above) return Number::real(std::nan(""));
        // From the tail that keeps more digits.
        const double lower = below->real() + p.real() * total_;
        double x = 0;
        if (lower < 0.75) {
            const auto at = base_->quantile(Number::real(lower));
            x = at ? at->real() : std::nan("");
        } else {
            x = upper_point(*base_, above->real() + q.real() * total_);
            if (support() == Support::integers) x = std::ceil(x);
        }
        x = std::clamp(x, low_, high_);
        return support() == Support::integers ? CountDistribution::whole(x) : Number::real(x);
    }

private:
    Number before(const Number& low) const { return support() == Support::integers ? Number::real(std::ceil(low.real()) - 1) : low; }
    double between(const Number& low, const Number& high) const {
        const Number from = before(low);
        const auto out = mass_between(*base_, std::isfinite(from.real()) ? &from : nullptr, std::isfinite(high.real()) ? &high : nullptr);
        return out ? out->real() : std::nan("");
    }
    double mass_above(double x) const {
        const Number from = Number::real(x);
        const auto out = mass_between(*base_, &from, std::isfinite(high_) ? &second_ : nullptr);
        return out ? out->real() : std::nan("");
    }

    double low_;
    double high_;
    double total_;
};

class SmallestAbove final : public Derived {
public:
    SmallestAbove(const FamilyInfo& family, DistributionPtr base, const Number& low, const Number& left)
        : Derived(family, std::move(base), low, left), low_(low.real()), left_(left.real()) {
        const auto above = base_->above(low);
        above_ = above ? above->real() : std::nan("");
    }

protected:
    Number cumulative(const Number& x) const override { return Number::real(1 - upper_tail(x.real())); }
    double upper_tail(double x) const override {
        if (x <= low_) return 1;
        const auto above = base_->above(Number::real(x));
        return above ? std::pow(above->real() / above_, left_) : std::nan("");
    }
    Number inverse(const Number&, const Number& q) const override {
        return Number::real(std::max(low_, upper_point(*base_, above_ * std::pow(q.real(), 1 / left_))));
    }

private:
    double low_;
    double left_;
    double above_;
};

Result<DistributionPtr> made_base(const FamilyInfo& base, Numbers p) { return base.make(p.first(base.parameters.size()), {}); }

Result<DistributionPtr> truncate(const FamilyInfo& family, const FamilyInfo& base, DistributionPtr whole, const Number& low,
                                 const Number& high) {
    if (!(low.real() <= high.real()) || (low == high && base.support == Support::reals))
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("{} in {}..{}: the upper end must be above the lower one", base.name, shown(low), shown(high)),
                     .label = "low < high"};
    const Number from = base.support == Support::integers ? Number::real(std::ceil(low.real()) - 1) : low;
    const auto mass = TRY(mass_between(*whole, std::isfinite(from.real()) ? &from : nullptr, std::isfinite(high.real()) ? &high : nullptr));
    if (!(mass.real() > 0))
        return Fault{.code = "E-ZERO",
                     .message = fmt::format("{} has no probability between {} and {}", base.name, shown(low), shown(high))};
    return DistributionPtr(std::make_shared<Truncated>(family, std::move(whole), low, high, mass.real()));
}

/// The records made from one family.
template <const FamilyInfo* base>
struct From {
    static std::string& text(bool ordered) {
        static std::string names[2];
        return names[ordered ? 1 : 0];
    }
    static FamilyInfo record(bool ordered) {
        text(ordered) = fmt::format("{}_{}", ordered ? "ordered" : "truncated", base->name);
        FamilyInfo out;
        out.name = text(ordered);
        out.parameters = base->parameters;
        out.parameters.push_back({"low", Role::fixed});
        out.parameters.push_back({ordered ? "left" : "high", Role::fixed});
        out.support = base->support;
        out.range = base->support == Support::integers ? ValueRange::counts : ordered ? ValueRange::above : ValueRange::between;
        out.first_end = base->parameters.size();
        out.within = base;
        out.top = base->top;
        return out;
    }
    static const FamilyInfo* truncated() {
        static const FamilyInfo info = [] {
            FamilyInfo out = record(false);
            out.make = [](Numbers p, Labels) -> Result<DistributionPtr> {
                auto whole = TRY(made_base(*base, p));
                const std::size_t n = base->parameters.size();
                return truncate(*truncated(), *base, std::move(whole), p[n], p[n + 1]);
            };
            out.log_density = [](double x, const double* p) { return truncated_log_density(*base, x, p); };
            return out;
        }();
        return &info;
    }
    static const FamilyInfo* ordered() {
        static const FamilyInfo info = [] {
            FamilyInfo out = record(true);
            out.make = [](Numbers p, Labels) -> Result<DistributionPtr> {
                auto whole = TRY(made_base(*base, p));
                const std::size_t n = base->parameters.size();
                return DistributionPtr(std::make_shared<SmallestAbove>(*ordered(), std::move(whole), p[n], p[n + 1]));
            };
            out.log_density = [](double x, const double* p) { return ordered_log_density(*base, x, p); };
            return out;
        }();
        return &info;
    }
};

struct Pair {
    const FamilyInfo* base;
    const FamilyInfo* (*truncated)();
    const FamilyInfo* (*ordered)();
};
constexpr Pair pairs[] = {
#define FAMILY(name) {&name##_family, &From<&name##_family>::truncated, &From<&name##_family>::ordered},
#include "runtime/prob/distributions/families.def"
#undef FAMILY
};

const Pair* pair_of(Family base) {
    const auto* found = std::find_if(std::begin(pairs), std::end(pairs), [&](const Pair& p) { return p.base == &*base; });
    return found == std::end(pairs) ? nullptr : found;
}

}  // namespace

const FamilyInfo* truncated_family(Family base) {
    const bool numbers = base->support == Support::reals || base->support == Support::integers;
    const auto* pair = numbers && base->log_density && base->range != ValueRange::circle ? pair_of(base) : nullptr;
    return pair ? pair->truncated() : nullptr;
}

const FamilyInfo* ordered_family(Family base) {
    const auto* pair = base->support == Support::reals && base->log_density && base->range != ValueRange::circle ? pair_of(base) : nullptr;
    return pair ? pair->ordered() : nullptr;
}

const FamilyInfo* find_derived_family(std::string_view name) {
    const auto after = [&](std::string_view prefix) -> const FamilyInfo* {
        return name.starts_with(prefix) ? find_family(name.substr(prefix.size())) : nullptr;
    };
    if (const auto* base = after("truncated_")) return truncated_family(*base);
    if (const auto* base = after("ordered_")) return ordered_family(*base);
    return nullptr;
}

Result<DistributionPtr> make_truncated(DistributionPtr base, const Number& low, const Number& high) {
    const auto* own = find_family(base->name());
    const auto* family = own ? truncated_family(*own) : nullptr;
    if (!family)
        return Fault{.code = "E-TYPE", .message = fmt::format("a distribution over numbers can be truncated, not a {}", base->name())};
    return truncate(*family, *own, std::move(base), low, high);
}

std::string drawn_text(const FamilyInfo& family, std::span<const std::string> parameters) {
    const FamilyInfo& base = family.within ? *family.within : family;
    const std::size_t n = family.within ? base.parameters.size() : parameters.size();
    const std::vector<std::string> own(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(n));
    const std::string text = fmt::format("{}({})", base.name, joined(own, ", "));
    if (!family.within) return text;
    if (family.name.starts_with("ordered_")) return fmt::format("ordered({})", text);
    return fmt::format("{} in {}..{}", text, parameters[n], parameters[n + 1]);
}

}  // namespace credence::rt
