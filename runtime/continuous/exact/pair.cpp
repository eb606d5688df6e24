// Two numbers that are connected in no known form: the second is summed along a line for each value of the first, by the trapezoidal rule
// on an unbounded scale (its error falls exponentially there: Trefethen & Weideman 2014), and the first by adaptive panels.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "runtime/continuous/exact/chebyshev.hpp"
#include "runtime/continuous/exact/quadrature.hpp"
#include "runtime/continuous/sample/tape.hpp"
#include "runtime/continuous/unroll/subproblem.hpp"
#include "runtime/core/quadrature.hpp"
#include "runtime/core/search.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double left_out = 42;  // e^-42 of the peak
constexpr double pair_tolerance = 1e-11;
constexpr std::size_t dearest_pair = 500;  // operations of one value, some 250 rows: two seconds; beyond, draws are quicker

std::vector<double> even_scan(double low, double high, int steps) {
    std::vector<double> out;
    for (int i = 0; i <= steps; ++i) out.push_back(low + (high - low) * i / steps);
    return out;
}

/// ln of an integral over the line, with where its bulk lies; NaN where the sums did not settle.
struct LineSum {
    double log = NAN;
    double mode = 0;
    double scale = 1;
    double low = 0;
    double high = 0;
};

/// By the trapezoidal rule: steps of one scale, halved until two sums agree. `scan` are points where another peak would be seen.
template <class G>
LineSum line_sum(const G& g, double start, double scale, std::span<const double> scan) {
    LineSum out;
    double best = start;
    double height = g(start);
    for (const double u : scan)
        if (const double h = g(u); h > height || !std::isfinite(height)) {
            best = u;
            height = h;
        }
    if (!std::isfinite(height)) return out;
    double step = scale;
    for (const double direction : {-1.0, 1.0})
        for (double next = scale; next < 1e6 * scale; next *= 2) {
            step = std::max(step, next);
            const double h = g(best + direction * next);
            if (!(h > height)) break;
            best += direction * next;
            height = h;
        }
    best = peak_between(g, best - step, best + step);
    height = g(best);
    if (!std::isfinite(height)) return out;
    // Where it has fallen by one half, to the narrower side.
    double width = scale;
    const auto low_at = [&](double w) { return std::min(g(best - w), g(best + w)) < height - 0.5; };
    for (int i = 0; i < 60 && low_at(width); ++i) width *= 0.6;
    for (int i = 0; i < 60 && !low_at(width); ++i) width *= 1.5;
    out.mode = best;
    out.scale = width;
    const auto sum = [&](double first, double h, double& low, double& high) {
        double total = 0;
        for (const double direction : {-1.0, 1.0})
            for (int i = direction < 0 && first == 0 ? 1 : 0; i < 20'000; ++i) {
                const double u = best + direction * (first + h * i);
                const double log = g(u) - height;
                if (!(log > -left_out)) break;
                total += std::exp(log);
                (direction < 0 ? low : high) = u;
            }
        return total;
    };
    out.low = out.high = best;
    double h = width;
    double total = sum(0, h, out.low, out.high);
    for (int halving = 0; halving < 7; ++halving) {
        const double more = sum(h / 2, h, out.low, out.high);
        const double finer = total + more;
        const bool settled = std::abs(finer - 2 * total) < pair_tolerance * finer;
        total = finer;
        h /= 2;
        if (!settled || halving == 0) continue;
        // A second peak beyond a valley would have been left out.
        for (const double u : scan)
            if ((u < out.low - 2 * width || u > out.high + 2 * width) && g(u) > height - 0.5 * left_out) return out;
        out.log = height + std::log(total * h);
        return out;
    }
    return out;
}

