#include "runtime/core/large_matrices.hpp"

#include <algorithm>

#include <Eigen/QR>

namespace credence::rt {

using Eigen::Index;

Status triangularise(Eigen::Ref<Eigen::MatrixXd> a, const Run& run) {
    const Index rows = a.rows();
    const Index columns = a.cols();
    const double work = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(std::min(rows, columns));
    if (run.stopped()) return stopped_fault();
    if (work <= most_at_once) {
        const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> in_place(a);
        return Done{};
    }
    // A panel of columns after the other, and then the columns to its right, as many at a time as the check allows.
    constexpr Index panel = 48;
    for (Index k = 0; k < std::min(rows, columns); k += panel) {
        const Index width = std::min(panel, columns - k);
        Eigen::Ref<Eigen::MatrixXd> here = a.block(k, k, rows - k, width);
        const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(here);
        const auto at_once = static_cast<Index>(most_at_once / (2.0 * static_cast<double>(width) * static_cast<double>(rows - k)));
        const Index step = std::max(panel, at_once);
        for (Index c = k + width; c < columns; c += step) {
            if (run.stopped()) return stopped_fault();
            a.block(k, c, rows - k, std::min(step, columns - c)).applyOnTheLeft(qr.householderQ().adjoint());
        }
    }
    return Done{};
}

Result<Columns> inverse_of_triangle(const Eigen::Ref<const Eigen::MatrixXd>& r, const Run& run) {
    constexpr Index side = 256;
    const Index n = r.rows();
    Columns out(n, n);
    auto x = out.map();
    for (Index c = 0; c < n; c += side) {  // R X = I, block by block from the diagonal up
        const Index width = std::min(side, n - c);
        const auto own = x.block(c, c, width, width);
        x.block(c, c, width, width) =
            r.block(c, c, width, width).triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(own.rows(), own.cols()));
        for (Index above = c; above > 0; above -= side) {
            if (run.stopped()) return stopped_fault();
            const Index b = above - side;
            const Eigen::MatrixXd sum = r.block(b, above, side, c + width - above) * x.block(above, c, c + width - above, width);
            x.block(b, c, side, width) = -r.block(b, b, side, side).triangularView<Eigen::Upper>().solve(sum);
        }
    }
    return out;
}

}  // namespace credence::rt
