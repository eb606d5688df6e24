#include "runtime/latent/hmm_counting.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/latent/hmm_numbers.hpp"
#include "runtime/latent/mixture_counting.hpp"
#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

namespace {

struct SeenCounts {
    std::vector<Rational> start;
    std::vector<std::vector<Rational>> move;
    std::vector<std::vector<Rational>> emit;
};

SeenCounts seen_counts(const Hmm& hmm, const Sequences& data) {
    const std::size_t k = hmm.states->size();
    SeenCounts out;
    out.start.resize(k);
    out.move.assign(k, std::vector<Rational>(k));
    out.emit.assign(k, std::vector<Rational>(hmm.symbols ? hmm.symbols->size() : 0));
    for (std::size_t q = 0; q < data.sequences.size(); ++q) {
        const Sequence& s = data.sequences[q];
        const Rational w = data.weights.empty() ? Rational(1) : Rational::from_decimal(data.weights[q]);
        for (std::size_t t = 0; t < s.size(); ++t) {
            const auto state = static_cast<std::size_t>(s.states[t]);
            (t == 0 ? out.start[state] : out.move[static_cast<std::size_t>(s.states[t - 1])][state]) += w;
            if (hmm.symbols && s.codes[t] >= 0) out.emit[state][static_cast<std::size_t>(s.codes[t])] += w;
        }
    }
    return out;
}

/// Densities of the greatest likelihood for what each state gave, with fractions where there is a rational formula.
Status count_numbers(Hmm& hmm, const TableView& rows, const Sequences& data, const Rational& m, Run& run) {
    const Mixture densities = densities_of(hmm);
    MixtureDataBuilder builder(true);
    std::size_t row = 0;
    for (std::size_t q = 0; q < data.sequences.size(); ++q) {
        const Sequence& s = data.sequences[q];
        const double w = data.weights.empty() ? 1.0 : data.weights[q];
        for (std::size_t t = 0; t < s.size(); ++t, ++row) {
            if (std::isnan(s.values[t])) continue;
            const Number number = data.seen->number(rows.row(row));
            if (builder.add(s.values[t], w, s.states[t]) && number.is_exact()) builder.add_exact(number.exact());
        }
    }
    MixtureData values = std::move(builder).finish(nullptr);
    if (values.exact.size() != values.values.size()) values.exact.clear();
    MixtureParameters found;
    found.weights.assign(hmm.emit.size(), 0);
    found.theta.resize(hmm.emit.size());
    std::vector<double> r(values.values.size());
    for (std::size_t j = 0; j < hmm.emit.size(); ++j) {
        if (!hmm.emit[j].density_has_holes()) continue;
        const std::string state = (*hmm.states)[j].text();
        for (std::size_t v = 0; v < r.size(); ++v) r[v] = values.known[v] == static_cast<std::int32_t>(j) ? values.weights[v] : 0;
        if (std::all_of(r.begin(), r.end(), [](double x) { return x == 0; }))
            return Fault{.code = "E-EMPTY",
                         .message = fmt::format("the state {} was never seen, so its emissions cannot be learned", state)};
        found.theta[j] = most_likely(densities.parts[j], values, r);
        for (std::size_t v = 0; v < r.size(); ++v)
            if (r[v] > 0 && !densities.parts[j].family->covers(values.values[v]))
                return Fault{.code = "E-ZERO",
                             .message = fmt::format("{} gave {}, which a {} never gives", state, label_text(Number::real(values.values[v])),
                                                    densities.parts[j].family->name)};
        if (at_bound(densities.parts[j], values, found.theta[j]) && run.note)
            run.note(fmt::format("all observations of {} are equal: its spread is held at a thousandth of the data's", state));
    }
    return fill_densities(hmm, counted_numbers(densities, values, found, m, run));
}

}  // namespace

Result<Hmm> counted_hmm(const Hmm& hmm, const TableView& rows, const Sequences& data, const Rational& m, Run& run) {
    if (data.hidden_states > 0)
        return Fault{.code = "E-MISSING",
                     .message = state_column(*rows.table)
                                    ? fmt::format("counting needs every state seen, and {} of them {} hidden", data.hidden_states,
                                                  data.hidden_states == 1 ? "is" : "are")
                                    : fmt::format("counting needs the states of {} seen, and the data have no column `state`", hmm.name),
                     .hint = "give a table with the columns state and observation (as `sample n from M` makes), or say by em()"};
    const SeenCounts counts = seen_counts(hmm, data);
    Hmm out = hmm;
    std::size_t unseen = 0;
    const auto shares = [&](const std::vector<Rational>& n) {
        unseen += m.is_zero() && std::all_of(n.begin(), n.end(), [](const Rational& c) { return c.is_zero(); });
        const auto estimates = m_estimates(n, m);
        return std::vector<Number>(estimates.begin(), estimates.end());
    };
    if (out.start.empty()) out.start = shares(counts.start);
    for (std::size_t i = 0; i < out.move.size(); ++i)
        if (out.move[i].empty()) out.move[i] = shares(counts.move[i]);
    for (std::size_t j = 0; j < out.emit.size(); ++j) {
        HmmEmission& e = out.emit[j];
        if (e.hole) {
            e.shares = shares(counts.emit[j]);
            e.hole = false;
        }
    }
    if (!hmm.symbols) TRY(count_numbers(out, rows, data, m, run));
    note_unseen_rows(unseen, run);
    return out;
}

}  // namespace credence::rt
