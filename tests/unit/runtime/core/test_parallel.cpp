#include "runtime/core/parallel.hpp"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/core/rng.hpp"

using namespace credence::rt;

namespace {

/// Sums of random numbers by chunk, reduced in order: what an engine does.
std::vector<double> chunk_sums(unsigned threads) {
    constexpr std::size_t n = 10'007;
    constexpr std::size_t chunk = 64;
    const Rng root(9);
    std::vector<double> slots((n + chunk - 1) / chunk);
    parallel_chunks(n, chunk, threads, [&](std::size_t i, std::size_t begin, std::size_t end) {
        Rng rng = root.child(i);
        for (std::size_t k = begin; k < end; ++k) slots[i] += rng.normal();
    });
    double total = 0;
    for (const double slot : slots) total += slot;
    slots.push_back(total);
    return slots;
}

/// Takes about 256 bytes of stack a level.
std::size_t deep(std::size_t levels) {
    volatile char frame[256];
    frame[levels % 256] = 1;
    return levels == 0 ? 0 : deep(levels - 1) + static_cast<std::size_t>(frame[levels % 256]);
}

}  // namespace

TEST_CASE("the same bytes for any number of threads", "[parallel]") {
    const auto one = chunk_sums(1);
    for (const unsigned threads : {0U, 2U, 5U}) {
        const auto many = chunk_sums(threads);
        REQUIRE(many.size() == one.size());
        CHECK(std::memcmp(one.data(), many.data(), one.size() * sizeof(double)) == 0);
    }
}

TEST_CASE("chunks cover every index once", "[parallel]") {
    for (const std::size_t n : {0U, 1U, 7U, 8U, 9U, 100U}) {
        std::vector<std::atomic<int>> seen(n);
        std::atomic<std::size_t> calls{0};
        parallel_chunks(n, 8, 3, [&](std::size_t i, std::size_t begin, std::size_t end) {
            calls += begin == i * 8 && begin < end && end - begin <= 8 ? 1 : 1000;
            for (std::size_t k = begin; k < end; ++k) ++seen[k];
        });
        CHECK(calls == (n + 7) / 8);
        for (const auto& count : seen) CHECK(count == 1);
    }
}

TEST_CASE("run_with_stack gives the stack, waits, and passes exceptions on", "[parallel]") {
    std::size_t depth = 0;
    // 200,000 levels of 256 bytes and more do not fit the usual 8 MB.
    run_with_stack(std::size_t{256} << 20U, [&] { depth = deep(200'000); });
    CHECK(depth == 200'000);
    CHECK_THROWS_AS(run_with_stack(1, [] { throw std::runtime_error("out"); }), std::runtime_error);
}
