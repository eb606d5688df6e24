#include "lang/value/show.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lang/text/width.hpp"
#include "lang/value/function.hpp"
#include "lang/value/layout.hpp"
#include "runtime/core/text.hpp"
#include "runtime/core/words.hpp"
#include "runtime/prob/distributions/joint.hpp"
#include "runtime/prob/distributions/truncated.hpp"
#include "runtime/prob/queries/conditioned.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_items = 200;  // of a list shown in full

std::string overloaded_items(const List& items, ShowOptions options, std::string_view open, std::string_view close) {
    const NumberForm form = form_of(items, options.digits);
    std::string out(take_mark(items, options) ? "≈ " : "");
    out += open;
    const std::size_t shown = items.size() > most_items ? most_items / 2 : items.size();
    for (std::size_t i = 0; i < shown; ++i) out += (i ? ", " : "") + show_item(items[i], form, options);
    if (shown < items.size()) out += ", " + more_text(items.size() - shown);
    return out + std::string(close);
}

std::string show_parameter(const rt::ParameterValue& value, const ShowOptions& options) {
    const auto number = [&](const rt::Number& n) {
        const bool brief = n.is_exact() && (n.exact().is_integer() || n.exact().text().size() <= longest_cell_fraction);
        return brief ? n.exact().text() : show_decimal(n, options.digits);
    };
    const auto numbers = [&](const std::vector<rt::Number>& row) {
        std::string out = "[";
        for (std::size_t i = 0; i < row.size(); ++i) out += (i ? ", " : "") + number(row[i]);
        return out + "]";
    };
    if (const auto* n = std::get_if<rt::Number>(&value)) return number(*n);
    if (const auto* row = std::get_if<std::vector<rt::Number>>(&value)) return numbers(*row);
    std::string out;
    if (const auto* matrix = std::get_if<std::vector<std::vector<rt::Number>>>(&value)) {
        for (const auto& row : *matrix) out += (out.empty() ? "[" : ", ") + numbers(row);
        return out + "]";
    }
    for (const auto& [label, weight] : std::get<std::vector<std::pair<rt::Label, rt::Number>>>(value))
        out += (out.empty() ? "{" : ", ") + show_label(label.text()) + ": " + number(weight);
    return out + "}";
}

namespace {

/// " (mean 2.5, sd 1, 5% 0.9, 50% 2.5, 95% 4)": the figures, and the quantiles that it has.
std::string summary_text(const rt::Distribution& d, std::vector<std::string> figures, const ShowOptions& options) {
    for (const auto& [level, text] : {std::pair(rt::Rational(1, 20), "5%"), {rt::Rational(1, 2), "50%"}, {rt::Rational(19, 20), "95%"}})
        if (const auto q = d.quantile(rt::Number(level))) figures.push_back(fmt::format("{} {}", text, show_number(*q, options)));
    return figures.empty() ? "" : fmt::format(" ({})", rt::joined(figures, ", "));
}

}  // namespace

std::string show_distribution(const rt::Distribution& d, const ShowOptions& options) {
    if (d.name() == "mixture") {
        // Its components are not parameters a reader could use, so its moments and quantiles are shown.
        std::string out = "mixture";
        const auto parameters = d.parameters();
        if (const auto* weights = parameters.empty() ? nullptr : std::get_if<std::vector<rt::Number>>(&parameters[0].value))
            out += fmt::format(" of {} distributions", weights->size());
        const auto mean = d.mean();
        const auto variance = d.variance();
        const auto* m = mean ? std::get_if<rt::Number>(&*mean) : nullptr;
        const auto* v = variance ? std::get_if<rt::Number>(&*variance) : nullptr;
        std::vector<std::string> figures;
        if (m && v) figures = {"mean " + show_number(*m, options), "sd " + show_number(rt::Number::real(std::sqrt(v->real())), options)};
        return out + summary_text(d, std::move(figures), options);
    }
    if (const auto* columns = rt::joint_draws(d)) {
        const auto names = rt::coordinate_names(d);
        const auto parameters = d.parameters();
        return fmt::format("samples of {} of {} (mean {}, sd {})", columns->front().size(),
                           rt::joined(std::vector<std::string>(names.begin(), names.end()), ", "),
                           show_parameter(parameters[1].value, options), show_parameter(parameters[2].value, options));
    }
    if (d.name() == "samples" || d.name() == "density" || d.name() == "counts") {
        // Known by draws, by an integral or by a list: its summary.
        std::string out(d.name());
        std::vector<std::string> figures;
        for (const auto& parameter : d.parameters())
            if (const auto* n = std::get_if<rt::Number>(&parameter.value)) {
                if (parameter.name == "n")
                    out += fmt::format(" of {}", show_number(*n, options));
                else
                    figures.push_back(fmt::format("{} {}", parameter.name, show_number(*n, options)));
            }
        return out + summary_text(d, std::move(figures), options);
    }
    if (const auto* family = rt::find_family(d.name()); family && family->within) {
        std::vector<std::string> parameters;
        for (const auto& parameter : d.parameters()) parameters.push_back(show_parameter(parameter.value, options));
        return rt::drawn_text(*family, parameters);
    }
    std::string out(d.name());
    out += "(";
    bool first = true;
    for (const auto& parameter : d.parameters()) {
        out += (first ? "" : ", ") + show_parameter(parameter.value, options);
        first = false;
    }
    return out + ")";
}

