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

    /// Calls body on its own thread; an interrupt stops the session. If body does not end soon after that, returns false and leaves it
    /// running; the session then belongs to it alone. So body must own the session and everything else that it uses.
    bool during(lang::Session& session, std::function<void()> body);

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
    std::atomic<int> threads_ = 0;
    std::thread watcher_;
};

}  // namespace credence::cli
