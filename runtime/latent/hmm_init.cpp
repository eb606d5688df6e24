#include "runtime/latent/hmm_init.hpp"

#include <fmt/format.h>

namespace credence::rt {

namespace {

/// Hands out the numbers one after the other.
class NumbersInOrder {
public:
    NumbersInOrder(const std::vector<Number>& numbers, Origin origin) : numbers_(numbers), origin_(origin) {}

    Result<std::vector<Number>> row(std::size_t n, const std::string& of) {
        if (numbers_.size() - at_ < n) return too_few();
        std::vector<Number> out(numbers_.begin() + static_cast<std::ptrdiff_t>(at_),
                                numbers_.begin() + static_cast<std::ptrdiff_t>(at_ + n));
        at_ += n;
        Number total = 0;
        for (const auto& p : out) {
            if (p.sign() < 0) return fault(fmt::format("init: {} has a probability below 0", of));
            total += p;
        }
        if (!sums_to_one(total)) return fault(fmt::format("init: the probabilities of {} sum to {}", of, label_text(total)));
        return out;
    }
    Result<Number> one() {
        if (at_ == numbers_.size()) return too_few();
        return numbers_[at_++];
    }
    Status finish() const {
        if (at_ == numbers_.size()) return Done{};
        return fault(fmt::format("init has {} numbers, and the holes take {}", numbers_.size(), at_));
    }
    Fault fault(std::string message) const {
        return {.code = "E-PARAMETER", .message = std::move(message), .origin = origin_, .hint = "the numbers of the holes in order"};
    }

private:
    Fault too_few() const { return fault(fmt::format("init has {} numbers, and the holes take more", numbers_.size())); }

    const std::vector<Number>& numbers_;
    Origin origin_;
    std::size_t at_ = 0;
};

}  // namespace

Result<Hmm> with_numbers(const Hmm& hmm, const std::vector<Number>& numbers, Origin origin) {
    Hmm out = hmm;
    NumbersInOrder next(numbers, origin);
    const std::size_t k = hmm.states->size();
    if (out.start.empty()) { out.start = TRY(next.row(k, "start")); }
    for (std::size_t i = 0; i < k; ++i) {
        if (!out.move[i].empty()) continue;
        out.move[i] = TRY(next.row(k, fmt::format("move from {}", (*hmm.states)[i].text())));
    }
    for (std::size_t i = 0; i < k; ++i) {
        HmmEmission& e = out.emit[i];
        if (e.hole) {
            if (!hmm.symbols) return next.fault("init by a list needs the symbols written in the declaration");
            e.shares = TRY(next.row(hmm.symbols->size(), fmt::format("what {} emits", (*hmm.states)[i].text())));
            e.hole = false;
        }
        if (!e.density_has_holes()) continue;
        std::vector<Number> parameters;
        for (const auto& known : e.density.parameters) {
            if (!known) {
                auto number = TRY(next.one());
                parameters.push_back(std::move(number));
            } else {
                parameters.push_back(*known);
            }
        }
        auto density = e.density.family->make(parameters, {});
        if (!density) return next.fault(density.fault().message);
        e.density = {};
        e.density.given = *std::move(density);
    }
    TRY(next.finish());
    return out;
}

}  // namespace credence::rt
