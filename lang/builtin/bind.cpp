#include "lang/builtin/bind.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lang/value/table_value.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/blocks_model.hpp"
#include "runtime/prob/models/empirical.hpp"

namespace credence::lang {

namespace {

std::string asked_for(const Parameter& p, Type type) { return p.range ? p.range->text() : std::string(type_name(type)); }

rt::Fault wrong_kind(const Value& v, const Parameter& p, Type type) {
    rt::Fault out{.code = "E-TYPE",
                  .message = fmt::format("{} must be {}, found {}", p.name, asked_for(p, type), v.kind()),
                  .label = fmt::format("this is {}", v.kind())};
    if (v.is<AnyMark>()) {
        out.code = "E-MISSING";
        out.label = "this cell is missing";
        out.hint = "test is_missing(x) first, or remove such rows with drop_missing(t)";
    }
    if (type == Type::function) out.hint = "write a function as x -> x > 0; for the rows of a table, r -> r.x > 0";
    if (type == Type::learner && v.is<FunctionPtr>()) out.hint = "call the learner, as in knn()";
    if (const auto* model = v.get<ModelValue>(); type == Type::table && model && model->model->kind() == rt::blocks_kind)
        out.hint = "its rows stay in the file, for queries and train … on; load it without stream: true for everything else";
    return out;
}

rt::Fault out_of_range(const Value& v, const Parameter& p, Type type) {
    return {.code = "E-PARAMETER", .message = fmt::format("{} must be {}, found {}", p.name, asked_for(p, type), show_inline(v, {}))};
}

rt::Result<std::string> word_text(const Value& v, const Parameter& p, Type type) {
    const auto label = v.as_label();
    if (!label) return wrong_kind(v, p, type);
    return label->text();
}

rt::Result<std::vector<std::string>> word_texts(const Value& v, const Parameter& p, Type type) {
    std::vector<std::string> out;
    if (const List* items = v.items()) {
        for (const auto& item : *items) {
            auto text = TRY(word_text(item, p, type));
            out.push_back(std::move(text));
        }
        return out;
    }
    auto text = TRY(word_text(v, p, type));
    out.push_back(std::move(text));
    return out;
}

template <class T>
std::optional<rt::Fault> refused(const Value& v, const Parameter& p) {
    auto taken = Take<T>::from(v, p);
    if (taken) return std::nullopt;
    return std::move(taken).fault();
}

/// What the parameter's type among T makes of the value.
template <class... T>
std::optional<rt::Fault> refused_by(const Value& v, const Parameter& p) {
    std::optional<rt::Fault> out;
    static_cast<void>(((Take<T>::type == p.type && (out = refused<T>(v, p), true)) || ...));
    return out;
}

}  // namespace

std::optional<rt::Fault> refusal(const Value& v, const Parameter& p) {
    return refused_by<rt::Number, Quantity, Integer, Count, Positive, Probability, bool, rt::Label, std::string, Items, Numbers, Interval,
                      RecordPtr, FactorPtr, rt::DistributionPtr, rt::TablePtr, ModelValue, Callable, Choice, Setting, SettingLists, Start,
                      LearnerValuePtr, VariableName, VariableNames, ColumnName, ColumnNames>(v, p);
}

Words::Words(std::initializer_list<const char*> words) : list(words) {}
Words::Words(const Words&) = default;
Words::Words(Words&&) noexcept = default;
Words::~Words() = default;

Options::Options(std::initializer_list<OptionForm> forms) : list(forms) {}
Options::Options(const Options&) = default;
Options::Options(Options&&) noexcept = default;
Options::~Options() = default;

ParameterDoc::ParameterDoc(std::string_view parameter, std::string_view default_text, Words alternatives, Options forms,
                           std::string_view otherwise)
    : name(parameter), fallback(default_text), words(std::move(alternatives)), options(std::move(forms)), other(otherwise) {}
ParameterDoc::ParameterDoc(const ParameterDoc&) = default;
ParameterDoc::ParameterDoc(ParameterDoc&&) noexcept = default;
ParameterDoc::~ParameterDoc() = default;

Doc::Doc(std::string_view page, std::string_view builtin, std::vector<ParameterDoc> its_parameters, std::string_view sentence,
         std::string_view shown)
    : subject(page), name(builtin), parameters(std::move(its_parameters)), summary(sentence), example(shown) {}
Doc::Doc(const Doc&) = default;
Doc::Doc(Doc&&) noexcept = default;
Doc::~Doc() = default;

namespace detail {

Builtin described(const Doc& doc, std::span<const Slot> slots) {
    Builtin out;
    out.name = doc.name;
    out.subject = doc.subject;
    out.summary = doc.summary;
    out.example = doc.example;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const ParameterDoc& words = doc.parameters.at(i);
        out.parameters.push_back({.name = std::string(words.name),
                                  .type = slots[i].type,
                                  .optional = slots[i].optional,
                                  .rest = slots[i].rest,
                                  .fallback = std::string(words.fallback),
                                  .words = {words.words.list.begin(), words.words.list.end()},
                                  .options = words.options.list,
                                  .other = std::string(words.other)});
    }
    return out;
}

std::shared_ptr<const std::vector<Parameter>> shared(const std::vector<Parameter>& parameters) {
    return std::make_shared<const std::vector<Parameter>>(parameters);
}

}  // namespace detail

