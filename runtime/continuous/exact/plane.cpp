#include "runtime/continuous/exact/plane.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/exact/curves.hpp"
#include "runtime/continuous/exact/line.hpp"
#include "runtime/continuous/exact/tabulated.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/core/quadrature.hpp"
#include "runtime/prob/distributions/expectation.hpp"

namespace credence::rt::continuous {

namespace {

/// The lines of the axes; of a second one that depends on the first, its marginal.
std::vector<Line> lines_of(const OnAxes& on, bool far) {
    std::vector<Line> out;
    for (const auto& axis : on.axes) out.emplace_back(axis.own, on.axes.size() == 1 ? 240 : 60, far);
    return out;
}

/// A question about two axes: which of them is integrated along, and where the integrand has corners.
class PlaneIntegral {
public:
    PlaneIntegral(const OnAxes& on, const std::vector<Line>& lines, std::span<const Term> about) : on_(on), merged_(about.size() == 1) {
        for (const auto& term : about) {
            collect_curves(term, curves_);
            collect_poles(term, poles_);
        }
        const bool free = !on.axes[1].given;
        swapped_ = free && should_swap();
        for (auto& pole : poles_) pole = turned(pole);
        for (auto& curve : curves_) {
            curve = turned(curve);
            Affine form;
            if (stands_in(curve, second_axis) && is_affine_in(curve, second_axis)) {
                form.slope = slope_in(curve, second_axis);
                form.constant =
                    rewrite(curve, [](const TermNode& leaf) { return leaf.variable == second_axis ? constant_term(0) : nullptr; });
            }
            needs_points_ = needs_points_ || (!form.slope && stands_in(curve, second_axis));
            affine_.push_back(std::move(form));
        }
        needs_points_ = needs_points_ || !merged_;
        outer_ = &lines[swapped_ ? 1 : 0];
        inner_ = free ? &lines[swapped_ ? 0 : 1] : nullptr;
    }

    /// A term as seen from the chosen order of axes.
    Term turned(const Term& term) const {
        if (!swapped_) return term;
        return rewrite(term, [](const TermNode& leaf) { return variable_term(leaf.variable == first_axis ? second_axis : first_axis); });
    }

    double mass(const Term& condition) const {
        return over_first(
            [&](double x, const Line& line, const std::vector<Segment>& where) {
                (void)x;
                if (line.whole()) return 0.0;
                double sum = 0;
                for (const auto& s : where) sum += line.mass(s.low, s.high);
                return sum;
            },
            condition, nullptr);
    }

    double integral(const Term& term, const Term& condition) const {
        return over_first(
            [&](double x, const Line& line, const std::vector<Segment>& where) {
                if (!stands_in(term, second_axis)) {
                    double sum = 0;
                    for (const auto& s : where) sum += line.mass(s.low, s.high);
                    return sum == 0 ? 0 : sum * value_at(term, x, 0);
                }
                double sum = 0;
                for (const auto& s : where)
                    for (const auto& panel : integrate([&](double y) { return density_of(*line.d, y) * value_at(term, x, y); },
                                                       cut_breaks(coarse(line), s), 1e-11))
                        sum += panel.integral;
                return sum;
            },
            condition, term);
    }

    bool is_swapped() const { return swapped_; }

private:
    /// The inner axis is the one whose distribution function is asked for: no whole numbers, rather a table than a family, and rather one
    /// in which everything is affine.
    bool should_swap() const {
        const auto& a = *on_.axes[0].own;
        const auto& b = *on_.axes[1].own;
        if ((a.support() == Support::integers) != (b.support() == Support::integers)) return b.support() == Support::integers;
        const auto affine = [&](VarId v) {
            return std::all_of(curves_.begin(), curves_.end(), [&](const Term& c) { return is_affine_in(c, v); });
        };
        if (affine(first_axis) != affine(second_axis)) return affine(first_axis);
        return a.name() == "density" && b.name() != "density";
    }