/// Observed numbers with one normal distribution: their mean and the sum of the squares about it say all that they say together.
class NormalSums {
public:
    /// False where it is not an observed number with a normal distribution.
    bool take(const DensityFactor& factor) {
        const bool observed = factor.kind == DensityFactor::Kind::density && factor.family == Family::normal && is_constant(factor.x);
        if (!observed) return false;
        std::string key;
        for (const auto& term : factor.parameters) key += term_text(term, [](VarId v) { return fmt::format("v{}", index(v)); }) + "; ";
        auto& group = groups_.try_emplace(std::move(key), Group{factor.parameters[0], factor.parameters[1]}).first->second;
        const double x = factor.x->value.real();
        group.count += 1;
        const double step = x - group.mean;  // Welford, 1962
        group.mean += step / group.count;
        group.squares += step * (x - group.mean);
        return true;
    }
    /// −n ln s − (n (mean − m)² + squares) / (2 s²) − n ln √2π of each group.
    std::vector<Term> log_densities() const {
        std::vector<Term> out;
        const auto number = [](double x) { return constant_term(Number::real(x)); };
        for (const auto& [key, group] : groups_) {
            const Term off = make_term(TermOp::subtract, {number(group.mean), group.m});
            const Term about = make_term(
                TermOp::add,
                {make_term(TermOp::multiply, {number(group.count), make_term(TermOp::multiply, {off, off})}), number(group.squares)});
            const Term spread = make_term(TermOp::multiply, {number(2), make_term(TermOp::multiply, {group.s, group.s})});
            const Term scale = make_term(TermOp::multiply, {number(group.count), make_term(TermOp::ln, {group.s})});
            const Term constant = number(-0.5 * group.count * std::log(2 * std::numbers::pi));
            out.push_back(
                make_term(TermOp::subtract, {make_term(TermOp::subtract, {constant, scale}), make_term(TermOp::divide, {about, spread})}));
        }
        return out;
    }

private:
    struct Group {
        Term m;
        Term s;
        double count = 0;
        double mean = 0;
        double squares = 0;
    };
    std::map<std::string, Group> groups_;
};

/// The joint log density of the two, over their unbounded scales.
class PairDensity {
public:
    PairDensity(const Subproblem& subproblem, VarId first, VarId second, Coordinate a, Coordinate b) : a_(a), b_(b) {
        const std::map<VarId, Tape::Node> leaves{{first, tape_.input()}, {second, tape_.input()}};
        std::vector<Tape::Node> parts;
        NormalSums sums;
        for (const auto& factor : subproblem.factors) {
            if (sums.take(factor)) continue;
            if (factor.kind == DensityFactor::Kind::weight) {
                parts.push_back(tape_.unary(TermOp::ln, tape_.term(factor.weight, leaves)));
                continue;
            }
            std::vector<Tape::Node> parameters;
            for (const auto& term : factor.parameters) parameters.push_back(tape_.term(term, leaves));
            parts.push_back(factor.kind == DensityFactor::Kind::interval
                                ? tape_.mass(factor.family, factor.region, parameters)
                                : tape_.density(factor.family, tape_.term(factor.x, leaves), parameters));
        }
        for (const auto& term : sums.log_densities()) parts.push_back(tape_.term(term, leaves));
        output_ = tape_.finish(tape_.sum(tape_.batched(parts)));
        std::vector<Tape::Node*> kept{&output_};
        tape_.compact(kept);
        work_ = tape_.workspace();
    }
    std::size_t cost() const { return tape_.cost(); }
    double at(double u, double w) const {
        const double x[] = {a_.x(u), b_.x(w)};
        const double log = tape_.value(x, output_, work_) + a_.log_slope(u) + b_.log_slope(w);
        return std::isnan(log) ? -INFINITY : log;
    }

private:
    Tape tape_;
    Tape::Node output_ = 0;
    mutable Tape::Workspace work_;
    Coordinate a_;
    Coordinate b_;
};

/// The second number with the first one fixed: panels as wide as two scales, which fifteen points integrate to the last digits.
class SliceDensity final : public Distribution {
public:
    SliceDensity(std::shared_ptr<const PairDensity> joint, double u, const Coordinate& coordinate, const LineSum& sum)
        : joint_(std::move(joint)), u_(u), coordinate_(coordinate), log_total_(sum.log) {
        const int count = std::clamp(static_cast<int>((sum.high - sum.low) / (2 * sum.scale)) + 1, 6, 60);
        for (int i = 0; i < count; ++i) {
            below_.push_back(total_);
            panels_.push_back(panel(sum.low + (sum.high - sum.low) * i / count, sum.low + (sum.high - sum.low) * (i + 1) / count));
            total_ += panels_.back().integral;
        }
    }

