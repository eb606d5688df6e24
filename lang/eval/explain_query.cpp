// explain for queries: the model's derivation of P, and the sums that E, H, I and L form from it.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/derivation_lines.hpp"
#include "lang/eval/evaluator.hpp"
#include "lang/world/messages.hpp"
#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/factors/information.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_terms = 12;  // of a sum that is written out
constexpr std::size_t most_entropies = 24;

/// What was sampled, next to what it estimates.
std::string estimate_text(const rt::Answer& answer, const ShowOptions& options) {
    constexpr std::size_t most_estimates = 12;
    const auto* f = std::get_if<rt::Factor>(&answer.value);
    if (const auto* n = std::get_if<rt::Number>(&answer.value)) return show_decimal(*n, options.digits);
    std::string out;
    for (std::size_t k = 0; f && k < f->size() && k < most_estimates; ++k) {
        std::string labels;
        for (const auto& label : f->labels(k)) labels += (labels.empty() ? "" : ", ") + show_label(label.text());
        out += fmt::format("{}{} {}", out.empty() ? "" : "; ", labels, show_decimal(f->at(k), options.digits));
    }
    return out;
}

/// What a `by` did: "Answered by enumeration: terms 2."
std::string engine_text(const rt::Answer& answer, const ShowOptions& options) {
    std::string out = "Answered by " + answer.engine;
    if (answer.standard_error) out = fmt::format("{}, which estimates {}", out, estimate_text(answer, options));
    std::string figures;
    for (const auto& [name, number] : answer.counts)
        figures += fmt::format("{}{} {}", figures.empty() ? ": " : ", ", name, show_decimal(number, options.digits));
    out += figures;
    if (answer.standard_error) out += fmt::format("; standard error {}", show_decimal(*answer.standard_error, 2));
    return out + ".";
}

/// Each entry divided by the probability of its values at the positions z.
std::vector<rt::Number> conditioned(const rt::Factor& f, std::span<const std::size_t> sizes, std::span<const std::size_t> z) {
    std::size_t cases = 1;
    for (const auto position : z) cases *= sizes[position];
    const auto case_of = [&](std::size_t entry) {
        std::size_t out = 0;
        for (const auto position : z) {
            std::size_t below = 1;
            for (std::size_t v = position + 1; v < sizes.size(); ++v) below *= sizes[v];
            out = out * sizes[position] + entry / below % sizes[position];
        }
        return out;
    };
    std::vector<rt::Number> totals(cases, rt::Number(0));
    for (std::size_t k = 0; k < f.size(); ++k) totals[case_of(k)] += f.at(k);
    std::vector<rt::Number> out;
    for (std::size_t k = 0; k < f.size(); ++k) {
        const rt::Number& total = totals[case_of(k)];
        out.push_back(z.empty() || total.is_zero() ? f.at(k) : f.at(k) / total);
    }
    return out;
}

}  // namespace

Result<std::vector<DerivationText>> Evaluator::derive_query(const QueryExpr& query, Span span, Frame& frame, Value& value) {
    // A posterior is explained by the model that it is of.
    const auto asked = query.model ? model_of(query, span, frame) : Result<ModelValue>(ModelValue{});
    const bool named = query.model && !(asked && asked->model->kind() == "posterior");
    DerivationLines out(std::string(source_->text(span)), named ? " in " + std::string(source_->text(query.model->span)) : "", show_);
    if (query.head == QueryHead::P || query.head == QueryHead::L) {
        TRY(derive_probability(query, span, frame, value, out));
        return std::move(out).take();
    }
    value = TRY(eval_query(query, span, frame));
    Status done =
        query.head == QueryHead::E ? derive_expectation(query, span, frame, value, out) : derive_entropy(query, span, frame, value, out);
    if (!done) return std::move(done).fault();
    return std::move(out).take();
}

Status Evaluator::derive_probability(const QueryExpr& query, Span span, Frame& frame, Value& value, DerivationLines& out) {
    rt::Query lowered;
    ModelValue model;
    std::vector<rt::VarId> open;
    auto answer = TRY(ask(query, span, frame, rt::Goal::probability, &lowered, &model, &open));
    Status told = open.empty() ? tell(*model.model, lowered, answer, span, out)
                               : each_doing(*model.model, lowered, open, [&](const rt::Query& one, std::size_t) -> Status {
                                     auto of = model.model->ask(one, run_);
                                     if (!of) return at(std::move(of).fault(), span);
                                     return tell(*model.model, one, *of, span, out);
                                 });
    if (!told) return told;
    value = TRY(eval_query(query, span, frame));
    if (query.engine) out.note(engine_text(answer, show_));
    if (query.head == QueryHead::P) return rt::Done{};
    out.formula("L(x | y) = -log2 P(x | y)");
    const auto* p = std::get_if<rt::Number>(&answer.value);
    const auto* f = std::get_if<rt::Factor>(&answer.value);
    if (p && !p->is_zero()) {
        out.begin(out.asked());
        out.step(fmt::format("-log2({})", out.number(*p)));
        out.result(*value.get<rt::Number>());
    }
    for (std::size_t k = 0; f && k < f->size() && k < most_terms; ++k) {
        std::string labels;
        for (const auto& label : f->labels(k)) labels += (labels.empty() ? "" : ", ") + show_label(label.text());
        out.begin(fmt::format("({})[{}]", out.asked(), labels));
        out.step(fmt::format("-log2({})", out.number(f->at(k))));
        out.result((*value.get<FactorPtr>())->at(k));
    }
    return rt::Done{};
}

