#include "runtime/margin/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <numeric>

#include "runtime/core/crew.hpp"
#include "runtime/core/lanes.hpp"

namespace credence::rt {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t least_shared = 2048;  // variables below which one thread is quicker
constexpr std::size_t columns_a_chunk = 1024;
constexpr double least_curvature = 1e-12;  // of a pair whose points coincide, or whose kernel is not positive definite

/// Kernel rows of points, the least recently used given up first. A row is valid up to `length` columns of the present order.
template <class Cell>
class RowCache {
public:
    RowCache(std::size_t rows, std::size_t columns, std::size_t bytes)
        : rows_(rows), most_(std::max<std::size_t>(2, bytes / (sizeof(Cell) * std::max<std::size_t>(columns, 1)))), columns_(columns) {}

    struct Row {
        std::vector<Cell> cells;
        std::size_t length = 0;
        std::list<std::uint32_t>::iterator place;
    };
    /// The row, now the most recently used; its cells from `length` on are to be filled by the caller.
    Row& get(std::uint32_t i) {
        Row& row = rows_[i];
        if (row.cells.empty()) {
            if (used_.size() >= most_) {
                Row& old = rows_[used_.back()];
                row.cells.swap(old.cells);
                old.length = 0;
                used_.pop_back();
            } else {
                row.cells.resize(columns_);
            }
            row.length = 0;
            used_.push_front(i);
            row.place = used_.begin();
        } else {
            used_.splice(used_.begin(), used_, row.place);
        }
        return row;
    }
    /// Columns are put into a new order: of each row only the first `kept.size()` columns stay, ascending.
    void keep(std::span<const std::uint32_t> kept) {
        for (const auto i : used_) {
            Row& row = rows_[i];
            std::size_t n = 0;
            while (n < kept.size() && kept[n] < row.length) {
                row.cells[n] = row.cells[kept[n]];
                ++n;
            }
            row.length = n;
        }
    }

private:
    std::vector<Row> rows_;
    std::size_t most_;
    std::size_t columns_;
    std::list<std::uint32_t> used_;
};

template <class Cell>
struct CellLanes;
template <>
struct CellLanes<double> {
    static Lanes load(const double* p) {
        Lanes out;
        load_lanes(out, p);
        return out;
    }
};
template <>
struct CellLanes<float> {
    static Lanes load(const float* p) {
        typedef float Four __attribute__((vector_size(16)));
        Four v;
        std::memcpy(&v, p, sizeof v);
        return __builtin_convertvector(v, Lanes);
    }
};

template <class Cell>
class Solver {
public:
    Solver(const MarginProblem& p, const SmoOptions& options)
        : p_(p),
          options_(options),
          n_(p.points.size()),
          m_(p.sign.size()),
          active_(m_),
          cache_(n_, m_, options.cache_bytes),
          crew_(p.gram || m_ < least_shared ? 1 : options.threads) {
        std::vector<std::uint32_t> rows(m_);
        for (std::size_t k = 0; k < m_; ++k) rows[k] = p.points[k % n_];
        if (!p.gram) points_ = Points(*p.rows, rows);
        original_.resize(m_);
        std::iota(original_.begin(), original_.end(), 0U);
        alpha_.assign(m_, 0.0);
        sign_.resize(m_);
        most_ = p.most;
        f_.resize(m_);
        diagonal_.resize(m_);
        up_.resize(m_);
        low_.resize(m_);
        for (std::size_t k = 0; k < m_; ++k) {
            sign_[k] = p.sign[k];
            f_[k] = sign_[k] * p.linear[k];
            diagonal_[k] = p.gram ? (*p.gram)(rows[k], rows[k]) : *p.kernel->at(p.rows->row(rows[k]), p.rows->row(rows[k]));
            mark(k);
        }
    }

