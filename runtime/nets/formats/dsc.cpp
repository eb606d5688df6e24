// DSC, the format of Microsoft's MSBN that several tools still write: rows keyed by the positions of the parents' values, from 0.

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/nets/formats/net_reader.hpp"
#include "runtime/nets/formats/net_text.hpp"

namespace credence::rt {

namespace {

constexpr ScanRules dsc_rules{.signs = "{}()[],;:|=", .slash_comments = true};
constexpr std::size_t no_row = static_cast<std::size_t>(-1);

/// Whether the identifier is this name made fit: other signs than letters, digits and _ are _, and a number may follow that tells it from
/// another such name. Other texts after `name :` are descriptions.
bool stands_for(std::string_view identifier, const std::string& name) {
    const std::string made = identifiers_for({name})[0];
    if (!identifier.starts_with(made)) return false;
    const auto rest = identifier.substr(made.size());
    return rest.empty() || (rest.size() > 1 && rest[0] == '_' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

class DscReader : NetReader {
public:
    DscReader(std::string_view text, const std::string& fallback) : NetReader(text, dsc_rules, fallback) {}

    Result<NetRead> read() {
        TRY(scan_.sections({{"belief", [&] { return header(); }},
                            {"node", [&] { return node(); }},
                            {"probability", [&] { return probability(); }},
                            {"properties", [&] { return skip_block(); }}},
                           "belief network, node or probability"));
        return std::move(draft_).finish(name_);
    }

private:
    Status header() {
        if (!scan_.take_word("network")) return scan_.expected("network");
        if (!scan_.peek().is_name()) return Done{};
        if (scan_.peek().kind == NetToken::Kind::word) return Done{};  // the next section: this network has no name
        set_name(scan_.next());
        return Done{};
    }

    Status skip_block() {
        TRY(scan_.expect('{', "before a block"));
        for (int depth = 1; depth > 0;) {
            if (scan_.peek().kind == NetToken::Kind::end) return scan_.expected("'}'");
            const NetToken token = scan_.next();
            depth += token.is('{') ? 1 : token.is('}') ? -1 : 0;
        }
        return Done{};
    }

    Status node() {
        auto id = TRY(scan_.name("the name of a node"));
        std::string name = plain_name(id);
        TRY(scan_.expect('{', "after the node's name"));
        std::vector<Label> labels;
        while (!scan_.take('}')) {
            auto key = TRY(scan_.name("type, name or '}'"));
            const bool typed = key.is_word("type");
            if (!scan_.take(':') && !scan_.take('=')) return scan_.expected("':'");
            if (key.is_word("name") && scan_.peek().kind == NetToken::Kind::text) {
                const auto full = plain_name(scan_.next());
                if (stands_for(name, full)) name = full;
            }
            if (!typed) {
                TRY(scan_.skip_statement());
                continue;
            }
            labels = TRY(discrete_values());
            TRY(scan_.expect(';', "after the values"));
        }
        if (labels.empty()) return scan_.fault(id, fmt::format("{} has no type", name));
        return declare(id, std::move(name), std::move(labels));
    }

    Status probability() {
        TRY(scan_.expect('(', "after probability"));
        auto child = TRY(scan_.name("the name of a node"));
        const auto given = TRY(parents());
        const auto node = TRY(begin_table(child, given));
        DraftNode& n = draft_[node];
        TRY(scan_.expect('{', "before the table"));
        const std::size_t labels = n.labels.size();
        const std::size_t count = draft_.rows(node);
        n.values.assign(count * labels, 0);
        if (draft_.keeps_texts()) n.texts.assign(count * labels, {});
        n.row_at.assign(count, no_row);
        while (!scan_.take('}')) {
            const NetToken start = scan_.peek();
            std::vector<std::size_t> rows;
            if (scan_.take_word("default")) {
                for (std::size_t r = 0; r < count; ++r)
                    if (n.row_at[r] == no_row) rows.push_back(r);
                TRY(scan_.expect(':', "after default"));
            } else if (scan_.take('(')) {
                auto row = TRY(key(n));
                if (n.row_at[row] != no_row) return scan_.fault(start, fmt::format("this row of {} comes twice", n.name));
                rows.push_back(row);
                TRY(scan_.expect(':', "after the parents' values"));
            } else if (n.parents.empty()) {
                rows.push_back(0);
            } else {
                return scan_.expected("a row '(…) :', default or '}'");
            }
            std::vector<double> values(labels);
            std::vector<std::string_view> texts(labels);
            for (std::size_t k = 0; k < labels; ++k) {
                scan_.take(',');
                values[k] = TRY(scan_.number(&texts[k]));
            }
            TRY(scan_.expect(';', "after the numbers"));
            for (const auto r : rows) {
                n.row_at[r] = start.at;
                for (std::size_t k = 0; k < labels; ++k) {
                    n.values[r * labels + k] = values[k];
                    if (!n.texts.empty()) n.texts[r * labels + k] = texts[k];
                }
            }
        }
        std::size_t missing = 0;
        for (const auto at : n.row_at) missing += at == no_row ? 1 : 0;
        if (missing > 0) return scan_.fault(child, fmt::format("the table of {} leaves out {} of {} rows", n.name, missing, count));
        return Done{};
    }

    Result<std::size_t> key(const DraftNode& n) {
        std::size_t row = 0;
        for (std::size_t k = 0; k < n.parents.size(); ++k) {
            const DraftNode& parent = draft_[n.parents[k]];
            if (k > 0) scan_.take(',');
            const NetToken at = scan_.peek();
            auto value = scan_.count(fmt::format("the position of a value of {}", parent.name));
            if (!value) return value;
            if (*value >= parent.labels.size())
                return scan_.fault(at, fmt::format("{} has {} values, and positions count from 0", parent.name, parent.labels.size()));
            row = row * parent.labels.size() + *value;
        }
        TRY(scan_.expect(')', "after the parents' values"));
        return row;
    }
};

}  // namespace

Result<NetRead> read_dsc(std::string_view text, const std::string& fallback) { return DscReader(text, fallback).read(); }

Result<std::string> write_dsc(const Net& net) {
    TRY(check_no_holes(net, "DSC"));
    const auto [names, ids] = NetNames(net);
    std::string out = fmt::format("belief network {}\n", quoted_name(net.name.empty() ? "unknown" : net.name));
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        const auto values = quoted_labels(net.nodes[i]);
        out += fmt::format("node {}\n{{\n", ids[i]);
        if (ids[i] != names[i]) out += fmt::format("  name : {};\n", quoted_name(names[i]));
        out += fmt::format("  type : discrete [ {} ] = {{ {} }};\n}}\n", values.size(), joined(values, ", "));
    }
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        const NetNode& node = net.nodes[i];
        out += fmt::format("probability ( {}", ids[i]);
        for (std::size_t k = 0; k < node.parents.size(); ++k) out += (k == 0 ? " | " : ", ") + ids[index(node.parents[k])];
        out += " )\n{\n";
        const std::size_t size = node.variable.size();
        each_row(net, node, [&](std::size_t row, const std::vector<Label>& labels) {
            out += "  ";
            for (std::size_t k = 0; k < labels.size(); ++k)
                out += (k == 0 ? "(" : ", ") + std::to_string(*net.nodes[index(node.parents[k])].variable.domain->find(labels[k]));
            if (!labels.empty()) out += ") : ";
            for (std::size_t k = 0; k < size; ++k) out += (k == 0 ? "" : ", ") + file_number(node.entry(row * size + k));
            out += ";\n";
        });
        out += "}\n";
    }
    return out;
}

}  // namespace credence::rt
