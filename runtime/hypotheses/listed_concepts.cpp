#include "runtime/hypotheses/listed_concepts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include "runtime/core/json.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

Result<bool> agrees(const ConceptSpace& space, const Concept& hypothesis, const ConceptExample& example) {
    auto held = space.holds(hypothesis, example.cells);
    if (!held) return held;
    return *held == example.positive;
}

/// Members as a list.
class ListedVersions final : public VersionSpace {
public:
    ListedVersions(std::shared_ptr<const ConceptSpace> space, std::vector<Concept> members)
        : space_(std::move(space)), members_(std::move(members)) {}
    Result<Rational> size() const override { return Rational(static_cast<std::int64_t>(members_.size())); }
    Result<Rational> holding(const Cells& instance) const override {
        std::int64_t n = 0;
        for (const auto& h : members_) {
            auto held = TRY(space_->holds(h, instance));
            n += held ? 1 : 0;
        }
        return Rational(n);
    }
    Result<std::vector<Concept>> specific() const override {
        auto b = TRY(boundaries_of(*space_, members_));
        return std::move(b.specific);
    }
    Result<std::vector<Concept>> general() const override {
        auto b = TRY(boundaries_of(*space_, members_));
        return std::move(b.general);
    }
    Result<std::vector<Concept>> members() const override { return members_; }

private:
    std::shared_ptr<const ConceptSpace> space_;
    std::vector<Concept> members_;
};

/// A space that is a list from the start.
class ListedSpace : public ConceptSpace, public std::enable_shared_from_this<ListedSpace> {
public:
    ListedSpace(ConceptSchema concepts, std::vector<Concept> all, ConjunctionSettings settings)
        : ConceptSpace(std::move(concepts)), all_(std::move(all)), settings_(std::move(settings)) {}
    const Number& noise() const override { return settings_.noise; }
    bool is_uniform() const override { return settings_.prior == ConceptPrior::uniform; }
    Result<Number> weight(const Concept& hypothesis) const override {
        if (settings_.prior == ConceptPrior::given) return settings_.weight(hypothesis);
        return Number(1);
    }
    Result<VersionSpacePtr> version_space(std::span<const ConceptExample> examples, const Run& run) const override {
        std::vector<Concept> left;
        for (const auto& h : all_) {
            if (run.stopped()) return stopped_fault();
            bool consistent = true;
            for (std::size_t e = 0; e < examples.size() && consistent; ++e) { consistent = TRY(agrees(*this, h, examples[e])); }
            if (consistent) left.push_back(h);
        }
        return VersionSpacePtr(std::make_shared<const ListedVersions>(shared_from_this(), std::move(left)));
    }

protected:
    std::vector<Concept> all_;
    ConjunctionSettings settings_;
};

class Disjunctions final : public ListedSpace {
public:
    Disjunctions(ConceptSchema concepts, std::size_t k, std::vector<Concept> all, ConjunctionSettings settings)
        : ListedSpace(std::move(concepts), std::move(all), std::move(settings)), k_(k) {}
    std::string_view kind() const override { return "disjunctions"; }
    Result<Json> save() const override {
        auto out = saved_space(*this, settings_);
        if (out) out->set("terms", k_);
        return out;
    }

private:
    std::size_t k_;
};

class Predicates final : public ListedSpace {
public:
    using Functions = std::map<std::string, std::function<Result<bool>(std::span<const Label>)>>;
    Predicates(ConceptSchema concepts, std::vector<Concept> all, Functions by_name, ConjunctionSettings settings)
        : ListedSpace(std::move(concepts), std::move(all), std::move(settings)), by_name_(std::move(by_name)) {}
    std::string_view kind() const override { return "predicates"; }
    Result<bool> holds(const Concept& hypothesis, const Cells& instance) const override {
        std::vector<Label> values;
        for (std::size_t i = 0; i < instance.size(); ++i)
            values.push_back((*schema_.features[i].domain)[static_cast<std::size_t>(instance[i])]);
        return by_name_.at(hypothesis.name)(values);
    }
    ConceptSpacePtr over(const Schema& wider) const override {
        return std::make_shared<const Predicates>(ConceptSchema{wider, positive_}, all_, by_name_, settings_);
    }
    Result<Json> save() const override {
        return Fault{.code = "E-FILE", .message = "hypotheses that are functions of the script cannot be saved"};
    }

private:
    Functions by_name_;
};

