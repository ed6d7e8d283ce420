// Loads the extension for VS Code with stand-ins for the editor and its client, and prints what it does.
"use strict";

const Module = require("node:module");
const path = require("node:path");

const folder = process.argv[2];
const settings = JSON.parse(process.argv[3]);
const said = { opened: [] };
const class_ = (...names) => class { constructor(...values) { names.forEach((name, at) => { this[name] = values[at]; }); } };

const vscode = {
  Range: class_("line", "column"),
  Location: class_("uri", "range"),
  Uri: { parse: (text) => text },
  ViewColumn: { Beside: -2 },
  commands: {
    registerCommand: (name) => { said.own = name; return {}; },
    executeCommand: (...given) => { said.executed = given; },
  },
  window: {
    activeTextEditor: {
      document: { uri: "file:///here.py", getWordRangeAtPosition: () => 1, getText: () => "place_order" },
      selection: { active: 7 },
    },
    showInputBox: ({ value }) => value || "retries",
    showQuickPick: (items) => items[0],
    showTextDocument: (what, how) => said.opened.push([what, how?.selection?.line ?? how]),
    showInformationMessage: (text) => { said.information = text; },
    showErrorMessage: (text) => { said.error = text; },
  },
  workspace: {
    getConfiguration: (section) => ({ get: (name) => settings[`${section}.${name}`] }),
    openTextDocument: ({ content }) => content,
  },
};

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(said, { server });
    said.middleware = options.middleware;
  }
  start() { if (settings.fails) throw new Error("no such program"); }
  stop() { said.stopped = true; }
}

const load = Module._load;
Module._load = (name, ...rest) => ({ vscode, "vscode-languageclient/node": { LanguageClient } })[name] ?? load(name, ...rest);

const hit = { uri: "file:///a.py", path: "a.py", start_line: 3, kind: "function", qualified_name: "place_order" };
const answers = {
  "coderag.search": [hit],
  "coderag.impact": [],
  "coderag.ask": { statements: [{ text: "It waits.", citations: [1] }], facts: [], nearest: [], sources: [{ ...hit, end_line: 9 }] },
  "coderag.references": [{ uri: "file:///b.py", range: { start: { line: 4 } } }],
};

(async () => {
  const extension = require(path.join(folder, "extension.js"));
  await extension.activate({ subscriptions: [] });
  const { executeCommand } = said.middleware;
  delete said.middleware;
  said.asked = {};
  for (const command of Object.keys(answers)) {
    await executeCommand(command, [], (name, given) => { said.asked[name] = given; return answers[name]; });
  }
  await extension.deactivate();
  console.log(JSON.stringify(said));
})();
