#include "runtime/core/progress.hpp"

#include <algorithm>

namespace credence::rt {

namespace {

constexpr std::size_t operations_between = 4'000'000;  // some milliseconds

}  // namespace

Progress::Progress(const Run& run, std::string_view name, std::size_t total, std::string_view units, std::size_t cost)
    : run_(run),
      name_(name),
      units_(units),
      total_(std::max<std::size_t>(total, 1)),
      interval_(std::max<std::size_t>(1, operations_between / std::max<std::size_t>(cost, 1))),
      next_(interval_),
      teller_(std::this_thread::get_id()) {}

bool Progress::due(std::size_t done) {
    if (!run_.progress || done < next_) return false;
    next_ = done + interval_;
    return true;
}

void Progress::advance(std::size_t steps, std::string_view figure, double value) {
    const std::size_t done = done_.fetch_add(steps, std::memory_order_relaxed) + steps;
    if (std::this_thread::get_id() == teller_) reach(done, figure, value);
}

void Progress::within(double part) {
    if (run_.progress && std::this_thread::get_id() == teller_)
        run_.progress({.name = name_, .done = done_.load(std::memory_order_relaxed), .total = total_, .units = units_, .part = part});
}

void Progress::reach(std::size_t done, std::string_view figure, double value) {
    if (due(done)) run_.progress({name_, done, total_, units_, figure, value});
}

}  // namespace credence::rt