    std::string_view name() const override { return "density"; }
    std::vector<Parameter> parameters() const override { return {}; }
    Support support() const override { return Support::reals; }
    Result<Number> pdf(const Outcome& x) const override { return Number::real(std::exp(log_pdf(x))); }
    double log_pdf(const Outcome& x) const override {
        const auto* number = std::get_if<Number>(&x);
        const double w = number ? coordinate_.u(number->real()) : INFINITY;
        return std::isfinite(w) ? joint_->at(u_, w) - coordinate_.log_slope(w) - log_total_ : -INFINITY;
    }
    Result<Number> cdf(const Number& x) const override {
        const double w = coordinate_.u(x.real());
        if (!(w > panels_.front().low)) return Number(0);
        if (!(w < panels_.back().high)) return Number(1);
        const auto after = std::upper_bound(panels_.begin(), panels_.end(), w, [](double at, const Panel& p) { return at < p.low; });
        const auto i = static_cast<std::size_t>(after - panels_.begin()) - 1;
        return Number::real(std::clamp((below_[i] + panel(panels_[i].low, w).integral) / total_, 0.0, 1.0));
    }
    Result<Number> quantile(const Number& p) const override {
        double low = panels_.front().low;
        double high = panels_.back().high;
        for (int step = 0; step < 60; ++step) {
            const double middle = 0.5 * (low + high);
            const auto below = cdf(Number::real(coordinate_.x(middle)));
            (below && below->real() < p.real() ? low : high) = middle;
        }
        return Number::real(coordinate_.x(0.5 * (low + high)));
    }
    Result<Outcome> mean() const override { return Outcome(Number::real(moment(0, 1))); }
    Result<Outcome> variance() const override { return Outcome(Number::real(moment(moment(0, 1), 2))); }
    Result<Number> entropy() const override {
        return Fault{.code = "E-UNDEFINED", .message = "density: the entropy of a slice is not computed"};
    }
    Outcome sample(Rng& rng) const override { return *quantile(Number::real(rng.uniform())); }

private:
    Panel panel(double low, double high) const {
        return integrate_panel([&](double w) { return std::exp(joint_->at(u_, w) - log_total_); }, low, high);
    }
    double moment(double centre, int order) const {
        double sum = 0;
        for (const auto& p : panels_)
            sum += integrate_panel(
                       [&](double w) { return std::pow(coordinate_.x(w) - centre, order) * std::exp(joint_->at(u_, w) - log_total_); },
                       p.low, p.high)
                       .integral;
        return sum / total_;
    }
    std::shared_ptr<const PairDensity> joint_;
    double u_;
    Coordinate coordinate_;
    double log_total_;
    std::vector<Panel> panels_;
    std::vector<double> below_;
    double total_ = 0;
};

/// A density whose logarithm costs an integral at each point, as polynomials: from then on it is cheap, and needs nothing of the pair.
std::optional<NumericDensity> frozen_density(const std::function<double(double)>& log_weight, const Coordinate& coordinate,
                                             std::span<const double> scan) {
    std::vector<double> heights;
    for (const double u : scan) heights.push_back(log_weight(u));
    const double peak = *std::max_element(heights.begin(), heights.end());
    if (!std::isfinite(peak)) return std::nullopt;
    // From where it has come up to where it has fallen away; beyond the scan step by step.
    double low = NAN;
    double high = NAN;
    for (std::size_t i = 0; i < scan.size(); ++i) {
        if (!(heights[i] > peak - left_out)) continue;
        if (std::isnan(low)) low = scan[i == 0 ? 0 : i - 1];
        high = scan[i + 1 == scan.size() ? i : i + 1];
    }
    const double step = 0.05 * (high - low);
    if (!(step > 0)) return std::nullopt;
    const double furthest = coordinate.range == Range::line ? INFINITY : 600;
    for (int i = 0; i < 400 && low > -furthest && log_weight(low) > peak - left_out; ++i) low -= step * (1 + 0.2 * i);
    for (int i = 0; i < 400 && high < furthest && log_weight(high) > peak - left_out; ++i) high += step * (1 + 0.2 * i);
    auto fitted = PiecewiseChebyshev::fit(
        [&](double u) {
            const double log = log_weight(u) - peak;
            return std::isnan(log) ? log : std::max(log, -3 * left_out);
        },
        low, high, 1e-10);
    if (!fitted) return std::nullopt;
    const auto copy = std::make_shared<const PiecewiseChebyshev>(*std::move(fitted));
    std::vector<double> points;
    for (int i = 0; i <= 120; ++i) points.push_back(low + (high - low) * i / 120);
    return numeric_density([copy, peak](double u) { return u >= copy->low() && u <= copy->high() ? copy->at(u) + peak : -INFINITY; },
                           coordinate, points);
}

