// Models that predict a number: the distribution of the target for one row, its events, and the density of rows of data.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/models/features_given.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/independent_rows.hpp"

namespace credence::rt {

namespace {

/// Whether an event about one real number holds there; nothing of it is a single value.
bool holds_at(const Event& event, double x) {
    const auto here = [x](const Event& part) { return holds_at(part, x); };
    switch (event.kind) {
        case Event::Kind::all:
            return std::all_of(event.parts.begin(), event.parts.end(), here);
        case Event::Kind::any:
            return std::any_of(event.parts.begin(), event.parts.end(), here);
        case Event::Kind::negation:
            return !here(event.parts[0]);
        case Event::Kind::atom:
            break;
    }
    const double bound = event.atom.values[0].number()->real();
    const bool below = event.atom.compare == Compare::less || event.atom.compare == Compare::less_equal;
    return below ? x < bound : x > bound;
}

/// The numbers at which the truth of an event changes; an atom that is not a bound is given back.
const Atom* collect_bounds(const Event& event, std::vector<Number>& bounds) {
    for (const auto& part : event.parts)
        if (const Atom* other = collect_bounds(part, bounds)) return other;
    if (event.kind != Event::Kind::atom) return nullptr;
    const Atom& atom = event.atom;
    const bool ordered = atom.compare != Compare::equal && atom.compare != Compare::not_equal && atom.compare != Compare::one_of;
    if (!ordered || !atom.values[0].number()) return &atom;
    bounds.push_back(*atom.values[0].number());
    return nullptr;
}

/// P(all of them) of a real number, piece by piece between its bounds.
Result<Number> mass_within(const Distribution& distribution, std::vector<Number> bounds, const std::vector<Event>& events) {
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    Number total = 0;
    for (std::size_t k = 0; k <= bounds.size(); ++k) {
        const Number* low = k == 0 ? nullptr : &bounds[k - 1];
        const Number* high = k == bounds.size() ? nullptr : &bounds[k];
        const double inside = low && high ? 0.5 * (low->real() + high->real())
                              : low       ? low->real() + 1 + std::abs(low->real())
                                          : high->real() - 1 - std::abs(high->real());
        if (!std::all_of(events.begin(), events.end(), [&](const Event& e) { return holds_at(e, inside); })) continue;
        auto mass = mass_between(distribution, low, high);
        if (!mass) return mass;
        total += *mass;
    }
    return total;
}

/// The distribution of the target under the evidence.
Result<DistributionPtr> target_given(const Regressor& model, const Query& query, Run& run) {
    const auto row = TRY(model.row_of_evidence(query));
    const TableView view{.table = &row, .rows = {}};
    TRY(model.check_cells(view));
    TRY(model.check_given(view, features_given(model.schema(), query.given)));
    return model.distribution(view, run);
}

/// The density of a row's target given its features.
Result<Answer> density_of_row(const Regressor& model, const Query& row, Run& run) {
    const Atom& seen = row.targets.events[0].atom;
    const Schema& schema = model.schema();
    if (row.targets.events.size() > 1 || index(seen.variable) != schema.features.size())
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("a {} knows the density of {} only", model.kind(), schema.target.name),
                     .origin = row.origin,
                     .hint = fmt::format("give the other columns after the bar: P({} = […] | …)", schema.target.name)};
    const auto spread = TRY(target_given(model, row, run));
    Answer out;
    out.engine = model.kind();
    out.exact = false;
    out.log = spread->log_pdf(Outcome(*seen.values[0].number()));
    out.value = Number::real(std::exp(*out.log));
    return out;
}

}  // namespace

Attempt<Rational> Regressor::exact_prediction(const TableView&, Run&) const { return not_applicable; }

Result<DistributionPtr> Regressor::distribution(const TableView&, Run&) const {
    return Fault{.code = "E-QUERY",
                 .message = fmt::format("a {} predicts a number, but not its distribution", kind()),
                 .hint = "predict(model, …) gives the number"};
}

Result<Answer> Regressor::ask(const Query& query, Run& run) const {
    const VarId target = static_cast<VarId>(schema_.features.size());
    if (asks_for_rows(query)) return ask_rows(*this, query, run, target, [&](const Query& row) { return density_of_row(*this, row, run); });
    const bool free = query.targets.free.size() == 1 && query.targets.free[0] == target && query.targets.events.empty();
    const auto of_target = [&](const Event& e) { return variables_of(e) == std::vector{target}; };
    const bool event = query.targets.free.empty() && !query.targets.events.empty() &&
                       std::all_of(query.targets.events.begin(), query.targets.events.end(), of_target);
    if (!free && !event)
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("a {} answers P({} | …), or P of events such as {} < 1", kind(), schema_.target.name,
                                            schema_.target.name),
                     .origin = query.origin};
    const auto d = TRY(target_given(*this, query, run));
    Answer answer;
    answer.engine = kind();
    answer.exact = false;
    if (free) {
        answer.value = d;
        return answer;
    }
    std::vector<Number> bounds;
    for (const auto& e : query.targets.events)
        if (const Atom* atom = collect_bounds(e, bounds))
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("{} is real-valued: a single value has probability 0", schema_.target.name),
                         .origin = atom->origin,
                         .hint = "ask for a range, such as " + schema_.target.name + " < 1, or for the density: pdf(P(…), x)"};
    answer.value = TRY(mass_within(*d, std::move(bounds), query.targets.events));
    return answer;
}

Result<Derivation> Regressor::explain_prediction(const TableView& rows, Run& run) const {
    double value = 0;
    TRY(predict(rows, std::span(&value, 1), run));
    DerivationWriter out;
    out.note(fmt::format("{} = {:.6g}", schema_.target.name, value));
    return std::move(out).take();
}

}  // namespace credence::rt
