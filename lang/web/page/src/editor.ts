// The editor of the page.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Prec, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";

import { byId } from "./dom";

export interface Actions {
  run: () => void;
  runHere: () => void;
  changed: (text: string) => void;
  moved: (line: number) => void;  // by the user
}

const command = (action: () => void) => () => (action(), true);

/// Tab is left to the browser, so that the keyboard leaves the editor.
export function makeEditor(text: string, actions: Actions, language: Extension): EditorView {
  return new EditorView({
    parent: byId("editor"),
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.high(keymap.of([
          { key: "Ctrl-Enter", mac: "Cmd-Enter", run: command(actions.run) },
          { key: "Shift-Enter", run: command(actions.runHere) },
        ])),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        indentUnit.of("  "),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Script", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
        language,
        EditorView.updateListener.of(update => {
          if (update.docChanged) actions.changed(update.state.doc.toString());
          if (update.selectionSet && update.transactions.some(t => t.isUserEvent("select")))
            actions.moved(update.state.doc.lineAt(update.state.selection.main.head).number);
        }),
      ],
    }),
  });
}

export function setText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
}

export function goTo(view: EditorView, line: number): void {
  const found = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  view.dispatch({ selection: { anchor: found.from }, effects: EditorView.scrollIntoView(found.from, { y: "center" }) });
  view.focus();
}
