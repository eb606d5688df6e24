// XMLBIF 0.3 (Cozman 1998; also what Weka writes): one DEFINITION a variable, its TABLE with the variable itself fastest.

#include <algorithm>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "runtime/nets/formats/net_draft.hpp"
#include "runtime/nets/formats/net_scan.hpp"
#include "runtime/nets/formats/net_text.hpp"

namespace credence::rt {

namespace {

using XmlNames = std::vector<std::pair<std::string, std::size_t>>;

/// A DEFINITION, kept until all variables are known: they may come in any order.
struct XmlDefinition {
    XmlNames of;
    XmlNames given;
    std::vector<std::pair<std::string_view, std::size_t>> numbers;  // texts of the TABLE
    std::size_t at = 0;
};

std::size_t place_of(const pugi::xml_node& node) { return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug())); }

bool is_element(const pugi::xml_node& node) { return node.type() == pugi::node_element; }

/// Some programs write the names of elements in small letters.
std::string capitals(std::string_view name) {
    std::string out(name);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return out;
}

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

class XmlBifReader {
public:
    XmlBifReader(std::string_view text, const std::string& fallback) : text_(text), draft_(text), name_(fallback) {}

    Result<NetRead> read() {
        pugi::xml_document file;
        if (const auto parsed = file.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8); !parsed)
            return fault(static_cast<std::size_t>(parsed.offset), fmt::format("this is not XML: {}", capitals_off(parsed.description())));
        const auto bif = TRY(only(file, "BIF", "the file's root"));
        const auto network = TRY(only(bif, "NETWORK", "inside <BIF>"));
        const auto part = [&](const pugi::xml_node& element, const std::string& name) -> Status {
            if (name == "NAME") {
                auto content = TRY(content_of(element));
                if (!content.empty() && content != "unknown") name_ = std::move(content);
            }
            if (name == "VARIABLE") return variable(element);
            if (name == "DEFINITION" || name == "PROBABILITY") return definition(element);
            return Done{};
        };
        TRY(each_child(network, part));
        for (const auto& d : definitions_) TRY(fill(d));
        return std::move(draft_).finish(name_);
    }

