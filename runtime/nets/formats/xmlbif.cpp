// XMLBIF 0.3 (Cozman 1998; also what Weka writes): one DEFINITION a variable, its TABLE with the variable itself fastest.

#include <fmt/format.h>

#include "runtime/nets/formats/net_draft.hpp"
#include "runtime/nets/formats/net_scan.hpp"
#include "runtime/nets/formats/net_text.hpp"
#include "runtime/nets/formats/xml_scan.hpp"

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

class XmlBifReader {
public:
    XmlBifReader(std::string_view text, const std::string& fallback) : scan_(text), draft_(text), name_(fallback) {}

    Result<NetRead> read() {
        TRY(open("BIF", "the file's root"));
        TRY(open("NETWORK", "inside <BIF>"));
        TRY(each_child([&](const XmlEvent& element) -> Status {
            if (element.name == "NAME") {
                auto name = TRY(content());
                if (!name.empty() && name != "unknown") name_ = name;
                return Done{};
            }
            if (element.name == "VARIABLE") return variable(element);
            if (element.name == "DEFINITION" || element.name == "PROBABILITY") return definition(element);
            return skip();
        }));
        for (const auto& d : definitions_) TRY(fill(d));
        return std::move(draft_).finish(name_);
    }

private:
    Status open(std::string_view name, std::string_view where) {
        auto event = TRY(scan_.next());
        if (event.kind == XmlEvent::Kind::open && event.name == name) return Done{};
        return format_fault(scan_.text(), event.at, fmt::format("expected <{}> as {}", name, where));
    }

    /// Calls body for each element until the one that is open closes. The body reads its element to the end.
    template <class Body>
    Status each_child(const Body& body) {
        for (;;) {
            auto event = TRY(scan_.next());
            if (event.kind == XmlEvent::Kind::close) return Done{};
            if (event.kind == XmlEvent::Kind::text)
                return format_fault(scan_.text(), first_letter(event), "text stands where only elements do");
            if (auto done = body(event); !done) return done;
        }
    }

    static std::size_t first_letter(const XmlEvent& text) {
        return text.at + std::min(text.text.find_first_not_of(" \t\r\n"), text.text.size());
    }

    Status skip() {
        for (int depth = 1; depth > 0;) {
            auto event = TRY(scan_.next());
            depth += event.kind == XmlEvent::Kind::open ? 1 : event.kind == XmlEvent::Kind::close ? -1 : 0;
        }
        return Done{};
    }

    /// The text of an element without children.
    Result<std::string> content() {
        std::string out;
        for (;;) {
            auto event = TRY(scan_.next());
            if (event.kind == XmlEvent::Kind::close) return out;
            if (event.kind == XmlEvent::Kind::open)
                return format_fault(scan_.text(), event.at, fmt::format("<{}> stands where only text does", event.name));
            auto plain = xml_plain(scan_.text(), event.text);
            if (!plain) return plain;
            out += *plain;
        }
    }

    Status variable(const XmlEvent& element) {
        std::string name;
        std::vector<Label> labels;
        auto done = each_child([&](const XmlEvent& child) -> Status {
            if (child.name != "NAME" && child.name != "OUTCOME" && child.name != "VALUE") return skip();
            auto text = TRY(content());
            if (child.name == "NAME")
                name = text;
            else
                labels.push_back(Label::of_text(text));
            return Done{};
        });
        if (!done) return done;
        if (name.empty()) return format_fault(scan_.text(), element.at, "a variable without a <NAME>");
        TRY(draft_.add(name, std::move(labels), element.at));
        return Done{};
    }

    Status definition(const XmlEvent& element) {
        XmlDefinition out;
        out.at = element.at;
        auto done = each_child([&](const XmlEvent& child) -> Status {
            if (child.name == "FOR" || child.name == "GIVEN") {
                auto text = TRY(content());
                (child.name == "FOR" ? out.of : out.given).emplace_back(text, child.at);
                return Done{};
            }
            if (child.name != "TABLE") return skip();
            for (;;) {
                auto event = TRY(scan_.next());
                if (event.kind == XmlEvent::Kind::close) return Done{};
                if (event.kind == XmlEvent::Kind::open)
                    return format_fault(scan_.text(), event.at, fmt::format("<{}> stands inside a table", event.name));
                out.numbers.emplace_back(event.text, event.at);
            }
        });
        if (!done) return done;
        if (out.of.size() != 1) return format_fault(scan_.text(), element.at, fmt::format("a definition for {} variables", out.of.size()));
        definitions_.push_back(std::move(out));
        return Done{};
    }

    Status fill(const XmlDefinition& d) {
        const auto node = draft_.find(d.of[0].first);
        if (!node) return draft_.fault(d.of[0].second, fmt::format("there is no variable {}", d.of[0].first));
        if (draft_[*node].has_table) return draft_.fault(d.at, fmt::format("{} has two tables", d.of[0].first));
        if (auto done = draft_.set_parents(*node, d.given); !done) return done;
        DraftNode& n = draft_[*node];
        const std::size_t size = draft_.rows(*node) * n.labels.size();
        for (const auto& [text, at] : d.numbers) {
            // numbers are read in place, so that their faults have a place too
            NetScanner numbers(scan_.text().substr(0, at + text.size()), {.signs = ""}, at);
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

    XmlScanner scan_;
    NetDraft draft_;
    std::string name_;
    std::vector<XmlDefinition> definitions_;
};

}  // namespace

Result<NetRead> read_xmlbif(std::string_view text, const std::string& fallback) { return XmlBifReader(text, fallback).read(); }

Result<std::string> write_xmlbif(const Net& net) {
    TRY(check_no_holes(net, "XMLBIF"));
    std::string out = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BIF VERSION=\"0.3\">\n<NETWORK>\n<NAME>{}</NAME>\n",
                                  xml_escaped(net.name.empty() ? "unknown" : net.name));
    for (const auto& node : net.nodes) {
        out += fmt::format("<VARIABLE TYPE=\"nature\">\n  <NAME>{}</NAME>\n", xml_escaped(node.variable.name));
        for (const auto& label : node.variable.domain->labels()) out += fmt::format("  <OUTCOME>{}</OUTCOME>\n", xml_escaped(label.text()));
        out += "</VARIABLE>\n";
    }
    for (const auto& node : net.nodes) {
        out += fmt::format("<DEFINITION>\n  <FOR>{}</FOR>\n", xml_escaped(node.variable.name));
        for (const auto parent : node.parents)
            out += fmt::format("  <GIVEN>{}</GIVEN>\n", xml_escaped(net.nodes[index(parent)].variable.name));
        out += "  <TABLE>\n";
        each_row(net, node, [&](std::size_t row, const std::vector<Label>&) {
            const std::size_t size = node.variable.size();
            for (std::size_t k = 0; k < size; ++k) out += (k == 0 ? "    " : " ") + file_number(node.entry(row * size + k));
            out += "\n";
        });
        out += "  </TABLE>\n</DEFINITION>\n";
    }
    return out + "</NETWORK>\n</BIF>\n";
}

}  // namespace credence::rt
