#include "lang/cli/report/page.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lang/cli/report/html.hpp"
#include "lang/cli/report/prose.hpp"
#include "lang/cli/report/value_html.hpp"
#include "lang/driver/session.hpp"
#include "lang/syntax/chunk.hpp"
#include "lang/syntax/highlight.hpp"
#include "lang/syntax/parse.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli {

namespace {

using namespace lang;

/// Lines that belong together: statements that share a line, with the comments and blank lines before them.
struct Section {
    std::size_t first = 1;
    std::size_t last = 1;
    std::size_t code = 1;                      ///< the first line of the statements themselves
    std::vector<const Statement*> statements;  ///< those that parsed
    bool holds = false;                        ///< it expects something, and that was found
};

std::vector<Section> sections_of(const Source& source, const Program& program) {
    const Chunks chunks = chunk(source.text());
    std::vector<Section> out;
    std::size_t next_line = 1;
    for (const auto& c : chunks.chunks) {
        if (c.last <= c.first) continue;
        const std::size_t begin = source.position(chunks.tokens[c.first].span.begin).line;
        const std::size_t end = source.position(chunks.tokens[c.last - 1].span.end - 1).line;
        if (!out.empty() && begin <= out.back().last)
            out.back().last = std::max(out.back().last, end);
        else
            out.push_back({next_line, end, begin, {}});
        next_line = out.back().last + 1;
    }
    if (next_line <= source.line_count()) out.push_back({next_line, source.line_count(), source.line_count() + 1, {}});
    std::size_t at = 0;
    for (const auto& statement : program.statements) {
        const std::size_t line = source.position(statement->span.begin).line;
        while (at + 1 < out.size() && out[at].last < line) ++at;
        if (at < out.size()) out[at].statements.push_back(statement.get());
    }
    return out;
}

bool has_color(Style style) {
    return style != Style::name && style != Style::operation && style != Style::punctuation && style != Style::bracket;
}

/// The source as lines with their numbers; every piece has the class of its style, and what a diagnostic points at is marked.
class Code {
public:
    Code(const Source& source, const Diagnostics& diagnostics) : source_(source), styled_(highlight(source.text())) {
        for (const auto& d : diagnostics)
            if (d.source.get() == &source && d.severity == Severity::error && d.span.end > d.span.begin) marked_.push_back(d.span);
        // In order and apart, so that each piece of the text looks at one of them.
        std::sort(marked_.begin(), marked_.end(), [](Span a, Span b) { return a.begin < b.begin; });
        std::size_t kept = 0;
        for (const Span s : marked_)
            if (kept > 0 && s.begin < marked_[kept - 1].end)
                marked_[kept - 1].end = std::max(marked_[kept - 1].end, s.end);
            else
                marked_[kept++] = s;
        marked_.resize(kept);
    }

    /// The line ends an expectation that holds.
    void tick(std::size_t line) { ticked_.insert(line); }

    /// The comment that ends a line of code, without its mark.
    std::string comment_after(std::size_t line) const {
        const auto begin = static_cast<std::uint32_t>(source_.line_start(line));
        const auto end = begin + static_cast<std::uint32_t>(source_.line(line).size());
        for (const auto& piece : styled_) {
            if (piece.style != Style::comment || piece.span.begin <= begin || piece.span.begin >= end) continue;
            std::string_view text = source_.text().substr(piece.span.begin, std::min(piece.span.end, end) - piece.span.begin);
            text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
            return std::string(text);
        }
        return "";
    }

    std::string lines(std::size_t first, std::size_t last) const {
        std::string out;
        for (std::size_t n = first; n <= last; ++n) {
            const auto text = source_.line(n);
            const auto begin = static_cast<std::uint32_t>(source_.line_start(n));
            out += fmt::format("<span class=\"line\" id=\"L{0}\" data-line=\"{0}\">", n) +
                   pieces(begin, begin + static_cast<std::uint32_t>(text.size())) +
                   (ticked_.contains(n) ? "<span class=\"holds\"> ✓ holds</span>" : "") + "\n</span>";
        }
        return out;
    }

private:
    /// The first mark that ends after this place.
    std::vector<Span>::const_iterator mark_after(std::uint32_t at) const {
        return std::upper_bound(marked_.begin(), marked_.end(), at, [](std::uint32_t place, Span s) { return place < s.end; });
    }

