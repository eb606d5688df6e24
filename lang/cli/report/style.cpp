#include "lang/cli/report/page.hpp"

namespace credence::cli {

// Colours come in pairs with a contrast of at least 4.5 to their background; nothing is shown by colour alone.
std::string_view report_style() {
    return R"css(:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f5f7fa; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4; --accent: #0072b2;
  --keyword: #8b2a8b; --query: #0b5cad; --number: #0a6b4f; --text: #8a4b08; --comment: #5d6b78; --function: #6a4a00; --declaration: #0b5cad;
  --label: #33691e; --hole: #b3261e; --error: #b3261e; --error-ground: #fdecea; --note-ground: #eef4fb; --bar: #4f9bd0; --holds: #1a6b35;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181d; --panel: #1d2229; --ink: #e6e8eb; --soft: #a3adb8; --rule: #38414b; --accent: #6db7ee;
    --keyword: #e39cdf; --query: #7cc0ff; --number: #6fd3ad; --text: #f0b27a; --comment: #95a1ae; --function: #e8cf86; --declaration: #7cc0ff;
    --label: #a9d98b; --hole: #ff9c91; --error: #ff9c91; --error-ground: #3a2123; --note-ground: #1e2a38; --bar: #4fa0dc; --holds: #7fd49a;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 58rem; padding: 1.5rem 1rem 3rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 Inter, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; }
.facts, footer { color: var(--soft); font-size: .875rem; }
.facts { margin: 0 0 1.5rem; }
.facts span + span::before { content: "· "; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: .5rem; }
section { margin: 0 0 1rem; }
pre, code { font-family: "JetBrains Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875rem; }
pre { margin: 0; white-space: pre-wrap; tab-size: 4; }
.code { background: var(--panel); border-radius: 6px; padding: .5rem .75rem .5rem 0; line-height: 1.55; }
.code code { display: block; }
.line { display: block; padding-left: 5.2ch; text-indent: -2ch; }
.line::before { content: attr(data-line); display: inline-block; width: 3.2ch; margin-left: -3.2ch; padding-right: 1.2ch; text-indent: 0;
  text-align: right; color: var(--soft); font-size: .75rem; user-select: none; box-sizing: content-box; }
.keyword { color: var(--keyword); font-weight: 600; } .query { color: var(--query); font-weight: 600; } .number { color: var(--number); }
.code .text { color: var(--text); } .comment { color: var(--comment); font-style: italic; } .function { color: var(--function); }
.declaration { color: var(--declaration); font-weight: 600; } .code .label { color: var(--label); } .hole { color: var(--hole); font-weight: 700; }
.problem { color: var(--error); }
mark { background: none; color: inherit; text-decoration: underline wavy var(--error); text-underline-offset: 3px; }
.result, .diagnostic { margin: .5rem 0 .5rem .75rem; padding-left: .75rem; border-left: 3px solid var(--rule); }
.result { border-left-color: var(--accent); }
.result p { margin: .25rem 0; }
.heading code { color: var(--soft); }
.single { font-size: 1.05rem; }
.real { white-space: nowrap; }
.decimal { margin-left: .75em; color: var(--soft); font-variant-numeric: tabular-nums; }
.aside { color: var(--soft); font-size: .875rem; }
.holds { white-space: nowrap; color: var(--holds); font-size: .75rem; user-select: none; }
.scroll { overflow-x: auto; overflow-y: hidden; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .2rem .9rem .2rem 0; text-align: left; vertical-align: middle; }
thead th, thead td { color: var(--soft); font-size: .8rem; font-weight: 600; border-bottom: 1px solid var(--rule); }
tbody th { font-weight: 400; }
th.number, td.number { text-align: right; color: inherit; }
thead th.number { color: var(--soft); }
td + td.number { white-space: nowrap; }
td.more { color: var(--soft); }
.matrix thead tr:first-child > * { border-bottom: 0; padding-bottom: 0; }
.matrix th[scope=colgroup] { text-align: center; }
.part { margin: .6rem 0 .1rem; font-size: .875rem; color: var(--soft); }
.matrix .group > * { border-top: 1px solid var(--rule); }
.totals tbody tr:last-child > *, .totals tr > :last-child { border-top: 0; font-weight: 600; }
.kinds td { font-weight: 400; }
.data .target { border-left: 1px solid var(--rule); padding-left: .9rem; }
td.bar { width: 10rem; min-width: 4rem; padding-right: 0; }
td.bar span { display: block; height: .7rem; background: var(--bar); border-radius: 2px; min-width: 1px; }
figure { margin: .5rem 0; overflow-x: auto; overflow-y: hidden; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .875rem; margin-top: .25rem; }
.narrow { display: none; }
@media (max-width: 36rem) { .wide { display: none; } .narrow { display: block; } }
.prose { margin: 1.25rem 0 .75rem; overflow-wrap: break-word; }
.prose p, .prose ul, .prose ol { margin: .6rem 0; }
.prose h2 { font-size: 1.3rem; margin: 1.8rem 0 .5rem; } .prose h3 { font-size: 1.1rem; margin: 1.4rem 0 .4rem; }
.prose h4 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.prose code, figcaption code, nav code { background: var(--panel); border-radius: 4px; padding: .1em .3em; }
.prose pre.sample { background: var(--panel); border-radius: 6px; padding: .5rem .75rem; } .prose pre code { background: none; padding: 0; }
.prose blockquote { margin: .75rem 0; padding-left: .9rem; border-left: 3px solid var(--rule); color: var(--soft); }
.prose hr { border: 0; border-top: 1px solid var(--rule); margin: 1.5rem 0; }
a { color: var(--accent); text-underline-offset: 2px; }
nav { border-left: 3px solid var(--rule); padding-left: .9rem; margin: 0 0 1.5rem; }
nav ul { list-style: none; margin: 0; padding: 0; } nav .level2 { padding-left: 1.1rem; } nav .level3 { padding-left: 2.2rem; }
.switch { margin: 0 0 1rem; font-size: .875rem; color: var(--soft); }
body:has(#without-code:checked) .fold { display: none; }
.fold { margin: .5rem 0; }
.fold > summary, .result summary { color: var(--soft); font-size: .8rem; cursor: pointer; margin-bottom: .25rem; width: fit-content; }
.checks > summary { color: var(--holds); } .checks > summary::after { content: " ✓"; }
.value.aligned { white-space: pre; overflow-x: auto; overflow-y: hidden; }
.value, .trace { padding: .25rem 0; }
.derivation p { margin: .35rem 0; }
.formula, .step { line-height: 2; overflow-x: auto; overflow-y: hidden; }
.step { padding-left: 1.75rem; text-indent: -1.1rem; }
.derivation .result { border: 0; margin-left: 0; padding-left: 1.75rem; }
math { text-indent: 0; }
math, .derivation .decimal, .derivation .real { font-family: math, "Latin Modern Math", "STIX Two Math", "Cambria Math", serif; font-size: 1.05em; }
mfrac > :first-child { padding-bottom: .12em; }
mfrac > :last-child { padding-top: .12em; }
.as-written { font-family: "JetBrains Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875rem; }
.diagnostic { background: var(--note-ground); padding: .4rem .75rem; border-radius: 0 6px 6px 0; }
.diagnostic p { margin: .15rem 0; }
.diagnostic.error { background: var(--error-ground); border-left-color: var(--error); }
.diagnostic.error strong { color: var(--error); }
.diagnostic .label, .diagnostic .help { color: var(--soft); }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  section, .result, figure, tr { break-inside: avoid; }
  .code { background: none; border: 1px solid var(--rule); }
  .scroll, figure { overflow: visible; }
  figure svg { max-width: 100%; }
}
)css";
}

}  // namespace credence::cli
