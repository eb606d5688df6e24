#include "runtime/latent/gaussian_em.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/spread.hpp"
#include "runtime/latent/k_means.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t block = GaussianRows::block;
constexpr std::size_t blocks_a_chunk = 64;  ///< 4096 rows: what one thread takes at a time
constexpr double ln_2pi_value = 1.8378770664093454836;

std::size_t padded(std::size_t d) { return (d + lane_count - 1) / lane_count * lane_count; }
bool has_matrix(CovarianceKind kind) { return kind == CovarianceKind::full || kind == CovarianceKind::tied; }

/// What a chunk of rows adds up: of each component the weight, the sum of x − mean, and of the products; and the log-likelihood.
struct ChunkSums {
    ChunkSums(std::size_t k, std::size_t d, bool matrix)
        : stride(1 + d + (matrix ? d * padded(d) : d)), lanes(k * stride * lane_count), log_likelihood(0) {}
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.lanes);
        visit(self.log_likelihood);
    }
    double* of(std::size_t component) { return lanes.data() + component * stride * lane_count; }

    std::size_t stride;
    LaneVector lanes;  ///< four partial sums each
    double log_likelihood;
};

void add_to(double* sum, const Lanes& term) {
    Lanes now;
    load_lanes(now, sum);
    now += term;
    store_lanes(sum, now);
}

/// The part of a step that looks at rows: workspace for one block.
class BlockStep {
public:
    BlockStep(const GaussianRows& rows, const GaussianParameters& now, const GaussianFactors& factors, std::size_t k, bool matrix)
        : rows_(rows),
          now_(now),
          factors_(factors),
          k_(k),
          d_(rows.dims),
          matrix_(matrix),
          gap_(padded(rows.dims) * block),
          weighted_(padded(rows.dims) * block),
          share_(k * block) {}

    void run(std::size_t index, ChunkSums& sums) {
        const double* x = rows_.values.data() + index * d_ * block;
        const double* w = rows_.weights.data() + index * block;
        for (std::size_t c = 0; c < k_; ++c) {
            centre(x, c);
            if (matrix_)
                whitened(c);
            else
                scaled(c);
        }
        sums.log_likelihood += shares(w);
        for (std::size_t c = 0; c < k_; ++c) {
            centre(x, c);
            add(c, sums.of(c));
        }
    }

private:
    void centre(const double* x, std::size_t c) {
        for (std::size_t j = 0; j < d_; ++j) {
            const double mean = now_.means[c * d_ + j];
            for (std::size_t b = 0; b < block; b += lane_count) {
                Lanes v;
                load_lanes(v, x + j * block + b);
                v -= mean;
                store_lanes(gap_.data() + j * block + b, v);
            }
        }
    }

    /// ln of weight times density: the squared length of L⁻¹(x − mean), sixteen rows at a time.
    void whitened(std::size_t c) {
        const double* inverse = factors_.inverse.data() + c * d_ * d_;
        const double constant = factors_.constant[c];
        for (std::size_t b = 0; b < block; b += 4 * lane_count) {
            const double* gap = gap_.data() + b;
            Lanes q0{}, q1{}, q2{}, q3{};
            for (std::size_t i = 0; i < d_; ++i) {
                Lanes y0{}, y1{}, y2{}, y3{};
                for (std::size_t j = 0; j <= i; ++j) {
                    const double l = inverse[i * d_ + j];
                    Lanes v0, v1, v2, v3;
                    load_lanes(v0, gap + j * block);
                    load_lanes(v1, gap + j * block + lane_count);
                    load_lanes(v2, gap + j * block + 2 * lane_count);
                    load_lanes(v3, gap + j * block + 3 * lane_count);
                    y0 += l * v0;
                    y1 += l * v1;
                    y2 += l * v2;
                    y3 += l * v3;
                }
                q0 += y0 * y0;
                q1 += y1 * y1;
                q2 += y2 * y2;
                q3 += y3 * y3;
            }
            double* out = share_.data() + c * block + b;
            store_lanes(out, constant - 0.5 * q0);
            store_lanes(out + lane_count, constant - 0.5 * q1);
            store_lanes(out + 2 * lane_count, constant - 0.5 * q2);
            store_lanes(out + 3 * lane_count, constant - 0.5 * q3);
        }
    }

