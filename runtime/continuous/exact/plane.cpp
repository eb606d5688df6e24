#include "runtime/continuous/exact/plane.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/exact/quadrature.hpp"
#include "runtime/continuous/exact/tabulated.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/core/search.hpp"

namespace credence::rt::continuous {

namespace {

constexpr VarId first_axis = static_cast<VarId>(0);
constexpr VarId second_axis = static_cast<VarId>(1);
constexpr double integral_tolerance = 1e-12;

bool stands_in(const Term& term, VarId v) {
    if (!term->has_variables) return false;
    if (term->parts.empty()) return term->variable == v;
    return std::any_of(term->parts.begin(), term->parts.end(), [&](const Term& part) { return stands_in(part, v); });
}

/// α + β v, where α and β do not hang on v.
bool is_affine_in(const Term& term, VarId v) {
    if (!stands_in(term, v)) return true;
    switch (term->op) {
        case TermOp::variable:
            return true;
        case TermOp::negate:
        case TermOp::add:
        case TermOp::subtract:
            return std::all_of(term->parts.begin(), term->parts.end(), [&](const Term& part) { return is_affine_in(part, v); });
        case TermOp::multiply:
            return (!stands_in(term->parts[0], v) && is_affine_in(term->parts[1], v)) ||
                   (!stands_in(term->parts[1], v) && is_affine_in(term->parts[0], v));
        case TermOp::divide:
            return !stands_in(term->parts[1], v) && is_affine_in(term->parts[0], v);
        default:
            return false;
    }
}

/// β of a term that is affine in v.
Term slope_in(const Term& term, VarId v) {
    if (!stands_in(term, v)) return constant_term(0);
    if (term->op == TermOp::variable) return constant_term(1);
    const auto part = [&](std::size_t k) { return slope_in(term->parts[k], v); };
    if (term->op == TermOp::negate) return make_term(TermOp::negate, {part(0)});
    if (term->op == TermOp::divide) return make_term(TermOp::divide, {part(0), term->parts[1]});
    if (term->op == TermOp::multiply) {
        const std::size_t with = stands_in(term->parts[0], v) ? 0 : 1;
        return make_term(TermOp::multiply, {part(with), term->parts[1 - with]});
    }
    return make_term(term->op, {part(0), part(1)});
}

double value_at(const Term& term, double x, double y) {
    return evaluate(term, [x, y](const TermNode& leaf) { return leaf.variable == first_axis ? x : y; });
}

/// Differences whose sign decides about the truth of a condition, or about the branch that a choice takes.
void collect_curves(const Term& term, std::vector<Term>& out) {
    if (!term->has_variables) return;
    if (term->op == TermOp::less || term->op == TermOp::less_equal || term->op == TermOp::equal)
        out.push_back(make_term(TermOp::subtract, {term->parts[0], term->parts[1]}));
    if (term->op == TermOp::choose && !is_truth(term->parts[0])) out.push_back(term->parts[0]);
    if (term->op == TermOp::min || term->op == TermOp::max) out.push_back(make_term(TermOp::subtract, {term->parts[0], term->parts[1]}));
    if (term->op == TermOp::abs) out.push_back(term->parts[0]);
    if (term->op == TermOp::divide && term->parts[1]->has_variables) out.push_back(term->parts[1]);  // a pole
    for (const auto& part : term->parts) collect_curves(part, out);
}

void collect_poles(const Term& term, std::vector<Term>& out) {
    if (!term->has_variables) return;
    if (term->op == TermOp::divide && term->parts[1]->has_variables) out.push_back(term->parts[1]);
    for (const auto& part : term->parts) collect_poles(part, out);
}

/// max(A, B) < c as A < c and B < c, and so on: comparisons without corners in what they compare.
Term without_corners(const Term& term) {
    if (!term->has_variables || term->parts.empty()) return term;
    const bool order = term->op == TermOp::less || term->op == TermOp::less_equal;
    if (order) {
        const std::size_t side = term->parts[0]->has_variables ? 0 : 1;  // the other one is a constant, or this stays as it is
        const Term& inner = term->parts[side];
        const Term& other = term->parts[1 - side];
        const bool extreme = inner->op == TermOp::min || inner->op == TermOp::max;
        if (is_constant(other) && (extreme || inner->op == TermOp::abs)) {
            const auto compared = [&](const Term& part) {
                return without_corners(make_term(term->op, side == 0 ? std::vector{part, other} : std::vector{other, part}));
            };
            const bool greater = inner->op != TermOp::min;  // of abs(A): the greater of A and -A
            const TermOp joined = (side == 0) == greater ? TermOp::and_ : TermOp::or_;
            const Term second = extreme ? inner->parts[1] : make_term(TermOp::negate, {inner->parts[0]});
            return make_term(joined, {compared(inner->parts[0]), compared(second)});
        }
        return term;
    }
    if (!is_truth(term)) return term;
    std::vector<Term> parts;
    for (const auto& part : term->parts) parts.push_back(without_corners(part));
    return make_term(term->op, std::move(parts));
}

/// Steps at every whole number cannot be followed like curves.
bool is_rounded(const Term& term) {
    const bool own = term->op == TermOp::mod || term->op == TermOp::floor || term->op == TermOp::ceil || term->op == TermOp::round;
    return term->has_variables && (own || std::any_of(term->parts.begin(), term->parts.end(), is_rounded));
}

/// A distribution on a line, with points along it from end to end.
struct Line {
    DistributionPtr d;
    double low = -INFINITY;  ///< the ends of what it can be
    double high = INFINITY;
    std::vector<double> points = {};

