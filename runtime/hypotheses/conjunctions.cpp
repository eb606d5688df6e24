#include "runtime/hypotheses/conjunctions.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_listed = 1'000'000;
constexpr std::size_t most_general = 10'000;
constexpr std::size_t most_general_cells = 20'000'000;
constexpr std::size_t most_steps = 5'000'000;

Fault too_many(const Rational& n) {
    return {.code = "E-COST",
            .message = fmt::format("{} hypotheses are too many to list", n.text()),
            .hint = "candidate_elimination counts them without a list; or take fewer columns"};
}

Fault too_general(std::size_t n) {
    return {.code = "E-COST",
            .message = fmt::format("the general boundary has more than {} hypotheses", n),
            .hint = "positive examples first keep it small"};
}

/// Conjunctions between what is allowed, that cover none of the negatives: counted column by column. What matters of the columns to the
/// left is only which negatives they still cover, so equal sets are counted once.
class Counter {
public:
    /// allowed[i]: the values that column i may be constrained to.
    Counter(std::vector<std::vector<std::int32_t>> allowed, const std::vector<Cells>& negatives)
        : allowed_(std::move(allowed)), negatives_(&negatives), free_(allowed_.size() + 1, Rational(1)), seen_(allowed_.size()) {
        for (std::size_t i = allowed_.size(); i-- > 0;)
            free_[i] = free_[i + 1] * Rational(static_cast<std::int64_t>(1 + allowed_[i].size()));
    }
    Result<Rational> count() {
        std::vector<std::uint32_t> all(negatives_->size());
        for (std::uint32_t n = 0; n < all.size(); ++n) all[n] = n;
        Rational out = from(0, all);
        if (steps_ > most_steps)
            return Fault{
                .code = "E-COST", .message = "too many hypotheses remain to be counted", .hint = "more positive examples leave fewer"};
        return out;
    }

private:
    Rational from(std::size_t column, const std::vector<std::uint32_t>& covered) {
        if (covered.empty()) return free_[column];
        if (column == allowed_.size() || ++steps_ > most_steps) return 0;
        if (const auto found = seen_[column].find(covered); found != seen_[column].end()) return found->second;
        Rational out = from(column + 1, covered);
        std::vector<std::uint32_t> rest;
        for (const auto value : allowed_[column]) {
            rest.clear();
            for (const auto n : covered)
                if ((*negatives_)[n][column] == value) rest.push_back(n);
            out += from(column + 1, rest);
        }
        seen_[column].emplace(covered, out);
        return out;
    }

    std::vector<std::vector<std::int32_t>> allowed_;
    const std::vector<Cells>* negatives_;
    std::vector<Rational> free_;
    std::vector<std::map<std::vector<std::uint32_t>, Rational>> seen_;
    std::size_t steps_ = 0;
};

std::size_t constraints(const Cells& cells) {
    return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [](std::int32_t c) { return c != any_value; }));
}

class ConjunctionVersions final : public VersionSpace {
public:
    ConjunctionVersions(const Schema& schema, Boundary boundary, std::vector<Cells> negatives)
        : schema_(schema), boundary_(std::move(boundary)), negatives_(std::move(negatives)) {
        std::sort(negatives_.begin(), negatives_.end());
        negatives_.erase(std::unique(negatives_.begin(), negatives_.end()), negatives_.end());
        empty_ = contains(boundary_.specific(), no_value);
    }
    Result<Rational> size() const override {
        if (boundary_.collapsed()) return Rational(0);
        auto n = Counter(allowed(), negatives_).count();
        if (!n) return n;
        return *n + Rational(empty_ ? 1 : 0);
    }
    Result<Rational> holding(const Cells& instance) const override {
        if (boundary_.collapsed()) return Rational(0);
        auto values = allowed();
        for (std::size_t i = 0; i < values.size(); ++i) std::erase_if(values[i], [&](std::int32_t v) { return v != instance[i]; });
        return Counter(std::move(values), negatives_).count();
    }
    Result<std::vector<Concept>> specific() const override {
        if (boundary_.collapsed()) return std::vector<Concept>{};
        return std::vector<Concept>{{{}, {boundary_.specific()}}};
    }
    Result<std::vector<Concept>> general() const override {
        std::vector<Concept> out;
        for (const auto& g : boundary_.general()) out.push_back({{}, {g}});
        return out;
    }
    Result<std::vector<Concept>> members() const override {
        auto n = TRY(size());
        if (n > Rational(static_cast<std::int64_t>(most_listed))) return too_many(n);
        std::vector<Cells> found;
        if (!boundary_.collapsed()) {
            if (empty_) found.push_back(boundary_.specific());
            Cells cells(schema_.features.size(), any_value);
            collect(allowed(), 0, cells, found);
        }
        std::stable_sort(found.begin(), found.end(), [](const Cells& a, const Cells& b) { return constraints(a) > constraints(b); });
        std::vector<Concept> out;
        for (auto& cells : found) out.push_back({{}, {std::move(cells)}});
        return out;
    }

private:
    /// A column with one value is not constrained: that would make no difference.
    std::vector<std::vector<std::int32_t>> allowed() const {
        std::vector<std::vector<std::int32_t>> out(schema_.features.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto k = static_cast<std::int32_t>(schema_.features[i].domain->size());
            const std::int32_t s = boundary_.specific()[i];
            if (k < 2) continue;
            if (empty_)
                for (std::int32_t v = 0; v < k; ++v) out[i].push_back(v);
            else if (s != any_value)
                out[i].push_back(s);
        }
        return out;
    }
    void collect(const std::vector<std::vector<std::int32_t>>& values, std::size_t column, Cells& cells, std::vector<Cells>& out) const {
        if (column == values.size()) {
            if (std::none_of(negatives_.begin(), negatives_.end(), [&](const Cells& n) { return covers(cells, n); })) out.push_back(cells);
            return;
        }
        for (const auto v : values[column]) {
            cells[column] = v;
            collect(values, column + 1, cells, out);
        }
        // one value: written as S writes it
        const bool single = schema_.features[column].domain->size() == 1 && !empty_;
        cells[column] = single ? boundary_.specific()[column] : any_value;
        collect(values, column + 1, cells, out);
        cells[column] = any_value;
    }