std::string show_model(const ModelValue& m) {
    std::string out = fmt::format("{}{}", m.model->kind(), m.name.empty() ? "" : " " + m.name);
    if (const auto text = m.model->description(); !text.empty()) return fmt::format("{}: {}", out, text);
    std::string names;
    std::size_t count = 0;
    for (const auto id : rt::listed_variables(*m.model))
        if (++count <= 12) names += (names.empty() ? "" : ", ") + m.model->variables()[rt::index(id)].variable.name;
    if (count > 12) names += ", …";
    return fmt::format("{} over {}: {}", out, rt::counted(count, "variable"), names);
}

std::string show_record(const Record& r, const ShowOptions& options) {
    List values;
    for (const auto& entry : r.entries) values.push_back(entry.second);
    const NumberForm form = form_of(values, options.digits);
    std::string out;
    for (const auto& [key, value] : r.entries) out += (out.empty() ? "{" : ", ") + show_label(key) + ": " + show_item(value, form, options);
    return out.empty() ? "{}" : out + "}";
}

std::string factor_inline(const rt::Factor& f, const ShowOptions& options) {
    std::string out;
    const std::size_t shown = std::min(f.size(), most_items / 2);
    std::vector<rt::Number> numbers;
    for (std::size_t i = 0; i < shown; ++i) numbers.push_back(f.at(i));
    const NumberForm form(numbers, options.digits);
    for (std::size_t i = 0; i < shown; ++i) {
        std::string key;
        for (const auto& label : f.labels(i)) key += (key.empty() ? "" : ", ") + show_label(label.text());
        out += (out.empty() ? "{" : (f.variables().size() > 1 ? "; " : ", ")) + key + ": " + show_item(Value(numbers[i]), form, options);
    }
    if (shown < f.size()) out += ", " + more_text(f.size() - shown);
    return out.empty() ? "{}" : out + "}";
}

bool all_rounded(const List& items, int digits) {
    const NumberForm form = form_of(items, digits);
    return !items.empty() && std::all_of(items.begin(), items.end(), [&](const Value& item) {
        if (const auto* n = item.get<rt::Number>()) return form.rounds(*n);
        return item.is<ListPtr>() && all_rounded(**item.get<ListPtr>(), digits);
    });
}

}  // namespace

bool take_mark(const List& items, ShowOptions& options) {
    if (!options.marks || !all_rounded(items, options.digits)) return false;
    options.marks = false;
    return true;
}

NumberForm form_of(const List& items, int digits) {
    std::vector<rt::Number> numbers;
    for (const auto& item : items)
        if (const auto* n = item.get<rt::Number>()) numbers.push_back(*n);
    return {numbers, digits};
}

std::string show_item(const Value& item, const NumberForm& form, const ShowOptions& options) {
    const auto* n = item.get<rt::Number>();
    if (!n) return show_inline(item, options);
    return options.marks && form.rounds(*n) ? "≈ " + form(*n) : form(*n);
}

std::size_t text_width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string align_columns(const std::vector<std::vector<std::string>>& rows, std::string_view align, std::string_view indent) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
    }
    std::string out;
    for (const auto& row : rows) {
        if (!out.empty()) out += '\n';
        std::string line(indent);
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string pad(widths[c] - display_width(row[c]), ' ');
            if (c) line += "  ";
            const bool right = c < align.size() && align[c] == 'r';
            line += right ? pad + row[c] : row[c] + pad;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line;
    }
    return out;
}

