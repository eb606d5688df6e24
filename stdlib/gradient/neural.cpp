// neural(…): networks trained by backpropagation.

#include "runtime/gradient/neural.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

rt::Activation activation_of(const std::string& word) {
    for (const auto a : {rt::Activation::sigmoid, rt::Activation::tanh, rt::Activation::relu, rt::Activation::linear})
        if (rt::activation_name(a) == word) return a;
    return rt::Activation::softmax;
}

std::optional<std::size_t> whole(const Value& v) {
    const auto* n = v.get<rt::Number>();
    if (!n || !n->is_exact()) return std::nullopt;
    const auto i = n->exact().to_int64();
    return i && *i >= 0 ? std::optional(static_cast<std::size_t>(*i)) : std::nullopt;
}

Fault bad(std::string message, rt::Origin origin, std::string hint = {}) {
    return {.code = "E-PARAMETER", .message = std::move(message), .origin = origin, .hint = std::move(hint)};
}

Result<std::vector<std::size_t>> hidden_of(const Value& v, rt::Origin origin) {
    std::vector<std::size_t> out;
    const auto add = [&](const Value& item) {
        const auto n = whole(item);
        if (n && *n > 0) out.push_back(*n);
        return n && *n > 0;
    };
    if (const List* items = v.items()) {
        for (const auto& item : *items)
            if (!add(item)) return bad("hidden is a list of whole numbers, 1 or more: the units of each layer", origin);
        return out;
    }
    if (!add(v))
        return bad("hidden is a list of whole numbers, 1 or more: the units of each layer", origin, "hidden: [8] is one layer of 8");
    return out;
}

Result<rt::LayerWeights> layers_of(const List& layers, rt::Origin origin) {
    const Fault shape =
        bad("init is a number (the range) or weights: a list of layers, each a list of units, each numbers with the bias first", origin);
    rt::LayerWeights out;
    for (const auto& layer : layers) {
        const List* units = layer.items();
        if (!units) return shape;
        auto& to = out.emplace_back();
        for (const auto& unit : *units) {
            const List* numbers = unit.items();
            if (!numbers) return shape;
            auto& weights = to.emplace_back();
            for (const auto& n : *numbers) {
                const auto* number = n.get<rt::Number>();
                if (!number) return shape;
                weights.push_back(number->real());
            }
        }
    }
    return out;
}

Result<rt::Ties> ties_of(const Setting& tie, rt::Origin origin) {
    rt::Ties out;
    if (tie.name == "none") return out;
    if (tie.name == "window") {
        const auto size = tie.arguments[0] ? whole(*tie.arguments[0]) : std::nullopt;
        const auto stride = tie.arguments[1] ? whole(*tie.arguments[1]) : std::optional<std::size_t>(1);
        if (!size || *size == 0 || !stride || *stride == 0) return bad("window takes a size and a step, whole numbers, 1 or more", origin);
        out.window = *size;
        out.stride = *stride;
        return out;
    }
    const Fault shape = bad("tie is window(size, step), or a list of groups, each a list of weights [layer, unit, input]", origin,
                            "positions count from 1; input 0 is the bias");
    const List* groups = tie.value->items();
    if (!groups) return shape;
    for (const auto& group : *groups) {
        const List* places = group.items();
        if (!places) return shape;
        auto& to = out.groups.emplace_back();
        for (const auto& place : *places) {
            const List* numbers = place.items();
            if (!numbers || numbers->size() != 3) return shape;
            const auto layer = whole((*numbers)[0]);
            const auto unit = whole((*numbers)[1]);
            const auto input = whole((*numbers)[2]);
            if (!layer || !unit || !input || *layer == 0 || *unit == 0) return shape;
            to.push_back({*layer - 1, *unit - 1, *input});
        }
    }
    return out;
}

