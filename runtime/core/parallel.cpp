#include "runtime/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <climits>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace credence::rt {

namespace {

/// Waits for all of them, however the block is left.
struct Helpers {
    Helpers() = default;
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() {
        for (auto& thread : threads) thread.join();
    }
    std::vector<std::thread> threads;
};

thread_local bool doing_chunk = false;

/// Set while a thread does the chunks of a loop, and put back as it was.
struct DoingChunk {
    DoingChunk() { doing_chunk = true; }
    DoingChunk(const DoingChunk&) = delete;
    DoingChunk& operator=(const DoingChunk&) = delete;
    ~DoingChunk() { doing_chunk = before; }
    bool before = doing_chunk;
};

}  // namespace

bool inside_chunk() { return doing_chunk; }

void parallel_chunks(std::size_t n, std::size_t chunk, unsigned threads,
                     const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
    assert(chunk > 0);
    const std::size_t chunks = n / chunk + (n % chunk != 0 ? 1 : 0);
    if (chunks == 1) return body(0, 0, n);
    std::atomic<std::size_t> next{0};
    std::mutex guard;
    std::exception_ptr thrown;
    std::size_t thrown_at = chunks;
    const auto work = [&] {
        const DoingChunk doing;
        for (std::size_t i = next.fetch_add(1); i < chunks; i = next.fetch_add(1)) {
            const std::size_t begin = i * chunk;
            try {
                body(i, begin, begin + std::min(chunk, n - begin));
            } catch (...) {
                next = chunks;
                const std::lock_guard lock(guard);
                if (i < thrown_at) {
                    thrown_at = i;
                    thrown = std::current_exception();
                }
            }
        }
    };
    {
        Helpers helpers;
        const std::size_t workers = std::min<std::size_t>(std::max(threads, 1U), chunks);
        helpers.threads.reserve(workers);
        try {
            for (std::size_t i = 1; i < workers; ++i) helpers.threads.emplace_back(work);
        } catch (const std::exception&) {}  // no further thread to be had
        work();
    }
    if (thrown) std::rethrow_exception(thrown);
}

namespace {

struct Task {
    const std::function<void()>& body;
    std::exception_ptr thrown = nullptr;
};

extern "C" void* credence_run_task(void* argument) {
    auto& task = *static_cast<Task*>(argument);
    try {
        task.body();
    } catch (...) { task.thrown = std::current_exception(); }
    return nullptr;
}

/// pthread_attr_setstacksize wants whole pages and at least PTHREAD_STACK_MIN.
std::size_t whole_pages(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto least = static_cast<std::size_t>(PTHREAD_STACK_MIN);
    return (std::max(bytes, least) + page - 1) / page * page;
}

}  // namespace

void run_with_stack(std::size_t bytes, const std::function<void()>& body) {
    Task task{body};
    pthread_attr_t attributes;
    bool started = false;
    pthread_t thread{};
    if (pthread_attr_init(&attributes) == 0) {
        started = pthread_attr_setstacksize(&attributes, whole_pages(bytes)) == 0 &&
                  pthread_create(&thread, &attributes, credence_run_task, &task) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (!started) {
        body();
        return;
    }
    pthread_join(thread, nullptr);
    if (task.thrown) std::rethrow_exception(task.thrown);
}

}  // namespace credence::rt
