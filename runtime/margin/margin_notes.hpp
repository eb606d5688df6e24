#pragma once
// Notes about a machine after training: a kernel or a margin that does not do what was meant.

#include "runtime/margin/svm.hpp"

namespace credence::rt {

/// Of a kernel that is not positive semi-definite on the rows, or may not be.
Status note_kernel(const Kernel& kernel, const TrainingRows& data, const Run& run);
/// About a C so large that it is meant to forbid errors, though some rows are on the wrong side.
Status note_hard_margin(const SvmClassifier& model, const TableView& rows, double c, Run& run);

}  // namespace credence::rt
