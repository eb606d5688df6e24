// The language service in the editor: colours, errors, completion, help under the pointer, the parameters of a call.

import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { StateEffect, StateField, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, hoverTooltip, showTooltip, type DecorationSet, type Tooltip, type ViewUpdate } from "@codemirror/view";

import { element } from "./dom";
import { Ended, type Machine } from "./machine";
import { markdown } from "./markdown";
import { folder, type Position, type Range } from "./protocol";

const colour_delay = 20;
const check_delay = 250;

interface Found { range: Range; severity: number; message: string; code?: string }
interface Offer { label: string; kind: number; detail?: string; textEdit: { range: Range; newText: string } }
interface Signatures {
  signatures: { label: string; documentation?: string | { value: string }; parameters?: { label: string | [number, number] }[] }[];
  activeSignature?: number;
  activeParameter?: number;
}

function positionOf(doc: Text, at: number): Position {
  const line = doc.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
}

function offsetOf(doc: Text, { line, character }: Position): number {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.from + character, found.to);
}

/// Asks about the text of the editor; the answers to a text that is no longer there are dropped.
export class Language {
  private opened: Text | null = null;
  private styles: Promise<string[]>;

  constructor(private machine: Machine) {
    this.styles = machine.ask({ op: "info" }).then(reply => (reply as { styles: string[] }).styles);
    this.styles.catch(() => undefined);
  }

  /// The pieces to colour, where the text is new to the service.
  async open(doc: Text): Promise<DecorationSet | null> {
    if (this.opened === doc) return null;
    this.opened = doc;
    const pieces = (await this.machine.ask({ op: "open", folder, code: doc.toString() })).result as number[];
    const styles = await this.styles;
    const marks = styles.map(style => Decoration.mark({ class: `cr-${style}` }));
    const ranges = [];
    for (let i = 0; i + 2 < pieces.length; i += 3) {
      const [from = 0, to = 0, style = 0] = pieces.slice(i, i + 3);
      const mark = marks[style];
      if (mark && to > from && to <= doc.length) ranges.push(mark.range(from, to));
    }
    return Decoration.set(ranges);
  }

  async ask<T>(op: string, doc: Text, at?: number): Promise<T | null> {
    try {
      if (this.opened !== doc) await this.open(doc);
      const reply = await this.machine.ask(at === undefined ? { op } : { op, position: positionOf(doc, at) });
      return reply.error ? null : reply.result as T;
    } catch (error) {
      this.opened = null;
      if (error instanceof Ended) return null;
      throw error;
    }
  }

  async check(doc: Text): Promise<Diagnostic[]> {
    return (await this.ask<Found[]>("diagnostics", doc) ?? []).map(d => ({
      from: offsetOf(doc, d.range.start),
      to: Math.max(offsetOf(doc, d.range.end), offsetOf(doc, d.range.start)),
      severity: d.severity === 1 ? "error" : "info",
      source: d.code,
      message: d.message,
    }));
  }

  /// The line on which the statement that a line stands in ends.
  async statementEnd(doc: Text, line: number): Promise<number> {
    const ends = await this.ask<number[]>("statements", doc) ?? [];
    return ends.find(end => end >= line) ?? doc.lines;
  }

  async format(doc: Text): Promise<{ from: number; to: number; insert: string }[] | string> {
    await this.ask("statements", doc);
    const reply = await this.machine.ask({ op: "format" });
    if (reply.error) return reply.error;
    return (reply.result as { range: Range; newText: string }[]).map(edit =>
      ({ from: offsetOf(doc, edit.range.start), to: offsetOf(doc, edit.range.end), insert: edit.newText }));
  }

