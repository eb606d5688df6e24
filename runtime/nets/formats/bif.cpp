// BIF, the Bayesian Interchange Format: the 0.15 draft (Cozman 1998) and the dialect of the public repository files, whose words may
// hold any character that is not a sign of the format (`<5`, `12+`, `Asy/Patch`), and where NA is a label like any other.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/nets/formats/net_reader.hpp"
#include "runtime/nets/formats/net_text.hpp"

namespace credence::rt {

namespace {

constexpr ScanRules bif_rules{.signs = "{}()[],;|", .slash_comments = true};

class BifReader : NetReader {
public:
    BifReader(std::string_view text, const std::string& fallback) : NetReader(text, bif_rules, fallback) {}

    Result<NetRead> read() {
        TRY(scan_.sections({{"network", [&] { return network(); }},
                            {"variable", [&] { return variable(); }},
                            {"probability", [&] { return probability(); }}},
                           "network, variable or probability"));
        return std::move(draft_).finish(name_);
    }

private:
    Status network() {
        const auto name = TRY(scan_.name("the name of the network"));
        set_name(name);
        TRY(scan_.expect('{', "after the network's name"));
        while (!scan_.take('}')) TRY(property("'}'"));
        return Done{};
    }

    Status property(std::string_view or_else) {
        if (!scan_.take_word("property")) return scan_.expected(fmt::format("property or {}", or_else));
        return scan_.skip_statement();
    }

    Status variable() {
        auto name = TRY(scan_.name("the name of a variable"));
        TRY(scan_.expect('{', "after the variable's name"));
        std::vector<Label> labels;
        while (!scan_.take('}')) {
            if (!scan_.take_word("type")) {
                TRY(property("type or '}'"));
                continue;
            }
            labels = TRY(discrete_values());
            scan_.take(';');
        }
        if (labels.empty()) return scan_.fault(name, fmt::format("{} has no type", plain_name(name)));
        return declare(name, plain_name(name), std::move(labels));
    }

    Status probability() {
        TRY(scan_.expect('(', "after probability"));
        auto child = TRY(scan_.name("the name of a variable"));
        const auto given = TRY(parents());
        const auto node = TRY(begin_table(child, given));
        TRY(scan_.expect('{', "before the table"));
        return rows(node, child);
    }

    Status rows(std::uint32_t node, const NetToken& child) {
        DraftNode& n = draft_[node];
        const std::size_t labels = n.labels.size();
        const std::size_t count = draft_.rows(node);
        n.values.assign(count * labels, 0);
        if (draft_.keeps_texts()) n.texts.assign(count * labels, {});
        constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
        n.row_at.assign(count, nowhere);
        std::size_t missing = count;
        while (!scan_.take('}')) {
            const NetToken start = scan_.peek();
            if (scan_.take('(')) {
                keys_.clear();
                while (!scan_.take(')')) {
                    if (scan_.take(',')) continue;
                    auto key = TRY(scan_.name("a parent's value or ')'"));
                    keys_.emplace_back(plain_name(key), key.at);
                }
                if (keys_.size() != n.parents.size())
                    return scan_.fault(start, fmt::format("{} values for {} parents of {}", keys_.size(), n.parents.size(), n.name));
                auto row = TRY(draft_.row_of(node, keys_));
                if (n.row_at[row] != nowhere) return scan_.fault(start, fmt::format("this row of {} comes twice", n.name));
                n.row_at[row] = start.at;
                --missing;
                TRY(numbers(n, row * labels, 1, labels));
            } else if (scan_.take_word("table")) {
                if (missing != count) return scan_.fault(start, fmt::format("{} has rows already", n.name));
                // one number after the other, the child slowest, the last parent fastest
                for (std::size_t k = 0; k < labels; ++k) TRY(numbers(n, k, labels, count));
                std::fill(n.row_at.begin(), n.row_at.end(), start.at);
                missing = 0;
            } else if (scan_.take_word("default")) {
                DraftNode row{.name = n.name, .labels = n.labels, .values = std::vector<double>(labels)};
                row.texts.assign(n.texts.empty() ? 0 : labels, {});
                TRY(numbers(row, 0, 1, labels));
                default_ = std::move(row);
                default_->at = start.at;
            } else {
                TRY(property("a row '(…)', table, default or '}'"));
                continue;
            }
            TRY(scan_.expect(';', "after the numbers"));
        }
        if (missing > 0 && default_) {
            for (std::size_t r = 0; r < count; ++r) {
                if (n.row_at[r] != nowhere) continue;
                n.row_at[r] = default_->at;
                std::copy(default_->values.begin(), default_->values.end(), n.values.begin() + static_cast<std::ptrdiff_t>(r * labels));
                std::copy(default_->texts.begin(), default_->texts.end(),
                          n.texts.begin() + static_cast<std::ptrdiff_t>(r * (n.texts.empty() ? 0 : labels)));
            }
            missing = 0;
        }
        default_.reset();
        if (missing > 0) return scan_.fault(child, fmt::format("the table of {} leaves out {} of {} rows", n.name, missing, count));
        return Done{};
    }