/// All subsets: what was seen is decided, each other instance is in half of them.
class PowersetVersions final : public VersionSpace {
public:
    PowersetVersions(const Schema& schema, std::set<Cells> positive, std::set<Cells> negative, bool collapsed)
        : schema_(schema), positive_(std::move(positive)), negative_(std::move(negative)), collapsed_(collapsed) {}
    Result<Rational> size() const override {
        if (collapsed_) return Rational(0);
        constexpr std::int64_t most_bits = 1'000'000;
        const auto open = (instance_count(schema_) - Rational(static_cast<std::int64_t>(positive_.size() + negative_.size()))).to_int64();
        if (!open || *open > most_bits)
            return Fault{.code = "E-COST", .message = "there are too many instances: the number of their subsets is too large to print"};
        return Rational(2).pow(*open);
    }
    Result<Rational> holding(const Cells& instance) const override {
        auto all = size();
        if (!all) return all;
        if (positive_.contains(instance)) return all;
        if (negative_.contains(instance)) return Rational(0);
        return *all / Rational(2);
    }
    Result<std::vector<Concept>> specific() const override {
        if (collapsed_) return std::vector<Concept>{};
        return std::vector<Concept>{{{}, {positive_.begin(), positive_.end()}}};
    }
    Result<std::vector<Concept>> general() const override {
        if (collapsed_) return std::vector<Concept>{};
        Concept all;
        TRY(each_instance(schema_, [&](const Cells& x) {
            if (!negative_.contains(x)) all.terms.push_back(x);
            return true;
        }));
        return std::vector<Concept>{std::move(all)};
    }
    Result<std::vector<Concept>> members() const override {
        auto n = TRY(size());
        if (n > Rational(1 << 16)) return Fault{.code = "E-COST", .message = fmt::format("{} hypotheses are too many to list", n.text())};
        if (collapsed_) return std::vector<Concept>{};
        std::vector<Cells> open;
        TRY(each_instance(schema_, [&](const Cells& x) {
            if (!negative_.contains(x) && !positive_.contains(x)) open.push_back(x);
            return true;
        }));
        std::vector<std::uint32_t> order(std::size_t{1} << open.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return std::popcount(a) < std::popcount(b); });
        std::vector<Concept> out;
        for (const auto bits : order) {
            Concept h{{}, {positive_.begin(), positive_.end()}};
            for (std::size_t i = 0; i < open.size(); ++i)
                if (bits >> i & 1U) h.terms.push_back(open[i]);
            std::sort(h.terms.begin(), h.terms.end());
            out.push_back(std::move(h));
        }
        return out;
    }

private:
    Schema schema_;
    std::set<Cells> positive_;
    std::set<Cells> negative_;
    bool collapsed_;
};

class Powerset final : public ConceptSpace {
public:
    using ConceptSpace::ConceptSpace;
    std::string_view kind() const override { return "powerset"; }
    const Number& noise() const override { return none_; }
    bool is_uniform() const override { return true; }
    Result<Number> weight(const Concept&) const override { return Number(1); }
    Result<VersionSpacePtr> version_space(std::span<const ConceptExample> examples, const Run&) const override {
        std::set<Cells> positive;
        std::set<Cells> negative;
        for (const auto& e : examples) (e.positive ? positive : negative).insert(e.cells);
        const bool collapsed = std::any_of(positive.begin(), positive.end(), [&](const Cells& x) { return negative.contains(x); });
        return VersionSpacePtr(std::make_shared<const PowersetVersions>(schema_, std::move(positive), std::move(negative), collapsed));
    }
    Result<Json> save() const override { return saved_space(*this, {}); }

private:
    Number none_ = 0;
};

}  // namespace