  async complete(context: CompletionContext): Promise<CompletionResult | null> {
    const doc = context.state.doc;
    const before = context.matchBefore(/[\p{L}\p{N}_\\]+/u);
    if (!context.explicit && !before && !/[.(=]\s?$/.test(context.state.sliceDoc(Math.max(0, context.pos - 2), context.pos))) return null;
    const found = await this.ask<{ items: Offer[] }>("complete", doc, context.pos);
    const first = found?.items[0];
    if (!found || !first || context.aborted) return null;
    return {
      from: offsetOf(doc, first.textEdit.range.start),
      validFor: /^[\p{L}\p{N}_\\]*$/u,
      options: found.items.map((item, i): Completion => ({
        label: item.label,
        apply: item.textEdit.newText,
        detail: item.detail,
        type: completion_types[item.kind] ?? "text",
        boost: -Math.min(i, 99),
      })),
    };
  }

  async hover(doc: Text, at: number): Promise<{ from: number; to: number; text: string } | null> {
    const found = await this.ask<{ contents: { value: string }; range: Range }>("hover", doc, at);
    return found && { from: offsetOf(doc, found.range.start), to: offsetOf(doc, found.range.end), text: found.contents.value };
  }
}

/// The protocol's CompletionItemKind in the words of CodeMirror.
const completion_types: Record<number, string> = {
  3: "function", 4: "class", 5: "property", 6: "variable", 7: "class", 10: "method", 12: "constant", 14: "keyword", 17: "text", 20: "enum", 22: "type",
};

const set_colours = StateEffect.define<DecorationSet>();
const colours = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(set_colours)) return effect.value;
    return value.map(transaction.changes);
  },
  provide: field => EditorView.decorations.from(field),
});

const set_signature = StateEffect.define<Tooltip | null>();
const signature = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(set_signature)) return effect.value;
    return value;
  },
  provide: field => showTooltip.from(field),
});

function signatureTooltip(found: Signatures, pos: number): Tooltip | null {
  const form = found.signatures[found.activeSignature ?? 0];
  if (!form) return null;
  return {
    pos,
    above: true,
    create() {
      const dom = element("div", { className: "signature" });
      const parameter = form.parameters?.[found.activeParameter ?? -1]?.label;
      const from = Array.isArray(parameter) ? parameter[0] : parameter ? form.label.indexOf(parameter) : -1;
      const to = Array.isArray(parameter) ? parameter[1] : from + (parameter?.length ?? 0);
      dom.append(from < 0 ? element("code", { textContent: form.label })
        : element("code", {}, form.label.slice(0, from), element("strong", { textContent: form.label.slice(from, to) }), form.label.slice(to)));
      const text = typeof form.documentation === "string" ? form.documentation : form.documentation?.value;
      if (text) dom.append(markdown(text));
      return { dom };
    },
  };
}

/// Follows the text and the cursor.
function watcher(language: Language): Extension {
  return ViewPlugin.define(view => {
    let colouring = 0;
    let checking = 0;
    const colour = async (): Promise<void> => {
      const doc = view.state.doc;
      const found = await language.open(doc).catch(() => null);
      if (found && view.state.doc === doc) view.dispatch({ effects: set_colours.of(found) });
    };
    const check = async (): Promise<void> => {
      const doc = view.state.doc;
      const found = await language.check(doc);
      if (view.state.doc !== doc) return;
      view.dispatch(setDiagnostics(view.state, found));
    };
    const sign = async (): Promise<void> => {
      const { doc, selection } = view.state;
      const at = selection.main.head;
      const found = view.hasFocus && selection.main.empty ? await language.ask<Signatures>("signature", doc, at) : null;
      if (view.state.doc !== doc || view.state.selection.main.head !== at) return;
      const tooltip = found ? signatureTooltip(found, at) : null;
      if (tooltip || view.state.field(signature)) view.dispatch({ effects: set_signature.of(tooltip) });
    };
    const soon = (): void => {
      clearTimeout(colouring);
      clearTimeout(checking);
      colouring = window.setTimeout(colour, colour_delay);
      checking = window.setTimeout(() => check().then(sign), check_delay);
    };
    soon();
    return {
      update(update: ViewUpdate) {
        if (update.docChanged) soon();
        else if (update.selectionSet && view.state.field(signature)) {
          clearTimeout(checking);
          checking = window.setTimeout(sign, check_delay);
        }
      },
    };
  });
}

export function languageExtensions(language: Language): Extension {
  return [
    colours,
    signature,
    lintGutter(),
    autocompletion({ override: [context => language.complete(context)], icons: false }),
    hoverTooltip(async (view, pos) => {
      const found = await language.hover(view.state.doc, pos);
      return found && { pos: found.from, end: found.to, create: () => ({ dom: markdown(found.text) }) };
    }),
    watcher(language),
  ];
}
