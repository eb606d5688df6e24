#include "runtime/nets/formats/net_text.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "runtime/core/chars.hpp"

namespace credence::rt {

std::string file_number(const Number& number) {
    constexpr std::size_t longest = 60;
    if (number.is_exact())
        if (auto decimal = number.exact().decimal(longest)) return *decimal;
    char buffer[64];
    const auto [end, error] = to_chars(buffer, buffer + sizeof buffer, number.real());
    return error == std::errc{} ? std::string(buffer, end) : "nan";
}

std::string quoted_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

bool is_plain_identifier(std::string_view name) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), fits);
}

std::vector<std::string> identifiers_for(const std::vector<std::string>& names) {
    std::unordered_set<std::string> taken;
    for (const auto& name : names)
        if (is_plain_identifier(name)) taken.insert(name);
    std::vector<std::string> out;
    for (const auto& name : names) {
        if (is_plain_identifier(name)) {
            out.push_back(name);
            continue;
        }
        std::string made;
        for (const char c : name) made += is_plain_identifier(std::string("a") + c) ? c : '_';
        if (!is_plain_identifier(made)) made.insert(0, "_");
        std::string unique = made;
        for (int i = 2; !taken.insert(unique).second; ++i) unique = made + "_" + std::to_string(i);
        out.push_back(std::move(unique));
    }
    return out;
}

NetNames::NetNames(const Net& net) {
    for (const auto& node : net.nodes) names.push_back(node.variable.name);
    ids = identifiers_for(names);
}

std::vector<std::string> quoted_labels(const NetNode& node) {
    std::vector<std::string> out;
    for (const auto& label : node.variable.domain->labels()) out.push_back(quoted_name(label.text()));
    return out;
}

Status check_no_holes(const Net& net, std::string_view format) {
    for (const auto& node : net.nodes)
        if (node.hole)
            return Fault{
                .code = "E-HOLE",
                .message = fmt::format("{} of net {} is unknown (?), and a {} file holds numbers", node.variable.name, net.name, format),
                .hint = "train the net first"};
    return Done{};
}

void each_row(const Net& net, const NetNode& node, const std::function<void(std::size_t row, const std::vector<Label>& labels)>& body) {
    std::size_t rows = 1;
    for (const auto parent : node.parents) rows *= net.nodes[index(parent)].variable.size();
    std::vector<Label> labels(node.parents.size());
    for (std::size_t row = 0; row < rows; ++row) {
        std::size_t rest = row;
        for (std::size_t k = node.parents.size(); k-- > 0;) {
            const Domain& domain = *net.nodes[index(node.parents[k])].variable.domain;
            labels[k] = domain[rest % domain.size()];
            rest /= domain.size();
        }
        body(row, labels);
    }
}

}  // namespace credence::rt
