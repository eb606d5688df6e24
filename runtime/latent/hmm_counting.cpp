#include "runtime/latent/hmm_counting.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

namespace {

struct SeenCounts {
    std::vector<Rational> start;
    std::vector<std::vector<Rational>> move;
    std::vector<std::vector<Rational>> emit;
    // of the numbers that each state gave, less the first of all: far from 0 the squares of reals would drown the spread
    std::optional<Number> centre;
    std::vector<Number> weight;
    std::vector<Number> sum;
    std::vector<Number> squares;
};

SeenCounts seen_counts(const Hmm& hmm, const TableView& rows, const Sequences& data) {
    const std::size_t k = hmm.states->size();
    SeenCounts out;
    out.start.resize(k);
    out.move.assign(k, std::vector<Rational>(k));
    out.emit.assign(k, std::vector<Rational>(hmm.symbols ? hmm.symbols->size() : 0));
    out.weight.resize(k);
    out.sum.resize(k);
    out.squares.resize(k);
    std::size_t row = 0;
    for (std::size_t q = 0; q < data.sequences.size(); ++q) {
        const Sequence& s = data.sequences[q];
        const Rational w = data.weights.empty() ? Rational(1) : Rational::from_decimal(data.weights[q]);
        for (std::size_t t = 0; t < s.size(); ++t, ++row) {
            const auto state = static_cast<std::size_t>(s.states[t]);
            (t == 0 ? out.start[state] : out.move[static_cast<std::size_t>(s.states[t - 1])][state]) += w;
            if (hmm.symbols) {
                if (s.codes[t] >= 0) out.emit[state][static_cast<std::size_t>(s.codes[t])] += w;
            } else if (!std::isnan(s.values[t])) {
                const Number number = data.seen->number(rows.row(row));
                if (!out.centre) out.centre = number;
                const Number x = number - *out.centre;
                out.weight[state] += w;
                out.sum[state] += Number(w) * x;
                out.squares[state] += Number(w) * x * x;
            }
        }
    }
    return out;
}

/// Mean and root of the mean square about it, of what one state gave.
Result<DistributionPtr> counted_normal(const Hmm& hmm, std::size_t state, const SeenCounts& counts, double least_spread, Run& run) {
    const HmmEmission& e = hmm.emit[state];
    const std::string name = (*hmm.states)[state].text();
    if (counts.weight[state].is_zero())
        return Fault{.code = "E-EMPTY", .message = fmt::format("the state {} was never seen, so its emissions cannot be learned", name)};
    const Number off = e.mean ? *e.mean - *counts.centre : counts.sum[state] / counts.weight[state];
    const Number mean = e.mean ? *e.mean : *counts.centre + off;
    if (e.sd) return make_normal(mean, *e.sd);
    const Number variance = (counts.squares[state] - Number(2) * off * counts.sum[state]) / counts.weight[state] + off * off;
    double sd = std::sqrt(std::max(0.0, variance.real()));
    if (sd < least_spread) {
        sd = least_spread;
        if (run.note) run.note(fmt::format("all observations of {} are equal: its spread is held at a thousandth of the data's", name));
    }
    return make_normal(mean, Number::real(sd));
}

/// A thousandth of the spread of all numbers, as in Baum–Welch.
double least_spread_of(const SeenCounts& counts) {
    Number n = 0;
    Number sum = 0;
    Number squares = 0;
    for (std::size_t j = 0; j < counts.weight.size(); ++j) {
        n += counts.weight[j];
        sum += counts.sum[j];
        squares += counts.squares[j];
    }
    if (n.is_zero()) return 1e-3;
    const double variance = (squares / n - sum * sum / (n * n)).real();
    return 1e-3 * (variance > 0 ? std::sqrt(variance) : 1.0);
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
    const SeenCounts counts = seen_counts(hmm, rows, data);
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
        if (e.normal_hole) {
            auto density = TRY(counted_normal(hmm, j, counts, least_spread_of(counts), run));
            e = {};
            e.density = std::move(density);
        }
    }
    note_unseen_rows(unseen, run);
    return out;
}

}  // namespace credence::rt