    static std::vector<double> coarse(const Line& line) {
        std::vector<double> out;
        for (std::size_t i = 0; i < line.points.size(); i += 4) out.push_back(line.points[i]);
        return out;
    }

    template <class Inner>
    double over_first(const Inner& inner, const Term& condition, const Term& term) const {
        if (outer_->points.size() < 2) return NAN;
        std::vector<double> breaks;
        if (!outer_->whole()) breaks = corners();
        const std::function<double(double)> f = [&](double x) {
            if (inner_) return inner(x, *inner_, where(condition, x, *inner_)) + whole_part(condition, term, x, *inner_);
            const Slice slice = on_.axes[1].given(x);
            if (!slice.own) return std::nan("");
            const Line line(slice, needs_points_ ? 24 : 2);
            return inner(x, line, where(condition, x, line)) + whole_part(condition, term, x, line);
        };
        return integral_along(*outer_, std::move(breaks), f);
    }

    /// Of whole numbers on the inner axis: the sum.
    static double whole_part(const Term& condition, const Term& term, double x, const Line& line) {
        if (!line.whole()) return 0;
        double sum = 0;
        for (const auto& [k, mass] : quadrature_nodes(*line.d))
            if (value_at(condition, x, k) != 0) sum += mass * (term ? value_at(term, x, k) : 1);
        return sum;
    }

    std::vector<Segment> where(const Term& condition, double x, const Line& line) const {
        if (line.whole()) return {};
        std::vector<double> roots;
        for (std::size_t k = 0; k < curves_.size(); ++k) {
            if (affine_[k].slope) {
                const double root = -value_at(affine_[k].constant, x, 0) / value_at(affine_[k].slope, x, 0);
                if (std::isfinite(root)) roots.push_back(root);
            }
        }
        if (needs_points_ && !line.points.empty()) {
            // Corners are among the roots so far: a curve may turn there.
            std::vector<double> points = line.points;
            for (const double r : roots)
                if (r > points.front() && r < points.back()) points.push_back(r);
            std::sort(points.begin(), points.end());
            for (std::size_t k = 0; k < curves_.size(); ++k)
                if (!affine_[k].slope && stands_in(curves_[k], second_axis))
                    add_roots([&](double y) { return value_at(curves_[k], x, y); }, points, roots);
        }
        return segments_where([&](double y) { return value_at(condition, x, y) != 0; }, std::move(roots), line.low, line.high, merged_);
    }

    /// Where the integrand along the first axis may jump or bend: where a curve passes an end of the second axis, or does not depend on it.
    std::vector<double> corners() const {
        std::vector<double> out;
        for (std::size_t i = 0; i < outer_->points.size(); ++i)
            if (i % 4 == 0 || i + 1 == outer_->points.size()) out.push_back(outer_->points[i]);
        const double first = out.front();
        const double last = out.back();
        const auto add = [&](const Term& curve, double y) {
            std::vector<double> roots;
            add_roots([&](double x) { return value_at(curve, x, y); }, outer_->points, roots);
            for (const double r : roots)
                if (r > first && r < last) out.push_back(r);
        };
        for (const auto& curve : curves_) {
            if (!stands_in(curve, second_axis)) {
                add(curve, 0);
                continue;
            }
            if (!inner_) {
                add_slice_ends(curve, out);
                continue;
            }
            add(curve, inner_->points.front());
            add(curve, inner_->points.back());
            add_steep(curve, out);
        }
        for (const auto& pole : poles_)
            if (!stands_in(pole, second_axis)) add_pole(pole, out);
        std::sort(out.begin(), out.end());
        return out;
    }

    /// Towards a pole the integrand changes over ever shorter distances.
    void add_pole(const Term& pole, std::vector<double>& breaks) const {
        std::vector<double> roots;
        add_roots([&](double x) { return value_at(pole, x, 0); }, outer_->points, roots);
        const double first = outer_->points.front();
        const double last = outer_->points.back();
        const double width = outer_->points[3 * outer_->points.size() / 4] - outer_->points[outer_->points.size() / 4];
        for (const double r : roots)
            for (double step = 0.25 * width; step > 1e-15 * width; step /= 4)
                for (const double at : {r - step, r + step})
                    if (at > first && at < last) breaks.push_back(at);
    }

