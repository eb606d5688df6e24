#pragma once
// What the writers of network files share.

#include <functional>
#include <string>

#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

/// An exact decimal as it is, else the shortest decimal of the nearest double.
std::string file_number(const Number& number);

/// `name` in double quotes, with \" and \\ for what would end them.
std::string quoted_name(std::string_view name);

/// Letters, digits and _, not beginning with a digit.
bool is_plain_identifier(std::string_view name);

/// Names for a format that has identifiers only: whatever else is in a name becomes _, and names that then clash are numbered.
std::vector<std::string> identifiers_for(const std::vector<std::string>& names);

/// The nodes' names, and the identifiers used for them.
struct NetNames {
    explicit NetNames(const Net& net);
    std::vector<std::string> names;
    std::vector<std::string> ids;
};

/// The values of a node, in quotes.
std::vector<std::string> quoted_labels(const NetNode& node);

/// E-HOLE if a table is still to be learned: files have no way to say so.
Status check_no_holes(const Net& net, std::string_view format);

/// Calls body(row, labels) for each configuration of the parents, in the order of the table.
void each_row(const Net& net, const NetNode& node, const std::function<void(std::size_t row, const std::vector<Label>& labels)>& body);

}  // namespace credence::rt
