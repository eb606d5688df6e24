#pragma once
// Failure as a value: a Fault says what went wrong in the user's terms, a Result carries it upward.

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/core/fault_code.hpp"

namespace credence::rt {

/// An opaque mark that lowering puts on what it builds; the language turns it back into a place in the text.
enum class Origin : std::uint32_t { none = 0 };

struct Fault {
    FaultCode code;
    std::string message;  ///< what is wrong: one line, no full stop
    Origin origin = Origin::none;
    std::string label = {};  ///< said under the caret: what was possible ("its values are pos, neg")
    std::string hint = {};   ///< what to do: "did you mean 'pos'?"
};

/// What makes and deletes a fault is not inline: thousands of places return one.
struct FaultDeleter {
    void operator()(Fault* fault) const noexcept;
};
using FaultPtr = std::unique_ptr<Fault, FaultDeleter>;
FaultPtr make_fault(Fault&& fault);

/// A fault on its way up, which TRY hands from one Result to the next without touching its texts.
class Failure {
public:
    explicit Failure(FaultPtr fault) : fault_(std::move(fault)) {}
    FaultPtr take() && { return std::move(fault_); }
    operator Fault() && { return std::move(*fault_); }  // NOLINT: implicit, for functions that look for a fault

private:
    FaultPtr fault_;
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}                   // NOLINT: implicit by design
    Result(Fault fault) : fault_(make_fault(std::move(fault))) {}   // NOLINT: implicit by design
    Result(Failure failure) : fault_(std::move(failure).take()) {}  // NOLINT: implicit by design

    explicit operator bool() const { return value_.has_value(); }
    const T& operator*() const& { return *value_; }
    T& operator*() & { return *value_; }
    T&& operator*() && { return *std::move(value_); }
    T take() && { return *std::move(value_); }
    const T* operator->() const { return &*value_; }
    T* operator->() { return &*value_; }

    const Fault& fault() const& {
        assert(fault_);
        return *fault_;
    }
    Fault fault() && {
        assert(fault_);
        return std::move(*fault_);
    }
    Failure failure() && { return Failure(std::move(fault_)); }

private:
    std::optional<T> value_;
    FaultPtr fault_;
};

/// What a Result carries when there is nothing to return but success.
struct Done {};
using Status = Result<Done>;

}  // namespace credence::rt

/// The value of a Result, or the end of the function: `auto x = TRY(f());` returns f's fault to the caller if it has one. It stands alone
/// as a statement, an initialiser or the right side of an assignment, so that no half-built expression is left behind.
#define TRY(...)                                                       \
    __extension__({                                                    \
        auto credence_try_ = (__VA_ARGS__);                            \
        if (!credence_try_) return std::move(credence_try_).failure(); \
        std::move(credence_try_).take();                               \
    })