private:
    Fault fault(std::size_t at, std::string message) const { return format_fault(text_, std::min(at, text_.size()), std::move(message)); }

    /// "Start-end tags mismatch" inside a sentence.
    static std::string capitals_off(std::string text) {
        if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
        return text;
    }

    Result<pugi::xml_node> only(const pugi::xml_node& of, std::string_view name, std::string_view where) const {
        for (const auto& child : of.children())
            if (is_element(child) && capitals(child.name()) == name) return child;
        return fault(place_of(of), fmt::format("expected <{}> as {}", name, where));
    }

    template <class Body>
    Status each_child(const pugi::xml_node& of, const Body& body) const {
        for (const auto& child : of.children()) {
            if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
                return fault(text_.find_first_not_of(" \t\r\n", place_of(child)), "text is not allowed here, only elements");
            if (is_element(child)) TRY(body(child, capitals(child.name())));
        }
        return Done{};
    }

    /// The text of an element without children.
    Result<std::string> content_of(const pugi::xml_node& element) const {
        std::string out;
        for (const auto& child : element.children()) {
            if (is_element(child)) return fault(place_of(child) - 1, fmt::format("<{}> is not allowed here, only text", child.name()));
            out += without_blanks(child.value());
        }
        return out;
    }

    Status variable(const pugi::xml_node& element) {
        std::string name;
        std::vector<Label> labels;
        const auto part = [&](const pugi::xml_node& child, const std::string& kind) -> Status {
            if (kind == "NAME") name = TRY(content_of(child));
            if (kind != "OUTCOME" && kind != "VALUE") return Done{};
            const auto label = TRY(content_of(child));
            labels.push_back(Label::of_text(label));
            return Done{};
        };
        TRY(each_child(element, part));
        if (name.empty()) return fault(place_of(element) - 1, "a variable without a <NAME>");
        TRY(draft_.add(name, std::move(labels), place_of(element) - 1));
        return Done{};
    }

    Status definition(const pugi::xml_node& element) {
        XmlDefinition out;
        out.at = place_of(element) - 1;
        const auto part = [&](const pugi::xml_node& child, const std::string& kind) -> Status {
            if (kind == "FOR" || kind == "GIVEN") {
                auto name = TRY(content_of(child));
                (kind == "FOR" ? out.of : out.given).emplace_back(std::move(name), place_of(child) - 1);
            }
            if (kind != "TABLE") return Done{};
            for (const auto& piece : child.children()) {
                if (is_element(piece)) return fault(place_of(piece) - 1, fmt::format("<{}> is not allowed inside a table", piece.name()));
                if (piece.type() != pugi::node_pcdata && piece.type() != pugi::node_cdata) continue;
                // The numbers are read in the text itself, so that their faults have a place.
                const std::size_t begin = place_of(piece);
                out.numbers.emplace_back(text_.substr(begin, text_.find(piece.type() == pugi::node_cdata ? "]]>" : "<", begin) - begin),
                                         begin);
            }
            return Done{};
        };
        TRY(each_child(element, part));
        if (out.of.size() != 1) return fault(out.at, fmt::format("a definition for {} variables", out.of.size()));
        definitions_.push_back(std::move(out));
        return Done{};
    }

    Status fill(const XmlDefinition& d) {
        const auto node = draft_.find(d.of[0].first);
        if (!node) return draft_.fault(d.of[0].second, fmt::format("there is no variable {}", d.of[0].first));
        if (draft_[*node].has_table) return draft_.fault(d.at, fmt::format("{} has two tables", d.of[0].first));
        TRY(draft_.set_parents(*node, d.given));
        DraftNode& n = draft_[*node];
        const std::size_t size = draft_.rows(*node) * n.labels.size();
        for (const auto& [text, at] : d.numbers) {
            NetScanner numbers(text_.substr(0, at + text.size()), {.signs = ""}, at);
            while (numbers.peek().kind != NetToken::Kind::end) {
                const NetToken token = numbers.peek();
                std::string_view raw;
                auto value = TRY(numbers.number(&raw));
                if (n.values.size() == size)
                    return draft_.fault(token.at, fmt::format("the table of {} has more than {} numbers", n.name, size));
                if (n.values.size() % n.labels.size() == 0) n.row_at.push_back(token.at);
                n.values.push_back(value);
                if (draft_.keeps_texts()) n.texts.push_back(raw);
            }
        }
        if (n.values.size() != size)
            return draft_.fault(d.at, fmt::format("the table of {} has {} numbers, not {}", n.name, n.values.size(), size));
        return Done{};
    }

    std::string_view text_;
    NetDraft draft_;
    std::string name_;
    std::vector<XmlDefinition> definitions_;
};

}  // namespace

Result<NetRead> read_xmlbif(std::string_view text, const std::string& fallback) { return XmlBifReader(text, fallback).read(); }

Result<std::string> write_xmlbif(const Net& net) {
    TRY(check_no_holes(net, "XMLBIF"));
    pugi::xml_document file;
    auto declaration = file.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    auto bif = file.append_child("BIF");
    bif.append_attribute("VERSION") = "0.3";
    auto network = bif.append_child("NETWORK");
    const auto add = [](pugi::xml_node to, const char* name, const std::string& text) {
        to.append_child(name).append_child(pugi::node_pcdata).set_value(text.c_str());
    };
    add(network, "NAME", net.name.empty() ? "unknown" : net.name);
    for (const auto& node : net.nodes) {
        auto variable = network.append_child("VARIABLE");
        variable.append_attribute("TYPE") = "nature";
        add(variable, "NAME", node.variable.name);
        for (const auto& label : node.variable.domain->labels()) add(variable, "OUTCOME", label.text());
    }
    for (const auto& node : net.nodes) {
        auto definition = network.append_child("DEFINITION");
        add(definition, "FOR", node.variable.name);
        for (const auto parent : node.parents) add(definition, "GIVEN", net.nodes[index(parent)].variable.name);
        std::string table = "\n";
        each_row(net, node, [&](std::size_t row, const std::vector<Label>&) {
            const std::size_t size = node.variable.size();
            for (std::size_t k = 0; k < size; ++k) table += (k == 0 ? "    " : " ") + file_number(node.entry(row * size + k));
            table += "\n";
        });
        add(definition, "TABLE", table + "  ");
    }
    std::ostringstream out;
    file.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
    return std::move(out).str();
}

}  // namespace credence::rt
