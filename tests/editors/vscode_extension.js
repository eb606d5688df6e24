// The extension for VS Code under node, with stand-ins for the two modules it needs: it starts the language server, passes it a
// script, and what comes back are diagnostics; its commands run a script and make its report. Usage: EXTENSION.js PROGRAM

const assert = require("assert");
const { spawn } = require("child_process");
const fs = require("fs");
const Module = require("module");
const os = require("os");
const path = require("path");

const [extensionFile, program] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "credence-vscode-"));
const script = path.join(folder, "coin.cred");
fs.writeFileSync(script, "let x = undefined_word\n");

const commands = {};
const tasks = [];
const opened = [];
const errors = [];
const disposable = { dispose() {} };
const vscode = {
  workspace: { getConfiguration: () => ({ get: () => program }), onDidChangeConfiguration: () => disposable },
  window: {
    activeTextEditor: { document: { languageId: "credence", isUntitled: false, fileName: script, save: async () => true } },
    showErrorMessage: (message) => errors.push(message),
    showInformationMessage: (message) => errors.push(message),
  },
  commands: { registerCommand: (name, action) => ((commands[name] = action), disposable) },
  tasks: { executeTask: async (task) => tasks.push(task) },
  env: { openExternal: (uri) => opened.push(uri) },
  Uri: { file: (name) => name },
  ProcessExecution: class {
    constructor(command, args) {
      Object.assign(this, { command, args });
    }
  },
  Task: class {
    constructor(definition, scope, name, source, execution) {
      Object.assign(this, { name, execution });
    }
  },
  TaskScope: { Workspace: 1 },
  TaskRevealKind: { Always: 1 },
};

const TransportKind = { stdio: 0, ipc: 1, pipe: 2, socket: 3 };
const diagnostics = [];

/// As much of the client as matters here: what it starts, with the argument it adds, and the first messages.
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { run: server.run, options });
  }
  async start() {
    const added = this.run.transport === TransportKind.stdio ? ["--stdio"] : [];
    this.server = spawn(this.run.command, [...this.run.args, ...added]);
    let text = Buffer.alloc(0);
    const answered = new Promise((resolve, reject) => {
      this.server.on("exit", (status) => reject(new Error(`the server ended with status ${status}`)));
      this.server.stdout.on("data", (piece) => {
        text = Buffer.concat([text, piece]);
        for (;;) {
          const head = text.indexOf("\r\n\r\n");
          const size = head < 0 ? 0 : Number(/Content-Length: (\d+)/.exec(text.subarray(0, head))[1]);
          if (head < 0 || text.length < head + 4 + size) return;
          const message = JSON.parse(text.subarray(head + 4, head + 4 + size));
          text = text.subarray(head + 4 + size);
          if (message.id === 1) resolve();
          if (message.method === "textDocument/publishDiagnostics") diagnostics.push(...message.params.diagnostics);
        }
      });
    });
    this.send({ id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
    await answered;
    this.send({ method: "initialized", params: {} });
    const document = { uri: `file://${script}`, languageId: this.options.documentSelector[0].language, version: 1, text: fs.readFileSync(script, "utf8") };
    this.send({ method: "textDocument/didOpen", params: { textDocument: document } });
  }
  async stop() {
    this.server.removeAllListeners("exit");
    this.server.kill();
  }
  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
}

const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient, TransportKind };
  return load.call(this, name, ...rest);
};

async function until(holds, what) {
  for (let i = 0; i < 300 && !holds(); ++i) await new Promise((resolve) => setTimeout(resolve, 100));
  assert(holds(), what);
}

(async () => {
  const extension = require(extensionFile);
  await extension.activate({ subscriptions: [] });
  await until(() => diagnostics.length > 0, "diagnostics come");
  assert.strictEqual(diagnostics[0].code, "E-NAME");

  const declared = JSON.parse(fs.readFileSync(path.join(path.dirname(extensionFile), "package.json"))).contributes.commands;
  assert.deepStrictEqual(Object.keys(commands).sort(), declared.map((c) => c.command).sort());
  await commands["credence.run"]();
  assert.strictEqual(tasks[0].execution.command, program);
  assert.deepStrictEqual(tasks[0].execution.args, [script]);
  await commands["credence.report"]();
  await until(() => opened.length > 0, "the report is opened");
  assert(fs.readFileSync(opened[0], "utf8").includes("undefined_word"));
  await commands["credence.restart"]();
  assert.deepStrictEqual(errors, []);
  await extension.deactivate();
  fs.rmSync(opened[0]);
  fs.rmSync(folder, { recursive: true });
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
