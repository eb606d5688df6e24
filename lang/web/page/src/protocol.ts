// What the page, its workers and the program say to each other. lang/web/ask.cpp lists the requests.

export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }

/// An event of a run (lang/web/events.cpp).
export interface RunEvent {
  kind: "value" | "derivation" | "error" | "note" | "progress";
  line: number;
  query?: string;
  engine?: string;
  text: string;
  html: string;
  svg?: string;
  work?: string;
  percent?: number;
}

export type Request = { op: string } & Record<string, unknown>;
export interface Reply { error?: string; result?: unknown; ok?: boolean; met?: number; failed?: number }

export interface NamedFile { name: string; bytes: Uint8Array }

export type ToWorker =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "ask"; id: number; request: Request }
  | { kind: "file"; name: string; bytes: Uint8Array | null };  // null: it is gone

export type FromWorker =
  | { kind: "event"; event: RunEvent }
  | { kind: "reply"; id: number; reply: Reply; memory: number }
  | { kind: "written"; files: NamedFile[] }
  | { kind: "broken"; message: string };  // the program has ended; another worker is needed

export const folder = "/files";
