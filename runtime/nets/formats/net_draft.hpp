#pragma once
// A net as it is read from a file, piece by piece, and the checks that all formats share.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/nets/formats/net_formats.hpp"

namespace credence::rt {

struct DraftNode {
    std::string name;
    std::vector<Label> labels;
    std::size_t at = 0;  ///< where the file declares it
    std::vector<std::uint32_t> parents = {};
    std::vector<double> values = {};           ///< as in NetNode: last parent fastest, then the labels
    std::vector<std::string_view> texts = {};  ///< of the values, where the draft keeps them
    std::vector<std::size_t> row_at = {};      ///< where the file has each row
    bool has_table = false;
};

class NetDraft {
public:
    /// The text must outlive the draft.
    explicit NetDraft(std::string_view text) : text_(text), keeps_texts_(text.size() <= small_file) {}

    Result<std::uint32_t> add(std::string name, std::vector<Label> labels, std::size_t at);
    std::optional<std::uint32_t> find(std::string_view name) const;
    DraftNode& operator[](std::uint32_t node) { return nodes_[node]; }
    const DraftNode& operator[](std::uint32_t node) const { return nodes_[node]; }
    std::size_t size() const { return nodes_.size(); }
    /// Whether values' texts are wanted: a small file's numbers become fractions.
    bool keeps_texts() const { return keeps_texts_; }

    /// Parents by name; faults for unknown ones and repetitions. Sizes the table for its rows.
    Status set_parents(std::uint32_t node, const std::vector<std::pair<std::string, std::size_t>>& names);
    std::size_t rows(std::uint32_t node) const;
    /// Where the row of a configuration begins, by the labels of the parents in order.
    Result<std::size_t> row_of(std::uint32_t node, const std::vector<std::pair<std::string, std::size_t>>& labels) const;
    Fault fault(std::size_t at, std::string message, std::string hint = {}) const;

    /// Every node has a table, no cycle, rows sum to 1: those that miss it by rounding are divided by their sum.
    Result<NetRead> finish(std::string name) &&;

private:
    static constexpr std::size_t small_file = std::size_t{256} << 10U;

    Result<NetNode> finished(DraftNode& node, bool exact, std::size_t& rounded, double& worst) const;

    std::string_view text_;
    bool keeps_texts_;
    std::vector<DraftNode> nodes_;
    std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace credence::rt
