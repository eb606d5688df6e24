#include "runtime/continuous/sample/nuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/continuous/sample/mass_matrix.hpp"

namespace credence::rt::continuous {

namespace {

using Vector = std::vector<double>;

constexpr double impossible_log = -std::numeric_limits<double>::infinity();
constexpr double largest_error = 1000;  // of the energy: beyond it a trajectory has diverged

double log_add(double a, double b) {
    const double high = std::max(a, b);
    if (high == impossible_log) return high;
    return high + std::log1p(std::exp(std::min(a, b) - high));
}

double dot(const Vector& a, const Vector& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out += a[i] * b[i];
    return out;
}

/// Neither end of the trajectory moves back towards the other.
bool goes_on(const Vector& sharp_first, const Vector& sharp_last, const Vector& momentum) {
    return dot(sharp_last, momentum) > 0 && dot(sharp_first, momentum) > 0;
}

/// Nesterov's dual averaging of ln(step) (Hoffman & Gelman, section 3.2).
class StepSize {
public:
    explicit StepSize(double target) : target_(target) {}
    void restart(double step) {
        centre_ = std::log(10 * step);
        count_ = error_ = mean_ = 0;
    }
    double learn(double acceptance) {
        ++count_;
        const double weight = 1 / (count_ + 10);
        error_ = (1 - weight) * error_ + weight * (target_ - std::min(1.0, acceptance));
        const double log_step = centre_ - error_ * std::sqrt(count_) / 0.05;
        const double forget = std::pow(count_, -0.75);
        mean_ = (1 - forget) * mean_ + forget * log_step;
        return std::exp(log_step);
    }
    double settled() const { return std::exp(mean_); }

private:
    double target_;
    double centre_ = 0;
    double count_ = 0;
    double error_ = 0;
    double mean_ = 0;
};

/// When warm-up renews its mass matrix: a buffer for the step size alone, windows that double, a last buffer for the step size.
class Windows {
public:
    explicit Windows(std::size_t warmup) : warmup_(warmup) {
        if (warmup >= 150) {
            first_ = 75;
            last_ = 50;
            window_ = 25;
        } else {
            first_ = warmup * 15 / 100;
            last_ = warmup / 10;
            window_ = warmup - first_ - last_;
        }
        end_ = first_ + window_;
    }
    bool inside(std::size_t i) const { return i >= first_ && i + last_ < warmup_; }
    bool ends_at(std::size_t i) {
        if (i + 1 != end_) return false;
        window_ *= 2;
        end_ = i + 1 + window_;
        // A window that would leave less than its double behind takes all that is left.
        if (end_ + 2 * window_ > warmup_ - last_) end_ = warmup_ - last_;
        return true;
    }

private:
    std::size_t warmup_;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::size_t window_ = 0;
    std::size_t end_ = 0;
};

/// `v` is the velocity that the momentum p means.
struct State {
    Vector q, p, g, v;
    double log_density = 0;
};

double energy_fraction(const Vector& energies) {
    constexpr std::size_t fewest = 10;
    if (energies.size() < fewest) return 1;
    double mean = 0;
    for (const double e : energies) mean += e / static_cast<double>(energies.size());
    double moves = 0;
    double spread = 0;
    for (std::size_t i = 0; i < energies.size(); ++i) {
        if (i > 0) moves += (energies[i] - energies[i - 1]) * (energies[i] - energies[i - 1]);
        spread += (energies[i] - mean) * (energies[i] - mean);
    }
    return spread > 0 ? moves / spread : 1;
}

class Chain {
public:
    Chain(std::size_t dimension, const LogGradient& target, const NutsOptions& options, Rng rng)
        : n_(dimension), target_(target), options_(options), rng_(rng), mass_(dimension) {
        for (State* s : {&z_, &forward_, &backward_, &sample_, &proposal_}) *s = blank();
        for (auto* v : {&p_ff_, &s_ff_, &p_fb_, &s_fb_, &p_bf_, &s_bf_, &p_bb_, &s_bb_, &rho_, &rho_f_, &rho_b_, &extra_})
            v->assign(n_, 0.0);
        levels_.resize(static_cast<std::size_t>(options.most_doublings) + 1);
        for (auto& level : levels_) {
            for (auto* v : {&level.p_init_end, &level.s_init_end, &level.rho_init, &level.p_final_begin, &level.s_final_begin,
                            &level.rho_final, &level.extra})
                v->assign(n_, 0.0);
            level.proposal = blank();
        }
    }

