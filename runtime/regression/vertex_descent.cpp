#include "runtime/regression/vertex_descent.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/core/rational.hpp"

namespace credence::rt {

namespace {

double tolerance_of(const double*) { return 1e-11; }
Rational tolerance_of(const Rational*) { return Rational(0); }
double size_of(double x) { return std::abs(x); }
Rational size_of(const Rational& x) { return x.sign() < 0 ? -x : x; }
constexpr std::size_t steps_between_fresh_inverses = 16;

template <class Scalar>
class Descent {
public:
    Descent(const AbsoluteProblem<Scalar>& problem, const Run& run)
        : problem_(problem),
          run_(run),
          n_(problem.rows()),
          p_(problem.columns),
          tolerance_(tolerance_of(static_cast<const Scalar*>(nullptr))) {
        for (const auto& y : problem.y) largest_ = std::max(largest_, size_of(y));
        sign_.assign(n_, 1);
        met_.assign(n_, 0);
    }

    Result<AbsoluteSolution<Scalar>> from(std::span<const std::size_t> order) {
        AbsoluteSolution<Scalar> out;
        TRY(choose_rows(order));
        TRY(fresh_inverse());
        const std::size_t most = 200 * (n_ + p_) + 1000;
        bool careful = false;
        while (true) {
            if (run_.stopped()) return stopped_fault();
            const auto leaving = edge(careful);
            if (!leaving) break;
            if (out.steps++ == most) {
                out.converged = false;
                break;
            }
            careful = !step(*leaving, careful);
            if (out.steps % steps_between_fresh_inverses == 0) { TRY(fresh_inverse()); }
        }
        TRY(fresh_inverse());
        out.coefficients = beta_;
        out.through = basis_;
        out.only_one = is_only_one();
        return out;
    }

private:
    struct Edge {
        std::size_t position;  ///< in the basis
        Scalar slope;          ///< of the sum, below 0
        int direction;
    };
    struct Crossing {
        Scalar at;
        std::size_t row;
    };

    Scalar product(std::size_t row, std::size_t position) const {
        Scalar out(0);
        const auto x = problem_.row(row);
        for (std::size_t c = 0; c < p_; ++c) out += x[c] * inverse_[c * p_ + position];
        return out;
    }

    /// Independent rows by elimination, in the order given. For doubles a row has to stand out from those before it.
    Status choose_rows(std::span<const std::size_t> order) {
        std::vector<std::vector<Scalar>> reduced;
        std::vector<std::size_t> pivots;
        std::vector<std::size_t> candidates(order.begin(), order.end());
        candidates.insert(candidates.end(), order.begin(), order.end());  // where all are close to each other, any that is not the same
        for (std::size_t turn = 0; turn < candidates.size() && basis_.size() < p_; ++turn) {
            const std::size_t i = candidates[turn];
            const Scalar apart = turn < order.size() ? tolerance_ * Scalar(1000) : Scalar(0);
            if (met_[i]) continue;
            if (run_.stopped()) return stopped_fault();
            std::vector<Scalar> v(problem_.row(i).begin(), problem_.row(i).end());
            Scalar before(0);
            for (const auto& x : v) before = std::max(before, size_of(x));
            for (std::size_t k = 0; k < reduced.size(); ++k) {
                const Scalar factor = v[pivots[k]];
                if (factor == Scalar(0)) continue;
                for (std::size_t c = 0; c < p_; ++c) v[c] -= factor * reduced[k][c];
            }
            std::size_t largest = 0;
            for (std::size_t c = 1; c < p_; ++c)
                if (size_of(v[c]) > size_of(v[largest])) largest = c;
            if (!(size_of(v[largest]) > apart * before)) continue;
            const Scalar pivot = v[largest];
            for (auto& x : v) x = x / pivot;
            reduced.push_back(std::move(v));
            pivots.push_back(largest);
            basis_.push_back(i);
            met_[i] = 1;
        }
        return Done{};
    }

