#pragma once

#include "lang/builtin/registry.hpp"

namespace credence::std_ {

void add_text_margins(lang::Registry& registry);

}  // namespace credence::std_
