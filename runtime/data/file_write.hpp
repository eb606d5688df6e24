#pragma once
// Files written piece by piece, but whole or not at all.

#include <functional>
#include <string_view>

#include "runtime/core/result.hpp"
#include "runtime/data/codec.hpp"
#include "runtime/data/file_path.hpp"

namespace credence::rt {

/// Gives all pieces to the sink; false if the sink did not take one.
using Producer = std::function<bool(const Sink& sink)>;
/// As write_file of a text. What is produced may be asked for twice.
Status write_file(const FilePath& file, const Producer& produce);

}  // namespace credence::rt