    /// Where a curve passes an end of the second axis, which moves with the first.
    void add_slice_ends(const Term& curve, std::vector<double>& breaks) const {
        std::vector<double> roots;
        for (const bool high : {false, true})
            add_roots(
                [&](double x) {
                    const Slice slice = on_.axes[1].given(x);
                    if (!slice.own) return std::nan("");
                    const Line line(slice, 2);
                    const double end = high ? line.high : line.low;
                    return std::isfinite(end) ? value_at(curve, x, end) : std::nan("");
                },
                outer_->points, roots);
        for (const double r : roots)
            if (r > outer_->points.front() && r < outer_->points.back()) breaks.push_back(r);
    }

    /// Where a curve goes through the whole second axis between two neighbouring breaks, the integrand is close to a step there.
    void add_steep(const Term& curve, std::vector<double>& breaks) const {
        const auto& y = inner_->points;
        std::vector<double> roots;
        for (const std::size_t k : {y.size() / 5, y.size() / 2, 4 * y.size() / 5})
            add_roots([&](double x) { return value_at(curve, x, y[k]); }, outer_->points, roots);
        if (roots.size() != 3) return;
        std::sort(roots.begin(), roots.end());
        for (std::size_t i = 0; i + 1 < outer_->points.size(); ++i) {
            const double low = outer_->points[i];
            const double high = outer_->points[i + 1];
            if (!(roots[0] >= low && roots[2] <= high)) continue;
            const double width = std::max(roots[2] - roots[0], 1e-14 * (std::abs(low) + std::abs(high)));
            for (double step = width / 4; step < high - low; step *= 2)
                for (const double at : {roots[1] - step, roots[1] + step})
                    if (at > low && at < high) breaks.push_back(at);
            breaks.push_back(roots[1]);
            return;
        }
    }

    const OnAxes& on_;
    /// α + β y; null if a curve is not affine in the second axis.
    struct Affine {
        Term constant = nullptr;
        Term slope = nullptr;
    };
    std::vector<Term> curves_;
    std::vector<Term> poles_;
    std::vector<Affine> affine_;  // by curve
    bool needs_points_ = false;   // along the second axis
    bool swapped_ = false;
    bool merged_ = true;  // a term that is integrated may bend where the condition goes on to hold
    const Line* outer_ = nullptr;
    const Line* inner_ = nullptr;  // null if the second axis depends on the first
};

/// One axis: the pieces of the line on which the condition holds, by the distribution function. Exact where that and the ends are.
class LineIntegral {
public:
    LineIntegral(const Line& line, std::span<const Term> about) : line_(line) {
        for (const auto& term : about) collect_curves(term, curves_);
    }

    Number mass(const Term& condition) const {
        const auto holds = [&](double x) { return value_at(condition, x, 0) != 0; };
        std::vector<Number> marks;
        std::vector<double> roots;
        for (const auto& curve : curves_) {
            if (const auto linear = as_linear(curve); linear && linear->coefficients.size() == 1) {
                if (!linear->coefficients[0].second.is_zero()) marks.push_back(-linear->constant / linear->coefficients[0].second);
            } else {
                add_roots([&](double x) { return value_at(curve, x, 0); }, line_.points, roots);
            }
        }
        for (const double r : roots) marks.push_back(Number::real(r));
        if (line_.whole()) {
            double sum = 0;
            for (const auto& [k, mass] : quadrature_nodes(*line_.d)) sum += holds(k) ? mass : 0;
            return Number::real(sum);
        }
        std::sort(marks.begin(), marks.end());
        marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
        Number total = 0;
        for (std::size_t k = 0; k <= marks.size(); ++k) {
            const double from = k == 0 ? line_.low : marks[k - 1].real();
            const double to = k == marks.size() ? line_.high : marks[k].real();
            if (!(from < to)) continue;
            if (segments_where(holds, {}, from, to).empty()) continue;
            const auto mass = mass_between(*line_.d, k == 0 ? nullptr : &marks[k - 1], k == marks.size() ? nullptr : &marks[k]);
            if (!mass) return Number::real(NAN);
            total += *mass;
        }
        return total;
    }

