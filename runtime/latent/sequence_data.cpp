#include "runtime/latent/sequence_data.hpp"

#include <cmath>

namespace credence::rt {

namespace {

constexpr std::size_t most_product_bits = 100'000;

}  // namespace

bool asks_for_tables(const Query& query) {
    const Clause& given = query.given;
    const Clause& asked = query.targets;
    return !asked.data.empty() && asked.free.empty() && asked.events.empty() && asked.observations.empty() && given.free.empty() &&
           given.events.empty() && given.observations.empty() && given.data.empty() && given.soft.empty() && query.doing.empty();
}

void SequenceProduct::multiply(const std::optional<Rational>& exact, double log) {
    log_ += log;
    if (!exact || !exact_) return exact_.reset();
    *exact_ *= *exact;
    if (exact_->bits() > most_product_bits) exact_.reset();
}

Answer SequenceProduct::answer(std::string engine) && {
    Answer out;
    out.engine = std::move(engine);
    out.exact = exact_.has_value();
    out.value = exact_ ? Number(*exact_) : Number::real(std::exp(log_));
    if (!exact_ && std::isfinite(log_) && std::exp(log_) == 0) out.log = log_;
    return out;
}

}  // namespace credence::rt