    void scaled(std::size_t c) {
        const double* inverse = factors_.inverse.data() + c * d_;
        const double constant = factors_.constant[c];
        for (std::size_t b = 0; b < block; b += 2 * lane_count) {
            Lanes q0{}, q1{};
            for (std::size_t j = 0; j < d_; ++j) {
                Lanes v0, v1;
                load_lanes(v0, gap_.data() + j * block + b);
                load_lanes(v1, gap_.data() + j * block + b + lane_count);
                v0 *= inverse[j];
                v1 *= inverse[j];
                q0 += v0 * v0;
                q1 += v1 * v1;
            }
            store_lanes(share_.data() + c * block + b, constant - 0.5 * q0);
            store_lanes(share_.data() + c * block + b + lane_count, constant - 0.5 * q1);
        }
    }

    /// Turns the logarithms into weight times E[z]; gives the log-likelihood of the block.
    double shares(const double* w) {
        double out = 0;
        for (std::size_t b = 0; b < block; b += lane_count) {
            Lanes top;
            load_lanes(top, share_.data() + b);
            for (std::size_t c = 1; c < k_; ++c) {
                Lanes v;
                load_lanes(v, share_.data() + c * block + b);
                top = v > top ? v : top;
            }
            Lanes sum{};
            for (std::size_t c = 0; c < k_; ++c) {
                Lanes v;
                load_lanes(v, share_.data() + c * block + b);
                v -= top;
                v = exp_lanes(v);
                sum += v;
                store_lanes(share_.data() + c * block + b, v);
            }
            Lanes weight;
            load_lanes(weight, w + b);
            for (std::size_t l = 0; l < lane_count; ++l)
                if (weight[l] != 0) out += weight[l] * (top[l] + std::log(sum[l]));
            const Lanes each = weight / sum;
            for (std::size_t c = 0; c < k_; ++c) {
                Lanes v;
                load_lanes(v, share_.data() + c * block + b);
                v *= each;
                store_lanes(share_.data() + c * block + b, v);
            }
        }
        return out;
    }

    void add(std::size_t c, double* sums) {
        const double* share = share_.data() + c * block;
        Lanes total{};
        for (std::size_t b = 0; b < block; b += lane_count) {
            Lanes r;
            load_lanes(r, share + b);
            total += r;
        }
        add_to(sums, total);
        for (std::size_t j = 0; j < d_; ++j) {
            Lanes first{};
            Lanes second{};
            for (std::size_t b = 0; b < block; b += lane_count) {
                Lanes r, v;
                load_lanes(r, share + b);
                load_lanes(v, gap_.data() + j * block + b);
                r *= v;
                first += r;
                second += r * v;
                store_lanes(weighted_.data() + j * block + b, r);
            }
            add_to(sums + (1 + j) * lane_count, first);
            if (!matrix_) add_to(sums + (1 + d_ + j) * lane_count, second);
        }
        if (!matrix_) return;
        // The lower triangle, four columns at a time; what lies beyond the diagonal is not used.
        const std::size_t wide = padded(d_);
        double* products = sums + (1 + d_) * lane_count;
        for (std::size_t i = 0; i < d_; ++i)
            for (std::size_t j = 0; j <= i; j += lane_count) {
                const double* left = weighted_.data() + i * block;
                const double* right = gap_.data() + j * block;
                Lanes s0{}, s1{}, s2{}, s3{};
                for (std::size_t b = 0; b < block; b += lane_count) {
                    Lanes r, v0, v1, v2, v3;
                    load_lanes(r, left + b);
                    load_lanes(v0, right + b);
                    load_lanes(v1, right + block + b);
                    load_lanes(v2, right + 2 * block + b);
                    load_lanes(v3, right + 3 * block + b);
                    s0 += r * v0;
                    s1 += r * v1;
                    s2 += r * v2;
                    s3 += r * v3;
                }
                double* to = products + (i * wide + j) * lane_count;
                add_to(to, s0);
                add_to(to + lane_count, s1);
                add_to(to + 2 * lane_count, s2);
                add_to(to + 3 * lane_count, s3);
            }
    }

    const GaussianRows& rows_;
    const GaussianParameters& now_;
    const GaussianFactors& factors_;
    std::size_t k_;
    std::size_t d_;
    bool matrix_;
    LaneVector gap_;       ///< x − mean, column by column; columns up to a multiple of four, the last of them 0
    LaneVector weighted_;  ///< the same times the share
    LaneVector share_;     ///< component × row
};

