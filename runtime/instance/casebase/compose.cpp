#include "runtime/instance/casebase/compose.hpp"

#include <algorithm>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t choices_a_step = 4;
constexpr std::size_t most_choices = 2'000;

using Influence = FunctionGraph::Influence;

bool has(const std::vector<Influence>& list, const Influence& arc) { return contains(list, arc); }

class Composer {
public:
    Composer(const CaseLibrary& library, const FunctionGraph& goal, RetrieveOptions options, std::size_t most_pieces, Run& run)
        : library_(library),
          goal_(goal),
          options_(std::move(options)),
          most_pieces_(most_pieces),
          run_(run),
          wanted_(goal.influences.size(), 1) {
        options_.consistent = true;
        options_.top = choices_a_step;
        for (std::size_t a = 0; a < wanted_.size(); ++a) best_.open.push_back(a);
    }
    Result<Composition> compose() {
        TRY(extend());
        best_.tried = tried_;
        return std::move(best_);
    }

private:
    Status extend() {
        std::vector<std::size_t> open;
        for (std::size_t a = 0; a < wanted_.size(); ++a)
            if (wanted_[a]) open.push_back(a);
        if (open.size() < best_.open.size() || (open.size() == best_.open.size() && pieces_.size() < best_.pieces.size())) {
            best_.pieces = pieces_;
            best_.open = open;
            best_.side_effects = effects_;
        }
        if (open.empty() || pieces_.size() == most_pieces_ || tried_ >= most_choices) return Done{};
        if (best_.open.empty() && pieces_.size() + 1 >= best_.pieces.size()) return Done{};
        auto found = TRY(retrieve(library_, goal_, options_, run_, wanted_));
        // Of two cases that cover as much, the one that brings less besides.
        const auto spare = [&](const Hit& hit) { return library_.cases[hit.place].function->influences.size() - hit.arcs.size(); };
        std::stable_sort(found.hits.begin(), found.hits.end(), [&](const Hit& a, const Hit& b) {
            if (a.score != b.score) return b.score < a.score;
            return std::pair(a.rewrites.size(), spare(a)) < std::pair(b.rewrites.size(), spare(b));
        });
        for (const auto& hit : found.hits) {
            ++tried_;
            // A full cover by as few pieces is not improved by one more that leaves something open.
            if (best_.open.empty() && pieces_.size() + 1 >= best_.pieces.size()) break;
            const auto brought = side_effects(hit);
            if (!fits(brought)) continue;
            const std::size_t before = effects_.size();
            effects_.insert(effects_.end(), brought.begin(), brought.end());
            for (const auto a : hit.arcs) wanted_[a] = 0;
            pieces_.push_back(hit);
            Status done = extend();
            if (!done) return done;
            pieces_.pop_back();
            for (const auto a : hit.arcs) wanted_[a] = 1;
            effects_.resize(before);
        }
        return Done{};
    }
    std::vector<Influence> side_effects(const Hit& hit) const {
        std::vector<Influence> out;
        for (const auto& arc : mapped_influences(*library_.cases[hit.place].function, goal_, hit))
            if (!has(goal_.influences, arc) && !has(effects_, arc) && !has(out, arc)) out.push_back(arc);
        return out;
    }
    bool fits(const std::vector<Influence>& brought) const {
        return std::none_of(brought.begin(), brought.end(), [&](const Influence& a) {
            const Influence opposite{a.from, a.to, -a.sign};
            return has(effects_, opposite) || has(goal_.influences, opposite);
        });
    }

    const CaseLibrary& library_;
    const FunctionGraph& goal_;
    RetrieveOptions options_;
    std::size_t most_pieces_;
    Run& run_;
    std::vector<char> wanted_;
    std::vector<Hit> pieces_;
    std::vector<Influence> effects_;
    std::size_t tried_ = 0;
    Composition best_;
};

}  // namespace

std::vector<Influence> mapped_influences(const FunctionGraph& stored, const FunctionGraph& goal, const Hit& hit) {
    const auto place = [&](std::size_t q) -> std::optional<std::size_t> {
        for (const auto& [from, to] : hit.mapping)
            if (from == stored.quantities[q].name)
                for (std::size_t g = 0; g < goal.quantities.size(); ++g)
                    if (goal.quantities[g].name == to) return g;
        return std::nullopt;
    };
    std::vector<Influence> out;
    for (const auto& a : stored.influences) {
        const auto from = place(a.from);
        const auto to = place(a.to);
        if (from && to) out.push_back({*from, *to, a.sign});
    }
    return out;
}

Result<Composition> compose(const CaseLibrary& library, const FunctionGraph& goal, RetrieveOptions options, std::size_t most_pieces,
                            Run& run) {
    return Composer(library, goal, std::move(options), most_pieces, run).compose();
}

}  // namespace credence::rt
