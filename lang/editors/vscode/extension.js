// Starts `credence lsp` and hands VS Code what it answers; two commands run a script and show its report.

const { execFile } = require("child_process");
const os = require("os");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function program() {
  return vscode.workspace.getConfiguration("credence").get("path") || "credence";
}

async function start() {
  const run = { command: program(), args: ["lsp"] };
  client = new LanguageClient("credence", "Credence", { run, debug: run }, { documentSelector: [{ language: "credence" }] });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`The Credence language server did not start (${program()} lsp): ${error.message}. The setting credence.path names the program.`);
  }
}

async function restart() {
  if (client) await client.stop().catch(() => {});
  await start();
}

async function savedFile() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "credence" || editor.document.isUntitled) {
    vscode.window.showInformationMessage("Open and save a Credence script first.");
    return undefined;
  }
  await editor.document.save();
  return editor.document.fileName;
}

async function runScript() {
  const file = await savedFile();
  if (!file) return;
  const execution = new vscode.ProcessExecution(program(), [file], { cwd: path.dirname(file) });
  const task = new vscode.Task({ type: "credence" }, vscode.TaskScope.Workspace, path.basename(file), "credence", execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}

async function showReport() {
  const file = await savedFile();
  if (!file) return;
  const page = path.join(os.tmpdir(), path.basename(file, ".cred") + ".html");
  execFile(program(), ["report", file, "-o", page], { cwd: path.dirname(file) }, (error) => {
    // Status 1 is a script with errors: the page shows them. Anything else means that there is no page.
    if (error && error.code !== 1) vscode.window.showErrorMessage(`No report: ${error.message}`);
    else vscode.env.openExternal(vscode.Uri.file(page));
  });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("credence.run", runScript),
    vscode.commands.registerCommand("credence.report", showReport),
    vscode.commands.registerCommand("credence.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("credence.path")) restart();
    })
  );
  await start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
