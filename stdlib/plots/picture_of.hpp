#pragma once
// The picture that `plot` makes of a value.

#include "stdlib/plots/chart_of.hpp"

namespace credence::std_ {

/// A chart, several side by side, or a net with the probabilities in its nodes.
rt::Result<rt::PicturePtr> picture_of(lang::CallContext& context, const lang::Value& value, const PlotOptions& options);

/// Of a net, a hypothesis space or a posterior: what is believed of its variables. Not applicable to other models, and where the options
/// ask for something that any distribution can be shown as.
rt::Attempt<rt::PicturePtr> picture_of_beliefs(lang::CallContext& context, const rt::Model& model, const PlotOptions& options);

/// Whether that is a net of several nodes, which is drawn even where the evidence leaves one of them open.
bool is_drawn_with_beliefs(const rt::Model& model);

/// What a regression leaves: the line through its points, or the residuals in two charts. Not applicable to other models.
rt::Attempt<rt::PicturePtr> picture_of_regression(const rt::Model& model, const PlotOptions& options);

}  // namespace credence::std_
