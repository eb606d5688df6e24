#pragma once
// MPI as the way between ranks. The library is opened when mpirun has started the program, and only then: linked, it would cost every
// start.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "runtime/core/ranks.hpp"

namespace credence::rt {

/// What mpirun, mpiexec or srun say in the environment of each process that they start.
struct Launch {
    std::size_t size = 1;
    std::optional<std::size_t> rank = {};  ///< where it is said before MPI is there
};
Launch launch();

/// E-FILE where this build has no MPI, where its library cannot be opened, or where that is another MPI than the launcher's.
Result<std::unique_ptr<RankLink>> open_mpi(const Launch& launched);

}  // namespace credence::rt
