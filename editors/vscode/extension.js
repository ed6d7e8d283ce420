// Starts `coderag lsp` beside the servers of the languages, and shows what its commands answer.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function serverOptions() {
  const settings = vscode.workspace.getConfiguration("coderag");
  return { command: settings.get("command"), args: settings.get("arguments") };
}

function place(uri, line) {
  return { uri: vscode.Uri.parse(uri), range: new vscode.Range(Math.max(line - 1, 0), 0, Math.max(line - 1, 0), 0) };
}

async function pick(rows, title) {
  if (!rows?.length) return vscode.window.showInformationMessage("coderag: nothing found");
  const items = rows.map((row) => ({
    label: row.qualified_name || row.path,
    description: `${row.path}:${row.start_line}`,
    detail: row.why ?? row.kind,
    row,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  if (!chosen) return undefined;
  const { uri, range } = place(chosen.row.uri, chosen.row.start_line);
  return vscode.window.showTextDocument(uri, { selection: range });
}

async function showAnswer(question, answer) {
  if (!answer) return undefined;
  const cited = (numbers) => numbers.map((number) => `[${number}]`).join("");
  const stated = [...answer.statements, ...answer.facts].map((one) => `- ${one.text} ${cited(one.citations)}`);
  const sources = (stated.length ? answer.sources : answer.nearest).map(
    (one, number) => `${number + 1}. ${one.path}:${one.start_line}-${one.end_line}`,
  );
  const body = stated.length ? stated.join("\n") : "Not found. The nearest:";
  const content = `# ${question}\n\n${body}\n\n${sources.join("\n")}\n`;
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
  return vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
}

async function showReferences(locations) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !locations) return undefined;
  const places = locations.map((one) => {
    const { uri, range } = place(one.uri, one.range.start.line + 1);
    return new vscode.Location(uri, range);
  });
  const { document, selection } = editor;
  return vscode.commands.executeCommand("editor.action.showReferences", document.uri, selection.active, places);
}

function wordAtCursor() {
  const editor = vscode.window.activeTextEditor;
  const range = editor?.document.getWordRangeAtPosition(editor.selection.active);
  return range ? editor.document.getText(range) : "";
}

// The client makes a command of the editor of each of the server; here it asks for what is missing and shows the result.
async function executeCommand(command, given, next) {
  if (command === "coderag.references") return showReferences(await next(command, given));
  const prompt = { "coderag.search": "A question, or a name", "coderag.ask": "A question", "coderag.impact": "A name" }[command];
  if (!prompt) return next(command, given);
  const value = command === "coderag.impact" ? wordAtCursor() : "";
  const asked = given?.[0] ?? (await vscode.window.showInputBox({ prompt, value }));
  if (!asked) return undefined;
  const answer = await next(command, [asked]);
  return command === "coderag.ask" ? showAnswer(asked, answer) : pick(answer, asked);
}

async function activate(context) {
  const documentSelector = [{ scheme: "file" }];
  client = new LanguageClient("coderag", "coderag", serverOptions(), { documentSelector, middleware: { executeCommand } });
  context.subscriptions.push(vscode.commands.registerCommand("coderag.restart", () => client.restart()));
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`coderag does not start: ${error.message}. Install it, or set "coderag.command".`);
  }
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
