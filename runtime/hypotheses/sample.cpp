#include <algorithm>

#include <fmt/format.h>

#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/case.hpp"
#include "runtime/prob/models/sampled_column.hpp"

namespace credence::rt {

namespace {

/// Entries in proportion to their numbers.
class EntrySampler {
public:
    explicit EntrySampler(const Factor& f) {
        double running = 0;
        for (const double p : f.doubles()) sums_.push_back(running += p);
    }
    std::size_t draw(Rng& rng) const {
        const double at = rng.uniform() * sums_.back();
        const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
        return static_cast<std::size_t>((found == sums_.end() ? found - 1 : found) - sums_.begin());
    }

private:
    std::vector<double> sums_;
};

void push_digits(std::size_t entry, std::span<const Variable> over, std::vector<std::vector<std::uint32_t>>& rows) {
    for (std::size_t v = over.size(); v-- > 0;) {
        rows[v].push_back(static_cast<std::uint32_t>(entry % over[v].size()));
        entry /= over[v].size();
    }
}

ColumnPtr column_of_numbers(const std::string& name, std::span<const Number> numbers) {
    Column out;
    out.name = name;
    out.kind = ColumnKind::numeric;
    for (const auto& n : numbers) {
        out.values.push_back(n.real());
        out.real = out.real || !n.is_exact();
    }
    return std::make_shared<const Column>(std::move(out));
}

/// Draws of a number-valued outcome that agree with the events on it.
Result<Number> draw_number(const HypothesesCase& c, const Distribution& distribution, Rng& rng, const Run& run) {
    constexpr int tries = 1'000'000;
    constexpr int check_every = 1024;
    const auto& events = c.draws[0].evidence;
    for (const auto& e : events)
        if (e.kind == Event::Kind::atom && e.atom.compare == Compare::equal && e.atom.values[0].is_number())
            return *e.atom.values[0].number();
    for (int t = 0; t < tries; ++t) {
        if (t % check_every == 0 && run.stopped()) return stopped_fault();
        const Outcome outcome = distribution.sample(rng);
        const auto* number = std::get_if<Number>(&outcome);
        if (number == nullptr) break;
        const Label label = Label::of_number(*number);
        const bool agrees =
            std::all_of(events.begin(), events.end(), [&](const Event& e) { return e.kind == Event::Kind::atom && holds(e.atom, label); });
        if (agrees) return *number;
    }
    return Fault{.code = "E-COST", .message = fmt::format("no draw of {} agreed with the evidence on it", c.space->outcome.name)};
}

}  // namespace

Result<TablePtr> sample_space(const HypothesisSpace& space, const Variables& variables, std::size_t n, const Clause& given, Run& run) {
    const CaseLayout layout{.parameters = space.parameters.size(), .inputs = space.inputs.size()};
    // what the language would ask: the parameters and one draw; after a list of observations that draw is a next one
    const bool observed = !given.observations.empty() || !given.data.empty();
    const Slot outcome = observed ? layout.next_outcome() : layout.outcome();
    Query query;
    query.given = given;
    query.targets.free.push_back(static_cast<VarId>(outcome));
    const auto c = TRY(digest(space, variables, query, run));
    const Draw& draw = c.draws[observed ? 1 : 0];

    std::vector<Variable> over = space.parameters;
    std::vector<std::vector<std::uint32_t>> rows(layout.parameters + 1);
    std::vector<Number> numbers;
    if (space.outcome.is_discrete()) {
        for (std::size_t p = 0; p < layout.parameters; ++p)
            query.targets.free.insert(query.targets.free.begin() + static_cast<std::ptrdiff_t>(p), static_cast<VarId>(p));
        const auto joint = TRY(ask_space(space, variables, query, run));
        over.push_back(space.outcome);
        const EntrySampler sampler(std::get<Factor>(joint.value));
        for (std::size_t r = 0; r < n; ++r) push_digits(sampler.draw(run.rng), over, rows);
    } else {
        const auto posterior = TRY(posterior_of(space, variables, given, Origin::none, run));
        const EntrySampler sampler(std::get<Factor>(posterior.value));
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t h = sampler.draw(run.rng);
            push_digits(h, over, rows);
            const auto distribution = TRY(space.outcome_of(h, draw.inputs));
            auto number = TRY(draw_number(c, *distribution, run.rng, run));
            numbers.push_back(std::move(number));
        }
    }
    std::vector<ColumnPtr> columns;
    for (std::size_t v = 0; v < over.size(); ++v) columns.push_back(column_of_values(over[v], rows[v]));
    if (!space.outcome.is_discrete()) columns.push_back(column_of_numbers(space.outcome.name, numbers));
    for (std::size_t k = 0; k < layout.inputs; ++k) {
        const Variable constant{.name = space.inputs[k], .domain = make_domain({draw.inputs[k]})};
        columns.push_back(column_of_values(constant, std::vector<std::uint32_t>(n, 0)));
    }
    return table_of_columns(std::move(columns), n);
}

}  // namespace credence::rt
