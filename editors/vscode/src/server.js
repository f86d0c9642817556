// The language server: `clefc lsp`.

"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { program, setting } = require("./compiler");

let client;

/** The settings that the server reads when it starts, by the names that it has for them. */
const OPTIONS = { board: "board", typeHints: "hints.types", parameterHints: "hints.parameters", storageHints: "hints.storage" };

function options() {
  return Object.fromEntries(Object.entries(OPTIONS).map(([option, name]) => [option, setting(name)]));
}

async function start() {
  // Without a transport, the client speaks over standard input and output, and adds no argument.
  const command = { command: program(), args: ["lsp"] };
  client = new LanguageClient("clef", "Clef", command, {
    documentSelector: [
      { scheme: "file", language: "clef" },
      { scheme: "untitled", language: "clef" },
    ],
    initializationOptions: options(),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.clef,clef.toml}") },
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const answer = await vscode.window.showErrorMessage(
      `The language server of Clef did not start: ${error.message}`,
      "Open the Setting",
    );
    if (answer) await vscode.commands.executeCommand("workbench.action.openSettings", "clef.compiler");
  }
}

async function stop() {
  const stopped = client;
  client = undefined;
  await stopped?.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("clef.restartServer", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const names = ["compiler", ...Object.values(OPTIONS)];
      if (names.some((name) => event.affectsConfiguration(`clef.${name}`))) restart();
    }),
  );
  await start();
}

module.exports = { activate, stop };