    std::string pieces(std::uint32_t begin, std::uint32_t end) const {
        auto next = std::upper_bound(styled_.begin(), styled_.end(), begin,
                                     [](std::uint32_t at, const StyledSpan& piece) { return at < piece.span.end; });
        std::string out;
        while (begin < end) {
            while (next != styled_.end() && next->span.end <= begin) ++next;
            const bool inside = next != styled_.end() && next->span.begin <= begin;
            std::uint32_t stop = inside ? next->span.end : next != styled_.end() ? next->span.begin : end;
            stop = std::min(stop, end);
            const auto mark = mark_after(begin);
            const bool marked = mark != marked_.end() && mark->begin <= begin;
            if (mark != marked_.end()) stop = std::min(stop, marked ? mark->end : mark->begin);
            std::string text = html_escaped(source_.text().substr(begin, stop - begin));
            if (inside && has_color(next->style)) text = html_element("span", style_name(next->style), text);
            out += marked ? html_element("mark", "", text) : text;
            begin = stop;
        }
        return out;
    }

    const Source& source_;
    std::vector<StyledSpan> styled_;
    std::vector<Span> marked_;
    std::set<std::size_t> ticked_;
};

/// A comment with two marks is prose: the text after them.
std::optional<std::string> prose_of(std::string_view line) {
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || !line.substr(first).starts_with("##")) return std::nullopt;
    line.remove_prefix(first + 2);
    if (line.starts_with(' ')) line.remove_prefix(1);
    return std::string(line);
}

/// The first comment of a script says what it is about.
std::string title_of(const Source& source) {
    std::string file = std::filesystem::path(source.name()).filename().string();
    for (std::size_t n = 1; n <= source.line_count(); ++n) {
        std::string_view line = source.line(n);
        if (line.starts_with("#!") || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (const auto prose = prose_of(line)) {  // of prose, the first heading
            if (prose->starts_with("# ")) return prose->substr(2);
            continue;
        }
        if (!line.starts_with('#')) return file;
        line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
        if (line.empty()) continue;
        // Its first sentence, where it goes on.
        std::size_t end = line.size();
        for (const std::string_view stop : {". ", ": ", "; "}) end = line.size() > 80 ? std::min(end, line.find(stop)) : end;
        return end > 80 ? file : std::string(line.substr(0, end));
    }
    return file;
}

/// Whether a statement of the section expects something, and nothing is wrong with any of them.
bool expectation_holds(const Section& section, const Source& source, const Diagnostics& diagnostics) {
    const bool expects = std::any_of(section.statements.begin(), section.statements.end(), [](const Statement* s) {
        return std::holds_alternative<ExpectStmt>(s->node) || std::holds_alternative<ExpectErrorStmt>(s->node);
    });
    return expects && std::none_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& d) {
               if (d.severity != Severity::error || d.source.get() != &source) return false;
               const auto line = source.position(d.span.begin).line;
               return line >= section.first && line <= section.last;
           });
}

