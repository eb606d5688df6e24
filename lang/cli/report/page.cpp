#include "lang/cli/report/page.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lang/cli/report/html.hpp"
#include "lang/cli/report/value_html.hpp"
#include "lang/driver/session.hpp"
#include "lang/syntax/chunk.hpp"
#include "lang/syntax/highlight.hpp"
#include "lang/syntax/parse.hpp"

namespace credence::cli {

namespace {

using namespace lang;

/// Lines that belong together: statements that share a line, with the comments and blank lines before them.
struct Section {
    std::size_t first = 1;
    std::size_t last = 1;
    std::vector<const Statement*> statements;  ///< those that parsed
    bool code = false;                         ///< false: only comments, after the last statement
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
            out.push_back({next_line, end, {}, true});
        next_line = out.back().last + 1;
    }
    if (next_line <= source.line_count()) out.push_back({next_line, source.line_count(), {}, false});
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
    }

    /// The line ends an expectation that holds.
    void tick(std::size_t line) { ticked_.insert(line); }

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
    bool is_marked(std::uint32_t at) const {
        return std::any_of(marked_.begin(), marked_.end(), [&](Span s) { return s.begin <= at && at < s.end; });
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
            for (const Span s : marked_)
                for (const std::uint32_t edge : {s.begin, s.end})
                    if (edge > begin && edge < stop) stop = edge;
            std::string text = html_escaped(source_.text().substr(begin, stop - begin));
            if (inside && has_color(next->style)) text = html_element("span", style_name(next->style), text);
            out += is_marked(begin) ? html_element("mark", "", text) : text;
            begin = stop;
        }
        return out;
    }

    const Source& source_;
    std::vector<StyledSpan> styled_;
    std::vector<Span> marked_;
    std::set<std::size_t> ticked_;
};

/// The first comment of a script says what it is about.
std::string title_of(const Source& source) {
    std::string file = std::filesystem::path(source.name()).filename().string();
    for (std::size_t n = 1; n <= source.line_count(); ++n) {
        std::string_view line = source.line(n);
        if (line.starts_with("#!") || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
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

/// What the statements of a section said, and what is wrong with the files they import.
std::string results_of(const Section& section, const Source& source, const ReportOutput& output, const Places& places,
                       std::vector<bool>& placed) {
    const auto imports = [&](const std::string& name) {
        return std::any_of(section.statements.begin(), section.statements.end(), [&](const Statement* s) {
            const auto* import = std::get_if<ImportStmt>(&s->node);
            return import && imported_name(source, import->path) == name;
        });
    };
    std::set<std::size_t> here;
    for (auto at = places.by_line.lower_bound(section.first); at != places.by_line.end() && at->first <= section.last; ++at)
        here.insert(at->second);
    for (const std::size_t i : places.imported)
        if (imports(output.pieces()[i].from)) here.insert(i);
    std::string out;
    for (const std::size_t i : here) {
        const auto& piece = output.pieces()[i];
        if (placed[i]) continue;
        placed[i] = true;
        // Where one statement stands above its result, it says what was asked.
        const std::string heading = section.statements.size() > 1 ? heading_html(piece.query) : "";
        out += (piece.diagnostic ? piece.html : html_element("div", "result", heading + piece.html)) + "\n";
    }
    return out;
}

}  // namespace

void ReportOutput::value(const ValueEvent& event) { pieces_.push_back({event.line, "", event.query, value_html(event, digits_)}); }

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
    const auto sections = sections_of(*source, program);
    Code code(*source, output.diagnostics());
    const auto stop = stopped_at(*source, output.diagnostics());
    const std::size_t last_run = facts.ran && facts.in_time ? stop.value_or(source->line_count()) : 0;
    const std::string title = html_escaped(title_of(*source));
    const std::string file = html_escaped(std::filesystem::path(source->name()).filename().string());

    std::string body;
    std::vector<bool> placed(output.pieces().size());
    const Places places(output);
    std::size_t first = 1;  // of the code that has not been put on the page yet
    for (const auto& section : sections) {
        if (section.last <= last_run && expectation_holds(section, *source, output.diagnostics())) code.tick(section.last);
        const std::string results = results_of(section, *source, output, places, placed);
        // Statements that say nothing stay together with what follows them.
        if (results.empty() && &section != &sections.back()) continue;
        while (first <= section.last && is_blank(source->line(first))) ++first;  // blank lines only keep sections apart
        if (first > section.last) break;
        std::size_t last = section.last;
        while (is_blank(source->line(last))) --last;
        body += "<section>\n<pre class=\"code\"><code>" + code.lines(first, last) + "</code></pre>\n" + results + "</section>\n";
        first = section.last + 1;
    }
    for (std::size_t i = 0; i < output.pieces().size(); ++i)
        if (!placed[i]) body += output.pieces()[i].html + "\n";
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
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta name=\"generator\" content=\"{0}\">\n<title>{1}</title>\n<style>\n{2}</style>\n</head>\n<body>\n"
        "<header>\n<h1>{1}</h1>\n<p class=\"facts\"><span>{3}</span> <span>{0}</span> <span>seed {4}</span></p>\n</header>\n"
        "<main>\n{5}</main>\n<footer>\n<p>{6}Made with {0}, seed {4}.</p>\n</footer>\n</body>\n</html>\n",
        html_escaped(facts.version), title, report_style(), file, seed, body, summary);
}

}  // namespace credence::cli