Matrix square_of(const double* values, std::size_t d) {
    Matrix out(d, d);
    std::copy(values, values + d * d, out.values.begin());
    return out;
}

/// The nearest covariance with at least `floor` in every direction; that is also the one of the highest likelihood under that bound.
void bound_below(std::span<double> covariance, std::size_t d, double floor) {
    Matrix shifted = square_of(covariance.data(), d);
    for (std::size_t j = 0; j < d; ++j) shifted(j, j) -= floor;
    if (cholesky(shifted)) return;
    const SymmetricEigen eigen = symmetric_eigen(square_of(covariance.data(), d));
    std::fill(covariance.begin(), covariance.end(), 0.0);
    for (std::size_t e = 0; e < d; ++e) {
        const double value = std::max(eigen.values[e], floor * (1 + 1e-12));
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = 0; j < d; ++j) covariance[i * d + j] += value * eigen.vectors(e, i) * eigen.vectors(e, j);
    }
}

/// The rows in the units that are set.
void put_scaled(const Matrix& rows, std::span<const double> weights, GaussianRows& out) {
    const std::size_t d = rows.columns;
    out.values = LaneVector(out.blocks() * d * block);
    out.weights = LaneVector(out.blocks() * block);
    for (std::size_t i = 0; i < rows.rows; ++i) {
        for (std::size_t j = 0; j < d; ++j)
            out.values.data()[(i / block * d + j) * block + i % block] = (rows(i, j) - out.centre[j]) / out.scale[j];
        out.weights.data()[i] = weights.empty() ? 1.0 : weights[i];
    }
}

}  // namespace

GaussianRows gaussian_rows(const Matrix& rows, std::span<const double> weights, CovarianceKind kind) {
    GaussianRows out;
    out.rows = rows.rows;
    out.dims = rows.columns;
    const std::size_t d = rows.columns;
    out.centre.assign(d, 0);
    out.scale.assign(d, 1);
    for (std::size_t i = 0; i < rows.rows; ++i) out.total += weights.empty() ? 1.0 : weights[i];
    // Means of a shift of the numbers, so that neither large nor far ones overflow.
    for (std::size_t j = 0; j < d; ++j) {
        double mean = 0;
        for (std::size_t i = 0; i < rows.rows; ++i) mean += (weights.empty() ? 1.0 : weights[i]) / out.total * rows(i, j);
        double largest = 0;
        for (std::size_t i = 0; i < rows.rows; ++i) largest = std::max(largest, std::abs(rows(i, j) - mean));
        double squares = 0;
        for (std::size_t i = 0; i < rows.rows && largest > 0; ++i) {
            const double gap = (rows(i, j) - mean) / largest;
            squares += (weights.empty() ? 1.0 : weights[i]) / out.total * gap * gap;
        }
        out.centre[j] = mean;
        const double sd = largest * std::sqrt(squares);
        out.scale[j] = sd > 1e-12 * std::abs(mean) && sd > 0 && std::isfinite(sd) ? sd : 0;
    }
    if (kind == CovarianceKind::spherical) {
        const double largest = *std::max_element(out.scale.begin(), out.scale.end());
        double squares = 0;
        for (const double s : out.scale) squares += largest > 0 ? s / largest * (s / largest) : 0;
        const double common = largest * std::sqrt(squares / static_cast<double>(d));
        out.scale.assign(d, common);
    }
    for (double& s : out.scale) s = s > 0 ? s : 1;
    for (const double s : out.scale) out.log_scale += std::log(s);
    put_scaled(rows, weights, out);
    return out;
}

GaussianRows scaled_alike(const Matrix& rows, const GaussianRows& units) {
    GaussianRows out;
    out.rows = rows.rows;
    out.dims = rows.columns;
    out.total = static_cast<double>(rows.rows);
    out.centre = units.centre;
    out.scale = units.scale;
    out.log_scale = units.log_scale;
    put_scaled(rows, {}, out);
    return out;
}