    /// The best of several points: the first one may lie where a lesser mode draws it in.
    bool start() {
        constexpr int wanted = 10;
        int found = 0;
        State best = blank();
        for (int attempt = 0; attempt < 100 && found < wanted; ++attempt) {
            // Closer and closer to the middle of the scale, where more densities are finite.
            const double reach = attempt < 50 ? 2.0 : 0.5;
            for (auto& q : z_.q) q = reach * (2 * rng_.uniform() - 1);
            refresh(z_);
            bool finite = std::isfinite(z_.log_density);
            for (const double g : z_.g) finite = finite && std::isfinite(g);
            if (!finite) continue;
            if (found == 0 || z_.log_density > best.log_density) best = z_;
            ++found;
        }
        z_ = best;
        return found > 0;
    }

    std::optional<NutsChain> run(const std::function<bool()>& stopped) {
        if (!start()) return std::nullopt;
        NutsChain out;
        StepSize step(options_.target);
        find_step();
        step.restart(step_);
        Windows windows(options_.warmup);
        WindowMoments moments(n_);
        for (std::size_t i = 0; i < options_.warmup && !stopped(); ++i) {
            transition();
            step_ = step.learn(acceptance_);
            if (windows.inside(i)) moments.add(z_.q);
            if (!windows.ends_at(i) || moments.count() < 2) continue;
            mass_ = MassMatrix(moments, options_.operations);
            mass_.velocity(z_.p, z_.v);
            moments = WindowMoments(n_);
            find_step();
            step.restart(step_);
        }
        step_ = step.settled();
        divergences_ = leapfrogs_ = longest_ = 0;
        out.draws.reserve(options_.draws * n_);
        Vector energies;
        for (std::size_t i = 0; i < options_.draws && !stopped(); ++i) {
            transition();
            out.draws.insert(out.draws.end(), z_.q.begin(), z_.q.end());
            out.mean_log_density += z_.log_density / static_cast<double>(options_.draws);
            energies.push_back(energy(z_));
        }
        out.dense = mass_.is_dense();
        out.energy_fraction = energy_fraction(energies);
        out.divergences = divergences_;
        out.leapfrogs = leapfrogs_;
        out.longest = longest_;
        out.step = step_;
        return out;
    }

private:
    struct Level {
        Vector p_init_end, s_init_end, rho_init, p_final_begin, s_final_begin, rho_final, extra;
        State proposal;
    };

    State blank() const { return {Vector(n_, 0.0), Vector(n_, 0.0), Vector(n_, 0.0), Vector(n_, 0.0), 0}; }

    void refresh(State& s) const {
        s.log_density = target_(s.q, s.g);
        if (std::isnan(s.log_density)) s.log_density = impossible_log;
    }
    static double energy(const State& s) { return 0.5 * dot(s.p, s.v) - s.log_density; }
    void draw_momentum() {
        mass_.draw(rng_, z_.p);
        mass_.velocity(z_.p, z_.v);
    }
    void leapfrog(State& s, double step) const {
        for (std::size_t i = 0; i < n_; ++i) s.p[i] += 0.5 * step * s.g[i];
        mass_.velocity(s.p, s.v);
        for (std::size_t i = 0; i < n_; ++i) s.q[i] += step * s.v[i];
        refresh(s);
        for (std::size_t i = 0; i < n_; ++i) s.p[i] += 0.5 * step * s.g[i];
        mass_.velocity(s.p, s.v);
    }

    /// A step that one leapfrog accepts with probability about 0.8, by doubling or halving.
    void find_step() {
        if (!(step_ > 0) || step_ > 1e7) step_ = 1;
        const State here = z_;
        int direction = 0;
        for (int i = 0; i < 100; ++i) {
            z_ = here;
            draw_momentum();
            const double before = energy(z_);
            leapfrog(z_, step_);
            double after = energy(z_);
            if (std::isnan(after)) after = std::numeric_limits<double>::infinity();
            const int now = before - after > std::log(0.8) ? 1 : -1;
            if (direction == 0) direction = now;
            if (now != direction) break;
            step_ *= direction > 0 ? 2 : 0.5;
            if (step_ > 1e7 || step_ < 1e-12) break;
        }
        z_ = here;
    }

