#include "runtime/continuous/exact/event_mass.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/exact/orders.hpp"
#include "runtime/continuous/exact/plane.hpp"
#include "runtime/continuous/exact/regions.hpp"
#include "runtime/core/contains.hpp"

namespace credence::rt::continuous {

namespace {

class EventMass {
public:
    EventMass(const Unrolled& problem, const Allowed& allowed, const Run& run) : problem_(problem), allowed_(allowed), run_(run) {}

    Attempt<Number> operator()(const Component& component, const Subproblem& subproblem, Posterior& posterior,
                               const std::map<VarId, Label>& labels, bool all) const {
        if (!subproblem.conditions.empty()) return on_plane(component, subproblem, posterior, labels, all);
        std::vector<const Event*> events;
        std::map<std::string, Compared> compared;  // by the text of the term
        for (const auto e : component.events) {
            const auto& event = problem_.real_events[e];
            if (!event.evidence && !all) continue;
            events.push_back(&event.event);
            for (const auto id : variables_of(event.event)) {
                if (problem_.net->variables[index(id)].variable.is_discrete()) continue;
                const Term here = with_labels(problem_.of_variable[index(id)], labels);
                if (!here->has_variables) continue;
                auto& own = compared.try_emplace(term_key(here), Compared{here}).first->second;
                collect_marks(event.event, id, own.marks);
            }
        }
        if (events.empty()) return Number(1);
        const auto label = [&](VarId id) {
            const VarId v = problem_.of_variable[index(id)]->variable;
            const auto& value = problem_.instances[index(v)].value;
            return value ? std::get<Label>(*value) : labels.at(v);
        };
        const auto truth = [&](const std::function<double(const Term&)>& value) {
            const auto number = [&](VarId id) {
                const Term here = with_labels(problem_.of_variable[index(id)], labels);
                return here->has_variables ? value(here) : here->value.real();
            };
            return std::all_of(events.begin(), events.end(),
                               [&](const Event* e) { return holds_with(*e, problem_.net->variables, number, label); });
        };
        if (compared.empty()) return Number(truth([](const Term&) { return 0.0; }) ? 1 : 0);
        Attempt<Number> mass = not_applicable;
        if (compared.size() == 1) {
            const auto& only = compared.begin()->second;
            mass = mass_of(posterior, only.term, only.marks, [&](double x) { return truth([x](const Term&) { return x; }); });
        } else if (const auto from = common_variable(compared)) {
            mass = on_one_line(*from, compared, posterior, truth);
        } else {
            mass = by_cells(compared, subproblem, posterior, truth);
        }
        if (mass.is_applicable()) return mass;
        return on_plane(component, subproblem, posterior, labels, all);
    }

private:
    /// A term that events speak of, and the numbers it is compared with.
    struct Compared {
        Term term;
        std::vector<Number> marks = {};
    };

    /// By an integral over one number or two.
    Attempt<Number> on_plane(const Component& component, const Subproblem& subproblem, Posterior& posterior,
                             const std::map<VarId, Label>& labels, bool all) const {
        if (!allowed_.quadrature) return not_applicable;
        const Term condition = condition_of(problem_, component, subproblem, labels, all);
        const auto on = on_axes(subproblem, posterior, std::span(&condition, 1), run_);
        if (!on) {
            const auto ordered = mass_by_order(subproblem, posterior, condition);
            if (!ordered) return not_applicable;
            posterior.engine = std::max(posterior.engine, Engine::quadrature);
            return Number::real(*ordered);
        }
        const Number mass = mass_on(*on, on->terms[0]);
        if (mass.is_nan()) return not_applicable;
        if (on->axes.size() == 2) posterior.engine = std::max(posterior.engine, Engine::quadrature);
        if (!on->axes.empty()) {
            const auto name = [&](VarId v) { return problem_.name(v); };
            posterior.integrals.push_back(fmt::format("{} = {:.6g}", integral_words(*on, term_text(condition, name)), mass.real()));
        }
        return mass;
    }

    using Truth = std::function<bool(const std::function<double(const Term&)>&)>;

    /// The one number that all the terms are functions of.
    static std::optional<VarId> common_variable(const std::map<std::string, Compared>& compared) {
        std::optional<VarId> out;
        for (const auto& [key, own] : compared) {
            const auto from = variables_of(own.term);
            if (from.size() != 1 || (out && *out != from[0])) return std::nullopt;
            out = from[0];
        }
        return out;
    }

