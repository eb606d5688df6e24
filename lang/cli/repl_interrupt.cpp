#include "lang/cli/repl_interrupt.hpp"

#include <pthread.h>

#include <chrono>
#include <csignal>

namespace credence::cli {

namespace {

sigset_t interrupt_only() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

}  // namespace

Interrupts::Interrupts() {
    const sigset_t set = interrupt_only();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    watcher_ = std::thread([this] { watch(); });
}

Interrupts::~Interrupts() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    pthread_kill(watcher_.native_handle(), SIGINT);
    watcher_.join();
}

void Interrupts::watch() {
    const sigset_t set = interrupt_only();
    for (int signal = 0; sigwait(&set, &signal) == 0;) {
        std::unique_lock lock(mutex_);
        if (leaving_) return;
        // Again until it has ended: a request that comes before the session's run has begun is forgotten by it.
        while (running_) {
            running_->request_stop();
            changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return !running_; });
        }
    }
}

void Interrupts::during(lang::Session& session, const std::function<void()>& body) {
    {
        const std::lock_guard lock(mutex_);
        running_ = &session;
    }
    body();
    {
        const std::lock_guard lock(mutex_);
        running_ = nullptr;
    }
    changed_.notify_all();
}

}  // namespace credence::cli
