#include "runtime/continuous/exact/orders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace credence::rt::continuous {

namespace {

constexpr std::size_t most_ordered = 6;
constexpr std::size_t panel_nodes = 10;

bool says_order(const Term& term);

/// One of the numbers, by its place among the others.
bool is_place(const Term& term) {
    if (term->op == TermOp::variable) return true;
    if (term->op == TermOp::min || term->op == TermOp::max)
        return std::all_of(term->parts.begin(), term->parts.end(), [](const Term& part) { return is_place(part); });
    return term->op == TermOp::choose && says_order(term->parts[0]) && is_place(term->parts[1]) && is_place(term->parts[2]);
}

/// How many of some comparisons hold.
bool is_tally(const Term& term) {
    if (is_constant(term) || says_order(term)) return true;
    const bool sum = term->op == TermOp::add || term->op == TermOp::subtract || term->op == TermOp::multiply || term->op == TermOp::negate;
    return sum && std::all_of(term->parts.begin(), term->parts.end(), is_tally);
}

/// Whether a condition stays as it is when all numbers go through one increasing function.
bool says_order(const Term& term) {
    const auto all = [&](auto what) { return std::all_of(term->parts.begin(), term->parts.end(), what); };
    switch (term->op) {
        case TermOp::constant:
            return true;
        case TermOp::less:
        case TermOp::less_equal:
        case TermOp::equal: {
            const Term& left = term->parts[0];
            const Term& right = term->parts[1];
            const auto difference = [](const Term& a, const Term& b) {  // x - y < 0
                return a->op == TermOp::subtract && is_place(a->parts[0]) && is_place(a->parts[1]) && is_constant(b) && b->value.is_zero();
            };
            return (is_place(left) && is_place(right)) || difference(left, right) || difference(right, left) ||
                   (is_tally(left) && is_tally(right));
        }
        case TermOp::and_:
        case TermOp::or_:
        case TermOp::not_:
        case TermOp::choose:
            return all([](const Term& part) { return says_order(part); });
        default:
            return false;
    }
}

/// Gauss's points on [-1, 1], and what a polynomial through values there integrates to: up to each point, and up to 1.
struct GaussPanel {
    std::array<double, panel_nodes> points{};
    std::array<double, panel_nodes> weights{};
    std::array<std::array<double, panel_nodes>, panel_nodes> up_to{};

    GaussPanel() {
        constexpr auto n = static_cast<int>(panel_nodes);
        for (int i = 0; i < n; ++i) {
            double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
            double slope = 1;
            for (int step = 0; step < 100; ++step) {
                const auto p = legendre(x);
                slope = n * (x * p[n] - p[n - 1]) / (x * x - 1);
                const double move = p[n] / slope;
                x -= move;
                if (std::abs(move) < 1e-16) break;
            }
            points[static_cast<std::size_t>(i)] = x;
            weights[static_cast<std::size_t>(i)] = 2 / ((1 - x * x) * slope * slope);
        }
        // The polynomial that is 1 at point j and 0 at the others is Σ (2k + 1)/2 w_j P_k(x_j) P_k, and ∫ P_k = (P_k+1 − P_k−1)/(2k + 1).
        for (std::size_t i = 0; i < panel_nodes; ++i) {
            const auto at = legendre(points[i]);
            for (std::size_t j = 0; j < panel_nodes; ++j) {
                const auto own = legendre(points[j]);
                double sum = 0.5 * (points[i] + 1);
                for (std::size_t k = 1; k < panel_nodes; ++k) sum += 0.5 * own[k] * (at[k + 1] - at[k - 1]);
                up_to[i][j] = weights[j] * sum;
            }
        }
    }

