// The board picker, and the board in the status bar.

"use strict";

const vscode = require("vscode");
const { output, setting } = require("./compiler");

/** The boards that clefc ships, with all that it knows of them. */
async function shipped() {
  return JSON.parse(await output(["boards", "--json"]));
}

const RUNS = { native: "on this machine", qemu: "in QEMU", "qemu-user": "in QEMU", none: "" };

/** An entry of the list. */
function entry(board) {
  const places = [RUNS[board.run.kind], board.chip && "with a debug probe"].filter(Boolean);
  return { label: board.name, description: [board.target, ...places].join(", "), detail: board.description };
}

async function select() {
  let items;
  try {
    items = (await shipped()).map(entry);
  } catch (error) {
    vscode.window.showErrorMessage(`clefc lists no boards: ${error.message}`);
    return;
  }
  const none = { label: "The project's board", description: "or this machine", isDefault: true };
  const chosen = await vscode.window.showQuickPick([none, ...items], {
    title: "The board of Clef programs",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!chosen) return;
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  const value = chosen.isDefault ? undefined : chosen.label;
  await vscode.workspace.getConfiguration("clef").update("board", value, target);
}

function activate(context) {
  const item = vscode.window.createStatusBarItem("clef.board", vscode.StatusBarAlignment.Right, 50);
  item.name = "Board of Clef";
  item.command = "clef.selectBoard";
  item.tooltip = "The board of Clef programs";
  const show = () => {
    const file = vscode.window.activeTextEditor?.document;
    item.text = `$(circuit-board) ${setting("board", file?.fileName) || "project's board"}`;
    if (file?.languageId === "clef") item.show();
    else item.hide();
  };
  show();
  context.subscriptions.push(
    item,
    vscode.commands.registerCommand("clef.selectBoard", select),
    vscode.window.onDidChangeActiveTextEditor(show),
    vscode.workspace.onDidChangeConfiguration(show),
  );
}

module.exports = { activate, shipped };