/// The error that stopped the script, as a line; a failed expectation stops nothing.
std::optional<std::size_t> stopped_at(const Source& source, const Diagnostics& diagnostics) {
    for (const auto& d : diagnostics)
        if (d.severity == Severity::error && !(d.code == "E-EXPECT" && d.message.starts_with("expectation failed")))
            return d.source.get() == &source ? source.position(d.span.begin).line : 0;
    return std::nullopt;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

/// Where the pieces of a page belong, so that a section need not look at all of them.
struct Places {
    explicit Places(const ReportOutput& output) {
        for (std::size_t i = 0; i < output.pieces().size(); ++i) {
            by_line.emplace(output.pieces()[i].line, i);
            if (!output.pieces()[i].from.empty()) imported.push_back(i);
        }
    }
    std::multimap<std::size_t, std::size_t> by_line;
    std::vector<std::size_t> imported;
};

/// Writes the body of a page, section after section.
class Body {
public:
    Body(const Source& source, const ReportOutput& output, const PageFacts& facts, const Code& code, const std::vector<Section>& sections,
         const std::string& title)
        : source_(source), output_(output), facts_(facts), code_(code), places_(output), prose_(title), placed_(output.pieces().size()) {
        for (const auto& section : sections) {
            for (const auto* statement : section.statements) {
                if (const auto name = declared_name(*statement); !name.empty()) ++declared_[name];
            }
            for (std::size_t n = section.first; n < section.code; ++n) is_document_ = is_document_ || prose_of(source.line(n));
        }
    }

    bool is_document() const { return is_document_; }
    const Prose& prose() const { return prose_; }

    void add(const Section& section, bool last) {
        const std::string results = results_of(section);
        for (std::size_t n = section.first; n <= section.last; ++n)
            lines_.push_back({n, n < section.code ? prose_of(source_.line(n)) : std::nullopt, is_check(section)});
        if (!results.empty() || last) flush(results);
    }

    /// With what has no place in the source.
    std::string finished() && {
        for (std::size_t i = 0; i < output_.pieces().size(); ++i)
            if (!placed_[i]) html_ += output_.pieces()[i].html + "\n";
        return std::move(html_);
    }

private:
    struct Line {
        std::size_t number;
        std::optional<std::string> prose;
        bool check;
    };

    /// A section of expectations that hold: their output can be folded away.
    bool is_check(const Section& section) const {
        return is_document_ && section.holds && std::all_of(section.statements.begin(), section.statements.end(), [](const Statement* s) {
                   return std::holds_alternative<ExpectStmt>(s->node) || std::holds_alternative<ExpectErrorStmt>(s->node);
               });
    }

    static std::string declared_name(const Statement& statement) {
        if (const auto* net = std::get_if<NetStmt>(&statement.node)) return net->name.text;
        if (const auto* hmm = std::get_if<HmmStmt>(&statement.node)) return hmm->name.text;
        return "";
    }

    void flush(const std::string& results) {
        std::string out;
        for (std::size_t i = 0; i < lines_.size();) {
            std::vector<std::string> prose;
            for (; i < lines_.size() && lines_[i].prose; ++i) prose.push_back(*lines_[i].prose);
            if (!prose.empty()) out += html_element("div", "prose", "\n" + prose_.html(prose)) + "\n";
            const std::size_t first = i;
            while (i < lines_.size() && !lines_[i].prose && lines_[i].check == lines_[first].check) ++i;
            out += code_block(first, i);
        }
        lines_.clear();
        if (out.empty() && results.empty()) return;
        html_ += "<section>\n" + out + results + "</section>\n";
    }

    std::string code_block(std::size_t from, std::size_t to) const {
        const auto blank = [&](std::size_t i) { return is_blank(source_.line(lines_[i].number)); };
        while (from < to && blank(from)) ++from;  // blank lines only keep blocks apart
        while (to > from && blank(to - 1)) --to;
        if (from == to) return "";
        const std::string block =
            "<pre class=\"code\"><code>" + code_.lines(lines_[from].number, lines_[to - 1].number) + "</code></pre>\n";
        if (!is_document_) return block;
        std::size_t checks = 0;
        if (lines_[from].check)
            for (std::size_t i = from; i < to; ++i) checks += source_.line(lines_[i].number).find("expect") < 4 ? 1 : 0;
        const std::string summary =
            checks > 0 ? fmt::format("{} {}", rt::counted(checks, "check"), checks == 1 ? "holds" : "hold") : "code";
        return fmt::format("<details class=\"{}\"{}><summary>{}</summary>\n{}</details>\n", checks > 0 ? "fold checks" : "fold",
                           checks > 0 ? "" : " open", summary, block);
    }

    std::string figure(const std::string& picture, const std::string& caption) {
        const std::string text = fmt::format("Figure {}{}", ++figures_, caption.empty() ? "" : fmt::format(". {}", prose_inline(caption)));
        return fmt::format("<figure id=\"figure-{}\">{}<figcaption>{}</figcaption></figure>\n", figures_, picture, text);
    }

    /// The output of a section's statements, the errors in the files they import, and the nets they declare.
    std::string results_of(const Section& section) {
        const auto imports = [&](const std::string& name) {
            return std::any_of(section.statements.begin(), section.statements.end(), [&](const Statement* s) {
                const auto* import = std::get_if<ImportStmt>(&s->node);
                return import && imported_name(source_, import->path) == name;
            });
        };
        std::set<std::size_t> here;
        for (auto at = places_.by_line.lower_bound(section.first); at != places_.by_line.end() && at->first <= section.last; ++at)
            here.insert(at->second);
        for (const std::size_t i : places_.imported)
            if (imports(output_.pieces()[i].from)) here.insert(i);
        std::string out;
        for (const std::size_t i : here) {
            const auto& piece = output_.pieces()[i];
            if (placed_[i]) continue;
            placed_[i] = true;
            // If a statement is shown above its result, it already shows the query.
            const std::string heading = section.statements.size() > 1 ? heading_html(piece.query) : "";
            if (piece.diagnostic)
                out += piece.html;
            else if (piece.figure)
                out += heading + figure(piece.html, code_.comment_after(section.last));
            else
                out += html_element("div", "result", heading + piece.html);
            out += "\n";
        }
        for (const auto* statement : section.statements) {
            const std::string name = declared_name(*statement);
            const auto net = facts_.nets.find(name);
            if (is_document_ && net != facts_.nets.end() && declared_[name] == 1)
                out += figure(picture_html(*net->second), fmt::format("`{}`", name));
        }
        return out;
    }

    const Source& source_;
    const ReportOutput& output_;
    const PageFacts& facts_;
    const Code& code_;
    Places places_;
    Prose prose_;
    std::vector<bool> placed_;
    std::map<std::string, std::size_t> declared_;
    std::vector<Line> lines_;  // not on the page yet
    std::size_t figures_ = 0;
    bool is_document_ = false;
    std::string html_;
};

/// Links to the headings, where there are several.
std::string contents_html(const std::vector<Heading>& headings) {
    if (headings.size() < 2) return "";
    int top = 3;
    for (const auto& h : headings) top = std::min(top, h.level);
    std::string out;
    for (const auto& h : headings)
        out += fmt::format("<li class=\"level{}\"><a href=\"#{}\">{}</a></li>\n", h.level - top + 1, h.id,
                           h.html.find("<a ") == std::string::npos ? h.html : html_escaped(h.text));
    return "<nav aria-label=\"Contents\">\n<ul>\n" + out + "</ul>\n</nav>\n";
}

}  // namespace

