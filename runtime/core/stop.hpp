#pragma once
// A request to stop, from the code that started the work to the code that does it. As in <stop_token>, which not every standard library
// has.

#include <atomic>
#include <memory>

namespace credence::rt {

class StopToken {
public:
    StopToken() = default;  ///< nobody can ask it to stop

    bool stop_requested() const { return asked_ && asked_->load(std::memory_order_acquire); }

private:
    friend class StopSource;
    explicit StopToken(std::shared_ptr<const std::atomic<bool>> asked) : asked_(std::move(asked)) {}
    std::shared_ptr<const std::atomic<bool>> asked_;
};

class StopSource {
public:
    StopToken get_token() const { return StopToken(asked_); }
    void request_stop() { asked_->store(true, std::memory_order_release); }

private:
    std::shared_ptr<std::atomic<bool>> asked_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace credence::rt
