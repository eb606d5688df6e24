#pragma once
// predict for models of all their variables alike: nets and tables. What they predict follows from the row, or from the table they come
// from.

#include <string>
#include <vector>

#include "lang/builtin/bind.hpp"
#include "runtime/prob/model.hpp"

namespace credence::std_ {

/// Such a model with the columns of its table, where it was learned from one that has a target.
struct OpenModel {
    rt::ModelPtr model;
    std::string target = {};
    std::vector<std::string> columns = {};  ///< the others, in order
};
OpenModel open_model(const lang::Value& value, rt::ModelPtr model);

/// The most probable value (the mean of a real-valued one) of the variable that the row leaves open; where it leaves several, or none, of
/// the target. An instance has the columns of the table in order, or the variables as declared with ? for the one to predict.
rt::Result<lang::Value> predict_open(lang::CallContext& context, const OpenModel& model, const lang::Value& x);
rt::Result<rt::Derivation> explain_open(lang::CallContext& context, const OpenModel& model, const lang::Value& x);

}  // namespace credence::std_
