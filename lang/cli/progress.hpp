#pragma once
// Progress of long work on standard error: a bar, the rate, the remaining time and the figure of the moment.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "lang/world/output.hpp"

namespace credence::cli {

/// One line of text for a report that came `seconds` after the first of its work.
std::string progress_line(const rt::ProgressReport& report, double seconds, bool unicode, std::size_t width);

/// Rubs out the line of progress.
inline constexpr std::string_view rubout = "\r\x1b[K";

/// Passes events on; progress of work over half a second is drawn, and rubbed out before anything else is written.
class ProgressOutput : public lang::Output {
public:
    enum class Show { yes, no };
    ProgressOutput(lang::Output& to, Show show, std::function<void(std::string_view)> write)
        : to_(to), show_(show), write_(std::move(write)) {}
    ~ProgressOutput() override { erase(); }
    ProgressOutput(const ProgressOutput&) = delete;
    ProgressOutput& operator=(const ProgressOutput&) = delete;

    void value(const lang::ValueEvent& event) override;
    void derivation(const lang::DerivationEvent& event) override;
    void diagnostic(const lang::Diagnostic& diagnostic) override;
    void progress(const rt::ProgressReport& report) override;

private:
    using Clock = std::chrono::steady_clock;
    void erase();

    lang::Output& to_;
    Show show_;
    std::function<void(std::string_view)> write_;
    std::string work_;
    double share_ = 0;
    Clock::time_point since_;
    Clock::time_point drawn_;
    bool visible_ = false;
};

}  // namespace credence::cli