    Schema schema_;
    Boundary boundary_;
    std::vector<Cells> negatives_;
    bool empty_ = false;
};

}  // namespace

void generalise(Cells& conjunction, const Cells& instance) {
    if (contains(conjunction, no_value)) {
        conjunction = instance;
        return;
    }
    for (std::size_t i = 0; i < conjunction.size(); ++i)
        if (conjunction[i] != instance[i]) conjunction[i] = any_value;
}

Boundary::Boundary(const Schema& schema)
    : schema_(&schema), specific_(schema.features.size(), no_value), general_{Cells(schema.features.size(), any_value)} {}

/// The least specialisations of g that leave the negative out and still hold for all positives.
void Boundary::specialise(const Cells& g, const Cells& negative, std::vector<Cells>& out) const {
    const bool empty = contains(specific_, no_value);
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (g[i] != any_value) continue;
        for (std::int32_t v = 0; v < static_cast<std::int32_t>(schema_->features[i].domain->size()); ++v) {
            if (v == negative[i] || (!empty && v != specific_[i])) continue;
            if (out.size() * g.size() > most_general_cells) return;  // refused by the caller
            Cells h = g;
            h[i] = v;
            out.push_back(std::move(h));
        }
    }
}

Status Boundary::add(const ConceptExample& example, const Run& run) {
    if (example.positive) {
        std::erase_if(general_, [&](const Cells& g) { return !covers(g, example.cells); });
        generalise(specific_, example.cells);
        return Done{};
    }
    std::vector<Cells> next;
    for (const auto& g : general_) {
        if (covers(g, example.cells))
            specialise(g, example.cells, next);
        else
            next.push_back(g);
        if (next.size() * g.size() > most_general_cells) return too_general(next.size());
        if (run.stopped()) return stopped_fault();
    }
    // Where every instance of a conjunction was negative, ∅ is left as long as there was no positive.
    if (next.empty() && !general_.empty() && contains(specific_, no_value)) next.push_back(specific_);
    std::vector<Cells> kept;
    for (std::size_t a = 0; a < next.size(); ++a) {
        if (run.stopped()) return stopped_fault();
        bool maximal = true;
        for (std::size_t b = 0; b < next.size() && maximal; ++b)
            maximal = a == b || !more_general(next[b], next[a]) || (next[a] == next[b] && a < b);
        if (maximal) kept.push_back(next[a]);
        if (kept.size() > most_general) return too_general(most_general);
    }
    general_ = std::move(kept);
    return Done{};
}

Rational Conjunctions::size() const {
    Rational out = 1;
    for (const auto& f : schema_.features)
        out *= f.domain->size() > 1 ? Rational(static_cast<std::int64_t>(f.domain->size() + 1)) : Rational(1);
    return out + Rational(1);
}

Rational Conjunctions::syntactic() const {
    Rational out = 1;
    for (const auto& f : schema_.features) out *= Rational(static_cast<std::int64_t>(f.domain->size() + 2));
    return out;
}

Result<Number> Conjunctions::weight(const Concept& hypothesis) const {
    if (settings_.prior == ConceptPrior::uniform) return Number(1);
    if (settings_.prior == ConceptPrior::given) return settings_.weight(hypothesis);
    const Cells& cells = hypothesis.terms[0];
    const bool empty = contains(cells, no_value);
    return Number(Rational(2).pow(static_cast<std::int64_t>(empty ? cells.size() + 1 : constraints(cells))));
}

Result<VersionSpacePtr> Conjunctions::version_space(std::span<const ConceptExample> examples, const Run& run) const {
    Boundary boundary(schema_);
    std::vector<Cells> negatives;
    for (const auto& e : examples) {
        if (run.stopped()) return stopped_fault();
        if (!e.positive) negatives.push_back(e.cells);
        TRY(boundary.add(e, run));
    }
    return VersionSpacePtr(std::make_shared<const ConjunctionVersions>(schema_, std::move(boundary), std::move(negatives)));
}

}  // namespace credence::rt
