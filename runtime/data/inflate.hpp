#pragma once
// What gzip packed, unpacked: by zlib, or by Boost where there is no zlib (in the browser).

#include <string>
#include <string_view>

#include "runtime/data/text_file.hpp"

namespace credence::rt {

/// All members of a gzip file, one after the other. `path` is for the E-FILE where it is damaged or cut short.
Result<FileText> gunzipped(std::string_view bytes, const std::string& path);

Fault damaged_gzip(const std::string& path, const char* what);

}  // namespace credence::rt
