#include "runtime/continuous/exact/line.hpp"

#include "runtime/core/quadrature.hpp"
#include "runtime/prob/distributions/expectation.hpp"

namespace credence::rt::continuous {

Line::Line(DistributionPtr distribution, int levels, bool far) : d(std::move(distribution)) {
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

Line::Line(const Slice& slice, int levels) : Line(slice.points.empty() ? Line(slice.own, levels) : Line()) {
    if (slice.points.empty()) return;
    d = slice.own;
    points = slice.points;
    low = points.front();
    high = points.back();
}

void Line::outwards(double width, bool up) {
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

double Line::mass(double from, double to) const {
    if (!(from < to)) return 0;
    const Number a = Number::real(from);
    const Number b = Number::real(to);
    const auto found = mass_between(*d, std::isfinite(from) ? &a : nullptr, std::isfinite(to) ? &b : nullptr);
    return found ? found->real() : NAN;
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

double integral_along(const Line& line, std::vector<double> breaks, const std::function<double(double)>& f) {
    if (line.whole()) return expected_sum(*line.d, f);
    return integral_to_ends([&](double x) { return weighed_by_density(*line.d, x, f); }, std::move(breaks), line.low, line.high, 1e-12);
}

}  // namespace credence::rt::continuous
