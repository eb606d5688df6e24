// Factors: sums, maxima, normalisation, entropy.

#include <algorithm>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "lang/world/messages.hpp"
#include "runtime/prob/factors/information.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "factors";

Result<Value> eliminated(CallContext& c, const rt::Factor& f, const VariableNames& over, bool maximise) {
    rt::Factor out = f;
    for (const auto& name : over.texts) {
        const auto position = out.find(name);
        if (!position) {
            std::vector<std::string> known;
            for (const auto& v : f.variables()) known.push_back(v.name);
            Fault fault = no_such_variable("the factor", known, name);
            fault.origin = c.argument(1);
            return fault;
        }
        out = maximise ? rt::max_out(out, *position) : rt::sum_out(out, *position);
    }
    if (out.variables().empty()) return Value(out.at(0));
    return Value::factor(std::move(out));
}

Result<Value> sorted_factor(CallContext& c, const rt::Factor& f, bool descending) {
    if (f.variables().size() != 1)
        return Fault{
            .code = "E-TYPE",
            .message = fmt::format("a factor over one variable is sorted by its numbers, and this one is over {}", f.variables().size()),
            .origin = c.argument(0),
            .hint = "sum(f, over: X) sums variables out, f[a] takes the part of a label"};
    std::vector<std::size_t> order(f.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return descending ? f.at(b) < f.at(a) : f.at(a) < f.at(b); });
    rt::Variable variable = f.variables()[0];
    std::vector<rt::Label> labels;
    std::vector<rt::Number> numbers;
    for (const auto i : order) {
        labels.push_back((*variable.domain)[i]);
        numbers.push_back(f.at(i));
    }
    variable.domain = rt::make_domain(std::move(labels));
    return Value::factor(rt::Factor::of_numbers({std::move(variable)}, numbers));
}

void add_numbers_of_factors(Registry& r) {
    r.add(bind(
        {subject, "sum", {{"f"}}, "The sum of all entries of a factor.", "sum({a: 1/4, b: 1/2}) == 3/4"},
        +[](CallContext&, FactorPtr f) -> Result<Value> { return Value(rt::sum(*f)); }));
    r.add(bind(
        {subject, "sum", {{"f"}, {"over"}}, "Sums variables out of a factor.", "sum({a: 1/4, b: 1/2}, over: value) == 3/4"},
        +[](CallContext& c, FactorPtr f, VariableNames over) -> Result<Value> { return eliminated(c, *f, over, false); }));
    r.add(bind(
        {subject, "max", {{"f"}}, "The largest entry of a factor.", "max({a: 1/4, b: 1/2}) == 1/2"},
        +[](CallContext&, FactorPtr f) -> Result<Value> { return Value(rt::max_entry(*f)); }));
    r.add(bind(
        {subject,
         "max",
         {{"f"}, {"over"}},
         "The largest entry over some variables, for each value of the others.",
         "max({a: 1/4, b: 1/2}, over: value) == 1/2"},
        +[](CallContext& c, FactorPtr f, VariableNames over) -> Result<Value> { return eliminated(c, *f, over, true); }));
    r.add(bind(
        {subject, "min", {{"f"}}, "The smallest entry of a factor.", "min({a: 1/4, b: 1/2}) == 1/4"},
        +[](CallContext&, FactorPtr f) -> Result<Value> { return Value(rt::min_entry(*f)); }));
    r.add(bind(
        {subject,
         "sort",
         {{"f"}, {"descending", "false"}},
         "A factor over one variable with its labels in the order of their numbers, the smallest first.",
         "sort({a: 1/2, b: 1/3, c: 1/6}, descending: true).labels == [\"a\", \"b\", \"c\"]"},
        +[](CallContext& c, FactorPtr f, std::optional<bool> descending) -> Result<Value> {
            return sorted_factor(c, *f, descending.value_or(false));
        }));
    r.add(bind(
        {subject, "normalize", {{"f"}}, "The factor divided by its sum.", "normalize({a: 1, b: 3}) == {a: 1/4, b: 3/4}"},
        +[](CallContext& c, FactorPtr f) -> Result<Value> {
            auto out = rt::normalize(*f);
            if (!out) {
                Fault fault = std::move(out).fault();
                fault.origin = c.argument(0);
                return fault;
            }
            return Value::factor(*std::move(out));
        }));
    r.add(bind(
        {subject, "entropy", {{"f"}}, "The entropy in bits of a factor's entries, which sum to 1.", "entropy({a: 1/2, b: 1/2}) == 1"},
        +[](CallContext& c, FactorPtr f) -> Result<Value> {
            const auto entries = f->doubles();
            double total = 0;
            for (const double p : entries) {
                if (p < 0) return Fault{.code = "E-NEGATIVE", .message = "entropy: an entry is negative", .origin = c.argument(0)};
                total += p;
            }
            if (total < 1 - 1e-9 || total > 1 + 1e-9)
                return Fault{.code = "E-SUM",
                             .message = fmt::format("entropy: the entries sum to {}, not to 1", show_decimal(rt::Number::real(total), 6)),
                             .origin = c.argument(0),
                             .hint = "normalize it first"};
            return Value(rt::Number::real(rt::entropy_bits(entries)));
        }));
}

void add_parts_of_factors(Registry& r) {
    r.add_member(
        "factor",
        bind(
            {subject, "variables", {{"f"}}, "The names of a factor's variables.", "normalize({a: 1, b: 1}).variables == [\"value\"]"},
            +[](CallContext&, FactorPtr f) -> Result<Value> {
                List out;
                for (const auto& v : f->variables()) out.push_back(Value::text(v.name));
                return Value::list(std::move(out));
            }));
    const auto labels = +[](CallContext&, FactorPtr f) -> Result<Value> {
        List out;
        if (!f->variables().empty())
            for (const auto& label : f->variables()[0].domain->labels()) out.push_back(Value::label(label));
        return Value::list(std::move(out));
    };
    const auto entries = +[](CallContext&, FactorPtr f) -> Result<Value> {
        List out;
        for (std::size_t i = 0; i < f->size(); ++i) out.emplace_back(f->at(i));
        return Value::list(std::move(out));
    };
    r.add_member(
        "factor",
        bind({subject, "labels", {{"f"}}, "The labels of a factor's first variable.", "normalize({a: 1, b: 1}).labels == [\"a\", \"b\"]"},
             labels));
    r.add(bind({subject, "keys", {{"f"}}, "The labels of a factor's first variable.", "keys(normalize({a: 1, b: 1})) == [\"a\", \"b\"]"},
               labels));
    r.add_member("factor", bind({subject,
                                 "values",
                                 {{"f"}},
                                 "The entries of a factor as a list. The last variable varies fastest.",
                                 "normalize({a: 1, b: 1}).values == [1/2, 1/2]"},
                                entries));
    r.add(bind({subject,
                "values",
                {{"f"}},
                "The entries of a factor as a list. The last variable varies fastest.",
                "values(normalize({a: 1, b: 1})) == [1/2, 1/2]"},
               entries));
}

}  // namespace

void add_factors(Registry& r) {
    add_numbers_of_factors(r);
    add_parts_of_factors(r);
}

}  // namespace credence::std_
