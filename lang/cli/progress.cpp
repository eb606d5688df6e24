#include "lang/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/cli/screen.hpp"
#include "lang/value/show.hpp"

namespace credence::cli {

namespace {

constexpr auto patience = std::chrono::milliseconds(500);
constexpr auto pause = std::chrono::milliseconds(100);

std::string bar(double share, bool unicode, std::size_t bar_width) {
    static constexpr std::string_view eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto steps = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(bar_width) * 8);
    std::string out;
    std::size_t cells = steps / 8;
    for (std::size_t i = 0; i < cells; ++i) out += unicode ? "█" : "#";
    if (unicode && steps % 8 > 0) {
        out += eighths[steps % 8];
        ++cells;
    }
    for (; cells < bar_width; ++cells) out += unicode ? "░" : ".";
    return unicode ? out : "[" + out + "]";
}

std::string time_text(double seconds) {
    if (seconds > 1e9) return "long";
    const auto whole = static_cast<long long>(std::round(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string rate_text(double rate, std::string_view units) {
    const std::string text = rate >= 1e7   ? fmt::format("{:.0f}M", rate / 1e6)
                             : rate >= 1e4 ? fmt::format("{:.0f}k", rate / 1e3)
                             : rate >= 1e3 ? fmt::format("{:.1f}k", rate / 1e3)
                                           : fmt::format("{:.3g}", rate);
    return fmt::format("{} {}/s", text, units);
}

}  // namespace

std::string progress_line(const rt::ProgressReport& report, double seconds, bool unicode, std::size_t width) {
    const double share = std::clamp(report.share(), 0.0, 1.0);
    std::string out =
        fmt::format("{} {} {:3.0f}%", report.name, bar(share, unicode, std::clamp<std::size_t>(width / 6, 8, 24)), std::floor(share * 100));
    if (seconds > 0 && report.done > 0) out += "  " + rate_text(static_cast<double>(report.done) / seconds, report.units);
    if (share > 0 && seconds > 0) out += "  " + time_text(seconds * (1 - share) / share) + " left";
    if (!report.figure.empty()) out += fmt::format("  {} {:.6g}", report.figure, report.value);
    while (lang::text_width(out) + 1 > width && !out.empty()) {  // no half characters
        while (out.size() > 1 && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) out.pop_back();
        out.pop_back();
    }
    return out;
}

void ProgressOutput::value(const lang::ValueEvent& event) {
    erase();
    to_.value(event);
}

void ProgressOutput::derivation(const lang::DerivationEvent& event) {
    erase();
    to_.derivation(event);
}

void ProgressOutput::diagnostic(const lang::Diagnostic& diagnostic) {
    erase();
    to_.diagnostic(diagnostic);
}

void ProgressOutput::progress(const rt::ProgressReport& report) {
    if (show_ == Show::no) return;
    const auto now = Clock::now();
    const double share = report.share();
    if (report.name != work_ || share < share_) {  // other work, or the same again
        work_ = report.name;
        since_ = now;
        drawn_ = {};
    }
    share_ = share;
    if (now - since_ < patience || now - drawn_ < pause) return;
    drawn_ = now;
    visible_ = true;
    const auto size = screen_size(STDERR_FILENO);
    const std::chrono::duration<double> elapsed = now - since_;
    const std::string line = progress_line(report, elapsed.count(), unicode_locale(), size ? size->columns : 80);
    write_("\r" + line + "\x1b[K");
}

void ProgressOutput::erase() {
    work_.clear();
    if (!visible_) return;
    visible_ = false;
    write_(rubout);
}

}  // namespace credence::cli
