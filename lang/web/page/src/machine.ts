// A worker as the page sees it: requests with their replies, and an end to work that takes too long.

import type { FromWorker, NamedFile, Reply, Request, RunEvent, ToWorker } from "./protocol";

const most_kept_memory = 400 << 20;  // memory once taken is given back only with the worker

export class Ended extends Error {}

export class Machine {
  onEvent: (event: RunEvent) => void = () => undefined;
  onWritten: (files: NamedFile[]) => void = () => undefined;
  private worker: Worker | null = null;
  private waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  private last = 0;
  private memory = 0;

  constructor(private module: Promise<WebAssembly.Module>, private files: () => Iterable<NamedFile>) {
    module.then(() => this.ready(), () => undefined);
  }

  async ask(request: Request): Promise<Reply> {
    await this.module;
    const worker = this.ready();
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.then(w => this.send(w, { kind: "ask", id, request }));
    });
  }

  tell(file: { name: string; bytes: Uint8Array | null }): void {
    this.starting?.then(worker => this.send(worker, { kind: "file", ...file }));
  }

  /// Ends the worker, whatever it does; the next request gets a new one.
  end(message: string): void {
    this.worker?.terminate();
    this.worker = null;
    this.starting = null;
    this.memory = 0;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(new Ended(message));
    this.module.then(() => this.ready(), () => undefined);
  }

  /// Before a run: nothing is asked of it at the moment.
  renew(): void {
    if (this.memory > most_kept_memory) this.end("");
  }

  private starting: Promise<Worker> | null = null;

  private ready(): Promise<Worker> {
    return (this.starting ??= this.module.then(module => {
      const worker = new Worker("worker.js");
      this.worker = worker;
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.receive(data);
      worker.onerror = event => this.end(event.message);
      this.send(worker, { kind: "start", module });
      for (const { name, bytes } of this.files()) this.send(worker, { kind: "file", name, bytes });
      return worker;
    }));
  }

  private send(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }

  private receive(message: FromWorker): void {
    if (message.kind === "event") return this.onEvent(message.event);
    if (message.kind === "written") return this.onWritten(message.files);
    if (message.kind === "broken") return this.end(message.message);
    this.memory = message.memory;
    this.waiting.get(message.id)?.resolve(message.reply);
    this.waiting.delete(message.id);
  }
}
