// lazy(learner): any learner, trained on the neighbours of each query.

#include "runtime/instance/lazy.hpp"

#include <fmt/format.h>

#include "runtime/prob/learning/learning.hpp"
#include "stdlib/judging/judging.hpp"
#include "stdlib/learning/learner.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

Result<std::optional<std::size_t>> neighbors_wanted(CallContext& c, const std::optional<Setting>& k) {
    if (!k || k->name == "all") return std::optional<std::size_t>{};
    auto count = Take<Count>::from(*k->value, Parameter{.name = "k", .type = Type::count});
    if (!count) return placed(std::move(count).fault(), c.argument(1));
    if (count->value == 0) return Fault{.code = "E-PARAMETER", .message = "k must be 1 or more, or all", .origin = c.argument(1)};
    return std::optional(count->value);
}

Result<rt::LazyKernel> kernel_of(CallContext& c, const std::optional<Setting>& kernel) {
    rt::LazyKernel out;
    if (!kernel || kernel->name == "none") return out;
    if (kernel->name == "inverse_square") {
        out.kind = rt::LazyKernel::Kind::inverse_square;
        return out;
    }
    if (kernel->name == "gaussian" || kernel->name == "tricube" || kernel->name == "epanechnikov") {
        out.kind = kernel->name == "gaussian"  ? rt::LazyKernel::Kind::gaussian
                   : kernel->name == "tricube" ? rt::LazyKernel::Kind::tricube
                                               : rt::LazyKernel::Kind::epanechnikov;
        if (kernel->arguments[0]) {
            auto s = Take<Positive>::from(*kernel->arguments[0], Parameter{.name = "s", .type = Type::positive});
            if (!s) return placed(std::move(s).fault(), c.argument(2));
            out.s = s->value.real();
        } else if (out.kind != rt::LazyKernel::Kind::gaussian) {
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("{} needs its width", kernel->name),
                         .origin = c.argument(2),
                         .hint = fmt::format("as in {}(1)", kernel->name)};
        }
        return out;
    }
    auto function = Take<Callable>::from(*kernel->value, Parameter{.name = "kernel", .type = Type::function});
    if (!function) return placed(std::move(function).fault(), c.argument(2));
    out.kind = rt::LazyKernel::Kind::function;
    out.function = [call = c.kept(function->function)](double distance) -> Result<double> {
        const Value argument[] = {number_value(distance)};
        auto value = TRY(call(argument));
        if (const auto* n = value.get<rt::Number>()) return n->real();
        return Fault{.code = "E-TYPE", .message = fmt::format("a kernel gives a number for a distance, not {}", value.kind())};
    };
    return out;
}

}  // namespace

void add_lazy(Registry& r) {
    r.add_learner(bind(
        {"learning",
         "lazy",
         {{"learner"},
          {"k", "all", {}, {{"all"}}, "a whole number"},
          {"kernel",
           "none",
           {},
           {{"none"}, {"gaussian", {"s"}}, {"tricube", {"h"}}, {"epanechnikov", {"h"}}, {"inverse_square"}},
           "a function of the distance"},
          {"scale", "none", {"none", "standard", "range"}}},
         "A learner that delays training. For each query it trains the given learner on the k nearest rows, weighted by the kernel. Among "
         "equally distant rows, the first in the table are taken. Distances are Euclidean, in the units of the columns unless `scale` is "
         "given. Two labels have distance 0 or 1. Such a model cannot be saved.",
         "predict(train lazy(baseline(), k: 1) on weather, <cold>) == \"yes\""},
        +[](CallContext& c, LearnerValuePtr learner, std::optional<Setting> k, std::optional<Setting> kernel,
            std::optional<Choice> scale) -> Result<Value> {
            auto wanted = TRY(neighbors_wanted(c, k));
            auto weight = TRY(kernel_of(c, kernel));
            const auto scaling = scale ? *rt::scaling_named(scale->text) : rt::AxisScale::none;
            // Counts that the inner learner takes weigh the stored rows, and their column is not a part of a distance.
            auto inner = rt::unweighted(learner->learner);
            auto out = rt::make_lazy(std::move(inner.learner), wanted, std::move(weight), scaling);
            return learner_value(inner.column.empty() ? std::move(out) : rt::weighted_by(std::move(out), std::move(inner.column)));
        }));
}

}  // namespace credence::std_