    /// `count` numbers to the places first, first + step, …; commas between them may be left out.
    Status numbers(DraftNode& n, std::size_t first, std::size_t step, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            scan_.take(',');
            std::string_view raw;
            if (scan_.peek().is(';')) return scan_.expected(counted(count - i, "more number"));
            auto value = TRY(scan_.number(&raw));
            n.values[first + i * step] = value;
            if (!n.texts.empty()) n.texts[first + i * step] = raw;
        }
        return Done{};
    }

    Names keys_;
    std::optional<DraftNode> default_;
};

/// As it is where it can be a word of the format, else quoted.
std::string bif_name(std::string_view name) {
    const auto special = [](char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '"' || bif_rules.signs.find(c) != std::string_view::npos;
    };
    const bool plain =
        !name.empty() && std::none_of(name.begin(), name.end(), special) && !name.starts_with("//") && !name.starts_with("/*");
    return plain ? std::string(name) : quoted_name(name);
}

}  // namespace

Result<NetRead> read_bif(std::string_view text, const std::string& fallback) { return BifReader(text, fallback).read(); }

Result<std::string> write_bif(const Net& net) {
    TRY(check_no_holes(net, "BIF"));
    std::string out = fmt::format("network {} {{\n}}\n", bif_name(net.name.empty() ? "unknown" : net.name));
    for (const auto& node : net.nodes) {
        std::vector<std::string> labels;
        for (const auto& label : node.variable.domain->labels()) labels.push_back(bif_name(label.text()));
        out += fmt::format("variable {} {{\n  type discrete [ {} ] {{ {} }};\n}}\n", bif_name(node.variable.name), labels.size(),
                           joined(labels, ", "));
    }
    for (const auto& node : net.nodes) {
        out += fmt::format("probability ( {}", bif_name(node.variable.name));
        for (std::size_t k = 0; k < node.parents.size(); ++k)
            out += (k == 0 ? " | " : ", ") + bif_name(net.nodes[index(node.parents[k])].variable.name);
        out += " ) {\n";
        each_row(net, node, [&](std::size_t row, const std::vector<Label>& labels) {
            out += node.parents.empty() ? "  table" : "  (";
            for (std::size_t k = 0; k < labels.size(); ++k) out += (k == 0 ? "" : ", ") + bif_name(labels[k].text());
            if (!node.parents.empty()) out += ")";
            const std::size_t size = node.variable.size();
            for (std::size_t k = 0; k < size; ++k) out += (k == 0 ? " " : ", ") + file_number(node.entry(row * size + k));
            out += ";\n";
        });
        out += "}\n";
    }
    return out;
}

}  // namespace credence::rt
