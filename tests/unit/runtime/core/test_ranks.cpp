#include "runtime/core/ranks.hpp"

#include <cmath>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include <catch2/catch.hpp>

#include "runtime/core/parcels.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/core/spread.hpp"

using namespace credence::rt;

namespace {

/// Ranks that are threads of one process.
class Room {
public:
    explicit Room(std::size_t size) : given_(size) {}
    std::size_t size() const { return given_.size(); }

    std::vector<std::string> meet(std::size_t rank, std::string own) {
        std::unique_lock lock(mutex_);
        given_[rank] = std::move(own);
        const std::size_t round = round_;
        if (++here_ == given_.size()) {
            here_ = 0;
            taken_ = given_;
            ++round_;
            changed_.notify_all();
        } else {
            changed_.wait(lock, [&] { return round_ != round; });
        }
        return taken_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> given_;
    std::vector<std::string> taken_;
    std::size_t here_ = 0;
    std::size_t round_ = 0;
};

class RoomLink final : public RankLink {
public:
    RoomLink(Room& room, std::size_t rank) : room_(room), rank_(rank) {}
    std::size_t rank() const override { return rank_; }
    std::size_t size() const override { return room_.size(); }
    std::string host() const override { return "room"; }
    void gather(const char* own, std::span<const std::size_t> sizes, char* all) override {
        for (const auto& bytes : room_.meet(rank_, std::string(own, sizes[rank_]))) {
            std::memcpy(all, bytes.data(), bytes.size());
            all += bytes.size();
        }
    }

private:
    Room& room_;
    std::size_t rank_;
};

/// Runs the same on each of n ranks; the results in their order.
template <class Body>
auto on_ranks(std::size_t n, Body body) {
    Room room(n);
    std::vector<std::optional<decltype(body(std::declval<Ranks&>()))>> out(n);
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < n; ++r)
        threads.emplace_back([&, r] {
            Ranks ranks(std::make_unique<RoomLink>(room, r));
            out[r] = body(ranks);
        });
    for (auto& thread : threads) thread.join();
    return out;
}

struct Sums {
    std::vector<double> values;
    std::optional<Fault> fault;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.values);
        visit(self.fault);
    }
};

/// Random numbers by chunk, added up in the order of the chunks: what an engine does.
std::vector<double> summed(const Run& run) {
    constexpr std::size_t n = 10'007;
    constexpr std::size_t chunk = 64;
    std::vector<Sums> slots((n + chunk - 1) / chunk);
    spread_chunks(run, {.n = n, .chunk = chunk}, slots, [&](std::size_t i, std::size_t begin, std::size_t end) {
        Rng rng = Rng(9).child(i);
        slots[i].values.assign(3, 0.0);
        for (std::size_t k = begin; k < end; ++k) slots[i].values[k % 3] += rng.normal();
        if (i == 11) slots[i].fault = Fault{.code = "E-ROW", .message = "eleven", .origin = static_cast<Origin>(7), .hint = "ten"};
    });
    std::vector<double> out(3, 0.0);
    for (const auto& slot : slots)
        for (std::size_t k = 0; k < 3; ++k) out[k] += slot.values[k];
    const auto& fault = slots[11].fault;  // Catch counts the checks of one thread only
    const bool arrived =
        fault && fault->hint == "ten" && fault->code == "E-ROW" && fault->origin == static_cast<Origin>(7) && !slots[10].fault;
    out.push_back(arrived ? 1 : 0);
    return out;
}

std::string what_is_thrown(const std::function<void()>& body) {
    try {
        body();
    } catch (const RanksEnded& end) { return std::string(end.code().text()) + " " + end.what(); }
    return {};
}

}  // namespace

TEST_CASE("everyone's bytes arrive in the order of the ranks") {
    const auto all = on_ranks(3, [](Ranks& ranks) {
        const std::string own(ranks.rank() * 2, static_cast<char>('a' + ranks.rank()));
        auto first = ranks.from_first(ranks.is_first() ? "script" : "ignored", 1);
        auto out = ranks.gather(own, 2);
        out.push_back(std::move(first));
        ranks.finish({});
        return out;
    });
    for (const auto& out : all) CHECK(*out == std::vector<std::string>{"", "bb", "cccc", "script"});
}

TEST_CASE("chunks shared among ranks add up to the same bits") {
    const Run alone;
    const auto expected = summed(alone);
    CHECK(expected.back() == 1);
    for (const std::size_t n : {2, 3, 4, 7}) {
        const auto all = on_ranks(n, [](Ranks& ranks) {
            Run run;
            run.ranks = &ranks;
            run.threads = 2;
            auto out = summed(run);
            ranks.finish({});
            return out;
        });
        for (const auto& out : all) CHECK(*out == expected);
    }
}

