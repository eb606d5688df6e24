#include "stdlib/learning/expected_log.hpp"

#include "lang/builtin/bind.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/expected_log_likelihood.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

/// A table, or a list of what the one variable that the model shows was.
Result<rt::TablePtr> rows_of(CallContext& c, const ModelValue& m, const Value& data) {
    if (const auto* table = data.get<rt::TablePtr>()) return *table;
    const List* items = data.items();
    if (!items)
        return Fault{
            .code = "E-TYPE", .message = fmt::format("the data are a table or a list, not {}", data.kind()), .origin = c.argument(2)};
    std::vector<std::string> names;
    for (const auto id : rt::listed_variables(*m.model)) names.push_back(m.model->variables()[rt::index(id)].variable.name);
    if (m.model->kind() == "mixture") names = {"x"};
    if (names.size() != 1)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a list is data for one variable, and {} has {}", m.name, names.size()),
                     .origin = c.argument(2),
                     .hint = "give a table"};
    rt::ColumnBuilder column(names[0]);
    for (const auto& item : *items) {
        const auto label = item.as_label();
        if (!label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("data are numbers and labels, and this list has {}", item.kind()),
                         .origin = c.argument(2)};
        column.add(*label);
    }
    auto table = std::make_shared<rt::Table>();
    auto finished = TRY(std::move(column).finish());
    table->columns.push_back(std::move(finished));
    table->row_count = items->size();
    return rt::TablePtr(std::move(table));
}

Result<rt::ExpectedLogLikelihood> expected_log(CallContext& c, const ModelValue& next, const ModelValue& now, const Value& data) {
    const auto rows = TRY(rows_of(c, now, data));
    auto q = rt::expected_log_likelihood(*next.model, *now.model, *rows, c.run());
    if (!q) {
        Fault fault = std::move(q).fault();
        if (fault.origin == rt::Origin::none) fault.origin = c.argument(2);
        return fault;
    }
    return q;
}

}  // namespace

void add_expected_log(Registry& r) {
    Builtin expecting = bind(
        {"learning",
         "expected_log_likelihood",
         {{"model"}, {"given"}, {"data"}},
         "Q(h' | h) of EM: the log-likelihood of `model` (h') for the completed data, expected under `given` (h). What the rows leave "
         "open, "
         "such as the component of a mixture or a hidden node of a net, is summed over. An EM step takes the model that maximises it.",
         "expected_log_likelihood(Weather, Weather, sample 3 from Weather) <= 0"},
        +[](CallContext& c, ModelValue model, ModelValue given, Value data) -> Result<Value> {
            const auto q = TRY(expected_log(c, model, given, data));
            return Value(rt::Number::real(q.value));
        });
    expecting.explain = [](CallContext& c, Arguments arguments) -> Result<rt::Derivation> {
        const auto q = TRY(expected_log(c, *arguments[0]->get<ModelValue>(), *arguments[1]->get<ModelValue>(), *arguments[2]));
        return rt::told(q);
    };
    r.add(std::move(expecting));
}

}  // namespace credence::std_