Result<rt::Schedule> schedule_of(const Setting& schedule, rt::Origin origin) {
    using Kind = rt::Schedule::Kind;
    rt::Schedule out;
    out.kind = schedule.name == "inverse"  ? Kind::inverse
               : schedule.name == "step"   ? Kind::step
               : schedule.name == "cosine" ? Kind::cosine
                                           : Kind::constant;
    const auto number = [&](std::size_t i, double& to) {
        if (i >= schedule.arguments.size() || !schedule.arguments[i]) return true;
        const auto* n = schedule.arguments[i]->get<rt::Number>();
        if (!n || n->sign() <= 0) return false;
        to = n->real();
        return true;
    };
    if (!number(0, out.every) || !number(1, out.factor)) return bad("a schedule takes positive numbers", origin);
    return out;
}

Result<Value> neural(CallContext& c, std::optional<Value> hidden, std::optional<Choice> activation, std::optional<Choice> output,
                     std::optional<Choice> loss, std::optional<Positive> rate, std::optional<Probability> momentum,
                     std::optional<rt::Number> decay, std::optional<RecordPtr> slope, std::optional<Setting> tie,
                     std::optional<Count> epochs, std::optional<Setting> batch, std::optional<Value> init, std::optional<Count> restarts,
                     std::optional<Probability> validation, std::optional<Choice> optimizer, std::optional<Setting> schedule,
                     std::optional<Count> patience, std::optional<Positive> slope_weight, std::optional<Choice> order,
                     std::optional<ColumnNames> outputs, std::optional<Choice> scale) {
    rt::NeuralOptions o;
    if (hidden) { o.hidden = TRY(hidden_of(*hidden, c.argument(0))); }
    if (activation) o.activation = activation_of(activation->text);
    if (output) o.output = activation_of(output->text);
    if (loss) o.loss = loss->text == "squared" ? rt::Loss::squared : rt::Loss::cross_entropy;
    if (rate) o.rate = rate->value.real();
    if (momentum) o.momentum = momentum->value.real();
    if (o.momentum >= 1) return bad("momentum is less than 1", c.argument(5));
    if (decay && decay->sign() < 0) return bad("decay is a number, 0 or more", c.argument(6));
    if (decay) o.decay = decay->real();
    if (slope)
        for (const auto& [feature, column] : (*slope)->entries) {
            const auto name = column.as_label();
            if (!name) return bad("slope names, for a feature, the column of the wanted slope: {x: dx}", c.argument(7));
            o.slope.emplace_back(feature, name->text());
        }
    if (tie) { o.tie = TRY(ties_of(*tie, c.argument(8))); }
    if (epochs) o.epochs = epochs->value;
    if (batch) {
        const auto n = batch->value ? whole(*batch->value) : std::optional<std::size_t>(0);
        if (!n || (batch->value && *n == 0)) return bad("batch is a whole number, 1 or more, or all", c.argument(10));
        o.batch = *n;
    }
    if (init) {
        if (const auto* n = init->get<rt::Number>()) {
            if (n->sign() < 0) return bad("the range of the initial weights is a number, 0 or more", c.argument(11));
            o.init_range = n->real();
        } else if (const List* items = init->items()) {
            o.init = TRY(layers_of(*items, c.argument(11)));
            if (!hidden && !o.init->empty()) {
                auto& units = o.hidden.emplace();
                for (std::size_t l = 0; l + 1 < o.init->size(); ++l) units.push_back((*o.init)[l].size());
            }
        } else {
            return layers_of({Value(rt::Number(0))}, c.argument(11)).fault();
        }
    }
    if (restarts) o.restarts = restarts->value;
    if (validation) o.validation = validation->value.real();
    if (optimizer)
        o.optimizer = optimizer->text == "adam"       ? rt::Optimizer::adam
                      : optimizer->text == "nesterov" ? rt::Optimizer::nesterov
                                                      : rt::Optimizer::momentum;
    if (o.optimizer == rt::Optimizer::nesterov && o.momentum == 0)
        return bad("nesterov needs a momentum above 0", c.argument(14), "momentum: 0.9");
    if (schedule) { o.schedule = TRY(schedule_of(*schedule, c.argument(15))); }
    if (patience && !validation) return bad("patience is for training with validation", c.argument(16), "validation: 0.2");
    if (patience) o.patience = std::max<std::size_t>(patience->value, 1);
    if (slope_weight && !slope) return bad("slope_weight needs slope, which is not given", c.argument(17));
    if (slope_weight) o.slope_weight = slope_weight->value.real();
    // Given weights are given to follow the steps, as textbooks do: row after row.
    o.shuffled = order ? order->text == "shuffled" : !o.init;
    if (outputs) o.outputs = outputs->texts;
    o.scale = scaling_of(scale);
    if (o.scale && !o.slope.empty()) return bad("slopes are those of the columns as they are, so that scale changes them", c.argument(20));
    return learner_value(rt::make_neural(std::move(o)));
}

