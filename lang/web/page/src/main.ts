// The page: the editor, the answers and the two workers, one that runs scripts and one that helps with writing them.

import type { EditorView } from "@codemirror/view";

import { Answers } from "./answers";
import { byId, counted, download, say } from "./dom";
import { goTo, makeEditor, setText } from "./editor";
import { Examples } from "./examples";
import { Files } from "./files";
import { Language, languageExtensions } from "./language";
import { Ended, Machine } from "./machine";
import { folder, type RunEvent } from "./protocol";
import { encoded, scriptOf } from "./share";
import { starter } from "./starter";
import { forget, recall, remember } from "./storage";

const draft_key = "credence.script";
const running_key = "credence.running";  // set while a script runs: one that took the page down is not run again at once

const files = new Files();
const program = WebAssembly.compileStreaming(fetch("credence.wasm"));
const runner = new Machine(program, () => files);
const helper = new Machine(program, () => files);
const language = new Language(helper);
let name = "script.cred";
let running = false;

const answers = new Answers({
  goTo: line => goTo(editor, line),
  explain: (query, take) => work(async () => {
    runner.onEvent = event => event.kind === "progress" ? progress(event) : take(event);
    await runner.ask({ op: "explain", query });
    say("Explained");
  }),
});

function progress(event: RunEvent): void {
  const bar = byId<HTMLProgressElement>("progress");
  bar.hidden = false;
  bar.value = event.percent ?? 0;
  bar.ariaLabel = event.work ?? "Progress";
}

/// Anything that the runner does: one thing at a time, which can be stopped and has a limit.
async function work(body: () => Promise<void>): Promise<void> {
  if (running) return;
  running = true;
  runner.renew();
  for (const id of ["run", "run-here", "download-report"]) byId<HTMLButtonElement>(id).disabled = true;
  byId<HTMLButtonElement>("stop").disabled = false;
  const seconds = Number(byId<HTMLSelectElement>("limit").value);
  const limit = window.setTimeout(() => runner.end(`stopped after ${seconds} seconds; More has a longer limit`), seconds * 1000);
  try {
    await body();
  } catch (error) {
    const text = error instanceof Ended ? ended(error.message) : `the program could not be loaded: ${String(error)}`;
    answers.message(text);
    say(text);
  }
  clearTimeout(limit);
  byId("progress").hidden = true;
  for (const id of ["run", "run-here", "download-report"]) byId<HTMLButtonElement>(id).disabled = false;
  byId<HTMLButtonElement>("stop").disabled = true;
  running = false;
}

function ended(message: string): string {
  if (/call stack|recursion/i.test(message)) return "stopped: the script goes deeper than the browser's stack allows";
  if (/memory/i.test(message)) return "stopped: the script needs more memory than the page may have";
  return message.startsWith("stopped") ? message : `the interpreter failed: ${message}`;
}

function run(code: string): Promise<void> {
  return work(async () => {
    answers.clear();
    say("Running …");
    remember(running_key, "yes");
    const begin = performance.now();
    runner.onEvent = event => event.kind === "progress" ? progress(event) : answers.add(event);
    try {
      const reply = await runner.ask({ op: "run", name, code, folder });
      const seconds = ((performance.now() - begin) / 1000).toFixed(2);
      const checks = (reply.met ?? 0) + (reply.failed ?? 0);
      if (answers.values + answers.errors === 0 && reply.ok) answers.message("The script ran. It asks for nothing: add a query such as P(X).", "note");
      say([counted(answers.values, "answer"), answers.errors > 0 ? counted(answers.errors, "error") : "",
        checks > 0 ? `${reply.met} of ${counted(checks, "expectation")} met` : "", `${seconds} s`].filter(part => part).join(" · "));
    } finally {
      forget(running_key);
    }
  });
}

const runAll = (): void => void run(editor.state.doc.toString());

async function runHere(): Promise<void> {
  const { doc, selection } = editor.state;
  const end = await language.statementEnd(doc, doc.lineAt(selection.main.head).number);
  await run(doc.sliceString(0, doc.line(Math.min(end, doc.lines)).to) + "\n");
}

function open(file: { name: string; code: string }): void {
  name = file.name;
  setText(editor, file.code);
  if (running) runner.end("stopped: another script was opened");
  window.setTimeout(runAll);
}

async function copyLink(): Promise<void> {
  const address = `${location.href.split("#")[0]}#script=${await encoded(editor.state.doc.toString())}`;
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    say("The link is in the clipboard and in the address line");
  } catch {
    say("The link is in the address line");
  }
}

function wire(): void {
  byId("run").onclick = runAll;
  byId("run-here").onclick = () => void runHere();
  byId("stop").onclick = () => runner.end("stopped");
  byId("copy-link").onclick = () => void copyLink();
  byId("format").onclick = async () => {
    const edits = await language.format(editor.state.doc);
    if (typeof edits === "string") say(edits);
    else editor.dispatch({ changes: edits });
  };
  byId("download-script").onclick = () => download(name, editor.state.doc.toString(), "text/plain");
  byId("download-report").onclick = () => void work(async () => {
    say("Writing the report …");
    const reply = await runner.ask({ op: "report", name, code: editor.state.doc.toString(), folder });
    download(name.replace(/\.cred$/, ".html"), String(reply.result), "text/html");
    say("The report is downloaded");
  });
  byId("download-plots").onclick = () => {
    const plots = answers.plots();
    for (const plot of plots) download(plot.name, plot.svg, "image/svg+xml");
    say(plots.length > 0 ? `${counted(plots.length, "plot")} downloaded` : "There are no plots: run a script with plot(…)");
  };
  const menu = byId<HTMLDetailsElement>("more");
  menu.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  document.addEventListener("click", event => {
    const inside = menu.contains(event.target as Node);
    if (!inside || (event.target as HTMLElement).closest("button")) menu.open = false;
  });
  files.onChange = file => {
    runner.tell(file);
    helper.tell(file);
  };
  files.onScript = (of, code) => open({ name: of, code });
  runner.onWritten = written => written.forEach(file => files.learn(file));
  const examples = new Examples();
  examples.onOpen = example => {
    example.files.forEach(file => files.keep(file));
    open(example);
  };
  window.addEventListener("hashchange", () => void load(location.hash));
}

/// The script of a link.
async function load(fragment: string): Promise<void> {
  try {
    const script = await scriptOf(fragment);
    if (script !== null && script !== editor.state.doc.toString()) open({ name: "script.cred", code: script });
  } catch {
    say("The link does not carry a script that can be read");
  }
}

let editor: EditorView;

async function begin(): Promise<void> {
  const kept = recall(draft_key);
  const linked = await scriptOf(location.hash).catch(() => null);
  editor = makeEditor(linked ?? kept ?? starter, {
    run: runAll,
    runHere: () => void runHere(),
    changed: text => remember(draft_key, text),
    moved: line => answers.follow(line),
  }, languageExtensions(language));
  wire();
  if (recall(running_key)) {
    forget(running_key);
    say("Ready. The last run had not ended, so the script was not run again.");
  } else {
    runAll();
  }
}

void begin();
