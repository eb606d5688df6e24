#include "runtime/core/crew.hpp"

#include <utility>

namespace credence::rt {

namespace {

/// So many looks before a helper without work goes to sleep: about the time between two jobs of one computation.
constexpr int looks = 2'000;

}  // namespace

Crew::Crew(unsigned threads) {
    if (threads < 2) return;
    try {
        helper_ = std::thread([this] { wait_for_work(); });
    } catch (const std::exception&) {}  // the caller works alone
}

Crew::~Crew() {
    if (!helper_.joinable()) return;
    over_ = true;
    state_.store(state_of(++job_ & 0xffffffffU, 0, 0));
    state_.notify_one();
    helper_.join();
}

bool Crew::take() {
    std::uint64_t state = state_.load(std::memory_order_acquire);
    while (true) {
        const std::uint64_t chunks = state >> 16U & 0xffffU;
        const std::uint64_t next = state & 0xffffU;
        if (next >= chunks) return false;
        if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
        try {
            (*body_)(next);
        } catch (...) {
            const std::lock_guard lock(guard_);
            if (!thrown_) thrown_ = std::current_exception();
        }
        done_.fetch_add(1, std::memory_order_release);
        return true;
    }
}

void Crew::wait_for_work() {
    while (!over_) {
        int looked = 0;
        while (!take()) {
            if (over_) return;
            if (++looked < looks) {
                std::this_thread::yield();
                continue;
            }
            const std::uint64_t state = state_.load(std::memory_order_acquire);
            if ((state & 0xffffU) >= (state >> 16U & 0xffffU) && !over_) state_.wait(state);
            looked = 0;
        }
    }
}

void Crew::run(std::size_t chunks, const std::function<void(std::size_t)>& body) {
    if (alone() || chunks < 2) {
        for (std::size_t c = 0; c < chunks; ++c) body(c);
        return;
    }
    body_ = &body;
    done_.store(0, std::memory_order_relaxed);
    state_.store(state_of(++job_ & 0xffffffffU, chunks, 0), std::memory_order_release);
    state_.notify_one();
    while (take()) {}
    while (done_.load(std::memory_order_acquire) < chunks) std::this_thread::yield();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace credence::rt
