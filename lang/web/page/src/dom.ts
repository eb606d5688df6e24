// Small helpers for the elements of the page.

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const out = Object.assign(document.createElement(tag), properties);
  out.append(...children);
  return out;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no element ${id}`);
  return found as T;
}

export function say(text: string): void {
  byId("status").textContent = text;
}

export function download(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