    Result<MarginSolution> solve(const Run& run) {
        const std::size_t limit = options_.iterations > 0 ? options_.iterations : std::max<std::size_t>(10'000'000, 100 * m_);
        const std::size_t every = std::min<std::size_t>(m_, 1000);
        std::size_t until_shrink = every;
        bool unshrunk = false;
        MarginSolution out;
        std::size_t i = first_violator();
        while (out.iterations < limit) {
            if ((out.iterations & 255U) == 0 && run.stopped()) return stopped_fault();
            if (--until_shrink == 0) {
                until_shrink = every;
                const double gap = largest_low() - (i < active_ ? f_[i] : -infinity);
                if (!unshrunk && gap <= 10 * options_.tolerance) {
                    unshrunk = true;
                    restore();
                }
                shrink();
                i = first_violator();
            }
            std::size_t j = i < active_ ? second_of(i, out.gap) : active_;
            if (j >= active_) {
                // Optimal among the active ones: is it so among all?
                if (active_ == m_) break;
                restore();
                i = first_violator();
                j = i < active_ ? second_of(i, out.gap) : active_;
                if (j >= active_) break;
                until_shrink = 1;
            }
            i = step(i, j);
            ++out.iterations;
        }
        restore();
        i = first_violator();
        out.gap = i < active_ ? std::max(0.0, largest_low() - f_[i]) : 0.0;
        out.converged = out.gap <= options_.tolerance;
        finish(out);
        return out;
    }

private:
    bool in_up(std::size_t k) const { return sign_[k] > 0 ? alpha_[k] < most_[k] : alpha_[k] > 0; }
    bool in_low(std::size_t k) const { return sign_[k] > 0 ? alpha_[k] > 0 : alpha_[k] < most_[k]; }
    void mark(std::size_t k) {
        up_[k] = in_up(k) ? 0 : infinity;
        low_[k] = in_low(k) ? 0 : -infinity;
    }

    /// Fills columns [begin, end) of point i's row.
    void fill(std::uint32_t point, std::size_t begin, std::size_t end, Cell* to) {
        if (p_.gram) {
            for (std::size_t k = begin; k < end; ++k)
                to[k - begin] = static_cast<Cell>((*p_.gram)(p_.points[point], p_.points[original_[k] % n_]));
            return;
        }
        const auto x = p_.rows->row(p_.points[point]);
        const std::size_t chunks = (end - begin + columns_a_chunk - 1) / columns_a_chunk;
        crew_.run(chunks, [&](std::size_t chunk) {
            const std::size_t from = begin + chunk * columns_a_chunk;
            points_.row(*p_.kernel, x, from, std::min(end, from + columns_a_chunk), to + (from - begin));
        });
    }

    const Cell* row(std::size_t k) {
        const auto point = static_cast<std::uint32_t>(original_[k] % n_);
        auto& r = cache_.get(point);
        if (r.length < active_) {
            fill(point, r.length, active_, r.cells.data() + r.length);
            r.length = active_;
        }
        return r.cells.data();
    }

    /// The variable of I_up with the least f, or active_ if there is none.
    std::size_t first_violator() const {
        double least = infinity;
        std::size_t at = active_;
        for (std::size_t k = 0; k < active_; ++k)
            if (const double v = f_[k] + up_[k]; v < least) {
                least = v;
                at = k;
            }
        return at;
    }
    double largest_low() const {
        double out = -infinity;
        for (std::size_t k = 0; k < active_; ++k) out = std::max(out, f_[k] + low_[k]);
        return out;
    }