    double integral(const Term& term, const Term& condition) const {
        std::vector<double> roots;
        for (const auto& curve : curves_) add_roots([&](double x) { return value_at(curve, x, 0); }, line_.points, roots);
        std::vector<double> breaks;
        for (std::size_t i = 0; i < line_.points.size(); ++i)
            if (i % 16 == 0 || i + 1 == line_.points.size()) breaks.push_back(line_.points[i]);
        for (const double r : roots)
            if (r > breaks.front() && r < breaks.back()) breaks.push_back(r);
        return integral_along(line_, std::move(breaks),
                              [&](double x) { return value_at(condition, x, 0) != 0 ? value_at(term, x, 0) : 0; });
    }

private:
    const Line& line_;
    std::vector<Term> curves_;
};

/// Values of a term over both lines, from the middle outwards to the ends.
TableRange range_on(const Term& term, const Line& first, const std::function<Line(double)>& second) {
    TableRange out;
    std::vector<double> values;
    std::vector<double> middle;
    const auto inner = [](const Line& line, double at) {
        // Half of the points lie between the quartiles or close to them.
        const auto n = static_cast<double>(line.points.size());
        return at > 0.3 * n && at < 0.7 * n;
    };
    for (std::size_t i = 0; i < first.points.size(); i += 3) {
        const Line other = second(first.points[i]);
        for (std::size_t j = 0; j < other.points.size(); j += 3) {
            const double value = value_at(term, first.points[i], other.points[j]);
            if (!std::isfinite(value)) continue;
            values.push_back(value);
            if (inner(first, static_cast<double>(i)) && inner(other, static_cast<double>(j))) middle.push_back(value);
        }
    }
    if (middle.empty()) middle = values;
    if (values.empty()) return {0, 0, 0, 0};
    std::sort(values.begin(), values.end());
    std::sort(middle.begin(), middle.end());
    out.centre = middle[middle.size() / 2];
    out.scale = 0.5 * (middle[middle.size() * 3 / 4] - middle[middle.size() / 4]);
    if (!(out.scale > 0)) out.scale = 0.01 * (values.back() - values.front());
    out.low = values.front();
    out.high = values.back();
    return out;
}

Number mass_along(const OnAxes& on, const std::vector<Line>& lines, const Term& written) {
    if (!written->has_variables) return written->value.is_zero() ? 0 : 1;
    const Term condition = without_corners(written);
    const std::span<const Term> about(&condition, 1);
    if (lines.size() == 1) return LineIntegral(lines[0], about).mass(condition);
    const PlaneIntegral plane(on, lines, about);
    const double found = plane.mass(plane.turned(condition));
    return Number::real(std::isnan(found) ? found : std::clamp(found, 0.0, 1.0));
}

Term both(const Term& a, const Term& b) {
    if (is_constant(b)) return b->value.is_zero() ? b : a;
    return make_term(TermOp::and_, {a, b});
}

/// Whole values that a term over real numbers takes, each with its probability; null if these do not sum to 1.
DistributionPtr counts_on(const OnAxes& on, const std::vector<Line>& lines, const Term& term, const Term& condition, double total,
                          const std::vector<double>& values) {
    std::vector<std::pair<std::int64_t, Number>> masses;
    double sum = 0;
    for (const double value : values) {
        if (value != std::floor(value) || std::abs(value) > 1e15) return nullptr;
        const Term here = both(make_term(TermOp::equal, {term, constant_term(Number::real(value))}), condition);
        const double mass = mass_along(on, lines, here).real() / total;
        if (!(mass > 0)) continue;
        sum += mass;
        masses.emplace_back(static_cast<std::int64_t>(value), Number::real(mass));
    }
    if (!(std::abs(sum - 1) < 1e-8)) return nullptr;
    for (auto& [value, mass] : masses) mass = Number::real(mass.real() / sum);
    return make_count_table(std::move(masses));
}

/// Whether a term jumps from value to value: nothing in it varies but what it chooses from, and truth.
bool is_stepped(const Term& term, const std::vector<Line>& lines) {
    if (!term->has_variables || is_truth(term)) return true;
    if (term->parts.empty()) return lines[index(term->variable)].whole();
    const auto own = std::span(term->parts).subspan(term->op == TermOp::choose ? 1 : 0);
    return std::all_of(own.begin(), own.end(), [&](const Term& part) { return is_stepped(part, lines); });
}

}  // namespace

std::string integral_words(const OnAxes& on, const std::string& condition) {
    if (on.axes.size() < 2) return fmt::format("P({}), from the distribution function of {}", condition, on.axes[0].name);
    const auto swapped = PlaneIntegral(on, lines_of(on, false), on.terms).is_swapped();
    const auto& along = on.axes[swapped ? 1 : 0];
    const bool sum = along.own->support() == Support::integers;
    return fmt::format("P({}) = {} over {} of {}({}) * P({} | {})", condition, sum ? "sum" : "integral", along.name, sum ? "P" : "p",
                       along.name, condition, along.name);
}

Number mass_on(const OnAxes& on, const Term& condition) {
    if (is_rounded(condition)) return Number::real(NAN);
    const Number near = mass_along(on, lines_of(on, false), condition);
    constexpr double rare = 1e-5;
    return near.is_exact() || !(near.real() < rare) ? near : mass_along(on, lines_of(on, true), condition);
}

double integral_on(const OnAxes& on, const Term& term, const Term& condition) {
    if (on.axes.empty()) return condition->value.is_zero() ? 0 : term->value.real();
    if (is_rounded(term) || is_rounded(condition)) return NAN;
    const auto lines = lines_of(on, true);
    const std::vector<Term> about{term, condition};
    if (on.axes.size() == 1) return LineIntegral(lines[0], about).integral(term, condition);
    const PlaneIntegral plane(on, lines, about);
    return plane.integral(plane.turned(term), plane.turned(condition));
}

DistributionPtr distribution_on(const OnAxes& on, const Term& term, const Term& condition) {
    if (on.axes.empty() || is_rounded(term) || is_rounded(condition)) return nullptr;
    const bool whole = is_constant(condition) && !condition->value.is_zero();
    if (whole && on.axes.size() == 1 && term->op == TermOp::variable) return on.axes[0].own;
    const auto lines = lines_of(on, false);
    const double total = mass_along(on, lines, condition).real();
    if (!(total > 0)) return nullptr;
    const auto second = [&](double x) {
        if (lines.size() == 1) return Line(*make_normal(0, 1), 2);
        const Slice slice = on.axes[1].given ? on.axes[1].given(x) : Slice{};
        return slice.own ? Line(slice) : lines[1];
    };
    if (is_stepped(term, lines)) {
        std::vector<double> steps;
        for (const double x : lines[0].points)
            for (const double y : second(x).points) steps.push_back(value_at(term, x, y));
        std::sort(steps.begin(), steps.end());
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
        constexpr std::size_t most_steps = 200;
        return steps.size() > most_steps ? nullptr : counts_on(on, lines, term, condition, total, steps);
    }
    const auto cdf = [&](double z) {
        const Term below = make_term(TermOp::less_equal, {term, constant_term(Number::real(z))});
        return mass_along(on, lines, both(below, condition)).real() / total;
    };
    return tabulated(cdf, range_on(term, lines[0], second));
}

}  // namespace credence::rt::continuous
