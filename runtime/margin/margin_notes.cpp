#include "runtime/margin/margin_notes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace credence::rt {

Status note_kernel(const Kernel& kernel, const TrainingRows& data, const Run& run) {
    if (!run.note || data.size() == 0) return Done{};
    if (kernel.kind != Kernel::Kind::sigmoid && kernel.kind != Kernel::Kind::custom) return Done{};
    constexpr std::size_t most_rows = 100;  // whose matrix is enough
    const std::size_t n = std::min(most_rows, data.size());
    Matrix gram(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            const double value = TRY(kernel.at(data.x.row(i), data.x.row(j)));
            gram(i, j) = gram(j, i) = value;
        }
    if (std::any_of(gram.values.begin(), gram.values.end(), [](double v) { return !std::isfinite(v); })) return Done{};
    const auto values = symmetric_eigen(gram).values;
    if (values.back() < -1e-9 * std::max(1.0, std::abs(values.front())))
        run.note(
            fmt::format("the kernel is not positive semi-definite on these rows (an eigenvalue of its matrix is {:.3g}): the solution "
                        "need not be the best, and has no margin",
                        values.back()));
    return Done{};
}

Status note_hard_margin(const SvmClassifier& model, const TableView& rows, double c, Run& run) {
    constexpr double hard = 1e4;
    if (!run.note || c < hard) return Done{};
    auto aligned = TRY(align(model.schema(), *rows.table));
    const TableView view{.table = &aligned, .rows = rows.rows, .all = rows.all};
    const Column& target = *rows.table->columns[*rows.table->target];
    std::vector<std::int32_t> said(rows.size());
    if (!model.check_cells(view)) return Done{};  // rows that were left out
    TRY(model.classify(view, said, run));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < said.size(); ++i)
        if ((*model.schema().target.domain)[static_cast<std::size_t>(said[i])] != target.label(rows.row(i))) ++wrong;
    if (wrong > 0)
        run.note(
            fmt::format("{} of {} rows are on the wrong side: no margin of this kernel separates the labels, and C = {:.6g} allows no "
                        "error; a smaller C, such as 1, is for such rows",
                        wrong, said.size(), c));
    return Done{};
}

}  // namespace credence::rt