    /// The partner that gains most to second order: max (f_j − f_i)² / (K_ii + K_jj − 2 K_ij); active_ where no pair violates the
    /// conditions by more than the tolerance.
    std::size_t second_of(std::size_t i, double& gap) {
        const Cell* ki = row(i);
        const double fi = f_[i];
        const double dii = diagonal_[i];
        Lanes best = {-1, -1, -1, -1};
        Lanes best_at{};
        Lanes largest = {-infinity, -infinity, -infinity, -infinity};
        Lanes at = {0, 1, 2, 3};
        std::size_t k = 0;
        for (; k + 4 <= active_; k += 4) {
            Lanes f, low, d;
            load_lanes(f, f_.data() + k);
            load_lanes(low, low_.data() + k);
            load_lanes(d, diagonal_.data() + k);
            const Lanes apart = f + low - fi;
            largest = apart > largest ? apart : largest;
            Lanes curvature = dii + d - 2.0 * CellLanes<Cell>::load(ki + k);
            curvature = curvature > least_curvature ? curvature : Lanes{} + least_curvature;
            const Lanes gain = apart > 0.0 ? apart * apart / curvature : Lanes{} - 1.0;
            best_at = gain > best ? at : best_at;
            best = gain > best ? gain : best;
            at += 4.0;
        }
        double best_gain = 0;
        std::size_t j = active_;
        double furthest = -infinity;
        for (std::size_t lane = 0; lane < 4; ++lane) {
            furthest = std::max(furthest, largest[lane]);
            const auto candidate = static_cast<std::size_t>(best_at[lane]);
            if (best[lane] > best_gain || (best[lane] == best_gain && best_gain > 0 && candidate < j)) {
                best_gain = best[lane];
                j = candidate;
            }
        }
        for (; k < active_; ++k) {
            const double apart = f_[k] + low_[k] - fi;
            furthest = std::max(furthest, apart);
            if (apart <= 0) continue;
            const double curvature = std::max(least_curvature, dii + diagonal_[k] - 2 * static_cast<double>(ki[k]));
            if (const double gain = apart * apart / curvature; gain > best_gain) {
                best_gain = gain;
                j = k;
            }
        }
        gap = furthest;
        return furthest <= options_.tolerance ? active_ : j;
    }

    /// Moves α_i and α_j along the line that keeps Σ s α, updates f, and finds the next i on the way.
    std::size_t step(std::size_t i, std::size_t j) {
        const Cell* ki = row(i);
        const Cell* kj = row(j);
        const double curvature = std::max(least_curvature, diagonal_[i] + diagonal_[j] - 2 * static_cast<double>(ki[j]));
        const double room_i = sign_[i] > 0 ? most_[i] - alpha_[i] : alpha_[i];
        const double room_j = sign_[j] > 0 ? alpha_[j] : most_[j] - alpha_[j];
        const double wanted = (f_[j] - f_[i]) / curvature;
        const double t = std::min({wanted, room_i, room_j});
        alpha_[i] = t == room_i ? (sign_[i] > 0 ? most_[i] : 0.0) : alpha_[i] + sign_[i] * t;
        alpha_[j] = t == room_j ? (sign_[j] > 0 ? 0.0 : most_[j]) : alpha_[j] - sign_[j] * t;
        mark(i);
        mark(j);
        Lanes least = {infinity, infinity, infinity, infinity};
        Lanes least_at{};
        Lanes at = {0, 1, 2, 3};
        std::size_t k = 0;
        for (; k + 4 <= active_; k += 4) {
            Lanes f, up;
            load_lanes(f, f_.data() + k);
            load_lanes(up, up_.data() + k);
            f += t * (CellLanes<Cell>::load(ki + k) - CellLanes<Cell>::load(kj + k));
            store_lanes(f_.data() + k, f);
            const Lanes v = f + up;
            least_at = v < least ? at : least_at;
            least = v < least ? v : least;
            at += 4.0;
        }
        double value = infinity;
        std::size_t next = active_;
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const auto candidate = static_cast<std::size_t>(least_at[lane]);
            if (least[lane] < value || (least[lane] == value && value < infinity && candidate < next)) {
                value = least[lane];
                next = candidate;
            }
        }
        for (; k < active_; ++k) {
            f_[k] += t * (static_cast<double>(ki[k]) - static_cast<double>(kj[k]));
            if (const double v = f_[k] + up_[k]; v < value) {
                value = v;
                next = k;
            }
        }
        return next;
    }

    /// Variables at a bound that no violating pair can contain are put behind the active ones.
    void shrink() {
        const std::size_t first = first_violator();
        const double least_up = first < active_ ? f_[first] : infinity;
        const double most_low = largest_low();
        std::vector<std::uint32_t> kept;
        std::vector<std::uint32_t> gone;
        for (std::size_t k = 0; k < active_; ++k) {
            const bool up = in_up(k);
            const bool low = in_low(k);
            const bool idle = (up && !low && f_[k] > most_low) || (low && !up && f_[k] < least_up);
            (idle ? gone : kept).push_back(static_cast<std::uint32_t>(k));
        }
        if (gone.size() < active_ / 50 + 1) return;
        std::vector<std::uint32_t> order(kept);
        order.insert(order.end(), gone.begin(), gone.end());
        for (std::size_t k = active_; k < m_; ++k) order.push_back(static_cast<std::uint32_t>(k));
        cache_.keep(kept);
        if (!p_.gram) points_.reorder(order);
        permute(original_, order);
        permute(alpha_, order);
        permute(sign_, order);
        permute(most_, order);
        permute(f_, order);
        permute(diagonal_, order);
        permute(up_, order);
        permute(low_, order);
        active_ = kept.size();
    }

