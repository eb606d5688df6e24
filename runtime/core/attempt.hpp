#pragma once
// The outcome of an engine, or of any other way to an answer, that need not fit the problem: an answer, "not applicable", or a fault.
// If it is not applicable, the caller takes another way; a fault ends the query.

#include "runtime/core/result.hpp"

namespace credence::rt {

struct NotApplicable {};
inline constexpr NotApplicable not_applicable{};

/// An attempt without an answer on its way up: a fault, or none where it was not applicable. TRY passes it on between functions that both
/// return attempts.
struct Unanswered {
    FaultPtr fault;
};

template <class T>
class [[nodiscard]] Attempt {
public:
    Attempt(T answer) : answer_(std::move(answer)) {}                // NOLINT: implicit by design
    Attempt(NotApplicable) {}                                        // NOLINT: implicit by design
    Attempt(Fault fault) : fault_(make_fault(std::move(fault))) {}   // NOLINT: implicit by design
    Attempt(Failure failure) : fault_(std::move(failure).take()) {}  // NOLINT: implicit by design
    Attempt(Unanswered why) : fault_(std::move(why.fault)) {}        // NOLINT: implicit by design
    Attempt(Result<T> result) {                                      // NOLINT: implicit by design
        if (result)
            answer_ = std::move(result).take();
        else
            fault_ = std::move(result).failure().take();
    }

    /// Whether there is an answer.
    explicit operator bool() const { return answer_.has_value(); }
    bool failed() const { return fault_ != nullptr; }
    bool is_applicable() const { return answer_ || fault_; }

    const T& operator*() const& { return *answer_; }
    T& operator*() & { return *answer_; }
    T&& operator*() && { return *std::move(answer_); }
    T take() && { return *std::move(answer_); }
    const T* operator->() const { return &*answer_; }
    T* operator->() { return &*answer_; }

    const Fault& reason() const { return *fault_; }  ///< where it failed
    Unanswered failure() && { return {std::move(fault_)}; }

    /// For a caller that has another way: the answer, or nothing.
    Result<std::optional<T>> or_nothing() && {
        if (fault_) return Failure(std::move(fault_));
        return std::move(answer_);
    }

private:
    std::optional<T> answer_;
    FaultPtr fault_;
};

}  // namespace credence::rt
