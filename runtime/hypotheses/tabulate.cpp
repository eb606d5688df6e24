#include <algorithm>
#include <unordered_set>

#include "runtime/prob/declared/hypotheses.hpp"

namespace credence::rt {

Status tabulate(HypothesisSpace& space, std::vector<DistributionPtr> outcomes) {
    // Masses of counts cost a calculation each: beyond this many, only those of what is observed are worth it.
    constexpr std::size_t most_counts = 20'000;
    std::vector<Label> labels;
    std::unordered_set<std::string> seen;
    bool finite = true;
    std::size_t counts = 0;
    for (const auto& d : outcomes) {
        const auto values = d->finite_values();
        counts += values && d->support() != Support::labels ? values->size() : 0;
        if (!values || counts > most_counts) {
            finite = false;
            break;
        }
        for (const auto& label : values->labels())
            if (seen.insert(label.text()).second) labels.push_back(label);
        if (labels.size() > 100'000) return Fault{.code = "E-COST", .message = "the outcome has more than 100,000 values"};
    }
    if (!finite) {
        space.outcome_of = [outcomes = std::move(outcomes)](std::size_t h, std::span<const Label>) -> Result<DistributionPtr> {
            return outcomes[h];
        };
        return Done{};
    }
    if (std::all_of(labels.begin(), labels.end(), [](const Label& l) { return l.is_number(); })) std::sort(labels.begin(), labels.end());
    space.outcome.domain = make_domain(std::move(labels));
    space.table.assign(outcomes.size() * space.outcome.size(), Number(0));
    for (std::size_t h = 0; h < outcomes.size(); ++h) {
        const Distribution& d = *outcomes[h];
        const DomainPtr values = d.finite_values();
        for (const auto& label : values->labels()) {
            const bool by_number = d.support() != Support::labels && label.number();
            auto p = TRY(d.pdf(by_number ? Outcome(*label.number()) : Outcome(label)));
            space.table[h * space.outcome.size() + *space.outcome.domain->find(label)] = std::move(p);
        }
    }
    return Done{};
}

}  // namespace credence::rt
