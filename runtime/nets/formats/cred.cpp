// A net as Credence source: exact, so that every row sums to exactly 1 and the script is accepted as any other.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/core/words.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "runtime/nets/formats/net_text.hpp"

namespace credence::rt {

namespace {

std::string cred_name(const std::string& name) {
    const bool plain = is_plain_identifier(name) && !is_reserved_word(name);
    return plain ? name : "`" + name + "`";
}

/// Labels are words and numbers as they are; all else is a text.
std::string cred_label(const Label& label) {
    if (label.is_number() || (is_plain_identifier(label.text()) && label.text() != "_" && label.text() != "else")) return label.text();
    return quoted_text(label.text(), true);
}

std::string exact_text(const Rational& value) {
    constexpr std::size_t longest = 60;
    if (auto decimal = value.decimal(longest)) return *decimal;
    return value.text();
}

/// As much of what is missing as a double can take without becoming another one: less than half of its last place, in one digit.
Rational absorbed(double value, const Rational& missing) {
    const double room = 0.45 * (std::nextafter(value, 2.0) - value);
    if (std::abs(missing.to_double()) <= room) return missing;
    const double unit = std::pow(10.0, std::floor(std::log10(room)));
    const Rational part = Rational::from_decimal(unit) * Rational(static_cast<std::int64_t>(room / unit));
    return missing.sign() < 0 ? -part : part;
}

/// A row of doubles as decimals that sum to exactly 1 and are nearest to the same doubles: the rounding that is left is shared out among
/// the digits after their last, beginning with the largest. Should there be more, the largest takes it up.
std::vector<Rational> decimal_row(const NetNode& node, std::size_t row) {
    const std::size_t size = node.variable.size();
    std::vector<Rational> out;
    Rational missing = 1;
    for (std::size_t k = 0; k < size; ++k) {
        const Number entry = node.entry(row * size + k);
        out.push_back(entry.is_exact() ? entry.exact() : Rational::from_decimal(entry.real()));
        missing -= out.back();
    }
    if (missing.is_zero()) return out;
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return out[b] < out[a]; });
    for (const auto k : order) {
        if (missing.is_zero() || out[k].is_zero()) break;
        const Rational part = absorbed(out[k].to_double(), missing);
        out[k] += part;
        missing -= part;
    }
    out[order[0]] += missing;
    return out;
}

std::string row_text(const NetNode& node, std::size_t row) {
    const auto numbers = decimal_row(node, row);
    std::string out = "{ ";
    for (std::size_t k = 0; k < numbers.size(); ++k)
        out += fmt::format("{}{}: {}", k == 0 ? "" : ", ", cred_label((*node.variable.domain)[k]), exact_text(numbers[k]));
    return out + " }";
}

}  // namespace

Result<std::string> write_cred(const Net& net) {
    for (const auto& node : net.nodes)
        if (node.variable.name.find_first_of("`\n") != std::string::npos)
            return Fault{.code = "E-NAME", .message = fmt::format("'{}' cannot be written in backticks", node.variable.name)};
    std::string out = fmt::format("net {} {{\n", cred_name(net.name.empty() ? "Net" : net.name));
    for (const auto& node : net.nodes) {
        out += "  " + cred_name(node.variable.name);
        if (node.variable.is_discrete()) {  // the values of a hole may be left to the data
            std::vector<std::string> labels;
            for (const auto& label : node.variable.domain->labels()) labels.push_back(cred_label(label));
            out += fmt::format(" in {{{}}}", joined(labels, ", "));
        }
        for (std::size_t k = 0; k < node.parents.size(); ++k)
            out += (k == 0 ? " | " : ", ") + cred_name(net.nodes[index(node.parents[k])].variable.name);
        out += " : ";
        if (node.hole) {
            out += "?\n";
            continue;
        }
        if (node.parents.empty()) {
            out += row_text(node, 0) + "\n";
            continue;
        }
        out += "{\n";
        each_row(net, node, [&](std::size_t row, const std::vector<Label>& given) {
            out += "    ";
            for (std::size_t k = 0; k < given.size(); ++k) out += (k == 0 ? "" : ", ") + cred_label(given[k]);
            out += " : " + row_text(node, row) + "\n";
        });
        out += "  }\n";
    }
    return out + "}\n";
}

}  // namespace credence::rt
