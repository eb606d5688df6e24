#pragma once
// Chains that were drawn for one query serve every other query with the same density, options and seed: P(mu | e), P(tau > 1 | e) and
// E(mu * tau | e) sample once.

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/continuous/ask.hpp"
#include "runtime/continuous/sample/nuts.hpp"
#include "runtime/continuous/sample/tape.hpp"

namespace credence::rt {

/// What a net keeps of its sampling. The larger nets that stand for quantities over its variables share it.
class KeptChains {
public:
    struct Key {
        continuous::Tape tape;
        continuous::Tape::Node output = 0;
        continuous::SamplerOptions options;
        Rng rng;
        friend bool operator==(const Key&, const Key&) = default;
    };
    using Chains = std::vector<continuous::NutsChain>;
    using ChainsPtr = std::shared_ptr<const Chains>;

    ChainsPtr find(const Key& key) const;  ///< null if they are not kept
    /// Drops the oldest where all of them would take more than `most_bytes`.
    void keep(Key key, ChainsPtr chains);

    static constexpr std::size_t most_bytes = std::size_t{256} << 20U;

private:
    struct Entry {
        Key key;
        ChainsPtr chains;
        std::size_t bytes = 0;
    };
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;  // the oldest first
};

}  // namespace credence::rt
