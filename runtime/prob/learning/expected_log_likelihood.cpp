#include "runtime/prob/learning/expected_log_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// The variables that a row can give a value to, by their places in both models.
struct SharedVariable {
    VarId now{};
    VarId next{};
    const Variable* variable = nullptr;
};

Result<std::vector<SharedVariable>> shared_variables(const Model& next, const Model& now) {
    std::vector<SharedVariable> out;
    const auto is_own = [](const ModelVariable& v) { return !v.next && !v.is_step && !v.is_input && v.space.empty(); };
    for (std::size_t i = 0; i < now.variables().size(); ++i) {
        const ModelVariable& v = now.variables()[i];
        if (!is_own(v)) continue;
        std::size_t k = 0;
        while (k < next.variables().size() && !(is_own(next.variables()[k]) && next.variables()[k].variable.name == v.variable.name)) ++k;
        if (k == next.variables().size())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("the first model has no variable {}, which the other has", v.variable.name)};
        out.push_back({static_cast<VarId>(i), static_cast<VarId>(k), &v.variable});
    }
    return out;
}

double log_of(const Answer& answer) {
    if (answer.log) return *answer.log;
    const auto* number = std::get_if<Number>(&answer.value);
    return number && number->sign() > 0 ? std::log(number->real()) : -std::numeric_limits<double>::infinity();
}

}  // namespace

Result<ExpectedLogLikelihood> expected_log_likelihood(const Model& next, const Model& now, const Table& data, Run& run) {
    const auto variables = TRY(shared_variables(next, now));
    if (std::none_of(variables.begin(), variables.end(), [&](const SharedVariable& v) { return data.find(v.variable->name).has_value(); }))
        return Fault{.code = "E-COLUMN", .message = "the data have no column of the model"};
    ExpectedLogLikelihood out;
    for (std::size_t row = 0; row < data.row_count; ++row) {
        if (run.stopped()) return stopped_fault();
        Query hidden;
        Query joint;
        std::vector<SharedVariable> open;
        ExpectedLogRow told_row;
        for (const auto& v : variables) {
            const auto column = data.find(v.variable->name);
            if (!column || data.columns[*column]->is_missing(row)) {
                if (!v.variable->is_discrete())
                    return Fault{.code = "E-TYPE",
                                 .message = fmt::format("{} is a number that row {} leaves open: only labels are summed over",
                                                        v.variable->name, row + 1)};
                hidden.targets.free.push_back(v.now);
                open.push_back(v);
                continue;
            }
            Label label = data.columns[*column]->label(row);
            if (v.variable->is_discrete()) {
                const auto place = value_place(*v.variable, label);
                if (!place)
                    return Fault{.code = "E-LABEL", .message = fmt::format("{} is not a value of {}", label.text(), v.variable->name)};
                label = (*v.variable->domain)[*place];
            }
            told_row.seen += fmt::format("{}{} = {}", told_row.seen.empty() ? "" : ", ", v.variable->name, label.text());
            hidden.given.events.push_back(event_equal(v.now, label, Origin::none));
            joint.targets.events.push_back(event_equal(v.next, label, Origin::none));
        }
        const auto add = [&](const Query& filled, double share, std::string text) -> Status {
            if (!(share > 0)) return Done{};
            const auto answer = TRY(next.ask(filled, run));
            told_row.ways.push_back({std::move(text), share, log_of(answer)});
            out.value += share * told_row.ways.back().log;
            return Done{};
        };
        if (open.empty()) {
            if (!joint.targets.events.empty()) TRY(add(joint, 1, ""));
        } else {
            const auto answer = TRY(now.ask(hidden, run));
            const auto* shares = std::get_if<Factor>(&answer.value);
            if (!shares) return Fault{.code = "E-TYPE", .message = "what the rows leave open has no table of probabilities"};
            for (std::size_t i = 0; i < shares->size(); ++i) {
                Query filled = joint;
                std::string text;
                const auto labels = shares->labels(i);
                for (std::size_t k = 0; k < open.size(); ++k) {
                    filled.targets.events.push_back(event_equal(open[k].next, labels[k], Origin::none));
                    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", open[k].variable->name, labels[k].text());
                }
                TRY(add(filled, shares->at(i).real(), std::move(text)));
            }
        }
        out.rows.push_back(std::move(told_row));
    }
    return out;
}

Derivation told(const ExpectedLogLikelihood& q) {
    DerivationWriter out;
    out.formula("Q(h' | h) = sum over the rows x, and over what each leaves open z, of P(z | x, h) * ln P(x, z | h')");
    std::vector<Parts> sums;
    for (std::size_t r = 0; r < q.rows.size() && r < longest_sum; ++r) {
        const auto& row = q.rows[r];
        out.note(fmt::format("{}:", row.seen.empty() ? "nothing seen" : row.seen));
        std::vector<Parts> terms;
        double sum = 0;
        for (const auto& way : row.ways) {
            if (!way.hidden.empty())
                out.note(fmt::format("  {}: P(z | x, h) = {:.6g}, ln P(x, z | h') = {:.6g}", way.hidden, way.share, way.log));
            terms.push_back({Number::real(way.share), std::string(" * "), Number::real(way.log)});
            sum += way.share * way.log;
        }
        if (terms.size() <= longest_sum) out.begin(joined(terms, " + "));
        if (terms.size() <= longest_sum) out.result(Number::real(sum));
        sums.push_back({Number::real(sum)});
    }
    if (q.rows.size() > longest_sum) {
        out.note(fmt::format("… {} rows more", q.rows.size() - longest_sum));
    } else if (sums.size() > 1) {
        out.note("Q, their sum:");
        out.begin(joined(sums, " + "));
        out.result(Number::real(q.value));
    }
    return std::move(out).take();
}

}  // namespace credence::rt
