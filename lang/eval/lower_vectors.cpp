// Functions of lists that the standard library defines in the language: over variables they become terms that are shorter, and that keep
// their digits (the sum of exponentials as one operation).

#include <fmt/format.h>

#include "lang/eval/lower_term.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

using rt::Term;
using rt::TermOp;

Term term_sum(const Term& a, const Term& b) { return rt::make_term(TermOp::add, {a, b}); }

Symbolic list_of(const std::vector<Term>& terms) {
    Symbolic::List out;
    for (const auto& term : terms) out.push_back(rt::is_constant(term) ? Symbolic{Value(term->value)} : Symbolic{term});
    return Symbolic{std::move(out)};
}

}  // namespace

std::optional<Result<Symbolic>> TermLowering::vector_call(const NameExpr& name, const Closure& closure,
                                                          const std::vector<Symbolic>& arguments, std::span<const Span> spans) {
    constexpr std::string_view known[] = {"dot", "log_sum_exp", "softmax", "cumulative"};
    if (!closure.fn || !rt::contains(known, name.name) || !self_.is_standard(closure.source)) return std::nullopt;
    const std::size_t due = name.name == "dot" ? 2 : 1;
    if (arguments.size() != due) return std::nullopt;
    std::vector<std::vector<Term>> lists;
    for (std::size_t i = 0; i < due; ++i) {
        Symbolic::List items;
        if (const auto* list = std::get_if<Symbolic::List>(&arguments[i].node)) {
            items = *list;
        } else if (const auto* plain = arguments[i].is_value() ? arguments[i].value().items() : nullptr) {
            for (const auto& item : *plain) items.push_back(Symbolic{item});
        } else {
            return self_.fault("E-TYPE", fmt::format("{} takes {}", name.name, due == 2 ? "two lists of numbers" : "a list of numbers"),
                               spans[i]);
        }
        std::vector<Term> terms;
        for (const auto& item : items) {
            auto term = as_number(item, spans[i]);
            if (!term) return std::move(term).fault();
            terms.push_back(*std::move(term));
        }
        lists.push_back(std::move(terms));
    }
    const auto& xs = lists[0];
    if (name.name == "dot") {
        const auto& ys = lists[1];
        if (xs.size() != ys.size())
            return self_.fault(
                "E-TYPE",
                fmt::format("dot takes two lists of the same length, found {} and {}", rt::counted(xs.size(), "number"), ys.size()),
                spans[1]);
        Term out = rt::constant_term(0);
        for (std::size_t i = 0; i < xs.size(); ++i) out = term_sum(out, rt::make_term(TermOp::multiply, {xs[i], ys[i]}));
        return Symbolic{out};
    }
    if (xs.empty()) return self_.fault("E-TYPE", fmt::format("{} takes a list of at least one number", name.name), spans[0]);
    if (name.name == "cumulative") {
        std::vector<Term> out;
        for (const auto& x : xs) out.push_back(out.empty() ? x : term_sum(out.back(), x));
        return list_of(out);
    }
    Term total = xs[0];
    for (std::size_t i = 1; i < xs.size(); ++i) total = rt::make_term(TermOp::log_add, {total, xs[i]});
    if (name.name == "log_sum_exp") return Symbolic{total};
    std::vector<Term> shares;
    for (const auto& x : xs) shares.push_back(rt::make_term(TermOp::exp, {rt::make_term(TermOp::subtract, {x, total})}));
    return list_of(shares);
}

}  // namespace credence::lang
