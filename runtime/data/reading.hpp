#pragma once
// Progress of reading a text: it is reported for long files, and the reading can be stopped.

#include <optional>

#include "runtime/core/progress.hpp"

namespace credence::rt {

class Reading {
public:
    /// Without a run, nothing is reported and nothing can stop it.
    Reading(const Run* run, std::size_t bytes) : run_(run) {
        if (run) progress_.emplace(*run, "reading", bytes, "bytes");
    }
    /// So many bytes more have been read, by any thread. False when it is to end.
    bool advance(std::size_t bytes) {
        if (progress_) progress_->advance(bytes);
        return !stopped();
    }
    bool stopped() const { return run_ && run_->stopped(); }

private:
    const Run* run_;
    std::optional<Progress> progress_;
};

}  // namespace credence::rt