    bool build(int depth, State& proposal, Vector& s_begin, Vector& s_end, Vector& rho, Vector& p_begin, Vector& p_end, double before,
               double direction, double& log_weight) {
        if (depth == 0) {
            leapfrog(z_, direction * step_);
            ++steps_;
            double h = energy(z_);
            if (std::isnan(h)) h = std::numeric_limits<double>::infinity();
            const bool diverged = h - before > largest_error;
            if (diverged) diverged_ = true;
            log_weight = log_add(log_weight, before - h);
            accepted_ += before > h ? 1 : std::exp(before - h);
            proposal = z_;
            s_begin = z_.v;
            s_end = z_.v;
            for (std::size_t i = 0; i < n_; ++i) rho[i] += z_.p[i];
            p_begin = z_.p;
            p_end = z_.p;
            return !diverged;
        }
        Level& level = levels_[static_cast<std::size_t>(depth)];
        double first_weight = impossible_log;
        std::fill(level.rho_init.begin(), level.rho_init.end(), 0.0);
        if (!build(depth - 1, proposal, s_begin, level.s_init_end, level.rho_init, p_begin, level.p_init_end, before, direction,
                   first_weight))
            return false;
        double last_weight = impossible_log;
        std::fill(level.rho_final.begin(), level.rho_final.end(), 0.0);
        if (!build(depth - 1, level.proposal, level.s_final_begin, s_end, level.rho_final, level.p_final_begin, p_end, before, direction,
                   last_weight))
            return false;
        const double both = log_add(first_weight, last_weight);
        log_weight = log_add(log_weight, both);
        if (rng_.uniform() < std::exp(last_weight - both)) proposal = level.proposal;
        for (std::size_t i = 0; i < n_; ++i) {
            level.extra[i] = level.rho_init[i] + level.rho_final[i];
            rho[i] += level.extra[i];
        }
        bool on = goes_on(s_begin, s_end, level.extra);
        for (std::size_t i = 0; i < n_; ++i) level.extra[i] = level.rho_init[i] + level.p_final_begin[i];
        on = on && goes_on(s_begin, level.s_final_begin, level.extra);
        for (std::size_t i = 0; i < n_; ++i) level.extra[i] = level.rho_final[i] + level.p_init_end[i];
        return on && goes_on(level.s_init_end, s_end, level.extra);
    }

    void transition() {
        draw_momentum();
        const double before = energy(z_);
        forward_ = backward_ = sample_ = proposal_ = z_;
        for (auto* p : {&p_ff_, &p_fb_, &p_bf_, &p_bb_, &rho_}) *p = z_.p;
        s_ff_ = s_fb_ = s_bf_ = s_bb_ = z_.v;
        double log_weight = 0;
        steps_ = 0;
        accepted_ = 0;
        diverged_ = false;
        int depth = 0;
        for (; depth < options_.most_doublings; ++depth) {
            std::fill(rho_f_.begin(), rho_f_.end(), 0.0);
            std::fill(rho_b_.begin(), rho_b_.end(), 0.0);
            double weight = impossible_log;
            bool valid = false;
            if (rng_.uniform() > 0.5) {
                z_ = forward_;
                rho_b_ = rho_;
                p_bf_ = p_ff_;
                s_bf_ = s_ff_;
                valid = build(depth, proposal_, s_fb_, s_ff_, rho_f_, p_fb_, p_ff_, before, 1, weight);
                forward_ = z_;
            } else {
                z_ = backward_;
                rho_f_ = rho_;
                p_fb_ = p_bb_;
                s_fb_ = s_bb_;
                valid = build(depth, proposal_, s_bf_, s_bb_, rho_b_, p_bf_, p_bb_, before, -1, weight);
                backward_ = z_;
            }
            if (!valid) break;
            if (weight > log_weight || rng_.uniform() < std::exp(weight - log_weight)) sample_ = proposal_;
            log_weight = log_add(log_weight, weight);
            for (std::size_t i = 0; i < n_; ++i) rho_[i] = rho_b_[i] + rho_f_[i];
            bool on = goes_on(s_bb_, s_ff_, rho_);
            for (std::size_t i = 0; i < n_; ++i) extra_[i] = rho_b_[i] + p_fb_[i];
            on = on && goes_on(s_bb_, s_fb_, extra_);
            for (std::size_t i = 0; i < n_; ++i) extra_[i] = rho_f_[i] + p_bf_[i];
            on = on && goes_on(s_bf_, s_ff_, extra_);
            if (!on) {
                ++depth;
                break;
            }
        }
        if (depth == options_.most_doublings) ++longest_;
        z_ = sample_;
        acceptance_ = accepted_ / static_cast<double>(std::max<std::size_t>(1, steps_));
        leapfrogs_ += steps_;
        if (diverged_) ++divergences_;
    }

    std::size_t n_;
    const LogGradient& target_;
    NutsOptions options_;
    Rng rng_;
    MassMatrix mass_;
    double step_ = 1;
    State z_, forward_, backward_, sample_, proposal_;
    Vector p_ff_, s_ff_, p_fb_, s_fb_, p_bf_, s_bf_, p_bb_, s_bb_, rho_, rho_f_, rho_b_, extra_;
    std::vector<Level> levels_;
    std::size_t steps_ = 0;
    double accepted_ = 0;
    double acceptance_ = 0;
    bool diverged_ = false;
    std::size_t divergences_ = 0;
    std::size_t leapfrogs_ = 0;
    std::size_t longest_ = 0;
};

}  // namespace

std::optional<NutsChain> run_nuts(std::size_t dimension, const LogGradient& target, const NutsOptions& options, Rng rng,
                                  const std::function<bool()>& stopped) {
    return Chain(dimension, target, options, rng).run(stopped);
}

}  // namespace credence::rt::continuous
