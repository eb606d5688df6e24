#pragma once
// The part of the subject that deals with texts and rankings.

#include "lang/builtin/registry.hpp"

namespace credence::std_ {

void add_text_bayes(lang::Registry& r);

}  // namespace credence::std_
