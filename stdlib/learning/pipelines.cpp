// Preparations, which stand in front of a learner: impute() |> scale() |> svm(). Their names are those of the functions of tables.

#include <fmt/format.h>

#include "runtime/features/preparations.hpp"
#include "runtime/prob/learning/preparation_files.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"
#include "stdlib/tables/bins.hpp"

namespace credence::std_ {

namespace {

constexpr const char* pipeline = "pipeline";

std::vector<std::string> texts_of(const std::optional<ColumnNames>& names) { return names ? names->texts : std::vector<std::string>{}; }

/// What a preparation learned, whichever room it is of.
Result<rt::LearnedPreparationPtr> load_step(std::string_view kind, const rt::Json& json) {
    auto learned = TRY(rt::load_feature_preparation(kind, json));
    if (learned) return *learned;
    return rt::load_prepared(kind, json);
}

/// Cut points that are given are checked before anything is trained.
Result<Numbers> ascending_cuts(Numbers cuts) {
    bool ascend = !cuts.values.empty();
    for (std::size_t i = 1; i < cuts.values.size(); ++i) ascend = ascend && cuts.values[i - 1] < cuts.values[i];
    if (!ascend) return Fault{.code = "E-PARAMETER", .message = "discretize: bins is a list of cut points that ascend, or their number"};
    return cuts;
}

Result<const rt::PipelinePart*> pipeline_part(const ModelValue& m, std::string_view member) {
    return model_as<rt::PipelinePart>(m, member);
}

void add_pipeline_members(Registry& r) {
    const std::string trained = "(train (scale() |> regression()) on line)";
    r.add_member(pipeline, bind(
                               {subject::learning,
                                "model",
                                {{"model"}},
                                "The model behind the preparations, with its own members. It was trained on prepared rows.",
                                "abs(" + trained + ".model.weights.x) > 0"},
                               +[](CallContext&, ModelValue m) -> Result<Value> {
                                   auto part = TRY(pipeline_part(m, "model"));
                                   return Value(Value::Node(ModelValue{part->inner(), {}}));
                               }));
    r.add_member(pipeline, bind(
                               {subject::learning,
                                "prepare",
                                {{"model"}, {"t"}},
                                "A table as the model behind the preparations sees it.",
                                "abs(mean(" + trained + ".prepare(line).x)) < 1e-9"},
                               +[](CallContext& c, ModelValue m, rt::TablePtr t) -> Result<Value> {
                                   auto part = TRY(pipeline_part(m, "prepare"));
                                   auto ready = part->prepare(*t);
                                   if (ready) return Value(Value::Node(*ready));
                                   Fault fault = std::move(ready).fault();
                                   fault.origin = c.argument(1);
                                   return fault;
                               }));
}

void add_scaling(Registry& r) {
    r.add_preparation(bind(
        {subject::tables,
         "scale",
         {{"columns", "all numeric"}, {"method", "standard", {"standard", "range"}}},
         "Without a table: a preparation, for the learner that it is piped into. Mean and standard deviation, or the range, are those of "
         "the training rows, in each fold of a cross-validation too.",
         "abs(predict(train (scale() |> regression()) on line, <2>) - 5) < 1e-9"},
        +[](CallContext&, std::optional<ColumnNames> names, std::optional<Choice> method) -> Result<Value> {
            return learner_value(
                rt::make_scaling(texts_of(names), method && method->text == "range" ? rt::Scaling::range : rt::Scaling::standard));
        }));
    r.add_preparation(bind(
        {subject::tables,
         "impute",
         {{"columns", "all but the target"}, {"numbers", "mean", {"mean", "median", "most_common"}}, {"by_class", "false"}},
         "Without a table: a preparation, for the learner that it is piped into. What fills a cell is learned from the training rows, in "
         "each fold of a cross-validation too. by_class fills training rows by their class, and rows to predict by all rows.",
         "abs(predict(train (impute() |> regression()) on line, <2>) - 5) < 1e-9"},
        +[](CallContext&, std::optional<ColumnNames> names, std::optional<Choice> numbers, std::optional<bool> by_class) -> Result<Value> {
            rt::ImputeOptions options{.by_class = by_class.value_or(false)};
            if (numbers && numbers->text == "median") options.numbers = rt::NumberFill::median;
            if (numbers && numbers->text == "most_common") options.numbers = rt::NumberFill::most_common;
            return learner_value(rt::make_imputation(texts_of(names), options));
        }));
}

void add_recoding(Registry& r) {
    r.add_preparation(bind(
        {subject::tables,
         "encode",
         {{"columns", "all labels"}},
         "Without a table: a preparation, for the learner that it is piped into. The labels are those of the training table; another one "
         "is a missing cell.",
         "predict(train (encode() |> knn(k: 1)) on weather, <hot>) == \"yes\""},
        +[](CallContext&, std::optional<ColumnNames> names) -> Result<Value> {
            return learner_value(rt::make_encoding(texts_of(names)));
        }));
    r.add_preparation(bind(
        {subject::tables,
         "discretize",
         {{"columns", "all numeric"}, {"bins"}, {"method", "width", {"width", "frequency", "quantile"}}},
         "Without a table: a preparation, for the learner that it is piped into. The cut points come from the training rows, in each fold "
         "of a cross-validation too; a number beyond them falls into the first or the last bin.",
         "predict(train (discretize(bins: 2) |> id3()) on weather, <hot>) == \"yes\""},
        +[](CallContext& c, std::optional<ColumnNames> names, Value bins, std::optional<Choice> method) -> Result<Value> {
            rt::DiscretizeOptions options;
            options.method = method && method->text != "width" ? rt::Binning::frequency : rt::Binning::width;
            if (const auto* n = bins.get<rt::Number>()) {
                options.bins = TRY(bin_count(*n, c.argument(1)));
            } else {
                auto cuts = Take<Numbers>::from(bins, {.name = "bins"});
                if (cuts) cuts = ascending_cuts(*std::move(cuts));
                if (!cuts) {
                    Fault fault = std::move(cuts).fault();
                    fault.origin = c.argument(1);
                    return fault;
                }
                options.cuts = std::move(cuts->values);
            }
            return learner_value(rt::make_discretizing(texts_of(names), std::move(options)));
        }));
}

}  // namespace

void add_pipelines(Registry& r) {
    add_scaling(r);
    add_recoding(r);
    add_pipeline_members(r);
}

void add_pipeline_files(Registry& r) {
    r.add_loader(pipeline, [loaders = r.loaders()](const rt::Json& json) -> Result<rt::ModelPtr> {
        const auto load_model = [&](std::string_view kind, const rt::Json& model) -> Result<rt::ModelPtr> {
            const auto loader = loaders.find(kind);
            if (loader == loaders.end())
                return Fault{.code = "E-FILE", .message = fmt::format("the file is damaged: '{}' is not a kind of model", kind)};
            return loader->second(model);
        };
        return rt::load_pipeline(json, load_model, load_step);
    });
}

}  // namespace credence::std_
