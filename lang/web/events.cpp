#include "lang/web/events.hpp"

#include "lang/cli/report/value_html.hpp"
#include "lang/driver/plain_output.hpp"

namespace credence::web {

template <class Tell>
std::string EventOutput::plain(Tell tell) const {
    std::string out;
    const auto write = [&](std::string_view piece) { out += piece; };
    lang::PlainOutput output(write, write, digits_, {});
    tell(output);
    return out;
}

void EventOutput::value(const lang::ValueEvent& event) {
    Json object{{"kind", "value"},
                {"line", event.line},
                {"query", event.query},
                {"text", plain([&](lang::Output& o) { o.value(event); })},
                {"html", cli::value_html(event, digits_)}};
    if (const auto* picture = event.value.get<rt::PicturePtr>()) object["svg"] = (*picture)->svg();
    if (event.answer) object["engine"] = event.answer->engine;
    send_(object);
}

void EventOutput::derivation(const lang::DerivationEvent& event) {
    send_({{"kind", "derivation"},
           {"line", event.line},
           {"query", event.query},
           {"text", plain([&](lang::Output& o) { o.derivation(event); })},
           {"html", cli::derivation_html(event, digits_)}});
}

void EventOutput::diagnostic(const lang::Diagnostic& d) {
    const bool here = d.source && d.source == source_;
    send_({{"kind", d.severity == lang::Severity::error ? "error" : "note"},
           {"line", here ? source_->position(d.span.begin).line : 0},
           {"text", plain([&](lang::Output& o) { o.diagnostic(d); })},
           {"html", cli::diagnostic_html(d)}});
}

void EventOutput::progress(const rt::ProgressReport& report) {
    constexpr double whole = 100;
    const int percent = static_cast<int>(report.share() * whole);
    if (percent == shown_percent_ && work_ == report.name) return;
    shown_percent_ = percent;
    work_ = report.name;
    send_({{"kind", "progress"}, {"work", work_}, {"percent", percent}});
}

}  // namespace credence::web
