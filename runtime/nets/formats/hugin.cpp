// Hugin .net: nodes with their states, potentials with nested lists of numbers, the node itself fastest. Discrete chance nodes only.

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/nets/formats/net_reader.hpp"
#include "runtime/nets/formats/net_text.hpp"

namespace credence::rt {

namespace {

constexpr ScanRules hugin_rules{.signs = "{}()=;|", .percent_comments = true};
// Names are identifiers there. One that was none keeps its spelling in an attribute of its own, which other programs pass over.
constexpr std::string_view spelling = "credence_name";

class HuginReader : NetReader {
public:
    HuginReader(std::string_view text, const std::string& fallback) : NetReader(text, hugin_rules, fallback) {}

    Result<NetRead> read() {
        while (scan_.peek().kind != NetToken::Kind::end) {
            Status done = Done{};
            const NetToken word = scan_.peek();
            if (scan_.take_word("net"))
                done = net();
            else if (scan_.take_word("node"))
                done = node();
            else if (scan_.take_word("discrete"))
                done = scan_.take_word("node") ? node() : Status(scan_.expected("node"));
            else if (scan_.take_word("potential"))
                done = potential();
            else if (word.is_word("continuous") || word.is_word("decision") || word.is_word("utility") || word.is_word("class"))
                done = scan_.fault(word, fmt::format("a {} is not read", word.is_word("class") ? "class" : std::string(word.raw) + " node"),
                                   "nets of discrete chance nodes are");
            else
                done = scan_.expected("net, node or potential");
            if (!done) return std::move(done).fault();
        }
        return std::move(draft_).finish(name_);
    }

private:
    /// `{ key = value; … }`: calls body(key) after the =; true when it has read the value.
    template <class Body>
    Status attributes(std::string_view after, const Body& body) {
        TRY(scan_.expect('{', after));
        while (!scan_.take('}')) {
            auto key = TRY(scan_.name("the name of an attribute or '}'"));
            TRY(scan_.expect('=', "after an attribute's name"));
            auto taken = TRY(body(key));
            TRY(taken ? scan_.expect(';', "after an attribute") : scan_.skip_statement());
        }
        return Done{};
    }

    Status net() {
        return attributes("after net", [&](const NetToken& key) -> Result<bool> {
            if (!key.is_word("name")) return false;
            const auto name = TRY(scan_.name("the name of the net"));
            set_name(name);
            return true;
        });
    }

    Status node() {
        auto id = TRY(scan_.name("the name of a node"));
        std::string name = plain_name(id);
        std::vector<Label> labels;
        auto done = attributes("after the node's name", [&](const NetToken& key) -> Result<bool> {
            if (key.is_word(spelling)) {
                auto own = TRY(scan_.name("a name"));
                name = plain_name(own);
                return true;
            }
            if (!key.is_word("states")) return false;
            TRY(scan_.expect('(', "before the states"));
            while (!scan_.take(')')) {
                auto label = TRY(scan_.name("a state or ')'"));
                labels.push_back(Label::of_text(plain_name(label)));
            }
            return true;
        });
        if (!done) return done;
        if (labels.empty()) return scan_.fault(id, fmt::format("{} has no states", name));
        return declare(id, std::move(name), std::move(labels));
    }

    Status potential() {
        TRY(scan_.expect('(', "after potential"));
        auto child = TRY(scan_.name("the name of a node"));
        if (scan_.peek().is_name()) return scan_.expected("'|' or ')': a potential of one node");
        scan_.take('|');
        const auto given = TRY(parents());
        const auto node = TRY(begin_table(child, given));
        DraftNode& n = draft_[node];
        const std::size_t size = draft_.rows(node) * n.labels.size();
        auto done = attributes("before the numbers", [&](const NetToken& key) -> Result<bool> {
            if (!key.is_word("data")) return false;
            TRY(numbers(n, size));
            return true;
        });
        if (!done) return done;
        if (n.values.empty()) return scan_.fault(child, fmt::format("the potential of {} has no data", n.name));
        if (n.values.size() != size)
            return scan_.fault(child, fmt::format("the potential of {} has {} numbers, not {}", n.name, n.values.size(), size));
        return Done{};
    }

    /// The brackets say how the numbers nest; their order is sufficient, so brackets only have to match.
    Status numbers(DraftNode& n, std::size_t size) {
        int depth = 0;
        while (!scan_.peek().is(';')) {
            if (scan_.take('(')) {
                ++depth;
                continue;
            }
            if (depth > 0 && scan_.take(')')) {
                --depth;
                continue;
            }
            const NetToken token = scan_.peek();
            std::string_view raw;
            auto value = TRY(scan_.number(&raw));
            if (n.values.size() == size)
                return scan_.fault(token, fmt::format("the potential of {} has more than {} numbers", n.name, size));
            if (n.values.size() % n.labels.size() == 0) n.row_at.push_back(token.at);
            n.values.push_back(value);
            if (draft_.keeps_texts()) n.texts.push_back(raw);
        }
        if (depth != 0) return scan_.expected("')'");
        return Done{};
    }
};

}  // namespace

Result<NetRead> read_hugin(std::string_view text, const std::string& fallback) { return HuginReader(text, fallback).read(); }

Result<std::string> write_hugin(const Net& net) {
    TRY(check_no_holes(net, "Hugin"));
    const auto [names, ids] = NetNames(net);
    std::string out = fmt::format("net\n{{\n  name = {};\n}}\n", quoted_name(net.name));
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        const auto states = quoted_labels(net.nodes[i]);
        out += fmt::format("node {}\n{{\n", ids[i]);
        if (ids[i] != names[i]) out += fmt::format("  {} = {};\n", spelling, quoted_name(names[i]));
        out += fmt::format("  states = ( {} );\n}}\n", joined(states, " "));
    }
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        const NetNode& node = net.nodes[i];
        out += fmt::format("potential ( {} |", ids[i]);
        for (const auto parent : node.parents) out += " " + ids[index(parent)];
        out += " )\n{\n  data = ";
        const std::size_t size = node.variable.size();
        const std::size_t entries = std::visit([](const auto& table) { return table.size(); }, node.table);
        // a bracket opens before an entry for every parent whose block begins there
        std::vector<std::size_t> blocks{size};
        for (std::size_t k = node.parents.size(); k-- > 0;)
            blocks.push_back(blocks.back() * net.nodes[index(node.parents[k])].variable.size());
        for (std::size_t e = 0; e < entries; ++e) {
            for (const auto block : blocks)
                if (e % block == 0) out += '(';
            out += file_number(node.entry(e));
            std::size_t closed = 0;
            for (const auto block : blocks)
                if ((e + 1) % block == 0) ++closed;
            out += std::string(closed, ')');
            if (e + 1 < entries) out += closed > 0 ? "\n          " : " ";
        }
        out += ";\n}\n";
    }
    return out;
}

}  // namespace credence::rt
