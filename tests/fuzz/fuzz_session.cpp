// A whole session on any text, with small limits: nothing may crash, hang or leak.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "tests/support/session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace credence;
    lang::Settings settings;
    settings.limits.list_items = 2'000;
    settings.limits.table_entries = 20'000;
    settings.limits.exact_bits = 2'000;
    settings.limits.exact_operations = 20'000;
    settings.limits.memory_bytes = std::size_t{64} << 20U;
    settings.root = "/nonexistent";  // no file of this machine is read or written
    lang::Session session(test::registry(), settings);
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;
    std::thread watch([&] {
        std::unique_lock lock(mutex);
        if (!finished.wait_for(lock, std::chrono::seconds(2), [&] { return done; })) session.request_stop();
    });
    test::Recorder output;
    test::run(session, std::string(reinterpret_cast<const char*>(data), size), output);
    {
        const std::lock_guard lock(mutex);
        done = true;
    }
    finished.notify_all();
    watch.join();
    return 0;
}
