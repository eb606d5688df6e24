#pragma once
// explain for functions whose result records how it was found.

#include <functional>
#include <utility>

#include "lang/builtin/signature.hpp"

namespace credence::std_ {

using ResultTeller = std::function<rt::Result<rt::Derivation>(lang::CallContext&, lang::Arguments, const lang::Value& result)>;

/// `explain f(…)` computes the result again and explains it.
inline lang::Builtin told_by_result(lang::Builtin builtin, ResultTeller tell) {
    builtin.explain = [native = builtin.native, tell = std::move(tell)](lang::CallContext& c,
                                                                        lang::Arguments arguments) -> rt::Result<rt::Derivation> {
        const auto result = TRY(native(c, arguments));
        return tell(c, arguments, result);
    };
    return builtin;
}

}  // namespace credence::std_
