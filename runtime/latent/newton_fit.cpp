// The M-step of families without a formula of their own: Newton's method on coordinates without bounds, at most three of them.

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/latent/mixture_step.hpp"

namespace credence::rt {

namespace {

using Slopes = std::array<double, most_parameters>;

/// A parameter as a number without bounds: a logarithm, a logit, or itself in units of the data.
class LearnedCoordinate {
public:
    LearnedCoordinate(Role role, const WeightedValues& data) : bounds_(learned_bounds(role, data.sd, data.log_sd)) {
        switch (role) {
            case Role::probability:
                kind_ = Kind::logit;
                break;
            case Role::spread:
            case Role::log_spread:
            case Role::inverse_spread:
            case Role::positive:
            case Role::shape:
            case Role::degrees:
                kind_ = Kind::logarithm;
                break;
            case Role::log_place:
                unit_ = data.log_sd;
                break;
            case Role::place:
            case Role::corner:
            case Role::low_end:
            case Role::high_end:
                unit_ = data.sd;
                break;
            case Role::angle:
            case Role::fixed:
                break;
        }
    }
    double moved(double theta, double by) const {
        double to = theta;
        if (kind_ == Kind::logit)
            to = 1 / (1 + (1 - theta) / theta * std::exp(-by));
        else if (kind_ == Kind::logarithm)
            to = theta * std::exp(by);
        else
            to = theta + by * unit_;
        return std::clamp(to, bounds_.low, bounds_.high);
    }
    /// dθ / du
    double slope(double theta) const { return kind_ == Kind::logit ? theta * (1 - theta) : kind_ == Kind::logarithm ? theta : unit_; }

private:
    enum class Kind { plain, logarithm, logit };
    Kind kind_ = Kind::plain;
    double unit_ = 1;
    LearnedBounds bounds_;
};

class NewtonFit {
public:
    NewtonFit(const FamilyInfo& family, const WeightedValues& data, const KnownParameters& known) : family_(&family), data_(&data) {
        for (std::size_t p = 0; p < family.parameters.size(); ++p)
            if (!known[p]) {
                open_.push_back(p);
                coordinates_.emplace_back(family.parameters[p].role, data);
            }
    }

    void operator()(std::vector<double>& theta) const {
        constexpr int most_steps = 60;
        constexpr double furthest = 2;  // in one coordinate and one step
        double here = height(theta);
        for (int step = 0; step < most_steps; ++step) {
            const Slopes slope = gradient(theta);
            double steepest = 0;
            for (std::size_t k = 0; k < open_.size(); ++k) steepest = std::max(steepest, std::abs(slope[k]));
            if (!(steepest > 1e-10 * data_->total)) return;
            Slopes way = newton_direction(theta, slope);
            double longest = 0;
            for (std::size_t k = 0; k < open_.size(); ++k) longest = std::max(longest, std::abs(way[k]));
            double length = longest > furthest ? furthest / longest : 1;
            bool climbed = false;
            for (int half = 0; half < 40 && !climbed; ++half, length /= 2) {
                std::vector<double> next = theta;
                for (std::size_t k = 0; k < open_.size(); ++k) next[open_[k]] = coordinates_[k].moved(theta[open_[k]], length * way[k]);
                const double there = height(next);
                if (!(there > here)) continue;
                theta = std::move(next);
                here = there;
                climbed = true;
            }
            if (!climbed) return;
        }
    }

private:
    double height(const std::vector<double>& theta) const {
        const double out = data_->sum([&](double x) { return family_->log_density(x, theta.data()).value; });
        return std::isnan(out) ? -INFINITY : out;
    }

    Slopes gradient(const std::vector<double>& theta) const {
        Slopes out{};
        for (std::size_t i = 0; i < data_->weights.size(); ++i) {
            if (!(data_->weights[i] > 0)) continue;
            const DensityValue d = family_->log_density(data_->values[i], theta.data());
            for (std::size_t k = 0; k < open_.size(); ++k) out[k] += data_->weights[i] * d.dp[open_[k]];
        }
        for (std::size_t k = 0; k < open_.size(); ++k) out[k] *= coordinates_[k].slope(theta[open_[k]]);
        return out;
    }

    /// −H⁻¹ g, with the Hessian H by central differences of the gradient; where that does not lead uphill, the gradient itself.
    Slopes newton_direction(const std::vector<double>& theta, const Slopes& slope) const {
        constexpr double h = 1e-5;
        const std::size_t n = open_.size();
        std::array<Slopes, most_parameters> minus_hessian{};
        for (std::size_t k = 0; k < n; ++k) {
            std::vector<double> shifted = theta;
            shifted[open_[k]] = coordinates_[k].moved(theta[open_[k]], h);
            const Slopes above = gradient(shifted);
            shifted[open_[k]] = coordinates_[k].moved(theta[open_[k]], -h);
            const Slopes below = gradient(shifted);
            for (std::size_t j = 0; j < n; ++j) minus_hessian[k][j] = -(above[j] - below[j]) / (2 * h);
        }
        Slopes way{};
        for (std::size_t k = 0; k < n; ++k) way[k] = slope[k] / data_->total;
        if (const auto newton = solved(minus_hessian, slope)) {
            double uphill = 0;
            for (std::size_t k = 0; k < n; ++k) uphill += (*newton)[k] * slope[k];
            if (uphill > 0) return *newton;
        }
        return way;
    }

    /// A x = b by elimination; nothing if a pivot is not positive.
    std::optional<Slopes> solved(std::array<Slopes, most_parameters> a, Slopes b) const {
        const std::size_t n = open_.size();
        for (std::size_t k = 0; k < n; ++k) {
            if (!(a[k][k] > 0)) return std::nullopt;
            for (std::size_t i = k + 1; i < n; ++i) {
                const double factor = a[i][k] / a[k][k];
                for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
                b[i] -= factor * b[k];
            }
        }
        for (std::size_t k = n; k-- > 0;) {
            for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
            b[k] /= a[k][k];
        }
        return b;
    }

    const FamilyInfo* family_;
    const WeightedValues* data_;
    std::vector<std::size_t> open_;
    std::vector<LearnedCoordinate> coordinates_;
};

}  // namespace

void maximise_numerically(const FamilyInfo& family, const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    NewtonFit(family, data, known)(theta);
}

}  // namespace credence::rt
