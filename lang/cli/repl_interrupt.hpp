#pragma once
// Ctrl-C while a statement runs. At the prompt it never gets here: the line editors read it as a key.

#include <condition_variable>
#include <functional>
#include <mutex>
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

    /// Calls body; an interrupt on the way stops the session.
    void during(lang::Session& session, const std::function<void()>& body);

private:
    void watch();

    std::mutex mutex_;
    std::condition_variable changed_;
    lang::Session* running_ = nullptr;
    bool leaving_ = false;
    std::thread watcher_;
};

}  // namespace credence::cli
