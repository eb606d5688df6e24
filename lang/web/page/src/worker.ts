// A worker with one instance of the program. Its files are in memory.

import { folder, type FromWorker, type NamedFile, type Request, type RunEvent, type ToWorker } from "./protocol";

interface Program {
  FS: {
    mkdir(path: string): void;
    readdir(path: string): string[];
    readFile(path: string): Uint8Array;
    stat(path: string): { size: number; mtime: Date; mode: number };
    isFile(mode: number): boolean;
    unlink(path: string): void;
    writeFile(path: string, bytes: Uint8Array): void;
  };
  HEAPU8: Uint8Array;
  UTF8ToString(pointer: number): string;
  allocateUTF8(text: string): number;
  _credence_ask(request: number): number;
  _free(pointer: number): void;
}

declare function importScripts(address: string): void;
declare const credence: (options: object) => Promise<Program>;

const post = (message: FromWorker): void => (self as unknown as { postMessage(m: FromWorker): void }).postMessage(message);
const seen = new Map<string, string>();  // name: when and how long, of files that the page knows
let program: Promise<Program>;

function start(module: WebAssembly.Module): Promise<Program> {
  importScripts("credence.js");
  const ready = credence({
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
    onEvent: (text: string) => post({ kind: "event", event: JSON.parse(text) as RunEvent }),
    stdin: () => null,
    print: () => undefined,
    printErr: () => undefined,
  });
  return ready.then(p => (p.FS.mkdir(folder), p));
}

function call(p: Program, request: Request): string {
  const text = p.allocateUTF8(JSON.stringify(request));
  const reply = p._credence_ask(text);
  const out = p.UTF8ToString(reply);
  p._free(text);
  p._free(reply);
  return out;
}

const mark = (p: Program, name: string): string => {
  const { size, mtime } = p.FS.stat(`${folder}/${name}`);
  return `${size} ${mtime.getTime()}`;
};

/// Files that a script has written since the page was told last.
function written(p: Program): NamedFile[] {
  const out: NamedFile[] = [];
  for (const name of p.FS.readdir(folder)) {
    const path = `${folder}/${name}`;
    if (!p.FS.isFile(p.FS.stat(path).mode) || seen.get(name) === mark(p, name)) continue;
    seen.set(name, mark(p, name));
    out.push({ name, bytes: p.FS.readFile(path) });
  }
  return out;
}

function keep(p: Program, name: string, bytes: Uint8Array | null): void {
  if (bytes) {
    p.FS.writeFile(`${folder}/${name}`, bytes);
    seen.set(name, mark(p, name));
  } else if (seen.delete(name)) {
    p.FS.unlink(`${folder}/${name}`);
  }
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.kind === "start") {
      program = start(data.module);
      return;
    }
    const p = await program;
    if (data.kind === "file") return keep(p, data.name, data.bytes);
    const reply = JSON.parse(call(p, data.request));
    const files = data.request.op === "run" ? written(p) : [];
    if (files.length > 0) post({ kind: "written", files });
    post({ kind: "reply", id: data.id, reply, memory: p.HEAPU8.byteLength });
  } catch (error) {
    post({ kind: "broken", message: String(error) });
  }
};