    /// With `far`, the points go on as far as a double can tell that something is left: for what is rare.
    Line(DistributionPtr distribution, int levels, bool far = false) : d(std::move(distribution)) {
        const auto end = [&](int p) {
            const auto q = d->quantile(Number(p));
            return q ? q->real() : NAN;
        };
        if (const double at = end(0); std::isfinite(at)) low = at;
        if (const double at = end(1); std::isfinite(at)) high = at;
        if (std::isfinite(low)) points.push_back(low);
        for (int i = 0; i <= levels; ++i) {
            // From 1e-13 to 1 − 1e-13, as a normal distribution would have them at equal steps.
            const double z = (static_cast<double>(i) / levels * 2 - 1) * 7.35;
            const auto q = d->quantile(Number::real(0.5 * std::erfc(-z / std::sqrt(2.0))));
            if (q && std::isfinite(q->real()) && (points.empty() || q->real() > points.back())) points.push_back(q->real());
        }
        if (std::isfinite(high) && (points.empty() || high > points.back())) points.push_back(high);
        if (points.size() < 2) return;
        const double width = points.back() - points.front();
        if (far) {
            outwards(width, false);
            outwards(width, true);
            return;
        }
        if (!std::isfinite(low))
            for (const double steps : {0.5, 2.0, 10.0, 1000.0}) points.insert(points.begin(), points.front() - steps * width);
        if (!std::isfinite(high))
            for (const double steps : {0.5, 2.0, 10.0, 1000.0}) points.push_back(points.back() + steps * width);
    }
    explicit Line(const Slice& slice, int levels = 24) : Line(slice.points.empty() ? Line(slice.own, levels) : Line()) {
        if (slice.points.empty()) return;
        d = slice.own;
        points = slice.points;
        low = points.front();
        high = points.back();
    }
    void outwards(double width, bool up) {
        if (std::isfinite(up ? high : low)) return;
        std::vector<double> more;
        double step = width / 40;
        for (double at = up ? points.back() : points.front(); more.size() < 150; step *= 1.08) {
            const auto left = up ? d->above(Number::real(at)) : d->cdf(Number::real(at));
            if (!left || !(left->real() > 0)) break;
            more.push_back(at += up ? step : -step);
        }
        if (!up) std::reverse(more.begin(), more.end());
        points.insert(up ? points.end() : points.begin(), more.begin(), more.end());
    }
    Line() = default;
    bool whole() const { return d->support() == Support::integers; }
    double mass(double from, double to) const {
        if (!(from < to)) return 0;
        const Number a = Number::real(from);
        const Number b = Number::real(to);
        const auto found = mass_between(*d, std::isfinite(from) ? &a : nullptr, std::isfinite(to) ? &b : nullptr);
        return found ? found->real() : NAN;
    }
};

/// Where a function changes its sign along the points, also where it does so twice between two of them and turns in between.
template <class F>
void add_roots(const F& f, std::span<const double> points, std::vector<double>& out) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const double x : points) values.push_back(f(x));
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (values[i] == 0) out.push_back(points[i]);
        if (i > 0 && values[i - 1] * values[i] < 0) out.push_back(root_between(f, points[i - 1], values[i - 1], points[i], values[i]));
        if (i == 0 || i + 1 == points.size()) continue;
        const double before = values[i - 1];
        const double after = values[i + 1];
        const bool nearest = before * values[i] > 0 && after * values[i] > 0 && std::abs(values[i]) <= std::abs(before) &&
                             std::abs(values[i]) < std::abs(after);
        if (!nearest) continue;
        const double sign = values[i] > 0 ? -1 : 1;
        const double turn = peak_between([&](double x) { return sign * f(x); }, points[i - 1], points[i + 1]);
        const double there = f(turn);
        if (!(there * values[i] < 0)) continue;
        out.push_back(root_between(f, points[i - 1], before, turn, there));
        out.push_back(root_between(f, turn, there, points[i + 1], after));
    }
}

