#pragma once
// What load and save share.

#include <string>

#include "lang/builtin/registry.hpp"

namespace credence::std_ {

/// Messages name the file as the script does, not as it was found.
rt::Fault as_written(rt::Fault fault, const std::string& resolved, const std::string& written, rt::Origin origin);

void add_load(lang::Registry& registry);

}  // namespace credence::std_