    static std::array<double, panel_nodes + 2> legendre(double x) {
        std::array<double, panel_nodes + 2> p{1, x};
        for (std::size_t k = 2; k < p.size(); ++k) {
            const auto n = static_cast<double>(k);
            p[k] = ((2 * n - 1) * x * p[k - 1] - (n - 1) * p[k - 2]) / n;
        }
        return p;
    }
};

/// Chances that numbers come in one order: ∫ f₁ up to x₂, ∫ of that times f₂ up to x₃, and so on, on panels that all of them share.
class Orders {
public:
    Orders(const std::vector<DistributionPtr>& numbers, std::vector<VarId> names, const Term& condition)
        : names_(std::move(names)), condition_(condition) {
        std::vector<double> breaks;
        for (const auto& d : numbers)
            for (int i = 0; i <= 32; ++i) {
                const double z = (i / 16.0 - 1) * 7.35;  // as a normal distribution would have them at equal steps
                const auto q = d->quantile(Number::real(0.5 * std::erfc(-z / std::sqrt(2.0))));
                if (q && std::isfinite(q->real())) breaks.push_back(q->real());
            }
        std::sort(breaks.begin(), breaks.end());
        for (const double at : breaks)
            if (breaks_.empty() || at > breaks_.back() + 1e-12 * (breaks.back() - breaks.front())) breaks_.push_back(at);
        for (const auto& d : numbers) {
            std::vector<double> density;
            for (std::size_t p = 0; p + 1 < breaks_.size(); ++p)
                for (const double x : panel_.points) {
                    const double at = 0.5 * ((breaks_[p + 1] - breaks_[p]) * x + breaks_[p + 1] + breaks_[p]);
                    const double f = std::exp(d->log_pdf(Number::real(at)));
                    density.push_back(std::isfinite(f) ? f : 0);
                }
            densities_.push_back(std::move(density));
        }
    }

    /// Nothing if the densities have more in them than the panels see.
    std::optional<double> mass() {
        if (breaks_.size() < 2) return std::nullopt;
        visit(std::vector<double>(densities_[0].size(), 1.0));
        if (!(std::abs(all_ - 1) < 1e-9)) return std::nullopt;
        return std::clamp(holding_ / all_, 0.0, 1.0);
    }

private:
    /// `before`: the chance that those in order_ came so, all below the point.
    void visit(const std::vector<double>& before) {
        for (std::size_t k = 0; k < densities_.size(); ++k) {
            if (std::find(order_.begin(), order_.end(), k) != order_.end()) continue;
            order_.push_back(k);
            std::vector<double> upto(before.size());
            double sum = 0;
            for (std::size_t p = 0; p + 1 < breaks_.size(); ++p) {
                const double half = 0.5 * (breaks_[p + 1] - breaks_[p]);
                const std::size_t first = p * panel_nodes;
                std::array<double, panel_nodes> value{};
                for (std::size_t j = 0; j < panel_nodes; ++j) value[j] = half * densities_[k][first + j] * before[first + j];
                for (std::size_t i = 0; i < panel_nodes; ++i) {
                    double part = sum;
                    for (std::size_t j = 0; j < panel_nodes; ++j) part += panel_.up_to[i][j] * value[j];
                    upto[first + i] = part;
                }
                for (std::size_t j = 0; j < panel_nodes; ++j) sum += panel_.weights[j] * value[j];
            }
            if (order_.size() == densities_.size()) {
                all_ += sum;
                holding_ += holds() ? sum : 0;
            } else {
                visit(upto);
            }
            order_.pop_back();
        }
    }

    bool holds() const {
        return evaluate(condition_, [&](const TermNode& leaf) {
                   const auto own = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), leaf.variable) - names_.begin());
                   return static_cast<double>(std::find(order_.begin(), order_.end(), own) - order_.begin());
               }) != 0;
    }

    GaussPanel panel_;
    std::vector<VarId> names_;
    const Term& condition_;
    std::vector<double> breaks_;
    std::vector<std::vector<double>> densities_;  // by number, at the points of all panels
    std::vector<std::size_t> order_;
    double all_ = 0;
    double holding_ = 0;
};

}  // namespace

std::optional<double> mass_by_order(const Subproblem& subproblem, const Posterior& posterior, const Term& condition) {
    if (!condition->has_variables || !says_order(condition)) return std::nullopt;
    const auto names = variables_of(condition);
    if (names.size() > most_ordered) return std::nullopt;
    const auto pieces = connected(subproblem);
    std::vector<DistributionPtr> numbers;
    for (const auto& piece : pieces)
        if (std::count_if(names.begin(), names.end(),
                          [&](VarId v) { return std::binary_search(piece.latents.begin(), piece.latents.end(), v); }) > 1)
            return std::nullopt;
    for (const auto v : names) {
        auto own = marginal_of(posterior, variable_term(v));
        if (!own || own->support() != Support::reals) return std::nullopt;
        numbers.push_back(std::move(own));
    }
    return Orders(numbers, names, condition).mass();
}

}  // namespace credence::rt::continuous
