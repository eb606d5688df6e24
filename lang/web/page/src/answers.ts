// The answers of a run, each with the line of its statement. Their HTML comes from the program, which escapes what scripts name.

import { byId, download, element } from "./dom";
import type { RunEvent } from "./protocol";

export interface AnswerActions {
  goTo: (line: number) => void;
  explain: (query: string, take: (event: RunEvent) => void) => Promise<void>;
}

const most_shown = 5000;
const can_explain = /^\s*(argmax|argmin|[PEHIL]\s*[([])/;

export class Answers {
  private root = byId("answers");
  private pictures: { name: string; svg: string }[] = [];
  private byLine = new Map<number, HTMLElement>();
  errors = 0;
  values = 0;

  constructor(private actions: AnswerActions) {}

  clear(): void {
    this.root.replaceChildren();
    this.pictures = [];
    this.byLine.clear();
    this.errors = this.values = 0;
  }

  add(event: RunEvent): void {
    if (event.kind === "error") ++this.errors;
    if (event.kind === "value" || event.kind === "derivation") ++this.values;
    if (this.root.childElementCount > most_shown && event.kind !== "error") return;
    if (this.root.childElementCount === most_shown) return this.message("Further answers are left out. A report has them all.", "note");
    const article = element("article", { className: `answer ${event.kind}` }, this.head(event), this.body(event));
    if (event.line > 0 && !this.byLine.has(event.line)) this.byLine.set(event.line, article);
    this.root.append(article);
  }

  message(text: string, kind: "error" | "note" = "error"): void {
    const said = element("p", { className: `diagnostic ${kind}`, textContent: text });
    this.root.append(element("article", { className: `answer ${kind}` }, element("div", { className: "result" }, said)));
  }

  /// Marks and shows what the statement on this line, or the one before it, said.
  follow(line: number): void {
    this.root.querySelector(".current")?.classList.remove("current");
    const lines = [...this.byLine.keys()].filter(known => known <= line);
    const article = lines.length > 0 ? this.byLine.get(Math.max(...lines)) : undefined;
    article?.classList.add("current");
    if (article && this.root.scrollHeight > this.root.clientHeight) {
      const top = article.offsetTop - this.root.offsetTop;
      if (top < this.root.scrollTop || top + article.offsetHeight > this.root.scrollTop + this.root.clientHeight)
        this.root.scrollTo({ top: top - 8 });
    }
  }

  plots(): { name: string; svg: string }[] {
    return this.pictures;
  }

  private head(event: RunEvent): HTMLElement {
    const head = element("div", { className: "head" });
    if (event.line > 0) {
      const line = element("button", { className: "line-number", textContent: `line ${event.line}`, title: "Go to the statement" });
      line.onclick = () => this.actions.goTo(event.line);
      head.append(line);
    }
    const query = event.kind === "derivation" ? `explain ${event.query}` : event.query;
    if (query) head.append(element("code", { textContent: query }));
    if (event.engine && event.engine !== "") head.append(element("span", { className: "engine", textContent: `by ${event.engine}` }));
    if (event.kind === "value" && event.query && can_explain.test(event.query)) head.append(this.explainButton(event.query));
    if (event.svg) head.append(this.pictureButton(event.svg));
    return head;
  }

  private explainButton(query: string): HTMLElement {
    const button = element("button", { textContent: "Explain", ariaLabel: `Explain ${query}`, ariaExpanded: "false" });
    let shown: HTMLElement | null = null;
    button.onclick = async () => {
      if (shown) {
        shown.hidden = !shown.hidden;
        button.ariaExpanded = String(!shown.hidden);
        return;
      }
      button.disabled = true;
      const out = element("div", { className: "explanation" });
      await this.actions.explain(query, event => out.append(this.body(event)));
      button.disabled = false;
      if (!out.hasChildNodes()) return;
      button.ariaExpanded = "true";
      shown = out;
      button.closest("article")?.append(out);
    };
    return button;
  }

  private pictureButton(svg: string): HTMLElement {
    const picture = { name: `plot-${this.pictures.length + 1}.svg`, svg };
    this.pictures.push(picture);
    const button = element("button", { textContent: "SVG", ariaLabel: `Download ${picture.name}` });
    button.onclick = () => download(picture.name, svg, "image/svg+xml");
    return button;
  }

  private body(event: RunEvent): HTMLElement {
    const out = element("div", { className: event.svg ? "result picture" : "result" });
    out.innerHTML = event.html;
    return out;
  }
}