Status Evaluator::tell(const rt::Model& model, const rt::Query& lowered, const rt::Answer& answer, Span span, DerivationLines& out) {
    auto derivation = model.explain(lowered, answer, run_);
    if (!derivation) return at(std::move(derivation).fault(), span);
    out.told(*derivation);
    return rt::Done{};
}

Status Evaluator::derive_expectation(const QueryExpr& query, Span span, Frame& frame, const Value& value, DerivationLines& out) {
    const auto* number_value = value.get<rt::Number>();
    auto asked = model_of(query, span, frame);
    if (asked && asked->model->numeric() && last_answer_ && number_value) {
        out.formula("E(f(X) | e) = integral of f(x) * p(x | e) over x");
        out.note("Answered by " + last_answer_->engine + ".");
        out.begin(out.asked());
        out.result(*number_value);
        return rt::Done{};
    }
    auto found = TRY(expectation(query, span, frame));
    out.formula(found.integral ? "E(f(X) | e) = integral of f(x) * p(x | e) over x" : "E(f(X) | e) = sum over x of f(x) * P(X = x | e)");
    const auto* table = value.get<FactorPtr>();
    if (!number_value && !table) return rt::Done{};
    const std::size_t cases = table ? (*table)->size() : 1;
    for (std::size_t slot = 0; slot < cases && slot < most_terms; ++slot) {
        std::vector<Expectation::Term> terms;
        if (!found.integral)
            std::copy_if(found.terms.begin(), found.terms.end(), std::back_inserter(terms), [&](const auto& t) { return t.slot == slot; });
        if (!table) {
            derive_mean(terms, out.asked(), *number_value, out);
            continue;
        }
        std::string labels;
        for (const auto& label : (*table)->labels(slot)) labels += (labels.empty() ? "" : ", ") + show_label(label.text());
        derive_mean(terms, fmt::format("({})[{}]", out.asked(), labels), (*table)->at(slot), out);
    }
    if (cases > most_terms) out.note(fmt::format("… and {} more", cases - most_terms));
    return rt::Done{};
}

/// Worth times probability, summed.
void Evaluator::derive_mean(const std::vector<Expectation::Term>& terms, std::string what, const rt::Number& value, DerivationLines& out) {
    for (std::size_t k = 0; k < terms.size() && k < most_terms; ++k)
        out.note(fmt::format("{}: worth {}, probability {}", terms[k].name, out.number(terms[k].worth), out.number(terms[k].weight)));
    if (terms.size() > most_terms) out.note(fmt::format("… and {} more", terms.size() - most_terms));
    out.begin(std::move(what));
    if (!terms.empty() && terms.size() <= most_terms) {
        std::vector<std::string> products;
        for (const auto& t : terms) products.push_back(fmt::format("({}) * ({})", out.number(t.worth), out.number(t.weight)));
        out.sum(products);
    }
    out.result(value);
}

/// From the joint over all the variables named.
Status Evaluator::derive_entropy(const QueryExpr& query, Span span, Frame& frame, const Value& value, DerivationLines& out) {
    auto number = TRY(entropy_of_numbers(query, span, frame).or_nothing());
    if (number) {
        out.formula(query.head == QueryHead::I ? "I(X; Y | Z) = H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z)" : "H(X | Y) = H(X, Y) - H(Y)");
        out.note("H of numbers is the entropy of their density; with labels beside it, H(X, Y) = H(Y) + sum over y of P(y) * H(X | Y = y)");
        out.begin(out.asked());
        out.result(*number);
        return rt::Done{};
    }
    auto joint = TRY(joint_of_sides(query, span, frame));
    const rt::Factor& f = joint.table;
    if (query.head == QueryHead::I) {
        const auto side = [&](const std::vector<QueryItem>& items) {
            return std::string(source_->text({items.front().span.begin, items.back().span.end}));
        };
        const std::string x = side(query.targets);
        const std::string y = side(query.second);
        const std::string z = query.given.empty() ? "" : " | " + side(query.given);
        out.formula("I(X; Y | Z) = sum of P(x, y, z) * log2(P(x, y | z) / (P(x | z) * P(y | z)))");
        out.begin(out.asked());
        out.step(fmt::format("H({0}{2}){3} + H({1}{2}){3} - H({0}, {1}{2}){3}", x, y, z, out.in_model()));
        const auto table = f.doubles();
        std::vector<std::size_t> both = joint.x;
        both.insert(both.end(), joint.y.begin(), joint.y.end());
        const auto bits = [&](std::span<const std::size_t> of) {
            return show_decimal(rt::Number::real(rt::conditional_entropy(table, joint.sizes, of, joint.z)), 9);
        };
        out.step(fmt::format("{} + {} - {}", bits(joint.x), bits(joint.y), bits(both)));
    } else {
        out.formula("H(X | Y) = - sum of P(x, y) * log2 P(x | y)");
        out.begin(out.asked());
        if (!joint.drawn && f.size() <= most_entropies) {
            const auto conditional = conditioned(f, joint.sizes, joint.z);
            std::vector<std::string> terms;
            for (std::size_t k = 0; k < f.size(); ++k)
                if (!f.at(k).is_zero()) terms.push_back(fmt::format("({}) * log2({})", out.number(f.at(k)), out.number(conditional[k])));
            if (!terms.empty()) out.sum(terms, "-(", ")");
        }
    }
    if (const auto* n = value.get<rt::Number>()) out.result(*n);
    return rt::Done{};
}

}  // namespace credence::lang
