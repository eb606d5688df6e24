#include "runtime/plot/ticks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace credence::rt {

namespace {

double round_step(double width, std::size_t most) {
    // Steps from well below the smallest possible one upward: the first with few enough ticks.
    const double least = width / static_cast<double>(most);
    for (int power = static_cast<int>(std::floor(std::log10(least))) - 1;; ++power)
        for (const double digit : {1.0, 2.0, 5.0}) {
            // A division by an exact power of ten is rounded once; a product with an inexact one is not.
            const double step = power < 0 ? digit / std::pow(10.0, -power) : digit * std::pow(10.0, power);
            if (width / step <= static_cast<double>(most - 1) * (1 + 1e-12)) return step;
        }
}

/// Thousands, millions and billions have letters; all ticks of an axis the same.
std::string tick_text(double value, double step, double largest) {
    struct Unit {
        double size;
        char letter;
    };
    for (const Unit unit : {Unit{1e9, 'G'}, Unit{1e6, 'M'}, Unit{1e3, 'k'}}) {
        constexpr double least = 1e5;
        if (largest < std::max(least, unit.size) || largest >= 1e12 || step < unit.size / 1000) continue;
        const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.size) - 1e-9)));
        return value == 0 ? "0" : fmt::format("{:.{}f}{}", value / unit.size, decimals, unit.letter);
    }
    if (largest >= 1e6 || step < 1e-4)
        return fmt::format("{:.{}g}", value, std::clamp(static_cast<int>(std::ceil(std::log10(largest / step) + 1e-9)) + 1, 1, 15));
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

double drawable(double value) {
    constexpr double largest = 1e300;
    return std::abs(value) < 1 / largest ? 0 : std::clamp(value, -largest, largest);
}

Range widened(Range range) {
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    if (range.high - range.low > size * 1e-12) return range;
    const double half = size > 0 ? size / 2 : 0.5;
    return {range.low - half, range.high + half};
}

namespace {

Ticks ticks_at_most(Range range, std::size_t most, double least_step) {
    Ticks out;
    out.step = std::max(least_step, round_step(range.high - range.low, std::max<std::size_t>(most, 2)));
    const double slack = out.step * 1e-9;
    const double first = std::ceil((range.low - slack) / out.step);
    const double last = std::floor((range.high + slack) / out.step);
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    for (double i = first; i <= last; i += 1) {
        const double per_unit = std::round(1 / out.step);
        const double value = out.step < 1 && per_unit > 0 ? i / per_unit : i * out.step;  // 3/10, not 3·0.1
        out.at.push_back(value == 0 ? 0 : value);
        out.text.push_back(tick_text(out.at.back(), out.step, largest));
    }
    return out;
}

}  // namespace

Ticks ticks_on(Range range, std::size_t most, double least_step) {
    Ticks out = ticks_at_most(range, most, least_step);
    // One number is no scale: on a narrow axis a finer step, where that is not too many.
    for (std::size_t more = most + 1; out.at.size() < 2 && more <= most + 3; ++more)
        if (Ticks finer = ticks_at_most(range, more, least_step); finer.at.size() <= std::max<std::size_t>(most, 2)) out = std::move(finer);
    return out;
}

Ticks log_ticks_on(Range range, std::size_t most) {
    Ticks out;
    const double slack = (range.high - range.low) * 1e-9;
    const auto add = [&](double value, double at) {
        if (at < range.low - slack || at > range.high + slack) return;
        out.at.push_back(at);
        std::string text = fmt::format("{:.6g}", value);
        for (const auto& [unit, letter] : {std::pair{1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}})
            if (value >= 1e4 && value < 1e12 && value >= unit) {
                text = fmt::format("{:.6g}{}", value / unit, letter);
                break;
            }
        out.text.push_back(std::move(text));
    };
    const double powers = std::floor(range.high + slack) - std::ceil(range.low - slack) + 1;
    if (powers < 2) {  // less than a power of ten: as on an axis of the numbers themselves
        const Ticks plain = ticks_on({std::pow(10, range.low), std::pow(10, range.high)}, most);
        for (std::size_t i = 0; i < plain.at.size(); ++i) {
            if (!(plain.at[i] > 0)) continue;
            out.at.push_back(std::log10(plain.at[i]));
            out.text.push_back(plain.text[i]);
        }
        return out;
    }
    const double every = std::max(1.0, std::ceil(powers / static_cast<double>(most)));
    const bool between = every == 1 && powers * 3 <= static_cast<double>(most);
    for (double power = std::floor(range.low - slack); power <= range.high + slack; power += 1) {
        if (std::fmod(power, every) != 0) continue;
        const double value = std::pow(10, power);
        add(value, power);
        if (!between) continue;
        add(2 * value, power + std::log10(2));
        add(5 * value, power + std::log10(5));
    }
    out.step = every;
    return out;
}

Range out_to_ticks(Range range, std::size_t most) {
    const double step = round_step(range.high - range.low, std::max<std::size_t>(most, 2));
    return {std::floor(range.low / step + 1e-9) * step, std::ceil(range.high / step - 1e-9) * step};
}

std::string short_number(double x) { return x == 0 ? "0" : std::isnan(x) ? "?" : fmt::format("{:.4g}", x); }

}  // namespace credence::rt
