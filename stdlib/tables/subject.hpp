#pragma once

namespace credence::std_ {

constexpr const char* subject = "tables";  ///< the page of the reference on which this folder's names stand

}  // namespace credence::std_