Taken<rt::Number> Take<rt::Number>::from(const Value& v, const Parameter& p) {
    const auto n = v.as_number();  // true counts 1
    if (!n) return wrong_kind(v, p, type);
    if (p.range && !p.range->covers(*n)) return out_of_range(v, p, type);
    return *n;
}

Taken<Quantity> Take<Quantity>::from(const Value& v, const Parameter& p) {
    if (v.is<rt::Number>() || v.is<FactorPtr>()) return Quantity{v};
    if (v.is<bool>()) return Quantity{Value(*v.as_number())};
    if (const auto* r = v.get<RecordPtr>())
        if (auto f = record_as_factor(**r, "value")) return Quantity{Value::factor(*std::move(f))};
    return wrong_kind(v, p, type);
}

Taken<Integer> Take<Integer>::from(const Value& v, const Parameter& p) {
    const auto* n = v.get<rt::Number>();
    if (!n) return wrong_kind(v, p, type);
    if (n->is_exact())
        if (const auto i = n->exact().to_int64()) return Integer{*i};
    return out_of_range(v, p, type);
}

Taken<Count> Take<Count>::from(const Value& v, const Parameter& p) {
    const auto* n = v.get<rt::Number>();
    if (!n) return wrong_kind(v, p, type);
    if (n->is_exact())
        if (const auto i = n->exact().to_int64(); i && std::in_range<std::size_t>(*i)) return Count{static_cast<std::size_t>(*i)};
    return out_of_range(v, p, type);
}

Taken<Positive> Take<Positive>::from(const Value& v, const Parameter& p) {
    const auto* n = v.get<rt::Number>();
    if (!n) return wrong_kind(v, p, type);
    if (n->sign() > 0) return Positive{*n};
    return out_of_range(v, p, type);
}

Taken<Probability> Take<Probability>::from(const Value& v, const Parameter& p) {
    const auto* n = v.get<rt::Number>();
    if (!n) return wrong_kind(v, p, type);
    if (*n >= rt::Number(0) && *n <= rt::Number(1)) return Probability{*n};
    return out_of_range(v, p, type);
}

Taken<bool> Take<bool>::from(const Value& v, const Parameter& p) {
    if (const auto* b = v.get<bool>()) return *b;
    return wrong_kind(v, p, type);
}

Taken<rt::Label> Take<rt::Label>::from(const Value& v, const Parameter& p) {
    if (const auto label = v.as_label()) return *label;
    return wrong_kind(v, p, type);
}

Taken<std::string> Take<std::string>::from(const Value& v, const Parameter& p) {
    if (const auto* t = v.get<TextPtr>()) return **t;
    if (const auto label = v.as_label()) return label->text();
    return wrong_kind(v, p, type);
}

Taken<Items> Take<Items>::from(const Value& v, const Parameter& p) {
    if (const auto* l = v.get<ListPtr>()) return Items{*l};
    if (const List* items = v.items()) return Items{std::make_shared<const List>(*items)};
    if (const auto* table = v.get<rt::TablePtr>()) {
        List rows;
        rows.reserve((*table)->rows());
        for (std::size_t r = 0; r < (*table)->rows(); ++r) rows.push_back(row_value(**table, r));
        return Items{std::make_shared<const List>(std::move(rows))};
    }
    return wrong_kind(v, p, type);
}