    /// The inverse of the basis rows by Gauss–Jordan elimination with row exchanges; coefficients, residuals and signs from it.
    Status fresh_inverse() {
        std::vector<Scalar> a(p_ * p_);
        inverse_.assign(p_ * p_, Scalar(0));
        for (std::size_t r = 0; r < p_; ++r) {
            std::copy_n(problem_.row(basis_[r]).begin(), p_, a.begin() + static_cast<std::ptrdiff_t>(r * p_));
            inverse_[r * p_ + r] = Scalar(1);
        }
        for (std::size_t k = 0; k < p_; ++k) {
            if (run_.stopped()) return stopped_fault();
            std::size_t best = k;
            for (std::size_t r = k + 1; r < p_; ++r)
                if (size_of(a[r * p_ + k]) > size_of(a[best * p_ + k])) best = r;
            for (std::size_t c = 0; c < p_ && best != k; ++c) {
                std::swap(a[k * p_ + c], a[best * p_ + c]);
                std::swap(inverse_[k * p_ + c], inverse_[best * p_ + c]);
            }
            const Scalar pivot = a[k * p_ + k];
            for (std::size_t c = 0; c < p_; ++c) {
                a[k * p_ + c] = a[k * p_ + c] / pivot;
                inverse_[k * p_ + c] = inverse_[k * p_ + c] / pivot;
            }
            for (std::size_t r = 0; r < p_; ++r) {
                const Scalar factor = a[r * p_ + k];
                if (r == k || factor == Scalar(0)) continue;
                for (std::size_t c = 0; c < p_; ++c) {
                    a[r * p_ + c] -= factor * a[k * p_ + c];
                    inverse_[r * p_ + c] -= factor * inverse_[k * p_ + c];
                }
            }
        }
        beta_.assign(p_, Scalar(0));
        for (std::size_t c = 0; c < p_; ++c)
            for (std::size_t k = 0; k < p_; ++k) beta_[c] += inverse_[c * p_ + k] * problem_.y[basis_[k]];
        residual_.assign(n_, Scalar(0));
        for (std::size_t i = 0; i < n_; ++i) {
            if (met_[i]) continue;
            Scalar e = problem_.y[i];
            const auto x = problem_.row(i);
            for (std::size_t c = 0; c < p_; ++c) e -= x[c] * beta_[c];
            set_residual(i, e);
        }
        return Done{};
    }

    void set_residual(std::size_t i, const Scalar& e) {
        const bool is_zero = size_of(e) <= tolerance_ * largest_;
        residual_[i] = is_zero ? Scalar(0) : e;
        if (!is_zero) sign_[i] = e > Scalar(0) ? 1 : -1;
    }

    /// c_k = Σ w s (x·d_k) over the rows that are not met, d_k the k-th column of the inverse.
    std::vector<Scalar> costs() const {
        std::vector<Scalar> pull(p_, Scalar(0));
        for (std::size_t i = 0; i < n_; ++i) {
            if (met_[i]) continue;
            const auto x = problem_.row(i);
            for (std::size_t c = 0; c < p_; ++c) {
                if (sign_[i] > 0)
                    pull[c] += problem_.w[i] * x[c];
                else
                    pull[c] -= problem_.w[i] * x[c];
            }
        }
        std::vector<Scalar> out(p_, Scalar(0));
        for (std::size_t k = 0; k < p_; ++k)
            for (std::size_t c = 0; c < p_; ++c) out[k] += pull[c] * inverse_[c * p_ + k];
        return out;
    }

    std::optional<Edge> edge(bool careful) const {
        const std::vector<Scalar> c = costs();
        std::optional<Edge> out;
        for (std::size_t k = 0; k < p_; ++k) {
            const Scalar& w = problem_.w[basis_[k]];
            const Scalar slope = w - size_of(c[k]);
            if (!(slope < -(tolerance_ * (w + size_of(c[k]))))) continue;
            const bool better = !out || (careful ? basis_[k] < basis_[out->position] : slope < out->slope);
            if (better) out = Edge{k, slope, c[k] > Scalar(0) ? 1 : -1};
        }
        return out;
    }

    /// The rows that the edge crosses, in the order in which it does; those at the same place by number.
    std::vector<Crossing> crossings(const Edge& e, std::vector<Scalar>& along) const {
        std::vector<Crossing> out;
        along.assign(n_, Scalar(0));
        for (std::size_t i = 0; i < n_; ++i) {
            if (met_[i]) continue;
            Scalar h = product(i, e.position);
            if (e.direction < 0) h = -h;
            along[i] = h;
            if ((sign_[i] > 0 && h > tolerance_) || (sign_[i] < 0 && h < -tolerance_)) out.push_back({residual_[i] / h, i});
        }
        return out;
    }

