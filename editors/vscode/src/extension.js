// The extension: the language server, commands, tasks, boards and the debugger.

"use strict";

const vscode = require("vscode");
const boards = require("./boards");
const debug = require("./debug");
const server = require("./server");
const tasks = require("./tasks");

async function activate(context) {
  boards.activate(context);
  tasks.activate(context);
  debug.activate(context);
  if (vscode.workspace.isTrusted) {
    await server.activate(context);
  } else {
    context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => server.activate(context)));
  }
}

module.exports = { activate, deactivate: server.stop };