    static Attempt<Number> on_one_line(VarId from, const std::map<std::string, Compared>& compared, const Posterior& posterior,
                                       const Truth& truth) {
        const DistributionPtr parent = marginal_of(posterior, variable_term(from));
        if (!parent) return not_applicable;
        std::vector<Curve> curves;
        for (const auto& [key, own] : compared)
            curves.push_back({[term = own.term](double x) { return evaluate(term, [x](const TermNode&) { return x; }); }, own.marks});
        auto mass = TRY(mass_of_region(*parent, curves, [&](double x) {
            return truth([x](const Term& term) { return evaluate(term, [x](const TermNode&) { return x; }); });
        }));
        return mass;
    }

    /// Terms over numbers that are independent of each other: each line falls into cells between the marks, and a combination of cells
    /// has the product of their probabilities.
    static Attempt<Number> by_cells(const std::map<std::string, Compared>& compared, const Subproblem& subproblem,
                                    const Posterior& posterior, const Truth& truth) {
        constexpr std::size_t most_cells = 4096;
        const auto pieces = connected(subproblem);
        std::vector<std::size_t> used;
        struct Cell {
            double inside = 0;
            Number mass;
        };
        std::vector<std::pair<std::string, std::vector<Cell>>> lines;
        std::size_t combinations = 1;
        for (const auto& [key, own] : compared) {
            const auto from = variables_of(own.term);
            for (std::size_t k = 0; k < pieces.size(); ++k) {
                const auto& latents = pieces[k].latents;
                const bool here =
                    std::any_of(from.begin(), from.end(), [&](VarId v) { return std::binary_search(latents.begin(), latents.end(), v); });
                if (!here) continue;
                if (contains(used, k)) return not_applicable;
                used.push_back(k);
            }
            std::vector<double> marks;
            for (const auto& mark : own.marks) marks.push_back(mark.real());
            std::sort(marks.begin(), marks.end());
            marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
            std::vector<Cell> cells;
            for (std::size_t k = 0; k <= 2 * marks.size(); ++k) {
                const double low = k / 2 == 0 ? -INFINITY : marks[k / 2 - 1];
                const double high = k / 2 == marks.size() ? INFINITY : marks[k / 2];
                const bool point = k % 2 == 1;  // the mark itself: of counts it has a probability
                auto mass = TRY(mass_of(posterior, own.term, own.marks, [&](double x) { return point ? x == high : x > low && x < high; }));
                const double inside = point                                         ? high
                                      : !std::isfinite(low) && !std::isfinite(high) ? 0
                                      : !std::isfinite(low)                         ? high - 1 - std::abs(high)
                                      : !std::isfinite(high)                        ? low + 1 + std::abs(low)
                                                                                    : 0.5 * (low + high);
                cells.push_back({inside, std::move(mass)});
            }
            combinations *= cells.size();
            if (combinations > most_cells) return not_applicable;
            lines.emplace_back(key, std::move(cells));
        }
        Number total = 0;
        for (std::size_t c = 0; c < combinations; ++c) {
            std::map<std::string, double> at;
            Number mass = 1;
            std::size_t rest = c;
            for (const auto& [key, cells] : lines) {
                const auto& cell = cells[rest % cells.size()];
                rest /= cells.size();
                at[key] = cell.inside;
                mass = mass * cell.mass;
            }
            if (truth([&](const Term& term) { return at.at(term_key(term)); })) total += mass;
        }
        return total > Number(1) ? Number(1) : total;
    }

    static void collect_marks(const Event& event, VarId of, std::vector<Number>& out) {
        if (event.kind == Event::Kind::atom && event.atom.variable == of)
            for (const auto& value : event.atom.values)
                if (value.number()) out.push_back(*value.number());
        for (const auto& part : event.parts) collect_marks(part, of, out);
    }

    static std::string term_key(const Term& term) {
        return term_text(term, [](VarId v) { return fmt::format("v{}", index(v)); });
    }

    const Unrolled& problem_;
    const Allowed& allowed_;
    const Run& run_;
};

}  // namespace

Attempt<Number> event_mass(const Unrolled& problem, const Component& component, const Subproblem& subproblem, Posterior& posterior,
                           const std::map<VarId, Label>& labels, bool all, const Allowed& allowed, const Run& run) {
    return EventMass(problem, allowed, run)(component, subproblem, posterior, labels, all);
}

}  // namespace credence::rt::continuous
