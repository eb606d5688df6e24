#pragma once
// The pictures that a report adds of what a script declares.

#include <map>
#include <string>

#include "lang/driver/session.hpp"

namespace credence::cli {

/// Drawings of the models that a script has declared, by name.
std::map<std::string, rt::PicturePtr> drawings_of(const lang::Session& session);

}  // namespace credence::cli