GaussianFactors gaussian_factors(const GaussianParameters& p, std::size_t k, std::size_t d, CovarianceKind kind) {
    GaussianFactors out;
    const double half = 0.5 * static_cast<double>(d) * ln_2pi_value;
    for (std::size_t c = 0; c < k; ++c) {
        double log_determinant = 0;  // of L
        if (has_matrix(kind)) {
            const std::size_t at = out.inverse.size();
            if (kind == CovarianceKind::tied && c > 0) {
                for (std::size_t i = 0; i < d * d; ++i) out.inverse.push_back(out.inverse[i]);
            } else {
                const auto l = cholesky(square_of(p.covariances.data() + c * d * d, d));
                out.inverse.resize(at + d * d, 0.0);
                for (std::size_t i = 0; l && i < d; ++i)
                    for (std::size_t j = 0; j <= i; ++j) {  // forward substitution on the columns of the identity
                        double sum = i == j ? 1.0 : 0.0;
                        for (std::size_t m = j; m < i; ++m) sum -= (*l)(i, m) * out.inverse[at + m * d + j];
                        out.inverse[at + i * d + j] = sum / (*l)(i, i);
                    }
            }
            for (std::size_t i = 0; i < d; ++i) log_determinant -= std::log(out.inverse[at + i * d + i]);
        } else {
            for (std::size_t j = 0; j < d; ++j) {
                const double variance = kind == CovarianceKind::diagonal ? p.covariances[c * d + j] : p.covariances[c];
                out.inverse.push_back(1 / std::sqrt(variance));
                log_determinant += 0.5 * std::log(variance);
            }
        }
        out.constant.push_back(std::log(p.weights[c]) - half - log_determinant);
    }
    return out;
}

void GaussianSums::add(const GaussianSums& more) {
    if (values.empty()) values.assign(more.values.size(), 0.0);
    for (std::size_t i = 0; i < more.values.size(); ++i) values[i] += more.values[i];
    log_likelihood += more.log_likelihood;
    total += more.total;
}

GaussianSums gaussian_sums(const GaussianRows& rows, const GaussianParameters& now, const GaussianSettings& settings, const Run& run) {
    const std::size_t k = settings.k;
    const std::size_t d = rows.dims;
    const bool matrix = has_matrix(settings.kind);
    const GaussianFactors factors = gaussian_factors(now, k, d, settings.kind);
    const std::size_t chunks = (rows.blocks() + blocks_a_chunk - 1) / blocks_a_chunk;
    std::vector<ChunkSums> parts(chunks, ChunkSums(k, d, matrix));
    const auto cost = static_cast<double>(rows.rows * k * d) * static_cast<double>(matrix ? d : 1);
    spread_chunks(run, {.n = rows.blocks(), .chunk = blocks_a_chunk, .cost = cost}, parts,
                  [&](std::size_t index, std::size_t begin, std::size_t end) {
                      BlockStep work(rows, now, factors, k, matrix);
                      for (std::size_t b = begin; b < end; ++b) work.run(b, parts[index]);
                  });
    GaussianSums out;
    out.values.assign(k * ChunkSums(k, d, matrix).stride, 0.0);
    out.total = rows.total;
    for (auto& part : parts) {
        out.log_likelihood += part.log_likelihood;
        for (std::size_t i = 0; i < out.values.size(); ++i) {
            Lanes v;
            load_lanes(v, part.lanes.data() + i * lane_count);
            out.values[i] += (v[0] + v[1]) + (v[2] + v[3]);
        }
    }
    return out;
}

