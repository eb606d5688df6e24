#include "lang/cli/repl_interrupt.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>

namespace credence::cli {

namespace {

/// Most statements stop within a millisecond and can say where; one that is later than twice this is felt.
constexpr std::chrono::milliseconds grace{20};

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
        if (!running_) continue;
        running_->request_stop();
        if (!interrupted_at_) interrupted_at_ = Clock::now();
        changed_.notify_all();
    }
}

bool Interrupts::during(lang::Session& session, const std::optional<double>& seconds, std::function<void()> body) {
    constexpr double longest = 1e9;                    // 30 years: more would not fit the clock's own count
    constexpr std::chrono::milliseconds patience{60};  // with what has a limit: it stops by itself, as a rule
    const auto ended = std::make_shared<bool>(false);  // each body has its own: an earlier one may still be ending
    std::unique_lock lock(mutex_);
    running_ = &session;
    interrupted_at_.reset();
    in_time_ = true;
    ++threads_;
    out_of_memory_ = false;
    const auto on_its_thread = [this, ended, body = std::move(body)]() mutable {
        bool ran_out = false;
        try {
            body();
        } catch (const std::exception&) {  // memory ended where no session could say so: others that were stopped may still hold it
            ran_out = true;
        }
        {
            const std::lock_guard done(mutex_);
            if (ran_out) out_of_memory_ = true;
            *ended = true;
            changed_.notify_all();
        }
        body = nullptr;  // what it owned may take a while to free
        --threads_;
    };
    try {
        std::thread(on_its_thread).detach();
    } catch (const std::exception&) {
        --threads_;
        running_ = nullptr;
        out_of_memory_ = true;
        return true;
    }
    const auto over = [&] { return *ended || interrupted_at_; };
    if (seconds)
        in_time_ = changed_.wait_for(lock, std::chrono::duration<double>(std::min(*seconds, longest)), over);
    else
        changed_.wait(lock, over);
    if (!in_time_) interrupted_at_ = Clock::now();
    while (!*ended && Clock::now() < *interrupted_at_ + (in_time_ ? grace : patience)) {
        running_->request_stop();  // again: a request that comes before the session's run has begun is forgotten by it
        changed_.wait_for(lock, grace / 5, [&] { return *ended; });
    }
    running_ = nullptr;
    return *ended;
}

}  // namespace credence::cli
