#include "runtime/nets/circuit/partial_problem.hpp"

#include <utility>

namespace credence::rt {

std::optional<PartialProblem> PartialProblem::make(const Sizes& sizes, std::vector<CircuitTable> tables) {
    PartialProblem out;
    for (const auto size : sizes) {
        if (size > most_value_bits) return std::nullopt;
        out.values_.push_back((ValueBits{1} << size) - 1);
    }
    std::map<std::pair<std::vector<std::size_t>, std::vector<double>>, std::uint32_t> known;
    out.occurrences_begin_.assign(sizes.size() + 1, 0);
    for (auto& table : tables) {
        std::vector<std::size_t> shape;
        std::size_t bits = 0;
        for (const auto slot : table.variables) {
            shape.push_back(sizes[slot]);
            bits += sizes[slot];
            ++out.occurrences_begin_[slot + 1];
        }
        if (bits > most_value_bits) return std::nullopt;
        const auto [at, fresh] =
            known.try_emplace({std::move(shape), std::move(table.values)}, static_cast<std::uint32_t>(out.kinds_.size()));
        if (fresh) out.kinds_.emplace_back(at->first.first, at->first.second);
        out.kind_.push_back(at->second);
        out.scopes_.push_back(std::move(table.variables));
    }
    for (std::size_t v = 0; v < sizes.size(); ++v) out.occurrences_begin_[v + 1] += out.occurrences_begin_[v];
    out.occurrences_.resize(out.occurrences_begin_.back());
    auto next = out.occurrences_begin_;
    for (std::uint32_t t = 0; t < out.scopes_.size(); ++t) {
        ValueBits packed = 0;
        for (std::uint32_t place = 0; place < out.scopes_[t].size(); ++place) {
            out.occurrences_[next[out.scopes_[t][place]]++] = {t, place};
            packed |= out.kinds_[out.kind_[t]].mask(place);
        }
        out.packed_.push_back(packed);
        out.queue_.push_back(t);
    }
    out.state_.assign(out.scopes_.size(), 0);
    out.waiting_.assign(out.scopes_.size(), 1);
    return out;
}

std::size_t PartialProblem::work() const {
    std::size_t out = propagated_;
    for (const auto& kind : kinds_) out += kind.work;
    return out;
}

void PartialProblem::write_values(Slot variable, ValueBits values) {
    values_[variable] = values;
    for (const auto [table, place] : occurrences(variable)) {
        const auto& kind = kinds_[kind_[table]];
        packed_[table] = (packed_[table] & ~kind.mask(place)) | (values << kind.offset(place));
    }
}

void PartialProblem::set_values(Slot variable, ValueBits values) {
    trail_.push_back({false, variable, values_[variable]});
    write_values(variable, values);
    for (const auto& at : occurrences(variable)) {
        if (!waiting_[at.table]) queue_.push_back(at.table);
        waiting_[at.table] = 1;
    }
}

bool PartialProblem::propagate() {
    bool possible = true;
    for (std::size_t q = 0; q < queue_.size(); ++q) {
        const auto t = queue_[q];
        waiting_[t] = 0;
        if (!possible) continue;
        ++propagated_;
        auto& kind = kinds_[kind_[t]];
        const auto number = kind.state_of(packed_[t]);
        const ValueBits left = kind[number].possible;
        if (left == 0 && kind.arity() > 0) {
            possible = false;
            continue;
        }
        if (state_[t] != number) {
            trail_.push_back({true, t, state_[t]});
            state_[t] = number;
        }
        if (left == packed_[t]) continue;
        for (std::size_t place = 0; place < kind.arity(); ++place) {
            const ValueBits values = (left & kind.mask(place)) >> kind.offset(place);
            if (values != values_[scopes_[t][place]]) set_values(scopes_[t][place], values);
        }
    }
    queue_.clear();
    return possible;
}

bool PartialProblem::begin() {
    // state 0 of a kind is whatever was seen first: each table has to be given its own
    if (!propagate()) return false;
    trail_.clear();
    return true;
}

bool PartialProblem::assign(Slot variable, ValueBits value) {
    set_values(variable, value);
    return propagate();
}

void PartialProblem::undo(std::size_t mark) {
    while (trail_.size() > mark) {
        const Undo last = trail_.back();
        trail_.pop_back();
        if (last.is_state)
            state_[last.index] = static_cast<std::uint32_t>(last.old);
        else
            write_values(last.index, last.old);
    }
}

}  // namespace credence::rt
