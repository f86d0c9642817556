// Tasks, and the commands that run them.

"use strict";

const path = require("node:path");
const vscode = require("vscode");
const { COMMANDS, commandLine, program, projectOf, setting } = require("./compiler");

const GROUPS = { build: vscode.TaskGroup.Build, test: vscode.TaskGroup.Test };

/** The task of a definition, in a folder of the workspace. */
function task(definition, folder) {
  const { command, board, arguments: further } = definition;
  const root = folder?.uri.fsPath;
  const file = path.resolve(root ?? "", definition.path ?? ".");
  const words = commandLine(command, file, board ?? setting("board", file), further);
  const execution = new vscode.ProcessExecution(program(), words, { cwd: root ?? path.dirname(file) });
  const name = definition.path ? `${command} ${path.basename(file)}` : command;
  const made = new vscode.Task(definition, folder ?? vscode.TaskScope.Workspace, name, "clefc", execution, "$clefc");
  made.group = GROUPS[command];
  return made;
}

/** The tasks of every project of the workspace. */
async function provideTasks() {
  const manifests = await vscode.workspace.findFiles("**/clef.toml", "**/{target,node_modules}/**", 100);
  return manifests.flatMap((manifest) => {
    const folder = vscode.workspace.getWorkspaceFolder(manifest);
    if (!folder) return [];
    const project = path.relative(folder.uri.fsPath, path.dirname(manifest.fsPath));
    const place = project ? { path: project } : {};
    return COMMANDS.map((command) => task({ type: "clefc", command, ...place }, folder));
  });
}

function resolveTask(made) {
  const folder = typeof made.scope === "object" ? made.scope : undefined;
  return task(made.definition, folder);
}

/** What a command is for: a path that a code lens passes, or the project of a file, or the folder of the workspace. */
function pathOf(given) {
  if (typeof given === "string") return given;
  const active = vscode.window.activeTextEditor?.document;
  const file = given?.fsPath ?? (active?.languageId === "clef" ? active.fileName : undefined);
  return file ? projectOf(file) : vscode.workspace.workspaceFolders?.[0].uri.fsPath;
}

/** Runs a command; `test` is what selects a test, which a code lens passes. */
async function run(command, given, test) {
  const file = pathOf(given);
  if (!file) {
    vscode.window.showErrorMessage(`There is nothing to ${command}: open a file or a folder.`);
    return;
  }
  await vscode.workspace.saveAll(false);
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
  const selected = typeof test === "string" ? { arguments: ["--filter", test] } : {};
  await vscode.tasks.executeTask(task({ type: "clefc", command, path: file, ...selected }, folder));
}

function activate(context) {
  const commands = COMMANDS.map((command) =>
    vscode.commands.registerCommand(`clef.${command}`, (given, test) => run(command, given, test)),
  );
  context.subscriptions.push(...commands, vscode.tasks.registerTaskProvider("clefc", { provideTasks, resolveTask }));
}

module.exports = { activate };
