#pragma once
// Files under several ranks: each reads its own, and all of them have to find the same; only the first one writes.

#include <cstdint>
#include <functional>
#include <string_view>

#include "runtime/core/result.hpp"
#include "runtime/data/file_path.hpp"

namespace credence::rt {

/// What files are compared by.
struct FileState {
    std::uint64_t size = 0;
    std::uint64_t hash = 0;
};
FileState state_of(std::string_view text);

/// Of what this rank found, and so the others: all is well, or the same fault on all ranks. E-FILE where the file differs. Within a chunk
/// of a shared loop nothing is compared.
Status agreed(const FilePath& file, Status own, FileState state);

/// What the first rank gets from `write`; the others wait for it and have the same.
Status by_first_rank(const FilePath& file, const std::function<Status()>& write);

}  // namespace credence::rt
