// What one thread of this machine can do: bytes read in a second, then floating-point operations in a second. bench.py makes its floors of
// them.

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <Eigen/Core>

namespace {

template <class Work>
double least_seconds(const Work& work) {
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return least;
}

}  // namespace

int main() {
    const Eigen::VectorXd numbers = Eigen::VectorXd::Ones(40'000'000);
    volatile double sum = 0;
    const double reading = least_seconds([&] { sum = numbers.sum(); });
    constexpr Eigen::Index n = 768;
    const Eigen::MatrixXd a = Eigen::MatrixXd::Random(n, n);
    Eigen::MatrixXd product(n, n);
    const double multiplying = least_seconds([&] { product.noalias() = a * a; });
    std::printf("%.0f %.0f\n", static_cast<double>(numbers.size()) * sizeof(double) / reading, 2.0 * n * n * n / multiplying);
    return product.allFinite() ? 0 : 1;
}
