#pragma once
// Several shares from 0 to 1 as one argument.

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"

namespace credence::std_ {

inline rt::Status check_shares(lang::CallContext& c, const lang::Numbers& shares, std::size_t argument) {
    for (const auto& p : shares.values)
        if (!(p >= rt::Number(0) && p <= rt::Number(1)))
            return rt::Fault{.code = "E-PARAMETER",
                             .message = fmt::format("{} is not a share from 0 to 1", rt::label_text(p)),
                             .origin = c.argument(argument)};
    return rt::Done{};
}

}  // namespace credence::std_
