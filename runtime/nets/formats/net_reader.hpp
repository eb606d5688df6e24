#pragma once
// What the readers of BIF, DSC and Hugin files share: names and the spellings they had in the program that wrote them, lists of values,
// and the head of a table.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/nets/formats/net_draft.hpp"
#include "runtime/nets/formats/net_scan.hpp"

namespace credence::rt {

class NetReader {
protected:
    using Names = std::vector<std::pair<std::string, std::size_t>>;  ///< with their places

    NetReader(std::string_view text, const ScanRules& rules, const std::string& fallback)
        : scan_(text, rules), draft_(text), name_(fallback) {}

    /// The net's name; files without one say "unknown".
    void set_name(const NetToken& token) {
        if (const auto text = plain_name(token); !text.empty() && text != "unknown") name_ = text;
    }

    Status declare(const NetToken& id, std::string name, std::vector<Label> labels) {
        names_.emplace(plain_name(id), name);
        TRY(draft_.add(std::move(name), std::move(labels), id.at));
        return Done{};
    }

    /// The name of the variable that the file calls so.
    std::string name_of(const NetToken& id) const {
        const auto found = names_.find(plain_name(id));
        return found == names_.end() ? plain_name(id) : found->second;
    }

    /// discrete [ 2 ] { yes, no }, with or without = before the list
    Result<std::vector<Label>> discrete_values() {
        if (!scan_.take_word("discrete")) return scan_.expected("discrete (other variables are not read)");
        TRY(scan_.expect('[', "before the number of values"));
        const NetToken at = scan_.peek();
        const auto count = TRY(scan_.count("the number of values"));
        TRY(scan_.expect(']', "after the number of values"));
        scan_.take('=');
        TRY(scan_.expect('{', "before the values"));
        std::vector<Label> labels;
        while (!scan_.take('}')) {
            if (scan_.take(',')) continue;
            const auto label = TRY(scan_.name("a value or '}'"));
            labels.push_back(Label::of_text(plain_name(label)));
        }
        if (labels.size() != count) return scan_.fault(at, fmt::format("{} values are announced, {} are listed", count, labels.size()));
        return labels;
    }

    /// Parents up to the closing bracket; commas and a bar may come between them.
    Result<Names> parents() {
        Names out;
        while (!scan_.take(')')) {
            if (scan_.take(',') || scan_.take('|')) continue;
            const auto parent = TRY(scan_.name("a parent or ')'"));
            out.emplace_back(name_of(parent), parent.at);
        }
        return out;
    }

    /// The variable whose table begins, with its parents set.
    Result<std::uint32_t> begin_table(const NetToken& child, const Names& parents) {
        const auto node = draft_.find(name_of(child));
        if (!node) return scan_.fault(child, fmt::format("there is no variable {}", plain_name(child)));
        if (draft_[*node].has_table) return scan_.fault(child, fmt::format("{} has two tables", draft_[*node].name));
        TRY(draft_.set_parents(*node, parents));
        return *node;
    }

    NetScanner scan_;
    NetDraft draft_;
    std::string name_;

private:
    std::unordered_map<std::string, std::string> names_;  // by identifier
};

}  // namespace credence::rt