    /// Whether the step had a length.
    bool step(const Edge& e, bool careful) {
        std::vector<Scalar> along;
        auto met_on_the_way = crossings(e, along);
        const auto before = [](const Crossing& a, const Crossing& b) { return a.at < b.at || (!(b.at < a.at) && a.row < b.row); };
        std::sort(met_on_the_way.begin(), met_on_the_way.end(), before);
        Scalar slope = e.slope;
        const Crossing* last = nullptr;
        for (const auto& crossing : met_on_the_way) {
            last = &crossing;
            if (careful) break;
            slope += Scalar(2) * problem_.w[crossing.row] * size_of(along[crossing.row]);
            if (!(slope < Scalar(0))) break;
            sign_[crossing.row] = -sign_[crossing.row];
        }
        if (!last) return true;  // rounding alone: a sum of absolute values is bounded below
        const Scalar length = last->at;
        const std::size_t entering = last->row;
        const std::size_t leaving = basis_[e.position];
        for (std::size_t i = 0; i < n_; ++i) {
            if (met_[i] || i == entering || along[i] == Scalar(0)) continue;
            const int kept = sign_[i];
            set_residual(i, residual_[i] - length * along[i]);
            if (residual_[i] == Scalar(0)) sign_[i] = kept;
        }
        met_[leaving] = 0;
        sign_[leaving] = -e.direction;
        residual_[leaving] = e.direction > 0 ? -length : length;
        met_[entering] = 1;
        residual_[entering] = Scalar(0);
        exchange(e.position, entering);
        return length > tolerance_ * largest_;
    }

    void exchange(std::size_t position, std::size_t entering) {
        std::vector<Scalar> h(p_);
        for (std::size_t k = 0; k < p_; ++k) h[k] = product(entering, k);
        for (std::size_t c = 0; c < p_; ++c) {
            const Scalar d = inverse_[c * p_ + position] / h[position];
            for (std::size_t k = 0; k < p_; ++k) inverse_[c * p_ + k] = k == position ? d : inverse_[c * p_ + k] - h[k] * d;
        }
        basis_[position] = entering;
    }

    bool is_only_one() const {
        const std::vector<Scalar> c = costs();
        for (std::size_t k = 0; k < p_; ++k) {
            const Scalar& w = problem_.w[basis_[k]];
            if (size_of(w - size_of(c[k])) > tolerance_ * Scalar(100) * w) continue;
            std::vector<Scalar> along;
            const auto ways = crossings({k, Scalar(0), c[k] > Scalar(0) ? 1 : -1}, along);
            if (std::all_of(ways.begin(), ways.end(), [&](const Crossing& x) { return x.at > tolerance_ * largest_; })) return false;
        }
        return true;
    }

    const AbsoluteProblem<Scalar>& problem_;
    const Run& run_;
    std::size_t n_;
    std::size_t p_;
    Scalar tolerance_;
    Scalar largest_ = Scalar(0);
    std::vector<std::size_t> basis_;
    std::vector<char> met_;
    std::vector<int> sign_;  ///< of the residual; of one that is 0: the side it is counted to
    std::vector<Scalar> inverse_;
    std::vector<Scalar> beta_;
    std::vector<Scalar> residual_;
};

}  // namespace

template <class Scalar>
Result<AbsoluteSolution<Scalar>> descend_to_least_absolute(const AbsoluteProblem<Scalar>& problem, std::span<const std::size_t> order,
                                                           const Run& run) {
    return Descent<Scalar>(problem, run).from(order);
}

template Result<AbsoluteSolution<double>> descend_to_least_absolute(const AbsoluteProblem<double>&, std::span<const std::size_t>,
                                                                    const Run&);
template Result<AbsoluteSolution<Rational>> descend_to_least_absolute(const AbsoluteProblem<Rational>&, std::span<const std::size_t>,
                                                                      const Run&);

}  // namespace credence::rt