/// What may be meant by an item that is not a number.
static std::string hint_for_numbers(const List& items, const Value& item) {
    if (items.size() == 1 && item.is<ListPtr>()) return "this is a list in a list: leave the brackets out, as in 1..5 for [1..5]";
    const auto label = item.as_label();
    if (!label || label->text().find(',') == std::string::npos) return {};
    std::string text = label->text();
    std::replace(text.begin(), text.end(), ',', '.');
    return rt::Label::of_text(text).is_number() ? "numbers have decimal points: with_column(t, x, r -> replace(r.x, \",\", \".\"))" : "";
}

Taken<Numbers> Take<Numbers>::from(const Value& v, const Parameter& p) {
    const List* items = v.items();
    if (!items) return wrong_kind(v, p, type);
    Numbers out;
    out.values.reserve(items->size());
    for (const auto& item : *items) {
        const auto n = item.as_number();
        if (item.is<AnyMark>())
            return rt::Fault{.code = "E-MISSING",
                             .message = fmt::format("{} must contain only numbers, and a cell is missing", p.name),
                             .hint = "drop_missing(t) removes rows with missing cells, impute(t) fills them in"};
        if (!n)
            return rt::Fault{
                .code = "E-TYPE",
                .message = fmt::format("{} must contain only numbers, found {} ({})", p.name, show_inline(item, {}), item.kind()),
                .hint = hint_for_numbers(*items, item)};
        out.values.push_back(*n);
    }
    return out;
}

Taken<Interval> Take<Interval>::from(const Value& v, const Parameter& p) {
    auto numbers = TRY(Take<Numbers>::from(v, p));
    return Interval{std::move(numbers.values)};
}

Taken<RecordPtr> Take<RecordPtr>::from(const Value& v, const Parameter& p) {
    if (const auto* r = v.get<RecordPtr>()) return *r;
    return wrong_kind(v, p, type);
}

Taken<FactorPtr> Take<FactorPtr>::from(const Value& v, const Parameter& p) {
    if (const auto* f = v.get<FactorPtr>()) return *f;
    if (const auto* r = v.get<RecordPtr>())
        if (auto f = record_as_factor(**r, "value")) return std::make_shared<const rt::Factor>(*std::move(f));
    return wrong_kind(v, p, type);
}

Taken<rt::DistributionPtr> Take<rt::DistributionPtr>::from(const Value& v, const Parameter& p) {
    if (const auto* d = v.get<rt::DistributionPtr>()) return *d;
    // A factor over one variable, or the record that stands for it, distributes its labels.
    std::optional<rt::Factor> f;
    if (const auto* factor = v.get<FactorPtr>(); factor && (*factor)->variables().size() == 1) f = **factor;
    if (const auto* record = v.get<RecordPtr>()) f = record_as_factor(**record, "value");
    if (!f) return wrong_kind(v, p, type);
    std::vector<std::pair<rt::Label, rt::Number>> pairs;
    for (std::size_t i = 0; i < f->size(); ++i) pairs.emplace_back(f->labels(i)[0], f->at(i));
    return rt::make_categorical(std::move(pairs));
}

Taken<rt::TablePtr> Take<rt::TablePtr>::from(const Value& v, const Parameter& p) {
    if (const auto* t = v.get<rt::TablePtr>()) return *t;
    return wrong_kind(v, p, type);
}

Taken<ModelValue> Take<ModelValue>::from(const Value& v, const Parameter& p) {
    if (const auto* m = v.get<ModelValue>()) return *m;
    if (const auto* t = v.get<rt::TablePtr>()) return ModelValue{rt::make_empirical_model(*t), "the table"};  // a table is a model too
    if (const auto* f = v.get<FactorPtr>(); f && (*f)->model()) return ModelValue{(*f)->model(), {}};         // and so is P(* | e)
    return wrong_kind(v, p, type);
}

Taken<Callable> Take<Callable>::from(const Value& v, const Parameter& p) {
    if (v.is<FunctionPtr>()) return Callable{v};
    return wrong_kind(v, p, type);
}

Taken<Choice> Take<Choice>::from(const Value& v, const Parameter& p) {
    auto text = TRY(word_text(v, p, type));
    if (!p.words.empty() && !rt::contains(p.words, text)) {
        rt::Fault fault{.code = "E-PARAMETER",
                        .message = fmt::format("{} cannot be '{}'", p.name, text),
                        .label = fmt::format("it is one of {}", rt::joined(p.words, ", "))};
        if (const auto near = rt::nearest(text, p.words)) fault.hint = fmt::format("did you mean '{}'?", *near);
        return fault;
    }
    return Choice{std::move(text)};
}