Result<const rt::TrainedNetwork*> network_of(const ModelValue& m, std::string_view member) {
    auto part = TRY(model_as<rt::NetworkPart>(m, member));
    return &part->network();
}

/// Output units by what they stand for.
Value outputs_record(const rt::TrainedNetwork& network, std::span<const double> units) {
    Record out;
    for (const auto& field : network.outputs) {
        if (field.count == 1) {
            out.entries.emplace_back(field.field.name, number_value(units[field.first]));
            continue;
        }
        Record labels;
        for (std::size_t k = 0; k < field.count; ++k)
            labels.entries.emplace_back((*field.field.domain)[k].text(), number_value(units[field.first + k]));
        out.entries.emplace_back(field.field.name, Value::record(std::move(labels)));
    }
    return Value::record(std::move(out));
}

Result<rt::TablePtr> one_row(CallContext& c, const ModelValue& m, const Value& x) {
    auto rows = rows_for(c, m.model->predictor()->schema(), x, c.argument(1));
    if (!rows) return rows;
    if ((*rows)->row_count != 1) return bad("one row is needed here", c.argument(1), "an instance <…>, a record or t[1]");
    TRY(m.model->predictor()->check_cells({.table = rows->get(), .rows = {}}));
    return rows;
}

void add_weight_members(Registry& r) {
    const std::string trained = "(train neural(hidden: [2], epochs: 3) on line)";
    r.add_member("neural", bind(
                               {subject::learning,
                                "weights",
                                {{"model"}},
                                "The weights: a list of layers, each a list of units, each a list of numbers with the bias first.",
                                "count(" + trained + ".weights[1][1]) == 2"},
                               +[](CallContext&, ModelValue m) -> Result<Value> {
                                   auto network = TRY(network_of(m, "weights"));
                                   List layers;
                                   for (const auto& layer : network->layers()) {
                                       List units;
                                       for (const auto& unit : layer) units.push_back(numbers_value(unit));
                                       layers.push_back(Value::list(std::move(units)));
                                   }
                                   return Value::list(std::move(layers));
                               }));
    r.add_member("neural", bind(
                               {subject::learning,
                                "loss",
                                {{"model"}},
                                "The sum of the errors of the training rows and, with decay, decay/2 times the sum of the squared weights "
                                "without the biases: what "
                                "training makes small. Where rate is chosen, the weights are those of the standardised columns.",
                                trained + ".loss > 0"},
                               +[](CallContext&, ModelValue m) -> Result<Value> {
                                   auto network = TRY(network_of(m, "loss"));
                                   return number_value(network->loss);
                               }));
}