struct Root {
    const DensityFactor* prior = nullptr;
    Coordinate coordinate;
    bool constant = true;  ///< its prior depends on no other number
};

std::optional<Root> root_of(const Subproblem& subproblem, VarId v) {
    Root out;
    for (const auto& factor : subproblem.factors)
        if (factor.is_prior() && factor.x->variable == v) out.prior = &factor;
    if (!out.prior || !has_axis(out.prior->family)) return std::nullopt;
    const auto coordinate = Coordinate::of(out.prior->family, out.prior->parameters);
    if (!coordinate) return std::nullopt;
    out.coordinate = *coordinate;
    out.constant = std::all_of(out.prior->parameters.begin(), out.prior->parameters.end(), [](const Term& t) { return !t->has_variables; });
    if (out.coordinate.range == Range::between && !out.constant) return std::nullopt;
    return out;
}

/// Points along a prior, on the unbounded scale.
std::vector<double> prior_scan(const Distribution& prior, const Coordinate& coordinate, int levels) {
    std::vector<double> out;
    for (int i = -levels; i <= levels; ++i) {
        const double z = static_cast<double>(i) / levels * 34.5;
        const auto q = prior.quantile(Number::real(1 / (1 + std::exp(-z))));
        if (!q) continue;
        const double u = coordinate.u(q->real());
        if (std::isfinite(u) && (out.empty() || u > out.back())) out.push_back(u);
    }
    return out;
}

/// The sum along the second number with the first at u; each sum tells the next where to begin.
class InnerSums {
public:
    explicit InnerSums(std::shared_ptr<const PairDensity> joint) : joint_(std::move(joint)) {
        last_.low = -12;
        last_.high = 12;
    }

    const PairDensity& joint() const { return *joint_; }
    const std::shared_ptr<const PairDensity>& shared_joint() const { return joint_; }

    LineSum at(double u) {
        const double reach = std::max(last_.high - last_.low, 8 * last_.scale);
        const auto scan = even_scan(last_.mode - reach, last_.mode + reach, std::isnan(last_.log) ? 200 : 16);
        const LineSum sum = line_sum([&](double w) { return joint_->at(u, w); }, last_.mode, last_.scale, scan);
        if (!std::isnan(sum.log)) last_ = sum;
        return sum;
    }

private:
    std::shared_ptr<const PairDensity> joint_;
    LineSum last_;
};

/// The distribution of the second number, by sums along the first; null if they do not settle.
DistributionPtr second_marginal(InnerSums& inner, const Distribution& of_first, const Coordinate& first, const Coordinate& second) {
    double low = INFINITY;
    double high = -INFINITY;
    LineSum across;
    for (const double p : {1e-9, 1e-4, 0.05, 0.5, 0.95, 1 - 1e-4, 1 - 1e-9}) {
        const auto q = of_first.quantile(Number::real(p));
        if (!q) return nullptr;
        const double u = first.u(q->real());
        const LineSum sum = inner.at(u);
        if (std::isnan(sum.log)) continue;
        low = std::min(low, sum.low);
        high = std::max(high, sum.high);
        if (p == 0.5) across.mode = u;
        if (p == 0.05) across.low = u;
        if (p == 0.95) across.high = u;
    }
    if (!(low < high)) return nullptr;
    across.scale = 0.3 * (across.high - across.low);
    bool fine = true;
    const auto made = frozen_density(
        [&](double w) {
            const double reach = std::max(2 * (across.high - across.low), 8 * across.scale);
            const auto scan = even_scan(across.mode - reach, across.mode + reach, 16);
            const LineSum sum = line_sum([&](double u) { return inner.joint().at(u, w); }, across.mode, across.scale, scan);
            if (std::isnan(sum.log))
                fine = false;
            else
                across = sum;
            return std::isnan(sum.log) ? -std::numeric_limits<double>::infinity() : sum.log;
        },
        second, even_scan(low, high, 40));
    return made && fine ? made->distribution : nullptr;
}