    template <class T>
    static void permute(std::vector<T>& values, std::span<const std::uint32_t> order) {
        std::vector<T> old(values);
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = old[order[k]];
    }

    /// All variables are active again; f of those that were not is computed again from the α.
    void restore() {
        if (active_ == m_) return;
        std::vector<std::size_t> with_alpha;
        for (std::size_t k = 0; k < m_; ++k)
            if (alpha_[k] > 0) with_alpha.push_back(k);
        constexpr std::size_t chunk = 512;
        const std::size_t chunks = (m_ - active_ + chunk - 1) / chunk;
        crew_.run(chunks, [&](std::size_t c) {
            const std::size_t begin = active_ + c * chunk;
            const std::size_t count = std::min(chunk, m_ - begin);
            std::vector<double> cells(count);
            for (std::size_t k = 0; k < count; ++k) f_[begin + k] = sign_[begin + k] * p_.linear[original_[begin + k]];
            for (const std::size_t j : with_alpha) {
                const auto point = p_.points[original_[j] % n_];
                if (p_.gram) {
                    for (std::size_t k = 0; k < count; ++k) cells[k] = (*p_.gram)(point, p_.points[original_[begin + k] % n_]);
                } else {
                    points_.row(*p_.kernel, p_.rows->row(point), begin, begin + count, cells.data());
                }
                add_scaled(f_.data() + begin, sign_[j] * alpha_[j], cells.data(), count);
            }
        });
        active_ = m_;
    }

    /// The bias is −f of the variables between their bounds; if there is none, the middle of what is possible.
    void finish(MarginSolution& out) const {
        double sum = 0;
        std::size_t free = 0;
        double above = infinity;
        double below = -infinity;
        out.alpha.assign(m_, 0.0);
        for (std::size_t k = 0; k < m_; ++k) {
            out.alpha[original_[k]] = alpha_[k];
            out.objective += 0.5 * alpha_[k] * (sign_[k] * f_[k] + p_.linear[original_[k]]);
            if (alpha_[k] > 0 && alpha_[k] < most_[k]) {
                sum += f_[k];
                ++free;
            }
            if (in_up(k)) above = std::min(above, f_[k]);
            if (in_low(k)) below = std::max(below, f_[k]);
        }
        if (free > 0)
            out.bias = -sum / static_cast<double>(free);
        else if (std::isfinite(above) && std::isfinite(below))
            out.bias = -(above + below) / 2;
        else
            out.bias = std::isfinite(above) ? -above : std::isfinite(below) ? -below : 0;
    }

    const MarginProblem& p_;
    SmoOptions options_;
    std::size_t n_;
    std::size_t m_;
    std::size_t active_;
    RowCache<Cell> cache_;
    Crew crew_;
    Points points_;
    std::vector<std::uint32_t> original_;
    std::vector<double> alpha_;
    std::vector<signed char> sign_;
    std::vector<double> most_;
    std::vector<double> f_;  ///< s_k · ∂/∂α_k of the objective
    std::vector<double> diagonal_;
    std::vector<double> up_;   ///< 0 if s_k α_k may grow, else ∞
    std::vector<double> low_;  ///< 0 if it may fall, else −∞
};

}  // namespace

Result<MarginSolution> solve_margin(const MarginProblem& problem, const SmoOptions& options, const Run& run) {
    // Rows of floats hold twice as many; where the tolerance is tight or the problem small, doubles.
    const std::size_t bytes = problem.sign.size() * problem.points.size() * sizeof(double);
    if (options.tolerance < 1e-4 || bytes <= options.cache_bytes / 16) return Solver<double>(problem, options).solve(run);
    return Solver<float>(problem, options).solve(run);
}

}  // namespace credence::rt