void add_history_members(Registry& r) {
    const std::string trained = "(train neural(hidden: [2], epochs: 3) on line)";
    r.add_member("neural",
                 bind(
                     {subject::learning, "history", {{"model"}}, "The loss after each epoch.", "count(" + trained + ".history) == 3"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         auto network = TRY(network_of(m, "history"));
                         return numbers_value(network->history);
                     }));
    r.add_member("neural", bind(
                               {subject::learning,
                                "validation",
                                {{"model"}},
                                "The loss of the validation rows after each epoch; empty without validation.",
                                trained + ".validation == []"},
                               +[](CallContext&, ModelValue m) -> Result<Value> {
                                   auto network = TRY(network_of(m, "validation"));
                                   return numbers_value(network->validation);
                               }));
}

void add_unit_members(Registry& r) {
    const std::string trained = "(train neural(hidden: [2], epochs: 3) on line)";
    r.add_member("neural", bind(
                               {subject::learning,
                                "outputs",
                                {{"model"}, {"x"}},
                                "The values of the output units for a row, by target column (and label).",
                                "abs(" + trained + ".outputs(<2>).y) < 100"},
                               +[](CallContext& c, ModelValue m, Value x) -> Result<Value> {
                                   auto network = TRY(network_of(m, "outputs"));
                                   auto row = TRY(one_row(c, m, x));
                                   return outputs_record(*network, network->unit_outputs({.table = row.get(), .rows = {}}).back());
                               }));
    r.add_member("neural", bind(
                               {subject::learning,
                                "units",
                                {{"model"}, {"x"}},
                                "The value of every unit for a row: a list of layers, each a list of numbers.",
                                "count(" + trained + ".units(<2>)[1]) == 2"},
                               +[](CallContext& c, ModelValue m, Value x) -> Result<Value> {
                                   auto network = TRY(network_of(m, "units"));
                                   auto row = TRY(one_row(c, m, x));
                                   List layers;
                                   for (const auto& layer : network->unit_outputs({.table = row.get(), .rows = {}}))
                                       layers.push_back(numbers_value(layer));
                                   return Value::list(std::move(layers));
                               }));
}

void add_neural_members(Registry& r) {
    add_weight_members(r);
    add_history_members(r);
    add_unit_members(r);
}

}  // namespace

void add_neural(Registry& r) {
    std::vector<ParameterDoc> parameters{
        {"hidden", "one layer of 10 to 100 units, by rows and columns, or as in init"},
        {"activation", "sigmoid", {"sigmoid", "tanh", "relu", "linear"}},
        {"output", "by the target", {"sigmoid", "tanh", "relu", "linear", "softmax"}},
        {"loss", "squared", {"squared", "cross_entropy"}},
        {"rate", "chosen; the columns are then standardised"},
        {"momentum", "0"},
        {"decay", "0; where rate is chosen, 0.0001 for each row, at most 0.1"},
        {"slope", "none"},
        {"tie", "none", {}, {{"none"}, {"window", {"size", "step"}}}, "a list of groups of weights [layer, unit, input]"},
        {"epochs", "50,000 / rows, from 100 to 10,000"},
        {"batch", "1", {}, {{"all"}}, "a whole number"},
        {"init", "scaled by the layer's size"},
        {"restarts", "1"},
        {"validation", "0"},
        {"optimizer", "momentum", {"momentum", "nesterov", "adam"}},
        {"schedule",
         "constant; cosine where rate is chosen",
         {},
         {{"constant"}, {"inverse", {"every"}}, {"step", {"every", "factor"}}, {"cosine"}}},
        {"patience", "20"},
        {"slope_weight", "1"},
        {"order", "shuffled, or as_given if init gives the weights", {"shuffled", "as_given"}},
        {"outputs", "only the target"},
        scale_parameter()};
    r.add_learner(bind({subject::learning, "neural", std::move(parameters),
                        "A learner of a neural network by backpropagation. It has any number of hidden layers and predicts labels or "
                        "numbers. A step follows the gradient of one row, or the summed gradient of a batch.",
                        "count((train neural(hidden: [2], epochs: 5) on line).history) == 5"},
                       neural));
    add_neural_members(r);
    r.add_loader("neural", rt::load_neural);
}

}  // namespace credence::std_