Taken<Setting> Take<Setting>::from(const Value& v, const Parameter& p) {
    const auto form_named = [&](const std::string& name) {
        return std::find_if(p.options.begin(), p.options.end(), [&](const OptionForm& f) { return f.name == name; });
    };
    const auto unknown = [&](const std::string& name) {
        std::vector<std::string> names;
        for (const auto& f : p.options) names.push_back(f.name);
        rt::Fault fault{.code = "E-PARAMETER",
                        .message = fmt::format("{} cannot be '{}'", p.name, name),
                        .label = fmt::format("it is one of {}", alternatives_text(p))};
        if (const auto near = rt::nearest(name, names)) fault.hint = fmt::format("did you mean '{}'?", *near);
        return fault;
    };
    if (const auto* t = v.get<TextPtr>()) {
        const auto form = form_named(**t);
        if (form == p.options.end()) return unknown(**t);
        return Setting{**t, std::vector<std::optional<Value>>(form->parameters.size())};
    }
    if (const auto* o = v.get<OptionPtr>()) {
        const auto form = form_named((*o)->name);
        if (form == p.options.end()) return unknown((*o)->name);
        Setting out{(*o)->name, std::vector<std::optional<Value>>(form->parameters.size())};
        if ((*o)->positional.size() > form->parameters.size())
            return rt::Fault{.code = "E-ARGUMENT",
                             .message = fmt::format("{} takes {}, found {}", form->name, rt::counted(form->parameters.size(), "argument"),
                                                    (*o)->positional.size())};
        for (std::size_t i = 0; i < (*o)->positional.size(); ++i) out.arguments[i] = (*o)->positional[i];
        for (const auto& [name, value] : (*o)->named) {
            const auto found = std::find(form->parameters.begin(), form->parameters.end(), name);
            if (found == form->parameters.end())
                return rt::Fault{.code = "E-PARAMETER",
                                 .message = fmt::format("{} has no parameter '{}'", form->name, name),
                                 .label = form->parameters.empty()
                                              ? "it has none"
                                              : fmt::format("its parameters are {}", rt::joined(form->parameters, ", "))};
            out.arguments[static_cast<std::size_t>(found - form->parameters.begin())] = value;
        }
        return out;
    }
    if (!p.other.empty()) return Setting{.name = {}, .arguments = {}, .value = v};
    return rt::Fault{.code = "E-TYPE",
                     .message = fmt::format("{} is one of {}, found {}", p.name, alternatives_text(p), v.kind()),
                     .label = fmt::format("this is {}", v.kind())};
}

Taken<SettingLists> Take<SettingLists>::from(const Value& v, const Parameter& p) {
    if (const auto* r = v.get<RecordPtr>()) return SettingLists{*r};
    return wrong_kind(v, p, type);
}

Taken<Start> Take<Start>::from(const Value& v, const Parameter& p) {
    const List* items = v.items();
    if (!v.is<ModelValue>() && !items) return wrong_kind(v, p, type);
    for (std::size_t i = 0; items && i < items->size(); ++i)
        if (!(*items)[i].is<rt::Number>())
            return rt::Fault{.code = "E-TYPE",
                             .message = fmt::format("{} must contain only numbers, found {}", p.name, (*items)[i].kind())};
    return Start{v};
}

Taken<LearnerValuePtr> Take<LearnerValuePtr>::from(const Value& v, const Parameter& p) {
    if (const auto* l = v.get<LearnerValuePtr>()) return *l;
    return wrong_kind(v, p, type);
}

Taken<VariableName> Take<VariableName>::from(const Value& v, const Parameter& p) {
    auto text = TRY(word_text(v, p, type));
    return VariableName{std::move(text)};
}

Taken<VariableNames> Take<VariableNames>::from(const Value& v, const Parameter& p) {
    auto texts = TRY(word_texts(v, p, type));
    return VariableNames{std::move(texts)};
}

Taken<ColumnName> Take<ColumnName>::from(const Value& v, const Parameter& p) {
    auto text = TRY(word_text(v, p, type));
    return ColumnName{std::move(text)};
}

Taken<ColumnNames> Take<ColumnNames>::from(const Value& v, const Parameter& p) {
    auto texts = TRY(word_texts(v, p, type));
    return ColumnNames{std::move(texts)};
}

}  // namespace credence::lang