TEST_CASE("rows shared among ranks are complete on each of them, where ranks are more than chunks too") {
    const auto all = on_ranks(4, [](Ranks& ranks) {
        Run run;
        run.ranks = &ranks;
        std::vector<double> out(2 * 25, -1.0);
        spread_rows(run, {.n = 25, .chunk = 10}, std::span(out), [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) out[2 * i] = out[2 * i + 1] = static_cast<double>(i);
        });
        ranks.finish({});
        return out;
    });
    for (const auto& out : all)
        for (std::size_t i = 0; i < 50; ++i) CHECK((*out)[i] == static_cast<double>(i / 2));
}

TEST_CASE("within a chunk, inner loops are not shared") {
    const auto all = on_ranks(2, [](Ranks& ranks) {
        Run run;
        run.ranks = &ranks;
        std::vector<double> outer(4, 0.0);
        spread_chunks(run, {.n = 4}, outer, [&](std::size_t i, std::size_t, std::size_t) {
            std::vector<double> inner(i + 2, 1.0);
            spread_chunks(run, {.n = inner.size()}, inner,
                          [&](std::size_t k, std::size_t, std::size_t) { inner[k] += static_cast<double>(i); });
            for (const double v : inner) outer[i] += v;
        });
        ranks.finish({});
        return outer;
    });
    for (const auto& out : all) CHECK(*out == std::vector<double>{2, 6, 12, 20});
}

TEST_CASE("a cheap loop is done by each rank, without an exchange") {
    const auto all = on_ranks(2, [](Ranks& ranks) {
        Run run;
        run.ranks = &ranks;
        const auto before = ranks.bytes_sent();
        std::vector<double> slots(8, 0.0);
        spread_chunks(run, {.n = 8, .cost = 1000}, slots, [&](std::size_t i, std::size_t, std::size_t) { slots[i] = 1; });
        const bool sent = ranks.bytes_sent() != before;
        ranks.finish({});
        return sent;
    });
    for (const auto& out : all) CHECK_FALSE(*out);
}

TEST_CASE("where a rank has ended with an error, all others say so") {
    const auto all = on_ranks(3, [](Ranks& ranks) {
        std::string thrown;
        if (ranks.rank() != 1) {
            thrown = what_is_thrown([&] { ranks.gather("more", 3); });
            if (what_is_thrown([&] { ranks.gather("again", 3); }) != thrown) thrown += " (and later something else)";
        }
        const auto ends = ranks.finish({.failed = true, .code = "E-MEMORY", .message = ranks.rank() == 1 ? "out of memory" : "told"});
        return thrown + (ends[1].message == "out of memory" ? "" : " (and not at the end)");
    });
    CHECK(*all[0] == "E-MEMORY rank 1 of 3 (on room): out of memory");
    CHECK(all[1]->empty());
    CHECK(*all[2] == *all[0]);
}

TEST_CASE("ranks that do different things end together") {
    const auto all = on_ranks(2, [](Ranks& ranks) {
        auto thrown = what_is_thrown([&] { ranks.gather("", ranks.rank() == 0 ? 3 : 4); });
        ranks.finish({.failed = true});
        return thrown;
    });
    CHECK(all[0]->starts_with("E-STOP rank 1 of 2 (on room) does something else than rank 0 of 2"));
    CHECK(*all[1] == *all[0]);
}

TEST_CASE("a rank that is asked to stop stops all") {
    const auto all = on_ranks(2, [](Ranks& ranks) {
        auto thrown = what_is_thrown([&] { ranks.gather("", 3, ranks.rank() == 1); });
        ranks.finish({.failed = true});
        return thrown;
    });
    CHECK(*all[0] == "E-STOP rank 1 of 2 (on room) was stopped");
    CHECK(*all[1] == "E-STOP stopped");
}

TEST_CASE("numbers and labels travel to the last bit") {
    const std::vector<Number> numbers{Number(Rational(1, 3)), Number::real(0.1 + 0.2),
                                      Number(*Rational::parse("123456789012345678901234567890")), Number::real(-0.0), Number(0)};
    const std::vector<Label> labels{Label::of_text("01a"), Label::of_text("1.50"), Label::of_text(""), Label::of_number(Rational(2, 3))};
    Parcel parcel;
    parcel.put(numbers).put(labels).put(std::variant<double, std::string>("text")).put(std::vector<bool>{true, false, true});
    std::vector<Number> numbers_back;
    std::vector<Label> labels_back;
    std::variant<double, std::string> variant_back;
    std::vector<bool> flags_back;
    ParcelReader reader(parcel.bytes());
    reader.get(numbers_back).get(labels_back).get(variant_back).get(flags_back);
    REQUIRE(numbers_back.size() == numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(numbers_back[i].is_exact() == numbers[i].is_exact());
        CHECK(numbers_back[i] == numbers[i]);
    }
    CHECK(std::signbit(numbers_back[3].real()));
    CHECK(labels_back == labels);
    CHECK(labels_back[1].is_number());
    CHECK(labels_back[3].number()->exact() == Rational(2, 3));
    CHECK(std::get<std::string>(variant_back) == "text");
    CHECK(flags_back == std::vector<bool>{true, false, true});
    CHECK(reader.empty());
}