struct Segment {
    double low = -INFINITY;
    double high = INFINITY;
};

/// The pieces of a line on which a condition holds; `at` gives its truth, the roots are where that may change.
template <class Truth>
std::vector<Segment> segments_where(const Truth& at, std::vector<double> roots, double low, double high, bool merged = true) {
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    std::erase_if(roots, [&](double r) { return !(r > low && r < high); });
    std::vector<Segment> out;
    for (std::size_t k = 0; k <= roots.size(); ++k) {
        const double from = k == 0 ? low : roots[k - 1];
        const double to = k == roots.size() ? high : roots[k];
        const double inside = std::isfinite(from) && std::isfinite(to) ? 0.5 * (from + to)
                              : std::isfinite(from)                    ? from + 1 + std::abs(from)
                              : std::isfinite(to)                      ? to - 1 - std::abs(to)
                                                                       : 0;
        if (!at(inside)) continue;
        if (merged && !out.empty() && out.back().high == from)
            out.back().high = to;
        else
            out.push_back({from, to});
    }
    return out;
}

std::vector<double> cut_breaks(std::span<const double> points, const Segment& segment) {
    std::vector<double> out;
    if (std::isfinite(segment.low)) out.push_back(segment.low);
    for (const double p : points)
        if (p > segment.low && p < segment.high) out.push_back(p);
    if (std::isfinite(segment.high)) out.push_back(segment.high);
    return out;
}

double density_of(const Distribution& d, double x) {
    const double p = std::exp(d.log_pdf(Number::real(x)));
    return std::isfinite(p) ? p : 0;
}

/// ∫ f over breaks that go outwards until nothing is left; whole numbers are summed. Infinite where the integral diverges.
double integral_along(const Line& line, std::vector<double> breaks, const std::function<double(double)>& f) {
    if (line.whole()) {
        double sum = 0;
        for (const auto& [k, mass] : nodes_of(*line.d)) sum += mass * f(k);
        return sum;
    }
    const std::function<double(double)> weighed = [&](double x) {
        const double p = density_of(*line.d, x);
        return p > 0 ? p * f(x) : 0.0;
    };
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
    for (int end = 0; end < 2; ++end) {
        if (!std::isfinite(end == 0 ? line.high : line.low) && !reach_out(weighed, breaks)) return INFINITY;
        std::reverse(breaks.begin(), breaks.end());
    }
    double sum = 0;
    for (const auto& panel : integrate(weighed, breaks, integral_tolerance)) sum += panel.integral;
    return sum;
}

/// The lines of the axes; of a second one that hangs on the first, its marginal.
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
        for (const auto& [k, mass] : nodes_of(*line.d))
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

    /// Where the integrand along the first axis may jump or bend: where a curve passes an end of the second axis, or does not hang on it.
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
    /// α + β y; null where a curve is not affine in the second axis.
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
    const Line* inner_ = nullptr;  // null where the second axis hangs on the first
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
            for (const auto& [k, mass] : nodes_of(*line_.d)) sum += holds(k) ? mass : 0;
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

/// Whole values that a term over real numbers takes, each with its probability; null where these do not sum to 1.
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