Result<ConceptSpacePtr> make_disjunctions(ConceptSchema concepts, std::size_t k, ConjunctionSettings settings) {
    constexpr double most_unions = 2e6;
    constexpr std::int64_t most_instances = 4096;
    const Conjunctions single(concepts, {});
    const Rational instances = instance_count(concepts.schema);
    const Rational n = single.size();
    if (instances > Rational(most_instances) ||
        std::pow(n.to_double(), static_cast<double>(k)) > most_unions * std::exp(log_gamma(static_cast<double>(k) + 1)))
        return Fault{
            .code = "E-COST",
            .message = fmt::format("{} conjunctions over {} instances are too many for disjunctions of {}", n.text(), instances.text(), k),
            .hint = "fewer columns, or a smaller k"};
    const Run run;
    auto whole = TRY(single.version_space({}, run));
    auto terms = TRY(whole->members());
    using Bits = std::vector<std::uint64_t>;
    std::vector<Cells> all;
    TRY(each_instance(concepts.schema, [&](const Cells& x) {
        all.push_back(x);
        return true;
    }));
    std::vector<Bits> sets;
    for (const auto& t : terms) {
        Bits bits((all.size() + 63) / 64, 0);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (covers(t.terms[0], all[i])) bits[i / 64] |= std::uint64_t{1} << (i % 64);
        sets.push_back(std::move(bits));
    }
    // Fewest terms first: a union that fewer terms make is not written with more.
    std::map<Bits, Concept> found;
    std::vector<std::map<Bits, Concept>::const_iterator> last;
    for (std::size_t t = 0; t < sets.size(); ++t) last.push_back(found.emplace(sets[t], terms[t]).first);
    for (std::size_t size = 2; size <= k; ++size) {
        std::vector<std::map<Bits, Concept>::const_iterator> next;
        for (const auto& at : last)
            for (std::size_t t = 0; t < sets.size(); ++t) {
                Bits both = at->first;
                for (std::size_t w = 0; w < both.size(); ++w) both[w] |= sets[t][w];
                if (found.contains(both)) continue;
                Concept h = at->second;
                h.terms.push_back(terms[t].terms[0]);
                next.push_back(found.emplace(std::move(both), std::move(h)).first);
            }
        last = std::move(next);
    }
    std::vector<std::pair<std::size_t, const Concept*>> order;
    for (const auto& [bits, h] : found) {
        std::size_t held = 0;
        for (const auto word : bits) held += static_cast<std::size_t>(std::popcount(word));
        order.emplace_back(held, &h);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second->terms < b.second->terms;
    });
    std::vector<Concept> listed;
    for (const auto& [held, h] : order) listed.push_back(*h);
    return ConceptSpacePtr(std::make_shared<const Disjunctions>(std::move(concepts), k, std::move(listed), std::move(settings)));
}

ConceptSpacePtr make_powerset(ConceptSchema concepts) { return std::make_shared<const Powerset>(std::move(concepts)); }

Result<ConceptSpacePtr> make_predicates(ConceptSchema concepts, std::vector<Predicate> predicates, ConjunctionSettings settings) {
    std::vector<Concept> all;
    for (const auto& p : predicates) {
        if (std::any_of(all.begin(), all.end(), [&](const Concept& h) { return h.name == p.name; }))
            return Fault{.code = "E-ARGUMENT", .message = fmt::format("two hypotheses are named {}", p.name)};
        all.push_back({p.name, {}});
    }
    if (all.empty()) return Fault{.code = "E-EMPTY", .message = "there is no hypothesis in the list"};
    Predicates::Functions by_name;
    for (auto& p : predicates) by_name.emplace(p.name, std::move(p.holds));
    return ConceptSpacePtr(
        std::make_shared<const Predicates>(std::move(concepts), std::move(all), std::move(by_name), std::move(settings)));
}

Result<VersionSpacePtr> eliminate_listed(ConceptSpacePtr space, std::span<const ConceptExample> examples, const Run& run,
                                         std::vector<std::size_t>* left_after) {
    auto whole = space->version_space({}, run);
    if (!whole) return whole;
    auto left = TRY((*whole)->members());
    for (const auto& e : examples) {
        std::vector<Concept> next;
        for (auto& h : left) {
            auto same = TRY(agrees(*space, h, e));
            if (same) next.push_back(std::move(h));
        }
        left = std::move(next);
        if (left_after) left_after->push_back(left.size());
        if (run.stopped()) return stopped_fault();
    }
    return VersionSpacePtr(std::make_shared<const ListedVersions>(std::move(space), std::move(left)));
}

}  // namespace credence::rt
