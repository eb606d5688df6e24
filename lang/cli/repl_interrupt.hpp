#pragma once
// Ctrl-C while a statement runs. At the prompt it never gets here: the line editors read it as a key.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "lang/driver/session.hpp"

namespace credence::cli {

/// As long as it lives, SIGINT ends nothing but the running statement. To be made before any other thread is started: all of
/// them must have the signal blocked, so that the watching thread receives it.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// Calls body on a thread of its own; an interrupt on the way, or the end of its time, stops the session. What has not ended soon after
    /// that is left to end by itself: false then, and the session is its alone. So body must own the session and all else that it touches.
    bool during(lang::Session& session, const std::optional<double>& seconds, std::function<void()> body);
    bool in_time() const { return in_time_; }              ///< of the last body
    bool out_of_memory() const { return out_of_memory_; }  ///< it ended because there was no memory, and could not say so

    /// Whether an abandoned body still runs. Then nothing that it uses may be destroyed, including this object.
    bool busy() const { return threads_ > 0; }

private:
    using Clock = std::chrono::steady_clock;
    void watch();

    std::mutex mutex_;
    std::condition_variable changed_;
    lang::Session* running_ = nullptr;
    std::optional<Clock::time_point> interrupted_at_;
    bool leaving_ = false;
    bool in_time_ = true;
    bool out_of_memory_ = false;
    std::atomic<int> threads_ = 0;
    std::thread watcher_;
};

}  // namespace credence::cli