Result<double> GaussianProblem::step(const GaussianParameters& now, GaussianParameters& next, Run& run) const {
    const std::size_t k = settings_->k;
    const std::size_t d = rows_->dims;
    const CovarianceKind kind = settings_->kind;
    const bool matrix = has_matrix(kind);
    GaussianSums added;
    if (pass_)
        added = TRY(pass_(now, run));
    else
        added = gaussian_sums(*rows_, now, *settings_, run);
    const std::vector<double>& sums = added.values;
    const std::size_t stride = sums.size() / k;
    const double total = added.total;
    next = now;
    const std::size_t wide = padded(d);
    std::vector<double> shared(kind == CovarianceKind::tied ? d * d : 0, 0.0);
    for (std::size_t c = 0; c < k; ++c) {
        const double* s = sums.data() + c * stride;
        const double n = s[0];
        if (!settings_->weights) next.weights[c] = n / total;
        if (!(n > 1e-12 * total)) continue;  // nothing is left of it: it stays where it was
        for (std::size_t j = 0; j < d; ++j) next.means[c * d + j] = now.means[c * d + j] + s[1 + j] / n;
        if (settings_->variance) continue;
        const double* products = s + 1 + d;
        if (matrix) {
            double* to = kind == CovarianceKind::tied ? shared.data() : next.covariances.data() + c * d * d;
            const double share = kind == CovarianceKind::tied ? 1 / total : 1 / n;
            if (kind == CovarianceKind::full) std::fill(to, to + d * d, 0.0);
            for (std::size_t i = 0; i < d; ++i)
                for (std::size_t j = 0; j <= i; ++j) {
                    const double v = share * (products[i * wide + j] - s[1 + i] * s[1 + j] / n);
                    to[i * d + j] += v;
                    if (i != j) to[j * d + i] += v;
                }
            if (kind == CovarianceKind::full) bound_below(std::span(to, d * d), d, settings_->floor);
            continue;
        }
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const double v = (products[j] - s[1 + j] * s[1 + j] / n) / n;
            if (kind == CovarianceKind::diagonal) next.covariances[c * d + j] = std::max(v, settings_->floor);
            sum += v;
        }
        if (kind == CovarianceKind::spherical) next.covariances[c] = std::max(sum / static_cast<double>(d), settings_->floor);
    }
    if (kind == CovarianceKind::tied && !settings_->variance) {
        bound_below(shared, d, settings_->floor);
        next.covariances = std::move(shared);
    }
    return added.log_likelihood - total * rows_->log_scale;
}

GaussianParameters GaussianProblem::start(std::size_t restart, Rng& rng) const {
    if (init_ && restart == 0) return *init_;
    const std::size_t k = settings_->k;
    const std::size_t d = rows_->dims;
    GaussianParameters p;
    p.weights = settings_->weights.value_or(std::vector<double>(k, 1 / static_cast<double>(k)));
    p.means = spread_seeds(*rows_, k, rng);
    std::vector<double> sizes;
    double within = 0;
    for (int pass = 0; pass < 10; ++pass) within = lloyd_pass(*rows_, p.means, sizes, Run{});
    // The clusters' common spread: what the seeds leave of the variance.
    const double variance = std::max(settings_->floor * 10, within / (rows_->total * static_cast<double>(d)));
    switch (settings_->kind) {
        case CovarianceKind::full:
        case CovarianceKind::tied:
            p.covariances.assign((settings_->kind == CovarianceKind::full ? k : 1) * d * d, 0.0);
            for (std::size_t m = 0; m < p.covariances.size() / (d * d); ++m)
                for (std::size_t i = 0; i < d * d; ++i) p.covariances[m * d * d + i] = i / d == i % d ? variance : 0.0;
            break;
        case CovarianceKind::diagonal:
            p.covariances.assign(k * d, variance);
            break;
        case CovarianceKind::spherical:
            p.covariances.assign(k, settings_->variance.value_or(variance));
            break;
    }
    if (!settings_->weights)
        for (std::size_t c = 0; c < k; ++c) p.weights[c] = std::max(sizes[c] / rows_->total, 0.1 / static_cast<double>(k));
    double sum = 0;
    for (const double w : p.weights) sum += w;
    for (double& w : p.weights) w /= sum;
    return p;
}

bool GaussianProblem::spurious(const GaussianParameters& p) const {
    if (settings_->variance) return false;
    const std::size_t d = rows_->dims;
    const double bound = settings_->floor * (1 + 1e-6);
    if (!has_matrix(settings_->kind)) return std::any_of(p.covariances.begin(), p.covariances.end(), [&](double v) { return v <= bound; });
    for (std::size_t at = 0; at < p.covariances.size(); at += d * d) {
        Matrix shifted = square_of(p.covariances.data() + at, d);
        for (std::size_t j = 0; j < d; ++j) shifted(j, j) -= bound;
        if (!cholesky(shifted)) return true;
    }
    return false;
}

std::size_t gaussian_free_parameters(const GaussianSettings& settings, std::size_t d) {
    const std::size_t k = settings.k;
    std::size_t out = k * d + (settings.weights ? 0 : k - 1);
    if (settings.variance) return out;
    switch (settings.kind) {
        case CovarianceKind::full:
            return out + k * d * (d + 1) / 2;
        case CovarianceKind::tied:
            return out + d * (d + 1) / 2;
        case CovarianceKind::diagonal:
            return out + k * d;
        case CovarianceKind::spherical:
            return out + k;
    }
    return out;
}

}  // namespace credence::rt