std::vector<std::string> pair_story(const Subproblem& subproblem, VarId first, VarId second) {
    const auto name = [&](VarId id) { return subproblem.problem->name(id); };
    return {fmt::format("No closed form is known for {} and {} together; two numbers are left, so they are integrated:", name(first),
                        name(second)),
            fmt::format("  priors times likelihood, {} factors: over {} by the trapezoidal rule for each {}, over {} by adaptive "
                        "Gauss-Kronrod panels",
                        subproblem.factors.size(), name(second), name(first), name(first))};
}

}  // namespace

Solved solve_pair(const Subproblem& subproblem, const Run& run) {
    if (subproblem.latents.size() != 2) return not_applicable;
    for (const auto& factor : subproblem.factors)
        if (auto fault = impossible_parameters(factor, *subproblem.problem)) return *std::move(fault);
    VarId first = subproblem.latents[0];
    VarId second = subproblem.latents[1];
    auto a = root_of(subproblem, first);
    auto b = root_of(subproblem, second);
    if (!a || !b) return not_applicable;
    if (!a->constant) {
        std::swap(first, second);
        std::swap(a, b);
    }
    if (!a->constant) return not_applicable;
    std::vector<Number> numbers;
    for (const auto& term : a->prior->parameters) numbers.push_back(term->value);
    auto base = TRY(make_distribution(a->prior->family, numbers));
    const auto along_first = prior_scan(*base, a->coordinate, 60);
    if (along_first.size() < 2) return not_applicable;
    const auto joint = std::make_shared<const PairDensity>(subproblem, first, second, a->coordinate, b->coordinate);
    if (joint->cost() > dearest_pair) return not_applicable;

    const auto inner = std::make_shared<InnerSums>(joint);
    bool settled = true;
    const auto density = frozen_density(
        [&](double u) {
            const double log = run.stopped() || !settled ? NAN : inner->at(u).log;  // once a sum has not settled, no more is worth its time
            if (std::isnan(log)) settled = false;
            return std::isnan(log) ? -std::numeric_limits<double>::infinity() : log;
        },
        a->coordinate, along_first);
    if (run.stopped()) return stopped_fault();
    if (!density || !settled) return not_applicable;

    Posterior out;
    out.engine = Engine::quadrature;
    out.log_evidence = density->log_total;
    NumberPair pair;
    pair.first = first;
    pair.second = second;
    pair.of_first = density->distribution;
    const Coordinate ca = a->coordinate;
    const Coordinate cb = b->coordinate;
    pair.given_first = [inner, ca, cb](double x) -> Slice {
        const double u = ca.u(x);
        const LineSum sum = std::isfinite(u) ? inner->at(u) : LineSum{};
        if (std::isnan(sum.log)) return {};
        Slice slice{std::make_shared<const SliceDensity>(inner->shared_joint(), u, cb, sum), {}};
        for (const double w : even_scan(sum.low, sum.high, 40)) slice.points.push_back(cb.x(w));
        return slice;
    };
    pair.of_second = [inner, of_first = pair.of_first, ca, cb, kept = std::make_shared<DistributionPtr>()]() -> DistributionPtr {
        if (!*kept) *kept = second_marginal(*inner, *of_first, ca, cb);
        return *kept;
    };
    out.story = pair_story(subproblem, first, second);
    out.pairs.push_back(std::move(pair));
    return out;
}

}  // namespace credence::rt::continuous
