// The examples by subject, with a search over their names, titles and texts.

import { byId, counted, element } from "./dom";
import type { NamedFile } from "./protocol";

interface Example { subject: string; name: string; title: string; code: string; files?: string[] }
interface Collection { examples: Example[]; files: Record<string, string> }

export class Examples {
  onOpen: (example: { name: string; code: string; files: NamedFile[] }) => void = () => undefined;
  private dialog = byId<HTMLDialogElement>("examples-dialog");
  private search = byId<HTMLInputElement>("examples-search");
  private all: Promise<Collection> | null = null;

  constructor() {
    byId("examples").onclick = () => this.open();
    this.search.oninput = () => this.show();
  }

  private async open(): Promise<void> {
    this.dialog.showModal();
    this.search.focus();
    this.all ??= fetch("examples.json").then(response => response.json() as Promise<Collection>);
    await this.show();
  }

  private async show(): Promise<void> {
    const { examples, files } = await this.all!;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(word => word);
    const found = examples.filter(e => {
      const text = `${e.subject} ${e.name} ${e.title} ${e.code}`.toLowerCase();
      return words.every(word => text.includes(word));
    });
    const subjects = new Map<string, Example[]>();
    for (const e of found) subjects.set(e.subject, [...(subjects.get(e.subject) ?? []), e]);
    byId("examples-found").textContent = words.length > 0 ? `${counted(found.length, "example")} found` : "";
    byId("examples-list").replaceChildren(...[...subjects].map(([subject, of]) =>
      element("details", { open: words.length > 0 || subject === "bayes_rule" },
        element("summary", { textContent: `${subject.replaceAll("_", " ")} (${of.length})` }),
        element("ul", {}, ...of.map(e => element("li", {}, this.button(e, files)))))));
  }

  private button(example: Example, files: Record<string, string>): HTMLElement {
    const button = element("button", { className: "example" },
      element("strong", { textContent: example.name.replaceAll("_", " ") }), ` ${example.title}`);
    button.onclick = () => {
      this.dialog.close();
      const encoder = new TextEncoder();
      this.onOpen({
        name: `${example.name}.cred`,
        code: example.code,
        files: (example.files ?? []).map(name => ({ name, bytes: encoder.encode(files[name]) })),
      });
    };
    return button;
  }
}
