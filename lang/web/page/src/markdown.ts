// Help texts of the language service as elements: paragraphs, code, *emphasis*. All else stays text.

import { element } from "./dom";

function inline(text: string): (Node | string)[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(part =>
    part.startsWith("`") && part.length > 2 ? element("code", { textContent: part.slice(1, -1) })
    : part.startsWith("**") ? element("strong", { textContent: part.slice(2, -2) })
    : part.replace(/\\([\\`*_{}[\]()#+.!|<>-])/g, "$1"));
}

export function markdown(text: string): HTMLElement {
  const out = element("div", { className: "help" });
  text.split(/^```.*$/m).forEach((piece, i) => {
    if (i % 2 === 1) {
      out.append(element("pre", {}, element("code", { textContent: piece.replace(/^\n|\n$/g, "") })));
      return;
    }
    for (const paragraph of piece.split(/\n\s*\n/))
      if (paragraph.trim() && !/^-{3,}$/.test(paragraph.trim())) out.append(element("p", {}, ...inline(paragraph.trim())));
  });
  return out;
}