void ReportOutput::value(const ValueEvent& event) {
    Piece piece{event.line, "", event.query, value_html(event, digits_)};
    piece.figure = event.value.is<rt::PicturePtr>();
    pieces_.push_back(std::move(piece));
}

void ReportOutput::derivation(const DerivationEvent& event) {
    pieces_.push_back({event.line, "", "explain " + event.query, derivation_html(event, digits_)});
}

void ReportOutput::diagnostic(const Diagnostic& d) {
    const bool own = d.source == source_;
    pieces_.push_back(
        {own ? source_->position(d.span.begin).line : 0, d.source && !own ? d.source->name() : "", "", diagnostic_html(d), true});
    diagnostics_.push_back(d);
}

std::string report_page(const SourcePtr& source, const ReportOutput& output, const PageFacts& facts) {
    Diagnostics ignored;
    const Program program = parse(source, ignored);
    auto sections = sections_of(*source, program);
    Code code(*source, output.diagnostics());
    const auto stop = stopped_at(*source, output.diagnostics());
    const std::size_t last_run = facts.ran && facts.in_time ? stop.value_or(source->line_count()) : 0;
    const std::string title = html_escaped(title_of(*source));
    const std::string file = html_escaped(std::filesystem::path(source->name()).filename().string());

    for (auto& section : sections) {
        section.holds = section.last <= last_run && expectation_holds(section, *source, output.diagnostics());
        if (section.holds) code.tick(section.last);
    }
    Body writer(*source, output, facts, code, sections, title_of(*source));
    for (const auto& section : sections) writer.add(section, &section == &sections.back());
    const std::string contents = contents_html(writer.prose().headings());
    const bool document = writer.is_document();
    std::string body = std::move(writer).finished();
    if (!facts.ran)
        body += "<p class=\"aside\">The script did not run, because of the errors marked above.</p>\n";
    else if (stop)
        body += "<p class=\"aside\">The script stopped at the error; the statements after it did not run.</p>\n";
    if (!facts.in_time) body += "<p class=\"aside\">The script was stopped because it ran out of time.</p>\n";

    const std::string seed =
        std::to_string(facts.seed) + (facts.last_seed == facts.seed ? "" : ", then " + std::to_string(facts.last_seed));
    std::string summary;
    if (facts.expectations_met + facts.expectations_failed > 0)
        summary = fmt::format("{} of {} expectations hold. ", facts.expectations_met, facts.expectations_met + facts.expectations_failed);
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n{7}"
        "<meta name=\"generator\" content=\"{0}\">\n<title>{1}</title>\n<style>\n{2}</style>\n</head>\n<body>\n"
        "<header>\n<h1>{1}</h1>\n<p class=\"facts\"><span>{3}</span> <span>{0}</span> <span>seed {4}</span></p>\n{8}{9}</header>\n"
        "<main>\n{5}</main>\n<footer>\n<p>{6}Made with {0}, seed {4}.</p>\n</footer>\n</body>\n</html>\n",
        html_escaped(facts.version), title, report_style(), file, seed, body, summary,
        facts.reload > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", facts.reload) : "",
        document ? "<p class=\"switch\"><label><input type=\"checkbox\" id=\"without-code\"> without code</label></p>\n" : "", contents);
}

}  // namespace credence::cli
