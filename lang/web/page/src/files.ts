// The files that scripts can load. They are kept in this page and given to each worker.

import { byId, download, element } from "./dom";
import type { NamedFile } from "./protocol";

const most_bytes = 64 << 20;

export class Files implements Iterable<NamedFile> {
  onChange: (file: { name: string; bytes: Uint8Array | null }) => void = () => undefined;
  onScript: (name: string, text: string) => void = () => undefined;
  private kept = new Map<string, Uint8Array>();
  private list = byId("files-list");

  constructor() {
    const input = byId<HTMLInputElement>("files-input");
    input.onchange = () => this.open(input.files ?? []).then(() => (input.value = ""));
    byId("files").onclick = () => byId<HTMLDialogElement>("files-dialog").showModal();
    document.addEventListener("dragover", event => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    });
    document.addEventListener("drop", event => {
      const files = event.dataTransfer?.files;
      if (!files?.length) return;
      event.preventDefault();
      event.stopPropagation();
      this.open(files);
    }, true);
    this.show();
  }

  *[Symbol.iterator](): Iterator<NamedFile> {
    for (const [name, bytes] of this.kept) yield { name, bytes };
  }

  /// A file of the user's, of an example or of a script that wrote it.
  keep({ name, bytes }: NamedFile): void {
    this.kept.set(name, bytes);
    this.onChange({ name, bytes });
    this.show();
  }

  /// A file that the worker has already.
  learn({ name, bytes }: NamedFile): void {
    this.kept.set(name, bytes);
    this.show();
  }

  private remove(name: string): void {
    this.kept.delete(name);
    this.onChange({ name, bytes: null });
    this.show();
  }

  private async open(files: Iterable<File>): Promise<void> {
    const told: string[] = [];
    for (const file of files) {
      const name = file.name.replace(/[/\\\0]/g, "_");
      const used = [...this.kept].reduce((sum, [known, bytes]) => sum + (known === name ? 0 : bytes.length), 0);
      if (used + file.size > most_bytes) {
        told.push(`${name} is too large: files may have 64 MB in all`);
        continue;
      }
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (name.endsWith(".cred")) {
        this.onScript(name, new TextDecoder().decode(bytes));
        told.push(`${name} is in the editor`);
      } else {
        this.keep({ name, bytes });
        told.push(`${name} is here: load("${name}")`);
      }
    }
    byId("status").textContent = told.join(" · ");
  }

  private show(): void {
    this.list.replaceChildren(...[...this.kept].map(([name, bytes]) => {
      const size = bytes.length < 1024 ? `${bytes.length} bytes` : `${(bytes.length / 1024).toFixed(0)} KB`;
      const save = element("button", { textContent: "Download", ariaLabel: `Download ${name}` });
      save.onclick = () => download(name, bytes as BlobPart, "application/octet-stream");
      const remove = element("button", { textContent: "Remove", ariaLabel: `Remove ${name}` });
      remove.onclick = () => this.remove(name);
      return element("li", {}, element("code", { textContent: name }), ` ${size} `, save, " ", remove);
    }));
    if (this.kept.size === 0) this.list.append(element("li", { textContent: "There are none yet." }));
  }
}
