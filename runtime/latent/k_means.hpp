#pragma once
// k-means: the hard limit of a mixture of round normals, every row wholly with its nearest centre.

#include "runtime/latent/gaussian_em.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// Rows drawn as centres, each next one in proportion to its weight and its squared distance from those there are (k-means++, Arthur &
/// Vassilvitskii 2007); k × columns.
std::vector<double> spread_seeds(const GaussianRows& rows, std::size_t k, Rng& rng);

/// What a pass adds up: of each centre the sum of its rows and their weight, the inertia, and the row farthest from its centre.
struct LloydSums {
    std::vector<double> sums;
    std::vector<double> sizes;
    double inertia = 0;
    double farthest = -1;
    std::vector<double> farthest_row = {};

    void add(const LloydSums& more);
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.sums);
        visit(self.sizes);
        visit(self.inertia);
        visit(self.farthest);
        visit(self.farthest_row);
    }
};
LloydSums lloyd_sums(const GaussianRows& rows, const std::vector<double>& centres, const Run& run);
/// Each centre to the mean of its rows; one without rows to the row farthest from its own.
void move_centres(const LloydSums& from, std::vector<double>& centres);
/// Each row to its nearest centre (the first of equals), then each centre to the mean of its rows; one without rows goes to the row
/// farthest from its own. Gives the weighted sum of squared distances to the centres as they were.
double lloyd_pass(const GaussianRows& rows, std::vector<double>& centres, std::vector<double>& sizes, const Run& run);

struct KMeansFit {
    Matrix centers;
    std::vector<double> sizes;    ///< rows of each, by weight
    std::vector<double> history;  ///< inertia by iteration
    bool converged = false;

    double inertia() const { return history.back(); }
};

struct KMeansSettings {
    std::size_t k = 2;
    std::size_t restarts = 10;
    std::size_t iterations = 300;
    std::optional<Matrix> init;
};

class KMeansModel : public Classifier {
public:
    using Classifier::Classifier;
    virtual const KMeansFit& fit() const = 0;
};
LearnerPtr make_k_means(KMeansSettings settings);
Result<ModelPtr> load_k_means(const Json& json);

}  // namespace credence::rt
