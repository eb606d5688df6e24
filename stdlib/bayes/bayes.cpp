// Bayes classifiers: naive and joint, and their members.

#include <fmt/format.h>

#include "lang/world/messages.hpp"
#include "runtime/classify/joint_bayes.hpp"
#include "runtime/classify/naive_bayes.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "stdlib/bayes/text_bayes.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

Result<rt::Number> sample_size(const std::optional<rt::Number>& m, rt::Origin origin) {
    if (!m) return rt::Number(0);
    if (m->sign() < 0 || m->is_nan())
        return Fault{.code = "E-PARAMETER", .message = fmt::format("m is {}, but it must be 0 or more", label_text(*m)), .origin = origin};
    return *m;
}

/// p: {Outlook: {Sunny: 0.5, Rain: 0.5}}.
Result<std::map<std::string, std::vector<std::pair<rt::Label, rt::Number>>>> estimates(const Setting& p, rt::Origin origin) {
    std::map<std::string, std::vector<std::pair<rt::Label, rt::Number>>> out;
    if (!p.value) return out;
    const auto* columns = p.value->get<RecordPtr>();
    const auto wrong = [&](std::string_view kind) {
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("p is uniform, a number, or a record of distributions by column, not {}", kind),
                     .origin = origin,
                     .hint = "as in p: {Outlook: {Sunny: 0.5, Overcast: 0.2, Rain: 0.3}}"};
    };
    if (!columns) return wrong(p.value->kind());
    for (const auto& [column, entries] : (*columns)->entries) {
        const auto* values = entries.get<RecordPtr>();
        if (!values) return wrong("one of " + std::string(entries.kind()));
        for (const auto& [label, share] : (*values)->entries) {
            const auto* n = share.get<rt::Number>();
            if (!n) return wrong("one with " + std::string(share.kind()));
            out[column].emplace_back(rt::Label::of_text(label), *n);
        }
    }
    return out;
}

Result<Value> naive_bayes(CallContext& c, std::optional<rt::Number> m, std::optional<Setting> p, std::optional<Setting> numeric) {
    rt::NaiveBayesSettings settings;
    settings.m = TRY(sample_size(m, c.argument(0)));
    if (p) {
        if (const auto* each = p->value ? p->value->get<rt::Number>() : nullptr) {
            if (each->sign() < 0 || each->real() > 1)
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("p is {}, not a probability", label_text(*each)),
                             .origin = c.argument(1)};
            settings.each = *each;
        } else {
            settings.p = TRY(estimates(*p, c.argument(1)));
        }
        if ((settings.each || !settings.p.empty()) && settings.m.is_zero())
            return Fault{
                .code = "E-PARAMETER", .message = "p has no effect if m is 0", .origin = c.argument(1), .hint = "give m too, as in m: 1"};
    }
    if (numeric && numeric->name == "bins") {
        const auto* k = numeric->arguments[0] ? numeric->arguments[0]->get<rt::Number>() : nullptr;
        const auto whole = k && k->is_exact() ? k->exact().to_int64() : std::nullopt;
        if (!whole || *whole < 2)
            return Fault{.code = "E-PARAMETER",
                         .message = "bins takes a whole number of bins, 2 or more",
                         .origin = c.argument(2),
                         .hint = "as in numeric: bins(5)"};
        settings.bins = static_cast<std::size_t>(*whole);
    }
    return learner_value(rt::make_naive_bayes(std::move(settings)));
}

Result<std::size_t> feature_of(const rt::Schema& schema, const std::string& name, rt::Origin origin) {
    std::vector<std::string> names;
    for (std::size_t f = 0; f < schema.features.size(); ++f) {
        if (schema.features[f].name == name) return f;
        names.push_back(schema.features[f].name);
    }
    Fault fault{.code = "E-COLUMN",
                .message = fmt::format("the model was not trained on a column {}", name),
                .origin = origin,
                .label = fmt::format("its columns are {}", rt::joined(names, ", "))};
    if (const auto near = rt::nearest(name, names)) fault.hint = fmt::format("did you mean '{}'?", *near);
    return fault;
}

/// A factor over class and values; for a column taken as normal, a record of distributions by class.
Result<Value> table_of_column(CallContext& c, const ModelValue& m, const VariableName& column) {
    auto model = TRY(model_as<rt::NaiveBayesModel>(m, "cpt"));
    const rt::Schema& schema = model->schema();
    if (column.text == schema.target.name) return Value::factor(model->priors());
    auto f = TRY(feature_of(schema, column.text, c.argument(1)));
    if (!model->counts(f).is_normal()) return Value::factor(model->conditionals(f));
    Record out;
    for (std::size_t k = 0; k < schema.target.domain->size(); ++k) {
        auto d = TRY(model->normal(f, k));
        out.entries.emplace_back((*schema.target.domain)[k].text(), Value(Value::Node(d)));
    }
    return Value::record(std::move(out));
}

}  // namespace

void add_bayes(Registry& r) {
    using V = Value;
    r.add_learner(bind({subject::bayes,
                        "naive_bayes",
                        {{"m", "0"},
                         {"p", "uniform", {}, {{"uniform"}}, "a record of distributions by column, or one number for every value"},
                         {"numeric", "normal", {}, {{"normal"}, {"bins", {"k"}}}}},
                        "A learner: P(class) times P(cell | class) for each column. P(v | class) is the m-estimate (n_v + m p) / (n + m). "
                        "Numbers are normal within each class (sample standard deviation), or cut into k bins with equal numbers of rows. "
                        "Missing cells are ignored in training and in prediction.",
                        "predict(train naive_bayes() on weather, <hot>) == \"yes\""},
                       naive_bayes));
    r.add_loader("naive_bayes", rt::load_naive_bayes);
    r.add_learner(bind(
        {subject::bayes,
         "joint_bayes",
         {{"m", "0"}},
         "A learner: P(class) times P(row | class), counted over whole rows, so no independence is assumed. m sets the m-estimate over all "
         "possible rows. Numbers are treated like labels.",
         "predict(train joint_bayes() on weather, <hot>) == \"yes\""},
        +[](CallContext& c, std::optional<rt::Number> m) -> Result<V> {
            auto size = TRY(sample_size(m, c.argument(0)));
            return learner_value(rt::make_joint_bayes(size));
        }));
    r.add_loader("joint_bayes", rt::load_joint_bayes);
    r.add_member("naive_bayes", bind(
                                    {subject::bayes,
                                     "priors",
                                     {{"m"}},
                                     "P(class) of naive Bayes: the share of the rows of each class.",
                                     "sum((train naive_bayes() on weather).priors) == 1"},
                                    +[](CallContext&, ModelValue m) -> Result<V> {
                                        auto model = TRY(model_as<rt::NaiveBayesModel>(m, "priors"));
                                        return V::factor(model->priors());
                                    }));
    r.add_member("naive_bayes",
                 bind(
                     {subject::bayes,
                      "cpt",
                      {{"m"}, {"column"}},
                      "P(column | class) of naive Bayes: a factor over class and value, or the normal distribution of each class.",
                      "sum((train naive_bayes() on weather).cpt(sky)) == 2"},
                     +[](CallContext& c, ModelValue m, VariableName x) -> Result<V> { return table_of_column(c, m, x); }));
    add_text_bayes(r);
}

}  // namespace credence::std_
