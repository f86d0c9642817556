// The compiler: its settings, its command lines, and what it prints.

"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

/** What clefc is asked for, without `build`, which has no word. */
const COMMANDS = ["build", "run", "test", "flash"];

function setting(name, file) {
  return vscode.workspace.getConfiguration("clef", file && vscode.Uri.file(file)).get(name);
}

/** The program, by name or path. */
function program() {
  return setting("compiler") || "clefc";
}

/** The arguments of a command; an empty board is that of the project. */
function commandLine(command, file, board, further = []) {
  const words = command === "build" ? [] : [command];
  const chosen = board ? ["--board", board] : [];
  return [...words, ...chosen, ...further, file];
}

/** The nearest folder with a project around a file, up to the folder of the workspace; else the file. */
function projectOf(file) {
  const root = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file))?.uri.fsPath;
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, "clef.toml"))) return folder;
    if (folder === root || folder === path.dirname(folder)) return file;
  }
}

/** The board of a file or project: that of the settings, or that of the project. */
function boardOf(file) {
  const chosen = setting("board", file);
  if (chosen) return chosen;
  const manifest = path.basename(file) === "clef.toml" ? file : path.join(file, "clef.toml");
  const text = fs.existsSync(manifest) ? fs.readFileSync(manifest, "utf8") : "";
  const beforeTables = text.split(/^\s*\[/m)[0];
  return /^\s*board\s*=\s*["']([^"']*)["']/m.exec(beforeTables)?.[1] ?? "";
}

/** Runs the compiler, and returns its standard output. */
function output(words, folder) {
  return new Promise((resolve, reject) => {
    execFile(program(), words, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.code === "ENOENT") reject(new Error(`cannot start ${program()}: set clef.compiler to its path`));
      else reject(new Error(stderr.trim() || error.message));
    });
  });
}

module.exports = { COMMANDS, boardOf, commandLine, output, program, projectOf, setting };
