#pragma once
// The number of bins, as the function of tables and the preparation take it.

#include "lang/builtin/bind.hpp"

namespace credence::std_ {

inline rt::Result<std::size_t> bin_count(const rt::Number& n, rt::Origin origin) {
    const auto k = n.is_exact() ? n.exact().to_int64() : std::nullopt;
    if (k && *k >= 1 && *k <= 100'000) return static_cast<std::size_t>(*k);
    return rt::Fault{.code = "E-PARAMETER",
                     .message = "discretize: bins is a whole number from 1 to 100,000, or a list of cut points",
                     .origin = origin};
}

}  // namespace credence::std_
