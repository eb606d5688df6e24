#pragma once
// Progress of work in counted steps, reported through Run::progress.

#include <atomic>
#include <cstddef>
#include <string_view>
#include <thread>

#include "runtime/core/run.hpp"

namespace credence::rt {

class Progress {
public:
    /// `cost`: elementary operations of one step, roughly. It determines how often progress is reported: there is no clock here, and a
    /// report costs more than a cheap step.
    Progress(const Run& run, std::string_view name, std::size_t total, std::string_view units, std::size_t cost = 1);

    /// Counts further steps. Any thread may call this, but only the thread that made the object reports.
    void advance(std::size_t steps = 1, std::string_view figure = {}, double value = 0);
    /// Reports at once: the work is under way, and this share of its present step is done. Only the thread that made the object reports.
    void within(double part);
    /// Sets the total number of steps done, and the current figure.
    void reach(std::size_t done, std::string_view figure = {}, double value = 0);

private:
    bool due(std::size_t done);

    const Run& run_;
    std::string_view name_;
    std::string_view units_;
    std::size_t total_;
    std::size_t interval_;
    std::size_t next_;
    std::atomic<std::size_t> done_ = 0;
    std::thread::id teller_;
};

}  // namespace credence::rt
