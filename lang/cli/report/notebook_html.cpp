#include "lang/cli/report/notebook_html.hpp"

#include "lang/cli/report/html.hpp"
#include "lang/cli/report/value_html.hpp"

namespace credence::cli {

namespace {

/// Where MathML is taken out, as by nbconvert's sanitiser, the parts of a fraction must not run together: those of numbers become 1/4.
std::string with_plain_fractions(const std::string& html) {
    static constexpr std::string_view open = "<mfrac><mn>";
    static constexpr std::string_view middle = "</mn><mn>";
    static constexpr std::string_view close = "</mn></mfrac>";
    std::string out;
    std::size_t at = 0;
    for (;;) {
        const auto begin = html.find(open, at);
        const auto bar = begin == std::string::npos ? begin : html.find(middle, begin);
        const auto end = bar == std::string::npos ? bar : html.find(close, bar);
        if (end == std::string::npos) return out + html.substr(at);
        const auto upper = begin + open.size();
        const auto lower = bar + middle.size();
        out += html.substr(at, begin - at) + "<mn>" + html.substr(upper, bar - upper) + "</mn><mo>/</mo><mn>" +
               html.substr(lower, end - lower) + "</mn>";
        at = end + close.size();
    }
}

/// Colours and fonts are the notebook's. A front end that drops the style still shows tables and formulas. The class is written twice where
/// the rules of JupyterLab for all tables would win otherwise.
std::string in_notebook(const std::string& inner) {
    static const std::string style =
        ".credence .heading{margin:.2em 0}.credence .scroll{overflow-x:auto}.credence table{border-collapse:collapse;margin:0}"
        ".credence.credence table th,.credence.credence table td{text-align:left;padding:.2em .8em .2em 0}"
        ".credence.credence table .number{text-align:right}.credence.credence table th[scope=colgroup]{text-align:center}"
        ".credence mfrac>:first-child{padding-bottom:.12em}.credence mfrac>:last-child{padding-top:.12em}.credence .part{margin:.6em 0 "
        ".1em;opacity:.7}"
        ".credence thead tr:last-child>*{border-bottom:1px solid}.credence .matrix .group>*{border-top:1px solid}"
        ".credence tbody th{font-weight:400}.credence .kinds td,.credence .aside,.credence .decimal{opacity:.7}"
        ".credence .decimal{margin-left:.75em}.credence td.bar{width:9em}"
        ".credence math,.credence .derivation .decimal{font-family:math,'Latin Modern Math','STIX Two Math','Cambria Math',serif}"
        ".credence td.bar span{display:block;height:.7em;min-width:1px;background:#4f9bd0}"
        ".credence .step{padding-left:1.5em}.credence .derivation p{margin:.35em 0}.credence svg{max-width:100%;height:auto}"
        ".credence .narrow{display:none}.credence pre{white-space:pre}";
    return "<div class=\"credence\">" + html_element("style", "", style) + "\n" + with_plain_fractions(inner) + "</div>\n";
}

}  // namespace

std::string notebook_html(const lang::ValueEvent& event, int digits) {
    using namespace lang;
    const bool set = event.value.is<FactorPtr>() || event.value.is<rt::TablePtr>() || event.value.is<ModelValue>();
    if (!set && !has_set_fields(event.value)) return "";
    return in_notebook(heading_html(event.query) + value_html(event, digits));
}

std::string notebook_html(const lang::DerivationEvent& event, int digits) {
    return in_notebook(heading_html("explain " + event.query) + derivation_html(event, digits));
}

}  // namespace credence::cli
