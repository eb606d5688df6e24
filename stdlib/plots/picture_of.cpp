#include "stdlib/plots/picture_of.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Result;

Result<rt::PicturePtr> picture_of(CallContext& c, const Value& value, const PlotOptions& options) {
    if (const auto* m = value.get<ModelValue>()) {
        auto regression = TRY(picture_of_regression(*m->model, options).or_nothing());
        if (regression) return *std::move(regression);
        auto beliefs = TRY(picture_of_beliefs(c, *m->model, options).or_nothing());
        if (beliefs) return *std::move(beliefs);
    }
    // P(* | e) of a small net is its joint table, and the net given the evidence.
    if (const auto* f = value.get<FactorPtr>();
        f && (*f)->model() && options.kind.empty() && ((*f)->variables().size() > 1 || is_drawn_with_beliefs(*(*f)->model()))) {
        auto beliefs = TRY(picture_of_beliefs(c, *(*f)->model(), options).or_nothing());
        if (beliefs) return *std::move(beliefs);
    }
    auto chart = TRY(chart_of(c, value, options));
    auto whole = TRY(finished_chart(std::move(chart), options));
    return rt::make_picture(std::move(whole));
}

}  // namespace credence::std_
