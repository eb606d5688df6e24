// Frequencies explained by the counts they come from.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/empirical_counts.hpp"
#include "runtime/prob/queries/explainer.hpp"

namespace credence::rt {

namespace {

std::string described(const Pairs& pairs, std::span<const Event> events, const Variables& variables) {
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : " and ") + text; };
    for (const auto& pair : pairs) add(text_of({pair}, variables));
    for (const auto& event : conjuncts(events)) add(event_text(event, variables));
    return out;
}

/// Numbers of rows in place of probabilities: their quotients are the same.
class TableExplained : public Explained {
public:
    TableExplained(const Model& model, const EmpiricalCounts& counts, const Query& query, const Answer& answer, Run& run)
        : Explained(counts.variables, query, answer),
          model_(model),
          counts_(counts),
          shape_(shape_of(query)),
          cells_(configurations(counts.over, counts.sizes)),
          run_(run) {}

    Result<Number> number(const Query& query) const override {
        auto found = TRY(model_.ask(query, run_));
        return std::get<Number>(found.value);
    }

    QueryCases cases() const override { return query_cases(shape_, counts_.sizes, answer_); }
    bool is_conditional() const override { return true; }

    Status write_identity(DerivationWriter& out) const override {
        if (!query_.given.soft.empty()) return Done{};
        const bool evidence = !query_.given.events.empty() || !shape_.given.empty();
        out.formula(query_text(query_, variables_) +
                    (evidence ? " = rows with targets and evidence / rows with evidence" : " = rows with targets / all rows"));
        return Done{};
    }

    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override {
        return Calculation{.value = count(counts_.under_all, *merged(target, given)), .written = false};
    }

    Attempt<Calculations> evidence(const Pairs& given, std::span<const Number>) const override {
        const Number rows = count(counts_.under_evidence, given);
        if (rows.is_zero()) return not_applicable;
        return Calculations{{.value = rows, .written = false}};
    }

    Calculation quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const override {
        Calculation out = Explained::quotient(target, given, above, below);
        auto events = query_.targets.events;
        events.insert(events.end(), query_.given.events.begin(), query_.given.events.end());
        const std::string both = described(*merged(target, given), events, variables_);
        const std::string condition = described(given, query_.given.events, variables_);
        out.notes = {condition.empty()
                         ? fmt::format("rows with {}: {}, rows in all: {}", both, label_text(above), label_text(below))
                         : fmt::format("rows with {}: {}, with {}: {}", both, label_text(above), condition, label_text(below))};
        if (auto term = plain_term(asked(Term::conditional, target, given), variables_)) {
            out.heading.clear();
            out.steps.insert(out.steps.begin(), Parts{*std::move(term)});
        }
        if (!answer_.exact) out.value = Number::real(out.value.real());
        return out;
    }

private:
    /// The rows of all cells that these values leave.
    Number count(std::span<const std::int64_t> counted, const Pairs& values) const {
        std::int64_t rows = 0;
        for (std::size_t i = 0; i < cells_.size(); ++i)
            if (std::all_of(values.begin(), values.end(), [&](const auto& pair) { return contains(cells_[i], pair); })) rows += counted[i];
        return Rational(rows);
    }

    const Model& model_;
    const EmpiricalCounts& counts_;
    Shape shape_;
    std::vector<Pairs> cells_;
    Run& run_;
};

}  // namespace

Result<Derivation> explain_table(const Model& model, const Table& table, const Query& query, const Answer& answer, Run& run) {
    const auto counts = TRY(count_rows(table, {}, model.variables(), query, run));
    const TableExplained explained(model, counts, query, answer, run);
    DerivationWriter out;
    // Where cells are missing, the frequencies without uncertain evidence are over different rows.
    if (!query.given.soft.empty() && (explained.cases().size() > longest_sum || counts.left_out > 0)) {
        out.note("the rows are weighed by the uncertain evidence before they are counted");
        if (const auto* number = std::get_if<Number>(&answer.value)) out.calculation(query_text(query, counts.variables), {}, *number);
        return std::move(out).take();
    }
    TRY(write_explanation(explained, out));
    if (counts.left_out > 0 && query.given.soft.empty())
        out.note(fmt::format("{} left out because of missing cells",
                             counts.left_out == 1 ? "1 row is" : fmt::format("{} rows are", counts.left_out)));
    return std::move(out).take();
}

}  // namespace credence::rt