bool is_identifier(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               static_cast<unsigned char>(c) >= 0x80;
    });
}

std::string show_label(std::string_view text) {
    if (is_identifier(text) || text == "+" || text == "-") return std::string(text);
    if (rt::Label::of_text(text).is_number()) return std::string(text);
    return rt::quoted_text(text, true);
}

std::string show_name(std::string_view name) {
    const auto bracket = name.find('[');
    const bool plate = bracket != std::string_view::npos && name.back() == ']' && is_identifier(name.substr(0, bracket));
    if ((is_identifier(name) && !rt::is_reserved_word(name)) || plate) return std::string(name);
    return "`" + std::string(name) + "`";
}

namespace {

std::string show_call(const std::string& name, const List& positional, const std::vector<std::pair<std::string, Value>>& named,
                      const ShowOptions& options) {
    std::vector<std::string> arguments;
    for (const auto& value : positional) arguments.push_back(show_inline(value, options));
    for (const auto& [key, value] : named) arguments.push_back(fmt::format("{}: {}", key, show_inline(value, options)));
    return fmt::format("{}({})", name, rt::joined(arguments, ", "));
}

std::string show_graph(const rt::FunctionGraph& g) {
    std::vector<std::string> items;
    for (const auto& q : g.quantities)
        if (!q.kind.empty()) items.push_back(fmt::format("{} : {}", show_name(q.name), show_name(q.kind)));
    for (const auto& i : g.influences)
        items.push_back(
            fmt::format("{} ->{} {}", show_name(g.quantities[i.from].name), i.sign < 0 ? '-' : '+', show_name(g.quantities[i.to].name)));
    return items.empty() ? "graph { }" : fmt::format("graph {{ {} }}", rt::joined(items, "; "));
}

}  // namespace

std::string show_inline(const Value& value, const ShowOptions& options) {
    struct Visitor {
        const ShowOptions& options;
        std::string operator()(const rt::Number& n) const { return show_brief(n, options); }
        std::string operator()(bool b) const { return b ? "true" : "false"; }
        std::string operator()(const TextPtr& t) const { return show_label(*t); }
        std::string operator()(const ListPtr& l) const { return overloaded_items(*l, options, "[", "]"); }
        std::string operator()(const RecordPtr& r) const { return show_record(*r, options); }
        std::string operator()(const SetPtr& s) const { return overloaded_items(s->items, options, "{", "}"); }
        std::string operator()(const InstancePtr& i) const { return overloaded_items(i->elements, options, "<", ">"); }
        std::string operator()(const FactorPtr& f) const { return factor_inline(*f, options); }
        std::string operator()(const rt::DistributionPtr& d) const { return show_distribution(*d, options); }
        std::string operator()(const rt::TablePtr& t) const {
            return fmt::format("table of {} and {}", rt::counted(t->rows(), "row"), rt::counted(t->columns.size(), "column"));
        }
        std::string operator()(const ModelValue& m) const { return show_model(m); }
        std::string operator()(const LearnerValuePtr& l) const {
            std::string out;
            for (const auto& step : l->before) out += show_call(step->name, {}, step->parameters, options) + " |> ";
            return out + show_call(l->name, {}, l->parameters, options);
        }
        std::string operator()(const OptionPtr& o) const { return show_call(o->name, o->positional, o->named, options); }
        std::string operator()(const rt::PicturePtr&) const { return "plot"; }
        std::string operator()(const rt::FunctionGraphPtr& g) const { return show_graph(*g); }
        std::string operator()(const rt::QuantityPtr&) const { return "uncertain"; }
        std::string operator()(const FunctionPtr& f) const { return describe(*f); }
        std::string operator()(AnyMark) const { return "?"; }
        std::string operator()(EmptyMark) const { return "∅"; }
    };
    return std::visit(Visitor{options}, value.node());
}

std::string show_plain(const Value& value, const ShowOptions& options) {
    if (const auto* t = value.get<TextPtr>()) return **t;
    if (const auto* n = value.get<rt::Number>()) return n->is_exact() ? n->exact().text() : show_decimal(*n, options.digits);
    return show_inline(value, options);
}

}  // namespace credence::lang
