#include "stdlib/instances/options.hpp"

#include <cmath>

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

Result<std::optional<std::size_t>> neighbour_count(CallContext& c, const std::optional<Setting>& k, std::size_t parameter,
                                                   std::optional<std::size_t> otherwise) {
    if (!k) return otherwise;
    if (k->name == "all") return std::optional<std::size_t>{};
    const auto* n = k->value->get<rt::Number>();
    const auto whole = n && n->is_exact() ? n->exact().to_int64() : std::nullopt;
    if (!whole || *whole < 1)
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("k is a whole number, 1 or more, or all, not {}",
                                            n ? rt::label_text(*n) : std::string(k->value->kind())),
                     .origin = c.argument(parameter)};
    return std::optional(static_cast<std::size_t>(*whole));
}

Result<double> positive_argument(CallContext& c, const Setting& setting, std::size_t i, std::size_t parameter, std::string_view what,
                                 std::optional<double> otherwise) {
    const auto& given = setting.arguments[i];
    if (!given && otherwise) return *otherwise;
    const auto* n = given ? given->get<rt::Number>() : nullptr;
    if (n && n->real() > 0 && std::isfinite(n->real())) return n->real();
    return Fault{.code = "E-PARAMETER",
                 .message = given ? fmt::format("{} of {} is a number greater than 0", what, setting.name)
                                  : fmt::format("{} needs its {}", setting.name, what),
                 .origin = c.argument(parameter),
                 .hint = fmt::format("as in {}(1)", setting.name)};
}

Result<std::function<Result<double>(double)>> distance_function(CallContext& c, const Value& function, std::size_t parameter) {
    if (!function.is<FunctionPtr>())
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a weight is one of the words, or a function of the distance, not {}", function.kind()),
                     .origin = c.argument(parameter),
                     .hint = "as in d -> 1 / (1 + d)"};
    auto kept = c.kept(function);
    return std::function<Result<double>(double)>([kept](double distance) -> Result<double> {
        const Value argument(rt::Number::real(distance));
        auto out = TRY(kept(std::span(&argument, 1)));
        if (const auto* n = out.get<rt::Number>()) return n->real();
        return Fault{.code = "E-TYPE", .message = fmt::format("the weight function gives a number, and here it gave {}", out.kind())};
    });
}

}  // namespace credence::std_
